"""The kinds of rows that lists can show, in one place to import them from."""

from __future__ import annotations

from copydesk.tui.framework.filtered_source import FilteredSource
from copydesk.tui.framework.paged_source import Fetch, PagedSource
from copydesk.tui.framework.source import Change, ListSource, Source

__all__ = ["Change", "Fetch", "FilteredSource", "ListSource", "PagedSource", "Source"]
