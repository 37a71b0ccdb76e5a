"""What is copied of a text: hunks that git takes, tables as Markdown, threads."""

from __future__ import annotations

import subprocess
from pathlib import Path

from copydesk.domain.page_text import page_text
from copydesk.present.markdown import blocks
from copydesk.present.passages import hunk_text, table_at, table_text

LINES = [f"* Item {n}\n" for n in range(40)]


def test_a_hunk_is_the_one_around_the_row_and_git_takes_it(tmp_path: Path) -> None:
    was = "".join(LINES)
    now = was.replace("* Item 3\n", "* Point 3\n@@ -1,1 +1,1 @@\n").replace("* Item 30\n", "")
    text = page_text(was, now)
    point, gone = (
        next(at for at in range(len(text.diff)) if text.line_text(at).startswith(line))
        for line in ("* Point 3", "* Item 30")
    )
    first = hunk_text(text, point, "a guide.md", "a guide.md")
    assert first.startswith("--- a/a guide.md\t\n+++ b/a guide.md\t\n@@ -1,7 +1,8 @@\n")
    assert "-* Item 3\n+* Point 3\n+@@ -1,1 +1,1 @@\n" in first
    assert "Item 30" not in first
    last = hunk_text(text, gone, "a guide.md", "a guide.md")
    assert "-* Item 30\n" in last
    assert "Point 3" not in last
    (tmp_path / "a guide.md").write_text(was)
    for each in (last, first):  # each applies by itself
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=each, text=True, check=True)
    assert (tmp_path / "a guide.md").read_text() == now


def test_an_unchanged_row_gives_the_nearest_hunk_and_an_unchanged_page_none() -> None:
    was = "".join(LINES)
    text = page_text(was, was.replace("* Item 3\n", "").replace("* Item 30\n", ""))
    at = next(row for row in range(len(text.diff)) if text.line_text(row) == "* Item 25")
    assert "-* Item 30\n" in hunk_text(text, at, "a.md", "a.md")
    assert hunk_text(page_text(was, was), 0, "a.md", "a.md") == ""
    added = page_text("", "One.\n")
    assert (
        hunk_text(added, 0, None, "a.md") == "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,1 @@\n+One.\n"
    )


def test_tables_of_either_form_are_copied_as_markdown() -> None:
    html = (
        "<table><thead><tr><th>Name</th><th>Sign</th></tr></thead><tbody>"
        "<tr><td>Bar</td><td>a|b</td></tr><tr><td><b>None</b></td><td></td></tr></tbody></table>\n"
    )
    wanted = "| Name | Sign |\n| --- | --- |\n| Bar | a\\|b |\n| **None** |  |\n"
    assert table_text(blocks(html)) == wanted
    text = page_text("Before.\n", f"Before.\n\n{html}\nAfter.\n")
    at = next(row for row in range(len(text.diff)) if "Bar" in text.line_text(row))
    assert table_at(text, at) == wanted
    assert table_at(text, 0) == ""
    gone = page_text("| A | B |\n|:--|--:|\n| 1 | 2 |\n| 3 |\n", "")
    assert table_at(gone, 2) == "| A | B |\n| --- | ---: |\n| 1 | 2 |\n| 3 |  |\n"
