"""A file with groups and links: any site is made any other one, also where a run was cut off."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.reversal import Call, bind
from copydesk.domain.site_arrangement import SiteArrangement
from copydesk.domain.structure_file import StructureFile, fingerprint, read_file, write_file
from copydesk.domain.structure_target import wanted
from copydesk.domain.yaml_lines import FileError
from tests.domain.site_service import IDS, SiteService
from tests.domain.structure_service import StructureService

SPACES = [(f"space-{name}", f"Title of space-{name}") for name in "abcdefgh"]
LINK = "https://acme.test"


def example() -> StructureService:
    """Return ``A G(B H(C x)) y E()``."""
    site = StructureService()
    site.section("A", "a", "b")
    group = site.entry("section-group", "G", title="Products", icon="box")
    site.section("B", "c", group=group)
    inner = site.entry("section-group", "H", group, title="Inner", draft=True)
    site.section("C", "d", group=inner)
    site.entry("external-link", "x", inner, title="Status", url=LINK, condition="visitor.x")
    site.entry("external-link", "y", title="Forum", url=LINK, description="Talk")
    site.entry("section-group", "E", title="Empty")
    return site


def on(site: StructureService) -> SiteArrangement:
    return replace(SiteArrangement.on(site.layout(), *IDS), sorts=True)


def exported(site: StructureService) -> str:
    return write_file("site", "Acme docs", site.layout(), whole=True)


def shape(layout: Layout, level: str = TOP) -> list[object]:
    """Return what a layout is without the ids."""
    return [
        (layout.items[row].kind, dict(layout.items[row].values), shape(layout, row))
        for row in layout.levels.get(level, ())
    ]


def staged(file: StructureFile, site: StructureService) -> SiteArrangement:
    return wanted(file, on(site), SPACES, remove=True, recreate=True)


def send(plan: SiteArrangement, site: StructureService, most: int | None = None) -> list[Call]:
    """Send a plan, or the first requests of it, and return them."""
    made: dict[str, str] = {}
    sent = []
    for call in plan.calls()[:most]:
        made |= call.made(site.send(bind(call, made).step))
        sent.append(bind(call, made))
        back = sent[-1].reversal
        still = sent[-1].arrived if back is None else back.still
        assert still is not None
        assert site.holds(still) == "", call.line
    return sent


def take_back(sent: list[Call], site: StructureService) -> dict[str, str]:
    """Take requests back, the last one first; return the new ids of what was made again."""
    again: dict[str, str] = {}
    for call in reversed(sent):
        back = bind(call, again).reversal
        assert back is not None
        assert back.still is not None
        if not back.came_along:
            assert site.holds(back.still) == "", call.line
        for number in range(len(back.back)):
            back = bind(call, again).reversal
            assert back is not None
            answer = site.send(back.back[number])
            if back.anew is not None and number == 0:
                again[back.anew.id] = answer["id"]
                assert answer["id"] in back.anew.among(site.answer())
        back = bind(call, again).reversal
        assert back is not None
        if back.before is not None and not call.makes:
            assert site.holds(back.before) == "", call.line
    return again


def do_again(sent: list[Call], site: StructureService, again: dict[str, str]) -> None:
    """Send requests again that were taken back."""
    for call in sent:
        back = bind(call, again).reversal
        assert back is not None
        assert back.before is not None
        assert site.holds(back.before) == "", call.line
        for step in back.forth:
            site.send(step)


def changed(site: StructureService, chance: random.Random) -> StructureService:
    """Return another site: what it has is moved, changed and removed by chance, and more added."""
    other = site.copy()
    for step in range(chance.randint(1, 12)):
        rows = [row for rows in other.levels.values() for row in rows]
        row, level = chance.choice(rows), chance.choice([*other.levels])
        light = other.light.get(row)
        match chance.randrange(7):
            case 0 | 1 | 2:
                above = level
                while above not in (TOP, row):
                    above = other.home(above)
                if above == TOP:
                    other.levels[other.home(row)].remove(row)
                    other.levels[level].insert(chance.randint(0, len(other.levels[level])), row)
            case 3:
                kind = chance.choice(("section-group", "external-link"))
                url = {} if kind == "section-group" else {"url": f"{LINK}/{step}"}
                other.entry(
                    kind, f"{kind}-{chance.randrange(10**9)}", level, title=f"New {step}", **url
                )
            case 4 if light is not None:
                light |= {
                    "title": f"Changed {step}",
                    "icon": "star",
                    "draft": chance.random() < 0.5,
                }
            case 5 if light is not None and not other.levels.get(row):
                other._gone(row)
            case 5 if light is None and len(other.sections) > 1:
                other.delete_site_section({"site_section_id": row}, None)
            case 6:
                name = f"S{chance.randrange(10**9)}"
                other.section(name, *chance.sample("abcdefgh", 2), group=level or None)
                chance.choice(other.sections)["icon"] = "leaf"
    return other


def test_a_file_that_was_not_edited_takes_nothing() -> None:
    site = example()
    text = exported(site)
    assert "structure:" in text
    assert not wanted(read_file(text), on(site)).dirty
    assert shape(wanted(read_file(text), on(site)).now) == shape(site.layout())


def test_a_group_or_link_without_an_id_is_the_one_of_its_title() -> None:
    site = example()
    text = exported(site)
    for row in ("G", "H", "x", "'y'", "E"):
        text = re.sub(rf"- id: {row}\n +", "- ", text)
    assert text.count("- title:") == 5
    assert not staged(read_file(text), site).dirty
    other = text.replace("title: Empty", "title: Forum")
    assert [call.line for call in staged(read_file(other), site).calls()] == [
        "New group Forum",
        "Remove Empty",
    ]


def test_a_file_knows_the_site_that_it_was_made_of() -> None:
    site = example()
    made = read_file(exported(site)).exported
    assert made == fingerprint("site", site.layout(), whole=True)
    assert made != fingerprint("site", site.layout())


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_any_site_becomes_what_the_file_of_another_says(seed: int) -> None:
    chance = random.Random(seed)
    start = changed(example(), chance)
    wish = changed(example() if seed % 2 else start, chance)
    file = read_file(exported(wish))
    assert not wanted(file, on(wish)).dirty
    length = len(staged(file, start).calls())
    for cut in {length, chance.randint(0, length), chance.randint(0, length)}:
        site = start.copy()
        sent = send(staged(file, site), site, cut)
        if cut == length and not any(call.lasting for call in sent):
            back = site.copy()
            take_back(sent, back)
            assert shape(back.layout()) == shape(start.layout())
        send(staged(file, site), site)
        assert shape(site.layout()) == shape(wish.layout())
        assert not wanted(file, on(site), SPACES, remove=True).dirty


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_removed_groups_come_back_as_they_were(seed: int) -> None:
    chance = random.Random(seed)
    start = changed(changed(example(), chance), chance)
    for row, light in start.light.items():
        if row in start.levels and chance.random() < 0.5:
            light["localizedTitle"] = {"de": f"Titel {row}"}
    groups = [row for row in start.levels if row != TOP]
    site = start.copy()
    staged = on(site).remove(chance.sample(groups, chance.randint(1, len(groups))))
    sent = send(staged, site)
    assert not any(call.lasting for call in sent), [call.line for call in sent]
    gone = shape(site.layout())
    again: dict[str, str] = {}
    for _ in range(2):
        calls = [bind(call, again) for call in sent]
        again = {**again, **take_back(calls, site)}
        assert shape(site.layout()) == shape(start.layout())
        do_again(calls, site, again)
        assert shape(site.layout()) == gone
        sent = [bind(call, again) for call in sent]


def said(
    text: str, site: StructureService | None = None, *, sorts: bool = True, remove: bool = False
) -> list[str]:
    """Return what is wrong with a file, or the requests that it takes."""
    start = replace(on(site or example()), sorts=sorts)
    try:
        return [call.line for call in wanted(read_file(text), start, SPACES, remove=remove).calls()]
    except FileError as error:
        return [str(problem) for problem in error.problems]


def test_groups_with_nothing_beside_them_come_back_where_they_were() -> None:
    site = StructureService()
    outer = site.entry("section-group", "G", title="Products", icon="box")
    inner = site.entry("section-group", "H", outer, title="Inner")
    before = shape(site.layout())
    sent = send(on(site).remove([inner, outer]), site)
    assert shape(site.layout()) == []
    take_back(sent, site)
    assert shape(site.layout()) == before


def test_mistakes_about_groups_and_links_are_named_with_their_lines() -> None:
    text = exported(example())
    assert said(text.replace("    title: Products\n", "").replace("box", "x" * 60)) == [
        "line 31: a group has a title: write one",
        "line 32: icon: The icon has to have at most 50 characters",
    ]
    added = "  - sections: []\n    url: x\n  - url: ''\n  - url: ftp://x\n    title: T\n"
    assert said(text + added) == [
        "line 67: “url” is not a setting of a group: there are id, title, icon, draft, sections",
    ]
    assert said(text + added.replace("    url: x\n", "")) == [
        "line 66: a group has a title: write one",
        "line 67: a link has a title: write one",
        "line 67: a link has a url: write one",
        "line 68: url: A link leads to an address that begins with https:// or http://",
        "line 69: title: The title has to have at least 2 characters",
    ]
    kinds = text.replace("- id: x", "- id: H0").replace("- id: H\n", "- id: x\n")
    assert said(kinds.replace("- id: H0", "- id: H")) == [
        "line 43: x is a link, not a group",
        "line 55: H is a group, not a link",
    ]
    why = "belongs in a file that lists “structure:” in place of “sections:”, as copydesk structure"
    assert said(text.replace("structure:", "sections:")) == [
        f"line 31: a group {why} export writes it",
        f"line 59: a link {why} export writes it",
        f"line 63: a group {why} export writes it",
    ]


def test_groups_and_links_that_the_file_lacks_are_removed_only_when_told() -> None:
    text = exported(example())
    text = text[: text.index("  - id: 'y'")]
    assert said(text) == [
        "line 31: the link “Forum” (y) is missing after line 31: put it back, or remove it from "
        "the site with --remove",
        "line 31: the group “Empty” (E) is missing after line 31: put it back, or remove it from "
        "the site with --remove",
    ]
    assert said(text, remove=True) == ["Remove Forum", "Remove Empty"]
    # A file of sections alone, as a service without groups has it, leaves both where they are.
    alone = write_file("site", "Acme docs", example().layout())
    assert said(alone) == []
    assert "line 40: the group of a section cannot be changed here, for a file" in "\n".join(
        said(alone.replace("    group: H\n", "    group: G\n"))
    )


def test_a_service_without_groups_names_what_would_be_lost() -> None:
    lost = "would be lost: this service has no section groups, and no links among the sections"
    assert said(exported(example()), sorts=False) == [
        f"line 31: the group “Products” {lost}",
        f"line 43: the group “Inner” {lost}",
        f"line 55: the link “Status” {lost}",
        f"line 59: the link “Forum” {lost}",
        f"line 63: the group “Empty” {lost}",
    ]


def earlier(text: str, *, remove: bool = False) -> list[str]:
    """Return what `said` does on a service without groups, for the site ``A G(B C) D``."""
    site = SiteService()
    for name, group in (("A", None), ("B", "G"), ("C", "G"), ("D", None)):
        site.section(name, name.lower(), group=group)
    start = SiteArrangement.on(site.layout(), *IDS)
    try:
        return [call.line for call in wanted(read_file(text), start, SPACES, remove=remove).calls()]
    except FileError as error:
        return [str(problem) for problem in error.problems]


def test_a_service_without_groups_keeps_those_that_a_file_does_not_change() -> None:
    site = StructureService()
    site.section("A", "a")
    group = site.entry("section-group", "G", title="Products", icon="box")
    sections = [site.section(name, name.lower(), group=group) for name in "BC"]
    site.section("D", "d")
    text = exported(site)
    assert earlier(text) == []
    assert earlier(text.replace("title: Section D", "title: Other")) == [
        "Section D: title Section D → Other"
    ]
    one = text[text.index("      - id: s-C") : text.index("  - id: s-D")]
    assert earlier(text.replace(one, "")) == [
        "line 32: the section “Section C” (s-C) is missing after line 32: put it back, or remove "
        "it from the site with --remove"
    ]
    assert earlier(text.replace(one, ""), remove=True) == [
        "Remove Section C from Group 1 with 1 space"
    ]
    site.levels[group] = [*reversed(sections)]
    assert earlier(exported(site)) == ["Section B after Section C (in Group 1)"]


def test_a_service_without_groups_puts_nothing_into_one_or_out() -> None:
    site = StructureService()
    for name in "AB":
        site.section(name, name.lower())
    group = site.entry("section-group", "G", title="Products")
    for name in "CD":
        site.section(name, name.lower(), group=group)
    why = "this service puts no section into a group, or takes one out"
    assert earlier(exported(site)) == [
        f"line 28: “Section B” is in the group G, and not outside: {why}",
        f"line 47: “Section D” is in no group, and not in G: {why}",
    ]
    renamed = exported(site).replace("id: G", "id: H")
    lost = "would be lost: this service has no section groups, and no links among the sections"
    assert f"line 36: the group “Products” {lost}" in earlier(renamed)


def test_a_space_goes_into_no_group_beside_a_section_that_does() -> None:
    with pytest.raises(StagingError, match="no operation that moves this to another section"):
        on(example()).shift(["s-A", "s-B-c"], "H")


def test_sections_that_change_places_between_groups_go_into_new_ones() -> None:
    site = StructureService()
    site.section("A", "a")
    for group, section in ("GB", "HC"):
        site.section(section, "b", group=site.entry("section-group", group, title=f"Old {group}"))
    wish = site.copy()
    wish.levels["G"], wish.levels["H"] = wish.levels["H"], wish.levels["G"]
    lines = said(exported(wish), site)
    assert lines == [
        "New group Old G, with Section C",
        "New group Old H, with Section B",
        "Remove Old G",
        "Remove Old H",
    ]


def test_a_section_comes_back_with_its_group_from_wherever_it_went_on() -> None:
    site = StructureService()
    site.section("A", "a")
    site.section("B", "b", group=site.entry("section-group", "G", title="Old"))
    staged, group = on(site).add("", "group", {"title": "New"})
    staged = staged.shift(["s-B"], group).remove(["G"])
    staged, link = staged.add(group, "link", {"title": "Blog", "url": LINK})
    staged = staged.put(link, 1).put("s-B", 2)
    *_, moved, removed = send(staged, site)
    assert moved.line == "Section B after Blog (in New)"
    assert moved.reversal is not None
    assert moved.reversal.came_along
    assert moved.reversal.back[0].arguments["group"] == "G"
    assert removed.reversal is not None
    assert removed.reversal.back[0].body == {"title": "Old", "sections": ["s-B"]}


def test_what_was_staged_before_groups_had_names_is_staged_on_those_with_names() -> None:
    site = StructureService()
    site.section("A", "a")
    group = site.entry("section-group", "G", title="Products")
    for name in "BC":
        site.section(name, "b", group=group)
        site.sections[-1]["group"] = group
    nameless = SiteArrangement.on(SiteService.layout(site), *IDS)
    staged = nameless.change("s-A", {"icon": "leaf"}).move(["s-C"], -1)
    rebased = replace(staged, sorts=True).rebase(site.layout())
    assert not rebased.changed
    order = "Section C before Section B (in Products)"
    assert [call.line for call in rebased.arrangement.calls()] == ["Section A: icon leaf", order]
    gone = replace(nameless.remove(["s-B", "s-C"]), sorts=True)
    assert not gone.rebase(site.layout()).changed
    site.sections[0]["icon"] = "star"
    rebased = replace(staged, sorts=True).rebase(site.layout())
    assert [call.line for call in rebased.taking_theirs().calls()] == [order]


def test_sections_that_went_along_into_a_new_group_stay_where_others_put_them_since() -> None:
    site = example()
    staged, group = on(site).add("", "group", {"title": "Drafts"})
    staged = staged.shift(["s-A"], group).change("y", {"title": "Talk"})
    [made, left] = staged.calls()
    ids = made.made(site.send(made.step))
    send(on(site).shift(["s-A"], "H"), site)
    rest = staged.after_sending(site.layout(), [made], [left], ids)
    assert rest.base.levels == rest.now.levels == site.layout().levels
    assert [call.key for call in rest.calls()] == ["change:y"]
