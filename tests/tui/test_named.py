"""Every screen over things that have names: none of them is shown by its id.

On the same walk each key that a refusal, an empty list or a sentence names is one that works there.
"""

from __future__ import annotations

import re

import pytest

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.system.reference import load_everything
from tests.drive import drive
from tests.tui.named_keys import refused_wrong, said_wrong
from tests.tui.sample_desk import PARTS, SIZES, Sample, back, targets

ID = re.compile(r"(?<!/)\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20}\b")
"""An id as the desk makes them, where it is no part of an address."""

ADDRESSES = {"saml-providers"}
"""Where addresses are shown whole because they are typed in elsewhere: they hold ids."""


def look(app: CopydeskApp, when: str) -> None:
    """Fail where an id is drawn, or a key is named that does nothing here."""
    if when.split()[0] not in ADDRESSES:
        for strip in app.screen._compositor.render_strips(app.size):
            assert not ID.search(strip.text), f"{when}: {strip.text}"
    assert not [*refused_wrong(app, off=True)], when


@pytest.mark.parametrize(
    "size", [pytest.param(SIZES[0], marks=pytest.mark.long), SIZES[1]], ids=str
)
@pytest.mark.parametrize("part", range(PARTS))
async def test_no_screen_shows_an_id_where_there_is_a_name_or_names_a_key_of_another(
    sample: Sample, part: int, size: tuple[int, int]
) -> None:
    load_everything()
    async with sample.api() as api:
        wanted = await targets(api)

    async def connect() -> Api:
        return sample.api()

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=size) as driver:
        for name, entry in sorted(navigation.ENTRIES.items())[part::PARTS]:
            if name != entry.place.PLACE or not entry.place.__module__.startswith("copydesk."):
                continue  # another way to the same place, or one that tests made
            await app.go(name, wanted.get(name, wanted[""]))
            await driver.idle()
            assert size == SIZES[0] or not [*said_wrong(app)], name
            for view in [""] + [each.id for each in driver.place.views[1:]]:
                if view:
                    await driver.press("]")
                look(app, f"{name} {view}")
                await driver.press("j", "i")
                look(app, f"{name} {view}, the details")
                await driver.press("escape")
                if not isinstance(app.screen, entry.place):
                    break
            await back(driver)
