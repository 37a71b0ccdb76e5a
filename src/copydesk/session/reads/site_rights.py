"""The rights of a role on the sites of an organization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.domain.text import clean
from copydesk.session.reads.sites import WRITERS

if TYPE_CHECKING:
    from copydesk.client.api import Api


@dataclass(frozen=True, slots=True)
class Rights:
    """Why sites may not be changed, made, published, deleted; empty where they may be."""

    change: str = ""
    make: str = ""
    publish: str = ""
    delete: str = ""


ANY = Rights()
"""The rights of somebody whose role is not told: the service decides."""


async def read_rights(api: Api, organization: str, me: str | None) -> Rights:
    """Return what a person may do with the sites of an organization. Raises ``ApiError``."""
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

    if me is None:
        return ANY
    try:
        member = await api(ops.get_member, organization, me)
    except (Forbidden, NotFound):
        return ANY
    return rights_of(member.role)


def rights_of(role: str | None) -> Rights:
    """Return the rights of a role on the sites of its organization; None is a guest."""
    if role == "admin":
        return ANY
    yours = f"yours is {clean(role or 'guest')}."
    looks = role not in WRITERS
    needs = f"needs the role create or admin, {yours}"
    return Rights(
        f"Changing a site {needs}" if looks else "",
        f"Making a site {needs}" if looks else "",
        f"Publishing a site needs the role admin, {yours}",
        f"Deleting a site needs the role admin, {yours}",
    )
