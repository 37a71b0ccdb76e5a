"""Reading pictures: of the service, of this machine, and none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from copydesk.domain.picture import LARGEST, Shown, too_large
from copydesk.domain.staged_files import STAGED
from copydesk.session.reads.pictures import NOT_HERE, PictureRead, PictureReader
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
