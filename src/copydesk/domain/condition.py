"""Conditions over visitor attributes: whether they are surely broken.

They are expressions as in JavaScript, such as ``visitor.claims.plan == "pro" && !x``. A service
takes any text for one; what is broken shows its section to nobody. What may be valid passes: what
runs them knows the whole language. (The parsers of JavaScript for Python know that of years ago, or
are many times as large as this.)
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<comment>//[^\n]*|/\*.*?\*/)
        |(?P<value>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\.?\d[\w.]*|[\w$]+)
        |(?P<member>\.\.\.|\?\.(?!\d)|\.)
        |(?P<between>===?|!==?|=>|(?:>>>?|<<|\*\*|&&|\|\||\?\?)=?|[-+*/%^<>&|]=|[*/%^<>?:&|])
        |(?P<before>\+\+|--|[-+!~])
        |(?P<opens>[(\[{])
        |(?P<closes>[)\]}])
        |(?P<wrong>[="'`])
        |(?P<other>\S)
    )""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"\s*(?P<value>/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[\w$]*)")
"""A regular expression, which begins where a value may and is a division elsewhere."""

_WORDS_BEFORE = frozenset({"delete", "in", "instanceof", "new", "return", "typeof", "void"})
_WANTING = frozenset({"between", "before", "member", "word"})
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}


def why_no_condition(text: str) -> str | None:
    """Return the sure mistake in a condition, as a part of a sentence; else None."""
    opened: list[str] = []
    kind, part, at, text = "opens", "", 0, text.strip()
    while at < len(text):
        # Only after a value is a / a division.
        found = _PATTERN.match(text, at) if kind not in ("value", "closes") else None
        if (match := _TOKEN.match(text, at)) is None:
            break
        if match.lastgroup == "comment":
            at = match.end()
            continue
        match = found or match
        before, at, kind = kind, match.end(), match.lastgroup or ""
        part = match[kind]
        if kind == "wrong" and part == "=":
            if "=>" in text:  # a function may give its parameters and names a value
                kind = "between"
            else:
                return "= is not a comparison here: write =="
        elif kind == "wrong":
            return f"the text that {part} begins has no end"
        elif kind == "value":
            if part[0] == "`" and "${" in part:
                return None  # which has expressions in it, and maybe such texts in them
            kind = "word" if part in _WORDS_BEFORE and before != "member" else kind
        elif kind == "before" and part in ("++", "--") and before in ("value", "closes"):
            kind = "value"
        elif kind == "between":
            if text.startswith("/*", match.start(kind)):
                return "the comment that /* begins has no end"
            if part[0] == "/" and before not in ("value", "closes"):
                return f"the regular expression that {part} begins has no end"
            if before in _WANTING - {"word"} or (before == "opens" and part != "*"):
                return f"something is missing before {part}"
        elif kind == "opens":
            opened.append(part)
        elif kind == "closes":
            if not opened or _CLOSED_BY[opened.pop()] != part:
                return f"{part} closes nothing"
            if before in ("between", "before") and part != "}":
                return f"something is missing before {part}"
    if opened:
        return f"{_CLOSED_BY[opened[-1]]} is missing at its end"
    return f"something is missing after {part}" if kind in _WANTING else None
