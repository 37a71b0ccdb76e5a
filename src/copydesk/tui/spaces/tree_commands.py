"""Changing, adding, moving and deleting collections and spaces in their tree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.address import shown_at
from copydesk.domain.arrangement import StagingError
from copydesk.domain.completion import signs
from copydesk.domain.layout import TOP, Item
from copydesk.domain.merge_rules import label
from copydesk.domain.own_command import Thing
from copydesk.domain.reversal import NEW
from copydesk.domain.space_tree import TRASH, SpaceNode
from copydesk.domain.text import clean, plural, shown_title
from copydesk.domain.tree_arrangement import TreeArrangement
from copydesk.domain.tree_inverses import space_deleted
from copydesk.domain.tree_plan import rules_line
from copydesk.present.facts import hint
from copydesk.session.draft_keys import new_in_tree_key, tree_row_key
from copydesk.session.errors import NotDoneError
from copydesk.session.glyphs import emoji_names
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_organizations
from copydesk.session.reads.tree import TrashedSpace, sites_showing
from copydesk.tui.arrange.cells import ArrangedRow, value
from copydesk.tui.arrange.place import (
    handed_over,
    no_row,
    not_allowed,
    not_staged_order,
    nothing_staged,
    why_not,
)
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm, Fact, Notice, TypeToConfirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.merge.rules_dialog import RulesSheet, names_of
from copydesk.tui.spaces.cells import LANGUAGES, rule_words
from copydesk.tui.widgets.list import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.mention import Named
    from copydesk.domain.space_tree import SpaceNode
    from copydesk.tui.spaces.tree import OrganizationStructurePlace

EDITABLE: Mapping[str, Sequence[str]] = {
    "collection": ("title", "description"),
    "space": ("title", "emoji"),
}
"""What the form of a row changes, by its kind."""

STAGED = "Staged here: nothing is sent until ctrl+s in the tree."

NO_NEW_SPACE = "This service makes no space over its API: copy one instead, with “:duplicate”."

AT_TOP = "top:"
"""What stands for the top among collections to choose from."""

BLOCKS = 8
"""So many reasons against handing something over are listed."""


def in_trash(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is in the trash."""
    row = here.row
    if row is None or TRASH not in (row.id, row.level):
        return None
    return "This is in the trash: D restores it." if row.id != TRASH else "This is the trash."


def to_be_deleted(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is going to be deleted."""
    if here.row is not None and here.order.shown.state(here.row).removed:
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
    """Return why the row is no space to act on; None where it is one."""
    items = here.draft.arrangement.now.items
    if any(items[row].kind != "space" for row in here.rows.picked() if row in items):
        return "This is a collection: it has no merge rules, no lock and no emoji."
    return None


def lock_label(here: OrganizationStructurePlace) -> str:
    """Return what ``x`` does to the row, or to the picked ones."""
    now, picked = here.draft.arrangement.now, here.rows.picked()
    first = now.items.get(picked[0]) if picked else None
    return "unlock" if first is not None and first.values.get("editMode") == "locked" else "lock"


ON_ROW = (not_allowed, no_row, not_staged_order, in_trash, to_be_deleted, not_mine)


def rule_options(row: ArrangedRow) -> list[Option]:
    """Return what the form of a space offers for its merge rules: as they are, or to choose."""
    now = rules_line(row.item.values.get("mergeRules"))
    return [Option("", f"as they are: {now}"), Option("choose", "choose them", "after this form")]


async def emoji_options() -> list[Option]:
    """Return every emoji with its name, to choose from."""
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
    if not text.startswith(":"):
        return text
    names = await asyncio.to_thread(emoji_names)
    wanted = "_".join(text.strip(":").casefold().split())
    found = signs(wanted, names, most=1) if wanted else []
    if not found:
        raise NotDoneError(f"No emoji has the name {text}: ctrl+o lists them.")
    return found[0][1]


def the_trash(here: OrganizationStructurePlace) -> str | None:
    """Say so when the row is the trash itself."""
    if here.row is not None and here.row.id == TRASH:
        return "Put the cursor on a space in the trash: D restores it."
    return None


def delete_label(here: OrganizationStructurePlace) -> str:
    """Return what ``D`` does to the row."""
    in_trash = here.row is not None and here.row.level == TRASH and not here.rows.marks
    return "restore" if in_trash else "delete"


class TreeEditCommands(Commands, scope="organization_structure"):
    """Changing spaces and collections besides their order."""

    place: OrganizationStructurePlace

    def things(self) -> Sequence[Thing]:
        def fields(item: Item) -> Mapping[str, str]:
            node = self.place.known_nodes.get(item.id)
            url = "" if node is None else shown_at(node.app_url, node.published_url)
            return {"url": url, **({"space": item.title} if item.kind == "space" else {})}

        return handed_over(self.place, fields)

    # Title, emoji, description

    @action(
        "e", "edit", unless=ON_ROW, show=30, group="Change", stages=True, types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Change title, emoji and merge rules of a space, or the texts of a collection.

        Staged here, nothing is sent.
        """
        row = self.place.row
        if row is None:
            return
        fields = [self._field(row, name) for name in EDITABLE[row.kind]]
        if row.kind == "space":
            fields.append(Field("rules", "Merge rules", options=rule_options(row)))
        before = {field.name: field.value for field in fields}
        rules = False

        async def stage(values: Mapping[str, str]) -> None:
            nonlocal rules
            changes = {name: text for name, text in values.items() if text != before[name]}
            chosen = bool(changes.pop("rules", ""))
            if "emoji" in changes:
                changes["emoji"] = await emoji_named(changes["emoji"])
            self.place.draft.stage_or_refuse(lambda: self.place.staged_tree.change(row.id, changes))
            rules = chosen  # not before all else of the form is staged

        key = tree_row_key(self.place.home, row.id)
        form = Form(
            f"Edit {row.title}",
            fields,
            draft_key=key,
            facts=[hint(STAGED, "")],
            send=stage,
            verb="stage",
        )  # fmt: skip
        await self.place.desk.push_screen_wait(form)
        if rules:
            await self._choose_rules(row)

    def _field(self, row: ArrangedRow, name: str) -> Field:
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

    @action("E", "emoji", word="emoji", unless=(*ON_ROW, no_space_row), show=False, group="Change",
            stages=True, types=True)  # fmt: skip
    async def choose_emoji(self) -> None:
        """Choose the emoji of a space by its name. Staged here, nothing is sent."""
        row = self.place.row
        if row is None:
            return
        self.place.session.asks()
        options = [Option("", "no emoji"), *await emoji_options()]
        current = value(row, "emoji")
        chosen = await self.place.desk.push_screen_wait(
            Choice(f"Emoji of {row.title}", options, current=current)
        )
        if chosen is not None:
            self.place.draft.stage(lambda it: it.change(row.id, {"emoji": chosen}))

    # Lock, merge rules

    @action("x", "lock",
            unless=(not_allowed, not_staged_order, *unless_marked(*ON_ROW), no_space_row),
            show=25, group="Change", now=lock_label, stages=True, takes="marked")  # fmt: skip
    def lock(self) -> None:
        """Lock a space, so that it is edited only in change requests, or unlock it. Staged here.

        With rows picked all of them become as the first one would.
        """
        picked, now = self.place.rows.picked(), self.place.draft.arrangement.now
        if not picked or picked[0] not in now.items:
            return
        locked = now.items[picked[0]].values.get("editMode") == "locked"
        mode = "live" if locked else "locked"
        self.place.draft.stage(
            lambda it: it.change_all({row: {"editMode": mode} for row in picked})
        )

    @command("rules", stages=True)
    async def merge_rules(self, rest: str) -> None:
        """Choose what must hold before a change request of the space merges. Staged here."""
        for guard in (*ON_ROW, no_space_row):
            if (why := guard(self.place)) is not None:
                self.place.say(why, "warn")
                return
        if self.place.row is not None:
            await self._choose_rules(self.place.row)

    async def _choose_rules(self, row: ArrangedRow) -> None:
        if self.place.read is None:
            return
        organization = self.place.home

        async def people() -> Sequence[Named]:
            return await self.place.session.members.read(
                await self.place.session.ready(), organization
            )

        kind, rules = self.place.read.rules
        own = row.item.values.get("mergeRules") or {}
        if any(users for _, users in rules) or any(r.get("users") for r in own.get("rules") or ()):
            await people()  # ids say nothing
        known = names_of(self.place.session.members.known(organization))
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
            self.place.draft.stage(lambda it: it.change(row.id, {"mergeRules": chosen}))
            self.place.tell(f"Merge rules staged: {rules_line(chosen)}.")

    @action(
        "ctrl+s", "send", unless=(not_allowed, nothing_staged), danger=2, show=38, group="Order",
        word="send", override=True,
        uses=(
            "move_space", "move_collection", "update_space", "update_collection", "create_space",
            "create_collection", "duplicate_space", "delete_space", "delete_collection",
            "list_organization_spaces", "list_organization_collections",
        ),
        takes="none",
    )  # fmt: skip
    async def apply(self) -> None:
        """Send what is staged, after reading the tree again. It shows the plan first."""
        await self.place.send()


class TreeCreationCommands(Commands, scope="organization_structure"):
    """Adding to the tree of an organization, and moving within it."""

    place: OrganizationStructurePlace

    # New

    @action("ctrl+n", "new", unless=(not_allowed, not_staged_order), show=20, group="Change",
            word="new", stages=True, takes="none")  # fmt: skip
    async def add(self) -> None:
        """Add a collection or a space where the cursor is, or a copy of a space. Staged here."""
        going = in_trash(self.place) or to_be_deleted(self.place)
        row = self.place.row if going is None else None
        here = self._level_here(row)
        # In what is under the cursor first; then beside it; and always at the top.
        levels = [*dict.fromkeys((here, row.level if row is not None else TOP, TOP))]
        original = ""
        if row is not None and row.kind == "space" and not row.id.startswith(NEW):
            original = row.title
        options: list[Option] = []
        for level in levels:
            where = self._place_of(level)
            options += [
                Option(f"collection {level}", f"a collection {where}"),
                Option(
                    f"space {level}", f"a space {where}", "" if self._makes_spaces else "not here"
                ),
            ]
            if level == here and original:
                options.append(Option("copy", f"a copy of {original}", "with its pages and files"))
        chosen = await self.place.desk.push_screen_wait(Choice("New", options))
        what, _, level = (chosen or "").partition(" ")
        match what:
            case "collection":
                await self._new("collection", level, [self._title_field("collection")])
            case "space" if not self._makes_spaces:
                self.place.tell(NO_NEW_SPACE, "warn")
            case "space":
                beside = row is not None and row.kind == "space" and row.level == level
                await self._add_space(level, row.id if row is not None and beside else None)
            case "copy":
                self._copy(row)

    @property
    def _makes_spaces(self) -> bool:
        """Whether the service is known to make spaces (extension E3)."""
        api = self.place.session.api
        listed = self.place.read is None or self.place.read.listed
        return listed and (api is None or api.has("E3"))

    def _level_here(self, row: ArrangedRow | None) -> str:
        """Return the collection under the cursor, or the one that holds the row."""
        if row is None:
            return TOP
        return row.id if row.kind == "collection" else row.level

    def _title_of(self, level: str) -> str:
        return "the top" if level == TOP else self.place.draft.arrangement.now.items[level].title

    def _place_of(self, level: str) -> str:
        return "at the top" if level == TOP else f"in {self._title_of(level)}"

    async def _add_space(self, level: str, below: str | None) -> None:
        fields = [
            self._title_field("space"),
            Field("emoji", "Emoji", offers=emoji_options, note="a sign, or a name as in :rocket:"),
            Field("language", "Language", check=_language, note="a code such as en, de, pt-br"),
            Field(
                "editMode",
                "Editing",
                "live",
                _edit_mode,
                "live, or locked: only by change requests",
            ),
        ]
        await self._new("space", level, fields, after=below)

    def _title_field(self, kind: str) -> Field:
        def check(text: str) -> str | None:
            return "A title is at most 50 characters." if len(text) > 50 else None

        return Field("title", f"Title of the {kind}", "", check)

    async def _new(
        self, kind: Any, level: str, fields: Sequence[Field], *, after: str | None = None
    ) -> None:
        made = ""

        async def stage(values: Mapping[str, str]) -> None:
            nonlocal made
            given = {name: text for name, text in values.items() if text}
            given.setdefault("title", "Untitled")
            if "emoji" in given:
                given["emoji"] = await emoji_named(given["emoji"])

            def change() -> TreeArrangement:
                nonlocal made
                arrangement, made = self.place.staged_tree.add(level, kind, given, after=after)
                return arrangement

            self.place.draft.stage_or_refuse(change)

        form = Form(
            f"New {kind} {self._place_of(level)}",
            fields,
            draft_key=new_in_tree_key(self.place.home, kind),
            facts=[hint(STAGED, "")],
            send=stage,
            verb="stage",
        )
        if await self.place.desk.push_screen_wait(form) and made:
            self._reveal(made)

    def _reveal(self, row: str) -> None:
        source = self.place.rows.tree_source
        if row in self.place.draft.arrangement.now:
            source.unfolded.add(self.place.draft.arrangement.now.level_of(row))
        self.place.show_arrangement(row)

    @command("duplicate", stages=True)
    def duplicate(self, rest: str) -> None:
        """Copy the space under the cursor, with its pages and files. Staged here."""
        why = why_not(self.place, *ON_ROW[:-1])
        if why is not None:
            self.place.say(why, "warn")
        else:
            self._copy(self.place.row)

    def _copy(self, row: ArrangedRow | None) -> None:
        if row is None:
            return
        made = ""

        def change(it: Any) -> Any:
            nonlocal made
            arrangement, made = it.duplicate(row.id)
            return arrangement

        if self.place.draft.stage(change):
            self._reveal(made)
            self.place.say(f"A copy of “{row.title}” is staged: e renames it, ctrl+s makes it.")

    # Into a collection

    @command("into", "COLLECTION", stages=True, takes="marked")
    async def into(self, rest: str) -> None:
        """Choose the collection that the row, or the picked ones, go into."""
        why = why_not(self.place, not_allowed, not_staged_order, *unless_marked(*ON_ROW))
        if why is not None:
            self.place.say(why, "warn")
        else:
            await self.choose_collection(rest)

    async def choose_collection(self, words: str = "") -> None:
        """Choose the collection that the row, or the picked ones, go into."""
        picked, now = self.place.rows.picked(), self.place.draft.arrangement.now
        try:
            titles = [self.place.draft.arrangement.there(row).title for row in picked]
        except StagingError as gone:
            self.place.say(str(gone), "warn")
            return
        options = [Option(AT_TOP, "the top", "in no collection")]
        for row in now.walk():
            item = now.items[row]
            inside = any(row == each or now.inside(row, each) for each in picked)
            if item.kind == "collection" and not inside:
                options.append(Option(row, item.title, self._title_of(now.level_of(row))))
        wanted = words.casefold().split()
        fits = [o for o in options if wanted and all(w in o.title.casefold() for w in wanted)]
        chosen = fits[0].id if len(fits) == 1 else ""
        if not chosen:
            what = titles[0] if len(titles) == 1 else plural(len(titles), "row")
            chosen = await self.place.desk.push_screen_wait(Choice(f"Move {what} into", options))
        if not chosen:
            return
        level = TOP if chosen == AT_TOP else chosen
        if self.place.draft.stage(lambda it: it.shift(picked, level)):
            self.place.rows.set_marks(())
            self._reveal(picked[0])


class TreeDeletionCommands(Commands, scope="organization_structure"):
    """Restoring, deleting and handing over spaces and collections."""

    place: OrganizationStructurePlace

    def __init__(self, here: OrganizationStructurePlace) -> None:
        super().__init__(here)
        self._losing: dict[str, Sequence[str]] = {}
        """The sites that show a space which is going to be deleted, by its id."""

    @action("D", "delete", word="delete",
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
        """Stage the removal of the row, or of the picked ones."""
        picked = self.place.rows.picked()
        items = self.place.draft.arrangement.now.items
        spaces = [
            row
            for row in picked
            if row in items and items[row].kind == "space" and not row.startswith(NEW)
        ]
        if not self.place.draft.stage(lambda it: it.remove(picked)):
            return
        self.place.rows.set_marks(())
        said = "What is only staged is forgotten."
        if spaces:
            them = "it" if len(spaces) == 1 else "them"
            said = f"Once sent, the trash keeps {them} for 7 days. u brings {them} back."
        elif not all(row.startswith(NEW) for row in picked):
            said = "A deleted collection cannot be brought back once it is sent. u keeps it."
        self.place.say(said)
        self.read_losing({row: items[row] for row in spaces})

    def read_losing(self, removed: Mapping[str, Item]) -> None:
        """Find out which sites show the spaces that are going to be deleted, for the plan."""
        spaces = [row for row, item in removed.items() if item.kind == "space"]
        if not spaces:
            return
        organization = self.place.home

        async def read(api: Api) -> dict[str, Sequence[str]]:
            found = await asyncio.gather(*(sites_showing(api, organization, row) for row in spaces))
            return dict(zip(spaces, found, strict=True))

        def then(found: dict[str, Sequence[str]]) -> None:
            self._losing.update(found)
            self.place.draw()

        self.place.reads.load(
            "losing", read, then, what="Reading which sites show it", kept="never"
        )

    def losing_lines(self) -> list[str]:
        """Return a line for each site that stops showing a deleted space."""
        lines = []
        for row, item in self.place.draft.arrangement.removed.items():
            if sites := self._losing.get(row):
                stop = "stops" if len(sites) == 1 else "stop"
                lines.append(f"{', '.join(sites)} {stop} showing {item.title}.")
        return lines

    async def restore_row(self, row: ArrangedRow) -> None:
        """Take a space out of the trash, at once, after asking."""
        found = self.place.trashed.get(row.id)
        if found is None:
            return
        now = self.place.session.now
        facts: list[Fact] = [
            f"It was deleted; {plural(found.days_left(now), 'more day')} and it is gone for good.",
            f"It comes back {self._home_of(found)}.",
            hint("This is sent at once; u deletes it again.", ""),
        ]
        if found.shown_by:
            facts.append(f"Readers of {', '.join(found.shown_by)} get it again.")
        if not await self.place.desk.push_screen_wait(
            Confirm(f"Restore {found.title}", facts, verb="restore")
        ):
            return
        await self._restore(found)

    def _home_of(self, found: TrashedSpace) -> str:
        """Return where a space in the trash comes back to."""
        if not found.parent:
            return "at the top"
        node = self.place.known_nodes.get(found.parent)
        return f"in {node.title}" if node is not None else "in a collection that you cannot see"

    async def _restore(self, found: TrashedSpace) -> None:
        async def send(api: Api) -> None:
            await api(ops.restore_space, found.id)

        await self.place.writer.perform(
            "Restore", found.title, send, reversal=space_deleted(found.id, deleted=False)
        )
        self.place.revealing = found.id
        self.place.read_again()
        self.place.tell(f"“{found.title}” is back. u puts it in the trash again.", "good")

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
        """Transfer the row to another organization, at once. It cannot be undone."""
        row, node = self.place.row, self.place.node
        why = why_not(self.place, *ON_ROW)
        if why is None and row is not None and (row.id.startswith(NEW) or self._staged_in(row)):
            why = "Something is staged of it: send that first (ctrl+s), or discard it (X)."
        if why is not None or row is None or node is None:
            self.place.say(why or "", "warn")
            return
        api = await self.place.session.ready()
        operation = ops.transfer_collection if row.kind == "collection" else ops.transfer_space
        if await api.routes.lacks(operation):  # before anything is chosen or typed
            self.place.tell(self.place.session.without([operation.name]) or "", "warn")
            return
        others = [
            each
            for each in await read_organizations(api)
            if each.id != self.place.home
            and (each.permissions is None or each.permissions.create_content)
        ]
        if not others:
            self.place.tell("You may create content in no other organization.", "warn")
            return
        options = [Option(each.id, shown_title(each.title)) for each in others]
        chosen = await self.place.desk.push_screen_wait(Choice(f"Transfer {row.title} to", options))
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

    def _staged_in(self, row: ArrangedRow) -> bool:
        states = self.place.draft.arrangement.states
        base = self.place.draft.arrangement.base
        return any(
            each == row.id or (each in base and base.inside(each, row.id)) for each in states
        )

    def _inside(self, row: ArrangedRow) -> list[SpaceNode]:
        """Return the spaces that go: a space itself, or all in a collection."""
        nodes = self.place.read.nodes if self.place.read is not None else {}
        rows = [row.id, *self.place.draft.arrangement.base.walk(row.id)]
        return [nodes[each] for each in rows if each in nodes and nodes[each].kind == "space"]

    async def _blocks(self, api: Api, spaces: Iterable[SpaceNode], other: str) -> list[str]:
        """Say what keeps spaces from going to another organization, where that can be read."""
        translated: dict[str, str] = {}
        try:
            async for each in api.pages(ops.list_translations, self.place.home):
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
                for site in await sites_showing(api, self.place.home, node.id)
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
                            f"{node.title}: its rule “{label(rule)}” names someone who is not "
                            "there; change it first (:rules)."
                        )
        return found

    async def _hand_over(
        self, row: ArrangedRow, organization: str, title: str, spaces: Sequence[SpaceNode]
    ) -> None:
        from copydesk.contract.models.collection import CollectionTransfer
        from copydesk.contract.models.space import SpaceTransfer

        facts = [
            f"{row.title} leaves this organization and is last at the top of {title}.",
            "Roles of people who are not there end, and so do integrations in it.",
            "This is sent at once and cannot be undone from here.",
        ]
        if row.kind == "collection":
            facts.insert(1, f"The collection takes {plural(len(spaces), 'space')} along.")
        agreed = await self.place.desk.push_screen_wait(
            TypeToConfirm(
                f"Transfer {row.title} to {title}", facts, expect=row.title, verb="transfer"
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

        await self.place.writer.perform("Transfer", row.title, send)
        self.place.read_again()
        self.place.tell(f"“{row.title}” belongs to “{title}” now.", "good")


def _language(text: str) -> str | None:
    if not text or text in LANGUAGES:
        return None
    return "Not a language code; en, de, fr and pt-br are some."


def _edit_mode(text: str) -> str | None:
    return None if text in ("live", "locked", "") else "That is either live or locked."
