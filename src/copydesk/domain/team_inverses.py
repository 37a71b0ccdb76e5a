"""The way back of writes about teams and who is in them. As in `copydesk.domain.inverses`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step

Ids = tuple[str, str]
"""The organization and the team."""


def team_made(ids: Ids, title: str, members: int) -> Reversal:
    """Return the way back of a new team: it is deleted, with what was given to it."""
    read = Step("get_team", _of(ids))
    return Reversal(
        (Step("delete_team", _of(ids)),),
        (),
        Expectation(read, {"title": title, "members": members, "spaces": 0}),
        Expectation(read, gone=True),
        asks="The team is deleted, with whatever it was given. It is not made again.",
    )


def team_renamed(ids: Ids, before: str, after: str) -> Reversal:
    """Return the way back of another name."""
    read = Step("get_team", _of(ids))
    return Reversal(
        (Step("update_team", _of(ids), {"title": before}),),
        (Step("update_team", _of(ids), {"title": after}),),
        Expectation(read, {"title": after}),
        Expectation(read, {"title": before}),
    )


def people_added(ids: Ids, people: Sequence[str]) -> Reversal:
    """Return the way back of adding people, by their ids; by addresses only as they were typed."""
    return Reversal(
        (_put(ids, {"remove": list(people)}),),
        (_put(ids, {"add": list(people)}),),
        _in_team(ids, dict.fromkeys(people, "member"), "who was added was removed since, or given "
                 "another role"),
        _out_of_team(ids, people),
    )  # fmt: skip


def people_removed(ids: Ids, roles: Mapping[str, str]) -> Reversal:
    """Return the way back of removing people, by their ids: they get the roles that they had."""
    leave = (_put(ids, {"remove": list(roles)}),)
    enter = _put(ids, {"add": list(roles), "memberships": _memberships(roles)})
    if len(roles) == 1:
        # One person may leave by themselves, who may not manage the team.
        ((person, _),) = roles.items()
        leave = (Step("remove_team_member", {**_of(ids), "user_id": person}),)
    return Reversal(
        (enter,),
        leave,
        _out_of_team(ids, list(roles)),
        _in_team(ids, roles, "who is in it was changed since"),
    )


def roles_changed(ids: Ids, before: Mapping[str, str], role: str) -> Reversal:
    """Return the way back of a role that people got in a team, by their ids."""
    after = dict.fromkeys(before, role)
    said = "roles in it were changed since"
    return Reversal(
        (_roles(ids, before),),
        (_roles(ids, after),),
        _in_team(ids, after, said),
        _in_team(ids, before, said),
    )


def _roles(ids: Ids, roles: Mapping[str, str]) -> Step:
    if len(roles) > 1:
        return _put(ids, {"memberships": _memberships(roles)})
    ((person, role),) = roles.items()
    return Step("put_team_member", {**_of(ids), "user_id": person}, {"role": role})


def _put(ids: Ids, body: dict[str, JSON]) -> Step:
    return Step("update_team_members", _of(ids), body)


def _memberships(roles: Mapping[str, str]) -> dict[str, JSON]:
    return {person: {"role": role} for person, role in roles.items()}


def _in_team(ids: Ids, roles: Mapping[str, str], said: str) -> Expectation:
    fields = {f"{_person(person)}.team.role": [role] for person, role in roles.items()}
    return Expectation(Step("list_team_members", _of(ids)), fields, said=said)


def _out_of_team(ids: Ids, people: Sequence[str]) -> Expectation:
    fields: dict[str, JSON] = {f"{_person(person)}.team.role": [] for person in people}
    said = "who was in it was changed since"
    return Expectation(Step("list_team_members", _of(ids)), fields, said=said)


def _person(person: str) -> str:
    """Return the path to somebody in the list: by the e-mail address, if that is what is known."""
    key = "organization.user.email" if "@" in person else "organization.id"
    return f"items[{key}={person}]"


def _of(ids: Ids) -> dict[str, str]:
    organization, team = ids
    return {"organization_id": organization, "team_id": team}
