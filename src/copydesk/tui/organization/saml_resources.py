"""What is listed of single sign-on: its providers, and the ways to sign in that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from copydesk.contract.enumerations import RoleFilter, SAMLStatus
from copydesk.domain.address import web_address
from copydesk.tui.framework.place import View
from copydesk.tui.organization import saml_cells as present
from copydesk.tui.organization.member_cells import ago
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.saml_provider import SAMLProvider, SSOLogin
    from copydesk.session.target import Target

VIEWS = (View("providers", "Providers"), View("logins", "Ways to sign in", short="Sign in"))
"""Who vouches for people, and what they are offered."""


async def _providers(api: Api, target: Target, asked: Asked) -> Page[SAMLProvider]:
    from copydesk.contract import operations as ops

    return await api.page(ops.list_saml_providers, target.organization or "", **asked.paging)


PROVIDERS: Resource[SAMLProvider] = Resource(
    noun="provider",
    title="Single sign-on",
    pages=_providers,
    key=lambda provider: provider.id,
    label=present.name,
    shown=(
        Shown("label", "NAME", lambda provider, now: present.name(provider), flex=1, minimum=16,
              detail=False, sort=present.name),
        Shown("status", "STATUS", lambda provider, now: present.state(provider), 8,
              values=get_args(SAMLStatus), sort=lambda provider: provider.status),
        Shown("role", "NEW ARE", lambda provider, now: present.role(provider), 8, drop=1,
              values=get_args(RoleFilter)),
        Shown("team", "NEW JOIN", lambda provider, now: present.team(provider), 20, drop=2,
              sort=present.team),
        Shown("made", "MADE", lambda provider, now: ago(provider.created_at, now), 10, drop=3,
              sort=lambda provider: provider.created_at),
    ),
    empty="Nobody signs in by a provider here. ctrl+n adds one.",
    get="get_saml_provider",
    arguments=lambda target, provider: (target.organization or "", provider.id),
    url=present.address,
    views=VIEWS,
    copies=lambda provider: [
        *present.to_enter(provider),
        *(each for each in present.of_provider(provider) if each[0] != "certificate"),
    ],
    more=lambda provider, now: list(present.about(provider)),
    adding="admin",
)  # fmt: skip
"""Those who vouch for the people of an organization."""


async def _logins(api: Api, target: Target, asked: Asked) -> Page[SSOLogin]:
    from copydesk.contract import operations as ops
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.saml_provider import SSOLogin

    found = await api(ops.list_sso_logins, target.organization or "")
    return Page[SSOLogin](items=found.items, count=len(found.items))


LOGINS: Resource[SSOLogin] = Resource(
    noun="way to sign in",
    title="Ways to sign in",
    pages=_logins,
    key=lambda login: login.id,
    label=present.login_name,
    shown=(
        Shown("label", "NAME", lambda login, now: present.login_name(login), flex=1, minimum=16,
              detail=False, sort=present.login_name),
        Shown("start", "BEGINS AT", lambda login, now: login.start_url, flex=2, minimum=20),
        Shown("id", "ID", lambda login, now: login.id, detail=False),
    ),
    empty="There is no single sign-on: no provider is active.",
    url=lambda login: web_address(login.start_url) or None,
    views=VIEWS,
)  # fmt: skip
"""What people of an organization can choose from to sign in."""
