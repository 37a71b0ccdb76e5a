"""The line of ``:``: places and commands by name, with completion; numbers and addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

from copydesk.client.errors import NotFound
from copydesk.domain.filter import fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import CAUSE
from copydesk.domain.text import few, same_name, shorten
from copydesk.session.change_rows import ChangeRow
from copydesk.session.declarations import actions, ways
from copydesk.session.errors import NotDoneError, failure_types
from copydesk.session.identity import be_at
from copydesk.session.names import SCREENS, NamedThing
from copydesk.session.operations import ops
from copydesk.session.reads.addresses import (
    content_at,
    is_address,
    no_address,
    pointed,
    published,
)
from copydesk.session.target import Target
from copydesk.tui.framework.actions import Acts, Command, asked, away
from copydesk.tui.framework.keyboard import run_command, tell_failures
from copydesk.tui.framework.line_field import Prompt
from copydesk.tui.framework.navigation import ENTRIES
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.desk_app import DeskApp
    from copydesk.tui.framework.place import Place

ALSO = {
    "q": "quit", "q!": "quit", "wq": "quit", "x": "quit", "help": "manual", "h": "manual",
    "cr": "changes", "crs": "changes", "pr": "changes", "prs": "changes",
}  # fmt: skip
"""Words that hands bring along from other programs, and what they mean here."""

FEW = 3
"""So many names are shown while one is typed."""

HISTORY: list[str] = []
"""What was entered in this run, oldest first."""


@dataclass(frozen=True, slots=True)
class CommandWord:
    """A word that may follow ``:``, and who answers it (None: it is a place)."""

    name: str
    usage: str
    doc: str
    owner: Acts | None = None
    command: Command | None = None


def words(chain: list[Acts]) -> dict[str, CommandWord]:
    """Return every word that works here, nearest owner first."""
    found: dict[str, CommandWord] = {}
    for owner in chain:
        for name, each in owner.LINE_COMMANDS.items():
            found.setdefault(name, CommandWord(name, each.usage, each.doc, owner, each))
    for name, entry in ENTRIES.items():
        found.setdefault(name, CommandWord(name, "", entry.action.doc))
    return found


class CommandPrompt(Prompt):
    """Runs a word; Tab completes it; an unknown one gets the nearest."""

    def __init__(self, place: Place) -> None:
        super().__init__(
            ":", "", "a screen, a command, a name, #NUMBER or an address; Tab completes"
        )
        self._place = place
        self._chain = place.desk.keyboard.chain()
        self._at = len(HISTORY)
        place.run_worker(place.session.names.load(), name="names", group="names", exclusive=True)

    @property
    def _words(self) -> dict[str, CommandWord]:
        return words(self._chain)

    @property
    def _offered(self) -> dict[str, CommandWord]:
        """What is offered while it is typed: a word that is away says so once it is entered."""
        session = self._place.session
        return {
            name: word
            for name, word in self._words.items()
            if word.command is None or not away(session, word.command)
        }

    def changed(self, text: str) -> None:
        """Show what it may become."""
        known = self._offered
        name, blank, rest = text.partition(" ")
        if blank and (word := known.get(name)) is not None:
            choices = self._choices(word, rest)
            summary = word.doc.split("\n", 1)[0]
            self._place.show_keys("  ".join(choices[:12]) or f"{word.usage}  {summary}".strip())
        else:
            fitting = sorted(w for w in known if w.startswith(name))
            fitting = fitting or [ALSO.get(text) or self._elsewhere(text)]
            named = [] if any(fitting) else self._place.session.names.found(text)[:FEW]
            self._place.show_keys("  ".join((thing.title for thing in named) if named else fitting))

    def _elsewhere(self, name: str) -> str:
        """Say on which screens a word works that does not here; empty where there is none."""
        screens = actions().words.get(name, ())
        titles = [way.title for way in ways() if way.view is None and way.name in screens]
        return f":{name} works in {few(titles, 3)}, not here." if titles else ""

    def _choices(self, word: CommandWord, typed: str) -> list[str]:
        """Return what a word may be followed by that begins with what is typed, in any case."""
        if word.command is None or word.command.complete is None:
            return []
        choices = word.command.complete(asked(word.owner))
        return [choice for choice in choices if fold(choice).startswith(fold(typed))]

    def complete(self) -> None:
        name, blank, rest = self.input.value.partition(" ")
        if blank:
            word = self._offered.get(name)
            choices, lead = self._choices(word, rest) if word else [], f"{name} "
        else:
            choices, lead = [w for w in self._offered if w.startswith(name)], ""
        if not choices and self._words.get(name) is None:
            named = self._place.session.names.found(self.input.value)
            choices, lead = [thing.title for thing in named[:1]], ""
            blank = " "
        if choices:
            common = _common_start(choices)
            if len(lead + common) < len(self.input.value):
                return  # they differ from the first letter on that is in another case
            end = " " if len(choices) == 1 and not blank else ""
            self.input.value = lead + common + end
            self.input.cursor_position = len(self.input.value)

    def recall(self, by: int) -> None:
        """Step through the earlier entries."""
        self._at = max(0, min(len(HISTORY), self._at + by))
        self.input.value = HISTORY[self._at] if self._at < len(HISTORY) else ""
        self.input.cursor_position = len(self.input.value)

    def close(self) -> None:
        """Take the hints away too."""
        self._place.show_keys("")
        super().close()

    def submitted(self, text: str) -> None:
        self.close()
        text = text.strip()
        if not text:
            return
        HISTORY.append(text)
        known = self._words
        name, _, rest = text.partition(" ")
        rest = rest.strip()
        word = known.get(name) or known.get(ALSO.get(name, ""))
        # What is offered while it is typed is what Enter takes: names only where no word fits.
        begun = [] if rest else [each for each in self._offered if each.startswith(name)]
        elsewhere = self._elsewhere(name)
        by_words = not begun and (not elsewhere or bool(rest))
        if word is None and (number := text.removeprefix("#")).isascii() and number.isdigit():
            self._place.desk.soon(self._lead, self._open_number(number))
        elif word is None and is_address(text):
            self._place.desk.soon(self._lead, self._open_address(text))
        elif word is not None and word.command is None and rest:
            self._place.say(f"{name} takes nothing after it. :{name} alone goes there.", "warn")
        elif word is None and (named := self._named(text, by_words=by_words)):
            self._place.desk.soon(self._lead, go_to(self._place.desk, named[0]))
        elif word is None and elsewhere:
            self._place.say(elsewhere, "warn")
        elif word is None and begun:
            self._place.say(f":{name} may be :{few(begun, 3)}. Tab completes it.", "warn")
        elif word is None:
            near = get_close_matches(name, known, 1)
            hint = f" Nearest: :{near[0]}." if near else " ? lists what works here."
            self._place.say(f"There is no :{name} here.{hint}", "warn")
        elif word.command is None:
            self._place.desk.go_soon(word.name)
        elif word.owner is not None:
            self._place.desk.soon(run_command, word.owner, word.command, rest)

    def _named(self, text: str, *, by_words: bool) -> Sequence[NamedThing]:
        """Return what has such a name; without ``by_words`` only what has exactly that one."""
        found = self._place.session.names.found(text)
        return found if by_words else [each for each in found if same_name(each.title, text)]

    async def _lead(self, work: Awaitable[None]) -> None:
        """Begin what leads elsewhere once it is read: keys wait for that, and Esc stops it."""
        self._place.run_worker(tell_failures(self._place, work), name="look for", group="look for")
        await asyncio.sleep(0)  # its first step is taken before the next key

    async def _open_address(self, url: str) -> None:
        """Open what an address leads to, as the command line of the shell does."""
        place, session = self._place, self._place.session
        CAUSE.set((*CAUSE.get(), "place.command_line"))  # the line that it was typed in is closed
        known = pointed(url)
        if known is not None and known[1].organization == session.organization:
            await place.desk.go(*known)  # asks for nothing, also offline
            return

        async def read() -> tuple[tuple[str, Target] | None]:
            api = await session.ready()
            if known is None:
                found = await published(api, url)
            elif known[1].organization is None:
                found = await content_at(api, url) or known  # which names the organization
            else:
                found = known
            if found is not None:
                await be_at(found[1], session, api)
            return (found,)

        try:
            looked = await place.reads.now("address", read, "Looking for what is there")
        except failure_types():
            if known is None:
                raise
            looked = (known,)  # its own screen says what of it is kept
        if looked is None or place.desk.screen is not place:
            return
        if looked[0] is None:
            place.say(f"{no_address(url)}.", "warn")
        else:
            await place.desk.go(*looked[0])

    async def _open_number(self, number: str) -> None:
        """Open the change request of that number in the space that is meant."""
        place, session = self._place, self._place.session
        spaces = _spaces_of(place, number)
        if len(spaces) > 1:
            said = f"There is a #{number} in {len(spaces)} spaces here: open the one that is meant"
            place.say(f"{said} with Enter.", "warn")
            return
        if not spaces:
            place.say(f"#{number} is counted in a space: g s goes to one.", "warn")
            return
        (space,) = spaces

        async def read() -> str:
            return await _find_number(await session.ready(), space, number)

        request = await place.reads.now("number", read, f"Looking for #{number}")
        if request is not None and place.desk.screen is place:
            target = Target(session.organization, space, change_request=request)
            await place.desk.go("review", target)


def _spaces_of(place: Place, number: str) -> Collection[str]:
    """Return the spaces, by id, whose change request of this number may be meant."""
    if "space" not in place.COLUMNS:
        space = place.space_at_hand()
    elif (space := place.target.space) is None:  # each row is of a space of its own
        rows = chain.from_iterable(each.source.base.shown() for each in place.query(VirtualList))
        found = (row for row in rows if isinstance(row, ChangeRow) and str(row.number) == number)
        return {row.space for row in found}
    return () if space is None else (space,)


async def _find_number(api: Api, space: str, number: str) -> str:
    """Return the id of a change request. Raises `NotDoneError` where the space has none."""
    try:
        return (await api(ops.get_change_request, space, number)).id
    except NotFound as error:
        named = shorten((await api(ops.get_space, space)).title, 40)
        said = f"There is no #{number} in “{named}”: g s goes to another space."
        raise NotDoneError(said) from error


async def go_to(app: DeskApp, thing: NamedThing) -> None:
    """Go to what has a name, and remember that."""
    session = app.session
    await session.names.used(thing)
    target = thing.target(session.organization)
    if target.space is not None:
        with suppress(*failure_types()):  # its own screen says what is kept of it
            await be_at(target.but(organization=None), session, await session.ready())
    await app.go(SCREENS[thing.name.kind], target.but(organization=session.organization))


def _common_start(choices: list[str]) -> str:
    first, last = min(choices), max(choices)
    for at, letter in enumerate(first):
        if at >= len(last) or last[at] != letter:
            return first[:at]
    return first
