"""Redirects of a site from a CSV file: what becomes of each line, and what is wrong with others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.redirect_file import REMOVED, BadLine, Wanted, read_redirects_file
from copydesk.domain.redirects import Rule, Rules, path_on
from copydesk.domain.text import clean, listed, plural
from copydesk.session.reads.redirects import (
    RedirectRow,
    RedirectsRead,
    rules_of,
    with_troubles,
)

LARGEST = 10 * 1024 * 1024
"""The longest file in bytes."""


@dataclass(frozen=True, slots=True)
class PlannedRedirect:
    """One redirect of a file, as it will be sent; ``before`` is the one that the path has now."""

    line: int
    body: dict[str, Any]
    before: RedirectRow | None
    after: RedirectRow | None

    @property
    def verb(self) -> str:
        """What becomes of it in a word."""
        return "remove" if self.after is None else "add" if self.before is None else "change"

    @property
    def sentence(self) -> str:
        """What becomes of it."""
        if self.after is None:
            return f"{self.verb} {clean(self.body['source'])}"
        return f"{self.verb} {self.after.source} to {self.after.to}, {self.after.said}"


@dataclass
class RedirectPlan:
    """The plan of a redirect file: redirects to send, those that exist, and faulty lines."""

    staged: list[PlannedRedirect] = field(default_factory=list)
    same: int = 0
    gone: int = 0
    """How many lines remove what is not there."""
    bad: list[BadLine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def already(self) -> list[str]:
        """How many lines have nothing to change."""
        said = (
            (self.same, "redirect is there already", "redirects are there already"),
            (self.gone, "redirect is gone already", "redirects are gone already"),
        )
        return [plural(*each) for each in said if each[0]]


def read_file(path: Path, *, pipes: bool = False) -> tuple[list[Wanted], list[BadLine]]:
    """Return the redirects of a file, with ``pipes`` also of one that another program writes.

    Raises ``OSError``, ``ValueError`` with a sentence.
    """
    if path.is_dir():
        raise ValueError("that is a folder")
    if not path.exists():
        raise ValueError("there is no such file")
    if not (pipes or path.is_file()):
        raise ValueError("that is a pipe or a device")
    with path.open("rb") as file:
        return read_from(file)


def read_from(file: BinaryIO) -> tuple[list[Wanted], list[BadLine]]:
    """Return the redirects of a file that is open, as `read_file` does."""
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError("it has more than 10 MiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start + 1:,})") from error
    return read_redirects_file(text)


async def plan_of(
    wanted: Sequence[Wanted], bad: Sequence[BadLine], read: RedirectsRead
) -> RedirectPlan:
    """Return what the redirects of a file come to on a site. Raises ``ApiError``."""
    plan = RedirectPlan(bad=list(bad))
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
                plan.gone += 1
            else:
                plan.staged.append(PlannedRedirect(each.line, body, before, None))
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
        plan.staged.append(PlannedRedirect(each.line, body, before, row))
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
    faults: dict[int, str] = {}
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
            path = path_on(each.to, read.site.address)
            if path is None:
                bad.append(BadLine(each.line, f"{clean(each.to, limit=100)}: {error}"))
                continue
            leads = through[each.line] = path.rstrip("/") or "/"
            faults[each.line] = str(error)
        if not each.draft:
            rules[each.source] = Rule(each.source, leads, each.capture)
    held = Rules(rules, paths.titles())

    def follow() -> None:
        for each in wanted:
            why = ""
            if each.line in through:
                why = _nothing_there(held, each, through, faults, lines)
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
    rules: Rules,
    each: Wanted,
    through: Mapping[int, str],
    faults: Mapping[int, str],
    lines: Mapping[str, int],
) -> str:
    """Say so where a path that the site does not show leads to nothing by redirects either."""
    way = rules.follow(through[each.line])
    if way.end == "loop":
        return f"it leads into a loop{_at(way.sources, lines)}"
    last = lines.get(way.sources[-1]) if way.sources else each.line
    if (
        last is not None
        and last in through
        and way.at.startswith("/")
        and way.at not in rules.shown
    ):
        said = f"the site shows nothing at {clean(way.at)}"
        return faults[last] if way.at == through[last] else said
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
