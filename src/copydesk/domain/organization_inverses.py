"""The way back of writes about an organization, its people, its teams and single sign-on.

As in `copydesk.domain.inverses`. Only public values of a SAML provider are kept: its certificate is
the public one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, changed, made

TeamIds = tuple[str, str]
"""The organization and the team."""

ProviderIds = tuple[str, str]
"""The organization and the SAML provider."""

# Members and the organization itself


def role_changed(organization: str, user: str, before: str | None, after: str | None) -> Reversal:
    """Return the way back of another role; None is that of a guest."""
    ids = _member(organization, user)
    return changed("update_member", "get_member", ids, {"role": before}, {"role": after})


def sso_member_added(organization: str, user: str, role: str | None) -> Reversal:
    """Return the way back of taking somebody in who signs in by single sign-on."""
    ids = _member(organization, user)
    read = Step("get_member", ids)
    return Reversal(
        (Step("remove_member", ids),),
        (Step("add_sso_member", ids),),
        Expectation(read, {"role": role}),
        Expectation(read, gone=True, said="they are a member again"),
        asks="They also lose the teams and spaces that they were given since.",
    )


def joined(organization: str, me: str) -> Reversal:
    """Return the way back of joining an organization: to leave it."""
    return Reversal(
        (Step("remove_member", _member(organization, me)),),
        (Step("join_organization", {"organization_id": organization}),),
        Expectation(Step("get_member", _member(organization, me)), {"id": me}),
        Expectation(Step("get_organization", {"organization_id": organization}), gone=True),
        asks="You leave it, and lose the teams and spaces that you were given there since.",
    )


def organization_changed(
    organization: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of other settings: the former ones are put in their place.

    Both have values of the organization by wire name; ``logo`` is its address.
    """

    def shown(values: Mapping[str, JSON]) -> dict[str, JSON]:
        return {"urls.logo" if name == "logo" else name: value for name, value in values.items()}

    ids = {"organization_id": organization}
    return changed("update_organization", "get_organization", ids, before, after, shown=shown)


def _member(organization: str, user: str) -> dict[str, str]:
    return {"organization_id": organization, "user_id": user}


# Teams


def team_made(ids: TeamIds, title: str, members: int) -> Reversal:
    """Return the undo of a new team: it is deleted with its permissions."""
    return made(
        "delete_team",
        "get_team",
        _team(ids),
        {"title": title, "members": members, "spaces": 0},
        asks="This deletes the team and all that it was given. Redo does not make it again.",
    )


def team_renamed(ids: TeamIds, before: str, after: str) -> Reversal:
    """Return the way back of another name."""
    return changed("update_team", "get_team", _team(ids), {"title": before}, {"title": after})


def people_added(ids: TeamIds, people: Sequence[str]) -> Reversal:
    """Return the way back of adding people, by their ids; by addresses only as they were typed."""
    return Reversal(
        (_put(ids, {"remove": list(people)}),),
        (_put(ids, {"add": list(people)}),),
        _in_team(ids, dict.fromkeys(people, "member"), "who was added was removed since, or given "
                 "another role"),
        _out_of_team(ids, people),
    )  # fmt: skip


def people_removed(ids: TeamIds, roles: Mapping[str, str]) -> Reversal:
    """Return the way back of removing people, by their ids: they get the roles that they had."""
    leave = (_put(ids, {"remove": list(roles)}),)
    enter = _put(ids, {"add": list(roles), "memberships": _memberships(roles)})
    if len(roles) == 1:
        # One person may leave by themselves, who may not manage the team.
        ((person, _),) = roles.items()
        leave = (Step("remove_team_member", {**_team(ids), "user_id": person}),)
    return Reversal(
        (enter,),
        leave,
        _out_of_team(ids, list(roles)),
        _in_team(ids, roles, "who is in it was changed since"),
    )


def roles_changed(ids: TeamIds, before: Mapping[str, str], role: str) -> Reversal:
    """Return the way back of a role that people got in a team, by their ids."""
    after = dict.fromkeys(before, role)
    said = "roles in it were changed since"
    return Reversal(
        (_roles(ids, before),),
        (_roles(ids, after),),
        _in_team(ids, after, said),
        _in_team(ids, before, said),
    )


def _roles(ids: TeamIds, roles: Mapping[str, str]) -> Step:
    if len(roles) > 1:
        return _put(ids, {"memberships": _memberships(roles)})
    ((person, role),) = roles.items()
    return Step("put_team_member", {**_team(ids), "user_id": person}, {"role": role})


def _put(ids: TeamIds, body: dict[str, JSON]) -> Step:
    return Step("update_team_members", _team(ids), body)


def _memberships(roles: Mapping[str, str]) -> dict[str, JSON]:
    return {person: {"role": role} for person, role in roles.items()}


def _in_team(ids: TeamIds, roles: Mapping[str, str], said: str) -> Expectation:
    fields = {f"{_person(person)}.team.role": [role] for person, role in roles.items()}
    return Expectation(Step("list_team_members", _team(ids)), fields, said=said)


def _out_of_team(ids: TeamIds, people: Sequence[str]) -> Expectation:
    fields: dict[str, JSON] = {f"{_person(person)}.team.role": [] for person in people}
    said = "who was in it was changed since"
    return Expectation(Step("list_team_members", _team(ids)), fields, said=said)


def _person(person: str) -> str:
    """Return the path to somebody in the list: by the e-mail address where only that is known."""
    key = "organization.user.email" if "@" in person else "organization.id"
    return f"items[{key}={person}]"


def _team(ids: TeamIds) -> dict[str, str]:
    organization, team = ids
    return {"organization_id": organization, "team_id": team}


# Single sign-on


def provider_made(ids: ProviderIds, values: Mapping[str, JSON]) -> Reversal:
    """Return the way back of a new provider: it is deleted, and its addresses are gone."""
    return made(
        "delete_saml_provider",
        "get_saml_provider",
        _provider(ids),
        _provider_shown(values),
        said="it was changed since",
        asks="People can no longer sign in with it. Redo makes one with other addresses.",
    )


def provider_changed(
    ids: ProviderIds, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal | None:
    """Return the way back of other settings; None where one was set that cannot be taken away.

    A value that was not there before is None; None as ``defaultRole`` is a guest.
    """
    if any(before.get(name) is None for name in ("ssoURL", "defaultTeam") if name in after):
        return None
    return changed(
        "update_saml_provider",
        "get_saml_provider",
        _provider(ids),
        _provider_sent(before),
        _provider_sent(after),
        shown=_provider_shown,
        said="it was changed since",
    )


def _provider_sent(values: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        name: "" if value is None and name != "defaultRole" else value
        for name, value in values.items()
    }


def _provider_shown(values: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        "defaultTeam.id" if name == "defaultTeam" else name: value or None
        for name, value in values.items()
    }


def _provider(ids: ProviderIds) -> dict[str, str]:
    organization, provider = ids
    return {"organization_id": organization, "saml_provider_id": provider}
