"""The URL form of titles, as the embedded desk makes it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

NUMBERED = 90
"""So much of a slug is kept where a number follows it."""


def slugify(title: str) -> str:
    """Return the URL form of a title: lower case words of letters and digits, joined by hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:100] or "page"


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
