"""The sample's translations: German, which people have made their own, and a Spanish one given up.

Both count what their run carried over. The German pages are people's by now, so the next run leaves
those alone and only brings what German has nothing of; the Spanish space was deleted since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from copydesk.domain.documents import markdown_to_document
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.store import Tx, to_json

_GERMAN = {
    "readme": "readme",
    "quickstart": "schnellstart",
    "accept-payments/payments": "zahlungen",
    "accept-payments/payments/refunds": "erstattungen",
    "connect/webhooks": "webhooks",
    "go-live/checklist": "vor-dem-start",
}
"""The path of the German page for each page of the guide."""

_FOR_GERMAN = """\
Say **Sie**. Keep the names of fields, states and error codes as they are, and write amounts with a
comma: *42,00 €*.
"""

_GLOSSARY: tuple[Mapping[str, str], ...] = (
    {"en": "refund", "de": "Erstattung", "fr": "remboursement"},
    {"en": "payout", "de": "Auszahlung"},
    {"en": "chargeback", "de": "Rückbuchung"},
    {"en": "webhook", "de": "Webhook", "fr": "webhook"},
)

_FOR_SPANISH = """\
Spain's Spanish, **usted**. Leave the tables of fees for the tax team.
"""


def write_translations(
    ago: Callable[[float], Tx],
    organization: str,
    people: Mapping[str, str],
    spaces: Mapping[str, str],
) -> None:
    """Write both, and the glossary that they go by.

    ``ago`` gives the transaction at some days before now; the rest are ids.
    """
    for days, terms in enumerate(_GLOSSARY):
        tx = ago(180 - days)
        tx.add(
            "glossary_entry",
            organization_id=organization,
            translations=to_json(terms),
            created_at=tx.now,
            updated_at=tx.now,
        )
    guide, german = spaces["platform-guide"], spaces["platform-guide-de"]
    tx = ago(180)
    sources, targets = _opened(tx, guide), _opened(tx, german)
    ids = {path: page for page, path in content.paths(targets).items()}
    pairs = {
        page: ids[_GERMAN[path]] for page, path in content.paths(sources).items() if path in _GERMAN
    }
    translation = _write(
        tx,
        organization,
        guide,
        "de",
        _FOR_GERMAN,
        people["elena"],
        pages=[content.text(tx, sources.pages[page].text) for page in pairs],
        seconds=2.4,
        result_space_id=german,
        result_revision_id=_first(tx, german),
    )
    for source, target in pairs.items():
        tx.insert(
            "translation_page",
            translation_id=translation,
            source_page_id=source,
            source_version=sources.opened[source][1],
            target_page_id=target,
            target_version="",  # none that a run made: people wrote these
        )
    tx = ago(95)
    billing = spaces["billing"]
    texts = [content.text(tx, page.text) for page in _opened(tx, billing).pages.values()]
    _write(
        tx, organization, billing, "es", _FOR_SPANISH, people["samira"], pages=texts, seconds=1.1
    )


def _write(
    tx: Tx,
    organization: str,
    space: str,
    language: str,
    instructions: str,
    by: str,
    *,
    pages: list[str],
    seconds: float,
    **result: Any,
) -> str:
    """Write a translation that ran once and carried over some texts; return its id."""
    words = sum(len(text.split()) for text in pages)
    return tx.add(
        "translation",
        organization_id=organization,
        source_space_id=space,
        source_language="en",
        source_revision_id=_first(tx, space),
        language=language,
        instructions=to_json(markdown_to_document(instructions).to_dict()),
        status="completed",
        run_by=by,
        taken_at=tx.now,
        created_at=tx.now,
        updated_at=tx.now,
        runs=1,
        total_pages=len(pages),
        total_words=words,
        total_duration=seconds,
        latest_pages=len(pages),
        latest_words=words,
        latest_duration=seconds,
        **result,
    )


def _first(tx: Tx, space: str) -> str:
    found: str = tx.value(
        "SELECT id FROM revision WHERE space_id = ? ORDER BY created_at LIMIT 1", space
    )
    return found


def _opened(tx: Tx, space: str) -> Draft:
    """Return a space as it was at first."""
    return content.open_draft(tx, content.load(tx, _first(tx, space)))
