"""What takes long is done while others write: texts are parsed, merged and committed between."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from dulwich.repo import Repo

from copydesk.server import (
    app,
    change_requests,
    content,
    content_merge,
    content_update,
    findings,
    git_transfer,
)
from copydesk.server import site_writes as seed
from copydesk.server.clustering import problems
from copydesk.server.transaction import LONG, Tx
from tests.world import World

Long = Callable[..., Any]
TEXT = "# Long\n\nSee [the other](other.md).\n\n" + "Words go on and on.\n\n" * (LONG // 20)


class Desk:
    """A desk in a file with a long page, and one of its requests that changes the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = World(folder / "desk.db", repositories=folder)
        self.space = self.world.space("Guide", {"long": TEXT, "other": "Other.\n"})
        self.request = self.world.change_request(self.space, {"long": f"{TEXT}More.\n"})
        self.page = self.world.page_id(self.space, "long")
        self.other = self.world.page_id(self.space, "other")
        self.at = f"/spaces/{self.space}/change-requests/{self.request}"

    def expect_free(self) -> None:
        """Write as another program does that waits for nobody."""
        other = sqlite3.connect(self.folder / "desk.db", timeout=0, isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        finally:
            other.close()

    def main(self, number: int) -> None:
        """Change main where nobody else does."""
        self.world.commit(self.space, {"long": f"Top {number}.\n\n{TEXT}"})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.world.close()


async def write(desk: Desk, client: httpx.AsyncClient, **change: Any) -> None:
    answer = await client.post(f"{desk.at}/content", json={"changes": [change]})
    assert answer.status_code == 200, answer.text


async def name_by_id(desk: Desk, client: httpx.AsyncClient) -> None:
    markdown = f"{TEXT}[it](/pages/{desk.other})\n"
    await write(desk, client, operation="update_page", page=desk.page,
                document={"markdown": markdown})  # fmt: skip
    text = desk.world.store.read(
        lambda tx: content.open_draft(tx, content.load(tx, _head(tx, desk))).pages[desk.page].text
    )
    assert "[it](other.md)" in desk.world.store.read(lambda tx: content.text(tx, text))


def _head(tx: Any, desk: Desk) -> str:
    return str(tx.row("change_request", desk.request)["revision_id"])


async def move(desk: Desk, client: httpx.AsyncClient) -> None:
    await write(desk, client, operation="update_page", page=desk.other, slug="else")


async def revert_a_block(desk: Desk, client: httpx.AsyncClient) -> None:
    await write(desk, client, operation="revert_page", page=desk.page, block=["b0"])


async def write_a_document(desk: Desk, client: httpx.AsyncClient) -> None:
    leaf = {"object": "text", "leaves": [{"object": "leaf", "text": "Words."}]}
    nodes = [{"object": "block", "type": "paragraph", "nodes": [leaf]}] * 500
    await write(desk, client, operation="update_page", page=desk.page,
                document={"document": {"nodes": nodes}})  # fmt: skip


async def merge(desk: Desk, client: httpx.AsyncClient) -> None:
    desk.main(0)
    answer = await client.post(f"{desk.at}/merge")
    assert answer.json()["result"] == "merge", answer.text


async def update(desk: Desk, client: httpx.AsyncClient) -> None:
    desk.main(0)
    answer = await client.post(f"{desk.at}/update")
    assert answer.json()["result"] == "update", answer.text


async def find(desk: Desk, client: httpx.AsyncClient) -> None:
    site = desk.world.write(lambda tx: seed.add_site(tx, desk.world.home, "Docs"))
    desk.world.write(lambda tx: seed.add_site_space(tx, site, desk.space))
    answer = await client.get(f"/orgs/{desk.world.home}/sites/{site}/findings")
    assert answer.status_code == 200, answer.text


async def export(desk: Desk, client: httpx.AsyncClient) -> None:
    Repo.init_bare(str(desk.folder / "docs.git"), mkdir=True).close()
    url = (desk.folder / "docs.git").as_uri()
    body = {"url": url, "ref": "refs/heads/main", "commitMessage": "Docs"}
    answer = await client.post(f"/spaces/{desk.space}/git/export", json=body)
    assert answer.status_code == 204, answer.text
    desk.world.settle()
    info = (await client.get(f"/spaces/{desk.space}/git/info")).json()
    assert info["operation"]["state"] == "success", info


async def ingest(desk: Desk, client: httpx.AsyncClient) -> None:
    parts = [{"type": "message", "role": "user", "body": TEXT}]
    answer = await client.post(
        f"/orgs/{desk.world.home}/conversations", json=[{"id": "one", "parts": parts}]
    )
    assert answer.status_code == 204, answer.text


Ask = Callable[[Desk, httpx.AsyncClient], Awaitable[None]]


@pytest.mark.parametrize(
    ("ask", "module", "name"),
    [
        (name_by_id, content_update, "links_of"),
        (move, content_update, "links_of"),
        (revert_a_block, content_update, "markdown_to_document"),
        (write_a_document, content_update, "document_to_markdown"),
        (merge, content_merge, "merge_text"),
        (update, content_merge, "merge_text"),
        (find, findings, "links_of"),
        (export, git_transfer, "commit_files"),
        (ingest, problems, "problems_of"),
    ],
)
async def test_others_write_while_what_takes_long_is_done(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, ask: Ask, module: Any, name: str
) -> None:
    long, done = getattr(module, name), []

    def watched(*args: Any, **kwargs: Any) -> Any:
        desk.expect_free()
        done.append(name)
        return long(*args, **kwargs)

    monkeypatch.setattr(module, name, watched)
    async with desk.world.client() as client:
        await ask(desk, client)
    assert done


@pytest.mark.parametrize("times", [1, 30])
async def test_what_was_changed_meanwhile_is_merged_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Where it is changed again and again it is not waited for for ever."""
    long: Long = vars(content_merge)["merge_text"]
    done: list[int] = []

    def watched(*texts: str) -> Any:
        done.append(1)
        if len(done) <= times:
            try:
                desk.expect_free()
            except sqlite3.OperationalError:
                return long(*texts)
            desk.main(len(done))
        return long(*texts)

    desk.main(0)
    monkeypatch.setattr(content_merge, "merge_text", watched)
    async with desk.world.client() as client:
        assert (await client.post(f"{desk.at}/merge")).json()["result"] == "merge"
        page = await client.get(f"/spaces/{desk.space}/content/page/{desk.page}?format=markdown")
    latest = min(times, len(done) - 1)
    assert page.json()["markdown"] == f"Top {latest}.\n\n{TEXT}More.\n"
    assert len(done) == min(times + 1, 11)


def test_a_request_is_changed_and_merged_in_one_transaction(desk: Desk) -> None:
    desk.main(0)

    def work(tx: Tx) -> str | None:
        by = str(tx.row("change_request", desk.request)["created_by"])
        change_requests.edit_branch(
            tx, desk.request, by, lambda editor: editor.write(desk.page, f"{TEXT}Most.\n")
        )
        return change_requests.merge_branch(tx, desk.request, by).revision

    made = desk.world.store.write(work)
    assert made is not None
    text = desk.world.store.read(
        lambda tx: content.open_draft(tx, content.load(tx, made)).pages[desk.page].text
    )
    assert desk.world.store.read(lambda tx: content.text(tx, text)) == f"Top 0.\n\n{TEXT}Most.\n"


async def test_a_long_body_is_read_where_no_other_write_waits_for_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Long = vars(app)["read_arguments"]
    threads: list[str] = []

    def watched(*args: Any) -> Any:
        threads.append(threading.current_thread().name.rpartition("_")[0])
        return read(*args)

    monkeypatch.setattr(app, "read_arguments", watched)
    async with desk.world.client() as client:
        for text in ("Short.", TEXT):
            await write(desk, client, operation="update_page", page=desk.page,
                        document={"markdown": text})  # fmt: skip
        wrong = await client.post(f"{desk.at}/content", json={"changes": TEXT})
        assert wrong.status_code == 400
        client.headers["Authorization"] = "Bearer nobody"
        assert (await client.post(f"{desk.at}/content", json={"changes": TEXT})).status_code == 401
    assert threads == ["desk-writer", "desk-reader", "desk-reader"]


async def test_others_read_while_many_write_what_takes_long(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()
    links_of: Long = vars(content_update)["links_of"]

    def held(text: str) -> Any:
        begun.set()
        assert go_on.wait(20)
        return links_of(text)

    async with desk.world.client() as client:
        markdown = f"{TEXT}[it](/pages/{desk.other})\n"
        change = {"operation": "update_page", "page": desk.page, "document": {"markdown": markdown}}
        monkeypatch.setattr(content_update, "links_of", held)
        try:
            writes = [
                asyncio.create_task(client.post(f"{desk.at}/content", json={"changes": [change]}))
                for _ in range(8)
            ]
            await asyncio.to_thread(begun.wait, 20)
            short = await client.patch(desk.at, json={"subject": "Short"})
            got = await asyncio.wait_for(client.get(f"/spaces/{desk.space}/content"), 10)
        finally:
            go_on.set()
        assert (short.status_code, got.status_code) == (200, 200)
        assert {each.status_code for each in await asyncio.gather(*writes)} == {200}
