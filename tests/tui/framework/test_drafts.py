"""What is typed is kept: drafts, sheets, choices."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import ComposeResult
from textual.widgets import Input

from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.errors import NotDoneError
from copydesk.session.options import Option
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs import composer
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice, Choices
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, Marking, VirtualList
from tests.drive import drive, eventually
from tests.tui.desk_place import NOON, REQUESTS, Request

PEOPLE = [Option("p1", "Ana Silva", "admin"), Option("p2", "Jonas"), Option("p3", "Priya")]


class Ticked(Marking, VirtualList[Request]):
    """Requests that can be marked."""


@place("desk-writing", title="Writing")
class WritingPlace(Place, scope="writing"):
    """Has an action for every sheet in which something is entered."""

    said: Any = None

    def panes(self) -> ComposeResult:
        source = ListSource(REQUESTS, key=lambda row: row.id)
        self.rows = Ticked(source, [Column("subject", "SUBJECT", lambda row: row.subject, flex=1)])
        yield Part("main", self.rows)

    def status_left(self) -> str:
        return self.rows.marks_line or super().status_left()

    @action("c", "comment", danger=1, types=True)
    async def comment(self) -> None:
        """Write a comment."""
        sheet = WriteSheet("Comment", "comment:118", quote="the old text")
        self.said = await self.app.push_screen_wait(sheet)

    @action("w", "reviewers")
    async def reviewers(self) -> None:
        """Choose people."""
        self.said = await self.app.push_screen_wait(Choices("Reviewers", PEOPLE, ticked=("p1",)))

    @action("s", "sort")
    async def sort(self) -> None:
        """Choose one."""
        self.said = await self.app.push_screen_wait(Choice("Sort", PEOPLE, current="p2"))

    @action("e", "rename")
    async def rename(self) -> None:
        """Ask for a title."""
        sheet = Ask(
            "Rename",
            "Title",
            draft_key="title",
            value="Old",
            check=lambda t: None if t else "Type a title.",
        )
        self.said = await self.app.push_screen_wait(sheet)

    @action("m", "retitle")
    async def retitle(self) -> None:
        """Ask for a title that is refused while it is short."""

        async def send(text: str) -> None:
            if len(text) < 5:
                raise NotDoneError("The title is too short.")

        self.said = await self.app.push_screen_wait(
            Ask("Retitle", "Title", draft_key="title", send=send)
        )


def app_with(drafts: DeskDrafts) -> CopydeskApp:
    async def connect() -> Any:
        return None

    async def nobody(session: Session, api: Any) -> None:
        session.organization_title = "acme-docs"

    session = Session(connect, identify=nobody, draft_store=drafts, clock=lambda: NOON)
    return CopydeskApp(session, "desk-writing")


def said(app: CopydeskApp) -> Any:
    assert isinstance(app.here, WritingPlace)
    return app.here.said


async def test_esc_keeps_the_draft_and_it_is_there_again() -> None:
    drafts = DeskDrafts(State())
    async with drive(app_with(drafts), "c") as driver:
        await driver.type("Almost done")
        await driver.press("escape")
        assert said(driver.app) is None
        assert drafts.texts() == {"comment:118": "Almost done"}
        await driver.press("c")
        assert "Almost done" in driver.screen
        assert "draft restored" in driver.screen
        await driver.type(" now")
        await driver.press("ctrl+t")
        assert "Preview" in driver.screen
        await driver.press("ctrl+s")
        assert said(driver.app) == "Almost done now"
        assert drafts.texts() == {"comment:118": "Almost done now"}


async def test_what_is_typed_is_kept_within_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    assert composer.AUTOSAVE_SECONDS < 1
    monkeypatch.setattr(composer, "AUTOSAVE_SECONDS", 0.001)
    drafts = DeskDrafts(State())
    async with drive(app_with(drafts), "c") as driver:
        await driver.send("H")
        await driver.send("i")
        await eventually(lambda: drafts.texts() == {"comment:118": "Hi"}, driver.turn)
        assert driver.app.screen is not driver.place, "it is still being written"


async def test_what_was_sent_elsewhere_meanwhile_is_not_sent_unasked() -> None:
    drafts = DeskDrafts(State())
    async with drive(app_with(drafts), "c") as driver:
        await driver.type("Once")
        await driver.press("escape", "c")
        drafts.drop("comment:118")
        await driver.press("ctrl+s")
        assert "Sent or discarded elsewhere since: look first." in driver.screen
        assert drafts.texts() == {"comment:118": "Once"}
        await driver.press("ctrl+s")
        assert said(driver.app) == "Once"


async def test_an_end_without_warning_keeps_the_draft() -> None:
    drafts = DeskDrafts(State())
    async with drive(app_with(drafts), "c") as driver:
        await driver.type("Half a sen")
        driver.app.exit()
    assert drafts.texts() == {"comment:118": "Half a sen"}


async def test_an_empty_text_is_not_sent() -> None:
    async with drive(app_with(DeskDrafts(State())), "c", "ctrl+s") as driver:
        assert "Comment" in driver.screen
        assert said(driver.app) is None


async def test_choosing_by_letters() -> None:
    async with drive(app_with(DeskDrafts(State())), "s") as driver:
        await driver.type("pri")
        await driver.press("enter")
        assert said(driver.app) == "p3"
        await driver.press("w", "down", "tab", "ctrl+s")
        assert said(driver.app) == frozenset({"p1", "p2"})
        await driver.press("w", "escape")
        assert said(driver.app) is None


async def test_asking_for_a_line() -> None:
    async with drive(app_with(DeskDrafts(State())), "e") as driver:
        driver.app.screen.query_one(Input).value = ""
        await driver.press("enter")
        assert "Type a title." in driver.screen
        await driver.paste("\x1b[2JNe\u202ew\x07")
        assert driver.app.screen.query_one(Input).value == "New"
        await driver.press("enter")
        assert said(driver.app) == "New"


async def test_marks() -> None:
    async with drive(app_with(DeskDrafts(State())), "space", "j", "space") as driver:
        assert "2 marked" in driver.screen
        assert "hidden" not in driver.screen
        await driver.press("/")
        await driver.type("webhook")
        await driver.press("enter")
        assert "2 marked (1 hidden by filter)" in driver.screen
        await driver.press("escape", "g g", "v", "G", "v")
        assert "4 marked" in driver.screen
        await driver.press("ctrl+\\")
        assert "marked" not in driver.screen


async def test_the_palette_offers_actions_and_places() -> None:
    async with drive(app_with(DeskDrafts(State())), "ctrl+p") as driver:
        await driver.type("reviewers")
        assert "Reviewers: Choose people." in driver.line("w ")
        await driver.press("enter")
        assert "space ticks" in driver.screen
        await driver.press("escape", "ctrl+p")
        await driver.type("go to writing")
        assert "Go to Writing" in driver.screen


async def test_a_line_that_is_refused_stays_with_the_reason() -> None:
    drafts = DeskDrafts(State())
    async with drive(app_with(drafts), "m") as driver:
        await driver.type("New")
        await driver.press("enter")
        assert "The title is too short." in driver.screen
        assert drafts.texts() == {"title": "New"}
        await driver.type("er")
        assert "enter or ctrl+s take" in driver.screen
        await driver.press("ctrl+s")
        assert said(driver.app) == "Newer"
        assert drafts.texts() == {}
