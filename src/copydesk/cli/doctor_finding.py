"""What ``copydesk doctor`` finds, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass

HIDDEN = "…"
"""What stands in the place of a secret."""

SHORTEST = 4
"""What has fewer letters is no secret, and would take them out of everything."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was looked at. ``said`` is how it is; ``advice`` what to do where it is wrong,
    empty where all is well.
    """

    part: str
    name: str
    said: str
    advice: str = ""

    @property
    def wrong(self) -> bool:
        """Whether somebody has to do something."""
        return bool(self.advice)


def parted(sentence: str, otherwise: str) -> tuple[str, str]:
    """Return what is wrong and what to do, of a sentence that says both; else with other advice."""
    said, _, advice = sentence.rpartition(": ")
    if said and advice.startswith(("run ", "unset ", "set ", "choose ", "look ")):
        return said, advice
    return sentence, otherwise
