"""Searching spaces and organizations, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from copydesk.server import change_requests, content, search_index, site_writes
from copydesk.server.desk_writes import Editor
from copydesk.server.migrations import script
from copydesk.server.store import Tx
from tests.world import World


@pytest.fixture
def space(world: World) -> str:
    return world.space(
        "Handbook",
        {
            "guides/install": "Before.\n\n# Linux\n\nRun the Package manager.\n\n# Mac\n\nNo.\n",
            "package": "Nothing of note.\n",
            "other": "```\n# not a heading, package\n```\n",
        },
    )


async def test_every_word_is_found_whatever_its_case(world: World, space: str) -> None:
    async with world.client() as client:
        path = f"/spaces/{space}/search"
        found = (await client.get(path, params={"query": "PACKAGE"})).json()
        both = (await client.get(path, params={"query": "package linux"})).json()
        none = (await client.get(path, params={"query": "package zebra"})).json()
        signed = (await client.get(path, params={"query": '"linu*"'})).json()
        blank = (await client.get(path, params={"query": " "})).json()
    assert [item["path"] for item in found["items"]] == ["package", "other", "guides/install"]
    assert found["count"] == 3
    (item,) = both["items"]
    assert [above["title"] for above in item["ancestors"]] == ["Guides"]
    assert [section["title"] for section in item["sections"]] == ["Linux"]
    section = item["sections"][0]
    assert (section["path"], section["body"]) == (
        "guides/install#linux",
        "Run the Package manager.",
    )
    assert [s["title"] for s in signed["items"][0]["sections"]] == ["Linux"]
    assert none["items"] == blank["items"] == []


async def test_a_fenced_line_is_no_heading(world: World, space: str) -> None:
    async with world.client() as client:
        params = {"query": "not heading"}
        found = (await client.get(f"/spaces/{space}/search", params=params)).json()
    (item,) = found["items"]
    assert [section["path"] for section in item["sections"]] == ["other"]


async def test_a_section_has_the_anchor_that_its_heading_says(world: World) -> None:
    space = world.space("Guide", {"start": "# Start\n\n## In a hurry? { #hurry }\n\nA quokka.\n"})
    async with world.client() as client:
        answer = await client.get(f"/spaces/{space}/search", params={"query": "quokka"})
    (section,) = answer.json()["items"][0]["sections"]
    assert (section["title"], section["path"]) == ("In a hurry?", "start#hurry")


async def test_excerpts_are_near_the_word_and_short(world: World) -> None:
    text = "word " * 200 + "needle " + "word " * 200
    space = world.space("Long", {"page": text})
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/search", params={"query": "needle"})).json()
    body = found["items"][0]["sections"][0]["body"]
    assert "needle" in body
    assert len(body) < 200
    assert body.startswith("…")
    assert body.endswith("…")


async def test_results_page(world: World) -> None:
    space = world.space("Many", {f"page-{number}": "same\n" for number in range(5)})
    async with world.client() as client:
        path = f"/spaces/{space}/search"
        first = (await client.get(path, params={"query": "same", "limit": 2})).json()
        params = {"query": "same", "page": first["next"]["page"]}
        rest = (await client.get(path, params=params)).json()
    assert [item["path"] for item in first["items"] + rest["items"]] == [
        f"page-{number}" for number in range(5)
    ]


async def test_an_organization_is_searched_where_the_caller_may_look(
    world: World, space: str
) -> None:
    hidden = world.space("Hidden", {"package": "Secret.\n"}, default_level=None)
    world.space("Nothing", {"intro": "Hi.\n"})
    bo = world.user("bo")
    path, params = f"/orgs/{world.home}/search", {"query": "package"}
    async with world.client() as client:
        for_ana = (await client.get(path, params=params)).json()
        long = await client.get(path, params={"query": "x" * 513})
        missing = await client.get(path)
        unknown = await client.get("/orgs/none/search", params=params)
    async with world.client(bo) as client:
        for_bo = (await client.get(path, params=params)).json()
    assert {item["id"] for item in for_ana["items"]} == {space, hidden}
    assert [item["id"] for item in for_bo["items"]] == [space]
    assert len(for_bo["items"][0]["pages"]) == 3
    assert [answer.status_code for answer in (long, missing, unknown)] == [400, 400, 404]


async def test_what_is_translated_comes_before_its_translation(world: World) -> None:
    async def found(query: str, *, limit: int = 10) -> list[str]:
        path, params = f"/orgs/{world.home}/search", {"query": query, "limit": str(limit)}
        answer = (await client.get(path, params=params)).json()
        spaces = [item["id"] for item in answer["items"]]
        while "next" in answer:
            params["page"] = answer["next"]["page"]
            answer = (await client.get(path, params=params)).json()
            spaces += [item["id"] for item in answer["items"]]
        return spaces

    # Ids are handed out in order, so that equal scores tell nothing.
    async with world.client() as client:
        mine = world.space(
            "Guide", {"pay": "Pay with a card or an invoice, as you like it.", "end": "Card"}
        )
        made = await client.post(
            f"/orgs/{world.home}/translations", json={"language": "de", "source": {"space": mine}}
        )
        world.settle()
        path = f"/orgs/{world.home}/translations/{made.json()['id']}"
        german = (await client.get(path)).json()["result"]["space"]
        assert await found("invoice") == [mine, german]
        # A shorter text ranks better; that says nothing of two texts in two languages.
        world.commit(german, {"pay": "Invoice"})
        other = world.space("Other", {"intro": "One invoice among" + " words" * 20})
        assert await found("invoice") == [mine, german, other]
        assert await found("invoice", limit=1) == [mine, german, other]
        # What only the translation has in a title, it is first with.
        world.commit(german, {"invoice": "Bye"})
        assert await found("invoice") == [german, mine, other]
        # Of what is hidden from the reader nothing follows.
        world.commit(mine, {"invoice": "Bye"})
        assert (await found("invoice"))[:2] == [mine, german]


async def search(world: World, space: str, query: str) -> list[str]:
    async with world.client() as client:
        answer = await client.get(f"/spaces/{space}/search", params={"query": query})
    assert answer.status_code == 200, answer.text
    return [item["path"] for item in answer.json()["items"]]


async def test_titles_come_before_texts_and_often_before_once(world: World) -> None:
    space = world.space(
        "Ranked",
        {
            "once": "A token is here, among many other words that say nothing of note.\n",
            "often": "Token, token and token.\n",
            "token-rotation": "Nothing.\n",
            "half": "token\n",
        },
    )
    found = await search(world, space, "token")
    assert found[0] == "token-rotation"
    assert found.index("often") < found.index("once")
    assert await search(world, space, "rotation token") == ["token-rotation"]


@pytest.mark.parametrize(
    "query",
    [
        '"package',
        "pack*",
        "NEAR(package manager)",
        "package AND",
        "NOT package",
        "title : package",
        "^package",
        "-package +manager",
        "(package",
        "{title} : package",
        "package OR 'x",
        '"" \\ * ( ) _ ; --',
        "\x1bpackage\x07",
        "zażółć %_ package",
        " ".join(chr(0x3B1 + n % 20) * (1 + n // 20) for n in range(200))[:512],
        '"' * 512,
    ],
)
async def test_nothing_in_a_query_is_an_operator(world: World, space: str, query: str) -> None:
    found = await search(world, space, query)
    plain = [w for w in ("AND", "NOT", "OR", "NEAR", "title", "manager", "zażółć") if w in query]
    if not plain and "pack" in query:
        assert found[0] == "package"


async def test_words_are_found_in_every_script(world: World) -> None:
    space = world.space(
        "World",
        {
            "one": "Le café rouvre à l'été.\n",
            "two": "ドキュメントを検索する方法\n",
            "three": "文档平台的搜索功能\n",
            "four": "การค้นหาเอกสาร\n",
            "five": "दस्तावेज़ खोजें\n",
            "six": "Δοκιμή ΑΝΑΖΉΤΗΣΗΣ\n",
            "seven": "カ\u3099イト\u3099 API\n",
        },
    )
    expected = {
        "CAFE": "one",
        "検索": "two",
        "搜索": "three",
        "เอกสาร": "four",
        "खोजें": "five",
        "δοκιμή": "six",
        "ガイド": "seven",
        "ＡＰＩ": "seven",
    }
    assert {word: await search(world, space, word) for word in expected} == {
        word: [path] for word, path in expected.items()
    }


async def test_what_is_found_follows_every_change_of_primary_content(
    world: World, space: str
) -> None:
    def move(editor: Editor) -> None:
        editor.move(editor.find("package"), editor.find("guides"))

    def rename(editor: Editor) -> None:
        editor.rename(editor.find("guides"), "Zebra", "zebra")

    request = world.change_request(space, {"other": "A quokka.\n", "new": "Another quokka.\n"})
    assert await search(world, space, "quokka") == []
    world.write(lambda tx: change_requests.merge_branch(tx, request, world.ana))
    assert sorted(await search(world, space, "quokka")) == ["new", "other"]
    world.commit(space, edit=move)
    assert "guides/package" in await search(world, space, "package")
    world.commit(space, edit=rename)
    assert await search(world, space, "guides") == []
    assert (await search(world, space, "zebra")) == ["zebra"]
    assert "zebra/package" in await search(world, space, "note")
    world.commit(space, {"zebra": None, "new": None})
    assert await search(world, space, "package") == []
    assert await search(world, space, "quokka") == ["other"]
    async with world.client() as client:
        await client.delete(f"/spaces/{space}")
        gone = await client.get(f"/orgs/{world.home}/search", params={"query": "quokka"})
        await client.post(f"/spaces/{space}/restore")
        back = await client.get(f"/orgs/{world.home}/search", params={"query": "quokka"})
        copy = (await client.post(f"/spaces/{space}/duplicate")).json()["id"]
    assert gone.json()["items"] == []
    assert [item["id"] for item in back.json()["items"]] == [space]
    assert await search(world, copy, "quokka") == ["other"]
    world.write(lambda tx: tx.run("DELETE FROM space WHERE id = ?", copy))
    assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM search")) == 1


def test_a_page_that_says_the_same_words_is_not_indexed_again(world: World, space: str) -> None:
    """An import may give thousands of pages a file, while others wait to write."""

    def change(**fields: Any) -> list[str]:
        with world.statements() as said:
            world.commit(
                space, edit=lambda editor: editor.draft.edit(editor.find("package"), **fields)
            )
        return [sql for sql in said if sql.startswith("INSERT INTO search ")]

    assert change(icon="bolt", git_path="package.md") == []
    assert len(change(title="Parcel")) == len(change(description="Sent.")) == 1
    tree = world.store.read(lambda tx: content.load(tx, tx.row("space", space)["revision_id"]))
    expected = world.store.read(lambda tx: search_index.entries_of(tx, tree))
    rows = world.store.read(
        lambda tx: tx.all("SELECT * FROM search_page WHERE space_id = ?", space)
    )
    assert expected == {
        row["page_id"]: (row["version"], row["path"], row["ancestors"]) for row in rows
    }


def test_the_migration_indexes_what_exists_as_writing_does(world: World, space: str) -> None:
    def fill(editor: Editor) -> None:
        group = editor.page("Group", type="group", slug="group")
        editor.page("Below", "Text\n", parent=group, description="About")
        editor.page("Away", type="link", href="https://example.org")

    def rearrange(editor: Editor) -> None:
        editor.move(editor.find("other"), editor.find("guides"), 0)
        editor.rename(editor.find("guides"), "Guide books", "books")
        editor.draft.edit(editor.find("group"), type="document")
        editor.draft.edit(editor.find("package"), type="group", text=None)
        editor.move(editor.find("group/below"), None, 0)

    world.commit(space, edit=fill)
    world.commit(space, {"guides/later": "Later.\n", "guides/install": "Anew.\n"})
    world.commit(space, edit=rearrange)
    world.commit(space, {"away": None})

    def index(tx: Tx) -> list[tuple[Any, ...]]:
        return [
            tuple(row)
            for row in tx.all(
                "SELECT space_id, page_id, version, path, ancestors, space, title, description, "
                "body FROM search_page JOIN search ON search.rowid = search_page.id ORDER BY 1, 2"
            )
        ]

    written = world.store.read(index)

    def again(tx: Tx) -> None:
        tx.run("DROP TABLE search_page")
        tx.run("DROP TABLE search")
        statement = ""
        for line in script("03_search").splitlines(keepends=True):
            statement += line
            if line.rstrip().endswith(";") and ("TRIGGER" not in statement or "END;" in line):
                tx.run(statement)
                statement = ""

    world.write(again)
    assert len(written) == 6
    assert world.store.read(index) == written


class Shown:
    """A site with two sections of two spaces each, of which the last is a draft."""

    def __init__(self, world: World) -> None:
        def space(title: str, said: str) -> str:
            return world.space(title, {"quokka": f"It {said}.\n", "start": "About a quokka.\n"})

        self.world, home = world, world.home
        self.spaces = [space(title, "hops") for title in ("One", "Two", "Three", "Four")]
        world.space("Elsewhere", {"quokka": "It hops.\n"})

        def build(tx: Tx) -> list[str]:
            site = site_writes.add_site(tx, home, "Docs")
            sections = [site_writes.add_section(tx, site, title) for title in ("Start", "Guides")]
            ids = [
                site_writes.add_site_space(tx, site, space, section=sections[number // 2])
                for number, space in enumerate(self.spaces)
            ]
            tx.update("site_space", ids[3], draft=1)
            return [site, *ids]

        self.site, *self.ids = world.write(build)

    async def post(self, user: str | None = None, **body: Any) -> httpx.Response:
        async with self.world.client(user) as client:
            path = f"/orgs/{self.world.home}/sites/{self.site}/search"
            return await client.post(path, json={"query": "quokka", **body})

    async def found(self, user: str | None = None, **body: Any) -> list[str]:
        answer = await self.post(user, **body)
        assert answer.status_code == 200, answer.text
        titles = [each["title"] for each in answer.json()["items"]]
        return sorted(titles)


async def test_a_site_is_searched_whole_by_some_spaces_or_by_the_default_ones(
    world: World,
) -> None:
    shown = Shown(world)
    one, two, _, four = shown.ids
    assert await shown.found(mode="all") == ["One", "Three", "Two"]
    assert await shown.found(scope={"mode": "all"}) == ["One", "Three", "Two"]
    assert await shown.found(siteSpaceIds=[two, four]) == ["Four", "Two"]
    assert await shown.found(mode="specific", siteSpaceIds=[two]) == ["Two"]
    assert await shown.found(scope={"mode": "specific", "siteSpaceIds": [one]}) == ["One"]
    assert await shown.found(mode="current", siteSpaceId=two) == ["Two"]

    async def by_default(**more: str) -> list[str]:
        return await shown.found(scope={"mode": "default", **more})

    assert await by_default() == ["One", "Three"]
    assert await by_default(currentSiteSpace=two) == ["Three", "Two"]
    assert await by_default(currentSiteSpace=two, restrictTo="currentSiteSpace") == ["Two"]
    assert await by_default(currentSiteSpace=two, restrictTo="otherSiteSpaces") == ["Three"]
    refused: list[dict[str, Any]] = [
        {},
        {"mode": "current"},
        {"mode": "all", "siteSpaceIds": [one]},
        {"mode": "all", "scope": {"mode": "all"}},
        {"siteSpaceIds": []},
        {"siteSpaceIds": ["nothing"]},
        {"scope": {"mode": "default", "currentSiteSpace": "nothing"}},
        {"scope": {"mode": "default", "restrictTo": "otherSiteSpaces"}},
        {"mode": "all", "query": "a" * 513},
    ]
    for wrong in refused:
        assert (await shown.post(**wrong)).status_code == 400, wrong


async def test_what_is_found_in_a_site_has_ranks_and_a_score_that_grows_as_it_fits(
    world: World,
) -> None:
    shown = Shown(world)
    (first, *_) = (await shown.post(mode="all")).json()["items"]
    title, text = first["pages"]
    assert [page["path"] for page in (title, text)] == ["quokka", "start"]
    assert [page["rank"] for page in (title, text)] == [1, 2]
    assert 2 > first["score"] == title["score"] > 1 > text["score"] > 0
    assert text["sections"][0]["body"] == "About a quokka."
    assert title["description"] == ""
    assert title["urls"]["app"].endswith(f"/s/{first['id']}/quokka")

    async with world.client() as client:
        path = f"/orgs/{world.home}/sites/{shown.site}/search"
        body = {"query": "quokka", "mode": "all"}
        titles: list[str] = []
        token = ""
        while not titles or token:
            asked = {"limit": "1"} | ({"page": token} if token else {})
            page = (await client.post(path, params=asked, json=body)).json()
            titles += [each["title"] for each in page["items"]]
            token = page.get("next", {}).get("page", "")
        assert sorted(titles) == ["One", "Three", "Two"]
        begun = (await client.post(path, params={"limit": "1"}, json=body)).json()["next"]["page"]
        other = {"query": "hops", "mode": "all"}
        assert (await client.post(path, params={"page": begun}, json=other)).status_code == 400
        assert (await client.post(path, json={"query": "", "mode": "all"})).json()["items"] == []


async def test_a_site_is_searched_in_the_spaces_that_who_asks_may_see(world: World) -> None:
    shown = Shown(world)
    lee = world.user("lee", "read")
    world.write(lambda tx: tx.update("space", shown.spaces[0], default_level=None))
    assert await shown.found(lee, mode="all") == ["Three", "Two"]
    assert (await shown.post(lee, siteSpaceIds=[shown.ids[0]])).status_code == 400
    stranger = world.user("stranger", member=False)
    assert (await shown.post(stranger, mode="all")).status_code == 404
