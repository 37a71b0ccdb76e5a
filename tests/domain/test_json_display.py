"""JSON that may be drawn: nothing hidden is in it, and it stays the JSON that it was."""

from __future__ import annotations

import json

import pytest

from copydesk.domain.json_display import json_text
from copydesk.domain.text import clean_long


@pytest.mark.parametrize(
    "text",
    [
        "plain “quotes” é 🦊",
        "Family \U0001f468\u200d\U0001f469\u200d\U0001f467",
        "e" + "\u0301" * 9,
        "\x1b[2J\x9b2J\u202e\x7f\t\r\n\u2028",
        "half \ud800 a sign",
    ],
)
def test_json_is_shown_whole(text: str) -> None:
    value = {text: [text, {"n": 1}]}
    shown = json_text(value)
    assert json.loads(shown) == value
    assert clean_long(shown) == shown
    assert json_text("é ﬁ 中") == '"é ﬁ 中"'
