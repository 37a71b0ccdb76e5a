"""What reading tells of a request whose answer never came."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.reversal import Call, Expectation, Reversal, Step
from copydesk.session.errors import NotDoneError
from copydesk.session.runs.interrupted_requests import (
    AS_PLANNED,
    Made,
    ids_before,
    is_gone,
    is_removal,
    made_by,
    stands,
    step_taken,
)
from copydesk.session.session import Session
from copydesk.session.writes.undo import LONGEST_ORDER
from tests.tui.site_world import publish
from tests.world import World

API = cast("Api", SimpleNamespace(skew=timedelta()))
ROWS = Expectation(Step("local.rows", {"of": "site"}), {})
Items = list[dict[str, Any]]


def session(answer: Any) -> Session:
    """Return a session in which a list of things is read as ``answer``."""

    async def nowhere() -> Api:
        raise AssertionError("nothing is asked here")

    async def rows(of: str) -> Any:
        return answer

    found = Session(nowhere)
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
    assert await stands(ours, API, call, known) == (stood, Made(made))


async def test_without_a_list_of_all_nothing_is_told() -> None:
    call = making({"title": "French"})
    long: Items = [{"id": str(at)} for at in range(LONGEST_ORDER)]
    answers: tuple[Any, ...] = (None, [], {"items": long}, {"rows": []})
    for answer in answers:
        assert await stands(session(answer), API, call, ()) == (None, Made())
        assert await ids_before(session(answer), API, call) is None
    ours = session({"items": [{"id": "a"}, {"title": "b"}]})
    assert await ids_before(ours, API, call) == ("a", "")
    assert await ids_before(ours, API, making({}, makes="")) is None
    own = Expectation(Step("local.rows", {"of": "new:1"}), {})
    for other in (making({}, arrived=None), making({}, arrived=own)):
        assert await ids_before(ours, API, other) is None
        assert await stands(ours, API, other, ()) == (None, Made())
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
    assert await stands(ours, API, making({}, makes="", reversal=way), None) == (stood, Made())
    arrived = Expectation(ROWS.read, {"title": "After"})
    call = making({}, makes="", arrived=arrived)
    assert await stands(ours, API, call, None) == (title == "After", Made())
    assert await stands(ours, API, making({}, makes="", arrived=None), None) == (None, Made())


def test_what_an_answer_says_was_made_is_known_by_its_id() -> None:
    call = making({})
    answer = SimpleNamespace(to_dict=lambda: {"id": "b"})
    assert made_by(call, answer) == {"new:1": "b"}
    assert made_by(call, Made({"new:1": "c"})) == {"new:1": "c"}
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
