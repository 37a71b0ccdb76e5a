"""Asking people for a review: a list to tick them in, and what differs is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from copydesk.domain.inverses import reviewers_asked
from copydesk.domain.text import clean, listed

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User
    from copydesk.tui.place import Place

PEOPLE = 1000
"""Members that the list offers."""

USES = (
    "list_requested_reviewers",
    "request_reviewers",
    "remove_requested_reviewer",
    "list_members",
)
"""The operations that asking uses."""


async def ask_reviewers(
    place: Place,
    *,
    organization: str,
    space: str,
    request: str,
    label: str,
    author: str,
    before: Mapping[str, User],
) -> bool:
    """Let the reader tick who is asked to review; return whether anything was sent.

    ``before`` are those who are asked now, by id. The author is not offered. Raises `WriteError`.
    """
    from copydesk.contract import operations as ops
    from copydesk.contract.models.review import ReviewersRequest
    from copydesk.tui.present.comment import name_of
    from copydesk.tui.widgets.choice import Choices, Option

    api = await place.session.ready()
    people = dict(before)
    page = await api(ops.list_members, organization, limit=PEOPLE)
    people.update((m.user.id, m.user) for m in page.items if not m.disabled)
    people.pop(author, None)
    options = sorted(
        (Option(user.id, name_of(user), clean(user.email or "")) for user in people.values()),
        key=lambda option: (option.id not in before, option.title.casefold()),
    )
    sheet = Choices(f"Ask to review {label}", options, ticked=list(before))
    chosen: frozenset[str] | None = await place.desk.push_screen_wait(sheet)
    if chosen is None or chosen == before.keys():
        return False
    old = frozenset(before)
    asked, left = chosen - old, old - chosen

    async def send(api: Api) -> None:
        if asked:
            body = ReviewersRequest(users=sorted(asked))
            await api(ops.request_reviewers, space, request, body)
        for user in sorted(left):
            await api(ops.remove_requested_reviewer, space, request, user)

    names = listed([name_of(people[user]) for user in sorted(chosen) if user in people])
    await place.perform(
        "Ask for a review",
        label,
        send,
        reversal=reviewers_asked(space, request, asked=asked, left=left),
        several=len(left) + bool(asked) > 1,
        recall=True,
        done=f"Asked: {names}." if names else "Nobody is asked now.",
    )
    return True
