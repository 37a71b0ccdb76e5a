"""A conversation to read, with the keys that fold it and search it, however long it is.

A search needs every text: it makes them readable by and by in the background, and goes to the first
match then.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from copydesk.domain.text import plural
from copydesk.present.conversation import Block, Words, words_of
from copydesk.present.diff import wrap_exact
from copydesk.session.glyphs import glyphs
from copydesk.tui.conversations.pieces import FOLDED, TalkPieces, named, text_width
from copydesk.tui.framework.actions import action

SEARCHED_AT_ONCE = 40_000
"""Characters of all texts that a search makes readable while a key is pressed."""

BATCH = 200_000
"""Characters that are made readable in one go in the background."""

BATCH_BLOCKS = 500
"""Texts at most, in one go."""


def no_messages(view: TalkView) -> str | None:
    """Say so when no conversation is shown."""
    return None if view.rows else "No conversation is open here."


def nothing_long(view: TalkView) -> str | None:
    """Say so when there is nothing to fold or unfold under the cursor."""
    return (
        None
        if view.foldable
        else (
            "This one is short. z folds and unfolds the one under the cursor, zR shows all of all."
        )
    )


def _hits(
    blocks: Sequence[Block], words: Mapping[int, Words], wanted: str, *, masked: bool
) -> dict[int, int]:
    """Return which blocks have a text, and how often; all of them are read by then."""
    counts = (
        named(block, words[at].text(masked=masked), masked=masked).casefold().count(wanted)
        for at, block in enumerate(blocks)
    )
    return {at: count for at, count in enumerate(counts) if count}


class TalkView(TalkPieces, scope="talk"):
    """Shows a conversation; the cursor stops at each message, and at each piece of a long one."""

    leads = "Conversation"

    def __init__(
        self, *, title: str = "", empty: str = "No conversation.", id: str | None = None
    ) -> None:
        super().__init__(title=title, empty=empty, id=id)
        self._searching: asyncio.Task[None] | None = None
        self._hits: dict[int, int] = {}
        """How often the blocks that have what is searched for have it, in their order."""
        self._hit_blocks: list[int] = []
        self._began: tuple[int, int] | None = None
        """Where the search began: what is typed further is looked for from there."""

    def _stop_tasks(self) -> None:
        super()._stop_tasks()
        if self._searching is not None:
            self._searching.cancel()
        self._searching = None
        self._hits, self._hit_blocks = {}, []

    # Folding

    @property
    def message(self) -> str | None:
        """The whole text under the cursor as it may be seen now; None when it is not known yet."""
        words = self._words.get(self._rows[self.cursor][0]) if self._rows else None
        return None if words is None else words.text(masked=self._masked)

    @property
    def foldable(self) -> bool:
        """Whether what is under the cursor can be folded or unfolded."""
        if not self._rows:
            return False
        at, piece = self._rows[self.cursor]
        if piece < 0 or at not in self._words:
            return False
        pieces = self._words[at].pieces(masked=self._masked)
        if len(pieces) > 1:
            return True
        width, lines = text_width(self._width), pieces[0].split("\n")
        return sum(len(wrap_exact([(line, "")], width)) for line in lines) > FOLDED + 1

    @action(
        "z", "fold", unless=nothing_long, show=6, group="Look",
        now=lambda view: "unfold" if view.folded_here else "fold" if view.foldable else "",
    )  # fmt: skip
    def fold(self) -> None:
        """Fold a long message, or show all of it."""
        at, _ = self._rows[self.cursor]
        self._set_folded(at, not self._is_folded(at))
        self.go_to(bisect_left(self._rows, (at, 0)))
        self._frame_changed()

    @action("z R", "unfold all", unless=no_messages, show=False, group="Look")
    def unfold_all(self) -> None:
        """Show all of every message. What is long is made readable as it comes into view."""
        self._fold_all(False)

    @action("z M", "fold all", unless=no_messages, show=False, group="Look")
    def fold_all(self) -> None:
        """Show the first lines of every message."""
        self._fold_all(True)

    def _fold_all(self, folded: bool) -> None:
        at = self._rows[self.cursor][0]
        self._folds, self._all_folded = {}, folded
        self._lay_out()
        self.changed()
        self.go_to(bisect_left(self._rows, (at, 0)))
        self._frame_changed()

    @property
    def folded_here(self) -> bool:
        """Whether what is under the cursor is folded, and long enough for that."""
        return self.foldable and self._is_folded(self._rows[self.cursor][0])

    def _set_folded(self, at: int, folded: bool) -> None:
        start = bisect_left(self._rows, (at, 0))
        stop = bisect_left(self._rows, (at + 1, -1))
        self._folds[at] = folded
        self._rows[start:stop] = [(at, piece) for piece in range(self._open_pieces(at))]
        self.changed()

    # Searching

    def title_line(self) -> str:
        """Return the title, with what a search has found."""
        if not self._found:
            return self.title
        if self._searching is not None:
            return f"Searching{glyphs().more}   {self.title}"
        total, messages = sum(self._hits.values()), len(self._hits)
        among = f" in {plural(messages, 'message')}" if total != messages else ""
        return f"{plural(total, 'match')}{among}   {self.title}"

    def find(self, text: str) -> bool:
        """Search all of the conversation, as it may be seen now."""
        found = text.casefold()
        if not self._found or found == self._found:
            self._began = self._here()
        else:
            self._return_to(self._began)
        self._found = found
        self._search(jump=True)
        self.refresh()
        return True

    def find_next(self, direction: int) -> bool:
        """Go to the next (1) or previous (-1) match, around the end."""
        if self._searching is not None:
            return True
        if self._found and not self._hits:
            self.place.say("No match.", "warn")
            return True
        return super().find_next(direction)

    def find_clear(self) -> bool:
        if self._searching is not None:
            self._searching.cancel()
            self._searching = None
        was = super().find_clear()
        self.retitle()
        return was

    def _search(self, *, jump: bool) -> None:
        if not self._found:
            self.find_clear()
            return
        if self._searching is not None:
            return  # it looks for what is wanted by then
        if sum(len(block.raw) for block in self._blocks) <= SEARCHED_AT_ONCE:
            self._read(range(len(self._blocks)))
            hits = _hits(self._blocks, self._words, self._found, masked=self._masked)
            self._searched(hits, jump=jump)
        else:
            self._searching = asyncio.create_task(self._search_all(jump), name="talk search")
            self.retitle()

    def _read(self, wanted: Iterable[int]) -> None:
        for at in wanted:
            if at not in self._words:
                self._words[at] = words_of(self._blocks[at])

    async def _search_all(self, jump: bool) -> None:
        """Read what is not read yet and search it, both off the event loop."""
        blocks = self._blocks
        missing = [at for at in range(len(blocks)) if at not in self._words]
        start = 0
        while start < len(missing):
            stop, size = start, 0
            while stop < len(missing) and stop - start < BATCH_BLOCKS and size < BATCH:
                size += len(blocks[missing[stop]].raw)
                stop += 1
            batch = [at for at in missing[start:stop] if at not in self._words]
            found = await asyncio.to_thread(list, map(words_of, [blocks[at] for at in batch]))
            self._words.update(zip(batch, found, strict=True))
            start = stop
        hits: dict[int, int] | None = None
        while hits is None and self._found:
            wanted, masked = self._found, self._masked
            hits = await asyncio.to_thread(_hits, blocks, self._words, wanted, masked=masked)
            if (wanted, masked) != (self._found, self._masked):
                hits = None  # something else is looked for by now
        self._searching = None
        if missing:
            self._lay_out_again()
        self._searched(hits or {}, jump=jump)

    def _searched(self, hits: dict[int, int], *, jump: bool) -> None:
        self._hits, self._hit_blocks = hits, list(hits)
        if jump and self._rows:
            self._jump(1, self.cursor)
        self.refresh()
        self.retitle()

    def _jump(self, direction: int, start: int) -> bool:
        if not self._hits or not self._rows:
            return False
        start %= self.rows
        here = self._rows[start][0]
        for nth, at in enumerate(self._hits_from(here, direction)):
            if self._is_folded(at):
                if (
                    nth == 0
                    and at == here
                    and (bisect_left(self._rows, (at, 0)) - start) * direction < 0
                ):
                    continue
                # The match may be in what is folded: all of it is shown.
                self._set_folded(at, False)
                start = bisect_left(self._rows, (at, 0))
                if direction < 0:
                    start += self._open_pieces(at) - 1
            first = bisect_left(self._rows, (at, 0))
            rows = range(first, first + self._open_pieces(at))[::direction]
            for row in rows:
                passed = nth == 0 and at == here and (row - start) * direction < 0
                if not passed and self._found in self.row_text(row).casefold():
                    self.go_to(row, center=True)
                    self._show_match(row)
                    return True
        return False

    def _show_match(self, row: int) -> None:
        """Bring the line of a match into view, in a row that is higher than the screen."""
        lines, height = self._lines(row), self._height
        if len(lines) <= height:
            return
        texts = ("".join(part for part, _ in line).casefold() for line in lines)
        line = next((nth for nth, text in enumerate(texts) if self._found in text), 0)
        self._top, self._skip = row, max(0, min(line - height // 3, len(lines) - height))
        self._settle()

    def _hits_from(self, here: int, direction: int) -> Iterator[int]:
        """Yield the blocks with matches from one on, around the end and back to it."""
        count = len(self._hit_blocks)
        first = (
            bisect_left(self._hit_blocks, here)
            if direction > 0
            else bisect_right(self._hit_blocks, here) - 1
        )
        for step in range(count):
            yield self._hit_blocks[(first + step * direction) % count]
        if count and self._hit_blocks[first % count] == here:
            yield here
