"""Plain values that stand in programs, such as a sidebar in JavaScript. Nothing of them is run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from copydesk.server.sources.mapping import MAX_YAML, BadYamlError, read_mapping

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?P<aside>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<name>[\w$]+)|(?P<sign>.)""",
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


def values_named(text: str, name: str) -> Iterator[Any]:
    """Yield the values that keys of a name have in a program.

    Raises ``BadYamlError`` where one is more than plain values.
    """
    for _, _, end in _keys(text, {name}):
        yield _value(text, end)


def _keys(text: str, names: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield each key of some names, how deep it stands, and where its value begins."""
    depth, before, key = 0, "", ""
    for token in _TOKEN.finditer(text):
        if token["aside"] is not None or token[0].isspace():
            continue
        if token[0] == ":" and key in names:
            yield key, depth, token.end()
        word = token[0] if token["text"] is None else _said(token[0])
        key = word or "" if before in ("{", ",") else ""
        before = token[0]
        depth += (before in ("{", "[", "(")) - (before in ("}", "]", ")"))


def _value(text: str, start: int) -> Any:
    for token in _TOKEN.finditer(text, start):
        if token["aside"] is None and not token[0].isspace():
            if token["text"] is not None:
                return _said(token[0])
            if token[0] in ("{", "["):
                return read_value(text[token.start() :], None)
            break
    raise BadYamlError("is more than one object of plain values, and copydesk runs no code")


_OF_SITES = ("sidebar", "nav", "themeConfig", "locales")
"""What the configuration of a site has beside its title, or below."""


def title_of_site(text: str) -> str | None:
    """Return the title in the configuration of a site, where it is a plain text."""
    keys = list(_keys(text, {"title", *_OF_SITES}))
    deepest = min((depth for key, depth, _ in keys if key != "title"), default=sys.maxsize)
    for key, depth, end in keys:
        if key == "title" and depth <= deepest:
            with suppress(BadYamlError):
                title = _value(text, end)
                return title if isinstance(title, str) else None
    return None


def _said(text: str) -> str | None:
    """Return what a text in its quotation marks says; None for a template that is filled in."""
    return None if text[0] == "`" and "${" in text else _words(text[1:-1])


def _plain(text: str) -> str:
    """Return the object that a program begins with as YAML takes it, without remarks."""
    out: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["text"] is not None:
            out.append(json.dumps(_said(token["text"]), ensure_ascii=False))
        elif token["aside"] is None:
            sign = token[0]
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
