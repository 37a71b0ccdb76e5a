"""The parser of the command line, which repeats nothing that could rewrite a terminal.

Options are taken as they are called, never cut short, and a word that is none gets the nearest one.
"""

from __future__ import annotations

import re
from argparse import Action, ArgumentError, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from copydesk.cli.errors import note
from copydesk.domain.text import clean, listed, shorten

_FEW = 3
"""So many words are named where there are too many for a sentence."""

_CELLS = 60

_PLAIN = (
    (
        r"^argument (\S+): expected (?:one|at least one|\d+) arguments?$",
        r"\1: its value is missing",
    ),
    (r"^the following arguments are required: (.+)$", r"missing: \1"),
    (r"^one of the arguments (.+) is required$", r"one of these is missing: \1"),
    (r"^argument (\S+): not allowed with argument (\S+)$", r"\1 does not go with \2"),
    (r"^argument (\S+): ignored explicit argument .*$", r"\1 takes no value"),
    (r"^argument (\S+): ", r"\1: "),
)
"""What argparse says, and how we say it."""


class Parser(ArgumentParser):
    """Complains in one clean sentence: what it repeats may have come from anywhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})

    def error(self, message: str) -> NoReturn:
        """Print a sentence on how the command is used, and exit with 2."""
        said = clean(message, limit=1000)
        for pattern, plain in _PLAIN:
            said = re.sub(pattern, plain, said, count=1, flags=re.DOTALL)
        note(said)
        super().error(said)

    def read(self, arguments: Sequence[str]) -> Namespace:
        """Return what the arguments say; the same as ``parse_args`` with a better complaint."""
        self._refuse_unknown(arguments)
        found, left = self.parse_known_args(arguments)
        if left:
            parser = self._meant(arguments)
            parser.error(parser.no_use(left[0]))
        return found

    def no_use(self, word: str) -> str:
        """Say that an argument is of no use here, and what may have been meant."""
        named = repr(shorten(word.partition("=")[0] if word.startswith("-") else word, _CELLS))
        if not word.startswith("-"):
            return f"{named} is one word too many. See {self.prog} --help."
        known = [each for each in self._option_string_actions if each.startswith("--")]
        return _instead(f"there is no option {named}", word.partition("=")[0], known, self.prog)

    def _refuse_unknown(self, arguments: Sequence[str]) -> None:
        """Refuse an unknown option before the command: what follows it may be its value."""
        commands = [each for each in self._actions if isinstance(each, _SubParsersAction)]
        for word in arguments:
            if word == "--" or any(word in each.choices for each in commands):
                return
            if word.startswith("--") and word.partition("=")[0] not in self._option_string_actions:
                self.error(self.no_use(word))

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Return a value as its type. Raises ``ArgumentError`` in words that are no program's."""
        try:
            return super()._get_value(action, arg_string)
        except ArgumentError as error:
            if action.type is not int:
                raise
            named = repr(shorten(arg_string, _CELLS))
            raise ArgumentError(action, f"it has to be a whole number, not {named}") from error

    def _meant(self, arguments: Sequence[str]) -> Parser:
        """Return the parser of the command that the arguments name."""
        parser: Parser = self
        for word in arguments:
            for action in parser._actions:
                if isinstance(action, _SubParsersAction) and word in action.choices:
                    parser = action.choices[word]
                    break
        return parser

    def _check_value(self, action: Action, value: Any) -> None:
        """Raise ``ArgumentError`` for a value that is not a choice, and name the nearest choice."""
        if action.choices is None or value in action.choices:
            return
        named = repr(shorten(str(value), _CELLS))
        words = [str(each) for each in action.choices]
        if isinstance(action, _SubParsersAction):
            said = _instead(f"there is no command {named}", str(value), words, self.prog)
            # The name of the argument would stand before the sentence.
            raise ArgumentError(None, said)
        raise ArgumentError(action, _instead(f"it cannot be {named}", str(value), words, ""))


def _instead(said: str, word: str, known: Iterable[str], prog: str) -> str:
    """Return a complaint with the nearest right word, or with some of those that there are."""
    from difflib import get_close_matches

    words = list(known)
    near = get_close_matches(word.casefold(), words, 1, 0.6)
    found = f"{said}: did you mean {near[0]}?" if near else f"{said}."
    if not prog:
        return f"{found} It is {listed(words, 'or')}."
    examples = [each for each in words if each not in {*near, "--help"}][:_FEW]
    others = f"There {'is' if len(examples) == 1 else 'are'} {'also ' if near else ''}"
    some = f"{others}{listed(examples)}; " if examples else ""
    return f"{found} {some}{prog} --help lists all."
