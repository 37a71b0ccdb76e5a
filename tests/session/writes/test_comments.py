"""Comments and replies: what a draft is, sent, changed, deleted and taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.contract.models.user import User
from copydesk.domain.inverses import message_sent, message_trace
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.draft_keys import review_key
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.inbox import read_comment
from copydesk.session.writes import comments
from copydesk.session.writes.comments import (
    PendingDraft,
    change_message,
    delete_message,
    pending,
    pending_line,
    send_draft,
    trace,
    way_back,
    way_back_later,
)
from tests.session.test_session import session
from tests.world import World


@pytest.mark.parametrize(
    ("part", "on"),
    [
        ("p/page", {"page": "p"}),
        ("p/n1", {"page": "p", "node": "n1"}),
        ("request", {}),
        ("reply t1", {"thread": "t1"}),
        ("verdict approved", None),
        ("edit c1", None),
        ("odd", None),
    ],
)
def test_which_drafts_are_comments(part: str, on: dict[str, str] | None) -> None:
    found = pending("s", "r", part, " Words \n", 5.0, "offline")
    if on is None:
        assert found is None
        return
    assert found is not None
    assert found == PendingDraft(
        "s",
        "r",
        part,
        found.words,
        "Words",
        5.0,
        why="offline",
        **on,
    )
    assert found.key == f"s/r/{part}"
    assert pending("s", "r", part, " \n") is None


def test_a_draft_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    draft = PendingDraft("s", "r", "request", "comment", "\n  First\x07 \nSecond")
    assert pending_line(draft) == "comment: First"
    long = PendingDraft("s", "r", "request", "reply", "x" * 99, why="offline")
    failed = f"{glyphs().failed} not sent last time"
    assert pending_line(long) == f"reply: {'x' * 59}{glyphs().more}  {failed}"
    monkeypatch.setattr(comments, "glyphs", lambda: replace(glyphs(), more="~"))
    assert pending_line(long) == f"reply: {'x' * 59}~  {failed}"


async def test_messages_are_sent_changed_and_deleted_wherever_they_are(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n\nText.\n"})
    request = world.change_request(space, {"a": "# A\n\nMore.\n"})
    page = world.page_id(space, "a")
    async with world.api() as api:
        node = (await api(ops.get_space_page, space, page)).document
        assert node is not None
        block = str(node.nodes[0].key)
        for of in (request, ""):
            sent: list[Comment | CommentReply] = []
            for on in ((None, None), (page, None), (page, block)):
                draft = PendingDraft(space, of, "x", "comment", "Words", page=on[0], node=on[1])
                made = await send_draft(api, draft)
                assert isinstance(made, Comment)
                assert (made.body.markdown or "").strip() == "Words"
                where = made.target.page, made.target.node
                assert tuple(each and each.id for each in where) == on
                said = made.body.markdown or ""
                assert way_back(draft)(made) == message_sent(
                    space, of, made.id, None, text=said, draft=draft.key
                )
                sent.append(made)
            thread = sent[0].id
            answer = PendingDraft(space, of, "x", "reply", "Answer", thread=thread)
            reply = await send_draft(api, answer)
            assert isinstance(reply, CommentReply)
            assert way_back(answer)(reply) == message_sent(
                space, of, thread, reply.id, text=reply.body.markdown or "", draft=answer.key
            )
            ids = (space, of)
            body = {"body": {"markdown": "Other"}}
            changed = await change_message(api, ids, thread, None, body)
            assert (changed.id, (changed.body.markdown or "").strip()) == (thread, "Other")
            changed = await change_message(api, ids, thread, reply.id, body)
            assert (changed.id, (changed.body.markdown or "").strip()) == (reply.id, "Other")
            await delete_message(api, ids, thread, reply.id)
            left = await api(ops.get_change_request_comment, space, of, thread) if of else (
                await api(ops.get_space_comment, space, thread)
            )  # fmt: skip
            assert left.replies == 0
            await delete_message(api, ids, thread, None)
            listed = await (
                api.page(ops.list_change_request_comments, space, of)
                if of
                else api.page(ops.list_space_comments, space)
            )
            assert {each.id for each in listed.items} == {each.id for each in sent[1:]}


def test_what_a_later_run_sent_is_taken_back_too() -> None:
    def answered(value: object) -> Any:
        return SimpleNamespace(content=json.dumps(value).encode())

    there = {"id": "c1", "body": {"markdown": "As told"}}
    for part, ids in (("request", ("c1", None)), ("reply t1", ("t1", "c1"))):
        key = f"s/r/{part}"
        way = message_sent("s", "r", *ids, text="As told", draft=key, words="Words")
        assert way_back_later(key, "Words", answered(there)) == way
        model = SimpleNamespace(to_dict=lambda: {"id": "c1"})
        way = message_sent("s", "r", *ids, text="Words", draft=key)
        assert way_back_later(key, "Words", model) == way
    for key, answer in (
        ("s/r/verdict approved", answered(there)), ("s/r", answered(there)),
        ("s/r/request", answered({})), ("s/r/request", answered([])),
        ("s/r/request", answered({"id": 3})), ("s/r/request", SimpleNamespace(content=b"{")),
        ("s/r/request", answered({"id": "c1", "body": {"markdown": 3}})), ("s/r/request", None),
        ("s/r/request", answered({"id": "c1", "body": []})),
    ):  # fmt: skip
        assert way_back_later(key, "Words", answer) is None


def test_a_draft_leaves_a_trace_once_it_is_known_whose_it_is() -> None:
    draft = PendingDraft("s", "r", "p/n", "comment", "W", page="p", node="n", thread="t")
    assert trace(None, draft) is None
    found = trace(User(id="me"), draft)
    assert found == message_trace("s", "r", "t", me="me", page="p", node="n")
    alone = trace(User(id="me"), replace(draft, thread=None))
    assert alone == message_trace("s", "r", me="me", page="p", node="n")


def test_drafts_of_a_change_request_are_listed_the_oldest_first(tmp_path: Path) -> None:
    at = iter((30.0, 10.0, 20.0, 5.0, 4.0))
    store = State(tmp_path / "state.db", clock=at.__next__)
    kept = DeskDrafts(store, "desk")
    for part, of in (("request", "r"), ("p/n", "r"), ("reply t", "r"), ("edit c", "r"), ("x", "q")):
        kept.save(review_key("s", of, part), f"Words of {part}.")
    ours = session(draft_store=kept)
    ours.unsent[review_key("s", "r", "p/n")] = "Offline."
    found = comments.review_drafts(ours, "s", "r")
    assert [(each.request, each.part, each.saved, each.why) for each in found] == [
        ("r", "p/n", 10.0, "Offline."), ("r", "reply t", 20.0, ""), ("r", "request", 30.0, ""),
    ]  # fmt: skip
    assert found[0].text == "Words of p/n."
    assert [each.key for each in found] == [
        review_key("s", "r", part) for part in ("p/n", "reply t", "request")
    ]


@pytest.mark.parametrize("resolved", [True, False])
async def test_resolving_a_thread_is_found_by_its_state(world: World, *, resolved: bool) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"})
    thread = world.comment(space, "Why?", change_request=request)
    ids = (space, request)
    async with world.api() as api:
        if not resolved:
            await change_message(api, ids, thread, None, {"resolved": True})
        now = await read_comment(api, *ids, thread)
        assert now is not None
        write = comments.resolving(ids, now, "#1", resolved=resolved, done="Done.")
        assert (write.what, write.target, write.done) == (
            "Resolve" if resolved else "Reopen", "#1", "Done.",
        )  # fmt: skip
        assert write.look is not None
        assert await write.look(api) is None
        sent = await write.send(api)
        found = await write.look(api)
        assert found is not None
        assert isinstance(found, Comment)
        assert (found.id, found.status) == (sent.id, "resolved" if resolved else "open")
        await delete_message(api, ids, thread, None)
        assert await write.look(api) is None
        expected = write.expects
        assert expected is not None
        assert expected.also is not None, "its change request is open still"
        assert expected.fields["replies"] == 0
    over = comments.resolving(ids, now, "#1", resolved=resolved, closed=True)
    assert over.expects is not None
    assert over.expects.also is None


def test_what_is_sent_says_what_it_answers_and_that_it_is_discussed_still() -> None:
    draft = PendingDraft("s", "r", "reply t", "reply", "W", thread="t")
    thread = Comment.model_validate(
        {
            "id": "t",
            "body": {"markdown": "Why?"},
            "status": "resolved",
            "target": {},
            "postedAt": "2026-03-02T09:00:00Z",
        }
    )
    alone = comments.sending(draft, "#1", None)
    assert (alone.what, alone.target, alone.trace) == ("Reply", "#1", None)
    assert alone.expects is not None
    assert alone.expects.fields == {"status~ended": False}
    over = comments.sending(draft, "#1", User(id="me"), thread=thread)
    assert over.trace == trace(User(id="me"), draft)
    assert over.expects is not None
    assert over.expects.fields == {"body.markdown": "Why?"}, "it was done with before"
    assert over.expects.also is not None
    closed = comments.sending(draft, "#1", None, thread=thread, closed=True)
    assert closed.expects is not None
    assert closed.expects.also is None
    assert comments.sending(replace(draft, thread=None), "#1", None).what == "Comment"
