"""Halves of characters in JSON, which no text can have.

JSON writes a character beyond the first 65,536 as two escapes. Programs that count in such halves
cut a title in the middle of an emoji and send the one that is left; a reader of JSON then refuses
all of the answer. One title would so hide a whole list.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # both halves
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|.)",
    re.DOTALL,
)

_REPLACED = rb"\ufffd"


def without_halves(content: bytes) -> bytes:
    """Return JSON with the sign for what cannot be read in place of each half of a character.

    The same bytes, where there is none.
    """
    if b"\\ud" not in content and b"\\uD" not in content:
        return content
    return _ESCAPE.sub(lambda found: _REPLACED if found["half"] else found[0], content)
