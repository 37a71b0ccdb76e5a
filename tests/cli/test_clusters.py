"""``copydesk clusters``: what users struggle with, from scripts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from copydesk.server.site_seed import add_cluster, add_conversation, add_issue
from copydesk.server.store import Tx
from tests.cli.script_desk import HOSTILE, ScriptDesk


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
    said = scripts.err("clusters", "show", "Nope", status=1)
    assert "no cluster is called Nope. There are: " in said
    assert "\x1b" not in said + "".join(table)
