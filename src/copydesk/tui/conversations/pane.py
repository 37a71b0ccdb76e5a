"""A conversation to read, with the keys that fold it and search it, however long it is.

Only what is in view is made readable. What is long is made so off the event loop and begins
folded; unfolded it is many rows, and only the rows in view are drawn. A search needs every
text: it makes them readable by and by in the background, and goes to the first match then.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.cells import cell_len

from copydesk.domain.filter import fold
from copydesk.domain.text import plural
from copydesk.present.conversation import LabelledText, Words, label_of, words_of
from copydesk.present.markdown import Line, wrap_exact
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.pane import Found, offered
from copydesk.tui.framework.place import place_of
from copydesk.tui.widgets.wrapped_list import WrappedList, around

AT_ONCE = 8_000
"""Characters of one text that are made readable while it is drawn; more of them elsewhere."""

LABEL = 10
"""Cells of a label beside its text; a longer one stands above."""

NARROW = 40
"""Below this width every label stands above its text."""

FOLDED = 6
"""How many lines of a folded block are shown."""

SEARCHED_AT_ONCE = 40_000
"""Characters of all texts that a search makes readable while a key is pressed."""

BATCH = 200_000
"""Characters that are made readable in one go in the background."""

BATCH_BLOCKS = 500
"""Texts at most, in one go."""


def _indent(width: int) -> int:
    return LABEL + 2 if width >= NARROW else 2


def text_width(width: int) -> int:
    """Return the cells for the text of a row."""
    return max(4, width - _indent(width) - 1)


def named(block: LabelledText, text: str, *, masked: bool) -> str:
    """Return a text after its label; the label of a message is no part of it."""
    return text if block.kind == "part" else f"{label_of(block, masked=masked)} {text}"


def no_messages(view: ConversationView) -> str | None:
    """Say so when no conversation is shown."""
    return None if view.rows else "No conversation is open here."


def nothing_long(view: ConversationView) -> str | None:
    """Say so when there is nothing to fold or unfold under the cursor."""
    return (
        None
        if view.foldable
        else (
            "This message is short. z collapses and expands the one under the cursor, "
            "zR expands all."
        )
    )


def _hits(
    blocks: Sequence[LabelledText], words: Mapping[int, Words], wanted: str, *, masked: bool
) -> dict[int, int]:
    """Return which blocks have a text, and how often; all of them are read by then."""
    counts = (
        fold(named(block, words[at].text(masked=masked), masked=masked)).count(wanted)
        for at, block in enumerate(blocks)
    )
    return {at: count for at, count in enumerate(counts) if count}


class ConversationView(WrappedList, scope="conversation"):
    """Shows a conversation; the cursor stops at each message, and at each piece of a long one."""

    leads = "Conversation"

    def __init__(self, empty: str) -> None:
        super().__init__(title="Conversation", empty=empty, id="conversation")
        self._blocks: Sequence[LabelledText] = ()
        self.key = ""
        """What the conversation that is shown was called."""
        self._masked = True
        self._rows: list[tuple[int, int]] = []
        """(block, piece of it), in order; -1 for a blank line before it."""
        self._words: dict[int, Words] = {}
        self._folds: dict[int, bool] = {}
        """What the reader folded or unfolded."""
        self._all_folded: bool | None = None
        """Whether all other blocks are folded; None: the long ones."""
        self._wanted: set[int] = set()
        self._reading: asyncio.Task[None] | None = None
        self._searching: asyncio.Task[None] | None = None
        self._hits: dict[int, int] = {}
        """The number of matches in each block that has any, in their order."""
        self._hit_blocks: list[int] = []
        self._began: tuple[int, int] | None = None
        """Where the search began: more letters search from there again."""

    def _stop_tasks(self) -> None:
        for task in (self._reading, self._searching):
            if task is not None:
                task.cancel()
        self._reading = self._searching = None
        self._hits, self._hit_blocks = {}, []

    # Rows

    def show(
        self, blocks: Sequence[LabelledText], *, title: str, masked: bool = True, key: str = ""
    ) -> None:
        """Show a conversation from its top, or, if ``key`` names the one shown, again."""
        same = bool(key) and key == self.key and list(blocks) == list(self._blocks)
        here = self._here() if same else None
        self._masked, self.key = masked, key
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

    def on_unmount(self) -> None:
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
                    self._reading = asyncio.create_task(self._read_wanted(), name="words")
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
            place_of(self).frame_soon()

    # Rows

    @property
    def rows(self) -> int:
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

    def _label_tone(self, block: LabelledText) -> str:
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
        more = f"{glyphs().more} {plural(left, 'more character')}: z expands"
        return [*lines, *wrap_exact([(offered(self, more), "accent")], width)]

    def _is_folded(self, at: int) -> bool:
        words = self._words.get(at)
        long = words is not None and len(words.pieces(masked=self._masked)) > 1
        return self._folds.get(at, long if self._all_folded is None else self._all_folded)

    def row_text(self, row: int) -> str:
        """Return the text of a row and the start of the next one: a match may span both."""
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

    # Folding

    @property
    def message(self) -> str | None:
        """The whole text under the cursor as it may be seen now; None when it is not known yet."""
        words = self._words.get(self._rows[self.cursor][0]) if self._rows else None
        return None if words is None else words.text(masked=self._masked)

    @property
    def foldable(self) -> bool:
        """Whether the block under the cursor can be folded or unfolded."""
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
        "z", "collapse", word="toggle", unless=nothing_long, show=6, group="Look",
        now=lambda view: "expand" if view.folded_here else "collapse" if view.foldable else "",
    )  # fmt: skip
    def fold(self) -> None:
        """Collapse a long message, or show all of it."""
        at, _ = self._rows[self.cursor]
        self._set_folded(at, not self._is_folded(at))
        self.go_to(bisect_left(self._rows, (at, 0)))
        self._frame_changed()

    @action("z R", "expand all", unless=no_messages, show=False, group="Look")
    def expand_all(self) -> None:
        """Show all of every message. What is long is made readable as it comes into view."""
        self._fold_all(False)

    @action("z M", "collapse all", unless=no_messages, show=False, group="Look")
    def collapse_all(self) -> None:
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
        """Whether the block under the cursor is folded, and long enough for it."""
        return self.foldable and self._is_folded(self._rows[self.cursor][0])

    def _set_folded(self, at: int, folded: bool) -> None:
        start = bisect_left(self._rows, (at, 0))
        stop = bisect_left(self._rows, (at + 1, -1))
        self._folds[at] = folded
        self._rows[start:stop] = [(at, piece) for piece in range(self._open_pieces(at))]
        self.changed()

    # Searching

    def title_line(self) -> str:
        if not self._found:
            return self.title
        if self._searching is not None:
            return f"Searching{glyphs().more}   {self.title}"
        total, messages = sum(self._hits.values()), len(self._hits)
        among = f" in {plural(messages, 'message')}" if total != messages else ""
        return f"{plural(total, 'match')}{among}   {self.title}"

    def find(self, text: str) -> bool:
        found = fold(text)
        if not self._found or found == self._found:
            self._began = self._here()
        else:
            self._return_to(self._began)
        self._found = found
        self._search(jump=True)
        self.refresh()
        return True

    def find_next(self, direction: int) -> Found:
        if self._searching is not None:
            return "beyond"
        if self._found and not self._hits:
            place_of(self).say("No match.", "warn")
            return "beyond"
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
            self._searching = asyncio.create_task(self._search_all(jump), name="search")
            self.retitle()

    def _read(self, wanted: Iterable[int]) -> None:
        for at in wanted:
            if at not in self._words:
                self._words[at] = words_of(self._blocks[at])

    async def _search_all(self, jump: bool) -> None:
        """Read the unread rest and search it, both off the event loop."""
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
            self._jump(1, around(self.cursor, 1, self.rows))
        self.refresh()
        self.retitle()

    def _jump(self, direction: int, rows: Iterable[int]) -> bool:
        start = next(iter(rows), None)
        if start is None or not self._hits:
            return False
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
            for row in range(first, first + self._open_pieces(at))[::direction]:
                passed = nth == 0 and at == here and (row - start) * direction < 0
                if not passed and self._found in fold(self.row_text(row)):
                    self.go_to(row, center=True)
                    self._show_match(row)
                    return True
        return False

    def _show_match(self, row: int) -> None:
        """Bring the line of a match into view, in a row that is higher than the screen."""
        lines, height = self._lines(row), self._height
        if len(lines) <= height:
            return
        texts = (fold("".join(part for part, _ in line)) for line in lines)
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
