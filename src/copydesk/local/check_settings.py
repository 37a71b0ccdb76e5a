"""A person's own checks: the table ``[checks]`` of the settings, and the findings that are hidden.

    [checks]
    prose = {command = ["vale", "--output=JSON", "{files}"], reads = "vale", when = "open"}

Only the settings name commands; nothing that a service sends does.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from copydesk.domain.checks import BUILT_IN, FORMATS, Check, When
from copydesk.domain.text import clean
from copydesk.local.paths import find_paths, private_folder
from copydesk.local.settings_lines import Keys, read_tables, runs, wrong_key

KEYS: Keys = {
    "command": ((list,), 'a list such as ["vale", "--output=JSON", "{files}"]'),
    "reads": ((str,), "text in quotes"),
    "when": ((str,), "text in quotes"),
    "seconds": ((int,), "a whole number"),
}
"""The keys of a check, which are its fields."""

SECONDS = range(1, 601)
"""For how long a check may run."""

_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,39}")


def checks_of(value: object, text: str) -> tuple[tuple[Check, ...], list[tuple[int, str]]]:
    """Return the checks of the settings, and every mistake with its line.

    ``value`` is the content under ``checks``, ``text`` the whole file.
    """

    def made(name: str, given: Mapping[str, Any]) -> Check:
        fields: dict[str, Any] = {**given, "command": tuple(given["command"])}
        return Check(name, **fields)

    return read_tables("checks", value, text, _mistakes, made)


def _mistakes(name: str, given: object) -> Iterator[str]:
    lead = f"check {clean(name, limit=60)}"
    if not _NAME.fullmatch(name) or name == BUILT_IN:
        yield f"{lead}: a name has letters, digits, _ and -, and is not {BUILT_IN}"
    if not isinstance(given, dict):
        yield f'{lead} is not a table: {{command = ["…"], reads = "lines"}}'
        return
    if "command" not in given:
        yield f"{lead} needs a command: {KEYS['command'][1]}"
    for key, value in given.items():
        if sentence := _mistake(key, value):
            yield f"{lead}: {sentence}"


def _mistake(key: str, value: object) -> str:
    if sentence := wrong_key(key, value, KEYS, "check"):
        return sentence
    if isinstance(value, list) and not runs(value):
        return f"command is empty: it must be {KEYS[key][1]}"
    if key == "seconds" and value not in SECONDS:
        return f"seconds is {value}: it goes from {SECONDS.start} to {SECONDS.stop - 1}"
    choices = {"reads": FORMATS, "when": get_args(When)}.get(key, ())
    if choices and value not in choices:
        return f"{key} is {value!r}: use {', '.join(choices[:-1])} or {choices[-1]}"
    return ""


LEFT_SECONDS = 3600.0
"""After so long a folder of a check is one that a killed process left: none runs for longer."""


@contextmanager
def check_folder() -> Iterator[Path]:
    """Make a folder for one run of a command, and remove it with what is in it.

    It lies below a folder of this user: linters look for their configuration in the folders above
    theirs as well, and anybody may write into that of temporary files. Raises ``OSError``.
    """
    above = private_folder(find_paths().checks)
    for left in above.iterdir():
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFT_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix="run-", dir=above, ignore_cleanup_errors=True) as name:
        yield Path(name)
