"""Plain values that stand in programs, such as a sidebar in JavaScript. Nothing of them is run."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from copydesk.server.sources.mapping import MAX_YAML, BadYamlError, read_mapping

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?P<aside>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<sign>.)""",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u\{(?P<point>[0-9A-Fa-f]{1,6})\}|u(?P<unit>[0-9A-Fa-f]{4})|x(?P<byte>[0-9A-Fa-f]{2})|(?P<sign>.))",
    re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
"""What stands after a backslash, where it is not what it says."""

_EXPORTED = re.compile(
    r"(?:\bmodule\.exports\s*=|\bexport\s+default)\s+(\w+)\s*(?:;|$)", re.MULTILINE
)


def exported(name: str, text: str) -> re.Pattern[str] | None:
    """Return what stands before the value that a program exports, or None for JSON."""
    if name.endswith(".json"):
        return None
    found = _EXPORTED.search(text)
    names = "|".join(("sidebars", "meta", *([found[1]] if found else [])))
    return re.compile(
        rf"(?:module\.exports\s*=|export\s+default|\b(?:{names})\b[^=\n;]{{0,200}}=)"
        r"\s{0,200}(?=[\[{])"
    )


def read_value(text: str, start: re.Pattern[str] | None) -> Any:
    """Return the object or list of plain values that a program has behind ``start``.

    Raises ``BadYamlError`` where there is none, or where more than plain values is in it.
    """
    if len(text) > MAX_YAML:
        raise BadYamlError(f"is longer than {MAX_YAML // 1024} KiB")
    place = None if start is None else start.search(text)
    if start is not None and place is None:
        raise BadYamlError("is a program without a plain object in it")
    try:
        plain = _plain(text[place.end() if place else 0 :])
        return read_mapping(f"{{value: {plain}}}", lenient=True).get("value")
    except BadYamlError as error:
        raise BadYamlError(
            "is more than one object of plain values, and copydesk runs no code"
        ) from error


def _plain(text: str) -> str:
    """Return the object that a program begins with as YAML takes it, without remarks."""
    out: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["text"] is not None:
            said = token["text"]
            # What a template is made of is not known here: who reads it has a name of the page's.
            made = said[0] == "`" and "${" in said
            out.append("null" if made else json.dumps(_words(said[1:-1]), ensure_ascii=False))
        elif token["sign"] is not None:
            sign = token["sign"]
            if sign in "`(;" or (sign == "." and out[-1:] == ["."]):
                raise BadYamlError("is a program")
            out.append({":": ": ", "\t": " "}.get(sign, sign))
            depth += (sign in "{[") - (sign in "}]")
            if not depth and sign in "}]":
                break
    return "".join(out)


def _words(text: str) -> str:
    """Return what a text of a program says."""

    def said(escape: re.Match[str]) -> str:
        if escape["sign"] is not None:
            return _ESCAPED.get(escape["sign"], escape["sign"])
        code = int(escape["point"] or escape["unit"] or escape["byte"], 16)
        return chr(code) if code <= sys.maxunicode else "\ufffd"

    # What is beyond the first plane is often written as the two halves of UTF-16.
    halves = _ESCAPE.sub(said, text).encode("utf-16", "surrogatepass")
    return halves.decode("utf-16", "replace")
