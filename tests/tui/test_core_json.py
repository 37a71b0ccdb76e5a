"""The JSON of what the core places show, and what is listed beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.conversations_world import fill
from tests.tui.opening import open_world, typed
from tests.world import World


async def test_the_core_places_show_what_the_service_has(world: World) -> None:
    fill(world, 2)
    guides = world.collection("Guides")
    space = world.space("Handbook", {"start": "# Start\n\nHello."}, parent=guides)
    lee = world.user("lee", display_name="Lee Park")
    request = world.change_request(space, {"start": "Hello you."}, subject="Greet", by=world.ana)
    said = world.comment(space, "Is it?", by=lee, change_request=request)
    world.reply(said, "It is.", by=lee)
    world.comment(space, "@Ana Silva?", by=lee)

    def write(tx: Tx) -> str:
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        site = seed.add_site(tx, world.home, "Portal", adaptive_schema=schema)
        section = seed.add_section(tx, site, "Guides")
        seed.add_site_space(tx, site, space, section=section)
        return site

    site = world.write(write)
    home, at = Target(world.home), Target(world.home, site=site)
    app = open_world(world)
    async with drive(app, size=(80, 24)) as driver:

        async def shown(*keys: str, asks: Sequence[str] = ("g j",)) -> str:
            """Return which operation the JSON under the cursor was read with."""
            await driver.press(*keys, *asks)
            read = driver.place.status_left().split("   ")[0]
            assert '"' in driver.screen
            await driver.press("q")
            return read

        async def go(name: str, target: Target) -> None:
            await driver.app.go(name, target)
            await driver.idle()

        assert driver.place.rows.select(guides)  # type: ignore[attr-defined]
        assert await shown() == "get_collection"
        await driver.press(":")
        await driver.burst(*"collection")
        await driver.press("enter")
        assert "Handbook" in driver.screen
        assert await shown() == "get_space"
        await driver.press("enter")
        assert await shown() == "get_space_page"
        await go("pages", Target(world.home, space, change_request=request))
        assert await shown() == "get_change_request_page"
        await go("changes", home)
        assert await shown() == "get_change_request"
        await go("review", Target(world.home, space, change_request=request, thread=said))
        assert await shown() == "get_change_request_comment"
        assert await shown("j") == "get_change_request_comment_reply"
        await driver.press(":")
        await driver.burst(*"commenters")
        await driver.press("enter")
        assert "Lee Park" in driver.screen
        await driver.press("enter")
        assert "Lee Park" in driver.screen.splitlines()[0]
        await driver.press("q")
        await driver.press("g i")
        # Which comes first is a matter of which was read first.
        assert "get_space_comment" in {await shown("g g"), await shown("G")}
        await go("sites", home)
        assert await shown() == "get_site"
        await go("site-schema", at)
        # There g j shows the schema itself, with what is not sent.
        assert await shown(asks=(":", *"json", "enter")) == "get_adaptive_schema"
        await go("site-structure", at)
        assert await shown() == "list_site_sections"
        assert await shown("l", "j") == "list_site_spaces"
        await go("clusters", home)
        assert await shown() == "get_issues_cluster"
        await go("issues", home)
        assert await shown() == "get_conversation_issue"
        await driver.press("g j")
        assert "kim@example.org" not in driver.place.text  # type: ignore[attr-defined]
        assert "masked: V in the list shows all" in driver.screen
        await driver.press("q")
        await go("conversations", home)
        assert await shown() == "get_conversation"
        await driver.press(":")
        await driver.burst(*"whoami")
        await driver.press("enter")
        assert "Ana Silva" in driver.screen


async def test_conversations_of_a_file_are_handed_in(world: World, tmp_path: Path) -> None:
    good = {"id": "t-1", "subject": "Where?", "parts": [part("Where is it?")]}
    more = {"id": "t-2", "parts": [part("And \u202e\u001b[2J when?")]}
    bad = {"id": "", "parts": []}
    file = tmp_path / "export.json"
    file.write_text(json.dumps([good, more, bad]))
    world.home  # noqa: B018 - makes it
    app = open_world(world, "conversations", Target(world.home))

    async with drive(app, size=(100, 30)) as driver:

        async def ingest(name: str) -> None:
            await driver.press(":")
            await driver.burst(*typed(f"ingest {name}".rstrip()))
            await driver.press("enter")

        await ingest("")
        assert "Say which file" in driver.screen
        await ingest(f"{tmp_path}/none.json")
        assert "Not read: No such file or directory" in driver.screen
        await ingest(str(file))
        assert "1 complaint about the file" in driver.screen
        await driver.press("y")
        assert "This cannot be undone" in driver.screen
        assert "conversation t-2" in driver.screen
        await driver.press("y")
        assert "Sent 2 conversations." in driver.screen
        assert "Where?" in driver.screen
        file.write_text("[]")
        await ingest(str(file))
        assert "There is no conversation to send" in driver.screen
        # A table and an export are known by what is in them, whatever the file is called.
        file.write_text("id;betreff;nachricht\n7;Suche;Sie findet nichts.\n")
        await ingest(str(file))
        assert "conversation 7" in driver.screen
        await driver.press("y")
        assert "Sent 1 conversation (press . to show them)." in driver.screen
        file.write_bytes('[{"number": 8, "title": "Hält", "body": "an"}]'.encode("utf-16"))
        await ingest(str(file))
        assert "conversation 8" in driver.screen
        assert "replaced. Nothing is masked" in driver.screen
        await driver.press("y")
        assert "Sent 1 conversation (press . to show them)." in driver.screen
        await driver.press(".")
        assert "Hält" in driver.screen


def part(body: str) -> dict[str, str]:
    """Return what a customer said."""
    return {"type": "message", "role": "user", "body": body}
