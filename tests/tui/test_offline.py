"""Reading without a network, and before it answers: what is kept shows, with its age."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import stamina

from copydesk.client.api import Api
from copydesk.client.carrier import Timeouts
from copydesk.client.errors import RateLimited, Unauthorized, Unreachable
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.contract.models.space import Space, SpaceUpdate
from copydesk.domain.moments import apart, service_time
from copydesk.local.answer_cache import Answers
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.session.writes.outbox import is_momentary
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.actions import is_read
from copydesk.tui.framework.frame import Head
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.widgets.facts import Facts
from tests import faults
from tests.drive import Driver, drive, eventually
from tests.faulty import Asked, Fault, FaultyServer, serving
from tests.tui.opening import open_world
from tests.world import World

PATIENT = Timeouts(connect=5, read=5)


class NoKeeper:
    """Where a token is that was given for this run alone."""

    origin = "none"
    owner = None

    def note(self, user: str, name: str) -> str:
        """Note nothing: nothing is kept for anybody."""
        return ""

    def read(self) -> str:
        """Return nothing: it is kept nowhere."""
        return ""

    def keep(self, token: str) -> str:
        """Keep it nowhere."""
        return ""


class Service:
    """A desk behind a network, and what this machine keeps of it."""

    def __init__(self, world: World, server: FaultyServer, path: Path) -> None:
        self.world, self.server, self.path = world, server, path
        self.held: asyncio.Event | None = None
        self.fault: Fault | None = None

    def plan(self, asked: Asked) -> Fault | None:
        """Answer once it is let go."""
        return self.fault if self.held is None else Fault("held", self._give)

    async def _give(self, line: Any, said: Any, asked: Asked) -> None:
        assert self.held is not None
        await self.held.wait()
        await line.answer(said)

    def open(self, first: str = "spaces", user: str | None = None, **target: Any) -> CopydeskApp:
        """Return the program as a new start of it, over what earlier ones kept."""
        return open_world(self.world, first, Target(**target), api=self.client(user))

    def client(self, user: str | None = None) -> Api:
        """Return a client that keeps what it reads."""
        world = self.world
        return Api(
            self.server.url,
            world.token(user or world.ana),
            timeouts=PATIENT,
            store=Answers(self.path),
            clock=lambda: world.clock.now.timestamp(),
        )


@pytest.fixture
async def service(world: World, tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(world.app, clock=lambda: world.clock.now) as server:
        service = Service(world, server, tmp_path / "answers.db")
        server.plan = service.plan
        with stamina.set_testing(True, attempts=2):
            yield service


@pytest.fixture
def filled(world: World) -> dict[str, str]:
    """A desk with something in each place that is gone to."""
    world.user("kim")
    pages = {"start": "# Start\n\nRead this first.\n", "rates": "Slow down."}
    space = world.space("Handbook", pages)
    asked = world.change_request(space, {"start": "# Start\n\nRead that.\n"}, subject="Reword")
    world.change_request(space, {"rates": "Slower."}, subject="Limit rates")
    world.space("Guide", {"intro": "Hello."})
    return {"space": space, "request": asked}


def head(driver: Driver) -> str:
    """Return the line at the top."""
    return driver.screen.splitlines()[0]


def unfolded(driver: Driver) -> str:
    """Return the details beside the list, without their folds."""
    facts = driver.place.query_one(Facts)
    return " ".join(facts.plain.split())


def over(driver: Driver) -> str:
    """Return how old it is, as said over a sheet."""
    return driver.place.query_one(Head).parts(80)[1].plain


def later(service: Service, app: CopydeskApp, **time: float) -> None:
    """Let time pass, and the program do what is due."""
    service.world.clock.now += timedelta(**time)
    app.tick()


async def press_what_may_wait(driver: Driver) -> None:
    """Press every key of the place that leads to what may wait: a field opens, or it waits."""
    session = driver.app.session
    owners = driver.place.owners
    for owner, each in [(acts, each) for acts in owners for each in acts.ACTIONS.values()]:
        may = [name for name in each.operations() if not (is_read(name) or is_momentary(name))]
        if not may or each.danger > 1 or each.reason(owner) is not None:
            continue
        before = session.outbox.count
        await driver.press(each.keys[0])
        opened = driver.app.screen is not driver.place
        assert opened or session.outbox.count > before, f"{each.keys[0]} is dead: {driver.screen}"
        if opened:
            await driver.press("escape")


@pytest.mark.long
async def test_a_start_without_a_network_shows_what_was_read_last(
    service: Service, filled: dict[str, str]
) -> None:
    world, server = service.world, service.server
    async with drive(service.open(), "g c", "j", "w", "escape", "enter", "] ]", "q"):
        pass
    await server.down()
    world.clock.now += timedelta(hours=3)
    asked = len(server.asked)
    app = service.open()
    async with drive(app) as driver:
        assert "Handbook" in driver.screen
        assert "Guide" in driver.screen
        assert "Acme" in head(driver)
        assert "offline, data from " in head(driver)
        assert "Offline:" in driver.screen, "said once in full"
        await driver.press("g c")
        assert "Change requests" in head(driver), "the name of the place has room at 80 cells"
        assert "Reword" in driver.screen
        assert "Limit rates" in driver.screen
        assert "Offline:" not in driver.screen, "and after that in the header alone"
        await driver.press("j")
        before = driver.selected
        assert "1 edited" in driver.screen, "the details of the row as well"
        await driver.press("m")
        assert "enter merge" not in driver.screen, "what is decided by is not of long ago"
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "review"
        assert "Reword" in head(driver)
        await driver.press("2")
        assert "Read {+that+}." in driver.screen
        await driver.press("escape", "k", "enter")
        assert "Read {+that+}." not in driver.screen
        assert driver.screen.count(" refused). R tries again.") == 2, "whole, where it was not read"
        assert "Not saved on this machine. Offline: " in driver.screen
        await driver.press("escape", "j", "g x")
        assert driver.place.PLACE == "outbox"
        assert driver.place.reads.read_at is None, (
            "what is on this machine says nothing of the service"
        )
        await driver.press("escape")
        assert asked == len(server.asked)

        # Three hours and one day later.
        later(service, app, days=2)
        await driver.idle()
        assert "data from 2 Mar" in head(driver)
        await driver.type(":cache")
        await driver.press("enter")
        assert "Saved: " in driver.screen
        assert "2 d ago" in driver.screen

        # Whatever may wait opens, and waits; what is typed on what is kept as well.
        await press_what_may_wait(driver)
        assert driver.line(" Reword").startswith("┃> » "), "and the row is marked"
        assert "» waits in the outbox: archive and make a draft, since" in unfolded(driver)
        await driver.press("e")
        assert "Offline: this is what the service said 2 Mar." in driver.screen
        await driver.type("X")
        await driver.press("ctrl+s", "e")
        assert "An edit of it waits in the outbox: this goes on with it" in driver.screen
        assert "XReword" in driver.screen
        await driver.type("Y")
        await driver.press("ctrl+s", "e", "ctrl+s")
        edits = [each.text for each in app.session.outbox.items.values() if each.what == "Edit"]
        assert edits == ["YXReword"], "one takes the place of the other"
        assert not app.session.drafts.texts()
        await driver.press("w", "space", "ctrl+s")
        outbox = list(app.session.outbox.items.values())
        assert [each.what for each in outbox[-2:]] == ["Edit", "Ask for a review"]
        world.write(lambda tx: tx.update("change_request", filled["request"], subject="Reword all"))

        # Somebody else worked meanwhile; then the service is back.
        world.change_request(filled["space"], {"start": "# Go\n"}, subject="Begin anew")
        await server.up()
        later(service, app, seconds=61)
        await driver.idle()
        assert "live now" in head(driver)
        assert "Begin anew" in driver.screen, "nothing waits to be folded in: it was kept"
        assert driver.selected == before, "and the cursor is where it was"
        # What was decided about the old words asks; what does not go by them was done.
        held = {each.what: each.sentence for each in app.session.outbox.items.values()}
        assert held.keys() == {"Archive", "Make a draft", "Edit"}
        assert all("changed since" in why for why in held.values())
        assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM requested_reviewer")) == 1


async def test_a_service_that_answers_badly_empties_nothing(
    service: Service, filled: dict[str, str]
) -> None:
    world, lee = service.world, service.world.user("lee", "edit")
    ids = filled["space"], world.change_request(filled["space"], subject="Lower them", by=lee)
    body = ReviewersRequest(users=[world.ana])
    await world.api(lee)(ops.request_reviewers, *ids, body)
    app = service.open("changes", organization=world.home, view="needs-me")
    async with drive(app, "e", "escape") as driver:
        assert "live now" in head(driver)
        service.fault = faults.TRUNCATED_JSON
        world.clock.now += timedelta(seconds=70)
        await driver.press("R")
        assert driver.selected == ids[1], "what was shown stays"
        assert "[Needs me 1]" in driver.screen
        assert "read 1 min ago, not all since" in head(driver)
        # What opens meanwhile says what is known of it, and is read by itself afterwards.
        service.fault = faults.LIMITED
        # What may wait opens on what is kept, and until then nobody is asked once more.
        for asked in (1, 0):
            before = len(service.server.asked)
            await driver.press("e")
            assert "API limit reached: this is what the service said" in driver.screen
            assert len(service.server.asked) == before + asked
            await driver.press("escape")
        await driver.press("w")
        assert "As asked " in driver.screen
        await driver.press("escape", "enter")
        assert "#3 Lower them" in head(driver)
        assert "limit, again in 1" in head(driver)
        assert "author  Lee" in driver.screen
        assert "This is what the list said." in driver.screen
        service.fault = None
        later(service, app, seconds=20)
        await driver.idle()
        assert "live now" in head(driver)
        assert "This is what the list said." not in driver.screen
        await driver.press("escape", "R")
        assert "live now" in head(driver), head(driver)
    service.fault = faults.MOVED
    world.clock.now += timedelta(hours=3)
    async with drive(service.open("changes", organization=world.home, view="needs-me")) as driver:
        await driver.press("R")
        assert driver.selected == ids[1], "what is kept of what it is judged by shows as well"
        assert "[Needs me 1]" in driver.screen
        assert "Open 3" in driver.screen
        assert "offline, data from " in head(driver)


async def test_what_is_kept_shows_until_the_service_has_answered(
    service: Service, filled: dict[str, str]
) -> None:
    world = service.world
    async with drive(service.open("changes", organization=world.home)):
        pass
    app = service.open()
    async with drive(app) as driver:
        world.change_request(filled["space"], {"rates": "Never."}, subject="Begin anew")
        later(service, app, minutes=4)
        await driver.idle()
        service.fault = faults.SERVER_ERROR
        await driver.press("g c")
        assert "saved 4 min ago, not read, again in 15 s" in head(driver)
        service.fault = None
        await driver.press("escape")
        service.held = asyncio.Event()
        await driver.send("g")
        await driver.send("c")
        await eventually(lambda: "Reword" in driver.screen, driver.turn)
        await eventually(lambda: "saved 4 min ago, reading" in head(driver), driver.turn)
        assert "Begin anew" not in driver.screen
        await driver.send("j")
        here = driver.selected
        service.held.set()
        service.held = None
        await driver.idle()
        assert "live now" in head(driver)
        assert "Begin anew" in driver.screen
        assert driver.selected == here
        # What I wrote myself is newer than what was kept before: that is not shown again.
        space = filled["space"]
        await driver.press("g s")
        body = SpaceUpdate(title="Book")
        await driver.place.writer.perform(
            "Rename", "Handbook", lambda api: api(ops.update_space, space, body)
        )
        service.held = asyncio.Event()
        await driver.send("g")
        await driver.send("p")
        await eventually(lambda: driver.place.PLACE == "pages", driver.turn)
        await driver.turn()
        assert "saved" not in head(driver)
        service.held.set()
        service.held = None
        await driver.idle()
        await driver.type(":cache clear")
        await driver.press("enter")
        assert "Cleared " in driver.screen


async def test_what_is_left_before_its_answer_is_read_again_at_once(
    service: Service, filled: dict[str, str]
) -> None:
    async with drive(service.open()):
        pass
    besides, left, over = {"sites?limit=5", "sites?limit=1"}, asyncio.Event(), asyncio.Event()

    async def behind(line: Any, said: Any, asked: Asked) -> None:
        await left.wait()
        await line.answer(said)

    async def never(line: Any, said: Any, asked: Asked) -> None:
        await over.wait()

    def plan(asked: Asked) -> Fault | None:
        if asked.target.endswith("/collections?limit=250"):
            return Fault("behind", behind)
        for each in [each for each in besides if each in asked.target]:
            besides.remove(each)
            if not besides:
                left.set()
            return Fault("never", never)
        return None

    # The tree is answered last: what is read beside it is asked for anew then.
    service.server.plan = plan
    async with drive(service.open()) as driver:
        assert not besides
        assert "live now" in head(driver), "nothing of what is shown is from what is kept"
        over.set()


async def test_what_was_kept_for_another_is_dropped(
    service: Service, filled: dict[str, str]
) -> None:
    world = service.world
    async with drive(service.open(), "g c"):
        pass
    app = service.open(user=world.user("lee", "read"))
    async with drive(app) as driver:
        await eventually(lambda: app.session.confirmed, driver.turn)
        await driver.idle()
        assert "This token is Lee's. What was saved here for Ana Silva is cleared" in " ".join(
            driver.screen.split()
        )
        assert app.session.me is not None
        assert app.session.me.id == world.user("lee")
        assert "live now" in head(driver)
    # A token that is refused: nothing of it is looked up any more.
    service.fault = faults.UNAUTHORIZED
    app = service.open(user=world.user("lee"))
    async with drive(app) as driver:
        await driver.press("g c")
        assert "token refused" in head(driver)
        assert "Reword" not in driver.screen
    # A client of which it is not found out whom it is for is let go, and another is made.
    service.path, made = service.path.with_suffix(".other"), list[Api]()

    async def connect() -> Api:
        made.append(service.client())
        return made[-1]

    session = Session(connect)
    with pytest.raises(Unauthorized):
        await session.ready()
    service.fault = None
    async with await session.ready() as api:
        assert made[1:] == [session.api] == [api]
        with pytest.raises(Unreachable, match="was closed"):
            await made[0](ops.get_current_user)


async def test_who_waits_under_a_sheet_is_told_when_the_service_is_back(
    service: Service, filled: dict[str, str]
) -> None:
    app = service.open("changes", organization=service.world.home)
    app.session.token = NoKeeper()
    async with drive(app) as driver:
        await driver.press("s")
        assert driver.app.screen is not driver.place
        sheet = driver.app.screen
        await service.server.down()
        app.session.probe()
        await eventually(lambda: "offline" in over(driver), driver.turn)
        await driver.press("ctrl+g")
        assert "cannot be reached now, so it says nothing of the token" in driver.screen
        await driver.press("enter")
        assert "Type the token first." in driver.screen
        assert "enter or ctrl+s check and use" in driver.screen, "the keys stay beside what is said"
        later(service, app, seconds=5)
        asking = app.session.confirming
        assert asking is not None
        await asking
        assert app.session.contact.failures == 2
        await service.server.up()
        asked = len(service.server.asked)
        later(service, app, seconds=5)
        await eventually(lambda: "accepts the token so far" in driver.screen, driver.turn)
        assert len(service.server.asked) == asked + 1, "what is under the sheet is not read"
        assert "offline" not in over(driver)
        await driver.press("escape")
        assert driver.app.screen is sheet


async def test_a_list_goes_on_from_what_is_kept_of_it(
    service: Service, filled: dict[str, str]
) -> None:
    world, server = service.world, service.server
    for at in range(4):
        world.space(f"More {at}")

    async def end_of(source: PagedSource[Space]) -> None:
        while source.running is not None:
            await source.running

    async def pages(api: Api) -> PagedSource[Space]:
        async def fetch(token: str | None, limit: int) -> Any:
            found = await api.page(
                ops.list_organization_spaces, world.home, page=token, limit=limit
            )
            return found.items, found.next and found.next.page, found.count

        source = PagedSource[Space](fetch, key=lambda space: space.id, limit=2)
        source.want(0, 3)
        await end_of(source)
        return source

    api = service.client()
    async with api:
        whole = await pages(api)
    assert whole.complete
    assert whole.kept_at is None
    server.plan = lambda asked: faults.LIMITED
    async with service.client() as api:
        source = await pages(api)
        assert [row.id for row in source.shown()] == [row.id for row in whole.shown()]
        assert not source.error
        assert isinstance(source.failure, RateLimited)
    server.plan = service.plan
    await server.down()
    async with service.client() as api:
        source = await pages(api)
        assert [row.id for row in source.shown()] == [row.id for row in whole.shown()]
        since = source.kept_at
        assert since == world.clock.now
        assert not source.error
        assert isinstance(source.failure, Unreachable)
        space = world.space("Newest")
        await server.up()
        await source.refresh()
        await end_of(source)
        assert source.kept_at is None
        assert source.index_of(space) is not None
        server.plan = lambda asked: faults.FORBIDDEN
    async with service.client() as api:
        source = await pages(api)
        assert "Not allowed" in source.error
        assert source.loaded == 0
    await server.down()
    async with service.client() as api:
        source = await pages(api)
        assert source.loaded == 0, "what may not be seen any more is kept no longer"


async def test_ages_go_by_the_clock_of_the_service(
    service: Service, filled: dict[str, str]
) -> None:
    world = service.world
    world.clock.now += timedelta(days=20)
    for fault, said in (
        (faults.CLOCK_AHEAD, "400 days ahead of"),
        (faults.skew(timedelta(hours=-30)), "30 h behind"),
    ):
        service.fault, service.path = fault, service.path.with_suffix(f"{service.path.suffix}x")
        async with drive(service.open("changes")) as driver:
            session = driver.app.session
            assert session.api is not None
            assert session.now - world.clock.now == session.api.skew
            assert "live now" in head(driver), "when it was read is a time of this machine"
            assert driver.screen.count(" 2 w ") == 3, "two rows, and the details of one"
            assert "Stale 2" in driver.screen
            assert said in driver.screen
            await driver.press("j")
            assert said not in driver.screen
            assert [said in line.message for line in session.messages] == [True], "once"
    for near in (timedelta(seconds=50), timedelta(days=999_999)):
        assert service_time(world.clock.now, near) == world.clock.now, "no difference, or nonsense"
        assert not apart(near)


async def test_before_there_is_a_connection_nothing_is_said_to_be_missing(
    service: Service, filled: dict[str, str]
) -> None:
    service.held = asyncio.Event()
    app = service.open("members")
    async with app.run_test() as pilot:
        driver = Driver(app, pilot)
        await eventually(lambda: "Reading members…" in driver.screen, driver.turn)
        assert "No organization is chosen" not in driver.screen
        service.held.set()
        service.held = None
        await driver.idle()
        assert "Ana" in driver.screen
