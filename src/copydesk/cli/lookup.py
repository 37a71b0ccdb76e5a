"""What a person names on the command line: an organization, a site, a space, a change request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from copydesk.cli.errors import FAILED, USAGE, UsageError
from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.address import parse_app_url
from copydesk.domain.filter import fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.slug import slugify
from copydesk.domain.text import clean, few, same_name, shorten, shown_title
from copydesk.session.operations import ops
from copydesk.session.reads.addresses import address_text, addresses
from copydesk.session.reads.spaces import read_desk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.organization import Organization
    from copydesk.contract.models.site import Site
    from copydesk.domain.address import Address


PAGE = 250
"""Rows asked for at once."""

SAID = 6
"""So many candidates a sentence names."""


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
    said = said_name("site", wanted)
    places = await find_organizations(api, organization)
    everywhere = await sites_of(api, places)
    found = [pair for pair in everywhere if pair[0].id == wanted]
    if not found:
        name = wanted.strip().casefold()
        address = address_text(wanted)
        found = [
            (site, place)
            for site, place in everywhere
            if same_name(site.title, wanted) or address in addresses(site)
        ] or [pair for pair in everywhere if address and address == address_text(pair[0].hostname)]
        found = found or [pair for pair in everywhere if slugify(pair[0].title) == name]
    if len(found) == 1:
        return _found(*found[0])
    known = [_found(*pair) for pair in (found or everywhere)]
    named = candidates(wanted, [(each.title, str(each)) for each in known])
    if found:
        raise UsageError(f"several sites have the name {said}: {named}. Use an id.")
    if known:
        raise UsageError(f"no site has the name {said}. There are: {named}.", FAILED)
    where = " in this organization" if organization else ""
    raise UsageError(f"no site has the name {said}: there are no sites{where}.", FAILED)


async def all_sites(api: Api, organization: str | None = None) -> list[FoundSite]:
    """Return every site, of all organizations or of one. Raises ``UsageError``, ``ApiError``."""
    places = await find_organizations(api, organization)
    return [_found(*pair) for pair in await sites_of(api, places)]


async def sites_of(api: Api, places: Sequence[Organization]) -> list[tuple[Site, Organization]]:
    """Return the sites of organizations, each with its own; all are asked at once."""

    async def read(place: Organization) -> list[tuple[Site, Organization]]:
        return [(site, place) async for site in api.pages(ops.list_sites, place.id)]

    return [pair for found in await asyncio.gather(*map(read, places)) for pair in found]


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
    places = await api.every(ops.list_organizations)
    if wanted is None:
        return places
    found = [place for place in places if place.id == wanted]
    found = found or [place for place in places if same_name(place.title, wanted)]
    if len(found) == 1:
        return found
    said = said_name("organization", wanted)
    what = "several organizations have" if found else "none of your organizations has"
    there = f": {_named(wanted, found or places)}." if places else "."
    raise UsageError(f"--organization: {what} the name {said}{there}", USAGE if found else FAILED)


def said_name(what: str, wanted: str) -> str:
    """Return a name as a sentence has it. Raises ``UsageError`` where it is empty."""
    said = shorten(clean(wanted).strip())
    if not said:
        raise UsageError(f"the name of the {what} is empty")
    return said


def candidates(wanted: str, known: Sequence[tuple[str, str]]) -> str:
    """Return what could have been meant as a sentence names it, the nearest first.

    ``known`` are titles, each with what is said of its thing.
    """
    name = fold(wanted.strip())

    def far(each: tuple[str, str]) -> tuple[bool, float]:
        title = fold(each[0])
        return name not in title, -SequenceMatcher(None, name, title).ratio()

    return few([said for _, said in (sorted(known, key=far) if name else known)], SAID)


def _named(wanted: str, places: Sequence[Organization]) -> str:
    titles = [(clean(place.title), clean(place.id)) for place in places]
    return candidates(wanted, [(title, f"{title} ({key})") for title, key in titles])


def _found(site: Site, place: Organization) -> FoundSite:
    return FoundSite(
        site.id,
        shown_title(site.title),
        clean(site.hostname or ""),
        place.id,
        shown_title(place.title),
    )


MOST_SPACES = 60
"""Spaces that are asked for a number which may be in any of them."""


@dataclass(frozen=True, slots=True)
class FoundSpace:
    """A space, with where it is; texts are clean."""

    id: str
    title: str
    organization: str
    organization_title: str

    def __str__(self) -> str:
        return f"{self.title} ({self.id}; {self.organization_title})"


async def find_space(api: Api, wanted: str, organization: str | None = None) -> FoundSpace:
    """Return the one space that is meant: by id, title, the URL form of that, or an app URL.

    Raises ``UsageError`` when there is none or more than one, and ``ApiError``.
    """
    said, name = said_name("space", wanted), wanted.strip()
    address = parse_app_url(name) if "/" in name else None
    if address is not None and address.space is not None:
        name = address.space
    spaces = await all_spaces(api, organization)
    found = [space for space in spaces if space.id == name]
    found = found or [each for each in spaces if same_name(each.title, name)]
    found = found or [each for each in spaces if slugify(each.title) == name.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        named = _named_space(found, name)
        raise UsageError(f"several spaces have the name {said}: {named}. Use an id.")
    if not spaces:
        raise UsageError(f"no space has the name {said}: there are no spaces.", FAILED)
    raise UsageError(
        f"no space has the name {said}. There are: {_named_space(spaces, name)}.", FAILED
    )


async def all_spaces(api: Api, organization: str | None = None) -> list[FoundSpace]:
    """Return every space, of all organizations or of one. Raises ``UsageError``, ``ApiError``."""

    async def read(place: Organization) -> list[FoundSpace]:
        try:
            pairs = [
                (space.id, space.title)
                async for space in api.pages(ops.list_organization_spaces, place.id)
            ]
        except OperationMissing:
            nodes = (await read_desk(api, place.id)).nodes
            pairs = [(node.id, node.title) for node in nodes if node.kind == "space"]
        title = shown_title(place.title)
        return [FoundSpace(key, shown_title(name), place.id, title) for key, name in pairs]

    places = await find_organizations(api, organization)
    return [each for found in await asyncio.gather(*map(read, places)) for each in found]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options that say which change request is meant."""

    request: str
    space: str | None = None
    organization: str | None = None


async def find_request(api: Api, wanted: Wanted) -> tuple[ChangeRequest, FoundSpace]:
    """Return the change request that is meant: by number or id in a space, or by its app URL.

    A number without a space is looked for in all of them. Raises ``UsageError`` when it is in none
    or in several, and ``ApiError``.
    """
    typed, space, organization = wanted.request, wanted.space, wanted.organization
    name = typed.strip().removeprefix("#")
    if "/" in name:
        address = parse_app_url(name)
        if address is None or address.change_request is None or address.space is None:
            raise UsageError(
                f"{shorten(clean(typed))} is not an address of a change request: it has "
                "/s/SPACE/~/changes/NUMBER in it"
            )
        return await _at(api, address.change_request, address, space, organization)
    if not name:
        raise UsageError("name the change request: its number, its id or its address")
    if space is not None:
        there = await find_space(api, space, organization)
        return await api(ops.get_change_request, there.id, name), there
    spaces = await all_spaces(api, organization)
    if len(spaces) > MOST_SPACES:
        raise UsageError(f"each of your {len(spaces)} spaces counts by itself: name it, --space")
    found = await _in_any(api, name, spaces)
    said = shorten(clean(typed).removeprefix("#"))
    said = f"#{said}" if said.isdecimal() else said
    if len(found) > 1:
        named = _named_space([there for _, there in found])
        raise UsageError(f"{said} is in more than one space: {named}. Name one with --space.")
    if not found:
        raise UsageError(f"no space that you can see has a change request {said}", FAILED)
    return found[0]


async def _at(
    api: Api, name: str, address: Address, space: str | None, organization: str | None
) -> tuple[ChangeRequest, FoundSpace]:
    """Return the change request of an address; other options must name the same place."""
    there = await find_space(api, address.space or "", organization)
    homes = (address.organization, there.organization)
    if None not in homes and homes[0] != homes[1]:
        known = {place.id for place in await find_organizations(api, None)}
        if homes[0] in known:
            raise UsageError(f"the address names another organization than that of {there}")
    if space is not None and (other := await find_space(api, space, organization)) != there:
        raise UsageError(f"the address is of {there}, and --space names {other}")
    return await api(ops.get_change_request, there.id, name), there


async def _in_any(
    api: Api, name: str, spaces: Sequence[FoundSpace]
) -> list[tuple[ChangeRequest, FoundSpace]]:
    async def one(there: FoundSpace) -> tuple[ChangeRequest, FoundSpace] | None:
        try:
            return await api(ops.get_change_request, there.id, name), there
        except (Forbidden, NotFound):
            return None

    return [pair for pair in await asyncio.gather(*map(one, spaces)) if pair is not None]


def _named_space(spaces: Sequence[FoundSpace], wanted: str = "") -> str:
    return candidates(wanted, [(space.title, str(space)) for space in spaces])
