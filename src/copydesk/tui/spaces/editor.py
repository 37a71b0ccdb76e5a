"""Changing collections and spaces, besides their order: staged here, like the order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.domain.arrangement import StagingError
from copydesk.domain.space_tree import TRASH, SpaceNode
from copydesk.domain.tree_plan import rules_line
from copydesk.session.errors import NotDoneError
from copydesk.tui.arrange.cells import Row
from copydesk.tui.arrange.place import no_row, not_allowed, not_staged_order
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.spaces.cells import rule_words
from copydesk.tui.spaces.tree_cells import value
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.domain.mention import Named
    from copydesk.session.options import Option
    from copydesk.tui.spaces.tree import OrganizationStructurePlace

EDITABLE: Mapping[str, Sequence[str]] = {
    "collection": ("title", "description"),
    "space": ("title", "emoji"),
}
"""What the form of a row changes, by its kind."""

STAGED = "Staged here: nothing is sent until ctrl+s in the tree."


def in_trash(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is in the trash."""
    row = here.row
    if row is None or TRASH not in (row.id, row.level):
        return None
    return "It is in the trash: D restores it." if row.id != TRASH else "This is the trash."


def to_be_deleted(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is going to be deleted."""
    if here.row is not None and here.shown.state(here.row).removed:
        return f"{here.row.title} is going to be deleted. u brings it back."
    return None


def not_mine(here: OrganizationStructurePlace) -> str | None:
    """Say so when changing the row takes a role that the reader has not."""
    node = here.node
    if node is None or not lacks(node, "admin"):
        return None
    return f"Changing {node.title} takes the role admin in it."


def lacks(node: SpaceNode, permission: str) -> bool:
    """Whether the reader is known not to have a permission in a space or collection."""
    return node.permissions is not None and permission not in node.permissions


def no_space_row(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is no space, or one of those that are picked."""
    items = here.arrangement.now.items
    if any(items[row].kind != "space" for row in here.picked() if row in items):
        return "This is a collection: it has no merge rules, no lock and no emoji."
    return None


def lock_label(here: OrganizationStructurePlace) -> str:
    """Return what ``x`` does to the row, or to the picked ones."""
    now, picked = here.arrangement.now, here.picked()
    first = now.items.get(picked[0]) if picked else None
    return "unlock" if first is not None and first.values.get("editMode") == "locked" else "lock"


ON_ROW = (not_allowed, no_row, not_staged_order, in_trash, to_be_deleted, not_mine)


class EditCommands(Commands, scope="space_editing"):
    """What can be changed in the tree of an organization besides its order."""

    place: OrganizationStructurePlace

    # Title, emoji, description

    @action(
        "e", "edit", unless=ON_ROW, show=30, group="Change", stages=True, types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Change the title and the emoji of a space, or title and description of a collection.

        Staged here, nothing is sent.
        """
        row = self.place.row
        if row is None:
            return
        fields = [self._field(row, name) for name in EDITABLE[row.kind]]
        before = {field.name: field.value for field in fields}

        async def stage(values: Mapping[str, str]) -> None:
            changes = {name: text for name, text in values.items() if text != before[name]}
            if "emoji" in changes:
                changes["emoji"] = await emoji_named(changes["emoji"])
            self.place.stage_or_refuse(lambda: self.place.staged_tree.change(row.id, changes))

        key = f"tree row {self.place.organization} {row.id}"
        form = Form(
            f"Edit {row.title}", fields, draft_key=key, facts=[STAGED], send=stage, verb="stage"
        )
        await self.place.desk.push_screen_wait(form)

    def _field(self, row: Row, name: str) -> Field:
        before = value(row, name)

        def check(text: str) -> str | None:
            if text == before or (name == "emoji" and text.startswith(":")):
                return None
            try:
                self.place.staged_tree.check(row.item, {name: text})
            except StagingError as stuck:
                return str(stuck)
            return None

        note = "a sign, or its name as in :rocket:" if name == "emoji" else ""
        offers = emoji_options if name == "emoji" else None
        return Field(name, name.capitalize(), before, check, note, offers=offers)

    @action("E", "emoji", unless=(*ON_ROW, no_space_row), show=False, group="Change",
            stages=True, types=True)  # fmt: skip
    async def choose_emoji(self) -> None:
        """Choose the emoji of a space by its name. Staged here, nothing is sent."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        row = self.place.row
        if row is None:
            return
        self.place.session.asks()
        options = [Option("", "no emoji"), *await emoji_options()]
        current = value(row, "emoji")
        chosen = await self.place.desk.push_screen_wait(
            Choice(f"Emoji of {row.title}", options, current=current, wide=True)
        )
        if chosen is not None:
            self.place.stage(lambda it: it.change(row.id, {"emoji": chosen}))

    # Lock, merge rules

    @action("x", "lock",
            unless=(not_allowed, not_staged_order, *unless_marked(*ON_ROW), no_space_row),
            show=25, group="Change", now=lock_label, stages=True, takes="marked")  # fmt: skip
    def lock_space(self) -> None:
        """Lock a space, so that it is edited only in change requests, or unlock it. Staged here.

        With rows picked all of them become as the first one would.
        """
        picked, now = self.place.picked(), self.place.arrangement.now
        if not picked or picked[0] not in now.items:
            return
        locked = now.items[picked[0]].values.get("editMode") == "locked"
        mode = "live" if locked else "locked"
        self.place.stage(lambda it: it.change_all({row: {"editMode": mode} for row in picked}))

    @action("m", "merge rules", unless=(*ON_ROW, no_space_row), show=23, group="Change",
            stages=True)  # fmt: skip
    async def merge_rules(self) -> None:
        """Choose what must hold before a change request of the space merges. Staged here."""
        from copydesk.tui.merge.rules import RulesSheet, names_of

        row = self.place.row
        if row is None or self.place.read is None:
            return
        organization = self.place.organization

        async def people() -> Sequence[Named]:
            return await self.place.session.people.read(
                await self.place.session.ready(), organization
            )

        kind, rules = self.place.read.rules
        own = row.item.values.get("mergeRules") or {}
        if any(users for _, users in rules) or any(r.get("users") for r in own.get("rules") or ()):
            await people()  # ids say nothing
        known = names_of(self.place.session.people.known(organization))
        inherited = rule_words(rules, known) if kind == "rules" and rules else "none"
        sheet = RulesSheet(
            f"Merge rules of {row.title}",
            row.item.values.get("mergeRules"),
            inherited=inherited,
            people=people,
            names=known,
        )
        chosen = await self.place.desk.push_screen_wait(sheet)
        if chosen is not None:
            self.place.stage(lambda it: it.change(row.id, {"mergeRules": chosen}))
            self.place.tell(f"Merge rules staged: {rules_line(chosen)}.")


async def emoji_options() -> list[Option]:
    """Return every emoji with its name, to choose from."""
    from copydesk.session.emoji import emoji_names
    from copydesk.session.options import Option

    names = await asyncio.to_thread(emoji_names)  # the first time it reads a large table
    found: dict[str, str] = {}
    for name, sign in names:
        found.setdefault(sign, name)
    return [
        Option(sign, f"{sign if len(sign) == 1 else '  '} {name.replace('_', ' ')}")
        for sign, name in found.items()
    ]


async def emoji_named(text: str) -> str:
    """Return the sign that ``:name`` means; any other text as it is.

    Raises `NotDoneError` for a name that there is not.
    """
    from copydesk.domain.completion import signs
    from copydesk.session.emoji import emoji_names

    if not text.startswith(":"):
        return text
    names = await asyncio.to_thread(emoji_names)
    wanted = "_".join(text.strip(":").casefold().split())
    found = signs(wanted, names, most=1) if wanted else []
    if not found:
        raise NotDoneError(f"There is no emoji called {text}: ctrl+o lists them.")
    return found[0][1]
