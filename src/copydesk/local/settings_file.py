"""The file of the settings, each with where its value is from, and changes of one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from copydesk.domain.clustering import Clustering
from copydesk.domain.keymap import OwnKeys
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.profile import EMBEDDED, named_profile
from copydesk.domain.text import clean, plural
from copydesk.local.durable import PRIVATE
from copydesk.local.keymap import line_in_keys
from copydesk.local.paths import private_folder
from copydesk.local.settings import (
    DECIDING,
    ONCE,
    SIMPLE,
    Problem,
    Settings,
    SettingsError,
    line_of,
    mistake_in,
    parse_settings,
    profile_part,
    read_text,
)
from copydesk.local.settings_document import open_document, unwritable, write_document
from copydesk.local.settings_in_use import InUse, Refused, settings_in_use
from copydesk.local.settings_lines import line_in_table, lines_in_list
from copydesk.local.settings_schema import (
    SCHEMA_FILE,
    also_said,
    choices_of,
    schema_text,
    shown_values,
)
from copydesk.local.variables import variable_of


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its value and its default as the file would have them, and where it is from.

    ``source`` says that in words; ``line`` is where the file has it, 0 where that has not, and
    ``at_top`` whether it has it for every profile.
    ``wrong`` says why something that is said of it is not used. ``takes`` tells its values to
    people, ``choices`` are all of them where they are few. ``table``: it is no single value. A key
    of the file that is no setting has no ``default``. ``group`` is the tab that it is on; there,
    the entries of a table have rows too: ``entry``. ``instead_of`` are the sources that say
    something and do not count, with their values, and ``also`` is how else it may be said.
    """

    name: str
    value: str
    default: str
    line: int
    source: str
    wrong: str = ""
    says: str = ""
    takes: str = ""
    choices: tuple[str, ...] = ()
    table: bool = False
    group: str = ""
    entry: bool = False
    instead_of: tuple[tuple[str, str], ...] = ()
    also: str = ""
    at_top: bool = False


class SettingsFile:
    """The file of the settings.

    ``check`` finds what else is wrong with settings that could be so, by their names: actions that
    there are not, which are not declared here; ``refused`` does so for themes. The run is one with
    a ``profile`` (None: the one that the settings name) and with ``options``, by their settings.
    """

    def __init__(
        self,
        path: Path,
        check: Callable[[Settings], Mapping[str, str]] = lambda settings: {},
        profile: str | None = None,
        options: Mapping[str, Any] = MappingProxyType({}),
        refused: Refused = lambda theme, themes: "",
    ) -> None:
        self.path = path
        self._check = check
        self._profile, self._options, self._refused = profile, options, refused

    @property
    def text(self) -> str:
        """The text of the file; "" without a file. Raises ``OSError``."""
        return read_text(self.path)

    def in_use(self) -> InUse:
        """Return what holds in this run, and every mistake by its line. Raises ``OSError``."""
        found = settings_in_use(
            self.path, self._profile,
            options=self._options, refused=self._refused, lenient=True,
        )  # fmt: skip
        wrong = self._check(found.settings)
        problems = (*found.problems, *self._problems(wrong, found))
        every = tuple(sorted(problems, key=lambda each: each.line))
        return replace(found, settings=_without(found.settings, wrong), problems=every)

    def more_problems(self, found: InUse) -> list[Problem]:
        """Return what ``check`` finds, with its lines. Raises ``OSError``."""
        return self._problems(self._check(found.settings), found)

    def _problems(self, wrong: Mapping[str, str], found: InUse) -> list[Problem]:
        return [_problem(name, said, found, self.text) for name, said in wrong.items()]

    def rows(self) -> list[SettingRow]:
        """Return every setting, and every unknown key of the file. Raises ``OSError``."""
        found = self.in_use()
        text = self.text if all(each.key for each in found.problems) else ""  # no line holds then
        known = {each.name for each in fields(Settings)}
        unknown = [
            SettingRow(clean(each.key, limit=60), "not used", "", each.line,
                       f"{each.place or 'file'}: not used", each.sentence)
            for each in found.problems
            if each.key not in known
        ]  # fmt: skip
        return [*unknown, *(_row(each, found, text) for each in fields(Settings))]

    def entries(self) -> list[SettingRow]:
        """Return a row for each entry of each table of the file. Raises ``OSError``."""
        found, text = self.in_use(), self.text
        try:
            value = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return []
        tables = [each for each in fields(Settings) if type(each.default) not in SIMPLE]
        rows: list[SettingRow] = []
        for each in tables:
            profile = _profile_with(each.name, found)
            above = value["profiles"][profile] if profile else value
            part = profile_part(profile, text)
            entries = [
                _entry(each, name, given, line)
                for name, given, line in _entries_of(each.name, above.get(each.name), part)
            ]
            wrong = [problem for problem in found.problems if problem.key == each.name]
            rows += _marked(entries, wrong)
        return rows

    def change(self, name: str, typed: str, profile: str = "") -> str:
        """Give a setting a value and return that as the file has it now; all else stays.

        With a ``profile`` it is one of its table. Raises ``ValueError`` with a sentence where that
        is no value of it, and ``OSError``.
        """
        setting = setting_called(name)
        kind = type(setting.default)
        if kind not in SIMPLE:
            raise ValueError(f"{name} is a table: edit the file")
        if profile and name in ONCE:
            raise ValueError(f"{name} is not a setting of a profile: it holds for all")
        given: str | int = typed
        if kind is bool and typed in choices_of(setting):
            given = typed == shown(True)
        if kind is int and typed.removeprefix("-").isdecimal():
            given = int(typed)
        document = self._document()
        _table(document, profile)[name] = given
        wrong = mistake_in(setting, given) or self._mistake(name, document.as_string(), profile)
        if wrong:
            end = "" if wrong.endswith("?") else "."
            raise ValueError(f"{wrong}{end} Nothing was changed.")
        try:
            write_document(self.path, document)
        except OSError as error:
            raise OSError(f"{error} {variable_of(name)} sets it for one run.") from error
        return shown(given)

    def used_instead(self, name: str, profile: str = "") -> str:
        """Say what holds in place of what the file says of a setting; "" where that holds.

        With a ``profile`` it is said there. Raises ``OSError``.
        """
        return next(
            (
                f"{each.source} says {shown(each.values[name])}, and is used instead."
                for each in reversed(self.in_use().layers)
                if name in each.values and each.source != f"profile {profile}"
            ),
            "",
        )

    def no_profile(self, name: str) -> str:
        """Say that there is no such profile; "" where there is, even if something in it is wrong.

        Raises ``OSError``.
        """
        try:
            tables = tomllib.loads(self.text).get("profiles")
        except tomllib.TOMLDecodeError:
            return ""
        given = tables.items() if isinstance(tables, dict) else ()
        known = [EMBEDDED, *(each for each, table in given if isinstance(table, dict))]
        if name in known:
            return ""
        meant = did_you_mean(name, known, f"the profiles are {clean(', '.join(known), limit=200)}")
        return f"there is no {named_profile(name)}: {meant}"

    def typed(self, name: str) -> str | None:
        """Return what the file has for a setting, as one types it; None where it is not there.

        Raises ``ValueError`` where the file cannot be read, and ``OSError``.
        """
        value = self._document().get(name)
        if isinstance(value, bool):
            return shown(value)
        return None if value is None else str(value)

    def reset(self, name: str, profile: str = "") -> bool:
        """Take a key out of the file, or of the table of a profile there; whether it was there.

        Raises ``ValueError`` where the file cannot be edited or has no such key, which is no
        setting either, and ``OSError``.
        """
        document = self._document()
        table = _table(document, profile)
        if name not in table:
            setting_called(name)
            return False
        del table[name]
        write_document(self.path, document)
        return True

    def make(self) -> None:
        """Make a missing file, with every default as a comment.

        Beside it is the schema then, by which editors complete: that of this version, at each
        edit. Raises ``OSError``.
        """
        if not self.path.exists():
            try:
                private_folder(self.path.parent)
                self.path.touch(PRIVATE)
                self.path.write_text(template(), encoding="utf-8")
            except OSError as error:
                raise unwritable(self.path, error) from error
        beside, schema = self.path.with_name(SCHEMA_FILE), schema_text().encode()
        with suppress(OSError):  # the settings can be edited without it
            if not beside.exists() or beside.read_bytes() != schema:
                beside.write_bytes(schema)

    def _document(self) -> Any:
        """Return the file for an edit of one key. Raises ``ValueError`` where it is not TOML."""
        try:
            return open_document(self.path)
        except ValueError as error:
            whole = [each.said for each in self.in_use().problems if not each.key]
            said = f"{self.path}, {whole[0]}" if whole else f"{self.path}: {error}"
            raise ValueError(f"{said}. Nothing was changed.") from error

    def _mistake(self, name: str, text: str, profile: str) -> str:
        """Return what is wrong with a value that there could be, in a text; "" for nothing."""
        try:
            settings = parse_settings(self.path, text)
        except SettingsError as error:
            said = next((each.sentence for each in error.problems if each.key == name), "")
            if said and name in DECIDING:
                return said
            settings = error.usable
        own = next((dict(each.settings) for each in settings.profiles if each.name == profile), {})
        if name == "theme":
            named = own.get(name, settings.theme)
            return self._refused(named, own.get("themes", settings.themes))
        return ""


def _without(settings: Settings, wrong: Collection[str]) -> Settings:
    """Return what holds of settings: the keys, commands and lists that are not wrong."""
    keys = {name: given for name, given in settings.keys.keys.items() if name not in wrong}
    return replace(
        settings,
        keys=replace(settings.keys, keys=keys),
        commands=tuple(one for one in settings.commands if f"commands.{one.name}" not in wrong),
        lists=tuple(one for one in settings.lists if f"lists.{one.name}" not in wrong),
    )


def _table(document: Any, profile: str) -> Any:
    """Return where a file has the settings of all, or those of a profile that is there."""
    return document["profiles"][profile] if profile else document


def _profile_with(name: str, found: InUse) -> str:
    """Return the profile in use where it has a setting for itself, else ""."""
    return (
        found.profile
        if any(name in each.values and each.source.startswith("profile ") for each in found.layers)
        else ""
    )


def _problem(name: str, said: str, found: InUse, text: str) -> Problem:
    table, _, entry = name.partition(".")
    if table not in ("commands", "lists"):
        table = "keys"
    part = profile_part(_profile_with(table, found), text)
    line = line_in_keys(name, part) if table == "keys" else line_in_table(table, entry, part)
    return Problem(line, table, said)


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


def _row(setting: Field[Any], found: InUse, text: str) -> SettingRow:
    name, table = setting.name, type(setting.default) not in SIMPLE
    mistakes = [each for each in found.problems if each.key == name]
    wrong = mistakes[0] if mistakes else None
    line, of_file = line_of(name, profile_part("", text)), getattr(found.file, name)
    said = list[tuple[str, Any, int]]()
    if line and (of_file != setting.default or not mistakes or mistakes[0].source):
        said.append((f"line {line}", of_file, line))
    for layer in found.layers:
        if name in layer.values:
            own = layer.source.startswith("profile ")
            at = line_of(name, profile_part(found.profile, text)) if own else 0
            place = f"{layer.source}, line {at}" if at else layer.source
            said.append((place, layer.values[name], at))
    source = said.pop() if said else None
    where, value, at = source or ("default", setting.default, 0)
    if source:
        value = getattr(found.settings, name)  # which has less than its source where some is wrong
    if wrong and source is None:
        where, at = f"{wrong.place or 'file'}: not used", wrong.line
    elif wrong and table:
        where, at = f"{wrong.place or where}: {len(mistakes)} wrong", wrong.line or at
    return SettingRow(
        name,
        shown(value),
        shown(setting.default),
        at or line,
        where,
        wrong.said if wrong and wrong.source else wrong.sentence if wrong else "",
        setting.metadata["says"],
        "a table: docs/settings.md" if table else shown_values(setting),
        choices_of(setting),
        table,
        setting.metadata["group"],
        instead_of=tuple((place, shown(given)) for place, given, _ in reversed(said)),
        also=also_said(setting),
        at_top=bool(line),
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
        f"line {line}",
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
            row = marked[at]
            source = f"line {row.line}: wrong" if row.line else "file: wrong"
            marked[at] = replace(row, source=source, wrong=row.wrong or problem.sentence)
    return marked
