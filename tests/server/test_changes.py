"""What a change request changes: found from the pages that differ, the same as from all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.contract.models.change_request import Change
from copydesk.domain.page_tree import PageNode, compare_trees
from copydesk.server import content
from copydesk.server.changes import changes_of
from copydesk.server.content import Draft
from copydesk.server.desk_writes import Editor
from copydesk.server.store import Tx
from tests.world import World

PATHS = ("a", "b", "c", "c/d", "c/e", "c/f", "f", "f/g", "f/g/h", "i")


class Step(NamedTuple):
    """What is done to a page, where it goes and before which of its new siblings."""

    what: str
    page: int
    parent: int
    place: int


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["move", "move", "order", "order", "write", "rename", "remove", "add"]),
        st.integers(0, len(PATHS) - 1),
        st.integers(-1, len(PATHS) - 1),
        st.integers(0, 4),
    ),
    max_size=6,
)


def do(ids: Sequence[str], steps: Sequence[Step], editor: Editor) -> None:
    draft = editor.draft
    for number, (what, index, above, place) in enumerate(steps):
        page, parent = ids[index], None if above < 0 else ids[above]
        if page not in draft.pages or (parent is not None and parent not in draft.pages):
            continue
        if what == "move" and parent not in below(draft, page):
            draft.move(page, parent, place)
        elif what == "order":
            draft.move(page, draft.parent_of(page), place)
        elif what == "write":
            editor.write(page, f"text {number}\n")
        elif what == "rename":
            editor.rename(page, f"Title {number}")
        elif what == "remove":
            editor.remove(page)
        elif what == "add":
            editor.page(f"New {number}", "N\n", parent=parent)


def below(draft: Draft, page: str) -> set[str | None]:
    found: set[str | None] = {page}
    for child in draft.children.get(page, ()):
        found |= below(draft, child)
    return found


def nodes(draft: Draft) -> list[PageNode]:
    """Return every page of a tree."""
    paths = content.paths(draft)

    def walk(parent: str | None) -> Iterator[PageNode]:
        for position, key in enumerate(draft.children.get(parent, ())):
            page = draft.pages[key]
            yield PageNode(key, page.title, page.slug, paths[key], page.type, parent, position)
            yield from walk(key)

    return list(walk(None))


def expected(before: str, after: str, tx: Tx) -> list[tuple[str, str, object, object]]:
    """Compare two revisions by all of their pages."""
    old, new = (content.open_draft(tx, content.load(tx, each)) for each in (before, after))
    found = []
    for change in compare_trees(
        nodes(old), nodes(new), changed=lambda was, now: old.pages[was.id] != new.pages[now.id]
    ):
        kinds = {"renamed": "edited"}
        for kind in dict.fromkeys(kinds.get(kind, kind) for kind in change.kinds):
            told = {"added": "created"}.get(kind, kind)
            found.append((f"page_{told}", change.id, placed(change.before), placed(change.after)))
    return found


def placed(page: PageNode | None) -> object:
    return None if page is None else (page.title, page.path, page.parent, page.position)


def told(change: Change) -> tuple[str, str, object, object]:
    assert change.page is not None
    before, after = (
        None if each is None else (each.title, each.path, each.parent, each.position)
        for each in (change.before, change.after)
    )
    return change.type, change.page.id, before, after


@pytest.mark.long
@settings(max_examples=200)
@given(first=STEPS, second=STEPS)
def test_pages_that_differ_tell_as_much_as_all_pages(first: list[Step], second: list[Step]) -> None:
    world = World()
    space = world.space("Handbook", dict.fromkeys(PATHS, "text\n"))
    ids = [world.page_id(space, path) for path in PATHS]
    for steps in (first, second):
        key = world.change_request(space, edit=partial(do, ids, steps))
        row = world.row("change_request", key)
        want = world.store.read(partial(expected, row["revision_initial"], row["revision_id"]))
        for _ in range(2):  # computed, and from what was computed
            found = world.store.read(partial(changes_of, change_request=row))
            assert [told(change) for change in found] == want
    world.close()
