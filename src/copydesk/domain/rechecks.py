"""What is read before a write goes that had to wait, where its way back does not say it.

A comment is for a thread or a change request that is not done with, a verdict for the revision that
was judged. No request is sent here.
"""

from __future__ import annotations

from copydesk.domain.reversal import Expectation, Step, Trace


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
