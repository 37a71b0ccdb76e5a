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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden screens anew")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden screens are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))
