"""Which word somebody meant who wrote one that there is not."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], otherwise: str, alike: float = 0.6) -> str:
    """Return which known word is meant by one that is not known, as the end of a sentence.

    ``otherwise`` is said where none is near. ``alike`` is how much of both is the same.
    """
    from difflib import get_close_matches  # only mistakes need it

    near = get_close_matches(word, list(known), cutoff=alike)
    return f"did you mean {near[0]}?" if near else otherwise
