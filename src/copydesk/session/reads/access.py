"""Reading who may do what in a space, a collection or a site, and where it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.access import Container, Given, Holder, Person, Source, sources
from copydesk.domain.text import clean, shown_title
from copydesk.session.errors import failure_types
from copydesk.session.names import person_name
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api

PAGE = 1_000
"""Rows read with one request."""

MOST = 20_000
"""People, and teams, of one container that are read at most: of whom is not among them it is not
known what they were given, and what is staged for them could not be taken back.
"""

TEAMS = 20
"""So many of the teams to which a role was given have their members read."""

NESTED = 100
"""Collections above each other that are followed."""


async def read_chain(
    api: Api, place: Holder, me: str | None, administers: bool | None
) -> tuple[Container, ...]:
    """Return a place with the collections above it that may be read, nearest first.

    ``me`` is the reader, if they are known, who ``administers`` the organization or not. Raises
    ``ApiError`` for the place itself.
    """
    if place.kind == "site":
        site, given = await asyncio.gather(
            api(ops.get_site, place.organization, place.id), _given(api, place)
        )
        rule = [each for each in given or () if each.level == "admin"]
        admin: bool | None = administers or any(each.id == me for each in rule) or None
        if admin is None and administers is False and given is not None:
            # Whether the reader is in a team that administers it is not known here.
            admin = None if any(each.who == "team" for each in rule) else False
        return (Container("site", place.id, shown_title(site.title), given=given, admin=admin),)
    chain: list[Container] = []
    above: str | None = place.id
    kind = place.kind
    while above is not None and len(chain) < NESTED:
        here = Holder(kind, above)
        try:
            found: Any = await api(
                ops.get_space if kind == "space" else ops.get_collection, here.id
            )
        except (Forbidden, NotFound):
            if not chain:
                raise
            chain.append(Container(kind, above, "a collection that you may not see", given=None))
            break
        may = found.permissions
        chain.append(
            Container(
                kind,
                above,
                shown_title(found.title),
                _level(found.default_level),
                await _given(api, here),
                None if may is None else may.admin,
            )
        )
        above, kind = found.parent, "collection"
    return tuple(chain)


async def read_person(api: Api, organization: str, user: str) -> Person:
    """Return the role and the teams of a member. Raises ``ApiError``."""
    member = await api(ops.get_member, organization, user)
    pages = api.pages(ops.list_member_teams, organization, user, limit=PAGE)
    teams = frozenset([each.team.id async for each in pages])
    return Person(user, _level(member.role), teams, member.disabled)


async def read_sources(
    api: Api, organization: str, title: str, chain: Sequence[Container], user: str
) -> list[Source]:
    """Return what gives a person a role in a place; ``chain`` is what `read_chain` returned.

    ``title`` is that of the organization. Raises ``ApiError``.
    """
    person = await read_person(api, organization, user)
    return sources(chain, title or "the organization", person)


async def read_sources_if_there(
    api: Api, organization: str, title: str, chain: Sequence[Container], user: str
) -> list[Source]:
    """Return the same; nothing where it cannot be read: sending tells what is wrong with them."""
    try:
        return await read_sources(api, organization, title, chain, user)
    except failure_types():
        return []


async def read_team_members(
    api: Api, organization: str, chain: Sequence[Container]
) -> dict[str, frozenset[str]]:
    """Return the ids of the people in the teams that were given something, by those of the teams.

    Teams that may not be read are left out, and so are those behind the first `TEAMS`. Raises
    ``ApiError``.
    """
    teams = [each.id for above in chain for each in above.given or () if each.who == "team"]

    async def read(team: str) -> frozenset[str] | None:
        pages = api.pages(ops.list_team_members, organization, team, limit=PAGE)
        found: set[str] = set()
        try:
            async for each in pages:
                found.add(each.organization.id)
                if len(found) == MOST:
                    return None
        except (Forbidden, NotFound):
            return None
        return frozenset(found)

    first = list(dict.fromkeys(teams))[:TEAMS]
    read_of = zip(first, await asyncio.gather(*map(read, first)), strict=True)
    return {team: found for team, found in read_of if found is not None}


async def _given(api: Api, place: Holder) -> tuple[Given, ...] | None:
    """Return the roles given in a place itself; None where the reader may not see them."""
    try:
        users, teams = await asyncio.gather(
            _listed(api, place, "user"), _listed(api, place, "team")
        )
    except Forbidden:
        return None
    return (
        *(Given("user", each.user.id, person_name(each.user), _level(each.permission))
          for each in users),
        *(Given("team", each.team.id, clean(each.team.title), _level(each.permission))
          for each in teams),
    )  # fmt: skip


async def _listed(api: Api, place: Holder, who: str) -> list[Any]:
    operation = getattr(ops, f"list_{place.kind}_{who}_permissions")
    found: list[Any] = []
    async for each in api.pages(operation, *place.ids.values(), limit=PAGE):
        found.append(each)
        if len(found) == MOST:
            break
    return found


def _level(level: str | None) -> str | None:
    return None if level is None else clean(level)
