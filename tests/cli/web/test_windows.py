"""The screens in a browser: the real command, and whoever speaks to it as the page does."""

from __future__ import annotations

import html
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shlex import quote
from threading import Thread

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.cli.web.served import Browser, Desk, Server, served, waited

ENDED = 1000
"""The code by which a page tells a window that ended from a connection that was lost."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path)
    yield found
    found.world.close()


@pytest.fixture
def server(tmp_path: Path, desk: Desk) -> Iterator[Server]:
    with served(tmp_path, "--desk", str(desk.path)) as found:
        yield found


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    with Browser(server) as found:
        assert found.enter().status_code == 303
        yield found


def test_a_change_request_is_opened_reviewed_commented_and_merged(
    browser: Browser, desk: Desk, tmp_path: Path
) -> None:
    with browser.window(browser.opened(desk.app_url)) as window:
        window.until("Nine times")
        window.press("2")
        window.until("We try")
        window.until("nine")  # of the same frame, which may come in parts
        window.press("ctrl+z")
        window.until("A browser has no shell")
        window.press("J", "c")
        window.until("preview")
        window.press("*Since* when?", "\x0f")  # ctrl+o
        window.until("In a browser there is no editor")
        window.press("\x1bt")  # alt+t
        window.until("*Since*", gone=True)
        window.press("\x1bt")
        window.until("*Since*")
        window.press("ctrl+s")
        window.wait(lambda: "*Since* when?" in "".join(desk.comments), "comment")
        window.press("m")
        window.until("y merge")
        window.answer("y", lambda: desk.status == "merged", "merge")
    assert not (tmp_path / "owned").exists()
    assert not Path("owned").exists()


@pytest.mark.long
def test_own_commands_do_not_run_in_a_browser_and_say_so(tmp_path: Path, desk: Desk) -> None:
    ran = tmp_path / "ran"
    settings = tmp_path / "home" / "config" / "config.toml"
    settings.parent.mkdir(parents=True)
    touch = f"run = ['touch', '{ran}']\nwrites = false\n"
    settings.write_text(f"[commands.mark]\n{touch}")
    with served(tmp_path, "--desk", str(desk.path)) as server, Browser(server) as browser:
        assert browser.enter().status_code == 303
        with browser.window() as window:
            window.until("Guide")
            window.press(":", "mark", "\r")
            window.until("Your own commands do not run in a browser.")
    assert not ran.exists()


@pytest.mark.long
def test_a_lost_socket_keeps_what_was_typed_and_the_page_opens_there_again(
    server: Server, browser: Browser, desk: Desk
) -> None:
    at = browser.opened()
    with browser.window(at) as window:
        window.until("Guide")
        window.press("g", "c")
        window.until("Nine times")
        window.press("enter")
        window.until("Nine times")
        window.press("2")
        window.until("We try")
        window.press("c")
        window.until("preview")
        window.press("Half a thought")
        window.until("Half a thought")
        window.lose()
        server.until_windows(0)
    with browser.window(at) as again:
        again.until("We try")
        again.press("c")
        again.until("Half a thought")
        # Loaded again while the old page is still there: that one is over.
        with browser.window(at) as third:
            third.until("We try")
            assert again.closed() == ENDED
            server.until_windows(1)
            server.process.send_signal(signal.SIGINT)
            assert third.closed() != ENDED
    assert desk.comments == []


@pytest.mark.long
def test_windows_have_undo_and_drafts_of_their_own_and_end_with_the_server(
    server: Server, browser: Browser, desk: Desk
) -> None:
    with browser.window() as one, browser.window() as other:
        for each in (one, other):
            each.until("Guide")
        server.until_windows(2)
        one.press("g", "c")
        one.until("Nine times")
        assert "Nine times" not in other.shown
        one.press("x")  # archives it
        one.wait(lambda: desk.status == "archived", "archived request")
        other.press("u")
        other.until("othing")
        assert desk.status == "archived"
        one.press("u")
        one.wait(lambda: desk.status != "archived", "open request")
        windows = server.windows()
        server.process.send_signal(signal.SIGKILL)
        for process in windows:
            waited(lambda: not _runs(process), "end of a window whose server was killed")  # noqa: B023


def _runs(process: int) -> bool:
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.long
def test_at_most_four_windows_are_open(server: Server, browser: Browser) -> None:
    with ExitStack() as opened:
        windows = [opened.enter_context(browser.window()) for _ in range(4)]
        server.until_windows(4)
        refused = browser.http.get("/", follow_redirects=True)
        assert refused.status_code == 503
        assert "4 windows are open" in refused.text
        with pytest.raises(InvalidStatus, match="403"):
            browser.socket(refused.url.path)
        windows[0].socket.close()
        server.until_windows(3)
        with browser.window(refused.url.path) as window:
            window.until("Guide")


@pytest.mark.long
def test_the_address_of_something_opens_it_or_says_what_it_is(
    server: Server, browser: Browser, desk: Desk
) -> None:
    address = f"{server.address}{desk.app_url}"
    stranger = httpx.get(address)
    assert stranger.status_code == 200
    assert "A change request" in stranger.text
    assert f"copydesk {quote(address)}" in html.unescape(stranger.text)
    assert "Nine times" not in stranger.text
    assert httpx.get(f"{server.address}/app/o/none/s/none").status_code == 404
    with browser.window(browser.opened(desk.app_url)) as window:
        window.until("Nine times")
        window.press("o")
        window.wait(lambda: any(told[0] == "open_url" for told in window.told), "open_url")
    (told,) = (told[1] for told in window.told if told[0] == "open_url")
    assert told["url"].startswith(f"{server.address}/app/o/{desk.world.home}/s/{desk.space}")


@pytest.mark.long
def test_a_window_takes_any_message_and_any_size(browser: Browser) -> None:
    with browser.window() as window:
        window.until("Guide")
        for message in ("", "[", "{}", "[1]", '["stdin", 7]', '["resize", {"width": "x"}]'):
            window.socket.send(message)
        window.socket.send(b"\x00\xff")
        window.socket.send("[" * 100_000)
        window.socket.send('["resize", {"width": 1' + "0" * 5000 + ', "height": 1}]')
        window.send("resize", {"width": -3, "height": 10**9})
        window.send("stdin", "\ud800")
        window.send("focus")
        window.send("resize", {"width": 80, "height": 24})
        window.send("ping", "17")
        window.wait(lambda: ["pong", "17"] in window.told, "pong")
        window.press("?")
        window.until("filter")
    with browser.window() as window:
        with suppress(ConnectionClosed):
            window.socket.send("x" * 5_000_000)
        window.closed()


@pytest.mark.long
def test_a_process_gets_few_variables_and_the_token_by_its_wire(tmp_path: Path) -> None:
    asked: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["authorization"])
            self.send_error(401)

        def log_message(self, *_: object) -> None: ...

    service = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=service.serve_forever, daemon=True).start()
    given = {
        "COPYDESK_BASE_URL": f"http://127.0.0.1:{service.server_port}",
        "COPYDESK_TOKEN": "secret-of-a-test",
        "SECRET": "of somebody else",
    }
    with served(tmp_path, environment=given) as server, Browser(server) as browser:
        browser.enter()
        with browser.window() as window:
            window.wait(lambda: "Bearer secret-of-a-test" in asked, "request with the token")
            (process,) = server.windows()
            seen = Path(f"/proc/{process}/environ").read_bytes()
            line = Path(f"/proc/{process}/cmdline").read_bytes()
        names = {each.partition(b"=")[0].decode() for each in seen.split(b"\0") if each}
        assert names >= {"COPYDESK_HOME", "COPYDESK_BASE_URL", "TERM", "PATH"}
        assert not names & {"SECRET", "EDITOR", "VISUAL", "COPYDESK_TOKEN", "DISPLAY"}
        assert b"secret" not in seen + line
    service.shutdown()
    service.server_close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "--web is for this one alone"),
        (["--port", "70000"], "a port is a number from 0 to 65535"),
        (["--git", "."], "this command does not take --git"),
        (["--fetch"], "this command does not take --fetch"),
        (["--theme", "none"], "there is no such theme"),
        (["--profile", "none"], "there is no profile none"),
        (["--desk", "none/desk.db"], "its folder is missing"),
    ],
)
def test_what_cannot_be_served_is_refused(arguments: list[str], said: str, tmp_path: Path) -> None:
    ended = _run(tmp_path, "serve", "--web", "--port", "0", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.long
def test_a_wire_that_is_none_is_refused(tmp_path: Path) -> None:
    for named in ("", "x", "-1", "999", "9" * 40, "2"):
        ended = _run(tmp_path, "--read-only", COPYDESK_BROWSER=named)
        assert ended.returncode == 2
        assert "COPYDESK_BROWSER is for copydesk serve --web alone" in ended.stderr
        assert "Traceback" not in ended.stderr


def _run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "copydesk", *arguments],
        env={**os.environ, "COPYDESK_HOME": str(folder / "home"), **environment},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
