"""Watching, over the whole suite, what the actions of the user really send.

An action and a place name the operations that they use. Here is looked, at the transport, which
requests went out in every scenario and for which actions (`copydesk.domain.request_context`); with
``--reach`` a run fails where an action names an operation that was never seen to be sent for it,
other than to be refused.
A write that was sent for actions of which none is known to write fails every run: a session that
only reads would not have taken their keys away.
What is sent besides, as reading again after a write, need not be named.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

SEEN: set[tuple[str, str]] = set()
"""The id of an action, and the name of an operation that was sent for it."""

WRITTEN: set[tuple[str, str]] = set()
"""The ids of all actions that a write was sent for, in one text, and the name of its operation."""

_KEY = "sent for actions"
_WRITTEN_KEY = "written for actions"

TURNS = ("undo", "redo", "retry")
"""The methods that take back, or send again, what other actions wrote: not a session's first."""


class _Watcher(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        assert isinstance(record.args, tuple)
        name, status, _, cause = record.args
        # What was refused has not shown that the action can do it; an answer may get lost.
        if not isinstance(status, int) or status < 300:
            SEEN.update((action, str(name)) for action in str(cause).split())
        if cause:
            from copydesk.tui.framework.actions import is_read

            if not (is_read(str(name)) or str(name).startswith("GET ")):
                WRITTEN.add((str(cause), str(name)))
        return False  # nobody else reads it, and to write it takes longer


@pytest.fixture(scope="session", autouse=True)
def watched_requests() -> Iterator[None]:
    """Note every request with the actions that it was sent for."""
    log, watcher = logging.getLogger("copydesk.requests"), _Watcher()
    before = log.level
    log.addFilter(watcher)
    log.setLevel(logging.DEBUG)
    yield
    log.removeFilter(watcher)
    log.setLevel(before)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Hold what was sent against what actions name: for runs of the whole suite."""
    parser.addoption(
        "--reach", action="store_true", help="fail where an action was never seen to send"
    )


class _Nodes:
    """What the workers of a run over several processes have seen."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        given = getattr(node, "workeroutput", {}).get(_KEY, ())
        SEEN.update((action, operation) for action, operation in given)
        written = getattr(node, "workeroutput", {}).get(_WRITTEN_KEY, ())
        WRITTEN.update((causes, operation) for causes, operation in written)


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the workers."""
    config.pluginmanager.register(_Nodes())


def never_sent() -> list[str]:
    """Return what actions name that was never sent for them: "action: operation"."""
    from copydesk.tui.system.reference import reached_by

    named = {(each.id, name) for name, reached in reached_by().items() for each in reached}
    return [f"{action}: {operation}" for action, operation in sorted(named - SEEN)]


def undeclared() -> list[str]:
    """Return the writes for which no action stands that is known to write."""
    from copydesk.tui.framework.actions import declared, declared_commands
    from copydesk.tui.system.reference import load_everything

    load_everything()
    writing = {each.id for each in declared() if each.writes}
    writing |= {each.id for each in declared_commands() if each.writes}

    def known(action: str) -> bool:
        return action in writing or action.rpartition(".")[2] in TURNS

    return [
        f"{operation} for {causes}"
        for causes, operation in sorted(WRITTEN)
        if not any(map(known, causes.split()))
    ]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over what a worker saw; fail a whole run that left something unseen."""
    config = session.config
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output[_KEY] = sorted(SEEN)
        output[_WRITTEN_KEY] = sorted(WRITTEN)
    elif session.exitstatus == pytest.ExitCode.OK:
        never = config.getoption("--reach") and never_sent()
        if never or (WRITTEN and undeclared()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was never sent, and how much was looked at."""
    for line in undeclared() if WRITTEN else ():
        terminalreporter.line(f"written, but no action says so: {line}", red=True)
    if not config.getoption("--reach"):
        return
    missing = never_sent()
    actions = {action for action, _ in SEEN}
    operations = {operation for _, operation in SEEN}
    terminalreporter.section("reach")
    terminalreporter.line(
        f"{len(operations)} operations were sent for {len(actions)} actions in {len(SEEN)} pairs"
    )
    for line in missing:
        terminalreporter.line(f"named, but never sent: {line}", red=True)
