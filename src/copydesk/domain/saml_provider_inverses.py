"""The way back of writes about single sign-on. As in `copydesk.domain.inverses`.

What is kept of a provider is what anybody may know: its certificate is the public one.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step

Ids = tuple[str, str]
"""The organization and the provider."""


def provider_made(ids: Ids, values: Mapping[str, JSON]) -> Reversal:
    """Return the way back of a new provider: it is deleted, and its addresses are gone."""
    return Reversal(
        (Step("delete_saml_provider", _of(ids)),),
        (),
        _holding(ids, values),
        Expectation(Step("get_saml_provider", _of(ids)), gone=True),
        asks="Whoever signs in by it cannot any more. Made again it has other addresses.",
    )


def provider_changed(
    ids: Ids, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal | None:
    """Return the way back of other settings; None where one was set that cannot be taken away.

    What was not there before is None, of ``defaultRole`` a guest.
    """
    if any(before.get(name) is None for name in ("ssoURL", "defaultTeam") if name in after):
        return None
    return Reversal(
        (Step("update_saml_provider", _of(ids), _sent(before)),),
        (Step("update_saml_provider", _of(ids), _sent(after)),),
        _holding(ids, after),
        _holding(ids, before),
    )


def _sent(values: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        name: "" if value is None and name != "defaultRole" else value
        for name, value in values.items()
    }


def _holding(ids: Ids, values: Mapping[str, JSON]) -> Expectation:
    fields = {
        "defaultTeam.id" if name == "defaultTeam" else name: value or None
        for name, value in values.items()
    }
    said = "it was changed since"
    return Expectation(Step("get_saml_provider", _of(ids)), fields, said=said)


def _of(ids: Ids) -> dict[str, str]:
    organization, provider = ids
    return {"organization_id": organization, "saml_provider_id": provider}
