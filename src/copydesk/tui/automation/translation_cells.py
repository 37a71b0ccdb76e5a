"""Translations as cells and facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.text import clean, plural
from copydesk.present.hints import hint
from copydesk.tui.organization.member_cells import Told, ago

if TYPE_CHECKING:
    from copydesk.contract.models.translation import Translation

GONE = "(deleted or hidden)"
"""What a space is called that is deleted, or hidden from the reader."""

TONES = {"pending": "muted", "running": "accent"}

STATES = ("pending", "running", "completed")


@dataclass(frozen=True, slots=True)
class Listed:
    """A translation with the titles of its spaces; None for those that cannot be read."""

    translation: Translation
    source: str | None = None
    target: str | None = None

    @property
    def language(self) -> str:
        """The language that it is translated into."""
        return self.translation.language or "?"


def name(listed: Listed) -> str:
    """Return what a translation is called: its source, and into which language."""
    return f"{source(listed)} in {listed.language}"


def source(listed: Listed) -> str:
    """Return the title of the space that is translated."""
    return GONE if listed.source is None else listed.source.strip() or "Untitled"


def target(listed: Listed) -> str | None:
    """Return the title of the space that is written, None while there is none."""
    if listed.translation.result is None or listed.translation.result.space is None:
        return None
    return GONE if listed.target is None else listed.target.strip() or "Untitled"


def under_way(listed: Listed) -> bool:
    """Whether it is being run, or about to be."""
    return listed.translation.status in ("pending", "running")


def state(listed: Listed) -> Text:
    """Return its status with its tone."""
    word = clean(listed.translation.status)
    return Text(word, style=TONES.get(word, ""))


def about(listed: Listed, now: datetime) -> Told:
    """Return what else is known of it: what runs did, and its instructions."""
    from copydesk.domain.documents import document_to_markdown

    item, stats = listed.translation, listed.translation.stats
    found: Told = []
    if item.source.language:
        found.append(("written in", item.source.language))
    if stats.runs:
        said = f"{plural(stats.latest_pages, 'page')}, {plural(stats.latest_words, 'word')}"
        found.append(("last run", f"{said}, {_lasted(stats.latest_run_duration)}"))
        said = f"{plural(stats.total_pages, 'page')}, {plural(stats.total_words, 'word')}"
        found.append(("in all", f"{said}, {_lasted(stats.total_duration)}"))
    if item.instructions is not None and item.instructions.nodes:
        text = document_to_markdown(item.instructions).strip()
        found.append(("instructions", clean(text, lines=True)))
    else:
        found.append(("instructions", hint("none: e writes some")))
    if when := ago(item.created_at, now):
        found.append(("made", when))
    return found


def _lasted(seconds: float) -> str:
    return f"{seconds:,.1f} s"


def ended(listed: Listed) -> tuple[str, str]:
    """Return what came of a run, and the tone of that; cleaned."""
    stats = listed.translation.stats
    return f"{clean(name(listed), limit=80)}: {plural(stats.latest_pages, 'page')} written.", "good"
