"""What the service did not accept, told by the fields of the form that it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from copydesk.tui.dialogs.form_fields import Field

REFUSED_FIELD = re.compile(
    r"\bbody\.([\w-]+(?:\.[^\s.:\[\]]+|\[\d+\])*): *(.+?)(?=; body\b|\Z)", re.DOTALL
)
"""Where the service says which field it does not accept, and why; it may name several."""


def refusals(said: str, fields: Sequence[Field]) -> Mapping[str, str]:
    """Return why fields were refused, by their names; nothing where any is not in the form.

    What is told at a field is not told elsewhere: then all of it has to be said in one place.
    """
    wrong: dict[str, str] = {}
    for found in REFUSED_FIELD.finditer(said):
        field = _meant(found[1], fields)
        if field is None:
            return {}
        wrong.setdefault(field.name, found[2].strip())
    return wrong


def _meant(path: str, fields: Sequence[Field]) -> Field | None:
    """Return the field that a place in the body is in, or the first that is in that place."""
    parts = path.replace("[", ".").replace("]", "").split(".")
    names = {tuple(field.name.split(".")): field for field in fields}
    for length in range(len(parts), 0, -1):
        if (field := names.get(tuple(parts[:length]))) is not None:
            return field
    within = (field for name, field in names.items() if list(name[: len(parts)]) == parts)
    return next(within, None)
