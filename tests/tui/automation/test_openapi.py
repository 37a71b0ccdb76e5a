"""OpenAPI specifications: added, read, replaced, shown and deleted on a real desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.openapi_spec import (
    OpenAPISourceText,
    OpenAPISourceURL,
    OpenAPISpec,
    OpenAPISpecPut,
)
from copydesk.server.queries.openapi_spec import add_spec
from copydesk.session.errors import NotDoneError
from copydesk.tui.automation import openapi as writing
from copydesk.tui.automation.openapi import OpenAPISpecsPlace
from copydesk.tui.automation.openapi_versions import told
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World

GOOD = "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\n"
BAD = "openapi: 3.1.0\ninfo: {title: Pets}\npaths: {pets: {}}\n"
PLACE = "openapi-specs"
URL = "https://desk.invalid/pets.json"


def add(world: World, slug: str, text: str = "", url: str = "") -> None:
    """Add a specification that waits to be read."""
    source = OpenAPISourceURL(url=url) if url else OpenAPISourceText(text=text)
    home = world.home
    world.write(lambda tx: add_spec(tx, home, slug, source))


async def read(world: World, slug: str) -> OpenAPISpec:
    async with world.api() as api:
        return await api(ops.get_openapi_spec, world.home, slug)


async def finish(world: World) -> None:
    """Let the desk read what waits."""
    async with world.api() as api:
        await api.page(ops.list_openapi_specs, world.home)
    world.settle()


def watched(driver: Driver) -> bool:
    """Whether the list is about to be read again because something in it is under way."""
    assert isinstance(driver.place, OpenAPISpecsPlace)
    return driver.place.watching.bell is not None


async def settled(world: World, driver: Driver) -> None:
    """Let the desk come to its end, and the list learn of it."""
    await finish(world)
    assert isinstance(driver.place, OpenAPISpecsPlace)
    driver.place.watching.look_again()
    await driver.idle()


async def test_a_specification_is_added_from_a_file_and_watched_until_it_is_read(
    world: World, tmp_path: Path
) -> None:
    good, bad = tmp_path / "pets.yaml", tmp_path / "bad.json"
    good.write_text(GOOD)
    bad.write_text('{"openapi": \n}')
    async with drive(open_world(world), "g A", size=(80, 24)) as driver:
        assert "There are no OpenAPI specifications yet. ctrl+n adds one" in driver.screen
        await driver.press("ctrl+n", "ctrl+s")
        assert "it has to be filled in" in driver.line("Slug")
        await driver.burst(*"pets_")
        assert "acme-docs" in driver.line("Slug")
        await driver.press("backspace", "tab")
        await driver.burst(*"pets")
        assert "https://example.com/docs" in driver.line("Address")
        assert "mailto" not in driver.screen
        await driver.burst(*["backspace"] * 4)
        await driver.burst(*typed("mailto:a@example.com"))
        assert "look like https://example.com/docs" in driver.line("Address")
        await driver.burst(*["backspace"] * 20)
        await driver.burst(*"pets")
        await driver.press("tab")
        await driver.burst(*typed("/dev/null"))
        assert "not a regular file" in driver.line("File")
        await driver.press("ctrl+u")
        await driver.burst(*typed(str(tmp_path)))
        assert "that is a folder" in driver.line("File")
        await driver.burst(*"/no")
        assert "there is no such file" in driver.line("File")
        await driver.burst("backspace", "backspace")
        await driver.burst(*"bad.json")
        await driver.press("shift+tab")
        await driver.burst(*["backspace"] * 4)
        await driver.press("ctrl+s")
        assert "bad.json: line 2: not JSON" in driver.screen
        await driver.burst(*typed(URL))
        await driver.press("ctrl+s")
        assert "only one of them" in driver.line("Address")
        await driver.burst(*["backspace"] * len(URL))
        await driver.press("tab")
        await driver.burst(*["backspace"] * 8)
        await driver.burst(*"pets.yaml")
        await driver.press("ctrl+s")
        made = await read(world, "pets")
        assert driver.selected == made.id
        await settled(world, driver)
        assert "read" in driver.line("pets").split()
        # While it is read again the list is watched, and what comes of it is told.
        # Somebody has begun with it, so that the desk leaves it to them until it waits again.
        state = "UPDATE openapi_spec SET state = ?, taken_at = ?"
        world.write(lambda tx: tx.run(state, "progress", tx.now))
        await driver.press("R")
        assert watched(driver)
        world.write(lambda tx: tx.run(state, "pending", None))
        await settled(world, driver)
        assert "pets has been read." in driver.screen
        assert not watched(driver)


async def test_a_specification_is_replaced_shown_deleted_and_taken_back(
    world: World, tmp_path: Path, update_golden: bool
) -> None:
    bad = tmp_path / "bad.json"
    add(world, "pets", GOOD)
    await finish(world)
    made = await read(world, "pets")
    async with drive(open_world(world), "g A", size=(80, 24)) as driver:
        # Another source, then the former one, and one that holds mistakes.
        await driver.press("e", "ctrl+s")
        assert "This cannot be undone" in driver.screen
        assert "Nothing is changed yet." in driver.screen
        driver.golden("openapi-spec-source", update=update_golden)
        await driver.burst(*typed(URL))
        await driver.press("ctrl+s")
        await settled(world, driver)
        assert "failed" in driver.line("pets")
        await driver.press("U")
        assert "Read from https://desk.invalid/pets.json" in driver.screen
        version = (await read(world, "pets")).updated_at
        await driver.press("y")
        assert (await read(world, "pets")).updated_at != version
        await settled(world, driver)
        bad.write_text(BAD)
        await driver.press("e", "tab")
        assert "u has the former address read again" in driver.screen
        await driver.burst(*typed(str(bad)))
        await driver.press("shift+tab")
        await driver.burst(*["backspace"] * len(URL))
        await driver.press("ctrl+s")
        await settled(world, driver)
        await driver.resize(140, 40)
        assert "`info.version` is missing" in driver.screen
        assert "`paths.pets` does not start" in driver.screen
        assert "stays until" in driver.screen
        await driver.press("U")
        assert "given as text" in driver.screen
        await driver.press("u")
        assert (await read(world, "pets")).source_url == URL
        await settled(world, driver)

        await driver.press("x")
        assert "Whoever has its link can read all of it" in driver.screen
        await driver.press("y")
        assert "public" in driver.line("desk.invalid").split()
        await driver.press("x")
        assert "private" in driver.line("desk.invalid").split()
        await driver.press("u")
        assert (await read(world, "pets")).visibility == "public"

        await driver.press("D")
        assert "u adds it again from its address" in driver.screen
        await driver.burst(*"pets")
        await driver.press("ctrl+s")
        with pytest.raises(NotFound):
            await read(world, "pets")
        await driver.press("u")
        again = await read(world, "pets")
        assert (again.source_url, again.visibility) == (URL, "public")
        assert again.id != made.id


async def test_a_list_of_specifications_and_of_who_may_only_read(
    world: World, update_golden: bool
) -> None:
    add(world, "payments", GOOD)
    add(world, "partner-accounts", url="https://partners.example/v1/\u202eopenapi.json")
    add(world, "old", BAD)
    await finish(world)
    world.write(lambda tx: tx.run("UPDATE openapi_spec SET version_id = NULL"))
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, PLACE, api=api)
    async with drive(app, size=(140, 40)) as driver:
        driver.golden("openapi-specs", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("openapi-specs", update=update_golden)
        await driver.press("ctrl+n")
        driver.golden("openapi-spec-new", update=update_golden)
        await driver.press("escape")
        await driver.resize(140, 40)
        await driver.press("ctrl+n")
        driver.golden("openapi-spec-new", update=update_golden)
        await driver.burst(*"ledger")
        await driver.press("tab")
        await driver.burst(*typed(URL))
        way.losing = True
        await driver.press("ctrl+s")
        way.losing = False
        assert "ledger" in driver.screen
        assert app.session.drafts.texts() == {}
        await driver.press("u")
        assert "This deletes it with all its versions." in driver.screen
        await driver.press("y")
        assert "ledger" not in driver.screen.partition("Undone")[0]
        await driver.press("ctrl+n")
        await driver.burst(*"old")
        await driver.press("tab")
        await driver.burst(*typed(URL))
        await driver.press("ctrl+s")
        assert "Nothing was changed. There is an OpenAPI specification 'old'" in driver.screen
        # What has ended before the list is read is told all the same.
        await driver.press("escape")
        assert isinstance(driver.place, OpenAPISpecsPlace)
        driver.place.watching.read_begun(driver.selected or "")
        await driver.idle()
        assert "old: not an OpenAPI document" in driver.screen
        # What did not arrive shows as soon as it does, out of the log.
        await driver.press("ctrl+n", "ctrl+u")
        await driver.burst(*"later")
        way.losing = way.swallowing = True
        await driver.press("ctrl+s")
        way.losing = way.swallowing = False
        await driver.press("escape")
        assert "later" not in driver.screen.partition("┗")[0]
        await driver.press("@", "r", "y", "escape")  # asked: it may still be on its way
        assert "https://desk.invalid" in driver.line("later")
        await finish(world)
        await driver.press("R", "/")
        await driver.burst(*"state:failed")
        await driver.press("enter")
        assert "payments" not in driver.screen
        # What waits about one is told in its row, which requests name by its slug.
        way.gone = True
        await driver.press("e")
        await driver.burst(*typed(f"{URL}?new"))
        await driver.press("ctrl+s")
        assert driver.line("desk.invalid").startswith("┃>●» later")
        assert "» waits in the outbox: new source of openapi" in driver.screen
        await driver.press("u")
        assert "»" not in driver.screen
        way.gone = False
        await driver.press("g j")
        assert '"lastProcessErrorCode": "' in driver.screen
    reader = world.user("rui", "read")
    async with drive(open_world(world, PLACE, user=reader), "D", size=(100, 24)) as driver:
        assert "You may read this specification, not change it." in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the permission createOpenAPISpec in" in driver.screen
        world.write(lambda tx: tx.run("DELETE FROM openapi_spec"))
        await driver.press("R", ".")
        assert "There are no OpenAPI specifications in" in driver.screen


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe", "not UTF-8 text"),
        (b"a: [1", "not YAML"),
        (b"just words", "no names with values"),
        (b"{" + b'"a":{' * 5000, "nested too deep|not JSON"),
        (b"a: '\x00'", "is not text"),
    ],
)
async def test_files_that_are_no_documents(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "spec"
    path.write_bytes(data)
    with pytest.raises(NotDoneError, match=why):
        await writing.SourceAsked(file=str(path)).read()


async def test_files_that_are_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LARGEST", 2048)
    path = tmp_path / "spec"
    path.write_text("a: '" + '"' * 1500 + "'")
    with pytest.raises(NotDoneError, match="as a call it has"):
        await writing.SourceAsked(file=str(path)).read()
    path.write_bytes(b" " * 2049)
    with pytest.raises(ValueError, match="at most 10 MiB can be sent"):
        writing.SourceAsked(file=str(path))


async def test_versions_are_compared_with_the_one_before_and_with_the_latest(
    world: World, update_golden: bool
) -> None:
    for number in ("1", "2", "3"):
        text = GOOD.replace("'1'", f"'{number}'").replace("{}", f"{{/v{number}: {{}}}}")
        if number == "1":
            add(world, "pets", text)
        else:
            async with world.api() as api:
                body = OpenAPISpecPut(source=OpenAPISourceText(text=text))
                await api(ops.put_openapi_spec, world.home, "pets", body)
        await finish(world)
    async with drive(open_world(world), "g A", "enter", size=(140, 40)) as driver:
        assert driver.place.PLACE == "openapi-versions"
        await driver.settle()
        assert "-paths: {/v2: {}}" in driver.screen
        assert "+paths: {/v3: {}}" in driver.screen
        driver.golden("openapi-versions", update=update_golden)
        await driver.press("=")
        assert "This is the latest version." in driver.screen
        await driver.press("G")
        await driver.settle()
        assert "The first document" in driver.screen
        assert "paths: {/v1: {}}" in driver.screen
        await driver.press("=")
        assert "From it to the latest" in driver.screen
        assert "-paths: {/v1: {}}" in driver.screen
        assert "+paths: {/v3: {}}" in driver.screen
        await driver.resize(80, 24)
        await driver.press("enter")
        driver.golden("openapi-versions", update=update_golden)
        # Why it was not read the last time is said here too.
        async with world.api() as api:
            body = OpenAPISpecPut(source=OpenAPISourceText(text="openapi: 1"))
            await api(ops.put_openapi_spec, world.home, "pets", body)
        await finish(world)
        await driver.press("R")
        assert "Not read the last time: " in driver.screen


def test_documents_that_are_no_text_are_not_said_to_be_the_same() -> None:
    assert told("pets", [b"a\0b", b"a\0c"]) == "The documents differ, and one of them is not text."
    assert told("pets", [b"a\0b", b"a\0b"]) == "Both documents are the same."
