"""A real desk for a test: people, spaces and change requests in a few words.

Time stands still and moves one second with every write; identifiers count up. So the same steps
give the same desk, and what was written later is later.
"""

from __future__ import annotations

import atexit
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx

from copydesk.client.api import Api
from copydesk.local.state import closed_with
from copydesk.server import change_requests, content, desk_writes, threads
from copydesk.server.app import create_app, mint_token
from copydesk.server.desk_writes import Edit, Editor
from copydesk.server.editions import Edition
from copydesk.server.store import Row, Store, Tx

T = TypeVar("T")

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When a world begins."""

BASE_URL = "http://desk"
"""Where the desk of a world is, for clients and in the URLs that it gives out."""


@cache
def _empty_desk() -> Store:
    desk = Store(durable=False)
    atexit.register(desk.close)
    return desk


class _SteppingStore(Store):
    """A desk whose clock moves when something is written, and only then."""

    def __init__(self, path: Path | None, clock: Clock, new_id: Callable[[], str]) -> None:
        super().__init__(path, clock=lambda: clock.now, new_id=new_id, durable=False)
        self._step = clock

    def _migrate(self, writer: sqlite3.Connection) -> None:
        # The tables of every world are the same: made once, and copied.
        _empty_desk()._writer.backup(writer)

    def _connect(self) -> sqlite3.Connection:
        # At the latest with the desk: a test that made one by itself closes none.
        return closed_with(self, super()._connect())

    def write(self, work: Callable[[Tx], T]) -> T:
        self._step.now += timedelta(seconds=1)
        return super().write(work)


class Clock:
    """The time of a world; a test may set ``now``."""

    def __init__(self) -> None:
        self.now = START


class World:
    """A desk being built by a test. Everything is named by its id once it is made.

    The first use of ``home`` makes an organization; people and spaces are in it unless a test says
    otherwise. ``ana`` is its administrator and the author of what has no other.
    """

    def __init__(
        self,
        path: Path | None = None,
        edition: Edition = "all",
        repositories: Path | None = None,
    ) -> None:
        self.clock = Clock()
        self._made = 0
        self.store = _SteppingStore(path, self.clock, self._next_id)
        self.app = create_app(self.store, edition=edition, repositories=repositories)
        self._people: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        self._home: str | None = None

    def close(self) -> None:
        """Close the desk."""
        self.store.close()

    # People and places

    @property
    def home(self) -> str:
        """The organization that things are in unless a test says otherwise."""
        if self._home is None:
            self._home = self.write(lambda tx: desk_writes.add_organization(tx, "Acme"))
            self._people["ana"] = self.write(
                lambda tx: desk_writes.add_user(tx, "Ana Silva", "ana@example.org")
            )
            self.member(self._home, self._people["ana"], "admin")
        return self._home

    @property
    def ana(self) -> str:
        """The administrator of ``home``."""
        assert self.home
        return self._people["ana"]

    def user(
        self,
        name: str,
        role: str | None = "edit",
        *,
        display_name: str | None = None,
        member: bool = True,
    ) -> str:
        """Return the person called so, made on first use with a role in ``home``.

        No role makes a guest. With ``member=False`` a new person belongs to no organization.
        """
        if member:
            assert self.home
        if name not in self._people:
            user_id = self.write(
                lambda tx: desk_writes.add_user(
                    tx, display_name or name.capitalize(), f"{name}@example.org"
                )
            )
            self._people[name] = user_id
            if member:
                self.member(self.home, user_id, role)
        return self._people[name]

    def organization(self, title: str, admin: str | None = None, **settings: Any) -> str:
        """Make another organization, with an administrator if a test says who."""
        organization_id = self.write(lambda tx: desk_writes.add_organization(tx, title, **settings))
        if admin is not None:
            self.member(organization_id, admin, "admin")
        return organization_id

    def member(self, organization: str, user: str, role: str | None = "edit") -> None:
        """Make a person a member of an organization."""
        self.write(lambda tx: desk_writes.add_member(tx, organization, user, role))

    def team(self, title: str, *members: str, organization: str | None = None) -> str:
        """Make a team."""
        home = organization or self.home
        return self.write(lambda tx: desk_writes.add_team(tx, home, title, members))

    def grant(self, container: str, subject: str, level: str) -> None:
        """Give a person or a team a level on a space or a collection."""
        self.write(lambda tx: desk_writes.grant(tx, container, subject, level))

    def collection(self, title: str, *, organization: str | None = None, **settings: Any) -> str:
        """Make a collection."""
        home = organization or self.home
        return self.write(lambda tx: desk_writes.add_collection(tx, home, title, **settings))

    def space(
        self,
        title: str = "Handbook",
        pages: Mapping[str, str] | None = None,
        *,
        organization: str | None = None,
        **settings: Any,
    ) -> str:
        """Make a space with pages: a text for each path of slugs; parents are made."""
        home = organization or self.home
        return self.write(
            lambda tx: desk_writes.add_space(tx, home, title, texts(pages or {}), **settings)
        )

    # Content and what is said about it

    def commit(
        self,
        space: str,
        edits: Mapping[str, str | None] | None = None,
        *,
        edit: Edit | None = None,
        by: str | None = None,
    ) -> str:
        """Edit primary content: a new text for each path, or None to remove the page."""
        return self.write(
            lambda tx: desk_writes.commit(
                tx, space, edit or texts(edits or {}), author=by or self.ana
            )
        )

    def change_request(
        self,
        space: str,
        edits: Mapping[str, str | None] | None = None,
        *,
        edit: Edit | None = None,
        subject: str = "A change",
        by: str | None = None,
        **settings: Any,
    ) -> str:
        """Open a change request that makes some edits."""
        author = by or self.ana
        return self.write(
            lambda tx: change_requests.open_branch(
                tx, space, author, subject, edit or texts(edits or {}), **settings
            )
        )

    def edit_change_request(
        self,
        change_request: str,
        edits: Mapping[str, str | None] | None = None,
        *,
        edit: Edit | None = None,
        by: str | None = None,
    ) -> str:
        """Commit more edits to a change request and return its new revision."""
        author = by or self.ana
        return self.write(
            lambda tx: change_requests.edit_branch(
                tx, change_request, author, edit or texts(edits or {})
            )
        )

    def comment(
        self,
        space: str,
        text: str = "A thought",
        *,
        by: str | None = None,
        change_request: str | None = None,
        page: str | None = None,
        node: str | None = None,
    ) -> str:
        """Comment on a space or on a change request of it."""
        author = by or self.ana
        return self.write(
            lambda tx: threads.add_comment(
                tx, space, author, text, change_request=change_request, page=page, node=node
            )
        )

    def reply(self, comment: str, text: str = "An answer", *, by: str | None = None) -> str:
        """Reply to a comment."""
        author = by or self.ana
        return self.write(lambda tx: threads.add_reply(tx, comment, author, text))

    def page_id(self, space: str, path: str, *, change_request: str | None = None) -> str:
        """Return the id of a page by its path, in primary content or in a change request."""

        def find(tx: Tx) -> str:
            table = "space" if change_request is None else "change_request"
            revision = tx.value(
                f"SELECT revision_id FROM {table} WHERE id = ?", change_request or space
            )
            draft = content.open_draft(tx, content.load(tx, revision))
            return Editor(tx, space, draft).find(path)

        return self.store.read(find)

    # The desk itself

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a write on the desk, one second after the one before."""
        return self.store.write(work)

    @contextmanager
    def statements(self) -> Iterator[list[str]]:
        """Collect the SQL of a block, turned on and off while nothing else uses the connection.

        SQLite waits for the thread that runs a statement, which waits for this one to be told.
        """
        said: list[str] = []
        self.store.read(lambda tx: tx.connection.set_trace_callback(said.append))
        try:
            yield said
        finally:
            self.store.read(lambda tx: tx.connection.set_trace_callback(None))

    def settle(self) -> None:
        """Let what goes on after the answers come to its end."""
        self.app.worker.wait()

    def row(self, table: str, key: str) -> Row:
        """Return the row of a thing as the desk keeps it."""
        found = self.store.read(lambda tx: tx.one(f"SELECT * FROM {table} WHERE id = ?", key))
        assert found is not None, f"no {table} {key}"
        return found

    def token(self, user: str) -> str:
        """Return a bearer token of a person."""
        if user not in self._tokens:
            self._tokens[user] = self.write(lambda tx: mint_token(tx, user, "test"))
        return self._tokens[user]

    def api(self, user: str | None = None, *, elsewhere: bool = False) -> Api:
        """Return a typed client of a person (``ana`` when not said).

        ``elsewhere``: the client takes the desk for a service that is not in this process.
        """
        way: httpx.AsyncBaseTransport = self._transport()
        if elsewhere:
            way = httpx.MockTransport(way.handle_async_request)
        return Api(BASE_URL, self.token(user or self.ana), transport=way)

    def client(self, user: str | None = None, *, token: str | None = None) -> httpx.AsyncClient:
        """Return an HTTP client of a person (``ana`` when not said); ``token=""`` sends none."""
        bearer = self.token(user or self.ana) if token is None else token
        return httpx.AsyncClient(
            transport=self._transport(),
            base_url=f"{BASE_URL}/v1",
            headers={"authorization": f"Bearer {bearer}"} if bearer else {},
        )

    def _transport(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(self.app, raise_app_exceptions=False)

    def _next_id(self) -> str:
        self._made += 1
        return f"id{self._made:06d}"


def texts(pages: Mapping[str, str | None]) -> Edit:
    """Return an edit that gives each path of slugs its text; None removes the page."""

    def edit(editor: Editor) -> None:
        for path, text in pages.items():
            existing = _at(editor, path)
            if text is None:
                editor.remove(editor.find(path))
            elif existing is not None:
                editor.write(existing, text)
            else:
                above, _, slug = path.rpartition("/")
                parent = None
                if above:
                    if _at(editor, above) is None:
                        texts({above: ""})(editor)
                    parent = editor.find(above)
                title = slug.replace("-", " ").capitalize()
                editor.page(title, text, parent=parent, slug=slug)

    return edit


def _at(editor: Editor, path: str) -> str | None:
    try:
        return editor.find(path)
    except KeyError:
        return None
