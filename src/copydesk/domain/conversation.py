"""What strangers wrote to support, made readable.

Bodies are Markdown or HTML from anybody (interaction.md 3.7). They become plain text: no markup is
obeyed, and a link shows where it leads. Who writes to a desk for documentation writes *about* tags,
too: only what is written as HTML is taken for it, and code stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape

from copydesk.domain.text import clean_long

_TAG = re.compile(
    r"<(?P<closes>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})"
    r"""(?P<rest>(?:\s++[^\s<>=/"']++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?)*+)\s*+/?>"""
)
_CODE_OR_TAG = re.compile(rf"(?P<code>```.*?(?:```|\Z)|`[^`\n]*`)|{_TAG.pattern}", re.DOTALL)
_ATTRIBUTE = re.compile(
    r"""\s([^\s=]+)(\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<plain>[^\s"'>]+)))?"""
)
_UNREAD = re.compile(r"<(?:(script|style)\b[^<>]*>|!--)", re.IGNORECASE)
_ENDS = {
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
    "": re.compile("-->"),
}
_LEFT_OUT = {"script": "[script]", "style": "", "": ""}
"""What stands for it: a style and a comment were no words to anybody."""

_LINES = frozenset(
    {
        "p", "div", "br", "tr", "ul", "ol", "table", "blockquote", "section", "article", "header",
        "footer", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "dl", "dt", "dd", "main", "nav",
        "aside", "figure", "figcaption", "caption", "select", "option", "textarea", "head", "title",
        "html", "body", "center", "form", "thead", "tbody", "tfoot", "details", "summary",
    }
)  # fmt: skip
_PHRASES = frozenset(
    {
        "a", "b", "i", "em", "strong", "u", "s", "span", "code", "img", "td", "th", "font", "small",
        "sub", "sup", "meta", "label", "button", "input", "iframe", "svg", "object", "mark", "del",
        "ins", "kbd", "abbr", "cite", "q", "time", "wbr", "col", "colgroup", "picture", "source",
        "video", "audio", "link", "base", "noscript",
    }
)  # fmt: skip
_KNOWN = _LINES | _PHRASES | {"li", "pre"}
"""Tags that are taken for HTML; anything else in angle brackets is what somebody wrote."""

_ALONE = frozenset(
    {
        "async", "autoplay", "checked", "controls", "defer", "disabled", "hidden", "loop",
        "multiple", "muted", "nowrap", "open", "readonly", "required", "reversed", "selected",
    }
)  # fmt: skip
"""Attributes that have no value. Other words in angle brackets are no tag: ``a <b and c> d``."""

_GAPS = re.compile(r"\n{4,}")


def readable(body: str) -> str:
    """Return a message as plain, clean text.

    Of what begins with a tag, and so is HTML as a whole, the styles and comments are left out and
    scripts are named; line ends are blanks there. In any other text tags and entities are read
    only where some element is closed, or a line broken, and neither in code nor in a fence.

    A megabyte takes a good part of a second: call it off the event loop for what is long.
    """
    if ">" in body:
        if _is_html(body):
            body = _plain(_read(body), _TAG.finditer, whole=True)
        elif any(
            _is_tag(tag) and (tag["closes"] or tag["name"].lower() == "br")
            for tag in _CODE_OR_TAG.finditer(body)
        ):
            body = _plain(body, _CODE_OR_TAG.finditer, whole=False)
    return _GAPS.sub("\n\n\n", clean_long(body)).strip()


def _is_html(body: str) -> bool:
    start = body[:4_000].lstrip()
    if start[:9].lower().startswith(("<!doctype", "<!--", "<script", "<style")):
        return True
    tag = _TAG.match(start)
    name = tag["name"].lower() if tag is not None and _is_tag(tag) else ""
    return name in _KNOWN and (name not in _PHRASES or name == "img")


def _is_tag(tag: re.Match[str]) -> bool:
    if (tag["name"] or "").lower() not in _KNOWN:
        return False
    return not tag["rest"] or all(
        each.group(2) or each.group(1).lower() in _ALONE
        for each in _ATTRIBUTE.finditer(tag["rest"])
    )


def _attribute(rest: str, name: str) -> str | None:
    """Return the value of an attribute; None where the tag does not have it."""
    for each in _ATTRIBUTE.finditer(rest):
        if each.group(1).lower() == name:
            return unescape(each["double"] or each["single"] or each["plain"] or "")
    return None


def _read(body: str) -> str:
    """Return HTML without what nobody reads; what is not closed stays, words may follow it."""
    parts: list[str] = []
    at = 0
    unclosed: set[str] = set()
    for begin in _UNREAD.finditer(body):
        name = (begin.group(1) or "").lower()
        if begin.start() < at or name in unclosed:
            continue
        end = _ENDS[name].search(body, begin.end())
        if end is None:
            unclosed.add(name)
            continue
        parts += (body[at : begin.start()], _LEFT_OUT[name])
        at = end.end()
    return "".join(parts) + body[at:]


def _plain(body: str, tags: Callable[[str], Iterator[re.Match[str]]], *, whole: bool) -> str:
    parts: list[str] = []
    link, verbatim, at = "", int(not whole), 0
    link_from = 0
    for tag in tags(body):
        if tag["name"] is None:
            parts += (_words(body[at : tag.start()], verbatim), tag.group())
            at = tag.end()
            continue
        if not _is_tag(tag):
            continue
        closes, name, rest = bool(tag["closes"]), tag["name"].lower(), tag["rest"]
        parts.append(_words(body[at : tag.start()], verbatim))
        at = tag.end()
        if name == "a" and link:
            # Also at the next one, where the one before was never closed.
            parts.append(_target(link, parts[link_from:]))
            link = ""
        if name in _LINES:
            if closes or name in ("br", "hr"):
                parts.append("\n")
            elif name == "p":
                parts.append("\n\n")
            elif (words := "".join(parts[-2:]).rstrip(" ")) and not words.endswith("\n"):
                parts.append("\n")
        elif name == "li" and not closes:
            parts.append("\n- ")
        elif name in ("td", "th") and not closes:
            parts.append("  ")
        elif name == "pre":
            verbatim = max(0, verbatim + (-1 if closes else 1))
            parts.append("\n")
        elif name == "img" and (alt := _attribute(rest, "alt")) is not None:
            parts.append(f"[image: {alt}]")
        elif name == "img" and not whole:
            parts.append(tag.group())
        elif name == "a" and not closes:
            link = _attribute(rest, "href") or ""
            link_from = len(parts)
    parts.append(_words(body[at:], verbatim))
    if link:
        parts.append(_target(link, parts[link_from:]))
    lines = [
        line.strip() if not line.startswith(" " * 4) else line.rstrip()
        for line in "".join(parts).split("\n")
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) if whole else "\n".join(lines)


def _target(link: str, words: list[str]) -> str:
    """Return where a link leads, unless its words say so already."""
    return "" if "".join(words).strip() == link else f" ({link})"


def _words(text: str, verbatim: int) -> str:
    """Return the text between two tags, white space as a browser shows it."""
    return unescape(text) if verbatim else unescape(re.sub(r"\s+", " ", text))
