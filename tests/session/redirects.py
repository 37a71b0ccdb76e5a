"""A site whose paths and redirects are told, and the service that is asked for them."""

from __future__ import annotations

from typing import Any, cast

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract.models.content import PageTree
from copydesk.contract.models.redirect import FoundRedirect, SiteRedirect
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.session.reads.redirects import SitePaths
from copydesk.session.site_rows import SiteRow

SITE = SiteRow("site", "Docs", "public", True, 3, "https://docs.test", "", False, "", None)
NODES = (
    SiteNode("home", "section", "Home", default=True, path="home"),
    SiteNode("guides", "section", "Guides", path="guides"),
    SiteNode("en", "site-space", "English", "guides", path="en", default=True, space="s-en"),
    SiteNode("fr", "site-space", "French", "guides", path="fr", space="s-fr"),
    SiteNode("start", "site-space", "Start", "home", path="start", space="s-start"),
    SiteNode("alone", "site-space", "Alone", path="alone", space="s-alone"),
    SiteNode(
        "moved", "site-space", "Moved", path="x", address="https://docs.test/there", space="m"
    ),
    SiteNode("away", "site-space", "Away", path="away", address="https://other.test/a"),
    SiteNode("old", "site-space", "Old", path="old", space="s-old", trashed=True),
    SiteNode("shut", "site-space", "Shut", path="shut", space="s-shut"),
    SiteNode("link", "link", "Link"),
)


class Service:
    """What is asked while paths are told."""

    def __init__(self, **redirects: str) -> None:
        self.asked: list[str] = []
        self.redirects = {f"/{name}": target for name, target in redirects.items()}

    async def __call__(self, operation: Any, *ids: str, **query: Any) -> Any:
        if operation.name == "get_site_redirect":
            if (target := self.redirects.get(query["source"])) is None:
                raise NotFound("There is none.", status=404)
            given = {"id": "r", "source": query["source"], "destination": {"kind": "external"}}
            redirect = SiteRedirect.model_validate(given)
            return FoundRedirect.model_construct(redirect=redirect, target=target)
        self.asked.append(ids[0])
        if ids[0] == "s-shut":
            raise Forbidden("No.", status=403)
        page = {"object": "page", "id": "p", "title": "Page\x07", "slug": "p", "path": "a/p",
                "type": "document", "pages": []}  # fmt: skip
        return PageTree.model_validate({"pages": [page]})


def paths(service: Service | None = None, *more: SiteNode) -> SitePaths:
    nodes = {node.id: node for node in (*NODES, *more)}
    return SitePaths(cast("Api", service or Service()), SITE, Structure(nodes, {}))
