"""PDFs of change requests, over HTTP, read back by another library."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader

from copydesk.domain.picture import image_size
from copydesk.server import pdf_address
from copydesk.server.desk_writes import Editor
from copydesk.server.pdf import PrintedPage, is_western, machine_faces, make_pdf, western
from tests.domain.written import EVERYTHING
from tests.world import World


@pytest.fixture
def space(world: World) -> str:
    def fill(editor: Editor) -> None:
        intro = editor.page(
            "Intro", "See [below](below.md) and ![it](pic.png).\n\n![it](pic.png)\n"
        )
        editor.page("Below", EVERYTHING, parent=intro, description="Deep down", git_path="below.md")
        editor.page("Other", "Not this.\n")
        picture = BytesIO()
        Image.new("RGB", (4, 3), "red").save(picture, "PNG")
        editor.file("pic.png", picture.getvalue())

    space = world.space("Handbook")
    world.commit(space, edit=fill)
    world.change_request(space, {"other": "Changed – now.\n"}, subject="Say it better")
    return space


async def ask(world: World, space: str, **query: str) -> httpx.Response:
    async with world.client() as client:
        return await client.get(f"/spaces/{space}/change-requests/1/pdf", params=query)


async def fetch(world: World, url: str) -> httpx.Response:
    async with world.client(token="") as client:
        return await client.get(url)


def read(data: bytes) -> list[str]:
    return [page.extract_text() for page in PdfReader(BytesIO(data)).pages]


async def test_a_change_request_is_printed_whole(world: World, space: str) -> None:
    answer = await fetch(world, (await ask(world, space)).json()["url"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    reader = PdfReader(BytesIO(answer.content))
    title, contents, *pages = (page.extract_text() for page in reader.pages)
    for said in ("Handbook", "#1 Say it better", "Acme", "2026-03-02"):
        assert said in title
    for said in ("Contents", "Intro", "Below", "Other"):
        assert said in contents
    text = "\n".join(pages)
    for said in ("Deep down", "one", "[x]", "x = 1", "Careful", "Deep", "Changed - now."):
        assert said in text
    assert "Not this" not in text
    assert len(reader.pages[2].images) == 1
    assert b"/Dest" in answer.content, "a link to a page leads there"


async def test_a_page_is_printed_alone_or_with_those_below(world: World, space: str) -> None:
    page = world.page_id(space, "intro")
    both = await fetch(world, (await ask(world, space, page=page)).json()["url"])
    alone = await fetch(world, (await ask(world, space, page=page, only="true")).json()["url"])
    assert "Deep down" in "".join(read(both.content))
    assert "Deep down" not in "".join(read(alone.content))
    assert len(read(alone.content)) == 2
    assert (await ask(world, space, only="true")).status_code == 400
    assert (await ask(world, space, page="none")).status_code == 404


async def test_an_address_lasts_an_hour_and_cannot_be_made_up(world: World, space: str) -> None:
    url = (await ask(world, space)).json()["url"]
    other = (await ask(world, space, page=world.page_id(space, "other"))).json()["url"]
    data, signature = urlsplit(url).path.removeprefix("/pdf/").split(".")[:2]
    forged = urlsplit(other).path.removeprefix("/pdf/").split(".")[0]
    for wrong in (f"{forged}.{signature}", f"{data}.", data, "x", "é.é", f"{data}.{signature}x"):
        answer = await fetch(world, f"http://desk/pdf/{wrong}")
        assert answer.status_code == 404
        assert "hour" in answer.json()["error"]["message"]
    world.clock.now += timedelta(minutes=59)
    assert (await fetch(world, url)).status_code == 200
    async with world.client() as client:
        await client.delete(f"/spaces/{space}")
        assert (await fetch(world, url)).status_code == 404
        await client.post(f"/spaces/{space}/restore")
    world.clock.now += timedelta(minutes=2)
    assert (await fetch(world, url)).status_code == 404


async def test_more_than_a_pdf_takes_is_refused_before_it_is_printed(
    world: World, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = world.page_id(space, "intro")
    url = (await ask(world, space)).json()["url"]
    for bound, value, reason in (
        ("MOST_PAGES", 2, "print 3 pages, and a PDF takes at most 2"),
        ("MOST_TEXT", 99, "bytes of text, and a PDF takes at most 99"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(pdf_address, bound, value)
            for answer in (await ask(world, space), await fetch(world, url)):
                assert answer.status_code == 400
                assert reason in answer.json()["error"]["message"]
            assert (await ask(world, space, page=page, only="true")).status_code == 200


def test_letters_of_every_script_are_printed_where_fonts_are() -> None:
    text = "Привет, Ελληνικά"
    (_, page) = read(make_pdf("Книга", [], [PrintedPage("a", "Страница", 0, markdown=text)]))
    assert (text in page) is (machine_faces() is not None)
    assert is_western("café – “x” • €")
    assert western("é – 世") == "é - ?"


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        "> " * 40 + "deep",
        "- " * 40 + "deep",
        "|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n|" + "b|" * 40,
        "x" * 3000,
        "`" + "y" * 3000 + "`",
        "![](a.png) ![alone](b.png)\n\n![alone](broken.png)",
        "[a](javascript:alert(1)) <a href='file:///etc/passwd'>b</a> \x1b[31m",
        "| a |\n|---|\n| " + "long " * 2000 + "|",
        "1. \n2. # x\n3. ```\n   c\n   ```",
    ],
)
def test_no_text_stops_a_print(markdown: str) -> None:
    page = PrintedPage("a", "", 9, markdown=markdown, pictures={"broken.png": b"\x89PNG\r\n\x1a\n"})
    data = make_pdf("", [], [page])
    assert len(read(data)) >= 2
    assert b"javascript" not in data
    assert b"/etc/passwd" not in data


@pytest.mark.parametrize("side", [5000, 60000])
def test_a_picture_with_more_pixels_than_its_head_says_is_named_only(side: int) -> None:
    made = BytesIO()
    Image.new("P", (5000, 5000)).save(made, "GIF")
    gif = bytearray(made.getvalue())
    frame = gif.index(b",\0\0\0\0\x88\x13\x88\x13")
    gif[frame + 5 : frame + 9] = side.to_bytes(2, "little") * 2
    gif[6:10] = b"\2\0\2\0"
    assert image_size(bytes(gif)) == (2, 2)
    page = PrintedPage("a", "A", 0, markdown="![alone](a.gif)", pictures={"a.gif": bytes(gif)})
    printed = PdfReader(BytesIO(make_pdf("", [], [page])))
    assert not any(each.images for each in printed.pages)
    assert "[alone]" in printed.pages[-1].extract_text()
