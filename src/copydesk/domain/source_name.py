"""The name under which a source of conversations is filed.

The API calls a source an identifier. Who hands conversations in may call it anything.
"""

from __future__ import annotations

import re
from unicodedata import normalize

LONGEST = 64
"""Characters of an identifier."""

_OTHER = re.compile(r"[^a-z0-9_.-]+")


def source_id(name: str) -> str:
    """Return the identifier nearest to a name: "E-mail, north" gives "e-mail-north".

    Empty where nothing of the name can stand in one.
    """
    plain = normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return _OTHER.sub("-", plain).strip("-_.")[:LONGEST].rstrip("-_.")


def id_of(source: str, key: str) -> str:
    """Return the id of a conversation that has a number where it is from."""
    return f"{source_id(source) or source.strip()}-{key}"


def source_label(source: str) -> str:
    """Return the name in an identifier: "integration:zendesk:4f2" is "zendesk"."""
    kind, _, rest = source.partition(":")
    return rest.partition(":")[0] or source if kind == "integration" else source


def is_source_id(name: str) -> bool:
    """Whether a name is filed as it is, whatever the case of its letters."""
    return source_id(name) == name.strip().casefold()
