"""What there is to know about a row of the tree of collections and spaces, beside the tree.

A mixin of the place that shows the tree of an organization, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.domain.space_tree import TRASH
from copydesk.present.facts import Fact
from copydesk.session.target import Target
from copydesk.session.writes.undo import Past
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import Row
from copydesk.tui.spaces import tree_cells as present
from copydesk.tui.spaces.rest import RestingDetails
from copydesk.tui.spaces.transfer import SpaceHanding
from copydesk.tui.widgets.facts import Facts

WRITTEN = 12
"""So many writes of this machine are listed beside the tree."""

_TREE_STEPS = frozenset({"local.line_up", "local.order_collections"})
_TREE_OPERATIONS = ("_space", "_collection")


class SpaceDetails(SpaceHanding):
    """The tree of an organization: the row under the cursor, and what was changed from here."""

    facts: Facts
    written: Facts

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._details = RestingDetails(self, self._show_facts)
        self._written: list[Past] = []
        """What this machine changed here and can take back, newest first."""

    def forget_details(self) -> None:
        """Read the details of every row again."""
        self._details.forget()

    def show_written(self) -> None:
        """Show what this machine changed here."""
        lasting = self.session.history.lasting_in(self.organization)
        now = self.session.clock()
        self.written.show(staged.written_facts(self._written, now, lasting))

    def look_back(self) -> None:
        """Find what this machine changed in the tree and can take back."""
        here = {*self.known_nodes, *self.trashed, self.organization}
        mine = [
            past
            for past in self.session.history.known.values()
            if any(
                step.operation in _TREE_STEPS
                or (
                    step.operation.endswith(_TREE_OPERATIONS)
                    and any(isinstance(v, str) and v in here for v in step.arguments.values())
                )
                for step in past.reversal.back
            )
        ]
        mine.sort(key=lambda past: (past.entry.at, past.number), reverse=True)
        self._written = mine[:WRITTEN]

    def look(self) -> None:
        """Show what is known of the row; read the rest when the cursor rests."""
        row = self.row
        self.facts.show(
            self._facts_of(row),
            title="Row" if row is None else row.title,
            about=None if row is None else row.id,
        )
        rules = () if self.read is None else self.read.rules[1]
        self._details.rest(self.node, self.organization, rules)

    def _show_facts(self) -> None:
        row = self.row
        self.facts.show(self._facts_of(row), about=None if row is None else row.id)

    def _facts_of(self, row: Row | None) -> Sequence[Fact]:
        if row is None or self.read is None:
            return ()
        if row.id == TRASH:
            return present.TRASH_FACTS
        now = self.session.now
        if row.level == TRASH:
            found = self.trashed.get(row.id)
            return () if found is None else present.trash_facts(found, now)
        return present.row_facts(
            row,
            self.shown,
            self.arrangement.base,
            self.node,
            now,
            rules=self.read.rules,
            details=self._details.of(row.id),
            unread=self._details.unread(row.id),
        )
