"""What the screens have declared, for what weighs or names it without knowing any screen.

Filled as their modules are imported; the command line loads none, and its commands are harmless by
this measure.
"""

from __future__ import annotations

from collections.abc import Mapping

DANGERS: dict[str, int] = {}
"""How dangerous each action is (0 to 3), by its id."""

PLACES: dict[str, tuple[str, Mapping[str, str]]] = {}
"""The title of each place and the labels of its actions by their names, by the word after ``:``."""
