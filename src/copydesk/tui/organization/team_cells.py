"""Teams and who is in them, as cells and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.session.people import member_name

if TYPE_CHECKING:
    from copydesk.contract.models.member import TeamMember
    from copydesk.contract.models.team import Team

NAMES = 6
"""How many people are named in a sheet; of more the others are counted."""

NAME_CELLS = 40
"""How much of a name a title takes."""


def title(team: Team) -> str:
    """Return what a team is called; never empty."""
    return team.title.strip() or team.id


def about(team: Team) -> Iterator[tuple[str, str | Text]]:
    """Yield what else is known of a team."""
    if team.permissions is not None:
        yield "you may", "rename and delete it" if team.permissions.admin else "look at it"


def loss(team: Team) -> Sequence[str | Text]:
    """Return what deleting a team comes to."""
    if team.members:
        said = f"{plural(team.members, 'member')} of it stay in the organization."
        lost = "They lose whatever only the team gives them"
    else:
        said, lost = "Nobody is in it.", "It is given nothing any more"
    more = f", in {plural(team.spaces, 'space')}" if team.spaces else ""
    return [
        said,
        f"{lost}{more}.",
        Text("There is no way back: a new team has nobody in it, and no space.", style="warn"),
    ]


def role(person: TeamMember) -> Text | str:
    """Return what somebody is in the team; owners stand out."""
    said = clean(person.team.role)
    return Text(said, style="strong") if said == "owner" else said


def person_about(person: TeamMember) -> Iterator[tuple[str, str | Text]]:
    """Yield what else is known of somebody in a team."""
    member = person.organization
    if url := web_address(member.user.urls.app):
        yield "app", Text(url, style="link")


def person_name(person: TeamMember) -> str:
    """Return what somebody is called."""
    return member_name(person.organization)


def named(people: Sequence[TeamMember]) -> str:
    """Return who is meant, for a title: a name, or how many."""
    if len(people) == 1:
        return shorten(clean(person_name(people[0])), NAME_CELLS)
    return plural(len(people), "person", "people")


def names(people: Sequence[TeamMember]) -> str:
    """Return people by their names; of many the first ones, and how many more."""
    said = [shorten(clean(person_name(each)), NAME_CELLS) for each in people[:NAMES]]
    if (more := len(people) - NAMES) > 0:
        said.append(f"{more} more")
    return listed(said)
