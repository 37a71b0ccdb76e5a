"""What readers of the first organization struggle with."""

from __future__ import annotations

from copydesk.server.sample.clusters_of_developers import OF_DEVELOPERS
from copydesk.server.sample.clusters_of_merchants import LOOSE, OF_MERCHANTS
from copydesk.server.sample.story import Struggle

__all__ = ["LOOSE", "STRUGGLES"]

STRUGGLES: tuple[Struggle, ...] = (*OF_DEVELOPERS, *OF_MERCHANTS)
"""Every cluster."""
