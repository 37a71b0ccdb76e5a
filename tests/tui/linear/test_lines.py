"""What a line means: words, numbers, keys, choices, texts, secrets; and what each is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.cli.terminal import is_linear
from copydesk.domain.keymap import OwnKeys
from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.declarations import keymap
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.linear.sentences import cells, question_of
from copydesk.tui.linear.words import WORDS, keys_in
from copydesk.tui.widgets.list import Column
from tests.drive import listen
from tests.tui.desk_place import REQUESTS, DeskApp
from tests.tui.opening import open_world
from tests.tui.organization.test_teams import at, roles
from tests.tui.review_world import ReviewWorld
from tests.world import World

MANUAL = Path(__file__).parents[3] / "docs" / "how" / "screen-reader.md"


def test_a_line_names_keys_or_none() -> None:
    assert keys_in("j") == ["j"]
    assert keys_in("g c") == ["g", "c"]
    assert keys_in("ctrl+s") == ["ctrl+s"]
    assert keys_in("Esc") == ["escape"]
    assert keys_in("G :") == ["G", "colon"]
    assert not keys_in("merge it")
    assert not keys_in("")


def test_the_manual_has_every_word() -> None:
    told = MANUAL.read_text(encoding="utf-8")
    assert [word for word in WORDS if f"`{word}" not in told] == []


def test_a_cell_that_was_not_read_yet_is_not_told() -> None:
    columns = [Column[str]("pages", "PG", str, 3)]
    assert [list(cells(columns, text)) for text in (".", "5")] == [[], ["5 pages"]]


@pytest.mark.parametrize(
    ("told", "wanted", "linear"),
    [
        ({"TERM": "xterm"}, False, False),
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "dumb"}, False, True),
        ({"TERM": "dumb", "COPYDESK_LINEAR": "0"}, True, False),
        ({"TERM": "xterm", "COPYDESK_LINEAR": "1"}, False, True),
        ({"TERM": "xterm", "ACCESSIBLE": "1"}, False, True),
        ({"TERM": "xterm", "ACCESSIBLE": "0"}, False, False),
        ({"TERM": ""}, False, False),  # the tests have no terminal: nobody asked for lines
    ],
)
def test_who_asks_for_lines(
    told: dict[str, str], wanted: bool, linear: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "COPYDESK_LINEAR", "ACCESSIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    assert is_linear(wanted) is linear


async def test_dialogs_are_agreed_to_by_a_word_or_a_name() -> None:
    app = DeskApp()
    async with listen(app, "m") as linear:
        assert "Type yes to merge; anything else goes back." in linear.said
        assert "Not agreed." in await linear.take("certainly")
        assert app.service.merged == []
        assert "Done: merge #121" in await linear.take("m", "yes")
        assert app.service.merged == ["121"]
        told = await linear.take("3", "D")
        assert "Type the name to go on: 114" in told, told
        assert "That is not the name." in await linear.take("115")
        told = await linear.take("114")
        assert "deleted" in told, told
        told = await linear.take("D", "")
        assert "Not agreed." in told
        assert "kept" in told


async def test_words_keys_and_what_is_none_of_these() -> None:
    app = DeskApp([*REQUESTS])
    async with listen(app) as linear:
        assert linear.said[-1] == "1 of 4. Number 121, Rate limit page rewrite, by priya."
        assert await linear.take("next") == "2 of 4. Number 118, Fix auth code samples, by jonas."
        assert (await linear.take("read 4")).startswith("4 of 4. Number 113, Rename")
        assert await linear.take("next") == "This is the end."
        assert "go from 1 to 4" in await linear.take("5")
        assert "go from 1 to 4" in await linear.take("1" * 5000)
        assert "is neither a key nor a word here" in await linear.take("frobnicate")
        assert "has that name" not in await linear.take("do frobnicate"), "one answer is enough"
        assert (await linear.take("where")).startswith("acme-docs, Requests. View All, 1 of 2.")
        told = await linear.take("what approve")
        assert told == "Off here:\na: approve. You may not approve here."
        assert "You may not approve here." in await linear.take("do approve")
        assert "unfolded all" in await linear.take("z R")
        assert "unfolded all" in await linear.take("do unfold")
        assert "opened 113" in await linear.take("open")
        told = await linear.take(":pick 118")
        assert told == "2 of 4. Number 118, Fix auth code samples, by jonas."
        assert await linear.take("]") == "View Mine, 2 of 2."
        told = await linear.take("/webhook")
        assert told == "1 of 1. Number 114, Webhook retries and dead letters, by lee.", told
        told = await linear.take("help")
        assert "more lines: an empty line reads on." in told
        assert "only a dot ends it" in await linear.take("")
        assert await linear.take("more") == "There is no more."
        await linear.take("back", "quit")
        assert not app.is_running


async def test_marks_are_counted_and_a_line_is_never_without_an_answer(world: World) -> None:
    ReviewWorld(world)
    async with listen(open_world(world, "changes"), "space") as linear:
        assert linear.said[0] == "1 marked."
        assert "View All open, 7 of 10. 1 marked.\n" in await linear.take("where")
        assert (await linear.take("ctrl+\\")).startswith("Nothing is marked.")
        told = await linear.take("?")
        assert "1 of " in told, told
        assert "Type some letters to have fewer; back leaves." in told
        await linear.take("back", "space", "x", "yes")
        assert await linear.take("") == "back leaves."


async def test_what_is_offered_is_ticked_by_number_and_a_form_is_saved(world: World) -> None:
    lee, sam = world.user("lee"), world.user("sam", display_name="Sam Ortiz")
    app = open_world(world, "teams", at(world))
    app.use_keys(keymap(OwnKeys("emacs"))[0])
    async with listen(app, "alt+n", "Web") as linear:
        told = await linear.take("~choose")
        assert isinstance(app.screen, Sheet)
        assert question_of(app.screen, app.keyboard).yes == ("ctrl+x ctrl+s", "takes them")
        assert "3 of 3. Sam Ortiz" in told, told
        assert "marked" in await linear.take("3")
        assert "marked" in await linear.take("2")
        assert "Lee" in await linear.take("yes", "~read")
        assert "Done: make team Web" in await linear.take(".", "yes")
        made = linear.driver.selected or ""
    assert roles(world, made) == {lee: "member", sam: "member"}


async def test_a_text_is_a_draft_line_by_line(world: World) -> None:
    review = ReviewWorld(world)
    drafts = DeskDrafts(State())
    app = review.app(drafts=drafts)
    async with listen(app, "2", "next", "next", "c", "One.", "") as linear:
        assert linear.said == []  # what is typed is text, and not answered
        app.session.drafts.flush()
        assert list(drafts.texts().values()) == ["One.\n"]
        assert "yes sends it" in await linear.take("Two.", ".")
        assert "yes sends it" in await linear.take("maybe")
        assert await linear.take("read") == "One.\nTwo."
        told = await linear.take("back")
        assert "Kept as a draft." in told
        told = await linear.take("c")
        assert "now" in told or "lines" in told


async def test_nothing_a_stranger_wrote_acts_on_the_terminal(world: World) -> None:
    space = world.space("Evil\x1b[31m\u202e", {"a": "# A\x1b]52;c;aGk=\x07\n"})
    world.change_request(space, {"a": "# B\x1b[2J\n\nText\x9b31m\n"}, subject="\x1b[1mBold\x07")
    async with listen(open_world(world, "changes"), "list", "open", "2", "read") as linear:
        await linear.take("next", "where", "what", "more")
    told = "\n".join(linear.transcript)
    assert "Bold" in told
    assert not set(told) & {"\x1b", "\x07", "\x9b", "\u202e"}
