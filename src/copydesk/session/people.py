"""The people of an organization, and what they and their messages are called on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden
from copydesk.domain.request_context import reads_cached
from copydesk.domain.text import clean, shorten
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.review import RequestedReviewer
    from copydesk.contract.models.user import User
    from copydesk.domain.mention import Named

MOST_MEMBERS = 5_000
"""Members that are read at most; further ones are not offered."""

LONGEST_NAME = 200
"""Characters of a name that are read."""

LONGEST_ID = 40
"""Characters of an id that stands for a name."""

READ = 400
"""Characters of a message in which its first words are looked for."""


class Members:
    """The people that can be mentioned, by organization."""

    def __init__(self) -> None:
        self._read: dict[str, list[Named]] = {}
        self._gate = asyncio.Lock()

    def known(self, organization: str | None) -> Sequence[Named] | None:
        """Return the members, or None while they have not been read."""
        return self._read.get(organization or "")

    async def read(self, api: Api, organization: str) -> Sequence[Named]:
        """Return the members, reading them at the first call. Raises ``ApiError``.

        Names are clean. A caller who may not see the members has nobody to mention.
        """
        async with self._gate:
            found = self._read.get(organization)
            if found is not None:
                return found
            found = []
            try:
                async for member in api.pages(ops.list_members, organization):
                    person = named(member.user)
                    if person.name and not member.disabled:
                        found.append(person)
                    if len(found) == MOST_MEMBERS:
                        break
            except Forbidden:
                pass
            found.sort(key=lambda person: person.name.casefold())
            if not reads_cached():
                self._read[organization] = found
            return found


def person_name(user: User | None) -> str:
    """Return the name of a person for the screen, never empty; "someone" for a deleted account."""
    names = () if user is None else (user.display_name, user.email, user.id)
    return next(filter(None, (_in_one_line(name) for name in names if name)), "someone")


def named(user: User) -> Named:
    """Return a person as texts name them; the name is empty for one who has none."""
    from copydesk.domain.mention import Named

    return Named(user.id, _in_one_line(user.display_name), _in_one_line(user.email or ""))


def _in_one_line(name: str) -> str:
    """Return a name with one blank between its words."""
    return " ".join(clean(name, limit=LONGEST_NAME).split())


def asked_name(asked: RequestedReviewer) -> str:
    """Return the name of who was asked for a review: a person, or "team Docs"."""
    if asked.team is None:
        return person_name(asked.user)
    title = _in_one_line(asked.team.title)
    return f"team {title or clean(asked.team.id, limit=LONGEST_ID)}"


def first_words(message: Comment | CommentReply, limit: int = 60) -> str:
    """Return the beginning of a message, for a title or a log line."""
    text = clean(message.body.markdown or "", limit=READ)
    return shorten(" ".join(text.split()), limit, glyphs().more)
