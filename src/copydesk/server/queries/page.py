"""Pages: the tree of a revision, and one page with its text."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from copydesk.contract.models.base import ContentReference, ShownUrls
from copydesk.contract.models.content import ContentPage, GitObject, PageLayout
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.content import Node, PageData
from copydesk.server.errors import not_found, or_not_found
from copydesk.server.implementation import Call


@dataclass(frozen=True)
class PlacedPage:
    """A page in a revision: what it says, where it stands, and the pages above it from the top."""

    node: Node
    data: PageData
    path: str
    ancestors: tuple[PageData, ...]


def placed_pages(call: Call, revision_id: str) -> list[PlacedPage]:
    """Return every page of a revision in reading order; their texts are not read."""
    tree = content.load(call.tx, revision_id)
    data = content.versions(call.tx, (node.version for node in tree.nodes()))
    found: list[PlacedPage] = []
    stack: list[tuple[Node, str, tuple[PageData, ...]]] = [
        (node, "", ()) for node in reversed(tree.pages)
    ]
    while stack:
        node, prefix, ancestors = stack.pop()
        page = data[node.version]
        path = prefix + page.slug
        found.append(PlacedPage(node, page, path, ancestors))
        stack.extend((child, path + "/", (*ancestors, page)) for child in reversed(node.children))
    return found


def find_page(call: Call, revision_id: str, page_id: str) -> PlacedPage:
    """Return one page of a revision; raises a 404 when it has none with this id.

    Only the page and those above it are read, however many there are.
    """
    way = _way_to(content.load(call.tx, revision_id).pages, page_id)
    if not way:
        raise not_found("page", page_id)
    data = content.versions(call.tx, (node.version for node in way))
    pages = [data[node.version] for node in way]
    path = "/".join(page.slug for page in pages)
    return PlacedPage(way[-1], pages[-1], path, tuple(pages[:-1]))


def find_page_by_path(call: Call, revision_id: str, path: str) -> str:
    """Return the id of the page at a path of slugs; raises a 404 when the revision has none."""
    return or_not_found(page_at(call, revision_id, path), "page", path)


def page_at(call: Call, revision_id: str, path: str) -> str | None:
    """Return the id of the page at a path of slugs, or None; of each level only titles are read."""
    nodes, found = content.load(call.tx, revision_id).pages, ""
    for slug in path.strip("/").split("/"):
        data = content.versions(call.tx, (node.version for node in nodes))
        at = next((node for node in nodes if data[node.version].slug == slug), None)
        if at is None:
            return None
        nodes, found = at.children, at.page
    return found


def _way_to(nodes: Sequence[Node], page_id: str) -> list[Node]:
    """Return the nodes from the top down to a page; none when it is not there."""
    for node in nodes:
        if node.page == page_id:
            return [node]
        if below := _way_to(node.children, page_id):
            return [node, *below]
    return []


def page_tree(
    call: Call,
    part: content.Content,
    above: str = "",
    *,
    location: str,
    screen: str,
    metadata: bool,
) -> list[ContentPage]:
    """Return the pages of a revision, or of a part of one, in their tree, without their texts.

    ``above`` is what their paths begin with, ``location`` the URL of the content that they are
    pages of, ``screen`` that of its screen; without ``metadata`` they do not say which file of a
    repository they come from.
    """
    data = content.versions(call.tx, (node.version for node in part.nodes()))
    times = content.version_times(call.tx, part)

    def build(nodes: Sequence[Node], prefix: str) -> list[ContentPage]:
        return [
            page_model(
                data[node.version],
                path=prefix + data[node.version].slug,
                times=times.get(node.page),
                location=location,
                screen=screen,
                metadata=metadata,
                pages=build(node.children, f"{prefix}{data[node.version].slug}/"),
            )
            for node in nodes
        ]

    return build(part.pages, above)


def page_subtree(
    call: Call, revision_id: str, page_id: str, *, location: str, screen: str, metadata: bool
) -> tuple[ContentPage, PageData]:
    """Return a page of a revision with the pages below it, and what its text is found by.

    Raises a 404 when the revision has no such page.
    """
    placed = find_page(call, revision_id, page_id)
    above = placed.path.removesuffix(placed.data.slug)
    part = content.Content((placed.node,))
    (page,) = page_tree(call, part, above, location=location, screen=screen, metadata=metadata)
    return page, placed.data


def page_screen(screen: str, path: str) -> str:
    """Return the address of the screen of a page, by that of the content that it is in."""
    return f"{screen}/{quote(path)}"


_SHOWN = PageLayout(
    width="default",
    cover=True,
    cover_size="full",
    cover_mask="none",
    title=True,
    description=True,
    table_of_contents=True,
    outline=True,
    pagination=True,
    metadata=True,
    tags=True,
    actions=True,
    anchors=True,
)
"""The layout of a page that has none of its own."""

_DEFAULTS = _SHOWN.to_dict()


def page_layout(page: PageData) -> PageLayout:
    """Return which parts of a page are shown."""
    if not page.layout:
        return _SHOWN
    return PageLayout.model_validate(_DEFAULTS | page.layout)


def page_model(
    page: PageData,
    *,
    path: str,
    screen: str,
    times: tuple[str, str] | None = None,
    location: str | None = None,
    metadata: bool = True,
    pages: Sequence[ContentPage] = (),
) -> ContentPage:
    """Return a page as the API shows it, without its text."""
    git = None
    if metadata and page.git_path is not None:
        # What is in no repository yet goes by the hash of what it says.
        git = GitObject(oid=page.git_oid or page.text, path=page.git_path)
    fields = {
        "id": page.id,
        "title": page.title,
        "emoji": page.emoji,
        "icon": page.icon,
        "created_at": times and times[0],
        "updated_at": times and times[1],
        "type": page.type,
        "urls": ShownUrls(
            location=location and f"{location}/page/{page.id}", app=page_screen(screen, path)
        ),
        "slug": page.slug,
        "path": path,
        "description": page.description,
        "pages": list(pages),
        "git": git,
        "layout": page_layout(page),
        "cover": page.cover,
        "variables": page.variables,
        "hidden": page.hidden,
        "no_index": page.no_index,
        "no_robots_index": page.no_robots_index,
        "meta_links": page.meta_links,
        "condition": page.condition,
        "kind": "sheet" if page.type == "document" else page.type,
        "tags": [],
        "target": page.href and ContentReference(kind="url", url=page.href),
    }
    # A model notes by which fields it was made: of all of them that takes more than the page.
    return ContentPage.model_validate({n: each for n, each in fields.items() if each is not None})
