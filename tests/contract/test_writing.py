"""Writing is strict: what the API would refuse never leaves."""

import json
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from copydesk.contract import operations as ops
from copydesk.contract.models.base import ALWAYS, MOST_IN_ONE, OWN_DESK, Body
from copydesk.contract.models.change_request import ChangeRequestCreate, ChangeRequestUpdate
from copydesk.contract.models.collection import CollectionCreate, CollectionMove, CollectionUpdate
from copydesk.contract.models.comment import CommentCreate, CommentUpdate, MarkdownBody, ReplyUpdate
from copydesk.contract.models.content import TemplateApply
from copydesk.contract.models.conversation import ConversationIngest
from copydesk.contract.models.document import Document, Node
from copydesk.contract.models.integration import (
    InstallationUpdate,
    IntegrationDevMode,
    IntegrationPublish,
)
from copydesk.contract.models.member import MemberUpdate
from copydesk.contract.models.merge_rules import MergeRulesWrite
from copydesk.contract.models.openapi_spec import OpenAPISpecCreate, OpenAPISpecUpdate
from copydesk.contract.models.organization import DefaultContentWrite, OrganizationUpdate
from copydesk.contract.models.position import SpaceAnchor, SpacePosition
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.contract.models.saml_provider import SAMLProviderCreate
from copydesk.contract.models.share_link import ShareLinkCreate
from copydesk.contract.models.site import SiteCreate, SiteUpdate
from copydesk.contract.models.site_section import SiteSectionUpdate
from copydesk.contract.models.site_space import SiteSpaceUpdate
from copydesk.contract.models.space import SpaceCreate, SpaceMove, SpaceUpdate
from copydesk.contract.models.team import TeamCreate, TeamMemberUpdate
from copydesk.contract.models.translation import TranslationCreate
from tests.contract.examples import SENT, example, least, sendable

every_body = pytest.mark.parametrize("model", SENT, ids=lambda each: each.__name__)


@every_body
def test_a_whole_body_survives_the_round_trip(model: type[Body]) -> None:
    sent = sendable(example(model))
    assert json.loads(model.model_validate(sent).to_json()) == sent


@every_body
def test_only_what_was_set_is_sent(model: type[Body]) -> None:
    sent = sendable(least(model))
    assert json.loads(model.model_validate(sent).to_json()).keys() >= sent.keys()
    tag = getattr(model, "tag", None)
    extra = json.loads(model.model_validate(sent).to_json()).keys() - sent.keys()
    assert extra <= {tag}


def _parts(given: Any, found: set[type[BaseModel]]) -> set[type[BaseModel]]:
    for each in get_args(given):
        _parts(each, found)
    if isinstance(given, type) and issubclass(given, BaseModel) and given not in found:
        found.add(given)
        for field in given.model_fields.values():
            _parts(field.annotation, found)
    return found


@every_body
def test_what_every_answer_has_may_not_be_left_out(model: type[Body]) -> None:
    for part in _parts(model, set()):
        promised = [name for name, field in part.model_fields.items() if ALWAYS in field.metadata]
        assert promised == [], part


@every_body
def test_unknown_fields_are_refused(model: type[Body]) -> None:
    sent = sendable(example(model)) | {"xNew": 1}
    if model is ChangeRequestCreate:
        assert json.loads(model.model_validate(sent).to_json())["xNew"] == 1
        return
    with pytest.raises(ValidationError, match="xNew"):
        model.model_validate(sent)


@every_body
def test_null_is_sent_only_where_it_says_something(model: type[Body]) -> None:
    for name, field in model.model_fields.items():
        sent = sendable(example(model))
        sent[field.alias or name] = None
        if name in model.nullable:
            assert json.loads(model.model_validate(sent).to_json())[field.alias or name] is None
        else:
            with pytest.raises(ValidationError):
                model.model_validate(sent)


def limited(model: type[BaseModel], field: str, good: list[Any], bad: list[Any]) -> Any:
    return pytest.param(model, field, good, bad, id=f"{model.__name__}.{field}")


@pytest.mark.parametrize(
    ("model", "field", "good", "bad"),
    [
        limited(SpaceCreate, "title", ["", "a" * 50], ["a" * 51]),
        limited(SpaceUpdate, "title", ["a" * 50], ["a" * 51]),
        limited(SpaceUpdate, "emoji", ["1f680"], ["a" * 51]),
        limited(SpaceUpdate, "editMode", ["live", "locked"], ["open"]),
        limited(SpaceUpdate, "language", ["en", "pt-br", "sl"], ["EN", "xx"]),
        limited(SpaceUpdate, "defaultLevel", ["admin", "inherit"], ["guest"]),
        limited(CollectionCreate, "title", ["a" * 50], ["a" * 51]),
        limited(CollectionUpdate, "description", ["a" * 100], ["a" * 101]),
        limited(TeamCreate, "title", ["a", "a" * 64], ["", "a" * 65]),
        limited(TeamMemberUpdate, "role", ["owner", "member"], ["admin"]),
        limited(MemberUpdate, "role", ["admin", "read"], ["guest", "inherit"]),
        limited(OrganizationUpdate, "title", ["ab", "a" * 255], ["a", "a" * 256]),
        limited(OrganizationUpdate, "hostname", ["abc", "a" * 32], ["ab", "a" * 33, "A-b", "-ab"]),
        limited(OrganizationUpdate, "logo", ["a" * 2048], ["a" * 2049]),
        limited(ChangeRequestCreate, "subject", ["a" * 100], ["a" * 101]),
        limited(ChangeRequestUpdate, "subject", ["a" * 100], ["a" * 101]),
        limited(ChangeRequestUpdate, "status", ["draft", "open", "archived"], ["merged"]),
        limited(ReviewCreate, "status", ["approved", "changes-requested"], ["rejected"]),
        limited(ReviewersRequest, "users", [["u"]], [[], "u"]),
        limited(SiteCreate, "title", ["ab", "a" * 128], ["a", "a" * 129]),
        limited(SiteCreate, "type", ["basic", "sponsored"], ["free"]),
        limited(SiteUpdate, "basename", ["a", "a" * 100], ["", "a" * 101]),
        limited(SiteUpdate, "visibility", ["public", "visitor-auth"], ["private"]),
        limited(
            SiteUpdate,
            "proxy",
            ["example.com/docs", "a.example.com/b/c", "a.b/" + "c" * 508],
            ["example.com", "https://example.com/a", "a b/c", "a.b/" + "c" * 509],
        ),
        limited(SiteSectionUpdate, "title", ["ab"], ["a", "a" * 129]),
        limited(SiteSectionUpdate, "path", ["a" * 100], ["", "a" * 101]),
        limited(SiteSectionUpdate, "description", ["a" * 256], ["a" * 257]),
        limited(SiteSectionUpdate, "icon", ["gear"], ["a" * 51]),
        limited(SiteSectionUpdate, "condition", ["a" * 1024], ["a" * 1025]),
        limited(SiteSpaceUpdate, "condition", ["a" * 1024], ["a" * 1025]),
        limited(SiteSpaceUpdate, "path", ["a"], ["", "a" * 101]),
        limited(ShareLinkCreate, "name", ["a" * 50], ["a" * 51]),
        limited(
            OpenAPISpecCreate, "slug", ["a-1", "a" * 100], ["", "a_b", "-a", "a--b", "a" * 101]
        ),
        limited(
            OpenAPISpecCreate,
            "source",
            [{"url": "https://example.com/a.json"}, {"text": "openapi: 3.1.0"}],
            [
                {},
                {"url": "/a"},
                {"url": "https://e.com/" + "a" * 2035},
                {"url": "a:b", "text": "c"},
            ],
        ),
        limited(OpenAPISpecUpdate, "visibility", ["private", "public"], ["unlisted"]),
        limited(TranslationCreate, "language", ["fr"], ["klingon"]),
        limited(SAMLProviderCreate, "label", ["a", "a" * 30], ["", "a" * 31]),
        limited(SAMLProviderCreate, "entityID", ["a" * 1024], ["a" * 1025]),
        limited(SAMLProviderCreate, "certificate", ["a" * 10000], ["a" * 10001]),
        limited(SAMLProviderCreate, "ssoURL", ["https://e.com/sso"], ["sso", "a:" + "b" * 2047]),
        limited(
            IntegrationDevMode,
            "tunnelUrl",
            ["https://e.com", "https://\u4f8b.jp/\xfc"],
            ["e.com", "https://e\x04.com", "https://e.com/\x1b[31m", "https://e.com/\x9b"],
        ),
        limited(IntegrationPublish, "categories", [["gitsync"]], [["games"]]),
        limited(ConversationIngest, "id", ["a", "a" * 255], ["", "a" * 256]),
        limited(ConversationIngest, "subject", ["a" * 512], ["a" * 513]),
        limited(
            ConversationIngest,
            "parts",
            [[], [{"type": "message", "role": "team-member", "body": "Hi"}]],
            [[{"type": "message", "role": "robot", "body": "Hi"}], [{"body": "Hi"}]],
        ),
        limited(
            CommentCreate,
            "body",
            [{"markdown": "Hi"}, {"document": {"object": "document", "nodes": []}}],
            [{}, {"text": "Hi"}, {"markdown": "Hi", "document": {}}, "Hi"],
        ),
        limited(
            TemplateApply,
            "params",
            [{"contentRefs": {"a": {"kind": "page", "page": "p", "space": "s"}}}],
            [{"contentRefs": {"a": {"kind": "moon"}}}, {"contentRefs": {"a": {"kind": "page"}}}],
        ),
        limited(
            ChangeRequestCreate,
            "template",
            [{"id": "t", "params": {"contentRefs": {"a": {"kind": "file", "file": "f"}}}}],
            [{}, {"id": "t", "params": {"contentRefs": {"a": {"kind": "page", "page": "p"}}}}],
        ),
        limited(
            SpaceMove,
            "position",
            [{"before": {"type": "space", "space": "s"}}, {"after": {"space": "s"}}],
            [
                {},
                {"before": {"type": "site", "space": "s"}},
                {"before": {"space": "s"}, "after": {"space": "t"}},
            ],
        ),
        limited(
            SpaceUpdate,
            "mergeRules",
            [
                {"type": "inherit"},
                {"type": "none"},
                {"type": "rules", "rules": []},
                {"type": "rules", "rules": [{"rule": "require_all_reviews_approved"}]},
            ],
            [
                {"type": "some"},
                {"type": "rules"},
                {"type": "none", "rules": []},
                {"type": "rules", "rules": [{"rule": "require_full_moon"}]},
                {"type": "rules", "rules": [{"rule": "require_specific_reviewers"}]},
                {
                    "type": "rules",
                    "rules": [{"rule": "require_at_least_one_review", "users": ["u"]}],
                },
            ],
        ),
    ],
)
def test_bodies_keep_their_limits(
    model: type[BaseModel], field: str, good: list[Any], bad: list[Any]
) -> None:
    rest = sendable(least(model))
    for value in good:
        model.model_validate(rest | {field: value})
    for value in bad:
        with pytest.raises(ValidationError):
            model.model_validate(rest | {field: value})


def test_kinds_are_written_without_being_named() -> None:
    moved = SpaceMove(parent=None, position=SpacePosition(after=SpaceAnchor(space="s")))
    assert json.loads(moved.to_json()) == {
        "parent": None,
        "position": {"after": {"type": "space", "space": "s"}},
    }
    updated = OrganizationUpdate(default_content=DefaultContentWrite(site="s"))
    assert json.loads(updated.to_json()) == {"defaultContent": {"type": "site", "site": "s"}}
    described = ChangeRequestUpdate(description=Document(nodes=[Node(type="paragraph")]))
    assert json.loads(described.to_json()) == {
        "description": {
            "object": "document",
            "nodes": [{"object": "block", "type": "paragraph"}],
        }
    }


def test_leaving_and_removing_stay_apart() -> None:
    assert SiteUpdate(title="Docs").to_json() == b'{"title":"Docs"}'
    assert SiteUpdate(proxy=None).to_json() == b'{"proxy":null}'
    assert CollectionMove(parent=None).to_json() == b'{"parent":null}'
    assert MemberUpdate(role=None).to_json() == b'{"role":null}'
    with pytest.raises(ValidationError, match="title cannot be null"):
        SpaceUpdate(title=None)


def test_rules_that_were_read_can_be_written_back() -> None:
    rules = {"type": "rules", "rules": [{"rule": "require_specific_reviewers", "users": ["u"]}]}
    assert json.loads(MergeRulesWrite.model_validate(rules).to_json()) == rules


def test_one_conversation_or_several_are_handed_in() -> None:
    assert ops.ingest_conversation.body is not None
    adapter = ops.ingest_conversation.body.adapter
    one = {"id": "a", "parts": [{"type": "message", "role": "user", "body": "Help"}]}
    assert json.loads(adapter.validate_python(one).to_json()) == one
    assert json.loads(adapter.validate_python([one, one]).to_json()) == [one, one]
    with pytest.raises(ValidationError):
        adapter.validate_python([{"id": "a"}])


def test_only_replies_of_change_requests_resolve() -> None:
    assert json.loads(ReplyUpdate(resolved=True).to_json()) == {"resolved": True}
    assert "resolved" not in {
        name
        for operation in (ops.update_space_comment_reply,)
        if operation.body is not None
        for name in operation.body.annotation.model_fields
    }
    thumbs = CommentUpdate(added_reactions=["1f44d"], body=MarkdownBody(markdown="Hi"))
    assert json.loads(thumbs.to_json()) == {
        "addedReactions": ["1f44d"],
        "body": {"markdown": "Hi"},
    }


def test_another_service_says_itself_how_many_of_something_it_takes() -> None:
    """Else who changes one rule of a service, or one setting, could not send the others with it."""
    people = [f"user{n}" for n in range(MOST_IN_ONE + 1)]
    rule = {"rule": "require_specific_reviewers", "users": people}
    named = {name: {"type": "string"} for name in people}
    account = [{"properties": named}, {"required": people}, {"properties": {"a": {"enum": people}}}]
    cases: list[tuple[type[Body], dict[str, Any]]] = [
        (OrganizationUpdate, {"mergeRules": {"type": "rules", "rules": [rule]}}),
        (OrganizationUpdate, {"emailDomains": [f"{name}.example.org" for name in people]}),
        (InstallationUpdate, {"configuration": dict.fromkeys(people, "x")}),
        (IntegrationPublish, {"blocks": [{"id": "a", "urlUnfurl": people}]}),
        (IntegrationPublish, {"contentSources": [{"id": "a", "configuration": named}]}),
        *((IntegrationPublish, {"configurations": {"account": each}}) for each in account),
    ]
    for model, fields in cases:
        assert model.model_validate(fields).to_dict() == fields
        with pytest.raises(ValidationError, match="at most 100 items"):
            model.model_validate(fields, context=OWN_DESK)
