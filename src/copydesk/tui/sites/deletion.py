"""Deleting a site, from the list of sites and from its own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.sites import settings_cells as present
from copydesk.tui.sites.publication import read_links

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.sites.publication import SitePublishing


def may_not_delete(here: SitePublishing) -> str | None:
    """Say so when the reader's role does not allow to delete a site."""
    return (here.rights.delete or None) if here.rights is not None else None


def no_site_to_delete(here: SitePublishing) -> str | None:
    """Say so when the cursor is on no site."""
    return None if here.site_at_hand() else "Put the cursor on a site first."


class DeletionCommands(Commands, scope="site_deleting"):
    """Deleting a site, where one is at hand."""

    place: SitePublishing

    @action(
        "D",
        "delete",
        unless=(no_site_to_delete, may_not_delete),
        danger=3,
        show=6,
        group="Change",
        uses=("delete_site", "get_site", "list_share_links", "list_site_sections"),
    )
    async def delete(self) -> None:
        """Delete the site once its title was typed: links and structure go, the content stays."""
        from copydesk.contract import operations as ops

        organization = self.place.target.organization or self.place.session.organization
        site_id = self.place.site_at_hand()
        if organization is None or site_id is None:
            return
        ids = organization, site_id
        api = await self.place.session.ready()
        if (why := (await self.place.know_rights(api, organization)).delete) != "":
            self.place.tell(why, "warn")
            return
        site = await api(ops.get_site, *ids)
        links, sections = await read_links(api, *ids), await self._sections(api, ids)
        title = present.title_of(site)
        agreed = await self.place.desk.push_screen_wait(
            TypeToConfirm(
                f"Delete {title}",
                present.delete_facts(site, links, sections),
                expect=title,
                verb="delete",
                what="the title",
            )
        )
        if not agreed:
            return

        async def look(api: Api) -> bool | None:
            from copydesk.client.errors import NotFound

            try:
                await api(ops.get_site, *ids)
            except NotFound:
                return True
            return None

        async def send(api: Api) -> bool:
            await api(ops.delete_site, *ids)
            return True

        await self.place.perform(
            "Delete site", title, send, look=look, done=f"{title} is deleted. Its content is kept."
        )
        self.place.site_deleted()

    async def _sections(self, api: Api, ids: tuple[str, str]) -> int | None:
        """Return how many sections a site has; None where that is not told."""
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops

        try:
            page = await api.page(ops.list_site_sections, *ids, limit=250)
        except (Forbidden, NotFound):
            return None
        return page.count if page.count is not None else len(page.items)
