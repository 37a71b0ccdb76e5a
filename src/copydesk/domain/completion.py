"""What a word that is being typed may become.

People after an ``@``, signs after a ``:``, saved replies after a ``/`` that begins a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from copydesk.domain.filter import fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.mention import Named
from copydesk.domain.saved_reply import SavedReply, filled
from copydesk.domain.text import shorten

MOST = 8
"""How many are offered at once."""

WORDS = 200
"""Cells of a saved reply that are shown before it is taken."""

PERSON = re.compile(r"(?<![\w@./`])@((?:[^\s@`:;,!?][^@\n`:;,!?]{0,39})?)\Z")
EMOJI = re.compile(r"(?<![\w:`]):([a-z0-9_+-]{2,40})\Z", re.IGNORECASE)
"""Two letters at least: ``:)`` and the colon of a sentence ask for nothing."""
REPLY = re.compile(r"\A/([^\s/]{0,40})\Z")


@dataclass(frozen=True, slots=True)
class Begun:
    """A word that can be completed: its typed part, and where it starts in the line."""

    kind: Literal["person", "emoji", "reply"]
    typed: str
    start: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A completion of a word: how it is shown, and the text it inserts.

    ``note`` is shown while it is the chosen one, ``said`` once it was taken. One without a text is
    shown for its note alone.
    """

    shown: str
    text: str
    note: str = ""
    said: str = ""


def begun(before: str) -> Begun | None:
    """Return the word that ends where the cursor is, if it can be completed.

    ``before`` is the line up to the cursor.
    """
    if (found := PERSON.search(before)) is not None:
        return Begun("person", found[1], found.start())
    if (found := EMOJI.search(before)) is not None:
        return Begun("emoji", found[1].casefold(), found.start())
    if (found := REPLY.search(before)) is not None:
        return Begun("reply", found[1], 0)
    return None


def people(typed: str, known: Iterable[Named]) -> list[Offer]:
    """Return the people whose name (or a word of it) begins so; nothing once one is written out."""
    wanted = fold(typed)
    first: list[Offer] = []
    later: list[Offer] = []
    for person in known:
        name = fold(person.name)
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


def replies(typed: str, known: Iterable[SavedReply], values: Mapping[str, str]) -> list[Offer]:
    """Return the replies whose name has what was typed; those that begin so come first."""
    wanted = fold(typed)
    found = [each for each in known if wanted in fold(each.name)]
    found.sort(key=lambda each: not fold(each.name).startswith(wanted))
    offers = [_offer(each, values) for each in found]
    return sorted(offers, key=lambda each: (not each.text, bool(each.said)))[:MOST]


def _offer(reply: SavedReply, values: Mapping[str, str]) -> Offer:
    if reply.trouble:
        return Offer(reply.name, "", note=reply.trouble, said=f"{reply.name}: {reply.trouble}.")
    text, said = filled(reply.text, values)
    note = f"{said} {' '.join(text.split())}".lstrip()
    return Offer(reply.name, text, note=shorten(note, WORDS), said=said)
