"""What reads make of published sites and of clusters: all in ``site_reads.json``.

One site has redirects of every kind, conditions and share links, others are closed or empty; one
reader may change sites, others may only look.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import ApiError, Forbidden, Invalid, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.redirect import SiteRedirectCreate
from copydesk.domain.plain_documents import document_text
from copydesk.server import conversation_writes
from copydesk.server import site_writes as seed
from copydesk.server.desk_writes import Editor
from copydesk.server.store import Tx
from copydesk.session.errors import NotDoneError
from copydesk.session.reads import (
    addresses,
    clusters,
    history,
    organization,
    redirects,
    reusable,
    site_readers,
    sites,
    tree,
    visitor_schema,
)
from copydesk.session.reads.site_readers import Audience
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.told import plain, read
from tests.tui.strange import strange
from tests.world import BASE_URL, START, World

NOTE = ".gitbook/includes/note.md"

SCHEMA = {
    "type": "object",
    "properties": {
        "staff": {"type": "boolean", "description": "Works\x1b[2J here"},
        "plan": {"type": "string", "enum": ["free", "paid"]},
        "unsigned": {"type": "object", "properties": {"beta": {"type": "boolean"}}},
    },
}


def _include(editor: Editor) -> None:
    shown = '{% include "../.gitbook/includes/note.md" %}\n'
    editor.page("Guide", f"# Guide\n\n{shown}", git_path="docs/guide.md")
    editor.page("Deep\x07", f"# It\n\n{shown}", parent=editor.find("guide"), git_path="docs/it.md")
    editor.page("Else", '{% include "gone.md" %}\n', git_path="docs/else.md")
    editor.file(NOTE, b"---\ntitle: A note\n---\nMind the *gap*.\n", kind="source")
    editor.file(".gitbook/includes/b.md", b"No one shows this.\n", kind="source")


def _note(editor: Editor) -> None:
    editor.file(NOTE, b"Mind the gaps.\n", kind="source")


class Sites:
    """A desk with what the reads are about."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", "read", display_name="Lee\x07 Park")
        self.zoe = world.user("zoe", "create")
        self.guest = world.user("guest", None)
        self.team = world.team("Writers", self.lee)
        self.guide = world.space("Guide")
        world.commit(self.guide, edit=_include)
        self.old = world.space("Old\x07", {"a": "A."})
        self.fees = world.space("Fees", {"a": "# A\n", "b": "# B\n"})
        self.ids: dict[str, str] = {}
        self.site = world.write(self._site)
        self.closed = world.write(self._closed)
        world.write(lambda tx: tx.update("space", self.old, deleted_at=tx.now))
        self.labels = world.write(self._talks)

    def _site(self, tx: Tx) -> str:
        home, ids = self.world.home, self.ids
        site = seed.add_site(
            tx, home, "Docs\x07", hostname="docs.acme.test", published=True, adaptive_schema=SCHEMA
        )
        group = seed.add_section_group(tx, site, "Products")
        for title, spaces, more in (
            ("Guides", (self.guide, self.old), {}),
            ("Legal", (self.fees, self.guide), {"condition": "visitor.claims.staff == true"}),
            ("API", (self.fees,), {"group": group, "condition": "visitor.claims.unsigned.gone"}),
        ):
            ids[title] = seed.add_section(tx, site, title, **more)
            for space in spaces:
                ids[f"{title}/{space}"] = seed.add_site_space(
                    tx, site, space, section=ids[title], hidden=title == "API"
                )
        ids["link"] = seed.add_share_link(tx, site, "Bank\x07")
        return site

    def _closed(self, tx: Tx) -> str:
        site = seed.add_site(
            tx, self.world.home, "Closed", hostname="x.acme.test", basename="in",
            visibility="share-link", published=True,
        )  # fmt: skip
        seed.add_site_space(tx, site, self.fees)
        seed.add_site_space(tx, site, self.guide)
        self.ids["open"] = seed.add_share_link(tx, site, "Bank")
        self.ids["off"] = seed.add_share_link(tx, site, "", active=False)
        self.ids["empty"] = seed.add_site(tx, self.world.home, "Empty", visibility="share-link")
        return site

    def _talks(self, tx: Tx) -> list[str]:
        home = self.world.home
        labels = ["OAuth fails", "Bills for kim@example.org", "Nothing\x07"]
        made = [
            conversation_writes.add_cluster(tx, home, each, summary=f"On {each}") for each in labels
        ]
        for nth in range(5):
            when = START - timedelta(days=9 * nth)
            talk = conversation_writes.add_conversation(
                tx, home, [("user", f"Words {nth}")], source=("intercom", "email")[nth % 2],
                subject=f"Ticket {nth}", source_url=f"https://talk.test/{nth}", created_at=when,
            )  # fmt: skip
            conversation_writes.add_issue(
                tx, home, talk, f"Issue {nth}\x07", summary="It fails.",
                cluster_id=None if nth == 4 else made[nth // 3], created_at=when,
            )  # fmt: skip
        return made

    def key(self, link: str) -> str:
        return str(self.world.row("share_link", self.ids[link])["key"])

    async def redirect(self, source: str, destination: dict[str, Any], **more: Any) -> None:
        made = {"source": source, "destination": destination, **more}
        body = SiteRedirectCreate.model_validate(made)
        async with self.world.api() as api:
            await api(ops.create_site_redirect, self.world.home, self.site, body)

    async def lead(self) -> None:
        """Make redirects to everything that one can lead to."""
        ids, page = self.ids, self.world.page_id(self.fees, "b")
        section = {"kind": "site-section", "siteSectionId": ids["Legal"]}
        shown = {"kind": "site-space", "siteSpaceId": ids[f"Legal/{self.guide}"]}
        gone = {"kind": "site-space", "siteSpaceId": ids[f"Guides/{self.old}"]}
        of_page = {"kind": "site-page", "siteSpaceId": ids[f"Legal/{self.fees}"], "pageId": page}
        away = {"kind": "external", "url": "https://films.example/x"}
        await self.redirect("/law/*", section, captureWildcard=True, permanent=True)
        await self.redirect("/to-guide", shown)
        await self.redirect("/to-gone", gone)
        await self.redirect("/to-page", of_page)
        await self.redirect("/to-none", {**of_page, "pageId": self.world.page_id(self.fees, "a")})
        self.world.commit(self.fees, {"a": None})
        await self.redirect("/away", away)
        await self.redirect("/legal", away)
        chain = {"kind": "external", "url": "https://docs.acme.test/away"}
        await self.redirect("/chain", chain)
        await self.redirect("/round", {"kind": "external", "url": "https://docs.acme.test/chain"})
        await self.redirect("/later", away, draft=True)


class Fewer(httpx.AsyncBaseTransport):
    """A desk that has no redirects, no single clusters and no totals."""

    def __init__(self, desk: told.Desk) -> None:
        self._desk = httpx.ASGITransport(desk, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if "/redirect" in path or "/issues-clusters/" in path or "/revisions/" in path:
            return httpx.Response(404, text="Not found")
        answer = await self._desk.handle_async_request(request)
        if "page" not in request.url.params and "conversationsIssuesCluster" in str(request.url):
            await answer.aread()
            body = {k: v for k, v in answer.json().items() if k != "count"}
            return httpx.Response(answer.status_code, json=body)
        return answer


async def worded(said: Any) -> Any:
    """Return a read that refuses with a sentence as that sentence."""
    try:
        return plain(await said)
    except ValueError as error:
        return f"refused: {error}"


async def way_said(*given: Any) -> str:
    """Return where a path leads, as a sentence."""
    return (await redirects.find_way(*given)).said


async def of_redirects(desk: Sites, api: Api, me: str | None) -> dict[str, Any]:
    ids = desk.world.home, desk.site
    found = await redirects.read_redirects(api, ids, me)
    rows = [plain(row) for row in found.rows]
    paths = found.paths
    return {
        "rows": rows,
        "refused": found.refused,
        "missing": found.missing,
        "paths": paths.of,
        "titles": paths.titles(),
        "means": {
            text: await worded(paths.destination(text))
            for text in (
                "/", "/guides/", "/legal/guide", "/legal/b", "/guides/guide/deep", "/legal/none",
                "https://docs.acme.test/legal?x#y", "https://docs.acme.test/none", "ftp://x",
                "https://films.example/", "nothing", "/api/old", "/old",
            )
        },
        "leads": {
            text: await worded(way_said(api, ids, paths, text))
            for text in (
                "/", "/law", "/law/x/", "/legal", "/to-guide#x", "/to-gone", "/to-page?y",
                "/away", "/chain", "/round", "/later", "/none", "/bad path", "/legal/guide",
            )
        },
    }  # fmt: skip


async def of_readers(desk: Sites, api: Api) -> dict[str, Any]:
    home, found = desk.world.home, {}
    for name, key in (("docs", desk.site), ("closed", desk.closed), ("empty", desk.ids["empty"])):
        site = await api(ops.get_site, home, key)
        for who, audience in (
            ("all", Audience()),
            ("a link", Audience(link=desk.ids["open" if name == "closed" else "link"])),
            ("one off", Audience(link=desk.ids["off"])),
            ("one gone", Audience(link="gone")),
            ("a key", Audience(key=desk.key("open"))),
            ("a wrong key", Audience(key="nonsense")),
        ):
            found[f"{name} by {who}"] = await read(site_readers.read_as(api, home, site, audience))
    return found


async def test_what_readers_do_not_get_is_called_by_its_title(world: World) -> None:
    old = world.space("Old")

    def write(tx: Tx) -> str:
        site = seed.add_site(tx, world.home, "Docs", hostname="docs.test", published=True)
        group = seed.add_section_group(tx, site, "Attic")
        section = seed.add_section(tx, site, "Past", group=group)
        seed.add_site_space(tx, site, old, section=section)
        tx.update("space", old, deleted_at=tx.now)
        return site

    def odd(answer: Any) -> None:
        answer["structure"] = {"type": "carousel", "structure": []}

    site = world.write(write)
    async with world.api() as api, strange(world, "/published", odd) as newer:
        row = await api(ops.get_site, world.home, site)
        found = await site_readers.read_as(api, world.home, row, Audience())
        assert [(each.node.title, each.standing) for each in found.tree] == [("Attic", "empty")]
        # Of a layout that is not known nobody can say what is left out.
        found = await site_readers.read_as(newer, world.home, row, Audience())
        assert (found.tree, found.said) == ((), site_readers.layout("carousel"))


async def of_sites(desk: Sites, api: Api, me: str | None) -> dict[str, Any]:
    home = desk.world.home
    known: list[Any] = []
    site = sites.read_site(api, home, desk.site, me, known=lambda row: known.append(plain(row)))
    schema = visitor_schema.read_schema(api, home, await api(ops.get_site, home, desk.site), "No.")
    return {
        "site": await read(site),
        "known": known,
        "only": await read(none_or(sites.read_only_site(api, home))),
        "conditions": await read(sites.read_conditions(api, home, desk.site)),
        "links": await read(sites.list_links(api, home, desk.closed)),
        "schema": await read(schema),
        "showing": await read(tree.sites_showing(api, home, desk.fees)),
        "people": await read(organization.people_offered(api, home, {desk.zoe})),
        "teams": await read(organization.teams_offered(api, home)),
    }


async def none_or(reading: Any) -> str:
    return "none" if await reading is None else "one"


async def of_addresses(desk: Sites, api: Api) -> dict[str, Any]:
    docs = "https://docs.acme.test"
    told = {
        url: await read(published(api, url))
        for url in (
            docs, f"{docs}/", f"HTTP{docs[5:]}/legal/guide/x?y#z", f"{docs}/guides/guide/deep",
            f"{docs}/legal", f"{docs}/legalese", "https://x.acme.test/in", "https://x.acme.test/in/a",
            "https://x.acme.test/guide/deep", "https://x.acme.test/in/guide", "https://x.acme.test",
            "https://nobody.test/x",
        )
    }  # fmt: skip
    home = "https://app.acme.test/o/home"
    for url in (
        home, f"{home}/s/sp", f"{home}/s/sp/page", f"{home}/s/sp/~/changes/7/", f"{home}/c/co",
        f"{home}/sites/site_x", f"{home}/integrations/x", "https://app.acme.test/x", "words",
    ):  # fmt: skip
        told[f"pointed {url}"] = plain(addresses.pointed(url) or "nowhere")
        told[f"is {url}"] = addresses.is_address(url)
    told |= {f"is {text}": addresses.is_address(text) for text in (f" {docs} ", f"a {docs}", "a/b")}
    told["none"] = addresses.no_address("https://" + "x" * 99 + "\x07")
    return told


async def published(api: Api, url: str) -> Any:
    return await addresses.published(api, url) or "nowhere"


async def of_clusters(desk: Sites, api: Api, requests: Sequence[str]) -> dict[str, Any]:
    home, labels = desk.world.home, desk.labels
    counts: dict[str, str] = {}
    await clusters.count_requests(api, home, labels, counts.__setitem__)
    opened = [await api(ops.get_change_request, desk.fees, each) for each in requests]
    found = {
        "first": await read(clusters.read_page(api, home, "issues", None, 2)),
        "backwards": await read(clusters.read_page(api, home, "issues", None, 2, backwards=True)),
        "all": await read(clusters.read_all(api, home, "updatedAt")),
        "labels": [await clusters.read_label(api, home, each) for each in (*labels, "gone")],
        "issues": await read(clusters.read_issues(api, home, None, 3)),
        "of one": await read(clusters.read_issues(api, home, None, 9, cluster=labels[1])),
        "counts": counts,
        "ready": await read(clusters.read_readiness(api, opened, ())),
        "stuck": await read(clusters.read_readiness(api, opened, stuck(desk, opened))),
        "merges": await read(clusters.read_merges(api, home, START - timedelta(days=1))),
        "merges later": await read(clusters.read_merges(api, home, START + timedelta(days=1))),
        "drafts": await read(clusters.count_drafts(api, home)),
        "analysed": await read(clusters.count_analysed(api, home)),
        "taken": await read(clusters.find_taken(api, home)),
        "taken of so many": await read(clusters.find_taken(api, home, 0)),
        "linkable": await read(clusters.read_linkable(api, home)),
        "names": await read(clusters.read_names(api, home)),
        "suggested": await read(clusters.read_suggestions(api, home, labels[0], None, 1)),
        "every issue": await read(clusters.read_every_issue(api, home)),
        "issues since": await read(clusters.read_every_issue(api, home, START - timedelta(days=9))),
        "every conversation": await read(clusters.read_every_conversation(api, home)),
        "conversations since": await read(
            clusters.read_every_conversation(api, home, START - timedelta(days=9), "intercom")
        ),
        "analysis": await read(clusters.read_analysis(api, home)),
    }
    for limit in (None, 1):
        listed = await clusters.find_requests(api, home, labels[0], limit)
        found[f"requests {limit}"] = [
            [each.number for each in listed.requests], listed.opened, listed.more
        ]  # fmt: skip
    return found


def stuck(desk: Sites, opened: Sequence[ChangeRequest]) -> set[tuple[str, str, str]]:
    space = str(desk.world.row("space", desk.fees)["revision_id"])
    return {(each.id, each.revision, space) for each in opened}


async def of_parts(desk: Sites, api: Api, request: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for of in (None, request):
        parts = await reusable.read_parts(api, desk.guide, of)
        steps: dict[int, int] = {}
        uses = reusable.read_uses(api, desk.guide, of, parts, steps.__setitem__)
        found[f"uses of {of}"] = [[each.title for each in parts], await read(uses), steps]
        found[f"text of {of}"] = [
            (await reusable.read_part(api, desk.guide, of, each.id)).markdown for each in parts
        ]
    return found


async def of_history(desk: Sites, api: Api) -> dict[str, Any]:
    page = desk.world.page_id(desk.guide, "guide")
    try:
        first = await history.read_revisions(api, desk.guide, None, 2)
        assert first.next is not None
        rest = await history.read_revisions(api, desk.guide, first.next.page, 10)
        of_page = await history.read_revisions(api, desk.guide, None, 10, page)
    except NotDoneError as error:
        return {"refused": str(error)}
    rows = [*first.items, *rest.items]
    found = {
        "rows": [plain(row) for row in rows],
        "of a page": [row.id for row in of_page.items],
        "ends": rest.next is None,
    }
    found["not there"] = await read(history.read_comparison(api, desk.guide, None, "gone"))
    found["blame"] = await read(history.read_blame(api, desk.guide, page))
    found["blame then"] = await read(history.read_blame(api, desk.guide, page, rows[1].id))
    newer = [("# Guide\n\nMoved on.\n\nMine.\n", history.MINE)]
    found["blame of mine"] = await read(history.read_blame(api, desk.guide, page, newer=newer))
    found["blame of a new one"] = await read(
        history.read_blame(api, desk.guide, "new", newer=newer)
    )
    found["blame of none"] = await read(history.read_blame(api, desk.guide, "new"))
    steps = []
    reading = history.BlameReading(desk.guide, page)
    for most in (1, 2, 9):
        await reading.read_on(api, most)
        steps.append([reading.read, reading.goes_on, plain(reading.rows())])
    found["blame by and by"] = steps
    for before, after in ((rows[-1].id, rows[0].id), (None, rows[-1].id)):
        compared = await history.read_comparison(api, desk.guide, before, after)
        found[f"from {before}"] = plain(compared)
        found[f"texts from {before}"] = [
            await read(history.read_compared(api, compared, each)) for each in compared.changes
        ]
    return found


async def test_reads_of_sites_and_clusters_say_what_they_did(
    world: World, update_golden: bool
) -> None:
    desk = Sites(world)
    await desk.lead()
    edits: dict[str, Any] = {"b": "# B\n\nMore.\n"}
    first, second, _ = desk.labels
    made = [
        world.change_request(desk.fees, edits, subject=subject, cluster=label, status=status)
        for subject, label, status in (
            ("One", first, "open"), ("Two", first, "open"), ("Idea", second, "draft"),
            ("Done", second, "open"),
        )
    ]  # fmt: skip
    noted = world.change_request(desk.guide, edit=_note)
    found: dict[str, Any] = {}
    service = told.Desk(world)
    fewer = Api(BASE_URL, world.token(world.ana), transport=Fewer(service))
    async with service.api() as full, fewer, world.api(desk.lee) as lee, world.api(desk.zoe) as zoe:
        await full(ops.merge_change_request, desk.fees, made[-1])
        begun = await clusters.begin_request(full, desk.fees, second, "Begun", "Why.")
        found["begun"] = [
            begun.subject, begun.conversations_issues_cluster, document_text(begun.description)
        ]  # fmt: skip
        plainly = await clusters.begin_request(full, desk.fees, "", "Plain", "")
        found["begun plainly"] = [plainly.conversations_issues_cluster, plainly.description]
        found["parts"] = await of_parts(desk, full, noted)
        found["asked for parts"] = service.asked()
        await full(ops.merge_change_request, desk.guide, noted)
        world.commit(desk.guide, {"guide": "# Guide\n\nMoved on.\n", "else": None})
        for name, api, me in (
            ("", full, world.ana), ("fewer: ", fewer, None), ("lee: ", lee, desk.lee),
            ("zoe: ", zoe, desk.zoe),
        ):  # fmt: skip
            found[f"{name}rights"] = await read(sites.read_rights(api, world.home, me))
            if name in ("", "fewer: "):
                found[f"{name}clusters"] = await of_clusters(desk, api, made)
                found[f"{name}asked for clusters"] = service.asked()
                found[f"{name}history"] = await of_history(desk, api)
                found[f"{name}asked for history"] = service.asked()
        found["sites"] = await of_sites(desk, full, world.ana)
        found["asked for sites"] = service.asked()
        found["readers"] = await of_readers(desk, full)
        found["asked for readers"] = service.asked()
        lees = await of_readers(desk, lee)
        found["readers as lee"] = {
            who: each["said"] for who, each in lees.items() if "said" in each
        }
        found["redirects"] = await of_redirects(desk, full, world.ana)
        found["asked for redirects"] = service.asked()
        none = await redirects.read_redirects(fewer, (world.home, desk.site), desk.lee)
        found["no redirects"] = [none.missing, none.refused, plain(none.rows)]
        service.asked()
        found["addresses"] = await of_addresses(desk, full)
        found["asked for addresses"] = service.asked()
    compare("site_reads", found, update=update_golden, folder="session/reads")


async def test_a_key_that_the_service_quotes_is_in_no_error(world: World) -> None:
    home = world.home
    site = world.write(lambda tx: seed.add_site(tx, home, "Docs", published=True))
    through = httpx.ASGITransport(world.app)

    async def answer(request: httpx.Request) -> httpx.Response:
        if key := request.url.params.get("shareKey"):
            said = {"error": {"code": 409, "message": f"{key} is held"}}
            return httpx.Response(409, json=said, request=request)
        return await through.handle_async_request(request)

    token = world.token(world.ana)
    async with Api(BASE_URL, token, transport=httpx.MockTransport(answer)) as api:
        row = await api(ops.get_site, home, site)
        with pytest.raises(ApiError) as caught:
            await site_readers.read_as(api, home, row, Audience(key="s3cret"))
    assert "is held" in str(caught.value)
    assert "s3cret" not in f"{caught.value!r} {caught.value} {vars(caught.value)}"


@pytest.mark.parametrize(
    ("permissions", "role", "rights"),
    [
        ({"view": True, "create": True, "admin": False}, None, sites.rights_of("create")),
        ({"create": True, "admin": True}, "read", sites.ANY),
        ({"view": True}, "create", sites.rights_of("read")),
        ({"view": True}, "comment", sites.rights_of("comment")),
        (None, "read", sites.rights_of("create")),
    ],
)
async def test_rights_on_a_site_are_those_that_its_service_tells(
    permissions: dict[str, bool] | None, role: str | None, rights: sites.Rights
) -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        people = {"id": "n"}, {"id": "m", "displayName": "Mo"}
        if "/members/" in request.url.path:
            return httpx.Response(200, json={"id": "m", "role": role, "user": people[1]})
        if "/permissions" in request.url.path:
            items = [
                {"user": user, "permission": given}
                for user, given in zip(people, ("admin", "create"), strict=True)
            ]
            return httpx.Response(200, json={"items": items})
        return httpx.Response(200, json={"id": "s", "permissions": permissions})

    async with Api(BASE_URL, "token", transport=httpx.MockTransport(answer)) as api:
        assert await sites.read_rights(api, "o", "m", "s") == rights
    if permissions is None:  # an earlier service
        assert "/sites/s/" in asked[-1].path
        assert asked[-1].params["search"] == "Mo"


async def test_what_of_a_site_may_not_be_read_is_left_out(world: World) -> None:
    desk = Sites(world)
    home = world.home
    assert Audience().public
    assert not Audience(link="l").public
    assert not Audience(key="k").public
    async with world.api() as api:
        site = await api(ops.get_site, home, desk.site)
        whole = await site_readers.read_as(api, home, site, Audience())
        assert whole.tree
        for lacks in (ops.list_site_sections, ops.get_site_structure):
            bare = told.Lacking(api, lacks, error=Forbidden).api
            found = await site_readers.read_as(bare, home, site, Audience())
            assert len(found.tree) == len(whole.tree)
        link = Audience(link=desk.ids["link"])
        bare = told.Lacking(api, ops.list_share_links, error=Forbidden).api
        found = await site_readers.read_as(bare, home, site, link)
        assert (found.who, found.tree, found.links) == ("with a link", (), None)
        assert found.said.startswith("You may not see the share links of this site.")
        gone = told.Lacking(api, ops.get_published_site).api
        found = await site_readers.read_as(gone, home, site, Audience())
        assert (found.tree, found.said) == ((), site_readers.NOT_PUBLISHED)
        odd = told.Lacking(api, ops.get_published_site, error=Invalid).api
        with pytest.raises(Invalid):
            await site_readers.read_as(odd, home, site, Audience())
        bare = told.Lacking(api, ops.get_member, error=Forbidden).api
        assert await sites.read_rights(bare, home, desk.lee) == sites.ANY
        assert await sites.read_rights(api, home, None) == sites.ANY
        async with world.api(desk.lee) as own:
            looks = await sites.read_rights(own, home, desk.lee, desk.site)
            hidden = told.Lacking(own, ops.get_site, error=Forbidden).api
            assert await sites.read_rights(hidden, home, desk.lee, desk.site) == looks
        assert looks.change == "Changing a site needs the role create or admin, yours is read."
        only = told.Lacking(api, ops.get_site_structure, error=OperationMissing).api
        assert (await sites.read_arranged(only, home, desk.site)).nodes
        read = await sites.read_site(api, home, desk.site, world.ana)
        assert (read.refused, read.site.title) == ("", "Docs")
        assert read.layout.levels


async def test_sections_are_told_page_by_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Sites(world)
    monkeypatch.setattr(sites, "PAGE", 1)
    steps: list[int] = []
    async with world.api() as api:
        found = await sites.read_structure(api, world.home, desk.site, steps.append)
    assert steps == [1, 2, 3]
    assert {node.title for node in found.nodes.values()} >= {"Guides", "Legal", "API"}


@pytest.mark.parametrize(("role", "said"), [("create", ""), (None, "guest"), ("read", "read")])
def test_a_role_says_what_one_may_do_to_sites(role: str | None, said: str) -> None:
    found = sites.rights_of(role)
    yours = f"yours is {said or role}."
    assert found.change == (f"Changing a site needs the role create or admin, {yours}" * bool(said))
    assert found.make == (f"Making a site needs the role create or admin, {yours}" * bool(said))
    assert found.publish == f"Publishing a site needs the role admin, {yours}"
    assert found.delete == f"Deleting a site needs the role admin, {yours}"
    assert sites.rights_of("admin") == sites.ANY
