"""The glossary of an organization: what a term is called in each language."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import (
    Always,
    Body,
    FewByName,
    Open,
    Resource,
    Timestamp,
    Urls,
)

TERM_LIMIT = 255
"""Characters of a term."""

Term: TypeAlias = Annotated[
    str, StringConstraints(min_length=1, max_length=TERM_LIMIT, pattern=r"^[^\n\r]*$")
]
"""A term in one language: one line, 1 to 255 characters."""

Translations: TypeAlias = Annotated[FewByName[Term], Field(min_length=1)]
"""What a term is called, by language: one of ``GlossaryLanguage``."""


class GlossaryEntry(Resource):
    """A term with its translation into each language."""

    object: Open[Literal["glossary-entry"]] = "glossary-entry"
    id: str
    translations: dict[str, str] = {}
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    urls: Urls = Field(default_factory=Urls)


class GlossaryInsert(Body):
    """A new entry."""

    type: Literal["insert"]
    translations: Translations


class GlossaryReplacement(Body):
    """An entry and all that it shall say from now on."""

    type: Literal["update"]
    id: str
    translations: Translations


class GlossaryRemoval(Body):
    """An entry to remove."""

    type: Literal["delete"]
    id: str


GlossaryOperation: TypeAlias = Annotated[
    GlossaryInsert | GlossaryReplacement | GlossaryRemoval, Field(discriminator="type")
]
"""One change of a glossary."""


class GlossaryUpdate(Body):
    """Changes of a glossary, made in their order, all or none."""

    operations: list[GlossaryOperation]
