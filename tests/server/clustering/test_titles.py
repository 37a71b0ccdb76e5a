"""A title is short and tells; a summary says nothing twice."""

from __future__ import annotations

from copydesk.server.clustering.titles import LONGEST, summary_of, title_of

TELLING = {"webhook": 3.0, "signature": 2.0, "invalid": 1.0}


def test_a_title_is_the_clause_that_tells_without_a_greeting() -> None:
    long = (
        "We moved to another data center over the last weekend as planned, "
        "the webhook signature is invalid since, and no one here knows what else to try"
    )
    assert title_of([long], TELLING) == "The webhook signature is invalid since"
    assert title_of(["Hi team, the webhook signature is invalid"], TELLING).startswith(
        "The webhook"
    )
    assert len(title_of(["webhook " * 40], TELLING)) <= LONGEST


def test_a_summary_leaves_out_what_says_the_same() -> None:
    said = [
        "The webhook signature is invalid",
        "the webhook signature is  invalid today",
        "Our endpoint gets no events",
    ]
    assert summary_of(said) == "The webhook signature is invalid · Our endpoint gets no events"


def test_a_summary_has_the_subject_apart_from_the_text() -> None:
    assert summary_of(["Refund please\nDuplicate charge"]) == "Refund please. Duplicate charge"
    assert summary_of(["Crash\nCrash on iPhone"]) == "Crash on iPhone"
    assert summary_of(["Help!\nIt is  gone"]) == "Help! It is gone"
    assert summary_of(["the export is empty\nsince Monday"]) == "the export is empty since Monday"
