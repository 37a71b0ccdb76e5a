"""Which open threads wait on a person, and why: what the inbox is made of."""

from __future__ import annotations

from typing import Literal

from copydesk.domain.thread_turn import Word, waits_on

Why = Literal["named", "answered", "yours", "asked"]
"""``named``: somebody wrote @ and the person's name; ``answered``: the person began the thread and
somebody else had the last word; ``yours``: it is on the person's change request, and the last word
is somebody else's; ``asked``: it is on a change request that the person is asked to review, and the
last word is somebody else's."""

WHYS: tuple[Why, ...] = ("named", "answered", "yours", "asked")
"""The reasons, the strongest first: a thread has the first that holds."""


def why_waits(
    person: str, *, starter: str, author: str, last: Word, named: bool = False, asked: bool = False
) -> Why | None:
    """Return why an open thread waits on a person, or None when it does not.

    ``starter`` began it, ``author`` is that of the change request ("" for none), ``last`` had the
    last word. ``named`` is whether the person was named since they spoke last, ``asked`` whether
    they are asked to review the change request. Whoever had the last word waits for others.
    """
    if not person or last.by == person:
        return None
    if named:
        return "named"
    if waits_on(person, starter=starter, author="", last=last):
        return "answered"
    if waits_on(person, starter=starter, author=author, last=last):
        return "yours"
    return "asked" if asked else None
