"""The rules of a site's structure: order, paths and defaults, kept by whatever changes it.

A site has site spaces at its root, or it has sections that hold them, never both. While a site has
sections exactly one of them is its default; every section that holds site spaces, and the root of a
site without sections, has exactly one default site space.
"""

from __future__ import annotations

from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.slug import NUMBERED, slugify
from copydesk.server.positions import position_at
from copydesk.server.store import Row, Tx, Value


@dataclass(frozen=True)
class Siblings:
    """What an order is among: the sections of a site, or site spaces side by side."""

    table: Literal["site_section", "site_space"]
    where: str
    values: tuple[Value, ...]

    def rows(self, tx: Tx) -> list[Row]:
        """Return them in their order."""
        return tx.all(
            f"SELECT * FROM {self.table} WHERE {self.where} ORDER BY position, id",  # noqa: S608
            *self.values,
        )

    def end(self, tx: Tx) -> float:
        """Return a position after the last."""
        last: float | None = tx.value(
            f"SELECT max(position) FROM {self.table} WHERE {self.where}",  # noqa: S608
            *self.values,
        )
        return 1.0 if last is None else last + 1.0

    def has_path(self, tx: Tx, path: str, *, except_id: str = "") -> bool:
        """Say whether one of them, other than ``except_id``, has this path."""
        found = tx.value(
            f"SELECT 1 FROM {self.table} WHERE {self.where} AND path = ? AND id != ?",  # noqa: S608
            *self.values,
            path,
            except_id,
        )
        return found is not None

    def free_path(self, tx: Tx, title: str) -> str:
        """Return a path made from a title that none of them has."""
        wanted = slugify(title)
        path, number = wanted, 1
        while self.has_path(tx, path):
            number += 1
            path = f"{wanted[:NUMBERED]}-{number}"
        return path

    def beside(self, tx: Tx, anchor_id: str, moved_id: str, *, after: bool) -> float:
        """Return a position right after, or right before, one of them for ``moved_id``."""
        others = [row for row in self.rows(tx) if row["id"] != moved_id]
        at = [row["id"] for row in others].index(anchor_id)
        return position_at(tx, [(self.table, row) for row in others], at + after)


def sections_of(site_id: str) -> Siblings:
    """Return the sections of a site."""
    return Siblings("site_section", "site_id = ?", (site_id,))


def site_spaces_of(site_id: str, section_id: str | None) -> Siblings:
    """Return the site spaces of a section, or of the root when it is None."""
    return Siblings("site_space", "site_id = ? AND section_id IS ?", (site_id, section_id))


def adopt_root(tx: Tx, site_id: str, section_id: str) -> None:
    """Move what a site shows at its root into a section, its default with it."""
    default: str | None = tx.value("SELECT default_site_space_id FROM site WHERE id = ?", site_id)
    tx.run(
        "UPDATE site_space SET section_id = ? WHERE site_id = ? AND section_id IS NULL",
        section_id,
        site_id,
    )
    if default is not None:
        tx.update("site_section", section_id, default_site_space_id=default)
        tx.update("site", site_id, default_site_space_id=None)


def default_site_space(tx: Tx, site_id: str, section_id: str | None) -> str | None:
    """Return the id of the default site space of a section, or of the root."""
    found: str | None = (
        tx.value("SELECT default_site_space_id FROM site WHERE id = ?", site_id)
        if section_id is None
        else tx.value("SELECT default_site_space_id FROM site_section WHERE id = ?", section_id)
    )
    return found


def set_default_site_space(
    tx: Tx, site_id: str, section_id: str | None, site_space_id: str | None
) -> None:
    """Make a site space the default of its section, or of the root."""
    if section_id is None:
        tx.update("site", site_id, default_site_space_id=site_space_id)
    else:
        tx.update("site_section", section_id, default_site_space_id=site_space_id)


def remove_site_space(tx: Tx, site_space: Row) -> None:
    """Stop showing a space; where it was the default, the next one becomes it.

    Readers land on a default, so that one that they get and that is not hidden goes before; if all
    are hidden, it is so no longer.
    """
    site_id, section_id = site_space["site_id"], site_space["section_id"]
    if default_site_space(tx, site_id, section_id) == site_space["id"]:
        siblings = site_spaces_of(site_id, section_id).rows(tx)
        gone = site_space["id"]
        got = [row for row in siblings if not row["draft"] or row["id"] == gone]
        told = [row for row in got if not row["hidden"] or row["id"] == gone]
        heir = _heir(told, gone) or _heir(got, gone) or _heir(siblings, gone)
        if heir is not None:
            tx.update("site_space", heir, hidden=False)
        set_default_site_space(tx, site_id, section_id, heir)
    tx.run("DELETE FROM site_space WHERE id = ?", site_space["id"])


def remove_section(tx: Tx, section: Row) -> None:
    """Remove a section with its site spaces; where it was the default, the next one becomes it.

    The content of the spaces stays.
    """
    site_id = section["site_id"]
    default = tx.value("SELECT default_section_id FROM site WHERE id = ?", site_id)
    if default == section["id"]:
        heir = _heir(sections_of(site_id).rows(tx), section["id"])
        tx.update("site", site_id, default_section_id=heir)
    tx.run("DELETE FROM site_section WHERE id = ?", section["id"])


def drop_space(tx: Tx, space_id: str) -> None:
    """Take a space off every site, before it is removed for good.

    A section that showed nothing else goes with it.
    """
    for site_space in tx.all("SELECT * FROM site_space WHERE space_id = ?", space_id):
        remove_site_space(tx, site_space)
        section_id = site_space["section_id"]
        if section_id is not None and not tx.value(
            "SELECT count(*) FROM site_space WHERE section_id = ?", section_id
        ):
            remove_section(tx, tx.row("site_section", section_id))


def _heir(rows: list[Row], gone: str) -> str | None:
    """Return the id after ``gone``, around the end to the first; None when it stands alone."""
    ids = [row["id"] for row in rows]
    place = ids.index(gone)
    following = ids[place + 1 :] + ids[:place]
    return following[0] if following else None
