"""Operations on integrations, their installations and their events."""

from __future__ import annotations

from typing import Annotated, TypeAlias, Unpack

from pydantic import StringConstraints

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_INSTALLATIONS = "/integrations/{integration_name}/installations"

IntegrationName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9-_.]+$")]
"""The name of an integration, as it stands in paths."""


@operation("GET", "/integrations")
def list_integrations(
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
) -> Page[models.integration.Integration]:
    """List integrations.

    ``search`` looks in names; ``blocks`` and ``content_sources`` ask for those with or without any;
    ``owner`` is an organization.
    """


@operation("GET", "/integrations/{integration_name}")
def get_integration(integration_name: IntegrationName) -> models.integration.Integration:
    """Get an integration."""


@operation("POST", "/integrations/{integration_name}", secret=True)
def publish_integration(
    integration_name: IntegrationName, body: models.integration.IntegrationPublish
) -> models.integration.Integration:
    """Publish an integration, or a new version of it."""


@operation("DELETE", "/integrations/{integration_name}")
def delete_integration(integration_name: IntegrationName) -> None:
    """Delete an integration."""


@operation("GET", _INSTALLATIONS, secret=True)
def list_integration_installations(
    integration_name: IntegrationName, *, external_id: str | None = None, **paging: Unpack[Paging]
) -> Page[models.integration.Installation]:
    """List where an integration is installed."""


@operation("POST", _INSTALLATIONS, status=201)
def install_integration(
    integration_name: IntegrationName, body: models.integration.InstallationCreate
) -> models.integration.Installation:
    """Install an integration in an organization."""


@operation("PATCH", _INSTALLATIONS + "/{installation_id}", extension="E18", secret=True)
def update_integration_installation(
    integration_name: IntegrationName,
    installation_id: str,
    body: models.integration.InstallationUpdate,
) -> models.integration.Installation:
    """Change where an installation works and how it is configured."""


@operation("DELETE", _INSTALLATIONS + "/{installation_id}", extension="E18")
def uninstall_integration(integration_name: IntegrationName, installation_id: str) -> None:
    """Take an integration out of an organization."""


@operation("DELETE", _INSTALLATIONS + "/{installation_id}/sites/{site_id}", extension="E18")
def uninstall_integration_from_site(
    integration_name: IntegrationName, installation_id: str, site_id: str
) -> None:
    """Take an integration out of a site."""


@operation("DELETE", _INSTALLATIONS + "/{installation_id}/spaces/{space_id}", extension="E18")
def uninstall_integration_from_space(
    integration_name: IntegrationName, installation_id: str, space_id: str
) -> None:
    """Take an integration out of a space."""


@operation("GET", "/orgs/{organization_id}/installations", extension="E18", secret=True)
def list_organization_installations(
    organization_id: str, *, search: str | None = None, **paging: Unpack[Paging]
) -> Page[models.integration.OrganizationInstallation]:
    """List the integrations that an organization has installed.

    ``search`` looks in the names and titles of the integrations.
    """


@operation("GET", "/integrations/{integration_name}/events", secret=True)
def list_integration_events(
    integration_name: IntegrationName, **paging: Unpack[Paging]
) -> Page[models.integration.IntegrationEvent]:
    """List what an integration was told."""


@operation("GET", "/integrations/{integration_name}/events/{event_id}", secret=True)
def get_integration_event(
    integration_name: IntegrationName, event_id: str
) -> models.integration.IntegrationEventDetail:
    """Get an event of an integration with its trace."""


@operation("GET", "/integrations/{integration_name}/spaces", secret=True)
def list_integration_space_installations(
    integration_name: IntegrationName,
    *,
    external_id: str | None = None,
    extended: bool = False,
    **paging: Unpack[Paging],
) -> Page[models.integration.SpaceInstallation]:
    """List the spaces with an integration: ids, or with ``extended`` the spaces themselves."""


@operation("GET", "/integrations/{integration_name}/sites", secret=True)
def list_integration_site_installations(
    integration_name: IntegrationName,
    *,
    external_id: str | None = None,
    extended: bool = False,
    **paging: Unpack[Paging],
) -> Page[models.integration.SiteInstallation]:
    """List the sites with an integration: ids, or with ``extended`` the sites themselves."""


@operation("PUT", "/integrations/{integration_name}/dev", status=204, secret=True)
def set_integration_dev_mode(
    integration_name: IntegrationName, body: models.integration.IntegrationDevMode
) -> None:
    """Send the events of an integration to its author's tunnel."""
