"""Cutting the way to a desk at every step of every write that may wait: each arrives exactly once.

    python -m tests.tui.cutting            # all of it, some thousand lives; `make cutting`
    python -m tests.tui.cutting KIND       # those of the kinds whose name begins so

A *kind* is an operation that may wait in the outbox; which these are is worked out from what the
actions declare. A *life* is one write of a kind, cut off somewhere: on its way out, on its way from
the outbox, or because the process ends as it puts something on the disk. Then the network is back,
and a person answers what is asked. How often the desk did it is counted at the desk.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any, Literal

import httpx
import stamina

from copydesk.client.api import Api
from copydesk.client.carrier import Timeouts
from copydesk.contract.models.user import User
from copydesk.contract.operations import CATALOGUE
from copydesk.domain import (
    automation_inverses,
    cluster_inverses,
    finding_inverses,
    inverses,
    organization_inverses,
    site_inverses,
    tree_inverses,
)
from copydesk.domain.inverses import (
    begun_trace,
    still_discussed,
    still_judged,
    still_open,
    still_says,
    verdict_trace,
)
from copydesk.domain.reversal import Expectation, Reversal, Step, Trace
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Entry, Journal
from copydesk.local.state import State
from copydesk.server import threads
from copydesk.server.app import create_app
from copydesk.server.store import Store
from copydesk.session.session import Session
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.outbox import QUIET_SECONDS, is_momentary
from copydesk.session.writes.recovery import recover
from copydesk.tui.framework.actions import is_read
from tests.server.desk_of_one import DeskOfOne
from tests.world import BASE_URL, START, World

TEXT = "Why not ten?"

Mode = Literal["refused", "lost", "unanswered", "halfway", "late", "limited", "denied"]
"""What happens to a request: there is nobody; it gets lost; its answer does, as a whole or from the
middle on; it arrives when nobody waits for it; the budget is used up; the token is refused."""

NOBODY: Sequence[Mode] = ("refused", "limited", "denied")
CUTS: Sequence[Mode] = ("refused", "lost", "unanswered", "halfway", "late")


class Killed(BaseException):
    """The process has ended."""


@dataclass
class Kind:
    """A write: what it sends, and what the program gives with it."""

    step: Step
    reversal: Reversal | None = None
    trace: Trace | None = None
    expects: Expectation | None = None
    draft: str = ""

    @property
    def told(self) -> bool:
        """Whether reading tells if it is there, so that nobody has to be asked about that."""
        return self.reversal is not None or self.trace is not None


def may_wait() -> set[str]:
    """Return the operations that may wait: sent by actions that nobody has to agree to first."""
    from copydesk.tui.system.reference import reached_by

    return {
        name
        for name, reached in reached_by().items()
        if not is_read(name)
        and not is_momentary(name)
        and not CATALOGUE[name].secret
        and min(getattr(each, "danger", 0) for each in reached) < 2
    }


class Desk:
    """A desk with one of everything, in a file that each life has a copy of."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "one.db"
        world = World(self.path)
        one = asyncio.run(DeskOfOne.make(world, self.path))
        self.me = world.ana
        self.stranger = world.user("sam", member=False)
        self.other = world.user("mia")
        self.asked = world.user("kim")
        world.write(lambda tx: threads.request_review(tx, one.have.waiting, self.asked, world.ana))
        self.token = world.token(world.ana)
        self.names = dict(one.names)
        self.names |= {"comment": one.said, "reply": one.answered}
        self.names |= {"thread": one.comment, "answer": one.reply}
        self.revision = str(world.row("change_request", one.have.waiting)["revision_id"])
        self.subject = str(world.row("change_request", one.have.waiting)["subject"])
        self.site_title = str(world.row("site", one.have.site)["title"])
        self.trash = world.space("Old notes")
        self.linked = world.change_request(
            one.have.space, {"guide": "# Linked\n"}, subject="Linked", cluster=one.have.cluster
        )
        self._delete(world)
        self.kinds = dict(self._kinds())
        one.close()
        world.close()

    def _delete(self, world: World) -> None:
        async def delete() -> None:
            async with world.client() as client:
                assert (await client.delete(f"/spaces/{self.trash}")).is_success

        asyncio.run(delete())

    def _kinds(self) -> Iterator[tuple[str, Kind]]:
        at = self.names
        home, space, request = at["organization_id"], at["space_id"], at["change_request_id"]
        org, here = {"organization_id": home}, {"space_id": space}
        there = {**here, "change_request_id": request}
        site = (home, at["site_id"])
        team = (home, at["team_id"])
        saml = (home, at["saml_provider_id"])
        said = {"body": {"markdown": TEXT}}

        def made(name: str, ids: Mapping[str, str], body: Any) -> tuple[str, Kind]:
            return name, Kind(Step(name, ids, body))

        def changed(way: Reversal | None, expects: Expectation | None = None) -> tuple[str, Kind]:
            assert way is not None
            [forth] = way.forth
            return forth.operation, Kind(forth, reversal=way, expects=expects)

        def message(
            name: str, ids: Mapping[str, str], request: str, thread: str | None, part: str
        ) -> tuple[str, Kind]:
            return name, Kind(
                Step(name, ids, said),
                trace=inverses.message_trace(space, request, thread, me=self.me),
                expects=still_discussed(
                    space, request, thread, words=None if thread is None else "A thought"
                ),
                draft=f"{space}/{request}/{part}",
            )

        yield message("create_change_request_comment", there, request, None, "request")
        reply = {**there, "comment_id": at["comment"]}
        part = f"reply {at['comment']}"
        name = "create_change_request_comment_reply"
        yield message(name, reply, request, at["comment"], part)
        yield message("create_space_comment", here, "", None, "space")
        reply = {**here, "comment_id": at["thread"]}
        yield message(
            "create_space_comment_reply", reply, "", at["thread"], f"reply {at['thread']}"
        )
        given = {"status": "approved", "comment": {"markdown": TEXT}}
        yield (
            "create_change_request_review",
            Kind(
                Step("create_change_request_review", there, given),
                trace=verdict_trace(
                    space, request, self.revision, me=self.me, status="approved", words=TEXT
                ),
                expects=still_judged(space, request, self.revision),
                draft=f"{space}/{request}/verdict approved",
            ),
        )
        yield (
            "create_change_request",
            Kind(
                Step("create_change_request", here, {"subject": "New words"}),
                trace=begun_trace(space, me=self.me, subject="New words"),
            ),
        )
        edit = {"operation": "update_page", "page": at["page_id"], "title": "Better words"}
        yield (
            "update_change_request_content",
            Kind(
                Step(
                    "update_change_request_content", {**there, "compat": False}, {"changes": [edit]}
                ),
                expects=Expectation(
                    Step("get_change_request", there),
                    {"revision": self.revision},
                    said="it was edited since",
                ),
            ),
        )
        yield made("create_openapi_spec", org, {"slug": "books", "source": {"text": SPEC}})
        yield made("create_saml_provider", org, {"label": "Other"})
        yield made("create_share_link", {**org, "site_id": site[1]}, {"name": "Press"})
        away = {"kind": "external", "url": "https://new.example/"}
        redirect = {
            "source": "/old", "draft": False, "captureWildcard": False, "permanent": True,
            "destination": away,
        }  # fmt: skip
        yield made("create_site_redirect", {**org, "site_id": site[1]}, redirect)
        yield made("create_site", org, {"title": "New site"})
        yield made("create_team", org, {"title": "Readers"})
        source = {"space": space, "language": "en"}
        yield made("create_translation", org, {"language": "de", "source": source})
        yield changed(
            automation_inverses.term_changed(
                home, at["glossary_entry_id"], {"en": "refund", "de": "Erstattung"}, {"en": "fee"}
            )
        )
        spec = {**org, "spec_slug": at["spec_slug"]}
        yield made("put_openapi_spec", spec, {"source": {"text": SPEC}})
        yield changed(organization_inverses.roles_changed(team, {at["user_id"]: "member"}, "owner"))
        yield changed(organization_inverses.team_renamed(team, "Writers", "Authors"))
        yield changed(organization_inverses.people_added(team, [self.other]))
        for ask in ({"asked": [self.other]}, {"left": [self.asked]}):
            yield changed(
                inverses.reviewers_asked(space, request, **ask), still_discussed(space, request)
            )
        way = tree_inverses.space_deleted(self.trash, deleted=False)
        yield changed(way)
        yield changed(
            inverses.request_changed(
                space, request, {"subject": self.subject}, {"subject": "Better words"}
            )
        )
        yield changed(
            inverses.thread_resolved(space, request, at["comment"], resolved=True),
            still_open(
                still_says(space, request, at["comment"], words="A thought", replies=1),
                space,
                request,
            ),
        )
        yield changed(
            inverses.message_edited(
                space, request, at["comment"], at["reply"], before="An answer", after=TEXT
            )
        )
        yield changed(
            inverses.reacted(space, "", at["thread"], emoji="👍", me=self.me, added=True),
            still_says(space, "", at["thread"], words="A thought"),
        )
        yield changed(
            inverses.message_edited(
                space, "", at["thread"], at["answer"], before="An answer", after=TEXT
            )
        )
        yield changed(organization_inverses.role_changed(home, self.other, "edit", "comment"))
        yield changed(
            organization_inverses.organization_changed(
                home, {"title": "Acme"}, {"title": "Acme Ltd"}
            )
        )
        invited = {"emails": ["new@example.org"], "role": "read"}
        yield made("invite_members", org, invited)
        yield made("add_sso_member", {**org, "user_id": self.stranger}, None)
        yield changed(
            organization_inverses.provider_changed(saml, {"label": "Acme"}, {"label": "Main"})
        )
        yield changed(
            site_inverses.link_changed(
                site, at["share_link_id"], {"active": True}, {"active": False}
            )
        )
        was = {**redirect, "source": "/manual/*", "permanent": False}
        to = {"kind": "site-section", "siteSectionId": at["site_section_id"]}
        yield changed(
            site_inverses.redirect_changed(
                site, at["site_redirect_id"], {**was, "destination": to}, was
            )
        )
        yield changed(
            finding_inverses.finding_turned(site, at["site_finding_id"], "candidate", "open")
        )
        yield changed(finding_inverses.topic_used(site, at["site_topic_id"], before=False))
        yield changed(site_inverses.setting_changed(site, "title", self.site_title, "Our docs"))
        yield made("create_issues_cluster", org, {"label": "Sign-in", "issues": [at["issue_id"]]})
        yield changed(
            cluster_inverses.cluster_changed(
                home, at["cluster_id"], {"closed": False}, {"closed": True}
            )
        )
        yield changed(cluster_inverses.issues_moved(home, {at["issue_id"]: at["cluster_id"]}, ""))
        known = at["cluster_id"]
        yield changed(cluster_inverses.request_linked(home, space, request, "", known))
        yield changed(cluster_inverses.request_linked(home, space, self.linked, known, ""))


SPEC = '{"openapi": "3.1.0", "info": {"title": "Books", "version": "1"}, "paths": {}}'


class Network(httpx.AsyncBaseTransport):
    """The way to a desk: something may befall one request on it, as `cut` says."""

    def __init__(self, app: Any) -> None:
        self._desk = httpx.ASGITransport(app, raise_app_exceptions=False)
        self.down = self.goes_down = self.dead = False
        self.only_writes = False
        self.at, self.asked = 0, 0
        self.mode: Mode = "refused"
        self.arrived: list[str] = []
        """The writes that the desk did."""
        self.late: list[httpx.Request] = []
        """What is under way still."""

    def cut(self, at: int, mode: Mode, *, down: bool = True, only_writes: bool = False) -> None:
        """Cut at a request from here on, counted from 1; be away afterwards, if ``down``."""
        self.at, self.mode, self.goes_down, self.only_writes = at, mode, down, only_writes
        self.asked, self.down = 0, False

    def die(self) -> None:
        """Let nothing more through: who sent has ended."""
        self.dead = True

    def mend(self) -> None:
        """Let everything through."""
        self.at, self.down = 0, False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.dead:
            raise Killed
        if self.down:
            raise httpx.ConnectError("No one is there.", request=request)
        writes = request.method != "GET"
        self.asked += writes or not self.only_writes
        if self.asked != self.at or (self.only_writes and not writes):
            return await self._pass(request)
        self.at, self.down = 0, self.goes_down
        match self.mode:
            case "late":
                self.late.append(request)
                raise httpx.ReadTimeout("No answer in time.", request=request)
            case "refused":
                raise httpx.ConnectError("No one is there.", request=request)
            case "lost":
                raise httpx.ReadError("Cut off.", request=request)
            case "limited":
                return httpx.Response(429, json={"error": {"code": 429, "message": "Wait."}})
            case "denied":
                return httpx.Response(401, json={"error": {"code": 401, "message": "Who?"}})
        answer = await self._pass(request)
        if self.mode == "unanswered":
            raise httpx.ReadError("Cut off.", request=request)
        await answer.aread()
        headers = {"content-length": str(len(answer.content) + 9)}
        return httpx.Response(answer.status_code, headers=headers, stream=Half(answer.content))

    async def catch_up(self) -> None:
        """Let arrive what is under way."""
        while self.late:
            await self._pass(self.late.pop())

    async def _pass(self, request: httpx.Request) -> httpx.Response:
        answer = await self._desk.handle_async_request(request)
        if request.method != "GET" and answer.status_code < 300:
            self.arrived.append(f"{request.method} {request.url.path}")
        return answer


class Half(httpx.AsyncByteStream):
    """The first half of an answer, and then nothing more."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content[: len(self._content) // 2]
        raise httpx.ReadError("Cut off.")


class Clock:
    """The time that the program has; what passes meanwhile is added."""

    def __init__(self) -> None:
        self.now = START + timedelta(days=1)

    def seconds(self) -> float:
        return self.now.timestamp()


@dataclass
class Death:
    """When the process ends: at the n-th time that something goes to the disk, or after it."""

    at: int = 0
    after: bool = False
    count: int = 0
    dead: bool = False
    die: Callable[[], None] = lambda: None

    def reach(self, work: Callable[[], Any]) -> Any:
        """Do what goes to the disk, unless the process has ended, or ends here."""
        if self.dead:
            raise Killed
        self.count += 1
        if self.count != self.at:
            return work()
        if self.after:
            work()
        self.dead = True
        self.die()
        raise Killed


class MortalJournal(Journal):
    """A journal of a process that may end as it writes."""

    death: Death

    def _add(self, *entries: Entry) -> None:
        self.death.reach(lambda: super(MortalJournal, self)._add(*entries))


class MortalDrafts(DeskDrafts):
    """Drafts of a process that may end as it puts one away."""

    death: Death

    def save(self, key: str, text: str) -> None:
        self.death.reach(lambda: super(MortalDrafts, self).save(key, text))

    def drop(self, key: str) -> None:
        self.death.reach(lambda: super(MortalDrafts, self).drop(key))


@dataclass(frozen=True)
class Life:
    """One write, and what befalls it.

    ``out`` befalls it on its way out, and the network is away afterwards if ``down``; ``back`` is
    what befalls the request number ``at`` when the network is back, if anything. The process ends
    at the time number ``death`` that something goes to the disk, or after that (``late``), while it
    writes, or (``going``) while it sends what waits. With ``restart`` another process goes on.
    """

    kind: str
    out: Mode = "refused"
    down: bool = True
    at: int = 0
    back: Mode = "refused"
    death: int = 0
    late: bool = False
    going: bool = False
    restart: bool = False


@dataclass
class Came:
    """What a life came to."""

    arrived: int = 0
    asked: list[str] = field(default_factory=list)
    """What a person had to decide."""
    requests: int = 0
    """How many requests were sent by the way from the outbox."""
    writes: int = 0
    """How often something went to the disk on that way; on the way out, as it died there."""
    left: str = ""
    """How what is still in the outbox stands."""
    kept: list[str] = field(default_factory=list)
    """The drafts that are still there."""
    dropped: bool = False
    """Whether a person took it out, having seen that it was there."""


class Program:
    """The program in one life: what it has on the disk, and its processes one after the other."""

    def __init__(self, desk: Desk, kind: Kind, folder: Path) -> None:
        self.desk, self.kind, self.folder = desk, kind, folder
        shutil.copy(desk.path, folder / "desk.db")
        self.clock = Clock()
        self.store = Store(folder / "desk.db", clock=lambda: self.clock.now, durable=False)
        self.app = create_app(self.store)
        self.network = Network(self.app)
        self.kept: State | None = None
        self.death = Death()
        self.session = self.start()

    def start(self) -> Session:
        """Begin a process."""
        before, self.network = self.network, Network(self.app)
        self.network.arrived, self.network.late = before.arrived, before.late
        network, desk = self.network, self.desk
        if self.kept is not None:
            if not self.death.dead:
                self.session.drafts.flush()  # as a program does that ends by itself
            self.kept.close()  # which the system does for a process that has ended
        self.death = Death(die=network.die)
        self.kept = store = State(self.folder / "state.db", clock=self.clock.seconds)
        journal = MortalJournal(store, "desk")
        journal.death = self.death
        drafts = MortalDrafts(store, "desk")
        drafts.death = self.death

        async def connect() -> Api:
            # Nothing is sent twice by the client itself: each request is one step.
            return Api(BASE_URL, desk.token, transport=network, timeouts=Timeouts(1, 1))

        async def identify(session: Session, api: Api) -> None:
            session.me = User(id=desk.me, display_name="Ana", email="ana@example.org")

        return Session(
            connect,
            draft_store=drafts,
            journal=journal,
            identify=identify,
            clock=lambda: self.clock.now,
        )

    async def write(self) -> None:
        """Do what the user did. Raises `WriteError` and `Killed`."""
        session, kind = self.session, self.kind
        if kind.draft:
            session.drafts.save(kind.draft, TEXT)
            self.death.count = 0
        api = await session.ready()
        way = session.way
        await session.writes.perform(
            "Write",
            "it",
            lambda: way.take(api, kind.step),
            reversal=kind.reversal,
            trace=kind.trace,
            expects=kind.expects,
            draft=kind.draft,
        )

    async def early(self) -> None:
        """Be back before a request is there that is still under way."""
        if self.network.late:
            self.network.mend()
            self.clock.now += timedelta(seconds=QUIET_SECONDS / 2)
            await recover(self.session)
            await self.session.outbox.send()
            await self.network.catch_up()

    async def mended(self, came: Came) -> None:
        """Have the network back, time pass, and a person answer what is asked."""
        session = self.session
        for _ in range(3):
            self.network.mend()
            self.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
            await session.outbox.send()
        for entry in list(session.outbox.items.values()):
            came.asked.append(entry.held or entry.state)
            if entry.state == "unknown" and self.network.arrived:
                came.dropped = True
                await session.outbox.drop(entry.id)  # who looks finds it there
                continue
            await session.outbox.send(entry.id, anyway=True, sure=True)
        if not any(entry.state in ("done", "dropped") for entry in session.journal.entries()):
            # It was said to have failed, or nothing was said: the process ended before.
            came.asked.append("again")
            await self.write()
        came.left = " ".join(entry.state for entry in await session.outbox.look())


async def live(desk: Desk, life: Life, folder: Path) -> Came:
    """Live a life, and return what it came to."""
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    program = Program(desk, desk.kinds[life.kind], folder)
    came = Came()
    network, death = program.network, program.death
    dead = False
    network.cut(1, life.out, down=life.down, only_writes=True)
    if not life.going:
        death.at, death.after = life.death, life.late
    try:
        await program.write()
    except Killed:
        dead = True
    except WriteError:
        pass
    came.writes = death.count
    death.at = 0
    if life.restart or dead:
        program.session = program.start()
    await program.early()
    network, death = program.network, program.death
    program.clock.now += timedelta(seconds=2 * QUIET_SECONDS)
    network.cut(life.at, life.back)
    if life.going:
        death.at, death.after, death.count = life.death, life.late, 0
    try:
        if life.restart or dead:
            await recover(program.session)
        else:
            await program.session.outbox.send()
    except Killed:
        pass
    if life.going:
        came.writes = death.count
    came.requests = network.asked
    death.at = 0
    if death.dead:
        program.session = program.start()
        await recover(program.session)
    await program.early()
    await program.mended(came)
    came.arrived = len(program.network.arrived)
    program.session.drafts.flush()  # the thread that writes may be behind
    came.kept = sorted(program.session.drafts.texts())
    program.store.close()
    return came


def lives(kind: str, requests: int, writes: tuple[int, int]) -> Iterator[Life]:
    """Yield every life of a kind.

    ``requests`` is how many requests the way from the outbox takes, ``writes`` how often something
    goes to the disk on the way out and on that way.
    """
    for out, down, restart in product((*NOBODY, *CUTS[1:]), (True, False), (True, False)):
        yield Life(kind, out, down, restart=restart)
    for at, back, restart in product(range(1, requests + 1), CUTS, (True, False)):
        yield Life(kind, at=at, back=back, restart=restart)
    dying: Sequence[Mode] = ("refused", "unanswered")
    for way, death, late in product(dying, range(1, writes[0] + 1), (False, True)):
        yield Life(kind, way, death=death, late=late)
    late_back: Sequence[Mode] = ("unanswered", "late")
    for death, late, at, back in product(
        range(1, writes[1] + 1), (False, True), (0, 2, 3), late_back
    ):
        if at or back == "unanswered":
            yield Life(kind, death=death, late=late, going=True, at=at, back=back)


def all_lives(desk: Desk, kind: str, folder: Path) -> list[Life]:
    """Return every life of a kind, as long as those that nothing befalls take."""
    out = run(desk, Life(kind), folder)
    going = run(desk, Life(kind, going=True), folder)
    return list(lives(kind, going.requests + 2, (out.writes + 1, going.writes + 1)))


def run(desk: Desk, life: Life, folder: Path) -> Came:
    """Live a life in a folder of its own."""
    # What the client repeats by itself it repeats at once.
    with tempfile.TemporaryDirectory(dir=folder) as place, stamina.set_testing(True, attempts=2):
        return asyncio.run(live(desk, life, Path(place)))


def judge(desk: Desk, life: Life, came: Came) -> str:
    """Return what is wrong with what a life came to; empty when all is well."""
    operation = CATALOGUE[life.kind]
    # What comes to the same however often it is sent, the client itself sends again.
    slow = "late" in (life.out, life.back) and operation.method != "POST"
    often = slow or operation.method in ("PUT", "DELETE")
    often = often and operation.status != 201 and came.arrived > 1
    if came.arrived != 1 and not often:
        return f"it is there {came.arrived} times"
    if came.left:
        return f"it is left in the outbox: {came.left}"
    if came.kept and not came.dropped:
        return "its text is a draft still"
    # What was noted waits: only who ends before that has to be told everything anew.
    asked = set(came.asked) - ({"again"} if life.death else set())
    if desk.kinds[life.kind].told and asked:
        return f"a person was asked: {came.asked}"
    return ""


def tell(said: str) -> None:
    """Say something at once, also into a pipe."""
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def main(*names: str) -> int:
    """Live all lives of the kinds named, and say what went wrong."""
    wrong: list[str] = []
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        desk = Desk(folder)
        missing = may_wait() ^ desk.kinds.keys()
        if missing:
            tell(f"not every operation that may wait has a kind: {sorted(missing)}")
        for kind in desk.kinds:
            if names and not kind.startswith(names):
                continue
            each = all_lives(desk, kind, folder)
            for life in each:
                came = run(desk, life, folder)
                total["lives"] += 1
                total["asked"] += bool(came.asked)
                if why := judge(desk, life, came):
                    wrong.append(f"{life}: {why}")
                    tell(wrong[-1])
            tell(f"{kind}: {len(each)} lives")
    tell(f"{dict(total)}, {len(wrong)} went wrong")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
