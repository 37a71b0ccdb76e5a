"""What reading tells of a request whose answer never came."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.domain.arrange_run import ArrangeRun, Requests, RunCall
from copydesk.domain.reversal import Call, Expectation, Reversal, Step
from copydesk.local.journal import Entry, Journal, Notes
from copydesk.local.state import State
from copydesk.session.errors import NotDoneError
from copydesk.session.runs.interrupted_requests import (
    AS_PLANNED,
    CUT_OFF,
    MadeIds,
    ids_before,
    is_gone,
    is_removal,
    made_by,
    settle,
    stands,
    step_taken,
)
from copydesk.session.session import Session
from copydesk.session.writes.log import LogEntry
from copydesk.session.writes.recovery import ARRIVED
from copydesk.session.writes.undo import LONGEST_ORDER
from tests.tui.site_world import publish
from tests.world import BASE_URL, World

API = cast("Api", SimpleNamespace(skew=timedelta()))
ROWS = Expectation(Step("local.rows", {"of": "site"}), {})
Items = list[dict[str, Any]]


def session(answer: Any, journal: Journal | None = None) -> Session:
    """Return a session in which a list of things is read as ``answer``."""

    async def nowhere() -> Api:
        return Api(BASE_URL, "token")

    async def known(session: Session, api: Api) -> None: ...

    async def rows(of: str) -> Any:
        return answer

    found = Session(nowhere, identify=known, journal=journal or Journal(State()))
    found.local_steps["rows"] = rows
    return found


def making(body: dict[str, Any], **more: Any) -> Call:
    step = Step("local.make", {}, body)
    given: dict[str, Any] = {"reversal": None, "makes": "new:1", "arrived": ROWS, **more}
    return Call("k", "Add", "It", "It is added", step, **given)


FRENCH = {"id": "b", "title": " French ", "space": {"id": "s-fr"}}


@pytest.mark.parametrize(
    ("items", "known", "stood", "made"),
    [
        ([{"id": "a"}], ("a",), False, {}),
        ([{"id": "a"}, FRENCH], ("a",), True, {"new:1": "b"}),
        ([FRENCH], ("b",), False, {}),
        ([FRENCH], (), True, {"new:1": "b"}),
        ([FRENCH], None, None, {}),
        ([FRENCH, {**FRENCH, "id": "c"}], (), None, {}),
        ([FRENCH, {**FRENCH, "id": "c", "title": "Dutch"}], (), True, {"new:1": "b"}),
        ([FRENCH, {"id": "c"}], (), None, {}),
        ([{**FRENCH, "space": {"id": "s-en"}}], (), False, {}),
        ([{"id": "b", "siteSpaces": [{"space": {"id": "s-en"}}, {"space": {"id": "s-fr"}}]}], (),
         True, {"new:1": "b"}),
        ([{"id": "b", "siteSpaces": [{"space": {"id": "s-en"}}, "odd"]}], (), False, {}),
        (["odd", FRENCH], (), True, {"new:1": "b"}),
        ("odd", (), None, {}),
    ],
)  # fmt: skip
async def test_what_was_made_is_the_only_new_thing_that_fits(
    items: Any, known: tuple[str, ...] | None, stood: bool | None, made: dict[str, str]
) -> None:
    call = making({"title": "French", "spaceId": "s-fr", "draft": True})
    ours = session({"items": items})
    assert await stands(ours, API, call, known) == (stood, MadeIds(made))


async def test_without_a_list_of_all_nothing_is_told() -> None:
    call = making({"title": "French"})
    long: Items = [{"id": str(at)} for at in range(LONGEST_ORDER)]
    answers: tuple[Any, ...] = (None, [], {"items": long}, {"rows": []})
    for answer in answers:
        assert await stands(session(answer), API, call, ()) == (None, MadeIds())
        assert await ids_before(session(answer), API, call) is None
    ours = session({"items": [{"id": "a"}, {"title": "b"}]})
    assert await ids_before(ours, API, call) == ("a", "")
    assert await ids_before(ours, API, making({}, makes="")) is None
    own = Expectation(Step("local.rows", {"of": "new:1"}), {})
    for other in (making({}, arrived=None), making({}, arrived=own)):
        assert await ids_before(ours, API, other) is None
        assert await stands(ours, API, other, ()) == (None, MadeIds())
    of_reversal = making({}, arrived=None, reversal=Reversal((Step("local.rows", {}),), still=ROWS))
    assert await ids_before(ours, API, of_reversal) == ("a", "")


@pytest.mark.parametrize(("title", "stood"), [("After", True), ("Before", False), ("Other", None)])
async def test_of_a_change_the_thing_itself_tells(title: str, stood: bool | None) -> None:
    way = Reversal(
        (Step("local.rows", {}),),
        still=Expectation(ROWS.read, {"title": "After"}),
        before=Expectation(ROWS.read, {"title": "Before"}),
    )
    ours = session({"title": title})
    assert await stands(ours, API, making({}, makes="", reversal=way), None) == (stood, MadeIds())
    arrived = Expectation(ROWS.read, {"title": "After"})
    call = making({}, makes="", arrived=arrived)
    assert await stands(ours, API, call, None) == (title == "After", MadeIds())
    assert await stands(ours, API, making({}, makes="", arrived=None), None) == (None, MadeIds())


def test_what_an_answer_says_was_made_is_known_by_its_id() -> None:
    call = making({})
    answer = SimpleNamespace(to_dict=lambda: {"id": "b"})
    assert made_by(call, answer) == {"new:1": "b"}
    assert made_by(call, MadeIds({"new:1": "c"})) == {"new:1": "c"}
    assert made_by(call, None) == {}
    assert made_by(making({}, makes=""), answer) == {}


def test_only_what_removes_may_be_sent_twice() -> None:
    ids = {"organization_id": "o", "site_id": "s", "site_section_id": "x"}
    call = making({})
    assert not is_removal(call)
    removal = Call("k", "Remove", "It", "It goes", Step("delete_site_section", ids), None)
    assert is_removal(removal)
    assert not is_removal(
        Call("k", "Change", "It", "It", Step("update_site_section", ids, {}), None)
    )


async def test_what_is_gone_already_is_removed_and_what_cannot_be_sent_says_so() -> None:
    ours = session(None)

    class Away:
        skew = timedelta()

        async def __call__(self, operation: Any, **given: Any) -> Any:
            raise NotFound("It is not there.", status=404)

    away = cast("Api", Away())
    ids = {"organization_id": "o", "site_id": "s", "site_section_id": "x"}
    removal = Call("k", "Remove", "It", "It goes", Step("delete_site_section", ids), None)
    assert await step_taken(ours, away, removal) is None
    change = Step("update_site_section", ids, {"title": "After"})
    with pytest.raises(NotFound):
        await step_taken(ours, away, Call("k", "Change", "It", "It", change, None))
    for step, why in (
        (Step("no_such_operation", {}), "there is no operation 'no_such_operation'."),
        (Step("update_site_section", ids, {"title": 7}), "title: Input should be a valid string."),
        (
            Step("request_reviewers", {"space_id": "s", "change_request_id": "r"}, {"users": [7]}),
            "users.0: Input should be a valid string.",
        ),
    ):
        with pytest.raises(NotDoneError) as refused:
            await step_taken(ours, away, Call("k", "Change", "It", "It", step, None))
        assert str(refused.value) == f"{AS_PLANNED}: {why}"


@pytest.mark.parametrize(
    ("more", "deleted", "gone"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"site_section_id": "x"}, True, False),
        ({"site_id": "other"}, True, False),
    ],
)
async def test_a_target_is_gone_where_its_own_list_is(
    world: World, more: dict[str, str], *, deleted: bool, gone: bool
) -> None:
    site = publish(world).site
    read = Step("list_site_sections", {"organization_id": world.home, "site_id": site, **more})
    calls = [
        making({}, makes="", arrived=None),
        making({}, makes="", arrived=Expectation(Step("get_site", {"site_id": "site"}), {})),
        making({}, makes="", arrived=Expectation(read, {})),
    ]
    run = ArrangeRun.of("place", site, "Docs", calls, organization=world.home)
    async with world.api() as api:
        if deleted:
            await api(ops.delete_site, world.home, site)
        assert await is_gone(session(None), api, run) is gone


def under_way(call: Call, known: tuple[str, ...] | None = ()) -> ArrangeRun:
    """Return a run with one request, which is under way."""
    return ArrangeRun.of("place", "site", "Docs", [call]).go("site 1").sending("k", known)


def noted(ours: Session, state: Any, **notes: Any) -> Entry:
    """Note a request of it in the journal, as an earlier run did."""
    entry = ours.journal.begin("Add", "It", Notes(group="site 1", **notes))
    return ours.journal.settle(entry, state) if state else entry


async def settled(ours: Session, call: Call, known: tuple[str, ...] | None = ()) -> RunCall:
    """Return the request after its outcome was read."""
    return (await settle(ours, API, under_way(call, known))).find("k")


MADE = Reversal((Step("local.remove", {"id": "new:1"}),), still=ROWS)


async def test_what_was_never_noted_or_failed_was_not_sent() -> None:
    ours = session({"items": [FRENCH]})
    ours.local_steps["remove"] = ours.local_steps["rows"]
    call = making({"title": "French", "spaceId": "s-fr"})
    assert (await settled(ours, call)).state == "waiting"
    noted(ours, "failed")
    assert (await settled(ours, call)).state == "waiting"
    other = ours.journal.begin("Add", "Other", Notes(group="site 1"))
    ours.journal.settle(other, "done")
    assert (await settled(ours, call)).state == "waiting", "that is another's"


@pytest.mark.parametrize(
    ("reversal", "kept", "also", "made"),
    [
        (MADE, Reversal((Step("local.remove", {"id": "b"}),)), {}, {"new:1": "b"}),
        (MADE, Reversal((Step("local.remove", {"id": "b"}),)), {"new:2": "space.id"},
         {"new:1": "b", "new:2": "s-fr"}),
        (MADE, None, {}, {"new:1": "b"}),
        (MADE, {"odd": 1}, {}, {"new:1": "b"}),
        (MADE, Reversal((Step("local.remove", {"other": "c"}),)), {}, {"new:1": "b"}),
        (None, None, {}, {"new:1": "b"}),
    ],
)  # fmt: skip
async def test_what_arrived_is_known_by_its_way_back_or_by_what_is_new(
    reversal: Reversal | None, kept: Any, also: dict[str, str], made: dict[str, str]
) -> None:
    ours = session({"items": [FRENCH]})
    ours.local_steps["remove"] = ours.local_steps["rows"]
    call = making({"title": "French"}, reversal=reversal, also=also)
    way = kept.to_dict() if isinstance(kept, Reversal) else kept
    entry = noted(ours, "done", reversal=way)
    run = await settle(ours, API, under_way(call))
    item = run.find("k")
    assert (item.state, item.entry, run.made) == ("done", entry.id, made)
    plain = Call("k", "Add", "It", "It", Step("local.make"), None)
    assert (await settled(ours, plain)).entry == entry.id


async def test_what_no_answer_came_of_is_noted_as_it_was_found() -> None:
    for items, state, words in (([FRENCH], "done", ARRIVED), ([], "failed", "")):
        ours = session({"items": items})
        ours.local_steps["remove"] = ours.local_steps["rows"]
        call = making({"title": "French"}, reversal=MADE)
        entry = noted(ours, "")
        other = noted(ours, "done")
        ours.log += [
            LogEntry(1, ours.clock(), "Add", "It", entry=entry),
            LogEntry(2, ours.clock(), "Add", "It", state="sending", entry=other),
            LogEntry(3, ours.clock(), "Add", "It", state="sending"),
        ]
        run = under_way(call)
        before = RunCall(replace(call, key="other"), state="done", entry=other.id)
        run = replace(run, calls=Requests([*run.calls, before]))
        item = (await settle(ours, API, run)).find("k")
        assert (item.state, item.said) == ("done" if items else "waiting", words)
        now = next(each for each in ours.journal.entries() if each.id == entry.id)
        assert (now.state, now.sentence) == (state, words)
        line, *rest = ours.log
        assert (line.state, line.message, line.entry) == (state, words, now)
        assert [each.state for each in rest] == ["sending", "sending"]
        way = {"back": [{"operation": "local.remove", "arguments": {"id": "b"}}]}
        kept = now.reversal or {}
        assert kept.get("back") == (way["back"] if items else None)


async def test_a_removal_of_unknown_end_is_sent_again_and_another_request_is_asked_about() -> None:
    ours = session(None)
    ids = {"organization_id": "o", "site_id": "s", "site_section_id": "x"}
    removal = Call("k", "Add", "It", "It goes", Step("delete_site_section", ids), None)
    entry = noted(ours, "unknown")
    assert (await settled(ours, removal)).state == "waiting"
    change = Call("k", "Add", "It", "It", Step("update_site_section", ids, {}), None)
    found = await settled(ours, change)
    assert (found.state, found.entry) == ("unknown", entry.id)
    assert found.said == CUT_OFF
    ours = session(None)
    asked = under_way(change).failed("k", "", unknown=True)
    found = (await settle(ours, API, asked)).find("k")
    assert (found.state, found.entry, found.said) == ("unknown", "", CUT_OFF)


@pytest.mark.parametrize(("title", "state"), [("After", "done"), ("Before", "waiting")])
async def test_a_request_with_a_way_back_is_settled_as_every_write_is(
    title: str, state: str
) -> None:
    way = Reversal(
        (Step("local.rows", {}),),
        still=Expectation(ROWS.read, {"title": "After"}),
        before=Expectation(ROWS.read, {"title": "Before"}),
    )
    ours = session({"title": title})
    entry = noted(ours, "unknown", reversal=way.to_dict())
    found = await settled(ours, making({}, makes="", reversal=way))
    assert (found.state, found.entry) == (state, entry.id if state == "done" else "")
    assert ours.history.known.keys() == ({entry.id} if state == "done" else set())


@pytest.mark.parametrize("makes", ["", "new:1"])
async def test_what_another_copydesk_is_sending_is_left_to_it(tmp_path: Path, makes: str) -> None:
    """Also what makes something, and has a way back only once it was answered."""
    way = Reversal((Step("local.rows", {}),), still=ROWS, before=ROWS)
    answer: Any = {"items": []} if makes else {}
    ours, other = (session(answer, Journal(State(tmp_path / "state.db"), "desk")) for _ in "ab")
    other.journal.opened()
    noted(other, "", reversal=None if makes else way.to_dict())
    # One of those that whoever reads a run takes for a reason to stop.
    with pytest.raises(NotDoneError, match=r"^Another copydesk is sending this now"):
        await settled(ours, making({}, makes=makes, reversal=None if makes else way))
    assert [each.state for each in ours.journal.entries()] == ["sending"]


async def test_the_undo_of_a_request_that_was_cut_off_is_read_once_more() -> None:
    for title, state in (("Before", "taken-back"), ("After", "done")):
        way = Reversal(
            (Step("local.rows", {}),),
            still=Expectation(ROWS.read, {"title": "After"}),
            before=Expectation(ROWS.read, {"title": "Before"}),
        )
        ours = session({"title": title})
        entry = noted(ours, "done", reversal=way.to_dict())
        ours.journal.begin("Undo: Add", "It", Notes(kind="undo", of=entry.id))
        call = making({}, makes="", reversal=way)
        run = under_way(call).arrived("k", entry=entry.id)
        run = run.turn_back().taking("k")
        assert (await settle(ours, API, run)).find("k").state == state
