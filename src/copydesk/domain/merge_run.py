"""A merge run: several change requests, merged one after the other in a chosen order.

A run is a value; every method returns the run as it is afterwards. Whoever drives it keeps each of
these values before and after every request, so that a run which was cut off is known to have sent
its last request or not, and is read again before anything else is sent (`MergeRun.go_on`).

What can be known of it before it starts is which requests meet, and which will be behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal, TypeAlias

from copydesk.domain.sure import sure
from copydesk.domain.text import listed, plural

ItemState: TypeAlias = Literal[
    "waiting", "checking", "updating", "merging", "done", "stopped", "skipped", "removed"
]
"""What becomes of one request. ``skipped`` is one that the run stopped at and then passed over."""

RunState: TypeAlias = Literal["planned", "running", "paused", "stopped", "finished"]

Reason: TypeAlias = Literal[
    "conflict", "settled", "rule", "comment", "edit", "gone", "refused", "failed", "unknown"
]
"""Why a run stops. ``failed``: it could not be read or sent, and nothing was done; ``unknown``: it
may have happened all the same; ``settled`` is a conflict that was settled since."""

STOPS: Mapping[Reason, str] = {
    "conflict": "a conflict with main",
    "rule": "a rule that is not met",
    "comment": "a comment since it was queued",
    "edit": "an edit since you read it",
}
"""What a run stops at unless it is told not to. Without the first two it passes over such a request
and goes on; without the other two it does not mind. At anything else it always stops."""

IN_FLIGHT: frozenset[ItemState] = frozenset({"checking", "updating", "merging"})

MOST_UPDATES = 3
"""So often is one request updated: primary content that moves on faster is somebody else's run."""

UNSEEN = "unseen"
"""The revision of a request that was changed before it could be read for the plan: by then it was
another one than the reader had seen, so the run stops there as at any edit."""

MERGED_ELSEWHERE = "Merged already, not by this run."

SETTLED = "Settled since: it has all of main."

MAYBE_SENT = (
    "A merge was sent and no answer came. It is not merged by now: look; r lets it wait again."
)
"""Why one that waits for its rules is not merged a second time by itself."""

UNREAD = "Edited meanwhile: more was merged than was read. :revert reverts the merge."
"""What is said where the merged revision is another one than the last that was read."""

Comments: TypeAlias = tuple[tuple[str, int], ...]
"""The discussion of a request: each thread with its number of replies, and each review that asks
for changes, as `OBJECTION` and its id."""

OBJECTION = "review "


@dataclass(frozen=True, slots=True)
class RunItem:
    """One request of a run.

    ``revision`` and ``comments`` are what it was queued with; an empty revision is not read yet.
    ``seen`` is when it had last changed as the reader saw it, in seconds since the epoch, and
    ``seen_revision`` its revision then: a verdict changes the one and not the other. ``sent`` is a
    request without a recorded outcome: after a cut it may have arrived. ``arrived`` is the revision
    that the service named after an update. Texts are clean.
    """

    space: str
    request: str
    label: str
    subject: str
    space_title: str = ""
    url: str = ""
    seen: float | None = None
    seen_revision: str = ""
    revision: str = ""
    comments: Comments = ()
    state: ItemState = "waiting"
    reason: Reason | Literal[""] = ""
    said: str = ""
    sent: Literal["", "update", "merge"] = ""
    arrived: str = ""
    updates: int = 0
    merged: str = ""
    ended: float | None = None

    @property
    def key(self) -> str:
        """Its identity in a run."""
        return f"{self.space}/{self.request}"

    @property
    def at_news(self) -> bool:
        """Whether it stands at news that were told: going on with it takes them as read."""
        return self.reason in ("comment", "edit")

    @property
    def to_settle(self) -> bool:
        """Whether it stopped at a conflict with main that is not settled yet."""
        return self.state == "stopped" and self.reason == "conflict"

    @property
    def settled(self) -> bool:
        """Whether the conflict that it stopped at was settled since."""
        return self.state == "stopped" and self.reason == "settled"

    @property
    def name(self) -> str:
        """How a sentence names it: "#118 Fix auth code samples"."""
        return f"{self.label} {self.subject}"


@dataclass(frozen=True, slots=True)
class Found:
    """A request as it was read just now.

    ``pulled_into`` is the revision into which its newest one pulled primary content, empty when it
    pulled nothing, None when that is not known. ``off`` says why it cannot be merged even with
    every rule met, ``failing`` which rules are not met; one that an update mends does not count.
    ``base`` is the revision of main that it has all of. ``rules`` are how many are met, of how
    many.
    """

    status: str
    revision: str
    _: KW_ONLY
    updated: float = 0.0
    outdated: bool = False
    comments: Comments = ()
    said_by: str = ""
    failing: str = ""
    off: str = ""
    pulled_into: str | None = None
    merged: str = ""
    base: str = ""
    rules: tuple[int, int] = (0, 0)
    open_threads: int = 0


@dataclass(frozen=True, slots=True)
class MergeRun:
    """Requests in the order in which they are merged, and how far that is."""

    id: str
    items: tuple[RunItem, ...] = ()
    state: RunState = "planned"
    pausing: bool = False
    """Whether it pauses after the current request."""
    stops: frozenset[Reason] = field(default_factory=lambda: frozenset(STOPS))
    cut: bool = False
    """Whether the process that ran it ended in the middle."""
    stopped_at: str = ""
    """The key of the request that it stopped at."""
    made: float = 0.0
    started: float | None = None
    ended: float | None = None
    waits: bool = False
    """Whether its one request is merged once its rules hold: between two looks it is paused."""
    by: str = ""
    """The id of who lets it wait, "" where that is not known: nobody else's token merges it."""

    # How far it is

    @property
    def current(self) -> RunItem | None:
        """The request that is being merged."""
        return next((item for item in self.items if item.state in IN_FLIGHT), None)

    @property
    def stopped(self) -> RunItem | None:
        """The request that it stopped at, as long as it stands there."""
        if self.state != "stopped":
            return None
        return next((item for item in self.items if item.key == self.stopped_at), None)

    @property
    def listed(self) -> list[RunItem]:
        """The requests that were not taken out."""
        return [item for item in self.items if item.state != "removed"]

    @property
    def at(self) -> int:
        """The number of the request that it is at, from 1; of those dealt with between two."""
        here = self.current or self.stopped
        if here is not None and here.state != "removed":
            return self.listed.index(here) + 1
        return sum(item.state in ("done", "stopped", "skipped") for item in self.items)

    @property
    def far(self) -> str:
        """How far it is: "3 of 6"."""
        return f"{self.at} of {len(self.listed)}"

    @property
    def begun(self) -> bool:
        """Whether it was started and has not ended."""
        return self.state in ("running", "paused", "stopped")

    def item(self, key: str) -> RunItem | None:
        """Return the request with that key, or None."""
        return next((item for item in self.items if item.key == key), None)

    def count(self, *states: ItemState) -> int:
        """Return how many requests are in one of these states."""
        return sum(item.state in states for item in self.items)

    # Planning

    def add(self, items: Iterable[RunItem]) -> MergeRun:
        """Add requests at the end; one that was taken out comes back there."""
        known = {item.key: item for item in self.items}
        for item in items:
            before = known.get(item.key)
            if before is None or before.state == "removed":
                known.pop(item.key, None)
                known[item.key] = item
        return replace(self, items=tuple(known.values()))

    def change(self, key: str, **changes: Any) -> MergeRun:
        """Return the run with other fields of one request."""
        return replace(
            self,
            items=tuple(
                replace(item, **changes) if item.key == key else item for item in self.items
            ),
        )

    def move(self, key: str, by: int) -> MergeRun:
        """Move a waiting request up (-1) or down (1) among the waiting ones."""
        waiting = [at for at, item in enumerate(self.items) if item.state == "waiting"]
        places = [at for at in waiting if self.items[at].key == key]
        if not places:
            return self
        place = waiting.index(places[0])
        other = place + by
        if not 0 <= other < len(waiting):
            return self
        items = list(self.items)
        here, there = waiting[place], waiting[other]
        items[here], items[there] = items[there], items[here]
        return replace(self, items=tuple(items))

    def take_out(self, key: str) -> MergeRun:
        """Take out a request that waits; one that is out already comes back, at the end.

        In a plan it is queued anew then, as it is by now.
        """
        item = self.item(key)
        if item is None or item.state not in ("waiting", "removed"):
            return self
        if item.state == "waiting":
            return self.change(key, state="removed")
        rest = tuple(each for each in self.items if each.key != key)
        item = replace(item, state="waiting")
        if self.state == "planned":
            item = replace(item, seen=None, revision="", comments=())
        return replace(self, items=(*rest, item))

    def queue(self, key: str, found: Found) -> MergeRun:
        """Take a request that waits as it was found: what follows is news to the reader."""
        item = self.item(key)
        if item is None or item.revision:
            return self
        known = item.seen is None or found.updated <= item.seen
        known = known or found.revision == item.seen_revision
        return self.change(
            key, revision=found.revision if known else UNSEEN, comments=found.comments
        )

    # Going

    def start(self, at: float) -> MergeRun:
        """Begin; ``at`` is the time in seconds since the epoch, as everywhere here.

        A request that was taken out of the plan is no part of the run.
        """
        items = tuple(self.listed)
        return replace(self, items=items, state="running", started=at)

    def pause(self) -> MergeRun:
        """Pause after the current request; the second time, go on after it all the same."""
        return replace(self, pausing=not self.pausing) if self.state == "running" else self

    def go_on(self) -> MergeRun:
        """Go on after a pause or a cut: what may have been sent is read before anything else."""
        if self.state not in ("paused", "running"):
            return self
        run = replace(self, state="running", pausing=False, cut=False)
        here = run.current
        return run if here is None else run.change(here.key, state="checking")

    def cut_off(self) -> MergeRun:
        """Return a run that nobody goes through any more, though it was being gone through."""
        return replace(self, state="paused", cut=True) if self.state == "running" else self

    def advance(self, at: float) -> MergeRun:
        """Take the next request, once none is under way; pause or finish where that is due."""
        if self.state != "running" or self.current is not None:
            return self
        following = next((item for item in self.items if item.state == "waiting"), None)
        if following is None:
            return replace(self, state="finished", ended=at, pausing=False)
        if self.pausing:
            return replace(self, state="paused", pausing=False)
        return self.change(following.key, state="checking")

    def judge(self, found: Found, at: float) -> MergeRun:
        """Decide what to do with the current request, by how it was found just now."""
        item = self._under_way
        if found.status == "merged":
            arrived = "It had arrived: that was found by reading again."
            said = arrived if item.sent == "merge" else MERGED_ELSEWHERE
            if item.sent == "merge" and found.revision != item.revision:
                said = f"{said} {UNREAD}"
            return self._settled(item, "done", at, said=said, merged=found.merged, sent="")
        if self.waits and item.sent == "merge":
            # Nobody looks on, and it may still be under way.
            return self.fail("unknown", MAYBE_SENT, at)
        if item.sent == "update" and found.revision != item.revision:
            known = found.pulled_into is not None
            ours = found.pulled_into == item.revision if known else found.revision == item.arrived
            if ours:
                item = replace(item, revision=found.revision, updates=item.updates + 1)
        item = replace(item, sent="", arrived="")
        against: list[tuple[Reason, str]] = []
        if found.off:
            against.append(("refused", found.off))
        if found.revision != item.revision and "edit" in self.stops:
            against.append(("edit", "Edited since you read it."))
        if (news := said_since(item.comments, found.comments)) and "comment" in self.stops:
            by = f", last by {found.said_by}" if found.said_by else ""
            against.append(("comment", f"It has {news} since it was queued{by}."))
        if found.failing:
            against.append(("rule", found.failing))
        # The report says what was found, so who goes on then knows it.
        item = replace(item, revision=found.revision, comments=found.comments)
        if self.waits and [reason for reason, _ in against] == ["rule"]:
            met, rules = found.rules
            missing = found.failing.removeprefix("It ").removesuffix(".")
            return self._put(item).wait(f"{met} of {plural(rules, 'rule')}: {missing}")
        if against:
            run = self._put(item)
            return run.fail(against[0][0], " ".join(said for _, said in against), at)
        if found.outdated:
            if item.updates >= MOST_UPDATES:
                often = f"Updated {item.updates} times, and main has moved on again."
                return self._put(item).fail("refused", often, at)
            return self._put(replace(item, state="updating", sent="update"))
        return self._put(replace(item, state="merging", sent="merge"))

    def not_sent(self) -> MergeRun:
        """Check the current request again: nothing was sent for it after all."""
        return self._put(replace(self._under_way, state="checking", sent=""))

    def updated(self, revision: str) -> MergeRun:
        """Note that the update of the current request was answered; it is checked again then."""
        return self._put(replace(self._under_way, state="checking", arrived=revision))

    def merged(self, revision: str, at: float, said: str = "") -> MergeRun:
        """Note that the current request was merged, as which revision."""
        return self._settled(self._under_way, "done", at, merged=revision, said=said, sent="")

    def merged_with_conflicts(self, revision: str, said: str, at: float) -> MergeRun:
        """Note that it was merged and conflicts: it is live and needs hands, so nothing follows."""
        run = self.merged(revision, at, said)
        item = self._under_way
        run = run.change(item.key, reason="conflict")
        if "conflict" not in self.stops:
            return run
        return replace(run, state="stopped", stopped_at=item.key, pausing=False)

    def fail(self, reason: Reason, said: str, at: float) -> MergeRun:
        """Stop at the current request, or pass over it where the run is not to stop at that."""
        item = self._under_way
        if self.waits and reason == "failed" and item.state == "checking":
            return self.wait(said)
        if reason in STOPS and reason not in self.stops:
            return self._settled(item, "skipped", at, reason=reason, said=said, sent="")
        sent = item.sent if reason == "unknown" else ""
        run = self._settled(item, "stopped", at, reason=reason, said=said, sent=sent)
        return replace(run, state="stopped", stopped_at=item.key, pausing=False)

    # After a stop

    def skip(self, at: float) -> MergeRun:
        """Pass over the request that it stopped at, and go on with the next."""
        item = self.stopped
        if item is None:
            return self
        run = self if item.state == "done" else self.change(item.key, state="skipped")
        return replace(run, state="running", stopped_at="").advance(at)

    def settled(self, head: str, revision: str) -> MergeRun:
        """Note that the conflict that it stopped at was settled; it waits for the next command.

        ``head`` is the revision that was settled, and ``revision`` what that made of it. Where the
        run did not stop at ``head``, an edit came between, which stops it yet.
        """
        item = self.stopped
        if item is None or not item.to_settle:
            return self
        known = revision if head == item.revision else item.revision
        return self.change(item.key, reason="settled", said=SETTLED, revision=known)

    def again(self) -> MergeRun:
        """Try the request that it stopped at again: it is read before anything is sent."""
        item = self.stopped
        if item is None or item.state == "done":
            return self
        run = self.change(item.key, state="checking", reason="", said="", ended=None)
        run = replace(run, state="running", stopped_at="")
        if not self.waits:
            return run
        return run.change(item.key, sent="" if item.sent == "merge" else item.sent).wait("")

    def end(self, at: float) -> MergeRun:
        """End it here; what has not begun is left as it is."""
        return replace(self, state="finished", ended=at, pausing=False, cut=False)

    def wait(self, said: str) -> MergeRun:
        """Leave the current request as it is until the next look; ``said`` is what it waits for."""
        return replace(
            self._put(replace(self._under_way, state="waiting", said=said)), state="paused"
        )

    @property
    def _under_way(self) -> RunItem:
        """The current request, where only a run that has one can be."""
        return sure(self.current)

    def _put(self, item: RunItem) -> MergeRun:
        return replace(
            self, items=tuple(item if each.key == item.key else each for each in self.items)
        )

    def _settled(self, item: RunItem, state: ItemState, at: float, **changes: Any) -> MergeRun:
        run = self._put(item)
        return run.change(item.key, state=state, ended=at, **changes)


def said_since(before: Comments, now: Comments) -> str:
    """Return what came to be said in the meantime: "a new comment"; empty for nothing."""
    known = dict(before)
    fresh = [thread for thread, _ in now if thread not in known]
    objections = sum(thread.startswith(OBJECTION) for thread in fresh)
    replies = sum(max(0, count - known[thread]) for thread, count in now if thread in known)
    parts = [
        (objections, "review asking for changes", "reviews asking for changes"),
        (len(fresh) - objections, "new comment", None),
        (replies, "new reply", None),
    ]
    return listed(
        f"a {noun}" if count == 1 else plural(count, noun, many)
        for count, noun, many in parts
        if count
    )


Touched: TypeAlias = Mapping[str, str]
"""The pages and files that a request changes, by id, with their titles."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will happen to a request because of the others.

    ``same`` are requests that touch a page that it touches too, with the titles of those pages;
    ``behind`` is the first whose merge will leave it out of date.
    """

    same: tuple[tuple[RunItem, tuple[str, ...]], ...] = ()
    behind: RunItem | None = None


def forecast(items: Sequence[RunItem], touched: Mapping[str, Touched]) -> dict[str, Forecast]:
    """Return what to expect of each request that is not taken out, by its key.

    ``touched`` has the known changes of each, by key. Requests of different spaces have nothing to
    do with each other; one that is behind stays so.
    """
    spaces: dict[str, list[RunItem]] = {}
    users: dict[tuple[str, str], list[RunItem]] = {}
    for item in items:
        if item.state in ("removed", "skipped", "stopped"):
            continue
        spaces.setdefault(item.space, []).append(item)
        for page in touched.get(item.key, ()):
            users.setdefault((item.space, page), []).append(item)
    same: dict[str, dict[str, tuple[RunItem, list[str]]]] = {}
    for (_, page), sharing in users.items():
        for item in sharing:
            for other in sharing:
                if other is not item:
                    found = same.setdefault(item.key, {}).setdefault(other.key, (other, []))
                    found[1].append(touched[item.key][page])
    return {
        item.key: Forecast(
            tuple((other, tuple(titles)) for other, titles in same.get(item.key, {}).values()),
            ones[0] if at else None,
        )
        for ones in spaces.values()
        for at, item in enumerate(ones)
    }
