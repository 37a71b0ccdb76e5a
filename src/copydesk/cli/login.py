"""``copydesk login``, ``logout`` and ``profiles``: a token is tried before it is kept."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from copydesk.cli.connection import ADDRESS_VARIABLE, HOSTED, PROFILE_VARIABLE, address_of, exposes
from copydesk.cli.errors import (
    DONE,
    FAILED,
    INTERRUPTED,
    NOT_ALLOWED,
    UsageError,
    agreed,
    ask_first,
    need_answer,
    say,
)
from copydesk.cli.output import Column, put, put_json, put_table
from copydesk.cli.token_owner import Holder, claim, forget_copies, kept_for, read_holder
from copydesk.cli.tokens import TOKEN_VARIABLE, checked, keep_token
from copydesk.domain.profile import DEFAULT, EMBEDDED, Profile, service_address, wrong_name
from copydesk.domain.text import clean, listed, shorten
from copydesk.local.accounts import Accounts
from copydesk.local.credentials import TOKEN_BYTES, CredentialError, Credentials, run_command
from copydesk.local.paths import Paths, find_paths
from copydesk.local.profiles import Profiles, command_of
from copydesk.local.settings import SettingsError

if TYPE_CHECKING:
    from copydesk.domain.profile import Storage

_NOTHING = "nothing was saved"


def login(
    *,
    name: str | None = None,
    base_url: str | None = None,
    token_command: str | None = None,
    token_stdin: bool = False,
    store: Storage | None = None,
    ca_file: Path | None = None,
    read_only: bool | None = None,
    insecure: bool = False,
) -> int:
    """Connect to a service: ask for a token, try it, and keep it under a profile.

    Options that are not given stay as they were in a profile of that name. A keyring that was asked
    for by name is not replaced by a file. ``insecure`` is the consent to a token that travels
    unencrypted. Raises ``UsageError`` and ``ApiError``; nothing is stored then.
    """
    profiles = Profiles(find_paths().make().settings)
    before, profile = _wanted(profiles, name, base_url, ca_file, read_only=read_only)
    command, stored = _source(profile, token_command, store, stdin=token_stdin)
    profile = replace(profile, token_command=command, storage=stored)
    host = urlsplit(profile.base_url).netloc
    agreed_before = before is not None and before.base_url == profile.base_url and before.allow_http
    exposed = exposes(profile.base_url)
    if exposed:
        _warn(host, consent=insecure or agreed_before)
    profile = replace(profile, allow_http=exposed)
    if profile.storage == "command":
        token = _of_command(profile)
    else:
        token = _piped() if token_stdin else _typed(host)
    holder = asyncio.run(_try(profile, token))
    account = claim(profile, holder)
    accounts = Accounts(find_paths().accounts)
    known = accounts.read(profile.key)
    if account is not None and known is not None and known.user != account.user:
        forget_copies(profile.key)
    where = _keep(profiles, profile, token, strict=store == "keyring")
    if before is not None:
        # As it is now: a keyring that did not take the token has made it a file.
        _forget_old(before, profiles.get(profile.name) or profile)
    if account is not None:
        accounts.write(profile.key, account)
    put(f"Logged in to {host} as {holder}, profile {profile.name}.")
    put(f"Organizations: {holder.places}" if holder.places else "You are in no organization yet.")
    put(where)
    _tell_opening(profiles, profile)
    return DONE


def _wanted(
    profiles: Profiles,
    name: str | None,
    base_url: str | None,
    ca_file: Path | None,
    *,
    read_only: bool | None,
) -> tuple[Profile | None, Profile]:
    """Return the profile of that name as it is, and as it is wanted."""
    called = DEFAULT if name is None else name
    if wrong := wrong_name(called):
        shown = shorten(clean(called))
        raise UsageError(f"{shown}: {wrong}" if shown else wrong)
    before = profiles.get(called)
    address = base_url or (before.base_url if before else os.environ.get(ADDRESS_VARIABLE))
    profile = replace(before or Profile(called, ""), base_url=address_of(address or HOSTED))
    if ca_file is not None:
        profile = replace(profile, ca_file=ca_file.absolute())
    if read_only is not None:
        profile = replace(profile, read_only=read_only)
    return before, profile


def _source(
    profile: Profile, command: str | None, store: Storage | None, *, stdin: bool
) -> tuple[tuple[str, ...], Storage]:
    """Return the command that a token comes from, if any, and where it is kept."""
    if command is not None:
        if store or stdin:
            other = "--store" if store else "--token-stdin"
            raise UsageError(f"--token-command and {other}: choose one. {_NOTHING.capitalize()}")
        try:
            return command_of(command), "command"
        except ValueError as error:
            raise UsageError(str(error)) from error
    if profile.storage == "command" and not store and not stdin:
        return profile.token_command, "command"
    return (), store or ("file" if profile.storage == "file" else "keyring")


def _warn(host: str, *, consent: bool) -> None:
    """Say that a token travels unencrypted, before it does. Raises ``UsageError`` unless wanted."""
    said = f"The token travels unencrypted to {host}: everyone on the way can read it."
    if consent:
        say(said)
    elif not sys.stdin.isatty():
        raise UsageError(f"{said} Use https://, or add --insecure. {_NOTHING.capitalize()}")
    elif not agreed(f"{said} Send it all the same?"):
        raise UsageError(_NOTHING)


def _of_command(profile: Profile) -> str:
    try:
        token = run_command(profile)
    except CredentialError as error:
        raise UsageError(f"{error}. {_NOTHING.capitalize()}") from error
    checked(token)
    return token


def _piped() -> str:
    """Return the token that is piped in: the one line that is not empty."""
    if sys.stdin.isatty():
        raise UsageError("--token-stdin reads a pipe: without it the token is typed unseen")
    try:
        said = sys.stdin.read(TOKEN_BYTES)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"standard input holds no token, but bytes of another kind: {_NOTHING}"
        ) from error
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        raise UsageError(f"standard input holds no token: {_NOTHING}")
    if len(lines) > 1:
        raise UsageError(f"standard input holds {len(lines)} lines, and a token is one: {_NOTHING}")
    checked(lines[0])
    return lines[0]


def _typed(host: str) -> str:
    """Ask for the token, which is not shown while it is typed."""
    import getpass
    import warnings

    if not sys.stdin.isatty():
        raise UsageError(
            "no one can be asked for the token here: pipe it to --token-stdin, or name a "
            "--token-command that prints it"
        )
    with warnings.catch_warnings():
        # Where a terminal cannot hide it, it is not typed at all.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            token = getpass.getpass(f"Access token for {host} (it is not shown): ")
        except getpass.GetPassWarning as error:
            raise UsageError(
                "this terminal cannot hide what is typed: pipe the token to --token-stdin"
            ) from error
        except EOFError as error:
            raise UsageError(f"no token was typed: {_NOTHING}") from error
        except KeyboardInterrupt as error:
            say("")
            raise UsageError(_NOTHING, INTERRUPTED) from error
    if not token.strip():
        raise UsageError(f"no token was typed: {_NOTHING}")
    checked(token)
    return token.strip()


async def _try(profile: Profile, token: str) -> Holder:
    """Return whose a token is. Raises ``UsageError`` and ``ApiError`` when it is of no use."""
    from copydesk.cli.waiting import tell_waiting
    from copydesk.client.api import Api
    from copydesk.client.errors import Unauthorized

    try:
        api = Api(profile.base_url, token, ca_file=profile.ca_file)
    except ValueError as error:
        raise UsageError(f"{error}. {_NOTHING.capitalize()}") from error
    host = urlsplit(profile.base_url).netloc
    async with api:
        tell_waiting(api, host)
        try:
            return await read_holder(api)
        except Unauthorized as error:
            raise UsageError(
                f"{host} refuses this token: look whether all of it was copied, and whether it is "
                f"still valid. {_NOTHING.capitalize()}.",
                NOT_ALLOWED,
            ) from error


def _keep(profiles: Profiles, profile: Profile, token: str, *, strict: bool) -> str:
    """Keep the token and the profile, and say where the token is. Raises ``UsageError``."""
    if profile.storage == "command":
        profiles.save(profile)
        try:
            Credentials(find_paths().credentials).forget(profile)
        except CredentialError as error:
            say(f"{error}.")
        if any(token in word for word in profile.token_command):
            say(
                "The token itself is in the command: everyone who can read "
                f"{find_paths().settings} or the list of processes has it. "
                "Name a program that reads it from somewhere safe."
            )
            return f"The command is run at each start: {profile.token_command[0]}."
        return f"The token is asked of {profile.token_command[0]} at each start; it is not saved."
    try:
        return keep_token(profile, token, strict=strict)[1]
    except CredentialError as error:
        raise UsageError(
            f"{error}. {_NOTHING.capitalize()}: --store file saves the token in a file that only "
            "you can read"
        ) from error


def _forget_old(before: Profile, profile: Profile) -> None:
    """Take away a token that the profile had for another address, or in another place."""
    # A file has its name from the profile alone: the new token may be in it.
    if before.storage == "keyring" and (
        profile.storage != "keyring" or before.base_url != profile.base_url
    ):
        try:
            Credentials(find_paths().credentials).forget_in_keyring(before)
        except CredentialError as error:
            say(f"{error}.")


def _tell_opening(profiles: Profiles, profile: Profile) -> None:
    if not profiles.default:
        profiles.use(profile.name)
    if os.environ.get(TOKEN_VARIABLE):
        say(f"{TOKEN_VARIABLE} is set, and is used instead of the token of a profile: unset it.")
    if profiles.default == profile.name:
        put("copydesk opens it from now on; --profile desk opens your own desk.")
    else:
        put(
            f"copydesk --profile {profile.name} opens it; "
            f"copydesk profiles use {profile.name} makes it the default."
        )


def logout(*, name: str | None = None, everything: bool = False, yes: bool = False) -> int:
    """Remove a profile's token from this machine, and the answers that were read with it.

    Drafts stay. ``everything`` removes the profile as well, once somebody has said so. Settings
    that cannot be used stay as they are: the token goes all the same. Raises ``UsageError``.
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
            "not saved here: --everything removes the profile."
        )
    elif found:
        put(f"Logged out of profile {profile.name}. {again}")
    elif gone:
        put(f"No token was saved for profile {profile.name}: no one was logged in. {again}")


def _meant_before(paths: Paths, broken: SettingsError, name: str | None) -> Profile:
    """Return the profile that is meant where the settings cannot be used.

    It is the profile as the settings have it. Where its entry there is broken, it is the profile as
    the login left it, by the file of its token or the record of its account.
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
        raise UsageError(f"{broken}\nNo token is saved for profile {called}") from broken
    return profile


def _meant(known: Sequence[Profile], usual: str, name: str | None) -> Profile:
    called = usual if name is None else name
    if name is None and not called and len(known) == 1:
        return known[0]
    for profile in known:
        if profile.name == called:
            return profile
    if not known:
        raise UsageError("there is no profile: no one is logged in")
    names = ", ".join(profile.name for profile in known)
    said = f"there is no profile {shorten(clean(name))}" if name else "say which profile"
    if name == EMBEDDED:
        said = "your own desk has no token"
    raise UsageError(f"{said}. There are: {names}")


def _ask(profile: Profile) -> None:
    need_answer(said=False, done="removed")
    ask_first(
        f"Remove profile {profile.name} ({profile.base_url}) from this machine?", done="removed"
    )


def _tell_stays(paths: Paths, profile: Profile, stays: list[str], *, found: bool) -> None:
    host = urlsplit(profile.base_url).netloc or "the service"
    put("The saved answers of the service are cleared; the log of writes stays.")
    if stays:
        put(f"{listed(stays).capitalize()} stay on this machine, in {paths.state}.")
    if found or profile.storage == "command":
        put(f"The token itself is valid until it is revoked at {host}.")


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
        ("*" if usual == EMBEDDED else "", EMBEDDED, str(paths.desk), "own desk: no token", ""),
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
            f"there is no profile {shorten(clean(name))}. There are: {there}"
        ) from error
    put(f"copydesk opens {'your own desk' if name == EMBEDDED else name} from now on.")
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
