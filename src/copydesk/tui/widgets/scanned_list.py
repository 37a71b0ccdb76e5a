"""A list that looks through pages as the reader goes on, and says how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from copydesk.domain.text import plural
from copydesk.tui.framework.sources import Change
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.scanned_pages import LookedPages, SiftedPages

T = TypeVar("T")


class LookedList(VirtualList[T]):
    """Rows of `LookedPages`; going down at the end looks through more of them."""

    sifted = ""
    """What the rows of `SiftedPages` are: ``unclustered``."""

    @property
    def _pages(self) -> LookedPages[T] | None:
        base = self.source.base
        return base if isinstance(base, LookedPages) else None

    @property
    def _partial(self) -> bool:
        """Whether rows may be left out of what is shown because nobody has looked at them."""
        return self.source.filtering or isinstance(self._pages, SiftedPages)

    @property
    def goes_on(self) -> bool:
        """Whether there is more to look through than what is shown."""
        pages = self._pages
        return pages is not None and self._partial and not pages.complete

    # Reading on

    def _source_changed(self, change: Change) -> None:
        super()._source_changed(change)
        if change == "state" and self.source.error and self.selected is None and self.is_attached:
            self._tell(None)  # that nothing could be read concerns what shows its rows, too

    def move(self, lines: int) -> bool:
        """Move the cursor; at the end look through more."""
        if lines > 0 and self.cursor + lines >= self.source.length and self.goes_on:
            pages = self._pages
            if pages is not None:
                pages.go_on()
        return super().move(lines)

    def move_last(self) -> bool:
        """Go to the last row, reading everything up to it; `stop_reading` stops that."""
        pages = self._pages
        if pages is not None:
            pages.to_end = True
        return super().move_last()

    # What it says

    def title_line(self) -> str:
        """Return the title, with how many rows were looked at where not all are shown."""
        said, pages = super().title_line(), self._pages
        if isinstance(pages, SiftedPages) and pages.looked:
            found = "" if self.source.filtering else f"{pages.loaded:,} {self.sifted} of "
            said += f"   {found}{pages.looked:,} looked at"
        return said

    def _nothing_line(self, width: int) -> list[str]:
        pages = self._pages
        if isinstance(pages, SiftedPages) and not self.source.filtering and pages.more:
            return [f"None {self.sifted} among {plural(pages.looked, 'row')} looked at."]
        return super()._nothing_line(width)

    @property
    def tail(self) -> Sequence[str]:
        """How to look at more, where there is more."""
        pages = self._pages
        if pages is None or not pages.more or not self._partial:
            return ()
        return ("More is read as you go down (j); G reads all of it.",)
