"""The screens in a real Chromium (`make browser`): what only a browser shows of them.

    python -m tests.cli.web.chromium [FOLDER]

It takes the Chromium of this machine, and writes pictures of what it saw into the folder. It is no
part of the suite: a machine without a Chromium could only skip it.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Request,
    WebSocket,
    sync_playwright,
)

from tests.cli.web.served import Desk, Server, served, waited
from tests.terminal.program import Display

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

LARGEST = (200, 60)
"""More than a page shows."""

ELSEWHERE = "http://127.0.0.1:1/"
"""A page of another origin."""

BACK = """dispatchEvent(
  new KeyboardEvent("keydown", {key: "ArrowLeft", altKey: true, cancelable: true})
)"""
"""Presses what leads back in a browser; false where the page took it."""

SOCKETS = """(address) => new Promise((done) => {
  const socket = new WebSocket(address);
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
})"""


def main(arguments: list[str]) -> int:
    """Drive it; 1 where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        sys.stderr.write(f"There is no Chromium here (looked for {', '.join(NAMES)}).\n")
        return 1
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        pictures = Path(*arguments[:1]) if arguments else folder
        desk = Desk(folder)
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            with served(folder, "--desk", str(desk.path)) as server:
                context = chromium.new_context(
                    viewport={"width": 1280, "height": 800}, color_scheme="light"
                )
                context.route(ELSEWHERE, lambda route: route.fulfill(body="<p>Elsewhere</p>"))
                _link_twice(server, context, chromium.new_context())
                _origin(server, context)
                _habits(server, context)
                _merge(server, context, desk, pictures)
                _way_back(server, context, pictures)
        finally:
            chromium.close()
            desk.world.close()
    sys.stdout.write("link, origin, habits, merge, way back: 5 passed, 0 failed\n")
    return 0


class Shown:
    """A page that is open, what its terminal shows, and what was ``sent`` of it."""

    def __init__(self, context: BrowserContext, server: Server, path: str) -> None:
        self.page = page = context.new_page()
        self.displays = [Display(LARGEST)]
        self.sent: list[str] = []
        self._wrong: list[str] = []
        self._own = server.address
        page.on("websocket", self._follow)
        page.on("console", self._told)
        page.on("pageerror", lambda error: self._wrong.append(str(error)))
        page.on("request", self._asked)
        page.goto(f"{server.address}{path}")

    @property
    def shown(self) -> str:
        return self.displays[-1].shown

    def until(self, text: str, *, gone: bool = False) -> None:
        """Wait until its terminal shows ``text``, or no more."""
        self.wait(lambda: (text in self.shown) != gone, repr(text))

    def wait(self, there: Callable[[], bool], what: str) -> None:
        def seen() -> bool:
            self.page.wait_for_timeout(50)
            return there()

        waited(seen, what)

    def press(self, key: str, text: str, *, gone: bool = False) -> None:
        """Press a key, and wait until it has shown something."""
        self.page.keyboard.press(key)
        self.until(text, gone=gone)

    def place_of(self, text: str) -> tuple[float, float]:
        """Return where on the page a text stands, in pixels."""
        lines = self.shown.splitlines()
        row = next(at for at, line in enumerate(lines) if text in line)
        resized = [json.loads(each)[1] for each in self.sent if each.startswith('["resize"')][-1]
        width, height = self.page.evaluate(
            "(({clientWidth, clientHeight}) => [clientWidth, clientHeight])"
            "(document.querySelector('.xterm-screen'))"
        )
        x, y = width / resized["width"], height / resized["height"]
        return (lines[row].index(text) + 2) * x, (row + 0.5) * y

    def close(self) -> None:
        """Close it; all that it loaded and did was in order."""
        self.page.close()
        assert not self._wrong, self._wrong

    def _follow(self, socket: WebSocket) -> None:
        display = Display(LARGEST)
        self.displays.append(display)
        socket.on("framesent", lambda data: self.sent.append(str(data)))
        socket.on(
            "framereceived", lambda data: display.show(data) if isinstance(data, bytes) else None
        )

    def _told(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._wrong.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self._own}/", "data:")):
            self._wrong.append(f"It loads {request.url}")


def _link_twice(server: Server, context: BrowserContext, other: BrowserContext) -> None:
    """A link opens a window; in another browser it is used up."""
    page = context.new_page()
    page.goto(server.link)
    assert "/w/" in page.url, page.url
    page.close()
    page = other.new_page()
    answer = page.goto(server.link)
    assert answer is not None
    assert answer.status == 403
    assert "It was used" in page.inner_text("body")
    server.until_windows(0)


def _origin(server: Server, context: BrowserContext) -> None:
    """A page of another origin in the same browser gets no socket, nor a hold of the window."""
    page = context.new_page()
    page.goto(server.address)
    at = page.url.replace("http", "ws", 1) + "/screens"
    strange = context.new_page()
    strange.goto(ELSEWHERE)
    assert strange.evaluate(SOCKETS, at) == "refused"
    assert page.evaluate(SOCKETS, at) == "open"
    with context.expect_page() as opened:
        page.evaluate("(address) => void open(address, '_blank')", ELSEWHERE)
    opened.value.wait_for_url(ELSEWHERE)
    assert opened.value.evaluate("window.opener") is None
    opened.value.close()
    for each in (page, strange):
        each.close()
    server.until_windows(0)


def _merge(server: Server, context: BrowserContext, desk: Desk, pictures: Path) -> None:
    """A change request is opened, commented and merged; loaded again, the page is there again."""
    shown = Shown(context, server, desk.app_url)
    shown.until("Nine times")
    shown.press("2", "We try")
    shown.press("c", "preview")
    shown.page.keyboard.type("*Since* when?")
    shown.until("*Since* when?")
    shown.press("Alt+t", "*Since*", gone=True)
    shown.press("Alt+t", "*Since*")
    shown.page.keyboard.press("Control+s")
    shown.wait(lambda: "*Since* when?" in "".join(desk.comments), "comment")
    shown.page.screenshot(path=pictures / "review.png")
    shown.press("m", "y merge")

    def merged() -> bool:
        # Again where it came before the question could be read.
        shown.page.keyboard.press("y")
        shown.page.wait_for_timeout(500)
        return desk.status == "merged"

    shown.wait(merged, "merge")
    at = shown.page.url
    shown.page.reload()
    assert shown.page.url == at
    shown.wait(lambda: len(shown.displays) == 3, "socket of the page that was loaded again")
    shown.until("Nine times")
    shown.page.screenshot(path=pictures / "again.png")
    shown.close()
    server.until_windows(0)


def _habits(server: Server, context: BrowserContext) -> None:
    """Keys copy, paste and are what they are called; ctrl and a click open an address."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown = Shown(context, server, "/")
    shown.until("live now")
    page = shown.page
    page.keyboard.down("Shift")
    page.mouse.move(1, 10)
    page.mouse.down()
    page.mouse.move(400, 10, steps=5)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.keyboard.press("Control+c")
    shown.wait(lambda: "own desk" in page.evaluate("navigator.clipboard.readText()"), "copy")
    assert "Press ctrl+c again" not in shown.shown
    assert any("]11;rgb:f0f0" in each for each in shown.sent)
    shown.until("http://")
    address = shown.place_of("http://")
    page.mouse.click(*address)
    page.wait_for_timeout(500)
    assert context.pages == [page]
    with context.expect_page() as opened:
        page.keyboard.down("Control")
        page.mouse.click(*address)
        page.keyboard.up("Control")
    opened.value.close()
    page.evaluate("navigator.clipboard.writeText('of the clipboard')")
    shown.press("/", "filter")
    shown.press("Control+v", "of the clipboard")
    page.keyboard.press("Alt+ArrowDown")
    shown.wait(lambda: any("[1;3B" in each for each in shown.sent), "alt+down")
    shown.close()
    server.until_windows(0)


def _open_again(shown: Shown, lead_back: Callable[[], None]) -> None:
    """Lead back from a window that ended: its page opens another socket."""
    windows = len(shown.displays)
    lead_back()
    shown.wait(lambda: len(shown.displays) > windows, "another socket")


def _way_back(server: Server, context: BrowserContext, pictures: Path) -> None:
    """A page says that its window ended or nobody answers; mouse and keys lead back."""
    shown = Shown(context, server, "/")
    page = shown.page
    again = page.get_by_role("link", name="Open it again")

    def by_keys() -> None:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")

    for lead_back in (again.click, by_keys):
        shown.until("live now")
        shown.press("Control+c", "Press ctrl+c again")
        page.keyboard.press("Control+c")
        page.get_by_text("This window has ended").wait_for()
        assert page.evaluate(BACK), "the browser has its keys again"
        _open_again(shown, lead_back)
    shown.until("live now")
    silent = page.get_by_text("copydesk does not answer")
    server.process.send_signal(signal.SIGSTOP)
    silent.wait_for()
    server.process.send_signal(signal.SIGCONT)
    silent.wait_for(state="hidden")
    server.process.send_signal(signal.SIGINT)
    page.get_by_text("The connection to copydesk was lost").wait_for()
    page.screenshot(path=pictures / "lost.png")
    shown.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
