from __future__ import annotations

import os
from pathlib import Path

import pytest

from copydesk.server import desk_writes, source_content
from copydesk.server.sources.document import MAX_PAGE
from copydesk.server.sources.folder import working_files
from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import MAX_FILE, Blob, Problem, SourceError
from tests.server.sources.making import layout
from tests.world import World


def test_pages_take_titles_from_the_summary_and_addresses_from_their_files() -> None:
    (space,) = layout(
        {
            "README.md": b"# Sea Charts\n\nHello\n",
            "SUMMARY.md": b"* [Welcome](README.md)\n* [Guide](guide/README.md)\n"
            b"  * [Start](guide/start.md)\n  * [Start](guide/x/start.md)\n* Group\n"
            b"  * [Out](https://example.com)\n"
            + "  * [1️⃣ नमस्ते](हिन्दी/สวัสดี.md)\n  * လျှို့ဝှက် 🏳️‍🌈\n".encode(),
            "guide/README.md": b"# Guide\n",
            "guide/start.md": b"# Another heading\n",
            "guide/x/start.md": b"",
            "हिन्दी/สวัสดี.md": "# नमस्ते\n".encode(),
            "guide/orphan.md": b"# No one lists me\n",
            ".gitbook/assets/a.png": b"\x89PNG",
            "LICENSE": b"MIT",
        }
    )
    assert space.title == "Sea Charts"
    assert [(page.type, page.title, page.path) for page in space.walk()] == [
        ("document", "Welcome", "readme"),
        ("document", "Guide", "guide"),
        ("document", "Start", "guide/start"),
        ("document", "Start", "guide/start-1"),
        ("group", "Group", "group"),
        ("link", "Out", "group/out"),
        ("document", "1️⃣ नमस्ते", "group/สวัสดี"),
        ("group", "လျှို့ဝှက် 🏳️‍🌈", "group/လျှို့ဝှက်"),
    ]
    assert {file.path: (file.role, file.content_type, file.size) for file in space.files} == {
        ".gitbook/assets/a.png": ("asset", "image/png", 4),
        "LICENSE": ("other", "application/octet-stream", 3),
        "SUMMARY.md": ("summary", "text/markdown", 272),
        "guide/orphan.md": ("unlisted", "text/markdown", 18),
    }
    assert not space.problems


def test_front_matter_is_read_and_kept_verbatim() -> None:
    source = (
        "\ufeff---\r\ndescription: >-\r\n  All of\r\n  it\r\nhidden: true\r\nicon: anchor\r\n"
        "emoji: '⚓'\r\ncover: a.png\r\ncoverY: 12.5\r\nnoIndex: true\r\nlayout:\r\n"
        "  width: wide\r\n  cover:\r\n    visible: true\r\n    size: full\r\n"
        "  outline:\r\n    visible: false\r\n---\r\n\r\n# A\r\n\r\nno newline"
    ).encode()
    (space,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": source})
    (page,) = space.pages
    assert page.content() == source
    assert page.markdown == "\r\n# A\r\n\r\nno newline"
    assert page.description == "All of it"
    assert (page.hidden, page.no_index, page.no_robots_index) == (True, True, False)
    assert (page.icon, page.emoji, page.cover, page.cover_y) == ("anchor", "⚓", "a.png", 12.5)
    assert page.layout == {"width": "wide", "cover": True, "coverSize": "full", "outline": False}


def test_front_matter_in_toml_is_read_and_kept_verbatim() -> None:
    source = b'+++\r\ntitle = "Alpha"\r\ndescription = "All of it"\r\nweight = 2\r\n+++\r\n\r\nText'
    (space,) = layout({"a.md": source, "b.md": b"+++\ntitle = 'B'\nweight = 1\n+++\n"})
    assert [page.title for page in space.pages] == ["B", "Alpha"]
    page = space.pages[1]
    assert (page.content(), page.markdown, page.description) == (source, "\r\nText", "All of it")
    (space,) = layout(
        {"a.md": b"+++\na = 1\nb\n+++\nText\n", "b.md": b"+++\n" + b"a." * 100_000 + b"a=1\n+++\n"}
    )
    # Reading the second one at all would take hours.
    assert [(each.path, each.line, each.reason) for each in space.problems] == [
        ("a.md", 3, "has front matter that is not valid TOML"),
        ("b.md", None, "has front matter that has more than 100 dots in a line"),
    ]
    assert space.pages[0].markdown == "Text\n"


def test_an_alias_in_front_matter_stands_for_a_short_value() -> None:
    page = b"---\ncascade:\n  name: &name v3.5\ntitle: *name\n---\nText\n"
    long = b"---\nname: &name " + b"x" * 201 + b"\ntitle: *name\n---\nText\n"
    (space,) = layout({"a.md": page, "b.md": long})
    assert [each.title for each in space.pages] == ["v3.5", "b"]
    assert [each.content() for each in space.pages] == [page, long]
    [problem] = space.problems
    assert (problem.path, problem.line) == ("b.md", 3)


def test_broken_front_matter_is_named_with_its_line_and_kept() -> None:
    bomb = b"---\na: &a [x, x]\nb: [*a, *a]\n---\nText\n"
    (space,) = layout(
        {
            "SUMMARY.md": b"* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n",
            "a.md": b"---\ntitle: [unclosed\n---\nText\n",
            "b.md": bomb,
            "c.md": b"---\n" + b"[" * 250_000 + b"\n---\nText\n",
        }
    )
    assert [(problem.path, problem.line) for problem in space.problems][:2] == [
        ("a.md", 3),
        ("b.md", 3),
    ]
    assert "an alias may only stand for a short value" in space.problems[1].reason
    # Reading it at all would take an hour.
    assert "nested more than 100 levels deep" in space.problems[2].reason
    assert [problem.path for problem in space.problems] == ["a.md", "b.md", "c.md"]
    assert space.pages[1].content() == bomb


def test_files_that_are_no_pages_are_named_and_kept() -> None:
    files = {
        "SUMMARY.md": Blob.of(
            b"* [Latin](latin.md)\n* [Big](big.md)\n* [Link](link.md)\n* [Gone](gone.md)\n"
            b"* [Out](../../etc/passwd.md)\n"
        ),
        "latin.md": Blob.of(b"caf\xe9"),
        "big.md": Blob.of(b"x" * (MAX_PAGE + 1)),
        "link.md": Blob.of(b""),
    }
    files["link.md"].kind = "symlink"
    (space,) = LayoutReader("docs").read(files)
    assert not space.pages
    assert [problem.reason for problem in space.problems] == [
        "is not UTF-8 (byte 4)",
        "is larger than 8 MiB",
        "is a symlink, which is not followed",
        "names a file that does not exist",
        "points outside the repository",
        "is a symlink, which is not followed",
    ]
    assert [file.path for file in space.files] == ["SUMMARY.md", "big.md", "latin.md"]


def test_configuration_moves_the_root_and_the_summary() -> None:
    (space,) = layout(
        {
            ".gitbook.yaml": b"root: ./handbook/\nstructure:\n  readme: first.md\n"
            b"  summary: toc/tree.md\n",
            "README.md": b"# The code\n",
            "handbook/first.md": b"# Handbook\n",
            "handbook/toc/tree.md": b"* [First](../first.md)\n* [Code](../../README.md)\n",
        }
    )
    assert (space.title, space.folder, space.summary_path) == (
        "Handbook",
        "handbook",
        "handbook/toc/tree.md",
    )
    # A file outside every space is the page of a space that lists it.
    assert [(page.path, page.source_path) for page in space.walk()] == [
        ("first", "handbook/first.md"),
        ("readme", "README.md"),
    ]
    assert not space.problems
    assert [file.path for file in space.files] == [".gitbook.yaml", "handbook/toc/tree.md"]


def test_configuration_cannot_leave_the_repository_or_stop_the_import() -> None:
    pages = {"README.md": b"# Docs\n", "SUMMARY.md": b"* [Docs](README.md)\n"}
    for text, reason in (
        (b"root: ../../etc\n", "has a “root” outside its folder"),
        (b"structure:\n  summary: ../x.md\n", "has a “structure.summary” outside its folder"),
        (b"root: [1, 2]\n", "has a “root” that is not a path"),
        (b"structure: 3\n", "has a “structure” that is not a mapping"),
        (b"root: 'open\n", "is not valid YAML: found unexpected end of stream"),
        (b"- a\n- b\n", "is not a mapping of names to values"),
        (b"root: \xff\n", "is not UTF-8 (byte 7)"),
    ):
        (space,) = layout({".gitbook.yaml": text, **pages})
        assert [problem.reason for problem in space.problems] == [reason]
        assert [page.title for page in space.walk()] == ["Docs"]


def test_every_folder_with_a_summary_is_a_space() -> None:
    spaces = layout(
        {
            "README.md": b"about the repository",
            "en/SUMMARY.md": b"* [Hi](README.md)\n",
            "en/README.md": b"# Introduction\n",
            "de/SUMMARY.md": b"* [Hallo](README.md)\n",
            "de/README.md": b"# Handbuch\n",
            "de/old/SUMMARY.md": b"* [Alt](alt.md)\n",
            "de/old/alt.md": b"# Alt\n",
        }
    )
    assert [(space.folder, space.title, len(space.pages)) for space in spaces] == [
        ("de", "Handbuch", 1),
        ("de/old", "old", 1),
        ("en", "en", 1),
    ]
    assert [file.path for file in spaces[0].files] == ["de/SUMMARY.md"]


def test_a_summary_below_listed_pages_is_a_leftover() -> None:
    (space,) = layout(
        {
            "SUMMARY.md": b"* [A](a/README.md)\n",
            "a/README.md": b"# A\n",
            "a/SUMMARY.md": b"* [A](README.md)\n",
        }
    )
    assert [(file.path, file.role) for file in space.files] == [
        ("SUMMARY.md", "summary"),
        ("a/SUMMARY.md", "unlisted"),
    ]


def test_hidden_files_are_no_pages_where_the_tree_follows_the_folders() -> None:
    hidden = (".github/x.md", "a/.draft.md")
    (space,) = layout({"README.md": b"# Top\n", "a/b.md": b"# B\n", **dict.fromkeys(hidden, b"x")})
    assert [page.title for page in space.walk()] == ["Top", "a", "B"]
    assert [file.path for file in space.files if file.role == "unlisted"] == list(hidden)


def test_without_a_summary_the_tree_follows_the_folders() -> None:
    (space,) = layout(
        {
            "zeta.md": b"text\n",
            "README.md": b"```\n# not this\n```\n# Top \\_x\\_ ##\n",
            "b/two.md": b"# Two\n",
            "a/README.md": b"# Ay\n",
            "a/one.md": b"# One\n",
        }
    )
    assert space.summary_path is None
    assert [(page.type, page.title, page.path) for page in space.walk()] == [
        ("document", "Top _x_", "readme"),
        ("document", "zeta", "zeta"),
        ("document", "Ay", "a"),
        ("document", "One", "a/one"),
        ("group", "b", "b"),
        ("document", "Two", "b/two"),
    ]


@pytest.mark.parametrize("key", ["weight", "nav_order", "order"])
def test_folders_have_the_order_that_front_matter_or_numbers_in_names_tell(key: str) -> None:
    (space,) = layout(
        {
            "README.md": b"# Top\n",
            "alpha/_index.md": f"---\ntitle: Alpha\n{key}: 20\n---\n".encode(),
            "alpha/10-late.md": b"# Late\n",
            "alpha/9-soon.md": b"# Soon\n",
            "beta.md": f"---\n{key}: '3'\n---\n# Beta\n".encode(),
            "aside.md": f"---\n{key}: soon\n---\n# Aside\n".encode(),
        }
    )
    titles = [page.title for page in space.walk()]
    assert titles == ["Top", "Beta", "Alpha", "Soon", "Late", "Aside"]
    assert [page.path for page in space.pages] == ["readme", "beta", "alpha", "aside"]


def test_a_folder_without_markdown_has_no_space() -> None:
    assert layout({"a.txt": b"hello"}) == []


def test_hostile_text_is_read_in_reasonable_time() -> None:
    (space,) = layout(
        {
            "README.md": b"```\n~~~\n" * 100_000 + b"# " + b" " * 1_000_000 + b"#\n",
            "SUMMARY.md": b"* [x](" * 20_000,
            "a.md": b"---\ncoverY: .nan\nicon: true\n" + b"---",
        }
    )
    assert space.title == "docs"
    assert [len(page.title) for page in space.pages] == [500]
    (space,) = layout({"SUMMARY.md": b"* [A](a.md)\n" * 200_000, "a.md": b"---\ncoverY: .inf\n---"})
    assert [problem.reason for problem in space.problems] == [
        "is longer than 2 MiB and cannot be used"
    ]
    (space,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": b"---\ncoverY: .nan\nicon: no\n---"})
    assert (space.pages[0].cover_y, space.pages[0].icon) == (None, None)


def test_a_file_that_no_desk_can_keep_is_named(
    tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, size in (("fits.bin", MAX_FILE), ("huge.bin", MAX_FILE + 1)):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, size)  # the file has holes: nothing is written
    problems: list[Problem] = []
    assert list(working_files(tmp_path, problems)) == ["fits.bin"]
    assert [str(each) for each in problems] == ["huge.bin: is larger than 1 GB; no desk keeps that"]
    # In a repository it is found when it is read.
    monkeypatch.setattr(source_content, "MAX_FILE", 2)
    (made,) = layout({"README.md": b"# Sea Charts\n", "a.bin": b"123"})
    edit, home = source_content.filled(made), world.home
    with pytest.raises(SourceError, match="larger than 1 GB"):
        world.write(lambda tx: desk_writes.add_space(tx, home, "Charts", edit, author=world.ana))


def test_a_heading_gives_a_title_its_words_alone() -> None:
    text = b"# <img src='a.png'>\n# The [`<Tabs>`](tabs.md) of <b>x</b> a<b {#tabs}\n"
    assert [page.title for page in layout({"a.md": text})[0].walk()] == ["The <Tabs> of x a<b"]
    badge = "[![ci](https://example.com/ci.svg)](https://example.com/" + "x" * 300 + ")"
    text = f"# The {badge} title {badge} {badge} #\n".encode()
    assert [page.title for page in layout({"a.md": text})[0].walk()] == ["The title"]
    assert [page.title for page in layout({"a.md": b"# In / out { #in-out }\n"})[0].walk()] == [
        "In / out"
    ]


def test_a_file_that_stays_is_one_thing_in_all_states() -> None:
    reader = LayoutReader()
    stays, goes = Blob.of(b"same"), Blob.of(b"before")
    before = {"README.md": Blob.of(b"# A"), "a.png": stays, "b.png": goes}
    after = {**before, "a.png": Blob.of(b"same"), "b.png": Blob.of(b"after")}
    (one,), (other,) = reader.read(before), reader.read(after)
    assert [file.oid for file in other.files] == [stays.oid, Blob.of(b"after").oid]
    assert [was is now for was, now in zip(one.files, other.files, strict=True)] == [True, False]
    (renamed,) = reader.read(after, {"a.png": "old.png"})
    assert [file.key for file in renamed.files] == ["old.png", "b.png"]
