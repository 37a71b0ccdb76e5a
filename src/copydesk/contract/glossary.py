"""Operations on the glossary that translations go by."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import GlossaryLanguage
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_GLOSSARY = "/orgs/{organization_id}/translations-glossary"


@operation("GET", _GLOSSARY, extension="E20")
def list_glossary_entries(
    organization_id: str, *, order_by: GlossaryLanguage | None = None, **paging: Unpack[Paging]
) -> Page[models.glossary.GlossaryEntry]:
    """List the glossary of an organization, with ``order_by`` by the terms of a language."""


@operation("PUT", _GLOSSARY, status=204, extension="E20", creates=True)
def update_glossary_entries(organization_id: str, body: models.glossary.GlossaryUpdate) -> None:
    """Add, change and remove entries of a glossary."""


@operation("GET", _GLOSSARY + "/{glossary_entry_id}", extension="E20")
def get_glossary_entry(
    organization_id: str, glossary_entry_id: str
) -> models.glossary.GlossaryEntry:
    """Get an entry of a glossary."""
