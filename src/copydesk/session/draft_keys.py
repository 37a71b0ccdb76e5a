"""The keys of drafts; each names the place of its text. Only this module parses them.

Keys are made where text is written; those of a review by `review_key`, so that saving and finding a
draft agree.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural
from copydesk.local.drafts import field_of
from copydesk.session.declarations import label, ways
from copydesk.session.target import Target

if TYPE_CHECKING:
    from copydesk.domain.access import Holder


@dataclass(frozen=True, slots=True)
class Belonging:
    """The screen and the object of a draft, and a description of the text.

    ``part`` tells the screen which of its fields to open (`Place.resume_draft`); empty when it
    opens none.
    """

    place: str
    target: Target
    words: str
    part: str = ""
    summary: Callable[[str], str] = str
    """Turns the saved text into readable text."""


def moves(text: str) -> str:
    """Return staged changes as text: their requests are the lines that begin with a dash."""
    said = [line for line in text.splitlines() if line.startswith("- ")]
    return "\n".join([f"{plural(len(said), 'change')} staged", "", *said])


def staged_moves(kept: Mapping[str, str]) -> dict[str, int]:
    """Return the number of staged changes by site, out of all saved texts."""
    lead = structure_key("")
    return {
        key.removeprefix(lead): sum(line.startswith("- ") for line in text.splitlines())
        for key, text in kept.items()
        if key.startswith(lead)
    }


WORDS = ""
"""The field of a saved form that holds the labels of its fields and the names of its ids."""


def form_text(
    values: Mapping[str, object], labels: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """Return a form as it is saved: its values, labels and the names of its ids."""
    return json.dumps({**values, WORDS: {"labels": dict(labels), "names": dict(names)}})


def form_words(kept: Mapping[str, object], of: str) -> dict[str, str]:
    """Return the saved ``labels`` of the fields of a form, or the ``names`` of its ids."""
    words = kept.get(WORDS)
    said = words.get(of) if isinstance(words, dict) else None
    return {
        str(key): clean(each)
        for key, each in (said if isinstance(said, dict) else {}).items()
        if isinstance(each, str)
    }


def fields(text: str) -> str:
    """Return the saved fields of a form as Markdown."""
    try:
        kept = json.loads(text)
    except ValueError:
        return text
    if not isinstance(kept, dict):
        return text
    labels, names = form_words(kept, "labels"), form_words(kept, "names")
    said = []
    for name, each in kept.items():
        if name == WORDS:
            continue
        value = str(len(each) if isinstance(each, list) else each)
        value = "\n".join(names.get(line, line) for line in value.split("\n"))
        between = "\n\n" if "\n" in value else " "
        # Line breaks in a field are kept, also in JSON.
        shown = f"```\n{value}\n```" if "\n" in value else value
        said.append(f"{labels.get(name, name)}:{between}{shown}")
    return "\n\n".join(said)


def structure_key(site: str) -> str:
    """Return the key of the staged structure of a site."""
    return f"structure {site}"


def share_link_key(site: str, link: str) -> str:
    """Return the key of the name of a share link; ``link`` is "new" for one to be made."""
    return f"share link {site} {link}"


def redirect_key(site: str, redirect: str) -> str:
    """Return the key of the form of a redirect; ``redirect`` is "new" for one to be made."""
    return f"redirect {site} {redirect}"


def schema_key(site: str) -> str:
    """Return the key of the adaptive schema of a site that is being edited."""
    return f"adaptive schema {site}"


def schema_text(text: str) -> str:
    """Return the text of a saved adaptive schema, without the original it is based on."""
    try:
        kept = json.loads(text)
    except ValueError:
        return text
    return str(kept.get("text", "")) if isinstance(kept, dict) else text


def tree_key(organization: str) -> str:
    """Return the key of the staged tree of collections and spaces."""
    return f"tree {organization}"


def access_key(where: Holder, part: str) -> str:
    """Return the key of levels that are staged for a space, a collection or a site, or invited."""
    return f"access {where.kind} {where.id} {part}"


def levels(text: str) -> str:
    """Return staged levels as text."""
    from copydesk.domain.access import staged_of  # a start needs none of it

    found = staged_of(text).values()
    return "\n".join([f"{plural(len(found), 'change')} staged", "",
                      *(f"- {clean(each.name)}: {each.said}" for each in found)])  # fmt: skip


def source_key(space: str, request: str, page: str) -> str:
    """Return the key of the text of a page that is being edited, before it is staged."""
    return f"page source {space} {request} {page}"


NEW_REQUEST = "new"
"""Stands for the change request of edits that is made once they are sent; no id is this word."""

SEND = "send"
"""The part that a review resumes where no text was left: all that is staged there is sent."""


def insertion_key(space: str, request: str, page: str, part: str) -> str:
    """Return the key of the path of a file that is inserted in a page, or of its words."""
    return f"page file {space} {request} {page} {part}"


def row_key(space: str, request: str, page: str) -> str:
    """Return the key of the form with the settings of a page in the tree of its request."""
    return f"page row {space} {request} {page}"


def suggestion_key(
    space: str, request: str, what: str, above: int, below: int, page: str, node: str
) -> str:
    """Return the key of a suggestion that is written: of its "lines", or of the "words" beside.

    They are about the line of the anchor ``node``, and so many lines above and below it.
    """
    return f"suggestion {what} {space} {request} {above} {below} {page}/{node}"


def hunk_key(space: str, request: str, hunk: str) -> str:
    """Return the key of the text that a person writes for a hunk that conflicts."""
    return f"settle hunk {space} {request} {hunk}"


def about_key(space: str, request: str) -> str:
    """Return the key of the subject and description of a change request."""
    return f"change-request {space} {request} about"


def marks_key(space: str, request: str) -> str:
    """Return the key of the form with the reader's own marks of a change request."""
    return f"change-request {space} {request} marks"


def revert_key(space: str, request: str) -> str:
    """Return the key of the reason for which a merge is taken back."""
    return f"change-request {space} {request} revert"


def new_request_key(space: str, cluster: str | None) -> str:
    """Return the key of the subject of a new change request, for a cluster if one is given."""
    return f"change-request {space} new" + (f" {cluster}" if cluster else "")


def form_key(place: str, target: Target, method: str, item: str = "") -> str:
    """Return the key of the draft of a form that an action of a list opens.

    ``method`` names the action, ``item`` is the id of its object.
    """
    whose = (target.organization, target.space, target.item)
    return " ".join(["form", place, *(each or "-" for each in whose), method, item]).rstrip()


def marked_verdict_key(status: str) -> str:
    """Return the key of the text of a verdict on all marked change requests."""
    return f"marked verdict {status}"


VIEW_NAME_KEY = "view name"
"""The key of the name of a view that is being saved."""


def review_key(space: str, request: str, part: str) -> str:
    """Return the key of a text about a change request; ``part`` names the field of the review.

    For a thread on a space itself ``request`` is "".
    """
    return f"{space}/{request}/{part}"


AHEAD = "ahead "
"""The prefix of keys of text typed before its field was on screen."""


def ahead_key(place: str, target: Target, action: str) -> str:
    """Return a new key for text typed ahead of a field that an action is about to open."""
    ids = {name: value for name, value in asdict(target).items() if value is not None}
    return AHEAD + json.dumps([place, action, secrets.token_hex(4), ids])


def ahead_action(key: str) -> str:
    """Return the id of the action that a text was typed ahead for; "" for other keys."""
    found = _ahead(key)
    return "" if found is None else found[1]


def ahead_for(keys: Iterable[str], place: str, action: str, field: str) -> list[str]:
    """Return the ``keys`` of text that was typed ahead for a field.

    They have the same ``action``, ``place`` and object: text typed for one row of a list is never
    offered for another.
    """
    about = belonging(field)
    if about is None:
        return []
    ids = {name: value for name, value in asdict(about.target).items() if value is not None}
    return [
        key
        for key in keys
        if (found := _ahead(key)) is not None
        and found[:2] == (place, action)
        and ids.items() <= asdict(found[2]).items()
    ]


def _ahead(key: str) -> tuple[str, str, Target] | None:
    if not key.startswith(AHEAD):
        return None
    try:
        match json.loads(key.removeprefix(AHEAD)):
            case [str(place), str(action), str(), dict(ids)]:
                names = {each.name for each in fields_of(Target)}
                known = {name: str(each) for name, each in ids.items() if name in names}
                return place, action, Target(**known)
    except ValueError:
        pass
    return None


def _given(word: str) -> str | None:
    return None if word == "-" else word


def _form_title(name: str, method: str) -> str:
    """Return the title of a form and of its screen."""
    title = next((way.title for way in ways() if way.name == name), None)
    if title is None:
        return f"form of {name.replace('-', ' ')}"
    told = label(name, method)
    return title if told is None else f"{title}: {told}"


def belonging(key: str) -> Belonging | None:
    """Return the screen and object of a draft; None for an unknown key."""
    if (field := field_of(key)) != key:  # two windows typed in the same field
        found = belonging(field)
        return None if found is None else replace(found, words=f"{found.words} (second text)")
    if (ahead := _ahead(key)) is not None:
        name, action, target = ahead
        return Belonging(name, target, _form_title(name, action.rpartition(".")[2]), key)
    match key.split(" "):
        case ["structure", site]:
            words = "staged for a site"
            return Belonging("site-structure", Target(site=site), words, summary=moves)
        case ["setting", name]:
            return Belonging("settings", Target(), f"setting {name}", name)
        case ["share", "link", site, link]:
            target = Target(site=site)
            return Belonging("share-links", target, "name of a share link", link, fields)
        case ["redirect", site, redirect]:
            return Belonging("redirects", Target(site=site), "redirect", redirect, fields)
        case ["adaptive", "schema", site]:
            target = Target(site=site)
            return Belonging("site-schema", target, "adaptive schema", "edit", schema_text)
        case ["access", "space" | "collection" | "site" as kind, id, part]:
            held = {"collection": "item"}.get(kind, kind)
            target = Target(**{held: id})
            if part == "staged":
                return Belonging("access", target, "staged roles", summary=levels)
            return Belonging("access", target, "invitation", part, fields)
        case ["tree", organization]:
            target = Target(organization=organization)
            words = "collections and spaces"
            return Belonging("organization-structure", target, words, summary=moves)
        case ["tree", "row", organization, row]:
            target = Target(organization=organization)
            words = "settings of a collection or a space"
            return Belonging("organization-structure", target, words, row, fields)
        case ["tree", "new", organization, kind]:
            target = Target(organization=organization)
            return Belonging("organization-structure", target, f"new {kind}", summary=fields)
        case ["change-request", space, request, "about"]:
            target = Target(space=space, change_request=request)
            return Belonging("changes", target, "description", "about")
        case ["change-request", space, request, "marks"]:
            target = Target(space=space, change_request=request)
            return Belonging("changes", target, "own labels and note", "marks", fields)
        case ["change-request", space, request, "revert"]:
            target = Target(space=space, change_request=request)
            return Belonging("review", target, "why a merge is reverted", "revert")
        case ["page", "source", space, request, page]:
            target = Target(space=space, change_request=request, page=page)
            if request == NEW_REQUEST:
                target = target.but(change_request=None)
            where = "pages" if request == NEW_REQUEST else "review"
            return Belonging(where, target, "edit of a page", f"source {page}")
        case ["page", "file", space, request, page, _]:
            target = Target(space=space, change_request=request, page=page)
            return Belonging("review", target, "file to insert", "insert")
        case ["page", "row", space, request, page]:
            target = Target(space=space, change_request=request, page=page)
            return Belonging("page-arrangement", target, "settings of a page", page, fields)
        case ["suggestion", what, space, request, above, below, *where]:
            page = where[0].partition("/")[0] if where else ""
            target = Target(space=space, change_request=request, page=page)
            words = "suggestion" if what == "lines" else "words beside a suggestion"
            part = " ".join(["suggest", above, below, *where])
            return Belonging("review", target, words, part)
        case ["settle", "hunk", space, request, hunk]:
            target = Target(space=space, change_request=request)
            return Belonging("settle", target, "hunk that conflicts", hunk)
        case ["outbox", entry]:
            words = "edit of a write that waits"
            return Belonging("outbox", Target(item=entry), words, entry, fields)
        case ["marked", "verdict", status]:
            words = "approval" if status == "approved" else "review asking for changes"
            return Belonging("changes", Target(), f"{words}, of several", f"verdict {status}")
        case ["view", "name"]:
            return Belonging("changes", Target(), "name of a view", "view")
        case ["change-request", space, "new", *cluster]:
            target = Target(space=space, cluster=cluster[0] if cluster else None)
            return Belonging("changes", target, "new change request", "new")
        case ["request", "of", "cluster", cluster]:
            return Belonging(
                "clusters", Target(cluster=cluster), "change request for a cluster", summary=fields
            )
        case ["site", "setting", site, setting]:
            target = Target(site=site)
            return Belonging("site-settings", target, "setting of a site", setting, fields)
        case ["form", place, organization, space, item, method, *about]:
            target = Target(
                organization=_given(organization), space=_given(space), item=_given(item)
            )
            part = " ".join([method, *about])
            return Belonging(place, target, _form_title(place, method), part, fields)
        case ["site", "new"]:
            return Belonging("sites", Target(), "new site", "new", fields)
        case ["site", "new", site, kind]:
            words = f"new {kind} of a site"
            return Belonging("site-structure", Target(site=site), words, f"new {kind}", fields)
        case ["site", "row", site, row]:
            return Belonging(
                "site-structure", Target(site=site), "row of a site's structure", row, fields
            )
    space, _, rest = key.partition("/")
    request, _, part = rest.partition("/")
    if not (space and part):
        return None
    place, target = "review", Target(space=space, change_request=request)
    if not request:
        place, target = "space-comments", Target(space=space)
    match part.split(" "):
        case ["space"] if not request:
            return Belonging(place, target, "comment on the space", part)
        case ["request"] if request:
            return Belonging(place, target, "comment on the change request", part)
        case ["verdict", "approved"] if request:
            return Belonging("review", target, "approval", part)
        case ["verdict", _] if request:
            return Belonging("review", target, "review asking for changes", part)
        case ["reply", thread]:
            return Belonging(place, target.but(thread=thread), "reply", part)
        case ["edit", message]:
            return Belonging(place, target.but(thread=message), "edit of a message", part)
    page, _, node = part.partition("/")
    if not node:
        return None
    words = "comment on a page" if node == "page" else "comment on a line"
    return Belonging(place, target.but(page=page), words, part)
