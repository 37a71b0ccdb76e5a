"""A site to rearrange, and a plan of six requests for it."""

from __future__ import annotations

from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.call import Call
from copydesk.domain.order import Move
from copydesk.domain.reversal import Expectation, Step
from copydesk.domain.site_inverses import row_moved, site_row_changed, space_shown
from copydesk.domain.site_tree import SiteNode
from copydesk.server import site_seed as seed
from copydesk.server.store import Store, Tx
from tests.world import World

SECTIONS = ("Guides", "API", "Legal", "Status")

PLACE = "site-structure"


class Rearranged:
    """A site of four sections in a world, and what is to become of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ids: dict[str, str] = {}
        english, french = world.space("English"), world.space("French")
        self.french = french

        def write(tx: Tx) -> str:
            site = seed.add_site(tx, world.home, "Acme docs", hostname="acme.test", published=True)
            for title in SECTIONS:
                self.ids[title] = seed.add_section(tx, site, title)
                section = self.ids[title]
                self.ids[f"{title}/en"] = seed.add_site_space(tx, site, english, section=section)
            second = seed.add_site_space(tx, site, french, section=self.ids["API"])
            self.ids["API/fr"] = second
            return site

        self.site = world.write(write)

    def calls(self, *, removing: bool = False) -> list[Call]:
        """Return the plan: one more variant, hidden; a new title; two moves; a variant less."""
        where = (self.world.home, self.site)
        ids = {"organization_id": where[0], "site_id": where[1]}
        guides, api, legal, status = (self.ids[title] for title in SECTIONS)
        new = SiteNode("new:1", "site-space", "French", guides)
        section = SiteNode(status, "section", "Status")
        other = SiteNode(legal, "section", "Legal")
        body = {"spaceId": self.french, "sectionId": guides}
        hide = site_row_changed(where, new, {"hidden": False}, {"hidden": True})
        title = site_row_changed(where, section, {"title": "Status"}, {"title": "State"})
        order = [guides, api, legal, status]
        then = [guides, status, api, legal]
        last = [guides, status, legal, api]
        up = row_moved(
            where, section, Move(status, "after", guides), Move(status, "after", legal), order, then
        )
        down = row_moved(
            where, other, Move(legal, "after", status), Move(legal, "after", api), then, last
        )
        plan = [
            Call(
                "add:new:1", "Show a space", "French", "French in Guides",
                Step("add_site_space", ids, body), space_shown(where, "new:1"), "new:1",
            ),
            Call("change:new:1", "Change", "French", "French: hidden", hide.forth[0], hide),
            Call("change:s", "Change", "Status", "Status: State", title.forth[0], title),
            Call("move:s", "Move", "Status", "Status after Guides", up.forth[0], up),
            Call("move:l", "Move", "Legal", "Legal after Status", down.forth[0], down),
        ]  # fmt: skip
        if removing:
            gone = self.ids["API/fr"]
            read, path = Step("list_site_spaces", ids), f"items[id={gone}].id"
            step = Step("delete_site_space", {**ids, "site_space_id": gone})
            plan.append(
                Call(
                    "remove:fr",
                    "Remove",
                    "French",
                    "French in API goes",
                    step,
                    None,
                    final=True,
                    arrived=Expectation(read, {path: []}),
                )
            )  # fmt: skip
        return plan

    def run(self, *, removing: bool = False) -> ArrangeRun:
        """Return the run of the plan."""
        calls = self.calls(removing=removing)
        return ArrangeRun.of(PLACE, self.site, "Acme docs", calls, organization=self.world.home)


BEFORE = "Guides[English] API[English French] Legal[English] Status[English]"
AFTER = "Guides[English (French)] State[English] Legal[English] API[English French]"
REMOVED = AFTER.replace("API[English French]", "API[English]")


def shown(store: Store, site: str) -> str:
    """Return what the site shows in order, hidden ones in brackets."""

    def look(tx: Tx) -> str:
        sections = tx.all(
            "SELECT id, title FROM site_section WHERE site_id = ? ORDER BY position", site
        )
        return " ".join(f"{row['title']}[{spaces(tx, row['id'])}]" for row in sections)

    return store.read(look)


def spaces(tx: Tx, section: str) -> str:
    """Return what a section shows in order, hidden ones in brackets."""
    rows = tx.all(
        "SELECT s.title, p.hidden FROM site_space p JOIN space s ON s.id = p.space_id "
        "WHERE p.section_id = ? ORDER BY p.position",
        section,
    )
    return " ".join(f"({row['title']})" if row["hidden"] else row["title"] for row in rows)
