"""What a service says of itself."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("GET", "/", extension="E19")
def get_api_information() -> models.service.ApiInformation:
    """Get the version of the service."""
