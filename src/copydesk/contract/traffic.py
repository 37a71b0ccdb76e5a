"""Operations on the traffic of a site."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation(
    "POST",
    "/orgs/{organization_id}/sites/{site_id}/insights/events/aggregate",
    status=200,
    extension="E15",
    reads=True,
)
def aggregate_site_events(
    organization_id: str, site_id: str, body: models.traffic.EventsAggregation
) -> models.traffic.EventsAggregate:
    """Count what readers of a site did, by columns."""
