"""``copydesk watch``: what waits for its rules, looked at and merged by a command."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import sys
from pathlib import Path

import pytest

from copydesk.cli.connection import Service
from copydesk.cli.errors import CONFLICT, DIFFERS, DONE, INTERRUPTED, NOT_ALLOWED
from copydesk.cli.watch import Watching
from copydesk.cli.writes import CommandWrites
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewCreate
from tests.cli.script_desk import HOSTILE, ScriptDesk
from tests.session.runs.test_waiting import Waits
from tests.world import World

RULES = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}


class Interrupting(io.StringIO):
    """An output at whose first line somebody presses ctrl+c."""

    def write(self, text: str) -> int:
        if not self.getvalue():
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


def waiting(scripts: ScriptDesk, *subjects: str) -> tuple[str, list[str]]:
    """Let requests of a space that wants a review wait; return the space and them."""
    world = scripts.world
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"auth": "# Auth\n"}, merge_rules=RULES)
    made = [
        world.change_request(space, {f"page-{at}": "# New\n"}, subject=subject, by=lee)
        for at, subject in enumerate(subjects)
    ]

    async def wait() -> None:
        connection = Service(desk=scripts.path).connection()
        async with await connection.connect() as api, CommandWrites(connection, api) as writes:
            merges = writes.session.waiting_merges
            for request in made:
                seen = await api(ops.get_change_request, space, request)
                run = await merges.plan(seen, "Guide")
                await merges.put(run.id, merges.as_json(run))

    asyncio.run(wait())
    return space, made


def approve(scripts: ScriptDesk, space: str, request: str) -> None:
    async def send() -> None:
        async with scripts.world.api() as api:
            body = ReviewCreate(status="approved")
            await api(ops.create_change_request_review, space, request, body)

    asyncio.run(send())


def test_it_merges_what_may_be_merged_and_ends_when_nothing_waits(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scripts.run("watch") == DONE
    assert "No change request waits for its rules" in scripts.said()[1]
    space, (first, second) = waiting(scripts, HOSTILE, "Second")
    needs = "waits: 0 of 1 rule: needs an approving review; no approval yet and no one was asked\n"
    out = scripts.out("watch", "--once", status=DIFFERS)
    assert out == f"#1 evil end: {needs}#2 Second: {needs}"
    scripts.err("watch", "--read-only", status=NOT_ALLOWED)
    heard = Interrupting()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", heard)
        assert scripts.run("watch") == INTERRUPTED
    assert heard.getvalue() == out
    assert "Stopping after the call under way" in scripts.said()[1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    approve(scripts, space, first)
    scripts.world.comment(space, HOSTILE, by=scripts.world.user("lee"), change_request=second)
    lines = scripts.out("watch", "--json", status=CONFLICT).splitlines()
    merged, stopped = map(json.loads, lines)
    assert (merged["state"], merged["request"]) == ("merged", first)
    assert (stopped["state"], stopped["request"]) == ("stopped", second)
    assert "It has a new comment since it was queued, last by Lee Park" in stopped["why"]
    assert "\x1b" not in stopped["why"]
    assert scripts.log() == [("Merge", "done")]
    assert scripts.world.row("change_request", first)["status"] == "merged"
    assert scripts.world.row("change_request", second)["status"] == "open"
    assert scripts.run("watch") == DONE


async def test_what_another_program_did_is_told_too(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waits = Waits(world, tmp_path)
    requests = [waits.request(page) for page in ("merged", "stopped", "out")]
    runs = [await waits.wait(request) for request in requests]
    watching = Watching(waits.merges, as_json=False)
    assert await watching.go(once=True) == DIFFERS
    assert capsys.readouterr().out.count("waits: 0 of 1 rule") == 3
    other = waits.begin()
    await waits.approve(requests[0])
    world.comment(waits.space, by=waits.lee, change_request=requests[1])
    await other.put(runs[2].id, None)
    await other.look()
    assert await watching.go(once=True) == CONFLICT
    merged, stopped = sorted(capsys.readouterr().out.splitlines())
    assert merged == "#1 merged: merged."
    assert stopped.startswith("#2 stopped: stopped: It has a new comment since it was queued")
