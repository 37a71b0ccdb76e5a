"""``copydesk profiles``: the services that one works with, and which is opened by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from copydesk.cli.connection import PROFILE_VARIABLE
from copydesk.cli.errors import DONE, UsageError
from copydesk.cli.output import Column, put, put_json, put_table
from copydesk.domain.profile import EMBEDDED, Profile
from copydesk.domain.text import clean, shorten
from copydesk.local.credentials import CredentialError, Credentials
from copydesk.local.paths import find_paths
from copydesk.local.profiles import Profiles

WHERE = {
    "keyring": "in the keyring",
    "file": "in a file",
    "command": "from a command",
    "none": "none: copydesk login",
}
"""Where a token is, in words, by storage."""


def list_profiles(*, as_json: bool = False) -> int:
    """Print the profiles, the embedded desk first."""
    paths = find_paths()
    profiles = Profiles(paths.settings)
    known, usual = _as_they_are(profiles.read()), profiles.default or EMBEDDED
    if as_json:
        put_json([_value(profile, usual) for profile in known])
        return DONE
    rows = [
        ("*" if usual == EMBEDDED else "", EMBEDDED, str(paths.desk), "embedded: no token", ""),
        *(
            (
                "*" if profile.name == usual else "",
                profile.name,
                profile.base_url,
                WHERE[profile.storage],
                "read-only" if profile.read_only else "",
            )
            for profile in known
        ),
    ]
    put_table(
        [
            Column("", lambda row: row[0]),
            Column("NAME", lambda row: row[1]),
            Column("SERVICE", lambda row: row[2], gives=True),
            Column("TOKEN", lambda row: row[3]),
            Column("", lambda row: row[4]),
        ],
        rows,
    )
    if not known:
        put("copydesk login connects copydesk to a service.")
    return DONE


def _as_they_are(known: Sequence[Profile]) -> list[Profile]:
    """Return the profiles, without the storage of a file that has no token for the address.

    A keyring is not asked: each answer may take seconds.
    """
    credentials = Credentials(find_paths().credentials)

    def lacks(profile: Profile) -> bool:
        try:
            return profile.storage == "file" and credentials.token(profile) is None
        except CredentialError:
            return False  # it is there, and who uses it hears why it cannot be read

    return [replace(each, storage="none") if lacks(each) else each for each in known]


def use_profile(*, name: str) -> int:
    """Open this profile from now on where none is named. Raises ``UsageError`` for no profile."""
    import os

    profiles = Profiles(find_paths().settings)
    try:
        profiles.use(name)
    except KeyError as error:
        there = ", ".join([*(profile.name for profile in profiles.read()), EMBEDDED])
        raise UsageError(
            f"there is no profile {shorten(clean(name), 60)}. There are: {there}"
        ) from error
    put(f"copydesk opens {'the embedded desk' if name == EMBEDDED else name} from now on.")
    if os.environ.get(PROFILE_VARIABLE):
        put(f"{PROFILE_VARIABLE} is set, and goes before it.")
    return DONE


def _value(profile: Profile, usual: str) -> dict[str, Any]:
    return {
        "name": profile.name,
        "baseUrl": profile.base_url,
        "token": profile.storage,
        # Its arguments may hold what they should not.
        "tokenCommand": profile.token_command[0] if profile.token_command else None,
        "caFile": str(profile.ca_file) if profile.ca_file else None,
        "readOnly": profile.read_only,
        "default": profile.name == usual,
    }
