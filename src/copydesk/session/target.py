"""What a screen shows: the ids of a target, which addresses, drafts and snapshots name too."""

from __future__ import annotations

from dataclasses import dataclass, replace

FIRST_PLACE = "spaces"
"""The place that the program opens with."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a place shows: ids, and the view. Fields that do not matter stay None."""

    organization: str | None = None
    space: str | None = None
    change_request: str | None = None
    site: str | None = None
    section: str | None = None
    page: str | None = None
    revision: str | None = None
    thread: str | None = None
    cluster: str | None = None
    item: str | None = None
    """What a list of parts is of, where it is none of those above: a team, an integration."""
    view: str | None = None

    def but(self, **changes: str | None) -> Target:
        """Return the same target with some fields changed."""
        return replace(self, **changes)
