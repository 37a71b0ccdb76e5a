"""What is called once keys pause, and what again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.message_pump import MessagePump
from textual.timer import Timer

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


class Clock(MessagePump):
    """A part of Textual whose timers a test lets ring."""

    def __init__(self) -> None:
        super().__init__()
        self.rings: list[tuple[float, Callable[[], None]]] = []

    def set_timer(self, delay: float, callback: Any = None, **options: Any) -> Timer:
        self.rings.append((delay, callback))
        return Timer(self, delay)


async def test_ticks_rest_for_a_while_or_until_they_are_told_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(Timer, "pause", lambda timer: said.append("pause"))
    monkeypatch.setattr(Timer, "resume", lambda timer: said.append("resume"))
    clock = Clock()
    ticks = Ticks(clock, 1, lambda: None)
    ticks.go_on()
    assert (said, clock.rings) == ([], [])
    ticks.rest(5)
    ticks.rest(5)
    assert said == ["pause"]
    [(seconds, ring)] = clock.rings
    assert seconds == 5
    ring()
    assert said == ["pause", "resume"]
    assert not ticks.rests
    ticks.rest(5)
    ticks.go_on()
    ticks.go_on()
    assert [seconds for seconds, _ in clock.rings] == [5, 5, 1], "a key makes one timer"
    clock.rings[-1][1]()
    assert said == ["pause", "resume"] * 2
