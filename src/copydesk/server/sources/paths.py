"""Paths inside a repository: made whole, kept inside, refused where they could trick a system."""

from __future__ import annotations

import posixpath
import re
import unicodedata

from copydesk.domain.address import is_mark
from copydesk.domain.text import clean

_MARKDOWN = (".md", ".markdown", ".mdx", ".qmd", ".rmd")
_OTHERS = {
    ".rst": "reStructuredText",
    ".adoc": "AsciiDoc",
    ".asciidoc": "AsciiDoc",
    ".asc": "AsciiDoc",
    ".org": "Org",
    ".textile": "Textile",
    ".ipynb": "a notebook",
}
"""What documentation is written in besides."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SIGNS = "_.~-"
_DRIVE = re.compile(r"^[A-Za-z]:")
_SHORT_GIT = re.compile(r"^git~\d+$")
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)$")

_PAGE_OF_NEXT = re.compile(r"(?:^|/)app/(?:.*/)?page\.mdx$")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*:|//)")


def is_address(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return bool(_SCHEME.match(target))


def join(folder: str, path: str) -> str | None:
    """Return ``path`` as seen from ``folder``, without dots; None when it leaves the repository.

    A leading slash counts from the top of the repository.
    """
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            return None
    return "/".join(parts)


def inside(path: str, folder: str) -> bool:
    """Whether ``path`` is below ``folder`` ("" is the top)."""
    return not folder or path.startswith(f"{folder}/")


def folder_of(path: str) -> str:
    """Return the folder that holds ``path``; "" is the top."""
    return posixpath.dirname(path)


def last_part(path: str) -> str:
    """Return the last part of ``path``."""
    return posixpath.basename(path)


def stem_of(path: str) -> str:
    """Return the last part of ``path`` without its extension."""
    return posixpath.splitext(posixpath.basename(path))[0]


def is_markdown(path: str) -> bool:
    """Whether the name says that it is Markdown."""
    return path.lower().endswith(_MARKDOWN)


def other_markup(path: str) -> str | None:
    """Return what a file is written in that a desk cannot read, by its name; None for others."""
    return _OTHERS.get(posixpath.splitext(path)[1].lower())


def is_readme(path: str) -> bool:
    """Whether the file introduces its folder."""
    return is_markdown(path) and stem_of(path).lower() == "readme"


def is_page_of_next(path: str) -> bool:
    """Whether the file is the page of its folder, as in the ``app`` folder of Next.js."""
    return _PAGE_OF_NEXT.search(path) is not None


def introduces(path: str) -> bool:
    """Whether the file introduces its folder where no summary says so."""
    return (
        is_readme(path)
        or is_page_of_next(path)
        or (is_markdown(path) and stem_of(path).lower() in ("index", "_index"))
    )


def slugify(text: str) -> str:
    """Return ``text`` as a part of an address: lower case, dashes between words, never empty."""
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = (each if each.isalnum() or each in _SIGNS or is_mark(each) else " " for each in plain)
    return clean("-".join("".join(kept).split())).strip("-.") or "page"


def hazard(path: str) -> str | None:
    """Return why a file of this name must not be written, or None when it may.

    Names that some file system takes for another name are refused everywhere: a repository made on
    one system is checked out on another.
    """
    if not path or path.startswith("/") or _DRIVE.match(path):
        return "is not a path inside the folder"
    if "\\" in path or _CONTROL.search(path):
        return "has a backslash or a control character in its name"
    if any(unicodedata.category(char) == "Cs" for char in path):
        return "has a name that is not valid Unicode"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return "is not a path inside the folder"
        if len(part.encode("utf-8")) > 255:
            return "has a name longer than 255 bytes"
        shown = "".join(char for char in part if unicodedata.category(char) != "Cf")
        folded = shown.casefold().rstrip(" .")
        if folded.split(":")[0] == ".git" or _SHORT_GIT.match(folded):
            return "would be written into git's own folder"
        if _DEVICES.match(folded.split(".")[0]):
            return "has the name of a device on Windows"
    return None
