"""The command line: the one place that knows every part and puts them together.

Ctrl+c is answered from the first line of the package on; here it gets its handler.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the module without its enumerations
import gc
import os
import sys

from copydesk import STOPPABLE
from copydesk.local import preface

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0 done, 1 failed, 2 wrong usage, 3 not allowed, 4 conflict, 5 the service cannot be reached,
    6 the service lacks the operation, 7 something would be sent (``structure apply --plan``).
    """
    if sys.flags.optimize > 1:
        sys.stderr.write("copydesk: unset PYTHONOPTIMIZE, or leave out -OO: it takes texts away.\n")
        return 2
    try:
        if arguments is None:
            gc.disable()  # while it starts: `copydesk.local.memory` says why
            # No plugin sees what pydantic reads here; looking for some takes time in every start.
            os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
            if not sys.argv[1:]:
                preface.show()

        from copydesk.cli.command_line import parse
        from copydesk.cli.errors import guarded, own_streams

        if arguments is None:
            own_streams()

        given = list(sys.argv[1:] if arguments is None else arguments)

        def command() -> int:
            if STOPPABLE:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                return parse(given).run()
            finally:
                preface.leave()

        return guarded(command, as_json="--json" in given)
    finally:
        preface.leave()
        if STOPPABLE:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
