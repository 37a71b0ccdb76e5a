"""What opening the program puts together: the journal that every write leaves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from copydesk.local.journal import Journal
from copydesk.local.state import State
from copydesk.session.session import Session
from copydesk.session.writes.log import WriteError


async def never() -> None:
    raise AssertionError("nothing here asks for the service")


async def test_a_write_is_noted_before_it_is_sent_and_when_it_has_ended(tmp_path: Path) -> None:
    journal = Journal(State(tmp_path / "state.db"), "desk")
    session = Session(never, journal=journal)  # type: ignore[arg-type]
    seen: list[str] = []

    async def send() -> None:
        seen.extend(entry.state for entry in journal.entries())

    async def fail() -> None:
        raise TimeoutError("no answer")

    # What is about the moment is noted at once, and what may wait with the request that it sends.
    await session.writes.perform("Archive", "#97", send, now=True)
    with pytest.raises((WriteError, TimeoutError)):
        await session.writes.perform("Merge", "#98", fail)
    await asyncio.sleep(0)
    assert seen == ["sending"]
    assert [(e.what, e.target, e.state) for e in journal.entries()] == [
        ("Archive", "#97", "done"),
        ("Merge", "#98", "failed"),
    ]
