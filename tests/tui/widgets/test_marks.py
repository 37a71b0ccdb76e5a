"""Marks: what an action does to rows it does to those that are marked, or it refuses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from copydesk.domain.reversal import NEW
from copydesk.server.conversation_writes import add_cluster, add_conversation, add_issue
from copydesk.server.site_writes import add_section, add_site, add_site_space
from copydesk.server.transaction import Tx
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.arrange.place import ArrangingPlace
from copydesk.tui.conversations.cluster_edits import IssueKeys
from copydesk.tui.dialogs.choice import Choice, Choices
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.form import Form
from copydesk.tui.framework.actions import Action, Command
from copydesk.tui.framework.navigation import ENTRIES, load_all
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.list import VirtualList
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.world import World

Rows = Mapping[str, object]
"""How rows stand, by id: what differs later was touched."""

Reading = Callable[[Driver, Collection[str]], Rows]
"""Reads how rows stand; of the marked ones also where."""


@dataclass
class Listed:
    """A place with a list that has marks."""

    app: CopydeskApp
    read: Reading
    before: Sequence[str] = ()
    """What is pressed before rows are marked."""


def on_desk(world: World, **columns: str) -> Rows:
    """Return the rows of tables by the ids in the columns that are named."""

    def read(tx: Tx) -> Rows:
        found: dict[str, list[str]] = {}
        for table, column in columns.items():
            for row in tx.all(f"SELECT * FROM {table}"):
                found.setdefault(str(row[column]), []).append(f"{table} {tuple(row)}")
        return {row: sorted(held) for row, held in found.items()}

    return world.store.read(read)


def changes(world: World) -> Listed:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"limits": "# Limits\n", "auth": "# Auth\n"})
    for number in range(4):
        world.change_request(space, {"limits": f"# {number}\n"}, subject=f"Row {number}", by=lee)
    world.commit(space, {"auth": "# Auth, later\n"})
    tables = {"review": "change_request_id", "requested_reviewer": "change_request_id"}

    def read(driver: Driver, marked: Collection[str]) -> Rows:
        app, rows = driver.app, on_desk(world, change_request="id", **tables)
        run = app.merging.run
        planned = [] if run is None else [each.request for each in run.items]
        asleep = app.session.snoozed.held
        return {row: (held, asleep.get(row), row in planned) for row, held in rows.items()}

    return Listed(open_world(world, "changes", Target(view="open")), read)


def people(world: World) -> Listed:
    team = world.team("Docs", *(world.user(name) for name in ("lee", "priya", "sam", "zoe")))
    target = Target(organization=world.home, item=team)
    return Listed(
        open_world(world, "team-members", target),
        lambda driver, marked: on_desk(world, team_member="user_id"),
    )


def arranged(driver: Driver, marked: Collection[str]) -> Rows:
    """Return what rows hold, and where they stand among those that are not marked."""
    place = driver.place
    assert isinstance(place, ArrangingPlace)
    now, found = place.draft.arrangement.now, dict[str, object]()
    for level, rows in now.levels.items():
        for at, row in enumerate(rows):
            others = (each for each in rows[:at] if each not in marked)
            before = [each for each in others if not each.startswith(NEW)]
            state = place.draft.arrangement.states.get(row)
            gone = state is not None and state.removed
            found[row] = (level, before, now.items[row].values, gone)
    return found


def site(world: World) -> Listed:
    spaces = [world.space(title) for title in ("English", "French", "German", "Latin")]

    def write(tx: Tx) -> str:
        made = add_site(tx, world.home, "Acme docs", hostname="acme.test", published=True)
        section = add_section(tx, made, "Guides")
        for space in spaces:
            add_site_space(tx, made, space, section=section)
        return made

    target = Target(organization=world.home, site=world.write(write))
    return Listed(open_world(world, "site-structure", target), arranged, ("j", "j"))


def tree(world: World) -> Listed:
    product = world.collection("Product")
    for title in ("Handbook", "Legal", "Support", "Web SDK"):
        world.space(title, parent=product)
    target = Target(organization=world.home)
    return Listed(open_world(world, "organization-structure", target), arranged, ("j", "j"))


def asked(world: World, *, clustered: bool) -> str | None:
    """Fill a desk with issues, and a change request that could answer them."""
    world.change_request(world.space("Guide", {"a": "# A\n"}), {"a": "# B\n"}, subject="Say it")

    def write(tx: Tx) -> str | None:
        made = add_cluster(tx, world.home, "Sign-in") if clustered else None
        for number in range(4):
            talk = add_conversation(tx, world.home, [("user", f"Help {number}")], source="email")
            add_issue(tx, world.home, talk, f"Issue {number}", summary="", cluster_id=made)
        return made

    return world.write(write)


def issues(world: World) -> Listed:
    asked(world, clustered=False)
    return Listed(open_world(world, "issues"), lambda driver, marked: on_desk(world, issue="id"))


def clustered(world: World) -> Listed:
    target = Target(organization=world.home, cluster=asked(world, clustered=True))
    return Listed(
        open_world(world, "clusters", target), lambda driver, marked: on_desk(world, issue="id")
    )


def findings(world: World) -> Listed:
    space = world.space("Guide", {"a": "# A\n"})

    def write(tx: Tx) -> str:
        made = add_site(tx, world.home, "Acme docs", hostname="acme.test", published=True)
        add_site_space(tx, made, space, section=add_section(tx, made, "Guides"))
        for number in range(4):
            cluster = add_cluster(tx, world.home, f"Problem {number}")
            for _ in range(5):  # so many make it a finding to work on
                talk = add_conversation(tx, world.home, [("user", "Help")], source="email")
                add_issue(tx, world.home, talk, "Issue", summary="", cluster_id=cluster)
        return made

    target = Target(organization=world.home, site=world.write(write))
    tables = {"finding": "id", "finding_request": "finding_id"}
    return Listed(
        open_world(world, "findings", target), lambda driver, marked: on_desk(world, **tables)
    )


ACT: Mapping[str, str] = {
    "findings": "ctrl+n",
    "issues": "m c ctrl+n L",
    "clusters": "m c",
    "changes": "x W U m M b a A w",
    "team-members": "e D",
    "site-structure": "J K x D",
    "organization-structure": "J K > < x D into",
}
"""What does something to marked rows; all else that writes to rows refuses."""

LISTS: Mapping[str, Callable[[World], Listed]] = {
    "findings": findings,
    "issues": issues,
    "clusters": clustered,
    "changes": changes,
    "team-members": people,
    "site-structure": site,
    "organization-structure": tree,
}


async def answer(driver: Driver) -> None:
    """Say yes to all that is asked."""
    for _ in range(6):
        screen = driver.app.screen
        if isinstance(screen, Place):
            return
        if isinstance(screen, Choices):
            await driver.press("space", "ctrl+s")
        elif isinstance(screen, Choice):
            await driver.press("enter")
        elif isinstance(screen, WriteSheet):
            await driver.type("Why?")
            await driver.press("ctrl+s")
        elif isinstance(screen, Form):
            field: Any = screen.focused
            field.put("owner")
            await driver.press("ctrl+s")
        else:
            await driver.press("y")
        if driver.app.screen is screen:
            await driver.press("escape")


async def press(driver: Driver, each: Action | Command) -> None:
    """Do an action by its key, or a word of the command line by its name."""
    if isinstance(each, Action):
        await driver.press(each.keys[0])
    else:
        await driver.press(":")
        await driver.burst(*typed(each.name), "enter")


async def acting(name: str, left: list[Action | Command]) -> list[str]:
    """Do what is left with rows marked beside the cursor, and take it from there.

    Returns the key or the word of what did it to all of these. It ends where something was done,
    or where the screen, the marks or the cursor are not what they were.
    """
    world = World()
    try:
        listed = LISTS[name](world)
        async with drive(listed.app, *listed.before, "space", "space", size=(140, 40)) as driver:
            place, rows = driver.place, driver.place.marking
            assert isinstance(rows, VirtualList)
            marked, here = set(rows.marks), rows.selected_id
            assert place.focused is rows
            assert len(marked) == 2
            assert here not in {None, *marked}
            before = listed.read(driver, marked)
            while left and driver.app.screen is place and place.focused is rows:
                if (set(rows.marks), rows.selected_id) != (marked, here):
                    break
                each = left.pop(0)
                await press(driver, each)
                one = each.writes and each.takes in (None, "one")
                refusal = f"2 {rows.MARKED}: “{each.label}” does one at a time."
                assert not one or refusal in driver.screen, each.id
                await answer(driver)
                after = listed.read(driver, marked)
                touched = {row for row, stands in before.items() if after.get(row) != stands}
                assert touched in (set(), marked), f"{each.id} touched others than those marked"
                if touched:
                    return [each.keys[0] if isinstance(each, Action) else each.name]
            return []
    finally:
        world.close()


def offered(name: str) -> Iterator[Action | Command]:
    """Yield all actions and words of a place, but for what every place has."""
    load_all()
    place = ENTRIES[name].place
    of_rows = (IssueKeys,) if name in ("issues", "clusters") else ()
    for owner in (*of_rows, *place.owner_classes()):
        yield from (each for each in owner.ACTIONS.values() if each.scope != "place")
        yield from (each for each in owner.LINE_COMMANDS.values() if each.scope != "place")


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
async def test_no_action_touches_a_row_beside_those_that_are_marked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for the reports that are written
    left, acted = list(offered(name)), list[str]()
    while left:
        acted += await acting(name, left)
    assert sorted(acted) == sorted(ACT[name].split())


async def test_every_list_with_marks_is_walked() -> None:
    load_all()
    there, ways = set[type](), list[type[VirtualList[Any]]]([VirtualList])
    while ways:
        ways += (below := ways.pop().__subclasses__())
        there |= {each for each in below if "mark" in each.ACTIONS}
    walked = set[type]()
    for make in LISTS.values():
        world = World()
        async with drive(make(world).app) as driver:
            walked.add(type(driver.place.marking))
        world.close()
    assert walked == {each for each in there if each.__module__.startswith("copydesk.")}
