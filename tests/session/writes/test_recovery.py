"""Finding out whether a write happened: by lists that may hold what is not understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Garbled
from copydesk.domain.inverses import message_trace, verdict_trace
from copydesk.domain.reversal import Anew, Expectation, Reversal, Step, Trace
from copydesk.local.journal import Entry, Journal, Notes
from copydesk.local.state import State
from copydesk.server import threads
from copydesk.session.drafts import refusal
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.sites import read_structure
from copydesk.session.reads.tree import read_tree
from copydesk.session.session import Session
from copydesk.session.writes import recovery
from copydesk.session.writes.log import LogEntry
from copydesk.session.writes.recovery import (
    CUT_OFF,
    HALFWAY,
    NOT_ARRIVED,
    SKEW_SECONDS,
    RecoveredWrites,
    find_trace,
    happened,
    recover,
    settle_one,
)
from tests.tui.review_world import ReviewWorld
from tests.tui.site_world import publish
from tests.tui.strange import strange
from tests.world import BASE_URL, START, World


async def test_a_comment_that_is_not_understood_is_not_taken_for_missing(world: World) -> None:
    # Else it would be sent again.
    review = ReviewWorld(world)
    world.comment(review.space, "Which version?", change_request=review.request)

    def change(value: Any) -> None:
        for item in value["items"]:
            del item["id"]

    trace = message_trace(review.space, review.request, me=world.ana)
    async with strange(world, "/comments", change) as api:
        with pytest.raises(Garbled):
            await find_trace(api, trace, "Which version?", START.timestamp())


async def test_a_comment_is_looked_for_among_so_many(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = ReviewWorld(world)
    for said in ("Which version?", "Another."):
        world.comment(review.space, said, change_request=review.request)
    trace = message_trace(review.space, review.request, me=world.ana)
    async with world.api() as api:
        now = world.clock.now.timestamp()
        assert await find_trace(api, trace, "Which version?", now) is not None
        monkeypatch.setattr(recovery, "LONGEST_LIST", 2)
        with pytest.raises(NotDoneError, match=r"^There are too many to find it among them\.$"):
            await find_trace(api, trace, "Never sent.", now)


async def test_a_structure_with_a_part_that_is_not_understood_is_not_arranged(
    world: World,
) -> None:
    site = publish(world).site

    def change(value: Any) -> None:
        value["items"].append({"object": "site-section"})

    async with strange(world, "/sections", change) as api:
        with pytest.raises(Garbled):
            await read_structure(api, world.home, site)


@pytest.mark.parametrize("path", ["/spaces", "/collections"])
async def test_a_tree_with_a_part_that_is_not_understood_is_not_arranged(
    world: World, path: str
) -> None:
    world.space("Guide")

    def change(value: Any) -> None:
        value["items"].append({"object": "space"})

    async with strange(world, path, change) as api:
        with pytest.raises(Garbled):
            await read_tree(api, world.home)


async def test_a_tree_without_one_of_the_rules_is_not_arranged(world: World) -> None:
    def change(value: Any) -> None:
        value["mergeRules"] = {"type": "rules", "rules": [{"rule": {"odd": True}}]}

    async with strange(world, f"/orgs/{world.home}", change) as api:
        with pytest.raises(Garbled):
            await read_tree(api, world.home)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (RecoveredWrites(), ""),
        (RecoveredWrites(drafts=2, moves=1), "Restored 2 drafts, 1 staged change."),
        (
            RecoveredWrites(arrived=1, lost=2),
            "1 cut-off write had arrived. 2 cut-off writes had not arrived. "
            "Nothing is sent again unasked.",
        ),
        (RecoveredWrites(waiting=1), "1 write waits in the outbox (g x)."),
        (RecoveredWrites(waiting=2), "2 writes wait in the outbox (g x)."),
        (RecoveredWrites(waiting=2, sent="Sent from the outbox: 3."), "Sent from the outbox: 3."),
        (RecoveredWrites(rest=1), "1 write of a cut-off undo left: u undoes it."),
        (
            RecoveredWrites(unknown=["Merge #1", "Merge #2"]),
            "Cut off, and it may have arrived: Merge #1 and Merge #2. @ and :undo tell more.",
        ),
        (
            RecoveredWrites(unknown=["Merge #1", "Merge #2", "Merge #3"]),
            "Cut off, and it may have arrived: Merge #1, Merge #2 and 1 more. "
            "@ and :undo tell more.",
        ),
    ],
)
def test_what_was_found_of_an_earlier_run_is_a_sentence(found: RecoveredWrites, said: str) -> None:
    assert found.sentence() == said


class Kept:
    """A journal on the disk, as an earlier run left it, and a session that takes it over."""

    def __init__(self) -> None:
        self.store = State()
        self.full = ""
        self.rows: list[dict[str, str]] = []
        self.earlier = Journal(self.store, "desk")

    def session(self) -> Session:
        """Return the session of the next run."""
        kept = self

        class Disk(Journal):
            def entries(self, *, since: float = 0.0) -> list[Entry]:
                if kept.full == "read":
                    raise OSError(5, "Input/output error")
                return super().entries(since=since)

        journal = Disk(self.store, "desk")
        journal.run = "now"

        async def connect() -> Api:
            return Api(BASE_URL, "token")

        async def known(session: Session, api: Api) -> None: ...

        def begins() -> bool:
            if kept.full:
                raise OSError(28, "No space left on device")
            return False

        async def rows() -> Any:
            return {"items": kept.rows}

        found = Session(connect, journal=journal, begins=begins, identify=known)
        found.local_steps["rows"] = rows
        return found


ROWS = Step("local.rows")
SECTION = Reversal(
    (Step("local.make"),),
    still=Expectation(ROWS, {"items{title=Old}.title": []}),
    anew=Anew("old", {"title": "Old"}),
)


@pytest.mark.parametrize(("full", "why"), [("begin", "No space left on device"), ("read", "Input")])
async def test_where_the_disk_refuses_the_start_nothing_is_settled_or_sent(
    full: str, why: str
) -> None:
    kept = Kept()
    request = {"name": "update_space", "target": "/v1/spaces/s"}
    waits = kept.earlier.settle(
        kept.earlier.begin("Rename", "It", Notes(request=request)), "queued"
    )
    open_still = kept.earlier.begin("Merge", "#1")
    kept.full = full
    session = kept.session()
    said = await recover(session)
    assert said.startswith(refusal(why).partition(".")[0])
    assert session.drafts.trouble.startswith(why)
    assert list(session.outbox.items) == ([waits.id] if full == "begin" else [])
    assert [each.id for each in kept.earlier.interrupted()] == []
    assert kept.session().journal.interrupted()[0].id == open_still.id
    session.drafts.again()
    assert session.drafts.trouble.startswith("No space left on device"), "it is full still"
    kept.full = ""
    session.drafts.again()
    assert session.drafts.trouble == ""


async def test_what_no_reading_tells_of_is_named_and_asked_about() -> None:
    kept = Kept()
    for number in (1, 2, 3):
        kept.earlier.begin("Merge\x07", f"#{number}")
    session = kept.session()
    said = await recover(session)
    assert said == (
        "Cut off, and it may have arrived: Merge #1, Merge #2 and 1 more. @ and :undo tell more."
    )
    assert [(each.state, each.sentence) for each in session.journal.entries()] == [
        ("unknown", CUT_OFF)
    ] * 3
    assert session.messages[-1].message.endswith(f"#3: {CUT_OFF}")
    assert await recover(kept.session()) == "", "it is told once"
    kept.earlier.begin("Merge", "x" * 99)
    said = await recover(kept.session())
    assert said.startswith(f"Cut off, and it may have arrived: Merge {'x' * 54}. ")


async def test_a_draft_is_told_to_be_unsent_where_it_is_what_was_cut_off() -> None:
    kept = Kept()
    for draft, text in (("same", "Words."), ("edited", "Words."), ("secret", ""), ("", "")):
        kept.earlier.begin("Comment on", "#1", Notes(draft=draft, text=text))
    session = kept.session()
    for draft, text in (("same", "Words."), ("edited", "Other words."), ("secret", "Anything.")):
        session.drafts.save(draft, text)
    await recover(session)
    assert session.unsent == {"same": CUT_OFF, "secret": CUT_OFF}


@pytest.mark.parametrize(
    ("rows", "half", "said", "standing"),
    [
        (("was", "Other"), False, NOT_ARRIVED, "done"),
        (("was", "Other", "Old"), True, HALFWAY, "done"),
        (("was", "Other", "Old", "Old"), False, "", "undoing"),
    ],
)
async def test_an_undo_that_was_cut_off_as_it_made_a_thing_again_is_settled_by_what_is_there(
    rows: tuple[str, ...], half: bool, said: str, standing: str
) -> None:
    kept = Kept()
    session = kept.session()
    removed = session.journal.settle(
        session.journal.begin("Remove", "Old", Notes(reversal=SECTION.to_dict())), "done"
    )
    undo = session.journal.begin("Undo: Remove", "Old", Notes(kind="undo", of=removed.id, known=[]))
    past = session.history.take(removed)
    assert past is not None
    session.history.take(undo)
    session.log += [
        LogEntry(at, session.clock(), each.what, "Old", entry=each)
        for at, each in enumerate((removed, undo), 1)
    ]
    kept.rows = [{"id": f"{at}", "title": title} for at, title in enumerate(rows)]
    assert await settle_one(session, past) == said
    assert past.standing == standing
    assert (past.half is not None) is half
    if said:
        first, last = session.log
        assert (first.state, last.state, last.message) == (standing, "failed", said)
        assert last.entry == session.journal.entries()[-1]
        assert last.entry is not None
        assert last.entry.made == ("2" if half else "")


@pytest.mark.parametrize("runs", [False, True])
async def test_the_rest_of_an_undo_is_told_unless_who_undoes_still_runs(
    tmp_path: Path, *, runs: bool
) -> None:
    first, now = (Journal(State(tmp_path / "state.db"), "desk") for _ in range(2))
    if runs:
        first.opened()
    notes = Notes(reversal=SECTION.to_dict(), group="Remove 1")
    removed = [first.settle(first.begin("Remove", each, notes), "done") for each in ("A", "B")]
    undo = first.begin("Undo: Remove", "B", Notes(kind="undo", of=removed[-1].id))
    first.settle(undo, "done")

    async def connect() -> Api:
        return Api(BASE_URL, "token")

    session = Session(connect, journal=now, begins=lambda: True)
    session.local_steps["rows"] = connect
    said = await recover(session)
    assert said == ("" if runs else "1 write of a cut-off undo left: u undoes it.")
    assert len(session.reversals.left_over()) == (not runs)


async def test_what_was_noted_in_a_way_that_is_not_understood_tells_nothing(world: World) -> None:
    session = Kept().session()
    trace = message_trace("s", "r", me="me").to_dict()
    async with world.api() as api:
        for notes in (
            {"trace": {"odd": 1}, "text": "Words"},
            {"trace": trace},  # the text is gone with its draft
            {"reversal": {"odd": 1}},
            {"reversal": SECTION.to_dict(), "kind": "undo", "of": "unknown"},
            {},
        ):
            entry = Entry("i", "r", 1.0, "Comment", "#1", "unknown", **notes)
            assert await happened(session, api, entry) == (None, None)


async def test_a_verdict_without_its_words_is_ours_once_these_are_found_beside_it(
    world: World,
) -> None:
    review = ReviewWorld(world)
    lee = world.user("lee", display_name="Lee Park")
    world.write(lambda tx: threads.add_review(tx, review.request, lee, "approved"))
    ids = (review.space, review.request)
    began = world.clock.now.timestamp()

    async def found(words: str, text: str = "approved", at: float = began) -> Any:
        trace = verdict_trace(*ids, "", me=lee, status=text, words=words)
        async with world.api() as api:
            return await find_trace(api, trace, text, at)

    assert (await found("")).status == "approved"
    assert await found("", "changes-requested") is None
    assert await found("", at=began + SKEW_SECONDS + 60) is None, "it was there long before"
    with pytest.raises(NotDoneError, match="its words are not: it may be another"):
        await found("Well done.")
    world.comment(review.space, "Well done.", change_request=review.request, by=lee)
    assert (await found("Well done.")).status == "approved"


async def test_a_comment_of_no_time_is_not_taken_for_one_that_was_just_sent(world: World) -> None:
    review = ReviewWorld(world)
    world.comment(review.space, "Which version?", change_request=review.request)
    trace = message_trace(review.space, review.request, me=world.ana)
    posted = Trace(trace.read, trace.fields, since="id")
    async with world.api() as api:
        assert await find_trace(api, posted, "Which version?", START.timestamp()) is None
        assert await find_trace(api, posted, "Which version?", 0.0) is not None
