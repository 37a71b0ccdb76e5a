"""Reviewing a change request, by keyboard, on a real desk."""

from __future__ import annotations

import httpx
import pytest

from copydesk.contract.models.merge_rules import MergeRulesWrite
from copydesk.present.change_request import UNREAD, threads
from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.changes.screen import ChangesPlace
from copydesk.tui.review.edits import ReviewPageTree
from copydesk.tui.review.screen import ReviewPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.tui.review_world import RETRIES, Faults, ReviewWorld, furnish
from tests.world import World


def place(driver: Driver) -> ReviewPlace:
    here = driver.place
    assert isinstance(here, ReviewPlace)
    return here


async def test_the_screen_at_both_sizes(review: ReviewWorld, update_golden: bool) -> None:
    furnish(review)
    for size in ((80, 24), (140, 40)):
        async with drive(review.app(), "]", size=size) as driver:
            driver.golden("review", update=update_golden)
            await driver.press("1")
            driver.golden("review-overview", update=update_golden)
            await driver.press("3")
            driver.golden("review-threads", update=update_golden)


async def test_what_others_edit_is_announced_and_read_by_hand(review: ReviewWorld) -> None:
    async with drive(review.app(), size=(140, 40)) as driver:
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "changed by others" not in driver.screen
        review.world.edit_change_request(review.request, {"another": "# Another\n\nNew.\n"})
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "changed by others: R reads it" in driver.screen
        assert "+ Another" not in driver.screen
        await driver.press("R")
        assert "+ Another" in driver.screen
        assert "changed by others" not in driver.screen


async def test_changed_pages_stand_in_their_tree(review: ReviewWorld) -> None:
    async with drive(review.app(), size=(140, 40)) as driver:
        for sign in ("~ Start here", "~ Retries", "+ Dead let", "- Old guide"):
            assert sign in driver.screen
        assert "renamed: was “Overview”, now “Start here”" in driver.screen
        await driver.press("]")
        assert "We retry [-five-] times over [-one hour-]." in driver.screen
        assert "We retry {+eight+} times over {+24 hours+}." in driver.screen
        await driver.press("]", "]", "]")
        assert "moved: was under “Events”, now under “Webhooks”" in driver.screen
        await driver.press("]")
        assert "This page is deleted." in driver.screen
        assert "- Do not read this." in driver.screen
        await driver.press("]")
        assert "This is the last changed page." in driver.screen


async def test_changes_are_stepped_through_and_folds_open(world: World) -> None:
    before = "\n\n".join(f"Line {n} stands here." for n in range(60))
    space = world.space("Long", {"page": before})
    request = world.change_request(
        space, {"page": before.replace("Line 3 ", "Row 3 ").replace("Line 50 ", "Row 50 ")}
    )
    long = ReviewWorld.__new__(ReviewWorld)
    long.world, long.space, long.request, long.lee = world, space, request, world.ana
    async with drive(long.app(), "J") as driver:
        assert "{+Row+} 50" in driver.screen
        assert "unchanged blocks" in driver.screen
        await driver.press("J")
        assert "No further change on this page." in driver.screen
        await driver.press("K")
        assert "{+Row+} 3" in driver.screen
        await driver.press("z R")
        assert "unchanged blocks" not in driver.screen
        await driver.press("/")
        await driver.type("line 30")
        await driver.press("enter")
        assert "Line 30 stands here." in driver.line("Line 30")


async def test_a_comment_on_a_line_is_kept_until_sent_and_stays_on_its_line(
    review: ReviewWorld,
) -> None:
    app = review.app()
    async with drive(app, "]", "c") as driver:
        await driver.type("Why not ten?")
        await driver.press("escape")
        assert "Kept as a draft." in driver.screen
        assert "[draft]" in driver.line("{+eight+}")
        assert review.open_threads() == 0
        await driver.press("j", "k", "c")
        assert "Why not ten?" in driver.screen
        await driver.press("ctrl+s")
        assert review.open_threads() == 1
        assert "[draft]" not in driver.screen
        assert driver.line("{+eight+}").rstrip(" ┃").endswith("[1]")
        assert "Why not ten?" in driver.screen
        await driver.press("c")
        assert "Why not ten?" not in driver.line("┏")
        await driver.press("escape", "u")
        assert review.open_threads() == 0
        assert "[1]" not in driver.screen


async def test_reply_react_resolve_reopen_edit_delete(review: ReviewWorld) -> None:
    found = furnish(review)
    async with drive(review.app(), "]", "r", size=(140, 40)) as driver:
        await driver.type("Good point.")
        await driver.press("escape")
        assert "your draft: Good point." in driver.screen
        assert driver.line("{+eight+}").rstrip("┃ ").partition("┃│")[0].endswith("[2][draft] ")
        await driver.press("r", "ctrl+s")
        assert "your draft" not in driver.screen
        assert "Good point." in driver.screen
        await driver.press("+")
        assert "👍 2" in driver.screen
        await driver.press("+")
        assert "👍 1" in driver.screen
        await driver.press("E")
        await driver.type("yarn")
        await driver.press("enter")
        assert "🧶 1" in driver.screen
        await driver.press("x")
        assert review.world.row("comment", found["hours"])["status"] == "resolved"
        assert "resolved by Ana Silva" in driver.screen
        await driver.press("u")
        assert review.world.row("comment", found["hours"])["status"] == "open"
        await driver.press("tab")
        assert place(driver).discussion.beside.select(found["hours"])
        await driver.press("e", "ctrl+end")
        await driver.type(" Really")
        await driver.press("ctrl+s")
        assert "Really" in review.world.row("comment", found["hours"])["body"]
        thread = place(driver).threads.get(found["hours"])
        assert thread is not None
        assert thread.replies is not None
        reply = thread.replies[-1].id
        assert place(driver).discussion.beside.select(reply)
        await driver.press("+", "E")
        await driver.type("kite")
        await driver.press("enter", "e")
        await driver.press("ctrl+end")
        await driver.type(" Too")
        await driver.press("ctrl+s")
        assert "Too" in review.world.row("reply", reply)["body"]
        await driver.press("D", "y")
        assert len(thread.replies) == 2
        assert place(driver).discussion.beside.select(found["hours"])
        await driver.press("D")
        assert "2 replies in it will go too." in driver.screen
        await driver.press("enter")
        assert "Enter confirms nothing." in driver.screen
        await driver.press("y")
        assert review.open_threads() == 3
        assert "[2] Ana Silva" not in driver.screen


async def test_a_thread_resolved_in_the_list_stays_until_the_list_is_left(
    review: ReviewWorld,
) -> None:
    furnish(review)
    async with drive(review.app(), "3", "x", size=(140, 40)) as driver:
        assert "Threads 3" in driver.screen
        assert "resolved by Ana Silva" in driver.line("[1]")
        assert driver.screen.index("[1]") < driver.screen.index("[2]")
        await driver.press("2", "3")
        assert driver.screen.index("[1]") > driver.screen.index("[2]")
        await driver.press("g g", "enter")
        assert "2/6" in driver.screen


async def test_only_its_author_edits_a_message(review: ReviewWorld) -> None:
    furnish(review)
    async with drive(review.app(review.lee), "]", "tab", "e") as driver:
        assert "Only Ana Silva may edit this." in driver.screen


async def test_open_threads_are_walked_over_pages_and_wrap_once(review: ReviewWorld) -> None:
    furnish(review)
    async with drive(review.app(), "}", size=(140, 40)) as driver:
        assert "Open thread 2 of 4." in driver.screen
        assert "2/6" in driver.screen
        assert place(driver).current_thread() is not None
        await driver.press("}")
        assert "Open thread 3 of 4." in driver.screen
        await driver.press("}")
        assert "On text that is gone" in driver.screen
        assert "A line that was there once." in driver.screen
        await driver.press("}")
        assert "Open thread 1 of 4: from the start again." in driver.screen
        assert "Good work!" in driver.screen
        await driver.press("{")
        assert "Open thread 4 of 4: from the end again." in driver.screen


async def test_space_marks_pages_seen_and_ends_with_what_to_do(review: ReviewWorld) -> None:
    app = review.app()
    async with drive(app, "space", size=(140, 40)) as driver:
        assert "read 1/6" in driver.screen
        assert "✓" in driver.line("~ Start here")
        for _ in range(5):
            await driver.press("space")
        assert "All 6 read. a approves, m merges." in driver.screen
        await driver.press("=")
        assert "The page is as you read it. = goes back." in driver.screen
        await driver.press("=")
        lines = {"webhooks/signatures": "# Signatures\n\nUse SHA-512.\n"}
        review.world.edit_change_request(review.request, lines)
        await driver.press("R", "[", "[", "[")
        assert "read 5/6" in driver.screen
        assert "●" in driver.line("~ Signatur")
        await driver.press("=")
        assert "since you read it" in driver.screen
        assert "[-the SHA-1 header-]" not in driver.screen
        await driver.press("=")
        assert "since you read it" not in driver.screen
        assert "[-the SHA-1 header-]" in driver.screen
        await driver.press("[", "space", "=")
        assert "You have not marked this page as read" in driver.screen


async def test_verdicts_need_no_words(review: ReviewWorld) -> None:
    async with drive(review.app(), "a", "ctrl+s") as driver:
        assert "Approved #1; a review cannot be undone." in driver.screen
        await driver.press("1")
        assert "Ana Silva approved" in driver.screen
        await driver.press("A")
        await driver.type("Please split it.")
        await driver.press("ctrl+s")
        assert "Asked for changes in #1; a review" in driver.screen
        assert "Please split it." in driver.screen


async def test_undo_passes_over_what_is_gone(review: ReviewWorld) -> None:
    found = furnish(review)
    app = review.app()
    async with drive(app, "]", "x", "c", size=(140, 40)) as driver:
        await driver.type("Why not ten?")
        await driver.press("ctrl+s", "tab", "e")
        await driver.press("ctrl+end")
        await driver.type(" Really")
        await driver.press("ctrl+s", "D")
        assert app.session.reversals.undoable() is not None
        await driver.press("y", "u")
        assert "The last write was: delete" in driver.screen
        await driver.press("y")
        assert "cannot be undone: it is gone." in driver.screen
        await driver.press("u", "y", "u", "y")
        assert review.world.row("comment", found["hours"])["status"] == "open"


async def test_undo_after_a_verdict_asks_before_it_reaches_further_back(
    review: ReviewWorld,
) -> None:
    app = review.app()
    async with drive(app, "C", size=(140, 40)) as driver:
        await driver.type("Nice.")
        await driver.press("ctrl+s", "a")
        assert "cannot be undone, only replaced" in driver.screen
        await driver.press("ctrl+s")
        assert "Approved #1; a review cannot be undone." in driver.screen
        assert app.here is not None
        assert app.here.status_right().startswith("u undoes: comment #1")
        await driver.press("u")
        assert "Undo an earlier write" in driver.screen
        await driver.press("escape")
        assert review.open_threads() == 1
        await driver.press("u", "y")
        assert review.open_threads() == 0


class Keeping(Faults):
    """A desk from which nothing can be removed."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "DELETE":
            return httpx.Response(403, json={"error": {"code": 403, "message": "Not now."}})
        return await super().handle_async_request(request)


async def test_people_are_asked_for_a_review(review: ReviewWorld) -> None:
    review.world.user("priya", display_name="Priya Rao")
    async with drive(review.app(faults=Keeping(review.world)), "w") as driver:
        await driver.type("priya")
        await driver.press("tab", "ctrl+s")
        assert "Asked: Priya Rao." in driver.screen
        await driver.press("1")
        assert "Priya Rao was asked" in driver.screen
        # What arrived is shown also where the next request is refused.
        await driver.press("w", "tab", *"ana", "tab", "ctrl+s")
        assert "Not now." in driver.screen
        assert driver.screen.count(" was asked") == 2


async def test_status_changes_and_is_taken_back(review: ReviewWorld) -> None:
    async with drive(review.app(), "W") as driver:
        assert review.world.row("change_request", review.request)["status"] == "draft"
        await driver.press("u")
        assert review.world.row("change_request", review.request)["status"] == "open"
        await driver.press(":")
        await driver.type("archive")
        await driver.press("enter")
        assert review.world.row("change_request", review.request)["status"] == "archived"
        await driver.press("a")
        assert "#1 is archived and takes no review." in driver.screen
        for word, status in (("reopen", "open"), ("draft", "draft")):
            await driver.press(":")
            await driver.type(word)
            await driver.press("enter")
            assert review.world.row("change_request", review.request)["status"] == status


async def test_merging_shows_what_speaks_against_it_and_the_result(review: ReviewWorld) -> None:
    furnish(review)
    app = review.app()
    async with drive(app, "W") as driver:
        await driver.press("W", "m")
        assert app.session.reversals.undoable() is not None
        assert "! 4 threads are open" in driver.screen
        assert "! 6 of 6 pages not read by you" in driver.screen
        assert "This goes live at once; :revert reverts the merge." in driver.screen
        await driver.press("enter")
        assert review.world.row("change_request", review.request)["status"] == "open"
        await driver.press("y")
        assert "Merged. It is live now." in driver.screen
        await driver.press("escape")
        assert review.world.row("change_request", review.request)["status"] == "merged"
        assert app.session.reversals.undoable() is None, "it is merged: it cannot be a draft again"
        foot = driver.screen.splitlines()[-1]
        assert "u revert" in foot
        gone = ("approve", "merge", "update", "ask for", "reviewers", "edit", "draft or open")
        assert not [label for label in gone if label in foot]
        await driver.press("m")
        assert "#1 is merged: :revert reverts the merge." in driver.screen


async def test_a_tree_has_room_for_pages_that_are_collapsed(review: ReviewWorld) -> None:
    def edit(editor: Editor) -> None:
        below = editor.find("webhooks")
        editor.page("Signing webhooks by hand", "# By hand\n", parent=below)

    review.request = review.world.change_request(review.space, edit=edit, subject="By hand")
    app = review.app()
    async with drive(app, "]", size=(140, 40)) as driver:
        tree = driver.place.query_one(ReviewPageTree)
        assert "Signing webhooks by hand" in driver.screen
        width = tree.outer_size.width
        tree.collapse_all()
        tree.fit()
        await driver.idle()
        assert tree.outer_size.width == width
        tree.expand_all()
        await driver.idle()
        assert "+ Signing webhooks by hand" in driver.screen


async def test_who_only_reads_is_not_told_how_a_merge_is_reverted(review: ReviewWorld) -> None:
    async with drive(review.app(), "m", "y", "escape"):
        pass
    for read_only in (False, True):
        app = review.app()
        app.session.read_only = read_only
        async with drive(app, size=(140, 40)) as driver:
            await driver.press("1")
            assert ("reverts the merge" in driver.screen) is not read_only
            await driver.press("]", "]", "c", *"Thanks", "ctrl+s")
            assert ("reverts the merge" in driver.screen) is not read_only, "u is the comment"


@pytest.mark.long
async def test_a_merged_request_shows_its_own_pages_as_it_left_them(review: ReviewWorld) -> None:
    for bare in (False, True):
        if bare:
            review = ReviewWorld(review.world)
        faults = Faults(review.world, bare=bare)
        async with drive(review.app(faults=faults), "]", "m", "y", size=(140, 40)) as driver:
            await driver.press("escape")
            assert "Changes 6" in driver.screen
            assert "~ Retries" in driver.screen
            if bare:
                assert "This service keeps no older versions" in driver.screen
                assert "We retry eight times over 24 hours." in driver.screen
                assert "[-" not in driver.screen
            else:
                assert "older versions" not in driver.screen
                assert "We retry [-five-] times over [-one hour-]." in driver.screen
                assert "We retry {+eight+} times over {+24 hours+}." in driver.screen
    review = ReviewWorld(review.world)
    async with drive(review.app(), "m", "y", "escape") as driver:
        pass
    review.world.commit(review.space, {"webhooks/retries": "# Retries\n\nNever.\n"})
    review.world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        assert "Changes 6" in driver.screen
        assert "We retry {+eight+} times over {+24 hours+}." in driver.screen
        assert "Never." not in driver.screen
        assert "~ Events" not in driver.screen
    async with drive(review.app(faults=Faults(review.world, bare=True))) as driver:
        assert "The service does not tell which pages" in driver.screen


async def test_a_rule_blocks_the_merge_and_says_who(review: ReviewWorld) -> None:
    rules = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
    review.world.write(
        lambda tx: tx.update(
            "space",
            review.space,
            merge_rules=MergeRulesWrite.model_validate(rules).to_json().decode(),
        )
    )
    async with drive(review.app(), "m", "y") as driver:
        assert "needs an approving review; no approval yet and no one was asked" in driver.screen
        assert "y merge" not in driver.screen
        assert "M" in driver.line("merge when ready")
        assert review.world.row("change_request", review.request)["status"] == "open"


async def test_a_conflict_leads_to_where_it_is_settled_and_changes_nothing(
    review: ReviewWorld,
) -> None:
    review.world.commit(review.space, {"webhooks/signatures": "# Signatures\n\nUse MD5.\n"})
    async with drive(review.app(), "U", "y") as driver:
        assert driver.place.PLACE == "settle"
        assert "1/1 Signatures" in driver.screen
        await driver.press("escape")
        assert "CONFLICTS ^" in driver.screen
        assert "main has changed this page since" not in driver.screen
        await driver.press("]", "]")
        assert "-- main has changed this page since" in driver.screen
        assert "Use the [-SHA-1-] header." in driver.screen
        assert "MD5" not in driver.screen, "that is main's text, not the author's change"
        assert "main wrote it too" in driver.line("~ Webhooks / Signatures")
        await driver.press("U")
        assert driver.place.PLACE == "settle", "nothing is asked, nothing is sent"
        await driver.press("escape", "m")
        assert "and the last update" in driver.screen
        assert "U settle what conflicts" in driver.screen
        await driver.press("y")
        assert driver.place.PLACE == "settle"
        assert "Use the SHA-256 header." in driver.screen
        assert driver.app.session.log[-1].state == "failed"
        await driver.press("escape")
        assert "Merge: #1" not in driver.screen


async def test_a_merge_says_first_where_both_sides_wrote(review: ReviewWorld) -> None:
    review.world.commit(review.space, {"webhooks/signatures": "# Signatures\n\nUse MD5.\n"})
    review.world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), "m", size=(140, 40)) as driver:
        assert "may conflict: 1 page changed on both sides: Signatures" in driver.screen


async def test_what_is_said_with_a_verdict_is_no_open_thread(review: ReviewWorld) -> None:
    async with drive(review.app(), "a", size=(140, 40)) as driver:
        await driver.type("LGTM")
        await driver.press("ctrl+s")
        assert "Threads 0" in driver.screen
        await driver.press("}")
        assert "No thread is open." in driver.screen
        await driver.press("3")
        assert "said with a review" in driver.screen
        assert "Said with a review" in driver.screen
        assert "Resolved" not in driver.screen
        await driver.press("1")
        assert "0 open, 0 resolved" in driver.screen
        assert "LGTM" in driver.screen
        assert "The change request: 0 open of 1" in driver.screen, "as many as are below"
        review.world.edit_change_request(review.request, {"another": "# Another\n\nNew.\n"})
        await driver.press("m")
        assert "open\n" not in driver.screen
        assert "1 thread is open" not in driver.screen
        assert "approved before the latest change: by Ana Silva" in driver.screen


async def test_a_list_counts_threads_as_the_review_does_or_not_yet(review: ReviewWorld) -> None:
    async with drive(review.app(), "a", size=(140, 40)) as driver:
        await driver.type("LGTM")
        await driver.press("ctrl+s")
    said = review.world.row("change_request", review.request)["comments"]
    assert said == 1
    async with drive(open_world(review.world, "changes"), size=(140, 40)) as driver:
        assert "threads none open" in " ".join(driver.screen.split())
        place = driver.place
        assert isinstance(place, ChangesPlace)
        row = place.rows.selected
        assert row is not None
        assert row.threads == said
        assert str(threads(row, place.known.details(row))) == "0"
        assert str(threads(row)) == UNREAD, "no one has read whose they are"


async def test_an_outdated_request_is_updated_first(review: ReviewWorld) -> None:
    review.world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), "m") as driver:
        assert "U update from main first" in driver.screen
        await driver.press("U", "y")
        assert "Updated #1 from main." in driver.screen
        assert "open ^" not in driver.screen
        await driver.press("U")
        assert "#1 is up to date with main." in driver.screen


async def test_what_main_did_since_is_not_the_authors_change(review: ReviewWorld) -> None:
    review.world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), size=(140, 40)) as driver:
        assert "Changes 6" in driver.screen
        assert "~ Events" not in driver.screen


async def test_a_reader_may_only_read(review: ReviewWorld) -> None:
    reader = review.world.user("rea", "read")
    async with drive(review.app(reader), "]", "c") as driver:
        assert "You may not comment in API reference." in driver.screen
        await driver.press("a")
        assert "You may not review in API reference." in driver.screen
        await driver.press("W")
        assert "is not yours, and you may not merge in API reference." in driver.screen
        await driver.press("m")
        assert "You may not merge in API reference." in driver.screen


async def test_hostile_text_is_harmless(world: World) -> None:
    space = world.space("Plain", {"page": "Calm.\n"})
    request = world.change_request(
        space,
        {"page": "Calm \x1b]0;gone\x07\u202egnp.exe [bold]loud[/bold].\n"},
        subject="[red]\x1b[2J#\u200b1",
    )
    hostile = ReviewWorld.__new__(ReviewWorld)
    hostile.world, hostile.space, hostile.request, hostile.lee = world, space, request, world.ana
    world.comment(
        space,
        "\x1b[31m[link=x]no[/link]\u202e",
        change_request=request,
        page=world.page_id(space, "page"),
    )
    async with drive(hostile.app(), size=(140, 40)) as driver:
        assert "\x1b" not in driver.screen
        assert "\u202e" not in driver.screen
        assert "[bold]loud[/bold]" in driver.screen
        assert "[link=x]no[/link]" in driver.screen


async def test_a_request_that_is_gone_says_so(review: ReviewWorld) -> None:
    review.request = "999"
    async with drive(review.app()) as driver:
        assert "Not found: deleted or moved." in driver.screen


async def test_a_request_is_found_by_number_and_a_thread_by_id(review: ReviewWorld) -> None:
    found = furnish(review)
    review.request = "1"
    async with drive(review.app(thread=found["guide"]), size=(140, 40)) as driver:
        assert "[3]" in driver.line("{+Event delivery+}")
        thread = place(driver).current_thread()
        assert thread is not None
        assert thread.id == found["guide"]


async def test_every_size_works_and_no_key_breaks_an_empty_request(world: World) -> None:
    space = world.space("Empty", {"page": "Calm.\n"})
    request = world.change_request(space, {})
    empty = ReviewWorld.__new__(ReviewWorld)
    empty.world, empty.space, empty.request, empty.lee = world, space, request, world.ana
    async with drive(empty.app(), draws=True) as driver:
        assert "This change request changes nothing yet." in driver.screen
        keys = ["J", "K", "]", "[", "space", "}", "{", "c", "r", "x", "+", "e", "D", "z", "t"]
        await driver.press(*keys)
        for size in ((60, 10), (110, 30), (140, 40), (80, 24), (40, 8)):
            await driver.resize(*size)
            await driver.press("tab", "j", "k", "g g", "G", "1", "2", "3", "2")


async def test_a_service_without_the_extensions_is_reviewed_all_the_same(
    review: ReviewWorld,
) -> None:
    furnish(review)
    faults = Faults(review.world, bare=True)
    async with drive(review.app(faults=faults), "]", size=(140, 40)) as driver:
        assert "Changes 6" in driver.screen
        assert "{+eight+}" in driver.screen
        assert "[2]" in driver.screen
        await driver.press("a")
        assert "This service has no reviews." in driver.screen
        await driver.press("w")
        assert "This service does not ask people for reviews." in driver.screen
        await driver.press("+")
        assert "The service does not say who you are." in driver.screen
        await driver.press("m", "y")
        assert "Merged. It is live now." in driver.screen


async def test_a_refused_comment_is_not_lost(review: ReviewWorld) -> None:
    faults = Faults(review.world)
    async with drive(review.app(faults=faults), "]", "c") as driver:
        await driver.type("Why not ten?")
        faults.refusing = True
        await driver.press("ctrl+s")
        assert "Down for a moment." in driver.screen
        faults.refusing = False
        await driver.press("c")
        assert "Why not ten?" in driver.screen
        await driver.press("ctrl+s", "y")
        assert review.open_threads() == 1


async def test_a_page_that_main_removed_says_so(review: ReviewWorld) -> None:
    review.world.commit(review.space, {"webhooks/signatures": None})
    async with drive(review.app(), "]", "]") as driver:
        assert "Main no longer has this page" in driver.screen
        assert "Use the [-SHA-1-] header." in driver.screen


async def test_what_main_wrote_since_is_no_change_of_the_request(review: ReviewWorld) -> None:
    now = RETRIES.replace("Events of one object", "All events of one object")
    review.world.commit(review.space, {"webhooks/retries": now, "events": "# Events\n\nAll.\n"})
    async with drive(review.app(), "]", size=(140, 40)) as driver:
        assert "main has changed this page since" in driver.screen
        assert "We retry [-five-] times over [-one hour-]." in driver.screen
        assert "All events" not in driver.screen
        assert "Events of one object may arrive out of" in driver.screen


async def test_where_nothing_tells_what_a_page_said_no_lines_are_marked(
    review: ReviewWorld,
) -> None:
    now = RETRIES.replace("Events of one object", "All events of one object")
    review.world.commit(review.space, {"webhooks/retries": now})
    faults = Faults(review.world, bare=True)
    async with drive(review.app(faults=faults), "]", size=(140, 40)) as driver:
        assert "what it said before" in driver.screen
        assert "We retry eight times over 24 hours." in driver.screen
        assert "five" not in driver.screen
        assert "All events" not in driver.screen
        await driver.press("]")
        assert "Use the [-SHA-1-] header." in driver.screen, "main has that as it was"


async def test_without_a_change_request_it_says_where_to_get_one(review: ReviewWorld) -> None:
    app = review.app()
    app.first_target = Target()
    async with drive(app, "m", "c", "}", "J", "space", "1", "3", "2") as driver:
        assert "No change request is chosen. Open one from a list: g c goes there." in driver.screen
    app = open_world(review.world, "page-arrangement", target=Target())
    async with drive(app) as driver:
        assert "No change request is chosen. Open one from a list" in driver.screen
