"""Change requests judged, discussed, begun and edited from scripts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.script_desk import HOSTILE, ScriptDesk, Typed

REVIEW = """
verdict: ask
text: Nearly.
comments:
  - text: On all of it.
  - page: retries
    line: 3
    text: Why five?
  - page: Retries
    quote: stop
    text: |
      Do we?

      Really.
"""


def _reviewed(scripts: ScriptDesk) -> str:
    """Begin and return a change request of somebody else."""
    world = scripts.world
    text = "# Retries\n\nWe try five times.\n\nThen we stop.\n"
    return world.change_request(
        scripts.space, {"retries": text}, subject="Five", by=world.user("lee")
    )


def _reviews(scripts: ScriptDesk, request: str) -> list[dict[str, Any]]:
    rows = scripts.json("api", "GET", f"/spaces/{scripts.space}/change-requests/{request}/reviews")
    return [*rows["items"]]


def test_a_verdict_is_given_once_somebody_said_so(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = _reviewed(scripts)
    assert "add --yes" in scripts.err("cr", "approve", "1", status=2)
    monkeypatch.setattr(sys, "stdin", Typed("n\n", terminal=True))
    said = scripts.err("cr", "ask", "1", "Not yet.", status=1)
    assert "cannot be undone" in said
    assert not _reviews(scripts, request)
    monkeypatch.setattr(sys, "stdin", Typed("y\n", terminal=True))
    assert "Approved #1; a review cannot be undone." in scripts.out("cr", "approve", "1")
    given = scripts.json("cr", "ask", "1", "Not yet.", "--yes")
    assert (given["status"], given["comment"]["markdown"]) == ("changes-requested", "Not yet.")
    assert [each["status"] for each in _reviews(scripts, request)] == [
        "changes-requested",
        "approved",
    ]
    assert "has no words" in scripts.err("cr", "approve", "1", " ", "--yes", status=2)
    assert scripts.log() == [("Approve", "done"), ("Ask for changes", "done")]


def test_what_was_edited_since_it_was_read_is_judged_and_merged_with_a_word(
    scripts: ScriptDesk, tmp_path: Path
) -> None:
    request, file = _reviewed(scripts), tmp_path / "review.yaml"
    file.write_text("verdict: ask\n", encoding="utf-8")

    def said(*arguments: str) -> bool:
        scripts.said()
        assert scripts.run("cr", *arguments, "--yes") == 0
        return "changed since you read it" in "".join(scripts.said())

    assert not said("approve", "1"), "it was never read here"
    assert "{+five+}" in scripts.out("cr", "diff", "1")
    assert not said("approve", "1")
    scripts.world.edit_change_request(request, {"retries": "# Retries\n\nWe try six times.\n"})
    assert said("approve", "1")
    assert said("review", "1", str(file))
    assert said("merge", "1")


def test_a_verdict_that_would_be_refused_is_not_sent(scripts: ScriptDesk) -> None:
    world = scripts.world
    _reviewed(scripts)
    scripts.out("cr", "merge", "1", "--yes")
    said = scripts.err("cr", "approve", "1", "--yes", status=4)
    assert "#1 is merged and takes no review" in said
    _reviewed(scripts)
    scripts.sign_in(world.user("guest", "comment"))
    said = scripts.err("cr", "approve", "2", "--yes", status=3)
    assert "You may not review in API reference." in said
    assert scripts.log() == [("Merge", "done")]


def test_a_review_comes_from_a_file_and_arrives_once(scripts: ScriptDesk, tmp_path: Path) -> None:
    request, file = _reviewed(scripts), tmp_path / "review.yaml"
    file.write_text(REVIEW)
    assert "add --yes" in scripts.err("cr", "review", "1", str(file), status=2)
    plan = scripts.out("cr", "review", "1", str(file), "--plan", status=7)
    assert plan.splitlines() == [
        "comment on #1: On all of it.",
        "comment on Retries, “We try five times.”: Why five?",
        "comment on Retries, “Then we stop.”: Do we? Really.",
        "review Ask for changes: Nearly.",
    ]
    assert scripts.log() == []
    sent = scripts.json("cr", "review", "1", str(file), "--yes")
    nodes = [each["target"].get("node", {}).get("id", "") for each in sent["comments"]]
    assert [node.rpartition(":")[2] for node in nodes] == [
        "",
        "We try five times.",
        "Then we stop.",
    ]
    assert sent["review"]["comment"]["markdown"] == "Nearly."
    assert len(_reviews(scripts, request)) == 1
    # A second run finds all of it there, and a comment that is new in the file is sent alone.
    assert "nothing was sent" in scripts.out("cr", "review", "1", str(file), "--yes")
    thread = sent["comments"][1]["id"]
    more = [{"text": "On all of it."}, {"text": "And this."}, {"thread": thread, "text": "Well?"}]
    file.write_text(json.dumps({"comments": more}))
    said = scripts.out("cr", "review", "1", str(file), "--yes")
    assert "there already on #1: On all of it." in said
    assert "Sent to #1: 2 comments." in said
    assert "All of it" in scripts.out("cr", "review", "1", str(file), "--yes")
    assert len(_reviews(scripts, request)) == 1
    # On another revision the same verdict is another one.
    scripts.world.edit_change_request(request, {"retries": "Else.\n"})
    file.write_text("verdict: ask\ntext: Nearly.\n")
    assert "Sent to #1: 0 comments, and the review" in scripts.out(
        "cr", "review", "1", str(file), "--yes"
    )


def test_a_review_comes_from_standard_input(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = _reviewed(scripts)
    monkeypatch.setattr(sys, "stdin", Typed("text: Fine.\n"))
    said = scripts.err("cr", "review", "1", "-", "--yes", status=2)
    assert "standard input, line 1: this is the text of a review" in said
    monkeypatch.setattr(sys, "stdin", Typed(REVIEW, terminal=True))
    assert "add --yes" in scripts.err("cr", "review", "1", "-", status=2)
    monkeypatch.setattr(sys, "stdin", Typed(REVIEW))
    assert "and the review" in scripts.out("cr", "review", "1", "-", "--yes")
    assert len(_reviews(scripts, request)) == 1


WRONG = [
    (b"verdict: fine\n", "line 1: verdict is approve or ask."),
    (
        b"text: Fine.\n",
        "line 1: this is the text of a review: set verdict to approve or ask.",
    ),
    (b"{}", "line 1: it has neither a verdict nor a comment."),
    (b"", "the file is made of fields"),
    (b"comments: Hm\n", "comments is a list"),
    (b"comments:\n  - page: retries\n", "line 2: a comment needs its text."),
    (b"comments:\n  - {page: retries, line: 0, text: A}\n", "the number of a line, from 1."),
    (b"comments:\n  - {page: a, text: A, line: %s}\n" % (b"9" * 5000), "of a line, from 1."),
    (b"comments:\n  - {page: retries, line: 99, text: A}\n", "Retries has no line 99."),
    (b"comments:\n  - {page: retries, line: 2, text: A}\n", "has no words to comment on."),
    (b"comments:\n  - {page: retries, quote: Zz, text: A}\n", "no line of Retries says “Zz”."),
    (b"comments:\n  - {page: retries, quote: e, text: A}\n", "lines of Retries say “e”: quote"),
    (b"comments:\n  - {quote: We, text: A}\n", "name the page."),
    (b"comments:\n  - {page: nope, text: A}\n", "#1 has no page nope."),
    (b"comments:\n  - {thread: nope, text: A}\n", "#1 has no thread nope."),
    (b"comments:\n  - {text: A, text: B}\n", "text is here twice."),
    (b"coments: []\n", "there is no “coments” here, only verdict, text and comments."),
    (b"verdict: [\n", "this is not YAML"),
    (b"verdict: \xff\n", "line 1: this is not UTF-8 text."),
]
"""Files that cannot be sent, and what is said of them."""


def test_a_file_that_cannot_be_sent_says_why(scripts: ScriptDesk, tmp_path: Path) -> None:
    _reviewed(scripts)
    file = tmp_path / "review.yaml"
    for held, said in WRONG:
        file.write_bytes(held)
        assert said in scripts.err("cr", "review", "1", str(file), "--yes", status=2)
    missing = scripts.err("cr", "review", "1", str(tmp_path / "none"), "--yes", status=2)
    assert "cannot be read: No such file" in missing
    assert scripts.log() == []


def test_threads_are_read_answered_and_resolved(scripts: ScriptDesk) -> None:
    world, request = scripts.world, _reviewed(scripts)
    lee = world.user("lee")
    first = world.comment(scripts.space, f"And {HOSTILE}?", by=lee, change_request=request)
    second = world.comment(scripts.space, "Twice.", by=lee, change_request=request)
    listed = scripts.out("cr", "threads", "1")
    assert f"{first}  open, on the change request" in listed
    assert "evil end" in listed
    assert "\x1b" not in listed
    assert "2 threads open." in listed
    assert scripts.json("cr", "reply", "1", first, "Yes.")["body"]["markdown"] == "Yes."
    assert scripts.json("cr", "threads", "1")[0]["answers"][0]["body"]["markdown"] == "Yes."
    assert "Replied on #1" in scripts.out("cr", "reply", "1", second[:12], "Once.")
    assert f"{first} is resolved now." in scripts.out("cr", "resolve", "1", first, second)
    assert "resolved already" in scripts.out("cr", "resolve", "1", first)
    assert "0 threads open, and 2 that are not" in scripts.out("cr", "threads", "1")
    assert "resolved, on the change request" in scripts.out("cr", "threads", "1", "--all")
    (now,) = scripts.json("cr", "resolve", "1", first, "--reopen")
    assert now["status"] == "open"
    assert "has no thread nope" in scripts.err("cr", "reply", "1", "nope", "x", status=1)
    assert "has no words" in scripts.err("cr", "reply", "1", first, " ", status=2)
    assert [what for what, _ in scripts.log()] == [
        "Reply", "Reply", "Resolve", "Resolve", "Reopen",
    ]  # fmt: skip
    guest = world.user("guest", "read")
    scripts.sign_in(guest)
    assert "You may not" in scripts.err("cr", "resolve", "1", first, status=3)
    assert "You may not" in scripts.err("cr", "reply", "1", first, "x", status=3)


def test_a_request_is_begun_and_says_something_else(scripts: ScriptDesk) -> None:
    world, space = scripts.world, scripts.space
    begun = scripts.json("cr", "create", "Limits", "--space", space, "--description", "Why.")
    assert (begun["subject"], begun["status"]) == ("Limits", "draft")
    row = world.row("change_request", begun["id"])
    assert "Why." in row["description"]
    assert "has that already" in scripts.out("cr", "edit", "1", "--subject", "Limits")
    assert "Saved #1." in scripts.out("cr", "edit", "1", "--subject", "Rates", "--status", "open")
    row = world.row("change_request", begun["id"])
    assert (row["subject"], row["status"]) == ("Rates", "open")
    assert "Why." in row["description"]
    edited = scripts.json("cr", "edit", "1", "--description", "Since.")
    assert "Since." in json.dumps(edited["description"])
    for arguments, said in (
        (["edit", "1"], "say what to change"),
        (["edit", "1", "--subject", " "], "A subject is needed."),
        (["edit", "1", "--subject", "x" * 101], "101 characters: at most 100 fit."),
        (["edit", "1", "--subject", "a\nb"], "the subject is one line."),
        (["edit", "1", "--status", "merged"], "--status: it cannot be merged."),
        (["create", "Limits"], "missing: --space"),
        (["create", "", "--space", space], "A subject is needed."),
    ):
        assert said in _refused(scripts, *arguments)
    assert [what for what, _ in scripts.log()] == ["Start", "Edit", "Edit"]
    scripts.out("cr", "edit", "1", "--status", "archived")
    scripts.sign_in(world.user("guest", "comment"))
    said = scripts.err("cr", "edit", "1", "--subject", "Mine", status=3)
    assert "The change request is not yours, and you may not merge in API reference." in said
    said = scripts.err("cr", "create", "Mine", "--space", space, status=3)
    assert "You may not edit in API reference." in said


def _refused(scripts: ScriptDesk, *arguments: str) -> str:
    """Return what is said of a wrong command line, which ends with 2."""
    status: object = None
    try:
        status = scripts.run("cr", *arguments)
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    return scripts.said()[1]
