"""The embedded desk on this machine: which file, whose it is, and how to reach it in process.

The screens name the desk before their first paint, and open it behind that: the store is imported
where it is opened.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli.errors import UsageError
from copydesk.local import browser
from copydesk.local.paths import find_paths, private_folder

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.clustering import Clustering
    from copydesk.server.store import Store, Tx

OWNER = "owner"
"""The key in a desk's ``meta`` of the user whom the program signs in as."""

ADDRESS = "http://desk.invalid"
"""What the in-process desk calls itself; the name can never be looked up. In a window of a browser
it has the address of the server there, which opens the screens at what follows it.
"""

_KEYED = "desk:"


def desk_file(desk: Path | None) -> Path:
    """Return the desk's file: the one that was named, or the user's own.

    Raises ``UsageError`` for a name that SQLite cannot open.
    """
    path = desk.absolute() if desk else find_paths().desk
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{str(path)!a} is not UTF-8 text: no desk can have that name") from error
    return path


def desk_key(desk: Path | None) -> str:
    """Return what the things that are kept on this machine for a desk are kept under.

    It is the desk's path, and for the own desk of this home the path that it had first: so they are
    found where a home was moved, or copied with all that is in it. Not what is in the file says
    which it is: a backup that is opened beside its desk is another one.
    """
    paths = find_paths()
    # Of a home whose name is no text the own desk cannot be opened; all others can.
    path = paths.desk if desk is None else desk_file(desk)
    try:
        first = paths.own_desk.read_text("utf-8").strip()
    except (OSError, ValueError):
        first = ""
    if path == paths.desk:
        return first if first.startswith(_KEYED) else f"{_KEYED}{path}"
    key = f"{_KEYED}{path}"
    # That of the home that this one is a copy of is another desk by now.
    return f"{key} elsewhere" if key == first else key


def note_own_desk() -> None:
    """Note under what the own desk's things are kept, where that is not noted yet."""
    paths = find_paths()
    # It is noted once that works; until then the home stays here.
    with suppress(OSError, UnicodeEncodeError):
        if not paths.own_desk.exists():
            from copydesk.local.durable import write_file

            write_file(paths.own_desk, f"{desk_key(None)}\n".encode())


def open_store(
    desk: Path | None, *, fill: bool = True, make: bool = True, reads: bool = False
) -> Store:
    """Open a desk, made when it is missing; with ``fill`` a new one gets the sample.

    Without ``make`` a file that was named must be there: what is asked of it is in it or nowhere.
    Where only reading is asked of it (``reads``), it may be one that cannot be written.
    Raises ``DeskError`` when the file cannot be used.
    """
    from copydesk.server.store import DeskError, Store, UnwritableError

    path = desk_file(desk)
    if desk is not None and not (path.parent.is_dir() if make else path.exists()):
        what = "its folder is missing" if make else "there is no such file"
        raise DeskError(f"{path} cannot be opened: {what}. Look at what --desk says.")
    try:
        if desk is None:
            private_folder(path.parent)
        try:
            store = Store(path)
        except UnwritableError:
            if not reads:
                raise
            return Store(path, reads=True)
    except OSError as error:
        raise DeskError(
            f"{path} cannot be opened ({error.strerror}). Check the folder's permissions, "
            "or name another file with --desk."
        ) from error
    try:
        if fill and is_empty(store):
            from copydesk.server.sample import build_sample

            build_sample(store)
    except BaseException as error:
        store.close()
        import sqlite3

        if isinstance(error, sqlite3.OperationalError):
            raise DeskError(
                f"{path} cannot be filled: {error}. There is nothing in it: make room on its disk, "
                "and open it again."
            ) from error
        raise
    return store


def make_sample(desk: Path | None) -> None:
    """Make a desk that is not there yet, with the sample, and say so on the terminal meanwhile.

    It takes a second or a few, and is done before the screens: on them nothing could be seen until
    it is there. The line is gone afterwards, whatever came of it. Raises ``UsageError``.
    """
    try:
        if desk_file(desk).stat().st_size:
            return
    except FileNotFoundError:
        pass
    except OSError:
        return  # what opens it says why it cannot
    from copydesk.cli.output import put, redraw
    from copydesk.cli.terminal import shows_utf8
    from copydesk.server.store import DeskError

    put("Making the sample desk" + ("…" if shows_utf8() else "..."), end="", now=True)
    try:
        open_store(desk).close()
    except DeskError as error:
        raise UsageError(str(error)) from error
    finally:
        redraw(beside=False)


def is_empty(store: Store) -> bool:
    """Say whether nobody is on the desk yet."""
    return not store.read(lambda tx: tx.value("SELECT EXISTS (SELECT 1 FROM user)"))


def owner_of(tx: Tx) -> str:
    """Return the id of the desk's owner.

    Raises ``DeskError`` when the desk has nobody on it.
    """
    found: str | None = tx.value("SELECT value FROM meta WHERE key = ?", OWNER)
    if found is None:
        from copydesk.server.store import DeskError

        raise DeskError("No one is on this desk yet. `copydesk desk sample` fills it.")
    return found


def ensure_owner(tx: Tx) -> str:
    """Return the desk's owner, made after the person at this machine when there is none."""
    found: str | None = tx.value("SELECT value FROM meta WHERE key = ?", OWNER)
    if found is None:
        from copydesk.server.desk_writes import add_user

        found = add_user(tx, *person())
        tx.insert("meta", key=OWNER, value=found)
    return found


def person() -> tuple[str, str]:
    """Return the name and the e-mail address on a desk of the person at this machine."""
    import getpass

    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # no such user in the password database
        name = "you"
    name = "".join(c for c in name if c.isalnum() or c in "._-") or "you"
    return name.capitalize(), f"{name.lower()}@localhost"


def open_next(desk: Path | None, organization: str | None) -> None:
    """Have the next start on a desk open an organization, whichever was open last.

    All that says where somebody left the screens is put aside here, once. None: as if the desk was
    never opened.
    """
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.identity import REMEMBERED
    from copydesk.session.target import LEFT

    kept = Snapshots(find_paths().snapshots, desk_key(desk))
    kept.write(REMEMBERED, [{"organization": organization}] if organization else [])
    kept.write(LEFT, [])


def clustering() -> Clustering:
    """Return how the settings of this person say that clusters are found."""
    from copydesk.domain.clustering import Clustering
    from copydesk.local.settings import SettingsError, load_settings

    try:
        return load_settings(find_paths().settings).clusters or Clustering()
    except SettingsError as error:
        # Whoever opens the screens is told, and a desk is served all the same.
        return error.usable.clusters or Clustering()
    except OSError:
        return Clustering()


def connect_in_process(store: Store) -> Api:
    """Return a client of the desk without a network, signed in as its owner in this process.

    The desk is closed with it, so that its file is whole for whoever copies it then.
    """
    import secrets

    from copydesk.client.api import Api
    from copydesk.client.in_process import AppTransport
    from copydesk.server.app import create_app
    from copydesk.server.rate_limit import RateLimit, limited

    token = "desk_" + secrets.token_urlsafe(32)
    app = create_app(
        store,
        sessions={token: store.read(owner_of)},
        # Whoever sits here may read and write what this program may.
        repositories=Path("/"),
        clustering=clustering(),
    )
    window = browser.window
    return Api(
        ADDRESS if window is None else window.address,
        token,
        transport=AppTransport(limited(app, RateLimit()), close=store.close),
    )
