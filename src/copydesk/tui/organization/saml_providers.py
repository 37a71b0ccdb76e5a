"""Single sign-on: the providers that vouch for people, and the ways to sign in that follow."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from rich.text import Text

from copydesk.contract.enumerations import RoleFilter, SAMLStatus
from copydesk.domain.address import web_address
from copydesk.domain.moments import ago
from copydesk.domain.organization_inverses import provider_changed, provider_made
from copydesk.domain.secret_values import holds_private_key
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, clean_long, listed, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.operations import ops
from copydesk.session.reads.organization import teams_offered
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import View
from copydesk.tui.resource.place import NAME_CELLS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Facet, ListQuery, Resource, pages_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.saml_provider import (
        SAMLProvider,
        SAMLProviderCreate,
        SAMLProviderUpdate,
        SSOLogin,
    )
    from copydesk.session.options import Option
    from copydesk.session.target import Target
    from copydesk.tui.dialogs.form import Form


GUEST = "guest"
"""The role of newcomers without one."""

LONGEST = 12_000
"""Characters of a certificate among the details: longer than any that can be entered."""

CERTIFICATES = {"CERTIFICATE", "X509 CERTIFICATE"}
"""The names of a certificate in PEM."""

_FRAME = re.compile(r"-----(?:BEGIN|END) ([A-Z0-9 ]+)-----")
_SEQUENCE = 0x30
"""The first byte of every certificate."""


def provider_name(provider: SAMLProvider) -> str:
    """Return the name of a provider; never empty."""
    return provider.label.strip() or provider.id


def login_name(login: SSOLogin) -> str:
    """Return the name of a way to sign in; never empty."""
    return login.label.strip() or login.id


def status_word(provider: SAMLProvider) -> Text:
    """Return the status of a provider with its tone."""
    said = clean(provider.status)
    return Text(said, style={"active": "good", "pending": "warn"}.get(said, ""))


def newcomer_team(provider: SAMLProvider) -> str | None:
    """Return the team that newcomers join."""
    found = provider.default_team
    return None if found is None else found.title.strip() or found.id


def what_it_lacks(provider: SAMLProvider) -> str:
    """Return the missing parts of an inactive provider, in words; empty for an active one."""
    if provider.status == "active":
        return ""
    parts = (
        ("its provider id", provider.entity_id),
        ("its sign-in address", provider.sso_url),
        ("its certificate", provider.certificate),
    )
    return listed(said for said, value in parts if not (value or "").strip())


def start_address(provider: SAMLProvider) -> str | None:
    """Return the address where signing in by a provider begins."""
    service = provider.service
    return None if service is None else web_address(service.start_url) or None


def to_enter(provider: SAMLProvider) -> Sequence[tuple[str, str | None]]:
    """Return the values to enter at the provider, by name."""
    service = provider.service
    if service is None:
        return ()
    return (
        ("ACS address", service.acs_url),
        ("service id", service.entity_id),
        ("start address", service.start_url),
    )


def of_provider(provider: SAMLProvider) -> Sequence[tuple[str, str | None]]:
    """Return the values from the provider, by name; all of them are public."""
    return (
        ("provider id", provider.entity_id),
        ("sign-in address", provider.sso_url),
        ("certificate", provider.certificate),
    )


def provider_details(provider: SAMLProvider) -> Iterator[tuple[str, str | Text]]:
    """Yield the details of a provider beyond the columns."""
    if missing := what_it_lacks(provider):
        yield "", Text(f"No one signs in by it yet: it lacks {missing}.", style="warn")
    yield "", hint("To be entered at the provider (Y copies):")
    for label, value in to_enter(provider):
        yield label, clean(value or "not told")
    yield "", Text("What the provider said of itself:", style="muted")
    for label, value in of_provider(provider):
        shown = "below" if label == "certificate" else clean(value or "")
        yield label, shown if value else Text("none yet", style="muted")
    if provider.certificate:
        yield "", clean_long(provider.certificate[:LONGEST]).strip()


def made_facts() -> Sequence[str]:
    """Return the facts of the form of a new provider."""
    return [
        "What has to be entered at the provider is in the details once it is made.",
        "No one signs in by it before its provider id, sign-in address and certificate are known.",
    ]


def edit_facts(provider: SAMLProvider) -> list[str | Text]:
    """Return the facts of the form of a provider."""
    facts: list[str | Text] = []
    if provider.status == "active":
        said = "People sign in by it: with a wrong address or certificate they cannot any more."
        facts.append(Text(said, style="warn"))
    once = [
        said
        for said, value in (
            ("sign-in address", provider.sso_url),
            ("team", provider.default_team),
        )
        if not value
    ]
    if once:
        facts.append(
            f"Setting its {listed(once, 'or')} cannot be undone: it can only be exchanged."
        )
    return facts


def provider_loss(
    provider: SAMLProvider, others: int | None, *, enforced: bool
) -> Sequence[str | Text]:
    """Return the consequences of deleting a provider.

    ``others`` are the further ways to sign in, None where that is not known; ``enforced`` says that
    members have to use one of them.
    """
    facts: list[str | Text] = []
    if provider.status == "active":
        facts.append("No one signs in by it any more; the members who came by it stay.")
    else:
        facts.append("No one signs in by it yet.")
    if provider.status == "active" and others == 0 and enforced:
        said = "Single sign-on is required here, and there is no other way: no one gets in."
        facts.append(Text(said, style="bad"))
    elif others:
        facts.append(f"{plural(others, 'other provider')} can be used to sign in.")
    said = "This cannot be undone: a new one has other addresses to be entered at the provider."
    return [*facts, Text(said, style="warn")]


def no_team(text: str) -> str | None:
    """Refuse an empty team: the service exchanges the team of a provider, and never removes it."""
    return None if text else "it cannot be empty"


def wrong_certificate(text: str) -> str | None:
    """Say why a text is no certificate: PEM, or its base64 alone as metadata have it."""
    if not text:
        return None
    if holds_private_key(text):
        return "this is a private key: only the certificate is asked for, which is public"
    lead, *frames = _FRAME.split(text)
    whole = not lead.strip() and len(frames) % 4 == 0 and set(frames[::2]) <= CERTIFICATES
    inner = "".join((frames[1] if frames else lead).split())
    try:
        first = base64.b64decode(inner, validate=True)[:1]
    except ValueError:
        first = b""
    if (whole or not frames) and first == bytes([_SEQUENCE]):
        return None
    return "not a certificate: one begins with -----BEGIN CERTIFICATE-----"


def short_name(text: str) -> str:
    """Return a name, short enough for a title."""
    return shorten(clean(text), NAME_CELLS)


VIEWS = (View("providers", "Providers"), View("logins", "Ways to sign in", short="Sign in"))
"""The views of single sign-on."""


PROVIDERS: Resource[SAMLProvider] = Resource(
    noun="provider",
    title="Single sign-on",
    pages=pages_of("list_saml_providers", "organization"),
    key=lambda provider: provider.id,
    label=provider_name,
    shown=(
        Facet("label", "NAME", lambda provider, now: provider_name(provider), flex=1, minimum=16,
              detail=False, sort=provider_name),
        Facet("status", "STATUS", lambda provider, now: status_word(provider), 8,
              values=get_args(SAMLStatus), sort=lambda provider: provider.status),
        Facet("role", "ROLE", lambda provider, now: provider.default_role or GUEST, 8, drop=1,
              values=get_args(RoleFilter)),
        Facet("team", "TEAM", lambda provider, now: newcomer_team(provider), 20, drop=2,
              sort=newcomer_team),
        Facet("made", "MADE", lambda provider, now: ago(provider.created_at, now), 10, drop=3,
              sort=lambda provider: provider.created_at),
    ),
    empty="No one signs in by a provider here. ctrl+n adds one.",
    get="get_saml_provider",
    arguments=lambda target, provider: (target.organization or "", provider.id),
    url=start_address,
    views=VIEWS,
    copies=lambda provider: [
        *to_enter(provider),
        *(each for each in of_provider(provider) if each[0] != "certificate"),
    ],
    more=lambda provider, now: list(provider_details(provider)),
    adding="admin",
)  # fmt: skip
"""The SAML providers of an organization."""


async def _logins(api: Api, target: Target, asked: ListQuery) -> Page[SSOLogin]:
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.saml_provider import SSOLogin

    found = await api(ops.list_sso_logins, target.organization or "")
    return Page[SSOLogin](items=found.items, count=len(found.items))


LOGINS: Resource[SSOLogin] = Resource(
    noun="way to sign in",
    title="Ways to sign in",
    pages=_logins,
    key=lambda login: login.id,
    label=login_name,
    shown=(
        Facet("label", "NAME", lambda login, now: login_name(login), flex=1, minimum=16,
              detail=False, sort=login_name),
        Facet("start", "BEGINS AT", lambda login, now: login.start_url, flex=2, minimum=20),
        Facet("id", "ID", lambda login, now: login.id, detail=False),
    ),
    empty="There is no single sign-on: no provider is active.",
    url=lambda login: web_address(login.start_url) or None,
)  # fmt: skip
"""The ways to sign in that an organization offers."""


LABELS = {
    "label": "Name",
    "entityID": "Provider id",
    "ssoURL": "Sign-in address",
    "defaultTeam": "Team they join",
    "defaultRole": "Role they get",
}
"""Labels of fields whose names say too little."""

CHECKS = {"certificate": wrong_certificate}
"""Checks of texts beyond those of the service."""

FIELDS = ("label", "entityID", "ssoURL", "certificate", "defaultTeam", "defaultRole")
"""The fields in the order of the providers' own pages."""


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

    KINDS: ClassVar = {"providers": PROVIDERS, "logins": LOGINS}

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers; a certificate keeps its lines."""
        found, item = super().copies(), self.item
        if self.resource is PROVIDERS and item is not None and item.certificate:
            found = [*found, ("certificate", clean_long(item.certificate))]
        return found

    # Changing

    @action("ctrl+n", "new", unless=(only_listed, may_not_administer), danger=1, show=28,
            word="new", group="Change", types=True,
            uses=("create_saml_provider", "list_saml_providers", "list_teams"))  # fmt: skip
    async def make(self) -> None:
        """Add a provider. What has to be entered at it is shown then."""
        from copydesk.contract.models.saml_provider import SAMLProviderCreate

        home, key = self.organization or "", self.draft_key("make")

        async def send(body: SAMLProviderCreate) -> None:
            values = _values(body)
            api = await self.session.ready()
            known = {each.id for each in await api.every(ops.list_saml_providers, home)}
            made = await self.writer.perform(
                "Add sign-on",
                short_name(body.label),
                lambda api: api(ops.create_saml_provider, home, body),
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
            facts=made_facts(),
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
                short_name(provider_name(item)),
                lambda api: api(ops.update_saml_provider, *ids, body),
                reversal=provider_changed(ids, {name: before[name] for name in after}, after),
                draft=key,
            )

        return body_form(
            SAMLProviderUpdate,
            title=f"Edit {short_name(provider_name(item))}",
            draft_key=key,
            send=send,
            current=held,
            only=FIELDS,
            labels=LABELS,
            offers={"defaultTeam": self._teams},
            names={team.id: short_name(newcomer_team(item) or "")} if team is not None else {},
            lines={} if "\n" in (item.entity_id or "") else {"entityID": 1},
            checks=CHECKS | ({} if team is None else {"defaultTeam": no_team}),
            facts=edit_facts(item),
        )

    async def _teams(self) -> Sequence[Option]:
        return await teams_offered(await self.session.ready(), self.organization or "")

    @action("D", "delete", unless=(only_listed, nothing_selected, may_not_administer), danger=3,
            show=18, group="Change", uses=("delete_saml_provider", "list_sso_logins"))  # fmt: skip
    async def delete(self) -> None:
        """Delete the provider for good. It asks for the name; no one signs in by it any more."""
        item, home = sure(self.item), self.organization or ""
        ways = await self.reads.now(
            "ways", lambda: self._ways(home), "Reading how else people sign in"
        )
        if ways is None:
            return
        sheet = TypeToConfirm(
            f"Delete {short_name(provider_name(item))}",
            provider_loss(
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
                short_name(provider_name(item)),
                lambda api: api(ops.delete_saml_provider, home, item.id),
            )
            self.read_written()

    async def _ways(self, home: str) -> set[str]:
        api = await self.session.ready()
        return {each.id for each in (await api(ops.list_sso_logins, home)).items}


def _values(body: SAMLProviderCreate | SAMLProviderUpdate) -> dict[str, Any]:
    """Return the body of a request as JSON."""
    return body.model_dump(mode="json", exclude_unset=True)


async def _find_made(api: Api, home: str, label: str, known: set[str]) -> SAMLProvider | None:
    """Return the provider of that name that was not there before, or None."""
    found = await api.every(ops.list_saml_providers, home)
    return next((each for each in found if each.id not in known and each.label == label), None)
