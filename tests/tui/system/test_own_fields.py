"""Which fields commands of one's own get of each kind of row: the table of the manual says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.domain.own_command import FIELDS, KINDS
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Resource
from tests.drive import Driver, drive
from tests.tui.sample_desk import Sample, targets

PAGE = Path(__file__).parents[3] / "docs" / "how" / "own.md"

ALWAYS = {"id", "title", "url"}
"""Fields of every row."""

ROWS_OF_THEIR_OWN = (
    "changes", "review", "inbox", "spaces", "organization-structure", "pages", "page-arrangement",
    "sites", "site-structure", "clusters", "conversations", "issues", "organizations",
)  # fmt: skip
"""The screens that are no list of one resource, and hand over their rows."""

OF_SEVERAL = ("access", "findings", "finding", "question", "saml-providers")
"""The lists whose views are of different resources."""

Found = dict[tuple[str, str], set[str]]
"""The fields of a kind of row on a screen, which is named by its title."""


def note(found: Found, kind: str, fields: set[str], screen: str) -> None:
    found.setdefault((kind, screen), set()).update(fields)


async def note_rows(driver: Driver, found: Found) -> None:
    """Note what is handed over of the first rows of the pane in front."""
    place = driver.place
    for _ in range(15):
        for thing in place.things():
            note(found, thing.kind, {*thing.fields}, navigation.ENTRIES[place.PLACE].title)
        await driver.press("j")


def note_list(found: Found, resource: Resource[Any], screen: str) -> None:
    """Note what a list of a resource hands over of its rows."""
    note(found, resource.noun, ALWAYS | {each.name for each in resource.shown} & {*FIELDS}, screen)


def note_lists(found: Found) -> None:
    """Note what lists of one resource hand over, as they are declared."""
    navigation.load_all()
    for entry in sorted(navigation.ENTRIES.values(), key=lambda each: each.title):
        place = entry.place
        if issubclass(place, ResourcePlace) and place.__module__.startswith("copydesk."):
            note_list(found, place.RESOURCE, entry.title)


def table(found: Found) -> str:
    """Return what was found as the table of the manual has it; kinds with the same in one row."""
    rows: dict[tuple[str, ...], tuple[dict[str, None], dict[str, None]]] = {}
    for (kind, screen), fields in sorted(found.items(), key=lambda each: each[0][0].lower()):
        named = tuple(name for name in FIELDS if name in fields - ALWAYS)
        kinds, titles = rows.setdefault(named, ({}, {}))
        kinds[kind], titles[screen] = None, None
    lines = []
    for named in sorted(rows, key=len, reverse=True):
        kinds, titles = rows[named]
        cells = [", ".join(f"`{each}`" for each in each_of) for each_of in (kinds, named)]
        lines.append(f"| {cells[0]} | {cells[1]} | {', '.join(titles) if named else ''} |")
    return "\n".join(lines)


@pytest.mark.long
async def test_the_table_of_the_manual_has_the_fields_of_every_kind(sample: Sample) -> None:
    async with sample.api() as api:
        wanted = await targets(api)

    async def connect() -> Api:
        return sample.api()

    found: Found = {}
    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "changes")
    async with drive(app, size=(140, 40)) as driver:
        for name in ROWS_OF_THEIR_OWN:
            await app.go(name, wanted.get(name, wanted[""]))
            await driver.idle()
            await note_rows(driver, found)
            if name == "clusters":
                await driver.press("l")
                await note_rows(driver, found)
        for name in OF_SEVERAL:
            await app.go(name, wanted.get(name, wanted[""]))
            await driver.idle()
            for _ in range(len(driver.place.views) or 1):
                assert isinstance(driver.place, ResourcePlace)
                note_list(found, driver.place.resource, navigation.ENTRIES[name].title)
                await driver.press("]")
        await driver.press("g n", "space", "M")
        assert driver.place.PLACE == "merge-run"
        await note_rows(driver, found)
    note_lists(found)
    assert {kind for kind, _ in found} == {*KINDS} - {"any"}
    assert table(found) in PAGE.read_text(), f"docs/how/own.md should have:\n{table(found)}"
