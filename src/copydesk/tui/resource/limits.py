"""What the service itself limits a list by: ``&`` and ``:where``, the same in every list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any, ClassVar

from copydesk.domain.text import clean
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import SCOPES, action, command
from copydesk.tui.framework.place import Place
from copydesk.tui.resource.requests import asked_with, said_in, ways_to_ask
from copydesk.tui.resource.resource import Condition


def no_conditions(here: Limited) -> str | None:
    """Say so when the service cannot limit this list."""
    return None if here.conditions_known() else here.unlimited()


def where_label(here: Limited) -> str:
    """Return what asking is called; the footer leaves out what a list never has."""
    return "ask for" if here.conditions_known() else ""


def offering_operations() -> Sequence[str]:
    """Return the operations that read what some condition of a list offers."""
    places = [cls for cls in tuple(SCOPES.values()) if issubclass(cls, Limited)]
    return sorted({name for cls in places for each in cls.CONDITIONS for name in each.uses})


def _ways(here: Limited) -> Sequence[str]:
    return ways_to_ask(here.conditions_known())


class Limited(Place, scope="limited"):
    """A place with a list that the service may limit."""

    CONDITIONS: ClassVar[Sequence[Condition]] = ()
    """What the service limits the list by, of all that the place lists."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.conditions: dict[str, Any] = {}
        """What the list is limited by now, by the names of the operation's parameters."""
        self.limits: dict[str, str] = {}
        """The same as it was typed or chosen, clean."""
        self._value_titles: dict[tuple[str, str], str] = {}
        """What the values that were chosen are called, where they are ids."""

    @property
    def organization(self) -> str | None:
        """The id of the organization that this is about."""
        return self.target.organization or self.session.organization

    def conditions_known(self) -> Sequence[Condition]:
        """Return what the service limits the list by that is in front."""
        return self.CONDITIONS

    def unlimited(self) -> str:
        """Return what to say where that is nothing."""
        return "The service has no conditions for this list. / filters it here."

    ask_anew: Callable[[], None]
    """Read the list from its beginning: something else is asked for."""

    def limits_line(self) -> str:
        """Return what the list is limited by, as it can be typed; ids by what they are called."""
        return " ".join(
            f"{name}={self._value_titles.get((name, value), value)}"
            for name, value in self.limits.items()
        )

    def none_so(self) -> str:
        """Return what to say where nothing is so."""
        return f"None with {self.limits_line()}. :where alone asks for all again."

    def forget_limits(self) -> None:
        """Limit the list by nothing; whoever calls reads it."""
        self.conditions, self.limits = {}, {}

    @action("&", "ask for", unless=no_conditions, show=7, group="Find", uses=offering_operations,
            now=where_label)  # fmt: skip
    async def ask_where(self) -> None:
        """Choose what the service limits the list by; / filters here what has been read."""
        known = {each.name: each for each in self.conditions_known()}
        options = [
            Option(name, name, self.limits.get(name, each.help)) for name, each in known.items()
        ]
        chosen = await self.desk.push_screen_wait(Choice("Ask the service for those with", options))
        if not chosen:
            return
        each = known[chosen]
        offered = [Option(value, value) for value in each.values] or await self._offered(each)
        if not offered:
            await self.desk.open_command_line(f"where {self._limits_but(chosen)}{chosen}=")
            return
        values = [Option("", "any"), *offered]
        said = await self.desk.push_screen_wait(
            Choice(each.name, values, current=self.limits.get(chosen, ""))
        )
        if said is not None:
            self._value_titles.update(((chosen, clean(o.id)), clean(o.title)) for o in offered)
            await self.limit({**self.limits, chosen: said})

    async def _offered(self, condition: Condition) -> Sequence[Option]:
        """Read what a condition offers; nothing where the reader may not see that."""
        from copydesk.client.errors import Forbidden

        read, home, api = condition.offers, self.organization, await self.session.ready()
        if read is None or home is None:
            return ()
        what = f"Reading what {condition.name} can be"
        try:
            return await self.read_now("offers", lambda: read(api, home), what) or ()
        except Forbidden:
            return ()

    def _limits_but(self, name: str) -> str:
        return "".join(f"{key}={quote(text)} " for key, text in self.limits.items() if key != name)

    @command("where", "NAME=VALUE …", complete=_ways, uses=offering_operations)
    async def where(self, rest: str) -> None:
        """Ask the service for those that are so (``:where name=value``).

        Alone it asks for all again, or offers what can be asked where that is done already.
        """
        if (why := no_conditions(self)) is not None:
            self.say(why, "warn")
            return
        if not rest.strip() and not self.limits:
            await self.ask_where()
            return
        try:
            said = said_in(rest, self.conditions_known())
        except ValueError as error:
            self.say(str(error), "warn")
        else:
            await self.limit(said)

    async def limit(self, said: Mapping[str, str]) -> None:
        """Have the service limit the list by conditions; refuse unknown ones with the reason."""
        try:
            self.conditions = asked_with(said, self.conditions_known())
        except ValueError as error:
            self.say(str(error), "warn")
            return
        self.limits = {name: clean(text) for name, text in said.items() if text}
        self.ask_anew()
