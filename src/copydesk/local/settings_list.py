"""The settings as a person looks at them: each with where its value is from, and changes of one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from copydesk.domain.clustering import Clustering
from copydesk.domain.keymap import OwnKeys
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.text import clean, plural
from copydesk.local.durable import PRIVATE
from copydesk.local.keymap import line_in_keys
from copydesk.local.paths import private_folder
from copydesk.local.settings import (
    Problem,
    Settings,
    SettingsError,
    line_of,
    load_settings,
    parse_settings,
)
from copydesk.local.settings_file import open_document, write_document
from copydesk.local.settings_lines import line_in_table, lines_in_list
from copydesk.local.settings_schema import SCHEMA_FILE, choices_of, schema_text, shown_values

SIMPLE = (str, int, bool)
"""Types of settings that are one value, and no table."""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its value and its default as the file would have them, and where it is from.

    ``line`` is where it is in the file, 0 where it is not there. ``wrong`` says why what is there
    is not used: all of it, or so many entries of a table as ``unused`` says. ``takes`` tells its
    values to people, ``choices`` are all of them where they are few. ``table``: it is no single
    value. A key of the file that is no setting has no ``default``. ``group`` is the tab that it is
    on; there, the entries of a table have rows too: ``entry``. ``variable`` is the one of the
    environment that says something else than the file.
    """

    name: str
    value: str
    default: str
    line: int
    wrong: str = ""
    says: str = ""
    takes: str = ""
    choices: tuple[str, ...] = ()
    table: bool = False
    group: str = ""
    entry: bool = False
    unused: int = 0
    variable: str = ""

    @property
    def source(self) -> str:
        """Where its value is from; of a table that holds without some entries, how many.

        Of an entry that has a mistake some may hold: the other columns of a list do.
        """
        where = f"line {self.line}" if self.line else "default"
        part = f"{self.unused} wrong" if self.unused else "wrong" if self.entry else "not used"
        return f"{where}: {part}" if self.wrong else self.variable or where


class SettingsFile:
    """The file of the settings.

    ``check`` finds what else is wrong with settings that could be so, by their names: themes and
    actions that there are not, which are not declared here. ``told`` are values of the environment
    that hold in place of those of the file, each with the name of its variable.
    """

    def __init__(
        self,
        path: Path,
        check: Callable[[Settings], Mapping[str, str]] = lambda settings: {},
        told: Mapping[str, tuple[str | bool, str]] = MappingProxyType({}),
    ) -> None:
        self.path = path
        self._check = check
        self.told = told

    @property
    def text(self) -> str:
        """What is in the file; "" where there is none. Raises ``OSError``."""
        if not self.path.is_file():
            return ""
        return self.path.read_text("utf-8-sig", errors="replace")

    def read(self) -> tuple[Settings, tuple[Problem, ...]]:
        """Return the settings that hold, and every mistake by its line. Raises ``OSError``."""
        problems: tuple[Problem, ...] = ()
        try:
            settings = load_settings(self.path)
        except SettingsError as error:
            settings, problems = error.usable, error.problems
        problems = (*problems, *self.more_problems(settings))
        return settings, tuple(sorted(problems, key=lambda each: each.line))

    def more_problems(self, settings: Settings) -> list[Problem]:
        """Return what ``check`` finds, with its lines. Raises ``OSError``."""
        text, found = "", self._check(settings)
        if found:
            text = self.text
        return [_problem(name, said, text) for name, said in found.items()]

    def rows(self) -> list[SettingRow]:
        """Return every setting, and every key of the file that is none. Raises ``OSError``."""
        settings, problems = self.read()
        text = self.text
        known = {each.name for each in fields(Settings)}
        unknown = [
            SettingRow(clean(each.key, limit=60), "not used", "", each.line, each.sentence)
            for each in problems
            if each.key not in known
        ]
        rows = [*unknown, *(_row(each, settings, problems, text) for each in fields(Settings))]
        for at, row in enumerate(rows):
            value, variable = self.told.get(row.name, ("", ""))
            if variable and shown(value) != row.value:
                rows[at] = replace(row, value=shown(value), variable=variable)
        return rows

    def entries(self) -> list[SettingRow]:
        """Return a row for each entry of each table of the file. Raises ``OSError``."""
        _, problems = self.read()
        text = self.text
        try:
            value = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return []
        tables = [each for each in fields(Settings) if type(each.default) not in SIMPLE]
        rows: list[SettingRow] = []
        for each in tables:
            found = [
                _entry(each, name, given, line)
                for name, given, line in _entries_of(each.name, value.get(each.name), text)
            ]
            rows += _marked(found, [problem for problem in problems if problem.key == each.name])
        return rows

    def change(self, name: str, typed: str) -> str:
        """Give a setting a value and return that as the file has it now; all else stays.

        Raises ``ValueError`` with a sentence where that is no value of it, and ``OSError``.
        """
        setting = setting_called(name)
        kind = type(setting.default)
        if kind not in SIMPLE:
            raise ValueError(f"{name} is a table: edit the file")
        given: str | int = typed
        if kind is bool and typed in choices_of(setting):
            given = typed == shown(True)
        if kind is int and typed.removeprefix("-").isdecimal():
            given = int(typed)
        document = self._document()
        document[name] = given
        wrong = self._mistake(name, document.as_string())
        if wrong:
            raise ValueError(f"{wrong}. Nothing was changed.")
        write_document(self.path, document)
        return shown(given)

    def typed(self, name: str) -> str | None:
        """Return what the file has for a setting, as one types it; None where it is not there.

        Raises ``ValueError`` where the file cannot be read, and ``OSError``.
        """
        value = self._document().get(name)
        if isinstance(value, bool):
            return shown(value)
        return None if value is None else str(value)

    def reset(self, name: str) -> bool:
        """Take a key out of the file, so that the default holds; whether it was there.

        Raises ``ValueError`` where the file cannot be edited, and ``OSError``.
        """
        document = self._document()
        if name not in document:
            return False
        del document[name]
        write_document(self.path, document)
        return True

    def make(self) -> None:
        """Make the file where there is none, with every default as a comment.

        Beside it is the schema then, by which editors complete: that of this version, at each
        edit. Raises ``OSError``.
        """
        if not self.path.exists():
            private_folder(self.path.parent)
            self.path.touch(PRIVATE)
            self.path.write_text(template(), encoding="utf-8")
        beside, schema = self.path.with_name(SCHEMA_FILE), schema_text().encode()
        with suppress(OSError):  # the settings can be edited without it
            if not beside.exists() or beside.read_bytes() != schema:
                beside.write_bytes(schema)

    def _document(self) -> Any:
        """Return the file for an edit of one key. Raises ``ValueError`` where it is not TOML."""
        try:
            return open_document(self.path)
        except UnicodeDecodeError as error:
            said = f"{self.path} is not UTF-8 text: save the file as UTF-8. Nothing was changed."
            raise ValueError(said) from error
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}. Nothing was changed.") from error

    def _mistake(self, name: str, text: str) -> str:
        """Return what is wrong with a setting in a text; "" for nothing."""
        try:
            settings = parse_settings(self.path, text)
        except SettingsError as error:
            said = next((each.sentence for each in error.problems if each.key == name), "")
            if said:
                return said
            settings = error.usable
        return self._check(settings).get(name, "")


def _problem(name: str, said: str, text: str) -> Problem:
    if name == "theme":
        return Problem(line_of(name, text), name, said)
    table, _, entry = name.partition(".")
    if table in ("commands", "lists"):
        return Problem(line_in_table(table, entry, text), table, said)
    return Problem(line_in_keys(name, text), "keys", said)


def setting_called(name: str) -> Field[Any]:
    """Return a setting by its name. Raises ``ValueError`` with the nearest one."""
    known = {each.name: each for each in fields(Settings)}
    if name in known:
        return known[name]
    meant = did_you_mean(name, known, f"the settings are {', '.join(known)}")
    raise ValueError(f"{clean(name, limit=60)} is not a setting: {meant}")


def template() -> str:
    """Return a new file: every setting with its default, as a comment."""
    lines = [f"#:schema ./{SCHEMA_FILE}"]
    lines += ["# Settings of copydesk. Remove the # of a line to use it.", ""]
    for each in fields(Settings):
        if type(each.default) in SIMPLE:
            lines += [f"# {each.metadata['says']}", f"# {each.name} = {shown(each.default)}", ""]
    return "\n".join([*lines, "# Tables: copydesk settings schema, docs/settings.md", ""])


def shown(value: object) -> str:
    """Return a value as the file would have it; of a table how much there is."""
    if value is None:
        return "none"
    if isinstance(value, Clustering):
        return "set"
    if isinstance(value, OwnKeys):
        own = f" and {plural(len(value.keys), 'key')}" if value.keys else ""
        return f'"{value.preset}"{own}'
    if isinstance(value, tuple):
        return plural(len(value), "entry", "entries") if value else "none"
    return json.dumps(value, ensure_ascii=False)


def _row(
    setting: Field[Any], settings: Settings, problems: tuple[Problem, ...], text: str
) -> SettingRow:
    mistakes = [each for each in problems if each.key == setting.name]
    wrong = mistakes[0] if mistakes else None
    table = type(setting.default) not in SIMPLE
    holds = table and getattr(settings, setting.name) != setting.default
    return SettingRow(
        setting.name,
        shown(getattr(settings, setting.name)),
        shown(setting.default),
        wrong.line if wrong else line_of(setting.name, text),
        wrong.sentence if wrong else "",
        setting.metadata["says"],
        "a table: docs/settings.md" if table else shown_values(setting),
        choices_of(setting),
        table,
        setting.metadata["group"],
        unused=len(mistakes) if holds else 0,
    )


def _entries_of(table: str, value: object, text: str) -> Iterator[tuple[str, object, int]]:
    """Yield the entries of a table, or of a list of tables, with their names and lines."""
    if isinstance(value, dict):
        for name, given in value.items():
            yield name, given, line_in_table(table, name, text)
    elif isinstance(value, list):
        for each, line in zip(value, lines_in_list(table, len(value), text), strict=True):
            if isinstance(each, dict):
                more = {key: given for key, given in each.items() if key != "name"}
                yield str(each.get("name", "")), more, line


def _entry(setting: Field[Any], name: str, given: object, line: int) -> SettingRow:
    """Return the row of an entry: a table in it is told by its keys and their values."""
    told = given if isinstance(given, dict) else {"": given}
    parts = (
        f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}".removeprefix(" = ")
        for key, value in told.items()
    )
    return SettingRow(
        clean(f"{setting.name}.{name}", limit=60), clean(", ".join(parts), limit=500), "", line,
        says=setting.metadata["says"], table=True, group=setting.metadata["group"], entry=True,
    )  # fmt: skip


def _marked(rows: Sequence[SettingRow], problems: Iterable[Problem]) -> list[SettingRow]:
    """Return the entries of a table with what is wrong in each; of those on one line by name."""
    marked = list(rows)
    for problem in problems:
        line = max((row.line for row in rows if row.line <= problem.line), default=0)
        there = [at for at, row in enumerate(rows) if row.line == line]
        if len(there) > 1:
            named = problem.sentence.replace(":", " ").split()
            there = [at for at in there if rows[at].name.partition(".")[2] in named]
        for at in there:
            marked[at] = replace(marked[at], wrong=marked[at].wrong or problem.sentence)
    return marked
