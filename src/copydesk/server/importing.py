"""Importing documentation repositories: spaces with their history, branches as change requests.

A second import of the same source updates what the first one made: new commits become revisions,
moved branches new commits of their change requests, and a branch that has landed is marked merged.
What was done on the desk meanwhile is kept; where both changed the same lines, the desk's version
stays and the report says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copydesk.server import branches, content, seeding, seeding_sites
from copydesk.server.documents import markdown_to_document
from copydesk.server.merging import merge
from copydesk.server.seeding import Editor, at
from copydesk.server.source_content import fill, filled, source_of
from copydesk.server.sources.git import Repository
from copydesk.server.sources.model import (
    Commit,
    Person,
    Problem,
    Progress,
    SourceChange,
    SourceRevision,
    SourceSpace,
)
from copydesk.server.sources.plan import ImportPlan, Known, SpacePlan, plan_imports
from copydesk.server.store import Row, Store, Tx, to_json

TITLE_LENGTH = 50
"""The longest title of a space (platform-api.md, Limits)."""


@dataclass(slots=True)
class SpaceReport:
    """What an import did to one space.

    ``unlisted`` are Markdown files that no line of the summary names: kept for export, not pages.
    """

    space_id: str
    title: str
    pages: int
    groups: int
    links: int
    unlisted: tuple[str, ...]
    created: bool
    revisions: int = 0
    opened: int = 0
    updated: int = 0
    merged: int = 0


@dataclass(slots=True)
class ImportReport:
    """What an import did, and what it could not use."""

    organization_id: str
    organization: str
    spaces: list[SpaceReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def import_source(
    store: Store,
    source: Path,
    *,
    owner: Callable[[Tx], str],
    organization: str | None = None,
    space: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Read a folder, repository or bundle into the desk, all of it or nothing.

    Args:
        store: the desk.
        source: what to read.
        owner: gives the user who becomes the organization's administrator, within the import.
        organization: the title of the organization to put it in; the source's name by default.
        space: what to call the space; only for a source that has one.
        progress: told after each commit, branch and space.

    Raises ``SourceError`` when the source cannot be read or holds no Markdown.
    """
    path = source.expanduser().resolve()
    with Repository.open(path) as repository:
        known = store.read(lambda tx: _known(tx, _imported(tx, path, organization)))
        plan = plan_imports(repository, known=known, progress=progress)
        return store.write(
            lambda tx: _Import(tx, plan, path, owner(tx), organization, space).run(progress)
        )


def _imported(tx: Tx, path: Path, organization: str | None) -> list[Row]:
    """Return the spaces that were imported from a source before."""
    rows = tx.all(
        "SELECT s.*, o.title AS organization FROM space s "
        "JOIN organization o ON o.id = s.organization_id "
        "WHERE s.source IS NOT NULL AND s.deleted_at IS NULL"
    )
    return [
        row
        for row in rows
        if source_of(row).get("path") == str(path)
        and (organization is None or row["organization"] == organization)
    ]


def _known(tx: Tx, spaces: list[Row]) -> Known | None:
    for row in spaces:
        remembered = source_of(row)
        if remembered.get("commit"):
            return Known(remembered["commit"], remembered["keys"])
    return None


class _Import:
    """One import in one transaction."""

    def __init__(
        self,
        tx: Tx,
        plan: ImportPlan,
        path: Path,
        owner: str,
        organization: str | None,
        space: str | None,
    ) -> None:
        self.tx = tx
        self.plan = plan
        self.path = path
        self.owner = owner
        self.space_title = space if len(plan.spaces) == 1 else None
        self.before = {
            source_of(row).get("folder", ""): row for row in _imported(tx, path, organization)
        }
        self.title = organization or plan.name
        self.problems = list(plan.problems)
        if space is not None and self.space_title is None:
            reason = "was not used: the source has several spaces, which keep their own titles"
            self.problems.append(Problem("--space", reason, text=space))

    def run(self, progress: Progress | None) -> ImportReport:
        organization_id = self.organization()
        self.organization_id = organization_id
        report = ImportReport(organization_id, self.title)
        for done, plan in enumerate(self.plan.spaces, 1):
            if progress is not None:
                progress(done, len(self.plan.spaces), f"writing {plan.title}")
            report.spaces.append(self.space(plan))
        self.site([space for space in report.spaces if space.created])
        report.problems = self.problems
        return report

    def organization(self) -> str:
        """Return the organization to import into, made when it is new."""
        if self.before:
            row = next(iter(self.before.values()))
            self.title = row["organization"]
            return str(row["organization_id"])
        found: str | None = self.tx.value("SELECT id FROM organization WHERE title = ?", self.title)
        if found is None:
            self.title = self.title[:255] if len(self.title) > 1 else f"{self.title} documentation"
            found = seeding.add_organization(self.tx, self.title, use_case="docsSite")
        self.member(found, self.owner, "admin")
        return found

    def member(self, organization_id: str, user_id: str, role: str) -> None:
        """Make a user a member unless they are one."""
        if not self.tx.one(
            "SELECT 1 FROM member WHERE organization_id = ? AND user_id = ?",
            organization_id,
            user_id,
        ):
            seeding.add_member(self.tx, organization_id, user_id, role)

    def author(self, person: Person) -> str:
        """Return the user who wrote something, made a member with the right to edit when new."""
        name = person.name.strip() or "Unknown author"
        email = person.email.strip() or f"{content.slugify(name)}@unknown.invalid"
        user_id: str | None = self.tx.value("SELECT id FROM user WHERE email = ?", email)
        if user_id is None:
            user_id = seeding.add_user(self.tx, name, email)
        self.member(self.organization_id, user_id, "edit")
        return user_id

    def space(self, plan: SpacePlan) -> SpaceReport:
        """Import one space and remember what the next import needs."""
        row = self.before.get(plan.folder)
        if row is None:
            report = _space_report(plan, self.new_space(plan), created=True)
            remembered: dict[str, Any] = {"changes": {}}
            self.history(plan.revisions[1:], report)
        else:
            report = _space_report(plan, row["id"], created=False)
            remembered = source_of(row)
            self.catch_up(plan, report, remembered)
        for change in plan.changes:
            self.proposal(change, report, remembered["changes"])
        known = self.plan.known
        remembered |= {
            "path": str(self.path),
            "folder": plan.folder,
            "summary": plan.head.summary_path,
            "commit": known.commit if known else None,
            "keys": dict(known.keys) if known else {},
            "revision": self.settled(report.space_id, plan.head),
        }
        self.tx.update("space", report.space_id, source=to_json(remembered))
        report.title = self.tx.value("SELECT title FROM space WHERE id = ?", report.space_id)
        return report

    def new_space(self, plan: SpacePlan) -> str:
        first = plan.revisions[0]
        title = (self.space_title or plan.title).strip()[:TITLE_LENGTH] or "Documentation"
        tx, author = self.tx, self.owner
        if first.commit is not None:
            tx, author = at(tx, first.commit.committed_at), self.author(first.commit.author)
        return seeding.add_space(
            tx,
            self.organization_id,
            title,
            filled(first.space),
            author=author,
            visibility="public",
            git=_git(first.commit),
        )

    def history(self, revisions: tuple[SourceRevision, ...], report: SpaceReport) -> None:
        """Commit revisions in order; those that merged a change come with their request."""
        for revision in revisions:
            commit = revision.commit
            if commit is None:
                continue
            tx = at(self.tx, commit.committed_at)
            made = seeding.commit(
                tx,
                report.space_id,
                filled(revision.space),
                author=self.author(commit.author),
                kind="merge" if revision.change else "edits",
                git=_git(commit),
            )
            report.revisions += 1
            if revision.change is not None:
                self.landed(revision.change, made, report)

    def landed(self, change: SourceChange, merged_as: str, report: SpaceReport) -> None:
        """Record a merged change: on the request that proposed it, or on one made for it."""
        author = self.author(change.author)
        request: str | None = None
        if change.number is not None:
            request = self.tx.value(
                "SELECT id FROM change_request WHERE space_id = ? AND number = ? "
                "AND status IN ('open', 'draft')",
                report.space_id,
                change.number,
            )
        created, merged = at(self.tx, change.created_at), at(self.tx, change.updated_at)
        if request is None:
            request = branches.open_branch(
                created,
                report.space_id,
                author,
                change.subject,
                filled(change.head),
                number=change.number,
                description=_description(change),
                base=self.revision_of(report.space_id, change.base),
                git={"key": change.key, "oid": change.head_commit},
            )
        branches.record_merge(merged, request, merged_as)
        report.merged += 1

    def proposal(self, change: SourceChange, report: SpaceReport, changes: dict[str, Any]) -> None:
        """Open a change request for a branch, or bring the one it has up to date."""
        author = self.author(change.author)
        remembered = changes.get(change.key)
        if remembered is None:
            changes[change.key] = {
                "id": self.open_proposal(change, author, report.space_id),
                "head": change.head_commit,
            }
            report.opened += 1
            return
        if remembered["head"] == change.head_commit:
            return
        row = branches.find(self.tx, remembered["id"])
        if row["status"] in ("open", "draft"):
            remembered["head"] = change.head_commit
            branches.edit_branch(
                at(self.tx, max(change.updated_at, _moment(row["updated_at"]))),
                remembered["id"],
                author,
                filled(change.head),
                git={"key": change.key, "oid": change.head_commit},
            )
            report.updated += 1

    def open_proposal(self, change: SourceChange, author: str, space_id: str) -> str:
        created = at(self.tx, change.created_at)
        request = branches.open_branch(
            created,
            space_id,
            author,
            change.subject,
            number=change.number,
            description=_description(change),
            base=self.revision_of(space_id, change.base),
        )
        branches.edit_branch(
            at(self.tx, change.updated_at),
            request,
            author,
            filled(change.head),
            git={"key": change.key, "oid": change.head_commit},
        )
        return request

    def revision_of(self, space_id: str, space: SourceSpace) -> str:
        """Return a revision of the space that holds exactly this, stored when there is none."""
        editor = Editor(self.tx, space_id, content.Draft())
        fill(editor, space)
        stored = content.close_draft(self.tx, editor.draft)
        found: str | None = self.tx.value(
            "SELECT r.id FROM revision r JOIN space s ON s.id = r.space_id "
            "WHERE r.space_id = ? AND r.tree_hash = ? "
            # A merged change leaves its branch's revision beside the one in primary content: what
            # starts at the present state must start at the space's own, or it would look outdated.
            "ORDER BY r.id = s.revision_id DESC, r.type = 'merge' DESC, r.created_at DESC LIMIT 1",
            space_id,
            content.put_tree(self.tx, stored),
        )
        return found or content.put_revision(self.tx, space_id, stored, author=self.owner)

    def settled(self, space_id: str, head: SourceSpace) -> str:
        """Return the revision that holds the source as it is now; the next import starts there."""
        return self.revision_of(space_id, head)

    def catch_up(self, plan: SpacePlan, report: SpaceReport, remembered: dict[str, Any]) -> None:
        """Bring an imported space to the source's present state."""
        row = self.tx.one("SELECT * FROM space WHERE id = ?", report.space_id)
        assert row is not None
        last = remembered["revision"]
        if self.settled(report.space_id, plan.head) == last:
            return
        if _tree(self.tx, row["revision_id"]) == _tree(self.tx, last):
            known = self.known_commits(report.space_id)
            new = tuple(r for r in plan.revisions if r.commit and r.commit.oid not in known)
            self.history(new or plan.revisions[-1:], report)
            if not new:
                seeding.commit(self.tx, report.space_id, filled(plan.head), author=self.owner)
                report.revisions += 1
            return
        self.reconcile(plan, report, row, last)

    def known_commits(self, space_id: str) -> set[str]:
        rows = self.tx.all(
            "SELECT json_extract(git, '$.oid') AS oid FROM revision "
            "WHERE space_id = ? AND git IS NOT NULL",
            space_id,
        )
        return {row["oid"] for row in rows}

    def reconcile(self, plan: SpacePlan, report: SpaceReport, row: Row, last: str) -> None:
        """Merge the source's progress into a space that was changed on the desk meanwhile.

        Where both changed the same thing the desk's stays; everything else of the source comes in,
        for the next import takes it as known.
        """
        tx = self.tx
        base, ours, theirs = (
            content.open_draft(tx, content.load(tx, revision))
            for revision in (last, row["revision_id"], self.settled(report.space_id, plan.head))
        )
        merged = merge(
            base,
            ours,
            theirs,
            read_text=lambda digest: content.text(tx, digest),
            write_text=lambda text: content.put_text(tx, text),
        )
        for conflict in merged.conflicts:
            reason = "changed both in the source and on the desk; the desk's version is kept"
            if conflict.other is not None:
                reason = f"has the same address as the page {conflict.other.title!r}; both are kept"
            self.problems.append(Problem(conflict.path, reason))
            page = conflict.page
            if page is not None and page.id in base.pages and page.id not in ours.pages:
                merged.draft.lift_out(page.id)
        if merged.draft == ours:
            return

        def take(editor: Editor) -> None:
            editor.draft = merged.draft

        seeding.commit(tx, report.space_id, take, author=self.owner, kind="merge")
        report.revisions += 1

    def site(self, spaces: list[SpaceReport]) -> None:
        """Show new spaces on a site of the organization: one space alone, several as sections."""
        if not spaces:
            return
        tx = self.tx
        site: str | None = tx.value(
            "SELECT ss.site_id FROM site_space ss JOIN space s ON s.id = ss.space_id "
            "WHERE s.organization_id = ? AND json_extract(s.source, '$.path') = ? LIMIT 1",
            self.organization_id,
            str(self.path),
        )
        if site is None:
            site = seeding_sites.add_site(
                tx, self.organization_id, self.plan.name[:128].ljust(2, "s")
            )
            if len(spaces) == 1:
                seeding_sites.add_site_space(tx, site, spaces[0].space_id)
                return
        for space in spaces:
            section = seeding_sites.add_section(tx, site, space.title)
            seeding_sites.add_site_space(tx, site, space.space_id, section=section)


def _space_report(plan: SpacePlan, space_id: str, *, created: bool) -> SpaceReport:
    kinds = Counter(page.type for page in plan.head.walk())
    return SpaceReport(
        space_id,
        plan.title,
        pages=kinds["document"],
        groups=kinds["group"],
        links=kinds["link"],
        unlisted=tuple(file.path for file in plan.head.files if file.role == "unlisted"),
        created=created,
    )


def _tree(tx: Tx, revision_id: str) -> Any:
    return tx.value("SELECT tree_hash FROM revision WHERE id = ?", revision_id)


def _git(commit: Commit | None) -> dict[str, Any] | None:
    return None if commit is None else {"oid": commit.oid, "message": commit.subject}


def _description(change: SourceChange) -> Mapping[str, Any] | None:
    return markdown_to_document(change.body).to_dict() if change.body.strip() else None


def _moment(stored: str) -> datetime:
    return datetime.fromisoformat(stored).astimezone(UTC)
