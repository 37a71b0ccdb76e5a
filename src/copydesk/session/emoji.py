"""The names of emoji, as people type them: ``thumbs_up``, ``+1``, ``tada``."""

from __future__ import annotations

from functools import cache


@cache
def emoji_names() -> tuple[tuple[str, str], ...]:
    """Return (name, sign) of every emoji, without those that only differ in the tone of a skin.

    The first call imports a large table: make it in a thread.
    """
    from emoji import EMOJI_DATA, STATUS

    found = []
    for sign, known in EMOJI_DATA.items():
        if known["status"] != STATUS["fully_qualified"] or "skin_tone" in known["en"]:
            continue
        names = (known["en"], *known.get("alias", ()))
        found += [(name.strip(":").casefold(), sign) for name in names]
    return tuple(found)
