"""What became of each conversation, line by line, how far it is, and what it came to."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict
from typing import Literal, TypeAlias

from copydesk.cli.errors import say
from copydesk.cli.output import let_go, plain_json, put_on, redraw
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.text import clean, listed, plural, shorten

State: TypeAlias = Literal[
    "sent", "replaced", "known", "same", "bad", "refused", "failed", "unknown", "left"
]
"""What became of a conversation, as the JSON calls it."""

WORDS: dict[State, str] = {
    "sent": "sent",
    "replaced": "sent again",
    "known": "sent before",
    "same": "given twice",
    "bad": "cannot be sent",
    "refused": "refused",
    "failed": "failed",
    "unknown": "not known",
    "left": "not sent",
}
"""What people call the states."""

_CELLS = 60


class Report:
    """The report of one run, on the standard output; how far it is goes beside it.

    A line for each conversation, or a JSON object on a line. Where somebody looks on, a line that
    is written over says how far it is of ``total``.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.total = 0
        self.counts: Counter[State] = Counter()
        self._json = as_json
        self._live = sys.stderr.isatty()
        self._drawn = False
        self._rows: OrderedDict[int, tuple[Item | Complaint, str | None]] = OrderedDict()
        """The line of each conversation, by ``id()``, in the order of the files.

        A line is None until its outcome is known; the lines below it wait. The conversation is
        kept beside its line, so that no other object gets the same ``id()``.
        """

    def expect(self, item: Item) -> None:
        """Keep the place of a conversation whose line comes later."""
        self._rows[id(item)] = (item, None)

    @property
    def held(self) -> int:
        """How many lines wait for one before them."""
        return len(self._rows)

    def put_off(self, item: Item) -> None:
        """Give the place of a conversation up: it comes after all others."""
        self._rows.pop(id(item), None)
        self._print()

    def item(self, file: str, item: Item, state: State, said: str = "") -> None:
        """Tell what became of a conversation."""
        self.counts[state] += 1
        self._row(file, item, state, said)

    def complaint(self, file: str, complaint: Complaint) -> None:
        """Tell what cannot be sent; always where people look, in JSON as well where that goes."""
        self.note(f"{file}, {complaint}")
        self.counts["bad"] += complaint.loses
        if self._json:
            self._row(file, complaint, "bad", complaint.sentence)

    def _row(self, file: str, found: Item | Complaint, state: State, said: str) -> None:
        if self._json:
            where = {"file": file, "line": found.line, "number": found.number}
            value = {"id": found.id, **where, "state": state}
            text = plain_json(value | ({"said": said} if said else {}))
        else:
            why = f": {said}" if said else ""
            named = shorten(clean(found.id), _CELLS)
            text = clean(f"{WORDS[state]:<11}  {named}  ({file}, line {found.line}){why}")
        self._rows[id(found)] = (found, text)
        self._print()

    def _print(self, *, all_of_it: bool = False) -> None:
        """Print up to the first line that is not known yet, or all that are."""
        while self._rows:
            key, (_, text) = next(iter(self._rows.items()))
            if text is None and not all_of_it:
                return
            del self._rows[key]
            if text is not None:
                self.clear()
                put_on(text)

    def progress(self, done: str = "sent") -> None:
        """Say how far it is where somebody looks on, and let go of what was printed."""
        let_go()
        if self._live:
            count = sum(self.counts.values())
            of = f" of {self.total:,}" if self.total else ""
            redraw(f"{count:,}{of} {done}")
            self._drawn = True

    def checked(self, count: int) -> None:
        """Say how many were checked so far, where somebody looks on."""
        if self._live:
            redraw(f"{count:,} checked")
            self._drawn = True

    def note(self, sentence: str) -> None:
        """Say something to people."""
        self.clear()
        say(sentence)

    def summary(self) -> str:
        """Return what it came to, in one sentence."""
        counts = self.counts
        said = [plural(counts["sent"], "conversation") + " sent"]
        said += [
            f"{counts[state]:,} {words}"
            for state, words in WORDS.items()
            if state != "sent" and counts[state]
        ]
        return listed(said)

    def count_rest(self) -> None:
        """Count as not sent what nothing was told of: its file can no more be read."""
        told = sum(count for state, count in self.counts.items() if state != "bad")
        self.counts["left"] += max(0, self.total - told)

    def end(self) -> None:
        """Print what still waits for others, and let go of all that was printed."""
        self._print(all_of_it=True)
        let_go()
        self.clear()

    def clear(self) -> None:
        """Take away the line that says how far it is."""
        if self._drawn:
            redraw()
            self._drawn = False
