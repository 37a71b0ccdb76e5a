"""The structure of a site in one answer: sections, groups of them, and links to elsewhere."""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, StringConstraints, Tag

from copydesk.contract.models.base import Body, FewByName, Icon, Open, Resource, Shape, WebAddress
from copydesk.contract.models.position import StructurePointer, StructurePosition
from copydesk.contract.models.site_section import SectionDescription, SectionTitle, SiteSection
from copydesk.contract.models.site_space import Condition, SiteSpace

GroupTitle: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=100)]
"""1 to 100 characters."""

LocalizedTitle: TypeAlias = FewByName[Annotated[str, StringConstraints(max_length=128)]]
"""A title by language, each at most 128 characters."""

LocalizedDescription: TypeAlias = FewByName[Annotated[str, StringConstraints(max_length=256)]]
"""A description by language, each at most 256 characters."""


class SiteExternalLink(Resource):
    """An entry of a site's navigation that leads elsewhere. Readers do not get a draft."""

    object: Open[Literal["site-external-link"]] = "site-external-link"
    id: str
    title: str = ""
    localized_title: dict[str, str] | None = None
    description: str | None = None
    localized_description: dict[str, str] | None = None
    icon: str | None = None
    url: str = ""
    section_group: str | None = None
    draft: bool = False
    condition: str | None = None


class SiteSectionGroup(Resource):
    """Sections, links and other groups under one title; ``sections`` are the sections among them.

    ``section_group`` is the group that it is in itself.
    """

    object: Open[Literal["site-section-group"]] = "site-section-group"
    id: str
    title: str = ""
    localized_title: dict[str, str] | None = None
    sections: list[SiteSection] = []
    section_group: str | None = None
    draft: bool = False
    children: list["StructureItem"] = []
    icon: str | None = None


class OtherItem(Resource):
    """An entry of a kind unknown to this version."""

    object: Annotated[str, Field(json_schema_extra={"not": {"enum": [
        "site-section", "site-section-group", "site-external-link", "site-space",
    ]}})]  # fmt: skip
    id: str


def _kind(item: Any) -> str:
    """Return which of the kinds known to this version an entry is of."""
    kind = item.get("object") if isinstance(item, dict) else getattr(item, "object", None)
    known = ("site-section", "site-section-group", "site-external-link", "site-space")
    return kind if kind in known else "other"


StructureItem: TypeAlias = Annotated[
    Annotated[SiteSection, Tag("site-section")]
    | Annotated[SiteSectionGroup, Tag("site-section-group")]
    | Annotated[SiteExternalLink, Tag("site-external-link")]
    | Annotated[SiteSpace, Tag("site-space")]
    | Annotated[OtherItem, Tag("other")],
    Discriminator(_kind),
]
"""An entry of a structure."""


class SiteStructure(Shape):
    """The entries of a site in order: its top level where it has sections, else its site spaces."""

    type: Open[Literal["sections", "siteSpaces"]]
    structure: list[StructureItem] = []

    def rows(self) -> list[dict[str, Any]]:
        """Return its entries in order as JSON, each followed by its children.

        ``children`` and ``sections`` of groups are left out: what is in a group names it as its
        ``sectionGroup``.
        """
        found: list[dict[str, Any]] = []
        waiting: list[tuple[StructureItem, str | None]] = [
            (item, None) for item in reversed(self.structure)
        ]
        while waiting:
            item, group = waiting.pop()
            row = item.to_dict()
            if group is not None:
                row["sectionGroup"] = group
            if isinstance(item, SiteSectionGroup):
                waiting += [(each, item.id) for each in reversed(item.children)]
                row.pop("children", None)
                row.pop("sections", None)
            found.append(row)
        return found


class SectionGroupCreate(Body):
    """A new group, with sections that the site has."""

    nullable: ClassVar[tuple[str, ...]] = ("icon",)

    title: GroupTitle
    icon: Icon | None = None
    sections: list[str] | None = None
    parent: str | None = None
    draft: bool | None = None


class SectionGroupUpdate(Body):
    """Changes of a group; a ``parent_section_group_id`` of None puts it to the top."""

    nullable: ClassVar[tuple[str, ...]] = ("icon", "parent_section_group_id")

    title: GroupTitle | None = None
    localized_title: LocalizedTitle | None = None
    icon: Icon | None = None
    draft: bool | None = None
    parent_section_group_id: str | None = None


class ExternalLinkCreate(Body):
    """A new link; ``parent`` is the group that it goes into."""

    nullable: ClassVar[tuple[str, ...]] = (
        "description", "localized_description", "icon", "condition",
    )  # fmt: skip

    title: SectionTitle
    localized_title: LocalizedTitle | None = None
    description: SectionDescription | None = None
    localized_description: LocalizedDescription | None = None
    icon: Icon | None = None
    url: WebAddress
    parent: str | None = None
    draft: bool | None = None
    condition: Condition | None = None


class ExternalLinkUpdate(Body):
    """Changes of a link; a ``parent`` of None puts it to the top."""

    nullable: ClassVar[tuple[str, ...]] = (
        "localized_title", "description", "localized_description", "icon", "parent", "condition",
    )  # fmt: skip

    title: SectionTitle | None = None
    localized_title: LocalizedTitle | None = None
    description: SectionDescription | None = None
    localized_description: LocalizedDescription | None = None
    icon: Icon | None = None
    url: WebAddress | None = None
    parent: str | None = None
    draft: bool | None = None
    condition: Condition | None = None


class SiteSpaceDuplicate(Body):
    """How a copy of a site space is made: as a draft, which readers do not get, or not."""

    draft: bool = False


class StructureSort(Body):
    """Where an entry of a structure goes."""

    item: StructurePointer
    position: StructurePosition
