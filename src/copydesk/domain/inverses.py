"""The undo of each kind of write, and the read it needs beforehand.

Every function returns a `Reversal` (or what makes one from the result of a write). Fields are wire
names and values. No request is sent here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from copydesk.domain.reversal import (
    JSON,
    Expectation,
    Reversal,
    Step,
    Trace,
    changed,
    swapped,
    text_in,
)

MARKDOWN = {"format": "markdown"}
"""How the text of a message is read, to be compared with the text that was sent."""


# Change requests


def request_changed(
    space: str, request: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of new values for a change request's subject, description or status."""
    ids = {"space_id": space, "change_request_id": request}
    return changed(
        "update_change_request", "get_change_request", ids, before, after, shown=_by_text
    )


def request_begun(space: str, request: str) -> Reversal:
    """Return the way back of a new change request: it is archived; there is no deleting one."""
    ids = {"space_id": space, "change_request_id": request}
    read = Step("get_change_request", ids)
    return Reversal(
        (Step("update_change_request", ids, {"status": "archived"}),),
        (),
        Expectation(read, {"status": "draft"}),
        Expectation(read, {"status": "archived"}),
    )


def reviewers_asked(
    space: str, request: str, *, asked: Collection[str] = (), left: Collection[str] = ()
) -> Reversal:
    """Return the way back of asking some people (``asked``) and others no longer (``left``)."""
    ids = {"space_id": space, "change_request_id": request}
    read = Step("list_requested_reviewers", ids)

    def turn(ask: Collection[str], leave: Collection[str]) -> tuple[Step, ...]:
        new = (Step("request_reviewers", ids, {"users": sorted(ask)}),) if ask else ()
        old = (
            Step("remove_requested_reviewer", {**ids, "user_id": user}) for user in sorted(leave)
        )
        return (*new, *old)

    def there(ask: Collection[str], leave: Collection[str]) -> Expectation:
        fields = {f"items{{user.id={user}}}.user.id": [user] for user in ask}
        fields.update({f"items{{user.id={user}}}.user.id": [] for user in leave})
        return Expectation(read, fields, said="who is asked for a review was changed since")

    return Reversal(turn(left, asked), turn(asked, left), there(asked, left), there(left, asked))


# Threads


def message_named(
    space: str, request: str, comment: str, reply: str | None
) -> tuple[str, dict[str, str]]:
    """Return how operations on a comment or a ``reply`` in it end, and the ids that name it.

    Threads on a space itself have no ``request`` ("").
    """
    ids = {"space_id": space, "comment_id": comment}
    name = "space_comment"
    if request:
        ids["change_request_id"], name = request, "change_request_comment"
    if reply is None:
        return name, ids
    return f"{name}_reply", {**ids, "comment_reply_id": reply}


def message_sent(
    space: str, request: str, comment: str, reply: str | None = None, *, text: str, draft: str = ""
) -> Reversal:
    """Return the way back of a comment (or a ``reply`` in one): it is deleted.

    The text becomes a draft again, under ``draft``.
    """
    name, ids = message_named(space, request, comment, reply)
    read = Step(f"get_{name}", {**ids, **MARKDOWN})
    fields: dict[str, JSON] = {"body.markdown": text}
    if reply is None:
        fields["replies"] = 0
    restore = (Step("local.restore_draft", {"key": draft}),) if draft else ()
    return Reversal(
        (Step(f"delete_{name}", ids), *restore),
        (),
        Expectation(read, fields, said=_answered(reply)),
        Expectation(read, gone=True),
        "People were notified when it was sent.",
    )


def _answered(reply: str | None) -> str:
    return "" if reply is not None else "it was answered or edited since"


def message_edited(
    space: str, request: str, comment: str, reply: str | None = None, *, before: str, after: str
) -> Reversal:
    """Return the way back of another text in a comment or a reply."""
    name, ids = message_named(space, request, comment, reply)
    read = Step(f"get_{name}", {**ids, **MARKDOWN})

    def turn(text: str) -> tuple[Step, ...]:
        return (Step(f"update_{name}", ids, {"body": {"markdown": text}}),)

    def there(text: str) -> Expectation:
        return Expectation(read, {"body.markdown": text}, said="its text was changed since")

    return swapped(turn, there, before, after)


def thread_resolved(space: str, request: str, comment: str, *, resolved: bool) -> Reversal:
    """Return the way back of resolving a thread, or of opening it again (``resolved`` False)."""
    name, ids = message_named(space, request, comment, None)
    read = Step(f"get_{name}", ids)

    def turn(to: bool) -> tuple[Step, ...]:
        return (Step(f"update_{name}", ids, {"resolved": to}),)

    def there(is_so: bool) -> Expectation:
        said = f"it was {'reopened' if is_so else 'resolved'} since"
        return Expectation(read, {"status": "resolved" if is_so else "open"}, said=said)

    return swapped(turn, there, not resolved, resolved)


def reacted(
    space: str,
    request: str,
    comment: str,
    reply: str | None = None,
    *,
    emoji: str,
    me: str,
    added: bool,
) -> Reversal:
    """Return the way back of a reaction of mine, put there or (``added`` False) taken away."""
    name, ids = message_named(space, request, comment, reply)
    read = Step(f"get_{name}", ids)
    path = f"reactions{{emoji={emoji}}}.users{{user.id={me}}}.user.id"

    def turn(add: bool) -> tuple[Step, ...]:
        field = "addedReactions" if add else "removedReactions"
        return (Step(f"update_{name}", ids, {field: [emoji]}),)

    def there(is_there: bool) -> Expectation:
        said = "the reaction was changed since"
        return Expectation(read, {path: [me] if is_there else []}, said=said)

    return swapped(turn, there, not added, added)


def message_trace(
    space: str,
    request: str,
    comment: str | None = None,
    *,
    me: str,
    page: str | None = None,
    node: str | None = None,
) -> Trace:
    """Return how a comment is found that may have arrived, or (in a ``comment``) a reply."""
    if comment is not None:
        name, of = message_named(space, request, comment, None)
        read = Step(f"list_{name}_replies", {**of, **MARKDOWN})
        return Trace(read, {"postedBy.id": me})
    fields = {"postedBy.id": me, "target.page.id": page, "target.node.id": node}
    if not request:
        return Trace(Step("list_space_comments", {"space_id": space, **MARKDOWN}), fields)
    ids = {"space_id": space, "change_request_id": request}
    return Trace(Step("list_change_request_comments", {**ids, **MARKDOWN}), fields)


# This machine


def draft_dropped(key: str) -> Reversal:
    """Return the way back of discarding a draft."""
    read = Step("local.draft", {"key": key})
    return Reversal(
        (Step("local.restore_draft", {"key": key}),),
        (Step("local.drop_draft", {"key": key}),),
        Expectation(read, gone=True, said="something else was typed there since"),
        Expectation(read, {"kept": True}),
    )


def _by_text(values: Mapping[str, Any]) -> dict[str, JSON]:
    """Return what to expect of values: of a document its text, as services tidy the rest."""
    return {
        f"{name}~text" if isinstance(value, dict) else name: (
            text_in(value) if isinstance(value, dict) else value
        )
        for name, value in values.items()
    }
