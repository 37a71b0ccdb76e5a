"""copydesk: the terminal desk for people who run documentation.

The first lines of the program are here: ctrl+c is answered as it should be before anything else.
"""

import sys

_COMMAND = (getattr(sys, "argv", None) or [""])[0]

STOPPABLE = _COMMAND.endswith(("copydesk", "copydesk.exe")) or (
    _COMMAND == "-m" and "copydesk" in sys.orig_argv
)
"""Whether this process is the program, and ctrl+c is to end it."""

if STOPPABLE:
    try:
        import _signal as signal  # type: ignore[import-not-found]  # without its enumerations

        # As nohup does not want: then it stays as it is.
        STOPPABLE = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if STOPPABLE:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # no word while nothing is begun
    except KeyboardInterrupt:
        sys.exit(130)

try:
    from copydesk._version import __version__ as __version__
except ImportError:  # nothing was built of these files yet
    __version__ = "0+unknown"
