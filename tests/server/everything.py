"""A desk with one of everything, each with every field that it can have."""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.server import change_requests, conversation_writes, site_writes, threads
from copydesk.server.store import Tx, to_json
from tests.world import World, texts


@dataclass(frozen=True)
class Everything:
    """The ids of a desk that has one of everything, with every optional field."""

    world: World
    organization: str
    ana: str
    lee: str
    team: str
    collection: str
    space: str
    change_request: str
    waiting: str
    comment: str
    reply: str
    said: str
    site: str
    section: str
    site_space: str
    share_link: str
    redirect: str
    group: str
    link: str
    term: str
    cluster: str
    issue: str
    finding: str
    question: str

    def org(self, *rest: str) -> str:
        return "/".join(["/orgs", self.organization, *rest])

    def at_site(self, *rest: str) -> str:
        return self.org("sites", self.site, *rest)

    def at_space(self, *rest: str) -> str:
        return "/".join(["/spaces", self.space, *rest])

    def at_change(self, *rest: str) -> str:
        return self.at_space("change-requests", self.change_request, *rest)


async def everything(world: World) -> Everything:
    """Fill an empty desk with one of everything."""
    ana, lee = world.ana, world.user("lee", "create")
    team = world.team("Writers", ana, lee)
    shelf = world.collection("Shelf")
    collection = world.collection("Box", parent=shelf, description="What is in it")
    rule = {"rule": "require_one_of_specific_reviewers", "users": [lee]}
    space = world.space(
        "Handbook",
        {"intro": "One.\n", "guide": "Two.\n"},
        parent=collection,
        emoji="1f4d6",
        language="en",
        merge_rules={"type": "rules", "rules": [rule]},
        git_sync={
            "repoName": "acme/docs",
            "installationProvider": "github",
            "integration": "github",
            "url": "https://git.example.org/acme/docs",
            "updatedAt": "2026-03-01T00:00:00Z",
        },
    )
    world.grant(collection, team, "edit")
    site, section, site_space, cluster, issue = world.write(lambda tx: _publication(tx, space))
    text = {"object": "text", "leaves": [{"object": "leaf", "text": "Why."}]}
    document = {
        "object": "document",
        "data": {"schemaVersion": 2},
        "nodes": [{"object": "block", "type": "paragraph", "nodes": [text]}],
    }
    change_request = world.write(
        lambda tx: change_requests.open_branch(
            tx,
            space,
            ana,
            "Say more",
            texts({"intro": "One more.\n"}),
            description=document,
            cluster=cluster,
        )
    )
    waiting = world.change_request(space, {"new": "N.\n"})
    world.commit(space, {"guide": "Two, too.\n"})
    comment = world.write(lambda tx: _comment(tx, space, None, ana))
    reply = world.reply(comment, by=lee)
    said = world.write(lambda tx: _comment(tx, space, change_request, ana))
    world.reply(said, by=lee)
    home = world.home
    async with world.client() as client, world.client(lee) as other:
        for path, spoken in ((f"/spaces/{space}", comment), (change(space), said)):
            body = {"body": {"markdown": "Said better"}, "addedReactions": ["👍"], "resolved": True}
            assert (await client.put(f"{path}/comments/{spoken}", json=body)).is_success
        body = {"body": {"markdown": "Answered better"}, "addedReactions": ["👍"]}
        path = f"/spaces/{space}/comments/{comment}/replies/{reply}"
        assert (await other.put(path, json=body)).is_success
        for who in (client, other):
            assert (await who.post(f"/orgs/{home}/ping", json={})).is_success
        asked = {"users": [lee]}
        assert (await client.post(change(space, "requested-reviewers"), json=asked)).is_success
        assert (await client.post(change(space, "update"))).json()["result"] == "update"
        verdict = {"status": "approved", "comment": {"markdown": "Good."}}
        assert (await other.post(change(space, "reviews"), json=verdict)).is_success
        assert (await client.post(change(space, "merge"))).json()["result"] == "merge"
        link = await client.post(
            f"/orgs/{home}/sites/{site}/share-links", json={"name": "Partners"}
        )
        to = {"kind": "site-section", "siteSectionId": section}
        path = f"/orgs/{home}/sites/{site}/redirects"
        redirect = await client.post(path, json={"source": "/manual/*", "destination": to})
        at_site = f"/orgs/{home}/sites/{site}"
        group = (await client.get(f"{at_site}/section-groups")).json()["items"][0]["id"]
        named = {"localizedTitle": {"de": "Produkt"}, "icon": "box"}
        path = f"{at_site}/section-groups/{group}"
        assert (await client.patch(path, json=named)).is_success
        elsewhere = {
            "title": "Status",
            "localizedTitle": {"de": "Zustand"},
            "description": "What runs",
            "localizedDescription": {"de": "Was geht"},
            "icon": "heart",
            "url": "https://status.acme.example",
            "parent": group,
            "condition": "visitor.claims.beta == true",
        }
        leads = await client.post(f"{at_site}/external-links", json=elsewhere)
        terms = {"type": "insert", "translations": {"en": "refund", "de": "Erstattung"}}
        path = f"/orgs/{home}/translations-glossary"
        assert (await client.put(path, json={"operations": [terms]})).is_success
        term = (await client.get(path)).json()["items"][0]["id"]
        ways = {"fallbackURL": "https://acme.example/in", "logoutURL": "https://acme.example/out"}
        path = f"{at_site}/publishing/auth"
        assert (await client.patch(path, json={"backend": "custom", **ways})).is_success
        assert (await client.get(f"{at_site}/findings")).is_success  # which makes them
        body = {
            "emailDomains": ["example.org"],
            "hostname": "acme",
            "defaultRole": "read",
            "defaultContent": {"type": "site", "site": site},
            "logo": "https://acme.example/logo.png",
        }
        assert (await client.patch(f"/orgs/{home}", json=body)).is_success
    return Everything(
        world=world,
        organization=home,
        ana=ana,
        lee=lee,
        team=team,
        collection=collection,
        space=space,
        change_request=change_request,
        waiting=waiting,
        comment=comment,
        reply=reply,
        said=said,
        site=site,
        section=section,
        site_space=site_space,
        share_link=link.json()["id"],
        redirect=redirect.json()["id"],
        group=group,
        link=leads.json()["id"],
        term=term,
        cluster=cluster,
        issue=issue,
        finding=world.store.read(
            lambda tx: tx.value("SELECT id FROM finding WHERE cluster_id = ?", cluster)
        ),
        question=world.row("issue", issue)["question_id"],
    )


def change(space: str, *rest: str) -> str:
    return "/".join(["/spaces", space, "change-requests/1", *rest])


def _comment(tx: Tx, space: str, change_request: str | None, author: str) -> str:
    page: str = tx.value("SELECT id FROM page WHERE space_id = ? LIMIT 1", space)
    cell = {"record": "row-1", "definition": "column-1"}
    return threads.add_comment(
        tx,
        space,
        author,
        "Said",
        change_request=change_request,
        page=page,
        node="block-1",
        table_cell=cell,
    )


def _publication(tx: Tx, space: str) -> tuple[str, str, str, str, str]:
    """Put what only people that run a service can set where an API cannot."""
    tx.run("UPDATE user SET photo_url = 'https://people.example/' || id || '.png'")
    tx.run("UPDATE organization SET use_case = 'productDocs', community_type = 'openSource'")
    tx.update("space", space, visitor_auth=to_json({"backend": "custom"}))
    organization: str = tx.value("SELECT organization_id FROM space WHERE id = ?", space)
    site = site_writes.add_site(
        tx,
        organization,
        "Docs",
        type="premium",
        hostname="docs.acme.example",
        basename="help",
        proxy="www.acme.example/docs",
        icon={
            "icon": {"light": "https://acme.example/l.png", "dark": "https://acme.example/d.png"}
        },
        published=True,
        adaptive_schema={
            "type": "object",
            "properties": {"beta": {"type": "boolean"}},
            "additionalProperties": False,
        },
    )
    tx.update("site", site, ads=to_json({"status": "pending", "submittable": False}))
    condition = "visitor.claims.beta == true"
    section = site_writes.add_section(
        tx,
        site,
        "Guides",
        group=site_writes.add_section_group(tx, site, "Product"),
        description="How to",
        icon="gear",
        condition=condition,
    )
    shown = site_writes.add_site_space(tx, site, space, section=section, condition=condition)
    cluster = conversation_writes.add_cluster(
        tx, organization, "Exports fail", icon="bug", summary="They stop"
    )
    conversation_writes.add_conversation(
        tx,
        organization,
        [("user", "It stops at 99 %.")],
        source="help-desk",
        subject="Export",
        conversation_id="talk-1",
        source_url="https://desk.example/talk-1",
        attributes={"plan": "pro"},
    )
    issue = conversation_writes.add_issue(
        tx, organization, "talk-1", "Export stops", summary="At 99 %", cluster_id=cluster
    )
    return site, section, shown, cluster, issue
