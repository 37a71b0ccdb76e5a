"""Where every key of a draft belongs, and what a draft says: all in ``draft_keys.json``."""

from __future__ import annotations

import json

from copydesk.domain.access import Holder
from copydesk.session import draft_keys
from copydesk.session.draft_keys import (
    AHEAD,
    ahead_action,
    ahead_for,
    ahead_key,
    belonging,
    fields,
    form_key,
    form_text,
    form_words,
    moves,
    schema_text,
    staged_moves,
)
from copydesk.session.target import Target
from tests.golden_json import compare

HERE = Target(organization="o", space="s", item="i")
KEYS = [
    draft_keys.structure_key("X"), draft_keys.share_link_key("X", "new"),
    draft_keys.schema_key("X"), draft_keys.redirect_key("X", "new"),
    draft_keys.tree_key("o"), "tree row o r", "tree new o space", draft_keys.about_key("S", "C"),
    draft_keys.new_request_key("S", None), draft_keys.new_request_key("S", "K"), "outbox e",
    draft_keys.hunk_key("S", "C", "H"), draft_keys.revert_key("S", "C"),
    draft_keys.marked_verdict_key("approved"), draft_keys.marked_verdict_key("changes-requested"),
    draft_keys.view_name_key(), "request of cluster K", "site setting X title", "site new",
    "site row X R",
    form_key("teams", HERE, "rename", "t"), form_key("teams", Target(), "create"),
    "setting theme", draft_keys.access_key(Holder("space", "S"), "staged"),
    draft_keys.access_key(Holder("collection", "B"), "guests"),
    draft_keys.access_key(Holder("site", "X", "o"), "staged"),
    draft_keys.share_link_key("X", "l"), draft_keys.redirect_key("X", "r"),
    draft_keys.marks_key("S", "C"), draft_keys.source_key("S", "C", "P"),
    draft_keys.source_key("S", draft_keys.NEW_REQUEST, "P"),
    draft_keys.insertion_key("S", "C", "P", "words"), draft_keys.row_key("S", "C", "P"),
    draft_keys.suggestion_key("S", "C", "lines", 1, 2, "P", "N"),
    draft_keys.suggestion_key("S", "C", "words", 0, 0, "P", "N/a b"),
    "suggestion lines S C 1 2", "site new X section",
    form_key("unknown-place", Target(space="s"), "x", "a b"), "S//space", "S//request", "S/C/space",
    "S/C/request", "S/C/verdict approved", "S//verdict approved", "S/C/verdict changes-requested",
    "S/C/reply T", "S//reply T", "S/C/edit M", "S//edit M", "S/C/P/page", "S//P/page", "S/C/P/N/N",
    "S/C/P", "S/C/", "/C/request", "S", "", "structure", "tree row o", "share link X", "form a b",
    "also 1 S/C/request", "also 1 S", f"{AHEAD}[]", f"{AHEAD}{{", "ahead x",
]  # fmt: skip


def told(key: str) -> list[object] | None:
    found = belonging(key)
    if found is None:
        return None
    ids = {name: getattr(found.target, name) for name in found.target.__slots__}
    there = {name: value for name, value in ids.items() if value is not None}
    return [found.place, there, found.words, found.part, found.summary.__name__]


def test_every_key_says_where_its_text_belongs(update_golden: bool) -> None:
    compare("draft_keys", {key: told(key) for key in KEYS}, update=update_golden, folder="session")


def test_text_typed_ahead_is_for_one_action_of_one_object() -> None:
    key = ahead_key("teams", HERE, "teams.rename")
    assert key.startswith(AHEAD)
    assert key != ahead_key("teams", HERE, "teams.rename")
    assert ahead_action(key) == "teams.rename"
    assert ahead_action("S/C/request") == ahead_action(f"{AHEAD}[1]") == ""
    found = belonging(key)
    assert found is not None
    assert (found.place, found.target, found.words, found.part) == (
        "teams", HERE, "Teams: rename", key,
    )  # fmt: skip
    field = form_key("teams", Target(organization="o", space="s", item="i"), "rename", "t")
    other = ahead_key("teams", HERE.but(item="j"), "teams.rename")
    elsewhere = ahead_key("members", HERE, "teams.rename")
    assert ahead_for([other, key, elsewhere, "x"], "teams", "teams.rename", field) == [key]
    assert ahead_for([key], "teams", "teams.create", field) == []
    assert ahead_for([key], "teams", "teams.rename", "nowhere") == []
    odd = AHEAD + json.dumps(["teams", "a", "0", {"space": 5, "colour": "red"}])
    found = belonging(odd)
    assert found is not None
    assert found.target == Target(space="5")


def test_staged_changes_are_counted_and_listed() -> None:
    text = "- One\nsome more\n- Two\n\n{}"
    assert moves(text) == "2 changes staged\n\n- One\n- Two"
    assert moves("- One") == "1 change staged\n\n- One"
    kept = {draft_keys.structure_key("X"): text, draft_keys.structure_key("Y"): "", "other": text}
    assert staged_moves(kept) == {"X": 2, "Y": 0}


def test_a_form_reads_with_its_labels_and_names() -> None:
    values = {"who": "u1\nu2", "title": "A", "list": [1, 2], "by": "u1"}
    text = form_text(values, {"who": "People", "title": "Title"}, {"u1": "Ana", "u2": "Lee\x1b"})
    assert fields(text) == ("People:\n\n```\nAna\nLee\n```\n\nTitle: A\n\nlist: 2\n\nby: Ana")
    assert fields("no form") == "no form"
    assert fields("[1]") == "[1]"
    assert fields('{"a": 1, "": 3}') == "a: 1"
    kept = json.loads(text)
    assert form_words(kept, "labels") == {"who": "People", "title": "Title"}
    assert form_words(kept, "names") == {"u1": "Ana", "u2": "Lee"}
    assert form_words({"": {"labels": {"a": 1, "b": "B"}}}, "labels") == {"b": "B"}
    assert form_words({"": {"labels": 3}}, "labels") == form_words({}, "labels") == {}


def test_a_schema_reads_without_what_it_is_based_on() -> None:
    assert schema_text('{"text": "{}", "base": "x"}') == "{}"
    assert schema_text('{"base": "x"}') == ""
    assert schema_text("{") == "{"
    assert schema_text("[1]") == "[1]"
