"""Orders that an earlier version kept staged."""

from __future__ import annotations

import json

import pytest

from copydesk.domain.layout import GROUP, TOP, Item, Layout, text_of
from copydesk.domain.legacy_order import modern

THERE = Layout({"a": Item("a", "section", {"title": "A"})}, {TOP: ("a",)})
BASE = {TOP: ["a", f"{GROUP}g", "b"], "a": ["x", "y"], f"{GROUP}g": ["s"]}


def kept(base: object, now: object) -> str:
    return "v1\n" + json.dumps({"base": base, "now": now})


def test_what_was_staged_is_staged_in_todays_format() -> None:
    now = {**BASE, "a": ["y", "x"]}
    items = {
        "a": THERE.items["a"],
        f"{GROUP}g": Item(f"{GROUP}g", "group"),
        "b": Item("b", "site-space"),
        "x": Item("x", "site-space"),
        "y": Item("y", "site-space"),
        "s": Item("s", "section"),
    }
    base = {level: tuple(rows) for level, rows in BASE.items()}
    wanted = text_of(Layout(items, base), Layout(items, {**base, "a": ("y", "x")}), (), 0)
    assert modern(kept(BASE, now), THERE) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        kept({"a": ["x"]}, {"a": ["x"]}),
        kept(BASE, {TOP: BASE[TOP]}),
        kept(BASE, {**BASE, "a": ["x", "z"]}),
        kept({**BASE, "a": [1]}, {**BASE, "a": [1]}),
        kept({**BASE, "a": "x"}, {**BASE, "a": "x"}),
        kept([], []),
        '{"base": {}}',
    ],
)
def test_anything_else_is_no_such_order(text: str) -> None:
    assert modern(text, THERE) is None
