"""Running the commands of the settings, a person's own and the hooks, with one line in the log."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_command import Event, Ready, ready
from copydesk.domain.text import clean, clean_long, shorten
from copydesk.local.child_processes import Ended, listen
from copydesk.session.change_rows import request_thing, row_of

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.session import Session

SECONDS = 60
"""For how long a command may run."""

MOST_BYTES = 1024 * 1024
"""Bytes of what a command writes that are read."""

SAID_CELLS = 200
"""Characters of what a command said that are told in a sentence."""


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """What came of a run: a sentence, whether it is ``done``, what it wrote; all text is clean."""

    said: str
    done: bool
    output: str = ""


def shown_line(run: Ready) -> str:
    """Return the whole line of a run as a shell would take it; clean."""
    words = run.words[2:] if run.variables else (shlex.join(run.words),)
    return clean(" ".join(words), lines=True)


async def run_hooks(session: Session, event: Event, fields: Mapping[str, str]) -> None:
    """Run the hooks of an event, one after the other; each gets what is known as JSON."""
    known = {"profile": session.profile, **fields}
    told = json.dumps({"event": event, **known}, ensure_ascii=True).encode()
    for hook in [each for each in session.hooks if each.event == event]:
        target = f"{event}: {clean(hook.run[0])}"
        try:
            run = ready(hook.run, known)
        except ValueError as error:
            outcome = CommandOutcome(str(error), done=False)
            session.note_line("Hook", target, "not done", outcome.said)
            session.touched()
        else:
            outcome = await run_ready(session, "Hook", target, run, given=told)
        if not outcome.done:
            session.report(f"{event}: {outcome.said}", "warn")


def tell_merged(session: Session, request: ChangeRequest, space: str) -> None:
    """Run the hooks of a merge, where it is one; ``space`` is the title of its space."""
    if request.status == "merged":
        session.reversals.end(request)
        session.happened("after_merge", request_thing(row_of(request), space).fields)


async def run_ready(
    session: Session, what: str, target: str, run: Ready, *, given: bytes = b""
) -> CommandOutcome:
    """Run a command, with a line in the log from its start, by which it can be stopped."""
    running = asyncio.create_task(_run(run, given=given))
    line = session.note_line(what, target, "running", "")
    line.stop = running.cancel
    session.touched()
    outcome = CommandOutcome("Stopped.", done=False)
    try:
        outcome = await running
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
    finally:
        line.state, line.message = "done" if outcome.done else "not done", outcome.said
        line.stop = None
        session.touched()
    return outcome


async def _run(run: Ready, *, given: bytes = b"") -> CommandOutcome:
    program = shorten(clean(run.words[0]))
    try:
        ended = await listen(
            run.words,
            Path.cwd(),
            seconds=SECONDS,
            most=MOST_BYTES,
            given=given,
            more=run.variables,
        )
    except FileNotFoundError:
        return CommandOutcome(f"{program} was not found.", done=False)
    except OSError as error:
        return CommandOutcome(
            f"{program} cannot be started: {error.strerror or error}.", done=False
        )
    return _outcome(program, ended)


def _outcome(program: str, ended: Ended) -> CommandOutcome:
    output = clean_long(ended.output.decode(errors="replace"))
    if ended.why == "time":
        return CommandOutcome(f"{program} was stopped after {SECONDS} s.", False, output)
    if ended.why == "flood":
        said = f"{program} was stopped: it wrote more than 1 MiB."
        return CommandOutcome(said, False, output)
    if ended.status:
        told = _last(clean_long(ended.errors.decode(errors="replace"))) or _last(output)
        said = f"{program} ended with status {ended.status}"
        return CommandOutcome(f"{said}: {told}" if told else f"{said}.", False, output)
    return CommandOutcome(_last(output) or "Done.", True, output)


def _last(text: str) -> str:
    """Return the last line that says something."""
    lines = (line.strip() for line in reversed(text.splitlines()))
    return shorten(next(filter(None, lines), ""), SAID_CELLS)
