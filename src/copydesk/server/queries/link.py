"""Links between the pages and files of a revision, read from the Markdown."""

from __future__ import annotations

import mimetypes
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import ContentReference
from copydesk.contract.models.link import BrokenStats, Link, LinkStats
from copydesk.domain.documents import links_of
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.implementation import Call
from copydesk.server.queries.page import PlacedPage, placed_pages
from copydesk.server.source_content import page_files, source_of
from copydesk.server.sources.navigation import short_name
from copydesk.server.sources.paths import is_markdown, is_page_of_next
from copydesk.server.store import Tx

_READ: dict[str, tuple[str, ...]] = {}
"""Where texts lead, by the hash of the text: reading Markdown takes far longer than resolving."""

_MOST_READ = 20_000
_INDEX = re.compile(r"(?:^|(?<=/))(?:README|_?index)$", re.IGNORECASE)


def remember_links(found: Mapping[str, tuple[str, ...]]) -> None:
    """Take over where texts lead, by their hashes, from who has it from before."""
    if len(_READ) + len(found) > _MOST_READ:
        _READ.clear()
    _READ.update(found)


_ENDING = re.compile(r"\.(?:mdx?|markdown|[qr]md|html)$", re.IGNORECASE)

_STATIC = re.compile(r"(?:.*?/)?(?:static|public)/")
"""Where sites have what they publish as it is, at the top of their addresses."""

_LANGUAGE = re.compile(r"(?:^|/)src/content/docs/[^/]+$")
"""The folder of a language of Starlight, which shows what is not translated in another one."""

_NAMED = re.compile(r"""^(?:id|slug|permalink):[ ]*["']?([^"'\s#]+)""", re.MULTILINE)
"""What front matter says of a page's address."""

_MADE = re.compile(r"\{\{|\{%|^\[\[|^\(\(")
"""What a site makes an address of: templates (Liquid, Hugo), names of pages and blocks (wikis)."""

_TYPES = mimetypes.MimeTypes()
"""The kinds of files, by their endings."""

_DATED = re.compile(r"(?:^|(?<=/))(\d{4})-(\d\d)-(\d\d)-(?=[^/]+$)")
"""How the names of posts of a blog begin, whose addresses have a folder for each number."""

_BY_ID = {"pages": "page", "files": "file"}
"""What an address that is made of an id leads to, by its first part."""

ID_STARTS = tuple(f"/{start}/" for start in _BY_ID)
"""How addresses begin that are made of an id."""

_TARGET = re.compile(
    r"""(\]\(<?|^ {0,3}\[(?!\^)[^\]\n]+\]:[ ]?<?|\b(?:href|src|url)=["'])([^\s)>"'#]+)""",
    re.MULTILINE,
)

_QUOTED = re.compile(r"""[\s%()<>\[\]\\?#:"'`\x00-\x1f\x7f]""")
"""What would end the path of a link, or be read as something else in it."""


def with_targets(text: str, targets: Mapping[str, str]) -> str:
    """Return a Markdown text whose links lead elsewhere: by where they led, anchors aside."""
    if not targets:
        return text
    return _TARGET.sub(lambda match: match[1] + targets.get(match[2], match[2]), text)


Target: TypeAlias = tuple[str, str]
"""What a link leads to in its revision: "page" or "file", and the id."""


class LinkPlaces:
    """Where the pages and files of some content are for links, which lead to files by path.

    A page that is in no repository yet is where an export puts it; links that count from its
    address are understood too. Later changes of the draft are not seen.
    """

    def __init__(self, tx: Tx, space_id: str, draft: Draft) -> None:
        self._paths = content.paths(draft)
        self._page_files = page_files(tx, space_id, draft)
        self._pages = {path: page for page, path in self._page_files.items()}
        self._plain: dict[str, str] = {}
        for page, path in self._paths.items():
            self._plain.setdefault(_plain(path), page)
        files = [file for file in draft.files.values() if file.kind == "file"]
        self._files = {file.path: file.id for file in files}
        self._file_paths = {file.id: file.path for file in files}
        self._fixed = {page.id for page in draft.pages.values() if page.git_path is not None}
        for page in sorted(self._page_files, key=self._fixed.__contains__):
            self._plain[_plain(self._page_files[page])] = page
        source = source_of(tx.row("space", space_id))
        self._site = bool(source) and not source.get("summary")
        self._folder: str = source.get("folder", "")
        self._made = tuple(f"{each}/" for each in source.get("made", ()))
        self._all_files = tuple(file.path for file in draft.files.values())
        if self._site:
            self._name_pages(draft)
        self.known = self._paths.keys() | self._file_paths.keys()
        self.targets: set[Target] = {("page", page) for page in self._paths}
        self.targets |= {("file", file) for file in self._file_paths}

    @cached_property
    def _there(self) -> set[str]:
        """What is in the repository and no page: files of any kind, and folders of a site."""
        others = {path for path in self._all_files if not is_markdown(path)}
        if self._site:  # which publishes pages that are in no table of contents, too
            others |= {
                folder
                for path in self._all_files
                for folder in map(str, PurePosixPath(path).parents)
            }
            others |= set(map(_plain, self._all_files))
        return others

    def file_of(self, target: Target) -> str | None:
        """Return the path of a file, or of a page's exported file; None without one."""
        kind, key = target
        return (self._page_files if kind == "page" else self._file_paths).get(key)

    def find(self, page: str, path: str) -> Target | None:
        """Return what a path in a link on a page leads to, and None for nothing."""
        path = _meant(path)
        if not path:
            return "page", page
        places = self._candidates(page, path)
        for joined in places:
            if joined in self._files:
                return "file", self._files[joined]
            target = self._pages.get(joined) or self._plain.get(_plain(joined))
            if target is not None:
                return "page", target
            kind, _, key = joined.partition("/")
            if kind in _BY_ID and key in self.known:
                return _BY_ID[kind], key
        alike = (self._folded.get(_plain(place).casefold()) for place in places)
        if (named := next(filter(None, alike), None)) is not None:
            return named
        # Nobody says which folder of the repository its site is made of.
        whole = self._site and not self._folder
        return self._below(page, path) if whole and path.startswith("/") else None

    @cached_property
    def _folded(self) -> dict[str, Target]:
        """What is where but for capitals, which DocFX does not tell apart."""
        if not any(posixpath.basename(path) == "docfx.json" for path in self._all_files):
            return {}
        found: dict[str, Target] = {
            path.casefold(): ("file", key) for path, key in self._files.items()
        }
        return found | {path.casefold(): ("page", key) for path, key in self._plain.items()}

    def _below(self, page: str, path: str) -> Target | None:
        """Return what an address from the top of a site leads to, in whichever folder that is.

        Of several it is the one that is the least deep, then the one nearest to the page.
        """
        file = posixpath.normpath(path)
        plain = f"/{_plain(path)}"
        named = self._by_name.get(posixpath.basename(file), ())
        found = [("file", each) for each in named if each.endswith(file) and each in self._files]
        named = self._by_name.get(posixpath.basename(plain), ())
        found += [("page", each) for each in named if each.endswith(plain) and each in self._plain]
        own = self._page_files.get(page, "")
        best = min(
            found,
            key=lambda each: (each[1].count("/"), -len(posixpath.commonprefix((own, each[1])))),
            default=None,
        )
        if best is None:
            return None
        kind, place = best
        return kind, (self._files if kind == "file" else self._plain)[place]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The places of pages and files by the last part of each."""
        found: dict[str, list[str]] = {}
        for place in (*self._plain, *self._files):
            found.setdefault(posixpath.basename(place), []).append(place)
        return found

    def _is_under_another_top(self, path: str) -> bool:
        """Whether a page has the end of an address: the start may name the site or a version."""
        parts = _plain(path).split("/")
        ends = ("/".join(parts[start:]) for start in range(1, len(parts) - 1))
        named = self._by_name.get(parts[-1], ())
        return any(f"/{place}".endswith(f"/{end}") for end in ends for place in named)

    def is_elsewhere(self, page: str, path: str) -> bool:
        """Whether a path that leads to no page leads to what is there all the same.

        That is a file that is no picture, a folder, a page of no file, or another part of a
        site that has the space in a folder: its blog, say.
        """
        path = _meant(path)
        places = self._candidates(page, path)
        if any(each in self._there or _plain(each) in self._there for each in places):
            return True
        if _MADE.search(path) or f"{path.strip('/')}/".startswith(self._made):  # the site makes it
            return True
        if not (self._site and path.startswith("/")):
            return False
        if not self._folder and self._is_under_another_top(path):
            return True
        first = path.strip("/").partition("/")[0]
        # What this machine knows of endings besides is nothing to what an address means.
        is_file = _TYPES.guess_type(path)[0] not in (None, "text/html")
        return not is_file and first not in self._own_parts

    @cached_property
    def _own_parts(self) -> set[str]:
        """How addresses begin that lead into the space, if anywhere: with its own folders."""
        if _LANGUAGE.search(self._folder):
            return set()
        if not self._folder:
            return {part for path in self._plain for part in path.split("/")}
        start = f"{self._folder}/"
        below = (path.removeprefix(start) for path in self._plain if path.startswith(start))
        return {posixpath.basename(self._folder), *(each.partition("/")[0] for each in below)}

    def _candidates(self, page: str, path: str) -> list[str]:
        """Return what a path may mean: from the file of the page, or as the site publishes it."""
        own = [self._page_files.get(page), None if page in self._fixed else self._paths[page]]
        starts = [start for start in own if start is not None]
        if path.startswith("/"):
            folders = ["", *self._tops]
        else:
            folders = [posixpath.dirname(start) for start in starts]
            if self._site:
                plain = [_plain(start) for start in starts]
                folders += [*plain, *map(posixpath.dirname, plain), self._folder]
        places = dict.fromkeys(
            posixpath.normpath(posixpath.join(folder, path.lstrip("/"))) for folder in folders
        )
        return ["" if place == "." else place for place in places]

    def _name_pages(self, draft: Draft) -> None:
        """Take in how a site names pages in addresses."""
        for page in draft.pages.values():
            if page.git_path is None:
                continue
            folder = posixpath.dirname(page.git_path)
            short = _plain(short_name(page.git_path))
            dated = _DATED.sub(r"\1/\2/\3/", _plain(page.git_path))
            shown = (part.removeprefix("_") for part in dated.split("/"))  # the folders of Jekyll
            for name in (short, dated, "/".join(shown)):
                self._plain.setdefault(name, page.id)
            for found in _NAMED.finditer(page.front_matter or ""):
                for start in (self._folder, folder):
                    named = posixpath.join(start, found[1].strip("/"))
                    self._plain.setdefault(_plain(named), page.id)

    @cached_property
    def _tops(self) -> list[str]:
        """The folders that an address from the top of a site may count from."""
        tops = [self._folder, posixpath.dirname(self._folder)] if self._site else []
        static = {top[0].rstrip("/") for path in self._files if (top := _STATIC.match(path))}
        for each in sorted(static, key=len):
            tops += [each, posixpath.dirname(each)]
        return tops

    def link_to(self, page: str, target: Target) -> str | None:
        """Return the path from the file of a page to a target; None when one has no file."""
        own, path = self._page_files.get(page), self.file_of(target)
        if own is None or path is None:
            return None
        relative = posixpath.relpath(path, posixpath.dirname(own) or ".")
        return _QUOTED.sub(lambda found: quote(found[0]), relative)


def target_by_id(path: str) -> Target | None:
    """Return what an address that is made of an id leads to: ``/pages/ID`` or ``/files/ID``."""
    start, _, key = path.removeprefix("/").partition("/")
    return (_BY_ID[start], key) if path.startswith("/") and start in _BY_ID else None


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
        draft = content.open_draft(call.tx, content.load(call.tx, revision_id))
        self._places = LinkPlaces(call.tx, space_id, draft)

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
            remember_links({digest: links_of(content.text(self.call.tx, digest))})
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
                yield kind, target, "broken" if here and target not in self._places.known else "ok"

    def by_ids(self, page_id: str, text: str) -> str:
        """Return a page's Markdown with links to what the revision has by its ids."""
        page = next(page for page in self.pages if page.data.id == page_id)
        places = {kind: place for place, kind in _BY_ID.items()}
        targets: dict[str, str] = {}
        for url in links_of(text):
            kind, key, status = self.resolve(page, url)
            if kind in places and status == "ok":
                targets[url.partition("#")[0]] = f"/{places[kind]}/{key}"
        return with_targets(text, targets)

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
        found = self._places.find(page.data.id, parts.path)
        if found is not None:
            return (*found, "ok")
        there = self._places.is_elsewhere(page.data.id, parts.path)
        return "url", url, "ok" if there else "broken"


def stats(links: list[Link], before: list[Link] | None = None) -> LinkStats:
    """Return the numbers of a list of links.

    ``before`` are those of primary content: a link that is broken now and not there was broken by
    the change request.
    """
    broken = [link for link in links if link.status == "broken"]
    old = {_key(link) for link in before or () if link.status == "broken"}
    new = 0 if before is None else sum(_key(link) not in old for link in broken)
    return LinkStats(total=len(links), broken=BrokenStats(total=len(broken), change_request=new))


def _key(link: Link) -> object:
    return link.target and link.target.to_json()


def _meant(path: str) -> str:
    """Return the path that is written in a link; Docusaurus and DocFX have a sign for the top."""
    return re.sub(r"^(?:@site|~)(?=/)", "", unquote(path))


def _plain(path: str) -> str:
    """Return a page's path without what links may leave out: extension and index name."""
    if is_page_of_next(path):
        path = posixpath.dirname(path)
    return _INDEX.sub("", _ENDING.sub("", path)).strip("/")
