"""Single sign-on: the providers that vouch for people, and the ways to sign in that follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copydesk.domain.organization_inverses import provider_changed, provider_made
from copydesk.domain.text import clean_long
from copydesk.session.reads.organization import teams_offered
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.organization import saml_cells as present
from copydesk.tui.organization.saml_resources import LOGINS, PROVIDERS
from copydesk.tui.resource.place import ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Resource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.saml_provider import (
        SAMLProvider,
        SAMLProviderCreate,
        SAMLProviderUpdate,
    )
    from copydesk.session.options import Option
    from copydesk.tui.dialogs.form import Form

LABELS = {
    "label": "Name",
    "entityID": "Provider id",
    "ssoURL": "Sign-in address",
    "defaultTeam": "Newcomers join",
    "defaultRole": "Newcomers are",
}
"""What the fields are called, where their names say too little."""

CHECKS = {"certificate": present.wrong_certificate}
"""What is wrong with a text, beside what the service says of it."""

FIELDS = ("label", "entityID", "ssoURL", "certificate", "defaultTeam", "defaultRole")
"""The fields in the order in which the pages of providers name them."""


def only_listed(here: SAMLProvidersPlace) -> str | None:
    """Say so in the view where nothing is changed."""
    if here.resource is PROVIDERS:
        return None
    return "These follow from the providers: [ shows those."


def may_not_administer(here: SAMLProvidersPlace) -> str | None:
    """Say why the reader may not change how people sign in."""
    return here.missing() or here.rights.lacks("admin")


@place(
    "saml-providers",
    key="S",
    title="Single sign-on",
    uses=("list_saml_providers", "list_sso_logins", "get_organization"),
)
class SAMLProvidersPlace(ResourcePlace[Any], scope="saml_providers"):
    """Who vouches for the people of an organization, and how these sign in."""

    RESOURCE = PROVIDERS

    def resource_of(self, view: str) -> Resource[Any]:
        return LOGINS if view == "logins" else PROVIDERS

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers; a certificate keeps its lines."""
        found, item = super().copies(), self.item
        if self.resource is PROVIDERS and item is not None and item.certificate:
            found = [*found, ("certificate", clean_long(item.certificate))]
        return found

    # Changing

    @action("ctrl+n", "new", unless=(only_listed, may_not_administer), danger=1, show=28,
            group="Change", types=True,
            uses=("create_saml_provider", "list_saml_providers", "list_teams"))  # fmt: skip
    async def make(self) -> None:
        """Add a provider. What has to be entered at it is shown then."""
        from copydesk.contract.models.saml_provider import SAMLProviderCreate

        home, key = self.organization or "", self.draft_key("make")

        async def send(body: SAMLProviderCreate) -> None:
            values = _values(body)
            known = {each.id for each in await _all(await self.session.ready(), home)}
            made = await self.writer.perform(
                "Add sign-on",
                present.named(body.label),
                lambda api: _make(api, home, body),
                reversal=lambda provider: provider_made((home, provider.id), values),
                look=lambda api: _find_made(api, home, body.label, known),
                done="Added. Y copies what has to be entered at the provider.",
                draft=key,
            )
            self.read_written(made.id)

        form = body_form(
            SAMLProviderCreate,
            title="New single sign-on",
            draft_key=key,
            send=send,
            only=FIELDS,
            labels=LABELS,
            offers={"defaultTeam": self._teams},
            lines={"entityID": 1},
            checks=CHECKS,
            facts=present.made_facts(),
            verb="add it",
        )
        await self.desk.push_screen_wait(form)

    @action("e", "edit", unless=(only_listed, nothing_selected, may_not_administer), danger=1,
            show=26, group="Change", types=True,
            uses=("update_saml_provider", "list_teams"))  # fmt: skip
    async def edit(self) -> None:
        """Change what is known of the provider, and what newcomers get who come by it."""
        item: SAMLProvider | None = self.item
        assert item is not None
        if await self.desk.push_screen_wait(self._form(item)):
            self.read_written(item.id)

    def _form(self, item: SAMLProvider) -> Form:
        from copydesk.contract.models.saml_provider import SAMLProviderUpdate

        ids, key = (self.organization or "", item.id), self.draft_key("edit", item.id)
        # What is absent is empty: the service leaves out what nobody has entered.
        held = {**dict.fromkeys(FIELDS[:5], ""), **item.to_dict()}
        team = item.default_team
        before = {**held, "defaultTeam": team and team.id, "ssoURL": item.sso_url or None}

        async def send(body: SAMLProviderUpdate) -> None:
            after = _values(body)
            await self.writer.perform(
                "Edit sign-on",
                present.named(present.name(item)),
                lambda api: _change(api, ids, body),
                reversal=provider_changed(ids, {name: before[name] for name in after}, after),
                draft=key,
            )

        return body_form(
            SAMLProviderUpdate,
            title=f"Edit {present.named(present.name(item))}",
            draft_key=key,
            send=send,
            current=held,
            only=FIELDS,
            labels=LABELS,
            offers={"defaultTeam": self._teams},
            names={team.id: present.named(present.team(item) or "")} if team is not None else {},
            lines={} if "\n" in (item.entity_id or "") else {"entityID": 1},
            checks=CHECKS | ({} if team is None else {"defaultTeam": present.no_team}),
            facts=present.edit_facts(item),
        )

    async def _teams(self) -> Sequence[Option]:
        return await teams_offered(await self.session.ready(), self.organization or "")

    @action("D", "delete", unless=(only_listed, nothing_selected, may_not_administer), danger=3,
            show=18, group="Change", uses=("delete_saml_provider", "list_sso_logins"))  # fmt: skip
    async def delete(self) -> None:
        """Delete the provider for good. It asks for the name; nobody signs in by it any more."""
        item, home = self.item, self.organization or ""
        assert item is not None
        ways = await self.reads.now(
            "ways", lambda: self._ways(home), "Reading how else people sign in"
        )
        if ways is None:
            return
        sheet = TypeToConfirm(
            f"Delete {present.named(present.name(item))}",
            present.loss(
                item,
                len(ways - {item.id}),
                enforced=self.rights.home is not None and bool(self.rights.home.sso),
            ),
            expect=self.label(item),
            verb="delete",
        )
        if await self.desk.push_screen_wait(sheet):
            await self.writer.perform(
                "Delete sign-on",
                present.named(present.name(item)),
                lambda api: _delete(api, (home, item.id)),
            )
            self.read_written()

    async def _ways(self, home: str) -> set[str]:
        from copydesk.contract import operations as ops

        api = await self.session.ready()
        return {each.id for each in (await api(ops.list_sso_logins, home)).items}


def _values(body: SAMLProviderCreate | SAMLProviderUpdate) -> dict[str, Any]:
    """Return as JSON what is sent."""
    return body.model_dump(mode="json", exclude_unset=True)


async def _all(api: Api, home: str) -> list[SAMLProvider]:
    from copydesk.contract import operations as ops

    return [each async for each in api.pages(ops.list_saml_providers, home)]


async def _make(api: Api, home: str, body: SAMLProviderCreate) -> SAMLProvider:
    from copydesk.contract import operations as ops

    return await api(ops.create_saml_provider, home, body)


async def _find_made(api: Api, home: str, label: str, known: set[str]) -> SAMLProvider | None:
    """Return the provider of that name that was not there before, or None."""
    found = await _all(api, home)
    return next((each for each in found if each.id not in known and each.label == label), None)


async def _change(api: Api, ids: tuple[str, str], body: SAMLProviderUpdate) -> SAMLProvider:
    from copydesk.contract import operations as ops

    return await api(ops.update_saml_provider, *ids, body)


async def _delete(api: Api, ids: tuple[str, str]) -> None:
    from copydesk.contract import operations as ops

    await api(ops.delete_saml_provider, *ids)
