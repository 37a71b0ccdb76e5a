"""Who owns pages, by their paths: the last rule that matches a path wins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from copydesk.domain.late_dataclass import dataclass

_SIGNS = re.compile(r"(\*\*/?|\*|\?)")
_MEANS = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}


@dataclass(frozen=True, slots=True)
class Owned:
    """A rule: the paths it matches, and the e-mail addresses or names of their owners."""

    pattern: str
    people: tuple[str, ...]


def rule_of(path: str, rules: Iterable[Owned]) -> Owned | None:
    """Return the last rule that matches the path of a page."""
    found = None
    for rule in rules:
        if _expression(rule.pattern).fullmatch(path.strip("/")):
            found = rule
    return found


@lru_cache(maxsize=512)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return a pattern as an expression: what it names owns what is below it too."""
    parts = _SIGNS.split(pattern.strip("/"))
    return re.compile("".join(_MEANS.get(each) or re.escape(each) for each in parts) + "(?:/.*)?")
