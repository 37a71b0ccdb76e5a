"""A desk full of conversations and issues."""

from __future__ import annotations

from datetime import timedelta

from copydesk.server import conversation_writes
from copydesk.server.store import Tx
from tests.world import START, World

WEB = "https://intercom.test/"


def fill(world: World, many: int, *, clustered: int = 0, unclustered: int = 0) -> dict[str, str]:
    """Fill a desk with conversations, an issue each; return clusters by label.

    Of the issues every ``unclustered``-th is in no cluster, beginning with ``clustered`` that are.
    """
    assert world.home
    world.clock.now = START
    clusters: dict[str, str] = {}

    def write(tx: Tx) -> None:
        for label in ("OAuth sample returns 401", "Invoices for kim@example.org"):
            clusters[label] = conversation_writes.add_cluster(tx, world.home, label)
        ids = list(clusters.values())
        for nth in range(many):
            when = START - timedelta(hours=nth + 1)
            talk = conversation_writes.add_conversation(
                tx, world.home,
                [("user", f"Words {nth} from kim@example.org"), ("team-member", "Look here.")],
                source=("intercom", "email")[nth % 2], subject=f"Ticket {nth} of kim@example.org",
                source_url=f"{WEB}{nth}", created_at=when,
            )  # fmt: skip
            free = nth >= clustered and unclustered and (nth - clustered) % unclustered == 0
            conversation_writes.add_issue(
                tx, world.home, talk, f"Issue {nth} of kim@example.org", summary="It fails.",
                cluster_id=None if free else ids[nth % 3 // 2], created_at=when,
            )  # fmt: skip

    world.write(write)
    return clusters
