"""``copydesk settings``: the settings of ``config.toml`` listed, changed and checked."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields

from copydesk.cli.connection import PROFILE_VARIABLE
from copydesk.cli.errors import DONE, FAILED, UsageError
from copydesk.cli.output import Column, put, put_json, put_table, tell
from copydesk.cli.terminal import THEME_VARIABLE, linear_by, use_own_themes, why_no_theme
from copydesk.domain.keymap import PRESETS, OwnKeys
from copydesk.domain.text import clean
from copydesk.local.child_processes import run
from copydesk.local.paths import Paths, find_paths
from copydesk.local.settings import Settings
from copydesk.local.settings_list import SIMPLE, SettingsFile, setting_called, shown
from copydesk.local.settings_schema import schema_text, shown_values

NOT_THERE = " is not there yet: every default applies"


def list_settings(*, as_json: bool = False, markdown: bool = False) -> int:
    """Print every setting with its value, its default and where it is from."""
    if markdown:
        put(settings_page(), end="")
        return DONE
    file = settings_file(find_paths())
    _, problems = file.read()
    rows = [each for each in file.rows() if each.default]
    if as_json:
        put_json(
            {
                "file": str(file.path),
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
    put(f"{file.path}{'' if file.path.exists() else NOT_THERE}")
    for each in problems:
        tell(each.said)
    return DONE


def get_setting(*, name: str) -> int:
    """Print the value of one setting, as it is used. Raises ``UsageError``."""
    file = settings_file(find_paths())
    with _as_usage():
        setting = setting_called(name)
    value, _ = file.told.get(name) or (getattr(file.read()[0], setting.name), "")
    put(value if isinstance(value, str) else shown(value))
    return DONE


def set_setting(*, name: str, value: str) -> int:
    """Give a setting a value; all else in the file stays as it is. Raises ``UsageError``."""
    with _as_usage():
        put(f"{name} is {settings_file(find_paths()).change(name, value)} now.")
    return DONE


def unset_setting(*, name: str) -> int:
    """Take a setting out of the file, so that its default holds; also a misspelt one.

    Raises ``UsageError`` where the file cannot be edited.
    """
    with _as_usage():
        was_there = settings_file(find_paths()).reset(name)
    known = next((each for each in fields(Settings) if each.name == name), None)
    if not was_there:
        put(f"{name} is not in the file: its default applies.")
    else:
        put(f"{name} is {shown(known.default)} again." if known else "Removed from the file.")
    return DONE


def edit_settings() -> int:
    """Open the file in ``$VISUAL`` or ``$EDITOR``, then say what is wrong in it.

    A new file has every setting with its default, as a comment, and names the schema that editors
    complete by. Raises ``UsageError``.
    """
    command = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    if not command:
        raise UsageError("neither $VISUAL nor $EDITOR is set: set one of them to your editor")
    file = settings_file(find_paths())
    file.make()
    try:
        status = run([*shlex.split(command), str(file.path)])
    except (OSError, ValueError) as error:
        raise UsageError(f"{clean(command, limit=60)} cannot be started: {error}") from error
    if status:
        tell(f"copydesk: {clean(command, limit=60)} ended with status {status}")
        return FAILED
    return check_settings()


def check_settings() -> int:
    """Print every mistake in the file with its line; the exit status is 1 if there is one."""
    file = settings_file(find_paths())
    _, problems = file.read()
    for each in problems:
        put(each.said)
    if problems:
        return FAILED
    put(f"{file.path}{': no mistakes' if file.path.exists() else NOT_THERE}.")
    return DONE


def print_schema() -> int:
    """Print the JSON Schema of the file, for editors that complete and check TOML."""
    put(schema_text(), end="")
    return DONE


def settings_page() -> str:
    """Return the reference page of the settings."""
    lines = [
        "# Settings",
        "",
        "`config.toml`, as declared in `src/copydesk/local/settings.py`. Generated by `copydesk",
        "settings --markdown`; `make docs` checks that it is up to date. `copydesk settings` says",
        "where the file is, and which value each setting has; so does `g ,` in the screens, where",
        "Enter changes the one under the cursor and `u` undoes that.",
        "",
        "| Setting | Default | Values | Meaning |",
        "|---|---|---|---|",
    ]
    simple = [each for each in fields(Settings) if type(each.default) in SIMPLE]
    lines += [
        f"| `{each.name}` | `{shown(each.default)}` | {shown_values(each)} | "
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
        if each.name == "keys":
            lines += _presets()
    lines += [
        "",
        "A key that is unknown or has a wrong value is named with its line when copydesk opens,",
        "and is left out; all others hold. After a mistake in a profile, or where a key that looks",
        "like one of a profile is elsewhere, nothing is opened: it would not be sure which",
        "service is meant, and whether it is read-only. `copydesk settings check` tells all.",
    ]
    return "\n".join(lines) + "\n"


def _presets() -> Iterator[str]:
    """Yield what each preset has in place of the keys that are declared."""
    yield from ("", "A preset has these keys in place of those of `docs/keys.md`, which is `vim`:")
    yield from (
        "`g c` is `f7 c` too where `g` is `f7`. An action keeps a key that is its only one.",
    )
    for name, keys in PRESETS.items():
        if keys:
            yield from ("", f"| Usual key | `{name}` |", "|---|---|")
            for key, instead in keys.items():
                yield f"| `{key}` | {', '.join(f'`{each}`' for each in instead) or 'none'} |"


EXAMPLES = {
    "keys": '[keys]\npreset = "arrows"\n"changes.merge" = ["m", "f4"]',
    "views": '[[views]]\nname = "Old ones of Lee"\nfilter = "author:lee age:>30d"\n'
    'sort = "updated"',
    "profiles": '[profiles.work]\nbase_url = "https://docs-api.example.com"\n'
    'token_command = ["pass", "show", "docs/token"]',
    "checks": '[checks]\nprose = {command = ["vale", "--output=JSON", "{files}"], '
    'reads = "vale", when = "open"}',
    "owners": '[owners]\n"**" = "ana@example.com"\n"guides/billing" = ["bo@example.com", "Kim Li"]',
    "clusters": '[clusters]\nmodel = "~/models/static-multilingual"',
    "commands": '[commands.ticket]\nkey = "! t"\non = "change request"\n'
    'run = ["gh", "issue", "create", "--title={title}", "--body={url}"]',
    "lists": '[lists.changes]\ncolumns = ["number", "subject", "age"]',
    "themes": '[themes.sea]\nbase = "dark"\nhere = "#66ccdd"\nact = "#ffcc66"',
    "hooks": '[hooks]\nafter_merge = [["notify-send", "Merged", "{title}"]]',
}
"""A table of each kind."""


def table_keys(name: str) -> list[tuple[str, str]]:
    """Return the keys of a table with how they are written; none where any key may stand."""
    from copydesk.local import (
        check_settings,
        clusters,
        list_columns,
        own_commands,
        own_themes,
        profiles,
        saved_views,
    )

    match name:
        case "views":
            return [(key, written) for key, (_, _, written) in saved_views.KEYS.items()]
        case "profiles":
            return [(key, written) for key, (_, written) in profiles.KEYS.items()]
        case "checks":
            return [(key, written) for key, (_, written) in check_settings.KEYS.items()]
        case "clusters":
            return [(key, written) for key, (_, written) in clusters.KEYS.items()]
        case "commands":
            return [(key, written) for key, (_, written) in own_commands.KEYS.items()]
        case "themes":
            return [(key, written) for key, (_, written) in own_themes.KEYS.items()]
        case "lists":
            return [("columns", list_columns.WRITTEN)]
        case "hooks":
            written = "a list of commands; each a list of words"
            return [(event, written) for event in own_commands.EVENTS]
    return []


def settings_file(paths: Paths) -> SettingsFile:
    """Return the file of the settings."""

    return SettingsFile(paths.settings, more_mistakes, _told_by_variables())


def _told_by_variables() -> dict[str, tuple[str | bool, str]]:
    """Return the values that the environment has in place of those of settings, with its names."""
    told: dict[str, tuple[str | bool, str]] = {}
    for setting, variable in (("theme", THEME_VARIABLE), ("profile", PROFILE_VARIABLE)):
        if value := os.environ.get(variable):
            told[setting] = clean(value, limit=60), variable
    if by := linear_by():
        told["linear"] = by
    return told


def own_keymap() -> Mapping[str, Sequence[str]]:
    """Return the keys of the settings in place of declared ones, by the ids of actions."""
    from copydesk.session.declarations import keymap

    settings, _ = settings_file(find_paths()).read()
    return keymap(settings.keys)[0] if settings.keys != OwnKeys() else {}


def more_mistakes(settings: Settings) -> dict[str, str]:
    """Return what is wrong with themes, keys, own commands and lists.

    By the name of the setting, the action, ``commands.NAME`` or ``lists.NAME``.
    """
    from copydesk.session.declarations import keymap, list_mistakes, own_command_mistakes

    use_own_themes(settings.themes)
    wrong = why_no_theme(settings.theme)
    keys, mistakes = keymap(settings.keys) if settings.keys != OwnKeys() else ({}, {})
    own = own_command_mistakes(settings.commands, keys)
    own = {f"commands.{name}": said for name, said in own.items()}
    lists = {f"lists.{name}": said for name, said in list_mistakes(settings.lists).items()}
    return {**({"theme": wrong} if wrong else {}), **mistakes, **own, **lists}


@contextmanager
def _as_usage() -> Iterator[None]:
    """Have what a setting cannot be end the command as wrong usage."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from error
