"""The details of a space, read when the cursor rests on its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.session.reads.spaces import Details, read_details
from copydesk.tui.spaces.cells import no_access

if TYPE_CHECKING:
    from copydesk.domain.space_tree import RuleList, SpaceNode
    from copydesk.tui.framework.place import Place


REST_SECONDS = 0.15
"""How long the cursor rests on a row before its details are read."""

PEOPLE = 8
"""So many people that rules name are looked up."""

GROUP = "details"
"""The name of the read; there is one at a time."""


class RestingDetails:
    """The details of spaces that were read; ``changed`` is called when there are more."""

    def __init__(self, here: Place, changed: Callable[[], None]) -> None:
        self._here = here
        self._changed = changed
        self._known: dict[str, Details] = {}
        self._old: set[str] = set()
        """Whose details are to be read again; they show until others have come."""
        self._unread: set[str] = set()
        """Whose details could not be read."""

    def of(self, space: str) -> Details | None:
        """Return the details of a space by its id, if they were read."""
        return self._known.get(space)

    def unread(self, space: str) -> bool:
        """Whether the details of a space could not be read."""
        return space in self._unread

    def read_again(self) -> None:
        """Read the details of every space again; the former ones show until then."""
        self._old, self._unread = set(self._known), set()

    def forget(self) -> None:
        """Know nothing of any space."""
        self._known.clear()
        self._unread.clear()

    def rest(self, node: SpaceNode | None, organization: str, rules: RuleList) -> None:
        """Read the details of a row soon, unless the cursor goes on before.

        ``rules`` are those that a space has which inherits them.
        """
        here = self._here
        here.reads.cancel(GROUP)
        if node is None or node.kind != "space":
            return
        known = node.id in self._known and node.id not in self._old
        if known and not here.reads.left_behind(GROUP, node.id):
            return
        if here.session.api is not None and not no_access(node):
            self._read(node, organization, rules)

    def _read(self, node: SpaceNode, organization: str, inherited: RuleList) -> None:
        session = self._here.session
        me = session.me.id if session.me is not None else None
        rules = node.rules if node.rules_type != "inherit" else inherited
        people = list(dict.fromkeys(user for _, users in rules for user in users))[:PEOPLE]

        def arrived(details: Details) -> None:
            self._known[node.id] = details
            self._old.discard(node.id)
            self._unread.discard(node.id)
            self._changed()

        def unread(_: str) -> None:
            self._unread.add(node.id)
            self._changed()

        self._here.reads.load(
            GROUP,
            lambda api: read_details(api, node, organization, me, people),
            arrived,
            what=f"Reading about {node.title}",
            of=node.id,
            failed=unread,
            after=REST_SECONDS,
        )
