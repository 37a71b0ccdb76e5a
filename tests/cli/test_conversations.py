"""Conversations handed in from files, as a script does it: each once, whatever happens."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import pty
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.cli import conversations_batches, main
from copydesk.cli.connection import Connection
from copydesk.cli.conversations import Handing
from copydesk.cli.conversations_batches import Bounds, Report
from copydesk.cli.conversations_inputs import Input
from copydesk.cli.embedded import OWNER
from copydesk.cli.errors import guarded
from copydesk.client.api import Api
from copydesk.local.sent_conversations import Ingested, InUse
from tests.world import BASE_URL, World

Happening = Callable[[httpx.Request, list[str]], httpx.Response | None]
"""What happens to a request with the conversations of some ids; None: it goes through."""


def talk(key: str, body: str = "I cannot log in any more", **more: Any) -> dict[str, Any]:
    """Return what a file says of a conversation."""
    return {"id": key, "parts": [{"type": "message", "role": "user", "body": body}], **more}


class Killed(BaseException):
    """The process ends here: nothing that comes after is done."""


class Way(httpx.AsyncBaseTransport):
    """The way to a desk, on which something may happen; ``came`` are the ids that arrived."""

    def __init__(self, world: World) -> None:
        self._way = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.came: list[str] = []
        self.asked = 0
        self.cut: tuple[int, str, type[BaseException]] | None = None
        self.happens: Happening = lambda request, ids: None
        self.deaf = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "POST":
            if self.deaf:
                raise httpx.ReadTimeout("cut")
            return await self._way.handle_async_request(request)
        self.asked += 1
        body = json.loads(await request.aread())
        ids = [each["id"] for each in (body if isinstance(body, list) else [body])]
        if (answer := self.happens(request, ids)) is not None:
            return answer
        for _ in range(5):
            await asyncio.sleep(0)  # a signal is heard between two turns of the loop
        number, when, how = self.cut or (0, "", Killed)
        if (self.asked, "before") == (number, when):
            raise how("cut")
        answer = await self._way.handle_async_request(request)
        if answer.is_success:
            self.came += ids
        if (self.asked, "after") == (number, when):
            raise how("cut")
        return answer


class Desk:
    """A desk on a file, and a file of conversations for it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "desk.db"
        self.file = folder / "talks.jsonl"
        self.world = World(self.path)
        owner = self.world.ana
        self.world.write(lambda tx: tx.insert("meta", key=OWNER, value=owner))
        self.token = self.world.token(self.world.ana)
        self.way = Way(self.world)

    def run(self, *arguments: str) -> int:
        """Run ``copydesk conversations send`` on the desk."""
        return main(["conversations", "send", *arguments, "--desk", str(self.path)])

    def write(self, *talks: dict[str, Any]) -> str:
        """Write the file, one on every line, and return its name."""
        self.file.write_text("\n".join(json.dumps(each) for each in talks), encoding="utf-8")
        return str(self.file)

    def hand_in(self, way: Way, *, token: str = "", skip_bad: bool = False) -> int:
        """Hand in the file over a way to the desk, two conversations with every request."""
        here = Connection(
            f"desk:{self.path}",
            "desk",
            lambda: Api(BASE_URL, token or self.token, transport=way),
        )
        with ExitStack() as stack:
            report = Report()
            stack.callback(report.end)
            handing = Handing(
                here, [Input(str(self.file))], report, skip_bad=skip_bad, bounds=Bounds(2, 1000)
            )
            return guarded(lambda: asyncio.run(handing.run(None)))

    def there(self) -> dict[str, str]:
        """Return what the desk has: the first words by id."""
        rows = self.world.store.read(lambda tx: tx.all("SELECT id, parts FROM conversation"))
        return {row["id"]: json.loads(row["parts"])[0]["body"] for row in rows}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk that is nobody's own."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    found = Desk(tmp_path)
    yield found
    found.world.close()


def test_conversations_are_handed_in_once_each(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    red = "\x1b[31m\u202ered\nrow"
    file = desk.write(talk("a"), talk("b", subject="Log in"), talk("a"), talk(red))
    listed = tmp_path / "list.json"
    listed.write_bytes(b"\xef\xbb\xbf" + json.dumps([talk("c")], indent=2).encode())
    piped = io.TextIOWrapper(io.BytesIO(json.dumps(talk("d")).encode()))
    monkeypatch.setattr(sys, "stdin", piped)
    assert desk.run(file, str(listed), "-") == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        f"sent         a  ({file}, line 1)",
        f"sent         b  ({file}, line 2)",
        f"given twice  a  ({file}, line 3): as in {file}, line 1",
        f"sent         red row  ({file}, line 4)",
        f"sent         c  ({listed}, line 2)",
        "sent         d  (standard input, line 1)",
    ]
    assert said.err == "Acme: 5 conversations sent and 1 given twice.\n"
    assert desk.there().keys() == {"a", "b", "c", "d", red}
    # What is typed ends with ctrl+d, once; nobody reads the report.
    keyboard, terminal = pty.openpty()
    os.write(keyboard, json.dumps(talk("e")).encode() + b"\n\x04")
    with os.fdopen(terminal) as typed, monkeypatch.context() as here:
        here.setattr(sys, "stdin", typed)
        here.setattr(sys, "stdout", None)
        assert desk.run("-") == 1, "it is done, and told"
    os.close(keyboard)
    assert "up to ctrl+d" in capsys.readouterr().err
    assert "e" in desk.there()
    # A source is an identifier: what else it is called is said.
    named = {"attributes": {"source": "E-mails to \u001bjo@example.org"}}
    desk.write(talk("f", metadata=named), talk("g", metadata={"attributes": {"source": "Fax"}}))
    assert desk.run(file) == 0
    assert capsys.readouterr().err.splitlines()[:-1] == [
        "What comes from “E-mails to [e-mail]” is filed under the source "
        "e-mails-to-jo-example.org: a source is an identifier. The attribute stays as it is."
    ]
    # Again: nothing but what has another content now. What was sent is known to this user only.
    desk.write(talk("a"), talk("b", "Something else"))
    assert desk.run(file, "--json") == 0
    said = capsys.readouterr()
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert rows == [
        {"id": "a", "file": file, "line": 1, "number": 1, "state": "known"},
        {"id": "b", "file": file, "line": 2, "number": 2, "state": "replaced"},
    ]
    assert said.err == "Acme: 0 conversations sent, 1 sent again and 1 sent before.\n"
    assert desk.there()["b"] == "Something else"
    kept = list((tmp_path / "home/state/ingested").iterdir())
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600]
    assert b"Something else" not in kept[0].read_bytes()
    assert desk.run(file, "--again") == 0
    assert "2 sent again" in capsys.readouterr().err
    assert main(["log"]) == 0
    log = capsys.readouterr().out
    assert "Acme: 5 conversations sent" in log.splitlines()[0]
    assert "Acme: 1 conversation sent." in log.splitlines()[1]
    assert "I cannot" not in log
    # A record that is damaged is set aside; another process that is sending is let end first.
    for damaged in (b"no database" * 500, kept[0].read_bytes()[:4096] + b"\xff" * 8192):
        kept[0].write_bytes(damaged)
        assert desk.run(file) == 0
        assert "The record of what was sent before was damaged" in capsys.readouterr().err
    assert len(list(kept[0].parent.glob("*.broken*"))) == 2
    # An older copy of the desk is put back: what is not on it is sent once more, the rest is not.
    desk.world.write(lambda tx: tx.run("DELETE FROM issue WHERE conversation_id = 'b'"))
    desk.world.write(lambda tx: tx.run("DELETE FROM conversation WHERE id = 'b'"))
    assert desk.run(file) == 0
    said = capsys.readouterr()
    assert "What was sent last is there no more" in said.err
    assert said.err.endswith("Acme: 1 conversation sent and 1 sent before.\n")
    assert desk.run(file) == 0
    assert capsys.readouterr().err == "Acme: 0 conversations sent and 2 sent before.\n"
    with Ingested(tmp_path / "home/state/ingested", f"desk:{desk.path}", desk.world.home):
        assert desk.run(file) == 4
        with pytest.raises(InUse):
            Ingested(tmp_path / "home/state/ingested", f"desk:{desk.path}", desk.world.home)
    assert "another copydesk is sending conversations to Acme" in capsys.readouterr().err


def test_nothing_is_sent_while_something_is_wrong(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "the secret words of a customer"
    file = desk.write(
        talk("a", secret), talk("b", role="x"), talk("c"), talk("a", "other"), talk("a", secret)
    )
    with desk.file.open("a") as opened:
        opened.write("\n{oops\n")
    assert desk.run(file) == 2
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        f"{file}, line 2, conversation 2 (b): role: there is no such field",
        f"{file}, line 4, conversation 4 (a): id: {file}, line 1 has the same id with other "
        "content; neither is sent",
        f"{file}, line 6, conversation 6: column 2: not JSON: a name in double quotes is "
        "missing (or a comma before it is one too many)",
        "copydesk: 3 complaints about what is in the files. Nothing was sent; --skip-bad leaves "
        "out what cannot be sent.",
    ]
    assert not desk.there()
    assert desk.run(file, "--skip-bad") == 1
    said = capsys.readouterr()
    assert f"cannot be sent  a  ({file}, line 1): another conversation has the same id" in said.out
    assert said.err.endswith("Acme: 1 conversation sent and 5 cannot be sent.\n")
    assert desk.there().keys() == {"c"}
    assert secret not in said.out + said.err
    desk.world.organization("Umbrella", desk.world.ana)
    for arguments, sentence in (
        ([file, "--skip-bad"], "name one of your organizations with --organization: Acme ("),
        ([file, "--organization", "x"], "none of your organizations has the name x: Acme ("),
        ([str(tmp_path), str(tmp_path / "no")], "no cannot be read: No such file or directory"),
        ([str(tmp_path)], "cannot be read: it is a folder; name the files in it"),
        (["/dev/zero"], "cannot be read: it is a device, which may never end"),
        (
            ["/dev/null", "--organization", "acme"],
            "there is no conversation to send in these files",
        ),
        ([file, "--organization", "x"], "line 2, conversation 2 (b): role: there is no such field"),
    ):
        assert desk.run(*arguments) == (1 if "x" in arguments else 2)
        assert sentence in capsys.readouterr().err
    assert main(["conversations", "send", file, "--desk", str(tmp_path / "no.db")]) == 2
    assert "no.db: look at what --desk says. Nothing was sent." in capsys.readouterr().err


def test_one_bad_element_hides_no_other(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    good = [json.dumps(talk(key)) for key in ("a1", "a2", "a3")]
    desk.file.write_text(f'[{good[0]}, {good[1]}, "oops", {good[2]}]', encoding="utf-8")
    assert desk.run(str(desk.file), "--skip-bad") == 1
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        f"{desk.file}, line 1, conversation 3: this has to be an object",
        "Acme: 3 conversations sent and 1 cannot be sent.",
    ]
    assert desk.there().keys() == {"a1", "a2", "a3"}
    # Nothing is left out for a comma that is missing.
    desk.file.write_text(f"[{good[0]} {good[1]}]", encoding="utf-8")
    assert desk.run(str(desk.file)) == 2
    assert "a comma is missing before this conversation" in capsys.readouterr().err
    assert desk.run(str(desk.file), "--skip-bad", "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["state"] for row in rows] == ["bad", "known", "known"]
    assert rows[0]["number"] == 0


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("how", [httpx.ReadError, Killed])
def test_nothing_is_sent_twice_wherever_it_is_cut_off(
    desk: Desk, capsys: pytest.CaptureFixture[str], when: str, how: type[BaseException]
) -> None:
    batches, each = 3, 2
    for number in range(1, batches + 1):
        # Others before, so that what was sent by an earlier round is not in the way.
        keys = [f"{number}-{place}" for place in range(batches * each)]
        desk.write(*(talk(key) for key in keys))
        way = Way(desk.world)
        way.cut, way.deaf = (number, when, how), False
        way.happens = lambda request, ids, way=way: setattr(  # type: ignore[misc]
            way, "deaf", way.cut is not None and way.asked == way.cut[0]
        )
        if how is Killed:
            with pytest.raises(Killed):
                desk.hand_in(way)
            gc.collect()  # of a process that is gone nothing is held
            assert main(["log"]) == 0
            last = capsys.readouterr().out.splitlines()[-1]
            assert "  unknown " in last
            assert last.endswith("Acme: 6 conversations to send")
        else:
            assert desk.hand_in(way) == 5
            said = capsys.readouterr()
            assert said.out.count("not known") == each
            assert (
                "Stopped: The connection to desk broke: cut. And what arrived cannot be read"
                in said.err
            )
        arrived = number - 1 + (when == "after")
        assert way.came == keys[: arrived * each]
        way.cut, way.deaf = None, False
        assert desk.hand_in(way) == 0
        said = capsys.readouterr()
        assert way.came == keys
        assert said.out.count("it had arrived") == (each if when == "after" else 0)
        assert said.out.count("sent again") == 0
        assert way.asked == batches + (when == "before")
        assert desk.hand_in(way) == 0
        assert way.came == keys
        assert main(["log"]) == 0
        log = capsys.readouterr().out
        assert log.count("a later run has read") == (number if how is Killed else 0)
    assert len(desk.there()) == batches**2 * each


def test_what_arrived_is_found_out_by_reading_and_the_rest_goes_on(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = [f"k{place}" for place in range(7)]
    desk.write(*(talk(key) for key in keys))
    for number, when in ((1, "before"), (2, "after"), (4, "after")):
        desk.way.cut, desk.way.asked = (number, when, httpx.ReadError), 0
        desk.write(*(talk(f"{key}-{number}") for key in keys))
        assert desk.hand_in(desk.way) == 0
        assert sorted(desk.way.came) == sorted(f"{key}-{number}" for key in keys)
        desk.way.came.clear()
        assert capsys.readouterr().err == "Acme: 7 conversations sent.\n"


def test_what_is_refused_is_told_by_itself_and_the_others_are_sent(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {
        "wrong": (400, "body[1].parts: not good: I cannot log in any more, said the customer"),
        "large": (413, ""),
        "poison": (500, "it broke"),
    }
    pauses = iter([429, 429])

    def happens(request: httpx.Request, ids: list[str]) -> httpx.Response | None:
        if next(pauses, None):
            return httpx.Response(429, headers={"Retry-After": "0"})
        for key, (status, message) in answers.items():
            if key in ids:
                error = {"error": {"code": status, "message": message}}
                return httpx.Response(status, json=error if message else None)
        return None

    desk.way.happens = happens
    good = [f"g{place}" for place in range(5)]
    rows = [good[0], "wrong", "large", good[1], good[2], "poison", good[3], good[4], "n/o", "mute"]
    said_by = {"mute": " ", "g4": "a\0b"}
    desk.write(*(talk(key, said_by.get(key, "I cannot log in any more")) for key in rows))
    assert desk.hand_in(desk.way) == 2
    assert [line.split("): ", 1)[1][:30] for line in capsys.readouterr().err.splitlines()[:3]] == [
        "parts[0].body: this holds a NU",
        "id: this cannot be part of an ",
        "parts: no text: give one part ",
    ]
    assert not desk.way.asked
    desk.write(*(talk(key) for key in rows[:-2]))
    assert desk.hand_in(desk.way) == 1
    said = capsys.readouterr()
    assert sorted(desk.way.came) == good
    told = {line.split()[1]: line for line in said.out.splitlines()}
    assert told["wrong"].endswith("line 2): body[1].parts: not good: …")
    assert told["large"].endswith(f"The service answered 413 {HTTPStatus(413).phrase}.")
    assert told["poison"].startswith("failed")
    assert said.err == "Acme: 5 conversations sent, 2 refused and 1 failed.\n"
    # Where nothing helps it stops, and says so with its exit status.
    for status, headers, exit_status in (
        (403, {}, 3),
        (404, {}, 6),
        (409, {}, 4),
        (429, {"Retry-After": "4000"}, 1),
        (500, {}, 1),
    ):
        desk.way.happens = lambda request, ids, s=status, h=headers: httpx.Response(s, headers=h)  # type: ignore[misc]
        desk.write(*(talk(f"{status}-{place}") for place in range(40)))
        desk.way.asked = 0
        assert desk.hand_in(desk.way) == exit_status
        assert desk.way.asked <= 12
        said = capsys.readouterr()
        assert "Stopped: " in said.err
        assert "not sent.\n" in said.err
        left = [line for line in said.out.splitlines() if line.startswith("not sent")]
        assert left[-1].startswith(f"not sent     {status}-39  ({desk.file}, line 40): ")
        assert len(said.out.splitlines()) == 40
    # Many that are refused do not keep back for good what comes after them.
    monkeypatch.setattr(conversations_batches, "MOST_REFUSED", 10)
    no = [f"no-{place}" for place in range(13)]
    desk.way.came.clear()
    desk.way.happens = lambda request, ids: httpx.Response(400) if {*ids} & {*no} else None
    desk.write(*(talk(key) for key in [*no, "yes-1", "yes-2"]))
    assert desk.hand_in(desk.way) == 1
    said = capsys.readouterr()
    assert "Stopped: 10 conversations in a row were refused; next time they come" in said.err
    assert said.err.endswith("0 conversations sent, 10 refused and 5 not sent.\n")
    assert not desk.way.came
    assert desk.hand_in(desk.way) == 1
    assert desk.way.came == ["yes-1", "yes-2"]
    said = capsys.readouterr()
    assert said.err.endswith("2 conversations sent and 13 refused.\n")
    assert desk.hand_in(desk.way, token="desk_wrong") == 3
    assert "desk_wrong" not in capsys.readouterr().err


def test_a_file_that_changes_meanwhile_and_ctrl_c_stop_it(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = [f"k{place}" for place in range(6)]

    def changed(request: httpx.Request, ids: list[str]) -> None:
        desk.write(*(talk(key, "y" * 500_000) for key in keys))

    signals = iter((signal.SIGINT, signal.SIGTERM))

    def stopped(request: httpx.Request, ids: list[str]) -> None:
        signal.raise_signal(next(signals))

    # The file is read in pieces, and this one is larger than one.
    desk.write(*(talk(key, "x" * 500_000) for key in keys))
    desk.way.happens = changed
    assert desk.hand_in(desk.way) == 1
    assert "was changed while it was read. The same command again" in capsys.readouterr().err
    desk.way.happens = stopped
    desk.write(*(talk(f"s{key}") for key in keys))
    desk.way.came.clear()
    assert desk.hand_in(desk.way) == 130
    assert desk.way.came == ["sk0", "sk1"]
    said = capsys.readouterr().err
    assert "Stopping after the call under way" in said
    assert "Stopped: as you asked." in said
    assert said.endswith("Acme: 2 conversations sent and 4 not sent.\n")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert desk.hand_in(desk.way) == 130
    told = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert told == [
        *(["sent", "before", f"s{key}"] for key in keys[:2]),
        *(["sent", f"s{key}", f"({desk.file},"] for key in keys[2:4]),
        *(["not", "sent", f"s{key}"] for key in keys[4:]),
    ]
    desk.way.happens = lambda request, ids: None
    assert desk.hand_in(desk.way) == 0
    assert desk.way.came == [f"s{key}" for key in keys]


def test_what_was_under_way_is_kept_apart_from_what_arrived(tmp_path: Path) -> None:
    with Ingested(tmp_path, "desk", "org") as book:
        book.sending([("a", b"1", 7, b"w"), ("b", b"1", None, b"")])
        book.arrived(["a"])
        book.sending([("a", b"2", 8, b"x")])
    with Ingested(tmp_path, "desk", "org") as book, Ingested(tmp_path, "desk", "other") as other:
        assert (book.find("a").arrived, book.find("a").pending) == (b"1", b"2")
        assert (book.find("b").arrived, book.find("b").pending) == (None, b"1")
        assert (book.find("a").began, book.find("a").words) == (8, b"x")
        assert book.find("b").began is None
        assert other.find("a").arrived is None
        book.refused(["a", "b"])
        assert (book.find("a").arrived, book.find("a").pending) == (b"1", None)
        book._database.execute("DROP TABLE conversation")
        with pytest.raises(OSError, match="cannot be saved on this machine"):
            book.sending([("a", b"3", 7, b"")])


@pytest.mark.parametrize("as_json", [False, True])
def test_what_became_of_each_is_told_in_the_order_of_the_file(
    desk: Desk, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.run(desk.write(talk("b"), talk("d"))) == 0
    capsys.readouterr()
    file = desk.write(*map(talk, "abcbde"))
    assert desk.run(file, *(["--json"] if as_json else [])) == 0
    lines = capsys.readouterr().out.splitlines()
    if as_json:
        assert [json.loads(line)["number"] for line in lines] == [1, 2, 3, 4, 5, 6]
    else:
        assert [line.rpartition(", line ")[2] if "as in" not in line else "" for line in lines] == [
            "1)", "2)", "3)", "", "5)", "6)",
        ]  # fmt: skip


def test_lines_wait_for_a_batch_that_is_not_full_only_so_long(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = [talk(f"k{number}") for number in range(6)]
    desk.write(*known)
    assert desk.hand_in(desk.way) == 0
    capsys.readouterr()
    monkeypatch.setattr(conversations_batches, "MOST_HELD", 3)
    desk.write(talk("one"), *known, talk("two"))
    before = desk.way.asked
    assert desk.hand_in(desk.way) == 0
    assert desk.way.asked - before == 2  # one request would hold both
    lines = capsys.readouterr().out.splitlines()
    assert [line.rpartition(", line ")[2] for line in lines] == [f"{n})" for n in range(1, 9)]
