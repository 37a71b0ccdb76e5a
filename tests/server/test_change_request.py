"""Change requests over HTTP: lists, opening, changing, updating, merging, what they change."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.contract.models.change_request import ChangeRequest
from copydesk.domain.documents import markdown_to_document
from copydesk.server import change_requests, content, desk_writes
from copydesk.server.desk_writes import Editor
from copydesk.server.implementation import Call
from copydesk.server.queries.change_request import change_request_model
from copydesk.server.queries.written import MOST_CHARACTERS
from copydesk.server.store import Tx
from tests.world import BASE_URL, World

INTRO = "# Intro\n\nOne.\n\nTwo.\n\nThree.\n"


@pytest.fixture
def space(world: World) -> str:
    return world.space(
        "Handbook", {"intro": INTRO, "guides/install": "Install.\n", "guides/upgrade": "Up.\n"}
    )


def path(space: str, *more: object) -> str:
    return "/".join([f"/spaces/{space}/change-requests", *map(str, more)])


def rules(*kinds: dict[str, Any] | str) -> dict[str, Any]:
    listed = [{"rule": kind} if isinstance(kind, str) else kind for kind in kinds]
    return {"type": "rules", "rules": listed}


def counts(world: World, space: str) -> tuple[int, int, int]:
    row = world.row("space", space)
    return row["change_requests"], row["change_requests_open"], row["change_requests_draft"]


def text(world: World, space: str, page: str) -> str:
    def read(tx: Tx) -> str:
        revision = tx.value("SELECT revision_id FROM space WHERE id = ?", space)
        editor = Editor(tx, space, content.open_draft(tx, content.load(tx, revision)))
        return editor.read(editor.find(page))

    return world.store.read(read)


async def test_get_by_id_and_by_number_shows_every_field(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": "New.\n"}, subject="Say it again")
    async with world.client() as client:
        found = (await client.get(path(space, 1))).json()
        assert (await client.get(path(space, key))).json() == found
    row = world.row("change_request", key)
    created_by = found.pop("createdBy")
    assert created_by["displayName"] == "Ana Silva"
    assert found == {
        "object": "change-request",
        "id": key,
        "number": 1,
        "status": "open",
        "subject": "Say it again",
        "createdAt": "2026-03-02T09:00:05Z",
        "updatedAt": "2026-03-02T09:00:05Z",
        "space": space,
        "revision": row["revision_id"],
        "revisionInitial": world.row("space", space)["revision_id"],
        "comments": 0,
        "outdated": False,
        "urls": {
            "location": f"http://desk/v1{path(space, key)}",
            "app": f"http://desk/app/o/{world.home}/s/{space}/~/changes/1",
        },
    }


async def test_a_model_made_unchecked_is_the_one_that_checking_makes(
    world: World, space: str
) -> None:
    world.change_request(space, {"intro": "New.\n"})
    world.change_request(space, {"intro": "Newer.\n"}, subject="Not any more")
    document = {"object": "document", "data": {"schemaVersion": 1}, "nodes": []}
    async with world.client() as client:
        body = {"description": document, "status": "archived"}
        assert (await client.patch(path(space, 2), json=body)).is_success

    def models(tx: Tx) -> list[ChangeRequest]:
        call = Call(tx, world.ana, BASE_URL, 200)
        rows = tx.all("SELECT * FROM change_request")
        return [change_request_model(call, call.access.space(space), row) for row in rows]

    for made in world.store.read(models):
        checked = ChangeRequest.model_validate(made.model_dump(exclude_none=True))
        assert checked == made
        assert checked.to_json() == made.to_json()
        assert made.model_copy(update={"subject": "Other"}).subject == "Other"


@pytest.mark.parametrize("key", ["7", "nothing", "0", "9" * 400, "-1", "1.0", "١"])
async def test_an_unknown_id_or_number_is_a_404(world: World, space: str, key: str) -> None:
    world.change_request(space)
    async with world.client() as client:
        answer = await client.get(path(space, key))
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == 404


async def test_a_change_request_of_another_space_is_a_404(world: World, space: str) -> None:
    other = world.change_request(world.space("Other"))
    async with world.client() as client:
        assert (await client.get(path(space, other))).status_code == 404


async def test_create_opens_a_draft_on_current_content(world: World, space: str) -> None:
    lee = world.user("lee")
    async with world.client(lee) as client:
        answer = await client.post(path(space), json={"subject": "Mend the intro", "extra": 1})
        assert answer.status_code == 201
        made = answer.json()
        assert answer.headers["location"] == made["urls"]["location"]
        assert (await client.get(answer.headers["location"])).json() == made
    assert (made["status"], made["number"], made["subject"]) == ("draft", 1, "Mend the intro")
    assert made["revision"] == made["revisionInitial"] == world.row("space", space)["revision_id"]
    assert made["createdBy"]["id"] == lee
    assert counts(world, space) == (1, 0, 1)


@pytest.mark.parametrize(
    "body",
    [
        {"template": {"id": "release-notes"}},
        {"subject": "x" * 101},
        {"conversationsIssuesCluster": "nowhere"},
        [],
    ],
)
async def test_create_refuses_what_it_cannot_take(world: World, space: str, body: Any) -> None:
    async with world.client() as client:
        assert (await client.post(path(space), json=body)).status_code == 400
    assert counts(world, space) == (0, 0, 0)


async def test_create_needs_edit(world: World, space: str) -> None:
    async with world.client(world.user("rita", "review")) as client:
        answer = await client.post(path(space), json={})
    assert answer.status_code == 403
    assert "'edit'" in answer.json()["error"]["message"]


async def test_list_pages_through_open_ones_latest_first(world: World, space: str) -> None:
    made = [world.change_request(space, {f"p{n}": "x"}) for n in range(7)]
    world.write(lambda tx: change_requests.set_status(tx, made[3], "archived"))
    world.edit_change_request(made[0], {"intro": "Later.\n"})
    seen = []
    params: dict[str, Any] = {"limit": 2}
    async with world.client() as client:
        while True:
            listed = (await client.get(path(space), params=params)).json()
            assert listed["count"] == 6
            seen += [item["id"] for item in listed["items"]]
            if "next" not in listed:
                break
            params["page"] = listed["next"]["page"]
        archived = (await client.get(path(space), params={"status": "archived"})).json()
        assert [item["id"] for item in archived["items"]] == [made[3]]
        assert archived["count"] == 1
        assert (await client.get(path(space), params={"status": "all"})).status_code == 400
        assert (await client.get(path(space), params={"limit": 1001})).status_code == 400
        assert (await client.get(path(space), params={"page": "x"})).status_code == 400
    assert seen == [made[n] for n in (0, 6, 5, 4, 2, 1)]


async def test_list_filters(world: World, space: str) -> None:
    lee, mo = world.user("lee"), world.user("mo")
    by_lee = world.change_request(space, {"a": "a"}, by=lee)
    by_ana = world.change_request(space, {"b": "b"})
    world.edit_change_request(by_ana, {"c": "c"}, by=lee)
    async with world.client() as client:
        asked = await client.post(path(space, by_ana, "requested-reviewers"), json={"users": [mo]})
        assert asked.status_code == 200

        async def ids(**params: str) -> list[str]:
            in_space = (await client.get(path(space), params=params)).json()
            in_all = (await client.get(f"/orgs/{world.home}/change-requests", params=params)).json()
            assert in_space == in_all
            assert in_space["count"] == len(in_space["items"])
            return [item["id"] for item in in_space["items"]]

        assert await ids(creator=lee) == [by_lee]
        assert await ids(contributor=lee) == [by_ana, by_lee]
        assert await ids(contributor=world.ana) == [by_ana]
        assert await ids(requestedReviewer=mo) == [by_ana]
        assert await ids(requestedReviewer=lee) == []
        assert await ids(conversationsIssuesCluster="none") == []
        assert await ids(creator=lee, status="draft") == []


async def test_the_organization_list_leaves_out_what_the_caller_may_not_see(
    world: World, space: str
) -> None:
    seen = world.change_request(space)
    hidden = world.space("Board", default_level=None)
    world.change_request(hidden)
    gone = world.space("Gone")
    world.change_request(gone)
    world.write(lambda tx: tx.update("space", gone, deleted_at=tx.now))
    lee = world.user("lee")
    url = f"/orgs/{world.home}/change-requests"
    async with world.client(lee) as client:
        assert [item["id"] for item in (await client.get(url)).json()["items"]] == [seen]
        assert (await client.get(path(hidden))).status_code == 404
    async with world.client() as client:
        assert (await client.get(url)).json()["count"] == 2
    async with world.client(world.user("zoe", member=False)) as client:
        assert (await client.get(url)).status_code == 404


async def test_a_description_has_as_many_characters_as_a_comment(world: World, space: str) -> None:
    def described(count: int) -> dict[str, Any]:
        return {"subject": "S", "description": markdown_to_document("x" * count).to_dict()}

    long, most = described(MOST_CHARACTERS + 1), described(MOST_CHARACTERS - 1)
    async with world.client() as client:
        made = await client.post(f"/spaces/{space}/change-requests", json=most)
        assert made.is_success
        at = path(space, made.json()["id"])
        for answer in (
            await client.post(f"/spaces/{space}/change-requests", json=long),
            await client.patch(at, json={"description": long["description"]}),
            await client.put(
                f"/orgs/{world.home}/agent-instructions",
                json={"instructions": long["description"]},
            ),
        ):
            assert answer.status_code == 400
            assert "at most 100,000 fit" in answer.json()["error"]["message"]
        shown = (await client.get(at)).json()
        assert shown["description"]["nodes"] == most["description"]["nodes"]


async def test_update_changes_subject_description_and_status(world: World, space: str) -> None:
    key = world.change_request(space, status="draft")
    document = {
        "object": "document",
        "data": {"schemaVersion": 2},
        "nodes": [
            {
                "object": "block",
                "type": "paragraph",
                "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Why."}]}],
            }
        ],
    }
    async with world.client() as client:
        body = {"subject": "Better", "status": "open", "description": document}
        changed = (await client.patch(path(space, key), json=body)).json()
        assert (changed["subject"], changed["status"]) == ("Better", "open")
        assert changed["description"]["nodes"] == document["nodes"]
        assert counts(world, space) == (1, 1, 0)
        changed = (await client.patch(path(space, key), json={"status": "archived"})).json()
        assert (changed["subject"], changed["status"]) == ("Better", "archived")
        assert counts(world, space) == (1, 0, 0)
        changed = (await client.patch(path(space, key), json={"status": "draft"})).json()
        assert counts(world, space) == (1, 0, 1)
        for no_text in ({"markdown": "Why."}, {"object": "page", "nodes": []}):
            refused = await client.patch(path(space, key), json={"description": no_text})
            assert (refused.status_code, "body.description" in refused.text) == (400, True)
        changed = (await client.patch(path(space, key), json={"description": None})).json()
        assert "description" not in changed
        for wrong in ({"status": "merged"}, {"status": None}, {"subject": "x" * 101}, {"no": 1}):
            assert (await client.patch(path(space, key), json=wrong)).status_code == 400


async def test_who_may_change_a_change_request(world: World, space: str) -> None:
    key = world.change_request(space)
    async with world.client(world.user("rita", "review")) as client:
        answer = await client.patch(path(space, key), json={"subject": "Mine"})
        assert answer.status_code == 403
        assert (await client.post(path(space, key, "update"))).status_code == 403
        assert (await client.post(path(space, key, "merge"))).status_code == 403


async def test_merge_writes_a_revision_and_makes_the_others_outdated(
    world: World, space: str
) -> None:
    key = world.change_request(space, {"intro": INTRO.replace("One", "1"), "new/page": "N.\n"})
    other = world.change_request(space, {"guides/install": "Do.\n"})
    before = world.row("space", space)["revision_id"]
    async with world.client() as client:
        answer = await client.post(path(space, key, "merge"))
        assert answer.status_code == 200
        merged = answer.json()
        shown = (await client.get(path(space, key))).json()
        waiting = (await client.get(path(space, other))).json()
        again = await client.post(path(space, key, "merge"))
        reopened = await client.patch(path(space, key), json={"status": "open"})
    now = world.row("space", space)["revision_id"]
    assert merged == {"result": "merge", "revision": now}
    assert now != before
    assert (shown["status"], shown["revisionMerged"], shown["outdated"]) == ("merged", now, False)
    assert waiting["outdated"] is True
    assert again.status_code == reopened.status_code == 412
    assert "merged" in again.json()["error"]["message"]
    revision = world.row("revision", now)
    assert revision["type"] == "merge"
    assert text(world, space, "intro") == INTRO.replace("One", "1")
    assert text(world, space, "new/page") == "N.\n"
    assert counts(world, space) == (2, 1, 0)


async def test_changes_on_both_sides_of_a_page_merge(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": INTRO.replace("Three", "3")})
    world.commit(space, {"intro": INTRO.replace("One", "1"), "guides/upgrade": None})
    async with world.client() as client:
        assert (await client.post(path(space, key, "merge"))).json()["result"] == "merge"
    assert text(world, space, "intro") == INTRO.replace("One", "1").replace("Three", "3")


async def test_a_conflict_changes_nothing_and_says_where(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": INTRO.replace("Two", "Zwei")})
    now = world.commit(space, {"intro": INTRO.replace("Two", "Deux")})
    before = dict(world.row("change_request", key))
    page = {"id": world.page_id(space, "intro"), "title": "Intro", "path": "intro"}
    conflict = {
        "kind": "edited",
        "page": {**page, "type": "document"},
        "lines": [{"start": 5, "base": ["Two."], "primary": ["Deux."], "change": ["Zwei."]}],
    }
    async with world.client() as client:
        merged = await client.post(path(space, key, "merge"))
        updated = await client.post(path(space, key, "update"))
    assert merged.status_code == updated.status_code == 200
    assert merged.json() == {"result": "conflicts", "conflicts": [conflict]}
    assert updated.json() == {"result": "conflicts", "conflicts": [conflict]}
    assert dict(world.row("change_request", key)) == before
    assert world.row("space", space)["revision_id"] == now


@pytest.mark.parametrize(
    ("change", "primary", "kind"),
    [
        ("edit", "remove", "edited-deleted"),
        ("remove", "edit", "deleted-edited"),
        ("rename", "rename", "renamed"),
        ("move", "move", "moved"),
        ("file", "file", "added"),
    ],
)
async def test_every_kind_of_conflict(
    world: World, space: str, change: str, primary: str, kind: str
) -> None:
    def edit(what: str, side: str) -> desk_writes.Edit:
        def work(editor: Editor) -> None:
            page = editor.find("guides/install")
            if what == "edit":
                editor.write(page, side)
            elif what == "remove":
                editor.remove(page)
            elif what == "rename":
                editor.rename(page, side)
            elif what == "move":
                editor.move(page, None if side == "change" else editor.find("intro"))
            else:
                editor.file("a.png", side.encode())

        return work

    key = world.change_request(space, edit=edit(change, "change"))
    world.commit(space, edit=edit(primary, "primary"))
    async with world.client() as client:
        for action in ("merge", "update"):
            answer = (await client.post(path(space, key, action))).json()
            assert answer["result"] == "conflicts"
            assert [conflict["kind"] for conflict in answer["conflicts"]] == [kind]


async def test_an_update_takes_files_that_both_changed_from_the_side_that_is_told(
    world: World, space: str
) -> None:
    def put(side: bytes, *, gone: bool) -> desk_writes.Edit:
        def edit(editor: Editor) -> None:
            for name in ("a", "b", "c"):
                editor.file(f"{name}.png", side)
            editor.file(f"only-{side.decode()}.png", side)
            if gone:
                del editor.draft.files["c.png"]

        return edit

    world.commit(space, edit=put(b"old", gone=False))
    key = world.change_request(space, edit=put(b"mine", gone=False))
    world.commit(space, edit=put(b"theirs", gone=True))
    async with world.client() as client:
        listed = (await client.get(path(space, key, "content/files"))).json()["items"]
        ids = {file["name"]: file["id"] for file in listed}
        url = path(space, key, "update/files")
        for body, said in (
            ({}, "files"),
            ({"files": {}}, "at least 1"),
            ({"files": {ids["a.png"]: "mine"}}, "'change' or 'primary'"),
            ({"files": {ids["a.png"]: "change"}, "more": 1}, "more"),
            ({"files": {"none": "change"}}, "no side has the file 'none'"),
        ):
            answer = await client.post(url, json=body)
            assert answer.status_code == 400
            assert said in answer.json()["error"]["message"]
        some = await client.post(url, json={"files": {ids["a.png"]: "change"}})
        assert some.json()["result"] == "conflicts"
        told = {
            "a.png": "change",
            "b.png": "primary",
            "c.png": "primary",
            "only-mine.png": "primary",
        }
        taken = {ids[name]: side for name, side in told.items()}
        answer = (await client.post(url, json={"files": taken})).json()
        assert answer["result"] == "update"
        found = (await client.get(path(space, key, "content/files"))).json()["items"]
        merged = (await client.post(path(space, key, "merge"))).json()
    assert {file["name"]: file["size"] for file in found} == {
        "a.png": 4, "b.png": 6, "only-old.png": 3, "only-mine.png": 4, "only-theirs.png": 6,
    }  # fmt: skip
    assert merged["result"] == "merge"


async def test_update_pulls_primary_content_in(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": INTRO.replace("One", "1")})
    now = world.commit(space, {"guides/install": "Other.\n"})
    async with world.client() as client:
        assert (await client.get(path(space, key))).json()["outdated"] is True
        answer = (await client.post(path(space, key, "update"))).json()
        shown = (await client.get(path(space, key))).json()
        again = (await client.post(path(space, key, "update"))).json()
        changes = (await client.get(path(space, key, "changes"))).json()["changes"]
    assert answer == again == {"result": "update", "revision": shown["revision"]}
    assert shown["outdated"] is False
    assert shown["revisionMergedAncestor"] == now
    assert [change["page"]["path"] for change in changes] == ["intro"]
    assert world.row("revision", shown["revision"])["type"] == "update"


@pytest.mark.parametrize("status", ["draft", "archived"])
async def test_only_an_open_one_merges(world: World, space: str, status: str) -> None:
    key = world.change_request(space, {"intro": "x"}, status=status)
    async with world.client() as client:
        answer = await client.post(path(space, key, "merge"))
        updated = await client.post(path(space, key, "update"))
    assert answer.status_code == 412
    assert status in answer.json()["error"]["message"]
    assert updated.status_code == (200 if status == "draft" else 412)


async def test_a_rule_blocks_the_merge_and_says_who(world: World) -> None:
    lee = world.user("lee", display_name="Lee Ito")
    need = {"rule": "require_specific_reviewers", "users": [lee]}
    space = world.space("Ruled", {"intro": INTRO}, merge_rules=rules(need))
    key = world.change_request(space, {"intro": "x"})
    async with world.client() as client, world.client(lee) as reviewer:
        answer = await client.post(path(space, key, "merge"))
        assert answer.status_code == 412
        assert "Lee Ito" in answer.json()["error"]["message"]
        await reviewer.post(path(space, key, "reviews"), json={"status": "changes-requested"})
        assert (await client.post(path(space, key, "merge"))).status_code == 412
        await reviewer.post(path(space, key, "reviews"), json={"status": "approved"})
        assert (await client.post(path(space, key, "merge"))).json()["result"] == "merge"


async def test_an_author_does_not_review_for_themselves(world: World) -> None:
    space = world.space("Ruled", {"intro": "x"}, merge_rules=rules("require_at_least_one_review"))
    key = world.change_request(space, {"intro": "y"})
    async with world.client() as client:
        done = await client.post(path(space, key, "reviews"), json={"status": "approved"})
        assert done.status_code == 201
        refused = await client.post(path(space, key, "merge"))
        assert refused.status_code == 412
        assert "its author's own does not count" in refused.text


async def test_what_changes_nothing_is_not_merged(world: World, space: str) -> None:
    text = "The same on both sides.\n"
    key, other = (world.change_request(space, {"intro": text}) for _ in "ab")
    async with world.client() as client:
        assert (await client.post(path(space, key, "merge"))).status_code == 200
        before = world.row("space", space)["revision_id"]
        answer = await client.post(path(space, other, "merge"))
        assert answer.status_code == 409
        assert "nothing to merge" in answer.text
    assert world.row("space", space)["revision_id"] == before
    assert world.row("change_request", other)["status"] == "open"


async def test_rules_of_the_organization_are_inherited(world: World) -> None:
    strict = world.organization(
        "Strict", world.ana, merge_rules=rules("require_up_to_date_change_request")
    )
    space = world.space("Ruled", {"intro": "x"}, organization=strict)
    free = world.space("Free", {"intro": "x"}, organization=strict, merge_rules={"type": "none"})
    async with world.client() as client:
        for place, status in ((space, 412), (free, 200)):
            key = world.change_request(place, {"intro": "y"})
            world.commit(place, {"other": "z"})
            answer = await client.post(path(place, key, "merge"))
            assert answer.status_code == status
        await client.post(path(space, 1, "update"))
        assert (await client.post(path(space, 1, "merge"))).json()["result"] == "merge"


async def test_changes_of_every_kind(world: World, space: str) -> None:
    def edit(editor: Editor) -> None:
        editor.page("Brand new", "N", parent=editor.find("guides"))
        editor.write(editor.find("intro"), "Other.\n")
        editor.rename(editor.find("guides"), "How-to")
        editor.move(editor.find("guides/upgrade"), None)
        editor.remove(editor.find("guides/install"))
        editor.file("a.png", b"png")

    key = world.change_request(space, edit=edit)
    world.commit(space, {"unrelated": "x", "intro": "main"})
    async with world.client() as client:
        answer = (await client.get(path(space, key, "changes"))).json()
        first = (await client.get(path(space, key, "changes"), params={"limit": 2})).json()
        empty = world.change_request(space)
        assert (await client.get(path(space, empty, "changes"))).json() == {"changes": []}
    told = [
        (
            change["type"],
            (change.get("page") or change["file"])["path"],
            change.get("textChanged"),
        )
        for change in answer["changes"]
    ]
    assert told == [
        ("page_edited", "intro", True),
        ("page_edited", "guides", False),
        ("page_deleted", "guides/install", None),
        ("page_created", "guides/brand-new", None),
        ("page_moved", "upgrade", None),
        ("file_created", "a.png", None),
    ]
    moved = answer["changes"][4]
    assert moved["before"]["path"] == "guides/upgrade"
    assert (moved["after"]["path"], moved["after"]["position"]) == ("upgrade", 2)
    assert first == {"changes": answer["changes"][:2], "more": 4}


async def test_files_that_moved_changed_and_went(world: World) -> None:
    def begin(editor: Editor) -> None:
        editor.file("a.png", b"a")
        editor.file("b.png", b"b")
        editor.file("c.png", b"c")
        editor.file("SUMMARY.md", b"* [x](x.md)", kind="summary")

    def edit(editor: Editor) -> None:
        del editor.draft.files["a.png"]
        editor.file("z/a.png", b"a")
        editor.file("b.png", b"B")
        del editor.draft.files["c.png"]
        editor.file("SUMMARY.md", b"", kind="summary")

    home = world.home
    space = world.write(lambda tx: desk_writes.add_space(tx, home, "Files", begin))
    key = world.change_request(space, edit=edit)
    async with world.client() as client:
        changes = (await client.get(path(space, key, "changes"))).json()["changes"]
    assert [(change["type"], change["file"]["path"]) for change in changes] == [
        ("file_edited", "b.png"),
        ("file_moved", "z/a.png"),
        ("file_deleted", "c.png"),
    ]


async def test_the_changes_of_a_merged_one_stay(world: World, space: str) -> None:
    key = world.change_request(space, {"intro": "x"})
    async with world.client() as client:
        before = (await client.get(path(space, key, "changes"))).json()
        await client.post(path(space, key, "merge"))
        world.commit(space, {"intro": "y"})
        assert (await client.get(path(space, key, "changes"))).json() == before


def test_numbers_are_used_where_they_are_free(world: World, space: str) -> None:
    def numbers(*wanted: int | None) -> list[int]:
        keys = [world.change_request(space, number=number) for number in wanted]
        return [world.row("change_request", key)["number"] for key in keys]

    assert numbers(520, 7, 520, None) == [520, 7, 521, 522]
