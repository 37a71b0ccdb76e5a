"""Pictures of pages and of changes, opened where they are shown."""

from __future__ import annotations

import asyncio
import struct
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from PIL import Image
from rich.style import Style

from copydesk.client.api import Api
from copydesk.domain.picture import LARGEST, Shown
from copydesk.local.settings import SettingsError, load_settings
from copydesk.present.pictures import HALF, PictureRefusedError, decode
from copydesk.server.desk_writes import Editor
from copydesk.session.reads.pictures import PictureRead, PictureReader
from copydesk.session.target import Target
from copydesk.tui.content.pages import PagesPlace
from copydesk.tui.dialogs.pictures import why_not_drawn
from tests.drive import drive
from tests.tui.arranging_world import Way
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.world import BASE_URL, World


def png(width: int, height: int, colour: str = "red", kind: str = "PNG") -> bytes:
    """Return a picture whose lower half is white."""
    image = Image.new("RGB", (width, height), colour)
    image.paste("white", (0, height // 2, width, height))
    data = BytesIO()
    image.save(data, kind)
    return data.getvalue()


def header(width: int, height: int) -> bytes:
    """Return the start of a PNG that says to be so large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    crc = struct.pack(">I", zlib.crc32(b"IHDR" + head))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + b"IHDR" + head + crc


def test_a_picture_is_drawn_two_pixels_a_cell_and_never_larger_than_it_is() -> None:
    for kind in ("PNG", "GIF", "JPEG", "WEBP"):
        picture = decode(png(40, 20, kind=kind))
        assert picture.size == (40, 20)
        lines = picture.lines(100, 100)
        assert [len(lines), *{sum(len(text) for text, _ in line) for line in lines}] == [10, 40]
        colour = Style.parse(lines[0][0][1]).color
        assert colour is not None
        assert colour.triplet is not None
        assert colour.triplet.red > 250 > 20 > colour.triplet.blue
    narrow = decode(png(40, 21)).lines(10, 100)
    assert len(narrow) == 3
    assert narrow[0][0][0] == HALF * 10
    assert len(decode(png(3000, 10)).lines(20, 5)) == 1


def test_what_lets_the_page_through_is_drawn_for_a_white_one() -> None:
    data = BytesIO()
    Image.new("RGBA", (2, 2), (0, 0, 0, 0)).save(data, "PNG")
    assert decode(data.getvalue()).lines(2, 1) == [[(HALF * 2, "#ffffff on #ffffff")]]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Not a PNG, JPEG, GIF or WebP"),
        (b"", "Not a PNG, JPEG, GIF or WebP"),
        (png(2, 2) + b"\0" * LARGEST, "more than 8.0 MB"),
        (header(100_000, 100_000), "100,000 x 100,000 pixels: more than 40 million"),
        (header(0, 5), "cut off or damaged"),
        (header(20, 20), "cut off or damaged"),
        (png(300, 200)[:-60], "cut off or damaged"),
        (png(300, 200, kind="JPEG")[:400], "cut off or damaged"),
        (png(30, 20, kind="GIF")[:40], "cut off or damaged"),
        (png(300, 200, kind="WEBP")[:60], "cut off or damaged"),
        (b"RIFF\0\0\0\0WEBPVP8 \0", "Not a PNG, JPEG, GIF or WebP"),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\xff" * 6, "16,777,216 x 16,777,216 pixels"),
        (png(20, 20).replace(b"IDAT", b"IDOT"), "cut off or damaged"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(PictureRefusedError, match=said):
        decode(data)


def test_without_pillow_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(PictureRefusedError, match=r"copydesk\[pictures\]"):
        decode(header(2, 2))


def with_files(world: World, files: Mapping[str, bytes], text: str) -> str:
    space = world.space("Guide")

    def edit(editor: Editor) -> None:
        for path, data in files.items():
            editor.file(path, data)
        editor.page("Retries", text)

    world.commit(space, edit=edit)
    return space


async def test_reading_says_what_fails_and_tells_no_other_host_who_asks(
    world: World, tmp_path: Path
) -> None:
    files = {"images/a.png": png(4, 4), "big.png": png(4, 4) + b"\0" * LARGEST}
    space = with_files(world, files, "# R\n")
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        status = b"404 Gone" if b"/gone.png" in asked[-1] else b"200 OK"
        content = bytes(LARGEST + 1 if b"/big.png" in asked[-1] else 3)
        with suppress(ConnectionError):  # nobody reads a large one to its end
            writer.write(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\n\r\n" + content)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server, world.api() as api:
        there = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

        reader = PictureReader(api, space, None)

        async def said(address: str) -> PictureRead:
            return await reader.read(Shown(address, ""))

        assert (await said("../images/a.png")).data == files["images/a.png"]
        assert "more than 8.0 MB" in (await said("big.png")).wrong
        assert "No file of this space" in (await said("none.png")).wrong
        assert (await said("/files/none")).wrong == "The picture cannot be read (404)."
        for name in ("a.png", "../a.png", "/etc/passwd"):
            assert "staged on this machine" in (await said(f"staged:{name}")).wrong
        (tmp_path / "large.png").write_bytes(bytes(LARGEST + 1))
        (tmp_path / "b.png").write_bytes(b"b")
        reader = PictureReader(api, space, None, lambda: tmp_path / "inner")
        for name in ("b.png", "../b.png", "none.png"):
            assert "staged on this machine" in (await said(f"staged:{name}")).wrong
        reader = PictureReader(api, space, None, lambda: tmp_path)
        assert (await said("staged:b.png")).data == b"b"
        assert "more than 8.0 MB" in (await said("staged:large.png")).wrong
        for address in ("data:image/png;base64,AAAA", "file:///etc/passwd", "//far.example/a.png"):
            assert "neither a web address" in (await said(address)).wrong
        assert not asked
        assert await said(f"{there}/a.png") == PictureRead(bytes(3), host="127.0.0.1")
        assert b"uthorization" not in asked[0]
        assert (await said(f"{there}/gone.png")).wrong.endswith("(404).")
        assert "cannot be read" in (await said(f"{there}/big.png")).wrong


PAGE = "# Retries\n\n![Retry states](images/a.png)\n\nText.\n"


async def test_enter_shows_the_picture_of_a_page_at_both_sizes(
    world: World, update_golden: bool
) -> None:
    space = with_files(world, {"images/a.png": png(40, 24)}, PAGE)
    target = Target(organization=world.home, space=space)
    for size in ((80, 24), (140, 40)):
        async with drive(
            open_world(world, "pages", target), "enter", size=size, draws=True
        ) as driver:
            driver.golden("picture-in-text", update=update_golden)
            assert HALF * 40 in driver.screen
            await driver.press("enter")
            driver.golden("picture", update=update_golden)
            await driver.press("escape", "k")
            assert "alt" not in driver.screen


async def test_of_several_pictures_one_is_chosen_and_without_any_a_sentence_says_so(
    world: World,
) -> None:
    key: list[str] = []

    def edit(editor: Editor) -> None:
        key.append(editor.file("images/b.svg", b"<svg/>"))
        editor.page("Two", f"# T\n\n![One](a.png) ![Two](/files/{key[0]})\n\n```\n![x](y)\n```\n")
        editor.page("None", "# N\n\n```\n![x](y.png)\n```\n")

    space = world.space("Guide")
    world.commit(space, edit=edit)
    target = Target(organization=world.home, space=space)
    async with drive(open_world(world, "pages", target), "enter", "enter") as driver:
        assert "Which picture?" in driver.screen
        await driver.press("down", "enter")
        assert "Not a PNG, JPEG, GIF or WebP" in driver.screen
        await driver.press("enter", "]", "enter")
        assert "No picture is here." in driver.screen


async def test_a_review_shows_the_picture_of_main_beside_it_at_both_sizes(
    world: World, update_golden: bool
) -> None:
    review = ReviewWorld.__new__(ReviewWorld)
    review.world, review.lee = world, world.ana
    key: list[str] = []

    def before(editor: Editor) -> None:
        key.append(editor.file("images/a.png", png(40, 24)))
        editor.page("Webhooks", f"# Webhooks\n\n![Old words](/files/{key[0]})\n", slug="webhooks")

    def after(editor: Editor) -> None:
        editor.file("images/a.png", png(60, 20, "blue"))
        editor.write(editor.find("webhooks"), "# Webhooks\n\n![New words](images/a.png)\n")

    review.space = world.space("Manual")
    world.commit(review.space, edit=before)
    review.request = world.change_request(review.space, edit=after)
    for size in ((80, 24), (140, 40)):
        async with drive(review.app(), size=size, draws=True) as driver:
            driver.golden("picture-in-change", update=update_golden)
            await driver.press("enter")
            driver.golden("picture-review", update=update_golden)
            await driver.press("escape", "]")
            assert "before: 40 x 24" in driver.screen, "the file itself is in front"
            assert "after: 60 x 20" in driver.screen
            await driver.press("enter")
            assert "alt" not in driver.screen
            assert "this change request" in driver.screen


class Counting(Way):
    """A way that knows what was read."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        return await super().handle_async_request(request)

    def files(self) -> int:
        """Return how many files were read."""
        return sum(path.startswith("/files/") for path in self.asked)


async def test_a_picture_is_read_once_however_often_keys_pause(world: World) -> None:
    between = "\n\nText.\n" * 12
    names = [f"images/{n}.png" for n in range(5)]
    text = between.join(f"![Picture {name}]({name})" for name in names)
    space = with_files(world, {name: png(10, 4) for name in names}, f"# R\n\n{text}\n")
    way = Counting(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "pages", Target(organization=world.home, space=space), api=api)
    async with drive(app, "enter", size=(80, 24), draws=True) as driver:
        for key in (*["ctrl+d"] * 20, *["ctrl+u"] * 20):
            await driver.press(key)
        assert HALF * 10 in driver.screen
        assert way.files() == len(names)
        assert sum(path.endswith("/content/files") for path in way.asked) == 1
        await driver.press("R")
        assert HALF * 10 in driver.screen
        assert way.files() > len(names), "R reads what is in view again"


async def test_those_of_many_pages_are_shown_and_few_are_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.tui.dialogs.pictures.MOST", 2)

    def edit(editor: Editor) -> None:
        for n in range(5):
            editor.file(f"{n}.png", png(10 + n, 4))
            editor.page(f"Page {n}", f"# P\n\n![Words]({n}.png)\n")

    space = world.space("Guide")
    world.commit(space, edit=edit)
    app = open_world(world, "pages", Target(organization=world.home, space=space))
    async with drive(app, "enter", size=(80, 24), draws=True) as driver:
        for n in range(5):
            assert f"{10 + n} x 4" in driver.screen
            await driver.press("]")
        assert isinstance(driver.place, PagesPlace)
        assert len(driver.place.pictures._known) <= 3


async def test_what_cannot_be_shown_says_why_once(world: World) -> None:
    review = ReviewWorld.__new__(ReviewWorld)
    review.world, review.lee = world, world.ana

    def before(editor: Editor) -> None:
        editor.file("images/a.png", png(40, 24)[:60])
        editor.page("Webhooks", "# Webhooks\n\n![Old words](none.png)\n", slug="webhooks")

    def after(editor: Editor) -> None:
        editor.file("images/a.png", png(60, 20)[:70])
        editor.write(editor.find("webhooks"), "# Webhooks\n\n![New words](none.png)\n")

    review.space = world.space("Manual")
    world.commit(review.space, edit=before)
    review.request = world.change_request(review.space, edit=after)
    async with drive(review.app(), size=(140, 40), draws=True) as driver:
        assert driver.screen.count("No file of this space") == 1
        assert "before and after: No file of this space" in driver.screen
        assert 'alt "Old words"' in driver.screen
        assert 'alt "New words"' in driver.screen
        await driver.press("]")
        assert driver.screen.count("before and after: The picture cannot be shown") == 1
        assert "What is in a file is not shown here." not in driver.screen


async def test_pictures_are_not_drawn_where_they_are_off(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text('pictures = "off"\n', "utf-8")
    space = with_files(world, {"images/a.png": png(40, 24)}, PAGE)
    app = open_world(world, "pages", Target(organization=world.home, space=space))
    app.pictures = load_settings(settings).pictures
    async with drive(app, "enter", "enter", draws=True) as driver:
        assert "40 x 24 pixels" in driver.screen
        assert "Pictures are off in the settings." in driver.screen
        await driver.press("escape")
        assert HALF not in driver.screen
        assert "40 x 24 pixels" not in driver.screen
    settings.write_text('pictures = "sixels"\n', "utf-8")
    with pytest.raises(SettingsError, match="did you mean sixel"):
        load_settings(settings)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "NO_COLOR" in why_not_drawn("auto")
    monkeypatch.delenv("NO_COLOR")
    assert why_not_drawn("auto") == ""


async def test_in_the_text_no_other_host_is_asked_and_what_cannot_be_shown_is_said(
    world: World,
) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        there = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/a.png"
        text = f"# R\n\n![Far]({there})\n\n![None](none.png)\n\n![Near](images/a.png)\n"
        files = {"images/a.png": png(6, 4, kind="WEBP")}
        target = Target(organization=world.home, space=with_files(world, files, text))
        async with drive(open_world(world, "pages", target), "enter", draws=True) as driver:
            assert driver.screen.count("6 x 4") == 1
            assert HALF * 6 in driver.screen
            assert "No file of this space has its address." in driver.screen
        assert not asked


async def test_a_picture_that_is_not_sent_yet_is_shown(world: World, tmp_path: Path) -> None:
    file = tmp_path / "flow.png"
    file.write_bytes(png(30, 10, "blue"))
    review = ReviewWorld(world)
    async with drive(review.app()) as driver:
        await driver.press("I")
        await driver.type(str(file))
        await driver.press("enter")
        await driver.type("Flow")
        await driver.press("enter")
        assert "STAGED 1" in driver.screen
        assert "after: 30 x 10, " in driver.screen
        assert HALF * 30 in driver.screen
        file.unlink()
        await driver.press("J", "enter")
        assert "this change request" in driver.screen
        assert "30 x 10 pixels" in driver.screen
