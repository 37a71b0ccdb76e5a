"""Reading and writing the share links of a site."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.session.reads.sites import list_links
from copydesk.session.site_rows import Link, SiteRow, link_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.share_link import ShareLinkUpdate


@dataclass(frozen=True)
class LinksRead:
    """The links of a site, and why the reader may not change or not even see them (empty: may)."""

    site: SiteRow
    links: tuple[Link, ...]
    refused: str = ""
    unseen: bool = False


async def make_link(api: Api, ids: tuple[str, str], name: str) -> Link:
    """Make a share link, which is on at once. Raises ``ApiError``."""
    from copydesk.contract import operations as ops
    from copydesk.contract.models.share_link import ShareLinkCreate

    return link_of(await api(ops.create_share_link, *ids, ShareLinkCreate(name=name)))


async def find_made(
    api: Api, ids: tuple[str, str], name: str, known: Collection[str]
) -> Link | None:
    """Return the link of that name that was not known before, for one that may have been made."""
    links = await list_links(api, *ids)
    return next((link for link in links if link.id not in known and link.name == name), None)


async def change_link(api: Api, ids: tuple[str, str], link: str, body: ShareLinkUpdate) -> None:
    """Rename a share link, or switch it on or off. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    await api(ops.update_share_link, *ids, link, body)


async def delete_link(api: Api, ids: tuple[str, str], link: str) -> None:
    """Delete a share link. Raises ``ApiError``."""
    from copydesk.contract import operations as ops

    await api(ops.delete_share_link, *ids, link)
