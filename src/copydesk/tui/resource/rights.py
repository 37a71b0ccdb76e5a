"""What the reader may do in the organization whose things a place lists, where no item says it.

Mixins of places. Until the rights are known nothing is off: the service decides in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from copydesk.domain.text import clean, shorten
from copydesk.session.reads.organization import read_home
from copydesk.session.target import Target
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.place import ResourcePlace

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization

T = TypeVar("T")

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


def may_not_add(here: AddsByRight[Any]) -> str | None:
    """Say why the reader can add nothing to the list."""
    return here.missing() or here.lacks(here.ADDING)


class AddsByRight(KnowsRights, ResourcePlace[T], scope="adds_by_right"):
    """A list of an organization's things that is added to by who has a permission there."""

    ADDING: ClassVar[str]
    """The permission that adding takes, a field of ``OrganizationPermissions``."""
    READERS_EMPTY: ClassVar[str]
    """What an empty list says to who may add nothing, in the place of ``Resource.empty``."""

    def learned(self, home: Organization) -> None:
        """Offer to add something only to who may."""
        super().learned(home)
        self.rows.say_instead(self.missing() or self._nothing())

    def _nothing(self) -> str:
        said = super()._nothing()
        if said == self.resource.empty and may_not_add(self) is not None:
            return self.READERS_EMPTY
        return said
