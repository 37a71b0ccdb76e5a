"""Triage: views, the filter language, marks and what is done to all of them, snooze."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.saved_view import SavedView
from copydesk.server import change_requests, threads
from copydesk.server.transaction import Tx
from copydesk.tui.changes import commands
from copydesk.tui.changes.screen import ChangesPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

GUIDE = {"limits": "# Limits\n\nTen.\n", "auth": "# Auth\n\nToken.\n", "old": "# Old\n\nSoon.\n"}


@dataclass
class Desk:
    """A space with a rule and one without, and change requests that wait on somebody."""

    world: World
    guide: str
    lee: str
    ids: dict[str, str]

    def status_of(self, subject: str) -> str:
        """Return the status of a change request on the desk itself."""
        return str(self.world.row("change_request", self.ids[subject])["status"])

    async def status(self, subject: str) -> str:
        """Return the status of a change request on the service."""
        async with self.world.api() as api:
            return (await api(ops.get_change_request, self.guide, self.ids[subject])).status


@pytest.fixture
def desk(world: World) -> Desk:
    lee = world.user("lee", display_name="Lee Park")
    rules = [{"rule": "require_at_least_one_review"}]
    guide = world.space("Platform guide", GUIDE, merge_rules={"type": "rules", "rules": rules})
    ids: dict[str, str] = {}

    def add(subject: str, page: str, by: str = lee) -> str:
        ids[subject] = world.change_request(guide, {page: f"# {subject}\n"}, subject=subject, by=by)
        return ids[subject]

    old = add("Left alone", "old")
    world.clock.now += timedelta(days=20)
    asked, answered, sent_back, ready = (
        add(subject, "limits") for subject in ("Asked", "Answered", "Sent back", "Ready one")
    )
    add("Mine here", "auth", by=world.ana)
    world.write(lambda tx: threads.request_review(tx, asked, world.ana, lee))
    # A thread that the reader began, and others answered; one that waits on the author.
    asks = world.comment(guide, "Why ten?", change_request=answered, by=world.ana)
    world.reply(asks, "Hm.", by=lee)
    world.comment(guide, "And why not?", change_request=sent_back, by=world.ana)
    world.write(lambda tx: threads.add_review(tx, ready, world.ana, "approved"))
    assert old
    world.clock.now += timedelta(hours=3)
    return Desk(world, guide, lee, ids)


def here(driver: Driver) -> ChangesPlace:
    place = driver.place
    assert isinstance(place, ChangesPlace)
    return place


async def typed(driver: Driver, text: str) -> None:
    """Type text faster than it is drawn."""
    await driver.burst(*("space" if letter == " " else letter for letter in text))


def subjects(driver: Driver) -> list[str]:
    return [row.subject for row in here(driver).rows.source.shown()]


@pytest.mark.long
async def test_the_views_hold_what_they_say_and_fold_only_when_asked(desk: Desk) -> None:
    def approve(tx: Tx) -> None:
        ready = desk.ids["Ready one"]
        by, review = desk.world.ana, tx.value("SELECT id FROM review")
        threads.add_comment(tx, desk.guide, by, "Fine.", change_request=ready, review=review)

    desk.world.write(approve)
    async with drive(open_world(desk.world, "spaces"), size=(140, 20)) as driver:
        # The tab of the first place counts as the view does.
        assert "Needs me 2 " in driver.screen
        await driver.press("g n")
        assert subjects(driver) == ["Answered", "Asked"]
        assert "[Needs me 2]" in driver.screen
        assert "4 open ones are outside this view." in driver.screen
        assert "1!" in driver.line("3    Answered")
        await driver.press("g g")
        assert "needs you your thread was answered" in here(driver).facts.plain
        await driver.press("2")
        assert subjects(driver) == ["Ready one"]
        # What was said with a verdict is no open thread, here as in the review.
        row = here(driver).rows.selected
        assert row is not None
        assert row.threads == 1
        assert "none open" in here(driver).facts.plain
        await driver.press("/")
        await driver.burst(*"has:threads", "enter")
        assert subjects(driver) == []
        await driver.press("escape", "4")
        assert subjects(driver) == ["Sent back"]
        await driver.press("6")
        assert subjects(driver) == ["Left alone"]
        for said in ("Needs me 2", "Ready to merge 1", "Mine 1", "Waiting on author 1",
                     "Out of date 0", "[Stale 1]", "All open 6"):  # fmt: skip
            assert said in driver.screen
        # What leaves a view stays in sight until it is folded, and the cursor stays on it.
        await driver.press("1", "j", "x")
        assert driver.selected == desk.ids["Asked"]
        assert "[archived] Asked" in driver.screen
        await driver.press("k", "j")
        assert "press . to show them" in driver.screen
        assert "[Needs me 1]" in driver.screen
        await driver.press(".")
        assert subjects(driver) == ["Answered"]
        # What comes to it waits as well.
        desk.world.write(
            lambda tx: threads.request_review(tx, desk.ids["Ready one"], desk.world.ana, desk.lee)
        )
        await driver.press("R")
        assert subjects(driver) == ["Answered"]
        assert "[Needs me 2]" in driver.screen
        await driver.press(".")
        assert subjects(driver) == ["Ready one", "Answered"]
        # What was chosen and marked is there again when one comes back; a view that has nothing
        # points to one that has something, and the row of the cursor stays in sight.
        await driver.press("*", "5")
        assert "Everything that is open is up to date. 5 are open (7 shows them)." in driver.screen
        await driver.press("7", "S", "escape", "g c")
        assert (here(driver).view, here(driver).backwards) == ("open", True)
        assert "2 marked   " in driver.screen
        # What was typed to filter one view by is not carried to another that is gone to.
        await driver.press("/")
        await typed(driver, "author:lee")
        await driver.press("enter")
        await driver.press("g n")
        assert (here(driver).view, here(driver).rows.found) == ("needs-me", "")
        await driver.press("g c", "7", "/")
        await typed(driver, "author:lee")
        await driver.press("enter", "g s", "g c")
        assert (here(driver).view, here(driver).rows.found) == ("open", "author:lee")
        await driver.press("g s", "g n")
        assert (here(driver).view, here(driver).rows.found) == ("needs-me", "")
        await driver.press("7", "G")
        last = here(driver).rows.selected
        assert last is not None
        await driver.resize(80, 12)
        assert driver.line(last.subject[:9])[1] == ">"


async def test_the_filter_knows_what_must_be_read_and_points_at_mistakes(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/") as driver:
        await typed(driver, "rule:ready -page:auth changed:<2")
        assert subjects(driver) == ["Ready one"]
        await driver.press("escape", "/")
        await typed(driver, "idle:>14d")
        assert subjects(driver) == ["Left alone"]
        # What is no key is text, and underlined; Tab makes it the key that was meant.
        await typed(driver, " autor:lee")
        assert "There is no autor: here; did you mean author:?" in driver.screen
        assert subjects(driver) == []
        line = driver.app.focused
        assert line is not None
        drawn = line.render_line(0)
        under = "".join(s.text for s in drawn if s.style is not None and s.style.underline)
        assert under == "autor"
        await driver.press("tab")
        assert here(driver).rows.found == "idle:>14d author:lee"
        await driver.press("escape", "/")
        await typed(driver, "autor:lee")
        await driver.press("enter")
        assert "0 of" in driver.screen
        assert "There is no autor: here" in driver.screen
        await driver.press("escape", "/")
        # A mistake in a value leaves the rows as they are, and is not taken.
        await typed(driver, "changed:many")
        await driver.burst("enter")
        assert "changed: takes a number" in driver.screen
        assert "Mend it; Esc" in driver.screen
        await driver.press("escape", "/")
        await typed(driver, "number:2 asked:me -author:me")
        assert subjects(driver) == ["Asked"]
        await driver.press("escape", "/")
        await typed(driver, "is:merged")
        assert "This view holds only what is open." in driver.screen
        await driver.press("escape", "/")
        await typed(driver, "space:pl")
        await driver.press("tab")
        assert here(driver).rows.found == 'space:"Platform guide"'
        await driver.press("escape", "/")
        await typed(driver, "author:leah")
        assert "0 of 6 match. Esc clears the filter. Nearest: author:" in driver.screen
        await driver.press("escape", "s")
        await driver.burst(*"waiting", "enter")
        assert subjects(driver)[0] == "Left alone"
        assert "WAITING" in driver.screen


async def test_what_is_done_to_marked_rows_has_a_result_for_each(desk: Desk) -> None:
    real, refuse = desk.world.client(), [True]

    async def answer(request: httpx.Request) -> httpx.Response:
        if refuse[0] and request.method == "PATCH" and desk.ids["Asked"] in request.url.path:
            return httpx.Response(403, json={"error": {"code": 403, "message": "Not today."}})
        found = await real.request(
            request.method, str(request.url), content=request.content,
            headers={"content-type": "application/json"},
        )  # fmt: skip
        return httpx.Response(found.status_code, content=found.content)

    api = Api(BASE_URL, "token", transport=httpx.MockTransport(answer))
    desk.world.write(lambda tx: change_requests.set_status(tx, desk.ids["Sent back"], "archived"))
    async with drive(open_world(desk.world, "changes", api=api), size=(100, 24)) as driver:
        # A range, one by one, and what a view or a filter hides.
        assert subjects(driver) == ["Mine here", "Ready one", "Answered", "Asked", "Left alone"]
        await driver.burst("j", "v", "j", "j", "v")
        assert "3 marked   " in driver.screen
        await driver.press("/")
        await driver.burst(*"ready", "enter")
        assert "3 marked (2 hidden by filter)" in driver.screen
        await driver.press("x")
        assert "Archive: 3 change requests" in driver.screen
        assert "u undoes all of it." in driver.screen
        lines = driver.screen.splitlines()
        order = [next(at for at, line in enumerate(lines) if text in line) for text in
                 ("Not shown in the list (2)", "Answered", "Asked", "Shown (1)")]  # fmt: skip
        assert order == sorted(order)
        await driver.burst("enter")
        assert await desk.status("Ready one") == "open"
        await driver.press("y")
        assert "✓ done" in driver.line("Answered")
        assert "✗ failed: Not allowed: Not today." in driver.line("Asked")
        assert "Archive: 2 done, 1 failed." in driver.screen
        refuse[0] = False
        await driver.press("r")
        assert "Archive: 3 done." in driver.screen
        assert len([line for line in driver.app.session.log if line.state == "done"]) == 3
        await driver.press("escape", "escape")
        assert not here(driver).rows.marks
        assert {await desk.status(each) for each in ("Asked", "Ready one")} == {"archived"}
        # u takes the whole of it back.
        await driver.press("u")
        assert {await desk.status(each) for each in ("Asked", "Ready one")} == {"open"}
        # What does not allow it says why and is left alone; a run goes on without its sheet.
        await driver.press("R")
        await driver.burst(".", "*")
        await driver.burst("W")
        assert "Make a draft: 5 change requests" in driver.screen
        await driver.press("escape", "/")
        await typed(driver, "nothing like that")
        await driver.burst("enter")
        await driver.burst("U")
        assert "Update 0 of 5. 5 skipped." in driver.screen
        assert "skipped: is up to date." in driver.line("Ready one")
        await driver.press("escape", "escape", "W")
        await driver.send("y")
        await driver.press("escape")
        assert await desk.status("Left alone") == "draft"
        assert "Make a draft: 5 done." in driver.screen
        # The list of undo has it as one action, and its space; of that one or all are taken back.
        await driver.press(":")
        await driver.burst(*"undo", "enter")
        assert "Platform guide" in driver.screen
        await driver.press("u")
        assert "All of one action: Make a draft 5" in driver.screen
        await driver.burst("down", "enter")
        assert list(map(desk.status_of, desk.ids)).count("draft") == 4
        await driver.press("escape")
        # A marked one that is gone is no longer marked, and that is said.
        await driver.press("8", "space")
        gone = next(iter(here(driver).rows.marks))
        desk.world.write(lambda tx: tx.run("DELETE FROM change_request WHERE id = ?", gone))
        await driver.press("R")
        assert "was marked and is gone" in driver.screen
        assert not here(driver).rows.marks
    await real.aclose()


async def test_verdicts_reviewers_and_snoozes_go_to_all_that_are_marked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "NAMED", 1)
    sam = desk.world.user("sam", display_name="Sam Ortiz")
    marked = ("Ready one", "Asked")

    def verdicts() -> list[tuple[str, str]]:
        rows = desk.world.store.read(
            lambda tx: tx.all("SELECT * FROM review WHERE status = 'changes-requested'")
        )
        return sorted((each["change_request_id"], each["reviewer"]) for each in rows)

    def asked() -> set[str]:
        rows = desk.world.store.read(lambda tx: tx.all("SELECT * FROM requested_reviewer"))
        return {each["change_request_id"] for each in rows if each["user_id"] == sam}

    def mark(driver: Driver, *rows: str) -> None:
        here(driver).rows.set_marks(desk.ids[each] for each in rows)

    async with drive(open_world(desk.world, "changes"), size=(100, 30)) as driver:
        mark(driver, "Left alone", *marked)
        for each in marked:
            driver.app.session.snoozed.look(desk.ids[each], driver.app.session.now, "former")
        desk.world.write(
            lambda tx: change_requests.set_status(tx, desk.ids["Left alone"], "archived")
        )
        await driver.press("R", "A")
        assert "3 marked change requests: #5 and 2 more" in driver.screen
        assert "#5 and 1 more changed since you read them: d shows them." in driver.screen
        assert "ctrl+s goes on, with a comment or without" in driver.screen
        await typed(driver, "Too long.")
        # Esc at the list of them sends nothing, and what was written is there again.
        await driver.press("ctrl+s")
        assert "Ask for changes 2 of 3. 1 skipped." in driver.screen
        assert "skipped: is archived and takes no review." in driver.line("Left alone")
        assert "A review cannot be undone" in driver.screen
        await driver.press("escape", "A")
        assert "Too long." in driver.screen
        assert verdicts() == []
        await driver.press("ctrl+s", "y")
        assert "Ask for changes: 2 done, 1 skipped." in driver.screen
        assert verdicts() == sorted((desk.ids[each], desk.world.ana) for each in marked)
        await driver.press("escape")
        assert here(driver).rows.marks == {desk.ids["Left alone"]}
        assert "Too long." not in str(driver.app.session.drafts.dated())
        # Sam is asked for both; once more, and both have been asked already. u asks no longer.
        for said in ("Ask: 2 done.", "Ask: 2 skipped."):
            mark(driver, *marked)
            await driver.press("w")
            await typed(driver, "sam")
            await driver.press("tab", "ctrl+s", "y")
            assert said in driver.screen
            assert asked() == {desk.ids[each] for each in marked}
            await driver.press("escape")
        await driver.press("u")
        assert asked() == set()
        # The dialog names u: it does so from there too, once all is done.
        mark(driver, *marked)
        await driver.press("w")
        await typed(driver, "sam")
        await driver.press("tab", "ctrl+s", "y")
        assert "This asks Sam Ortiz for a review; u undoes it." in driver.screen
        await driver.press("u")
        assert asked() == set()
        # All sleep as long; u wakes them together.
        mark(driver, *marked)
        await driver.press("b", "down", "enter")
        assert "Snooze for 1 day: 2 change requests" in driver.screen
        assert "u undoes all of it." in driver.screen
        await driver.press("y", "escape")
        sleeping = driver.app.session.snoozed.held
        assert {row: each.step for row, each in sleeping.items()} == {
            desk.ids[each]: 1 for each in marked
        }
        await driver.press("u")
        assert not driver.app.session.snoozed.held
        assert "Undone: Snooze, 2 writes. Not snoozed." in driver.screen


async def test_no_number_is_cut(desk: Desk) -> None:
    """112 cut to "11…" is read as another number: its column grows, at any size."""

    def write(tx: Tx) -> None:
        asked = desk.ids["Asked"]
        for _ in range(112):
            threads.add_comment(tx, desk.guide, desk.lee, "Why?", change_request=asked)
        tx.run("UPDATE change_request SET number = 123456 WHERE id = ?", asked)

    desk.world.write(write)
    for width in (80, 100, 140):
        async with drive(open_world(desk.world, "changes"), size=(width, 24)) as driver:
            line = driver.line("Asked").split("┃")[1]
            assert "123456 " in line
            assert " 112" in line
            assert "THR" in driver.screen


async def test_what_is_snoozed_sleeps_until_it_changes(desk: Desk) -> None:
    app = open_world(desk.world, "changes")
    async with drive(app, "j", "b", size=(100, 30)) as driver:
        first = desk.ids["Ready one"]
        assert driver.selected == first
        assert "[snoozed] Ready one" in driver.screen
        assert "until it is edited; b again: for 1 day." in driver.screen
        await driver.press("b", ".")
        assert "Ready one" not in subjects(driver)
        assert "1 snoozed (B shows it)." in driver.screen
        assert "[Open 6]" in driver.screen
        await driver.press("B")
        assert "[snoozed] Ready one" in driver.screen
        await driver.press("B", "u")
        assert app.session.snoozed.held[first].until is None  # one step back
        assert "Snoozed until it is edited." in driver.screen
        await driver.press("u")
        assert "Not snoozed." in driver.screen
        await driver.press(".")
        assert "Ready one" in subjects(driver)
        assert "snoozed" not in driver.screen
        await driver.press("ctrl+r", ".")
        assert "Ready one" not in subjects(driver)
        desk.world.edit_change_request(first, {"limits": "# Other\n"})
        await driver.press("R", ".")
        assert "Ready one" in subjects(driver)
        # In a view, it is not counted.
        await driver.press("2", "b", ".")
        assert subjects(driver) == []
        assert "[Ready 0]" in driver.screen


async def test_a_view_of_ones_own(desk: Desk) -> None:
    app = open_world(desk.world, "changes")
    app.session.views.save(SavedView("Broken", filter="autor:lee"))
    async with drive(app, size=(140, 20)) as driver:
        assert "View “Broken” (line 1 of the settings): There is no autor: here" in driver.screen
        await driver.press("f")
        await driver.burst(*"broken", "enter")
        assert "This view is not understood: There is no autor:" in driver.screen
        assert "[Broken]" in driver.screen
        await driver.press("7", "/")
        await driver.burst(*"has:threads", "enter")
        await driver.burst("s")
        await driver.burst(*"subject", "enter")
        await driver.burst("F")
        await driver.burst(*"stale", "enter")
        assert "“Stale” is there for everyone" in driver.screen
        await driver.burst(*["backspace"] * 5)
        await typed(driver, "Talked about")
        await driver.burst("enter")
        assert "[Talked about 2]" in driver.screen
        assert subjects(driver) == ["Answered", "Sent back"]
        saved = app.session.views.read()[-1]
        assert (saved.filter, saved.sort, saved.statuses) == ("has:threads", "subject", ("open",))
        await driver.press("f", "ctrl+x")
        assert "Forgot the view “Talked about”: u brings it back." in driver.screen
        assert driver.place.view == "open"
        assert len(subjects(driver)) == 6
        await driver.press("u", "f")
        await driver.burst(*"talked", "enter")
        assert subjects(driver) == ["Answered", "Sent back"]
        await driver.press("7")
        await driver.press("3", "F")
        await driver.burst(*"Own", "enter")
        assert app.session.views.read()[-1].filter == "is:mine"
        assert subjects(driver) == ["Mine here"]


async def test_what_was_edited_since_it_was_read_is_judged_from_the_list_with_a_word(
    desk: Desk,
) -> None:
    asked, ready = desk.ids["Asked"], desk.ids["Ready one"]

    def reviews() -> int:
        return len(desk.world.store.read(lambda tx: tx.all("SELECT 1 FROM review")))

    def edit(request: str, page: str) -> None:
        desk.world.edit_change_request(request, {page: "# Other\n"})

    before = reviews()
    async with drive(open_world(desk.world, "changes"), "g n", "j", size=(140, 30)) as driver:
        assert driver.selected == asked
        edit(asked, "limits")
        await driver.press("a")
        await typed(driver, "Fine.")
        await driver.burst("ctrl+s")
        assert "Not sent: #2 was edited since you read it here. R reads it;" in driver.screen
        # Never read, it is not told as edited since then; once it was read, it is.
        await driver.press("R", "a")
        assert "Fine." in driver.screen
        assert "since you read it" not in driver.screen
        await driver.press("escape", "d", "escape")
        edit(asked, "limits")
        await driver.press("R", "a")
        assert "#2 changed since you read it: d shows it." in driver.screen
        await driver.press("escape", "m")
        assert "! changed since you read it: read it again first" in driver.screen
        await driver.press("escape")
        session = driver.app.session
        session.snoozes.look(ready, session.now, "a former revision")
        here(driver).rows.set_marks([asked, ready])
        await driver.press("m")
        assert "! changed since you read it" in driver.line("Ready one")
        await driver.press("-")
        # Of several, each is looked at before it is sent.
        here(driver).rows.set_marks([asked, ready])
        await driver.press("A")
        assert "#2 and #5 changed since you read them: d shows them." in driver.screen
        await typed(driver, "Not yet.")
        await driver.press("ctrl+s")
        edit(asked, "limits")
        await driver.press("y")
        assert "Ask for changes: 1 done, 1 failed." in driver.screen
        assert "was edited since you read it here" in driver.screen
        assert reviews() == before + 1
        await driver.press("escape", "R", "A", "ctrl+s", "y")
        assert reviews() == before + 2
    # What another window showed meanwhile, or one wrote there, was read.
    async with drive(open_world(desk.world, "changes"), "j", size=(140, 30)) as driver:
        here(driver).rows.select(asked)
        edit(asked, "limits")
        session, now = driver.app.session, desk.world.row("change_request", asked)["revision_id"]
        session.snoozes.look(asked, session.now, now)
        assert driver.selected == asked
        await driver.press("a")
        await typed(driver, "Fine.")
        await driver.burst("ctrl+s")
        assert reviews() == before + 3


async def test_verdicts_and_reviewers_from_the_list(desk: Desk) -> None:
    desk.world.user("priya", display_name="Priya Raman")
    async with drive(open_world(desk.world, "changes"), "g n", "j", "a", size=(140, 24)) as driver:
        assert driver.selected == desk.ids["Asked"]
        assert "needs you your review is asked for" in here(driver).facts.plain
        assert "You wrote it" not in driver.screen
        await typed(driver, "Fine")
        await driver.burst("ctrl+s")
        assert "Approved #2; a review cannot be undone." in driver.screen
        assert "✓ Ana Silva" in here(driver).facts.plain
        still = "needs you you approved it just now, and are still on its list of reviewers"
        assert still in here(driver).facts.plain
        assert "1/1" in driver.line("2    Asked")
        await driver.press("w")
        assert "Ask to review #2" in driver.screen
        await driver.burst(*"priya", "tab", "ctrl+s")
        assert "waits on Priya Raman" in here(driver).facts.plain
        await driver.press("w")
        await driver.burst(*"priya", "tab", "ctrl+s")
        assert "Priya" not in here(driver).facts.plain
        await driver.press("A")
        await typed(driver, "Not yet")
        await driver.burst("ctrl+s")
        assert "Asked for changes in #2" in driver.screen
        await driver.press("i")
        assert "affects 0 pages link here, 0 links broken" in here(driver).facts.plain
        await driver.press("tab")
        # What others do after one has looked at it is listed, and its row says so.
        await driver.press("enter", "escape")
        desk.world.clock.now += timedelta(hours=1)
        desk.world.comment(desk.guide, "Oh?", change_request=desk.ids["Asked"], by=desk.lee)
        desk.world.edit_change_request(desk.ids["Asked"], {"limits": "# Other\n"})
        await driver.press("R")
        assert "New since you looked" in here(driver).facts.plain
        assert "Lee Park wrote in a thread" in here(driver).facts.plain
        assert "●" in driver.line("2    Asked")
        await driver.press("3", "a")
        assert "You wrote it: what you say of it counts for no rule." in driver.screen
        await driver.press("escape", "9", "a")
        assert "Put the cursor on a change request first." in driver.screen
