"""Changing what is in the structure of a site: all but its order, which is staged.

A mixin of the place that shows the structure, apart from it for length. Each of these is one write,
sent at once; those that have an inverse are taken back by ``u``.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import TYPE_CHECKING

from copydesk.domain.inverses import default_changed, site_row_changed, space_shown
from copydesk.domain.site_tree import TOP, SiteNode, Structure
from copydesk.domain.text import plural
from copydesk.tui.actions import action, command
from copydesk.tui.details_pane import HasDetails
from copydesk.tui.places import Target
from copydesk.tui.present.space_choice import space_options
from copydesk.tui.site_reading import SiteRead
from copydesk.tui.site_writing import check, set_default, update
from copydesk.tui.widgets.choice import Choice, Choices, Option
from copydesk.tui.widgets.form import Field, Form
from copydesk.tui.widgets.sheet import TypeToConfirm
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api

PATH_NOTE = "the address changes; links that readers kept may break"


def not_allowed(here: SiteEditing) -> str | None:
    """Say why the reader may not change this site."""
    if here.read is None:
        return "The structure has not been read yet."
    return here.refused or None


def no_row(here: SiteEditing) -> str | None:
    """Say so when the cursor is on no row."""
    return None if here.node is not None else "There is no row here."


def a_group(here: SiteEditing) -> str | None:
    """Say so when the row is a group: nothing can be done to it."""
    node = here.node
    if node is not None and node.kind == "group":
        return "The API has no operation on a group. Its sections can be moved inside it."
    return None


def not_hideable(here: SiteEditing) -> str | None:
    """Say so when the row is a section: only site spaces can be hidden."""
    node = here.node
    if node is not None and node.kind == "section":
        return "A section cannot be hidden, only what it shows: unfold it with l."
    return None


def default_already(here: SiteEditing) -> str | None:
    """Say so when readers land on the row already."""
    node = here.node
    if node is not None and node.default:
        return f"{node.title} is the default already."
    return None


def only_one(here: SiteEditing) -> str | None:
    """Say so when the row is all that its section shows."""
    node = here.node
    if (
        node is not None
        and node.kind == "site-space"
        and node.level != TOP
        and len(here.structure.levels[node.level]) == 1
    ):
        return "A section shows at least one space. Remove the section instead."
    return None


class SiteEditing(HasDetails, scope="site_editing"):
    """The place of a site's structure, without its order."""

    rows: TreeList[SiteNode]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.read: SiteRead | None = None
        self.revealing: str | None = None
        """The row to go to once the structure has been read again."""
        self.refused = ""
        """Why the reader may not change the site; empty when they may, or nobody knows."""

    @property
    def node(self) -> SiteNode | None:
        """The row under the cursor."""
        return self.rows.selected_item

    @property
    def structure(self) -> Structure:
        """What the site shows, as read last."""
        return self.read.structure if self.read is not None else Structure({}, {TOP: ()})

    @property
    def _ids(self) -> tuple[str, str]:
        return self.target.organization or "", self.target.site or ""

    def url(self) -> str | None:
        """Return where readers find what is under the cursor."""
        node = self.node
        return (node.address or None) if node is not None else None

    # Title, path and description

    @action(
        "e",
        "edit",
        unless=(not_allowed, no_row, a_group),
        danger=1,
        show=30,
        group="Change",
        uses=("update_site_section", "update_site_space"),
    )
    async def edit(self) -> None:
        """Change the title, the path and the description of a section, or the path of a space."""
        node = self.node
        if node is None:
            return
        key = f"site row {self.target.site} {node.id}"
        fields = [Field("path", "Path", node.path, check(node, "path"), PATH_NOTE)]
        if node.kind == "section":
            fields = [
                Field("title", "Title", node.title, check(node, "title")),
                *fields,
                Field("description", "Description", node.description, check(node, "description")),
            ]
        facts = [] if node.kind == "section" else ["Its title is that of its space."]
        before = {field.name: field.value for field in fields}

        async def send(values: Mapping[str, str]) -> None:
            changes = {name: text for name, text in values.items() if text != before[name]}
            old = {name: before[name] for name in changes}
            await self.perform(
                "Rename" if "title" in changes else "Edit",
                node.title,
                lambda api: update(api, self._ids, node, changes),
                reversal=site_row_changed(self._ids, node, old, changes),
                draft=key,
            )

        form = Form(f"Edit {node.title}", fields, draft_key=key, facts=facts, send=send)
        if await self.desk.push_screen_wait(form):
            self.read_again()

    # Hidden, default

    @action(
        "x",
        "hide/show",
        unless=(not_allowed, no_row, a_group, not_hideable),
        show=25,
        group="Change",
        uses="update_site_space",
    )
    async def hide(self) -> None:
        """Hide a site space from the navigation, or show it again."""
        node = self.node
        if node is None:
            return
        ids, hidden = self._ids, not node.hidden
        await self.perform(
            "Hide" if hidden else "Show",
            node.title,
            lambda api: update(api, ids, node, {"hidden": hidden}),
            reversal=site_row_changed(ids, node, {"hidden": not hidden}, {"hidden": hidden}),
        )
        self.read_again()

    @action(
        "H",
        "default",
        unless=(not_allowed, no_row, a_group, default_already),
        show=24,
        group="Change",
        uses=("update_site", "update_site_section"),
    )
    async def make_default(self) -> None:
        """Make readers land on this first: the default of the site, or of its section."""
        node = self.node
        if node is None:
            return
        before = self._default_beside(node)
        ids = self._ids
        await self.perform(
            "Default",
            node.title,
            lambda api: set_default(api, ids, node),
            reversal=None if before is None else default_changed(ids, node, before),
        )
        self.read_again()

    def _default_beside(self, node: SiteNode) -> SiteNode | None:
        if node.kind == "section":
            beside = self.structure.sections()
        else:
            beside = [self.structure.nodes[row] for row in self.structure.levels[node.level]]
        return next((each for each in beside if each.default), None)

    @command("default", uses=("update_site", "update_site_section"))
    async def default_word(self, rest: str) -> None:
        """Make readers land on this first, as H does."""
        why = not_allowed(self) or no_row(self) or a_group(self) or default_already(self)
        if why is not None:
            self.say(why, "warn")
        else:
            await self.make_default()

    # Adding and removing

    @action(
        "ctrl+n",
        "add",
        unless=not_allowed,
        danger=1,
        show=20,
        group="Change",
        uses=("add_site_section", "add_site_space", "list_organization_spaces"),
    )
    async def add(self) -> None:
        """Add a section, or a space to the section under the cursor."""
        from copydesk.tui.space_reading import read_desk

        node, structure = self.node, self.structure
        section = self._section_of(node)
        kind = "space"
        if structure.sectioned or not structure.nodes:
            options = [Option("section", "a section", "with a space as its first variant")]
            if section is not None:
                options.insert(0, Option("space", f"a space in {section.title}", "a variant"))
            elif not structure.nodes:
                options.insert(0, Option("space", "a space", "a site without sections"))
            if len(options) > 1:
                chosen = await self.desk.push_screen_wait(Choice("Add", options))
                if not chosen:
                    return
                kind = chosen
            else:
                kind = "section"
        organization, site = self._ids
        self.say("Reading spaces…")
        desk = await read_desk(await self.session.ready(), organization)
        self.clear_message()
        level = section.id if section is not None else TOP
        there = (
            {structure.nodes[row].space for row in structure.levels.get(level, ())}
            if kind == "space"
            else set()
        )
        options = space_options(
            desk.nodes,
            node.space if node is not None else None,
            keep=lambda space: space.id not in there,
        )
        if not options:
            self.tell("There is no space left to add here.", "warn")
            return
        if kind == "section":
            await self._add_section(organization, site, options)
        else:
            await self._add_spaces(organization, site, section, options)

    def _section_of(self, node: SiteNode | None) -> SiteNode | None:
        if node is None or node.kind == "group":
            return None
        return node if node.kind == "section" else self.structure.nodes.get(node.level)

    async def _add_section(self, organization: str, site: str, options: list[Option]) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.site_section import SiteSectionCreate

        space = await self.desk.push_screen_wait(Choice("A section that shows", options))
        if not space:
            return
        title = next(option.title for option in options if option.id == space)

        async def send(api: Api) -> str:
            made = await api(
                ops.add_site_section, organization, site, SiteSectionCreate(space_id=space)
            )
            return made.id

        made = await self.perform("Add section", title, send)
        self._reveal_after_reload(made)
        self.tell(f"{title} is the last section now. e renames it, K moves it up.", "good")

    async def _add_spaces(
        self, organization: str, site: str, section: SiteNode | None, options: list[Option]
    ) -> None:
        where = f"in {section.title}" if section is not None else "on the site"
        chosen = await self.desk.push_screen_wait(Choices(f"Spaces to show {where}", options))
        if not chosen:
            if chosen is not None:
                self.tell("Nothing was ticked, so nothing was added. Tab ticks.", "warn")
            return
        made: list[str] = []
        try:
            await self._add_each(organization, site, section, options, chosen, made)
        finally:
            # What was added before one was refused is there, and is to be seen.
            if made:
                self._reveal_after_reload(made[-1])
        self.tell(f"{plural(len(chosen), 'space')} added {where}.", "good")

    async def _add_each(
        self,
        organization: str,
        site: str,
        section: SiteNode | None,
        options: list[Option],
        chosen: frozenset[str],
        made: list[str],
    ) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.site_space import SiteSpaceCreate

        group = token_hex(6)
        for option in options:
            if option.id not in chosen:
                continue
            body = SiteSpaceCreate(space_id=option.id)
            if section is not None:
                body = SiteSpaceCreate(space_id=option.id, section_id=section.id)

            async def send(api: Api, body: SiteSpaceCreate = body) -> str:
                return (await api(ops.add_site_space, organization, site, body)).id

            made.append(
                await self.perform(
                    "Add space",
                    option.title,
                    send,
                    reversal=lambda row: space_shown((organization, site), row),
                    group=group,
                )
            )

    def _reveal_after_reload(self, row: str) -> None:
        self.revealing = row
        self.read_again()

    @action(
        "D",
        "remove",
        unless=(not_allowed, no_row, a_group, only_one),
        danger=3,
        show=18,
        group="Change",
        uses=("delete_site_section", "delete_site_space"),
    )
    async def remove_row(self) -> None:
        """Stop showing a section or a space. Its content stays; it asks for the name."""
        node = self.node
        if node is None:
            return
        from copydesk.contract import operations as ops

        ids = self._ids
        facts = ["The content is kept; the site stops showing it.", "This cannot be undone here."]
        if node.kind == "section" and node.children:
            facts.insert(0, f"It shows {plural(len(node.children), 'space')}.")
        if node.address:
            facts.append(f"Readers will no longer find {node.address}")
        agreed = await self.desk.push_screen_wait(
            TypeToConfirm(f"Remove {node.title}", facts, expect=node.title, verb="remove")
        )
        if not agreed:
            return

        async def send(api: Api) -> None:
            if node.kind == "section":
                await api(ops.delete_site_section, *ids, node.id)
            else:
                await api(ops.delete_site_space, *ids, node.id)

        await self.perform("Remove", node.title, send)
        self.read_again()
