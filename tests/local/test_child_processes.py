"""Commands that are listened to: those that hang, flood and fork leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from copydesk.local import child_processes
from copydesk.local.child_processes import Ended, listen, through

FOREVER = 600.0

PATIENCE = 60.0
"""How long a test waits for what should come at once, before it fails."""

ENDS = "import os, sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
HANGS = "import time; time.sleep(600)"
FLOODS = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
LEAVES = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
"""
FORKS = LEAVES + "import time; time.sleep(600)"


async def run(
    folder: Path, script: str, *, seconds: float = FOREVER, most: int = 1_000_000
) -> Ended:
    return await listen([sys.executable, "-c", script], folder, seconds=seconds, most=most)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def is_gone(pid: int) -> None:
    """Wait until a process has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process, ended.set)
    async with asyncio.timeout(PATIENCE):
        await ended.wait()
    loop.remove_reader(process)
    os.close(process)


async def test_what_it_writes_is_heard_and_how_it_ends(tmp_path: Path) -> None:
    assert await run(tmp_path, ENDS) == Ended(3, b"out\n", b"err\n")


async def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    ended = await run(tmp_path, HANGS, seconds=0.2)
    assert (ended.why, ended.status) == ("time", -9)


async def test_one_that_floods_is_ended(tmp_path: Path) -> None:
    ended = await run(tmp_path, FLOODS, most=100_000)
    assert (ended.why, len(ended.output)) == ("flood", 100_000)


async def test_what_it_leaves_behind_goes_with_it(tmp_path: Path) -> None:
    ended = await run(tmp_path, LEAVES)
    assert ended.why == ""
    await is_gone(int(ended.output))


async def test_cancelled_it_is_ended_with_what_it_forked(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    os.mkfifo(told)
    says = f"with open({str(told)!r}, 'w') as file: print(child.pid, os.getpid(), file=file)"
    script = FORKS.replace("print(child.pid, flush=True)", says)
    work = asyncio.create_task(run(tmp_path, script))
    pids = await asyncio.to_thread(told.read_text)  # until it has closed it
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    for pid in pids.split():
        await is_gone(int(pid))


async def test_cancelled_while_it_starts_it_is_ended_with_what_it_forked(tmp_path: Path) -> None:
    told = tmp_path / "pids"
    os.mkfifo(told)
    says = f"with open({str(told)!r}, 'w') as file: print(child.pid, os.getpid(), file=file)"
    script = FORKS.replace("print(child.pid, flush=True)", says)
    work = asyncio.create_task(run(tmp_path, script))
    for _ in range(2):  # the command is there, and nobody knows of its pipes yet
        await asyncio.sleep(0)
    pids = told.read_text()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    for pid in pids.split():
        await is_gone(int(pid))


async def test_work_that_is_cancelled_is_done_first(tmp_path: Path) -> None:
    told = tmp_path / "let"
    os.mkfifo(told)

    def write() -> None:
        (tmp_path / "first").write_text(told.read_text())

    work = asyncio.create_task(through(asyncio.to_thread(write)))
    await asyncio.sleep(0)
    for _ in range(2):
        work.cancel()
        await asyncio.sleep(0)
    assert not work.done()
    await asyncio.to_thread(told.write_text, "done")
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (tmp_path / "first").read_text() == "done"


async def test_no_token_no_input_and_no_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_TOKEN", "secret")
    monkeypatch.setenv("PYDANTIC_DISABLE_PLUGINS", "secret")
    script = "import os, sys; print(os.environ, sys.stdin.read(), sys.argv[1], os.getcwd())"
    ended = await listen(
        [sys.executable, "-c", script, "$(touch made); `x`"], tmp_path, seconds=FOREVER, most=10**6
    )
    assert b"secret" not in ended.output
    assert b"$(touch made); `x`" in ended.output
    assert os.fsencode(tmp_path) in ended.output
    assert files(tmp_path) == []


async def test_one_that_is_not_there_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileNotFoundError):
        await listen(["no-such-command"], tmp_path, seconds=1, most=1)
    # The system may not run a folder, and says the same where it may not look into one of PATH.
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "no-such-command").mkdir()
    with pytest.raises(FileNotFoundError):
        await listen(["no-such-command"], tmp_path, seconds=1, most=1)
    with pytest.raises(FileNotFoundError):
        child_processes.run(["no-such-command"])
    (tmp_path / "not-to-be-run").touch()
    with pytest.raises(PermissionError):
        await listen(["not-to-be-run"], tmp_path, seconds=1, most=1)
