"""What ``copydesk doctor`` finds at the services: who answers, how soon, and what it has."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from copydesk.cli.account import Holder, is_another, kept_for, read_holder
from copydesk.cli.doctor_finding import Finding, parted
from copydesk.cli.errors import UsageError
from copydesk.cli.tokens import TOKEN_VARIABLE
from copydesk.domain.text import clean, listed
from copydesk.local.accounts import Accounts
from copydesk.local.paths import find_paths

if TYPE_CHECKING:
    from datetime import timedelta

    from copydesk.cli.connection import Connection
    from copydesk.cli.tokens import Token
    from copydesk.client.api import Api
    from copydesk.contract.operation import Operation

PATIENCE = 20.0
"""So many seconds a service has for all that it is asked."""

CLOCKS_APART = 120.0
"""So many seconds may lie between two clocks before that is told."""

LOOKED_AT = 5
"""In so many spaces something is looked for that an extension can be asked about."""


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
        advice = "everybody on the way can read the token: use https" if far else ""
        yield Finding(part, "encrypted", "no" if far else "no, it stays on this machine", advice)
    try:
        proxy = proxy_for(connection.base_url)
    except ValueError as error:
        yield Finding(part, "proxy", str(error), "mend it, or unset it")
        return
    yield Finding(part, "proxy", proxy.shown if proxy else "none")


async def service(connection: Connection) -> list[Finding]:
    """Return what a service says of itself and of the token; wrong where it cannot be used."""
    from copydesk.client.errors import ApiError

    part = _part(connection)
    found: list[Finding] = []
    try:
        if kept := kept_for(connection.key):
            found.append(Finding(part, "kept here", listed(kept)))
    except OSError as error:
        why = error.strerror or "unreadable"
        found.append(Finding(part, "kept here", why, "look at the folders above"))
    try:
        api = await connection.connect()
    except UsageError as error:
        again = f"mend it, or run copydesk login {connection.profile}".rstrip()
        return [*found, Finding(part, "opens", *parted(str(error), again))]
    if connection.token is not None:
        found.append(Finding(part, "token", _origin(connection.token)))
    async with api:
        started = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                holder = await read_holder(api)
                seconds = time.monotonic() - started
                found.append(Finding(part, "answers", f"in {seconds:.2f} s"))
                found.append(Finding(part, "you are", str(holder), _stranger(connection, holder)))
                found.append(Finding(part, "organizations", holder.places or "none"))
                found.extend(_measured(part, api))
                found.extend([each async for each in _extensions(part, api)])
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
    said = f"what is kept here is {clean(owner.name)}'s"
    if connection.token is not None and connection.token.origin == TOKEN_VARIABLE:
        return f"{said}: unset {TOKEN_VARIABLE}"
    return f"{said}: copydesk login NAME makes a profile of its own"


def _origin(token: Token) -> str:
    """Return where a token is from. Of a command the program: its arguments may hold a secret."""
    if token.origin == TOKEN_VARIABLE:
        return f"from {TOKEN_VARIABLE}"
    if token.origin == "command" and token.profile is not None:
        return f"from a command, {token.profile.token_command[0]}"
    return {"keyring": "in the keyring", "file": "in a file for you only"}.get(
        token.origin, "there"
    )


def _part(connection: Connection) -> str:
    return f"profile {connection.profile}" if connection.profile else connection.host


def _advice(connection: Connection, error: Exception) -> str:
    from copydesk.client.errors import RateLimited, Unauthorized, Unreachable

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
    if budget.limit is None and budget.remaining is None:
        yield Finding(part, "budget", "it does not say")
    else:
        left = "?" if budget.remaining is None else f"{budget.remaining:,}"
        most = "" if budget.limit is None else f" of {budget.limit:,}"
        yield Finding(part, "budget", f"{left}{most} requests left")


def _clock(part: str, skew: timedelta) -> Finding:
    ahead = skew.total_seconds()
    if abs(ahead) < 2:
        return Finding(part, "clock", "as this machine's")
    way = "ahead of" if ahead > 0 else "behind"
    said = f"{abs(ahead):,.0f} s {way} this machine's"
    return Finding(
        part, "clock", said, "set this machine's clock" if abs(ahead) > CLOCKS_APART else ""
    )


async def _extensions(part: str, api: Api) -> AsyncIterator[Finding]:
    """Yield which extensions a service has. Only reads are sent; some have none."""
    from copydesk.client.errors import ApiError, ExtensionMissing
    from copydesk.contract.operations import CATALOGUE

    families: dict[str, list[Operation[..., Any]]] = {}
    for operation in CATALOGUE.values():
        if operation.extension is not None:
            families.setdefault(operation.extension, []).append(operation)
    examples = [each async for each in _examples(api)]
    for extension, family in sorted(families.items()):
        reads = [operation for operation in family if operation.method == "GET"]
        askable = [
            (operation, [ids[each.name] for each in operation.path_parameters])
            for operation in reads
            for ids in examples
            if all(each.name in ids for each in operation.path_parameters)
        ]
        if not reads:
            said = "not asked, as it only writes"
        elif not askable:
            said = "not asked, for want of an example"
        else:
            operation, ids = askable[0]
            try:
                await api(operation, *ids)
                said = "there"
            except ExtensionMissing:
                said = "missing"
            except ApiError as error:
                said = f"not known, for: {error}"
        names = ", ".join(operation.name for operation in family)
        yield Finding(part, extension, f"{said}: {names}")


async def _examples(api: Api) -> AsyncIterator[dict[str, str]]:
    """Yield ids that belong together, by the names of parameters, of what there is to read."""
    from copydesk.client.errors import ApiError
    from copydesk.contract import operations as ops

    yield {}
    spaces: list[str] = []
    for organization in (await api.page(ops.list_organizations, limit=1)).items:
        place = {"organization_id": organization.id}
        yield place
        with suppress(ApiError):
            for cluster in (await api.page(ops.list_issues_clusters, organization.id)).items[:1]:
                yield {**place, "cluster_id": cluster.id}
        with suppress(ApiError):
            page = await api.page(ops.list_organization_change_requests, organization.id, limit=1)
            for request in page.items:
                spaces.append(request.space)
                yield {"space_id": request.space, "change_request_id": request.id}
        with suppress(ApiError):
            listed = await api.page(ops.list_organization_spaces, organization.id, limit=LOOKED_AT)
            spaces += [space.id for space in listed.items]
    for space in filter(None, spaces[:LOOKED_AT]):
        with suppress(ApiError):
            for comment in (await api.page(ops.list_space_comments, space, limit=1)).items:
                yield {"space_id": space, "comment_id": comment.id}
                return
