"""How the program ends, or goes on, when nobody pressed a key: on a real terminal."""

from __future__ import annotations

import ast
import json
import os
import re
import resource
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import copydesk
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.state import State
from tests.terminal.conftest import Service
from tests.terminal.program import ORDINARY, Program

EDIT = "\x0f"
"""The key that gives what is typed to the editor: ctrl+o."""

ALLOWED = ("environment()", "environment(more)", "of_window(theirs.fileno())")
"""What makes an environment without a token."""

STARTS = re.compile(
    r"subprocess\.(run|Popen|call|check_call|check_output)|os\.(system|popen|exec\w*|spawn\w*)"
    r"|asyncio\.create_subprocess_\w+|webbrowser\.\w+"
)
"""What starts another program."""

TEXT = "Half a thought about the"

PLANTED = """
import asyncio, sys, threading
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.composer import Composer

changed, left = Composer.on_text_area_changed, CopydeskApp.on_unmount

async def fail(said):
    raise LookupError(said)

def planted(self, event):
    if self.text.endswith("|"):
        asyncio.create_task(fail(self.text))
        threading.Thread(target=lambda: int(self.text)).start()
    if self.text.endswith("!"):
        raise ValueError(self.text)
    changed(self, event)

Composer.on_text_area_changed = planted

if "--at-the-end" in sys.argv:
    sys.argv.remove("--at-the-end")
    def on_unmount(self):
        raise ValueError("at the end")
    CopydeskApp.on_unmount = on_unmount

from copydesk.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The program, with mistakes in it: behind the screens at "|", in the field itself at "!"."""


WOKEN = """
import os, signal, sys
from copydesk.tui.app import CopydeskApp

left = CopydeskApp.on_unmount

async def on_unmount(self):
    os.kill(os.getpid(), signal.SIGCONT)
    await left(self)

CopydeskApp.on_unmount = on_unmount

from copydesk.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The program, which goes on as it ends: a system may have it do so whose window is closed."""


def write_a_verdict(program: Program) -> None:
    """Open a sheet with a field that keeps drafts, over a list."""
    program.until("live")
    program.press("g", "c")
    program.until("READY TO MERGE")
    program.press("a")
    program.until("ctrl+s")


def drafts(home: Path) -> list[str]:
    desk = f"desk:{home / 'data/desk.db'}"
    return list(DeskDrafts(State(home / "state/state.db"), desk).texts().values())


@pytest.mark.long
def test_signals_and_sizes_change_nothing_and_the_end_is_sane(home: Path) -> None:
    with Program(home) as program:
        write_a_verdict(program)
        # Were it killed now, letters could still be typed, as in "reset".
        assert re.findall(rb"\x1b\[>(\d+)u", program.written) == [b"1"]
        program.press("escape")
        program.until("ctrl+s", gone=True)
        # Stopped by a key, and by a signal that nobody can answer.
        for by_key in (True, False):
            if by_key:
                program.press("ctrl+z")
            else:
                program.send(signal.SIGSTOP)
            program.stopped()
            if by_key:
                program.assert_restored()
                assert not program.screen.strip()  # of a terminal without a second screen
            program.clear()
            program.send(signal.SIGCONT)
            program.until("READY TO MERGE")
            assert (program.modes[1049], program.modes[25]) == (True, False)
        # No size is too small or too large, and what it was before comes back.
        for size in ((1, 1), (0, 0), (60000, 60000), (5, 300), (80, 24)):
            program.clear()  # before: what is drawn for the new size must not be lost
            program.resize(*size)
        program.until("READY TO MERGE")
        program.type(b"\xff\x9b\xe9")  # bytes that are no text
        program.press("a")
        program.until("ctrl+s")
        program.press(TEXT)
        program.until(TEXT)
        program.send(signal.SIGTERM)
        assert program.ended() == 128 + signal.SIGTERM
        program.assert_restored()
        assert program.screen.startswith("copydesk: ended by SIGTERM. What you typed is kept.")
        assert "Traceback" not in program.written.decode()
    assert drafts(home) == [TEXT]
    desk = f"desk:{home / 'data/desk.db'}"
    assert not Journal(State(home / "state/state.db"), desk).crashed()


@pytest.mark.long
@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
def test_a_window_that_is_closed_loses_nothing(home: Path, told: bool) -> None:
    def ignore() -> None:
        if not told:  # as nohup does: the terminal is gone all the same
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with Program(home, code=WOKEN, limits=ignore) as program:
        write_a_verdict(program)
        program.press(TEXT)
        program.until(TEXT)
        program.close_window()
        assert program.ended() == 128 + signal.SIGHUP
    assert drafts(home) == [TEXT]
    assert not (home / "state" / "copydesk.log").read_text()


@pytest.mark.long
def test_a_mistake_keeps_what_was_typed_and_says_where_the_log_is(home: Path) -> None:
    with Program(home, code=PLANTED) as program:
        write_a_verdict(program)
        program.press(TEXT, "|")
        program.until(f"{TEXT}|")
        program.press("!")
        assert program.ended() == 1
        program.assert_restored()
        log = home / "state" / "copydesk.log"
        shown = program.said
        assert "something unexpected went wrong (ValueError). What you typed is kept." in shown
        assert "Traceback" not in program.written.decode()
        assert shown.endswith(str(log))
    assert drafts(home) == [f"{TEXT}|!"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    found = {(line["level"], line["errors"][0]["type"]) for line in lines if "errors" in line}
    assert found == {("error", "LookupError"), ("error", "ValueError"), ("critical", "ValueError")}
    assert TEXT not in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_nothing_but_ascii_without_colours_and_without_a_place_to_write(
    home: Path, service: Service
) -> None:
    nowhere = home / "data" / "desk.db" / "nothing"  # a folder in a file
    poor = {**service.environment, "LC_ALL": "C", "NO_COLOR": "1"}
    with (
        (home / "errors").open("wb") as errors,
        Program(nowhere, environment=poor, errors=errors.fileno()) as program,
    ):
        program.until("live")
        program.type("é".encode("latin-1"))
        program.press("g", "c")
        shown = program.until("READY TO MERGE")
        assert "Tom?s" in shown
        assert all(byte < 128 for byte in program.written)
        # The row under the cursor is told by more than a colour.
        assert ">" in shown
        used = {cell.fg for row in program.cells.values() for cell in row.values()}
        assert all(_grey(colour) for colour in used), used
        program.send(signal.SIGINT)
        assert program.ended() == 128 + signal.SIGINT
        program.assert_restored()
    # What is not for the screens goes where the errors go.
    assert (home / "errors").read_text() == "copydesk: ended by SIGINT.\n"
    with Program(nowhere) as program:
        program.press("jjj")  # for screens that never come: not for the shell
        assert program.ended() == 2
        assert "desk.db" in program.said
        assert "Warning" not in program.said
        assert program.unread == 0


def _grey(colour: str) -> bool:
    return (
        len(colour) != 6 or colour == "default" or len({colour[i : i + 2] for i in (0, 2, 4)}) == 1
    )


REFUSED: tuple[tuple[dict[str, str], str], ...] = (
    ({}, "need a terminal"),
    ({"TERM": "dumb"}, "one of them is closed"),
)


@pytest.mark.parametrize(("environment", "said"), REFUSED)
def test_where_nothing_can_be_drawn_a_sentence_says_so(
    tmp_path: Path, environment: dict[str, str], said: str
) -> None:
    def close() -> None:
        os.close(0)

    with Program(tmp_path, environment=environment, limits=close) as program:
        assert program.ended() == 2
        assert said in program.said
        program.assert_restored()
        assert program.modes == ORDINARY
    assert list(tmp_path.iterdir()) == []


AT = ("_signal", "copydesk.cli.errors", "copydesk.cli.connection", "textual.app")


@pytest.mark.parametrize("module", AT)
def test_ctrl_c_while_it_starts_ends_it_without_a_traceback(tmp_path: Path, module: str) -> None:
    code = (
        "import os, sys\n"
        "sys.argv[0] = 'copydesk'\n"
        "def heard(event, given):\n"
        f"    if event == 'import' and given[0] == {module!r}:\n"
        "        os.kill(os.getpid(), 2)\n"
        f"sys.modules.pop({module!r}, None)\n"  # Python itself has the first
        "sys.addaudithook(heard)\n"
        "from copydesk.cli import main\n"
        "sys.exit(main())\n"
    )
    with Program(tmp_path, code=code) as program:
        assert program.ended() in (-signal.SIGINT, 130)
        assert "Traceback" not in program.said
        program.assert_restored()


@pytest.mark.long
def test_a_full_disk_is_said_and_what_is_typed_stays_to_the_end(
    home: Path, service: Service
) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    with Program(
        home, "--at-the-end", code=PLANTED, environment=service.environment, limits=full
    ) as program:
        write_a_verdict(program)
        program.press(TEXT)
        program.until("not on disk")
        program.press("ctrl+s")
        program.until("Not sent: it could not be noted on disk")
        program.wait(
            lambda: "What you wrote is not on disk yet" in " ".join(program.screen.split()),
            "word of what was typed, wherever its lines end",
        )
        program.press("ctrl+q")
        # A mistake while it ends does not keep it from giving back the terminal, and the text.
        assert program.ended() == 1
        program.assert_restored()
        assert "went wrong (ValueError)" in program.said
        assert "No log could be written" in program.said
        assert TEXT in program.said
        assert "Traceback" not in program.said
    assert not any(request.writes for request in service.asked)


@pytest.mark.long
def test_a_busy_disk_stops_no_key_and_has_the_text_once_it_is_free(home: Path) -> None:
    DeskDrafts(State(home / "state/state.db"), "another").save("key", "text")
    with Program(home) as program:
        write_a_verdict(program)
        with holding(home / "state/state.db"):
            for word in ("one", "two", "three"):
                program.press(f"{word} ")
                program.until(word)  # it is drawn, whatever the disk is at
            program.until("not on disk: another copydesk is using state.db")
            program.press("four")
            program.until("four")
            assert drafts(home) == []
        program.wait(lambda: drafts(home) == ["one two three four"], "the text on the disk")
        # Who ends it while the disk is busy is told, and has the text.
        with holding(home / "state/state.db"):
            program.press(" five")
            program.until("five")
            program.send(signal.SIGTERM)
            assert program.ended() == 128 + signal.SIGTERM
            program.assert_restored()
        assert "Not all you typed could be saved on disk" in program.said
        assert "one two three four five" in program.said


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Let another process hold the right to write to a database."""
    code = (
        "import sqlite3, sys; held = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "held.execute('BEGIN IMMEDIATE'); print(flush=True); sys.stdin.read()"
    )
    held = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert held.stdout is not None
    held.stdout.readline()
    try:
        yield
    finally:
        held.communicate()


@pytest.mark.long
def test_streams_that_are_closed_or_full_end_in_a_sentence(tmp_path: Path) -> None:
    python = shlex.quote(sys.executable)
    command = f"{python} -m copydesk log --file"
    for shell, status, said in (
        (f"{command} > /dev/full", 1, "No space left on device"),
        (f"{command} | head -1", 0, ""),
        (f"set -o pipefail; {python} -m copydesk ops --markdown | true", 141, ""),
        (f"{command} --nothing 2>&-", 2, ""),
        (f"{python} -m copydesk --version > /dev/full", 1, "No space left on device"),
        (f"{command} <&- >&-", 1, "standard output is closed: what this command prints was lost"),
        (f"{python} -m copydesk --help >&-", 1, "standard output is closed"),
        (f"{python} -m copydesk cr merge 1 <&-", 2, "no one can be asked here"),
    ):
        done = subprocess.run(
            ["/bin/bash", "-c", shell],
            env={**os.environ, "COPYDESK_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, shell
        assert said in done.stderr
        assert said or not done.stderr, shell
        assert "Traceback" not in done.stderr
        assert "Exception" not in done.stderr


@pytest.mark.long
def test_other_programs_that_it_starts_get_no_token(
    home: Path, service: Service, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    script = tmp_path / "other"
    script.write_text(f"#!/bin/sh\nenv > {told}.part\nmv {told}.part {told}\n")
    script.chmod(0o700)
    token = service.environment["COPYDESK_TOKEN"]
    programs = {"BROWSER": f"{script} %s", "EDITOR": str(script), "VISUAL": str(script)}
    with Program(home, environment={**service.environment, **programs}) as program:
        program.until("live")
        for keys in (("o",), ("g", "c")):
            program.press(*keys)
        program.wait(told.exists, "browser")
        assert "BROWSER=" in told.read_text()
        assert token not in told.read_text()
        told.unlink()
        program.until("READY TO MERGE")
        program.press("a")
        program.until("ctrl+s")
        program.press(EDIT)
        program.wait(told.exists, "editor")
        assert token not in told.read_text()


@pytest.mark.long
def test_an_editor_that_cannot_be_started_leaves_the_terminal(home: Path, tmp_path: Path) -> None:
    with Program(home, environment={"EDITOR": f"{tmp_path}/none", "VISUAL": ""}) as program:
        write_a_verdict(program)
        program.press(EDIT)
        program.until("cannot be started")
        program.press(TEXT)
        program.until(TEXT)


@pytest.mark.long
def test_ctrl_z_and_ctrl_c_are_for_the_editor_and_it_stops_with_the_program(
    home: Path, tmp_path: Path
) -> None:
    script = tmp_path / "editor"
    # The terminal gives both keys to both: first they come to the program that waits.
    pressed = "kill -TSTP $PPID; kill -INT $PPID; kill -STOP $$"
    script.write_text(f'#!/bin/sh\n{pressed}\nprintf "{TEXT}" > "$1"\n')
    script.chmod(0o700)
    with Program(home, environment={"EDITOR": str(script), "VISUAL": ""}) as program:
        write_a_verdict(program)
        program.press(EDIT)
        program.stopped()  # so that the shell has the terminal
        program.assert_restored()
        os.killpg(program.process.pid, signal.SIGCONT)  # as fg does
        program.until(TEXT)
        program.press("!")
        program.until(f"{TEXT}!")


def test_ctrl_c_in_a_pager_is_for_the_pager(tmp_path: Path) -> None:
    script = tmp_path / "pager"
    script.write_text(
        "#!/bin/sh\nkill -INT $PPID\nsleep 0.1\ncat > /dev/null\necho read to the end\n"
    )
    script.chmod(0o700)
    with Program(tmp_path, "help", "trouble", environment={"PAGER": str(script)}) as program:
        assert program.ended() == 0
        assert program.said == "read to the end"


def test_ctrl_c_in_the_editor_of_a_command_is_for_the_editor(tmp_path: Path) -> None:
    script = tmp_path / "editor"
    script.write_text("#!/bin/sh\nkill -INT $PPID\nsleep 0.1\necho '# mine' >> \"$1\"\n")
    script.chmod(0o700)
    variables = {"EDITOR": str(script), "VISUAL": ""}
    with Program(tmp_path, "settings", "edit", environment=variables) as program:
        assert program.ended() == 0
    assert any("# mine" in each.read_text() for each in tmp_path.rglob("config.toml"))


def test_every_program_that_is_started_is_given_its_environment() -> None:
    source = Path(copydesk.__file__).parent
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not STARTS.search(text):
            continue  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and STARTS.fullmatch(ast.unparse(node.func)):
                given = [ast.unparse(each.value) for each in node.keywords if each.arg == "env"]
                assert given in [[each] for each in ALLOWED], f"{path}:{node.lineno}"


@pytest.mark.long
@pytest.mark.parametrize("mask", [0o000, 0o277], ids=oct)
def test_a_new_home_is_for_its_user_only_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    home = tmp_path / "new" / "home"
    masked = f"import os, sys; os.umask({mask}); from copydesk.cli import main; sys.exit(main())"
    with Program(home, code=masked) as program:
        program.until("live")
        program.press("g", "c")
        program.until("READY TO MERGE")
        program.press("a")
        program.until("ctrl+s")
        program.type(TEXT.encode())
        program.until(TEXT)
        program.send(signal.SIGTERM)
        program.ended()
    command = [sys.executable, "-c", masked, "cr", "list"]
    environment = {**os.environ, "COPYDESK_HOME": str(home)}
    assert (
        subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
    )
    made = [home.parent, home, *home.rglob("*")]
    modes = {path.relative_to(tmp_path): stat.S_IMODE(path.stat().st_mode) for path in made}
    assert len(modes) > 8
    wanted = {path: 0o700 if (tmp_path / path).is_dir() else 0o600 for path in modes}
    assert modes == wanted
