"""Organizations of the desk."""

from __future__ import annotations

import json
import re
from typing import Any, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.organization import Organization, OrganizationUpdate
from copydesk.server.desk_writes import add_member
from copydesk.server.errors import Refusal, conflict, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.organization import admits, organization_by_id, organization_model
from copydesk.server.queries.space import check_people
from copydesk.server.store import to_json

_DOMAIN = re.compile(
    r"(?=.{,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]"
)


@implements(ops.list_organizations)
def list_organizations(call: Call, **paging: Unpack[Paging]) -> Page[Organization]:
    return paginate(
        call.tx,
        lambda row: organization_model(call, row),
        source="organization",
        which=Conditions(
            "id IN (SELECT value FROM json_each(?))", json.dumps(list(call.access.memberships))
        ),
        descending=False,
        paging=paging,
    )


@implements(ops.get_organization, short=True)
def get_organization(call: Call, organization_id: str) -> Organization:
    return organization_model(call, call.access.organization(organization_id))


@implements(ops.update_organization, takes="admin")
def update_organization(call: Call, organization_id: str, body: OrganizationUpdate) -> Organization:
    call.access.organization(organization_id, "admin")
    columns: dict[str, Any] = {}
    for name in body.model_fields_set:
        columns[name] = getattr(body, name)
    if body.email_domains is not None:
        columns["email_domains"] = to_json(_domains(body.email_domains))
    if body.hostname is not None and call.tx.value(
        "SELECT count(*) FROM organization WHERE hostname = ? AND id <> ?",
        body.hostname,
        organization_id,
    ):
        raise conflict(f"The hostname {body.hostname!r} belongs to another organization.")
    if body.default_content is not None:
        columns["default_content"] = to_json(_default_content(call, organization_id, body))
    if body.merge_rules is not None:
        columns["merge_rules"] = to_json(_merge_rules(call, organization_id, body))
    call.tx.update("organization", organization_id, **columns)
    return organization_by_id(call, organization_id)


@implements(ops.join_organization)
def join_organization(call: Call, organization_id: str) -> None:
    """Make the caller a member when their e-mail's domain is one that the organization admits.

    The desk's people are entered by whoever runs it, so their addresses count as verified.
    """
    row = call.find("organization", "organization", organization_id)
    email: str = call.tx.value("SELECT email FROM user WHERE id = ?", call.user_id)
    if call.tx.get("member", organization_id=organization_id, user_id=call.user_id) is not None:
        raise conflict("You are a member of this organization already: nothing would change.")
    if not admits(row, email):
        raise Refusal(403, "This organization does not admit the domain of your e-mail address.")
    add_member(call.tx, organization_id, call.user_id, row["default_role"])


def _domains(domains: list[str]) -> list[str]:
    lowered = [domain.strip().lower() for domain in domains]
    for domain in lowered:
        if not _DOMAIN.fullmatch(domain):
            raise invalid(
                f"body.emailDomains: {domain[:100]!r} is not a domain such as example.org"
            )
    return list(dict.fromkeys(lowered))


def _default_content(call: Call, organization_id: str, body: OrganizationUpdate) -> object:
    content = body.default_content
    if content is None or isinstance(content, str):
        return content
    if call.tx.get("site", id=content.site, organization_id=organization_id) is None:
        raise invalid(
            f"body.defaultContent.site: the organization has no site {content.site[:100]!r}"
        )
    return {"type": "site", "site": content.site}


def _merge_rules(call: Call, organization_id: str, body: OrganizationUpdate) -> object:
    assert body.merge_rules is not None
    if body.merge_rules.type == "inherit":
        raise invalid("body.mergeRules.type: an organization has nothing to inherit from")
    rules = body.merge_rules.model_dump(mode="json", by_alias=True, exclude_none=True)
    check_people(call, organization_id, rules)
    return rules
