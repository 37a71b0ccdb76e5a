"""Taking out content that nothing names any more, when a space is removed for good.

Texts and files are stored once however many name them, so that removing a space leaves those that
others have too and takes the rest: what was deleted is not kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from copydesk.server.store import Tx

_TEXTS = "SELECT json_extract(data, '$.text') AS hash FROM page_version"
_FILES = (
    "SELECT json_extract(file.value, '$.blob') AS hash "
    "FROM tree JOIN json_each(tree.data, '$.files') AS file"
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a space stores: hashes of its trees and of the blobs that they and its pages name."""

    trees: tuple[str, ...]
    blobs: tuple[str, ...]


def content_of(tx: Tx, space_id: str) -> Content:
    """Return what a space stores, before it is removed."""
    trees = tx.all("SELECT DISTINCT tree_hash AS hash FROM revision WHERE space_id = ?", space_id)
    texts = tx.all(
        f"{_TEXTS} WHERE page_id IN (SELECT id FROM page WHERE space_id = ?)",  # noqa: S608
        space_id,
    )
    files = tx.all(
        f"{_FILES} WHERE tree.hash IN (SELECT tree_hash FROM revision WHERE space_id = ?)",  # noqa: S608
        space_id,
    )
    return Content(
        tuple(row["hash"] for row in trees),
        tuple({row["hash"] for row in (*texts, *files) if row["hash"] is not None}),
    )


def sweep(tx: Tx, content: Content) -> None:
    """Remove what nothing names any more of what a removed space stored."""
    trees, blobs = json.dumps(content.trees), json.dumps(content.blobs)
    tx.run("DELETE FROM page_version WHERE page_id NOT IN (SELECT id FROM page)")
    tx.run(
        "DELETE FROM tree WHERE hash IN (SELECT value FROM json_each(?)) "
        "AND hash NOT IN (SELECT tree_hash FROM revision)",
        trees,
    )
    tx.run(
        "DELETE FROM blob WHERE hash IN (SELECT value FROM json_each(?)) AND hash NOT IN "  # noqa: S608
        f"(SELECT hash FROM ({_TEXTS} UNION ALL {_FILES}) WHERE hash IS NOT NULL)",
        blobs,
    )
