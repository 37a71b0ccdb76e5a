"""A desk with a site whose structure is written to a file, and what happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from copydesk.cli import main
from copydesk.cli.connection import Connection
from copydesk.cli.embedded import OWNER
from copydesk.cli.structure import Applying, read_wish
from copydesk.client.api import Api
from copydesk.server.site_writes import add_section, add_section_group, add_site, add_site_space
from copydesk.server.store import Tx
from tests.world import BASE_URL, World

WRITES = {"POST", "PATCH", "DELETE"}


class Terminal:
    """What a person types, and what happens before they do."""

    def __init__(self, *typed: str, happens: Callable[[], object] = lambda: None) -> None:
        self._typed = list(typed)
        self._happens = happens

    def isatty(self) -> bool:
        """Somebody can be asked."""
        return True

    def readline(self) -> str:
        """Return the next line; what happens does so before the first."""
        happens, self._happens = self._happens, lambda: None
        happens()
        return self._typed.pop(0)


class Between(httpx.AsyncBaseTransport):
    """The way to a desk, on which something happens before the n-th write."""

    def __init__(self, world: World, number: int, happens: Callable[[], None]) -> None:
        self._way = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self._left = number
        self._happens = happens

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method in WRITES:
            self._left -= 1
            if not self._left:
                self._happens()
        return await self._way.handle_async_request(request)


class Desk:
    """A desk on a file with one site of four sections, two of them in a group."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "desk.db"
        self.file = folder / "order.yaml"
        self.world = World(self.path)
        self.rows: dict[str, str] = {}
        world = self.world
        self.spaces = {each: world.space(each) for each in ("Guides", "Pay", "Tax", "Log", "API")}
        spaces = [*self.spaces.values()]

        def build(tx: Tx) -> str:
            site = add_site(tx, world.home, "Acme docs", hostname="docs.acme.example")
            add_site(tx, world.home, "Acme blog", hostname="blog.acme.example")
            group = ""
            for title, space in zip(("Guides", "Pay", "Tax", "Log"), spaces, strict=False):
                if title == "Pay":
                    group = add_section_group(tx, site, "Products")
                inside = group if title in ("Pay", "Tax") else None
                self.rows[title] = add_section(tx, site, title, group=inside)
                add_site_space(tx, site, space, section=self.rows[title])
            tx.insert("meta", key=OWNER, value=world.ana)
            return site

        self.site = world.write(build)

    def run(self, *arguments: str) -> int:
        """Run ``copydesk structure`` on the desk."""
        return main(["structure", *arguments, "--desk", str(self.path)])

    def write(self, capsys: pytest.CaptureFixture[str], *edits: tuple[str, str]) -> str:
        """Export the site, edit the file, and return its text."""
        capsys.readouterr()
        assert self.run("export", "docs.acme.example") == 0
        text = capsys.readouterr().out
        for before, after in edits:
            assert before in text
            text = text.replace(before, after, 1)
        self.file.write_text(text, encoding="utf-8")
        return text

    def sections(self) -> list[str]:
        """Return the titles of the sections in their order."""
        rows = self.world.store.read(
            lambda tx: tx.all(
                "SELECT title FROM site_section WHERE site_id = ? ORDER BY position", self.site
            )
        )
        return [row["title"] for row in rows]

    def apply_over(self, way: httpx.AsyncBaseTransport) -> int:
        """Apply the file over a way to the desk that something happens on."""
        token = self.world.token(self.world.ana)
        here = Connection(f"desk:{self.path}", "desk", lambda: Api(BASE_URL, token, transport=way))
        applying = Applying(
            here, read_wish(self.file), plan=False, remove=False, yes=True, as_json=False
        )
        return applying.run("Acme docs", None, "")
