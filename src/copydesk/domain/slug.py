"""The URL form of titles, as the embedded desk makes it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

NUMBERED = 90
"""So much of a slug is kept where a number follows it."""

_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
"""The accents of Latin letters, which are left out; marks of other scripts are letters there."""

_ANCHOR = re.compile(
    r"(?<!\s)\s*\{(?::?(?:[^{}#]*\s)?#(?P<anchor>[^\s{}#]+)[^{}]*"
    r"|\s*(?:-|\.unnumbered|\.unlisted)(?:\s+\.unlisted|\s+\.unnumbered)?\s*)\}\s*\Z"
)


def slugify(title: str) -> str:
    """Return the URL form of a title: lower case words of letters and digits, joined by hyphens.

    Letters of other scripts stay: what has none that addresses may have is ``page``.
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", title).casefold())
    kept = "".join(
        letter if letter.isalnum() or unicodedata.category(letter)[0] == "M" else "-"
        for letter in unicodedata.normalize("NFC", plain)
    )
    return re.sub("-+", "-", kept).strip("-")[:100] or "page"


def named(heading: str) -> tuple[str, str]:
    """Return the words of a heading and the anchor that stands behind them; "" for none.

    It is written as MkDocs, Docusaurus and Hugo take it: ``{#anchor}``, ``{ #anchor .class }``.
    Pandoc and Quarto have ``{.unnumbered}`` and ``{-}`` there, which are no words either.
    """
    found = _ANCHOR.search(heading)
    return (heading, "") if found is None else (heading[: found.start()], found["anchor"] or "")


def free_slug(slug: str, taken: Collection[str]) -> str:
    """Return a slug with the lowest number that makes it one which is not taken."""
    number = 2
    while (found := f"{slug[:NUMBERED]}-{number}") in taken:
        number += 1
    return found


def is_slug(path: str, title: str) -> bool:
    """Whether a path may be made from a title, with the number that one that is taken gets."""
    slug = slugify(title)
    head, _, number = path.rpartition("-")
    return path == slug or (head == slug[:NUMBERED] and number.isdecimal())
