"""Applying suggestions on a real desk: one write, the threads resolved, the authors named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from sqlite3 import connect

import httpx
import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import Comment, MarkdownBody
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.plain_documents import document_text
from copydesk.domain.suggestion import IN_CELL, SEVERAL, suggest
from copydesk.local.runs import Applications
from copydesk.session import suggestions
from copydesk.session.reads.review import read_threads
from copydesk.session.suggestions import (
    STAGED_CLASH,
    STAGED_FILES,
    STAGED_GONE,
    TOO_MANY,
    ApplyPlan,
    apply_plan,
    finish_all_applying,
    finish_applying,
    plan_applying,
    read_texts,
    suggested_in,
)
from copydesk.session.writes.log import QueuedError, WriteError
from tests.session.reads import told
from tests.session.test_page_edits import TEXT, Desk
from tests.tui.arranging_world import Way
from tests.world import World

APPLIED = TEXT.replace("five", "eight").replace("Ask us.", "Write to us.")


class Killed(BaseException):
    """The process has ended."""


class Ending(Way):
    """A way to the desk on which the process ends at a write, before or after it."""

    at = 0
    before = dead = False
    ended: Callable[[], None] = staticmethod(lambda: None)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        ends = request.method != "GET" and len(self.writes) + 1 == self.at
        if not (ends and self.before) and not self.dead:
            answer = await super().handle_async_request(request)
            if not ends:
                return answer
        if not self.dead:
            self.dead = True
            self.ended()
        raise Killed


class Program(Desk):
    """A program that applies suggestions of others."""

    def __init__(self, world: World, folder: Path) -> None:
        self.mara = world.user("mara", display_name="Mara Lindqvist")
        self.kofi = world.user("kofi", display_name="Kofi Mensah")
        super().__init__(world, folder)

    def begin(self) -> None:
        self.way = self.ending = Ending(self.world)
        self.ending.ended = self._end
        super().begin()
        self.session.applications = Applications(self.store, "d")

    def _end(self) -> None:
        """Keep what is on the disk now, for the next process: nothing is noted any more."""
        before, self.folder = self.folder / "state.db", self.folder / "next"
        self.folder.mkdir()
        with closing(connect(before)) as kept, closing(connect(self.folder / "state.db")) as copy:
            kept.backup(copy)

    def suggests(
        self, by: str, path: str, text: str, line: int, new: Sequence[str], *, last: int = 0
    ) -> str:
        """Let somebody suggest other lines for some of a page, counted from 1."""
        made = suggest(text, line - 1, (last or line) - 1, new)
        assert made is not None
        node, said = made
        return self.world.comment(
            self.space, f"Better:\n\n{said}", by=by, change_request=self.request,
            page=self.page(path), node=node,
        )  # fmt: skip

    async def threads(self) -> dict[str, Comment]:
        """Return the threads by their ids."""
        found = await read_threads(await self.session.ready(), self.space, self.request)
        return {each.id: each for each in found}

    async def plan(self) -> ApplyPlan:
        """Return how all suggestions are applied, in the order in which they were made."""
        threads = sorted((await self.threads()).values(), key=lambda each: each.posted_at)
        chosen = [each for each in map(suggested_in, threads) if each is not None]
        ids = self.space, self.request
        texts = await read_texts(await self.session.ready(), *ids, chosen)
        await self.staged.read()
        return plan_applying(ids, "#1", chosen, texts, self.staged.edits, self.session.now)

    async def description(self) -> str:
        """Return what the change request says of itself."""
        api = await self.session.ready()
        return document_text(
            (await api(ops.get_change_request, self.space, self.request)).description
        )


@pytest.fixture
def program(world: World, tmp_path: Path) -> Program:
    return Program(world, tmp_path)


async def two(program: Program) -> tuple[str, str]:
    """Let two people suggest something for one page."""
    return (
        program.suggests(program.mara, "retries", TEXT, 3, ["After eight failures it is dropped."]),
        program.suggests(program.kofi, "retries", TEXT, 5, ["Write to us."]),
    )


async def test_one_write_applies_all_and_one_step_takes_all_back(program: Program) -> None:
    mine, theirs = await two(program)
    before = await program.description()
    assert await apply_plan(program.staged, await program.plan()) == ""
    [edit] = [each for each in program.session.journal.entries() if each.what == "Edit pages of"]
    assert "staged" not in str(edit.reversal), "nothing was"
    assert await program.text("retries") == APPLIED
    threads = await program.threads()
    assert (threads[mine].status, threads[theirs].status) == ("resolved", "resolved")
    said = await program.description()
    assert "Suggested by Mara Lindqvist: Retries, line 3." in said
    assert "Suggested by Kofi Mensah: Retries, line 5." in said
    assert len(program.way.writes) == 4
    assert program.session.applications.all() == []
    await program.session.reversals.undo()
    assert await program.text("retries") == TEXT
    threads = await program.threads()
    assert (threads[mine].status, threads[theirs].status) == ("open", "open")
    assert await program.description() == before
    await program.staged.read()
    assert program.staged.edits == {}


async def test_it_goes_with_what_is_staged_of_the_page_and_that_comes_back(
    program: Program,
) -> None:
    await two(program)
    await program.edit("retries", "The end.", "An end.")
    await program.edit("limits", "None.", "Some.")
    staged = dict(program.staged.edits)
    await apply_plan(program.staged, await program.plan())
    assert await program.text("retries") == APPLIED.replace("The end.", "An end.")
    assert await program.text("limits") == "# Limits\n\nNone.\n"
    await program.staged.read()
    assert list(program.staged.edits) == [program.page("limits")]
    await program.session.reversals.undo()
    await program.staged.read()
    assert program.staged.edits == staged
    assert await program.text("retries") == TEXT


async def test_lines_that_are_suggested_together_are_replaced_together(program: Program) -> None:
    program.suggests(program.mara, "retries", TEXT, 3, ["All of it."], last=5)
    plan = await program.plan()
    assert plan.left == {}
    assert await apply_plan(program.staged, plan) == ""
    lines = TEXT.split("\n")
    assert await program.text("retries") == "\n".join([*lines[:2], "All of it.\r", *lines[5:]])


async def test_a_thread_that_was_resolved_or_deleted_meanwhile_is_left_alone(
    program: Program,
) -> None:
    resolved, deleted = await two(program)
    plan = await program.plan()
    at = f"/spaces/{program.space}/change-requests/{program.request}/comments"
    async with program.world.client(program.kofi) as client:
        assert (await client.delete(f"{at}/{deleted}")).status_code == 205
    async with program.world.client() as client:
        answer = await client.put(f"{at}/{resolved}", json={"resolved": True})
        assert answer.status_code == 200
    assert await apply_plan(program.staged, plan) == ""
    assert await program.text("retries") == APPLIED
    assert len(program.way.writes) == 2


async def test_what_is_on_a_cell_of_a_table_is_not_put_elsewhere(program: Program) -> None:
    mine, _ = await two(program)
    cell = '{"record": "r1", "definition": "d1"}'
    program.world.write(lambda tx: tx.update("comment", mine, table_cell=cell))
    plan = await program.plan()
    assert plan.left == {mine: IN_CELL}
    thread = (await program.threads())[mine]
    for elsewhere in ({"page": None}, {"review": "r"}):
        target = thread.target.model_copy(update=elsewhere)
        assert suggested_in(thread.model_copy(update={"target": target})) is None


async def test_what_does_not_fit_says_why_and_the_rest_goes(program: Program) -> None:
    await two(program)
    overlapping = program.suggests(program.kofi, "retries", TEXT, 3, ["A"], last=5)
    outdated = program.suggests(program.mara, "limits", "# Limits\n\nNone.\n", 3, ["Few."])
    gone = program.suggests(program.mara, "limits/daily", "# Daily\n\nMany.\n", 3, ["More."])
    await program.others("limits", "# Limits\n\nMany.\n")
    program.world.edit_change_request(
        program.request, edit=lambda editor: editor.remove(editor.find("limits/daily"))
    )
    plan = await program.plan()
    edited = "The lines were edited since (last by Ana Silva"
    left = {thread: why.partition(",")[0] for thread, why in plan.left.items()}
    overlaps = "The suggestion overlaps Mara Lindqvist's"
    assert left == {overlapping: overlaps, outdated: edited, gone: "The page is gone."}
    assert await apply_plan(program.staged, plan) == ""
    assert await program.text("retries") == APPLIED
    assert (await program.threads())[overlapping].status == "open"


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("write", [1, 2, 3, 4])
async def test_whenever_the_process_ends_the_next_one_finishes_it_once(
    program: Program, write: int, before: bool
) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    mine, theirs = await two(program)
    plan = await program.plan()
    program.ending.at, program.ending.before = write, before
    with pytest.raises(Killed):
        await apply_plan(program.staged, plan)
    program.begin()
    await program.session.outbox.look()
    for entry in list(program.session.outbox.items.values()):
        await program.session.outbox.send(entry.id, anyway=True, sure=True)  # a person says so
    if before:
        said = await finish_applying(program.session, program.space, program.request)
    else:  # as at a start, before the request is opened
        said = await finish_all_applying(program.session)
        assert said.startswith("#1: ") or not said
    threads = await program.threads()
    assert await program.text("retries") == APPLIED
    assert (threads[mine].status, threads[theirs].status) == ("resolved", "resolved")
    assert (await program.description()).count("Suggested by Mara Lindqvist") == 1
    assert program.session.applications.all() == []
    assert "Suggested by" in said


async def test_another_account_does_not_finish_it(program: Program) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    mine, _ = await two(program)
    plan = await program.plan()
    program.ending.at, program.ending.before = 2, True
    with pytest.raises(Killed):
        await apply_plan(program.staged, plan)
    program.begin()
    session, left = program.session, program.session.applications.all()
    api = await session.ready()
    assert session.me is not None
    session.me = session.me.model_copy(update={"id": "someone-else"})
    assert await finish_all_applying(session) == ""
    assert session.applications.all() == left
    assert (await program.threads())[mine].status == "open"
    session.me = await api(ops.get_current_user)
    assert "Suggested by" in await finish_all_applying(session)


async def test_while_the_service_is_away_it_waits_and_is_judged_anew(program: Program) -> None:
    mine, _ = await two(program)
    plan = await program.plan()
    program.way.trouble = {1: "down"}
    with pytest.raises(QueuedError):
        await apply_plan(program.staged, plan)
    assert await finish_applying(program.session, program.space, program.request) == ""
    await program.session.outbox.send()
    await asyncio.gather(*program.session.writes.writing)
    assert await program.text("retries") == APPLIED
    assert (await program.threads())[mine].status == "resolved"


async def test_what_was_edited_while_it_waited_is_held(program: Program) -> None:
    await two(program)
    plan = await program.plan()
    program.way.trouble = {1: "down"}
    with pytest.raises(QueuedError):
        await apply_plan(program.staged, plan)
    await program.others("retries", TEXT.replace("five", "nine"))
    await program.session.outbox.send()
    [entry] = program.session.outbox.items.values()
    assert entry.held == "changed"
    assert await program.text("retries") == TEXT.replace("five", "nine")


async def test_a_refusal_applies_nothing_and_a_lost_answer_is_looked_up(program: Program) -> None:
    await two(program)
    program.way.trouble = {1: 403}
    with pytest.raises(WriteError):
        await apply_plan(program.staged, await program.plan())
    assert program.session.applications.all() == []
    program.way.trouble = {2: "lost"}
    assert await apply_plan(program.staged, await program.plan()) == ""
    assert await program.text("retries") == APPLIED


@pytest.mark.parametrize("trouble", [403, "down"])
async def test_a_thread_that_cannot_be_resolved_is_told(
    program: Program, trouble: str | int
) -> None:
    await two(program)
    program.way.trouble = dict.fromkeys(range(2, 20), trouble)
    left = await apply_plan(program.staged, await program.plan(), now=True)
    assert "The thread of Mara Lindqvist stays open: " in left
    assert not program.session.outbox.count
    assert "The description does not name who suggested: " in left
    assert await program.text("retries") == APPLIED


async def test_a_thread_in_which_somebody_wrote_meanwhile_stays_open(program: Program) -> None:
    answered, edited = await two(program)
    plan = await program.plan()
    at = f"/spaces/{program.space}/change-requests/{program.request}/comments"
    async with program.world.client(program.kofi) as client:
        words = {"body": {"markdown": "Or better not."}}
        assert (await client.post(f"{at}/{answered}/replies", json=words)).status_code == 200
        assert (await client.put(f"{at}/{edited}", json=words)).status_code == 200
    assert await apply_plan(program.staged, plan) == (
        "The thread of Mara Lindqvist stays open: someone wrote in it since. "
        "The thread of Kofi Mensah stays open: someone wrote in it since."
    )
    assert {each.status for each in (await program.threads()).values()} == {"open"}
    assert await program.text("retries") == APPLIED
    assert program.session.applications.all() == []


async def test_only_what_is_open_on_a_page_and_suggests_lines_is_a_suggestion(
    program: Program,
) -> None:
    mine, _ = await two(program)
    thread = (await program.threads())[mine]
    found = suggested_in(thread)
    assert found is not None
    assert (found.author, found.replies, found.several, found.cell) == (
        "Mara Lindqvist", 0, False, False,
    )  # fmt: skip
    said = thread.body.markdown or ""
    twice = suggested_in(
        thread.model_copy(update={"body": MarkdownBody(markdown=f"{said}\n\n{said}")})
    )
    assert twice is not None
    assert twice.several
    for change in ({"status": "resolved"}, {"body": MarkdownBody(markdown="Words.")}):
        assert suggested_in(thread.model_copy(update=change)) is None
    target = thread.target.model_copy(update={"node": None, "revision": None})
    whole = suggested_in(thread.model_copy(update={"target": target}))
    assert whole is not None
    assert (whole.node, whole.revision) == (None, "")


@pytest.mark.parametrize(
    ("staged", "why"),
    [("delete", STAGED_GONE), ("files", STAGED_FILES), ("clash", STAGED_CLASH), ("twice", SEVERAL)],
)
async def test_what_does_not_go_with_what_is_staged_is_left_with_its_reason(
    program: Program, staged: str, why: str
) -> None:
    mine, theirs = await two(program)
    page = program.page("retries")
    await program.edit("retries", "The end.", "![A](staged:a.png)" if staged == "files" else "End.")
    edit = program.staged.edits[page]
    if staged == "delete":
        await program.staged.stage({page: PageEdit("delete", edit.base_revision)})
    elif staged == "clash":
        await program.others("retries", TEXT.replace("The end.", "An end."))
    elif staged == "twice":
        said = str(program.world.row("comment", mine)["body"])
        program.world.write(lambda tx: tx.update("comment", mine, body=f"{said}\n\n{said}"))
    plan = await program.plan()
    assert plan.left == ({mine: why} if staged == "twice" else {mine: why, theirs: why})
    assert len(plan.run.taken) == (staged == "twice")


async def test_suggestions_on_too_many_pages_are_left_for_later(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = await two(program)
    late = program.suggests(program.mara, "limits", "# Limits\n\nNone.\n", 3, ["Few."])
    monkeypatch.setattr(suggestions, "MOST", 1)
    plan = await program.plan()
    assert plan.left == {late: TOO_MANY}
    assert [each.thread for each in plan.run.taken] == [mine, theirs]


async def test_what_is_known_of_a_revision_is_not_read_again(program: Program) -> None:
    await two(program)
    found = [each for each in map(suggested_in, (await program.threads()).values()) if each]
    old = {(each.revision, each.page) for each in found}
    await program.others("limits", "# Limits\n\nMany.\n")
    service, ids = told.Desk(program.world), (program.space, program.request)
    async with service.api() as api:
        known = await read_texts(api, *ids, found)
        assert (known.who, set(known.then), [*known.sources]) == (
            "Ana Silva", old, [program.page("retries")],
        )  # fmt: skip
        assert len(service.asked()) == 3
        again = await read_texts(api, *ids, found, known)
        assert [each.rpartition("/")[2] for each in service.asked()] == [
            "content metadata=false computed=false"
        ]
        assert (again.sources, again.then) == (known.sources, known.then)
        await program.others("limits", "# Limits\n\nMore.\n")
        unread = replace(known, then=dict.fromkeys(known.then))
        newer = await read_texts(api, *ids, found, unread)
        assert newer.revision != known.revision
        assert len(service.asked()) == 3, "pages of another revision, and what could not be read"


async def test_what_others_finish_or_what_never_arrived_is_not_resolved(program: Program) -> None:
    mine, _ = await two(program)
    session, ids = program.session, (program.space, program.request)
    run = (await program.plan()).run
    session.applications.save(run)
    session.read_only = True
    assert await finish_all_applying(session) == ""
    session.read_only = False
    with pytest.MonkeyPatch.context() as window:
        window.setattr(session.applications, "claim", lambda name: False)
        assert await finish_applying(session, *ids) == ""
    assert session.applications.all() == [run]
    assert await finish_applying(session, program.space, "other") == ""
    assert session.applications.all() == [run]
    session.confirmed = False
    session.applications.save(replace(run, by="someone else"))
    assert await finish_applying(session, *ids) == ""
    assert session.confirmed, "the service was asked who this is"
    session.applications.save(run)
    assert await finish_applying(session, *ids) == ""
    assert session.applications.all() == [], "it never arrived"
    assert (await program.threads())[mine].status == "open"
    session.applications.save(replace(run, edits={"gone": next(iter(run.edits.values()))}))
    assert await finish_applying(session, *ids) == ""
    assert session.applications.all() == []


async def test_what_may_have_arrived_is_finished_once_the_service_tells(program: Program) -> None:
    mine, _ = await two(program)
    program.way.trouble = {1: "blind"}
    with pytest.raises(WriteError) as failed:
        await apply_plan(program.staged, await program.plan())
    assert failed.value.unknown
    assert len(program.session.applications.all()) == 1
    program.way.reads = ""
    ids = program.space, program.request
    assert await finish_applying(program.session, *ids) == "", "its write is not settled"
    [entry] = program.session.outbox.items
    await program.session.outbox.drop(entry)  # who looks finds it there
    said = await finish_applying(program.session, *ids)
    assert said == (
        "Applied before copydesk ended: Suggested by Mara Lindqvist: Retries, line 3. "
        "Suggested by Kofi Mensah: Retries, line 5."
    )
    assert (await program.threads())[mine].status == "resolved"


async def test_while_nobody_can_be_asked_the_threads_wait(program: Program) -> None:
    mine, _ = await two(program)
    run = (await program.plan()).run
    await apply_plan(program.staged, await program.plan())
    await program.session.reversals.undo()
    program.session.applications.save(run)
    program.way.reads = "down"
    said = await suggestions._finish(program.session, run)
    assert said.startswith("The threads are resolved later: Offline: ")
    assert program.session.applications.all() == [run]
    program.way.reads = ""
    program.way.trouble = {len(program.way.writes) + 3: "lost"}
    assert await suggestions._finish(program.session, run) == ""
    assert (await program.threads())[mine].status == "resolved"
    assert (await program.description()).count("Suggested by Mara Lindqvist") == 1
    assert program.session.log[-1].what == "Credit"
    assert program.session.log[-1].state == "done"
    assert program.session.log[-2].target.startswith("#1 “Better:")
