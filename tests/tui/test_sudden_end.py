"""What is kept, logged and tried again when something goes wrong within the program."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable

import pytest

from copydesk.cli.open import last_words
from copydesk.local.journal import Notes
from copydesk.local.state import State
from copydesk.session.drafts import CountedDrafts
from copydesk.session.session import Session
from copydesk.session.writes.log import LogEntry
from copydesk.session.writes.recovery import recover
from copydesk.tui.terminal_driver import as_ascii
from tests.session.full_disk import Full
from tests.tui.desk_place import DeskApp


def test_what_is_no_ascii_keeps_its_width() -> None:
    assert as_ascii("\x1b[1mplain\x1b[0m") == "\x1b[1mplain\x1b[0m"
    assert as_ascii("a… “b” · c → d") == 'a~ "b" . c > d'
    assert as_ascii("Tomás 日本 e\u0301 🧭|") == "Tom?s ???? e ??|"
    assert as_ascii("┌─┐│") == "+-+|"


class Broken(DeskApp):
    """The small desk, with what it is told about its own errors."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, str]] = []
        self.noted: list[str] = []
        self.sudden_end.explain = self.explained_as
        self.sudden_end.note_error = self.logged

    def logged(self, error: BaseException) -> str:
        self.noted.append(type(error).__name__)
        return f"Something went wrong: {self.noted[-1]}"

    def explained_as(self, error: BaseException, kept: str) -> str:
        self.told.append((type(error).__name__, kept))
        return "Details: the log"


async def fails() -> None:
    raise LookupError("nothing")


async def break_it(app: Broken, way: Callable[[DeskApp], None]) -> None:
    async with app.run_test() as pilot:
        await pilot.pause()
        way(app)
        while not app.told:
            await pilot.pause()


def in_worker(app: DeskApp) -> None:
    app.run_worker(fails())


def in_timer(app: DeskApp) -> None:
    app.set_timer(0.01, fails)


def later(app: DeskApp) -> None:
    app.call_later(fails)


@pytest.mark.parametrize("way", [in_worker, in_timer, later])
async def test_every_unexpected_error_is_explained_once(way: Callable[[DeskApp], None]) -> None:
    app = Broken()
    with pytest.raises(Exception, match="nothing"):
        await break_it(app, way)
    assert app.told == [("LookupError", "")]  # nothing was typed
    assert (app.sudden_end.explained, app.return_code) == ("Details: the log", 1)


async def test_what_goes_wrong_behind_the_screens_ends_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = Broken()
    store = Full(State())
    drafts = app.session.drafts = CountedDrafts(store, app.session.touched)
    before = threading.excepthook
    try:
        async with app.run_test() as pilot:
            await pilot.pause()
            task = asyncio.create_task(fails())
            await asyncio.wait([task])
            del task
            thread = threading.Thread(target=lambda: dict.fromkeys("", 0)["x"])
            before_it = len(app.noted)
            thread.start()
            thread.join()
            assert len(app.noted) > before_it, "logged though the loop does not turn"
            while len(app.noted) < 2:
                await pilot.pause()
            assert app.is_running
            behind = "Something went wrong: LookupError"
            assert [each.message for each in app.session.messages] == [behind], "once"
            await pilot.pause()
            said = app.export_screenshot().replace("&#160;", " ")
            assert behind in said
            assert app.sudden_end.keep_typed() == ""
            full = [OSError(28, "No space left on device")] * 3

            def note_begin() -> None:
                if full:
                    raise full.pop()

            drafts.refuse("No space left on device", note_begin)
            assert app.sudden_end.keep_typed() == ""  # nothing was typed that could be lost
            ticks = 0
            while drafts.trouble:
                app.tick()
                ticks += 1
                assert ticks < 1000
                while (trying := app.draft_keeper.trying) is None or not trying.done():
                    await pilot.pause()
            assert ticks > 5, "four tries, ever less often"
            app.tick()
            await pilot.pause()
            said = app.export_screenshot().replace("&#160;", " ")
            assert "The disk can be written again" in said
            drafts.save("a", "kept")
            assert (app.sudden_end.keep_typed(), drafts.trouble) == ("What you typed is kept.", "")
            store.full = True
            drafts.save("b", "half a thought")
            app.sudden_end.end(signal.SIGTERM)
            app.sudden_end.end(signal.SIGTERM)
    finally:
        threading.excepthook = before
    assert sorted(app.noted) == ["KeyError", "LookupError"]
    assert (app.sudden_end.ended_by, app.return_code) == (signal.SIGTERM, 143)
    assert app.sudden_end.explained == ""
    assert isinstance(app.session, Session)
    # What may be there already is printed, and said to be so; what has left the memory is not lost.
    app.session.log.append(LogEntry(1, app.session.clock(), "Comment", "#4", draft="b"))
    last_words(app)
    refused, printed = capsys.readouterr().err.split("Copy it from here:")
    assert "Not all you typed could be saved on disk (No space left on device)." in refused
    assert "no answer came" in printed
    assert "half a thought" in printed
    store.full = False
    last_words(app)
    assert capsys.readouterr().err == (
        "copydesk: ended by SIGTERM. What you typed was sent, or is kept.\n"
    )


async def test_a_start_that_cannot_be_noted_reads_what_is_there_all_the_same() -> None:
    session = Broken().session

    def refuse() -> bool:
        raise OSError(28, "No space left on device")

    session.begins = refuse
    notes = Notes(request={"name": "post_comment_in_change_request"})
    session.journal.settle(session.journal.begin("Comment", "#4", notes), "queued")
    assert (await recover(session)).startswith("Not saved on disk: No space left on device.")
    assert session.drafts.trouble == "No space left on device"
    assert session.outbox.count == 1
    # It is tried again for as long as it is refused, and begun as it should be once it is not.
    session.drafts.again()
    assert (session.drafts.trouble, session.drafts.begins_anew) == (
        "No space left on device",
        False,
    )
    session.begins = lambda: False
    session.drafts.again()
    assert (session.drafts.trouble, session.drafts.begins_anew) == ("", True)
