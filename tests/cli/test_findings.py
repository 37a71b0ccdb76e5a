"""``copydesk findings``: what is wrong with the content of sites, from scripts."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from copydesk.server.conversation_writes import add_cluster, add_conversation, add_issue
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Tx
from tests.cli.script_desk import HOSTILE, ScriptDesk

TITLE = f"{HOSTILE} jo@example.org"


def test_findings_are_listed_shown_and_masked(
    scripts: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "There are no findings." in scripts.err("findings", status=0)
    world = scripts.world
    world.commit(scripts.space, {"retries": "See [replay](replay.md).\n"})

    def build(tx: Tx) -> None:
        add_site_space(tx, add_site(tx, world.home, "Docs"), scripts.space)
        add_site(tx, world.home, "Other docs")
        for title in (TITLE, "Exports stop"):
            key = add_cluster(tx, world.home, title, summary="Ask jo@example.org.")
            for number in range(6):
                talk = add_conversation(
                    tx, world.home, [("user", "Help")], source="email", subject=title
                )
                add_issue(tx, world.home, talk, f"{title} {number}", cluster_id=key)

    world.write(build)
    table = scripts.out("findings", "--site", "Docs").splitlines()
    assert table[0].split() == [
        "FINDING",
        "KIND",
        "SEVERITY",
        "STATUS",
        "ASKED",
        "VIEWS",
        "CR",
        "ID",
    ]
    assert [line for line in table if "broken link" in line and " low " in line]
    assert "evil end [e-mail]" in "".join(table)
    assert not set("\u202e\x1b@") & set("".join(table))
    assert "SITE" in scripts.out("findings")
    [link] = scripts.json("findings", "list", "--kind", "broken-link", "--site", "Docs")
    assert (link["siteTitle"], link["type"], link["changeRequests"]) == ("Docs", "broken-link", 0)
    assert scripts.json("findings", "--status", "done") == []
    with pytest.raises(SystemExit, match="2"):
        scripts.run("findings", "--status", "opne")
    assert "did you mean open?" in scripts.said()[1]
    rows = csv.reader(StringIO(scripts.out("findings", "list", "--csv", "--site", "Docs")))
    heads, *found = ({**dict(enumerate(row))} for row in rows)
    assert [heads[at] for at in (0, 4, len(heads) - 2)] == ["finding", "asked", "site"]
    assert "6" in {row[4] for row in found}
    file = tmp_path / "f.csv"
    scripts.err("findings", "list", "--csv", "--output", str(file), status=0)
    assert "is there already" in scripts.err(
        "findings", "list", "--csv", "--output", str(file), status=1
    )
    shown = scripts.out("findings", "show", "replay.md", "--site", "Docs")
    assert "kind      broken link\n" in shown
    assert "requests  none yet\n" in shown
    assert scripts.json("findings", "show", link["id"])["onPages"][0]["page"]["title"] == "Retries"
    odd = scripts.json("findings", "show", "evil", "--site", "Docs")
    assert (odd["title"].endswith("[e-mail]"), odd["description"]) == (True, "Ask [e-mail].")
    assert "jo@example.org" in scripts.out("findings", "show", "evil", "--site", "Docs", "--unmask")
    assert "several findings have the name exports stop: " in scripts.err(
        "findings", "show", "exports stop", status=2
    )
    assert "no finding has the name nothing. There are: " in scripts.err(
        "findings", "show", "nothing", status=1
    )

    with scripts.served("earlier", monkeypatch):
        assert "it has clusters" in scripts.err("findings", status=6)
