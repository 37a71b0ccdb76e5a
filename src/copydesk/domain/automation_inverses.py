"""The way back of writes about integrations, OpenAPI specifications, translations, glossaries and
the agent.

As in `copydesk.domain.inverses`. No script and no secret is in any of them: the service gives back
neither, and the journal shall not hold them. Nor is a document that was given as text, which may be
long and is not given back either.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.reversal import (
    JSON,
    Expectation,
    Reversal,
    Step,
    changed,
    looked_up,
    made,
    swapped,
)

INSTRUCTIONS_CHANGED = "the instructions were changed since"
DOCUMENT_REPLACED = "its document was replaced since"

# Integrations


def integration_made(name: str) -> Reversal:
    """Return the way back of a first version: the integration is deleted."""
    return made(
        "delete_integration",
        "get_integration",
        {"integration_name": name},
        {"version": 1},
        said="it was published again since",
        asks="This deletes it, also where it was installed since. Redo does not make it again.",
    )


def integration_changed(
    name: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of other texts and settings: a further version with the former ones."""
    note = "That is a further version of it."
    ids = {"integration_name": name}
    return changed("publish_integration", "get_integration", ids, before, after, note=note)


# Installations: an organization has each integration once, whose id is another after it came back


def installation_made(organization: str, name: str) -> Reversal:
    """Return the way back of installing an integration: it is taken out."""
    there = Expectation(_installed(organization), {f"{_by_name(name)}.integration.name": [name]})
    gone = Expectation(_installed(organization), {f"{_by_name(name)}.installation.id": []})
    step = Step("uninstall_integration", _installation(organization, name, ""))
    return Reversal((step,), (), there, gone)


def installation_changed(
    organization: str,
    name: str,
    installation: str,
    before: Mapping[str, JSON],
    after: Mapping[str, JSON],
) -> Reversal:
    """Return the way back of other settings of an installation."""
    ids = _installation(organization, name, installation)
    path = f"{_by_name(name)}.installation"
    return swapped(
        lambda values: (Step("update_integration_installation", ids, dict(values)),),
        lambda values: Expectation(
            _installed(organization), {f"{path}.{each}": [held] for each, held in values.items()}
        ),
        before,
        after,
    )


ANEW = (
    "as for the first time: the service decides which spaces and sites it works on, and its "
    "external ids and settings are gone"
)
"""How it is installed again: nothing but the organization is sent."""


def installation_removed(organization: str, name: str) -> Reversal:
    """Return the way back of uninstalling: it is installed anew."""
    gone = Expectation(
        _installed(organization),
        {f"{_by_name(name)}.installation.id": []},
        said="it was installed again since",
    )
    ids = {"integration_name": name}
    step = Step("install_integration", ids, {"organization": organization})
    return Reversal((step,), (), gone, note=f"The integration is installed {ANEW}.")


def _installed(organization: str) -> Step:
    asked = {"organization_id": organization, "limit": 1000}
    return Step("list_organization_installations", asked)


def _by_name(name: str) -> str:
    return f"items[integration.name={name}]"


def _installation(organization: str, name: str, installation: str) -> dict[str, JSON]:
    path = f"{_by_name(name)}.installation.id"
    found = looked_up(_installed(organization), path, installation)
    return {"integration_name": name, "installation_id": found}


# OpenAPI specifications


def spec_made(organization: str, slug: str, new: str, url: str | None) -> Reversal:
    """Return the way back of a new specification: it is deleted.

    ``new`` is its id, ``url`` None for a text.
    """
    ids = _spec(organization, slug)
    return Reversal(
        (Step("delete_openapi_spec", ids),),
        () if url is None else (Step("put_openapi_spec", ids, _from(url)),),
        Expectation(_read(ids), {"id": new, "sourceURL": url}, said=DOCUMENT_REPLACED),
        Expectation(_read(ids), gone=True, said="there is one with that slug again"),
        asks="This deletes it with all its versions. Pages made from it have nothing to show.",
    )


def source_changed(organization: str, slug: str, before: str, after: str | None) -> Reversal:
    """Return the way back of another source: the address ``before`` is read again.

    ``after`` is None for a text, which is not sent a second time.
    """
    ids = _spec(organization, slug)
    return Reversal(
        (Step("put_openapi_spec", ids, _from(before)),),
        () if after is None else (Step("put_openapi_spec", ids, _from(after)),),
        Expectation(_read(ids), {"sourceURL": after}, said=DOCUMENT_REPLACED),
        Expectation(_read(ids), {"sourceURL": before}, said=DOCUMENT_REPLACED),
        note="The specification is read from its address again, and may say something else now.",
    )


def visibility_changed(organization: str, slug: str, before: str, after: str) -> Reversal:
    """Return the way back of another visibility of a specification."""
    return changed(
        "update_openapi_spec",
        "get_openapi_spec",
        _spec(organization, slug),
        {"visibility": before},
        {"visibility": after},
    )


def spec_deleted(organization: str, slug: str, url: str, visibility: str | None) -> Reversal:
    """Return the way back of deleting one that has an address: it is added again from there."""
    ids = _spec(organization, slug)
    back = [Step("put_openapi_spec", ids, _from(url))]
    if visibility == "public":
        back.append(Step("update_openapi_spec", ids, {"visibility": visibility}))
    return Reversal(
        tuple(back),
        (Step("delete_openapi_spec", ids),),
        Expectation(_read(ids), gone=True, said="there is one with that slug again"),
        Expectation(_read(ids), {"sourceURL": url}, said=DOCUMENT_REPLACED),
        note="The specification is read again. Its former versions stay deleted.",
    )


def _from(url: str) -> dict[str, JSON]:
    return {"source": {"url": url}}


def _read(ids: dict[str, str]) -> Step:
    return Step("get_openapi_spec", ids)


def _spec(organization: str, slug: str) -> dict[str, str]:
    return {"organization_id": organization, "spec_slug": slug}


# Glossaries


def term_added(organization: str, entry: str, terms: Mapping[str, str]) -> Reversal:
    """Return the way back of a new entry of a glossary: it is removed."""
    read = _entry(organization, entry)
    return Reversal(
        (_glossary(organization, {"type": "delete", "id": entry}),),
        (),
        Expectation(read, {"translations": dict(terms)}),
        Expectation(read, gone=True),
    )


def term_changed(
    organization: str, entry: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Reversal:
    """Return the way back of other terms of an entry of a glossary."""

    def turn(terms: Mapping[str, str]) -> tuple[Step, ...]:
        wanted = {"type": "update", "id": entry, "translations": dict(terms)}
        return (_glossary(organization, wanted),)

    def there(terms: Mapping[str, str]) -> Expectation:
        return Expectation(_entry(organization, entry), {"translations": dict(terms)})

    return swapped(turn, there, before, after)


def term_removed(organization: str, entry: str, terms: Mapping[str, str]) -> Reversal:
    """Return the way back of removing an entry: another one with the same terms is made."""
    return Reversal(
        (_glossary(organization, {"type": "insert", "translations": dict(terms)}),),
        (),
        Expectation(_entry(organization, entry), gone=True),
    )


def _glossary(organization: str, *operations: Mapping[str, JSON]) -> Step:
    body = {"operations": [dict(each) for each in operations]}
    return Step("update_glossary_entries", {"organization_id": organization}, body)


def _entry(organization: str, entry: str) -> Step:
    ids = {"organization_id": organization, "glossary_entry_id": entry}
    return Step("get_glossary_entry", ids)


# Translations and the documentation agent


def translation_made(organization: str, translation: str) -> Reversal:
    """Return the way back of a new translation: it is deleted. What it wrote stays."""
    return made(
        "delete_translation",
        "get_translation",
        {"organization_id": organization, "translation_id": translation},
        {"id": translation},
        note="The space that it wrote stays: delete it yourself if no one needs it.",
        asks="Its pages no longer follow their source. Redo does not make it again.",
    )


NOTHING: JSON = {"object": "document", "data": {"schemaVersion": 1}, "nodes": []}
"""A document that says nothing: services want one where instructions are taken away."""


def instructions_changed(
    organization: str, translation: str, before: JSON, after: JSON
) -> Reversal:
    """Return the way back of other instructions: documents as JSON, or None for none."""
    return changed(
        "update_translation",
        "get_translation",
        {"organization_id": organization, "translation_id": translation},
        {"instructions": before or NOTHING},
        {"instructions": after or NOTHING},
        shown=lambda values: (
            {"instructions": None} if values["instructions"] == NOTHING else values
        ),
        said="its instructions were changed since",
    )


def agent_told(organization: str, before: JSON, after: JSON) -> Reversal:
    """Return the way back of other instructions of the agent; both are documents as JSON."""
    return changed(
        "update_agent_instructions",
        "get_agent_instructions",
        {"organization_id": organization},
        {"instructions": before},
        {"instructions": after},
        said=INSTRUCTIONS_CHANGED,
    )
