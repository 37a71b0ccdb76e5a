"""What strangers wrote to support, made readable.

Bodies are Markdown or HTML from anybody. They become plain text: no markup is
obeyed, and a link shows where it leads. Who writes to a desk for documentation writes *about* tags,
too: only what is written as HTML is taken for it, and code stays as it is.
"""

from __future__ import annotations

import re
from html import unescape

from copydesk.domain.text import clean_long

_TAG = re.compile(
    r"<(?P<closes>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})"
    r"""(?P<rest>(?:\s++[^\s<>=/"']++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?){0,1000})\s*+/?>"""
)
"""What has more attributes than that is no tag of anybody, and each of them costs memory."""

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
_LEFT_OUT = {"script": "[script]", "style": "[style]", "": "[comment]"}
"""What stands for it: nothing is left out without a word."""

_PICTURES = {
    "img": "image", "svg": "image", "iframe": "frame", "video": "video", "audio": "audio",
    "object": "object",
}  # fmt: skip
"""The kinds of content that are not text, and the words in their place."""

_FENCE = re.compile(r"^ {0,3}```", re.MULTILINE)
_CLOSING = re.compile(r"</([a-zA-Z][a-zA-Z0-9]{0,15})\s*>")

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

    Of what is HTML as a whole (it begins with an element that is closed, and has no fence) styles,
    scripts and comments are named, not shown, and line ends are blanks. In any other text an
    element is read only where it is closed and is no word of a sentence, and neither in code nor in
    a fence; the rest stays as it was written, entities too where there is no element.

    A megabyte takes a good part of a second: call it off the event loop for long texts.
    """
    if ">" in body:
        if _is_html(body):
            body = _plain(_read(body))
        elif meant := _meant(body):
            body = _plain(body, meant)
    return _GAPS.sub("\n\n\n", clean_long(body)).strip()


def html_text(body: str) -> str:
    """Return what is known to be HTML as plain, clean text, as `readable` reads it.

    What nobody reads is not named: programs write it, and nothing of it was said.
    """
    return _GAPS.sub("\n\n\n", clean_long(_plain(_read(body, named=False)))).strip()


def looks_like_html(body: str) -> bool:
    """Whether a text is HTML as a whole: it begins with an element that is closed."""
    return ">" in body and _is_html(body)


def _is_html(body: str) -> bool:
    at = 0
    # What nobody reads may stand before it.
    while (begin := _UNREAD.match(body, _past_blanks(body, at))) is not None:
        end = _ENDS[(begin.group(1) or "").lower()].search(body, begin.end())
        if end is None:
            return False
        at = end.end()
    at = _past_blanks(body, at)
    if body[at : at + 9].lower() == "<!doctype":
        return True
    tag = _TAG.match(body, at)
    if tag is None or not _is_tag(tag) or _FENCE.search(body) is not None:
        return False
    name = tag["name"].lower()
    return name not in _PHRASES and any(
        closing.group(1).lower() == name for closing in _CLOSING.finditer(body)
    )


def _past_blanks(body: str, at: int) -> int:
    while body[at : at + 1].isspace():
        at += 1
    return at


def _meant(body: str) -> set[int]:
    """Return where the tags are that somebody wrote as such, in a text that is not all HTML."""
    found: set[int] = set()
    opened: dict[str, list[int]] = {}
    for tag in _CODE_OR_TAG.finditer(body):
        if tag["name"] is None or not _is_tag(tag):
            continue
        name, start = tag["name"].lower(), tag.start()
        if name in ("br", "hr"):
            # Between two blanks it is a word of a sentence.
            if body[start - 1 : start] != " " or body[tag.end() : tag.end() + 1].strip(" "):
                found.add(start)
        elif name == "img":
            if _attribute(tag["rest"], "alt"):
                found.add(start)
        elif not tag["closes"]:
            opened.setdefault(name, []).append(start)
        elif opened.get(name):
            begin = opened[name].pop()
            if name in _PHRASES - set(_PICTURES) or body[begin - 1 : begin] != " ":
                found |= {begin, start}
    return found


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


def _read(body: str, *, named: bool = True) -> str:
    """Return HTML without its unread parts. An unclosed one stays: words may follow it.

    ``named`` says what was there in their places.
    """
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
        parts += (body[at : begin.start()], _LEFT_OUT[name] if named else "")
        at = end.end()
    return "".join(parts) + body[at:]


def _plain(body: str, meant: set[int] | None = None) -> str:
    """Return the words of HTML; of a text that is not all HTML, ``meant`` are its tags."""
    parts: list[str] = []
    whole = meant is None
    link, verbatim, at = "", int(not whole), 0
    link_from = 0
    for tag in (_TAG if whole else _CODE_OR_TAG).finditer(body):
        if not whole and tag["name"] is None:
            parts += (_words(body[at : tag.start()], verbatim), tag.group())
            at = tag.end()
            continue
        if not _is_tag(tag) if meant is None else tag.start() not in meant:
            continue
        closes, name, rest = bool(tag["closes"]), tag["name"].lower(), tag["rest"]
        parts.append(_words(body[at : tag.start()], verbatim))
        at = tag.end()
        if link and (name == "a" or (closes and name in _LINES)):
            # Also at the next one and behind the paragraph, where it was never closed.
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
        elif name in _PICTURES and not closes:
            said = _attribute(rest, "alt") or (name != "img" and _attribute(rest, "src"))
            parts.append(f"[{_PICTURES[name]}: {said}]" if said else f"[{_PICTURES[name]}]")
        elif name == "a" and not closes:
            link = _attribute(rest, "href") or ""
            link_from = len(parts)
    parts.append(_words(body[at:], verbatim))
    if link:
        parts.append(_target(link, parts[link_from:]))
    text = "".join(parts)
    if not whole:
        return text
    lines = [
        line.strip() if not line.startswith(" " * 4) else line.rstrip() for line in text.split("\n")
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _target(link: str, words: list[str]) -> str:
    """Return where a link leads, unless its words say so already."""
    said = "".join(words).strip()
    return "" if link in (said, f"mailto:{said}", f"tel:{said}") else f" ({link})"


def _words(text: str, verbatim: int) -> str:
    """Return the text between two tags, white space as a browser shows it."""
    return unescape(text) if verbatim else unescape(re.sub(r"\s+", " ", text))
