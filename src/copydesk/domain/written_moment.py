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

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar marz april mai juni juli august sept oktober november dezember
janner februar maerz apr mai jun jul aug sep okt nov dez
jan feb mrz apr mai jun jul aug sep okt nov dez
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
janv fevr mars avr mai juin juil aou sept oct nov dec
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago setiembre oct nov dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sep okt nov dec
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
"""
"""Names of months and how they are shortened, without accents, in Western and Northern Europe."""

_MONTH_OF = {name: at % 12 + 1 for at, name in enumerate(_MONTHS.split())}
_NAME = f"(?<![a-z])(?P<name>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})(?![a-z])"

_ZONES = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7,
    "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10, "nst": -3.5, "ndt": -2.5,
    "brt": -3, "art": -3, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2,
    "eet": 2, "eest": 3, "msk": 3, "wat": 1, "cat": 2, "sast": 2, "eat": 3, "pkt": 5, "npt": 5.75,
    "ict": 7, "wib": 7, "awst": 8, "hkt": 8, "sgt": 8, "jst": 9, "kst": 9, "acst": 9.5,
    "acdt": 10.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip
"""Hours before UTC. Names that are used in several places are not here (IST), but those of mails
(RFC 2822: CST) and Britain's."""

_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday mon tues tue wed thurs thur thu fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado
domingo lunedi martedi mercoledi giovedi venerdi sabato domenica maandag dinsdag woensdag donderdag
vrijdag zaterdag zondag
"""
"""Names of days of the week, without accents: they are no zones."""

_WEEKDAY = re.compile(rf"(?<![a-z])(?:{'|'.join(_WEEKDAYS.split())})(?![a-z/_])[.,]?\s?")

_TIME = re.compile(
    r"(?P<hour>\d{1,2})"
    r"(?:(?:[:.h]|\sh\s)(?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"|(?=\s?(?:[ap]\.?\s?m|uhr|uur|h)\b))"
    r"(?:\s?(?P<half>[ap])(?:\.?\s?m)?\b\.?)?(?:\s?(?:uhr|uur|hrs?|hs|h)\b\.?)?"
    r"\s?\(?(?P<zone>[a-z][a-z/_]*)?\s?(?P<span>[+-]\d+(?:[:.]\d+)*)?"
)
_SPAN = re.compile(r"(?P<sign>[+-])(?P<hours>\d{1,2}?)(?::?(?P<minutes>\d{2}))?")
_LAST_FIRST = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)")
_EAST = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号]")
_EAST_UNIT = re.compile(r"(?<=\d)\s?[時时點点시分분]\s?(?=\d)")
_EAST_HOUR = re.compile(r"(?<=\d)\s?[時时點点시]")
_EAST_HALF = re.compile(r"(?:(午前|上午|오전)|午後|下午|오후)\s?([\d:]+)")
_NUMBERS = re.compile(
    r"(?P<one>\d{1,2})(?P<sign>[-/.])\s?(?P<two>\d{1,2})(?P=sign)\s?(?P<year>\d{4}|\d{2})(?!\d)"
)
_DAY_NAME = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[.,]?[\s/-](?:de\s)?{_NAME}"
    r"[.,]?[\s/-](?:de\s)?(?P<year>\d{4}|\d{2})(?![:.h]?\d)"
)
_NAME_DAY = re.compile(
    rf"{_NAME}[.,]?\s"
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s?|\s)"
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
    text = _EAST_HOUR.sub(":00", _EAST_UNIT.sub(":", text))
    text = _EAST_HALF.sub(lambda half: f"{half[2]} {'am' if half[1] else 'pm'}", text)
    if compact := _COMPACT.fullmatch(text):
        text = "{}-{}-{} {}:{}:{}{}".format(*compact.groups(default=""))
    plain = (
        normalize("NFKD", text.casefold().replace("\u2212", "-")).encode("ascii", "ignore").decode()
    )
    found = _date(plain, order)
    if found is None:
        return None
    year, month, day, rest = found
    hour = minute = second = 0
    zone: timezone | None = UTC
    if (time := _TIME.search(_WEEKDAY.sub("", rest))) is not None:
        hour, minute, second = int(time["hour"]), int(time["minute"] or 0), int(time["second"] or 0)
        if time["half"]:
            hour = hour % 12 + (12 if time["half"] == "p" else 0)
        zone = _zone(time["zone"] or "", time["span"] or "")
    if zone is None:
        return None
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
    if found is None or order_of(written) is not None:
        return False
    one, two = int(found["one"]), int(found["two"])
    return one != two and max(one, two) <= 12


def _date(text: str, order: Order | None) -> tuple[int, int, int, str] | None:
    """Return year, month and day, and the text without them."""
    if found := _LAST_FIRST.match(text):
        year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    elif found := _NUMBERS.match(text):
        one, two = int(found["one"]), int(found["two"])
        given = order_of(text) or order or "mdy"
        day, month = (one, two) if given == "dmy" else (two, one)
        year = _year(found["year"])
    elif found := _DAY_NAME.search(text) or _NAME_DAY.search(text):
        year, month, day = _year(found["year"]), _MONTH_OF[found["name"]], int(found["day"])
        if not 1 <= day <= 31:
            return None
        behind = text[found.end("name") :].replace(found["year"], " ", 1)
        # Set apart: what stands before the date is no zone of the time.
        return year, month, day, f"{behind}; {text[: found.start()].rstrip(' ,')}"
    else:
        return None
    return year, month, day, text[found.end() :]


def _year(text: str) -> int:
    """Return a year; of two digits 69 to 99 are in the last century, as everywhere in Python."""
    year = int(text)
    if len(text) > 2:
        return year
    return year + (1900 if year >= 69 else 2000)


def _zone(name: str, span: str) -> timezone | None:
    """Return the zone behind a time, UTC where there is none; None where it is not known."""
    if not span or (name and _ZONES.get(name)):
        hours = _ZONES.get(name or "utc")
        return None if hours is None else timezone(timedelta(hours=hours))
    found = _SPAN.fullmatch(span)
    if found is None or name not in ("", "utc", "gmt"):
        return None
    hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
    if hours > 14 or minutes > 59:
        return None
    away = timedelta(hours=hours, minutes=minutes)
    return timezone(-away if found["sign"] == "-" else away)


def _since_1970(number: float) -> datetime | None:
    for least, most, unit in ((1e8, 1e11, 1.0), (1e11, 1e14, 1e3), (1e14, 1e17, 1e6)):
        if least <= number < most:
            return datetime.fromtimestamp(number / unit, UTC)
    return None
