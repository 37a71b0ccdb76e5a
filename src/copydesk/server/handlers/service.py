"""What a desk says of itself."""

from __future__ import annotations

from copydesk import __version__
from copydesk.contract import operations as ops
from copydesk.contract.models.service import ApiInformation
from copydesk.server.implementation import Call, implements
from copydesk.server.migrations import VERSION


@implements(ops.get_api_information)
def get_api_information(call: Call) -> ApiInformation:
    """Answer with the version of copydesk; the build is that of the tables of the desk."""
    return ApiInformation(version=__version__, build=f"tables {VERSION}")
