"""What there is to know about a row of the tree of collections and spaces, beside the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.domain.space_tree import TRASH
from copydesk.present.facts import Fact
from copydesk.session.writes.undo import Past
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import Row
from copydesk.tui.spaces import tree_cells as present
from copydesk.tui.spaces.rest import RestingDetails

if TYPE_CHECKING:
    from copydesk.tui.spaces.tree import OrganizationStructurePlace

WRITTEN = 12
"""So many writes of this machine are listed beside the tree."""

_TREE_STEPS = frozenset({"local.line_up", "local.order_collections"})
_TREE_OPERATIONS = ("_space", "_collection")


class TreeDetails:
    """The row under the cursor, and what was changed from here."""

    def __init__(self, here: OrganizationStructurePlace) -> None:
        self.here = here
        self._details = RestingDetails(here, self._show_facts)
        self._written: list[Past] = []
        """What this machine changed here and can take back, newest first."""

    def forget(self) -> None:
        """Read the details of every row again."""
        self._details.forget()

    def show_written(self) -> None:
        """Show what this machine changed here."""
        lasting = self.here.session.history.lasting_in(self.here.organization)
        now = self.here.session.clock()
        self.here.written.show(staged.written_facts(self._written, now, lasting))

    def look_back(self) -> None:
        """Find what this machine changed in the tree and can take back."""
        here = {*self.here.known_nodes, *self.here.trashed, self.here.organization}
        mine = [
            past
            for past in self.here.session.history.known.values()
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
        row = self.here.row
        self.here.facts.show(
            self._facts_of(row),
            title="Row" if row is None else row.title,
            about=None if row is None else row.id,
        )
        rules = () if self.here.read is None else self.here.read.rules[1]
        self._details.rest(self.here.node, self.here.organization, rules)

    def _show_facts(self) -> None:
        row = self.here.row
        self.here.facts.show(self._facts_of(row), about=None if row is None else row.id)

    def _facts_of(self, row: Row | None) -> Sequence[Fact]:
        if row is None or self.here.read is None:
            return ()
        if row.id == TRASH:
            return present.TRASH_FACTS
        now = self.here.session.now
        if row.level == TRASH:
            found = self.here.trashed.get(row.id)
            return () if found is None else present.trash_facts(found, now)
        return present.row_facts(
            row,
            self.here.shown,
            self.here.arrangement.base,
            self.here.node,
            now,
            rules=self.here.read.rules,
            details=self._details.of(row.id),
            unread=self._details.unread(row.id),
        )
