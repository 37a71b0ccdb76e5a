"""The translations of an organization's spaces, and how far they are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from pydantic import Field
from rich.text import Text

from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.enumerations import Language
from copydesk.contract.models.base import Body
from copydesk.contract.models.translation import (
    TranslationCreate,
    TranslationSourceWrite,
)
from copydesk.domain.automation_inverses import instructions_changed, translation_made
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import ago
from copydesk.domain.rich_text import rich_text, says_the_same
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.facts import hint
from copydesk.present.space_options import space_options
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import Confirm, TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.resource.place import ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Facet, ListQuery, Resource, Work
from copydesk.tui.resource.rich_text import edit_rich

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.document import Document
    from copydesk.contract.models.translation import Translation


AT_ONCE = 6
"""Spaces that are read at once."""

GONE = "(deleted or hidden)"
"""The title of a space that is deleted, or hidden from the reader."""

TONES = {"pending": "muted", "running": "accent"}

STATES = ("pending", "running", "completed")

TABS = (View("translations", "Translations"), View("glossary", "Glossary"))
"""The translations and the glossary that they go by, as tabs of one another."""


@dataclass(frozen=True, slots=True)
class ListedTranslation:
    """A translation with the titles of its spaces; None for those that cannot be read."""

    translation: Translation
    source: str | None = None
    target: str | None = None

    @property
    def language(self) -> str:
        """The language that it is translated into."""
        return self.translation.language or "?"


def translation_name(listed: ListedTranslation) -> str:
    """Return the name of a translation: its source and its language."""
    return f"{source_title(listed)} in {listed.language}"


def source_title(listed: ListedTranslation) -> str:
    """Return the title of the space that is translated."""
    return GONE if listed.source is None else listed.source.strip() or "Untitled"


def target_title(listed: ListedTranslation) -> str | None:
    """Return the title of the space that is written, None while there is none."""
    if listed.translation.result is None or listed.translation.result.space is None:
        return None
    return GONE if listed.target is None else listed.target.strip() or "Untitled"


def under_way(listed: ListedTranslation) -> bool:
    """Whether it is being run, or about to be."""
    return listed.translation.status in ("pending", "running")


def status_text(listed: ListedTranslation) -> Text:
    """Return its status with its tone."""
    word = clean(listed.translation.status)
    return Text(word, style=TONES.get(word, ""))


def translation_details(
    listed: ListedTranslation, now: datetime
) -> Sequence[tuple[str, str | Text]]:
    """Return the details beyond the columns: the numbers of its runs, and its instructions."""
    from copydesk.domain.documents import document_to_markdown

    item, stats = listed.translation, listed.translation.stats
    found: list[tuple[str, str | Text]] = []
    if item.source.language:
        found.append(("written in", item.source.language))
    if stats.runs:
        said = f"{plural(stats.latest_pages, 'page')}, {plural(stats.latest_words, 'word')}"
        found.append(("last run", f"{said}, {_lasted(stats.latest_run_duration)}"))
        said = f"{plural(stats.total_pages, 'page')}, {plural(stats.total_words, 'word')}"
        found.append(("in all", f"{said}, {_lasted(stats.total_duration)}"))
    if item.instructions is not None and item.instructions.nodes:
        text = document_to_markdown(item.instructions).strip()
        found.append(("instructions", clean(text, lines=True)))
    else:
        found.append(("instructions", hint("none: e writes some")))
    if when := ago(item.created_at, now):
        found.append(("made", when))
    return found


def _lasted(seconds: float) -> str:
    return f"{seconds:,.1f} s"


def run_ended(listed: ListedTranslation) -> tuple[str, str]:
    """Return the outcome of a run, and its tone; cleaned."""
    pages = plural(listed.translation.stats.latest_pages, "page")
    return f"{clean(translation_name(listed), limit=80)}: {pages} written.", "good"


async def titled(
    api: Api, page: Page[Translation], known: dict[str, str | None]
) -> list[ListedTranslation]:
    """Return translations with the titles of their spaces; the ``known`` ones are not read."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def look_up(space: str) -> None:
        async with gate:
            try:
                found = await api(ops.get_space, space)
                known[space] = found.title if found.deleted_at is None else None
            except (Forbidden, NotFound):
                known[space] = None

    wanted = {space for item in page.items for space in _spaces(item) if space not in known}
    await asyncio.gather(*map(look_up, sorted(wanted)))
    found = []
    for item in page.items:
        target = item.result.space if item.result is not None else None
        found.append(
            ListedTranslation(item, known.get(item.source.space or ""), known.get(target or ""))
        )
    return found


def _spaces(item: Translation) -> Iterable[str]:
    target = item.result.space if item.result is not None else None
    return (space for space in (item.source.space, target) if space)


async def _titled(
    api: Api, target: Target, asked: ListQuery, known: dict[str, str | None]
) -> Page[ListedTranslation]:
    from copydesk.contract.models.base import Page

    page = await api.page(ops.list_translations, target.organization or "", **asked.paging)
    items = await titled(api, page, known)
    return Page[ListedTranslation].model_construct(items=items, next=page.next, count=page.count)


TRANSLATIONS: Resource[ListedTranslation] = Resource(
    noun="translation",
    title="Translations",
    tabs=TABS,
    pages=lambda api, target, asked: _titled(api, target, asked, {}),
    key=lambda listed: listed.translation.id,
    label=translation_name,
    shown=(
        Facet("language", "LANGUAGE", lambda listed, now: listed.language, 8,
              values=get_args(Language), sort=lambda listed: listed.language),
        Facet("source", "OF", lambda listed, now: source_title(listed), flex=1, minimum=17,
              sort=source_title),
        Facet("target", "WRITTEN TO", lambda listed, now: target_title(listed), flex=1,
              minimum=17, drop=3),
        Facet("status", "STATUS", lambda listed, now: status_text(listed), 9,
              values=STATES),
        Facet("pages", "PAGES", lambda listed, now: f"{listed.translation.stats.total_pages:,}", 6,
              align="right", drop=2, sort=lambda listed: listed.translation.stats.total_pages),
        Facet("words", "WORDS", lambda listed, now: f"{listed.translation.stats.total_words:,}", 7,
              align="right", drop=5, sort=lambda listed: listed.translation.stats.total_words),
        Facet("runs", "RUNS", lambda listed, now: f"{listed.translation.stats.runs:,}", 4,
              align="right", drop=4, sort=lambda listed: listed.translation.stats.runs),
        Facet("changed", "CHANGED", lambda listed, now: ago(listed.translation.updated_at, now),
              10, drop=1, sort=lambda listed: listed.translation.updated_at),
    ),
    empty="No space is translated yet. ctrl+n has one translated.",
    get="get_translation",
    arguments=lambda target, listed: (target.organization or "", listed.translation.id),
    copies=lambda listed: [("id of the source", listed.translation.source.space)],
    more=translation_details,
    adding="create_content",
    readers_empty="No space of this organization is translated.",
    work=Work(under_way, run_ended),
)  # fmt: skip
"""Translations, as an organization lists them."""


def not_editable(here: TranslationsPlace) -> str | None:
    """Say why the translation under the cursor may not be changed."""
    item = here.item
    rights = item.translation.permissions if item is not None else None
    if rights is None or rights.edit:
        return None
    return "You may read this translation, not change it."


def being_run(here: TranslationsPlace) -> str | None:
    """Say why the translation cannot be run now."""
    item = here.item
    if item is None:
        return None
    if under_way(item):
        return "The translation is running: wait until it is completed."
    if item.translation.source.space is None or item.source is None:
        return "The space that is translated is no longer there for you."
    return None


class TranslationAsked(Body):
    """A new translation, as a person fills it in."""

    source: TranslationSourceWrite
    language: Language = Field(description=TranslationCreate.model_fields["language"].description)
    instructions: str | None = Field(
        default=None,
        description="What whoever translates has to mind: tone, names, what stays. Markdown.",
        max_length=20_000,
    )

    def body(self) -> TranslationCreate:
        """Return the body of the request."""
        made = TranslationCreate(language=self.language, source=self.source)
        if self.instructions:
            made.instructions = rich_text(None).read(self.instructions)
        return made


async def find_made(
    api: Api, home: str, body: TranslationCreate, known: set[str]
) -> Translation | None:
    """Return the translation that a body made, or None; ``known`` are the older ones."""
    space = body.source.space if body.source is not None else None
    async for each in api.pages(ops.list_translations, home):
        if each.id not in known and (each.source.space, each.language) == (space, body.language):
            return each
    return None


async def find_instructed(
    api: Api, home: str, translation: str, document: Document | None
) -> Translation | None:
    """Return a translation if it has these instructions, else None."""
    found = await api.find(ops.get_translation, home, translation)
    return found if found is not None and says_the_same(found.instructions, document) else None


async def find_run(api: Api, home: str, translation: str, runs: int) -> bool | None:
    """Return True if a translation is being run, or was more often than ``runs``; else None."""
    found = await api.find(ops.get_translation, home, translation)
    if found is None:
        return None
    return True if found.status != "completed" or found.stats.runs > runs else None


@place("translations", key="L", title="Translations",
       uses=("list_translations", "get_space", "get_organization"))  # fmt: skip
class TranslationsPlace(ResourcePlace[ListedTranslation], scope="translations"):
    """The translations of an organization's spaces."""

    RESOURCE = TRANSLATIONS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._titles: dict[str, str | None] = {}
        """The titles of spaces by their ids, as they were when the list was asked for by hand."""

    async def page(
        self, api: Api, kind: Resource[ListedTranslation], target: Target, asked: ListQuery
    ) -> Page[ListedTranslation]:
        """Read translations with the titles of their spaces, each read once."""
        return await _titled(api, target, asked, self._titles)

    def reload(self) -> None:
        """Read the list again, and the titles of its spaces."""
        self._titles = {}
        super().reload()

    def named(self, item: ListedTranslation) -> str:
        return shorten(self.label(item), 44)

    def open_item(self, item: ListedTranslation) -> None:
        """Go to the pages of the translated space."""
        result = item.translation.result
        if (result is None or result.space is None) and item.translation.stats.runs:
            self.say("The space that it wrote is gone: the next run writes another one.", "warn")
        elif result is None or result.space is None:
            self.say("Nothing has been written yet: its space comes with the first run.", "warn")
        elif item.target is None:
            self.say("You cannot see the space that it writes.", "warn")
        else:
            target = Target(organization=self.organization, space=result.space)
            self.desk.go_soon("pages", target)

    # Making, and what is to be minded

    @action("ctrl+n", "new", word="new", unless=may_not_add, danger=1, show=28, group="Change",
            uses=("create_translation", "get_organization", "list_organization_spaces",
                  "list_organization_collections"), types=True)  # fmt: skip
    async def make(self) -> None:
        """Have a space translated into another language. It is run at once."""
        home, key = self.organization or "", self.draft_key("make")
        known = {each.translation.id for each in self.rows.source.base.shown()}
        made: list[str] = []

        async def send(asked: TranslationAsked) -> None:
            body = asked.body()
            item = await self.writer.perform(
                "Translate into",
                asked.language,
                lambda api: api(ops.create_translation, home, body),
                reversal=lambda item: translation_made(home, item.id),
                look=lambda api: find_made(api, home, body, known),
                draft=key,
                done="The translation is being run.",
            )
            made.append(item.id)

        form = body_form(
            TranslationAsked,
            title="Translate a space",
            draft_key=key,
            send=send,
            only=("source.space", "language", "source.language", "instructions"),
            labels={
                "source.space": "Space",
                "language": "Into",
                "source.language": "From",
            },
            offers={"source.space": self._spaces},
            lines={"instructions": 3},
            facts=[hint("The translation is written into a space of its own: u leaves that.", "")],
            verb="make it",
        )
        if await self.desk.push_screen_wait(form):
            self.watching.read_begun(made[-1])

    async def _spaces(self) -> Sequence[Option]:
        desk = await read_desk(await self.session.ready(), self.organization or "")
        return space_options(desk.nodes, keep=lambda space: True)

    @action("e", "instructions", unless=(nothing_selected, not_editable), danger=2, show=26,
            group="Change", uses=("get_translation", "update_translation"))  # fmt: skip
    async def edit(self) -> None:
        """Edit the instructions in $EDITOR; what changes is shown before it is sent."""
        item, home = sure(self.item), self.organization or ""
        which = item.translation.id

        async def read(api: Api) -> Document | None:
            return (await api(ops.get_translation, home, which)).instructions

        sent = await edit_rich(
            self,
            f"Instructions for {self.named(item)}",
            key=self.draft_key("edit", which),
            read=read,
            send=lambda before, after: self._instruct(item, before, after),
            facts=[
                hint("They hold from the next run on: U runs it. u puts the former ones back.", "")
            ],
        )
        if sent:
            self.read_written(which)

    async def _instruct(
        self, item: ListedTranslation, before: Document | None, after: Document
    ) -> None:
        from copydesk.contract.models.translation import TranslationUpdate

        home, which = self.organization or "", item.translation.id
        sent = after if after.nodes else None
        body = TranslationUpdate(instructions=after)
        await self.writer.perform(
            "Change instructions",
            self.named(item),
            lambda api: api(ops.update_translation, home, which, body),
            reversal=instructions_changed(
                home,
                which,
                None if before is None else before.to_dict(),
                None if sent is None else sent.to_dict(),
            ),
            look=lambda api: find_instructed(api, home, which, sent),
            draft=self.draft_key("edit", which),
        )

    # Running, and the end of it

    @action("U", "run again", unless=(nothing_selected, not_editable, being_run), danger=2,
            show=24, group="Change", uses="run_translation")  # fmt: skip
    async def run(self) -> None:
        """Run the translation again: its space is brought up to date with the source."""
        item, home = sure(self.item), self.organization or ""
        which, stats = item.translation.id, item.translation.stats
        facts = [f"“{shorten(clean(source_title(item)), 40)}” is read, {item.language} written."]
        if stats.runs:
            facts.append(f"The last run wrote {plural(stats.latest_pages, 'page')}.")
        sheet = Confirm(
            f"Run {self.named(item)} again",
            [clean(fact) for fact in facts],
            verb="run it",
            warning="This cannot be undone here: what it writes is a revision of its space.",
        )

        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Run translation",
                self.named(item),
                lambda api: api.done(ops.run_translation, home, which),
                look=lambda api: find_run(api, home, which, stats.runs),
                done="The translation is being run.",
            )
            self.watching.read_begun(which)

    @action("D", "delete", unless=(nothing_selected, not_editable), danger=3, show=18,
            group="Change", uses="delete_translation")  # fmt: skip
    async def delete(self) -> None:
        """Delete the translation; the space that it wrote stays. It asks for the language."""
        item, home = sure(self.item), self.organization or ""
        which, wrote = item.translation.id, target_title(item)
        kept = f"“{shorten(clean(wrote), 40)}”" if wrote else "What it wrote"
        sheet = TypeToConfirm(
            f"Delete {self.named(item)}",
            [
                f"{kept} stays as it is, and is no longer kept up with its source.",
                "The instructions are deleted with it.",
                "This cannot be undone: a new translation writes a space of its own.",
            ],
            expect=clean(item.language),
            verb="delete",
            what="the language",
        )

        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete translation",
                self.named(item),
                lambda api: api.done(ops.delete_translation, home, which),
                look=lambda api: api.gone(ops.get_translation, home, which),
            )
            self.read_written()
