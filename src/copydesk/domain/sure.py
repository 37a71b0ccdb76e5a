"""What is there for sure, though its type does not say so."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def sure(value: T | None) -> T:
    """Return a value that is not None: a guard, or what was done before, has made sure of that."""
    assert value is not None
    return value
