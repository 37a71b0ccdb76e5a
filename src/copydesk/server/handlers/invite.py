"""Invitations by e-mail and by links. All of it takes the permission admin."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.invite import (
    InviteCreate,
    InviteLink,
    InviteLinkCreate,
    InviteLinkUpdate,
    InviteResult,
)
from copydesk.domain.access import rank
from copydesk.server.desk_writes import add_invite_link, add_member, add_user
from copydesk.server.errors import blocked, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.collection import collection_model
from copydesk.server.queries.organization import admits
from copydesk.server.queries.space import space_model
from copydesk.server.store import Row


@implements(ops.invite_members, takes="admin")
def invite_members(call: Call, organization_id: str, body: InviteCreate) -> InviteResult:
    """Make people members at once, with an account where they have none; the desk sends no e-mail.

    Who is a member already stays what they are. Who shall sign in by single sign-on needs an
    address in a domain that the organization admits.
    """
    organization = call.access.organization(organization_id, "admin")
    users: list[str] = []
    failed: list[str] = []
    for each in body.emails:
        email, role = (each, body.role) if isinstance(each, str) else (each.email, each.role)
        if body.sso and not admits(organization, email):
            failed.append(email)
            continue
        user: str | None = call.tx.value("SELECT id FROM user WHERE email = ?", email)
        if user is None:
            user = add_user(call.tx, email.partition("@")[0], email)
        elif call.tx.get("member", organization_id=organization_id, user_id=user) is not None:
            continue
        add_member(call.tx, organization_id, user, role, sso=bool(body.sso))
        users.append(user)
    return InviteResult(users=users, invited=len(users), failed_sso_emails=failed or None)


@implements(ops.list_invite_links, takes="admin")
def list_invite_links(
    call: Call, organization_id: str, **paging: Unpack[Paging]
) -> Page[InviteLink]:
    call.access.organization(organization_id, "admin")
    return paginate(
        call.tx,
        lambda row: _link_model(call, row),
        source="invite_link",
        which=Conditions("organization_id = ?", organization_id),
        paging=paging,
    )


@implements(ops.create_invite_link, takes="admin")
def create_invite_link(call: Call, organization_id: str, body: InviteLinkCreate) -> InviteLink:
    """Make a link. A 412 where the organization invites nobody by links."""
    organization = call.access.organization(organization_id, "admin")
    if not organization["invite_links"]:
        raise blocked("This organization invites no one by links: its setting inviteLinks is off.")
    given = {"role", "level"} & body.model_fields_set
    places = {"space", "collection"} & body.model_fields_set
    if len(places) > 1 or given != ({"level"} if places else {"role"}):
        raise invalid("body: say role, or level with space or collection")
    if body.space is not None:
        place = call.access.space(body.space)
    elif body.collection is not None:
        place = call.access.collection(body.collection)
    else:
        place = None
    if place is not None and place["organization_id"] != organization_id:
        raise invalid("body: it belongs to another organization")
    link_id = add_invite_link(
        call.tx,
        organization_id,
        role=body.role if place is None else body.level,
        space_id=body.space,
        collection_id=body.collection,
    )
    call.location = call.url("orgs", organization_id, "link-invites", link_id)
    return _link_model(call, _find_link(call, organization_id, link_id))


@implements(ops.get_invite_link, takes="admin")
def get_invite_link(call: Call, organization_id: str, invite_id: str) -> InviteLink:
    call.access.organization(organization_id, "admin")
    return _link_model(call, _find_link(call, organization_id, invite_id))


@implements(ops.update_invite_link, takes="admin")
def update_invite_link(
    call: Call, organization_id: str, invite_id: str, body: InviteLinkUpdate
) -> InviteLink:
    """Change what a link gives: the role of one to the organization, else the level."""
    call.access.organization(organization_id, "admin")
    row = _find_link(call, organization_id, invite_id)
    name = "role" if _place(row) is None else "level"
    if body.model_fields_set != {name}:
        raise invalid(f"body: say the {name} that this link gives")
    call.tx.run(
        "UPDATE invite_link SET role = ? WHERE organization_id = ? AND id = ?",
        getattr(body, name),
        organization_id,
        invite_id,
    )
    return _link_model(call, _find_link(call, organization_id, invite_id))


@implements(ops.delete_invite_link, takes="admin")
def delete_invite_link(call: Call, organization_id: str, invite_id: str) -> None:
    """Delete an invite link, so that nobody else comes in by it."""
    call.access.organization(organization_id, "admin")
    if not call.tx.run(
        "DELETE FROM invite_link WHERE organization_id = ? AND id = ?", organization_id, invite_id
    ):
        call.was_missing()


def _find_link(call: Call, organization_id: str, invite_id: str) -> Row:
    return call.find("invite link", "invite_link", invite_id, organization_id=organization_id)


def _place(row: Row) -> str | None:
    place: str | None = row["space_id"] or row["collection_id"]
    return place


def _link_model(call: Call, row: Row) -> InviteLink:
    place = _place(row)
    given = {"role" if place is None else "level": row["role"]}
    if row["space_id"] is not None:
        given["space"] = space_model(call, call.tx.row("space", row["space_id"]))
    elif row["collection_id"] is not None:
        given["collection"] = collection_model(
            call, call.tx.row("collection", row["collection_id"])
        )
    redundant = _useful(call, row["organization_id"])[place] != row["id"]
    return InviteLink(id=row["id"], redundant=redundant, **given)


def _useful(call: Call, organization_id: str) -> dict[str | None, str]:
    """Return the link to each place that gives most, the oldest of those; None is everywhere.

    It is remembered for the request: a list asks for each link.
    """
    key = ("useful links", organization_id)
    known: dict[str | None, str] | None = call.remembered.get(key)
    if known is not None:
        return known
    rows = call.tx.all(
        "SELECT * FROM invite_link WHERE organization_id = ? ORDER BY created_at DESC, id DESC",
        organization_id,
    )
    # The last one that is put in stays: of what gives most the oldest.
    found = {_place(row): row["id"] for row in sorted(rows, key=lambda row: rank(row["role"]))}
    call.remembered[key] = found
    return found
