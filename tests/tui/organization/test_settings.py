"""The settings of an organization whose service answers with what is not understood."""

from __future__ import annotations

from typing import Any

from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.strange import strange
from tests.world import World


async def test_rules_that_cannot_be_read_completely_are_not_changed(world: World) -> None:
    # What the dialog does not know of would be taken away as it is saved.
    def change(value: Any) -> None:
        value["mergeRules"] = {"type": "rules", "rules": [{"rule": {"odd": True}}]}

    api = strange(world, f"/orgs/{world.home}", change)
    async with drive(open_world(world, "organization", api=api)) as driver:
        await driver.press("/", *"merge", "enter", "e")
        assert "Merge rules of the organization" not in driver.screen
        assert "is not understood" in driver.screen


async def test_a_rule_that_is_not_known_is_kept_or_taken_away(world: World) -> None:
    def change(value: Any) -> None:
        rules = [{"rule": "custom", "expression": "1 > 0"}, {"rule": "require_one", "users": []}]
        value["mergeRules"] = {"type": "rules", "rules": rules}

    api = strange(world, f"/orgs/{world.home}", change)
    async with drive(open_world(world, "organization", api=api)) as driver:
        await driver.press("/", *"merge", "enter", "e")
        await driver.press("k", "space")
        await driver.press("ctrl+s")
        assert "“custom” cannot be sent from here: space unticks it." in driver.screen
        await driver.press("space", "ctrl+s")
        assert "Merge rules of the organization" not in driver.screen


async def test_a_rule_of_a_service_that_takes_more_people_is_sent_with_the_others(
    world: World,
) -> None:
    people = [f"user{n}" for n in range(101)]

    def change(value: Any) -> None:
        rules = [{"rule": "require_one_of_specific_reviewers", "users": people}]
        value["mergeRules"] = {"type": "rules", "rules": rules}

    api = strange(world, f"/orgs/{world.home}", change)
    async with drive(open_world(world, "organization", api=api)) as driver:
        await driver.press("/", *"merge", "enter", "e")
        await driver.press("j", "space", "ctrl+s")
        assert "Merge rules of the organization" not in driver.screen
        # One's own desk has a bound, and says it.
        assert "users: List should have at most 100 items" in " ".join(driver.screen.split())
