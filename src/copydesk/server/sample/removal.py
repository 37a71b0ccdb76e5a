"""Taking the sample out of a desk that has become somebody's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Set
from dataclasses import dataclass

from copydesk.domain.text import few
from copydesk.server.queries.space import remove_space
from copydesk.server.sample.building import SEED, sample_ids
from copydesk.server.store import DeskError, Store, Tx
from copydesk.server.untouched import SPACES

_IDS = 20_000
"""More identifiers than the sample takes."""


@dataclass(frozen=True, slots=True)
class Removed:
    """The removed organizations (titles), and the remaining ones (ids and titles)."""

    titles: tuple[str, ...]
    left: tuple[tuple[str, str], ...]


def remove_sample(store: Store, name: str, email: str, *, force: bool = False) -> Removed:
    """Remove the sample's organizations, with all that is in them, and its people.

    The desk's owner stays, and is called as is said from now on: the sample's is invented. What the
    sample did not bring (a space that was made or imported there) goes with ``force`` only: raises
    ``DeskError`` without, and where there is no sample.
    """
    # Its identifiers are the same on every desk: so that of an older version is known as well.
    made = sample_ids(SEED)
    known = {made() for _ in range(_IDS)}
    return store.write(lambda tx: _remove(tx, known, name, email, force=force))


def _remove(tx: Tx, known: Set[str], name: str, email: str, *, force: bool) -> Removed:
    organizations = tx.all("SELECT id, title FROM organization ORDER BY created_at, id")
    doomed = [row for row in organizations if row["id"] in known]
    if not doomed:
        raise DeskError("The sample is not on this desk.")
    spaces = [
        (space["id"], space["title"], organization["title"])
        for organization in doomed
        for space in tx.all("SELECT * FROM space WHERE organization_id = ?", organization["id"])
    ]
    own = [f"{title} ({where})" for key, title, where in spaces if key not in known]
    if own and not force:
        raise DeskError(
            f"Not all of that is the sample: {few(own, 3)}. Nothing was "
            "removed. `copydesk desk export` writes a space as files, `copydesk desk backup` "
            "copies the desk; --force removes them as well."
        )
    for row in doomed:
        tx.run(
            "DELETE FROM access_grant WHERE container_id IN "
            "(SELECT id FROM site WHERE organization_id = ?)",
            row["id"],
        )
        tx.run("DELETE FROM site WHERE organization_id = ?", row["id"])
    for key, _, _ in spaces:
        remove_space(tx, key)
    for row in doomed:
        tx.run(
            "DELETE FROM access_grant WHERE container_id IN "
            "(SELECT id FROM collection WHERE organization_id = ?)",
            row["id"],
        )
        tx.run("DELETE FROM organization WHERE id = ?", row["id"])
    _remove_people(tx, known, name, email)
    tx.run("DELETE FROM meta WHERE key = ?", SPACES)
    left = tx.all("SELECT id, title FROM organization ORDER BY created_at, id")
    return Removed(
        tuple(row["title"] for row in doomed), tuple((row["id"], row["title"]) for row in left)
    )


def _remove_people(tx: Tx, known: Set[str], name: str, email: str) -> None:
    owner = tx.value("SELECT value FROM meta WHERE key = 'owner'")
    if owner in known:
        taken = tx.value("SELECT 1 FROM user WHERE email = ? AND id <> ?", email, owner)
        tx.run("UPDATE user SET display_name = ? WHERE id = ?", name, owner)
        if not taken:
            tx.run("UPDATE user SET email = ? WHERE id = ?", email, owner)
    alone = tx.all(
        "SELECT id FROM user WHERE id <> ? "
        "AND NOT EXISTS (SELECT 1 FROM member WHERE member.user_id = user.id)",
        owner,
    )
    for row in alone:
        if row["id"] in known:
            tx.run("DELETE FROM token WHERE user_id = ?", row["id"])
            try:
                tx.run("DELETE FROM user WHERE id = ?", row["id"])
            except sqlite3.IntegrityError:
                continue  # something that stays is theirs
