"""``copydesk clusters``: what users struggle with, from scripts."""

from __future__ import annotations

import csv
import json
import os
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest

from copydesk.server.conversation_writes import add_cluster, add_conversation, add_issue
from copydesk.server.store import Tx
from tests.cli.script_desk import HOSTILE, ScriptDesk


def test_a_service_without_clusters_is_told_by_its_own_exit_status(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripts.served("today", monkeypatch):
        said = scripts.err("clusters", status=6)
        assert said.startswith("copydesk: This service has no clusters: its sites have findings.")
        scripts.err("clusters", "issues", "--organization", "Acme", status=6)


def test_clusters_are_listed_sorted_shown_and_masked(scripts: ScriptDesk) -> None:
    assert "no clusters" in scripts.err("clusters", status=0)
    world = scripts.world
    world.clock.now = datetime.now(UTC)

    def build(tx: Tx) -> dict[str, str]:
        made = {}
        for label, weeks in (("Login fails", [1, 1, 1, 6, 7]), (HOSTILE, [0] * 6)):
            key = add_cluster(tx, world.home, label, summary="Ask jo@example.org about it.")
            for week in weeks:
                at = world.clock.now - timedelta(weeks=week, hours=1)
                talk = add_conversation(
                    tx, world.home, [("user", "Help")], source="email", created_at=at
                )
                add_issue(tx, world.home, talk, "It fails", cluster_id=key, created_at=at)
            made[label] = key
        return made

    made = world.write(build)
    request = world.change_request(scripts.space, {"retries": "x"}, subject="Mend the login")
    world.write(lambda tx: tx.update("change_request", request, cluster_id=made["Login fails"]))

    def labels(*arguments: str) -> list[str]:
        return [each["label"] for each in scripts.json("clusters", *arguments)]

    assert labels("list", "--sort", "name") == ["evil end", "Login fails"]
    assert labels("--sort", "trend") == ["evil end", "Login fails"]
    assert labels("--sort", "issues") == ["evil end", "Login fails"]
    table = scripts.out("clusters", "--sort", "name").splitlines()
    assert "CLUSTER" in table[0]
    assert [line.split()[-1] for line in table[1:]] == [made[HOSTILE], made["Login fails"]]
    assert "there is no order up. There are: updatedAt" in scripts.err(
        "clusters", "--sort", "up", status=2
    )
    shown = scripts.out("clusters", "show", "login fails")
    assert "5 issues from 5 conversations" in shown
    assert "#1 Mend the login" in shown
    more = [world.change_request(scripts.space, {}, subject=f"More {nth}") for nth in range(9)]

    def answer(tx: Tx) -> None:
        for each in more:
            tx.update("change_request", each, cluster_id=made["Login fails"])

    world.write(answer)
    said = scripts.out("clusters", "show", "login fails")
    assert "There are 2 more open; --json lists them." in said
    assert "jo@example.org" not in shown
    value = scripts.json("clusters", "show", made["Login fails"])
    assert len(value["changeRequests"]) == 10
    assert "jo@example.org" not in value["summary"]
    clear = scripts.json("clusters", "show", made["Login fails"], "--unmask")
    assert clear["summary"] == "Ask jo@example.org about it."
    assert scripts.json("clusters", "show", "fails LOGIN")["id"] == made["Login fails"]
    said = scripts.err("clusters", "show", "Nope", status=1)
    assert "no cluster has the name Nope. There are: " in said
    assert "\x1b" not in said + "".join(table)


FORMULA = '=HYPERLINK("x"), kim@example.org'


def asked(scripts: ScriptDesk) -> dict[str, str]:
    """Fill the desk with two clusters, one of late, and what is in none; return their ids."""
    world = scripts.world
    world.clock.now = datetime.now(UTC)

    def build(tx: Tx) -> dict[str, str]:
        made = {}
        for label, days in (("Login fails", [1, 2, 30, 40, 50]), ("Invoices", [31]), ("", [3])):
            key = add_cluster(tx, world.home, label) if label else None
            for day in days:
                at = world.clock.now - timedelta(days=day)
                talk = add_conversation(
                    tx, world.home, [("user", f"{day} days: write to kim@example.org")],
                    source="email", subject=f"{FORMULA} {day}", created_at=at,
                    source_url=f"https://help.example/{day}",
                )  # fmt: skip
                add_issue(
                    tx, world.home, talk, f"{FORMULA} {day}", cluster_id=key, created_at=at
                )  # fmt: skip
            made[label] = key or ""
        return made

    return world.write(build)


def test_a_report_is_printed_or_written_to_a_file(
    scripts: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = asked(scripts)
    scripts.world.change_request(scripts.space, subject="Mend it", cluster=made["Login fails"])
    text = scripts.out("clusters", "report", "--organization", "Acme")
    assert text.startswith("# What users struggled with, ")
    assert "| 1 | Login fails |" in text
    assert "- #1 Mend it, open" in text
    assert "> 1 days: write to \\[e-mail\\]" in text
    assert "Invoices" not in text
    assert "desk.invalid" not in text
    assert "kim" in scripts.out("clusters", "report", "--organization", "Acme", "--unmask")
    month = scripts.json("clusters", "report", "--organization", "Acme", "--since", "28d")
    assert [(each["label"], each["lately"]) for each in month["top"]] == [("Login fails", 2)]
    twelve = scripts.json("clusters", "report", "--organization", "Acme", "--since", "12w")
    assert [(each["label"], each["lately"]) for each in twelve["top"]] == [
        ("Login fails", 5),
        ("Invoices", 1),
    ]
    assert [each["label"] for each in twelve["new"]] == ["Login fails", "Invoices"]
    assert twelve["top"][1]["rate"] == {
        "move": "few", "week": 0, "usual": 0.25, "factor": 0.0, "low": 0.0, "high": 76.0,
    }  # fmt: skip
    report = ("clusters", "report", "--organization", "Acme", "--output", "r.html")
    said = scripts.err(*report, status=0)
    assert "Wrote r.html." in said
    page = Path("r.html")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert page.stat().st_mode & 0o077 == 0
    page.write_text("mine")
    assert "r.html is there already: --force replaces it" in scripts.err(*report, status=1)
    assert page.read_text() == "mine"
    scripts.err(*report, "--force", "--format", "markdown", status=0)
    assert page.read_text() == scripts.out("clusters", "report", "--organization", "Acme")
    assert "cannot be written: No such file" in scripts.err(*report[:-1], "nowhere/r.md", status=1)
    os.mkfifo("pipe")
    kept = scripts.err(*report[:-1], "pipe", "--force", status=1)
    assert "pipe cannot be written: it is a pipe or a device, and is left as it is" in kept
    assert Path("pipe").is_fifo()
    for span in ("3d", "13w", "0w", "1y"):
        assert f"{span}" in scripts.err("clusters", "report", "--since", span, status=2)
    both = scripts.json("clusters", "report", "--format", "html", status=2)
    assert "does not go with" in both["error"]["message"]


def test_a_report_quotes_what_a_person_wrote_and_nothing_else(scripts: ScriptDesk) -> None:
    world, made = scripts.world, asked(scripts)
    hour_ago = world.clock.now - timedelta(hours=1)
    mail = (
        "Hello team,\n\nthe login page stays white.\n\n2026-03-01 09:00:01 ERROR stack\n"
        "Kind regards\nJo Weber\nACME Ltd\n\nOn Mon, 3 May 2026 at 10:00 Kim wrote:\n> try again"
    )

    def build(tx: Tx) -> None:
        talk = add_conversation(
            tx, world.home, [("user", "> try again"), ("user", mail)], source="front"
        )
        add_issue(
            tx, world.home, talk, "White", cluster_id=made["Login fails"], created_at=hour_ago
        )

    world.write(build)
    report = scripts.json("clusters", "report", "--organization", "Acme")
    assert report["top"][0]["quotes"][0]["words"] == "the login page stays white."


def test_a_report_leaves_out_what_is_dated_later_than_now(scripts: ScriptDesk) -> None:
    made = asked(scripts)
    world = scripts.world

    def come(tx: Tx) -> None:
        later = add_cluster(tx, world.home, "Only later")
        for key, days in ((made["Login fails"], 1), (made["Login fails"], 200), (later, 3)):
            at = world.clock.now + timedelta(days=days)
            talk = add_conversation(
                tx, world.home, [("user", "Not yet")], source="email", created_at=at
            )
            add_issue(tx, world.home, talk, "Not yet", cluster_id=key, created_at=at)

    world.write(come)
    value = scripts.json("clusters", "report", "--organization", "Acme")
    assert [(each["label"], each["lately"]) for each in value["top"]] == [("Login fails", 2)]
    assert value["new"] == []
    text = scripts.out("clusters", "report", "--organization", "Acme")
    assert "> 1 days:" in text
    assert "Not yet" not in text


def test_issues_and_conversations_are_tables_and_values(
    scripts: ScriptDesk, tmp_path: Path
) -> None:
    made = asked(scripts)
    home = ("--organization", "Acme")

    def table(*words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(StringIO(scripts.out("clusters", *words, *home, "--csv"))))

    issues = table("issues")
    assert [each["title"][-2:] for each in issues] == [" 1", " 2", " 3", "30", "31", "40", "50"]
    assert issues[0]["title"] == '\'=HYPERLINK("x"), [e-mail] 1'
    assert issues[2]["cluster"] == ""
    assert issues[0]["link"] == "https://help.example/1"
    assert table("issues", "--unmask")[0]["title"] == f"'{FORMULA} 1"
    assert len(table("issues", "--since", "1w")) == 3
    of = scripts.json("clusters", "issues", *home, "--cluster", "login fails", "--since", "1w")
    assert [each["clusterLabel"] for each in of] == ["Login fails"] * 2
    assert of[0]["cluster"] == made["Login fails"]
    talks = table("conversations")
    assert [each["clusters"] for each in talks[:4]] == [
        "Login fails",
        "Login fails",
        "",
        "Login fails",
    ]
    assert {each["issues"] for each in talks} == {"1"}
    assert len(table("conversations", "--cluster", made["Invoices"])) == 1
    assert len(table("conversations", "--since", "1w")) == 3
    [value] = scripts.json("clusters", "conversations", *home, "--cluster", "Invoices")
    assert value["subject"] == '=HYPERLINK("x"), [e-mail] 31'
    assert value["clusters"] == [{"id": made["Invoices"], "label": "Invoices"}]
    file = tmp_path / "issues.csv"
    scripts.err("clusters", "issues", *home, "--csv", "--output", str(file), status=0)
    assert file.read_bytes().decode("utf-8-sig") == scripts.out(
        "clusters", "issues", *home, "--csv"
    )
    file = tmp_path / "talks.json"
    scripts.err("clusters", "conversations", *home, "--json", "--output", str(file), status=0)
    assert json.loads(file.read_text()) == scripts.json("clusters", "conversations", *home)
    printed = scripts.out("clusters", "issues", *home).splitlines()
    assert printed[0].split() == ["ISSUE", "CLUSTER", "SOURCE", "CREATED", "ID"]
    assert len(printed) == 8
    assert "ISSUES" in scripts.out("clusters", "conversations", *home)
    assert {each["label"] for each in table("list")} == {"Login fails", "Invoices"}
    for wrong in (("--csv", "--json"), ("--output", "x.csv")):
        scripts.out("clusters", "issues", *home, *wrong, status=2)
    assert "no cluster has the name x" in scripts.err(
        "clusters", "issues", "--cluster", "x", status=1
    )
    scripts.world.write(lambda tx: add_cluster(tx, scripts.world.home, "Login is slow"))
    several = scripts.err("clusters", "issues", *home, "--cluster", "login", status=2)
    assert "several clusters have these words: Login" in several
    # A change request that is begun says which cluster it answers: some of its words find it.
    slow = scripts.json("clusters", "show", "is slow")["id"]
    begin = ("cr", "create", "Mend it", "--space", scripts.space, "--cluster", "slow")
    assert scripts.run(*begin) == 0
    assert scripts.said()[1] == f"Answers the cluster Login is slow ({slow}).\n"
    other = ("--organization", "Other")
    scripts.world.organization("Other", scripts.world.ana)
    for what in ("issues", "conversations"):
        assert f"There are no {what}." in scripts.err("clusters", what, *other, status=0)
    assert "No issue of a cluster came up this week." in scripts.out("clusters", "report", *other)
