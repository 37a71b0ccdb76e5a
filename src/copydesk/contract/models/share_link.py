"""Share links: secret addresses of a site."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Always, Body, Open, Resource, SomeUrls, Timestamp

ShareLinkName: TypeAlias = Annotated[str, StringConstraints(max_length=50)]
"""At most 50 characters."""


class ShareLink(Resource):
    """A secret address of a site; without effect while not active."""

    object: Open[Literal["share-link"]] = "share-link"
    id: str
    created_at: Always[Timestamp] = None
    name: str | None = None
    active: bool = False
    urls: SomeUrls = Field(default_factory=SomeUrls)


class ShareLinkCreate(Body):
    """A new share link."""

    name: ShareLinkName


class ShareLinkUpdate(Body):
    """Changes of a share link."""

    active: bool | None = None
    name: ShareLinkName | None = None
