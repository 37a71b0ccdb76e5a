"""One write as the journal has it: its fields, how it is read back, and who may see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, get_args

State = Literal["sending", "done", "failed", "unknown", "queued", "dropped"]
"""``unknown``: no answer came, so the write may have taken effect or not. ``queued``: it is known
not to have arrived, and waits in the outbox. ``dropped``: it was taken out of there."""

Kind = Literal["", "undo", "redo", "gone"]
"""What an entry is to the one that it is ``of``: "gone" says that there is nothing to take back."""

Held = Literal["", "changed", "untold", "refused", "other", "lost"]
"""Why what is queued does not go by itself: the thing was changed since; reading does not tell
whether it was; the service said no; it was written by somebody else. "lost" is of what was dropped
while it was not known whether it had arrived."""


LAST_MOMENT = 253_402_000_000
"""The end of the calendar (year 9999) in epoch seconds, a few days before it in any zone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One write. ``at`` is when it began, ``ended`` when its end was noted, in epoch seconds.

    ``what`` names the action or operation, ``target`` the object, ``body`` is what was sent, for
    a retry; ``sentence`` what a person reads about the end. ``run`` tells starts of copydesk
    apart.

    ``reversal`` and ``trace`` are those of `copydesk.domain.reversal` as JSON. ``draft`` is the key
    of the draft that the text was sent from, ``group`` ties the writes of one action together.
    ``kind`` and ``of`` say of an undo or redo which entry it is about; ``progress`` how many of its
    steps are known to have been taken.

    ``request`` is the one request of a write that may wait in the outbox, as the client noted it;
    ``text`` is what the draft said, ``by`` the id of who wrote it, ``expects`` what must hold
    before it goes (an expectation as JSON), ``held`` why it does not go by itself.
    ``tried`` is when the newest try to send it later began, ``since`` when the oldest one began
    that may have arrived, by the clock of the service; of what is queued None says that there was
    none. ``made`` is the id of what it made.
    """

    id: str
    run: str
    at: float
    what: str
    target: str
    state: State
    desk: str = ""
    request_id: str = ""
    sentence: str = ""
    body: str = ""
    ended: float | None = None
    reversal: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None
    draft: str = ""
    group: str = ""
    kind: Kind = ""
    of: str = ""
    progress: int = 0
    request: dict[str, Any] | None = None
    text: str = ""
    by: str = ""
    expects: dict[str, Any] | None = None
    held: Held = ""
    tried: float | None = None
    since: float | None = None
    made: str = ""

    @property
    def moment(self) -> datetime:
        """When it began."""
        return datetime.fromtimestamp(self.at, UTC)

    @property
    def waits(self) -> bool:
        """Whether it is in the outbox: to be sent, or to be found out about."""
        return self.request is not None and self.state in ("queued", "unknown")


@dataclass(frozen=True, slots=True)
class Notes:
    """What is noted of a write besides its name; the fields are those of `Entry`."""

    reversal: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None
    draft: str = ""
    group: str = ""
    kind: Kind = ""
    of: str = ""
    progress: int = 0
    request: dict[str, Any] | None = None
    text: str = ""
    by: str = ""
    expects: dict[str, Any] | None = None
    since: float | None = None


NO_NOTES = Notes()


class WriteJournal(Protocol):
    """The journal of one desk, as those who write see it."""

    @property
    def run(self) -> str:
        """What tells this start of the program from others."""

    def now(self) -> float:
        """Return the time by the clock of the journal, in epoch seconds."""

    def begin(self, what: str, target: str, notes: Notes = NO_NOTES) -> Entry:
        """Note that a write is about to be sent, durably before this returns."""

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write stands, with other fields that change, and return it as it is now."""

    def owe(self, entry: Entry) -> None:
        """Take how a write stands that the disk refused: it is noted as soon as it can be."""

    def entries(self) -> list[Entry]:
        """Return all writes, oldest first, each in its last state."""

    def interrupted(self) -> list[Entry]:
        """Return the writes of ended runs of which it is not known how they ended."""

    def waiting(self) -> list[Entry]:
        """Return what is in the outbox, oldest first; not what another program is sending now."""

    def claim(self) -> bool:
        """Take the outbox for this process until `release`; False while another has it."""

    def release(self) -> None:
        """Give the outbox back."""


def fields_of(notes: Notes) -> dict[str, Any]:
    """Return the fields of an entry that notes give."""
    return {name: getattr(notes, name) for name in Notes.__dataclass_fields__}


def entry_of(value: Any) -> Entry | None:
    """Return the entry that a line of the journal describes; None for what is none."""
    match value:
        case {
            "id": str(),
            "run": str(),
            "at": float() | int(),
            "what": str(),
            "target": str(),
            "state": str(state),
        } if state in get_args(State):
            known = {name: value[name] for name in Entry.__dataclass_fields__ if name in value}
            if all(
                isinstance(known.get(name, default), kinds) for name, (kinds, default) in _KINDS
            ) and known.get("kind", "") in get_args(Kind):
                if known.get("held", "") not in get_args(Held):
                    known["held"] = "untold"  # a newer copydesk has more reasons: a person decides
                return Entry(**{**known, **_dated(known)})
    return None


def _dated(known: dict[str, Any]) -> dict[str, float]:
    """Return its times as a calendar has them: one of a damaged clock is the first moment."""
    times = {name: known[name] for name in ("at", "ended", "tried") if name in known}
    return {name: each if 0 <= each < LAST_MOMENT else 0.0 for name, each in times.items()}


_KINDS: tuple[tuple[str, tuple[Any, Any]], ...] = (
    *((name, (str, "")) for name in ("desk", "request_id", "sentence", "body")),
    *((name, (str, "")) for name in ("draft", "group", "kind", "of", "text", "by", "held", "made")),
    *((name, (dict, {})) for name in ("reversal", "trace", "request", "expects")),
    *((name, (int | float, 0)) for name in ("ended", "tried", "since")),
    ("progress", (int, 0)),
)
"""What the fields of an entry must be where they are there, and something that is."""
