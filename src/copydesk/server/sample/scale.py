"""Growing a desk for benchmarks: one more organization, as large as asked for.

Change requests are real ones, but they share a few revisions of their space, so that 100,000 of
them cost rows and no content. Everything is made by rule and a seeded generator: the same desk
grows the same way.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from copydesk.server import change_requests, conversation_writes, desk_writes, site_writes, threads
from copydesk.server.desk_writes import Editor, at
from copydesk.server.sample.building import sample_ids
from copydesk.server.sample.edits import Add, AnyEdit, Append, author_of
from copydesk.server.sources.model import Progress, silent
from copydesk.server.store import DeskError, Store, Tx, Value, timestamp

MOST_COMMENTS = 10_000
"""The most comments on the one change request that has many."""

MOST_SECTIONS = 2_000
"""The most sections of the site, and the most pages of the first space."""

MOST_SPACES = 500
"""The most spaces."""

MOST_MEMBERS = 1_000
"""The most members."""

MOST_CLUSTERS = 200
"""The most clusters."""

MOST_CONVERSATIONS = 20_000
"""The most conversations, each with one issue."""

LONG_PAGE = 1_000_000
"""The size of the longest page, in bytes."""

_STATUSES = ("open", "merged", "archived", "draft")
_WEIGHTS = (45, 35, 15, 5)
_VERBS = ("Fix", "Rewrite", "Shorten", "Explain", "Move", "Translate", "Check", "Add", "Illustrate")
_THINGS = ("the samples", "the limits", "the first steps", "a table", "the errors", "the glossary")
_PLACES = ("guide", "reference", "tutorial", "handbook", "changelog", "overview", "appendix")
_SOURCES = ("intercom", "email", "slack", "zendesk", "discord")
_YEARS = timedelta(days=2 * 365)

_CHANGE_REQUEST = """
    INSERT INTO change_request (id, space_id, organization_id, number, status, subject, created_by,
        created_at, updated_at, revision_id, revision_initial, revision_merged, merged_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def grow(store: Store, n: int, *, progress: Progress = silent) -> str:
    """Add an organization with ``n`` change requests, and all else in proportion; return its id.

    The desk's owner administers it. Raises ``DeskError`` when the desk has no owner yet, and
    ``ValueError`` when ``n`` is not positive.
    """
    if n < 1:
        raise ValueError("a desk grows by at least one change request")
    return store.write(lambda tx: _Growing(tx, n, progress).run())


def _share(n: int, divisor: int, most: int) -> int:
    """Return a part of ``n``, at least 1 and at most ``most``."""
    return max(1, min(n // divisor, most))


@dataclass(slots=True)
class _Space:
    """A space being filled: its revisions, and what has been counted so far."""

    id: str
    older: str
    main: str
    branches: dict[str, tuple[str, ...]]
    counts: Counter[str] = field(default_factory=Counter)
    number: int = 0


class _Growing:
    """One organization in the making."""

    def __init__(self, tx: Tx, n: int, progress: Progress) -> None:
        organizations: int = tx.value("SELECT count(*) FROM organization")
        owner: str | None = tx.value("SELECT value FROM meta WHERE key = 'owner'")
        if owner is None:
            raise DeskError("No one is on this desk yet. `copydesk desk sample` fills it.")
        self.owner = owner
        self.seed = f"copydesk scale {organizations}"
        self.tx = Tx(tx.connection, tx.moment, sample_ids(self.seed))
        self.random = random.Random(self.seed)  # noqa: S311 - to be foreseeable is the purpose
        self.n = n
        self.progress = progress
        self.grown = organizations
        self.organization = ""
        self.people: list[str] = [owner]
        self.spaces: list[_Space] = []

    def run(self) -> str:
        steps: tuple[tuple[str, Callable[[], None]], ...] = (
            ("people", self.make_people),
            ("spaces", self.make_spaces),
            ("change requests", self.make_change_requests),
            ("comments", self.make_comments),
            ("site sections", self.make_site),
            ("conversations", self.make_conversations),
        )
        for done, (what, make) in enumerate(steps):
            self.progress(done, len(steps), what)
            make()
        self.progress(len(steps), len(steps), "done")
        return self.organization

    def make_people(self) -> None:
        past = at(self.tx, self.tx.moment - _YEARS)
        taken: int = self.tx.value(
            "SELECT count(*) FROM organization WHERE title = 'Scale' OR title LIKE 'Scale %'"
        )
        self.organization = desk_writes.add_organization(
            past, "Scale" if not taken else f"Scale {taken + 1}", plan="enterprise_2024"
        )
        desk_writes.add_member(past, self.organization, self.owner, "admin")
        for number in range(1, _share(self.n, 200, MOST_MEMBERS)):
            email = f"writer-{number}.{self.grown}@scale.example"
            person = desk_writes.add_user(past, f"Writer {number}", email)
            role = ("edit", "review", "comment", "read", "create")[number % 5]
            desk_writes.add_member(past, self.organization, person, role)
            self.people.append(person)

    def make_spaces(self) -> None:
        past = at(self.tx, self.tx.moment - _YEARS)
        shelf: str | None = None
        for number in range(_share(self.n, 100, MOST_SPACES)):
            if number % 20 == 0:
                title = f"Collection {number // 20 + 1}"
                shelf = desk_writes.add_collection(past, self.organization, title)
            first = number == 0
            self.spaces.append(self.make_space(past, number + 1, None if first else shelf, first))

    def make_space(self, past: Tx, number: int, shelf: str | None, large: bool) -> _Space:
        """Make a space with two revisions of its own and three branches from each."""

        def fill(editor: Editor) -> None:
            start = editor.page("Start", "# Start\n\nEverything begins here.\n")
            editor.page("Details", "# Details\n\nOne line.\n\nAnother line.\n", parent=start)
            if large:
                editor.page("A long page", _long_page())
                for page in range(_share(self.n, 50, MOST_SECTIONS)):
                    editor.page(f"Page {page + 1}", f"# Page {page + 1}\n\nText {page + 1}.\n")

        key = desk_writes.add_space(
            past, self.organization, f"Space {number}", fill, parent=shelf, author=self.owner
        )
        older = past.value("SELECT revision_id FROM space WHERE id = ?", key)
        main = desk_writes.commit(
            at(self.tx, self.tx.moment - timedelta(days=30)),
            key,
            author_of([Append(page="start", text="It went on here.")]),
            author=self.owner,
        )
        edits: tuple[list[AnyEdit], ...] = (
            [Append(page="start/details", text="A third line.")],
            [Add(title="Notes", text="# Notes\n\nSomething new.")],
            [Append(page="start/details", text="Changed."), Append(page="start", text="And here.")],
        )
        return _Space(
            key,
            older,
            main,
            {
                base: tuple(
                    desk_writes.put_edit(past, key, base, author_of(edit), author=self.owner)
                    for edit in edits
                )
                for base in (older, main)
            },
        )

    def make_change_requests(self) -> None:
        self.tx.run_many(_CHANGE_REQUEST, self.change_requests())
        for space in self.spaces:
            self.tx.update(
                "space",
                space.id,
                next_number=space.number + 1,
                change_requests=space.number,
                **{
                    column: space.counts[status]
                    for status, column in change_requests.COUNTED.items()
                },
            )
        self.tx.run(
            "INSERT INTO contributor (change_request_id, user_id) "
            "SELECT id, created_by FROM change_request WHERE organization_id = ?",
            self.organization,
        )
        self.tx.run(
            "INSERT INTO requested_reviewer (change_request_id, user_id, requested_by, created_at) "
            "SELECT id, ?, created_by, created_at FROM change_request "
            "WHERE organization_id = ? AND status = 'open' AND number % 25 = 0",
            self.owner,
            self.organization,
        )

    def change_requests(self) -> Iterator[tuple[Value, ...]]:
        """Yield the rows: every second one is in the first space, the newest one is last."""
        statuses = self.random.choices(_STATUSES, _WEIGHTS, k=self.n)
        statuses[-1] = "open"  # the one that gets the comments
        step = _YEARS / (self.n + 1)
        for index, status in enumerate(statuses):
            space = self.spaces[0 if (self.n - index) % 2 else index % len(self.spaces)]
            space.number += 1
            space.counts[status] += 1
            created = self.tx.moment - step * (self.n - index)
            updated = timestamp(created + step / 2)
            merged = status == "merged"
            base = space.older if merged or index % 3 == 0 else space.main
            yield (
                self.tx.new_id(),
                space.id,
                self.organization,
                space.number,
                status,
                f"{_VERBS[index % 9]} {_THINGS[index % 6]} of the {_PLACES[index % 7]} {index + 1}",
                self.people[index % len(self.people)],
                timestamp(created),
                updated,
                space.branches[base][index % 3],
                base,
                space.main if merged else None,
                updated if merged else None,
            )

    def make_comments(self) -> None:
        """Put many comments on the newest change request of the first space."""
        space = self.spaces[0]
        target: str = self.tx.value(
            "SELECT id FROM change_request WHERE space_id = ? AND number = ?",
            space.id,
            space.number,
        )
        count = _share(self.n, 10, MOST_COMMENTS)
        step = timedelta(days=5) / (count + 1)
        for index in range(count):
            moment = self.tx.moment - step * (count - index)
            comment = threads.add_comment(
                at(self.tx, moment),
                space.id,
                self.people[index % len(self.people)],
                f"Comment {index + 1}: {_VERBS[index % 9].lower()} {_THINGS[index % 6]}?",
                change_request=target,
            )
            later = at(self.tx, moment + step / 2)
            answering = self.people[(index + 1) % len(self.people)]
            if index % 5 == 0:
                threads.add_reply(later, comment, answering, "Yes, please.")
            if index % 4 == 0:
                threads.resolve(later, comment, answering)

    def make_site(self) -> None:
        site = site_writes.add_site(
            self.tx, self.organization, "Scale", hostname="docs.scale.example", published=True
        )
        for number in range(1, _share(self.n, 50, MOST_SECTIONS) + 1):
            section = site_writes.add_section(
                self.tx, site, f"Section {number}", path=f"section-{number}"
            )
            site_writes.add_site_space(
                self.tx,
                site,
                self.spaces[number % len(self.spaces)].id,
                section=section,
                path="current",
            )

    def make_conversations(self) -> None:
        clusters = [
            conversation_writes.add_cluster(
                at(self.tx, self.tx.moment - timedelta(weeks=13)),
                self.organization,
                f"{_VERBS[number % 9]} {_THINGS[number % 6]} ({number + 1})",
                summary="Made for measuring.",
            )
            for number in range(_share(self.n, 500, MOST_CLUSTERS))
        ]
        count = _share(self.n, 10, MOST_CONVERSATIONS)
        step = timedelta(weeks=13) / (count + 1)
        for index in range(count):
            then = at(self.tx, self.tx.moment - step * (count - index))
            conversation = conversation_writes.add_conversation(
                then,
                self.organization,
                (("user", f"Question {index + 1}?"), ("assistant", f"Answer {index + 1}.")),
                source=_SOURCES[index % len(_SOURCES)],
                subject=f"Conversation {index + 1}",
            )
            conversation_writes.add_issue(
                then,
                self.organization,
                conversation,
                f"Issue {index + 1}",
                cluster_id=self.random.choice(clusters),
            )


def _long_page() -> str:
    """Return a page of ``LONG_PAGE`` bytes with everything that pages are made of."""
    parts = ["# A long page\n"]
    size = 0
    chapter = 0
    while size < LONG_PAGE:
        chapter += 1
        part = (
            f"\n## Chapter {chapter}\n\nThis is paragraph {chapter} of a page that is far too long "
            "for anybody, with **bold** words, `code` and [a link](details.md).\n\n"
            f"* one point\n* another of {chapter}\n\n| Name | Value |\n| --- | --- |\n"
            f"| row | {chapter} |\n\n```python\nprint({chapter})\n```\n"
        )
        parts.append(part)
        size += len(part)
    return "".join(parts)[:LONG_PAGE]
