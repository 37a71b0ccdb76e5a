"""What the service itself limits a list by: ``&`` and ``:where``, the same in every list."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast

from copydesk.client.errors import Forbidden
from copydesk.domain.filter import fold
from copydesk.domain.text import clean, listed, shorten
from copydesk.session.errors import failure_types
from copydesk.session.options import Option
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import Commands, action, command, declaring
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.resource import Condition


class HasLimits(Protocol):
    """What a place says of a list that the service may limit."""

    limits: LimitCommands

    def conditions_known(self) -> Sequence[Condition]:
        """Return the conditions of the list that is in front."""

    def ask_anew(self) -> None:
        """Read the list from its beginning: it has other conditions."""


def no_conditions(here: HasLimits) -> str | None:
    """Say so when the service cannot limit this list."""
    return None if here.conditions_known() else here.limits.unlimited


def offering_operations() -> Sequence[str]:
    """Return the operations that read the values of conditions."""
    lists = [getattr(cls, "CONDITIONS", ()) for cls in declaring()]
    return sorted({name for conditions in lists for each in conditions for name in each.uses})


def _ways(here: HasLimits) -> Sequence[str]:
    return ways_to_ask(here.conditions_known())


class Limits:
    """The conditions of a list."""

    def __init__(self) -> None:
        self.conditions: dict[str, Any] = {}
        """What the list is limited by now, by the names of the operation's parameters."""
        self.chosen: dict[str, str] = {}
        """The same as it was typed or chosen, clean."""
        self.titles: dict[tuple[str, str], str] = {}
        """Titles of values that are ids, by the name of the condition and the value; clean."""

    def line(self) -> str:
        """Return the conditions as they can be typed, with titles in the place of ids."""
        return " ".join(
            f"{name}={self.titles.get((name, value), value)}" for name, value in self.chosen.items()
        )

    def none_so(self) -> str:
        """Return the sentence for a list without a row that meets the conditions."""
        return f"None with {self.line()}. :where alone asks for all again."

    def forget(self) -> None:
        """Drop the conditions; whoever calls reads the list."""
        self.conditions, self.chosen = {}, {}


class LimitCommands(Commands, scope="limited"):
    """Choosing the conditions of a list."""

    place: Place

    unlimited = "The service has no conditions for this list. / filters it here."
    """What to say where the list in front has no conditions."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.here = cast("HasLimits", place)
        only = Limits()
        self.of_front: Callable[[], Limits] = lambda: only
        """Gives the conditions of the list in front; a place with several lists sets it."""

    @property
    def conditions(self) -> Mapping[str, Any]:
        """What the list in front is limited by, by the names of the operation's parameters."""
        return self.of_front().conditions

    @property
    def chosen(self) -> dict[str, str]:
        """The same as it was typed or chosen, clean."""
        return self.of_front().chosen

    @property
    def titles(self) -> dict[tuple[str, str], str]:
        """Titles of values that are ids, by the name of the condition and the value; clean."""
        return self.of_front().titles

    def line(self) -> str:
        """Return the conditions as they can be typed, with titles in the place of ids."""
        return self.of_front().line()

    def none_so(self) -> str:
        """Return the sentence for a list without a row that meets the conditions."""
        return self.of_front().none_so()

    def forget(self) -> None:
        """Drop the conditions; whoever calls reads the list."""
        self.of_front().forget()

    @action("&", "ask for", word="ask_for", unless=no_conditions, show=7, group="Find",
            uses=offering_operations,
            now=lambda here: "ask for" if here.conditions_known() else "")  # fmt: skip
    async def ask_where(self) -> None:
        """Choose what the service limits the list by; / filters here what has been read."""
        known = {each.name: each for each in self.here.conditions_known()}
        options = [
            Option(name, name, self.chosen.get(name, each.help)) for name, each in known.items()
        ]
        chosen = await self.app.push_screen_wait(Choice("Ask the service for those with", options))
        if not chosen:
            return
        each = known[chosen]
        offered = [Option(value, value) for value in each.values] or await self._offered(each)
        if not offered:
            await self.place.desk.open_command_line(f"where {chosen}=")
            return
        values = [Option("", "any"), *offered]
        said = await self.app.push_screen_wait(
            Choice(each.name, values, current=self.chosen.get(chosen, ""))
        )
        if said is not None:
            self._called(each, offered)
            self.limit({**self.chosen, chosen: said})

    def _called(self, condition: Condition, offered: Sequence[Option]) -> None:
        """Note what the ids are called that are offered for a condition."""
        self.titles.update(((condition.name, clean(o.id)), clean(o.title)) for o in offered)

    async def _offered(self, condition: Condition) -> Sequence[Option]:
        """Read what a condition offers; nothing where the reader may not see that."""
        session = self.place.session
        home = self.place.organization
        read, api = condition.offers, await session.ready()
        if read is None or home is None:
            return ()
        what = f"Reading what {condition.name} can be"
        try:
            return await self.place.reads.now("offers", lambda: read(api, home), what) or ()
        except Forbidden:
            return ()

    @command("where", "NAME=VALUE …", complete=_ways, uses=offering_operations)
    async def where(self, rest: str) -> None:
        """Ask the service for those that are so, too (``:where name=value``).

        What has an id may be typed by its name. ``:where name=`` takes that condition away; alone
        it asks for all again, or offers what can be asked where that is done already.
        """
        if (why := no_conditions(self.here)) is not None:
            self.place.say(why, "warn")
            return
        if not rest.strip() and not self.chosen:
            await self.ask_where()
            return
        try:
            said = await self._ids(said_in(rest, self.here.conditions_known()))
        except ValueError as error:
            self.place.say(str(error), "warn")
            return
        self.limit({**self.chosen, **said} if rest.strip() else {})

    async def _ids(self, said: Mapping[str, str]) -> dict[str, str]:
        """Return what was typed with the ids of what was typed by name.

        What has no such name stays as it is: it may be an id that is not offered. Raises
        ``ValueError`` where several are called so.
        """
        known = {each.name: each for each in self.here.conditions_known()}
        meant = dict(said)
        for name, text in said.items():
            condition = known.get(name)
            if not text or condition is None or condition.offers is None:
                continue
            try:
                offered = await self._offered(condition)
            except failure_types():
                continue  # what is asked for with it says what is wrong
            found = named_so(text, offered)
            if len(found) > 1:
                names = listed([clean(each.title) for each in found[:3]], "or")
                raise ValueError(f"{name}: which one, {names}? Type more of the name.")
            if found:
                meant[name] = found[0].id
                self._called(condition, found)
        return meant

    def limit(self, said: Mapping[str, str], *, back: str = "") -> None:
        """Have the service limit the list by conditions; refuse unknown ones with the reason.

        ``back`` says how the last of them is taken away, where that is not as with ``:where``.
        """
        limits = self.of_front()
        try:
            limits.conditions = asked_with(said, self.here.conditions_known())
        except ValueError as error:
            self.place.say(str(error), "warn")
            return
        before = limits.chosen
        limits.chosen = {name: clean(text) for name, text in said.items() if text}
        self.here.ask_anew()
        added = [name for name, text in limits.chosen.items() if before.get(name) != text]
        if added:
            way = back or f":where {added[-1]}= takes {added[-1]} away, :where alone all."
            self.place.say(way)


def named_so(text: str, offered: Sequence[Option]) -> Sequence[Option]:
    """Return what is called so: by id, name or e-mail address, else what has it in its name."""
    wanted = fold(text.strip())
    for same in (
        [each for each in offered if each.id == text],
        [each for each in offered if wanted in (fold(each.title), fold(each.note))],
    ):
        if same:
            return same
    return [each for each in offered if wanted in fold(each.title)]


def ways_to_ask(conditions: Sequence[Condition]) -> Sequence[str]:
    """Return the completions of ``:where``: each condition with each of its values."""
    return [
        f"{each.name}={_quoted(value)}"
        for each in conditions
        for value in (each.values or tuple(each.known()) or ("",))
    ]


def _quoted(value: str) -> str:
    """Return a value as it is typed, in quotes where it would not stay together."""
    import shlex

    return shlex.quote(value) if re.search(r"[\s\"'\\]", value) else value


def said_in(text: str, conditions: Sequence[Condition]) -> dict[str, str]:
    """Return the values typed behind ``:where``, by name. Raises ``ValueError`` for other words."""
    said: dict[str, str] = {}
    for word in _words(text):
        name, sign, value = word.partition("=")
        if not sign:
            raise ValueError(_none_such(re.split("[:<>]", word)[0], conditions))
        said[name] = value
    return said


def asked_with(said: Mapping[str, str], conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return the arguments of the request; an empty text is no condition.

    Raises ``ValueError`` where there is no such condition, or none with such a value.
    """
    known = {each.name: each for each in conditions}
    asked: dict[str, Any] = {}
    for name, text in said.items():
        each = known.get(name)
        if each is None:
            raise ValueError(_none_such(name, conditions))
        if text and each.values and text not in each.values:
            raise ValueError(f"{name} is one of: {', '.join(each.values)}.")
        try:
            if text:
                asked[name] = each.read(text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return asked


def _none_such(name: str, conditions: Sequence[Condition]) -> str:
    """Say that the service limits a list by other things than this."""
    known = [each.name for each in conditions]
    if name in known:
        return f":where {name}=VALUE asks the service for those."
    ways = " or ".join(f":where {each}=VALUE" for each in known[:2])
    return (
        f"The service limits this list by {listed(known)}, not by {shorten(clean(name), 24)}: "
        f"{ways}. / filters here by anything else."
    )


def _words(text: str) -> list[str]:
    """Cut text at blanks; what stands in quotes stays together."""
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
