"""``copydesk cr``: change requests from scripts."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from copydesk.cli.connection import Connection
from copydesk.cli.cr_diff import told_patches
from copydesk.cli.cr_threads import deliver
from copydesk.cli.errors import FAILED, UsageError
from copydesk.cli.lookup import Wanted, find_request
from copydesk.cli.writes import CommandWrites
from copydesk.client.api import Api
from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.settlement import Settling
from copydesk.domain.snooze import Snooze
from copydesk.domain.sure import sure
from copydesk.local.journal import Journal, Notes
from copydesk.local.marks import DeskMarks, DeskSnoozes
from copydesk.local.paths import find_paths
from copydesk.local.runs import Settlings
from copydesk.local.state import State
from copydesk.present.page_changes import entries, in_order
from copydesk.server.desk_writes import Editor
from copydesk.session.reads.review import read_request
from copydesk.session.reads.spaces import read_me
from copydesk.session.writes.comments import PendingDraft, sending
from tests.cli.script_desk import HOSTILE, Losing, Screen, ScriptDesk, Typed
from tests.faulty import Asked, Fault, Line, Said, always, only
from tests.tui.review_world import Faults
from tests.world import BASE_URL

RULE = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}


def test_lists_are_those_of_the_screens(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, space = scripts.world, scripts.space
    lee = world.user("lee", display_name="Lee Park")
    ruled = world.space("Ruled", {"intro": "One."}, merge_rules=RULE)
    mine = world.change_request(space, {"retries": "Mine."}, subject="Mine " + "long " * 12)
    world.change_request(space, {"retries": "Lee's."}, subject=HOSTILE, by=lee)
    world.change_request(ruled, {"intro": "Two."}, subject="Asks me", by=lee)
    world.comment(space, "And this?", by=lee, change_request=mine)
    world.change_request(space, {"retries": "D"}, subject="Not yet", status="draft")

    def subjects(*arguments: str) -> list[str]:
        return [each["subject"].split()[0] for each in scripts.json("cr", "list", *arguments)]

    assert set(subjects()) == {"Asks", "Mine", "\u202eevil\u202c"}
    assert subjects("--status", "draft") == ["Not"]
    assert subjects("--space", "api-reference", "--filter", "author:lee") == ["\u202eevil\u202c"]
    assert subjects("--view", "Needs me") == ["Mine"]
    assert set(subjects("--view", "mine")) == {"Mine", "Not"}
    assert set(subjects("--view", "ready to merge")) == {"Mine", "\u202eevil\u202c"}
    # What sleeps is in no view, and that is said.
    here = State(find_paths().make().store), f"desk:{scripts.path}"
    held = DeskSnoozes(*here)
    held.put(mine, Snooze(datetime.fromisoformat(world.row("change_request", mine)["updated_at"])))
    assert subjects("--view", "needs-me") == []
    assert "1 change request snoozed" in scripts.err("cr", "list", "--view", "needs-me", status=0)
    DeskMarks(*here).put(mine, {"labels": "urgent docs", "starred": "yes"})
    assert subjects("--filter", "label:urgent") == subjects("--filter", "is:starred") == ["Mine"]
    # A table is whole in a pipe, cut on a terminal, and clean in both.
    table = scripts.out("cr", "list")
    assert "Mine " + "long " * 11 + "long  API reference  Ana Silva" in table
    assert "evil end" in table
    screen = Screen()
    with monkeypatch.context() as terminal:
        terminal.setenv("COLUMNS", "72")
        terminal.setattr(sys, "stdout", screen)
        assert scripts.run("cr", "list") == 0
    lines = screen.text().splitlines()
    assert max(map(len, lines)) <= 72
    assert any("long …  API referen…" in line for line in lines)
    assert not set("\u202e\u202c\x1b\x07") & set(table + screen.text())
    assert "no view Nope. There are: Needs me" in scripts.err(
        "cr", "list", "--view", "Nope", status=2
    )
    assert "no authr: here" in scripts.err("cr", "list", "--filter", "authr:lee", status=2)
    assert "None matches the filter.\n" in scripts.err("cr", "list", "--filter", "zzz", status=0)
    assert "--organization" in scripts.err("cr", "list", "--organization", "X", status=1)
    # The screens list those of one organization: where there are more, each is named.
    assert "ORGANIZATION" not in table
    second = world.organization("Second", admin=world.ana)
    away = world.space("Away", {"intro": "One."}, organization=second)
    world.change_request(away, {"intro": "Two."}, subject="Elsewhere", by=world.ana)
    table = scripts.out("cr", "list")
    assert table.splitlines()[0].split()[:4] == ["NUMBER", "SUBJECT", "SPACE", "ORGANIZATION"]
    assert "Elsewhere" in table
    assert "Away           Second" in table
    assert "ORGANIZATION" not in scripts.out("cr", "list", "--organization", "Second")


def test_where_nothing_is_open_drafts_are_named(scripts: ScriptDesk) -> None:
    scripts.world.change_request(scripts.space, {"a": "D"}, subject="Not yet", status="draft")
    assert scripts.run("cr", "list") == 0
    _, said = scripts.said()
    assert "Nothing is open.\ncopydesk cr list --status draft lists drafts.\n" in said
    assert scripts.run("cr", "list", "--status", "merged") == 0
    assert "drafts" not in scripts.said()[1]


def test_after_a_merge_only_what_touches_the_same_pages_may_conflict(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    world.commit(space, {"other": "# Other\n\nOne.\n"})
    for pages in ({"retries": "A.\n"}, {"other": "B.\n"}, {"retries": "C.\n"}):
        world.change_request(space, pages)
    scripts.out("cr", "merge", "1", "--yes")
    apart, both = scripts.out("cr", "show", "2"), scripts.out("cr", "show", "3")
    assert "READY TO MERGE   no rules here   ^ out of date, but main changed none of its" in apart
    assert "READY?   ^ out of date, may conflict in Retries" in both
    assert "changed on both sides" not in scripts.err("cr", "merge", "2", status=2)
    scripts.out("cr", "merge", "2", "--yes")


def test_one_is_found_by_number_id_address_and_space(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    request = world.change_request(
        space, {"retries": "# Retries\n\nWe try **five** times."}, subject="More retries"
    )
    address = f"https://app.example.com/o/{world.home}/s/{space}/~/changes/1/retries"
    for named in (["#1"], [request], [address]):
        assert scripts.json("cr", "show", *named)["id"] == request
    shown = scripts.out("cr", "show", "1")
    for said in (
        "#1 More retries",
        "API reference (Acme)",
        "READY TO MERGE",
        "1 edited",
        "Retries",
    ):
        assert said in shown
    value = scripts.json("cr", "show", "1")
    (page,) = value["pages"]
    nothing = dict.fromkeys(("was", "above", "out", "file"), "")
    assert page == {"title": "Retries", "kinds": ["edited"], **nothing}
    other = world.space("API Reference", {"intro": "x"})
    world.change_request(other, {"intro": "y"})
    said = scripts.err("cr", "show", "1", status=2)
    assert "#1 is in more than one space: " in said
    assert f"API reference ({space}; Acme)" in said
    said = scripts.err("cr", "show", "1", "--space", "api reference", status=2)
    assert "several spaces have the name api reference: " in said
    assert scripts.json("cr", "show", "1", "--space", other)["space"] == other
    # An address wins over nothing: what is named beside it has to be where it is.
    assert scripts.json("cr", "show", address, "--space", space)["id"] == request
    for command in (["show", address], ["merge", address, "--yes"], ["comment", address, "x"]):
        said = scripts.err("cr", *command, "--space", other, status=2)
        assert f"the address is of API reference ({space}; Acme), and --space names" in said
    elsewhere = world.organization("Lantern", world.ana)
    said = scripts.err("cr", "show", address.replace(world.home, elsewhere), status=2)
    assert "the address names another organization than that of API reference" in said
    for number in range(7):
        world.space(f"Z {number}")
    world.space("Platform guide")
    said = scripts.err("cr", "show", "1", "--space", "platform", status=1)
    assert "no space has the name platform. There are: Platform guide (" in said
    assert "is empty" in scripts.err("cr", "show", "1", "--space", "", status=2)
    assert "change request #9" in scripts.err("cr", "show", "9", status=1)
    scripts.err("cr", "show", "9", "--space", space, status=1)
    assert "not an address of a change request" in scripts.err(
        "cr", "show", "https://x/y", status=2
    )


def test_what_it_changes_is_printed_by_word_and_as_a_patch(
    scripts: ScriptDesk, tmp_path: Path
) -> None:
    world, space = scripts.world, scripts.space
    world.commit(space, {"old": "Gone soon.\n", "notes": "Same.\n"})

    def edit(editor: Editor) -> None:
        page = editor.find("retries")
        editor.write(page, "# Retries\n\nWe try five times.\n\nThen we stop. \x1b[2J")
        editor.page("Dead letters", "They wait.\n", slug="dead-letters", parent=page)
        editor.remove(editor.find("old"))
        editor.rename(editor.find("notes"), "Notes", "remarks")

    world.change_request(space, edit=edit)
    words = scripts.out("cr", "diff", "1")
    assert "- We try [-three-] times." in words
    assert "+ We try {+five+} times." in words
    assert "+ Retries / Dead letters\n  -- New page.\n+ They wait." in words
    assert "- Old\n" in words
    assert "\x1b" not in words
    patch = scripts.out("cr", "diff", "1", "--patch")
    assert "-We try three times.\n+We try five times.\n" in patch
    assert "rename from notes.md\nrename to remarks.md\n" in patch
    value = scripts.json("cr", "diff", "1")
    assert "".join(each["patch"] for each in value) == patch
    assert {tuple(each["kinds"]) for each in value} >= {("added",), ("deleted",), ("edited",)}
    beside = {each["path"]: each["kinds"] for each in value if "id" not in each}
    assert beside == {"SUMMARY.md": ["edited"]}
    folder, wanted = tmp_path / "before", tmp_path / "after"
    scripts.out("desk", "export", "API reference", str(folder))
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "p").write_text(patch)
    subprocess.run([git, "apply", "../p"], cwd=folder, check=True, timeout=60)
    assert scripts.run("cr", "merge", "1", "--yes") == 0
    scripts.out("desk", "export", "API reference", str(wanted))
    assert everything_in(folder) == everything_in(wanted)
    assert scripts.out("cr", "diff", "1", "--patch") == patch, "merged, it is what it was"
    assert "+ We try {+five+}" in scripts.out("cr", "diff", "1")


def test_files_that_are_no_page_now_are_in_a_diff_with_what_happens_to_them(
    scripts: ScriptDesk,
) -> None:
    world = scripts.world
    space = world.space("Swaps", {"a": "First.\n", "b": "Second.\n", "c": "Third.\n"})

    def edit(editor: Editor) -> None:
        first, second = editor.find("a"), editor.find("b")
        editor.page("New", "New.\n", parent=editor.find("c"))
        editor.rename(second, "B", "d")
        editor.rename(first, "A", "b")

    world.change_request(space, edit=edit)
    value = scripts.json("cr", "diff", "1", "--space", "swaps")
    beside = {each["path"]: each["kinds"] for each in value if "id" not in each}
    assert beside == {"SUMMARY.md": ["edited"], "a.md": ["deleted"], "c/README.md": ["moved"]}
    patch = scripts.out("cr", "diff", "1", "--space", "swaps", "--patch")
    assert "".join(each["patch"] for each in value) == patch
    assert re.search(r"deleted file mode 100644\nindex \w{40}\.\.0{40}\n--- a/a\.md\n", patch)


@pytest.mark.parametrize("tells", [True, False])
async def test_what_main_wrote_since_is_in_no_patch(scripts: ScriptDesk, tells: bool) -> None:
    world, space = scripts.world, scripts.space
    was = "# Retries\n\nWe try three times.\n\nThen we stop.\n"
    request = world.change_request(space, {"retries": was.replace("three", "five")})
    world.commit(space, {"retries": was.replace("stop", "rest"), "other": "Other.\n"})
    way = Faults(world, bare=not tells)
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:
        opened = await read_request(api, space, request)
        changes = in_order(entries(opened.pages, opened.changes))
        if not tells:
            with pytest.raises(UsageError, match="does not tell what they said before"):
                await told_patches(api, opened, changes)
            return
        patches = await told_patches(api, opened, changes)
    (patch,) = (text for _, text in patches if text)
    assert b"-We try three times.\n+We try five times.\n" in patch
    assert b"rest" not in patch


def everything_in(folder: Path) -> dict[str, bytes]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


def test_names_of_files_in_a_patch_cannot_end_a_line() -> None:
    patch = b"".join(file_patch(Side("", None), Side('a b"\n+++ b/etc', b"x"))).decode()
    assert patch == (
        'diff --git "a/a b\\"\\012+++ b/etc" "b/a b\\"\\012+++ b/etc"\nnew file mode 100644\n'
        f"index {'0' * 40}..c1b0730e0133447badcfd47fd144e254807b06e1\n"
        '--- /dev/null\n+++ "b/a b\\"\\012+++ b/etc"\t\n@@ -0,0 +1,1 @@\n+x\n'
        "\\ No newline at end of file\n"
    )


def test_merging_asks_and_says_what_is_in_the_way(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, space = scripts.world, scripts.space
    request = world.change_request(space, {"retries": "Once."}, subject="Once")
    assert "add --yes" in scripts.err("cr", "merge", "1", status=2)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    scripts.out("cr", "merge", "1", status=1)
    monkeypatch.setattr(sys, "stdin", Typed("", terminal=True))  # ctrl+d
    assert scripts.run("cr", "merge", "1") == 1
    assert scripts.said()[1].endswith("y/N \ncopydesk: nothing was merged.\n")
    assert world.row("change_request", request)["status"] == "open"
    monkeypatch.setattr(sys, "stdin", Typed("y\n", terminal=True))
    assert "#1 is merged into API reference." in scripts.out("cr", "merge", "1")
    assert scripts.log() == [("Merge", "done")]
    assert scripts.run("cr", "merge", "1", "--yes") == 4
    assert "Only an open change request can be merged" in scripts.said()[1]
    # Both sides wrote the same line.
    monkeypatch.setattr(sys, "stdin", Typed())
    world.change_request(space, {"retries": "Twice."})
    world.commit(space, {"retries": "Thrice."})
    clash = scripts.json("cr", "merge", "2", "--yes", status=4)
    assert clash["result"] == "conflicts"
    assert clash["conflicts"][0]["page"]["title"] == "Retries"
    # A rule that is not met, and a right that is missing.
    ruled = world.space("Ruled", {"intro": "One."}, merge_rules=RULE)
    world.change_request(ruled, {"intro": "Two."}, by=world.user("lee"))
    scripts.said()
    assert scripts.run("cr", "merge", "1", "--space", "ruled", "--yes") == 4
    out, err = scripts.said()
    assert "needs an approving review" in out
    assert "nothing was merged: " in err
    scripts.sign_in(world.user("guest", "comment"))
    assert scripts.run("cr", "merge", "2", "--space", space, "--yes") == 3
    assert "You may not merge in API reference" in scripts.said()[1]
    assert scripts.log() == [("Merge", "done"), ("Merge", "failed")]


async def test_a_comment_is_never_there_twice(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    key = world.change_request(space, {"retries": "Once."})

    def texts() -> list[str]:
        rows = world.store.read(
            lambda tx: tx.all("SELECT body FROM comment WHERE change_request_id = ?", key)
        )
        return sorted(row["body"] for row in rows)

    async def send(api: Api, text: str) -> bool:
        connection = Connection(f"desk:{scripts.path}", "desk", lambda: api)
        world.clock.now = datetime.now(UTC)
        async with world.api() as reader:
            found, there = await find_request(reader, Wanted("1", space))
        async with api, CommandWrites(connection, api) as writes:
            draft = PendingDraft(there.id, found.id, "request", "comment", text)
            return (await deliver(api, writes, (found, there), draft, await read_me(api)))[0]

    # The answer is lost: it is looked for, and found.
    assert await send(Losing.api(world), "First") is False
    # Nothing can be read after it: whether it arrived is not known, until the next try finds it.
    with pytest.raises(UsageError, match="look before sending it again") as error:
        await send(Losing.api(world, gone=True), "Second")
    assert error.value.status == FAILED, "a script does not send it again by itself"
    assert await send(world.api(), "Second") is True
    assert texts() == ["First", "Second"]
    # The same words once more, meant so.
    assert await send(world.api(), "Second") is False
    assert texts() == ["First", "Second", "Second"]
    # The service fails, and what is read then tells that nothing came of it.
    with pytest.raises(UsageError) as error:
        await send(Losing.api(world, busy=True), "Third")
    assert str(error.value) == "this was not done: The service failed: busy."
    assert texts() == ["First", "Second", "Second"]


@pytest.mark.parametrize("arrived", [False, True])
async def test_a_comment_that_another_copydesk_is_sending_is_not_sent_beside_it(
    scripts: ScriptDesk, *, arrived: bool
) -> None:
    world, space = scripts.world, scripts.space
    key = world.change_request(space, {"retries": "Once."})
    world.clock.now = datetime.now(UTC)
    connection = Connection(f"desk:{scripts.path}", "desk", world.api)
    other = Journal(State(find_paths().store), connection.key)
    other.opened()
    async with world.api() as api:
        found, there = await find_request(api, Wanted("1", space))
        draft = PendingDraft(there.id, found.id, "request", "comment", "Once more")
        me = await read_me(api)
        trace = sure(sending(draft, "#1", me).trace)
        notes = Notes(trace=replace(trace, says=draft.text).to_dict())
        begun = other.begin("Comment", "#1", notes)
        if arrived:  # but its answer did not yet
            world.comment(space, draft.text, change_request=key)
        async with CommandWrites(connection, api) as writes:
            sent = deliver(api, writes, (found, there), draft, me)
            if arrived:
                assert (await sent)[0] is True
            else:
                with pytest.raises(UsageError, match="another copydesk is sending") as error:
                    await sent
                assert error.value.status == FAILED
        assert other.entries() == [begun], "how that ends is for the other to note"
    count = world.store.read(lambda tx: tx.value("SELECT count(*) FROM comment"))
    assert count == int(arrived)


def test_a_comment_comes_from_the_line_or_from_a_pipe(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, space = scripts.world, scripts.space
    world.change_request(space, {"retries": "Once."})
    assert scripts.json("cr", "comment", "1", "Thanks")["body"]["markdown"] == "Thanks"
    monkeypatch.setattr(sys, "stdin", Typed("From a *pipe*\n"))
    assert "Commented on #1 in API reference." in scripts.out("cr", "comment", "1", "-")
    assert "has no words" in scripts.err("cr", "comment", "1", " ", status=2)
    assert scripts.log() == [("Comment", "done")] * 2
    assert scripts.json("cr", "list")[0]["comments"] == 2


def test_nothing_is_sent_that_cannot_be_noted_first(scripts: ScriptDesk, tmp_path: Path) -> None:
    scripts.world.change_request(scripts.space, {"a": "One."})
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "state").touch()  # no folder, and no room for one
    said = scripts.err("cr", "comment", "1", "Late.", status=1)
    assert "nothing was sent: it cannot be noted on disk first (" in said
    assert f"{tmp_path}/home/state/state.db" in said
    (tmp_path / "home" / "state").unlink()
    assert scripts.json("cr", "threads", "1") == []


def test_of_a_page_whose_text_stays_only_the_facts_are_printed(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space

    def edit(editor: Editor) -> None:
        editor.rename(editor.find("retries"), "Tries", "tries")

    world.change_request(space, edit=edit)
    assert scripts.out("cr", "diff", "1").splitlines() == [
        "~ Tries",
        "  -- renamed: was “Retries”, now “Tries”",
        "  -- address: was “retries”, now “tries”",
        "  -- The text itself is the same: 0 words changed.",
        "  … 3 unchanged blocks",
    ]


def test_threads_are_counted_as_the_review_counts_them(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    lee = world.user("lee", display_name="Lee Park")
    request = world.change_request(space, {"retries": "Once."}, by=lee)
    world.comment(space, "And this?", by=lee, change_request=request)
    said = ("-f", "status=approved", "-f", "comment[markdown]=Good.")
    scripts.out("api", "POST", f"/spaces/{space}/change-requests/{request}/reviews", *said)
    assert world.row("change_request", request)["comments"] == 2
    assert "1 open" in scripts.out("cr", "show", "1")
    approved = world.change_request(space, {"retries": "Twice."}, by=lee)
    scripts.out("api", "POST", f"/spaces/{space}/change-requests/{approved}/reviews", *said)
    assert world.row("change_request", approved)["comments"] == 1
    assert "none open" in scripts.out("cr", "show", "2")
    lines = scripts.out("cr", "list").splitlines()
    counts = {line.split()[0]: line.split()[-1] for line in lines}
    assert counts == {"NUMBER": "THREADS", "#1": "1", "#2": "0"}


def test_a_merge_is_taken_back_with_its_reason(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    world.change_request(space, {"retries": "# Retries\n\nOnce.\n"}, subject="Retries")
    assert "#1 is not merged" in scripts.err("cr", "revert", "1", "--why", "No.", status=1)
    scripts.out("cr", "edit", "1", "--status", "draft")
    scripts.run("cr", "merge", "1", "--yes")
    assert "this one is draft. copydesk cr edit 1 --status open opens it." in scripts.said()[1]
    scripts.out("cr", "edit", "1", "--status", "open")
    scripts.out("cr", "merge", "1", "--yes")
    (request,) = [each["id"] for each in scripts.json("cr", "list", "--status", "merged")]
    merged = world.row("change_request", request)["revision_merged"]
    world.write(lambda tx: tx.run("UPDATE change_request SET revision_merged = NULL"))
    told = scripts.err("cr", "revert", "1", "--why", "No.", status=1)
    assert "This service shows no revisions: undo it in the app." in told
    world.write(lambda tx: tx.run("UPDATE change_request SET revision_merged = ?", merged))
    assert scripts.out("cr", "revert", "1", "--why", "It was wrong.").splitlines() == [
        "Began #2: Revert #1 Retries",
        "1 page: 1 edited back.",
    ]
    assert {("Start", "done"), ("Settle", "done")} <= set(scripts.log())
    made = scripts.json("cr", "list", "--status", "draft")[0]
    assert made["number"] == 2
    world.commit(space, {"retries": "# Retries\n\nTwice.\n"})
    told = scripts.out("cr", "revert", "1", "--why", "Again.", status=4)
    assert "Retries was edited since: you settle it next." in told
    assert "#2 reverts it already: this begins another one." in told
    assert "#3 changes nothing until U in its review settles them." in told


def test_nothing_is_merged_whose_settling_was_cut_off(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    request = world.change_request(space, {"retries": "# Retries\n\nOnce.\n"})
    kept = Settling(
        f"{space} {request}", 0, space, request, "b", "m", "h", state="sending"
    )  # fmt: skip
    store = State(find_paths().store)
    Settlings(store, f"desk:{scripts.path}").save(kept)
    said = "nothing was merged: settling #1 was cut off. U in its review resumes it."
    scripts.said()
    assert scripts.run("cr", "merge", "1", "--yes") == 4
    assert said in scripts.said()[1]
    assert world.row("change_request", request)["status"] == "open"
    Settlings(store, f"desk:{scripts.path}").save(replace(kept, state="sent"))
    assert scripts.run("cr", "merge", "1", "--yes") == 0
    store.close()


@pytest.mark.parametrize("options", [(), ("--patch",)])
def test_pages_of_a_diff_are_read_beside_each_other_and_printed_in_order(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    world = scripts.world
    world.commit(scripts.space, {"limits": "# Limits\n\nNone.\n"})
    texts = {"retries": "# Retries\n\nNine.\n", "limits": "# Limits\n\nNine.\n"}
    world.change_request(scripts.space, texts)
    met = asyncio.Barrier(4)

    async def give(line: Line, said: Said, asked: Asked) -> None:
        async with asyncio.timeout(20):
            await met.wait()
        await line.answer(said)

    with scripts.served("all", monkeypatch) as server:
        server.plan = only(
            lambda asked: "/content/page/" in asked.target, always(Fault("together", give))
        )
        said = scripts.out("cr", "diff", "1", *options)
    assert -1 < said.index("retries" if options else "Retries") < said.index("Nine.")
    assert said.count("Nine.") == 2
