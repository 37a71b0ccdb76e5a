"""Operations on invitations to an organization."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("POST", "/orgs/{organization_id}/invites", extension="E13")
def invite_members(
    organization_id: str, body: models.invite.InviteCreate
) -> models.invite.InviteResult:
    """Invite people to an organization by their e-mail addresses."""


@operation("GET", "/orgs/{organization_id}/link-invites", extension="E13", secret=True)
def list_invite_links(
    organization_id: str, **paging: Unpack[Paging]
) -> Page[models.invite.InviteLink]:
    """List the invite links of an organization."""


@operation("POST", "/orgs/{organization_id}/link-invites", status=201, extension="E13", secret=True)
def create_invite_link(
    organization_id: str, body: models.invite.InviteLinkCreate
) -> models.invite.InviteLink:
    """Make a link by which people come into an organization, a space or a collection."""


@operation("GET", "/orgs/{organization_id}/link-invites/{invite_id}", extension="E13", secret=True)
def get_invite_link(organization_id: str, invite_id: str) -> models.invite.InviteLink:
    """Get an invite link of an organization."""


@operation(
    "PATCH", "/orgs/{organization_id}/link-invites/{invite_id}", extension="E13", secret=True
)
def update_invite_link(
    organization_id: str, invite_id: str, body: models.invite.InviteLinkUpdate
) -> models.invite.InviteLink:
    """Change what an invite link gives."""


@operation("DELETE", "/orgs/{organization_id}/link-invites/{invite_id}")
def delete_invite_link(organization_id: str, invite_id: str) -> None:
    """Delete an invite link of an organization."""
