"""What leads to clusters and limits by them: conditions of lists of issues, and going to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from copydesk.session.cluster_rows import (
    shown,
)
from copydesk.session.options import Option
from copydesk.session.reads.clusters import PAGE, read_page
from copydesk.tui.resource.resource import Condition

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.session.target import Target
    from copydesk.tui.framework.desk_app import DeskApp


OF_CONVERSATION = Condition("conversation", "those found in this conversation, by its id")
"""Limits issues to those of one conversation."""


async def offered_clusters(api: Api, organization: str) -> Sequence[Option]:
    """Return clusters to choose from, those with the most issues. Raises ``ApiError``."""
    rows, _, _ = await read_page(api, organization, "issues", None, PAGE)
    return [Option(row.id, shown(row.label, masked=True), str(row.issues)) for row in rows]


OF_CLUSTER = Condition(
    "cluster", "those of this cluster, by its id", offers=offered_clusters,
    uses=("list_issues_clusters",),
)  # fmt: skip
"""Limits issues to those of one cluster."""


async def go_to_cluster(desk: DeskApp, target: Target, why_all: str) -> None:
    """Go to a cluster; where ``target`` names none to all of them, saying why if that is known."""
    await desk.go("clusters", target)
    if target.cluster is None and why_all and desk.here is not None:
        desk.here.say(why_all)
