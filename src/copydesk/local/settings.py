"""The settings of a person in ``config.toml``, checked with the line of every mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import Field, field, fields
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.domain.keymap import OwnKeys
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.saved_view import SavedView
from copydesk.local.saved_views import views_of

if TYPE_CHECKING:
    from copydesk.domain.checks import Check
    from copydesk.domain.clustering import Clustering
    from copydesk.domain.list_columns import ListColumns
    from copydesk.domain.own_command import Hook, OwnCommand
    from copydesk.domain.own_theme import OwnTheme
    from copydesk.domain.owners import Owned
    from copydesk.domain.profile import Profile


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in the settings. ``line`` counts from 1; 0 when it is not known."""

    line: int
    key: str
    sentence: str
    meant: str = ""
    """The key that was probably meant, where there is no such key."""

    @property
    def said(self) -> str:
        """The mistake with its line."""
        return f"{f'line {self.line}: ' if self.line else ''}{self.sentence}"


class SettingsError(ValueError):
    """The settings cannot be used. The text has one line per problem, ready to be shown.

    ``usable`` are the valid ones, for callers that go on without the rest.
    """

    def __init__(self, path: Path, problems: list[Problem], usable: Settings | None = None) -> None:
        self.path = path
        self.problems = tuple(problems)
        self.usable = usable or Settings()
        super().__init__(
            "\n".join(
                f"{path}{f', line {problem.line}' if problem.line else ''}: {problem.sentence}"
                for problem in problems
            )
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings, with their defaults. A field is a key of the file; ``says`` what it is for, and
    ``group`` on which tab of the screen of settings it is.

    A key of text or of a number is checked by its ``choices`` or its ``range``. The others are
    tables, each read by a module of its own: ``saved_views``, ``profiles`` and those of `TABLES`.
    """

    theme: str = field(
        default="auto",
        metadata={
            "group": "Looks",
            "says": "the colours: auto (by the terminal), dark, light, colour-blind, ansi, mono or "
            "one of Textual's; also --theme and COPYDESK_THEME",
        },
    )
    glyphs: str = field(
        default="auto",
        metadata={
            "group": "Looks",
            "choices": ("auto", "unicode", "ascii"),
            "says": "the signs that are drawn; auto goes by the terminal",
        },
    )
    recall_seconds: int = field(
        default=5,
        metadata={
            "group": "Sending",
            "range": (0, 60),
            "says": "how many seconds a write waits before it is sent, for u to recall it; 0 sends "
            "it at once",
        },
    )
    news: str = field(
        default="notice",
        metadata={
            "group": "Looks",
            "choices": ("notice", "bell", "quiet"),
            "says": "how news is told while the terminal is in the background: a notice and "
            "the bell of the terminal, the bell alone, or neither",
        },
    )
    pictures: str = field(
        default="auto",
        metadata={
            "group": "Looks",
            "choices": ("auto", "kitty", "sixel", "blocks", "off"),
            "says": "how pictures are drawn; auto asks the terminal, off tells only size and words",
        },
    )
    linear: bool = field(
        default=False,
        metadata={
            "group": "Looks",
            "says": "whether copydesk tells in words, line by line, what its screens show, for "
            "screen readers; also --linear, COPYDESK_LINEAR=1 and ACCESSIBLE=1",
        },
    )
    keys: OwnKeys = field(
        default=OwnKeys(),
        metadata={"group": "Keys", "says": "the keys of the screens: a preset, and your own"},
    )
    views: tuple[SavedView, ...] = field(
        default=(),
        metadata={
            "group": "Lists",
            "says": "views of the list of change requests; F there saves one",
        },
    )
    profile: str = field(
        default="",
        metadata={
            "group": "Profiles",
            "says": "the profile that is opened; empty or desk: your own desk",
        },
    )
    profiles: tuple[Profile, ...] = field(
        default=(),
        metadata={"group": "Profiles", "says": "the services that copydesk is logged in to"},
    )
    checks: tuple[Check, ...] = field(
        default=(),
        metadata={"group": "Commands", "says": "commands that check the pages of a change request"},
    )
    owners: tuple[Owned, ...] = field(
        default=(),
        metadata={
            "group": "Sending",
            "says": "who owns pages, by path: they are suggested as reviewers",
        },
    )
    clusters: Clustering | None = field(
        default=None,
        metadata={"group": "Lists", "says": "how your own desk finds clusters in conversations"},
    )
    commands: tuple[OwnCommand, ...] = field(
        default=(),
        metadata={
            "group": "Commands",
            "says": "commands of your own, each with a key, for the selected row",
        },
    )
    hooks: tuple[Hook, ...] = field(
        default=(),
        metadata={"group": "Commands", "says": "programs that run after a merge, a plan or news"},
    )
    lists: tuple[ListColumns, ...] = field(
        default=(),
        metadata={"group": "Lists", "says": "the columns of the lists of screens, in your order"},
    )
    themes: tuple[OwnTheme, ...] = field(
        default=(),
        metadata={
            "group": "Looks",
            "says": "themes of your own, to be named by theme",
        },
    )


DECIDING = frozenset({"", "profile", "profiles"})
"""Keys whose mistakes are no warning: they say which service is opened ("": the whole file).

So do these misspelt, and the keys of a profile that stand where no profile is.
"""


TABLES = {
    "keys": ("copydesk.local.keymap", "own_keys_of"),
    "checks": ("copydesk.local.check_settings", "checks_of"),
    "owners": ("copydesk.local.owners", "owners_of"),
    "clusters": ("copydesk.local.clusters", "clustering_of"),
    "commands": ("copydesk.local.own_commands", "own_commands_of"),
    "hooks": ("copydesk.local.own_commands", "hooks_of"),
    "themes": ("copydesk.local.own_themes", "own_themes_of"),
    "lists": ("copydesk.local.list_columns", "list_columns_of"),
}
"""The module and the function that reads each table: without the table no start waits for it.

It takes what is below the key and the text of the file, and returns what holds, and the mistakes
with their lines.
"""


def usable_settings(path: Path, *needed: str) -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings that can be used, and the mistakes in the others.

    Raises ``SettingsError`` where a mistake leaves open which service is meant, or is in what the
    ``needed`` keys have, and ``OSError``.
    """
    try:
        return load_settings(path), ()
    except SettingsError as error:
        no_warning = DECIDING | {*needed}
        if any(no_warning & {each.key, each.meant or each.key} for each in error.problems):
            raise
        return error.usable, error.problems


def load_settings(path: Path) -> Settings:
    """Return the settings in ``path``; the defaults without such a file.

    Raises ``SettingsError`` with every mistake, and ``OSError`` for an unreadable file.
    """
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem(line, "", "this is not UTF-8 text: save the file as UTF-8")
        raise SettingsError(path, [problem]) from error
    return parse_settings(path, text)


def parse_settings(path: Path, text: str) -> Settings:
    """Return the settings that a text says. Raises ``SettingsError`` with every mistake."""
    import tomllib  # without settings no start has to wait for it

    try:
        value = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(path, [_syntax(str(error), text)]) from error
    return _settings(path, text, value)


def _settings(path: Path, text: str, value: dict[str, Any]) -> Settings:
    from copydesk.domain.profile import EMBEDDED
    from copydesk.local.profiles import KEYS, profiles_of

    known = {setting.name: setting for setting in fields(Settings)}
    problems = list(_misplaced({*DECIDING, *KEYS}, value, text))
    usable: dict[str, Any] = {}
    views, wrong = views_of(value.pop("views", []), text)
    problems += [Problem(line, "views", sentence) for line, sentence in wrong]
    profiles, wrong = profiles_of(value.pop("profiles", {}), text)
    problems += [Problem(line, "profiles", sentence) for line, sentence in wrong]
    for name, (module, reader) in TABLES.items():
        if name in value:
            read = getattr(import_module(module), reader)
            usable[name], said = read(value.pop(name), text)
            problems += [Problem(line, name, sentence) for line, sentence in said]
    for key, given in value.items():
        if key not in known:
            near = get_close_matches(key.casefold(), [*known, *KEYS], n=1)
            meant = near[0] if near else ""
            if meant in KEYS:
                instead, meant = f"{meant} belongs below [profiles.NAME]", "profiles"
            elif meant:
                instead = f"did you mean {meant}?"
            else:
                instead = f"the keys are {', '.join(known)}"
            sentence = f"{key} is not a setting: {instead}"
            problems.append(Problem(line_of(key, text), key, sentence, meant))
        elif sentence := _mistake(known[key], given):
            problems.append(Problem(line_of(key, text), key, sentence))
        else:
            usable[key] = given
    named = value.get("profile")
    names = {EMBEDDED, *(profile.name for profile in profiles)}
    if isinstance(named, str) and named and not wrong and named not in names:
        del usable["profile"]
        sentence = f"profile is {named!r}, and there is no [profiles.{named}]"
        problems.append(Problem(line_of("profile", text), "profile", sentence))
    settings = Settings(**usable, views=views, profiles=profiles)
    if problems:
        raise SettingsError(path, sorted(problems, key=lambda problem: problem.line), settings)
    return settings


def _misplaced(keys: Set[str], value: dict[str, Any], text: str) -> Iterator[Problem]:
    """Yield the keys of these that stand in a table of something else, where they say nothing.

    That is so of what is added at the end of a file: it belongs to the last table there. A path
    of ``[owners]`` may be called so.
    """
    for table, given in value.items():
        rows = given if isinstance(given, list) else [given]
        if table in ("profiles", "owners"):
            continue
        found = {key for row in rows if isinstance(row, dict) for key in row.keys() & keys
                 if not isinstance(row[key], dict)}  # fmt: skip
        for key in sorted(found):
            where = "above the first table" if key == "profile" else "below [profiles.NAME]"
            sentence = f"{key} is in the table {table}: put it {where}"
            yield Problem(line_of(key, text), table, sentence, "profiles")


def _mistake(setting: Field[Any], given: object) -> str:
    wanted = type(setting.default)
    if type(given) is not wanted:
        kind = {str: "text in quotes", bool: "true or false", int: "a whole number"}[wanted]
        return f"{setting.name} must be {kind}"
    low, high = setting.metadata.get("range", (None, None))
    if low is not None and not low <= given <= high:
        return f"{setting.name} is {given}: it goes from {low} to {high}"
    choices = setting.metadata.get("choices")
    if choices and given not in choices:
        return f"{setting.name} is {given!r}: use {', '.join(choices[:-1])} or {choices[-1]}"
    return ""


def _syntax(message: str, text: str) -> Problem:
    said, _, place = message.partition(" (at ")
    found = re.match(r"line (\d+), column (\d+)", place)
    line = int(found[1]) if found else len(text.splitlines())
    where = f"at column {found[2]}" if found else "at the end"
    return Problem(line, "", f"this is not TOML {where}: {said[:1].lower()}{said[1:]}")


def line_of(key: str, text: str) -> int:
    """Return the line where a top-level key or table begins, which the TOML reader does not
    tell.
    """
    name = rf"[\"']?{re.escape(key)}[\"']?"
    begins = re.compile(rf"\s*(?:{name}\s*[=.]|\[+\s*{name}\s*[\].])")
    for number, line in enumerate(text.splitlines(), 1):
        if begins.match(line):
            return number
    return 0
