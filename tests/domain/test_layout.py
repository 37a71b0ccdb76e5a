"""How changes of rows read."""

from __future__ import annotations

import pytest

from copydesk.domain.layout import change_line
from copydesk.domain.reversal import JSON


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        ("title", "A", "B", "title A → B"),
        ("title", "A", "", "no title any more"),
        ("title", None, "B", "title B"),
        ("description", "A", "B", "description B"),
        ("description", "A", None, "no description any more"),
        ("path", "a", "/b", "path /a → /b"),
        ("path", None, "b", "path /b"),
        ("hidden", False, True, "hidden"),
        ("hidden", True, False, "shown again"),
        ("draft", False, True, "a draft, which readers do not get"),
        ("draft", True, False, "shown to readers"),
        ("default", False, True, "readers land on it first"),
        ("default", True, False, "no longer the default"),
    ],
)
def test_another_value_of_a_setting_is_a_line(
    name: str, before: JSON, after: JSON, line: str
) -> None:
    assert change_line(name, before, after) == line
