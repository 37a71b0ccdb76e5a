"""The place of a site's structure, over a site that is made up here: nothing asks a service."""

from __future__ import annotations

import gc
import sys
from typing import Any

from benchmarks.structure import made_up
from copydesk.domain.site_tree import Structure
from copydesk.session.reads.sites import SiteRead
from copydesk.session.session import Session
from copydesk.session.site_rows import SiteRow
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.navigation import place
from copydesk.tui.sites.structure import SiteStructurePlace


@place("bench", title="Bench")
class Bench(SiteStructurePlace, scope="bench"):
    """A site of many sections."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.but(organization="org", site="site"))

    def reload(self) -> None:
        """Show the site as if it had just been read."""
        structure: Structure = made_up(int(sys.argv[1]))
        row = SiteRow("site", "Site", "public", True, 1, "", "basic", False, "", None)
        self.arrived((SiteRead(row, structure), None))

    def poll(self) -> None:
        """Nobody else changes it."""


async def connect() -> Any:
    """Return no client: nothing here asks a service."""


async def identify(session: Session, api: Any) -> None:
    """Nobody has to be known."""


if __name__ == "__main__":
    gc.disable()  # as copydesk starts; the application turns it on when it is ready
    CopydeskApp(Session(connect, identify=identify), "bench").run()
