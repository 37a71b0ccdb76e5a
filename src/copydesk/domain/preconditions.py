"""The reads before a write leaves the outbox, where its way back does not name them.

A comment is for a thread or a change request that is not done with, a reply for the words that it
answers, a verdict for the revision that was judged; who resolves, reacts or archives has judged by
words as well (`goes_by_words`). No request is sent here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from copydesk.domain.inverses import MARKDOWN, message_named, message_trace
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, Trace, value_at
from copydesk.domain.text import clean

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
    return first.operation == f"{read.operation.replace('get_', 'delete_', 1)}_reply" and (
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
