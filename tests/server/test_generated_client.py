"""Clients that others generate from the service's descriptions read the desk's answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import Validator, validator_for
from pydantic import ValidationError

from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.server.api_description import openapi
from copydesk.server.app import create_app
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from tests.server.desk_of_one import DeskOfOne
from tests.server.generated_client import Client, Json
from tests.world import World

FEW = 2
"""Of so many things of a list everything below is read; of spaces of all."""

ABOVE = {
    "/spaces": "/orgs/{organizationId}/spaces",
    "/collections": "/orgs/{organizationId}/collections",
}
"""Where things are listed whose own path does not say it."""

ALSO: dict[str, list[Json]] = {
    "list_space_change_requests": [{"status": each} for each in ("draft", "archived", "merged")],
    "list_space_comments": [{"format": "document"}],
    "get_space_page": [{"format": "markdown"}],
    "list_integration_space_installations": [{"extended": "true"}],
    "list_integration_site_installations": [{"extended": "true"}],
}
"""What else is asked of operations than what they answer when nothing is said."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Client:
    return Client(tmp_path_factory.mktemp("generated"))


@pytest.mark.long
def test_the_served_description_requires_what_the_service_does(generated: Client) -> None:
    document = json.loads(json.dumps(openapi()))
    described = {
        way["operationId"]: way for path in document["paths"].values() for way in path.values()
    }
    missing: set[str] = set()
    for name, wanted in generated.schema["properties"].items():
        answers = described[name]["responses"]
        answer = next(answers[status] for status in sorted(answers) if status < "3")
        served = answer["content"]["application/json"]["schema"]
        missing |= unrequired(wanted, served, generated.schema, document)
    assert missing == set()


def unrequired(
    wanted: Json, served: Json, facts: Json, document: Json, seen: frozenset[str] = frozenset()
) -> set[str]:
    """Return the fields that a schema of the service requires, and the served one does not."""
    if reference := wanted.get("$ref"):
        if reference in seen:
            return set()
        found = facts["$defs"][reference.rpartition("/")[2]]
        return unrequired(found, served, facts, document, seen | {reference})
    if reference := served.get("$ref"):
        found = document["components"]["schemas"][reference.rpartition("/")[2]]
        return unrequired(wanted, found, facts, document, seen)
    missing: set[str] = set()
    for part in wanted.get("allOf", ()):
        missing |= unrequired(part, served, facts, document, seen)
    if "items" in wanted and "items" in served:
        missing |= unrequired(wanted["items"], served["items"], facts, document, seen)
    if "properties" not in wanted or "properties" not in served:
        return missing
    title = served.get("title", "")
    missing |= {f"{title}.{name}" for name in {*wanted["required"]} - {*served.get("required", ())}}
    for name, field in wanted["properties"].items():
        if name in served["properties"]:
            inner = served["properties"][name]
            missing |= unrequired(field, inner, facts, document, seen)
    return missing


@pytest.mark.long
async def test_an_answer_without_what_it_has_to_hold_is_refused(
    generated: Client, world: World
) -> None:
    async with world.client() as http:
        answer = (await http.get(f"/orgs/{world.home}")).json()
    generated.read("get_organization", json.dumps(answer).encode())
    del answer["urls"]["app"]
    with pytest.raises(ValidationError, match="app"):
        generated.read("get_organization", json.dumps(answer).encode())


class Reader:
    """Holds answers of a desk against both descriptions: the models, and the schema itself."""

    def __init__(self, generated: Client) -> None:
        self.generated = generated
        self.wrong: dict[str, str] = {}
        self.seen: set[str] = set()
        shared = {"$defs": generated.schema["$defs"]}
        self._validators: dict[str, Validator] = {
            name: validator_for(schema | shared, validate_formats=True)
            for name, schema in generated.schema["properties"].items()
        }

    def read(self, operation: str, answer: bytes) -> None:
        """Note what does not fit."""
        self.seen.add(operation)
        try:
            self.generated.read(operation, answer)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            self.wrong.setdefault(operation, f"{where}: {first['msg']}")
        for problem in self._validators[operation].iter_errors(json.loads(answer)):
            self.wrong.setdefault(operation, f"{problem.instance_path}: {problem.message[:300]}")


class Walk:
    """Reads a desk from its organizations down."""

    def __init__(self, http: httpx.AsyncClient, reader: Reader) -> None:
        self.http, self.reader = http, reader
        self._known: dict[str, list[str]] = {}

    async def all(self) -> None:
        """Ask every reading operation of whatever there is to be read."""
        for op in CATALOGUE.values():
            if op.method == "GET" and not op.extension:
                async for path in self._paths(op.wire_path.removeprefix("/v1")):
                    await self._ask(op, path)

    async def _ask(self, op: Operation[..., Any], path: str) -> None:
        wanted = {p.wire: "the" for p in op.query_parameters if p.required}
        wanted |= {"limit": "1000"} if op.pages else {}
        for more in [{}, *ALSO.get(op.name, [])]:
            answer = await self.http.get(path, params=wanted | more)
            assert answer.status_code in (200, 403), (path, answer.text)
            if answer.status_code == 200:
                self.reader.read(op.name, answer.content)

    async def _paths(self, path: str) -> AsyncIterator[str]:
        """Yield a path with the ids of what is there in place of its placeholders."""
        before, placeholder, after = path.partition("{")
        if not placeholder:
            yield path
            return
        listing = before.rstrip("/")
        async for place in self._paths(ABOVE.get(listing, listing)):
            for key in await self._keys(place.replace("/content/page", "/content/pages")):
                async for each in self._paths(before + key + after[after.index("}") + 1 :]):
                    yield each

    async def _keys(self, listing: str) -> list[str]:
        """Return the ids of some things of a list: of those with the most in them."""
        if listing not in self._known:
            answer = await self.http.get(listing)
            read = answer.json()
            found = [each.get("issue", each) for each in read.get("items", read.get("pages", []))]
            found.sort(key=lambda each: -sum(n for n in each.values() if type(n) is int))
            name = {"/integrations": "name"}.get(listing, "id")
            name = "slug" if listing.endswith("/openapi") else name
            self._known[listing] = [
                each[name] for each in found[: None if "/spaces" in listing[-7:] else FEW]
            ]
        return self._known[listing]


@pytest.mark.long
async def test_every_reading_operation_of_the_sample_fits(generated: Client) -> None:
    store = Store(None, durable=False)
    app = create_app(store, sessions={"owner": build_sample(store)})
    reader = Reader(generated)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://desk/v1",
        headers={"authorization": "Bearer owner"},
    ) as http:
        await Walk(http, reader).all()
    store.close()
    reading = {op.name for op in CATALOGUE.values() if op.method == "GET" and not op.extension}
    assert reader.wrong == {}
    # No change request of the sample has a file.
    assert reading - reader.seen == {
        "get_change_request_file",
        "list_change_request_file_backlinks",
    }


@pytest.mark.long
async def test_every_operation_on_one_of_everything_fits(generated: Client, tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    desk = await DeskOfOne.make(world, tmp_path / "desk.db")
    reader = Reader(generated)
    async with desk.client(world.token(world.ana)) as http:
        for name in generated.readers:
            op = CATALOGUE[name]
            answer = await http.request(
                op.method, desk.path_of(op), params=desk.query_of(op), json=desk.body_of(op)
            )
            # On a desk of one some things are as they should be already.
            assert answer.is_success or answer.status_code in (400, 409, 412), (name, answer.text)
            if answer.is_success:
                reader.read(name, answer.content)
    desk.close()
    world.close()
    assert reader.wrong == {}
