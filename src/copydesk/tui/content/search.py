"""Searching the pages of an organization or of one space; a result opens where it points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on

from copydesk.contract.models.base import Page
from copydesk.contract.models.parts import ShownUrls
from copydesk.contract.models.search import (
    OrganizationSearchItem,
    SearchSection,
    SiteSearch,
    SpaceSearchItem,
)
from copydesk.domain.address import web_address
from copydesk.domain.cause import CAUSE
from copydesk.domain.filter import WORD, fold, places
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten
from copydesk.present.json_views import Raw
from copydesk.present.space_options import space_options
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.framework.prompt import Prompt
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api


LONGEST = 512
"""Characters of a query that a service takes."""

EXCERPT = 600
"""Characters of an excerpt that are shown."""

SEARCHED = 20_000
"""Characters of a section in which the words are looked for."""

BEFORE = 12
"""Characters before the first of the words that a row shows."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
"""What Markdown writes so that a sign is that sign."""


@dataclass(frozen=True)
class Hit:
    """A section of a page that was found, or the page where the service names no section.

    ``number`` counts the sections of its page, ``words`` are what was looked for.
    """

    space: str
    space_title: str
    page: SpaceSearchItem
    section: SearchSection | None
    number: int
    words: str

    @property
    def id(self) -> str:
        """What tells it from the other results."""
        return f"{self.space} {self.page.id} {self.number}"

    @property
    def anchor(self) -> str:
        """What its section is called in an address; "" for the page from its top."""
        if self.section is None:
            return ""
        return (self.section.path or self.section.id).partition("#")[2]

    @property
    def where(self) -> str:
        """The titles of the pages above it and its own."""
        titles = [each.title for each in self.page.ancestors] + [self.page.title]
        return " / ".join(clean(title) or "Untitled" for title in titles)

    @property
    def url(self) -> str | None:
        """The address of the section, else of the page."""
        of_section = web_address(self.section.urls.app) if self.section is not None else ""
        return of_section or web_address(self.page.urls.app) or None


def hits_of_space(
    space: str, title: str, pages: Sequence[SpaceSearchItem], words: str
) -> Iterator[Hit]:
    """Yield the results of one space in the order of the service."""
    for page in pages:
        for number, section in enumerate(page.sections or [None]):
            yield Hit(space, title, page, section, number, words)


def hits_of_items(found: Sequence[OrganizationSearchItem], words: str) -> Iterator[Hit]:
    """Yield the results of several spaces, space by space; a record is one of its own, in none."""
    for item in found:
        if item.type == "space":
            yield from hits_of_space(item.id, item.title, item.pages, words)
        else:
            record = SpaceSearchItem(id=item.id, title=item.title, urls=ShownUrls(app=item.url))
            yield Hit("", "", record, None, 0, words)


def unfit(words: str) -> str | None:
    """Return why nothing can be looked for with these words, or None."""
    if not words.strip():
        return "Type what to look for: e does, and so does :search WORDS."
    if len(words) > LONGEST:
        return f"{len(words)} characters; a search takes at most {LONGEST}."
    if re.search(r"[^\W_]", words) is None:
        return "There is no letter and no digit in it, so no page can be found by it."
    return None


def nothing_found(words: str, where: str) -> str:
    """Return what stands where results would."""
    short = [word for word in words.split() if len(word) < 3 and word.isascii()]
    said = f"No page {where} has {'all of these words' if len(words.split()) > 1 else 'this word'}."
    if short:
        said += " One or two letters are found as a whole word only."
    return said


def lit(text: str, words: str) -> Text:
    """Return a text with the beginnings of words lit that were looked for; case is no matter."""
    plain = " ".join(clean(text, limit=EXCERPT).split())
    shown = Text(plain)
    wanted = _wanted(words)
    if wanted is None:
        return shown
    for start, stop in places(plain, wanted):
        shown.stylize("match", start, stop)
    return shown


def _wanted(words: str) -> re.Pattern[str] | None:
    """Return what finds the beginnings of words in folded text."""
    wanted = [fold(word) for word in WORD.findall(words)]
    pattern = "|".join(
        # Where a script has no blanks words begin anywhere.
        (r"(?<!\w)" if word < "\u0e00" else "") + re.escape(word)
        for word in sorted(wanted, key=len, reverse=True)
        if word
    )
    return re.compile(pattern) if pattern else None


def page_title(hit: Hit, now: datetime) -> Text:
    """Return what the page is called, and its section after it."""
    title = lit(hit.page.title or "Untitled", hit.words)
    section = section_title(hit, now)
    return title if section is None else Text.assemble(title, (" # ", "muted"), section)


def section_title(hit: Hit, now: datetime) -> Text | None:
    """Return what the section is called, where it is not the page as a whole."""
    section = hit.section
    if section is None or not section.title or section.title == hit.page.title:
        return None
    return lit(section.title, hit.words)


def excerpt(hit: Hit, now: datetime) -> Text | None:
    """Return what the section says, from a little before the words where they come late."""
    body = hit.section.body if hit.section is not None else None
    if not body:
        return None
    plain = " ".join(_ESCAPED.sub(r"\1", clean(body, limit=SEARCHED)).split())
    wanted = _wanted(hit.words)
    found = None if wanted is None else wanted.search(fold(plain))
    if found is None or found.end() < EXCERPT - BEFORE:
        return lit(plain, hit.words)
    return _from(lit(plain[max(0, found.start() - EXCERPT // 2) :], hit.words))


def says(hit: Hit, now: datetime) -> Text | None:
    """Return the excerpt for a column: it begins near one of the words."""
    said = excerpt(hit, now)
    return None if said is None else _from(said)


def _from(said: Text) -> Text:
    """Return a text from a little before the first lit word, if that comes late."""
    first = min((span.start for span in said.spans), default=0)
    if first <= BEFORE:
        return said
    blank = said.plain.find(" ", first - BEFORE)
    start = blank + 1 if 0 <= blank < first else first
    return Text.assemble((f"{glyphs().more} ", "muted"), said[start:])


PAUSE_SECONDS = 0.2
"""How long typing pauses before a search."""

SPACE = "space"
"""The view of one space."""

SITE = "site"
"""The view of one site."""

SITES = 250
"""So many sites are offered to be searched."""

EVERYWHERE = ""
"""The id, in a choice, of all spaces together."""


async def _pages(api: Api, target: Target, asked: Asked) -> Page[Hit]:
    words = target.item or ""
    if asked.view == SPACE:
        space = target.space or ""
        found = await api.page(ops.search_space, space, query=words, **asked.paging)
        hits = hits_of_space(space, "", found.items, words)
        return Page[Hit](items=list(hits), next=found.next)
    if asked.view == SITE:
        ids = target.organization or "", target.site or ""
        shown = await api.page(
            ops.search_site_content, *ids, SiteSearch(query=words, mode="all"), **asked.paging
        )
        return Page[Hit](items=list(hits_of_items(shown.items, words)), next=shown.next)
    everywhere = await api.page(
        ops.search_organization, target.organization or "", query=words, **asked.paging
    )
    return Page[Hit](items=list(hits_of_items(everywhere.items, words)), next=everywhere.next)


RESULTS: Resource[Hit] = Resource(
    noun="result",
    title="Results",
    pages=_pages,
    key=lambda hit: hit.id,
    label=lambda hit: hit.page.title,
    shown=(
        Shown("page", "PAGE", page_title, flex=1, minimum=18, detail=False),
        Shown("space", "SPACE", lambda hit, now: hit.space_title or None, 12, drop=2, most=20),
        Shown("says", "SAYS", says, flex=1, minimum=20, detail=False, filters=False),
        Shown("section", "SECTION", section_title),
        Shown("excerpt", "SAYS", excerpt),
        Shown("where", "WHERE", lambda hit, now: hit.where),
        Shown("path", "PATH", lambda hit, now: (hit.section or hit.page).path or None),
    ),
    empty="",
    url=lambda hit: hit.url,
    views=(View("everywhere", "Everywhere"), View(SPACE, "In this space"), View(SITE, "In a site")),
    copies=lambda hit: [("path", hit.page.path), ("id of the space", hit.space)],
)
"""What a search found, section by section."""

RESULTS_HERE = replace(RESULTS, shown=[each for each in RESULTS.shown if each.name != "space"])
"""The same in one space, which is not named with each."""


class WordsPrompt(Prompt):
    """Searches as one types; the arrows move in the results."""

    ENTER, ESCAPE, TAB, UP = "to the results", "close", "", ""

    def __init__(self, here: SearchPlace) -> None:
        super().__init__("search:", here.words, "words; Enter goes to the results")
        self._here = here
        self._cause = CAUSE.get()
        """What the line was opened for: keys that are typed in it know nothing of that."""

    def changed(self, text: str) -> None:
        self._look_for(text, PAUSE_SECONDS)

    def submitted(self, text: str) -> None:
        self._look_for(text, 0)
        self.close()

    def _look_for(self, text: str, after: float) -> None:
        before = CAUSE.set(self._cause)
        try:
            self._here.look_for(text, after=after)
        finally:
            CAUSE.reset(before)

    def recall(self, by: int) -> None:
        self._here.rows.move(by)


@place("search", key="/", title="Search", uses="search_organization")
class SearchPlace(ResourcePlace[Hit], scope="search"):
    """The pages with every typed word, the best first."""

    RESOURCE = RESULTS
    OF_SPACE = True

    def resource_of(self, view: str) -> Resource[Hit]:
        """Return the list's resource; the space column is left out within one space."""
        return RESULTS_HERE if view == SPACE else RESULTS

    @property
    def words(self) -> str:
        """What is looked for."""
        return self.target.item or ""

    @on(events.Mount)
    async def ask_for_words(self) -> None:
        """Ask for words where none were brought: the next key is already one of theirs."""
        if not self.words:
            await self.edit_words()

    def opened(self) -> None:
        self.set_views(self.resource.views)

    def within(self) -> Iterable[str]:
        if self.words:
            yield f"“{clean(shorten(self.words, 40))}”"

    def missing(self) -> str | None:
        if (why := unfit(self.words)) is not None:
            return why
        if self.view == SPACE and self.target.space is None:
            return "No space is chosen: f chooses one."
        if self.view == SITE and self.target.site is None:
            return "No site is chosen: f chooses one."
        return super().missing()

    def nothing(self) -> str:
        where = {SPACE: "of this space", SITE: "of this site"}.get(
            self.view, "of this organization"
        )
        return nothing_found(self.words, where)

    def raw(self) -> Raw | None:
        hit = self.item
        return None if hit is None else Raw(f"result {self.label(hit)}", value=hit.page)

    def poll(self) -> None:
        """Look for nothing again: results that move under the eyes help nobody. R does."""

    def look_for(self, words: str, *, after: float = 0) -> None:
        """Look for other words, once typing has paused for a while."""
        words = words.strip()

        async def wait(api: Api) -> None:
            """Wait; a key typed meanwhile begins the pause again."""

        def begin(_: None) -> None:
            if words != self.words:
                self.target = self.target.but(item=words or None)
                self.ask_anew()
                self.refresh_frame()

        if after:
            self.reads.load("words", wait, begin, what="Waiting", after=after, local=True)
        else:
            self.reads.cancel("words")
            begin(None)

    @action("e", "words", show=30, group="Find", uses="search_organization")
    async def edit_words(self) -> None:
        """Type what to look for; results follow while you type."""
        await self.desk.open_prompt(self, WordsPrompt(self))

    @action(
        "f",
        "where",
        show=20,
        group="Find",
        uses=(
            "list_organization_spaces",
            "list_organization_collections",
            "list_sites",
            "search_space",
            "search_site_content",
        ),
    )
    async def choose_where(self) -> None:
        """Choose the space or the site to search in, or search everywhere."""
        organization = self.organization
        if organization is None:
            self.say("No organization is chosen: g o lists yours.", "warn")
            return
        api = await self.session.ready()
        desk = await read_desk(api, organization)
        sites = await _sites(api, organization)
        here = {SPACE: self.target.space, SITE: self.target.site}.get(self.view, EVERYWHERE)
        options = [
            Option(EVERYWHERE, "everywhere"),
            *(Option(key, title, "site") for key, title in sites.items()),
            *space_options(desk.nodes, here, keep=lambda space: True),
        ]
        sheet = Choice("Search where?", options, current=here)
        chosen: str | None = await self.desk.push_screen_wait(sheet)
        if chosen is None:
            return
        everywhere, within, shown = RESULTS.views
        self.target = self.target.but(organization=organization)
        if chosen in sites:
            self.target = self.target.but(site=chosen)
            shown = replace(shown, title=f"In {sites[chosen]}")
        elif chosen:
            self.target = self.target.but(space=chosen)
            title = next((clean(node.title) for node in desk.nodes if node.id == chosen), "")
            within = replace(within, title=f"In {title or 'this space'}")
        view = SITE if chosen in sites else SPACE if chosen else everywhere.id
        self.set_views([everywhere, within, shown], view)
        self.view_changed()

    def open_item(self, item: Hit) -> None:
        if not item.space:
            self.say("Not a page of a space: o opens it in the browser.", "warn")
            return
        target = Target(self.organization, item.space, page=item.page.id)
        if item.anchor:
            target = target.but(section=item.anchor)
        self.desk.go_soon("pages", target)


async def _sites(api: Api, organization: str) -> dict[str, str]:
    """Return the titles of the first sites by their ids; none where a site cannot be searched."""
    if not api.has(ops.search_site_content):
        return {}
    page = await api.page(ops.list_sites, organization, limit=SITES)
    return {site.id: clean(site.title).strip() or "Untitled" for site in page.items}
