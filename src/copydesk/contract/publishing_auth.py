"""Operations on how the readers of a site sign in."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation

_PATH = "/orgs/{organization_id}/sites/{site_id}/publishing/auth"


@operation("GET", _PATH, extension="E20", secret=True)
def get_site_publishing_auth(
    organization_id: str, site_id: str
) -> models.publishing_auth.SitePublishingAuth:
    """Get how the readers of a site sign in, with the key that their tokens are signed with."""


@operation("PATCH", _PATH, extension="E20", secret=True)
def update_site_publishing_auth(
    organization_id: str, site_id: str, body: models.publishing_auth.SitePublishingAuthUpdate
) -> models.publishing_auth.SitePublishingAuth:
    """Change who signs the readers of a site in, and where they are sent."""


@operation("POST", f"{_PATH}/regenerate", extension="E20", secret=True)
def regenerate_site_publishing_auth(
    organization_id: str, site_id: str
) -> models.publishing_auth.SitePublishingAuth:
    """Make a new key for the sign-in of a site; tokens of the former one hold no longer."""
