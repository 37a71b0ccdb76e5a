"""``copydesk logout``: a token is taken from this machine, and what was read with it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from copydesk.cli.account import forget_copies, kept_for
from copydesk.cli.errors import DONE, FAILED, UsageError, agreed, say
from copydesk.cli.output import put
from copydesk.domain.profile import EMBEDDED, Profile, service_address, wrong_name
from copydesk.domain.text import clean, listed, shorten
from copydesk.local.accounts import Accounts
from copydesk.local.credentials import CredentialError, Credentials
from copydesk.local.paths import Paths, find_paths
from copydesk.local.profiles import Profiles
from copydesk.local.settings import SettingsError


def logout(*, name: str | None = None, everything: bool = False, yes: bool = False) -> int:
    """Take a profile's token from this machine, and what was read with it.

    What was typed and not sent stays. ``everything`` removes the profile as well, once somebody has
    said so. Settings that cannot be used stay as they are: the token goes all the same. Raises
    ``UsageError``.
    """
    paths = find_paths()
    profiles = Profiles(paths.settings)
    broken: SettingsError | None = None
    try:
        profile = _meant(profiles.read(), profiles.default, name)
    except SettingsError as error:
        broken = error
        profile = _meant_before(paths, error, name)
    stays = kept_for(profile.key)
    if everything and not yes:
        _ask(profile)
    status, found = DONE, False
    try:
        found = Credentials(paths.credentials).forget(profile)
    except CredentialError as error:
        say(f"copydesk: {error}")
        status = FAILED
    forget_copies(profile.key)
    if broken is not None:
        say(f"{broken}\nThe profile stays in the settings until they are mended.")
        status = FAILED if everything else status
    elif everything and status:
        say(f"Profile {profile.name} stays, so that logout can be tried again.")
    elif everything:
        profiles.remove(profile.name)
        put(f"Profile {profile.name} is removed.")
    elif not status and profile.storage not in {"command", "none"}:
        profiles.save(replace(profile, storage="none"))
    if not everything or broken is not None:
        _tell_token(profile, found=found, gone=not status or everything)
    _tell_stays(paths, profile, stays, found=found)
    return status


def _tell_token(profile: Profile, *, found: bool, gone: bool) -> None:
    again = f"copydesk login {profile.name} logs in again."
    if profile.storage == "command":
        put(
            f"The token of profile {profile.name} comes from {profile.token_command[0]} and is "
            "not kept here: --everything removes the profile."
        )
    elif found:
        put(f"Logged out of profile {profile.name}. {again}")
    elif gone:
        put(f"No token was kept for profile {profile.name}: nobody was logged in. {again}")


def _meant_before(paths: Paths, broken: SettingsError, name: str | None) -> Profile:
    """Return the profile that is meant where the settings cannot be used.

    One that stands in them as it should, or as it was logged in to: its file or its account tells.
    """
    usable = broken.usable
    try:
        return _meant(usable.profiles, usable.profile, name)
    except UsageError:
        called = name or usable.profile
        if not called or wrong_name(called):
            raise UsageError(f"{broken}\nSay which profile: copydesk logout NAME") from broken
    addresses = [service_address(called, key) for key in Accounts(paths.accounts).known()]
    profile = Profile(called, next(filter(None, reversed(addresses)), ""), storage="keyring")
    if Credentials(paths.credentials).path(profile).exists():
        return replace(profile, storage="file")
    if not profile.base_url:
        raise UsageError(f"{broken}\nNo token is kept for profile {called}") from broken
    return profile


def _meant(known: Sequence[Profile], usual: str, name: str | None) -> Profile:
    called = usual if name is None else name
    if name is None and not called and len(known) == 1:
        return known[0]
    for profile in known:
        if profile.name == called:
            return profile
    if not known:
        raise UsageError("there is no profile: nobody is logged in")
    names = ", ".join(profile.name for profile in known)
    said = f"there is no profile {shorten(clean(name), 60)}" if name else "say which profile"
    if name == EMBEDDED:
        said = "the embedded desk has no token"
    raise UsageError(f"{said}. There are: {names}")


def _ask(profile: Profile) -> None:
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: it takes --yes where nobody can be asked")
    if not agreed(f"Remove profile {profile.name} ({profile.base_url}) from this machine?"):
        raise UsageError("nothing was removed", FAILED)


def _tell_stays(paths: Paths, profile: Profile, stays: list[str], *, found: bool) -> None:
    host = urlsplit(profile.base_url).netloc or "the service"
    put("What was read of the service is forgotten; the log of writes stays.")
    if stays:
        put(f"{listed(stays).capitalize()} stay on this machine, in {paths.state}.")
    if found or profile.storage == "command":
        put(f"The token itself is valid until it is revoked at {host}.")
