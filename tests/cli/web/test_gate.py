"""Who may come in: the link, the cookie, the host and the origin, on every route."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from copydesk.cli.web.gate import LINK_SECONDS, Gate
from tests.cli.web.served import Browser, Desk, Server, served


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    found = Desk(tmp_path_factory.mktemp("desk"))
    yield found
    found.world.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, desk: Desk) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("home"), "--desk", str(desk.path)) as found:
        yield found


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    server.link = server.press_enter()
    with Browser(server) as found:
        yield found


def test_a_link_works_once_and_enter_prints_another(server: Server, browser: Browser) -> None:
    first = server.link
    with Browser(server) as looking:
        assert looking.http.head(first).status_code == 403
        ahead = looking.http.get(first, headers={"sec-purpose": "prefetch"})
        assert (ahead.status_code, len(looking.http.cookies)) == (403, 0)
    answer = browser.enter()
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "max-age" not in cookie
    secrets = first.rpartition("/")[2], browser.http.cookies[next(iter(browser.http.cookies))]
    assert [len(each) for each in secrets] == [43, 43]  # 256 bits
    with Browser(server) as other:
        again = other.enter()
        assert (again.status_code, len(other.http.cookies)) == (403, 0)
        assert "Press Enter in the terminal" in again.text
        unused = server.press_enter()
        server.link = server.press_enter()
        assert len({first, unused, server.link}) == 3
        assert other.http.get(unused).status_code == 403
        assert other.enter().status_code == 303
    assert browser.opened()  # it is still known


def test_a_link_is_too_old_after_ten_minutes() -> None:
    now = 0.0
    gate = Gate("127.0.0.1:8485", lambda: now)
    secret = gate.link().rpartition("/")[2]
    now = LINK_SECONDS + 1
    assert gate.enter(secret) is None
    secret = gate.link().rpartition("/")[2]
    now += LINK_SECONDS - 1
    assert gate.enter(secret[:-1]) is None
    assert gate.enter("") is None
    assert gate.enter(secret) is not None
    assert gate.enter(secret) is None


PATHS = ("/", "/w/none", "/static/js/textual.js", "/none")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_shown_without_the_cookie(server: Server, path: str) -> None:
    forged = {"cookie": f"copydesk_{server.address.rpartition(':')[2]}=forged"}
    for headers in ({}, forged, {"cookie": "=;;=, a"}):
        answer = httpx.get(f"{server.address}{path}", headers=headers)
        assert answer.status_code == 403
        assert "copydesk serve --web" in answer.text


def test_every_route_asks_for_the_exact_host_and_origin(
    server: Server, browser: Browser, desk: Desk
) -> None:
    browser.enter()
    at = browser.opened()
    port = server.address.rpartition(":")[2]
    for path in (*PATHS, at, desk.app_url, server.link.removeprefix(server.address)):
        for host in ("localhost:" + port, "127.0.0.1", "evil.example", f"127.0.0.1:{port}.evil"):
            assert browser.http.get(path, headers={"host": host}).status_code == 403
        for origin in ("null", "http://evil.example", f"http://localhost:{port}", ""):
            assert browser.http.get(path, headers={"origin": origin}).status_code == 403
    for headers in (
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": f"https://127.0.0.1:{port}"},
        {"Cookie": None},
        {"Cookie": "copydesk=forged"},
    ):
        with pytest.raises(InvalidStatus, match="403"):
            browser.socket(at, **headers)
    with pytest.raises(InvalidStatus, match="403"):
        browser.socket("/w/none")
    assert server.windows() == []


def test_a_page_loads_nothing_from_elsewhere_and_is_in_no_frame(browser: Browser) -> None:
    browser.enter()
    page = browser.http.get(browser.opened())
    assert "https://" not in page.text
    assert "copydesk --linear" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["cross-origin-opener-policy"] == "same-origin"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    for name in ("js/textual.js", "css/xterm.css", "fonts/RobotoMono-VariableFont_wght.ttf"):
        assert f"/static/{name}" in page.text
        assert browser.http.get(f"/static/{name}").status_code == 200
    assert browser.http.get("/static/../server.py").status_code in (403, 404)
    assert browser.http.get("/w/none", follow_redirects=True).status_code == 200  # a new one
