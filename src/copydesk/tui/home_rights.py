"""What the reader may do in the organization whose things a place lists, where no item says it.

A mixin of places. Until the rights are known nothing is off: the service decides in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.text import clean, shorten
from copydesk.tui.organization_reading import read_home
from copydesk.tui.place import Place
from copydesk.tui.places import Target

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization

NO_HOME = "No organization is chosen: g o lists yours."


class KnowsRights(Place, scope="knows_rights"):
    """A place that learns when it opens what the reader may do in its organization."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.known_home: Organization | None = None
        """The organization with the rights of the reader, once they are known."""

    def opened(self) -> None:
        """Find out what the reader may do."""
        super().opened()
        self.load(
            "rights", self._read_rights, self._take_rights, what="Reading your rights", quiet=True
        )

    async def _read_rights(self, api: Api) -> Organization | None:
        # At the start the organization is known only once there is a client.
        home = self.target.organization or self.session.organization
        return None if home is None else await read_home(api, self.session, home)

    def _take_rights(self, home: Organization | None) -> None:
        if home is not None:
            self.learned(home)

    def learned(self, home: Organization) -> None:
        """Show what follows from the rights."""
        self.known_home = home
        self.refresh_frame()

    def lacks(self, right: str) -> str | None:
        """Say that the reader lacks a permission, a field of ``OrganizationPermissions``."""
        home = self.known_home
        if home is None or home.permissions is None or getattr(home.permissions, right):
            return None
        name = type(home.permissions).model_fields[right].alias or right
        kind = "role" if right == "admin" else "permission"
        return f"That takes the {kind} {name} in {shorten(clean(home.title), 40) or 'it'}."
