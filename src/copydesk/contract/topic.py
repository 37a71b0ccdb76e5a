"""Operations on the topics of a site."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.models.base import Page
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/topics", extension="E14")
def list_site_topics(
    organization_id: str,
    site_id: str,
    *,
    since: models.base.Since = None,
    to: models.base.Timestamp | None = None,
) -> Page[models.topic.SiteTopic]:
    """List the topics of a site, all at once, with the questions of a time."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/topics/{site_topic_id}", extension="E14")
def get_site_topic(
    organization_id: str, site_id: str, site_topic_id: str
) -> models.topic.SiteTopic:
    """Get a topic of a site."""


@operation(
    "PATCH", "/orgs/{organization_id}/sites/{site_id}/topics/{site_topic_id}", extension="E14"
)
def update_site_topic(
    organization_id: str, site_id: str, site_topic_id: str, body: models.topic.SiteTopicUpdate
) -> models.topic.SiteTopic:
    """Say whether change requests are begun for the findings of a topic."""
