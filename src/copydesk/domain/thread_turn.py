"""Whose turn it is in a thread: told by who began it and who spoke last.

A thread waits for an answer from the other side: of its first author and of the author of the
change request, whoever did not have the last word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


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
