"""Texts and files of a source are stored a few at a time, so that others can write between."""

from __future__ import annotations

from collections.abc import Callable

from copydesk.server.source_content import AT_ONCE, store_ahead
from copydesk.server.sources.model import Blob, SourceFile, SourcePage, SourceSpace
from copydesk.server.store import Tx
from tests.world import World

MANY = 2 * AT_ONCE + 7


def test_no_transaction_stores_more_than_a_few(world: World) -> None:
    def page(number: int) -> SourcePage:
        name = f"p{number}"
        return SourcePage(
            key=name, title=name, slug=name, path=name, type="document", markdown=name
        )

    def file(number: int) -> SourceFile:
        name = f"f{number}.png"
        return SourceFile(
            key=name, path=name, name=name, content_type="image/png", role="asset",
            blob=Blob.of(name.encode()),
        )  # fmt: skip

    space = SourceSpace(
        title="Docs",
        folder="",
        pages=tuple(page(number) for number in range(MANY)),
        files=tuple(file(number) for number in range(MANY - AT_ONCE)),
    )
    counts: list[int] = []

    def write(put: Callable[[Tx], None]) -> None:
        def counted(tx: Tx) -> None:
            before = tx.value("SELECT count(*) FROM blob")
            put(tx)
            counts.append(tx.value("SELECT count(*) FROM blob") - before)

        world.write(counted)

    stored = store_ahead(write, space)
    assert counts == [2 * AT_ONCE, AT_ONCE + 7, 7]
    assert {size for _, size in stored.values()} == {len("f0.png"), len("f10.png")}
    # What is stored already is found, and not stored again.
    store_ahead(write, space)
    assert sum(counts[3:]) == 0
