"""Keys that the screens name in their sentences, held against those that do something there.

A sentence that names a key of another screen sends people to a key that does something else, or
nothing. What is said of another screen says so: "there", or ", then".
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from textual.dom import DOMNode

from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.framework.actions import SCOPES, Action, Acts, NotYet, shown

_NAMED = re.compile(
    r"""(?<![\w“”"'’./{}<>=:-])(?<!\{\}[ ])
    (?P<key>g[ ]?[a-z]\b|[b-zB-HJ-Z]|[<>/](?=[ ])|ctrl\+\S|Space|Enter)
    (?![\w'’“”{}/=-]|\.\w)
    |(?:^|[.;:,(][ ]?)(?P<word>[aAI])[ ][a-z]+s\b""",
    re.VERBOSE,
)
"""A key in a sentence; "a", "A" and "I" are words, unless the sentence says what they do."""

_ELSEWHERE = re.compile(r"\bthere\b|, then ")
"""What a part of a sentence has that is about another screen."""

_LEGEND = re.compile(r"; d drafts, m merged")
"""What letters in a column stand for, which are no keys."""


def named(said: str) -> Iterator[str]:
    """Yield the keys that a sentence names as such of the screen that it is said on."""
    if " " not in said.strip() or _NAMED.fullmatch(said) or _LEGEND.search(said):
        return  # what declares a key is no sentence
    for part in re.split(r"(?<=[.;:])\s", said):
        for each in () if _ELSEWHERE.search(part) else _NAMED.finditer(part):
            key = (each["key"] or each["word"]).replace(" ", "")
            if key != "go" or "g o" in part:
                yield {"Space": "space", "Enter": "enter"}.get(key, key)


def refused_wrong(app: CopydeskApp, *, off: bool) -> Iterator[str]:
    """Yield what refusals of now, and empty lists, say of keys that do nothing here.

    With ``off`` also of those that are refused themselves, as most are where a desk is empty.
    """
    screen, jumps = app.screen, _jumps()
    if getattr(screen.focused, "TYPES_TEXT", False):
        return  # no key acts while something is typed
    # What is said may be about any pane that is shown: Tab goes there.
    shows = [screen, *filter(_may_have_focus, screen.walk_children())]
    commands = [each for each in getattr(screen, "owners", ()) if each is not screen]
    acting = (each for node in shows for each in node.ancestors_with_self if isinstance(each, Acts))
    chain = dict.fromkeys(owner for each in acting for owner in each.owners)
    there: dict[str, list[str | None]] = {}
    for owner in chain:
        for action in owner.ACTIONS.values():
            for key in action.keys:
                there.setdefault(shown(key), []).append(_why_off(owner, action))
    for node in (*shows, *commands):
        for said, about, keys in _said(node):
            for key in named(said):
                what = f"{about}: “{said}” names {key}"
                if key not in there:
                    if key not in jumps:
                        yield f"{what}, which does nothing here"
                elif off and key not in keys and None not in there[key]:
                    yield f"{what}, which is off here: {there[key][0]}"


def _why_off(owner: Any, action: Action) -> str | None:
    why = action.reason(owner)
    return None if isinstance(why, NotYet) else why


def _said(owner: Any) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what is refused by whom, with the keys that are refused, and what is empty."""
    for action in owner.ACTIONS.values():
        if (why := _why_off(owner, action)) is not None:
            yield why, action.id, action.keys
    empty = getattr(owner, "empty", "")
    if isinstance(empty, str) and getattr(owner, "selected", "") is None:
        yield empty, "the empty list", ()


def _may_have_focus(node: DOMNode) -> bool:
    return isinstance(node, Acts) and bool(getattr(node, "can_focus", False) and node.display)


def said_wrong(app: CopydeskApp) -> Iterator[str]:
    """Yield the sentences of a screen, and of the guards on it, that name a key it has nowhere."""
    nodes = app.screen.walk_children(with_self=True)
    shows = [each for each in nodes if isinstance(each, Acts)]
    shows += [each for each in getattr(app.screen, "owners", ()) if each is not app.screen]
    actions = [action for each in shows for action in each.ACTIONS.values()]
    there = {shown(key) for action in actions for key in action.keys} | _jumps() | _of_forms()
    classes = type(app.screen).__mro__
    sources: list[Any] = [cls for cls in classes if cls.__module__.startswith("copydesk.")]
    sources += dict.fromkeys(guard for action in actions for guard in _guards(action))
    for source in sources:
        for said in _texts(source):
            for key in named(said):
                if key not in there:
                    where = f"{source.__module__}, {source.__qualname__}"
                    yield f"{where}: “{said}” names {key}, which this screen has not"


def _jumps() -> set[str]:
    return {shown(key) for entry in navigation.ENTRIES.values() for key in entry.action.keys}


def _of_forms() -> set[str]:
    """Return the keys of a field, which what is said in a form may name."""
    return {
        shown(key)
        for kind in SCOPES["form_input"]
        for each in kind.ACTIONS.values()
        for key in each.keys
    }


def _guards(action: Action) -> Iterator[Callable[..., Any]]:
    for guard in action.unless:
        yield guard
        for cell in getattr(guard, "__closure__", None) or ():
            if inspect.isfunction(cell.cell_contents):  # one that asks for the marks first
                yield cell.cell_contents


@cache
def _texts(source: Any) -> list[str]:
    """Return the texts in a class or a function, with "{}" for what is put in; no docstrings."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(source)))
    except (OSError, TypeError, SyntaxError):  # made by a call
        return []
    parts, texts = set[int](), list[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            parts.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts |= {id(each) for each in node.values}
            texts.append(
                "".join(
                    str(getattr(each, "value", "")) if isinstance(each, ast.Constant) else "{}"
                    for each in node.values
                )
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            texts.append(node.value)
    return texts
