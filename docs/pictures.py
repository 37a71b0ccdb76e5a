"""Make the README's pictures: the real program on the sample desk, keys pressed, screens saved.

    make pictures

Time stands still and identifiers count up, so the same program makes the same pictures.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drive import drive

from copydesk.cli.embedded import connect_in_process
from copydesk.client.api import Api
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp

FOLDER = Path(__file__).resolve().parent / "pictures"
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
WIDE, SMALL = (140, 34), (80, 24)


@dataclass(frozen=True)
class Picture:
    """A screen to save: the keys that lead there, one press each, and the size of the terminal."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = WIDE


WEBHOOKS = ("3", "j", "j", "j", "j", "j", "enter", "2", "}")
"""The way to an open thread of a change request that adds, edits and links pages."""

STAGED = ("g t", "j", "enter", "G", "K", "k", "k", "k", "x")
"""The way to a site with staged changes of its structure."""

PICTURES = (
    Picture("spaces", ("j", "j")),
    Picture("pages", ("j", "g p", "j")),
    Picture("change-requests", ("g n", "j", "space", "space", "j")),
    Picture("review", WEBHOOKS),
    Picture("review-80x24", WEBHOOKS, SMALL),
    Picture("review-sides", (*WEBHOOKS, "|")),
    Picture("structure", STAGED),
    Picture("structure-plan", (*STAGED, "ctrl+s")),
    Picture("collections", ("g a", "j", "j", "J", "j", "j", "x")),
    Picture("clusters", ("g k", "j", "j")),
    Picture("conversation-80x24", ("g k", "j", "j", "enter", "enter", "J"), SMALL),
    Picture("conversations", ("g v", "j", "j")),
    Picture("members", ("g w", "j", "j", "j")),
    Picture("form", ("g S", "ctrl+n", *"acme", "tab", "tab", *"ftp:")),
)


async def main() -> None:
    """Save every picture."""
    FOLDER.mkdir(exist_ok=True)
    wanted = sys.argv[1:]
    for picture in PICTURES:
        if not wanted or picture.name in wanted:
            await save(picture)
            print(f"docs/pictures/{picture.name}.svg")


async def save(picture: Picture) -> None:
    """Press the keys of a picture on a fresh sample desk and save the screen."""
    store = Store(clock=lambda: NOON)
    build_sample(store)

    async def connect() -> Api:
        return connect_in_process(store)

    app = CopydeskApp(Session(connect, clock=lambda: NOON, host="own desk"), "spaces")
    async with drive(app, *picture.keys, size=picture.size) as driver:
        await driver.idle()
        svg = app.export_screenshot(title="copydesk")
        (FOLDER / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
    store.close()


if __name__ == "__main__":
    asyncio.run(main())
