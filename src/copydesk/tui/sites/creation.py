"""Making a site, for the place that lists them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from rich.text import Text

from copydesk.domain.site_inverses import site_made
from copydesk.domain.text import clean, plural
from copydesk.present.space_options import space_options
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice, OrderedChoices
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.sites import settings_cells as present

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site
    from copydesk.tui.sites.list import SitesPlace

NEW_KEY = "site new"
"""The key of the title of a site that is about to be made."""

COMPARED = 250
"""With the titles of so many sites that of a new one is compared."""

NAMED = 6
"""How many of the chosen spaces are named before the others are counted."""


@dataclass
class Plan:
    """A site that is about to be made, but for its title."""

    type: str = "basic"
    visibility: str = "public"
    spaces: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as it is kept with the title."""
        return {"type": self.type, "visibility": self.visibility, "spaces": list(self.spaces)}


def kept_plan(text: str | None) -> Plan | None:
    """Return what is kept with the title of a new site; None where that is nothing of use."""
    try:
        kept = json.loads(text or "")
    except ValueError:
        return None
    match kept:
        case {"type": str(type_), "visibility": str(visibility), "spaces": list(spaces)}:
            return Plan(type_, visibility, tuple(str(each) for each in spaces))
    return None


def may_not_make(here: SitesPlace) -> str | None:
    """Say so when the reader's role does not allow to make a site."""
    return (here.rights.make or None) if here.rights is not None else None


class CreationCommands(Commands, scope="site_making"):
    """Making a site, question by question."""

    place: SitesPlace

    def __init__(self, here: SitesPlace) -> None:
        super().__init__(here)
        self._begun = Plan()
        """What was chosen for a new site, until it is made."""

    @action(
        "ctrl+n",
        "new site",
        unless=may_not_make,
        danger=1,
        show=20,
        group="Change",
        uses=("create_site", "list_organization_spaces", "list_sites"),
    )
    async def make(self) -> None:
        """Make a site: its plan, who can read it, what it shows, its title. It is not published."""
        from copydesk.session.reads.spaces import read_desk

        organization = self.place.target.organization or self.place.session.organization
        if organization is None:
            self.place.say("Which organization? go lists them.", "warn")
            return
        api = await self.place.session.ready()
        if (why := (await self.place.know_rights(api, organization)).make) != "":
            self.place.tell(why, "warn")
            return
        self.place.say("Reading spaces…")
        desk, titles = await asyncio.gather(
            read_desk(api, organization), _titles(api, organization)
        )
        self.place.clear_message(young=True)
        spaces = space_options(desk.nodes, keep=lambda space: True)
        names = {each.id: each.title for each in spaces}
        plan = self._begun = kept_plan(self.place.session.drafts.load(NEW_KEY)) or self._begun
        plan.spaces = tuple(each for each in plan.spaces if each in names)
        step = 0
        # Esc goes one question back, and leaves at the first.
        while 0 <= step < 4:
            if step < 3:
                answered = await self._ask(plan, step, spaces)
                self._keep(plan)
            else:
                answered = await self._title(organization, plan, names, titles)
            step += 1 if answered else -1

    def _keep(self, plan: Plan) -> None:
        """Keep what was chosen with the title that was typed before, if one was."""
        drafts = self.place.session.drafts
        if (text := drafts.load(NEW_KEY)) and kept_plan(text) is not None:
            drafts.save(NEW_KEY, json.dumps(json.loads(text) | plan.to_dict()))

    async def _ask(self, plan: Plan, step: int, spaces: list[Option]) -> bool:
        """Ask one question of a new site; False goes back."""
        from copydesk.contract.enumerations import SiteType, SiteVisibility

        if step == 0:
            types = [Option(each, each, present.TYPES.get(each, "")) for each in get_args(SiteType)]
            type_ = await self.place.desk.push_screen_wait(
                Choice("New site, 1 of 4: its plan", types, current=plan.type, wide=True)
            )
            plan.type = type_ or plan.type
            return bool(type_)
        if step == 1:
            audiences = [
                Option(each, each, present.readers(each)) for each in get_args(SiteVisibility)
            ]
            visibility = await self.place.desk.push_screen_wait(
                Choice(
                    "New site, 2 of 4: who can read it once it is published",
                    audiences, current=plan.visibility, wide=True,
                )
            )  # fmt: skip
            plan.visibility = visibility or plan.visibility
            return bool(visibility)
        chosen = await self.place.desk.push_screen_wait(
            OrderedChoices("New site, 3 of 4: what it shows", spaces, ticked=plan.spaces)
        )
        if chosen is not None:
            plan.spaces = chosen
        return chosen is not None

    async def _title(
        self,
        organization: str,
        plan: Plan,
        names: Mapping[str, str],
        taken: Collection[str],
    ) -> bool:
        """Ask for the title, and make the site; False goes back."""
        from copydesk.contract import operations as ops
        from copydesk.contract.models.site import SiteCreate
        from copydesk.tui.sites.settings import check

        shown = [names[space] for space in plan.spaces]
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
            deletes = self.place.rights is not None and not self.place.rights.delete
            made.append(
                await self.place.perform(
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

        def note(typed: str) -> str:
            return "There is a site of that title." if clean(typed) in taken else ""

        field = Field("title", "Title", "", check("title"), note)
        form = Form(
            "New site, 4 of 4: its title", [field],
            draft_key=NEW_KEY, facts=facts, send=send, verb="make it",
            beside=plan.to_dict(), leaves="back",
        )  # fmt: skip
        await self.place.desk.push_screen_wait(form)
        if not made:
            return False
        site, self._begun = made[0], Plan()
        self.place.reveal_site(site.id)
        target = Target(organization=organization, site=site.id)
        await self.place.desk.go("site-structure", target)
        self.place.tell(
            f"{present.title_of(site)} is made, with {plural(site.site_spaces, 'space')}, "
            "and not published. W publishes it.",
            "good",
        )
        return True


async def _titles(api: Api, organization: str) -> frozenset[str]:
    """Return what the sites of an organization are called, as far as that is read."""
    from copydesk.contract import operations as ops

    page = await api.page(ops.list_sites, organization, limit=COMPARED)
    return frozenset(present.title_of(site) for site in page.items)
