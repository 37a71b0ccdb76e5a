"""The targets of screens, which addresses, drafts and snapshots name too; visited screens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.local import browser

if TYPE_CHECKING:
    from copydesk.local.snapshot import Snapshots

FIRST_PLACE = "spaces"
"""The place that the program opens with."""


@dataclass(frozen=True, slots=True)
class Target:
    """The object of a screen: ids, and the view. Unused fields stay None."""

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
    """The owner of a list of parts that has no field above: a team, an integration."""
    view: str | None = None

    def but(self, **changes: str | None) -> Target:
        """Return the same target with some fields changed."""
        return replace(self, **changes)

    def lacks(self, *, space: bool, site: bool) -> bool:
        """Whether a screen of one space, or of one site, has to ask which."""
        return (space and not self.space and not self.item) or (site and not self.site)


LEFT = "left"
"""The snapshot of the last screen of a run."""


MOST = 100
"""Visits remembered in each direction."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A screen as it was left: its target, and the id under its cursor."""

    name: str
    target: Target
    cursor: str = ""

    def keep(self, snapshot: Snapshots) -> None:
        """Save it for the next start."""
        ids = {key: value for key, value in asdict(self.target).items() if value is not None}
        row = {"name": self.name, "cursor": self.cursor, **ids}
        snapshot.write(LEFT, [row])
        if (window := browser.window) is not None:
            window.keep({"desk": snapshot.desk, "row": row})

    @classmethod
    def kept(cls, snapshot: Snapshots) -> Visit | None:
        """Return the last screen of the last run; None where it is unknown.

        A window of a browser has its own, where its page is loaded again.
        """
        row: Mapping[str, Any] = next(iter(snapshot.read(LEFT)), {})
        if (window := browser.window) is not None:
            match window.left:
                case {"desk": snapshot.desk, "row": dict(own)}:
                    row = own
        if not all(isinstance(value, str) for value in row.values()) or "name" not in row:
            return None
        ids = {each.name: row[each.name] for each in fields(Target) if each.name in row}
        return cls(row["name"], Target(**ids), row.get("cursor", ""))


@dataclass(slots=True)
class Visits:
    """The screens visited before the current one, and those after it."""

    back: list[Visit] = field(default_factory=list)
    ahead: list[Visit] = field(default_factory=list)

    def leave(self, visit: Visit) -> None:
        """Note that a screen is left for another one; nothing is ahead of it."""
        self.back.append(visit)
        del self.back[:-MOST]
        self.ahead.clear()

    def step(self, here: Visit | None, *, forward: bool) -> Visit | None:
        """Return the screen before this one, or the one that was stepped back from."""
        left, right = (self.ahead, self.back) if forward else (self.back, self.ahead)
        if not left:
            return None
        if here is not None:
            right.append(here)
        return left.pop()
