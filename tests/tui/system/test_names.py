"""``ctrl+p`` and ``:`` find spaces, requests and people by their names, from what is kept here."""

from __future__ import annotations

from copydesk.domain.known_name import Kind, KnownName
from copydesk.local.marks import DeskUses
from copydesk.local.state import State
from copydesk.session.names import FOUND, LOOKED_AT, KnownNames
from tests.drive import drive
from tests.hostile import POISON
from tests.tui.opening import open_world, typed
from tests.tui.review_world import ReviewWorld
from tests.world import World


async def test_what_has_a_name_is_gone_to_from_the_palette_and_the_line(world: World) -> None:
    review = ReviewWorld(world)
    other = world.organization("Globex", world.ana)
    far = world.space("Far guide", {"start": "# Start\n"}, organization=other)
    request = KnownName("change-request", review.request, f"Hooks {POISON}", review.space, 1)
    names: dict[Kind, list[KnownName]] = {
        "space": [
            KnownName("space", review.space, "API reference"),
            KnownName("space", far, "Far guide"),
        ],
        "change-request": [request],
        "person": [KnownName("person", "p", "Wilhelmina")],
    }
    app = open_world(world)
    app.session.names = KnownNames(lambda kind: names.get(kind, []))
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("ctrl+p")
        await driver.burst(*typed("farg"), "enter")
        await driver.idle()
        assert (driver.place.PLACE, driver.place.target.space) == ("pages", far)
        assert driver.app.session.organization == other
        # A hostile title is shown clean, and leads to its request.
        await driver.press("ctrl+p")
        await driver.burst(*typed("hooks"))
        assert "#1" in driver.screen
        assert "\x1b" not in driver.screen
        await driver.press("enter")
        await driver.idle()
        assert driver.place.PLACE == "review"
        # Behind the colon a word that is none is a name; Tab writes it out.
        await driver.press(":")
        await driver.burst(*typed("api ref"))
        assert "API reference" in driver.screen
        await driver.press("tab", "enter")
        await driver.idle()
        assert (driver.place.PLACE, driver.place.target.space) == ("pages", review.space)
        await driver.press(":")
        await driver.burst(*typed("wilhel"), "enter")
        await driver.idle()
        assert driver.place.PLACE == "members"
        await driver.press(":")
        await driver.burst(*typed("zzzz"), "enter")
        assert "There is no :zzzz here." in driver.screen


async def test_names_are_ranked_by_match_then_use_then_age() -> None:
    spaces = [KnownName("space", f"s{at}", f"Guide {at}") for at in range(3)]
    spaces.append(KnownName("space", "other", "The guide"))
    uses = DeskUses(State())
    names = KnownNames(lambda kind: spaces if kind == "space" else [], uses)
    await names.load()
    assert [each.title for each in names.found("guide")] == [
        "Guide 0", "Guide 1", "Guide 2", "The guide",
    ]  # fmt: skip
    for _ in range(2):
        await names.used(names.found("guide 2")[0])
    await names.used(names.found("the guide")[0])
    await names.load()
    assert [each.title for each in names.found("guide")] == [
        "Guide 2", "Guide 0", "Guide 1", "The guide",
    ]  # fmt: skip
    assert uses.read() == {("space", "other"): 1, ("space", "s2"): 2}


async def test_a_key_looks_at_few_names_however_many_there_are() -> None:
    spaces = [KnownName("space", f"s{at}", f"Guide {at}") for at in range(10 * LOOKED_AT)]
    names = KnownNames(lambda kind: spaces if kind == "space" else [])
    await names.load()
    assert max(map(len, names._index.values())) == LOOKED_AT
    assert len(names.found("guide")) == FOUND
