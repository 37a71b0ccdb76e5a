"""Work that a screen, or a part of it, begins beside the keys, or once they pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.message_pump import MessagePump
    from textual.worker import Worker


def begin(
    node: DOMNode,
    work: Callable[..., Coroutine[Any, Any, object]],
    *args: object,
    name: str | None = "",
    group: str = "default",
    exclusive: bool = False,
    exit_on_error: bool = True,
) -> Worker[Any]:
    """Call ``work`` with ``args`` in a worker of a node, when its turn comes, and return that.

    It is not called before: where the node is left in the same moment the worker is stopped first,
    and a coroutine that was made already would never be awaited.
    """
    # Textual's types know no function whose result is of no interest.
    calls: Callable[[], Any] = partial(work, *args)
    return node.run_worker(
        calls, name=name, group=group, exclusive=exclusive, exit_on_error=exit_on_error
    )


HEARD_SECONDS = 1.0
"""How long the next key waits for what an earlier one has posted; longer than that it is stuck."""


def heard(node: DOMNode) -> asyncio.Future[None]:
    """Return an awaitable that is done once the ancestors of a node handled its earlier messages.

    The next key waits for it: it is for what comes of that, and not for what is left by it.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    way = list(node.ancestors_with_self)
    way = way[: way.index(node.screen) + 1] if node.is_attached else []

    def end() -> None:
        late.cancel()
        if not done.done():
            done.set_result(None)

    def pass_on(at: int) -> None:
        # In each queue on the way it comes after the message.
        if at == len(way) or not way[at].call_later(pass_on, at + 1):
            end()

    late = loop.call_later(HEARD_SECONDS, end)
    pass_on(0)
    return done


class Pause:
    """Calls something once it was not asked for during some seconds; asking again is free."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self._seconds, self._then = seconds, then
        # One of the event loop: Textual looks at what its own timers call, for 0.5 ms each time.
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0
        """When it is to be called, on the clock of the event loop."""

    @property
    def asked(self) -> bool:
        """Whether it is about to be called."""
        return self._timer is not None

    def ask(self) -> None:
        """Have it called; a timer that runs already stays and looks again when it rings."""
        loop = asyncio.get_running_loop()
        self._at = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(self._at, self._ring)

    def stop(self) -> None:
        """Have it not called any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        loop = asyncio.get_running_loop()
        if self._at > loop.time():
            self._timer = loop.call_at(self._at, self._ring)
        else:
            self._timer = None
            self._then()


class Ticks:
    """Calls something again and again, less often while it rests: waking up is what costs then."""

    def __init__(self, node: MessagePump, seconds: float, then: Callable[[], None]) -> None:
        self._node, self._seconds = node, seconds
        self._timer = node.set_interval(seconds, then)
        self._rests = False

    def rest(self, seconds: float) -> None:
        """Call it in so many seconds, and not before, unless it is told to go on."""
        if not self._rests:
            self._rests = True
            self._timer.pause()
            self._node.set_timer(seconds, self._resume)

    def go_on(self) -> None:
        """Call it as often as before: not at once, what it is told for comes first."""
        if self._rests:
            self._rests = False
            self._node.set_timer(self._seconds, self._resume)

    def _resume(self) -> None:
        self._rests = False
        self._timer.resume()
