"""What each operation does, one module per noun. Handlers never import each other.

The operations of ``copydesk.contract.space`` are done in ``space`` here, and so on: a module is
loaded when the first of its operations is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from copydesk.contract.operation import Operation
from copydesk.server.implementation import HANDLERS, Implementation


def implementation_of(operation: Operation[..., Any]) -> Implementation:
    """Return what does an operation. Raises ``LookupError`` where nothing does."""
    if operation.name not in HANDLERS:
        import_module(f"{__name__}.{operation.noun}")
    return HANDLERS[operation.name]
