"""Fixtures of the terminal's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import stamina


@pytest.fixture(autouse=True)
def retries_without_pauses() -> Iterator[None]:
    """Try a failing read as often as the program does, without the pauses between."""
    with stamina.set_testing(True, attempts=9, cap=True):
        yield
