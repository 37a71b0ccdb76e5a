"""The tree of the pages of a change request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.present import page_changes as present
from copydesk.present.page_changes import Entry
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.list import Column
from copydesk.tui.widgets.tree import TreeList

if TYPE_CHECKING:
    from copydesk.tui.review.model import ReviewModel


class PageTree(TreeList[Entry]):
    """Shows the changed pages, or all, with their open threads and changed lines."""

    def __init__(self, model: ReviewModel) -> None:
        self._model = model
        self._pages: TreeSource[Entry] = TreeSource(
            key=lambda entry: entry.id,
            children=lambda entry: entry.children,
            foldable=lambda entry: bool(entry.children),
        )
        self.everything = False
        """Whether it shows unchanged pages too."""
        self.following = False
        """Whether the cursor was moved by the page in front, and not by the reader."""
        super().__init__(
            self._pages,
            self._page_columns(),
            indent=1,
            title="Pages",
            empty="Reading…",
            sign=self._seen_sign,
            header=False,
            id="pages",
        )

    def show(self) -> None:
        """Show the pages as they were read; the cursor stays on its page."""
        opened = self._model.known
        self.empty = self._model.no_changes
        roots = present.entries(opened.pages, opened.changes, everything=self.everything)
        self._model.changes = present.in_order(roots)
        here = self.selected_id
        self._pages.unfolded |= {entry.id for entry in _walk(roots) if entry.children}
        self._pages.set_roots(roots)
        self.fit()
        if here is not None:
            self.follow(here)

    def fit(self) -> None:
        """Fit the columns to the counts as they are now."""
        self.show_columns(self._page_columns())
        self.refresh_rows()

    def follow(self, page: str) -> None:
        """Put the cursor on a page, without going there."""
        self.following = True
        self.reveal(page)

    def _page_columns(self) -> list[Column[Entry]]:
        """Return the columns: the counts take what they need, the names the rest."""
        entries = [each for each in _walk(self._pages.roots) if each.change is not None]
        threads: Column[Entry] = Column("threads", "", self._thread_count, 1, align="right")
        lines: Column[Entry] = Column("lines", "", self._line_counts, 1, align="right", drop=1)
        return [
            Column("title", "", present.entry_title, flex=1, minimum=14),
            by_content(threads, entries, most=3),
            by_content(lines, entries, most=10),
        ]

    def _thread_count(self, entry: Entry) -> Text:
        count = self._model.open_counts.get(entry.id, 0)
        return Text(str(count), style="accent") if count else Text("")

    def _line_counts(self, entry: Entry) -> Text:
        page = self._model.texts.get(entry.id)
        if entry.change is None or entry.change.thing:
            return Text("")
        if page is None:
            return Text(glyphs().dot, style="muted")
        text = Text()
        if page.diff.added:
            text.append(f"+{page.diff.added}", style="good")
        if page.diff.removed:
            text.append(" " if text else "").append(f"-{page.diff.removed}", style="bad")
        if page.diff.moves and not text:
            text.append("--", style="moved")
        return text

    def _seen_sign(self, entry: Entry) -> str:
        if entry.change is None:
            return ""
        signs = {"seen": glyphs().passed, "changed": glyphs().changed}
        return signs.get(self._model.seen_state(entry.id), "")


def _walk(roots: Sequence[Entry]) -> Iterable[Entry]:
    waiting = list(roots)
    while waiting:
        entry = waiting.pop()
        yield entry
        waiting.extend(entry.children)
