"""Putting sites, clusters and conversations on a desk from code, rules and counts kept right.

The companion of ``desk_seed`` for what readers see and say. The sample, the import, the tests and
the handlers all write through these functions. Each writes at the transaction's moment;
``desk_seed.at`` gives a transaction with another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from copydesk.contract.enumerations import (
    AgentsContext,
    ClusterNaming,
    PartRole,
    RecordType,
    SiteType,
    SiteVisibility,
)
from copydesk.server.site_entries import end_of
from copydesk.server.site_structure import (
    adopt_root,
    default_site_space,
    sections_of,
    set_default_site_space,
    site_spaces_of,
)
from copydesk.server.store import Row, Tx, Value, timestamp, to_json


def add_site(
    tx: Tx,
    organization_id: str,
    title: str,
    *,
    type: SiteType = "basic",  # noqa: A002 - the field's name
    visibility: SiteVisibility = "public",
    hostname: str | None = None,
    basename: str | None = None,
    proxy: str | None = None,
    icon: Any = None,
    published: bool = False,
    agents_context: AgentsContext = "included",
    adaptive_schema: Mapping[str, Any] | None = None,
) -> str:
    """Add a site that shows nothing yet and return its id.

    ``adaptive_schema`` is the JSON Schema of its visitor attributes; with one, adaptive content
    is on.
    """
    site_id = tx.new_id()
    tx.insert(
        "site",
        id=site_id,
        organization_id=organization_id,
        type=type,
        title=title,
        icon=None if icon is None else to_json(icon),
        hostname=hostname,
        basename=basename,
        proxy=proxy,
        visibility=visibility,
        published=published,
        adaptive_content=adaptive_schema is not None,
        adaptive_schema=None if adaptive_schema is None else to_json(adaptive_schema),
        adaptive_schema_updated_at=None if adaptive_schema is None else tx.now,
        agents_context=agents_context,
        created_at=tx.now,
    )
    return site_id


def add_events(
    tx: Tx,
    site_id: str,
    space_id: str,
    page_id: str,
    day: str,
    *,
    events: int,
    visitors: int,
    type: str = "page_view",  # noqa: A002 - the field's name
) -> None:
    """Note what readers did with a page on a day, such as "2026-03-02", each in one session."""
    tx.insert(
        "site_event",
        site_id=site_id,
        day=day,
        type=type,
        space_id=space_id,
        page_id=page_id,
        events=events,
        sessions=visitors,
        visitors=visitors,
    )


def add_section_group(tx: Tx, site_id: str, title: str) -> str:
    """Add a group that sections of a site can be in and return its id."""
    group_id = tx.new_id()
    position = end_of(tx, site_id)
    tx.insert("section_group", id=group_id, site_id=site_id, position=position, title=title)
    return group_id


def add_link(
    tx: Tx, site_id: str, title: str, url: str, *, group: str | None = None, draft: bool = False
) -> str:
    """Add a link to elsewhere after all else and return its id.

    In a group it is added after all else in the group.
    """
    link_id = tx.new_id()
    tx.insert(
        "site_link",
        id=link_id,
        site_id=site_id,
        position=end_of(tx, site_id),
        group_id=group,
        title=title,
        url=url,
        draft=draft,
    )
    return link_id


def add_section(
    tx: Tx,
    site_id: str,
    title: str,
    *,
    path: str | None = None,
    group: str | None = None,
    description: str | None = None,
    condition: str | None = None,
    icon: str | None = None,
) -> str:
    """Add a section after the others and return its id.

    The path is made from the title unless given. The first section of a site is its default and
    takes over what the site shows at its root.
    Sections of one group are added one after the other, so that they stand together.
    """
    siblings = sections_of(site_id)
    section_id = tx.new_id()
    tx.insert(
        "site_section",
        id=section_id,
        site_id=site_id,
        position=end_of(tx, site_id),
        group_id=group,
        title=title,
        description=description,
        path=siblings.free_path(tx, title) if path is None else path,
        condition=condition,
        icon=icon,
    )
    if tx.value("SELECT default_section_id FROM site WHERE id = ?", site_id) is None:
        tx.update("site", site_id, default_section_id=section_id)
        adopt_root(tx, site_id, section_id)
    return section_id


def set_default_section(tx: Tx, site_id: str, section_id: str) -> None:
    """Make a section the one that a site opens with."""
    tx.update("site", site_id, default_section_id=section_id)


def add_site_space(
    tx: Tx,
    site_id: str,
    space_id: str,
    *,
    section: str | None = None,
    title: str | None = None,
    path: str | None = None,
    condition: str | None = None,
    hidden: bool = False,
) -> str:
    """Show a space on a site, after its siblings, and return the site space's id.

    Without ``section`` it goes into the default section, or to the root of a site that has none.
    The first among its siblings is their default. Without a ``title`` it has that of its
    space, also later.
    """
    if section is None:
        section = tx.value("SELECT default_section_id FROM site WHERE id = ?", site_id)
    siblings = site_spaces_of(site_id, section)
    if path is None:
        named = title or tx.value("SELECT title FROM space WHERE id = ?", space_id)
        path = siblings.free_path(tx, named)
    site_space_id = tx.new_id()
    tx.insert(
        "site_space",
        id=site_space_id,
        site_id=site_id,
        section_id=section,
        space_id=space_id,
        position=siblings.end(tx),
        path=path,
        title=title or "",
        condition=condition,
        hidden=hidden,
    )
    if default_site_space(tx, site_id, section) is None:
        set_default_site_space(tx, site_id, section, site_space_id)
    return site_space_id


def add_share_link(tx: Tx, site_id: str, name: str, *, active: bool = True) -> str:
    """Add a secret address of a site and return its id."""
    link_id = tx.new_id()
    # Two identifiers: a key is a secret, and one alone is the length of what everybody may see.
    tx.insert(
        "share_link",
        id=link_id,
        site_id=site_id,
        name=name,
        key=tx.new_id() + tx.new_id(),
        active=active,
        created_at=tx.now,
    )
    return link_id


def add_cluster(
    tx: Tx,
    organization_id: str,
    label: str,
    *,
    icon: str | None = None,
    summary: str = "",
    named: ClusterNaming = "hand",
) -> str:
    """Add a cluster without issues and return its id."""
    cluster_id = tx.new_id()
    tx.insert(
        "cluster",
        id=cluster_id,
        organization_id=organization_id,
        label=label,
        icon=icon,
        summary=summary,
        named=named,
        created_at=tx.now,
        updated_at=tx.now,
    )
    return cluster_id


def add_conversation(
    tx: Tx,
    organization_id: str,
    parts: Iterable[tuple[PartRole, str]],
    *,
    source: str,
    subject: str = "",
    conversation_id: str | None = None,
    source_url: str | None = None,
    attributes: Mapping[str, str] | None = None,
    created_at: datetime | None = None,
    kind: RecordType = "ticket",
    description: str | None = None,
) -> str:
    """Add a conversation of (role, words) and return its id.

    It was processed at the transaction's moment and held then too, unless ``created_at`` says
    otherwise. ``conversation_id`` is the sender's own id; what the organization has under it
    is replaced. A document is only listed among the context records of a site.
    """
    key = tx.new_id() if conversation_id is None else conversation_id
    tx.run(
        "INSERT INTO conversation (organization_id, id, subject, source, source_url, created_at, "
        "processed_at, attributes, parts, type, description) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (organization_id, id) DO UPDATE SET subject = excluded.subject, "
        "source = excluded.source, source_url = excluded.source_url, "
        "created_at = excluded.created_at, processed_at = excluded.processed_at, "
        "attributes = excluded.attributes, parts = excluded.parts, type = excluded.type, "
        "description = excluded.description",
        organization_id,
        key,
        subject,
        source,
        source_url,
        tx.now if created_at is None else timestamp(created_at),
        tx.now,
        to_json(dict(attributes or {})),
        to_json([{"type": "message", "role": role, "body": body} for role, body in parts]),
        kind,
        description,
    )
    return key


def add_issue(
    tx: Tx,
    organization_id: str,
    conversation_id: str,
    title: str,
    *,
    summary: str = "",
    cluster_id: str | None = None,
    created_at: datetime | None = None,
    issue_id: str | None = None,
    placed: str = "hand",
    told: str | None = None,
) -> str:
    """Add an issue found in a conversation and return its id.

    The counts of its cluster and of the question that it asks follow. ``placed`` says who put it
    into its cluster, ``told`` is what its user says of it where that is more than the summary.
    """
    key = tx.new_id() if issue_id is None else issue_id
    when = tx.now if created_at is None else timestamp(created_at)
    said = tx.one(
        "SELECT answered, channel, language FROM conversation WHERE organization_id = ? AND id = ?",
        organization_id,
        conversation_id,
    )
    words = title.casefold()
    known: dict[str, Value] = {} if said is None else dict(said)
    tx.run(
        "INSERT INTO question (id, organization_id, words, title, created_at, asked_at, answers, "
        "answered) VALUES (?1, ?2, ?3, ?4, ?5, ?5, 1, ?6) "
        "ON CONFLICT (organization_id, words) DO UPDATE SET "
        "created_at = min(created_at, excluded.created_at), "
        "asked_at = max(asked_at, excluded.asked_at), answers = answers + 1, "
        "answered = answered + excluded.answered",
        sha256(f"{organization_id}\n{words}".encode()).hexdigest()[:20],
        organization_id,
        words,
        title,
        when,
        known.get("answered") == "yes",
    )
    tx.insert(
        "issue",
        id=key,
        organization_id=organization_id,
        conversation_id=conversation_id,
        cluster_id=cluster_id,
        title=title,
        summary=summary,
        created_at=when,
        ingested_at=tx.now,
        placed=placed,
        told=told,
        question_id=tx.value(
            "SELECT id FROM question WHERE organization_id = ? AND words = ?",
            organization_id,
            words,
        ),
        **known,
    )
    if cluster_id is not None:
        _count(tx, organization_id, conversation_id, cluster_id, +1)
    return key


def remove_issues(tx: Tx, organization_id: str, conversation_id: str) -> list[Row]:
    """Remove the issues of a conversation and return their rows, oldest first."""
    rows = tx.all(
        "SELECT * FROM issue "
        "WHERE organization_id = ? AND conversation_id = ? ORDER BY created_at, id",
        organization_id,
        conversation_id,
    )
    for row in rows:
        tx.run("DELETE FROM issue WHERE id = ?", row["id"])
        if row["cluster_id"] is not None:
            _count(tx, organization_id, conversation_id, row["cluster_id"], -1)
        _ask_again(tx, row["question_id"])
    return rows


def _ask_again(tx: Tx, question_id: str) -> None:
    """Update a question after one of its issues is gone; delete it without any."""
    left = tx.one(
        "SELECT min(created_at) AS created_at, max(created_at) AS asked_at, count(*) AS answers, "
        "sum(answered = 'yes') AS answered FROM issue WHERE question_id = ?",
        question_id,
    )
    if left is None or not left["answers"]:
        tx.run("DELETE FROM question WHERE id = ?", question_id)
    else:
        tx.update("question", question_id, **dict(left))


def _count(
    tx: Tx, organization_id: str, conversation_id: str, cluster_id: str, change: int
) -> None:
    """Note in a cluster's counts that an issue of a conversation has just come or gone."""
    present: int = tx.value(
        "SELECT count(*) FROM issue WHERE organization_id = ? AND conversation_id = ? "
        "AND cluster_id = ?",
        organization_id,
        conversation_id,
        cluster_id,
    )
    # A conversation counts once: it comes with its first issue here and goes with its last.
    counts = present == (1 if change > 0 else 0)
    tx.run(
        "UPDATE cluster SET issues = issues + ?, conversations = conversations + ?, "
        "updated_at = max(updated_at, ?) WHERE id = ?",
        change,
        change if counts else 0,
        tx.now,
        cluster_id,
    )
