"""From a review to what the request does to the links around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.review.guards import HasReview, ReviewCommands, not_read

if TYPE_CHECKING:
    pass


def no_page(here: HasReview) -> str | None:
    """Say why there is no page in front that has links in this request."""
    change = here.model.change
    if change is None:
        return "Go to a page first."
    if change.file:
        return "This is a file: it has no links."
    if change.after is None:
        return "The request removes this page: it has no links in it."
    return None


class ImpactCommands(ReviewCommands, scope="review"):
    """The ways from a review to the impact of the request, and to the links of its page."""

    @action("i", "impact", unless=not_read, show=3, group="Look")
    async def show_impact(self) -> None:
        """See which pages lead to what this request changes, and which links it breaks."""
        await self.place.desk.go("impact", self._target())

    @action(
        "g l",
        "links of the page",
        unless=(not_read, no_page),
        show=False,
        group="Go",
        uses="list_change_request_page_links",
    )
    async def show_page_links(self) -> None:
        """Read the page as the request makes it, with its links beside it."""
        await self.place.desk.go("pages", self._target().but(page=self.model.page_id))

    def _target(self) -> Target:
        space, request = self.model.ids
        organization = self.place.target.organization or self.place.session.organization
        return Target(organization, space=space, change_request=request)
