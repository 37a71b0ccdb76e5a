"""Telling a list that has an end from one that has none.

A service that is broken, or means harm, says with each page that there is another. Whoever reads a
list to its end would read for ever; so they say here what each page brought.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.client.errors import Garbled

EMPTY_PAGES = 100
"""So many pages in a row with nothing new on them are taken for a list without end."""

MOST_PAGES = 20_000
"""So many pages are, whatever is on them: no list of an organization is that long."""


class PageGuard:
    """What is known of a list as its pages are turned. ``operation`` is named in the error."""

    def __init__(self, operation: str = "") -> None:
        self._operation = operation
        self._tokens: set[str] = set()
        self._before: Sequence[object] = ()
        self._empty = 0

    def check(self, items: Sequence[object], following: str | None) -> None:
        """Note a page: its items, and the token of the page after it (None: it is the last).

        Raises ``Garbled`` where the list has no end: it comes back to a page, has the same items
        under another token, or goes on and on without any.
        """
        if following is None:
            return
        self._empty = 0 if items else self._empty + 1
        if (
            following in self._tokens
            or (items and items == self._before)
            or self._empty >= EMPTY_PAGES
            or len(self._tokens) >= MOST_PAGES
        ):
            raise Garbled("the list has no end", field="next.page", operation=self._operation)
        self._before = items
        self._tokens.add(following)
