"""The log of a run, and the sentences that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.cli import log_file
from copydesk.local.log import close_log
from copydesk.local.paths import find_paths


def test_an_error_behind_the_screens_is_told_with_its_kind_and_where_the_log_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    paths = find_paths().make()
    log_file.begin(paths.log)
    try:
        said = log_file.background(paths)(LookupError("what someone typed"))
    finally:
        close_log()
        log_file.silence()
    assert said == (
        "An unexpected error in the background (LookupError): news and lists may be out of date. "
        f"Details: {paths.log}"
    )
    logged = paths.log.read_text(encoding="utf-8")
    assert "LookupError" in logged
    assert "typed" not in logged
