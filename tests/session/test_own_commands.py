"""Commands and hooks of the settings: what came of a run, in the log and as a sentence."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.own_command import Hook, Ready
from copydesk.domain.text import shorten
from copydesk.session import own_commands
from copydesk.session.own_commands import (
    MOST_BYTES,
    CommandOutcome,
    run_hooks,
    run_ready,
    shown_line,
    tell_merged,
)
from copydesk.session.session import Session
from tests.drive import eventually
from tests.world import World

PYTHON = shorten(sys.executable, 60)

TOLD = "import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))"


class Desk:
    """A session that asks nobody, and what it reports."""

    def __init__(self, *hooks: Hook) -> None:
        async def nowhere() -> Api:
            raise AssertionError("nothing is asked here")

        self.said: list[str] = []
        self.session = Session(
            nowhere, report=lambda said, tone: self.said.append(f"{tone}: {said}")
        )
        self.session.profile, self.session.hooks = "work", hooks

    @property
    def log(self) -> list[tuple[str, str, str, str]]:
        return [
            (line.what, line.target, line.state, line.message) for line in self.session.messages
        ]


def python(script: str) -> tuple[str, ...]:
    return (sys.executable, "-c", script)


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("", CommandOutcome("Done.", True)),
        ("import sys; print(sys.stdin.read() or 'None')", CommandOutcome("None", True, "None\n")),
        ("print('One'); print(' Two '); print()", CommandOutcome("Two", True, "One\n Two \n\n")),
        ("print('\\x1b[2JA' * 201)", CommandOutcome("A" * 199 + "…", True, "A" * 201 + "\n")),
        ("import sys; print('Out'); sys.exit(3)",
         CommandOutcome(f"{PYTHON} ended with status 3: Out", False, "Out\n")),
        ("import sys; print('Out'); sys.stderr.buffer.write(b'Why\\xff\\n'); sys.exit(1)",
         CommandOutcome(f"{PYTHON} ended with status 1: Why\ufffd", False, "Out\n")),
        ("import sys; sys.exit(3)", CommandOutcome(f"{PYTHON} ended with status 3.", False)),
    ],
)  # fmt: skip
async def test_a_run_says_what_came_of_it_and_is_in_the_log(
    script: str, outcome: CommandOutcome
) -> None:
    desk = Desk()
    found = await run_ready(desk.session, "Greet", "#1", Ready(python(script)))
    assert found == outcome
    assert desk.log == [("Greet", "#1", "done" if outcome.done else "not done", outcome.said)]
    assert desk.said == []


async def test_a_run_without_an_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    monkeypatch.setattr(own_commands, "SECONDS", 1)
    run = Ready(python("import time; print('On', flush=True); time.sleep(60)"))
    assert await run_ready(desk.session, "Wait", "", run) == CommandOutcome(
        f"{PYTHON} was stopped after 1 s.", False, "On\n"
    )
    flood = Ready(python(f"print('a' * 2 * {MOST_BYTES})"))
    found = await run_ready(desk.session, "Flood", "", flood)
    assert (found.said, found.done) == (f"{PYTHON} was stopped: it wrote more than 1 MiB.", False)
    assert found.output.startswith("aaa")


async def test_a_run_is_stopped_by_hand_or_with_what_waits_for_it() -> None:
    desk = Desk()
    run = Ready(python("import time; time.sleep(60)"))
    for by_hand in (True, False):
        waiting = asyncio.create_task(run_ready(desk.session, "Wait", "", run))
        await eventually(lambda: bool(desk.log), lambda: asyncio.sleep(0))
        [line] = desk.session.messages
        assert (line.state, line.message, line.stop is None) == ("running", "", False)
        (line.stop if by_hand and line.stop else waiting.cancel)()
        [ended] = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError) is not by_hand
        assert desk.log == [("Wait", "", "not done", "Stopped.")]
        assert line.stop is None
        desk.session.messages.clear()


async def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    desk = Desk()
    found = await run_ready(desk.session, "Run", "", Ready(("no-such\x07-program",)))
    assert found == CommandOutcome("no-such-program was not found.", False)
    found = await run_ready(desk.session, "Run", "", Ready((str(tmp_path),)))
    assert found.said.endswith(" cannot be started: Permission denied.")


async def test_the_hooks_of_an_event_are_told_what_is_known_and_say_where_they_fail() -> None:
    desk = Desk(
        Hook("after_merge", python(TOLD)),
        Hook("on_news", python("raise SystemExit('not asked')")),
        Hook("after_merge", python("raise SystemExit('No.')")),
        Hook("after_merge", ("true", "{colour}")),
    )
    await run_hooks(desk.session, "after_merge", {"title": "é", "number": "1"})
    told = {"event": "after_merge", "profile": "work", "title": "é", "number": "1"}
    target = f"after_merge: {sys.executable}"
    assert desk.log == [
        ("Hook", target, "done", json.dumps(told, sort_keys=True)),
        ("Hook", target, "not done", f"{PYTHON} ended with status 1: No."),
        ("Hook", "after_merge: true", "not done", "{colour} is not known here."),
    ]
    assert [line.number for line in desk.session.messages] == [0, -1, -2]
    assert desk.said == [
        f"warn: after_merge: {PYTHON} ended with status 1: No.",
        "warn: after_merge: {colour} is not known here.",
    ]


async def test_only_what_was_merged_is_told_as_a_merge(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str, str]] = []
    desk, space = Desk(), world.space("Guide", {"a": "A."})
    made = world.change_request(space, {"a": "B."}, subject="Fix")
    async with world.api() as api:
        request = await api(ops.get_change_request, space, made)

    def happened(event: str, fields: dict[str, str]) -> None:
        told.append((event, fields["title"], fields["space"]))
        assert fields["url"] == request.urls.app

    monkeypatch.setattr(desk.session, "happened", happened)
    tell_merged(desk.session, request, "Guide")
    tell_merged(desk.session, request.model_copy(update={"status": "merged"}), "Guide")
    assert told == [("after_merge", "Fix", "Guide")]


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (Ready(("echo", "a b", "c")), "echo 'a b' c"),
        (Ready(("sh", "-c", "echo $COPYDESK_ID"), {"COPYDESK_ID": "1"}), "echo $COPYDESK_ID"),
        (Ready(("echo", "a\x1b[2J")), "echo 'a'"),
    ],
)
def test_a_run_is_shown_as_a_shell_takes_it(run: Ready, line: str) -> None:
    assert shown_line(run) == line
