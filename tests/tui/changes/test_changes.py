"""The list of change requests, driven as a person would."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.domain.documents import markdown_to_document
from copydesk.domain.settlement import Settling
from copydesk.local.snapshot import Snapshots
from copydesk.present import change_request as present
from copydesk.present.facts import Fact
from copydesk.server import threads
from copydesk.server.conversation_writes import add_cluster
from copydesk.server.desk_writes import Editor
from copydesk.session.change_rows import ChangeRow
from copydesk.session.target import Target
from copydesk.tui.changes.screen import ChangesPlace
from tests.drive import Driver, drive, eventually, screen_text
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

GUIDE = {
    "limits": "# Limits\n\nTen a minute.\n",
    "auth": "# Auth\n\nUse a token.\n",
    "auth/oauth": "# OAuth\n\nThe old way.\n",
    "gone": "# Gone\n\nSoon.\n",
}


@dataclass
class Desk:
    """Two spaces with change requests in every status, and their ids."""

    world: World
    guide: str
    legal: str
    limits: str
    oauth: str
    terms: str
    draft: str

    async def get(self, change_request: str, space: str | None = None) -> ChangeRequest:
        """Read a change request as the administrator."""
        async with self.world.api() as api:
            return await api(ops.get_change_request, space or self.guide, change_request)


@pytest.fixture
def desk(world: World) -> Desk:
    priya = world.user("priya", display_name="Priya Raman")
    lee = world.user("lee", display_name="Lee Park")
    rules = [
        {"rule": "require_at_least_one_review"},
        {"rule": "require_up_to_date_change_request"},
    ]
    guide = world.space("Platform guide", GUIDE, merge_rules={"type": "rules", "rules": rules})
    legal = world.space("Legal", {"terms": "# Terms\n\nBe kind.\n"})
    oauth = world.change_request(
        guide,
        {"auth/oauth": "# OAuth\n\nThe new way.\n"},
        subject="Fix auth code samples",
        by=lee,
        description=markdown_to_document("The sample used the v1 token URL.").to_dict(),
    )
    merged = world.change_request(guide, {"gone": None}, subject="Remove what is gone", by=lee)
    _merge(world, merged)

    def edit(editor: Editor) -> None:
        editor.write(editor.find("limits"), "# Limits\n\nA hundred a minute.\n")
        editor.page("Quotas", "# Quotas\n\nPer team.\n")
        editor.rename(editor.find("auth"), "Authentication", "authentication")

    limits = world.change_request(guide, edit=edit, subject="Rate limit page rewrite", by=priya)
    world.comment(guide, "Since when?", change_request=limits)
    world.write(lambda tx: threads.request_review(tx, limits, world.ana, priya))
    world.write(lambda tx: threads.add_review(tx, limits, lee, "changes-requested"))
    terms = world.change_request(
        legal, {"terms": "# Terms\n\nBe very kind.\n"}, subject="Be kinder", by=priya
    )
    draft = world.change_request(guide, {"new": "# New\n"}, subject="Not ready", status="draft")
    world.change_request(guide, subject="Old idea", status="archived", by=lee)
    world.clock.now += timedelta(hours=3)
    return Desk(world, guide, legal, limits, oauth, terms, draft)


def _merge(world: World, change_request: str) -> None:
    from copydesk.server import change_requests

    world.write(
        lambda tx: change_requests.record_merge(
            tx,
            change_request,
            str(change_requests.merge_branch(tx, change_request, world.ana).revision),
        )
    )


def here(driver: Driver) -> ChangesPlace:
    place = driver.place
    assert isinstance(place, ChangesPlace)
    return place


def subjects(driver: Driver) -> list[str]:
    return [row.subject for row in here(driver).rows.source.shown()]


def said(driver: Driver) -> str:
    return here(driver).facts.plain


def cells(driver: Driver, subject: str) -> list[str]:
    """Return the words of a row of the list."""
    rows = [line.split("┃")[1] for line in driver.screen.splitlines() if line.startswith("┃")]
    return next(row for row in rows if subject in row).split()


async def test_the_screen_at_both_sizes(desk: Desk, update_golden: bool) -> None:
    for size in ((80, 24), (140, 40)):
        async with drive(open_world(desk.world, "changes"), "j", size=size) as driver:
            driver.golden("changes", update=update_golden)


async def test_a_very_wide_screen_has_a_pane_for_the_threads(
    desk: Desk, update_golden: bool
) -> None:
    thread = desk.world.comment(desk.guide, "How do I\nknow?", change_request=desk.limits)
    desk.world.reply(thread, "By its header.")
    sent: list[SentRequest] = []
    async with drive(open_world(desk.world, "changes"), size=(200, 60)) as driver:
        (await driver.app.session.ready()).recorder = sent.append
        await driver.press("j", "k", "j")
        driver.golden("changes", update=update_golden)
        asked = Counter(each.name for each in sent)
        assert asked["list_change_request_comments"] <= 1, "nothing is asked for it besides"
        assert asked["list_change_request_comment_replies"] == 0
        await driver.press("tab", "tab")
        assert driver.place.focused is here(driver).threads
        await driver.resize(140, 40)
        assert "How do I" not in driver.screen
        assert driver.place.focused is here(driver).facts, "what is seen has the focus"


async def test_who_only_reads_is_not_told_how_a_thread_is_started(desk: Desk) -> None:
    app = open_world(desk.world, "changes")
    app.session.read_only = True
    async with drive(app, size=(200, 60)) as driver:
        assert "No open threads." in driver.screen
        assert "starts one" not in driver.screen


async def test_a_long_comment_is_not_cut_without_a_sign(desk: Desk) -> None:
    desk.world.comment(desk.guide, "words " * 200, change_request=desk.limits)
    async with drive(open_world(desk.world, "changes"), "j", "k", "j", size=(200, 40)) as driver:
        long = next(fact.text for fact in here(driver).threads.told if "words" in fact.text)
        assert str(long).endswith("words word…")


async def test_facts_stay_where_they_are_read_while_ages_grow(desk: Desk) -> None:
    for nth in range(30):
        desk.world.comment(desk.guide, f"Comment {nth}", change_request=desk.limits)
    app = open_world(desk.world, "changes")
    async with drive(app, "j", "k", "j", "tab", "tab", "G", size=(200, 40)) as driver:
        pane, told = here(driver).threads, here(driver).threads.told
        read = pane.scroll_offset.y
        assert read > 0
        desk.world.clock.now += timedelta(minutes=7)
        driver.place.refresh_frame()
        await driver.idle()
        assert pane.told != told
        assert pane.scroll_offset.y == read
        await driver.press("shift+tab", "shift+tab", "k")
        assert pane.scroll_offset.y == 0, "another change request is read from the top"


async def test_nothing_is_made_for_a_pane_that_there_is_no_room_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    facts = present.thread_facts

    def noted(row: ChangeRow, *args: Any) -> list[Fact]:
        made.append(row.subject)
        return facts(row, *args)

    monkeypatch.setattr(present, "thread_facts", noted)
    async with drive(open_world(desk.world, "changes"), "j", "k", "j", size=(140, 40)) as driver:
        assert made == []
        await driver.resize(200, 60)
        assert set(made) == {"Rate limit page rewrite"}
        assert "Since when?" in driver.screen
        await driver.resize(140, 40)
        made.clear()
        await driver.press("k")
        assert made == []


async def test_the_views_of_an_organization(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes")) as driver:
        assert "Outdated 1   Stale 0  [Open 3]  Draft 1   Merged 1 …" in driver.screen
        assert subjects(driver) == ["Be kinder", "Rate limit page rewrite", "Fix auth code samples"]
        await driver.press("9")
        assert subjects(driver) == ["Remove what is gone"]
        await driver.press("]")
        assert subjects(driver) == ["Old idea"]
        await driver.press("]")
        assert subjects(driver) == ["Rate limit page rewrite"]
        assert "[Needs me 1]" in driver.screen
        await driver.press("3")
        assert subjects(driver) == ["Not ready"]
        assert "[draft] Not ready" in driver.screen


async def test_gn_opens_what_needs_me(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "g n") as driver:
        assert "[Needs me 1]" in driver.screen
        assert subjects(driver) == ["Rate limit page rewrite"]


async def test_a_space_shows_only_its_own(desk: Desk) -> None:
    target = Target(organization=desk.world.home, space=desk.legal)
    async with drive(open_world(desk.world, "changes", target)) as driver:
        assert subjects(driver) == ["Be kinder"]
        assert "Acme > Legal > Change requests" in driver.screen
        assert "SPACE" not in driver.screen
        await driver.press("8")
        assert "No drafts. ctrl+n starts a change request." in driver.screen


async def test_the_details_of_the_row_under_the_cursor(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "j", size=(140, 40)) as driver:
        text = said(driver)
        assert "Priya Raman, opened 3 h ago" in text
        assert "in Platform guide" in text
        assert "1 of 2 rules met   needs an approving review; Lee Park asked for changes" in text
        assert "✗ needs an approving review" in text
        assert "✓ is up to date with main" in text
        assert "1 added, 1 renamed, 1 edited" in text
        assert "+  Quotas" in text
        assert "~  Authentication  renamed from “Auth”" in text
        assert "✗ Lee Park; waits on Ana Silva" in text
        assert "threads 1 open" in text
        assert cells(driver, "Rate limit")[-5:] == ["3", "1", "1/2", "3", "h"]
        # The rows around it are read too, once the cursor stays.
        assert cells(driver, "Fix auth")[-5:] == ["1", "0", "0/2", "3", "h"]
        await driver.press("j")
        assert "out of date, but main changed none of its pages" in said(driver)
        assert "~  auth/Oauth" in said(driver)
        assert "The sample used the v1 token URL." in said(driver)


async def test_filter_as_you_type(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/") as driver:
        await driver.type("author:priya")
        assert "2 of 3 match" in driver.screen
        await driver.type(" is:discussed")
        assert subjects(driver) == ["Rate limit page rewrite"]
        await driver.press("escape", "/")
        await driver.type("legal")
        assert subjects(driver) == ["Be kinder"]
        await driver.press("escape", "/")
        await driver.type("autor:x")
        assert "did you mean author:?" in driver.screen
        await driver.press("escape")
        assert len(subjects(driver)) == 3


async def test_a_filter_stays_on_in_the_next_view(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/") as driver:
        await driver.type("gone")
        await driver.press("enter", "9")
        assert "1 of 1 match" in driver.screen
        assert subjects(driver) == ["Remove what is gone"]


async def test_sorting_keeps_the_cursor_and_the_filter(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "G") as driver:
        before = driver.selected
        await driver.press("s")
        await driver.type("subject")
        await driver.press("enter")
        assert subjects(driver) == ["Be kinder", "Fix auth code samples", "Rate limit page rewrite"]
        assert driver.selected == before
        await driver.press("S")
        assert subjects(driver)[0] == "Rate limit page rewrite"
        assert "sort: subject, reversed" in driver.screen
        assert driver.selected == before
        await driver.press("/")
        await driver.type("a")
        await driver.press("enter", "s")
        await driver.type("space")
        await driver.press("enter")
        assert "filter: a" in driver.screen
        assert subjects(driver)[-1] == "Fix auth code samples"
        await driver.press("s")
        await driver.type("updated")
        await driver.press("enter")
        assert subjects(driver)[0] == "Be kinder"
        assert driver.selected == before


async def test_a_sort_that_is_stopped_or_fails_leaves_the_order_as_it_was(desk: Desk) -> None:
    real, gate, down = desk.world.client(), asyncio.Event(), [False]
    gate.set()

    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.params.get("limit") == "500":
            await gate.wait()
            if down[0]:
                raise httpx.ConnectError("refused")
        found = await real.request(request.method, str(request.url))
        return httpx.Response(found.status_code, content=found.content)

    api = Api(BASE_URL, "token", transport=httpx.MockTransport(answer))
    async with drive(open_world(desk.world, "changes", api=api)) as driver:
        place = here(driver)
        gate.clear()
        place.sort_by("subject", backwards=False)
        await driver.pilot.pause()
        assert place.reads.cancel("sort")
        await driver.idle()
        assert "sort: updated" in driver.screen
        assert subjects(driver)[0] == "Be kinder"
        gate.set()
        down[0] = True
        await driver.press("S")
        assert "Offline:" in driver.screen
        assert "sort: updated ━" in driver.screen
        down[0] = False
        await driver.press("S", "9")
        assert "sort: updated, reversed" in driver.screen
        assert subjects(driver) == ["Remove what is gone"]
    await real.aclose()


async def test_archive_stays_in_sight_and_u_takes_it_back(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "x") as driver:
        assert (await desk.get(desk.terms, desk.legal)).status == "archived"
        assert "[archived] Be kinder" in driver.screen
        assert "[Open 2]" in driver.screen
        assert here(driver).counts["archived"] == 2
        assert driver.selected == desk.terms
        await driver.press("u")
        assert (await desk.get(desk.terms, desk.legal)).status == "open"
        assert "[archived]" not in driver.screen
        assert "[Open 3]" in driver.screen


async def test_an_undo_that_somebody_overtook_does_nothing(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "x") as driver:
        from copydesk.server import change_requests

        desk.world.write(lambda tx: change_requests.set_status(tx, desk.terms, "draft"))
        await driver.press("u")
        assert "draft by now" in driver.screen
        await driver.press("escape")
        assert (await desk.get(desk.terms, desk.legal)).status == "draft"


async def test_an_archived_one_is_reopened(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "9", "]", "W") as driver:
        assert "is archived: x reopens it." in driver.screen
        await driver.press("x")
        assert "is open again." in driver.screen
        assert "[open] Old idea" in driver.screen
        await driver.press("R", ".")
        assert "Nothing is archived." in driver.screen


async def test_a_draft_is_made_open_and_back(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "8", "m") as driver:
        assert "is a draft: W makes it open." in driver.screen
        await driver.press("W")
        assert (await desk.get(desk.draft)).status == "open"
        assert "is open for review." in driver.screen
        await driver.press("W")
        assert (await desk.get(desk.draft)).status == "draft"


async def test_an_update_pulls_primary_content_in(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "U") as driver:
        assert "is up to date." in driver.screen
        await driver.press("G", "U")
        assert "Main of Platform guide has moved on" in driver.screen.replace("\n", " ")
        await driver.press("enter")
        assert (await desk.get(desk.oauth)).outdated
        await driver.press("y")
        assert not (await desk.get(desk.oauth)).outdated
        assert "it has all of main now." in driver.screen
        assert ">^" not in driver.screen


async def test_conflicts_lead_to_where_they_are_settled(desk: Desk) -> None:
    desk.world.commit(desk.guide, {"auth/oauth": "# OAuth\n\nAnother way.\n"})
    async with drive(open_world(desk.world, "changes"), "G", "U", "y", size=(100, 40)) as driver:
        assert driver.place.PLACE == "settle"
        assert "The new way." in driver.screen
        assert "Another way." in driver.screen
        assert (await desk.get(desk.oauth)).outdated
        await driver.press("escape")
        assert driver.selected == desk.oauth


async def test_an_update_of_marked_ones_says_of_each_what_the_service_did(desk: Desk) -> None:
    desk.world.commit(desk.guide, {"auth/oauth": "# OAuth\n\nAnother way.\n"})
    async with drive(open_world(desk.world, "changes"), "*", "U", size=(140, 40)) as driver:
        assert "Update 2 of 3. 1 skipped." in driver.screen
        await driver.press("y")
        assert "✓ done" in driver.line("#3 Rate limit page rewrite")
        assert "✗ failed:" in driver.line("#1 Fix auth code samples")
        assert "not updated: 1 page conflicts" in driver.screen
        assert "skipped: is up to date." in driver.screen
        assert "Update: 1 done, 1 failed, 1 skipped." in driver.screen
        assert not (await desk.get(desk.limits)).outdated
        assert (await desk.get(desk.oauth)).outdated
        await driver.press("r")
        assert [line.state for line in driver.app.session.log] == ["done", "failed", "failed"]
        await driver.press("escape")
        assert "2 marked" in driver.screen


async def test_an_update_of_marked_ones_leaves_out_one_whose_settling_was_cut_off(
    desk: Desk,
) -> None:
    desk.world.commit(desk.guide, {"auth/oauth": "# OAuth\n\nAnother way.\n"})
    app = open_world(desk.world, "changes")
    name = f"{desk.guide} {desk.oauth}"
    kept = Settling(name, 0, desk.guide, desk.oauth, "", "", "", state="sending")
    app.session.settlings.save(kept)
    async with drive(app, "*", "U", "y", size=(140, 40)) as driver:
        assert "✗ failed: settling it was cut off: U in its review" in driver.screen
        assert not (await desk.get(desk.limits)).outdated
        assert (await desk.get(desk.oauth)).outdated


async def test_a_conflicted_update_is_remembered_until_a_side_moves(desk: Desk) -> None:
    desk.world.commit(desk.guide, {"auth/oauth": "# OAuth\n\nAnother way.\n"})
    app = open_world(desk.world, "changes")
    async with drive(app, "G", size=(140, 40)) as driver:
        assert "0 of 2 rules met" in said(driver)
        assert "may conflict in Oauth: U updates" in said(driver)
        await driver.press("U", "y", "escape")
        assert "CONFLICTS" in said(driver)
        await driver.press("U")
        assert driver.place.PLACE == "settle", "nothing was asked"
        await driver.press("escape")
        await driver.press("d")
        assert "CONFLICTS ^" in driver.screen, "the review says it in the same words"
        await driver.press("q")
        desk.world.commit(desk.guide, {"limits": "# Limits\n\nEleven a minute.\n"})
        await driver.press("R")
        assert "CONFLICTS" not in said(driver)
        await driver.press("U")
        assert app.screen is not driver.place, "it may be tried again"


async def test_a_merge_behind_its_sheet(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "m", size=(100, 40)) as driver:
        await driver.press("y")
        assert (await desk.get(desk.terms, desk.legal)).status == "merged"
        await driver.press("escape")
        assert "[merged] Be kinder" in driver.screen
        assert "[Open 2]" in driver.screen
        await driver.press("x")
        assert "is merged: that cannot change." in driver.screen


async def test_subject_and_description_are_edited_as_one_text(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "G", "e") as driver:
        assert "The sample used the v1 token URL." in driver.screen
        await driver.press("up", "up", "home", "ctrl+k")
        await driver.type("Correct the samples")
        await driver.press("down", "down", "end", "enter")
        await driver.type("Both.")
        await driver.press("ctrl+s")
        now = await desk.get(desk.oauth)
        assert now.subject == "Correct the samples"
        assert now.description is not None
        assert "Both." in now.to_json().decode()
        assert "Correct the samples" in driver.screen
        await driver.press("u")
        before = await desk.get(desk.oauth)
        assert before.subject == "Fix auth code samples"
        assert "Both." not in before.to_json().decode()


async def test_a_subject_that_is_too_long_is_kept_as_a_draft(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "e") as driver:
        await driver.press("home", "ctrl+k")
        await driver.type("much " * 21)
        await driver.press("ctrl+s")
        assert "at most 100 fit" in driver.screen
        await driver.press("e")
        assert "much much" in driver.screen
        assert (await desk.get(desk.terms, desk.legal)).subject == "Be kinder"


async def test_a_new_one_is_begun_from_the_line_of_the_filter_too(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/", "ctrl+n") as driver:
        assert driver.app.screen is not driver.place, "it asks in which space"


async def test_a_new_one_in_a_chosen_space(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "ctrl+n") as driver:
        await driver.type("legal")
        await driver.press("enter")
        assert "New change request in Legal" in driver.screen
        await driver.type("Say please")
        await driver.press("enter")
        assert driver.place.view == "draft"
        assert subjects(driver) == ["Say please", "Not ready"]
        assert "in “Legal” as a draft." in driver.screen


@pytest.mark.parametrize("sort", [(), ("S",)])
async def test_a_new_one_is_there_at_once_and_the_cursor_stays(
    desk: Desk, sort: tuple[str, ...]
) -> None:
    target = Target(organization=desk.world.home, space=desk.guide, view="draft")
    app = open_world(desk.world, "changes", target)
    async with drive(app, *sort, "ctrl+n") as driver:
        before = driver.selected
        await driver.type("Say more")
        await driver.press("enter")
        assert sorted(subjects(driver)) == ["Not ready", "Say more"]
        assert driver.selected == before == desk.draft
        assert "Started #" in driver.screen


async def test_a_new_one_in_the_space_that_is_shown(desk: Desk) -> None:
    target = Target(organization=desk.world.home, space=desk.legal)
    async with drive(open_world(desk.world, "changes", target), "ctrl+n") as driver:
        await driver.press("enter")
        assert "A subject is needed." not in driver.line("What is it about?")
        await driver.type("Say thanks")
        await driver.press("enter")
        assert subjects(driver) == ["Say thanks"]


async def test_what_a_reader_may_not_do_says_why(desk: Desk) -> None:
    reader = desk.world.user("reader", "read")
    async with drive(open_world(desk.world, "changes", user=reader)) as driver:
        for key, why in (
            ("x", "The change request is not yours, and you may not merge in Legal."),
            ("m", "You may not merge in Legal."),
            ("e", "The change request is not yours, and you may not merge in Legal."),
        ):
            await driver.press(key)
            assert why in driver.screen
        await driver.press("1")
        assert "Nothing waits on you." in driver.screen


async def test_enter_and_d_open_the_review(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "enter") as driver:
        assert driver.place.PLACE == "review"
        assert driver.place.target.change_request == desk.terms
        await driver.press("escape")
        assert driver.place.PLACE == "changes"
        await driver.press("d")
        assert driver.place.view == "changes"


async def test_a_refresh_moves_nothing(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "j") as driver:
        before = driver.selected
        desk.world.change_request(desk.legal, subject="Newcomer", by=desk.world.ana)
        desk.world.edit_change_request(desk.oauth, {"auth": "# Auth\n\nUse two.\n"})
        await driver.press("R")
        assert driver.selected == before
        assert "Newcomer" not in driver.screen
        assert "press . to show them" in driver.screen
        await driver.press(".")
        assert subjects(driver)[:2] == ["Fix auth code samples", "Newcomer"]
        assert driver.selected == before


async def test_the_rows_of_the_last_run_are_there_before_the_service_answers(desk: Desk) -> None:
    snapshot = Snapshots()
    target = Target(organization=desk.world.home)
    async with drive(open_world(desk.world, "changes", target, snapshot=snapshot)):
        pass
    desk.world.change_request(desk.legal, subject="Newcomer", by=desk.world.ana)
    app = open_world(desk.world, "changes", target, snapshot=snapshot)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        # Nothing has been asked yet: the client is made after the first frame.
        assert subjects(driver)[0] == "Be kinder"
        before = driver.selected
        assert before == desk.terms
        assert "Platform guide" in screen_text(app)
        await driver.idle()
        assert driver.selected == before
        assert subjects(driver)[0] == "Newcomer"
        assert "Platform guide" in driver.screen


async def test_the_rows_of_the_last_run_stay_while_the_service_is_away(desk: Desk) -> None:
    snapshot = Snapshots()
    async with drive(open_world(desk.world, "changes", snapshot=snapshot)) as driver:
        organization = driver.app.session.organization
    target = Target(organization=organization)

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    def broken() -> Api:
        return Api(BASE_URL, "token", transport=httpx.MockTransport(refuse))

    app = open_world(desk.world, "changes", target, snapshot=snapshot, api=broken)
    async with drive(app) as driver:
        assert "Be kinder" in driver.screen
        assert "Offline:" in driver.screen
        assert "offline" in driver.screen.splitlines()[0]


async def test_a_poll_brings_what_others_did_and_moves_nothing(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "j") as driver:
        before = driver.selected
        lee = desk.world.user("lee")
        desk.world.write(lambda tx: threads.add_review(tx, desk.limits, lee, "approved"))
        desk.world.change_request(desk.legal, subject="Newcomer", by=desk.world.ana)
        here(driver).poll()
        await driver.idle()
        assert driver.selected == before
        assert "READY TO MERGE   2 rules met" in said(driver)
        assert "[Open 4]" in driver.screen
        assert "press . to show them" in driver.screen
        await driver.press(".")
        assert "● new or changed   ^ out of date   THR open threads" in driver.screen
        await driver.press("?")
        await driver.type("sign out of")
        assert "out of date: main has moved on" in driver.screen
        await driver.press("escape")
        world = desk.world
        world.change_request(desk.legal, subject="Draft", by=world.ana, status="draft")
        here(driver).poll()
        await driver.idle()
        assert "Draft 2" in driver.screen


async def test_what_a_cluster_asked_for(desk: Desk) -> None:
    world = desk.world
    cluster = world.write(lambda tx: add_cluster(tx, world.home, "Samples fail"))
    world.change_request(desk.guide, subject="Mend the samples", by=world.ana, cluster=cluster)
    target = Target(organization=world.home, cluster=cluster)
    async with drive(open_world(world, "changes", target)) as driver:
        assert subjects(driver) == ["Mend the samples"]
        assert "Samples fail" in said(driver)
        await driver.press("g k")
        assert driver.place.PLACE == "clusters"
        assert driver.place.target.cluster == cluster

    # From one that answers none all show, and it is said why; the same from its review.
    async with drive(open_world(world, "changes", Target(organization=world.home))) as driver:
        await driver.press("j", "g k")
        assert driver.place.PLACE == "clusters"
        assert "answers no cluster. - goes back." in driver.screen
        await driver.press("-", "enter")
        assert driver.place.PLACE == "review"
        await driver.press("g k")
        assert driver.place.PLACE == "clusters"
        assert "answers no cluster. - goes back." in driver.screen


async def test_copies_of_what_is_selected(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "Y") as driver:
        assert "#1 " in driver.line("number")
        await driver.type("subject")
        await driver.press("enter")
        assert "Copied “Be kinder" in driver.screen
        assert driver.app.clipboard == "Be kinder"


async def test_hostile_subjects_stay_subjects(world: World) -> None:
    space = world.space("Legal", {"a": "# A"})
    world.change_request(
        space,
        {"a": "# B"},
        subject="[bold]Red[/] \x1b[31m\x1b]0;owned\x07 \u202eltr \U0001f468\u200d\U0001f469",
        description=markdown_to_document("line \x1b[2Jone\n\ntwo \u202e").to_dict(),
    )
    async with drive(open_world(world, "changes"), size=(140, 40)) as driver:
        assert "[bold]Red[/]" in driver.screen
        assert "line one" in driver.screen
        for evil in ("\x1b", "\u202e", "owned", "\u200d"):
            assert evil not in driver.screen


async def test_a_long_list_is_read_as_the_cursor_nears(world: World) -> None:
    space = world.space("Legal", {"a": "# A"})
    for number in range(430):
        world.change_request(space, subject=f"Change {number}")
    async with drive(open_world(world, "changes")) as driver:
        source = here(driver).rows.source
        assert (source.count, source.base.loaded) == (430, 200)
        await driver.press("G")
        assert source.base.loaded == 430
        assert "Change 0" in driver.screen
        await driver.press("g g", "/")
        await driver.type("change 42")
        # By number as well: #42, #142, …
        assert "19 of 430 match" in driver.screen


async def test_a_service_that_cannot_be_reached_and_comes_back(desk: Desk) -> None:
    real, down = desk.world.client(), [True]

    async def answer(request: httpx.Request) -> httpx.Response:
        if down[0]:
            raise httpx.ConnectError("refused")
        found = await real.request(request.method, str(request.url))
        return httpx.Response(found.status_code, content=found.content)

    def api() -> Api:
        return Api(BASE_URL, "token", transport=httpx.MockTransport(answer))

    async with drive(open_world(desk.world, "changes", api=api)) as driver:
        assert "Offline:" in driver.screen
        down[0] = False
        await driver.press("enter")
        assert len(subjects(driver)) == 3
    await real.aclose()


async def test_a_service_without_the_extensions(desk: Desk) -> None:
    real = desk.world.client()
    lacking = ("/v1/user", f"/orgs/{desk.world.home}/spaces", "/changes", "/reviews",
               "/requested-reviewers")  # fmt: skip

    async def published_only(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(lacking):
            return httpx.Response(405)
        answer = await real.request(request.method, str(request.url))
        return httpx.Response(answer.status_code, content=answer.content)

    api = Api(BASE_URL, "token", transport=httpx.MockTransport(published_only))
    async with drive(open_world(desk.world, "changes", api=api), "j", size=(140, 40)) as driver:
        assert "Mine" not in driver.screen
        assert "Needs me" not in driver.screen
        assert "Platform guide" in " ".join(cells(driver, "Rate limit"))
        text = said(driver)
        # The two page trees tell it instead; reviews stay unknown.
        assert "+  Quotas" in text
        assert "its reviews are not known" in text
        assert "reviews not said by the service" in text
        await driver.press(":")
        await driver.type("needs-me")
        await driver.press("enter")
        assert "does not say who you are" in driver.screen
    await real.aclose()


async def test_one_that_is_gone_says_so(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes")) as driver:
        desk.world.write(lambda tx: tx.run("DELETE FROM change_request WHERE id = ?", desk.limits))
        await driver.press("j")
        assert "Not found" not in said(driver), "what is known of it is not asked again"
        await driver.press("R")
        assert "Not found: deleted or moved." in said(driver)


async def test_what_others_archive_is_marked_by_a_poll_and_goes_with_a_dot(desk: Desk) -> None:
    from copydesk.server import change_requests

    async with drive(open_world(desk.world, "changes"), "j") as driver:
        desk.world.write(lambda tx: change_requests.set_status(tx, desk.terms, "archived"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "[archived] Be kinder" in driver.screen
        assert "[Open 2]" in driver.screen
        assert here(driver).counts["archived"] == 2
        assert "press . to show them" in driver.screen
        assert driver.selected == desk.limits
        await driver.press(".")
        assert "Be kinder" not in driver.screen
        assert driver.selected == desk.limits


async def test_what_others_archive_is_marked_by_hand_also_in_a_sorted_list(desk: Desk) -> None:
    from copydesk.server import change_requests

    async with drive(open_world(desk.world, "changes")) as driver:
        desk.world.write(lambda tx: change_requests.set_status(tx, desk.terms, "archived"))
        await driver.press("R")
        assert "[archived] Be kinder" in driver.screen
        assert "[Open 2]" in driver.screen
        await driver.press("S")
        assert "Be kinder" not in driver.screen
        desk.world.write(lambda tx: change_requests.set_status(tx, desk.oauth, "draft"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "[draft] Fix auth code" in driver.screen
        assert "[Open 1]" in driver.screen


async def test_the_details_are_those_of_the_first_row_of_a_space(desk: Desk) -> None:
    snapshot = Snapshots()
    for _ in range(2):  # first read, then shown from the time before
        app = open_world(desk.world, "spaces", snapshot=snapshot)
        async with drive(app, "/", size=(140, 40)) as driver:
            await driver.type("guide")
            await driver.press("enter", "enter")
            place = driver.place
            if not isinstance(place, ChangesPlace):
                await driver.press("enter")
            assert subjects(driver)[0] == "Rate limit page rewrite"
            assert "Nothing is selected." not in driver.screen
            assert "Priya Raman, opened" in said(driver)


async def test_what_is_merged_in_its_review_is_marked_in_the_list(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), size=(140, 40)) as driver:
        assert "READY TO MERGE" in said(driver)
        await driver.press("enter", "m", "y", "escape", "q")
        assert driver.place.PLACE == "changes"
        assert "[merged] Be kinder" in driver.screen
        assert "[All open 2]" in driver.screen
        for _ in range(2):
            driver.place.read_again(by_hand=False)
            await driver.idle()
        assert "[All open 2]" in driver.screen, "the row is shown, and is none of them"
        assert "READY TO MERGE" not in said(driver)
        assert said(driver).count("merged") == 1
        await driver.press("m")
        assert "is merged: that cannot change." in driver.screen


async def test_a_typed_subject_outlives_esc(desk: Desk) -> None:
    target = Target(organization=desk.world.home, space=desk.legal)
    async with drive(open_world(desk.world, "changes", target), "ctrl+n") as driver:
        await driver.type("Say thanks")
        await driver.press("escape", "ctrl+n")
        assert "Say thanks" in driver.screen
        assert "what you typed before is back" in driver.screen
        await driver.type(" twice")
        await driver.press("enter")
        assert subjects(driver) == ["Say thanks twice"]
        await driver.press("ctrl+n")
        assert "is back" not in driver.screen
        assert driver.app.session.drafts.texts() == {}


async def test_the_subject_is_in_sight_when_it_is_edited(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "G", "e") as driver:
        assert "│  ┃ Fix auth code samples " in driver.screen
        assert "ctrl+s save" in driver.screen
        assert "send" not in driver.line("ctrl+s")
        await driver.type("Now: ")
        await driver.press("ctrl+s")
        assert (await desk.get(desk.oauth)).subject == "Now: Fix auth code samples"


async def test_people_are_told_apart_by_the_column_of_names(desk: Desk) -> None:
    for name in ("Author 2cd3", "Author 2f1e"):
        by = desk.world.user(name, display_name=name)
        desk.world.change_request(desk.legal, subject=f"By {name[-4:]}", by=by)
    target = Target(organization=desk.world.home, space=desk.legal)
    async with drive(open_world(desk.world, "changes", target)) as driver:
        assert "Author 2cd3" in driver.line("By 2cd3")
        assert "Author 2f1e" in driver.line("By 2f1e")


async def test_cells_of_rows_not_visited_fill_in_on_a_small_screen(desk: Desk) -> None:
    target = Target(organization=desk.world.home, space=desk.guide)
    async with drive(open_world(desk.world, "changes", target)) as driver:
        assert ". not read yet" in driver.screen
        place = here(driver)
        await eventually(
            lambda: all(place.known.details(row) is not None for row in place.rows.source.shown()),
            driver.idle,
        )
        assert " . " not in driver.line("Fix auth code samples")


def foot(driver: Driver) -> str:
    return driver.screen.splitlines()[-1].strip()


async def test_the_filter_says_what_it_knows_and_completes_it(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/") as driver:
        assert foot(driver) == "enter keep it  esc end it  tab complete"
        assert "author:  by:" in driver.screen
        assert "has:" in driver.screen
        await driver.type("st")
        await driver.press("tab")
        await driver.type("o")
        assert "status:open" in driver.screen
        await driver.press("tab")
        assert here(driver).rows.found == "status:open"
        await driver.type(" -is:dis")
        await driver.press("tab")
        assert here(driver).rows.found == "status:open -is:discussed"
        assert len(subjects(driver)) == 2
        await driver.press("enter")
        assert "? help" in foot(driver)
        assert len(subjects(driver)) == 2


async def test_a_filter_for_what_there_is_not_says_what_there_is(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "/") as driver:
        await driver.type("is:blocked")
        known = "outdated, discussed, mine, snoozed"
        assert f"There is no is:blocked; known are {known}" in driver.screen
        assert len(subjects(driver)) == 3
        await driver.press("escape", "?")
        await driver.type("filter language")
        assert "outdated," in driver.screen, driver.screen


async def test_the_foot_says_the_keys_of_the_command_line(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), ":") as driver:
        assert foot(driver) == "enter go  esc close  tab complete  up earlier"
        await driver.type("changes")
        await driver.press("enter")
        assert driver.place.PLACE == "changes"


async def test_a_filter_of_spaces_without_a_match_says_so(desk: Desk) -> None:
    async with drive(open_world(desk.world, "spaces"), "/") as driver:
        await driver.type("517")
        await driver.press("enter")
        assert "0 of 2 match. Esc clears the filter." in driver.screen
        assert "administrator" not in driver.screen
        await driver.press("escape")
        assert "Platform guide" in driver.screen


async def test_a_merge_from_the_list_says_what_was_not_seen(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "m", size=(100, 40)) as driver:
        assert "! 1 of 1 page not read by you" in driver.screen
        page = desk.world.page_id(desk.legal, "terms")
        driver.app.session.seen.mark(desk.terms, page, "# Terms\n\nBe very kind.\n")
        await driver.press("escape", "m")
        assert "not read by you" not in driver.screen


async def test_changes_by_name_leads_from_needs_me_to_what_is_open(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "g n", ":") as driver:
        assert driver.place.view == "needs-me"
        await driver.type("changes")
        await driver.press("enter")
        assert driver.place.view == "open"
        assert len(subjects(driver)) == 3


async def test_the_log_gives_targets_the_room_and_chords_are_listed_whole(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "e") as driver:
        await driver.type("A subject that says much: ")
        await driver.press("ctrl+s")
        await driver.press("m")
        await driver.press("y")
        await driver.press("escape", "@")
        assert "#1 A subject that says much" in driver.screen, driver.screen
        await driver.press("escape", "g")
        assert "gk cluster" in driver.screen


async def test_enter_opens_the_overview_and_d_the_changes(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes"), "enter", size=(100, 40)) as driver:
        assert "[Overview]" in driver.screen
    async with drive(open_world(desk.world, "changes"), "d", size=(100, 40)) as driver:
        assert "[Changes" in driver.screen


async def test_a_number_in_a_list_of_several_spaces_is_that_of_the_row_that_has_it(
    desk: Desk,
) -> None:
    async def asked_for(driver: Driver, number: str) -> str:
        await driver.press(":")
        await driver.type(number)
        await driver.press("enter")
        return driver.screen

    async with drive(open_world(desk.world, "changes")) as driver:
        assert "#999 is counted in a space: g s goes to one." in await asked_for(driver, "999")
        said = "There is a #1 in 2 spaces here: open the one that is meant with Enter."
        assert said in await asked_for(driver, "1")
        assert driver.place.PLACE == "changes"
        await asked_for(driver, "#3")
        assert driver.place.PLACE == "review"
        assert "#3 Rate limit page rewrite" in driver.screen
        said = "There is no #999 in “Platform guide”: g s goes to another space."
        assert said in " ".join((await asked_for(driver, "999")).split())
        assert "deleted" not in driver.screen


async def test_the_settings_may_name_each_column(desk: Desk) -> None:
    async with drive(open_world(desk.world, "changes")) as driver:
        assert isinstance(driver.place, ChangesPlace)
        assert [each.key for each in driver.place.all_columns] == list(ChangesPlace.COLUMNS)
