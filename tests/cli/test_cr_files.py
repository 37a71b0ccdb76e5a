"""``copydesk cr checkout`` and ``push``: the pages of a change request as files, and back."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import pytest

from copydesk.domain.page_tree import PageNode
from copydesk.domain.request_folder import KEPT, file_names
from copydesk.server.desk_writes import Editor
from tests import faults
from tests.cli.script_desk import Screen, ScriptDesk, Typed
from tests.faulty import always, healthy, only


def with_group(editor: Editor) -> None:
    editor.page("Group", type="group")


class Folder:
    """A change request with three pages, checked out."""

    def __init__(self, scripts: ScriptDesk, folder: Path) -> None:
        self.scripts, self.folder = scripts, folder
        world = scripts.world
        world.commit(scripts.space, {"limits": "# Limits\r\n\r\nNone", "limits/burst": "# Burst\n"})
        world.commit(scripts.space, edit=with_group)
        self.request = world.change_request(scripts.space, {"retries": "# Retries\n\nFive.\n"})
        scripts.out("cr", "checkout", "1", str(folder))

    def write(self, path: str, old: str, new: str) -> None:
        """Change a file."""
        data = (self.folder / path).read_bytes()
        assert old.encode() in data
        (self.folder / path).write_bytes(data.replace(old.encode(), new.encode()))

    def push(self, *options: str, status: int = 0) -> str:
        return self.scripts.out("cr", "push", str(self.folder), *options, status=status)

    def refused(self, *options: str, status: int) -> str:
        self.scripts.said()
        assert self.scripts.run("cr", "push", str(self.folder), *options) == status
        return self.scripts.said()[1]

    def text(self, path: str) -> str:
        world = self.scripts.world
        page = world.page_id(self.scripts.space, path, change_request=self.request)
        address = f"/spaces/{self.scripts.space}/change-requests/{self.request}/content/page/{page}"
        text: str = self.scripts.json("api", "GET", f"{address}?format=markdown")["markdown"]
        return text


@pytest.fixture
def folder(scripts: ScriptDesk, tmp_path: Path) -> Folder:
    return Folder(scripts, tmp_path / "r")


def test_what_is_changed_in_a_folder_goes_back_as_one_write(
    folder: Folder, scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {p.relative_to(folder.folder).as_posix() for p in folder.folder.rglob("*.md")}
    assert names == {"retries.md", "limits.md", "limits/burst.md"}
    assert (folder.folder / "limits.md").read_bytes().endswith(b"# Limits\r\n\r\nNone")
    assert folder.push("--yes") == ""
    assert folder.push("--plan") == ""
    assert scripts.log() == []
    folder.write("retries.md", "Five.", "Eight.")
    folder.write("limits.md", "None", "Many")
    (folder.folder / "letters.md").write_text("# Dead letters\n\nThey wait.\n")
    (folder.folder / "limits" / "age.md").write_text("---\ntitle: Age\n---\nOld.\n")
    (folder.folder / "limits" / "burst.md").unlink()
    (folder.folder / "group").mkdir()
    (folder.folder / "group" / "in.md").write_text("In.\n")
    patch = folder.push("--plan", status=7)
    assert "-Five.\n+Eight.\n" in patch
    assert "new file mode" in patch
    assert "burst" not in patch, "nothing is deleted unasked"
    assert "add --yes" in folder.refused(status=2)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    assert "nothing was sent." in folder.refused(status=1)
    assert folder.text("retries") == "# Retries\n\nFive.\n"
    said = folder.refused("--yes", "--remove", status=0)
    assert "Sent to #1: 6 pages." in said
    assert folder.text("retries") == "# Retries\n\nEight.\n"
    assert folder.text("limits") == "# Limits\r\n\r\nMany"
    assert folder.text("limits/age") == "Old.\n"
    assert folder.text("group/in") == "In.\n"
    assert scripts.log() == [("Edit pages of", "done")]
    assert "limits/age.md is written as #1 has it now." in said
    kept = (folder.folder / "limits" / "age.md").read_text()
    assert kept == "---\ntitle: Age\nslug: age\n---\nOld.\n"
    # It is in accord again, also where what was kept of it is older.
    assert folder.push("--yes", "--remove") == ""
    folder.write("letters.md", "They wait.", "They rest.")
    folder.push("--yes")
    assert "They rest." in folder.text("letters")


def test_what_one_sent_oneself_is_no_change_since_one_read_it(
    folder: Folder, scripts: ScriptDesk
) -> None:
    def told() -> bool:
        scripts.said()
        assert scripts.run("cr", "approve", "1", "--yes") == 0
        return "changed since you read it" in "".join(scripts.said())

    scripts.out("cr", "diff", "1")
    folder.write("retries.md", "Five.", "Eight.")
    folder.push("--yes")
    assert not told()
    scripts.world.edit_change_request(folder.request, {"limits/burst": "# Burst\n\nElse.\n"})
    folder.write("retries.md", "Eight.", "Nine.")
    folder.push("--yes")
    assert told(), "what others wrote before that was not read"


def test_a_plan_on_a_terminal_shows_what_nobody_would_see(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("retries.md", "Five.", "Six\x1b[8m\u202e\x9b\rSeven.")
    patch = folder.push("--plan", status=7)
    assert "+Six\x1b[8m\u202e\x9b\rSeven.\n" in patch, "git applies it"
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", screen := Screen())
        folder.scripts.run("cr", "push", str(folder.folder), "--plan")
    assert "+Six<U+001B>[8m<U+202E><U+009B><U+000D>Seven." in screen.text()
    assert "\u202e" not in screen.text()


def test_a_page_with_a_nul_is_named_with_its_line(folder: Folder) -> None:
    folder.write("retries.md", "Five.", "Six\n\0.")
    said = folder.refused("--yes", status=2)
    assert "retries.md, line 8: no page takes the character U+0000." in said


def test_what_changed_on_both_sides_is_named_and_nothing_is_sent(
    folder: Folder, scripts: ScriptDesk
) -> None:
    world = scripts.world
    folder.write("retries.md", "Five.", "Eight.")
    folder.write("limits.md", "None", "Many")
    world.edit_change_request(folder.request, {"limits/burst": "# Burst\n\nElse.\n"})
    kept, new = (folder.folder / KEPT).read_bytes(), folder.folder / "age.md"
    new.write_text("---\ntitle: Age\n---\nOld.\n")
    folder.push("--yes")
    assert folder.text("retries") == "# Retries\n\nEight.\n", "another page is another matter"
    # A run that was killed before it noted what it sent finds it there.
    (folder.folder / KEPT).write_bytes(kept)
    made = new.read_bytes()
    new.write_text("---\ntitle: Age\n---\nOld.\n")
    assert folder.push("--plan") == ""
    assert new.read_bytes() != made
    assert folder.push("--yes") == ""
    assert new.read_bytes() == made, "it is the page that is there"
    new.write_bytes(made.replace(b"slug: age\n", b""))
    assert folder.push("--yes") == "", "a page has its slug all the same"
    new.write_bytes(made.replace(b"Old.", b"Older."))
    folder.push("--yes")
    assert folder.text("age") == "Older.\n"
    world.edit_change_request(folder.request, {"retries": "Nine.\n"})
    folder.write("retries.md", "Eight.", "Seven.")
    folder.write("limits.md", "Many", "Some")
    said = folder.refused("--yes", status=4)
    assert "changed both here and in #1 since the checkout: retries.md. Nothing was sent." in said
    (folder.folder / "limits" / "burst.md").unlink()
    said = folder.refused("--yes", "--remove", status=4)
    assert "retries.md and limits/burst.md" in said
    assert folder.text("retries") == "Nine.\n"
    assert folder.text("limits") == "# Limits\r\n\r\nMany"
    world.write(lambda tx: tx.update("change_request", folder.request, status="archived"))
    assert "#1 is archived" in folder.refused("--yes", status=4)


def test_staged_it_waits_for_the_screens(folder: Folder, scripts: ScriptDesk) -> None:
    folder.write("retries.md", "Five.", "Eight.")
    assert "Staged for #1" in folder.refused("--stage", status=0)
    assert folder.text("retries") == "# Retries\n\nFive.\n"
    assert scripts.log() == []
    folder.write("retries.md", "Eight.", "Nine.")
    folder.write("limits.md", "None", "Some")
    assert "Staged for #1" in folder.refused("--stage", status=0)
    folder.write("limits.md", "Some", "None")
    kept = (folder.folder / KEPT).read_bytes()
    folder.write("retries.md", "Nine.", "Ten.")
    assert "Staged for #1" in folder.refused("--stage", status=0)
    (folder.folder / KEPT).write_bytes(kept)  # what is staged by now is not of this folder
    folder.write("retries.md", "Ten.", "Eight.")
    assert "other edits are staged of Retries" in folder.refused("--yes", status=4)
    folder.write("retries.md", "Eight.", "Ten.")
    assert "Sent to #1: 1 page." in folder.refused("--yes", status=0)


def test_a_folder_that_cannot_be_used_says_why(
    folder: Folder, scripts: ScriptDesk, tmp_path: Path
) -> None:
    there = folder.folder
    assert "is not empty" in scripts.err("cr", "checkout", "1", str(there), status=2)
    assert "is not a folder" in scripts.err("cr", "checkout", "1", str(there / KEPT), status=2)
    assert "was not checked out" in scripts.err("cr", "push", str(tmp_path), "--yes", status=2)
    folder.write("retries.md", "title: Retries", "titel: Retries")
    assert "retries.md, line 2: the front matter of a page takes" in folder.refused(
        "--yes", status=2
    )
    folder.write("retries.md", "titel: Retries", "title: \\xff")
    (there / "retries.md").write_bytes(b"# A\n\xff")
    assert "retries.md, line 2: this is not UTF-8" in folder.refused("--yes", status=2)
    (there / "retries.md").unlink()
    (there / "retries.md").symlink_to("/etc/passwd")
    assert "is not a file of its own" in folder.refused("--yes", status=2)
    (there / "retries.md").unlink()
    (there / "new").mkdir()
    (there / "new" / "one.md").write_text("One.\n")
    assert "above it new.md is not a page there." in folder.refused("--yes", status=2)
    (there / "new.md").write_text("New.\n")
    assert "new.md is not a page yet: send that one first." in folder.refused("--yes", status=2)
    (there / "new" / "one.md").unlink()
    (there / "new.md").unlink()
    (there / "LIMITS.md").write_text("One.\n")
    assert "differ in capitals only" in folder.refused("--yes", status=2)
    (there / "LIMITS.md").unlink()
    (there / "pic\x1b.png").write_bytes(b"x")
    said = folder.refused("--yes", status=0)
    assert "is not a .md file" in said
    assert "\x1b" not in said
    assert "Without a file, and left as they are: retries.md." in said
    kept = json.loads((there / KEPT).read_text())
    for wrong in ({**kept, "desk": "other"}, {**kept, "version": 9}, {**kept, "pages": 1}, 1):
        (there / KEPT).write_text(json.dumps(wrong))
        scripts.err("cr", "push", str(there), "--yes", status=2)
    (there / KEPT).write_text(json.dumps(kept))
    scripts.sign_in(scripts.world.user("guest", "comment"))
    assert "You may not edit in API reference." in folder.refused("--yes", status=3)
    assert scripts.log() == []


def test_what_was_sent_is_told_also_where_it_cannot_be_read_back(
    scripts: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts.world.change_request(scripts.space, {"retries": "# Retries\n\nFive.\n"})
    folder = tmp_path / "r"
    push = ("cr", "push", str(folder))
    with scripts.served("all", monkeypatch) as server:
        scripts.out("cr", "checkout", "1", str(folder))
        (folder / "retries.md").write_text("# Retries\n\nEight.\n")
        (folder / "new.md").write_text("New.\n")
        server.plan = only(
            lambda asked: bool(server.arrived) and "/content/page/" in asked.target,
            always(faults.SERVER_ERROR),
        )
        assert scripts.run(*push, "--yes") == 0
        said = scripts.said()[1].splitlines()
        assert said[0].startswith("How #1 has them cannot be read, the files stay as they were")
        assert said[1].startswith("Sent to #1: 2 pages.")
        server.plan = healthy
        assert "Nothing in" in scripts.err(*push, "--plan", status=0)
        assert len(server.arrived) == 1


def test_a_folder_that_cannot_be_filled_is_empty_again(
    folder: Folder, scripts: ScriptDesk, tmp_path: Path
) -> None:
    scripts.world.change_request(scripts.space, {"zz/long": "# Long\n\n" + "word " * 4000})
    target = tmp_path / "full"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, hard))
    try:
        assert scripts.run("cr", "checkout", "2", str(target)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    said = scripts.said()[1]
    assert f"{target} cannot be filled: File too large. There is nothing in it." in said
    assert list(target.iterdir()) == []
    scripts.out("cr", "checkout", "2", str(target))


def test_names_of_files_stay_in_the_folder() -> None:
    paths = [
        "a/b",
        "../x",
        "A/B",
        "/etc",
        "a//c",
        ".copydesk/request",
        "con",
        "x" * 300,
        "é",
        "\ud800",
        "",
    ]
    pages = [PageNode(str(at), "T", path=path) for at, path in enumerate(paths)]
    names = file_names(pages)
    assert names["0"] == "a/b.md"
    assert names["8"] == "é.md"
    assert all(names[str(at)].startswith("page-") for at in (1, 2, 3, 4, 5, 6, 7, 9, 10))
    assert len({name.casefold() for name in names.values()}) == len(paths)
