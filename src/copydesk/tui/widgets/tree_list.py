"""A tree, drawn as a virtual list of its unfolded branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from rich.text import Text

from copydesk.domain.filter import having_words
from copydesk.domain.text import plural
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.pane import Found
from copydesk.tui.framework.source import TreeSource, Twig
from copydesk.tui.widgets.list import Column, VirtualList, unspoken

T = TypeVar("T")


def no_branch(tree: Any) -> str | None:
    """Say so when the cursor is on no node."""
    return None if tree.selected is not None else "There is nothing here to expand."


class TreeList(VirtualList[Twig[T]], scope="tree"):
    """Columns render the item; the first flexible one carries the indentation and the fold sign.

    A level is indented by ``indent`` cells. ``selected_item`` is the item under the cursor. Enter
    posts `Opened` for every node, also for one that can be folded: `toggle` it there if nothing
    else should happen.
    """

    DEEPEST: ClassVar[int] = 20
    """What is further down than so many levels is indented no more."""

    def __init__(
        self,
        tree: TreeSource[T],
        columns: Sequence[Column[T]],
        *,
        title: str = "",
        empty: str = "Nothing here.",
        sign: Callable[[T], str] | None = None,
        dim: Callable[[T], bool] | None = None,
        header: bool = True,
        indent: int = 2,
        id: str | None = None,
    ) -> None:
        self.tree_source = tree
        self._indent = indent
        self.item_columns = tuple(columns)
        super().__init__(
            tree,
            self._on_twigs(),
            title=title,
            empty=empty,
            sign=None if sign is None else lambda twig: sign(twig.item),
            dim=None if dim is None else lambda twig: dim(twig.item),
            header=header,
            id=id,
        )
        self.item_filter: Callable[[str], Callable[[T], bool]] = self._plain_item_filter
        """Returns the filter of ``/`` for a text. It may raise ValueError with a sentence."""

    def _on_twigs(self) -> tuple[Column[Twig[T]], ...]:
        columns = self.item_columns
        lead = next((at for at, column in enumerate(columns) if column.flex), 0)
        return tuple(
            _on_twig(column, self._indent if at == lead else None, self.DEEPEST)
            for at, column in enumerate(columns)
        )

    def show_columns(self, columns: Sequence[Column[T]]) -> None:
        """Show other columns, or the same with other widths."""
        before = [(column.key, column.width) for column in self.item_columns]
        self.item_columns = tuple(columns)
        if [(column.key, column.width) for column in columns] != before:
            self.columns = self._on_twigs()
            self.refresh_rows()

    @property
    def selected_item(self) -> T | None:
        """The item under the cursor."""
        return None if self.selected is None else self.selected.item

    # Folding

    @action("l", "expand", word="expand",
            unless=no_branch, show=False, group="Move", also=("right",))  # fmt: skip
    def unfold(self) -> None:
        """Expand; on an expanded node go to the first one below it."""
        twig = self.selected
        if twig is None:
            return
        if twig.foldable and not twig.unfolded:
            self.tree_source.unfold(twig.id)
        elif twig.unfolded:
            self.move(1)

    @action("h", "collapse", unless=no_branch, show=False, group="Move", also=("left",))
    def collapse(self) -> None:
        """Collapse; on a collapsed node go to the one above it."""
        twig = self.selected
        if twig is None:
            return
        if twig.unfolded and not self.tree_source.filtering:
            self.tree_source.collapse(twig.id)
        elif (above := self.tree_source.parents.get(twig.id)) is not None:
            self.select(above)

    @action("z", "collapse", unless=no_branch, show=4, group="Look")
    def toggle(self) -> None:
        """Collapse or expand."""
        twig = self.selected
        if twig is not None and twig.foldable:
            (self.tree_source.collapse if twig.unfolded else self.tree_source.unfold)(twig.id)

    @action("z R", "expand all", show=False, group="Look")
    def expand_all(self) -> None:
        """Expand everything that has been read."""
        self.tree_source.expand_all()

    @action("z M", "collapse all", show=False, group="Look")
    def collapse_all(self) -> None:
        """Collapse everything."""
        self.tree_source.expand_all(unfolded=False)

    def reveal(self, row_id: str) -> bool:
        """Unfold what hides an item and put the cursor on it; False when it is not there."""
        return self.tree_source.reveal(row_id) and self.select(row_id)

    # Filter

    def _plain_item_filter(self, text: str) -> Callable[[T], bool]:
        # Places in an order are drawn: "Area 12" is not whatever stands at 12.
        has = having_words(text)
        columns = [column for column in self.item_columns if column.spoken is not unspoken]
        return lambda item: has(" ".join(str(column.render(item)) for column in columns))

    def find(self, text: str) -> bool:
        """Filter as you type; a branch stays when something below it matches.

        The cursor is on a match then, not on what only leads there.
        """
        match = self.item_filter(text) if text.strip() else None
        source = self.tree_source
        source.where(match, text)
        here = self.selected_item
        if match is not None and source.first and (here is None or not match(here)):
            self.select(source.first)
        return True

    def find_clear(self) -> bool:
        """Show the whole tree again, with the cursor where it was."""
        if not self.tree_source.filtering:
            return False
        here = self.selected_id
        self.tree_source.where(None)
        if here is not None:
            self.reveal(here)
        return True

    @property
    def found(self) -> str:
        return self.tree_source.text if self.tree_source.filtering else ""

    def find_next(self, direction: int) -> Found:
        return "beyond" if self.tree_source.filtering and self.move(direction) else ""

    def _nothing_line(self, width: int) -> list[str]:
        source = self.tree_source
        if not source.filtering:
            return super()._nothing_line(width)
        said = f"0 of {sum(1 for _ in source.walk())} match. Esc clears the filter."
        return [line.plain.rstrip() for line in Text(said).wrap(self.app.console, width)]

    def title_line(self) -> str:
        title = super().title_line()
        if self.tree_source.filtering:
            found = plural(self.tree_source.matches, "match")
            title += f"   filter: {self.tree_source.text}   {found}"
        return title


def _on_twig(column: Column[T], indent: int | None, deepest: int) -> Column[Twig[T]]:
    def render(twig: Twig[T]) -> str | Text:
        shown = column.render(twig.item)
        if indent is None:
            return shown
        sign = " "
        if twig.foldable:
            sign = glyphs().unfolded if twig.unfolded else glyphs().folded
        before = " " * (indent * min(twig.depth, deepest)) + sign + " "
        return before + shown if isinstance(shown, str) else Text(before).append_text(shown)

    changed: Column[Any] = replace(column, render=render)  # type: ignore[arg-type]  # of a twig now
    return changed
