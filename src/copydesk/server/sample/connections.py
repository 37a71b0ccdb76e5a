"""Writing the sample's connections: integrations, sign-in, agent instructions and invitations.

Integrations come from Quayside itself, from Pebblebox and from a third organization that makes
nothing else, so that some belong to somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from copydesk.domain.documents import markdown_to_document
from copydesk.server.desk_writes import (
    add_invite_link,
    add_organization,
    add_saml_provider,
    grant,
    put_agent_instructions,
)
from copydesk.server.installations import install, integration_row, publish
from copydesk.server.sample.story import Installation, Integrations, Publication, read, text_of
from copydesk.server.store import Tx

_CERTIFICATE = (
    "-----BEGIN CERTIFICATE-----\n"
    "c2FtcGxlIG9ubHk6IHRoaXMgaXMgbm90IGEgcmVhbCBjZXJ0aWZpY2F0ZQ==\n"
    "-----END CERTIFICATE-----\n"
)


def write_connections(
    ago: Callable[[float], Tx],
    organizations: Mapping[str, str],
    people: Mapping[str, str],
    spaces: Mapping[str, str],
) -> None:
    """Write all of it. ``ago`` gives the transaction at some days before now.

    Organizations, people (teams too) and spaces are ids by their keys in the data files.
    """
    home = organizations["quayside"]
    known = {
        **organizations,
        "lantern": add_organization(ago(900), "Lantern Works", hostname="lantern-works"),
    }
    for step in sorted(read(Integrations, "integrations").steps, key=lambda step: -step.at):
        tx = ago(step.at)
        if isinstance(step, Publication):
            publish(tx, step.name, {"owner": known[step.by], **step.fields})
        else:
            _install(tx, step, known[step.organization], spaces)
    add_saml_provider(
        ago(640),
        home,
        label="Quayside staff",
        sso_url="https://id.quayside.example/saml/sign-in",
        entity_id="https://id.quayside.example/saml",
        certificate=_CERTIFICATE,
        default_role="read",
        default_team=people["Documentation"],
    )
    add_saml_provider(ago(12), home, label="Contractors", default_role=None)
    put_agent_instructions(
        ago(34),
        home,
        markdown_to_document(text_of("content/agent-instructions.md")),
        people["mara"],
    )
    add_invite_link(ago(64), home, role="comment")
    add_invite_link(ago(40), organizations["pebblebox"], role="read")
    add_invite_link(ago(20), home, role="review", space_id=spaces["platform-guide"])
    grant(ago(300), _site(ago(300), home, "Quayside Docs"), people["Documentation"], "create")


def _install(tx: Tx, setup: Installation, organization: str, spaces: Mapping[str, str]) -> None:
    chosen = setup.spaces
    install(
        tx,
        integration_row(tx, setup.name),
        organization,
        setup.configuration,
        external_ids=setup.ids,
        spaces=None if chosen is None else {spaces[key]: ids for key, ids in chosen.items()},
        sites=None
        if setup.sites is None
        else {_site(tx, organization, title): ids for title, ids in setup.sites.items()},
    )


def _site(tx: Tx, organization: str, title: str) -> str:
    found: str = tx.value(
        "SELECT id FROM site WHERE organization_id = ? AND title = ?", organization, title
    )
    return found
