"""The kinds of rows that lists can show, in one place to import them from."""

from __future__ import annotations

from copydesk.tui.filtered_source import FilteredSource
from copydesk.tui.paged_source import Fetch, PagedSource
from copydesk.tui.source import Change, ListSource, Source

__all__ = ["Change", "Fetch", "FilteredSource", "ListSource", "PagedSource", "Source"]
