"""Opening the program: the screens over the embedded desk, or over a service.

Before the first paint only Textual, SQLite and the standard library are imported; the client, the
contract and the desk follow in a thread behind it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from copydesk.cli import log_file, terminal
from copydesk.cli.connection import OWN, Connection, Service, session_for
from copydesk.cli.embedded import note_own_desk
from copydesk.cli.errors import UsageError, say
from copydesk.cli.profile_switch import Keeper, Switchboard, sentence_of
from copydesk.domain.keymap import OwnKeys
from copydesk.local import browser, preface
from copydesk.local.journal import Journal
from copydesk.local.paths import Paths, find_paths
from copydesk.local.settings import SettingsError
from copydesk.local.settings_in_use import settings_in_use
from copydesk.local.state import State
from copydesk.session.target import FIRST_PLACE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from copydesk.cli.connection import Connection
    from copydesk.client.api import Api
    from copydesk.domain.own_command import OwnCommand
    from copydesk.local.paths import Paths
    from copydesk.local.settings import Problem
    from copydesk.local.settings_file import SettingsFile
    from copydesk.local.settings_in_use import InUse
    from copydesk.session.target import Target
    from copydesk.tui.app import CopydeskApp


NONE: Mapping[str, Any] = MappingProxyType({})
"""No options."""


def open_desk(
    *, service: Service = OWN, theme: str | None = None, linear: bool | None = None
) -> int:
    """Open the screens and return the exit status once they are closed."""
    _begin()
    connection = service.connection()
    options = _options(connection, theme, linear)
    gc.disable()  # the application turns it on again when it is ready
    usual = service == OWN and not options and browser.window is None
    paths = _terminal(connection, options)
    return _run(paths, connection, read_only=service.read_only, usual=usual, options=options)


def open_address(
    *, url: str, service: Service = OWN, theme: str | None = None, linear: bool | None = None
) -> int:
    """Open the screens where an address points: of the application, or of a published site.

    Raises ``UsageError`` for one that names nothing known.
    """
    from copydesk.session.reads.addresses import pointed

    _begin()
    connection = service.connection()
    options = _options(connection, theme, linear)
    found = pointed(url)
    if found is None:
        with _looking(url):
            found = asyncio.run(_published(connection, url))
    place, target = found
    gc.disable()
    paths = _terminal(connection, options)
    return _run(paths, connection, place, target, read_only=service.read_only, options=options)


def open_connection(
    connection: Connection, theme: str | None = None, linear: bool | None = None
) -> int:
    """Open the screens on what is neither named by options nor by settings."""
    options = _options(connection, theme, linear)
    gc.disable()
    return _run(_terminal(connection, options), connection, options=options)


@contextmanager
def _looking(url: str) -> Iterator[None]:
    """Say that an address is looked for, while the terminal has nothing else to show."""
    from copydesk.cli.output import redraw
    from copydesk.domain.text import clean, shorten

    shown = terminal.is_terminal(sys.stderr)
    if shown:
        redraw(f"Looking for {shorten(clean(url), 48)} among your sites…")
    try:
        yield
    finally:
        if shown:
            redraw()


async def _published(connection: Connection, url: str) -> tuple[str, Target]:
    """Return what a published address shows, looked for among the sites that one can see.

    Raises ``UsageError`` for one of no site, and ``ApiError``.
    """
    from copydesk.session.reads.addresses import no_address, published

    connection.make()
    async with await connection.connect() as api:
        found = await published(api, url)
    if found is None:
        raise UsageError(no_address(url))
    return found


def _begin() -> None:
    """Use the window of the browser that this run was begun for."""
    try:
        browser.begin()
    except ValueError as error:
        raise UsageError(str(error)) from error


def _options(connection: Connection, theme: str | None, linear: bool | None) -> dict[str, Any]:
    """Return the options that are settings. Raises ``UsageError`` for an unknown theme."""
    options: dict[str, Any] = {}
    if theme is not None:
        own = settings_in_use(find_paths().settings, connection.profile).settings.themes
        if wrong := terminal.refused_theme(theme, own):
            raise UsageError(wrong)
        options["theme"] = theme
    if linear:
        options["linear"] = True
    return options


def _terminal(connection: Connection, options: Mapping[str, Any] = NONE) -> Paths:
    """Return the folders, once it is sure that there is a terminal for the screens."""
    paths = find_paths()
    linear = bool(options.get("linear")) or terminal.is_linear(_asks_for_lines(paths, connection))
    terminal.require(linear=linear)
    terminal.use_linear(linear)  # for all that writes before and after the screens
    if linear:
        preface.leave()
    else:
        preface.quiet()
    log_file.silence()
    with suppress(OSError):
        # Where nothing can be written one can still read; what is to be kept says so.
        paths.make()
    return paths


def _asks_for_lines(paths: Paths, connection: Connection) -> bool:
    """Whether the settings ask for linear mode; whoever reads the rest of them tells mistakes."""
    try:
        return settings_in_use(paths.settings, connection.profile).settings.linear
    except (SettingsError, OSError):
        return False


def _run(
    paths: Paths,
    connection: Connection,
    first: str = FIRST_PLACE,
    target: Target | None = None,
    *,
    read_only: bool = False,
    usual: bool = False,
    options: Mapping[str, Any] = NONE,
) -> int:
    """Show the screens, and those of another profile for as long as they are left for one.

    ``usual``: whether the next start opens the first of them again. ``options`` are values of
    settings that were typed for this run.
    """
    ways = Switchboard(paths, connection, read_only=read_only)
    said = ""
    while True:
        if ways.connection.begins is not None:
            first, target = "pages", ways.connection.begins
        try:
            app = _show(paths, ways, first, target, said, usual=usual, options=options)
        except (UsageError, SettingsError) as error:
            # What was chosen cannot be opened: what was open before is open again.
            if not ways.go_back():
                raise
            said = sentence_of(error)
        else:
            if app.account.bound_for is None:
                return app.return_code or 0
            if app.account.bound_for == ways.back:
                ways.go_back()
                said = ""
            else:
                ways.go_on()
                said = f"Switched to {ways.what}."
                if ways.back is not None:
                    said += " q goes back to where you were."
            usual = False
        first, target = FIRST_PLACE, None
        gc.unfreeze()
        gc.disable()


def _show(
    paths: Paths,
    ways: Switchboard,
    first: str,
    target: Target | None,
    said: str,
    *,
    usual: bool,
    options: Mapping[str, Any],
) -> CopydeskApp:
    """Show the screens of a service until they are left. Raises ``UsageError``."""
    from copydesk.session.identity import identify_at
    from copydesk.tui.app import CopydeskApp, linear_driver, use_own_commands

    unusable: list[UsageError] = []
    connection = ways.connection

    async def connect_or_leave() -> Api:
        try:
            return await connection.connect(keeping=paths.answers)
        except UsageError as error:
            # Nothing on the screens can mend that: close them, and say it where it stays.
            unusable.append(error)
            app.exit()
            raise ConnectionError(str(error)) from error

    found = settings_in_use(
        paths.settings, connection.profile, options=options, refused=terminal.refused_theme
    )
    settings, named = found.settings, found.settings.theme
    terminal.use_own_themes(settings.themes)
    keymap, commands, more = _held_against_screens(found, paths.settings)
    problems = (*found.problems, *more)
    of_file = [each for each in problems if not each.source]
    name = paths.settings.name
    wrong = [each.said if each.source else f"{name}, {each.said}" for each in problems]
    if wrong:
        said = f"{said} {wrong[0]}".lstrip()
        said += f", and {len(wrong) - 1} more" if wrong[1:] else ""
        said += "" if said.endswith("?") else "."
    connection.make()
    journal = Journal(State(paths.store), connection.key)

    session = session_for(
        connection,
        paths,
        journal,
        connect=connect_or_leave,
        recall_seconds=settings.recall_seconds,
        checks=settings.checks,
    )
    if target is not None:
        session.identify = partial(identify_at, target)
    linear = terminal.is_linear()
    theme = terminal.theme_of(named, light=_last_background(paths))
    with terminal.all_colours():
        app = CopydeskApp(
            session,
            first,
            target,
            theme=theme,
            keymap=keymap,
            glyphs=terminal.signs(settings.glyphs),
            utf8=terminal.shows_utf8(settings.glyphs),
            driver=linear_driver() if linear else None,
            crash=log_file.crash(paths),
            background=log_file.background(paths),
            preload=partial(_preload, paths, connection.secrets),
        )
    if connection.token is not None:
        session.token = Keeper(connection.token, connection.key, paths)
    app.account.offers, app.account.back, app.account.opens_with = ways, ways.back, said
    app.account.points = " g , shows the settings." if wrong else ""
    if of_file and not linear:  # which tells no hint, and has none to hide
        from copydesk.domain.text import plural

        count = f"{name}: {plural(len(of_file), 'mistake')}"
        app.account.lasting = (f"{count}. g , shows them, esc hides this.", f"{count}: g ,")
    app.goes_on = target is None and not linear
    session.owners = settings.owners
    session.hooks = () if browser.window is not None else settings.hooks
    session.lists = {each.name: each for each in settings.lists}
    use_own_commands(app, commands)
    app.notices, app.pictures = settings.news, "off" if linear else settings.pictures
    app.kept_for = preface.conditions() if usual and not linear else ""
    if connection.token is None and not linear:
        app.account.welcome = FirstRun(paths, connection)
    if not linear:
        _follow(app, paths, named, theme)
    _let_settings_hold(app, paths, connection.profile, options)
    app.run_to_the_end(mouse=settings.mouse)
    if not app.return_code or app.sudden_end.ended_by:
        with suppress(OSError):
            journal.closed()
    journal.store.close()
    last_words(app)
    if unusable or app.account.bound_for is not None:
        connection.close()
    if unusable:
        raise unusable[0]
    return app


def _held_against_screens(
    found: InUse, path: Path
) -> tuple[Mapping[str, Sequence[str]], Sequence[OwnCommand], Sequence[Problem]]:
    """Return the keys and the commands of the settings that fit the screens, and what is wrong.

    Which screens and actions there are is only read where the settings, which are in the file
    ``path``, name some.
    """
    settings = found.settings
    keymap: Mapping[str, Sequence[str]] = {}
    wrong: dict[str, str] = {}
    shown_in_browser = browser.window is not None
    if settings.keys != OwnKeys() or shown_in_browser:
        from copydesk.session.declarations import keymap as keymap_of

        keymap, mistakes = keymap_of(settings.keys, browser=shown_in_browser)
        wrong |= mistakes
    commands = settings.commands
    if commands:
        from copydesk.session.declarations import own_command_mistakes

        mistakes = own_command_mistakes(commands, keymap)
        wrong |= {f"commands.{name}": said for name, said in mistakes.items()}
        commands = tuple(each for each in commands if each.name not in mistakes)
    if settings.lists:
        from copydesk.session.declarations import list_mistakes

        mistakes = list_mistakes(settings.lists)
        wrong |= {f"lists.{name}": said for name, said in mistakes.items()}
    if not wrong:
        return keymap, commands, ()
    from copydesk.local.settings_file import SettingsFile

    return keymap, commands, SettingsFile(path, lambda settings: wrong).more_problems(found)


BACKGROUND = "background"
"""The file in the state that says what terminals answered last: the first frame goes by that."""


def _last_background(paths: Paths) -> bool | None:
    """Return whether this terminal was light when it was asked last; None where nobody knows."""
    with suppress(OSError, ValueError):
        told, _, kind = (paths.state / BACKGROUND).read_text("utf-8").partition(" ")
        if kind == _kind() and told in ("light", "dark"):
            return told == "light"
    return None


def _kind() -> str:
    """Return what tells this terminal from others: what another one answered says nothing of it."""
    return " ".join(os.environ.get(name, "") for name in ("TERM_PROGRAM", "TERM"))


def _follow(app: CopydeskApp, paths: Paths, wanted: str, theme: str) -> None:
    """Have the theme follow the terminal's own background, if what is wanted does, else no more.

    ``theme`` is what is drawn for it now.
    """

    def told(light: bool, in_time: bool) -> None:
        from copydesk.local.durable import write_file

        nonlocal theme
        with suppress(OSError, ValueError):
            said = f"{'light' if light else 'dark'} {_kind()}"
            if light is not _last_background(paths):
                write_file(paths.state / BACKGROUND, said.encode())
        if in_time and app.theme == theme:
            theme = app.theme = terminal.theme_of(wanted, light=light)

    app.drawn.on_background = told if terminal.follows_terminal(wanted) else None


def _let_settings_hold(
    app: CopydeskApp, paths: Paths, profile: str, options: Mapping[str, Any]
) -> None:
    """Give the screens the settings file, and let those that can hold at once."""
    session = app.session

    def file() -> SettingsFile:
        from copydesk.cli.settings import settings_file  # no first frame needs it

        return settings_file(paths, profile, options)

    def use(name: str) -> str:
        if instead := file().used_instead(name):
            return instead
        settings = settings_in_use(paths.settings, profile, refused=terminal.refused_theme).settings
        match name:
            case "theme":
                light = _last_background(paths)
                app.theme = terminal.theme_of(settings.theme, light=light)
                _follow(app, paths, settings.theme, app.theme)
                app.drawn.ask_background()
            case "news":
                app.notices = settings.news
            case "pictures":
                app.pictures = settings.pictures
            case "recall_seconds":
                session.recall_seconds = settings.recall_seconds
            case _:
                return "It applies from the next start on."
        return ""

    session.settings_file, session.use_setting = file, use


def _preload(paths: Paths, secrets: Sequence[str]) -> None:
    """Import what the first frame did not need, and open the log."""
    log_file.begin(paths.log, secrets)
    note_own_desk()
    import copydesk.client.api
    import copydesk.contract.operations  # noqa: F401


SENT = ("sending", "unknown")
"""How writes stand that may have arrived."""


def last_words(app: CopydeskApp) -> None:
    """Print why the screens ended, unless a key ended them, and typed text that is not on disk."""
    if app.sudden_end.ended_by == getattr(signal, "SIGHUP", None):
        return  # nobody is there
    _forget_keys()
    drafts = app.session.drafts
    drafts.again()
    if app.sudden_end.explained:
        say(app.sudden_end.explained)
    if app.sudden_end.ended_by is not None:
        kept = app.sudden_end.kept_typed
        if app.sudden_end.unkept_typed and not drafts.unsaved:
            kept = "What you typed was sent, or is kept."  # while it ended
        say(f"copydesk: ended by {app.sudden_end.ended_by.name}. {kept}".rstrip())
    if drafts.unsaved:
        from copydesk.session.draft_keys import belonging

        say(f"copydesk: this could not be saved on disk ({drafts.trouble}). Copy it from here:")
        for key, text in drafts.unsaved.items():
            found = belonging(key)
            about = "text" if found is None else found.words
            shown = text if found is None else found.summary(text)
            if any(line.draft == key and line.state in SENT for line in app.session.log):
                about += " (it was sent, and no answer came: look first whether it is there)"
            say(f"\n--- {about}\n{shown}")


def _forget_keys() -> None:
    """Drop the keys that were typed for screens that are gone: they are not meant for the shell."""
    if sys.platform != "win32":
        import termios

        with suppress(termios.error, OSError, ValueError):  # there is no terminal
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


HIDDEN = "welcome-hidden"
"""The file in the state that says that the hint was hidden."""


HINTS = (
    "This is a sample desk. Your own: copydesk login connects to a service, "
    "copydesk desk import brings files in. esc hides this.",
    "Sample desk. Yours: copydesk login, or copydesk desk import FOLDER. esc hides.",
    "Sample desk: copydesk login, desk import. esc hides.",
)
"""The hint, the longest first: one of them fits into the line."""


class FirstRun:
    """Whether the hint is to be shown (`copydesk.session.profiles.Welcome`)."""

    def __init__(self, paths: Paths, connection: Connection) -> None:
        self._paths, self._key = paths, connection.key

    def hints(self) -> tuple[str, ...]:
        """Return the hint in several lengths; nothing once it is of no use. Reads the disk."""
        from contextlib import closing

        from copydesk.cli.embedded import desk_key
        from copydesk.local.journal import Journal
        from copydesk.local.profiles import Profiles
        from copydesk.local.state import State
        from copydesk.server.untouched import is_untouched

        paths = self._paths
        if self._key != desk_key(None) or self._hidden.exists():
            return ()
        try:
            with closing(State(paths.store)) as store:
                if Profiles(paths.settings).read() or not Journal(store, self._key).is_empty():
                    return ()
        except (OSError, ValueError):
            return ()  # somebody has written settings
        return HINTS if is_untouched(paths.desk) else ()

    def hide(self) -> None:
        """Show it no more, also in later runs. A disk that refuses only brings it back then."""
        from contextlib import suppress

        from copydesk.local.durable import write_file

        with suppress(OSError):
            write_file(self._hidden, b"")

    @property
    def _hidden(self) -> Path:
        return self._paths.state / HIDDEN
