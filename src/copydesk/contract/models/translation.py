"""Translations of spaces."""

from typing import Literal

from pydantic import Field

from copydesk.contract.enumerations import Language, TranslationStatus
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    Open,
    Real,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.document import Document, WrittenDocument


class TranslationSource(Shape):
    """What is translated."""

    space: Always[str] = None
    language: Open[Language] | None = None


class TranslationTarget(Shape):
    """Where a translation is written."""

    space: Always[str] = None
    revision: Always[str] = None
    language: Always[Open[Language]] = None


class TranslationStats(Shape):
    """How much work a translation was.

    Durations are in seconds, on the embedded desk in whole ones, which counts the pages and words
    that its runs carried over.
    """

    runs: Count = 0
    total_words: Count = 0
    total_pages: Count = 0
    total_duration: Count | Real = 0
    latest_run_duration: Count | Real = 0
    latest_pages: Count = 0
    latest_words: Count = 0


class TranslationPermissions(Shape):
    """What the caller may do with a translation."""

    view: bool = False
    edit: bool = False


class Translation(Resource):
    """A space kept in another language.

    The embedded desk has no machine that translates: its runs carry pages over unchanged into the
    ``result``, for people to translate there, and keep ``instructions`` for those people.
    """

    object: Open[Literal["translation"]] = "translation"
    id: str
    status: Open[TranslationStatus] = "pending"
    source: TranslationSource = Field(default_factory=TranslationSource)
    language: Always[Open[Language]] = None
    instructions: Document | None = None
    result: TranslationTarget | None = None
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    stats: TranslationStats = Field(default_factory=TranslationStats)
    permissions: Always[TranslationPermissions] = None
    urls: Urls = Field(default_factory=Urls)


class TranslationSourceWrite(Body):
    """The space to translate, and the language it is in."""

    space: str = Field(description="The space whose pages are translated. It stays as it is.")
    language: Language | None = Field(
        default=None,
        description="What it is written in; left out, the language that it says itself.",
    )


class TranslationCreate(Body):
    """A new translation into ``language``."""

    language: Language = Field(description="The language that it is translated into.")
    source: TranslationSourceWrite | None = Field(
        default=None, description="What is translated, and from which language."
    )
    instructions: WrittenDocument | None = Field(
        default=None, description="What whoever translates has to mind: tone, names, what stays."
    )


class TranslationUpdate(Body):
    """New instructions for a translation."""

    instructions: WrittenDocument | None = Field(
        default=None, description="What whoever translates has to mind; left out, there are none."
    )
