"""Redirects of a site from a CSV file: a plan first, then as few requests as they go into."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean, plural
from copydesk.local.paths import expanded
from copydesk.session.reads.redirects import read_redirects
from copydesk.session.redirect_plan import PlannedRedirect, RedirectPlan, plan_of, read_file
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.redirects import importing, parts_of, refused_of
from copydesk.tui.dialogs.dialog import Confirm, Fact, Notice
from copydesk.tui.framework.actions import Commands, command

if TYPE_CHECKING:
    from copydesk.tui.sites.redirects import RedirectsPlace

SHOWN = 200
"""Up to how many lines of each kind a plan shows."""


def plan_lines(plan: RedirectPlan) -> list[Fact]:
    """Return a plan as the lines of a dialog."""
    found: list[Fact] = _some([f"{at}  {e.sentence}" for at, e in enumerate(plan.staged, 1)])
    found += [Text(already, style="muted") for already in plan.already]
    found += [Text(f"!  {note}", style="warn") for note in _some(plan.notes)]
    if plan.bad:
        found.append(Text(f"Left out: {plural(len(plan.bad), 'line')}", style="warn"))
        found += [Text(f"line {each.line}: {each.why}", style="warn") for each in
                  plan.bad[:SHOWN]]  # fmt: skip
    return found


def _some(lines: Sequence[str]) -> list[Any]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {more:,} more"] if more > 0 else [])]


class ImportCommands(Commands, scope="redirects"):
    """Redirects from a file."""

    place: RedirectsPlace

    @command("import", "FILE", uses=("apply_site_redirects", "list_space_pages"), takes="none")
    async def import_file(self, rest: str) -> None:
        """Make, change and remove redirects as a CSV file says, once its plan was agreed to.

        The columns are from, to, kind (permanent, temporary), rest (discard, keep) and state (live,
        draft), the first of each for what is left out; a destination of - removes.
        """
        here = self.place
        if (why := here.refusal()) is not None:
            here.say(why, "warn")
            return
        if not rest:
            here.say("Say which file: :import FILE, as in :import moved.csv.", "warn")
            return
        try:
            wanted, bad = await asyncio.to_thread(read_file, expanded(rest))
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else None
            here.say(f"Not read: {clean(said or str(error))}: {clean(rest)}", "warn")
            return
        me = here.session.me.id if here.session.me is not None else None
        api = await here.session.ready()
        plan = await plan_of(wanted, bad, await read_redirects(api, here.tabs.ids, me))
        name = clean(Path(rest).name, limit=40)
        if not plan.staged:
            lines = plan_lines(plan) or ["The file has no redirect in it."]
            await here.desk.push_screen_wait(Notice(f"Nothing to send of {name}", lines))
            return
        count = plural(len(plan.staged), "redirect")
        sheet = Confirm(f"Import {count} from {name}", plan_lines(plan), verb="send")
        if await here.desk.push_screen_wait(sheet):
            await self._send(plan.staged)

    async def _send(self, staged: Sequence[PlannedRedirect]) -> None:
        here, group = self.place, secrets.token_hex(8)
        ids, refused, done = here.tabs.ids, list[str](), 0
        try:
            for part in parts_of(staged):
                write = importing(ids, part)
                found = await here.writer.perform(
                    write.what, write.target, write.send, reversal=write.reversal, group=group,
                    now=True,
                )  # fmt: skip
                more = refused_of(part, found)
                refused, done = [*refused, *more], done + len(part) - len(more)
        except WriteError as error:
            if not done and not refused:
                raise
            said = f"{plural(done, 'redirect')} done, {len(refused)} refused, u undoes them. Then: "
            raise WriteError(f"{said}{error}", unknown=error.unknown) from error
        finally:
            here.read_again()
        here.tell(f"{plural(done, 'redirect')} done, {len(refused)} refused. u undoes them.",
                  "warn" if refused else "good")  # fmt: skip
        if refused:
            await here.desk.push_screen_wait(Notice("The service refused", _some(refused)))
