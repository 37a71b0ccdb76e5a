"""JSON as no service should give it: anything at all, and answers with something odd in them."""

import json
import random
from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st
from pydantic import BaseModel

from copydesk.contract.operation import Operation
from tests.contract.examples import Pick, example, first

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, 10**400, -(10**4000), 1e308, -0.5, float("nan"), float("inf"),
    "", " ", ".", "..", "/", "\x1b]0;x\x07", "\u202e", "\ud800", "e" + "\u0301" * 99, "[red]", "%s",
    "null", "0", "https://[", "javascript:alert(1)", "file:///etc/passwd", "http://a\n.b/",
    "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-12:00",
    "2026-02-30", "2026-01-01T00:00:00", "-1", 99999999999999,
    [], {}, [[]], [None], [{}], {"id": None}, {"": []}, {"object": "document", "nodes": [{}]},
)  # fmt: skip
"""What may stand where something else should."""

ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
"""Any JSON."""


@cache
def answer_of(operation: Operation[..., Any]) -> Any:
    """Return a whole answer of an operation, as its declaration says it is."""
    return answer_with(operation, first)


def answer_with(operation: Operation[..., Any], pick: Pick) -> Any:
    """Return a whole answer of an operation, with what ``pick`` chooses of several values."""
    result = operation.result
    if isinstance(result, type) and issubclass(result, BaseModel):
        return example(result, pick=pick)
    models = [part for part in get_args(result) if isinstance(part, type)]
    return example(models[0], pick=pick) if models and issubclass(models[0], BaseModel) else None


def mutated(value: Any, chance: random.Random) -> Any:
    """Return JSON with one thing in it, at any depth, replaced, taken out or repeated."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.05:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: mutated(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value, mutated(value[at], chance)]
    if chance.random() < 0.7:  # else most of it would be refused, and nothing of it shown
        return chance.choice([each for each in ODD if type(each) is type(value)] or ODD)
    return chance.choice(ODD)


def odd_answer(operation: Operation[..., Any], chance: random.Random) -> bytes:
    """Return an answer of an operation with up to four odd things in it."""
    value = answer_of(operation)
    for _ in range(chance.randint(1, 4)):
        value = mutated(value, chance)
    return json.dumps(value).encode()
