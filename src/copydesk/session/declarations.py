"""Declarations of the screens, for code below that may not import a screen.

Filled as the modules of screens are imported. The command line imports none: its commands count as
harmless.
"""

from __future__ import annotations

from collections.abc import Mapping

DANGERS: dict[str, int] = {}
"""The danger of each action (0 to 3), by its id."""

PLACES: dict[str, tuple[str, Mapping[str, str]]] = {}
"""The title of each place and the labels of its actions by their names, by the word after ``:``."""
