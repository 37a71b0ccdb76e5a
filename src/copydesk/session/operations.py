"""The operations, loaded once the first of them is named: a start shows its screen without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk.contract import operations as ops
else:

    class _Operations:
        def __getattr__(self, name: str) -> Any:
            from copydesk.contract import operations

            vars(self).update(vars(operations))  # this is asked only once
            return getattr(operations, name)

    ops = _Operations()

__all__ = ["ops"]
