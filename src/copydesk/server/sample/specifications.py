"""The sample's OpenAPI specifications: one that was read twice, and one that could not be."""

from __future__ import annotations

from collections.abc import Callable

from copydesk.contract.models.openapi_spec import OpenAPISourceText, OpenAPISourceURL
from copydesk.server.openapi_documents import problems_of
from copydesk.server.openapi_jobs import SECONDS, begin, finish
from copydesk.server.queries.openapi_spec import add_spec, set_source
from copydesk.server.sample.story import text_of
from copydesk.server.store import Tx

_ADDED = "  /payments/{id}/capture:", "components:"
"""Where that begins and ends which the first version did not have."""


def write_specifications(ago: Callable[[float], Tx], organization: str) -> None:
    """Write both. ``ago`` gives the transaction at some days before now."""
    document = text_of("content/specifications/payments.yaml")
    given = ago(96)
    start, end = (document.index(mark) for mark in _ADDED)
    earlier = (document[:start] + document[end:]).replace("version: 2026-02", "version: 2025-11")
    payments = add_spec(given, organization, "payments", OpenAPISourceText(text=earlier))
    _read(ago(95.999), payments)
    given = ago(58)
    set_source(given, payments, OpenAPISourceText(text=document))
    _read(ago(57.999), payments)
    given.update("openapi_spec", payments, visibility="public")

    given, read = ago(9), ago(8.999)
    where = OpenAPISourceURL(url="https://partners.quayside.example/v1/openapi.json")
    partners = add_spec(given, organization, "partner-accounts", where)
    finish(
        read,
        begin(read, partners),
        None,
        "FETCH_TIMEOUT",
        [f"The document did not arrive within {SECONDS:g} seconds."],
    )


def _read(tx: Tx, spec_id: str) -> None:
    begun = begin(tx, spec_id)
    finish(tx, begun, begun["data"], None, problems_of(begun["data"]))
