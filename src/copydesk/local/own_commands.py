"""A person's own commands, and the hooks: ``[commands]`` and ``[hooks]`` in the settings.

    hooks.after_merge = [["notify-send", "Merged", "{title}"]]
    [commands.ticket]
    key = "! t"
    run = ["gh", "issue", "create", "--title={title}"]

Only the settings name commands; nothing that a service sends does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.own_command import KINDS, Event, Hook, OwnCommand, Show, Then, wrong_words
from copydesk.domain.text import clean
from copydesk.local.settings_lines import Keys, line_in_table, read_tables, runs, wrong_key

KEYS: Keys = {
    "run": ((list, str), 'a list such as ["gh", "issue", "create", "--title={title}"]'),
    "key": ((str,), 'text in quotes such as "! t"'),
    "on": ((str, list), f"one or a list of {', '.join(KINDS)}"),
    "shell": ((bool,), "true or false; with true `run` is one text, for sh"),
    "show": ((str,), f"one of {', '.join(get_args(Show))}"),
    "then": ((str,), f"one of {', '.join(filter(None, get_args(Then)))}"),
    "writes": ((bool,), "true or false"),
    "each": ((bool,), "true or false"),
    "replaces": ((str,), "the action whose key it takes, such as archive"),
}
"""The keys of a command, which are its fields."""

EVENTS: Sequence[Event] = get_args(Event)

OWN_KEY = re.compile(r"! [^\s!]")
"""The keys that no action of copydesk has."""

_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")

_LIST = 'a list of lists such as [["notify-send", "Merged", "{title}"]]'


def own_commands_of(
    value: object, text: str
) -> tuple[tuple[OwnCommand, ...], list[tuple[int, str]]]:
    """Return the commands of the settings, and every mistake with its line.

    ``value`` is the content under ``commands``, ``text`` the whole file. A command with a mistake
    is left out, and no other.
    """
    holders: dict[str, str] = {}

    def wrong(name: str, given: object) -> Iterator[str]:
        mistakes = list(_mistakes(name, given))
        yield from mistakes
        key = given.get("key") if isinstance(given, Mapping) and not mistakes else None
        if key and holders.setdefault(key, name) != name:
            yield f"command {name}: {key} is the key of {holders[key]} already"

    def made(name: str, given: Mapping[str, Any]) -> OwnCommand:
        run, on = _listed(given["run"]), _listed(given.get("on", "any"))
        return OwnCommand(name, **{**given, "run": run, "on": on})

    return read_tables("commands", value, text, wrong, made)


def hooks_of(value: object, text: str) -> tuple[tuple[Hook, ...], list[tuple[int, str]]]:
    """Return the hooks of the settings, and every mistake with its line."""
    if not isinstance(value, dict):
        said = f"hooks are a table: hooks.after_merge = {_LIST}"
        return (), [(line_in_table("hooks", "", text), said)]
    hooks: list[Hook] = []
    wrong: list[tuple[int, str]] = []
    for event, given in value.items():
        line = line_in_table("hooks", str(event), text)
        if event not in EVENTS:
            meant = did_you_mean(event, EVENTS, f"the hooks are {', '.join(EVENTS)}")
            wrong.append((line, f"{clean(str(event), limit=60)} is not a hook: {meant}"))
            continue
        for run in given if isinstance(given, list) and given else [None]:
            lead = f"hook {event}"
            if run is None or not _is_list(run):
                wrong.append((line, f"{lead} must be {_LIST}"))
            elif mistakes := list(wrong_words(run, shell=False)):
                wrong += [(line, f"{lead}: {each}") for each in mistakes]
            else:
                hooks.append(Hook(event, tuple(run)))
    return tuple(hooks), wrong


def _mistakes(name: str, given: object) -> Iterator[str]:
    lead = f"command {clean(name, limit=60)}"
    if not _NAME.fullmatch(name):
        yield f"{lead}: a name begins with a letter, and has letters, digits, _ and -"
    if not isinstance(given, Mapping):
        yield f"{lead} is not a table: it begins with [commands.NAME]"
        return
    if "run" not in given:
        yield f"{lead} needs run: {KEYS['run'][1]}"
    wrong = [sentence for key, value in given.items() if (sentence := _mistake(key, value))]
    yield from (f"{lead}: {sentence}" for sentence in wrong or _together(given))


def _mistake(key: str, value: object) -> str:
    if sentence := wrong_key(key, value, KEYS, "command"):
        return sentence
    written = KEYS[key][1]
    if isinstance(value, list) and not runs(value):
        return f"{key} must be {written}"
    choices = {"show": get_args(Show), "then": get_args(Then)}.get(key, ())
    if choices and value not in choices:
        return f"{key} is {value!r}: use {written}"
    return next(_unknown_kinds(value), "") if key == "on" else ""


def _unknown_kinds(value: Any) -> Iterator[str]:
    for kind in _listed(value):
        if kind not in KINDS:
            meant = did_you_mean(kind, KINDS, f"use {', '.join(KINDS)}")
            yield f"on is {clean(kind, limit=60)!r}: {meant}"


def _together(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with keys beside each other, where each alone is right."""
    run, key, shell = given.get("run"), given.get("key", ""), given.get("shell", False)
    if isinstance(run, str) != shell:
        yield 'run must be one text where shell = true, and a list such as ["gh", "issue"] else'
    elif run is not None:
        words = [run] if isinstance(run, str) else run
        yield from (wrong_words(words, shell=shell) if runs(words) else ["run is empty"])
    if given.get("replaces") and not key:
        yield "replaces needs the key that it takes"
    if key and not given.get("replaces") and not OWN_KEY.fullmatch(key):
        yield (
            f'key is {clean(key, limit=20)!r}: write ! and one letter, such as "! t", or say with '
            "replaces which action has that key"
        )


def _listed(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _is_list(value: object) -> bool:
    """Whether a value is the words of a command."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value) and runs(value)
