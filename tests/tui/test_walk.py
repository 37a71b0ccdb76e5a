"""The whole walk of a reviewer, over HTTP: import, serve, review by keyboard, merge, export."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich.refs import Ref

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.server.sources.making import Making, put, taken

FILES = {
    "README.md": b"# Manual\n\nWelcome.\n",
    "retries.md": b"# Retries\n\nWe retry five times.\n\nThen we stop.\n",
    "SUMMARY.md": b"* [Manual](README.md)\n* [Retries](retries.md)\n",
}
CHANGED = FILES["retries.md"].replace(b"five", b"eight")


def copydesk(home: Path, *arguments: str) -> str:
    """Run a command in a process of its own and return what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "copydesk", *arguments],
        env={**os.environ, "COPYDESK_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with one proposed change."""
    made = Making(tmp_path / "manual.git")
    made.commit(FILES, "Begin")
    tip = made.repo.refs[Ref(b"refs/heads/main")].decode()
    made.commit({"retries.md": CHANGED}, "Eight retries", branch="520-eight", parents=[tip])
    made.close()
    return tmp_path / "manual.git"


@pytest.fixture
def service(tmp_path: Path, source: Path) -> Iterator[str]:
    """The address of a desk with that repository, served by a second process."""
    copydesk(tmp_path, "desk", "import", str(source))
    command = [sys.executable, "-m", "copydesk", "serve", "--port", "0"]
    environment = {**os.environ, "COPYDESK_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip().removeprefix("Listening on ")
        server.terminate()
        server.communicate(timeout=20)


@pytest.mark.long
async def test_a_change_is_reviewed_and_merged_over_http_and_exported(
    tmp_path: Path, service: str
) -> None:
    token = copydesk(tmp_path, "desk", "token").strip()
    async with Api(service, token) as api:

        async def connect() -> Api:
            return api

        organization = (await api(ops.list_organizations)).items[0].id
        space = (await api(ops.list_organization_spaces, organization)).items[0].id
        target = Target(organization=organization, space=space, change_request="520")
        app = CopydeskApp(Session(connect), "review", target.but(view="changes"))
        async with drive(app, size=(140, 40)) as driver:
            assert "We retry" in driver.screen
            assert "{+eight+}" in driver.screen
            await driver.press("J", "c")
            await driver.type("Since which version?")
            await driver.press("ctrl+s")
            (thread,) = (await api(ops.list_change_request_comments, space, "520")).items
            assert thread.body is not None
            assert thread.body.markdown == "Since which version?"
            await driver.press("r")
            await driver.type("Since 2.1")
            await driver.press("ctrl+s", "x")
            thread = await api(ops.get_change_request_comment, space, "520", thread.id)
            assert (thread.replies, thread.status) == (1, "resolved")
            await driver.press("m", "y")
            merged = await api(ops.get_change_request, space, "520")
            assert merged.status == "merged"
    put(tmp_path / "checkout", FILES)
    copydesk(tmp_path, "desk", "export", space, str(tmp_path / "checkout"))
    assert taken(tmp_path / "checkout") == {**FILES, "retries.md": CHANGED}
