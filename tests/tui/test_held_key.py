"""What belongs to the row under the cursor waits until keys pause, on every screen with a list."""

from __future__ import annotations

import pytest

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.domain.request_context import Why
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.framework.desk_app import Pause
from copydesk.tui.system.reference import load_everything
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive
from tests.tui.sample_desk import PARTS, Sample, back, targets

HELD = 3

MOST = 3
"""Requests for a row that the cursor rests on."""

MOST_OF = {"clusters": 9, "needs-me": 5}
"""Where it is more: three lists of change requests, issues, a conversation, and the rules of the
open requests; the texts that both sides changed."""

NEWEST = {"clusters"}
"""Screens that read something of a row again each time: the issues of a cluster."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
async def test_a_held_key_sends_nothing_and_a_row_rested_on_little(
    sample: Sample, part: int
) -> None:
    load_everything()
    async with sample.api() as api:
        wanted = await targets(api)

    async def connect() -> Api:
        return sample.api()

    sent: list[str] = []

    def record(each: SentRequest) -> None:
        if each.asker.why is not Why.POLLING:
            sent.append(each.name)

    walked = []
    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=(140, 40)) as driver:
        (await app.session.ready()).recorder = record
        # Not those that other tests declare.
        ours = [
            n for n, e in navigation.ENTRIES.items() if e.place.__module__.startswith("copydesk")
        ]
        for name in sorted(ours)[part::PARTS]:
            entry = navigation.ENTRIES[name]
            await app.go(name, wanted.get(entry.place.PLACE, wanted[""]))
            await driver.idle()
            place = driver.place
            rows, reads = place.pane, place.reads
            if isinstance(rows, VirtualList) and rows.length > rows.cursor + HELD:
                walked.append(name)
                # However slow the machine is: keys do not pause before the test says so.
                pause, reads.pause = reads.pause, Pause(3600, place.refresh_frame)
                sent.clear()
                before = rows.cursor
                shown = [pane.title for pane in place.mounted_panes if pane is not rows]
                for _ in range(HELD):
                    await driver.send("j")
                assert rows.cursor == before + HELD, name
                assert sent == [], name
                assert shown == [pane.title for pane in place.mounted_panes if pane is not rows]
                reads.pause = pause
                pause.ask()
                await driver.idle()
                assert len(sent) <= MOST_OF.get(name, MOST), (name, sent)
                await driver.press("k")
                sent.clear()
                await driver.press("j")
                assert sent == [] or name in NEWEST, (name, sent)
            await back(driver)
    assert len(walked) > 5, walked
