"""Saved replies: what is filled in, and which are offered."""

from __future__ import annotations

from copydesk.domain.completion import replies
from copydesk.domain.saved_reply import SavedReply, filled

VALUES = {"author": "Lee {page}", "page": "Retries", "subject": ""}


def test_fields_are_filled_once_and_those_not_known_are_named() -> None:
    assert filled("Hi {author}, see {page}.", VALUES) == ("Hi Lee {page}, see Retries.", "")
    text, said = filled("{me} on {subject}, {code} and {me}: {PAGE}", VALUES)
    assert text == "{me} on {subject}, {code} and {me}: {PAGE}"
    assert said == "Not known here: {me} and {subject}."


def test_a_word_that_is_nearly_a_field_is_named() -> None:
    text, said = filled("Hi {autor} and {autor}, {id} of {page} by {me}, {name}", VALUES)
    assert text == "Hi {autor} and {autor}, {id} of Retries by {me}, {name}"
    assert said == "Not known here: {me}. {autor} is not a field: did you mean author?"


def test_names_that_begin_so_come_first() -> None:
    known = [
        SavedReply("no-source", "Where is {page} from?"),
        SavedReply("Source", "Name it,\n\nplease."),
        SavedReply("broken", "", "not UTF-8 text"),
    ]
    found = replies("so", known, VALUES)
    assert [(each.shown, each.text, each.note) for each in found] == [
        ("Source", "Name it,\n\nplease.", "Name it, please."),
        ("no-source", "Where is Retries from?", "Where is Retries from?"),
    ]
    (broken,) = replies("brok", known, VALUES)
    assert (broken.text, broken.said) == ("", "broken: not UTF-8 text.")
    assert replies("zz", known, VALUES) == []
