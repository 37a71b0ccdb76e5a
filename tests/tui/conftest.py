"""Fixtures of the terminal's tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual import constants, screen

from copydesk.tui.app import CopydeskApp
from copydesk.tui.changes import reader as changes_details
from copydesk.tui.framework import inside_textual, navigation
from copydesk.tui.widgets import text as text_view
from tests.drive import UNSEEN, WALKS
from tests.tui.remembered import remember
from tests.writing import one_request_unless_said, retries_without_pauses

if TYPE_CHECKING:
    from tests.tui.review_world import ReviewWorld
    from tests.tui.sample_desk import Sample
    from tests.world import World

__all__ = ["one_request_unless_said", "retries_without_pauses"]


@pytest.fixture
def sample() -> Iterator[Sample]:
    """The sample desk."""
    # Imported here, so that most tests load no sample.
    from tests.tui.sample_desk import Sample

    made = Sample()
    yield made
    made.close()


@pytest.fixture
def review(world: World) -> ReviewWorld:
    """A world with a change request to review."""
    from tests.tui.review_world import ReviewWorld

    return ReviewWorld(world)


@pytest.fixture(scope="session", autouse=True)
def styles_parsed_once() -> Iterator[None]:
    """Parse every style sheet once for all applications: rules are only read once made."""
    with pytest.MonkeyPatch.context() as patch:
        remember(patch)
        yield


@pytest.fixture
def frames_as_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw as often as on a terminal: a screen reads, and takes keys, after its first frame."""
    monkeypatch.setattr(inside_textual, "UPDATE_PERIOD", 1 / constants.MAX_FPS)


@pytest.fixture(scope="session", autouse=True)
def drawn_when_asked() -> Iterator[None]:
    """Draw when a test looks, or where its driver draws, and not at every tick of a clock too."""
    draw = screen.Screen._compositor_refresh

    def draw_where_seen(self: screen.Screen[object]) -> None:
        if self.app in UNSEEN and self is self.app.screen:
            self._dirty_widgets.clear()  # where they are is known as dirty by now
        else:
            draw(self)

    with pytest.MonkeyPatch.context() as patch:
        for module in (screen, inside_textual):  # each has the name of its own
            patch.setattr(module, "UPDATE_PERIOD", 1.0)
        patch.setattr(screen.Screen, "_compositor_refresh", draw_where_seen)
        yield


@pytest.fixture(autouse=True)
def measuring_without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure long texts in one go after the other: nobody else waits for the keys."""
    monkeypatch.setattr(text_view, "PAUSE_SECONDS", 0)


@pytest.fixture(scope="session", autouse=True)
def cursors_that_rest_at_once() -> Iterator[None]:
    """Read what is under and around the cursor without waiting for it to stay there."""
    navigation.load_all()
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("copydesk.") and hasattr(module, "REST_SECONDS"):
                patch.setattr(module, "REST_SECONDS", 0.001)
        patch.setattr(changes_details, "STAY_SECONDS", 0.002)
        yield


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What the editor leaves in the file; what was in it goes into a file beside, and its name."""
    written, opened = tmp_path / "written", tmp_path / "opened"
    script = tmp_path / "edit"
    script.write_text(f'cp "$1" {opened}\necho "$1" > {opened}.name\ncp {written} "$1"\n')
    monkeypatch.setenv("VISUAL", f"sh {script}")
    monkeypatch.setattr(CopydeskApp, "suspend", lambda app: nullcontext())

    def write(text: str) -> None:
        written.write_text(text)

    return write


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the scenarios with golden screens where these are walked in linear mode."""
    if config.getoption("--linear"):
        items[:] = [each for each in items if "update_golden" in getattr(each, "fixturenames", ())]


@pytest.fixture(autouse=True)
def walked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Write what a scenario tells in linear mode below build/linear, where that is asked for."""
    if request.config.getoption("--linear"):
        folder = request.config.rootpath / "build" / "linear"
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"\W+", "-", request.node.nodeid.removeprefix("tests/tui/")).strip("-")
        WALKS.append(folder / f"{name}.txt")
        WALKS[-1].unlink(missing_ok=True)
    yield
    WALKS.clear()
