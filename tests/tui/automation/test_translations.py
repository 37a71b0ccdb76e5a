"""Translations: made, run, instructed and deleted on a real desk."""

from __future__ import annotations

from collections.abc import Callable

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.enumerations import Language
from copydesk.contract.models.translation import (
    Translation,
    TranslationCreate,
    TranslationSourceWrite,
)
from copydesk.domain.documents import document_to_markdown, markdown_to_document
from copydesk.tui.automation.translations import TranslationsPlace
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World

HOSTILE = "Guide\x1b[2J\u202e [bold]🦊"
PAGES = {"index": "Welcome.", "pay": "How to pay."}

Write = Callable[[str], None]


async def all_of(world: World) -> list[Translation]:
    async with world.api() as api:
        return [each async for each in api.pages(ops.list_translations, world.home)]


async def settled(world: World, driver: Driver) -> None:
    """Let the desk come to its end, and the list learn of it."""
    await all_of(world)
    world.settle()
    assert isinstance(driver.place, TranslationsPlace)
    driver.place.watching.look_again()
    await driver.idle()


async def make(world: World, space: str, language: Language, text: str = "") -> None:
    body = TranslationCreate(language=language, source=TranslationSourceWrite(space=space))
    if text:
        body.instructions = markdown_to_document(text)
    async with world.api() as api:
        await api(ops.create_translation, world.home, body)
    world.settle()


async def test_translations_are_made_instructed_run_and_deleted(
    world: World, editor: Write, update_golden: bool
) -> None:
    world.space("Guide", PAGES)
    way = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, api=api)
    async with drive(app, "g L", size=(80, 24)) as driver:
        assert "No space is translated yet. ctrl+n has one translated." in driver.screen
        await driver.press("ctrl+n")
        driver.golden("translation-new", update=update_golden)
        await driver.press("escape")
        await driver.resize(140, 40)
        await driver.press("ctrl+n")
        driver.golden("translation-new", update=update_golden)
        await driver.press("ctrl+s")
        assert "it has to be filled in" in driver.line("Space")
        await driver.press("ctrl+o", "enter")
        assert driver.line("   Guide   ")
        await driver.press("tab", "d", "tab", "tab")
        await driver.burst(*typed("Say Sie."))
        way.losing = True
        await driver.press("ctrl+s")
        way.losing = False
        (made,) = await all_of(world)
        assert driver.selected == made.id
        assert app.session.drafts.texts() == {}
        await settled(world, driver)
        assert "completed" in driver.screen
        (made,) = await all_of(world)
        assert made.instructions is not None
        assert document_to_markdown(made.instructions) == "Say Sie."
        assert made.language == "de"

        editor("Say **du**.\n")
        await driver.press("e")
        assert "+ Say **du**." in driver.screen
        await driver.press("y")
        assert "Say **du**." in driver.screen
        editor("")
        await driver.press("e", "y")
        assert (await all_of(world))[0].instructions is None
        await driver.press("u")
        await driver.press("u")
        (again,) = await all_of(world)
        assert again.instructions == made.instructions

        await driver.press("U")
        assert "The last run wrote 2 pages." in driver.screen
        await driver.press("y")
        await settled(world, driver)
        (again,) = await all_of(world)
        assert again.stats.runs == 2
        world.write(lambda tx: tx.run("UPDATE translation SET status = 'pending'"))
        await driver.press("R", "U")
        assert "The translation is running: wait until it is completed." in driver.screen
        await settled(world, driver)

        await driver.press("D")
        assert "stays as it is" in driver.screen
        await driver.burst(*"de")
        await driver.press("ctrl+s")
        assert await all_of(world) == []
        await driver.press("u")
        assert "cannot be undone" in driver.screen
        # What it wrote is in the way of nothing: it is translated anew.
        await driver.press("ctrl+n", "ctrl+o", "enter", "tab", "f", "ctrl+s")
        await settled(world, driver)
        await driver.press("u", "y")
        assert await all_of(world) == []


async def test_a_list_of_translations_and_of_who_may_only_read(
    world: World, update_golden: bool
) -> None:
    guide = world.space(HOSTILE, PAGES)
    old = world.space("Old", PAGES)
    await make(world, guide, "pt-br", "Say **você**.\n\n- Keep names")
    await make(world, old, "fi")
    async with world.api() as api:
        await api(ops.delete_space, old)
    async with drive(open_world(world), "g L", size=(140, 40)) as driver:
        driver.golden("translations", update=update_golden)
        await driver.press("U")
        assert "no longer there for you" in driver.screen
        await driver.press("j")
        await driver.resize(80, 24)
        driver.golden("translations", update=update_golden)
        await driver.press("/")
        await driver.burst(*"language:fi")
        await driver.press("enter")
        assert "você" not in driver.screen
        await driver.press("escape", "g g", "j", "g j")
        assert '"instructions"' in driver.screen
        await driver.press("q", "enter")
        assert "How to pay" in driver.screen or "Pay" in driver.screen
    reader = world.user("rui", "read")
    app = open_world(world, "translations", user=reader)
    async with drive(app, "e", size=(80, 24)) as driver:
        assert "You may read this translation, not change it." in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the role create in" in driver.screen
