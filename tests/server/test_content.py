"""Content of spaces and change requests, over HTTP."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from copydesk.domain.picture import image_size
from copydesk.server import content
from copydesk.server.desk_writes import Editor
from tests.world import World

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02"


def fill(editor: Editor) -> None:
    editor.page("Intro", "# Intro\n\nHello.\n", description="Where to start", emoji="1f44b")
    group = editor.page("Guides", type="group")
    editor.page(
        "Install",
        "Do.\n",
        parent=group,
        slug="set-up",
        hidden=True,
        layout={"width": "wide", "outline": False},
        git_path="guides/install.md",
        git_oid="abc",
    )
    editor.page("Elsewhere", type="link", href="https://example.org/docs")
    editor.file("images/one.png", PNG, git_oid="def")
    editor.file("notes.txt", b"Notes")
    editor.file("SUMMARY.md", b"* [Intro](intro.md)", kind="summary")


@pytest.fixture
def space(world: World) -> str:
    space = world.space("Handbook")
    world.commit(space, edit=fill)
    return space


async def read(world: World, path: str, **query: str) -> dict[str, Any]:
    async with world.client() as client:
        answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_the_tree_has_every_page_in_its_place(world: World, space: str) -> None:
    pages = (await read(world, f"/spaces/{space}/content/pages"))["pages"]
    intro, guides, elsewhere = pages
    assert [page["type"] for page in pages] == ["document", "group", "link"]
    install = guides["pages"][0]
    for page in (*pages, install):
        assert page.pop("createdAt") <= page.pop("updatedAt")
        urls = page.pop("urls")
        assert urls["location"].endswith(f"/content/page/{page['id']}")
        assert urls["app"] == f"http://desk/app/o/{world.home}/s/{space}/{page['path']}"
    layout = intro.pop("layout")
    assert install["layout"] == layout | {"width": "wide", "outline": False}
    assert [layout.pop(name) for name in ("width", "coverSize", "coverMask")] == [
        *("default", "full", "none")
    ]
    assert (len(layout), set(layout.values())) == (10, {True})
    assert intro == {
        "id": world.page_id(space, "intro"),
        "title": "Intro",
        "emoji": "1f44b",
        "type": "document",
        "kind": "sheet",
        "tags": [],
        "slug": "intro",
        "path": "intro",
        "description": "Where to start",
        "pages": [],
        "hidden": False,
        "noIndex": False,
        "noRobotsIndex": False,
    }
    assert elsewhere["target"] == {"kind": "url", "url": "https://example.org/docs"}
    assert install["path"] == "guides/set-up"
    assert install["hidden"]
    assert install["git"] == {"oid": "abc", "path": "guides/install.md"}


async def test_a_revision_has_pages_and_files(world: World, space: str) -> None:
    found = await read(world, f"/spaces/{space}/content")
    tree = await read(world, f"/spaces/{space}/content/pages")
    files = await read(world, f"/spaces/{space}/content/files")
    assert found["object"] == "revision"
    assert found["id"] == world.row("space", space)["revision_id"]
    assert len(found["parents"]) == 1
    assert found["pages"] == tree["pages"]
    assert found["files"] == files["items"]
    assert found["reusableContents"] == []
    assert found["variables"] == {}
    assert found["type"] == "edits"
    assert found["urls"] == {
        "location": f"http://desk/v1/spaces/{space}/content",
        "app": f"http://desk/app/o/{world.home}/s/{space}",
    }


async def test_without_metadata_nothing_is_said_of_git(world: World, space: str) -> None:
    for path in ("content", "content/pages"):
        found = await read(world, f"/spaces/{space}/{path}", metadata="false", computed="false")
        assert "git" not in found
        assert "git" not in found["pages"][1]["pages"][0]
    files = await read(world, f"/spaces/{space}/content/files", metadata="false")
    assert all("git" not in file for file in files["items"])


async def test_a_page_has_its_text_in_the_format_asked_for(world: World, space: str) -> None:
    path = f"/spaces/{space}/content/page/{world.page_id(space, 'intro')}"
    markdown = await read(world, path, format="markdown")
    document = await read(world, path, format="document")
    unsaid = await read(world, path)
    assert markdown["markdown"] == "# Intro\n\nHello.\n"
    assert "document" not in markdown
    assert "markdown" not in document
    assert [node["type"] for node in document["document"]["nodes"]] == ["heading-1", "paragraph"]
    assert document["document"]["data"] == {"schemaVersion": 1}
    assert unsaid == document
    async with world.client() as client:
        assert (await client.get(path, params={"format": "html"})).status_code == 400


async def test_a_group_has_its_pages_and_no_text(world: World, space: str) -> None:
    path = f"/spaces/{space}/content/page/{world.page_id(space, 'guides')}"
    found = await read(world, path, format="markdown")
    assert "markdown" not in found
    assert [page["path"] for page in found["pages"]] == ["guides/set-up"]


async def test_a_file_is_fetched_where_it_says(world: World, space: str) -> None:
    (image, *_) = (await read(world, f"/spaces/{space}/content/files"))["items"]
    where = image["downloadURL"]
    assert where.startswith(f"http://desk/files/{space}/")
    other = world.space("Other")
    async with world.client() as client, world.client(token="") as nobody:
        got = await client.get(where)
        assert (got.status_code, len(got.content)) == (200, image["size"])
        assert got.headers["content-type"].startswith(image["contentType"])
        assert got.headers["content-disposition"].startswith("attachment")
        assert got.headers["x-content-type-options"] == "nosniff"
        # It stays what it was, whatever becomes of the page tree.
        world.commit(space, edit=lambda editor: editor.draft.files.clear())
        assert (await client.get(where)).content == got.content
        assert (await nobody.get(where)).status_code == 401
        for wrong in (where.replace(space, other), where + "x", where.replace(image["id"], "no")):
            assert (await client.get(wrong)).status_code == 404
    async with world.client(world.user("zoe", member=False)) as stranger:
        assert (await stranger.get(where)).status_code == 404


async def test_files_page_and_show_every_field(world: World, space: str) -> None:
    first = await read(world, f"/spaces/{space}/content/files", limit="1")
    rest = await read(world, f"/spaces/{space}/content/files", page=first["next"]["page"])
    image, notes = first["items"][0], rest["items"][0]
    assert (first["count"], len(rest["items"]), "next" in rest) == (2, 1, False)
    assert image == {
        "id": image["id"],
        "name": "one.png",
        "contentType": "image/png",
        "downloadURL": image["downloadURL"],
        "size": len(PNG),
        "dimensions": {"width": 640, "height": 480},
        "git": {"oid": "def", "path": "images/one.png"},
    }
    assert (notes["name"], notes["size"]) == ("notes.txt", 5)
    assert await read(world, f"/spaces/{space}/content/files/{image['id']}") == image


async def test_a_change_request_has_content_of_its_own(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": "Changed.\n", "news": "New.\n"})
    page = world.page_id(space, "intro")
    number = world.row("change_request", key)["number"]
    base = f"/spaces/{space}/change-requests/{number}/content"
    tree = await read(world, f"{base}/pages")
    revision = await read(world, base)
    changed = await read(world, f"{base}/page/{page}", format="markdown")
    primary = await read(world, f"/spaces/{space}/content/page/{page}", format="markdown")
    files = await read(world, f"{base}/files")
    file = files["items"][0]
    assert [item["path"] for item in tree["pages"]][-1] == "news"
    assert revision["id"] == world.row("change_request", key)["revision_id"]
    assert revision["urls"]["location"].endswith(f"/change-requests/{key}/content")
    assert changed["markdown"] == "Changed.\n"
    assert primary["markdown"] == "# Intro\n\nHello.\n"
    assert changed["updatedAt"] > primary["updatedAt"]
    assert changed["createdAt"] == primary["createdAt"]
    assert await read(world, f"{base}/files/{file['id']}") == file


async def test_what_is_not_there_is_not_found(world: World, space: str) -> None:
    base = f"/spaces/{space}"
    async with world.client() as client:
        answers = [
            await client.get("/spaces/none/content"),
            await client.get(f"{base}/content/page/none"),
            await client.get(f"{base}/content/files/none"),
            await client.get(f"{base}/change-requests/9/content"),
            await client.get(f"{base}/change-requests/9/content/pages"),
            await client.get(f"{base}/change-requests/9/content/files"),
            await client.get(f"{base}/change-requests/9/content/page/none"),
        ]
    assert [answer.status_code for answer in answers] == [404] * 7


async def test_content_is_read_by_who_may_view_the_space(world: World) -> None:
    space = world.space("Secret", {"intro": "Hi.\n"}, default_level=None)
    bo = world.user("bo")
    async with world.client(bo) as client:
        assert (await client.get(f"/spaces/{space}/content/pages")).status_code == 404
        world.grant(space, bo, "read")
        assert (await client.get(f"/spaces/{space}/content/pages")).status_code == 200


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (PNG, (640, 480)),
        (PNG[:18], None),
        (b"GIF89a" + struct.pack("<HH", 32, 16), (32, 16)),
        (b"GIF89a", None),
        (
            b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc4\x00\x02\xff\xc2\x00\x11\x08"
            + struct.pack(">HH", 20, 30),
            (30, 20),
        ),
        (b"\xff\xd8\x00\x00\x00\x00", None),
        (b"\xff\xd8\xff\xe0\x00\x04ab", None),
        (b"<svg/>", None),
        (b"", None),
    ],
)
def test_the_size_of_an_image_is_in_its_head(head: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(head) == size


async def test_what_is_included_is_found_and_named_in_no_time(world: World) -> None:
    def fill(editor: Editor) -> None:
        wide = f"---\ntitle: wide{' ' * 40_000}one\n---\nHere.\n"
        editor.file("docs/.gitbook/includes/wide.md", wide.encode(), kind="source")
        for number in range(200):
            editor.file(f".gitbook/includes/{number}.md", b"---\ntitle:\n---\n", kind="source")
        # The page was moved away from the file that it includes.
        lines = '{% include "../../.gitbook/includes/wide.md" %}\n' * 3
        gone = '{% include "../.gitbook/includes/gone.md" %}\n' * 3000
        editor.page("Guide", lines + gone, git_path="else/guide.md")

    space = world.space("Parts", {})
    world.commit(space, edit=fill)
    page = world.page_id(space, "guide")
    parts = (await read(world, f"/spaces/{space}/content"))["reusableContents"]
    whole = await read(
        world, f"/spaces/{space}/content/page/{page}", dereferenced="true", format="markdown"
    )
    assert {part["title"] for part in parts if part["title"][0] != "w"} == set(map(str, range(200)))
    assert whole["markdown"].count("Here.") == 3


async def test_what_a_text_refers_to_is_put_in_when_asked_for(world: World) -> None:
    text = (
        'Before.\n\n{% include "../.gitbook/includes/note.md" %}\n\n'
        '{% include "../.gitbook/includes/gone.md" %}\n\n'
        '<code class="expression">space.vars.version</code>, '
        '<code class="expression">page.vars.own</code>, '
        '<code class="expression">space.vars.unknown</code>\n'
    )

    def fill(editor: Editor) -> None:
        editor.page("Guide", text, git_path="docs/guide.md", variables={"own": "mine"})
        note = (
            '---\ntitle: "A note"\n---\n\n'
            'Noted: <code class="expression">space.vars.version</code>\n\n'
            '{% include "note.md" %}\n'
        )
        editor.file(".gitbook/includes/note.md", note.encode(), kind="source", git_oid="n")
        editor.file(".gitbook/vars.yaml", b"version: 2\nlist: [1]\n", kind="source")

    space = world.space("Parts")
    world.commit(space, edit=fill)
    world.change_request(space, {})
    revision = await read(world, f"/spaces/{space}/content")
    assert revision["variables"] == {"version": "2"}
    (part,) = revision["reusableContents"]
    assert part.pop("id")
    assert len(part.pop("document")) == 64
    assert part == {"title": "A note", "git": {"oid": "n", "path": ".gitbook/includes/note.md"}}
    bare = await read(world, f"/spaces/{space}/content", metadata="false")
    assert "git" not in bare["reusableContents"][0]
    page = world.page_id(space, "guide")
    for base in (f"/spaces/{space}", f"/spaces/{space}/change-requests/1"):
        url = f"{base}/content/page/{page}"
        plain = await read(world, url, format="markdown")
        put = await read(world, url, format="markdown", dereferenced="reusable-contents")
        valued = await read(world, url, format="markdown", evaluated="deterministic-only")
        both = await read(world, url, format="markdown", evaluated="true", dereferenced="true")
        assert plain["markdown"] == text
        assert put["markdown"].count("Noted:") == 5, "what includes itself ends"
        assert 'include "../.gitbook/includes/gone.md"' in put["markdown"]
        assert "title:" not in put["markdown"]
        assert "2, mine, <code" in valued["markdown"]
        assert "space.vars.unknown" in valued["markdown"]
        assert "Noted: 2" in both["markdown"]


def variables(data: bytes) -> Callable[[Editor], None]:
    def edit(editor: Editor) -> None:
        editor.file(".gitbook/vars.yaml", data, kind="source")

    return edit


async def test_a_file_of_variables_that_says_none_is_no_failure(world: World) -> None:
    for number, data in enumerate((b"- 1", b"\xff", b"a: [", b"", b"&a [*a]")):
        space = world.space(f"Odd {number}", {"page": "Hi\n"})
        world.commit(space, edit=variables(data))
        assert (await read(world, f"/spaces/{space}/content"))["variables"] == {}


async def test_an_older_revision_is_read_as_it_was(world: World, space: str) -> None:
    old = world.row("space", space)["revision_id"]
    before = await read(world, f"/spaces/{space}/content", metadata="true")
    page = before["pages"][0]["id"]
    world.commit(space, {"intro": "# Intro\n\nHello again.\n", "later": "# Later\n"})
    read_again = await read(world, f"/spaces/{space}/revisions/{old}")
    assert read_again["id"] == old
    assert [each["id"] for each in read_again["pages"]] == [each["id"] for each in before["pages"]]
    assert [each["id"] for each in read_again["files"]] == [each["id"] for each in before["files"]]
    path = f"/spaces/{space}/revisions/{old}/page/{page}"
    assert (await read(world, path, format="markdown"))["markdown"] == "# Intro\n\nHello.\n"
    other, stranger = world.space("Other"), world.user("eve", member=False)
    async with world.client() as client:
        for wrong in (f"/spaces/{other}/revisions/{old}", f"/spaces/{space}/revisions/none"):
            assert (await client.get(wrong)).status_code == 404
        assert (await client.get(path + "x")).status_code == 404
    async with world.client(stranger) as client:
        assert (await client.get(path)).status_code == 404


def test_few_large_trees_are_kept_in_mind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    space = world.space("Handbook")
    made = [world.commit(space, {f"page-{number}": "Text"}) for number in range(6)]

    def read(revision: str) -> content.Content:
        return world.store.read(lambda tx: content.load(tx, revision))

    def first_again() -> bool:
        first, *_ = [read(revision) for revision in made]
        return first is read(made[0])

    assert first_again()
    monkeypatch.setattr(content, "SMALL_TREE", 10)
    assert not first_again()
