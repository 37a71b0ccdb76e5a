"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.world import World

# A machine under load is slow, which is no failure. HYPOTHESIS_PROFILE=long looks harder.
settings.register_profile("suite", max_examples=25, deadline=None)
settings.register_profile("long", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(scope="session", autouse=True)
def home_of_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give a test that names no home this one, and never what who runs it keeps in theirs.

    It is among the temporary folders of pytest: a later run removes it, also if this one is killed.
    """
    os.environ["COPYDESK_HOME"] = str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session", autouse=True)
def zone_and_terminal() -> None:
    """Have tests of every machine tell times in one zone, and draw for one kind of terminal."""
    os.environ |= {"TZ": "UTC0", "TERM": "xterm"}
    for name in ("COLORTERM", "NO_COLOR"):
        os.environ.pop(name, None)
    time.tzset()


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Have this machine be in a zone, as POSIX writes it ("NPT-5:45"), until the test ends."""

    def use(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield use
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def world() -> Iterator[World]:
    """A desk in memory."""
    # Imported here, so that tests of the contract or the domain load no server.
    from tests.world import World

    made = World()
    yield made
    made.close()


def pytest_collection() -> None:
    """Look for no garbage yet: what is imported and collected stays."""
    gc.disable()


SELDOM = 50_000, 20, 20
"""How often garbage is looked for: less often than by default, for there is memory."""


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, and not in what was imported."""
    gc.freeze()
    gc.set_threshold(*SELDOM)
    gc.enable()


MOST_FILES = 200
"""Open files of desks that wait for the garbage; `select` takes numbers below 1,024 alone."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Leave the next test what it is to find: few open files, garbage looked for seldom, the log.

    The program and its commands turn that off, and the program looks through all objects whenever a
    screen was left. Here these are those of thousands of tests. Commands keep logs in a file.
    """
    logger = logging.getLogger("copydesk")
    if not logger.propagate:
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
        for handler in tuple(logger.handlers):
            logger.removeHandler(handler)
            handler.close()
    if gc.get_threshold() != SELDOM or not gc.isenabled():
        gc.set_threshold(*SELDOM)
        gc.enable()
    with suppress(OSError):
        if sum(1 for _ in Path("/proc/self/fd").iterdir()) > MOST_FILES:
            gc.collect()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden screens anew")
    parser.addoption(
        "--linear", action="store_true", help="walk the golden scenarios in linear mode, no other"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden screens are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))
