"""``.gitbook.yaml``: where a space's root, its first page and its summary are."""

from __future__ import annotations

from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.sources.items import Navigation
from copydesk.server.sources.mapping import BadYamlError, decoded, read_mapping
from copydesk.server.sources.model import Blob, Problem
from copydesk.server.sources.paths import folder_of, inside, join

CONFIG = ".gitbook.yaml"
README = "README.md"
SUMMARY = "SUMMARY.md"


@dataclass(frozen=True, slots=True)
class Config:
    """Where the parts of a space are, from the top of the repository.

    ``path`` is the configuration's own file, or None where there is none and the usual names hold.
    ``navigation`` is another system's table of contents, used where there is no summary, and
    ``title`` what the space is called there.
    """

    root: str
    readme: str
    summary: str
    path: str | None = None
    problems: tuple[Problem, ...] = ()
    navigation: Navigation | None = None
    title: str | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The files that say all this: its own, and the one that its table inherits from."""
        inherits = None if self.navigation is None else self.navigation.inherits
        return tuple(path for path in (self.path, inherits) if path is not None)


def usual(folder: str) -> Config:
    """Return the configuration of a folder that has none of its own."""
    return Config(folder, join(folder, README) or README, join(folder, SUMMARY) or SUMMARY)


def read_config(path: str, blob: Blob) -> Config:
    """Read the configuration at ``path``; an unusable part is a problem, the usual name holds.

    Paths in it count from its own folder (the root) and from the root (the rest), and stay inside
    both.
    """
    folder = folder_of(path)
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    try:
        values = read_mapping(decoded(blob.read()))
    except BadYamlError as error:
        problems.append(Problem(path, error.reason, error.line))

    def place(value: object, name: str, base: str, default: str) -> str:
        if value is None:
            return join(base, default) or ""
        if not isinstance(value, str):
            problems.append(Problem(path, f"has a “{name}” that is not a path"))
            return join(base, default) or ""
        found = join(base, value.lstrip("/"))
        if found is None or not (found == base or inside(found, base)):
            problems.append(Problem(path, f"has a “{name}” outside its folder", text=value))
            return join(base, default) or ""
        return found

    root = place(values.get("root"), "root", folder, "")
    structure = values.get("structure")
    if structure is not None and not isinstance(structure, dict):
        problems.append(Problem(path, "has a “structure” that is not a mapping"))
        structure = None
    parts: dict[str, Any] = structure or {}
    readme = place(parts.get("readme"), "structure.readme", root, README)
    summary = place(parts.get("summary"), "structure.summary", root, SUMMARY)
    return Config(root, readme, summary, path, tuple(problems))
