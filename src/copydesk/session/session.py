"""The state of a run of the program: the connection, the caller, the organization, the log.

Nothing here imports the client or the contract when the module loads: before the first paint only
Textual and the standard library may.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import RateLimited, ServerFault, Unauthorized, Unreachable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import apart, service_time
from copydesk.domain.request_context import reads_cached
from copydesk.domain.text import clean
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.marks import DeskHidden, DeskMarks, DeskSeen, DeskSnoozes
from copydesk.local.page_edits import DeskEdits, StagedElsewhereError
from copydesk.local.runs import Applications, Arrangements, Runs, Settlings, WaitingRuns
from copydesk.local.saved_replies import SavedReplies
from copydesk.local.saved_views import SavedViews
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.session.drafts import CountedDrafts
from copydesk.session.errors import sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.identity import confirm, identify, probe, recall, remembered, tell_owner
from copydesk.session.marks import Marks, Snoozes, seen_steps
from copydesk.session.names import KnownNames, Members
from copydesk.session.reachability import BUSY, LOW_SHARE, SPARE_SHARE, Contact
from copydesk.session.writes.log import LogEntry
from copydesk.session.writes.outbox import Outbox
from copydesk.session.writes.sender import WriteSender
from copydesk.session.writes.undo import History, LocalStep, ReversalRunner, Reversals

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.client.calls import Budget
    from copydesk.contract.models.user import User
    from copydesk.contract.operation import Operation
    from copydesk.domain.checks import Check
    from copydesk.domain.list_columns import ListColumns
    from copydesk.domain.own_command import Event, Hook
    from copydesk.domain.owners import Owned
    from copydesk.local.settings_file import SettingsFile
    from copydesk.session.news import News, NewsItem
    from copydesk.session.profiles import TokenKeeper
    from copydesk.session.runs.arrange import Arranger
    from copydesk.session.runs.waiting import WaitingMerges

NOT_DONE = ("failed", "recalled", "queued", "dropped")
"""The states of log lines that changed nothing at the service."""

NONE_WAIT: Mapping[tuple[str, str], bool] = MappingProxyType({})
"""No request waits for its rules."""

KEPT_MESSAGES = 100
"""The number of messages in the log that had no room on screen."""


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
    staged: DeskEdits = field(default_factory=lambda: DeskEdits(State()))
    runs: Runs = field(default_factory=lambda: Runs(State()))
    waiting_runs: WaitingRuns = field(default_factory=lambda: WaitingRuns(State()))
    arrangements: Arrangements = field(default_factory=lambda: Arrangements(State()))
    settlings: Settlings = field(default_factory=lambda: Settlings(State()))
    settling: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    """What sends the settlings that are under way here, by their ids."""
    applications: Applications = field(default_factory=lambda: Applications(State()))
    snoozes: DeskSnoozes = field(default_factory=lambda: DeskSnoozes(State()))
    mark_store: DeskMarks = field(default_factory=lambda: DeskMarks(State()))
    names: KnownNames = field(default_factory=KnownNames)
    hidden: DeskHidden = field(default_factory=lambda: DeskHidden(State()))
    checks: Sequence[Check] = ()
    """The checks of the settings."""
    lists: Mapping[str, ListColumns] = field(default_factory=dict)
    """The columns of lists, by the names of their screens."""
    hooks: Sequence[Hook] = ()
    """The programs that run after something happened, by the settings."""
    hooked: set[asyncio.Task[None]] = field(default_factory=set)
    """The hooks that are running."""
    views: SavedViews = field(default_factory=SavedViews)
    settings_file: Callable[[], SettingsFile] | None = None
    """Opens the file of the settings; None where this run has none."""
    use_setting: Callable[[str], str] = lambda name: ""
    """Has a setting that was changed hold in this run; returns when it holds, where not now."""
    replies: SavedReplies = field(default_factory=SavedReplies)
    owners: Sequence[Owned] = ()
    """Who owns pages by their paths, by the settings."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    identify: Callable[[Session, Api], Awaitable[None]] = identify
    journal: Journal = field(default_factory=lambda: Journal(State(), ""))
    recall_seconds: float = 0.0
    report: Callable[[str, str], None] = lambda said, tone: None
    """Reports to a person (with a tone) the end of a write whose screen was left."""
    heard: Callable[[str], None] = lambda said: None
    """Hears each message of the screens, where they are told and not drawn."""
    begins: Callable[[], bool] = lambda: False
    """Notes the start of this run; returns whether the run before it ended without notice."""
    host: str = ""
    token: TokenKeeper | None = None
    """The source of the token; None for the own desk, which needs none."""
    profile: str = ""
    """The name of the profile that is in use; empty for the own desk and for none."""
    called: str = ""
    """The name of a service without a profile in the header; the embedded desk is one."""
    read_only: bool = False
    """Whether writes to the service are forbidden: every action that writes is away."""
    read_only_by: str = ""
    """The cause of that ("--read-only"), where it is not the profile."""
    nowhere: str = (
        "You are in no organization yet. Ask an administrator to invite you, check whose token "
        "this is, or join one that admits your address (g o, then ctrl+n)."
    )
    """The sentence for a reader without an organization."""
    me: User | None = None
    organization: str | None = None
    organization_title: str = ""
    organization_titles: dict[str, str] = field(default_factory=dict)
    """The titles of organizations, by their ids; clean text."""
    read_at: datetime | None = None
    """When the newest data on screen were read; None until the first answer."""
    contact: Contact = field(default_factory=Contact)
    """Whether the service answers, and when to ask it again by itself."""
    log: list[LogEntry] = field(default_factory=list)
    messages: list[LogEntry] = field(default_factory=list)
    """Messages that had no room on screen; the newest `KEPT_MESSAGES`."""
    left: dict[object, object] = field(default_factory=dict)
    """The states of screens that were left in this run."""
    members: Members = field(default_factory=Members)
    """The people that can be mentioned."""
    unsent: dict[str, str] = field(default_factory=dict)
    """Why the last try to send a draft failed, by its key."""
    stuck: set[tuple[str, str, str]] = field(default_factory=set)
    """Updates that conflicted, as (change request, its revision, its space's revision): another try
    at these revisions conflicts again."""
    history: History = field(default_factory=History)
    """The writes that have a reversal, and their states."""
    made: Api | None = None
    """The newest client, whose owner may still be unknown."""
    confirmed: bool = True
    """Whether the service has confirmed the identity, which may come from the cache."""
    confirming: asyncio.Task[None] | None = None
    """The task that asks the service for it."""
    others: Callable[[], None] = lambda: None
    """Makes the screen read again: its cached data belong to somebody else."""
    asks: Callable[[], None] = lambda: None
    """Called before a read that an action waits for: keys may wait."""
    sends: Callable[[], None] = lambda: None
    """Called before a write: nothing waits for it."""
    clocks_told: bool = False
    """Whether the reader was told that the clocks of service and machine differ."""
    _api: Api | None = None
    _connecting: asyncio.Task[Api] | None = None
    _watchers: list[Callable[[], None]] = field(default_factory=list)
    _arranger: Arranger | None = None
    _waiting_merges: WaitingMerges | None = None
    _news: News | None = None

    def title_of(self, organization: str | None) -> str:
        """Return the title of an organization, its id where the title is unknown; clean text."""
        own = organization is None or organization == self.organization
        if own and self.organization_title:
            return self.organization_title
        organization = organization or ""
        return self.organization_titles.get(organization) or clean(organization)

    def home_title(self, organization: str | None) -> str:
        """Return the title of an organization, or that there is none, once that is known."""
        none = glyphs().more if self.api is None else "no organization"
        return self.title_of(organization) or none

    def __post_init__(self) -> None:
        """Begin in the organization of the last run; count the drafts, for the header."""
        if self.organization is None:
            self.organization, self.organization_title = remembered(self.snapshot)
        self.drafts = CountedDrafts(self.draft_store, self.touched)
        self.writes = WriteSender(self)
        self.outbox = Outbox(self)
        self.reversals = Reversals(self)
        self.snoozed = Snoozes(self.snoozes)
        self.marks = Marks(self.mark_store)

    @cached_property
    def local_steps(self) -> dict[str, LocalStep]:
        """The steps of reversals with what this machine keeps, by name."""
        return {
            **self.snoozed.steps,
            **self.marks.steps,
            **seen_steps(self.seen),
            "stage_again": self._stage_again,
            "wait_to_merge": lambda merge, run: self.waiting_merges.put(merge, run),
            "waits_to_merge": lambda merge: self.waiting_merges.told(merge),
            "restore_draft": lambda key, text="": asyncio.to_thread(self.drafts.restore, key, text),
            "drop_draft": lambda key: asyncio.to_thread(self.drafts.drop, key),
            "draft": self._draft,
            "drop_queued": self.outbox.drop,
            "queue_again": self.outbox.queue_again,
            "queued": self._queued,
            "hide_findings": lambda keys, hidden: asyncio.to_thread(
                self.hidden.hide if hidden else self.hidden.show, keys
            ),
            "hidden_findings": self._hidden_findings,
        }

    @cached_property
    def _seldom_steps(self) -> dict[str, LocalStep]:
        """Those of views, settings and trees, which a start and most writes do without."""
        from copydesk.session.listings import views_steps
        from copydesk.session.runs.tree_steps import tree_steps
        from copydesk.session.settings import settings_steps

        return {**views_steps(self.views), **settings_steps(self), **tree_steps(self.ready)}

    def local_step(self, name: str) -> LocalStep | None:
        """Return a step of reversals on this machine (``local.<name>``), None for an unknown."""
        return self.local_steps.get(name) or self._seldom_steps.get(name)

    async def _stage_again(self, batch: str) -> None:
        """Stage edits of pages again that were sent, unless one was staged anew since."""
        with suppress(StagedElsewhereError):
            await asyncio.to_thread(self.staged.stage_again, batch)

    async def _hidden_findings(self, keys: list[str]) -> dict[str, bool]:
        return {"hidden": await asyncio.to_thread(self.hidden.read) >= set(keys)}

    async def _queued(self, id: str) -> dict[str, bool] | None:
        """Return whether a write waits in the outbox; None when it does not."""
        return {"waits": True} if id in self.outbox.items else None

    async def _draft(self, key: str) -> dict[str, bool] | None:
        """Return whether there is a draft; None when there is none."""
        text = await asyncio.to_thread(self.drafts.own_text, key)
        return None if text is None else {"kept": True}

    @property
    def news(self) -> News:
        """What others did that concerns the reader."""
        if self._news is None:
            from copydesk.session.news import News

            self._news = News(self)
        return self._news

    @property
    def unseen_news(self) -> Sequence[NewsItem]:
        """The news that the reader has not looked at, the newest first."""
        return () if self._news is None else self._news.items[: self._news.unseen]

    @property
    def arranging(self) -> Arranger:
        """The runner of rearrangements."""
        if self._arranger is None:
            from copydesk.session.runs.arrange import Arranger

            self._arranger = Arranger(self)
        return self._arranger

    @property
    def waiting_merges(self) -> WaitingMerges:
        """The requests that are merged once their rules hold."""
        if self._waiting_merges is None:
            from copydesk.session.runs.waiting import WaitingMerges

            self._waiting_merges = WaitingMerges(self)
        return self._waiting_merges

    @property
    def merges_when_ready(self) -> Mapping[tuple[str, str], bool]:
        """The requests that wait for their rules, by space and id; False for one that stopped."""
        return NONE_WAIT if self._waiting_merges is None else self._waiting_merges.standing

    @property
    def rearranges(self) -> bool:
        """Whether a rearrangement is in progress."""
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

            raise NotCached("What was saved for a token is not shown once the token was refused.")
        if self._api is None:
            if self._connecting is None or (
                self._connecting.done() and self._connecting.exception() is not None
            ):
                self._connecting = asyncio.ensure_future(self._connect())
            return await asyncio.shield(self._connecting)
        return self._api

    async def caches(self) -> bool:
        """Return whether answers are kept on this machine. Raises what `ready` raises."""
        return (await self.ready()).caches

    async def _connect(self) -> Api:
        api = self.made = await self.connect()
        try:
            self.confirmed = not await recall(self, api)
            if self.confirmed:
                await self.identify(self, api)
                await tell_owner(self)
            self._api = api
        finally:
            if self._api is not api:  # the next try makes another
                self.made = None
                await api.aclose()
        self._confirm()
        return api

    def _confirm(self) -> None:
        """Ask the service in the background who I am, after a start from cached answers."""
        api = self._api
        waits = self.confirming is None or self.confirming.done()
        if api is not None and not self.confirmed and waits:
            self.confirming = asyncio.create_task(confirm(self, api))

    def probe(self) -> None:
        """Ask in the background whether an unreachable service is back, unless a task does."""
        if self.confirming is None or self.confirming.done():
            self.confirming = asyncio.create_task(probe(self))

    @property
    def unanswered(self) -> bool:
        """Whether the service has not answered yet, or cannot be asked now."""
        return self.held or not self.contact.answers

    @property
    def held(self) -> bool:
        """Whether the service could not be reached, or asked for a pause."""
        return self.contact.held(self.clock())

    def may_recall(self, at: datetime) -> bool:
        """Whether data cached at that time may be shown: not data older than one of my writes,
        unless newer ones cannot be had, and none after a refused token.
        """
        mine = (line.at for line in self.log if line.state not in NOT_DONE)
        away = self.offline or self.contact.limited
        return not self.contact.refused and (bool(away) or all(at > own for own in mine))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call ``changed`` when the log, the age or the budget change; return what ends that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    def touched(self) -> None:
        """Tell the watchers that something changed."""
        for changed in list(self._watchers):
            changed()

    def fresh(self, *, tell: bool = True) -> None:
        """Note that an answer has arrived; without ``tell`` the caller calls `touched` later."""
        if reads_cached():
            return
        self.read_at = self.clock()
        self.contact.answered()
        self._compare_clocks()
        self._confirm()
        self.outbox.wake()
        if tell:
            self.touched()

    def learn(self, error: BaseException, *, quiet: bool = False) -> None:
        """Note the failure of a read, which decides when the next automatic read is due.

        A failure of the service itself counts only where the reader is not told (``quiet``). Any
        refusal may name the time of the next request.
        """
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
        """The time by the service's clock, which times from the service are compared with.

        Times of this machine (reads, drafts, the journal, snoozes) go by ``clock``.
        """
        here = self.clock()
        return here if self._api is None else service_time(here, self._api.skew)

    def service_time(self) -> float:
        """Return the service's time in epoch seconds, by the last known skew."""
        skew = 0.0 if self._api is None else self._api.skew.total_seconds()
        return self.journal.now() + skew

    @property
    def way(self) -> ReversalRunner:
        """The executor of reversal steps."""
        return ReversalRunner(self.local_step)

    def _compare_clocks(self) -> None:
        """Report once in a run that the clocks of the service and of this machine differ."""
        said = "" if self._api is None or self.clocks_told else apart(self._api.skew)
        if said:
            self.clocks_told = True
            self.note(said)
            self.report(said, "warn")

    @property
    def offline(self) -> str:
        """Why the service cannot be reached; empty when it can."""
        return self.contact.offline

    def without(self, names: Iterable[str]) -> str | None:
        """Return why the service does nothing of some operations: it has none; None if it does."""
        missing = None if self._api is None else self._api.routes.without(names)
        return None if missing is None else sentence(missing)

    def has(self, operation: Operation[..., Any]) -> bool:
        """Whether the service has an operation; true until it is known to lack it."""
        return self._api is None or not self.lacks_any or self._api.has(operation)

    @property
    def lacks_any(self) -> bool:
        """Whether the service is known to lack anything, which most do not."""
        return self._api is not None and self._api.routes.lacks_any

    @property
    def budget(self) -> Budget | None:
        """How many requests the service still allows; None before there is a connection."""
        return None if self._api is None else self._api.budget

    @property
    def share(self) -> float:
        """The share of the request budget that is left, 0.0 to 1.0."""
        budget = self.budget
        return 1.0 if budget is None else budget.share

    @property
    def slow(self) -> bool:
        """Whether the request budget is so low that polling slows down."""
        return self.share < LOW_SHARE

    @property
    def may_spend(self) -> bool:
        """Whether there are requests to spare for reads that nobody asked for."""
        return self.share > SPARE_SHARE

    def read_due(self, read_at: datetime | None, failures: int) -> bool:
        """Whether data read at a time are due for an automatic read: see `Contact.due`."""
        return self.contact.due(self.clock(), read_at, share=self.share, failures=failures)

    def hold_stuck(self, moment: tuple[str, str, str] | None) -> None:
        """Remember the revisions of a conflict, so that the update is not tried again in vain."""
        if moment is not None:
            self.stuck.add(moment)

    def awaited(self, event: Event) -> bool:
        """Whether a hook waits for an event."""
        return any(hook.event == event for hook in self.hooks)

    def happened(self, event: Event, fields: Mapping[str, str]) -> None:
        """Run the hooks of an event in the background, with what is known of it."""
        if self.awaited(event):
            from copydesk.session.own_commands import run_hooks

            task = asyncio.create_task(run_hooks(self, event, fields))
            self.hooked.add(task)
            task.add_done_callback(self.hooked.discard)

    def note(self, said: str) -> None:
        """Add a message that has no room on screen to the log, unless it is there."""
        if not any(line.message == said for line in (*self.messages, *self.log)):
            self.note_line("Message", "", "said", said)

    def note_line(self, what: str, target: str, state: str, said: str) -> LogEntry:
        """Add a line to the log that is of no write to the service, and return it."""
        # Numbered below all writes, so that no two lines of the log are taken for one.
        number = self.messages[-1].number - 1 if self.messages else 0
        line = LogEntry(number, self.clock(), what, target, state, said)
        self.messages.append(line)
        del self.messages[:-KEPT_MESSAGES]
        return line
