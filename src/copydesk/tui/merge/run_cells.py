"""A merge run in words: its rows, the details of each, and the report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import markdown_link, web_address
from copydesk.domain.merge_run import STOPS, Forecast, ItemState, MergeRun, RunItem
from copydesk.domain.text import capital, few, listed, plural
from copydesk.present.facts import Fact, hint
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import CHANGED

if TYPE_CHECKING:
    from copydesk.session.reads.merge_run import PlannedState

STATES: dict[ItemState, tuple[str, str]] = {
    "waiting": ("waiting", ""),
    "checking": ("checking rules", "warn"),
    "updating": ("updating", "warn"),
    "merging": ("merging", "warn"),
    "done": ("merged", "good"),
    "stopped": ("stopped", "bad"),
    "skipped": ("skipped", "muted"),
    "removed": ("taken out", "muted"),
}
"""What each state is called, and its tone."""

ENDS: dict[ItemState, str] = {
    "done": "Merged", "stopped": "Stopped here", "skipped": "Skipped", "removed": "Taken out",
}  # fmt: skip
"""What a report calls the end of a request; any other was not begun."""

SHOWN = 6
"""Titles that a line names."""


def state_text(item: RunItem) -> Text:
    """Return how a request stands, with a sign that needs no colour."""
    if item.settled:
        return Text(f"{glyphs().passed} settled", style="good")
    said, tone = STATES[item.state]
    sign = {"done": glyphs().passed, "stopped": glyphs().failed}.get(item.state, "")
    return Text(f"{sign} {said}" if sign else said, style=tone)


def what(
    item: RunItem, forecast: Forecast | None, standing: PlannedState | None, unread: str = ""
) -> Text:
    """Return the one thing that matters most of a request, for its row."""
    if item.settled:
        return Text("the run can go on", style="good")
    if item.state in ("done", "stopped", "skipped"):
        tone = "bad" if item.state == "stopped" or item.reason else "muted"
        return Text(_short(item.said), style=tone)
    if item.state != "waiting":
        return Text("")
    if unread:
        return Text(unread, style="bad")
    if standing is None:
        return Text(f"reading{glyphs().more}" if not item.revision else "", style="muted")
    if standing.in_the_way:
        return Text(_short(standing.in_the_way), style="bad")
    if changed(item, standing):
        return Text("edited since you read it", style="bad")
    if CHANGED in standing.warnings:
        return Text("! changed since you read it", style="warn")
    if standing.both_sides:
        return Text(f"! may conflict: {few(standing.both_sides, SHOWN)}", style="warn")
    if forecast is not None and forecast.same:
        return Text(f"! {same_page(forecast)}", style="warn")
    behind = out_of_date(item, forecast, standing)
    return Text(behind, style="muted")


def waits_for(run: MergeRun) -> Text:
    """Return what a request waits for, or why it waits no more."""
    item = run.items[0]
    if run.state == "stopped":
        return Text(_short(item.said), style="bad")
    return Text(item.said or "not looked at yet", style="warn")


def how_it_waits(run: MergeRun) -> str:
    """Say what becomes of a request that waits for its rules."""
    if run.state == "stopped":
        return "It waits no more: r takes that as read and waits again, x takes it out."
    return "Merged once its rules hold; x takes it out."


def _short(said: str) -> str:
    """Return a sentence about a request without its subject, for a narrow column."""
    return said.removeprefix("It ")


def changed(item: RunItem, standing: PlannedState) -> bool:
    """Whether a request that waits was edited since the reader saw it."""
    return bool(item.revision) and standing.found.revision != item.revision


def same_page(forecast: Forecast) -> str:
    """Return which requests touch the same pages: "same page as #118: Retries"."""
    pages = list(dict.fromkeys(title for _, titles in forecast.same for title in titles))
    labels = listed([other.label for other, _ in forecast.same])
    word = "page" if len(pages) == 1 else "pages"
    return f"same {word} as {labels}: {few(pages, SHOWN)}"


def out_of_date(item: RunItem, forecast: Forecast | None, standing: PlannedState | None) -> str:
    """Return why it is, or will be, out of date when its turn comes; empty when it is not."""
    sign = glyphs().outdated
    if standing is not None and standing.found.outdated:
        return f"{sign} out of date: updated first"
    if forecast is not None and forecast.behind:
        return f"{sign} out of date after {forecast.behind.label}"
    return ""


def details(
    run: MergeRun,
    item: RunItem,
    forecast: Forecast | None,
    standing: PlannedState | None,
    unread: str = "",
    clashes: Iterable[Fact] = (),
) -> list[Fact]:
    """Return all there is to know of a request of a run."""
    facts: list[Fact] = []
    if run.stopped is not None and run.stopped.key != item.key:
        stopped = Text(f"Stopped at {run.stopped.name}: ", style="bad")
        stopped.append_text(hint(run.stopped.said, "bad"))
        facts += [Fact("", stopped), Fact("", "")]
    facts += [Fact("", Text(item.name, style="strong")), Fact("state", state_text(item))]
    if item.said:
        tone = "bad" if item.reason and not item.settled else ""
        facts.append(Fact("", hint(item.said, tone)))
    facts += clashes
    if item.space_title:
        facts.append(Fact("space", item.space_title))
    if item.merged:
        facts.append(Fact("revision", item.merged))
    if unread:
        facts.append(Fact("unread", Text(unread, style="bad")))
    if item.state == "waiting":
        facts += _ahead(item, forecast, standing)
    return [*facts, Fact("", ""), *about_run(run)]


def _ahead(item: RunItem, forecast: Forecast | None, standing: PlannedState | None) -> list[Fact]:
    """Return the forecast of a request whose turn has not come."""
    facts: list[Fact] = []
    if standing is not None and standing.in_the_way:
        facts.append(Fact("in the way", Text(standing.in_the_way, style="bad")))
    if standing is not None and changed(item, standing):
        edited = "It was edited since you read it: the run stops there. Look; x, x queues it again."
        facts.append(Fact("edited", hint(edited, "bad")))
    if forecast is not None:
        for other, titles in forecast.same:
            facts.append(
                Fact("same page", Text(f"as {other.name}: {few(titles, SHOWN)}", style="warn"))
            )
    behind = out_of_date(item, forecast, standing)
    if behind:
        facts.append(Fact("main", behind))
    if standing is not None and standing.both_sides:
        both = f"may conflict: main changed {few(standing.both_sides, SHOWN)} too"
        facts.append(Fact("", Text(both, style="warn")))
    if standing is not None:
        facts += [Fact("know", Text(said, style="warn")) for said in standing.warnings]
        touched = list(standing.touched.values())
        about = " (about: the trees were compared)" if standing.about else ""
        if touched:
            facts.append(Fact("touches", f"{few(touched, SHOWN)}{about}"))
    return facts


def about_run(run: MergeRun) -> list[Fact]:
    """Return how a run stands as a whole."""
    facts = [Fact("run", summary(run))]
    if run.state != "finished":
        stopping = run.stops - {"rule"} if run.waits else run.stops
        stops = listed([said for stop, said in STOPS.items() if stop in stopping], "or")
        rest = "" if len(run.stops) == len(STOPS) else "; what else it meets it passes over"
        facts.append(Fact("stops at", (stops or "nothing that can be passed over") + rest))
    if run.waits and run.state == "paused":
        looked = (
            "each minute by copydesk or copydesk watch; nothing is checked while both are closed"
        )
        facts.append(Fact("read", looked))
    return facts


def summary(run: MergeRun) -> str:
    """Return how far a run is, and what became of its requests."""
    total = len(run.listed)
    if run.waits and run.state == "paused":
        return f"merged once its rules hold; waits since {when(run)}"
    match run.state:
        case "planned":
            return f"{plural(total, 'change request')}, not started"
        case "running":
            head = f"at {run.far}"
        case "paused":
            head = f"{'cut off' if run.cut else 'paused'} at {run.far}"
        case "stopped":
            head = f"stopped at {run.far}"
        case "finished":
            head = "ended" if run.count("waiting", "stopped") else "finished"
    states: tuple[ItemState, ...] = ("done", "skipped", "stopped", "removed")
    counts = [f"{run.count(each)} {STATES[each][0]}" for each in states if run.count(each)]
    if waiting := run.count("waiting"):
        counts.append(f"{waiting} not begun")
    return f"{head}: {', '.join(counts)}" if counts else head


def when(run: MergeRun) -> str:
    """Return when a run began, as people write it here."""
    moment = datetime.fromtimestamp(run.started or run.made, UTC).astimezone()
    return f"{moment:%Y-%m-%d %H:%M}"


def report_lines(run: MergeRun) -> list[Fact]:
    """Return the report of a run for the screen."""
    facts = [Fact("", Text(f"Merge run of {when(run)}", style="strong")), Fact("", summary(run))]
    facts.append(Fact("", ""))
    for item in run.items:
        facts.append(Fact("", Text.assemble(state_text(item), "  ", (item.name, "strong"))))
        if item.said or item.merged:
            facts.append(Fact("", Text(f"  {_said(item)}", style="bad" if item.reason else "")))
    return facts


def report(run: MergeRun) -> str:
    """Return the report of a run as Markdown, with a link to each request."""
    lines = [f"# Merge run of {when(run)}", "", f"{capital(summary(run))}.", ""]
    for number, item in enumerate(run.items, 1):
        end = ENDS.get(item.state, "Not begun")
        said = f" {escaped(_said(item))}" if item.said or item.merged else ""
        url = web_address(item.url)
        name = markdown_link(item.name, url) if url else escaped(item.name)
        where = f" in {escaped(item.space_title)}" if item.space_title else ""
        lines.append(f"{number}. **{end}**: {name}{where}.{said}")
    return "\n".join(lines) + "\n"


def _said(item: RunItem) -> str:
    parts = [item.said] if item.said else []
    if item.updates:
        parts.append("It was updated from main first.")
    if item.merged:
        parts.append(f"Revision {item.merged}.")
    return " ".join(parts)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|" else sign for sign in text)
