"""Keyrings for tests, as any system may have one: nothing of the one on this machine is touched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as Nothing


class Ring(KeyringBackend):
    """A keyring that keeps what it is given."""

    priority = 5

    def __init__(self) -> None:  # nothing of the environment, as the base class does
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Stuck(Ring):
    """A keyring that waits for somebody who is not there."""

    def __init__(self) -> None:
        super().__init__()
        self.there = threading.Event()
        self.stored = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.there.wait(60)
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.there.wait(60)
        super().set_password(service, username, password)
        self.stored.set()


class Telltale(Ring):
    """A keyring that fails, and says what it was to keep."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"cannot keep {password}")


def _nothing() -> KeyringBackend:
    made: Callable[[], KeyringBackend] = Nothing
    return made()


@contextmanager
def using(ring: KeyringBackend | None = None) -> Iterator[None]:
    """Make a keyring that of this system; none at all where none is given."""
    before = keyring.get_keyring()
    keyring.set_keyring(ring or _nothing())
    try:
        yield
    finally:
        keyring.set_keyring(before)
        if isinstance(ring, Stuck):
            ring.there.set()
