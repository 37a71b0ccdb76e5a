"""A client of the service that nobody here wrote: a generator makes it from the service's facts.

``service.yaml`` has what the answers of the service hold. It becomes a JSON schema, and
datamodel-code-generator makes of that what it makes for whoever writes a program against the
service: one model for each answer, which refuses what does not fit.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import BaseModel, TypeAdapter

Json = dict[str, Any]

FACTS = Path(__file__).with_name("service.yaml")

_PLAIN: dict[str, Json] = {
    "any": {},
    "text": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
}
_BOUNDS = {"len<=": "maxLength", "len>=": "minLength", "<=": "maximum", ">=": "minimum"}


class Client:
    """Readers of answers, by operation."""

    def __init__(self, folder: Path) -> None:
        source, made = folder / "service.json", folder / "generated.py"
        facts = yaml.safe_load(FACTS.read_text("utf-8"))
        self.schema = described(facts)
        source.write_text(json.dumps(self.schema), "utf-8")
        options = "--input-file-type jsonschema --output-model-type pydantic_v2.BaseModel"
        options += " --enum-field-as-literal all --use-annotated --formatters builtin"
        subprocess.run(
            [
                *(sys.executable, "-m", "datamodel_code_generator", *options.split()),
                *("--input", str(source), "--output", str(made)),
            ],
            check=True,
        )
        spec = importlib.util.spec_from_file_location("generated", made)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["generated"] = module
        spec.loader.exec_module(module)
        answers: type[BaseModel] = module.Answers
        self.readers: dict[str, TypeAdapter[Any]] = {
            name: TypeAdapter(cast("Any", field.annotation))
            for name, field in answers.model_fields.items()
        }

    def read(self, operation: str, answer: bytes) -> object:
        """Return the model of an answer. Raises ``ValidationError`` when it does not fit."""
        return self.readers[operation].validate_json(answer)


def described(facts: Json) -> Json:
    """Return a JSON schema whose properties are the answers by operation."""
    parts = facts["parts"]
    answers = {
        name.strip(): _schema(answer, parts)
        for names, answer in facts["answers"].items()
        for name in names.split(",")
    }
    return {
        "title": "Answers",
        "type": "object",
        "properties": answers,
        "required": list(answers),
        "$defs": {name: _schema(part, parts) for name, part in parts.items()},
    }


def _schema(fact: Any, parts: Json) -> Json:
    if isinstance(fact, list):
        return {"type": "array", "items": _schema(fact[0], parts)}
    if isinstance(fact, str):
        return _of_words(fact, parts)
    for key, word in (("one of", "anyOf"), ("all of", "allOf")):
        if key in fact:
            return {word: [_schema(each, parts) for each in fact[key]]}
    if "*" in fact:
        return {"type": "object", "additionalProperties": _schema(fact["*"], parts)}
    return {
        "type": "object",
        "properties": {name.strip("()"): _schema(each, parts) for name, each in fact.items()},
        "required": [name for name in fact if not name.startswith("(")],
    }


def _of_words(fact: str, parts: Json) -> Json:
    if fact.startswith("list of "):
        page = {"type": "object", "properties": {"page": _PLAIN["text"]}, "required": ["page"]}
        items = {"type": "array", "items": _of_words(fact.removeprefix("list of "), parts)}
        properties = {"items": items, "next": page, "count": _PLAIN["number"]}
        return {"type": "object", "properties": properties, "required": ["items"]}
    if fact in parts:
        return {"$ref": f"#/$defs/{fact}"}
    first, *rest = fact.split(" ")
    if first not in _PLAIN:
        return {"type": "string", "enum": fact.split(" | ")}
    found = dict(_PLAIN[first])
    for bound in rest:
        if bound.startswith("~"):
            found["pattern"] = bound[1:]
        elif sign := next((sign for sign in _BOUNDS if bound.startswith(sign)), None):
            found[_BOUNDS[sign]] = int(bound.removeprefix(sign))
        else:
            found["format"] = bound
    return found
