"""Redirects of a site from a CSV file: a plan first, then as few requests as they go into."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.contract.models.redirect import BULK_LIMIT
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.redirect_file import REMOVED, BadLine, Wanted, read_redirects_file
from copydesk.domain.redirects import Rule, Rules, path_on
from copydesk.domain.site_inverses import redirects_put
from copydesk.domain.text import clean, listed, plural
from copydesk.session.reads.redirects import (
    RedirectRow,
    RedirectsRead,
    read_redirects,
    rules_of,
    with_troubles,
)
from copydesk.tui.dialogs.dialog import Confirm, Fact, Notice
from copydesk.tui.framework.actions import Commands, command

if TYPE_CHECKING:
    from copydesk.contract.models.redirect import RedirectResults
    from copydesk.tui.sites.redirects import RedirectsPlace

LARGEST = 10 * 1024 * 1024
"""The longest file in bytes."""

SHOWN = 200
"""Up to how many lines of each kind a plan shows."""


@dataclass(frozen=True, slots=True)
class Staged:
    """One redirect of a file, as it will be sent; ``before`` is the one that the path has now."""

    line: int
    body: dict[str, Any]
    before: RedirectRow | None
    after: RedirectRow | None

    @property
    def sentence(self) -> str:
        """What becomes of it."""
        if self.after is None:
            return f"remove {clean(self.body['source'])}"
        verb = "add" if self.before is None else "change"
        kind = "permanent" if self.after.permanent else "temporary"
        draft = ", a draft" if self.after.draft else ""
        return f"{verb} {self.after.source} to {self.after.to}, {kind}{draft}"


@dataclass
class Plan:
    """The plan of a redirect file: redirects to send, those that exist, and faulty lines."""

    staged: list[Staged] = field(default_factory=list)
    same: int = 0
    bad: list[BadLine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[Fact]:
        """Return it as the lines of a sheet."""
        found: list[Fact] = _some([f"{at}  {e.sentence}" for at, e in enumerate(self.staged, 1)])
        if self.same:
            found.append(Text(f"{plural(self.same, 'redirect')} as it is already", style="muted"))
        found += [Text(f"!  {note}", style="warn") for note in _some(self.notes)]
        if self.bad:
            found.append(Text(f"Left out: {plural(len(self.bad), 'line')}", style="warn"))
            found += [Text(f"line {each.line}: {each.why}", style="warn") for each in
                      self.bad[:SHOWN]]  # fmt: skip
        return found


def _some(lines: Sequence[str]) -> list[Any]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {more:,} more"] if more > 0 else [])]


def read_file(name: str) -> tuple[list[Wanted], list[BadLine]]:
    """Return the redirects of a file. Raises ``OSError``, ``ValueError`` with a sentence."""
    path = Path(name).expanduser()
    if path.is_dir():
        raise ValueError("that is a folder")
    if not path.is_file():
        raise ValueError("there is no such file")
    if path.stat().st_size > LARGEST:
        raise ValueError("it has more than 10 MiB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start + 1:,})") from error
    return read_redirects_file(text)


async def plan_of(wanted: Sequence[Wanted], bad: Sequence[BadLine], read: RedirectsRead) -> Plan:
    """Return what the redirects of a file come to on a site. Raises ``ApiError``."""
    plan = Plan(bad=list(bad))
    known = {(row.body["source"], row.draft): row for row in read.rows}
    after = {row.id: row for row in read.rows}
    destinations, wrong = await destinations_of(wanted, read)
    plan.bad += wrong
    for each in wanted:
        before = known.get((each.source, each.draft))
        intent = "draft" if each.draft else "live"
        body: dict[str, Any] = {"source": each.source, "intent": intent, "destination": None}
        if each.to == REMOVED:
            if before is None:
                plan.bad.append(BadLine(each.line, f"there is no redirect from {each.source}"))
            else:
                plan.staged.append(Staged(each.line, body, before, None))
                del after[before.id]
            continue
        if each.line not in destinations:
            continue
        body["destination"] = destinations[each.line]
        body["captureWildcard"] = each.capture
        permanent = each.permanent
        if permanent is None:
            permanent = before is None or before.permanent
        body["permanent"] = permanent
        leads, title = await read.paths.leads(body["destination"])
        row = RedirectRow(
            f"line {each.line}", each.source, leads or title, each.draft,
            permanent, each.capture, leads,
        )  # fmt: skip
        if before is not None and _same(before, body):
            plan.same += 1
            continue
        plan.staged.append(Staged(each.line, body, before, row))
        if before is not None:
            del after[before.id]
        after[row.id] = row
    plan.bad.sort(key=lambda each: each.line)
    named = await asyncio.to_thread(with_troubles, after.values(), read.paths)
    new = {each.after.id for each in plan.staged if each.after is not None}
    plan.notes = [f"{row.source}: {row.trouble}" for row in named if row.trouble and row.id in new]
    return plan


async def destinations_of(
    wanted: Sequence[Wanted], read: RedirectsRead
) -> tuple[dict[int, dict[str, str]], list[BadLine]]:
    """Return the destinations of a file's lines by number, and the faults of others.

    A line may lead to a path that only a redirect holds for, of the file or of the site: a chain.
    One that leads back to itself is wrong. Raises ``ApiError``.
    """
    paths, found = read.paths, dict[int, dict[str, str]]()
    rules = dict(rules_of(read.rows, paths).rules)
    lines = {each.source: each.line for each in wanted if not each.draft}
    through: dict[int, str] = {}
    """The paths at which the site itself shows nothing, by the lines that lead there."""
    bad: list[BadLine] = []
    for each in wanted:
        if not each.draft:
            rules.pop(each.source, None)
        if each.to == REMOVED:
            continue
        try:
            found[each.line] = await paths.destination(each.to)
            leads = (await paths.leads(found[each.line]))[0]
        except ValueError as error:
            path = path_on(each.to, read.site.address or None)
            if path is None:
                bad.append(BadLine(each.line, f"{clean(each.to, limit=100)}: {error}"))
                continue
            leads = through[each.line] = path.rstrip("/") or "/"
        if not each.draft:
            rules[each.source] = Rule(each.source, leads, each.capture)
    held = Rules(rules, paths.titles())

    def follow() -> None:
        for each in wanted:
            why = ""
            if each.line in through:
                why = _nothing_there(held, each, through, lines)
                url = web_address(f"{read.site.address}{through[each.line]}")
                if not why and not url:
                    why = "the site has no address yet: write a path that it shows"
                found[each.line] = {"kind": "external", "url": url}
            if each.line in found:
                loop = () if each.draft else held.loop(each.source)
                why = f"a loop{_at(loop, lines)}" if loop else why
            if why:
                del found[each.line]
                bad.append(BadLine(each.line, f"{clean(each.to, limit=100)}: {why}"))

    await asyncio.to_thread(follow)  # a file may have thousands of lines
    return found, bad


def _nothing_there(
    rules: Rules, each: Wanted, through: Mapping[int, str], lines: Mapping[str, int]
) -> str:
    """Say so where a path that the site does not show leads to nothing by redirects either."""
    way = rules.follow(through[each.line])
    if way.end == "loop":
        return f"it leads into a loop{_at(way.sources, lines)}"
    last = lines.get(way.sources[-1]) if way.sources else each.line
    if last in through and way.at.startswith("/") and way.at not in rules.shown:
        return f"the site shows nothing at {clean(way.at)}"
    return ""


def _at(sources: Sequence[str], lines: Mapping[str, int]) -> str:
    named = sorted({lines[source] for source in sources if source in lines})
    said = listed([f"{number}" for number in named])
    return f" of {'line' if len(named) == 1 else 'lines'} {said}: {' to '.join(sources)}"


def _same(before: RedirectRow, body: Mapping[str, Any]) -> bool:
    was = before.body
    return bool(
        was["destination"] == body["destination"]
        and was["captureWildcard"] == body["captureWildcard"]
        and was["permanent"] == body["permanent"]
    )


class ImportCommands(Commands, scope="redirects"):
    """Redirects from a file."""

    place: RedirectsPlace

    @command("import", "FILE", uses=("apply_site_redirects", "list_space_pages"), takes="none")
    async def import_file(self, rest: str) -> None:
        """Make, change and remove redirects as a CSV file says, once its plan was agreed to.

        The columns are from, to, kind (permanent, temporary), rest (drop, keep) and state (live,
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
            wanted, bad = await asyncio.to_thread(read_file, rest)
        except (OSError, RuntimeError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else None
            here.say(f"Not read: {clean(said or str(error))}: {clean(rest)}", "warn")
            return
        me = here.session.me.id if here.session.me is not None else None
        api = await here.session.ready()
        plan = await plan_of(wanted, bad, await read_redirects(api, here.tabs.ids, me))
        name = clean(Path(rest).name, limit=40)
        if not plan.staged:
            lines = plan.lines() or ["The file has no redirect in it."]
            await here.desk.push_screen_wait(Notice(f"Nothing to send of {name}", lines))
            return
        count = plural(len(plan.staged), "redirect")
        sheet = Confirm(f"Import {count} from {name}", plan.lines(), verb="send")
        if await here.desk.push_screen_wait(sheet):
            await self._send(plan.staged)

    async def _send(self, staged: Sequence[Staged]) -> None:
        here, group = self.place, secrets.token_hex(8)
        refused: list[str] = []
        done = 0
        try:
            for start in range(0, len(staged), BULK_LIMIT):
                part = staged[start : start + BULK_LIMIT]
                found = await self._put(part, group)
                for each, result in zip(part, found.results, strict=False):
                    if result.status == "error":
                        why = clean(result.error or "it was refused", limit=300)
                        refused.append(f"line {each.line}: {clean(result.source)}: {why}")
                    else:
                        done += 1
        finally:
            here.read_again()
        here.tell(f"{plural(done, 'redirect')} done, {len(refused)} refused. u undoes them.",
                  "warn" if refused else "good")  # fmt: skip
        if refused:
            await here.desk.push_screen_wait(Notice("The service refused", _some(refused)))

    async def _put(self, part: Sequence[Staged], group: str) -> RedirectResults:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.redirect import SiteRedirectsPut

        ids = self.place.tabs.ids
        sent = SiteRedirectsPut.model_validate({"redirects": [each.body for each in part]})

        def back(found: RedirectResults) -> Any:
            pairs = list(zip(part, found.results, strict=False))
            made = [
                {"source": each.body["source"], "draft": each.body["intent"] == "draft"}
                for each, r in pairs
                if r.status == "created"
            ]
            former = [
                each.before.body
                for each, r in pairs
                if r.status in ("updated", "deleted") and each.before is not None
            ]
            return redirects_put(ids, made, former)

        return await self.place.writer.perform(
            "Import redirects",
            plural(len(part), "redirect"),
            lambda api: api(ops.apply_site_redirects, *ids, sent),
            reversal=back,
            group=group,
            now=True,
        )
