"""What a word that is being typed may become: people after an ``@``, signs after a ``:``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.mention import Named

MOST = 8
"""How many are offered at once."""

PERSON = re.compile(r"(?<![\w@./`])@((?:[^\s@`:;,!?][^@\n`:;,!?]{0,39})?)\Z")
EMOJI = re.compile(r"(?<![\w:`]):([a-z0-9_+-]{2,40})\Z", re.IGNORECASE)
"""Two letters at least: ``:)`` and the colon of a sentence ask for nothing."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A word that can be completed: its typed part, and where it starts in the line."""

    kind: Literal["person", "emoji"]
    typed: str
    start: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A completion of a word: how it is shown, and the text it inserts."""

    shown: str
    text: str


def begun(before: str) -> Begun | None:
    """Return the word that ends where the cursor is, if it can be completed.

    ``before`` is the line up to the cursor.
    """
    if (found := PERSON.search(before)) is not None:
        return Begun("person", found[1], found.start())
    if (found := EMOJI.search(before)) is not None:
        return Begun("emoji", found[1].casefold(), found.start())
    return None


def people(typed: str, known: Iterable[Named]) -> list[Offer]:
    """Return the people whose name (or a word of it) begins so; nothing once one is written out."""
    wanted = typed.casefold()
    first: list[Offer] = []
    later: list[Offer] = []
    for person in known:
        name = person.name.casefold()
        if wanted.startswith(name) or wanted == name:
            return []
        offer = Offer(person.name, f"@{person.name} ")
        if name.startswith(wanted):
            first.append(offer)
        elif any(word.startswith(wanted) for word in name.split()[1:]):
            later.append(offer)
    return [*first, *later][:MOST]


def emoji(typed: str, known: Sequence[tuple[str, str]], *, plain: bool = False) -> list[Offer]:
    """Return the signs whose name has the typed text (`signs`) as offers.

    ``plain`` shows no signs, for terminals that have none; of those
    that are joined of several letters only the name is shown: terminals do not agree how wide they
    are.
    """
    return [
        Offer(name if plain or len(sign) > 1 else f"{sign} {name}", f"{sign} ")
        for name, sign in signs(typed, known)
    ]


def signs(
    typed: str, known: Iterable[tuple[str, str]], *, most: int = MOST
) -> list[tuple[str, str]]:
    """Return the (name, sign) of ``known`` whose name has the typed text, each sign once.

    Those that begin so come first, and of these the short.
    """
    ranked = sorted(
        (not name.startswith(typed), len(name), name, sign) for name, sign in known if typed in name
    )
    found: dict[str, str] = {}
    for _, _, name, sign in ranked:
        found.setdefault(sign, name)
        if len(found) == most:
            break
    return [(name, sign) for sign, name in found.items()]
