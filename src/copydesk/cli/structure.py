"""``copydesk structure …``: the structure of a site as a file, and a site made what a file says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.cli.connection import OWN, Connection, Service, session_for
from copydesk.cli.errors import (
    CONFLICT,
    DIFFERS,
    DONE,
    FAILED,
    INTERRUPTED,
    UsageError,
    ask_first,
    kept_state,
    need_answer,
    say,
    status_of,
)
from copydesk.cli.given_file import is_piped, mistaken, named, read_text
from copydesk.cli.interrupts import stopping
from copydesk.cli.lookup import FoundSite, find_site
from copydesk.cli.output import put, put_bytes, put_json
from copydesk.cli.writes import hooks_ended, leaving, take_hooks
from copydesk.domain.arrange_run import ArrangeRun, Requests, RunCall, lasting_fact
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import differences
from copydesk.domain.site_arrangement import NO_GROUPS, SiteArrangement, layout_of
from copydesk.domain.site_plan import seen_fact
from copydesk.domain.structure_file import fingerprint, read_file, write_file
from copydesk.domain.structure_target import needs_spaces, wanted
from copydesk.domain.text import clean, listed, plural
from copydesk.domain.yaml_lines import FileError
from copydesk.local.journal import Journal
from copydesk.local.paths import find_paths
from copydesk.session.draft_keys import structure_key
from copydesk.session.errors import LOGIN_AGAIN, failure_types
from copydesk.session.reads.sites import read_arranged
from copydesk.session.writes.log import WriteError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.client.calls import SentRequest
    from copydesk.domain.reversal import Call
    from copydesk.domain.site_tree import Structure
    from copydesk.domain.structure_file import StructureFile
    from copydesk.session.session import Session


T = TypeVar("T")


def export_structure(
    *,
    site: str,
    organization: str | None = None,
    service: Service = OWN,
) -> int:
    """Print the structure of a site as YAML that people edit."""

    async def export(api: Api) -> str:
        found = await find_site(api, site, organization)
        structure = await read_whole(api, found)
        if told := left_out(structure):
            say(told)
        return write_file(
            found.id, found.title, layout_of(structure), service.options, whole=structure.sorts
        )

    text = service.connection().run(export)
    # As bytes: the file is UTF-8 wherever it is read, whatever this machine's encoding is.
    put_bytes(text.encode())
    return 0


def left_out(structure: Structure) -> str:
    """Say what a file lacks of a service without groups and links; "" where it lacks nothing."""
    if structure.sorts or not structure.sectioned:
        return ""
    groups = sum(node.kind == "group" for node in structure.nodes.values())
    known = f" Of {plural(groups, 'group')} it has the ids alone." if groups else ""
    return f"{NO_GROUPS} Those that the site has are not in the file.{known}"


UNSEEN = (
    "This service tells of groups only which sections are in them: their titles, icons and drafts "
    "stay as they are, whatever the file says."
)


def apply_structure(
    *,
    site: str,
    file: Path | None = None,
    plan: bool = False,
    remove: bool = False,
    recreate: bool = False,
    yes: bool = False,
    as_json: bool = False,
    resume: bool = False,
    roll_back: bool = False,
    keep: bool = False,
    organization: str | None = None,
    service: Service = OWN,
) -> int:
    """Make a site what a file says, or with ``plan`` print what would be sent (7 if something is).

    What stopped before is gone on with (``resume``), taken back (``roll_back``), or left as it is
    (``keep``). Raises ``UsageError`` for what a person can mend; nothing was sent then.
    """

    connection = service.connection(writes=not plan)
    wish = read_wish(file) if file is not None else None
    if wish is None and not (resume or roll_back or keep):
        raise UsageError("name the file that says what the site shall be")
    applying = Applying(
        connection, wish, plan=plan, remove=remove, recreate=recreate, yes=yes, as_json=as_json,
        options=service.options,
    )  # fmt: skip
    left = "resume" if resume else "undo what was sent" if roll_back else "keep" if keep else ""
    return applying.run(site, organization, left)


@dataclass(frozen=True)
class Wish:
    """What a site shall be, and the file that says so."""

    path: Path
    says: StructureFile

    @property
    def name(self) -> str:
        """What messages call the file."""
        return named(self.path)


def read_wish(path: Path) -> Wish:
    """Return what a file says. Raises ``UsageError`` with all that is wrong in it, and where."""
    try:
        return Wish(path, read_file(read_text(path)))
    except FileError as error:
        raise mistaken(path, error) from error


async def read_whole(api: Api, site: FoundSite) -> Structure:
    """Return how a site is arranged now. Raises ``ApiError``."""
    return await read_arranged(api, site.organization, site.id)


PLACE = "site-structure"
"""The place of the screens that such a run belongs to."""


class Applying:
    """One call of ``copydesk structure apply``."""

    def __init__(
        self,
        connection: Connection,
        wish: Wish | None,
        *,
        plan: bool,
        remove: bool,
        yes: bool,
        as_json: bool,
        recreate: bool = False,
        options: str = "",
    ) -> None:
        """Keep the arguments; ``options`` repeat the connection for a command that is suggested."""
        self._options = options
        self._connection = connection
        self._wish = wish
        self._only_plan = plan
        self._remove = remove
        self._recreate = recreate
        self._yes = yes
        self._json = as_json
        self._answer: int | None = 0
        """The HTTP status of the last answer that was no success; None when none came."""
        self._told = Requests()
        self._staged_there = False
        """Whether the rest of a run is still staged on the screens, where it began."""

    def run(self, site: str, organization: str | None, left: str) -> int:
        """Run the command and return its exit status. ``left`` decides about an interrupted run."""
        journal = Journal(kept_state(), self._connection.key)
        session = session_for(self._connection, find_paths(), journal)
        return asyncio.run(self._run(session, journal, site, organization, left))

    async def _run(
        self, session: Session, journal: Journal, site: str, organization: str | None, left: str
    ) -> int:
        async with await session.ready() as api:
            api.recorder = self._recorded
            found = await find_site(api, site, organization)
            if self._wish is not None and self._wish.says.site != found.id:
                raise UsageError(
                    f"{self._wish.name} is the structure of another site "
                    f"({clean(self._wish.says.site)}) than {found}. Export that of this site."
                )
            # Known to other runs of the program from here on: what is under way is ours to settle.
            await asyncio.to_thread(session.begins)
            take_hooks(session)
            try:
                status = await self._with_what_was_left(session, api, found, left)
                await hooks_ended(session)
                return status
            except asyncio.CancelledError:
                leaving(session)
                raise
            except WriteError as error:  # another program was faster, or the disk refuses
                full = isinstance(error.__cause__, OSError)
                raise UsageError(clean(str(error)), FAILED if full else CONFLICT) from error
            finally:
                await hooks_ended(session, wait=False)
                await asyncio.to_thread(journal.closed)

    def _recorded(self, sent: SentRequest) -> None:
        if sent.status is None or sent.status >= 400:
            self._answer = sent.status

    # A run that was left

    async def _with_what_was_left(
        self, session: Session, api: Api, site: FoundSite, left: str
    ) -> int:
        arranging = session.arranging
        run = await arranging.find(PLACE, site.id)
        if run is None and arranging.elsewhere:
            said = f"another copydesk is rearranging {site.title} now: wait until it ends"
            if not self._only_plan:
                raise UsageError(said, CONFLICT)
            say(f"copydesk: {said}")
        if run is None or not run.begun:
            if left:
                raise UsageError(f"no apply to {site.title} has stopped: leave out --"
                                 f"{left.replace(' ', '-')}")  # fmt: skip
            if run is not None and not self._only_plan:
                await self._taken_in(session, api, run, site)
            return await self._apply(session, api, site)
        self._tell_left(run)
        untouched = is_untouched(run)
        if left == "keep" or (untouched and not left and not self._only_plan):
            run = await self._kept(session, api, run, site)
            if run.begun:
                said = said_here(run.why)
                raise UsageError(f"how far the apply got cannot be read: {said}", FAILED)
            left_over = "stays staged on the screens" if self._staged_there else "is discarded"
            kept = "Nothing of it was sent: it" if untouched else "What was sent is kept, the rest"
            doubt = unknown_in(run)
            say(f"{kept} {left_over}.{f' {doubt}: look first.' if doubt else ''}")
            return await self._apply(session, api, site)
        if left == "resume" and not self._only_plan:
            rest = [item for item in run.calls if not item.here]
            final = sum(item.lasting for item in rest)
            doubt = self._doubt(run)
            self._ask(f"{doubt}Send the {plural(len(rest), 'call')} left?", final)
            return await self._send(session, api, run, site)
        if left == "undo what was sent" and not self._only_plan:
            self._ask(f"Undo {plural(len(run.returning()), 'call')}?", 0)
            return await self._take_back(session, api, run, site)
        self._offer(site)
        if self._only_plan and not left:
            return await self._apply(session, api, site)
        return DONE if self._only_plan else FAILED

    def _tell_left(self, run: ArrangeRun) -> None:
        why = f": {said_here(run.why)}" if run.why else "."
        say(f"{run.standing()}{why}")
        for line in lines_of(run):
            say(f"  {line}")

    def _doubt(self, run: ArrangeRun) -> str:
        """Return what to know before what may have arrived is sent again; empty where nothing is.

        Raises ``UsageError`` where nobody is to be asked.
        """
        said = unknown_in(run)
        if not said:
            return ""
        if self._yes:
            raise UsageError(f"{said}: look first. --resume without --yes asks about it.", FAILED)
        return f"{said}: what is there already would be there twice. "

    async def _kept(
        self, session: Session, api: Api, run: ArrangeRun, site: FoundSite
    ) -> ArrangeRun:
        """Keep the requests that were sent; it has not ended where its state cannot be read."""
        run = await session.arranging.keep(run)
        if not run.begun:
            await self._taken_in(session, api, run, site)
        return run

    async def _taken_in(self, session: Session, api: Api, run: ArrangeRun, site: FoundSite) -> None:
        """Go on with what the screens keep from a run that is over; if not now, they do that."""
        try:
            self._staged_there = await taken_in(session, api, run, site)
        except failure_types() as error:
            say(f"What is staged on the screens is updated when the site is opened: {error}")

    def _offer(self, site: FoundSite) -> None:
        """Say how it goes on with a run that stopped."""
        command = f"copydesk structure apply {quote(clean(site.id))}{self._options}"
        say(
            f"{command} --resume sends the rest, --roll-back undoes what was sent, "
            "--keep leaves it as it is."
        )

    # The plan

    async def _apply(self, session: Session, api: Api, site: FoundSite) -> int:
        wish = self._wish
        if wish is None:
            return DONE
        arrangement = await self._arranged_or_not(api, site, wish)
        calls = arrangement.calls()
        if calls and (kept := await changes_kept(session, site)):
            say(
                f"{site.title} has {plural(kept, 'change')} staged on the screens, not part of "
                "this plan."
            )
        unseen = wish.says.whole and not arrangement.sorts
        if unseen and arrangement.base.groups:
            say(UNSEEN)
        exported = wish.says.exported
        there = fingerprint(site.id, arrangement.base, whole=wish.says.whole)
        since = bool(exported) and exported != there and not unseen
        if calls and since:
            say(
                f"{site.title} is not as it was when {wish.name} was exported: it was changed "
                "since, here or by others. The plan makes it what the file says, and nothing else."
            )
        while calls:
            self._print_plan(site, calls)
            if self._only_plan or not self._ask_to_send(calls):
                break
            # Somebody may have thought about it for long: what was planned has to be so still.
            before = arrangement.base
            arrangement = await self._arranged_or_not(api, site, wish)
            if arrangement.base.same(before):
                break
            say(f"Meanwhile {site.title} was changed; this is the plan now. What others did:")
            for difference in differences(before, arrangement.base):
                say(f"  {difference.line}")
            calls = arrangement.calls()
        if not calls:
            self._print(f"{site.title} is as {wish.name} says: there is nothing to send.")
        if self._only_plan or not calls:
            self._print_json(site, [RunCall(call) for call in calls], changed=since)
            return DIFFERS if calls else DONE
        run = ArrangeRun.of(
            PLACE, site.id, site.title, calls,
            organization=site.organization, staged=arrangement.to_text(),
        )  # fmt: skip
        sent = await self._send(session, api, run, site)
        return sent if sent != DONE else await self._look_again(api, site, wish)

    async def _look_again(self, api: Api, site: FoundSite, wish: Wish) -> int:
        """Look whether the site is what the file says, now that all was sent."""
        try:
            left = [call.line for call in (await self._arranged(api, site, wish)).calls()]
        except FileError as error:
            left = [str(problem) for problem in error.problems]
        except failure_types() as error:
            say(f"Whether {site.title} is what {wish.name} says cannot be read: {error}")
            return DONE
        if not left:
            return DONE
        say(f"All was sent, and {site.title} is not what {wish.name} says: others changed it "
            "meanwhile, or the service changed what it was sent. What is missing:")  # fmt: skip
        for line in left:
            say(f"  {line}")
        return CONFLICT

    async def _arranged_or_not(self, api: Api, site: FoundSite, wish: Wish) -> SiteArrangement:
        """Return what `_arranged` does. Raises ``UsageError`` where the file cannot be meant."""
        try:
            return await self._arranged(api, site, wish)
        except FileError as error:
            raise mistaken(wish.path, error) from error

    async def _arranged(self, api: Api, site: FoundSite, wish: Wish) -> SiteArrangement:
        """Return the structure of the file, staged on that of the site. Raises ``FileError``."""
        structure = await read_whole(api, site)
        layout = layout_of(structure)
        spaces: list[tuple[str, str]] = []
        if needs_spaces(wish.says, layout):
            from copydesk.session.reads.spaces import read_desk

            desk = await read_desk(api, site.organization)
            spaces = [(node.id, node.title) for node in desk.nodes if node.kind == "space"]
        return wanted(
            wish.says,
            beginning(structure, site),
            spaces,
            remove=self._remove,
            recreate=self._recreate,
        )

    def _print_plan(self, site: FoundSite, calls: Sequence[Call]) -> None:
        if not calls:
            return
        self._print(f"{site.title}: {plural(len(calls), 'call')}")
        width = len(str(len(calls)))
        for number, call in enumerate(calls, start=1):
            self._print(f"  {number:>{width}}  {call.line}")
            if call.note:
                self._print(f"  {'':>{width}}  {call.note}")
        self._print(seen_fact(calls))
        self._print(way_back(calls))

    # Sending

    def _ask_to_send(self, calls: Sequence[Call]) -> bool:
        """Ask about a plan as `_ask` does."""
        final = sum(call.lasting for call in calls)
        return self._ask(f"Send {plural(len(calls), 'call')}?", final)

    def _ask(self, question: str, final: int) -> bool:
        """Ask whether to go on; False where nobody is to be asked.

        Raises ``UsageError`` where the answer is no, or none can come.
        """
        if self._yes:
            return False
        piped = self._wish is not None and is_piped(self._wish.path)
        need_answer(said=False, plans=True, free=not piped)
        much = f" {plural(final, 'call')} for good:" if final else ""
        ask_first(f"{question}{much}", typed=str(final or ""))
        return True

    async def _send(self, session: Session, api: Api, run: ArrangeRun, site: FoundSite) -> int:
        arranging, self._told = session.arranging, run.calls
        with stopping(lambda: arranging.stop(run)):
            run = await arranging.go(run, self._progress)
        if run.state == "finished":
            back = way_back(item.call for item in run.calls)
            self._print(f"{site.title}: {plural(run.sent, 'call')} sent. {back}")
            self._print_json(site, run.calls)
            await self._taken_in(session, api, run, site)
            return DONE
        say(f"Stopped at {run.far}: {said_here(run.why) or 'as you asked.'}")
        for line in lines_of(run):
            say(f"  {line}")
        if is_untouched(run) and not (await self._kept(session, api, run, site)).begun:
            say("Nothing was sent.")
        else:
            self._offer(site)
        self._print_json(site, run.calls)
        return self._status(run)

    async def _take_back(self, session: Session, api: Api, run: ArrangeRun, site: FoundSite) -> int:
        arranging, self._told = session.arranging, run.calls
        with stopping(lambda: arranging.stop(run)):
            run = await arranging.roll_back(run, self._progress)
        stands = [item for item in run.calls if item.here]
        self._print(f"{site.title}: {plural(run.count('taken-back'), 'call')} undone.")
        for item in stands:
            why = f": {said_here(item.said)}" if item.said else ""
            say(f"  stands  {item.call.line}{why}")
        self._print_json(site, run.calls)
        if run.state == "finished":
            await self._taken_in(session, api, run, site)
            if self._staged_there:
                say("What is staged on the screens stays there.")
            return FAILED if stands else DONE
        say(f"Stopped at {run.far}: {said_here(run.why) or 'as you asked.'}")
        self._offer(site)
        return self._status(run)

    def _status(self, run: ArrangeRun) -> int:
        """Return the exit status of a run that stopped."""
        if run.failure is None and not run.said:
            return INTERRUPTED
        if self._answer == 0 or unknown_in(run):
            return FAILED
        return status_of(self._answer)

    def _progress(self, run: ArrangeRun) -> None:
        """Print what came of a request, once."""
        before, self._told = self._told, run.calls
        for was, item in run.calls.changed_since(before):
            if item.state != was.state and item.state == ("taken-back" if run.back else "done"):
                number = run.calls.place(item.call.key) + 1
                self._print(line_of(number, len(run.calls), item))

    # Words

    def _print(self, line: str) -> None:
        """Print a line for people: beside the JSON where that was asked for."""
        if self._json:
            say(line)
            return
        put(clean(line), now=True, unread=True)

    def _print_json(
        self, site: FoundSite, items: Sequence[RunCall], *, changed: bool | None = None
    ) -> None:
        if not self._json:
            return
        value: dict[str, Any] = {"site": site.id, "title": site.title}
        if changed is not None:
            value["changed_since_export"] = changed
        value["requests"] = [value_of(number, item) for number, item in enumerate(items, start=1)]
        put_json(value)


FIRST = 1_000_000
"""Where the numbers of provisional ids begin: none of the screens is taken for one of ours."""


def beginning(structure: Structure, site: FoundSite) -> SiteArrangement:
    """Return the structure of a site with nothing staged on it."""
    arrangement = SiteArrangement.on(layout_of(structure), site.organization, site.id)
    return replace(arrangement, count=FIRST, sorts=structure.sorts)


async def changes_kept(session: Session, site: FoundSite) -> int:
    """Return how many changes the screens keep staged for a site on this machine."""
    text = await asyncio.to_thread(session.drafts.load, structure_key(site.id)) or ""
    return sum(line.startswith("- ") for line in text.splitlines())


async def taken_in(session: Session, api: Api, run: ArrangeRun, site: FoundSite) -> bool:
    """Forget a run that is over, once what the screens keep staged goes on from what it came to.

    What they staged and it sent is not staged any more, and what it made has its id there. True
    where something is left staged of what they began to send. Raises ``ApiError`` when the site
    cannot be read, ``OSError`` when the disk refuses.
    """
    left = False
    key = structure_key(site.id)
    text = await asyncio.to_thread(session.drafts.load, key) or ""
    kept = SiteArrangement.from_text(text, site.organization, site.id) if text else None
    if kept is not None:
        begun_there = text.rpartition("\n")[2] == run.staged.rpartition("\n")[2]
        if begun_there or any(row in kept.now for row in run.made):
            structure = await read_whole(api, site)
            layout, kept = layout_of(structure), replace(kept, sorts=structure.sorts)
            after = run.still_staged(kept, layout) if begun_there else kept.bound(run.made)
            after = after.rebase(layout).arrangement
            await asyncio.to_thread(_keep, session, key, after)
            left = begun_there and after.dirty
    await session.arranging.forget_ended(run)
    return left


def _keep(session: Session, key: str, arrangement: SiteArrangement) -> None:
    if arrangement.dirty:
        lines = [f"- {call.line}" for call in arrangement.calls()]
        session.drafts.save(key, arrangement.to_text(lines))
    else:
        session.drafts.drop(key)


MANY = 12
"""Up to how many requests of one kind are all named; of more, the first ones."""


SHOWN = 3
"""So many are, then."""


def is_untouched(run: ArrangeRun) -> bool:
    """Whether nothing of a run has arrived, for sure."""
    return not run.back and all(item.state in ("waiting", "failed") for item in run.calls)


def unknown_in(run: ArrangeRun) -> str:
    """Say what may have arrived or not, without a full stop; empty where nothing is such."""
    lines = [f"“{item.call.line}”" for item in run.calls if item.state == "unknown"]
    return f"Whether {listed(lines)} arrived is not known" if lines else ""


def value_of(number: int, item: RunCall) -> dict[str, str | int]:
    """Return a request and what became of it, as a script reads it."""
    call = item.call
    value: dict[str, str | int] = {
        "number": number,
        "key": call.key,
        "what": call.what,
        "target": call.target,
        "line": call.line,
        "note": call.note,
        "operation": call.step.operation,
        "final": call.lasting,
        "state": item.state,
        "said": said_here(item.said),
    }
    return {name: given for name, given in value.items() if given != ""}


def line_of(number: int, count: int, item: RunCall) -> str:
    """Return a request and what became of it in one line."""
    took = f"  {item.seconds:.1f} s" if item.state == "done" and item.seconds else ""
    told = bool(item.said) and item.state not in ("failed", "unknown")  # else it is why it stopped
    said = f"  {said_here(item.said)}" if told else ""
    return f"{number} of {count}  {_STATES[item.state]}  {item.call.line}{took}{said}"


def lines_of(run: ArrangeRun) -> Iterator[str]:
    """Go through the lines of a run; of many in a row that became the same the first ones do."""
    items = enumerate(run.calls, start=1)
    for (state, _), group in groupby(items, lambda each: (_STATES[each[1].state], each[1].said)):
        alike = list(group)
        shown = alike[:SHOWN] if len(alike) > MANY else alike
        for number, item in shown:
            yield line_of(number, len(run.calls), item)
        if more := len(alike) - len(shown):
            yield f"… {more} more {state}"


_STATES = {
    "waiting": "not sent",
    "sending": "not known",
    "done": "done",
    "failed": "failed",
    "unknown": "not known",
    "taking-back": "done",
    "taken-back": "undone",
}
"""What people call the states of a request that nobody is at."""


def way_back(calls: Iterable[Call]) -> str:
    """Say how far the screens take it back again."""
    return lasting_fact(calls, ":undo on the screens")


def said_here(sentence: str) -> str:
    """Return what the screens say, with what there is in a shell in place of their keys."""
    sentence = sentence.replace("ctrl+g to fix it.", LOGIN_AGAIN)
    return re.sub(r"(?<!\S)[rR] (?=sends it|tries again)", "--resume ", sentence)
