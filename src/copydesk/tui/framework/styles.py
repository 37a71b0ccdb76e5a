"""Where the style sheets of the screens are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import copydesk


def styles_folder() -> Path:
    """Return where the style sheets are: beside the package in a wheel, above it in a checkout."""
    package = Path(copydesk.__file__).resolve().parent
    inside = package / "styles"
    return inside if inside.is_dir() else package.parent.parent / "styles"


def style_path(name: str) -> Path:
    """Return the style sheet of a place, for its ``CSS_PATH``."""
    return styles_folder() / f"{name}.tcss"


def later_styles() -> Sequence[Path]:
    """Return the style sheets of which the first frame needs none, those of the sheets first."""
    first, sheets = style_path("base"), style_path("sheets")
    others = sorted(path for path in styles_folder().glob("*.tcss") if path not in (first, sheets))
    return [sheets, *others]
