"""What can be set of the parts of a site, and what the service makes along with a new section.

These are functions of a layout only: what is staged and what is sent for it both ask them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from copydesk.domain.call import NEW
from copydesk.domain.layout import TOP, Layout, Values

FIELDS: Mapping[str, tuple[str, ...]] = {
    "section": ("title", "path", "icon", "description", "condition"),
    "site-space": ("path", "condition", "hidden"),
}
"""What can be changed of each kind, by wire name; the default apart."""

REQUIRED = ("title", "path")
"""What cannot be unset."""

PATH = re.compile(r"\w[\w.~-]*")
"""What the path of a section or a site space is: one part of an address."""


def adopting(base: Layout, now: Layout) -> str | None:
    """Return the new section that takes over what a site without any shows: the first added."""
    if any(item.kind == "section" for item in base.items.values()):
        return None
    sections = now.sections()
    root = set(base.levels[TOP])
    with_root = (row for row in sections if root.intersection(now.levels[row]))
    return next(with_root, None) or next(iter(sections), None)


def made_along(layout: Layout, section: str) -> str | None:
    """Return the site space that a new section is made with; None where it takes it over."""
    space = layout.items[section].values.get("space")
    for row in layout.levels.get(section, ()):
        if row.startswith(NEW) and layout.items[row].values.get("space") == space:
            return row
    return None


def why_not_valid(kind: str, values: Values) -> str | None:
    """Return what the contract does not allow in values, as a sentence, or None."""
    if not values:
        return None
    from pydantic import ValidationError

    from copydesk.contract.models.site_section import SiteSectionUpdate
    from copydesk.contract.models.site_space import SiteSpaceUpdate

    model = SiteSectionUpdate if kind == "section" else SiteSpaceUpdate
    try:
        model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "value"
        said = str(first["msg"]).replace("String should have", "has to have")
        return f"The {name} {said}."
    return None
