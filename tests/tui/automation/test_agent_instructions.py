"""What the documentation agent is told: shown, edited outside, sent and put back, kept whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.contract.models.document import Document
from copydesk.domain.documents import markdown_to_document
from copydesk.domain.rich_text import RichTextError, rich_text, says_the_same
from copydesk.server.desk_writes import put_agent_instructions
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

Write = Callable[[str], None]

TEXT = "# Tone\n\nSay **you**.\n\n- Short sentences\n- No jokes\n"

STRANGE = {"object": "block", "type": "quiz", "key": "q1", "data": {"right": [1]}, "nodes": []}


def tell(world: World, document: Document) -> None:
    home, ana = world.home, world.ana
    world.write(lambda tx: put_agent_instructions(tx, home, document, ana))


def told(world: World) -> dict[str, Any]:
    row = world.store.read(lambda tx: tx.one("SELECT instructions FROM agent_instructions"))
    assert row is not None
    found: dict[str, Any] = json.loads(row["instructions"])
    return found


async def test_instructions_are_edited_shown_sent_and_put_back(
    world: World,
    editor: Write,
    tmp_path: Path,
    update_golden: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = markdown_to_document(TEXT)
    document.nodes[0].key = "from-the-service"
    tell(world, document)
    before = told(world)
    async with drive(open_world(world), "g B", size=(140, 40)) as driver:
        driver.golden("agent-instructions", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("agent-instructions", update=update_golden)
        await driver.press("y")
        assert driver.app.clipboard.startswith("# Tone")
        editor(TEXT)
        await driver.press("e")
        assert "Nothing was changed." in driver.screen
        assert (tmp_path / "opened").read_text().startswith("# Tone\n\nSay **you**.")
        assert (tmp_path / "opened.name").read_text().strip().endswith(".md")

        editor(TEXT.replace("jokes", "jokes, \x1b[31m[bold]puns[/]\u202e") + "\nSay *hello*.\n")
        await driver.press("e")
        assert "- No jokes" in driver.screen
        driver.golden("agent-instructions-change", update=update_golden)
        assert "esc leave, keeps what you wrote" in driver.screen
        await driver.press("escape")
        assert "e goes on with it" in driver.screen
        assert told(world) == before
        # Somebody else is faster, while the editor is open.
        faster = nullcontext()
        theirs = document.model_copy(deep=True)
        theirs.nodes.append(markdown_to_document("Be kind.").nodes[0])

        def suspended(app: CopydeskApp) -> nullcontext[None]:
            tell(world, theirs)
            return faster

        monkeypatch.setattr(CopydeskApp, "suspend", suspended)
        await driver.press("e")
        assert "Someone changed it since you began" in driver.screen
        assert "- Be kind." in driver.screen
        await driver.press("y")
        after = told(world)
        assert after["nodes"][0] == before["nodes"][0]
        assert "puns" in json.dumps(after)
        assert "Say hello." in driver.screen
        assert driver.app.session.drafts.texts() == {}
        await driver.press("u")
        assert told(world) == theirs.to_dict()
        await driver.press("g j")
        assert '"from-the-service"' in driver.screen


async def test_what_markdown_cannot_say_is_edited_as_json_and_readers_are_refused(
    world: World, editor: Write, tmp_path: Path
) -> None:
    async with drive(open_world(world, "agent-instructions"), size=(80, 24)) as driver:
        assert "is told nothing yet. e writes" in driver.screen
        document = Document.model_validate(
            {"object": "document", "data": {}, "nodes": [STRANGE, {"object": "inline"}]}
        )
        tell(world, document)
        editor("{")
        await driver.press("e")
        assert "Not JSON" in driver.screen
        assert json.loads((tmp_path / "opened").read_text())["nodes"][0] == STRANGE
        editor('{"object": "document"}')
        await driver.press("r")
        assert "a document has nodes" in driver.screen
        changed = document.to_dict() | {"nodes": [STRANGE]}
        editor(json.dumps(changed))
        await driver.press("r")
        assert "edited as its JSON" in driver.screen
        await driver.press("y")
        assert told(world)["nodes"] == [STRANGE]
    reader = world.user("rui", "edit")
    app = open_world(world, "agent-instructions", user=reader)
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("e")
        assert "That takes the role admin in" in driver.screen
        assert told(world)["nodes"] == [STRANGE]


WORDS = st.text("ab *_#[]{}<>&|`~-1.\n\\é漢", max_size=30)


@settings(max_examples=25)
@given(WORDS, WORDS)
def test_what_nobody_touched_stays_as_it_was(one: str, two: str) -> None:
    document = markdown_to_document(f"{one}\n\nA paragraph.\n\n{two}")
    for number, node in enumerate(document.nodes):
        node.key = f"own-{number}"
    rich = rich_text(document)
    assert rich.read(rich.text) is document
    if rich.markdown:
        again = rich.read(f"{rich.text.rstrip()}\n\n# The end\n")
        keys = {node.key for node in again.nodes}
        assert says_the_same(again, rich_text(again).document)
        assert any(key and key.startswith("own-") for key in keys)


def test_texts_that_are_no_documents() -> None:
    rich = rich_text(Document.model_validate({"object": "document", "nodes": [{"object": "text"}]}))
    assert not rich.markdown
    for text in ("[]", "1", '{"object": "page", "nodes": []}', "x" * 9):
        with pytest.raises(RichTextError):
            rich.read(text)
