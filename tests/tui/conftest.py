"""Fixtures of the terminal's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import stamina

from copydesk.tui.widgets import text_view


@pytest.fixture(autouse=True)
def retries_without_pauses() -> Iterator[None]:
    """Try a failing read as often as the program does, without the pauses between."""
    with stamina.set_testing(True, attempts=9, cap=True):
        yield


@pytest.fixture(autouse=True)
def measuring_without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure long texts in one go after the other: nobody else waits for the keys."""
    monkeypatch.setattr(text_view, "PAUSE_SECONDS", 0)
