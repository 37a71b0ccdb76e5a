"""Pages and links as rows of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from copydesk.domain.address import shown_at, web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import JSON
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.base import ContentReference
    from copydesk.contract.models.content import ContentPage
    from copydesk.contract.models.link import Link


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page of a tree; texts are clean.

    ``above`` are the titles of the pages above it, outermost first; ``target`` is the destination
    of a page of type link.
    """

    id: str
    title: str
    type: str = "document"
    path: str = ""
    emoji: str = ""
    icon: str = ""
    hidden: bool = False
    description: str = ""
    updated: str = ""
    url: str = ""
    target: str = ""
    tags: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    children: tuple[PageRow, ...] = field(default=(), repr=False)

    @property
    def readable(self) -> bool:
        """Whether it has a text of its own."""
        return self.type not in ("group", "link")

    @property
    def where(self) -> str:
        """Its path of titles: "Reference / Webhooks / Retries"."""
        return " / ".join((*self.above, self.title))


def with_facts(page: PageRow, markdown: str) -> str:
    """Return the text of a page below its front matter, where it has settings that tell more of it
    than its place in the tree; a service may have put them there itself.
    """
    told: dict[str, JSON] = {
        "description": page.description, "icon": page.icon, "hidden": page.hidden,
    }  # fmt: skip
    if not any(told.values()) and not page.tags:
        return markdown
    from copydesk.domain.page_source import page_source
    from copydesk.domain.yaml_lines import word

    slug = [f"slug: {word(f'/{page.path}')}"]
    if page.tags:
        slug.append(f"tags: {word(', '.join(page.tags))}")
    return page_source({"title": page.title, **told}, markdown, {"slug": slug})


def page_rows(pages: Sequence[ContentPage]) -> tuple[PageRow, ...]:
    """Return a page tree as rows. A page with an id seen before is left out: one id, one page.

    The JSON parser bounds the depth of a tree, so recursion is safe.
    """
    return _rows(pages, (), set())


def _rows(
    pages: Sequence[ContentPage], above: tuple[str, ...], seen: set[str]
) -> tuple[PageRow, ...]:
    found = []
    for page in pages:
        if page.id in seen:
            continue
        seen.add(page.id)
        title = clean(page.title).strip() or clean(page.slug) or "Untitled"
        found.append(
            PageRow(
                id=page.id,
                title=title,
                type=clean(page.type),
                path=clean(page.path),
                emoji=clean(page.emoji or ""),
                icon=clean(page.icon or ""),
                hidden=page.hidden is True,
                description=clean(page.description or ""),
                updated=page.updated_at.isoformat() if page.updated_at else "",
                url=shown_at(page.urls.app, page.urls.published, page.urls.public),
                target=reference(page.target) if page.target is not None else "",
                tags=tag_names(page),
                above=above,
                children=_rows(page.pages, (*above, title), seen),
            )
        )
    return tuple(found)


def tag_names(page: ContentPage) -> tuple[str, ...]:
    """Return the names of the tags of a page, clean."""
    found = (each.tag for each in page.tags or ())
    names = (each.called("tag") or str((each.model_extra or {}).get("tag") or "") for each in found)
    return tuple(filter(None, (clean(name).strip() for name in names)))


def reference(target: ContentReference, titles: Mapping[str, str] | None = None) -> str:
    """Return the destination of a reference; ``titles`` maps ids of pages to titles."""
    if target.url:
        return clean(target.url)
    if target.page:
        title = (titles or {}).get(target.page) or clean(target.called("page")).strip()
        return title or f"page {clean(target.page)}"
    for kind in ("file", "space", "spec"):
        if value := getattr(target, kind):
            return f"{kind} {clean(target.called(kind)).strip() or clean(value)}"
    name = clean(target.called(target.kind)).strip()
    return f"{clean(target.kind)} {name}".strip()


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link of a page. ``page`` is the id of its destination in this space, if it has one."""

    id: str
    text: str
    kind: str
    broken: bool
    page: str = ""
    url: str = ""


def link_rows(links: Sequence[Link], space: str, titles: Mapping[str, str]) -> list[LinkRow]:
    """Return the links of a page, broken ones first."""
    found = []
    for at, link in enumerate(links):
        if (target := link.target) is not None:
            here = target.page and target.space in (None, space) and target.page in titles
            found.append(
                LinkRow(
                    id=str(at),
                    text=reference(target, titles),
                    kind=clean(target.kind),
                    broken=link.status != "ok",
                    page=target.page or "" if here else "",
                    url=web_address(target.url),
                )
            )
    return sorted(found, key=lambda row: not row.broken)
