"""Importing documentation repositories: spaces with their history, branches as change requests.

A second import of the same source updates what the first one made: new commits become revisions,
moved branches new commits of their change requests; the request of a branch that has landed is
merged, and that of one that is gone archived. What was done on the desk meanwhile is kept; where
both changed the same lines, the desk's version stays and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path, PurePosixPath

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.slug import slugify
from copydesk.domain.space_tree import TITLE_LENGTH
from copydesk.server import audit, content, desk_writes, site_writes
from copydesk.server.source_content import source_of
from copydesk.server.sources.git import Repository, whole
from copydesk.server.sources.identity import Known
from copydesk.server.sources.model import Person, Problem, Progress, SourceError, silent
from copydesk.server.sources.plan import ImportPlan, SpacePlan, plan_imports
from copydesk.server.space_import import SpaceImport, SpaceReport
from copydesk.server.store import Row, Store, Tx

FOLDER_LENGTH = 28
"""How many characters of a folder's path tell spaces of one title apart, at most."""


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
    progress: Progress = silent,
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
    path = whole(source.resolve())
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise SourceError(
            f"{str(path)!a} is not UTF-8 text, and cannot be noted for the next import: "
            "give the folder another name."
        ) from error
    known = store.read(lambda tx: _known(tx, _imported(tx, path, organization)))
    with Repository.open(path, default=known.branch if known else None) as repository:
        plan = plan_imports(
            repository, known=known, progress=_step(progress, "step 1 of 2, reading")
        )
        return store.write(
            lambda tx: _Import(tx, plan, path, owner(tx), organization, space).run(progress)
        )


def _step(progress: Progress, step: str) -> Progress:
    """Return a progress callback that names its step: each step counts from the beginning."""
    return lambda done, total, what: progress(done, total, f"{step} {what}")


def _imported(tx: Tx, path: Path, organization: str | None) -> list[Row]:
    """Return the spaces that were imported from a source before."""
    rows = tx.all(
        "SELECT s.*, o.title AS organization FROM space s "
        "JOIN organization o ON o.id = s.organization_id "
        "WHERE s.source IS NOT NULL AND s.deleted_at IS NULL"
    )

    def recorded(given: Path) -> list[Row]:
        return [
            row
            for row in rows
            if source_of(row).get("path") == str(given)
            and (organization is None or row["organization"] == organization)
        ]

    # Older versions recorded the `.git` of a repository where that was given.
    return recorded(path) or recorded(path / ".git")


def _known(tx: Tx, spaces: list[Row]) -> Known | None:
    """Return what the last import of a source knew; all its spaces say the same of the files."""
    found = [source_of(row) for row in spaces]
    heads = {
        key: change["head"] for space in found for key, change in space.get("changes", {}).items()
    }
    for remembered in found:
        if remembered.get("commit"):
            absent = frozenset(remembered.get("absent", ()))
            branch = remembered.get("branch")
            return Known(remembered["commit"], remembered["keys"], heads, absent, branch)
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

    def run(self, progress: Progress) -> ImportReport:
        self.refuse_loss()
        organization_id = self.organization()
        self.organization_id = organization_id
        report = ImportReport(organization_id, self.title)
        total = sum(len(plan.revisions) + len(plan.changes) for plan in self.plan.spaces)
        written = 0
        told = _step(progress, "step 2 of 2, writing")

        def step(what: str) -> None:
            nonlocal written
            written = min(written + 1, total)
            told(written, total, what)

        spaces = SpaceImport(
            self.tx,
            organization_id,
            self.owner,
            self.path,
            self.plan,
            self.space_title,
            self.author,
            self.problems,
            step,
        )
        for plan in _told_apart(self.plan.spaces):
            taken = spaces.take(plan, self.before.get(plan.folder))
            report.spaces.append(taken)
            branch = {"branch": self.plan.branch} if self.plan.branch else {}
            noted = {"repository": self.plan.name, **branch}
            audit.note_of_space(self.tx, taken.space_id, audit.IMPORTED, self.owner, noted)
        self.site([space for space in report.spaces if space.created])
        report.problems = self.problems
        return report

    def refuse_loss(self) -> None:
        """Raise ``SourceError`` where a page of the desk was in what cannot be read now.

        It would be taken for deleted.
        """
        for problem in (each for each in self.problems if each.unread):
            for row in self.before.values():
                stored = content.load(self.tx, row["revision_id"])
                for page in content.open_draft(self.tx, stored).pages.values():
                    if page.git_path and PurePosixPath(page.git_path).is_relative_to(problem.path):
                        raise SourceError(
                            f"{self.path}/{problem}. {page.git_path} of the desk would be taken "
                            "for deleted. Nothing was imported; make it readable for you first."
                        )

    def organization(self) -> str:
        """Return the organization to import into, made when it is new."""
        if self.before:
            row = next(iter(self.before.values()))
            self.title = row["organization"]
            return str(row["organization_id"])
        found: str | None = self.tx.value("SELECT id FROM organization WHERE title = ?", self.title)
        if found is None:
            self.title = self.title[:255] if len(self.title) > 1 else f"{self.title} documentation"
            found = desk_writes.add_organization(self.tx, self.title, use_case="docsSite")
        self.member(found, self.owner, "admin")
        return found

    def member(self, organization_id: str, user_id: str, role: str) -> None:
        """Make a user a member unless they are one."""
        if self.tx.get("member", organization_id=organization_id, user_id=user_id) is None:
            desk_writes.add_member(self.tx, organization_id, user_id, role)

    def author(self, person: Person) -> str:
        """Return the user who wrote something, made a member with the right to edit when new."""
        name = person.name.strip() or "Unknown author"
        email = person.email.strip() or f"{slugify(name)}@unknown.invalid"
        user_id: str | None = self.tx.value("SELECT id FROM user WHERE email = ?", email)
        if user_id is None:
            user_id = desk_writes.add_user(self.tx, name, email)
        self.member(self.organization_id, user_id, "edit")
        return user_id

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
            site = site_writes.add_site(
                tx, self.organization_id, self.plan.name[:128].ljust(2, "s")
            )
            if len(spaces) == 1:
                site_writes.add_site_space(tx, site, spaces[0].space_id)
                return
        for space in spaces:
            section = site_writes.add_section(tx, site, space.title)
            site_writes.add_site_space(tx, site, space.space_id, section=section)


def _told_apart(plans: Sequence[SpacePlan]) -> list[SpacePlan]:
    """Return spaces with their folder in each title that several of them have, but the topmost's.

    Copies of a book for each of its editions have one heading: nothing else tells them apart.
    """
    depths: dict[str, list[int]] = {}
    for plan in plans:
        depths.setdefault(plan.title.casefold(), []).append(_depth(plan))

    def clear(plan: SpacePlan) -> bool:
        alike = depths[plan.title.casefold()]
        return _depth(plan) == min(alike) and alike.count(min(alike)) == 1

    return [
        plan if clear(plan) else replace(plan, title=_with_folder(plan.title, plan.folder))
        for plan in plans
    ]


def _depth(plan: SpacePlan) -> int:
    return len(PurePosixPath(plan.folder).parts)


def _with_folder(title: str, folder: str) -> str:
    """Return a title with a folder's path, or both its ends, no longer than one may be."""
    half = FOLDER_LENGTH // 2
    shown = folder if len(folder) <= FOLDER_LENGTH else f"{folder[: half - 1]}…{folder[-half:]}"
    said = f" ({shown})"
    return title[: TITLE_LENGTH - len(said)].rstrip() + said
