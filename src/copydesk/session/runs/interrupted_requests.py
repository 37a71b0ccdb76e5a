"""The outcomes of requests of a run that were under way when it stopped, found out by reading."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import NotFound
from copydesk.domain.arrange_run import ArrangeRun, RunCall
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import JSON, Call, Expectation, bind, id_of, reversal_of
from copydesk.session.errors import NotDoneError
from copydesk.session.writes.recovery import ARRIVED, expect_not_elsewhere, settle_one
from copydesk.session.writes.undo import LONGEST_ORDER, StepError, operation_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.journal import Entry, State
    from copydesk.session.session import Session

CUT_OFF = (
    "No answer came, and reading does not tell whether it arrived: it is neither as it was nor as "
    "it should be. Look; r sends it again."
)


@dataclass(frozen=True, slots=True)
class MadeIds:
    """The created object of a request: real ids by the provisional ones."""

    ids: Mapping[str, str] = field(default_factory=dict)


AS_PLANNED = "This copydesk cannot send it as it was planned"


async def step_taken(session: Session, api: Api, call: Call) -> Any:
    """Send a request and return its answer. A removal of a missing object succeeds.

    Raises ``ApiError``, and `NotDoneError` for a request that cannot be sent now.
    """
    from pydantic import ValidationError

    try:
        return await session.way.take(api, call.step)
    except NotFound:
        if is_removal(call):
            return None
        raise
    except StepError as error:
        raise NotDoneError(f"{AS_PLANNED}: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Where it may be of several kinds, pydantic puts the kind into the place.
        where = ".".join(part for part in map(str, first["loc"]) if not part.endswith("]"))
        raise NotDoneError(f"{AS_PLANNED}: {where}: {first['msg']}.") from error


def made_by(call: Call, result: Any) -> Mapping[str, str]:
    """Return the real values in the answer to a request, by the provisional ones."""
    if isinstance(result, MadeIds):
        return result.ids
    to_dict = getattr(result, "to_dict", None)
    return call.made(to_dict()) if to_dict is not None and (call.makes or call.also) else {}


def is_removal(call: Call) -> bool:
    """Whether a request removes something: sending it twice has the same effect."""
    return not call.step.local and bool(operation_of(call.step).method == "DELETE")


async def ids_before(session: Session, api: Api, call: Call) -> tuple[str, ...] | None:
    """Return the ids that exist before a request creates one; None where no list has them.

    Raises ``ApiError``.
    """
    expected = _made_in(call)
    if expected is None:
        return None
    items = await _items(session, api, expected)
    return None if items is None else tuple(str(item.get("id", "")) for item in items)


async def stands(
    session: Session, api: Api, call: Call, known: Sequence[str] | None
) -> tuple[bool | None, MadeIds]:
    """Read whether a request happened (None: no read tells), and what it created.

    ``known`` are the ids from before it. Raises ``ApiError``.
    """
    if call.makes:
        expected = _made_in(call)
        items = None if expected is None else await _items(session, api, expected)
        if items is None or known is None:
            return None, MadeIds()
        fits = [(each, _fits(call, each)) for each in items if each.get("id") not in known]
        fresh = [each for each, fit in fits if fit is not False]
        if len(fresh) > 1 or any(fit is None for _, fit in fits):
            return None, MadeIds()  # somebody else may have created it
        return bool(fresh), MadeIds(call.made(fresh[0])) if fresh else MadeIds()
    if call.reversal is None:
        return await session.way.holds(api, call.arrived), MadeIds()
    return await session.way.became(api, call.reversal), MadeIds()


def _made_in(call: Call) -> Expectation | None:
    """Return the list operation for the kind of object that a request creates."""
    if not call.makes:
        return None
    still = call.arrived if call.reversal is None else call.reversal.still
    named = still is None or call.makes in str(still.read.arguments)
    return None if named else still


async def _items(
    session: Session, api: Api, expected: Expectation
) -> list[Mapping[str, JSON]] | None:
    answer = await session.way.answer(api, expected.read)
    items = answer.get("items") if isinstance(answer, Mapping) else None
    if not isinstance(items, list) or len(items) >= LONGEST_ORDER:
        return None
    return [item for item in items if isinstance(item, Mapping)]


def _fits(call: Call, item: Mapping[str, JSON]) -> bool | None:
    """Whether an object is the one that a request was to create; None where no field can be
    compared.
    """
    body = call.step.body if isinstance(call.step.body, Mapping) else {}
    proven: bool | None = None
    for name, wanted in body.items():
        if not isinstance(wanted, str) or not (found := _found(item, name)):
            continue
        if wanted.strip() not in found:
            return False
        proven = True
    return proven


def _found(item: Mapping[str, JSON], name: str) -> list[str]:
    """Return an object's values for the field ``name`` of a request; none without the field."""
    if name == "spaceId" and isinstance(shown := item.get("siteSpaces"), list):
        inner: list[JSON] = [each.get("space") for each in shown if isinstance(each, Mapping)]
    else:
        inner = [item.get(name.removesuffix("Id"))] if name.endswith("Id") else []
    ids = [each.get("id") for each in inner if isinstance(each, Mapping)] or [item.get(name)]
    return [each.strip() for each in ids if isinstance(each, str)]


async def is_gone(session: Session, api: Api, run: ArrangeRun) -> bool:
    """Whether the object of a run was deleted. Raises ``ApiError``."""
    for each in run.calls:
        back = each.call.reversal
        expected = each.call.arrived if back is None else back.still or back.before
        if expected is None or not expected.read.operation.startswith("list_"):
            continue
        # A list of the target itself, not of an object in it that may be gone.
        ids = {value for value in expected.read.arguments.values() if isinstance(value, str)}
        if run.target in ids and ids <= {run.target, run.organization}:
            return await session.way.answer(api, expected.read) is None
    return False


async def settle(session: Session, api: Api, run: ArrangeRun) -> ArrangeRun:
    """Return a run after reading the outcome of each request that was under way.

    An outcome that no read tells is unknown, unless sending again is harmless. The journal is
    updated too. Raises ``ApiError``, `NotDoneError` while another copydesk sends one of them, and
    ``OSError`` when the disk refuses.
    """
    entries = await asyncio.to_thread(session.journal.entries)
    session.history.learn(entries)
    for item in run.calls:
        if item.state in ("sending", "unknown"):
            run = await _settle_sent(session, api, run, item, entries)
        elif item.state == "taking-back":
            run = await _settle_back(session, run, item)
    return run


async def _settle_sent(
    session: Session, api: Api, run: ArrangeRun, item: RunCall, entries: Sequence[Entry]
) -> ArrangeRun:
    key, call = item.call.key, run.bound(item)
    entry = _entry_of(run, item, entries)
    if entry is None and item.state == "sending":
        return run.not_sent(key)  # a write is noted in the journal before it is sent
    if entry is not None:
        expect_not_elsewhere(session, entry)  # from its log, say: the claim is for the run alone
    if entry is not None and entry.state == "failed":
        return run.not_sent(key)
    if entry is not None and entry.state == "done" and not call.makes:
        return run.arrived(key, entry=entry.id)
    if entry is not None and entry.state == "done" and (named := _named(item.call, entry)):
        made = {call.makes: named, **await _also(session, api, call, named)}
        return run.arrived(key, entry=entry.id, made=made)
    past = None if entry is None else session.history.known.get(entry.id)
    if entry is not None and past is not None and past.standing == "open":
        await settle_one(session, past)
        stood = {"done": True, "failed": False}.get(past.standing)
        return _told(run, item, stood, entry.id, MadeIds())
    stood, thing = await stands(session, api, call, item.known)
    if entry is not None and stood is not None:
        await _note(session, run, item, entry, thing, stood=stood)
    if stood is None and is_removal(call):
        stood = False
    return _told(run, item, stood, "" if entry is None else entry.id, thing)


def _told(
    run: ArrangeRun, item: RunCall, stood: bool | None, entry: str, thing: MadeIds
) -> ArrangeRun:
    key = item.call.key
    if stood is None:
        return run.failed(key, CUT_OFF, unknown=True, entry=entry)
    if not stood:
        return run.not_sent(key)
    return run.arrived(key, entry=entry, made=thing.ids, said=ARRIVED)


def _entry_of(run: ArrangeRun, item: RunCall, entries: Sequence[Entry]) -> Entry | None:
    """Return the last journal entry of a request."""
    settled = {each.entry for each in run.calls if each is not item and each.entry}
    call = item.call
    return next(
        (
            entry
            for entry in reversed(entries)
            if entry.group == run.group
            and not entry.kind
            and entry.id not in settled
            and (entry.what, entry.target) == (call.what, call.target)
        ),
        None,
    )


def _named(call: Call, entry: Entry) -> str:
    """Return the id of the new object from its reversal in the journal."""
    if call.reversal is None or entry.reversal is None:
        return ""
    try:
        kept = reversal_of(entry.reversal)
    except ValueError:
        return ""
    for planned, real in zip(call.reversal.back, kept.back, strict=False):
        for name, value in planned.arguments.items():
            if id_of(value) == call.makes:
                return str(id_of(real.arguments.get(name, "")))
    return ""


async def _also(session: Session, api: Api, call: Call, named: str) -> Mapping[str, str]:
    """Return the other real values, as a list of such objects has them."""
    expected = _made_in(call) if call.also else None
    items = None if expected is None else await _items(session, api, expected)
    return next((call.made(each) for each in items or () if each.get("id") == named), {})


async def _note(
    session: Session, run: ArrangeRun, item: RunCall, entry: Entry, thing: MadeIds, *, stood: bool
) -> None:
    """Note in the journal how a write without a reversal ended."""
    changes: dict[str, Any] = {}
    if stood and thing.ids:
        back = bind(item.call, {**run.made, **thing.ids}).reversal
        if back is not None and session.way.usable(back):
            changes["reversal"] = back.to_dict()
    state: State = "done" if stood else "failed"
    settled = await asyncio.to_thread(
        session.journal.settle, entry, state, sentence=ARRIVED if stood else "", **changes
    )
    session.history.take(settled)
    for line in session.log:
        if line.entry is not None and line.entry.id == settled.id:
            line.state, line.message, line.entry = state, settled.sentence, settled


async def _settle_back(session: Session, run: ArrangeRun, item: RunCall) -> ArrangeRun:
    """Read the outcome of the undo of a request; an unknown outcome is read once more."""
    past = session.history.known.get(item.entry)
    if past is not None and past.standing == "undoing":
        await settle_one(session, past)
    if past is not None and past.standing in ("undone", "gone"):
        return run.taken(item.call.key, anew=session.history.made_again(past))
    return run.not_taken(item.call.key, "")
