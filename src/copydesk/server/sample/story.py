"""The sample's people, organizations and what happened when, read from the files below ``data``.

``at`` is always how many days before the desk was made something happened, so that a sample is
never old. People are named by their key in ``People.people``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import Field

from copydesk.contract.enumerations import PartRole
from copydesk.server.sample.edits import Declared, Edit

Reactions = Mapping[str, tuple[str, ...]]
"""Who reacted, by emoji."""


class Person(Declared):
    """Somebody who works on documentation. ``seen`` is how many days ago they were last there."""

    name: str
    email: str
    seen: float | None = None


class Membership(Declared):
    """A person's membership of an organization; no role makes a guest."""

    person: str
    role: str | None
    joined: float
    disabled: bool = False
    sso: bool = False


class Collection(Declared):
    """A collection. ``level`` is what members can do there by default; None is nothing."""

    kind: Literal["collection"]
    key: str
    title: str
    below: str | None = None
    description: str | None = None
    level: str | None = "inherit"
    grants: Mapping[str, str] = {}


class Space(Declared):
    """A space, whose pages are in the folder of its key. ``rules`` name people by their keys."""

    kind: Literal["space"]
    key: str
    title: str
    emoji: str
    by: str
    at: float
    below: str | None = None
    visibility: str = "private"
    edit_mode: str = "live"
    language: str | None = None
    level: str | None = "inherit"
    grants: Mapping[str, str] = {}
    rules: Mapping[str, tuple[str, ...]] | None = None


class Organization(Declared):
    """An organization with its members, teams and the contents of its tree, in their order.

    The first person of a team owns it.
    """

    key: str
    title: str
    at: float
    settings: Mapping[str, Any]
    members: tuple[Membership, ...]
    teams: Mapping[str, tuple[str, ...]]
    contents: tuple[Annotated[Collection | Space, Field(discriminator="kind")], ...]


class People(Declared):
    """Everybody, by key, and where they work.

    ``owner`` owns the desk: an administrator of the first organization, a reviewer in the second.
    """

    owner: str
    people: Mapping[str, Person]
    organizations: tuple[Organization, ...]


class Reply(Declared):
    """A reply in a thread."""

    by: str
    at: float
    text: str
    reactions: Reactions = {}


class Thread(Reply):
    """A comment with its replies.

    ``page`` is the path of a page, ``quote`` words in the block that the comment is on.
    """

    do: Literal["comment"]
    page: str | None = None
    quote: str | None = None
    resolved: tuple[str, float] | None = None
    replies: tuple[Reply, ...] = ()


class Commit(Declared):
    """More edits to a change request or, in a ``History``, to a space itself."""

    do: Literal["commit"]
    by: str
    at: float
    edit: tuple[Edit, ...]


class Review(Declared):
    """A review: approved or changes-requested."""

    do: Literal["review"]
    by: str
    at: float
    status: str = "approved"
    text: str | None = None


class ReviewRequest(Declared):
    """A request for reviews."""

    do: Literal["request-review"]
    by: str
    at: float
    of: tuple[str, ...]


class StatusChange(Declared):
    """A change of status: open or archived."""

    do: Literal["set-status"]
    at: float
    status: str


class Update(Declared):
    """An update from primary content; the sample's updates never conflict."""

    do: Literal["update"]
    by: str
    at: float


class Merge(Declared):
    """The end of a change request; the sample's merges never conflict."""

    do: Literal["merge"]
    by: str
    at: float


Step = Annotated[
    Thread | Commit | Review | ReviewRequest | StatusChange | Update | Merge,
    Field(discriminator="do"),
]


class ChangeRequest(Declared):
    """A change request with its life. ``cluster`` is the key of the cluster that it answers."""

    space: str
    by: str
    at: float
    subject: str
    status: str = "open"
    cluster: str | None = None
    description: str | None = None
    edit: tuple[Edit, ...]
    steps: tuple[Step, ...] = ()


class History(Declared):
    """What happened in a space outside change requests: commits, and threads on the space."""

    space: str
    steps: tuple[Annotated[Thread | Commit, Field(discriminator="do")], ...]


class Changes(Declared):
    """What happened in some spaces."""

    history: tuple[History, ...] = ()
    change_requests: tuple[ChangeRequest, ...]


class Conversation(Declared):
    """A conversation with a reader, and the issue that was found in it.

    ``turns`` follow the ``question``: who speaks (assistant, team-member or user) and the text.
    ``title`` and ``summary`` are the issue's; ``also`` are other titles that people give the same.
    """

    title: str
    summary: str
    question: str
    turns: tuple[Mapping[PartRole, str], ...]
    also: tuple[str, ...] = ()


class Cluster(Declared):
    """A cluster: its ``pulse`` is the number of issues in each of 13 weeks, the latest last."""

    key: str
    label: str
    icon: str
    summary: str
    pulse: tuple[int, ...]
    sources: tuple[str, ...]
    conversations: tuple[Conversation, ...]


class LooseConversation(Declared):
    """A conversation whose issue is in no cluster."""

    source: str
    at: float
    conversation: Conversation


class Clusters(Declared):
    """What readers of the first organization struggle with."""

    clusters: tuple[Cluster, ...]
    loose: tuple[LooseConversation, ...]


class SiteSpace(Declared):
    """A space on a site."""

    space: str
    title: str | None = None
    path: str | None = None
    condition: str | None = None
    hidden: bool = False


class Section(Declared):
    """A section of a site; ``group`` is the title of its group."""

    title: str
    path: str
    icon: str
    group: str | None = None
    description: str | None = None
    condition: str | None = None
    spaces: tuple[SiteSpace, ...]


class ShareLink(Declared):
    """A share link of a site."""

    name: str
    active: bool


class Site(Declared):
    """A site: ``sections``, or ``spaces`` for one that has none."""

    organization: str
    title: str
    at: float
    settings: Mapping[str, Any]
    sections: tuple[Section, ...] = ()
    spaces: tuple[SiteSpace, ...] = ()
    links: tuple[ShareLink, ...] = ()


class Sites(Declared):
    """Every site of the sample."""

    sites: tuple[Site, ...]


class Publication(Declared):
    """A version of an integration. ``fields`` are columns; a first version has them all."""

    do: Literal["publish"]
    at: float
    name: str
    by: str
    fields: Mapping[str, Any]


class Installation(Declared):
    """An installation: on all spaces and sites, or on some by their keys and titles."""

    do: Literal["install"]
    at: float
    name: str
    organization: str
    configuration: Mapping[str, Any] = {}
    ids: tuple[str, ...] = ()
    spaces: Mapping[str, tuple[str, ...]] | None = None
    sites: Mapping[str, tuple[str, ...]] | None = None


class Integrations(Declared):
    """What happened to integrations, by subject and not by time."""

    steps: tuple[Annotated[Publication | Installation, Field(discriminator="do")], ...]


CHANGES = ("platform-guide", "reference", "editions", "handbook", "pebblebox")
"""The files below ``data/changes``."""

DeclaredT = TypeVar("DeclaredT", bound=Declared)


def text_of(path: str) -> str:
    """Return the text of a file below the sample's folder."""
    return files("copydesk.server.sample").joinpath(path).read_text(encoding="utf-8")


def read(kind: type[DeclaredT], name: str) -> DeclaredT:
    """Return what a data file declares. Raises ``ValueError`` naming the wrong field."""
    data = yaml.load(text_of(f"data/{name}.yaml"), Loader=yaml.CSafeLoader)
    return kind.model_validate(data)
