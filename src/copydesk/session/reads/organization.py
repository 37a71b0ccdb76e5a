"""Reads of an organization for its lists: the reader's rights, members and teams to choose from."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from copydesk.domain.filter import fold
from copydesk.domain.text import clean, plural
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_me

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization
    from copydesk.session.session import Session

OFFERED = 5_000
"""The largest number of choices."""


async def read_home(api: Api, session: Session, organization: str) -> Organization:
    """Return an organization with the reader's rights, and learn who the reader is.

    Raises ``ApiError``.
    """
    if session.me is None:
        session.me = await read_me(api)
    return await api(ops.get_organization, organization)


async def people_offered(
    api: Api, organization: str, without: Collection[str] = ()
) -> list[Option]:
    """Return the members of an organization as options, by name. Raises ``ApiError``."""
    found: list[Option] = []
    async for member in api.pages(ops.list_members, organization):
        if member.id not in without:
            name, email = person_name(member.user), clean(member.user.email or "")
            found.append(Option(member.id, name, "" if email == name else email))
        if len(found) == OFFERED:
            break
    return sorted(found, key=lambda option: (fold(option.title), option.note))


async def teams_offered(api: Api, organization: str) -> list[Option]:
    """Return the teams of an organization as options, by name. Raises ``ApiError``."""
    found: list[Option] = []
    async for team in api.pages(ops.list_teams, organization):
        found.append(Option(team.id, clean(team.title) or team.id, plural(team.members, "member")))
        if len(found) == OFFERED:
            break
    return sorted(found, key=lambda option: fold(option.title))
