"""A star, labels and a note on change requests, kept on this machine: the list finds them."""

from __future__ import annotations

from copydesk.session.draft_keys import marks_key
from copydesk.session.marks import Marks, labels_wrong, note_wrong, read_labels, relabelled
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.world import World


def test_labels_as_they_are_kept() -> None:
    assert read_labels(" Urgent,docs  urgent\tStraße STRASSE") == "Urgent docs Straße"
    assert labels_wrong("a b") is None
    assert labels_wrong(" ".join(map(str, range(21)))) == "At most 20 labels."
    assert labels_wrong("x" * 41) == "A label has at most 40 characters, without spaces."
    assert note_wrong("x" * 2_000) is None
    assert note_wrong("x" * 2_001) == "At most 2,000 characters."


def test_words_that_change_the_labels_of_several() -> None:
    before = {"labels": "Urgent docs"}
    assert relabelled(before, "urgent") == {}
    assert relabelled(before, "later -URGENT") == {"labels": "docs later"}
    assert relabelled(before, "*") == {"starred": "yes"}
    assert relabelled({"starred": "yes"}, "-*, -docs") == {"starred": ""}


def listed(driver: Driver, text: str) -> bool:
    """Whether a request is in the list."""
    return any(text in each for each in driver.screen.splitlines() if each.startswith("┃"))


async def test_a_request_is_starred_labelled_and_found_by_that(
    world: World, update_golden: bool
) -> None:
    space = world.space("Guide", {"auth": "# Auth\n"})
    _, request = (
        world.change_request(space, {page: f"# {page}\n"}, subject=f"Write {page}")
        for page in ("limits", "retries")
    )
    async with drive(open_world(world, "changes"), size=(80, 24)) as driver:
        await driver.press("T")
        await driver.press("right", "tab")
        await driver.burst(*typed("Urgent docs"))
        await driver.press("tab")
        await driver.burst(*typed("Ask lee."))
        await driver.press("escape")
        assert "★" not in driver.screen
        assert driver.app.session.drafts.own_text(marks_key(space, request))
        # The draft leads back to it.
        await driver.press("g d")
        assert "own labels and note" in driver.screen
        await driver.press("enter")
        assert "Marks of #2 Write retries" in driver.screen
        await driver.press("ctrl+s")
        assert "★ Write retries" in driver.screen
        assert "mine     ★ Urgent docs" in driver.screen
        driver.golden("marks.list", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("marks.list", update=update_golden)
        await driver.press("T")
        driver.golden("marks.form", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("marks.form", update=update_golden)
        await driver.press("x")
        assert "No option begins with x: left and right go through them." in driver.screen
        lines = driver.screen.splitlines()
        column, row = driver.app.cursor_position
        assert lines[row][column:].startswith("< starred >"), "the real cursor is where one is"
        await driver.press("right")
        assert "No option begins with x" not in driver.screen
        await driver.press("left", "escape")
        await driver.resize(140, 40)
        await driver.press("/")
        await driver.burst(*typed("is:starred label:urg"), "enter")
        assert listed(driver, "Write retries")
        assert not listed(driver, "Write limits")
        await driver.press("u")
        assert not listed(driver, "★")
        await driver.press("ctrl+r")
        assert listed(driver, "★ Write retries")
        # In the review of it too.
        await driver.press("enter", "T")
        assert "Urgent docs" in driver.screen
        await driver.press("left", "ctrl+s")
        await driver.press("q")
        assert "★ Write retries" not in driver.screen
        assert "mine     Urgent docs" in driver.screen


async def test_what_another_window_marked_meanwhile_stays(world: World) -> None:
    space = world.space("Guide", {"auth": "# Auth\n"})
    request = world.change_request(space, {"auth": "# Sign in\n"}, subject="Write auth")
    async with drive(open_world(world, "changes"), size=(80, 24)) as driver:
        marks = driver.app.session.marks
        other = Marks(marks.store)
        await other.put(request, {"labels": "urgent"})
        await driver.press("T")
        assert "urgent" in driver.screen
        await other.put(request, {"note": "Ask lee."})
        await driver.press("right", "ctrl+s")
        await other.read()
        assert other.of(request) == {"labels": "urgent", "note": "Ask lee.", "starred": "yes"}
        await driver.press("u")
        await other.read()
        assert other.of(request) == {"labels": "urgent", "note": "Ask lee."}


async def test_marked_requests_are_labelled_together(world: World) -> None:
    space = world.space("Guide", {"auth": "# Auth\n"})
    first, second, third = (
        world.change_request(space, {page: f"# {page}\n"}, subject=f"Write {page}")
        for page in ("limits", "retries", "tokens")
    )
    async with drive(open_world(world, "changes"), size=(140, 40)) as driver:
        marks = driver.app.session.marks
        await marks.put(second, {"labels": "later"})
        await driver.press("j", "v", "j", "v", "k", "k", "T")
        assert "Label 2 marked change requests" in driver.screen
        await driver.burst(*typed("urgent -later *"), "enter")
        await driver.idle()
        await driver.press("y", "escape")
        assert marks.of(first) == {"labels": "urgent", "starred": "yes"}
        assert marks.of(second) == {"labels": "urgent", "starred": "yes"}
        assert marks.of(third) == {}, "the row under the cursor is not marked"
        await driver.press("u")
        assert (marks.of(first), marks.of(second)) == ({}, {"labels": "later"})
