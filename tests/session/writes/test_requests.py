"""Writes on a change request as a whole: what is said of them, and what they wait for."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.routes import DESCRIPTIONS
from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ReviewStatus
from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.contract.models.change_request import ChangeRequestCreate, ChangeRequestUpdate
from copydesk.contract.models.review import Review
from copydesk.contract.models.space import Space
from copydesk.contract.models.user import User
from copydesk.domain.inverses import still_judged
from copydesk.domain.plain_documents import document_of, document_text
from copydesk.domain.reversal import Reversal
from copydesk.session.session import Session
from copydesk.session.writes.recovery import find_trace
from copydesk.session.writes.requests import (
    NO_CONTENT,
    ONLY_REVIEWS,
    VERBS,
    RequestWords,
    about_text,
    ask_for_content,
    begin_request,
    beginning,
    begun_as,
    changing,
    read_about,
    right_missing,
    subject_made,
    subject_wrong,
    takes_no_content,
    update_of,
    verdict,
    why_no_edit,
    why_no_verdict,
)
from copydesk.session.writes.sender import Write
from copydesk.session.writes.undo import ReversalRunner
from tests.session.rows import NOW, row
from tests.tui.strange import strange
from tests.world import START, World

DESCRIPTION = {"object": "document", "nodes": [], "data": {"schemaVersion": 1}}
ME = User.model_validate({"id": "me", "displayName": "Me"})


@pytest.mark.parametrize(
    ("status", "done"),
    [("approved", "Approved"), ("changes-requested", "Asked for changes in")],
)
def test_a_verdict_says_what_it_was_and_that_it_stays(status: ReviewStatus, done: str) -> None:
    write = verdict(row(118), status, "Fine.", ME)
    assert (write.what, write.target) == (VERBS[status], row(118).named)
    assert write.done == f"{done} #118; a review cannot be undone."
    ids = (row(118).space, row(118).id, row(118).revision)
    assert write.expects == still_judged(*ids, subject=row(118).said, status="open")
    assert write.trace is not None
    assert verdict(row(118), status, "", None).trace is None


@pytest.mark.parametrize("left_out", [True, False])
async def test_a_description_that_was_left_out_is_sent_again(world: World, left_out: bool) -> None:
    def without(answer: Any) -> None:
        if left_out:
            answer.pop("description", None)
            world.write(lambda tx: tx.update("change_request", answer["id"], description=None))

    space = world.space("Guide", {"a": "One.\n"})
    body = ChangeRequestCreate(subject="New", description=document_of("Why."))
    api = strange(world, "/change-requests", without, method="POST")

    async def connect() -> Api:
        return api

    session = Session(connect)
    sent: list[str] = []

    async def send(write: Write[Request], *, group: str, draft: str = "") -> Request:
        sent.append(f"{write.what} {write.target} {draft}".strip())
        return await session.writes.perform(
            write.what, write.target, lambda: write.send(api), reversal=write.reversal, group=group
        )

    made = await begin_request(send, space, body, ME, draft="key")
    again = ["Describe #1"] if left_out else []
    assert sent == ["Start “New” key", *again]
    assert made.description is not None
    assert [line.group == session.log[0].group != "" for line in session.log] == [True] * len(sent)
    sent.clear()
    await begin_request(send, space, ChangeRequestCreate(subject="Bare"), ME)
    assert sent == ["Start “Bare”"]


def test_a_subject_fits_and_one_that_is_made_is_cut_to_fit() -> None:
    assert subject_wrong("") == "A subject is needed."
    assert subject_wrong("é" * 100) is None
    assert subject_wrong("x" * 101) == "101 characters: at most 100 fit."
    assert subject_made(" One\x07\n two ") == "One two"
    assert subject_made("x" * 100) == "x" * 100
    assert subject_made("x" * 98 + " yz") == "x" * 98 + "…"


async def test_a_subject_is_changed_looked_for_and_taken_back(world: World) -> None:
    space = world.space("Guide", {"a": "A.\n"})
    request = world.change_request(space, {"a": "B.\n"}, subject="One")
    body = ChangeRequestUpdate(subject="Two")
    of = row(1, space=space, id=request)
    write = changing(
        of, "Rename", body, {"subject": "One"}, is_so=lambda now: now.subject == "Two", done="Done."
    )
    assert (write.what, write.target, write.done) == ("Rename", of.named, "Done.")
    assert write.expects is None
    assert write.look is not None
    assert isinstance(write.reversal, Reversal)
    async with world.api() as api:
        assert await write.look(api) is None
        assert (await write.send(api)).subject == "Two"
        found = await write.look(api)
        assert found is not None
        assert found.id == request
        way = ReversalRunner(lambda name: None)
        assert await way.became(api, write.reversal) is True
        for step in write.reversal.back:
            await way.take(api, step)
        assert (await api(ops.get_change_request, space, request)).subject == "One"
        assert await way.became(api, write.reversal) is False
    status = ChangeRequestUpdate(status="archived")
    write = changing(of, "Archive", status, {"status": "open"}, is_so=lambda now: True, done="")
    assert write.expects == of.judged_by


async def test_a_begun_request_is_found_again_and_taken_back(world: World) -> None:
    space = world.space("Guide", {"a": "A.\n"})
    async with world.api() as api:
        me = await api(ops.get_current_user)
        write = beginning(space, ChangeRequestCreate(subject="New"), me)
        assert (write.what, write.target) == ("Start", "“New”")
        assert write.trace is not None
        assert await find_trace(api, write.trace, "New", START.timestamp()) is None
        made = await write.send(api)
        assert (made.status, made.subject, made.space) == ("draft", "New", space)
        found = await find_trace(api, write.trace, "New", START.timestamp())
        assert found.id == made.id
        assert callable(write.reversal)
        back = write.reversal(made)
        assert back is not None
        for step in back.back:
            await ReversalRunner(lambda name: None).take(api, step)
        gone = await api(ops.get_change_request, space, made.id)
        assert gone.status == "archived"
    unnamed = beginning(space, ChangeRequestCreate(), None)
    assert (unnamed.target, unnamed.trace) == ("“”", None)


@pytest.mark.parametrize(("said", "words"), [("Fine.", "Fine."), ("", None)])
async def test_a_verdict_is_sent_with_its_words(world: World, said: str, words: str | None) -> None:
    space = world.space("Guide", {"a": "A.\n"})
    request = world.change_request(space, {"a": "B.\n"}, by=world.user("lee"))
    of = row(1, space=space, id=request)
    async with world.api() as api:
        me = await api(ops.get_current_user)
        write = verdict(of, "changes-requested", said, me)
        await write.send(api)
        [review] = (await api.page(ops.list_change_request_reviews, space, request)).items
        assert isinstance(review, Review)
        assert review.status == "changes-requested"
        comment = review.comment
        assert (comment and comment.markdown) == words


def test_what_would_be_refused_is_known_before() -> None:
    title = {"id": "s", "title": "API\x07", "createdAt": START, "updatedAt": START}
    space = Space.model_validate({**title, "permissions": {"review": False}})
    free = Space.model_validate(title)
    merged, opened = (request_of(status) for status in ("merged", "open"))
    assert right_missing(space, lambda may: may.review, "review") == "You may not review in API."
    assert right_missing(space, lambda may: True, "review") is None
    assert right_missing(free, lambda may: False, "review") is None
    assert why_no_verdict(merged, free) == "#7 is merged and takes no review."
    assert why_no_verdict(opened, space) == "You may not review in API."
    assert why_no_verdict(opened, free) is why_no_verdict(request_of("draft"), free) is None
    assert why_no_edit(merged, free) == "#7 is merged: its pages stay as they are."
    assert why_no_edit(opened, space) == ONLY_REVIEWS
    assert why_no_edit(opened, free) is why_no_edit(request_of("draft"), free) is None


def test_what_a_change_request_was_begun_as_is_told() -> None:
    assert [begun_as(request_of(status)) for status in ("draft", "op\x07en")] == ["a draft", "open"]


def request_of(status: str) -> Request:
    return Request.model_validate(
        {"id": "c", "number": 7, "space": "s", "status": status, "subject": "S",
         "createdAt": START, "updatedAt": START}
    )  # fmt: skip


async def test_a_service_that_takes_no_content_is_known_before_anything_is_typed(
    world: World,
) -> None:
    async def connect() -> Api:
        return world.api()

    session = Session(connect)
    assert await ask_for_content(session) is None
    assert takes_no_content(session) is None

    def without_content(described: Any) -> None:
        for path in [each for each in described["paths"] if each.endswith("/content")]:
            del described["paths"][path]

    async def connect_to_another() -> Api:
        return strange(world, DESCRIPTIONS[0], without_content)

    session = Session(connect_to_another)
    assert await ask_for_content(session) == NO_CONTENT


def test_subject_and_description_as_one_text_and_back() -> None:
    request = Request(
        id="1", number=7, subject="Fix", created_at=NOW, updated_at=NOW, space="s",
        description=document_of("One.\n\nTwo."),
    )  # fmt: skip
    text = about_text(request)
    assert text == "Fix\n\nOne.\n\nTwo."
    assert update_of(request, read_about(text)) is None
    assert read_about("# Fix it\n\n\nOne.\n") == RequestWords("Fix it", "One.")
    update = update_of(request, RequestWords("Fix", "One."))
    assert update is not None
    assert update.model_fields_set == {"description"}
    assert document_text(update.description) == "One."
    back = update_of(request, RequestWords("Other", "One."), back=True)
    assert back is not None
    assert (back.subject, document_text(back.description)) == ("Fix", "One.\n\nTwo.")


def test_a_description_that_others_wrote_meanwhile_comes_back_as_theirs() -> None:
    request = Request(id="1", number=7, subject="Fix", created_at=NOW, updated_at=NOW, space="s")
    theirs = RequestWords("Theirs", "Their words.")
    update = update_of(request, RequestWords("Fix", "Mine."), sent=theirs)
    assert update is not None
    assert (update.subject, document_text(update.description)) == ("Fix", "Mine.")
    back = update_of(request, RequestWords("Fix", "Mine."), sent=theirs, back=True)
    assert back is not None
    assert (back.subject, document_text(back.description)) == ("Theirs", "Their words.")
    first = update_of(request, RequestWords("Fix", "Mine."), back=True)
    assert first is not None
    assert first.description == document_of("")
    assert "subject" not in first.model_fields_set
