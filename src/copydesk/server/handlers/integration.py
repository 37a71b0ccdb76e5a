"""Integrations: publishing and installing them, and what they were told."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any, TypeVar, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.integration import (
    EventTrace,
    Installation,
    InstallationCreate,
    InstallationUpdate,
    Integration,
    IntegrationDevMode,
    IntegrationEvent,
    IntegrationEventDetail,
    IntegrationPublish,
    OrganizationInstallation,
    SiteInstallation,
    SpaceInstallation,
)
from copydesk.server.errors import Refusal, blocked, conflict, forbidden, invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.installations import change, install, integration_row, leave_out, publish
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.integration import (
    administers,
    event_model,
    find_installation,
    find_integration,
    installation_model,
    installed_places,
    integration_model,
    listed,
    seen_events,
    seen_installations,
    seen_places,
    site_installation_model,
    space_installation_model,
)
from copydesk.server.store import Row

T = TypeVar("T")

_HAS = "EXISTS (SELECT 1 FROM json_each({}) WHERE value = ?)"

# A domain finds what is below it, and a pattern *.example.org is found by what is below that.
_UNFURLS = (
    "EXISTS (SELECT 1 FROM json_each(block_domains), (SELECT ? AS asked) WHERE value = asked "
    "OR substr(value, -length(asked) - 1) = '.' || asked "
    "OR substr(value, 1, 2) = '*.' AND substr(asked, 1 - length(value)) = substr(value, 2))"
)

_CALLED = (
    "EXISTS (SELECT 1 FROM (SELECT ? AS asked) "
    "WHERE instr(casefold(id), asked) OR instr(casefold(title), asked))"
)

_INSTALLED = (
    "integration_id IN (SELECT id FROM integration, (SELECT ? AS asked) "
    "WHERE instr(casefold(id), asked) OR instr(casefold(title), asked))"
)

_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"<svg": "image/svg+xml",
    b"<?xml": "image/svg+xml",
}


@implements(ops.list_integrations)
def list_integrations(
    call: Call,
    *,
    search: str | None = None,
    category: str | None = None,
    block_domain: str | None = None,
    blocks: bool | None = None,
    content_sources: bool | None = None,
    owner: str | None = None,
    scope: str | None = None,
    target: str | None = None,
    **paging: Unpack[Paging],
) -> Page[Integration]:
    """Answer with the integrations that the caller finds, by name.

    ``search`` looks in names and titles. ``owner`` is an organization's id or hostname.
    """
    given = listed(call)
    given.also(_CALLED, search and search.casefold())
    given.also(_UNFURLS, block_domain and block_domain.casefold())
    given.also(_HAS.format("categories"), category)
    given.also(_HAS.format("scopes"), scope)
    given.also("target = ?", target)
    given.also("owner IN (SELECT id FROM organization WHERE ? IN (id, hostname))", owner)
    for some, column in ((blocks, "blocks"), (content_sources, "content_sources")):
        if some is not None:
            given.also(f"coalesce(json_array_length({column}), 0) {'>' if some else '='} 0")
    return paginate(
        call.tx,
        lambda row: integration_model(call, row),
        source="integration",
        which=given,
        keys=("id",),
        descending=False,
        paging=paging,
    )


@implements(ops.get_integration)
def get_integration(call: Call, integration_name: str) -> Integration:
    return integration_model(call, find_integration(call, integration_name))


@implements(ops.publish_integration, takes="admin")
def publish_integration(call: Call, integration_name: str, body: IntegrationPublish) -> Integration:
    """Publish an integration, or a new version in which what the body leaves out stays.

    Takes the permission admin in the organization that owns it, and in the one that owned it before
    when the body names another. A first version must say who owns it; it is private, installable
    everywhere and called by its name unless the body says otherwise. Of secrets only the names are
    kept: a desk runs no code that could use them.
    """
    if integration_name in (".", ".."):
        # Its address would lead elsewhere: clients take such segments out of a path.
        raise invalid(f"path parameter integrationName: {integration_name!r} names no integration")
    owner = _owner_after(call, integration_name, body.organization)
    fields = {"owner": owner, **_fields(body)}
    return integration_model(call, publish(call.tx, integration_name, fields))


@implements(ops.delete_integration, takes="admin")
def delete_integration(call: Call, integration_name: str) -> None:
    """Delete an integration everywhere it is installed, with its events."""
    try:
        find_integration(call, integration_name, "admin")
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        return call.was_missing()
    call.tx.run("DELETE FROM integration WHERE id = ?", integration_name)
    return None


@implements(ops.list_integration_installations)
def list_integration_installations(
    call: Call, integration_name: str, *, external_id: str | None = None, **paging: Unpack[Paging]
) -> Page[Installation]:
    """Answer with installations, newest first: all of them to who administers the integration.

    Others see those of organizations where they may list installations.
    """
    integration = find_integration(call, integration_name)
    given = seen_installations(call, integration)
    given.also(_HAS.format("external_ids"), external_id)
    return paginate(
        call.tx,
        lambda row: installation_model(call, integration, row),
        source="installation",
        which=given,
        paging=paging,
    )


@implements(ops.install_integration, takes="view")
def install_integration(
    call: Call, integration_name: str, body: InstallationCreate
) -> Installation:
    """Install an integration. Takes the permission installIntegration in the organization.

    A private integration goes into the organization that owns it only. Being installed has no
    address of its own, so the Location is that of the list.
    """
    integration = find_integration(call, integration_name)
    organization = call.access.organization(body.organization, "installIntegration")
    if integration["visibility"] == "private" and organization["id"] != integration["owner"]:
        raise blocked(
            f"The integration {integration_name!r} is private: "
            "only the organization that owns it can install it."
        )
    where = {"integration_id": integration_name, "organization_id": organization["id"]}
    if call.tx.get("installation", **where) is not None:
        raise conflict(
            f"The integration {integration_name!r} is installed in {organization['title']!r} "
            "already: nothing would change."
        )
    installation_id = install(call.tx, integration, organization["id"])
    call.location = call.url("integrations", integration_name, "installations")
    return installation_model(call, integration, call.tx.row("installation", installation_id))


@implements(ops.update_integration_installation, takes="installIntegration")
def update_integration_installation(
    call: Call, integration_name: str, installation_id: str, body: InstallationUpdate
) -> Installation:
    """Change an installation and set it up anew. Takes what installing takes.

    Once it works on chosen spaces or sites only, these are those that it has something of its own
    on, and those that were left when it was taken out of one.
    """
    integration = find_integration(call, integration_name)
    row = find_installation(call, integration, installation_id)
    if row is None:
        raise not_found("installation", installation_id)
    _may_install(call, row)
    fields = {name: getattr(body, name) for name in body.model_fields_set}
    for place in ("space", "site"):
        if fields.get(f"{place}_selection") == "all" and integration["target"] not in (
            "all",
            place,
        ):
            raise invalid(f"body.{place}_selection: {integration_name!r} is not for a {place}")
    if fields:
        change(call.tx, integration, row, fields)
        row = call.tx.row("installation", installation_id)
    return installation_model(call, integration, row)


@implements(ops.uninstall_integration, takes="installIntegration")
def uninstall_integration(call: Call, integration_name: str, installation_id: str) -> None:
    """Take an integration out of an organization, with the events that it got there."""
    row = find_installation(call, find_integration(call, integration_name), installation_id)
    if row is None:
        return call.was_missing()
    _may_install(call, row)
    call.tx.run("DELETE FROM installation WHERE id = ?", installation_id)
    return None


@implements(ops.uninstall_integration_from_site, takes="installIntegration")
def uninstall_integration_from_site(
    call: Call, integration_name: str, installation_id: str, site_id: str
) -> None:
    """Take an integration out of a site. Takes what installing takes."""
    return _leave_out(call, integration_name, installation_id, "site", site_id)


@implements(ops.uninstall_integration_from_space, takes="installIntegration")
def uninstall_integration_from_space(
    call: Call, integration_name: str, installation_id: str, space_id: str
) -> None:
    return _leave_out(call, integration_name, installation_id, "space", space_id)


@implements(ops.list_organization_installations, takes="listInstallations")
def list_organization_installations(
    call: Call, organization_id: str, *, search: str | None = None, **paging: Unpack[Paging]
) -> Page[OrganizationInstallation]:
    call.access.organization(organization_id, "listInstallations")
    given = Conditions("organization_id = ?", organization_id)
    given.also(_INSTALLED, search and search.casefold())

    def make(row: Row) -> OrganizationInstallation:
        integration = integration_row(call.tx, row["integration_id"])
        return OrganizationInstallation(
            installation=installation_model(call, integration, row),
            integration=integration_model(call, integration),
        )

    return paginate(call.tx, make, source="installation", which=given, paging=paging)


@implements(ops.list_integration_events, takes="admin")
def list_integration_events(
    call: Call, integration_name: str, **paging: Unpack[Paging]
) -> Page[IntegrationEvent]:
    """Answer with what happened to an integration, newest first.

    Its administrators read everything, those of an organization with it what happened there.
    """
    integration = find_integration(call, integration_name)
    return paginate(
        call.tx,
        event_model,
        source="integration_event",
        which=seen_events(call, integration),
        paging=paging,
    )


@implements(ops.get_integration_event, takes="admin")
def get_integration_event(
    call: Call, integration_name: str, event_id: str
) -> IntegrationEventDetail:
    """Answer with an event and the trace of how it was handled, to whom the list shows it."""
    which = seen_events(call, find_integration(call, integration_name))
    which.also("id = ?", event_id)
    row = call.tx.one(which.after("SELECT * FROM integration_event WHERE 1"), *which.values)
    if row is None:
        raise not_found("event", event_id)
    return IntegrationEventDetail(
        event=event_model(row), trace=EventTrace.model_validate({"logs": json.loads(row["logs"])})
    )


@implements(ops.list_integration_space_installations)
def list_integration_space_installations(
    call: Call,
    integration_name: str,
    *,
    external_id: str | None = None,
    extended: bool = False,
    **paging: Unpack[Paging],
) -> Page[SpaceInstallation]:
    """Answer with the spaces that an integration works on and the caller may see, newest first."""
    integration = find_integration(call, integration_name)
    return _places(
        call,
        integration,
        "space",
        lambda row: space_installation_model(call, integration, row, extended=extended),
        external_id,
        paging=paging,
    )


@implements(ops.list_integration_site_installations)
def list_integration_site_installations(
    call: Call,
    integration_name: str,
    *,
    external_id: str | None = None,
    extended: bool = False,
    **paging: Unpack[Paging],
) -> Page[SiteInstallation]:
    """Answer with the sites that an integration works on and the caller may see, newest first."""
    integration = find_integration(call, integration_name)
    return _places(
        call,
        integration,
        "site",
        lambda row: site_installation_model(call, integration, row, extended=extended),
        external_id,
        paging=paging,
    )


@implements(ops.set_integration_dev_mode, takes="admin")
def set_integration_dev_mode(call: Call, integration_name: str, body: IntegrationDevMode) -> None:
    """Note where events of an integration go while it is written.

    A desk calls nobody: the trace of an event says that it would have gone there.
    """
    find_integration(call, integration_name, "admin")
    call.tx.update("integration", integration_name, tunnel_url=body.tunnel_url, tunnel_all=body.all)


def _may_install(call: Call, installation: Row) -> None:
    if not call.access.may_in(installation["organization_id"], "installIntegration"):
        raise forbidden("installIntegration", f"the installation {installation['id']!r}")


def _leave_out(call: Call, name: str, installation_id: str, place: str, key: str) -> None:
    integration = find_integration(call, name)
    which = seen_places(call, integration, place)
    which.also("id = ? AND installed_id = ?", key, installation_id)
    statement = which.after(f"SELECT 1 FROM {installed_places(place)} WHERE 1")  # noqa: S608 - ours
    if call.tx.one(statement, *which.values) is None:
        return call.was_missing()
    installation = call.tx.row("installation", installation_id)
    if place == "space":
        call.access.space(key, "installIntegration")
    else:
        _may_install(call, installation)
    leave_out(call.tx, installation, place, key)
    return None


def _places(
    call: Call,
    integration: Row,
    place: str,
    make: Callable[[Row], T],
    external_id: str | None,
    paging: Paging,
) -> Page[T]:
    given = seen_places(call, integration, place)
    given.also(_HAS.format("installed_external_ids"), external_id)
    return paginate(call.tx, make, source=installed_places(place), which=given, paging=paging)


def _owner_after(call: Call, name: str, wanted: str | None) -> str:
    """Return the id of the organization that owns an integration once it is published.

    Raises a 400 when nobody would, a 403 when the caller does not administer it before and after.
    """
    before = call.tx.get("integration", id=name)
    if before is not None and not administers(call, before):
        raise forbidden("admin", f"the integration {name!r}")
    if wanted is None:
        if before is None:
            raise invalid("body.organization: say which organization owns the new integration")
        return str(before["owner"])
    row = call.tx.one("SELECT id FROM organization WHERE ? IN (id, hostname)", wanted)
    if row is None or row["id"] not in call.access.memberships:
        raise Refusal(
            404, f"There is no organization {wanted[:100]!r} to own the integration {name!r}."
        )
    call.access.organization(row["id"], "admin")
    return str(row["id"])


def _fields(body: IntegrationPublish) -> dict[str, Any]:
    """Return what a body sets as columns of ``integration``."""
    policy = body.content_security_policy
    if policy is not None and not policy.isprintable():
        # It is sent as a header, which a line break would end.
        raise invalid("body.contentSecurityPolicy: it must be one line of printable characters")
    written = json.loads(body.to_json())
    fields = {
        name: written[type(body).model_fields[name].alias]
        for name in body.model_fields_set - {"organization"}
    }
    if body.icon is not None:
        fields["icon"] = _picture("body.icon", body.icon)
    if body.preview_images is not None:
        fields["preview_images"] = [
            _picture(f"body.previewImages.{at}", image)
            for at, image in enumerate(body.preview_images)
        ]
    if body.secrets is not None:
        fields["secrets"] = sorted(body.secrets)
    return fields


def _picture(where: str, encoded: str) -> str:
    """Return a picture in base64 as a URI that holds it; raises a 400 when it is no base64."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise invalid(f"{where}: this is not base64") from None
    kind = next((kind for start, kind in _PICTURES.items() if data.startswith(start)), None)
    return f"data:{kind or 'application/octet-stream'};base64,{encoded}"
