"""Writes on a change request as a whole: what is said of them, and what they wait for."""

from __future__ import annotations

import pytest

from copydesk.contract.enumerations import ReviewStatus
from copydesk.contract.models.user import User
from copydesk.session.writes.requests import VERBS, subject_made, subject_wrong, verdict
from tests.session.rows import row

ME = User.model_validate({"id": "me", "displayName": "Me"})


@pytest.mark.parametrize(
    ("status", "done"),
    [("approved", "Approved"), ("changes-requested", "Asked for changes in")],
)
def test_a_verdict_says_what_it_was_and_that_it_stays(status: ReviewStatus, done: str) -> None:
    write = verdict(row(118), status, "Fine.", ME)
    assert (write.what, write.target) == (VERBS[status], row(118).named)
    assert write.done == f"{done} #118; a review cannot be undone."
    assert write.expects is not None
    assert write.trace is not None
    assert verdict(row(118), status, "", None).trace is None


def test_a_subject_fits_and_one_that_is_made_is_cut_to_fit() -> None:
    assert subject_wrong("") == "A subject is needed."
    assert subject_wrong("é" * 100) is None
    assert subject_wrong("x" * 101) == "101 characters: at most 100 fit."
    assert subject_made(" One\x07\n two ") == "One two"
    assert subject_made("x" * 100) == "x" * 100
    assert subject_made("x" * 98 + " yz") == "x" * 98 + "…"
