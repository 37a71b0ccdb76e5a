"""Change requests: proposed edits, what they change, and what merging them came to."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, StringConstraints

from copydesk.contract.enumerations import (
    ChangeRequestStatus,
    ChangeRequestWritableStatus,
    ChangeType,
    ConflictKind,
    MergeOutcome,
    PageType,
    UpdateOutcome,
)
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    FileReference,
    Open,
    Resource,
    ResourceUrls,
    Shape,
    Timestamp,
)
from copydesk.contract.models.document import Document, WrittenDocument
from copydesk.contract.models.user import User

Subject: TypeAlias = Annotated[str, StringConstraints(max_length=100)]
"""What a change request is about, at most 100 characters."""


class SiteTopicLink(Shape):
    """The topic of a site that a change request answers, and the finding that it was begun for."""

    site: str
    topic: str
    finding: str | None = None


class ChangeRequest(Resource):
    """Proposed edits of a space.

    ``number`` counts up per space and may stand for ``id`` in paths. ``revision`` is the active
    revision, ``comments`` the count of open threads, and ``outdated`` is true when primary
    content has moved on.
    """

    object: Open[Literal["change-request"]] = "change-request"
    id: str
    number: Count
    status: Open[ChangeRequestStatus] = "open"
    subject: str = ""
    description: Document | None = None
    created_by: Always[User] = None
    created_at: Timestamp
    updated_at: Timestamp
    space: str = ""
    revision: str = ""
    revision_initial: str = ""
    revision_merged_ancestor: str | None = None
    revision_merged: str | None = None
    merged_by: User | None = None
    merged_at: Timestamp | None = None
    comments: Count = 0
    outdated: bool = False
    conversations_issues_cluster: str | None = None
    site_topic: SiteTopicLink | None = None
    urls: ResourceUrls = Field(default_factory=ResourceUrls)


class ChangeRequestTemplateParams(Body):
    """What a template's placeholders stand for: files, by name."""

    content_refs: dict[str, FileReference] | None = None


class ChangeRequestTemplate(Body):
    """The template that a change request starts from."""

    id: str
    params: ChangeRequestTemplateParams | None = None


class ChangeRequestCreate(Body):
    """A new change request. The API allows more properties, so this takes any."""

    model_config = ConfigDict(extra="allow")

    subject: Subject | None = None
    template: ChangeRequestTemplate | None = None
    description: WrittenDocument | None = None
    conversations_issues_cluster: str | None = None


class ChangeRequestUpdate(Body):
    """Changes of a change request; merged is no status that one can set."""

    subject: Subject | None = None
    status: ChangeRequestWritableStatus | None = None
    description: WrittenDocument | None = None


class ChangedPage(Shape):
    """The page that a change or a conflict speaks of, as it is in the change request.

    A deleted page is named as it was before.
    """

    id: str
    title: str = ""
    path: str = ""
    type: Open[PageType] = "document"


class ChangedFile(Shape):
    """The file that a change or a conflict speaks of; ``path`` is its repository path if known.

    ``download_url`` is where it is fetched; that of a deleted one is as it was.
    """

    id: str
    name: str = ""
    path: str | None = None
    content_type: str | None = None
    download_url: str | None = Field(default=None, alias="downloadURL")


class ChangedReusableContent(Shape):
    """The reusable content that a change speaks of."""

    id: str
    title: str = ""


class ChangedTag(Shape):
    """The tag that a change speaks of."""

    slug: str
    label: str = ""


class Difference(Shape):
    """An attribute before and after a change: any JSON value, absent where it had none."""

    before: Any = None
    after: Any = None


class ParentDifference(Shape):
    """The pages that a page was and is under; absent at the root."""

    before: ChangedPage | None = None
    after: ChangedPage | None = None


class Placement(Shape):
    """What a page or file was called and where it was, on one side of a change.

    ``parent`` is the id of the page above, absent at the root; ``position`` counts siblings from 0.
    ``file`` is a page's file in the repository, where the two sides of the change have it in
    different ones; beyond the published API.
    """

    title: str | None = None
    path: str | None = None
    parent: str | None = None
    position: Count | None = None
    file: str | None = None


class MovedOut(Shape):
    """Where a change request puts a page that its space has no more; beyond the published API.

    ``path`` is its file in the repository. ``space`` has it then: another one, where the change
    request ``number`` adds it (``merged`` if that is done), or which keeps the file without a page
    and has no ``number``; its own, which keeps the file without a page, and has no ``space_title``;
    or none. ``text`` is the page's Markdown there, if the reader may see it. ``broken`` says that
    its own table of contents has lines there that cannot be used.
    """

    path: str = ""
    space: str | None = None
    space_title: str | None = None
    number: Count | None = None
    merged: bool = False
    text: str | None = None
    broken: bool | None = None


class Change(Shape):
    """One thing that a change request does (extension E6).

    ``page``, ``file``, ``reusable_content``, ``tag`` or ``variables`` (by name) is what it is done
    to, by the ``type``. One page can have several entries: ``…_moved`` when its parent or its
    order among its siblings changed, ``…_edited`` when its title, slug, text, properties or file
    did. A service says what differs in ``attributes``, by their names (``document`` is the text),
    and in ``parent``; or it has ``before`` and ``after``, and in ``text_changed`` of an edit
    whether the text itself differs (false for a mere rename). ``moved_out`` says where a deleted
    page is, if its text is elsewhere from then on.
    """

    type: Open[ChangeType]
    page: ChangedPage | None = None
    file: ChangedFile | None = None
    reusable_content: ChangedReusableContent | None = None
    tag: ChangedTag | None = None
    variables: dict[str, Difference] | None = None
    attributes: dict[str, Difference] | None = None
    parent: ParentDifference | None = None
    before: Placement | None = None
    after: Placement | None = None
    text_changed: bool | None = None
    moved_out: MovedOut | None = None


class Changes(Shape):
    """What a change request, or a revision, changes; ``more`` counts those left out by the limit.

    ``merged_from`` is the change request that a revision merged.
    """

    changes: list[Change] = []
    more: Count | None = None
    merged_from: ChangeRequest | None = None


class Contributor(Shape):
    """Who worked on a change request, at what, how often and when last."""

    updated_at: Always[Timestamp] = None
    count: Count = 0
    user: User
    action_type: Always[Open[Literal["edit", "comment"]]] = None


class ConflictLines(Shape):
    """Lines that both sides changed; ``start``, from 1, is where in the change request's text."""

    start: Count = 1
    base: list[str] = []
    primary: list[str] = []
    change: list[str] = []


class Conflict(Shape):
    """Something that both sides changed in ways that do not go together.

    ``page`` or ``file`` is what they disagree about; ``lines`` is there for edited text only.
    """

    kind: Open[ConflictKind] = "edited"
    page: ChangedPage | None = None
    file: ChangedFile | None = None
    lines: list[ConflictLines] | None = None


class MergeResult(Shape):
    """What a merge came to. ``revision`` is the merged one; ``conflicts`` say why there is none.

    A hosted service may answer conflicts and have merged (docs/api-notes.md, Merging).
    """

    result: Open[MergeOutcome]
    revision: str | None = None
    conflicts: list[Conflict] | None = None


class UpdateResult(Shape):
    """What pulling primary content into a change request came to."""

    result: Open[UpdateOutcome]
    revision: str | None = None
    conflicts: list[Conflict] | None = None


class FilesTaken(Body):
    """From which side files are taken that both changed, by their ids."""

    files: Annotated[dict[str, Literal["change", "primary"]], Field(min_length=1, max_length=1_000)]


class PDF(Shape):
    """Where a PDF can be fetched; the embedded desk's address lasts an hour."""

    url: str
