"""The guard against endless lists.

A broken or hostile service says with each page that there is another. A reader of whole lists would
read for ever, and so reports each page here.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.client.errors import Garbled

EMPTY_PAGES = 100
"""Empty pages in a row that make a list endless."""

MOST_PAGES = 20_000
"""The most pages of a list that a person scrolls through; one with more has no end."""

WHOLE_PAGES = 1_000
"""The most pages of a list that is read whole at once: nobody waits for more."""


class EmptyPagesError(Garbled):
    """So many pages had nothing that a list of them may have no end; whoever waits may go on."""


class PageGuard:
    """Checks the pages of one list, and ends one that goes on for ever.

    ``operation`` is named in the error. ``most`` is how many pages it may have: `WHOLE_PAGES`, as
    for a list that is read whole at once, where nothing is said.
    """

    def __init__(self, operation: str = "", most: int | None = None) -> None:
        self._operation = operation
        self._most = WHOLE_PAGES if most is None else most
        self._tokens: set[str] = set()
        self._before: Sequence[object] = ()
        self._empty = 0

    def check(self, items: Sequence[object], following: str | None) -> None:
        """Note a page: its items, and the token of the next page (None: it is the last).

        Raises ``Garbled`` where the list has no end: it comes back to a page, has the same items
        under another token, or goes on without any items (`EmptyPagesError`, counted anew
        after that).
        """
        if following is None:
            return
        self._empty = 0 if items else self._empty + 1
        said = "the list has no end"
        if (
            following in self._tokens
            or (items and items == self._before)
            or len(self._tokens) + 1 >= self._most
        ):
            raise Garbled(said, field="next.page", operation=self._operation)
        if self._empty >= EMPTY_PAGES:
            self._empty = 0
            raise EmptyPagesError(said, field="next.page", operation=self._operation)
        self._before = items
        self._tokens.add(following)
