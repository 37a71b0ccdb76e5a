"""The glossary of an organization: what people and machines that translate call a term."""

from __future__ import annotations

import json
from typing import Unpack, get_args

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import GlossaryLanguage
from copydesk.contract.models.base import Page, Paging, Urls
from copydesk.contract.models.glossary import (
    GlossaryEntry,
    GlossaryInsert,
    GlossaryRemoval,
    GlossaryUpdate,
)
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.store import Row, columns, to_json

_LANGUAGES = {name for each in get_args(GlossaryLanguage) for name in get_args(each)}

_BY_TERM = (
    "(SELECT *, casefold(coalesce(json_extract(translations, '$.\"' || ? || '\"'), "
    "char(1114111))) AS term FROM glossary_entry)"
)
"""Entries with their term in a language; those without one come last."""


@implements(ops.list_glossary_entries)
def list_glossary_entries(
    call: Call, organization_id: str, *, order_by: str | None = None, **paging: Unpack[Paging]
) -> Page[GlossaryEntry]:
    call.access.organization(organization_id)
    return paginate(
        call.tx,
        lambda row: _model(call, row),
        source="glossary_entry" if order_by is None else _BY_TERM,
        values=() if order_by is None else (order_by,),
        which=Conditions("organization_id = ?", organization_id),
        keys=("created_at", "id") if order_by is None else ("term", "id"),
        descending=order_by is None,
        paging=paging,
    )


@implements(ops.get_glossary_entry)
def get_glossary_entry(call: Call, organization_id: str, glossary_entry_id: str) -> GlossaryEntry:
    call.access.organization(organization_id)
    row = call.find(
        "glossary entry", "glossary_entry", glossary_entry_id, organization_id=organization_id
    )
    return _model(call, row)


@implements(ops.update_glossary_entries, takes="createContent")
def update_glossary_entries(call: Call, organization_id: str, body: GlossaryUpdate) -> None:
    """Add, change and remove entries in their order, all or none.

    Raises a 400 that names the first that cannot be done. One that is gone already is removed.
    """
    call.access.organization(organization_id, "createContent")
    for number, each in enumerate(body.operations):
        if not isinstance(each, GlossaryRemoval):
            for unknown in each.translations.keys() - _LANGUAGES:
                raise invalid(
                    f"body.operations[{number}].translations: {unknown!r} is not a language"
                )
        if isinstance(each, GlossaryInsert):
            call.tx.add(
                "glossary_entry",
                organization_id=organization_id,
                translations=to_json(each.translations),
                created_at=call.tx.now,
                updated_at=call.tx.now,
            )
            continue
        row = call.tx.get("glossary_entry", id=each.id, organization_id=organization_id)
        if isinstance(each, GlossaryRemoval):
            if row is not None:
                call.tx.run("DELETE FROM glossary_entry WHERE id = ?", row["id"])
        elif row is None:
            raise invalid(f"body.operations[{number}].id: there is no glossary entry {each.id!r}")
        else:
            call.tx.update(
                "glossary_entry",
                row["id"],
                translations=to_json(each.translations),
                updated_at=call.tx.now,
            )


def _model(call: Call, row: Row) -> GlossaryEntry:
    return GlossaryEntry.model_validate(
        {
            **columns(row, "id", "created_at", "updated_at"),
            "translations": json.loads(row["translations"]),
            "urls": Urls(
                location=call.url(
                    "orgs", row["organization_id"], "translations-glossary", row["id"]
                )
            ),
        }
    )
