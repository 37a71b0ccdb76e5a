from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.server.sources.model import SourcePage, walk
from copydesk.server.sources.summary import Entry, Summary, parse_summary
from copydesk.server.sources.writer import render_summary


def shape(entries: tuple[Entry, ...]) -> list[object]:
    return [
        (entry.kind, entry.title, entry.path or entry.href, shape(entry.children))
        for entry in entries
    ]


def page(title: str, path: str | None = None, *children: SourcePage, href: str = "") -> SourcePage:
    return SourcePage(
        key=path or title,
        title=title,
        slug="s",
        path="s",
        type="document" if path else "link" if href else "group",
        source_path=path,
        href=href or None,
        children=children,
    )


def pages_of(summary: Summary) -> list[SourcePage]:
    def one(entry: Entry) -> SourcePage:
        return page(entry.title, entry.path, *map(one, entry.children), href=entry.href or "")

    return [one(entry) for entry in summary.entries]


def test_nested_lists_groups_links_and_headings() -> None:
    read = parse_summary(
        "# Table of contents\n\n"
        "* [Install \\(Linux\\)](install.md 'a title')\n"
        "  * [`code` and _more_](<a b.md>)\n"
        "  * Old ones\n"
        "    * [v1](./old/../v1.md)\n\n"
        "## Elsewhere\n\n"
        "- [Site](https://example.com/a_(b))\n"
        "### Deeper\n"
        "1. [Åland](%C3%85land.md)\n"
    )
    assert not read.problems
    assert shape(read.entries) == [
        (
            "document",
            "Install (Linux)",
            "install.md",
            [
                ("document", "code and more", "a b.md", []),
                ("group", "Old ones", None, [("document", "v1", "v1.md", [])]),
            ],
        ),
        (
            "group",
            "Elsewhere",
            None,
            [
                ("link", "Site", "https://example.com/a_(b)", []),
                ("group", "Deeper", None, [("document", "Åland", "Åland.md", [])]),
            ],
        ),
    ]
    assert [entry.line for _, entry in read.walk()] == [3, 4, 5, 6, 8, 10, 11, 12]


def test_lines_that_cannot_be_used_are_named_and_the_rest_stands() -> None:
    read = parse_summary(
        "* [Out](../../secret.md)\n"
        "* [Twice](a.md)\n"
        "* [Again](a.md)\n"
        "* [Missing](gone.md)\n"
        "  * [Kept below](b.md)\n"
        "* [Script](javascript:alert(1))\n"
        "* [Top](#top)\n"
        "* [Picture](a.png)\n"
        "* [Section](a.md#part)\n"
        "*\n"
        "* [](c.md)\n",
        "docs/SUMMARY.md",
        unusable=lambda path: "names a file that does not exist" if "gone" in path else None,
    )
    assert shape(read.entries) == [
        ("document", "Twice", "docs/a.md", []),
        ("group", "Missing", None, [("document", "Kept below", "docs/b.md", [])]),
        ("link", "Section", "docs/a.md#part", []),
        ("document", "c", "docs/c.md", []),
    ]
    assert [(problem.line, problem.reason) for problem in read.problems] == [
        (1, "points outside the repository"),
        (3, "names a page that line 2 names already"),
        (4, "names a file that does not exist"),
        (6, "has a link target that is not allowed"),
        (7, "points to a heading of no file"),
        (8, "does not point to a Markdown file"),
        (10, "has no title and no link"),
    ]
    assert str(read.problems[0]) == (
        "docs/SUMMARY.md, line 1: “* [Out](../../secret.md)” points outside the repository"
    )


def test_forty_levels_are_read() -> None:
    text = "".join(f"{'  ' * level}* [p{level}](p{level}.md)\n" for level in range(40))
    assert max(depth for depth, _ in parse_summary(text).walk()) == 39


SOURCE = (
    "\ufeff# Contents\r\n"
    "\r\n"
    "<!-- do not touch -->\r\n"
    '*   [One](one.md "t")   and words\r\n'
    "    - [Two](./two.md)\r\n"
    "    - [Lost](lost.md)\r\n"
    "\r\n"
    "*   [Three\\_3](three.md)\r\n"
    "\r\n"
    "## Group\r\n"
    "\r\n"
    "*   [Four](four.md)"
).encode()
USABLE = {"one.md", "two.md", "three.md", "four.md"}


def tree() -> list[SourcePage]:
    return [
        page("One", "one.md", page("Two", "two.md")),
        page("Three_3", "three.md"),
        page("Group", None, page("Four", "four.md")),
    ]


def changed(pages: list[SourcePage]) -> tuple[list[str], list[str]]:
    """Return the lines that went and the lines that came."""
    new = render_summary(pages, SOURCE, known=USABLE)
    old_lines, new_lines = SOURCE.decode().splitlines(), new.decode().splitlines()
    return (
        [line for line in old_lines if line not in new_lines],
        [line for line in new_lines if line not in old_lines],
    )


def test_an_untouched_tree_gives_the_same_bytes() -> None:
    assert render_summary(tree(), SOURCE, known=USABLE) == SOURCE
    assert render_summary(pages_of(parse_summary(SOURCE)), SOURCE) == SOURCE


@pytest.mark.parametrize(
    ("edit", "gone", "come"),
    [
        (lambda p: p.insert(1, page("New", "n (1).md")), [], ["*   [New](n%20%281%29.md)"]),
        (lambda p: p.pop(1), ["*   [Three\\_3](three.md)"], []),
        (
            lambda p: p.__setitem__(1, page("3 [x]", "three.md")),
            ["*   [Three\\_3](three.md)"],
            ["*   [3 \\[x\\]](three.md)"],
        ),
        (
            lambda p: p.__setitem__(
                2, page("Group", None, page("Zero", "zero.md"), page("Four", "four.md"))
            ),
            [],
            ["*   [Zero](zero.md)"],
        ),
        (
            lambda p: p.append(page("More", None, page("Out", href="https://example.com/(x)"))),
            [],
            ["## More", "*   [Out](<https://example.com/(x)>)"],
        ),
        (
            lambda p: p.__setitem__(
                0, page("One", "one.md", page("Two", "two.md", page("In", "in.md")))
            ),
            [],
            ["      - [In](in.md)"],
        ),
    ],
)
def test_an_edit_changes_only_its_lines(edit, gone, come) -> None:  # type: ignore[no-untyped-def] # lambdas
    pages = tree()
    edit(pages)
    assert changed(pages) == (gone, come)
    rendered = render_summary(pages, SOURCE, known=USABLE)
    read = parse_summary(rendered, unusable=lambda path: "is lost" if path == "lost.md" else None)
    assert shape(read.entries) == shape(parse_summary(render_summary(pages)).entries)
    assert b"lost.md" in rendered
    assert rendered.count(b"\n") == rendered.count(b"\r\n")


def test_a_summary_without_entries_keeps_its_words() -> None:
    assert render_summary([page("A", "a.md")], b"# Title\n\nHello\n") == (
        b"# Title\n\nHello\n\n* [A](a.md)\n"
    )


def test_a_group_that_pages_follow_is_no_heading() -> None:
    pages = [page("Group", None, page("A", "a.md")), page("B", "b.md")]
    assert render_summary(pages) == (
        b"# Table of contents\n\n* Group\n  * [A](a.md)\n* [B](b.md)\n"
    )


def test_broken_bytes_come_back_and_are_named() -> None:
    source = b"* [A\xff](a.md)\n"
    read = parse_summary(source)
    assert read.problems[0].reason.startswith("has bytes that are not UTF-8")
    assert read.entries[0].title == "A?"
    assert render_summary(pages_of(read), source) == source


titles = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=12
).filter(lambda title: title.split() != [])


@st.composite
def trees(draw: st.DrawFn) -> list[SourcePage]:
    count = iter(range(1000))

    def some(depth: int) -> list[SourcePage]:
        made = []
        for _ in range(draw(st.integers(0 if depth else 1, 4))):
            kind = draw(st.sampled_from(["document", "document", "group", "link"]))
            below = some(depth + 1) if depth < 3 and draw(st.booleans()) else []
            title, number = " ".join(draw(titles).split()), next(count)
            if kind == "document":
                made.append(page(title, f"d{depth}/p {number}.md", *below))
            elif kind == "link":
                made.append(page(title, None, *below, href=f"https://example.com/{number}"))
            else:
                made.append(page(title, None, *below))
        return made

    return some(0)


def plain(pages: list[SourcePage]) -> list[object]:
    return [(one.type, one.title, one.source_path, one.href) for one in walk(pages)]


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(trees())
def test_any_tree_is_read_back_as_it_was_written(pages: list[SourcePage]) -> None:
    written = render_summary(pages)
    assert shape(parse_summary(written).entries) == shape_of(pages)
    assert render_summary(pages, written) == written


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(trees(), trees())
def test_any_tree_replaces_any_other(old: list[SourcePage], new: list[SourcePage]) -> None:
    written = render_summary(new, render_summary(old))
    assert shape(parse_summary(written).entries) == shape_of(new)


def shape_of(pages: list[SourcePage] | tuple[SourcePage, ...]) -> list[object]:
    return [
        (one.type, one.title, one.source_path or one.href, shape_of(one.children)) for one in pages
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("* [A](a.md\n  * [B](b.md)\n", 1, "has a broken link"),
        ("* [A] (a.md)\n  * [B](b.md)\n", 1, "has a broken link"),
        ("* [A(a.md)\n  * [B](b.md)\n", 1, "has a broken link"),
        ("* A](a.md)\n  * [B](b.md)\n", 1, "has a broken link"),
        ("* [B](b.md)\n*[A](a.md)\n", 2, "is not read as an item"),
        ("* [B](b.md)\n-[A](a.md)\n", 2, "is not read as an item"),
        ("* [B](b.md)\n1 [A](a.md)\n", 2, "is not read as an item"),
        ("* [B](b.md)\n      * [A](a.md)\n", 2, "is not read as an item"),
        ("* [B](b.md)\n\n\n        * [A](a.md)\n", 4, "is not read as an item"),
        ("[A](https://a.example)\n\n* [B](b.md)\n", 1, "is not read as an item"),
        ("[A](a.md) and more\n\n* [B](b.md)\n", 1, "is not read as an item"),
        ("* [B](b.md) [A](a.md)\n", 1, "has a second link"),
    ],
)
def test_a_broken_line_is_named_and_what_is_below_it_stays(
    text: str, line: int, reason: str
) -> None:
    for _ in range(2):  # most revisions have the same summary, which is read once
        read = parse_summary(text)
        (problem,) = read.problems
        assert (problem.line, problem.reason.startswith(reason)) == (line, True)
        listed = [entry for _, entry in read.walk()]
        assert [entry.path for entry in listed if entry.kind == "document"] == ["b.md"]
        assert {entry.title for entry in listed if entry.kind == "group"} <= {"A"}


def test_remarks_code_and_wrapped_titles_are_no_broken_lines() -> None:
    text = (
        "<!--\n* [A](a.md)\n-->\n\n```\n* [A](a.md)\n```\n\n* [A long\n  title](b.md)\n"
        "* \\[Not a link\\](x.md)\n* [Draft]\n"
    )
    read = parse_summary(text)
    assert not read.problems
    assert [entry.title for entry in read.entries] == [
        "A long title",
        "[Not a link](x.md)",
        "[Draft]",
    ]


BOOK = (
    "# Summary\n\n[Title](title.md)\n[Foreword](foreword.md)\n\n"
    "- [One](one.md)\n  - [Two](two.md)\n\n# Part\n\n- [Three](three.md)\n\n---\n\n"
    "[Thanks](thanks.md)\n"
)


def test_chapters_without_a_number_are_pages_where_they_stand() -> None:
    read = parse_summary(BOOK)
    assert not read.problems
    assert shape(read.entries) == [
        ("document", "Title", "title.md", []),
        ("document", "Foreword", "foreword.md", []),
        ("document", "One", "one.md", [("document", "Two", "two.md", [])]),
        (
            "group",
            "Part",
            None,
            [("document", "Three", "three.md", []), ("document", "Thanks", "thanks.md", [])],
        ),
    ]


@pytest.mark.parametrize(
    ("place", "new", "before", "after"),
    [
        (0, [page("Cover", "title.md")], "[Title](title.md)\n", "[Cover](title.md)\n"),
        (0, [], "[Title](title.md)\n", ""),
        (
            1,
            [page("New", "new.md"), page("Foreword", "foreword.md")],
            "[Foreword]",
            "[New](new.md)\n[Foreword]",
        ),
        (
            2,
            [page("New", "new.md"), page("One", "one.md", page("Two", "two.md"))],
            "- [One]",
            "- [New](new.md)\n- [One]",
        ),
    ],
)
def test_chapters_without_a_number_stay_so(
    place: int, new: list[SourcePage], before: str, after: str
) -> None:
    pages = pages_of(parse_summary(BOOK))
    pages[place : place + 1] = new
    assert render_summary(pages, BOOK.encode()).decode() == BOOK.replace(before, after)
