"""Tables, exports and mails handed in, as a person and as a script does it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.cli.script_desk import ScriptDesk, Typed

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/conversations.md").read_text(encoding="utf-8")
EXPORTS = ROOT / "tests/domain/exports"
FILES = dict(re.findall(r"^```[\w-]+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
RUNS = re.findall(r"^```text\n\$ copydesk (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def here(scripts: ScriptDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptDesk:
    """A desk, in a folder with the files of the documentation."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return scripts


def there(desk: ScriptDesk) -> dict[str, list[str]]:
    """Return what the desk has: what is said, by id."""
    rows = desk.world.store.read(lambda tx: tx.all("SELECT id, parts FROM conversation"))
    return {row["id"]: [each["body"] for each in json.loads(row["parts"])] for row in rows}


def send(desk: ScriptDesk, *arguments: str, status: int = 0) -> str:
    """Send, and return what is said to people and what is printed, in this order."""
    desk.said()
    assert desk.run("conversations", "send", *arguments) == status
    out, err = desk.said()
    return err + out


def test_every_example_of_the_documentation_does_what_it_says(here: ScriptDesk) -> None:
    assert len(RUNS) == len(FILES) == 7
    for command, wanted in RUNS:
        words = [each.strip('"') for each in re.findall(r'"[^"]*"|\S+', command)]
        here.said()
        status = here.run(*words)
        out, err = here.said()
        assert sorted((err + out).splitlines()) == sorted(wanted.splitlines()), command
        assert status == ("--skip-bad" in words)
        again = send(here, *words[2:], status=status)
        assert "\nsent  " not in again
        assert "sent before" in again


def test_somebody_at_a_terminal_is_asked_and_columns_are_kept(
    here: ScriptDesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def typed(*lines: str) -> None:
        monkeypatch.setattr(sys, "stdin", Typed("".join(f"{x}\n" for x in lines), terminal=True))

    table = tmp_path / "own.csv"
    table.write_text("Nr;Was;Wann\n1;Der Export bricht ab.;02/03/2026\n", encoding="utf-8")
    # Without a terminal nobody can say which column it is; what to type is said.
    told = send(here, "own.csv", status=2)
    assert "no column name says what people write" in told
    assert '--columns "id=Nr,body=Was,created=Wann"' in told
    typed("n", "1", "", "")
    said = send(here, "own.csv", status=2)
    assert "Some column has to say it" in said
    assert said.count("what someone writes? ") == 2
    assert "no column is named for body" in said
    typed("n", "1", "", "what", "Was", "", "3", "", "", "", "", "", "n")
    said = send(here, "own.csv", status=1)
    assert "there is no column “what”; there are Nr, Was and Wann." in said
    assert "read month first; --dates dmy" in said
    assert said.endswith("Send 1 conversation to Acme? y/N copydesk: nothing was sent.\n")
    assert there(here) == {}
    # What was answered is kept once it was of use.
    typed("y", "y")
    said = send(here, "own.csv", "--dates", "dmy")
    assert "read these columns? id=Nr,body=Was,created=Wann y/N" in said
    assert "2026-03-02 00:00 UTC" in said
    assert "columns as last time: id=Nr,body=Was,created=Wann" in send(here, "own.csv", "--yes")
    assert there(here) == {"1": ["Der Export bricht ab."]}
    monkeypatch.setattr(sys, "stdin", Typed())
    table.write_text("Nr;Was;Wann\n2;Noch einer.;02/03/2026\n", encoding="utf-8")
    assert "Acme: 1 conversation sent." in send(here, "own.csv")
    # Columns that are called as usual are shown first.
    typed("y", "y")
    assert "read these columns? id=Ticket ID" in send(here, "tickets.csv")
    typed()
    assert "Send" not in send(here, "tickets.csv", "--yes")
    assert "“x” names no column" in send(here, "tickets.csv", "--columns", "x", status=2)
    # What is not read is told: perhaps it says when.
    rows = "Case Number,Description,Date/Time Opened,Age\n7,It stops.,11/13/2026 2:05 PM,3\n"
    (tmp_path / "cases.csv").write_text(rows, encoding="utf-8")
    said = send(here, "cases.csv", "--yes")
    assert "id=Case Number,body=Description,created=Date/Time Opened" in said
    assert "2026-11-13 14:05 UTC" in said
    assert "cases.csv: not read: Age (--columns names them)" in said
    # What is said of a file in a known form is asked as well; what is typed cannot be.
    typed("n")
    assert "Login fails" in send(here, "june.json", status=1)
    typed(FILES["june.json"])
    assert "Acme: 1 conversation sent." in send(here, "-")


def test_a_table_in_utf_16_and_several_mailboxes_are_read_as_one(
    here: ScriptDesk, tmp_path: Path
) -> None:
    (tmp_path / "wide.csv").write_bytes(FILES["tickets.csv"].replace(";", "\t").encode("utf-16"))
    assert "CSV with tabs" in send(here, "wide.csv", "--source", "Zendesk")
    assert there(here)["zendesk-4712"] == ["How do I invite a reader?"]
    mails = [str(EXPORTS / name) for name in ("mail.eml", "support.mbox")]
    for order in (mails, mails[::-1]):
        said = send(here, *order)
        assert "and 1 other file" in said
    assert "2 sent before" in said
    found = there(here)
    assert ["The code never arrives.", "It came after an hour."] in found.values()


def test_nothing_of_persons_reaches_the_desk_with_mask(here: ScriptDesk, tmp_path: Path) -> None:
    secret = "I am berta@example.org, +49 170 1234567, card 4111 1111 1111 1111, password: hunter2"
    rows = f'id,subject,text\nberta@example.org,"{secret}","{secret}"\n'
    (tmp_path / "ana.csv").write_text(rows, encoding="utf-8")
    own = {"id": "own", "subject": secret, "parts": [{"type": "message", "role": "user"}]}
    own["parts"] = [{"type": "message", "role": "user", "body": secret}]
    (tmp_path / "own.json").write_text(json.dumps(own), encoding="utf-8")
    for _ in range(2):
        said = send(here, "ana.csv", "own.json", "--mask")
    assert said.startswith("ana.csv: ")
    assert "Acme: 0 conversations sent and 2 sent before." in said
    assert set(map(tuple, there(here).values())) == {
        ("I am [e-mail], [phone], card [number], password: [secret]",)
    }
    content = here.path.read_bytes() + Path(f"{here.path}-wal").read_bytes()
    assert not [
        word for word in (b"hunter2", b"berta", b"4111 1111", b"1234567") if word in content
    ]
    assert "sent again" in send(here, "own.json")


def test_what_says_nothing_masked_is_refused_before_anything_is_sent(
    here: ScriptDesk, tmp_path: Path
) -> None:
    def talk(key: str, body: str) -> dict[str, object]:
        said = [{"type": "message", "role": "user", "body": body}]
        names = {"ann@example.org": "gold", "kim@example.org": "pro"}
        return {"id": key, "parts": said, "metadata": {"attributes": names}}

    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps([talk("a", "Hello?"), talk("b", "\x01\x1b\u200b")]), "utf-8")
    assert "no text in it" in send(here, "empty.json", "--mask", status=2)
    assert there(here) == {}
    send(here, "empty.json", "--mask", "--skip-bad", status=1)
    (row,) = here.world.store.read(lambda tx: tx.all("SELECT * FROM conversation"))
    assert "gold, pro" in str(dict(row))


def test_the_newest_of_a_ticket_counts_that_was_exported_twice(
    here: ScriptDesk, tmp_path: Path
) -> None:
    def page(name: str, *tickets: tuple[int, str, str]) -> None:
        told = [
            {"id": key, "submitter_id": 1, "description": words, "updated_at": f"2026-06-{day}"}
            for key, words, day in tickets
        ]
        (tmp_path / name).write_text(json.dumps({"tickets": told}), encoding="utf-8")

    page("june.json", (1, "Old", "02"), (2, "Newer", "09"), (3, "One", "02"), (3, "Two", "02"))
    page("july.json", (1, "New", "03"), (2, "Older", "08"), (3, "Two", "02"))
    for names in (["june.json", "july.json"], ["july.json", "june.json"]):
        said = send(here, *names)
        assert there(here) == {
            f"zendesk-{n}": [x] for n, x in enumerate(("New", "Newer", "Two"), 1)
        }
        assert said.count("given twice") == 5
    assert "given twice  zendesk-1  (june.json, line 1): newer in july.json, line 1" in said
    assert "Acme: 0 conversations sent, 3 sent before and 4 given twice." in said


def test_an_object_with_its_messages_replaces_what_was_sent_of_it(
    here: ScriptDesk, tmp_path: Path
) -> None:
    def send_topic(*posts: str) -> str:
        said = [{"username": "kim", "cooked": each} for each in posts]
        (tmp_path / "topic.json").write_text(json.dumps({"id": 7, "title": "T", "posts": said}))
        return send(here, "topic.json")

    send_topic("It stops", "Please help")
    assert "topic.json, line 1)" in send_topic("It stops at page 3", "Please help", "Thanks")
    assert there(here) == {"7": ["It stops at page 3", "Please help", "Thanks"]}
    # Of a channel each row is a message: what another file has of the thread stays.
    for day, text in ("1780390800.1", "It stops"), ("1780477200.1", "Still"):
        message = {"user": "U1", "text": text, "ts": day, "thread_ts": "1780390800.1"}
        (tmp_path / "day.json").write_text(json.dumps([message, message | {"text": f"{text}!"}]))
        send(here, "day.json")
    assert there(here)["1780390800.1"] == ["It stops", "It stops!", "Still", "Still!"]


def test_messages_of_a_conversation_may_be_in_several_files(
    here: ScriptDesk, tmp_path: Path
) -> None:
    days = [["It stops", "When?"], ["Since Monday"], ["Thanks", "It stops again"]]
    for day, told in enumerate(days):
        messages = [
            {"user": "U1", "text": each, "ts": f"{1780390800 + day * 86400 + n}", "thread_ts": "7"}
            for n, each in enumerate(told)
        ]
        other = {"user": "U2", "text": "Other", "ts": f"{1780390800 + day}", "thread_ts": f"o{day}"}
        text = json.dumps([*messages, other, other | {"text": "More"}])
        (tmp_path / f"{day}.json").write_text(text, encoding="utf-8")
    said = send(here, "0.json", "1.json", "2.json")
    whole = ["It stops", "When?", "Since Monday", "Thanks", "It stops again"]
    assert there(here)["7"] == whole
    assert "given twice" not in said
    assert "4 conversations sent and 2 sent again" in said
    # What another file has more of is not sent for each again.
    assert "0 conversations sent and 6 sent before" in send(here, "0.json", "1.json", "2.json")
    assert "2 sent before" in send(here, "1.json")
    assert there(here)["7"] == whole


def test_fields_of_other_names_are_told_once(here: ScriptDesk, tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text('[{"nr": "T1", "was": {"gesagt": "It stops at page 3"}}]')
    said = send(here, "own.json", status=2)
    assert '--columns "id=nr,body=was.gesagt"' in said
    send(here, "own.json", "--columns", "id=nr, body=was.gesagt")
    assert there(here) == {"T1": ["It stops at page 3"]}
    assert "columns as last time" in send(here, "own.json")


def test_an_id_of_another_conversation_is_no_later_state_of_it(
    here: ScriptDesk, tmp_path: Path
) -> None:
    def write(name: str, *rows: str) -> None:
        (tmp_path / name).write_text("\n".join(["id,text,created", *rows, ""]), encoding="utf-8")

    write("zendesk.csv", "1,It stops,2026-06-02", "2,No code,2026-06-03", "3,Slow,2026-06-03")
    send(here, "zendesk.csv")
    write("chat.csv", "1,Hello there,2026-01-05", "2,Who are you,2026-01-06", "4,New,2026-01-06")
    said = send(here, "chat.csv", status=2)
    assert (
        "chat.csv, line 2, conversation 1 (1): its id was sent before for another conversation, of "
        "2026-06-02: --source NAME names where these are from, --again replaces that one\n"
        "chat.csv: 1 more like line 2: 3\n"
        "copydesk: 2 complaints about what is in the files. Nothing was sent; --skip-bad"
    ) in said
    had = {"1": ["It stops"], "2": ["No code"], "3": ["Slow"]}
    assert there(here) == had
    assert "1 conversation sent and 2 cannot be sent" in send(
        here, "chat.csv", "--skip-bad", status=1
    )
    assert there(here) == had | {"4": ["New"]}
    send(here, "chat.csv", "--source", "chat")
    assert there(here)["1"] == ["It stops"]
    assert there(here)["chat-1"] == ["Hello there"]
    write("forum.csv", "9,Alpha,2026-06-02", "8,Same,2026-06-02")
    write("shop.csv", "9,Beta,2026-07-02", "8,Same again,2026-06-02")
    said = send(here, "forum.csv", "shop.csv", status=2)
    assert (
        "shop.csv, line 2, conversation 1 (9): id: forum.csv, line 2 has the same id with other "
        "content; neither is sent: send each file with a --source of its own\n"
    ) in said
    assert "1 complaint about" in said
    # What is told of it later, in another zone, or read in another order, is the same one.
    write("zendesk.csv", "1,It stops at 3,2026-06-01 23:00", "2,No code,2026-03-06")
    assert "2 sent again" in send(here, "zendesk.csv")
    # Without a date it cannot be the one that had one, unless it says the same.
    write("view.csv", "2,No code,", "3,Other,")
    said = send(here, "view.csv", status=2)
    assert "view.csv, line 3, conversation 2 (3): its id was sent before" in said
    assert "2 sent again" in send(here, "view.csv", "--again")


def test_an_encoding_is_named_where_it_cannot_be_known(here: ScriptDesk, tmp_path: Path) -> None:
    words = "件名,内容\nログイン①,ログインできません\n"
    (tmp_path / "jp.csv").write_bytes(f"番号,{words.replace('ロ', '1,ロ', 1)}".encode("cp932"))
    said = send(here, "jp.csv", "--columns", "id=1, body=3", status=2)
    assert "--encoding cp932” reads Japanese" in said
    send(here, "jp.csv", "--encoding", "shift_jis")
    assert there(here) == {"1": ["ログインできません"]}
    (tmp_path / "de.json").write_bytes('[{"id": 2, "text": "Er hält an"}]'.encode("latin-1"))
    send(here, "de.json", "--encoding", "latin-1")
    assert there(here)["2"] == ["Er hält an"]
    for name in "no-such", "rot13", "undefined":
        said = send(here, "jp.csv", "--encoding", name, status=2)
        assert f"there is no encoding “{name}”; there are utf-8, cp1252, cp932" in said
    for name in "utf-16", "idna":
        said = send(here, "jp.csv", "--encoding", name, status=2)
        assert f"jp.csv cannot be read as {name}.\nNothing was sent." in said


def test_a_source_tells_two_accounts_of_a_help_desk_apart(here: ScriptDesk, tmp_path: Path) -> None:
    send(here, "zendesk.jsonl")
    send(here, "zendesk.jsonl", "--source", "Zendesk EU")
    assert sorted(there(here)) == ["zendesk-4711", "zendesk-eu-4711"]
    send(here, "mail.eml", "--source", "inbox")
    rows = here.world.store.read(lambda tx: tx.all("SELECT source FROM conversation"))
    assert {row["source"] for row in rows} == {"zendesk", "zendesk-eu", "inbox"}
    said = send(here, "june.json", "--source", "x", "--columns", "body=1")
    assert "june.json: conversations as JSON: --columns is left out.\n" in said
    assert "june.json: --source is left out: each conversation says where it is from.\n" in said


def test_tables_with_the_ends_of_lines_of_old_macs_are_read(
    here: ScriptDesk, tmp_path: Path
) -> None:
    (tmp_path / "mac.csv").write_bytes('id;text\r1;Größe\r2;"a\rb"\r'.encode("mac-roman"))
    said = send(here, "mac.csv", "--encoding", "mac-roman")
    assert there(here) == {"1": ["Größe"], "2": ["a\nb"]}
    assert "mac.csv, line 3)" in said
    (tmp_path / "mac.csv").write_bytes(b"id;text\r3;It stops\r")
    send(here, "mac.csv")
    assert there(here)["3"] == ["It stops"]


def test_dates_that_cannot_be_read_are_said(here: ScriptDesk, tmp_path: Path) -> None:
    (tmp_path / "dates.csv").write_text("id,text,created\n1,It stops,soon\n2,No,kim@example.org\n")
    said = send(here, "dates.csv")
    assert "2 dates cannot be read, such as “soon”: no date counts as today's." in said


def test_tickets_without_a_description_are_told_by_their_subjects(
    here: ScriptDesk, tmp_path: Path
) -> None:
    (tmp_path / "view.csv").write_text(
        "Ticket ID,Requester,Subject,Status\n1,Kim,Export of invoices stops,open\n2,Jo,Log in,new\n"
    )
    said = send(here, "view.csv", "--yes")
    assert "with the subjects in place of what people write (--columns names another)" in said
    assert there(here) == {"1": ["Export of invoices stops"], "2": ["Log in"]}
    # A column in which people write is not passed over for it.
    (tmp_path / "view.csv").write_text(
        "Ticket ID,Subject,Anmerkungen\n1,Export,It stops at page three for us\n"
    )
    assert '--columns "id=Ticket ID,subject=Subject,body=Anmerkungen"' in send(
        here, "view.csv", "--yes", status=2
    )


def test_a_table_without_names_of_columns_loses_no_row(here: ScriptDesk, tmp_path: Path) -> None:
    table = tmp_path / "bare.csv"
    table.write_text(
        "501,2026-06-02,The export stops at page 3.\n502,2026-06-03,The export is empty for us.\n"
    )
    said = send(here, "bare.csv", "--yes", status=2)
    assert "its first row names no columns, so they have numbers, 1 to 3" in said
    assert '--columns "body=column 3,created=column 2,id=column 1"' in said
    send(here, "bare.csv", "--columns", "id=1,created=2,body=3")
    assert sorted(there(here)) == ["501", "502"]
    table.write_text("503,2026-06-04,The export is slow for all of us.\n" + table.read_text())
    # What was said of one is kept for no other: they have only their width in common.
    said = send(here, "bare.csv", "--yes", status=2)
    assert "its first row names no columns" in said
    assert "as last time" not in said
    said = send(here, "bare.csv", "--columns", "id=1,created=2,body=3")
    assert "1 conversation sent and 2 sent before" in said
    # Names that are unknown are names all the same.
    table.write_text("Fall,Tag,Was geschah\n1,heute,The export stops at page 3.\n")
    assert "The columns are Fall, Tag and Was geschah." in send(here, "bare.csv", status=2)


def test_lines_with_several_mistakes_of_a_kind_are_named_once(
    here: ScriptDesk, tmp_path: Path
) -> None:
    one = '{"id": 1, "parts": []}'
    (tmp_path / "all.json").write_text(f"[{one},{one},\n{one},{one}\n,{one}]")
    assert "all.json: 4 more like line 1: 2, 3\n" in send(here, "all.json", status=2)
    (tmp_path / "all.json").write_text(f"[{one},{one}]")
    assert "all.json: 1 more like line 1, on it\n" in send(here, "all.json", status=2)


def test_mistakes_of_a_kind_are_told_once_and_counted(here: ScriptDesk, tmp_path: Path) -> None:
    rows = "id,text\n" + "".join(f"{n},{'x' if n % 2 else ''}\n" for n in range(60))
    (tmp_path / "many.csv").write_text(rows, encoding="utf-8")
    said = send(here, "many.csv", status=2).splitlines()
    assert said[-3:] == [
        "many.csv, line 2, conversation 1 (0): no text in it",
        "many.csv: 29 more like line 2: 4, 6, 8, 10, 12, 14, 16, 18, …",
        "copydesk: 30 complaints about what is in the files. Nothing was sent; --skip-bad leaves "
        "out what cannot be sent.",
    ]
    here.said()
    assert here.run("conversations", "send", "many.csv", "--skip-bad", "--json") == 1
    told = [json.loads(line) for line in here.said()[0].splitlines()]
    assert [each["state"] for each in told].count("bad") == 30


FIRST_MAIL = b"""From - Tue Jun  2 09:00:00 2026
From: Kim Sato <kim@example.org>
Subject: Export
Date: Tue, 2 Jun 2026 09:00:00 +0000
Message-ID: <a1@example.org>

The export of invoices fails. Write to kim@example.org about it.

"""
ANSWER = b"""From - Wed Jun  3 09:00:00 2026
From: Acme <support@acme.example>
Subject: Re: Export
Date: Wed, 3 Jun 2026 09:00:00 +0000
Message-ID: <a2@acme.example>
References: <a1@example.org>

Which month?

"""
LAST_MAIL = b"""From - Thu Jun  4 09:00:00 2026
From: Kim Sato <kim@example.org>
Subject: Re: Export
Date: Thu, 4 Jun 2026 09:00:00 +0000
Message-ID: <a3@example.org>
References: <a1@example.org> <a2@acme.example>

All of May.

"""


def test_a_later_part_of_a_thread_takes_nothing_away(here: ScriptDesk, tmp_path: Path) -> None:
    fails = "The export of invoices fails. Write to kim@example.org about it."
    boxes = {
        "one": FIRST_MAIL,
        "two": ANSWER,
        "three": ANSWER + LAST_MAIL,
        "masked": FIRST_MAIL + LAST_MAIL,
    }
    for name, mails in boxes.items():
        (tmp_path / f"{name}.mbox").write_bytes(mails)

    def talk() -> list[str]:
        (found,) = there(here).values()
        return found

    # What began earlier goes first, whichever is sent first.
    send(here, "two.mbox", "--team", "acme.example")
    assert "1 sent again" in send(here, "one.mbox")
    assert talk() == [fails, "Which month?"]
    assert "1 sent again" in send(here, "three.mbox", "--team", "acme.example")
    assert talk() == [fails, "Which month?", "All of May."]
    assert "1 sent before" in send(here, "three.mbox", "--team", "acme.example")
    # What is kept is masked, too, and nothing stands there twice for it.
    assert "1 sent again" in send(here, "masked.mbox", "--mask")
    hidden = fails.replace("kim@example.org", "[e-mail]")
    assert talk() == [hidden, "Which month?", "All of May."]
    assert "1 sent again" in send(here, "two.mbox", "--mask")
    assert talk() == [hidden, "Which month?", "All of May."]
    row = here.world.store.read(lambda tx: tx.all("SELECT * FROM conversation"))[0]
    assert (row["subject"], row["created_at"][:10]) == ("Export", "2026-06-02")
    send(here, "two.mbox", "--again")
    assert talk() == ["Which month?"]


def test_a_later_table_of_messages_takes_nothing_away_and_an_export_replaces(
    here: ScriptDesk, tmp_path: Path
) -> None:
    table = tmp_path / "messages.csv"
    columns = ("--columns", "id=Thread, role=Who, subject=Title, body=Words, created=When")
    send(here, "messages.csv", *columns)
    head = FILES["messages.csv"].partition("\n")[0]
    table.write_text(f"{head}\nt1,customer,,The word is invoice.,14/06/2026 8:00 AM\n", "utf-8")
    assert "1 sent again" in send(here, "messages.csv", *columns)
    assert there(here)["t1"] == ["Search finds nothing.", "Which words?", "The word is invoice."]
    send(here, "tickets.csv")
    tickets = tmp_path / "tickets.csv"
    tickets.write_text(FILES["tickets.csv"].replace("invite a reader", "ask Ann"), "utf-8")
    assert "1 sent again" in send(here, "tickets.csv")
    assert there(here)["4712"] == ["How do I ask Ann?"]


def test_dates_to_come_are_told_before_and_after(here: ScriptDesk, tmp_path: Path) -> None:
    rows = "id,text,created at\n1,Late,03/02/2999\n2,Later,04/02/2999\n9,Now,2026-06-02\n"
    (tmp_path / "late.csv").write_text(rows, encoding="utf-8")
    told = "2 are dated after today, the latest 2 Apr 2999: --dates dmy or mdy?"
    said = send(here, "late.csv")
    assert f"\n{told}\n" in said
    assert f"Acme: 3 conversations sent. {told}\n" in said
    (tmp_path / "late.csv").write_text("id,text,created at\n4,x,2999-04-02\n", encoding="utf-8")
    assert "1 is dated after today, the latest 2 Apr 2999.\n" in send(here, "late.csv")
    assert "after today" not in send(here, "bad.csv", "--skip-bad", status=1)


def test_a_file_of_no_known_kind_is_told_in_one_sentence(here: ScriptDesk, tmp_path: Path) -> None:
    for content in (b"%PDF-1.4\n1 0 obj [ { ] }", b"just some text\n", bytes(range(128, 256)) * 9):
        (tmp_path / "some.csv").write_bytes(content)
        assert send(here, "some.csv", status=2) == (
            "copydesk: some.csv: not in a known format: CSV, exports of help desks, mailboxes, "
            "mails and JSON are read. Nothing was sent.\n"
        )
    (tmp_path / "some.csv").write_text('Nr;Was;Wann\n1;"It fails;1.6.2026\n', encoding="utf-8")
    said = send(here, "some.csv", "--columns", "body=Was", status=2)
    assert "line 2: the file ends inside the quotation that begins here" in said
