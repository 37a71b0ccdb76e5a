"""The manifest of an integration: the file, in YAML or JSON, that it is published from.

Its names are those of the API, and ``name``, which the API has in the path. ``script``, ``icon``
and the items of ``previewImages`` may be paths of files beside it. Every mistake is told with its
line and its name, and never with its value: a manifest may hold secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from copydesk.domain.json_text import JSON, JsonTextError, Path, read_json, where
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.yaml_lines import Fields, FileError, Items, Node, Problem, Word, read

NAME = re.compile(r"[a-zA-Z0-9-_.]+")
"""What an integration may be called."""

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
"""How the names of files end that hold a picture."""

MANIFESTS = (".yaml", ".yml", ".json")
"""How the names of manifests end."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})\.\d{1,17}(?:[eE][-+]?\d{1,3})?")
_CODE = re.compile(r"[\s(){};=]")


@dataclass(frozen=True)
class ManifestText:
    """The values of a manifest, the line of each part, and the problems found so far."""

    value: Mapping[str, JSON]
    lines: Mapping[Path, int]
    problems: tuple[Problem, ...] = ()

    def line(self, path: Path) -> int:
        """Return the line (from 1) of a part, or of the part around it; 0 for the whole."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines[path] if path else 0

    def problem(self, path: Path, sentence: str) -> Problem:
        """Return the problems of a part: its line, its name and a sentence."""
        name = where(path)
        return Problem(self.line(path), f"{name}: {sentence}" if name else sentence)


def read_manifest(text: str, *, is_json: bool) -> ManifestText:
    """Return what a manifest says; a name that stands for nothing is told and left out of it.

    Raises `FileError` with the reasons why it is no manifest.
    """
    manifest = _of_json(text) if is_json else _of_yaml(text)
    problems = [
        manifest.problem((name,), "there is nothing here: fill it in, or leave it out")
        for name, value in manifest.value.items()
        if value is None
    ]
    name = manifest.value.get("name")
    if "name" not in manifest.value:
        problems.append(Problem(0, "name is missing: give the integration one"))
    elif name is not None and not is_name(name):
        said = "it takes letters, digits, - _ and . only (and is not . or ..)"
        problems.append(manifest.problem(("name",), said))
    there = {name: value for name, value in manifest.value.items() if value is not None}
    return ManifestText(there, manifest.lines, tuple(problems))


def is_name(value: JSON) -> bool:
    """Whether an integration can be called so."""
    if not isinstance(value, str) or value in (".", ".."):
        return False
    return NAME.fullmatch(value) is not None


def is_path(field: str, text: str) -> bool:
    """Whether the text of a field names a file, and is not what would be in it.

    Code has blanks, brackets or an equals sign; a picture in base64 has no dot.
    """
    if field == "script":
        return bool(text) and not _CODE.search(text)
    return text.startswith(("./", "../")) or text.lower().endswith(PICTURES)


def files_named(value: Mapping[str, JSON]) -> Iterator[tuple[Path, str]]:
    """Yield each part of a manifest that names a file, with that name."""
    for name in ("script", "icon"):
        text = value.get(name)
        if isinstance(text, str) and is_path(name, text):
            yield (name,), text
    images = value.get("previewImages")
    for at, text in enumerate(images if isinstance(images, list) else ()):
        if isinstance(text, str) and is_path("previewImages", text):
            yield ("previewImages", at), text


# Reading


def _of_json(text: str) -> ManifestText:
    try:
        found = read_json(text.removeprefix("\ufeff"))
    except JsonTextError as error:
        said = f"column {error.column}: not JSON: {error}"
        raise FileError([Problem(error.line, said)]) from error
    if not isinstance(found.value, dict):
        raise FileError([Problem(1, "a manifest is an object with a name")])
    if found.twice:
        raise FileError(
            [
                Problem(found.where(path)[0], f"{where(path)}: written twice: keep one")
                for path, _ in found.twice
            ]
        )
    lines = {path: found.where(path)[0] for path in _paths(found.value)}
    return ManifestText(found.value, lines)


def _paths(value: JSON, above: Path = ()) -> Iterator[Path]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in inside:
        path = (*above, name)
        yield path
        if isinstance(part, dict | list):
            yield from _paths(part, path)


def _of_yaml(text: str) -> ManifestText:
    root = read(text)
    if not isinstance(root, Fields):
        raise FileError([Problem(root.line, "a manifest begins with names, such as name: my-one")])
    reader = _Reader()
    value = reader.value(root, ())
    if reader.problems:
        raise FileError(reader.problems)
    return ManifestText(value, reader.lines)


class _Reader:
    """Makes values of nodes, and notes where they stand."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.problems: list[Problem] = []

    def value(self, node: Node, path: Path) -> JSON:
        """Return what a node says."""
        if isinstance(node, Word):
            return _scalar(node)
        if isinstance(node, Items):
            return [self._part(item, item.line, (*path, at)) for at, item in enumerate(node.items)]
        found: dict[str, JSON] = {}
        for name, part in node.pairs:
            if not isinstance(name, Word):
                self.problems.append(Problem(name.line, "a name has to be one word or text"))
            elif name.text in found:
                said = f"{where((*path, name.text))}: written twice: keep one"
                self.problems.append(Problem(name.line, said))
            else:
                found[name.text] = self._part(part, name.line, (*path, name.text))
        return found

    def _part(self, node: Node, line: int, path: Path) -> JSON:
        self.lines[path] = line
        return self.value(node, path)


def _scalar(word: Word) -> JSON:
    """Return what a word stands for: without quotes it may be a number, true, false or nothing."""
    text = word.text
    if not word.plain:
        return text
    if word.empty:
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
