"""Whether two pieces of Markdown that differ in their escapes read the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MOST = 10_000
"""Characters of one piece that are rendered; what is longer counts as different."""

BUDGET = 120_000
"""Characters that are rendered in one comparison: about 0.2 s of work."""


class Rendering:
    r"""Compares pieces as CommonMark shows them: ``get\_user`` is ``get_user``.

    To take the escapes off is not enough: ``\*all\*`` shows its stars, and ``*all*`` does not.
    """

    def __init__(self) -> None:
        self._left = BUDGET
        self._parser: MarkdownIt | None = None

    def same(self, one: str, other: str) -> bool:
        """Whether two pieces read the same; False where it would take too long to know."""
        if max(len(one), len(other)) > MOST or len(one) + len(other) > self._left:
            return False
        self._left -= len(one) + len(other)
        if self._parser is None:
            from markdown_it import MarkdownIt  # only few comparisons come here

            self._parser = MarkdownIt("commonmark")
        was, now = (self._parser.renderInline(each) for each in (one, other))
        return bool(was.split() == now.split())
