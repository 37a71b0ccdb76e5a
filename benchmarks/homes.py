"""Homes of copydesk to measure in: the sample, and one with 100,000 change requests beside it.

The large desk takes a minute to make. It is made once and kept below the user's caches, or in the
folder that ``BENCHMARK_CACHE`` names, until what makes it changes. Every run has its own copy.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

import copydesk
from copydesk.server.change_requests import open_branch
from copydesk.server.desk_writes import at
from copydesk.server.sample.edits import AnyEdit, Append, Everywhere, author_of
from copydesk.server.store import Store, Tx

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

    def row(self, query: str) -> Sequence[Any]:
        """Return the first row that a query of the desk finds."""
        database = sqlite3.connect(self.desk)
        try:
            found: Sequence[Any] = database.execute(query).fetchone()
            return found
        finally:
            database.close()

    def find(self, query: str) -> str:
        """Return the one value that a query of the desk finds."""
        return str(self.row(query)[0])

    @property
    def organization(self) -> str:
        """The address of the large organization."""
        key = self.find("SELECT id FROM organization WHERE title = 'Scale'")
        return f"https://desk.invalid/o/{key}"

    @property
    def space(self) -> str:
        """The address of the space with the most change requests."""
        return f"https://desk.invalid/s/{self.find(LARGEST)}"

    def sent(self, *, polling: bool, news: bool = True) -> Counter[str]:
        """How often programs that run with ``--debug`` sent each operation.

        ``polling`` says whether to count what only looked whether something has changed, ``news``
        whether to count what was read to give notices.
        """
        whole = (
            file.read_text().rpartition("\n")[0].splitlines()
            for file in (self.folder / "state").glob("copydesk.log*")
        )
        requests = (
            json.loads(line)
            for lines in whole
            for line in lines
            if '"logger": "copydesk.requests"' in line
        )
        return Counter(
            str(each["operation"])
            for each in requests
            if (polling or each["why"] != "polling") and (news or each["screen"] != "news")
        )

    @property
    def request(self) -> str:
        """The address of the large change request."""
        key = self.find(f"SELECT id FROM change_request WHERE subject = '{LARGE_REQUEST}'")
        return f"{self.space}/~/changes/{key}"

    @property
    def site(self) -> str:
        """The address of the site of 2,000 sections."""
        return f"https://desk.invalid/sites/{self.find(SITE)}"


LARGE_REQUEST = "A large request"
SITE = "SELECT id FROM site WHERE title = 'Scale'"
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
    """Return the file of a desk, made by the current source if it is not there."""
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
            if scale == SCALE:
                _add_large_request(Path(name, "desk.db"))
            Path(name, "desk.db").rename(path)
    return path


def _add_large_request(path: Path) -> None:
    """Open a change request on the long page, in every one of its chapters, and on 100 others."""
    store = Store(path, durable=False)

    def add(tx: Tx) -> None:
        owner = tx.value("SELECT value FROM meta WHERE key = 'owner'")
        edits: list[AnyEdit] = [Everywhere(old="too long for anybody", new="long for most people")]
        edits += [Append(page=f"page-{n}", text="One more line.") for n in range(1, 101)]
        past = at(tx, tx.moment - timedelta(days=300))
        open_branch(past, tx.value(LARGEST), owner, LARGE_REQUEST, author_of(edits))

    store.write(add)
    store.close()


def _recipe() -> str:
    """Return a digest of what desks are made by."""
    server = Path(copydesk.__file__).parent / "server"
    digest = hashlib.sha256(inspect.getsource(_add_large_request).encode())
    for folder in ("sample", "schema"):
        for path in sorted((server / folder).rglob("*.*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def log_in(lent: Home, service: Mapping[str, str]) -> None:
    """Keep a service in a home, as the one that is opened there."""
    address = service["COPYDESK_BASE_URL"]
    subprocess.run(
        [*COPYDESK, "login", "--base-url", address, "--token-stdin", "--store", "file"],
        env=os.environ | lent.environment,
        input=service["COPYDESK_TOKEN"],
        check=True,
        stdout=subprocess.DEVNULL,
        text=True,
    )


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
