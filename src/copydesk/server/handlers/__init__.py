"""What each operation does, one module per noun. Handlers never import each other.

The operations of ``copydesk.contract.space`` are done in ``space`` here, and so on: a module is
loaded when the first of its operations is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.server.implementation import HANDLERS, Implementation


def implementation_of(operation: Operation[..., Any]) -> Implementation:
    """Return what does an operation. Waits while another thread loads its module.

    Raises ``ImportError`` where that fails; nothing of it stays then, and the next call tries anew.
    """
    try:
        import_module(f"{__name__}.{operation.noun}")
    except BaseException:
        for name in [
            name for name, each in HANDLERS.items() if each.operation.noun == operation.noun
        ]:
            del HANDLERS[name]
        raise
    return HANDLERS[operation.name]


def load_all() -> None:
    """Load every handler and the models of its operation."""
    for operation in CATALOGUE.values():
        operation.load()
        implementation_of(operation)
