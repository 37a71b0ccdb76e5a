"""What users say in a conversation, without what is not theirs, as the problems that they tell.

Signatures, quoted mails, logs and stack traces, greetings, bots and answers tell no problem, and
would pull conversations together that have nothing else in common.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_words import finder, own_words, without_call

PHRASES = Path(__file__).parent / "data" / "phrases.txt"
"""How what tells that something is a machine's, another problem or a complaint is written."""

TITLE_LENGTH = 120
"""The longest title of a problem, in characters."""

SUMMARY_LENGTH = 400
"""The longest summary of a problem, in characters."""

TEXT_LENGTH = 4_000
"""The most of a problem's text that is kept for comparing, in characters."""


@cache
def _phrases() -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in PHRASES.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, _, phrases = line.partition("\t")
            found[kind] += phrases.split("|")
    return found


@cache
def _pattern(kind: str, shape: str) -> re.Pattern[str]:
    """Return what finds the phrases of a kind; ``shape`` says what stands around them."""
    return finder(_phrases()[kind], shape)


_A_WORD = r"(?<!\w)%s(?!\w)|n['’]t\b|[?¿]"
_ANYWHERE = r"\b%s\b"
_JOINS = r"(?:and|und|y|et|e|en)\s+"
_CUT = rf"(?:^|(?<=[.!?;,])|(?=\s{_JOINS}))\s*(?:{_JOINS})?%s[:,]?(?!\w)\s*"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem that somebody tells: how it is called, in short, and all that is said of it."""

    title: str
    summary: str
    text: str


def problems_of(subject: str, parts: Sequence[tuple[str, str]]) -> list[Problem]:
    """Return the problems that users tell in a conversation: mostly one, none of a machine's."""
    subject = without_call(" ".join(subject.split()))
    said = [own_words(body) for role, body in parts if role == "user"]
    if not said and parts and all(role not in {"bot", "team"} for role, _ in parts):
        said = [own_words(body) for _, body in parts]
    said = [each for each in said if each]
    if not said and not subject:
        return []
    if _pattern("automatic", _ANYWHERE).search(subject) or (
        said and _pattern("automatic", _ANYWHERE).search(said[0][:300])
    ):
        return []
    told = _told(said)
    if len(told) < 2:
        return [_problem(subject, "\n".join(said))]
    return [_problem("", each) for each in told]


def _problem(subject: str, text: str) -> Problem:
    first = next((line for line in [subject, *text.splitlines()] if line.strip()), "")
    return Problem(
        title=shorten(first, TITLE_LENGTH),
        summary=shorten(text or subject, SUMMARY_LENGTH),
        text="\n".join(each for each in (subject, text) if each)[:TEXT_LENGTH],
    )


_NUMBERED = re.compile(r"^\s*\(?(\d)[.)]\s+(.+)$")
_WORDS = re.compile(r"\w{2,}")
_LEAST = 4  # words that each of several problems has at least


def _told(said: Sequence[str]) -> list[str]:
    """Return the texts of several problems where that is plain; otherwise nothing."""
    if not said:
        return []
    numbered = _items(said[0])
    if 2 <= len(numbered) <= 5:
        return numbered
    whole = said[0]
    cuts = [each for each in _pattern("another", _CUT).split(whole) if each.strip()]
    if len(cuts) == 2 and all(map(_tells, cuts)):
        return [cuts[0].strip(" ,;\n"), "\n".join([cuts[1].strip(), *said[1:]])]
    return []


def _items(text: str) -> list[str]:
    """Return the items of a numbered list that ends a text, where each of them complains."""
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [_NUMBERED.match(line) for line in lines]
    first = next((place for place, match in enumerate(matches) if match), len(lines))
    found = [(match[1], match[2]) for match in matches[first:] if match]
    if [number for number, _ in found] != [str(each + 1) for each in range(len(lines) - first)]:
        return []
    return [item for _, item in found] if all(_tells(item) for _, item in found) else []


def _tells(text: str) -> bool:
    enough = len(_WORDS.findall(text)) >= _LEAST
    return enough and bool(_pattern("complaint", _A_WORD).search(text))


def shorten(text: str, length: int) -> str:
    """Return a text on one line of at most ``length`` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > length // 2 else cut) + "…"


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, one line each."""
    for line in re.split(r"\n+|(?<=[.!?])\s+", text):
        if line.strip():
            yield " ".join(line.split())
