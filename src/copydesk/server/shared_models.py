"""Models that are shown again and again as they are, each written as JSON once.

A model is found by everything that it is made of, so that whoever writes, one that is found is
right. It comes to many: nobody changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)

_MOST = 200
"""How many models are kept: a few pages of a list, of about 5 kB each."""

_LARGEST = 16_384
"""How many bytes of JSON a model has at most that is kept: a description may be of any length."""

_MADE: dict[Hashable, tuple[Any, object]] = {}
_WRITTEN: dict[int, tuple[BaseModel, bytes]] = {}
"""The JSON of models by their ``id``, which is theirs for as long as they are kept here."""


def shared(key: Hashable, make: Callable[[], M], held: object = None) -> M:
    """Return the model that was made with this key, or make it; a large one is made each time.

    ``held`` is kept with it: what the key has only the ``id`` of.
    """
    known = _MADE.get(key)
    if known is not None:
        found: M = known[0]
        return found
    model = make()
    written = to_json(model)
    if len(written) > _LARGEST:
        return model
    if len(_MADE) >= _MOST:
        _MADE.clear()
        _WRITTEN.clear()
    _MADE[key] = model, held
    _WRITTEN[id(model)] = model, written
    return model


def all_written(models: Sequence[object]) -> list[bytes] | None:
    """Return the JSON of models that are written already; None where one is not."""
    found: list[bytes] = []
    for model in models:
        known = _WRITTEN.get(id(model))
        if known is None or known[0] is not model:
            return None
        found.append(known[1])
    return found


def to_json(model: BaseModel) -> bytes:
    """Return the JSON of a model as it goes over the wire, absent fields left out."""
    known = _WRITTEN.get(id(model))
    if known is not None and known[0] is model:
        return known[1]
    return model.__pydantic_serializer__.to_json(model, by_alias=True, exclude_none=True)
