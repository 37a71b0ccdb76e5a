"""Links of a space as rows, one for each page that a link stands on, and what leads somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

from rich.text import Text

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Page
from copydesk.contract.models.link import Backlink, Link
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural
from copydesk.session.operations import ops
from copydesk.session.page_rows import PageRow, reference
from copydesk.tui.framework.place import View
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.parts import ContentReference
    from copydesk.session.target import Target

BROKEN = "broken"
"""The view that the list opens with."""

ALL = "all"
"""The view of every link, whatever its status."""

STATUSES: Mapping[str, str] = {"broken": "broken", "in-app": "in-app", "ok": "working"}
"""What the service calls the statuses of links, and what they are called here."""


@dataclass(frozen=True)
class Standing:
    """A link where it stands: on one page, leading to one target.

    The API lists a link once for each target, with the pages that it is on. ``title`` and what
    follows are known once the pages of the space are read; ``at`` is where the page is among them.
    """

    link: Link
    page: str = ""
    space: str = ""
    title: str = ""
    path: str = ""
    url: str = ""
    target: str = ""
    at: int | None = None

    @property
    def id(self) -> str:
        """What tells it from the others of its list."""
        target = self.link.target
        leads = "" if target is None else target.to_json().decode()
        return f"{self.space}/{self.page} {self.link.status} {leads}"

    @property
    def address(self) -> str:
        """The address that it leads to; empty where it leads to something of the service."""
        target = self.link.target
        return web_address(target.url) if target is not None else ""


def standings(links: Iterable[Link], space: str) -> list[Standing]:
    """Return links of a space as they stand on its pages; one of no page that is named once."""
    found: dict[str, Standing] = {}
    for link in links:
        target = link.target
        leads = reference(target) if target is not None else ""
        stands: list[ContentReference | None] = [e for e in link.location_references if e.page]
        for each in stands or [None]:
            row = Standing(
                link,
                page=(each.page or "") if each is not None else "",
                space=((each.space or "") if each is not None else "") or space,
                title=clean(each.called("page")).strip() if each is not None else "",
                target=leads,
            )
            found.setdefault(row.id, row)
    return list(found.values())


def named(row: Standing, space: str, pages: Mapping[str, tuple[int, PageRow]]) -> Standing:
    """Return a link with the names of the pages that it stands on and leads to."""
    titles = {key: page.where for key, (_, page) in pages.items()}
    target = row.link.target
    here = target is not None and target.space in (None, space)
    if target is not None:
        row = replace(row, target=reference(target, titles if here else None))
    known = pages.get(row.page) if row.space == space else None
    if known is None:
        return row
    at, page = known
    return replace(row, title=page.where, path=page.path, url=page.url, at=at)


async def _links(api: Api, target: Target, asked: Asked) -> Page[Standing]:
    space = target.space or ""
    view = asked.view or BROKEN
    status = cast("LinkStatus", view) if view in STATUSES else None
    found = await api.page(ops.list_space_links, space, status=status, **asked.paging)
    return Page[Standing](items=standings(found.items, space), next=found.next)


def _status(row: Standing, now: datetime) -> Text:
    said = clean(STATUSES.get(row.link.status, row.link.status))
    return Text(said, style="bad" if row.link.status == "broken" else "muted")


def _kind(row: Standing) -> str | None:
    target = row.link.target
    return target.kind if target is not None else None


def _graveness(row: Standing) -> int | None:
    status = row.link.status
    return list(STATUSES).index(status) if status in STATUSES else None


def _leads(row: Standing, now: datetime) -> Text | str:
    return Text(clean(row.target), style="bad") if row.link.status == "broken" else row.target


def _on(row: Standing) -> str:
    return row.title or (f"page {clean(row.page)}" if row.page else "no page that is named")


def _more(row: Standing, now: datetime) -> Sequence[tuple[str, str]]:
    pages = len(row.link.location_references)
    also = [("stands on", plural(pages, "page"))] if pages > 1 else []
    return [*also, ("address", row.address)] if row.address else also


LINKS: Resource[Standing] = Resource(
    noun="link",
    title="Links",
    pages=_links,
    key=lambda row: row.id,
    label=lambda row: row.target,
    shown=(
        Shown("page", "ON PAGE", lambda row, now: _on(row), flex=2, minimum=18,
              sort=lambda row: row.at),
        Shown("leads", "LEADS TO", _leads, flex=3, minimum=18, sort=lambda row: row.target),
        Shown("kind", "KIND", lambda row, now: _kind(row), 8, drop=2, sort=_kind),
        Shown("status", "STATUS", _status, 8, drop=1, values=tuple(STATUSES.values()),
              sort=_graveness),
        Shown("path", "PATH", lambda row, now: row.path or None),
    ),
    empty="The pages of this space have no links.",
    of="space",
    url=lambda row: row.url or None,
    views=(View(BROKEN, "Broken"), View("in-app", "In-app"), View("ok", "Working"),
           View(ALL, "All")),
    copies=lambda row: [("where it leads", row.address or row.target), ("page", row.page)],
    more=_more,
)  # fmt: skip
"""The links of a space, page by page."""


async def _backlinks(api: Api, target: Target, asked: Asked) -> Page[Backlink]:
    return await api.page(
        ops.list_space_page_backlinks, target.space or "", target.item or "", **asked.paging
    )


def backlink_title(link: Backlink) -> str:
    """Return what points here; not cleaned."""
    if link.page is not None:
        return link.page.title or link.page.path or "Untitled"
    return link.file.name if link.file is not None else link.kind


def backlink_key(link: Backlink) -> str:
    """Return what tells it from the others of its list."""
    thing = link.page or link.file
    return f"{link.space.id if link.space else ''}/{link.kind}/{thing.id if thing else ''}"


def backlink_space(link: Backlink) -> str:
    """Return the name of the space that it is in; not cleaned."""
    return link.space.title if link.space is not None else ""


def _backlink_url(link: Backlink) -> str | None:
    return web_address(link.page.urls.app) or None if link.page is not None else None


BACKLINKS: Resource[Backlink] = Resource(
    noun="page",
    title="What leads here",
    pages=_backlinks,
    key=backlink_key,
    label=backlink_title,
    shown=(
        Shown("title", "PAGE", lambda link, now: backlink_title(link), flex=2, minimum=20,
              sort=backlink_title),
        Shown("path", "PATH", lambda link, now: link.page.path if link.page else None, flex=2,
              minimum=12, drop=2, sort=lambda link: link.page.path if link.page else None),
        Shown("space", "SPACE", lambda link, now: backlink_space(link) or None, 20, drop=1,
              sort=backlink_space),
        Shown("kind", "KIND", lambda link, now: link.kind),
        Shown("about", "ABOUT", lambda link, now: link.page.description if link.page else None),
    ),
    empty="No page leads here.",
    of="item",
    url=_backlink_url,
    copies=lambda link: [("path", link.page.path if link.page else None)],
)  # fmt: skip
"""The pages that lead to a page of a space."""
