"""The lines of entries in the settings file, which the TOML reader does not tell."""

from __future__ import annotations

import re


def line_in_table(table: str, name: str, text: str) -> int:
    """Return the line of an entry of a top-level table, else that of the table; 0 for none."""
    above = rf"[\"']?{re.escape(table)}[\"']?"
    one = rf"[\"']?{re.escape(name)}[\"']?"
    begins = re.compile(rf"\s*\[?\s*{above}\s*[\].=]")
    names = re.compile(rf"\s*(?:\[\s*{above}\s*\.\s*)?(?:{above}\s*\.\s*)?{one}\s*[\].=]")
    found = 0
    for at, line in enumerate(text.splitlines(), 1):
        if found and name and names.match(line):
            return at
        if begins.match(line):
            found = found or at
            if name and names.match(line):
                return at
    return found
