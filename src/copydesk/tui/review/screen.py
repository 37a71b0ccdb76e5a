"""One change request, reviewed page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean
from copydesk.present.diff_rows import SIDES
from copydesk.present.page_changes import page_signs, place_of
from copydesk.session.content import Content
from copydesk.session.glyphs import glyphs
from copydesk.session.seen_pages import reversal_of
from copydesk.tui.content.commands import ContentCommands, PageCommands
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.navigation import place
from copydesk.tui.review.base import ReviewPanes
from copydesk.tui.review.commands import RequestCommands
from copydesk.tui.review.drafts import DraftCommands
from copydesk.tui.review.guards import never_seen, no_text
from copydesk.tui.review.impact_tab import ImpactCommands
from copydesk.tui.review.news import NewsCommands
from copydesk.tui.review.threads import WalkCommands
from copydesk.tui.threads.commands import MessageCommands, ThreadCommands

if TYPE_CHECKING:
    from copydesk.client.api import Api

FRAME = 4
"""Cells that the frame of a pane and its scroll bar take."""


@place(
    "review",
    title="Review",
    uses=(
        "get_change_request",
        "get_change_request_changes",
        "get_revision",
        "get_revision_page",
        "list_change_request_pages",
        "list_change_request_comments",
        "list_space_page_backlinks",
        "list_change_request_page_links",
    ),
)
class Review(ReviewPanes, scope="review"):
    """The changed pages of a request, the lines of one of them, and the threads on it."""

    COMMAND_CLASSES = (
        ImpactCommands,
        ContentCommands,
        PageCommands,
        RequestCommands,
        DraftCommands,
        NewsCommands,
        WalkCommands,
        ThreadCommands,
        MessageCommands,
    )

    def content(self) -> Content | None:
        """Return the request, and the page in front."""
        opened, change = self.opened_request, self.change
        if opened is None:
            return None
        permissions, title = opened.space.permissions, clean(opened.space.title)
        may = permissions is None or permissions.edit
        on_page = change is not None and not change.file
        return Content(
            opened.space.id,
            title,
            opened.request.id,
            numbered=self.numbered,
            page=change.id if change is not None and on_page else "",
            page_title=clean(change.node.title) if change is not None and on_page else "",
            refused="" if may else f"Editing {title} takes the role editor in it.",
        )

    @action("J", "next change", unless=no_text, show=20, group="Read")
    def next_change(self) -> None:
        """Go to the next changed lines; at the end of the page it stops and says so."""
        if not self.diff.step_change(1):
            last = self.page_at == len(self.changes) - 1
            self.say(
                "No further change on this page. space marks it seen."
                if last
                else "No further change on this page. ] next page, space marks it seen and goes on."
            )

    @action("K", "previous change", unless=no_text, show=False, group="Read")
    def previous_change(self) -> None:
        """Go to the previous changed lines."""
        if not self.diff.step_change(-1):
            self.say("No earlier change on this page. [ previous page.")

    @action(
        "space",
        "seen",
        unless=no_text,
        show=15,
        group="Read",
        uses=("get_change_request_page", "get_space_page", "get_revision_page"),
    )
    async def mark_seen(self) -> None:
        """Mark the page as seen and go to the next one that is not; again takes the mark away."""
        change, page, seen = self.change, self.diff.page, self.seen
        assert change is not None
        assert page is not None
        assert seen is not None
        title = clean(change.node.title)
        before = await seen.held(change.id)
        if seen.state(change.id) == "seen":
            await self._put_mark("Unsee", change.id, before, f"{title} is not marked as seen now.")
            return
        at = self.page_at
        order = self.changes[at + 1 :] + self.changes[: max(0, at)]
        following = next((c for c in order if seen.state(c.id) != "seen"), None)
        count = seen.count(c.id for c in self.changes) + 1
        done = f"{title} is seen. {count} of {len(self.changes)}."
        if following is None:
            done = f"All {len(self.changes)} seen. a approve, m merge."
        await self._put_mark("See", change.id, before, done, page.now)
        if self.behind:
            # What was read may not be what it is by now.
            self.news.look_again(change.id)
        if following is not None:
            self.reader.show_page(following.id)

    async def _put_mark(
        self, what: str, page: str, before: str | None, done: str, text: str | None = None
    ) -> None:
        """Mark a page with a text, or with None not at all; ``u`` takes it back."""
        change, seen, opened = self.change, self.seen, self.opened_request
        assert change is not None
        assert seen is not None
        assert opened is not None

        async def send(api: Api) -> str | None:
            if text is None:
                await seen.unmark(page)
            else:
                await seen.mark(page, text)
            return await seen.held(page)

        await self.perform(
            what,
            f"{self.numbered} {clean(change.node.title)}",
            send,
            reversal=lambda after: reversal_of(opened.request.id, page, before, after),
            done=done,
        )
        self.reader.show_seen()

    def turned(self, results: Sequence[Any]) -> None:
        """Read again what a write taken back was about, and which pages are marked."""
        self.news.forget_versions()
        super().turned(results)

    @action("=", "since I saw it", unless=never_seen, show=2, group="Look")
    def toggle_since(self) -> None:
        """Compare the page with what I saw when I marked it; again compares with main."""
        if self.reader.since and self.page_id is not None:
            self.reader.show_page(self.page_id)
        else:
            self.reader.compare_with_seen()

    @action("|", "side by side", unless=no_text, show=1, group="Look")
    def toggle_sides(self) -> None:
        """Show the page as it was and as it is side by side; again one above the other.

        The tree gives its room to it, and the threads go below; Tab and h still go there.
        """
        if not self.diff.sides and self.app.size.width < SIDES + FRAME:
            self.say(
                f"Side by side takes {SIDES + FRAME} cells, and here are {self.app.size.width}: "
                "both stand one above the other.",
                "warn",
            )
            return
        self.reader.show_sides(not self.diff.sides)

    @action("t", "all pages", show=2, group="Look")
    def toggle_everything(self) -> None:
        """Show all pages in the tree, or only those that changed."""
        if self.opened_request is None:
            self.say("The change request is not read yet.", "warn")
            return
        self.everything = not self.everything
        self._show_tree()
        self.say("The tree shows all pages." if self.everything else "Only changed pages.")

    @action("l", "right pane", show=False, group="Move", also=("right",))
    def pane_right(self) -> None:
        """Go to the pane at the right."""
        self.desk.step_pane(1)

    @action("h", "left pane", show=False, group="Move", also=("left",))
    def pane_left(self) -> None:
        """Go to the pane at the left."""
        self.desk.step_pane(-1)

    def status_left(self) -> str:
        """Say what others did, or what the signs mean."""
        said = [] if self.news.waiting is None else [self.news.waiting.sentence]
        if self.behind:
            said.append(f"{self.numbered} changed")
        if said:
            return f"{', '.join(said)} (press . to fold them in)"
        if self.pane is self.page_tree:
            return "   ".join(f"{sign} {means}" for sign, means in page_signs())
        if self.discussion.fresh and self.pane in (self.beside, self.all_threads):
            return f"{glyphs().changed} new since you opened this"
        return ""

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs beside pages, threads and rows, and what they mean."""
        return [
            *page_signs(),
            (glyphs().outdated, "out of date with main"),
            ("[1] [2]", "threads, numbered in the order in which } visits them"),
            ("[-x-]", "words that are gone"),
            ("{+x+}", "words that are new"),
            (f"-- {glyphs().right}", "blocks that stand elsewhere now: from where, and where to"),
            (glyphs().gap, "unchanged blocks, folded: z unfolds them"),
        ]

    def page_titles(self) -> list[str]:
        """Return the titles of the changed pages, for completion."""
        return [clean(change.node.title) for change in self.changes]

    @command("page", "TITLE", complete=lambda here: here.page_titles())
    def go_page(self, rest: str) -> None:
        """Go to a changed page by a part of its name."""
        wanted = rest.strip().casefold()
        found = next((c for c in self.changes if wanted in place_of(c).casefold()), None)
        if found is None:
            self.say(f"No changed page is called {clean(rest)!r}.", "warn")
            return
        self.open_view("changes")
        self.reader.show_page(found.id)
        self.diff.focus()
