"""copydesk's page view over a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from textual.app import ComposeResult

from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.widgets.text import TextView


@place("bench", title="Bench")
class Bench(Place, scope="bench"):
    """A long page."""

    def panes(self) -> ComposeResult:
        yield Part("main", TextView(Path(sys.argv[1]).read_text(), title="Page"))


async def connect() -> Any:
    raise NotImplementedError("nothing here asks a service")


CopydeskApp(Session(connect), "bench").run()
