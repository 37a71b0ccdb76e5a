"""Integrations, where they are installed, and what happened to them, as a caller may see them.

A public integration is everybody's to see. One that is unlisted is found by its name only, and a
private one not at all, except by the members of the organization that owns it and of those that
have it installed.
"""

from __future__ import annotations

import json
from typing import Any

from copydesk.contract.models.integration import (
    Installation,
    InstallationTarget,
    InstallationUrls,
    Integration,
    IntegrationEvent,
    IntegrationPermissions,
    IntegrationUrls,
    PlaceUrls,
    SiteInstallation,
    SpaceInstallation,
)
from copydesk.contract.models.merge_rules import MergeRules
from copydesk.contract.models.organization import Organization
from copydesk.server.errors import forbidden, not_found
from copydesk.server.implementation import Call
from copydesk.server.installations import defaults
from copydesk.server.pagination import Conditions
from copydesk.server.queries.organization import NO_TRIAL, organization_by_id
from copydesk.server.queries.site import SiteView
from copydesk.server.queries.space import space_model
from copydesk.server.store import Row, columns, from_json

_IN = "IN (SELECT value FROM json_each(?))"

_PLACES = {"space": "AND space.deleted_at IS NULL ", "site": ""}


def listed(call: Call, *, unlisted: bool = False) -> Conditions:
    """Return the condition on rows of ``integration`` that the caller finds in lists.

    With ``unlisted`` also those that are found by their names only.
    """
    return Conditions(
        f"visibility = 'public' OR {unlisted} AND visibility = 'unlisted' "  # noqa: S608 - ours
        f"OR owner {_IN} OR id IN "
        f"(SELECT integration_id FROM installation WHERE organization_id {_IN})",
        _organizations(call, "listIntegrations"),
        _organizations(call, "listInstallations"),
    )


def find_integration(call: Call, name: str, permission: str | None = None) -> Row:
    """Return an integration that the caller may see by its name.

    Raises a 404 when there is none, and with the permission ``admin`` a 403 when the caller does
    not administer the organization that owns it.
    """
    which = listed(call, unlisted=True)
    which.also("id = ?", name)
    row = call.tx.one(which.after("SELECT * FROM integration WHERE 1"), *which.values)
    if row is None:
        raise not_found("integration", name)
    if permission is not None and not administers(call, row):
        raise forbidden(permission, f"the integration {name!r}")
    return row


def administers(call: Call, row: Row) -> bool:
    """Say whether the caller administers the organization that owns an integration."""
    return call.access.role(row["owner"]) == "admin"


def integration_model(call: Call, row: Row) -> Integration:
    """Return the integration of a row. Its secrets are never part of an answer.

    The desk runs no integration, so that nothing answers at its own addresses.
    """
    screen = call.app_url("o", row["owner"], "integrations", row["id"])
    return Integration.model_validate(
        {
            "name": row["id"],
            **columns(row, "version", "title", "description", "summary", "target"),
            **columns(row, "visibility", "content_security_policy"),
            "preview_images": json.loads(row["preview_images"]),
            "verified": bool(row["verified"]),
            "scopes": json.loads(row["scopes"]),
            "categories": json.loads(row["categories"]),
            "blocks": from_json(row["blocks"]),
            "content_sources": from_json(row["content_sources"]),
            "configurations": from_json(row["configurations"]),
            "external_links": json.loads(row["external_links"]),
            "owner": _owner(call, row["owner"]),
            "urls": IntegrationUrls(
                location=call.url("integrations", row["id"]),
                app=screen,
                icon=row["icon"],
                assets=f"{screen}/assets",
                public_endpoint=f"{screen}/endpoint",
                public_content_endpoint=f"{screen}/endpoint",
            ),
            "permissions": IntegrationPermissions(admin=administers(call, row)),
        }
    )


def seen_installations(call: Call, integration: Row) -> Conditions:
    """Return the condition on rows of ``installation`` that the caller may list.

    Those in organizations where they may list installations; the integration's administrators see
    all of it.
    """
    if administers(call, integration):
        return Conditions("integration_id = ?", integration["id"])
    return Conditions(
        f"integration_id = ? AND organization_id {_IN}",
        integration["id"],
        _organizations(call, "listInstallations"),
    )


def find_installation(call: Call, integration: Row, installation_id: str) -> Row | None:
    """Return an installation that the caller may list; None when there is none."""
    which = seen_installations(call, integration)
    which.also("id = ?", installation_id)
    return call.tx.one(which.after("SELECT * FROM installation WHERE 1"), *which.values)


def installation_model(call: Call, integration: Row, row: Row) -> Installation:
    """Return the installation of a row."""
    screen = _installed_screen(call, row["organization_id"], integration["id"], row["id"])
    on_spaces, on_sites = (integration["target"] in ("all", place) for place in _PLACES)
    return Installation(
        id=row["id"],
        status=row["status"],
        space_selection=row["space_selection"] if on_spaces else "selected",
        site_selection=row["site_selection"] if on_sites else "selected",
        spaces=call.tx.value(
            f"SELECT count(*) FROM {installed_places('space')} "  # noqa: S608 - ours
            "WHERE installed_id = ?",
            row["id"],
        ),
        configuration=json.loads(row["configuration"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        urls=InstallationUrls(
            location=_installed_at(call, integration["id"], row["id"]),
            app=screen,
            public_endpoint=f"{screen}/endpoint",
            public_content_endpoint=f"{screen}/endpoint",
        ),
        external_ids=json.loads(row["external_ids"]),
        target=InstallationTarget(organization=row["organization_id"]),
    )


def installed_places(place: str) -> str:
    """Return what stands after FROM to read spaces or sites with the installations on them."""
    return f"""(
        SELECT {place}.*, installation.id AS installed_id,
            installation.integration_id AS installed_integration,
            installation.status AS installed_status,
            coalesce(own.configuration, '{{}}') AS installed_configuration,
            coalesce(own.external_ids, '[]') AS installed_external_ids
        FROM installation JOIN integration ON integration.id = installation.integration_id
        JOIN {place} ON {place}.organization_id = installation.organization_id {_PLACES[place]}
        LEFT JOIN {place}_installation own
            ON own.installation_id = installation.id AND own.{place}_id = {place}.id
        WHERE integration.target IN ('all', '{place}')
            AND (installation.{place}_selection = 'all' OR own.{place}_id IS NOT NULL))"""  # noqa: S608


def seen_places(call: Call, integration: Row, place: str) -> Conditions:
    """Return the condition on ``installed_places`` that the caller may list.

    Also an integration's administrators see no more of another organization than its members.
    """
    homes = _organizations(call, "listInstallations")
    which = Conditions("installed_integration = ?", integration["id"])
    which.also(f"organization_id {_IN}", homes)
    if place == "space":
        rows = call.tx.all(
            f"SELECT organization_id FROM installation WHERE integration_id = ? "  # noqa: S608
            f"AND organization_id {_IN}",
            integration["id"],
            homes,
        )
        hidden = [key for row in rows for key in call.access.hidden_spaces(row["organization_id"])]
        which.also(f"id NOT {_IN}", json.dumps(hidden))
    return which


def space_installation_model(
    call: Call, integration: Row, row: Row, *, extended: bool
) -> SpaceInstallation:
    """Return the installation on the space of a row of ``installed_places("space")``."""
    return SpaceInstallation(
        space=space_model(call, row) if extended else row["id"],
        **_place(call, integration, row, "space"),
    )


def site_installation_model(
    call: Call, integration: Row, row: Row, *, extended: bool
) -> SiteInstallation:
    """Return the installation on the site of a row of ``installed_places("site")``."""
    return SiteInstallation(
        site=SiteView(call, row).model() if extended else row["id"],
        **_place(call, integration, row, "site"),
    )


def seen_events(call: Call, integration: Row) -> Conditions:
    """Return the condition on rows of ``integration_event`` that the caller may read.

    An integration's administrators read all of them, the administrators of an organization that has
    it installed what happened there. Raises a 403 when the caller is neither.
    """
    key = integration["id"]
    if administers(call, integration):
        return Conditions("integration_id = ?", key)
    homes = _organizations(call, "installIntegration")
    theirs = f"SELECT id FROM installation WHERE integration_id = ? AND organization_id {_IN}"  # noqa: S608
    if call.tx.one(theirs, key, homes) is None:
        raise forbidden("admin", f"the integration {key!r}")
    return Conditions(f"integration_id = ? AND installation_id IN ({theirs})", key, key, homes)


def event_model(row: Row) -> IntegrationEvent:
    """Return the event of a row of ``integration_event``, without its trace."""
    return IntegrationEvent.model_validate(
        {
            **columns(row, "id", "integration_id", "installation_id", "created_at", "status"),
            "payload": json.loads(row["payload"]),
        }
    )


def _installed_at(call: Call, name: str, installation_id: str, *rest: str) -> str:
    return call.url("integrations", name, "installations", installation_id, *rest)


def _installed_screen(call: Call, organization: str, name: str, installation_id: str) -> str:
    return call.app_url("o", organization, "integrations", name, "installations", installation_id)


def _place(call: Call, integration: Row, row: Row, level: str) -> dict[str, Any]:
    name, installation = row["installed_integration"], row["installed_id"]
    screen = _installed_screen(call, row["organization_id"], name, installation)
    return {
        "integration": name,
        "installation": installation,
        "status": row["installed_status"],
        "configuration": defaults(integration, level) | json.loads(row["installed_configuration"]),
        "external_ids": json.loads(row["installed_external_ids"]),
        "urls": PlaceUrls(
            location=_installed_at(call, name, installation, f"{level}s", row["id"]),
            public_endpoint=f"{screen}/endpoint",
            public_content_endpoint=f"{screen}/endpoint",
        ),
    }


def _organizations(call: Call, permission: str) -> str:
    """Return the ids of the organizations where the caller has a permission, as a JSON array."""
    access = call.access
    return json.dumps([key for key in access.memberships if access.may_in(key, permission)])


def _owner(call: Call, organization_id: str) -> Organization:
    """Return who owns an integration: to strangers, only what anybody may know of them."""
    key = ("owner", organization_id)
    if key not in call.remembered:
        owner = organization_by_id(call, organization_id)
        if organization_id not in call.access.memberships:
            owner = Organization(
                id=owner.id,
                title=owner.title,
                created_at=owner.created_at,
                hostname=owner.hostname,
                type=owner.type,
                # What else has to be there is said as if nothing were known of it.
                plan="free_2024",
                merge_rules=MergeRules(type="none"),
                trial=NO_TRIAL,
                urls=owner.urls,
                permissions=owner.permissions,
            )
        call.remembered[key] = owner
    found: Organization = call.remembered[key]
    return found
