"""Clusters by hand: made, named, joined, closed and deleted, each taken back, on a real desk."""

from __future__ import annotations

from datetime import timedelta

import pytest

from copydesk.server import conversation_writes
from copydesk.server.store import Tx
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import START, World

SIZES = pytest.mark.parametrize("size", [(80, 24), (140, 40)])


def ask(world: World) -> dict[str, str]:
    """Fill a desk with two clusters and an issue in none; return ids by what they are called."""
    world.clock.now = START
    space = world.space("Guide", {"login": "# Sign in\n"})
    ids: dict[str, str] = {"space": space}

    def write(tx: Tx) -> None:
        for label, many in (("Sign-in fails", 4), ("Login broken", 2), ("", 2)):
            if label:
                ids[label] = conversation_writes.add_cluster(
                    tx, world.home, label, summary=f"About {label}."
                )
            for nth in range(many):
                said = f"{label or 'Stray'} case {nth}"
                when = START - timedelta(days=nth, hours=len(label))
                talk = conversation_writes.add_conversation(
                    tx, world.home, [("user", f"{said}: the café screen stays grey, kim@x.test")],
                    source=("email", "intercom")[nth % 2], subject=said, created_at=when,
                    source_url=f"https://support.test/{nth}", attributes={"plan": "pro"},
                )  # fmt: skip
                ids[said] = conversation_writes.add_issue(
                    tx, world.home, talk, said, summary="It stays grey.",
                    cluster_id=ids.get(label), created_at=when,
                )  # fmt: skip
        for nth in range(2):
            tx.insert(
                "suggestion", issue_id=ids[f"Stray case {nth}"],
                cluster_id=ids["Sign-in fails"], similarity=0.8 - nth / 10,
            )  # fmt: skip

    world.write(write)
    return ids


def held(world: World) -> dict[str, list[str]]:
    """Return the titles of the issues by the name of their cluster."""
    rows = world.store.read(
        lambda tx: tx.all(
            "SELECT issue.title, coalesce(cluster.label, '') AS label FROM issue "
            "LEFT JOIN cluster ON cluster.id = cluster_id ORDER BY issue.title"
        )
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["label"], []).append(row["title"])
    return found


async def fill_in(driver: Driver, text: str) -> None:
    """Put a text in the field in front, in the place of what is there, and send the form."""
    field = driver.app.screen.focused
    field.put(text)  # type: ignore[union-attr]  # a field of a form
    await driver.press("ctrl+s")


@SIZES
async def test_issues_are_marked_split_moved_and_put_back(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    ids = ask(world)
    before = held(world)
    target = Target(organization=world.home, cluster=ids["Sign-in fails"])
    async with drive(open_world(world, "clusters", target), size=size) as driver:
        await driver.press("space", "space")
        driver.golden("clusters-marked", update=update_golden)
        await driver.press("c")
        await fill_in(driver, "Two of them")
        assert held(world)["Two of them"] == ["Sign-in fails case 0", "Sign-in fails case 1"]
        assert "Made “Two of them” of 2 issues" in driver.screen
        # The reader goes on with what is left, and u puts back what went.
        assert "Sign-in fails case 2" in driver.screen
        await driver.press("u")
        assert held(world) == before
        assert "Sign-in fails case 0" in driver.screen
        assert "press . " not in driver.screen
        await driver.press("Z")
        assert len(held(world)["Two of them"]) == 2
        await driver.press("u")
        await driver.press("m")
        await driver.type("login")
        driver.golden("clusters-move", update=update_golden)
        await driver.press("enter")
        assert "Moved 1 issue to “Login broken" in driver.screen
        assert len(held(world)["Login broken"]) == 3
        await driver.press("u")
        assert held(world) == before
        await driver.press("m")
        await driver.type("no cluster")
        await driver.press("enter")
        assert len(held(world)[""]) == 3
        await driver.press("u")
        assert held(world) == before
        # It comes back also where its cluster is closed.
        world.write(lambda tx: tx.update("cluster", ids["Sign-in fails"], closed_at=tx.now))
        await driver.press("m")
        await driver.type("no cluster")
        await driver.press("enter")
        assert len(held(world)[""]) == 3
        await driver.press("u")
        assert held(world) == before


@SIZES
async def test_a_cluster_is_named_closed_joined_deleted_and_put_back(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    ids = ask(world)
    before = held(world)

    def row(name: str = "Sign-in fails") -> dict[str, object]:
        return dict(world.row("cluster", ids[name]))

    async with drive(open_world(world, "clusters"), size=size) as driver:
        await driver.press("e")
        await fill_in(driver, "Sign-in stays grey")
        assert (row()["label"], row()["named"]) == ("Sign-in stays grey", "hand")
        assert "Sign-in stays grey" in driver.screen
        await driver.press("u")
        assert row()["label"] == "Sign-in fails"
        await driver.press("x")
        assert row()["closed_at"] is not None
        assert "Closed Sign-in fails. u opens it again." in driver.screen
        await driver.press("6")
        driver.golden("clusters-closed", update=update_golden)
        assert "x open again" in driver.screen or size[0] == 80
        await driver.press("x")
        assert row()["closed_at"] is None
        await driver.press("1", "A")
        assert "No unclustered issue looks like these." in driver.screen
        await driver.press("m", "ctrl+s")
        assert "Nothing is ticked yet: space ticks the line of the cursor." in driver.screen
        await driver.press("space")
        assert "Nothing is ticked yet" not in driver.screen
        await driver.press("ctrl+s")
        assert "Join 1 cluster with" in driver.screen
        assert "come into it, and it ends." in driver.screen
        await driver.press("y")
        assert len(held(world)["Sign-in fails"]) == 6
        assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM cluster")) == 1
        driver.golden("clusters-joined", update=update_golden)
        await driver.press("u")
        assert held(world) == before
        await driver.press("D", "y")
        assert "Sign-in fails" not in held(world)
        await driver.press("u")
        assert held(world) == before


@SIZES
async def test_what_looks_alike_is_taken_or_refused(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    ids = ask(world)
    async with drive(open_world(world, "clusters"), size=size) as driver:
        assert "A 2 alike" in driver.screen
        await driver.press("A")
        driver.golden("clusters-alike", update=update_golden)
        assert "80%" in driver.screen or size[0] == 80
        await driver.press("a")
        assert "Stray case 0" in held(world)["Sign-in fails"]
        await driver.press("x")
        placed = world.row("issue", ids["Stray case 1"])
        assert (placed["cluster_id"], placed["placed"]) == (None, "hand")
        assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM suggestion")) == 0
        assert "None is left that looks like" in driver.screen
        await driver.press("h")
        assert "Sign-in fails case 0" in driver.screen


async def test_where_all_are_closed_it_is_said(world: World) -> None:
    many = len([name for name in ask(world) if "case" not in name.lower()])
    async with drive(open_world(world, "clusters")) as driver:
        for _ in range(many):
            await driver.press("x")
        assert "All of them are closed: 6 shows these." in driver.screen
        await driver.press("6")
        assert "Sign-in fails" in driver.screen


@SIZES
async def test_requests_are_begun_for_issues_and_linked(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    ids = ask(world)
    request = world.change_request(ids["space"], {"login": "# Sign in now\n"}, subject="Say it")

    def answers(key: str) -> object:
        return world.row("change_request", key)["cluster_id"]

    target = Target(organization=world.home, view="unclustered")
    async with drive(open_world(world, "issues", target), size=size) as driver:
        await driver.press("space", "space", "ctrl+n", "enter")
        driver.golden("issues-begin", update=update_golden)
        await driver.press("ctrl+s")
        made = world.store.read(lambda tx: tx.all("SELECT * FROM change_request ORDER BY number"))
        assert made[-1]["subject"] == "Stray case 0"
        assert made[-1]["cluster_id"] is not None
        assert len(held(world)["Stray case 0"]) == 2
        # They are in a cluster now.
        assert "Every issue is in a cluster" in driver.screen
        assert not driver.place.query_one("#issues").marks  # type: ignore[attr-defined]
        # Both writes are taken back together.
        await driver.press("u")
        await answer_yes(driver)
        assert "Stray case 0" not in held(world)
        assert "Stray case 0" in driver.screen
        # Of one that is not marked, and linked, it is the same.
        await driver.press("L", "enter")
        assert "Stray case 0" not in driver.screen
        assert "Stray case 1" in driver.screen
        await driver.press("u")
        await answer_yes(driver)
    async with drive(open_world(world, "clusters"), size=size) as driver:
        await driver.press("L")
        driver.golden("clusters-link", update=update_golden)
        await driver.press("enter")
        assert answers(request) == ids["Sign-in fails"]
        assert "Linked #1. u takes it off." in driver.screen
        await driver.press("L", "enter")
        assert answers(request) is None
        await driver.press("u")
        assert answers(request) == ids["Sign-in fails"]
        # What answers another cluster is listed with that, and asked about.
        await driver.press("j", "L")
        assert "answers Sign-in fails" in driver.screen
        await driver.press("enter")
        assert "#1 answers “Sign-in fails” now." in driver.screen
        await driver.press("escape")
        assert answers(request) == ids["Sign-in fails"]
        await driver.press("L", "enter")
        await driver.press("y")
        assert answers(request) == ids["Login broken"]
        said = " ".join(driver.screen.split())
        assert "Linked #1, no longer to “Sign-in fails”. u puts it back." in said
        await driver.press("u")
        assert answers(request) == ids["Sign-in fails"]


async def answer_yes(driver: Driver) -> None:
    """Agree where undo asks first."""
    if driver.app.screen is not driver.place:
        await driver.press("y")


@SIZES
async def test_conversations_are_found_by_what_was_said(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    ids = ask(world)
    async with drive(open_world(world, "conversations"), size=size) as driver:
        await driver.press("f")
        await driver.type("cafe grey")
        await driver.press("enter")
        driver.golden("conversations-said", update=update_golden)
        assert "café" in driver.screen
        assert "kim@x.test" not in driver.screen
        await driver.press(":")
        await driver.type("where attribute=plan=pro source=email since=2d")
        await driver.press("enter")
        assert "Login broken case 1" not in driver.screen
        assert "Login broken case 0" in driver.screen
        await driver.press(":")
        await driver.type("said nothing-says-this")
        await driver.press("enter")
        assert "None with" in driver.screen
        await driver.press(":")
        await driver.type("where")
        await driver.press("enter")
        assert "Stray case 1" in driver.screen
        # From one of them to its cluster, and a change request for it.
        place = driver.place
        place.query_one("#conversations").select(ids_of(world, "Sign-in fails case 1"))  # type: ignore[attr-defined]
        await driver.idle()
        await driver.press("ctrl+n", "enter")
        assert "isted with the cluster “Sign-in fails”." in driver.screen
        await driver.press("ctrl+s")
        begun = world.store.read(lambda tx: tx.all("SELECT * FROM change_request"))
        assert [row["cluster_id"] for row in begun] == [ids["Sign-in fails"]]


async def test_what_was_said_is_found_from_the_clusters_and_lit(world: World) -> None:
    ask(world)
    async with drive(open_world(world, "clusters")) as driver:
        await driver.press("f")
        await driver.type("screen")
        await driver.press("enter")
        assert driver.place.PLACE == "conversations"
        assert "words=screen" in driver.screen
        await driver.press("enter")
        assert "1 match" in driver.screen


def ids_of(world: World, subject: str) -> str:
    """Return the conversation with a subject."""
    found = world.store.read(
        lambda tx: tx.value("SELECT id FROM conversation WHERE subject = ?", subject)
    )
    assert isinstance(found, str)
    return found


@SIZES
async def test_nothing_yet_says_how_to_begin(
    world: World, size: tuple[int, int], update_golden: bool
) -> None:
    async with drive(open_world(world, "clusters"), size=size) as driver:
        driver.golden("clusters-none", update=update_golden)
        assert "conversations send tickets.csv" in driver.screen
        await driver.press("x", "e", "D", "m")
        assert "No cluster selected." in driver.screen


async def test_views_are_what_is_asked_on_monday(world: World) -> None:
    ids = ask(world)
    async with drive(open_world(world, "clusters"), "2", size=(140, 40)) as driver:
        assert "[New 2]" in driver.screen
        assert "Not taken 2" in driver.screen  # also while another view is shown
        await driver.press("3")
        assert "No cluster in this view: more this week than usual" in driver.screen
        await driver.press("5")
        assert "[Not taken 2]" in driver.screen
        world.change_request(
            ids["space"], {"login": "# B\n"}, subject="Fix", cluster=ids["Login broken"]
        )
        await driver.press("R", "1")
        assert "Not taken 1" in driver.screen
        await driver.press("5")
        assert "Login broken" not in driver.screen
