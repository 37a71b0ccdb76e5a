"""Making spaces of a repository's files: one for each folder with a ``SUMMARY.md``.

The rules:

- A folder with a ``SUMMARY.md``, or the root that a ``.gitbook.yaml`` names, is a space. Below it,
  another such folder is a space of its own, unless the outer summary lists pages in it.
- A file is of the space around it. One outside every space is of a space whose summary lists it, or
  else of the space that it was moved out of: so what a branch moves is not lost with it.
- Where there is no summary, the tables of contents of other systems (``navigation``) are
  read, and the folders that a site's ``docs.yaml`` names are spaces. So are the folders that
  Nextra puts in order, and without all these those of Hugo's pages, one for each language.
- Without any of these the top folder is one space whose tree follows the folders, in the order
  that front matter tells (Docusaurus, Hugo, Jekyll, VuePress), or that numbers in names do.
- Markdown that no summary line names is no page; it is kept as an unlisted file, for writing it
  back.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from urllib.parse import unquote

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural
from copydesk.server.sources.config import CONFIG, SUMMARY, Config, read_config, usual
from copydesk.server.sources.document import Document, read_document
from copydesk.server.sources.identity import Keys
from copydesk.server.sources.items import Item, Navigation, inherited
from copydesk.server.sources.mapping import BadYamlError, decoded
from copydesk.server.sources.mintlify import read_more
from copydesk.server.sources.model import (
    Blob,
    FileRole,
    Files,
    Problem,
    SourceFile,
    SourcePage,
    SourceSpace,
)
from copydesk.server.sources.navigation import (
    CATEGORIES,
    HUGO,
    SIDEBARS,
    has_table,
    order_of,
    read_category,
    read_navigations,
    short_name,
    sidebar_folders,
    unnumbered,
)
from copydesk.server.sources.nextra import GLOBALS, METAS, Place, nextra_spaces, read_places
from copydesk.server.sources.paths import (
    folder_of,
    inside,
    introduces,
    is_markdown,
    is_readme,
    join,
    last_part,
    other_markup,
    slugify,
    stem_of,
)
from copydesk.server.sources.summary import Entry, Summary, parse_summary, plain_address, tidy

_STATIC = ("static", "public", "src/assets")
"""Where a site has what it publishes beside its pages, as seen from its configuration."""

_ENDINGS = (
    "",
    ".mdx",
    ".md",
    "/index.mdx",
    "/index.md",
    "/README.md",
    "/index.qmd",
    ".ipynb",
    ".rst",
)
"""What tables leave out of the name of a page's file."""

_FIRST = re.compile(r"(?<![^/])index$")
"""How tables call the first page of a folder, whose file may have another name."""

_NOT_ALLOWED = "is an address that is not allowed"
_SAYS_NOTHING = frozenset({"introduction", "overview", "readme", "welcome", "home", "about"})
"""First headings that name a page and not a space."""


class LayoutReader:
    """Reads many states of one repository, each file's text once.

    ``name`` is what it is called, for a space whose first page does not tell.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.titles: dict[tuple[str, str, str | None], str] = {}
        """What pages are called where no table says so, by their text, path and place."""
        self.files: dict[tuple[object, ...], SourceFile] = {}
        """Those that are no pages, by all they are: most are the same from state to state."""
        self._documents: dict[str, Document] = {}
        self._configs: dict[tuple[str, str], Config] = {}
        self._navigations: dict[tuple[str, str], list[Navigation] | str] = {}

    def read(
        self, files: Files, keys: Keys | None = None, roots: Collection[str] | None = None
    ) -> list[SourceSpace]:
        """Return the spaces of one state, its files by path; none when it holds no Markdown.

        ``keys`` are identities of files from other states, ``roots`` the folders that may be
        spaces; None is all.
        """
        configs = [c for c in self._spaces(files) if roots is None or c.root in roots]
        keys = keys or {}
        owned: dict[str, list[str]] = {config.root: [] for config in configs}
        homeless: set[str] = set()
        for path in sorted(files):
            root = innermost(path, owned)
            if root is None:
                homeless.add(path)
                root = innermost(keys.get(path, path), owned)
            if root is not None:
                owned[root].append(path)
        for config in configs:
            published = _published(config)
            owned[config.root] += sorted(path for path in homeless if path.startswith(published))
        spaces: list[SourceSpace] = []
        for config in configs:
            paths = owned[config.root]
            beside = [path for path in config.sources if path in files and path not in paths]
            paths = [*beside, *paths]
            spaces.append(_SpaceReader(self, files, keys, config, paths, homeless).read())
        listed = {p.source_path for space in spaces for p in space.walk()} & homeless
        if not listed:
            return spaces
        return [
            replace(space, files=tuple(file for file in space.files if file.path not in listed))
            for space in spaces
        ]

    def roots(self, files: Files) -> list[str]:
        """Return the folders that are spaces in one state."""
        return [config.root for config in self._spaces(files)]

    def document(self, files: Files, path: str) -> Document:
        """Return the Markdown file at a path."""
        blob = files.get(path)
        if blob is None:
            return Document(refusal="names a file that does not exist")
        if blob.kind != "file":
            return read_document(blob)
        if (markup := other_markup(path)) is not None:
            return Document(refusal=f"is {markup}, which is not read")
        try:
            if blob.oid not in self._documents:
                self._documents[blob.oid] = read_document(blob)
        except OSError as error:
            return Document(refusal=f"cannot be read: {error.strerror or error}")
        return self._documents[blob.oid]

    def _spaces(self, files: Files) -> list[Config]:
        """Return where the spaces are, by folder."""
        found: dict[str, Config] = {}
        for path in sorted(path for path in files if last_part(path) == CONFIG):
            if files[path].kind == "file":
                config = self._config(path, files[path])
                found.setdefault(config.root, config)
        summaries = {config.summary for config in found.values()}
        for path in files:
            if last_part(path) == SUMMARY and path not in summaries:
                found.setdefault(folder_of(path), usual(folder_of(path)))
        listed = {root: config for root, config in found.items() if config.summary in files}
        unused: list[Problem] = []
        for each in self._tables(files, listed, unused):
            self._use(each, files, listed, unused)
        if unused and listed:
            first = min(listed)
            problems = (*listed[first].problems, *unused)
            listed[first] = replace(listed[first], problems=problems)
        if not listed:
            markdown = [path for path in files if is_markdown(path)]
            top = found.get("") or next(iter(found.values()), usual(""))
            top = replace(top, problems=(*top.problems, *unused))
            return [top] if any(inside(path, top.root) for path in markdown) else []
        return self._outermost(files, listed)

    def _tables(
        self, files: Files, listed: Mapping[str, Config], unused: list[Problem]
    ) -> Iterator[Navigation]:
        """Yield what other tables of contents say; what is not ``listed`` then is ``unused``.

        Hugo's go last, and where the spaces are its own: other tables say more.
        """
        yield from nextra_spaces(files)
        named = sorted(filter(has_table, files))
        for path in sorted(named, key=lambda path: last_part(path) in HUGO):
            blob = files[path]
            if blob.kind != "file":
                continue
            tables = self._table(path, blob)
            folders = [each for each in sidebar_folders(path) if _has_markdown(files, each)]
            if isinstance(tables, str):
                said = f"was read as a table of contents, but it {tables}"
                if folders:
                    folder = folders[0]
                    yield Navigation(path, folder, named=last_part(path) in SIDEBARS)
                    if folder in listed and listed[folder].path == path:
                        said += "; the tree follows the folders" + (folder and f" in {folder}")
                    elif any(each.path == path for each in unused):
                        continue
                unused.append(Problem(path, said))
            elif last_part(path) not in HUGO or {
                root
                for root, each in listed.items()
                if each.navigation is None or not each.navigation.hugo
            } <= {each.folder for each in tables}:
                for each in tables:
                    table = self._with_inherited(files, each)
                    yield replace(table, folder=folders[0]) if folders and table.named else table

    def _with_inherited(self, files: Files, table: Navigation) -> Navigation:
        """Return a table with what the one says that it inherits from, if that can be read."""
        path = table.inherits or ""
        above = files.get(path)
        others = None if above is None else self._table(path, above)
        return inherited(table, others[0]) if isinstance(others, list) and others else table

    def _table(self, path: str, blob: Blob) -> list[Navigation] | str:
        """Return what a table of contents says, or why it cannot be used."""
        known = (path, blob.oid)
        if known not in self._navigations:
            try:
                self._navigations[known] = read_navigations(path, blob.read())
            except BadYamlError as error:
                where = "" if error.line is None else f" (line {error.line})"
                self._navigations[known] = f"{error.reason}{where}"
            except OSError as error:
                self._navigations[known] = f"cannot be read: {error.strerror or error}"
        return self._navigations[known]

    def _use(
        self, table: Navigation, files: Files, listed: dict[str, Config], unused: list[Problem]
    ) -> None:
        """Make a space of what a table is about, unless a summary says more."""
        own = listed.get(table.folder)
        if not _has_markdown(files, table.folder):
            if table.hugo:
                return
            unused.append(
                Problem(table.path, f"names the folder “{table.folder}”, which has no Markdown")
            )
            return
        if own is not None and table.items is None and (own.title is None or table.hugo):
            listed[table.folder] = replace(
                own,
                title=own.title or table.title,
                navigation=own.navigation or (table if table.hugo else None),
            )
            return
        near = [
            config
            for root, config in listed.items()
            if (inside(root, table.folder) or inside(table.folder, root) or root == table.folder)
            and config.path != table.path
        ]
        if near and (table.items is not None or own is not None):
            other = near[0].summary if near[0].navigation is None else near[0].path
            unused.append(Problem(table.path, f"was not used: {other} is the table of contents"))
            return
        if near and table.folder == "":
            return
        listed[table.folder] = replace(
            usual(table.folder), path=table.path, navigation=table, title=table.title
        )

    def _config(self, path: str, blob: Blob) -> Config:
        try:
            known = (path, blob.oid)
            if known not in self._configs:
                self._configs[known] = read_config(path, blob)
            return self._configs[known]
        except OSError as error:
            problem = Problem(path, f"cannot be read: {error.strerror or error}")
            return replace(usual(folder_of(path)), path=path, problems=(problem,))

    def _outermost(self, files: Files, found: Mapping[str, Config]) -> list[Config]:
        """Drop folders that an outer summary lists pages of: their own summary is a leftover."""
        if len(found) == 1:
            return list(found.values())
        kept: list[Config] = []
        taken: set[str] = set()
        for root in sorted(found, key=lambda root: (len(root), root)):
            if any(inside(path, root) and path != root for path in taken if root):
                continue
            config = found[root]
            kept.append(config)
            if config.summary not in files:
                continue
            try:
                summary = parse_summary(
                    files[config.summary].read(), config.summary, unusable=lambda _: None
                )
            except OSError:
                continue
            listed = (entry.path for _, entry in summary.walk() if entry.path)
            taken |= {path for path in listed if inside(path, root)}
        return sorted(kept, key=lambda config: config.root)


def _published(config: Config) -> tuple[str, ...]:
    """Return where a site has what it publishes beside its pages, where they are of a site."""
    if config.navigation is None or config.path is None:
        return ()
    sites = {folder_of(config.path), re.sub(r"(?:^|/)src$", "", folder_of(config.root))}
    return tuple(f"{join(site, each)}/" for site in sites for each in _STATIC)


def innermost(path: str, roots: Collection[str]) -> str | None:
    """Return the deepest of some folders that a path is in, or None."""
    return max((root for root in roots if inside(path, root)), key=len, default=None)


def _has_markdown(files: Iterable[str], folder: str) -> bool:
    return any(is_markdown(path) and inside(path, folder) for path in files)


@dataclass(slots=True)
class _SpaceReader:
    """Reads one space of one state.

    ``paths`` are its files, ``homeless`` those outside every space, which its summary may list.
    """

    reader: LayoutReader
    files: Files
    keys: Keys
    config: Config
    paths: list[str]
    homeless: Collection[str]
    problems: list[Problem] = field(default_factory=list)
    pages_of: set[str] = field(default_factory=set)
    group_keys: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, dict[str, Place]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    def read(self) -> SourceSpace:
        self.problems.extend(self.config.problems)
        summary_path = self.config.summary if self.config.summary in self.files else None
        table = self.config.navigation
        if summary_path is not None:
            entries = self.listed(summary_path)
        elif table is not None and table.items is not None:
            self.problems.extend(table.problems)
            entries = tuple(self.navigated(table, table.items))
            if self.made:
                said = f"names {plural(len(self.made), 'page')} made of the description of an API"
                self.problems.append(Problem(table.path, f"{said}: they are no files"))
        else:
            entries = self.inferred(self.paths, self.config.root)
        pages = self.branch(entries, "", ())
        return SourceSpace(
            title=self.title(),
            folder=self.config.root,
            pages=pages,
            files=tuple(self.rest()),
            problems=tuple(self.problems),
            summary_path=summary_path,
            made=tuple(dict.fromkeys(self.made)),
        )

    def listed(self, path: str) -> tuple[Entry, ...]:
        """Return the entries of the space's summary."""
        try:
            text = self.files[path].read()
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
            self.problems.append(Problem(path, reason))
            return self.inferred(self.paths, self.config.root)
        root = self.config.root

        def unusable(target: str) -> str | None:
            if target in self.files and not inside(target, root) and target not in self.homeless:
                return "points into another space"
            return self.reader.document(self.files, target).refusal

        summary = parse_summary(text, path, unusable=unusable)
        self.problems.extend(summary.problems)
        return summary.entries

    def inferred(self, paths: Iterable[str], root: str) -> tuple[Entry, ...]:
        """Return entries that follow the folders: a folder's README first and above the others."""
        usable: list[str] = []
        sidebar = self.sidebar()
        # Hidden names belong to tools; "_" is to Docusaurus and Next.js a part of pages.
        table = self.config.navigation
        parts = sidebar or (table is not None and table.nextra)
        aside = re.compile(r"(?:^|/)[._]" if parts else r"(?:^|/)\.")
        for path in paths:
            if aside.search(path[len(self.config.root) :]):
                continue
            if is_markdown(path) and inside(path, root):
                document = self.reader.document(self.files, path)
                if document.refusal is None:
                    usable.append(path)
                else:
                    self.problems.append(Problem(path, document.refusal))
        return _by_folder(usable, root, self.page_title, self.category, numbered=sidebar)

    def sidebar(self) -> bool:
        """Whether the space is one of Docusaurus."""
        return self.config.navigation is not None and self.config.navigation.named

    def unpublished(self, path: str, document: Document) -> bool:
        """Whether a site does not show a page: a draft, or one that its folder hides."""
        if document.draft and self.config.navigation is not None:
            return True
        # The page of a folder is left out of a list only: what is in the folder is shown.
        place = None if introduces(path) else self.place(path)
        return place is not None and place.hidden

    def place(self, path: str) -> Place | None:
        """Return the place of a page or a folder in the order of Nextra, where it has one."""
        if self.config.navigation is None or not self.config.navigation.nextra:
            return None
        folder = folder_of(path)
        if folder not in self.places:
            self.places[folder] = self.read_places(folder)
        return self.places[folder].get((stem_of if is_markdown(path) else last_part)(path))

    def read_places(self, folder: str) -> dict[str, Place]:
        for path in (f"{folder}/{name}" if folder else name for name in METAS):
            blob = self.files.get(path)
            if blob is None or blob.kind != "file":
                continue
            try:
                places, others = read_places(path, blob.read())
            except (OSError, BadYamlError) as error:
                said = f"was read as the order of its folder, but it {error}"
                self.problems.append(Problem(path, f"{said}; its pages are sorted by name"))
                return {}
            if others:
                said = plural(others, "link or heading", "links or headings")
                self.problems.append(Problem(path, f"has what the tree leaves out: {said}"))
            return places
        table = self.config.path
        if folder == self.config.root and table is not None and last_part(table) in GLOBALS:
            self.problems.append(Problem(table, "was not read: the tree follows the folders"))
        return {}

    def category(self, path: str) -> tuple[str | None, float | None]:
        """Return the title of a folder and the place of a folder or a page, where they are told."""
        label, place = None, None
        if (found := self.place(path)) is not None:
            return found.title, None if introduces(path) else found.at
        if is_markdown(path):
            place = self.reader.document(self.files, path).position
        for name in CATEGORIES:
            blob = self.files.get(f"{path}/{name}")
            if blob is not None and blob.kind == "file":
                with suppress(OSError):
                    label, place = read_category(blob.read())
        if place is None:
            place = order_of(last_part(path))
        return tidy(label or "") or None, place

    def navigated(
        self, table: Navigation, items: Iterable[Item], seen: set[str] | None = None
    ) -> Iterator[Entry]:
        """Yield the entries of another system's table; what cannot be used is named.

        A page that the table lists several times (in another sidebar, say) is where it is first.
        """
        seen = set() if seen is None else seen
        for item in items:
            below = tuple(self.navigated(table, item.children, seen))
            if item.made is not None:
                self.made.append(item.made)
            elif item.more is not None:
                yield from self.navigated(table, self.more(table, item.more, seen), seen)
            elif item.tree is not None:
                folder = join(self.config.root, item.tree) or ""
                if not (item.loose or _has_markdown(self.paths, folder)):
                    self.refuse(table, item.tree, "names a folder that has no Markdown")
                found = self.inferred([p for p in self.paths if p not in seen], folder)
                seen.update(each.path for _, each in Summary(found).walk() if each.path)
                yield from found
            elif item.href is not None:
                address = plain_address(item.href)
                if address is None:
                    part = item.href.startswith("/")
                    said = "leads to another part of the site" if part else _NOT_ALLOWED
                    self.refuse(table, item.href, said)
                    yield from below
                else:
                    yield Entry("link", item.title or address, 0, 0, href=address)
            elif item.target is not None:
                path = self.target(table, item.target)
                refusal = self.reader.document(self.files, path).refusal
                if path in seen:
                    refusal = "is named twice"
                elif item.loose and path not in self.files:
                    continue
                if refusal is None:
                    seen.add(path)
                    title = tidy(item.title or "") or self.page_title(path)
                    yield Entry("document", title, 0, 0, path=path, children=below)
                    continue
                self.refuse(table, item.target, refusal)
                if item.title and below:
                    yield Entry("group", tidy(item.title), 0, 0, children=below)
                else:
                    yield from below
            elif item.title and (below or not item.children):
                yield Entry("group", tidy(item.title), 0, 0, children=below)
            else:
                yield from below

    def more(self, table: Navigation, path: str, seen: set[str]) -> tuple[Item, ...]:
        """Return the items of another file, which the table names in their place."""
        blob = self.files.get(path)
        if blob is None or blob.kind != "file" or path in seen:
            self.refuse(table, path, "names a file that cannot be used")
            return ()
        seen.add(path)
        try:
            return read_more(path, decoded(blob.read()))
        except BadYamlError as error:
            self.problems.append(Problem(path, error.reason, error.line))
        except OSError as error:
            self.problems.append(Problem(path, f"cannot be read: {error.strerror or error}"))
        return ()

    def target(self, table: Navigation, target: str) -> str:
        """Return the path of the page that a table names."""
        path = join(self.config.root, unquote(target)) or ""
        if not table.named:
            endings = (*(f"{path}{ending}" for ending in _ENDINGS), _FIRST.sub("README.md", path))
            return next((each for each in endings if each in self.files), path)
        if not self.names:
            prefix = f"{self.config.root}/" if self.config.root else ""
            for each in filter(is_markdown, self.paths):
                name = short_name(each.removeprefix(prefix))
                own = self.reader.document(self.files, each).name
                if own is not None:
                    name = "/".join([*name.split("/")[:-1], own])
                self.names.setdefault(name, each)
        return self.names.get(target, path)

    def refuse(self, table: Navigation, target: str, reason: str) -> None:
        self.problems.append(Problem(table.path, reason, text=tidy(target)))

    def page_title(self, path: str) -> str:
        place = self.place(path)
        told = None if place is None else place.title
        known = (self.files[path].oid, path, told)
        if (title := self.reader.titles.get(known)) is None:
            document = self.reader.document(self.files, path)
            names = (told, document.label, document.title, document.heading(), self.stem(path))
            title = next(filter(None, (tidy(name or "") for name in names)), stem_of(path))
            self.reader.titles[known] = title
        return title

    def stem(self, path: str) -> str:
        """Return the name of a file; of the first page of a site that of its folder."""
        if self.config.navigation is None or not introduces(path):
            return stem_of(path)
        folder = folder_of(path)
        return "Home" if folder == self.config.root else last_part(folder)

    def title(self) -> str:
        """Return the space's title: its README's heading, its folder, or the repository's name."""
        if self.config.title and tidy(self.config.title):
            return tidy(self.config.title)
        readme = self.config.readme
        heading = ""
        if readme in self.files:
            heading = tidy(self.reader.document(self.files, readme).heading() or "")
        if heading and heading.casefold() not in _SAYS_NOTHING:
            return heading
        folder, whole = last_part(self.config.root), self.reader.name
        if self.config.navigation is not None and whole:
            return whole  # the folder is called as that system calls it everywhere
        return folder or whole or heading or "Documentation"

    def branch(
        self, entries: Iterable[Entry], parent: str, titles: tuple[str, ...]
    ) -> tuple[SourcePage, ...]:
        """Return the pages of entries; addresses are unique among siblings."""
        slugs: set[str] = set()
        pages: list[SourcePage] = []
        for entry in entries:
            slug = _unique(self.slug(entry), slugs)
            slugs.add(slug)
            path = f"{parent}/{slug}" if parent else slug
            below = self.branch(entry.children, path, (*titles, entry.title))
            pages.append(self.page(entry, slug, path, titles, below))
        return tuple(pages)

    def slug(self, entry: Entry) -> str:
        if entry.path is None:
            return slugify(entry.title)
        folder = folder_of(entry.path)
        of_folder = is_readme if self.config.summary in self.files else introduces
        if of_folder(entry.path) and folder not in ("", self.config.root):
            return slugify(last_part(folder))
        return slugify(stem_of(entry.path))

    def page(
        self,
        entry: Entry,
        slug: str,
        path: str,
        titles: tuple[str, ...],
        children: tuple[SourcePage, ...],
    ) -> SourcePage:
        if entry.path is None:
            place = "/".join((*titles, entry.title))
            key = _unique(f"{entry.kind}:{place}", self.group_keys)
            self.group_keys.add(key)
            return SourcePage(
                key=key,
                title=entry.title,
                slug=slug,
                path=path,
                type=entry.kind,
                href=entry.href,
                children=children,
            )
        document = self.reader.document(self.files, entry.path)
        if document.complaint is not None:
            self.problems.append(Problem(entry.path, document.complaint, document.line))
        self.pages_of.add(entry.path)
        facts = document.facts
        hidden = facts.hidden or self.unpublished(entry.path, document)
        return SourcePage(
            key=self.keys.get(entry.path, entry.path),
            title=entry.title,
            slug=slug,
            path=path,
            type="document",
            source_path=entry.path,
            oid=self.files[entry.path].oid,
            front_matter=document.front_matter,
            markdown=document.markdown,
            children=children,
            **facts.facts_by_name() | {"hidden": hidden},
        )

    def rest(self) -> Iterable[SourceFile]:
        """Yield the space's files that are not pages."""
        for path in self.paths:
            blob = self.files[path]
            if path in self.pages_of:
                continue
            if blob.kind == "missing":
                continue  # told once for all of them
            if blob.kind != "file":
                self.problems.append(Problem(path, f"is a {blob.kind}, which is not followed"))
                continue
            key = self.keys.get(path, path)
            known = (path, key, blob.oid, self.config.summary, path in self.config.sources)
            if (file := self.reader.files.get(known)) is None:
                kind = mimetypes.guess_type(last_part(path))[0] or "application/octet-stream"
                kind = "text/markdown" if is_markdown(path) else kind
                file = self.reader.files[known] = SourceFile(
                    key=key,
                    path=path,
                    name=last_part(path),
                    content_type=kind,
                    role=self.role(path, kind),
                    blob=blob,
                )
            yield file

    def role(self, path: str, content_type: str) -> FileRole:
        if path == self.config.summary:
            return "summary"
        if path in self.config.sources:
            return "config"
        if content_type.startswith("image/") or ".gitbook/assets/" in f"/{path}":
            return "asset"
        return "unlisted" if is_markdown(path) else "other"


def _unique(wanted: str, taken: set[str]) -> str:
    found, count = wanted, 0
    while found in taken:
        count += 1
        found = f"{wanted}-{count}"
    return found


def _by_folder(
    paths: list[str],
    root: str,
    title: Callable[[str], str],
    told: Callable[[str], tuple[str | None, float | None]],
    *,
    numbered: bool,
) -> tuple[Entry, ...]:
    """Return the entries of a folder and the folders below it.

    ``told`` gives the title of a folder and the place of anything, where they have one. Numbers
    that folders are ``numbered`` with are no part of what they are called.
    """
    here = sorted(path for path in paths if folder_of(path) == root)
    below: dict[str, list[str]] = {}
    for path in paths:
        if folder_of(path) != root:
            rest = path[len(root) + 1 :] if root else path
            folder = f"{root}/{rest.split('/')[0]}" if root else rest.split("/")[0]
            below.setdefault(folder, []).append(path)
    entries = {
        path: Entry("document", title(path), 0, 0, path=path)
        for path in sorted(here, key=lambda path: (not introduces(path), path))
    }
    places = {path: told(path)[1] for path in here}
    for folder in sorted(below):
        children = _by_folder(below[folder], folder, title, told, numbered=numbered)
        first = next((each for each in children if _leads(each, folder)), None)
        others = tuple(each for each in children if each is not first)
        called, places[folder] = told(folder)
        if first is not None and first.path is not None:
            if places[folder] is None:
                places[folder] = told(first.path)[1]
            called = called or first.title
            entries[folder] = Entry("document", called, 0, 0, path=first.path, children=others)
        else:
            called = called or (unnumbered if numbered else str)(last_part(folder))
            entries[folder] = Entry("group", called, 0, 0, children=others)

    def order(path: str) -> tuple[bool, bool, float]:
        first = introduces(path) and not numbered
        return not first, places[path] is None, places[path] or 0

    return tuple(entries[path] for path in sorted(entries, key=order))


def _leads(entry: Entry, folder: str) -> bool:
    path = entry.path
    return path is not None and introduces(path) and folder_of(path) == folder
