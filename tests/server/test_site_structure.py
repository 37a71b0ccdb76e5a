"""Sections and site spaces over HTTP: order, groups, paths, and defaults that are always there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.server import desk_writes, site_writes
from copydesk.server.site_structure import drop_space, sections_of, site_spaces_of
from copydesk.server.store import Store, Tx
from tests.world import BASE_URL, World

T = TypeVar("T")


class Docs:
    """A site with sections, each showing one space of its title."""

    def __init__(self, world: World, *titles: str) -> None:
        self.world = world
        self.home = world.home
        self.site = world.write(lambda tx: site_writes.add_site(tx, self.home, "Docs"))
        self.sections = {title: self.section(title, world.space(title)) for title in titles}

    def section(self, title: str, *spaces: str, **settings: Any) -> str:
        def work(tx: Tx) -> str:
            section = site_writes.add_section(tx, self.site, title, **settings)
            for space in spaces:
                site_writes.add_site_space(tx, self.site, space, section=section)
            return section

        return self.world.write(work)

    def site_space(self, space: str, section: str | None = None, **settings: Any) -> str:
        return self.world.write(
            lambda tx: site_writes.add_site_space(tx, self.site, space, section=section, **settings)
        )

    def url(self, *rest: str) -> str:
        return "/".join(["", "orgs", self.home, "sites", self.site, *rest])

    async def order(self, client: httpx.AsyncClient) -> list[str]:
        listed = (await client.get(self.url("sections"))).json()
        assert listed["count"] == len(listed["items"])
        return [section["title"] for section in listed["items"]]

    async def shown(self, client: httpx.AsyncClient) -> list[str]:
        listed = (await client.get(self.url("site-spaces"))).json()
        return [site_space["title"] for site_space in listed["items"]]

    def sound(self) -> None:
        """Fail unless there is one default everywhere and every path is its own."""
        self.world.store.read(lambda tx: check_structure(tx, self.site))


def check_structure(tx: Tx, site_id: str) -> None:
    site = tx.get("site", id=site_id)
    assert site is not None
    sections = sections_of(site_id).rows(tx)
    root = site_spaces_of(site_id, None).rows(tx)
    if sections:
        assert not root
        assert site["default_section_id"] in {row["id"] for row in sections}
        assert site["default_site_space_id"] is None
    else:
        assert site["default_section_id"] is None
        default = site["default_site_space_id"]
        assert default in {row["id"] for row in root} if root else default is None
    assert len({row["path"] for row in sections}) == len(sections)
    for section in sections:
        shown = site_spaces_of(site_id, section["id"]).rows(tx)
        assert section["default_site_space_id"] in {row["id"] for row in shown}
        assert len({row["path"] for row in shown}) == len(shown)


@pytest.fixture
def docs(world: World) -> Docs:
    return Docs(world, "Guides", "Reference", "Changelog")


async def test_sections_come_in_order_with_what_they_show(world: World, docs: Docs) -> None:
    async with world.client() as client:
        items = (await client.get(docs.url("sections"))).json()["items"]
        assert [s["title"] for s in items] == ["Guides", "Reference", "Changelog"]
        assert [s["default"] for s in items] == [True, False, False]
        first = items[0]
        (shown,) = first["siteSpaces"]
        assert first == {
            "object": "site-section",
            "id": docs.sections["Guides"],
            "title": "Guides",
            "default": True,
            "draft": False,
            "path": "guides",
            "siteSpaces": [shown],
            "urls": {},
        }
        assert shown["object"] == "site-space"
        assert shown["section"] == first["id"]
        assert shown["space"]["title"] == "Guides"
        assert shown["space"]["permissions"]["admin"] is True
        assert shown["default"] is True
        assert shown["hidden"] is False
        assert shown["hasAdvancedCustomizationFeature"] is False


async def test_addresses_leave_out_defaults(world: World, docs: Docs) -> None:
    docs.site_space(world.space("Old"), docs.sections["Reference"])
    world.write(lambda tx: tx.update("site", docs.site, hostname="d.acme.example", published=1))
    async with world.client() as client:
        listed = (await client.get(docs.url("site-spaces"))).json()["items"]
        assert [s["urls"]["published"] for s in listed] == [
            "https://d.acme.example",
            "https://d.acme.example/reference",
            "https://d.acme.example/reference/old",
            "https://d.acme.example/changelog",
        ]


async def test_the_first_section_takes_over_the_root(world: World) -> None:
    docs = Docs(world)
    one, two, three = (world.space(title) for title in ("One", "Two", "Three"))
    docs.site_space(one)
    second = docs.site_space(two)
    async with world.client() as client:
        await client.patch(docs.url(), json={"defaultSiteSpace": second})
        body = {"spaceId": three, "title": "Everything", "icon": "book"}
        made = await client.post(docs.url("sections"), json=body)
        section = made.json()
        assert made.status_code == 201
        assert made.headers["location"] == f"{BASE_URL}/v1{docs.url('sections', section['id'])}"
        assert section["default"] is True
        assert section["icon"] == "book"
        assert [(s["title"], s["default"]) for s in section["siteSpaces"]] == [
            ("One", False),
            ("Two", True),
            ("Three", False),
        ]
        docs.sound()
        other = docs.section("Other", world.space("Four"))
        body = {"defaultSiteSection": other, "defaultSiteSpace": second}
        refused = await client.patch(docs.url(), json=body)
        assert refused.status_code == 400
        assert "another section" in refused.json()["error"]["message"]
        # What a site opens with is a site space, and with it the section that it is in.
        for chosen, opened in ((other, "Four"), (section["id"], "Two")):
            shown = (await client.get(docs.url("site-spaces"))).json()["items"]
            key = next(s["id"] for s in shown if s["title"] == opened)
            answer = await client.patch(docs.url(), json={"defaultSiteSpace": key})
            assert answer.status_code == 200
            sections = (await client.get(docs.url("sections"))).json()["items"]
            assert [s["id"] for s in sections if s["default"]] == [chosen]
            docs.sound()


async def test_the_first_section_does_not_show_a_space_twice(world: World) -> None:
    docs = Docs(world)
    one = world.space("One")
    docs.site_space(one)
    async with world.client() as client:
        made = await client.post(docs.url("sections"), json={"spaceId": one})
        assert made.json()["title"] == "One"
        assert len(made.json()["siteSpaces"]) == 1
    docs.sound()


async def test_titles_alike_get_paths_apart(world: World, docs: Docs) -> None:
    async with world.client() as client:
        for expected in ("guides-2", "guides-3"):
            body = {"spaceId": world.space("Other"), "title": "Guides"}
            made = await client.post(docs.url("sections"), json=body)
            assert made.json()["path"] == expected
    docs.sound()


@pytest.mark.parametrize(
    ("moved", "side", "anchor", "expected"),
    [
        ("Changelog", "before", "Guides", ["Changelog", "Guides", "Reference"]),
        ("Changelog", "after", "Guides", ["Guides", "Changelog", "Reference"]),
        ("Guides", "after", "Changelog", ["Reference", "Changelog", "Guides"]),
        ("Guides", "before", "Reference", ["Guides", "Reference", "Changelog"]),
        ("Reference", "before", "Guides", ["Reference", "Guides", "Changelog"]),
    ],
)
async def test_move_section(
    world: World, docs: Docs, moved: str, side: str, anchor: str, expected: list[str]
) -> None:
    async with world.client() as client:
        position = {side: {"type": "site-section", "siteSection": docs.sections[anchor]}}
        answer = await client.post(
            docs.url("sections", docs.sections[moved], "move"), json={"position": position}
        )
        assert answer.status_code == 200
        assert answer.json()["title"] == moved
        assert await docs.order(client) == expected
        items = (await client.get(docs.url("sections"))).json()["items"]
        assert [s["title"] for s in items if s["default"]] == ["Guides"]


async def test_move_section_refuses(world: World, docs: Docs) -> None:
    def anchor(section: str) -> dict[str, str]:
        return {"type": "site-section", "siteSection": section}

    guides, reference = docs.sections["Guides"], docs.sections["Reference"]
    async with world.client() as client:
        for position, status in [
            ({}, 400),
            ({"before": anchor(reference), "after": anchor(reference)}, 400),
            ({"before": {"type": "site-space", "siteSection": reference}}, 400),
            ({"after": anchor(guides)}, 400),
            ({"after": anchor("nowhere")}, 404),
        ]:
            answer = await client.post(
                docs.url("sections", guides, "move"), json={"position": position}
            )
            assert answer.status_code == status, position
        missing = await client.post(
            docs.url("sections", "nowhere", "move"), json={"position": {"after": anchor(guides)}}
        )
        assert missing.status_code == 404
        assert await docs.order(client) == ["Guides", "Reference", "Changelog"]


async def test_a_section_joins_the_group_of_its_neighbour(world: World, docs: Docs) -> None:
    group = world.write(lambda tx: site_writes.add_section_group(tx, docs.site, "Products"))
    member = docs.section("Payments", world.space("Payments"), group=group)
    async with world.client() as client:
        for anchor, expected in ((member, group), (docs.sections["Reference"], None)):
            position = {"after": {"type": "site-section", "siteSection": anchor}}
            moved = await client.post(
                docs.url("sections", docs.sections["Guides"], "move"), json={"position": position}
            )
            assert moved.json().get("sectionGroup") == expected


async def test_many_moves_into_one_gap(world: World, docs: Docs) -> None:
    guides = docs.sections["Guides"]
    async with world.client() as client:
        for turn in range(60):
            moved = docs.sections["Reference" if turn % 2 else "Changelog"]
            position = {"after": {"type": "site-section", "siteSection": guides}}
            answer = await client.post(
                docs.url("sections", moved, "move"), json={"position": position}
            )
            assert answer.status_code == 200
            last = "Reference" if turn % 2 else "Changelog"
            assert (await docs.order(client))[:2] == ["Guides", last]


async def test_update_section(world: World, docs: Docs) -> None:
    old = docs.site_space(world.space("Old"), docs.sections["Guides"])
    path = docs.url("sections", docs.sections["Guides"])
    async with world.client() as client:
        body = {
            "title": "Handbook",
            "path": "book",
            "condition": "visitor.claims.beta == true",
            "icon": "gear",
            "description": "All of it",
            "defaultSiteSpace": old,
        }
        changed = (await client.patch(path, json=body)).json()
        assert changed.items() >= {k: v for k, v in body.items() if k[0] != "d"}.items()
        assert changed["description"] == "All of it"
        assert [s["title"] for s in changed["siteSpaces"] if s["default"]] == ["Old"]
        kept = (await client.patch(path, json={"title": "Guides"})).json()
        assert kept["condition"] == body["condition"]
        bare = {"condition": None, "icon": "", "description": None}
        cleared = (await client.patch(path, json=bare)).json()
        assert not {"condition", "icon", "description"} & cleared.keys()
        docs.sound()


async def test_update_section_refuses(world: World, docs: Docs) -> None:
    path = docs.url("sections", docs.sections["Guides"])
    async with world.client() as client:
        listed = (await client.get(docs.url("site-spaces"))).json()["items"]
        foreign = listed[1]["id"]
        for body, status in [
            ({"path": "reference"}, 400),
            ({"path": "a/b"}, 400),
            ({"path": ".."}, 400),
            ({"path": ""}, 400),
            ({"title": "x"}, 400),
            ({"condition": "x" * 1025}, 400),
            ({"description": "x" * 257}, 400),
            ({"defaultSiteSpace": foreign}, 400),
            ({"defaultSiteSpace": "nowhere"}, 404),
        ]:
            answer = await client.patch(path, json=body)
            assert answer.status_code == status, body
        assert (await client.patch(path, json={"path": "guides"})).status_code == 200
        missing = await client.patch(docs.url("sections", "nowhere"), json={})
        assert missing.status_code == 404


async def test_default_section(world: World, docs: Docs) -> None:
    async with world.client() as client:
        chosen = docs.sections["Changelog"]
        answer = await client.patch(docs.url(), json={"defaultSiteSection": chosen})
        assert answer.status_code == 200
        items = (await client.get(docs.url("sections"))).json()["items"]
        assert [s["title"] for s in items if s["default"]] == ["Changelog"]
        # The default goes: the next takes over, and after the last that is the first.
        gone = await client.delete(docs.url("sections", chosen))
        assert gone.status_code == 205
        docs.sound()
        items = (await client.get(docs.url("sections"))).json()["items"]
        assert [(s["title"], s["default"]) for s in items] == [
            ("Guides", True),
            ("Reference", False),
        ]
        assert (await client.delete(docs.url("sections", chosen))).status_code == 204
        missing = await client.patch(docs.url(), json={"defaultSiteSection": chosen})
        assert missing.status_code == 404
        for title in ("Guides", "Reference"):
            await client.delete(docs.url("sections", docs.sections[title]))
            docs.sound()
        site = (await client.get(docs.url())).json()
        assert site["siteSpaces"] == 0


async def test_add_site_space(world: World, docs: Docs) -> None:
    async with world.client() as client:
        space = world.space("Extra")
        made = await client.post(docs.url("site-spaces"), json={"spaceId": space})
        assert made.status_code == 201
        assert made.headers["location"].endswith(docs.url("site-spaces", made.json()["id"]))
        assert made.json()["section"] == docs.sections["Guides"]
        assert made.json()["default"] is False
        body = {"spaceId": space, "sectionId": docs.sections["Changelog"]}
        assert (await client.post(docs.url("site-spaces"), json=body)).status_code == 201
        assert (await client.post(docs.url("site-spaces"), json=body)).status_code == 409
        for wrong, status in [
            ({"spaceId": "nowhere"}, 404),
            ({"spaceId": space, "sectionId": "nowhere"}, 404),
            ({}, 400),
        ]:
            assert (await client.post(docs.url("site-spaces"), json=wrong)).status_code == status
        assert await docs.shown(client) == ["Guides", "Extra", "Reference", "Changelog", "Extra"]
    docs.sound()


async def test_update_site_space(world: World, docs: Docs) -> None:
    section = docs.sections["Guides"]
    other = world.space("Other")
    own_title = docs.site_space(other, section, title="Next version", path="next")
    path = docs.url("site-spaces", own_title)
    async with world.client() as client:
        body = {"path": "v2", "condition": "visitor.claims.beta == true", "hidden": True}
        changed = (await client.patch(path, json=body)).json()
        assert changed.items() >= body.items()
        assert changed["title"] == "Next version"
        cleared = (await client.patch(path, json={"condition": None})).json()
        assert "condition" not in cleared
        assert cleared["hidden"] is True
        third = world.space("Third")
        pointed = (await client.patch(path, json={"spaceId": third})).json()
        assert (pointed["title"], pointed["space"]["id"]) == ("Third", third)
        assert pointed["path"] == "v2"
        guides = (await client.get(docs.url("site-spaces"))).json()["items"][0]
        for wrong, status in [
            ({"path": "guides"}, 400),
            ({"path": "a b"}, 400),
            ({"spaceId": guides["space"]["id"]}, 409),
            ({"spaceId": "nowhere"}, 404),
        ]:
            assert (await client.patch(path, json=wrong)).status_code == status, wrong
        # Readers land on the default, so it is not hidden, and what is hidden is no default.
        landing = docs.url("site-spaces", guides["id"])
        assert (await client.patch(landing, json={"hidden": True})).status_code == 409
        for above in (docs.url(), docs.url("sections", section)):
            unseen = await client.patch(above, json={"defaultSiteSpace": own_title})
            assert (unseen.status_code, "hidden" in unseen.text) == (409, True)
        assert (await client.delete(landing)).status_code == 205
        heir = (await client.get(docs.url("site-spaces"))).json()["items"][0]
        assert (heir["id"], heir["default"], heir["hidden"]) == (own_title, True, False)
        missing = await client.patch(docs.url("site-spaces", "nowhere"), json={})
        assert missing.status_code == 404
    docs.sound()


async def test_move_site_space(world: World, docs: Docs) -> None:
    section = docs.sections["Guides"]
    made = {title: docs.site_space(world.space(title), section) for title in ("v1", "v2")}

    def anchor(site_space: str) -> dict[str, str]:
        return {"type": "site-space", "siteSpace": site_space}

    async with world.client() as client:
        listed = (await client.get(docs.url("site-spaces"))).json()["items"]
        guides, foreign = listed[0]["id"], listed[3]["id"]
        path = docs.url("site-spaces", made["v2"], "move")
        answer = await client.post(path, json={"position": {"before": anchor(guides)}})
        assert answer.status_code == 200
        assert (await docs.shown(client))[:3] == ["v2", "Guides", "v1"]
        for position, status in [
            ({"after": anchor(foreign)}, 400),
            ({"after": anchor(made["v2"])}, 400),
            ({}, 400),
            ({"after": anchor("nowhere")}, 404),
        ]:
            refused = await client.post(path, json={"position": position})
            assert refused.status_code == status, position
        first = (await client.get(docs.url("sections"))).json()["items"][0]
        assert [s["title"] for s in first["siteSpaces"]] == ["v2", "Guides", "v1"]
        assert [s["title"] for s in first["siteSpaces"] if s["default"]] == ["Guides"]


async def test_delete_site_space(world: World, docs: Docs) -> None:
    section = docs.sections["Guides"]
    extra = docs.site_space(world.space("Extra"), section)
    async with world.client() as client:
        listed = (await client.get(docs.url("site-spaces"))).json()["items"]
        guides = docs.url("site-spaces", listed[0]["id"])
        assert (await client.delete(guides)).status_code == 205
        assert (await client.delete(guides)).status_code == 204
        docs.sound()
        items = (await client.get(docs.url("sections"))).json()["items"]
        assert [s["title"] for s in items[0]["siteSpaces"] if s["default"]] == ["Extra"]
        refused = await client.delete(docs.url("site-spaces", extra))
        assert refused.status_code == 412
        assert "delete the section" in refused.json()["error"]["message"]
    assert world.row("space", listed[0]["space"]["id"])["deleted_at"] is None


async def test_a_title_follows_its_space(world: World, docs: Docs) -> None:
    space = world.space("Draft name")
    docs.site_space(space)
    world.write(lambda tx: tx.update("space", space, title="Final name"))
    async with world.client() as client:
        assert "Final name" in await docs.shown(client)


async def test_lists_page_without_gap_or_double(world: World) -> None:
    docs = Docs(world, *(f"Part {number:02}" for number in range(7)))
    for title in ("Part 01", "Part 04"):
        for name in ("v1", "v2"):
            docs.site_space(world.space(name), docs.sections[title])
    async with world.client() as client:
        for noun, total in (("sections", 7), ("site-spaces", 11)):
            whole = (await client.get(docs.url(noun))).json()["items"]
            seen: list[str] = []
            query: dict[str, Any] = {"limit": 3}
            while True:
                page = (await client.get(docs.url(noun), params=query)).json()
                assert page["count"] == total
                seen += [item["id"] for item in page["items"]]
                if "next" not in page:
                    break
                query["page"] = page["next"]["page"]
            assert seen == [item["id"] for item in whole]


async def test_only_editors_rearrange(world: World, docs: Docs) -> None:
    section = docs.sections["Guides"]
    position = {"after": {"type": "site-section", "siteSection": docs.sections["Reference"]}}
    shown = world.store.read(lambda tx: site_spaces_of(docs.site, section).rows(tx)[0]["id"])
    beside = {"after": {"type": "site-space", "siteSpace": shown}}
    async with world.client(world.user("bo", "edit")) as client:
        for method, rest, body in [
            ("POST", ["sections"], {"spaceId": world.space()}),
            ("PATCH", ["sections", section], {"title": "Mine"}),
            ("DELETE", ["sections", section], None),
            ("POST", ["sections", section, "move"], {"position": position}),
            ("POST", ["site-spaces"], {"spaceId": world.space()}),
            ("PATCH", ["site-spaces", shown], {"hidden": True}),
            ("DELETE", ["site-spaces", shown], None),
            ("POST", ["site-spaces", shown, "move"], {"position": beside}),
        ]:
            answer = await client.request(method, docs.url(*rest), json=body)
            assert answer.status_code == 403, (method, rest)
            assert "createContent" in answer.json()["error"]["message"]
        assert await docs.order(client) == ["Guides", "Reference", "Changelog"]


async def test_dropping_a_space_leaves_a_sound_site(world: World, docs: Docs) -> None:
    both = world.space("Both")
    docs.site_space(both, docs.sections["Reference"])
    alone = docs.section("Alone", both)
    world.write(lambda tx: tx.update("site", docs.site, default_section_id=alone))
    world.write(lambda tx: drop_space(tx, both))
    docs.sound()
    async with world.client() as client:
        assert await docs.order(client) == ["Guides", "Reference", "Changelog"]
        assert "Both" not in await docs.shown(client)


def in_memory(work: Callable[[Tx], T]) -> T:
    store = Store(durable=False)
    try:
        return store.write(work)
    finally:
        store.close()


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=40))
def test_positions_do_what_a_list_does(moves: list[tuple[int, int, bool]]) -> None:
    def work(tx: Tx) -> None:
        organization = desk_writes.add_organization(tx, "Acme")
        site = site_writes.add_site(tx, organization, "Docs")
        order = [site_writes.add_section(tx, site, f"Part {n}") for n in range(6)]
        siblings = sections_of(site)
        names = list(order)
        for moved, anchor, after in moves:
            if moved == anchor:
                continue
            position = siblings.beside(tx, names[anchor], names[moved], after=after)
            tx.update("site_section", names[moved], position=position)
            order.remove(names[moved])
            order.insert(order.index(names[anchor]) + after, names[moved])
            assert [row["id"] for row in siblings.rows(tx)] == order

    in_memory(work)
