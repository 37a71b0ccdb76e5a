"""What is a secret by its name or by itself: never shown unasked, private keys never kept."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"secret|token|pass(?:w|phrase|code|$)|pwd|key(?!word|board)|credential|private|bearer"
    r"|auth(?!or(?!i[sz]))|signature|cookie|session|webhook|dsn|connection.?string"
    r"|(?:\b|_)(?:pat|pin)$",
    re.IGNORECASE,
)

_TEXT = re.compile(
    r"\b(?:bearer|basic)\s+\S|://[^/\s@]*:[^/\s@]+@"
    r"|(?:secret|token|passw|pwd|key|cookie|authori[sz]ation)[\w-]*[\"']?\s*[:=]\s*\S",
    re.IGNORECASE,
)

_PRIVATE_KEY = re.compile(r"-\s*BEGIN [A-Z0-9 ]*PRIVATE KEY", re.IGNORECASE)


def names_secret(name: str) -> bool:
    """Whether a value with this name is a secret."""
    return _NAME.search(name) is not None


def tells_secret(text: str) -> bool:
    """Whether a text holds a secret whatever it is called: a header, an address with a password."""
    return _TEXT.search(text) is not None


def holds_private_key(text: str) -> bool:
    """Whether a text has a private key in it, in the form of PEM."""
    return _PRIVATE_KEY.search(text) is not None
