"""The undo of each kind of write, and the read it needs beforehand.

Every function returns a `Reversal` (or what makes one from the result of a write). Fields are wire
names and values. No request is sent here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
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
    value_at,
)
from copydesk.domain.text import clean

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
    space: str,
    request: str,
    comment: str,
    reply: str | None = None,
    *,
    text: str,
    draft: str = "",
    words: str = "",
) -> Reversal:
    """Return the way back of a comment (or a ``reply`` in one): it is deleted.

    It becomes a draft again, under ``draft``: its ``words`` as they were typed, else its ``text``.
    """
    name, ids = message_named(space, request, comment, reply)
    read = Step(f"get_{name}", {**ids, **MARKDOWN})
    fields: dict[str, JSON] = {"body.markdown": text}
    if reply is None:
        fields["replies"] = 0
    kept = {"key": draft, "text": words or text}
    restore = (Step("local.restore_draft", kept),) if draft else ()
    told = "People were notified when it was sent"
    return Reversal(
        (Step(f"delete_{name}", ids), *restore),
        (),
        Expectation(read, fields, said=_answered(reply)),
        Expectation(read, gone=True),
        f"{told}; its text is a draft again." if draft else f"{told}.",
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


BY_WORDS: Mapping[str, tuple[str, ...]] = {
    "update_change_request": ("status",),
    "update_change_request_comment": ("resolved", "addedReactions"),
    "update_change_request_comment_reply": ("addedReactions",),
    "update_space_comment": ("resolved", "addedReactions"),
    "update_space_comment_reply": ("addedReactions",),
}
"""The fields by which a write says what its writer made of words, by the operations that take them.
Where the words are others by now, it may mean something else: none of these goes without a look."""


def goes_by_words(request: Mapping[str, JSON]) -> bool:
    """Whether a noted request (``name`` and ``body``) means what it does because of words."""
    fields = BY_WORDS.get(str(request.get("name")), ())
    try:
        body = json.loads(request.get("body") or "{}")
    except (TypeError, ValueError):
        return bool(fields)
    return isinstance(body, dict) and any(name in body for name in fields)


def still_says(
    space: str,
    request: str,
    comment: str,
    reply: str | None = None,
    *,
    words: str | None,
    replies: int | None = None,
) -> Expectation:
    """Return that a comment (or a ``reply`` in it) has the words that were judged, and no more.

    Where ``replies`` is given, nobody has answered it since either: so many there were.
    """
    name, ids = message_named(space, request, comment, reply)
    fields: dict[str, JSON] = {"body.markdown": words or ""}
    said = "its words were changed since"
    if replies is not None:
        fields["replies"] = replies
        said = "it was answered, or its words were changed, since"
    return Expectation(Step(f"get_{name}", {**ids, **MARKDOWN}), fields, said=said)


def still_named(space: str, request: str, *, subject: str, revision: str) -> Expectation:
    """Return that a change request is about what was judged: its subject, and its ``revision``.

    That is "" where it was not read. The subject may be as lists show it.
    """
    read = Step("get_change_request", {"space_id": space, "change_request_id": request})
    judged = {"revision": revision} if revision else {}
    said = "its subject, or what it changes, was edited since"
    return Expectation(read, {**judged, "subject~clean": clean(subject)}, said=said)


def answers(made: Reversal, read: Step) -> bool:
    """Whether a write, by its way back, was a reply to the comment that is read."""
    first = made.back[0]
    return first.operation == f"delete_{read.operation.removeprefix('get_')}_reply" and (
        first.arguments.get("comment_id") == read.arguments.get("comment_id")
    )


def alike(one: Expectation, other: Expectation) -> bool:
    """Whether two expectations read the same thing, be it in another format."""
    a, b = ({**each.read.arguments, **MARKDOWN} for each in (one, other))
    return one.read.operation == other.read.operation and a == b


def still_discussed(
    space: str,
    request: str,
    thread: str | None = None,
    *,
    over: bool = False,
    closed: bool = False,
    words: str | None = None,
) -> Expectation | None:
    """Return that a thread, and the change request that it is on, is not done with.

    ``over`` says that the thread was when the comment was written, ``closed`` that the change
    request was: then it has to be there, no more.
    ``words`` are those that a reply answers; None where they are not known. None for a comment on a
    space, which is never done with.
    """
    ended: dict[str, JSON] = {} if over else {"status~ended": False}
    if thread is not None and words is not None:
        asked = still_says(space, request, thread, words=words)
        said = "its thread was resolved, or what it answers was changed, since"
        asked = replace(asked, fields={**ended, **asked.fields}, said=said)
        return still_open(asked, space, request, closed=closed)
    ids = {"space_id": space}
    if request:
        ids["change_request_id"] = request
    if thread is not None:
        name = "change_request_comment" if request else "space_comment"
        read = Step(f"get_{name}", {**ids, "comment_id": thread})
        asked = Expectation(read, ended, said="its thread was resolved since")
        return still_open(asked, space, request, closed=closed)
    if request:
        read, said = Step("get_change_request", ids), "it was merged or archived since"
        ended = {} if closed else ended
    else:
        return None
    return Expectation(read, ended, said=said)


def still_open(
    asked: Expectation, space: str, request: str, *, closed: bool = False
) -> Expectation:
    """Return that something holds, and that the change request it is in is not done with.

    Nothing besides where it is in none, or that was done with (``closed``) already.
    """
    if not request or closed:
        return asked
    ids = {"space_id": space, "change_request_id": request}
    said = "its change request was merged or archived since"
    read = Step("get_change_request", ids)
    return replace(asked, also=Expectation(read, {"status~ended": False}, said=said))


def still_judged(
    space: str, request: str, revision: str, *, subject: str | None = None, status: str = ""
) -> Expectation:
    """Return that a change request is still what a verdict is about: its revision and its subject.

    Without a ``revision`` ("", it was not read) it must only be open still, and what it had by way
    of a ``status`` where that is known: an open one may be a draft again.
    """
    read = Step("get_change_request", {"space_id": space, "change_request_id": request})
    said = "it was edited, renamed, closed or made a draft since you judged it"
    judged: dict[str, JSON] = {"status": status} if status else {"status~ended": False}
    if revision:
        judged["revision"] = revision
    if subject is not None:
        judged["subject~clean"] = clean(subject)
    return Expectation(read, judged, said=said)


def verdict_trace(
    space: str, request: str, revision: str, *, me: str, status: str, words: str = ""
) -> Trace:
    """Return how a verdict of mine is found that may have arrived.

    Its ``words`` are with it, or a comment of the change request: the same verdict may have been
    given without them.
    """
    ids = {"space_id": space, "change_request_id": request}
    return Trace(
        Step("list_change_request_reviews", ids),
        {"reviewer.id": me, **({"revision": revision} if revision else {})},
        "status",
        "createdAt",
        status,
        "comment.markdown",
        replace(message_trace(space, request, me=me), says=words) if words else None,
    )


def begun_trace(space: str, *, me: str, subject: str) -> Trace:
    """Return how a change request is found that may have been begun."""
    read = Step("list_space_change_requests", {"space_id": space, "status": "draft", "creator": me})
    return Trace(read, {}, "subject", "createdAt", subject)


_FEW_WORDS = frozenset({"status", "type", "role", "visibility", "language"})
"""The fields of bodies that say one of a few words."""


def put_in(body: JSON, old: str, new: str) -> JSON:
    """Return a body in which a text stands for another, wherever it stood as a whole.

    A value that is one of a few words, as a status, is no text.
    """
    match body:
        case str():
            return new if body.strip() == old.strip() else body
        case dict():
            return {
                name: value if name in _FEW_WORDS else put_in(value, old, new)
                for name, value in body.items()
            }
        case list():
            return [put_in(value, old, new) for value in body]
    return body


def edited(reversal: Reversal, before: JSON, after: JSON) -> Reversal | None:
    """Return the way back of a write whose body was edited while it waited.

    ``before`` and ``after`` are the bodies. None where it cannot be told: the result of the write
    differs from its body, or it changes more by now.
    """
    if reversal.still is None or not (isinstance(before, dict) and isinstance(after, dict)):
        return None
    if before.keys() != after.keys():
        return None
    fields: dict[str, JSON] = {}
    for path, value in reversal.still.fields.items():
        if value_at(before, path) != value:
            return None
        fields[path] = value_at(after, path)
    return replace(
        reversal,
        forth=tuple(
            replace(step, body=after) if step.body == before else step for step in reversal.forth
        ),
        still=replace(reversal.still, fields=fields),
    )
