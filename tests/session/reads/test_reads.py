"""What each read makes of a desk, with the extensions and without: all in ``reads.json``.

The desk has requests in every state, threads that wait and threads that do not, rules and reviews.
"""

from __future__ import annotations

from typing import Any, Protocol

import httpx

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.contract.models.space import SpaceUpdate
from copydesk.domain.documents import markdown_to_document
from copydesk.domain.merge_run import RunItem
from copydesk.server.desk_writes import Editor
from copydesk.session.change_rows import ALL_PARTS, ChangeRow
from copydesk.session.listings import LISTINGS
from copydesk.session.names import Members
from copydesk.session.reads import (
    change_requests,
    impact,
    inbox,
    merge,
    merge_run,
    pages,
    review,
    spaces,
    tree,
)
from copydesk.session.reads.change_requests import Scope
from copydesk.session.reads.pages import Version
from copydesk.session.writes import merges
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.told import plain, read
from tests.world import BASE_URL, World

EXTENSIONS = (
    "/user", "/changes", "/reviews", "/requested-reviewers", "/replies", "/issues-clusters",
)  # fmt: skip
"""How the paths of extensions end that are read here."""


class Bare(httpx.AsyncBaseTransport):
    """A desk without the extensions."""

    def __init__(self, desk: told.Desk) -> None:
        self._desk = httpx.ASGITransport(desk, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        lists_spaces = path.endswith("/spaces") and "/orgs/" in path and "collections" not in path
        if path.endswith(EXTENSIONS) or "/revisions/" in path or lists_spaces:
            return httpx.Response(404, text="Not found")
        return await self._desk.handle_async_request(request)


PAGES = {
    "start": "# Start\n\nSee [the guide](guide.md) and [limits](guide/limits.md).\n",
    "guide": "# Guide\n\nHow it goes on.\n",
    "guide/limits": "# Limits\n\nFive at once.\n",
    "guide/old": "# Old\n\nRead no more.\n",
    "events": "# Events\n\nSee [limits](guide/limits.md).\n",
}


class Desk:
    """A desk with what the reads are about."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", display_name="Lee Park")
        self.mia = world.user("mia", display_name="Mia Wong\x07")
        self.box = world.collection("Docs", description="All of it")
        self.space = world.space("API", PAGES, parent=self.box)
        self.other = world.space("Blog", {"first": "# First\n"})
        self.open = world.change_request(
            self.space, edit=self._edit, subject="Limits", by=self.lee,
            description=markdown_to_document("Why it is so.").to_dict(),
        )  # fmt: skip
        self.clean = world.change_request(
            self.space, {"events": "# Events\n\nNone.\n"}, by=world.ana
        )
        self.draft = world.change_request(
            self.space, {"start": "# S\n"}, subject="", status="draft"
        )
        self.merged = world.change_request(self.other, {"first": "# One\n"}, by=self.lee)
        self.archived = world.change_request(self.other, {"first": "# Two\n"}, status="archived")
        self.mine = world.comment(
            self.space, "What of five?", by=self.lee, change_request=self.clean,
            page=self.page("events", self.clean),
        )  # fmt: skip
        world.reply(self.mine, "@Ana Silva knows", by=self.mia)
        asked = world.comment(self.space, "Is it so?", by=world.ana, change_request=self.open)
        world.reply(asked, "It is.", by=self.lee)
        world.comment(self.space, "My own word", by=world.ana, change_request=self.clean)
        self.about = world.comment(self.space, "On the space", by=world.ana)
        world.reply(self.about, "An answer", by=self.mia)

    @staticmethod
    def _edit(editor: Editor) -> None:
        editor.write(editor.find("guide/limits"), "# Limits\n\nTen at once.\n")
        editor.page("New", "# New\n\nSee [old](guide/old.md).\n", parent=editor.find("guide"))
        editor.remove(editor.find("guide/old"))
        editor.rename(editor.find("events"), "All events", "all-events")
        editor.move(editor.find("start"), editor.find("guide"))

    def page(self, path: str, request: str | None = None) -> str:
        return self.world.page_id(self.space, path, change_request=request)

    async def settle(self) -> None:
        """Have reviews, rules and a merge, and main move on."""
        world = self.world
        rules = [
            {"rule": "require_at_least_one_review"},
            {"rule": "require_specific_reviewers", "users": [self.mia]},
            {"rule": "require_up_to_date_change_request"},
            {"rule": "require_change_request_description"},
        ]
        ruled = SpaceUpdate.model_validate({"mergeRules": {"type": "rules", "rules": rules}})
        async with world.api() as api, world.api(self.lee) as lee, world.api(self.mia) as mia:
            await api(ops.merge_change_request, self.other, self.merged)
            await api(ops.update_space, self.space, ruled)
            people = ReviewersRequest(users=[world.ana, self.mia])
            await lee(ops.request_reviewers, self.space, self.open, people)
            verdict = ReviewCreate(status="approved")
            await mia(ops.create_change_request_review, self.space, self.open, verdict)
            no = ReviewCreate.model_validate(
                {"status": "changes-requested", "comment": {"markdown": "No."}}
            )
            await mia(ops.create_change_request_review, self.space, self.clean, no)
            await lee(ops.create_change_request_review, self.space, self.clean, verdict)
            done = ChangeRequestUpdate(subject="Events, none")
            await api(ops.update_change_request, self.space, self.clean, done)
        world.commit(
            self.space, {"guide": "# Guide\n\nMoved on.\n", "guide/limits": "# Limits\n\nSix.\n"}
        )
        world.settle()

    def run_item(self, request: str, **more: Any) -> RunItem:
        return RunItem(self.space, request, "#1", "Limits", **more)


async def of_requests(desk: Desk, api: Api) -> dict[str, Any]:
    found: dict[str, Any] = {}
    me, home = desk.world.ana, desk.world.home
    rows: dict[str, ChangeRow] = {}
    lists = {(each.statuses, each.who): each for each in LISTINGS}
    for listing in lists.values():
        for scope in (Scope(home), Scope(home, desk.space)):
            named = f"{listing.id} of {'a space' if scope.space else 'all'}"
            page = await change_requests.read_page(api, scope, listing, me, token=None, limit=2)
            found[f"first page, {named}"] = [[row.named for row in page[0]], *page[1:]]
            steps: list[int] = []
            whole = await change_requests.read_all(api, scope, listing, me, steps.append)
            found[f"all, {named}"] = [[row.named for row in whole], steps]
            found[f"count, {named}"] = await change_requests.read_count(api, scope, listing, me)
            rows |= {row.id: row for row in whole}
    everything = Scope(home)
    found["rows"] = [plain(row) for row in rows.values()]
    found["asked"] = await read(change_requests.read_asked(api, everything, me))
    for row in rows.values():
        details = change_requests.read_parts(api, everything, row, ALL_PARTS, me=me)
        found[f"details of {row.named}"] = await read(details)
    needing = change_requests.count_needing(api, home, me, lambda row: row.id == desk.draft)
    found["needing"] = await read(needing)
    return found


class WithRun(Protocol):
    """A desk with requests that a run merges."""

    space: str

    def run_item(self, request: str) -> RunItem:
        """Return a request as one of a run."""


async def of_one(desk: WithRun, api: Api, request: str, space: str) -> dict[str, Any]:
    opened = await review.read_request(api, space, request)
    found = {
        "opened": plain(opened),
        "texts": [[change.id, await read(review.read_page(api, opened, change))]
                  for change in opened.changes],
        "now": [await read(review.read_now(api, opened, change)) for change in opened.changes],
        "sides": await read(review.read_sides(api, opened)),
        "threads": await read(review.read_threads(api, space, request)),
        "merge": await read(merge.read_all(api, space, request)),
        "impact": await read(impact.read_impact(api, space, request, opened.changes)),
        "overlaps": await read(merges.read_overlaps(api, space, opened.request.id, None)),
    }  # fmt: skip
    rules = await merge.read_rules(api, opened.request, opened.space)
    found["why not"] = merge.why_not_mergeable(opened.request, opened.space, rules)
    if space == desk.space:
        item = desk.run_item(request)
        found["standing"] = await read(merge_run.read_standing(api, item))
        found["run"] = await read(merge_run.read_found(api, item))
    return found


async def of_spaces(desk: Desk, api: Api) -> dict[str, Any]:
    home = desk.world.home
    steps: list[int] = []
    first, count = await spaces.read_first_desk(api, None, insist=False, progress=steps.append)
    assert first is not None
    found = {
        "me": await read(spaces.read_me(api)),
        "organizations": await read(spaces.read_organizations(api)),
        "first": [plain(first), count, steps],
        "closed": await read(
            spaces.read_first_desk(api, "gone", insist=True, progress=steps.append)
        ),
        "counts": await read(spaces.read_counts(api, home)),
        "tree": await read(tree.read_tree(api, home)),
    }
    for node in first.nodes:
        if node.kind == "space":
            details = spaces.read_details(api, node, home, desk.world.ana, [desk.lee, "gone"])
            found[f"details of {node.title}"] = await read(details)
    for request in (None, desk.open):
        version = Version(desk.space, request)
        found[f"pages of {request}"] = await read(pages.read_tree(api, version))
        page = desk.page("guide/start" if request else "start", request)
        found[f"page of {request}"] = await read(pages.read_page(api, version, page, {page: "S"}))
    return found


async def of_inbox(desk: Desk, api: Api, who: str) -> dict[str, Any]:
    rows: list[Any] = []
    steps: list[list[int]] = []
    known = inbox.KnownThreads()

    def in_order() -> list[Any]:  # which comes first is a matter of which was read first
        read, rows[:] = sorted(rows, key=lambda row: str(row["id"])), []
        return read

    me = (await desk.world.api(who)(ops.get_current_user)) if who else None
    assert me is not None

    def put(row: Any, comment: Any) -> None:
        rows.append(plain(row))

    def step(ended: int, count: int) -> None:
        steps.append([ended, count])

    home, people = desk.world.home, Members()
    unread = [await inbox.read_inbox(api, home, me, people, put, step, known)]
    first = in_order()
    unread.append(await inbox.read_inbox(api, home, me, people, put, step, known, polled=True))
    return {"rows": [*first, "polled", *in_order()], "unread": unread, "last": steps[-1]}


async def test_reads_say_of_a_desk_what_they_did(world: World, update_golden: bool) -> None:
    desk = Desk(world)
    await desk.settle()
    found: dict[str, Any] = {}
    service = told.Desk(world)
    bare = Api(BASE_URL, world.token(world.ana), transport=Bare(service))
    async with service.api() as full, bare, world.api(desk.lee) as lee:
        for name, api in (("", full), ("bare: ", bare)):
            found |= {
                f"{name}{part}": each for part, each in (await of_requests(desk, api)).items()
            }
            found[f"{name}asked for requests"] = service.asked()
            found |= {f"{name}{part}": each for part, each in (await of_spaces(desk, api)).items()}
            found[f"{name}asked for spaces"] = service.asked()
            for title in ("open", "clean", "draft", "merged", "archived"):
                space = desk.other if title in ("merged", "archived") else desk.space
                found[f"{name}{title}"] = await of_one(desk, api, getattr(desk, title), space)
                found[f"{name}asked for {title}"] = service.asked()
        found["inbox"] = await of_inbox(desk, full, world.ana)
        found["asked for the inbox"] = service.asked()
        found["inbox of lee"] = await of_inbox(desk, lee, desk.lee)
        replies = review.read_replies(full, desk.space, desk.clean, [desk.mine])
        found["replies"] = await read(replies)
        found["thread"] = await read(inbox.read_thread(full, desk.space, desk.clean, desk.mine))
        found["thread of a space"] = await read(inbox.read_thread(full, desk.space, "", desk.about))
        for comment in (desk.about, "gone"):
            word = inbox.read_comment(full, desk.space, "", comment)
            found[f"comment {comment}"] = await read(word)
        found["update"] = await read(merges.update(full, desk.space, desk.open))
        found["asked for a thread"] = service.asked()
        found["merge of a draft"] = await read(merges.merge(full, desk.space, desk.draft))
        found["was merged"] = await read(merges.merged(full, desk.other, desk.merged))
    compare("reads", found, update=update_golden, folder="session/reads")
