"""What the terminal can do: whether there is one, which signs it shows (docs/terminal.md)."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from copydesk.cli.errors import UsageError
from copydesk.local.variables import switch_of, variable_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from copydesk.domain.own_theme import OwnTheme

POOR = ("", "dumb", "unknown")
"""What ``TERM`` says of terminals that cannot move their cursor."""

FEW_COLOURS = ("linux", "ansi", "vt1", "vt2", "vt3", "vt4", "vt5", "cons", "sun")
"""How ``TERM`` begins for terminals that have 16 colours at most."""

LINEAR_VARIABLE = variable_of("linear")

ACCESSIBLE_VARIABLE = "ACCESSIBLE"
"""What several programs take for the wish for plain lines."""

_linear: bool | None = None
"""Whether this run tells lines, once that is sure."""


def is_linear(wanted: bool = False) -> bool:
    """Whether lines are told in place of screens: asked for, or nothing else can be shown.

    A terminal that says nothing of itself counts as one that cannot move its cursor; where there is
    no terminal at all nobody asked for lines. "0" in the variable says no, whatever is ``wanted``.
    """
    if _linear is not None:
        return _linear
    if (own := switch_of(os.environ.get(LINEAR_VARIABLE))) is not None:
        return own
    if wanted or os.environ.get(ACCESSIBLE_VARIABLE, "0") not in ("", "0"):
        return True
    kind = os.environ.get("TERM", "")
    return os.name != "nt" and kind in POOR and (bool(kind) or is_terminal(sys.stdin, sys.stdout))


def use_linear(linear: bool) -> None:
    """Have this be the answer of `is_linear` in this run, whatever the environment says."""
    global _linear
    _linear = linear


def is_terminal(*streams: TextIO | None) -> bool:
    """Whether all streams are a terminal; None stands for one closed before the start."""
    return all(each is not None and not each.closed and each.isatty() for each in streams)


def require_terminal(why: str) -> None:
    """Raise ``UsageError`` with a sentence where there is no terminal."""
    if not is_terminal(sys.stdin, sys.stdout):
        raise UsageError(why)


def require(*, linear: bool = False) -> None:
    """Raise ``UsageError`` where the screens cannot be drawn, nor lines be read and told."""
    if linear:
        if any(each is None or each.closed for each in (sys.stdin, sys.stdout)):
            raise UsageError(
                "linear mode needs standard input and standard output: one of them is closed"
            )
    else:
        require_terminal(
            "the screens need a terminal. For scripts there are commands: see copydesk --help. "
            "With --linear lines are read, and answered in words"
        )
    for fixed in ("COLUMNS", "LINES"):
        # A terminal knows its size, also when it changes; what a shell exported once does not.
        os.environ.pop(fixed, None)


def shows_utf8(wanted: str = "auto") -> bool:
    """Whether the terminal shows more than ASCII: by its locale, or as ``wanted`` is "unicode"."""
    if wanted == "unicode":
        return True
    return "utf" in (_locale() or (sys.stdout and sys.stdout.encoding) or "").lower()


def signs(wanted: str) -> str:
    """Return which signs to draw: what was asked for, or what this terminal is known to show."""
    if wanted != "auto":
        return wanted
    return "unicode" if shows_utf8() and os.environ.get("TERM") != "linux" else "ascii"


def _locale() -> str:
    """Return the locale that was asked for; Python itself reads C as UTF-8, terminals do not."""
    everything, characters, rest = map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))
    if not everything and characters == "C.UTF-8" and rest in ("C", "POSIX"):
        # Python put the second there at its start, because of the third.
        return rest
    return everything or characters or rest or ""


FOLLOWING = {"colour-blind": "colour-blind-light", "ansi": "ansi-light"}
"""Themes with another form for a light background."""

FORMER = {"copydesk-dark": "dark", "copydesk-light": "light"}
"""Names that themes had, in settings of then."""


def theme_of(wanted: str, *, light: bool | None = None) -> str:
    """Return the theme to draw, for the setting and this terminal.

    A theme that is named always wins. ``light``: whether the terminal's background is, where that
    is known; COLORFGBG tells it in some terminals.
    """
    told = os.environ.get
    wanted = FORMER.get(wanted, wanted)
    if wanted in ("", "auto"):
        if "NO_COLOR" in os.environ:
            return "mono"
        wanted = "ansi" if _has_few_colours() else "auto"
    if light is None:
        # As "15;0", or "15;default;0": the last is the background; 7 and 15 are whites.
        light = told("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
    if wanted == "auto":
        return "light" if light else "dark"
    return FOLLOWING.get(wanted, wanted) if light else wanted


def _has_few_colours() -> bool:
    # Others have 256 in practice, also where TERM is xterm, screen or rxvt alone.
    kind = os.environ.get("TERM", "")
    few = kind.startswith(FEW_COLOURS) or kind.endswith(("-16color", "-color", "-mono"))
    return few and not os.environ.get("COLORTERM")


@contextmanager
def all_colours() -> Iterator[None]:
    """Have the screens, which are made meanwhile, draw in all the colours that the terminal has.

    Textual would draw in 8 where TERM does not end in "256color", which leaves hardly any of those
    of a theme. With NO_COLOR it would turn those of every theme into greys, and take the variable
    away from the programs that are started later.
    """
    before = {name: os.environ.get(name) for name in ("NO_COLOR", "TERM")}
    os.environ.pop("NO_COLOR", None)
    if before["TERM"] not in (None, *POOR) and not _has_few_colours():
        os.environ["TERM"] = f"{before['TERM']}-256color"
    try:
        yield
    finally:
        os.environ.update({name: value for name, value in before.items() if value is not None})


def follows_terminal(wanted: str) -> bool:
    """Whether a theme has a light and a dark form, and this terminal can be asked which it needs.

    Consoles with 16 colours do not know the question, and would write a part of it.
    """
    return theme_of(wanted, light=True) != theme_of(wanted, light=False) and not _has_few_colours()


def use_own_themes(themes: Sequence[OwnTheme]) -> None:
    """Have these themes beside those of copydesk; nothing is imported for none."""
    if themes:
        from copydesk.tui.framework.theme import use_own

        use_own(themes)


def refused_theme(theme: str, themes: Sequence[OwnTheme]) -> str:
    """Return why a theme cannot be used beside a person's own; "" where it can."""
    use_own_themes(themes)
    return why_no_theme(theme)


def why_no_theme(name: str) -> str:
    """Return why a theme cannot be used, as a sentence with those that can; "" where it can."""
    if name in ("auto", "dark", "light", "colour-blind", "ansi", "mono", *FORMER):
        return ""
    from copydesk.domain.nearest_word import did_you_mean
    from copydesk.domain.text import clean, listed, shorten
    from copydesk.tui.app import theme_names

    known = ["auto", *theme_names()]
    if name in known:
        return ""
    otherwise = f"there is no such theme. Use {listed(known, 'or')}"
    return f"theme is {shorten(clean(name))!r}: {did_you_mean(name, known, otherwise)}"
