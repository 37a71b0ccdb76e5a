"""The profiles in the settings: ``profile = "NAME"`` and ``[profiles.NAME]``, read and written.

    profile = "work"

    [profiles.work]
    base_url = "https://docs-api.example.com"
    storage = "keyring"

A write there leaves everything else in the file as it is, comments included. Tokens are never in
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from copydesk.domain.address import service_url
from copydesk.domain.profile import EMBEDDED, Profile, Storage, named_profile, wrong_name
from copydesk.domain.text import clean
from copydesk.local.paths import NoHomeError, expanded
from copydesk.local.settings_lines import Keys, wrong_key

KEYS: Keys = {
    "base_url": ((str,), "text in quotes"),
    "storage": ((str,), "text in quotes"),
    "token_command": ((list,), 'a list such as ["pass", "show", "docs"]'),
    "ca_file": ((str,), "a path in quotes"),
    "read_only": ((bool,), "true or false"),
    "allow_http": ((bool,), "true or false"),
}
"""The keys of a profile, which are its fields."""

Mistake = tuple[int, str]
"""A line, counted from 1 (0: unknown), and the mistake in it."""


def profiles_of(value: object, text: str) -> tuple[tuple[Profile, ...], list[Mistake]]:
    """Return the profiles of the settings, and every mistake with its line.

    ``value`` is the content under ``profiles``, ``text`` the whole file.
    """
    if not isinstance(value, dict):
        line = _line(r"profiles\s*[=.]", text)
        return (), [(line, "profiles are tables: each begins with [profiles.NAME]")]
    profiles: list[Profile] = []
    wrong: list[Mistake] = []
    for name, given in value.items():
        mistakes = list(_mistakes(name, given, text))
        wrong += mistakes
        if not mistakes:
            profiles.append(_profile(name, given))
    return tuple(profiles), wrong


def _profile(name: str, given: dict[str, Any]) -> Profile:
    command = tuple(given.get("token_command", ()))
    return Profile(
        name,
        service_url(given["base_url"]),
        command,
        given.get("storage", "command" if command else "none"),
        expanded(given["ca_file"]) if "ca_file" in given else None,
        given.get("read_only", False),
        given.get("allow_http", False),
    )


def _mistakes(name: str, given: object, text: str) -> Iterator[Mistake]:
    line = _header(name, text)
    lead = named_profile(name)
    if not isinstance(given, dict):
        yield line, f"{lead} is not a table: it begins with [profiles.NAME]"
        return
    if wrong := wrong_name(name):
        yield line, f"{lead}: {wrong}"
    if "base_url" not in given:
        yield line, f'{lead} needs an address: base_url = "https://…"'
    for key, value in given.items():
        at = line_of_profile(name, key, text) or line
        if sentence := _mistake(key, value, given):
            yield at, f"{lead}: {sentence}"


def _mistake(key: str, value: object, given: dict[str, Any]) -> str:
    if key == "token":
        return "a token does not belong in this file: remove it, and run copydesk login"
    if sentence := wrong_key(key, value, KEYS, "profile"):
        return sentence
    if key == "base_url":
        try:
            service_url(str(value))
        except ValueError as error:
            return str(error)
    if key == "storage":
        places = get_args(Storage)
        if value not in places:
            return f"storage is none of these: {', '.join(places[:-1])} or {places[-1]}"
        if value == "command" and not given.get("token_command"):
            return 'storage is "command", and there is no token_command'
    if key == "ca_file":
        if not str(value).strip():
            return "ca_file is empty: name the file, or leave it out"
        try:
            expanded(str(value))
        except NoHomeError as error:
            return f"ca_file {clean(str(value))}: {error.strerror}"
    if key == "token_command" and (not value or not given["token_command"][0]):
        return f"token_command is empty: it must be {KEYS[key][1]}"
    return ""


def _header(name: str, text: str) -> int:
    """Return the line where a profile begins, 0 for one in another notation."""
    dotted = rf"\[?\s*[\"']?profiles[\"']?\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*[\].=]"
    return _line(dotted, text) or _line(r"\[?\s*[\"']?profiles[\"']?\s*[\]=]", text)


def line_of_profile(name: str, key: str, text: str) -> int:
    """Return the line of a key below the line where its profile begins, 0 for none."""
    begins = _header(name, text)
    pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
    for number, line in enumerate(text.splitlines()[begins:], begins + 1):
        if line.lstrip().startswith("["):
            return 0
        if pattern.match(line):
            return number
    return 0


def _line(pattern: str, text: str) -> int:
    begins = re.compile(rf"\s*{pattern}")
    return next(
        (at for at, line in enumerate(text.splitlines(), 1) if begins.match(line)),
        0,
    )


class Profiles:
    """The profiles in the settings file at ``path``.

    Raises ``OSError`` when the disk refuses, and ``SettingsError`` (a ValueError) when the file is
    not as it should be: nothing is written then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Sequence[Profile]:
        """Return the profiles in their order."""
        from copydesk.local.settings import usable_settings

        return usable_settings(self._path)[0].profiles

    def get(self, name: str) -> Profile | None:
        """Return the profile with this name, if there is one."""
        return next((profile for profile in self.read() if profile.name == name), None)

    @property
    def default(self) -> str:
        """The name of the profile that is opened when none is named; "" for none."""
        from copydesk.local.settings import usable_settings

        return usable_settings(self._path)[0].profile

    def save(self, profile: Profile) -> None:
        """Save a profile, in place of one with its name. Default values are left out."""
        import tomlkit

        from copydesk.local.settings_document import read_document, write_document

        if wrong := wrong_name(profile.name):
            raise ValueError(wrong)
        document = read_document(self._path)
        if "profiles" not in document:
            document["profiles"] = tomlkit.table(is_super_table=True)
        profiles: Any = document["profiles"]
        if profile.name not in profiles:
            inline = isinstance(profiles, tomlkit.items.InlineTable)
            fresh_table: Any = tomlkit.inline_table() if inline else tomlkit.table()
            if not inline and document.as_string().strip():
                fresh_table.trivia.indent = "\n"
            profiles[profile.name] = fresh_table
        table = profiles[profile.name]
        fresh = _written(profile)
        for key in KEYS:
            if key in fresh:
                table[key] = fresh[key]
            else:
                table.pop(key, None)
        write_document(self._path, document)

    def remove(self, name: str) -> None:
        """Delete a profile; if it was the default, there is no default then."""
        from copydesk.local.settings_document import read_document, write_document

        document = read_document(self._path)
        profiles: Any = document.get("profiles", {})
        if name in profiles:
            del profiles[name]
            if not profiles:
                del document["profiles"]
        if document.get("profile") == name:
            del document["profile"]
        write_document(self._path, document)

    def use(self, name: str) -> None:
        """Make this profile, or the embedded desk by its name, the default.

        Raises ``KeyError`` for an unknown name.
        """
        from copydesk.local.settings_document import read_document, write_document

        document = read_document(self._path)
        if name != EMBEDDED and name not in document.get("profiles", {}):
            raise KeyError(name)
        document["profile"] = name
        write_document(self._path, document)


def _written(profile: Profile) -> dict[str, Any]:
    """Return a profile as its table, without default values."""
    found: dict[str, Any] = {"base_url": profile.base_url}
    if profile.token_command:
        found["token_command"] = list(profile.token_command)
    if profile.storage != ("command" if profile.token_command else "none"):
        found["storage"] = profile.storage
    if profile.ca_file is not None:
        found["ca_file"] = str(profile.ca_file)
    if profile.read_only:
        found["read_only"] = True
    if profile.allow_http:
        found["allow_http"] = True
    return found


def command_of(text: str) -> tuple[str, ...]:
    """Return the program and the arguments of a line, without a shell.

    Raises ``ValueError``, with a sentence, for an open quote and for an empty line.
    """
    import shlex

    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"the token command cannot be read: {error}".lower()) from error
    if not command or not command[0]:
        raise ValueError("the token command is empty")
    return command
