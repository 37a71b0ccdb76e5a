"""Writing people, places and content to a desk, with every count kept right.

Handlers, the import, the sample and the tests write through these functions. Each writes at the
transaction's moment; ``at`` gives a transaction that writes at another one, so that a desk can have
a past. What happens to a change request is in ``change_requests``, what is said about content in
``threads``."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from copydesk.contract.enumerations import RevisionType
from copydesk.contract.models.document import Document
from copydesk.domain.slug import slugify
from copydesk.server import content
from copydesk.server.content import Draft, FileData, PageData
from copydesk.server.search_index import keep_index
from copydesk.server.store import Tx, timestamp, to_json

Edit = Callable[["Editor"], None]
"""What an author does to a space's content, given a handle on it."""


def at(tx: Tx, moment: datetime) -> Tx:
    """Return the same transaction with another time of writing."""
    return Tx(tx.connection, moment, tx.new_id)


class Editor:
    """An author's handle on the content of one space: pages by id, texts as texts.

    ``draft`` is the tree being edited; it may be changed directly or replaced whole.
    """

    def __init__(self, tx: Tx, space_id: str, draft: Draft) -> None:
        self.tx = tx
        self.space_id = space_id
        self.draft = draft

    def page(
        self,
        title: str,
        text: str | None = None,
        *,
        parent: str | None = None,
        index: int | None = None,
        slug: str | None = None,
        type: str = "document",  # noqa: A002 - the field's name
        source_key: str | None = None,
        **settings: Any,
    ) -> str:
        """Add a page below ``parent`` and return its id.

        The slug is made from the title and kept apart from its siblings' unless it is given.
        ``settings`` are the other fields of ``PageData``. A document always has a text.
        """
        page_id = content.new_page_id(self.tx, self.space_id, source_key)
        self.draft.add(
            PageData(
                id=page_id,
                title=title,
                slug=slug or self.free_slug(title, parent),
                type=type,
                text=content.put_text(self.tx, text or "") if type == "document" else None,
                **settings,
            ),
            parent,
            index,
        )
        return page_id

    def find(self, path: str) -> str:
        """Return the id of the page at a path of slugs. Raises ``KeyError`` when there is none."""
        found = next((i for i, p in content.paths(self.draft).items() if p == path), None)
        if found is None:
            raise KeyError(path)
        return found

    def read(self, page_id: str) -> str:
        """Return a page's Markdown."""
        return content.text(self.tx, self.draft.pages[page_id].text)

    def write(self, page_id: str, text: str) -> None:
        """Replace a page's Markdown."""
        self.draft.edit(page_id, text=content.put_text(self.tx, text), git_oid=None)

    def rename(self, page_id: str, title: str, slug: str | None = None) -> None:
        """Give a page another title and, when it is given, another slug."""
        self.draft.edit(page_id, title=title, **({"slug": slug} if slug else {}))

    def move(self, page_id: str, parent: str | None, index: int | None = None) -> None:
        """Put a page elsewhere, with everything below it."""
        self.draft.move(page_id, parent, index)

    def remove(self, page_id: str) -> None:
        """Take a page out, with everything below it."""
        self.draft.remove(page_id)

    def file(
        self,
        path: str,
        data: bytes,
        *,
        content_type: str | None = None,
        kind: str = "file",
        git_oid: str | None = None,
    ) -> str:
        """Put a file at a path, in place of the one there, and return its id.

        A file keeps its id as long as it keeps its path, so that references to it hold.
        """
        blob = content.put_blob(self.tx, data)
        return self.stored_file(
            path, blob, len(data), content_type=content_type, kind=kind, git_oid=git_oid
        )

    def stored_file(
        self,
        path: str,
        blob: str,
        size: int,
        *,
        content_type: str | None = None,
        kind: str = "file",
        git_oid: str | None = None,
    ) -> str:
        """Put a file whose bytes the desk has as a blob at a path; as ``file`` does."""
        before = self.draft.files.get(path)
        file_id = before.id if before else _file_id(self.space_id, path)
        self.draft.files[path] = FileData(
            id=file_id,
            name=path.rpartition("/")[2],
            path=path,
            blob=blob,
            size=size,
            content_type=content_type
            or mimetypes.guess_type(path)[0]
            or "application/octet-stream",
            kind=kind,
            git_oid=git_oid,
        )
        return file_id

    def free_slug(self, title: str, parent: str | None, page: str | None = None) -> str:
        """Return a slug made from a title that no page below ``parent`` has, but for ``page``."""
        siblings = self.draft.children.get(parent, ())
        taken = {self.draft.pages[other].slug for other in siblings if other != page}
        wanted = slugify(title)
        slug, number = wanted, 1
        while slug in taken:
            number += 1
            slug = f"{wanted}-{number}"
        return slug


@lru_cache(maxsize=1 << 16)  # an import writes the same files for each commit
def _file_id(space_id: str, path: str) -> str:
    return uuid5(NAMESPACE_URL, f"{space_id}/{path}").hex[:20]


def add_user(tx: Tx, display_name: str, email: str, *, photo_url: str | None = None) -> str:
    """Add a person and return their id."""
    return tx.add(
        "user", display_name=display_name, email=email, photo_url=photo_url, created_at=tx.now
    )


def add_organization(
    tx: Tx,
    title: str,
    *,
    hostname: str | None = None,
    email_domains: Iterable[str] = (),
    type: str = "business",  # noqa: A002 - the field's name
    use_case: str | None = None,
    community_type: str | None = None,
    default_role: str | None = None,
    plan: str = "free_2024",
    merge_rules: Mapping[str, Any] | None = None,
    ai: bool = False,
    sso: bool = False,
    invite_links: bool = True,
) -> str:
    """Add an organization without members and return its id. ``merge_rules`` default to none."""
    return tx.add(
        "organization",
        title=title,
        created_at=tx.now,
        email_domains=to_json(list(email_domains)),
        hostname=hostname,
        type=type,
        use_case=use_case,
        community_type=community_type,
        default_role=default_role,
        plan=plan,
        ai=ai,
        sso=sso,
        invite_links=invite_links,
        merge_rules=to_json(merge_rules or {"type": "none"}),
    )


def add_member(
    tx: Tx,
    organization_id: str,
    user_id: str,
    role: str | None = "edit",
    *,
    sso: bool = False,
    disabled: bool = False,
    last_seen: datetime | None = None,
) -> None:
    """Make a user a member of an organization; no role makes them a guest."""
    tx.insert(
        "member",
        organization_id=organization_id,
        user_id=user_id,
        role=role,
        disabled=disabled,
        joined_at=tx.now,
        last_seen_at=None if last_seen is None else timestamp(last_seen),
        sso=sso,
    )


def add_team(
    tx: Tx,
    organization_id: str,
    title: str,
    members: Iterable[str] = (),
    *,
    owners: Iterable[str] = (),
) -> str:
    """Add a team of users and return its id."""
    team_id = tx.add("team", organization_id=organization_id, title=title, created_at=tx.now)
    roles = {**dict.fromkeys(members, "member"), **dict.fromkeys(owners, "owner")}
    for user_id, role in roles.items():
        tx.insert("team_member", team_id=team_id, user_id=user_id, role=role)
    return team_id


def grant(tx: Tx, container_id: str, subject_id: str, level: str) -> None:
    """Give a user or a team a level on a space or a collection, in place of the one they had."""
    tx.put("access_grant", {"container_id": container_id, "subject_id": subject_id}, level=level)


def last_position(tx: Tx, organization_id: str, parent: str | None) -> float:
    """Return the position after everything that a collection (None is the top) holds."""
    highest: float = tx.value(
        "SELECT max(position) FROM ("
        "SELECT coalesce(max(position), 0.0) AS position FROM space "
        "WHERE organization_id = ?1 AND parent_id IS ?2 UNION ALL "
        "SELECT coalesce(max(position), 0.0) FROM collection "
        "WHERE organization_id = ?1 AND parent_id IS ?2)",
        organization_id,
        parent,
    )
    return highest + 1.0


def add_collection(
    tx: Tx,
    organization_id: str,
    title: str,
    *,
    parent: str | None = None,
    description: str | None = None,
    default_level: str | None = "inherit",
) -> str:
    """Add a collection, last in its parent, and return its id."""
    return tx.add(
        "collection",
        organization_id=organization_id,
        parent_id=parent,
        position=last_position(tx, organization_id, parent),
        title=title,
        description=description,
        default_level=default_level,
        created_at=tx.now,
    )


def add_space(
    tx: Tx,
    organization_id: str,
    title: str,
    edit: Edit | None = None,
    *,
    parent: str | None = None,
    author: str | None = None,
    emoji: str = "",
    visibility: str = "private",
    edit_mode: str = "live",
    language: str | None = None,
    default_level: str | None = "inherit",
    merge_rules: Mapping[str, Any] | None = None,
    git_sync: Mapping[str, Any] | None = None,
    git: dict[str, Any] | None = None,
) -> str:
    """Add a space, last in its parent, with what ``edit`` writes into it, and return its id.

    ``git`` says which commit its first revision is.
    """
    space_id = tx.add(
        "space",
        organization_id=organization_id,
        parent_id=parent,
        position=last_position(tx, organization_id, parent),
        title=title,
        emoji=emoji,
        visibility=visibility,
        created_at=tx.now,
        updated_at=tx.now,
        edit_mode=edit_mode,
        merge_rules=to_json(merge_rules or {"type": "inherit"}),
        language=language,
        default_level=default_level,
        git_sync=None if git_sync is None else to_json(git_sync),
        revision_id="",
    )
    revision_id = put_edit(tx, space_id, None, edit, author=author, git=git)
    tx.update("space", space_id, revision_id=revision_id)
    keep_index(tx, space_id, None, revision_id)
    return space_id


def commit(
    tx: Tx,
    space_id: str,
    edit: Edit,
    *,
    author: str | None = None,
    kind: RevisionType = "edits",
    git: dict[str, Any] | None = None,
) -> str:
    """Edit the primary content of a space and return the revision that this makes.

    ``git`` says which commit it was imported from: oid, message, ref, url.
    """
    before = tx.value("SELECT revision_id FROM space WHERE id = ?", space_id)
    revision_id = put_edit(tx, space_id, before, edit, author=author, kind=kind, git=git)
    advance(tx, space_id, revision_id)
    return revision_id


def advance(tx: Tx, space_id: str, revision_id: str) -> None:
    """Make a revision the primary content of its space; other branches become outdated."""
    before: str = tx.value("SELECT revision_id FROM space WHERE id = ?", space_id)
    tx.update("space", space_id, revision_id=revision_id, updated_at=tx.now)
    keep_index(tx, space_id, before, revision_id)


def put_edit(
    tx: Tx,
    space_id: str,
    before: str | None,
    edit: Edit | None,
    *,
    author: str | None = None,
    kind: RevisionType = "edits",
    git: dict[str, Any] | None = None,
) -> str:
    """Store what an edit makes of a revision (None is empty) and return the new revision's id.

    Nothing points to it yet: ``commit`` and ``change_requests`` decide whose content it becomes.
    """
    editor = Editor(
        tx,
        space_id,
        Draft() if before is None else content.open_draft(tx, content.load(tx, before)),
    )
    if edit is not None:
        edit(editor)
    return content.put_revision(
        tx,
        space_id,
        content.close_draft(tx, editor.draft),
        parents=() if before is None else (before,),
        kind=kind,
        author=author,
        git=git,
    )


def add_saml_provider(tx: Tx, organization_id: str, **columns: Any) -> str:
    """Add a SAML provider and return its id. ``columns`` are those of its table, a label at least.

    No ``default_role`` makes newcomers guests.
    """
    return tx.add("saml_provider", organization_id=organization_id, created_at=tx.now, **columns)


def put_agent_instructions(tx: Tx, organization_id: str, document: Document, author: str) -> None:
    """Replace what an organization's documentation agent is told."""
    tx.put(
        "agent_instructions",
        {"organization_id": organization_id},
        instructions=document.to_json().decode(),
        updated_at=tx.now,
        updated_by=author,
    )


def add_invite_link(tx: Tx, organization_id: str, **columns: str | None) -> str:
    """Add an invite link and return its id. ``columns`` are those of its table.

    No ``role`` makes guests of those who come by it.
    """
    return tx.add("invite_link", organization_id=organization_id, created_at=tx.now, **columns)
