"""The settings of a person in ``config.toml``, checked with the line of every mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import Field, field, fields, replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.domain.keymap import OwnKeys
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in the settings. ``line`` counts from 1; 0 when it is not known.

    ``source`` is the variable that it is in, "" for the file.
    """

    line: int
    key: str
    sentence: str
    meant: str = ""
    """The key that was probably meant, where there is no such key."""
    source: str = ""

    @property
    def place(self) -> str:
        """Where it is; "" where that is not known."""
        return self.source or (f"line {self.line}" if self.line else "")

    @property
    def said(self) -> str:
        """The mistake with its place."""
        return f"{f'{self.place}: ' if self.place else ''}{self.sentence}"


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


def _setting(default: T, group: str, says: str, **more: object) -> T:
    return field(default=default, metadata={"group": group, "says": says, **more})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings, with their defaults. A field is a key of the file; ``says`` what it is for, and
    ``group`` on which tab of the screen of settings it is.

    A key of text or of a number is checked by its ``choices`` or its ``range``. The others are
    tables, each read by a module of its own: ``saved_views``, ``profiles`` and those of `TABLES`.
    ``wish`` is a variable of several programs that asks for the same.
    """

    theme: str = _setting(
        "auto",
        "Looks",
        "the colours: auto (by the terminal), dark, light, colour-blind, ansi, mono or "
        "one of Textual's; also --theme",
    )
    glyphs: str = _setting(
        "auto",
        "Looks",
        "the signs that are drawn; auto goes by the terminal",
        choices=("auto", "unicode", "ascii"),
    )
    recall_seconds: int = _setting(
        5,
        "Sending",
        "how many seconds a write waits before it is sent, for u to recall it; 0 sends it at once",
        range=(0, 60),
    )
    news: str = _setting(
        "notice",
        "Looks",
        "how news is told while the terminal is in the background: a notice and "
        "the bell of the terminal, the bell alone, or neither",
        choices=("notice", "bell", "quiet"),
    )
    pictures: str = _setting(
        "auto",
        "Looks",
        "how pictures are drawn; auto asks the terminal, off tells only size and words",
        choices=("auto", "kitty", "sixel", "blocks", "off"),
    )
    mouse: bool = _setting(
        True,
        "Looks",
        "whether clicks and the wheel are for copydesk; without, the terminal itself "
        "selects text with them",
    )
    linear: bool = _setting(
        False,
        "Looks",
        "whether copydesk tells in words, line by line, what its screens show, for "
        "screen readers; also --linear and ACCESSIBLE=1",
        wish="ACCESSIBLE",
    )
    keys: OwnKeys = _setting(OwnKeys(), "Keys", "the keys of the screens: a preset, and your own")
    views: tuple[SavedView, ...] = _setting(
        (), "Lists", "views of the list of change requests; F there saves one"
    )
    profile: str = _setting(
        "", "Profiles", "the profile that is opened; empty or desk: your own desk"
    )
    profiles: tuple[Profile, ...] = _setting(
        (), "Profiles", "the services that copydesk is logged in to"
    )
    checks: tuple[Check, ...] = _setting(
        (), "Commands", "commands that check the pages of a change request"
    )
    owners: tuple[Owned, ...] = _setting(
        (), "Sending", "who owns pages, by path: they are suggested as reviewers"
    )
    clusters: Clustering | None = _setting(
        None, "Lists", "how your own desk finds clusters in conversations"
    )
    commands: tuple[OwnCommand, ...] = _setting(
        (), "Commands", "commands of your own, each with a key, for the selected row"
    )
    hooks: tuple[Hook, ...] = _setting(
        (), "Commands", "programs that run after a merge, a plan or news"
    )
    lists: tuple[ListColumns, ...] = _setting(
        (), "Lists", "the columns of the lists of screens, in your order"
    )
    themes: tuple[OwnTheme, ...] = _setting((), "Looks", "themes of your own, to be named by theme")


SIMPLE = (str, int, bool)
"""Types of settings that are one value, and no table."""


ONCE = frozenset({"profile", "profiles", "views", "clusters"})
"""Settings that no profile has for itself: they choose it, are saved by the screens, or are of the
desk on this machine.
"""


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

    Raises ``SettingsError`` with the mistakes that leave open which service is meant, or are in
    what the ``needed`` keys have, and ``OSError``.
    """
    try:
        return load_settings(path), ()
    except SettingsError as error:
        stops = DECIDING | {*needed}
        those = [each for each in error.problems if stops & {each.key, each.meant or each.key}]
        if those:
            raise SettingsError(path, those, error.usable) from error
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


def read_text(path: Path) -> str:
    """Return the text of the file; "" for no file. Raises ``OSError``."""
    return path.read_text("utf-8-sig", errors="replace") if path.is_file() else ""


def parse_settings(path: Path, text: str) -> Settings:
    """Return the settings that a text says. Raises ``SettingsError`` with every mistake."""
    import tomllib  # without settings no start has to wait for it

    try:
        value = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(path, [_syntax(str(error), text)]) from error
    return _settings(path, text, value)


def _settings(path: Path, text: str, value: dict[str, Any]) -> Settings:
    from copydesk.domain.profile import EMBEDDED, named_profile
    from copydesk.local.profiles import KEYS, profiles_of

    top = profile_part("", text)
    problems = list(_misplaced({*DECIDING, *KEYS}, value, top))
    views, wrong = views_of(value.pop("views", []), top)
    problems += [Problem(line, "views", sentence) for line, sentence in wrong]
    tables = value.pop("profiles", {})
    own = dict[str, tuple[tuple[str, Any], ...]]()
    for name, given in tables.items() if isinstance(tables, dict) else ():
        mine = {key: given.pop(key) for key in _of_profile(given)}
        part = profile_part(name, text)
        misplaced = [*_misplaced({*DECIDING, *KEYS}, mine, part)]
        found, mistakes = _checked(mine, part)
        own[name] = tuple(found.items())
        problems += [
            replace(each, sentence=f"{named_profile(name)}: {each.sentence}")
            for each in (*misplaced, *mistakes)
        ]
    profiles, wrong = profiles_of(tables, text)
    problems += [Problem(line, "profiles", sentence) for line, sentence in wrong]
    profiles = tuple(replace(each, settings=own[each.name]) for each in profiles)
    usable, mistakes = _checked(value, top)
    problems += mistakes
    named = value.get("profile")
    names = {EMBEDDED, *(profile.name for profile in profiles)}
    if isinstance(named, str) and named and not wrong and named not in names:
        del usable["profile"]
        sentence = f"profile is {named!r}, and there is no [profiles.{named}]"
        problems.append(Problem(line_of("profile", top), "profile", sentence))
    settings = Settings(**usable, views=views, profiles=profiles)
    if problems:
        raise SettingsError(path, sorted(problems, key=lambda problem: problem.line), settings)
    return settings


def _checked(value: dict[str, Any], text: str) -> tuple[dict[str, Any], list[Problem]]:
    """Return the settings of a table that can be used, and the mistakes in the others."""
    from copydesk.local.profiles import KEYS

    known = {setting.name: setting for setting in fields(Settings)}
    usable, problems = dict[str, Any](), list[Problem]()
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
        elif sentence := mistake_in(known[key], given):
            problems.append(Problem(line_of(key, text), key, sentence))
        else:
            usable[key] = given
    return usable, problems


def of_profiles() -> list[Field[Any]]:
    """Return the settings that a profile may have for itself."""
    return [each for each in fields(Settings) if each.name not in ONCE]


def _of_profile(given: object) -> list[str]:
    """Return the keys of a profile that are settings, or misspelt ones, and not its own."""
    from copydesk.local.profiles import KEYS

    known = [*KEYS, *(each.name for each in of_profiles())]
    near = (
        {key: get_close_matches(key.casefold(), known, n=1) for key in given}
        if isinstance(given, dict)
        else {}
    )
    return [key for key, meant in near.items() if meant and meant[0] not in KEYS]


_HEADER = re.compile(r"\s*\[[^,]*\]\s*(?:#.*)?$")
_PROFILES = re.compile(r"\s*\[+\s*[\"']?profiles[\"']?\s*\.")


def profile_part(name: str, text: str) -> str:
    """Return a file with nothing but what a profile has, as if that was at the top.

    Each line stays where it is. Without a name it is what no profile has.
    """
    above = rf"[\"']?profiles[\"']?\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*(?:\.\s*|(?=\]))"
    begins = re.compile(rf"(\s*(?:\[+\s*)?){above}")
    lines, inside = list[str](), not name
    for line in text.splitlines():
        own = begins.match(line) if name else _PROFILES.match(line)
        if _HEADER.match(line):
            inside = bool(own) is bool(name)
        if own:
            line = begins.sub(r"\1", line)
        lines.append(line if own or inside else "")
    return "\n".join(lines)


def _misplaced(keys: Set[str], value: dict[str, Any], text: str) -> Iterator[Problem]:
    """Yield the keys of these that stand in a table of something else, where they say nothing.

    That is so of what is added at the end of a file: it belongs to the last table there. A path
    of ``[owners]`` may be called so.
    """
    for table, given in value.items():
        if table == "profiles":
            continue
        found = {
            key for key, below in _below(given)
            if key in keys and (isinstance(below, bool) or table != "owners")
        }  # fmt: skip
        for key in sorted(found):
            where = "above the first table" if key == "profile" else "below [profiles.NAME]"
            sentence = f"{key} is in the table {table}: put it {where}"
            yield Problem(line_of(key, text), table, sentence, "profiles")


def _below(given: object) -> Iterator[tuple[str, object]]:
    """Yield the keys of a table and of all tables in it, with their values but for tables."""
    for row in given if isinstance(given, list) else [given]:
        for key, value in row.items() if isinstance(row, dict) else ():
            yield from _below(value)
            if not isinstance(value, dict):
                yield key, value


def mistake_in(setting: Field[Any], given: object) -> str:
    """Return why a setting cannot have a value, as a sentence; "" where it can."""
    wanted = type(setting.default)
    if type(given) is not wanted:
        kind = {str: "text in quotes", bool: "true or false", int: "a whole number"}[wanted]
        return f"{setting.name} must be {kind}"
    low, high = setting.metadata.get("range", (None, None))
    if low is not None and not low <= given <= high:
        return f"{setting.name} is {given}: it goes from {low} to {high}"
    choices = setting.metadata.get("choices")
    if choices and given not in choices:
        use = f"use {', '.join(choices[:-1])} or {choices[-1]}"
        return f"{setting.name} is {given!r}: {did_you_mean(str(given), choices, use)}"
    return ""


_PLAIN = {
    "Illegal character '\\n'": "a text in quotes has no end on its line",
    "Invalid value": "not a value: write a text in quotes",
}
"""What the reader of TOML says of the usual slips, and how we say it."""


def _syntax(message: str, text: str) -> Problem:
    said, _, place = message.partition(" (at ")
    said = _PLAIN.get(said, said)
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
