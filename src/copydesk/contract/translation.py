"""Operations on translations."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/translations")
def list_translations(
    organization_id: str, **paging: Unpack[Paging]
) -> Page[models.translation.Translation]:
    """List the translations of an organization."""


@operation("POST", "/orgs/{organization_id}/translations", status=201)
def create_translation(
    organization_id: str, body: models.translation.TranslationCreate
) -> models.translation.Translation:
    """Translate a space into another language."""


@operation("GET", "/orgs/{organization_id}/translations/{translation_id}")
def get_translation(organization_id: str, translation_id: str) -> models.translation.Translation:
    """Get a translation."""


@operation("PUT", "/orgs/{organization_id}/translations/{translation_id}")
def update_translation(
    organization_id: str, translation_id: str, body: models.translation.TranslationUpdate
) -> models.translation.Translation:
    """Replace the instructions of a translation."""


@operation("DELETE", "/orgs/{organization_id}/translations/{translation_id}")
def delete_translation(organization_id: str, translation_id: str) -> None:
    """Delete a translation."""


@operation("POST", "/orgs/{organization_id}/translations/{translation_id}/run", status=204)
def run_translation(organization_id: str, translation_id: str) -> None:
    """Run a translation again."""
