"""Writing a cluster with the conversations behind it, one issue for each beat of its pulse."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from copydesk.contract.enumerations import PartRole
from copydesk.server import conversation_writes
from copydesk.server.desk_writes import at
from copydesk.server.sample.story import Cluster, Conversation, LooseConversation
from copydesk.server.store import Tx

_PLANS = ("free", "growth", "scale", "enterprise")
_COUNTRIES = ("DE", "PT", "FR", "NL", "GB", "ES", "SE", "IT")
_LEAD = timedelta(hours=2)
"""How long after a conversation began it is handed in."""


def write_cluster(tx: Tx, organization: str, topic: Cluster) -> str:
    """Write one cluster with its issues and conversations and return its id."""
    weeks = len(topic.pulse)
    first = next(week for week, count in enumerate(topic.pulse) if count)
    cluster = conversation_writes.add_cluster(
        at(tx, tx.moment - timedelta(weeks=weeks - first)),
        organization,
        topic.label,
        icon=topic.icon,
        summary=topic.summary,
    )
    number = 0
    for week, count in enumerate(topic.pulse):
        for beat in range(count):
            # Spread over the week, never on its edge, so that the week's count is what is told.
            age = timedelta(weeks=weeks - 1 - week) + timedelta(days=7) * (beat + 0.5) / count
            told = topic.conversations[number % len(topic.conversations)]
            _write(tx, organization, cluster, topic, told, number, age)
            number += 1
    return cluster


def write_loose(tx: Tx, organization: str, loose: LooseConversation) -> None:
    """Write a conversation whose issue is in no cluster."""
    told, source = loose.conversation, loose.source
    when = tx.moment - timedelta(days=loose.at)
    conversation = conversation_writes.add_conversation(
        at(tx, when + _LEAD),
        organization,
        _parts(told, 0),
        source=source,
        subject=told.title,
        created_at=when,
        attributes={"source": source},
    )
    conversation_writes.add_issue(
        at(tx, when + _LEAD),
        organization,
        conversation,
        told.title,
        summary=told.summary,
        created_at=when,
    )


def _write(
    tx: Tx,
    organization: str,
    cluster: str,
    topic: Cluster,
    told: Conversation,
    number: int,
    age: timedelta,
) -> None:
    when = tx.moment - age
    titles = (told.title, *told.also)
    title = titles[number // len(topic.conversations) % len(titles)]
    handed_in = at(tx, min(tx.moment, when + _LEAD))
    source = topic.sources[number % len(topic.sources)]
    conversation = conversation_writes.add_conversation(
        handed_in,
        organization,
        _parts(told, number),
        source=source,
        subject=title,
        conversation_id=f"{source}-{topic.key}-{number + 1:03d}",
        source_url=f"https://support.quayside.example/{source}/{topic.key}-{number + 1}",
        created_at=when,
        attributes={
            "source": source,
            "plan": _PLANS[(number * 3 + len(topic.key)) % len(_PLANS)],
            "country": _COUNTRIES[(number * 5 + len(topic.label)) % len(_COUNTRIES)],
        },
    )
    conversation_writes.add_issue(
        handed_in,
        organization,
        conversation,
        title,
        summary=told.summary,
        cluster_id=cluster,
        created_at=when,
    )


def _parts(told: Conversation, number: int) -> list[tuple[PartRole, str]]:
    """Return the messages; some people leave before the end, but never before an answer."""
    turns: list[Mapping[PartRole, str]] = [{"user": told.question}, *told.turns]
    spoken = turns if number % 3 else turns[: max(2, len(turns) - 2)]
    return [part for turn in spoken for part in turn.items()]
