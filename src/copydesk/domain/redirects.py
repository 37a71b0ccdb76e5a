"""Which redirect holds for a path of a site, and where one leads through another.

A source that ends in ``*`` holds for all paths that go on from there; one that ends in ``/*`` also
for the path without the slash. The most exact source goes first, and what a site shows itself goes
before any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal
from urllib.parse import quote

from copydesk.contract.models.redirect import SOURCE_LIMIT, SOURCE_PATTERN
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import unseen

PROBE = "~"
"""What stands for the ``*`` of a source where a way is followed for all that it holds for."""

LONGEST = 50
"""How many redirects are followed one after the other."""

End = Literal["there", "loop", "nowhere"]


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of a path: the sources that it goes through, and where and how it ends.

    ``end`` is ``there`` where something other than a redirect stands there, ``nowhere`` where the
    destination of the last is gone.
    """

    sources: tuple[str, ...]
    at: str
    end: End


def candidates(path: str) -> Iterator[str]:
    """Yield the sources that would hold for a path, the most exact first."""
    yield path
    yield f"{path}/*"
    for length in range(len(path), 1, -1):
        yield f"{path[:length]}*"


def landing(source: str, path: str, destination: str, *, capture: bool) -> str:
    """Return where a path comes to by the redirect that holds for it."""
    if not capture or not source.endswith("*"):
        return destination
    rest = path[len(source) - 1 :].lstrip("/")
    return f"{destination.rstrip('/')}/{rest}" if rest else destination


def probes(source: str) -> tuple[str, ...]:
    """Return paths that stand for all that a source holds for."""
    if not source.endswith("*"):
        return (source,)
    return source[:-1].rstrip("/"), source[:-1] + PROBE


def trace(path: str, step: Callable[[str], tuple[str, str | None] | None]) -> Trace:
    """Follow a path from redirect to redirect.

    ``step`` returns the source that holds for a path and where that leads (None: its destination is
    gone); None where no redirect holds. What leads to another site ends there.
    """
    sources: list[str] = []
    while (found := step(path)) is not None:
        source, target = found
        if source in sources or len(sources) == LONGEST:
            return Trace((*sources, source), path, "loop")
        sources.append(source)
        if target is None:
            return Trace(tuple(sources), "", "nowhere")
        path = target
    return Trace(tuple(sources), path, "there")


def loop_of(source: str, follow: Callable[[str], Trace]) -> tuple[str, ...]:
    """Return the sources of the loop that a redirect is part of, its own at both ends.

    Empty where it is in none; one that only leads to others that go in a loop is not part of it.
    ``follow`` follows a path with the redirect in force.
    """
    for probe in probes(source):
        way = follow(probe)
        if way.end == "loop" and way.sources[-1] == source:
            return way.sources[way.sources.index(source) :]
    return ()


def path_on(address: str, site: str | None) -> str | None:
    """Return the path on a site that an address is of; None where it is of another one.

    ``site`` is the site's own address, empty or None where it has none.
    """
    if address.startswith("/"):
        return address
    if not site:
        return None
    bare = address.partition("#")[0].partition("?")[0].rstrip("/")
    base = site.rstrip("/")
    if bare.lower() == base.lower():
        return "/"
    return bare[len(base) :] if bare.lower().startswith(base.lower() + "/") else None


SOURCE_RULE = "a path such as /guides/start, or /guides/* for all below it"


def wrong_source(text: str) -> str | None:
    """Return the fault of a redirect's source as a sentence, None for none.

    It names the first character that cannot be there, and how the path is written instead.
    """
    if len(text) > SOURCE_LIMIT:
        return f"{len(text)} characters; at most {SOURCE_LIMIT}"
    if re.fullmatch(SOURCE_PATTERN, text):
        return None
    rule = f"write {SOURCE_RULE}"
    if not text.startswith("/"):
        return rule
    if hidden := next((each for each in text if unseen(each) or not each.isprintable()), ""):
        return f"U+{ord(hidden):04X} cannot be in a path: delete it"
    strange = re.search(r"[^\w\-.~+%/*]|[^\x00-\x7f]|%(?![0-9A-Fa-f]{2})|\*(?!\Z)", text)
    wrong = strange[0] if strange else ""
    if wrong == "*":
        return f"* can only be at the end: {rule}"
    path = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", re.split("[?#]", text)[0])
    path = re.sub("//+", "/", quote(path, safe="/%-._~+*")).rstrip("/")
    rule = f"write {path}" if re.fullmatch(SOURCE_PATTERN, path) else rule
    if wrong in ("?", "#"):
        return f"{wrong} and what follows is not part of a path: {rule}"
    named = "a blank" if wrong == " " else wrong
    return f"{named} cannot be in a path: {rule}" if wrong else rule


@dataclass(frozen=True, slots=True)
class Rule:
    """A redirect that holds. ``to`` is a path of the site, or an address elsewhere.

    None where what it leads to is gone; "" where it cannot be told.
    """

    source: str
    to: str | None
    capture: bool = False


class Rules:
    """The redirects of a site that hold, and what it shows itself: titles by path."""

    def __init__(self, rules: Mapping[str, Rule], shown: Mapping[str, str]) -> None:
        self.rules = rules
        self.shown = shown
        stars = {len(source) - 1 for source in rules if source.endswith("*")}
        self._lengths = sorted(stars, reverse=True)

    def holding(self, path: str) -> Rule | None:
        """Return the redirect that holds for a path, as `candidates` has their order."""
        found = self.rules.get(path) or self.rules.get(f"{path}/*")
        if found is not None:
            return found
        ways = (f"{path[:length]}*" for length in self._lengths if length <= len(path))
        return next((self.rules[way] for way in ways if way in self.rules), None)

    def follow(self, path: str) -> Trace:
        """Follow a path through the redirects."""

        def step(at: str) -> tuple[str, str | None] | None:
            if not at.startswith("/") or at in self.shown:
                return None
            rule = self.holding(at)
            if rule is None:
                return None
            to = rule.to and landing(rule.source, at, rule.to, capture=rule.capture)
            return rule.source, to

        return trace(path, step)

    def loop(self, source: str) -> tuple[str, ...]:
        """Return what `loop_of` does of one of these redirects."""
        return loop_of(source, self.follow)

    def trouble(self, rule: Rule) -> str:
        """Name what is wrong with a redirect; empty where nothing is."""
        if rule.source in self.shown:
            return f"shadowed: the site shows {self.shown[rule.source]} there"
        if rule.to is None:
            return "leads nowhere: what it led to is gone"
        for probe in probes(rule.source):
            way = self.follow(probe)
            if way.end == "loop":
                return f"loop: {' to '.join(way.sources)}"
            if len(way.sources) > 1 and way.sources[0] == rule.source:
                return f"chain: {' to '.join(way.sources)} to {way.at or 'nowhere'}"
        return ""
