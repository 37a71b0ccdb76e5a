"""The folder of saved replies, whatever lies in it."""

from __future__ import annotations

import os
from pathlib import Path

from copydesk.domain.saved_reply import SavedReply
from copydesk.local.saved_replies import MOST_BYTES, MOST_FILES, SavedReplies


def test_each_markdown_file_is_a_reply_and_what_is_none_says_why(tmp_path: Path) -> None:
    (tmp_path / "thanks.md").write_bytes(b"\xef\xbb\xbfThanks,\r\n{author}!\n\n")
    (tmp_path / "no\x1b[31mte\u202e.md").write_text("\x1b]0;owned\x07Look\u202e here.\n")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "long.md").write_bytes(b"x" * (MOST_BYTES + 1))
    (tmp_path / "most.md").write_bytes(b"x" * MOST_BYTES)
    (tmp_path / "none.md").write_text(" \n")
    (tmp_path / "other.txt").write_text("No.")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    found = {reply.name: reply for reply in SavedReplies(tmp_path).read()}
    assert found.pop("most").text == "x" * MOST_BYTES
    assert [*found.values()] == [
        SavedReply("bytes", "", "not UTF-8 text"),
        SavedReply("long", "", "longer than 64 KB"),
        SavedReply("note", "Look here."),
        SavedReply("none", "", "empty"),
        SavedReply("thanks", "Thanks,\n{author}!"),
    ]


def test_there_may_be_no_folder_or_a_full_one(tmp_path: Path) -> None:
    assert SavedReplies().read() == []
    assert SavedReplies(tmp_path / "no").read() == []
    for number in range(MOST_FILES + 5):
        (tmp_path / f"{number:04}.md").write_text("x")
    assert len(SavedReplies(tmp_path).read()) == MOST_FILES
