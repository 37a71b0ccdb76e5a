"""Recovery of unsettled writes of earlier runs: by reading, never by sending again unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import whole_answers
from copydesk.domain.reversal import Trace, reversal_of, trace_of, value_at
from copydesk.domain.text import clean, few, plural
from copydesk.session.drafts import refusal
from copydesk.session.errors import NotDoneError, failure_types
from copydesk.session.writes.undo import LONGEST_LIST, operation_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.journal import Entry, State
    from copydesk.session.session import Session
    from copydesk.session.writes.undo import PastWrite

SKEW_SECONDS = 300.0
"""By how much the clock of a service may differ from this machine's."""

AT_ONCE = 100
"""Journal entries taken over between two keys."""

NAMED = 2
"""The number of unknown writes that are named."""

ARRIVED = "No answer had come. It had arrived: that was found by reading again."
NOT_ARRIVED = "No answer had come. It had not arrived: that was found by reading again."
HALFWAY = "Cut off halfway. The next undo goes on with it."
ELSEWHERE = "Another copydesk is sending this now."
CUT_OFF = "copydesk ended before the answer came: it may have arrived."


@dataclass
class RecoveredWrites:
    """Unsettled writes found at a start, and their outcomes."""

    drafts: int = 0
    moves: int = 0
    arrived: int = 0
    lost: int = 0
    unknown: list[str] = field(default_factory=list)
    waiting: int = 0
    """The number of writes in the outbox."""
    sent: str = ""
    """The result of their delivery."""
    rest: int = 0
    """The number of writes left of an interrupted undo."""

    def sentence(self) -> str:
        """Return the sentence for it; "" when there is nothing to say."""
        kept = [
            plural(count, name)
            for count, name in ((self.drafts, "draft"), (self.moves, "staged change"))
            if count
        ]
        said = [f"Restored {', '.join(kept)}."] if kept else []
        for count, words in (
            (self.arrived, "had arrived."),
            (self.lost, "had not arrived. Nothing is sent again unasked."),
        ):
            if count:
                said.append(f"{plural(count, 'cut-off write')} {words}")
        if self.sent:
            said.append(self.sent)
        if self.waiting and not self.sent:
            waits = "waits" if self.waiting == 1 else "wait"
            said.append(f"{plural(self.waiting, 'write')} {waits} in the outbox (g x).")
        if self.rest:
            them = "it" if self.rest == 1 else "them"
            said.append(f"{plural(self.rest, 'write')} of a cut-off undo left: u undoes {them}.")
        if self.unknown:
            named = few(self.unknown, NAMED)
            said.append(f"Cut off, and it may have arrived: {named}. @ and :undo tell more.")
        return " ".join(said)


async def recover(session: Session, apart: Collection[str] = ()) -> str:
    """Take over the journal of earlier runs, settle open writes, and return a report.

    Writes of the groups ``apart`` are settled elsewhere. Drafts are reported only after a crash:
    otherwise the header counts them. While the service cannot be reached, the next start settles.
    """
    journal = session.journal
    said, crashed = "", False
    try:
        crashed = await asyncio.to_thread(session.begins)
    except OSError as error:
        said = _refused(session, error)
    try:
        entries = await asyncio.to_thread(journal.entries)
        open_still = await asyncio.to_thread(journal.interrupted)
    except OSError as error:
        return _refused(session, error)
    for at in range(0, len(entries), AT_ONCE):
        session.history.learn(entries[at : at + AT_ONCE])
        await asyncio.sleep(0)  # a long journal must not delay a key
    await asyncio.to_thread(_learn_unsent, session, entries)
    if said:
        # The state is read; nothing can be noted, so nothing is settled or sent.
        with suppress(OSError):
            await session.outbox.look()
        return said
    found = RecoveredWrites()
    # Writes with a request wait in the outbox, and are settled there.
    open_still = [
        each
        for each in open_still
        if each.request is None and _group_of(session, each) not in apart
    ]
    if open_still:
        try:
            api = await session.ready()
            for entry in open_still:
                await _settle(session, api, entry, found)
        except failure_types():
            pass  # the screen reports it; nothing was settled without knowledge
    await _go_on_waiting(session, found)
    if crashed:
        found.rest = _find_rest(session, entries, apart)
        # The keys of drafts need the screens, which a command does not load.
        from copydesk.session.draft_keys import staged_moves

        kept = await asyncio.to_thread(session.drafts.texts)
        orders = staged_moves(kept)
        found.moves = sum(orders.values())
        found.drafts = len(kept) - len(orders)
    return found.sentence()


def _refused(session: Session, error: OSError) -> str:
    """Note that the disk refuses writes, and return the sentence for it."""
    why = f"{error.strerror or error}"

    def again() -> None:
        session.begins()
        session.journal.entries()

    session.drafts.refuse(why, again)
    return refusal(why)


async def _go_on_waiting(session: Session, found: RecoveredWrites) -> None:
    """Check the outbox, and send what may be sent."""
    try:
        await session.outbox.tidy()
    except OSError:
        return  # the journal was readable just now: the next start looks again
    if session.outbox.count:
        before = dict(session.outbox.items)
        said = await session.outbox.send(tell=False)
        # Without a result, the number of writes says more than the reason.
        found.sent = said if session.outbox.items != before else ""
        found.waiting = session.outbox.count


def _group_of(session: Session, entry: Entry) -> str:
    """Return the group of a write, or of the one that it undoes; "" for none."""
    past = session.history.known.get(entry.of)
    return entry.group or ("" if past is None else past.entry.group)


def _find_rest(session: Session, entries: Sequence[Entry], apart: Collection[str]) -> int:
    """Find the rest of an interrupted undo; return its number of writes.

    What a copydesk undoes that still runs is its own to go on with.
    """
    last = entries[-1] if entries else None
    if last is None or last.kind != "undo" or session.journal.store.lives(last.run):
        return 0
    past = session.history.known.get(last.of)
    if past is None or (past.entry.group and past.entry.group in apart):
        return 0
    session.reversals.half_undone = past
    return len(session.reversals.left_over())


def _learn_unsent(session: Session, entries: Iterable[Entry]) -> None:
    """Note why the last try to send each draft failed, unless it was edited since."""
    saved = {key: at for key, _, at in session.drafts.dated()}
    last = {entry.draft: entry for entry in entries if entry.draft in saved}
    for key, entry in last.items():
        failed = entry.state in ("failed", "unknown") and entry.sentence
        if failed and saved[key] <= (entry.ended or entry.at):
            session.unsent[key] = entry.sentence


async def _settle(session: Session, api: Api, entry: Entry, found: RecoveredWrites) -> None:
    """Find out by reading whether a write happened. Raises ``ApiError``."""
    entry, happened = await _judged(session, api, entry)
    state: State = "unknown"
    said = CUT_OFF
    if _is_halfway(session, entry, happened):
        state, said = "failed", HALFWAY
    elif happened is None:
        found.unknown.append(clean(f"{entry.what} {entry.target}", limit=60))
    elif happened:
        found.arrived += 1
        state, said = "done", ARRIVED
    else:
        found.lost += 1
        state, said = "failed", NOT_ARRIVED
    if await asyncio.to_thread(_has_its_draft, session, entry):
        if state == "done":
            await asyncio.to_thread(session.drafts.drop, entry.draft)
        else:
            session.unsent[entry.draft] = said
    settled = await asyncio.to_thread(session.journal.settle, entry, state, sentence=said)
    session.history.take(settled)
    if state != "done":
        session.note(f"{entry.what} {entry.target}: {said}")


def _has_its_draft(session: Session, entry: Entry) -> bool:
    """Whether the draft of a write holds the text that was sent, or that text was not noted."""
    if not entry.draft:
        return False
    return not entry.text or entry.text == session.drafts.own_text(entry.draft)


def expect_not_elsewhere(session: Session, entry: Entry) -> None:
    """Raise `NotDoneError` while another copydesk sends a write.

    What is on its way may arrive after a read: only who sends it can tell how it ended.
    """
    if entry.is_sent_elsewhere(session.journal.run):
        raise NotDoneError(f"{ELSEWHERE} :undo tells how that ended.")


async def settle_one(session: Session, past: PastWrite) -> str:
    """Find out the outcome of an interrupted write; return the sentence, "" if no read tells.

    Raises ``ApiError``, and `NotDoneError` while another copydesk sends it.
    """
    expect_not_elsewhere(session, past.cut or past.entry)
    api = await session.ready()
    entry, happened = await _judged(session, api, past.cut or past.entry)
    halfway = _is_halfway(session, entry, happened)
    if happened is None and not halfway:
        return ""
    state: State = "done" if happened else "failed"
    said = HALFWAY if halfway else ARRIVED if happened else NOT_ARRIVED
    settled = await asyncio.to_thread(session.journal.settle, entry, state, sentence=said)
    session.history.take(settled)
    session.outbox.take(settled)
    for line in session.log:
        if line.entry is not None and line.entry.id == settled.id:
            line.state, line.message, line.entry = state, said, settled
        elif line.entry is not None and line.entry.id == past.id:
            line.state = past.standing
    return said


async def _judged(session: Session, api: Api, entry: Entry) -> tuple[Entry, bool | None]:
    """Return a write, and whether it happened; None if no read tells. Raises ``ApiError``.

    An undo that was to make something again, and was cut off before that was noted, has made what
    is like it and was not there before.
    """
    past = session.history.known.get(entry.of)
    if past is not None and entry.kind == "undo" and not entry.made and entry.known is not None:
        found = set(await session.way.alike(api, past.reversal)).difference(entry.known)
        if len(found) > 1:
            return entry, None
        if found:
            settle = session.journal.settle
            entry = await asyncio.to_thread(settle, entry, "sending", progress=1, made=found.pop())
            session.history.take(entry)
    return entry, await _happened(session, api, entry)


def _is_halfway(session: Session, entry: Entry, happened: bool | None) -> bool:
    """Whether an undo made something again, or only looked for that, and is to go on."""
    past = session.history.known.get(entry.of)
    if past is None or entry.kind != "undo" or happened is not None:
        return False
    return past.half is not None or past.reversal.came_along


async def happened(session: Session, api: Api, entry: Entry) -> tuple[bool | None, Any]:
    """Whether a write happened, and its result where it was found; None if no read tells.

    Raises ``ApiError``.
    """
    try:
        with whole_answers():
            return await _found_out(session, api, entry)
    except (ValueError, TypeError):
        return None, None  # damaged, or noted by a newer copydesk


async def _found_out(session: Session, api: Api, entry: Entry) -> tuple[bool | None, Any]:
    if entry.trace is not None:
        if entry.state == "queued" and entry.since is None:
            return False, None  # it was never sent: a similar object is another write's
        trace = trace_of(entry.trace)
        text: str | None = trace.says or entry.text
        text = text or await asyncio.to_thread(session.drafts.own_text, entry.draft)
        if not text:
            return None, None
        known = session.history.made
        try:
            began = entry.at + api.skew.total_seconds() if entry.since is None else entry.since
            found = await find_trace(api, trace, text, began, known=known)
        except NotDoneError:
            return None, None
        return found is not None, found
    past = session.history.known.get(entry.of or entry.id)
    if past is not None:
        reversal = past.reversal
    elif entry.reversal is not None and not entry.kind:
        reversal = reversal_of(entry.reversal)
    else:
        from copydesk.session.page_edits import edit_arrived

        return await edit_arrived(session, api, entry), None
    stands = await session.way.became(api, reversal)
    if stands is None:
        return None, None
    return (not stands if entry.kind == "undo" else stands), None


async def _happened(session: Session, api: Api, entry: Entry) -> bool | None:
    """Whether a write happened; None if no read tells. Raises ``ApiError``."""
    return (await happened(session, api, entry))[0]


async def find_trace(
    api: Api, trace: Trace, text: str, began: float, *, known: Collection[str] = ()
) -> Any:
    """Return the object that a write created, or None when it is not there.

    Raises ``ApiError``, also where one of the objects is not understood, for it may be that one;
    and `NotDoneError` where there are too many, or one is there without the text that was sent with
    it.

    ``text`` is the sent text, ``began`` the time of sending in epoch seconds by the service's
    clock. Objects ``known`` (by id) from other writes are passed over: the same text may be sent
    twice.
    """
    with whole_answers():
        return await _find(api, trace, text, began, known)


async def _find(api: Api, trace: Trace, text: str, began: float, known: Collection[str]) -> Any:
    count, wordless = 0, None
    oldest = began - SKEW_SECONDS
    async for item in api.pages(operation_of(trace.read), **trace.read.arguments):
        found = item.to_dict()
        ours = found.get("id") not in known and trace.is_ours(found, text)
        late = not trace.since or _moment(value_at(found, trace.since)) > oldest
        if ours and late and trace.has_words(found):
            return item
        if ours and late and not trace.other_words(found):
            wordless = item
        count += 1
        if count == LONGEST_LIST:
            raise NotDoneError("There are too many to find it among them.")
    if wordless is not None and trace.beside is not None:
        words = trace.beside
        if await find_trace(api, words, words.says, began, known=known) is None:
            raise NotDoneError("One like it is there, and its words are not: it may be another.")
    return wordless


def _moment(value: Any) -> float:
    """Return a time of the service in epoch seconds; 0 for none."""
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError):
        return 0.0
