"""Beginning work in a worker of a screen or of a part of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.dom import DOMNode
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
