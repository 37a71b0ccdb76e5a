"""The requests that change teams and who is in them, and how it is seen that they arrived."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.session.reads.organization import PAGE

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import TeamMember
    from copydesk.contract.models.team import Team, TeamCreate, TeamUpdate
    from copydesk.domain.organization_inverses import TeamIds


async def teams_called(api: Api, organization: str, title: str) -> list[Team]:
    """Return the teams of exactly that name."""
    from copydesk.contract import operations as ops

    pages = api.pages(ops.list_teams, organization, limit=PAGE, title=title)
    return [team async for team in pages if team.title == title]


async def make(api: Api, organization: str, body: TeamCreate) -> Team:
    """Make a team."""
    from copydesk.contract import operations as ops

    return await api(ops.create_team, organization, body)


async def find_made(api: Api, organization: str, title: str, known: Collection[str]) -> Team | None:
    """Return the team of that name that was not there before, or None."""
    found = await teams_called(api, organization, title)
    return next((team for team in found if team.id not in known), None)


async def rename(api: Api, ids: TeamIds, body: TeamUpdate) -> Team:
    """Give a team another name."""
    from copydesk.contract import operations as ops

    return await api(ops.update_team, *ids, body)


async def delete(api: Api, ids: TeamIds) -> None:
    """Delete a team."""
    from copydesk.contract import operations as ops

    await api(ops.delete_team, *ids)


async def people_in(api: Api, ids: TeamIds) -> list[TeamMember]:
    """Return everybody in a team."""
    from copydesk.contract import operations as ops

    return [each async for each in api.pages(ops.list_team_members, *ids, limit=PAGE)]


async def ids_of(api: Api, organization: str, named: Sequence[str]) -> list[str]:
    """Return by their ids, each once, people of an organization who were named somehow.

    The service takes e-mail addresses in any case of their letters, so what follows from adding
    somebody (who is there already, how it is taken back) goes by ids. Who is not found stays as
    they were named: the service says what is wrong with that.
    """
    from copydesk.contract import operations as ops

    found: dict[str, None] = {}
    for name in named:
        meant = [name]
        if "@" in name:
            members = api.pages(ops.list_members, organization, limit=PAGE, search=name)
            meant = [
                each.id
                async for each in members
                if (each.user.email or "").casefold() == name.casefold()
            ]
        found[meant[0] if meant else name] = None
    return list(found)


async def add(api: Api, ids: TeamIds, people: Sequence[str]) -> None:
    """Add people to a team, as members of it."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.team import TeamMembersUpdate

    await api(ops.update_team_members, *ids, TeamMembersUpdate(add=list(people)))


async def remove(api: Api, ids: TeamIds, people: Sequence[str]) -> None:
    """Take people out of a team; one alone may be oneself."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.team import TeamMembersUpdate

    if len(people) == 1:
        await api(ops.remove_team_member, *ids, people[0])
    else:
        await api(ops.update_team_members, *ids, TeamMembersUpdate(remove=list(people)))


async def give_roles(api: Api, ids: TeamIds, roles: Mapping[str, str]) -> None:
    """Give people in a team their roles there."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.team import TeamMembersUpdate, TeamMemberUpdate

    written = {person: {"role": role} for person, role in roles.items()}
    if len(written) == 1:
        ((person, body),) = written.items()
        await api(ops.put_team_member, *ids, person, TeamMemberUpdate.model_validate(body))
    else:
        many = TeamMembersUpdate.model_validate({"memberships": written})
        await api(ops.update_team_members, *ids, many)
