"""What the documents and the source say of each other: no name in them leads nowhere."""

import ast
import importlib
import re
import tokenize
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from copydesk.contract.operations import CATALOGUE
from copydesk.domain.service_parts import words

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"])
SOURCES = [
    path.relative_to(ROOT).as_posix()
    for folder in ("src", "tests", "benchmarks", "docs", ".ci")
    for path in (ROOT / folder).rglob("*.py")
]
READERS_OWN = frozenset({"SUMMARY.md", "_sidebar.md", "guides/b.md"})
"""Pages that docstrings name in the repositories that people import."""

PATH = r"(?<![\w*./-])[\w*./-]+\.py\b"


def _comments(path: Path) -> Iterator[str]:
    """Yield every docstring and comment of a module that names a document."""
    if ".md" not in path.read_text():
        return
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield " ".join(text.split())
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def _headings(page: Path) -> set[str]:
    return {line.lstrip("# ") for line in page.read_text().splitlines() if line.startswith("#")}


@pytest.mark.long
def test_every_document_that_the_source_cites_is_in_the_repository() -> None:
    lost = []
    for source in SOURCES:
        for text in _comments(ROOT / source):
            for name, part in re.findall(r"([\w./-]*\w\.md)\b(?:, ([A-Z][\w ]*\w))?", text):
                if name in READERS_OWN:
                    continue
                page = ROOT / name
                if not page.is_file() or (part and part not in _headings(page)):
                    lost.append(f"{source}: {name} {part}")
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_document_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"(?ms)^```text$.*?^```$", "", page.read_text())  # screens, which show links
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [each for each in links if not (page.parent / each).is_file()] == []


def test_the_table_of_contents_has_every_page_of_the_manual() -> None:
    listed = re.findall(r"\(([\w/-]+\.md)\)", (ROOT / "docs/SUMMARY.md").read_text())
    there = {each.relative_to(ROOT / "docs").as_posix() for each in (ROOT / "docs").rglob("*.md")}
    assert sorted(listed) == sorted(there - {"SUMMARY.md", "pictures/tour.md"})


def test_every_extension_is_explained() -> None:
    rows = re.findall(r"^\| (E\d+) \|", (ROOT / "docs/api-notes.md").read_text(), re.MULTILINE)
    assert {each.extension for each in CATALOGUE.values() if each.extension} == set(rows)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_document_names_exists(page: Path) -> None:
    # What the recipes make is tested where they are followed, in test_recipes.
    text = re.sub(r"```python\n *# src/.*?```", "", page.read_text(), flags=re.DOTALL)
    names = set(re.findall(r"\bcopydesk(?:\.\w+)+", text))
    for module, imported in re.findall(r"^from (copydesk[\w.]*) import (.+)$", text, re.MULTILINE):
        names |= {f"{module}.{name.strip()}" for name in imported.split(",")}
    lost = [name for name in names if not _is_there(name)]
    lost += [name for name in re.findall(PATH, text) if not _is_source(name)]
    lost += [
        name for name in re.findall(r"\bdocs/\w[\w-]*\.md\b", text) if not (ROOT / name).is_file()
    ]
    assert lost == []


def _is_source(name: str) -> bool:
    """Whether it is a path from the root, the package or the tests; a bare name may be anywhere."""
    name = re.sub(r"\b[A-Z]+\b", "*", name)  # as in handlers/NOUN.py
    homes = ("", "src/copydesk/", "tests/") if "/" in name else ("*/",)
    return any(fnmatch(source, home + name) for source in SOURCES for home in homes)


def _is_there(name: str) -> bool:
    """Whether a dotted name is a module, or a name in one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        if (ROOT / "src" / Path(*parts[:cut])).with_suffix(".py").is_file() or cut == 1:
            found: object = importlib.import_module(".".join(parts[:cut]))
            for part in parts[cut:]:
                found = getattr(found, part, None)
            return found is not None
        if (ROOT / "src" / Path(*parts[:cut])).is_dir() and cut == len(parts):
            return True
    return False


def test_what_newer_services_have_no_longer_is_explained() -> None:
    page = (ROOT / "docs/service.md").read_text()
    ended = [each for each in CATALOGUE.values() if each.ended]
    assert [each.name for each in ended if f"`{each.name}`" not in page] == []
    assert [words(each) for each in ended if words(each) not in page] == []
