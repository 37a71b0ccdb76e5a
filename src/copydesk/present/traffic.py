"""Traffic of sites as cells and charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from rich.text import Text

from copydesk.domain.trend import spark
from copydesk.session.glyphs import UNICODE, glyphs


def short_count(count: int) -> str:
    """Return a count in five cells at most: "840", "1.2k", "12.4k", "3.1M"."""
    if count < 1000:
        return str(count)
    if count < 999_950:
        return f"{count / 1e3:.1f}k"
    return f"{count / 1e6:.1f}M" if count < 999_950_000 else f"{count / 1e9:.0f}G"


def per_week(views: int, days: int) -> int:
    """Return how many views a week that is."""
    return round(views * 7 / days) if days else 0


def week_words(views: int, days: int) -> str:
    """Return views as people say them: "12.4k a week"."""
    return f"{short_count(per_week(views, days))} a week"


def chart(views: Sequence[int]) -> Text:
    """Return views as a bar for each, gaps dim."""
    drawn = spark(views, ascii=glyphs().spark != UNICODE.spark)
    text = Text()
    for count, cell in zip(views, drawn, strict=True):
        text.append(cell, style="accent" if count else "muted")
    return text


def numbers(views: Sequence[int]) -> Text:
    """Return views as numbers, one after the other."""
    return Text(" ".join(short_count(each) for each in views))


def span_words(days: int) -> str:
    """Return a span in words: "the last 4 weeks"."""
    if days == 1:
        return "today"
    if days % 7 == 0:
        return "the last week" if days == 7 else f"the last {days // 7} weeks"
    return f"the last {days} days"


def intervals(
    begins: Sequence[datetime],
    views: Sequence[int],
    interval: str,
) -> list[tuple[str, str]]:
    """Return each interval with its views, the last first."""
    found = []
    for begin, count in zip(begins, views, strict=True):
        if interval == "month":
            label = f"{begin:%b %Y}"
        elif interval == "week":
            last = begin + timedelta(days=6)
            label = f"{begin.day} {begin:%b} to {last.day} {last:%b}"
        else:
            label = f"{begin:%a} {begin.day} {begin:%b}"
        found.append((label, f"{count:,}"))
    return found[::-1]
