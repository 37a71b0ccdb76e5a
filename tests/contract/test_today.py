"""The shapes that services answer with today, beyond those of the document: they are read whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.client.calls import Answer, read_answer
from copydesk.client.errors import CheckoutNeeded
from copydesk.contract import operations as ops
from copydesk.contract.models.site import SiteIcon, ThemedImage
from copydesk.contract.operation import Operation


def read(operation: Operation[..., Any], answer: Any) -> Any:
    """Read an answer of which no part may be left out."""
    result, dropped = read_answer(operation, Answer(200, json.dumps(answer).encode()))
    assert not dropped
    return result


@pytest.mark.parametrize(
    ("icon", "wanted"),
    [
        ({"emoji": "1f600"}, SiteIcon(emoji="1f600")),
        ({"icon": "rocket"}, SiteIcon(icon="rocket")),
        ({"icon": {"light": "https://a.test/l.png"}},
         SiteIcon(icon=ThemedImage(light="https://a.test/l.png"))),
        ({}, SiteIcon()),
        ("rocket", "rocket"),
        (None, None),
    ],
)  # fmt: skip
def test_icon_of_a_site(icon: Any, wanted: Any) -> None:
    assert read(ops.get_site, {"id": "s", "icon": icon}).icon == wanted


def test_proxy_of_a_site() -> None:
    proxy = {"origin": "https://www.acme.test/docs/", "target": "https://proxy.acme.test/s"}
    found = read(ops.get_site, {"id": "s", "proxy": proxy}).proxy
    assert (found.origin, found.target) == ("www.acme.test/docs", "https://proxy.acme.test/s")


def test_who_is_asked_for_a_review() -> None:
    answer = {"users": [{"id": "u1", "object": "user", "displayName": "Mo"}, "u2"]}
    asked = read(ops.request_reviewers, answer)
    assert (asked.items, asked.users[0].display_name, asked.users[1]) == ([], "Mo", "u2")
    team = {"kind": "team", "team": {"object": "team", "id": "t", "title": "Docs"}}
    user = {"kind": "user", "user": {"object": "user", "id": "u1"}}
    assert read(ops.request_reviewers, {"users": [team]}).users[0].team.id == "t"
    first, second = read(ops.list_requested_reviewers, {"items": [team, user]}).items
    assert (first.user, first.team.title, second.user.id) == (None, "Docs", "u1")


def test_what_a_change_request_changes() -> None:
    page = {"id": "p", "type": "document", "title": "P"}
    changes = [
        {"type": "page_edited", "page": page, "attributes": {
            "title": {"before": "O", "after": "P"}, "layout": {"after": {"cover": True}}}},
        {"type": "page_moved", "page": page, "parent": {"before": page}},
        {"type": "file_edited", "file": {"id": "f", "name": "f", "contentType": "a/b",
                                         "downloadURL": "https://a.test/f"},
         "attributes": {"size": {"before": 1, "after": 2}}},
        {"type": "variables_edited", "variables": {"a": {"before": 1, "after": True}}},
        {"type": "reusable_content_deleted", "reusableContent": {"id": "r", "title": "R"}},
        {"type": "tag_edited", "tag": {"slug": "t", "label": "T"},
         "attributes": {"label": {"before": "S", "after": "T"}}},
    ]  # fmt: skip
    found = read(ops.get_change_request_changes, {"changes": changes, "more": 3})
    assert found.more == 3
    assert found.changes[0].attributes["title"].before == "O"
    assert found.changes[1].parent.before.title == "P"
    assert found.changes[1].parent.after is None
    assert found.changes[2].attributes["size"].after == 2
    assert found.changes[3].variables["a"].after is True
    assert found.changes[4].reusable_content.title == "R"
    assert found.changes[5].tag.label == "T"


def test_targets_of_links_are_ids_with_names() -> None:
    target = {
        "kind": "file",
        "file": {"id": "f", "name": "logo.png"},
        "space": {"object": "space", "id": "s", "title": "Guides"},
    }
    stands = {"kind": "page", "page": {"id": "p", "title": "Start"}, "space": "s"}
    link = {"status": "ok", "targetReference": target, "locationReferences": [stands]}
    (found,) = read(ops.list_space_links, {"items": [link]}).items
    assert (found.target_reference.file, found.target_reference.space) == ("f", "s")
    assert found.target_reference.called("file") == "logo.png"
    assert found.target_reference.called("space") == "Guides"
    (place,) = found.location_references
    assert (place.page, place.called("page"), place.called("space")) == ("p", "Start", "")


def test_the_revision_of_a_backlink() -> None:
    revision = {"object": "revision", "id": "r1", "pages": []}
    for given in (revision, "r1"):
        context = {"type": "revision", "revision": given}
        backlink = {"kind": "page", "page": {"id": "p"}, "versionContext": context}
        (found,) = read(ops.list_space_page_backlinks, {"items": [backlink]}).items
        assert found.version_context.revision == "r1"


def test_variables_are_texts_numbers_and_flags() -> None:
    variables = {"a": "x", "b": 2, "c": 1.5, "d": True}
    page = read(ops.get_space_page, {"id": "p", "variables": variables})
    assert page.variables == variables
    assert [type(each) for each in page.variables.values()] == [str, int, float, bool]
    revision = {"object": "revision", "id": "r", "variables": variables}
    assert read(ops.get_revision, revision).variables == variables


@pytest.mark.parametrize("policy", ["default-src 'self'", {"default-src": ["'self'"]}])
def test_the_policy_of_an_integration(policy: Any) -> None:
    found = read(ops.get_integration, {"name": "i", "contentSecurityPolicy": policy})
    assert found.content_security_policy == policy


@pytest.mark.parametrize("operation", [ops.publish_site, ops.publish_integration])
def test_publishing_may_lead_to_a_checkout(operation: Operation[..., Any]) -> None:
    with pytest.raises(CheckoutNeeded) as failed:
        read(operation, {"type": "checkout", "url": "https://pay.test/1\x1b[31m"})
    assert failed.value.url == "https://pay.test/1"
    assert not failed.value.sent
    with pytest.raises(CheckoutNeeded, match=r"subscription\.$"):
        read(operation, {"type": "checkout", "sessionId": "cs_1"})


def test_who_may_reply_is_not_always_told() -> None:
    may = {"view": True, "edit": False, "delete": False}
    comment = {"id": "c", "postedAt": "2026-01-01T00:00:00Z", "permissions": may}
    assert read(ops.get_space_comment, comment).permissions.reply is None


def test_clusters_count_tasks_and_name_sources() -> None:
    cluster = {
        "id": "c",
        "stats": {"tasksTotal": 5, "tasksOpen": 2, "tasksOther": "many"},
        "sources": {"integration:zendesk:4f2": 3},
    }
    found = read(ops.list_issues_clusters, {"items": [cluster]}).items[0]
    assert found.stats.tasks == {"total": 5, "open": 2}
    assert found.sources == {"integration:zendesk:4f2": 3}
