"""Reading repositories into a world."""

from __future__ import annotations

from pathlib import Path

from dulwich.refs import Ref

from copydesk.contract import operations as ops
from copydesk.contract.models.content import ContentPage
from copydesk.server.repository_import import ImportReport, import_source
from tests.server.sources.making import Making
from tests.world import World


def tip(repository: Making, branch: str = "main") -> str:
    return repository.repo.refs[Ref(b"refs/heads/" + branch.encode())].decode()


def read(
    world: World, path: Path, *, organization: str | None = None, space: str | None = None
) -> ImportReport:
    owner = world.ana
    return import_source(
        world.store, path, owner=lambda _: owner, organization=organization, space=space
    )


async def pages(world: World, space: str, request: str | None = None) -> dict[str, ContentPage]:
    async with world.api() as api:
        if request is None:
            tree = await api(ops.list_space_pages, space)
        else:
            tree = await api(ops.list_change_request_pages, space, request)
        found: dict[str, ContentPage] = {}
        waiting = list(tree.pages)
        while waiting:
            page = waiting.pop(0)
            found[page.title] = page
            waiting.extend(page.pages or [])
        return found
