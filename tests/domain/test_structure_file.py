"""The structure of a site as a file: read as it was written, every mistake named by its line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain.layout import Item, Kind, Layout
from copydesk.domain.rebase import renamed
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.domain.structure_file import fingerprint, read_file, write_file
from copydesk.domain.structure_target import wanted
from copydesk.domain.text import clean
from copydesk.domain.yaml_lines import FileError, Items, Word, read, word, writable

TEXTS = st.one_of(st.text(max_size=8), st.sampled_from(["null", "404", "a: b", "yes", "x\u202ey"]))


def layout(*rows: tuple[str, Kind, str, dict[str, str | bool]]) -> Layout:
    """Return a layout of (id, kind, level, values), in their order."""
    levels: dict[str, list[str]] = {"": []}
    for row, kind, level, _ in rows:
        levels.setdefault(level, []).append(row)
        if kind != "site-space":
            levels.setdefault(row, [])
    items = {row: Item(row, kind, values) for row, kind, _, values in rows}
    return Layout(items, {level: tuple(ids) for level, ids in levels.items()})


SITE = layout(
    ("guides", "section", "", {"title": "Guides", "path": "guides", "default": True}),
    ("g1", "site-space", "guides", {"title": "Guides", "path": "v2", "default": True}),
    ("g2", "site-space", "guides", {"title": "Old guides", "path": "v1", "hidden": True}),
    ("group:p", "group", "", {}),
    ("pay", "section", "group:p", {"title": "Payments", "path": "pay", "icon": "coin"}),
    ("p1", "site-space", "pay", {"title": "Payments", "path": "pay", "default": True}),
    ("tax", "section", "group:p", {"title": "Tax", "path": "tax", "condition": 'eu == "1"'}),
    ("t1", "site-space", "tax", {"title": "Tax", "path": "tax", "default": True}),
    ("log", "section", "", {"title": "Changelog", "path": "log"}),
    ("l1", "site-space", "log", {"title": "Changelog", "path": "log", "default": True}),
)
FILE = write_file("site1", "Acme docs", SITE)
SPACES = [("sp1", "API"), ("sp2", "Notes"), ("sp3", "notes")]


def staged(text: str, site: Layout = SITE, *, remove: bool = False) -> Layout:
    """Return what a file makes of a site."""
    start = SiteArrangement.on(site, "org", "site1")
    return wanted(read_file(text), start, SPACES, remove=remove).now


def problems(text: str, site: Layout = SITE, *, remove: bool = False) -> list[str]:
    """Return what is wrong with a file."""
    with pytest.raises(FileError) as raised:
        staged(text, site, remove=remove)
    return str(raised.value).splitlines()


def block(text: str, first: str) -> str:
    """Return the entry of the file that begins with a section's id."""
    start = text.index(f"  - id: {first}\n")
    end = text.find("\n  - id: ", start + 1)
    return text[start : end + 1 if end >= 0 else len(text)]


@st.composite
def sites(draw: st.DrawFn) -> Layout:
    """Return any site: groups or none, sections or none, whatever stands in their settings."""
    count = 0
    rows: list[tuple[str, Kind, str, dict[str, str | bool]]] = []

    def values(names: Sequence[str], flags: Sequence[str]) -> dict[str, str | bool]:
        found: dict[str, str | bool] = {name: draw(TEXTS) for name in names}
        found |= {name: draw(st.booleans()) for name in flags}
        return {name: value for name, value in found.items() if value}

    def spaces(level: str, least: int) -> None:
        nonlocal count
        for _ in range(draw(st.integers(least, 2))):
            count += 1
            names = ("title", "path", "condition", "space")
            rows.append((f"s{count}", "site-space", level, values(names, ("hidden", "default"))))

    for group in draw(st.lists(st.sampled_from(["", "group:a", "group:b"]), max_size=3)):
        if group and any(row[0] == group for row in rows):
            continue
        if group:
            rows.append((group, "group", "", {}))
        for _ in range(draw(st.integers(1, 2))):
            count += 1
            names = ("title", "path", "icon", "description", "condition")
            rows.append((f"s{count}", "section", group, values(names, ("default",))))
            spaces(f"s{count}", 0)
    if not rows:
        spaces("", 0)
    return layout(*rows)


@settings(max_examples=25, deadline=None)
@given(sites(), TEXTS)
def test_a_file_that_was_not_edited_changes_nothing(site: Layout, title: str) -> None:
    text = write_file("site1", title, site)
    file = read_file(text)
    assert file.exported == fingerprint("site1", site)
    start = SiteArrangement.on(site, "org", "site1")
    assert not wanted(file, start).dirty
    # Whoever else reads YAML reads the same.
    other = yaml.safe_load(text)
    listed = other.get("sections", other.get("spaces"))
    assert [entry["id"] for entry in listed] == [entry.id for entry in file.entries]


@settings(max_examples=50, deadline=None)
@given(st.text(st.one_of(st.characters(), st.sampled_from("\u202e\u0301\U000e0041\u3164 '\":"))))
def test_any_text_is_written_so_that_it_is_read_back(text: str) -> None:
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        assert yaml.load(f"a: {word(text)}", Loader=loader) == {"a": writable(text)}
    held = read(f"- {word(text)}\n- end")
    assert isinstance(held, Items)
    assert isinstance(held.items[0], Word)
    assert (held.items[0].text, held.items[0].empty) == (writable(text), not text)
    assert clean(word(text), lines=True) == word(text), "a terminal shows the file as it is"


def test_every_mistake_of_a_file_is_named_with_its_line() -> None:
    text = """site: site1
sektions: []
sections:
  - id: guides
    title: [x]
    titel: b
    default: maybe
    default: true
  - id: guides
  - space: API
    group: p
  - hello
  - title: neither
    spaces:
      - id: q
        space: r
        hidden: "yes"
  - id: z
    spaces: 3
"""
    assert problems(text) == [
        "line 2: “sektions” is not a setting of a file: did you mean sections?",
        "line 5: title is a text, and here is a list or more settings",
        "line 6: “titel” is not a setting of a section: did you mean title?",
        "line 7: default is true or false, not “maybe”",
        "line 8: default is there twice: line 7 has it too",
        "line 9: the id guides is in line 4 already",
        "line 11: a section to add has no group: a file that lists “structure:” puts sections into "
        "groups",
        "line 12: a section is missing here: write “- id:” and its settings",
        "line 13: this section has neither an id nor a space: one that is there has its id, one to "
        "add has “space:” with the id or the title of the space to show",
        "line 15: this space has both an id and a space: one that is there has its id, one to add "
        "has “space:” with the id or the title of the space to show",
        "line 19: here is a list of spaces: each begins with “- id:”",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty; it has to begin with “site:”, as copydesk structure export"),
        (" \n\n", "the file is empty; it has to begin with “site:”"),
        ("- a\n", "line 1: it has to begin with “site:”, as copydesk structure export writes it"),
        ("site: a\nspaces: [\n", "line 3: this is not YAML: "),
        (
            "site: a\nspaces: &x []\nsections: *x\n",
            "line 3: *names of other parts are not read here",
        ),
        ("site: a\nspaces: !!python/none []\n", "line 2: !tags are not read here"),
        ("site: a\n--- \nsite: b", "line 2: a second document begins; the file holds one"),
        ("site: a\nspaces: " + "[" * 99, "line 2: this is more than 60 levels deep"),
        ("site: a\nspaces: []\n\x07", "line 3: this is not YAML: "),
        ("site: a", "the file has neither “structure:” nor “spaces:”"),
        ("spaces: []\nsections: []", "“site:” with the id of the site is missing"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FileError) as raised:
        read_file(text)
    assert str(raised.value).startswith(problem)


def test_a_file_says_what_the_site_shall_be() -> None:
    text = FILE.replace("title: Changelog\n    path: log", "title: 2026\n    path: guides", 1)
    text = text.replace("path: guides\n    default: true", "path: log", 1)
    text = text.replace("path: v2\n        default: true", "path: v1\n        hidden: true")
    text = text.replace(
        "path: v1\n        hidden: true\n  - id: pay", "path: v2\n        default: on\n  - id: pay"
    )
    log = block(text, "log")
    assert "path: guides" in log
    new = """  - space: api
    title: Reference
    path: ref
    default: true
    spaces:
      - space: sp2
        hidden: true
"""
    text = text.replace(log, "").replace("sections:\n", "sections:\n" + log + new)
    now = staged(text)
    first = now.levels[""]
    section = now.items[first[1]]
    assert [first[0], *first[2:]] == ["log", "guides", "group:p"]
    assert [section.values[name] for name in ("title", "path", "space")] == [
        "Reference",
        "ref",
        "sp1",
    ]
    assert [now.items[row].values.get("space") for row in now.levels[section.id]] == ["sp1", "sp2"]
    assert now.items[now.levels[section.id][1]].values["hidden"] is True
    assert now.items["log"].values == {"title": "2026", "path": "guides"}
    assert now.items["guides"].values == {"title": "Guides", "path": "log"}
    assert now.items["g1"].values == {"title": "Guides", "path": "v1", "hidden": True}
    assert now.items["g2"].values == {"title": "Old guides", "path": "v2", "default": True}
    assert now.defaults["sections"] == section.id
    # Once it is so the file says nothing new, though it knows no ids of what it added.
    made = renamed(now, {row: f"id{at}" for at, row in enumerate(now.items) if "new:" in row})
    assert staged(text, made).same(made)
    # A new section may say more of the space that it is made with, and be made with the first.
    path = "      - space: API\n        path: rest\n"
    for head in ("  - space: api\n    title: Ref\n", "  - title: Ref\n"):
        for order in (path + "      - space: sp2\n", "      - space: sp2\n" + path):
            file = FILE + head + "    spaces:\n" + order
            now = staged(file)
            shown = [now.items[row].values for row in now.levels[now.levels[""][-1]]]
            assert {each["space"]: each.get("path") for each in shown}["sp1"] == "rest"
            assert [each["space"] for each in shown][:: 1 if order.startswith(path) else -1] == [
                "sp1",
                "sp2",
            ]
            made = renamed(
                now, {row: f"id{at}" for at, row in enumerate(now.items) if "new:" in row}
            )
            assert staged(file, made).same(made)
    assert len(problems(FILE + "  - title: Ref\n    spaces:\n      - space: none\n")) == 1


def test_what_the_site_has_and_the_file_lacks_is_removed_only_when_told() -> None:
    tax, old = (
        block(FILE, "tax"),
        "      - id: g2\n        title: Old guides\n        path: v1\n        hidden: true\n",
    )
    text = FILE.replace(tax, "").replace(old, "")
    assert problems(text) == [
        "line 21: the space “Old guides” (g2) in “Guides” is missing after line 21: put it back, "
        "or remove it from the site with --remove",
        "line 25: the section “Tax” (tax) is missing after line 25: put it back, or remove it from "
        "the site with --remove",
    ]
    now = staged(text, remove=True)
    assert {"tax", "t1", "g2"}.isdisjoint(now.items)
    # With the last section of a group the group goes; what was the default has to be named.
    text = text.replace(block(text, "pay"), "")
    assert staged(text, remove=True).levels[""] == ("guides", "log")
    assert problems(text.replace(block(text, "guides"), ""), remove=True) == [
        "line 16: none of these sections is the default: readers land on one; write "
        "“default: true” there"
    ]


def test_what_no_request_makes_is_refused_with_the_line() -> None:
    pay, log = block(FILE, "pay"), block(FILE, "log")
    text = FILE.replace(log, "").replace(pay, pay + log)  # into the middle of a group
    text = text.replace("title: Old guides", "title: New guides").replace("group: p", "group: q", 1)
    text = text.replace("icon: coin", f"icon: {'x' * 51}\n    description: {'y' * 257}")
    text = text.replace("path: v1", "path: v2").replace("path: log\n    spaces", "spaces")
    text = text.replace("- id: t1", "- id: l1").replace(
        "      - id: l1\n        title: Ch", "      - id: gone\n        title: Ch"
    )
    found = problems(text, remove=True)
    said = "\n".join(found)
    for part in (
        "the title of a space cannot be changed here, for it has the name of its space: it is “Old",
        "path: the path “v2” is that of",
        "icon: The icon has to have at most 50 characters",
        "description: The description has to have at most 256 characters",
        "the group of a section cannot be changed here",
        "a section has a path: write one",
        "the site has no space gone (“Changelog”), it was removed since the file was made",
        "sections of a group are listed together",
    ):
        assert part.removeprefix("path: ") in said, said
    assert all(line.startswith("line ") for line in found)


def test_defaults_and_spaces_to_add_are_looked_at() -> None:
    two = FILE.replace("path: log\n", "path: log\n    default: true\n", 1)
    assert "two are the default: “Guides” (line 19) and “Changelog”" in problems(two)[0]
    hidden = FILE.replace("path: v2\n", "path: v2\n        hidden: true\n")
    assert "“Guides” is hidden, and readers land on the default: show it" in problems(hidden)[0]
    adding = FILE + "  - space: notes\n  - space: none\n  - space: sp1\n    path: a/b\n"
    twice, none = problems(adding)
    assert twice.endswith("2 spaces have the name “notes”: sp2 and sp3. Use an id")
    assert none.endswith("there is no space “none” in this organization")
    assert "without a slash" in problems(FILE + "  - space: sp1\n    path: a/b\n")[0]
    flat = layout(("s1", "site-space", "", {"title": "One", "path": "one", "default": True}))
    assert problems(FILE, flat) == [
        "line 15: the site has no sections, and the file lists sections: export the structure again"
    ]
    file = write_file("site1", "Flat", flat) + "  - space: api\n    default: true\n"
    assert "sections:" not in file
    now = staged(file.replace("path: one\n    default: true", "path: first"), flat)
    assert [now.items[row].title for row in now.levels[""]] == ["One", "API"]
    assert now.defaults[""] == now.levels[""][1]


@settings(max_examples=20, deadline=None)
@given(st.permutations(["guides", "pay", "tax", "log"]), st.permutations(["g1", "g2"]), st.data())
def test_the_site_becomes_what_the_file_says(
    sections: list[str], spaces: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.sampled_from(sections))
    levels = {**SITE.levels, "guides": tuple(spaces)}
    grouped = [row for row in sections if row in ("pay", "tax")]
    top = dict.fromkeys("group:p" if row in grouped else row for row in sections)
    levels |= {"": tuple(top), "group:p": tuple(grouped)}
    items = dict(SITE.items)
    for row in sections:
        values = {name: each for name, each in items[row].values.items() if name == "path"}
        values["title"] = data.draw(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=2, max_size=99)
        )
        values |= {"default": True} if row == first else {}
        items[row] = Item(row, "section", values)
    target = Layout(items, levels)
    text = write_file("site1", "Acme docs", target)
    if list(top) == ["log", "group:p", "guides"]:
        # Nobody is left on either side of the group to stand next to.
        assert "line 16: this order cannot be made: no call can" in problems(text)[0]
    else:
        assert staged(text).same(target)


def test_an_empty_site_gets_its_first_section_from_a_file() -> None:
    empty = layout()
    text = write_file("site1", "New", empty)
    assert "spaces: []" in text
    assert staged(text, empty).same(empty)
    file = text.replace("spaces: []", "sections:\n  - space: api\n    spaces:\n      - space: sp2")
    with pytest.raises(FileError, match="none of these sections is the default"):
        staged(file, empty)
    now = staged(file.replace("- space: api", "- space: api\n    default: true"), empty)
    section = now.levels[""][0]
    assert now.defaults["sections"] == section
    assert [now.items[row].values["space"] for row in now.levels[section]] == ["sp1", "sp2"]
