"""The command line: the one place that knows every part and puts them together."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from copydesk.cli.arguments import parse
from copydesk.cli.edge import guarded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0 done, 1 failed, 2 wrong usage, 3 not allowed, 4 conflict, 5 the service cannot be reached.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: parse(given).run())
