"""The screens in a real Chromium (`make browser`): link, origin, merge, reload.

    python -m tests.cli.web.chromium [FOLDER]

It takes the Chromium of this machine, and writes pictures of what it saw into the folder. It is no
part of the suite: a machine without a Chromium could only skip it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, WebSocket, sync_playwright

from tests.cli.web.served import Desk, Server, served, waited
from tests.terminal.program import Display

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

LARGEST = (200, 60)
"""More than a page shows."""

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
                context = chromium.new_context(viewport={"width": 1280, "height": 800})
                _link_twice(server, context, chromium.new_context())
                _origin(server, context)
                _merge(server, context, desk, pictures)
        finally:
            chromium.close()
            desk.world.close()
    sys.stdout.write("link, origin, merge, reload: 4 passed, 0 failed\n")
    return 0


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
    """A page of another origin in the same browser gets no socket, with the cookie and all."""
    page = context.new_page()
    page.goto(server.address)
    at = page.url.replace("http", "ws", 1) + "/screens"
    strange = context.new_page()
    strange.route("http://127.0.0.1:1/", lambda route: route.fulfill(body="<p>Elsewhere</p>"))
    strange.goto("http://127.0.0.1:1/")
    assert strange.evaluate(SOCKETS, at) == "refused"
    assert page.evaluate(SOCKETS, at) == "open"
    for each in (page, strange):
        each.close()
    server.until_windows(0)


def _merge(server: Server, context: BrowserContext, desk: Desk, pictures: Path) -> None:
    """A change request is opened, commented and merged; loaded again, the page is there again."""
    page = context.new_page()
    told: list[str] = []
    seen = [Display(LARGEST)]
    page.on("websocket", lambda socket: seen.append(_following(socket)))
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.goto(f"{server.address}{desk.app_url}")
    server.until_windows(1)
    _until(page, lambda: "Nine times" in seen[-1].shown, "review")
    _press(page, "2", "c")
    page.keyboard.type("Since when?")
    _press(page, "Alt+t", "Alt+t", "Control+s")
    _until(page, lambda: "Since when?" in "".join(desk.comments), "comment")
    page.screenshot(path=pictures / "review.png")
    _press(page, "m")

    def merged() -> bool:
        _press(page, "y")
        return desk.status == "merged"

    _until(page, merged, "merge")
    at = page.url
    page.reload()
    assert page.url == at
    _until(page, lambda: len(seen) == 3 and "Nine times" in seen[-1].shown, "review again")
    page.screenshot(path=pictures / "again.png")
    page.close()
    server.until_windows(0)
    assert not [each for each in told if each.startswith("error")], told


def _following(socket: WebSocket) -> Display:
    """Return what a socket draws."""
    display = Display(LARGEST)
    socket.on("framereceived", lambda data: display.show(data) if isinstance(data, bytes) else None)
    return display


def _press(page: Page, *keys: str) -> None:
    """Press keys as slowly as a person who looks at what each does."""
    for key in keys:
        page.wait_for_timeout(2000)
        page.keyboard.press(key)


def _until(page: Page, there: Callable[[], bool], what: str) -> None:
    def seen() -> bool:
        page.wait_for_timeout(200)

        return there()

    waited(seen, what)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
