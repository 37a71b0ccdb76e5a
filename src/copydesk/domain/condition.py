"""Conditions over visitor attributes: whether they are whole, as far as that is seen from here.

They are expressions as in JavaScript, such as ``visitor.claims.plan == "pro" && !x``. A service
takes any text for one; what is broken shows its section to nobody.
"""

from __future__ import annotations

import re

from copydesk.domain.text import clean, shorten

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<value>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`
            |\d[\w.]*|[^\W\d][\w$]*|\$[\w$]*)
        |(?P<member>\?\.|\.(?!\d))
        |(?P<between>===|!==|==|!=|<=|>=|=>|&&|\|\||\?\?|[<>+*/%?:,-])
        |(?P<before>!|~)
        |(?P<opens>[(\[{])
        |(?P<closes>[)\]}])
        |(?P<wrong>=|&|\||.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS_BETWEEN = frozenset({"in", "instanceof"})
_WORDS_BEFORE = frozenset({"typeof", "void"})
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_TWICE = {"=": "==", "&": "&&", "|": "||"}


def why_no_condition(text: str) -> str | None:
    """Return what is broken in a condition, as a part of a sentence; None where it can be read."""
    opened: list[str] = []
    wants, last = True, ""
    for match in _TOKEN.finditer(text.strip()):
        kind, part = match.lastgroup or "", match[match.lastgroup or 0]
        said = shorten(clean(part), 30)
        if kind == "value" and part in _WORDS_BETWEEN:
            kind = "between"
        elif kind == "value" and part in _WORDS_BEFORE:
            kind = "before"
        if kind == "wrong":
            if part in _TWICE:
                return f"{said} is no comparison here: write {_TWICE[part]}"
            ends = part in "\"'`"
            return f"the text that {said} begins has no end" if ends else f"{said} has no meaning"
        if kind == "value":
            if not wants:
                return f"something like && is missing before {said}"
            wants = False
        elif kind in ("between", "member"):
            if wants and not (part in "+-" and kind == "between"):
                return f"something is missing before {said}"
            wants = True
        elif kind == "before":
            if not wants:
                return f"something like && is missing before {said}"
        elif kind == "opens":
            if not wants and part == "{":
                return f"something like && is missing before {said}"
            opened.append(part)
            wants = True
        else:
            if not opened or _CLOSED_BY[opened[-1]] != part:
                return f"{said} closes nothing"
            if wants and last != opened[-1]:
                return f"something is missing before {said}"
            opened.pop()
            wants = False
        last = part
    if opened:
        return f"{_CLOSED_BY[opened[-1]]} is missing at its end"
    return f"something is missing after {shorten(clean(last), 30)}" if wants and last else None
