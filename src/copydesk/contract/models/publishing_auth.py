"""How the readers of a site sign in."""

from typing import ClassVar, Literal

from pydantic import Field

from copydesk.contract.enumerations import SignInBackend
from copydesk.contract.models.base import Always, Body, Open, Resource, WebAddress


class SitePublishingAuth(Resource):
    """Who signs readers in: a program of one's own, or an integration, which ``integration`` names.

    Either proves who a reader is with a token that it signs with ``private_key``. A reader without
    one is sent to ``fallback_url``.
    """

    object: Open[Literal["publishing-auth"]] = "publishing-auth"
    backend: Always[Open[SignInBackend]] = None
    private_key: Always[str] = None
    fallback_url: str | None = Field(default=None, alias="fallbackURL")
    logout_url: str | None = Field(default=None, alias="logoutURL")
    integration: str | None = None


class SitePublishingAuthUpdate(Body):
    """Who signs readers in, and where they are sent; null takes an address away."""

    nullable: ClassVar[tuple[str, ...]] = ("fallback_url", "logout_url")

    backend: SignInBackend = Field(
        description="Custom is a program of one's own; integration is one that is installed."
    )
    fallback_url: WebAddress | None = Field(
        default=None, alias="fallbackURL", description="Where readers go who have not signed in."
    )
    logout_url: WebAddress | None = Field(
        default=None, alias="logoutURL", description="Where readers go who sign out."
    )
