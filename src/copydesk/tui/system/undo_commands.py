"""``u`` and ``ctrl+r`` as a person meets them: what is asked, what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean, listed, plural
from copydesk.session.session import ChangedSinceError, Written
from copydesk.session.writes.reversals import is_of_outbox
from copydesk.session.writes.undo import Past
from copydesk.tui.dialogs.dialog import Confirm, Fact

if TYPE_CHECKING:
    from copydesk.domain.reversal import Step
    from copydesk.tui.framework.place import Place

Naming = Callable[[str], str]
"""Takes the id of a thing and returns what a person calls it."""

NAMED = 6
"""How many collections of an order a line names before it counts the others."""

SHOWN = 12
"""How many writes a sheet names before it counts the others."""


TAKE_REPLIES = frozenset({"delete_space_comment", "delete_change_request_comment"})
"""The operations that delete a message with all that was replied to it."""


async def undo(place: Place, *, asking: Naming | None = None) -> None:
    """Recall what waits, else take back the newest write, with the group that it belongs to.

    What is in the outbox is taken out of there. With ``asking`` the requests that take it back are
    shown first: where the same key takes back what was only staged.
    """
    session = place.session
    if session.waits:
        session.recall()
        return
    if (cut := session.unsettled()) is not None:
        await look_again(place, cut)
        return
    line = session.undoable()
    if line is None:
        rest = session.left_over()
        if rest:
            sheet = _rest_sheet(rest)
            if await place.desk.push_screen_wait(sheet):
                await turn(place, rest)
        return
    final = session.final()
    if final is not None and not await _older(place, final, line):
        return
    session.asks()
    pasts = await session.taken_with(line)
    if asking is None or (final is not None and _named(final, line, pasts)):
        await turn(place, pasts)
    elif await _plan_agreed(place, pasts, asking):
        await turn(place, pasts, agreed=True)


def _named(final: Written, line: Written, pasts: Sequence[Past]) -> bool:
    """Whether `_older` named all that would be taken back with a line."""
    return len(pasts) == 1 or (bool(line.group) and final.group == line.group)


async def look_again(place: Place, past: Past) -> None:
    """Find out how a write (or its undo) ended that had no answer; where that is not told, ask.

    Raises `WriteError` when the service refuses.
    """
    from copydesk.session.writes.recovery import settle_one

    entry = past.cut or past.entry
    said = await settle_one(place.session, past)
    if said:
        place.turned([])
        place.tell(f"{entry.what} {entry.target}. {said}", "good")
    else:
        await turn(place, [past])


async def redo(place: Place, *, asking: Naming | None = None) -> None:
    """Do again what was taken back last; with ``asking`` the requests for it are shown first."""
    pasts = place.session.redoable()
    if asking is None or await _plan_agreed(place, pasts, asking, again=True):
        await turn(place, pasts, again=True)


async def turn(
    place: Place, pasts: Sequence[Past], *, again: bool = False, agreed: bool = False
) -> None:
    """Take writes back, or do them ``again``; ask about those that changed since.

    ``agreed`` says that what has to be agreed to was. Raises `WriteError` when the service refuses.
    """
    if not pasts or not (again or agreed or await _agreed(place, pasts)):
        return
    session = place.session
    results: list[Any] = []
    left = 0

    def so_far(done: int) -> None:
        if len(pasts) > 1:  # which takes a while where the service is slow
            doing = "Doing again" if again else "Taking back"
            place.say(f"{doing} {plural(len(pasts), 'write')}, {done} so far…")

    try:
        results = await session.take_back(pasts, again=again, told=so_far)
    except ChangedSinceError as error:
        changed = [obstacle.past for obstacle in error.obstacles]
        if await place.desk.push_screen_wait(_sheet(error, len(pasts))):
            results = await session.take_back(changed, again=again, anyway=True)
        else:
            left = len(changed)
    finally:
        # While nobody is there, reading would only say so again, over what is told below.
        if session.offline and all(map(is_of_outbox, pasts)):
            place.requeued()
        else:
            place.turned(results)
    if left == len(pasts):
        place.tell("Nothing was done again." if again else "Nothing was taken back.")
        return
    said = "Done again" if again else "Taken back"
    others = [past for past in pasts if past.by_others]
    if others and len(pasts) == 1:
        entry, left_to_do = pasts[0].entry, "do again" if again else "take back"
        is_so = f"{entry.what} {entry.target} is {said.lower()} already"
        place.tell(f"{is_so}, by somebody else: there was nothing left to {left_to_do}.", "good")
    elif len(pasts) == 1:
        entry, note = pasts[0].entry, "" if again else pasts[0].reversal.note
        told = f"{said}: {entry.what} {entry.target}"
        place.tell(f"{told}. {note}" if note else told, "good")
    else:
        kinds = {past.entry.what for past in pasts}
        kind = f": {kinds.pop()}" if len(kinds) == 1 else ""
        kept = f" {left} left as they are." if left else ""
        notes = {past.reversal.note for past in pasts} - {""}
        if not again and len(notes) == 1:
            kept += f" {sum(bool(past.reversal.note) for past in pasts)} of these: {notes.pop()}"
        place.tell(f"{said}{kind}, {plural(len(pasts) - left, 'write')}.{kept}", "good")


async def _agreed(place: Place, pasts: Sequence[Past]) -> bool:
    """Ask before something is taken back that has to be agreed to, as when a site goes with it."""
    asking = [past for past in pasts if past.reversal.asks]
    if not asking:
        return True
    facts: list[Fact] = []
    for past in asking[:SHOWN]:
        name = clean(f"{past.entry.what} {past.entry.target}")
        facts += [Text(name, style="strong"), Text(past.reversal.asks, style="warn")]
    return await place.desk.push_screen_wait(Confirm("Undo", facts, verb="undo")) is True


async def _plan_agreed(
    place: Place, pasts: Sequence[Past], called: Naming, *, again: bool = False
) -> bool:
    """Show what would be sent to take back what was sent, or to do it again, and ask."""
    sent = [past for past in pasts if not is_of_outbox(past)]
    if not sent:
        return True
    does, verb = ("Do again", "Redo") if again else ("Take back", "Undo")
    said = "was taken back. Doing it again" if again else "was sent already. Taking it back"
    facts: list[Fact] = [Text(f"This {said} sends:", style="strong"), ""]
    for past in sent[:SHOWN]:
        facts.append(f"{verb} {plan_line(past, called, again=again)}")
        if past.reversal.asks and not again:
            facts.append(Text(past.reversal.asks, style="warn"))
    if len(sent) > SHOWN:
        facts.append(f"and {len(sent) - SHOWN} more")
    count = plural(len(sent), "write")
    sheet = Confirm(f"{does} {count}", facts, verb=f"{does.lower()} {count}")
    return await place.desk.push_screen_wait(sheet) is True


def plan_line(past: Past, called: Naming, *, again: bool = False) -> str:
    """Return a write that is taken back, or done again, and what becomes of its thing then."""
    said = clean(f"{past.entry.what} {past.entry.target}")
    steps = past.reversal.forth if again else past.reversal.back
    words = [word for step in steps for word in _step_words(step, called)]
    return f"{said}: {', '.join(words)}" if words else said


def _step_words(step: Step, called: Naming) -> Iterator[str]:
    """Yield what a step makes of its thing, as far as that can be said in a few words."""
    match step.operation, step.arguments:
        case "local.put_space", {"space_id": str(row), "parent": str(home), "order": list(order)}:
            yield _put_words(row, home, order, called)
        case "local.order_collections", {"order": list(order)} if len(order) > 1:
            named = [called(each) for each in order[:NAMED]]
            more = [f"{len(order) - NAMED} more"] if len(order) > NAMED else []
            yield f"in the order {listed([*named, *more])}"
        case "local.line_up", {"anchor": str(space)}:
            yield f"before {called(space)}"
        case operation, _ if operation.startswith("delete_"):
            yield "it goes"
    for name, value in (step.body if isinstance(step.body, dict) else {}).items():
        match name, value:
            case "position", {**sides}:
                for side, anchor in sides.items():
                    thing = anchor if isinstance(anchor, dict) else {}
                    ids = [str(each) for key, each in thing.items() if key != "type"]
                    yield f"{side} {', '.join(map(called, ids))}"
            case "parent", None:
                yield "to the top"
            case "parent", str(parent):
                yield f"into {called(parent)}"
            case _, bool(on):
                yield _spaced(name) if on else f"not {_spaced(name)}"
            case _, None | "":
                yield f"no {_spaced(name)}"
            case _, str(text):
                yield f"{_spaced(name)} {clean(text)}"


def _put_words(row: str, parent: str, order: Sequence[str], called: Naming) -> str:
    """Return where a space is put again: beside which other one, and in what."""
    where = f"in {called(parent)}" if parent else "at the top"
    at = order.index(row) if row in order else 0
    if len(order) < 2:
        return where
    beside = f"after {called(order[at - 1])}" if at else f"before {called(order[1])}"
    return f"{beside} {where}"


def _spaced(name: str) -> str:
    """Return the name of a field as words: ``editMode`` is "edit mode"."""
    return re.sub(r"[A-Z]", lambda letter: f" {letter[0].lower()}", name)


async def _older(place: Place, final: Written, older: Written) -> bool:
    """Ask whether an older write is meant, when the newest has no way back.

    Of one action that made both, it is the rest of it.
    """
    session = place.session
    if older.group and final.group == older.group:
        rest = session.together(older)
        alike = [line for line in session.log if line.group == older.group and not line.kind]
        lasting = len(alike) - len(rest)
        facts: list[Fact] = [
            f"{plural(lasting, 'write')} of that action cannot be undone, "
            f"{final.what.lower()} {final.target} among them.",
            f"This takes back the other {len(rest)}:",
            *(clean(f"{past.entry.what} {past.entry.target}") for past in rest[:SHOWN]),
        ]
        if len(rest) > SHOWN:
            facts.append(f"and {len(rest) - SHOWN} more")
        sheet = Confirm("Undo the rest of an action", facts, verb=f"undo {len(rest)}")
        return await place.desk.push_screen_wait(sheet) is True
    sheet = Confirm(
        "Undo an earlier write",
        [
            f"The last write was: {final.what.lower()} {final.target}",
            "It cannot be undone. This would undo an earlier one:",
            f"{older.what.lower()} {older.target}",
        ],
        verb="undo that",
    )
    return await place.desk.push_screen_wait(sheet) is True


def _rest_sheet(rest: Sequence[Past]) -> Confirm:
    """Return the sheet that names what a cut-off undo left."""
    names = [clean(f"{past.entry.what} {past.entry.target}") for past in rest[:SHOWN]]
    more = [f"and {len(rest) - SHOWN} more"] if len(rest) > SHOWN else []
    lead = f"copydesk ended while it took an action back; {plural(len(rest), 'write')} of it stand:"
    return Confirm("Take back the rest", [lead, "", *names, *more], verb="take them back")


def _sheet(error: ChangedSinceError, count: int) -> Confirm:
    """Return the sheet that says what is another by now."""
    name = "Redo" if error.again else "Undo"
    obstacles = error.obstacles
    facts: list[Fact] = []
    if count > 1:
        facts += [f"{len(obstacles)} of {plural(count, 'write')} changed since:", ""]
    for obstacle in obstacles[:SHOWN]:
        entry = obstacle.past.entry
        facts += [Text(clean(f"{entry.what} {entry.target}"), style="strong"), obstacle.why]
        if not error.again and any(
            step.operation in TAKE_REPLIES for step in obstacle.past.reversal.back
        ):
            facts.append(Text("This deletes what others replied too, for good.", style="warn"))
    if len(obstacles) > SHOWN:
        facts.append(f"and {len(obstacles) - SHOWN} more")
    return Confirm(
        f"{name} what changed since",
        facts,
        verb=f"{name.lower()} anyway",
        warning=f"{name} would fight that.",
    )
