"""Writing a cluster with the conversations behind it, one issue for each beat of its pulse."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from copydesk.contract.enumerations import PartRole
from copydesk.server import site_seed
from copydesk.server.desk_seed import at
from copydesk.server.sample.story import Struggle, Voice
from copydesk.server.store import Tx

_PLANS = ("free", "growth", "scale", "enterprise")
_COUNTRIES = ("DE", "PT", "FR", "NL", "GB", "ES", "SE", "IT")
_LEAD = timedelta(hours=2)
"""How long after a conversation began it is handed in."""


def write_cluster(tx: Tx, organization: str, struggle: Struggle) -> str:
    """Write one cluster with its issues and conversations and return its id."""
    weeks = len(struggle.pulse)
    first = next(week for week, count in enumerate(struggle.pulse) if count)
    cluster = site_seed.add_cluster(
        at(tx, tx.moment - timedelta(weeks=weeks - first)),
        organization,
        struggle.label,
        icon=struggle.icon,
        summary=struggle.summary,
    )
    number = 0
    for week, count in enumerate(struggle.pulse):
        for beat in range(count):
            # Spread over the week, never on its edge, so that the week's count is what is told.
            age = timedelta(weeks=weeks - 1 - week) + timedelta(days=7) * (beat + 0.5) / count
            voice = struggle.voices[number % len(struggle.voices)]
            _write(tx, organization, cluster, struggle, voice, number, age)
            number += 1
    return cluster


def write_loose(tx: Tx, organization: str, source: str, voice: Voice, days: float) -> None:
    """Write a conversation whose issue is in no cluster."""
    when = tx.moment - timedelta(days=days)
    conversation = site_seed.add_conversation(
        at(tx, when + _LEAD),
        organization,
        _parts(voice, 0),
        source=source,
        subject=voice.title,
        created_at=when,
        attributes={"source": source},
    )
    site_seed.add_issue(
        at(tx, when + _LEAD),
        organization,
        conversation,
        voice.title,
        summary=voice.summary,
        created_at=when,
    )


def _write(
    tx: Tx,
    organization: str,
    cluster: str,
    struggle: Struggle,
    voice: Voice,
    number: int,
    age: timedelta,
) -> None:
    when = tx.moment - age
    titles = (voice.title, *voice.also)
    title = titles[number // len(struggle.voices) % len(titles)]
    handed_in = at(tx, min(tx.moment, when + _LEAD))
    source = struggle.sources[number % len(struggle.sources)]
    conversation = site_seed.add_conversation(
        handed_in,
        organization,
        _parts(voice, number),
        source=source,
        subject=title,
        conversation_id=f"{source}-{struggle.key}-{number + 1:03d}",
        source_url=f"https://support.quayside.example/{source}/{struggle.key}-{number + 1}",
        created_at=when,
        attributes={
            "source": source,
            "plan": _PLANS[(number * 3 + len(struggle.key)) % len(_PLANS)],
            "country": _COUNTRIES[(number * 5 + len(struggle.label)) % len(_COUNTRIES)],
        },
    )
    site_seed.add_issue(
        handed_in,
        organization,
        conversation,
        title,
        summary=voice.summary,
        cluster_id=cluster,
        created_at=when,
    )


def _parts(voice: Voice, number: int) -> list[tuple[PartRole, str]]:
    """Return what was said; some people go away before the end, but never before an answer."""
    told = [("user", voice.question), *voice.turns]
    spoken = told if number % 3 else told[: max(2, len(told) - 2)]
    return [(cast("PartRole", role), body) for role, body in spoken]
