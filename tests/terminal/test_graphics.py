"""Large pictures on terminals that show Kitty or Sixel graphics, and on one that says nothing."""

from __future__ import annotations

import re
import signal
import sqlite3
import sys
from base64 import b64decode
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from copydesk.cli import main
from copydesk.present.graphics import QUESTION, Graphics, why_no_sixel
from copydesk.present.pictures import HALF, decode
from tests.terminal.conftest import Service
from tests.terminal.program import Program

KITTY, CELL, KIND = re.findall(rb"\x1b_.*?\x1b\\|\x1b\[16t|\x1b\[c", QUESTION.encode())
"""The parts of the question."""

CELLS = b"\x1b[6;20;10t"
KITTY_ANSWERS = {KITTY: b"\x1b_Gi=31;OK\x1b\\", CELL: CELLS, KIND: b"\x1b[?62;c"}
SIXEL_ANSWERS = {CELL: CELLS, KIND: b"\x1b[?62;4;22c"}
PLACED = re.compile(rb"\x1b7\x1b\[(\d+);(\d+)H((?:\x1b_G[^\x1b]*\x1b\\)+)\x1b8")
SIXELS = re.compile(rb"\x1b7\x1b\[\d+;\d+H\x1bP[0-9;]*q(\"[0-9;]*)[^\x1b]*\x1b\\\x1b8")


def import_picture(desk: Path, folder: Path) -> str:
    """Import a page with a picture of 200 x 100 pixels; return the address where it is opened."""
    folder.mkdir()
    image = Image.effect_noise((200, 100), 60)
    image.convert("RGB").save(folder / "a.png")
    (folder / "README.md").write_text("# Shown\n\n![Words of it](a.png)\n")
    importing = ["desk", "import", str(folder), "--space", "Pictured", "--desk", str(desk)]
    assert main(importing) == 0
    with closing(sqlite3.connect(desk)) as database:
        (key,) = database.execute("SELECT id FROM space WHERE title = 'Pictured'").fetchone()
    return f"https://desk.test/s/{key}"


@pytest.fixture
def address(home: Path, tmp_path: Path) -> str:
    """The address of a picture on the desk of ``home``."""
    return import_picture(home / "data" / "desk.db", tmp_path / "docs")


def open_picture(program: Program) -> None:
    """Open the picture of the page in front."""
    program.until("> ")
    program.wait(lambda: "● live" in program.screen, "page")
    program.press("enter")
    program.until("200 x 100")
    assert KIND not in program.written, "it is asked when a picture is opened, and not before"
    program.press("enter")
    program.until("200 x 100 pixels")


@pytest.mark.long
def test_kitty_graphics_are_placed_in_the_dialog_and_deleted_with_it(
    home: Path, address: str
) -> None:
    with Program(home, address, answers=KITTY_ANSWERS) as program:
        open_picture(program)
        program.wait(lambda: PLACED.search(program.written) is not None, "picture")
        program.wait(lambda: HALF not in program.screen, "blank cells below it")
        placed = list(PLACED.finditer(program.written))[-1]
        parts = re.findall(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\", placed[3])
        assert len(parts) > 1
        assert [each[0].rpartition(b"m=")[2] for each in parts] == [b"1"] * (len(parts) - 1) + [
            b"0"
        ]
        head = dict(each.split(b"=") for each in parts[0][0].split(b","))
        assert (head[b"a"], head[b"f"], head[b"C"], head[b"q"]) == (b"T", b"100", b"1", b"2")
        sent = Image.open(BytesIO(b64decode(b"".join(each[1] for each in parts))))
        assert sent.size == (200, 100)
        removing = b"\x1b_Ga=d,d=I,i=%b,q=2\x1b\\" % head[b"i"]
        # Stopped and going on, it is placed again.
        assert removing not in program.written
        program.send(signal.SIGTSTP)
        program.stopped()
        assert removing in program.written
        before = len(PLACED.findall(program.written))
        program.send(signal.SIGCONT)
        program.wait(lambda: len(PLACED.findall(program.written)) > before, "picture again")
        program.resize(100, 30)
        program.wait(lambda: program.written.count(removing) == 2, "old picture that is deleted")
        program.wait(lambda: program.written.rfind(b"a=T") > program.written.rfind(b"a=d"), "it")
        program.press("escape")
        program.until("200 x 100 pixels", gone=True)
        program.wait(lambda: program.written.count(removing) == 3, "picture that is deleted")
        # What is left open is taken away at the end, on the screen that it is on.
        program.press("enter")
        program.until("200 x 100 pixels")
        program.wait(lambda: program.written.rfind(b"a=T") > program.written.rfind(b"a=d"), "it")
        assert program.written.count(KIND) == 1, "it is asked once"
        program.press("ctrl+q")
        assert program.ended() == 0
        assert program.written.rfind(b"a=d,d=I") > program.written.rfind(b"a=T")
        assert program.written.rfind(b"a=d,d=I") < program.written.rfind(b"\x1b[?1049l")
        program.assert_restored()
        assert program.unread == 0


@pytest.mark.long
def test_a_picture_is_away_while_another_dialog_lies_over_it(
    home: Path, service: Service, tmp_path: Path
) -> None:
    address = import_picture(tmp_path / "service.db", tmp_path / "docs")
    with Program(home, address, environment=service.environment, answers=KITTY_ANSWERS) as program:
        open_picture(program)
        program.wait(lambda: PLACED.search(program.written) is not None, "picture")
        program.press("ctrl+g")
        program.wait(lambda: b"a=d,d=I" in program.written, "picture that is taken away")
        assert len(PLACED.findall(program.written.rpartition(b"a=d,d=I")[2])) == 0
        program.press("escape")
        program.wait(
            lambda: PLACED.search(program.written.rpartition(b"a=d,d=I")[2]) is not None, "it again"
        )


@pytest.mark.long
def test_sixel_is_drawn_in_the_dialog_and_never_in_the_text(home: Path, address: str) -> None:
    with Program(home, address, answers=SIXEL_ANSWERS) as program:
        open_picture(program)
        program.wait(lambda: SIXELS.search(program.written) is not None, "picture")
        assert set(SIXELS.findall(program.written)) == {b'"1;1;200;100'}
        assert b"a=T" not in program.written
        program.wait(lambda: HALF not in program.screen, "blank cells below it")
        program.press("escape")
        program.until("200 x 100 pixels", gone=True)
        drawn = program.written.count(b"\x1bP")
        assert HALF in program.screen, "the text has half blocks"
        program.press("j", "k", "ctrl+q")
        assert program.ended() == 0
        assert program.written.count(b"\x1bP") == drawn
        assert b"a=d" not in program.written
        program.assert_restored()


@pytest.mark.long
def test_a_terminal_that_answers_nothing_shows_half_blocks_and_a_setting_says_otherwise(
    home: Path, address: str
) -> None:
    with Program(home, address) as program:
        open_picture(program)
        program.wait(lambda: KIND in program.written, "question")
        assert HALF in program.screen
        program.press("escape")  # keys are read as ever
        program.until("200 x 100 pixels", gone=True)
        program.press("ctrl+q")
        assert program.ended() == 0
        assert b"\x1bP" not in program.written
        assert program.written.count(b"\x1b_G") == 1
        program.assert_restored()
    (home / "config" / "config.toml").write_text('pictures = "kitty"\n')
    with Program(home, address) as program:
        open_picture(program)
        program.wait(lambda: PLACED.search(program.written) is not None, "picture")
        program.press("ctrl+q")
        assert program.ended() == 0


def test_answers_are_taken_out_of_what_is_read_wherever_it_is_cut() -> None:
    answers = "\x1b_Gi=31;OK\x1b\\" + CELLS.decode() + "\x1b[?62;4c"
    for cut in range(len(answers) + 1):
        if answers[:cut].endswith(("\x1b", "\x1b[", "\x1b_")) and answers[cut : cut + 1] != "\\":
            continue  # they may be keys, and are not held back
        graphics = Graphics("auto")
        both = graphics.take("j" + answers[:cut]), graphics.take(answers[cut:] + "k\x1b[6")
        assert both == ("j", "k\x1b[6"), cut
        assert (graphics.protocol, graphics.cell) == ("kitty", (10, 20))


@pytest.mark.parametrize(
    ("wanted", "answers", "protocol"),
    [
        ("auto", "\x1b[?62;4c", "sixel"),
        ("auto", "\x1b[?4;1c", ""),
        ("auto", "\x1b_Gi=31;ENOENT\x1b\\\x1b[?62c", ""),
        ("blocks", "\x1b_Gi=31;OK\x1b\\\x1b[?62;4c", ""),
        ("sixel", "\x1b_Gi=31;OK\x1b\\\x1b[?62c", "sixel"),
    ],
)
def test_the_setting_goes_before_what_the_terminal_says(
    wanted: str, answers: str, protocol: str
) -> None:
    graphics = Graphics(wanted)
    assert graphics.take(answers) == ""
    assert graphics.protocol == protocol


def test_without_the_extra_there_is_no_sixel_and_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = BytesIO()
    Image.new("RGB", (20, 10)).save(data, "PNG")
    picture = decode(data.getvalue())
    assert why_no_sixel() == ""
    assert Graphics("sixel").drawing(picture, 1, 5, 5).startswith("\x1bP")
    monkeypatch.setitem(sys.modules, "textual_image", None)
    assert "copydesk[pictures]" in why_no_sixel()
    assert Graphics("sixel").drawing(picture, 1, 5, 5) == ""


@pytest.mark.parametrize("protocol", ["kitty", "sixel"])
def test_a_picture_that_was_written_in_part_is_ended_before_what_follows(protocol: str) -> None:
    graphics = Graphics(protocol)
    assert graphics.closing() == ""
    graphics.shown.add(7)
    assert graphics.closing() == "\x1b\\" + graphics.removing(7)
    assert graphics.closing() == "", "it is on the terminal no more"
