"""Whether a change request can be merged, in the words that its list and its review share.

Only the service knows for certain: whether two sides of an outdated request go together comes out
when it is merged or updated. So nothing here is called ready that may still turn out otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.text import clean, listed, plural
from copydesk.tui.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.domain.merge_rules import RuleResult

READY = "READY TO MERGE"
"""Everything that can be known here speaks for it."""

PERHAPS = "READY?"
"""Nothing that is known speaks against it, and something is not known."""


LOSES = "LOSES PAGES"
"""A merge would take pages from readers that the author only moved."""

OBJECTED = "READY !"
"""Every rule is met, and yet somebody has asked for changes since it was approved."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """A word with its tone, and what stands behind it in a few words."""

    word: str
    tone: str
    why: str = ""

    @property
    def text(self) -> Text:
        """Return both as one text."""
        found = Text(self.word, style=self.tone)
        if self.why:
            found.append(f"   {self.why}", style="" if self.tone == "warn" else "muted")
        return found


def objection(against: Sequence[str], results: Sequence[RuleResult] | None) -> str:
    """Return who stands ``against`` a merge that no rule holds up for it; "" for nobody."""
    told = any(each.outcome == "fail" and "review" in each.rule for each in results or ())
    if not against or told:
        return ""
    return f"{listed(against)} asked for changes; nobody has approved it since"


def readiness(
    status: str,
    results: Sequence[RuleResult] | None,
    *,
    outdated: bool,
    stuck: bool = False,
    against: Sequence[str] = (),
    losing: Sequence[str] = (),
    keys: bool = True,
) -> Readiness:
    """Return how ready a change request is. ``results`` of its rules are None when not known.

    ``stuck`` says that an update conflicted, and that neither side has moved since. ``against``
    are people who asked for changes after it was approved, ``losing`` says of pages that a merge
    takes from readers where their texts go. ``keys`` that help are only named where they work.
    """
    if status != "open":
        said = {"draft": "W makes it open"}.get(status, "") if keys else ""
        return Readiness(clean(status), "good" if status == "merged" else "muted", said)
    failing = [each.sentence for each in results or () if each.outcome == "fail"]
    unsure = [each.sentence for each in results or () if each.outcome == "unknown"]
    said = objection(against, results)
    objected = [f"! {each}" for each in [*losing, *([said] if said else [])]]
    behind = f"{glyphs().outdated} out of date, may conflict" if outdated else ""
    behind += ": U updates" if behind and keys else ""
    if stuck:
        behind = f"{glyphs().outdated} out of date"
        why = "; ".join(["an update met the same lines changed on both sides", *failing, *objected])
        return Readiness("CONFLICTS", "bad", f"{why}   {behind}")
    if failing:
        passed = len(results or ()) - len(failing) - len(unsure)
        why = "; ".join([*failing, *objected]) + (f"   {behind}" if behind else "")
        return Readiness(f"{passed} of {plural(len(results or ()), 'rule')} met", "warn", why)
    if losing:
        why = "; ".join([*objected, *unsure]) + (f"   {behind}" if behind else "")
        return Readiness(LOSES, "warn", why.removeprefix("! "))
    if results is None:
        unsure = ["its rules are not known"]
    if unsure or behind:
        why = "; ".join(filter(None, [*objected, *unsure, behind]))
        return Readiness(PERHAPS, "warn" if said else "accent", why)
    if said:
        return Readiness(OBJECTED, "warn", said)
    return Readiness(
        READY, "good", f"{plural(len(results), 'rule')} met" if results else "no rules here"
    )
