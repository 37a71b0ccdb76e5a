"""The list of change requests: a view narrows it, a filter narrows that, and marks hold.

What is on screen stays: a row that no longer belongs to the view, or that only now turns out to,
waits for ``.``. A row is shown once enough has been read to judge it.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.filter import Fields, Query, fold, quoted
from copydesk.domain.text import listed
from copydesk.present.change_request import fields, needs
from copydesk.session.change_rows import ASKED, AT_ONCE, THREADS, ChangeRow
from copydesk.session.listings import (
    COUNTED_ROWS,
    FIRST,
    LISTINGS,
    MOST_THREADS,
    STATUSES,
    THREADS_READ,
    Listing,
)
from copydesk.tui.framework.pane import Found
from copydesk.tui.framework.source import FilteredSource, Source
from copydesk.tui.widgets.list import Marking, VirtualList, rows_around

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.snooze import Snooze
    from copydesk.tui.changes.screen import ChangesPlace

Judge = Callable[[ChangeRow], bool | None]
"""Whether a row belongs to the view; None when that is not known yet."""


class TriageSource(FilteredSource[ChangeRow]):
    """The rows of a view: those judged to belong there, and those that did until now."""

    def __init__(self, base: Source[ChangeRow]) -> None:
        self._judge: Judge | None = None
        self._kept: set[str] = set()
        self._refused: set[str] = set()
        self._late: set[str] = set()
        self._left: set[str] = set()
        self.unjudged: dict[str, None] = {}
        """Ids of rows that cannot be judged yet, in the order of the list."""
        self.presumed: Collection[str] = ()
        """Ids of rows that show until they are judged: they belonged there before."""
        super().__init__(base)

    def judge_by(self, judge: Judge | None, text: str, *, keep: bool = False) -> None:
        """Show other rows: a view or a filter was chosen. ``text`` is the typed filter.

        With ``keep`` what is shown stays until it is folded.
        """
        shown = {row.id for row in self.shown()} if keep else set()
        self._judge = judge
        self._forget()
        self._kept |= shown
        self.where(None if judge is None else self._admit, text)

    def _forget(self) -> None:
        for ids in (self._kept, self._refused, self._late, self._left):
            ids.clear()
        self.unjudged.clear()

    def _admit(self, row: ChangeRow) -> bool:
        assert self._judge is not None
        row_id, found = row.id, self._judge(row)
        if found is None:
            self.unjudged[row_id] = None
            if row_id in self.presumed and not self.text:
                self._kept.add(row_id)
            return row_id in self._kept
        self.unjudged.pop(row_id, None)
        if row_id in self._kept:
            self._left.discard(row_id) if found else self._left.add(row_id)
            return True
        if found and row_id in self._refused:
            self._late.add(row_id)
            return False
        (self._kept if found else self._refused).add(row_id)
        self._late.discard(row_id)
        return found

    def again(self) -> None:
        """Judge every row anew, a slice at a time; rows on screen stay until they are folded."""
        if self.filtering:
            self._again()

    def learned(self, rows: Iterable[ChangeRow]) -> None:
        """Judge rows anew whose details were read; the others stay as they are."""
        if self._judge is None:
            return
        place = self.base.index_of
        for row in rows:
            at = place(row.id)
            now = None if at is None else self.base.row(at)
            if at is None or now is None or at >= self._scanned:
                continue
            if not self._admit(now) or row.id in self._index:
                continue
            where = bisect_left(self._rows, at, key=lambda each: place(each.id) or 0)
            self._rows.insert(where, now)
            for index in range(where, len(self._rows)):
                self._index[self._rows[index].id] = index
        self.notify("grown")

    def belongs(self, row_id: str) -> bool:
        """Return whether a row that is shown still belongs there."""
        return row_id not in self._left

    @property
    def matching(self) -> int | None:
        """How many rows belong to the view; None while that is not known."""
        if self._judge is None:
            return self.base.count
        if self.unjudged or not self._done:
            return None
        return len(self._rows) - len(self._left) + len(self._late)

    @property
    def checked(self) -> tuple[int, int]:
        """How many rows have been judged, of how many."""
        return self.base.loaded - len(self.unjudged), self.base.count or self.base.loaded

    @property
    def waiting(self) -> int:
        """How many rows came to the view or left it, and wait to be folded in."""
        return self.base.waiting + len(self._late) + len(self._left)

    def fold(self) -> None:
        """Show the view as it is now."""
        self._forget()
        self.presumed = ()
        waited = self.base.waiting
        self.base.fold()
        if not waited and self.filtering:
            self._again()


class ChangesList(Marking, VirtualList[ChangeRow]):
    """The list of change requests, with those that the view and the filter leave out hidden."""

    judge: Triage
    """Judges the rows, and tells its progress and the number of hidden rows."""

    def _adopt(self, source: Source[ChangeRow]) -> None:
        super()._adopt(source if isinstance(source, TriageSource) else TriageSource(source))

    def waits_changed(self) -> None:
        """Mark the requests that wait by now."""
        self.refresh_rows()

    @property
    def triage(self) -> TriageSource:
        """The source of its rows, which are judged before they are shown."""
        source = self.source
        assert isinstance(source, TriageSource)
        return source

    # The filter

    def find(self, text: str, *, keep: bool = False) -> bool:
        """Filter as you type. Raises ValueError with the sentence of a filter that is wrong.

        With ``keep`` what is shown stays until it is folded.
        """
        judge = self.judge.judge_for(text)
        self.triage.judge_by(judge, text.strip(), keep=keep)
        return True

    def find_clear(self) -> bool:
        """Show the whole view again."""
        return bool(self.found) and self.find("")

    def find_next(self, direction: int) -> Found:
        """Step through the matches."""
        return "beyond" if self.found and self.move(direction) else ""

    @property
    def found(self) -> str:
        return self.source.text

    # What is said around the rows

    def title_line(self) -> str:
        """Return the view, the filter, the order, how many of how many, and the marks."""
        source = self.source
        parts = [self.title]
        if source.text:
            parts.append(f"filter: {source.text}")
        if self.note:
            parts.append(self.note)
        if source.text:
            parts.append(source.says)
        elif source.filtering and (total := self.judge.total) is not None:
            parts.append(f"{source.loaded} of {total}")
        elif source.count is not None and source.base.loaded < source.count:
            parts.append(f"{source.base.loaded} of {source.count} read")
        parts.append(self.judge.progress())
        if self.marks:
            parts.append(self.count_marks())
        return "   ".join(part for part in parts if part)

    def _nothing_line(self, width: int) -> list[str]:
        source = self.source
        if source.busy or not source.filtering or not (source.text or self.triage.unjudged):
            text = self.reading if source.busy else self.nothing_said(self.empty)
        elif self.triage.unjudged:
            text = self.judge.progress() or self.reading
        else:
            meant = self.sought_as_text or self.judge.nearest()
            text = f"{source.says}. Esc clears the filter. {meant}".rstrip()
        return [line.plain.rstrip() for line in Text(text).wrap(self.app.console, width)]

    @property
    def tail(self) -> Sequence[str]:
        return self.judge.last_lines() if self.source.base.complete else ()

    def unjudged(self, most: int) -> list[ChangeRow]:
        """Return the next rows that cannot be judged yet."""
        base = self.source.base
        found: list[ChangeRow] = []
        for row_id in islice(self.triage.unjudged, most):
            at = base.index_of(row_id)
            row = None if at is None else base.row(at)
            if row is not None:
                found.append(row)
        return found


class Triage:
    """Judges rows by the view and the filter, and reads what these turn on."""

    def __init__(self, place: ChangesPlace) -> None:
        self.place = place
        self.known = place.known
        self.fields: Fields[ChangeRow] = fields(self.known, self.offers)
        self._needs: frozenset[str] = frozenset()
        """What must be read of rows to judge them, for the view and the filter that are on."""
        self._asleep: set[str] = set()
        self._spared = False
        """Whether the rest was left unread, to spare the service."""
        self.show_snoozed = False

    # What the filter asks

    def offers(self, key: str) -> Iterable[str]:
        """Return who and where there is among the rows that have been read."""
        if key in ("author", "by"):
            return sorted(self.place.people)
        if key == "label":
            return self.place.session.marks.labels
        if key == "space":
            return sorted({info.title for info in self.known.spaces.known.values()})
        if key == "asked":
            found = (self.known.last_details(row) for row in self.place.rows.source.base.shown())
            return sorted({name for each in found if each for name in each.asked or ()})
        return ()

    def nearest(self) -> str:
        """Return a guess at the filter that was meant, where nothing matches."""
        from rapidfuzz import fuzz, process

        query = Query.parse(self.place.rows.found, self.fields)
        for term in query.terms:
            if term.key in ("is", "status") and not term.negated:
                held = [each for each in STATUSES if term.value in each]
                if held and not any(each in self.place.listing.statuses for each in held):
                    names = [each.title for each in LISTINGS if each.statuses == (held[0],)]
                    where = f" f goes to {names[-1]}." if names else ""
                    held_here = listed(self.place.listing.statuses)
                    return f"This view holds only what is {held_here}.{where}"
            if "," in term.value or (term.key is None and term.value == "or"):
                return "All parts must hold: there is no “or”, and each key takes one value."
            if term.key not in ("author", "by", "space"):
                continue
            known = {fold(each): each for each in self.offers(term.key)}
            near = process.extractOne(term.value, list(known), scorer=fuzz.WRatio, score_cutoff=50)
            if near is not None:
                return f"Nearest: {term.key}:{quoted(known[near[0]])}."
        return ""

    # What sleeps

    def read_sleepers(self) -> None:
        """Read what sleeps on this machine."""

        async def read(api: Api) -> None:
            await self.place.session.snoozed.read()
            await self.place.session.marks.read()

        def arrived(nothing: None) -> None:
            if self.sleepers:
                self.judge_again()
            self.show_marks()

        self.place.reads.load("snoozes", read, arrived, what="Reading what is snoozed", local=True)

    def show_marks(self) -> None:
        """Show the reader's own marks as they are now, also in what the filter holds."""
        place = self.place
        place.rows.refresh_rows()
        place.details.show_facts()
        text = f"{place.rows.found} {place.listing.filter}"
        if "label" in text or "starred" in text:
            self.judge_again(keep=True)

    @property
    def sleepers(self) -> dict[str, Snooze]:
        """What was put aside, whether it still sleeps or not."""
        return self.place.session.snoozed.held

    # Judging

    def judge_for(self, text: str) -> Judge | None:
        """Return the judge of rows by view and typed filter; None where all belong.

        Raises ValueError with a sentence for a filter that is wrong.
        """
        listing = self.place.listing
        typed = Query.parse(text, self.fields)
        if typed.wrong is not None:
            raise ValueError(typed.wrong)
        view = Query.parse(listing.filter, self.fields)
        if wrong := _unclear(view):
            self._needs, self.place.rows.empty = (
                frozenset(),
                f"This view is not understood: {wrong}",
            )
            return lambda row: False
        awake = not self.show_snoozed and self.sleepers and "snoozed" not in f"{text} {view.text}"
        self._needs = needs(view) | needs(typed)
        self._asleep.clear()
        self._spared = False
        if typed.empty and view.empty and not awake:
            return None
        statuses = frozenset(listing.statuses) if listing.filter else None

        def judge(row: ChangeRow) -> bool | None:
            if statuses is not None and row.status not in statuses:
                return False
            # Those of the last run were in the view: that holds until those of the service come.
            found = True if self.place.cached and not typed.text else view.judge(row)
            if found is not False:
                more = typed.judge(row)
                found = more if more is not True else found
            if awake and found is not False and self.known.snoozed(row):
                self._asleep.add(row.id)
                return False
            self._asleep.discard(row.id)
            return found

        return judge

    def judge_again(self, *, keep: bool = False) -> None:
        """Judge every row anew, because the view, the filter or the snoozed rows changed."""
        self.place.rows.find(self.place.rows.found, keep=keep)
        self.check()

    # Reading

    def check(self) -> None:
        """Read, in the background, what the view and the filter turn on."""
        self.place.reads.cancel("check")
        if self._needs or self.place.listing.filter:
            self.place.reads.load(
                "check", self._check, lambda _: self._checked(), what="Checking", kept="away"
            )

    async def _check(self, api: Api) -> None:
        if ASKED in self._needs and await self.known.know_asked(api, self.place.scope):
            self.place.rows.triage.again()
        await self._know_spaces(api)
        # What was judged before is read again when somebody asked for that (R).
        read = self.place.rows.source.base.shown() if self._needs else iter(())
        old = iter([row for row in read if self.is_old(row)])
        tried: set[str] = set()
        while True:
            rows = [row for row in self._next_due() if row.id not in tried][:AT_ONCE]
            rows = rows or list(islice((each for each in old if self.is_old(each)), AT_ONCE))
            if not rows:
                if not await self._more_rows():
                    return
                await self._know_spaces(api)
                continue
            if not self.place.session.may_spend:
                self._spared = True
                return
            tried.update(row.id for row in rows)
            await self.place.reads.rested()
            await self.known.read_rows(api, self.place.scope, rows, self._needs)
            self.learned(rows)

    async def _know_spaces(self, api: Api) -> None:
        """Read the spaces of the rows, whose rights a filter may ask for."""
        spaces = {row.space for row in self.place.rows.source.base.shown()}
        if not spaces <= self.known.spaces.known.keys():
            await self.known.spaces.learn(api, self.place.scope.organization, spaces)
            self.place.rows.triage.again()

    async def _more_rows(self) -> bool:
        """Wait for rows that are being read; False when no more will come."""
        running = getattr(self.place.rows.source.base, "running", None)
        if running is None:
            return False
        await asyncio.wait([running])
        return True

    def _next_due(self) -> list[ChangeRow]:
        """Return rows to read: those on screen first, then those that cannot be judged yet."""
        if not self._needs:
            return []
        on_screen = rows_around(self.place.rows)
        due = [row for row in on_screen if self.known.due(row, self._needs)]
        if len(due) < AT_ONCE:
            due += self.place.rows.unjudged(AT_ONCE * 8)
        return due

    def is_old(self, row: ChangeRow) -> bool:
        """Whether the parts of a row were read before somebody asked to read them again."""
        found = self.known.details(row)
        return (
            found is not None and found.read_at is None and bool(self.known.due(row, self._needs))
        )

    def learned(self, rows: Sequence[ChangeRow]) -> None:
        """Judge rows anew whose details were read."""
        self.place.rows.triage.learned(rows)
        self.place.rows.redraw(rows)
        self.place.rows.retitle()

    def _checked(self) -> None:
        self.count_views()
        self.place.row_reader.keep_shown()
        self.place.rows.retitle()
        self.place.look()

    @property
    def total(self) -> int | None:
        """How many rows the view is chosen from, in the last run while its rows are shown."""
        kept = self.place.row_reader.kept.total if self.place.cached else None
        return self.place.rows.source.base.count if kept is None else kept

    def progress(self) -> str:
        """Return how far the reading is that the view waits for."""
        if self.place.cached or not self._needs or not self.place.rows.triage.unjudged:
            return ""
        done, of = self.place.rows.triage.checked
        why = ", spared the service (R goes on)" if self._spared else ""
        return f"checked {done} of {of}{why}"

    # Counting

    async def read_for_counts(self, api: Api) -> None:
        """Read what tells how much waits on the reader: a request, and one for each row with
        threads, unless these rows, or the threads of one of them, are very many.
        """
        me, base = self.place.session.me, self.place.rows.source.base
        if me is None:
            return
        await self.known.know_asked(api, self.place.scope)
        rows = [r for r in islice(base.shown(), COUNTED_ROWS) if 0 < r.threads <= MOST_THREADS]
        rows = [row for row in rows if row.status == "open" and self.known.due(row, {THREADS})]
        if len(rows) <= THREADS_READ and self.place.session.may_spend:
            for at in range(0, len(rows), AT_ONCE):
                await self.place.reads.rested()
                await self.known.read_rows(
                    api, self.place.scope, rows[at : at + AT_ONCE], {THREADS}
                )
            self.learned(rows)

    def count_views(self) -> None:
        """Count the views that the service cannot count, from the rows that are read."""
        base, here = self.place.rows.source.base, self.place.listing
        everything = base.complete and base.loaded <= COUNTED_ROWS and not here.who
        for listing in self.place.view_listings():
            if not listing.filter:
                continue
            if _unclear(Query.parse(listing.filter, self.fields)):
                continue
            if listing.id == self.place.view and not self.place.rows.found:
                self.place.counts[listing.id] = self.place.rows.triage.matching
            elif everything and listing.statuses == here.statuses:
                self.place.counts[listing.id] = self._count_rows(listing)
        if not _unclear(Query.parse(here.filter, self.fields)):
            self.place.rows.say_instead(" ".join([here.empty, *self._elsewhere(here)]))
        self.place.show_views()

    def _elsewhere(self, here: Listing) -> Iterable[str]:
        """Name what else there is to see, for a view of open ones that is empty."""
        if here.id == "needs-me":
            ready, waiting = self.place.counts.get("ready"), self.place.counts.get("waiting")
            others = [f"{ready} ready to merge (])"] if ready else []
            others += [f"{waiting} waiting on the author"] if waiting else []
            if others:
                yield f"{listed(others)}."
        count = self.place.counts.get(FIRST)
        ids = [each.id for each in self.place.view_listings()]
        if count and here.id != FIRST and here.statuses == ("open",):
            key = f"{ids.index(FIRST) + 1} shows {_it(count)}"
            yield f"{count} {'is' if count == 1 else 'are'} open ({key})."
        if here.id == FIRST and self.place.target.space is not None:
            yield "gp reads the pages."

    def _count_rows(self, listing: Listing) -> int | None:
        query, count = Query.parse(listing.filter, self.fields), 0
        for row in self.place.rows.source.base.shown():
            if not self.show_snoozed and self.known.snoozed(row):
                continue
            held = row.status in listing.statuses and query.judge(row)
            if held is None:
                return None
            count += bool(held)
        return count

    # After the last row

    def last_lines(self) -> Sequence[str]:
        """Tell how many rows are hidden, or were in the last run while its rows are shown."""
        if self.place.cached and not self.place.rows.found:
            return self.place.row_reader.kept.last_lines
        source = self.place.rows.source
        said = []
        if source.filtering and not source.text:
            base = source.base
            outside = base.loaded - source.loaded - len(self._asleep)
            if outside > 0 and not self.place.rows.triage.unjudged and not self.place.listing.who:
                kind = "open ones are" if outside > 1 else "open one is"
                said.append(f"{outside} {kind} outside this view." if source.loaded else "")
        if self._asleep:
            said.append(f"{len(self._asleep)} snoozed (B shows {_it(len(self._asleep))}).")
        return [line for line in said if line]


def _unclear(view: Query[ChangeRow]) -> str:
    """Return the mistake in the filter of a view, which nobody sees being typed; "" for none."""
    return next((each.sentence for each in view.problems if not each.unfinished), "")


def _it(count: int) -> str:
    return "it" if count == 1 else "them"
