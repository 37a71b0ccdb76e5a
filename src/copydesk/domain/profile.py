"""A profile: a service that somebody works with, under a name of their own."""

from __future__ import annotations

import re
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from copydesk.domain.late_dataclass import dataclass

Storage = Literal["keyring", "file", "command", "none"]
"""Where a profile's token is: in the system's keyring, in a file for this user only, with a
command that prints it (a password manager), or nowhere."""

DEFAULT = "default"
"""What a profile is called that was given no name."""

EMBEDDED = "desk"
"""The name of the embedded desk, wherever a profile can be named. No profile is called so."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Profile:
    """A service under a name: where it is, and how its token is come by. Never the token itself.

    ``token_command`` is a program and its arguments. ``ca_file`` holds the certificates of who may
    vouch for the service, where those of the system do not. With ``read_only`` nothing is written
    to the service. ``allow_http`` is the consent to a token that travels unencrypted. ``settings``
    are those that hold with it, in place of those of all.
    """

    name: str
    base_url: str
    token_command: tuple[str, ...] = ()
    storage: Storage = "none"
    ca_file: Path | None = None
    read_only: bool = False
    allow_http: bool = False
    settings: tuple[tuple[str, Any], ...] = field(default=(), hash=False)

    @property
    def key(self) -> str:
        """What tells the things kept on this machine for the profile from those of others.

        The profile without a name has the key of its service alone, so that files from before there
        were profiles stay with it. Others have their name in it: two people may work with one
        service, and neither sends what the other wrote.
        """
        if self.name == DEFAULT:
            return f"service:{self.base_url}"
        return f"profile:{self.name} {self.base_url}"


def named_profile(name: str) -> str:
    """Return what a profile is called in a message; its name may be any text."""
    from copydesk.domain.text import clean

    return f"profile {clean(name, limit=60) or repr(name)}"


def service_of_key(key: str) -> str:
    """Return a key as people read it: the service, or the profile and its service."""
    kind, _, rest = key.partition(":")
    return rest if kind in {"service", "profile"} else key


def service_address(name: str, key: str) -> str:
    """Return the address in a `Profile.key` of the profile with this name; "" for another key."""
    lead = Profile(name, "").key
    return key.removeprefix(lead) if key.startswith(lead) else ""


def wrong_name(name: str) -> str:
    """Return why no profile can be called so; empty when one can. A name is also one of a file."""
    if name == EMBEDDED:
        return f"{EMBEDDED} is your own desk: give the profile another name"
    if not _NAME.fullmatch(name):
        return (
            "a profile's name has up to 40 small letters, digits, dots, hyphens and underscores, "
            "and begins with a letter or a digit"
        )
    return ""
