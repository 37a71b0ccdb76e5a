"""Everything that was typed and not sent: where it belongs, and back to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import NotFound, Refused
from copydesk.domain.inverses import draft_dropped
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age
from copydesk.domain.page_tree import flatten
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shown_title
from copydesk.session.draft_keys import DraftOwner, belonging
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api


class DraftSubject(NamedTuple):
    """The ids of what a draft is on: a space, and in it a change request, a page, or both."""

    space: str
    request: str | None
    page: str | None


FIRST_LINE_CELLS = 200
"""How much of a first line a row keeps."""


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A kept text. ``about`` names the page and change request or space it is on, once known.

    ``why`` is the reason if it was sent in vain, ``home`` the organization it belongs to, where
    there are several.
    """

    key: str
    first_line: str
    saved: datetime
    belongs: DraftOwner | None
    about: str = ""
    why: str = ""
    home: str = ""

    @property
    def words(self) -> Text:
        """How it begins, with a sign where it could not be sent."""
        sign = (f"{glyphs().failed} ", "bad") if self.why else ""
        return Text.assemble(sign, self.first_line)

    @property
    def where(self) -> str:
        """Where it belongs, in words."""
        words = self.belongs.words if self.belongs is not None else "something else"
        said = f"{words}: {self.about}" if self.about else words
        return f"{said}, {self.home}" if self.home else said


def draft_rows(
    drafts: Iterable[tuple[str, str, float]],
    about: Mapping[DraftSubject, str],
    unsent: Mapping[str, str],
    organizations: Mapping[str, str],
) -> list[DraftRow]:
    """Return the rows of (key, text, seconds since the epoch) drafts in their order.

    ``about`` names what they are on, ``unsent`` says by key why a text could not be sent.
    ``organizations`` are the titles of those that there are, by their ids.
    """
    rows = []
    for key, text, saved in drafts:
        belongs = belonging(key)
        said = readable(belongs, text)
        first = next((line.strip() for line in said.splitlines() if line.strip()), "")
        subject = subject_of(belongs)
        rows.append(
            DraftRow(
                key, clean(first, limit=FIRST_LINE_CELLS), datetime.fromtimestamp(saved, UTC),
                belongs, about.get(subject, "") if subject is not None else "",
                clean(unsent.get(key, "")),
                _home(belongs, organizations),
            )
        )  # fmt: skip
    return rows


def _home(belongs: DraftOwner | None, organizations: Mapping[str, str]) -> str:
    home = belongs.target.organization if belongs is not None else None
    return organizations.get(home or "", "") if len(organizations) > 1 else ""


def readable(belongs: DraftOwner | None, text: str) -> str:
    """Return a kept text as a person reads it."""
    return text if belongs is None else belongs.summary(text)


def subject_of(belongs: DraftOwner | None) -> DraftSubject | None:
    """Return what a draft is on; None where that is in no space."""
    if belongs is None or belongs.target.space is None:
        return None
    return DraftSubject(belongs.target.space, belongs.target.change_request, belongs.target.page)


async def _named(api: Api, space: str, request: str | None) -> str:
    """Return what a space is called, or a change request of it. Raises ``ApiError``."""
    if request is None:
        return f"in {clean((await api(ops.get_space, space)).title)}"
    found = await api(ops.get_change_request, space, request)
    return f"#{found.number} {clean(found.subject)}".rstrip()


async def _page_titles(api: Api, space: str, request: str | None) -> dict[str | None, str]:
    """Return the titles of all pages by their ids, in one read. Raises ``ApiError``."""
    tree = await (
        api(ops.list_space_pages, space, metadata=False, computed=False)
        if request is None
        else api(ops.list_change_request_pages, space, request, metadata=False, computed=False)
    )
    pages = await asyncio.to_thread(flatten, tree.pages)
    return {page.id: shown_title(page.title) for page in pages}


NAMED_AT_ONCE = 30
"""How many change requests and spaces are read before what they are called is shown."""


def none_selected(here: DraftsPlace) -> str | None:
    """Say so when no draft is under the cursor."""
    return None if here.rows.selected is not None else "No draft selected."


@place("drafts", key="d", title="Drafts")
class DraftsPlace(Place, scope="drafts"):
    """The texts that were typed on this machine and not sent."""

    OF_DESK = False

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._about: dict[DraftSubject, str] = {}
        """What pages, change requests and spaces are called."""
        self._texts: dict[str, str] = {}
        """The drafts, as they were read."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[DraftRow] = VirtualList(
            ListSource(key=lambda row: row.key),
            [
                Column("where", "WHERE", lambda row: row.where, flex=3, minimum=20),
                Column("text", "TEXT", lambda row: row.words, flex=2, minimum=20),
                Column(
                    "age", "AGE",
                    lambda row: Text(age(row.saved, self.session.clock()), style="muted"),
                    width=6, align="right",
                ),
            ],
            title="Drafts",
            empty="No drafts. What you type and do not send is listed here.",
            id="drafts",
        )  # fmt: skip
        self.text = TextView(title="Text", empty="No draft is selected.", literal=True)
        yield Part("main", self.rows)
        yield Part("side", self.text)

    def signs(self) -> Sequence[tuple[str, str]]:
        return [(glyphs().failed, "could not be sent: the reason is above its text")]

    def requeued(self) -> None:
        """Show the drafts as they are now."""
        self.reload()

    def others_typed(self) -> None:
        """Show what another window has typed, sent or discarded."""
        if self.reads.asked_at is not None and not self.reads.loads:
            self.reload()

    def reload(self) -> None:
        self.reads.load(
            "drafts", lambda api: self._read(), self._arrived, what="Reading drafts", local=True
        )

    def poll(self) -> None:
        """Read nothing: drafts change by the hand that types them."""

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.reads.asked_at is not None:
            self.read_again()

    async def _read(self) -> list[tuple[str, str, float]]:
        return list(await asyncio.to_thread(self.session.drafts.dated))

    def _arrived(self, drafts: list[tuple[str, str, float]]) -> None:
        source = self.rows.source.listed
        self._texts = {key: text for key, text, _ in drafts}
        source.merge(
            draft_rows(drafts, self._about, self.session.unsent, self.session.organization_titles)
        )
        source.fold()  # all of it happened on this machine, by this hand: nothing is news
        source.fresh.clear()
        self.show_details()
        unknown: dict[tuple[str, str | None], set[DraftSubject]] = {}
        for row in source.shown():
            subject = subject_of(row.belongs)
            if subject is not None and subject not in self._about:
                unknown.setdefault((subject.space, subject.request), set()).add(subject)
        if unknown:
            wanted = list(unknown.values())[:NAMED_AT_ONCE]
            self.reads.load("names", lambda api: self._read_names(api, wanted),
                      lambda _: self._arrived(drafts), what="Reading names",
                      quiet=True)  # fmt: skip

    async def _read_names(self, api: Api, wanted: list[set[DraftSubject]]) -> None:
        """Read what subjects are called, those of one change request or space at once."""
        for subjects in wanted:
            (space, request, _), *_rest = subjects
            said, titles = "gone", dict[str | None, str]()
            with suppress(Refused, NotFound):
                said = await _named(api, space, request)
                if any(each.page for each in subjects):
                    titles = await _page_titles(api, space, request)
            for each in subjects:
                title = titles.get(each.page)  # none of one that is staged only, or deleted
                lead = f"{title}{', ' if request else ' '}" if title else ""
                self._about[each] = f"{lead}{said}"

    def show_details(self) -> None:
        row = self.rows.selected
        text = self._texts.get(row.key, "") if row is not None else ""
        why = f"**Not sent:** {row.why}\n\n---\n\n" if row is not None and row.why else ""
        self.text.set_text(why + readable(row.belongs, text) if row is not None else "")

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Go to where the draft belongs, and open it there."""
        self.desk.call_later(self._open_draft)

    async def _open_draft(self) -> None:
        row = self.rows.selected
        if row is None:
            return
        if row.belongs is None:
            self.say("Where this text belongs is not known. Y copies it.", "warn")
            return
        if self.session.drafts.unsaved:  # what is typed there is another text
            await asyncio.to_thread(self.session.drafts.flush)
        self.session.drafts.choose(row.key)
        target = row.belongs.target
        target = target.but(organization=target.organization or self.session.organization)
        await self.desk.go(row.belongs.place, target)
        there = self.desk.here
        if there is not None and there is not self and row.belongs.part:
            self.desk.keyboard.ahead.resume(there, row.belongs.part)

    def copies(self) -> list[tuple[str, str]]:
        row = self.rows.selected
        text = self._texts.get(row.key) if row is not None else None
        return [("text", text)] if text else []

    @action("D", "discard", unless=none_selected, show=12)
    async def discard(self) -> None:
        """Discard the draft under the cursor; u brings it back."""
        row = sure(self.rows.selected)
        drafts = self.session.drafts

        async def drop(api: Api) -> None:
            await asyncio.to_thread(drafts.discard, row.key)

        await self.writer.perform(
            "Discard", f"“{row.first_line[:40]}”", drop, reversal=draft_dropped(row.key),
            done="Discarded. u brings it back.",
        )  # fmt: skip
        self.session.unsent.pop(row.key, None)
        self.reload()
