"""The programs that copydesk starts: the editor, the browser, the command for a token."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

WITHHELD = ("COPYDESK_TOKEN",)
"""Variables that are for copydesk alone."""


def environment() -> Mapping[str, str]:
    """Return the environment for another program, without a token in it."""
    return {name: value for name, value in os.environ.items() if name not in WITHHELD}


def run(
    command: Sequence[str],
    *,
    given: str | None = None,
    seconds: float | None = None,
    quiet: bool = False,
) -> int:
    """Run a program with ``given`` as its input until it ends; return its exit status.

    ``quiet``: it has no terminal. Raises ``OSError`` when it cannot be started, and
    ``subprocess.TimeoutExpired`` after so many ``seconds``.
    """
    away = subprocess.DEVNULL if quiet else None
    return subprocess.run(  # noqa: S603 - the commands are the user's own, or fixed
        command,
        input=None if given is None else given.encode(),
        stdin=away if given is None else None,
        stdout=away,
        stderr=away,
        timeout=seconds,
        check=False,
        env=environment(),
    ).returncode
