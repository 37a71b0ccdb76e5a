"""What others did that concerns the reader: told once as it comes, and listed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.age import age
from copydesk.domain.text import plural
from copydesk.present.news import DID, notice_codes, notice_text
from copydesk.session.ages import moment
from copydesk.session.news import NewsItem
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.session.session import Session

NOTICE_SECONDS = 30
"""At most one notice is given in so many seconds."""


class Newsreader:
    """Has the news read when that is due, and tells of it outside of the screen.

    ``notices`` is the setting: "notice", "bell" or "quiet". ``ring`` and ``write`` reach the
    terminal.
    """

    def __init__(
        self,
        session: Session,
        notices: str,
        ring: Callable[[], None],
        write: Callable[[str], None],
    ) -> None:
        self._session, self._notices = session, notices
        self._ring, self._write = ring, write
        self._told_at: datetime | None = None

    def tick(self) -> None:
        """Read what is new, if it is time to."""
        news = self._session.news
        if news.due():
            before = news.newest
            news.read_soon().add_done_callback(lambda done: self._came(before, done))

    def _came(self, before: NewsItem | None, done: asyncio.Task[None]) -> None:
        """Ring and show a notice, as the setting allows it; the header has it in any case."""
        news, now = self._session.news, self._session.clock()
        if done.cancelled() or news.newest in (None, before) or self._notices == "quiet":
            return
        often = timedelta(seconds=NOTICE_SECONDS)
        if self._told_at is not None and timedelta() <= now - self._told_at < often:
            return
        self._told_at = now
        self._ring()
        if self._notices == "notice":
            said = notice_text(news.items[: news.unseen])
            self._write(notice_codes(said, tmux=bool(os.environ.get("TMUX"))))


@place("news", key="N", title="News")
class NewsPlace(Place, scope="news"):
    """Verdicts on your requests, mentions, answers, and reviews that are asked of you."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._new: frozenset[str] = frozenset()
        """What came since the reader last looked."""

    def panes(self) -> ComposeResult:
        """What happened, the latest first."""
        self.rows: VirtualList[NewsItem] = VirtualList(
            ListSource(key=lambda item: item.id),
            [
                Column("at", "AGE", self._age, 6, align="right"),
                Column("who", "WHO", lambda item: Text(item.who, style="who"), 16),
                Column("did", "DID", self._did, 22),
                Column("number", "ON", lambda item: f"#{item.number}", 6),
                Column("about", "ABOUT", lambda item: item.subject, flex=1, minimum=12),
            ],
            title="News",
            empty="Nothing yet. A verdict on a request of yours, a mention, an answer and a review "
            "that is asked of you are listed here.",
            dim=lambda item: item.id not in self._new,
            id="news",
        )
        yield Part("main", self.rows)

    def _age(self, item: NewsItem) -> Text:
        return Text(age(item.at, self.session.now), style="muted")

    def _did(self, item: NewsItem) -> Text:
        tones = {"approved": "good", "changes": "warn"}
        return Text(DID[item.kind], style=tones.get(item.kind, ""))

    def trail(self) -> Iterable[str]:
        yield "News"

    def reload(self) -> None:
        """Show what is known, and count it as looked at."""
        news = self.session.news
        count, since = news.look()
        self._new |= {item.id for item in news.items[:count]}
        source = self.rows.source.base
        assert isinstance(source, ListSource)
        source.merge(news.items)
        source.fold()
        said = f"since {moment(since, self.session.clock())}" if since is not None else ""
        new = plural(len(self._new), "new piece") if self._new else "nothing new"
        self.rows.note = f"{new} {said}".rstrip()
        self.rows.retitle()
        self.rows.refresh_rows()
        self.refresh_frame()
        self.reads.load("keep", lambda api: news.keep(), lambda _: None,
                        what="Keeping the news", local=True)  # fmt: skip

    def poll(self) -> None:
        """Read nothing: news is read beside all screens."""

    def on_mount(self) -> None:
        """Show what comes while this is in front."""
        self._stop = self.session.watch(self._changed)

    def on_unmount(self) -> None:
        """Watch no longer."""
        self._stop()

    def _changed(self) -> None:
        if self.session.news.unseen and self.app.screen is self:
            self.reload()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Go to the change request, and in it to the thread."""
        item = self.rows.selected
        if item is not None:
            target = Target(
                self.session.organization, item.space, change_request=item.request,
                thread=item.thread or None,
            )  # fmt: skip
            self.desk.call_later(self.desk.go, "review", target)
