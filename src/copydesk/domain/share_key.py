"""The secret in the address of a share link."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit


def share_key(address: str) -> str:
    """Return the key that the address of a share link holds, empty when it holds none.

    It is the query's ``shareKey``, else the last part of the path.
    """
    try:
        parts = urlsplit(address.strip())
        named = parse_qs(parts.query).get("shareKey")
    except ValueError:
        return ""
    if named:
        return named[-1]
    return unquote(next((part for part in reversed(parts.path.split("/")) if part), ""))
