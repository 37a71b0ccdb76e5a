"""Which open threads wait on a person, and why: what the inbox is made of.

A thread waits for an answer from the other side: of its first author and of the author of the
change request, whoever did not have the last word.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from copydesk.domain.late_dataclass import dataclass

Why = Literal["named", "answered", "yours", "asked", "followed"]
"""``named``: somebody wrote @ and the person's name; ``answered``: the person began the thread and
somebody else had the last word; ``yours``: it is on the person's change request, and the last word
is somebody else's; ``asked``: it is on a change request that the person is asked to review, and the
last word is somebody else's; ``followed``: the person follows the thread, and the last word is
somebody else's."""

WHYS: tuple[Why, ...] = ("named", "answered", "yours", "asked", "followed")
"""The reasons, the strongest first: a thread has the first that holds."""


def why_waits(
    person: str,
    *,
    starter: str,
    author: str,
    last: Word,
    named: bool = False,
    asked: bool = False,
    followed: bool = False,
) -> Why | None:
    """Return why an open thread waits on a person, or None when it does not.

    ``starter`` began it, ``author`` is that of the change request ("" for none), ``last`` had the
    last word. ``named`` is whether the person was named since they spoke last, ``asked`` whether
    they are asked to review the change request, ``followed`` whether they follow the thread.
    Whoever had the last word waits for others.
    """
    if not person or last.by == person:
        return None
    if named:
        return "named"
    if waits_on(person, starter=starter, author="", last=last):
        return "answered"
    if waits_on(person, starter=starter, author=author, last=last):
        return "yours"
    if asked:
        return "asked"
    return "followed" if followed else None


@dataclass(frozen=True, slots=True)
class Word:
    """Something said in a thread: by whom (an id, "" for nobody who is known) and when."""

    by: str
    at: datetime | None = None


def last_word(start: Word, replies: Iterable[Word]) -> Word:
    """Return who spoke last: the latest of the replies, or who began the thread.

    ``replies`` may be only the latest of each person, which is what a list of threads tells.
    """
    latest = start
    for word in replies:
        if latest is start or word.at is None or latest.at is None or word.at >= latest.at:
            latest = word
    return latest


def waits_on(person: str, *, starter: str, author: str, last: Word) -> bool:
    """Return whether an open thread waits on a person.

    It does when that person began it, or is the author of the change request, and somebody else
    had the last word.
    """
    return bool(person) and person in (starter, author) and last.by != person
