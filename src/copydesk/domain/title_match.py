"""How well what is typed fits a title."""

from __future__ import annotations

from copydesk.domain.filter import WORD, fold


def rank(typed: str, title: str) -> int | None:
    """Return how well a title fits, the least first; None where it does not.

    What begins with it comes first, then what has its words, then what only has its letters: those
    of the name (what stands before a colon), near each other and from the start of a word, or the
    first of each word.
    """
    wanted, whole = fold(typed).split(), fold(title)
    if not wanted:
        return 0
    name = whole.partition(": ")[0]
    if name.startswith(" ".join(wanted)):
        return 0
    for at, text in enumerate((name, whole), 1):
        starts = WORD.findall(text)
        if all(any(word.startswith(each) for word in starts) for each in wanted):
            return at
    for at, text in enumerate((name, whole), 3):
        if all(each in text for each in wanted):
            return at
    letters = "".join(wanted)
    initials = "".join(word[0] for word in WORD.findall(name))
    if len(letters) > 1 and letters in initials:
        return 5
    return 6 if len(letters) > 1 and _near(letters, name) else None


def _near(letters: str, name: str) -> bool:
    """Whether the letters come in this order from the start of a word, with few others between."""
    room = len(letters) + len(letters) // 2
    for word in WORD.finditer(name):
        if word.group()[0] != letters[0]:
            continue
        at = word.start()
        for letter in letters:
            at = name.find(letter, at) + 1
            if not at:
                break
        if 0 < at <= word.start() + room:
            return True
    return False
