"""Fixtures for what writes: retries that do not pause, and writes that say what they are."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import stamina


@pytest.fixture(autouse=True)
def retries_without_pauses() -> Iterator[None]:
    """Try a failing read as often as the program does, without the pauses between."""
    with stamina.set_testing(True, attempts=9, cap=True):
        yield


@pytest.fixture(autouse=True)
def one_request_unless_said() -> Iterator[None]:
    """Fail where a write sends several requests and does not say so: only one thing can wait."""
    undeclared: list[str] = []

    def note(record: logging.LogRecord) -> bool:
        undeclared.append(record.getMessage())
        return False

    log = logging.getLogger("copydesk.writes")
    log.addFilter(note)
    yield
    log.removeFilter(note)
    assert not undeclared
