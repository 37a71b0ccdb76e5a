"""What a service may lack, in words: the parts that its optional operations make up.

An extension or a noun that is not named here has the words of its noun, so that declaring an
operation is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from copydesk.contract.operation import Operation

CORE = "all else of the document"
"""The words for the operations that every service has to have."""

_NAMED = {
    "transfer_space": "transfer of a space",
    "sort_site_structure": "order of a site",
    "ingest_conversation": "sending of conversations",
    "list_conversation_issues": "issues of conversations",
    "get_conversation_issue": "issues of conversations",
    "list_organization_installations": "list of installations",
    "invite_members": "invitations",
    "list_invite_links": "invitations",
    "create_invite_link": "invitations",
    "get_invite_link": "invitations",
    "update_invite_link": "invitations",
    "get_user": "people by their ids",
    "list_openapi_spec_versions": "versions of specifications",
    "get_latest_openapi_spec_version": "versions of specifications",
    "search_site_content": "search of a site",
    "list_cluster_suggestions": "suggestions for clusters",
    "get_conversations_analysis": "analysis of conversations",
    "search_conversations": "search in conversations",
    "search_issues_clusters": "search in conversations",
}
"""Words for single operations, which go before those of their extension."""

_EXTENSIONS = {
    "E1": "owner of a token",
    "E2": "list of spaces",
    "E3": "new spaces",
    "E4": "reviews",
    "E5": "requested reviewers",
    "E6": "list of changes",
    "E7": "replies to comments",
    "E8": "single clusters",
    "E9": "publishing",
    "E11": "section groups",
    "E12": "redirects",
    "E13": "permissions",
    "E14": "findings",
    "E15": "traffic",
    "E16": "audit",
    "E17": "git",
    "E18": "changes to installations",
    "E19": "version of the service",
    "E21": "choice of files in an update",
    "E22": "clusters made by hand",
}

_NOUNS = {
    "change_request": "change requests",
    "cluster": "clusters",
    "content": "older versions",
    "conversation": "conversations",
    "glossary": "glossary",
    "link": "links",
    "publishing_auth": "sign-in of readers",
    "revision": "older versions",
    "site_section": "order of sections",
    "site_space": "order of spaces",
}

FALLS_BACK = frozenset({"E1", "E2", "E6", "E8", "E10", "E11", "E19"})
"""The extensions in whose place something else is read: no key is off without them
(docs/api-notes.md, Extensions, says what)."""


def words(operation: Operation[..., Any]) -> str:
    """Return what an optional operation belongs to, as a plural or a thing: "clusters"."""
    noun = operation.noun.replace("_", " ")
    return (
        _NAMED.get(operation.name)
        or _EXTENSIONS.get(operation.extension or "")
        or _NOUNS.get(operation.noun)
        or (noun if noun.endswith("s") else f"{noun}s")
    )


_SUCCESSORS = {
    "sort": "structure/sort",
    "context-records": "records",
    "conversations-clusters": "clusters of conversations",
}


def successor_words(route: str) -> str:
    """Return what a successor gives, by its route: "findings"."""
    last = route.rpartition("/")[2]
    return _SUCCESSORS.get(last, last.replace("-", " "))


@dataclass(frozen=True, slots=True)
class Part:
    """The operations that have the same words; ``since`` is their extension, "" for the document's
    own.
    """

    words: str
    since: str
    operations: tuple[Operation[..., Any], ...]


def parts(operations: Iterable[Operation[..., Any]]) -> list[Part]:
    """Return the parts of some operations: the core first, then extensions by their number, then
    what newer services have no longer.
    """
    found: dict[tuple[str, str], list[Operation[..., Any]]] = {}
    for each in operations:
        named = words(each) if each.optional or each.successor else CORE
        found.setdefault((named, each.extension or ""), []).append(each)
    made = [Part(named, since, tuple(each)) for (named, since), each in found.items()]
    return sorted(made, key=_order)


def _order(part: Part) -> tuple[int, int]:
    ended = any(each.ended for each in part.operations)
    number = int(part.since[1:]) if part.since[1:].isdigit() else 0
    return (0 if part.words == CORE else 2 if ended else 1, number)
