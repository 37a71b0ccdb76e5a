"""Searching the pages of an organization or of one space; a result opens where it points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events, on

from copydesk.domain.request_context import CAUSE
from copydesk.domain.text import clean, shorten, shown_title
from copydesk.present.raw_json import Raw
from copydesk.present.search import excerpt, page_title, says, section_title
from copydesk.present.space_options import space_options
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.search import Hit, nothing_found, read_hits, unfit
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.line_field import Prompt
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.resource.page_lines import LINES, lines_from
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Facet, ListQuery, Resource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page


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


async def _pages(api: Api, target: Target, asked: ListQuery) -> Page[Hit]:
    return await read_hits(
        api,
        target.item or "",
        target.organization or "",
        space=target.space or "" if asked.view == SPACE else "",
        site=target.site or "" if asked.view == SITE else "",
        **asked.paging,
    )


RESULTS: Resource[Hit] = Resource(
    noun="result",
    title="Results",
    pages=_pages,
    key=lambda hit: hit.id,
    label=lambda hit: hit.page.title,
    shown=(
        Facet("page", "PAGE", page_title, flex=1, minimum=18, detail=False),
        Facet("space", "SPACE", lambda hit, now: hit.space_title or None, 12, drop=2, most=20),
        Facet("says", "SAYS", says, flex=1, minimum=20, detail=False, filters=False),
        Facet("section", "SECTION", section_title),
        Facet("excerpt", "SAYS", excerpt),
        Facet("where", "WHERE", lambda hit, now: hit.where),
        Facet("path", "PATH", lambda hit, now: (hit.section or hit.page).path or None),
    ),
    empty="",
    url=lambda hit: hit.url,
    views=(View("everywhere", "Everywhere"), View(SPACE, "In this space"), View(SITE, "In a site")),
    copies=lambda hit: [("path", hit.page.path), ("id of the space", hit.space)],
    contents=lambda: (LINES,),
    inside=lambda hit: lines_from(hit.space, hit.page.id, hit.anchor),
)
"""What a search found, section by section."""


RESULTS_HERE = replace(RESULTS, shown=[each for each in RESULTS.shown if each.name != "space"])
"""The same in one space, which is not named with each."""


class WordsPrompt(Prompt):
    """Searches as one types; the arrows move in the results."""

    ENTER, ESCAPE, TAB, UP = "to the results", "close", "", ""

    def __init__(self, here: SearchPlace) -> None:
        super().__init__("search: ", here.words, "words; Enter goes to the results")
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

    @action("e", "words", word="edit", show=30, group="Find", uses="search_organization")
    async def edit_words(self) -> None:
        """Type what to look for; results follow while you type."""
        await self.desk.open_prompt(self, WordsPrompt(self))

    @action(
        "f",
        "where",
        word="where",
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
            shown = shown._replace(title=f"In {sites[chosen]}")
        elif chosen:
            self.target = self.target.but(space=chosen)
            title = next((clean(node.title) for node in desk.nodes if node.id == chosen), "")
            within = within._replace(title=f"In {title or 'this space'}")
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
    return {site.id: shown_title(site.title) for site in page.items}
