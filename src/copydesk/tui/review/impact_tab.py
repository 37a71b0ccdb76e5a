"""From a review to what the request does to the links around it."""

from __future__ import annotations

from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.review.commands import ReviewRequest
from copydesk.tui.review.guards import not_read


def no_page(here: ReviewImpact) -> str | None:
    """Say why there is no page in front that has links in this request."""
    change = here.change
    if change is None:
        return "Go to a page first."
    if change.file:
        return "This is a file: it has no links."
    if change.after is None:
        return "The request removes this page: it has no links in it."
    return None


class ReviewImpact(ReviewRequest, scope="review_impact"):
    """The way to the impact of the request."""

    @action("i", "impact", unless=not_read, show=3, group="Look")
    async def show_impact(self) -> None:
        """See which pages lead to what this request changes, and which links it breaks."""
        space, request = self.thread_ids
        organization = self.target.organization or self.session.organization
        await self.desk.go(
            "impact", Target(organization=organization, space=space, change_request=request)
        )

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
        space, request = self.thread_ids
        organization = self.target.organization or self.session.organization
        await self.desk.go(
            "pages",
            Target(organization, space=space, change_request=request, page=self.page_id),
        )
