"""What strangers wrote to support, made readable and discreet.

Bodies are Markdown or HTML from anybody (interaction.md 3.7). They become plain text: no markup is
obeyed, and a link shows where it leads. E-mail addresses and phone numbers can be masked.
"""

from __future__ import annotations

import re
from html import unescape

from copydesk.domain.text import clean_long, slices

EMAIL_MASK = "[e-mail]"
PHONE_MASK = "[phone]"

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})((?:\s[^<>]*)?)/?>")
_COMMENT = re.compile(r"<!--.*?-->|<!--.*\Z", re.DOTALL)
_UNREAD = re.compile(r"(?is)<(script|style|head|title)\b[^<>]*>.*?(?:</\1\s*>|\Z)")
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)

_LINES = frozenset(
    {
        "p",
        "div",
        "br",
        "tr",
        "ul",
        "ol",
        "table",
        "blockquote",
        "section",
        "article",
        "header",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
    }
)
_INLINE = frozenset(
    {
        "a",
        "b",
        "i",
        "em",
        "strong",
        "u",
        "s",
        "span",
        "code",
        "img",
        "td",
        "th",
        "tbody",
        "thead",
        "font",
        "small",
        "sub",
        "sup",
        "html",
        "body",
        "center",
        "meta",
        "label",
        "button",
        "input",
        "form",
        "iframe",
        "svg",
        "object",
    }
)
_KNOWN = _LINES | _INLINE | {"li", "pre"}
"""Tags that are taken for HTML; anything else in angle brackets is what somebody wrote."""

# Names may carry combining marks; in an address of the web these and the sign between may be
# escaped, and none begins within an escape.
_NAME = r"\w\u0300-\u036f"
_EMAIL = re.compile(
    rf"(?<![{_NAME}.+-])(?!(?<=%)[0-9a-f]{{2}})(?:[{_NAME}.+-]|%(?!40)[0-9a-f]{{2}})++(?:@|%40)[{_NAME}-]++"
    rf"(?:\.[{_NAME}-]++)++",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w./:-])(?:\+|00)?\(?\d(?:[\s().-]{0,2}\d){6,14}(?![\w/:-])")
_GAPS = re.compile(r"\n{4,}")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s(?=[^\W\d_])")
"""Where no number or address goes on."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,3}(?:\.\d{1,3}){3}\Z")


def readable(body: str) -> str:
    """Return a message as plain, clean text, nothing of its words left out.

    A megabyte takes a good part of a second: call it off the event loop for what is long.
    """
    if ">" in body and any(tag.group(2).lower() in _KNOWN for tag in _TAG.finditer(body)):
        body = _from_html(body)
    return _GAPS.sub("\n\n\n", clean_long(body)).strip()


def _from_html(body: str) -> str:
    body = _UNREAD.sub("", _COMMENT.sub("", body))
    parts: list[str] = []
    link, verbatim, at = "", 0, 0
    link_from = 0
    for tag in _TAG.finditer(body):
        closes, name, rest = tag.group(1) == "/", tag.group(2).lower(), tag.group(3)
        if name not in _KNOWN:
            continue
        parts.append(_words(body[at : tag.start()], verbatim))
        at = tag.end()
        if name in _LINES:
            parts.append("\n" if closes or name in ("br", "hr") else "\n\n" * (name == "p"))
        elif name == "li" and not closes:
            parts.append("\n- ")
        elif name == "pre":
            verbatim = max(0, verbatim + (-1 if closes else 1))
            parts.append("\n")
        elif name == "img" and (alt := _ALT.search(rest)) is not None:
            parts.append(f"[image: {unescape(alt.group(1) or alt.group(2) or '')}]")
        elif name == "a" and not closes:
            found = _HREF.search(rest)
            link = unescape(next(filter(None, found.groups()), "")) if found else ""
            link_from = len(parts)
        elif name == "a" and link:
            if "".join(parts[link_from:]).strip() != link:
                parts.append(f" ({link})")
            link = ""
    parts.append(_words(body[at:], verbatim))
    lines = [
        line.strip() if not line.startswith(" " * 4) else line.rstrip()
        for line in "".join(parts).split("\n")
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _words(text: str, verbatim: int) -> str:
    """Return the text between two tags, white space as a browser shows it."""
    return unescape(text) if verbatim else unescape(re.sub(r"\s+", " ", text))


def mask(text: str) -> str:
    """Return clean text with e-mail addresses and phone numbers replaced by what they are."""
    return "".join(
        _PHONE.sub(_mask_phone, mask_emails(part)) for part in slices(text, _BETWEEN_WORDS)
    )


def mask_emails(text: str) -> str:
    """Return clean text with e-mail addresses masked: for a web address, which has numbers."""
    return _EMAIL.sub(EMAIL_MASK, text) if "@" in text or "%40" in text else text


def _mask_phone(found: re.Match[str]) -> str:
    number = found.group()
    digits = sum(character.isdigit() for character in number)
    # Dates, addresses of machines and the numbers of orders and requests are no secrets.
    plain = number.isdigit() and not (number.startswith("00") or digits in (10, 11))
    return number if plain or _DATE.match(number) else PHONE_MASK
