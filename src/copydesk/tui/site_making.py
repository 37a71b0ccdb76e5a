"""Making a site and deleting one, for the place that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from rich.text import Text

from copydesk.domain.site_inverses import site_made
from copydesk.domain.text import clean, plural
from copydesk.tui.actions import action
from copydesk.tui.places import Target
from copydesk.tui.present import site_settings as present
from copydesk.tui.present.space_choice import space_options
from copydesk.tui.site_publishing import SitePublishing, read_links
from copydesk.tui.widgets.choice import Choice, Option, OrderedChoices
from copydesk.tui.widgets.form import Field, Form
from copydesk.tui.widgets.sheet import TypeToConfirm

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

NEW_KEY = "site new"
"""The key of the title of a site that is about to be made."""

NAMED = 6
"""How many of the chosen spaces are named before the others are counted."""


@dataclass
class Plan:
    """A site that is about to be made."""

    type: str = "basic"
    visibility: str = "public"
    spaces: tuple[str, ...] = ()


def may_not_make(here: SiteMaking) -> str | None:
    """Say so when the reader's role does not allow to make a site."""
    return (here.rights.make or None) if here.rights is not None else None


def may_not_delete(here: SiteMaking) -> str | None:
    """Say so when the reader's role does not allow to delete a site."""
    return (here.rights.delete or None) if here.rights is not None else None


def no_site_to_delete(here: SiteMaking) -> str | None:
    """Say so when the cursor is on no site."""
    return None if here.site_at_hand() else "Put the cursor on a site first."


class SiteMaking(SitePublishing, scope="site_making"):
    """The place that lists sites, without its list."""

    def opened(self) -> None:
        """Find out what the reader may do here."""
        super().opened()
        organization = self.target.organization or self.session.organization
        if organization is not None:
            self.load(
                "rights", lambda api: self.know_rights(api, organization),
                lambda rights: self.refresh_frame(), what="Reading your role",
            )  # fmt: skip

    def reveal_site(self, site: str) -> None:
        """Put the cursor on a site that was made, once the list has it."""
        raise NotImplementedError

    @action(
        "ctrl+n",
        "new site",
        unless=may_not_make,
        danger=1,
        show=20,
        group="Change",
        uses=("create_site", "list_organization_spaces"),
    )
    async def make(self) -> None:
        """Make a site: its plan, who can read it, what it shows, its title. It is not published."""
        from copydesk.tui.space_reading import read_desk

        organization = self.target.organization or self.session.organization
        if organization is None:
            self.say("Which organization? go lists them.", "warn")
            return
        api = await self.session.ready()
        if (why := (await self.know_rights(api, organization)).make) != "":
            self.tell(why, "warn")
            return
        self.say("Reading spaces…")
        desk = await read_desk(api, organization)
        self.clear_message(young=True)
        spaces = space_options(desk.nodes, keep=lambda space: True)
        plan, step = Plan(), 0
        # Esc goes one question back, and leaves at the first.
        while 0 <= step < 3:
            step += 1 if await self._ask(plan, step, spaces) else -1
        if step == 3:
            await self._title(organization, plan, {each.id: each.title for each in spaces})

    async def _ask(self, plan: Plan, step: int, spaces: list[Option]) -> bool:
        """Ask one question of a new site; False goes back."""
        from copydesk.contract.enumerations import SiteType, SiteVisibility

        if step == 0:
            types = [Option(each, each, present.TYPES.get(each, "")) for each in get_args(SiteType)]
            type_ = await self.desk.push_screen_wait(
                Choice("New site, 1 of 4: its plan", types, current=plan.type, wide=True)
            )
            plan.type = type_ or plan.type
            return bool(type_)
        if step == 1:
            audiences = [
                Option(each, each, present.readers(each)) for each in get_args(SiteVisibility)
            ]
            visibility = await self.desk.push_screen_wait(
                Choice(
                    "New site, 2 of 4: who can read it once it is published",
                    audiences, current=plan.visibility, wide=True,
                )
            )  # fmt: skip
            plan.visibility = visibility or plan.visibility
            return bool(visibility)
        chosen = await self.desk.push_screen_wait(
            OrderedChoices("New site, 3 of 4: what it shows", spaces, ticked=plan.spaces)
        )
        if chosen is not None:
            plan.spaces = chosen
        return chosen is not None

    async def _title(self, organization: str, plan: Plan, titles: Mapping[str, str]) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.site import SiteCreate
        from copydesk.tui.site_settings import check

        shown = [titles[space] for space in plan.spaces]
        more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
        said = ", ".join(shown[:NAMED]) + more
        facts: list[Text | str] = [
            Text.assemble(("plan     ", "muted"), plan.type),
            Text.assemble(("read by  ", "muted"), present.readers(plan.visibility)),
            Text.assemble(("shows    ", "muted"), said or "nothing yet"),
            "",
            "It is not published: nobody can read it until you publish it with W.",
        ]
        made: list[Site] = []

        async def send(values: Mapping[str, str]) -> None:
            body = SiteCreate.model_validate(
                {
                    "type": plan.type,
                    "title": values["title"],
                    "visibility": plan.visibility,
                    "spaces": list(plan.spaces),
                }
            )
            deletes = self.rights is not None and not self.rights.delete
            made.append(
                await self.perform(
                    "Make site",
                    clean(values["title"]),
                    lambda api: api(ops.create_site, organization, body),
                    reversal=(
                        lambda site: (
                            site_made((organization, site.id), title=site.title)
                            if deletes
                            else None
                        )
                    ),
                    draft=NEW_KEY,
                )
            )

        field = Field("title", "Title", "", check("title"))
        form = Form(
            "New site, 4 of 4: its title", [field],
            draft_key=NEW_KEY, facts=facts, send=send, verb="make it",
        )  # fmt: skip
        await self.desk.push_screen_wait(form)
        if made:
            site = made[0]
            self.reveal_site(site.id)
            target = Target(organization=organization, site=site.id)
            await self.desk.go("site-structure", target)
            self.tell(
                f"{present.title_of(site)} is made, with {plural(site.site_spaces, 'space')}, "
                "and not published. W publishes it.",
                "good",
            )

    @action(
        "D",
        "delete",
        unless=(no_site_to_delete, may_not_delete),
        danger=3,
        show=8,
        group="Change",
        uses=("delete_site", "get_site", "list_share_links", "list_site_sections"),
    )
    async def delete(self) -> None:
        """Delete the site once its title was typed: links and structure go, the content stays."""
        from copydesk.contract import operations as ops

        organization = self.target.organization or self.session.organization
        site_id = self.site_at_hand()
        if organization is None or site_id is None:
            return
        ids = organization, site_id
        api = await self.session.ready()
        if (why := (await self.know_rights(api, organization)).delete) != "":
            self.tell(why, "warn")
            return
        site = await api(ops.get_site, *ids)
        links, sections = await read_links(api, *ids), await self._sections(api, ids)
        title = present.title_of(site)
        agreed = await self.desk.push_screen_wait(
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

        await self.perform(
            "Delete site", title, send, look=look, done=f"{title} is deleted. Its content is kept."
        )
        if self.is_attached:
            self.read_again()

    async def _sections(self, api: Api, ids: tuple[str, str]) -> int | None:
        """Return how many sections a site has; None where that is not told."""
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.contract import operations as ops

        try:
            page = await api.page(ops.list_site_sections, *ids, limit=250)
        except (Forbidden, NotFound):
            return None
        return page.count if page.count is not None else len(page.items)

    def resume_draft(self, part: str) -> None:
        """Begin a new site again; the title that was typed is in its last question."""
        from copydesk.tui.dispatch import run

        if part == "new":
            self.desk.call_later(run, self, self.ACTIONS["make"])
