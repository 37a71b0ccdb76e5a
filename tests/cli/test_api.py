"""``copydesk api``: any request, as a script sends it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli import main
from copydesk.cli.api import GivenField, body_of, query_of
from copydesk.cli.errors import UsageError, guarded
from copydesk.client import api as client_api
from copydesk.client import errors
from copydesk.session.errors import LOGIN_AGAIN, NotDoneError
from copydesk.session.writes.log import WriteError
from tests.cli.script_desk import HOSTILE, Screen, ScriptDesk, Typed


def fields(*texts: str) -> list[GivenField]:
    """``-F`` begins with an exclamation mark, all others are ``-f``."""
    return [GivenField(text.removeprefix("!"), typed=text.startswith("!")) for text in texts]


@pytest.mark.parametrize(
    ("given", "body"),
    [
        (["a=1", "!b=1", "!c=-7", "!d=true", "!e=null", "!f=01", "g="],
         {"a": "1", "b": 1, "c": -7, "d": True, "e": None, "f": "01", "g": ""}),
        (["body[markdown]=a=b", "body[x][y]=2"], {"body": {"markdown": "a=b", "x": {"y": "2"}}}),
        (["!ids[]=1", "ids[]=x", "none[]"], {"ids": [1, "x"], "none": []}),
        (["r[][id]=1", "r[][n]=a", "r[][id]=2", "r[][of][k]=v"],
         {"r": [{"id": "1", "n": "a"}, {"id": "2", "of": {"k": "v"}}]}),
    ],
)  # fmt: skip
def test_fields_make_a_body(given: list[str], body: dict[str, Any]) -> None:
    assert body_of(fields(*given)) == body


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["a"], "it takes a value: a=value"),
        (["=1"], "is not a name"),
        (["a[b=1"], "is not a name"),
        (["a=1", "a=2"], "is given twice; a[]=… makes a list"),
        (["a=1", "a[b]=2"], "a has another type already"),
        (["a[b]=1", "a[]=2"], "a has another type already"),
        (["a[][]=1"], "no lists right inside of lists"),
        (["a" + "[b]" * 40 + "=1"], "more than 32 deep"),
        (["!a=@/no/such/file"], "cannot be read: No such file"),
    ],
)
def test_fields_that_make_none_are_told(given: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        body_of(fields(*given))
    assert sentence in str(error.value)


def test_a_query_repeats_what_there_are_several_of(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("é")
    pairs = query_of(fields("a=1", "b[]=x", "b[]=y", f"!c=@{tmp_path / 'text'}", "!d=true"))
    assert pairs == [("a", "1"), ("b", "x"), ("b", "y"), ("c", "é"), ("d", "true")]
    with pytest.raises(UsageError, match="no fields inside of others"):
        query_of(fields("a[b]=1"))


def test_reading_is_printed_as_it_came_and_lists_to_their_end(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = scripts.world
    for number in range(4):
        world.space(f"More {number}" if number else HOSTILE)
    where = f"orgs/{world.home}/spaces"
    for path in (where, f"/{where}", f"/v1/{where}", f"http://desk.invalid/v1/{where}"):
        page = json.loads(scripts.out("api", "get", path, "-f", "limit=2"))
        assert (len(page["items"]), page["count"]) == (2, 5)
    titles = {"API reference", HOSTILE, "More 1", "More 2", "More 3"}
    lines = scripts.out("api", "GET", f"{where}?limit=2", "--paginate").splitlines()
    assert {json.loads(line)["title"] for line in lines} == titles
    every = scripts.json("api", "GET", where, "-f", "limit=2", "--paginate")
    assert {item["title"] for item in every} == titles
    found = scripts.json("api", "GET", f"orgs/{world.home}/search?query=http://x")
    assert found["items"] == []
    # What is no list is one answer; on a terminal it is laid out, and nothing in it is obeyed.
    assert scripts.json("api", "GET", "user", "--paginate")["displayName"] == "Ana Silva"
    screen = Screen()
    with monkeypatch.context() as terminal:
        terminal.setattr(sys, "stdout", screen)
        assert scripts.run("api", "GET", where) == 0
    shown = screen.text()
    assert "\n  " in shown
    assert not set("\u202e\u202c\x1b\x07") & set(shown)
    assert {item["title"] for item in json.loads(shown)["items"]} == titles
    assert scripts.log() == []


def test_a_list_without_end_is_left(scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    where = f"orgs/{scripts.world.home}/spaces?limit=1"
    for title in ("One", "Two", "Three", "Four"):
        scripts.world.space(title)
    assert len(scripts.out("api", "GET", where, "--paginate").splitlines()) == 5
    monkeypatch.setattr(client_api, "MOST_PAGES", 3)
    for more in ((), ("--json",)):
        scripts.said()
        assert scripts.run("api", "GET", where, "--paginate", *more) != 0
        assert "the list has no end" in scripts.said()[1]


def test_writing_is_sent_once_and_in_the_log(
    scripts: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = f"spaces/{scripts.space}"
    made = scripts.json("api", "POST", f"{space}/change-requests", "-f", "subject=By hand")
    request = f"{space}/change-requests/{made['number']}"
    said = scripts.json("api", "POST", f"{request}/comments", "-f", "body[markdown]=é\nü")
    (tmp_path / "body.json").write_text('{"subject": "From a file"}')
    renamed = scripts.json("api", "PATCH", request, "--input", str(tmp_path / "body.json"))
    assert renamed["subject"] == "From a file"
    monkeypatch.setattr(sys, "stdin", Typed('{"resolved": true}'))
    thread = f"{request}/comments/{said['id']}"
    assert scripts.json("api", "PUT", thread, "--input", "-")["status"] == "resolved"
    assert scripts.out("api", "DELETE", thread, "--json") == "null\n"
    assert scripts.out("api", "DELETE", thread) == ""
    methods = ["POST", "POST", "PATCH", "PUT", "DELETE", "DELETE"]
    assert scripts.log() == [(method, "done") for method in methods]


def test_what_cannot_be_sent_is_told_before_it_is(scripts: ScriptDesk, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"a": 1,\n oops}')
    (tmp_path / "deep.json").write_text("[" * 100_000)
    bad, deep = (str(tmp_path / name) for name in ("bad.json", "deep.json"))
    for arguments, sentence in (
        (["FETCH", "/orgs"], "FETCH is not a method: write one of GET"),
        (["/orgs", "GET"], "/orgs is not a method"),
        (["GET", "https://evil.example/v1/orgs"], "is not of http://desk.invalid"),
        (["GET", "http://me@desk.invalid/v1/orgs"], "is not of http://desk.invalid"),
        (["GET", "../orgs"], "is not a path"),
        (["GET", "orgs", "--input", bad], "a GET has no body"),
        (["POST", "orgs", "--input", bad], "bad.json, line 2, column 2: "),
        (["POST", "orgs", "--input", f"{bad}.no"], "cannot be read: No such file"),
        (["POST", "orgs", "--input", deep], "deep.json has more lists in lists than can be read"),
        (["POST", "orgs", "--paginate"], "use it with GET only"),
    ):
        assert sentence in scripts.err("api", *arguments, status=2)
    assert scripts.log() == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.Invalid("no", status=400), 1),
        (errors.Unauthorized("no", status=401), 3),
        (errors.Forbidden("no", status=403), 3),
        (errors.NotFound("no", status=404), 1),
        (errors.Conflict("no", status=409), 4),
        (errors.Blocked("no", status=412), 4),
        (errors.RateLimited("no", status=429), 5),
        (errors.ServerFault("no", status=500), 1),
        (errors.ServerFault("no", status=502), 5),
        (errors.ServerFault("no", status=503), 5),
        (errors.ServerFault("no", status=504), 5),
        (errors.Unreachable("no"), 5),
        (errors.Garbled("no"), 1),
        (NotDoneError("no"), 1),
    ],
)
def test_every_failure_has_its_exit_status_in_one_place(
    error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> int:
        raise error

    def fails_behind_a_write() -> int:
        raise WriteError("not written") from error

    assert (guarded(fails), guarded(fails_behind_a_write)) == (status, status)
    # Of these the service's own word says too little.
    said = dict.fromkeys((0, 500, 502, 503, 504), "The service failed: no.")
    said |= {400: "The service did not accept it: no", 401: f"Token refused. {LOGIN_AGAIN} no"}
    said |= {403: "Not allowed: no", 409: "Nothing was changed. no"}
    said |= {412: "Refused by a rule: no", 429: "API limit reached. Nothing was lost."}
    plain = isinstance(error, errors.NotFound | errors.Unreachable | NotDoneError)
    why = "no" if plain else said[getattr(error, "status", None) or 0]
    assert capsys.readouterr().err == f"copydesk: {why}\ncopydesk: not written\n"


def test_how_a_request_failed_is_said_and_is_the_exit_status(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = scripts.world
    request = world.change_request(scripts.space, {"retries": "x"}, status="draft")
    merge = f"spaces/{scripts.space}/change-requests/{request}/merge"
    assert "this one is draft" in scripts.err("api", "POST", merge, status=4)
    assert "no such path" in scripts.err("api", "GET", "not/known/here", status=1)
    assert "subject" in scripts.err(
        "api", "PATCH", merge.removesuffix("/merge"), "-F", "subject=7", status=1
    )
    scripts.sign_in(world.user("guest", "read"))
    scripts.err("api", "POST", merge, status=3)
    assert scripts.log() == [("POST", "failed"), ("PATCH", "failed"), ("POST", "failed")]
    # Of a service the token is never said, whatever goes wrong.
    monkeypatch.setenv("COPYDESK_TOKEN", "a-token-to-keep")
    monkeypatch.setenv("COPYDESK_BASE_URL", "http://127.0.0.1:1")
    scripts.said()
    assert main(["api", "POST", "/orgs/a-token-to-keep", "-f", "title=x"]) == 5
    out, err = scripts.said()
    assert out == ""
    assert "127.0.0.1:1 cannot be reached" in err
    assert "a-token-to-keep" not in err
    assert main(["api", "GET", "https://other.example/v1/user"]) == 2
    assert "a-token-to-keep" not in "".join(scripts.said())
