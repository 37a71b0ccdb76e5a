"""The outbox: writes that certainly did not arrive, or may not have, and their delivery.

They are entries of the journal, each with its one request, so that they outlive the run. Before one
is sent, reads find out whether it has arrived, and whether its object is still as it was; a write
that must not be sent automatically is *held* until a person decides. One process at a time sends,
and it reads the journal again before it does: so each write arrives once, or a person is asked.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from copydesk.domain.moments import time_or_date
from copydesk.domain.request_context import ASKER, CAUSE, Asker, Why, leave_cache
from copydesk.domain.text import clean, listed, plural
from copydesk.session.declarations import DANGERS
from copydesk.session.errors import WAITS, NotDoneError, failure_types, sentence
from copydesk.session.identity import confirm

if TYPE_CHECKING:
    from copydesk.client.calls import Outgoing
    from copydesk.local.journal import Entry, State
    from copydesk.session.session import Session
    from copydesk.session.writes.log import LogEntry

Marks = Mapping[str, Sequence["Entry"]]
"""The waiting writes, oldest first, by the ids of their objects."""

NOTHING: Marks = MappingProxyType({})

MEANS = "Something about it waits in the outbox (g x); its details say what, and since when."
"""The meaning of the mark of a row."""

DROPPED = "Discarded: it was not sent."

REPLACED = "Another edit took its place."

GOES_ON = "An edit of it waits in the outbox: this goes on with it, and takes its place."
"""Shown where a field opens with the text of a waiting edit."""


def _not_saved(error: OSError) -> str:
    return f"Nothing is sent that cannot be noted on disk first: {error.strerror or error}."


class Outbox:
    """The outbox of one session. Nothing here runs before a call or `wake`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.items: dict[str, Entry] = {}
        """The waiting writes, oldest first, by id."""
        self._marks: Marks | None = NOTHING
        self.undecided: set[str] = set()
        """The writes whose outcome no read tells: a person decides."""
        self.told_of_others: set[str] = set()
        """The writes that were reported as somebody else's."""
        self.edited: set[str] = set()
        """The writes that are being edited."""
        self.not_before: datetime | None = None
        """The time of the next request that the service asked for."""
        self._met: dict[str, float] = {}
        """When entries from the future were first seen here."""
        self.arrived: set[str] = set()
        """The writes whose arrival the disk refused to note: never to be sent again."""
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[str] | None = None

    @property
    def count(self) -> int:
        """The number of writes that wait or may have arrived."""
        return len(self.items)

    @property
    def marks(self) -> Marks:
        """Waiting writes by the id of their object; a new mapping whenever that changes."""
        if self._marks is None:
            self._marks = marks_of(self.items.values())
        return self._marks

    @property
    def asks(self) -> int:
        """The number of writes that wait for a person."""
        return sum(bool(each.held) or each.id in self.undecided for each in self.items.values())

    @property
    def busy(self) -> bool:
        """Whether it is being delivered."""
        return self._lock.locked()

    # What is in it

    def take(self, entry: Entry) -> None:
        """Take over the state of a write."""
        self._marks = None
        if entry.waits and entry.id not in self.arrived:
            new = entry.id not in self.items
            self.items[entry.id] = self._seen(entry)
            if new:  # a write that comes back takes its old place
                self.items = dict(sorted(self.items.items(), key=lambda each: each[1].at))
        else:
            self.items.pop(entry.id, None)

    async def look(self) -> list[Entry]:
        """Read the waiting writes, also those of other runs. Raises ``OSError``."""
        found = await asyncio.to_thread(self._read)
        self.items = {each.id: self._seen(each) for each in found if each.id not in self.arrived}
        self._marks = None
        self.session.touched()
        return list(self.items.values())

    def _read(self) -> list[Entry]:
        self.session.drafts.follow()  # a write may be edited in another window
        return self.session.journal.waiting()

    def _seen(self, entry: Entry) -> Entry:
        """Return a write for the current person: somebody else's is held, an edited one says so.

        That is never noted: it is sent as soon as its author is back, or the edit is done with.
        """
        if self.is_others(entry):
            return replace(entry, held="other", sentence=OTHERS_WRITE)
        if entry.held == "other":
            entry = replace(entry, held="", sentence=f"{WAITS}.")
        return as_edited(entry, self.session.drafts.begun)

    def is_others(self, entry: Entry) -> bool:
        """Whether somebody else wrote it."""
        me = self.session.me
        return bool(entry.by) and me is not None and me.id != entry.by

    async def tidy(self) -> None:
        """Read the waiting writes and drop their drafts, which an ended run may have left.

        Raises ``OSError``.
        """
        for entry in await self.look():
            if entry.state == "queued":
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)

    def move_draft(self, draft: str, text: str | None) -> None:
        """Drop the draft whose text is in the outbox; another text of that field stays."""
        session = self.session
        if draft and text:
            session.drafts.drop_text(draft, text)
        session.unsent.pop(draft, None)

    def keeps(self, line: LogEntry) -> bool:
        """Whether only the outbox sends a line: it waits, or another copydesk may be sending it."""
        entry = line.entry
        if entry is None or entry.request is None:
            return False
        return entry.id in self.items or line.state in ("queued", "unknown")

    def ask_about(self, line: LogEntry) -> None:
        """Hold a write without an answer, because another text was sent from its draft."""
        if line.entry is not None and line.entry.id in self.items:
            line.message = OTHER_TEXT
            line.entry = self.settle(line.entry, "unknown", sentence=OTHER_TEXT, held="changed")

    def replaced(self, line: LogEntry) -> None:
        """Take a write out whose text has arrived by another."""
        if line.entry is not None and line.entry.id in self.items:
            line.entry = self.settle(line.entry, "dropped", sentence=line.message)

    def may_come(self, entry: Entry) -> bool:
        """Whether a request under way may still create the missing object."""
        since = next(each for each in (entry.ended, entry.tried, entry.at) if each is not None)
        gone_by = self.session.journal.now() - since
        if gone_by < 0:  # the clock was set back
            here = self._met.setdefault(entry.id, monotonic())
            gone_by = monotonic() - here
        return creates(entry.request) and gone_by < QUIET_SECONDS

    # How it ended

    async def queue(self, entry: Entry, said: str, held: str = "") -> Entry:
        """Note that a write waits: it certainly did not arrive."""
        queued = await asyncio.to_thread(self.settle, entry, "queued", sentence=said, held=held)
        self.undecided.discard(entry.id)
        await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
        self.show(queued, "queued", said)
        return queued

    def settle(self, entry: Entry, state: State, **changes: Any) -> Entry:
        """Note how a write ended; where the disk refuses, this run knows it at least."""
        try:
            settled = self.session.journal.settle(entry, state, **changes)
        except OSError as error:
            said = f"{error.strerror or error}"
            self.session.note(
                f"{entry.what} {entry.target}: its outcome could not be saved: {said}."
            )
            settled = replace(entry, state=state, ended=self.session.journal.now(), **changes)
            self.session.journal.owe(settled)
        self.take(settled)
        return settled

    def show(self, entry: Entry, state: str, said: str) -> None:
        """Show the state of a write in the log, if it has a line there."""
        line = self.session.writes.line_of(entry.id)
        if line is not None:
            line.entry, line.state, line.message, line.what = entry, state, said, entry.what
            line.request_id = entry.request_id
        self.session.touched()

    # By hand

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Hold the outbox exclusively, freshly read from the disk.

        Raises `NotDoneError` while another copydesk is sending, and ``OSError``.
        """
        async with self._lock:
            journal = self.session.journal
            if not await self._claim():
                raise NotDoneError(OTHERS)
            try:
                await self.look()
                yield
            finally:
                journal.release()

    async def _claim(self) -> bool:
        """Claim the outbox; a cancelled caller releases it."""
        journal = self.session.journal
        claiming = asyncio.ensure_future(asyncio.to_thread(journal.claim))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            claiming.add_done_callback(lambda _: journal.release())
            raise

    def is_edited(self, entry: Entry) -> bool:
        """Whether a write is being edited, or the text of an edit of it is a draft."""
        return entry.id in self.edited or _has_draft(entry, self.session.drafts.begun)

    @contextmanager
    def editing(self, id: str) -> Iterator[None]:
        """Keep a write from being sent while its text is edited."""
        self.edited.add(id)
        try:
            yield
        finally:
            self.edited.discard(id)

    @contextmanager
    def resumed(self, draft: str) -> Iterator[Entry | None]:
        """Give the newest waiting edit from a draft, which the next one begins with and replaces.

        It is not sent meanwhile. None where there is none, or a person has to decide on it first.
        """
        mine = (
            entry
            for entry in reversed(self.items.values())
            if entry.draft == draft and entry.text and entry.state == "queued" and not entry.held
        )
        entry = next(mine, None)
        with nullcontext() if entry is None else self.editing(entry.id):
            yield entry

    async def drop_replaced(self, entry: Entry | None) -> None:
        """Take out an edit whose text another one has.

        Raises `NotDoneError` where that fails, and ``OSError``: it is sent all the same then.
        """
        if entry is None:
            return
        try:
            await self.drop(entry.id, replaced=True)
        except NotDoneError:
            if entry.id in self.items:
                raise

    async def drop(self, id: str, *, replaced: bool = False) -> None:
        """Drop a write; its text is a draft again, beside what was typed there since.

        Where it is ``replaced``, what is typed there went on from its text. Raises `NotDoneError`
        when it waits no more, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(id)
            if entry is None:
                raise NotDoneError(GONE)
            drafts = self.session.drafts
            if (entry.draft and entry.text
                    and not (replaced and drafts.own_text(entry.draft) is not None)):  # fmt: skip
                await asyncio.to_thread(drafts.restore, entry.draft, entry.text)
            dropped = await asyncio.to_thread(
                self.session.journal.settle,
                entry,
                "dropped",
                sentence=REPLACED if replaced else DROPPED,
                held="lost"
                if entry.state == "unknown"
                else ""
                if entry.held == "other"
                else entry.held,
            )
            self.take(dropped)
        self.show(dropped, "dropped", dropped.sentence)

    async def queue_again(self, id: str) -> None:
        """Put a dropped write back. Raises `NotDoneError`, and ``OSError``."""
        async with self._alone():
            entries = await asyncio.to_thread(self.session.journal.entries)
            entry = next((each for each in entries if each.id == id), None)
            if entry is None or entry.state != "dropped" or entry.request is None:
                raise NotDoneError("The write is no longer among the discarded ones.")
            if entry.held == "lost":  # it may have arrived, which is still to be found out
                await asyncio.to_thread(self.move_draft, entry.draft, entry.text)
                back = self.settle(entry, "unknown", sentence="", held="")
                self.show(back, "unknown", "")
            else:
                await self.queue(entry, f"{WAITS}.", entry.held)
        if not self.session.offline:
            self.wake()

    async def change(self, was: Entry, **changes: Any) -> None:
        """Edit a waiting write that is still as it ``was``.

        Raises `NotDoneError`, and ``OSError``.
        """
        async with self._alone():
            entry = self.items.get(was.id)
            if entry is None or entry.state != "queued":
                raise NotDoneError(GONE)
            if entry.request != was.request:
                raise NotDoneError("Edited elsewhere meanwhile. What you wrote is a draft.")
            said = f"{WAITS}: it was edited."
            changed = await asyncio.to_thread(
                self.session.journal.settle,
                entry,
                "queued",
                **{"held": "", "sentence": said, **changes},
            )
            self.take(changed)
        self.show(changed, "queued", said)

    # Sending

    def wake(self) -> None:
        """Send what needs no person, now that the service answers; quick when nothing waits."""
        session = self.session
        if not self.items or self.busy or session.read_only or not session.confirmed:
            return
        if self.not_before is not None and session.clock() < self.not_before:
            return
        if not any(map(self._goes, self.items.values())):
            return
        if self._task is None or self._task.done():
            self._task = self._start("", anyway=False, sure=False, tell=True)

    def _goes(self, entry: Entry) -> bool:
        """Whether a write may be tried without asking a person."""
        if self.is_others(entry) or self.is_edited(entry):
            return False
        if entry.state == "queued":
            return entry.held in ("", "other")
        return entry.id not in self.undecided and not self.may_come(entry)

    async def send(
        self, only: str = "", *, anyway: bool = False, sure: bool = False, tell: bool = True
    ) -> str:
        """Send the waiting writes in order; return the result as a sentence.

        ``only`` names one; ``anyway`` sends it even if its object changed since; ``sure`` even if
        it may have arrived and no read tells. Cancelling the caller stops nothing. ``tell`` also
        reports the result.
        """
        return await asyncio.shield(self._start(only, anyway=anyway, sure=sure, tell=tell))

    def _start(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> asyncio.Task[str]:
        going = self._go(only, anyway=anyway, sure=sure, tell=tell)
        task = asyncio.create_task(going)
        # Quitting waits for it, as for other writes.
        self.session.writes.hold_open(task)
        return task

    async def _go(self, only: str, *, anyway: bool, sure: bool, tell: bool) -> str:
        session = self.session
        if session.read_only:
            return READ_ONLY
        # Mostly nothing waits, and these modules are not needed.
        from copydesk.session.writes.delivery import AwayError, DeliveryTally, OutboxDelivery

        leave_cache()
        # The cause is the action that wrote it long ago, not the one that woke the outbox.
        CAUSE.set(())
        ASKER.set(Asker("outbox", Why.OUTBOX))
        tally = DeliveryTally()
        async with self._lock:
            session.touched()
            try:
                api = await session.ready()
                if not session.confirmed:
                    # Waiting writes have an author: the owner of the token must be known.
                    await confirm(session, api)
                if not session.confirmed:
                    return UNCONFIRMED
                if not await self._claim():
                    return OTHERS
                try:
                    waiting = await self.look()
                    sending = OutboxDelivery(self, api, tally)
                    if only and only not in self.items:
                        tally.stopped = GONE
                        await self._learn(only)
                    for entry in waiting:
                        if not only or entry.id == only:
                            hand = bool(only)
                            await sending.one(entry, hand, anyway=anyway, sure=sure)
                finally:
                    session.journal.release()
            except AwayError as error:
                self.not_before = getattr(error.error, "retry_at", None)
                session.learn(error.error)
                tally.stopped = sentence(error.error, "s")
            except failure_types() as error:
                session.learn(error)
                tally.stopped = (
                    _not_saved(error) if isinstance(error, OSError) else sentence(error, "s")
                )
        session.touched()
        said = tally.sentence()
        if said and tell:
            session.report(said, "warn" if tally.held else "good")
        return said or tally.stopped

    async def _learn(self, id: str) -> None:
        """Show the state of a write that waits no more, as another copydesk noted it."""
        entries = await asyncio.to_thread(self.session.journal.entries)
        entry = next((each for each in entries if each.id == id), None)
        if entry is not None:
            self.show(entry, entry.state, entry.sentence)


# Marks of waiting writes on the rows of their objects, and the words beside them


def marks_of(entries: Iterable[Entry]) -> Marks:
    """Return the waiting writes by the ids in the paths of their requests.

    The organization and the space of an object are left out: their rows stand for themselves.
    """
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        ids = ids_of(entry)
        home = ids.get("organization", "")
        for whole in ("organization", "space"):
            if len(ids) > 1:
                ids.pop(whole, None)
        for name, each in ids.items():
            key = by_slug(home, each) if name.endswith("_slug") else each
            found.setdefault(key, []).append(entry)
    return found or NOTHING


def by_slug(organization: str, slug: str) -> str:
    """Return the key of an object that addresses name by its slug, which may not be unique."""
    return f"{organization}/{slug}"


def waiting_about(app: Any, *ids: str | None) -> str:
    """Return the sentence for the waiting writes on some objects, "" for none.

    ``app`` may be another program, as in tests of a widget: it has no outbox.
    """
    session = getattr(app, "session", None)
    if session is None or not session.outbox.marks:
        return ""
    marks: Marks = session.outbox.marks
    entries = {entry.id: entry for each in ids if each for entry in marks.get(each, ())}
    if not entries:
        return ""
    names = dict.fromkeys(clean(entry.what).lower() for entry in entries.values())
    first = datetime.fromtimestamp(min(entry.at for entry in entries.values()), UTC)
    return (
        f"waits in the outbox: {listed(list(names))}, since {time_or_date(first, session.clock())}"
    )


def waiting_threads(
    outbox: Outbox, space: str, request: str = ""
) -> list[tuple[str | None, str | None]]:
    """Return the page and the node of each waiting comment that begins a thread.

    They are on a space, or on a change ``request`` of it; None stands for the whole. No object has
    their mark: there is none before they are sent.
    """
    return [
        (body.get("page"), body.get("node"))
        for entry in outbox.marks.get(request or space, ())
        if entry.request and entry.request.get("name") in BEGINS_THREAD
        if isinstance(body := body_of(entry), dict)
    ]


def threads_wait(count: int) -> str:
    """Return the sentence for so many waiting comments, "" for none."""
    one = count == 1
    said = f"{'waits' if one else 'wait'} to be sent: g x shows {'it' if one else 'them'}."
    return f"{plural(count, 'comment')} {said}" if count else ""


def body_of(entry: Entry) -> Any:
    """Return the JSON that a write sends; None where it sends none."""
    text = (entry.request or {}).get("body")
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def ids_of(entry: Entry) -> dict[str, str]:
    """Return the ids in the address of a request, by the names of their parameters."""
    from urllib.parse import unquote

    from copydesk.contract.operations import CATALOGUE

    request = entry.request or {}
    operation = CATALOGUE.get(str(request.get("name")))
    if operation is None:
        return {}
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/?]+)", operation.path)
    found = re.search(rf"{pattern}(?:\?|$)", str(request.get("target")))
    if found is None:
        return {}
    return {name.removesuffix("_id"): unquote(each) for name, each in found.groupdict().items()}


def _has_draft(entry: Entry, begun: Callable[[str], bool]) -> bool:
    from copydesk.session.draft_keys import outbox_key  # not before the first paint

    # What may have arrived is found out first: it was sent in spite of the draft.
    return entry.state == "queued" and begun(outbox_key(entry.id))


def as_edited(entry: Entry, begun: Callable[[str], bool]) -> Entry:
    """Return a write, which says so where the text of an edit of it is a draft.

    ``begun`` is whether there is a draft for the field of a key.
    """
    edited = not entry.held and _has_draft(entry, begun)
    return replace(entry, sentence=BEGUN) if edited else entry


BEGINS_THREAD = ("create_change_request_comment", "create_space_comment")
"""The operations that begin a thread."""

MOMENTARY = frozenset(
    {"merge", "pull", "publish", "unpublish", "delete", "remove", "ping", "run", "join", "transfer",
     "install", "apply", "ingest", "duplicate", "set"}
)  # fmt: skip
"""The first words of names of operations that make sense only at once."""

QUIET_SECONDS = 60.0
"""How long a creating request may still be under way after its answer was lost: until then an
object that is not found may still appear."""

NOT_ARRIVED = f"{WAITS}: no answer had come, and it had not arrived."
GONE = "The write no longer waits: it was sent or discarded meanwhile."
OTHERS = "Another copydesk is sending what waits."
UNCONFIRMED = "Nothing is sent: the service has not said yet who you are."
READ_ONLY = "Read-only: nothing is sent."
OTHERS_WRITE = (
    "Waiting: it was written by someone else, with another token. It is sent with theirs."
)
BEGUN = "Waiting: an edit of it is a draft. e goes on with that, s sends it as it was."
OTHER_TEXT = (
    "Waiting: no answer came, and another text was sent from there since. s asks, and sends it."
)
UNREADABLE = "Waiting: what was noted of it cannot be read. D takes it out."
THERE_ALREADY = "Already like that: nothing was sent."
NOT_YET = (
    f"{WAITS}: no answer came. It is not there yet; it is looked for again before it is sent again."
)
NOT_THERE = f"{WAITS}: no answer came, and it was not there when it was read again."
UNTOLD = "Waiting: nothing can be read that tells whether it is still wanted. s sends it."
UNKNOWN = (
    "No answer came, and reading does not tell whether it arrived. s asks, and sends it again."
)


LASTING = frozenset({"remove_requested_reviewer"})
"""The exceptions."""


def is_momentary(operation: str) -> bool:
    """Whether an operation makes sense only at once, by its name."""
    return operation.partition("_")[0] in MOMENTARY and operation not in LASTING


def may_wait(line: LogEntry, outgoing: Outgoing) -> bool:
    """Whether a write may be sent later unchanged: none that makes sense only at once, and no
    secret.
    """
    off = line.now or line.several or line.kind or outgoing.secret
    return not (off or is_momentary(outgoing.name))


def creates(request: Mapping[str, Any] | None) -> bool:
    """Whether a request creates an object each time that it arrives, even late."""
    return request is not None and bool(request.get("creates") or request.get("method") == "POST")


def danger() -> int:
    """Return the highest danger (0 to 3) of the actions that led to the current write."""
    return max((DANGERS.get(name, 0) for name in CAUSE.get()), default=0)
