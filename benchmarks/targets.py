"""What copydesk is to reach, in one table: goal, measured, pass or miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.terminal import table


@dataclass(frozen=True, slots=True)
class Target:
    """What is measured, in which unit, and its goal: at most so much, or at least (``least``)."""

    what: str
    unit: str
    goal: float
    least: bool = False

    def met(self, measured: float) -> bool:
        """Whether a figure reaches the goal."""
        return measured >= self.goal if self.least else measured <= self.goal


RATIO, MS, SECOND = "x", " ms", "/s"

TARGETS = {
    "key.p95": Target("a key in the list of 45,000 with details: first change, p95", RATIO, 1.2),
    "key.p99": Target("the same, p99", RATIO, 1.5),
    "key.overshoot": Target("a key held there: goes on after it is let go", MS, 50),
    "key.frames": Target("the same: frames drawn of 90", "", 85, least=True),
    "key.cpu": Target("CPU a press there", RATIO, 2),
    "start.sample": Target("start to the first useful row: the sample", RATIO, 1.25),
    "start.large": Target("the same: the desk of 100,000", RATIO, 1.25),
    "start.service": Target("the same: a service over the loopback", RATIO, 1.25),
    "pss.first": Target("PSS at the first row", RATIO, 1.7),
    "pss.list": Target("PSS in the list of 45,000", RATIO, 2.2),
    "requests.held": Target("requests while a key is held, without the list's pages", "", 0),
    "requests.unknown": Target("requests for a row rested on, details unknown", "", 3),
    "requests.known": Target("requests for a row rested on, details known", "", 0),
    "desk.list": Target("the embedded desk: a list of 50, asked again", RATIO, 3),
    "desk.list.anew": Target("the same, after a write", RATIO, 3),
    "desk.one": Target("the embedded desk: one object, asked again", RATIO, 5),
    "desk.one.anew": Target("the same, after a write", RATIO, 5),
    "serve.list": Target("serve, one core: lists of 50", SECOND, 1500, least=True),
    "serve.one": Target("the same: one object", SECOND, 4000, least=True),
    "serve.comments": Target("the same: comments", SECOND, 1500, least=True),
}
"""By name. Ratios are to the bare program measured in the same run."""


def show(measured: Mapping[str, float]) -> None:
    """Print the targets that were measured."""
    rows = []
    for name, target in TARGETS.items():
        if name in measured:
            figure = measured[name]
            rows.append(
                (
                    target.what,
                    f"{'>=' if target.least else '<='} {target.goal:,g}{target.unit}",
                    f"{_figure(figure)}{target.unit}",
                    "pass" if target.met(figure) else "MISS",
                )
            )
    table("Targets", ("what", "goal", "measured", ""), rows)


def _figure(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.2f}"
