"""A person's own commands on the screens: as keys, in palette and help, and as words after ``:``.

Their actions are made of the settings, once for each kind of screen, and not declared: they are in
no generated page.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual.app import ComposeResult, SuspendNotSupported
from textual.screen import Screen

from copydesk.domain.own_command import OwnCommand, Ready, Thing, ready
from copydesk.domain.text import clean, plural
from copydesk.local import browser
from copydesk.local.child_processes import run_on_terminal
from copydesk.session.own_commands import CommandOutcome, run_ready, shown_line
from copydesk.session.target import Target
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.framework.actions import Action, Command, Commands, Guard
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.editor import run_in_terminal
from copydesk.tui.framework.keyboard import keys_of
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.tui.framework.desk_app import DeskApp

SCOPE = "yours"
"""What the ids of these actions begin with."""

PAUSES = "\nPress Enter to go back to copydesk. "


class OwnCommands:
    """The commands of the settings, for the whole program."""

    def __init__(self, app: DeskApp, commands: Sequence[OwnCommand]) -> None:
        self._app = app
        self._commands = commands
        self._kinds: dict[type[Place], type[Commands]] = {}
        self._running: set[str] = set()

    def of(self, place: Screen[Any]) -> Sequence[Commands]:
        """Return those that a place has; their keys come before its own. A dialog has none."""
        if not isinstance(place, Place):
            return ()
        kind = type(place)
        if kind not in self._kinds:
            self._kinds[kind] = self._made_for(kind)
        return (self._kinds[kind](place),)

    def _made_for(self, kind: type[Place]) -> type[Commands]:
        """Return the class of the commands that screens of a kind have."""
        owners = kind.owner_classes()
        taken = {name for owner in owners for name in owner.LINE_COMMANDS}
        here = [each for each in self._commands if self._has_room(each, owners)]
        methods = {_method(each): self._doing(each) for each in here}
        made = cast(
            "type[Commands]", type("Yours", (Commands,), {"__module__": __name__, **methods})
        )
        made.ACTIONS = {_method(each): _action(each) for each in here}
        made.LINE_COMMANDS = {each.name: _word(each) for each in here if each.name not in taken}
        return made

    def _has_room(self, command: OwnCommand, owners: Iterable[type[Any]]) -> bool:
        """Whether a screen has the action whose key a command takes, if it takes one."""
        keymap = self._app.keyboard.keymap
        return not command.replaces or any(
            command.replaces in (each.id, each.word) and command.key in keys_of(each, keymap)
            for owner in owners
            for each in owner.ACTIONS.values()
        )

    def _doing(self, command: OwnCommand) -> Callable[..., Awaitable[None]]:
        async def do(owner: Commands, rest: str = "") -> None:
            place = owner.place
            assert isinstance(place, Place)
            if rest:
                place.say(f":{command.name} takes nothing after it.", "warn")
            else:
                await self._do(place, command)

        return do

    # Running

    async def _do(self, place: Place, command: OwnCommand) -> None:
        """Show what would run and ask, unless it writes nothing; then run it."""
        if why := in_browser(place):  # a word after : asks no guard
            place.say(why, "warn")
            return
        if command.name in self._running:
            place.say(f"{command.name} is still running.", "warn")
            return
        found = _fitting(place, command)
        try:
            runs = [(each, _ready(place, command, each)) for each in found]
        except ValueError as error:
            place.say(f"{command.name}: {error}", "warn")
            return
        if command.writes and not await self._agreed(command, [run for _, run in runs]):
            return
        place.tell(f"{command.name} is running.")
        # Of the program and not of the screen: who leaves that ends nothing half done.
        begin(self._app, self._run, place, command, runs, name=command.name, exit_on_error=False)

    async def _agreed(self, command: OwnCommand, runs: Sequence[Ready]) -> bool:
        facts: list[Fact] = []
        for run in runs:
            facts += [Text(line, style="code") for line in shown_line(run).split("\n")]
        used = [name for name in runs[0].variables if name[9:].lower() in command.fields]
        for run in runs if used else ():
            facts += ["", *(f"{name} = {run.variables[name]}" for name in used)]
        title = f"Run {command.name}" + (f" for {len(runs)}" if len(runs) > 1 else "")
        sheet = Confirm(title, facts, verb="run")
        return await self._app.push_screen_wait(sheet) is True

    async def _run(
        self, place: Place, command: OwnCommand, runs: Sequence[tuple[Thing, Ready]]
    ) -> None:
        self._running.add(command.name)
        try:
            outcomes = [await self._run_one(command, thing, run) for thing, run in runs]
        finally:
            self._running.discard(command.name)
        if command.then == "refresh" and place.is_attached:
            place.read_again()
        await self._tell(place, command, outcomes)

    async def _run_one(self, command: OwnCommand, thing: Thing, run: Ready) -> CommandOutcome:
        about = clean(thing.fields.get("title", ""), limit=200)
        target = f"{command.name} {about}".rstrip()
        if command.show != "terminal":
            return await run_ready(self._app.session, "Command", target, run)
        try:
            status = run_in_terminal(self._app, lambda: _on_terminal(run))
        except SuspendNotSupported:
            outcome = CommandOutcome("This terminal cannot be left for a program.", done=False)
        except OSError as error:
            outcome = CommandOutcome(f"Not started: {error.strerror or error}.", done=False)
        else:
            outcome = CommandOutcome(
                f"Ended with status {status}." if status else "Done.", not status
            )
        state = "done" if outcome.done else "not done"
        self._app.session.note_line("Command", target, state, outcome.said)
        return outcome

    async def _tell(
        self, place: Place, command: OwnCommand, outcomes: Sequence[CommandOutcome]
    ) -> None:
        failed = [each for each in outcomes if not each.done]
        said = (failed or outcomes)[0].said
        if len(outcomes) > 1:
            done = plural(len(outcomes) - len(failed), "run")
            said = f"{done} done, {len(failed)} not: {said}" if failed else f"{done} done."
        output = "\n".join(each.output for each in outcomes if each.output)
        if command.show == "pager" and output and self._app.screen is place:
            await self._app.push_screen(OutputPlace(place.target, command.name, output))
            if not failed:
                return
        if failed or command.show != "none":
            front = self._app.here or place
            front.say(f"{command.name}: {said}", "bad" if failed else "good")


def _on_terminal(run: Ready) -> int:
    """Run a program on the terminal, and wait until what it wrote has been read."""
    status = run_on_terminal(run.words, more=run.variables)
    sys.stdout.write(PAUSES)
    sys.stdout.flush()
    sys.stdin.readline()
    return status


def _method(command: OwnCommand) -> str:
    return f"run_{command.name}"


def _told(command: OwnCommand) -> str:
    kinds = "" if "any" in command.on else f" For: {', '.join(command.on)}."
    replaced = f" In place of {command.replaces}." if command.replaces else ""
    return f"Your own: {command.line}.{kinds}{replaced}"


def _action(command: OwnCommand) -> Action:
    return Action(
        SCOPE,
        _method(command),
        (command.key,) if command.key else (),
        command.name,
        _told(command),
        unless=(in_browser, _nothing_for(command)),
        danger=2 if command.writes else 0,
        group="Yours",
        override=True,
        stages=command.writes,
        takes=_takes(command),
    )


def _word(command: OwnCommand) -> Command:
    return Command(
        SCOPE,
        _method(command),
        command.name,
        "",
        _told(command),
        stages=command.writes,
        takes=_takes(command),
    )


def _takes(command: OwnCommand) -> Any:
    if command.each:
        return "marked"
    return "one" if command.fields or "any" not in command.on else "none"


def in_browser(_here: Place) -> str | None:
    """Say that commands run in a terminal alone."""
    return None if browser.window is None else "Your own commands do not run in a browser."


def _nothing_for(command: OwnCommand) -> Guard:
    """Return the guard that says so when nothing of the right kind is selected or open."""

    def guard(here: Place) -> str | None:
        if _fitting(here, command):
            return None
        return f"{command.name} is for: {', '.join(command.on)}. None is selected here."

    return guard


def _fitting(place: Place, command: OwnCommand) -> Sequence[Thing]:
    """Return what a command runs on; nothing where there is none of its kind."""
    found = place.things()
    if "any" not in command.on:
        found = [each for each in found if each.kind in command.on]
    elif not found:
        found = [Thing("", {})]
    return found if command.each else found[:1]


def _ready(place: Place, command: OwnCommand, thing: Thing) -> Ready:
    """Return one run of a command. Raises ``ValueError`` with a sentence."""
    return ready(command.run, {**_known(place), **thing.fields}, shell=command.shell)


def _known(place: Place) -> Mapping[str, str]:
    """Return the fields that do not depend on what is selected."""
    session = place.session
    return {
        "organization": session.title_of(place.organization),
        "profile": session.profile,
        "query": "" if place.pane is None else place.pane.found,
    }


class OutputPlace(Place):
    """What a command of one's own wrote."""

    OF_DESK = False

    def __init__(self, target: Target, name: str, output: str) -> None:
        super().__init__(target)
        self._command, self._output = name, output

    def panes(self) -> ComposeResult:
        self.shown = TextView(self._output, title=self._command, plain=True, id="output")
        yield Part("main", self.shown)

    def trail(self) -> Iterable[str]:
        yield "Output"
        yield self._command

    def poll(self) -> None:
        """Read nothing: the command has ended."""

    def copies(self) -> Sequence[tuple[str, str]]:
        return [("output", self._output)]
