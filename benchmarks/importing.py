"""Importing a repository, against only reading every file of every one of its commits."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit
from dulwich.refs import Ref
from dulwich.repo import Repo

from benchmarks.terminal import middle, table
from copydesk.server.desk_writes import add_user
from copydesk.server.repository_import import import_source
from copydesk.server.sources.git import Repository
from copydesk.server.store import Store

PAGES, COMMITS, TURNS = 500, 30, 5
MAIN = Ref(b"refs/heads/main")


def run() -> None:
    """Measure and print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "manual"
        _make(source)
        reads: list[float] = []
        imports: list[float] = []
        for turn in range(TURNS):
            started = time.perf_counter()
            with Repository.open(source) as repository:
                assert repository.default is not None
                for commit in repository.history(repository.default.oid, COMMITS):
                    for blob in repository.files(commit.oid).values():
                        blob.read()
            reads.append(time.perf_counter() - started)
            store = Store(Path(folder) / f"desk{turn}.db")
            owner = store.write(lambda tx: add_user(tx, "Ana", "ana@example.org"))
            started = time.perf_counter()
            import_source(store, source, owner=lambda _, made=owner: made)
            imports.append(time.perf_counter() - started)
            store.close()
    read, imported = middle(reads), middle(imports)
    table(
        f"Import of {PAGES} pages with {COMMITS} commits (median of {TURNS})",
        ("work", "ratio", "ms"),
        [
            ("read every file of every commit", "1.00", f"{read * 1000:.0f}"),
            ("import", f"{imported / read:.2f}", f"{imported * 1000:.0f}"),
        ],
    )


def _make(path: Path) -> None:
    repo = Repo.init_bare(str(path), mkdir=True)
    texts = {
        f"page-{n:04}.md": f"# Page {n}\n\n" + f"What page {n} says.\n\n" * 80 for n in range(PAGES)
    }
    texts["SUMMARY.md"] = "".join(f"* [Page {n}](page-{n:04}.md)\n" for n in range(PAGES))
    parents: list[bytes] = []
    for number in range(COMMITS):
        name = f"page-{number * 7 % PAGES:04}.md"
        texts[name] = texts[name].replace("says", f"says in version {number}", 1)
        entries = []
        for file, text in texts.items():
            blob = Blob.from_string(text.encode())
            repo.object_store.add_object(blob)
            entries.append((file.encode(), blob.id, 0o100644))
        commit = Commit()
        commit.tree = commit_tree(repo.object_store, entries)
        commit.parents = [*parents]  # type: ignore[list-item] # dulwich's ids are bytes
        commit.author = commit.committer = b"Ana <ana@example.org>"
        commit.author_time = commit.commit_time = 1_700_000_000 + number * 3600
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = f"Version {number} (#{number + 1})".encode()
        repo.object_store.add_object(commit)
        repo.refs[MAIN] = commit.id
        parents = [commit.id]
    repo.close()


if __name__ == "__main__":
    run()
