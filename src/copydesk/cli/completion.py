"""``copydesk completion``: what a shell needs to complete commands, options and file names."""

from __future__ import annotations

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from copydesk.cli.arguments import build_parser
from copydesk.cli.errors import DONE
from copydesk.cli.output import put_bytes

TAKES_FILES = ("files", "body")
"""Arguments that are the names of files and not paths, for ``-`` is one of them."""


ZSH_TAIL = """
if [[ $funcstack[1] == _copydesk ]]; then
  # The file is in fpath, and zsh has loaded it to complete something.
  _shtab_copydesk "$@"
else
  # It is sourced or evaluated.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _shtab_copydesk copydesk
fi
"""
"""How the script for zsh ends: that of shtab completes at once where it is sourced, which fails."""


def print_completion(*, shell: str) -> int:
    """Print the script that completes ``copydesk`` in a shell."""
    put_bytes(script(shell).encode())
    return DONE


def script(shell: str) -> str:
    """Return the script, made from the same declarations that arguments are parsed by."""
    import shtab

    parser = build_parser()
    for action in _actions(parser):
        if action.type is Path or action.dest in TAKES_FILES:
            # shtab looks for this; an action of argparse has no such field.
            vars(action)["complete"] = shtab.FILE
    text: str = shtab.complete(parser, shell)
    if shell == "zsh":
        text = text[: text.rindex("if [[ $zsh_eval_context")].rstrip() + "\n" + ZSH_TAIL
    return text


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, _SubParsersAction):
            choices: dict[str, Any] = dict(action.choices)
            for below in {id(each): each for each in choices.values()}.values():
                yield from _actions(below)
