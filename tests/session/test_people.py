"""The people who can be mentioned, and what they and others are called."""

from __future__ import annotations

import pytest

from copydesk.contract.models.comment import CommentReply
from copydesk.contract.models.review import RequestedReviewer
from copydesk.contract.models.user import User
from copydesk.domain.mention import Named
from copydesk.session.people import Members, asked_name, first_words, person_name
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
        monkeypatch.setattr("copydesk.session.people.MOST_MEMBERS", 1)
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
