"""A generic tool drives the desk by its description: no failure, and nothing that it does not say.

The suite looks at every operation briefly and always in the same way; ``make fuzz`` looks for long,
each time elsewhere.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from copydesk.contract.operations import CATALOGUE
from copydesk.server.api_description import openapi
from copydesk.server.extra_routes import DESCRIPTION
from tests.server.desk_of_one import DeskOfOne
from tests.world import World

EXAMPLES = int(os.environ.get("COPYDESK_FUZZ", "0"))
"""How many requests of each kind a long run makes of each operation; 0 is the short run."""

MODES = list(GenerationMode) if EXAMPLES else [GenerationMode.POSITIVE]

NAMES = list(CATALOGUE)
if not EXAMPLES:
    # That every operation answers as described is tested in test_api_description.py with sound
    # requests. Here some of each noun are asked what a tool makes up.
    NAMES = NAMES[::8]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Driven:
    """A desk of one with the schema that the tool read from it."""

    def __init__(self, desk: DeskOfOne) -> None:
        self.desk = desk
        schema = schemathesis.openapi.from_asgi(DESCRIPTION, desk.app, timeout=60)
        self.operations = {}
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            described = result.ok()
            self.operations[described.definition.raw["operationId"]] = described
        self.headers = {"Authorization": f"Bearer {desk.world.token(desk.have.ana)}"}


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    path = tmp_path_factory.mktemp("desk") / "desk.db"
    world = World(path)
    desk = asyncio.run(DeskOfOne.make(world, path))
    yield Driven(desk)
    desk.close()
    world.close()


if EXAMPLES:  # it takes seconds; test_api_description.py checks the form

    def test_the_description_is_valid_to_the_last_keyword() -> None:
        validate(openapi())


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", NAMES)
def test_it_answers_as_described(driven: Driven, name: str, mode: GenerationMode) -> None:
    operation, desk = driven.operations[name], driven.desk
    real = desk.path_of(CATALOGUE[name]).split("/")
    places = [part.strip("{}") for part in CATALOGUE[name].wire_path.split("/")]
    ids = {place: value for place, value in zip(places, real, strict=True) if place != value}

    @settings(
        max_examples=EXAMPLES or 2,
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), known=st.integers(0, 9))
    def drive(case: Case[Any], known: int) -> None:
        # Mostly what is there, now and then what is not: else everything would be a 404.
        if known < 9 and ids:
            case.path_parameters = dict(ids)
        checks: list[Any] = list(CHECKS)
        if mode is GenerationMode.POSITIVE and known < 6 and isinstance(case.body, dict):
            case.body = desk.named("", case.body)
        if must_be_refused(case):
            checks.append(negative_data_rejection)
        case.validate_response(case.call(headers=driven.headers), checks=checks)

    drive()


def must_be_refused(case: Case[Any]) -> bool:
    """Say whether the body or a known query parameter was made so that it does not fit.

    Query parameters that an operation does not know are passed over, as services do; in a query one
    value looks like a list of one; and what is empty is not in the query at all.
    """
    parts = case.meta.components if case.meta else {}
    wrong = {place for place, part in parts.items() if part.mode is GenerationMode.NEGATIVE}
    query = dict(case.query or {})
    known = {each.name: each.definition["schema"].get("type") for each in case.operation.query}
    lone = [name for name in query if known.get(name) == "array" and type(query[name]) is not list]
    unsent = [name for name, value in query.items() if value in (None, [], {})]
    return ParameterLocation.BODY in wrong or (
        ParameterLocation.QUERY in wrong
        and query.keys() <= known.keys()
        and not lone
        and not unsent
    )
