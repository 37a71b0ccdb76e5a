"""Single sign-on as cells and sentences: the providers, what they lack, what to enter at them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.secret_values import holds_private_key
from copydesk.domain.text import clean, clean_long, listed, plural, shorten

if TYPE_CHECKING:
    from copydesk.contract.models.saml_provider import SAMLProvider, SSOLogin

GUEST = "guest"
"""What newcomers without a role are."""

LONGEST = 12_000
"""Characters of a certificate among the details: longer than any that can be entered."""

NAME_CELLS = 40
"""How much of a name a title takes."""

CERTIFICATES = {"CERTIFICATE", "X509 CERTIFICATE"}
"""What PEM calls a certificate."""

_FRAME = re.compile(r"-----(?:BEGIN|END) ([A-Z0-9 ]+)-----")
_SEQUENCE = 0x30
"""The first byte of every certificate."""


def name(provider: SAMLProvider) -> str:
    """Return what a provider is called; never empty."""
    return provider.label.strip() or provider.id


def login_name(login: SSOLogin) -> str:
    """Return what a way to sign in is called; never empty."""
    return login.label.strip() or login.id


def state(provider: SAMLProvider) -> Text:
    """Return whether people can sign in by a provider, in a word."""
    said = clean(provider.status)
    return Text(said, style={"active": "good", "pending": "warn"}.get(said, ""))


def role(provider: SAMLProvider) -> str:
    """Return what newcomers may do."""
    return provider.default_role or GUEST


def team(provider: SAMLProvider) -> str | None:
    """Return the team that newcomers join."""
    found = provider.default_team
    return None if found is None else found.title.strip() or found.id


def lacking(provider: SAMLProvider) -> str:
    """Return what a provider that is not active lacks, in words; empty where it is active."""
    if provider.status == "active":
        return ""
    parts = (
        ("its provider id", provider.entity_id),
        ("its sign-in address", provider.sso_url),
        ("its certificate", provider.certificate),
    )
    return listed(said for said, value in parts if not (value or "").strip())


def address(provider: SAMLProvider) -> str | None:
    """Return where signing in by a provider begins."""
    service = provider.service
    return None if service is None else web_address(service.start_url) or None


def to_enter(provider: SAMLProvider) -> Sequence[tuple[str, str | None]]:
    """Return what has to be entered at the provider, by name."""
    service = provider.service
    if service is None:
        return ()
    return (
        ("ACS address", service.acs_url),
        ("service id", service.entity_id),
        ("start address", service.start_url),
    )


def of_provider(provider: SAMLProvider) -> Sequence[tuple[str, str | None]]:
    """Return what the provider says of itself, by name; all of it is public."""
    return (
        ("provider id", provider.entity_id),
        ("sign-in address", provider.sso_url),
        ("certificate", provider.certificate),
    )


def about(provider: SAMLProvider) -> Iterator[tuple[str, str | Text]]:
    """Yield what else is known of a provider."""
    if missing := lacking(provider):
        yield "", Text(f"Nobody signs in by it yet: it lacks {missing}.", style="warn")
    yield "", Text("To be entered at the provider (Y copies):", style="muted")
    for label, value in to_enter(provider):
        yield label, clean(value or "not told")
    yield "", Text("What the provider said of itself:", style="muted")
    for label, value in of_provider(provider):
        shown = "below" if label == "certificate" else clean(value or "")
        yield label, shown if value else Text("none yet", style="muted")
    if provider.certificate:
        yield "", clean_long(provider.certificate[:LONGEST]).strip()


def made_facts() -> Sequence[str]:
    """Return what to know before a provider is made."""
    return [
        "What has to be entered at the provider is in the details once it is made.",
        "Nobody signs in by it before its provider id, sign-in address and certificate are known.",
    ]


def edit_facts(provider: SAMLProvider) -> list[str | Text]:
    """Return what to know before a provider is changed."""
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
        facts.append(f"Setting its {listed(once, 'or')} has no way back: it can be exchanged only.")
    return facts


def loss(provider: SAMLProvider, others: int | None, *, enforced: bool) -> Sequence[str | Text]:
    """Return what deleting a provider comes to.

    ``others`` are the further ways to sign in, None where that is not known; ``enforced`` says that
    members have to use one of them.
    """
    facts: list[str | Text] = []
    if provider.status == "active":
        facts.append("Nobody signs in by it any more; the members who came by it stay.")
    else:
        facts.append("Nobody signs in by it yet.")
    if provider.status == "active" and others == 0 and enforced:
        said = "Single sign-on is required here, and there is no other way: nobody gets in."
        facts.append(Text(said, style="bad"))
    elif others:
        facts.append(f"{plural(others, 'other provider')} can be used to sign in.")
    said = "There is no way back: a new one has other addresses to be entered at the provider."
    return [*facts, Text(said, style="warn")]


def no_team(text: str) -> str | None:
    """Say so when no team is left: the service exchanges it, and takes it away from no provider."""
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
    return "this is no certificate: it begins with -----BEGIN CERTIFICATE-----"


def named(text: str) -> str:
    """Return a name, short enough for a title."""
    return shorten(clean(text), NAME_CELLS)
