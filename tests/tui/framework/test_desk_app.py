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


class Clock:
    """The timers of an event loop, which ring when a test has time go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._loop = asyncio.get_running_loop()
        self._timers: list[asyncio.TimerHandle] = []
        self.now = 0.0
        monkeypatch.setattr(self._loop, "call_later", self._call_later)

    def _call_later(self, seconds: float, ring: Callable[[], None]) -> asyncio.TimerHandle:
        self._timers.append(asyncio.TimerHandle(self.now + seconds, ring, (), self._loop))
        return self._timers[-1]

    def go_on(self, until: float) -> None:
        """Ring what rings until then, in order."""
        while due := [t for t in self._timers if not t.cancelled() and t.when() <= until]:
            timer = min(due, key=asyncio.TimerHandle.when)
            self._timers.remove(timer)
            self.now = timer.when()
            timer._run()
        self.now = until


async def test_ticks_rest_for_a_while_or_until_they_are_told_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, rang, told = Clock(monkeypatch), list[float](), list[bool]()
    ticks = Ticks(1, lambda: rang.append(clock.now))
    ticks.begin()
    clock.go_on(until=2.5)
    ticks.rest(5)
    ticks.rest(0.1)  # what rests already is not woken by being told to rest
    told.append(ticks.rests)
    clock.go_on(until=7.5)
    told.append(ticks.rests)
    ticks.rest(5)
    ticks.go_on()
    told.append(ticks.rests)
    clock.go_on(until=9)
    ticks.stop()
    clock.go_on(until=20)
    assert rang == [1, 2, 7.5, 8.5]
    assert told == [True, False, False]


async def test_a_tick_may_tell_itself_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rang = Clock(monkeypatch), list[float]()

    def ring() -> None:
        rang.append(clock.now)
        ticks.rest(5)

    ticks = Ticks(1, ring)
    ticks.begin()
    clock.go_on(until=12)
    assert (rang, ticks.rests) == ([1, 6, 11], True)
    ticks.stop()
