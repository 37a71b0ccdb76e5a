"""Exports, tables and mailboxes: recognised by what is in them, and read as far as they go."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain import (
    ingest_conversation,
    ingest_exports,
    ingest_formats,
    ingest_frames,
    ingest_mail,
    ingest_table,
)
from copydesk.domain.ingest_conversation import masked
from copydesk.domain.ingest_exports import LISTS, read_exports
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_formats import find_format, in_utf_8, read_any
from copydesk.domain.ingest_frames import Complaint, Frame, pages
from copydesk.domain.ingest_mail import MailReader
from copydesk.domain.ingest_quotes import RowCheck, quote_line
from copydesk.domain.ingest_table import (
    Columns,
    ColumnsError,
    TableReader,
    guess,
    likely_columns,
    read_columns,
    written_columns,
)

EXPORTS = Path(__file__).parent / "exports"
FILES = sorted(EXPORTS.iterdir())

ROLES = {"user": "U", "team-member": "T", "assistant": "A"}


def read(data: bytes, **options: Any) -> list[Item | Complaint]:
    """Return what a command reads in a file that has these bytes."""
    file = io.BytesIO(data)
    found = find_format(file)
    if options and found.shape is not None:
        return list(TableReader(found.shape, guess(found.shape.header), **options).items(file))
    return list(MailReader(**options).items(file) if options else read_any(file))


def items(data: bytes, **options: Any) -> list[Item]:
    found = read(data, **options)
    assert [str(each) for each in found if isinstance(each, Complaint)] == []
    return [each for each in found if isinstance(each, Item)]


def complaints(data: bytes) -> list[str]:
    return [str(each) for each in read(data) if isinstance(each, Complaint)]


def told(item: Item) -> dict[str, Any]:
    """Return what is sent of a conversation, its parts as letters with their first words."""
    sent: dict[str, Any] = json.loads(item.conversation.to_json())
    sent["parts"] = [f"{ROLES[each['role']]} {each['body']}" for each in sent["parts"]]
    return sent


def test_every_export_is_recognised_and_read() -> None:
    titles = {}
    for file in FILES:
        with file.open("rb") as opened:
            titles[file.name] = find_format(opened).title
    assert titles == {
        "freshdesk.json": "export of Freshdesk",
        "front.jsonl": "export of Front",
        "help_scout.json": "export of Help Scout",
        "intercom.json": "export of Intercom",
        "mail.eml": "mail",
        "messages.csv": "table (CSV with commas)",
        "support.mbox": "mailbox (mbox)",
        "tickets.csv": "table (CSV with semicolons)",
        "zendesk.jsonl": "export of Zendesk",
        "zendesk_pages.json": "export of Zendesk",
    }
    read_as = {file.name: [told(each) for each in items(file.read_bytes())] for file in FILES}
    wanted = json.loads((EXPORTS.parent / "exports.json").read_text())
    assert read_as == wanted
    # The same ticket is the same conversation, however it was exported.
    ids = {name: [each["id"] for each in found] for name, found in read_as.items()}
    assert ids["zendesk.jsonl"] == ids["zendesk_pages.json"]
    assert ids["mail.eml"][0] in ids["support.mbox"]


class Bounded(io.BytesIO):
    """A file that fails a test which reads from it without a size."""

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert 0 <= size <= ingest_frames.LARGEST
        return super().read(size)

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert 0 <= size <= ingest_frames.LARGEST + 1
        return super().readline(size)


def test_no_file_is_held_whole_however_it_is_written() -> None:
    for file in FILES:
        data = file.read_bytes()
        assert list(read_any(Bounded(data))) == read(data)
    broken = (TABLE + '1,s,"It"fails,\n2,s,"It goes,\n3,s,It stops,\n').encode()
    assert list(read_any(Bounded(broken))) == read(broken)


def test_who_began_it_is_known_and_not_sent() -> None:
    found = [each for file in FILES for each in items(file.read_bytes())]
    assert {each.who for each in found} >= {"Mara Klein", "Noa Peléd", "Vernon Bear", "Pia Roth"}
    assert not any(b"Vernon" in each.conversation.to_json() for each in found)


@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_pages_are_read_in_any_pieces_one_after_another_or_in_a_list(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_frames, "PIECE", size)
    page = json.dumps({"users": [{"id": 1}], "tickets": [{"id": 2}, {"id": 3}], "count": 2})
    deep = json.dumps({"_embedded": {"conversations": [{"id": 4}]}, "page": {"a": [1]}}, indent=1)
    texts = (f"{page}\n{deep}", 5), (f"[ {page},\n{deep}]", 5), (f"\ufeff{page}{deep}", 4)
    for text, line in texts:
        found = list(pages(io.BytesIO(text.encode()), LISTS))
        frames = [each for each in found if isinstance(each, Frame)]
        assert [json.loads(each.data)["id"] for each in frames] == [2, 3, 4], text
        assert [each.number for each in frames] == [1, 2, 3]
        assert [each.within for each in frames] == ["tickets", "tickets", "conversations"]
        assert len(frames) == len(found)
        assert frames[-1].line == line
    in_a_word = list(pages(io.BytesIO(b'{"tickets": [{"id": 2}], "next": "http'), LISTS))
    assert isinstance(in_a_word[-1], Complaint)
    assert in_a_word[-1].sentence.startswith("the file ends inside a page")
    cut = list(pages(io.BytesIO(page[:-1].encode()), LISTS))
    assert isinstance(cut[-1], Complaint)
    assert "a part of it is missing" in cut[-1].sentence or "has no end" in cut[-1].sentence


def test_a_page_may_be_larger_than_a_conversation_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_frames, "PIECE", 4096)
    monkeypatch.setattr(ingest_frames, "LARGEST", 20_000)
    ticket = {"submitter_id": 1, "requester_id": 1, "description": "It fails. " * 40}
    many = [{"id": number} | ticket for number in range(400)]
    many[200]["description"] = "x" * 30_000
    found = read(json.dumps({"next_page": None, "tickets": many}).encode())
    assert sum(isinstance(each, Item) for each in found) == 399
    assert [str(each) for each in found if isinstance(each, Complaint)] == [
        "line 1, conversation 201: this is larger than 0 MiB"
    ]


def test_what_was_said_may_stand_beside_a_ticket_of_zendesk() -> None:
    ticket = {"id": 5, "submitter_id": 9, "requester_id": 9, "description": "It stops"}
    said = [{"author_id": 9, "body": "It stops"}, {"author_id": 1, "body": "When?"}]
    (found,) = items(json.dumps([{"ticket": ticket, "comments": said}]).encode())
    assert (found.id, told(found)["parts"]) == ("zendesk-5", ["U It stops", "T When?"])


def test_what_zendesk_writes_by_itself_is_not_what_a_person_said() -> None:
    ticket = {
        "id": 7, "submitter_id": 5, "requester_id": 5,
        "comments": [
            {"author_id": 5, "body": "It fails."},
            {"author_id": 9, "body": "Merged into #8.", "via": {"channel": "system"}},
            {"author_id": 9, "body": "Try again.", "via": {"channel": "web"}},
            {"author_id": 5, "body": "Merged into #9.", "via": {"channel": "system"}},
            {"author": {"id": 5}, "body": "It works."},
        ],
    }  # fmt: skip
    (found,) = items(json.dumps([ticket]).encode())
    said = [part.split(" ", 1)[0] for part in told(found)["parts"]]
    assert said == ["U", "A", "T", "A", "U"]


def test_what_is_missing_is_left_out_and_what_is_too_much_cut() -> None:
    ticket = {"id": 1, "submitter_id": 5, "subject": "s" * 600, "description": "d\0x", "url": "no"}
    ticket["organization"] = {"name": json.loads("[" * 900 + "]" * 900)}
    ticket["type"] = json.loads("[" * 900 + "]" * 900)
    ticket |= {"created_at": "soon", "tags": ["a", {"name": "b"}, None, 3], "status": True}
    (found,) = items(json.dumps([ticket]).encode())
    sent = told(found)
    assert len(sent.pop("subject")) == 512
    assert sent == {
        "id": "zendesk-1",
        "metadata": {"attributes": {"source": "zendesk", "status": "yes", "tags": "a, b, 3"}},
        "parts": ["U dx"],
    }
    odd = [
        {"id": 2, "submitter_id": 1, "comments": [{"body": ["no"]}, 7, None], "via": []},
        {"submitter_id": 1, "description": "No id"},
        {"id": "u-7", "name": "a user"},
        {"id": "a/b" * 200, "submitter_id": 1, "description": "Any id", "via": {"source": 3}},
        7,
    ]
    found_all = read(json.dumps(odd).encode())
    assert [str(each) for each in found_all if isinstance(each, Complaint)] == [
        "line 1, conversation 1 (zendesk-2): no text in it",
        "line 1, conversation 2: it has no id",
        "line 1, conversation 3 (u-7): this lacks the fields that a help desk writes of a "
        "conversation",
        "line 1, conversation 5: not an object",
    ]
    assert len(next(each for each in found_all if isinstance(each, Item)).id) == 24


def test_what_is_named_in_other_ways_is_read_too() -> None:
    ticket = {
        "id": 7, "requester_id": 3, "responder_id": None, "description_text": "Help",
        "requester_name": "Lea", "notes": [{"note": {"user_id": 9, "body_text": "Tried it?"}}],
    }  # fmt: skip
    (found,) = items(json.dumps([ticket]).encode())
    assert (found.who, told(found)["parts"]) == ("Lea", ["U Help", "T Tried it?"])
    related = {"related": {"conversation": "https://a.frontapp.test/conversations/cnv_1/"}}
    message = {
        "_links": related, "id": "msg_1", "type": "email", "is_inbound": True,
        "created_at": 1780397000.5, "blurb": "It…", "text": "It fails.", "recipients": [],
    }  # fmt: skip
    (found,) = items(json.dumps(message).encode())
    assert (found.id, told(found)["parts"]) == ("front-cnv_1", ["U It fails."])
    related["related"] = {"conversation": "https://a.frontapp.test/conversations/one"}
    named = {**message, "_links": {}, "conversation_id": "two"}
    assert [each.id for each in items(json.dumps([message, named]).encode())] == [
        "front-one", "front-two",
    ]  # fmt: skip
    alone = {**message, "_links": {}}
    more = {**alone, "id": "msg_2", "text": "It fails again."}
    found_both = items("\n".join(map(json.dumps, (alone, more, named, more))).encode())
    assert [(each.id, told(each)["parts"]) for each in found_both] == [
        ("front-msg_1", ["U It fails."]), ("front-msg_2", ["U It fails again."]),
        ("front-two", ["U It fails."]), ("front-msg_2", ["U It fails again."]),
    ]  # fmt: skip


def test_columns_are_named_guessed_and_written() -> None:
    header = ["Ticket ID", "Betreff", "Nachricht", "Erstellt am", "Status", "E-Mail", "a, b"]
    wanted = {"id": 0, "subject": 1, "body": 2, "created": 3, "author": 5}
    assert guess(header) == Columns(wanted, (4,))
    named = read_columns('body=nachricht, ID=1, "keep=a, b", keep=E-Mail', header)
    assert named == Columns({"body": 2, "id": 0}, (6, 5))
    assert read_columns(written_columns(named, header), header) == named
    for said, why in (
        ("text=Nachricht", "“text=Nachricht” names no column: write MEANING=COLUMN"),
        ("Nachricht", "names no column"),
        ("body=Text", "^there is no column “Text”; there are Ticket ID, Betreff"),
        ("body=8", "there is no column “8”"),
        ("id=1", "^no column is named for body, which is what someone writes$"),
        ("", "no column is named for body"),
    ):
        with pytest.raises(ColumnsError, match=why.replace("“", ".").replace("”", ".")):
            read_columns(said, header)


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        ("Ticket-Nr.;Betreff;Beschreibung", "id subject body"),
        ("Conversation #;Preview;Requested", "id body created"),
        ("Descripción;Fecha", "body created"),
        ("Réponse;Question", "reply body"),
        ("number;title;body;createdAt;author.login;html_url",
         "id subject body created author url"),
        ("チケット番号;件名;内容;作成日;顧客名", "id subject body created author"),
    ],
)  # fmt: skip
def test_signs_accents_and_capitals_make_no_other_name(header: str, meant: str) -> None:
    told = {meaning: at for at, meaning in enumerate(meant.split())}
    assert guess(header.split(";")).meant == told
    assert guess(["Text", "ticket.Priorität"]).kept == (1,)


def test_the_title_of_a_report_above_a_table_is_no_part_of_it() -> None:
    titles = "Tickets;;;\nWeek 48: Mon - Sun;;;\n;;;\n", "Tickets of the week, all\n\nBy: Ana\n"
    table = "Nr;Betreff;Beschreibung;Datum\n7;Export;Er hält an;02.06.2026\n8;Login;Geht nicht;\n"
    for title in titles:
        found = items((title + table).encode("cp1252"))
        assert [(each.id, each.line) for each in found] == [("7", 5), ("8", 6)]
        assert told(found[0])["subject"] == "Export"
    # A row of words below a header is none.
    (row,) = items(b"id,text\nsubject,description\n")
    assert (row.id, told(row)["parts"]) == ("subject", ["U description"])


def test_dates_that_a_spreadsheet_saved_as_numbers_are_read_and_others_counted() -> None:
    table = b"id,text,created\n1,It stops,46175.375\n2,It fails,soon\n3,It ends,\n4,No,later\n"
    file = io.BytesIO(table)
    shape = find_format(file).shape
    assert shape is not None
    reader = TableReader(shape, guess(shape.header))
    found = [each for each in reader.items(file) if isinstance(each, Item)]
    created = [each.conversation.metadata for each in found]
    assert [str(each.created_at) if each else None for each in created] == [
        "2026-06-02 09:00:00+00:00", None, None, None
    ]  # fmt: skip
    assert (reader.no_dates, reader.no_date) == (2, "soon")


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp932", "件名;内容\nログイン;二段階認証のコードが届かず、ログインできません。\n"),
        ("cp932", "subject;text\n数;新人、人数。\n"),
        ("gb18030", "标题;内容\n登录;更新后无法登录系统\n"),
        ("cp1251", "Тема;text\nВход;Не могу войти в систему\n"),
    ],
)
def test_words_that_nobody_could_read_are_not_sent(encoding: str, words: str) -> None:
    (said,) = complaints(f"id;subject;{words}".encode(encoding))
    assert "neither UTF-8 nor what Windows writes in Western Europe" in said
    assert "--encoding" in said
    assert find_format(io.BytesIO(f"id;text\n1;{words}".encode())).refusal == ""


def test_a_row_that_a_lone_line_end_breaks_is_told_with_its_line() -> None:
    broken = "a line ends in the middle of a field: put the field in quotation marks"
    assert complaints(b"id,text\n1,a\n2,b\rc\n3,d\n") == [f"line 3: {broken}"]


def test_lines_of_both_encodings_are_read_and_it_is_said() -> None:
    table = "id;text\n1;Größe\n".encode() + "2;Er hält an\n".encode("cp1252") + b"3;a\x81b c\n"
    found = items(table)
    assert [told(each)["parts"] for each in found] == [
        ["U Größe"],
        ["U Er hält an"],
        ["U a\ufffdb c"],
    ]
    title = find_format(io.BytesIO(table)).title
    assert title == (
        "table (CSV with semicolons, Windows-1252 where it is not UTF-8: --encoding names another)"
    )
    # A sign that the first bytes end in is no other encoding; one that a line ends in is.
    long = b"id;text\n" + "1;ä\n2;ää\n".encode() * 9_000
    assert find_format(io.BytesIO(long)).is_utf_8
    for words in ("id,body\n1,Mon café\n2,Un thé\n", "id,body\n1,Un thé"):
        assert not find_format(io.BytesIO(words.encode("cp1252"))).is_utf_8


@pytest.mark.parametrize("size", [3, 1 << 20])
def test_utf_16_is_known_wherever_a_file_is_looked_at(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_formats, "PIECE", size)
    table = "id\ttext\r\n1\tHält an\r\n".encode("utf-16")
    (found,) = items(table)
    assert told(found)["parts"] == ["U Hält an"]
    assert find_format(io.BytesIO(table)).title == "table (CSV with tabs)"
    assert in_utf_8(io.BytesIO(table + b"x")).read() == "id\ttext\r\n1\tHält an\r\n\ufffd".encode()
    ticket = json.dumps({"id": 5, "submitter_id": 9, "description": "It stops"})
    assert find_format(io.BytesIO(ticket.encode("utf-16"))).kind == "export"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[2024-01-01 10:00] Ana: hello\n[2024-01-01 10:01] Bo: hi\n", "other"),
        ("[Support] Login,hello,x\n[Support] Logout,bye,y\n", "table"),
        ("[11.02.26, 10:00:00] Ana: hello\n", "other"), ("[1, {", "json"),
        ('[ok, {"id": 1}', "json"), ("{,", "json"), ("[null]", "json"),
        ("[id],subject,body\n1,Login,It fails\n", "table"),
        ("PK,subject,body\n1,Login,It fails\n", "table"), ("[1] See below.", "other"),
        ("\ufeff [\n{", "json"), ('{"id": 1', "json"), ("[", "json"), ("{'id': 1}", "json"),
        ("[]", "json"), ("\ufeff", "json"), (" \n", "json"),
    ],
)  # fmt: skip
def test_json_is_known_by_more_than_its_first_sign(text: str, kind: str) -> None:
    assert find_format(io.BytesIO(text.encode())).kind == kind


@pytest.mark.parametrize(
    ("begins", "why"),
    [
        (b"PK\3\4", "save the table as CSV"), (b"\xd0\xcf\x11\xe0", "save the table as CSV"),
        (b"\x1f\x8b\x08", "unpack it first"), (b"\n<!doctype html>", "export it as CSV or JSON"),
        (b"\xef\xbb\xbf<html>", "export it as CSV or JSON"),
        (b"{\\rtf1\\ansi;\n{a;\n{b;\n", "export the conversations as CSV or JSON"),
        (b"%PDF-1.4", "not in a known format"),
    ],
)  # fmt: skip
def test_what_to_do_is_said_of_files_that_are_not_read(begins: bytes, why: str) -> None:
    (said,) = complaints(begins + b"\0, \n rest")
    assert why in said


TABLE = "id,subject,description,created at\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tables_of_any_make_are_read(encoding: str, delimiter: str, ending: str) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending)
    body = f'Zurück geht "es" nicht{delimiter}\nsagt Zoë'
    writer.writerows([["id", "subject", "description"], ["1", "Käse", body], ["", "", ""]])
    writer.writerow(["2", "", "<p>Ja &amp; nein</p>"])
    found = items(out.getvalue().encode(encoding))
    assert [(each.id, each.line) for each in found] == [("1", 2), ("2", 5)]
    assert found[0].conversation.subject == "Käse"
    assert found[0].conversation.parts[0].body == body
    assert found[1].conversation.parts[0].body == "Ja & nein"


def test_one_column_is_a_table_where_its_name_says_so() -> None:
    found = items(b"question\nHow, and where, do I log in?\nWhy; not\n\n")
    assert [told(each)["parts"] for each in found] == [
        ["U How, and where, do I log in?"], ["U Why; not"]
    ]  # fmt: skip
    for text in (b"question\n", b"hello\nthere\n", b"What is it?\nA text\n"):
        assert find_format(io.BytesIO(text)).kind == "other", text


def test_a_table_without_a_column_of_words_says_so() -> None:
    assert complaints(b"a;b\n1;2\n") == [
        "line 1: no column name says what people write; “copydesk conversations send” takes "
        "--columns"
    ]


MANY_LINES = "It stops for us.\n" * 1_000


@pytest.mark.parametrize(
    "table",
    [
        "Subject,Notes,Foo\nshort,only\n",
        "Subject,Notes,Foo\n" + 'Export,"It stops at\npage three for all of us",x\n' * 10 + "a,b\n",
        "Subject,Notes,Foo\n" + f'Export,"{MANY_LINES}",x\n' * 10,
    ],
    ids=["short", "one short", "cut in a quotation"],
)
def test_rows_that_are_short_or_cut_do_not_tell_what_columns_are(table: str) -> None:
    shape = find_format(io.BytesIO(table.encode())).shape
    assert shape is not None
    assert all(len(row) == 3 for row in shape.rows)
    columns = likely_columns(shape)
    assert columns is not None
    assert columns.meant["body"] == (1 if shape.rows else 0)


def test_what_columns_hold_tells_which_are_ids_and_what_people_say() -> None:
    table = "A,B,C\nnot one,T-1,It stops for us\nword long,T-2,Nor does it go\n"
    shape = find_format(io.BytesIO(table.encode())).shape
    assert shape is not None
    assert likely_columns(shape) == Columns({"body": 2, "id": 1}, ())


@pytest.mark.parametrize(
    ("written", "body"),
    [
        (("It stops for us", "Nor does it go on here"), 2),
        (("It stops for all of us", "Nor does it go"), 1),
        (("It stops for us", "Nor does it go"), 1),
        (("It stops", "Nor does it go"), 2),
        (("It stops", "Nor does it"), None),
    ],
)
def test_the_column_in_which_most_is_written_is_what_people_say(
    written: tuple[str, str], body: int | None
) -> None:
    shape = find_format(io.BytesIO(f"A,B,C\n1,{written[0]},{written[1]}\n".encode())).shape
    assert shape is not None
    found = likely_columns(shape)
    assert (found and found.meant["body"]) == body


def test_a_table_without_names_is_known_though_its_head_ends_in_a_quotation() -> None:
    table = "4711,2026-06-02,It stops,x\n" + f'4712,2026-06-03,"{MANY_LINES}",x\n' * 10
    shape = find_format(io.BytesIO(table.encode())).shape
    assert shape is not None
    assert shape.nameless


def test_what_excel_writes_before_a_table_is_no_header() -> None:
    for before in ("sep=;\r\n", "\r\n", "\ufeffsep=;\n;;\n"):
        found = items(f"{before}Nr;Text\r\n1;Hilfe\r\n".encode())
        assert [(each.id, told(each)["parts"]) for each in found] == [("1", ["U Hilfe"])], before


def test_spam_and_what_was_deleted_is_left_out_and_nothing_wrong() -> None:
    asked = b'"requester_id": 3, "description_text": "Help", "subject": "S", "responder_id": null'
    for state in (b'"spam": true', b'"deleted": true', b'"status": "Spam"'):
        (found,) = read(b'[{"id": 7, %b, %b}]' % (asked, state))
        assert isinstance(found, Complaint)
        assert not found.loses
        assert str(found) == (
            "line 1, conversation 1 (7): left out: it is spam in Freshdesk, or deleted there"
        )
    assert len(items(b'[{"id": 7, %b, "status": "Open"}]' % asked)) == 1


def test_a_row_that_stands_twice_is_said_once_and_a_nul_is_no_other_format() -> None:
    (found,) = items(b"id,text\n1,Hel\0p\n1,Hel\0p\n1,Again\n")
    assert told(found)["parts"] == ["U Help", "U Again"]


def test_no_more_is_held_than_a_conversation_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ingest_table, ingest_mail, ingest_conversation):
        monkeypatch.setattr(module, "LARGEST", 3_000)
    rows = "id,text\n" + "".join(f"{n % 2},{'x' * 900}{n}\n" for n in range(40)) + "2,fits\n"
    reads = 0
    row_at = ingest_table._row_at

    def counted(*given: Any) -> Any:
        nonlocal reads
        reads += 1
        return row_at(*given)

    monkeypatch.setattr(ingest_table, "_row_at", counted)
    said = [str(each) for each in read(rows.encode())]
    assert [each.split(": ", 1)[-1] for each in said[:2]] == ["this is larger than 0 MiB"] * 2
    assert "fits" in said[2]
    assert reads == 8
    thread = "".join(
        f"From a Tue Jun  2 09:00:0{n} 2026\nFrom: a@b.c\nSubject: s\nMessage-ID: <{n}@x>\n"
        f"References: <0@x>\n\n{'x' * 900}\n\n"
        for n in range(9)
    )
    assert complaints(thread.encode())[0].endswith("this is larger than 0 MiB")


@pytest.mark.parametrize("size", [ingest_frames.ROOM * 1_000, ingest_frames.ROOM * 1_000 + 1])
def test_messages_of_a_conversation_are_gathered_as_far_as_there_is_room(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_exports, "LARGEST", 1_000)

    def message(key: str, number: int, size: int) -> str:
        said = {"id": f"msg_{number}", "is_inbound": True, "conversation_id": f"cnv_{key}",
                "text": f"{key} {number}", "blurb": ""}  # fmt: skip
        said["blurb"] = "x" * (size - len(json.dumps(said)))
        return json.dumps(said)

    ticket = '{"id": 7, "requester_id": 3, "responder_id": 1, "description_text": "Help"}'
    large = [message(key, n, each) for key in "ab" for n, each in ((1, 900), (2, size - 900))]
    found = items("\n".join([*large, ticket, *large[2:]]).encode())
    a, b = ([f"U {key} 1", f"U {key} 2"] for key in "ab")
    if size > ingest_frames.ROOM * 1_000:
        del a[1], b[1]
    assert [told(each)["parts"] for each in found] == [a, b, ["U Help"], b]


def test_rows_of_one_conversation_are_joined_wherever_they_stand() -> None:
    found = items((EXPORTS / "messages.csv").read_bytes(), team=["acme.example"])
    assert [told(each)["parts"] for each in found] == [
        ["U Search finds nothing.", "T Which words?", 'U "invite"'],
        ["U The code never arrives.", "T [Internal note] Their phone is new."],
    ]
    turned = (EXPORTS / "messages.csv").read_bytes().splitlines(keepends=True)
    again = items(b"".join([turned[0], *reversed(turned[1:])]), team=["acme.example"])
    assert [told(each) for each in again] == [told(each) for each in found]
    # Without roles the addresses tell, or else who began.
    rows = "id,from,text\n7,Ana <ana@x.org>,Help\n8,b,b\n7,lena@acme.example,Which?\n"
    for team in ([], ["lena@acme.example"], ["@ACME.example"]):
        assert told(items(rows.encode(), team=team)[0])["parts"] == ["U Help", "T Which?"]
    assert told(items(rows.encode(), team=["x.org"])[0])["parts"] == ["T Help", "U Which?"]


def test_a_row_without_an_id_is_known_again() -> None:
    rows = "subject,description,answer\na,One,\nb,Two,Yes\n"
    first, second = items(rows.encode()), items((rows + "c,Three,\n").encode())
    assert [each.id for each in first] == [each.id for each in second[:2]]
    assert len({each.id for each in second}) == 3
    assert told(second[1])["parts"] == ["U Two", "T Yes"]


def test_a_source_names_conversations_as_its_export_does() -> None:
    (found,) = items(b"id,text\n4711,Help\n", source="Zendesk")
    assert (found.id, told(found)["metadata"]) == (
        "Zendesk-4711".lower(),
        {"attributes": {"source": "Zendesk"}},
    )


@pytest.mark.parametrize(
    ("rows", "order", "month", "is_open"),
    [
        ("02/03/2026\n13/03/2026", None, 3, False),
        ("02/03/2026\n03/13/2026", None, 2, False),
        ("02/03/2026\n04/03/2026", None, 2, True),
        ("02/03/2026\n04/03/2026", "dmy", 3, False),
        ("03/03/2026\n04/04/2026", None, 3, False),
    ],
)
def test_dates_are_read_as_the_others_of_a_table(
    rows: str, order: Any, month: int, is_open: bool
) -> None:
    file = io.BytesIO(("date,text\n" + rows.replace("\n", ",x\n") + ",y\n").encode())
    shape = find_format(file).shape
    assert shape is not None
    table = TableReader(shape, guess(shape.header), order=order)
    found = [each for each in table.items(file) if isinstance(each, Item)]
    metadata = found[0].conversation.metadata
    assert metadata is not None
    assert metadata.created_at is not None
    assert metadata.created_at.month == month
    assert table.open_dates == is_open


def test_a_quotation_mark_without_an_end_hides_one_row_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ingest_table, "LARGEST", 5_000)
    rows = "".join(f"{number},s,It fails,2026-01-01\n" for number in range(400))
    broken = TABLE + '"a,s,b,c\n' + rows
    found = read(broken.encode())
    assert [each.id for each in found if isinstance(each, Item)] == [str(n) for n in range(400)]
    assert [each.line for each in found if isinstance(each, Complaint)] == [2]
    assert "a quotation mark has no end" in complaints(broken.encode())[0]
    # Very many of them end it.
    many = TABLE + "".join(f'"{number},s\n{"x" * 6_000}\n' for number in range(60))
    assert complaints(many.encode())[-1].endswith("too much of it is broken")
    moved = TABLE + "1,s,It fails,2026-01-01,a,b,c,d\n2,s,It fails,2026-01-01,\n"
    assert complaints(moved.encode())[0] == (
        "line 2, conversation 1 (1): this row has 8 columns, the first has 4: a quotation mark is "
        "missing, perhaps"
    )


DOORS = "Nr;Title;Text;Date;Plan\n"
DOOR = "Y-{0};Door;Gate {0};01.11.2026 10:00;Solo\n"
OPEN = '1;Door;"It fails;1.11.2026;S\n'
GOOD = "Y-8;A;a;1.1.2026;S\n"


@pytest.mark.parametrize(
    ("rows", "line", "why", "left"),
    [
        ('1;Door;"It fails;01.11.2026 10:00;Solo', 3, "the file ends inside", [0, 2, 3]),
        ('1;Door;"It fails\nsince, perhaps; May', 3, "the file ends inside", [0, 2, 3]),
        ('1;"Door\nA";"It fails;01.11.2026;Solo', 4, "the file ends inside", [0, 2, 3]),
        ('1;"Door";"It fails;1.11.2026;S\nY-8;"A";a;1.1.2026;S', 3, "neither a", [0, 8, 2, 3]),
        (OPEN + 'Y-8;A;of 5";1.1.2026;S', 3, "other rows", [0, 8, 2, 3]),
        (OPEN + GOOD + 'Y-9;A;5";1.1.2026;S', 3, "other rows", [0, 8, 9, 2, 3]),
        (
            OPEN.replace("It", "Since\nMay; it") + GOOD + 'Y-9;A;5";1.1.2026;S',
            3,
            "other rows",
            [0, 8, 9, 2, 3],
        ),
        (OPEN + 'Y-8;A;a;1.1.2026;of 5"', 3, "other rows", [0, 8, 2, 3]),
        ('1;Door;"It fails;01.11.2026;of 5"', 3, "other rows", [0, 2, 3]),
    ],
)
def test_a_quotation_mark_without_its_end_takes_no_other_row(
    rows: str, line: int, why: str, left: list[int]
) -> None:
    table = DOORS + DOOR.format(0) + f"Y-{rows}\n" + DOOR.format(2) + DOOR.format(3)
    file = io.BytesIO(table.encode())
    shape = find_format(file).shape
    assert shape is not None
    columns = read_columns("id=Nr, subject=Title, body=Text, created=Date", shape.header)
    found = list(TableReader(shape, columns).items(file))
    wrong = [each for each in found if isinstance(each, Complaint)]
    assert [(each.line, why in each.sentence) for each in wrong] == [(line, True)]
    assert [each.id for each in found if isinstance(each, Item)] == [f"Y-{n}" for n in left]


def test_without_dates_a_cell_that_ends_its_row_and_begins_another_holds_rows() -> None:
    rows = RowCheck(";", 4, id_at=0)
    assert rows.swallows(["1", "Door", "It fails;S\n2;A;a", "S"], ragged=False) == 2
    assert rows.swallows(["1", "Door", "See\n2;A;a", "S"], ragged=False) is None


@pytest.mark.parametrize(
    ("cells", "ragged", "number"),
    [
        (["1", "a;b", "c"], False, 1), (["1", "a;b", "c"], True, None),
        (["1", "a;b;c", "d"], False, None), (["1", "a;b;c"], False, 1),
        (["1", "a\nb;c", "d"], False, 1), (["1", "a\nb", "d"], False, None),
        (["1", "a;b", "c", "d"], False, None), (["1", "a;b", "c", "d", "", ""], False, None),
        (["1", "a\nb;c", "d", "e", "f"], False, 1), (["1", "a", "b"], False, None),
        (["1", "a", "b", "c\n2;a;b;c"], True, 3), (["1", "a", "b", "c\n2; a;b;c"], True, None),
        (["1", "a", "b\n2;a;b;c", ""], True, None), (["1", "a", "b;c\n2;a;b", "c"], True, 2),
    ],
)  # fmt: skip
def test_a_cell_that_has_what_stands_between_cells_or_rows_may_hold_rows(
    cells: list[str], ragged: bool, number: int | None
) -> None:
    assert RowCheck(";", 4).swallows(cells, ragged=ragged) == number


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('1,"a\nb",2\n3,"c', 2), ('1,"a"b,2\n', 0), ('1\n"a""b"\n"c"d', 2),
        ('1,"a"\n2,b"c\n', 0), ("1,a\n2,b\n", 0), ('1,"a",', 0), ('1,"a"', 0),
        ('\n\n1,"a', 2), ('\r\n"a', 1),
    ],
)  # fmt: skip
def test_the_line_is_that_of_the_quotation_that_breaks_a_row(text: str, line: int) -> None:
    assert quote_line(text, ",") == line


def test_quotations_that_end_may_hold_anything() -> None:
    quoted = "id,subject,description,created at\n1,Login,fails,2026-01-01\n2,Login,fails,2026-01-02"
    bodies = [
        "Hello,\n\nsince May, or June, it fails,\n3, perhaps 4, times.\nBye, Ana",
        f"The import of this fails:\n\n{quoted}\n\nWhy?",
        f"{quoted}\nWhy?",
        quoted,
        'She said "no",\nor "yes", and\n"maybe"',
        "1,\n2,\n3,",
    ]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "subject", "description", "created at"])
    writer.writerows([n, "Import, again", body, "2026-01-01"] for n, body in enumerate(bodies))
    found = items(out.getvalue().encode())
    assert [each.conversation.parts[0].body for each in found] == bodies
    # Nor are rows wrong that leave the last cells out, where others do.
    short = TABLE + '1,s,It fails\n2,s,"It, or so,\nfails"\n'
    assert [each.id for each in items(short.encode())] == ["1", "2"]


def test_mails_are_threaded_each_once_whatever_the_order() -> None:
    data = (EXPORTS / "support.mbox").read_bytes()
    cut = [b"From " + each for each in data.split(b"\nFrom ")]
    cut[0] = cut[0].removeprefix(b"From ")
    turned = b"\n".join([*reversed([each.rstrip(b"\n") + b"\n" for each in cut]), cut[0]])
    ids = {each.id: told(each) for each in items(data)}
    assert {each.id: told(each) for each in items(turned)} == ids
    ours = {each.id: told(each)["parts"] for each in items(data, team=["example.org"])}
    assert [each[0] for each in next(iter(ours.values()))] == ["T", "U", "T"]


def mail(body: str, *head: str) -> bytes:
    lines = ["From: Ana <ana@example.org>", "Subject: Re: x", *head, "", body, ""]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("Run this:\n> npm start\nIt fails.", "Run this:\n> npm start\nIt fails."),
        ("No.\n\nAm 2. Juni 2026 schrieb Ana Li\n<ana@example.org>:\n\n> Ja?", "No."),
        ("No.\r\n\r\nLe mar. 2 juin 2026, Ana a écrit :\r\n> Oui ?", "No."),
        ("No.\n\n-----Original Message-----\nFrom: x\nYes", "No."),
        ("No.\n\n________________________________\nFrom: A <a@b.c>\nSent: Monday\nTo: x\n", "No."),
        ("On Monday, Ana wrote:\n> Yes?\n\nNo, below.", "No, below."),
        ("No.\n-- \nAna\nTel. 1", "No."),
        ("No.\n\nSent from my iPhone", "No."),
        (
            "On Monday it wrote files.\nOn Tuesday not.",
            "On Monday it wrote files.\nOn Tuesday not.",
        ),
        ("From here it goes on.\nTo there.", "From here it goes on.\nTo there."),
    ],
)
def test_only_what_somebody_wrote_is_kept_of_a_mail(body: str, own: str) -> None:
    (found,) = items(mail(body, "Content-Type: text/plain; charset=utf-8"))
    assert found.conversation.parts[0].body == own
    assert found.conversation.subject == "x"


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "undefined"])
def test_a_mail_is_read_as_it_stands_where_no_text_is_written_so(charset: str) -> None:
    (found,) = items(mail("Hi\\x41 bcher-kva", f"Content-Type: text/plain; charset={charset}"))
    assert found.conversation.parts[0].body == "Hi\\x41 bcher-kva"


@pytest.mark.parametrize(
    ("charset", "body", "own"),
    [
        ("", b"Gr\xc3\xbc\xc3\x9fe", "Grüße"),
        ("", b"\x93Gr\xfc\xdfe\x94", "“Grüße”"),
        ("us-ascii", b"Gr\xc3\xbc\xc3\x9fe", "Grüße"),
        ("no-such-charset", b"\x93Gr\xfc\xdfe\x94", "“Grüße”"),
        ("koi8-r", b"\xe4\xc1", "Да"),
        ("utf-8", b"\x81 or \xfc", "\x81 or ü"),
    ],
)
def test_a_mail_is_read_in_its_charset_or_the_one_that_fits(
    charset: str, body: bytes, own: str
) -> None:
    kind = f"Content-Type: text/plain; charset={charset}" if charset else "X: y"
    head = mail("", kind, "Content-Transfer-Encoding: 8bit")
    found = list(MailReader().items(io.BytesIO(head + body)))
    assert [told(each)["parts"] for each in found if isinstance(each, Item)] == [[f"U {own}"]]


@pytest.mark.parametrize(
    ("head", "who", "subject"),
    [
        (b"From: =?utf-8?q?Z=C3=B6?= <Z@x.test>\nSubject: =?iso-8859-1?q?H=F6?=", "Zö", "Hö"),
        (b"From: Z@X.test\nSubject: AW: Re: Help", "z@x.test", "Help"),
        (b"From: =?no-such?q?Z?= <z@x.test>\nSubject: =?no-such?q?H?=", None, "=?no-such?q?H?="),
        (b"From: " + b"(" * 3_000 + b"\nSubject: x", "", "x"),
        (b"From: z@x.test\nSubject:" + b" x" * 5_000, "z@x.test", None),
        (b"From: z@x.test", "z@x.test", ""),
    ],
    ids=["encoded", "plain", "unknown", "comments", "long", "none"],
)  # fmt: skip
def test_who_wrote_a_mail_and_about_what_is_read_as_far_as_it_can_be(
    head: bytes, who: str | None, subject: str | None
) -> None:
    (found,) = MailReader().items(io.BytesIO(head + b"\n\nHelp\n"))
    assert isinstance(found, Item)
    assert told(found)["parts"] == ["U Help"]
    assert who is None or found.who == who
    said = found.conversation.subject or ""
    assert said.startswith("x x x") if subject is None else said == subject


@pytest.mark.parametrize(
    ("parts", "own"),
    [
        (["text/html|<p>No</p>", "text/plain|Yes"], "Yes"),
        (["text/plain|", "text/html|<p>No</p>"], "No"),
        (["text/plain; name=a.txt|No", "text/html|<p>Yes</p>"], "Yes"),
        (["text/plain\nContent-Disposition: Attachment|No", "text/plain|Yes"], "Yes"),
        (["text/plain\nContent-Disposition: inline|Yes", "text/plain|No"], "Yes"),
        (["image/png|No", "text/html|<p>Yes</p>", "text/html|<p>No</p>"], "Yes"),
        ([f"text/html; x={'y' * 5_000}|Yes"], "Yes"),
    ],
)
def test_of_the_parts_of_a_mail_the_first_plain_text_says_something(
    parts: list[str], own: str
) -> None:
    inner = "".join(
        f"--b\nContent-Type: {kind}\n\n{body}\n"
        for kind, _, body in (p.partition("|") for p in parts)
    )
    mixed = "Content-Type: multipart/mixed; boundary=b"
    assert told(items(mail(f"{inner}--b--", mixed))[0])["parts"] == [f"U {own}"]


def test_a_moment_without_a_zone_is_in_utc_and_mails_are_in_the_order_of_theirs() -> None:
    def answer(number: int, date: str) -> str:
        head = f"From a Tue Jun  2 09:00:00 2026\nFrom: a@b.c\nMessage-ID: <{number}@x>\n"
        return f"{head}References: <0@x>\nDate: {date}\n\nNo {number}\n\n"

    dates = ("soon", "Tue, 2 Jun 2026 10:00:00", "Tue, 2 Jun 2026 11:30:00 +0200", "1 Jan 0001 x")
    thread = "".join(answer(number, date) for number, date in enumerate(dates))
    (found,) = items(thread.encode())
    assert told(found)["parts"] == ["U No 2", "U No 1", "U No 0", "U No 3"]
    assert told(found)["metadata"]["createdAt"] == "2026-06-02T09:30:00Z"


def test_mails_of_programs_are_known_and_odd_ones_read() -> None:
    assert told(items(mail("Away.", "Auto-Submitted: auto-replied"))[0])["parts"] == ["A Away."]
    form = b"From: no-reply@acme.example\nReply-To: Jo <jo@example.org>\nSubject: s\n\nHelp\n"
    assert (told(items(form)[0])["parts"], items(form)[0].who) == (["U Help"], "Jo")
    html = (
        '<p>No.</p><div class="gmail_quote">On Monday Ana wrote:<blockquote>Yes</blockquote></div>'
    )
    (found,) = items(mail(html, "Content-Type: text/html; charset=no-such-charset"))
    assert told(found)["parts"] == ["U No."]
    for head in (
        'Content-Type: text/plain; charset="\udcff"',
        "Content-Transfer-Encoding: base64",
        "Date: Tue, 99 Foo 2026 99:99:99 +9999",
        "Message-ID: <",
        "References: " + "<a@b> " * 3000,
        "Subject: =?utf-8?b?!!!?=",
        "Content-Type: multipart/mixed",
    ):
        data = mail("Zm9v", "X: y").replace(b"X: y", head.encode("utf-8", "surrogateescape"))
        assert len(read(data)) == 1


def test_masking_leaves_nothing_of_persons() -> None:
    card, iban, key = (
        "4111 1111 1111 1111",
        "DE89 3704 0044 0532 0130 00",
        "sk_live_abcdefgh12345678",
    )
    said = f"Ana <ana@example.org>, +49 170 1234567, {card}, {iban}, {key}, password: hunter2"
    rows = [
        ["id", "subject", "text", "plan", "url"],
        [
            "ana@example.org",
            said,
            f"{said}\n\u200bana\u200b@example.org",
            said,
            "https://x.org/a@b.cc",
        ],
        ["2", "Order 123456", "Version 1.2.3 on 2026-06-02", "pro", "https://x.org/2"],
    ]
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    found = items(out.getvalue().encode())
    hidden = [seen for each in found if isinstance(seen := masked(each), Item)]
    sent = hidden[0].conversation.to_json().decode()
    for each in ("example.org", "170", "4111", "3704", "sk_live", "hunter2", "a@b"):
        assert each in found[0].conversation.to_json().decode()
        assert each not in sent
    assert hidden[1].conversation == found[1].conversation
    assert hidden[1].digest == found[1].digest
    assert hidden[0] == masked(found[0])
    assert masked(hidden[0]) == hidden[0]


# Hostile files

ODD = [
    *(
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\n",
        b"\0",
        b"\xff",
        b"\\",
        b"\r",
        b"null",
        b"From ",
        b"--b1",
    ),
    *(b"\xed\xa0\x80", b"[" * 3000, b'{"a":' * 3000, b"9" * 5000, b"<" * 500),
]
SEEDS = {file.name: file.read_bytes() for file in FILES}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SEEDS)), st.floats(0, 1), st.sampled_from(["", "\n", "}", '"', "]"]))
def test_a_cut_file_gives_what_was_whole_and_no_more(name: str, part: float, end: str) -> None:
    data = SEEDS[name]
    whole = {each.id for each in items(data)}
    found = read(data[: int(len(data) * part)] + end.encode())
    begun = {each.id for each in found if isinstance(each, Item)}
    if name.endswith((".jsonl", ".json")):
        assert begun <= whole
    assert len(found) <= len(whole) + 40


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(sorted(SEEDS)),
    st.lists(
        st.tuples(
            st.floats(0, 1),
            st.sampled_from(ODD),
            st.integers(0, 30),
        ),
        max_size=6,
    ),
)  # fmt: skip
def test_whatever_is_wrong_in_a_file_ends_in_words(
    name: str, changes: list[tuple[float, bytes, int]]
) -> None:
    data = SEEDS[name]
    for at, put, without in changes:
        begin = int(len(data) * at)
        data = data[:begin] + put + data[begin + without :]
    for each in read(data):
        if isinstance(each, Item):
            each.conversation.to_json()
            masked(each)
        else:
            str(each)


NAMES = [
    "id", "comments", "author", "via", "source", "body", "created_at", "threads", "_embedded",
    "messages", "conversation_parts", "notes", "tags", "requester", "author_id", "is_inbound",
    "ticket", "helpdesk_ticket", "_links", "related", "type", "custom_attributes", "name",
    "recipients", "submitter_id", "mailbox", "requester_id", "responder_id", "createdBy",
    "subject", "description",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=30,
)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_fields_may_hold_anything(value: Any) -> None:
    def lines() -> Iterator[str]:
        mark: dict[str, Any]
        for mark in ({"submitter_id": 1}, {"conversation_parts": []}, {"helpdesk_ticket": {}},
                     {"threads": [{}], "mailbox": 1}, {"id": "cnv_1"}):  # fmt: skip
            yield json.dumps({**mark, **value} if isinstance(value, dict) else mark)

    for each in read_exports(io.BytesIO("\n".join(lines()).encode())):
        assert isinstance(each, Item | Complaint)


@pytest.mark.parametrize("kind", [["note"], {"a": 1}, None, 7])
def test_a_thread_may_be_of_any_kind(kind: Any) -> None:
    threads = [{"type": kind, "body": "It stops.", "createdBy": {"type": kind}, "state": kind}]
    value = {"id": 1, "mailbox": {}, "threads": threads}
    [found] = read_exports(io.BytesIO(json.dumps(value).encode()))
    assert isinstance(found, Item)
    assert [part.body for part in found.conversation.parts] == ["It stops."]


def test_one_vendor_is_found_behind_what_is_none_of_its_conversations() -> None:
    users = [{"id": n, "name": "x"} for n in range(ingest_exports.LOOKED_AT + 5)]
    ticket = {"id": 9, "submitter_id": 1, "description": "x"}
    near = json.dumps([*users[:3], ticket]).encode()
    assert find_format(io.BytesIO(near)).kind == "export"
    assert find_format(io.BytesIO(json.dumps([*users, ticket]).encode())).kind == "records"
    own = {"id": "1", "parts": []}
    assert find_format(io.BytesIO(json.dumps([own, ticket]).encode())).kind == "json"
    assert find_format(io.BytesIO(b"")).kind == "json"
    for text in ("hello", "a,b", "\x1f\x8b,;", "x" * 100_000, "a\nb\nc", "\0,\0\n"):
        assert find_format(io.BytesIO(text.encode())).kind == "other", text
