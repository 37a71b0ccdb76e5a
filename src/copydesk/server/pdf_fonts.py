"""Which fonts a PDF is set in: the ones every reader has, or this machine's for more letters.

The fonts built into PDF readers know Western European letters only. For anything else the fonts of
this machine are used where they are, embedded with just the letters needed. Without any, letters
that cannot be set are written as question marks; nothing is ever fetched.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSans-Italic.ttf",
     "NotoSansMono-Regular.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSans-Italic.ttf",
     "LiberationMono-Regular.ttf"),
    ("Arial.ttf", "Arial Bold.ttf", "Arial Italic.ttf", "Courier New.ttf"),
    ("arial.ttf", "arialbd.ttf", "ariali.ttf", "cour.ttf"),
)  # fmt: skip
"""File names of a regular, a bold, an italic and a fixed-width face, the widest coverage first."""

_FALLBACKS = (
    "NotoSansCJK-Regular.ttc", "Arial Unicode.ttf", "msgothic.ttc", "malgun.ttf", "msyh.ttc",
    "DroidSansFallbackFull.ttf", "NotoSansDevanagari-Regular.ttf", "NotoSansThai-Regular.ttf",
    "NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf", "nirmala.ttf", "leelawui.ttf",
)  # fmt: skip
"""Faces for letters that the family lacks: East Asian, Indic, Thai, Arabic and Hebrew scripts."""

_WESTERN = str.maketrans({
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"',
    "\u201d": '"', "\u201e": '"', "\u2022": "\u00b7", "\u2026": "...", "\u2192": "->",
    "\u2190": "<-", "\u2191": "^", "\u2713": "x", "\u2610": "[ ]", "\u2611": "[x]", "\u20ac": "EUR",
    "\u2122": "(TM)", "\u2009": " ", "\u202f": " ", "\ufeff": "",
})  # fmt: skip
"""What stands for common signs in fonts that lack them."""


_RARE = re.compile("[\u0590-\u1cff\u2c00-\ud7ff\uf900-\ufeff\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Faces:
    """The files of a family; ``fallbacks`` are asked for letters that it has not."""

    regular: Path
    bold: Path
    italic: Path
    mono: Path
    fallbacks: tuple[Path, ...]


def western(text: str) -> str:
    """Return a text as the fonts that every PDF reader has can set it."""
    return text.translate(_WESTERN).encode("latin-1", "replace").decode("latin-1")


def is_western(text: str) -> bool:
    """Say whether the fonts that every PDF reader has can set a text without losing a letter."""
    try:
        text.translate(_WESTERN).encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def needs_fallbacks(text: str) -> bool:
    """Say whether a text has letters of scripts that a family seldom holds.

    Faces for those are large, and take seconds to read.
    """
    return _RARE.search(text) is not None


@cache
def machine_faces() -> Faces | None:
    """Return the faces found on this machine, None when it has no family that will do."""
    found = {path.name: path for path in sorted(_font_files(), reverse=True)}
    fallbacks = tuple(found[name] for name in _FALLBACKS if name in found)
    for regular, bold, italic, mono in _FAMILIES:
        if regular in found:
            base = found[regular]
            return Faces(
                regular=base,
                bold=found.get(bold, base),
                italic=found.get(italic, base),
                mono=found.get(mono, base),
                fallbacks=fallbacks,
            )
    return None


def _font_files() -> Iterator[Path]:
    wanted = {name for family in _FAMILIES for name in family} | set(_FALLBACKS)
    for folder in _folders():
        for where, _, names in os.walk(folder):
            for name in wanted.intersection(names):
                yield Path(where) / name


def _folders() -> tuple[Path, ...]:
    home = Path.home()
    if sys.platform == "darwin":
        return (Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts")
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts",)
    return (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts")
