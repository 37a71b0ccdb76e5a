"""The structure of a site written to a file and made what a file says, as a script does it."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from copydesk.cli import main
from copydesk.cli.lookup import FoundSite
from copydesk.cli.structure import (
    UNSEEN,
    beginning,
    changes_kept,
    left_out,
    lines_of,
    read_whole,
    taken_in,
)
from copydesk.client.api import Api
from copydesk.domain.arrange_run import ArrangeRun, identity
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.local.paths import find_paths
from copydesk.local.runs import Arrangements
from copydesk.local.state import State
from copydesk.server.app import create_app
from copydesk.server.site_writes import add_section, add_site_space
from copydesk.session.draft_keys import structure_key
from copydesk.session.session import Session
from tests.cli.script_desk import Typed
from tests.cli.structure_desk import Between, Desk, Terminal
from tests.tui.arranging_world import PLACE, Rearranged
from tests.tui.site_world import publish
from tests.world import World


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk that is nobody's own."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    found = Desk(tmp_path)
    yield found
    found.world.close()


RENAMED = ("title: Pay\n", "title: Payments\n")
OTHER_PATH = ("path: log\n", "path: news\n")


def test_a_site_is_made_what_a_file_says(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = desk.write(capsys)
    apply = ["apply", "https://docs.acme.example/", str(desk.file)]
    assert desk.run(*apply, "--plan") == 0
    assert "is as" in capsys.readouterr().out
    tax, log = text.index("  - id: " + desk.rows["Tax"]), text.index("  - id: " + desk.rows["Log"])
    guides = text.index("  - id: " + desk.rows["Guides"])
    text = (
        text[:guides]
        + text[log:]
        + text[guides:tax]
        + text[tax:log]
        + "  - space: api\n    icon: star\n"
    )
    desk.file.write_text(text.replace(*RENAMED, 1), encoding="utf-8")
    assert desk.run(*apply, "--plan") == 7
    said = capsys.readouterr()
    assert [line.split("  ")[2] for line in said.out.splitlines()[1:4]] == [
        "New section API, showing API, icon star",
        "Pay (in Products): title Pay → Payments",
        "Log before Guides",
    ]
    assert said.out.endswith("\n:undo on the screens undoes all of it afterwards.\n")
    assert desk.run(*apply, "--plan", "--json") == 7
    planned = json.loads(capsys.readouterr().out)
    assert [call["operation"] for call in planned["requests"]] == [
        "add_site_section",
        "update_site_section",
        "sort_site_structure",
    ]
    assert planned["changed_since_export"] is False
    # Where nobody can be asked nothing is sent, and neither when the answer is no.
    assert desk.run(*apply) == 2
    assert "nothing was sent: no one can be asked here" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", Terminal("\n"))
    assert desk.run(*apply) == 1
    assert desk.sections() == ["Guides", "Pay", "Tax", "Log"]
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    capsys.readouterr()
    assert desk.run(*apply) == 0
    said = capsys.readouterr()
    assert "Send 3 calls? y/N" in said.err
    assert "3 of 3  done  Log before Guides" in said.out
    assert desk.sections() == ["Log", "Guides", "Payments", "Tax", "API"]
    assert desk.run(*apply, "--yes") == 0
    assert "is as" in capsys.readouterr().out
    assert main(["log", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert [entry["state"] for entry in written] == ["done"] * 3
    assert len({entry["group"] for entry in written}) == 1
    assert all(entry["undoable"] for entry in written)


def test_what_is_missing_is_removed_once_its_number_was_typed(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = desk.write(capsys, RENAMED)
    desk.file.write_text(text[: text.index("  - id: " + desk.rows["Log"])], encoding="utf-8")
    apply = ["apply", "acme docs", str(desk.file)]
    assert desk.run(*apply) == 2
    assert "--remove" in capsys.readouterr().err
    for typed, status in (("y\n", 1), ("1\n", 0)):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        assert desk.run(*apply, "--remove") == status
        said = capsys.readouterr()
        assert "1 call for good: type 1" in said.err
    assert "1 call sent" not in said.out
    assert desk.sections() == ["Guides", "Payments", "Tax"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "Acme"], "no site has the name Acme. There are: Acme blog"),
        (
            ["export", "acme blog", "--organization", "x"],
            "none of your organizations has the name x: Acme",
        ),
        (["apply", "Acme docs"], "name the file that says what the site shall be"),
        (["apply", "Acme docs", "{tmp}/no.yaml"], "no.yaml cannot be read: No such file"),
        (["apply", "Acme docs", "{tmp}/bytes"], "bytes, line 2: this is not UTF-8 text"),
        (["apply", "Acme blog", "{tmp}/order.yaml"], "is the structure of another site"),
        (["apply", "Acme docs", "--resume"], "no apply to Acme docs has stopped"),
        (["apply", "Acme docs", "{tmp}/bad.yaml"], "bad.yaml, line 2: “sites” is not a setting"),
    ],
)
def test_bad_input_gets_a_sentence(
    desk: Desk,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    desk.write(capsys)
    (tmp_path / "bytes").write_bytes(b"site: a\n\xff")
    (tmp_path / "bad.yaml").write_text("site: a\nsites: []\n")
    # What is not there is no mistake in how the command is written.
    status = 1 if sentence.startswith(("no site", "none of")) else 2
    assert desk.run(*(each.replace("{tmp}", str(tmp_path)) for each in arguments)) == status
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out == ""


def test_a_site_is_made_what_standard_input_says(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = desk.write(capsys).replace(*RENAMED, 1)
    apply = ("apply", "docs.acme.example", "-")
    monkeypatch.setattr(sys, "stdin", Typed(f"{text}\n: ]"))
    assert desk.run(*apply, "--plan") == 2
    assert "standard input, line " in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", Typed(text, terminal=True))
    assert desk.run(*apply) == 2
    assert "no one can be asked here" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", Typed(text))
    assert desk.run(*apply, "--yes") == 0
    assert "Payments" in desk.sections()
    monkeypatch.setattr(sys, "stdin", Typed(text))
    capsys.readouterr()
    assert desk.run(*apply, "--yes") == 0
    assert "is as standard input says: there is nothing to send." in capsys.readouterr().out


def test_a_file_that_is_called_as_standard_input_is_one(
    desk: Desk,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "-").write_text(desk.write(capsys), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Typed("no structure"))
    assert desk.run("apply", "docs.acme.example", "./-", "--plan") == 0
    assert f"is as {tmp_path / '-'} says" in capsys.readouterr().out


def test_what_stops_in_the_middle_is_told_and_goes_on_or_back(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    world = desk.world

    def lost() -> None:
        raise httpx.ReadError("cut")

    def demoted() -> None:
        world.write(lambda tx: tx.run("UPDATE member SET role = 'read'"))

    desk.write(capsys, RENAMED, OTHER_PATH, ("title: Tax\n", "title: Taxes\n"))
    assert desk.apply_over(Between(world, 2, lost)) == 5
    said = capsys.readouterr().err
    assert "Stopped at 1 of 3: No answer came, and it had not happened when it was read" in said
    assert "--resume sends it again." in said
    assert "1 of 3  done  Pay (in Products): title Pay → Payments" in said
    assert "2 of 3  failed  Tax (in Products): title Tax → Taxes" in said
    assert "3 of 3  not sent  Log: path /log → /news" in said
    assert "--resume sends the rest, --roll-back undoes what was sent" in said
    # It is told first, and nothing else is sent meanwhile.
    assert desk.run("apply", "Acme docs", str(desk.file), "--yes") == 1
    said = capsys.readouterr().err
    assert said.startswith("Rearranging Acme docs stopped at 1 of 3: No answer came")
    assert desk.run("apply", "Acme docs", "--roll-back", "--yes") == 0
    assert desk.sections() == ["Guides", "Pay", "Tax", "Log"]
    assert desk.apply_over(Between(world, 3, lost)) == 5
    assert desk.run("apply", "Acme docs", "--resume", "--yes") == 0
    assert "3 calls sent" in capsys.readouterr().out
    assert desk.sections() == ["Guides", "Payments", "Taxes", "Log"]
    # What stopped before anything was sent is no more.
    desk.write(capsys, ("title: Log\n", "title: Diary\n"))
    assert desk.apply_over(Between(world, 1, demoted)) == 3
    said = capsys.readouterr().err
    assert "Stopped at 0 of 1: Not allowed" in said
    assert "Nothing was sent." in said
    assert desk.run("apply", "Acme docs", "--keep") == 2


def test_what_may_have_arrived_is_not_sent_again_unasked(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, space = desk.world, desk.spaces["API"]

    def lost() -> None:
        for _ in range(2):  # so that nobody can tell which one is ours
            world.write(
                lambda tx: add_site_space(
                    tx, desk.site, space, section=add_section(tx, desk.site, "API")
                )
            )
        raise httpx.ReadError("cut")

    text = desk.write(capsys, RENAMED)
    desk.file.write_text(f"{text}  - space: api\n", encoding="utf-8")
    assert desk.apply_over(Between(world, 1, lost)) == 1
    there = desk.sections()
    apply = ["apply", "Acme docs"]
    unknown = "Whether “New section API, showing API” arrived is not known"
    capsys.readouterr()
    for more, status, said in (
        (["--resume", "--yes"], 1, f"{unknown}: look first. --resume without --yes asks"),
        (["--resume"], 1, f"{unknown}: what is there already would be there twice. Send the 2"),
        (["--keep"], 0, f"What was sent is kept, the rest is discarded. {unknown}: look first."),
    ):
        monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
        assert desk.run(*apply, *more) == status
        assert said in capsys.readouterr().err
    # Two programs at one site: the second one is told so.
    others = Arrangements(State(find_paths().store), f"desk:{desk.path}")
    monkeypatch.setattr(
        sys, "stdin", Terminal("y\n", happens=lambda: others.claim(identity(PLACE, desk.site)))
    )
    desk.write(capsys, RENAMED)
    assert desk.run(*apply, str(desk.file)) == 4
    said = capsys.readouterr().err
    assert said.endswith("copydesk: Another copydesk is rearranging Acme docs now.\n")
    others.release(identity(PLACE, desk.site))
    assert desk.sections() == there


def test_what_somebody_else_does_meanwhile_is_told(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = desk.world

    def taken() -> None:
        world.write(lambda tx: tx.update("site_section", desk.rows["Guides"], path="news"))

    desk.write(capsys, RENAMED, OTHER_PATH)
    assert desk.apply_over(Between(world, 2, taken)) == 1
    assert "'news' is the path of another one" in capsys.readouterr().err
    assert desk.run("apply", "Acme docs", "--keep") == 0
    assert desk.sections()[1] == "Payments"
    # The file is the wanted end: what they did is told as far as that can be known.
    assert desk.run("apply", "Acme docs", str(desk.file), "--plan") == 7
    said = capsys.readouterr()
    assert "it was changed since, here or by others" in said.err
    assert "Guides: path /news → /guides" in said.out

    def renamed() -> None:
        world.write(lambda tx: tx.update("site_section", desk.rows["Tax"], title="Taxes"))

    monkeypatch.setattr(sys, "stdin", Terminal("y\n", "y\n", happens=renamed))
    assert desk.run("apply", "Acme docs", str(desk.file)) == 0
    said = capsys.readouterr()
    assert "this is the plan now. What others did:\n  Taxes: title Tax → Taxes" in said.err
    assert "Taxes (in Products): title Taxes → Tax" in said.out
    assert desk.sections() == ["Guides", "Payments", "Tax", "Log"]
    desk.write(capsys, OTHER_PATH, ("title: Tax\n", "title: Duty\n"))
    assert desk.apply_over(Between(world, 2, renamed)) == 4
    said = capsys.readouterr()
    assert "Acme docs: 2 calls sent" in said.out
    assert said.err.endswith("What is missing:\n  Taxes (in Products): title Taxes → Duty\n")


async def test_what_the_screens_keep_staged_goes_on_from_what_is_sent_here(world: World) -> None:
    plan = Rearranged(world)

    async def connect() -> Api:
        return world.api()

    session, api = Session(connect), world.api()
    site = FoundSite(plan.site, "Acme docs", "", world.home, "Acme")
    key, space = structure_key(site.id), world.space("Manual")
    start = beginning(await read_whole(api, site), site)
    values = {"title": "Manual", "space": space, "spaceTitle": "Manual"}
    staged, _ = start.add("", "section", values)
    text = staged.to_text(["- New section Manual"])
    for more in (False, True):
        kept = staged.change(plan.ids["Legal"], {"title": "Law"}).to_text() if more else text
        session.drafts.save(key, kept)
        assert await changes_kept(session, site) == (not more)
        run = ArrangeRun.of(PLACE, site.id, site.title, staged.calls(), staged=text)
        run = await session.arranging.go(run)
        await taken_in(session, api, run, site)
        found = SiteArrangement.from_text(session.drafts.load(key) or "", *start.ids)
        lines = [call.line for call in found.calls()] if found is not None else []
        assert lines == ["Legal: title Legal → Law"] * more
        assert await session.arranging.find(PLACE, site.id) is None
        made = {*layout_of(await read_whole(api, site)).sections()} - {*start.now.sections()}
        await session.reversals.undo()
        assert len(made) == 1
    many = [replace(call, key=str(at)) for call in staged.calls() for at in range(20)]
    run = ArrangeRun.of(PLACE, site.id, site.title, many).go().failed("9", "No")
    assert [line.split("  ")[1] for line in lines_of(run)][8:11] == [
        "not sent",
        "failed",
        "not sent",
    ]
    assert [*lines_of(run.go())][3:] == ["… 17 more not sent"]
    # What was not sent of a plan of theirs is still staged there.
    session.drafts.save(key, text)
    run = ArrangeRun.of(PLACE, site.id, site.title, staged.calls(), staged=text)
    assert await taken_in(session, api, run.finish(), site)
    assert "- New section Manual" in (session.drafts.load(key) or "")


def test_first_sections_and_conditions_are_looked_at_before_anything_is_sent(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.run("export", "Acme blog") == 0
    bare = capsys.readouterr().out
    assert "spaces: []" in bare
    first = "sections:\n  - space: Guides\n    condition: '%s'\n    %s\n  - space: Pay"
    apply = ["apply", "Acme blog", str(desk.file)]
    for condition, default, why in (
        ("visitor.claims.pro", "path: g", ": none of these sections is the default: readers land"),
        ("visitor.claims.pro ==", "default: true", ": condition: something is missing after =="),
        (
            "visitor.claims.plan = 1",
            "default: true",
            ": condition: = is not a comparison here: wri",
        ),
        ("(visitor.claims.pro", "default: true", ": condition: ) is missing at its end"),
    ):
        text = bare.replace("spaces: []", first % (condition, default))
        desk.file.write_text(text, encoding="utf-8")
        line = next(
            at
            for at, each in enumerate(text.splitlines(), 1)
            if each.strip().startswith("condition" if "condition" in why else "- space: Guides")
        )
        for options in (["--plan"], ["--yes"]):
            assert desk.run(*apply, *options) == 2
            said = capsys.readouterr()
            assert f"{desk.file}, line {line}{why}" in said.err
            assert said.err.endswith("Nothing was sent.\n")
    text = bare.replace("spaces: []", first % ("visitor.claims.pro", "default: true"))
    desk.file.write_text(text, encoding="utf-8")
    assert desk.run(*apply, "--yes") == 0
    assert desk.run(*apply, "--plan") == 0


def test_what_was_removed_since_is_added_again_only_when_told(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    before = desk.write(capsys, RENAMED)
    without = before[: before.index("  - id: " + desk.rows["Log"])]
    desk.file.write_text(without, encoding="utf-8")
    apply = ["apply", "Acme docs", str(desk.file)]
    assert desk.run(*apply, "--yes", "--remove") == 0
    assert desk.sections() == ["Guides", "Payments", "Tax"]
    desk.file.write_text(before, encoding="utf-8")
    line = before[: before.index(desk.rows["Log"])].count("\n") + 1
    capsys.readouterr()
    for options in (["--plan"], ["--yes"]):
        assert desk.run(*apply, *options) == 2
        said = capsys.readouterr().err
        assert f"line {line}: the site has no section {desk.rows['Log']} (“Log”), it was " in said
        assert "--recreate adds it again" in said
    assert desk.run(*apply, "--recreate", "--plan") == 7
    assert "New section Log, showing Log" in capsys.readouterr().out
    assert desk.run(*apply, "--recreate", "--yes") == 0
    assert desk.sections() == ["Guides", "Payments", "Tax", "Log"]
    assert desk.run(*apply, "--plan") == 0


def test_a_space_goes_to_another_section_with_all_that_is_set_of_it(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    world, log = desk.world, desk.rows["Log"]
    api = desk.spaces["API"]
    made = world.write(lambda tx: add_site_space(tx, desk.site, api, section=desk.rows["Guides"]))
    world.write(
        lambda tx: tx.update(
            "site_space", made, path="reference", hidden=1, condition="visitor.claims.pro"
        )
    )
    text = desk.write(capsys)
    begin = text.index(f"      - id: {made}")
    end = text.index("  - id: ", begin + 9)
    moved, rest = text[begin:end], text[:begin] + text[end:]
    assert "hidden: true" in moved
    desk.file.write_text(rest.rstrip("\n") + "\n" + moved, encoding="utf-8")
    assert rest.index(log) > begin
    apply = ["apply", "Acme docs", str(desk.file)]
    assert desk.run(*apply, "--plan") == 7
    capsys.readouterr()
    assert desk.run(*apply, "--yes") == 0, capsys.readouterr()
    rows = world.store.read(lambda tx: tx.all("SELECT * FROM site_space WHERE space_id = ?", api))
    assert [(r["section_id"], r["path"], r["hidden"], r["condition"]) for r in rows] == [
        (log, "reference", 1, "visitor.claims.pro")
    ]
    assert desk.run(*apply, "--plan") == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ["structure", "apply", "none", "FILE", "--plan", "--json"],
            1,
            "no site has the name none.",
        ),
        (["structure", "apply", "Acme docs", "FILE", "--pln", "--json"], 2, "there is no option"),
        (["cr", "show", "99", "--json"], 1, "99"),
        (["clusters", "show", "none", "--json"], 1, "none"),
        (["api", "GET", "/none", "--json"], 1, ""),
        (["conversations", "send", "none.json", "--json"], 2, "none.json cannot be read"),
    ],
)
def test_errors_are_json_where_json_was_asked_for(
    desk: Desk,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    said: str,
) -> None:
    desk.write(capsys)
    given = [str(desk.file) if each == "FILE" else each for each in arguments]
    try:
        found = main([*given, "--desk", str(desk.path)])
    except SystemExit as ended:
        found = int(ended.code or 0)
    assert found == status
    output = capsys.readouterr()
    error = json.loads(output.out.splitlines()[-1])["error"]
    assert error["exitStatus"] == status
    assert said in error["message"]
    assert output.err


async def test_groups_and_links_are_made_as_a_file_says_gone_on_with_and_taken_back(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    world = desk.world
    api, site = world.api(), FoundSite(desk.site, "Acme docs", "", world.home, "Acme")

    async def drawn() -> list[str]:
        layout = layout_of(await read_whole(api, site))
        rows = [row for row in layout.walk() if layout.items[row].kind != "site-space"]
        return [
            f"{layout.items[row].title} in {layout.level_of(row) or 'the site'}" for row in rows
        ]

    def lost() -> None:
        raise httpx.ReadError("cut")

    text, before = await asyncio.to_thread(desk.write, capsys), await drawn()
    log = text[text.index(f"  - id: {desk.rows['Log']}") :]
    new = "  - title: More\n    draft: true\n    sections:\n" + "".join(
        f"    {line}\n" for line in log.splitlines()
    )
    new += "      - title: Status\n        url: https://status.acme.example\n"
    wished = text.replace(log, new).replace("title: Products", "title: Goods")
    desk.file.write_text(wished, encoding="utf-8")
    assert await asyncio.to_thread(desk.apply_over, Between(world, 3, lost)) == 5
    assert "New group More, with Log, as a draft" in capsys.readouterr().err
    assert await asyncio.to_thread(desk.run, "apply", "Acme docs", "--resume", "--yes") == 0
    after = await drawn()
    assert [line.partition(" in ")[0] for line in after] == [
        "Guides", "Goods", "Pay", "Tax", "More", "Log", "Status",
    ]  # fmt: skip
    apply = ["apply", "Acme docs", str(desk.file), "--plan"]
    assert await asyncio.to_thread(desk.run, *apply) == 0, "what it added is known"
    # The file of the site as it was puts all back, and so does taking it back.
    desk.file.write_text(text, encoding="utf-8")
    assert await asyncio.to_thread(desk.run, *apply) == 2
    assert "the group “More”" in capsys.readouterr().err
    assert await asyncio.to_thread(desk.run, *apply[:3], "--remove", "--yes") == 0
    assert await drawn() == before


async def test_what_a_file_lacks_of_a_service_without_groups_is_said() -> None:
    world = World(edition="earlier")
    published = publish(world, grouped=True)
    site = FoundSite(published.site, "Acme docs", "", world.home, "Acme")
    structure = await read_whole(world.api(), site)
    assert left_out(structure) == (
        "This service has no section groups, and no links among the sections. Those that the site "
        "has are not in the file. Of 1 group it has the ids alone."
    )


def test_groups_stay_as_they_are_on_a_service_that_has_none(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = httpx.ASGITransport(create_app(desk.world.store, edition="earlier"))
    desk.write(capsys, ("title: Products", "title: Goods"))
    assert desk.apply_over(earlier) == 0
    told = capsys.readouterr()
    assert "there is nothing to send" in told.out
    assert told.err == f"{UNSEEN}\n"
    desk.write(capsys, ("title: Tax", "title: Taxes"))
    assert desk.apply_over(earlier) == 0
    assert desk.sections() == ["Guides", "Pay", "Taxes", "Log"]
    assert UNSEEN in capsys.readouterr().err
