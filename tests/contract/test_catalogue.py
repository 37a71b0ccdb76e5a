"""The declared operations against a table of the API that is kept by hand."""

import csv
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, RootModel
from pydantic.alias_generators import to_camel

from copydesk import contract
from copydesk.contract import models, operations
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE

HERE = Path(__file__).parent


def table(name: str) -> dict[str, dict[str, str]]:
    with (HERE / name).open(newline="") as lines:
        return {row["name"]: row for row in csv.DictReader(lines, delimiter="\t")}


DOCUMENT = table("operations.tsv")
EXTENSIONS = table("extensions.tsv")


def wire_path(operation: Operation[..., Any]) -> str:
    path = operation.path
    for parameter in operation.path_parameters:
        path = path.replace(f"{{{parameter.name}}}", f"{{{to_camel(parameter.name)}}}")
    return path


def alternatives(annotation: Any) -> list[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return [part for part in get_args(annotation) if part is not NoneType]
    return [annotation]


def body_fields(operation: Operation[..., Any]) -> dict[str, bool]:
    if operation.body is None:
        return {}
    models = [
        model
        for model in alternatives(operation.body.annotation)
        if issubclass(model, BaseModel) and not issubclass(model, RootModel)
    ]
    if not models:
        return {}  # a list
    assert len(models) == 1, operation
    return {
        field.alias or name: field.is_required() for name, field in models[0].model_fields.items()
    }


def names(required: dict[str, bool]) -> str:
    return " ".join(name + "!" * required[name] for name in sorted(required)) or "-"


def described(operation: Operation[..., Any]) -> dict[str, str]:
    return {
        "name": operation.name,
        "method": operation.method,
        "path": wire_path(operation),
        "status": str(operation.status),
        "query": names({each.wire: each.required for each in operation.query_parameters}),
        "body": names(body_fields(operation)),
    }


def test_the_document_has_143_operations_beside_the_extensions() -> None:
    assert len(DOCUMENT) == 143
    known = {f"E{n}" for n in range(1, 23)}
    assert {row["extension"] for row in EXTENSIONS.values()} == known
    assert set(CATALOGUE) == set(DOCUMENT) | set(EXTENSIONS)


@pytest.mark.parametrize("name", sorted(DOCUMENT))
def test_an_operation_is_declared_as_the_document_has_it(name: str) -> None:
    operation = CATALOGUE[name]
    assert described(operation) == DOCUMENT[name]
    assert operation.extension is None


@pytest.mark.parametrize("name", sorted(EXTENSIONS))
def test_an_extension_is_declared_as_decided(name: str) -> None:
    operation = CATALOGUE[name]
    assert described(operation) | {"extension": operation.extension} == EXTENSIONS[name]


def test_operations_exports_the_whole_catalogue() -> None:
    for module in iter_modules(contract.__path__, "copydesk.contract."):
        import_module(module.name)
    for name, operation in CATALOGUE.items():
        assert getattr(operations, name) is operation


@pytest.mark.parametrize("operation", CATALOGUE.values(), ids=lambda each: each.name)
def test_a_signature_can_be_read_and_called_in_its_usual_order(
    operation: Operation[..., Any],
) -> None:
    kinds = {name: each.kind for name, each in operation.signature.parameters.items()}
    for parameter in operation.query_parameters:
        assert kinds[parameter.name] is inspect.Parameter.KEYWORD_ONLY
        if not parameter.required:
            assert parameter.adapter.validate_python(parameter.default) == parameter.default
    for parameter in operation.path_parameters:
        assert kinds[parameter.name] is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert parameter.wire == to_camel(parameter.name)
    if operation.body is not None:
        assert operation.body.required
        assert operation.body.adapter
        assert operation.method in {"POST", "PUT", "PATCH"}
    assert operation.summary
    assert operation.result_adapter
    assert operation.noun in operation.stub.__module__


def test_lists_page_and_nothing_else_does() -> None:
    lists = {name for name, each in CATALOGUE.items() if "page limit" in _in_order(each)}
    assert {name for name, each in CATALOGUE.items() if each.pages} == lists


def _in_order(operation: Operation[..., Any]) -> str:
    return " ".join(each.name for each in operation.query_parameters)


@pytest.mark.parametrize(
    ("name", "parameter", "good", "bad"),
    [
        ("list_organizations", "limit", [0, "50", 1000], [-1, 1001, "many"]),
        ("list_members", "order", ["asc", "desc"], ["up"]),
        ("list_members", "role", ["admin", "guest"], ["owner"]),
        ("list_members", "sort", ["joinedAt", "lastSeenAt"], ["displayName"]),
        ("list_space_comments", "status", ["all", "open", "resolved"], ["closed"]),
        ("list_space_change_requests", "status", ["draft", "merged"], ["all"]),
        ("get_space_page", "evaluated", [True, "false", "deterministic-only"], ["some"]),
        ("get_space_page", "dereferenced", ["true", "reusable-contents"], ["pages"]),
        ("list_space_links", "status", ["ok", "broken", "in-app"], ["fine"]),
        ("search_space", "query", ["", "a" * 512], ["a" * 513]),
        ("search_organization", "query", ["a" * 512], ["a" * 513]),
        ("list_issues_clusters", "order_by", ["issues", "conversations"], ["label"]),
    ],
)
def test_query_parameters_keep_their_limits(
    name: str, parameter: str, good: list[Any], bad: list[Any]
) -> None:
    (adapter,) = (
        each.adapter for each in CATALOGUE[name].query_parameters if each.name == parameter
    )
    for value in good:
        adapter.validate_python(value)
    for value in bad:
        with pytest.raises(ValueError, match="validation error"):
            adapter.validate_python(value)


def test_defaults_are_the_documented_ones() -> None:
    defaults = {
        (name, each.wire): each.default
        for name, operation in CATALOGUE.items()
        for each in operation.query_parameters
        if not each.required and each.default is not None
    }
    content = ("revision", "pages", "files", "file", "page")
    verbs = {"revision": "get", "pages": "list", "files": "list", "file": "get", "page": "get"}
    expected: dict[tuple[str, str], object] = {
        ("list_organization_collections", "nested"): True,
        ("list_members", "order"): "desc",
        ("list_members", "sort"): "joinedAt",
        ("list_member_spaces", "order"): "desc",
        ("list_issues_clusters", "order"): "desc",
        ("list_issues_clusters", "orderBy"): "updatedAt",
        ("search_issues_clusters", "order"): "desc",
        ("search_issues_clusters", "orderBy"): "updatedAt",
        ("list_integration_space_installations", "extended"): False,
        ("list_integration_site_installations", "extended"): False,
        ("list_site_permissions", "order"): "desc",
        ("list_site_permissions", "sort"): "joinedAt",
        ("list_site_redirects", "draft"): False,
        ("list_site_redirects", "orderBy"): "createdAt",
        ("list_site_findings", "orderBy"): "updatedAt",
        ("list_site_questions", "order"): "desc",
        ("list_site_questions", "sort"): "askedAt",
        ("list_organization_change_requests", "status"): "open",
        ("list_space_change_requests", "status"): "open",
    }
    by_path = [f"get_{holder}_page_by_path" for holder in ("space", "change_request")]
    parts = ["", "_page", "_file", "_changes", "_reusable_content"]
    older = [f"get_revision{part}" for part in parts]
    older += [f"list_revision_{part}" for part in ("pages", "files")]
    shared = [f"get_{holder}_reusable_content" for holder in ("space", "change_request")]
    for name in (*older, *by_path, *shared):
        expected |= {(name, flag): True for flag in ("metadata", "computed")}
    for name in ("get_revision_page", *by_path):
        expected |= {(name, choice): False for choice in ("evaluated", "dereferenced")}
        expected[name, "format.markdown.refs"] = "relative"
    expected |= {(name, "cachedMetadata"): False for name in by_path}
    expected["update_change_request_content", "compat"] = True
    for holder in ("space", "change_request"):
        expected[f"list_{holder}_comments", "order"] = "desc"
        expected[f"list_{holder}_comments", "status"] = "all"
        expected[f"get_{holder}_page", "evaluated"] = False
        expected[f"get_{holder}_page", "dereferenced"] = False
        for what in content:
            for flag in ("metadata", "computed"):
                expected[f"{verbs[what]}_{holder}_{what}", flag] = True
    assert defaults == expected


def test_people_and_ids_are_repeated_keys() -> None:
    repeated = {
        (name, each.wire)
        for name, operation in CATALOGUE.items()
        for each in operation.query_parameters
        if each.repeated
    }
    answers = ("answered", "channelType", "relevance")
    assert repeated == {
        ("list_space_comments", "authors"),
        ("list_change_request_comments", "authors"),
        ("search_conversations", "attribute"),
        ("search_issues_clusters", "attribute"),
        *(
            (name, each)
            for name in ("list_site_findings", "get_site_finding_stats")
            for each in ("type", "source")
        ),
        *(
            (name, each)
            for name in (
                "list_site_questions",
                "get_site_question_stats",
                "get_site_question",
                "list_site_question_sources",
                "list_site_question_answers",
            )
            for each in answers
        ),
        ("list_site_questions", "topic"),
        ("get_site_question_stats", "topic"),
    }


def test_every_module_of_models_is_known_by_name_to_those_who_read_the_stubs() -> None:
    named = re.findall(r"import (\w+) as \1\n", inspect.getsource(models))
    assert named == sorted(module.name for module in iter_modules(models.__path__))
    with pytest.raises(AttributeError):
        models.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018
