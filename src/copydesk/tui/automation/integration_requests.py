"""The requests that change integrations, and how it is seen that they arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.integration import (
        Installation,
        Integration,
        IntegrationDevMode,
        IntegrationPublish,
    )


async def find_integration(api: Api, name: str) -> Integration | None:
    """Return an integration by its name; None when there is none that the reader may see."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return await api(ops.get_integration, name)
    except NotFound:
        return None


async def publish(api: Api, name: str, body: IntegrationPublish) -> Integration:
    """Publish an integration, or a further version of it.

    Raises `NotDoneError` when there is no organization as the one that shall own it.
    """
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops
    from copydesk.session.errors import NotDoneError

    try:
        return await api(ops.publish_integration, name, body)
    except NotFound as error:  # of the organization: an integration is made where there is none
        raise NotDoneError(error.message) from error


class Publication:
    """A version of an integration, and how it is seen that it arrived."""

    def __init__(self, name: str, body: IntegrationPublish) -> None:
        self.name = name
        self.body = body
        self.before = 0
        """The version that was there when it was sent."""

    async def send(self, api: Api) -> Integration:
        """Publish it. Raises `NotDoneError` as `publish` does."""
        found = await find_integration(api, self.name)
        self.before = 0 if found is None else found.version
        return await publish(api, self.name, self.body)

    async def look(self, api: Api) -> Integration | None:
        """Return the integration if it is this version of it; None if there was none since.

        Raises `NotDoneError` where it may be somebody else's: then it is not known.
        """
        from copydesk.session.errors import NotDoneError
        from copydesk.tui.automation.plan_cells import UNSHOWN

        found = await find_integration(api, self.name)
        if found is not None and found.version == self.before:
            return None
        if found is None and not self.before:
            return None
        sent = self.body.model_dump(mode="json", exclude_unset=True)
        there = {} if found is None else found.to_dict()
        same = all(
            (there.get(name) or None) == (value or None)
            for name, value in sent.items()
            if name not in UNSHOWN
        )
        if found is None or found.version != self.before + 1 or not same:
            raise NotDoneError("Somebody else changed the integration meanwhile.")
        return found


async def delete(api: Api, name: str) -> bool:
    """Delete an integration."""
    from copydesk.contract import operations as ops

    await api(ops.delete_integration, name)
    return True


async def find_deleted(api: Api, name: str) -> bool | None:
    """Return True if an integration is gone, else None."""
    return True if await find_integration(api, name) is None else None


async def install(api: Api, name: str, organization: str) -> Installation:
    """Install an integration in an organization."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.integration import InstallationCreate

    body = InstallationCreate(organization=organization)
    return await api(ops.install_integration, name, body)


async def find_installation(api: Api, name: str, organization: str) -> Installation | None:
    """Return the installation of an integration in an organization, or None."""
    from copydesk.contract import operations as ops

    async for each in api.pages(ops.list_integration_installations, name):
        if each.target is not None and each.target.organization == organization:
            return each
    return None


async def send_events_to(api: Api, name: str, body: IntegrationDevMode) -> None:
    """Send the events of an integration to a tunnel from now on."""
    from copydesk.contract import operations as ops

    await api(ops.set_integration_dev_mode, name, body)
