"""The people who can be mentioned, and what they and others are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.contract.models.comment import CommentReply
from copydesk.contract.models.review import RequestedReviewer
from copydesk.contract.models.user import User
from copydesk.domain.known_name import Kind, KnownName
from copydesk.domain.mention import Named
from copydesk.local.marks import DeskUses
from copydesk.local.state import State
from copydesk.session.names import (
    FOUND,
    LOOKED_AT,
    SCREENS,
    KnownNames,
    Members,
    asked_name,
    first_words,
    person_name,
)
from copydesk.session.target import Target
from tests.world import World


def user(display_name: str = "", email: str | None = None) -> User:
    return User(id="u1", display_name=display_name, email=email)


async def test_those_are_offered_who_may_be_seen_and_they_are_read_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    zed = world.user("zed", display_name="zed\x07  Z")
    bea = world.user("bea", display_name="Bea")
    world.user("blank", display_name=" \x07")
    offered = [
        Named(world.ana, "Ana Silva", "ana@example.org"), Named(bea, "Bea", "bea@example.org"),
        Named(zed, "zed Z", "zed@example.org"),
    ]  # fmt: skip
    guest = world.user("guest", None)
    people = Members()
    assert people.known(world.home) is None
    async with world.api() as api:
        found = await people.read(api, world.home)
        assert [each for each in found if each.id != guest] == offered
        assert people.known(world.home) is found
        world.user("late")
        assert await people.read(api, world.home) is found
        assert people.known(None) is None
        monkeypatch.setattr("copydesk.session.names.MOST_MEMBERS", 1)
        assert len(await Members().read(api, world.home)) == 1
    async with world.api(guest) as api:
        assert await Members().read(api, world.home) == []


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (None, "someone"), (user("Lee\x07 "), "Lee"), (user(" ", "l@x.test\x07"), "l@x.test"),
        (user("\x07", " "), "u1"), (User(id="\x07"), "someone"),
        (user("x" * 300), "x" * 200), (user("", "y" * 300), "y" * 200),
    ],
)  # fmt: skip
def test_what_somebody_is_called(found: User | None, name: str) -> None:
    assert person_name(found) == name
    asked = RequestedReviewer.model_validate({"user": found and found.to_dict()})
    assert asked_name(asked) == name


def test_a_team_has_a_name_whatever_is_known() -> None:
    for title, name in (("Docs\x07", "Docs"), (" ", "t" * 40)):
        asked = RequestedReviewer.model_validate({"team": {"id": "t" * 50, "title": title}})
        assert asked_name(asked) == f"team {name}"


def test_a_message_is_named_by_its_first_words() -> None:
    reply = CommentReply.model_validate(
        {"id": "r", "body": {"markdown": "One\x07\n\n  two  " + "x" * 99}, "postedAt": 0}
    )
    assert first_words(reply, 12) == "One two xxx…"
    assert len(first_words(reply)) == 60


NAMES = (
    KnownName("space", "s", "Guide\x07 Book"),
    KnownName("space", "t", "Other"),
    KnownName("site", "w", "Guided tour"),
    KnownName("change-request", "r", "Fix the guide", "s", 118),
    KnownName("page", "p", "Old guide", "s"),
    KnownName("page", "q", " ", "gone"),
    KnownName("person", "u", "Gil Uide"),
)


def of(kind: Kind) -> list[KnownName]:
    return [name for name in NAMES if name.kind == kind]


async def known(*names: KnownName) -> KnownNames:
    found = KnownNames(lambda kind: [name for name in names if name.kind == kind])
    await found.load()
    return found


async def test_what_fits_best_comes_first_and_is_told_with_its_space() -> None:
    names = await known(*NAMES)
    assert [(each.title, each.note) for each in names.found(" GUIDE ")] == [
        ("Guide Book", "space"),
        ("Guided tour", "site"),
        ("#118 Fix the guide", "request · Guide Book"),
        ("Old guide", "page · Guide Book"),
    ]
    assert [each.id for each in names.found("gu bo")] == ["name.space.s"]
    assert [each.id for each in names.found("118")] == ["name.change-request.r"]
    assert [each.id for each in names.found("1ft")] == ["name.change-request.r"]
    assert [each.title for each in names.found("gid")] == [
        "Guide Book", "Guided tour", "#118 Fix the guide", "Old guide",
    ]  # fmt: skip
    assert [each.title for each in names.found("q")] == ["q"]
    assert [each.note for each in names.found("q")] == ["page"]
    assert [each.title for each in names.found("g")][:1] == ["Guide Book"]
    for nothing in ("", " ", "/", "zebra"):
        assert names.found(nothing) == []
    assert KnownNames().found("guide") == []


@pytest.mark.parametrize(
    ("typed", "target"),
    [
        ("guide book", Target("o", "s")),
        ("guided", Target("o", site="w")),
        ("fix", Target("o", "s", change_request="r")),
        ("old", Target("o", "s", page="p")),
        ("gil", Target("o")),
    ],
)
async def test_a_name_leads_to_what_it_names(typed: str, target: Target) -> None:
    [first] = (await known(*NAMES)).found(typed)
    assert first.target("o") == target
    assert first.name.kind in SCREENS


async def test_what_is_used_comes_before_its_equals(tmp_path: Path) -> None:
    store = State(tmp_path / "state.db")
    same = [KnownName("page", key, "Limits", "s") for key in "abc"]
    names = KnownNames(lambda kind: same if kind == "page" else [], DeskUses(store, "d"))
    await names.load()
    first = names.found("lim")
    assert [each.name.id for each in first] == ["a", "b", "c"]
    for at in (2, 2, 1):
        await names.used(first[at])
    await names.load()
    assert [each.name.id for each in names.found("lim")] == ["c", "b", "a"]


async def test_a_disk_that_refuses_loses_the_uses_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    names = KnownNames(of, DeskUses(State(tmp_path / "file" / "state.db"), "d"))
    await names.load()
    await names.used(names.found("other")[0])
    assert [each.title for each in names.found("other")] == ["Other"]


async def test_a_key_looks_at_so_many_and_offers_so_many() -> None:
    many = [KnownName("page", f"{at}", f"Page {at}") for at in range(LOOKED_AT + 1)]
    names = await known(*many)
    assert [each.name.id for each in names.found("page")] == [str(at) for at in range(FOUND)]
    assert [each.name.id for each in names.found(f"page {LOOKED_AT - 1}")] == [str(LOOKED_AT - 1)]
    assert names.found(f"page {LOOKED_AT}") == []
