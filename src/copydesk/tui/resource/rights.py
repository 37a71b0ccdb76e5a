"""What the reader may do in the organization whose things a place shows, where no item says it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.domain.text import clean, shorten
from copydesk.session.reads.organization import read_home
from copydesk.tui.framework.place import Place

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization

ROLES = {"admin": "admin", "create_content": "create"}
"""The roles that come with some permissions, which are known better than these."""

NO_HOME = "No organization is chosen: g o lists yours."


class HomeRights:
    """The rights of the reader. While they are unknown nothing is off: the service decides anyway.

    ``learned`` is called once they are known.
    """

    def __init__(self, place: Place, learned: Callable[[], None]) -> None:
        self._place, self._learned = place, learned
        self.home: Organization | None = None
        """The organization with the rights of the reader, once they are known."""

    def read(self) -> None:
        """Read the rights quietly."""
        self._place.reads.load(
            "rights", self._read, self._take, what="Reading your rights", quiet=True
        )

    async def _read(self, api: Api) -> Organization | None:
        # At the start the organization is known only once there is a client.
        home = self._place.organization
        return None if home is None else await read_home(api, self._place.session, home)

    def _take(self, home: Organization | None) -> None:
        if home is not None:
            self.home = home
            self._place.refresh_frame()
            self._learned()

    def lacks(self, right: str) -> str | None:
        """Say that the reader lacks a permission, a field of ``OrganizationPermissions``."""
        home = self.home
        if home is None or home.permissions is None or getattr(home.permissions, right):
            return None
        if (role := ROLES.get(right)) is not None:
            needs = f"role {role}"
        else:
            needs = f"permission {type(home.permissions).model_fields[right].alias or right}"
        return f"That takes the {needs} in {shorten(clean(home.title), 40) or 'it'}."
