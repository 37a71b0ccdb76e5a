"""What a service says of itself."""

from copydesk.contract.models.base import Always, Shape


class ApiInformation(Shape):
    """The version of a service, and the build of it that answers."""

    version: Always[str] = None
    build: Always[str] = None
