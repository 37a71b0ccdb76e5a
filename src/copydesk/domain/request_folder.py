"""The pages of a change request as files in a folder, and the record kept beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from hashlib import sha256
from itertools import accumulate
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import PageNode

KEPT = ".copydesk/request.json"
"""What the folder says of itself."""

ENDING = ".md"

VERSION = 1

LONGEST_NAME = 200
"""Bytes of a name; file systems take 255."""

_PART = re.compile(r"[^\x00-\x1f\x7f./\\:*?\"<>|][^\x00-\x1f\x7f/\\:*?\"<>|]*(?<![. ])")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page in the folder, and the `digest` of what its file and the service said in accord."""

    id: str
    digest: str


@dataclass(frozen=True, slots=True)
class RequestFolder:
    """What a folder holds: the change request, its revision, and its pages by path.

    ``desk`` names the service, as this machine keeps it. ``staged`` has digests, by page, of the
    edits that were staged from the folder: these it may replace.
    """

    desk: str
    space: str
    request: str
    number: int
    revision: str
    pages: Mapping[str, KeptPage] = field(default_factory=dict)
    staged: Mapping[str, str] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return it as it is kept."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1) + "\n"


def folder_of(text: str) -> RequestFolder:
    """Return the record kept as ``text``. Raises ``ValueError`` for any other text."""
    kept: Any = json.loads(text)
    if not isinstance(kept, dict) or kept.pop("version", None) != VERSION:
        raise ValueError("it was written by another version")
    pages = kept.pop("pages", None)
    if not isinstance(pages, dict) or type(kept.get("number")) is not int:
        raise ValueError("something is missing in it")
    try:
        found = RequestFolder(
            **kept, pages={path: KeptPage(**page) for path, page in pages.items()}
        )
    except TypeError as error:
        raise ValueError("something is missing in it") from error
    if not isinstance(found.staged, dict):
        raise ValueError("something is missing in it")
    told = (*found.staged.values(), found.desk, found.space, found.request, found.revision)
    told += tuple(text for page in found.pages.values() for text in asdict(page).values())
    if not all(isinstance(each, str) for each in told):
        raise ValueError("something in it is not text")
    return found


def digest(data: bytes) -> str:
    """Return what tells the contents of a file from all others."""
    return sha256(data).hexdigest()


def file_names(pages: Iterable[PageNode]) -> dict[str, str]:
    """Return the path of each page's file, by the page's id.

    It is the address of the page; where that cannot be the name of a file on every system, or is
    that of another page or of a folder, the digest of its id.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    folders: set[str] = set()
    for page in pages:
        path = page.path or page.slug
        parts = path.split("/")
        safe = all(_PART.fullmatch(part) and not _DEVICE.fullmatch(part) for part in parts)
        name = f"{path}{ENDING}"
        short = all(len(part.encode(errors="replace")) <= LONGEST_NAME for part in parts)
        above = set(accumulate((part.casefold() for part in parts[:-1]), "{}/{}".format))
        file = name.casefold()
        free = file not in taken and file not in folders and not above & taken
        if safe and short and free and is_text(path):
            folders |= above
        else:
            name = f"page-{digest(page.id.encode('utf-8', 'replace'))[:16]}{ENDING}"
        taken.add(name.casefold())
        names[page.id] = name
    return names


def is_text(path: str) -> bool:
    """Whether a path is text: some that are read of a disk have bytes that no text has."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
