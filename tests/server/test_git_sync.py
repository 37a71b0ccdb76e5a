"""Importing and exporting a space by a git repository, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import httpx
import pytest
from dulwich.objects import Commit, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from copydesk.server import git_transfer
from copydesk.server.background import Worker
from copydesk.server.git_transfer import transfer
from copydesk.server.queries.space import Content, remove_space, sweep
from copydesk.server.sources import git_writing
from copydesk.server.sources.git import Repository
from copydesk.server.sources.model import SourceError
from copydesk.server.store import Tx
from tests.server.sources.making import Making
from tests.world import World

Json = dict[str, Any]
T = TypeVar("T")


class Synced:
    """A desk, a bare repository that it may use, and a space."""

    def __init__(self, folder: Path) -> None:
        self.making = Making(folder / "repositories" / "docs.git")
        self.world = World(folder / "desk.db", repositories=folder / "repositories")
        self.space = self.world.space("Guide", {"intro": "# Intro\n\nOne.\n"})

    async def ask(
        self, client: httpx.AsyncClient, direction: str, /, **more: Any
    ) -> httpx.Response:
        body = {"url": self.making.path.as_uri(), "ref": "refs/heads/main"} | more
        if direction == "export":
            body.setdefault("commitMessage", "Docs from the desk")
        return await client.post(f"/spaces/{self.space}/git/{direction}", json=body)

    async def done(self, client: httpx.AsyncClient, direction: str, /, **more: Any) -> str:
        """Ask, wait for the worker, and return what came of it."""
        answer = await self.ask(client, direction, **more)
        assert answer.status_code == 204, answer.text
        self.world.settle()
        operation = (await client.get(f"/spaces/{self.space}/git/info")).json()["operation"]
        assert operation["direction"] == direction
        assert operation["endedAt"] >= operation["startedAt"]
        return str(operation.get("error", operation["state"]))

    async def texts(self, client: httpx.AsyncClient) -> dict[str, str]:
        pages = (await client.get(f"/spaces/{self.space}/content/pages")).json()["pages"]
        return {
            page["title"]: (
                await client.get(
                    f"/spaces/{self.space}/content/page/{page['id']}", params={"format": "markdown"}
                )
            ).json()["markdown"]
            for page in pages
        }

    def files(self, branch: str = "main") -> dict[str, bytes]:
        with Repository.open(self.making.path) as repository:
            at = next(each for each in repository.branches() if each.name == branch)
            return {path: blob.read() for path, blob in repository.files(at.oid).items()}


@pytest.fixture
def synced(tmp_path: Path) -> Any:
    (tmp_path / "repositories").mkdir()
    made = Synced(tmp_path)
    yield made
    made.world.close()


async def test_a_space_goes_to_a_branch_and_comes_back_with_what_others_changed(
    synced: Synced,
) -> None:
    world = synced.world
    page = world.page_id(synced.space, "intro")
    async with world.client() as client:
        assert (await client.get(f"/spaces/{synced.space}/git/info")).status_code == 404
        assert await synced.done(client, "export") == "success"
        exported = synced.files()
        state = (await client.get(f"/spaces/{synced.space}/git/info")).json()
        shown = (await client.get(f"/spaces/{synced.space}")).json()["gitSync"]
        again = await synced.done(client, "export")
        head = synced.making.repo.refs[Ref(b"refs/heads/main")]
        commit = synced.making.repo[head]
        assert isinstance(commit, Commit)

        # Somebody else edits the file there; a page is new here: both stay.
        synced.making.trees[head.decode()] = {
            path: (0o100644, data) for path, data in exported.items()
        }
        synced.making.commit({"intro.md": b"# Intro\n\nOne and a half.\n", "LICENSE": b"Free.\n"})
        world.commit(synced.space, {"setup": "# Setup\n\nDo.\n"})
        behind = await synced.done(client, "export")
        taken = await synced.done(client, "import")
        after = await synced.texts(client)
        sent = await synced.done(client, "export", commitMessage="Setup")
    assert exported["intro.md"] == b"# Intro\n\nOne.\n"
    assert state == shown
    assert state["repoName"] == "docs"
    assert state["url"] == synced.making.path.as_uri()
    assert (again, commit.author) == ("success", b"Ana Silva <ana@example.org>")
    assert commit.message == b"Docs from the desk\n"
    assert commit.parents == []
    assert "commits that were not imported" in behind
    assert taken == "success"
    assert {title: text.split()[-1] for title, text in after.items()} == {
        "Intro": "half.",
        "Setup": "Do.",
    }
    assert world.page_id(synced.space, "intro") == page
    assert sent == "success"
    # What the space does not know of stays in the repository.
    assert {"intro.md", "setup.md", "LICENSE"} <= synced.files().keys()


async def test_what_is_written_during_an_export_is_exported_the_next_time(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = git_writing.commit_files

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        synced.world.commit(synced.space, {"intro": "# Intro\n\nTwo.\n"})
        return commit(*args, **kwargs)

    monkeypatch.setattr(git_transfer, "commit_files", meanwhile)
    async with synced.world.client() as client:
        assert await synced.done(client, "export") == "success"
        assert synced.files()["intro.md"] == b"# Intro\n\nOne.\n"
        assert await synced.done(client, "export") == "success"
        assert synced.files()["intro.md"] == b"# Intro\n\nTwo.\n"
        assert await synced.done(client, "import") == "success"
        assert (await synced.texts(client))["Intro"] == "# Intro\n\nTwo.\n"


async def test_what_was_exported_is_noted_where_the_desk_is_closed_meanwhile(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next export would be refused: the branch has a commit that nobody imported."""
    world, commit = synced.world, git_writing.commit_files
    async with world.client() as client:
        assert await synced.done(client, "export") == "success"
    world.commit(synced.space, {"intro": "# Intro\n\nTwo.\n"})
    worker = Worker(world.store, ())
    closing = Thread(target=worker.close)

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        closing.start()
        closing.join(0.3)  # it waits for what is under way, or ends at once
        return commit(*args, **kwargs)

    monkeypatch.setattr(git_transfer, "commit_files", meanwhile)
    job = world.store.read(lambda tx: tx.one("SELECT * FROM git_job"))
    assert job is not None
    transfer(worker, job, synced.making.path)
    closing.join()
    assert synced.files()["intro.md"] == b"# Intro\n\nTwo.\n"
    world.commit(synced.space, {"intro": "# Intro\n\nThree.\n"})
    monkeypatch.undo()
    async with world.client() as client:
        assert await synced.done(client, "export") == "success"


async def test_a_page_that_is_deleted_here_is_taken_out_there(synced: Synced) -> None:
    world = synced.world
    world.commit(synced.space, {"gone": "# Gone\n"})
    async with world.client() as client:
        await synced.done(client, "export")
        before = synced.files()
        world.commit(synced.space, {"gone": None})
        assert await synced.done(client, "export") == "success"
    assert before.keys() - synced.files().keys() == {"gone.md"}


async def test_what_both_changed_stops_an_import_unless_it_is_forced(synced: Synced) -> None:
    world = synced.world
    synced.making.commit({"README.md": b"# Home\n\nFirst.\n"})
    async with world.client() as client:
        # The first time the space becomes what the branch says.
        assert await synced.done(client, "import") == "success"
        first = await synced.texts(client)
        world.commit(synced.space, {"readme": "# Home\n\nOurs.\n"})
        synced.making.commit({"README.md": b"# Home\n\nTheirs.\n"})
        stopped = await synced.done(client, "import")
        kept = await synced.texts(client)
        forced = await synced.done(client, "import", force=True)
        after = await synced.texts(client)
    assert [text.split()[-1] for text in first.values()] == ["First."]
    assert "changed both in the source and on the desk" in stopped
    assert [text.split()[-1] for text in kept.values()] == ["Ours."]
    assert forced == "success"
    assert [text.split()[-1] for text in after.values()] == ["Theirs."]


async def test_a_folder_of_a_repository_is_a_documentation_of_its_own(synced: Synced) -> None:
    synced.making.commit({"docs/README.md": b"# Docs\n", "docs/a.md": b"# A\n", "main.c": b"int"})
    async with synced.world.client() as client:
        assert await synced.done(client, "import", repoProjectDirectory="/docs/") == "success"
        assert set(await synced.texts(client)) == {"Docs", "A"}
        assert await synced.done(client, "export", repoProjectDirectory="docs") == "success"
        nowhere = await synced.done(client, "import", repoProjectDirectory="src")
        branch = await synced.done(client, "import", ref="next")
    assert synced.files()["main.c"] == b"int"
    assert "no documentation in src" in nowhere
    assert "no branch 'next'" in branch


async def test_only_repositories_of_this_machine_that_the_desk_was_told_of(
    synced: Synced, tmp_path: Path
) -> None:
    outside = Making(tmp_path / "outside.git")
    outside.commit({"README.md": b"# Secret\n"})
    (tmp_path / "repositories" / "link.git").symlink_to(outside.path)
    async with synced.world.client() as client:
        for url in (
            "https://git.example.org/acme/docs",
            "git@git.example.org:acme/docs",
            "file://git.example.org/acme/docs",
            "docs.git",
            "",
        ):
            answer = await synced.ask(client, "import", url=url)
            assert answer.status_code == 400, url
            assert "opens no connection" in answer.json()["error"]["message"]
        for path in (
            outside.path,
            tmp_path / "repositories" / "link.git",
            tmp_path / "repositories" / ".." / "outside.git",
        ):
            for direction in ("import", "export"):
                said = await synced.done(client, direction, url=str(path))
                assert said.startswith(f"{path} is not below"), "where a link leads is not said"
                assert said.count(str(tmp_path)) == 1, "nor where that folder is"
        url = f"/spaces/{synced.space}/git/info"
        unknown = (await client.get(url)).json()
        assert (unknown["installationStatus"], unknown.get("url")) == ("pending", None)
        await synced.done(client, "export")
        before = (await client.get(url)).json()
        nothing = await synced.done(client, "export", url=str(tmp_path / "repositories" / "no.git"))
        after = (await client.get(url)).json()
        name = await synced.done(client, "export", ref="a..b")
    assert "is not a git repository" in nothing
    assert before["installationStatus"] == "active"
    assert [before[key] for key in ("url", "repoName")] == [
        after[key] for key in ("url", "repoName")
    ]
    assert "not the name of a branch" in name


async def test_a_desk_that_was_told_of_no_folder_says_so(world: World) -> None:
    space = world.space("Guide")
    async with world.client() as client:
        body = {"url": "/srv/docs.git", "ref": "main"}
        url = f"/spaces/{space}/git"
        assert (await client.post(f"{url}/import", json=body)).status_code == 204
        world.settle()
        state = (await client.get(f"{url}/info")).json()
    assert state["operation"]["state"] == "failure"
    assert "serve --git" in state["operation"]["error"]


async def test_a_branch_that_is_checked_out_is_not_written(synced: Synced, tmp_path: Path) -> None:
    place = tmp_path / "repositories" / "checkout"
    Repo.init(str(place), mkdir=True).close()
    async with synced.world.client() as client:
        head = Repo(str(place)).refs.follow(Ref(b"HEAD"))[0][-1].decode()
        refused = await synced.done(client, "export", url=str(place), ref=head)
        beside = await synced.done(client, "export", url=str(place), ref="desk")
    assert "is checked out" in refused
    assert beside == "success"


async def test_a_file_that_a_folder_would_replace_or_the_other_way_round_stays(
    synced: Synced,
) -> None:
    synced.making.commit({"intro.md/notes.txt": b"Ours.\n"}, branch="folder")
    synced.making.commit({"docs": b"Ours.\n"}, branch="file")
    async with synced.world.client() as client:
        folder = await synced.done(client, "export", ref="folder", force=True)
        file = await synced.done(
            client, "export", ref="file", force=True, repoProjectDirectory="docs"
        )
    assert "intro.md is a file of the space, and a folder there" in folder
    assert "docs is a file there" in file
    assert synced.files("folder") == {"intro.md/notes.txt": b"Ours.\n"}
    assert synced.files("file") == {"docs": b"Ours.\n"}


async def test_a_page_is_a_file_there_and_never_a_link(synced: Synced) -> None:
    synced.making.commit({"intro.md": b"/etc/passwd"}, modes={"intro.md": 0o120000})
    async with synced.world.client() as client:
        assert await synced.done(client, "export", force=True) == "success"
    repo = synced.making.repo
    head = repo[repo.refs[Ref(b"refs/heads/main")]]
    assert isinstance(head, Commit)
    tree = repo[head.tree]
    assert isinstance(tree, Tree)
    assert tree[b"intro.md"][0] == 0o100644


async def test_a_repository_of_an_unknown_kind_fails_and_the_next_goes_on(
    synced: Synced, tmp_path: Path
) -> None:
    other = Making(tmp_path / "repositories" / "later.git")
    with (other.path / "config").open("w") as config:
        config.write("[core]\n\trepositoryformatversion = 9\n\tbare = true\n")
    async with synced.world.client() as client:
        for direction in ("export", "import"):
            said = await synced.done(client, direction, url=str(other.path))
            assert "UnsupportedVersion" in said
        assert await synced.done(client, "export") == "success"


async def test_what_a_desk_left_when_it_ended_goes_on_and_no_other_begins(synced: Synced) -> None:
    world = synced.world
    async with world.client() as client:
        assert await synced.done(client, "export") == "success"

        def leave(tx: Tx) -> None:
            tx.run("UPDATE git_job SET state = 'running', taken_at = ?", tx.now)
            tx.run(
                "UPDATE space SET git_sync = json_set(git_sync, '$.operation', json_object("
                "'state', 'running', 'direction', 'export', 'startedAt', ?))",
                tx.now,
            )

        world.write(leave)
        refused = await synced.ask(client, "import")
        url = f"/spaces/{synced.space}/git/info"
        early = (await client.get(url)).json()["operation"]["state"]
        world.settle()
        world.clock.now += timedelta(minutes=3)
        await client.get(url)
        world.settle()
        late = (await client.get(url)).json()["operation"]["state"]
    assert refused.status_code == 409
    assert (early, late) == ("running", "success")


@pytest.mark.parametrize("direction", ["import", "export"])
async def test_a_space_may_be_removed_meanwhile(synced: Synced, direction: str) -> None:
    world = synced.world
    if direction == "import":
        synced.making.commit({"README.md": b"# Home\n"})
    async with world.client() as client:
        assert await synced.done(client, direction) == "success"
    job = world.store.read(lambda tx: tx.one("SELECT * FROM git_job"))
    assert job is not None
    world.write(lambda tx: remove_space(tx, synced.space))
    with pytest.raises(SourceError, match=r"^The space was removed meanwhile\.$"):
        transfer(Worker(world.store, ()), job, synced.making.path)


class RemovingWorker(Worker):
    """A worker between whose writes a space is removed that had the same bytes."""

    def write(self, work: Callable[[Tx], T]) -> T:
        def sweep_all(tx: Tx) -> None:
            hashes = [str(row["hash"]) for row in tx.all("SELECT hash FROM blob")]
            sweep(tx, Content((), (), tuple(hashes)))

        found = super().write(work)
        self._store.write(sweep_all)
        return found


async def test_bytes_that_go_with_another_space_while_they_are_imported_are_there(
    synced: Synced,
) -> None:
    world, making = synced.world, synced.making
    making.commit({"README.md": b"# Home\n\nFirst.\n"})
    async with world.client() as client:
        assert await synced.done(client, "import") == "success"
        making.commit({"README.md": b"# Home\n\n![](a.png)\n", "a.png": b"A picture"})
        job = world.store.read(lambda tx: tx.one("SELECT * FROM git_job"))
        assert job is not None
        transfer(RemovingWorker(world.store, []), job, making.path)
        url = f"/spaces/{synced.space}/content/files"
        (file,) = (await client.get(url)).json()["items"]
        assert (await client.get(file["downloadURL"])).content == b"A picture"
