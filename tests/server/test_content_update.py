"""Writing the content of a change request over HTTP, and reading what came of it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.domain.document_parser import links_of
from copydesk.domain.documents import markdown_to_document
from copydesk.server import content_update
from copydesk.server.api_description import openapi
from copydesk.server.desk_writes import Editor
from copydesk.server.export_patch import changed_files
from copydesk.server.space_export import export_space
from tests.server.imported import read
from tests.server.sources.making import Making, applied, put, taken
from tests.world import World

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


class Desk:
    """A space with a change request, written and read by one client."""

    def __init__(self, world: World, client: httpx.AsyncClient) -> None:
        self.world, self.client = world, client
        pages = {"start": "# Start\n\nOne.\n\nTwo.\n\nThree.\n", "guide": "G.\n", "guide/set": "S."}
        self.space = world.space("Handbook", pages)
        self.key = world.change_request(self.space, {})
        self.at = f"/spaces/{self.space}/change-requests/1"

    def page(self, path: str, *, mine: bool = True) -> str:
        return self.world.page_id(self.space, path, change_request=self.key if mine else None)

    async def write(self, *changes: dict[str, Any], status: int = 200, **query: str) -> Any:
        body = {"changes": list(changes)}
        answer = await self.client.post(f"{self.at}/content", json=body, params=query)
        assert answer.status_code == status, answer.text
        read = answer.json()
        return read if status == 200 else read["error"]["message"]

    async def tree(self) -> list[str]:
        pages = (await self.client.get(f"{self.at}/content/pages")).json()["pages"]
        found = []
        while pages:
            page = pages.pop(0)
            found.append(page["path"])
            pages = page.get("pages", []) + pages
        return found

    async def read(self, path: str, **query: str) -> dict[str, Any]:
        asked = {"format": "markdown"} | query
        answer = await self.client.get(f"{self.at}/content/path/{path}", params=asked)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@pytest.fixture
async def desk(world: World) -> Any:
    async with world.client() as client:
        yield Desk(world, client)


async def test_a_text_that_names_nothing_by_an_id_is_not_parsed_while_others_wait(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def parse(text: str) -> tuple[str, ...]:
        parsed.append(text)
        return links_of(text)

    monkeypatch.setattr(content_update, "links_of", parse)

    def page(text: str, **more: str) -> dict[str, Any]:
        return {"operation": "insert_page", "document": {"markdown": text}, **more}

    plain, named = page("[a](guide.md) and ![](x.png)"), page("[a](./other)")
    await desk.write(plain, named)
    assert parsed == []
    await desk.write(plain, named, page("Text", ref="other"))
    assert parsed == ["[a](./other)", ""]


async def test_everything_is_written_in_one_request(desk: Desk) -> None:
    start, guide, below = desk.page("start"), desk.page("guide"), desk.page("guide/set")
    front = "---\ndescription: Of front matter\nhidden: true\n---\n# News\n\n[Go](./second#top)\n"
    answer = await desk.write(
        {"operation": "insert_page", "document": {"markdown": front}, "at": 0, "ref": "first"},
        {
            "operation": "insert_page",
            "title": "Second",
            "slug": "two",
            "description": "Said",
            "document": {"markdown": "See [news](first.md), [it](./note).\n"},
            "into": guide,
            "ref": "second",
        },
        {"operation": "update_page", "page": start, "document": {"markdown": "# Begin\n\nOne.\n"}},
        {"operation": "update_page", "page": below, "into": None, "at": 0, "emoji": "1f44b"},
        {"operation": "delete_page", "page": start},
        {
            "operation": "insert_files",
            "files": [
                {"base64": base64.b64encode(PNG).decode()},
                {"base64": "eA=="},
                {"name": "a b.txt", "contentType": "text/plain", "base64": "eA==", "ref": "note"},
                {"name": "a b.txt", "base64": "eQ=="},
            ],
        },
        compat="false",
    )
    kinds = [each["object"] for each in answer["changes"]]
    assert kinds == [*["created_page"] * 2, *["updated_page"] * 2, "deleted_page"]
    assert [each.get("ref") for each in answer["changes"]] == ["first", "second", None, None, None]
    assert answer["changes"][4]["page"] == start
    assert [file["contentType"] for file in answer["insertedFiles"]] == [
        *("image/png", "application/octet-stream", "text/plain", "application/octet-stream")
    ]
    names = [file["name"] for file in answer["insertedFiles"]]
    # Another file of a name that is there gets one of its own.
    assert (names[2], names[3].endswith("-a-b.txt")) == ("a-b.txt", True)
    assert await desk.tree() == ["set", "news", "guide", "guide/two"]
    news = await desk.read("news")
    second = answer["changes"][1]["page"]
    assert second["urls"]["location"].endswith(f"{desk.key}/content/page/{second['id']}")
    assert (news["title"], news["description"], news["hidden"]) == ("News", "Of front matter", True)
    assert "[Go](guide/two.md#top)" in news["markdown"]
    two = await desk.read("guide%2Ftwo")
    assert two["description"] == "Said"
    assert two["markdown"] == "See [news](../news.md), [it](../.gitbook/assets/a-b.txt).\n"
    links = await desk.client.get(f"{desk.at}/content/page/{news['id']}/links")
    assert {link["status"] for link in links.json()["items"]} == {"ok"}


async def test_what_is_wrong_is_named_and_nothing_is_written(desk: Desk) -> None:
    start, guide, below = desk.page("start"), desk.page("guide"), desk.page("guide/set")
    text = {"markdown": "T.\n"}
    good = {"operation": "update_page", "page": start, "title": "Changed"}
    before = await desk.tree()
    for change, said in (
        ({"operation": "delete_page", "page": "none"}, "has no page 'none'"),
        (
            {"operation": "insert_page", "document": text, "into": "none"},
            "into: the change request",
        ),
        ({"operation": "insert_page", "document": text, "slug": "guide"}, "has the slug 'guide'"),
        ({"operation": "insert_page", "document": text, "slug": "a/b"}, "is not a part of a path"),
        ({"operation": "update_page", "page": guide, "into": below}, "below itself"),
        ({"operation": "update_page", "page": below, "slug": "start", "into": None}, "the slug"),
        ({"operation": "revert_page", "page": start, "revision": "none"}, "no revision 'none'"),
        ({"operation": "revert_page", "page": start, "block": ["b77"]}, "no block 'b77'"),
        ({"operation": "insert_files", "files": [{"base64": "?"}]}, "this is not base64"),
        (
            {"operation": "insert_files", "files": [{"base64": "eA==", "contentType": "é/x"}]},
            "contentType",
        ),
        ({"operation": "insert_files", "files": [{"url": "http://x.example/a"}]}, "as base64"),
        (
            {
                "operation": "update_page",
                "page": start,
                "document": {"markdown": "---\na: [\n---\n"},
            },
            "front matter",
        ),
    ):
        message = await desk.write(good, change, status=400)
        assert message.startswith("body.changes.1."), message
        assert said in message
    twice = {"operation": "insert_page", "document": text, "ref": "r"}
    assert "names something else" in await desk.write(twice, twice, status=400)
    assert await desk.tree() == before
    assert (await desk.read("start"))["title"] == "Start"


async def test_a_page_is_reverted_whole_or_by_its_blocks(desk: Desk) -> None:
    start, below = desk.page("start"), desk.page("guide/set")
    text = "# Start\n\nOne!\n\nTwo!\n\nThree.\n\nFour.\n"
    await desk.write(
        {"operation": "update_page", "page": start, "document": {"markdown": text}},
        {"operation": "delete_page", "page": below},
    )
    await desk.write({"operation": "revert_page", "page": start, "block": ["b1", "b4"]})
    mine = (await desk.read("start"))["markdown"]
    assert mine == "# Start\n\nOne.\n\nTwo!\n\nThree.\n"
    await desk.write(
        {"operation": "revert_page", "page": start}, {"operation": "revert_page", "page": below}
    )
    assert (await desk.client.get(f"{desk.at}/changes")).json()["changes"] == []


@pytest.mark.long
async def test_a_block_of_a_long_page_of_equal_ones_is_reverted(desk: Desk) -> None:
    start = desk.page("start")
    # Compared pair by pair these take minutes, in which nobody else can write.
    was, now = ("a\n\nb\n\n" * 2_000 + "Was.", "b\n\na\n\na\n\n" * 2_000 + "Mine.")
    for text in (was, now):
        document = {"markdown": text}
        await desk.write({"operation": "update_page", "page": start, "document": document})
        if text == was:
            revision = (await desk.client.get(desk.at)).json()["revision"]
    await desk.write(
        {"operation": "revert_page", "page": start, "revision": revision, "block": ["b6000"]}
    )
    assert (await desk.read("start"))["markdown"].endswith("Was.")


async def test_what_changes_nothing_makes_no_revision(desk: Desk) -> None:
    start = desk.page("start")
    before = await desk.client.get(desk.at)
    again = {"operation": "update_page", "page": start, "title": "Start"}
    assert await desk.write(again) == before.json()
    text = {"markdown": "# Other\n\nOne.\n"}
    # The heading is new, so it is the title; a text with the same heading leaves it.
    await desk.write({"operation": "update_page", "page": start, "document": text})
    await desk.write({"operation": "update_page", "page": start, "title": "Mine"})
    await desk.write({"operation": "update_page", "page": start, "document": text})
    assert (await desk.read("start"))["title"] == "Mine"


async def test_a_heading_renames_no_page_that_has_another_title(desk: Desk) -> None:
    start = desk.page("start")
    for title, heading, then in (("Start", "One", "One"), ("Mine", "Two", "Mine")):
        change = {"operation": "update_page", "page": start, "title": title}
        await desk.write(change)
        change = {"operation": "update_page", "page": start}
        await desk.write(change | {"document": {"markdown": f"# {heading}\n\nText.\n"}})
        assert (await desk.read("start"))["title"] == then


async def test_only_an_open_request_of_who_may_edit_is_written(world: World, desk: Desk) -> None:
    change = {"operation": "update_page", "page": desk.page("start"), "title": "X"}
    reader = world.user("rea", "read")
    async with world.client(reader) as client:
        answer = await client.post(f"{desk.at}/content", json={"changes": [change]})
    assert answer.status_code == 403
    await desk.client.patch(desk.at, json={"status": "archived"})
    assert "archived" in await desk.write(change, status=412)


async def test_a_revision_says_what_it_changed_and_who_made_it(world: World, desk: Desk) -> None:
    lee = world.user("lee")
    old = world.row("space", desk.space)["revision_id"]

    def include(editor: Editor) -> None:
        editor.file(".gitbook/includes/note.md", b"---\ntitle: Note\n---\nNoted.\n", kind="source")
        editor.file(".gitbook/vars.yaml", b"v: 1\n", kind="source")

    world.edit_change_request(desk.key, edit=include, by=lee)
    await desk.write({"operation": "update_page", "page": desk.page("start"), "title": "New"})
    await desk.client.post(f"{desk.at}/comments", json={"body": {"markdown": "Hm."}})
    people = (await desk.client.get(f"{desk.at}/contributors")).json()["items"]
    assert [(each["user"]["id"], each["actionType"], each["count"]) for each in people] == [
        (world.ana, "comment", 1),
        (world.ana, "edit", 2),
        (lee, "edit", 1),
    ]
    merged = (await desk.client.post(f"{desk.at}/merge")).json()["revision"]
    at = f"/spaces/{desk.space}/revisions/{merged}"
    whole = (await desk.client.get(at)).json()
    assert whole["createdBy"]["id"] == world.ana
    assert (whole["mergedFrom"]["number"], whole["mergedFrom"]["mergedBy"]["id"]) == (1, world.ana)
    changes = (await desk.client.get(f"{at}/changes")).json()
    assert changes["mergedFrom"] == whole["mergedFrom"]
    kinds = [each["type"] for each in changes["changes"]]
    assert kinds == ["page_edited", "reusable_content_created", "variables_edited"]
    few = (await desk.client.get(f"{at}/changes", params={"limit": 1})).json()
    assert (len(few["changes"]), few["more"]) == (1, 2)
    first = (await desk.client.get(f"/spaces/{desk.space}/revisions/{old}/changes")).json()
    assert {each["type"] for each in first["changes"]} == {"page_created"}
    (note,) = whole["reusableContents"]
    for place in (at, f"/spaces/{desk.space}/content", f"{desk.at}/content"):
        read = (await desk.client.get(f"{place}/reusable-contents/{note['id']}")).json()
        assert read == note | {"markdown": "Noted.\n"}
    pages = (await desk.client.get(f"{at}/pages")).json()["pages"]
    assert pages == whole["pages"]


async def test_an_address_shows_what_is_there(world: World, desk: Desk) -> None:
    shelf = world.collection("Shelf")
    home = f"http://desk/app/o/{world.home}"
    secret = world.space("Secret", {"intro": "Hi.\n"}, default_level=None)
    at = f"{home}/s/{desk.space}"

    async def look(url: str) -> httpx.Response:
        return await desk.client.get("/urls/content", params={"url": url})

    assert (await look(f"{home}/c/{shelf}")).json()["collection"]["id"] == shelf
    assert (await look(at)).json().keys() == {"space"}
    shown = (await look(f"{at}/~/changes/1/guide/set")).json()
    assert (shown["changeRequest"]["number"], shown["page"]["path"]) == (1, "guide/set")
    for wrong in ("x", home, f"{at}/none", f"{at}/~/changes/9", at.replace("desk", "else.example")):
        assert (await look(wrong)).status_code == 404, wrong
    assert "404" in openapi()["paths"]["/v1/urls/content"]["get"]["responses"]
    async with world.client(world.user("bo")) as other:
        answer = await other.get("/urls/content", params={"url": f"{home}/s/{secret}"})
    assert answer.status_code == 404


async def test_links_by_ids_hold_and_a_space_is_printed(world: World, desk: Desk) -> None:
    set_ = desk.page("guide/set")
    world.commit(desk.space, {"guide": "[S](guide/set.md#a), <a href='start'>A</a>, [no](none)\n"})
    path = f"/spaces/{desk.space}/content/path/guide"
    asked = {"format": "markdown", "format.markdown.refs": "stable"}
    text = (await desk.client.get(path, params=asked)).json()["markdown"]
    start = desk.page("start")
    assert text == f"[S](/pages/{set_}#a), <a href='/pages/{start}'>A</a>, [no](none)\n"
    plain = (await desk.client.get(path, params={"format": "markdown"})).json()["markdown"]
    assert plain.startswith("[S](guide/set.md#a)")
    url = (await desk.client.get(f"/spaces/{desk.space}/pdf")).json()["url"]
    pdf = await desk.client.get(url)
    assert (pdf.status_code, pdf.content[:5]) == (200, b"%PDF-")


IMPORTED = {
    "docs/SUMMARY.md": b"# Table of contents\n\n* [Home](README.md)\n* [A](deep/a_b.md)\n",
    "docs/README.md": b"# Home\n\nSee [A](deep/a_b).\n",
    "docs/deep/a_b.md": b"# A\n",
    "docs/images/one (1).png": PNG,
}


class Imported:
    """A space of a repository whose pages are in a folder, with a change request."""

    def __init__(self, world: World, folder: Path, client: httpx.AsyncClient) -> None:
        self.world, self.folder, self.client = world, folder, client
        repository = Making(folder / "manual.git")
        repository.commit(IMPORTED | {".gitbook.yaml": b"root: ./docs/\n"}, "Begin")
        self.space = read(world, repository.path).spaces[0].space_id
        repository.close()
        self.key = world.change_request(self.space, {})
        self.at = f"/spaces/{self.space}/change-requests/1"

    async def write(self, *changes: dict[str, Any]) -> list[str]:
        answer = await self.client.post(
            f"{self.at}/content", json={"changes": list(changes)}, params={"compat": "false"}
        )
        assert answer.status_code == 200, answer.text
        return [each["page"]["id"] for each in answer.json()["changes"]]

    async def pages(self) -> dict[str, str]:
        pages = (await self.client.get(f"{self.at}/content/pages")).json()["pages"]
        return {page["title"]: page["id"] for page in pages}

    async def text(self, page: str, *, refs: str | None = None) -> str:
        asked = {"format": "markdown"}
        place = f"{self.at}/content/page/{page}"
        if refs is not None:
            asked["format.markdown.refs"] = refs
            revision = (await self.client.get(self.at)).json()["revision"]
            place = f"/spaces/{self.space}/revisions/{revision}/page/{page}"
        answer = await self.client.get(place, params=asked)
        found: str = answer.json()["markdown"]
        return found

    async def leads(self, page: str) -> list[tuple[str, str]]:
        links = (await self.client.get(f"{self.at}/content/page/{page}/links")).json()["items"]
        return [(link["status"], link["targetReference"]["kind"]) for link in links]

    async def merged(self) -> dict[str, bytes]:
        """Merge, and return what is exported, which the patch gives as well."""
        export_space(self.world.store, self.space, self.folder / "before")
        patch = b"".join(each.patch for each in changed_files(self.world.store, self.key))
        await self.client.patch(self.at, json={"status": "open"})
        answer = await self.client.post(f"{self.at}/merge")
        assert answer.status_code == 200, answer.text
        export_space(self.world.store, self.space, self.folder / "after")
        exported = taken(self.folder / "after")
        assert applied(self.folder / "there", taken(self.folder / "before"), patch) == exported
        return exported


@pytest.fixture
async def imported(world: World, tmp_path: Path) -> Any:
    async with world.client() as client:
        yield Imported(world, tmp_path, client)


async def test_links_by_ids_and_refs_are_kept_and_exported_as_paths(imported: Imported) -> None:
    known = await imported.pages()
    home, deep = known["Home"], known["A"]
    files = (await imported.client.get(f"{imported.at}/content/files")).json()["items"]
    picture = files[0]["id"]
    text = (
        f"# Neu\n\n[self](neu) and [p](/pages/{home}), [a](/pages/{deep}#b), [no](/pages/none)\n\n"
        f"![i](/files/{picture}) [kid](kïd) <a href='/pages/{home}'>h</a> `/pages/{home}`\n\n"
        f'{{% file src="/files/{picture}" %}}\n'
    )
    kid = {"markdown": "# Kid\n\n[neu](./neu) [d]\n\n[d]: /pages/" + deep + "\n"}
    document = markdown_to_document("[x](y)", None).to_dict()
    document["nodes"][0]["nodes"][0]["data"]["ref"] = {"kind": "page", "page": home}
    neu, kid_page, edited, _ = await imported.write(
        {"operation": "insert_page", "document": {"markdown": text}, "ref": "neu"},
        {"operation": "insert_page", "document": kid, "ref": "kïd", "into": deep},
        {
            "operation": "update_page",
            "page": deep,
            "document": {"markdown": f"# A\n\n[n](neu) [h](/pages/{home}) ![](/files/{picture})\n"},
        },
        {
            "operation": "insert_page",
            "title": "Blocks",
            "document": {"document": document},
        },
    )
    assert edited == deep
    assert (await imported.leads(neu)).count(("broken", "url")) == 1
    assert {status for status, _ in await imported.leads(kid_page)} == {"ok"}
    stable = await imported.text(kid_page, refs="stable")
    assert stable == f"# Kid\n\n[neu](/pages/{neu}) [d]\n\n[d]: /pages/{deep}\n"
    exported = await imported.merged()
    assert exported["docs/neu.md"].decode() == (
        "# Neu\n\n[self](neu.md) and [p](README.md), [a](deep/a_b.md#b), [no](/pages/none)\n\n"
        "![i](images/one%20%281%29.png) [kid](deep/a_b/kid.md) <a href='README.md'>h</a> "
        f"`/pages/{home}`\n\n"
        '{% file src="images/one%20%281%29.png" %}\n'
    )
    assert exported["docs/deep/a_b/kid.md"] == (
        b"# Kid\n\n[neu](../../neu.md) [d]\n\n[d]: ../a_b.md\n"
    )
    assert exported["docs/deep/a_b.md"] == (
        b"# A\n\n[n](../neu.md) [h](../README.md) ![](../images/one%20%281%29.png)\n"
    )
    assert exported["docs/blocks.md"].strip() == b"[x](README.md)"


async def test_what_is_read_with_stable_links_and_written_again_is_no_change(
    imported: Imported,
) -> None:
    home = (await imported.pages())["Home"]
    text = await imported.text(home, refs="stable")
    assert "(/pages/" in text
    before = (await imported.client.get(imported.at)).json()
    await imported.write({"operation": "update_page", "page": home, "document": {"markdown": text}})
    assert (await imported.client.get(imported.at)).json() == before
    assert await imported.text(home) == IMPORTED["docs/README.md"].decode()


async def test_links_follow_a_new_page_whose_file_changes(imported: Imported) -> None:
    known = await imported.pages()
    home, deep = known["Home"], known["A"]
    text = f"# Neu\n\n[p](/pages/{home}) [t](/docs/README.md)\n"
    neu, _ = await imported.write(
        {"operation": "insert_page", "document": {"markdown": text}, "ref": "neu"},
        {"operation": "update_page", "page": deep, "document": {"markdown": "# A\n\n[n](neu)\n"}},
    )
    assert await imported.text(deep) == "# A\n\n[n](../neu.md)\n"
    # A page with others below it is the README of their folder.
    await imported.write(
        {"operation": "insert_page", "title": "Kid", "document": {"markdown": ""}, "into": neu}
    )
    assert await imported.text(deep) == "# A\n\n[n](../neu/README.md)\n"
    assert await imported.text(neu) == "# Neu\n\n[p](../README.md) [t](/docs/README.md)\n"
    await imported.write({"operation": "update_page", "page": neu, "slug": "old"})
    exported = await imported.merged()
    assert exported["docs/deep/a_b.md"] == b"# A\n\n[n](../old/README.md)\n"
    assert exported["docs/old/README.md"] == b"# Neu\n\n[p](../README.md) [t](/docs/README.md)\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {".gitbook.yaml": b"root: ./docs\n", "docs/SUMMARY.md": b"* [A](a.md)\n"},
            ".gitbook/assets",
        ),
        ({"mkdocs.yml": b"site_name: Docs\n"}, "assets"),
    ],
)
async def test_a_new_file_is_put_into_the_folder_of_its_space(
    world: World, tmp_path: Path, files: dict[str, bytes], expected: str
) -> None:
    put(tmp_path / "repo", {**files, "docs/a.md": b"# A\n"})
    space = read(world, tmp_path / "repo").spaces[0].space_id
    key = world.change_request(space, {})
    page = world.page_id(space, "a", change_request=key)
    given = {"name": "a.png", "base64": base64.b64encode(PNG).decode(), "ref": "pic"}
    changes = [
        {"operation": "insert_files", "files": [given]},
        {"operation": "update_page", "page": page, "document": {"markdown": "![](pic)\n"}},
    ]
    async with world.client() as client:
        at = f"/spaces/{space}/change-requests/1"
        answer = await client.post(f"{at}/content", json={"changes": changes})
        assert answer.status_code == 200, answer.text
    new = {file.path: file.patch for file in changed_files(world.store, key)}
    assert new.keys() == {"docs/a.md", f"docs/{expected}/a.png"}
    assert f"![]({expected}/a.png)".encode() in new["docs/a.md"]
