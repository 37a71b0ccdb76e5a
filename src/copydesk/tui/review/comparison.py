"""What differs between two revisions of a space: the list, and the lines of one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.moments import moment
from copydesk.domain.page_text import PageText
from copydesk.domain.text import clean, plural, shorten, shown_title
from copydesk.present.page_changes import (
    PageTreeLine,
    counted,
    entries,
    entry_title,
    in_order,
    page_signs,
)
from copydesk.present.raw_json import Raw
from copydesk.session.content import ContentOwner
from copydesk.session.operations import ops
from copydesk.session.page_changes import ReviewChange
from copydesk.session.reads import history as reading
from copydesk.session.reads.history import Comparison, RevisionRow
from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, style_path
from copydesk.tui.framework.source import ListSource
from copydesk.tui.review.diff import DiffView
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

REST_SECONDS = 0.12
"""How long the cursor rests on a page before its texts are read."""

TITLE_CELLS = 40
"""Cells of the title of a page in the status line."""

SAME = "Nothing differs: both revisions say the same."


def no_text(here: ComparisonPlace) -> str | None:
    """Say so when no page is compared."""
    return None if here.diff.page is not None else "No page is shown here."


@place(
    "comparison",
    title="Comparison",
    uses=("get_space", "get_revision", "get_revision_page"),
)
class ComparisonPlace(Place, scope="comparison"):
    """What changed between two revisions of a space, page by page.

    ``target.item`` is the earlier, ``target.revision`` the later one. Without an earlier one
    everything is new, without a later one it is the space as it is now. With ``target.page`` it
    opens on that page, or says that it is the same in both.
    """

    RAW = ("get_revision_page",)
    CSS_PATH: ClassVar = style_path("comparison")
    AUTO_FOCUS = "#compared"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.add_class("-in-left")
        self._compared: Comparison | None = None
        self._shown = ""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[ReviewChange] = VirtualList(
            ListSource(key=lambda change: change.id),
            [Column("title", "PAGE", _title, flex=1, minimum=16)],
            title="Changes",
            empty="Comparing…",
            header=False,
            id="compared",
        )
        self.diff = DiffView(id="comparison-diff")
        self.diff.empty = ""
        yield Part("left", self.rows)
        yield Part("main", self.diff)

    def trail(self) -> Iterable[str]:
        yield self._compared.title if self._compared is not None else "space"
        yield "Comparison"

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*super().signs(), *page_signs()[2:]]

    def content(self) -> ContentOwner | None:
        read, change = self._compared, self.rows.selected
        if read is None:
            return None
        page = change if change is not None and not change.thing else None
        return ContentOwner(
            read.space,
            read.title,
            page=page.id if page else "",
            page_title=clean(page.node.title) if page else "",
        )

    def raw(self) -> Raw | None:
        read, change = self._compared, self.rows.selected
        if read is None or change is None or change.thing or change.after is None:
            return None
        ids = (read.space, read.after.id, change.id)
        return Raw(f"page {clean(change.node.title)}", "get_revision_page", ids)

    def status_left(self) -> str:
        """Say which revisions are compared, and first that the page asked for is the same."""
        read = self._compared
        if read is None:
            return super().status_left()
        before = "nothing" if read.before is None else self._named(read.before)
        what = counted(change.kinds for change in read.changes) or "no change"
        return f"{self._same_page(read)}{before} to {self._named(read.after)}: {what}"

    def _same_page(self, read: Comparison) -> str:
        """Return that the page asked for does not differ; "" where it does, or none was."""
        page = self.target.page
        if page is None or any(not each.thing and each.id == page for each in read.changes):
            return ""
        found = next((each for each in read.pages if each.id == page), None)
        if found is None:
            return "The page is in neither. "
        return f"{shorten(clean(found.title) or 'Untitled', TITLE_CELLS)} is the same in both. "

    def _named(self, row: RevisionRow) -> str:
        said = [moment(row.at, self.session.now), row.who]
        said.append("" if row.number is None else f"#{row.number}")
        return " ".join(filter(None, said)) or clean(row.id)

    # Reading

    def reload(self) -> None:
        space, before, after = self.target.space, self.target.item, self.target.revision
        if space is None or (before is None and after is None):
            self._say("No revisions are chosen. g h lists those of a space.")
            return

        async def read(api: Api) -> Comparison:
            later = after or (await api(ops.get_space, space)).revision
            return await reading.read_comparison(api, space, before, later)

        self.reads.load("compared", read, self._came, what="Comparing", failed=self._say)

    def poll(self) -> None:
        """Read nothing: revisions never change."""

    def _say(self, said: str) -> None:
        self.rows.say_instead(said)
        self.diff.show(None, {})

    def _came(self, read: Comparison) -> None:
        self._compared = read
        roots: Sequence[PageTreeLine] = entries(read.pages, read.changes)
        changes = in_order(roots)
        self.rows.empty = SAME
        self.rows.source.listed.set(changes)
        self.rows.title = plural(len(changes), "change")
        self.rows.retitle()
        self.rows.refresh_rows()
        wanted = self._shown or self.target.page
        if wanted is None or not self.rows.select(wanted):
            self.rows.move_first()
        self._shown = ""
        self.show_change()
        self.refresh_frame()

    def follow_cursor(self, rows: Pane) -> None:
        if rows is self.rows:
            self.show_change(after=REST_SECONDS)

    def show_change(self, *, after: float = 0) -> None:
        """Show the lines of what is under the cursor."""
        read, change = self._compared, self.rows.selected
        if read is None or change is None:
            self.diff.show(None, {})
            return
        if change.id == self._shown:
            return
        self._shown = change.id
        self.diff.title = shown_title(change.node.title)
        self.diff.empty = "Reading…"
        self.diff.show(None, {})

        def came(page: PageText) -> None:
            self.diff.empty = ""
            self.diff.show(page, {})

        def failed(said: str) -> None:
            self._shown = ""
            self.diff.empty = said
            self.diff.show(None, {})

        self.reads.load(
            "page",
            lambda api: reading.read_compared(api, read, change),
            came,
            what="Reading both texts",
            of=change.id,
            failed=failed,
            after=after,
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self.show_pane(self.diff)

    @action("J", "next change", word="next", unless=no_text, show=8, group="Read")
    def next_change(self) -> None:
        """Go to the next changed lines of the page."""
        self._step(1, "No later change on this page.")

    @action("K", "previous change", word="previous", unless=no_text, show=False, group="Read")
    def previous_change(self) -> None:
        """Go to the previous changed lines of the page."""
        self._step(-1, "No earlier change on this page.")

    def _step(self, by: int, none: str) -> None:
        behind = not self.diff.has_focus
        self.show_pane(self.diff)
        # Where the lines were out of sight, the change that they stand at is the next.
        if not self.diff.step_change(by) and not behind:
            self.say(none)


def _title(change: ReviewChange) -> Text:
    return entry_title(PageTreeLine(change.id, clean(change.node.title), change))
