"""What waits in the outbox, as a list and in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.session.draft_keys import belonging
from copydesk.session.target import Target
from copydesk.session.writes.outbox_marks import ids_of
from copydesk.tui.system.draft_cells import readable

if TYPE_CHECKING:
    from copydesk.local.journal import Entry

STATES = {
    "": ("waiting", "muted"),
    "changed": ("held", "warn"),
    "untold": ("asks", "warn"),
    "refused": ("refused", "bad"),
    "other": ("held", "warn"),
    "lost": ("unknown", "warn"),
}
"""What is shown of why something waits, and its tone."""

BODY_LIMIT = 20_000
"""Characters of a body that are shown."""

PLACES = (
    ("change_request", "review"),
    ("site", "site-settings"),
    ("space", "pages"),
    ("organization", "organization"),
)
"""Where what a request is about is shown, by the id that it names; the first one holds."""


def state_of(entry: Entry) -> tuple[str, str]:
    """Return how a write in the outbox stands, in a word, and its tone."""
    if entry.state == "sending":
        return "sending", "warn"
    if entry.state == "unknown":
        return "unknown", "warn"
    return STATES[entry.held]


def state_cell(entry: Entry) -> Text:
    """Return how it stands, for the list."""
    word, tone = state_of(entry)
    return Text(word, style=tone)


def first_words(entry: Entry) -> str:
    """Return how its text begins, on one line; empty where it has none."""
    said = readable(belonging(entry.draft), entry.text) if entry.text else ""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    return clean(line, limit=200)


def text_in_it(entry: Entry) -> str:
    """Return the text that it says, where that is what its draft was; else "".

    A draft may also be what was typed into the fields of a form.
    """
    text = entry.text.strip()
    body = body_of(entry)
    return text if text and _holds(body, text) else ""


def body_of(entry: Entry) -> Any:
    """Return the JSON that it sends; None where it sends none."""
    text = (entry.request or {}).get("body")
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def about(entry: Entry) -> str:
    """Return in words what it says: its text as it was typed, else the JSON that it sends."""
    if entry.text:
        return readable(belonging(entry.draft), entry.text)
    body = body_of(entry)
    if body is None:
        return "It says nothing besides."
    shown = json.dumps(body, indent=2, ensure_ascii=False)
    return f"```\n{shown[:BODY_LIMIT]}\n```"


def goal(entry: Entry) -> tuple[str, Target] | None:
    """Return the place of what it is about, and what that shows; None where that is not known."""
    belongs = belonging(entry.draft) if entry.draft else None
    if belongs is not None:
        return belongs.place, belongs.target
    ids = ids_of(entry)
    target = Target(
        organization=ids.get("organization"),
        space=ids.get("space"),
        change_request=ids.get("change_request"),
        site=ids.get("site"),
        thread=ids.get("comment"),
    )
    if target.space and target.thread and not target.change_request:
        return "space-comments", target
    name = next((place for id_of, place in PLACES if ids.get(id_of)), None)
    return None if name is None else (name, target)


def _holds(body: Any, text: str) -> bool:
    match body:
        case str():
            return body.strip() == text
        case dict():
            return any(_holds(each, text) for each in body.values())
        case list():
            return any(_holds(each, text) for each in body)
    return False
