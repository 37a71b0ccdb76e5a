"""Commands of checks: what they are given, what is made of how they ended, what lies around them.

No stranger configures what they do.
"""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from copydesk.client.errors import ApiError, Forbidden, NotFound, OperationMissing
from copydesk.contract import operations as ops
from copydesk.domain.checks import BUILT_IN, Check
from copydesk.domain.page_checks import LONGEST
from copydesk.domain.page_tree import PageNode
from copydesk.domain.request_folder import file_names
from copydesk.local import browser
from copydesk.local.check_settings import LEFT_SECONDS
from copydesk.local.paths import HOME_VARIABLE, find_paths
from copydesk.server.desk_writes import Editor
from copydesk.session import checks
from copydesk.session.checks import (
    MOST_BYTES,
    CheckedPage,
    CheckOutcome,
    check_built_in,
    hiding,
    read_pages,
    run_checks,
    run_command,
)
from copydesk.session.reads import review
from copydesk.session.session import Session
from tests.session.reads.told import Lacking
from tests.session.test_kept import both_ways, nowhere
from tests.tui.strange import strange
from tests.world import World

PAGE = CheckedPage("p", "Auth", "guide/auth.md", "# Auth\n\nOld\nNew\n", "", frozenset({4}))

STRANGE = (
    ".vale.ini", ".markdownlint.json", ".markdownlint-cli2.cjs", ".remarkrc.js", "package.json",
    "pyproject.toml", "setup.cfg", ".git/config", "node_modules/rule/index.js", "styles/.vale.ini",
)  # fmt: skip
"""The paths that a stranger gives to pages of a request."""

LOOKS = """
import os, sys
from pathlib import Path
here = Path.cwd()
names = {".vale.ini", ".markdownlint.json", ".markdownlint-cli2.cjs", ".remarkrc.js",
         "package.json", "pyproject.toml", "setup.cfg", ".git"}
for file in sorted(here.rglob("*")):
    if file.is_file():
        print(f"{file.relative_to(here)}:1: {file.name}")
for folder in (here, *here.parents):
    print("config", *(folder / name for name in sorted(names) if (folder / name).exists()))
    if folder == Path(os.environ["HOME"]):
        break
else:
    print("config outside of what is mine")
"""
"""A linter that looks for its configuration as they do: in its folder, and in those above."""


async def test_no_configuration_of_a_stranger_is_written_or_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, home = tmp_path / "tmp", tmp_path / "me"
    shared.mkdir()
    home.mkdir()
    for name in (".vale.ini", ".remarkrc.js", "package.json"):
        (shared / name).write_text("theirs")
    monkeypatch.setenv("TMPDIR", str(shared))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv(HOME_VARIABLE, str(home / "copydesk"))
    nodes = [PageNode(f"id {path}", path, path=path) for path in STRANGE]
    pages = [
        CheckedPage(page, "Page", name, "[rules]\n", "", frozenset({1}))
        for page, name in file_names(nodes).items()
    ]
    outcome = await run_command(Check("looks", (sys.executable, "-c", LOOKS)), pages)
    assert not outcome.trouble
    written = {each.text for each in outcome.findings}
    assert len(written) == len(STRANGE)
    assert not any(name.startswith(".") or not name.endswith(".md") for name in written)
    assert set(outcome.unread) == {"config"}


async def test_what_a_killed_process_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    folder = find_paths().checks
    for name in ("run-old", "run-new"):
        (folder / name).mkdir(parents=True)
        (folder / name / "page.md").write_text("Text.\n")
    os.utime(folder / "run-old", (0, 0))
    assert LEFT_SECONDS > 600, "longer than a check may run"
    page = CheckedPage("a", "A", "a.md", "Text.\n", "", frozenset({1}))
    outcome = await run_command(Check("none", (sys.executable, "-c", "")), [page])
    assert not outcome.trouble
    assert [each.name for each in folder.iterdir()] == ["run-new"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the files of checks below a folder of the test."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))


def python(script: str, *more: str) -> Check:
    return Check("prose", (sys.executable, "-c", f"import sys\n{script}", *more))


async def test_a_command_reads_the_pages_as_files_and_finds_things_in_new_and_older_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter((10.0, 11.25))
    monkeypatch.setattr(checks, "time", SimpleNamespace(perf_counter=clock.__next__))
    script = (
        "for name in sys.argv[1:]:\n"
        "    for at, line in enumerate(open(name), 1):\n"
        "        if line.strip() in ('Old', 'New'): print(f'{name}:{at}: {line.strip()} word')\n"
        "print('what is this')\n"
    )
    outcome = await run_command(python(script, "{files}"), [PAGE])
    assert [(each.page, each.line, each.text) for each in outcome.findings] == [
        ("p", 4, "New word")
    ]
    assert [(each.line, each.text) for each in outcome.older] == [(3, "Old word")]
    assert outcome.unread == ("what is this",)
    assert not outcome.trouble
    assert outcome.said == (
        "prose: 1 finding, 1 in older text, 1.2 s. 1 line of its output cannot be read."
    )


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("sys.exit(3)", "it failed with status 3: it said nothing"),
        ("sys.exit('No rules.\\nSee there.')", "it failed with status 1: No rules."),
        ("sys.stderr.write('a note')", ""),
        ("print('usage: vale FILE'); sys.exit(2)", "it failed with status 2: usage: vale FILE"),
        ("print('guide/auth.md:4: New'); sys.exit(2)", ""),
    ],
)
async def test_a_status_counts_where_nothing_was_found(script: str, trouble: str) -> None:
    outcome = await run_command(python(script), [PAGE])
    assert outcome.trouble == trouble
    assert outcome.said.startswith(f"prose: {trouble}." if trouble else "prose: ")


async def test_a_command_that_is_not_there_is_named() -> None:
    absent = Check("prose", ("/no/such\x07/program", "x"))
    assert (await run_command(absent, [PAGE])).said == "prose: /no/such/program is not there."
    assert (await run_command(absent, [])).said == "prose: 0 findings, 0.0 s."


async def test_the_changed_pages_are_read_with_their_new_lines_and_broken_links(
    world: World,
) -> None:
    space = world.space("Guide", {"auth": "# Auth\n\nSee [this](gone.md).\n", "same": "# Same\n"})

    def edit(editor: Editor) -> None:
        page = editor.find("auth")
        editor.write(page, "# Auth\n\nSee [this](gone.md).\n\nAnd [that](lost.md).\n")

    request = world.change_request(space, edit=edit)
    async with world.api() as api:
        [page] = await read_pages(api, await review.read_request(api, space, request))
    assert (page.id, page.title, page.name) == (world.page_id(space, "auth"), "Auth", "auth.md")
    assert page.source.endswith("And [that](lost.md).\n")
    assert (page.old, page.new) == ("# Auth\n\nSee [this](gone.md).\n", frozenset({4, 5}))
    assert page.broken is not None
    assert page.broken.keys() == {"gone.md", "lost.md"}
    assert page.before == {"gone.md"}
    outcome = check_built_in([page])
    assert outcome.said == "copydesk: 1 finding, 1 in older text."
    assert [each.line for each in outcome.findings] == [5]
    assert [each.line for each in outcome.older] == [3]
    assert check_built_in([replace(page, broken=None)]).trouble == (
        "the service does not tell which links are broken"
    )


PAGES = {
    "start": "# Start\n",
    "guide": "# Guide\n",
    "guide/auth": "# Auth\n",
    "guide/old": "# Old\n",
    "guide/near": "# Near\n",
    "twice": "# Twice\n",
    "guide/twice": "# Twice again\n",
}

LINKS = {
    "old.md": "leads to Old, which this change request deletes.",
    "/guide/old/README.md": "leads to Old, which this change request deletes.",
    "auth": "leads to where Auth was: it moved to /guide/sign-in.",
    "../guide/auth.html": "leads to where Auth was: it moved to /guide/sign-in.",
    "/near.md": "leads to no page and no file; Near is at /guide/near.",
    "x/near.md": "leads to no page and no file; Near is at /guide/near.",
    "/x/twice.md": "leads to no page and no file.",
    "lost.md": "leads to no page and no file.",
}
"""Links of a page below "guide", and what is said of each."""


async def test_of_a_broken_link_is_said_where_what_it_meant_has_gone(world: World) -> None:
    space = world.space("Guide", PAGES)

    def edit(editor: Editor) -> None:
        links = "\n".join(f"[{at}]({address})" for at, address in enumerate(LINKS))
        editor.write(editor.find("guide/near"), f"# Near\n\n{links}\n")
        editor.rename(editor.find("guide/auth"), "Auth", "sign-in")
        editor.remove(editor.find("guide/old"))

    request = world.change_request(space, edit=edit)
    async with world.api() as api:
        opened = await review.read_request(api, space, request)
        pages = await read_pages(api, opened)
    [page] = [each for each in pages if each.title == "Near"]
    assert page.broken == {address: f"The link {address} {why}" for address, why in LINKS.items()}
    assert page.before == frozenset()
    assert check_built_in(pages).said == f"{BUILT_IN}: {len(LINKS)} findings."


async def test_a_service_that_tells_no_links_is_checked_for_the_rest(world: World) -> None:
    space = world.space("Guide", {"auth": "# Auth\n"})
    request = world.change_request(space, {"auth": "# Auth\n\n[this](gone.md) \n"})
    async with strange(world, "?", lambda value: value, lacks="/links") as api:
        [page] = await read_pages(api, await review.read_request(api, space, request))
    assert page.broken is None
    assert check_built_in([page]).trouble == "the service does not tell which links are broken"


def test_a_page_that_is_too_long_is_named_and_the_others_are_checked() -> None:
    long = replace(PAGE, title="Long", source="a" * (LONGEST + 1), broken={})
    was = replace(PAGE, title="Was long", old="a" * (LONGEST + 1), broken={})
    fine = replace(PAGE, source="# Auth\n\n[this](gone.md)\n", broken={"gone.md": "Gone."})
    outcome = check_built_in([long, was, fine])
    assert outcome.trouble == "Long is too long; Was long is too long"
    assert [each.text for each in outcome.findings] == ["Gone."]
    assert outcome.said == (
        f"{BUILT_IN}: 1 finding. It stopped: Long is too long; Was long is too long."
    )


async def test_what_stood_there_as_often_before_is_older() -> None:
    broken = {"gone.md": "Gone.", "lost.md": "Lost."}
    source = "# A\n\n[a](gone.md)\n\n[b](gone.md)\n\n[c](lost.md)\n"
    page = replace(
        PAGE, source=source, old="# A\n\n[a](gone.md)\n\n[c](lost.md)\n", broken=broken,
        before=frozenset({"gone.md"}),
    )  # fmt: skip
    outcome = check_built_in([page])
    assert [each.line for each in outcome.older] == [3]
    assert [each.line for each in outcome.findings] == [5, 7]


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("import time; time.sleep(60)", "stopped after 1 s"),
        (
            f"sys.stdout.write('a' * 2 * {MOST_BYTES})",
            f"it wrote more than {MOST_BYTES // 1_000_000} MB",
        ),
    ],
)
async def test_a_command_without_an_end_is_stopped(script: str, trouble: str) -> None:
    outcome = await run_command(replace(python(script), seconds=1), [PAGE])
    assert (outcome.check, outcome.trouble, outcome.findings) == ("prose", trouble, ())
    assert outcome.seconds > 0


async def test_a_page_and_an_output_that_are_no_text_are_checked_with_marks_in_their_place() -> (
    None
):
    reads = "data = open('guide/auth.md', 'rb').read(); sys.stdout.buffer.write"
    script = f"{reads}(b'guide/auth.md:1: odd \\xff, ' + data)"
    outcome = await run_command(python(script), [replace(PAGE, source="# A\ud800\n")])
    assert [each.text for each in outcome.older] == ["odd \ufffd, # A?"]


async def test_a_command_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    outcome = await run_command(Check("prose", (str(tmp_path),)), [PAGE])
    assert outcome.trouble.endswith(": Permission denied")


async def test_the_built_in_checks_come_first_and_a_browser_runs_no_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = [replace(python(""), name=name) for name in ("b", "a")]
    pages = [replace(PAGE, broken={})]

    async def found() -> list[CheckOutcome]:
        return [replace(each, seconds=0) async for each in run_checks(checks, pages)]

    assert await found() == [CheckOutcome(BUILT_IN), CheckOutcome("b"), CheckOutcome("a")]
    with socket.socket() as wire:  # whose other end is gone
        window = browser.Window(wire, {"address": "http://127.0.0.1:1", "left": None})
    monkeypatch.setattr(browser, "window", window)
    said = "commands of the settings do not run in a browser"
    assert await found() == [
        CheckOutcome(BUILT_IN), CheckOutcome("b", trouble=said), CheckOutcome("a", trouble=said),
    ]  # fmt: skip


async def test_findings_that_are_hidden_are_shown_again() -> None:
    ours = Session(nowhere)
    await ours.local_steps["hide_findings"](keys=["a", "b"], hidden=True)
    way = hiding(["a", "b"])
    await both_ways(ours.local_steps, way)
    assert ours.hidden.read() == {"a", "b"}
    assert way.note == "What the checks say there is shown again."
    assert way.still is not None
    assert way.before is not None
    await ours.local_steps["hide_findings"](keys=["b"], hidden=False)
    told = await ours.local_steps["hidden_findings"](keys=["a", "b"])
    assert way.still.explain(told) == "It is shown again already."
    assert way.before.explain({"hidden": True}) == "It is hidden again."


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("near.md", "guide/near"), ("../x/README.md?a#b", "x"), ("/a%20b.html", "a b"),
        ("", None), ("#top", None), ("https://a.test/x", None), ("//a.test/x", None),
        ("mailto:a@b.test", None), ("http://[odd", None),
    ],
)  # fmt: skip
def test_a_link_means_a_page_by_its_path(address: str, path: str | None) -> None:
    assert checks._path("guide/auth", address) == path


async def test_links_that_may_not_be_read_are_not_broken(world: World) -> None:
    space = world.space("Guide", {"auth": "# Auth\n\n[old](gone.md)\n"})
    request = world.change_request(space, {"auth": "# Auth\n\n[old](gone.md) [new](lost.md)\n"})
    async with world.api() as api:
        opened = await review.read_request(api, space, request)

        async def broken(*lacks: object, error: type[ApiError] = NotFound) -> tuple[object, object]:
            [page] = await read_pages(Lacking(api, *lacks, error=error).api, opened)
            return page.broken and [*page.broken], page.before

        now, then = ops.list_change_request_page_links, ops.list_space_page_links
        assert await broken() == (["gone.md", "lost.md"], {"gone.md"})
        for error in (NotFound, Forbidden):
            assert await broken(now, error=error) == ({}, frozenset())
            assert (await broken(then, error=error))[1] == frozenset()
        assert (await broken(now, error=OperationMissing))[0] is None
        why = checks._why(opened, opened.changes[0], "mailto:a@b.test")
        long = checks._why(opened, opened.changes[0], f"mailto:{'a' * 90}")
    assert why == "The link mailto:a@b.test leads nowhere."
    assert long == f"The link mailto:{'a' * 72}… leads nowhere."


async def test_what_a_check_found_is_of_it_also_where_it_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(checks, "listen", refused)
    outcome = await run_command(python("print()"), [PAGE])
    assert (outcome.check, outcome.findings) == ("prose", ())
    assert outcome.trouble.endswith(": Permission denied")
    assert (await run_command(python("print()"), [])).check == "prose"
