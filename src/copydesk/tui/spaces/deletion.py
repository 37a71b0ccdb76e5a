"""Where collections and spaces go: into the trash and out of it, and to other organizations.

What is deleted is staged. Restoring and handing over are not: each is one write with a sheet of its
own.
"""

from __future__ import annotations

import asyncio
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
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.spaces.editor import ON_ROW, not_mine, to_be_deleted
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.space_tree import SpaceNode
    from copydesk.tui.spaces.tree import OrganizationStructurePlace

BLOCKS = 8
"""So many reasons against handing something over are listed."""


def the_trash(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is the trash itself."""
    if here.row is not None and here.row.id == TRASH:
        return "Put the cursor on a space in the trash: D restores it."
    return None


def delete_label(here: OrganizationStructurePlace) -> str:
    """Return what ``D`` does to the row."""
    in_trash = here.row is not None and here.row.level == TRASH and not here.rows.marks
    return "restore" if in_trash else "delete"


class DeletionCommands(Commands, scope="space_handing"):
    """Restoring, deleting and handing over what is in the tree of an organization."""

    place: OrganizationStructurePlace

    def __init__(self, here: OrganizationStructurePlace) -> None:
        super().__init__(here)
        self._losing: dict[str, Sequence[str]] = {}
        """The sites that show a space which is going to be deleted, by its id."""

    @action("D", "delete",
            unless=(not_allowed, not_staged_order,
                    *unless_marked(no_row, the_trash, to_be_deleted, not_mine)),
            show=18, group="Change", now=delete_label,
            uses="restore_space", takes="marked")  # fmt: skip
    async def delete_or_restore(self) -> None:
        """Delete spaces and empty collections: staged here. In the trash it restores instead."""
        row = self.place.row
        if row is not None and row.level == TRASH and not self.place.rows.marks:
            await self.restore_row(row)
        else:
            self.delete_rows()

    def delete_rows(self) -> None:
        """Delete the row, or the picked ones, once what is staged is sent."""
        picked = self.place.picked()
        items = self.place.arrangement.now.items
        spaces = [
            row
            for row in picked
            if row in items and items[row].kind == "space" and not row.startswith(NEW)
        ]
        if not self.place.stage(lambda it: it.remove(picked)):
            return
        self.place.rows.set_marks(())
        said = "What is only staged is forgotten."
        if spaces:
            them = "it" if len(spaces) == 1 else "them"
            said = f"Once sent, the trash keeps {them} for 7 days. u brings {them} back."
        elif not all(row.startswith(NEW) for row in picked):
            said = "A deleted collection cannot be brought back once it is sent. u keeps it."
        self.place.say(said)
        self.read_losing(spaces)

    def read_losing(self, rows: Sequence[str]) -> None:
        """Find out which sites show the spaces that are going to be deleted, for the plan."""
        from copydesk.session.reads.tree import sites_showing

        if not rows:
            return
        organization = self.place.organization

        async def read(api: Api) -> dict[str, Sequence[str]]:
            found = await asyncio.gather(*(sites_showing(api, organization, row) for row in rows))
            return dict(zip(rows, found, strict=True))

        def then(found: dict[str, Sequence[str]]) -> None:
            self._losing.update(found)
            self.place.draw()

        self.place.load("losing", read, then, what="Reading which sites show it", kept="never")

    def losing_lines(self) -> list[str]:
        """Say which sites stop showing what is going to be deleted."""
        lines = []
        for row, item in self.place.arrangement.removed.items():
            if sites := self._losing.get(row):
                stop = "stops" if len(sites) == 1 else "stop"
                lines.append(f"{', '.join(sites)} {stop} showing {item.title}.")
        return lines

    async def restore_row(self, row: Row) -> None:
        """Take a space out of the trash, at once, after asking."""
        found = self.place.trashed.get(row.id)
        if found is None:
            return
        now = self.place.session.now
        facts = [
            f"It was deleted; {plural(found.days_left(now), 'more day')} and it is gone for good.",
            f"It comes back {self._home_of(found)}. This is sent at once; u deletes it again.",
        ]
        if found.shown_by:
            facts.append(f"Readers of {', '.join(found.shown_by)} get it again.")
        if not await self.place.desk.push_screen_wait(
            Confirm(f"Restore {found.title}", facts, verb="restore")
        ):
            return
        await self._restore(found)

    def _home_of(self, found: Trashed) -> str:
        """Return where a space in the trash comes back to."""
        if not found.parent:
            return "at the top"
        node = self.place.known_nodes.get(found.parent)
        return f"in {node.title}" if node is not None else "in a collection that you cannot see"

    async def _restore(self, found: Trashed) -> None:
        from copydesk.contract import operations as ops

        async def send(api: Api) -> None:
            await api(ops.restore_space, found.id)

        await self.place.perform(
            "Restore", found.title, send, reversal=space_deleted(found.id, deleted=False)
        )
        self.place.revealing = found.id
        self.place.read_again()
        self.place.tell(f"{found.title} is back. u puts it in the trash again.", "good")

    @command("restore", uses="restore_space")
    async def restore(self, rest: str) -> None:
        """Restore the space under the cursor from the trash."""
        row = self.place.row
        if row is None or row.level != TRASH:
            self.place.say("Put the cursor on a space in the trash: it is the last group.", "warn")
        else:
            await self.restore_row(row)

    # Handing over

    @command("transfer", uses=("transfer_space", "transfer_collection", "list_translations"))
    async def transfer(self, rest: str) -> None:
        """Hand the row over to another organization, at once. It cannot be taken back."""
        row, node = self.place.row, self.place.node
        why = next((said for guard in ON_ROW if (said := guard(self.place)) is not None), None)
        if why is None and row is not None and (row.id.startswith(NEW) or self._staged_in(row)):
            why = "Something is staged of it: send that first (ctrl+s), or drop it (X)."
        if why is not None or row is None or node is None:
            self.place.say(why or "", "warn")
            return
        from copydesk.session.options import Option
        from copydesk.session.reads.spaces import read_organizations
        from copydesk.tui.dialogs.choice import Choice

        api = await self.place.session.ready()
        others = [
            each
            for each in await read_organizations(api)
            if each.id != self.place.organization
            and (each.permissions is None or each.permissions.create_content)
        ]
        if not others:
            self.place.tell("You may create content in no other organization.", "warn")
            return
        options = [Option(each.id, clean(each.title).strip() or "Untitled") for each in others]
        chosen = await self.place.desk.push_screen_wait(
            Choice(f"Hand {row.title} over to", options)
        )
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
            await self.place.desk.push_screen_wait(sheet)
            self.place.tell("Nothing was sent.")
            return
        await self._hand_over(row, chosen, title, inside)

    def _staged_in(self, row: Row) -> bool:
        states = self.place.arrangement.states
        base = self.place.arrangement.base
        return any(
            each == row.id or (each in base and base.inside(each, row.id)) for each in states
        )

    def _inside(self, row: Row) -> list[SpaceNode]:
        """Return the spaces that go: a space itself, or all in a collection."""
        nodes = self.place.read.nodes if self.place.read is not None else {}
        rows = [row.id, *self.place.arrangement.base.walk(row.id)]
        return [nodes[each] for each in rows if each in nodes and nodes[each].kind == "space"]

    async def _blocks(self, api: Api, spaces: Iterable[SpaceNode], other: str) -> list[str]:
        """Say what keeps spaces from going to another organization, as far as can be read."""
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops
        from copydesk.session.reads.tree import sites_showing

        translated: dict[str, str] = {}
        try:
            async for each in api.pages(ops.list_translations, self.place.organization):
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
                for site in await sites_showing(api, self.place.organization, node.id)
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
        agreed = await self.place.desk.push_screen_wait(
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

        await self.place.perform("Transfer", row.title, send)
        self.place.read_again()
        self.place.tell(f"{row.title} belongs to {title} now.", "good")
