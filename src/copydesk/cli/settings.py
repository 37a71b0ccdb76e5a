"""``copydesk settings``: the settings of ``config.toml`` listed, changed and checked."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from copydesk.cli.errors import DONE, FAILED, UsageError
from copydesk.cli.output import Column, put, put_json, put_table, tell
from copydesk.cli.terminal import why_no_theme
from copydesk.domain.clustering import Clustering
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, plural
from copydesk.local.child_processes import run
from copydesk.local.durable import PRIVATE
from copydesk.local.paths import find_paths, private_folder
from copydesk.local.settings import (
    Problem,
    Settings,
    SettingsError,
    line_of,
    load_settings,
    parse_settings,
)
from copydesk.local.settings_file import open_document, write_document
from copydesk.local.settings_schema import schema, shown_values

SIMPLE = (str, int)
"""Types of settings that are one value, and no table."""


@dataclass(frozen=True)
class Row:
    """One setting: its value and its default as the file would have them, and where it is from."""

    name: str
    value: str
    default: str
    source: str


def list_settings(*, as_json: bool = False, markdown: bool = False) -> int:
    """Print every setting with its value, its default and where it is from."""
    if markdown:
        put(settings_page(), end="")
        return DONE
    path = find_paths().settings
    settings, problems = _read(path)
    text = _text(path)
    rows = [_row(each, settings, problems, text) for each in fields(Settings)]
    if as_json:
        put_json(
            {
                "file": str(path),
                "settings": [
                    {"name": each.name, "value": each.value, "default": each.default,
                     "from": each.source}
                    for each in rows
                ],
                "mistakes": [{"line": each.line, "said": each.sentence} for each in problems],
            }
        )  # fmt: skip
        return DONE
    put_table(
        [
            Column("NAME", lambda row: row.name),
            Column("VALUE", lambda row: row.value, gives=True),
            Column("DEFAULT", lambda row: row.default, gives=True),
            Column("FROM", lambda row: row.source),
        ],
        rows,
    )
    put(f"{path}{'' if path.exists() else ' is not there yet'}")
    _tell(problems)
    return DONE


def get_setting(*, name: str) -> int:
    """Print the value of one setting, as it is used."""
    settings, _ = _read(find_paths().settings)
    value = getattr(settings, _setting(name).name)
    put(value if isinstance(value, str) else _shown(value))
    return DONE


def set_setting(*, name: str, value: str) -> int:
    """Give a setting a value; all else in the file stays as it is. Raises ``UsageError``."""
    setting = _setting(name)
    kind = type(setting.default)
    if kind not in SIMPLE:
        raise UsageError(f"{setting.name} is a table: copydesk settings edit opens the file")
    given: str | int = value
    if kind is int and value.removeprefix("-").isdecimal():
        given = int(value)
    path = find_paths().settings
    document = _document(path)
    document[setting.name] = given
    wrong = _mistake_of(setting.name, path, document.as_string())
    if wrong := wrong or (why_no_theme(value) if name == "theme" else ""):
        raise UsageError(f"{wrong}. Nothing was changed.")
    write_document(path, document)
    put(f"{setting.name} is {_shown(given)} now.")
    return DONE


def unset_setting(*, name: str) -> int:
    """Take a setting out of the file, so that its default holds; also a misspelt one.

    Raises ``UsageError`` where the file cannot be edited.
    """
    path = find_paths().settings
    document = _document(path)
    if name not in document:
        put(f"{name} is not in the file: its default holds.")
        return DONE
    del document[name]
    write_document(path, document)
    known = next((each for each in fields(Settings) if each.name == name), None)
    put(f"{name} is {_shown(known.default)} again." if known else "It is out of the file.")
    return DONE


def edit_settings() -> int:
    """Open the file in ``$VISUAL`` or ``$EDITOR``, then say what is wrong in it.

    A new file has every setting with its default, as a comment. Raises ``UsageError``.
    """
    command = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not command:
        raise UsageError("neither $VISUAL nor $EDITOR is set: set one of them to your editor")
    path = find_paths().settings
    if not path.exists():
        private_folder(path.parent)
        path.touch(PRIVATE)
        path.write_text(template(), encoding="utf-8")
    try:
        status = run([*shlex.split(command), str(path)])
    except (OSError, ValueError) as error:
        raise UsageError(f"{clean(command, limit=60)} cannot be started: {error}") from error
    if status:
        tell(f"copydesk: {clean(command, limit=60)} ended with status {status}")
        return FAILED
    return check_settings()


def check_settings() -> int:
    """Print every mistake in the file with its line; the exit status is 1 if there is one."""
    path = find_paths().settings
    _, problems = _read(path)
    _tell(problems)
    if problems:
        return FAILED
    put(f"{path}: {'in order' if path.exists() else 'not there, so every default holds'}.")
    return DONE


def print_schema() -> int:
    """Print the JSON Schema of the file, for editors that complete and check TOML."""
    put(json.dumps(schema(), indent=1, ensure_ascii=False))
    return DONE


def template() -> str:
    """Return a new file: every setting with its default, as a comment."""
    lines = ["# Settings of copydesk. A line counts without its #.", ""]
    for each in fields(Settings):
        if type(each.default) in SIMPLE:
            lines += [f"# {each.metadata['says']}", f"# {each.name} = {_shown(each.default)}", ""]
    return "\n".join([*lines, "# Tables: copydesk settings schema, docs/settings.md", ""])


def settings_page() -> str:
    """Return the reference page of the settings."""
    lines = [
        "# Settings",
        "",
        "`config.toml`, as declared in `src/copydesk/local/settings.py`. Generated by `copydesk",
        "settings --markdown`; `make docs` checks that it is up to date. `copydesk settings` says",
        "where the file is, and which value each setting has.",
        "",
        "| Setting | Default | Values | Meaning |",
        "|---|---|---|---|",
    ]
    simple = [each for each in fields(Settings) if type(each.default) in SIMPLE]
    lines += [
        f"| `{each.name}` | `{_shown(each.default)}` | {shown_values(each)} | "
        f"{each.metadata['says']} |"
        for each in simple
    ]
    for each in fields(Settings):
        if each in simple:
            continue
        said = each.metadata["says"]
        lines += ["", f"## {each.name}", "", f"{said[:1].upper()}{said[1:]}.", ""]
        lines += ["```toml", EXAMPLES[each.name], "```"]
        if rows := table_keys(each.name):
            lines += ["", "| Key | Value |", "|---|---|"]
            lines += [f"| `{key}` | {written} |" for key, written in rows]
    lines += [
        "",
        "A key that is unknown or has a wrong value is named with its line when copydesk opens,",
        "and is left out; all others hold. After a mistake in a profile, or where a key that looks",
        "like one of a profile stands elsewhere, nothing is opened: it would not be sure which",
        "service is meant, and whether it is read-only. `copydesk settings check` tells all.",
    ]
    return "\n".join(lines) + "\n"


EXAMPLES = {
    "views": '[[views]]\nname = "Old ones of Lee"\nfilter = "author:lee age:>30d"\n'
    'sort = "updated"',
    "profiles": '[profiles.work]\nbase_url = "https://docs-api.example.com"\n'
    'token_command = ["pass", "show", "docs/token"]',
    "checks": '[checks]\nprose = {command = ["vale", "--output=JSON", "{files}"], '
    'reads = "vale", when = "open"}',
    "owners": '[owners]\n"**" = "ana@example.com"\n"guides/billing" = ["bo@example.com", "Kim Li"]',
    "clusters": '[clusters]\nmodel = "~/models/static-multilingual"',
}
"""A table of each kind."""


def table_keys(name: str) -> list[tuple[str, str]]:
    """Return the keys of a table with how they are written; none where any key may stand."""
    from copydesk.local import checks, clusters, profiles, saved_views

    match name:
        case "views":
            return [(key, written) for key, (_, _, written) in saved_views.KEYS.items()]
        case "profiles":
            return [(key, written) for key, (_, written) in profiles.KEYS.items()]
        case "checks":
            return [(key, written) for key, (_, written) in checks.KEYS.items()]
        case "clusters":
            return [(key, written) for key, (_, written) in clusters.KEYS.items()]
    return []


def _setting(name: str) -> Field[Any]:
    """Return a setting by its name. Raises ``UsageError`` with the nearest one."""
    for each in fields(Settings):
        if each.name == name:
            return each
    from difflib import get_close_matches

    known = [each.name for each in fields(Settings)]
    near = get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(known)}"
    raise UsageError(f"{clean(name, limit=60)} is not a setting: {meant}")


def _read(path: Path) -> tuple[Settings, tuple[Problem, ...]]:
    try:
        settings = load_settings(path)
    except SettingsError as error:
        return error.usable, error.problems
    if wrong := why_no_theme(settings.theme):
        return settings, (Problem(line_of("theme", _text(path)), "theme", wrong),)
    return settings, ()


def _text(path: Path) -> str:
    return path.read_text("utf-8-sig", errors="replace") if path.is_file() else ""


def _document(path: Path) -> Any:
    """Return the file for an edit of one key. Raises ``UsageError`` where it is not TOML."""
    try:
        return open_document(path)
    except UnicodeDecodeError as error:
        said = f"{path} is not UTF-8 text: save the file as UTF-8. Nothing was changed."
        raise UsageError(said) from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}. Nothing was changed.") from error


def _mistake_of(name: str, path: Path, text: str) -> str:
    """Return what is wrong with a setting in a text; "" for nothing."""
    try:
        parse_settings(path, text)
    except SettingsError as error:
        return next((each.sentence for each in error.problems if each.key == name), "")
    return ""


def _row(setting: Field[Any], settings: Settings, problems: tuple[Problem, ...], text: str) -> Row:
    wrong = next((each for each in problems if each.key == setting.name), None)
    line = wrong.line if wrong else line_of(setting.name, text)
    source = f"line {line}" if line else "default"
    return Row(
        setting.name,
        _shown(getattr(settings, setting.name)),
        _shown(setting.default),
        f"{source}: not used" if wrong else source,
    )


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, Clustering):
        return "set"
    if isinstance(value, tuple):
        return plural(len(value), "entry", "entries") if value else "none"
    return json.dumps(value, ensure_ascii=False)


def _tell(problems: tuple[Problem, ...]) -> None:
    for each in problems:
        tell(each.said)
