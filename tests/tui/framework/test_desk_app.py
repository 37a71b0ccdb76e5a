"""What is called once keys pause, and what again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from copydesk.tui.framework.desk_app import Pause, Ticks


async def test_a_pause_is_put_off_by_each_key_and_then_ends_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    now = 0.0
    rings: list[asyncio.TimerHandle] = []

    def call_at(at: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        rings.append(asyncio.TimerHandle(at, ring, (), loop))
        return rings[-1]

    monkeypatch.setattr(loop, "time", lambda: now)
    monkeypatch.setattr(loop, "call_at", call_at)
    ends: list[float] = []
    pause = Pause(2, lambda: ends.append(now))
    pause.ask()
    now = 1.5
    pause.ask()
    for ring in rings:  # more are added meanwhile
        now = ring.when()
        ring._run()
    assert ends == [3.5]
    assert [ring.when() for ring in rings] == [2, 3.5], "a key makes no timer"


async def test_a_pause_that_is_stopped_never_ends() -> None:
    ended = asyncio.Event()
    pause = Pause(0, ended.set)
    pause.ask()
    pause.stop()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not pause.asked
    assert not ended.is_set()
    pause.ask()
    await asyncio.wait_for(ended.wait(), 5)
    assert not pause.asked


async def test_ticks_rest_for_a_while_or_until_they_are_told_to_go_on() -> None:
    rang = asyncio.Event()
    ticks = Ticks(0.001, rang.set)
    ticks.begin()
    for _ in range(2):
        await asyncio.wait_for(rang.wait(), 5)
        rang.clear()
    ticks.rest(3600)
    ticks.rest(0.001)
    told = [ticks.rests]
    await asyncio.sleep(0.02)
    assert not rang.is_set(), "what rests already is not woken by being told to rest"
    ticks.go_on()
    told.append(ticks.rests)
    await asyncio.wait_for(rang.wait(), 5)
    ticks.rest(0.001)
    rang.clear()
    await asyncio.wait_for(rang.wait(), 5)
    told.append(ticks.rests)
    assert told == [True, False, False], "it has rested long enough at last"
    ticks.stop()
    rang.clear()
    await asyncio.sleep(0.02)
    assert not rang.is_set()


async def test_a_tick_may_tell_itself_to_rest() -> None:
    rang: list[None] = []

    def ring() -> None:
        rang.append(None)
        ticks.rest(3600)

    ticks = Ticks(0.001, ring)
    ticks.begin()
    await asyncio.sleep(0.02)
    assert (len(rang), ticks.rests) == (1, True)
    ticks.stop()
