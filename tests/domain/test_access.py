"""Where a level comes from, staged changes, and their way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from copydesk.domain.access import (
    Change,
    Container,
    Given,
    Holder,
    KnownSources,
    Person,
    Source,
    level_from,
    level_with,
    sources,
    stage,
    staged_of,
    staged_text,
)
from copydesk.domain.reversal import Step

BO = Given("user", "bo", "Bo", "read")
WEB = Given("team", "web", "Web", "edit")


@pytest.mark.parametrize(
    ("role", "default", "teams", "level"),
    [
        ("comment", "inherit", set(), "comment"),
        ("comment", "inherit", {"web"}, "edit"),
        ("admin", None, set(), "admin"),
        ("edit", "review", set(), "review"),
        ("edit", None, set(), "read"),
        (None, "admin", set(), "read"),
    ],
)
def test_the_highest_source_decides(
    role: str | None, default: str | None, teams: set[str], level: str
) -> None:
    chain = [
        Container("space", "s", "Guide", given=(BO,)),
        Container("collection", "c", "Shelf", default, given=(WEB,)),
        Container("collection", "d", "Above", "create"),
    ]
    if default == "inherit":
        chain = chain[:2]
    found = sources(chain, "Acme", Person("bo", role, frozenset(teams)))
    assert level_from(found) == level
    assert [each.level for each in found if each.decides] == [level]
    own = Source("Guide", "given to them", "read", level == "read", own=True, short="given here")
    assert found[0] == own


@pytest.mark.parametrize(
    ("user", "level", "members", "said"),
    [
        ("bo", "read", {}, "given here"),
        ("bo", "edit", {"web": frozenset({"bo"})}, "team Web"),
        ("dee", "edit", {"web": frozenset({"bo"})}, "organization"),
        ("dee", "comment", {}, "collection Shelf"),
        ("dee", "admin", {"web": frozenset({"bo"})}, "organization"),
        # It may be the team, whose members are not known.
        ("gus", "edit", {}, None),
        ("gus", "comment", {}, "organization"),
    ],
)
def test_what_gives_a_level_is_said_in_a_few_words(
    user: str, level: str, members: dict[str, frozenset[str]], said: str | None
) -> None:
    dee = Given("user", "dee", "Dee", "comment")
    chain = [
        Container("space", "s", "Guide", given=(BO,)),
        Container("collection", "c", "Shelf", given=(WEB, dee)),
    ]
    assert KnownSources(chain, members).of(user, level) == said
    hidden = [*chain, Container("collection", "d", "hidden", given=None)]
    known = said if said == "given here" else None
    assert KnownSources(hidden, members).of(user, level) == known


def test_what_everyone_has_is_of_where_it_was_given() -> None:
    here = [Container("space", "s", "Guide", "edit"), Container("collection", "c", "Shelf", "read")]
    assert KnownSources(here, {}).of("dee", "edit") == "everyone"
    above = [Container("space", "s", "Guide"), Container("collection", "c", "Shelf", "read")]
    assert KnownSources(above, {}).of("dee", "read") == "collection Shelf"
    assert KnownSources(above, {}).of("dee", "review") is None


def test_what_was_given_is_gone_through_once_for_all_people() -> None:
    class Counted(tuple[Given, ...]):
        rounds = 0

        def __iter__(self) -> Iterator[Given]:
            Counted.rounds += 1
            return super().__iter__()

    people = [Given("user", f"u{nth}", "Bo", "edit") for nth in range(50)]
    known = KnownSources([Container("space", "s", "Guide", given=Counted([*people, WEB]))])
    begun = Counted.rounds
    assert {known.of(each.id, "edit") for each in people} == {"given here"}
    assert Counted.rounds == begun


def test_who_loses_what_was_given_to_them_keeps_what_else_they_have() -> None:
    chain = [Container("space", "s", "Guide", given=(Given("user", "bo", "Bo", "admin"),))]
    found = sources(chain, "Acme", Person("bo", "read"))
    assert level_with(found, None) == "read"
    assert level_with(found, "edit") == "edit"
    assert level_with([], None) is None
    change = Change("user", "bo", "Bo", "admin", None)
    assert change.told(found) == "loses admin, keeps read"
    assert change.told([]) == "loses admin"


def test_nobody_disabled_has_a_level_and_what_is_not_read_gives_none() -> None:
    chain = [Container("space", "s", "Guide", given=None)]
    assert level_from(sources(chain, "Acme", Person("bo", None))) is None
    assert level_from(sources(chain, "Acme", Person("bo", "admin", disabled=True))) is None


def test_changes_are_staged_kept_as_text_and_given_up() -> None:
    first = stage({}, Change("user", "bo", "Bo", "read", "edit"))
    again = stage(first, Change("user", "bo", "Bo", "edit", "admin"))
    assert again["bo"] == Change("user", "bo", "Bo", "read", "admin")
    assert stage(again, Change("user", "bo", "Bo", "admin", "read")) == {}
    both = stage(again, Change("email", "zoe@example.org", "zoe", None, "read"))
    text = staged_text(both.values())
    assert staged_of(f'{text}\nnot JSON\n{{"who": "robot"}}\n[]') == both
    assert staged_of('{"who": "user", "id": "a", "name": "A", "after": "owner"}') == {}
    assert staged_of('{"who": "user", "id": "a", "name": "A", "after": ["read"]}') == {}
    assert [each.said for each in both.values()] == [
        "admin, had read",
        "read, invited as a guest first",
    ]


@pytest.mark.parametrize(
    ("before", "after", "there", "back"),
    [
        (None, "edit", "invite_to_site", "remove_team_from_site"),
        ("read", "edit", "update_site_team_permission", "update_site_team_permission"),
        ("read", None, "remove_team_from_site", "invite_to_site"),
    ],
)
def test_a_change_is_one_request_and_so_is_its_way_back(
    before: str | None, after: str | None, there: str, back: str
) -> None:
    place, change = Holder("site", "s", "o"), Change("team", "web", "Web", before, after)
    step, reversal = place.step(change), place.reversal(change)
    assert step.operation == there
    assert step.arguments["organization_id"] == "o"
    (undone,) = reversal.back
    assert undone.operation == back
    assert (undone.body or {}).get("role") == before
    assert reversal.forth == (step,)
    assert reversal.still is not None
    path = "items{team.id=web}.permission"
    assert reversal.still.fields == {path: [] if after is None else [after]}
    ids = {"organization_id": "o", "site_id": "s"}
    assert reversal.still.read == Step("list_site_team_permissions", ids)
    assert reversal.still.said == "the level was changed since"
    assert reversal.before == replace(
        reversal.still, fields={path: [] if before is None else [before]}
    )
    space = Holder("space", "s", "o").step(change)
    assert "organization_id" not in space.arguments
    assert space.arguments["space_id"] == "s"
