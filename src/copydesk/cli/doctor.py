"""``copydesk doctor``: what is configured, what answers, and what is wrong. Nothing is written.

No token is in what it prints: none is put there, and whatever else finds its way into a sentence
is looked through for those that were read.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from itertools import groupby
from urllib.request import getproxies

from copydesk.cli import doctor_checks as checks
from copydesk.cli.connection import (
    ADDRESS_VARIABLE,
    OWN,
    PROFILE_VARIABLE,
    Connection,
    Service,
    chosen,
    remote,
)
from copydesk.cli.doctor_checks import HIDDEN, SHORTEST, Finding, parted
from copydesk.cli.errors import DONE, FAILED, UsageError
from copydesk.cli.login import WHERE
from copydesk.cli.output import put, put_facts, put_json
from copydesk.cli.tokens import TOKEN_VARIABLE
from copydesk.domain.profile import EMBEDDED
from copydesk.domain.text import capital, clean, plural
from copydesk.local.paths import find_paths
from copydesk.local.settings import Settings, SettingsError


def examine(*, as_json: bool = False, ask: bool = False, service: Service = OWN) -> int:
    """Print what was found; 1 when something is wrong.

    Every profile is looked at, or the one service that the options name. ``ask``: examples are
    read of what it is not known whether a service has it.
    """
    paths = find_paths()
    settings, about = checks.settings(paths)
    found = [*checks.program(), *checks.screen(), *checks.files(paths), *about]
    profiles = settings.profiles
    needed = any(profile.storage == "keyring" for profile in profiles)
    found.append(checks.keyring(paths, needed=needed))
    found.append(checks.desk(service.desk or paths.desk))
    connections, wrong = _connections(service, settings)
    found += wrong
    for connection in connections:
        found += checks.network(connection)
    found += asyncio.run(_ask(connections, ask=ask))
    hide = _hiding(connections)
    shown = [
        Finding(each.part, hide(each.name), hide(each.said), hide(each.advice)) for each in found
    ]
    wrongs = sum(each.wrong for each in shown)
    if as_json:
        put_json({"well": not wrongs, "findings": [_value(each) for each in shown]})
    else:
        _print(shown)
    return FAILED if wrongs else DONE


def _connections(service: Service, settings: Settings) -> tuple[list[Connection], list[Finding]]:
    """Return the services to be asked, and what keeps others from being asked."""
    found: list[Connection] = []
    wrong: list[Finding] = []
    names = (TOKEN_VARIABLE, ADDRESS_VARIABLE, PROFILE_VARIABLE)
    ambient = any(os.environ.get(name) for name in names)
    named = bool(service.desk or service.base_url or service.profile)
    if named or ambient:
        try:
            found.append(chosen(service.desk, service.base_url, service.profile))
        except UsageError as error:
            said, advice = parted(_safe(error), "choose another one")
            wrong.append(Finding("services", "chosen", said, advice))
        except SettingsError:
            # Told already, with its lines; what is whole in them can be asked all the same.
            found += [
                remote(each, environment=False)
                for each in settings.profiles
                if each.name == service.profile and each.storage != "none"
            ]
    if not named:
        for profile in settings.profiles:
            if any(each.profile == profile.name for each in found):
                continue
            try:
                # A token of the environment is for the chosen service, and no other gets it.
                found.append(remote(profile, environment=False))
            except UsageError:
                usual = profile.name == settings.profile
                advice = f"run copydesk login {profile.name}" if usual else ""
                part = f"profile {profile.name}"
                wrong.append(Finding(part, "address", profile.base_url))
                wrong.append(Finding(part, "token", WHERE["none"].partition(":")[0], advice))
        if not found and not wrong:
            wrong.append(
                Finding("services", "profiles", "none: copydesk login connects to a service")
            )
    return [each for each in found if each.profile != EMBEDDED], wrong


def _safe(error: UsageError) -> str:
    """Return what a mistake is, without a variable's value: that may be a token by mistake."""
    text = str(error)
    address = os.environ.get(ADDRESS_VARIABLE, "")
    if address and f"{address!r} is" in text:
        return f"{ADDRESS_VARIABLE} is not a base URL"
    name = os.environ.get(PROFILE_VARIABLE, "")
    if name and text.startswith("there is no profile"):
        return f"there is no profile of the name that {PROFILE_VARIABLE} holds"
    return text


async def _ask(connections: list[Connection], *, ask: bool) -> list[Finding]:
    answers = await asyncio.gather(*(checks.service(each, ask=ask) for each in connections))
    return [finding for answer in answers for finding in answer]


def _hiding(connections: Iterable[Connection]) -> _Hiding:
    secrets = {secret for connection in connections for secret in connection.secrets}
    secrets.add(os.environ.get(TOKEN_VARIABLE, "").strip())
    for name, address in getproxies().items():
        credentials, at, _ = address.partition("://")[2].rpartition("@")
        if at and name != "no":
            secrets |= {credentials, *credentials.split(":", 1)}
    return _Hiding(secrets)


class _Hiding:
    """Takes secrets out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # What is shorter is no credential, and would take letters out of everything.
        told = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._secrets = sorted(told, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        text = clean(text)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def _value(finding: Finding) -> dict[str, object]:
    return {
        "part": finding.part,
        "name": finding.name,
        "said": finding.said,
        "advice": finding.advice or None,
    }


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _print(findings: list[Finding]) -> None:
    ordered = {each.part: None for each in findings}
    parts = {
        part: list(group)
        for part, group in groupby(
            sorted(findings, key=lambda each: list(ordered).index(each.part)),
            key=lambda each: each.part,
        )
    }
    for part, group in parts.items():
        put(part, "strong")
        put_facts([(f"  {each.name}", each.said) for each in group if not each.wrong])
        for each in group:
            if each.wrong:
                advice = capital(each.advice)
                put(f"! {each.name}: {_ended(each.said)} {_ended(advice)}", "bad")
        put("")
    wrong = sum(each.wrong for each in findings)
    put(f"{plural(wrong, 'thing')} to mend, marked with !." if wrong else "All is well.")
