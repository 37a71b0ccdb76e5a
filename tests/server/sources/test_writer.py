from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.server.sources.git import Repository
from copydesk.server.sources.layout import LayoutReader
from copydesk.server.sources.model import Blob, SourceFile, SourcePage, SourceSpace, walk
from copydesk.server.sources.page_paths import placed
from copydesk.server.sources.paths import hazard
from copydesk.server.sources.plan import plan_imports
from copydesk.server.sources.writer import write_space
from tests.server.sources.making import Making, layout, put, taken

FILES = {
    ".gitbook.yaml": b"root: ./docs\n\nredirects:\n  a: b.md # kept\n",
    "docs/SUMMARY.md": b"# Contents\r\n\r\n-   [Home](README.md)\r\n-   [Lost](lost.md)\r\n"
    b"-   [A](a.md)\r\n    -   [B](b/c.md 'x')\r\n\r\n## More\r\n\r\n* [D](d.md)",
    "docs/README.md": b"\xef\xbb\xbf# Home\r\n\r\nNo newline at the end",
    "docs/a.md": b"---\r\n# a comment\r\ndescription:   kept   \r\n---\r\n# A\r\n",
    "docs/b/c.md": b"\n\n\n# B\n\n\n",
    "docs/d.md": b"",
    "docs/orphan.md": b"# Orphan\n",
    "docs/latin.md": b"caf\xe9\n",
    "docs/.gitbook/assets/x.png": bytes(range(256)),
}


def page(title: str, path: str | None = None, text: str = "", **more: object) -> SourcePage:
    made = SourcePage(
        key=path or title,
        title=title,
        slug=title.lower(),
        path=title.lower(),
        type="document",
        source_path=path,
        markdown=text,
    )
    return replace(made, **more)  # type: ignore[arg-type] # fields of a page


def space_of(*pages: SourcePage) -> SourceSpace:
    return SourceSpace(title="T", folder="", pages=pages, files=())


def test_what_was_not_touched_comes_back_byte_for_byte(tmp_path: Path) -> None:
    (space,) = layout(FILES)
    written = write_space(tmp_path, space, base=space)
    assert taken(tmp_path) == FILES
    assert not written.problems
    assert sorted(written.written) == sorted(FILES)
    again = write_space(tmp_path, space, base=space)
    assert (again.written, again.unchanged, again.removed) == ((), len(FILES), ())
    assert write_space(tmp_path / "new", space).problems == ()
    assert taken(tmp_path / "new") == FILES


def test_a_change_writes_exactly_what_it_changes(tmp_path: Path) -> None:
    making = Making(tmp_path / "docs.git")
    start = making.commit(FILES, "Start")
    making.commit(
        {
            "docs/a.md": b"changed\n",
            "docs/b/c.md": None,
            "docs/new/e.md": b"# E\n",
            "docs/SUMMARY.md": FILES["docs/SUMMARY.md"]
            .replace(b"    -   [B](b/c.md 'x')\r\n", b"")
            .replace(b"## More", b"-   [E](new/e.md)\r\n\r\n## More"),
        },
        branch="1-a",
        parents=[start],
    )
    put(tmp_path / "out", FILES)
    with Repository.open(making.path) as source:
        change = plan_imports(source).spaces[0].changes[0]
        written = write_space(tmp_path / "out", change.head, base=change.base)
        expected = {path: blob.read() for path, blob in source.files(change.head_commit).items()}
    making.close()
    assert taken(tmp_path / "out") == expected
    assert sorted(written.written) == ["docs/SUMMARY.md", "docs/a.md", "docs/new/e.md"]
    assert written.removed == ("docs/b/c.md",)
    assert not (tmp_path / "out/docs/b").exists()


def test_pages_that_changed_in_the_tree_change_their_lines_only(tmp_path: Path) -> None:
    (base,) = layout(FILES)
    home, a, more = base.pages
    head = replace(
        base,
        pages=(home, replace(a, title="Ay", children=()), page("New one", None, "# New\n"), more),
    )
    written = write_space(tmp_path, head, base=base)
    assert (tmp_path / "docs/SUMMARY.md").read_bytes() == (
        b"# Contents\r\n\r\n-   [Home](README.md)\r\n-   [Lost](lost.md)\r\n"
        b"-   [Ay](a.md)\r\n-   [New one](new%20one.md)\r\n\r\n## More\r\n\r\n* [D](d.md)"
    )
    assert (tmp_path / "docs/new one.md").read_bytes() == b"# New\n"
    assert not written.problems


def test_a_group_that_is_a_heading_is_renamed_in_its_line(tmp_path: Path) -> None:
    summary = b"# T\n\n* [A](a.md)\n\n## Old\n\n* [B](b.md)\n\n## Last\n\n* [C](c.md)\n"
    (space,) = layout({"SUMMARY.md": summary, "a.md": b"", "b.md": b"", "c.md": b""})
    pages = tuple(
        replace(each, title="New") if each.title == "Old" else each for each in space.pages
    )
    write_space(tmp_path, replace(space, pages=pages), base=space)
    assert taken(tmp_path)["SUMMARY.md"] == summary.replace(b"Old", b"New")


def test_a_file_that_changed_there_is_kept_and_named(tmp_path: Path) -> None:
    base = space_of(page("A", "a.md", "a\n"), page("B", "b.md", "b\n"))
    head = space_of(page("B", "b.md", "b\n"))
    write_space(tmp_path, base)
    put(tmp_path, {"a.md": b"someone was here\n", "mine.md": b"mine\n"})
    written = write_space(tmp_path, head, base=base)
    assert [problem.path for problem in written.problems] == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"someone was here\n"
    assert write_space(tmp_path, head).removed == ()
    assert (tmp_path / "mine.md").exists()


@pytest.mark.parametrize(
    "path",
    [
        "../out.md",
        "/etc/out.md",
        "a/../../out.md",
        "a//b.md",
        "C:/out.md",
        "a\\..\\out.md",
        ".git/hooks/post-checkout",
        ".GIT/config",
        "sub/.git\u200c/config",
        ".git /config",
        "git~1/config",
        "nul.md",
        "a\nb.md",
        "a\x00b.md",
        "\udcff.md",
        "x" * 256,
        "",
    ],
)
def test_hostile_paths_are_refused(tmp_path: Path, path: str) -> None:
    assert hazard(path)
    target = tmp_path / "in" / "side"
    hostile = SourceFile(
        key="x", path=path, name="x", content_type="text/plain", role="other", blob=Blob.of(b"x")
    )
    space = replace(space_of(page("Good", "good.md", "good\n")), files=(hostile,))
    written = write_space(target, space, base=space)
    assert len(written.problems) == 1
    assert set(taken(tmp_path)) == {"in/side/good.md"}


PARTS = st.lists(
    st.text(st.sampled_from("./\\~:ab \x00\n\u202e\u200c\udcff-gitGIT"), max_size=6)
    | st.sampled_from(["..", ".", "", ".git", "a", "con", "~", "-", "x" * 300, "e\u0301" * 20]),
    max_size=5,
)


@given(PARTS, PARTS)
def test_whatever_files_are_called_nothing_is_written_elsewhere(
    one: list[str], other: list[str]
) -> None:
    with TemporaryDirectory() as made:
        target = Path(made) / "in" / "side"
        paths = ("/".join(path) or "p.md" for path in (one, other))
        pages = [page(f"P{at}", path, f"text {at}\n") for at, path in enumerate(paths)]
        space = space_of(page("Good", "good.md", "good\n"), *pages)
        written = write_space(target, space)
        write_space(target, replace(space, pages=()), base=space)
        outside = [path for path in taken(Path(made)) if not path.startswith("in/side/")]
        assert not outside
        assert not any(".git" in path.lower().split("/") for path in taken(target))
        assert len(written.written) + len(written.problems) >= 2


def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    outside, target = tmp_path / "outside", tmp_path / "target"
    put(outside, {"a.md": b"theirs\n"})
    target.mkdir()
    (target / "dir").symlink_to(outside)
    (target / "b.md").symlink_to(outside / "a.md")
    space = space_of(page("A", "dir/a.md", "ours\n"), page("B", "b.md", "ours\n"))
    written = write_space(target, space, base=space)
    assert len(written.problems) == 2
    gone = replace(space, pages=())
    write_space(target, gone, base=space_of(page("A", "dir/a.md", "theirs\n")))
    assert taken(outside) == {"a.md": b"theirs\n"}


def test_a_pipe_keeps_its_name(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "a.md")
    written = write_space(tmp_path, space_of(page("A", "a.md", "ours\n")))
    assert "a.md: is a pipe or a device there" in map(str, written.problems)
    assert pipe.is_fifo()


def test_what_is_one_file_on_a_disk_that_folds_capitals_is_not_written_over(tmp_path: Path) -> None:
    put(tmp_path, {"README.md": b"one\n"})
    (tmp_path / "readme.md").hardlink_to(tmp_path / "README.md")  # as such a disk has them
    space = space_of(page("A", "README.md", "one\n"), page("B", "readme.md", "other\n"))
    written = write_space(tmp_path, space)
    assert [str(problem) for problem in written.problems] == [
        "readme.md: is the same file as README.md on this disk, and is not written over it"
    ]
    assert (tmp_path / "README.md").read_bytes() == b"one\n"
    apart = tmp_path / "apart"
    assert not write_space(apart, space).problems
    assert len(taken(apart)) == len({path.lower() for path in taken(apart)}) + 1


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    put(tmp_path, {"a.md/x": b"x", "file": b"x"})
    written = write_space(
        tmp_path, space_of(page("A", "a.md", "a"), page("B", "file/b.md", "b"), page("C", "c.md"))
    )
    assert [problem.path for problem in written.problems] == ["a.md", "file/b.md"]
    assert (tmp_path / "c.md").exists()


def test_a_file_of_two_pages_is_written_once(tmp_path: Path) -> None:
    written = write_space(tmp_path, space_of(page("A", "a.md", "a"), page("B", "a.md", "b")))
    assert [problem.reason for problem in written.problems] == ["is the file of two pages"]
    assert (tmp_path / "a.md").read_bytes() == b"a"


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_permissions_stay(tmp_path: Path) -> None:
    put(tmp_path, {"a.md": b"old"})
    (tmp_path / "a.md").chmod(0o640)
    write_space(tmp_path, space_of(page("A", "a.md", "new")))
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o640


def test_new_pages_get_files_below_their_parents(tmp_path: Path) -> None:
    tree = space_of(
        page("Home", None, "h"),
        page("Guide", None, "g", children=(page("Start", None, "s"), page("Start", None, "t"))),
        replace(page("Group"), type="group", children=(page("In", None, "i"),)),
    )
    write_space(tmp_path, tree)
    assert taken(tmp_path) == {
        "home.md": b"h",
        "guide/README.md": b"g",
        "guide/start.md": b"s",
        "guide/start-1.md": b"t",
        "group/in.md": b"i",
        "SUMMARY.md": b"# Table of contents\n\n* [Home](home.md)\n* [Guide](guide/README.md)\n"
        b"  * [Start](guide/start.md)\n  * [Start](guide/start-1.md)\n\n## Group\n\n"
        b"* [In](group/in.md)\n",
    }


@pytest.mark.parametrize(
    ("files", "above", "expected"),
    [
        (["a/_index.md", "a/one.md"], "a/_index.md", "a/new.md"),
        (["a/index.md"], "a/index.md", "a/new.md"),
        (["index.md", "one.md"], None, "new.md"),
    ],
)
def test_a_new_page_gets_its_file_beside_its_siblings(
    files: list[str], above: str | None, expected: str
) -> None:
    (space,) = layout(dict.fromkeys(files, b""))
    made = page("New")

    def with_new(pages: tuple[SourcePage, ...], path: str | None) -> tuple[SourcePage, ...]:
        below = (
            replace(each, children=with_new(each.children, each.source_path)) for each in pages
        )
        return (*below, made) if path == above else tuple(below)

    there = placed(replace(space, pages=with_new(space.pages, None)))
    assert {each.source_path for each in walk(there)} - set(files) == {expected}


def test_chapters_that_are_beside_the_one_above_them_get_new_ones_there() -> None:
    summary = b"- [One](ch01.md)\n  - [Two](ch01-01.md)\n"
    (space,) = layout({"SUMMARY.md": summary, "ch01.md": b"", "ch01-01.md": b""})
    (chapter,) = space.pages
    more = replace(space, pages=(replace(chapter, children=(*chapter.children, page("New"))),))
    assert [each.source_path for each in walk(placed(more))] == ["ch01.md", "ch01-01.md", "new.md"]


def test_a_new_folder_is_introduced_as_others_of_its_space_are() -> None:
    (space,) = layout({"_index.md": b"", "a/_index.md": b"", "a/b.md": b""})
    made = page("New", children=(page("Below"),))
    there = placed(replace(space, pages=(*space.pages, made)))
    assert [each.source_path for each in walk(there)][-2:] == ["new/_index.md", "new/below.md"]


def test_a_folder_without_a_summary_gets_none_while_its_tree_says_enough(tmp_path: Path) -> None:
    files = {"README.md": b"# Top\n", "a/one.md": b"# One\n", "a/two.md": b"# Two\n"}
    (space,) = layout(files)
    write_space(tmp_path, space, base=space)
    assert taken(tmp_path) == files
    top, group = space.pages
    turned = replace(space, pages=(top, replace(group, children=group.children[::-1])))
    write_space(tmp_path, turned, base=space)
    assert (tmp_path / "SUMMARY.md").exists()
    found = LayoutReader().read({path: Blob.of(data) for path, data in taken(tmp_path).items()})
    assert [one.title for one in found[0].walk()] == ["Top", "a", "Two", "One"]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "---\ntitle: Old  # why\nweight: 3\n---\nText.\n",
            "---\ntitle: New  # why\nweight: 3\n---\nText.\n",
        ),
        ("---\r\ntitle: 'Old'\r\n---\r\n", "---\r\ntitle: 'New'\r\n---\r\n"),
        (
            '---\ntitle: T\nsidebar_label: "Old"\n---\n',
            '---\ntitle: T\nsidebar_label: "New"\n---\n',
        ),
        (
            "---\nsidebar:\n  label: Old\n  order: 1\nx: 1\n---\n",
            "---\nsidebar:\n  label: New\n  order: 1\nx: 1\n---\n",
        ),
        (
            "---\nsidebar: # of the site\n  # inner\n  label: 'Old' # why\n"
            "  badge: {text: X}\n# end\n---\n",
            "---\nsidebar: # of the site\n  # inner\n  label: 'New' # why\n"
            "  badge: {text: X}\n# end\n---\n",
        ),
        (
            "---\nsidebar: {label: Old, badge: X}\n---\n",
            "---\nsidebar:\n  label: New\n  badge: X\n---\n",
        ),
        (
            "---\nx: &t Old\nsidebar:\n  label: *t\n---\n",
            "---\nx: Old\nsidebar:\n  label: New\n---\n",
        ),
        ("+++\ntitle = 'Old'\n+++\n", '+++\ntitle = "New"\n+++\n'),
        ("---\ntitle: >-\n  Old\n---\n", "---\ntitle: New\n---\n"),
        ("# Old\n", "---\ntitle: New\n---\n# Old\n"),
        ("Text.\n", "---\ntitle: New\n---\nText.\n"),
        (
            "---\n id: x\n sidebar:\n   label: Old\n more: y\n---\n",
            "---\n id: x\n sidebar:\n   label: New\n more: y\n---\n",
        ),
        ("---\n id: x\n---\n# Old\n", "---\n id: x\n title: New\n---\n# Old\n"),
    ],
)
def test_without_a_summary_the_file_of_a_page_says_its_new_title(
    tmp_path: Path, was: str, now: str
) -> None:
    (space,) = layout({"Old.md": was.encode(), "b.md": b"# B\n"})
    assert {each.title for each in space.pages} == {"B", "Old"}
    named = (replace(each, title="New") if each.title == "Old" else each for each in space.pages)
    write_space(tmp_path, replace(space, pages=tuple(named)), base=space)
    assert taken(tmp_path) == {"Old.md": now.encode(), "b.md": b"# B\n"}


def test_a_title_stays_where_its_heading_goes(tmp_path: Path) -> None:
    (space,) = layout({"a.md": b"# The first\n\nText.\n", "b.md": b"Text.\n"})
    first, other = space.pages
    edited = replace(space, pages=(replace(first, markdown="Text.\n"), other))
    write_space(tmp_path, edited, base=space)
    assert taken(tmp_path) == {"a.md": b"---\ntitle: The first\n---\nText.\n", "b.md": b"Text.\n"}


def test_a_checkout_keeps_its_line_ends_and_the_files_of_lfs(tmp_path: Path) -> None:
    whole = b"\x89PNG\r\n not text"
    digest = hashlib.sha256(whole).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 14\n"
    files = {
        "a.md": b"# A\n\nText.\n",
        "b.md": b"# B\n",
        "c.md": b"# C\r\n",
        "d.md": b"# D\n",
        "e.png": pointer.encode(),
    }
    (space,) = layout(files)
    there = {path: data.replace(b"\n", b"\r\n") for path, data in files.items()}
    there |= {"c.md": files["c.md"], "d.md": b"# D\n\nMore.\r\n", "e.png": whole}
    put(tmp_path, there)
    first, second, third, *others = space.pages
    pages = (
        replace(first, markdown="# A\n\nOther.\n"),
        second,
        replace(third, markdown="# C\n"),
        *others,
    )
    lost: dict[str, bytes] = {}
    done = write_space(
        tmp_path, replace(space, pages=pages), base=space, allow=lambda each: lost.update(each)
    )
    # What is not as git has it for any other reason is as ever.
    assert lost == {"a.md": files["a.md"], "c.md": b"# C\r\n", "d.md": there["d.md"]}
    assert done.written == ("a.md", "c.md", "d.md")
    assert taken(tmp_path) == {
        **there,
        "a.md": b"# A\r\n\r\nOther.\r\n",
        "c.md": b"# C\n",
        "d.md": b"# D\n",
    }
    write_space(tmp_path, replace(space, pages=(first,)), base=space)
    assert "b.md" not in taken(tmp_path)


def test_what_is_no_text_has_no_line_ends(tmp_path: Path) -> None:
    (space,) = layout({"a.md": b"# A\n", "b.png": b"\0\n", "c.png": b"\0\n"})
    put(tmp_path, {"a.md": b"# A\n", "b.png": b"\0\r\n", "c.png": b"\0\n"})
    lost: dict[str, bytes] = {}
    write_space(tmp_path, space, base=space, allow=lambda each: lost.update(each))
    assert lost == {"b.png": b"\0\r\n"}
    assert taken(tmp_path)["b.png"] == b"\0\n"


def test_a_title_that_the_name_of_a_file_gives_stays_unsaid(tmp_path: Path) -> None:
    (space,) = layout({"a.md": b"---\nlayout: wide\n---\nText.\n"})
    edited = replace(space, pages=(replace(space.pages[0], markdown="Other.\n"),))
    write_space(tmp_path, edited, base=space)
    assert taken(tmp_path) == {"a.md": b"---\nlayout: wide\n---\nOther.\n"}


def test_a_title_of_a_table_of_contents_is_not_written_to_the_file(tmp_path: Path) -> None:
    files = {"mkdocs.yml": b"nav: [{Old: a.md}]\n", "docs/a.md": b"# A\n"}
    (space,) = layout(files)
    turned = replace(space, pages=(replace(space.pages[0], title="New"),))
    done = write_space(tmp_path, turned, base=space)
    assert done.beside == ("docs/SUMMARY.md", "mkdocs.yml")
    assert {path: taken(tmp_path)[path] for path in files} == files


@pytest.mark.parametrize(
    ("places", "at", "said"),
    [
        ({"a": "weight: 10", "b": "weight: 20", "c": "weight: 30"}, 3, b"weight: 40"),
        ({"a": "weight: 10", "b": "weight: 20"}, 1, b"weight: 15"),
        ({"a": "weight: 1", "b": "weight: 2"}, 1, None),
        ({"a": "nav_order: 1", "b": "nav_order: 2"}, 1, b"nav_order: 1.5"),
        ({"a": "sidebar_position: 2"}, 0, b"sidebar_position: 1"),
        ({"a": "sidebar: {order: 4}"}, 1, b"sidebar:\n  order: 5"),
        ({"a": "title: a", "b": "title: b"}, 1, None),
    ],
)
def test_a_new_page_says_its_place_where_those_beside_it_do(
    tmp_path: Path, places: dict[str, str], at: int, said: bytes | None
) -> None:
    files = {f"{name}.md": f"---\n{text}\n---\n".encode() for name, text in places.items()}
    (space,) = layout(files)
    pages = list(space.pages)
    pages.insert(at, page("New", text="New.\n"))
    write_space(tmp_path, replace(space, pages=tuple(pages)), base=space)
    place = b"" if said is None else said + b"\n"
    made = b"---\ntitle: New\n" + place + b"---\nNew.\n"
    assert taken(tmp_path) == {**files, "new.md": made}


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Setup", b"  label: Setup # why\n  badge: New\n  order: 5\n"),
        ("New title", b"  label: New title # why\n  badge: New\n  order: 5\n"),
    ],
)
def test_the_place_of_a_new_page_leaves_what_its_front_matter_says_beside_it(
    tmp_path: Path, title: str, said: bytes
) -> None:
    files = {"a.md": b"---\nsidebar: {order: 4}\n---\n"}
    (space,) = layout(files)
    front = "---\nsidebar:\n  label: Setup # why\n  badge: New\n---\n"
    made = replace(page(title, "new.md", text="New.\n"), front_matter=front)
    write_space(tmp_path, replace(space, pages=(*space.pages, made)), base=space)
    assert taken(tmp_path) == {**files, "new.md": b"---\nsidebar:\n" + said + b"---\nNew.\n"}


def test_a_table_that_inherits_another_one_makes_no_summary(tmp_path: Path) -> None:
    files = {
        "de/docs/a.md": b"# A\n",
        "de/docs/b.md": b"# B\n",
        "de/mkdocs.yml": b"INHERIT: ../en/mkdocs.yml\n",
        "en/docs/a.md": b"# A\n",
        "en/mkdocs.yml": b"site_name: Docs\nnav: [b.md, a.md]\n",
    }
    space, _ = layout(files)
    first, *others = space.pages
    edited = replace(space, pages=(replace(first, markdown="# B\n\nMore.\n"), *others))
    done = write_space(tmp_path, edited, base=space)
    assert "de/docs/b.md" in done.written
    assert sorted(taken(tmp_path)) == [path for path in files if path != "en/docs/a.md"]


def test_a_page_that_cannot_be_written_makes_no_summary(tmp_path: Path) -> None:
    files = {"README.md": b"# Top\n", "a/nul.md": b"# Nul\n", "a/two.md": b"# Two\n"}
    (space,) = layout(files)
    for base in (space, None):
        done = write_space(tmp_path, space, base=base)
        assert [problem.path for problem in done.problems] == ["a/nul.md"]
        assert sorted(taken(tmp_path)) == ["README.md", "a/two.md"]


def test_front_matter_changes_only_where_the_page_did(tmp_path: Path) -> None:
    source = (
        b"---\n# who reads it\nextra: [1, 2]\ndescription: >-\n  old\n  words\n\n"
        b"# why\nhidden: true  # for now\nother: x\n---\n# A\n"
    )
    (base,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": source})
    (before,) = base.pages
    after = replace(before, description="new: words", hidden=False, icon="anchor")
    write_space(tmp_path, replace(base, pages=(after,)), base=base)
    assert (tmp_path / "a.md").read_bytes() == (
        b"---\n# who reads it\nextra: [1, 2]\ndescription: 'new: words'\n\n"
        b"# why\nother: x\nicon: anchor\n---\n# A\n"
    )
    # What was edited in the source says all of it already, however it is written there.
    (edited,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": source.replace(b"old", b"older")})
    write_space(tmp_path / "edited", edited, base=base)
    assert (tmp_path / "edited/a.md").read_bytes() == source.replace(b"old", b"older")
    fresh = page("B", "b.md", "# B\n", hidden=True, layout={"cover": True, "coverSize": "full"})
    write_space(tmp_path, space_of(fresh))
    text = (tmp_path / "b.md").read_bytes()
    (read,) = layout({"SUMMARY.md": b"* [B](b.md)\n", "b.md": text})
    assert (read.pages[0].hidden, read.pages[0].layout) == (True, fresh.layout)
    assert read.pages[0].markdown == "# B\n"


@pytest.mark.parametrize(
    ("layout_now", "said"),
    [
        ({"title": True, "tags": True}, "  title:\n    visible: true\n    x: 1 # y\n  new: [1]\n"),
        ({}, "  title:\n    x: 1 # y\n  new: [1]\n"),
    ],
)
def test_a_layout_keeps_what_the_desk_knows_nothing_of(
    tmp_path: Path, layout_now: dict[str, bool | str], said: str
) -> None:
    front = "---\nlayout:\n  title:\n    visible: false\n    x: 1 # y\n  new: [1]\n"
    (base,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": f"{front}---\n# A\n".encode()})
    turned = replace(base.pages[0], layout=layout_now)
    write_space(tmp_path, replace(base, pages=(turned,)), base=base)
    tags = "  tags:\n    visible: true\n" if layout_now else ""
    assert (tmp_path / "a.md").read_text() == f"---\nlayout:\n{said}{tags}---\n# A\n"


def test_toml_changes_by_the_line_or_is_kept_and_named(tmp_path: Path) -> None:
    source = b'+++\ntitle = "A" # why\ndescription = "old"\n[params]\ndescription = "x"\n+++\n# A\n'
    (base,) = layout({"SUMMARY.md": b"* [A](a.md)\n", "a.md": source})
    (before,) = base.pages
    after = replace(before, description='a "new" one', icon="anchor")
    written = write_space(tmp_path, replace(base, pages=(after,)), base=base)
    assert (tmp_path / "a.md").read_bytes() == (
        b'+++\ntitle = "A" # why\ndescription = "a \\"new\\" one"\nicon = "anchor"\n[params]\n'
        b'description = "x"\n+++\n# A\n'
    )
    assert not written.problems
    after = replace(before, layout={"outline": False})
    written = write_space(tmp_path, replace(base, pages=(after,)), base=base)
    assert (tmp_path / "a.md").read_bytes() == source
    assert [each.path for each in written.problems] == ["a.md"]


def test_a_draft_of_hugo_is_hidden_until_it_is_shown(tmp_path: Path) -> None:
    files = {
        "content/a.md": b"+++\ntitle = 'A'\ndraft = true\n+++\nText\n",
        "content/b.md": b"---\ndraft: true\nicon: x\ntitle: B\n---\nText\n",
    }
    for more in ({"content/SUMMARY.md": b"* [A](a.md)\n* [B](b.md)\n"}, {}):
        (base,) = layout({"hugo.toml": b"", **files, **more})
        assert [each.hidden for each in base.walk()] == [True, True]
    assert not any(each.hidden for each in layout(files)[0].walk())
    write_space(tmp_path, base, base=base)
    assert taken(tmp_path) == {"hugo.toml": b"", **files}
    other = replace(base, pages=tuple(replace(each, icon="y") for each in base.pages))
    write_space(tmp_path, other, base=base)
    assert b'draft = true\nicon = "y"\n' in (tmp_path / "content/a.md").read_bytes()
    assert b"draft: true\nicon: y\n" in (tmp_path / "content/b.md").read_bytes()
    write_space(
        tmp_path,
        replace(base, pages=tuple(replace(each, hidden=False) for each in base.pages)),
        base=base,
    )
    assert (tmp_path / "content/a.md").read_bytes() == b"+++\ntitle = 'A'\n+++\nText\n"
    assert (tmp_path / "content/b.md").read_bytes() == b"---\nicon: x\ntitle: B\n---\nText\n"
