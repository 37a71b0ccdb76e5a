"""What others decide arrives while one looks: within one poll, on few requests."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.session.reachability import POLL_SECONDS
from copydesk.session.reads.inbox import POLLED
from copydesk.session.target import Target
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import World

REVIEWED = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
ROWS = 30
NEWS_REQUESTS = 2 + 1
"""The news beside every poll: open change requests, those that ask for a review, threads of one."""
LIST_REQUESTS = 3 + 3 + NEWS_REQUESTS
"""A poll of a list: its rows, who is asked, drafts; and what is said of the row under the cursor:
reviews, requested reviewers, threads."""
PLACES = 12
INBOX_REQUESTS = 6 + POLLED + NEWS_REQUESTS
"""A poll of the inbox: the organization, collections, spaces, open change requests, drafts, who is
asked; and the threads of some places."""
REVIEW_REQUESTS = 5 + NEWS_REQUESTS
"""A poll of a review: itself, reviews, requested reviewers, threads, the organization's rules."""


class Other:
    """Another person, who works from elsewhere."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.id = world.user("priya", "admin", display_name="Priya Raman")
        self.space = world.space("Guide", {"a": "# A\n\nOne.\n"}, merge_rules=REVIEWED)
        self.requests = [
            world.change_request(
                self.space, {"a": f"# A\n\nOne {n}.\n"}, subject=f"Edit {n:02}", by=self.id
            )
            for n in range(ROWS)
        ]

    async def does(self, work: Callable[[Api], Awaitable[object]]) -> None:
        async with self.world.api(self.id) as api:
            await work(api)

    async def says(self, request: str, status: str = "approved") -> None:
        body = ReviewCreate.model_validate({"status": status})
        async with self.world.api(self.world.user("lee", "admin")) as api:
            await api(ops.create_change_request_review, self.space, request, body)


async def poll(driver: Driver, world: World) -> int:
    """Let the time of a poll pass with somebody there; return how many requests it made."""
    api = await driver.app.session.ready()
    before = api.answers
    driver.app.session.contact.pressed_at = driver.app.session.clock()
    world.clock.now += timedelta(seconds=POLL_SECONDS)
    driver.app.tick()
    if (news := driver.app.newsreader.reading) is not None:
        await news
    await driver.idle()
    return api.answers - before


def met(driver: Driver, subject: str) -> str:
    """Return how many of the merge rules a row says are met."""
    row = next(line for line in driver.screen.splitlines() if re.search(rf"\d +{subject}  ", line))
    found = re.search(r"\d/\d", row)
    return found.group() if found else row


@pytest.fixture
def other(world: World) -> Other:
    return Other(world)


async def test_a_poll_of_a_list_makes_few_requests(world: World, other: Other) -> None:
    for size in ((80, 24), (140, 40)):
        async with drive(open_world(world, "changes"), "j", size=size) as driver:
            await poll(driver, world)
            for _ in range(2):
                assert await poll(driver, world) <= LIST_REQUESTS


async def test_verdicts_status_and_requests_arrive_in_the_list(world: World, other: Other) -> None:
    near, far, gone = other.requests[-1], other.requests[-5], other.requests[-8]
    async with drive(open_world(world, "changes"), size=(140, 40)) as driver:
        await poll(driver, world)
        assert met(driver, "Edit 29") == "0/1"
        assert met(driver, "Edit 25") == "0/1"
        views = driver.screen.splitlines()[1]
        assert "Needs me 0" in views
        assert "Ready to merge 0" in views
        assert "[All open 30]" in views
        assert "Archived 0" in views

        # Of the row under the cursor, and of another one on screen.
        await other.says(near)
        await other.says(far)
        await poll(driver, world)
        assert met(driver, "Edit 29") == "1/1"
        assert met(driver, "Edit 25") == "1/1"
        assert met(driver, "Edit 24") == "0/1"
        assert "Ready to merge 2" in driver.screen.splitlines()[1]

        body = ReviewersRequest(users=[world.ana])
        await other.does(
            lambda api: api(ops.request_reviewers, other.space, other.requests[0], body)
        )
        await poll(driver, world)
        assert "Needs me 1" in driver.screen.splitlines()[1]

        archived = ChangeRequestUpdate(status="archived")
        await other.does(lambda api: api(ops.update_change_request, other.space, gone, archived))
        await poll(driver, world)
        views = driver.screen.splitlines()[1]
        assert "[All open 29]" in views
        assert "Archived 1" in views
        assert "Rows came, left or moved" in driver.screen


async def test_who_looks_at_what_waits_sees_what_comes(world: World, other: Other) -> None:
    async with drive(open_world(world, "changes"), "1", size=(140, 40)) as driver:
        assert "[Needs me 0]" in driver.screen
        body = ReviewersRequest(users=[world.ana])
        await other.does(
            lambda api: api(ops.request_reviewers, other.space, other.requests[3], body)
        )
        await poll(driver, world)
        assert "[Needs me 1]" in driver.screen


async def test_verdicts_and_status_arrive_in_the_review(world: World, other: Other) -> None:
    request = other.requests[4]
    target = Target(space=other.space, change_request=request)
    async with drive(open_world(world, "review", target), size=(140, 40)) as driver:
        assert "Rules 0/1" in driver.screen
        assert await poll(driver, world) <= REVIEW_REQUESTS
        await other.says(request)
        await poll(driver, world)
        assert "Rules 1/1" in driver.screen
        await driver.press("5")
        assert "lee" in driver.screen.lower()

        await other.says(request, "changes-requested")
        await poll(driver, world)
        assert "asked for changes" in driver.screen

        archived = ChangeRequestUpdate(status="archived")
        await other.does(lambda api: api(ops.update_change_request, other.space, request, archived))
        await poll(driver, world)
        assert "archived" in driver.screen.splitlines()[1]

        opened = ChangeRequestUpdate(status="open")
        await other.does(lambda api: api(ops.update_change_request, other.space, request, opened))
        await other.says(request)
        await other.does(lambda api: api(ops.merge_change_request, other.space, request))
        await poll(driver, world)
        assert "merged meanwhile: R reads it" in driver.screen


async def test_what_waits_arrives_in_the_inbox(world: World, other: Other) -> None:
    def comment(text: str, **about: str) -> str:
        return world.comment(other.space, text, by=other.id, **about)

    mine = [
        world.change_request(other.space, {"a": f"# A\n\nMine {n}.\n"}, subject=f"Mine {n:02}")
        for n in range(PLACES)
    ]
    for request in mine:
        comment("Is it so?", change_request=request)
    asks = world.comment(other.space, "Why?", change_request=other.requests[0], by=world.ana)
    async with drive(open_world(world, "inbox"), size=(140, 40)) as driver:
        assert f"All {PLACES}]" in driver.screen
        assert await poll(driver, world) <= INBOX_REQUESTS
        # A new thread in any place, and a mention about the space as a whole, with the next poll.
        comment("And this?", change_request=mine[0])
        comment("@ana look here")
        # Two more places are read, and for the mention who else is called so.
        assert await poll(driver, world) <= INBOX_REQUESTS + 3
        assert f"All {PLACES + 2}]" in driver.screen
        assert "2 new (press . to show them)" in driver.screen
        # A request for a review makes what is said there wait.
        comment("For reviewers.", change_request=other.requests[3])
        body = ReviewersRequest(users=[world.ana])
        await other.does(
            lambda api: api(ops.request_reviewers, other.space, other.requests[3], body)
        )
        await poll(driver, world)
        assert f"All {PLACES + 3}]" in driver.screen
        # No count tells of a reply: the places are read in turn.
        world.reply(asks, "Because.", by=other.id)
        for _ in range(1 + (PLACES + 3) // POLLED):
            assert await poll(driver, world) <= INBOX_REQUESTS + 1
        await driver.press(".")
        assert f"All {PLACES + 4}]" in driver.screen
        assert "Because" in driver.screen or "Why?" in driver.screen
        # What was answered here stays answered.
        await driver.press("x")
        assert "resolved" in driver.screen
        await poll(driver, world)
        assert "resolved" in driver.screen
        assert f"All {PLACES + 3}]" in driver.screen
