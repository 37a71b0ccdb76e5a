"""A desk that is killed again and again while it is written, and what it still holds afterwards.

``python -m tests.server.killing FILE ROUNDS [SEED]``: in every round a process opens the desk,
eight writers write to it at once through the client, each tells what was acknowledged over a pipe,
and the process is killed with SIGKILL at a random moment: while it opens the file, in a
transaction, in a checkpoint. Then the desk is opened again: everything acknowledged must be there,
and every rule of ``desk check`` must hold. Exit status 1 when anything is lost.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestCreate
from copydesk.contract.models.comment import CommentCreate, CommentUpdate, ReplyCreate
from copydesk.contract.models.space import SpaceCreate
from copydesk.server import change_requests, desk_writes
from copydesk.server.app import create_app
from copydesk.server.integrity import examine
from copydesk.server.store import Store, Tx
from tests.world import texts

WRITERS = 8
LONGEST = 0.4
"""A round is killed at latest so many seconds after it began."""

Ledger = dict[tuple[str, str], dict[str, object]]
"""What was acknowledged: columns by table and id. A column "at_least" is a counter in ``body``."""


def build(path: Path) -> None:
    """Make the desk that is written to."""
    store = Store(path)

    def work(tx: Tx) -> None:
        home = desk_writes.add_organization(tx, "Acme")
        ana = desk_writes.add_user(tx, "Ana", "ana@example.org")
        desk_writes.add_member(tx, home, ana, "admin")
        space = desk_writes.add_space(tx, home, "Handbook", texts({"intro": "One.\n"}), author=ana)
        request = change_requests.open_branch(
            tx, space, ana, "A change", texts({"intro": "Two.\n"})
        )
        for key, value in (("home", home), ("ana", ana), ("space", space), ("request", request)):
            tx.insert("meta", key=key, value=value)

    store.write(work)
    store.close()


class Writers:
    """What the process does that will be killed."""

    def __init__(self, path: Path, told: Callable[[str, str, dict[str, object]], None]) -> None:
        self.store = Store(path)
        self.told = told
        names = self.store.read(lambda tx: tx.all("SELECT key, value FROM meta"))
        self.names = {row["key"]: row["value"] for row in names}
        app = create_app(self.store, sessions={"token": self.names["ana"]})
        self.api = Api("http://desk", "token", transport=httpx.ASGITransport(app))
        # Small steps between checkpoints, so that many a kill comes in the middle of one.
        self.store.write(lambda tx: tx.run("PRAGMA wal_autocheckpoint = 10"))

    async def run(self, seed: int) -> None:
        """Write until the end."""
        await asyncio.gather(*(self.write(random.Random(seed + n)) for n in range(WRITERS)))

    async def write(self, chance: random.Random) -> None:
        """Write one thing after the other and tell of each."""
        space = self.names["space"]
        mine = await self.api(ops.create_space_comment, space, _comment("edit 0"))
        self.told("comment", mine.id, {"at_least": 0})
        count = 0
        while True:
            match chance.randrange(6):
                case 0:
                    made = await self.api(ops.create_space_comment, space, _comment("A thought"))
                    self.told("comment", made.id, {"body": "A thought"})
                case 1:
                    body = ReplyCreate.model_validate({"body": {"markdown": "An answer"}})
                    reply = await self.api(ops.create_space_comment_reply, space, mine.id, body)
                    self.told("reply", reply.id, {"comment_id": mine.id})
                case 2:
                    count += 1
                    edit = CommentUpdate.model_validate({"body": {"markdown": f"edit {count}"}})
                    await self.api(ops.update_space_comment, space, mine.id, edit)
                    self.told("comment", mine.id, {"at_least": count})
                case 3:
                    request = await self.api(
                        ops.create_change_request, space, ChangeRequestCreate(subject="Mend it")
                    )
                    self.told("change_request", request.id, {"number": request.number})
                case 4:
                    text = texts({f"page-{chance.randrange(9)}": f"{chance.random()}\n"})
                    revision = await self.store.in_thread(
                        lambda edit=text: self.store.write(  # type: ignore[misc] # a default binds it
                            lambda tx: change_requests.edit_branch(
                                tx, self.names["request"], self.names["ana"], edit
                            )
                        ),
                        writes=True,
                    )
                    self.told("revision", revision, {"space_id": space})
                case _:
                    made_space = await self.api(
                        ops.create_space, self.names["home"], SpaceCreate(title="New")
                    )
                    self.told("space", made_space.id, {"title": "New"})


def _comment(text: str) -> CommentCreate:
    return CommentCreate.model_validate({"body": {"markdown": text}})


def round_of(path: Path, seed: int, ledger: Ledger) -> int:
    """Run writers in a process, kill it, and add what they told to the ledger; return how much."""
    reading, writing = os.pipe()
    sys.stdout.flush()  # what waits in it would be written by both
    pid = os.fork()
    if pid == 0:
        os.close(reading)

        def told(table: str, key: str, columns: dict[str, object]) -> None:
            os.write(writing, (json.dumps([table, key, columns]) + "\n").encode())

        try:
            asyncio.run(Writers(path, told).run(seed))
        finally:
            os._exit(3)  # only reached when something failed; the kill comes otherwise
    os.close(writing)
    chance = random.Random(seed)
    # Half of the rounds are killed before, or just after, the first acknowledgement.
    if chance.random() < 0.5:
        select.select([reading], [], [], 20.0)
    time.sleep(chance.random() * LONGEST)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    if not os.WIFSIGNALED(status):
        raise SystemExit(f"the writers of round {seed} ended by themselves")
    lines = data.decode().splitlines()
    for line in lines:
        table, key, columns = json.loads(line)
        ledger.setdefault((table, key), {}).update(columns)
    return len(lines)


def lost(path: Path, ledger: Ledger) -> list[str]:
    """Open a desk and return what it lacks or what is wrong with it."""
    store = Store(path)
    found: list[str] = []
    try:
        for (table, key), columns in ledger.items():
            sql = f"SELECT * FROM {table} WHERE id = ?"
            row = store.read(lambda tx, sql=sql, key=key: tx.one(sql, key))  # type: ignore[misc] # defaults bind them
            if row is None:
                found.append(f"{table} {key} is gone")
                continue
            for column, value in columns.items():
                if column == "at_least":
                    kept = int(row["body"].removeprefix("edit "))
                    if not isinstance(value, int) or kept not in (value, value + 1):
                        found.append(f"{table} {key} is at {kept}, acknowledged was {value}")
                elif row[column] != value:
                    found.append(f"{table} {key} has {column} {row[column]!r}, not {value!r}")
    finally:
        store.close()
    return found + examine(path).all


def main(path: Path, rounds: int, seed: int) -> int:
    """Run the rounds and say what came of them."""
    build(path)
    ledger: Ledger = {}
    acknowledged = quiet = logs = 0
    for number in range(rounds):
        told = round_of(path, seed + number * 100, ledger)
        acknowledged += told
        quiet += told == 0
        logs += path.with_name(path.name + "-wal").exists()
        # Every other time the next process finds the desk as the killed one left it.
        if number % 2 or number == rounds - 1:
            found = lost(path, ledger)
            if found:
                sys.stdout.write("\n  ".join([f"round {number}, seed {seed}:", *found]) + "\n")
                return 1
    sys.stdout.write(
        f"{rounds} rounds, {acknowledged} acknowledged writes of {WRITERS} writers: none lost; "
        f"{logs} logs were left by the kill, {quiet} rounds were killed before the first write\n"
    )
    return 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(Path(given[0]), int(given[1]), int(given[2]) if given[2:] else time.time_ns()))
