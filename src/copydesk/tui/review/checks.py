"""Checks in a review: running them, and walking through what they find."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from copydesk.domain.page_text import PageText
from copydesk.domain.suggestion import SourceLines
from copydesk.domain.text import clean, plural
from copydesk.session.checks import USES, CheckedPage, CheckOutcome, hiding, read_pages, run_checks
from copydesk.tui.dialogs.dialog import Notice
from copydesk.tui.framework.actions import NotYet, action, command
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.keyboard import tell_failures
from copydesk.tui.review.diff import RowFindings
from copydesk.tui.review.guards import HasReview, ReviewCommands, not_read
from copydesk.tui.review.pages import PageReader

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.checks import Check, Finding
    from copydesk.session.reads.review import OpenedRequest
    from copydesk.tui.framework.place import Place

GROUP = "checks"
"""The read that runs the checks."""

UNREAD = 10
"""So many lines of an output that cannot be read are shown."""


Checked: TypeAlias = tuple[list[CheckedPage], list[CheckOutcome], set[str]]
"""The pages that were checked, what came of it, and which findings are hidden."""


class PageFindings(NamedTuple):
    """The findings on a page that are not hidden, by line: in what was changed, and before."""

    new: list[Finding]
    older: list[Finding]


def no_finding(here: HasReview) -> str | None:
    """Say so when no check has found anything that is shown."""
    checks = here.commands_of(CheckCommands)
    if checks.running:
        return NotYet("The checks are running.")
    if not checks.outcomes:
        return "Nothing is checked yet: % checks it."
    return None if checks.stops else "The checks found nothing in what is changed here."


def while_found(here: HasReview) -> str:
    """Return the label of the key that goes to the next finding, or "" while there is none."""
    found = len(here.commands_of(CheckCommands).stops)
    return f"finding ({found})" if found else ""


def while_checked(here: HasReview) -> str:
    """Return the label of the key that runs the checks, or stops them."""
    return "stop checks" if here.commands_of(CheckCommands).running else "check"


class FindingKeys(ReviewCommands, scope="finding"):
    """What one does with what a check says of the row under the cursor."""

    @action("x", "hide finding", show=16, group="Checks", override=True)
    async def hide(self) -> None:
        """Hide what checks say of this row for as long as its line is as it is."""
        await self.place.commands_of(CheckCommands).hide(self.here.diff.findings.here)


class CheckCommands(ReviewCommands, scope="review"):
    """Runs the checks of a review, and goes from one finding to the next."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.on_finding = FindingKeys(place)
        self.outcomes: Sequence[CheckOutcome] = ()
        """What the checks found when they ran last."""
        self._pages: dict[str, CheckedPage] = {}
        self._lines: dict[str, Sequence[str]] = {}
        self._hidden: set[str] = set()
        self._by_page: Mapping[str, PageFindings] = {}

    @property
    def running(self) -> bool:
        """Whether checks are running."""
        return self.place.reads.under_way(GROUP)

    # Running

    def opened(self, *, first: bool) -> None:
        """Run the checks that run when a review is opened."""
        if self.outcomes:
            begin(self.place, self._look_at_hidden, name="hidden")
        checks = [each for each in self.place.session.checks if each.when == "open"]
        if first and checks:
            opened = self.model.known
            self.place.reads.load(
                GROUP,
                lambda api: self._read(api, opened, checks),
                self._came,
                what=f"Checking {self.model.numbered}",
                kept="never",
            )

    async def _look_at_hidden(self) -> None:
        """Draw the findings anew where another one is hidden by now, as after an undo."""
        hidden = await asyncio.to_thread(self.place.session.hidden.read)
        if hidden != self._hidden:
            self._hidden = hidden
            self._show()

    @action("%", "check", unless=not_read, show=5, group="Checks", now=while_checked, uses=USES)
    def check(self) -> None:
        """Check what is changed here: links, headings, pictures, and by `[checks]` commands.

        Again it stops them.
        """
        if self.running:
            self.place.reads.cancel(GROUP)
            self.place.say("The checks are stopped.", "warn")
        else:
            begin(self.place, self._run, name="checks")

    async def _run(self) -> None:
        await tell_failures(self.place, self._check())

    async def _check(self) -> None:
        opened, session = self.model.known, self.place.session
        api = await session.ready()
        found = await self.place.reads.now(
            GROUP,
            lambda: self._read(api, opened, session.checks),
            f"Checking {self.model.numbered}",
            long=True,
        )
        if found is not None:
            self._came(found)

    async def _read(self, api: Api, opened: OpenedRequest, checks: Sequence[Check]) -> Checked:
        pages = await read_pages(api, opened)
        outcomes = [each async for each in run_checks(checks, pages)]
        return pages, outcomes, await asyncio.to_thread(self.place.session.hidden.read)

    def _came(self, found: Checked) -> None:
        pages, self.outcomes, self._hidden = found
        self._pages = {page.id: page for page in pages}
        self._lines = {page.id: SourceLines(page.source).lines for page in pages}
        self._show()
        self.place.say(*self._told())

    def _told(self) -> tuple[str, str]:
        """Return what came of the checks, and its tone."""
        wrong = [each.said for each in self.outcomes if each.trouble]
        found, older = len(self.stops), sum(len(each.older) for each in self.outcomes)
        more = f" {older:,} in older text: zR shows them." if older else ""
        if wrong:
            return f"{' '.join(wrong)} :checks lists all.", "warn"
        if not found:
            return f"The checks found nothing in what is changed.{more}", "good"
        return f"{plural(found, 'line')} with findings: ) goes to the next.{more}", "warn"

    # What is found

    def said_of(self, key: str, page: PageText) -> Mapping[int, RowFindings]:
        """Return what checks say of the rows of a page, by its id, if they saw it as it is."""
        checked = self._pages.get(key)
        if checked is None or checked.source != page.source:
            return {}
        shown = self._by_page.get(checked.id, PageFindings([], []))
        rows = page.rows_of_lines(each.line for each in (*shown.new, *shown.older))
        found: dict[int, tuple[list[Finding], list[Finding]]] = {}
        for at, findings in enumerate((shown.new, shown.older)):
            for each in findings:
                found.setdefault(rows[each.line], ([], []))[at].append(each)
        return {
            row: RowFindings(tuple(here), tuple(before)) for row, (here, before) in found.items()
        }

    def _show(self) -> None:
        """Draw the findings anew, without those that are hidden: the footer counts them often."""
        found = {page: PageFindings([], []) for page in self._pages}
        for outcome in self.outcomes:
            for each in outcome.findings:
                if not self._is_hidden(each):
                    found[each.page].new.append(each)
            for each in outcome.older:
                if not self._is_hidden(each):
                    found[each.page].older.append(each)
        for shown in found.values():
            shown.new.sort(key=lambda each: each.line)
            shown.older.sort(key=lambda each: each.line)
        self._by_page = {page: shown for page, shown in found.items() if any(shown)}
        self.here.diff.findings.changed()
        self.place.refresh_frame()

    def _is_hidden(self, finding: Finding) -> bool:
        return bool(self._hidden) and finding.key(self._lines[finding.page]) in self._hidden

    @property
    def stops(self) -> list[tuple[str, int]]:
        """The lines with findings, by page, in the order of the tree."""
        return list(self._stops())

    def _stops(self) -> Iterator[tuple[str, int]]:
        for change in self.model.shown if self._by_page else ():
            if (shown := self._by_page.get(change.id)) is not None:
                lines = dict.fromkeys(each.line for each in shown.new)
                yield from ((change.id, line) for line in lines)

    @action(")", "finding", unless=(not_read, no_finding), show=9, group="Checks", now=while_found)
    def next_finding(self) -> None:
        """Go to the next finding, over the borders of pages; at the end it begins again."""
        self._step(1)

    @action("(", "previous finding", unless=(not_read, no_finding), show=False, group="Checks")
    def previous_finding(self) -> None:
        """Go to the previous finding, over the borders of pages."""
        self._step(-1)

    def _step(self, by: int) -> None:
        """Go to the next row with findings on this page, else to the page that has some."""
        diff = self.here.diff
        here = -1 if diff.line is None else diff.line
        if self.place.view == "changes" and diff.page is not None:
            rows = [row for row in diff.findings.rows if (row - here) * by > 0]
            if rows:
                self._arrive(rows[0] if by > 0 else rows[-1])
                return
        pages = list(dict.fromkeys(page for page, _ in self.stops))
        order = [change.id for change in self.model.shown]
        at = self.model.page_at
        further = [page for page in pages if (order.index(page) - at) * by > 0]
        page = further[0 if by > 0 else -1] if further else pages[0 if by > 0 else -1]
        self.place.choose_view("changes")
        reader = self.place.commands_of(PageReader)
        again = "" if further else f"From the {'start' if by > 0 else 'end'} again. "
        reader.show_page(page, lambda: self._first(by, again))

    def _first(self, by: int, again: str) -> None:
        rows = self.here.diff.findings.rows
        if not rows:
            self.place.say("This page changed since it was checked: % checks again.", "warn")
            return
        self._arrive(rows[0] if by > 0 else rows[-1], again)

    def _arrive(self, row: int, again: str = "") -> None:
        self.here.diff.go_to_line(row)
        self.here.diff.focus()
        said = " ".join(each.said for each in self.here.diff.findings.here)
        self.place.say(f"{again}{said}")

    async def hide(self, findings: Sequence[Finding]) -> None:
        """Hide findings, on this machine."""
        keys = [each.key(self._lines[each.page]) for each in findings]
        hidden = self.place.session.hidden

        async def send(api: Api) -> None:
            await asyncio.to_thread(hidden.hide, keys)

        await self.place.writer.perform(
            "Hide",
            f"{self.model.numbered} {findings[0].check}",
            send,
            reversal=hiding(keys),
            done="Hidden while the line is so. u or :checks all shows it again.",
        )
        self._hidden.update(keys)
        self._show()

    @command("checks", complete=lambda here: ("all",))
    async def list_runs(self, rest: str) -> None:
        """List what each check found; :checks all shows hidden findings again."""
        if rest.strip() == "all":
            await self._unhide()
            return
        if not self.outcomes:
            self.place.say("Nothing is checked yet: % checks it.", "warn")
            return
        facts: list[str] = []
        for outcome in self.outcomes:
            facts.append(outcome.said)
            facts += [f"  {clean(line)}" for line in outcome.unread[:UNREAD]]
            if len(outcome.unread) > UNREAD:
                facts.append(f"  and {len(outcome.unread) - UNREAD:,} more")
        keys = {
            each.key(self._lines[each.page])
            for outcome in self.outcomes
            for each in (*outcome.findings, *outcome.older)
        }
        if hidden := len(keys & self._hidden):
            facts.append(f"{plural(hidden, 'finding')} hidden: :checks all shows them again.")
        await self.place.desk.push_screen_wait(Notice("Checks", facts))

    async def _unhide(self) -> None:
        keys = [
            key
            for outcome in self.outcomes
            for each in (*outcome.findings, *outcome.older)
            if (key := each.key(self._lines[each.page])) in self._hidden
        ]
        await asyncio.to_thread(self.place.session.hidden.show, keys)
        self._hidden.difference_update(keys)
        self._show()
        self.place.say(f"{plural(len(keys), 'hidden finding')} shown again.")
