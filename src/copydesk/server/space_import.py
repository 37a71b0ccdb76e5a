"""Importing one space of a documentation repository: its history, and its branches.

See `copydesk.server.repository_import`, which decides where a space goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copydesk.domain.documents import markdown_to_document
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.space_tree import TITLE_LENGTH
from copydesk.server import change_requests, content, desk_writes
from copydesk.server.content_merge import merge
from copydesk.server.desk_writes import Editor, at
from copydesk.server.source_content import Stored, fill, filled, source_of, source_space
from copydesk.server.sources.model import (
    Commit,
    Person,
    Problem,
    SourceChange,
    SourceRevision,
    SourceSpace,
    walk,
)
from copydesk.server.sources.page_paths import placed
from copydesk.server.sources.plan import ImportPlan, SpacePlan
from copydesk.server.sources.summary import tidy
from copydesk.server.store import Row, Tx, to_json


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
    archived: int = 0


@dataclass(frozen=True, slots=True)
class SpaceImport:
    """Where and for whom spaces are imported.

    ``author`` gives the user who wrote something, ``title`` is what a new space is called instead
    of what its source says, and ``problems`` takes what could not be used. ``whole`` is the import
    that the spaces are part of, and ``step`` is told of each revision and branch to be written.
    """

    tx: Tx
    organization_id: str
    owner: str
    path: Path
    whole: ImportPlan
    title: str | None
    author: Callable[[Person], str]
    problems: list[Problem]
    step: Callable[[str], None]
    stored: Stored = field(default_factory=dict)
    trees: dict[int, str] = field(default_factory=dict)
    """The tree that each state of the plan was stored as: many branches start from the same one."""

    def take(self, plan: SpacePlan, row: Row | None) -> SpaceReport:
        """Import one space and remember what the next import needs.

        ``row`` is the space that an earlier import made of it.
        """
        if row is None:
            report = _space_report(plan, self._new_space(plan), created=True)
            remembered: dict[str, Any] = {"changes": {}}
            self._history(plan.revisions[1:], report, {})
        else:
            report = _space_report(plan, row["id"], created=False)
            remembered = source_of(row)
            self._catch_up(plan, report, remembered)
        for change in plan.changes:
            self.step(change.branch or change.subject)
            self._proposal(change, report, remembered["changes"])
        if self.whole.branch is not None:
            self._settle(plan, report, remembered["changes"])
        known = self.whole.known
        remembered |= {
            "path": str(self.path),
            "folder": plan.folder,
            "summary": plan.head.summary_path,
            "made": list(plan.head.made),
            "branch": self.whole.branch,
            "commit": known.commit if known else None,
            "keys": dict(known.keys) if known else {},
            "absent": sorted(known.absent) if known else [],
            "revision": self._revision_of(report.space_id, plan.head),
        }
        self.tx.update("space", report.space_id, source=to_json(remembered))
        report.title = self.tx.value("SELECT title FROM space WHERE id = ?", report.space_id)
        return report

    def bring(self, plan: SpacePlan, row: Row, last: Mapping[str, Any] | None) -> None:
        """Bring a space to the state of a source, which it had at the revision of ``last``.

        What was changed on the desk since is kept, and both merged. Without ``last`` the space
        becomes what the source says.
        """
        if last:
            report = _space_report(plan, row["id"], created=False)
            self._catch_up(plan, report, {**last, "changes": {}})
            return
        self._know_again(plan, row, {})
        desk_writes.commit(
            self.tx,
            row["id"],
            filled(plan.head, self.stored),
            author=self.owner,
            git=_git(plan.revisions[0].commit),
        )

    def _new_space(self, plan: SpacePlan) -> str:
        self.step(plan.title)
        first = plan.revisions[0]
        title = (self.title or plan.title).strip()[:TITLE_LENGTH] or "Documentation"
        tx, author = self.tx, self.owner
        if first.commit is not None:
            tx, author = at(tx, first.commit.committed_at), self.author(first.commit.author)
        return desk_writes.add_space(
            tx,
            self.organization_id,
            title,
            filled(first.space, self.stored),
            author=author,
            visibility="public",
            git=_git(first.commit),
        )

    def _history(
        self, revisions: tuple[SourceRevision, ...], report: SpaceReport, changes: Mapping[str, Any]
    ) -> None:
        """Commit revisions in order; a merge comes with its change request.

        ``changes`` are the requests that earlier imports made of branches, by the keys of these.
        """
        for revision in revisions:
            commit = revision.commit
            if commit is None:
                continue
            self.step(tidy(commit.subject))
            tx = at(self.tx, commit.committed_at)
            made = desk_writes.commit(
                tx,
                report.space_id,
                filled(revision.space, self.stored),
                author=self.author(commit.author),
                kind="merge" if revision.change else "edits",
                git=_git(commit),
            )
            report.revisions += 1
            if revision.change is not None:
                self._landed(revision.change, made, report, changes)

    def _landed(
        self, change: SourceChange, merged_as: str, report: SpaceReport, changes: Mapping[str, Any]
    ) -> None:
        """Record a merged change: on the request that proposed it, or on one made for it."""
        author = self.author(change.author)
        request = self._proposed_by(change, report.space_id, changes)
        created, merged = at(self.tx, change.created_at), at(self.tx, change.updated_at)
        if request is None:
            request = change_requests.open_branch(
                created,
                report.space_id,
                author,
                change.subject,
                filled(change.head, self.stored),
                number=change.number,
                description=_description(change),
                base=self._revision_of(report.space_id, change.base),
                git={"key": change.key, "oid": change.head_commit},
            )
        change_requests.record_merge(merged, request, merged_as)
        report.merged += 1

    def _proposed_by(
        self, change: SourceChange, space_id: str, changes: Mapping[str, Any]
    ) -> str | None:
        """Return the request that proposed a merged change, by its branch or its number.

        A request that was opened on the desk may have the same number, and so may that of another
        branch: one that is still there, with something that is not in primary content.
        """
        keys = {each["id"]: key for key, each in changes.items()}
        branch = changes.get(f"branch:{change.branch}", {}).get("id")
        for row in self.tx.all(
            "SELECT * FROM change_request WHERE space_id = ? AND (number = ? OR id = ?) "
            "AND status IN ('open', 'draft') ORDER BY id = ? DESC",
            space_id,
            change.number,
            branch,
            branch,
        ):
            key = keys.get(row["id"])
            gone = key is not None and key not in self.whole.there
            if gone or (key is not None and change_requests.is_contained(self.tx, row)):
                return str(row["id"])
        return None

    def _proposal(self, change: SourceChange, report: SpaceReport, changes: dict[str, Any]) -> None:
        """Open a change request for a branch, or bring the one it has up to date.

        A branch that took the default one in, or was put on a later state of it, contains that: its
        request is compared and merged from there, or all that others did would be its own doing.
        One that goes on after its request was merged proposes something new.
        """
        author = self.author(change.author)
        remembered = changes.get(change.key)
        if remembered is None or self._goes_on(change, remembered):
            request = self._open_proposal(change, author, report.space_id)
            changes[change.key] = {"id": request} | self._noted(change, report.space_id)
            report.opened += 1
            return
        row = self.tx.row("change_request", remembered["id"])
        if remembered.pop("settled", None) and row["status"] == "archived":
            change_requests.set_status(self.tx, row["id"], "open")
            row = self.tx.row("change_request", row["id"])
        if row["status"] not in ("open", "draft"):
            return
        moved = remembered["head"] != change.head_commit
        if not moved and remembered.get("base") == change.base_commit:
            return
        remembered |= self._noted(change, report.space_id)
        base = self._revision_of(report.space_id, change.base)
        if not moved:
            # The default branch took in a part of the branch, whose own text stays as it was
            # reviewed. What was brought up to date on the desk starts from a later state already.
            head = self._revision_of(report.space_id, change.head)
            if _tree(self.tx, row["revision_id"]) == _tree(self.tx, head):
                self.tx.update("change_request", row["id"], revision_merged_ancestor=base)
            return
        change_requests.edit_branch(
            at(self.tx, max(change.updated_at, _moment(row["updated_at"]))),
            remembered["id"],
            author,
            filled(change.head, self.stored),
            git={"key": change.key, "oid": change.head_commit},
            contains=base,
        )
        report.updated += 1

    def _goes_on(self, change: SourceChange, remembered: Mapping[str, Any]) -> bool:
        """Whether a branch has new commits since its request was merged, or was taken out again."""
        row = self.tx.row("change_request", remembered["id"])
        moved = remembered["head"] != change.head_commit
        return row["status"] == "merged" and (moved or bool(remembered.get("landed")))

    def _noted(self, change: SourceChange, space_id: str) -> dict[str, Any]:
        """Return what to remember of a branch beside the request that it became."""
        ids = {
            row["source_key"]: row["id"]
            for row in self.tx.all("SELECT id, source_key FROM page WHERE space_id = ?", space_id)
        }
        return {
            "head": change.head_commit,
            "base": change.base_commit,
            "moved": {
                ids[key]: {
                    "key": key,
                    "path": moved.path,
                    "folder": moved.folder,
                    "broken": moved.broken,
                }
                for key, moved in change.moved.items()
            },
        }

    def _settle(self, plan: SpacePlan, report: SpaceReport, changes: dict[str, Any]) -> None:
        """Mark the requests of branches that propose nothing any more merged or archived."""
        proposed = {change.key for change in plan.changes}
        for key, remembered in changes.items():
            if landed := key not in proposed and key in self.whole.landed:
                remembered["landed"] = True
            row = self.tx.row("change_request", remembered["id"])
            if row["status"] not in ("open", "draft"):
                continue
            if landed or change_requests.is_contained(self.tx, row):
                merged_as = self.tx.row("space", report.space_id)["revision_id"]
                change_requests.record_merge(self.tx, row["id"], merged_as)
                report.merged += 1
            elif key not in proposed and key not in self.whole.unread:
                change_requests.set_status(self.tx, row["id"], "archived")
                remembered["settled"] = True
                report.archived += 1

    def _open_proposal(self, change: SourceChange, author: str, space_id: str) -> str:
        created = at(self.tx, change.created_at)
        request = change_requests.open_branch(
            created,
            space_id,
            author,
            change.subject,
            number=change.number,
            description=_description(change),
            base=self._revision_of(space_id, change.base),
        )
        change_requests.edit_branch(
            at(self.tx, change.updated_at),
            request,
            author,
            filled(change.head, self.stored),
            git={"key": change.key, "oid": change.head_commit},
        )
        return request

    def _revision_of(self, space_id: str, space: SourceSpace) -> str:
        """Return a revision of the space that holds exactly this, stored when there is none."""
        known = self.trees.get(id(space))
        if known is None:
            editor = Editor(self.tx, space_id, content.Draft())
            fill(editor, space, self.stored)
            known = content.put_tree(self.tx, content.close_draft(self.tx, editor.draft))
            self.trees[id(space)] = known
        found: str | None = self.tx.value(
            "SELECT r.id FROM revision r JOIN space s ON s.id = r.space_id "
            "WHERE r.space_id = ? AND r.tree_hash = ? "
            # A merged change leaves its branch's revision beside the one in primary content: what
            # starts at the present state must start at the space's own, or it would look outdated.
            "ORDER BY r.id = s.revision_id DESC, r.type = 'merge' DESC, r.created_at DESC LIMIT 1",
            space_id,
            known,
        )
        return found or content.put_revision(
            self.tx, space_id, content.tree(self.tx, known), author=self.owner
        )

    def _catch_up(self, plan: SpacePlan, report: SpaceReport, remembered: dict[str, Any]) -> None:
        """Bring an imported space to the source's present state."""
        row = self.tx.row("space", report.space_id)
        self._know_again(plan, row, remembered)
        last = remembered["revision"]
        if self._revision_of(report.space_id, plan.head) == last:
            return
        if _tree(self.tx, row["revision_id"]) == _tree(self.tx, last):
            known = self._known_commits(report.space_id)
            new = tuple(r for r in plan.revisions if r.commit and r.commit.oid not in known)
            self._history(new or plan.revisions[-1:], report, remembered["changes"])
            if not new:
                desk_writes.commit(
                    self.tx, report.space_id, filled(plan.head, self.stored), author=self.owner
                )
                report.revisions += 1
            return
        self._reconcile(plan, report, row, last)

    def _know_again(self, plan: SpacePlan, row: Row, remembered: dict[str, Any]) -> None:
        """Know pages that were made, and groups and links renamed, on the desk and come from git.

        An export wrote them where they are found now, so they are the same and not others.
        """
        stored = content.load(self.tx, row["revision_id"])
        here = source_space(self.tx, row, stored, {**remembered, "folder": plan.folder})
        ids = {
            page.key: id_
            for page, id_ in zip(here.walk(), (n.page for n in stored.nodes()), strict=True)
        }
        there = {(page.type, page.source_path or page.path): page.key for page in plan.head.walk()}
        for page in walk(placed(here)):
            key = there.get((page.type, page.source_path or page.path))
            own = page.type == "document" and page.key != ids[page.key]
            if key is not None and key not in ids and not own:
                self.tx.run(
                    "UPDATE page SET source_key = NULL WHERE space_id = ? AND source_key = ?",
                    row["id"],
                    key,
                )
                self.tx.update("page", ids[page.key], source_key=key)

    def _known_commits(self, space_id: str) -> set[str]:
        rows = self.tx.all(
            "SELECT json_extract(git, '$.oid') AS oid FROM revision "
            "WHERE space_id = ? AND git IS NOT NULL",
            space_id,
        )
        return {row["oid"] for row in rows}

    def _reconcile(self, plan: SpacePlan, report: SpaceReport, row: Row, last: str) -> None:
        """Merge the source's progress into a space that was changed on the desk meanwhile.

        Where both changed the same thing the desk's stays; everything else of the source comes in,
        for the next import takes it as known.
        """
        tx = self.tx
        base, ours, theirs = (
            content.open_draft(tx, content.load(tx, revision))
            for revision in (
                last,
                row["revision_id"],
                self._revision_of(report.space_id, plan.head),
            )
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
        new = {*ours.pages, *theirs.pages} - {*base.pages}
        self._take_places(merged.draft, theirs, new, row["revision_id"])
        _trace_back(merged.draft, theirs)
        if merged.draft == ours:
            return

        def take(editor: Editor) -> None:
            editor.draft = merged.draft

        desk_writes.commit(tx, report.space_id, take, author=self.owner, kind="merge")
        report.revisions += 1

    def _take_places(
        self, draft: content.Draft, source: content.Draft, new: Set[str], revision: str
    ) -> None:
        """Have pages that were made on the desk and exported where the source has them.

        Without a summary their files may be able to say no other place. What was moved at the
        desk's ``revision`` since it was made stays: nobody knows where it was exported.
        """
        for parent, pages in source.children.items():
            here = draft.children.get(parent, [])
            same = [page for page in here if page not in new] == [p for p in pages if p not in new]
            if here == pages or not same or {*here} != {*pages}:
                continue
            if not self._moved(parent, {*here}, new, revision):
                draft.children[parent] = list(pages)
                continue
            page = source.pages[next(page for page in here if page in new)]
            reason = "was moved on the desk; its place in the source is another one, and not taken"
            self.problems.append(Problem(page.git_path or page.slug, reason))

    def _moved(self, parent: str | None, pages: Set[str], new: Set[str], revision: str) -> bool:
        """Whether the order of pages below another changed on the desk up to a revision of it.

        Only since there are ``new`` ones among them.
        """
        at: str | None = revision
        now: dict[str, None] = {}
        while at is not None:
            draft = content.open_draft(self.tx, content.load(self.tx, at))
            then = dict.fromkeys(page for page in draft.children.get(parent, ()) if page in pages)
            if new.isdisjoint(then):
                return False
            now = now or then
            if [page for page in now if page in then] != [page for page in then if page in now]:
                return True
            at = self.tx.value(
                "SELECT json_extract(parents, '$[0]') FROM revision WHERE id = ?", at
            )
        return False


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


def _trace_back(draft: content.Draft, source: content.Draft) -> None:
    """Note which blob of the source each page and file is that says the same there.

    What the desk wrote is such a blob once it was exported and committed, and a branch that starts
    there starts at what the desk has.
    """
    for key, page in source.pages.items():
        if key in draft.pages and replace(draft.pages[key], git_oid=page.git_oid) == page:
            draft.pages[key] = page
    for path, file in source.files.items():
        if path in draft.files and draft.files[path].blob == file.blob:
            draft.files[path] = replace(file, id=draft.files[path].id)


def _tree(tx: Tx, revision_id: str) -> Any:
    return tx.value("SELECT tree_hash FROM revision WHERE id = ?", revision_id)


def _git(commit: Commit | None) -> dict[str, Any] | None:
    return None if commit is None else {"oid": commit.oid, "message": commit.subject}


def _description(change: SourceChange) -> Mapping[str, Any] | None:
    return markdown_to_document(change.body).to_dict() if change.body.strip() else None


def _moment(stored: str) -> datetime:
    return datetime.fromisoformat(stored).astimezone(UTC)
