"""What the limits of a model are in words, and what is wrong with a value that breaks one.

Both come from the model: from its JSON Schema, and from the errors of its validation. This is the
one place where an error of a model becomes a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import ErrorDetails

from copydesk.domain.text import clean, listed, plural

SAMPLES = (
    "https://example.com/docs",
    "mailto:docs@example.com",
    "example.com/docs",
    "acme-docs",
    "Acme",
)
"""Texts by which a pattern is explained: who reads it sees what it takes, not how it is written."""

TOLD = 200
"""How much of what a value holds is repeated where it is told what is wrong with it."""

_MOMENT = "it has to be a date and a time, such as 2026-03-01T08:30:00Z"

_KINDS: Mapping[str, str] = {
    "missing": "it has to be filled in",
    "string_type": "it has to be a text",
    "string_unicode": "it holds half a sign, which cannot be sent",
    "int_type": "it has to be a whole number",
    "int_parsing": "it has to be a whole number",
    "int_from_float": "it has to be a whole number",
    "float_type": "it has to be a number",
    "finite_number": "the number is too large",
    "bool_type": "it has to be true or false",
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "datetime_object_invalid": _MOMENT,
    "extra_forbidden": "there is no such field",
    "dict_type": "it has to be a JSON object",
    "model_type": "it has to be a JSON object",
    "model_attributes_type": "it has to be a JSON object",
    "list_type": "it has to be a list",
    "union_tag_not_found": "it has to say of which kind it is",
}
"""What is wrong, by pydantic's name for it, where no bound is to be told."""


def alike(pattern: str) -> str:
    """Return what a text of a pattern looks like: one or two that match it."""
    found = [sample for sample in SAMPLES if re.search(pattern, sample)]
    return listed(found[:2], "or")


def limits_of(schema: Mapping[str, Any]) -> str:
    """Return the limits that a JSON Schema sets, as one sentence; empty where there are none.

    Beside null it may be of one kind only: the limits of several are told once they are broken.
    """
    kinds = [part for part in schema.get("anyOf", (schema,)) if part.get("type") != "null"]
    if len(kinds) != 1:
        return ""
    limits = kinds[0]
    least = limits.get("minLength") or None
    if least == 1 and "maxLength" not in limits:
        least = None  # that it cannot be empty is told once it is
    said = [
        _between(least, limits.get("maxLength"), "character"),
        _between(limits.get("minItems") or None, limits.get("maxItems"), "item"),
        _between(limits.get("minimum"), limits.get("maximum"), ""),
        f"more than {limits['exclusiveMinimum']:,}" if "exclusiveMinimum" in limits else "",
        f"less than {limits['exclusiveMaximum']:,}" if "exclusiveMaximum" in limits else "",
    ]
    if "pattern" in limits and (sample := alike(limits["pattern"])):
        said.append(f"such as {sample}")
    told = ", ".join(part for part in said if part)
    return f"{told[0].upper()}{told[1:]}." if told else ""


def _between(least: float | None, most: float | None, noun: str) -> str:
    """Return bounds in words, with what is counted."""

    def counted(bound: float) -> str:
        return plural(int(bound), noun) if noun else f"{bound:,}"

    match least, most:
        case None, None:
            return ""
        case None, bound if bound is not None:
            return f"{counted(bound)} at most"
        case bound, None if bound is not None:
            return f"{counted(bound)} at least"
    assert least is not None
    assert most is not None
    return f"{least:,} to {counted(most)}"


def what_is_wrong(error: ErrorDetails) -> str:
    """Return what is wrong with a value: "64 characters at most, this has 70".

    Where in the value it is belongs before it.
    """
    context, value = error.get("ctx", {}), error["input"]
    match error["type"]:
        case "string_too_long":
            return f"{plural(context['max_length'], 'character')} at most, this has {len(value):,}"
        case "string_too_short":
            return f"{plural(context['min_length'], 'character')} at least, this has {len(value):,}"
        case "too_long":
            return f"{plural(context['max_length'], 'item')} at most, this has {len(value):,}"
        case "too_short":
            return f"{plural(context['min_length'], 'item')} at least, this has {len(value):,}"
        case "less_than_equal" | "less_than":
            than = "" if error["type"].endswith("_equal") else "less than "
            bound = context.get("le", context.get("lt"))
            return f"{than}{bound:,}{'' if than else ' at most'}, this is {value}"
        case "greater_than_equal" | "greater_than":
            than = "" if error["type"].endswith("_equal") else "more than "
            bound = context.get("ge", context.get("gt"))
            return f"{than}{bound:,}{'' if than else ' at least'}, this is {value}"
        case "string_pattern_mismatch":
            sample = alike(context["pattern"])
            return f"it has to look like {sample}" if sample else "it has not the form asked for"
        case "literal_error" | "enum":
            return f"it has to be {clean(str(context['expected']).replace(chr(39), ''))}"
        case "value_error":
            return clean(str(context["error"]), limit=TOLD)
    if (said := _KINDS.get(error["type"])) is not None:
        return said
    told = clean(error["msg"], limit=TOLD)
    return re.sub(r"^(?:Value|Input|String) should", "it should", told)


def first_of(errors: Sequence[ErrorDetails], depth: int) -> ErrorDetails:
    """Return the error to tell, of those of a value that is ``depth`` deep in its body.

    Where it may be of several kinds, that is the kind that it fits best: pydantic tells what is
    wrong with it as each of them, and puts the kind into the place.
    """
    return min(errors, key=lambda error: _misfit(error, depth))


def _misfit(error: ErrorDetails, depth: int) -> tuple[bool, bool, int]:
    strange = error["type"].endswith("_type") and len(error["loc"]) <= depth + 1
    return strange, error["type"] in ("missing", "extra_forbidden"), -len(error["loc"])


def sentence_of(error: ErrorDetails, depth: int) -> str:
    """Return what is wrong as it is told at a field: where within it, and what."""
    inside = [
        str(part) for part in error["loc"][depth:] if not (isinstance(part, str) and "[" in part)
    ]
    # The kinds of a union are named by their classes; names on the wire begin with a small letter.
    # A text with limits has no class: pydantic calls it "constrained-str".
    named = [part for part in inside if not (part[:1].isupper() or part.startswith("constrained-"))]
    where = clean(".".join(named), limit=TOLD)
    return f"{where}: {what_is_wrong(error)}" if where else what_is_wrong(error)
