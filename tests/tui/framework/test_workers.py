"""What is called once keys pause."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App

from copydesk.tui.framework import workers
from copydesk.tui.framework.workers import Pause


@pytest.mark.parametrize("left", [1e-9, 0.03], ids=["a hair", "some time"])
async def test_a_pause_ends_however_little_is_left_of_it_when_it_is_looked_at(
    left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Textual drops a timer without a word that is over before it begins to wait."""
    over = asyncio.Event()
    clock = iter([1 - 0.01, 1.0, 1.01 - left, 1.01])
    monkeypatch.setattr(workers, "monotonic", lambda: next(clock))
    app: App[None] = App()
    async with app.run_test():
        pause = Pause(app, 0.01, over.set)
        pause.ask()
        pause.ask()  # again, before the timer rings: it rings a little too early by then
        await asyncio.wait_for(over.wait(), 5)
        assert not pause.asked
