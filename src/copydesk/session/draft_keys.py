"""The keys of drafts; each names the place of its text. Only this module parses them.

Keys are made where text is written; those of a review by `review_key`, so that saving and finding a
draft agree.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
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
class DraftOwner:
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
    kept.pop(WORDS, None)
    said = []
    for name, each in kept.items():
        value = str(len(each) if isinstance(each, list) else each)
        value = "\n".join(names.get(line, line) for line in value.split("\n"))
        between = "\n\n" if "\n" in value else " "
        # Line breaks in a field are kept, also in JSON.
        shown = f"```\n{value}\n```" if "\n" in value else value
        said.append(f"{labels.get(name, name)}:{between}{shown}")
    return "\n\n".join(said)


def schema_text(text: str) -> str:
    """Return the text of a saved adaptive schema, without the original it is based on."""
    try:
        kept = json.loads(text)
    except ValueError:
        return text
    return str(kept.get("text", "")) if isinstance(kept, dict) else text


def page_text(text: str) -> str:
    """Return an edited page with its settings below its text, where they are no heading."""
    from copydesk.domain.page_source import without_front  # a start needs none of it

    body = without_front(text).lstrip("\n")
    settings = text.removesuffix(body).strip("\ufeff \r\n").strip("-").strip()
    return f"{body}\n\n```\n{settings}\n```" if settings else body


def levels(text: str) -> str:
    """Return staged levels as text."""
    from copydesk.domain.access import staged_of  # a start needs none of it

    found = staged_of(text).values()
    return "\n".join([f"{plural(len(found), 'change')} staged", "",
                      *(f"- {clean(each.name)}: {each.said}" for each in found)])  # fmt: skip


NEW_REQUEST = "new"
"""Stands for the change request of edits that is made once they are sent; no id is this word."""

SEND = "send"
"""The part that a review resumes where no text was left: all that is staged there is sent."""


_NAME = re.compile(r"\{(\w+)\}")
_IDS = frozenset(each.name for each in fields_of(Target))


@dataclass(frozen=True, slots=True)
class DraftKey:
    """The keys of one kind of draft: how they are written, and what `DraftOwner` has of them.

    ``form`` is the key with names in braces; those of ids of a `Target` say what it is about.
    ``words`` and ``part`` may have these names too.
    """

    form: str
    place: str
    words: str
    part: str = ""
    summary: Callable[[str], str] = str

    def __call__(self, *ids: str) -> str:
        """Return the key with these ids, in the order of the names in ``form``."""
        return _NAME.sub("{}", self.form).format(*ids)

    def read(self, key: Sequence[str]) -> DraftOwner | None:
        """Return where a draft belongs, by the words of its key; None for another kind."""
        form = self.form.split(" ")
        named = {each: word for each, word in zip(form, key, strict=False) if each[0] == "{"}
        if [named.get(each, each) for each in form] != list(key):
            return None
        found = {each.strip("{}"): word for each, word in named.items()}
        target = Target(**{name: word for name, word in found.items() if name in _IDS})
        words, part = self.words.format(**found), self.part.format(**found)
        return DraftOwner(self.place, target, words, part, self.summary)


structure_key = DraftKey("structure {site}", "site-structure", "staged for a site", summary=moves)
new_site_key = DraftKey("site new", "sites", "new site", "new", fields)
new_in_site_key = DraftKey(
    "site new {site} {kind}", "site-structure", "new {kind} of a site", "new {kind}", fields
)
site_row_key = DraftKey(
    "site row {site} {row}", "site-structure", "row of a site's structure", "{row}", fields
)
site_setting_key = DraftKey(
    "site setting {site} {setting}", "site-settings", "setting of a site", "{setting}", fields
)
share_link_key = DraftKey(
    "share link {site} {link}", "share-links", "name of a share link", "{link}", fields
)
"""``link`` is "new" for one to be made; so is ``redirect`` of the next."""
redirect_key = DraftKey("redirect {site} {redirect}", "redirects", "redirect", "{redirect}", fields)
schema_key = DraftKey(
    "adaptive schema {site}", "site-schema", "adaptive schema", "edit", schema_text
)
tree_key = DraftKey(
    "tree {organization}", "organization-structure", "collections and spaces", summary=moves
)
tree_row_key = DraftKey(
    "tree row {organization} {row}", "organization-structure",
    "settings of a collection or a space", "{row}", fields,
)  # fmt: skip
new_in_tree_key = DraftKey(
    "tree new {organization} {kind}", "organization-structure", "new {kind}", summary=fields
)
about_key = DraftKey(
    "change-request {space} {change_request} about", "changes", "description", "about"
)
marks_key = DraftKey(
    "change-request {space} {change_request} marks", "changes", "own labels and note", "marks",
    fields,
)  # fmt: skip
revert_key = DraftKey(
    "change-request {space} {change_request} revert", "review", "why a merge is reverted", "revert"
)
_new_key = DraftKey("change-request {space} new", "changes", "new change request", "new")
_new_for_cluster_key = replace(_new_key, form="change-request {space} new {cluster}")
source_key = DraftKey(
    "page source {space} {change_request} {page}", "review", "edit of a page", "source {page}",
    page_text,
)  # fmt: skip
"""The text of a page that is being edited, before it is staged."""
_new_source_key = replace(
    source_key, form=f"page source {{space}} {NEW_REQUEST} {{page}}", place="pages"
)
insertion_key = DraftKey(
    "page file {space} {change_request} {page} {of}", "review", "file to insert", "insert"
)
"""The path of a file that is inserted in a page, or the words that describe it."""
row_key = DraftKey(
    "page row {space} {change_request} {page}", "page-arrangement", "settings of a page", "{page}",
    fields,
)  # fmt: skip
hunk_key = DraftKey(
    "settle hunk {space} {change_request} {hunk}", "settle", "hunk that conflicts", "{hunk}"
)
_marked_approval_key = DraftKey(
    "marked verdict approved", "changes", "approval, of several", "verdict approved"
)
marked_labels_key = DraftKey("marked labels", "changes", "own labels, of several", "labels")
marked_verdict_key = DraftKey(
    "marked verdict {status}", "changes", "review asking for changes, of several",
    "verdict {status}",
)  # fmt: skip
view_name_key = DraftKey("view name", "changes", "name of a view", "view")
outbox_key = DraftKey("outbox {item}", "outbox", "edit of a write that waits", "{item}", fields)
setting_key = DraftKey("setting {name}", "settings", "setting {name}", "{name}")

KEYS = (
    structure_key, new_site_key, new_in_site_key, site_row_key, site_setting_key, share_link_key,
    redirect_key, schema_key, tree_key, tree_row_key, new_in_tree_key, about_key, marks_key,
    revert_key, _new_key, _new_for_cluster_key, _new_source_key, source_key, insertion_key, row_key,
    hunk_key, _marked_approval_key, marked_labels_key, marked_verdict_key, view_name_key,
    outbox_key, setting_key,
    DraftKey("request of cluster {cluster}", "clusters", "change request for a cluster",
        summary=fields),
    *(
        each
        for held, name in (("space", "space"), ("collection", "item"), ("site", "site"))
        for each in (
            DraftKey(f"access {held} {{{name}}} staged", "access", "staged roles", summary=levels),
            DraftKey(
                f"access {held} {{{name}}} {{part}}", "access", "invitation", "{part}", fields
            ),
        )
    ),
)  # fmt: skip
"""All of them; where two fit a key, the first counts."""


def access_key(where: Holder, part: str) -> str:
    """Return the key of levels that are staged for a space, a collection or a site, or invited."""
    return f"access {where.kind} {where.id} {part}"


def suggestion_key(
    space: str, request: str, what: str, above: int, below: int, page: str, node: str
) -> str:
    """Return the key of a suggestion that is written: of its "lines", or of the "words" beside.

    They are about the line of the anchor ``node``, and so many lines above and below it.
    """
    return f"suggestion {what} {space} {request} {above} {below} {page}/{node}"


def new_request_key(space: str, cluster: str | None) -> str:
    """Return the key of the subject of a new change request, for a cluster if one is given."""
    return _new_for_cluster_key(space, cluster) if cluster else _new_key(space)


def form_key(place: str, target: Target, method: str, item: str = "") -> str:
    """Return the key of the draft of a form that an action of a list opens.

    ``method`` names the action, ``item`` is the id of its object.
    """
    whose = (target.organization, target.space, target.item)
    return " ".join(["form", place, *(each or "-" for each in whose), method, item]).rstrip()


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
    ahead = [
        (key, found[2])
        for key in keys
        if (found := _ahead(key)) is not None and found[:2] == (place, action)
    ]
    about = belonging(field) if ahead else None
    if about is None:
        return []
    ids = {name: value for name, value in asdict(about.target).items() if value is not None}
    return [key for key, target in ahead if ids.items() <= asdict(target).items()]


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


def belonging(key: str) -> DraftOwner | None:
    """Return the screen and object of a draft; None for an unknown key."""
    if (field := field_of(key)) != key:  # two windows typed in the same field
        found = belonging(field)
        return None if found is None else replace(found, words=f"{found.words} (second text)")
    if (ahead := _ahead(key)) is not None:
        name, action, target = ahead
        return DraftOwner(name, target, _form_title(name, action.rpartition(".")[2]), key)
    words = key.split(" ")
    if (found := next(filter(None, (each.read(words) for each in KEYS)), None)) is not None:
        return found
    match words:
        case ["suggestion", what, space, request, above, below, *where]:
            page = where[0].partition("/")[0] if where else ""
            target = Target(space=space, change_request=request, page=page)
            said = "suggestion" if what == "lines" else "words beside a suggestion"
            part = " ".join(["suggest", above, below, *where])
            return DraftOwner("review", target, said, part)
        case ["form", place, organization, space, item, method, *about]:
            target = Target(
                organization=_given(organization), space=_given(space), item=_given(item)
            )
            part = " ".join([method, *about])
            return DraftOwner(place, target, _form_title(place, method), part, fields)
    space, _, rest = key.partition("/")
    request, _, part = rest.partition("/")
    if not (space and part):
        return None
    place, target = "review", Target(space=space, change_request=request)
    if not request:
        place, target = "space-comments", Target(space=space)
    match part.split(" "):
        case ["space"] if not request:
            return DraftOwner(place, target, "comment on the space", part)
        case ["request"] if request:
            return DraftOwner(place, target, "comment on the change request", part)
        case ["verdict", "approved"] if request:
            return DraftOwner("review", target, "approval", part)
        case ["verdict", _] if request:
            return DraftOwner("review", target, "review asking for changes", part)
        case ["reply", thread]:
            return DraftOwner(place, target.but(thread=thread), "reply", part)
        case ["edit", message]:
            return DraftOwner(place, target.but(thread=message), "edit of a message", part)
    page, _, node = part.partition("/")
    if not node:
        return None
    said = "comment on a page" if node == "page" else "comment on a line"
    return DraftOwner(place, target.but(page=page), said, part)
