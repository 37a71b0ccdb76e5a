"""The request as a whole: its rules one by one, what happened to it, verdicts, merging."""

from __future__ import annotations

from datetime import timedelta

import httpx

from copydesk.contract import operations as ops
from copydesk.contract.models.comment import CommentUpdate, MarkdownBody
from copydesk.contract.models.merge_rules import MergeRulesWrite
from copydesk.contract.models.review import ReviewCreate
from copydesk.domain.keymap import OwnKeys
from copydesk.session.declarations import keymap
from copydesk.session.draft_keys import review_key
from copydesk.session.target import Target
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.tui.review_world import Faults, ReviewWorld, furnish


def rule(review: ReviewWorld, *rules: dict[str, object]) -> None:
    """Set the merge rules of the space."""
    written = MergeRulesWrite.model_validate({"type": "rules", "rules": list(rules)})
    review.world.write(
        lambda tx: tx.update("space", review.space, merge_rules=written.to_json().decode())
    )


async def press(driver: Driver, *keys: str) -> Driver:
    """Press keys and return the driver."""
    await driver.press(*keys)
    return driver


async def waiting(driver: Driver, *keys: str) -> None:
    """Press keys, each in the sheet that the one before opened, until a write can be recalled."""

    async def press_and_wait(key: str, *, last: bool) -> None:
        before = driver.app.screen
        await driver.send(key)
        app = driver.app
        await eventually(
            lambda: bool(app.session.writes.waits) if last else app.screen != before, driver.turn
        )

    for at, key in enumerate(keys, 1):
        await press_and_wait(key, last=at == len(keys))
    await driver.settle()


async def test_rules_are_explained_one_by_one(review: ReviewWorld) -> None:
    world = review.world
    priya = world.user("priya", display_name="Priya Rao")
    rule(
        review,
        {"rule": "require_one_of_specific_reviewers", "users": [priya]},
        {"rule": "require_up_to_date_change_request"},
        {"rule": "require_change_request_subject"},
        {"rule": "require_change_request_description"},
    )
    world.clock.now += timedelta(hours=3)
    world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), "w", size=(140, 40)) as driver:
        await driver.type("priya")
        await driver.press("space", "ctrl+s", "4")
        screen = driver.screen
        assert "[Rules 1/4]" in screen
        assert "one of specific reviewers   fails" in screen
        assert "asked    Priya Rao by Ana Silva, now, no answer yet" in screen
        assert "It waits on Priya Rao; w asks people." in screen
        assert "main     moved to" in screen
        assert "written there since this was started: Events" in screen
        assert "U updates it from main." in screen
        assert "subject   passes" in screen
        assert "e edits subject and description" in screen
        assert "6 of 6 pages not read by you" in screen
        assert "0 links broken" in screen
        await world.api(priya)(
            ops.create_change_request_review,
            review.space,
            review.request,
            ReviewCreate(status="approved"),
        )
        world.clock.now += timedelta(hours=2)
        await driver.press("U", "y", "4")
        assert "[Rules 3/4]" in driver.screen
        assert "reviews  Priya Rao approved, 2 h ago, before the latest change" in driver.screen
        assert "it has all of main" in driver.screen
        await driver.press("w")
        await driver.type("priya")
        await driver.press("space", "ctrl+s", "4")
        assert "asked    Priya" not in driver.screen


async def test_the_tabs_full_empty_and_out_of_reach(
    review: ReviewWorld, update_golden: bool
) -> None:
    world = review.world
    priya = world.user("priya", display_name="Priya Rao")
    rule(
        review,
        {"rule": "require_one_of_specific_reviewers", "users": [priya]},
        {"rule": "require_up_to_date_change_request"},
    )
    furnish(review)
    await world.api(priya)(
        ops.create_change_request_review,
        review.space,
        review.request,
        ReviewCreate(status="changes-requested", comment=MarkdownBody(markdown="Split it.")),
    )
    world.clock.now += timedelta(hours=3)
    world.commit(review.space, {"events": "# Events\n\nMuch can happen.\n"})
    async with drive(review.app(), "4", size=(140, 40)) as driver:
        for size in ((140, 40), (80, 24)):
            await driver.resize(*size)
            for key, name in (("4", "review-rules"), ("5", "review-activity")):
                await driver.press(key)
                driver.golden(name, update=update_golden)
    faults = Faults(world)
    faults.gone = True
    async with drive(review.app(faults=faults), "4", size=(140, 40)) as driver:
        driver.golden("review-failing", update=update_golden)
        for key in ("1", "3", "5"):
            await driver.press(key)
            assert driver.screen.count("Offline: desk cannot be reached") == 2, key
    space = world.space("Plain", {"page": "# Page\n\nText.\n"})
    request = world.change_request(space, edit=lambda editor: None, by=world.ana)
    target = Target(space=space, change_request=request, view="rules")
    async with drive(open_world(world, "review", target)) as driver:
        assert "This space has no merge rules." in driver.screen
        await driver.press("a")
        assert "You wrote it: what you say of it counts for no rule." in driver.screen
        await driver.press("escape", "5")
        assert "begun" in driver.screen
        await driver.press("1")
        assert "CHANGES NOTHING   there is nothing to merge" in driver.screen
        await driver.press("m")
        assert "! it changes nothing: there is nothing to merge" in driver.screen
        await driver.press("escape", "g c")
        assert "merge CHANGES NOTHING" in " ".join(driver.screen.split())


async def test_the_rule_of_an_update_that_conflicts_names_the_way_out(review: ReviewWorld) -> None:
    rule(review, {"rule": "require_up_to_date_change_request"})
    review.world.commit(review.space, {"webhooks/retries": "# Retries\n\nNever.\n"})
    async with drive(review.app(), "4", size=(100, 40)) as driver:
        assert "U updates it from main." in driver.screen
        await driver.press("U", "y", "escape", "4")
        said = " ".join(driver.screen.replace("│", " ").split())
        assert "An update conflicts in pages that both sides changed: U settles them." in said


async def test_what_only_the_service_knows_is_a_question_mark(review: ReviewWorld) -> None:
    rule(review, {"rule": "require_at_least_one_review"}, {"rule": "require_all_reviews_approved"})
    furnish(review)
    faults = Faults(review.world, bare=True)
    async with drive(review.app(faults=faults), "4", size=(140, 40)) as driver:
        assert "? at least one review   not known here" in driver.screen
        assert "The service does not tell them." in driver.screen
        assert "Only the service can tell" in driver.screen
        assert "a approve" not in driver.screen
        assert "w reviewers" not in driver.screen
        await driver.press("m")
        assert "? needs an approving review; its reviews are not known" in driver.screen
        assert "no other open change request touches these pages" not in driver.screen
        await driver.press("escape", "5")
        assert "begun: Webhook retries" in driver.screen
        assert "commented on Retries   Link it, please." in driver.screen


async def test_what_happened_is_told_newest_first_and_leads_there(review: ReviewWorld) -> None:
    world, found = review.world, furnish(review)
    world.clock.now += timedelta(hours=1)
    ana = world.api()
    await ana(
        ops.create_change_request_review,
        review.space,
        review.request,
        ReviewCreate(status="changes-requested", comment=MarkdownBody(markdown="Split it.")),
    )
    world.clock.now += timedelta(hours=1)
    await ana(
        ops.update_change_request_comment,
        review.space,
        review.request,
        found["guide"],
        CommentUpdate(resolved=True),
    )
    world.clock.now += timedelta(hours=1)
    async with drive(review.app(), "5", size=(140, 40)) as driver:
        told = [
            "resolved   Link it",
            "asked for changes   Split it.",
            "Lee Park           [3] replied",
            "commented on Retries   This reads",
            "edited   revision",
            "begun: Webhook retries",
        ]
        places = [driver.screen.index(said) for said in told]
        assert places == sorted(places)
        await driver.press("x")
        assert review.world.row("comment", found["guide"])["status"] == "open"
        assert "resolved   Link it" not in driver.screen
        await driver.press("j", "enter")
        assert "Is it 24 hours from the" in driver.screen
        assert driver.place.view == "changes"
        await driver.press("5", "G", "enter")
        assert driver.place.view == "overview"
        assert "0 links broken" in driver.screen
        objected = "Ana Silva asked for changes; no one has approved it since"
        assert "READY !   Ana Silva asked for changes;" in driver.screen
        await driver.press("m")
        assert f"! {objected}" in driver.screen
        await driver.press("escape", "4")
        assert f"! {objected}" in driver.screen
        await driver.press("m", "y", "escape", "5")
        assert "merged into main" in driver.screen


async def test_drafts_go_with_a_verdict_and_what_is_refused_stays(review: ReviewWorld) -> None:
    furnish(review)
    faults = Faults(review.world)
    app = review.app(faults=faults)
    before = review.open_threads()
    for part, text in ((f"{review.page('webhooks/retries')}/page", "Why?"), ("request", "Nice.")):
        app.session.drafts.save(review_key(review.space, review.request, part), text)
    async with drive(app, "A") as driver:
        assert "2 of 2 drafts first, then the review; it waits for them" in driver.screen
        await driver.burst(*"See.")
        faults.refusing = True
        await driver.press("ctrl+s")
        assert "on the change request Nice." in driver.screen
        assert driver.line("The review waits:").split()[1:2] == ["review"]
        assert len(app.session.drafts.texts()) == 3
        faults.refusing = False
        await driver.press("r")
        assert "Asked for changes in #1, with 2 drafts" in driver.screen
        assert driver.place.PLACE == "review"
        assert not app.session.drafts.texts()
        assert review.open_threads() == before + 3  # what is said with a verdict is one too
        await driver.press("u", "y")
        assert review.open_threads() == before + 1
        assert "Ana Silva asked for changes" in (await press(driver, "1")).screen
        await driver.press("a", "tab", "space", "space")
        assert "2 drafts, none goes along" in driver.screen
        await driver.press("ctrl+s")
        assert "Approved #1; a review cannot be undone." in driver.screen
        assert len(app.session.drafts.texts()) == 2
        app.session.recall_seconds = 600
        await waiting(driver, "a", "ctrl+s")
        assert "sent in 600 s" in driver.screen
        await driver.send("u")
        await driver.idle()
        assert "Recalled: nothing was sent." in driver.screen
        assert len(app.session.drafts.texts()) == 2
        assert review.open_threads() == before + 1
        await waiting(driver, "a", "ctrl+s")
        await driver.send("escape")  # it goes on without its sheet, and is still one
        await driver.send("u")
        await driver.idle()
        assert driver.app.screen is driver.place
        assert "Recalled: nothing was sent." in driver.screen
        assert (len(app.session.drafts.texts()), review.open_threads()) == (2, before + 1)
        await waiting(driver, "a", "ctrl+s")
        await driver.send("escape")
        await driver.send("Q")  # quitting sends all that goes together, and then quits
        await driver.idle()
    assert review.open_threads() == before + 3
    assert not app.session.drafts.texts()
    assert [line.what for line in app.session.log if line.state == "done"][-3:] == [
        "Comment", "Comment", "Approve",
    ]  # fmt: skip


async def test_a_comment_that_can_still_be_recalled_is_no_draft_of_the_review(
    review: ReviewWorld,
) -> None:
    app = review.app()
    app.session.recall_seconds = 600
    before = review.open_threads()
    async with drive(app, "C") as driver:
        await driver.burst(*"Why?")
        await waiting(driver, "ctrl+s")
        await driver.send("a")
        await eventually(lambda: "A review cannot be undone" in driver.screen, driver.turn)
        assert "first, then the review" not in driver.screen
        await driver.send("ctrl+s")
        await eventually(lambda: len(app.session.writes.waits) == 2, driver.turn)
        await driver.send("Q")
        await driver.idle()
    assert review.open_threads() == before + 1
    assert [(line.what, line.state) for line in app.session.log] == [
        ("Comment", "done"), ("Approve", "done"),
    ]  # fmt: skip
    assert not app.session.drafts.texts()


async def test_a_chord_of_the_settings_holds_in_a_merge_too(review: ReviewWorld) -> None:
    app = review.app()
    app.use_keys(keymap(OwnKeys("vim", {"merge_sheet.confirm": ("z m",)}))[0])
    async with drive(app, "m", size=(100, 30)) as driver:
        await driver.press("z", "escape")
        assert " merge   esc cancel" in driver.screen
        await driver.press("z", "m")
        assert "Merged. It is live now." in driver.screen


async def test_the_sentences_of_a_merge_name_the_keys_of_the_settings(review: ReviewWorld) -> None:
    rule(review, {"rule": "require_at_least_one_review"})
    app = review.app()
    own = {
        "merge_sheet.confirm": ("f7",),
        "merge_sheet.merge_when_ready": ("f8",),
        "merge_sheet.update": ("f9",),
    }
    app.use_keys(keymap(OwnKeys(keys=own))[0])
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("m")
        assert "f8 merges when its rule" in driver.screen
        assert "f8 merge when ready   esc cancel" in driver.screen
        review.world.commit(review.space, {"webhooks/retries": "# Retries\n\nOf main.\n"})
        await driver.press("escape", "m")
        assert "main has moved on since; f9 updates first" in driver.screen
        assert "f9 update from main first" in driver.screen
        review.world.write(lambda tx: tx.update("change_request", review.request, status="draft"))
        await driver.press("escape", "m", "f7")
        assert "f7 merges nothing yet." in driver.screen


async def test_what_speaks_for_a_merge_is_moved_through_as_any_dialog(review: ReviewWorld) -> None:
    async with drive(review.app(), "m", size=(40, 12)) as driver:
        last = "links broken"
        assert last not in driver.screen
        await driver.press("end")
        assert last in driver.screen
        await driver.press("home", "pagedown")
        assert "#1" not in driver.screen
        await driver.press("pageup", "pageup", "j")
        assert "↑↓ more (up, down)" in driver.screen


async def test_a_merge_shows_all_beside_it_and_can_be_stopped(review: ReviewWorld) -> None:
    world = review.world
    other = world.change_request(
        review.space,
        edit=lambda editor: editor.write(editor.find("webhooks/retries"), "# Retries\n\nNo.\n"),
        subject="Shorter retries",
        by=review.lee,
    )
    assert other
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, "m", size=(140, 40)) as driver:
        assert "same page as #2 Shorter retries: Retries" in driver.screen
        assert "0 pages link here, 0 links broken" in driver.screen
        assert "This goes live at once; :revert reverts the merge." in driver.screen
        app.session.recall_seconds = 600
        for key in ("escape", "m"):
            await press(driver, key)
        await waiting(driver, "y")
        assert "Merging in 600 s. Nothing is sent yet." in driver.screen
        await press(driver, "escape")
        assert "Stopped: nothing was merged." in driver.screen
        assert world.row("change_request", review.request)["status"] == "open"
        app.session.recall_seconds = 0
        rule(review, {"rule": "require_at_least_one_review"})
        await driver.press("y")
        assert "Refused by a rule:" in driver.screen
        assert "at least one review: it was not a rule yet; read again, needs an" in driver.screen
        rule(review, {"rule": "require_change_request_subject"})
        await driver.press("escape", "m")
        way.slow = "POST"
        await driver.send("y")
        assert "merge when ready" not in driver.screen
        await driver.send("M", "U")
        assert "The merge is under way.  esc close" in driver.screen
        way.let.set()
        await driver.idle()
        assert "Merged. It is live now." in driver.screen
        assert "revision " in driver.screen


async def test_what_is_not_on_the_screen_is_not_approved_or_merged_unsaid(
    review: ReviewWorld,
) -> None:
    async with drive(review.app(), size=(100, 30)) as driver:
        await driver.press("2", "a")
        await driver.type("Good.")
        review.world.edit_change_request(review.request, {"overview": "Other words."})
        await driver.press("ctrl+s")
        said = " ".join(driver.screen.split())
        assert "Not sent: #1 was edited since you read it here. R reads it; what you wrote" in said
        await driver.press("m")
        assert "! changed since you read it: read it again first" in driver.screen
        await driver.press("escape", "R", "m")
        assert "since you read it" not in driver.screen
        await driver.press("escape", "a")
        assert "Good." in driver.screen
        await driver.press("ctrl+s")
        assert "Approved #1" in driver.screen
        review.world.edit_change_request(review.request, {"overview": "Again other words."})
        driver.place.poll()
        await eventually(lambda: "changed by others" in driver.screen, driver.turn)
        await driver.press("A")
        assert "It was edited since you read it here: R reads it." in driver.screen
        await driver.press("ctrl+s")
        assert "Not sent" not in driver.screen


class Deaf(Faults):
    """A desk that does not tell of the change request itself while ``deaf`` is set."""

    def __init__(self, review: ReviewWorld) -> None:
        super().__init__(review.world)
        self._end = f"/{review.request}"
        self.deaf = False
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.deaf and request.method == "GET" and request.url.path.endswith(self._end):
            return httpx.Response(500, json={"error": {"code": 500, "message": "No."}})
        return await super().handle_async_request(request)


async def test_a_review_waits_where_nothing_tells_whether_what_was_read_is_as_it_was(
    review: ReviewWorld,
) -> None:
    way = Deaf(review)
    app = review.app(faults=way)
    async with drive(app, size=(100, 30)) as driver:
        await driver.press("2", "a")
        await driver.type("Good.")
        review.world.edit_change_request(review.request, {"overview": "Other words."})
        way.deaf = True
        await driver.press("ctrl+s")
        assert "Waits in the outbox (g x): what it is about is read again first." in driver.screen
        assert [line.state for line in app.session.log] == ["queued"]
        way.deaf = False
        await driver.press("g x", "ctrl+s")
        [waiting] = app.session.outbox.items.values()
        assert (waiting.what, waiting.held) == ("Approve", "changed")
        # Who is known not to answer is not waited for.
        way.gone = True
        await driver.press("escape", "R", "A")
        way.asked = 0
        await driver.press("ctrl+s")
        assert (way.asked, app.session.outbox.count) == (0, 2)
