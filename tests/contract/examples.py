"""Whole JSON examples of any model, made from nothing but its declaration."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel, RootModel, StringConstraints

from copydesk.contract import models
from copydesk.contract.models.base import Body, Page, Shape

Pick: TypeAlias = Callable[[Sequence[Any]], Any]
"""What chooses one of several."""

# What the patterns of the contract accept; a new pattern without an example fails the tests.
MATCHING = [
    "https://docs.example.com/a",
    "docs.example.com/guide",
    "petstore-v1",
    "acme-docs",
    "/guides/start",
    "ana@example.org",
]


def every_model() -> list[type[BaseModel]]:
    """Return every model of the contract that is read or sent, bases of others left out."""
    found: dict[str, type[BaseModel]] = {}
    for module in pkgutil.iter_modules(models.__path__, models.__name__ + "."):
        for value in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(value, type)
                and issubclass(value, BaseModel)
                and value.__module__ == module.name
                and not value.__name__.startswith("_")
                and not module.name.endswith(".base")
            ):
                found[value.__name__] = value
    return [found[name] for name in sorted(found)]


MODELS = every_model()
READ = [model for model in MODELS if issubclass(model, Shape)]
SENT = [model for model in MODELS if issubclass(model, Body)]


def wire_name(model: type[BaseModel], name: str) -> str:
    field = model.model_fields[name]
    return field.serialization_alias or field.alias or name


def first(choices: Sequence[Any]) -> Any:
    """Return the first of what may stand in a place."""
    return choices[0]


def example(
    model: type[BaseModel], above: tuple[Any, ...] = (), pick: Pick = first
) -> dict[str, Any]:
    """Return JSON of ``model`` with every field set; a list of what is ``above`` it is empty.

    ``pick`` chooses among the values of an enumeration and the members of a union.
    """
    model.model_rebuild()  # what it names ahead is known by now
    inside = (*above, model)
    return {
        wire_name(model, name): _value(field.annotation, field.metadata, inside, pick)
        for name, field in model.model_fields.items()
    } | _exceptions(model)


def least(model: type[BaseModel]) -> dict[str, Any]:
    """Return JSON of ``model`` with its required fields only."""
    return {
        wire_name(model, name): _value(field.annotation, field.metadata, (model,), first)
        for name, field in model.model_fields.items()
        if field.is_required()
    } | {key: value for key, value in _exceptions(model).items() if value is not None}


def body_example(model: type[BaseModel], make: Callable[[type[BaseModel]], Any]) -> Any:
    """Return JSON of a body; ``make`` makes that of an object, of which a list has one."""
    if issubclass(model, RootModel):
        return [sendable(make(get_args(model.model_fields["root"].annotation)[0]))]
    return sendable(make(model))


def _exceptions(model: type[BaseModel]) -> dict[str, Any]:
    # Rules between fields, which no single declaration shows.
    if model.__name__.endswith("Position"):
        side = model.model_fields["after"].annotation
        anchor = get_args(side)[0]
        return {"before": example(anchor), "after": None}
    if model.__name__ == "MergeRulesWrite":
        return {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
    if model.__name__ == "MergeRuleWrite":
        return {"rule": "require_specific_reviewers", "users": ["u"]}
    return {}


def sendable(value: Any) -> Any:
    """Return ``value`` without its nulls, which stand for a side not taken in an example."""
    if isinstance(value, dict):
        return {key: sendable(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [sendable(each) for each in value]
    return value


def _value(annotation: Any, metadata: list[Any], above: tuple[Any, ...], pick: Pick) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _value(arguments[0], [*metadata, *arguments[1:]], above, pick)
    if origin in (Union, UnionType):
        parts = [part for part in arguments if part is not NoneType]
        return _value(pick(parts), metadata, above, pick)
    if origin is Literal:
        return pick(arguments)
    if origin is list:
        if arguments[0] in above:
            return []
        return [_value(arguments[0], [], above, pick)]
    if origin is dict:
        return {"name": _value(arguments[1], [], above, pick)}
    if annotation is Any:
        return {"unknown": [1, None]}
    if annotation is datetime:
        return "2026-03-01T08:30:00Z"
    simple: dict[Any, Any] = {bool: True, int: 7, float: 1.5}
    if annotation in simple:
        return simple[annotation]
    if annotation is str:
        return _string(metadata)
    assert isinstance(annotation, type), annotation
    assert issubclass(annotation, BaseModel), annotation
    assert not issubclass(annotation, RootModel | Page), annotation
    return example(annotation, above, pick)


def _string(metadata: list[Any]) -> str:
    pattern, shortest = None, 0
    for part in metadata:
        if isinstance(part, StringConstraints):
            pattern, shortest = part.pattern or pattern, part.min_length or shortest
        if isinstance(part, annotated_types.MinLen):
            shortest = part.min_length
        pattern = getattr(part, "pattern", None) or pattern
    if pattern is None:
        return "text" * (1 + shortest)
    return next(each for each in MATCHING if re.search(pattern, each))
