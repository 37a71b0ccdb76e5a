"""The API described for generic tools: an OpenAPI 3.1 document, made from the catalogue.

Nothing is written down twice: paths, parameters and bounds come from the stubs, bodies and answers
from the models, in their wire names. What the models say by behaving is said here in the schema's
words: a body's field takes null only where null means something, an answer's field is never null
where it may be absent, and what an answer always holds is required.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from http import HTTPStatus
from threading import Lock
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from copydesk.contract.models.base import ALWAYS, Body, Shape
from copydesk.contract.operation import PREFIX, Operation, Parameter
from copydesk.contract.operations import CATALOGUE
from copydesk.server.editions import Edition, operations_of
from copydesk.server.pagination import DEFAULT_LIMIT
from copydesk.server.permissions import requirement

_Json = dict[str, Any]
_Key = tuple[str, str]

_NAME = re.compile(r"``([^`\n]+)``")

_REFUSALS: dict[int, str] = {
    400: "Something in the call is not what the operation takes; the message says where.",
    401: "The credential is missing or not valid.",
    403: "The caller lacks a permission, which the message names.",
    404: "There is none, or the caller may not see it.",
    409: "The operation would change nothing, or conflicts with what is there.",
    412: "A rule or a state forbids it.",
}
"""What each refusal means (docs/api-notes.md, Errors). A desk has no limit, so no 429."""

_MAKING = Lock()
"""Pydantic completes its models while they are described, which two threads must not do at once."""


@cache
def openapi() -> _Json:
    """Return the OpenAPI document of the whole API. It is made once; do not change it."""
    catalogue = list(CATALOGUE.values())
    schemas, definitions = _schemas(catalogue)
    paths: dict[str, _Json] = {}
    for op in catalogue:
        paths.setdefault(op.wire_path, {})[op.method.lower()] = _operation(op, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Documentation platform API, as the copydesk desk answers it",
            "version": PREFIX.strip("/"),
            "description": inspect.cleandoc(
                """
                Organizations, spaces, change requests, sites and conversations of a documentation
                platform. Lists are read page by page: pass `next.page` as `page` and leave the
                other parameters as they were. Operations marked with `x-extension` may be absent
                from other services.
                """
            ),
        },
        # Relative to where the document was read, whatever name the desk was reached under.
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "tags": [{"name": name} for name in dict.fromkeys(map(_tag, catalogue))],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {**definitions, "Error": _error_schema()},
            "responses": {_refusal_name(status): _refusal(status) for status in _REFUSALS}
            | {
                "Failure": {"description": "The service failed, or cannot answer now."}
                | _error_content()
            },
        },
    }


def openapi_json(edition: Edition = "all") -> bytes:
    """Return the OpenAPI document of a desk as JSON. It is made once, whoever asks for it first."""
    with _MAKING:
        return _openapi_json(edition)


@cache
def _openapi_json(edition: Edition) -> bytes:
    document = openapi()
    paths: dict[str, _Json] = {}
    for op in operations_of(edition):
        method = op.method.lower()
        paths.setdefault(op.wire_path, {})[method] = document["paths"][op.wire_path][method]
    return json.dumps({**document, "paths": paths}, ensure_ascii=False).encode()


class _Schema(GenerateJsonSchema):
    """JSON schemas of the contract's models, as they behave rather than as they are typed."""

    def ser_schema(self, schema: Any) -> JsonSchemaValue | None:
        # A wrapping serializer of the contract only decides which fields are written.
        return None if schema["type"] == "function-wrap" else super().ser_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described = super().model_schema(schema)
        cls: type[BaseModel] = schema["cls"]
        if "properties" in described and issubclass(cls, Body | Shape):
            self._as_it_behaves(cls, described)
        return described

    def _as_it_behaves(self, cls: type[Body | Shape], described: JsonSchemaValue) -> None:
        nullable: tuple[str, ...] = getattr(cls, "nullable", ())
        required = []
        for name, field in cls.model_fields.items():
            wire = field.serialization_alias or field.alias or name
            read = field.validation_alias if isinstance(field.validation_alias, str) else wire
            key = wire if self.mode == "serialization" else read
            written = described["properties"].get(key)
            if written is None:
                continue
            if written.get("default", ...) is None:
                del written["default"]
            if name not in nullable:
                described["properties"][key] = _without_null(written)
            optional = NoneType in get_args(field.annotation)
            if ALWAYS in field.metadata or (field.annotation is not Any and not optional):
                required.append(key)
        if self.mode == "serialization" and required:
            described["required"] = required


def _without_null(schema: _Json) -> _Json:
    parts = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if not parts or len(parts) == len(schema["anyOf"]):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return rest | (parts[0] if len(parts) == 1 else {"anyOf": parts})


def _schemas(catalogue: list[Operation[..., Any]]) -> tuple[dict[_Key, _Json], _Json]:
    """Return the schema of every body and answer by operation, and the models that they share."""
    wanted: list[tuple[_Key, JsonSchemaMode, TypeAdapter[Any]]] = []
    for op in catalogue:
        if op.body is not None:
            wanted.append(((op.name, "body"), "validation", op.body.adapter))
        if op.result is not NoneType:
            wanted.append(((op.name, "answer"), "serialization", op.result_adapter))
    found, shared = TypeAdapter.json_schemas(
        wanted, ref_template="#/components/schemas/{model}", schema_generator=_Schema
    )
    definitions: _Json = shared.get("$defs", {})
    for name, schema in definitions.items():
        # What a request and an answer call alike are two models to a tool that makes code.
        schema["title"] = name
    described = {key: schema for (key, _), schema in found.items()}
    _reword([definitions, described])
    return described, definitions


def _reword(schema: Any) -> None:
    """Let the descriptions in a schema say names as the wire has them."""
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            _reword(part)
    if isinstance(schema, dict) and isinstance(schema.get("description"), str):
        schema["description"] = _on_the_wire(schema["description"])


def _on_the_wire(text: str) -> str:
    """Return what a docstring says, with names and None as requests and answers write them."""
    named = _NAME.sub(lambda name: f"`{to_camel(name[1])}`", text)
    return re.sub(r"\bNone\b", "null", named)


def _operation(op: Operation[..., Any], schemas: dict[_Key, _Json]) -> _Json:
    described: _Json = {
        "operationId": op.name,
        "tags": [_tag(op)],
        "summary": _on_the_wire(op.summary),
        "description": _on_the_wire(inspect.getdoc(op.stub) or ""),
    }
    if needed := requirement(op):
        described["description"] += f"\n\n{needed.sentence}"
        described["x-permission"] = {"on": needed.scope, "name": needed.permission}
    if op.extension:
        described["x-extension"] = op.extension
    parameters = [_parameter(p, "path") for p in op.path_parameters]
    parameters += [_parameter(p, "query") for p in op.query_parameters]
    if op.pages:
        next(p for p in parameters if p["name"] == "limit")["schema"]["default"] = DEFAULT_LIMIT
    if parameters:
        described["parameters"] = parameters
    if op.body is not None:
        described["requestBody"] = {
            "required": not _may_be_empty(op.body),
            "content": {"application/json": {"schema": schemas[op.name, "body"]}},
        }
    described["responses"] = _responses(op, schemas.get((op.name, "answer")))
    return described


def _parameter(parameter: Parameter, place: str) -> _Json:
    schema = _without_null(parameter.adapter.json_schema(schema_generator=_Schema))
    described: _Json = {"name": parameter.wire, "in": place}
    if place == "path":
        described["required"] = True
        schema = {"minLength": 1} | schema
    elif parameter.required:
        described["required"] = True
    elif parameter.default is not None:
        schema = schema | {"default": parameter.default}
    return described | {"schema": schema}


def _may_be_empty(body: Parameter) -> bool:
    """Say whether a body may be left out, which is to send an empty object."""
    try:
        body.adapter.validate_python({})
    except ValidationError:
        return False
    return True


def _responses(op: Operation[..., Any], answer: _Json | None) -> _Json:
    responses: _Json = {}
    for status in op.statuses:
        response: _Json = {"description": HTTPStatus(status).phrase}
        if status == HTTPStatus.CREATED:
            response["headers"] = {
                "Location": {
                    "description": "Where the new thing is.",
                    "required": True,
                    "schema": {"type": "string", "format": "uri"},
                }
            }
        if answer is not None:
            response["content"] = {"application/json": {"schema": answer}}
        responses[str(status)] = response
    for status in _REFUSALS:
        if _can_be(op, status):
            responses[str(status)] = {"$ref": f"#/components/responses/{_refusal_name(status)}"}
    responses["5XX"] = {"$ref": "#/components/responses/Failure"}
    return responses


def _can_be(op: Operation[..., Any], status: int) -> bool:
    if status == HTTPStatus.BAD_REQUEST:
        return bool(op.path_parameters or op.query_parameters or op.body)
    if status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
        # A parameter of the query that must be there names a thing as a path does.
        return bool(op.path_parameters) or any(p.required for p in op.query_parameters)
    if status in (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED):
        return op.method != "GET"
    return True


def _refusal_name(status: int) -> str:
    return HTTPStatus(status).phrase.replace(" ", "")


def _refusal(status: int) -> _Json:
    return {"description": _REFUSALS[status]} | _error_content()


def _error_content() -> _Json:
    return {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}


def _error_schema() -> _Json:
    return {
        "description": "Why a call was refused.",
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": {"type": "integer", "description": "The HTTP status."},
                    "message": {"type": "string", "description": "One sentence for a person."},
                },
                "required": ["code", "message"],
            }
        },
        "required": ["error"],
    }


def _tag(op: Operation[..., Any]) -> str:
    return op.noun.replace("_", " ")
