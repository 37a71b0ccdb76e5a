"""Changing collections and spaces, besides their order: staged here, like the order.

A mixin of the place that shows the tree of an organization, apart from it for length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP
from copydesk.domain.space_tree import TRASH, SpaceNode
from copydesk.domain.tree_arrangement import TreeArrangement
from copydesk.domain.tree_plan import rules_line
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.tree import Trashed, TreeRead
from copydesk.session.target import Target
from copydesk.tui.arrange.cells import Row
from copydesk.tui.arrange.place import no_row, not_allowed, not_staged_order
from copydesk.tui.arrange.reader import ReadsArranged
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.spaces.cells import rule_words
from copydesk.tui.spaces.tree_cells import value
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.domain.arrangement import Arrangement
    from copydesk.domain.mention import Named
    from copydesk.session.options import Option

EDITABLE: Mapping[str, Sequence[str]] = {
    "collection": ("title", "description"),
    "space": ("title", "emoji"),
}
"""What the form of a row changes, by its kind."""

STAGED = "Staged here: nothing is sent until ctrl+s in the tree."


def in_trash(here: SpaceEditing) -> str | None:
    """Say so when the row is in the trash."""
    row = here.row
    if row is None or TRASH not in (row.id, row.level):
        return None
    return "It is in the trash: D restores it." if row.id != TRASH else "This is the trash."


def to_be_deleted(here: SpaceEditing) -> str | None:
    """Say so when the row is going to be deleted."""
    if here.row is not None and here.shown.state(here.row).removed:
        return f"{here.row.title} is going to be deleted. u brings it back."
    return None


def not_mine(here: SpaceEditing) -> str | None:
    """Say so when changing the row takes a role that the reader has not."""
    node = here.node
    if node is None or not _lacks(node, "admin"):
        return None
    return f"Changing {node.title} takes the role admin in it."


def _lacks(node: SpaceNode, permission: str) -> bool:
    return node.permissions is not None and permission not in node.permissions


def no_space_row(here: SpaceEditing) -> str | None:
    """Say so when the row is no space, or one of those that are picked."""
    items = here.arrangement.now.items
    if any(items[row].kind != "space" for row in here.picked() if row in items):
        return "This is a collection: it has no merge rules, no lock and no emoji."
    return None


def lock_label(here: SpaceEditing) -> str:
    """Return what ``x`` does to the row, or to the picked ones."""
    now, picked = here.arrangement.now, here.picked()
    first = now.items.get(picked[0]) if picked else None
    return "unlock" if first is not None and first.values.get("editMode") == "locked" else "lock"


ON_ROW = (not_allowed, no_row, not_staged_order, in_trash, to_be_deleted, not_mine)


class SpaceEditing(ReadsArranged[TreeRead], scope="space_editing"):
    """The tree of an organization: what can be changed in it besides its order."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.trashed: Mapping[str, Trashed] = {}
        """The spaces in the trash, as far as they are known, by id."""
        self.revealing: str | None = None
        """The row to go to once the tree has been read again."""
        self.losing: dict[str, Sequence[str]] = {}
        """The sites that show a space which is going to be deleted, by its id."""

    @property
    def node(self) -> SpaceNode | None:
        """What the service told of the row under the cursor; None of one that is only staged."""
        if self.row is None or self.read is None:
            return None
        return self.read.nodes.get(self.row.id)

    @property
    def known_nodes(self) -> Mapping[str, SpaceNode]:
        """What the service told of every row."""
        return {} if self.read is None else self.read.nodes

    @property
    def staged_tree(self) -> TreeArrangement:
        """What is staged."""
        return cast("TreeArrangement", self.arrangement)

    @property
    def organization(self) -> str:
        """The id of the organization."""
        return self.target.organization or self.session.organization or ""

    def stage(self, change: Callable[[Arrangement], Arrangement]) -> bool:
        """Stage a change of what the reader may change; False when it cannot be."""
        row = self.row
        if not self.rows.marks and row is not None and TRASH in (row.id, row.level):
            self.say(in_trash(self) or "", "warn")
            return False
        return super().stage(lambda it: self.allowed(change(it)))

    def allowed(self, arrangement: Arrangement) -> Arrangement:
        """Return it, unless the reader's roles do not reach. Raises `StagingError`."""
        now, base = arrangement.now, arrangement.base
        for row, state in arrangement.states.items():
            node = self.known_nodes.get(row)
            if node is not None and _lacks(node, "admin"):
                raise StagingError(f"Moving or changing {node.title} takes the role admin in it.")
            if state.new or (state.moved and now.level_of(row) != base.level_of(row)):
                self._check_into(now.level_of(row))
        return arrangement

    def _check_into(self, level: str) -> None:
        node = self.known_nodes.get(level)
        if node is not None and _lacks(node, "create"):
            raise StagingError(f"Putting something into {node.title} takes the role create in it.")
        if level == TOP and self.read is not None and not self.read.creates:
            raise StagingError("Putting something at the top takes the right to create content.")

    # Title, emoji, description

    @action(
        "e", "edit", unless=ON_ROW, show=30, group="Change", stages=True, types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Change the title and the emoji of a space, or title and description of a collection.

        Staged here, nothing is sent.
        """
        row = self.row
        if row is None:
            return
        fields = [self._field(row, name) for name in EDITABLE[row.kind]]
        before = {field.name: field.value for field in fields}

        async def stage(values: Mapping[str, str]) -> None:
            changes = {name: text for name, text in values.items() if text != before[name]}
            if "emoji" in changes:
                changes["emoji"] = await emoji_named(changes["emoji"])
            self._stage_or_refuse(lambda: self.staged_tree.change(row.id, changes))

        key = f"tree row {self.organization} {row.id}"
        form = Form(
            f"Edit {row.title}", fields, draft_key=key, facts=[STAGED], send=stage, verb="stage"
        )
        await self.desk.push_screen_wait(form)

    def _stage_or_refuse(self, change: Any) -> None:
        """Stage something from a sheet; where it cannot be, the sheet says why and stays."""
        try:
            self.staged(self.allowed(change()))
        except StagingError as stuck:
            raise NotDoneError(str(stuck)) from stuck

    def _field(self, row: Row, name: str) -> Field:
        before = value(row, name)

        def check(text: str) -> str | None:
            if text == before or (name == "emoji" and text.startswith(":")):
                return None
            try:
                self.staged_tree.check(row.item, {name: text})
            except StagingError as stuck:
                return str(stuck)
            return None

        note = "a sign, or its name as in :rocket:" if name == "emoji" else ""
        offers = emoji_options if name == "emoji" else None
        return Field(name, name.capitalize(), before, check, note, offers=offers)

    @action("E", "emoji", unless=(*ON_ROW, no_space_row), show=False, group="Change",
            stages=True)  # fmt: skip
    async def choose_emoji(self) -> None:
        """Choose the emoji of a space by its name. Staged here, nothing is sent."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        row = self.row
        if row is None:
            return
        self.session.asks()
        options = [Option("", "no emoji"), *await emoji_options()]
        current = value(row, "emoji")
        chosen = await self.desk.push_screen_wait(
            Choice(f"Emoji of {row.title}", options, current=current, wide=True)
        )
        if chosen is not None:
            self.stage(lambda it: it.change(row.id, {"emoji": chosen}))

    # Lock, merge rules

    @action("x", "lock",
            unless=(not_allowed, not_staged_order, *unless_marked(*ON_ROW), no_space_row),
            show=25, group="Change", now=lock_label, stages=True, takes="marked")  # fmt: skip
    def lock_space(self) -> None:
        """Lock a space, so that it is edited only in change requests, or unlock it. Staged here.

        With rows picked all of them become as the first one would.
        """
        picked, now = self.picked(), self.arrangement.now
        if not picked or picked[0] not in now.items:
            return
        locked = now.items[picked[0]].values.get("editMode") == "locked"
        mode = "live" if locked else "locked"
        self.stage(lambda it: it.change_all({row: {"editMode": mode} for row in picked}))

    def _kind(self, row: str) -> str:
        item = self.arrangement.now.items.get(row)
        return "" if item is None else item.kind

    @action("m", "merge rules", unless=(*ON_ROW, no_space_row), show=23, group="Change",
            stages=True)  # fmt: skip
    async def merge_rules(self) -> None:
        """Choose what must hold before a change request of the space merges. Staged here."""
        from copydesk.tui.merge.rules import RulesSheet, names_of

        row = self.row
        if row is None or self.read is None:
            return
        organization = self.organization

        async def people() -> Sequence[Named]:
            return await self.session.people.read(await self.session.ready(), organization)

        kind, rules = self.read.rules
        own = row.item.values.get("mergeRules") or {}
        if any(users for _, users in rules) or any(r.get("users") for r in own.get("rules") or ()):
            await people()  # ids say nothing
        known = names_of(self.session.people.known(organization))
        inherited = rule_words(rules, known) if kind == "rules" and rules else "none"
        sheet = RulesSheet(
            f"Merge rules of {row.title}",
            row.item.values.get("mergeRules"),
            inherited=inherited,
            people=people,
            names=known,
        )
        chosen = await self.desk.push_screen_wait(sheet)
        if chosen is not None:
            self.stage(lambda it: it.change(row.id, {"mergeRules": chosen}))
            self.tell(f"Merge rules staged: {rules_line(chosen)}.")


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
