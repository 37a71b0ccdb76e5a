"""From an empty desk to the news that a fix helped, by commands, on a clock of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli import main
from copydesk.domain.clustering import Clustering
from copydesk.server.app import create_app
from tests.faulty import served
from tests.tickets import tickets
from tests.world import World

PAGES = {
    "README.md": "# Home\n\nWelcome.\n",
    "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [Webhooks](webhooks.md)\n",
    "webhooks.md": "# Webhooks\n\nVerify each signature with your key.\n",
}


class Lead:
    """A support lead at the command line, of a desk that stands on a clock of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.desk = folder / "desk.db"
        self.world = World(self.desk)
        self.world.clock.now = datetime.now(UTC)
        self._takes, self._finds = (
            create_app(self.world.store, clustering=each) for each in (None, Clustering())
        )

    def run(self, *words: str) -> str:
        """Run a command that succeeds, and return what it prints."""
        status = main([*words])
        out, err = self._capsys.readouterr()
        assert status == 0, err
        return out

    def json(self, *words: str) -> Any:
        """Return what a command prints as JSON."""
        return json.loads(self.run(*words, "--json"))

    @contextmanager
    def served(self, patch: pytest.MonkeyPatch, *, finds: bool = True) -> Iterator[None]:
        """Serve the desk; ``finds``: clusters are looked for, after all tickets are there."""
        self.world.app = self._finds if finds else self._takes
        with served(self.world, clock=lambda: self.world.clock.now) as server:
            patch.setenv("COPYDESK_BASE_URL", server.url)
            yield

    def send(self, name: str, counts: Mapping[str, int], weeks: float) -> int:
        """Send tickets of the last weeks, and return how many were sent."""
        now = self.world.clock.now
        made = tickets(name, counts, now - timedelta(weeks=weeks), now)
        file = self.folder / f"{name}.jsonl"
        file.write_text("\n".join(map(json.dumps, made)))
        lines = self.run("conversations", "send", str(file)).splitlines()
        return sum(line.startswith("sent   ") for line in lines)

    def clusters(self) -> dict[str, str]:
        """Return the cluster that holds most of each problem, once everything is analysed.

        Nearly all of the problem is in it, and of others next to nothing.
        """
        issues = self.json("clusters", "issues", "--wait")
        told = Counter(each["conversation"].split("-")[1] for each in issues)
        held = Counter((each["cluster"], each["conversation"].split("-")[1]) for each in issues)
        found: dict[str, str] = {}
        for problem in sorted(told.keys() - {"other"}):
            cluster = max((key for key in held if key[1] == problem), key=held.__getitem__)[0]
            found[problem] = cluster
            whole = sum(count for key, count in held.items() if key[0] == cluster)
            assert held[cluster, problem] >= 0.85 * told[problem], (problem, held)
            assert held[cluster, problem] >= 0.95 * whole, (problem, held)
        assert held[None, "other"] >= 0.65 * told["other"], held
        return found


@pytest.fixture
def lead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Lead]:
    """A support lead with an empty desk."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    monkeypatch.delenv("COPYDESK_BASE_URL", raising=False)
    made = Lead(tmp_path, capsys)
    yield made
    made.world.close()


@pytest.mark.long
def test_from_an_empty_desk_to_the_news_that_a_fix_helped(
    lead: Lead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text)
    lead.run("desk", "import", str(docs), "--desk", str(lead.desk))
    token = lead.run("desk", "token", "--desk", str(lead.desk)).split()[-1]
    monkeypatch.setenv("COPYDESK_TOKEN", token)
    with lead.served(monkeypatch, finds=False):
        assert lead.json("clusters") == []
        counts = {"webhook": 190, "invoice": 160, "login": 130, "export": 110, "": 60}
        assert lead.send("first", counts, 8) == 650
    with lead.served(monkeypatch):
        # Each of the four problems is a cluster, in three languages; what is none is in none.
        found = lead.clusters()
        assert len(set(found.values())) == 4
        listed = lead.json("clusters", "--sort", "issues")
        assert {each["id"] for each in listed[:4]} == set(found.values())
        top = lead.json("clusters", "report")["top"]
        assert [each["id"] for each in top[:4]] == [
            found[problem] for problem in ("webhook", "invoice", "login", "export")
        ]
        assert all(each["quotes"] and not each["changeRequests"] for each in top[:4])

        # For two of them somebody begins requests, and merges one.
        for problem in ("webhook", "invoice"):
            words = ("cr", "create", f"Explain the {problem}", "--space", "docs")
            lead.run(*words, "--cluster", found[problem])
        folder = tmp_path / "request"
        lead.run("cr", "checkout", "1", str(folder), "--space", "docs")
        page = folder / "webhooks.md"
        page.write_text(page.read_text() + "\nAfter a rotation use the new key.\n")
        lead.run("cr", "push", str(folder), "--yes")
        lead.run("cr", "edit", "1", "--status", "open", "--space", "docs")
        lead.run("cr", "merge", "1", "--yes", "--space", "docs")
        assert "was merged this week: no whole week since" in lead.run("clusters", "report")

    # Two weeks later there are few tickets about it, and as many as ever about the rest.
    lead.world.clock.now += timedelta(weeks=2, days=1)
    with lead.served(monkeypatch, finds=False):
        later = {"webhook": 4, "invoice": 41, "login": 34, "export": 28}
        assert lead.send("next", later, 2) == 107
    with lead.served(monkeypatch):
        assert lead.clusters() == found
        report = lead.json("clusters", "report", "--since", "2w")
        [mended] = [each for each in report["top"] if each["id"] == found["webhook"]]
        [effect] = mended["effects"]
        assert effect.startswith("24 a week before #1 was merged, 2 since (2 weeks): -92%")
        assert mended["rate"]["move"] == "falls"
        assert [each["id"] for each in report["merged"]] == [found["webhook"]]
        assert [each["lately"] for each in report["top"][:4]] == [41, 34, 28, 4]
        assert f"- {mended['label'][:20]}" not in lead.run("clusters", "report")
        text = lead.run("clusters", "report", "--since", "2w")
        assert "## What came of change requests" in text
        assert effect[:50] in text
