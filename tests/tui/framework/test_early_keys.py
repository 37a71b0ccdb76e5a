"""Keys that are pressed before everything is loaded, or anything is read."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from textual import events

from copydesk.client.api import Api
from copydesk.client.errors import Unreachable
from copydesk.domain.keymap import OwnKeys
from copydesk.local.drafts import DeskDrafts
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.server.desk_writes import Editor, add_saml_provider
from copydesk.session.declarations import keymap
from copydesk.session.draft_keys import schema_key
from copydesk.session.reads.visitor_schema import SchemaDraft
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.choice import ChoiceInput
from copydesk.tui.dialogs.composer import Composer
from copydesk.tui.dialogs.dialog import Confirm, Sheet, TypeToConfirm
from copydesk.tui.framework.early_keys import LOOK_SECONDS
from copydesk.tui.framework.frame import Status
from copydesk.tui.review.diff import DiffView
from copydesk.tui.system.reference import load_everything
from copydesk.tui.widgets.list import VirtualList
from tests.drive import Driver, drive, eventually
from tests.tui.conversations_world import fill
from tests.tui.opening import open_world, typed
from tests.tui.review_world import Faults, ReviewWorld
from tests.tui.sample_desk import Sample, back, targets
from tests.world import BASE_URL, World

pytestmark = pytest.mark.usefixtures("frames_as_in_the_program")


async def test_enter_while_the_rows_are_read_waits_for_them_and_says_so(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, subject="New words")
    app = open_world(world, "spaces")
    ready, gate = app.session.ready, asyncio.Event()

    async def later() -> object:
        await gate.wait()
        return await ready()

    app.session.ready = later  # type: ignore[assignment, method-assign]  # holds the first answer
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.send("enter")
        assert "1 key typed ahead: run once this is read. Esc discards it." in driver.screen
        gate.set()
        await driver.idle()
        assert driver.place.PLACE == "changes", "it opens what is there then"
        assert "typed ahead" not in driver.screen
        await driver.press("q")

        # What is typed for a row that nobody sees yet is not sent either, before it was seen.
        gate.clear()
        app.use_keys(keymap(OwnKeys("emacs"))[0])
        for key in ("g", "c", "a", *typed("Nix"), "ctrl+x", "ctrl+s", *typed("Wm")):
            await driver.send(key)
        assert "“approve” opens once this is read" in " ".join(driver.screen.split())
        gate.set()
        await eventually(lambda: app.screen is not driver.place, driver.turn)
        await driver.idle()
        assert "Nix" in driver.line("Nix")
        assert not driver.place.query_one(Status).message, "it has opened"
        assert app.session.log == []
        assert "Typed after that: Wm" in app.session.messages[-1].message


async def test_what_an_action_waited_for_is_said_no_more_below_what_it_asks(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, subject="New words")
    way = Faults(world)
    way.slow = "GET"
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "pages", Target(space=space), api=api)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.send("e")
        assert "“edit” opens once this is read" in driver.screen
        way.let.set()
        await eventually(lambda: app.screen is not driver.place, driver.turn)
        await driver.idle()
        assert "Where is it edited?" in driver.screen
        assert "opens once" not in driver.screen


@pytest.mark.long
async def test_what_is_typed_for_a_field_is_for_it_however_slow_the_service_is(
    world: World,
) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    way.slow = "POST"
    app = review.app(faults=way)
    async with drive(app, "]", size=(100, 30)) as driver:
        # A comment is being sent: the next one is written all the same, and none is sent twice.
        for text in ("First.", "Ax, all."):
            for key in ("C", "ctrl+r", *typed(text), "ctrl+s"):
                await driver.send(key)
        assert [(line.what, line.state) for line in app.session.log] == [("Comment", "sending")] * 2
        way.let.set()
        await driver.idle()
        assert review.open_threads() == 2
        assert [line.what for line in app.session.log] == ["Comment", "Comment"]
        # What can still be recalled is no draft to write on: it goes as the next one is begun.
        app.session.recall_seconds = 600
        for key in ("C", "ctrl+r"):
            await driver.send(key)
        # What follows the key that sends is for the place below, however quickly it comes.
        await driver.send(*typed("Third."), "ctrl+s", "C")
        await driver.send("ctrl+r")
        assert "draft restored" not in driver.screen
        assert [wait.over.is_set() for wait in app.session.writes.waits] == [False]
        for key in (*typed("Fourth."), "ctrl+s"):
            await driver.send(key)
        app.session.writes.send_now()
        await driver.idle()
        said = [line.text for line in app.session.log]
        assert said == ["First.", "Ax, all.", "Third.", "Fourth."]
        assert (review.open_threads(), app.session.drafts.texts()) == (4, {})
        app.session.recall_seconds = 0

        # What an action reads first keeps nobody from typing; esc stops that.
        await driver.press("g c")
        way.slow, way.let = "GET", asyncio.Event()
        for stops in (True, False):
            for key in ("e", *typed("Axm")):
                await driver.send(key)
            app.post_message(events.Paste(" Wq "))
            assert "“edit” opens: what you type is for it." in " ".join(driver.screen.split())
            if stops:
                await driver.send("escape")
                assert "Stopped: “edit” was not opened." in " ".join(driver.screen.split())
                assert "Typed for it: Axm Wq" in app.session.messages[-1].message
        way.let.set()
        await eventually(lambda: app.screen is not driver.place, driver.turn)
        await driver.idle()
        assert "Axm Wq Webhook retries and dead letters" in driver.screen
        assert len(app.session.log) == 4

        # What is typed for a request that is not read yet is for it too, whatever keeps it away.
        await driver.press("escape")
        way.let = asyncio.Event()
        for key in ("enter", "C", *typed("Was it so? a W"), "escape", "C", *typed("Wax so? a W")):
            await driver.send(key)
        assert driver.place.PLACE == "review"
        assert "“comment on whole” opens once this is read" in " ".join(driver.screen.split())
        assert "Typed for it: Was it so? a W" in app.session.messages[-1].message
        await driver.send("ctrl+s", "4")
        way.let.set()
        await eventually(lambda: len(app.session.log) == 5, driver.turn)
        await driver.idle()
        assert driver.place.view == "rules"
        assert (app.session.log[-1].text, review.open_threads()) == ("Wax so? a W", 5)
        # Nothing is done that is off once it is read.
        world.write(lambda tx: tx.run("UPDATE change_request SET status = 'merged'"))
        await driver.press("escape")
        way.let = asyncio.Event()
        for key in ("enter", "A", *typed("aWm")):
            await driver.send(key)
        way.let.set()
        await eventually(lambda: app.keyboard.ahead.opening is None, driver.turn)
        await driver.idle()
        assert "is merged and takes no review" in " ".join(driver.screen.split())
        assert "Typed for it: aWm" in app.session.messages[-1].message


async def test_a_text_that_fails_is_a_draft_though_another_was_begun_there_and_taken_back(
    world: World,
) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    way.slow = "POST"
    app = review.app(faults=way)
    async with drive(app, "]", size=(100, 30)) as driver:
        for key in ("C", "ctrl+r", *typed("First."), "ctrl+s"):
            await driver.send(key)
        app.session.writes.send_now()
        await eventually(lambda: app.session.log[0].state == "sending", driver.turn)
        for key in ("x", "backspace"):
            for each in ("C", "ctrl+r", key, "escape"):
                await driver.send(each)
        line = app.session.log[0]
        assert app.session.drafts.load(line.draft) is None
        way.refusing = True
        way.let.set()
        await driver.idle()
        assert "What you wrote is kept" in line.message
        assert app.session.drafts.load(line.draft) == "First."


async def test_what_is_typed_ahead_is_on_the_disk_and_opens_its_field_at_the_next_start(
    world: World,
) -> None:
    review = ReviewWorld(world)
    way, disk = Faults(world), DeskDrafts(State())
    way.gone = True
    app = review.app(faults=way, drafts=disk)
    async with drive(app, size=(100, 30)) as driver:
        await driver.send("C", *typed("Is ten enougg"), "backspace", *typed("h?"))
        await eventually(lambda: bool(disk.texts()), driver.turn)
        assert list(disk.texts().values()) == ["Is ten enough?"]
        await driver.send(*typed(" Or more?"))
        app.sudden_end.keep_typed()  # as when it is told to end
        assert list(disk.texts().values()) == ["Is ten enough? Or more?"]
    again = review.app(drafts=disk)
    async with drive(again, "g d", size=(140, 30)) as driver:
        assert "Is ten enough? Or" in driver.line("comment on whole: #1")
        await driver.press("enter")
        await eventually(lambda: again.screen is not driver.place, driver.turn)
        await driver.idle()
        assert "Comment on #1" in driver.screen
        await driver.press("ctrl+s")
        assert again.session.log[-1].text == "Is ten enough? Or more?"
        assert disk.texts() == {}


async def test_what_is_typed_ahead_is_offered_where_its_key_is_pressed_again(world: World) -> None:
    review, disk = ReviewWorld(world), DeskDrafts(State())
    way = Faults(world)
    way.gone = True
    app = review.app(faults=way, drafts=disk)
    async with drive(app, size=(100, 30)) as driver:
        await driver.send("C", *typed("Is ten enough?"))
        app.sudden_end.keep_typed()  # what is typed is on the disk, and then it is killed
        kept = disk.texts()
    assert list(kept.values()) == ["Is ten enough?"]
    again = review.app(drafts=disk)
    async with drive(again, size=(100, 30)) as driver:
        await driver.press("A")
        assert "Is ten enough?" not in driver.screen, "it is for another field"
        await driver.press("escape")
        assert disk.texts() == kept
        await driver.press("C", "ctrl+r")
        assert "Comment on #1" in driver.screen
        assert "Is ten enough?" in driver.screen
        assert list(disk.texts().values()) == ["Is ten enough?"]
        assert disk.texts() != kept, "its field keeps it now"
        await driver.press("escape")
        await driver.press("C", "ctrl+r")
        assert again.screen.query_one(Composer).text == "Is ten enough?"
        await driver.press("ctrl+s")
        assert again.session.log[-1].text == "Is ten enough?"
        assert disk.texts() == {}
        await driver.press("C", "ctrl+r")
        assert again.screen.query_one(Composer).text == ""


async def test_what_was_typed_ahead_in_vain_is_a_draft(world: World) -> None:
    review = ReviewWorld(world)
    way, disk = Faults(world), DeskDrafts(State())
    way.gone = True
    app = review.app(faults=way, drafts=disk)
    async with drive(app, size=(100, 30)) as driver:
        await driver.send("C", *typed("Why?"), "escape")
        await driver.idle()
        assert list(disk.texts().values()) == ["Why?"]
        assert "kept as a draft (g d)" in " ".join(driver.screen.split())


async def test_a_blank_line_is_no_trap_for_a_comment(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n\nOne.\n\n```\nrun\n\nstop\n```\n"})

    def edit(editor: Editor) -> None:
        text = "# A\n\nOne more.\n\nTwo.\n\n```\nrun\n\nstop now\n```\n"
        editor.write(editor.find("a"), text)

    request = world.change_request(space, edit=edit, subject="More")
    target = Target("acme", space, change_request=request, view="changes")
    app = open_world(world, "review", target)
    async with drive(app, size=(100, 30)) as driver:
        diff = driver.place.query_one(DiffView)
        assert diff.page is not None
        stops = []
        while diff.line not in stops:
            assert diff.line is not None
            stops.append(diff.line)
            await driver.press("j")
        said = [diff.page.line_text(line).strip() for line in stops]
        assert said == ["One.", "One more.", "Two.", "```", "run", "", "stop", "stop now", "```"]
        # The blank line in the code is one of the code; a comment there is on what is next to it.
        diff.go_to_line(stops[said.index("")])
        await driver.press("c")
        await driver.burst(*typed("Why? W a m"), "ctrl+s")
        assert driver.place.PLACE == "review"
        assert [line.text for line in app.session.log] == ["Why? W a m"]
        assert diff.page.line_text(diff.line or 0).strip() == "stop"


async def test_words_typed_after_a_refused_comment_are_no_commands(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "1", size=(100, 30)) as driver:
        # c comments on a line of the changes, and this is the overview.
        for keys in ("c", "Wm a", "c"):
            await driver.burst(*(("c", *typed("ome on, Wma")) if keys == "c" else typed(keys)))
            said = " ".join(driver.screen.split())
            assert driver.place is app.screen, "nothing of it opened anything"
        assert app.session.log == []
        assert "“comment” was refused" in said
        assert "27 keys typed after it were not run, the text is a draft (g d)" in said
        # A key after a pause acts again, and what was typed is in the log.
        await driver.press("@")
        assert "ome on, Wma" in driver.screen
        assert "ome on, Wma" in " ".join(app.session.drafts.texts().values())
        await driver.press("escape", "c")
        await driver.burst("x", "escape", "?")
        assert "Keys here" in driver.screen, "Esc says that one has seen it"


async def test_what_is_refused_in_a_tab_names_only_keys_that_work_there(world: World) -> None:
    review = ReviewWorld(world)
    async with drive(review.app(), "1", size=(100, 30)) as driver:
        await driver.press("r")
        assert "C starts one." in driver.screen
        assert "on this line" not in driver.screen
        await driver.press("c")
        said = " ".join(driver.screen.split())
        assert "to comment on here. 2 goes to the changes, C is for the change request." in said


async def test_words_typed_for_a_comment_that_is_refused_later_are_no_commands(
    world: World,
) -> None:
    review = ReviewWorld(world)
    way = Faults(world)
    app = review.app(faults=way)
    async with drive(app, size=(100, 30)) as driver:
        await driver.send("g", "c")
        await driver.idle()
        world.write(lambda tx: tx.run("UPDATE change_request SET status = 'merged'"))
        way.slow = "GET"
        for key in ("enter", "A", *typed("aW")):
            await driver.send(key)
        way.let.set()
        await eventually(lambda: app.keyboard.ahead.opening is None, driver.turn)
        await driver.burst(*typed("m, please. x"))
        said = " ".join(driver.screen.split())
        assert driver.place is app.screen
        assert "12 keys typed after it were not run" in said, driver.screen
        assert [line.message for line in app.session.log if line.state != "said"] == []


async def two_requests(world: World) -> list[str]:
    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    return [
        world.change_request(
            space, edit=lambda editor: editor.write(editor.find("a"), "# A\n\nTwo.\n"), subject=each
        )
        for each in ("Older", "Newer")
    ]


async def test_keys_of_a_burst_are_for_the_screens_that_they_open(world: World) -> None:
    older, newer = await two_requests(world)
    app = open_world(world, "spaces")
    async with drive(app, size=(100, 30)) as driver:
        await driver.burst("g", "c", "j", "enter", "2", "K")
        assert (driver.place.PLACE, driver.place.target.change_request) == ("review", older)
        assert driver.place.view == "changes"
        await driver.burst("q", "k", "enter")
        assert driver.place.target.change_request == newer

        # What is written at once is not done to what nobody could see.
        await driver.press("q", "q")
        await driver.burst("g", "c", "j", "x", "k", "enter")
        assert app.session.log == []
        assert driver.place.PLACE == "changes"
        said = " ".join(driver.screen.split())
        assert "2 keys typed after it were not run" in said
        assert "was typed before this could be seen: press it again." in said


async def test_keys_wait_for_rows_until_esc_drops_them_or_they_cannot_be_read(
    world: World,
) -> None:
    await two_requests(world)
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "spaces", api=client)
    async with drive(app, size=(100, 30)) as driver:
        way.slow = "GET"
        await driver.send("g", "c", "j", "enter", "K")
        assert "3 keys typed ahead: run once this is read. Esc discards them." in driver.screen
        await driver.send("escape")
        assert "Stopped. 3 keys typed ahead were not run." in driver.screen
        way.let.set()
        await driver.idle()
        assert driver.place.PLACE == "changes", "and Esc did not leave it"

    app = open_world(world, "spaces", api=Api(BASE_URL, world.token(world.ana), transport=way))
    async with drive(app, size=(100, 30)) as driver:
        way.let = asyncio.Event()
        await driver.send("g", "c", "j", "enter", "K")
        assert "3 keys typed ahead" in driver.screen
        way.gone = True
        way.let.set()
        await driver.idle()
        assert driver.place.PLACE == "changes"
        assert "This could not be read. 3 keys typed ahead were not run." in driver.screen


async def test_that_keys_were_not_run_is_said_after_the_last_read_has_failed(world: World) -> None:
    await two_requests(world)
    way, late = Faults(world), asyncio.Event()
    app = open_world(world, "spaces", api=Api(BASE_URL, world.token(world.ana), transport=way))

    async def read(api: Api) -> None:
        await late.wait()
        raise Unreachable("No answer from desk.test.")

    async with drive(app, size=(100, 30)) as driver:
        way.slow = "GET"
        await driver.send("g", "c", "j", "enter", "K")
        driver.place.reads.load("late", read, lambda _: None, what="Reading more")
        way.gone = True
        way.let.set()
        await eventually(
            lambda: bool(driver.place.query_one(VirtualList).source.error), driver.turn
        )
        for _ in range(4):
            await asyncio.sleep(LOOK_SECONDS)
        assert "not run" not in driver.screen
        late.set()
        await driver.idle()
        assert "This could not be read. 3 keys typed ahead were not run." in driver.screen


async def test_a_key_that_does_nothing_here_is_called_by_its_name(world: World) -> None:
    async with drive(open_world(world, "drafts"), size=(120, 30)) as driver:
        await driver.burst("c", "z")
        said = " ".join(driver.screen.split())
        assert "“c” was refused; 1 key typed after it was not run" in said
        assert "“comment”" not in said


async def test_help_opens_after_a_refused_field(world: World) -> None:
    review = ReviewWorld(world)
    async with drive(review.app(), size=(100, 30)) as driver:
        await driver.burst("r", "?")
        assert driver.app.screen is not driver.place, "the help says which keys there are"


async def test_keys_that_still_wait_when_the_program_ends_are_dropped(world: World) -> None:
    await two_requests(world)
    way = Faults(world)
    app = open_world(world, "spaces", api=Api(BASE_URL, world.token(world.ana), transport=way))
    async with drive(app, size=(100, 30)) as driver:
        way.slow = "GET"
        await driver.send("g", "c", "j", "enter", "K")
        waiting = app.keyboard.early.task
        assert waiting is not None
        assert not waiting.done()
        app.exit()
    assert app.screen_stack == []
    await waiting  # and it looks at no screen that is gone
    way.let.set()


async def test_a_key_typed_before_a_question_is_there_does_not_answer_it(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "2", size=(100, 30)) as driver:
        await driver.burst("m", "y", "y")
        assert app.screen is not driver.place, "it asks"
        assert app.session.log == []
        assert "“merge” opened only now; 2 keys typed after it were not run" in driver.screen
        await driver.press("escape")


async def test_keys_after_the_one_that_leaves_a_field_are_not_for_the_field(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "1", size=(100, 30)) as driver:
        await driver.burst("C", "O", "k", "escape", "4")
        assert driver.place is app.screen
        assert driver.place.view == "rules"
        assert list(app.session.drafts.texts().values()) == ["Ok"]
        await driver.burst("/", "x", "escape", ":", *typed("view threads"), "enter", "1")
        assert driver.place.view == "overview"
        assert driver.place is app.screen


async def test_keys_wait_for_where_an_action_leads_that_reads_first(world: World) -> None:
    fill(world, 3, clustered=2, unclustered=1)
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "clusters", Target(organization=world.home), api=client)
    async with drive(app, "g v", size=(100, 30)) as driver:
        first = driver.selected
        way.slow = "GET"
        await driver.send("g", "k")
        assert "typed ahead" not in driver.screen
        await driver.send("enter", "j")
        assert (driver.place.PLACE, driver.selected) == ("conversations", first)
        assert "2 keys typed ahead" in driver.screen
        way.let.set()
        await driver.idle()
        assert driver.place.PLACE != "conversations", "they are for where it leads"


async def test_keys_wait_for_the_question_of_an_action_that_reads_first(world: World) -> None:
    home = world.home
    world.write(lambda tx: add_saml_provider(tx, home, label="Okta"))
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "saml-providers", Target(organization=home), api=client)
    async with drive(app, size=(100, 30)) as driver:
        way.slow = "GET"
        await driver.send("D", "q")
        assert driver.place.PLACE == "saml-providers"
        assert "1 key typed ahead" in driver.screen
        way.let.set()
        await driver.idle()
        assert app.screen is not driver.place, "it asks, and q is nothing to go by"


async def test_a_key_that_comes_at_once_confirms_nothing_that_is_dangerous(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "2", size=(100, 30)) as driver:
        await driver.press("m")
        sheet = app.screen
        assert isinstance(sheet, Sheet)
        assert sheet.seen_at is not None
        for soon in (0.0, 0.1):
            driver.press_at(sheet.seen_at + soon, "y")
            await driver.idle()
            assert app.screen is sheet
            assert "before the question appeared does not answer it" in driver.screen
        assert app.session.log == []
        driver.press_at(sheet.seen_at + 0.2, "y")
        await driver.idle()
        assert [line.what for line in app.session.log] == ["Merge"]


class Held(httpx.AsyncBaseTransport):
    """A desk that answers only while ``open`` is set."""

    def __init__(self, sample: Sample) -> None:
        self._desk = httpx.ASGITransport(sample.app, raise_app_exceptions=False)
        self.open = asyncio.Event()
        self.open.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self.open.wait()
        return await self._desk.handle_async_request(request)


LATE = [
    # the screen, what leads to the row, the key, and what it opens once something was read
    ("changes", "", "w", ChoiceInput),
    ("review", "", "w", ChoiceInput),
    ("review", "3 n", "E", ChoiceInput),
    ("search", "escape", "f", ChoiceInput),
    ("site-structure", "", "ctrl+n", ChoiceInput),
    ("sites", "", "ctrl+n", ChoiceInput),
    ("sites", "", "D", TypeToConfirm),
    ("sites", "", "W", Confirm),
    ("site-settings", "", "D", TypeToConfirm),
    ("site-settings", "", "W", Confirm),
    ("site-schema", "", "ctrl+s", Confirm),
    ("saml-providers", "", "D", TypeToConfirm),
    ("organization-structure", "j j", "E", ChoiceInput),
    ("organization-structure", "j j : r u l e s enter down down", "enter", ChoiceInput),
]


@pytest.mark.long
async def test_words_are_no_commands_while_an_action_reads_what_it_asks(sample: Sample) -> None:
    load_everything()
    async with sample.api() as api:
        wanted = await targets(api)
    way = Held(sample)

    async def connect() -> Api:
        return Api(BASE_URL, sample.token, transport=way)

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=(140, 40)) as driver:
        at = wanted[""]
        assert at.site is not None
        kept = SchemaDraft('{"type": "object", "properties": {}}', {})
        app.session.drafts.save(schema_key(at.site), kept.to_text())
        for name, before, key, opens in LATE:
            await app.go(name, wanted.get(name, at))
            await driver.idle()
            await driver.press(*before.split())
            was, logged = app.screen, len(app.session.log)
            way.open.clear()
            await driver.send(key)
            await driver.send(*"hello")
            way.open.set()
            await driver.idle()
            when = f"{key} in {name}: {driver.screen}"
            assert app.screen is not was, when
            field = app.screen.focused
            assert isinstance(field if opens is ChoiceInput else app.screen, opens), when
            assert "hello".endswith(getattr(field, "value", "")), when
            assert app.keyboard.key == key, f"a letter was a command, {when}"
            assert len(app.session.log) == logged, when
            await back(driver)


async def test_keys_that_wait_for_what_leads_nowhere_are_dropped(world: World) -> None:
    home = world.home
    world.write(lambda tx: add_saml_provider(tx, home, label="Okta"))
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "saml-providers", Target(organization=home), api=client)
    async with drive(app, size=(120, 30)) as driver:
        way.slow = "GET"
        await driver.send("D", "ctrl+n", "x")
        assert "2 keys typed ahead" in driver.screen
        way.gone = True
        way.let.set()
        await driver.idle()
        assert app.screen is driver.place, "neither the question nor the form of ctrl+n"
        assert "2 keys typed ahead were not run." in " ".join(driver.screen.split())


async def test_esc_stops_an_action_that_reads_what_it_asks(world: World) -> None:
    await two_requests(world)
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "spaces", api=client)
    async with drive(app, "g c", size=(120, 30)) as driver:
        way.slow = "GET"
        driver.place.read_again()  # which Esc would stop as well
        await driver.send("w", "x", "escape")
        assert "1 key typed ahead was not run" in driver.screen
        await driver.send("escape")
        assert "Stopped reading." in driver.screen
        way.let.set()
        await driver.idle()
        assert app.screen is driver.place
        assert driver.place.PLACE == "changes"
        # What the service has is asked for once, before the first page is edited: that is said.
        await driver.press("enter", "]")
        way.let = asyncio.Event()
        await driver.send("e")
        await eventually(lambda: "Reading what the service has…" in driver.screen, driver.turn)
        await driver.send("escape")
        assert "Stopped" in driver.screen
        way.let.set()
        await driver.idle()
        assert app.screen is driver.place


async def test_a_mark_that_is_typed_before_the_rows_are_there_takes_the_burst_with_it(
    world: World,
) -> None:
    await two_requests(world)
    way = Faults(world)
    client = Api(BASE_URL, world.token(world.ana), transport=way)
    app = open_world(world, "spaces", api=client)
    async with drive(app, "g c", size=(120, 30)) as driver:
        await driver.press("]")
        way.slow = "GET"
        await driver.send("[", "space")
        assert isinstance(driver.place.marking, VirtualList)
        assert [driver.selected] == [None], "the rows are being read"
        way.let.set()
        await driver.idle()
        assert [driver.selected] != [None]
        await driver.burst("j", "space", "x")
        assert not driver.place.marking.marks
        assert app.session.log == []
        said = " ".join(driver.screen.split())
        assert "“mark” was refused; 3 keys typed after it were not run" in said
        assert app.session.drafts.texts() == {}, "keys are no text"
        await driver.press("j", "space")
        assert len(driver.place.marking.marks) == 1, "a pause ends that"


async def test_after_a_refused_field_keys_that_are_no_words_do_what_they_do(world: World) -> None:
    review = ReviewWorld(world)
    app = review.app()
    async with drive(app, "1", size=(100, 30)) as driver:
        # c comments on a line of the changes, and this is the overview.
        await driver.burst("c", "tab", "down", "]")
        assert driver.place.view == "changes", "who moves on types no words"
        await driver.press("1")
        await driver.burst(
            "c", *typed("Why"), "left", *typed("4"), "pagedown", "backspace", "enter"
        )
        assert driver.place.view == "overview", "in the middle of words 4 is one of them"
        said = " ".join(driver.screen.split())
        assert "6 keys typed after it were not run" in said
