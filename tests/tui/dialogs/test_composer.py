"""Writing a comment: completion, quotes, an editor of one's own, drafts that were not sent."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from copydesk.domain.completion import Begun, begun, emoji, people
from copydesk.domain.mention import Named
from copydesk.local.saved_replies import SavedReplies
from copydesk.session.draft_keys import review_key
from copydesk.session.glyphs import emoji_names
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.composer import Composer
from copydesk.tui.framework.line_field import PromptInput
from tests.drive import Driver, drive
from tests.tui.review_world import Faults, ReviewWorld, furnish


@pytest.mark.parametrize(
    ("before", "word"),
    [
        ("Ask @", Begun("person", "", 4)),
        ("@Ana S", Begun("person", "Ana S", 0)),
        ("So :tad", Begun("emoji", "tad", 3)),
        (":+1", Begun("emoji", "+1", 0)),
        ("mail ana@example", None),
        ("a smile :)", None),
        ("at 10:30", None),
        ("`@ana", None),
        ("@ ", None),
        ("Note: then", None),
        ("/", Begun("reply", "", 0)),
        ("/tha", Begun("reply", "tha", 0)),
        (" /", None),
        ("and/or", None),
        ("/etc/hosts", None),
    ],
)
def test_words_that_can_be_completed(before: str, word: Begun | None) -> None:
    assert begun(before) == word


def test_what_is_offered() -> None:
    known = [Named("1", "Ana Silva"), Named("2", "Jo Anand"), Named("3", "Lee")]
    assert [offer.shown for offer in people("an", known)] == ["Ana Silva", "Jo Anand"]
    assert people("Lee is", known) == []
    assert people("zz", known) == []
    found = emoji("tada", emoji_names())
    assert (found[0].shown, found[0].text) == ("🎉 tada", "🎉 ")
    assert emoji("tada", emoji_names(), plain=True)[0].shown == "tada"
    assert not [name for name, _ in emoji_names() if "skin_tone" in name]


def field(driver: Driver) -> Composer:
    return driver.app.screen.query_one(Composer)


async def test_people_emoji_and_the_quote_are_completed(review: ReviewWorld) -> None:
    review.world.user("jan", display_name="Jan \x1b[31m\u202eKok\nBoss")
    async with drive(review.app(), "]", "c", size=(80, 24)) as driver:
        await driver.type("@")
        assert "tab takes  [Ana Silva]" in driver.screen
        await driver.type("ja")
        assert "tab takes  [Jan Kok Boss]" in driver.screen
        assert "\x1b" not in driver.screen
        await driver.press("tab")
        assert field(driver).text == "@Jan Kok Boss "
        await driver.type(":tada")
        assert "🎉 tada" in driver.screen
        await driver.press("enter")
        await driver.type("@le")
        await driver.press("escape")
        assert "Lee Park" not in driver.screen, "esc only puts the offers away"
        assert field(driver).text == "@Jan Kok Boss 🎉 @le"
        await driver.press("enter")
        await driver.type(">")
        await driver.press("tab")
        assert field(driver).text.endswith("\n> We retry five times over one hour.\n\n")
        await driver.type("@")
        await driver.press("down", "enter")
        assert field(driver).text.endswith("\n@Jan Kok Boss ")
        await driver.paste("See \x1b[2J\u202ebelow\x07\r\n\u2764\ufe0f")
        assert field(driver).text.endswith("\n@Jan Kok Boss See below\n\u2764\ufe0f")
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", driver.screen)
        await driver.press("ctrl+s")
        assert review.open_threads() == 1


async def test_what_is_written_stays_in_sight_on_a_screen_that_shrinks(
    review: ReviewWorld,
) -> None:
    async with drive(review.app(), "]", "c", size=(60, 15)) as driver:
        await driver.type("Why twice?")
        await driver.resize(24, 7)
        assert "Why twice?" in driver.screen
        await driver.resize(60, 15)
        assert "Why twice?" in driver.screen


async def test_what_ctrl_z_leaves_nothing_of_is_told_to_come_back(review: ReviewWorld) -> None:
    async with drive(review.app(), "]", "c", size=(80, 24)) as driver:
        await driver.press("ctrl+z")
        assert "ctrl+y" not in driver.screen, "there was nothing to undo"
        await driver.type("Why twice?")
        await driver.press("ctrl+z")
        assert field(driver).text == ""
        assert "ctrl+y brings the text back." in driver.screen
        await driver.press("ctrl+y")
        assert field(driver).text == "Why twice?"
        assert "ctrl+y" not in driver.screen
        await driver.press("ctrl+z", "N")
        assert "ctrl+y" not in driver.screen, "nothing comes back after that"


async def test_an_editor_and_what_can_go_wrong_with_it(
    review: ReviewWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(CopydeskApp, "suspend", lambda app: nullcontext())
    script = tmp_path / "edit me.py"
    script.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[-1])\n"
        "assert sys.argv[1] == '--wait' and '> We retry' in path.read_text()\n"
        "path.write_text('From outside.\\n' + path.read_text())\n"
    )
    async with drive(review.app(), "]", "c", size=(100, 24)) as driver:
        await driver.type("Mine.")
        for visual, editor, said in (
            ("", "", "Neither $VISUAL nor $EDITOR is set"),
            ("", "no-such-editor -w", "no-such-editor cannot be started: No such file"),
            ("false", "", "false ended with status 1: nothing was taken from it."),
            ("'open", "", "$VISUAL cannot be read as a command: No closing quotation."),
        ):
            monkeypatch.setenv("VISUAL", visual)
            monkeypatch.setenv("EDITOR", editor)
            await driver.press("ctrl+o")
            assert said in driver.screen
            assert field(driver).text == "Mine."
        monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(script), "--wait"]))
        await driver.press("ctrl+o")
        assert field(driver).text == "From outside.\nMine."
        await driver.type("<kbd> ")
        await driver.press("ctrl+t")
        assert "Preview" in driver.screen
        assert "<kbd>" in driver.screen.partition("Preview")[2], "tags are shown, not followed"
        await driver.burst("ctrl+t", *"more")
        assert field(driver).text == "From outside.\nMine.<kbd> more", "typed on at once"


async def test_what_was_not_sent_says_why_and_goes_with_the_others(review: ReviewWorld) -> None:
    found = furnish(review)
    faults = Faults(review.world)
    app = review.app(faults=faults)
    async with drive(app, "]", "c", size=(80, 24)) as driver:
        await driver.burst(*"Why?")
        faults.refusing = True
        await driver.press("ctrl+s")
        assert "Down for a moment." in driver.screen
        drafts = app.session.drafts
        drafts.save(review_key(review.space, review.request, "request"), "All in all good.")
        drafts.save(review_key(review.space, review.request, f"reply {found['hours']}"), "A reply.")
        await driver.press("c")
        assert "Not sent last time: " in driver.screen
        assert "Down for a moment." in driver.screen
        await driver.press("escape", "g d")
        assert "✗ Why?" in driver.screen
        await driver.press("G")
        assert "Not sent: " in driver.screen
        await driver.press("escape")
        faults.refusing = False
        await driver.press(":")
        driver.app.screen.query_one(PromptInput).value = "send drafts"
        await driver.press("enter")
        for words in ("Why?", "All in all good.", "A reply."):
            assert words in driver.screen
        await driver.press("y")
        assert "Sent 3 drafts." in driver.screen
        assert app.session.drafts.texts() == {}
        assert review.open_threads() == 6
        rows = [review.world.row("comment", each) for each in found.values()]
        assert sum(row["replies"] for row in rows) == 3
        await driver.press("u")
        assert len(app.session.drafts.texts()) == 3, "one u undoes all that went together"
        assert review.open_threads() == 4


async def test_saved_replies_are_offered_at_the_beginning_of_a_line_and_filled_in(
    review: ReviewWorld, tmp_path: Path, update_golden: bool
) -> None:
    app = review.app()
    app.session.replies = SavedReplies(tmp_path / "replies")
    async with drive(app, "]", "c", size=(140, 40)) as driver:
        await driver.type("/")
        assert "No saved replies: a file NAME.md in " in driver.screen
        assert field(driver).text == "/"
        (tmp_path / "replies").mkdir()
        (tmp_path / "replies" / "thanks.md").write_text(
            "Thanks, {author}, for {page} in {space} ({number}, {subject}).\n\n"
            "{me} \x1b[2J\u202e{x}\n"
        )
        (tmp_path / "replies" / "source.md").write_text("Where does that come from?\n")
        (tmp_path / "replies" / "bytes.md").write_bytes(b"\xff")
        await driver.press("backspace")
        await driver.type("/")
        driver.golden("reply-list", update=update_golden)
        assert "[source]  thanks  bytes  Where does that come from?" in driver.screen
        await driver.press("up", "tab")
        assert "bytes: not UTF-8 text." in driver.screen
        assert field(driver).text == "/"
        await driver.type("tha")
        assert "[thanks]  Thanks, Lee Park, for Retries" in driver.screen
        await driver.press("enter")
        assert field(driver).text == (
            "Thanks, Lee Park, for Retries in API reference "
            "(#1, Webhook retries and dead letters).\n\nAna Silva {x}"
        )
        await driver.type(" /so")
        assert "tab takes" not in driver.screen, "not in the middle of a line"
        await driver.press("escape")
    app = review.app()
    app.session.replies = SavedReplies(tmp_path / "replies")
    (tmp_path / "replies" / "bytes.md").unlink()
    (tmp_path / "replies" / "page.md").write_text("On {page}: good.")
    async with drive(app, "1", "a", size=(80, 24)) as driver:
        assert "/ replies   esc cancel" in driver.screen
        await driver.type("/")
        driver.golden("reply-list", update=update_golden)
        assert "[source]  page  thanks" in driver.screen, "what lacks a field comes later"
        await driver.type("pa")
        assert "[page]  Not known here: {page}. On" in driver.screen
        await driver.press("tab")
        assert field(driver).text == "On {page}: good."
        assert "Not known here: {page}." in driver.screen
        await driver.press("escape")
