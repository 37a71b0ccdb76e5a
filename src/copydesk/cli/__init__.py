"""The command line: the one place that knows every part and puts them together.

Nothing is imported before ctrl+c is answered as it should be: in the first moments, too.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the module without its enumerations
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STOPPABLE: bool = (
    sys.argv[0].endswith(("copydesk", "copydesk.exe", "-m"))
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
)
"""Whether this process is the program, and ctrl+c is to end it (as nohup does not want)."""

if STOPPABLE:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a word, as long as nothing is begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0 done, 1 failed, 2 wrong usage, 3 not allowed, 4 conflict, 5 the service cannot be reached.
    """
    try:
        from copydesk.cli.arguments import parse
        from copydesk.cli.edge import guarded, own_streams

        if arguments is None:
            own_streams()

        def command() -> int:
            if STOPPABLE:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            return parse(list(sys.argv[1:] if arguments is None else arguments)).run()

        return guarded(command)
    finally:
        if STOPPABLE:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
