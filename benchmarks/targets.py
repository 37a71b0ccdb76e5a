"""What copydesk is to reach, in one table: goal, measured, and whether it is reached.

A ratio is to the bare program that was measured in the same run, in turns. Where a goal is absolute
and the bare program beside misses it as well, the machine was too busy: that counts as neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.terminal import table


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, and what the bare program beside it took of the same, if there is one."""

    value: float
    bare: float | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What is measured, in which unit, and its goal: at most so much, or at least (``least``)."""

    what: str
    unit: str
    goal: float
    least: bool = False

    def verdict(self, figure: Figure) -> str:
        """Say whether a figure reaches the goal."""
        if self._met(figure.value):
            return "pass"
        beside = figure.bare is not None and self.unit != RATIO
        return "busy" if beside and not self._met(figure.bare or 0) else "MISS"

    def _met(self, value: float) -> bool:
        return value >= self.goal if self.least else value <= self.goal


RATIO, MS, MIB, SECOND = "x", " ms", " MiB", " a second"

TARGETS = {
    "key.p95": Target("list of 45,000: key, first change, p95", RATIO, 1.2),
    "key.p99": Target("list of 45,000: key, first change, p99", RATIO, 1.5),
    "key.overshoot": Target("list of 45,000: held key goes on", MS, 50),
    "key.frames": Target("list of 45,000: held key, frames of 90", "", 85, least=True),
    "key.cpu": Target("list of 45,000: CPU a press", RATIO, 2),
    "requests.held": Target("list of 45,000: held key, requests beside its pages", "", 0),
    "requests.unknown": Target("list of 45,000: row rested on, requests, unknown", "", 3),
    "requests.known": Target("list of 45,000: row rested on, requests, known", "", 0),
    "end.pages": Target("list of 45,000: G, pages read for each 1,000 rows", "", 3),
    "review.p95": Target("review of a large request: key, first change, p95", RATIO, 1.2),
    "review.overshoot": Target("review of a large request: held key goes on", MS, 50),
    "structure.p95": Target("structure of 2,000 sections: key, first change, p95", RATIO, 1.2),
    "structure.overshoot": Target("structure of 2,000 sections: held key goes on", MS, 50),
    "clusters.p95": Target("clusters: key, first change, p95", RATIO, 1.2),
    "clusters.overshoot": Target("clusters: held key goes on", MS, 50),
    "pages.p95": Target("page of 1 MB: key, first change, p95", RATIO, 1.2),
    "pages.overshoot": Target("page of 1 MB: held key goes on", MS, 50),
    "start.preface": Target("start: the screen as it was left", RATIO, 0.15),
    "start.sample": Target("start to the first live row: sample", RATIO, 1.25),
    "start.large": Target("start to the first live row: desk of 100,000", RATIO, 1.25),
    "start.service": Target(
        "start to the first live row: service, from what is cached", RATIO, 1.25
    ),
    "pss.first": Target("PSS: at the first row, the sample", RATIO, 1.7),
    "pss.started": Target("PSS: once all is loaded that is loaded by itself", RATIO, 1.7),
    "pss.list": Target("PSS: list of 45,000", RATIO, 2.2),
    "pss.growth": Target("PSS: more after 200 reviews", MIB, 5),
    "idle.cpu": Target("idle minute: CPU", " %", 0.3),
    "idle.bytes": Target("idle minute: written to the terminal", " kB", 2),
    "idle.requests": Target("idle minute: requests without focus, but for news", "", 0),
    "desk.list": Target("embedded desk: list of 50, asked again", RATIO, 3),
    "desk.list.anew": Target("embedded desk: list of 50, after a write", RATIO, 3),
    "desk.one": Target("embedded desk: one object, asked again", RATIO, 5),
    "desk.one.anew": Target("embedded desk: one object, after a write", RATIO, 5),
    "serve.list": Target("serve, 8 clients, of one core: lists of 50", SECOND, 1500, least=True),
    "serve.one": Target("serve, 8 clients, of one core: one object", SECOND, 4000, least=True),
    "serve.comments": Target("serve, 8 clients, of one core: comments", SECOND, 1500, least=True),
}
"""By name."""


def show(measured: Mapping[str, Figure]) -> None:
    """Print the targets that were measured."""
    rows = [
        (
            target.what,
            f"{'>=' if target.least else '<='} {target.goal:,g}{target.unit}",
            f"{_number(measured[name].value)}{target.unit}",
            "" if (bare := measured[name].bare) is None else _number(bare),
            target.verdict(measured[name]),
        )
        for name, target in TARGETS.items()
        if name in measured
    ]
    if rows:
        table("Targets", ("what", "goal", "measured", "bare", ""), rows)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"
