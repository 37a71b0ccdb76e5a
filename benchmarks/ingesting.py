"""Handing in conversations: a batch on an empty desk, and one on a desk that has many already.

The last batches may cost what the first ones did: whatever grows with what is there already is
paid for again with every conversation. Plain SQLite committing the same texts is the floor.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
import time
from pathlib import Path

import httpx

from benchmarks.terminal import middle, table
from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.conversation import ConversationBatch, ConversationIngest
from copydesk.server import conversation_writes, desk_writes
from copydesk.server.app import create_app
from copydesk.server.store import Store, Tx

BATCHES, EACH, ENDS = 150, 100, 15
LABELS = 50
SENTENCE = """
log in password reset invoice billing address key webhook deploy slow timeout page search space
member invite domain certificate export translation sign the a of my cannot does not when how
"""
WORDS = SENTENCE.split()


def run() -> None:
    """Measure and print the ratios."""
    chance = random.Random(7)
    batches = [[_talk(f"t{n}-{at}", chance) for at in range(EACH)] for n in range(BATCHES)]
    with tempfile.TemporaryDirectory() as folder:
        plain = _plain(Path(folder) / "plain.db", batches)
        taken = asyncio.run(_send(Path(folder) / "desk.db", batches, chance))
    floor, first, last = middle(plain), middle(taken[:ENDS]), middle(taken[-ENDS:])
    table(
        f"{EACH} conversations handed in, {BATCHES} times (median of {ENDS})",
        ("work", "ratio", "ms", "a minute"),
        [
            (name, f"{seconds / first:.2f}", f"{seconds * 1000:.0f}", f"{60 * EACH / seconds:,.0f}")
            for name, seconds in (
                ("plain SQLite, insert the texts", floor),
                ("batch 1", first),
                (f"batch {BATCHES}", last),
            )
        ],
    )


def _talk(key: str, chance: random.Random) -> ConversationIngest:
    said = [" ".join(chance.choices(WORDS, k=60)) for _ in range(6)]
    parts = [{"type": "message", "role": "user", "body": text} for text in said]
    return ConversationIngest.model_validate({"id": key, "subject": said[0][:60], "parts": parts})


def _plain(path: Path, batches: list[list[ConversationIngest]]) -> list[float]:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE talk (id TEXT PRIMARY KEY, parts BLOB)")
    taken: list[float] = []
    for batch in batches[:ENDS]:
        rows = [(each.id, each.to_json()) for each in batch]
        started = time.perf_counter()
        database.execute("BEGIN IMMEDIATE")
        database.executemany("INSERT INTO talk VALUES (?, ?)", rows)
        database.execute("COMMIT")
        taken.append(time.perf_counter() - started)
    database.close()
    return taken


async def _send(
    path: Path, batches: list[list[ConversationIngest]], chance: random.Random
) -> list[float]:
    store = Store(path)

    def fill(tx: Tx) -> tuple[str, str]:
        owner = desk_writes.add_user(tx, "Ana", "ana@example.org")
        home = desk_writes.add_organization(tx, "Acme")
        desk_writes.add_member(tx, home, owner, "admin")
        for _ in range(LABELS):
            conversation_writes.add_cluster(tx, home, " ".join(chance.sample(WORDS, 4)))
        return owner, home

    owner, home = store.write(fill)
    app = create_app(store, sessions={"token": owner})
    api = Api("http://desk.invalid", "token", transport=httpx.ASGITransport(app))
    taken: list[float] = []
    for batch in batches:
        started = time.perf_counter()
        await api(ops.ingest_conversation, home, ConversationBatch(batch))
        taken.append(time.perf_counter() - started)
    await api.aclose()
    store.close()
    return taken


if __name__ == "__main__":
    run()
