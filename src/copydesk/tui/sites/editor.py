"""Changing the rows in the structure of a site: staged, like their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.layout import TOP, Item, Kind
from copydesk.domain.own_command import Thing
from copydesk.domain.redirects import path_on, wrong_source
from copydesk.domain.site_arrangement import NO_GROUPS
from copydesk.domain.site_inverses import site_space_copied
from copydesk.domain.site_moves import ENTRIES, LIGHT
from copydesk.domain.site_tree import REDIRECT, REQUIRED
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten, shorten_middle
from copydesk.domain.visitor_schema import CLAIMS, claims_in
from copydesk.present.facts import hint
from copydesk.present.space_options import space_options
from copydesk.session.draft_keys import new_in_site_key, site_row_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.sites import read_conditions
from copydesk.session.reads.spaces import read_desk
from copydesk.tui.arrange.cells import ArrangedRow, value
from copydesk.tui.arrange.place import (
    handed_over,
    no_row,
    not_allowed,
    not_staged_order,
    nothing_staged,
    why_not,
)
from copydesk.tui.dialogs.choice import Choice, Choices
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.widgets.list import unless_marked

if TYPE_CHECKING:
    from copydesk.tui.sites.structure import SiteStructurePlace

ADDRESS_CELLS = 26
"""An address is cut to so many cells where it is told that it changes."""

ICON = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""What the name of an icon is made of."""

SECTIONS_FIRST = "Groups and links go beside sections: this site has none yet."

EDITABLE: Mapping[str, Sequence[str]] = {
    "group": ("title", "icon"),
    "section": ("title", "path", "icon", "description", "condition"),
    "link": ("title", "url", "icon", "description", "condition"),
    "site-space": ("path", "condition"),
}
"""What the form of a row changes, by its kind."""


def a_group(here: SiteStructurePlace) -> str | None:
    """Say so when the row is a group that the service has no operation on."""
    if here.row is not None and here.row.id in here.draft.arrangement.now.groups:
        return f"{NO_GROUPS} This one stays; its sections can be moved inside it."
    return None


def no_landing(here: SiteStructurePlace) -> str | None:
    """Say so when the row is a group or a link: readers land on neither."""
    if here.row is not None and here.row.kind in LIGHT:
        return f"Readers land on a section, and not on a {here.row.kind}."
    return None


def to_be_removed(here: SiteStructurePlace) -> str | None:
    """Say so when the row is going to be removed."""
    if here.row is not None and here.order.shown.state(here.row).removed:
        return f"{here.row.title} is going to be removed. u brings it back."
    return None


def no_copy(here: SiteStructurePlace) -> str | None:
    """Say why the row cannot be copied, which is done at once and not staged."""
    if here.row is None or here.row.kind != "site-space":
        return "Only a space that the site shows is copied: l expands a section."
    if here.node is None:
        return "The space is not on the site yet: ctrl+s sends what is staged."
    return None


def not_hideable(here: SiteStructurePlace) -> str | None:
    """Say so when a section is among the rows: only site spaces can be hidden."""
    items = here.draft.arrangement.now.items
    if any(items[row].kind == "section" for row in here.rows.picked() if row in items):
        return "A section cannot be hidden, only what it shows: expand it with l."
    return None


def default_already(here: SiteStructurePlace) -> str | None:
    """Say so when readers land on the row already."""
    if here.row is not None and here.row.item.values.get("default"):
        return f"{here.row.title} is the default already."
    return None


def hide_label(here: SiteStructurePlace) -> str:
    """Return what ``x`` does to the row, or to the picked ones."""
    now, picked = here.draft.arrangement.now, here.rows.picked()
    first = now.items.get(picked[0]) if picked else None
    return "show" if first is not None and first.values.get(hiding(first)) else "hide"


def hiding(item: Item) -> str:
    """Return the setting that keeps a thing from readers: groups and links are drafts then."""
    return "draft" if item.kind in LIGHT else "hidden"


ON_ROW = (not_allowed, no_row, not_staged_order, to_be_removed, a_group)


def _condition_note(condition: str) -> str:
    """Warn of a condition that asks for nothing of a visitor, as one does that is mistyped."""
    if not condition.strip() or claims_in(condition):
        return ""
    return f"this asks nothing of {CLAIMS}: it may be mistyped, and hide it from every reader"


def _icon_note(icon: str) -> str:
    """Say which names an icon may have: the service takes any text, and shows nothing for most."""
    if not icon or ICON.fullmatch(icon):
        return ""
    return "an icon has a name such as compass or life-ring: small letters, digits, hyphens"


class StructureEditCommands(Commands, scope="site_structure"):
    """Changing a site's structure besides its order."""

    place: SiteStructurePlace

    def things(self) -> Sequence[Thing]:
        def fields(item: Item) -> Mapping[str, str]:
            node = self.place.structure.nodes.get(item.id)
            path = str(item.values.get("path") or "")
            url = "" if node is None else node.address
            return {"url": url, "path": path, "site": self.place.about}

        return handed_over(self.place, fields)

    @action("i", "details", show=False, group="Look", override=True)
    def details(self) -> None:
        """Go to the details of the row, Tab from there to the navigation; Esc comes back."""
        self.place.remove_class("-no-side")
        self.place.show_pane(self.place.facts)

    # Title, path, icon, description, condition

    @action(
        "e", "edit", unless=ON_ROW, show=30, group="Change",
        uses="list_adaptive_template_conditions", stages=True, types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Change what a section, a group or a link shows, and its name; path and condition of a
        space. Staged here, nothing is sent.
        """
        row = self.place.row
        if row is None:
            return
        fields = [self._field(row, name) for name in EDITABLE[row.kind]]
        source = self._former(row)
        if source:
            at = next(at for at, field in enumerate(fields) if field.name == "path") + 1
            fields.insert(at, self._redirect_field(row, source))
        facts: list[Fact] = [
            hint("Staged here: nothing is sent until ctrl+s in the structure.", "")
        ]
        if row.kind == "site-space":
            facts.append("Its title is that of its space.")

        async def stage(values: Mapping[str, str]) -> None:
            before = {field.name: field.value for field in fields}
            changes = {name: text for name, text in values.items() if text != before[name]}
            if (wanted := changes.pop(REDIRECT, before.get(REDIRECT))) is not None:
                moved = values["path"] != self._path_before(row)
                lone = "" if self._path_staged(row) else value(row, REDIRECT)
                led = source if moved else lone
                changes[REDIRECT] = led if wanted == "yes" else ""
            draft = self.place.draft
            draft.stage_or_refuse(lambda: draft.arrangement.change(row.id, changes))

        key = site_row_key(self.place.target.site or "", row.id)
        form = Form(
            f"Edit {row.title}", fields, draft_key=key, facts=facts, send=stage, verb="stage"
        )
        await self.place.desk.push_screen_wait(form)

    def _path_before(self, row: ArrangedRow) -> str:
        """Return the path of a row as the service has it."""
        item = self.place.draft.arrangement.base.items.get(row.id)
        return "" if item is None else str(item.values.get("path") or "")

    def _path_staged(self, row: ArrangedRow) -> bool:
        return value(row, "path") != self._path_before(row)

    def _former(self, row: ArrangedRow) -> str:
        """Return what a redirect from the row's address leads from, "" where none is offered.

        The path of the default is in no address, and of a site that is not published nobody knows
        one.
        """
        node, read, api = self.place.node, self.place.read, self.place.session.api
        if node is None or read is None or node.default or not read.site.published:
            return ""
        if api is not None and not api.has(ops.create_site_redirect):
            return ""
        path = path_on(node.address, read.site.address)
        source = f"{(path or '').rstrip('/')}/*"
        return source if wrong_source(source) is None else ""

    def _redirect_field(self, row: ArrangedRow, source: str) -> Field:
        staged = self._path_staged(row)
        if not staged:  # one of a path that is as staged by now is sent still
            source = value(row, REDIRECT) or source
        options = [
            Option("yes", f"leads from {source}", "once the path is another one"),
            Option("no", "none", "links that readers kept break"),
        ]
        return Field(
            REDIRECT,
            "Redirect",
            "no" if staged and not row.item.values.get(REDIRECT) else "yes",
            options=options,
        )

    def _field(self, row: ArrangedRow, name: str) -> Field:
        before = value(row, name)

        def check(text: str) -> str | None:
            if text == before:
                return None
            try:
                self.place.draft.arrangement.change(row.id, {name: text})
            except StagingError as stuck:
                return str(stuck)
            return None

        return Field(
            name,
            {"url": "Address"}.get(name, name.capitalize()),
            before,
            check,
            {
                "path": lambda text: self._address_note(row, text),
                "condition": _condition_note,
                "icon": _icon_note,
            }.get(name, ""),
            offers=self._conditions if name == "condition" else None,
        )

    def _address_note(self, row: ArrangedRow, path: str) -> str:
        """Say which address changes to which, for as much as is known of it."""
        node = self.place.structure.nodes.get(row.id)
        old, published = value(row, "path"), node.address if node is not None else ""
        if row.item.values.get("default"):
            return "kept for later: the default has no path in its address"
        was, now = f"/{old}", f"/{clean(path)}"
        if published and (at := published.rfind(was)) >= 0:
            was, now = published, published[:at] + now + published[at + len(was) :]
            # Without the host, which stays and takes the room.
            bare = (each.partition("://")[2] or each for each in (was, now))
            was, now = (f"/{each.partition('/')[2]}" for each in bare)
        both = " becomes ".join(shorten_middle(each, ADDRESS_CELLS) for each in (was, now))
        return f"the address changes: {both}; links that readers kept may break"

    async def _conditions(self) -> Sequence[Option]:
        return await read_conditions(await self.place.session.ready(), *self.place.tabs.ids)

    # Hidden, default

    @action(
        "x", "hide/show", unless=(not_allowed, not_staged_order, *unless_marked(*ON_ROW),
                                  not_hideable),
        show=25, group="Change", now=hide_label, stages=True, takes="marked",
    )  # fmt: skip
    def hide(self) -> None:
        """Hide the site space from the navigation, or show it again. Nothing is sent yet.

        A group or a link becomes a draft, which readers do not get. With rows picked
        all of them become as the first one would.
        """
        picked, now = self.place.rows.picked(), self.place.draft.arrangement.now
        if picked and picked[0] in now.items:
            first = now.items[picked[0]]
            hidden = not first.values.get(hiding(first))
            changes = {row: {hiding(now.items[row]): hidden} for row in picked if row in now.items}
            self.place.draft.stage(lambda it: it.change_all(changes))

    @action(
        "H", "default", unless=(*ON_ROW, no_landing, default_already), show=24, group="Change",
        stages=True,
    )  # fmt: skip
    def make_default(self) -> None:
        """Make readers land on this first: the default of the site, or of its section."""
        row = self.place.row
        if row is not None:
            self.place.draft.stage(lambda it: it.make_default(row.id))

    @command("default", stages=True)
    def default_word(self, rest: str) -> None:
        """Make readers land on this first, as H does."""
        why = why_not(self.place, *ON_ROW, no_landing, default_already)
        if why is not None:
            self.place.say(why, "warn")
        else:
            self.make_default()

    # Adding and removing

    @action(
        "ctrl+n", "add", unless=(not_allowed, not_staged_order), show=20, group="Change",
        word="new", uses="list_organization_spaces", stages=True, takes="none",
    )  # fmt: skip
    async def add(self) -> None:
        """Add a section that shows a space, spaces to the section under the cursor, a group or a
        link.
        """
        row, now = self.place.row, self.place.draft.arrangement.now
        section = self._section_of(row)
        kind = "space"
        sectioned = any(item.kind == "section" for item in now.items.values())
        if sectioned or not now.items:
            options = self._kinds(section, empty=not now.items)
            kind = options[0].id
            if len(options) > 1:
                chosen = await self.place.desk.push_screen_wait(Choice("Add", options))
                if not chosen:
                    return
                kind = chosen
        if kind in LIGHT:
            await self._add_entry("group" if kind == "group" else "link")
            return
        api, home = await self.place.session.ready(), self.place.tabs.ids[0]
        desk = await self.place.reads.now("plan", lambda: read_desk(api, home), "Reading spaces")
        if desk is None:
            return
        level = section.id if section is not None else TOP
        there = set[str]()
        if kind == "space":
            there = {self._space_of(now.items[each]) for each in now.levels.get(level, ())}
        here = self._space_of(row.item) if row is not None else ""
        spaces = space_options(desk.nodes, here, keep=lambda space: space.id not in there)
        if not spaces:
            more = "" if sectioned else f" {SECTIONS_FIRST}"
            self.place.tell(f"There is no space left to add here.{more}", "warn")
        elif kind == "section":
            await self._add_section(section, spaces)
        else:
            await self._add_spaces(section, spaces)

    def _kinds(self, section: Item | None, *, empty: bool) -> list[Option]:
        options = [Option("section", "a section", "with a space as its first variant")]
        if section is not None:
            options.insert(0, Option("space", f"a space in {section.title}", "a variant"))
        elif empty:
            options.insert(0, Option("space", "a space", "a site without sections"))
        if not empty:
            told = "" if self.place.moves_any else "this service has none"
            options.append(Option("group", "a group", told or "sections and links under one title"))
            options.append(Option("link", "a link", told or "to an address elsewhere"))
        return options

    async def _add_entry(self, kind: Kind) -> None:
        """Add a group or a link, below the row under the cursor if that is not inside a section."""
        if not self.place.moves_any:
            self.place.tell(NO_GROUPS, "warn")
            return
        now = self.place.draft.arrangement.now
        names = ("title", "icon") if kind == "group" else ("title", "url", "description")
        probe = Item("", kind)
        level, after = self._entry_place()

        def checked(name: str) -> Callable[[str], str | None]:
            def check(text: str) -> str | None:
                if not text.strip() and name in REQUIRED:
                    return f"The {'address' if name == 'url' else name} cannot be empty."
                return self._refusal(probe, {name: text}) if text.strip() else None

            return check

        async def stage(values: Mapping[str, str]) -> None:
            draft, made = self.place.draft, list[str]()

            def add() -> Arrangement:
                given = {name: text.strip() for name, text in values.items()}
                arrangement, row = draft.arrangement.add(level, kind, given, after=after)
                made.append(row)
                return arrangement

            draft.stage_or_refuse(add)
            self.place.rows.reveal(made[0])

        where = f"in {now.items[level].title}" if level in now.items else "at the top"
        how = hint("Nothing is sent until ctrl+s in the structure.", "")
        facts: list[Fact] = [Text.assemble(f"It is {where}. ", how)]
        if kind == "group":
            facts.append(hint("Then > on a row below it puts that in, < takes it out.", ""))
        fields = [
            Field(
                name,
                {"url": "Address"}.get(name, name.capitalize()),
                "",
                checked(name),
                _icon_note if name == "icon" else "",
            )
            for name in names
        ]
        key = new_in_site_key(self.place.target.site or "", kind)
        form = Form(f"New {kind}", fields, draft_key=key, facts=facts, send=stage, verb="stage")
        await self.place.desk.push_screen_wait(form)

    def _entry_place(self) -> tuple[str, str | None]:
        """Return the level of a new group or link, and what it goes below."""
        now, row = self.place.draft.arrangement.now, self.place.row
        found = row.id if row is not None and row.id in now.items else None
        while found is not None and now.items[found].kind not in ENTRIES:
            above = now.level_of(found)
            found = above if above in now.items else None
        return (TOP, None) if found is None else (now.level_of(found), found)

    def _refusal(self, item: Item, values: Mapping[str, str]) -> str | None:
        try:
            self.place.draft.arrangement.check(item, values)
        except StagingError as stuck:
            return str(stuck)
        return None

    def _section_of(self, row: ArrangedRow | None) -> Item | None:
        """Return the section that a row is, or is in, unless it is going to be removed."""
        now = self.place.draft.arrangement.now
        if row is None or row.kind in LIGHT:
            return None
        found = now.items.get(row.id if row.kind == "section" else row.level)
        return found if found is not None and found.kind == "section" else None

    def _space_of(self, item: Item) -> str:
        return str(item.values.get("space") or "")

    async def _add_section(self, beside: Item | None, options: Sequence[Option]) -> None:
        space = await self.place.desk.push_screen_wait(Choice("A section that shows", options))
        if not space:
            return
        title = next(option.title for option in options if option.id == space)
        # Below the section at hand, if a request can put it there.
        now = self.place.draft.arrangement.now
        level = now.level_of(beside.id) if beside is not None else TOP
        if level in now.groups:
            level, beside = TOP, None
        after = beside.id if beside is not None else None
        made = self._add(level, "section", {"title": title, "space": space}, after)
        if made is not None:
            self.place.tell(
                f"“{title}” is added once it is sent. e names it, J and K move it.", "good"
            )

    async def _add_spaces(self, section: Item | None, options: Sequence[Option]) -> None:
        where = f"in {section.title}" if section is not None else "on the site"
        chosen = await self.place.desk.push_screen_wait(Choices(f"Spaces to show {where}", options))
        if not chosen:
            return
        level = section.id if section is not None else TOP
        for option in options:
            if option.id in chosen:
                values = {"title": option.title, "space": option.id}
                if self._add(level, "site-space", values, None) is None:
                    return
        self.place.tell(f"{plural(len(chosen), 'space')} {where}, once it is sent.", "good")

    def _add(
        self, level: str, kind: Kind, values: Mapping[str, str], after: str | None
    ) -> str | None:
        """Stage one more row and go to it; None when it cannot be staged, and then that is said."""
        try:
            arrangement, made = self.place.draft.arrangement.add(level, kind, values, after=after)
        except StagingError as stuck:
            self.place.tell(str(stuck), "warn")
            return None
        self.place.draft.staged(arrangement)
        self.place.rows.reveal(made)
        return made

    @action(
        "C", "copy", unless=(*ON_ROW, no_copy), danger=2, show=22, group="Change",
        uses="duplicate_site_space", takes="one",
    )  # fmt: skip
    async def duplicate(self) -> None:
        """Copy the space, and show the copy to no one yet: a draft, at once. u deletes both."""
        from copydesk.contract.models.site_structure import SiteSpaceDuplicate

        node, ids = sure(self.place.node), self.place.tabs.ids
        sheet = Confirm(
            f"Copy {shorten(node.title, 40)}",
            [
                "Its space is copied with all pages and files, and shown right after it.",
                "Readers do not get the copy: it is a draft. It is made now and not staged.",
            ],
            verb="copy it",
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return
        await self.place.writer.perform(
            "Copy site space",
            shorten(node.title, 40),
            lambda api: api(
                ops.duplicate_site_space, *ids, node.id, SiteSpaceDuplicate(draft=True)
            ),
            reversal=lambda made: site_space_copied(
                ids, made.id, made.space.id if made.space is not None else "", node.space
            ),
        )
        self.place.read_again()

    @action(
        "D", "remove", unless=(not_allowed, not_staged_order, *unless_marked(*ON_ROW)),
        show=18, group="Change", stages=True, takes="marked",
    )  # fmt: skip
    def remove(self) -> None:
        """Stop showing the row, or the picked ones. Staged: it is asked before it is sent."""
        picked = self.place.rows.picked()
        if self.place.draft.stage(lambda it: it.remove(picked)):
            self.place.rows.set_marks(())
            what = "It goes" if len(picked) == 1 else f"{len(picked)} rows go"
            self.place.say(f"{what} once it is sent; the content is kept. u brings it back.")

    @action(
        "ctrl+s", "send", unless=(not_allowed, nothing_staged), danger=2, show=38, group="Order",
        word="send", override=True,
        uses=(
            "move_site_section", "move_site_space", "update_site_section", "update_site_space",
            "update_site", "add_site_section", "add_site_space", "delete_site_section",
            "delete_site_space", "list_site_sections", "list_site_spaces", "create_site_redirect",
            "get_site_structure", "sort_site_structure", "add_site_section_group",
            "update_site_section_group", "delete_site_section_group", "add_site_external_link",
            "update_site_external_link", "delete_site_external_link",
        ),
        takes="none",
    )  # fmt: skip
    async def apply(self) -> None:
        """Send what is staged, after reading the structure again. It shows the plan first."""
        await self.place.send()
