"""From a review to what the request does to the links around it."""

from __future__ import annotations

from copydesk.tui.actions import action
from copydesk.tui.places import Target
from copydesk.tui.screens.review_guards import not_read
from copydesk.tui.screens.review_request import ReviewRequest


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
