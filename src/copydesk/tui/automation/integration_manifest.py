"""Reading a manifest from this machine, with the files that it names, and checking all of it.

What is wrong is told all at once, each with its line and its name, and never with a value.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from copydesk.domain.integration_manifest import ManifestText, files_named, read_manifest
from copydesk.domain.json_text import where
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import listed
from copydesk.domain.yaml_lines import FileError, Problem
from copydesk.local.paths import expanded
from copydesk.tui.dialogs.body_fields import first_of, what_is_wrong, wire_name

if TYPE_CHECKING:
    from copydesk.contract.models.integration import IntegrationPublish
    from copydesk.domain.json_text import Path as Where

LARGEST = 10_000_000
"""Bytes of a file that is sent."""


@dataclass(frozen=True)
class Manifest:
    """A manifest to be published: the body, and the files of its parts.

    ``files`` maps places in the manifest ("script", "previewImages[0]") to names and bytes.
    """

    path: Path
    name: str
    body: IntegrationPublish
    files: Mapping[str, tuple[str, int]]


def load_manifest(typed: str) -> Manifest:
    """Read a manifest by its path, as typed. Raises `FileError` with all that is wrong."""
    from copydesk.contract.models.integration import IntegrationPublish

    path = expanded(typed)
    text = _text(path)
    is_json = path.suffix.lower() == ".json"
    manifest = read_manifest(text, is_json=is_json)
    files: dict[str, tuple[str, int]] = {}
    value, problems = _with_files(path, manifest, files)
    problems += manifest.problems
    name = value.pop("name", "")
    try:
        body = IntegrationPublish.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        told = _told(manifest, error.errors(include_url=False))
        raise FileError([*problems, *told]) from None
    if problems:
        raise FileError(problems)
    return Manifest(path, name, body, files)


def _text(path: Path) -> str:
    data = _bytes(path, Problem(0, ""))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError([Problem(line, "this is not UTF-8 text. Save it as UTF-8.")]) from None


def _bytes(path: Path, at: Problem) -> bytes:
    """Return the bytes of a file. Raises `FileError` with the place that names it."""
    lead = f"{at.sentence}: " if at.sentence else ""
    try:
        if path.is_dir():
            said = "this is a folder; a file is asked for"
        elif not path.is_file():
            # Neither is a device or a pipe, which may have no end.
            said = "there is no such file" if not path.exists() else "not a regular file"
        elif path.stat().st_size > LARGEST:
            said = f"the file is larger than {LARGEST // 1_000_000} MB"
        else:
            return path.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name cannot be one"
        said = f"the file cannot be read: {why.lower()}"
    raise FileError([Problem(at.line, lead + said)])


def _with_files(
    path: Path, manifest: ManifestText, files: dict[str, tuple[str, int]]
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values of a manifest with the contents of its files, and their problems."""
    value: dict[str, Any] = json.loads(json.dumps(dict(manifest.value)))
    problems: list[Problem] = []
    named = set()
    folder = path.absolute().parent.resolve()
    for place, name in files_named(manifest.value):
        named.add(place)
        at = Problem(manifest.line(place), where(place))
        if "\0" in name:
            problems.append(Problem(at.line, f"{at.sentence}: no file can be called so"))
            continue
        found = (folder / name).resolve()
        if not found.is_relative_to(folder):
            # Who is handed a manifest shall not send away what lies elsewhere on this machine.
            problems.append(
                Problem(at.line, f"{at.sentence}: the file has to be beside the manifest")
            )
            continue
        try:
            data = _bytes(found, at)
            said = data.decode() if place[0] == "script" else base64.b64encode(data).decode()
        except FileError as error:
            problems += error.problems
            continue
        except UnicodeDecodeError:
            problems.append(Problem(at.line, f"{at.sentence}: the file is not UTF-8 text"))
            continue
        files[at.sentence] = (name, len(data))
        if len(place) == 1:
            value[str(place[0])] = said
        else:
            value[str(place[0])][place[1]] = said
    return value, problems + [
        manifest.problem(place, "this is neither the path of a picture nor one in base64")
        for place, text in _pictures(manifest.value)
        if place not in named and isinstance(text, str) and not _is_base64(text)
    ]


def _pictures(value: Mapping[str, Any]) -> list[tuple[Where, Any]]:
    """Return the pictures of a manifest."""
    images = value.get("previewImages")
    pictures: list[tuple[Where, Any]] = [(("icon",), value.get("icon"))]
    several = images if isinstance(images, list) else ()
    return [*pictures, *((("previewImages", at), each) for at, each in enumerate(several))]


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return bool(text)


def _told(manifest: ManifestText, errors: list[ErrorDetails]) -> list[Problem]:
    """Return the errors of the body, one for each place in it, with their lines."""
    places: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for error in errors:
        places.setdefault(_place(manifest, error["loc"]), []).append(error)
    return [
        manifest.problem(place, what_is_wrong(first_of(each, len(place))) + _nearest(place, each))
        for place, each in places.items()
    ]


def _nearest(place: tuple[str | int, ...], errors: list[ErrorDetails]) -> str:
    """Return the field that was meant where there is none of that name."""
    from copydesk.contract.models.integration import IntegrationPublish

    if len(place) != 1 or errors[0]["type"] != "extra_forbidden":
        return ""
    known = ["name", *(wire_name(IntegrationPublish, e) for e in IntegrationPublish.model_fields)]
    near = get_close_matches(str(place[0]), known, 1)
    return f"; is {near[0]} meant?" if near else f"; there are {listed(known)}"


def _place(manifest: ManifestText, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the place of an error without what only pydantic has in it."""
    return tuple(
        part
        for at, part in enumerate(place)
        if isinstance(part, int) or place[: at + 1] in manifest.lines or at in (0, len(place) - 1)
    )
