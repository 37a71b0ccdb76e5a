"""What is read before a write goes that had to wait, where its way back does not say it.

A comment is for a thread or a change request that is not done with, a verdict for the revision that
was judged. No request is sent here.
"""

from __future__ import annotations

from dataclasses import replace

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, Trace, value_at


def still_discussed(
    space: str, request: str, thread: str | None = None, *, over: bool = False
) -> Expectation | None:
    """Return that a thread, or the change request that is commented on, is not done with.

    ``over`` says that it was when the comment was written: then it has to be there, no more. None
    for a comment on a space, which is never done with.
    """
    ids = {"space_id": space}
    if request:
        ids["change_request_id"] = request
    if thread is not None:
        name = "change_request_comment" if request else "space_comment"
        read = Step(f"get_{name}", {**ids, "comment_id": thread})
        said = "its thread was resolved since"
    elif request:
        read, said = Step("get_change_request", ids), "it was merged or archived since"
    else:
        return None
    return Expectation(read, {} if over else {"status~ended": False}, said=said)


def still_judged(space: str, request: str, revision: str) -> Expectation:
    """Return that a change request is still at the revision that a verdict is about.

    Without a ``revision`` ("", it was not read) it must only be open still.
    """
    read = Step("get_change_request", {"space_id": space, "change_request_id": request})
    said = "it was edited or closed since you judged it"
    judged = {"revision": revision} if revision else {}
    return Expectation(read, {**judged, "status~ended": False}, said=said)


def verdict_trace(space: str, request: str, revision: str, *, me: str, status: str) -> Trace:
    """Return how a verdict of mine is found that may have arrived."""
    ids = {"space_id": space, "change_request_id": request}
    return Trace(
        Step("list_change_request_reviews", ids),
        {"reviewer.id": me, **({"revision": revision} if revision else {})},
        "status",
        "createdAt",
        status,
    )


def begun_trace(space: str, *, me: str, subject: str) -> Trace:
    """Return how a change request is found that may have been begun."""
    read = Step("list_space_change_requests", {"space_id": space, "status": "draft", "creator": me})
    return Trace(read, {}, "subject", "createdAt", subject)


_FEW_WORDS = frozenset({"status", "type", "role", "visibility", "language"})
"""The fields of bodies that say one of a few words."""


def put_in(body: JSON, old: str, new: str) -> JSON:
    """Return a body in which a text stands for another, wherever it stood as a whole.

    What is one of a few words, as a status is, is no text.
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

    ``before`` and ``after`` are the bodies. None where it cannot be told: what the write leaves is
    not what its body says, or it changes more by now.
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
