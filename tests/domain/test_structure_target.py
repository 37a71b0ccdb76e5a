"""What is wrong with a file of a site's structure, and what it says otherwise: every sentence.

All of it is in ``structure.json`` (see `golden_json`).
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from copydesk.domain.layout import Item, Kind, Layout
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.domain.structure_file import read_file, write_file
from copydesk.domain.structure_target import needs_spaces, wanted
from copydesk.domain.yaml_lines import FileError
from tests.golden_json import compare

ROWS: tuple[tuple[str, Kind, str, Mapping[str, str | bool]], ...] = (
    ("guides", "section", "", {"title": "Guides", "path": "guides", "default": True, "icon": "i"}),
    ("g1", "site-space", "guides",
     {"title": "Guides", "path": "v2", "default": True, "space": "sp1"}),
    ("g2", "site-space", "guides",
     {"title": "Old guides", "path": "v1", "hidden": True, "space": "sp2"}),
    ("group:p", "group", "", {}),
    ("pay", "section", "group:p", {"title": "Payments", "path": "pay", "description": "Money"}),
    ("p1", "site-space", "pay",
     {"title": "Payments", "path": "pay", "default": True, "space": "sp3"}),
    ("tax", "section", "group:p", {"title": "Tax", "path": "tax", "condition": "visitor.eu"}),
    ("t1", "site-space", "tax", {"title": "Tax", "path": "tax", "default": True, "space": "sp4"}),
    ("log", "section", "", {"title": "Changelog", "path": "log"}),
    ("l1", "site-space", "log",
     {"title": "Changelog", "path": "log", "default": True, "space": "sp5"}),
)  # fmt: skip
NOTES = "      - space: sp7\n"
SPACES = [
    ("sp1", "Guides"), ("sp2", "Old guides"), ("sp3", "Payments"), ("sp4", "Tax"),
    ("sp5", "Changelog"), ("sp6", "API"), ("sp7", "Notes"), ("sp8", "notes"),
]  # fmt: skip


def layout(*left_out: str, flat: bool = False) -> Layout:
    """Return the site without some rows, or one without sections."""
    rows = [
        (row, kind, "" if flat else level, values)
        for row, kind, level, values in ROWS
        if row not in left_out and level not in left_out and not (flat and row not in ("g1", "g2"))
    ]
    levels: dict[str, list[str]] = {"": []}
    for row, kind, level, _ in rows:
        levels.setdefault(level, []).append(row)
        if kind != "site-space":
            levels.setdefault(row, [])
    items = {row: Item(row, kind, values) for row, kind, _, values in rows}
    return Layout(items, {level: tuple(ids) for level, ids in levels.items()})


FILE = write_file("site1", "Acme docs", layout(), " --profile work")
FLAT = write_file("site1", "Flat", layout(flat=True))
G2 = "      - id: g2\n        title: Old guides\n        path: v1\n        hidden: true\n"

L1 = "      - id: l1\n        title: Changelog\n        path: log\n        default: true\n"


def said(
    text: str, site: Layout | None = None, *, remove: bool = False, recreate: bool = False
) -> list[str]:
    """Return what is wrong with a file, or the requests that it takes."""
    start = SiteArrangement.on(site or layout(), "org", "site1")
    try:
        file = read_file(text)
        found = wanted(file, start, SPACES, remove=remove, recreate=recreate)
    except FileError as error:
        return [f"! {each}" for each in error.problems]
    return [call.line for call in found.calls()]


def without(text: str, *parts: str) -> str:
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    return text


def entry(row: str) -> str:
    """Return the entry of a section."""
    start = FILE.index(f"  - id: {row}\n")
    end = FILE.find("\n  - id: ", start + 1)
    return FILE[start : end + 1 if end >= 0 else len(FILE)]


def edited(*pairs: tuple[str, str], of: str = FILE) -> str:
    for old, new in pairs:
        assert old in of, old
        of = of.replace(old, new, 1)
    return of


NEW = "  - space: api\n    title: Reference\n    path: ref\n    icon: x\n"


def changed_files() -> dict[str, list[str]]:
    """Return what files do that change the structure."""
    return {
        "as it is": said(FILE),
        "without sections": said(FLAT, layout(flat=True)),
        "of another site": said(FLAT),
        "of a site with none": said(FILE, layout(flat=True)),
        "settings": said(
            edited(
                ("    title: Guides\n    path: guides", "    title: Start\n    path: start"),
                ("icon: i", "icon: j\n    description: All"),
                ("description: Money\n", "condition: visitor.x\n"),
                ("hidden: true", "hidden: no\n        condition: visitor.y"),
            )
        ),
        "defaults": said(
            edited(
                ("    default: true\n    spaces", "    spaces"),
                ("path: log\n    spaces", "path: log\n    default: yes\n    spaces"),
            )
        ),
        "a default of spaces": said(
            edited(
                ("path: v2\n        default: true", "path: v2"),
                ("path: v1\n        hidden: true", "path: v1\n        default: true"),
            )
        ),
        "paths swapped": said(
            edited(("path: v2", "path: x"), ("path: v1", "path: v2"), ("path: x", "path: v1"))
        ),
        "order": said(
            FILE.replace(entry("log"), "").replace("sections:\n", "sections:\n" + entry("log"))
        ),
        "order in a group": said(
            FILE.replace(entry("tax"), "").replace(entry("pay"), entry("tax") + entry("pay"))
        ),
        "order across a group": said(
            FILE.replace(entry("log"), "").replace(entry("pay"), entry("pay") + entry("log"))
        ),
        "order of spaces": said(edited((G2, ""), ("      - id: g1", G2 + "      - id: g1"))),
        "added": said(
            FILE + NEW + "    spaces:\n      - space: sp7\n        path: n\n        hidden: true\n"
        ),
        "added with its space": said(
            FILE + "  - title: Ref\n    spaces:\n      - space: API\n        path: a\n" + NOTES
        ),
        "a space added": said(FILE + NOTES + "        hidden: true\n"),
        "a space of no title": said(FILE + "      - space: nowhere\n      - space: Notes\n"),
        "a space shown twice": said(
            FILE + "      - space: sp5\n      - space: sp6\n      - space: sp6\n"
        ),
        "missing": said(without(FILE, G2, entry("log"))),
        "all missing": said(without(FILE, entry("guides"), entry("pay"), entry("tax"))),
        "removed": said(without(FILE, G2, entry("log")), remove=True),
        "the default removed": said(without(FILE, entry("guides")), remove=True),
        "a section emptied": said(
            without(
                FILE,
                "      - id: l1",
                "        title: Changelog\n        path: log\n        default: true\n",
            ),
            remove=True,
        ),
        "moved to another section": said(edited((G2, ""), of=FILE) + G2),
        "gone since": said(FILE, layout("log", "g2")),
        "gone since, made again": said(FILE, layout("log", "g2"), recreate=True),
        "kinds": said(edited(("- id: g2", "- id: tax"))),
        "ids": said(edited(("- id: g2", "- id: none"))),
        "what is only told": said(
            edited(("title: Old guides", "title: Other"), ("    group: p\n", "    group: q\n"))
        ),
        "what is left out": said(
            edited(
                ("    title: Changelog\n", ""),
                ("    path: log\n", ""),
                ("        title: Old guides\n", ""),
            )
        ),
    }


def broken_files() -> dict[str, list[str]]:
    """Return what is wrong with files, and what is written for odd ones."""
    return {
        "what cannot be": said(
            edited(
                ("path: v1", "path: a/b"),
                ("icon: i", f"icon: {'x' * 60}"),
                ("condition: visitor.eu", "condition: (x"),
                ("title: Tax", "title: T"),
            )
        ),
        "paths taken": said(edited(("path: v1", "path: v2"), ("path: tax", "path: pay"))),
        "hidden defaults": said(edited(("path: v2\n", "path: v2\n        hidden: true\n"))),
        "two defaults": said(edited(("path: log\n", "path: log\n    default: true\n"))),
        "no default": said(edited(("    default: true\n", ""))),
        "ids of something else": said(
            edited(("  - id: tax\n", "  - id: l1\n"), ("      - id: l1\n", "      - id: tax\n"))
        ),
        "the id of a group": said(edited(("  - id: log\n", "  - id: group:p\n"))),
        "a broken condition of something new": said(FILE + NEW + "    condition: (x\n"),
        "nothing but a site": said("site: site1\n"),
        "both lists": said("site: site1\nsections: []\nspaces: []\n"),
        "lists that are none": said("site: site1\nsections: 3\n"),
        "no entries": said("site: [1]\nexported: [2]\nspaces:\n  - x\n  - [y]\n"),
        "other names": said(
            "site: site1\nspaces:\n  - id: a\n    pth: x\n    zzzz: y\n    ? [a]\n    : b\n"
            "    hidden: maybe\n    default: [x]\n    hidden: false\n  - id: a\n    space: b\n"
            "    title: T\n  - path: x\n"
        ),
        "an empty site": said(
            "site: site1\nsections:\n  - space: sp6\n    default: true\n    spaces:\n"
            "      - space: sp7\n",
            Layout({}, {"": ()}),
        ),
        "an empty site without a default": said(
            "site: site1\nspaces:\n  - space: sp6\n  - space: sp7\n", Layout({}, {"": ()})
        ),
        "file": FILE.splitlines(),
        "flat file": FLAT.splitlines(),
        "empty file": write_file("a b", "x" * 99, Layout({}, {"": ()})).splitlines(),
    }


def test_what_a_file_takes_or_what_is_wrong_with_it(update_golden: bool) -> None:
    compare("structure", {**changed_files(), **broken_files()}, update=update_golden)


def test_an_entry_without_an_id_is_that_of_the_space_which_is_there() -> None:
    bare = "      - space: sp2\n"
    assert said(edited((G2, f"{bare}        hidden: true\n"))) == []
    assert said(edited((G2, f"{bare}        hidden: true\n        path: v0\n"))) == [
        "Old guides (in Guides): path /v1 → /v0"
    ]


def test_a_new_section_has_the_title_of_the_file_else_that_of_its_space() -> None:
    assert said(FILE + NEW)[0] == "New section Reference, showing API, icon x"
    untitled = NEW.replace("    title: Reference\n", "")
    assert said(FILE + untitled)[0] == "New section API, showing API, icon x"


def test_a_section_to_make_again_shows_a_space() -> None:
    log = entry("log")
    text = edited((log, log[: log.index("    spaces:")]))
    assert said(text, layout("log"), recreate=True) == [
        "! line 50: this section shows no space: write one as its “space:”"
    ]


@pytest.mark.parametrize(
    ("as_", "there"),
    [
        ("space: sp5\n    title: Changelog", True),
        ("space: sp5", True),
        ("space: sp5\n    title: Changelog\n    spaces:\n      - space: sp5", True),
        ("title: Changelog\n    spaces:\n      - space: sp5", True),
        ("space: sp5\n    title: News", False),
        ("space: sp6\n    title: Changelog", False),
        ("space: sp6", False),
    ],
)
def test_a_section_without_an_id_is_that_of_its_title_which_shows_its_space(
    as_: str, there: bool
) -> None:
    missing = (
        "! line 40: the section “Changelog” (log) is missing after line 40: put it back, or remove "
        "it from the site with --remove"
    )
    text = FILE.replace(entry("log"), f"  - {as_}\n    path: log\n")
    assert said(text) == ([] if there else [missing])


def test_a_section_of_another_title_or_space_is_another_one() -> None:
    text = f"{FILE}  - space: sp5\n    title: News\n    path: news\n"
    assert said(text) == ["New section News, showing Changelog", "News: path /news"]
    text = f"{FILE}  - space: sp6\n    title: Changelog\n    path: news\n"
    assert said(text) == ["New section Changelog, showing API", "Changelog: path /news"]


def test_a_value_of_a_word_for_nothing_is_none() -> None:
    line = "description: Money"
    assert said(edited((line, "description: ~"))) == [
        "Payments (in Untitled): no description any more"
    ]
    assert said(edited((line, "description: '~'"))) == ["Payments (in Untitled): description ~"]


def test_spaces_are_needed_only_where_something_is_shown_anew() -> None:
    assert not needs_spaces(read_file(FILE), layout())
    assert needs_spaces(read_file(FILE + NOTES), layout())
    assert needs_spaces(read_file(FILE), layout("log"))
