"""Where an audit event leads: the screen of its subject, where the event names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.text import clean
from copydesk.session.operations import ops
from copydesk.session.target import Target

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.audit_event import AuditEvent, AuditEventTarget

TOLD = ("repository", "branch", "reason")
"""What details of events say that people read as it is."""

Way = tuple[str, Target]
"""The name of a place, and its target."""


async def read_way(api: Api, organization: str, event: AuditEvent) -> Way | None:
    """Return the screen of the target of an event, None where the event does not name one.

    What an event's path went through is in its details. Raises ``ApiError``.
    """
    details = await api(ops.get_organization_audit_event, organization, event.id)
    ids = {key: each for key, each in details.payload.items() if isinstance(each, str)}
    return way_to(organization, details.target, ids)


async def read_facts(api: Api, organization: str, event: AuditEvent) -> list[tuple[str, str]]:
    """Return what an event says besides its row: names and clean texts. Raises ``ApiError``."""
    payload = (await api(ops.get_organization_audit_event, organization, event.id)).payload
    space = payload.get("spaceId")
    found: list[tuple[str, str]] = []
    if event.space is None and event.target.type != "space" and isinstance(space, str):
        try:
            found.append(("space", (await api(ops.get_space, space)).title))
        except (Forbidden, NotFound):
            found.append(("space", "one that is gone, or that you may not see"))
    found += [(name, text) for name in TOLD if isinstance(text := payload.get(name), str)]
    fields = payload.get("fields")
    if isinstance(fields, list):
        found.append(("fields", ", ".join(each for each in fields if isinstance(each, str))))
    return [(name, clean(text)) for name, text in found if text]


def way_to(organization: str, target: AuditEventTarget, ids: dict[str, str]) -> Way | None:
    """Return the screen of a target; ``ids`` are those of the path, such as ``spaceId``."""
    ids = {**ids, _name(target.type): target.id}
    home = Target(organization)
    space, site = ids.get("spaceId"), ids.get("siteId")
    if space is not None and (request := ids.get("changeRequestId")) is not None:
        return "review", home.but(space=space, change_request=request)
    if space is not None:
        return "pages", home.but(space=space, page=ids.get("pageId"))
    if site is not None:
        name = _SITE_TABS.get(target.type, "site-structure")
        return name, home.but(site=site)
    for key, name in _ITEMS.items():
        if (item := ids.get(key)) is not None:
            return name, home.but(item=item)
    if target.type in _LISTS:
        return _LISTS[target.type], home
    return ("organization", home) if target.type == "organization" else None


def _name(kind: str) -> str:
    """Return what the id of a kind is called: "change-request" is ``changeRequestId``."""
    first, *rest = kind.replace("_", "-").split("-")
    return first + "".join(word.capitalize() for word in rest) + "Id"


_SITE_TABS = {"site-redirect": "redirects", "share-link": "share-links"}

_ITEMS = {
    "collectionId": "collection-spaces",
    "teamId": "team-members",
    "userId": "member",
    "memberId": "member",
    "integrationName": "integration",
}
"""The places of things that are an item of a target."""

_LISTS = {
    "saml-provider": "saml-providers",
    "openapi-spec": "openapi-specs",
    "translation": "translations",
}
