"""The commands, run as a person or a script runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from dulwich import porcelain

from copydesk.cli import main
from copydesk.cli.embedded import desk_key, make_sample, note_own_desk
from copydesk.local.paths import find_paths
from tests.server.sources.making import put, taken

FILES = {
    "README.md": b"# Manual\n",
    "setup.md": b"# Setup\n",
    "SUMMARY.md": b"* [Manual](README.md)\n* [Setup](setup.md)\n",
}


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A desk with a small imported space."""
    put(tmp_path / "manual", FILES)
    path = tmp_path / "desk.db"
    assert main(["desk", "import", str(tmp_path / "manual"), "--desk", str(path)]) == 0
    capsys.readouterr()
    return path


def test_ops_prints_every_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 143
    listed = {line.split()[0]: line.split()[1:] for line in lines}
    assert listed["get_space"][:2] == ["GET", "/v1/spaces/{spaceId}"]
    assert "review.merge" in listed["merge_change_request"]


def test_ops_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--json"]) == 0
    described = {op["name"]: op for op in json.loads(capsys.readouterr().out)}
    listing = described["list_space_change_requests"]
    assert listing["path"] == "/v1/spaces/{spaceId}/change-requests"
    status = next(query for query in listing["query"] if query["name"] == "status")
    assert status["default"] == "open"
    assert sum(op["extension"] is None for op in described.values()) == 143


def test_an_import_says_what_came_of_it(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = tmp_path / "again.db"
    assert main(["desk", "import", str(tmp_path / "manual"), "--desk", str(again)]) == 0
    assert "manual / Manual (new): 2 pages" in capsys.readouterr().out
    assert again.stat().st_mode & 0o077 == 0
    assert main(["desk", "import", str(tmp_path / "manual"), "--desk", str(desk)]) == 0
    assert "(updated): 2 pages" in capsys.readouterr().out


def test_an_export_writes_the_space_back(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["desk", "export", "manual", str(out), "--desk", str(desk)]) == 0
    assert taken(out) == FILES
    assert "3 files written, 0 removed, 0 as they were" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["desk", "import", "{tmp}/missing"], "is missing. Name a folder"),
        (["desk", "import", "{tmp}/manual", "--space", "x" * 51], "--space: a title has 1 to 50"),
        (["desk", "export", "manual", "{tmp}/desk.db"], "is not a folder: name a folder to"),
        (["desk", "export", "Nope", "{tmp}/out"], "There is no space 'Nope' on this desk"),
        (["desk", "token", "--user", "nobody@example.org"], "no one on this desk has that address"),
        (["desk", "sample"], "is in use already and was left as it is"),
        (["serve", "--port", "70000"], "a port is a number from 0 to 65535"),
        (["serve", "--host", "256.1.1.1"], "cannot listen on 256.1.1.1"),
        (["serve", "--host", "a..b"], "cannot listen on a..b port 8484: not a host name"),
        (["desk", "sample", "--scale", "-1"], "is a number from 0 to 10,000,000"),
        (["desk", "sample", "--scale", "9" * 40], "is a number from 0 to 10,000,000"),
        (["desk", "export", "\udcff", "{tmp}/out"], "space '\\udcff': this is not UTF-8 text"),
        (["desk", "backup", "x" * 5000], "x…: File name too long"),
        (["desk", "check", "--desk", "\udcff"], "no desk can have that name"),
    ],
)
def test_bad_input_gets_a_sentence(
    desk: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    given = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert main(["--desk", str(desk), *given]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_an_export_loses_nothing_that_was_changed_by_hand(
    desk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "manual"
    export = ["desk", "export", "manual", str(out), "--desk", str(desk)]
    put(out, {"setup.md": b"# Mine\n"})
    (out / "README.md").unlink()
    assert main(export) == 2
    said = capsys.readouterr()
    assert "has 1 file changed by hand" in said.err
    assert "setup.md. Nothing was written." in said.err
    assert "--force overwrites them" in said.err
    assert not (out / "README.md").exists()
    # What git has can be overwritten: it is not lost. What is not committed would be.
    with porcelain.init(out) as repo:
        repo.get_worktree().stage(["setup.md"])
        repo.get_worktree().commit(b"Mine", committer=b"A <a@b>", author=b"A <a@b>", sign=False)
    assert main(export) == 0
    assert taken(out)["setup.md"] == FILES["setup.md"]
    put(out, {"setup.md": b"# Mine, not committed\n"})
    assert main(export) == 2
    assert main([*export, "--force"]) == 0
    assert taken(out)["setup.md"] == FILES["setup.md"]


def test_a_failed_import_leaves_the_first_run_to_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    assert main(["desk", "import", str(tmp_path / "no"), "--desk", str(made / "x.db")]) == 2
    assert list(made.iterdir()) == []
    assert "is missing. Name a folder" in capsys.readouterr().err
    assert main(["desk", "import", str(tmp_path / "missing")]) == 2
    capsys.readouterr()
    make_sample(None)  # as the screens do before they open
    assert re.fullmatch(r"Making the sample desk(…|\.\.\.)\r\x1b\[K", capsys.readouterr().out)
    make_sample(None)
    assert capsys.readouterr().out == ""
    # What is kept for it is found where the home is copied to, and a desk elsewhere is another.
    home = find_paths().make()
    assert (desk_key(None), desk_key(made)) == (f"desk:{home.desk}", f"desk:{made}")
    note_own_desk()
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    with monkeypatch.context() as moved:
        moved.setenv("COPYDESK_HOME", str(tmp_path / "copy"))
        note_own_desk()
        assert desk_key(None) == f"desk:{home.desk}"
        assert desk_key(home.desk) == f"desk:{home.desk} elsewhere"
        find_paths().own_desk.write_bytes(b"\xff")
        assert desk_key(None) == f"desk:{find_paths().desk}"
    with monkeypatch.context() as named:  # a home that is no text keeps nobody from other desks
        named.setenv("COPYDESK_HOME", str(tmp_path / "\udcff"))
        note_own_desk()
        assert desk_key(made) == f"desk:{made}"
        assert not find_paths().own_desk.exists()
    assert main(["desk", "token"]) == 0


@pytest.mark.parametrize("command", [["desk", "token"], ["desk", "export", "Any", "{tmp}/out"]])
def test_a_desk_that_was_named_must_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    given = [part.replace("{tmp}", str(tmp_path)) for part in command]
    assert main([*given, "--desk", str(tmp_path / "typo.db")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert not (tmp_path / "typo.db").exists()
    assert main(["desk", "sample", "--desk", str(tmp_path / "no" / "folder.db")]) == 2
    assert "its folder is missing" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_titles_of_strangers_are_made_safe_in_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    title = "\u202eevil\u202c \x1b]0;owned\x07z\u200bw"
    put(tmp_path / "hostile", {"README.md": b"# A\n", "SUMMARY.md": b"* [A](README.md)\n"})
    desk = str(tmp_path / "desk.db")
    source = str(tmp_path / "hostile")
    assert main(["desk", "import", source, "--space", title, "--desk", desk]) == 0
    assert main(["desk", "export", "nosuch", str(tmp_path / "out"), "--desk", desk]) == 2
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert not set("\u202e\u202c\u200b\x1b\x07") & set(text)
        assert "evil zw" in text


def test_a_file_that_is_no_desk_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("Not a database at all. " * 50)
    assert main(["desk", "token", "--desk", str(other)]) == 2
    assert "is not a usable desk" in capsys.readouterr().err
    assert other.read_text() == "Not a database at all. " * 50


def test_an_address_that_cannot_be_listened_on_makes_no_desk(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    assert main(["serve", "--host", "256.1.1.1", "--desk", str(path)]) == 2
    assert not path.exists()


def test_a_desk_without_room_can_be_read(desk: Path, tmp_path: Path) -> None:
    code = (
        "import resource, sys\n"
        "from copydesk.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "for more in ((), ('--read-only',)):\n"
        f"    print(main(['api', 'GET', '/orgs', '--desk', {str(desk)!r}, *more]))\n"
    )
    before = desk.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    first, _, then = done.stdout.partition("\n")
    assert first == "2"
    assert "disk is full" in done.stderr
    assert done.stderr.endswith("With --read-only it can be read.\n")
    assert then.endswith("\n0\n")
    assert '"manual"' in then
    assert desk.read_bytes() == before


def test_python_without_docstrings_is_refused_in_a_sentence() -> None:
    command = [sys.executable, "-OO", "-m", "copydesk", "cr", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("copydesk: unset PYTHONOPTIMIZE, or leave out -OO")


@pytest.mark.long
def test_commands_that_meet_on_a_new_desk_fill_it_once() -> None:
    command = [sys.executable, "-m", "copydesk", "desk", "token"]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=60) for process in both]
    assert [error for _, error in answers] == ["", "", ""]
    assert len({token for token, _ in answers}) == 3


def test_an_option_without_meaning_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--base-url", "https://api.example.com", "ops"]) == 2
    assert "this command does not take --base-url" in capsys.readouterr().err


def test_the_screens_need_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "need a terminal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("nonsense", "t", "'nonsense' is not a base URL"),
        ("ftp://x", "t", "is not a base URL: write it as https://"),
        ("http://[::1", "t", "is not a base URL"),
        ("https://me:secret@x", "t", "leave out user"),
        ("https://x", "two words", "the token holds a space"),
        ("https://x", "", "set COPYDESK_TOKEN"),
    ],
)
def test_an_address_or_token_that_cannot_be_is_told_before_the_screens(
    address: str,
    token: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COPYDESK_TOKEN", token)
    assert main(["--base-url", address]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert "secret" not in said
    assert "two words" not in said


def test_an_unknown_command_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["desck", "\u202e"])
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert "there is no command desck. Did you mean desk?" in said
    with pytest.raises(SystemExit):
        main(["profiles", "x\u202e\x1b[2J"])
    assert not {"\u202e", "\x1b"} & set(capsys.readouterr().err)


def test_serve_answers_with_a_minted_token_and_fetches_from_public_addresses_only(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["desk", "token", "--desk", str(desk)]) == 0
    token = capsys.readouterr().out.splitlines()[-1]
    assert token.encode() not in desk.read_bytes()
    command = [sys.executable, "-m", "copydesk", "serve", "--port", "0", "--desk", str(desk)]
    command.append("--fetch")
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COPYDESK_DEBUG": "1"},
    ) as server:
        try:
            assert server.stdout is not None
            announced = server.stdout.readline().strip()
            assert announced.startswith("Listening on http://127.0.0.1:")
            address = announced.removeprefix("Listening on ")
            assert server.stdout.readline() == f"Serving {desk}\n"
            assert "takes a token" in server.stdout.readline()
            assert server.stdout.readline() == "Only this machine can reach it.\n"
            with httpx.Client(base_url=address, trust_env=False) as client:
                refused = client.get("/v1/orgs?secret=1")
                assert refused.status_code == 401
                client.headers["authorization"] = f"Bearer {token}"
                (organization,) = client.get("/v1/orgs").json()["items"]
                where = f"/v1/orgs/{organization['id']}/openapi/itself"
                spec = client.put(where, json={"source": {"url": address}}).json()
                for _ in range(10_000):
                    if spec["processingState"] == "complete":
                        break
                    spec = client.get(where).json()
            assert organization["title"] == "manual"
            assert "127.0.0.1, which is not a public" in spec["lastProcessedErrors"][0]["message"]
        finally:
            server.terminate()
            server.communicate(timeout=20)
    assert server.returncode == 0
    # Who was answered and who answered call a request by the same name.
    lines = (find_paths().log).read_text().splitlines()
    (line,) = (each for each in lines if refused.headers["x-request-id"] in each)
    assert (json.loads(line)["operation"], json.loads(line)["status"]) == (
        "list_organizations",
        401,
    )
    assert "secret=1" not in "".join(lines)
    assert not desk.with_name(desk.name + "-wal").exists(), "the desk was not closed"


@pytest.mark.long
def test_serve_warns_where_other_machines_can_reach_it(desk: Path) -> None:
    command = [sys.executable, "-m", "copydesk", "serve", "--port", "0", "--host", "0.0.0.0"]
    with subprocess.Popen(
        [*command, "--desk", str(desk)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr is not None
            warning = server.stderr.readline()
            assert "0.0.0.0 can be reached from other machines, over plain HTTP" in warning
        finally:
            server.terminate()
            said, _ = server.communicate(timeout=20)
    assert "Only this machine" not in said


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["desk", "token"], {"textual", "uvicorn", "dulwich"}),
        (["--version"], {"textual", "httpx", "starlette", "pydantic", "sqlite3"}),
    ],
)
def test_a_command_loads_only_what_it_needs(
    desk: Path, arguments: list[str], absent: set[str]
) -> None:
    script = (
        "import sys; from copydesk.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    given = [*arguments, "--desk", str(desk)] if arguments[0] == "desk" else arguments
    done = subprocess.run(
        [sys.executable, "-c", script, *given], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split()[1:])
    assert loaded & absent == set()
