"""Patches of one file, as git writes them; what git makes of them is tried with the desk."""

from __future__ import annotations

import pytest

from copydesk.domain.git_patch import Side, file_patch


def patch(was: Side, now: Side) -> list[bytes]:
    return b"".join(file_patch(was, now)).splitlines(keepends=True)


def test_a_new_file_whatever_its_name() -> None:
    assert patch(Side("", None), Side("a\udc80 é.md", b"x\n")) == [
        b"diff --git a/a\xed\xb2\x80 \xc3\xa9.md b/a\xed\xb2\x80 \xc3\xa9.md\n",
        b"new file mode 100644\n",
        b"--- /dev/null\n",
        b"+++ b/a\xed\xb2\x80 \xc3\xa9.md\t\n",
        b"@@ -0,0 +1,1 @@\n",
        b"+x\n",
    ]
    quoted = patch(Side('a"\t\\.md', b"x"), Side("", None))
    assert quoted[0] == b'diff --git "a/a\\"\\011\\\\.md" "b/a\\"\\011\\\\.md"\n'
    assert quoted[1:4] == [
        b"deleted file mode 100644\n",
        b'--- "a/a\\"\\011\\\\.md"\n',
        b"+++ /dev/null\n",
    ]


def test_a_file_that_is_renamed_and_changed() -> None:
    assert patch(Side("a.md", b"one\ntwo\n"), Side("b.md", b"one\nzwei")) == [
        b"diff --git a/a.md b/b.md\n",
        b"rename from a.md\n",
        b"rename to b.md\n",
        b"--- a/a.md\n",
        b"+++ b/b.md\n",
        b"@@ -1,2 +1,2 @@\n",
        b" one\n",
        b"-two\n",
        b"+zwei\n",
        b"\\ No newline at end of file\n",
    ]
    assert len(patch(Side("a.md", b"one"), Side("b.md", b"one"))) == 3


def test_far_changes_have_hunks_of_their_own() -> None:
    before = [b"%d\n" % number for number in range(30)]
    after = [*before]
    after[2], after[20] = b"two\n", b"twenty\n"
    heads = [
        line
        for line in patch(Side("a", b"".join(before)), Side("a", b"".join(after)))
        if line.startswith(b"@@")
    ]
    assert heads == [b"@@ -1,6 +1,6 @@\n", b"@@ -18,7 +18,7 @@\n"]


@pytest.mark.parametrize("data", [b"", b"x\n"])
def test_nothing_changed_is_no_patch(data: bytes) -> None:
    assert patch(Side("a", data), Side("a", data)) == []
    assert patch(Side("a", None), Side("b", None)) == []


def test_what_is_no_text_is_packed() -> None:
    lines = patch(Side("a.png", None), Side("a.png", b"\0" * 100))
    assert lines[1] == b"new file mode 100644\n"
    assert lines[2].startswith(b"index " + b"0" * 40 + b"..")
    assert lines[3:5] == [b"GIT binary patch\n", b"literal 100\n"]
    assert b"literal 0\n" in lines
