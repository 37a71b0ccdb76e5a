"""``ctrl+p`` and ``:`` find spaces, requests and people by their names, from what is kept here."""

from __future__ import annotations

from copydesk.domain.known_name import Kind, KnownName
from copydesk.local.marks import DeskUses
from copydesk.local.state import State
from copydesk.session.names import FOUND, LOOKED_AT, KnownNames
from copydesk.session.target import Target
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


async def test_the_line_takes_a_name_only_where_it_offers_one(world: World) -> None:
    review = ReviewWorld(world)
    titles = ["Web guide", "Where to begin", "Create a token", "Source"]
    spaces = [KnownName("space", review.space, title) for title in titles]
    app = open_world(world)
    app.session.names = KnownNames(lambda kind: spaces if kind == "space" else [])
    said = {
        # The beginning of a command, and not of what is called Web guide.
        "who": ":who may be :whoami. Tab completes it.",
        # What works elsewhere is told to, and leads to nothing that happens to be called so.
        "w": ":w works in Collections and spaces, Order of pages and Site structure, not here.",
        "revert": ":revert works in Review, not here.",
        "where": " not here.",
    }
    async with drive(app, "g c", size=(140, 40)) as driver:
        for text, sentence in said.items():
            await driver.press(":")
            await driver.burst(*typed(text), "enter")
            await driver.idle()
            assert driver.place.PLACE == "changes", text
            assert sentence in driver.screen
        await driver.press(":")
        await driver.burst(*typed("revert"))
        assert said["revert"] in driver.screen, "before it is entered, too"
        await driver.press("escape", ":")
        await driver.burst(*typed("where to"), "enter")
        await driver.idle()
        assert driver.place.PLACE == "pages", "more words are a name"
        await driver.press("q", ":")
        await driver.burst(*typed("source"), "enter")
        await driver.idle()
        assert driver.place.PLACE == "pages", "and so is a whole one"


async def test_words_of_other_programs_lead_to_what_they_mean(world: World) -> None:
    review = ReviewWorld(world)
    space = KnownName("space", review.space, "Create a token")
    app = open_world(world)
    app.session.names = KnownNames(lambda kind: [space] if kind == "space" else [])
    async with drive(app, size=(140, 40)) as driver:
        await driver.press(":")
        await driver.burst(*typed("cr"))
        assert "changes" in driver.screen.splitlines()[-2]
        await driver.press("enter")
        assert driver.place.PLACE == "changes"


async def test_views_are_completed_by_their_titles_in_any_case(world: World) -> None:
    ReviewWorld(world)
    async with drive(open_world(world), "g c", size=(140, 40)) as driver:
        await driver.press(":")
        await driver.burst(*typed("view merg"))
        assert "Merged" in driver.screen.splitlines()[-2]
        await driver.press("tab")
        assert ":view Merged" in driver.screen
        await driver.press("enter")
        assert driver.place.view == "merged"
        await driver.press(":")
        await driver.burst(*typed("view m"), "tab")
        assert ":view M" in driver.screen, "Mine and Merged both begin so"


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


async def test_a_screen_of_one_thing_says_without_it_where_it_is_chosen(world: World) -> None:
    review = ReviewWorld(world)
    ways = {
        "team-members": "g T", "member": "g w", "integration": "g I", "openapi-versions": "g A",
        "finding": "g q", "question": "g q", "collection-spaces": "g s", "blame": "g p",
        "backlinks": "g p", "review": "g c", "page-arrangement": "g c",
    }  # fmt: skip
    async with drive(open_world(world), size=(140, 40)) as driver:
        await driver.press("g d")  # a screen of nothing
        for name, keys in ways.items():
            await driver.press(":")
            await driver.burst(*typed(name), "enter")
            await driver.idle()
            assert name == driver.place.PLACE
            said = " ".join(driver.screen.split())
            assert "is chosen" in said, name
            assert f"{keys} goes" in said, name
            assert "Reading…" not in said, name
            await driver.press("q")
        # Of a page in front they show that.
        driver.app.go_soon("pages", Target(world.home, review.space))
        await driver.idle()
        await driver.press("enter")
        for name in ("blame", "backlinks"):
            await driver.press(":")
            await driver.burst(*typed(name), "enter")
            await driver.idle()
            assert name == driver.place.PLACE
            assert "is chosen" not in driver.screen
            await driver.press("q")
