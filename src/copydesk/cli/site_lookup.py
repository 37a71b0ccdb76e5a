"""Finding the site that a person means, by its id, title, host or address; or the organization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from copydesk.cli.errors import FAILED, USAGE, UsageError
from copydesk.domain.filter import fold
from copydesk.domain.text import clean, listed, shorten
from copydesk.session.reads.addresses import address_text, addresses

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization
    from copydesk.contract.models.site import Site

PAGE = 250
"""Rows asked for at once."""

SAID = 6
"""So many candidates a sentence names."""

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class FoundSite:
    """A site, with where it is; texts are clean."""

    id: str
    title: str
    host: str
    organization: str
    organization_title: str

    def __str__(self) -> str:
        where = f", {self.host}" if self.host else ""
        return f"{self.title} ({self.id}{where}; {self.organization_title})"


async def find_site(api: Api, wanted: str, organization: str | None = None) -> FoundSite:
    """Return the one site that is meant, looked for in every organization or in one.

    Raises ``UsageError`` when there is none or more than one, and ``ApiError``.
    """
    from copydesk.contract import operations as ops

    said = said_name("site", wanted)
    places = await find_organizations(api, organization)
    everywhere = [
        (site, place)
        for place in places
        async for site in api.pages(ops.list_sites, place.id, limit=PAGE)
    ]
    found = [pair for pair in everywhere if pair[0].id == wanted]
    if not found:
        name = wanted.strip().casefold()
        address = address_text(wanted)
        found = [
            (site, place)
            for site, place in everywhere
            if name == clean(site.title).strip().casefold() or address in addresses(site)
        ] or [pair for pair in everywhere if address and address == address_text(pair[0].hostname)]
    if len(found) == 1:
        return _found(*found[0])
    known = [_found(*pair) for pair in (found or everywhere)]
    named = candidates(wanted, [(each.title, str(each)) for each in known])
    if found:
        raise UsageError(f"more than one site is called {said}: {named}. Name it by its id.")
    if known:
        raise UsageError(f"no site is called {said}. There are: {named}.", FAILED)
    where = " in this organization" if organization else ""
    raise UsageError(f"no site is called {said}: there are no sites{where}.", FAILED)


async def find_organization(api: Api, wanted: str | None = None) -> Organization:
    """Return the organization that is meant: the one that was named, or the only one there is.

    Raises ``UsageError`` when there is none or more than one, and ``ApiError``.
    """
    places = await find_organizations(api, wanted)
    if len(places) == 1:
        return places[0]
    if not places:
        raise UsageError("you are in no organization", FAILED)
    raise UsageError(f"name one of your organizations with --organization: {_named('', places)}")


async def find_organizations(api: Api, wanted: str | None) -> list[Organization]:
    """Return the organization that was named, or all that one is in.

    Raises ``UsageError`` when none or more than one is called so, and ``ApiError``.
    """
    from copydesk.contract import operations as ops

    places = [place async for place in api.pages(ops.list_organizations, limit=PAGE)]
    if wanted is None:
        return places
    found = [place for place in places if place.id == wanted] or [
        place
        for place in places
        if clean(place.title).strip().casefold() == wanted.strip().casefold()
    ]
    if len(found) == 1:
        return found
    said = said_name("organization", wanted)
    what = "more than one organization is" if found else "you are in no organization that is"
    there = f": {_named(wanted, found or places)}." if places else "."
    raise UsageError(f"--organization: {what} called {said}{there}", USAGE if found else FAILED)


def said_name(what: str, wanted: str) -> str:
    """Return a name as a sentence has it. Raises ``UsageError`` where it is empty."""
    said = shorten(clean(wanted).strip(), _LONGEST)
    if not said:
        raise UsageError(f"the {what} that is meant has no name here: it is empty")
    return said


def candidates(wanted: str, known: Sequence[tuple[str, str]]) -> str:
    """Return what could have been meant as a sentence names it, the nearest first.

    ``known`` are titles, each with what is said of its thing.
    """
    name = fold(wanted.strip())

    def far(each: tuple[str, str]) -> tuple[bool, float]:
        title = fold(each[0])
        return name not in title, -SequenceMatcher(None, name, title).ratio()

    said = [said for _, said in (sorted(known, key=far) if name else known)]
    more = [f"{len(said) - SAID} more"] if len(said) > SAID else []
    return listed([*said[:SAID], *more])


def _named(wanted: str, places: Sequence[Organization]) -> str:
    titles = [(clean(place.title), clean(place.id)) for place in places]
    return candidates(wanted, [(title, f"{title} ({key})") for title, key in titles])


def _found(site: Site, place: Organization) -> FoundSite:
    return FoundSite(
        site.id,
        clean(site.title).strip() or "Untitled",
        clean(site.hostname or ""),
        place.id,
        clean(place.title).strip() or "Untitled",
    )
