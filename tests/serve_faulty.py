"""Serves the sample by `tests.faulty`, so that one can look at what the program makes of it.

    python -m tests.serve_faulty 8010
    COPYDESK_TOKEN=… copydesk --base-url http://127.0.0.1:8010

Then lines on its standard input say what goes wrong: the beginning of a fault's name ("429", "reset
in the body"), a share of all requests with any fault ("0.3"), "writes" or "reads" and one of those,
"down", "up", and "well". An empty line names the faults.
"""

from __future__ import annotations

import asyncio
import sys

from copydesk.server.app import create_app, mint_token
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from tests import faults
from tests.faulty import (
    FaultyServer,
    Plan,
    always,
    by_chance,
    healthy,
    reads_only,
    serving,
    writes_only,
)


def plan_of(line: str) -> Plan | None:
    """Return the plan that a line asks for, or None when it names nothing."""
    first, _, rest = line.partition(" ")
    if first in {"writes", "reads"}:
        plan = plan_of(rest)
        return plan and (writes_only(plan) if first == "writes" else reads_only(plan))
    if line == "well":
        return healthy
    try:
        return by_chance(1, float(line), faults.ALL) if line.startswith("0") else _named(line)
    except ValueError:
        return None


def _named(line: str) -> Plan | None:
    found = [fault for fault in faults.ALL if line and fault.name.startswith(line)]
    return always(found[0]) if found else None


async def main(port: int) -> None:
    """Serve until standard input ends."""
    store = Store(durable=False)
    owner = build_sample(store)
    token = store.write(lambda tx: mint_token(tx, owner, "faulty"))
    async with serving(create_app(store), port=port) as server:
        _say(f"COPYDESK_TOKEN={token} copydesk --base-url {server.url}")
        while line := await asyncio.to_thread(sys.stdin.readline):
            await _obey(server, line.strip())
    store.close()


async def _obey(server: FaultyServer, line: str) -> None:
    if line == "down":
        await server.down()
    elif line == "up":
        await server.up()
    elif (plan := plan_of(line)) is not None:
        server.plan = plan
    else:
        _say(*(fault.name for fault in faults.ALL))


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
