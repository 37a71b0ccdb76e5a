"""The tabs of a review that tell of the request as a whole: overview, rules and activity.

The activity has only what the service tells; nothing is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age
from copydesk.domain.request_context import CAUSE
from copydesk.domain.text import clean, plural, shorten, shown_subject
from copydesk.present.facts import Fact
from copydesk.present.impact import impact_line
from copydesk.present.merge_rules import RuleContext, rule_lines
from copydesk.present.review import REVERTS, overview
from copydesk.present.threads import Thread
from copydesk.session.change_rows import ChangeRow
from copydesk.session.glyphs import glyphs
from copydesk.session.names import asked_name, first_words, person_name
from copydesk.session.operations import ops
from copydesk.session.reads.clusters import read_label
from copydesk.session.reads.findings import read_title
from copydesk.session.reads.impact import read_impact
from copydesk.session.reads.merge import read_rules
from copydesk.session.reads.review import RevisionSides, read_replies, read_sides
from copydesk.tui.framework.navigation import GO
from copydesk.tui.framework.place import View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.change_request import ChangeRequest, Contributor
    from copydesk.contract.models.comment import CommentReply
    from copydesk.contract.models.review import RequestedReviewer, Review
    from copydesk.domain.impact import Impact
    from copydesk.session.change_rows import Readiness
    from copydesk.session.reads.merge import RulesRead
    from copydesk.session.reads.review import OpenedRequest, RevisionSide
    from copydesk.tui.framework.place import Place
    from copydesk.tui.review.model import ReviewModel


LOOKED_AT = 25
"""Up to so many changed pages the links around them are read unasked; ``i`` reads them always."""

TOLD = "as far as the service tells"


class RequestTabs:
    """Names the tabs; shows the overview, the rules one by one, and the history."""

    def __init__(
        self,
        place: Place,
        model: ReviewModel,
        *,
        go_to: Callable[[Thread], None],
        take_replies: Callable[[dict[str, list[CommentReply]]], None],
    ) -> None:
        self.place, self.model = place, model
        self._go_to, self._take_replies = go_to, take_replies
        self.sides: RevisionSides | None = None
        self.impact: Impact | None = None
        self._asked_for: set[tuple[str, str, str]] = set()
        """What was read beside the request, at which versions of both sides."""
        self._answers_asked: set[tuple[str, int]] = set()
        """Threads whose replies the history has asked for, and how many those are."""

        self.overview = Facts(title="Overview", empty="Reading…", id="overview")
        self.rules_pane = Facts(title="Rules", empty="Reading…", id="rules")
        self.overview.leads = self.rules_pane.leads = "Request"
        self.happened_source: ListSource[HistoryEvent] = ListSource(key=lambda row: row.id)
        self.happened: VirtualList[HistoryEvent] = VirtualList(
            self.happened_source,
            [
                Column("when", "WHEN", self._when, width=7),
                Column("who", "WHO", lambda row: Text(row.who, style="who"), width=18, drop=1),
                Column("what", "WHAT", lambda row: row.what, flex=1, minimum=20),
            ],
            title="Activity",
            empty="Reading…",
            id="activity",
        )
        self.happened.note = TOLD

    def name(self) -> None:
        """Name the tabs, with how much is in each; a sign says that something waits to be shown."""
        model = self.model
        count = model.threads.open_count if model.threads_read else None
        new = f"{glyphs().changed} " if model.news is not None else ""
        none = model.threads_read and not model.threads.count and not model.drafts
        self.place.set_class(none and model.news is None, "-no-threads")
        self.place.set_views(
            [
                View("overview", "Overview"),
                View("changes", "Changes", len(model.changes) or None),
                View("threads", f"{new}Threads", count),
                View("rules", f"Rules {model.rules_met}" if model.rules_met else "Rules"),
                View("activity", "Activity"),
            ]
        )

    # The request as a whole

    def read_rules(self) -> None:
        """Read the merge rules, and who was asked for a review, again."""
        opened = self.model.known
        self.place.reads.load(
            "rules",
            lambda api: read_rules(api, opened.request, opened.space),
            self.take_rules,
            what="Reading the merge rules",
            failed=self.rules_failed,
        )

    def take_rules(self, rules: RulesRead) -> None:
        """Show the rules as they are now."""
        self.model.rules = rules
        self.show()
        self.name()

    def read_cluster(self) -> None:
        """Read the name of the cluster that the request answers."""
        opened = self.model.known
        cluster = opened.request.conversations_issues_cluster
        if cluster is None:
            return
        organization = opened.space.organization or self.place.session.organization or ""

        def arrived(label: str) -> None:
            self.model.cluster = label
            self.show()

        self.place.reads.load(
            "cluster", lambda api: read_label(api, organization, cluster), arrived,
            what="Reading the cluster",
        )  # fmt: skip

    def read_finding(self) -> None:
        """Read the title of the finding that the request was begun for."""
        opened = self.model.known
        session, topic = self.place.session, opened.request.site_topic
        known: object = None if topic is None else (topic.site, topic.finding)
        if known is None:  # one for a broken link names it not
            known = session.left.get(("begun for", opened.request.id))
        match known:
            case (str(site), str(finding)):
                ids = (opened.space.organization or session.organization or "", site)
            case _:
                return

        def arrived(title: str) -> None:
            self.model.finding = title
            self.show()

        self.place.reads.load(
            "finding", lambda api: read_title(api, ids, finding), arrived,
            what="Reading the finding",
        )  # fmt: skip

    def _read_contributors(self) -> None:
        """Read who worked on the request, once."""
        opened = self.model.known
        if not self._first_time("contributors"):
            return

        def arrived(found: Page[Contributor]) -> None:
            self.model.contributors = found.items
            self.show()

        ids = opened.space.id, opened.request.id
        # Whichever key shows the overview, it is read for being here.
        before = CAUSE.set((*CAUSE.get(), f"{GO}{self.place.PLACE}"))
        self.place.reads.load(
            "contributors", lambda api: api(ops.list_change_request_contributors, *ids), arrived,
            what="Reading who worked on it", quiet=True,
        )  # fmt: skip
        CAUSE.reset(before)

    @property
    def readiness(self) -> Readiness | None:
        """Whether the request can be merged; None while its rules are not read."""
        return self.model.readiness(self.place.session.stuck)

    def _when(self, row: HistoryEvent) -> Text:
        said = age(row.at, self.place.session.now)
        return Text(f"by {said}" if row.about and said != "now" else said, style="muted")

    def turned_to(self) -> None:
        """Show the tab in front, and read what it needs."""
        self._answers_asked.clear()
        self.show()

    def show(self) -> None:
        """Bring the tab in front up to date, if it tells of the whole."""
        opened = self.model.opened
        if opened is None:
            return
        if self.place.view == "overview":
            self._show_overview(opened)
        if self.place.view in ("rules", "activity"):
            self._read_sides()
        if self.place.view in ("overview", "rules"):
            self._read_impact()
        if self.place.view == "overview":
            self._read_contributors()
        if self.place.view == "rules":
            self._show_rules()
        elif self.place.view == "activity":
            self._show_activity()

    def _show_overview(self, opened: OpenedRequest) -> None:
        model = self.model
        threads = (model.threads.open_count, model.threads.count) if model.threads_read else None
        facts = overview(
            opened.request,
            opened.space,
            model.changes,
            model.rules,
            threads,
            (model.seen_count, len(model.changes)),
            self.place.session.now,
            self.readiness,
            self.impact_said,
            model.cluster,
            opened.unlooked,
            model.finding,
            model.contributors,
        )
        if opened.request.status == "merged" and not self.place.session.read_only:
            facts.insert(3, (" ", Text(REVERTS, style="muted")))
        self.overview.show([Fact(label, text) for label, text in facts], about=opened.request.id)

    def failed(self, said: str) -> None:
        """Say in every tab why the request is not there; a list may know some of it."""
        self.overview.empty = said
        self.overview.refresh_rows()
        self.rules_failed(said)
        self.happened.empty = said
        self.happened.refresh_rows()
        self.model.listed = listed(self.place)
        if self.model.listed is not None:
            self.overview.show([*listed_facts(self.model.listed, said, self.place.session.now)])

    def rules_failed(self, said: str) -> None:
        """Say in the tab of the rules why they are not there."""
        self.rules_pane.empty = said
        self.rules_pane.refresh_rows()

    def _again(self, what: str) -> None:
        """Read something again the next time, because it could not be read."""
        self._asked_for = {key for key in self._asked_for if key[0] != what}

    def _first_time(self, what: str) -> bool:
        """Whether something is to be read for these versions of both sides; True only once."""
        opened = self.model.known
        key = (what, *opened.version)
        if key in self._asked_for:
            return False
        self._asked_for.add(key)
        return True

    def _still(self, opened: OpenedRequest) -> bool:
        """Whether the texts of both sides are the same as when something was begun to be read."""
        now = self.model.opened
        return now is not None and now.version == opened.version

    def _read_sides(self) -> None:
        opened = self.model.known
        if not self._first_time("sides"):
            return
        self.sides = None

        async def read(api: Api) -> RevisionSides:
            return await read_sides(api, opened)

        def came(sides: RevisionSides) -> None:
            if self._still(opened):
                self.sides = sides
                self.show()

        self.place.reads.load(
            "sides",
            read,
            came,
            what="Reading when both sides moved",
            failed=lambda _: self._again("sides"),
        )

    def _read_impact(self) -> None:
        opened = self.model.known
        few = 0 < len(self.model.changes) <= LOOKED_AT
        if opened.merged:
            self.impact = None
        if opened.merged or not few or not self._first_time("impact"):
            return
        self.impact = None
        changes = list(self.model.changes)

        async def read(api: Api) -> Impact:
            return await read_impact(api, opened.space.id, opened.request.id, changes)

        def came(impact: Impact) -> None:
            if self._still(opened):
                self.impact = impact
                self.show()

        self.place.reads.load(
            "impact", read, came, what="Reading links", failed=lambda _: self._again("impact")
        )

    @property
    def impact_said(self) -> str:
        """What the request does to the links around it, once that is read."""
        return impact_line(self.impact) if self.impact is not None else ""

    def _show_rules(self) -> None:
        opened, rules = self.model.opened, self.model.rules
        if opened is None or rules is None:
            return
        request, permissions = opened.request, opened.space.permissions
        me = self.place.session.me
        standing = RuleContext(
            now=self.place.session.now,
            me=me.id if me is not None else None,
            main=self.sides.main if self.sides is not None else None,
            threads=self.model.threads.open_count if self.model.threads_read else None,
            unseen=(len(self.model.changes) - self.model.seen_count, len(self.model.changes)),
            may_merge=permissions is None or permissions.merge,
            stuck=self.model.is_stuck(self.place.session.stuck),
            impact=self.impact_said,
        )
        lines = rule_lines(request, rules, standing)
        self.rules_pane.show([Fact(label, text) for label, text in lines])

    def _show_activity(self) -> None:
        opened, rules = self.model.opened, self.model.rules
        if opened is None:
            return
        titles = {node.id: clean(node.title) for node in opened.pages}
        titles.update((change.id, clean(change.node.title)) for change in self.model.changes)
        rows = history(
            opened.request,
            self.model.threads,
            rules.reviews if rules is not None else None,
            rules.requested if rules is not None else None,
            self.sides.request if self.sides is not None else None,
            titles,
        )
        self.happened.empty = f"Nothing is told{glyphs().more}"
        at_top = self.happened.cursor == 0
        self.happened_source.set(rows)
        self.happened.refresh_rows()
        if at_top:  # what is read after the first rows may stand above them
            self.happened.move_first()
        self.read_answers()

    def read_answers(self) -> None:
        """Read the replies behind the rows on screen; these tell only who answered."""
        opened, top = self.model.opened, self.happened.scroll_offset.y
        rows = [self.happened.source.row(at) for at in range(top, top + self.place.app.size.height)]
        threads = [self.model.threads.get(row.thread) for row in rows if row is not None]
        keys = {
            (thread.id, thread.comment.replies)
            for thread in threads
            if thread is not None and thread.replies is None and thread.comment.replies
        } - self._answers_asked
        if opened is None or not keys:
            return
        self._answers_asked |= keys
        waiting = sorted(thread for thread, _ in keys)
        self.place.reads.load(
            f"answers {len(self._answers_asked)}",
            lambda api: read_replies(api, opened.space.id, opened.request.id, waiting),
            self._take_replies,
            what="Reading replies",
        )

    def replies_came(self) -> None:
        """Show what was answered."""
        if self.place.view == "activity":
            self._show_activity()

    @property
    def thread(self) -> Thread | None:
        """The thread of what happened under the cursor."""
        row = self.happened.selected
        return None if row is None else self.model.threads.get(row.thread)

    def open_row(self) -> None:
        """Show what happened where it is shown best."""
        row, thread = self.happened.selected, self.thread
        if thread is not None:
            self._go_to(thread)
        elif row is not None:
            self.place.choose_view("overview" if row.leads == "thread" else row.leads)


Leads = Literal["overview", "changes", "rules", "thread"]


WORDS = 160
"""Cells of a message that a row shows."""


BEGUN = "begun"
"""The id of the first row."""


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One thing that happened. ``leads`` is where it is shown: a tab, or ``thread``.

    ``about`` is true where the moment is not told, and this is the latest that it can have been.
    """

    id: str
    at: datetime
    who: str
    what: Text
    leads: Leads
    thread: str | None = None
    about: bool = False


def history(
    request: ChangeRequest,
    threads: Iterable[Thread],
    reviews: Sequence[Review] | None,
    requested: Sequence[RequestedReviewer] | None,
    newest: RevisionSide | None,
    titles: Mapping[str, str],
) -> list[HistoryEvent]:
    """Return all that is told, newest first. ``titles`` are of pages, by id.

    The API tells no history. This is what its objects say of themselves: when a request was begun,
    its newest revision, every review, who is asked now, and of each thread who wrote, answered,
    edited and resolved. Earlier revisions and changes of status are in none of them.
    """
    known = list(threads)
    found = [*_own(request, newest)]
    verdicts = {t.comment.target.review: t for t in known if t.verdict}
    found += [
        _review(review, review.created_at, verdicts.get(review.id))
        for review in reviews or ()
        if review.created_at is not None
    ]
    for asked in requested or ():
        if asked.created_at is not None:
            who = asked.user.id if asked.user is not None else asked_name(asked)
            what = Text.assemble("asked ", (asked_name(asked), "who"), " for a review")
            by = person_name(asked.requested_by) if asked.requested_by else ""
            found.append(HistoryEvent(f"asked {who}", asked.created_at, by, what, "rules"))
    for thread in known:
        found += _thread(thread, titles)
    # What has the same second as the beginning came after it.
    return sorted(found, key=lambda each: (each.at, each.id != BEGUN, each.id), reverse=True)


def _own(request: ChangeRequest, newest: RevisionSide | None) -> Iterator[HistoryEvent]:
    subject = shorten(shown_subject(request.subject), WORDS, glyphs().more)
    by = person_name(request.created_by) if request.created_by else ""
    began = Text.assemble((f"#{request.number} ", "muted"), "begun: ", (subject, "strong"))
    yield HistoryEvent(BEGUN, request.created_at, by, began, "overview")
    edited = newest is not None and newest.revision != request.revision_initial
    if newest is not None and newest.at is not None and edited:
        words = {"update": "updated from main", "rollback": "brought back to what it was"}
        what = Text(words.get(newest.kind, "edited"), style="changed")
        what.append(f"   revision {newest.revision[:12]}, the newest", style="muted")
        if newest.message:
            what.append(f"   {shorten(newest.message.splitlines()[0], 60, glyphs().more)}")
        yield HistoryEvent(f"revision {newest.revision}", newest.at, "", what, "changes")
    if request.status == "merged":
        what = Text("merged into main", style="good")
        if request.revision_merged:
            what.append(f"   revision {clean(request.revision_merged)[:12]}", style="muted")
        yield HistoryEvent("merged", request.updated_at, "", what, "overview", about=True)
    elif request.status == "archived":
        what = Text("archived", style="muted")
        yield HistoryEvent("archived", request.updated_at, "", what, "overview", about=True)


def _review(review: Review, at: datetime, thread: Thread | None) -> HistoryEvent:
    good = review.status == "approved"
    said = {"approved": "approved", "changes-requested": "asked for changes"}
    what = Text(said.get(review.status, clean(review.status)), style="good" if good else "bad")
    if review.outdated:
        what.append("   before the latest change", style="muted")
    words = review.comment.markdown if review.comment is not None else None
    if words:
        what.append(f"   {shorten(clean(words, limit=400), WORDS, glyphs().more)}")
    return HistoryEvent(
        f"review {review.id}",
        at,
        person_name(review.reviewer),
        what,
        "thread" if thread is not None else "rules",
        thread.id if thread is not None else None,
    )


def _thread(thread: Thread, titles: Mapping[str, str]) -> Iterator[HistoryEvent]:
    comment, name = thread.comment, thread.label
    where = f" on {titles.get(thread.page, 'a page')}" if thread.page else ""

    def row(id: str, at: datetime, who: str, *parts: str | tuple[str, str]) -> HistoryEvent:
        what = Text.assemble((f"{name} ", "muted"), *parts)
        return HistoryEvent(f"{id} {thread.id}", at, who, what, "thread", thread.id)

    by = person_name(comment.posted_by)
    words = first_words(comment, WORDS)
    if not thread.verdict:
        yield row("comment", comment.posted_at, by, (f"commented{where}", "muted"), f"   {words}")
    if comment.edited_at is not None:
        yield row("edit", comment.edited_at, by, ("edited a comment", "muted"), f"   {words}")
    if thread.replies is not None:
        for reply in thread.replies:
            said = first_words(reply, WORDS)
            who = person_name(reply.posted_by)
            yield row(f"reply {reply.id}", reply.posted_at, who, ("replied", "muted"), f"   {said}")
    else:
        # Replies are read where they are shown; here it is enough who answered, and when last.
        for replier in comment.repliers:
            if replier.updated_at is not None:
                often = f", the last of {plural(replier.count, 'reply')}"
                said = f"replied{often if replier.count > 1 else ''}   {glyphs().more}"
                who = person_name(replier.user)
                yield row(f"replies {replier.user.id}", replier.updated_at, who, (said, "muted"))
    if comment.resolved_at is not None:
        who = person_name(comment.resolved_by) if comment.resolved_by else ""
        yield row("resolve", comment.resolved_at, who, ("resolved", "good"), f"   {words}")


def listed(place: Place) -> ChangeRow | None:
    """Return the row of the request that a place is about, where a list below it has one."""
    wanted = place.target.change_request
    for screen in reversed(place.app.screen_stack):
        for rows in screen.query(VirtualList):
            source = rows.source
            at = None if wanted is None else source.index_of(wanted)
            row = None if at is None else source.row(at)
            if isinstance(row, ChangeRow):
                return row
    return None


def listed_facts(row: ChangeRow, said: str, now: datetime) -> Iterator[Fact]:
    """Yield what a list knows of a request; ``said`` is why it was not read itself."""
    yield Fact("", Text(row.subject, style="strong"))
    yield Fact("", "")
    status = Text(row.status)
    if row.outdated and row.status in ("open", "draft"):
        status.append(f"  {glyphs().outdated} out of date", style="warn")
    yield Fact("status", status)
    times = [("opened", row.created), ("changed", row.updated)]
    ages = [(word, age(at, now)) for word, at in times]
    told = "".join(f", {word} {ago}{'' if ago == 'now' else ' ago'}" for word, ago in ages)
    yield Fact("author", Text.assemble((row.author, "who"), told))
    yield Fact("", "")
    yield Fact("", Text(said, style="muted"))
    yield Fact("", Text("This is what the list said.", style="muted"))
