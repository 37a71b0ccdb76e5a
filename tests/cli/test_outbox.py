"""``copydesk outbox``: what waits, without what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copydesk.cli import main
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal, Notes
from copydesk.local.paths import find_paths
from copydesk.local.state import State
from copydesk.session.draft_keys import outbox_key

REQUEST = {
    "name": "create_space_comment", "method": "POST", "target": "/v1/spaces/s1/comments",
    "body": '{"body": {"markdown": "Secret words"}}', "creates": False, "secret": False,
}  # fmt: skip


def test_what_waits_is_printed_and_what_it_says_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    assert main(["outbox"]) == 0
    assert capsys.readouterr().out == "Nothing waits to be sent.\n"

    store = State(find_paths().make().store)
    there, journal = Journal(store, "service:https://a.example"), Journal(store, "d")
    edits = DeskDrafts(store, "d")
    notes = Notes(request=REQUEST, text="Secret words", by="u1")
    waits = there.begin("Comment", "#2\x1b[2J", notes)
    journal.settle(waits, "queued", sentence="No one was there.")
    held = journal.begin("Reply", "#3", notes)
    journal.settle(held, "queued", sentence="Waiting: it was resolved.", held="changed")
    sent = journal.begin("Edit", "#4", notes)
    journal.settle(sent, "done")

    assert main(["outbox"]) == 0
    out = capsys.readouterr().out
    first, second = out.splitlines()
    assert "waiting   Comment  #2" in first
    assert "to service:https://a.example  No one was there." in first
    assert "held      Reply  #3" in second
    assert main(["outbox", "--json"]) == 0
    printed = capsys.readouterr().out
    assert [(each["state"], each["operation"]) for each in json.loads(printed)] == [
        ("waiting", "create_space_comment"), ("held", "create_space_comment"),
    ]  # fmt: skip
    assert "Secret" not in out + printed
    assert "\x1b" not in out

    # What is edited waits for that, and says so; what a person has to decide says that.
    for entry in (waits, held):
        edits.save(outbox_key(entry.id), "Other words")
    assert main(["outbox"]) == 0
    assert "an edit of it is a draft" not in capsys.readouterr().out, "that of another desk"
    edited = journal.begin("Comment", "#5", notes)
    journal.settle(edited, "queued", sentence="No one was there.")
    edits.save(outbox_key(edited.id), "Other words")
    assert main(["outbox"]) == 0
    *_, reply, comment = capsys.readouterr().out.splitlines()
    assert "Waiting: it was resolved." in reply
    assert "to d  Waiting: an edit of it is a draft." in comment
