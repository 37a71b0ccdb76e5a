"""What ``copydesk doctor`` finds on this machine and at the services, one thing at a time."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import re
import shutil
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from copydesk import __version__
from copydesk.cli import terminal
from copydesk.cli.connection import ADDRESS_VARIABLE, ALLOW_VARIABLE, READ_ONLY
from copydesk.cli.errors import UsageError
from copydesk.cli.token_owner import Holder, is_another, kept_for, read_holder
from copydesk.cli.tokens import TOKEN_VARIABLE
from copydesk.client.errors import ApiError, RateLimited, Unauthorized, Unreachable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.text import clean, listed, shorten, size_words
from copydesk.local.accounts import Accounts
from copydesk.local.answer_cache import Answers, answers_file
from copydesk.local.browser import VARIABLE as BROWSER_VARIABLE
from copydesk.local.credentials import CredentialError, Credentials
from copydesk.local.log import DEBUG_VARIABLE
from copydesk.local.paths import HOME_VARIABLE, Paths, find_paths
from copydesk.local.preface import SWITCH as PREFACE_VARIABLE
from copydesk.local.profiles import line_of_profile
from copydesk.local.settings import Settings, read_text
from copydesk.local.settings_in_use import settings_in_use, variables
from copydesk.session.profiles import TOKEN_FROM

if TYPE_CHECKING:
    from datetime import timedelta

    from copydesk.cli.connection import Connection
    from copydesk.cli.tokens import Token
    from copydesk.client.api import Api

HIDDEN = "…"
"""The sign in the place of a secret."""

SHORTEST = 4
"""A text with fewer letters is no secret; to hide it would hide these letters everywhere."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was looked at. ``said`` is how it is; ``advice`` what to do where it is wrong,
    empty where all is well.
    """

    part: str
    name: str
    said: str
    advice: str = ""

    @property
    def wrong(self) -> bool:
        """Whether somebody has to do something."""
        return bool(self.advice)


def parted(sentence: str, otherwise: str) -> tuple[str, str]:
    """Split a message into problem and advice; ``otherwise`` stands for missing advice."""
    said, _, advice = sentence.rpartition(": ")
    if said and advice.startswith(("run ", "unset ", "set ", "choose ", "look ")):
        return said, advice
    return sentence, otherwise


LIBRARIES = ("textual", "httpx", "pydantic", "keyring")
"""The libraries whose versions matter most to who has to find a mistake."""

SHORTEST_TOKEN = 8
"""A text with fewer letters is no token that somebody put into the settings."""

LITTLE_SPACE = 100 * 1024 * 1024
"""Less than this on a disk is told, in bytes."""

OWN_VARIABLES = "COPYDESK_"
"""What the variables begin with that are of copydesk alone."""

VARIABLES = (
    TOKEN_VARIABLE, ADDRESS_VARIABLE, ALLOW_VARIABLE, HOME_VARIABLE, DEBUG_VARIABLE,
    BROWSER_VARIABLE, PREFACE_VARIABLE, *variables(), "NO_COLOR", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
"""What of the environment changes what copydesk does, besides proxies."""


def program() -> Iterator[Finding]:
    """Yield what runs here."""
    yield Finding("copydesk", "version", __version__)
    yield Finding("copydesk", "Python", f"{platform.python_version()}, {sys.executable}")
    system = " ".join(filter(None, (platform.system(), platform.release(), platform.machine())))
    yield Finding("copydesk", "system", system)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES)
    yield Finding("copydesk", "libraries", versions)
    given = [name for name in VARIABLES if os.environ.get(name)]
    yield Finding("copydesk", "environment", f"{listed(given)} set" if given else "nothing set")
    yield from _variables()


def _variables() -> Iterator[Finding]:
    """Yield what of the environment has no effect; values are not repeated."""
    ours = [name for name in VARIABLES if name.startswith(OWN_VARIABLES)]
    for name in sorted(os.environ):
        if name.startswith(OWN_VARIABLES) and name not in ours:
            advice = did_you_mean(name, ours, f"copydesk has {listed(ours)}")
            shown = shorten(clean(name))
            yield Finding("copydesk", shown, "is set, but copydesk has no such variable", advice)
    home = os.environ.get(HOME_VARIABLE)
    if home and not Path(home).expanduser().is_absolute():
        whole = clean(str(Path(home).absolute()))
        said = f"is not a full path: it is {whole} in this folder only"
        yield Finding("copydesk", HOME_VARIABLE, said, f"set it to {whole}")
    if os.environ.get(ALLOW_VARIABLE, "1") not in ("", "0", "1"):
        said = "is set to something else than 1, and allows nothing"
        yield Finding("copydesk", ALLOW_VARIABLE, said, "set it to 1, or unset it")


def screen() -> Iterator[Finding]:
    """Yield what the terminal is."""
    part = "terminal"
    kind = os.environ.get("TERM", "")
    poor = os.name != "nt" and kind in terminal.POOR
    yield Finding(
        part,
        "kind",
        clean(kind) or "TERM is not set",
        "the screens cannot be drawn: set TERM to what the terminal is" if poor else "",
    )
    if terminal.is_terminal(sys.stdout):
        size = shutil.get_terminal_size()
        small = size.columns < 80 or size.lines < 24
        small_said = "made for 80x24 and more: less is cut" if small else ""
        yield Finding(part, "size", f"{size.columns}x{size.lines}", small_said)
    else:
        yield Finding(part, "size", "unknown: this output is not a terminal")
    yield Finding(part, "colours", _colours(kind))
    yield Finding(
        part, "letters", "UTF-8" if terminal.shows_utf8() else "no UTF-8: signs are drawn in ASCII"
    )


def _colours(kind: str) -> str:
    if os.environ.get("NO_COLOR"):
        return "none (NO_COLOR)"
    if os.environ.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return "16 million"
    return "256" if "256" in kind else "16"


def settings(paths: Paths) -> tuple[Settings, list[Finding]]:
    """Return the usable settings, and the remarks on them."""
    part, name = "settings", str(paths.settings)
    try:
        used = settings_in_use(paths.settings, refused=terminal.refused_theme, lenient=True)
    except OSError as error:
        return Settings(), [
            Finding(part, name, error.strerror or "unreadable", "make it readable for you")
        ]
    # What is wrong there may be a token in a wrong place: it is not repeated.
    written = _texts(paths.settings)
    told = [
        Finding(
            part,
            each.place or "file",
            _without(each.sentence, [*written, *filter(None, [os.environ.get(each.source)])]),
            "set it to another value, or unset it" if each.source else f"mend it in {name}",
        )
        for each in used.problems
        if each.source != each.key  # of which the variables are told already
    ]
    if not any(not each.source for each in used.problems):
        there = "read" if paths.settings.exists() else "none: everything is as usual"
        told.insert(0, Finding(part, name, there))
    return used.file, [*told, *_impossible(used.file, paths.settings)]


def _impossible(found: Settings, path: Path) -> Iterator[Finding]:
    """Yield files that the settings name and that do not exist."""
    text = read_text(path)

    def finding(line: int, said: str) -> Finding:
        return Finding("settings", f"line {line}" if line else "file", said, f"mend it in {path}")

    for profile in found.profiles:
        if (file := profile.ca_file) is None:
            continue
        said = f"ca_file of {clean(profile.name)}: {clean(str(file))}"
        line = line_of_profile(profile.name, "ca_file", text)
        if not file.is_absolute():
            yield finding(line, f"{said} is another file in another folder: write its whole path")
        elif not file.is_file():
            yield finding(line, f"{said}: there is no such file")


def _texts(path: Path) -> list[str]:
    """Return all that stands in quotes or behind a = in a file, the longest first."""
    text = read_text(path)
    quoted = re.findall(r"\"([^\"\n]*)\"|'([^'\n]*)'", text)
    found = {each for pair in quoted for each in pair} | set(re.findall(r"=[ \t]*(\S+)", text))
    return sorted(found, key=len, reverse=True)


def _without(sentence: str, texts: list[str]) -> str:
    for text in texts:
        if len(text) >= SHORTEST_TOKEN:
            sentence = sentence.replace(text, HIDDEN)
    return sentence


def files(paths: Paths) -> Iterator[Finding]:
    """Yield the folders and the files, with who may do what with them."""
    for name, folder in (
        ("config", paths.config),
        ("data", paths.data),
        ("state", paths.state),
        ("cache", paths.cache),
    ):
        yield _folder(name, folder)
    # Whoever may write to the settings may name a command that is run.
    yield from _file("settings", paths.settings, closed=stat.S_IWGRP | stat.S_IWOTH)
    yield from _file("desk", paths.desk)
    yield from _file("state.db", paths.store)
    yield from _store(paths.store)
    yield from _file("log", paths.log)
    if paths.credentials.is_dir():
        for path in sorted(paths.credentials.glob("*.json")):
            yield from _file("token", path)


def _store(path: Path) -> Iterator[Finding]:
    """Yield the faults of the files on this machine, and those that were set aside."""
    if path.is_file():
        try:
            # Not for long, and not at all where nothing may be written beside it.
            found = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
            with closing(found):
                (wrong,) = found.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError:
            wrong = "ok"
        except sqlite3.DatabaseError as error:
            wrong = str(error)
        if wrong != "ok":
            advice = "start copydesk: it keeps the file aside and takes over what can be read"
            yield Finding("files", "state.db", f"{path}: damaged ({wrong})", advice)
    for aside in sorted(path.parent.glob(f"{path.name}.damaged*")):
        if not aside.name.endswith(("-wal", "-shm")):
            advice = "make room on the disk and start copydesk: it takes over what can be read"
            yield Finding("files", "state.db", f"{aside}: damaged, not taken over yet", advice)
    for aside in sorted(path.parent.glob(f"{path.name}.broken*")):
        if not aside.name.endswith(("-wal", "-shm")):
            advice = "look whether a draft is missing (:drafts), then delete it"
            yield Finding("files", "state.db", f"{aside}: was damaged, kept aside", advice)


def _folder(name: str, folder: Path) -> Finding:
    above = folder
    while not above.exists() and above != above.parent:
        above = above.parent
    try:
        free = shutil.disk_usage(above).free
    except OSError as error:
        return Finding("files", name, f"{folder}: {error.strerror}", "look at the disk")
    room = f"{size_words(free)} free"
    there = "" if folder.exists() else ", not made yet"
    if not os.access(above, os.W_OK | os.X_OK) or not above.is_dir():
        return Finding(
            "files",
            name,
            f"{folder}{there}, not writable",
            "make it writable for you",
        )
    said = f"{folder}{there}, {room}"
    if folder.exists():
        said = f"{folder}, {_mode(folder)}, {room}"
        # Whoever writes there can put a file of their own in the place of one of these.
        if name != "config" and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return Finding("files", name, said, f"others write there: chmod go-w {folder}")
    return Finding("files", name, said, "make room on this disk" if free < LITTLE_SPACE else "")


def _file(name: str, path: Path, *, closed: int = stat.S_IRWXG | stat.S_IRWXO) -> Iterator[Finding]:
    """Yield a file that is there; wrong where others have one of the ``closed`` rights."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        yield Finding("files", name, f"{path}: {error.strerror}", "make it readable for you")
        return
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no file"
        advice = "move it away and start copydesk, which makes the file that belongs there"
        yield Finding("files", name, f"{path}: {kind} is in the place of a file", advice)
        return
    said = f"{path}, {_mode(path)}, {size_words(found.st_size)}"
    advice = ""
    if os.name != "nt" and found.st_mode & closed:
        others = "write to" if closed == stat.S_IWGRP | stat.S_IWOTH else "read"
        rights = "go-w" if others == "write to" else "go="
        advice = f"others may {others} it: chmod {rights} {path}"
    elif not os.access(path, os.R_OK | os.W_OK):
        advice = "make it readable and writable for you"
    yield Finding("files", name, said, advice)


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def keyring(paths: Paths, *, needed: bool) -> Finding:
    """Return what the keyring of this system is; wrong where a profile has its token there."""
    try:
        return Finding("tokens", "keyring", Credentials(paths.credentials).backend())
    except CredentialError as error:
        advice = "unlock or install it, or run copydesk login --store file" if needed else ""
        return Finding("tokens", "keyring", str(error), advice)


def desk(path: Path) -> Finding:
    """Return what the embedded desk is, read in short; ``copydesk desk check`` reads all."""
    from copydesk.server.desk_file import complaint, log_of, unwritable
    from copydesk.server.migrations import VERSION

    try:
        if not path.exists():
            return Finding("desk", str(path), "not made yet: the first start makes the sample")
        wrong = complaint(path, VERSION)
        # What can be read all the same is in order but for who may write it.
        closed = wrong is not None and wrong == unwritable(path)
        readable = closed and complaint(path, VERSION, writes=False) is None
        size = path.stat().st_size
        with suppress(FileNotFoundError):  # what a program that has it open wrote last is there
            size += log_of(path).stat().st_size
    except OSError as error:
        return Finding(
            "desk", str(path), error.strerror or "unreadable", "make it readable for you"
        )
    except UnicodeEncodeError:
        return Finding("desk", ascii(path), "its name is not UTF-8 text", "rename it")
    if wrong is not None:
        if readable:
            advice = f"make it writable for you; copydesk {READ_ONLY} shows it as it is"
            return Finding("desk", str(path), wrong, advice)
        return Finding(
            "desk",
            str(path),
            wrong,
            "run copydesk desk check, which says more; a backup can take its place",
        )
    return Finding("desk", str(path), f"fine at a quick check, {size_words(size)}")


PATIENCE = 20.0
"""So many seconds a service has for all that it is asked."""

CLOCKS_APART = 120.0
"""So many seconds may lie between two clocks before that is told."""


def network(connection: Connection) -> Iterator[Finding]:
    """Yield the way to a service: TLS, and the proxy without its credentials."""
    from copydesk.client.network import TRUST_VARIABLES, is_loopback, proxy_for

    part = _part(connection)
    parts = urlsplit(connection.base_url)
    yield Finding(part, "address", connection.base_url)
    yield Finding(part, "read-only", "yes" if connection.read_only else "no")
    if parts.scheme == "https":
        named = next((name for name in TRUST_VARIABLES if os.environ.get(name)), None)
        trusted = f"{named} ({clean(os.environ[named])})" if named else "the usual authorities"
        own = f" and {connection.ca_file}" if connection.ca_file else ""
        yield Finding(part, "encrypted", f"yes, checked by {trusted}{own}")
    else:
        far = not is_loopback(parts.hostname or "")
        advice = "everyone on the way can read the token: use https" if far else ""
        yield Finding(part, "encrypted", "no" if far else "no, it stays on this machine", advice)
    try:
        proxy = proxy_for(connection.base_url)
    except ValueError as error:
        yield Finding(part, "proxy", str(error), "mend it, or unset it")
        return
    yield Finding(part, "proxy", proxy.shown if proxy else "none")


async def service(connection: Connection, *, ask: bool = False) -> list[Finding]:
    """Return what a service says of itself and of the token; wrong where it cannot be used.

    ``ask``: see `operations`.
    """
    from copydesk.cli.doctor_operations import operations
    from copydesk.client.api import ROUTES

    part = _part(connection)
    found: list[Finding] = []
    try:
        if kept := kept_for(connection.key):
            found.append(Finding(part, "saved here", listed(kept)))
    except OSError as error:
        why = error.strerror or "unreadable"
        found.append(Finding(part, "saved here", why, "look at the folders above"))
    try:
        api = await connection.connect()
    except UsageError as error:
        again = f"mend it, or run copydesk login {connection.profile}".rstrip()
        return [*found, Finding(part, "opens", *parted(str(error), again))]
    if connection.token is not None:
        found.append(Finding(part, "token", _origin(connection.token)))
    async with api:
        answers = Answers(answers_file(find_paths().answers, connection.key))
        with closing(answers):
            known = answers.read(ROUTES)
        if known is not None:
            api.routes.recall(known.content)
        started = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                holder = await read_holder(api)
                seconds = time.monotonic() - started
                found.append(Finding(part, "answers", f"in {seconds:.2f} s"))
                found.append(Finding(part, "you are", str(holder), _stranger(connection, holder)))
                found.append(Finding(part, "organizations", holder.places or "none"))
                found.extend(_measured(part, api))
                rows = [each async for each in operations(api, ask=ask)]
                found.extend(Finding(part, name, said) for name, said in rows)
        except TimeoutError:
            found.append(Finding(part, "answers", f"not within {PATIENCE:g} s", "try again later"))
        except (ApiError, UsageError) as error:
            found.append(Finding(part, "answers", str(error), _advice(connection, error)))
    return found


def _stranger(connection: Connection, holder: Holder) -> str:
    """Return what to do where the things that are kept are somebody else's."""
    owner = Accounts(find_paths().accounts).read(connection.key)
    if owner is None or not is_another(owner, holder):
        return ""
    said = f"what is saved here is {clean(owner.name)}'s"
    if connection.token is not None and connection.token.origin == TOKEN_VARIABLE:
        return f"{said}: unset {TOKEN_VARIABLE}"
    return f"{said}: copydesk login NAME makes a profile of its own"


def _origin(token: Token) -> str:
    """Return where a token is from. Of a command the program: its arguments may hold a secret."""
    said = TOKEN_FROM.get(token.origin, "there")
    if token.origin == "command" and token.profile is not None:
        return f"{said}, {token.profile.token_command[0]}"
    return said


def _part(connection: Connection) -> str:
    return f"profile {connection.profile}" if connection.profile else connection.host


def _advice(connection: Connection, error: Exception) -> str:
    origin = connection.token.origin if connection.token is not None else ""
    if isinstance(error, Unauthorized):
        if origin == TOKEN_VARIABLE:
            return f"set another {TOKEN_VARIABLE}, or unset it"
        if origin == "command":
            return "look at what the command prints"
        return f"run copydesk login {connection.profile}"
    if isinstance(error, Unreachable):
        return "look at the network, the address and the proxy"
    status = getattr(error, "status", None) or 0
    if isinstance(error, RateLimited) or status >= 500:
        return "try again later"
    return "look at the address"


def _measured(part: str, api: Api) -> Iterator[Finding]:
    yield _clock(part, api.skew)
    budget = api.budget
    if budget.told:
        left = f"{budget.remaining:,} of {budget.limit:,} calls left"
        yield Finding(part, "budget", left)
    else:
        yield Finding(part, "budget", f"it does not say; {budget.limit:,} in an hour are supposed")


def _clock(part: str, skew: timedelta) -> Finding:
    ahead = skew.total_seconds()
    if abs(ahead) < 2:
        return Finding(part, "clock", "as this machine's")
    way = "ahead of" if ahead > 0 else "behind"
    said = f"{abs(ahead):,.0f} s {way} this machine's"
    return Finding(
        part, "clock", said, "set this machine's clock" if abs(ahead) > CLOCKS_APART else ""
    )
