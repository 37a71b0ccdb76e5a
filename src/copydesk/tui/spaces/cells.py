"""Collections and spaces as cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.text import Text

from copydesk.domain.filter import Fields
from copydesk.domain.moments import age, instant, told_ago
from copydesk.domain.space_tree import TRASH, RuleList, SpaceNode
from copydesk.domain.text import listed, plural
from copydesk.present.emoji import before
from copydesk.present.facts import Fact, hint
from copydesk.session.reads.spaces import SpaceDetails

LANGUAGES: Mapping[str, str] = {
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian",
    "pt": "Portuguese", "pt-br": "Portuguese (Brazil)", "ru": "Russian", "ja": "Japanese",
    "zh": "Chinese", "yue": "Cantonese", "ko": "Korean", "ar": "Arabic", "hi": "Hindi",
    "nl": "Dutch", "pl": "Polish", "tr": "Turkish", "sv": "Swedish", "no": "Norwegian",
    "da": "Danish", "fi": "Finnish", "el": "Greek", "cs": "Czech", "hu": "Hungarian",
    "ro": "Romanian", "th": "Thai", "vi": "Vietnamese", "id": "Indonesian", "ms": "Malay",
    "he": "Hebrew", "uk": "Ukrainian", "sk": "Slovak", "bg": "Bulgarian", "hr": "Croatian",
    "lt": "Lithuanian", "lv": "Latvian", "et": "Estonian", "sl": "Slovenian",
}  # fmt: skip
"""What languages are called; a code that is not here stands for itself."""

AUDIENCES: Mapping[str, str] = {
    "public": "public",
    "unlisted": "unlisted: whoever has the address",
    "share-link": "whoever has a share link",
    "visitor-auth": "signed-in visitors",
    "in-collection": "as its collection",
    "private": "private: members only",
}
"""Who can read a space, by its visibility."""

RIGHTS: Sequence[tuple[str, str]] = (
    ("review", "review"),
    ("comment", "comment"),
    ("edit", "edit"),
    ("merge", "merge"),
    ("admin", "administer"),
)
"""Permissions worth telling, in the order of their weight, and what they let a person do."""


def _rules_found(node: SpaceNode) -> Sequence[str] | str:
    """Return what a filter finds of the merge rules of a space."""
    from copydesk.domain.merge_rules import label

    return [label(rule) for rule, _ in node.rules] or node.rules_type


FIELDS: Fields[SpaceNode] = Fields(
    words=lambda node: node.title,
    keys={
        "title": lambda node: node.title,
        "visibility": lambda node: node.visibility,
        "language": lambda node: (node.language, LANGUAGES.get(node.language, "")),
        "rules": _rules_found,
    },
)
"""What the tree can be filtered by."""


def name(node: SpaceNode) -> Text | str:
    """Return the title, with what a collection holds."""
    if node.kind == "space":
        title = before(node.emoji, node.title)
        return Text.assemble(title, ("  no access", "muted")) if no_access(node) else title
    kind = "" if node.kind == "loose" else "collection, "
    if node.id == TRASH:
        return Text(node.title, style="muted")
    text = Text(node.title, style="strong")
    text.append(f"  ({kind}{node.spaces})" if kind else f"  ({node.spaces})", style="muted")
    return text


def number(count: int) -> Text | str:
    """Return a count; none is dim."""
    return str(count) if count else Text("0", style="muted")


def counted(node: SpaceNode, count: int) -> Text | str:
    """Return a count of a row; deleted spaces are not counted."""
    return "" if node.id == TRASH else number(count)


def rules(node: SpaceNode) -> Text | str:
    """Return the merge rules in a word or two."""
    if node.kind != "space":
        return ""
    if node.rules_type == "rules" and node.rules:
        return plural(len(node.rules), "rule")
    return Text("inherit" if node.rules_type == "inherit" else "none", style="muted")


def rules_told(_row: object, said: str) -> str:
    """Return what a cell of rules says in words; nothing of a space without any."""
    return {"none": "", "inherit": "rules inherited"}.get(said, said)


def open_told(_row: object, said: str) -> str:
    """Return how many change requests are open in words."""
    return f"{plural(int(said), 'change request')} open" if said.isdecimal() and int(said) else ""


def drafts_told(_row: object, said: str) -> str:
    """Return how many drafts there are in words."""
    return plural(int(said), "draft") if said.isdecimal() and int(said) else ""


def updated(node: SpaceNode, now: datetime) -> str:
    """Return how long ago it last changed."""
    return age(instant(node.updated), now)


def rule_words(given: RuleList, names: Mapping[str, str] | None = None) -> str:
    """Return merge rules as a sentence lists them, with the people whom they name."""
    from copydesk.domain.merge_rules import label

    names = names or {}
    parts = []
    for rule, users in given:
        last = "or" if rule == "require_one_of_specific_reviewers" else "and"
        people = listed([names.get(user, user) for user in users], last)
        if rule in ("require_specific_reviewers", "require_one_of_specific_reviewers"):
            parts.append(f"approval by {people}")
        else:
            parts.append(label(rule))
    return ", ".join(parts)


def facts(
    node: SpaceNode,
    now: datetime,
    *,
    organization_rules: tuple[str, RuleList] | None = None,
    details: SpaceDetails | None = None,
    unread: bool = False,
) -> list[Fact]:
    """Return what to know about a node, what matters most first.

    ``unread`` says that reading the details failed, so that none are on their way.
    """
    details = details or SpaceDetails()
    if node.kind != "space":
        return _collection_facts(node, now)
    found = [
        Fact("requests", _requests(node, details)),
        Fact("rules", _rules(node, organization_rules, details)),
        Fact("sites", _sites(details, unread=unread)),
        Fact("you may", may(node)),
        Fact("audience", AUDIENCES.get(node.visibility, node.visibility or "not known")),
        Fact("updated", _when(node.updated, now)),
    ]
    if node.language:
        found.append(Fact("language", LANGUAGES.get(node.language, node.language)))
    if node.edit_mode:
        locked = node.edit_mode == "locked"
        found.append(Fact("edits", "only in change requests" if locked else "live"))
    if node.git:
        found.append(Fact("git sync", f"{node.git}, {_when(node.git_updated, now)}"))
    if node.published_url:
        found.append(Fact("public", Text(node.published_url, style="link")))
    if node.app_url:
        found.append(Fact("app", Text(node.app_url, style="link")))
    return found


OPEN = "Open change requests"
"""The title of what `request_facts` tells."""


def request_facts(
    node: SpaceNode, details: SpaceDetails | None, now: datetime, *, unread: bool = False
) -> list[Fact]:
    """Return the open change requests of a space; nothing of what has none to be seen."""
    if node.kind != "space" or no_access(node):
        return []
    if not node.open:
        none = "None. Enter goes to the change requests of the space; ctrl+n begins one there."
        return [Fact("", hint(none))]
    if details is None or not details.listed:
        said = "not read: press R to try again" if unread else "reading…"
        return [Fact("", Text(said, style="muted"))]
    if details.requests is None:
        return [Fact("", Text("not said by the service", style="muted"))]
    found = [
        Fact(
            row.label,
            Text.assemble(row.subject, (f"   {row.author}, {age(row.updated, now)}", "muted")),
        )
        for row in details.requests
    ]
    if (more := node.open - len(found)) > 0:
        found.append(Fact("", Text(f"and {more} more", style="muted")))
    return found


def _collection_facts(node: SpaceNode, now: datetime) -> list[Fact]:
    if node.id == TRASH:
        return [Fact("", "Enter shows what is in it, to be restored.")]
    found = [
        Fact("holds", plural(node.spaces, "space")),
        Fact(
            "requests", f"{node.open} open, {node.draft} draft, {plural(node.comments, 'comment')}"
        ),
    ]
    if node.updated:
        found.append(Fact("updated", _when(node.updated, now)))
    if node.app_url:
        found.append(Fact("app", Text(node.app_url, style="link")))
    return found


def _requests(node: SpaceNode, details: SpaceDetails) -> Text:
    text = Text(f"{node.open} open", style="strong" if node.open else "")
    if details.needs_me:
        ask = "asks" if details.needs_me == 1 else "ask"
        text.append(f" ({details.needs_me} {ask} for your review)", style="accent")
    text.append(f", {node.draft} draft, {plural(node.comments, 'comment')} on the space")
    return text


def _rules(
    node: SpaceNode, organization: tuple[str, RuleList] | None, details: SpaceDetails
) -> Text | str:
    if node.rules_type == "rules" and node.rules:
        return rule_words(node.rules, details.names)
    if node.rules_type == "inherit":
        if organization is None:
            return "those of the organization"
        if organization[0] == "rules" and organization[1]:
            return f"{rule_words(organization[1], details.names)} (of the organization)"
        return "none, as in the organization: whoever may merge can"
    return "none: whoever may merge can"


def _sites(details: SpaceDetails, *, unread: bool) -> Text | str:
    if details.sites is None:
        return Text("not read: press R to try again" if unread else "reading…", style="muted")
    if not details.sites:
        return "in no site"
    return ", ".join(
        f"{title} ({where})" if where else f"{title} (not published)"
        for title, where in details.sites
    )


def may(node: SpaceNode) -> str:
    """Return what the reader may do in a space."""
    if node.permissions is None:
        return "not said by the service"
    granted = [words for permission, words in RIGHTS if permission in node.permissions]
    if granted:
        return listed(granted)
    return "read" if {"view", "access"} & set(node.permissions) else "not even read: no access"


def no_access(node: SpaceNode) -> bool:
    """Return whether the reader sees that a space is there, and no more."""
    return (
        node.kind == "space"
        and node.permissions is not None
        and not {"view", "access"} & set(node.permissions)
    )


def _when(iso: str, now: datetime) -> str:
    return told_ago(instant(iso), now) or "not known"
