"""Tables of contents of other systems: MkDocs, Docusaurus, VitePress, Hugo, and ``docs.yaml``.

They are read where no ``SUMMARY.md`` says more. Nothing of them is run: a ``sidebars.js`` is read
where it is one object of plain values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from copydesk.server.sources.books import BOOKS, read_book
from copydesk.server.sources.docsify import DOCSIFY, read_docsify
from copydesk.server.sources.document import number
from copydesk.server.sources.items import MOST_DEEP, Item, Navigation
from copydesk.server.sources.mapping import BadYamlError, decoded, read_mapping, read_toml
from copydesk.server.sources.mintlify import MINTLIFY, read_mintlify
from copydesk.server.sources.nextra import METAS
from copydesk.server.sources.paths import folder_of, join, last_part
from copydesk.server.sources.programs import exported, read_value
from copydesk.server.sources.starlight import ASTRO, DOCS, read_starlight
from copydesk.server.sources.vitepress import read_vitepress, vitepress_folder

_SITES = ("gitbook-docs.yaml", "docs.yaml", "docs.yml")
_MKDOCS = ("mkdocs.yml", "mkdocs.yaml")
_BOOK = "book.toml"
SIDEBARS = ("sidebars.json", "sidebars.js", "sidebars.cjs", "sidebars.mjs", "sidebars.ts")
HUGO = frozenset(
    f"{stem}.{ending}" for stem in ("hugo", "config") for ending in ("toml", "yaml", "yml", "json")
)
_OF_SPACES = frozenset({*_MKDOCS, *SIDEBARS, *MINTLIFY, *ASTRO, *BOOKS, DOCSIFY})
CATEGORIES = ("_category_.json", "_category_.yml", "_category_.yaml")
"""Where Docusaurus reads what a folder of its sidebar is called, and its place."""

_NAMES = _OF_SPACES | HUGO | frozenset({*_SITES, _BOOK})

_ORDER = re.compile(r"^\d+\s*[-_.]+\s*(?=\S)")


def is_table(path: str) -> bool:
    """Whether a file is a table of contents that is read and never written."""
    name = last_part(path)
    return name in _OF_SPACES or name in METAS or vitepress_folder(path) is not None


def has_table(path: str) -> bool:
    """Whether a file may hold a table of contents, by its name."""
    return last_part(path) in _NAMES or vitepress_folder(path) is not None


def read_navigations(path: str, data: bytes) -> list[Navigation]:
    """Read a file that may hold a table of contents (`has_table`).

    Raises ``BadYamlError`` with the reason why it cannot be used.
    """
    name, folder = last_part(path), folder_of(path)
    try:
        text = decoded(data)
    except BadYamlError:
        if name in HUGO and name.startswith("config."):
            return []  # of a program that nobody knows
        raise
    if vitepress_folder(path) is not None:
        return read_vitepress(path, text)
    for names, read in (
        ((_BOOK,), _book), (ASTRO, read_starlight), ((DOCSIFY,), read_docsify),
        (MINTLIFY, read_mintlify), (BOOKS, read_book), (HUGO, _hugo),
    ):  # fmt: skip
        if name in names:
            return read(path, text)
    if name in SIDEBARS:
        docs = sidebar_folders(path)
        return [Navigation(path, docs[0], _sidebars(name, text), named=True)]
    values = read_mapping(text, lenient=True)
    if name in _SITES:
        site = values.get("site")
        structure = site.get("structure") if isinstance(site, dict) else None
        if structure is None:
            return []  # another file of that name, such as the description of an API
        return [
            Navigation(path, root, title=title)
            for root, title in _spaces(structure, folder, None, 0)
        ]
    where = values.get("docs_dir", "docs")
    root = join(folder, where) if isinstance(where, str) else None
    if root is None:
        raise BadYamlError("has a “docs_dir” that is not a folder of the repository")
    title = values.get("site_name")
    items = None if values.get("nav") is None else tuple(_nav(values["nav"], 0))
    above = values.get("INHERIT")
    inherits = join(folder, above) if isinstance(above, str) else None
    title = title if isinstance(title, str) else None
    return [Navigation(path, root, items, title, inherits=inherits)]


def _book(path: str, text: str) -> list[Navigation]:
    """Return what mdBook's configuration calls the folder whose summary it reads."""
    book = read_toml(text).get("book")
    values = book if isinstance(book, dict) else {}
    source, title = values.get("src", "src"), values.get("title")
    root = join(folder_of(path), source) if isinstance(source, str) else None
    if root is None or not isinstance(title, str):
        return []
    return [Navigation(path, root, title=title)]


def _hugo(path: str, text: str) -> list[Navigation]:
    """Return the folders of Hugo's pages, one or one for each language.

    A configuration without an address is another program's, unless its name or folder is Hugo's.
    """
    top, own = folder_of(path), last_part(path).startswith("hugo.")
    default = f"/{top}".endswith("/config/_default")
    if not (own or default or "baseurl" in text.lower()):
        return []  # read no further: a repository may have many files of that name
    try:
        values = _lower(
            read_toml(text)
            if path.endswith(".toml")
            else read_mapping(text.expandtabs(1), lenient=True)
        )
    except BadYamlError:
        if own:
            raise
        return []
    if default:
        top = folder_of(folder_of(top))
    elif not own and "baseurl" not in values:
        return []
    languages = values.get("languages")
    titles: dict[str, str | None] = {}
    for name, language in (languages if isinstance(languages, dict) else {"": {}}).items():
        told = {"contentdir": "content"} | values | _lower(language)
        root, title = join(top, str(told["contentdir"])), told.get("title")
        title = title if isinstance(title, str) else None
        if root is not None and root not in titles:
            titles[root] = f"{title} ({name})" if title in titles.values() else title
    return [Navigation(path, root, title=title, hugo=True) for root, title in titles.items()]


def _lower(values: object) -> dict[str, Any]:
    """Return a mapping with its names in lower case, as Hugo reads them."""
    return {str(k).lower(): v for k, v in values.items()} if isinstance(values, dict) else {}


def short_name(path: str) -> str:
    """Return what Docusaurus calls a page: its path without the ending and numbers for order."""
    parts = path.rpartition(".")[0].split("/")
    return "/".join(map(unnumbered, parts))


def unnumbered(name: str) -> str:
    """Return a name without the number for order that it begins with."""
    return _ORDER.sub("", name)


def order_of(name: str) -> float | None:
    """Return the number that a file's or a folder's name begins with, for order."""
    found = _ORDER.match(name)
    return None if found is None else number(re.split(r"\D", found[0], maxsplit=1)[0])


def read_category(data: bytes) -> tuple[str | None, float | None]:
    """Return the title and the place that one of ``CATEGORIES`` gives its folder."""
    try:
        values = read_mapping(decoded(data).replace("\t", " "), lenient=True)
    except BadYamlError:
        return None, None
    label = values.get("label")
    return (label if isinstance(label, str) else None), number(values.get("position"))


def sidebar_folders(path: str) -> list[str]:
    """Return the folders that a program with a sidebar may be about, the likeliest first.

    Docusaurus is told in a program where the pages are: beside its own folder in many projects.
    """
    site = vitepress_folder(path)
    if site is not None:
        return [site]
    if last_part(path) in ASTRO:
        return [join(folder_of(path), DOCS) or DOCS]
    if last_part(path) not in SIDEBARS:
        return []
    site = folder_of(path)
    return [join(site, "docs") or "docs", *([join(site, "../docs") or "docs"] if site else [])]


def _nav(value: Any, depth: int) -> Iterator[Item]:
    if not isinstance(value, list) or depth > MOST_DEEP:
        raise BadYamlError("has a “nav” that is not a list of pages")
    for each in value:
        if isinstance(each, str):
            yield _page(None, each)
        elif isinstance(each, dict):
            for title, below in each.items():
                if isinstance(below, str):
                    yield _page(str(title), below)
                else:
                    yield Item(str(title), children=tuple(_nav(below, depth + 1)))
        else:
            raise BadYamlError("has a “nav” with something that is neither a page nor a section")


def _page(title: str | None, target: str) -> Item:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target):
        return Item(title, href=target)
    if target.endswith("/"):  # as plugins for such folders take it
        return Item(title, children=(Item(tree=target),))
    return Item(title, target=target)


def _spaces(
    value: Any, folder: str, above: str | None, depth: int
) -> Iterator[tuple[str, str | None]]:
    """Yield the folder and the title of each space of a site's structure."""
    if not isinstance(value, list) or depth > MOST_DEEP:
        raise BadYamlError("has a “structure” that is not a list of sections and spaces")
    here = sum(isinstance(each, dict) and _directory(each) is not None for each in value)
    for each in value:
        if not isinstance(each, dict):
            raise BadYamlError(
                "has a “structure” with something that is neither a section nor a space"
            )
        title = each.get("title") if isinstance(each.get("title"), str) else None
        directory = _directory(each)
        if directory is not None:
            root = join(folder, directory)
            if root is None:
                raise BadYamlError(f"has a “directory” outside the repository: {title or ''}")
            # A section's one space is often called by its language.
            yield root, (above if above and here == 1 else title)
        if each.get("children"):
            yield from _spaces(each["children"], folder, title, depth + 1)


def _directory(item: Mapping[str, Any]) -> str | None:
    content = item.get("content")
    found = content.get("directory") if isinstance(content, dict) else None
    return found if isinstance(found, str) else None


def _sidebars(name: str, text: str) -> tuple[Item, ...]:
    values = read_value(text, exported(name, text))
    if not isinstance(values, dict):
        raise BadYamlError("is not an object of sidebars")
    bars = {key: tuple(_listed(bar, 0)) for key, bar in values.items()}
    if len(bars) == 1:
        return next(iter(bars.values()))
    return tuple(Item(key, children=items) for key, items in bars.items())


def _listed(value: Any, depth: int) -> Iterator[Item]:
    """Yield the items of a sidebar: page names, links, categories, or folders as they are."""
    if depth > MOST_DEEP:
        raise BadYamlError("is nested too deeply")
    if isinstance(value, dict) and "type" not in value:
        for title, below in value.items():
            yield Item(str(title), children=tuple(_listed(below, depth + 1)))
        return
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield Item(target=each)
        elif isinstance(each, dict) and "type" in each:
            yield from _typed(each, depth)
        elif isinstance(each, dict):
            yield from _listed(each, depth + 1)
        else:
            raise BadYamlError("has an item that is neither a page nor a category")


def _typed(item: Mapping[str, Any], depth: int) -> Iterator[Item]:
    label = item["label"] if isinstance(item.get("label"), str) else None
    kind = item["type"]
    if kind in ("doc", "ref"):
        yield Item(label, target=str(item.get("id", "")))
    elif kind == "link":
        yield Item(label, href=str(item.get("href", "")))
    elif kind == "autogenerated":
        yield Item(tree=str(item.get("dirName", ".")))
    elif kind == "category":
        link = item.get("link")
        page = link.get("id") if isinstance(link, dict) and link.get("type") == "doc" else None
        below = tuple(_listed(item.get("items", []), depth + 1))
        yield Item(label, target=None if page is None else str(page), children=below)
