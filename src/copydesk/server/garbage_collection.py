"""Taking out content that nothing names any more, when a space is removed for good.

Texts and files are stored once however many name them, so that removing a space leaves those that
others have too and takes the rest: what was deleted is not kept. ``blob_name`` says which spaces
name what, so that this takes as long as the space is large.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from copydesk.server.store import Tx


@dataclass(frozen=True, slots=True)
class Content:
    """What a space stores: ids of its pages, and hashes of its trees and of all bytes it names."""

    pages: tuple[str, ...]
    trees: tuple[str, ...]
    blobs: tuple[str, ...]


def content_of(tx: Tx, space_id: str) -> Content:
    """Return what a space stores, before it is removed."""

    def found(statement: str) -> tuple[str, ...]:
        return tuple(row["key"] for row in tx.all(statement, space_id))

    return Content(
        found("SELECT id AS key FROM page WHERE space_id = ?"),
        found("SELECT DISTINCT tree_hash AS key FROM revision WHERE space_id = ?"),
        found("SELECT hash AS key FROM blob_name WHERE space_id = ?"),
    )


def sweep(tx: Tx, content: Content) -> None:
    """Remove what nothing names any more of what a removed space stored."""
    tx.run(
        "DELETE FROM page_version WHERE page_id IN (SELECT value FROM json_each(?))",
        json.dumps(content.pages),
    )
    for statement, hashes in (
        ("tree WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM revision WHERE tree_hash = ?1)",
         content.trees),
        ("blob WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_name WHERE hash = ?1)",
         content.blobs),
    ):  # fmt: skip
        tx.run_many(f"DELETE FROM {statement}", ((key,) for key in hashes))  # noqa: S608 - ours
