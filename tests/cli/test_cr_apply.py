"""Suggestions from scripts: made in a file, listed with threads, applied."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from copydesk.cli.errors import NOT_ALLOWED
from copydesk.domain.suggestion import suggest
from tests.cli.script_desk import HOSTILE, ScriptDesk, Typed

TEXT = "# Retries\n\nWe try five times.\n\nThen we stop.\nNobody is told.\n"

REVIEW = """
comments:
  - page: retries
    line: 3
    text: Ops says so.
    suggestion: We try eight times.
  - page: retries
    line: 5
    last: 6
    suggestion: |
      Then we stop,
        and you are told.
  - page: retries
    quote: Retries
    suggestion: "# Trying again"
"""


def _began(scripts: ScriptDesk) -> str:
    """Begin and return a change request of somebody else."""
    lee = scripts.world.user("lee", display_name="Lee Park")
    return scripts.world.change_request(scripts.space, {"retries": TEXT}, subject="Five", by=lee)


def _suggests(scripts: ScriptDesk, request: str, line: int, *new: str) -> str:
    """Let Lee suggest other lines for one of the page, counted from 1."""
    world = scripts.world
    made = suggest(TEXT, line - 1, line - 1, new)
    assert made is not None
    node, said = made
    return world.comment(
        scripts.space, said, by=world.user("lee"), change_request=request,
        page=world.page_id(scripts.space, "retries", change_request=request), node=node,
    )  # fmt: skip


def _text(scripts: ScriptDesk, request: str) -> str:
    page = scripts.world.page_id(scripts.space, "retries", change_request=request)
    path = f"/spaces/{scripts.space}/change-requests/{request}/content/page/{page}"
    return str(scripts.json("api", "GET", f"{path}?format=markdown")["markdown"])


def test_suggestions_of_a_file_are_sent_once_and_applied(
    scripts: ScriptDesk, tmp_path: Path
) -> None:
    request, file = _began(scripts), tmp_path / "review.yaml"
    file.write_text(REVIEW)
    planned = scripts.out("cr", "review", "1", str(file), "--plan", status=7)
    assert "comment suggests on Retries, line 3: Ops says so." in planned
    assert "comment suggests on Retries, lines 5-6" in planned
    assert "3 comments" in scripts.out("cr", "review", "1", str(file), "--yes")
    assert "nothing was sent" in scripts.out("cr", "review", "1", str(file), "--yes")
    listed = scripts.out("cr", "threads", "1")
    assert "    Ops says so.\n    suggests, line 3, fits\n" in listed
    assert "    - We try five times.\n    + We try eight times.\n" in listed
    assert "add --yes" in scripts.err("cr", "apply", "1", status=2)
    assert "line 3: fits" in scripts.out("cr", "apply", "1", "--plan", status=7)
    assert _text(scripts, request) == TEXT
    assert "3 suggestions applied." in scripts.out("cr", "apply", "1", "--yes")
    told = "Then we stop,\n  and you are told.\n"
    assert _text(scripts, request) == f"# Trying again\n\nWe try eight times.\n\n{told}"
    assert "0 threads open" in scripts.out("cr", "threads", "1")
    assert "Suggested by Ana Silva" in scripts.out("cr", "show", "1")
    assert "Nothing to apply." in scripts.out("cr", "apply", "1", "--yes")


def test_the_named_ones_are_applied_and_what_does_not_fit_fails(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = _began(scripts)
    fits = _suggests(scripts, request, 3, "We try eight times.")
    outdated = _suggests(scripts, request, 5, HOSTILE)
    plain = scripts.world.comment(scripts.space, "Why?", change_request=request)
    edited = TEXT.replace("Then we stop.", "Then we end.")
    scripts.world.edit_change_request(request, {"retries": edited})
    assert "suggests nothing" in scripts.err("cr", "apply", "1", plain, "--yes", status=1)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    scripts.run("cr", "apply", "1", fits)
    assert _text(scripts, request) == edited
    said = scripts.json("cr", "apply", "1", fits, outdated, "--yes", status=4)
    assert said["applied"] == [fits]
    assert said["left"][outdated].startswith("The lines were edited since")
    assert _text(scripts, request) == edited.replace("five", "eight")
    assert "\x1b" not in scripts.out("cr", "threads", "1")
    assert "1 not: The lines were edited since" in scripts.out("cr", "apply", "1", "--yes")


def test_who_may_not_edit_and_a_closed_request_are_told(scripts: ScriptDesk) -> None:
    request = _began(scripts)
    _suggests(scripts, request, 3, "We try eight times.")
    scripts.sign_in(scripts.world.user("rea", role="comment"))
    refused = scripts.err("cr", "apply", "1", "--yes", status=NOT_ALLOWED)
    assert "You may not edit here; its author can." in refused
    scripts.sign_in(scripts.world.ana)
    scripts.run("cr", "edit", "1", "--status", "archived")
    assert "#1 is archived." in scripts.err("cr", "apply", "1", "--yes", status=4)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"page": "retries", "suggestion": "A"}, "name it by line or quote"),
        ({"page": "retries", "line": 3, "last": 2, "suggestion": "A"}, "from its line on"),
        ({"page": "retries", "line": 3, "last": 4, "text": "A"}, "from its line on"),
        ({"page": "retries", "line": 3, "suggestion": None}, '"" deletes the lines'),
        ({"page": "retries", "line": 3, "suggestion": "We try five times."}, "changes nothing"),
        ({"page": "retries", "line": 6, "last": 9, "suggestion": ""}, "has no line 9"),
        ({"page": "retries", "line": 4, "suggestion": "A"}, "has no words to find it by"),
    ],
)
def test_a_bad_suggestion_of_a_file_is_named_with_its_line(
    scripts: ScriptDesk, tmp_path: Path, entry: dict[str, object], why: str
) -> None:
    _began(scripts)
    file = tmp_path / "review.json"
    file.write_text(json.dumps({"comments": [entry]}))
    scripts.said()
    assert scripts.run("cr", "review", "1", str(file), "--yes") != 0
    assert why in scripts.said()[1]
