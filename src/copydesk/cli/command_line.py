"""A command line, read and run.

The parser is only built when there is something to parse: opening the program imports none of it.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

from copydesk.cli import log_file
from copydesk.cli.errors import UsageError
from copydesk.domain.late_dataclass import dataclass
from copydesk.local.memory import collect_seldom

if TYPE_CHECKING:
    from copydesk.cli.parser import Parser

T = TypeVar("T")

COMPLETE = "copydesk.cli.complete:print_values"

SCREENS = "copydesk.cli.open"
"""What opens the screens, and says itself where there is no standard input for them."""


@dataclass(frozen=True)
class Command:
    """A parsed command line: the function that runs it, as ``module:function``, and its options."""

    runner: str
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> int:
        """Import what the command needs, run it, and return the exit status.

        Raises ``UsageError`` for a general option given to a command that has no use for it.
        """
        debug = self.options.pop("debug", None)
        if debug:
            log_file.ask_for_requests()
        log_file.begin_debugging()
        module, _, name = self.runner.partition(":")
        if sys.stdin is None and module != SCREENS:
            sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))  # it was closed
        function = getattr(importlib.import_module(module), name)
        if not gc.isenabled():
            collect_seldom()
        accepted = inspect.signature(function).parameters
        options = dict(self.options)
        if "service" in accepted:
            from copydesk.cli.connection import Service

            options["service"] = _taken(Service, options)
        for option, value in options.items():
            _expect_text(option, value)
        if "wanted" in accepted:
            from copydesk.cli.lookup import Wanted

            options["wanted"] = _taken(Wanted, options)
        for option, value in options.items():
            if option not in accepted and value is not None:
                named = option.removeprefix("as_").replace("_", "-")
                raise UsageError(f"this command does not take --{named}")
        status: int = function(**{k: v for k, v in options.items() if k in accepted})
        return status


def _expect_text(option: str, value: object) -> None:
    """Raise ``UsageError`` for bytes of another kind, which name nothing; files may be called so.

    Python keeps such bytes as characters that no text has.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{option.replace('_', ' ')} {value!a}: this is not UTF-8 text"
            ) from error


def _taken(kind: Callable[..., T], options: dict[str, Any]) -> T:
    """Take the options that are the fields of ``kind`` out of all of them."""
    given = {option.name: options.pop(option.name, None) for option in fields(cast("Any", kind))}
    return kind(**{name: value for name, value in given.items() if value is not None})


def parse(arguments: Sequence[str]) -> Command:
    """Return the command for these arguments. Usage errors print a sentence and exit with 2."""
    if not arguments:
        return Command("copydesk.cli.open:open_desk")
    if arguments[0] == "complete" and arguments[3:4] == ["--"]:
        # A shell asks while somebody types: the parser would take most of the time.
        kind, word, _, *line = arguments[1:]
        return Command(COMPLETE, {"kind": kind, "word": word, "line": line})
    from copydesk.cli.parser import build_parser, opening_parser

    opening = opening_parser()
    at = _first_word(arguments, opening)
    if at is not None and arguments[at].startswith(("http://", "https://")):
        given = opening.read([*arguments[:at], *arguments[at + 1 :]])
        return Command("copydesk.cli.open:open_address", {"url": arguments[at], **vars(given)})
    options = vars(build_parser().read(arguments))
    runner = options.pop("runner")
    return Command(runner, options)


def _first_word(arguments: Sequence[str], parser: Parser) -> int | None:
    """Return where the first argument stands that is no option and no value of one."""
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if not word.startswith("-"):
            return at
        action = parser._option_string_actions.get(word)
        at += 2 if action is not None and action.nargs is None else 1
    return None
