"""Translations: a space kept in another language, and running them."""

from __future__ import annotations

import json
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging, Urls
from copydesk.contract.models.document import Document
from copydesk.contract.models.translation import (
    Translation,
    TranslationCreate,
    TranslationPermissions,
    TranslationSource,
    TranslationStats,
    TranslationTarget,
    TranslationUpdate,
)
from copydesk.server.errors import blocked, conflict, forbidden, invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.collection import check_target
from copydesk.server.queries.written import fitting_document
from copydesk.server.store import Row, to_json
from copydesk.server.translation_jobs import result_of, source_of


@implements(ops.list_translations)
def list_translations(
    call: Call, organization_id: str, **paging: Unpack[Paging]
) -> Page[Translation]:
    """Answer with the translations whose source the caller may see, the newest first."""
    call.access.organization(organization_id)
    return paginate(
        call.tx,
        lambda row: translation_model(call, row),
        source="translation",
        which=Conditions(
            "organization_id = ? AND (source_space_id IS NULL "
            "OR source_space_id NOT IN (SELECT value FROM json_each(?)))",
            organization_id,
            json.dumps(call.access.hidden_spaces(organization_id)),
        ),
        paging=paging,
    )


@implements(ops.create_translation, takes="createContent")
def create_translation(call: Call, organization_id: str, body: TranslationCreate) -> Translation:
    """Translate a space, and run that at once. Takes createContent, and create beside the space.

    Raises a 400 without a source or into the language that it is in, a 404 for a space that the
    caller may not see, a 409 when it is translated into that language already.
    """
    call.access.organization(organization_id, "createContent")
    if body.source is None:
        raise invalid("body.source: name the space to translate, as {space, language}")
    source = call.access.space(body.source.space)
    if source["organization_id"] != organization_id:
        raise not_found("space", body.source.space)
    language = body.source.language or source["language"]
    if language == body.language:
        raise invalid(f"body.language: the space is in {body.language} already")
    check_target(call, organization_id, source["parent_id"])
    known = call.tx.get("translation", source_space_id=source["id"], language=body.language)
    if known is not None:
        raise conflict(
            f"The space {source['title']!r} is translated into {body.language} already; "
            f"run the translation {known['id']!r} again."
        )
    translation_id = call.tx.add(
        "translation",
        organization_id=organization_id,
        source_space_id=source["id"],
        source_language=language,
        language=body.language,
        instructions=_stored(body),
        run_by=call.user_id,
        created_at=call.tx.now,
        updated_at=call.tx.now,
    )
    return translation_model(call, find_translation(call, organization_id, translation_id))


@implements(ops.get_translation)
def get_translation(call: Call, organization_id: str, translation_id: str) -> Translation:
    return translation_model(call, find_translation(call, organization_id, translation_id))


@implements(ops.update_translation, takes="createContent")
def update_translation(
    call: Call, organization_id: str, translation_id: str, body: TranslationUpdate
) -> Translation:
    """Replace the instructions, none when the body has none.

    They are for whoever translates; the next run is not made by this.
    """
    find_translation(call, organization_id, translation_id, edit=True)
    call.tx.update(
        "translation", translation_id, instructions=_stored(body), updated_at=call.tx.now
    )
    return translation_model(call, find_translation(call, organization_id, translation_id))


@implements(ops.delete_translation, takes="createContent")
def delete_translation(call: Call, organization_id: str, translation_id: str) -> None:
    """Delete a translation; the space that it made stays."""
    call.access.organization(organization_id)
    if call.tx.get("translation", id=translation_id, organization_id=organization_id) is None:
        return call.was_missing()
    find_translation(call, organization_id, translation_id, edit=True)
    call.tx.run("DELETE FROM translation WHERE id = ?", translation_id)
    return None


@implements(ops.run_translation, takes="createContent")
def run_translation(call: Call, organization_id: str, translation_id: str) -> None:
    """Run a translation again. Takes createContent, and create beside the space for a new result.

    Raises a 409 when a run is not over yet, a 412 when the source is gone or the result is locked.
    """
    row = find_translation(call, organization_id, translation_id, edit=True)
    if row["status"] != "completed":
        raise conflict("The translation is running: wait until its status is completed.")
    source, result = source_of(call.tx, row), result_of(call.tx, row)
    if source is None:
        raise blocked("The space that is translated is no longer there.")
    if result is None:
        check_target(call, organization_id, source["parent_id"])
    elif result["edit_mode"] == "locked":
        raise blocked(f"The space {result['title']!r} is locked; unlock it first.")
    call.tx.update(
        "translation", translation_id, status="pending", run_by=call.user_id, updated_at=call.tx.now
    )
    call.goes_on = True


def _stored(body: TranslationCreate | TranslationUpdate) -> str | None:
    said = fitting_document(body.instructions, "body.instructions")
    return None if said is None or not said.nodes else to_json(said.to_dict())


_PERMISSION = "createContent"
"""What changing a translation takes: running it makes spaces and writes pages."""


def find_translation(
    call: Call, organization_id: str, translation_id: str, *, edit: bool = False
) -> Row:
    """Return a translation whose source the caller may see.

    With ``edit`` the caller must be allowed to create content. Raises a 404 or a 403.
    """
    organization = call.access.organization(organization_id)
    row = call.tx.get("translation", id=translation_id, organization_id=organization_id)
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
        else TranslationTarget(
            space=result["id"], revision=row["result_revision_id"], language=row["language"]
        ),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        stats=TranslationStats(
            runs=row["runs"],
            total_words=row["total_words"],
            total_pages=row["total_pages"],
            total_duration=round(row["total_duration"]),
            latest_run_duration=round(row["latest_duration"]),
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
    source = call.tx.get("space", id=row["source_space_id"])
    return source is not None and call.access.level(source) is None
