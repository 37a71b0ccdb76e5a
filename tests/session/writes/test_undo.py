"""What undo looks at before it sends anything: all that its way back expects."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, NotFound, Unreachable
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.redirect import RedirectResults
from copydesk.contract.models.site_space import SiteSpaceCreate
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.finding_inverses import requests_begun
from copydesk.domain.inverses import request_changed
from copydesk.domain.reversal import Anew, Expectation, Reversal, Step, looked_up
from copydesk.domain.site_inverses import site_row_changed, space_shown
from copydesk.domain.site_tree import SiteNode
from copydesk.local.journal import Entry, Journal, Notes
from copydesk.local.state import State
from copydesk.session.errors import NotDoneError
from copydesk.session.session import Session
from copydesk.session.writes import undo
from copydesk.session.writes.log import ChangedSinceError, WriteError
from copydesk.session.writes.recovery import CUT_OFF, recover
from copydesk.session.writes.undo import Names, PastWrite, ReversalRunner, StepError
from tests.drive import eventually
from tests.session.reads import told
from tests.tui.arranging_world import BEFORE, PLACE, Desk
from tests.tui.killing_arrangements import group, ungrouped
from tests.world import BASE_URL, World


class Begun:
    """A finding's two change requests, which are drafts, and the session that began them."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.space = world.space("Guide", {"a": "# A\n"})
        self.made = [
            (self.space, world.change_request(self.space, {"a": f"# {name}\n"}, status="draft"))
            for name in ("B", "C")
        ]

        async def connect() -> object:
            return world.api()

        self.session = Session(
            connect,  # type: ignore[arg-type]
            journal=Journal(State(folder / "state.db"), "desk"),
            clock=lambda: world.clock.now,
        )

    async def send(self) -> None:
        """Note the write that began them."""

        async def began() -> None: ...

        way = requests_begun(self.made)
        await self.session.writes.perform("Begin", "finding", began, reversal=way)

    async def turn(self, request: str, status: str) -> None:
        """Give one of them another status, as somebody else does."""
        async with self.world.api() as api:
            body = ChangeRequestUpdate.model_validate({"status": status})
            await api(ops.update_change_request, self.space, request, body)

    @property
    def statuses(self) -> list[str]:
        return [self.world.row("change_request", each)["status"] for _, each in self.made]


@pytest.mark.parametrize("which", [0, 1])
async def test_one_of_several_that_was_changed_since_keeps_all_of_them(
    world: World, tmp_path: Path, which: int
) -> None:
    begun = Begun(world, tmp_path)
    await begun.send()
    await begun.send()
    await begun.turn(begun.made[which][1], "open")
    with pytest.raises(ChangedSinceError, match="open"):
        await begun.session.reversals.undo()
    assert begun.statuses == ["open" if at == which else "draft" for at in (0, 1)]
    both = list(begun.session.history.known.values())
    with pytest.raises(ChangedSinceError, match="open") as error:
        await begun.session.reversals.take_back(both)
    assert [each.past for each in error.value.obstacles] == both
    await begun.session.reversals.take_back(both[:1], anyway=True)
    assert begun.statuses == ["archived", "archived"]


async def test_what_somebody_else_took_back_as_a_whole_is_only_noted(
    world: World, tmp_path: Path
) -> None:
    begun = Begun(world, tmp_path)
    await begun.send()
    await begun.turn(begun.made[1][1], "archived")
    way, api = ReversalRunner(lambda name: None), await begun.session.ready()
    [past] = begun.session.history.known.values()
    found = await way.obstacle(api, past)
    assert found is not None
    assert (found.done, found.gone) == (False, False), "one of them is a draft still"
    assert await way.became(api, past.reversal) is None
    await begun.turn(begun.made[0][1], "archived")
    assert await way.became(api, past.reversal) is False
    await begun.session.reversals.undo()
    assert past.by_others


async def test_a_write_is_being_undone_until_the_service_has_answered(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where = (world.home, desk.plan.site)
    node = SiteNode(desk.plan.ids["Status"], "section", "Status")
    way = site_row_changed(where, node, {"title": "Status"}, {"title": "State"})
    session, api = desk.session, await desk.session.ready()
    await session.writes.perform(
        "Rename", "Status", lambda: session.way.take(api, way.forth[0]), reversal=way
    )
    [past] = session.history.known.values()

    async def standing(turning: Coroutine[Any, Any, object]) -> tuple[str, str]:
        """Return how the write stands while it is turned, and then."""
        desk.way.hold = asyncio.Event()
        writes = len(desk.way.writes)
        task = asyncio.create_task(turning)
        await eventually(lambda: len(desk.way.writes) > writes, lambda: asyncio.sleep(0))
        found = past.standing
        desk.way.hold.set()
        await task
        return found, past.standing

    assert await standing(session.reversals.undo()) == ("undoing", "undone")
    redo = session.reversals.take_back([past], again=True)
    assert await standing(redo) == ("redoing", "done")


async def test_what_an_undo_made_again_before_it_was_cut_off_is_not_made_twice(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where, groups = (world.home, desk.plan.site), await group(desk.plan)
    calls = await ungrouped(desk.plan, groups[1:])
    await desk.arranger.go(
        ArrangeRun.of(PLACE, desk.plan.site, "Acme docs", calls, organization=world.home)
    )
    desk.way.trouble = {len(desk.way.writes) + 1: "after"}
    await desk.dies(desk.session.reversals.undo())
    desk.session.begins = lambda: True
    said = await recover(desk.session, await desk.arranger.groups())
    assert said == "2 writes of a cut-off undo left: u undoes them."
    await desk.session.reversals.take_back(desk.session.reversals.left_over())
    rows = (await (await desk.session.ready())(ops.get_site_structure, *where)).rows()
    assert [row["localizedTitle"] for row in rows if row["title"] == "Inner"] == [{"de": "Innen"}]


async def test_what_undo_removed_again_is_told_in_the_order_in_which_it_was_made(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where = (world.home, desk.plan.site)
    session, api = desk.session, await desk.session.ready()

    async def show(title: str) -> None:
        body = SiteSpaceCreate(space_id=desk.plan.french, section_id=desk.plan.ids[title])
        await session.writes.perform(
            "Show a space", title, lambda: api(ops.add_site_space, *where, body),
            reversal=lambda made: space_shown(where, made.id), group="both",
        )  # fmt: skip

    await show("Legal")
    await show("Guides")
    await session.reversals.undo()
    assert desk.shown == BEFORE
    assert [past.entry.target for past in session.reversals.unmade()] == ["Legal", "Guides"]
    assert session.reversals.redoable() == []
    await show("Guides")
    assert session.reversals.unmade() == [], "something newer was written"


async def test_a_list_is_read_in_long_pages(world: World) -> None:
    world.space("Guide")
    service = told.Desk(world)
    async with service.api() as api:
        step = Step("list_organization_spaces", {"organization_id": world.home})
        found = await ReversalRunner(lambda name: None).answer(api, step)
    assert [each["title"] for each in found["items"]] == ["Guide"]
    assert service.asked() == [f"GET /orgs/{world.home}/spaces limit=250"]


class Shelf:
    """Things on this machine, whose writes local steps undo: nothing is asked of a desk."""

    def __init__(self, store: State | None = None, things: dict[str, str] | None = None) -> None:
        self.store = store or State()
        self.things = {"1": "Old", "2": "Other"} if things is None else things
        self.taken: list[str] = []
        self.fails: Exception | None = None
        """Why reading fails."""

        async def connect() -> Api:
            return Api(BASE_URL, "token")

        async def known(session: Session, api: Api) -> None: ...

        async def rows() -> Any:
            if self.fails is not None:
                raise self.fails
            return {"items": [{"id": key, "title": title} for key, title in self.things.items()]}

        async def thing(key: str) -> Any:
            if self.fails is not None:
                raise self.fails
            return {"title": self.things[key]} if key in self.things else None

        async def make(title: str) -> Any:
            self.taken.append(f"make {title}")
            key = str(len(self.things) + 10)
            self.things[key] = title
            return SimpleNamespace(id=key)

        async def rename(key: str, title: str) -> None:
            self.taken.append(f"rename {key} {title}")
            if key not in self.things:
                raise NotFound("It is not there.", status=404)
            if title == "Refused":
                raise Forbidden("The door is shut.", status=403)
            self.things[key] = title

        self.session = Session(connect, journal=Journal(self.store, "desk"), identify=known)
        self.session.local_steps.update(rows=rows, thing=thing, make=make, rename=rename)

    async def remove(self, key: str) -> PastWrite:
        """Remove a thing, which undo makes again under another key, and then marks."""
        title = self.things[key]
        way = Reversal(
            (Step("local.make", {"title": title}), renaming(key, f"{title}.")),
            still=Expectation(Step("local.rows"), {f"items{{title={title}}}.title": []}),
            anew=Anew(key, {"title": title}),
        )
        return await self.did("Remove", title, way, self.things.pop, key)

    async def renamed(self, key: str, title: str, group: str = "", **more: Any) -> PastWrite:
        """Give a thing another title."""
        was, read = self.things[key], Step("local.thing", {"key": key})
        way = Reversal(
            (renaming(key, was),), (renaming(key, title),),
            Expectation(read, {"title": title}), Expectation(read, {"title": was}),
        )  # fmt: skip
        way = replace(way, **more)
        return await self.did("Rename", was, way, self.things.__setitem__, key, title, group=group)

    async def did(
        self, what: str, target: str, way: Reversal, *doing: Any, group: str = ""
    ) -> PastWrite:
        """Write something by a call, and return it."""

        async def send() -> None:
            doing[0](*doing[1:])

        await self.session.writes.perform(what, target, send, reversal=way, group=group)
        return [*self.session.history.known.values()][-1]


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def renaming(key: str, title: str) -> Step:
    return Step("local.rename", {"key": key, "title": title})


async def test_what_is_made_again_has_another_id_from_then_on_also_for_what_comes_after() -> None:
    shelf = Shelf()
    earlier = await shelf.renamed("1", "Newer")
    past = await shelf.remove("1")
    assert past.reversal == past.kept
    await shelf.session.reversals.undo()
    assert shelf.things == {"2": "Other", "11": "Newer."}
    assert shelf.taken == ["make Newer", "rename 11 Newer."]
    assert shelf.session.history.made_again(past) == {"1": "11"}
    assert shelf.session.history.made_again(earlier) == {}
    undo = shelf.session.journal.entries()[-1]
    assert (undo.what, undo.kind, undo.of) == ("Undo: Remove", "undo", past.id)
    assert (undo.progress, undo.made, undo.known) == (1, "11", [])
    assert earlier.reversal.back == (renaming("11", "Old"),)
    await shelf.session.reversals.take_back([earlier], anyway=True)
    assert shelf.things == {"2": "Other", "11": "Old"}
    last = shelf.session.journal.entries()[-1]
    assert (last.what, last.progress) == ("Undo: Rename", 0), "one step is not counted"


async def test_what_another_program_made_again_is_not_made_twice() -> None:
    shelf = Shelf()
    past = await shelf.remove("1")
    other = Shelf(shelf.store, shelf.things)
    other.session.history.learn(other.session.journal.entries())
    [theirs] = other.session.history.known.values()
    await other.session.reversals.take_back([theirs])
    more = await shelf.renamed("2", "Newer")
    await shelf.session.reversals.take_back([past, more])
    assert (past.standing, more.standing) == ("undone", "undone")
    assert shelf.taken == ["rename 2 Other"]


@pytest.mark.parametrize(
    ("things", "fails", "said"),
    [
        ({"2": "Other"}, None, ""),
        ({"2": "Other", "3": "Old"}, None, ""),
        ({"2": "Other", "3": "Old", "4": "Old"}, None, CUT_OFF),
        ({"2": "Other"}, Unreachable("No route."), "Offline: No route. R tries again."),
    ],
)
async def test_an_undo_without_an_answer_is_found_out_before_anything_is_made_again(
    things: dict[str, str], fails: Exception | None, said: str
) -> None:
    shelf = Shelf()
    past = await shelf.remove("1")
    session = shelf.session
    undo = session.journal.begin("Undo: Remove", "Old", Notes(kind="undo", of=past.id, known=[]))
    session.history.take(undo)
    assert past.cut == undo
    shelf.things, shelf.fails = dict(things), fails
    if said:
        with pytest.raises(WriteError) as failed:
            await session.reversals.take_back([past])
        assert (str(failed.value), failed.value.unknown) == (said, True)
        assert shelf.taken == []
        assert session.offline == (said if fails else "")
        return
    await session.reversals.take_back([past])
    assert sorted(shelf.things.values()) == ["Old.", "Other"]
    assert shelf.taken[-1].endswith("Old.")
    assert ("make Old" in shelf.taken) is ("3" not in things)
    assert past.standing == "undone"


async def test_an_undo_that_cannot_be_noted_or_is_refused_leaves_the_write_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf = Shelf()
    past = await shelf.renamed("1", "New")
    session = shelf.session
    with monkeypatch.context() as disk:
        disk.setattr(session.journal, "begin", full_disk)
        with pytest.raises(WriteError, match="could not be noted on disk"):
            await session.reversals.undo()
    assert past.standing == "done"
    assert shelf.taken == []
    shelf.fails = Forbidden("The door is shut.", status=403)
    with pytest.raises(WriteError) as failed:
        await session.reversals.undo()
    assert str(failed.value) == (
        "Nothing was undone, because it could not be read: Not allowed: The door is shut."
    )
    shelf.fails = None
    refused = await shelf.renamed("2", "Much", back=(renaming("2", "Refused"),))
    with pytest.raises(WriteError, match=r"^Not allowed: The door is shut\.$"):
        await session.reversals.undo()
    assert (refused.standing, past.standing) == ("done", "done")
    assert shelf.things == {"1": "New", "2": "Much"}
    await session.reversals.take_back([past])
    with monkeypatch.context() as disk:
        disk.setattr(session.journal, "begin", full_disk)
        with pytest.raises(WriteError):
            await session.reversals.take_back([past], again=True)
    standings = [past.standing]
    both = [past, await shelf.renamed("2", "More")]
    shelf.taken.clear()
    await session.reversals.take_back([past], again=True)
    standings.append(past.standing)
    assert (standings, shelf.things["1"]) == (["undone", "done"], "New")
    assert await session.reversals.take_back(both) == [None, None], "what each step answered"
    assert shelf.taken == ["rename 1 New", "rename 1 Old", "rename 2 Much"]


async def test_what_undo_finds_changed_gone_or_done_is_told_and_the_rest_is_undone() -> None:
    shelf = Shelf(things=dict.fromkeys("1234", "Old"))
    pasts = [await shelf.renamed(key, "New") for key in "1234"]
    shelf.things["1"] = "Theirs"
    del shelf.things["2"]
    shelf.things["3"] = "Old"
    told: list[int] = []
    with pytest.raises(ChangedSinceError) as changed:
        await shelf.session.reversals.take_back(pasts, told=told.append)
    assert told == [0, 1, 2, 3]
    [obstacle] = changed.value.obstacles
    assert (obstacle.past, obstacle.gone, obstacle.done) == (pasts[0], False, False)
    assert obstacle.why == "Its title is Theirs by now, not New."
    assert [each.standing for each in pasts] == ["done", "gone", "undone", "undone"]
    assert [each.by_others for each in pasts] == [False, False, True, False]
    assert shelf.taken == ["rename 4 Old"]
    assert [
        (each.what, each.target, each.kind) for each in shelf.session.journal.entries()[4:]
    ] == [
        ("Gone: Rename", "Old", "gone"),
        ("Undo: Rename", "Old", "undo"),
        ("Undo: Rename", "Old", "undo"),
    ]
    assert [line.state for line in shelf.session.log] == ["done", *["undone"] * 3, "done"]


async def test_what_is_gone_is_told_by_its_names() -> None:
    shelf = Shelf()
    pasts = [await shelf.renamed(key, "New") for key in "12"]
    shelf.things.clear()
    with pytest.raises(WriteError) as gone:
        await shelf.session.reversals.take_back(pasts)
    assert str(gone.value) == "Rename Old, Rename Other cannot be undone: it is gone."
    assert not isinstance(gone.value, ChangedSinceError)
    shelf = Shelf()
    blind = await shelf.renamed("1", "New", still=None, before=None)
    shelf.things.clear()
    with pytest.raises(WriteError, match=r"^Rename Old cannot be undone: it is gone\.$"):
        await shelf.session.reversals.take_back([blind])
    assert blind.standing == "gone"
    assert shelf.session.reversals.undoable() is None
    shelf = Shelf()
    past = await shelf.renamed("1", "New")
    await shelf.session.reversals.undo()
    shelf.things.clear()
    with pytest.raises(WriteError, match=r"^Rename Old cannot be redone: it is gone\.$"):
        await shelf.session.reversals.take_back([past], again=True)


@pytest.mark.parametrize(
    ("title", "more", "idle"),
    [
        ("Old", {}, True),
        ("Theirs", {}, False),
        ("Old", {"still": None, "before": None}, False),
    ],
)
async def test_what_is_undone_all_the_same_says_whether_that_changed_anything(
    title: str, more: dict[str, Any], idle: bool
) -> None:
    shelf = Shelf()
    past = await shelf.renamed("1", "New", **more)
    shelf.things["1"] = title
    await shelf.session.reversals.take_back([past], anyway=True)
    assert (past.standing, past.idle, shelf.things["1"]) == ("undone", idle, "Old")
    past.idle = True
    shelf.fails = Unreachable("No route.")
    await shelf.session.reversals.take_back([past], anyway=True)
    assert not past.idle, "it cannot be told"


async def test_nothing_is_left_of_a_cut_off_undo_where_something_newer_can_be_undone() -> None:
    shelf = Shelf()
    undo = shelf.session.reversals
    past = await shelf.renamed("1", "New", group="both")
    assert undo.left_over() == []
    undo.half_undone = past
    assert undo.left_over() == [], "it can be undone by itself"
    shelf.session.log.clear()
    assert undo.left_over() == [past]
    shelf.session.read_only = True
    assert undo.left_over() == []


async def test_ways_and_reads_that_this_copydesk_does_not_know_are_refused() -> None:
    way = ReversalRunner(lambda name: None)
    api = Api(BASE_URL, "token")
    odd = Reversal((Step("local.odd_step"),))
    with pytest.raises(StepError, match=r"^there is no local step 'odd_step'$"):
        way.usable(odd)
    with pytest.raises(StepError, match=r"^there is no operation 'odd'$"):
        way.usable(Reversal((Step("odd"),)))
    with pytest.raises(NotDoneError, match=r"^This copydesk knows no way to odd step\.$"):
        await way.take(api, odd.back[0])
    assert await way.alike(api, odd) == []
    assert await way.holds(api, None) is None
    assert await way.became(api, odd) is None
    past = PastWrite(Entry("i", "r", 1.0, "Odd", "it", "done"), odd, 1, Names())
    assert await way.obstacle(api, past) is None


def test_what_of_several_things_is_not_undone_is_told_each_with_why() -> None:
    results = [
        {"source": "/a", "status": "error", "error": "No\x07."},
        {"source": "/b", "status": "error"}, {"source": "/c", "status": "deleted"},
        {"source": "/d", "status": "error", "error": "x" * 400},
    ]  # fmt: skip
    found = RedirectResults.model_validate({"results": results})
    told = undo.not_taken([None, found, {"results": results}])
    assert told == ["/a: No.", "/b: it was refused", f"/d: {'x' * 296}"]


async def test_a_list_is_read_to_a_bound(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for title in ("One", "Two", "Three"):
        world.space(title)
    step = Step("list_organization_spaces", {"organization_id": world.home})
    monkeypatch.setattr(undo, "LONGEST_ORDER", 2)
    async with world.api() as api:
        assert len((await ReversalRunner(lambda name: None).answer(api, step))["items"]) == 2
        gone = Step("get_space", {"space_id": "gone"})
        assert await ReversalRunner(lambda name: None).answer(api, gone) is None


async def test_what_a_merge_has_overtaken_is_not_offered_to_be_undone(
    world: World, tmp_path: Path
) -> None:
    begun = Begun(world, tmp_path)
    session = begun.session
    api = await session.ready()
    pasts = []
    for _, request in begun.made:
        way = request_changed(begun.space, request, {"status": "draft"}, {"status": "open"})

        async def opened() -> None: ...

        await session.writes.perform("Open", request, opened, reversal=way)
        pasts.append([*session.history.known.values()][-1])
        await begun.turn(request, "open")
    now = await api(ops.get_change_request, *begun.made[0])
    session.reversals.end(now)
    assert [past.standing for past in pasts] == ["done", "done"], "it is as it was left"
    merged = now.model_copy(update={"status": "merged"})
    session.reversals.end(merged)
    assert [past.standing for past in pasts] == ["gone", "done"]
    pasts[1].standing = "undone"
    session.reversals.end(merged.model_copy(update={"id": begun.made[1][1]}))
    assert pasts[1].standing == "undone"


async def test_what_was_made_again_is_looked_up_where_a_step_names_it(world: World) -> None:
    shelf = world.collection("Shelf")
    space = world.space("Guide", parent=shelf)
    read = Step("list_collection_spaces", {"collection_id": shelf})
    way = ReversalRunner(lambda name: None)
    async with world.api() as api:
        for path, found in (("items{title=Guide}.id", "Guide"), ("items{title=Gone}.id", "Other")):
            other = world.space("Other") if found == "Other" else "gone"
            named = looked_up(read, path, other)
            assert (await way.take(api, Step("get_space", {"space_id": named}))).title == found
    assert space
