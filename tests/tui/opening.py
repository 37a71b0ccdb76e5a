"""Opening the program on a world, as ``copydesk`` opens it on a desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.world import World


def open_world(
    world: World,
    first: str = "spaces",
    target: Target | None = None,
    *,
    user: str | None = None,
    snapshot: Snapshots | None = None,
    api: Api | Callable[[], Api] | None = None,
) -> CopydeskApp:
    """Return the app over a world, signed in as a person (``ana`` when not said).

    Ages are told by the world's clock. ``api`` is another client, for a service that fails, or
    makes one each time, for one that fails from the start: what fails then is closed.
    """
    client = api or world.api(user)

    async def connect() -> Api:
        return client if isinstance(client, Api) else client()

    session = Session(
        connect,
        snapshot=snapshot or Snapshots(),
        clock=lambda: world.clock.now,
        host="desk.test",
    )
    return CopydeskApp(session, first, target)


def typed(text: str) -> list[str]:
    """Return the keys that type a text, for `Driver.burst`."""
    return ["space" if letter == " " else letter for letter in text]
