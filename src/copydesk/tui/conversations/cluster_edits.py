"""Clusters by hand: what is done with one, with the issues in it, and with those that it lacks.

By hand beats the machine: what a person names, closes or moves stays so. ``u`` takes each back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from copydesk.domain import cluster_inverses as inverses
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.cluster_rows import ClusterRow, IssueRow
from copydesk.session.draft_keys import form_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads import clusters as reading
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.choice import Choice, Choices
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.pane import Pane, PaneActs

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.cluster import IssuesCluster, IssuesClusterUpdate
    from copydesk.contract.models.conversation import IssuesMoved
    from copydesk.tui.conversations.reader import ConversationReader
    from copydesk.tui.framework.place import Place
    from copydesk.tui.widgets.list import VirtualList

AT_ONCE = 500
"""Issues that one request moves."""

NAMED = 40
"""Characters of a name in a sentence."""

NEW, NONE = "new", "none"
"""The ids, in a choice of clusters, of one to be made and of none."""


class EditableClusters(Protocol):
    """The list of the clusters, as those who change one need it."""

    @property
    def selected(self) -> ClusterRow | None:
        """The cluster under the cursor."""

    @property
    def order(self) -> str:
        """How they are sorted."""

    def sort_by(self, order: str) -> None:
        """Show them in another order."""

    def reverse(self) -> None:
        """Turn the order round."""

    def turn_numbers(self) -> None:
        """Show the weeks as numbers, and as a chart again."""


async def cluster_options(
    place: Place, reader: ConversationReader, but: str = ""
) -> Sequence[Option] | None:
    """Return all clusters to choose from, those with the most issues first; None if stopped."""
    organization = reader.organization or ""

    async def read() -> list[ClusterRow]:
        return await reading.read_all(await place.session.ready(), organization, "issues")

    found = await place.reads.now("all clusters", read, "Reading clusters")
    if found is None:
        return None
    return [
        Option(row.id, shorten(reader.shown(row.label), 80), plural(row.issues, "issue"))
        for row in found
        if row.closed is None and row.id != but
    ]


def no_cluster(keys: ClusterKeys) -> str | None:
    """Say so when the cursor is on no cluster."""
    return None if keys.rows.selected is not None else "No cluster selected."


def is_closed(keys: ClusterKeys) -> str | None:
    """Say so when the cluster is closed."""
    row = keys.rows.selected
    return "The cluster is closed: x opens it again." if row is not None and row.closed else None


def is_masked(keys: ClusterKeys) -> str | None:
    """Say so where what would be edited is masked: it would be sent as it shows."""
    row = keys.rows.selected
    if row is None or keys.reader.shown(row.label + row.summary) == row.label + row.summary:
        return None
    return "The cluster holds an e-mail address or a phone number: V shows it, then e edits it."


def nothing_suggested(keys: ClusterKeys) -> str | None:
    """Say so when no issue in no cluster looks like those of the cluster."""
    row = keys.rows.selected
    if row is None or row.suggestions:
        return None
    return "No unclustered issue looks like these."


def suggested_label(keys: ClusterKeys) -> str:
    """Return how many more look like the issues of the cluster."""
    row = keys.rows.selected
    return f"{row.suggestions} alike" if row is not None and row.suggestions else ""


def close_label(keys: ClusterKeys) -> str:
    """Return the label of x by what it does now."""
    row = keys.rows.selected
    return "" if row is None else "open again" if row.closed else "close"


class ClusterKeys(PaneActs, scope="cluster_list"):
    """What is done with the list of clusters, and with the one under the cursor."""

    def __init__(
        self,
        pane: Pane,
        rows: EditableClusters,
        place: Place,
        reader: ConversationReader,
        orders: Callable[[], Mapping[str, str]],
        suggested: Callable[[], None],
        written: Callable[[str], None],
    ) -> None:
        """Take the list as a ``pane`` and as ``rows``; ``orders`` returns their titles by name.

        ``suggested`` shows what looks alike, ``written`` what became of a cluster, if it is there.
        """
        super().__init__(pane)
        self.rows, self.place, self.reader = rows, place, reader
        self._orders = orders
        self._suggested, self._written = suggested, written

    def _named(self, row: ClusterRow) -> str:
        return shorten(self.reader.shown(row.label), NAMED)

    @action("s", "sort", unless=no_cluster, show=18, group="Look")
    async def sort(self) -> None:
        """Sort by issues, conversations or changes, or by trend, age or name, from all of them."""
        options = [Option(name, title) for name, title in self._orders().items()]
        chosen = await self.place.desk.push_screen_wait(
            Choice("Sort clusters by", options, current=self.rows.order)
        )
        if chosen:
            self.rows.sort_by(chosen)

    @action("S", "reverse sort", unless=no_cluster, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self.rows.reverse()

    @action("#", "numbers", unless=no_cluster, show=11, group="Look")
    def numbers(self) -> None:
        """Show the weeks as numbers, and as a chart again."""
        self.rows.turn_numbers()

    @action(
        "A", "alike", word="alike", unless=(no_cluster, nothing_suggested), show=18, group="Look",
        uses="list_cluster_suggestions", now=suggested_label,
    )  # fmt: skip
    def show_suggested(self) -> None:
        """Show the issues that look like those of the cluster: a takes one, x refuses it."""
        self._suggested()

    @action(
        "e", "edit", unless=(no_cluster, is_masked), danger=1, show=17, group="Change",
        uses="update_issues_cluster", types=True, takes="none",
        now=lambda keys: "" if no_cluster(keys) else "edit",
    )  # fmt: skip
    async def edit(self) -> None:
        """Give the cluster another name or summary. What a person wrote, no machine changes."""
        from copydesk.contract.models.cluster import IssuesClusterUpdate

        row, organization = self.rows.selected, self.reader.organization
        if row is None or organization is None:
            return
        key = form_key("clusters", self.place.target, "edit", row.id)
        current = {"label": row.label, "summary": row.summary}

        async def send(body: IssuesClusterUpdate) -> None:
            after = body.to_dict()
            before = {name: current[name] for name in after}
            await self._update(organization, row, "Edit cluster", body, before, after, draft=key)

        form = body_form(
            IssuesClusterUpdate,
            title=f"Edit {self._named(row)}",
            draft_key=key,
            send=send,
            current=current,
            only=("label", "summary"),
            labels={"label": "Name", "summary": "Summary"},
            lines={"summary": 6},
        )
        if await self.place.desk.push_screen_wait(form):
            self._written(row.id)

    @action(
        "x", "close/open", unless=no_cluster, danger=1, show=16, group="Change",
        uses="update_issues_cluster", now=close_label, takes="none",
    )  # fmt: skip
    async def close(self) -> None:
        """Close the cluster: it keeps its issues, takes no new ones and leaves the list; or open
        one again that was closed. u undoes it.
        """
        from copydesk.contract.models.cluster import IssuesClusterUpdate

        row, organization = self.rows.selected, self.reader.organization
        if row is None or organization is None:
            return
        closed = row.closed is None
        what = "Close cluster" if closed else "Open cluster again"
        body = IssuesClusterUpdate(closed=closed)
        before, after = {"closed": not closed}, {"closed": closed}
        await self._update(organization, row, what, body, before, after)
        said = "Closed {}. u opens it again." if closed else "Opened {} again."
        self.place.tell(said.format(self._named(row)), "good")
        self._written("")

    async def _update(
        self,
        organization: str,
        row: ClusterRow,
        what: str,
        body: IssuesClusterUpdate,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        *,
        draft: str = "",
    ) -> None:
        await self.place.writer.perform(
            what,
            self._named(row),
            lambda api: api(ops.update_issues_cluster, organization, row.id, body),
            reversal=inverses.cluster_changed(organization, row.id, before, after),
            draft=draft,
        )

    @action(
        "m", "join", unless=(no_cluster, is_closed), danger=2, show=15, group="Change",
        uses=("join_issues_clusters", "list_issues_clusters"), types=True, takes="none",
        now=lambda keys: "" if no_cluster(keys) or is_closed(keys) else "join",
    )  # fmt: skip
    async def join(self) -> None:
        """Put the issues of other clusters into this one, with their change requests. u parts them.

        The others end. The name and the summary of this one stay.
        """
        from copydesk.contract.models.cluster import ClusterJoin

        row, organization = self.rows.selected, self.reader.organization
        if row is None or organization is None:
            return
        options = await cluster_options(self.place, self.reader, but=row.id)
        if options is None:
            return
        if not options:
            self.place.say("There is no other cluster.", "warn")
            return
        name = self._named(row)
        others = await self.place.desk.push_screen_wait(Choices(f"Which join “{name}”?", options))
        if not others:
            return
        chosen = [each for each in options if each.id in others]
        facts = [f"{each.title} ({each.note})" for each in chosen]
        sheet = Confirm(
            f"Join {plural(len(chosen), 'cluster')} with {name}",
            [
                *facts,
                "Its issues and change requests come into it, and it ends."
                if len(chosen) == 1
                else "Their issues and change requests come into it, and they end.",
            ],
            verb="join",
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return
        ids = [each.id for each in chosen]
        body = ClusterJoin(clusters=ids)
        await self.place.writer.perform(
            "Join clusters",
            name,
            lambda api: api(ops.join_issues_clusters, organization, row.id, body),
            reversal=inverses.clusters_joined(organization, row.id, ids),
        )
        self.place.tell(
            f"Joined {plural(len(ids), 'cluster')} with “{name}”. u parts them.", "good"
        )
        self._written(row.id)

    @action(
        "D", "delete", unless=no_cluster, danger=2, show=8, group="Change",
        uses="delete_issues_cluster", takes="none",
        now=lambda keys: "" if no_cluster(keys) else "delete",
    )  # fmt: skip
    async def delete(self) -> None:
        """Delete the cluster, after asking. Its issues stay, in no cluster. u brings it back."""
        row, organization = self.rows.selected, self.reader.organization
        if row is None or organization is None:
            return
        name = self._named(row)
        sheet = Confirm(
            f"Delete {name}",
            [
                "Its issue stays, in no cluster."
                if row.issues == 1
                else f"Its {row.issues} issues stay, in no cluster.",
                "Its change requests stay, and answer no cluster.",
            ],
            verb="delete",
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return
        await self.place.writer.perform(
            "Delete cluster",
            name,
            lambda api: api(ops.delete_issues_cluster, organization, row.id),
            reversal=inverses.cluster_deleted(organization, row.id),
        )
        self.place.tell(f"Deleted “{name}”. u brings it back.", "good")
        self._written("")


# Issues


def no_issue(keys: IssueKeys) -> str | None:
    """Say so when neither an issue is marked nor the cursor on one."""
    if keys.rows.marks or keys.rows.selected is not None:
        return None
    return "No issue selected."


def too_many(keys: IssueKeys) -> str | None:
    """Say so when more are marked than one request moves."""
    if len(keys.rows.marks) <= AT_ONCE:
        return None
    return f"{len(keys.rows.marks)} are marked; {AT_ONCE} at most are moved at once."


def not_suggested(keys: IssueKeys) -> str | None:
    """Say so where the issues that are shown are not suggested for a cluster."""
    return None if keys.suggested_for() else "Only of issues that look alike: A shows those."


class IssueKeys(PaneActs, scope="conversation_list"):
    """What is done with the marked issues of a list, or the one under the cursor."""

    def __init__(
        self,
        rows: VirtualList[IssueRow],
        place: Place,
        reader: ConversationReader,
        written: Callable[[str], None],
        suggested_for: Callable[[], str] = str,
    ) -> None:
        """Take the list. ``written`` shows what became of it, and the cluster that was made ("").

        ``suggested_for`` gives the cluster that the issues look like, where they are suggestions.
        """
        super().__init__(rows)
        self.rows, self.place, self.reader = rows, place, reader
        self.suggested_for = suggested_for
        self._written = written

    @action(
        "m", "move", unless=(no_issue, too_many), danger=1, show=8, group="Change",
        uses=("move_conversation_issues", "list_issues_clusters"), types=True, takes="marked",
    )  # fmt: skip
    async def move(self) -> None:
        """Move the marked issues, or this one, to a cluster, to a new one, or out of theirs."""
        chosen = self.rows.chosen()
        options = await cluster_options(self.place, self.reader)
        if options is None or not chosen:
            return
        cluster = await self.place.desk.push_screen_wait(
            Choice(
                f"Move {plural(len(chosen), 'issue')} to",
                [Option(NEW, "a new cluster…"), *options, Option(NONE, "no cluster")],
                before_text=True,
            )
        )
        if not cluster:
            return
        if cluster == NEW:
            await self._make(chosen)
            return
        name = next((each.title for each in options if each.id == cluster), "no cluster")
        await self.put(chosen, "" if cluster == NONE else cluster, shorten(name, NAMED))

    async def put(self, chosen: Sequence[IssueRow], cluster: str, name: str) -> None:
        """Move issues into a cluster, or into none, and say so."""
        from copydesk.contract.models.conversation import IssueMove

        organization = self.reader.organization or ""
        body = IssueMove(issues=[row.id for row in chosen], cluster=cluster or None)

        async def send(api: Api) -> IssuesMoved:
            return await api(ops.move_conversation_issues, organization, body)

        many = plural(len(chosen), "issue")
        await self.place.writer.perform(
            "Move issues",
            f"{many} to {name}",
            send,
            reversal=inverses.issues_moved(
                organization, {row.id: row.cluster for row in chosen}, cluster
            ),
        )
        self.rows.set_marks(())
        self.place.tell(f"Moved {many} to “{name}”. u moves them back.", "good")
        self._written("")

    @action(
        "c", "new cluster", unless=(no_issue, too_many), danger=1, show=7, group="Change",
        word="new_cluster", uses="create_issues_cluster", types=True, takes="marked",
    )  # fmt: skip
    async def make(self) -> None:
        """Make a cluster of the marked issues, or of this one: out of another, that splits it."""
        await self._make(self.rows.chosen())

    async def _make(self, chosen: Sequence[IssueRow]) -> None:
        from copydesk.contract.models.cluster import IssuesClusterCreate

        organization = self.reader.organization or ""
        if not chosen:
            return
        key = form_key("clusters", self.place.target, "make", chosen[0].id)
        made: list[IssuesCluster] = []
        many = plural(len(chosen), "issue")

        async def send(values: Mapping[str, str]) -> None:
            body = IssuesClusterCreate(label=values["label"], issues=[row.id for row in chosen])
            if values["summary"]:
                body.summary = values["summary"]
            made[:] = [
                await make_cluster(
                    self.place, organization, body, {row.id: row.cluster for row in chosen}, key
                )
            ]

        form = Form(
            f"New cluster of {many}",
            [
                Field("label", "Name", shorten(self.reader.shown(chosen[0].title), 120), _unnamed),
                Field("summary", "Summary", "", lines=4),
            ],
            draft_key=key,
            facts=[self.reader.shown(row.title) for row in chosen[:5]],
            verb="make it",
            new=True,
            send=send,
        )
        if not await self.place.desk.push_screen_wait(form):
            return
        [cluster] = made
        self.rows.set_marks(())
        name = shorten(self.reader.shown(clean(cluster.label)), NAMED)
        self.place.tell(f"Made “{name}” of {many}. u puts them back.", "good")
        self._written(cluster.id)

    # Suggestions

    @action(
        "a", "take", unless=(no_issue, not_suggested, too_many), danger=1, show=25, group="Change",
        uses="move_conversation_issues", takes="marked",
        now=lambda keys: "take" if keys.suggested_for() else "",
    )  # fmt: skip
    async def take(self) -> None:
        """Take the marked suggestions, or this one, into the cluster (* marks all of them)."""
        await self.put(self.rows.chosen(), self.suggested_for(), "the cluster they look like")

    @action(
        "x", "refuse", unless=(no_issue, not_suggested, too_many), danger=1, show=24,
        group="Change", uses="move_conversation_issues", takes="marked",
        now=lambda keys: "refuse" if keys.suggested_for() else "",
    )  # fmt: skip
    async def refuse(self) -> None:
        """Refuse the marked suggestions, or this one: they stay in no cluster, and are not
        suggested again.
        """
        await self.put(self.rows.chosen(), "", "no cluster, for good")


async def make_cluster(
    place: Place,
    organization: str,
    body: Any,
    before: Mapping[str, str],
    draft: str = "",
    group: str = "",
) -> IssuesCluster:
    """Make a cluster of issues, whose clusters ``before`` are given. Raises ``WriteError``."""

    async def send(api: Api) -> IssuesCluster:
        return await api(ops.create_issues_cluster, organization, body)

    made: IssuesCluster = await place.writer.perform(
        "Make cluster",
        shorten(clean(body.label), NAMED),
        send,
        reversal=lambda made: inverses.cluster_made(organization, made.id, made.label, before),
        draft=draft,
        group=group,
    )
    return made


def _unnamed(text: str) -> str | None:
    """Return what is wrong with the name of a cluster."""
    if not text.strip():
        return "give it a name"
    return "120 characters at most" if len(text) > 120 else None
