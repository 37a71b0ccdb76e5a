"""Homes of copydesk to measure in: the sample, and one with 100,000 change requests beside it.

The large desk takes a minute to make. It is made once and kept below the user's caches, or in the
folder that ``BENCHMARK_CACHE`` names, until what makes it changes. Every run has its own copy.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

import copydesk

CACHE = "BENCHMARK_CACHE"
SCALE = 100_000
COPYDESK = (sys.executable, "-m", "copydesk")
HELLO = (sys.executable, "-m", "benchmarks.programs.hello")
BARE = (sys.executable, "-m", "benchmarks.programs.bare_list", "1000000")


@dataclass(frozen=True)
class Home:
    """A folder with a desk of its own, and where to find things in it."""

    folder: Path

    @property
    def desk(self) -> Path:
        """The database."""
        return self.folder / "data" / "desk.db"

    @property
    def environment(self) -> dict[str, str]:
        """What points copydesk at it, and at no account of this machine."""
        return {"COPYDESK_HOME": str(self.folder)}

    def find(self, query: str) -> str:
        """Return the one value that a query of the desk finds."""
        database = sqlite3.connect(self.desk)
        try:
            found: str = database.execute(query).fetchone()[0]
            return found
        finally:
            database.close()

    @property
    def organization(self) -> str:
        """The address of the large organization."""
        key = self.find("SELECT id FROM organization WHERE title = 'Scale'")
        return f"https://desk.invalid/o/{key}"

    @property
    def space(self) -> str:
        """The address of the space with the most change requests."""
        return f"https://desk.invalid/s/{self.find(LARGEST)}"

    @property
    def requests(self) -> int:
        """How many requests were sent by programs that run with ``--debug``."""
        return sum(self.operations().values())

    def operations(self) -> dict[str, int]:
        """How often each operation was sent by programs that run with ``--debug``."""
        counted: dict[str, int] = {}
        for file in (self.folder / "state").glob("copydesk.log*"):
            for line in file.read_text().splitlines():
                if '"logger": "copydesk.requests"' in line:
                    name = line.partition('"said": "')[2].split(" ", 1)[0]
                    counted[name] = counted.get(name, 0) + 1
        return counted


LARGEST = "SELECT id FROM space ORDER BY change_requests_open DESC, id LIMIT 1"


@contextmanager
def home(scale: int = 0) -> Iterator[Home]:
    """Lend a home with the sample, and ``scale`` change requests beside it."""
    with tempfile.TemporaryDirectory(prefix="copydesk-bench-") as name:
        lent = Home(Path(name))
        lent.desk.parent.mkdir(mode=0o700)
        shutil.copy(_made(scale), lent.desk)
        yield lent


@cache
def _made(scale: int) -> Path:
    """Return the file of a desk, made when there is none by what makes desks today."""
    folder = Path(os.environ.get(CACHE) or user_cache_path("copydesk-benchmarks"))
    path = folder / f"desk-{scale}-{_recipe()}.db"
    if not path.exists():
        print(f"making a desk with {scale:,} change requests more, once…", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            grow = ["--scale", str(scale)] if scale else []
            subprocess.run(
                [*COPYDESK, "desk", "sample", *grow, "--desk", f"{name}/desk.db"],
                env=os.environ | {"COPYDESK_HOME": name},
                check=True,
                stdout=subprocess.DEVNULL,
            )
            Path(name, "desk.db").rename(path)
        for old in folder.glob(f"desk-{scale}-*.db"):
            if old != path:
                old.unlink()
    return path


def _recipe() -> str:
    """Return a digest of what desks are made by."""
    server = Path(copydesk.__file__).parent / "server"
    digest = hashlib.sha256()
    for folder in ("sample", "schema"):
        for path in sorted((server / folder).rglob("*.*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def served(lent: Home) -> Iterator[dict[str, str]]:
    """Serve a home's desk over the loopback; lend what points a program at that service.

    ``SERVER`` is the id of its process.
    """
    token = subprocess.run(
        [*COPYDESK, "desk", "token", "--desk", str(lent.desk)],
        env=os.environ | lent.environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()[-1]
    process = subprocess.Popen(
        [*COPYDESK, "serve", "--port", "0", "--desk", str(lent.desk)],
        env=os.environ | lent.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Listening on ").strip()
        yield {
            "COPYDESK_BASE_URL": address,
            "COPYDESK_TOKEN": token,
            "SERVER": str(process.pid),
        }
    finally:
        process.terminate()
        process.wait(30)
