"""Whether a change request can be merged, in the words that its list and its review share.

Whether an outdated request conflicts shows only when it is merged or updated, unless primary
content has changed none of its pages. So it is called ready only where nothing can change that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import objection
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.session.change_rows import ChangeRow, Details


READY = "READY TO MERGE"
"""Everything known speaks for it."""


NAMED = 2
"""The number of pages changed on both sides that are named."""


TITLE = 40
"""Cells of a title."""


PERHAPS = "READY?"
"""Nothing known speaks against it, but something is unknown."""


LOSES = "LOSES PAGES"
"""A merge would remove pages for readers that the author only moved."""


EMPTY = "CHANGES NOTHING"
"""A service refuses a merge without changes."""

OBJECTED = "READY !"
"""Every rule passes, but somebody asked for changes after the approval."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """A word with its tone, and a short reason."""

    word: str
    tone: str
    why: str = ""


def behind_main(both_sides: Sequence[str] | None, *, keys: bool = True) -> str:
    """Return the consequence of being out of date; ``both_sides`` as in `RulesRead`."""
    sign = glyphs().outdated
    if both_sides is not None and not both_sides:
        return f"{sign} out of date, but main changed none of its pages"
    where = ""
    if both_sides:
        named = [shorten(clean(title), TITLE, glyphs().more) for title in both_sides[:NAMED]]
        rest = len(both_sides) - len(named)
        where = f" in {listed([*named, f'{rest} more'] if rest else named)}"
    return f"{sign} out of date, may conflict{where}" + (": U updates" if keys else "")


def readiness(
    status: str,
    results: Sequence[RuleResult] | None,
    *,
    outdated: bool,
    stuck: bool = False,
    against: Sequence[str] = (),
    losing: Sequence[str] = (),
    unlooked: str = "",
    both_sides: Sequence[str] | None = None,
    empty: bool = False,
    keys: bool = True,
) -> Readiness:
    """Return how ready a change request is. The ``results`` of its rules are None when unknown.

    ``stuck`` says that an update conflicted and neither side has changed since. ``against`` are
    people who asked for changes after the approval, ``losing`` describes pages that readers would
    lose, ``unlooked`` says that the check for such pages is incomplete. ``both_sides`` are titles
    of pages that main has changed too, None when unknown. ``empty`` says that it changes neither a
    page nor a file. ``keys`` adds the keys that help.
    """
    if status != "open":
        said = {"draft": "W makes it open"}.get(status, "") if keys else ""
        return Readiness(clean(status), "good" if status == "merged" else "muted", said)
    failing = [each.sentence for each in results or () if each.outcome == "fail"]
    unsure = [each.sentence for each in results or () if each.outcome == "unknown"]
    said = objection(against, results)
    objected = [f"! {each}" for each in [*losing, *([said] if said else [])]]
    behind = behind_main(both_sides, keys=keys) if outdated else ""
    if stuck:
        behind = f"{glyphs().outdated} out of date"
        why = "; ".join(["an update met the same lines changed on both sides", *failing, *objected])
        return Readiness("CONFLICTS", "bad", f"{why}   {behind}")
    if empty:
        return Readiness(EMPTY, "warn", "; ".join(["there is nothing to merge", *failing]))
    if failing:
        passed = len(results or ()) - len(failing) - len(unsure)
        why = "; ".join([*failing, *objected]) + (f"   {behind}" if behind else "")
        return Readiness(f"{passed} of {plural(len(results or ()), 'rule')} met", "warn", why)
    if losing:
        why = "; ".join([*objected, *unsure]) + (f"   {behind}" if behind else "")
        return Readiness(LOSES, "warn", why.removeprefix("! "))
    if results is None:
        unsure = ["its rules are not known"]
    unsure += [unlooked] if unlooked else []
    apart = both_sides is not None and not both_sides
    if unsure or (behind and not apart):
        why = "; ".join(filter(None, [*objected, *unsure, behind]))
        return Readiness(PERHAPS, "warn" if said else "accent", why)
    after = f"   {behind}" if behind else ""
    if said:
        return Readiness(OBJECTED, "warn", said + after)
    met = f"{plural(len(results), 'rule')} met" if results else "no rules here"
    return Readiness(READY, "good", met + after)


def readiness_of(row: ChangeRow, details: Details, *, keys: bool = True) -> Readiness:
    """Return how ready a row is, from its details; ``keys`` as in `readiness`."""
    return readiness(
        row.status,
        details.rules,
        outdated=row.outdated,
        stuck=details.stuck,
        against=details.against,
        losing=details.losing,
        unlooked=details.unlooked,
        both_sides=details.both_sides,
        empty=details.empty,
        keys=keys,
    )
