"""The structure of the source: what would grow back unnoticed, one figure a test.

What `docs/architecture.md` says of layers is held by import-linter. Here are the rest of its rules.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import grimp
import pytest
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.message_pump import MessagePump

from copydesk.tui.framework.place import Place
from copydesk.tui.system.reference import load_everything

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "copydesk"

MOST_AT_THE_TOP = 6
MOST_IN_A_PACKAGE = 30
MOST_IN_A_CIRCLE = 3
MOST_CLASSES = 5
MOST_LINES = 1200
MOST_ONE_SUBCLASS = 10
MOST_HEADINGS = 67
MOST_LINES_OF_A_TEST = 90
FEWEST_EXPRESSIONS = 100

PARSER, CONSTANTS = import_module("re._parser"), import_module("re._constants")
ONE_CHARACTER = (["LITERAL"], ["NOT_LITERAL"], ["IN"], ["ANY"])

MADE_AT_ONCE = {
    "domain/arrangement.py",
    "domain/late_dataclass.py",
    "domain/merge_run.py",
    "domain/page_text.py",
    "domain/site_arrangement.py",
    "domain/staged_layout.py",
    "domain/tree_arrangement.py",
    "server/implementation.py",
}
"""The modules whose dataclasses need what `copydesk.domain.late_dataclass` has not: ``super()``,
and fields that are not given. The contract imports nothing of copydesk; the sample is seldom made.
"""

TEST = re.compile(r"(async )?def test_")


@cache
def own_classes() -> frozenset[type]:
    """Return all classes of the terminal's program."""
    load_everything()
    loaded = [each for name, each in sys.modules.items() if name.startswith("copydesk.tui.")]
    members = (value for module in loaded for value in vars(module).values())
    classes = (each for each in members if inspect.isclass(each))
    return frozenset(each for each in classes if each.__module__.startswith("copydesk.tui."))


def own_bases(kind: type) -> list[type]:
    """Return a class and those of its bases that are ours."""
    return [each for each in kind.__mro__ if each.__module__.startswith("copydesk.")]


def classes_in(node: ast.AST, outer: str) -> Iterator[tuple[str, int]]:
    """Yield the classes below a node by their qualified names, with their lines."""
    for each in ast.iter_child_nodes(node):
        name = f"{outer}{getattr(each, 'name', '')}"
        if isinstance(each, ast.ClassDef):
            first = min([each.lineno, *(mark.lineno for mark in each.decorator_list)])
            yield name, (each.end_lineno or 0) - first + 1
            yield from classes_in(each, f"{name}.")
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from classes_in(each, f"{name}.<locals>.")
        else:
            yield from classes_in(each, outer)


def modules(folder: Path) -> list[Path]:
    """Return the modules of a folder, without those of the folders in it."""
    return [each for each in folder.glob("*.py") if each.stem != "__init__"]


def held_for_good(parsed: Any) -> Iterator[str]:
    """Yield the parts of a parsed expression that give nothing back and are no single class."""
    if isinstance(parsed, PARSER.SubPattern | list | tuple):
        for each in parsed:
            yield from held_for_good(each)
    match parsed:
        case (kind, (_, _, repeated)) if kind is CONSTANTS.POSSESSIVE_REPEAT:
            if [str(each) for each, _ in repeated] not in ONE_CHARACTER:
                yield str(repeated)
        case (kind, body) if kind is CONSTANTS.ATOMIC_GROUP:
            yield str(body)


def expressions() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the compiled expressions of all modules, and the names they have there."""
    for file in sorted(SOURCE.rglob("*.py")):
        name = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
        if file.stem == "__main__":
            continue
        for label, value in vars(import_module(name.removesuffix(".__init__"))).items():
            if getattr(value, "__annotations__", None) == {"return": "re.Pattern[str]"}:
                value = value()  # compiled when it is needed
            for each in value.values() if isinstance(value, dict) else (value,):
                if isinstance(each, re.Pattern):
                    yield f"{name}.{label}", each


def imports_of_screens(*, types: bool) -> dict[str, set[str]]:
    """Return what each module of the screens imports of them; those for ``types`` only if asked."""
    graph = grimp.build_graph("copydesk", exclude_type_checking_imports=not types, cache_dir=None)
    names = {name for name in graph.modules if name.startswith("copydesk.tui")}
    return {name: graph.find_modules_directly_imported_by(name) & names for name in names}


def test_no_modules_of_the_screens_import_each_other_in_a_circle() -> None:
    TopologicalSorter(imports_of_screens(types=False)).prepare()  # raises CycleError


def test_few_modules_of_the_screens_name_each_other_in_a_circle() -> None:
    imports = imports_of_screens(types=True)
    reached: dict[str, set[str]] = {}
    for name in imports:
        found, left = set[str](), [name]
        while left:
            new = imports[left.pop()] - found
            found |= new
            left += new
        reached[name] = found
    circles = {
        frozenset({name} | {each for each in found if name in reached[each]})
        for name, found in reached.items()
    }
    assert [sorted(each) for each in circles if len(each) > MOST_IN_A_CIRCLE] == []


def test_the_shell_takes_only_the_program_and_its_themes() -> None:
    graph = grimp.build_graph("copydesk", cache_dir=None)
    taken = {
        each
        for name in graph.modules
        if name.startswith("copydesk.cli")
        for each in graph.find_modules_directly_imported_by(name)
        if each.startswith("copydesk.tui")
    }
    assert len(taken) <= 2, sorted(taken)


def test_packages_stay_small_enough_to_be_looked_over() -> None:
    assert len(modules(SOURCE / "tui")) <= MOST_AT_THE_TOP
    sizes = {each.name: len(modules(each)) for each in (SOURCE / "tui").iterdir() if each.is_dir()}
    assert {name: size for name, size in sizes.items() if size > MOST_IN_A_PACKAGE} == {}


def test_no_class_stands_on_a_tower_of_bases() -> None:
    chains = {kind.__qualname__: own_bases(kind) for kind in own_classes()}
    high = {name: len(chain) for name, chain in chains.items() if len(chain) > MOST_CLASSES}
    assert high == {}


def test_a_class_with_its_bases_is_read_in_one_go() -> None:
    @cache  # `inspect.getsource` parses the whole module for each of its classes
    def lengths(module: str) -> dict[str, int]:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
        return dict(classes_in(tree, ""))

    def lines(kind: type) -> int:
        return sum(lengths(base.__module__)[base.__qualname__] for base in own_bases(kind))

    kinds = own_classes()

    assert len([kind for kind in kinds if issubclass(kind, Place)]) > 30
    assert {kind.__qualname__: n for kind in kinds if (n := lines(kind)) > MOST_LINES} == {}


def test_a_class_has_a_name_of_its_own() -> None:
    there = [
        node.name
        for package in ("client", "present", "session", "tui")
        for path in (SOURCE / package).rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert [name for name, count in Counter(there).items() if count > 1] == []


def test_a_style_sheet_names_classes_that_there_are() -> None:
    load_everything()
    there: set[str] = set()
    kinds: list[type] = [DOMNode]
    while kinds:
        kind = kinds.pop()
        there.add(kind.__name__)
        kinds += kind.__subclasses__()

    sheets = "".join(path.read_text() for path in (ROOT / "styles").glob("*.tcss"))
    rules = re.sub(r"/\*.*?\*/|\{.*?\}", "\n", sheets, flags=re.DOTALL)
    named = set(re.findall(r"(?<![\w.#-])[A-Z]\w+", rules))

    assert len(named) > 10
    assert named <= there, named - there


def test_few_classes_are_bases_of_a_single_one() -> None:
    bases = Counter(base for kind in own_classes() for base in kind.__bases__)
    single = [kind for kind in own_classes() if bases[kind] == 1]
    assert len(single) <= MOST_ONE_SUBCLASS, sorted(kind.__qualname__ for kind in single)


def test_no_class_leaves_a_method_to_its_subclasses_unsaid() -> None:
    outside = (each for each in (SOURCE / "tui").glob("*/*.py") if each.parent.name != "framework")
    assert [each.name for each in outside if "NotImplementedError" in each.read_text()] == []


def test_no_test_goes_on_for_so_long_that_it_hides_the_second_fault() -> None:
    def suspected(text: str) -> bool:  # to parse all of them takes seconds
        lines = text.splitlines()
        starts = [at for at, line in enumerate(lines) if TEST.match(line)]
        return any(b - a > MOST_LINES_OF_A_TEST for a, b in pairwise([*starts, len(lines)]))

    tests = (
        (f"{path.name}: {node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for path in Path(__file__).parent.rglob("test_*.py")
        if suspected(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert {name: n for name, n in tests if n > MOST_LINES_OF_A_TEST} == {}


def test_few_dataclasses_have_their_methods_made_before_there_is_a_value() -> None:
    at_once = re.compile(
        r"^ *(?:from dataclasses import .*\bdataclass\b|import dataclasses)", re.MULTILINE
    )
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "contract" and at_once.search(path.read_text())
    }
    assert {name for name in found if not name.startswith("server/sample/")} == MADE_AT_ONCE


def test_the_list_of_keys_has_about_one_heading_for_each_screen() -> None:
    text = (ROOT / "docs" / "keys.md").read_text()
    assert len(re.findall(r"^#+ ", text, re.MULTILINE)) <= MOST_HEADINGS


@pytest.mark.parametrize("document", ["interaction.md", "platform-api.md", "decisions.md"])
def test_no_module_cites_a_document_that_is_not_here(document: str) -> None:
    cited = [each for each in SOURCE.rglob("*.py") if document in each.read_text()]
    assert cited == []


def test_expressions_mean_the_same_in_every_python_there_is() -> None:
    """Up to Python 3.11.4 (Debian 12 has 3.11.2) what gives nothing back is wrong unless single.

    A possessive repetition (``(?:ab|c)*+``) or an atomic group over anything that has several ways
    to match finds wrong ends there, without an error. Over one character or class (``[^"]*+``) it
    is right. A plain repetition does as well where no text is read in two ways.
    """
    found = dict(expressions())
    assert len(found) > FEWEST_EXPRESSIONS
    assert [name for name, each in found.items() if list(held_for_good(_parsed(each)))] == []


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ('[^"]*+', True), ("a++", True), (".?+", True), ("(?:a)*+", True),
        ("(?:ab)*+", False), ("x(?=(?:a|bc)*+)", False), ("(?:y|(z(?>ab?)))", False),
    ],
)  # fmt: skip
def test_what_gives_nothing_back_is_seen_wherever_it_stands(written: str, *, right: bool) -> None:
    assert (not list(held_for_good(_parsed(re.compile(written))))) is right


def _parsed(expression: re.Pattern[Any]) -> Any:
    written = expression.pattern
    flags = expression.flags & ~re.UNICODE if isinstance(written, bytes) else expression.flags
    return PARSER.parse(written, flags)


_NAME = re.compile(r"[A-Za-z_]\w*")
_TICKED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")
_OF_TEXTUAL = (App, Driver, MessagePump)


def test_docstrings_name_only_what_there_is() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    known = {
        name for text in texts.values() for name in _NAME.findall(re.sub(r"`[^`\n]*`", "", text))
    }
    known |= {part for path in texts for part in (*path.parts, path.stem)} | set(dir(builtins))
    known |= {name for each in _OF_TEXTUAL for name in dir(each)} | {"pyproject", "toml"}
    gone = [
        f"{path.relative_to(SOURCE)}: {ticked}"
        for path, text in texts.items()
        for ticked in _TICKED.findall(text)
        if not {part for part in ticked.split(".") if part} <= known
    ]
    assert gone == []
