"""What the sample tells, as values: people, spaces, and what happened when.

``at`` is always how many days before the desk was made something happened, so that a sample is
never old. People are named by their key in ``PEOPLE``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copydesk.server.desk_seed import Edit

Reactions = Mapping[str, tuple[str, ...]]
"""Who reacted, by emoji."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who works on documentation. ``seen`` is how many days ago they were last there."""

    name: str
    email: str
    seen: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """Somebody's place in an organization; no role makes a guest."""

    person: str
    role: str | None
    joined: float
    disabled: bool = False
    sso: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A collection. ``level`` is what members can do there by default; None is nothing."""

    key: str
    title: str
    below: str | None = None
    description: str | None = None
    level: str | None = "inherit"
    grants: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A space, whose pages are in the folder of its key. ``rules`` name people by their keys."""

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
    grants: Mapping[str, str] | None = None
    rules: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Firm:
    """An organization with everybody and everything in it, in the order of its tree."""

    key: str
    title: str
    at: float
    settings: Mapping[str, Any]
    members: tuple[Membership, ...]
    teams: Mapping[str, tuple[str, ...]]
    places: tuple[Shelf | Book, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A reply in a thread."""

    by: str
    at: float
    text: str
    reactions: Reactions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A comment with its replies.

    ``page`` is the path of the page that it is about, ``quote`` words in the block that it is on.
    """

    by: str
    at: float
    text: str
    page: str | None = None
    quote: str | None = None
    replies: tuple[Said, ...] = ()
    reactions: Reactions | None = None
    resolved: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """More edits to a change request or, in a ``Past``, to a space itself."""

    by: str
    at: float
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A review: approved or changes-requested."""

    by: str
    at: float
    status: str = "approved"
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request for reviews."""

    by: str
    at: float
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Become:
    """A change of status: open or archived."""

    at: float
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Taking in what primary content did meanwhile; the sample's updates never conflict."""

    by: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The end of a change request; the sample's merges never conflict."""

    by: str
    at: float


Step = Commit | Thread | Verdict | Ask | Become | Update | Merge


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change request with its life. ``cluster`` is the key of the cluster that it answers."""

    space: str
    by: str
    at: float
    subject: str
    edit: Edit
    description: str | None = None
    status: str = "open"
    cluster: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What happened in a space outside change requests: commits, and threads on the space."""

    space: str
    steps: tuple[Commit | Thread, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One way in which readers run into a cluster's trouble.

    ``turns`` follow the ``question``: assistant or team-member and user, by turns. ``title`` and
    ``summary`` are of the issue found in it; ``also`` are other titles that people give the same.
    """

    title: str
    summary: str
    question: str
    turns: tuple[tuple[str, str], ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Struggle:
    """A cluster: its ``pulse`` is the number of issues in each of 13 weeks, the latest last."""

    key: str
    label: str
    icon: str
    summary: str
    pulse: tuple[int, ...]
    sources: tuple[str, ...]
    voices: tuple[Voice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A space on a site."""

    space: str
    title: str | None = None
    path: str | None = None
    condition: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of a site; ``group`` is the title of the group that it is in."""

    title: str
    shows: tuple[Shown, ...]
    icon: str
    path: str
    group: str | None = None
    description: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A site: ``sections``, or ``shows`` for one that has none. ``links`` are (name, active)."""

    firm: str
    title: str
    at: float
    settings: Mapping[str, Any]
    sections: tuple[Section, ...] = ()
    shows: tuple[Shown, ...] = ()
    links: tuple[tuple[str, bool], ...] = ()
