"""The settings that hold in a run. Later wins: default, file, profile, variable, option."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_theme import OwnTheme
from copydesk.domain.profile import EMBEDDED, named_profile
from copydesk.local.settings import (
    SIMPLE,
    Problem,
    Settings,
    SettingsError,
    line_of,
    load_settings,
    mistake_in,
    profile_part,
    read_text,
    usable_settings,
)
from copydesk.local.variables import PREFIX, switch_of, variable_of

NEAR = 0.75
"""How alike a variable is that is told to be a misspelt one: other programs may have theirs."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A source of values above the file: "profile work", a variable or an option."""

    source: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class InUse:
    """The settings that hold, what is wrong anywhere, and what they are made of.

    ``file`` are those of the file alone, ``layers`` what is above them, the weakest first.
    ``profile`` is the name of the one whose table counts.
    """

    settings: Settings
    problems: tuple[Problem, ...]
    file: Settings
    layers: tuple[Layer, ...]
    profile: str


Refused = Callable[[str, Sequence[OwnTheme]], str]
"""Tells why there is no such theme, given a person's own; "" where there is."""


def settings_in_use(
    path: Path,
    profile: str | None = None,
    *needed: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    refused: Refused = lambda theme, themes: "",
    lenient: bool = False,
) -> InUse:
    """Return the settings of a run with a ``profile``; None is the one that they name themselves.

    Raises ``OSError``, and ``SettingsError`` as `usable_settings` does, unless ``lenient``.
    """
    problems: tuple[Problem, ...]
    try:
        file, problems = (load_settings(path), ()) if lenient else usable_settings(path, *needed)
    except SettingsError as error:
        if not lenient:
            raise
        file, problems = error.usable, error.problems
    told, wrong = _variables(file)
    if profile is None:
        named = [each.values["profile"] for each in told if "profile" in each.values]
        profile = str(named[-1]) if named else file.profile
    own = next((each.settings for each in file.profiles if each.name == profile), ())
    layers = [
        *([Layer(f"profile {profile}", dict(own))] if own else []),
        *told,
        *(Layer(f"--{name}", {name: value}) for name, value in options.items()),
    ]
    themes = [file.themes, *(each.values["themes"] for each in layers if "themes" in each.values)]
    usable = list[Layer]()
    for layer in (Layer("", {"theme": file.theme}), *layers):
        said = "theme" in layer.values and refused(layer.values["theme"], themes[-1])
        if said:
            by = layer.source if layer.source.startswith(PREFIX) else ""
            part = profile_part(profile if layer.source else "", "" if by else read_text(path))
            lead = f"{layer.source}: " if layer.source and not by else ""
            wrong.append(Problem(line_of("theme", part), "theme", f"{lead}{said}", source=by))
            kept = {name: value for name, value in layer.values.items() if name != "theme"}
            layer = Layer(layer.source, kept)
        usable.append(layer)
    first, *layers = usable
    file = replace(file, theme=first.values.get("theme", Settings().theme))
    values = {name: value for layer in layers for name, value in layer.values.items()}
    every = tuple(sorted([*problems, *wrong], key=lambda each: each.line))
    return InUse(replace(file, **values), every, file, tuple(layers), profile)


def variables() -> list[str]:
    """Return the variables of settings."""
    return [variable_of(each.name) for each in fields(Settings) if type(each.default) in SIMPLE]


def _variables(file: Settings) -> tuple[list[Layer], list[Problem]]:
    """Return what the environment says of settings, and what is wrong there."""
    told, wrong = list[Layer](), list[Problem]()
    settings = {variable_of(each.name): each for each in fields(Settings)}
    for name, setting in settings.items():
        if (wish := setting.metadata.get("wish")) and os.environ.get(wish, "0") not in ("", "0"):
            told.append(Layer(wish, {setting.name: True}))
        if not (said := os.environ.get(name, "")):
            continue
        value = _value(setting, said)
        if type(setting.default) not in SIMPLE:
            sentence = f"{setting.name} is a table: write it in the file"
        elif setting.name == "profile" and value not in {
            EMBEDDED,
            *(p.name for p in file.profiles),
        }:
            sentence = f"there is no {named_profile(said)}"
        else:
            sentence = mistake_in(setting, value)
        if sentence:
            wrong.append(Problem(0, setting.name, sentence, source=name))
        else:
            told.append(Layer(name, {setting.name: value}))
    wrong += _misspelt(variables())
    return told, wrong


def _value(setting: Field[Any], said: str) -> Any:
    """Return what a variable says as the file would have it; as it is where that cannot be."""
    if isinstance(setting.default, bool):
        switch = switch_of(said)
        return said if switch is None else switch
    if isinstance(setting.default, int) and said.strip().isdecimal():
        return int(said)
    return said


def _misspelt(known: Sequence[str]) -> Iterator[Problem]:
    """Yield the variables that are almost those of settings."""
    from copydesk.domain.text import clean

    short = {name.removeprefix(PREFIX): name for name in known}
    for name in sorted(os.environ):
        word = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and name not in known and os.environ[name]:
            for near in get_close_matches(word, short, n=1, cutoff=NEAR):
                shown = clean(name, limit=60)
                sentence = f"there is no such setting: did you mean {short[near]}?"
                yield Problem(0, shown, sentence, source=shown)
