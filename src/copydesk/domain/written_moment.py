"""Moments as programs and people write them, read without knowing which of them did.

A moment without a zone is UTC, as everywhere in the API. ``dateutil`` takes almost any text for a
date ("10" is the tenth of this month), and what is guessed wrongly here is not seen by anybody.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal, TypeAlias
from unicodedata import normalize

Order: TypeAlias = Literal["dmy", "mdy"]
"""Whether 02/03/2026 is in March or in February."""

LONGEST = 64
"""Characters of a moment, at most."""

_MONTHS = (
    "jan ene gen", "feb fev", "mar mrz mae", "apr avr abr", "may mai mag", "jun giu juin",
    "jul lug juil", "aug aou ago", "sep set", "oct okt ott out", "nov", "dec dez dic",
)  # fmt: skip
"""How the names of months begin, without accents, in the languages of Western Europe."""

_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_ZONES = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
          "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "BST": 1}  # fmt: skip
_TIME = re.compile(
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?"
    r"(?:\s?(?P<zone>Z|(?:UTC|GMT)?\s?[+-]\d{1,2}(?::?\d{2})?|[A-Za-z]{3,4})\b)?",
    re.IGNORECASE,
)
_LAST_FIRST = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)")
_EAST = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号]")
_NUMBERS = re.compile(
    r"(?P<one>\d{1,2})(?P<sign>[-/.])\s?(?P<two>\d{1,2})(?P=sign)\s?(?P<year>\d{4}|\d{2})(?!\d)"
)
_DAY_NAME = re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?[.,]?[\s-](?:de\s)?(?P<name>[a-z]{3,10})"
                       r"[.,]?[\s-](?:de\s)?(?P<year>\d{4}|\d{2})(?!\d)")  # fmt: skip
_NAME_DAY = re.compile(
    r"(?P<name>[a-z]{3,10})[.,]?\s(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s?|\s)"
    r"(?:.{8,20}?\s)?(?P<year>\d{4})(?!\d)"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?")
_SECONDS = re.compile(r"\d{9,10}(?:\.\d{1,9})?|\d{13}|\d{16}")

_SERIAL = re.compile(r"[34]\d{4}(?:[.,]\d{1,12})?")
_SPREADSHEET = datetime(1899, 12, 30, tzinfo=UTC)
"""Spreadsheets count days from here; in five figures that begin so they are from 1982 to 2036."""


def read_moment(written: object, order: Order | None = None) -> datetime | None:
    """Return a moment; None where it is none that can be told.

    Numbers are seconds, thousandths or millionths of them since 1970. ``order`` is that of dates
    such as 02/03/2026, where the numbers leave it open: the month first without one.
    """
    if isinstance(written, bool) or written is None:
        return None
    if isinstance(written, int | float):
        return _since_1970(float(written))
    text = str(written).strip()
    if not text or len(text) > LONGEST:
        return None
    if _SECONDS.fullmatch(text):
        return _since_1970(float(text))
    text = _EAST.sub(r"\1-\2-\3 ", " ".join(normalize("NFKC", text).split()))
    if compact := _COMPACT.fullmatch(text):
        text = "{}-{}-{} {}:{}:{}{}".format(*compact.groups(default=""))
    plain = normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    found = _date(plain, order)
    if found is None:
        return None
    year, month, day, rest = found
    hour = minute = second = 0
    zone: timezone = UTC
    if (time := _TIME.search(rest)) is not None:
        hour, minute, second = int(time["hour"]), int(time["minute"]), int(time["second"] or 0)
        if time["half"]:
            hour = hour % 12 + (12 if time["half"] == "p" else 0)
        zone = _zone(time["zone"] or "")
    try:
        moment = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=zone)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def read_cell(written: str, order: Order | None = None) -> datetime | None:
    """Return the moment in a cell of a table: also one that a spreadsheet saved as its number."""
    moment = read_moment(written, order)
    if moment is None and (found := _SERIAL.fullmatch(written.strip())):
        days = timedelta(days=float(found[0].replace(",", ".")))
        moment = (_SPREADSHEET + days).replace(microsecond=0)
    return moment


def order_of(written: str) -> Order | None:
    """Return which order a date has that has only one; None where it may have both."""
    found = _NUMBERS.match(written.strip())
    if found is None:
        return None
    if found["sign"] == ".":
        return "dmy"
    one, two = int(found["one"]), int(found["two"])
    if one > 12 >= two:
        return "dmy"
    return "mdy" if two > 12 >= one else None


def is_open(written: str) -> bool:
    """Whether a date may be read in both orders, with different days."""
    found = _NUMBERS.match(written.strip())
    return found is not None and order_of(written) is None and found["one"] != found["two"]


def _date(text: str, order: Order | None) -> tuple[int, int, int, str] | None:
    """Return year, month and day, and the text without them."""
    if found := _LAST_FIRST.match(text):
        year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    elif found := _NUMBERS.match(text):
        one, two = int(found["one"]), int(found["two"])
        given = order_of(text) or order or "mdy"
        day, month = (one, two) if given == "dmy" else (two, one)
        year = _year(found["year"])
    elif (found := _DAY_NAME.search(text) or _NAME_DAY.search(text)) and _month(found["name"]):
        year, month, day = _year(found["year"]), _month(found["name"]), int(found["day"])
        if not 1 <= day <= 31:
            return None
        return (
            year,
            month,
            day,
            text[found.start("name") + len(found["name"]) :].replace(found["year"], " ", 1),
        )
    else:
        return None
    return year, month, day, text[found.end() :]


def _month(name: str) -> int:
    return _MONTH_OF.get(name[:4], 0) or _MONTH_OF.get(name[:3], 0)


def _year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)


def _zone(text: str) -> timezone:
    text = text.upper().removeprefix("UTC").removeprefix("GMT").strip()
    if text.startswith(("+", "-")):
        digits = text[1:].replace(":", "")
        hours, minutes = int(digits[:2]), int(digits[2:] or 0)
        if hours > 23 or minutes > 59:
            return UTC
        span = timedelta(hours=hours, minutes=minutes)
        return timezone(-span if text[0] == "-" else span)
    return timezone(timedelta(hours=_ZONES.get(text, 0)))


def _since_1970(number: float) -> datetime | None:
    for least, most, unit in ((1e8, 1e11, 1.0), (1e11, 1e14, 1e3), (1e14, 1e17, 1e6)):
        if least <= number < most:
            return datetime.fromtimestamp(number / unit, UTC)
    return None
