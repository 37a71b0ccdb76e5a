"""Every text of the source that reaches a person, with its file and line: `make words` lists them.

Such a text is one of several words in the code, or what a docstring says of a key, a command, a
screen or an operation, which help and manual show. What no person reads is left out: SQL, patterns,
names, what only a programmer meets (`TypeError`), and the English that clustering is made of.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "copydesk"

SHOWN_BY = frozenset({"action", "command", "place", "operation", "shortcut"})
"""The decorators whose docstrings are shown."""
ONE_WORD = frozenset(
    {"title", "help", "verb", "label", "empty", "done", "noun", "metavar", "what", "note", "said"}
)
"""The arguments that are shown even when they are one word."""
PROGRAMMERS = frozenset({"TypeError", "AssertionError", "DeclarationError", "NotImplementedError"})
ELSEWHERE = ("server/clustering", "server/sample", "server/samples")
SQL = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|PRAGMA|CREATE|ORDER BY|UNION|JOIN|VALUES|IS NOT)\b"
)
SHELL = re.compile(r"\blocal value\b")
PROSE = re.compile(r"[A-Za-z]{2,}[,.:;!?]? [A-Za-z{]|\} [a-z]{2,}|\w [a-z]{2,}")


@dataclass(frozen=True, slots=True)
class Shown:
    """A text of the source; its fields are ``{}``."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(
                part.value if isinstance(part, ast.Constant) else "{}"  # type: ignore[misc]
                for part in parts
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            ends = _text(left), _text(right)
            return None if ends == (None, None) else "".join(end or "{}" for end in ends)
    return None


def _name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=called):
            return _name(called)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


class _Texts(ast.NodeVisitor):
    """Collects the texts of one module."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[Shown] = []

    def _add(self, node: ast.AST, text: str) -> None:
        self.found.append(Shown(self.path, getattr(node, "lineno", 0), " ".join(text.split())))

    def visit(self, node: ast.AST) -> None:
        """Add what is a text, and go on below what is not."""
        text = _text(node)
        if text is None:
            super().visit(node)
            return
        if PROSE.search(text) and not SQL.search(text) and not SHELL.search(text):
            self._add(node, text)
        for each in ast.walk(node):
            if isinstance(each, ast.FormattedValue):
                super().visit(each.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Pass over docstrings: who shows one says so by a decorator."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Pass over what only a programmer meets."""
        if node.exc is None or _name(node.exc) not in PROGRAMMERS:
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Add a title or label of one word too."""
        text = _text(node.value)
        if node.arg in ONE_WORD and text and not PROSE.search(text):
            self._add(node.value, text)
        else:
            self.generic_visit(node)

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        said = ast.get_docstring(node)
        if said and any(_name(each) in SHOWN_BY for each in node.decorator_list):
            self._add(node.body[0], said)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Add the docstring of a key, a command or an operation."""
        self._decorated(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Add the docstring of a key, a command or an operation."""
        self._decorated(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Add the docstring of a screen."""
        self._decorated(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Pass over the annotation."""
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Pass over the annotation."""


def shown_texts() -> Iterator[Shown]:
    """Yield every text of the source that reaches a person."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(ELSEWHERE):
            continue
        texts = _Texts(name)
        texts.visit(ast.parse(path.read_text()))
        yield from texts.found


if __name__ == "__main__":
    for each in shown_texts():
        sys.stdout.write(f"{each}\n")
