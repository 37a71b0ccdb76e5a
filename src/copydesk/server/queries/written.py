"""What people write of a thing, as rich text or Markdown: how much of it a desk takes."""

from __future__ import annotations

from typing import TypeVar

from copydesk.contract.models.document import Document
from copydesk.domain.documents import document_to_markdown
from copydesk.server.errors import invalid

MOST_CHARACTERS = 100_000
"""Characters of a comment, a reply, the words of a review, a description or instructions, at most:
lists have them whole."""


def fitting(text: str, where: str) -> str:
    """Return a text; raises a 400 that names ``where`` it is in the request if it is too long."""
    if len(text) > MOST_CHARACTERS:
        raise invalid(
            f"{where}: the text has {len(text):,} characters; at most {MOST_CHARACTERS:,} fit"
        )
    return text


Written = TypeVar("Written", Document, Document | None)


def fitting_document(document: Written, where: str) -> Written:
    """Return a document; raises as `fitting` does, by its Markdown."""
    if document is not None:
        fitting(document_to_markdown(document), where)
    return document
