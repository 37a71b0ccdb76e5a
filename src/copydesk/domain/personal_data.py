"""E-mail addresses, numbers and keys, found in what people wrote and masked.

In doubt a number is masked, and always whole: what was hidden is shown by one key, what was read
cannot be taken back. Text that is plainly something else is left alone: dates, times, versions,
amounts, addresses of machines, and short numbers of orders and requests.

The rule is our own. The library ``phonenumbers`` finds national numbers for one country at a time
(of what strangers from anywhere write it leaves many in clear, or masks a half), takes up to twenty
seconds for a megabyte, and is fifty megabytes large.
"""

from __future__ import annotations

import re
from functools import cache

from copydesk.domain.text import slices

EMAIL_MASK = "[e-mail]"
PHONE_MASK = "[phone]"
NUMBER_MASK = "[number]"
"""Stands for a number that is too long for a phone: of a card, of an account."""
HIDDEN_MASK = "[secret]"
"""Stands for a password, a token or a key."""

# Names may carry combining marks.
_NAME = r"\w\u0300-\u036f"
_INSIDE = r"'\u2019!#$*^~"
"""Signs that a name has only between two of its letters."""

# How the sign between is written: in an address of the web, in HTML, against robots.
_AT = (
    "@|%40|\uff20|\ufe6b|&#0*64;|&#x0*40;|&commat;"
    r"|[^\S\n]?[\[({][^\S\n]?(?:at|@)[^\S\n]?[\])}][^\S\n]?"
)
_DOT = r"[.\u3002\uff0e]|[^\S\n]?[\[({][^\S\n]?(?:dot|punkt)[^\S\n]?[\])}][^\S\n]?|&#0*46;"
_HAS_AT = re.compile(_AT, re.IGNORECASE)
_LOCAL = rf"""(?:[{_NAME}.+-]++|(?<=[{_NAME}])[{_INSIDE}](?=[{_NAME}.+-])|%(?!40)[0-9a-f]{{2}})+"""
_HOST = (
    rf"(?:</?[a-z]{{1,9}}>)?(?:{_AT}|[ ]@[ ])(?:</?[a-z]{{1,9}}>)?"
    rf"(?:\[(?:ipv6:)?[0-9a-f:.]{{2,40}}\]|"
    # Nothing but numbers is the version of a package ("lodash@4.17.21"), unless it is a machine.
    rf"(?=(?:[\d_-][{_NAME}-]*+(?:{_DOT}))*[^\W\d_]|\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\w.]))"
    rf"[{_NAME}-]++(?:(?:{_DOT})[{_NAME}-]++)+(?!(?:{_DOT})[{_NAME}-]))"
)


@cache  # to compile the two takes 30 ms, which what masks nothing need not wait for
def _email() -> re.Pattern[str]:
    return re.compile(
        # Nothing begins within a name or within an escape: each text is gone through once.
        rf"""(?:"[^"\n]++"|(?<![{_NAME}.+-])(?<![{_NAME}][{_INSIDE}])(?!(?<=%)[0-9a-f]{{2}}){_LOCAL})"""
        rf"""{_HOST}(?:{_LOCAL}{_HOST})*""",
        re.IGNORECASE,
    )


_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])\s(?=[^\W\d_])")
"""Where no number or address goes on."""

_BLANK = r"[^\S\n]"
_GAPS = (
    r" \t\r\f\v\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    r"().\-/\u2010-\u2015\u2212\u00b7\u2022\u30fb\u30fc\uff08\uff09\uff0d\uff0e\uff0f"
)
_GAP = f"[{_GAPS}]"
"""Blanks and signs between the digits of a number; one class is gone through at the least cost."""

# What is left alone.
_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:1[0-2]|0?[1-9])", r"(?:[12]\d|3[01]|0?[1-9])"
_ONE_DATE = (
    rf"(?:{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}|{_DAY}[-/.]{_MONTH}[-/.]{_YEAR}"
    rf"|{_MONTH}/{_DAY}/{_YEAR})(?!\d)"
)
_DATE = rf"{_ONE_DATE}(?![-/.](?!{_ONE_DATE})\d)"
_TIME = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?![\d:])"
_YEARS = rf"{_YEAR}(?:{_GAP}{{1,3}}+{_YEAR}){{1,30}}(?!\d|{_GAP}{{1,4}}\d)"
_HEX = "[0-9A-Fa-f]"
_UUID = rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}(?![A-Za-z0-9])"
_MONEY = r"[$\u00a3\u00a5\u20a0-\u20bf]"
_THOUSANDS = r"(?:[.,'\u2019]|[^\S\n])\d{3}(?!\d)"
_CENTS = r"(?:[.,]\d{1,2}(?!\d))?"
_END = r"(?![A-Za-z0-9_]|\.\d|[-/]\d)"
_PARTS = (
    r"(?!0\d)(?:\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![A-Za-z0-9_]|\.\d)"  # a machine
    # A version: short, or with a part of one digit, as no phone number has in its middle.
    r"|(?=[\d.]{5,8}(?![\d.])|[\d.]{2,16}?\.\d(?!\d))"
    rf"\d{{1,5}}(?:\.\d{{1,8}}){{2,4}}{_END})"
)
_PLAIN = (
    rf"{_PARTS}|(?!0\d)(?:\d{{1,2}}\.\d+|\d+\.\d{{1,2}}){_END}"  # a fraction
    rf"|{_MONEY}{_BLANK}?\d{{1,12}}(?!\d)(?:[.,'\u2019\u00a0\u202f]\d{{3}}(?!\d))*{_CENTS}"
    rf"|[1-9]\d{{0,11}}(?:{_THOUSANDS}){{0,6}}{_CENTS}{_BLANK}?"
    rf"(?:{_MONEY}(?!{_BLANK}?\d)|(?:EUR|USD|GBP|CHF|JPY|kr)\b)"
    rf"|(?:[1-9]\d?(?:\.\d{{3}}){{2}}|[1-9](?:{_BLANK}\d{{3}}){{2}})(?!\w|{_GAP}{{1,4}}\d)"
)

_REST = r"(?:[^\S\n]|[-.])?"
_ACCOUNT = (
    r"(?=(?:[^\d\n]{0,6}\d){10})(?:"
    rf"[A-Z]{{2}}\d{{2}}(?:{_REST}[A-Z0-9]{{4}}){{2,7}}(?:{_REST}[A-Z0-9]{{1,3}})?"
    rf"|[A-Za-z]{{2}}\d{{2}}(?:{_REST}\d{{4}}){{2,7}}(?:{_REST}\d{{1,3}})?)(?![A-Za-z0-9])"
    rf"(?:[-._](?!{_DATE})\d++)*"
)
_MORE = rf"(?!{_DATE}|{_TIME})\d"
_OTHER = rf"(?!(?<=\s)(?:{_PARTS})){_MORE}"
"""Goes on with a number that begins neither with a plus nor with a nought."""


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"(?=[\d(+%$\u00a3\u00a5\u20a0-\u20bf\uff0b]|[A-Za-z]{2}\d\d|https?:|localhost|"
        rf"{_HEX}{{8}}-)(?:"  # most characters begin none of them
        r"(?P<url>(?:https?://|localhost[:/])[^\s<>\"]++)"
        rf"|(?P<date>(?<!\d)(?<!\d[.:])(?:{_DATE}|{_TIME}|{_YEARS})|(?<![A-Za-z0-9]){_UUID})"
        rf"|(?P<plain>(?<![A-Za-z0-9_.])(?:{_PLAIN}))"
        rf"|(?P<account>(?<![A-Za-z0-9]){_ACCOUNT})"
        # A plus begins a number wherever it stands; without one none begins in the middle of an
        # id, but it does behind a word ("Tel0170"). One expression takes all of it, whatever it is
        # then: no text is gone through twice.
        r"|(?P<number>(?P<plus>[+\uff0b]|%2[Bb])\(?"
        rf"\d++(?:[{_GAPS}_\n]{{1,4}}+{_MORE}\d*+)*"
        r"|(?:(?<![A-Za-z0-9])(?<!\d[-.])|(?<=[A-Za-z]{3})(?<![A-Fa-f]{3}))"
        rf"(?:\((?!{_DATE}|{_TIME}|{_YEARS}|{_PLAIN}|{_UUID}))?"
        rf"(?:0\d*+(?:{_GAP}{{1,4}}+{_MORE}\d*+)*|\d++(?:{_GAP}{{1,4}}+{_OTHER}\d*+)*))"
        rf"(?i:{_BLANK}?(?:ext\.?|x){_BLANK}?\d++(?:[-.]\d++)*(?![A-Za-z0-9]|[-.]\d))?"
        r"(?P<tail>_*(?!https?:|localhost)[A-Za-z][A-Za-z0-9_]*+)?)"
    )


_DIGITS = re.compile(r"\d+")
_CALLED = re.compile(
    r"(?<!\[)(?:tel|phon|fon|mobil|handy|cell|whatsapp|sms|fax|call|rufnummer|\u7535\u8bdd|\u624b\u673a"
    r"|\u96fb\u8a71|\u643a\u5e2f)[^\W\d_]{0,7}\W{0,4}\Z",
    re.IGNORECASE,
)
"""What says before a number that it is one of a phone."""

_WORD = re.compile(r"(?=[A-Za-z]*[G-Zg-z])[A-Za-z]{3,}\Z")
"""Signs behind a number, without a blank, that do not make an id of it."""

_IN_ADDRESS = re.compile(
    r"((?:\+|%2B|(?:tel|phone|mobile|msisdn|whatsapp|fax|sms|wa\.me)\w{0,12}[=/:](?:\+|%2B)?)\(?)"
    r"\d(?:[().-]{0,2}\d){6,}",
    re.IGNORECASE,
)

DIGITS = range(7, 16)
"""Digits of a phone number, of its country and all."""

PLAIN_DIGITS = 9
"""Digits from which a number is masked although nothing stands between them."""

CALLED_DIGITS = 6
"""And where a word before it says that it is a phone."""

ACCOUNT_DIGITS = 10
"""Digits of the number of an account, at least."""

PASSES = 4
"""A number is no id where what stood before it is masked: looked at again, as often at most."""


def mask(text: str) -> str:
    """Return clean text with e-mail addresses and phone numbers replaced by the words for them."""
    return "".join(map(_mask_part, slices(text, _BETWEEN_WORDS)))


_SECRET = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)"
    # What those who give them out begin them with, so that they are found.
    r"|\b(?:sk|pk|rk)_(?:live|test)_\w{8,}|\bsk-[\w-]{16,}|\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}"
    r"|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{8,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"
    r"|\bgb_api_\w{16,}|\bnpm_\w{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
    r"|(?<=://)[^\s/:@]{1,99}:[^\s/@]{1,199}(?=@)",
    re.DOTALL,
)
_IS = r"(?:\b(?:is|ist|lautet|es|est|é|è)\b|は|是)"
_TOLD_SECRET = re.compile(
    r"(?P<told>\b(?:bearer[ ]|basic[ ](?=[\w+/=]{12})"
    r"|(?:[\w-]{0,24}(?:password|passwort|kennwort|passwd|contraseña|mot[ ]de[ ]passe|senha"
    r"|wachtwoord|パスワード|密码|secret|token|(?:api|secret|access|private)[_-]?key)"
    r"|pwd|pin|otp|cvc|cvv)"
    rf"[\"']?[ \t]{{0,3}}(?:(?:{_IS})?[ \t]{{0,3}}[:=：＝]|{_IS}[ ]?(?=\S*[\d@#$%&*+=~^]))"
    r"[ \t]{0,3}[\"']?))"
    r"(?P<secret>(?!\[)[^\s\"',;<>]{3,})",
    re.IGNORECASE,
)
"""A secret behind the word for it: what follows a colon, or after "is" what is no plain word."""


def mask_kept(text: str) -> str:
    """Return clean text masked as it may be stored: what `mask` hides, and secrets.

    On screen a key shows them; here they are gone for good.
    """
    text = _SECRET.sub(HIDDEN_MASK, text)
    text = _TOLD_SECRET.sub(lambda found: found["told"] + HIDDEN_MASK, text)
    return mask(text)


def mask_emails(text: str) -> str:
    """Return clean text with e-mail addresses masked: for a web address, which has numbers."""
    return _email().sub(EMAIL_MASK, text) if _HAS_AT.search(text) is not None else text


def _mask_part(part: str) -> str:
    for _ in range(PASSES):
        before, part = part, _number().sub(_mask_number, mask_emails(part))
        if part == before:
            break
    return part


def _mask_number(found: re.Match[str]) -> str:
    text = found.group()
    if found["date"] is not None:
        return text
    if found["url"] is not None:
        return _IN_ADDRESS.sub(rf"\1{PHONE_MASK}", text)
    count = sum(map(len, _DIGITS.findall(text)))
    if found["account"] is not None:
        enough = count >= ACCOUNT_DIGITS
        return NUMBER_MASK if enough else text[:2] + _number().sub(_mask_number, text[2:])
    if found["plain"] is not None:
        return PHONE_MASK if count >= DIGITS.start and _called(found) else text
    # Neither what is written behind the number nor the extension makes a number of it.
    number, tail = found["number"], found["tail"] or ""
    groups = _DIGITS.findall(number)
    count = sum(map(len, groups))
    behind = text[len(number) :]
    if behind != tail:  # an extension: by itself it may be a number, where none is before it
        behind = _number().sub(_mask_number, behind)
    if found["plus"] is None:
        if tail and not (_WORD.match(tail) or any(sign in number for sign in " /(")):
            return number + behind
        least = PLAIN_DIGITS if len(groups) == 1 else DIGITS.start
        if count < least and not (count >= CALLED_DIGITS and _called(found)):
            return number + behind
    elif count < DIGITS.start:
        return number + behind
    opened = "(" if number.startswith("(") and number.count("(") > number.count(")") else ""
    return opened + (PHONE_MASK if count < DIGITS.stop else NUMBER_MASK) + tail


def _called(found: re.Match[str]) -> bool:
    start = found.start()
    return _CALLED.search(found.string[max(0, start - 24) : start]) is not None
