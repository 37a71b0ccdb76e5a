"""What is imported before the first paint: the part of the start that nobody should wait for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PROBE = """
import json
import sys
from os.path import basename
from textual.design import ColorSystem
from textual.events import Key
from copydesk.cli.connection import chosen, session_for
from copydesk.cli.open import FIRST_PLACE
from copydesk.local.journal import Journal
from copydesk.local.state import State
from copydesk.local.paths import find_paths
from copydesk.local.settings import load_settings
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation

generate, generated = ColorSystem.generate, []
def count(self):
    generated.append(self)
    return generate(self)
ColorSystem.generate = count

class Probe(CopydeskApp):
    def _wake(self):
        if self.awake is None:
            self.loaded = sorted({name for name in sys.modules})
            self.styles_read = sorted(
                basename(path) for path, part in self.stylesheet.source if not part
            )
            self.widgets = sorted({type(each).__name__ for each in self.screen.query("*")})
            self.generated = len(generated)
            super()._wake()
            self.run_worker(self.jump())

    async def jump(self):
        await self.awake
        self.awoken = sorted(navigation.PLACES)
        for key in "gd":
            await self.keyboard.press(Key(key, key))
        self.front = self.here.PLACE
        self.exit()

    def refresh_css(self, animate=True):
        raise AssertionError("all styles are parsed twice before the first paint")

async def connect():
    assert app.awake, "nothing asks for the service before the first paint"
    raise ConnectionError("there is none")

paths = find_paths().make()
load_settings(paths.settings)
desk = chosen(None, None)
journal = Journal(State(paths.store), desk.key)
session = session_for(desk, paths, journal, connect=connect)
app = Probe(session, FIRST_PLACE)
app.run(headless=True)
print(json.dumps([app.loaded, app.styles_read, app.widgets, app.generated, app.awoken, app.front]))
"""

ASK = """
import asyncio
import sys
from pathlib import Path
from copydesk.cli.embedded import connect_in_process, ensure_owner, open_store
from copydesk.session.operations import ops

async def ask():
    store = open_store(Path(sys.argv[1]), fill=False)
    store.write(ensure_owner)
    async with connect_in_process(store) as api:
        print((await api(ops.get_current_user)).object)
    store.close()

asyncio.run(ask())
print(*sys.modules)
"""

LATER = {
    "concurrent.futures.thread",
    "dulwich",
    "hmac",
    "httpx",
    "markdown_it",
    "pydantic",
    "rapidfuzz",
    "secrets",
    "starlette",
    "uvicorn",
    "jsonschema",
    "keyring",
    "tomllib",
    "yaml",
    "copydesk.client.api",
    "copydesk.contract",
    "copydesk.domain.mention",
    "copydesk.domain.merge_rules",
    "copydesk.domain.page_source",
    "copydesk.domain.reversal",
    "copydesk.server",
    "copydesk.session.draft_keys",
    "copydesk.tui.resource.resource",
    "copydesk.tui.dialogs.choice",
    "copydesk.tui.dialogs.form",
    "copydesk.tui.dialogs.dialog",
}
"""What only comes after the first paint."""


class Seen(NamedTuple):
    """What there was at the first paint, and once all was imported behind it."""

    modules: list[str]
    styles: list[str]
    widgets: list[str]
    colours_worked_out: int
    places: list[str]
    front: str
    """Where ``g d`` went."""


@pytest.fixture(scope="module")
def first_paint(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "COPYDESK_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Seen(*json.loads(done.stdout))


def test_the_first_paint_needs_neither_client_nor_models_nor_desk(first_paint: Seen) -> None:
    assert "copydesk.tui.spaces.list" in first_paint.modules
    assert LATER.intersection(first_paint.modules) == set()


def test_the_first_paint_parses_the_styles_of_what_it_shows(first_paint: Seen) -> None:
    assert first_paint.styles == ["base.tcss"]
    assert first_paint.colours_worked_out == 1


def test_the_first_paint_has_no_widget_that_shows_nothing(first_paint: Seen) -> None:
    assert "Foot" in first_paint.widgets
    assert {"ToastRack", "Tooltip", "Label"}.isdisjoint(first_paint.widgets)


def test_a_place_is_imported_when_somebody_goes_there(first_paint: Seen) -> None:
    assert first_paint.places == ["changes", "needs-me", "pages", "spaces"]
    assert first_paint.front == "drafts"


def test_client_and_desk_load_without_what_few_requests_need() -> None:
    probe = "import sys, copydesk.client.api, copydesk.server.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    seldom = {"click", "dulwich", "httpx", "markdown_it", "merge3", "pygments", "rapidfuzz", "yaml"}
    seldom |= {"http.client", "starlette.applications", "statistics", "urllib.request"}
    assert seldom.intersection(done.stdout.split()) == set()


def test_the_review_that_is_loaded_beside_the_list_compares_nothing_yet() -> None:
    probe = "import sys, copydesk.tui.review.screen; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    seldom = {"dulwich", "httpx", "rapidfuzz", "starlette"}
    assert seldom.intersection(done.stdout.split()) == set()


def test_a_desk_in_this_process_answers_without_an_http_client_or_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path / "desk.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    answered, *loaded = done.stdout.split()
    assert answered == "user"
    assert {"httpx", "starlette.requests", "encodings.idna"}.intersection(loaded) == set()
