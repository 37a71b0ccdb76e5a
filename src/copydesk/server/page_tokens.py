"""What ties a page token to the list that gave it (docs/api-notes.md, Pages of a list).

The place in a list that ``pagination`` writes down is only true of that list: taken to another one,
or to the same one filtered otherwise, it would quietly leave items out. So a token that goes out
begins with a mark of the operation and of everything in the request but ``page`` and ``limit``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from copydesk.contract.operation import Operation
from copydesk.server.errors import invalid

_MARK = 8
"""How many characters of a token are the mark."""


def read_place(op: Operation[..., Any], arguments: dict[str, Any]) -> None:
    """Leave the place in the list as the ``page`` of the arguments, without its mark.

    Raises a 400 for a token that this very list did not give.
    """
    token: str | None = arguments.get("page") if op.pages else None
    if token is not None:
        if not token.startswith(_mark(op, arguments)):
            raise invalid(
                "query parameter page: this is not a token that this list of the desk gave; "
                "everything else in the address stays as it was"
            )
        arguments["page"] = token[_MARK:]


def mark_place(op: Operation[..., Any], arguments: Mapping[str, Any], result: Any) -> None:
    """Put the mark of the list before the token that an answer goes on with, if it does."""
    if op.pages and result.next is not None:
        result.next.page = _mark(op, arguments) + result.next.page


def _mark(op: Operation[..., Any], arguments: Mapping[str, Any]) -> str:
    said = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in arguments.items()
        if name not in ("page", "limit")
    }
    digest = sha256(json.dumps([op.name, said], sort_keys=True).encode()).digest()
    return base64.urlsafe_b64encode(digest)[:_MARK].decode()
