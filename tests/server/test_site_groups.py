"""The structure of a site over HTTP: groups, links, any entry to any place, copies, drafts."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.domain.site_tree import DEEPEST
from copydesk.server import site_writes as seed
from copydesk.server.desk_file import APPLICATION_ID
from copydesk.server.integrity import examine
from copydesk.server.migrations import MIGRATIONS, script
from copydesk.server.store import Store, Tx
from tests.world import World

Json = dict[str, Any]

GROUP, LINK, SECTION = "site-section-group", "site-external-link", "site-section"


class Docs:
    """A site with sections named by letters; ``ids`` has what was made by title."""

    def __init__(self, world: World, client: httpx.AsyncClient, titles: str = "ABC") -> None:
        self.world, self.client = world, client
        self.ids: dict[str, str] = {}
        self.kinds = dict.fromkeys(titles, SECTION)

        def build(tx: Tx) -> str:
            site = seed.add_site(tx, world.home, "Docs", hostname="docs.acme.test", published=True)
            for title in titles:
                self.ids[title] = seed.add_section(tx, site, title)
                seed.add_site_space(tx, site, spaces[title], section=self.ids[title])
            return site

        spaces = {title: world.space(title) for title in titles}
        self.site = world.write(build)

    def url(self, *rest: str) -> str:
        return "/".join(["/orgs", self.world.home, "sites", self.site, *rest])

    async def group(self, title: str, **body: Any) -> httpx.Response:
        answer = await self.client.post(self.url("section-groups"), json={"title": title, **body})
        return self._made(title, GROUP, answer)

    async def link(self, name: str, **body: Any) -> httpx.Response:
        body = {"title": name * 2, "url": "https://a.test", **body}
        answer = await self.client.post(self.url("external-links"), json=body)
        return self._made(name, LINK, answer)

    def _made(self, title: str, kind: str, answer: httpx.Response) -> httpx.Response:
        if answer.is_success:
            assert answer.status_code == 201
            self.ids[title], self.kinds[title] = answer.json()["id"], kind
        return answer

    def pointer(self, title: str) -> Json:
        return {"type": self.kinds[title], "id": self.ids[title]}

    async def sort(self, title: str, side: str, other: str) -> httpx.Response:
        body = {"item": self.pointer(title), "position": {side: self.pointer(other)}}
        return await self.client.patch(self.url("structure", "sort"), json=body)

    async def tree(self, **query: str) -> str:
        """Return the structure as ``A G(B H(C)) l``."""
        found = (await self.client.get(self.url("structure"), params=query)).json()
        return _written(found["structure"])


def _written(items: list[Json]) -> str:
    return " ".join(
        each["title"][:1] + (f"({_written(each['children'])})" if "children" in each else "")
        for each in items
    )


def refusal(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"]["message"])


async def test_groups_are_made_filled_moved_and_removed(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client)
        ids = docs.ids
        answer = await docs.group("G", sections=[ids["C"], ids["A"]], icon="box")
        assert await docs.tree() == "B G(C A)"
        made = answer.json()
        assert answer.headers["location"].endswith(f"/section-groups/{made['id']}")
        assert [each["title"] for each in made["sections"]] == ["C", "A"]
        assert made["children"] == made["sections"]
        assert (made["icon"], made["draft"]) == ("box", False)
        listed = (await client.get(docs.url("sections"))).json()["items"]
        assert [each["title"] for each in listed] == ["B", "C", "A"]
        await docs.group("H", parent=ids["G"], sections=[ids["B"]])
        await docs.group("E")
        assert await docs.tree() == "G(C A H(B)) E()"
        at = docs.url("section-groups", ids["H"])
        body = {"title": "Inner", "icon": "", "localizedTitle": {"de": "Innen"}}
        assert (await client.patch(at, json=body)).json()["localizedTitle"] == {"de": "Innen"}
        out = await client.patch(at, json={"parentSectionGroupId": None})
        assert "sectionGroup" not in out.json()
        assert await docs.tree() == "G(C A) E() I(B)"
        assert (await client.patch(at, json={"parentSectionGroupId": ids["E"]})).is_success
        assert await docs.tree() == "G(C A) E(I(B))"
        first = (await client.get(docs.url("section-groups"), params={"limit": "1"})).json()
        rest = {"limit": "9", "page": first["next"]["page"]}
        others = (await client.get(docs.url("section-groups"), params=rest)).json()["items"]
        assert [each["title"] for each in (*first["items"], *others)] == ["G", "E", "Inner"]
        assert others[1]["sectionGroup"] == ids["E"]
        for title, code in (("E", 205), ("E", 204), ("G", 205)):
            gone = await client.delete(docs.url("section-groups", ids[title]))
            assert gone.status_code == code
        assert await docs.tree() == "C A I(B)"  # what was in them took their places


async def test_a_group_takes_in_all_its_sections_at_once(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client)
        await docs.group("G", sections=[docs.ids["B"]])
        with world.statements() as read:
            await docs.group("H", sections=[docs.ids[title] for title in "CBAC"])
        assert await docs.tree() == "G() H(C B A)"
        assert sum("FROM site_entry" in each and "ORDER BY" in each for each in read) < 5


async def test_any_entry_goes_beside_any_other(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client)
        await docs.group("G", sections=[docs.ids["B"]])
        await docs.group("H", sections=[docs.ids["C"]])
        await docs.link("x")
        for title, side, other, tree in (
            ("x", "before", "A", "x A G(B) H(C)"),
            ("G", "after", "H", "x A H(C) G(B)"),
            ("G", "before", "C", "x A H(G(B) C)"),
            ("x", "after", "G", "A H(G(B) x C)"),
            ("A", "after", "B", "H(G(B A) x C)"),
            ("G", "after", "H", "H(x C) G(B A)"),
            ("A", "before", "H", "A H(x C) G(B)"),
        ):
            answer = await docs.sort(title, side, other)
            assert answer.json()["id"] == docs.ids[title], answer.text
            assert await docs.tree() == tree
        await docs.sort("G", "after", "C")
        assert "in itself" in refusal(await docs.sort("H", "after", "B"), 400)
        assert "itself" in refusal(await docs.sort("H", "after", "H"), 400)
        shown = (await client.get(docs.url("site-spaces"))).json()["items"]
        spaces = [{"type": "site-space", "id": each["id"]} for each in shown]
        sort = docs.url("structure", "sort")
        gone = {"type": GROUP, "id": "gone"}
        for item, beside, status in (
            (docs.pointer("A"), spaces[0], 400),
            (spaces[0], docs.pointer("A"), 400),
            (spaces[0], spaces[1], 400),  # of another section
            (docs.pointer("A"), gone, 404),
            (gone, docs.pointer("A"), 404),
        ):
            body = {"item": item, "position": {"after": beside}}
            assert refusal(await client.patch(sort, json=body), status)
        both = {"before": gone, "after": gone}
        assert refusal(await client.patch(sort, json={"item": gone, "position": both}), 400)
        second = await client.post(
            docs.url("site-spaces"),
            json={"spaceId": world.space("More"), "sectionId": docs.ids["A"]},
        )
        body = {
            "item": {"type": "site-space", "id": second.json()["id"]},
            "position": {"before": spaces[0]},
        }
        assert (await client.patch(sort, json=body)).json()["object"] == "site-space"
        first = (await client.get(docs.url("site-spaces"))).json()["items"][0]
        assert first["title"] == "More"


async def test_links_lead_to_the_web_only(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client)
        hostile = "<b>\x1b[31m‮ evil"
        answer = await docs.link("x", title=hostile, description="Where", condition="a == b")
        assert answer.json()["title"] == hostile  # whoever shows it cleans it
        at = docs.url("external-links", docs.ids["x"])
        for url in (
            "javascript:alert(1)",
            "data:text/html,x",
            "//a.test",
            "https://a b",
            "mailto:",
        ):
            assert "url" in refusal(await docs.link("y", url=url), 400)
            assert "url" in refusal(await client.patch(at, json={"url": url}), 400)
        changed = await client.patch(
            at, json={"url": "http://b.test/#x", "description": None, "condition": None}
        )
        assert changed.json()["url"] == "http://b.test/#x"
        assert not {"description", "condition"} & changed.json().keys()
        await docs.group("G")
        inside = await client.patch(at, json={"parent": docs.ids["G"]})
        assert inside.json()["sectionGroup"] == docs.ids["G"]
        assert "parent" in refusal(await client.patch(at, json={"parent": "gone"}), 400)
        assert [(await client.delete(at)).status_code for _ in "12"] == [205, 204]
        assert refusal(await client.patch(at, json={"title": "None"}), 404)


async def test_what_is_refused_of_groups(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client, "A")
        bare = world.write(lambda tx: seed.add_site(tx, world.home, "Bare"))
        path = f"/orgs/{world.home}/sites/{bare}/section-groups"
        assert "no sections" in refusal(await client.post(path, json={"title": "G"}), 412)
        assert "sections" in refusal(await docs.group("G", sections=["gone"]), 400)
        assert "parent" in refusal(await docs.group("G", parent="gone"), 400)
        above: Json = {}
        for depth in range(DEEPEST):
            assert (await docs.group(f"g{depth}", **above)).is_success
            above = {"parent": docs.ids[f"g{depth}"]}
        assert "at most 10" in refusal(await docs.group("deeper", **above), 400)
        assert "deeper" not in await docs.tree()
        await docs.group("side")
        inner = {"parentSectionGroupId": docs.ids["g5"]}
        first = docs.url("section-groups", docs.ids["g0"])
        assert "in itself" in refusal(await client.patch(first, json=inner), 400)


async def test_readers_get_neither_drafts_nor_what_is_empty(world: World) -> None:
    async with world.client() as client, world.client(world.user("reader", member=False)) as other:
        docs = Docs(world, client)
        await docs.group("G", sections=[docs.ids["B"]], draft=True)
        await docs.group("E")
        await docs.link("x", draft=True)
        await docs.link("y")
        shown = (await client.get(docs.url("site-spaces"))).json()["items"]
        copied = await client.post(
            docs.url("site-spaces", shown[0]["id"], "duplicate"), json={"draft": True}
        )
        assert copied.status_code == 201
        assert copied.json()["title"] == "A (copy)"
        assert copied.json()["draft"] is True
        assert "published" not in copied.json()["urls"]
        assert await docs.tree() == "A C G(B) E() x y"
        assert (await client.get(docs.url())).json()["siteSpaces"] == 4
        docs.client = other
        assert await docs.tree() == "A C y"
        read = (await other.get(docs.url("published"))).json()
        assert read["site"]["siteSpaces"] == 3
        listed = (await other.get(docs.url("site-spaces"))).json()["items"]
        assert [each["title"] for each in listed] == ["A", "C", "B"]
        default = {"defaultSiteSpace": copied.json()["id"]}
        refused = await client.patch(docs.url(), json=default)
        assert "draft" in refusal(refused, 409)
        both = (await client.get(docs.url("site-spaces"))).json()["items"][:2]
        assert [each["title"] for each in both] == ["A", "A (copy)"]
        again = await client.post(docs.url("site-spaces", both[0]["id"], "duplicate"), json={})
        assert again.json()["draft"] is False


async def test_no_draft_becomes_the_default_while_readers_get_another(world: World) -> None:
    async with world.client() as client:
        docs = Docs(world, client, "A")
        (first,) = (await client.get(docs.url("site-spaces"))).json()["items"]
        copy = docs.url("site-spaces", first["id"], "duplicate")
        draft = (await client.post(copy, json={"draft": True})).json()["id"]
        body = {"spaceId": world.space("Other"), "sectionId": docs.ids["A"]}
        other = (await client.post(docs.url("site-spaces"), json=body)).json()["id"]
        shown = (await client.get(docs.url("site-spaces"))).json()["items"]
        assert [each["id"] for each in shown] == [first["id"], draft, other]
        await client.delete(docs.url("site-spaces", first["id"]))
        hidden = await client.patch(docs.url("site-spaces", other), json={"hidden": True})
        assert "Readers land on this" in refusal(hidden, 409)


@pytest.mark.parametrize("seed_", range(3))
async def test_every_order_is_that_of_a_tree(tmp_path: Path, seed_: int) -> None:
    """Hold 120 moves, some into one gap, against lists within lists."""
    chance = random.Random(seed_)
    world = World(tmp_path / "desk.db")
    async with world.client() as client:
        docs = Docs(world, client, "ABCDE")
        for title in "GHI":
            await docs.group(title)
        for title in "xy":
            await docs.link(title)
        levels: dict[str, list[str]] = {"": list("ABCDEGHIxy"), "G": [], "H": [], "I": []}
        home = dict.fromkeys(levels[""], "")
        for turn in range(120):
            tight = turn % 3 == 0
            item, other = ("x", "y") if tight else chance.sample(sorted(home), 2)
            if tight:
                item, other = chance.choice(("AB", "BA"))
            side = "after" if tight else chance.choice(("before", "after"))
            answer = await docs.sort(item, side, other)
            above = home[other]
            while above and above != item:
                above = home[above]
            assert answer.status_code == (400 if above else 200)
            if not above:
                levels[home[item]].remove(item)
                rows = levels[home[other]]
                rows.insert(rows.index(other) + (side == "after"), item)
                home[item] = home[other]
        assert await docs.tree() == _drawn(levels, "")
    world.close()
    assert examine(tmp_path / "desk.db").all == []


def _drawn(levels: dict[str, list[str]], level: str) -> str:
    return " ".join(
        each + (f"({_drawn(levels, each)})" if each in levels else "") for each in levels[level]
    )


def test_a_desk_of_the_schema_before_gets_places_for_its_groups(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    with closing(sqlite3.connect(path)) as connection:
        for name in MIGRATIONS[:15]:
            connection.executescript(script(name))
        connection.executescript(
            f"""
            PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 15;
            INSERT INTO organization (id, title, created_at) VALUES ('o', 'Acme', '2026-01-01');
            INSERT INTO site (id, organization_id, type, title, visibility, created_at)
                VALUES ('s', 'o', 'basic', 'Docs', 'public', '2026-01-01');
            INSERT INTO section_group (id, site_id, title) VALUES
                ('g', 's', 'G'), ('h', 's', 'H'), ('e', 's', 'Empty');
            INSERT INTO site_section (id, site_id, position, group_id, title, path) VALUES
                ('1', 's', 1, NULL, 'A', 'a'), ('2', 's', 2, 'h', 'B', 'b'),
                ('3', 's', 2.5, 'h', 'C', 'c'), ('4', 's', 3, NULL, 'D', 'd'),
                ('5', 's', 4, 'g', 'E', 'e'), ('6', 's', 5, NULL, 'F', 'f'),
                ('7', 's', 6, 'g', 'G', 'g');
            UPDATE site SET default_section_id = '1';
            """
        )
    store = Store(path)
    entries = store.read(
        lambda tx: tx.all("SELECT id, parent_id, position FROM site_entry ORDER BY position")
    )
    assert "".join(row["id"] for row in entries) == "1h234g576e"
    assert [row["position"] for row in entries] == [float(at) for at in range(1, 11)]
    assert {row["id"]: row["parent_id"] for row in entries}["7"] == "g"
    store.close()
    assert [each for each in examine(path).all if "stand" in each or "group" in each] == []
