"""``copydesk log`` and ``copydesk outbox``: the writes of this machine, and the waiting ones."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from copydesk.cli.errors import UsageError, kept_state
from copydesk.cli.output import put, put_json
from copydesk.domain.text import clean
from copydesk.local.drafts import DeskDrafts, field_of
from copydesk.local.journal import Entry, Journal
from copydesk.local.paths import find_paths
from copydesk.session.writes.outbox import as_edited

SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0}
"""The units that a span of time may have."""

PRINTED = (
    "id", "at", "ended", "what", "target", "state", "sentence", "request_id", "desk", "run",
    "group", "kind", "of",
)  # fmt: skip
"""The fields that are printed. The texts that were sent, and those in their way back, are not."""


def print_log(*, since: str | None = None, as_json: bool = False, file: bool = False) -> int:
    """Print the writes, oldest first, those begun within ``since`` ("1h") if given.

    With ``file``, only where the other log is, that of errors and requests. Raises ``UsageError``
    for a span that is none.
    """
    paths = find_paths()
    if file:
        put(str(paths.log))
        return 0
    begun = 0.0 if since is None else time.time() - span(since)
    entries = Journal(kept_state()).entries(since=begun)
    if as_json:
        put_json([_value(entry, PRINTED, undoable=entry.reversal is not None) for entry in entries])
        return 0
    for entry in entries:
        more = f"[{clean(entry.request_id)}]" if entry.request_id else ""
        put(_line(entry, entry.state, more))
    if not entries:
        put(
            "Nothing was sent in that time." if since else "Nothing was sent from this machine yet."
        )
    return 0


def span(text: str) -> float:
    """Return a span such as 90s, 30m, 1h, 2d or 1w in seconds. Raises ``UsageError``."""
    found = re.fullmatch(r"(\d{1,6})\s*([smhdw])", text.strip())
    if found is None:
        raise UsageError(f"{text!r} is not a span of time: write 30m, 1h, 2d or 1w")
    return int(found[1]) * SECONDS[found[2]]


def _value(entry: Entry, names: Iterable[str], **more: object) -> dict[str, Any]:
    value = {name: getattr(entry, name) for name in names} | more
    return {name: given for name, given in value.items() if given not in ("", None)}


def _line(entry: Entry, state: str, more: str) -> str:
    when = datetime.fromtimestamp(entry.at).astimezone()
    parts = [f"{when:%Y-%m-%d %H:%M:%S}", f"{state:8}", clean(entry.what), clean(entry.target)]
    return "  ".join([*parts, *filter(None, (more, clean(entry.sentence)))])


WORDS = {
    "": "waiting", "changed": "held", "untold": "asks", "refused": "refused", "other": "held",
    "lost": "unknown",
}  # fmt: skip
"""How what waits stands, by why it is held."""


PRINTED_WAITING = ("id", "at", "what", "target", "sentence", "desk", "by")
"""The fields that are printed. What would be sent is not."""


def print_outbox(*, as_json: bool = False) -> int:
    """Print what waits, oldest first, with the desk or service that it is for."""
    store = kept_state()

    @cache
    def begun(desk: str) -> set[str]:
        return set(map(field_of, DeskDrafts(store, desk).keys()))

    waiting = Journal(store).waiting()
    entries = [as_edited(entry, begun(entry.desk).__contains__) for entry in waiting]
    if as_json:
        put_json([_waiting_value(entry) for entry in entries])
        return 0
    for entry in entries:
        put(_line(entry, _waiting_state(entry), f"to {clean(entry.desk)}"))
    if not entries:
        put("Nothing waits to be sent.")
    return 0


def _waiting_value(entry: Entry) -> dict[str, Any]:
    operation = (entry.request or {}).get("name")
    return _value(entry, PRINTED_WAITING, state=_waiting_state(entry), operation=operation)


def _waiting_state(entry: Entry) -> str:
    return "unknown" if entry.state == "unknown" else WORDS[entry.held]
