"""Editing the pages of a change request: staged on disk, shown as mine, sent with one request."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual.widgets import Input

from copydesk.domain.page_edits import PageEdit, edit_of
from copydesk.domain.page_text import page_text
from copydesk.local.page_edits import DeskEdits
from copydesk.local.state import State
from copydesk.session.reachability import POLL_SECONDS
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.composer import Composer
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.review.pages import staged_texts
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import RETRIES_NOW, Faults, ReviewWorld

Write = Callable[[str], None]

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02"


def source(body: str, **settings: str) -> str:
    lines = [f"{name}: {value}" for name, value in settings.items()]
    return "\n".join(["---", *lines, "---", body])


RETRIES_SOURCE = {"title": "Retries", "slug": "retries"}


async def test_pages_are_edited_sent_and_taken_back(
    review: ReviewWorld, editor: Write, tmp_path: Path, update_golden: bool
) -> None:
    edited = RETRIES_NOW.replace("eight times over 24 hours", "nine times over 48 hours")
    for size in ((140, 40), (80, 24)):
        async with drive(review.app(), "]", size=size) as driver:
            editor(source(edited, **RETRIES_SOURCE))
            await driver.press("e")
            opened = (tmp_path / "opened").read_text()
            assert opened == source(RETRIES_NOW, **RETRIES_SOURCE)
            assert "Staged: “Retries”. Nothing is sent" in driver.screen
            assert await review.text_of("webhooks/retries") == RETRIES_NOW
            driver.golden("review-staged", update=update_golden)
            await driver.press("=")
            assert "only what I staged" in driver.screen
            assert "{+nine+}" in driver.screen
            await driver.press("=")
            assert "as it is sent" in driver.screen
            assert "nine" not in driver.screen
            await driver.press("=", "]", "D")
            assert "STAGED 2" in driver.screen
            await driver.press("ctrl+s")
            assert isinstance(driver.app.screen, Confirm)
            driver.golden("review-send", update=update_golden)
            await driver.press("y")
            assert "Sent: 2 pages of #1. u undoes it." in driver.screen
            assert await review.text_of("webhooks/retries") == edited
            assert "STAGED" not in driver.screen
            await driver.press("u")
            assert await review.text_of("webhooks/retries") == RETRIES_NOW
            assert "STAGED 2" in driver.screen
            await driver.press("u", "u")
            assert "STAGED" not in driver.screen
            await driver.press("ctrl+r")
            assert "Staged again. Nothing is sent" in driver.screen
            await driver.press("ctrl+r")
            assert "STAGED 2" in driver.screen
            await driver.press("u", "u")
            assert "STAGED" not in driver.screen


async def test_what_another_window_staged_is_shown_by_the_next_poll(review: ReviewWorld) -> None:
    page = review.page("webhooks/retries")
    before = source(RETRIES_NOW, **RETRIES_SOURCE)
    async with drive(review.app(), "]") as driver:
        other = PageEdit("update", "r", before, f"{before}\nAnd a last line.\n")
        driver.app.session.staged.stage(
            review.space, review.request, {page: (None, other.to_text())}
        )
        review.world.clock.now += timedelta(seconds=POLL_SECONDS)
        driver.app.tick()
        await driver.idle()
        assert "STAGED 1" in driver.screen


async def test_what_another_window_staged_meanwhile_is_kept_beside_what_is_written(
    review: ReviewWorld, editor: Write
) -> None:
    page = review.page("webhooks/retries")
    before = source(RETRIES_NOW, **RETRIES_SOURCE)
    mine = RETRIES_NOW.replace("eight times over 24 hours", "nine times over 24 hours")
    async with drive(review.app(), "]") as driver:
        staged = driver.app.session.staged
        other = PageEdit("update", "r", before, f"{before}\nAnd a last line.\n")
        staged.stage(review.space, review.request, {page: (None, other.to_text())})
        editor(source(mine, **RETRIES_SOURCE))
        await driver.press("e")
        assert "Staged, with what another window staged of “Retries” meanwhile." in driver.screen
        kept = edit_of(staged.of(review.space, review.request)[page])
        assert kept.text == f"{source(mine, **RETRIES_SOURCE)}\nAnd a last line.\n"
        other = replace(kept, text=before.replace("eight times", "two times"))
        staged.stage(review.space, review.request, {page: (kept.to_text(), other.to_text())})
        editor(source(mine.replace("nine times", "ten times"), **RETRIES_SOURCE))
        await driver.press("e")
        assert "both sides are still in line" in driver.screen
        text = edit_of(staged.of(review.space, review.request)[page]).text
        assert "ten times" in text
        assert "two times" in text


async def test_what_others_wrote_goes_along_or_is_settled(
    review: ReviewWorld, editor: Write, tmp_path: Path
) -> None:
    mine = RETRIES_NOW.replace("eight times", "nine times")
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        editor(source(mine, **RETRIES_SOURCE))
        await driver.press("e")
        theirs = RETRIES_NOW.replace("Event delivery", "Delivery")
        review.world.edit_change_request(review.request, {"webhooks/retries": theirs})
        await driver.press("ctrl+s")
        assert "Ana Silva changed “Retries” too: both are in it." in driver.screen
        await driver.press("escape")
        assert "STAGED 1" in driver.screen
        theirs = theirs.replace("eight times", "ten times")
        review.world.edit_change_request(review.request, {"webhooks/retries": theirs})
        editor(source(mine.replace("nine times", "seven times"), **RETRIES_SOURCE))
        await driver.press("e")
        assert "Ana Silva changed the same of “Retries” meanwhile: ctrl+s asks" in driver.screen
        editor(source(theirs.replace("ten times", "twelve times"), **RETRIES_SOURCE))
        await driver.press("ctrl+s")
        assert "Ana Silva changed 1 place of Retries too" in driver.screen
        await driver.press("enter")
        marked = (tmp_path / "opened").read_text()
        assert "<<<<<<< mine\nWe retry seven times" in marked
        assert "=======\nWe retry ten times" in marked
        await driver.press("ctrl+s", "y")
    assert await review.text_of("webhooks/retries") == theirs.replace("ten times", "twelve times")


async def test_what_others_wrote_while_the_plan_is_shown_is_not_lost(
    review: ReviewWorld, editor: Write
) -> None:
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        editor(source(RETRIES_NOW.replace("eight times", "nine times"), **RETRIES_SOURCE))
        await driver.press("e", "ctrl+s")
        theirs = RETRIES_NOW.replace("Event delivery", "Delivery")
        review.world.edit_change_request(review.request, {"webhooks/retries": theirs})
        await driver.press("y")
        assert "Ana Silva edited #1 meanwhile, nothing is sent: ctrl+s shows" in driver.screen
        assert "STAGED 1" in driver.screen
        assert await review.text_of("webhooks/retries") == theirs
        await driver.press("ctrl+s", "y")
    assert await review.text_of("webhooks/retries") == theirs.replace("eight times", "nine times")


async def test_markers_that_are_left_in_are_not_sent(review: ReviewWorld, editor: Write) -> None:
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        left = f"{RETRIES_NOW}\n<<<<<<< mine\n"
        editor(source(left, **RETRIES_SOURCE))
        await driver.press("e")
        assert "Staged, but both sides are still in line 27: e edits it." in driver.screen
        await driver.press("ctrl+s")
        assert "Both sides are still in “Retries”, line 27: e edits it." in driver.screen
        editor(f"Hello\n{source(RETRIES_NOW, **RETRIES_SOURCE)}")
        await driver.press("e")
        assert (
            "cannot be sent like this: line 2: the settings of the page begin here" in driver.screen
        )
        await driver.press("ctrl+s")
        assert "Not sent: line 2: the settings of the page begin here" in driver.screen
        await driver.press("X")
        assert "Discarded what was staged of “Retries”. u brings it back." in driver.screen
        await driver.press("u")
        assert "STAGED 1" in driver.screen


async def test_edits_that_wait_to_be_sent_name_their_request(
    review: ReviewWorld, editor: Write
) -> None:
    app = review.app()
    async with drive(app, "]", size=(140, 40)) as driver:
        editor(source(RETRIES_NOW.replace("eight", "nine"), **RETRIES_SOURCE))
        await driver.press("e", "ctrl+s")
        app.session.recall_seconds = 600
        await driver.send("y")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        await driver.settle()
        assert "edit pages of #1: sent in" in driver.screen
        await driver.press("u")
        assert "Recalled: edit pages of #1 was not sent." in driver.screen


async def test_a_merge_is_read_again_once_what_waits_was_sent(
    review: ReviewWorld, editor: Write
) -> None:
    app = review.app()
    async with drive(app, "]", size=(140, 40)) as driver:
        editor(source(RETRIES_NOW, **RETRIES_SOURCE | {"title": "Tries"}))
        await driver.press("e", "ctrl+s")
        app.session.recall_seconds = 600
        await driver.send("y")
        await eventually(lambda: bool(app.session.writes.waits), driver.turn)
        await driver.send("m")
        await eventually(lambda: "1 renamed" in driver.screen, driver.turn)
        app.session.writes.waits[-1].over.set()
        await driver.idle()
        assert "2 renamed" in driver.screen


async def test_without_an_editor_that_starts_it_is_written_here(
    review: ReviewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CopydeskApp, "suspend", lambda app: nullcontext())
    monkeypatch.setenv("VISUAL", "no-such-editor")
    text = "# Webhooks\r\n\r\nWhat they are.\r\n"
    review.world.edit_change_request(review.request, {"webhooks": text})
    async with drive(review.app(), "t", "h", "g g", "j", size=(140, 40)) as driver:
        assert driver.selected == review.page("webhooks")
        await driver.press("e")
        assert "Edit Webhooks" in driver.screen
        assert "no-such-editor cannot be started: No such file" in driver.screen
        await driver.press(*["down"] * 3)  # from the first line below the settings
        await driver.type("More.")
        await driver.press("escape")
        for name in ("VISUAL", "EDITOR"):
            monkeypatch.delenv(name, raising=False)
        assert "STAGED" not in driver.screen
        await driver.press("e")
        assert "More." in driver.screen
        assert "cannot be started" not in driver.screen
        await driver.press("ctrl+s")
        assert "Staged: “Webhooks”." in driver.screen
        await driver.press("ctrl+s", "y")
    assert await review.text_of("webhooks") == f"{text}More."


async def test_on_a_removed_line_one_edits_what_came_in_its_place(
    review: ReviewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        removed = next(line for line in driver.screen.splitlines() if "[-" in line)
        assert ">" in removed.partition("[-")[0], "the cursor is on it"
        await driver.press("e")
        at = driver.app.screen.query_one(Composer).cursor_location[0]
        text = source(RETRIES_NOW, **RETRIES_SOURCE).split("\n")
        assert "eight times over 24 hours" in text[at]


async def test_a_new_page_is_written_and_another_start_goes_on(
    review: ReviewWorld, editor: Write
) -> None:
    store = DeskEdits(State())
    app = review.app()
    app.session.staged = store
    async with drive(app, "]", size=(140, 40)) as driver:
        editor("# Limits\n\nNone.\n")
        await driver.press("ctrl+n")
        await driver.type("Limits")
        await driver.press("enter")
        assert "+m Limits" in driver.screen
    app = review.app()
    app.session.staged = store
    async with drive(app, size=(140, 40)) as driver:
        assert "+m Limits" in driver.screen
        while "+ Webhooks / Limits" not in driver.screen and " + Limits" not in driver.line("┏━"):
            await driver.press("]")
        await driver.press("ctrl+s", "y")
        assert "Sent: 1 page of #1." in driver.screen
        assert "+ Webhooks / Limits" in driver.line("┏━"), "it stays in front"
    assert await review.text_of("webhooks/limits") == "# Limits\n\nNone.\n"


async def test_bad_settings_and_bad_bytes_are_named_and_kept(
    review: ReviewWorld, editor: Write, tmp_path: Path
) -> None:
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        editor(source(RETRIES_NOW, title="Trying again", slug="a b"))
        await driver.press("e")
        assert (
            "cannot be sent like this: line 3: the slug is not a part of a path: only"
            in driver.screen
        )
        assert "~m Trying again" in driver.screen
        beside = "/signatures is taken by Signatures. Free: /signatures-2. e edits it."
        editor(source(RETRIES_NOW, title="Retries", slug="signatures"))
        await driver.press("e")
        assert f"Staged, but it cannot be sent like this: {beside}" in driver.screen, driver.screen
        editor(source(RETRIES_NOW, title="Retries", hidden="perhaps"))
        await driver.press("e")
        assert (
            "Staged, but it cannot be sent like this: line 3: hidden is true or false."
            in driver.screen
        )
        await driver.press("ctrl+s")
        assert "Not sent: line 3" in driver.screen
        (tmp_path / "written").write_bytes(b"---\ntitle: A\n---\nIn Latin: \xe9\n")
        await driver.press("e")
        assert "Line 4 is not UTF-8: e edits it again." in driver.screen
        editor("")
        await driver.press("e")
        assert (tmp_path / "opened").read_bytes().endswith(b"\xe9\n")


async def test_offline_what_is_staged_waits_in_the_outbox(
    review: ReviewWorld, editor: Write
) -> None:
    faults = Faults(review.world)
    app = review.app(faults=faults)
    async with drive(app, "]", size=(140, 40)) as driver:
        editor(source(RETRIES_NOW.replace("eight", "nine"), **RETRIES_SOURCE))
        await driver.press("e")
        faults.gone = True  # which nothing has noticed yet
        await driver.press("ctrl+s")
        assert isinstance(driver.app.screen, Confirm)
        await driver.press("y")
        assert "Waits in the outbox" in driver.screen
        await driver.press("ctrl+s")
        assert "What is staged waits in the outbox already" in driver.screen
        faults.gone = False
        await driver.press("R")
        await driver.idle()
        assert await review.text_of("webhooks/retries") == RETRIES_NOW.replace("eight", "nine")
        assert "STAGED" not in driver.screen


async def test_who_may_not_edit_is_told(review: ReviewWorld) -> None:
    reader = review.world.user("rea", role="comment")
    async with drive(review.app(reader), "]", size=(140, 40)) as driver:
        await driver.press("e")
        assert "You may review here, not edit." in driver.screen


async def test_a_page_that_is_read_is_edited_in_a_change_request(
    review: ReviewWorld, editor: Write, update_golden: bool
) -> None:
    target = Target(space=review.space, page=review.page("events"))
    mine = review.world.change_request(review.space, {}, subject="Mine")
    app = open_world(review.world, "pages", target)
    async with drive(app, size=(140, 40)) as driver:
        editor("# Events\n\nWhat may happen.\n")
        await driver.press("e")
        assert "In a new change request" in driver.screen
        assert "In #2 Mine" in driver.screen
        assert "In #1" not in driver.screen
        await driver.press("down", "enter")
        assert "Staged: “Events”." in driver.screen
        assert "#2 Mine" in driver.screen
        await driver.press("ctrl+s", "y")
        at = f"/spaces/{review.space}/change-requests/{mine}/content/page/{target.page}"
        async with review.world.client() as client:
            found = await client.get(at, params={"format": "markdown"})
        assert found.json()["markdown"] == "# Events\n\nWhat may happen.\n"
        await driver.press("q", "e", "enter")
        assert "Staged: “Events”. Nothing is sent; ctrl+s makes the change" in driver.screen
        assert "STAGED 1" in driver.screen
        assert "What may happen." in driver.screen
        driver.golden("pages-staged", update=update_golden)
        await driver.press("X", "u")
        assert "STAGED 1" in driver.screen
        async with review.world.client() as client:
            listed = await client.get(f"/spaces/{review.space}/change-requests")
            assert listed.json()["count"] == 2, "none is made yet"
        await driver.press("ctrl+s")
        await driver.type("More of it")
        await driver.press("enter")
        assert "#3 More of it" in driver.screen
        assert isinstance(driver.app.screen, Confirm)
        await driver.press("y")
        assert "Sent: 1 page of #3." in driver.screen


async def test_a_request_that_was_made_before_copydesk_ended_is_gone_on_with(
    review: ReviewWorld, editor: Write
) -> None:
    target = Target(space=review.space, page=review.page("events"))
    async with review.world.client() as client:
        at = f"/spaces/{review.space}/change-requests"
        await client.post(at, json={"subject": "More of it"})
    async with drive(open_world(review.world, "pages", target), size=(140, 40)) as driver:
        editor("# Events\n\nWhat may happen.\n")
        await driver.press("e", "enter")
        assert "STAGED 1" in driver.screen
        await driver.press("ctrl+s")
        assert "In #2 More of it" in driver.screen
        assert "has no pages yet" in driver.screen
        await driver.press("enter")
        assert isinstance(driver.app.screen, Confirm)
        await driver.press("y")
        assert "Sent: 1 page of #2." in driver.screen
        assert driver.app.session.staged.counts() == {}
        await driver.press("q", "e", "enter", "ctrl+s")
        assert "What is it about?" in driver.screen, "it has pages now"
        async with review.world.client() as client:
            assert (await client.get(at, params={"status": "draft"})).json()["count"] == 1


async def test_a_picture_is_inserted_from_a_path(
    review: ReviewWorld, tmp_path: Path, update_golden: bool
) -> None:
    picture = tmp_path / "states.png"
    picture.write_bytes(PNG)
    async with drive(review.app(), "]", "/", "e", "i", "g", "h", "t", "enter") as driver:
        await driver.press("I")
        await driver.type(f"{tmp_path}")
        await driver.press("enter")
        assert "is a folder: name a file in it." in driver.screen
        assert isinstance(driver.app.screen, Ask), "the path stays, to be mended"
        await driver.type("/states.pgn")
        await driver.press("enter")
        assert "states.pgn cannot be read: No such file" in driver.screen
        await driver.press("escape", "I")
        assert driver.app.screen.query_one(Input).value == f"{tmp_path}/states.pgn"
        await driver.press("backspace", "backspace", "backspace")
        await driver.type("png")
        await driver.press("enter")
        assert "states.png, 26 bytes, 640 x 480" in driver.screen
        await driver.press("escape", ":")
        await driver.type(f"insert {picture}")
        await driver.press("enter")
        assert "states.png, 26 bytes, 640 x 480" in driver.screen
        await driver.type("Retry [states]")
        await driver.press("enter")
        assert "Staged: states.png, 26 bytes, 640 x 480 in “Retries”." in driver.screen
        driver.golden("review-inserted", update=update_golden)
        await driver.press("=", "=", "I")
        assert "This is the page as it is sent" in driver.screen
        await driver.press("=", "ctrl+s")
        assert "1 file first, 26 bytes: states.png" in driver.screen
        await driver.press("y")
        assert "Sent: 1 page of #1." in driver.screen
        text = await review.text_of("webhooks/retries")
        assert "24 hours.\n\n![Retry \\[states\\]](../.gitbook/assets/" in text
        await driver.press("u")
        assert "1 file stays in #1." in " ".join(driver.screen.split())


async def test_pages_are_arranged_as_a_tree(review: ReviewWorld, update_golden: bool) -> None:
    for size in ((140, 40), (80, 24)):
        async with drive(review.app(), "]", size=size) as driver:
            await driver.press("g p")
            assert driver.selected == review.page("webhooks/retries")
            await driver.press("J", "e")
            await driver.type(" and more")
            await driver.press("ctrl+s")
            await driver.press("j", "<")
            driver.golden("page-order", update=update_golden)
            await driver.press("ctrl+s")
            assert isinstance(driver.app.screen, Confirm)
            assert "title: Retries and more" in driver.screen
            await driver.press("escape")
            assert "STAGED" in driver.screen
            await driver.press("g p")
            assert "Retries and more" in driver.screen
            await driver.press("u", "X", "y", "q")
            assert "STAGED" not in driver.screen


async def test_a_page_that_is_only_moved_keeps_its_text(
    review: ReviewWorld, editor: Write, tmp_path: Path
) -> None:
    picture = tmp_path / "states.png"
    picture.write_bytes(PNG)
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        await driver.press("g p", "<", "q")
        editor(source(RETRIES_NOW.replace("eight", "nine"), **RETRIES_SOURCE))
        await driver.press("e")
        assert (tmp_path / "opened").read_text() == source(RETRIES_NOW, **RETRIES_SOURCE)
        await driver.press("u")
        assert "STAGED 1" in driver.screen
        await driver.press(":")
        await driver.type(f"insert {picture}")
        await driver.press("enter", *"Retries", "enter", "ctrl+s")
        assert "+ ![Retries](staged:states.png)" in driver.screen
        assert "moved: after Webhooks, at the top" in driver.screen
        await driver.press("y")
        assert "Sent: 1 page of #1." in driver.screen
    text = await review.text_of("retries")
    assert "eight times over 24 hours" in text
    assert "![Retries](.gitbook/assets/" in text


def test_what_joins_signs_is_no_change_where_something_else_is_staged() -> None:
    text = "# A \U0001f468\u200d\U0001f469\r\n"
    settings = "---\ntitle: A\nslug: a\n---\n"
    edit = PageEdit("update", "r1", f"{settings}{text}", f"{settings}{text}More.\r\n")
    shown = staged_texts(edit, page_text(text, text))
    assert [shown[showing].notes for showing in ("mine", "staged")] == [(), ()]
