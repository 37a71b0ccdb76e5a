"""What the screens have declared, for what weighs or names it without knowing any screen.

Filled as their modules are imported; the command line loads none, and its commands are harmless by
this measure.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Declared:
    """An action by the label of its key, and how dangerous it is (0 to 3)."""

    label: str
    danger: int


ACTIONS: dict[str, Declared] = {}
"""By the scope it can be done in and its name: ``changes.merge``."""

PLACES: dict[str, tuple[str, str]] = {}
"""The title and the scope of each place, by the word after ``:``."""
