"""The requests about an organization and its people, and how it is seen that they arrived."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from copydesk.domain.address import parse_app_url, web_address
from copydesk.session.errors import NotDoneError

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import Member, MemberUpdate
    from copydesk.contract.models.organization import Organization, OrganizationUpdate

_ID = re.compile(r"[\w-]{1,255}", re.ASCII)


def organization_in(text: str) -> str | None:
    """Return the id of the organization that a text names: an id, or an address of the app."""
    if _ID.fullmatch(text):
        return text
    found = parse_app_url(text)
    return None if found is None else found.organization


def invite_in(text: str) -> str | None:
    """Return the id of the invite link that a text names: the id, or the link itself."""
    if _ID.fullmatch(text):
        return text
    address = web_address(text)
    last = re.split(r"[?#]", address)[0].rstrip("/").rpartition("/")[2]
    # A link without a path ends in its host.
    return last if _ID.fullmatch(last) and address.count("/") > 2 else None


async def find_organization(api: Api, organization: str) -> Organization | None:
    """Return an organization that the caller is in, else None."""
    from copydesk.client.errors import Forbidden, NotFound
    from copydesk.contract import operations as ops

    try:
        return await api(ops.get_organization, organization)
    except (Forbidden, NotFound):
        return None


async def find_member(api: Api, organization: str, user: str) -> Member | None:
    """Return a member of an organization, None when they are none."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return await api(ops.get_member, organization, user)
    except NotFound:
        return None


async def change_organization(
    api: Api, organization: str, body: OrganizationUpdate
) -> Organization:
    """Change an organization, and return it as it is then."""
    from copydesk.contract import operations as ops

    return await api(ops.update_organization, organization, body)


async def join(api: Api, organization: str) -> bool:
    """Join an organization. Raises `NotDoneError` when there is none, or one is in it already."""
    from copydesk.client.errors import Conflict, NotFound
    from copydesk.contract import operations as ops

    try:
        await api(ops.join_organization, organization)
    except (Conflict, NotFound) as error:
        raise NotDoneError(error.message) from error
    return True


async def find_joined(api: Api, organization: str) -> bool | None:
    """Return True if the caller is in an organization, else None."""
    return True if await find_organization(api, organization) is not None else None


async def ping(api: Api, organization: str) -> str:
    """Tell an organization that the caller is here; return the token that it gave, or ""."""
    from copydesk.contract import operations as ops

    return (await api(ops.ping_organization, organization)).docs_visitor_claims or ""


async def delete_invite(api: Api, organization: str, invite: str) -> bool:
    """Delete an invite link, and return whether there was one."""
    from copydesk.contract import operations as ops

    # 204 says that there was none (docs/api-notes.md, Success codes).
    return (await api.answer(ops.delete_invite_link, organization, invite)).status != 204


async def change_role(api: Api, organization: str, user: str, body: MemberUpdate) -> Member:
    """Give a member another role."""
    from copydesk.contract import operations as ops

    return await api(ops.update_member, organization, user, body)


async def remove_member(api: Api, organization: str, user: str) -> bool:
    """Remove a member from an organization."""
    from copydesk.contract import operations as ops

    await api(ops.remove_member, organization, user)
    return True


async def add_by_sso(api: Api, organization: str, user: str) -> Member:
    """Make somebody a member who signs in by single sign-on.

    Raises `NotDoneError` when the service knows nobody by that id whom it may take in.
    """
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return await api(ops.add_sso_member, organization, user)
    except NotFound as error:
        raise NotDoneError(error.message) from error


async def find_by_sso(api: Api, organization: str, user: str) -> Member | None:
    """Return a member if they sign in by single sign-on, else None."""
    found = await find_member(api, organization, user)
    return found if found is not None and found.sso else None
