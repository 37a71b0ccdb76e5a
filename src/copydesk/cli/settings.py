"""``copydesk settings``: the settings of ``config.toml`` listed, changed and checked."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from copydesk.cli.errors import DONE, FAILED, UsageError, say
from copydesk.cli.output import Column, put, put_json, put_table
from copydesk.cli.terminal import refused_theme
from copydesk.domain.keymap import PRESETS, OwnKeys
from copydesk.domain.profile import EMBEDDED, named_profile
from copydesk.domain.text import capital, clean, listed
from copydesk.local.child_processes import run_on_terminal
from copydesk.local.paths import Paths, find_paths
from copydesk.local.settings import ONCE, SIMPLE, Settings
from copydesk.local.settings_file import SettingRow, SettingsFile, setting_called, shown
from copydesk.local.settings_schema import schema_text, shown_values
from copydesk.local.variables import variable_of

NOT_THERE = " is not there yet: every default applies"


def list_settings(
    *, as_json: bool = False, markdown: bool = False, profile: str | None = None
) -> int:
    """Print every setting with its value, its default and where it is from.

    Raises ``UsageError`` for a profile that there is not.
    """
    if markdown:
        put(settings_page(), end="")
        return DONE
    file = _file(profile)
    problems = file.in_use().problems
    rows = [each for each in file.rows() if each.default]
    if as_json:
        put_json(
            {
                "file": str(file.path),
                "settings": [
                    {"name": each.name, "value": each.value, "default": each.default,
                     "from": each.source,
                     "insteadOf": [{"from": place, "value": value}
                                   for place, value in each.instead_of]}
                    for each in rows
                ],
                "mistakes": [
                    {"line": each.line, "variable": each.source or None, "said": each.sentence}
                    for each in problems
                ],
            }
        )  # fmt: skip
        return DONE
    put_table(
        [
            Column("NAME", lambda row: row.name),
            Column("VALUE", lambda row: row.value, gives=True),
            Column("DEFAULT", lambda row: row.default, gives=True),
            Column("FROM", _source),
        ],
        rows,
    )
    put(f"{file.path}{'' if file.path.exists() else NOT_THERE}")
    for each in problems:
        say(each.said)
    return DONE


def _source(row: SettingRow) -> str:
    """Return where a value is from, and what other sources say that do not count."""
    instead = ", ".join(f"{place} says {value}" for place, value in row.instead_of)
    return f"{row.source} ({instead})" if instead else row.source


def get_setting(*, name: str, profile: str | None = None) -> int:
    """Print the value of one setting, as it is used. Raises ``UsageError``."""
    file = _file(profile)
    with _as_usage():
        setting = setting_called(name)
    value = getattr(file.in_use().settings, setting.name)
    put(value if isinstance(value, str) else shown(value))
    return DONE


def set_setting(*, name: str, value: str, profile: str | None = None) -> int:
    """Give a setting a value; all else in the file stays as it is. Raises ``UsageError``."""
    file, own = _file(profile), _own(profile)
    with _as_usage():
        written = file.change(name, value, own)
    instead = file.used_instead(name, own)
    put(
        f"{name} is {written} in {named_profile(own) if own else 'the file'} now. {instead}"
        if instead
        else f"{name} is {written}{f' in {named_profile(own)}' if own else ''} now."
    )
    return DONE


def unset_setting(*, name: str, profile: str | None = None) -> int:
    """Take a setting out of the file, so that its default holds; also a misspelt one.

    Raises ``UsageError`` where the file cannot be edited, and for one that there is not.
    """
    file, own = _file(profile), _own(profile)
    with _as_usage():
        was_there = file.reset(name, own)
    known = next((each for each in fields(Settings) if each.name == name), None)
    there = "no longer" if was_there else "not"
    if own and known:
        now = shown(getattr(file.in_use().settings, name))
        put(f"{name} is {there} in {named_profile(own)}: it is {now}.")
    elif instead := file.used_instead(name, own):
        put(f"{name} is {there} in the file. {instead}")
    elif not was_there:
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
        status = run_on_terminal([*shlex.split(command), str(file.path)])
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"{clean(command, limit=60)} cannot be started: {said}") from error
    if status:
        say(f"copydesk: {clean(command, limit=60)} ended with status {status}")
        return FAILED
    return check_settings()


def check_settings(*, profile: str | None = None) -> int:
    """Print every mistake with its line or variable; the exit status is 1 if there is one.

    Raises ``UsageError`` for a profile that there is not.
    """
    file = _file(profile)
    problems = file.in_use().problems
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
        "| Setting | Default | Values | Meaning | Variable |",
        "|---|---|---|---|---|",
    ]
    simple = [each for each in fields(Settings) if type(each.default) in SIMPLE]
    lines += [
        f"| `{each.name}` | `{shown(each.default)}` | {shown_values(each)} | "
        f"{each.metadata['says']} | `{variable_of(each.name)}` |"
        for each in simple
    ]
    once = [f"`{each.name}`" for each in fields(Settings) if each.name in ONCE]
    lines += [
        "",
        "Later wins: the default, the file, the table of the profile in the file, the variable of",
        "the environment, the option. A profile may have any setting for itself but",
        f"{listed(once)}:",
        "",
        "```toml",
        'theme = "light"',
        "",
        "[profiles.work]",
        'base_url = "https://docs-api.example.com"',
        'theme = "dark"',
        "",
        "[profiles.work.owners]",
        '"guides/**" = "ana@example.com"',
        "```",
        "",
        "A table of a profile is used in place of the table of all; tables have no variable. In a",
        "variable `1`, `true`, `yes` and `on` mean `true`, and `0`, `false`, `no` and `off` mean",
        "`false`; an empty one says nothing.",
    ]
    for each in fields(Settings):
        if each in simple:
            continue
        said = each.metadata["says"]
        lines += ["", f"## {each.name}", "", f"{capital(said)}.", ""]
        lines += ["```toml", EXAMPLES[each.name], "```"]
        if rows := table_keys(each.name):
            lines += ["", "| Key | Value |", "|---|---|"]
            lines += [f"| `{key}` | {written} |" for key, written in rows]
        if each.name == "keys":
            lines += _presets()
    lines += [
        "",
        "A key that is unknown or has a wrong value is named with its line or variable when",
        "copydesk opens, and is left out; all others hold. After a mistake in what says where a",
        "service is, or where a key that looks like one of that is elsewhere, nothing is opened:",
        "it would not be sure which service is meant, and whether it is read-only.",
        "`copydesk settings check` tells all.",
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
    from copydesk.local.own_commands import EVENTS
    from copydesk.local.settings_schema import KEYS

    if name == "hooks":
        return [(event, "a list of commands; each a list of words") for event in EVENTS]
    return [(key, written) for key, (_, written) in KEYS.get(name, {}).items()]


def settings_file(
    paths: Paths,
    profile: str | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> SettingsFile:
    """Return the file of the settings, for a run with a profile and options."""
    return SettingsFile(paths.settings, more_mistakes, profile, options, refused_theme)


def _file(profile: str | None) -> SettingsFile:
    """Return the file for a run with a profile, if one is named. Raises ``UsageError`` for none."""
    if profile is None:
        return settings_file(find_paths())
    file = settings_file(find_paths(), profile, {"profile": profile})
    if wrong := file.no_profile(profile):
        raise UsageError(wrong)
    return file


def _own(profile: str | None) -> str:
    """Return the profile whose table is changed, "" for none. Raises ``UsageError``."""
    if profile == EMBEDDED:
        raise UsageError("your own desk has no table of settings: leave out --profile")
    return profile or ""


def own_keymap() -> Mapping[str, Sequence[str]]:
    """Return the keys of the settings in place of declared ones, by the ids of actions."""
    from copydesk.session.declarations import keymap

    settings = settings_file(find_paths()).in_use().settings
    return keymap(settings.keys)[0] if settings.keys != OwnKeys() else {}


def more_mistakes(settings: Settings) -> dict[str, str]:
    """Return what is wrong with keys, own commands and lists.

    By the name of the setting, the action, ``commands.NAME`` or ``lists.NAME``.
    """
    from copydesk.session.declarations import keymap, list_mistakes, own_command_mistakes

    keys, mistakes = keymap(settings.keys) if settings.keys != OwnKeys() else ({}, {})
    own = own_command_mistakes(settings.commands, keys)
    own = {f"commands.{name}": said for name, said in own.items()}
    lists = {f"lists.{name}": said for name, said in list_mistakes(settings.lists).items()}
    return {**mistakes, **own, **lists}


@contextmanager
def _as_usage() -> Iterator[None]:
    """Have what a setting cannot be end the command as wrong usage."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from error
