"""A person with an account."""

from typing import Literal

from pydantic import Field

from copydesk.contract.models.base import Open, Resource, Urls


class User(Resource):
    """A person with an account."""

    object: Open[Literal["user"]] = "user"
    id: str
    display_name: str = ""
    email: str | None = None
    photo_url: str | None = Field(default=None, alias="photoURL")
    urls: Urls = Field(default_factory=Urls)
