"""Sites, share links and visitor attributes as rows of a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from copydesk.domain.address import share_key, web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.site_tree import SiteNode
from copydesk.domain.text import clean, exposed, shown_title
from copydesk.domain.visitor_schema import Attribute, attributes, claims_in

if TYPE_CHECKING:
    from copydesk.contract.models.share_link import ShareLink
    from copydesk.contract.models.site import Site, TemplateCondition


AUDIENCES: Mapping[str, str] = {
    "public": "everyone",
    "unlisted": "whoever has the address",
    "share-link": "whoever has a share link",
    "visitor-auth": "signed-in visitors",
}
"""Who can read a site, by its visibility."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """One site in a list; texts are clean."""

    id: str
    title: str
    visibility: str
    published: bool
    spaces: int
    address: str
    plan: str
    adaptive: bool
    agents: str
    created: datetime | None


def site_row(site: Site) -> SiteRow:
    """Return the row of a site."""
    host = ""
    if site.hostname:
        host = web_address(f"https://{site.hostname}/{quote(site.basename or '', safe='')}")
    return SiteRow(
        site.id,
        shown_title(site.title),
        clean(str(site.visibility)),
        site.published,
        site.site_spaces,
        (web_address(site.urls.published) or host).removesuffix("/"),
        clean(str(site.type)),
        site.adaptive_content is not None and site.adaptive_content.enabled,
        clean(str(site.agents_context or "")),
        site.created_at,
    )


def audience(row: SiteRow) -> str:
    """Return who can read a site."""
    return AUDIENCES.get(row.visibility, row.visibility or "not known")


@dataclass(frozen=True, slots=True)
class ShareLinkRow:
    """A share link. ``title`` is clean, ``name`` is as the service has it.

    ``address`` opens the site for anybody: it is in no ``repr`` and in no sentence.
    """

    id: str
    title: str
    name: str
    active: bool
    created: datetime | None
    address: str = field(default="", repr=False)

    @property
    def key(self) -> str:
        """The key in its address, for reads of published data; empty without an address."""
        return share_key(self.address) if self.address else ""


def link_of(link: ShareLink) -> ShareLinkRow:
    """Return the row of a share link."""
    name = link.name or ""
    return ShareLinkRow(
        link.id,
        clean(name).strip() or "(no name)",
        name,
        link.active,
        link.created_at,
        web_address(link.urls.published),
    )


def no_effect(site: SiteRow) -> str:
    """Return why no link of a site opens anything; "" when links work."""
    if site.visibility != "share-link":
        return f"Links have no effect: the site is for {audience(site)} ({site.visibility})."
    if not site.published:
        return "Links open nothing yet: the site is not published."
    return ""


def no_address(link: ShareLinkRow, site: SiteRow | None) -> str:
    """Return why the service gives no working address for a link."""
    if site is not None and (why := no_effect(site)):
        return why
    if not link.active:
        return "Switched off, so no address works: x switches it on."
    return "The service gives no address for it."


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """An attribute, a ready-made condition, or the heading of conditions with several attributes.

    A "missing" attribute is used by conditions of the site but not in the schema. ``text`` is
    copied; ``places`` are the titles of sections and site spaces that use it. Texts are clean.
    """

    id: str
    kind: Literal["attribute", "missing", "condition", "heading"]
    title: str
    text: str = ""
    about: str = ""
    unsigned: bool = False
    default: str = ""
    holds: str = ""
    places: tuple[str, ...] = ()
    children: tuple[SchemaRow, ...] = ()


def title(attribute: Attribute) -> str:
    """Return the name of an attribute, with invisible characters as numbers."""
    return clean(exposed(attribute.name)).strip() or "(no name)"


def users(nodes: Iterable[SiteNode]) -> dict[tuple[bool, str], tuple[str, ...]]:
    """Return the titles of sections and site spaces by the attributes their conditions name."""
    found: dict[tuple[bool, str], list[str]] = {}
    for node in nodes:
        for key in sorted(claims_in(node.condition)):
            found.setdefault(key, []).append(node.title)
    return {key: tuple(titles) for key, titles in found.items()}


def schema_rows(
    schema: object,
    conditions: Sequence[TemplateCondition],
    used: Mapping[tuple[bool, str], tuple[str, ...]],
) -> tuple[SchemaRow, ...]:
    """Return the attributes, each with its own ready-made conditions; the others follow."""
    declared = attributes(schema)
    of_one: dict[tuple[bool, str], list[SchemaRow]] = {each.key: [] for each in declared}
    others: list[SchemaRow] = []
    for at, each in enumerate(conditions):
        text = clean(each.condition)
        row = SchemaRow(f"condition {at}", "condition", text, text, clean(each.description))
        names = claims_in(each.condition)
        rows_of = of_one.get(next(iter(names)), others) if len(names) == 1 else others
        rows_of.append(row)
    rows = [
        SchemaRow(
            f"attribute {each.expression}",
            "attribute",
            title(each),
            clean(each.expression),
            clean(each.description or each.title),
            each.unsigned,
            "" if each.default is None else clean(str(each.default)).lower(),
            clean(each.holds, limit=200),
            used.get(each.key, ()),
            tuple(of_one[each.key]),
        )
        for each in declared
    ]
    rows += [
        SchemaRow(
            f"missing {each.expression}",
            "missing",
            title(each),
            clean(each.expression),
            "not in the schema",
            each.unsigned,
            places=used[each.key],
        )
        for each in missing(schema, used)
    ]
    if others:
        heading = "Other ready-made conditions" if rows else "Ready-made conditions"
        rows.append(SchemaRow("others", "heading", heading, children=tuple(others)))
    return tuple(rows)


def missing(schema: object, used: Mapping[tuple[bool, str], tuple[str, ...]]) -> list[Attribute]:
    """Return the attributes that conditions of the site use and the schema lacks."""
    known = {each.key for each in attributes(schema)}
    return [Attribute(name, unsigned) for unsigned, name in sorted(used.keys() - known)]
