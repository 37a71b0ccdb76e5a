"""Rearranging a site of 2,000 sections: staging a move, its plan, others' changes, sending it.

Target: what is worked out grows no faster than the list does. A request of a plan of 1,000 costs
this program what one of a plan of 200 does, forth and back.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from benchmarks.terminal import middle, table
from copydesk.client.api import Api
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.layout import Layout
from copydesk.domain.reversal import Call, Reversal, Step
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.local.journal import Journal
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.session.session import Session

FEW, MANY = 200, 2_000
"""Sections of the two sites that are compared."""

VARIANTS = 3
"""Site spaces of each section."""

STEPS = 60
"""Moves, and as many new titles, that are staged where much is."""

SHORT, LONG = 200, 1_000
"""Requests of the two plans that are compared."""

TURNS, PLANS = 9, 3


def made_up(sections: int) -> Structure:
    """Return a site of so many sections."""
    nodes: dict[str, SiteNode] = {}
    levels: dict[str, tuple[str, ...]] = {"": tuple(f"s{at}" for at in range(sections))}
    for at, row in enumerate(levels[""]):
        nodes[row] = SiteNode(row, "section", f"Section {at}", path=f"p{at}", default=not at)
        levels[row] = tuple(f"{row}-{number}" for number in range(VARIANTS))
        for number, space in enumerate(levels[row]):
            title = f"Space {at} {number}"
            nodes[space] = SiteNode(
                space, "site-space", title, row, path=f"v{number}", default=not number, space=space
            )
    return Structure(nodes, levels)


def run() -> None:
    """Measure and print the ratios."""
    few, many = (_worked(layout_of(made_up(count))) for count in (FEW, MANY))
    table(
        f"Rearranging {MANY:,} sections with {VARIANTS} spaces each (medians of {TURNS}); "
        f"{MANY // FEW} times as many as {FEW}",
        ("what", "ratio", f"{FEW}, ms", f"{MANY:,}, ms"),
        [(name, f"{many[name] / few[name]:.1f}", _ms(few[name]), _ms(many[name])) for name in many],
    )
    _sent()


def _sent() -> None:
    """Send plans over a service in memory, take them back, and print what a request costs."""
    plans: dict[int, list[tuple[float, float]]] = {count: [] for count in (SHORT, LONG)}
    asyncio.run(_send(SHORT))  # what is imported and worked out once
    for _ in range(PLANS):
        for count, taken in plans.items():
            taken.append(asyncio.run(_send(count)))
    forth, back = (
        {count: middle([each[way] for each in taken]) for count, taken in plans.items()}
        for way in (0, 1)
    )
    table(
        f"A request of a plan, kept on the disk (medians of {PLANS}; CPU)",
        ("what", "ratio", f"of {SHORT}, ms", f"of {LONG:,}, ms"),
        [
            (name, f"{each[LONG] / each[SHORT]:.2f}", _ms(each[SHORT]), _ms(each[LONG]))
            for name, each in (("sent", forth), ("taken back", back))
        ],
    )


class _Answering(httpx.AsyncBaseTransport):
    """A service in memory that accepts each title."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer with a section."""
        return httpx.Response(200, json={"object": "site-section", "id": "s", "title": "Title"})


async def _send(count: int) -> tuple[float, float]:
    """Return what a request costs that is sent, and one that is taken back, in CPU seconds."""
    api = Api("http://service.invalid", "token", transport=_Answering())

    async def connect() -> Api:
        return api

    async def identify(session: Session, api: Api) -> None:
        """Nobody has to be known."""

    run = ArrangeRun.of("structure", "site", "Site", [_retitled(at) for at in range(count)])
    with TemporaryDirectory() as name:
        store = State(Path(name) / "state.db")
        session = Session(
            connect,
            identify=identify,
            arrangements=Arrangements(store, "desk"),
            journal=Journal(store, "desk"),
        )
        began = time.process_time()
        run = await session.arranging.go(run)
        sent = time.process_time()
        assert run.outcome.sent == count
        run = await session.arranging.roll_back(run)
        assert run.outcome.rolled_back == count
        return (sent - began) / count, (time.process_time() - sent) / count


def _retitled(number: int) -> Call:
    """Return a request that gives a section another title."""
    ids = {"organization_id": "org", "site_id": "site", "site_section_id": f"s{number}"}
    forth, back = (
        Step("update_site_section", ids, {"title": f"{title} {number}"}) for title in ("New", "Old")
    )
    title = f"Section {number}"
    way_back = Reversal((back,), (forth,), None, None)
    return Call(f"change:s{number}", "Change", title, f"{title}: New {number}", forth, way_back)


def _worked(published: Layout) -> dict[str, float]:
    """Return how long each step of working it out takes, in seconds."""
    count = len(published.levels[""])
    middle_row = f"s{count // 2}"
    begun = SiteArrangement.on(published, "org", "site").move([middle_row], 1)
    chance = random.Random(1)
    much = begun
    for _ in range(STEPS):
        much = much.put(f"s{chance.randrange(count)}", chance.randrange(count) + 1)
        much = much.change(f"s{chance.randrange(count)}", {"title": "Another title"})
    others = begun.change("s3", {"title": "Of others"}).put("s9", count // 3).now
    mixed = begun.sort("", lambda item: chance.random())

    def fresh(staged: SiteArrangement) -> SiteArrangement:
        return replace(staged, _plans={})  # nothing that was worked out before

    steps: dict[str, Callable[[], object]] = {
        "stage a move (J)": lambda: begun.move([middle_row], 1),
        f"stage a move, {STEPS} moves and {STEPS} titles staged": lambda: much.move(
            [middle_row], 1
        ),
        "what is staged of each row, for that": lambda: fresh(much).states,
        "its plan, with the ways back": lambda: fresh(much).calls(),
        "put on what others did": lambda: much.rebase(others),
        "written for later": much.to_text,
        "the plan of all in another order": lambda: fresh(mixed).calls(),
    }
    return {name: _median(step) for name, step in steps.items()}


def _median(step: Callable[[], object]) -> float:
    taken = []
    for _ in range(TURNS):
        began = time.perf_counter()
        step()
        taken.append(time.perf_counter() - began)
    return middle(taken)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"
