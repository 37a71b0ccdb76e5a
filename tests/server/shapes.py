"""What the API says every resource is, and where a value is something else.

Left out is what a desk on this machine cannot have: pictures that it serves, and billing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from copydesk.server.access import (
    COLLECTION_PERMISSIONS,
    ORGANIZATION_PERMISSIONS,
    SITE_PERMISSIONS,
    SPACE_PERMISSIONS,
)

Check = Callable[[Any], bool]


def moment(value: Any) -> bool:
    return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def yes_or_no(value: Any) -> bool:
    return isinstance(value, bool)


def words(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def url(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"https?://[^/\s]+(/\S*)?$", value) is not None


def host_and_path(value: Any) -> bool:
    return isinstance(value, str) and url(f"https://{value}") and "/" in value


def one_of(*values: Any) -> Check:
    return lambda value: value in values


def each(shape: Any) -> Check:
    return lambda value: isinstance(value, list) and value != [] and all_match(value, shape)


def all_match(values: list[Any], shape: Any) -> bool:
    return all(not list(problems(value, shape)) for value in values)


def permissions(names: Any) -> dict[str, Check]:
    return dict.fromkeys(names, yes_or_no)


HERE = {"location": url}
SHOWN = {"location": url, "app": url}
ROLE = one_of("admin", "create", "edit", "review", "comment", "read", None)
LEVEL = one_of("admin", "create", "edit", "review", "comment", "read", "inherit", None)
DOCUMENT = {"object": one_of("document"), "data": dict, "nodes": each(dict)}

USER = {
    "object": one_of("user"),
    "id": words,
    "displayName": words,
    "email": words,
    "photoURL": url,
    "urls": HERE,
}
MEMBER = {
    "object": one_of("member"),
    "id": words,
    "role": ROLE,
    "user": USER,
    "disabled": yes_or_no,
    "joinedAt": moment,
    "lastSeenAt": moment,
    "sso": yes_or_no,
    "spaces": whole,
    "teams": whole,
    "sites": whole,
}
TEAM = {
    "object": one_of("team"),
    "id": words,
    "title": words,
    "members": whole,
    "spaces": whole,
    "createdAt": moment,
    "permissions": permissions(("admin", "view")),
}
REACTION = {"emoji": words, "count": whole, "users": each({"user": USER, "reactedAt": moment})}
TALK = {
    "id": words,
    "postedBy": USER,
    "postedAt": moment,
    "editedAt": moment,
    "reactions": each(REACTION),
    "body": {"markdown": words},
    "urls": HERE,
    "permissions": permissions(("view", "edit", "reply", "delete")),
}
COMMENT = TALK | {
    "object": one_of("comment"),
    "replies": whole,
    "repliers": each({"updatedAt": moment, "count": whole, "user": USER}),
    "target": {
        "node": {"id": words},
        "tableCell": {"record": words, "definition": words},
        "changeRequest?": words,
        "review?": words,
        "page": {"id": words},
        "space": words,
        "revision": words,
    },
    "status": one_of("open", "resolved"),
    "resolvedAt": moment,
    "resolvedBy": USER,
}
REPLY = TALK | {"object": one_of("comment-reply")}
SPACE = {
    "object": one_of("space"),
    "id": words,
    "title": words,
    "emoji": words,
    "visibility": words,
    "createdAt": moment,
    "updatedAt": moment,
    "deletedAt?": moment,
    "editMode": one_of("live", "locked"),
    "mergeRules": {"type": one_of("rules"), "rules": each({"rule": words, "users": each(words)})},
    "urls": {"location": url, "app": url, "published?": url},
    "organization": words,
    "parent": words,
    "language": words,
    "gitSync": {
        "repoName": words,
        "installationStatus": one_of("active"),
        "installationId": words,
        "installationProvider": words,
        "integration": words,
        "url": url,
        "updatedAt": moment,
    },
    "visitorAuth": {"backend": words},
    "revision": words,
    "defaultLevel": LEVEL,
    "comments": whole,
    "changeRequests": whole,
    "changeRequestsOpen": whole,
    "changeRequestsDraft": whole,
    "permissions": permissions(SPACE_PERMISSIONS),
}
COLLECTION = {
    "object": one_of("collection"),
    "id": words,
    "title": words,
    "description": words,
    "organization": words,
    "parent": words,
    "defaultLevel": LEVEL,
    "urls": SHOWN,
    "permissions": permissions(COLLECTION_PERMISSIONS),
}
ORGANIZATION = {
    "object": one_of("organization"),
    "id": words,
    "title": words,
    "createdAt": moment,
    "emailDomains": each(words),
    "hostname": words,
    "type": words,
    "useCase": words,
    "communityType": words,
    "defaultRole": ROLE,
    "defaultContent": {"type": one_of("site"), "site": words},
    "sso": yes_or_no,
    "ai": yes_or_no,
    "inviteLinks": yes_or_no,
    "plan": words,
    "mergeRules": {"type": one_of("none")},
    "urls": {"location": url, "app": url, "logo": url},
    "trial": {"status": words, "count": whole},
    "permissions": permissions(ORGANIZATION_PERMISSIONS),
}
SITE = {
    "object": one_of("site"),
    "id": words,
    "type": words,
    "appliedType": words,
    "title": words,
    "icon": {"icon": {"light": url, "dark": url}},
    "hostname": words,
    "basename": words,
    "proxy": {"origin": host_and_path, "target": url},
    "visibility": words,
    "defaultLevel": LEVEL,
    "permissions": permissions(SITE_PERMISSIONS),
    "published": yes_or_no,
    "siteSpaces": whole,
    "createdAt": moment,
    "adaptiveContent": {"enabled": yes_or_no},
    "ads": {"status": words, "submittable": yes_or_no},
    "agentsContext": one_of("excluded", "included"),
    "features": each({"id": words, "plan": words, "frozen": yes_or_no, "customizations": list}),
    "urls": {"location": url, "app": url, "published": url, "preview": url},
}
SITE_SPACE = {
    "object": one_of("site-space"),
    "id": words,
    "path": words,
    "section": words,
    "space": SPACE,
    "title": words,
    "default": yes_or_no,
    "draft": yes_or_no,
    "condition": words,
    "hasAdvancedCustomizationFeature": yes_or_no,
    "urls": {"published": url},
    "hidden": yes_or_no,
}
SECTION = {
    "object": one_of("site-section"),
    "id": words,
    "title": words,
    "description": words,
    "default": yes_or_no,
    "draft": yes_or_no,
    "path": words,
    "condition": words,
    "sectionGroup": words,
    "siteSpaces": each(SITE_SPACE),
    "urls": {"published": url},
    "icon": words,
}
LINK = {
    "object": one_of("site-external-link"),
    "id": words,
    "title": words,
    "localizedTitle": {"de": words},
    "description": words,
    "localizedDescription": {"de": words},
    "icon": words,
    "url": url,
    "sectionGroup": words,
    "draft": yes_or_no,
    "condition": words,
}
GROUP = {
    "object": one_of("site-section-group"),
    "id": words,
    "title": words,
    "localizedTitle": {"de": words},
    "sections": each(SECTION),
    "sectionGroup?": words,
    "draft": yes_or_no,
    "children": lambda inside: len(inside) == 2,
    "icon": words,
}
REDIRECT = {
    "object": one_of("site-redirect"),
    "id": words,
    "source": words,
    "draft": yes_or_no,
    "captureWildcard": yes_or_no,
    "permanent": yes_or_no,
    "destination": {"kind": one_of("site-section"), "siteSectionId": words},
    "createdAt": moment,
}
SHARE_LINK = {
    "object": one_of("share-link"),
    "id": words,
    "createdAt": moment,
    "name": words,
    "active": yes_or_no,
    "urls": {},
}
CHANGE_REQUEST = {
    "object": one_of("change-request"),
    "id": words,
    "number": whole,
    "status": one_of("draft", "open", "archived", "merged"),
    "subject": words,
    "description": DOCUMENT,
    "createdBy": USER,
    "createdAt": moment,
    "updatedAt": moment,
    "space": words,
    "revision": words,
    "revisionInitial": words,
    "revisionMergedAncestor": words,
    "revisionMerged": words,
    "mergedBy": USER,
    "mergedAt": moment,
    "comments": whole,
    "outdated": yes_or_no,
    "conversationsIssuesCluster": words,
    "urls": SHOWN,
}
REVIEW = {
    "object": one_of("change-request-review"),
    "id": words,
    "revision": words,
    "reviewer": USER,
    "status": one_of("approved", "changes-requested"),
    "outdated": yes_or_no,
    "comment": lambda said: said["object"] == "comment" and words(said["markdown"]),
    "createdAt": moment,
    "updatedAt": moment,
    "urls": HERE,
}
CLUSTER = {
    "object": one_of("issues-cluster"),
    "id": words,
    "label": words,
    "createdAt": moment,
    "updatedAt": moment,
    "icon": words,
    "summary": words,
    "weeklyPulse": lambda weeks: len(weeks) == 13 and all(map(whole, weeks)),
    "sources": {"help-desk": whole},
    "stats": {"issues": whole, "conversations": whole, "suggestions": whole},
    "firstSeenAt": moment,
    "named": one_of("hand"),
    "history": list,
    "urls": HERE,
}
CONVERSATION = {
    "object": one_of("conversation"),
    "id": words,
    "subject": words,
    "createdAt": moment,
    "processedAt": moment,
    "source": words,
    "urls": {"location": url, "source": url},
}
ISSUE = {
    "object": one_of("conversation-issue"),
    "id": words,
    "title": words,
    "summary": words,
    "createdAt": moment,
    "ingestedAt": moment,
    "conversation": words,
    "cluster": words,
    "urls": HERE,
}
ABSENT_OUTSIDE = ("parent", "description")
"""What a collection at the root that nobody described does not have."""

SCHEMA = {"object": one_of("site-adaptive-schema"), "jsonSchema": dict, "updatedAt": moment}


def problems(value: Any, shape: Any, where: str = "") -> Iterator[str]:
    """Say where a value is not what a shape says; a ``?`` marks what may be absent."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{where}: {value!r} is not an object"
            return
        known = {name.removesuffix("?") for name in shape}
        yield from (f"{where}.{name}: not documented" for name in value.keys() - known)
        for name, inner in shape.items():
            if name.removesuffix("?") in value:
                yield from problems(value[name.removesuffix("?")], inner, f"{where}.{name}")
            elif not name.endswith("?"):
                yield f"{where}.{name}: absent"
    elif isinstance(shape, type):
        if not isinstance(value, shape):
            yield f"{where}: {value!r}"
    elif not shape(value):
        yield f"{where}: {value!r}"
