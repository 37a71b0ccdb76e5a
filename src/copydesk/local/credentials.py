"""The tokens of profiles: in the keyring of the system, or in a private file.

A keyring may ask a person, wait for a service that does not answer, or be missing. So each call of
it has its own thread and a time-out; a token that it does not take goes to a file, and the person
is told. A token is stored with its address and never given out for another, whatever the settings
say by then.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from copydesk.domain.profile import Profile, Storage
from copydesk.local.child_processes import environment
from copydesk.local.durable import sync_folder, write_file
from copydesk.local.paths import private_folder

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE = "copydesk"
"""The name of our tokens in the keyring."""

KEYRING_SECONDS = 3.0
"""How long a keyring may take for one answer."""

COMMAND_SECONDS = 10.0
"""How long a token command may run."""

LEFT_SECONDS = 0.5
"""How long the output of an ended token command is waited for."""

TOKEN_BYTES = 65_536
"""More than this is no token."""


class CredentialError(Exception):
    """A token cannot be read or stored. The text is a sentence without a secret in it."""


class NoKeyringError(CredentialError):
    """This system has no keyring."""


class Credentials:
    """The tokens of the profiles. ``folder`` is for tokens that no keyring takes.

    ``seconds`` is the time-out of the keyring. Calls may block for so long, and a token command for
    ``COMMAND_SECONDS``: make them in a thread where keys are read.
    """

    def __init__(self, folder: Path, *, seconds: float = KEYRING_SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds

    def token(self, profile: Profile) -> str | None:
        """Return the token of a profile; None when none is stored for its address.

        Raises ``CredentialError`` when the command, the keyring or the file fails.
        """
        if profile.storage == "command":
            return run_command(profile)
        if profile.storage == "keyring":
            try:
                return self._keyring(lambda ring: ring.get_password(SERVICE, _user(profile)))
            except CredentialError as error:
                raise CredentialError(
                    f"the token of profile {profile.name} is in the keyring, and {error}"
                ) from error
        if profile.storage == "file":
            return self._read(profile)
        return None

    def keep(self, profile: Profile, token: str, *, strict: bool = False) -> Storage:
        """Store a token where the profile says, and return the place.

        That is "file" where the keyring does not take it (``unusable`` says why then), and "none"
        for a profile with a token command. Other copies are deleted. Raises ``OSError`` when the
        disk refuses, and ``CredentialError`` where the keyring refuses and ``strict`` is set.
        """
        if profile.storage in {"command", "none"}:
            return "none"
        if profile.storage == "keyring":
            try:
                self._keep_in_keyring(profile, token)
            except CredentialError as error:
                if strict:
                    raise
                self.unusable = str(error)
            else:
                self.unusable = ""
                self._remove(profile)
                return "keyring"
        private_folder(self._folder)
        value = {"base_url": profile.base_url, "token": token}
        write_file(self.path(profile), json.dumps(value).encode())
        return "file"

    unusable = ""
    """Why the keyring did not take the last token; empty while it has."""

    def forget(self, profile: Profile) -> bool:
        """Delete the token of a profile from the keyring and the folder; whether there was one.

        The keyring may hold one from an earlier setting. Raises ``CredentialError`` when it does
        not delete it, or does not answer.
        """
        found = self._remove(profile)
        try:
            return self.forget_in_keyring(profile) or found
        except CredentialError as error:
            if profile.storage != "keyring" and isinstance(error.__cause__, NoKeyringError):
                return found
            raise

    def forget_in_keyring(self, profile: Profile) -> bool:
        """Delete the token of a profile from the keyring alone; whether there was one.

        Raises ``CredentialError``.
        """

        def delete(ring: KeyringBackend) -> bool:
            found = ring.get_password(SERVICE, _user(profile)) is not None
            if found:
                ring.delete_password(SERVICE, _user(profile))
            return found

        try:
            return self._keyring(delete)
        except CredentialError as error:
            there = "is" if profile.storage == "keyring" else "may be"
            raise CredentialError(
                f"a token of profile {profile.name} {there} still in the keyring: {error}"
            ) from error

    def path(self, profile: Profile) -> Path:
        """Return the file of the profile's token, for systems without a keyring."""
        return self._folder / f"{profile.name}.json"

    def backend(self) -> str:
        """Return the name of the keyring's backend, once it has answered.

        Raises ``CredentialError`` for none, and for one that does not answer.
        """

        def ask(ring: KeyringBackend) -> str:
            # Its name alone is known without it. No profile is called so.
            ring.get_password(SERVICE, "?")
            return str(ring.name)

        return self._keyring(ask)

    def _read(self, profile: Profile) -> str | None:
        path = self.path(profile)
        try:
            value = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is damaged"
            raise CredentialError(
                f"{path} cannot be read ({why}): run copydesk login {profile.name}"
            ) from error
        match value:
            case {"base_url": str(address), "token": str(token)} if address == profile.base_url:
                return token
        return None

    def _remove(self, profile: Profile) -> bool:
        path = self.path(profile)
        if not path.exists():
            return False
        path.unlink()
        sync_folder(path.parent)
        return True

    def _keep_in_keyring(self, profile: Profile, token: str) -> None:
        user = _user(profile)
        asked: list[KeyringBackend] = []

        def put() -> None:
            asked.append(_ring())
            asked[0].set_password(SERVICE, user, token)

        def withdraw() -> None:
            # The caller has stored it elsewhere by now.
            if asked[0].get_password(SERVICE, user) == token:
                asked[0].delete_password(SERVICE, user)

        within(self._seconds, put, too_late=withdraw)

    def _keyring(self, call: Callable[[KeyringBackend], T]) -> T:
        return within(self._seconds, lambda: call(_ring()))


def _user(profile: Profile) -> str:
    return f"{profile.name} {profile.base_url}"


def _ring() -> KeyringBackend:
    """Return the keyring of the system. Raises ``CredentialError`` when it has none."""
    import keyring
    from keyring.backends.fail import Keyring as Nothing

    ring = keyring.get_keyring()
    if isinstance(ring, Nothing) or ring.priority <= 0:
        raise NoKeyringError("this system has no keyring that copydesk can use")
    return ring


def within(
    seconds: float, call: Callable[[], T], *, too_late: Callable[[], None] = lambda: None
) -> T:
    """Return the result of a ``call`` of the keyring in time.

    Raises ``CredentialError`` for everything else. Its thread then ends with the program, and a
    later result is dropped; ``too_late`` reverts it.
    """
    done: queue.SimpleQueue[tuple[T] | Exception] = queue.SimpleQueue()
    ending = threading.Lock()
    left = threading.Event()

    def run() -> None:
        outcome: tuple[T] | Exception
        try:
            outcome = (call(),)
        except Exception as error:  # noqa: BLE001 - backends are plugins, and raise what they like
            outcome = error
        with ending:
            if not left.is_set():
                done.put(outcome)
                return
        if not isinstance(outcome, Exception):
            with suppress(Exception):  # as above; nobody is there to be told
                too_late()

    threading.Thread(target=run, name="keyring", daemon=True).start()
    try:
        try:
            outcome = done.get(timeout=seconds)
        except queue.Empty:
            with ending:
                left.set()
            outcome = done.get_nowait()
    except queue.Empty:
        raise CredentialError(
            f"the keyring did not answer within {seconds:g} s: it may be locked"
        ) from None
    if isinstance(outcome, CredentialError):
        raise outcome
    if isinstance(outcome, Exception):
        # The message of a keyring may quote the token.
        raise CredentialError(f"the keyring failed ({type(outcome).__name__})") from None
    return outcome[0]


def run_command(profile: Profile) -> str:
    """Return the first line that the token command of a profile prints.

    It runs without a shell, without input and without a terminal, so that it can neither draw over
    the screens nor read keys. Its errors are not shown: they may contain the token. Raises
    ``CredentialError``.
    """
    name = profile.token_command[0]
    lead = f"the token command of profile {profile.name} ({name})"
    try:
        process = subprocess.Popen(  # noqa: S603 - the person's own command, as in a mail client
            profile.token_command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment(),
        )
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or "no such program"
        raise CredentialError(f"{lead} cannot be run: {why}") from error
    said = bytearray()

    def take() -> None:
        assert process.stdout is not None
        with process.stdout as pipe:
            while len(said) <= TOKEN_BYTES and (more := os.read(pipe.fileno(), 4096)):
                said.extend(more)
        if len(said) > TOKEN_BYTES:
            _end(process)

    # In a thread: a process that the command leaves running may keep the pipe open.
    reader = threading.Thread(target=take, name="token command", daemon=True)
    reader.start()
    try:
        status = process.wait(COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        process.wait()
        raise CredentialError(f"{lead} was stopped after {COMMAND_SECONDS:g} s") from None
    except BaseException:  # ctrl+c is not to leave it running
        _end(process)
        raise
    reader.join(LEFT_SECONDS)
    if len(said) > TOKEN_BYTES:
        raise CredentialError(f"{lead} prints more than a token")
    if status:
        raise CredentialError(
            f"{lead} failed (exit status {status}). It is run without a terminal: unlock what it "
            "asks first, or run it yourself to see why"
        )
    token = bytes(said).decode("utf-8", "replace").strip().partition("\n")[0].strip()
    if not token:
        raise CredentialError(f"{lead} printed nothing")
    return token


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it started."""
    import signal

    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):  # it ended by itself, or Windows, which has no groups
        process.kill()
