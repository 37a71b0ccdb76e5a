"""What a service may lack, in words, and the parts that its operations make up."""

from __future__ import annotations

from typing import Any, cast

from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.service_parts import CORE, FALLS_BACK, parts, successor_words, words


def test_what_an_operation_belongs_to_is_said() -> None:
    said = {name: words(CATALOGUE[name]) for name in (
        "transfer_space", "get_current_user", "list_issues_clusters", "list_share_links",
        "list_conversation_issues", "create_site_redirect", "get_space_revision",
    )}  # fmt: skip
    assert said == {
        "transfer_space": "transfer of a space", "get_current_user": "owner of a token",
        "list_issues_clusters": "clusters", "list_share_links": "share links",
        "list_conversation_issues": "issues of conversations",
        "create_site_redirect": "redirects", "get_space_revision": "older versions",
    }  # fmt: skip
    for route, what in (
        ("GET /orgs/o/context-records", "records"), ("/sites/s/sort", "structure/sort"),
        ("/orgs/o/some-findings", "some findings"), ("findings", "findings"),
    ):  # fmt: skip
        assert successor_words(route) == what


class Made:
    """An operation, as far as parts ask."""

    def __init__(self, name: str, **more: Any) -> None:
        self.name, self.noun = name, more.get("noun", name)
        self.extension = more.get("extension")
        self.optional = bool(self.extension) or more.get("optional", False)
        self.successor = self.ended = more.get("ended", "")


def test_parts_are_the_core_then_extensions_by_number_then_what_has_ended() -> None:
    given = [
        Made("b", extension="E10"), Made("old", ended="E14"), Made("a", extension="E9"),
        Made("site"), Made("cluster", optional=True), Made("c", noun="b", extension="E10"),
        Made("space"), Made("more_link", optional=True),
    ]  # fmt: skip
    found = parts(cast("list[Operation[..., Any]]", given))
    assert [(each.words, each.since, [op.name for op in each.operations]) for each in found] == [
        (CORE, "", ["site", "space"]),
        ("clusters", "", ["cluster"]),
        ("more links", "", ["more_link"]),
        ("publishing", "E9", ["a"]),
        ("bs", "E10", ["b", "c"]),
        ("olds", "", ["old"]),
    ]
    assert "E1" in FALLS_BACK
