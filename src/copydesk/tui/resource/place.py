"""The place of a `Resource`: its list, what is known of the item under the cursor, and its JSON.

A place for one is a subclass with ``RESOURCE`` and its verbs as actions:

    @place("teams", key="T", title="Teams", uses="list_teams")
    class TeamsPlace(ResourcePlace[Team], scope="teams"):
        RESOURCE = TEAMS

        @action("D", "delete", unless=(nothing_selected, …), danger=3, uses="delete_team")
        async def delete(self) -> None: ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget

from copydesk.domain.text import clean, plural
from copydesk.present.facts import Fact
from copydesk.present.json_views import Raw
from copydesk.session.draft_keys import form_key
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import command
from copydesk.tui.framework.details import HasDetails
from copydesk.tui.framework.keyboard import run_command
from copydesk.tui.framework.place import Part
from copydesk.tui.resource.list import ResourceList
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import VirtualList, no_row

T = TypeVar("T")

REST_SECONDS = 0.15
"""How long the cursor rests on an item before more of it is read."""


def nothing_selected(here: ResourcePlace[Any]) -> str | None:
    """Say so when the cursor is on no item."""
    return no_row(here.rows, f"Put the cursor on {_a(here.resource.noun)} first.")


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def _capital(noun: str) -> str:
    return f"{noun[:1].upper()}{noun[1:]}"


class ResourcePlace(HasDetails, ResourceList[T], scope="resource"):
    """A lazy list of one kind of thing, with the details of the one under the cursor."""

    ROWS: ClassVar[type[VirtualList[Any]]] = VirtualList
    """What the list is, as one whose rows can be marked."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        resource = vars(cls).get("RESOURCE")
        if resource is not None:
            own = vars(cls).get("RAW", ())
            cls.RAW = (resource.get, *own) if resource.get else own
            cls.CONDITIONS = resource.conditions
            cls.OF_SPACE = vars(cls).get("OF_SPACE", resource.of == "space")
        super().__init_subclass__(**kwargs)

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The list, and the details of the item under the cursor."""
        resource = self.resource
        self.rows: VirtualList[T] = self.ROWS(
            self.paged(),
            self.texts.columns(),
            title=resource.title,
            empty=resource.empty,
            reading=f"Reading {resource.title.lower()}…",
            dim=resource.dim,
            id="resource",
        )
        self.rows.about = self.waits_by
        self.rows.fields = self.texts.fields
        self.rows.filter_with(lambda text: self.texts.matching(text))
        yield Part("main", self.rows)
        yield Part("side", *self.beside())

    def beside(self) -> Iterable[Widget]:
        """Yield what stands beside the list: the details."""
        noun = self.resource.noun
        self.facts = Facts(title=_capital(noun), empty=f"No {noun} is selected.", id="details")
        yield self.facts

    def trail(self) -> Iterable[str]:
        yield self.session.title_of(self.organization) or "no organization"
        yield from self.within()
        yield self.resource.title

    def within(self) -> Iterable[str]:
        """Yield the steps between the organization and the list; clean text."""
        return ()

    @property
    def item(self) -> T | None:
        """The item under the cursor."""
        return self.rows.selected

    def label(self, item: T) -> str:
        """Return the name of an item as it may be shown."""
        return clean(self.resource.label(item)) or clean(self.resource.key(item))

    def url(self) -> str | None:
        item = self.item
        return None if item is None else self.resource.url(item)

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers: address, name, id, and what the resource adds."""
        item, resource = self.item, self.resource
        if item is None:
            return []
        key = resource.key(item)
        offered = [
            ("address", resource.url(item)),
            ("name", self.label(item)),
            ("id", key),
            *resource.copies(item),
        ]
        return [(name, clean(text)) for name, text in offered if text]

    def raw(self) -> Raw | None:
        """Return where the JSON of the item comes from."""
        item = self.item
        target = self.target.but(organization=self.organization)
        return None if item is None else self.resource.raw(target, item)

    def status_left(self) -> str:
        """Say what waits to be folded in, else how many there are."""
        waiting, count = super().status_left(), self.rows.source.base.count
        if waiting or not count:
            return waiting
        return plural(count, self.resource.noun)

    def missing(self) -> str | None:
        """Return why there is nothing to list here, or None."""
        if self.resource.of == "none":
            return None
        if self.resource.of == "space" and self.target.space is None:
            return "No space is chosen: :of chooses one."
        if self.resource.of == "item" and self.target.item is None:
            return "Nothing is chosen whose list this would be. Esc goes back."
        if self.resource.of == "organization" and self.organization is None:
            return "No organization is chosen: g o lists yours."
        return None

    def space_at_hand(self) -> str | None:
        return self.target.space

    def opened(self) -> None:
        if self.resource.views:
            self.set_views(self.resource.views)
        if self.OF_SPACE and self.target.space is None:
            self.call_later(run_command, self, self.LINE_COMMANDS["of"], "")

    def came(self) -> None:
        """Show the item, and open the form that waits for the list."""
        self.show_item()
        self.refresh_frame()
        if self.resuming:
            part, self.resuming = self.resuming, ""
            self._resume(part)

    # What was typed in a form

    def draft_key(self, method: str, item: str = "") -> str:
        """Return the key of what is typed in the form that an action opens, about an item."""
        target = self.target.but(organization=self.organization)
        return form_key(self.PLACE, target, method, item)

    def resume_draft(self, part: str) -> None:
        """Open the form again that a draft was typed in."""
        if self.rows.source.base.complete or self.rows.source.base.loaded:
            self._resume(part)
        else:
            self.resuming = part

    def _resume(self, part: str) -> None:
        method, _, item = part.partition(" ")
        if item and not self.rows.select(item):
            self.say(f"The {self.resource.noun} is not here. What you typed is kept (:drafts).")
        else:
            self.do_soon(method)

    # Details

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known of the item."""
        if event.list is self.rows:
            self.show_item()
            self.frame_soon()

    def show_item(self) -> None:
        """Show what is known of the item under the cursor, and read more where there is more."""
        item = self.item
        if item is None:
            self.facts.empty = f"No {self.resource.noun} is selected."
            self.facts.refresh_rows()
            self.facts.show([], title=_capital(self.resource.noun))
            return
        about = self.waits_by(item)
        self.facts.show(self.facts_of(item), title=self.label(item), about=about)

    def waits_by(self, item: T) -> str:
        """Return what the outbox knows an item by: what the addresses of requests name."""
        return self.resource.key(item)

    def facts_of(self, item: T) -> list[Fact]:
        """Return the details of an item."""
        now = self.session.now
        known = [
            Fact(shown.label, said)
            for shown in self.resource.shown
            if shown.detail and (said := self.text_of(shown, item))
        ]
        return [
            *known,
            *(Fact(label, _clean(said)) for label, said in self.resource.more(item, now)),
        ]

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the item."""
        if event.list is self.rows and event.row is not None:
            self.open_item(event.row)

    def open_item(self, item: T) -> None:
        """Open an item: go to its details, where it has nothing of its own."""
        self.remove_class("-no-side")
        self.show_pane(self.facts)

    # Whose list

    @command("of", uses=("list_organization_spaces", "list_organization_collections"))
    async def choose_space(self, rest: str = "") -> None:
        """Choose the space whose list is shown, where it is the list of one."""
        from copydesk.present.space_options import space_options
        from copydesk.session.errors import failure_types, sentence
        from copydesk.session.reads.spaces import read_desk

        organization = self.organization
        if not self.OF_SPACE:
            self.say("This is no list of one space.", "warn")
            return
        if organization is None:
            self.say("No organization is chosen: g o lists yours.", "warn")
            return
        try:
            desk = await read_desk(await self.session.ready(), organization)
        except failure_types() as error:
            if self.target.space is None:
                self.rows.empty = sentence(error, ":of")
                self.rows.refresh_rows()
            raise
        options = space_options(desk.nodes, self.target.space, keep=lambda space: True)
        if not options:
            self.say("There is no space in this organization.", "warn")
            return
        chosen = await self.desk.push_screen_wait(Choice("Of which space?", options))
        if chosen is not None:
            self.target = self.target.but(
                space=chosen, organization=organization, change_request=None
            )
            self.ask_anew()
            self.read_again()


def _clean(said: str | Text) -> str | Text:
    return clean(said, lines=True) if isinstance(said, str) else said
