"""What is a secret by its name or by itself: never shown unasked, keys and passwords never kept."""

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

MASK = "***"
"""Stands in an address for a password that is not kept."""

_LOGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<user>[^/?#\s]+)@(?=\S)")
_QUERY = re.compile(
    r"(?<=[?&])([\w-]*(?:token|key|secret|passw(?:or)?d|signature|sig)=)[^&#\s]+", re.IGNORECASE
)

_PRIVATE_KEY = re.compile(r"-\s*BEGIN [A-Z0-9 ]*PRIVATE KEY", re.IGNORECASE)


def names_secret(name: str) -> bool:
    """Whether a value with this name is a secret."""
    return _NAME.search(name) is not None


def tells_secret(text: str) -> bool:
    """Whether a text holds a secret whatever it is called: a header, an address with a password."""
    return _TEXT.search(text) is not None


def without_password(text: str) -> str:
    """Return an address with `MASK` for the password or the token in it; other text as it is.

    The name alone before a host is none where no password is asked for, as in ``ssh://git@host``.
    """
    if any(sign.isspace() for sign in text):
        return text
    login = _LOGIN.match(text)
    if login is None:
        return _QUERY.sub(rf"\1{MASK}", text) if "://" in text else text
    if "ssh" in login["scheme"].lower() and ":" not in login["user"]:
        return text
    rest = _QUERY.sub(rf"\1{MASK}", text[login.end() :])
    return f"{login['scheme']}://{MASK}@{rest}"


def lacks_password(text: str) -> bool:
    """Whether a text is an address whose password was not kept."""
    return MASK in text and "://" in text and without_password(text) == text


def holds_private_key(text: str) -> bool:
    """Whether a text has a private key in it, in the form of PEM."""
    return _PRIVATE_KEY.search(text) is not None
