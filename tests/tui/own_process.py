"""Work in a process of its own, which may end in the middle of it."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

import copydesk.server.extra_routes  # noqa: F401 - so that not every process loads that again
from copydesk.server.api_description import openapi_json
from copydesk.server.handlers import load_all


def load_operations() -> None:
    """Load and make what operations need, so that not every process does that again."""
    load_all()
    openapi_json()


def in_own_process(work: Callable[[], Coroutine[Any, Any, str]]) -> int:
    """Run something in a process of its own; return its exit status."""
    sys.stdout.flush()  # what waits in it would be written by both
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            said = asyncio.run(work())
            sys.stdout.write(said)
            sys.stdout.flush()
            status = 1 if said else 0
        except Exception:
            traceback.print_exc()  # nobody else tells of it: the process ends here
            raise
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
