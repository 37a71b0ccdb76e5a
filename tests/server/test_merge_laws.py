"""Laws of merging change requests, for whatever is edited on both sides.

A desk is built twice with the sides swapped; what one side's change request does to the other must
come out the same either way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx
from hypothesis import example, given, settings
from hypothesis import strategies as st

from copydesk.domain.text_merge import Clash, merge_text
from copydesk.server import content
from copydesk.server.content import Draft, PageData
from copydesk.server.content_merge import merge
from copydesk.server.desk_writes import Edit, Editor
from copydesk.server.store import Tx
from tests.world import World

LINES = ("one\n", "two\n", "three\n", "four\n", "five\n")
PATHS = ("a", "b", "c", "c/d")
MIRRORED = {"edited-deleted": "deleted-edited", "deleted-edited": "edited-deleted"}


class Step(NamedTuple):
    """One thing that an author does to a page of ``PATHS``; what cannot be done is left."""

    what: str
    page: int
    number: int


STEPS = st.builds(
    Step,
    st.sampled_from(["line", "line", "line", "append", "remove", "rename", "move", "file"]),
    st.integers(0, len(PATHS) - 1),
    st.integers(0, len(LINES) - 1),
)
EDITS = st.lists(STEPS, min_size=1, max_size=3)


def editing(steps: Sequence[Step], ids: Sequence[str], word: str) -> Edit:
    """Return an edit of the pages with these ids; ``word`` tells the two sides apart."""

    def edit(editor: Editor) -> None:
        for what, index, number in steps:
            page = ids[index]
            if what == "file":
                editor.file(f"{number}.bin", word.encode())
            if page not in editor.draft.pages:
                continue
            if what == "line":
                lines = editor.read(page).splitlines(keepends=True)
                lines[min(number, len(lines) - 1)] = f"{word}\n"
                editor.write(page, "".join(lines))
            elif what == "append":
                editor.write(page, editor.read(page) + f"{word} {number}\n")
            elif what == "remove":
                editor.remove(page)
            elif what == "rename":
                editor.rename(page, f"{word} {number}")
            elif what == "move":
                target = [None, *ids][number]
                inside = {page, *editor.draft.children.get(page, ())}
                if target not in inside and (target is None or target in editor.draft.pages):
                    editor.move(page, target)

    return edit


def tree(world: World, revision: str) -> dict[str, Any]:
    """Return what a revision holds, by page and by file; the order of siblings is left out."""

    def read(tx: Tx) -> dict[str, Any]:
        draft = content.open_draft(tx, content.load(tx, revision))
        above = {page: parent for parent, pages in draft.children.items() for page in pages}
        pages = {
            key: (page.title, page.slug, content.text(tx, page.text), above[key])
            for key, page in draft.pages.items()
        }
        return pages | {path: file.blob for path, file in draft.files.items()}

    return world.store.read(read)


class Bench:
    """A space with a change request, and with what has come into primary content since."""

    def __init__(self, world: World, change: Sequence[Step], primary: Sequence[Step]) -> None:
        self.world = world
        self.space = world.space("Handbook", dict.fromkeys(PATHS, "".join(LINES)))
        self.ids = [world.page_id(self.space, path) for path in PATHS]
        self.base = self.primary()
        edit = editing(change, self.ids, "left")
        self.change_request = world.change_request(self.space, edit=edit)
        self.twin = world.change_request(self.space, edit=edit)
        world.commit(self.space, edit=editing(primary, self.ids, "right"))

    def primary(self) -> dict[str, Any]:
        return tree(self.world, self.world.row("space", self.space)["revision_id"])

    def head(self) -> dict[str, Any]:
        row = self.world.row("change_request", self.change_request)
        return tree(self.world, row["revision_id"])

    async def post(self, client: httpx.AsyncClient, action: str, twin: bool = False) -> Any:
        key = self.twin if twin else self.change_request
        before = self.primary()
        answer = await client.post(f"/spaces/{self.space}/change-requests/{key}/{action}")
        if (action, answer.status_code) == ("merge", 409):
            assert self.primary() == before
            return {"result": "merge", "changed": False}
        assert answer.status_code == 200
        return answer.json()


@contextmanager
def bench(change: Sequence[Step], primary: Sequence[Step]) -> Iterator[Bench]:
    world = World()
    try:
        yield Bench(world, change, primary)
    finally:
        world.close()


@settings(max_examples=8, deadline=None)
@given(EDITS, EDITS)
async def test_a_merge_takes_both_sides_or_changes_nothing(
    change: list[Step], primary: list[Step]
) -> None:
    with bench(change, primary) as made:
        base, theirs, ours = made.base, made.head(), made.primary()
        async with made.world.client() as client:
            answer = await made.post(client, "merge")
            now = made.primary()
            if answer["result"] == "conflicts":
                assert answer["conflicts"]
                assert now == ours
                # What clashes on the way in clashes on the way out, in the same words.
                assert await made.post(client, "update") == answer
                assert made.head() == theirs
                return
            for key in {*base, *ours, *theirs}:
                mine, yours, before = (side.get(key) for side in (ours, theirs, base))
                if yours == before:
                    assert now.get(key) == mine
                elif mine in (before, yours):
                    assert now.get(key) == yours
                else:
                    assert now[key] is not None
            # The same change once more changes nothing, whether updated before or not.
            assert (await made.post(client, "update", twin=True))["result"] == "update"
            listed = f"/spaces/{made.space}/change-requests/{made.twin}"
            assert (await client.get(f"{listed}/changes")).json()["changes"] == []
            again = await made.post(client, "merge", twin=True)
            assert again == {"result": "merge", "changed": False}
            assert made.primary() == now


@settings(max_examples=8, deadline=None)
@given(EDITS, EDITS)
async def test_updating_first_comes_to_the_same(change: list[Step], primary: list[Step]) -> None:
    with bench(change, primary) as made:
        async with made.world.client() as client:
            updated = await made.post(client, "update")
            if updated["result"] == "conflicts":
                return
            through = made.head()
            assert (await made.post(client, "update"))["revision"] == updated["revision"]
            assert (await made.post(client, "merge"))["result"] == "merge"
            assert made.primary() == through
    with bench(change, primary) as made:
        async with made.world.client() as client:
            assert (await made.post(client, "merge"))["result"] == "merge"
        assert made.primary() == through


@settings(max_examples=8, deadline=None)
@given(EDITS, EDITS)
@example([Step("move", 0, 3)], [Step("move", 2, 1)])
@example([Step("move", 1, 3)], [Step("remove", 2, 0), Step("move", 1, 1)])
async def test_the_sides_may_be_swapped(change: list[Step], primary: list[Step]) -> None:
    found: list[tuple[Any, dict[str, Any]]] = []
    for sides in ((change, primary), (primary, change)):
        with bench(*sides) as made:
            async with made.world.client() as client:
                answer = await made.post(client, "merge")
            found.append((answer, made.primary()))
    (one, _), (two, _) = found
    assert one["result"] == two["result"]
    if one["result"] == "conflicts":
        assert kinds(one) == {
            (MIRRORED.get(kind, kind), what, _swapped(lines)) for kind, what, lines in kinds(two)
        }


async def test_two_changes_that_add_a_page_at_one_address_clash() -> None:
    def setup(editor: Editor) -> None:
        editor.page("Setup", "How to.\n")

    world = World()
    space = world.space("Handbook", {"a": "One.\n"})
    first, second = (world.change_request(space, edit=setup) for _ in range(2))
    where = f"/spaces/{space}/change-requests"
    added = world.page_id(space, "setup", change_request=second)
    async with world.client() as client:
        assert (await client.post(f"{where}/{first}/merge")).json()["result"] == "merge"
        for action in ("merge", "update"):
            answer = (await client.post(f"{where}/{second}/{action}")).json()
            (conflict,) = answer["conflicts"]
            assert answer["result"] == "conflicts"
            assert (conflict["kind"], conflict["page"]["id"]) == ("added", added)
        world.edit_change_request(second, edit=lambda editor: editor.rename(added, "Set up", "up"))
        assert (await client.post(f"{where}/{second}/merge")).json()["result"] == "merge"
    world.close()


def kinds(answer: Any) -> set[tuple[str, str, tuple[tuple[Any, ...], ...]]]:
    """Return each conflict as its kind, what it is about, and the lines of base and both sides."""
    return {
        (
            conflict["kind"],
            conflict["page"]["id"] if "page" in conflict else conflict["file"]["path"],
            tuple(
                (tuple(lines["base"]), tuple(lines["primary"]), tuple(lines["change"]))
                for lines in conflict.get("lines", ())
            ),
        )
        for conflict in answer["conflicts"]
    }


WORDS = {"left": "right", "right": "left"}


def _swapped(lines: tuple[tuple[Any, ...], ...]) -> tuple[tuple[Any, ...], ...]:
    """Return lines as the other side of a swapped desk has them: its words are the other ones."""

    def other(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(" ".join(WORDS.get(word, word) for word in text.split(" ")) for text in texts)

    return tuple((base, other(change), other(primary)) for base, primary, change in lines)


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "end", "\u2028\n"]), max_size=8).map(
    "".join
)


@settings(max_examples=150)
@given(TEXTS, TEXTS, TEXTS)
def test_laws_of_lines(base: str, ours: str, theirs: str) -> None:
    assert merge_text(base, base, theirs) == (theirs, ())
    assert merge_text(base, ours, base) == (ours, ())
    assert merge_text(base, ours, ours) == (ours, ())
    merged, clashes = merge_text(base, ours, theirs)
    swapped, mirrored = merge_text(base, theirs, ours)
    assert [_mirror(clash) for clash in mirrored] == list(clashes)
    assert swapped == merged
    if not clashes:
        # What came in once does not come in again.
        assert merge_text(theirs, merged, theirs) == (merged, ())
        assert merge_text(ours, merged, ours) == (merged, ())


def _mirror(clash: Clash) -> Clash:
    return Clash(clash.base, clash.theirs, clash.ours, clash.theirs_start, clash.ours_start)


PAGES = ("a", "b", "c", "d")
ADDED = st.lists(st.tuples(st.sampled_from("vwxyz"), st.integers(0, 6)), max_size=3)


def laid_out(order: Sequence[str], added: Sequence[tuple[str, int]]) -> Draft:
    """Return pages side by side, with some more put in at some places."""
    keys = list(order)
    for key, place in added:
        if key not in keys:
            keys.insert(place, key)
    made = Draft()
    made.children[None] = []
    for key in keys:
        made.add(PageData(id=key, title=key, slug=key, text=None), None)
    return made


@settings(max_examples=60)
@given(st.permutations(PAGES), st.permutations(PAGES), ADDED, ADDED)
def test_an_order_is_kept_by_who_leaves_it_and_made_by_who_changes_it(
    before: list[str],
    after: list[str],
    mine: list[tuple[str, int]],
    yours: list[tuple[str, int]],
) -> None:
    base = laid_out(before, ())
    kept, made = laid_out(before, mine), laid_out(after, yours)
    for ours, theirs in ((kept, made), (made, kept)):
        merged = merge(base, ours, theirs, read_text=str, write_text=str)
        assert merged.conflicts == ()
        order = merged.draft.children[None]
        assert sorted(order) == sorted({*kept.pages, *made.pages})
        assert [key for key in order if key in PAGES] == after
