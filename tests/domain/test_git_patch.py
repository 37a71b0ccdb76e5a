"""Patches of one file, as git writes them; what git makes of them is tried with the desk."""

from __future__ import annotations

import zlib
from base64 import b85decode

import pytest

from copydesk.domain.git_patch import NO_FILE, Side, file_patch

NONE = NO_FILE.encode()


def patch(was: Side, now: Side) -> list[bytes]:
    return b"".join(file_patch(was, now)).splitlines(keepends=True)


def test_a_new_file_whatever_its_name() -> None:
    assert patch(Side("", None), Side("a\udc80 é.md", b"x\n")) == [
        b"diff --git a/a\xed\xb2\x80 \xc3\xa9.md b/a\xed\xb2\x80 \xc3\xa9.md\n",
        b"new file mode 100644\n",
        b"index %s..587be6b4c3f93f93c489c0111bba5596147a26cb\n" % NONE,
        b"--- /dev/null\n",
        b"+++ b/a\xed\xb2\x80 \xc3\xa9.md\t\n",
        b"@@ -0,0 +1,1 @@\n",
        b"+x\n",
    ]
    quoted = patch(Side('a"\t\\.md', b"x"), Side("", None))
    assert quoted[0] == b'diff --git "a/a\\"\\011\\\\.md" "b/a\\"\\011\\\\.md"\n'
    assert quoted[1:5] == [
        b"deleted file mode 100644\n",
        b"index %s..%s\n" % (b"c1b0730e0133447badcfd47fd144e254807b06e1", NONE),
        b'--- "a/a\\"\\011\\\\.md"\n',
        b"+++ /dev/null\n",
    ]


def test_a_file_that_is_renamed_and_changed() -> None:
    assert patch(Side("a.md", b"one\ntwo\n"), Side("b.md", b"one\nzwei")) == [
        b"diff --git a/a.md b/b.md\n",
        b"rename from a.md\n",
        b"rename to b.md\n",
        b"index 814f4a422927b82f5f8a43f8fab6d3839e3983f2.."
        b"3ee602d6369afa96ed001113ae8bb4f7b5ea59c5 100644\n",
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


def heads(before: list[bytes], after: list[bytes]) -> list[bytes]:
    lines = patch(Side("a", b"".join(before)), Side("a", b"".join(after)))
    return [line.removesuffix(b" @@\n")[3:] for line in lines if line.startswith(b"@@")]


def test_changes_with_so_many_lines_between_them_share_a_hunk() -> None:
    before = [b"%d\n" % number for number in range(30)]
    near, far = [*before], [*before]
    near[5] = near[12] = b"x\n"
    far[5] = far[13] = b"x\n"
    assert heads(before, near) == [b"-3,14 +3,14"]
    assert heads(before, far) == [b"-3,7 +3,7", b"-11,7 +11,7"]
    assert heads(before, before[:28]) == [b"-26,5 +26,3"]
    assert heads(before[:2], [b"new\n", *before[:2]]) == [b"-1,2 +1,3"]
    assert heads([b"a\n"], []) == [b"-1,1 +0,0"]


def test_a_hunk_holds_the_lines_around_and_what_changed() -> None:
    before = [b"%d\n" % number for number in range(9)]
    after = [*before[:4], b"x\n", b"y\n", *before[5:]]
    lines = patch(Side("a", b"".join(before)), Side("a", b"".join(after)))
    assert lines[1].startswith(b"index 1000f90057824bf665b32fe47a7f78e7a0077e7b..c36f2710")
    assert [lines[0], *lines[2:]] == [
        b"diff --git a/a b/a\n", b"--- a/a\n", b"+++ b/a\n", b"@@ -2,7 +2,8 @@\n",
        b" 1\n", b" 2\n", b" 3\n", b"-4\n", b"+x\n", b"+y\n", b" 5\n", b" 6\n", b" 7\n",
    ]  # fmt: skip


def unpacked(lines: list[bytes]) -> bytes:
    packed = b""
    for line in lines:
        sign, size = chr(line[0]), 0
        size = ord(sign) - ord("A") + 1 if sign.isupper() else ord(sign) - ord("a") + 27
        assert len(line[1:-1]) % 5 == 0  # git takes whole groups only
        packed += b85decode(line[1:].rstrip(b"\n"))[:size]
    return zlib.decompress(packed)


def test_both_sides_of_what_is_no_text_are_packed_in_short_lines() -> None:
    was, now = bytes(range(256)), bytes(range(0, 256, 3))
    lines = patch(Side("a", was), Side("a", now))
    assert lines[1].startswith(b"index c86626638e0bc8cf47ca49bb1525b40e9737ee64..")
    first, second = (at for at, line in enumerate(lines) if line.startswith(b"literal"))
    assert (lines[first], lines[second]) == (b"literal 86\n", b"literal 256\n")
    assert unpacked(lines[first + 1 : second - 1]) == now
    assert unpacked(lines[second + 1 : -1]) == was
    assert lines[second - 1] == lines[-1] == b"\n"
    assert max(map(len, lines[second + 1 :])) == 67
    # A nought far down makes no file binary, for git looks only so far.
    text = b"x" * 8000 + b"\0"
    assert b"GIT binary patch\n" not in patch(Side("a", b""), Side("a", text))
    assert b"GIT binary patch\n" in patch(Side("a", b""), Side("a", text[1:]))


def test_every_length_of_what_is_packed_is_told_by_its_line() -> None:
    for size in range(1, 60):
        data = b"\0" + bytes((7 * number * number + 13) % 251 for number in range(size))
        lines = patch(Side("a", None), Side("a", data))
        start = lines.index(b"literal %d\n" % len(data)) + 1
        assert unpacked(lines[start : lines.index(b"\n", start)]) == data
