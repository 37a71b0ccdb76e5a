"""``copydesk outbox``: what waits to be sent from this machine, to whom, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from copydesk.cli.errors import kept_state
from copydesk.cli.output import put, put_json
from copydesk.domain.text import clean
from copydesk.local.journal import Entry, Journal

WORDS = {
    "": "waiting", "changed": "held", "untold": "asks", "refused": "refused", "other": "held",
    "lost": "unknown",
}  # fmt: skip
"""How what waits stands, by why it is held."""

PRINTED = ("id", "at", "what", "target", "sentence", "desk", "by")
"""The fields that are printed. What would be sent is not."""


def print_outbox(*, as_json: bool = False) -> int:
    """Print what waits, oldest first, with the desk or service that it is for."""
    entries = Journal(kept_state()).waiting()
    if as_json:
        put_json([_value(entry) for entry in entries])
        return 0
    for entry in entries:
        put(_line(entry))
    if not entries:
        put("Nothing waits to be sent.")
    return 0


def _value(entry: Entry) -> dict[str, Any]:
    value = {name: getattr(entry, name) for name in PRINTED}
    value |= {"state": _state(entry), "operation": (entry.request or {}).get("name")}
    return {name: given for name, given in value.items() if given not in ("", None)}


def _state(entry: Entry) -> str:
    return "unknown" if entry.state == "unknown" else WORDS[entry.held]


def _line(entry: Entry) -> str:
    when = datetime.fromtimestamp(entry.at).astimezone()
    parts = [f"{when:%Y-%m-%d %H:%M:%S}", f"{_state(entry):8}", clean(entry.what)]
    parts += [clean(entry.target), f"to {clean(entry.desk)}"]
    if entry.sentence:
        parts.append(clean(entry.sentence))
    return "  ".join(parts)
