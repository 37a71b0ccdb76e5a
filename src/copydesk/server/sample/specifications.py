"""The sample's OpenAPI specifications: one that could be read, and one that could not."""

from __future__ import annotations

from collections.abc import Callable

from copydesk.contract.models.openapi_spec import OpenAPISourceText, OpenAPISourceURL
from copydesk.server.openapi_documents import problems_of
from copydesk.server.openapi_jobs import SECONDS, begin, finish
from copydesk.server.queries.openapi_spec import add_spec
from copydesk.server.sample.story import text_of
from copydesk.server.store import Tx


def write_specifications(ago: Callable[[float], Tx], organization: str) -> None:
    """Write both. ``ago`` gives the transaction at some days before now."""
    document = text_of("content/specifications/payments.yaml")
    given, read = ago(58), ago(57.999)
    payments = add_spec(given, organization, "payments", OpenAPISourceText(text=document))
    begun = begin(read, payments)
    finish(read, begun, begun["data"], None, problems_of(begun["data"]))
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
