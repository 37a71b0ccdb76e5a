"""What is imported before the first paint: the part of the start that nobody should wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROBE = """
import sys
from copydesk.cli.connection import chosen, session_for
from copydesk.cli.open import FIRST_PLACE
from copydesk.local.journal import Journal
from copydesk.local.state import State
from copydesk.local.paths import find_paths
from copydesk.local.settings import load_settings
from copydesk.tui.app import CopydeskApp

class Probe(CopydeskApp):
    def _wake(self):
        self.loaded = sorted({name for name in sys.modules})
        self.exit()

    def refresh_css(self, animate=True):
        raise AssertionError("all styles are parsed twice before the first paint")

async def connect():
    raise AssertionError("nothing asks for the service before the first paint")

paths = find_paths().make()
load_settings(paths.settings)
desk = chosen(None, None)
journal = Journal(State(paths.store), desk.key)
session = session_for(desk, paths, journal, connect=connect)
app = Probe(session, FIRST_PLACE)
app.run(headless=True)
print("\\n".join(app.loaded))
"""

LATER = {
    "dulwich",
    "httpx",
    "markdown_it",
    "pydantic",
    "rapidfuzz",
    "starlette",
    "uvicorn",
    "jsonschema",
    "keyring",
    "tomllib",
    "yaml",
    "copydesk.client",
    "copydesk.contract",
    "copydesk.domain.mention",
    "copydesk.domain.merge_rules",
    "copydesk.domain.reversal",
    "copydesk.server",
    "copydesk.session.draft_keys",
    "copydesk.tui.resource.resource",
    "copydesk.tui.dialogs.choice",
    "copydesk.tui.dialogs.form",
    "copydesk.tui.dialogs.dialog",
}
"""What only comes after the first paint."""


def test_the_first_paint_needs_neither_client_nor_models_nor_desk(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, "COPYDESK_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "copydesk.tui.spaces.list" in loaded
    assert {name for name in loaded if name in LATER} == set()


def test_the_client_brings_no_command_line_of_its_libraries() -> None:
    probe = "import sys, copydesk.client.api, httpx; httpx.AsyncClient; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert {"click", "pygments"}.isdisjoint(done.stdout.split())
