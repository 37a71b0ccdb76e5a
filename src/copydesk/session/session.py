"""What the whole run shares: the connection, who I am, where I am, and what was written.

Nothing here imports the client or the contract when the module loads: before the first paint only
Textual and the standard library may.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from copydesk.domain.service_clock import apart, service_time
from copydesk.domain.text import clean
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.runs import Arrangements, Runs
from copydesk.local.saved_views import SavedViews
from copydesk.local.seen_pages import DeskSeen
from copydesk.local.snapshot import Snapshots
from copydesk.local.snooze import DeskSnoozes
from copydesk.local.state import State
from copydesk.session.cached_reads import reads_cached
from copydesk.session.drafts import CountedDrafts
from copydesk.session.errors import sentence
from copydesk.session.identity import confirm, identify, probe, recall, tell_owner
from copydesk.session.members import Members
from copydesk.session.reachability import BUSY, LOW_SHARE, Contact
from copydesk.session.runs.tree_steps import tree_steps
from copydesk.session.seen_pages import seen_steps
from copydesk.session.snooze import Snoozes
from copydesk.session.views import views_steps
from copydesk.session.writes.log import Written
from copydesk.session.writes.outbox import Outbox
from copydesk.session.writes.reversals import Reversals
from copydesk.session.writes.sender import WriteSender
from copydesk.session.writes.undo import History, LocalStep, Way

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User
    from copydesk.session.profiles import TokenKeeper
    from copydesk.session.runs.arrange import Arranger

NOT_DONE = ("failed", "recalled", "queued", "dropped")
"""How lines of the log stand that changed nothing at the service."""

KEPT_MESSAGES = 100
"""How many messages that had no room are kept."""


@dataclass
class Session:
    """The state that all places share.

    ``connect`` returns the client (it is called after the first paint); ``identify`` then fills
    in ``me`` and ``organization``, so that both are known once `ready` returns; ``clock`` is this
    machine's time of day, so that tests can freeze it (`now` is the service's); ``journal`` notes
    every write before it is sent and when it has ended. A write that can be recalled waits
    ``recall_seconds`` before it is sent.
    """

    connect: Callable[[], Awaitable[Api]]
    draft_store: DeskDrafts = field(default_factory=lambda: DeskDrafts(State()))
    snapshot: Snapshots = field(default_factory=Snapshots)
    seen: DeskSeen = field(default_factory=lambda: DeskSeen(State()))
    runs: Runs = field(default_factory=lambda: Runs(State()))
    arrangements: Arrangements = field(default_factory=lambda: Arrangements(State()))
    snoozes: DeskSnoozes = field(default_factory=lambda: DeskSnoozes(State()))
    views: SavedViews = field(default_factory=SavedViews)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    identify: Callable[[Session, Api], Awaitable[None]] = identify
    journal: Journal = field(default_factory=lambda: Journal(State(), ""))
    recall_seconds: float = 0.0
    report: Callable[[str, str], None] = lambda said, tone: None
    """Tells a person (with a tone) how a write ended whose place was left meanwhile."""
    begins: Callable[[], bool] = lambda: False
    """Notes that this run begins, and tells whether the one before it ended without saying so."""
    host: str = ""
    token: TokenKeeper | None = None
    """How the token is come by and where another is kept; None for the own desk, which has none."""
    profile: str = ""
    """The name of the profile that is in use; empty for the own desk and for none."""
    called: str = ""
    """What the header calls a service without a profile; the embedded desk is one."""
    read_only: bool = False
    """Whether nothing is written to the service: every action that writes is away."""
    read_only_by: str = ""
    """What makes it so ("--read-only"), where that is not the profile."""
    nowhere: str = (
        "You are in no organization yet. Ask an administrator to invite you, check whose token "
        "this is, or join one that admits your address (g o, then ctrl+n)."
    )
    """What is said, with how to begin, where the reader is in no organization."""
    me: User | None = None
    organization: str | None = None
    organization_title: str = ""
    organization_titles: dict[str, str] = field(default_factory=dict)
    """What organizations are called that were read, by their ids; clean text."""
    read_at: datetime | None = None
    """When the newest data on screen was read; None until the first answer."""
    contact: Contact = field(default_factory=Contact)
    """Whether the service answers, and when to ask it again by itself."""
    log: list[Written] = field(default_factory=list)
    messages: list[Written] = field(default_factory=list)
    """What was said that had no room on screen, for the log; the newest `KEPT_MESSAGES`."""
    left: dict[object, object] = field(default_factory=dict)
    """How places were left in this run, for whoever comes back to them."""
    members: Members = field(default_factory=Members)
    """Who can be named, once that was read."""
    unsent: dict[str, str] = field(default_factory=dict)
    """Why a text could not be sent, by the key of its draft, until it is."""
    stuck: set[tuple[str, str, str]] = field(default_factory=set)
    """Updates that conflicted, as (change request, its revision, that of its space): sent again
    they would come to the same."""
    local_steps: dict[str, LocalStep] = field(default_factory=dict)
    """What a reversal can do on this machine, by name (``local.<name>``)."""
    history: History = field(default_factory=History)
    """Which writes have a way back, and how they stand."""
    made: Api | None = None
    """The client as it was made last, which may not have found out yet who it is for."""
    confirmed: bool = True
    """Whether the service itself has said who I am, and not only what was kept of it."""
    confirming: asyncio.Task[None] | None = None
    """What asks it, once that was begun."""
    others: Callable[[], None] = lambda: None
    """Has what is shown read again: it was kept for somebody else."""
    asks: Callable[[], None] = lambda: None
    """Is told when something is about to be read that an action goes on with: keys may wait."""
    sends: Callable[[], None] = lambda: None
    """Is told when something is about to be written: nothing waits for that."""
    clocks_told: bool = False
    """Whether it was said that the service's clock and this machine's are far apart."""
    _api: Api | None = None
    _connecting: asyncio.Task[Api] | None = None
    _watchers: list[Callable[[], None]] = field(default_factory=list)
    _arranger: Arranger | None = None

    def title_of(self, organization: str | None) -> str:
        """Return the title of an organization if it was read; clean text."""
        if organization is None or organization == self.organization:
            return self.organization_title
        return self.organization_titles.get(organization) or clean(organization)

    def __post_init__(self) -> None:
        """Count the drafts that come and go, for the header."""
        self.drafts = CountedDrafts(self.draft_store, self.touched)
        self.writes = WriteSender(self)
        self.outbox = Outbox(self)
        self.reversals = Reversals(self)
        self.snoozed = Snoozes(self.snoozes)
        self.local_steps.update(self.snoozed.steps)
        self.local_steps.update(seen_steps(self.seen))
        self.local_steps.update(views_steps(self.views))
        self.local_steps.update(tree_steps(self.ready))
        self.local_steps.update(
            restore_draft=self._restore_draft,
            drop_draft=self._drop_draft,
            draft=self._draft,
            drop_queued=self.outbox.drop,
            queue_again=self.outbox.queue_again,
            queued=self._queued,
        )

    async def _restore_draft(self, key: str) -> None:
        """Bring back a text that was put aside, unless something was typed there since."""
        await asyncio.to_thread(self.drafts.restore, key)

    async def _drop_draft(self, key: str) -> None:
        """Put a text aside."""
        await asyncio.to_thread(self.drafts.drop, key)

    async def _queued(self, id: str) -> dict[str, bool] | None:
        """Tell whether a write waits in the outbox; None when it does not."""
        return {"waits": True} if id in self.outbox.items else None

    async def _draft(self, key: str) -> dict[str, bool] | None:
        """Tell whether there is a text; None when there is none."""
        text = await asyncio.to_thread(self.drafts.own_text, key)
        return None if text is None else {"kept": True}

    @property
    def arranging(self) -> Arranger:
        """What goes through the runs that rearrange something."""
        if self._arranger is None:
            from copydesk.session.runs.arrange import Arranger

            self._arranger = Arranger(self)
        return self._arranger

    @property
    def rearranges(self) -> bool:
        """Whether such a run is in progress."""
        return self._arranger is not None and self._arranger.active

    @property
    def api(self) -> Api | None:
        """The client, once connected."""
        return self._api

    async def ready(self) -> Api:
        """Return the client, connecting at the first call. Raises what ``connect`` raises."""
        self.asks()
        if reads_cached() and self.contact.refused:
            from copydesk.client.errors import NotCached

            raise NotCached("What was kept for a token is not shown once that was refused.")
        if self._api is None:
            if self._connecting is None or (
                self._connecting.done() and self._connecting.exception() is not None
            ):
                self._connecting = asyncio.ensure_future(self._connect())
            return await asyncio.shield(self._connecting)
        return self._api

    async def _connect(self) -> Api:
        api = self.made = await self.connect()
        try:
            self.confirmed = not await recall(self, api)
            if self.confirmed:
                await self.identify(self, api)
                await tell_owner(self)
            self._api = api
        finally:
            if self._api is not api:  # whoever tries next makes another
                self.made = None
                await api.aclose()
        self._confirm()
        return api

    def _confirm(self) -> None:
        """Ask the service in the background who I am, after a start from cached answers."""
        api = self._api
        waits = self.confirming is None or self.confirming.done()
        if api is not None and not self.confirmed and waits:
            self.confirming = asyncio.create_task(confirm(self, api), name="confirm")

    def probe(self) -> None:
        """Ask whether a service that could not be reached is back, unless that is asked already."""
        if self.confirming is None or self.confirming.done():
            self.confirming = asyncio.create_task(probe(self), name="probe")

    @property
    def unanswered(self) -> bool:
        """Whether the service has not answered yet, or cannot be asked by now."""
        return self.held or not self.contact.answers

    @property
    def held(self) -> bool:
        """Whether it could not be reached, or wants nothing to be asked for now."""
        return self.contact.held(self.clock())

    def may_recall(self, at: datetime) -> bool:
        """Whether what was kept at that moment may be shown: not what is older than a write of
        mine, unless nothing newer can be had, and nothing where the token was refused.
        """
        mine = (line.at for line in self.log if line.state not in NOT_DONE)
        away = self.offline or self.contact.limited
        return not self.contact.refused and (bool(away) or all(at > own for own in mine))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` whenever the log, the age or the budget change; returns an undo."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    def touched(self) -> None:
        """Tell the watchers that something changed."""
        for changed in list(self._watchers):
            changed()

    def fresh(self, *, tell: bool = True) -> None:
        """Note that an answer has just arrived; who does not ``tell`` calls `touched` after it."""
        if reads_cached():
            return
        self.read_at = self.clock()
        self.contact.answered()
        self._compare_clocks()
        self._confirm()
        self.outbox.wake()
        if tell:
            self.touched()

    def learn(self, error: BaseException, *, quiet: bool = True) -> None:
        """Learn from the failure of a read how soon to ask again by itself.

        That the service failed says nothing of the way to it where the reader is told (not
        ``quiet``). Whatever it refuses, it may say when it wants to be asked again.
        """
        from copydesk.client.errors import RateLimited, ServerFault, Unauthorized, Unreachable

        now, until = self.clock(), getattr(error, "retry_at", None)
        if isinstance(error, Unauthorized):
            self.contact.refused = True
            # Another token may be somebody else's.
            self.confirmed = False
            self.touched()
        elif isinstance(error, RateLimited):
            self.contact.limit(now, until)
            self.touched()
        elif until is not None and until > now:
            self.contact.limit(now, until, BUSY)
            self.touched()
        elif isinstance(error, Unreachable) or (quiet and isinstance(error, ServerFault)):
            self.unreachable(sentence(error))

    def unreachable(self, why: str) -> None:
        """Note that the service was not reached; ``why`` is a sentence."""
        self.contact.lost(self.clock(), why)
        self.touched()

    @property
    def now(self) -> datetime:
        """The time by the service's clock: what every time that it tells is compared with.

        What this machine notes itself (reads, drafts, the journal, what sleeps) goes by ``clock``.
        """
        here = self.clock()
        return here if self._api is None else service_time(here, self._api.skew)

    def service_time(self) -> float:
        """Return the service's time in epoch seconds, by the last known skew."""
        skew = 0.0 if self._api is None else self._api.skew.total_seconds()
        return self.journal.now() + skew

    @property
    def way(self) -> Way:
        """What takes the steps of reversals."""
        return Way(self.local_steps)

    def _compare_clocks(self) -> None:
        """Say once in a run that the clocks of the service and of this machine are far apart."""
        said = "" if self._api is None or self.clocks_told else apart(self._api.skew)
        if said:
            self.clocks_told = True
            self.note(said)
            self.report(said, "warn")

    @property
    def offline(self) -> str:
        """Why the service cannot be reached; empty when it can."""
        return self.contact.offline

    @property
    def slow(self) -> bool:
        """Whether so little of the budget is left that everything is read less often."""
        budget = self.budget
        return budget is not None and budget[0] < budget[1] * LOW_SHARE

    @property
    def budget(self) -> tuple[int, int] | None:
        """Requests left and the limit, when the service says so."""
        budget = getattr(self._api, "budget", None)
        left, limit = getattr(budget, "remaining", None), getattr(budget, "limit", None)
        return (left, limit) if isinstance(left, int) and isinstance(limit, int) else None

    def hold_stuck(self, moment: tuple[str, str, str] | None) -> None:
        """Remember at what an update conflicted, so that it is not tried again in vain."""
        if moment is not None:
            self.stuck.add(moment)

    def note(self, said: str) -> None:
        """Keep a message that has no room on screen, unless the log has it already."""
        if any(line.message == said for line in (*self.messages, *self.log)):
            return
        # Numbered below all writes, so that no two lines of the log are taken for one.
        number = self.messages[-1].number - 1 if self.messages else 0
        self.messages.append(Written(number, self.clock(), "Message", "", "said", said))
        del self.messages[:-KEPT_MESSAGES]
