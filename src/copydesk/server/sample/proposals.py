"""Everything that happened on the sample desk, from all its spaces."""

from __future__ import annotations

from copydesk.server.sample.desk_changes import DESK, HANDBOOK_PAST
from copydesk.server.sample.edition_changes import EDITIONS
from copydesk.server.sample.pebblebox_changes import PEBBLEBOX
from copydesk.server.sample.platform_backlog import PLATFORM_BACKLOG
from copydesk.server.sample.platform_changes import PLATFORM, PLATFORM_PAST
from copydesk.server.sample.reference_changes import REFERENCE
from copydesk.server.sample.story import Past, Proposal

PROPOSALS: tuple[Proposal, ...] = (
    *PLATFORM,
    *PLATFORM_BACKLOG,
    *REFERENCE,
    *EDITIONS,
    *DESK,
    *PEBBLEBOX,
)
"""Every change request of the sample."""

PASTS: tuple[Past, ...] = (PLATFORM_PAST, HANDBOOK_PAST)
"""What happened in spaces outside change requests."""
