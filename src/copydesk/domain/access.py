"""Who may do what in a space, a collection or a site: where it comes from, and staged changes.

What is staged is text in a draft, a line of JSON for each change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, swapped

Kind = Literal["space", "collection", "site"]
Who = Literal["user", "team", "email"]

LEVELS = ("read", "comment", "review", "edit", "create", "admin")
"""The levels from lowest to highest; each includes the ones before it."""

INHERIT = "inherit"
"""The default level of a container that has that of the one above it."""


def rank(level: str | None) -> int:
    """Return a number that orders levels; none, or one that is not known, is -1."""
    return LEVELS.index(level) if level in LEVELS else -1


# Where a level comes from


@dataclass(frozen=True, slots=True)
class Given:
    """A level that a person or a team was given."""

    who: Who
    id: str
    name: str
    level: str | None


@dataclass(frozen=True, slots=True)
class Container:
    """A space, a collection or a site with the roles given in it.

    ``default`` is everyone's level. ``given`` is None where it may not be read. ``admin`` says
    whether the reader administers it, None where that is not known.
    """

    kind: Kind
    id: str
    title: str
    default: str | None = INHERIT
    given: tuple[Given, ...] | None = ()
    admin: bool | None = None

    def level_of(self, key: str) -> str | None:
        """Return the level that was given to a person or a team here; None where none was."""
        return next((each.level for each in self.given or () if each.id == key), None)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody's role in the organization, None for a guest, and the ids of their teams."""

    id: str
    role: str | None
    teams: frozenset[str] = frozenset()
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that gives a level: where, by what, and whether it is what decides.

    ``own`` is what they were given themselves in the place that is asked about; ``short`` says
    where and by what in a few words, for a column: "team Docs", "collection Guides".
    """

    where: str
    by: str
    level: str | None
    decides: bool = False
    own: bool = False
    short: str = ""


def sources(chain: Sequence[Container], organization: str, person: Person) -> list[Source]:
    """Return everything that gives a person a level on the first container of a chain.

    The others are the collections above it, nearest first. The highest level decides; a guest gets
    nothing of what everyone gets.
    """
    found: list[Source] = []
    default: str | None = INHERIT
    for each in chain:
        above = "" if each is chain[0] else f"{each.kind} {each.title}"
        for given in each.given or ():
            if given.id == person.id:
                own = each is chain[0]
                short = above or "given here"
                found.append(Source(each.title, "given to them", given.level, own=own, short=short))
            elif given.id in person.teams:
                team = f"team {given.name}"
                found.append(Source(each.title, team, given.level, short=team))
        if default == INHERIT:
            default = each.default
            if default != INHERIT:
                level = default if person.role else None
                found.append(Source(each.title, "everyone", level, short=above or "everyone"))
    if default == INHERIT or person.role == "admin":
        found.append(Source(organization, "their role", person.role, short="organization"))
    best = max(rank(each.level) for each in found)
    decides = best >= 0 and not person.disabled
    return [replace(each, decides=decides and rank(each.level) == best) for each in found]


class KnownSources:
    """The sources of people's levels that are known before those of each person were read.

    ``members`` are the people of teams, as far as those were read.
    """

    def __init__(
        self, chain: Sequence[Container], members: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self._members = members or {}
        self._chain: list[tuple[Container, dict[str, Given], list[Given]]] = []
        """Each with what people were given there themselves, by their ids, and what teams were."""
        for each in chain:
            given = each.given or ()
            own = {one.id: one for one in reversed(given) if one.who == "user"}
            self._chain.append((each, own, [one for one in given if one.who == "team"]))

    def of(self, user: str, level: str) -> str | None:
        """Return what gives a person their level, in a few words.

        None where it may be something that is not known: a collection that may not be read, a team
        whose members are not known.
        """
        teams = [each for *_, some in self._chain for each in some]
        theirs = frozenset(each.id for each in teams if user in self._members.get(each.id, ()))
        about = [
            each
            if each.given is None
            else replace(each, given=(*filter(None, [own.get(user)]), *some))
            for each, own, some in self._chain
        ]
        # Nothing else being left, it is their role that gives them as much.
        found = sources(about, "", Person(user, level, theirs))
        first = next((each for each in found if each.decides), None)
        if first is None or first.level != level:
            return None
        hidden = any(above.given is None for above, *_ in self._chain) or any(
            each.level == level and each.id not in self._members for each in teams
        )
        return first.short if first.own or not hidden else None


def level_from(found: Iterable[Source]) -> str | None:
    """Return the level that sources give."""
    return next((each.level for each in found if each.decides), None)


def level_with(found: Iterable[Source], own: str | None) -> str | None:
    """Return the level that sources give once the person's own is another one."""
    levels = [own, *(each.level for each in found if not each.own)]
    return max(levels, key=rank)


# Staged changes


@dataclass(frozen=True, slots=True)
class Change:
    """Another level of a person or a team; None is none. An ``email`` is invited first."""

    who: Who
    id: str
    name: str
    before: str | None
    after: str | None

    @property
    def said(self) -> str:
        """What becomes of the level: "edit, had read"."""
        if self.after is None:
            return f"loses {self.before}"
        if self.who == "email":
            return f"{self.after}, invited as a guest first"
        return f"{self.after}, had {self.before or 'nothing of their own here'}"

    def told(self, found: Iterable[Source]) -> str:
        """What becomes of the level, and what they have anyway by the other ``found`` sources."""
        level = level_with(found, self.after)
        return f"{self.said}, keeps {level}" if rank(level) > rank(self.after) else self.said


def stage(staged: Mapping[str, Change], change: Change) -> dict[str, Change]:
    """Return staged changes by id with one more; one that changes nothing is taken out."""
    former = staged.get(change.id)
    before = change.before if former is None else former.before
    after = {key: each for key, each in staged.items() if key != change.id}
    if change.after != before:
        after[change.id] = Change(change.who, change.id, change.name, before, change.after)
    return after


def staged_text(staged: Iterable[Change]) -> str:
    """Return staged changes as the text of a draft; empty where there are none."""
    return "\n".join(json.dumps(asdict(each)) for each in staged)


def staged_of(text: str) -> dict[str, Change]:
    """Return the staged changes of a draft by id, without the lines that cannot be read."""
    found: dict[str, Change] = {}
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        match value:
            case {"who": "user" | "team" | "email" as who, "id": str(id), "name": str(name)}:
                before, after = value.get("before"), value.get("after")
                if all(level in (None, *LEVELS) for level in (before, after)):
                    found[id] = Change(who, id, name, before, after)
    return found


# What is sent, and the way back


@dataclass(frozen=True, slots=True)
class Holder:
    """Where levels are given: a space, a collection, or a site of an organization."""

    kind: Kind
    id: str
    organization: str = ""

    @property
    def ids(self) -> dict[str, str]:
        """The arguments of its operations."""
        own = {f"{self.kind}_id": self.id}
        return {"organization_id": self.organization, **own} if self.kind == "site" else own

    def step(self, change: Change) -> Step:
        """Return the request that a change is: given anew, changed, or taken away."""
        if change.after is None:
            return Step(
                f"remove_{change.who}_from_{self.kind}", {**self.ids, f"{change.who}_id": change.id}
            )
        if change.before is None:
            body: JSON = {"role": change.after, f"{change.who}s": [change.id]}
            return Step(f"invite_to_{self.kind}", self.ids, body)
        return Step(
            f"update_{self.kind}_{change.who}_permission",
            {**self.ids, f"{change.who}_id": change.id},
            {"role": change.after},
        )

    def reversal(self, change: Change) -> Reversal:
        """Return the way back of a change: the former level is given again."""
        read = Step(f"list_{self.kind}_{change.who}_permissions", self.ids)
        path = f"items{{{change.who}.id={change.id}}}.permission"

        def turn(level: str | None) -> tuple[Step, ...]:
            other = change.before if level == change.after else change.after
            return (self.step(Change(change.who, change.id, change.name, other, level)),)

        def there(level: str | None) -> Expectation:
            fields = {path: [] if level is None else [level]}
            return Expectation(read, fields, said="the level was changed since")

        return swapped(turn, there, change.before, change.after)


def invited(organization: str, users: Sequence[str]) -> Reversal:
    """Return the way back of inviting people: who is new is removed again."""
    ids = [{"organization_id": organization, "user_id": each} for each in users]
    return Reversal(
        tuple(Step("remove_member", each) for each in ids),
        (),
        Expectation(Step("get_member", ids[0]), {"id": users[0]}),
        asks="They also lose the teams and spaces that they were given since.",
    )


def link_made(organization: str, link: str, gives: Mapping[str, JSON]) -> Reversal:
    """Return the way back of an invite link: it is deleted while it gives what it was made for."""
    ids = {"organization_id": organization, "invite_id": link}
    return Reversal(
        (Step("delete_invite_link", ids),),
        (),
        Expectation(Step("get_invite_link", ids), gives, said="what it gives was changed since"),
        Expectation(Step("get_invite_link", ids), gone=True),
        asks="People who have the link can no longer join with it.",
    )


def link_changed(
    organization: str, link: str, name: str, before: str | None, after: str | None
) -> Reversal:
    """Return the way back of what a link gives; ``name`` is "role" or "level"."""
    ids = {"organization_id": organization, "invite_id": link}
    return swapped(
        lambda value: (Step("update_invite_link", ids, {name: value}),),
        lambda value: Expectation(Step("get_invite_link", ids), {name: value}),
        before,
        after,
    )
