"""``copydesk redirects``: listed, made, removed, imported and followed, from scripts."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.local.journal import Journal
from copydesk.local.paths import find_paths
from copydesk.local.state import State
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Tx
from tests import faults
from tests.cli.script_desk import HOSTILE, Interrupting, ScriptDesk, Typed
from tests.faulty import Asked, Fault, only, script, writes_only

SITE = "docs.acme.example"


@pytest.fixture
def site(scripts: ScriptDesk) -> ScriptDesk:
    """A desk with a site of one space."""

    def build(tx: Tx) -> None:
        made = add_site(tx, scripts.world.home, HOSTILE, hostname=SITE)
        add_site_space(tx, made, scripts.space)

    scripts.world.write(build)
    return scripts


def test_redirects_are_made_listed_followed_and_removed(
    site: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "evil end has no redirects." in site.err("redirects", "list", SITE, status=0)
    add = ("redirects", "add", SITE)
    assert "no one can be asked" in site.err(*add, "/old", "/", status=2)
    assert "--read-only" in site.err(*add, "/old", "/", "--yes", "--read-only", status=3)
    assert "FROM: old: write a path" in site.err(*add, "old", "/", "--yes", status=2)
    assert "TO: /none: the site shows" in site.err(*add, "/old", "/none", "--yes", status=2)
    assert "has no * at its end" in site.err(*add, "/old", "/", "--keep", "--yes", status=2)
    back = f"https://{SITE}/old"
    assert "TO: " in site.err(*add, "/old", back, "--yes", status=2)
    assert site.out(*add, "/old", "/", "--yes") == "Made redirect /old to /, permanent.\n"
    assert "leads to / already; import changes" in site.err(*add, "/old", "/", "--yes", status=4)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    assert "Make redirect /b to /" in site.err(*add, "/b", "/", status=1)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    never = "it will never be used: the site shows Retries at /retries."
    assert site.err(*add, "/retries", "/", status=1).startswith(never.replace("it", "It", 1))
    assert site.run(*add, "/retries", "/", "--yes") == 0
    assert site.said()[1] == f"Made, but {never}\n"
    site.out("redirects", "delete", SITE, "/retries", "--yes")
    other = ("/b/*", "https://b.example/x", "--keep", "--temporary", "--draft", "--yes")
    assert site.json(*add, *other)["captureWildcard"] is True
    listed = site.json("redirects", "list", SITE)
    assert [(each["source"], each["to"], each["draft"]) for each in listed] == [
        ("/b/*", "https://b.example/x", True),
        ("/old", "/", False),
    ]
    assert "/old leads to / (" in site.out("redirects", "test", SITE, "/old")
    assert site.json("redirects", "test", SITE, "/none", status=1)["to"] is None
    kept = ("/kept/*", "/", "--keep", "--yes")
    assert site.out(*add, *kept) == "Made redirect /kept/* to /, permanent, the rest kept.\n"
    assert "permanent  keep" in site.out("redirects", "list", SITE)
    said = site.out("redirects", "test", SITE, "/kept/no/page", status=1)
    assert said == "/kept/no/page leads to /no/page, where the site shows nothing, by /kept/*.\n"
    site.out("redirects", "delete", SITE, "/kept/*", "--yes")
    assert "is not a path of evil end" in site.err("redirects", "test", SITE, "none", status=2)
    delete = ("redirects", "delete", SITE)
    assert "only a draft: add --draft" in site.err(*delete, "/b/*", "--yes", status=1)
    assert "Removed redirect /b/*" in site.out(*delete, "/b/*", "--draft", "--yes")
    made, gone = ("Make redirect", "done"), ("Remove redirect", "done")
    assert site.log() == [made, made, gone, made, made, gone, gone]


def test_what_is_exported_is_imported_and_a_plan_sends_nothing(
    site: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "moved.csv"
    file.write_text("/a,/\n/b/*,https://b.example/x,temporary,keep,draft\n/c,/none\n")
    importing = ("redirects", "import", SITE, str(file))
    assert "no one can be asked" in site.err(*importing, status=2)
    plan = site.out(*importing, "--plan", "--skip-bad", status=7)
    assert plan.splitlines()[0] == "add /a to /, permanent"
    # A plan without --skip-bad ends as --yes does.
    left = site.json(*importing, "--plan", status=2)["leftOut"]
    assert [each["line"] for each in left] == [3]
    assert site.json("redirects", "list", SITE) == []
    assert site.out(*importing, "--yes", status=2).startswith("add /a")
    sent = site.json(*importing, "--yes", "--skip-bad", status=1)
    assert [each["change"] for each in sent["redirects"]] == ["add", "add"]
    assert [each["line"] for each in sent["leftOut"]] == [3]
    exported = site.out("redirects", "export", SITE)
    file.write_text(exported)
    assert "There is nothing to send" in site.out(*importing, "--plan")
    file.write_text("/c,/none\n")
    for option in ("--plan", "--yes"):
        assert "1 line of moved.csv cannot be sent\n" in site.err(*importing, option, status=2)
        assert "nothing to send" in site.out(*importing, option, "--skip-bad", status=1)
    file.write_text("/a,-\n")
    assert "remove /a\n1 redirect done, 0 refused." in site.out(*importing, "--yes")
    assert "nothing to send" in site.out(*importing, "--yes"), "a second time"
    assert site.json(*importing, "--plan")["gone"] == 1
    assert "cannot be read: " in site.err(*importing[:-1], "none.csv", "--yes", status=2)
    monkeypatch.setattr(sys, "stdin", Typed("/p,/\n", terminal=True))
    assert "no one can be asked" in site.err(*importing[:-1], "-", status=2)
    assert "1 redirect done" in site.out(*importing[:-1], "-", "--yes")
    # As a shell gives what another command prints: <(sort moved.csv).
    ours, theirs = os.pipe()
    os.write(theirs, b"/q,/\n")
    os.close(theirs)
    assert "add /q to /" in site.out(*importing[:-1], f"/dev/fd/{ours}", "--plan", status=7)
    os.close(ours)


def test_nothing_is_exported_that_a_spreadsheet_runs_or_an_import_takes_for_a_removal(
    site: ScriptDesk,
) -> None:
    add = ("redirects", "add", SITE)
    for at, url in (("/a", "=1+1"), ("/b", "-"), ("/c", "https://c.example/x")):
        site.out(*add, at, "https://old.example/", "--yes")
        site.world.write(partial(_lead, at, url))
    assert site.run("redirects", "export", SITE) == 0
    exported, said = site.said()
    assert exported.splitlines()[1:] == ["/c,https://c.example/x,permanent,discard,live"]
    assert "Not in the file: /a" in said
    assert "Not in the file: /b" in said


def _lead(source: str, url: str, tx: Tx) -> None:
    tx.run("UPDATE site_redirect SET url = ? WHERE source = ?", url, source)


def test_a_service_without_redirects_is_told_by_its_own_exit_status(
    site: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.served("earlier", monkeypatch):
        assert "no redirects" in site.err("redirects", "list", SITE, status=6)


def test_ctrl_c_at_a_question_ends_it_and_nothing_is_sent(
    site: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Interrupting(terminal=True))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        said = site.err("redirects", "add", SITE, "/old", "/", status=130)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert said == "Make redirect /old to /, permanent? y/N \ncopydesk: nothing was sent.\n"
    assert site.json("redirects", "list", SITE) == []


def test_ctrl_c_in_a_write_says_one_thing_once(
    site: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(asked: Asked) -> Fault:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return faults.HANG_UNANSWERED

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with site.served("all", monkeypatch) as server:
            server.plan = writes_only(pressed)
            said = site.err("redirects", "add", SITE, "/old", "/", "--yes", status=130)
    finally:
        signal.signal(signal.SIGINT, before)
    assert said == "copydesk: Stopped before the answer came: it may have arrived.\n"
    assert site.log() == [("Make redirect", "unknown")]


def test_what_an_import_did_can_be_undone_where_its_answer_was_lost(
    site: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.out("redirects", "add", SITE, "/gone", "/", "--yes")
    file = tmp_path / "moved.csv"
    file.write_text("/gone,-\n/new,/\n")
    with site.served("all", monkeypatch) as server:
        server.plan = writes_only(script(faults.RESET_UNANSWERED))
        said = site.out("redirects", "import", SITE, str(file), "--yes")
    # Sent again, there is nothing to remove, and what is new is changed.
    assert len(server.arrived) == 2
    assert said.endswith("2 redirects done, 0 refused.\n")
    site.said()
    assert main(["log", "--json"]) == 0
    assert [each["undoable"] for each in json.loads(site.said()[0])] == [True, True]
    [entry] = Journal(State(find_paths().store)).entries()[1:]
    [step] = (entry.reversal or {})["back"]
    put = [(each["source"], bool(each["destination"])) for each in step["body"]["redirects"]]
    assert put == [("/new", False), ("/gone", True)]


def test_a_removal_whose_answer_was_lost_is_looked_for(
    site: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete = ("redirects", "delete", SITE, "/old", "--yes")
    for lost, status in ((faults.RESET_UNANSWERED, 0), (faults.UNAVAILABLE, 5)):
        site.out("redirects", "add", SITE, "/old", "/", "--yes")
        with site.served("all", monkeypatch) as server, monkeypatch.context() as patch:
            patch.setattr("copydesk.client.wire.ATTEMPTS", 2)
            server.plan = only(
                lambda asked: asked.method == "DELETE", script(lost, faults.UNAVAILABLE)
            )
            assert site.run(*delete) == status
    assert "this was not done: The service failed" in site.said()[1]
    assert [each["source"] for each in site.json("redirects", "list", SITE)] == ["/old"]


def test_how_far_an_import_came_is_told(
    site: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.session.writes.redirects.BULK_LIMIT", 2)
    file = tmp_path / "moved.csv"
    file.write_text("".join(f"/old/{number},/\n" for number in range(3)))
    with site.served("all", monkeypatch) as server:
        server.plan = writes_only(script(None, faults.FORBIDDEN))
        assert site.run("redirects", "import", SITE, str(file), "--yes") == 3
    said = site.said()[1].splitlines()
    assert said[0] == "Done before it stopped: Import, 2 redirects."
    assert len(site.json("redirects", "list", SITE)) == 2
