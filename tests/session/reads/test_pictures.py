"""Reading pictures: of the service, of this machine, and none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.domain.picture import LARGEST, Shown, too_large
from copydesk.domain.staged_files import STAGED
from copydesk.server.desk_writes import Editor
from copydesk.session.reads.pictures import NOT_HERE, PictureRead, PictureReader
from tests.tui.strange import strange
from tests.world import World


async def test_a_staged_picture_is_read_from_this_machine(world: World, tmp_path: Path) -> None:
    name = f"{'0' * 64}.png"
    (tmp_path / name).write_bytes(b"picture")
    (tmp_path / "large.png").write_bytes(b"\0" * (LARGEST + 1))
    async with world.api() as api:
        reader = PictureReader(api, "s", None, lambda: tmp_path)

        async def read(address: str) -> PictureRead:
            return await reader.read(Shown(address, "words"))

        assert await read(f"{STAGED}{name}") == PictureRead(b"picture")
        assert await read(f"{STAGED}large.png") == PictureRead(wrong=too_large(LARGEST + 1))
        for odd in ("gone.png", f"../{tmp_path.name}/{name}", ""):
            assert await read(f"{STAGED}{odd}") == PictureRead(wrong=NOT_HERE)
        elsewhere = PictureReader(api, "s", None)
        assert await elsewhere.read(Shown(f"{STAGED}{name}", "")) == PictureRead(wrong=NOT_HERE)


async def test_a_picture_of_the_web_is_read_with_its_host(world: World) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npicture")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server, world.api() as api:
        host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        found = await PictureReader(api, "s", None).read(Shown(f"http://{host}/a.png", ""))
    assert found.data == b"picture"
    assert found.host.startswith("127.0.0.1")


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("ftp://a.test/a.png", "Its address is neither a web address nor a file here."),
        ("data:image/png;base64,AA", "Its address is neither a web address nor a file here."),
        ("pictures/gone.png", "No file of this space has its address."),
        ("/files/deep/gone.png", "No file of this space has its address."),
    ],
)
async def test_what_is_no_picture_is_said(world: World, address: str, wrong: str) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    for request in (None, world.change_request(space, {"a": "# B\n"})):
        async with world.api() as api:
            found = await PictureReader(api, space, request).read(Shown(address, ""))
        assert found == PictureRead(wrong=wrong)


async def test_an_address_that_several_files_have_is_none_of_them(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    for folder in "xy":
        world.commit(space, edit=picture(f"{folder}/a.png", b"1"))
    async with world.api() as api:
        found = await PictureReader(api, space, None).read(Shown("a.png", ""))
    assert found == PictureRead(wrong="Several files of this space have its address.")


async def test_the_service_itself_is_no_other_host(world: World) -> None:
    async with world.api() as api:
        reader = PictureReader(api, "s", None)
        found = await reader.read(Shown(f"{api.base_url.rstrip('/')}/gone.png", ""))
    assert (found.host, found.wrong) == ("", "The picture cannot be read (404).")


def picture(name: str, data: bytes) -> Callable[[Editor], None]:
    def edit(editor: Editor) -> None:
        editor.file(name, data)

    return edit


async def test_a_file_of_the_space_is_read_by_its_id_or_its_path_from_the_version_that_has_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.commit(space, edit=picture("a.png", b"main"))
    request = world.change_request(space, edit=picture("b.png", b"request"))
    fetched: list[str] = []

    async def fetch(api: Api, url: str, *, largest: int) -> bytes:
        fetched.append(url)
        if url.startswith("https://"):
            raise NotFound("It is gone.", status=404)
        assert largest == LARGEST
        return b"picture"

    monkeypatch.setattr("copydesk.client.download.fetch", fetch)
    async with world.api() as api:
        [file] = (await api.page(ops.list_space_files, space)).items
        there = {
            each.name: each.id
            for each in (await api.page(ops.list_change_request_files, space, request)).items
        }
        for of, address, data in (
            (None, f"/files/{file.id}", b"picture"),
            (None, f"files/{file.id}", b"picture"),
            (None, "a.png", b"picture"),
            (request, f"/files/{there['b.png']}", b"picture"),
            (request, "b.png", b"picture"),
            (None, "b.png", b""),
            (None, "files/a.png", b""),
        ):
            reader = PictureReader(api, space, of)
            for _ in (1, 2):  # the second time the files are known
                found = await reader.read(Shown(address, ""))
                assert (found.data, found.host) == (data, ""), (of, address)
        assert len(fetched) == 10
        gone = await PictureReader(api, space, None).read(Shown("/files/gone", ""))
        assert gone == PictureRead(wrong="The picture cannot be read (404).")
        elsewhere = await PictureReader(api, space, None).read(Shown("https://o.test/a.png", ""))
        assert elsewhere == PictureRead(wrong="The picture cannot be read (404).", host="o.test")


NOWHERE = "The service does not say where the file is."


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"size": LARGEST + 1}, too_large(LARGEST + 1)),
        (
            {"size": LARGEST, "downloadURL": "ftp://x"},
            "The service does not say where the file is.",
        ),
        ({"downloadURL": ""}, "The service does not say where the file is."),
    ],
)
async def test_a_file_that_is_too_large_or_nowhere_is_not_fetched(
    world: World, change: dict[str, object], wrong: str
) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.commit(space, edit=picture("a.png", b"main"))

    def odd(answer: Any) -> None:
        for each in answer["items"]:
            each.update(change)

    async with strange(world, "/files", odd) as api:
        assert await PictureReader(api, space, None).read(Shown("a.png", "")) == PictureRead(
            wrong=wrong
        )
