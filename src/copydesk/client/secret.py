"""A token that cannot be printed by accident."""

from __future__ import annotations

import string

_ALLOWED = frozenset(string.ascii_letters + string.digits + string.punctuation)


class Secret:
    """A credential. It shows itself only to who calls ``reveal``.

    ``repr``, ``str``, format and tracebacks that show values print dots instead, and pickling is
    refused, so that no log, error or cache holds it. White space around the value is dropped,
    because a pasted token often ends in a line end. Raises ``ValueError`` for an empty value and
    for one that no HTTP header can carry; the message does not repeat the value.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        if not value:
            raise ValueError("the token is empty: paste it again, or unset COPYDESK_TOKEN")
        if not _ALLOWED.issuperset(value):
            raise ValueError(
                "the token holds a space or a character that no token has: paste it again, alone"
            )
        self._value = value

    def reveal(self) -> str:
        """Return the credential itself: for the request header and for nothing else."""
        return self._value

    def hide(self, text: str) -> str:
        """Return ``text`` with every occurrence of the credential replaced by dots."""
        return text.replace(self._value, "…")

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")
