"""What ``copydesk doctor`` finds, one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass


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
