"""Reads and writes of the adaptive schema of a site."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.json_text import JSON
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import unseen
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.reads.sites import read_structure
from copydesk.session.site_rows import SchemaRow, SiteRow, schema_rows, site_row, users

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import AdaptiveSchema, Site, TemplateCondition


@dataclass(frozen=True)
class SchemaRead:
    """The schema of a site, its attributes as rows, and the attributes its conditions use.

    ``refused`` is why the reader may not change it ("" when they may).
    """

    site: SiteRow
    schema: JSON
    updated: datetime | None
    rows: tuple[SchemaRow, ...] = ()
    used: Mapping[tuple[bool, str], tuple[str, ...]] = field(default_factory=dict)
    refused: str = ""

    @property
    def text(self) -> str:
        """The schema for an editor, with invisible characters as numbers."""
        text = json.dumps(self.schema, indent=2, ensure_ascii=False) + "\n"
        for sign in set(unseen(text)):
            text = text.replace(sign, json.dumps(sign)[1:-1])
        return text


async def read_schema(api: Api, organization: str, site: Site, refused: str) -> SchemaRead:
    """Return the schema of a site with its conditions and users. Raises ``ApiError``."""
    found, conditions, used = await asyncio.gather(
        api(ops.get_adaptive_schema, organization, site.id),
        _conditions(api, organization, site.id),
        _used(api, organization, site.id),
    )
    schema = found.json_schema
    rows = schema_rows(schema, conditions, used)
    return SchemaRead(site_row(site), schema, found.updated_at, rows, used, refused)


async def _conditions(api: Api, organization: str, site: str) -> list[TemplateCondition]:
    """Return the ready-made conditions; none where the service has none."""
    try:
        return (await api(ops.list_adaptive_template_conditions, organization, site)).items
    except (Forbidden, NotFound):
        return []


async def _used(api: Api, organization: str, site: str) -> dict[tuple[bool, str], tuple[str, ...]]:
    structure = await read_structure(api, organization, site)
    return users(structure.nodes.values())


async def send_schema(api: Api, ids: tuple[str, str], schema: JSON, before: JSON) -> AdaptiveSchema:
    """Replace the schema ``before``.

    Raises ``ApiError``, and `NotDoneError` when the schema changed since.
    """
    from copydesk.contract.models.site import AdaptiveSchemaUpdate

    now = await api(ops.get_adaptive_schema, *ids)
    if now.json_schema != before:
        raise NotDoneError(
            "Someone changed the schema just now, and nothing was sent. "
            "Yours is kept: ctrl+s shows both."
        )
    body = AdaptiveSchemaUpdate(json_schema=schema)
    return await api(ops.update_adaptive_schema, *ids, body)


async def find_sent(api: Api, ids: tuple[str, str], schema: JSON) -> Any:
    """Return the schema of a site if it is this one, after a write without an answer; else None."""
    now = await api(ops.get_adaptive_schema, *ids)
    return now if now.json_schema == schema else None


@dataclass(frozen=True)
class SchemaDraft:
    """The draft of a schema: its text, and the original it is based on."""

    text: str
    base: JSON

    def to_text(self) -> str:
        """Return it as it is saved."""
        return json.dumps({"text": self.text, "base": self.base})


def schema_draft(text: str | None) -> SchemaDraft | None:
    """Return the saved draft; None if none can be read."""
    if text is None:
        return None
    try:
        kept = json.loads(text)
    except ValueError:
        return None
    match kept:
        case {"text": str(typed), "base": base}:
            return SchemaDraft(typed, base)
    return None
