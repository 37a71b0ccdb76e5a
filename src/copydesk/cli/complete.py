"""``copydesk complete``: the values that a word of the command line may have, for shells.

A shell asks while somebody types: nothing is asked of a service, what is imported is little, and
what goes wrong completes nothing. A value has no sign that means something to a shell, but the
names of one's own views, which the scripts quote; titles of strangers are only shown beside one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.cli.errors import DONE, UsageError
from copydesk.cli.output import put_bytes
from copydesk.domain.text import clean, shorten
from copydesk.local.settings import SettingsError

if TYPE_CHECKING:
    from copydesk.domain.known_name import Kind, KnownName

Value = tuple[str, str]
"""A value, and what is said of it."""

MOST = 200
"""So many values are offered."""

QUOTES = "\"'"


def print_values(*, kind: str, word: str = "", line: Sequence[str] = ()) -> int:
    """Print the values of a kind that begin with a word, each with a tab and what it is.

    ``line`` has the words of the command line: they say which service and space are meant.
    """
    try:
        found = dict[str, str]()
        for value, said in VALUES[kind](list(line)):
            if _begins(value, word) and (value in found or len(found) < MOST):
                # A number is counted in each space.
                found[value] = f"{found[value]}; {said}" if value in found else said
        text = "".join(f"{value}\t{shorten(said)}\n" for value, said in found.items())
    except (UsageError, SettingsError, OSError, ValueError, KeyError):
        return DONE  # the line that is being typed is no place for it
    if text:
        put_bytes(text.encode())
    return DONE


def _begins(value: str, word: str) -> bool:
    quoted = word[:1] in QUOTES and bool(word)
    typed = word[1:] if quoted else word.replace("\\", "")
    return value.casefold().startswith(typed.casefold())


def _option(line: Sequence[str], name: str) -> str | None:
    """Return the value that an option has in a line, as it is typed; bash parts it from its "="."""
    for at, word in enumerate(line):
        if word.startswith(f"{name}="):
            said = word.partition("=")[2]
        elif word == name:
            said = next((each for each in line[at + 1 : at + 3] if each != "="), "")
        else:
            continue
        try:
            return "".join(shlex.split(said)) or None
        except ValueError:
            return said.strip(QUOTES) or None
    return None


def _names(line: Sequence[str], kind: Kind) -> list[KnownName]:
    """Return what is known of a kind at the service that a line is for."""
    from copydesk.cli.connection import chosen
    from copydesk.local.paths import expanded

    desk = _option(line, "--desk")
    path = expanded(desk) if desk else None
    return chosen(path, _option(line, "--base-url"), _option(line, "--profile")).names(kind)


def _slugs(names: Sequence[KnownName]) -> Iterator[Value]:
    """Yield a word for each: its title as a slug where that names it alone, or its id."""
    from copydesk.domain.slug import slugify

    slugs = [slugify(name.title) for name in names]
    for name, slug in zip(names, slugs, strict=True):
        alone = slugs.count(slug) == 1 and not slug.isdigit()
        value = slug if alone else name.id
        if value.isascii() and value.replace("-", "").replace("_", "").isalnum():
            yield value, clean(name.title)


def _numbers(line: Sequence[str]) -> Iterator[Value]:
    from copydesk.domain.slug import slugify

    spaces = {each.id: each.title for each in _names(line, "space")}
    wanted = (_option(line, "--space") or "").casefold()
    for each in _names(line, "change-request"):
        title = spaces.get(each.space, "")
        if not wanted or wanted in {each.space.casefold(), title.casefold(), slugify(title)}:
            yield str(each.number), clean(f"{each.title} ({title})" if title else each.title)


def _profiles(line: Sequence[str]) -> Iterator[Value]:
    from copydesk.domain.profile import EMBEDDED
    from copydesk.local.paths import find_paths
    from copydesk.local.profiles import Profiles

    for profile in Profiles(find_paths().settings).read():
        yield profile.name, clean(profile.base_url)
    yield EMBEDDED, "your own desk"


def _views(line: Sequence[str]) -> Iterator[Value]:
    from copydesk.local.paths import find_paths
    from copydesk.local.settings import usable_settings
    from copydesk.session.listings import LISTINGS

    own = usable_settings(find_paths().settings)[0].views
    for title in [*(view.name for view in own), *(each.title for each in LISTINGS)]:
        if clean(title) == title and title.isprintable():
            yield title, "your own" if title in {view.name for view in own} else "a view"


def _cluster_orders(line: Sequence[str]) -> Iterator[Value]:
    from copydesk.cli.clusters import orders

    return ((order, "") for order in orders())


def _settings(line: Sequence[str]) -> Iterator[Value]:
    from dataclasses import fields

    from copydesk.local.settings import Settings

    return ((each.name, each.metadata["says"]) for each in fields(Settings))


def _setting_values(line: Sequence[str]) -> Iterable[Value]:
    """Return the values of the setting that the line names."""
    from dataclasses import fields

    from copydesk.local.settings import Settings
    from copydesk.local.settings_schema import choices_of

    named = [each for each in fields(Settings) if each.name in line]
    if not named:
        return []
    setting = named[-1]
    if setting.name == "theme":
        return _themes(line)
    if setting.name == "profile":
        return _profiles(line)
    default = str(setting.default).lower()
    return [(each, "the default" if each == default else "") for each in choices_of(setting)]


def _themes(line: Sequence[str]) -> Iterator[Value]:
    from copydesk.local.paths import find_paths
    from copydesk.local.settings import usable_settings
    from copydesk.tui.framework.theme import THEMES

    yield "auto", "as the terminal is"
    for theme in THEMES:
        yield theme.name, "dark" if theme.dark else "light"
    for own in usable_settings(find_paths().settings)[0].themes:
        yield own.name, f"your own, made of {own.base}"


VALUES: Mapping[str, Callable[[list[str]], Iterable[Value]]] = {
    "profiles": _profiles,
    "spaces": lambda line: _slugs(_names(line, "space")),
    "sites": lambda line: _slugs(_names(line, "site")),
    "numbers": _numbers,
    "orders": _cluster_orders,
    "settings": _settings,
    "values": _setting_values,
    "themes": _themes,
    "views": _views,
}
"""What is completed, by the name of its kind."""
