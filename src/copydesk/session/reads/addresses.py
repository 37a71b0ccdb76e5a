"""The targets of addresses, of the platform's application and of published sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.client.errors import Forbidden, Invalid, NotFound
from copydesk.domain.address import parse_app_url
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten
from copydesk.session.operations import ops
from copydesk.session.target import FIRST_PLACE, Target

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site
    from copydesk.contract.models.site_section import SiteSection


def is_address(text: str) -> bool:
    """Whether typed text is an address rather than words."""
    word = text.strip()
    if len(word.split()) != 1:
        return False
    return word.startswith(("http://", "https://")) or ("/" in word and pointed(word) is not None)


def pointed(url: str) -> tuple[str, Target] | None:
    """Return the screen and the target of an address of the application."""
    found = parse_app_url(url)
    if found is None:
        return None
    ids = Target(organization=found.organization, space=found.space, page=found.page)
    if found.space is not None and found.change_request is not None:
        return "review", ids.but(change_request=found.change_request)
    if found.space is not None:
        return "pages", ids
    if found.collection is not None:
        return "collection-spaces", ids.but(item=found.collection)
    if found.spec is not None:
        return "openapi-specs", ids
    if found.integration is not None:
        return "integration", ids.but(item=found.integration)
    if found.site is not None:
        return "site-structure", ids.but(site=found.site)
    return FIRST_PLACE, ids


async def published(api: Api, url: str) -> tuple[str, Target] | None:
    """Return the screen and target of an address, as the service knows it, or else as published.

    None where no site that one can see is published there. Raises ``ApiError``.
    """
    if (known := await content_at(api, url)) is not None:
        return known
    found = await find_published(api, url)
    if found is None:
        return None
    ids = Target(organization=found.organization)
    if found.space is None:
        return "site-structure", ids.but(site=found.site)
    return "pages", ids.but(space=found.space, page=found.page or None)


async def content_at(api: Api, url: str) -> tuple[str, Target] | None:
    """Return the screen of what the service says is at an address; None where it does not.

    Raises ``ApiError``.
    """
    address = url if "://" in url else f"https://{url}"
    try:
        found = await api(ops.get_content_by_url, url=address)
    except (Forbidden, Invalid, NotFound):
        return None
    if found.collection is not None:
        ids = Target(organization=found.collection.organization)
        return "collection-spaces", ids.but(item=found.collection.id)
    if found.space is None:
        return None
    ids = Target(organization=found.space.organization, space=found.space.id)
    if found.change_request is not None:
        return "review", ids.but(change_request=found.change_request.id)
    return "pages", ids.but(page=None if found.page is None else found.page.id)


def no_address(url: str) -> str:
    """Return the sentence for an address without a target."""
    return (
        f"{shorten(clean(url), 80)} names no organization (/o/…), space (/s/…) or site "
        "(/sites/…) of the application, and no site that you can see is published there"
    )


@dataclass(frozen=True, slots=True)
class PublishedContent:
    """The content of a published address: a site, a space in it, and a page by its path."""

    organization: str
    site: str
    space: str | None = None
    page: str = ""


async def find_published(api: Api, url: str) -> PublishedContent | None:
    """Return the content of a published address, None where no known site has it.

    The site, and in it the space, is the one with the longest address that it begins with. Raises
    ``ApiError``.
    """
    wanted = address_text(url.partition("#")[0].partition("?")[0])
    places = await api.every(ops.list_organizations)
    sites = [
        (base, place.id, site)
        for place in places
        async for site in api.pages(ops.list_sites, place.id)
        for base in _bases(site, wanted)
    ]
    if not sites:
        return None
    _, organization, site = max(sites, key=lambda each: len(each[0]))
    shown = await api.every(ops.list_site_spaces, organization, site.id)
    sections = {
        section.id: section
        async for section in api.pages(ops.list_site_sections, organization, site.id)
    }
    found: list[tuple[str, str, str]] = []
    for each in shown:
        section = sections.get(each.section or "")
        ways = {"/".join((_section_path(section), each.path)).strip("/")}
        if each.default:
            ways.add(_section_path(section))
        if section is None or section.default:
            ways.add("" if each.default else each.path)
        addresses = [f"{base}/{way}".rstrip("/") for base in _bases(site, wanted) for way in ways]
        addresses += [address_text(each.urls.published)] if each.urls.published else []
        found += [
            (address, each.space.id, page)
            for address in addresses
            if (page := _below(wanted, address)) is not None
        ]
    if not found:
        return PublishedContent(organization, site.id)
    _, space, page = max(found, key=lambda each: len(each[0]))
    return PublishedContent(organization, site.id, space, page)


def _bases(site: Site, wanted: str) -> list[str]:
    """Return the addresses of a site that an address begins with."""
    return [base for base in addresses(site) if _below(wanted, base) is not None]


def _section_path(section: SiteSection | None) -> str:
    return section.path if section is not None else ""


def _below(address: str, base: str) -> str | None:
    """Return the rest of an address after ``base``, None where it begins otherwise."""
    if address != base and not address.startswith(f"{base}/"):
        return None
    return address[len(base) :].strip("/")


def addresses(site: Site) -> set[str]:
    """Return all addresses of a site, as `address_text` writes them."""
    whole = f"{site.hostname}/{site.basename or ''}" if site.hostname else ""
    addresses = [whole, site.urls.published, site.urls.app]
    if site.proxy is not None:
        addresses += [site.proxy.target, site.proxy.origin]
    return {address_text(each) for each in addresses} - {""}


def address_text(text: str | None) -> str:
    """Return an address without the parts that do not distinguish sites."""
    bare = (text or "").strip().casefold()
    return bare.removeprefix("https://").removeprefix("http://").rstrip("/")
