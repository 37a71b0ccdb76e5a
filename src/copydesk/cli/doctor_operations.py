"""What ``copydesk doctor`` tells of the operations of a service."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from copydesk.client.api import Api
from copydesk.client.errors import ApiError
from copydesk.client.routes import Routes, State
from copydesk.contract import operations as ops
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.service_parts import Part, parts, successor_words
from copydesk.domain.text import few, listed

LOOKED_AT = 5
"""In so many spaces something is looked for that can be asked about."""

NAMES_CELLS = 34
"""The longest row of names of what a service has or lacks alike."""

FEW = 3
"""So many operations are named where a part of a service is not whole."""

_SAID: dict[State, str] = {"there": "yes", "gone": "no", "unknown": "not known"}


async def operations(api: Api, *, ask: bool) -> AsyncIterator[tuple[str, str]]:
    """Yield what a service has and lacks, by parts and in words, and how many operations that is.

    It is asked for its description. ``ask``: also for an example of what is read and not known
    then; of some there is none. Nothing is written.
    """
    served = await api.routes.describe()
    yield ("version", api.routes.version or "it does not say")
    yield ("description", "served" if served else "none, or of another API")
    unknown = [each for each in CATALOGUE.values() if api.routes.state(each) == "unknown"]
    asked = await _asked(api, unknown) if ask and unknown else set[str]()
    rows: list[tuple[str, str]] = []
    for each in parts(CATALOGUE.values()):
        said = _has(api.routes, each, ask=ask, asked=asked)
        named, last = rows[-1] if rows else ("", "")
        together = f"{named}, {each.words}"
        if each.words in named.split(", ") and said == last:
            continue
        if said == last and len(together) <= NAMES_CELLS:
            rows[-1] = together, said
        else:
            rows.append((each.words, said))
    for named, said in rows:
        yield named, said
    yield ("operations", _counted(api.routes))


def _has(routes: Routes, part: Part, *, ask: bool, asked: set[str]) -> str:
    """Return whether a service has a part, in words. Its reads decide, if it has some."""
    reads = [each for each in part.operations if each.method == "GET"]
    states = {each: routes.state(each) for each in reads or part.operations}
    told = set(states.values())
    gone = [each for each, state in states.items() if state == "gone"]
    if gone and "there" not in told:
        # An extension that is not there may never have been.
        ended = any(each.ended and each.extension is None for each in gone)
        return f"no       {_instead(routes, part) or ('no successor' if ended else '')}".rstrip()
    if gone:
        return f"partly   not {few([f'{each.method} {each.wire_path}' for each in gone], FEW)}"
    if "there" in told:
        instead = _instead(routes, part)
        return f"yes      {instead}" if instead else "yes"
    if any(each.name in routes.denied for each in part.operations):
        return "not known: no access for you (403)"
    if not ask:
        return "not known: copydesk doctor --ask asks"
    if not reads:
        return "not known: it only writes, and nothing is written here"
    found = any(each.name in asked for each in reads)
    return "not known: the answer did not tell" if found else "not known: there is no example"


def _instead(routes: Routes, part: Part) -> str:
    found = {routes.successor(each) for each in part.operations} - {""}
    named = sorted(successor_words(each) for each in found)
    return f"this service has {listed(named)}" if named else ""


def _counted(routes: Routes) -> str:
    said = []
    for since in (False, True):
        group = [each for each in CATALOGUE.values() if (each.extension is not None) is since]
        counts = Counter(_SAID[routes.state(each)] for each in group)
        told = ", ".join(f"{counts[word]} {word}" for word in _SAID.values() if counts[word])
        said.append(f"{len(group)} {'since then' if since else 'of the document'}: {told}.")
    return " ".join(said)


async def _asked(api: Api, operations: list[Operation[..., Any]]) -> set[str]:
    """Send each of these operations that reads and has an example; return which were sent."""
    sent: set[str] = set()
    examples = [each async for each in _examples(api)]
    for operation in operations:
        if operation.method != "GET" or any(each.required for each in operation.query_parameters):
            continue
        for ids in examples:
            if all(each.name in ids for each in operation.path_parameters):
                sent.add(operation.name)
                with suppress(ApiError):
                    await api(operation, *(ids[each.name] for each in operation.path_parameters))
                break
    return sent


async def _examples(api: Api) -> AsyncIterator[dict[str, str]]:
    """Yield sets of ids that belong together, by the names of parameters, read from the service."""
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
