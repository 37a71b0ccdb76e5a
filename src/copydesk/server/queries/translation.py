"""Translations of an organization's spaces."""

from __future__ import annotations

import json

from copydesk.contract.models.document import Document
from copydesk.contract.models.parts import Urls
from copydesk.contract.models.translation import (
    Translation,
    TranslationPermissions,
    TranslationSource,
    TranslationStats,
    TranslationTarget,
)
from copydesk.server.errors import forbidden, not_found
from copydesk.server.implementation import Call
from copydesk.server.store import Row
from copydesk.server.translation_jobs import result_of

_PERMISSION = "createContent"
"""What changing a translation takes: running it makes spaces and writes pages."""


def find_translation(
    call: Call, organization_id: str, translation_id: str, *, edit: bool = False
) -> Row:
    """Return a translation whose source the caller may see.

    With ``edit`` the caller must be allowed to create content. Raises a 404 or a 403.
    """
    organization = call.access.organization(organization_id)
    row = call.tx.one(
        "SELECT * FROM translation WHERE id = ? AND organization_id = ?",
        translation_id,
        organization_id,
    )
    if row is None or _is_hidden(call, row):
        raise not_found("translation", translation_id)
    if edit and not call.access.may_in(organization_id, _PERMISSION):
        raise forbidden(_PERMISSION, f"the organization {organization['title']!r}")
    return row


def translation_model(call: Call, row: Row) -> Translation:
    """Return the translation of a row of ``translation``.

    Reading one that is not completed sees to it that it will be.
    """
    if row["status"] != "completed":
        call.goes_on = True
    result = result_of(call.tx, row)
    if result is not None and call.access.level(result) is None:
        result = None
    organization_id = row["organization_id"]
    return Translation(
        id=row["id"],
        status=row["status"],
        source=TranslationSource(space=row["source_space_id"], language=row["source_language"]),
        language=row["language"],
        instructions=None
        if row["instructions"] is None
        else Document.model_validate(json.loads(row["instructions"])),
        result=None
        if result is None
        else TranslationTarget(space=result["id"], revision=row["result_revision_id"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        stats=TranslationStats(
            runs=row["runs"],
            total_words=row["total_words"],
            total_pages=row["total_pages"],
            total_duration=row["total_duration"],
            latest_run_duration=row["latest_duration"],
            latest_pages=row["latest_pages"],
            latest_words=row["latest_words"],
        ),
        permissions=TranslationPermissions(
            view=True, edit=call.access.may_in(organization_id, _PERMISSION)
        ),
        urls=Urls(location=call.url("orgs", organization_id, "translations", row["id"])),
    )


def _is_hidden(call: Call, row: Row) -> bool:
    """Say whether a translation is of a space that the caller may not see."""
    source = call.tx.one("SELECT * FROM space WHERE id = ?", row["source_space_id"])
    return source is not None and call.access.level(source) is None
