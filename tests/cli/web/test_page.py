"""The page of a browser window: what can be tested of it without a browser."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import textual_serve
from rich.cells import get_character_cell_size

from copydesk.cli.web.screens import OF_BROWSERS


def test_each_emoji_is_as_wide_for_the_program_as_for_the_terminal_of_the_page() -> None:
    script = Path(textual_serve.__file__).parent / "static" / "js" / "textual.js"
    before, _, _ = script.read_text(encoding="utf-8").partition("t.UnicodeV11=class")
    # Its last two tables are of what takes two cells: up to U+FFFF, and beyond.
    tables = [json.loads(each) for each in re.findall(r"=(\[\[[0-9,[\]]*\]\])", before)[-2:]]
    wide = {
        chr(sign) for table in tables for first, last in table for sign in range(first, last + 1)
    }
    symbols = {
        each for each in map(chr, range(0x2000, 0x20000)) if unicodedata.category(each) == "So"
    }
    version = OF_BROWSERS["UNICODE_VERSION"]
    taken = {each for each in symbols if get_character_cell_size(each, version) == 2}
    assert "🚀" in taken
    assert taken == wide & symbols
