"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.world import World


@pytest.fixture
def world() -> Iterator[World]:
    """A desk in memory."""
    # Imported here, so that tests of the contract or the domain load no server.
    from tests.world import World

    made = World()
    yield made
    made.close()
