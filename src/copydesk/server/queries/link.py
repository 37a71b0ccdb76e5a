"""Links between the pages and files of a revision, read from the Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.link import BrokenStats, Link, LinkStats
from copydesk.contract.models.parts import ContentReference
from copydesk.domain.documents import links_of
from copydesk.server import content
from copydesk.server.implementation import Call
from copydesk.server.queries.file import revision_files
from copydesk.server.queries.page import PlacedPage, placed_pages

_READ: dict[str, tuple[str, ...]] = {}
"""Where texts lead, by the hash of the text: reading Markdown takes far longer than resolving."""

_MOST_READ = 20_000
_INDEX = re.compile(r"(?:^|(?<=/))(?:README|index)$", re.IGNORECASE)


@dataclass(frozen=True)
class FoundLink:
    """One link: the page that it is on, where it leads, and whether that is there."""

    page_id: str
    kind: str
    target: str
    status: LinkStatus


class LinkReader:
    """Reads the links of one revision; paths are resolved as in the repository it comes from."""

    def __init__(self, call: Call, space_id: str, revision_id: str) -> None:
        self.call = call
        self.space_id = space_id
        self.pages = placed_pages(call, revision_id)
        self._page_paths: dict[str, str] = {}
        for page in self.pages:
            self._page_paths.setdefault(_plain(page.path), page.data.id)
        for page in self.pages:
            if page.data.git_path is not None:
                self._page_paths[_plain(page.data.git_path)] = page.data.id
        files = revision_files(call, revision_id)
        self._file_paths = {file.path: file.id for file in files}
        self._known = {page.data.id for page in self.pages} | {file.id for file in files}

    def all(self) -> list[FoundLink]:
        """Return the links of every page, in reading order."""
        return [link for page in self.pages for link in self.of(page)]

    def of(self, page: PlacedPage) -> list[FoundLink]:
        """Return the links of one page in their order."""
        found = [FoundLink(page.data.id, *target) for target in self._references(page.data.cover)]
        found += [FoundLink(page.data.id, *self.resolve(page, url)) for url in self._urls(page)]
        if page.data.href is not None:
            found.append(FoundLink(page.data.id, *self.resolve(page, page.data.href)))
        return found

    def _urls(self, page: PlacedPage) -> tuple[str, ...]:
        digest = page.data.text
        if digest is None:
            return ()
        if digest not in _READ:
            if len(_READ) >= _MOST_READ:
                _READ.clear()
            _READ[digest] = links_of(content.text(self.call.tx, digest))
        return _READ[digest]

    def model(self, links: list[FoundLink]) -> list[Link]:
        """Return links as the API shows them: one for each target, with the pages they are on."""
        grouped: dict[tuple[str, str, LinkStatus], dict[str, None]] = {}
        for link in links:
            grouped.setdefault((link.kind, link.target, link.status), {})[link.page_id] = None
        return [
            Link(
                status=status,
                relation="reference",
                target_reference=self._reference(kind, target),
                location_references=[self._reference("page", page) for page in pages],
            )
            for (kind, target, status), pages in grouped.items()
        ]

    def _reference(self, kind: str, target: str) -> ContentReference:
        if kind == "url":
            return ContentReference(kind="url", url=target)
        if kind == "file":
            return ContentReference(kind="file", file=target, space=self.space_id)
        return ContentReference(kind="page", page=target, space=self.space_id)

    def _references(self, cover: dict[str, Any] | None) -> Iterator[tuple[str, str, LinkStatus]]:
        for name in ("ref", "refDark"):
            reference = (cover or {}).get(name)
            if isinstance(reference, dict) and reference.get("kind") in ("file", "page"):
                kind = reference["kind"]
                target = str(reference.get(kind, ""))
                here = reference.get("space") in (None, self.space_id)
                yield kind, target, "broken" if here and target not in self._known else "ok"

    def resolve(self, page: PlacedPage, url: str) -> tuple[str, str, LinkStatus]:
        """Return what a link on a page leads to: its kind, the id or URL, and its status."""
        if url.startswith(f"{self.call.base_url}/"):
            return "url", url, "in-app"
        try:
            parts = urlsplit(url)
        except ValueError:
            return "url", url, "broken"
        if parts.scheme or parts.netloc:
            return "url", url, "ok"
        path = unquote(parts.path)
        if not path:
            return "page", page.data.id, "ok"
        own = page.path if page.data.git_path is None else page.data.git_path
        absolute = path.startswith("/")
        joined = posixpath.normpath(
            path.lstrip("/") if absolute else posixpath.join(posixpath.dirname(own), path)
        )
        if joined == ".":
            joined = ""
        if joined in self._file_paths:
            return "file", self._file_paths[joined], "ok"
        target = self._page_paths.get(_plain(joined))
        return ("url", url, "broken") if target is None else ("page", target, "ok")


def stats(links: list[Link], before: list[Link] | None = None) -> LinkStats:
    """Return the numbers of a list of links.

    ``before`` are those of primary content: what is broken now and was not there is a change
    request's doing.
    """
    broken = [link for link in links if link.status == "broken"]
    old = {_key(link) for link in before or () if link.status == "broken"}
    new = 0 if before is None else sum(_key(link) not in old for link in broken)
    return LinkStats(total=len(links), broken=BrokenStats(total=len(broken), change_request=new))


def _key(link: Link) -> object:
    return link.target_reference and link.target_reference.to_json()


def _plain(path: str) -> str:
    """Return a page's path without what links may leave out: extension and index name."""
    stem = re.sub(r"\.(?:md|markdown|html)$", "", path, flags=re.IGNORECASE)
    return _INDEX.sub("", stem).strip("/")
