"""Who is suggested for a review: the owners of the changed pages, then who wrote in them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.client.errors import ApiError
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.owners import Owned, rule_of
from copydesk.domain.text import clean, plural
from copydesk.session.names import person_name
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User

REVISIONS = 6
"""Revisions of the space that are read at most to tell who wrote: two requests each."""

CHANGES = 200
"""Changes of a revision that are looked through."""

USES = ("get_revision", "get_revision_changes")
"""The operations that `read_writers` uses."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody is suggested: the pages that they own by a rule, and those they wrote in."""

    owns: int = 0
    rule: str = ""
    wrote: int = 0

    @property
    def words(self) -> str:
        """The reason in a few words."""
        owned = f"owns {clean(self.rule, limit=40)} ({plural(self.owns, 'page')})"
        wrote = f"wrote in {self.wrote:,} of these pages"
        return owned if self.owns else wrote if self.wrote else ""

    @property
    def rank(self) -> tuple[int, int]:
        """What puts them in order: owners first, then who wrote in most pages."""
        return -self.owns, -self.wrote


async def read_writers(
    api: Api, space: str, revision: str, pages: Collection[str]
) -> dict[str, set[str]]:
    """Return the pages that people changed in the newest revisions of a space, by their ids.

    It reads `REVISIONS` of them at most, and tells what it knows where one cannot be read.
    """
    authors: dict[str, str] = {}
    following: str | None = revision
    try:
        while following and len(authors) < REVISIONS:
            whole = await api(ops.get_revision, space, following, computed=False)
            merged = whole.merged_from
            who = (merged and merged.created_by) or whole.created_by
            if not whole.parents and whole.git is not None:
                break  # the first of an import has all pages at once
            authors[following] = who.id if who else ""
            following = next(iter(whole.parents), None)
    except ApiError:
        pass

    async def changed(revision: str) -> set[str]:
        try:
            told = await api(ops.get_revision_changes, space, revision, limit=CHANGES)
        except ApiError:
            return set()
        return {each.page.id for each in told.changes if each.page is not None} & set(pages)

    found: dict[str, set[str]] = {}
    told = await asyncio.gather(*map(changed, authors))
    for author, theirs in zip(authors.values(), told, strict=True):
        if author and theirs:
            found.setdefault(author, set()).update(theirs)
    return found


def reasons(
    people: Mapping[str, User],
    paths: Iterable[str],
    rules: Sequence[Owned],
    writers: Mapping[str, Collection[str]],
) -> tuple[dict[str, Reason], list[str]]:
    """Return why people are suggested, by id, and the owners who are not among the people.

    An owner is known by the address or by the name, in whatever case.
    """
    known: dict[str, str] = {}
    for user in people.values():
        known.setdefault(person_name(user).casefold(), user.id)
    known.update((user.email.casefold(), user.id) for user in people.values() if user.email)
    owned: dict[str, tuple[int, str]] = {}
    strangers: dict[str, None] = {}
    for rule in filter(None, (rule_of(path, rules) for path in paths)):
        for person in rule.people:
            if (user_id := known.get(person.casefold())) is None:
                strangers[person] = None
            else:
                count, first = owned.get(user_id, (0, rule.pattern))
                owned[user_id] = count + 1, first
    return {
        user: Reason(*owned.get(user, (0, "")), len(writers.get(user, ()))) for user in people
    }, [*strangers]
