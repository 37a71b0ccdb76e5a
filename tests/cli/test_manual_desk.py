"""The manual in the screens: made of its pages once, only read, and left for where one was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from copydesk.cli.connection import OWN, Connection, session_for
from copydesk.cli.errors import UsageError, kept_state
from copydesk.cli.manual_desk import manual, pages_folder
from copydesk.cli.profile_switch import Switchboard
from copydesk.contract import operations as ops
from copydesk.local.journal import Journal
from copydesk.local.paths import Paths, find_paths
from copydesk.session.identity import identify_at
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.tui import conftest as of_screens

# Screens are drawn here as in their own tests.
styles_parsed_once = of_screens.styles_parsed_once
drawn_when_asked = of_screens.drawn_when_asked


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """The folders of somebody who did nothing yet."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    for name in ("COPYDESK_TOKEN", "COPYDESK_BASE_URL", "COPYDESK_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return find_paths().make()


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A manual of two pages."""
    folder = tmp_path / "pages"
    (folder / "how").mkdir(parents=True)
    (folder / "SUMMARY.md").write_text(
        "# Contents\n\n* [Ten minutes](tutorial.md)\n\n## How to\n\n* [Offline](how/train.md)\n"
    )
    (folder / "tutorial.md").write_text("# Ten minutes\n\nThen [offline](how/train.md).\n")
    (folder / "how/train.md").write_text("# Offline\n\nWhat you write waits.\n")
    return folder


def app_of(connection: Connection, paths: Paths) -> CopydeskApp:
    """Return the screens of the manual."""
    session = session_for(connection, paths, Journal(kept_state(), connection.key))
    target = connection.begins
    assert isinstance(target, Target)
    session.identify = lambda session, api: identify_at(target, session, api)
    return CopydeskApp(session, "pages", target)


async def test_it_is_read_at_both_sizes_and_left_for_where_one_was(
    paths: Paths, pages: Path, update_golden: bool
) -> None:
    ways = Switchboard(paths, OWN.connection(), read_only=False)
    ways.prepare(ways.manual)
    ways.go_on()
    assert (ways.what, ways.manual.current, ways.back) == ("the manual", True, f"desk:{paths.desk}")
    for size in ((80, 24), (140, 40)):
        connection = manual(pages)
        app = app_of(connection, paths)
        app.account.offers, app.account.back = ways, ways.back
        async with drive(app, "j", size=size) as driver:
            driver.golden("manual", update=update_golden)
            await driver.press("m")
            assert "Read-only" in driver.screen or "does nothing here" in driver.screen
            await driver.press("escape")
            assert "q goes back" in driver.screen
            await driver.press(":")
            await driver.type("manual")
            await driver.press("enter")
            assert "the manual is open already." in driver.screen
            await driver.press("q")
        assert app.account.bound_for == ways.back
        connection.close()
    assert ways.go_back()
    assert (ways.connection.key, ways.back) == (f"desk:{paths.desk}", None)
    assert not paths.desk.exists(), "nothing of the person's own was touched"


async def test_every_page_of_the_program_is_in_its_manual(paths: Paths) -> None:
    connection = manual()
    summary = (pages_folder() / "SUMMARY.md").read_text("utf-8")
    told = re.findall(r"^(?:\* \[|## )(.+?)(?:\]\(.*)?$", summary, re.MULTILINE)
    assert connection.begins is not None
    async with await connection.connect() as api:
        assert api.read_only
        (found,) = (await api.page(ops.list_organizations)).items
        assert found.id == connection.begins.organization
        tree = await api(ops.list_space_pages, connection.begins.space or "")
    titles = [each.title for page in tree.pages for each in (page, *(page.pages or ()))]
    assert titles == told
    connection.close()


def test_it_is_made_once_anew_where_a_page_changed_and_never_by_halves(
    paths: Paths, pages: Path
) -> None:
    def there() -> list[str]:
        return [each.name for each in paths.manual.glob("*.db")]

    first = manual(pages)
    (made,) = there()
    written = (paths.manual / made).stat().st_mtime_ns
    assert manual(pages).key == first.key
    assert (paths.manual / made).stat().st_mtime_ns == written
    (pages / "tutorial.md").write_text("# Ten minutes\n\nOr twelve.\n")
    assert manual(pages).key != first.key
    assert made not in there()
    assert len(there()) == 1
    with pytest.raises(UsageError, match="the manual cannot be opened"):
        manual(pages / "missing")
    assert len(there()) == 1
    assert len([*paths.manual.iterdir()]) == 1
