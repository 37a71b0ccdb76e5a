"""The requests about translations, how it is seen that they arrived, and what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import Field

from copydesk.contract.enumerations import Language
from copydesk.contract.models.base import Body
from copydesk.contract.models.translation import (
    TranslationCreate,
    TranslationSourceWrite,
    TranslationUpdate,
)
from copydesk.domain.rich_text import rich_text, says_the_same
from copydesk.tui.automation.translations import Listed

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.document import Document
    from copydesk.contract.models.translation import Translation

AT_ONCE = 6
"""Spaces that are read at once."""


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
        """Return it as it is sent."""
        made = TranslationCreate(language=self.language, source=self.source)
        if self.instructions:
            made.instructions = rich_text(None).read(self.instructions)
        return made


async def titled(api: Api, page: Page[Translation], known: dict[str, str | None]) -> list[Listed]:
    """Return translations with the titles of their spaces, reading those that are not ``known``."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def look_up(space: str) -> None:
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops

        async with gate:
            try:
                found = await api(ops.get_space, space)
                known[space] = found.title if found.deleted_at is None else None
            except (Forbidden, NotFound):
                known[space] = None

    wanted = {space for item in page.items for space in _spaces(item) if space not in known}
    await asyncio.gather(*map(look_up, sorted(wanted)))
    found = []
    for item in page.items:
        target = item.result.space if item.result is not None else None
        found.append(Listed(item, known.get(item.source.space or ""), known.get(target or "")))
    return found


def _spaces(item: Translation) -> Iterable[str]:
    target = item.result.space if item.result is not None else None
    return (space for space in (item.source.space, target) if space)


async def find(api: Api, home: str, translation: str) -> Translation | None:
    """Return a translation, or None where it is gone."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    try:
        return await api(ops.get_translation, home, translation)
    except NotFound:
        return None


async def find_made(
    api: Api, home: str, body: TranslationCreate, known: set[str]
) -> Translation | None:
    """Return the translation that a body made, none of those that were known before."""
    from copydesk.contract import operations as ops

    space = body.source.space if body.source is not None else None
    async for each in api.pages(ops.list_translations, home, limit=100):
        if each.id not in known and (each.source.space, each.language) == (space, body.language):
            return each
    return None


async def instruct(api: Api, home: str, translation: str, document: Document | None) -> Translation:
    """Replace the instructions; None is for none."""
    from copydesk.contract import operations as ops

    body = TranslationUpdate() if document is None else TranslationUpdate(instructions=document)
    return await api(ops.update_translation, home, translation, body)


async def find_instructed(
    api: Api, home: str, translation: str, document: Document | None
) -> Translation | None:
    """Return a translation if it has these instructions, else None."""
    found = await find(api, home, translation)
    return found if found is not None and says_the_same(found.instructions, document) else None


async def run(api: Api, home: str, translation: str) -> bool:
    """Run a translation again."""
    from copydesk.contract import operations as ops

    await api(ops.run_translation, home, translation)
    return True


async def find_run(api: Api, home: str, translation: str, runs: int) -> bool | None:
    """Return True if a translation is being run, or was more often than ``runs``; else None."""
    found = await find(api, home, translation)
    if found is None:
        return None
    return True if found.status != "completed" or found.stats.runs > runs else None


async def delete(api: Api, home: str, translation: str) -> bool:
    """Delete a translation."""
    from copydesk.contract import operations as ops

    await api(ops.delete_translation, home, translation)
    return True


async def find_deleted(api: Api, home: str, translation: str) -> bool | None:
    """Return True if a translation is gone, else None."""
    return True if await find(api, home, translation) is None else None
