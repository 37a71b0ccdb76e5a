"""The token of one connection: where it comes from, and where a new one is kept."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.cli.errors import UsageError
from copydesk.domain.text import capital
from copydesk.local.paths import find_paths

if TYPE_CHECKING:
    from copydesk.domain.profile import Profile
    from copydesk.local.credentials import Credentials

TOKEN_VARIABLE = "COPYDESK_TOKEN"  # noqa: S105 - a name, not a secret


class Token:
    """How a connection comes by its token: from the environment, a command, a keyring or a file.

    ``profile`` is whose it is; None for a service that was named without one, whose token is in
    the environment, which is not looked at unless ``environment``. ``secrets`` are the tokens that
    were read so far: in no file that is written about a crash.
    """

    def __init__(self, profile: Profile | None, *, environment: bool = True) -> None:
        self.profile = profile
        self._given = os.environ.get(TOKEN_VARIABLE, "").strip() if environment else ""
        self._typed = ""
        self.secrets: list[str] = [self._given] if self._given else []

    @property
    def origin(self) -> str:
        """Where it comes from: the name of the variable, or the storage of the profile."""
        if self._given:
            return TOKEN_VARIABLE
        return self.profile.storage if self.profile else "none"

    def read(self, *, anew: bool = False) -> str:
        """Return the token. A keyring or a command may take seconds: read it in a thread.

        ``anew``: not one that was typed for this run, but what is kept by now. Raises
        ``UsageError`` when there is none.
        """
        token = self._given if anew else self._typed or self._given
        profile = self.profile
        if not token and profile is not None:
            from copydesk.local.credentials import CredentialError

            try:
                token = _credentials().token(profile) or ""
            except CredentialError as error:
                raise UsageError(str(error)) from error
        if not token:
            named = f" {profile.name}" if profile else ""
            raise UsageError(
                f"no token is saved for profile{named}: run copydesk login{named}"
                if profile
                else f"set {TOKEN_VARIABLE} to the access token, or run copydesk login"
            )
        checked(token)
        if anew:
            self._typed = ""
        if token not in self.secrets:
            self.secrets.append(token)
        return token

    def keep(self, token: str) -> str:
        """Keep a new token where the last one came from, and say where, in a sentence.

        Raises ``UsageError`` for a text that can be no token, and ``OSError`` when the disk
        refuses.
        """
        checked(token)
        token = token.strip()
        self.secrets.append(token)
        profile = self.profile
        if self._given or profile is None:
            self._typed = token
            return f"Used until copydesk is closed: {TOKEN_VARIABLE} has the old one still."
        if profile.storage == "command":
            self._typed = token
            command = profile.token_command[0]
            return f"Used until copydesk is closed: put it where {command} finds it."
        self.profile, sentence = keep_token(_as_kept(profile), token)
        if (profile.storage, self.profile.storage) == ("keyring", "file"):
            sentence += " The old one may still be in the keyring: copydesk logout takes it out."
        return sentence


def _as_kept(profile: Profile) -> Profile:
    """Return a profile as the settings have it by now: they may have been changed meanwhile.

    Raises ``UsageError`` where it is for another address now: the token is not for that.
    """
    from copydesk.local.profiles import Profiles

    now = Profiles(find_paths().settings).get(profile.name)
    if now is not None and now.base_url != profile.base_url:
        raise UsageError(f"profile {profile.name} is for {now.base_url} now: open copydesk again")
    return profile if now is None else replace(now, storage=profile.storage)


def checked(token: str) -> None:
    """Raise ``UsageError`` for a text that can be no token; it is not repeated."""
    from copydesk.client.calls import Secret

    try:
        Secret(token)
    except ValueError as error:
        raise UsageError(str(error)) from error


def keep_token(profile: Profile, token: str, *, strict: bool = False) -> tuple[Profile, str]:
    """Keep a token and its profile; return the profile as it is now, and where the token went.

    A keyring that does not take it makes it a file, unless one is ``strict`` about it. Raises
    ``CredentialError`` then, ``OSError`` when the disk refuses, and ``SettingsError`` for
    settings that cannot be added to: nothing was kept in any of these cases.
    """
    from copydesk.local.credentials import CredentialError
    from copydesk.local.profiles import Profiles

    profiles = Profiles(find_paths().settings)
    profiles.read()
    credentials = _credentials()
    wanted = replace(profile, storage="keyring" if profile.storage == "none" else profile.storage)
    now = replace(wanted, storage=credentials.keep(wanted, token, strict=strict))
    if profiles.get(now.name) != now:
        try:
            profiles.save(now)
        except BaseException:
            # Without its profile nothing could take it away again.
            with suppress(CredentialError):
                credentials.forget(now)
            raise
    if now.storage == "keyring":
        return now, "The token is in the keyring of this system."
    where = f"The token is in {credentials.path(now)}, which only you can read."
    if wanted.storage == "file":
        return now, where
    why = credentials.unusable
    return now, f"{capital(why)}. {where}"


def _credentials() -> Credentials:
    from copydesk.local.credentials import Credentials

    return Credentials(find_paths().credentials)
