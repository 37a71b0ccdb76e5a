"""The list of what others did that concerns the reader."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.moments import age, time_or_date
from copydesk.domain.text import plural
from copydesk.present.news import DID
from copydesk.session.news import NewsItem
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList


@place("news", key="N", title="News")
class NewsPlace(Place, scope="news"):
    """Reviews of what you wrote, mentions, answers, reviews asked of you, merges when ready."""

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
            empty="Nothing yet. A review of a change request of yours, a mention, an answer, a "
            "review "
            "that is asked of you and the end of a merge when ready are listed here.",
            dim=lambda item: item.id not in self._new,
            id="news",
        )
        yield Part("main", self.rows)

    def _age(self, item: NewsItem) -> Text:
        return Text(age(item.at, self.session.now), style="muted")

    def _did(self, item: NewsItem) -> Text:
        tones = {
            "approved": "good", "changes": "warn", "merged": "good", "unread": "warn",
            "stopped": "bad",
        }  # fmt: skip
        return Text(DID[item.kind], style=tones.get(item.kind, ""))

    def breadcrumb(self) -> Iterable[str]:
        yield "News"

    def reload(self) -> None:
        news = self.session.news
        count, since = news.look()
        self._new |= {item.id for item in news.items[:count]}
        source = self.rows.source.listed
        source.merge(news.items)
        source.fold()
        said = f"since {time_or_date(since, self.session.clock())}" if since is not None else ""
        new = plural(len(self._new), "new entry", "new entries") if self._new else "nothing new"
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
        item = self.rows.selected
        if item is not None:
            target = Target(
                self.session.organization, item.space, change_request=item.request,
                thread=item.thread or None,
            )  # fmt: skip
            self.desk.call_later(self.desk.go, "review", target)
