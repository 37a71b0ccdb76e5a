"""A title is the words that tell a cluster; a summary says nothing twice."""

from __future__ import annotations

from copydesk.server.clustering.terms import Told, terms_of
from copydesk.server.clustering.titles import (
    LONGEST,
    WORDS_LONGEST,
    plain_title,
    sentence_of,
    summary_of,
    title_of,
)

TELLING = {"webhook": 3.0, "signature": 2.0, "invalid": 1.0}


def test_a_sentence_is_the_clause_that_tells_without_a_greeting() -> None:
    long = (
        "We moved to another data center over the last weekend as planned, "
        "the webhook signature is invalid since, and no one here knows what else to try"
    )
    assert sentence_of([long], TELLING) == "The webhook signature is invalid since"
    assert sentence_of(["Hi team, the webhook signature is invalid"], TELLING).startswith(
        "The webhook"
    )
    assert len(sentence_of(["webhook " * 40], TELLING)) <= LONGEST


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


def titles(*groups: list[Told], others: list[Told] | None = None) -> list[str]:
    """Return the titles of groups, each in the language of its first text."""
    terms = terms_of(groups, others or [], [group[0][1] for group in groups])
    return [title_of(each, "A sentence") for each in terms]


DOMAIN: list[Told] = [
    ("Hello, our custom domain shows no certificate, DNS is right.", "en"),
    ("The custom domain docs.example.org: certificate pending for days", "en"),
    ("Certificate of a custom domain never comes; DNS is verified", "en"),
    ("Das Zertifikat unserer Domain fehlt noch", "de"),
]
INVOICE: list[Told] = [
    ("Die Rechnung hat keine USt-ID von uns", "de"),
    ("Auf der Rechnung fehlt die USt-ID", "de"),
    ("Unsere USt-ID fehlt", "de"),
]


def test_a_title_is_the_words_that_tell_a_group_from_the_others() -> None:
    domain, invoice = titles(DOMAIN, INVOICE, others=[("Where is the search?", "en")])
    # What belongs together stands together, as it is written; German has its capitals.
    assert set(domain.split(" · ")) == {"custom domain", "certificate", "DNS"}
    assert set(invoice.split(" · ")) >= {"USt-ID", "Rechnung"}
    assert "example" not in domain


def test_titles_that_nobody_tells_apart_are_one() -> None:
    assert plain_title("Exchange rates") == plain_title("exchange rate")
    assert plain_title("exchange · rate") == plain_title("exchange rate")
    assert plain_title("Die Rechnungen fehlen") == plain_title("die Rechnung fehlt")
    assert plain_title("exchange rate") != plain_title("exchange rate · fee")
    taken = {plain_title("The export is empty")}
    said = ["Exports are empty. The export is empty for the log"]
    assert plain_title(sentence_of(said, {"export": 3.0, "empty": 2.0}, taken)) not in taken


def test_a_title_says_a_word_once_however_it_is_joined() -> None:
    storage: list[Told] = [
        ("ActiveStorage loses a blob", "en"),
        ("active storage: the blob is gone", "en"),
        ("ActiveStorage, or active storage, finds no blob", "en"),
        ("ActiveStorage blob", "en"),
    ]
    top_up: list[Told] = [
        ("My top-up is gone, how do I top up?", "en"),
        ("Is there a limit for a top-up with my card? I top up often", "en"),
        ("The limit: top-up of a card, topping too much", "en"),
    ]
    first, second = titles(storage, top_up, others=[("Where is the search?", "en")] * 9)
    assert sorted(first.casefold().split(" · ")) in (
        ["activestorage", "blob"], ["active storage", "blob"]
    )  # fmt: skip
    assert second.casefold().count("top") == 1


def test_a_title_in_japanese_is_made_of_its_words() -> None:
    said = [
        "請求書のエクスポートが3ページで止まります。",
        "請求書をエクスポートすると途中で止まってしまいます。",
        "請求書のCSVエクスポートが完了しません。",
    ]
    (title,) = titles([(each, "en") for each in said], others=[("退会の方法", "en")] * 9)
    assert title.startswith("請求書 エクスポート")


def test_a_title_has_no_address_no_letter_of_a_sentence_s_beginning_and_is_short() -> None:
    said = "Importing files to https://example.org/import of kim@example.org `rm -rf x` fails. "
    (title,) = titles([(said + said, "en")] * 3, others=[("Nothing at all", "en")] * 9)
    assert len(title) <= WORDS_LONGEST
    assert "importing files" in title
    for other in ("http", "kim", "rm", "Importing"):
        assert other not in title


def test_where_too_few_words_tell_a_sentence_is_the_title() -> None:
    group: list[Told] = [("Backup", "en"), ("backup?", "en"), ("The backup", "en")]
    assert titles(group, others=[("Other", "en")] * 9) == ["A sentence"]
    assert title_of([], "A sentence") == "A sentence"


def test_a_title_that_is_taken_is_told_apart() -> None:
    terms = terms_of([DOMAIN], [("Where is the search?", "en")] * 9, ["en"])[0]
    first = title_of(terms, "A sentence")
    second = title_of(terms, "A sentence", {plain_title(first)})
    assert second not in ("", first)
    assert first.startswith(second)
