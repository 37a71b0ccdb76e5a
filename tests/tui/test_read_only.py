"""A session that only reads: what writes is away, and what stays on this machine goes on."""

from __future__ import annotations

from copydesk.contract import operations
from copydesk.contract.operations import CATALOGUE
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.arrange import place as arranging_place
from copydesk.tui.framework.actions import Action, Command, declared, declared_commands, is_read
from copydesk.tui.framework.pane import offered
from copydesk.tui.review.pages import PageReader
from copydesk.tui.system import reference
from copydesk.tui.system.help import offers, rows
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

HINTS = {
    "changes": {
        "No drafts. ctrl+n starts a change request.": "No drafts.",
        "It is a draft: W makes it open": "It is a draft",
        "a approves it, A asks for changes; w asks people.": "",
        "It is installed nowhere that you see. Esc, then a installs it.": (
            "It is installed nowhere that you see."
        ),
        "not read: R reads it again. j goes on.": "not read: R reads it again. j goes on.",
        "none, and no one was asked (w asks)": "none, and no one was asked",
    },
    "review": {
        "No thread here. } goes to the next open one; c starts one on this line.": (
            "No thread here. } goes to the next open one."
        ),
        "Only the service can tell: m, then y asks it to merge.": "Only the service can tell.",
    },
    "organization-structure": {
        "A list is here: J and K move a row, e changes it; y copies it.": (
            "A list is here: y copies it."
        ),
    },
}
"""What is said where something can be done, and what is left of it where nothing is written."""

PAGES = {"limits": "# Limits\n\nTen a minute.\n"}


def _everything() -> list[Action | Command]:
    return [*declared(), *declared_commands()]


def test_what_writes_is_told_by_the_names_of_operations() -> None:
    assert {name for name in CATALOGUE if is_read(name)} == {
        name for name, each in CATALOGUE.items() if each.reads
    }
    reference.load_everything()
    everything = _everything()
    assert all(each.writes or all(map(is_read, each.operations())) for each in everything)
    # What may be done only by who may change something stages what is sent later.
    staging = [each for each in declared() if arranging_place.not_allowed in each.unless]
    assert len(staging) > 10
    assert all(each.writes for each in staging)
    writing = {each.id for each in everything if each.writes}
    assert writing >= {
        "marks.mark",
        "merge_run.end",
        "arranging:move",
        "organization_structure:into",
    }
    # Nothing that moves, looks, copies or stays on this machine.
    assert not {each for each in writing if each.startswith(("place", "go", "drafts"))}
    assert not writing.intersection(each.id for each in PageReader.ACTIONS.values())
    assert not writing & {"changes.snooze", "changes.save_view", "arranging.undo"}


def _offered(app: CopydeskApp) -> set[str]:
    """Return the ids of all that the help and the palette of the place in front offer."""
    helped = {row.id for row in rows(app.keyboard.chain(), app.keyboard)}
    return helped | {option.id for option, _ in offers(app)}


async def test_keys_that_write_are_away_and_say_so(world: World) -> None:
    space = world.space("Platform guide", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nEight.\n"}, subject="Eight")
    request = world.change_request(space, {"limits": "# Limits\n\nNine.\n"}, subject="Nine")
    writing = {each.id for each in _everything() if each.writes}
    free, bound = open_world(world, "changes"), open_world(world, "changes")
    bound.session.read_only, bound.session.profile = True, "work"
    bound.session.journal = free.session.journal

    async with drive(free) as driver:
        assert writing & _offered(free)
        await driver.press("x")
        assert "Archive" in driver.screen

    async with drive(bound) as driver:
        assert driver.screen.startswith(" work read-only  Acme")
        for place, keys in (
            ("changes", {"x": "archive/reopen", "space": "mark", "m": "merge", "*": ""}),
            ("review", {"c": "comment", "a": "approve"}),
            ("organization-structure", {"D": "delete", ">": "into", "ctrl+s": "send"}),
        ):
            target = Target(organization=world.home, space=space, change_request=request)
            await bound.go(place, target if place != "changes" else None)
            await driver.idle()
            assert not writing & _offered(bound), place
            foot = driver.screen.splitlines()[-1]
            for key, label in keys.items():
                assert not label or f"{key} {label}" not in foot
                await driver.press(key)
                assert f"Read-only: {label}" in driver.screen, (place, key)
                assert "(profile work)" in driver.screen
            # What is off is not named either, whatever else a sentence tells.
            for told, left in HINTS[place].items():
                assert offered(driver.place.query_one(VirtualList), told) == left
            assert "J and K move" not in driver.screen
        await driver.press(":")
        await driver.type("transfe")
        assert "transfer" not in driver.screen.splitlines()[-2]
        await driver.type("r x")
        await driver.press("enter")
        assert "Read-only: :transfer is off" in driver.screen
        # Taking back what an earlier run wrote is a write; a snooze is not, nor is its way back.
        await bound.go("undo")
        await driver.idle()
        await driver.press("u")
        assert "Read-only: undo is off" in driver.screen
        await bound.go("changes")
        await driver.idle()
        await driver.press("b")
        assert "Snoozed" in driver.screen
        await driver.press("u")
        assert "Undone: Snooze" in driver.screen

    async with world.api() as api:
        assert (await api(operations.get_change_request, space, request)).status == "archived"
