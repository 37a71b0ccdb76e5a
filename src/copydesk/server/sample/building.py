"""Writing the sample's story on a desk: everything in one transaction, in the order of its times.

Nothing here is invented: people, organizations and events come from the files below ``data``.
Identifiers come from a generator with a fixed seed, so that two desks made at the same moment are
the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from copydesk.domain.blocks import anchor_of_quote
from copydesk.domain.documents import markdown_to_document
from copydesk.server import change_requests, content, desk_writes, threads
from copydesk.server.desk_writes import Editor, at
from copydesk.server.sample.connections import write_connections
from copydesk.server.sample.conversations import write_cluster, write_loose
from copydesk.server.sample.edits import author_of
from copydesk.server.sample.pages import read_pages
from copydesk.server.sample.records import write_records
from copydesk.server.sample.sites import write_site
from copydesk.server.sample.specifications import write_specifications
from copydesk.server.sample.story import (
    CHANGES,
    ChangeRequest,
    Changes,
    Clusters,
    Collection,
    Commit,
    History,
    Merge,
    Organization,
    People,
    Reply,
    Review,
    ReviewRequest,
    Sites,
    Space,
    StatusChange,
    Step,
    Thread,
    Update,
    read,
)
from copydesk.server.sample.translations import write_translations
from copydesk.server.source_content import filled
from copydesk.server.sources.model import Progress, silent
from copydesk.server.store import Store, Tx
from copydesk.server.transaction import ALPHABET
from copydesk.server.untouched import SPACES, note_spaces

SEED = "copydesk sample"
"""What the identifiers of the sample are made from."""

_OWNER_WITHIN = 1000
"""The owner's identifier is surely among so many first ones: people are made first."""


def build_sample(store: Store, *, progress: Progress = silent) -> str:
    """Fill a desk without organizations with the sample and return its owner's user id.

    The owner is also noted under ``owner`` in the desk's ``meta``. All of it is written, or
    nothing. A desk that another program filled a moment before stays as that made it.
    """

    def work(tx: Tx) -> str:
        owner: str | None = tx.value("SELECT value FROM meta WHERE key = 'owner'")
        if owner is not None and not tx.value("SELECT EXISTS (SELECT 1 FROM organization)"):
            tx.run("DELETE FROM meta WHERE key IN ('owner', ?)", SPACES)
            made = sample_ids(SEED)
            if owner in {made() for _ in range(_OWNER_WITHIN)}:
                # Who is left after a removal is the sample's own owner, who is made anew.
                tx.run("DELETE FROM token WHERE user_id = ?", owner)
                tx.run("DELETE FROM user WHERE id = ?", owner)
            owner = None
        return owner or _Building(tx, progress).run()

    return store.write(work)


def sample_ids(seed: str) -> Callable[[], str]:
    """Return a source of identifiers that is the same for the same seed."""
    choices = random.Random(seed).choices  # noqa: S311 - to be foreseeable is the purpose
    return lambda: "".join(choices(ALPHABET, k=20))


class _Building:
    """One desk being filled; everything that is made is found by its key in the story."""

    def __init__(self, tx: Tx, progress: Progress) -> None:
        self.tx = Tx(tx.connection, tx.moment, sample_ids(SEED))
        self.progress = progress
        self.cast = read(People, "people")
        self.topics = read(Clusters, "clusters")
        self.sites = read(Sites, "sites").sites
        self.changes = [read(Changes, f"changes/{name}") for name in CHANGES]
        self.people: dict[str, str] = {}
        self.organizations: dict[str, str] = {}
        self.collections: dict[str, str] = {}
        self.spaces: dict[str, str] = {}
        self.clusters: dict[str, str] = {}
        self.done = 0
        self.total = (
            len(self.cast.organizations)
            + sum(len(changes.change_requests) for changes in self.changes)
            + len(self.topics.clusters)
            + len(self.sites)
        )

    def run(self) -> str:
        for key, person in self.cast.people.items():
            self.people[key] = desk_writes.add_user(self.ago(900), person.name, person.email)
        for organization in self.cast.organizations:
            self.organization(organization)
            self.step(organization.title)
        home = self.organizations[self.cast.organizations[0].key]
        for cluster in self.topics.clusters:
            self.clusters[cluster.key] = write_cluster(self.tx, home, cluster)
            self.step(cluster.label)
        for loose in self.topics.loose:
            write_loose(self.tx, home, loose)
        self.life()
        for site in self.sites:
            write_site(self.ago(site.at), self.organizations[site.organization], site, self.spaces)
            self.step(site.title)
        write_connections(self.ago, self.organizations, self.people, self.spaces)
        write_specifications(self.ago, home)
        write_translations(self.ago, home, self.people, self.spaces)
        write_records(self.ago, self.spaces, "manual", SEED)
        owner = self.people[self.cast.owner]
        self.tx.insert("meta", key="owner", value=owner)
        note_spaces(self.tx)
        return owner

    def step(self, what: str) -> None:
        self.done += 1
        self.progress(self.done, self.total, what)

    def ago(self, days: float) -> Tx:
        """Return the transaction at some days before now."""
        return at(self.tx, self.moment(days))

    def moment(self, days: float) -> datetime:
        return self.tx.moment - timedelta(days=days)

    # Organizations, people, collections and spaces

    def organization(self, organization: Organization) -> None:
        tx = self.ago(organization.at)
        key = desk_writes.add_organization(tx, organization.title, **organization.settings)
        self.organizations[organization.key] = key
        for member in organization.members:
            seen = self.cast.people[member.person].seen
            desk_writes.add_member(
                self.ago(member.joined),
                key,
                self.people[member.person],
                member.role,
                disabled=member.disabled,
                sso=member.sso,
                last_seen=None if seen is None else self.moment(seen),
            )
        for title, (lead, *others) in organization.teams.items():
            team = desk_writes.add_team(
                tx, key, title, [self.people[p] for p in others], owners=[self.people[lead]]
            )
            self.people[title] = team
        for each in organization.contents:
            if isinstance(each, Collection):
                made = self.collections[each.key] = desk_writes.add_collection(
                    tx,
                    key,
                    each.title,
                    parent=None if each.below is None else self.collections[each.below],
                    description=each.description,
                    default_level=each.level,
                )
            else:
                made = self.spaces[each.key] = self.space(organization.key, key, each)
            for subject, level in each.grants.items():
                desk_writes.grant(tx, made, self.people[subject], level)

    def space(self, folder: str, organization: str, space: Space) -> str:
        return desk_writes.add_space(
            self.ago(space.at),
            organization,
            space.title,
            filled(read_pages(f"{folder}/{space.key}")),
            parent=None if space.below is None else self.collections[space.below],
            author=self.people[space.by],
            emoji=space.emoji,
            visibility=space.visibility,
            edit_mode=space.edit_mode,
            language=space.language,
            default_level=space.level,
            merge_rules=None if space.rules is None else self.rules(space.rules),
        )

    def rules(self, rules: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
        """Return merge rules with people's ids in place of their keys."""
        if not rules:
            return {"type": "none"}
        return {
            "type": "rules",
            "rules": [
                {"rule": rule, **({"users": [self.people[who] for who in users]} if users else {})}
                for rule, users in rules.items()
            ],
        }

    # What happened

    def life(self) -> None:
        """Let everything happen in the order of its times, across change requests."""
        stories: list[History | ChangeRequest] = [
            story for changes in self.changes for story in changes.history
        ]
        requests = [story for changes in self.changes for story in changes.change_requests]
        events = [
            (-days, number, order, happen)
            for number, story in enumerate([*stories, *requests])
            for order, (days, happen) in enumerate(_Life(self, story).events())
        ]
        for *_, happen in sorted(events, key=lambda event: event[:3]):
            happen()
        for request in requests:
            self.step(request.subject)


class _Life:
    """The life of one change request, or what happened in a space outside of them."""

    def __init__(self, building: _Building, story: History | ChangeRequest) -> None:
        self.building = building
        self.people = building.people
        self.story = story
        self.space = building.spaces[story.space]
        self.id: str | None = None

    def events(self) -> list[tuple[float, Callable[[], None]]]:
        found: list[tuple[float, Callable[[], None]]] = []
        if isinstance(self.story, ChangeRequest):
            found.append((self.story.at, partial(self.open, self.story)))
        found.extend((step.at, partial(self.happen, step)) for step in self.story.steps)
        return found

    def open(self, story: ChangeRequest) -> None:
        document = story.description and markdown_to_document(story.description).to_dict()
        self.id = change_requests.open_branch(
            self.building.ago(story.at),
            self.space,
            self.people[story.by],
            story.subject,
            author_of(story.edit),
            status=story.status,
            description=document or None,
            cluster=None if story.cluster is None else self.building.clusters[story.cluster],
        )

    @property
    def key(self) -> str:
        assert self.id is not None, "a change request is opened before anything else happens to it"
        return self.id

    def happen(self, step: Step) -> None:
        tx = self.building.ago(step.at)
        match step:
            case Thread():
                self.thread(tx, step)
            case Commit() if isinstance(self.story, History):
                desk_writes.commit(
                    tx, self.space, author_of(step.edit), author=self.people[step.by]
                )
            case Commit():
                change_requests.edit_branch(
                    tx, self.key, self.people[step.by], author_of(step.edit)
                )
            case Review():
                self.review(tx, step)
            case ReviewRequest():
                for who in step.of:
                    threads.request_review(tx, self.key, self.people[who], self.people[step.by])
            case StatusChange():
                change_requests.set_status(tx, self.key, step.status)
            case Update():
                self.clean(change_requests.update_branch(tx, self.key, self.people[step.by]))
            case Merge():
                self.clean(change_requests.merge_branch(tx, self.key, self.people[step.by]))

    def review(self, tx: Tx, review: Review) -> None:
        """Review a request and start a thread with its comment, as the operation does.

        Praise needs no answer, so the thread of an approval is resolved.
        """
        who = self.people[review.by]
        key = threads.add_review(tx, self.key, who, review.status, review.text)
        if review.text is not None:
            thread = threads.add_comment(
                tx, self.space, who, review.text, change_request=self.key, review=key
            )
            if review.status == "approved":
                threads.resolve(tx, thread, who)

    def clean(self, joined: change_requests.Joined) -> None:
        if joined.revision is None:
            raise ValueError(f"{self.story.space}: {self.story} conflicts: {joined.conflicts}")

    def thread(self, tx: Tx, thread: Thread) -> None:
        page, node = self.target(tx, thread)
        comment = threads.add_comment(
            tx,
            self.space,
            self.people[thread.by],
            thread.text,
            change_request=self.id,
            page=page,
            node=node,
        )
        self.react(tx, comment, thread)
        for said in thread.replies:
            later = self.building.ago(said.at)
            reply = threads.add_reply(later, comment, self.people[said.by], said.text)
            self.react(later, reply, said)
        if thread.resolved is not None:
            by, when = thread.resolved
            threads.resolve(self.building.ago(when), comment, self.people[by])

    def react(self, tx: Tx, target: str, said: Reply) -> None:
        for emoji, people in said.reactions.items():
            for who in people:
                threads.react(tx, target, self.people[who], emoji)

    def target(self, tx: Tx, thread: Thread) -> tuple[str | None, str | None]:
        """Return the page, and the anchor of the line on it, that a thread is about."""
        if thread.page is None:
            return None, None
        table, key = ("space", self.space) if self.id is None else ("change_request", self.id)
        revision = tx.value(f"SELECT revision_id FROM {table} WHERE id = ?", key)  # noqa: S608
        editor = Editor(tx, self.space, content.open_draft(tx, content.load(tx, revision)))
        page = editor.find(thread.page)
        if thread.quote is None:
            return page, None
        return page, anchor_of_quote(editor.read(page), thread.quote)
