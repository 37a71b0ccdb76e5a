"""The parser of the command line, which repeats nothing that could rewrite a terminal."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NoReturn

from copydesk.domain.text import clean


class Parser(ArgumentParser):
    """Complains in one clean sentence: what it repeats may have come from anywhere."""

    def error(self, message: str) -> NoReturn:
        """Print a sentence on how the command is used, and exit with 2."""
        super().error(clean(message, limit=1000))
