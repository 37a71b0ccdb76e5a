"""The requests about translations, how it is seen that they arrived, and what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from copydesk.client.errors import NotFound
from copydesk.contract.enumerations import Language
from copydesk.contract.models.base import Body
from copydesk.contract.models.translation import (
    TranslationCreate,
    TranslationSourceWrite,
)
from copydesk.domain.rich_text import rich_text, says_the_same
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.document import Document
    from copydesk.contract.models.translation import Translation


class TranslationAsked(Body):
    """A new translation, as a person fills it in."""

    source: TranslationSourceWrite
    language: Language = Field(description=TranslationCreate.model_fields["language"].description)
    instructions: str | None = Field(
        default=None,
        description="What whoever translates has to mind: tone, names, what stays. Markdown.",
        max_length=20_000,
    )

    def body(self) -> TranslationCreate:
        """Return the body of the request."""
        made = TranslationCreate(language=self.language, source=self.source)
        if self.instructions:
            made.instructions = rich_text(None).read(self.instructions)
        return made


async def find(api: Api, home: str, translation: str) -> Translation | None:
    """Return a translation, or None where it is gone."""
    try:
        return await api(ops.get_translation, home, translation)
    except NotFound:
        return None


async def find_made(
    api: Api, home: str, body: TranslationCreate, known: set[str]
) -> Translation | None:
    """Return the translation that a body made, or None; ``known`` are the older ones."""
    space = body.source.space if body.source is not None else None
    async for each in api.pages(ops.list_translations, home, limit=100):
        if each.id not in known and (each.source.space, each.language) == (space, body.language):
            return each
    return None


async def find_instructed(
    api: Api, home: str, translation: str, document: Document | None
) -> Translation | None:
    """Return a translation if it has these instructions, else None."""
    found = await find(api, home, translation)
    return found if found is not None and says_the_same(found.instructions, document) else None


async def find_run(api: Api, home: str, translation: str, runs: int) -> bool | None:
    """Return True if a translation is being run, or was more often than ``runs``; else None."""
    found = await find(api, home, translation)
    if found is None:
        return None
    return True if found.status != "completed" or found.stats.runs > runs else None


async def find_deleted(api: Api, home: str, translation: str) -> bool | None:
    """Return True if a translation is gone, else None."""
    return True if await find(api, home, translation) is None else None
