"""What a change request does to the links around it: who points at what it changes, what breaks.

Links are known by where they stand and where they lead. A link that was broken before the change
is not the change's doing; one that stands twice on a page and breaks is broken twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass

T = TypeVar("T", bound=Hashable)

PointerKind: TypeAlias = Literal["page", "file"]


@dataclass(frozen=True, slots=True)
class Pointer:
    """A page that leads to something the request changes.

    ``changed`` is the id of the page or file that is changed, ``kind`` which of the two it is;
    ``page``, ``title`` and ``space`` say where the link stands, ``here`` whether in the space of
    the request.
    """

    changed: str
    kind: PointerKind
    page: str
    title: str
    space: str
    space_title: str
    here: bool


@dataclass(frozen=True, slots=True)
class Breakage:
    """A link that leads nowhere because of the request: on which page, and where it should lead."""

    page: str
    title: str
    leads: str


@dataclass(frozen=True, slots=True)
class Impact:
    """Everything that points at what a request changes, and the links that it breaks.

    ``unread`` counts what could not be read (gone, or not for this reader): nothing is known of it.
    ``known`` are the pages of the request's space whose broken links are known: what they say of a
    page that is removed stands in ``broken``. ``lacks`` says why nothing is known: the service has
    no links.
    """

    pointers: Sequence[Pointer]
    broken: Sequence[Breakage]
    unread: int = 0
    known: frozenset[str] = frozenset()
    lacks: str = ""

    @property
    def linking(self) -> int:
        """How many pages lead to something that the request changes; each counts once."""
        return len({(pointer.space, pointer.page) for pointer in self.pointers})


def newly(after: Iterable[T], before: Iterable[T]) -> list[T]:
    """Return the items that ``after`` has more often than ``before``, in its order."""
    had = Counter(before)
    found = []
    for item in after:
        if had[item] > 0:
            had[item] -= 1
        else:
            found.append(item)
    return found
