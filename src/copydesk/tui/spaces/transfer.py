"""What is done to collections and spaces at once: the trash, and handing over to others.

A mixin of the place that shows the tree of an organization, apart from it for length. Nothing here
is staged: each is one write with a sheet of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from copydesk.domain.call import NEW
from copydesk.domain.merge_rules import label
from copydesk.domain.space_tree import TRASH
from copydesk.domain.text import clean, plural
from copydesk.domain.tree_inverses import space_deleted
from copydesk.session.reads.tree import Trashed
from copydesk.tui.arrange.cells import Row
from copydesk.tui.arrange.place import no_row, not_allowed, not_staged_order
from copydesk.tui.dialogs.dialog import Confirm, Notice, TypeToConfirm
from copydesk.tui.framework.actions import action, command
from copydesk.tui.spaces.creation import SpaceMaking
from copydesk.tui.spaces.editor import ON_ROW, not_mine, to_be_deleted
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.space_tree import SpaceNode

BLOCKS = 8
"""So many reasons against handing something over are listed."""


def the_trash(here: SpaceHanding) -> str | None:
    """Say so when the row is the trash itself."""
    if here.row is not None and here.row.id == TRASH:
        return "Put the cursor on a space in the trash: D restores it."
    return None


def delete_label(here: SpaceHanding) -> str:
    """Return what ``D`` does to the row."""
    in_trash = here.row is not None and here.row.level == TRASH and not here.rows.marks
    return "restore" if in_trash else "delete"


class SpaceHanding(SpaceMaking, scope="space_handing"):
    """The tree of an organization: restoring, deleting, handing over."""

    @action("D", "delete",
            unless=(not_allowed, not_staged_order,
                    *unless_marked(no_row, the_trash, to_be_deleted, not_mine)),
            show=18, group="Change", now=delete_label,
            uses="restore_space", takes="marked")  # fmt: skip
    async def delete_or_restore(self) -> None:
        """Delete spaces and empty collections: staged here. In the trash it restores instead."""
        row = self.row
        if row is not None and row.level == TRASH and not self.rows.marks:
            await self.restore_row(row)
        else:
            self.delete_rows()

    async def restore_row(self, row: Row) -> None:
        """Take a space out of the trash, at once, after asking."""
        found = self.trashed.get(row.id)
        if found is None:
            return
        now = self.session.now
        facts = [
            f"It was deleted; {plural(found.days_left(now), 'more day')} and it is gone for good.",
            f"It comes back {self._home_of(found)}. This is sent at once; u deletes it again.",
        ]
        if found.shown_by:
            facts.append(f"Readers of {', '.join(found.shown_by)} get it again.")
        if not await self.desk.push_screen_wait(
            Confirm(f"Restore {found.title}", facts, verb="restore")
        ):
            return
        await self._restore(found)

    def _home_of(self, found: Trashed) -> str:
        """Return where a space in the trash comes back to."""
        if not found.parent:
            return "at the top"
        node = self.known_nodes.get(found.parent)
        return f"in {node.title}" if node is not None else "in a collection that you cannot see"

    async def _restore(self, found: Trashed) -> None:
        from copydesk.contract import operations as ops

        async def send(api: Api) -> None:
            await api(ops.restore_space, found.id)

        await self.perform(
            "Restore", found.title, send, reversal=space_deleted(found.id, deleted=False)
        )
        self.revealing = found.id
        self.read_again()
        self.tell(f"{found.title} is back. u puts it in the trash again.", "good")

    @command("restore", uses="restore_space")
    async def restore(self, rest: str) -> None:
        """Restore the space under the cursor from the trash."""
        row = self.row
        if row is None or row.level != TRASH:
            self.say("Put the cursor on a space in the trash: it is the last group.", "warn")
        else:
            await self.restore_row(row)

    # Handing over

    @command("transfer", uses=("transfer_space", "transfer_collection", "list_translations"))
    async def transfer(self, rest: str) -> None:
        """Hand the row over to another organization, at once. It cannot be taken back."""
        row, node = self.row, self.node
        why = next((said for guard in ON_ROW if (said := guard(self)) is not None), None)
        if why is None and row is not None and (row.id.startswith(NEW) or self._staged_in(row)):
            why = "Something is staged of it: send that first (ctrl+s), or drop it (X)."
        if why is not None or row is None or node is None:
            self.say(why or "", "warn")
            return
        from copydesk.session.options import Option
        from copydesk.session.reads.spaces import read_organizations
        from copydesk.tui.dialogs.choice import Choice

        api = await self.session.ready()
        others = [
            each
            for each in await read_organizations(api)
            if each.id != self.organization
            and (each.permissions is None or each.permissions.create_content)
        ]
        if not others:
            self.tell("You may create content in no other organization.", "warn")
            return
        options = [Option(each.id, clean(each.title).strip() or "Untitled") for each in others]
        chosen = await self.desk.push_screen_wait(Choice(f"Hand {row.title} over to", options))
        if not chosen:
            return
        title = next(option.title for option in options if option.id == chosen)
        inside = self._inside(row)
        blocks = await self._blocks(api, inside, chosen)
        if blocks:
            more = [f"and {len(blocks) - BLOCKS} more"] if len(blocks) > BLOCKS else []
            sheet = Notice(
                f"{row.title} cannot go to {title} yet",
                ["The service would refuse it:", "", *blocks[:BLOCKS], *more],
            )
            await self.desk.push_screen_wait(sheet)
            self.tell("Nothing was sent.")
            return
        await self._hand_over(row, chosen, title, inside)

    def _staged_in(self, row: Row) -> bool:
        states = self.arrangement.states
        base = self.arrangement.base
        return any(
            each == row.id or (each in base and base.inside(each, row.id)) for each in states
        )

    def _inside(self, row: Row) -> list[SpaceNode]:
        """Return the spaces that go: a space itself, or all in a collection."""
        nodes = self.read.nodes if self.read is not None else {}
        rows = [row.id, *self.arrangement.base.walk(row.id)]
        return [nodes[each] for each in rows if each in nodes and nodes[each].kind == "space"]

    async def _blocks(self, api: Api, spaces: Iterable[SpaceNode], other: str) -> list[str]:
        """Say what keeps spaces from going to another organization, as far as can be read."""
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops
        from copydesk.session.reads.tree import sites_showing

        translated: dict[str, str] = {}
        try:
            async for each in api.pages(ops.list_translations, self.organization):
                for end in (each.source, each.result):
                    if end is not None and end.space:
                        translated[end.space] = clean(str(each.language or "another language"))
        except (Forbidden, NotFound):
            pass
        found: list[str] = []
        members: dict[str, bool] = {}
        for node in spaces:
            if node.permissions is not None and "admin" not in node.permissions:
                found.append(f"{node.title}: that takes the role admin in it.")
            found += [
                f"{node.title}: the site {site} shows it; remove it there first."
                for site in await sites_showing(api, self.organization, node.id)
            ]
            if node.id in translated:
                found.append(
                    f"{node.title}: it belongs to a translation into {translated[node.id]}."
                )
            for rule, users in node.rules:
                for user in users:
                    if user not in members:
                        try:
                            await api(ops.get_member, other, user)
                            members[user] = True
                        except (Forbidden, NotFound):
                            members[user] = False
                    if not members[user]:
                        found.append(
                            f"{node.title}: its rule “{label(rule)}” names somebody who is not "
                            "there; change it first (m)."
                        )
        return found

    async def _hand_over(
        self, row: Row, organization: str, title: str, spaces: Sequence[SpaceNode]
    ) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.collection import CollectionTransfer
        from copydesk.contract.models.space import SpaceTransfer

        facts = [
            f"{row.title} leaves this organization and stands last at the top of {title}.",
            "Roles of people who are not there end, and so do integrations in it.",
            "This is sent at once and cannot be taken back from here.",
        ]
        if row.kind == "collection":
            facts.insert(1, f"It takes {plural(len(spaces), 'space')} along.")
        agreed = await self.desk.push_screen_wait(
            TypeToConfirm(
                f"Hand {row.title} over to {title}", facts, expect=row.title, verb="hand over"
            )
        )
        if not agreed:
            return

        async def send(api: Api) -> None:
            if row.kind == "collection":
                body = CollectionTransfer(organization=organization)
                await api(ops.transfer_collection, row.id, body)
            else:
                await api(ops.transfer_space, row.id, SpaceTransfer(organization=organization))

        await self.perform("Transfer", row.title, send)
        self.read_again()
        self.tell(f"{row.title} belongs to {title} now.", "good")
