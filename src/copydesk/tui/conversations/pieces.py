"""The rows of a conversation: who said what, cut into pieces where it is long, and drawn.

Only what is in view is made readable. What is long is made so off the event loop and begins
folded; unfolded it is many rows, of which again only those in view are drawn.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence

from rich.cells import cell_len

from copydesk.domain.text import plural
from copydesk.present.conversation import Block, Words, label_of, words_of
from copydesk.present.diff import wrap_exact
from copydesk.present.markdown import Line
from copydesk.session.glyphs import glyphs
from copydesk.tui.widgets.wrapped_list import WrappedList

AT_ONCE = 8_000
"""Characters of one text that are made readable while it is drawn; more of them elsewhere."""

LABEL = 10
"""Cells of a label beside its text; a longer one stands above."""

NARROW = 40
"""Below this width every label stands above its text."""

FOLDED = 6
"""Lines that are shown of what is folded."""


def _indent(width: int) -> int:
    return LABEL + 2 if width >= NARROW else 2


def text_width(width: int) -> int:
    """Return the cells for the text of a row."""
    return max(4, width - _indent(width) - 1)


def named(block: Block, text: str, *, masked: bool) -> str:
    """Return a text with the name of what it is; who said a message is no part of it."""
    return text if block.kind == "part" else f"{label_of(block, masked=masked)} {text}"


class TalkPieces(WrappedList):
    """A conversation as rows: a message each, or a piece of a long one."""

    def __init__(
        self, *, title: str = "", empty: str = "No conversation.", id: str | None = None
    ) -> None:
        super().__init__(title=title, empty=empty, id=id)
        self._blocks: Sequence[Block] = ()
        self._key = ""
        self._masked = True
        self._rows: list[tuple[int, int]] = []
        """(block, piece of it), in order; -1 for a blank line before it."""
        self._words: dict[int, Words] = {}
        self._folds: dict[int, bool] = {}
        """What the reader folded or unfolded."""
        self._all_folded: bool | None = None
        """Whether all others are; None: those that are long."""
        self._wanted: set[int] = set()
        self._reading: asyncio.Task[None] | None = None

    def show(
        self, blocks: Sequence[Block], *, title: str, masked: bool = True, key: str = ""
    ) -> None:
        """Show a conversation from its top, or, if ``key`` names the one shown, again."""
        same = bool(key) and key == self._key and list(blocks) == list(self._blocks)
        here = self._here() if same else None
        self._masked, self._key = masked, key
        if not same:
            self._blocks = tuple(blocks)
            self._words, self._folds, self._wanted = {}, {}, set()
            self._all_folded = None
            self._stop_tasks()
        self._lay_out()
        self.changed(top=not same)
        self._return_to(here)
        if self._found:
            self._search(jump=False)
        self.title = title
        self.retitle()

    @property
    def key(self) -> str:
        """What the conversation that is shown was called."""
        return self._key

    def _here(self) -> tuple[int, int] | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def _return_to(self, here: tuple[int, int] | None) -> None:
        """Put the cursor on a piece again, wherever it is by now."""
        if here is not None:
            self.go_to(min(bisect_left(self._rows, here), len(self._rows) - 1))

    def _lay_out_again(self) -> None:
        """Take the rows for what is folded by now; the cursor stays where it is."""
        here = self._here()
        self._lay_out()
        self.changed()
        self._return_to(here)

    def _stop_tasks(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._reading = None

    def _search(self, *, jump: bool) -> None:
        """Search what is shown for what is searched for."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Stop reading."""
        self._stop_tasks()

    def _lay_out(self) -> None:
        self._rows = []
        before = ""
        for at, block in enumerate(self._blocks):
            parted = block.kind == "part" or before == "part"
            if at and (parted or (before == "issue" and block.kind != "issue")):
                self._rows.append((at, -1))
            before = block.kind
            self._rows.extend((at, piece) for piece in range(self._open_pieces(at)))

    def _open_pieces(self, at: int) -> int:
        """Return how many rows a block takes."""
        words = self._words.get(at)
        if words is None or self._is_folded(at):
            return 1
        return len(words.pieces(masked=self._masked))

    # Making texts readable

    def _ready(self, at: int) -> Words | None:
        """Return the words of a block, or None while they are being made readable elsewhere."""
        words = self._words.get(at)
        if words is None:
            block = self._blocks[at]
            if len(block.raw) > AT_ONCE:
                self._wanted.add(at)
                if self._reading is None or self._reading.done():
                    self._reading = asyncio.create_task(self._read_wanted(), name="talk words")
                return None
            words = self._words[at] = words_of(block)
        return words

    async def _read_wanted(self) -> None:
        await asyncio.sleep(0)
        while self._wanted and self.is_attached:
            view = {self._rows[row][0] for row in self.in_view}
            # What has left the view meanwhile is asked for again when it comes back.
            self._wanted &= view
            if not self._wanted:
                return
            at = min(self._wanted)
            words = await asyncio.to_thread(words_of, self._blocks[at])
            self._wanted.discard(at)
            self._words[at] = words
            if self._open_pieces(at) > 1:
                self._lay_out_again()
            else:
                self.changed()
            self._frame_changed()

    def _frame_changed(self) -> None:
        if self.is_attached:
            self.place.frame_soon()

    # Rows

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def stops(self, row: int) -> bool:
        """Whether the cursor stops at a row: not at blank ones."""
        return self._rows[row][1] >= 0

    def draw(self, row: int, width: int) -> list[Line]:
        at, piece = self._rows[row]
        if piece < 0:
            return [[(" ", "")]]
        block = self._blocks[at]
        label = label_of(block, masked=self._masked) if piece == 0 else ""
        beside = width >= NARROW and cell_len(label) <= LABEL
        indent = _indent(width)
        lines: list[Line] = []
        if label and not beside:
            above = wrap_exact([(label, self._label_tone(block))], max(4, width - 2))
            lines.extend([(" ", ""), *line] for line in above)
        for nth, line in enumerate(self._text_lines(at, piece, text_width(width))):
            if nth == 0 and label and beside:
                pad = " " * (indent - 1 - cell_len(label))
                lines.append([(" ", ""), (label, self._label_tone(block)), (pad, ""), *line])
            else:
                lines.append([(" " * indent, ""), *line])
        return lines

    def _label_tone(self, block: Block) -> str:
        return block.tone if block.kind == "part" else "muted"

    def _text_lines(self, at: int, piece: int, width: int) -> list[Line]:
        block = self._blocks[at]
        tone = "" if block.kind == "part" else block.tone
        words = self._ready(at)
        if words is None:
            return [[(f"Making {len(block.raw):,} characters readable…", "muted")]]
        pieces = words.pieces(masked=self._masked)
        folded = self._is_folded(at)
        text = pieces[0] if folded else pieces[min(piece, len(pieces) - 1)]
        lines: list[Line] = []
        ends: list[int] = []
        used = 0
        for line in text.split("\n"):
            for drawn in wrap_exact([(line, tone)], width):
                used += sum(len(part) for part, _ in drawn)
                lines.append(drawn)
                ends.append(used)
            used += 1
        if not folded or (len(pieces) == 1 and len(lines) <= FOLDED + 1):
            return lines
        lines = lines[:FOLDED]
        left = max(1, len(words.text(masked=self._masked)) - ends[len(lines) - 1])
        more = f"{glyphs().more} {plural(left, 'more character')}: z unfolds"
        return [*lines, *wrap_exact([(more, "accent")], width)]

    def _is_folded(self, at: int) -> bool:
        words = self._words.get(at)
        long = words is not None and len(words.pieces(masked=self._masked)) > 1
        return self._folds.get(at, long if self._all_folded is None else self._all_folded)

    def row_text(self, row: int) -> str:
        """Return the text of a row, with a little of the next one: what is looked for may span."""
        at, piece = self._rows[row]
        words = self._words.get(at)
        if piece < 0 or words is None:
            return ""
        block = self._blocks[at]
        if self._open_pieces(at) == 1:
            text = words.text(masked=self._masked)
        else:
            pieces = words.pieces(masked=self._masked)
            text = pieces[piece]
            if piece + 1 < len(pieces):
                text += pieces[piece + 1][: max(0, len(self._found) - 1)]
        return named(block, text, masked=self._masked) if piece == 0 else text
