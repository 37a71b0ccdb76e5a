"""People named in a text: ``@Ana Silva``, ``@Ana``, or ``@ana`` as in their e-mail address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from copydesk.domain.late_dataclass import dataclass

CODE = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)|(`+)[^`]+\2", re.DOTALL)
"""Code, in which an ``@`` names nobody."""

AT = re.compile(r"(?<![\w@./])@(?=\w)")


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody who can be named in a text."""

    id: str
    name: str
    email: str = ""

    def spellings(self) -> Iterator[str]:
        """Yield what they are called after an ``@``, folded, the whole name first."""
        whole = " ".join(self.name.casefold().split())
        yield whole
        yield whole.partition(" ")[0]
        yield self.email.casefold().partition("@")[0]


def names_somebody(text: str) -> bool:
    """Whether a text has an ``@`` that may name somebody."""
    return AT.search(CODE.sub(" ", text)) is not None


def names(text: str, person: Named, others: Iterable[Named] = ()) -> bool:
    """Whether a text names a person.

    The longest name that fits counts: ``@Ana Costa`` does not name Ana Silva where somebody among
    ``others`` is called so. A first name that several have names all of them.
    """
    plain = " ".join(CODE.sub(" ", text).split()).casefold()
    mine = [spelling for spelling in person.spellings() if spelling]
    called = (" ".join(other.name.casefold().split()) for other in others if other.id != person.id)
    theirs = [each for each in called if each.startswith(tuple(mine))]
    for found in AT.finditer(plain):
        at = found.end()
        longest = max((len(each) for each in mine if _begins(plain, at, each)), default=0)
        if longest and not any(len(each) > longest and _begins(plain, at, each) for each in theirs):
            return True
    return False


def _begins(text: str, at: int, spelling: str) -> bool:
    following = text[at + len(spelling) : at + len(spelling) + 1]
    return text.startswith(spelling, at) and not (following.isalnum() or following == "_")
