"""Small changes to the source that some test has to notice: which of a random sample none does.

    python -m benchmarks.mutants [PACKAGE] [--count N] [--seed N] [--only TEXT] [--try NAME ...]

mutmut makes the changes (another operator, number, word or argument, in functions). A sample of
them is taken, the same for the same seed and source, and each is tried in a process of its own that
imports the changed module: no file is touched. The tests of the package that run the changed
function come first, the quickest at the front; then those elsewhere that import the module. A
change that makes them run on and on is noticed by that.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import libcst
import pytest
from coverage import Coverage, CoverageData
from hypothesis import strategies
from mutmut.mutation.file_mutation import create_mutations

from copydesk.contract import operations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOADED = (strategies, operations)
"""What every trial needs and is slow to import: loaded once, before the processes part."""

ROOT = Path(__file__).resolve().parent.parent

SECONDS = 60
"""Seconds of processor time that a trial may take beyond twice that of the unchanged tests."""

WAIT_SECONDS = 900
"""Seconds after which a trial that waits for something is ended."""

SCREENS = ("tests/tui/", "tests/terminal/")
"""Tests that are slow to begin: asked for where the package is not below them only."""

Outcome: TypeAlias = Literal["killed", "survived", "timeout", "untested"]


@dataclass(frozen=True)
class Mutant:
    """A changed module. ``nth`` counts the changes of its module, ``lines`` are the function's."""

    path: Path
    nth: int
    lines: range
    before: str
    after: str

    @property
    def module(self) -> str:
        """Its dotted name."""
        return ".".join(self.path.relative_to(ROOT / "src").with_suffix("").parts)

    @property
    def name(self) -> str:
        """What it is called in the report."""
        return f"{self.module}:{self.nth}"

    def diff(self) -> str:
        """Return what was changed."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        name = str(self.path.relative_to(ROOT))
        return "".join(unified_diff(before, after, name, f"{name} ({self.nth})", n=2))


class _Changed(MetaPathFinder):
    """Finds one module, with another text."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        mutant = self._mutant
        if fullname != mutant.module:
            return None
        file = str(mutant.path)

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> Any:
                return compile(mutant.after, file, "exec", dont_inherit=True)

        return spec_from_file_location(fullname, file, loader=Loader(fullname, file))


@dataclass
class _Known:
    """A change that could be made."""

    path: Path
    nth: int
    text: str
    tree: libcst.Module
    old: libcst.CSTNode
    new: libcst.CSTNode

    def made(self) -> Mutant:
        after = self.tree.deep_replace(self.old, self.new)
        assert isinstance(after, libcst.Module)
        return Mutant(self.path, self.nth, _changed(self.text, after.code), self.text, after.code)


def _changed(before: str, after: str) -> range:
    """Return the lines of the outermost function that was changed."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    line = next(nth for nth, (old, new) in enumerate(pairs, 1) if old != new)
    for node in ast.walk(ast.parse(before)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if node.lineno <= line <= node.end_lineno:
                return range(node.lineno, node.end_lineno + 1)
    raise AssertionError(f"no function has line {line}")


def known(package: str, only: str = "") -> list[_Known]:
    """Return every change that can be made to a package."""
    found = []
    for path in sorted((ROOT / "src/copydesk" / package).rglob("*.py")):
        if only in str(path):
            text = path.read_text(encoding="utf-8")
            tree, changes, _, _ = create_mutations(str(path), text)
            inside = (
                each
                for each in changes
                if isinstance(each.contained_by_top_level_function, libcst.FunctionDef)
            )
            found += [
                _Known(path, nth, text, tree, each.original_node, each.mutated_node)
                for nth, each in enumerate(inside)
            ]
    return found


class _Reached:
    """Notes which tests run which lines, and how long each takes."""

    def __init__(self, coverage: Coverage) -> None:
        self._coverage = coverage
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._coverage.switch_context(item.nodeid)
        before = sum(os.times()[:2])
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:2]) - before
        return result


class Tests:
    """The tests of a package, run once over the unchanged source."""

    def __init__(self, package: str, folder: Path, more: Sequence[str]) -> None:
        self.package = package
        self._data = folder / "coverage"
        self._times = folder / "seconds.json"
        self._homes = [f"tests/{package.split('/')[0]}", *more]
        code, self.seconds = apart(self._watch, 3600)
        assert code == pytest.ExitCode.OK, f"the tests fail without any change ({code})"
        self._seconds: dict[str, float] = json.loads(self._times.read_text())
        self._lines = CoverageData(str(self._data))
        self._lines.read()

    def _watch(self) -> int:
        coverage = Coverage(str(self._data), config_file=False, source=[str(ROOT / "src")])
        reached = _Reached(coverage)
        coverage.start()
        code = _pytest(self._homes, reached)
        coverage.stop()
        coverage.save()
        self._times.write_text(json.dumps(reached.seconds))
        return code

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests of the package that run a changed function, the quickest first."""
        lines = self._lines.contexts_by_lineno(str(mutant.path))
        found = set(chain.from_iterable(lines.get(line, ()) for line in mutant.lines)) - {""}
        return sorted(found, key=lambda test: self._seconds[test])

    def elsewhere(self, mutant: Mutant) -> list[str]:
        """Return the other tests that import the module."""
        found = []
        for path in sorted((ROOT / "tests").rglob("test_*.py")):
            name = str(path.relative_to(ROOT))
            here = any(name.startswith(home) for home in self._homes)
            if not here and not name.startswith(SCREENS) and mutant.module in _imported(path):
                found.append(name)
        return found


@cache
def _imported(path: Path) -> frozenset[str]:
    """Return the names that a test imports: modules, and what may be modules."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=found):
                names.update(each.name for each in found)
            case ast.ImportFrom(module=str(module), names=found):
                names.add(module)
                names.update(f"{module}.{each.name}" for each in found)
    return frozenset(names)


def apart(work: Any, seconds: int) -> tuple[int, float]:
    """Do work in a process of its own, which may take so many seconds of processor time.

    Return how it ended, as pytest or as a signal (negative), and its processor time.
    """
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            signal.alarm(WAIT_SECONDS)
            silent = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(silent, stream)
            code = work()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def _pytest(tests: Iterable[str], *plugins: object) -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain"]
        # Processor time is what a trial may take: of a busy machine nothing is to be learnt.
        options += ["--timeout=0", "--hypothesis-seed=1", f"--basetemp={folder}/t"]
        return int(pytest.main([*options, *tests], [*plugins]))


def judge(mutant: Mutant, tests: Tests) -> Outcome:
    """Try a mutant."""

    def work() -> int:
        assert mutant.module not in sys.modules
        sys.meta_path.insert(0, _Changed(mutant))
        return _pytest(trial)

    tried = False
    for trial in (tests.of(mutant), tests.elsewhere(mutant)):
        if not trial:
            continue
        tried = True
        code, _ = apart(work, SECONDS + int(2 * tests.seconds))
        if code in (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
            return "timeout"
        if code != pytest.ExitCode.OK:
            return "killed"
    return "survived" if tried else "untested"


def main() -> None:
    """Try a sample, and tell which changes no test noticed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("package", nargs="?", default="domain", help="below src/copydesk")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="modules whose path has it")
    parser.add_argument("--tests", nargs="*", default=[], help="tests that belong to it, too")
    parser.add_argument("--try", nargs="*", dest="names", help="these, as a report names them")
    asked = parser.parse_args()
    os.chdir(ROOT)
    found = known(asked.package, asked.only)
    if asked.names:
        taken = [each for each in found if _name(each) in asked.names]
    else:
        taken = random.Random(asked.seed).sample(found, min(asked.count, len(found)))
    mutants = [each.made() for each in sorted(taken, key=lambda one: (one.path, one.nth))]
    with tempfile.TemporaryDirectory() as folder:
        _report(mutants, len(found), Tests(asked.package, Path(folder), asked.tests), asked.seed)


def _name(change: _Known) -> str:
    return Mutant(change.path, change.nth, range(0), "", "").name


def _report(mutants: list[Mutant], known: int, tests: Tests, seed: int) -> None:
    counts: Counter[Outcome] = Counter()
    unnoticed = []
    for nth, mutant in enumerate(mutants, 1):
        outcome = judge(mutant, tests)
        counts[outcome] += 1
        print(f"{nth}/{len(mutants)} {outcome:8} {mutant.name}", flush=True)
        if outcome in ("survived", "untested"):
            unnoticed.append(mutant)
            print(mutant.diff(), flush=True)
    print(f"\n{len(mutants)} of {known} changes to {tests.package}, seed {seed}:", flush=True)
    for outcome in ("killed", "timeout", "survived", "untested"):
        print(f"{counts[outcome]:6} {outcome}", flush=True)
    if mutants:
        print(f"{1 - len(unnoticed) / len(mutants):6.1%} noticed", flush=True)
    for mutant in unnoticed:
        print(f"\n{mutant.name}\n{mutant.diff()}", flush=True)
    sys.exit(bool(unnoticed))


if __name__ == "__main__":
    main()
