"""What counts of a conversation: what its users say, as the problems that they tell."""

from __future__ import annotations

import re

import pytest

from copydesk.domain.own_words import own_words
from copydesk.server.clustering.problems import (
    TEXT_LENGTH,
    TITLE_LENGTH,
    Problem,
    problems_of,
)
from copydesk.server.clustering.words import language_of, words_of


def only(found: list[Problem]) -> Problem:
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (
            "Hi team,\n\nthe export is empty.\n\nThanks,\nJonas Weber\n+49 30 555",
            "the export is empty.",
        ),
        (
            "Guten Tag Frau Weber,\nder Export ist leer.\nMit freundlichen Grüßen\nS. A.",
            "der Export ist leer.",
        ),
        ("¡Hola!\nno funciona la exportación\nSaludos", "no funciona la exportación"),
        (
            "It is empty.\n\nOn Mon, 3 May 2024 at 10:00 Kim <k@x.example> wrote:\n> did you try",
            "It is empty.",
        ),
        ("> did you try it?\nYes, it is empty.", "Yes, it is empty."),
        ("It fails:\n```\nsecret 12\n```\nwhy", "It fails:\nwhy"),
        (
            'It fails:\nTraceback (most recent call last):\n  File "a.py", line 3, in x\nwhy?',
            "It fails:\nwhy?",
        ),
        (
            "It is empty.\n\nFrom: Kim <k@x.example>\nSent: Monday\nTo: Jo\nSubject: Export\n\nHm",
            "It is empty.",
        ),
        ("Thanks for the export, but it is empty", "Thanks for the export, but it is empty"),
    ],
)
def test_only_what_a_person_wrote_counts(body: str, kept: str) -> None:
    assert own_words(body) == kept


@pytest.mark.parametrize(
    "call",
    ["URGENT: ", "Urgent!!\n", "[URGENT] ", "Hi team,\nurgent - ", "Dringend! Hallo,\n", "Eilt: ",
     "Urgente. ", "¡Ayuda! ", "Très urgent : ", "Spoed!\n", "ASAP, please help: "],
)  # fmt: skip
def test_a_call_for_haste_tells_nothing(call: str) -> None:
    assert own_words(f"{call}the export is empty.") == "the export is empty."
    if not re.search("team|hallo", call, re.IGNORECASE):
        assert only(problems_of(f"{call}empty export", [])).title == "empty export"


@pytest.mark.parametrize(
    "said", ["urgent mails arrive late", "help pages are empty", "asap-sync fails", "eilt.example"]
)
def test_what_only_begins_like_a_call_stays(said: str) -> None:
    assert own_words(said) == said


def test_a_log_alone_is_what_its_sender_means() -> None:
    log = "HTTP/1.1 429 Too Many Requests"
    assert only(problems_of("", [("user", log)])).text == log


def test_answers_and_bots_tell_no_problem() -> None:
    parts = [("user", "the export is empty"), ("team", "Have you tried the API?"), ("bot", "Bye")]
    assert only(problems_of("", parts)).text == "the export is empty"
    assert problems_of("", [("bot", "How can I help?")]) == []
    bounced = "Undelivered Mail Returned to Sender"
    assert problems_of(bounced, [("bot", "This is the mail system")]) == []
    assert problems_of("The mail was undelivered", [("bot", "A form")]) != []


def test_an_automatic_reply_tells_no_problem() -> None:
    assert problems_of("Out of office", [("user", "I am away until Monday.")]) == []
    assert problems_of("", [("user", "Abwesenheitsnotiz: ich bin bis Mai weg")]) == []


def test_the_subject_is_the_title_and_the_first_line_is_it_without_one() -> None:
    parts = [("user", "Hello,\nthe export is empty\nsince Monday")]
    assert only(problems_of("Empty export", parts)).title == "Empty export"
    assert only(problems_of("", parts)).title == "the export is empty"
    assert only(problems_of("", parts)).summary == "the export is empty since Monday"


@pytest.mark.parametrize(
    "body",
    [
        "1. the export of the logs is empty\n2. my card is declined each time",
        "The export of the logs is empty. Another thing: my card is declined each time",
        "Der Export der Protokolle ist leer. Außerdem wird unsere Karte dauernd abgelehnt",
        "La exportación de registros sale vacía. Además la tarjeta es rechazada siempre",
        "Der Export der Protokolle ist leer und außerdem wird unsere Karte abgelehnt",
        "The export can't be opened here. Another thing: we don't get the mails",
    ],
)
def test_two_problems_are_two_where_that_is_plain(body: str) -> None:
    assert len(problems_of("", [("user", body)])) == 2


@pytest.mark.parametrize(
    "body",
    [
        "I did this:\n1. open it\n2. press export\nand the file is empty",
        "1. Open the page of the export\n2. Choose CSV as the format\n3. Press it\nIt fails",
        "The export is empty, and also the log",
        "The export is empty. Another thing we tried is the other browser",
        "Der Export ist leer. Außerdem haben wir den anderen Browser probiert",
        "It fails in Chrome y en Firefox",
        "Besides Firefox it fails in Chrome as well",
    ],
)
def test_steps_and_asides_are_no_second_problem(body: str) -> None:
    only(problems_of("", [("user", body)]))


@pytest.mark.parametrize(
    "body",
    [
        "hi," + "\n" * 19_000 + "x",
        "--" + " " * 19_000 + "x",
        "the export is empty" + "\n" * 19_000 + "x",
        "hi, " * 5_000,
        "a" * 20_000,
        "On " + "wrote: " * 3_000,
        "\x00\ud800 \u202e" * 3_000,
        "1. " * 7_000,
    ],
)
def test_hostile_text_is_read_in_time_that_grows_with_it(body: str) -> None:
    for found in problems_of(body[:300], [("user", body)] * 20):
        assert len(found.text) <= TEXT_LENGTH
        assert len(found.title) <= TITLE_LENGTH
        words_of(found.text, language_of(found.text))
