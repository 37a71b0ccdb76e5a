"""A desk with one of everything behind an app that forgets every write, for walks over it all.

Each request finds the same desk, whatever the ones before it did. So a test may delete, merge and
transfer as it goes, at the price of one desk.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import httpx

from copydesk.contract.operation import Operation
from copydesk.server import site_writes
from copydesk.server.app import create_app
from copydesk.server.desk_writes import add_invite_link
from copydesk.server.openapi_jobs import begin, finish
from copydesk.server.store import Store, Tx
from copydesk.server.threads import add_review
from tests.contract.examples import body_example, least
from tests.server.everything import Everything, everything
from tests.world import BASE_URL, World

T = TypeVar("T")


class _UndoneError(Exception):
    """Ends a transaction whose result was taken already."""


class ForgetfulStore(Store):
    """A desk that answers writes as it should and then forgets them."""

    def write(self, work: Callable[[Tx], T]) -> T:
        kept: list[T] = []

        def and_undo(tx: Tx) -> None:
            kept.append(work(tx))
            raise _UndoneError

        with contextlib.suppress(_UndoneError):
            super().write(and_undo)
        return kept[0]


class DeskOfOne:
    """One of everything, the addresses and bodies that name it, and people to ask as.

    ``names`` are the ids by Python parameter name. A change request is the open one, with a comment
    and a reply of its own.
    """

    def __init__(self, have: Everything, path: Path, made: dict[str, str]) -> None:
        world = self.world = have.world
        self.have = have
        self.comment = world.comment(have.space)
        self.reply = world.reply(self.comment)
        self.said = world.comment(have.space, change_request=have.waiting)
        self.answered = world.reply(self.said)
        self.other_organization = world.organization("Elsewhere", have.ana)
        self.other_space = world.space("Appendix", {"start": "Here.\n"})
        self.other_collection = world.collection("Lower shelf")
        self.other_site_space, self.other_section = self._second_places()
        self.names = {
            "organization_id": have.organization,
            "collection_id": have.collection,
            "space_id": have.space,
            "change_request_id": have.waiting,
            "user_id": have.lee,
            "team_id": have.team,
            "site_id": have.site,
            "site_section_id": have.section,
            "site_space_id": have.site_space,
            "share_link_id": have.share_link,
            "site_redirect_id": have.redirect,
            "site_section_group_id": have.group,
            "site_external_link_id": have.link,
            "glossary_entry_id": have.term,
            "cluster_id": have.cluster,
            "conversation_id": "talk-1",
            "issue_id": have.issue,
            "site_finding_id": have.finding,
            "site_topic_id": have.cluster,
            "site_question_id": have.question,
            "site_question_answer_id": have.issue,
            "site_context_record_id": "talk-1",
            "page_id": world.page_id(have.space, "guide"),
            "file_id": self._file("assets/logo.txt", b"Acme"),
            "reusable_content_id": self._file(".gitbook/includes/note.md", b"Note.", kind="source"),
            "page_path": "guide",
            "invite_id": world.write(lambda tx: add_invite_link(tx, have.organization)),
            "review_id": world.write(lambda tx: add_review(tx, have.waiting, have.lee, "approved")),
        } | made
        # Now that everything is in it.
        self.names["revision_id"] = world.row("space", have.space)["revision_id"]
        self.store = ForgetfulStore(path, clock=world.store.clock, durable=False)
        self.app = create_app(self.store)

    @classmethod
    async def make(cls, world: World, path: Path) -> DeskOfOne:
        have = await everything(world)
        return cls(have, path, await _made_by_api(have))

    def close(self) -> None:
        self.store.close()

    def path_of(self, op: Operation[..., Any]) -> str:
        """Return the address of an operation on what this desk has."""
        names = dict(self.names)
        inside = "change_request_id" in names and "{change_request_id}" in op.path
        names["comment_id"] = self.said if inside else self.comment
        names["comment_reply_id"] = self.answered if inside else self.reply
        return re.sub(r"\{(\w+)\}", lambda found: names[found[1]], op.path)

    def missing(self, op: Operation[..., Any]) -> set[str]:
        """Return the parameters that this desk has nothing for."""
        return {p.name for p in op.path_parameters} - {
            *self.names,
            "comment_id",
            "comment_reply_id",
        }

    def body_of(self, op: Operation[..., Any]) -> Any:
        """Return the least body that the operation takes, naming what this desk has."""
        if op.body is None:
            return None
        model = next(iter(get_args(op.body.annotation)), op.body.annotation)
        body = body_example(model, least)
        if isinstance(body, list):
            return body
        body |= self._bodies().get(op.name, {})
        return {key: self.named(key, value) for key, value in body.items()}

    def query_of(self, op: Operation[..., Any]) -> dict[str, str]:
        """Return the query parameters that must be there."""
        have = self.have
        known = {
            "source": "/manual/start",
            "url": f"{BASE_URL}/app/o/{have.organization}/s/{have.space}/guide",
        }
        return {p.wire: known.get(p.wire, "one") for p in op.query_parameters if p.required}

    def client(self, token: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=False),
            base_url=BASE_URL,
            headers={"authorization": f"Bearer {token}"} if token else {},
        )

    def _bodies(self) -> dict[str, dict[str, Any]]:
        have = self.have
        to = {"kind": "site-section", "siteSectionId": have.section}
        return {
            "move_space": {"parent": self.other_collection},
            "move_collection": {"parent": None},
            "move_site_section": {
                "position": {"before": {"type": "site-section", "siteSection": self.other_section}}
            },
            "move_site_space": {
                "position": {"before": {"type": "site-space", "siteSpace": self.other_site_space}}
            },
            "sort_site_structure": {
                "item": {"type": "site-section", "id": have.section},
                "position": {"after": {"type": "site-section", "id": self.other_section}},
            },
            "add_site_section_group": {"sections": [have.section]},
            "create_site_redirect": {"destination": to},
            "apply_site_redirects": {"redirects": [{"source": "/old", "destination": to}]},
            "search_site_content": {"mode": "all"},
            "update_glossary_entries": {
                "operations": [{"type": "insert", "translations": {"en": "fee"}}]
            },
            "request_reviewers": {"users": [have.lee]},
            "update_change_request_content": {
                "changes": [{"operation": "update_page", "page": self.names["page_id"]}]
            },
            "update_change_request": {"status": "archived"},
            "invite_to_collection": {"users": [have.lee]},
            "invite_to_site": {"users": [have.lee]},
            "invite_to_space": {"users": [have.lee]},
            "create_invite_link": {"role": "read"},
            "update_invite_link": {"role": "read"},
            "apply_space_template": {"id": self.other_space},
            "create_translation": {
                "language": "de",
                "source": {"space": have.space, "language": "en"},
            },
            "import_git_repository": {"url": "/srv/acme.git", "ref": "main"},
            "export_to_git_repository": {"url": "file:///srv/acme.git", "ref": "main"},
            "update_adaptive_schema": {
                "jsonSchema": {"type": "object", "properties": {}, "additionalProperties": False}
            },
        }

    def named(self, key: str, value: Any) -> Any:
        ids = {
            "organization": self.other_organization,
            "spaceId": self.other_space,
            "sectionId": self.have.section,
            "space": self.have.space,
        }
        if isinstance(value, dict):
            return {inner: self.named(inner, each) for inner, each in value.items()}
        return ids.get(key, value) if isinstance(value, str) else value

    def _second_places(self) -> tuple[str, str]:
        have, space = self.have, self.other_space

        def work(tx: Tx) -> tuple[str, str]:
            shown = site_writes.add_site_space(tx, have.site, space, section=have.section)
            section = site_writes.add_section(tx, have.site, "Reference")
            site_writes.add_site_space(tx, have.site, space, section=section)
            return shown, section

        return self.world.write(work)

    def _file(self, path: str, data: bytes, **settings: str) -> str:
        kept: list[str] = []
        for target in (None, self.have.waiting):

            def edit(editor: Any) -> None:
                kept.append(editor.file(path, data, **settings))

            if target is None:
                self.world.commit(self.have.space, edit=edit)
            else:
                self.world.edit_change_request(target, edit=edit)
        assert len(set(kept)) == 1
        return kept[0]


async def _made_by_api(have: Everything) -> dict[str, str]:
    """Make over HTTP what the desk can make and no seeding does; return ids by parameter name."""
    organization = have.organization
    wanted: list[tuple[str, str, str, str, dict[str, Any]]] = [
        (
            "create_openapi_spec",
            "spec_slug",
            "slug",
            f"/orgs/{organization}/openapi",
            {"slug": "shop", "source": {"text": '{"openapi": "3.1.0"}'}},
        ),
        (
            "create_translation",
            "translation_id",
            "id",
            f"/orgs/{organization}/translations",
            {"language": "fr", "source": {"space": have.space, "language": "en"}},
        ),
        (
            "create_saml_provider",
            "saml_provider_id",
            "id",
            f"/orgs/{organization}/saml",
            {"label": "Acme"},
        ),
        (
            "publish_integration",
            "integration_name",
            "name",
            "/integrations/acme-search",
            {"organization": organization, "title": "Search", "categories": ["visitor-auth"]},
        ),
    ]
    made: dict[str, str] = {}
    async with have.world.client() as client:
        audited = (await client.get(f"/orgs/{organization}/audit-events")).json()
        made["audit_event_id"] = audited["items"][0]["id"]
        for name, parameter, field, path, body in wanted:
            answer = await client.post(path, json=body)
            assert answer.is_success, (name, answer.text)
            made[parameter] = answer.json()[field]
        have.world.write(_read_specification)
        path = "/integrations/acme-search"
        body = {"organization": organization}
        answer = await client.post(f"{path}/installations", json=body)
        assert answer.is_success
        made["installation_id"] = answer.json()["id"]
        made["event_id"] = (await client.get(f"{path}/events")).json()["items"][0]["id"]
    return made


def _read_specification(tx: Tx) -> None:
    row = begin(tx, tx.value("SELECT id FROM openapi_spec"))
    finish(tx, row, row["data"], None, [])
