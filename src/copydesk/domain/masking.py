"""E-mail addresses and phone numbers, found in what people wrote and masked.

In doubt a number is masked: what was hidden is shown by one key, what was read cannot be taken
back. Left alone is what is plainly something else: dates, years, amounts, addresses of machines,
and plain numbers of orders and requests.
"""

from __future__ import annotations

import re

from copydesk.domain.text import slices

EMAIL_MASK = "[e-mail]"
PHONE_MASK = "[phone]"
NUMBER_MASK = "[number]"
"""Stands for a number in groups that is too long for a phone: of a card, of an account."""

# Names may carry combining marks.
_NAME = r"\w\u0300-\u036f"
# How the sign between is written, in an address of the web and in HTML too.
_AT = "@|%40|\uff20|\ufe6b|&#0*64;|&#x0*40;|&commat;"
_HAS_AT = re.compile(_AT, re.IGNORECASE)
_EMAIL = re.compile(
    # Nothing begins within a name or within an escape: each text is gone through once.
    rf"""(?:"[^"\n]{{1,64}}"|(?<![{_NAME}.+-])(?<![{_NAME}]['\u2019])(?!(?<=%)[0-9a-f]{{2}})"""
    rf"""(?:[{_NAME}.+-]|(?<=[{_NAME}])['\u2019](?=[{_NAME}])|%(?!40)[0-9a-f]{{2}})++)"""
    rf"""(?:{_AT})(?:\[[0-9a-z:.]{{2,45}}\]|[{_NAME}-]++(?:\.[{_NAME}-]++)++)""",
    re.IGNORECASE,
)

_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s(?=[^\W\d_])")
"""Where no number or address goes on."""

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:1[0-2]|0?[1-9])", r"(?:[12]\d|3[01]|0?[1-9])"
_DATE = (
    rf"(?:{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}|{_DAY}[-/.]{_MONTH}[-/.]{_YEAR}|{_MONTH}/{_DAY}/{_YEAR})"
    r"(?!\d|[-/.]\d)"
)
_GAP = r"[^\S\n]|[().\-/\u2010-\u2015\u2212\u00b7]"
"""What stands between the digits of a number."""

_NUMBER = re.compile(
    r"(?=[A-Z\d+(])(?:"  # most characters begin none of them
    rf"(?P<date>(?<![\w.]){_DATE})"
    r"|(?P<account>\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?\b)"
    # A plus begins a number wherever it stands; without one none begins in a word or in a path.
    r"|(?P<number>(?:(?<!\w)\+|(?<![\w/-])(?<!\d[.:]))\(?"
    rf"\d(?:\d|(?:{_GAP}){{1,3}}+(?!{_DATE})\d){{5,40}}+(?!\w)))"
)
_DIGITS = re.compile(r"\d+")
_PLAIN = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?"  # the address of a machine
    rf"|{_YEAR}(?:{_GAP}){{1,3}}{_YEAR}"  # from year to year
    r"|[1-9]\d?(?:\.\d{3}){2}"  # an amount in thousands
    r"|(?!0\d)\d+\.\d+"  # a fraction
)
_PORT = re.compile(r"[1-9]\d{1,4}/")

DIGITS = range(7, 16)
"""Digits of a phone number, of its country and all."""

PLAIN_DIGITS = range(10, 13)
"""Digits that are taken for a phone number although nothing stands between them."""

NATIONAL_DIGITS = range(9, 16)
"""Those of one that begins with a nought."""


def mask(text: str) -> str:
    """Return clean text with e-mail addresses and phone numbers replaced by what they are."""
    return "".join(
        _NUMBER.sub(_mask_number, mask_emails(part)) for part in slices(text, _BETWEEN_WORDS)
    )


def mask_emails(text: str) -> str:
    """Return clean text with e-mail addresses masked: for a web address, which has numbers."""
    return _EMAIL.sub(EMAIL_MASK, text) if _HAS_AT.search(text) is not None else text


def _mask_number(found: re.Match[str]) -> str:
    text = found.group()
    groups = _DIGITS.findall(text)
    count = sum(map(len, groups))
    if found["date"] is not None:
        return text
    if found["account"] is not None:
        return NUMBER_MASK if count >= PLAIN_DIGITS.start else text
    if not text.startswith("+"):
        if len(groups) == 1:
            known = NATIONAL_DIGITS if groups[0].startswith("0") else PLAIN_DIGITS
            return PHONE_MASK if count in known else text
        if _PLAIN.fullmatch(text) is not None:
            return text
        if found.string.endswith(":", 0, found.start()) and _PORT.match(text) is not None:
            return text  # the port of a host, and a path
    if count < DIGITS.start:
        return text
    opened = "(" if text.startswith("(") and ")" not in text else ""
    return opened + (PHONE_MASK if count in DIGITS else NUMBER_MASK)
