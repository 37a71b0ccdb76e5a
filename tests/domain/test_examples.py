"""What is made of a text, whole: an example has what is given, and beside it what came of it.

Those of a kind are in ``tests/domain/examples/KIND.json`` (see `remade`).
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from unittest import mock

import pytest

from copydesk.contract.models.collection import Collection
from copydesk.contract.models.document import Document
from copydesk.contract.models.site_structure import SiteStructure
from copydesk.contract.models.space import Space
from copydesk.domain import (
    checks,
    conversation,
    diff,
    document_parser,
    documents,
    git_patch,
    html_table,
    hunks,
    ingest_frames,
    merge_run,
    page_checks,
    page_edits,
    page_source,
    page_text,
    redirect_file,
    reversal,
    review_file,
    rich_text,
    site_tree,
    space_tree,
    structure_file,
    structure_target,
    suggestion,
    text,
    visitor_schema,
    written_moment,
    yaml_lines,
)
from copydesk.domain.filter import Fields, Measure, Query, having_words
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_formats import find_format, read_any
from copydesk.domain.ingest_frames import Complaint
from copydesk.domain.ingest_mail import MailReader
from copydesk.domain.ingest_table import (
    ColumnsError,
    TableReader,
    find_shape,
    likely_columns,
    read_columns,
    sure_columns,
    written_columns,
)
from copydesk.domain.page_tree import PageNode
from copydesk.domain.yaml_lines import FileError
from tests.domain import test_structure_target, test_structure_whole
from tests.golden_json import remade

Made: TypeAlias = Any
"""What JSON can hold."""


def plain(value: object) -> Made:
    """Return any value as JSON has it: of a dataclass the fields that say something."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return {name: each for name, each in held.items() if each not in (None, "", [], {}, False)}
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


def refused(work: Callable[[str], object]) -> Callable[[str], Made]:
    """Return what makes the text of a file what it says, or a line for each mistake in it."""

    def read(given: str) -> Made:
        try:
            return plain(work(given))
        except FileError as error:
            return str(error).splitlines()

    return read


def exported(data: bytes) -> Made:
    """Return which format a file is, and each conversation or complaint in it.

    It is the same however much of the file is read at once.
    """
    said = told(io.BytesIO(data))
    with mock.patch.multiple(ingest_frames, PIECE=7, FIRST_LOOK=16):
        assert told(io.BytesIO(data)) == said
    return said


def cramped(given: str) -> Made:
    """Return the same where no conversation may be larger than a few lines."""
    with mock.patch.multiple(ingest_frames, LARGEST=150, PIECE=32, FIRST_LOOK=16):
        return told(io.BytesIO(given.encode()))


def told(file: io.BytesIO) -> Made:
    found = find_format(file)
    said: list[Made] = [found.title]
    for each in read_any(file):
        if isinstance(each, Item):
            sent = json.loads(each.conversation.to_json())
            sent["parts"] = [f"{part['role']}: {part['body']}" for part in sent["parts"]]
            updated = plain(each.updated)
            said.append({"line": each.line, "who": each.who, "updated": updated, **sent})
        else:
            said.append(f"{each}{'' if each.loses else ' (nothing lost)'}")
    return said


def peeled(given: Made, read: Callable[[Made], dict[str, Made]], staying: Sequence[str]) -> Made:
    """Return what is read of a value, and what changes with each field less.

    The fields are taken out one after another, in their order, the inner ones first; those at the
    top that are called as one of ``staying`` stay.
    """
    given = json.loads(json.dumps(given))
    told = [before := read(given)]
    for holder, name, path in list(leaves(given)):
        if path in staying:
            continue
        value = holder.pop(name)
        now = read(given)
        if "refused" in now:  # it has to be there
            holder[name] = value
            continue
        if now != before:
            told.append({f"without {path}": differing(before, now)})
        before = now
    return told


def differing(before: Made, now: Made) -> Made:
    """Return what is other now; of objects the fields that are, None for one that is gone."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return now
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return {name: differing(before.get(name), now.get(name)) for name in names}


def ticket(given: Made) -> dict[str, Made]:
    """Return what is read of a conversation of a help desk."""
    said = exported(json.dumps([given]).encode())[1:]
    return said[0] if said and isinstance(said[0], dict) else {"left out": said}


def site_answer(given: Made) -> dict[str, Made]:
    """Return the rows of the structure of a site that a service answers."""
    try:
        found = site_tree.structure_in(SiteStructure.model_validate(given))
    except ValueError:
        return {"refused": True}
    return {"levels": plain(found.levels), **plain(found.nodes)}


def space_answer(given: Made) -> dict[str, Made]:
    """Return the row of a space or a collection that a service answers, and as it is kept."""
    try:
        if given["object"] == "space":
            node = space_tree.space_node(Space.model_validate(given))
        else:
            node = space_tree.collection_node(Collection.model_validate(given))
    except ValueError:
        return {"refused": True}
    kept = space_tree.from_row(space_tree.to_row(node))
    return {**plain(node), "kept": kept == node}


STAYING = ("id", "requester_id", "responder_id", "submitter_id", "is_inbound", "subject")
"""The fields by which it is known whose a conversation is."""


def leaves(value: Made, path: str = "") -> Iterator[tuple[dict[str, Made], str, str]]:
    """Yield each field of a value with what it is in and how it is called, the inner ones first."""
    for name in list(value):
        inner = value[name]
        where = f"{path}.{name}".lstrip(".")
        for at, each in enumerate(inner if isinstance(inner, list) else [inner]):
            if isinstance(each, dict):
                yield from leaves(each, f"{where}[{at}]" if isinstance(inner, list) else where)
        yield value, name, where


def table(given: str) -> Made:
    """Return what a table is taken for, and what is read in it."""
    shape = find_format(io.BytesIO(given.encode())).shape
    if shape is None:
        return exported(given.encode())
    columns = likely_columns(shape)
    made = [plain(shape), plain(sure_columns(shape)), plain(columns), *exported(given.encode())]
    heads = (given[:length].encode() for length in (len(given) // 2, len(given) - 1))
    made += [plain(find_shape(head, cut=True)) for head in heads]
    if columns is not None:
        reader = TableReader(shape, columns, "desk", "dmy", ["@acme.test", "bob@x.test"])
        made += [reader.holds_messages, reader.names_source]
        made += [spoken(each) for each in reader.items(io.BytesIO(given.encode()))]
        made += [reader.open_dates, reader.dates_both_ways]
    return made


def columns(given: tuple[str, list[str]]) -> Made:
    """Return the columns that are named in a text, as they are written out, or what is wrong."""
    said, header = given
    try:
        found = read_columns(said, header)
    except ColumnsError as error:
        return str(error)
    written = written_columns(found, header)
    assert read_columns(written, header) == found
    return [plain(found), written]


def spoken(item: Item | Complaint) -> Made:
    """Return who says what in a conversation, when it began, and where it is from."""
    if isinstance(item, Complaint):
        return str(item)
    sent = json.loads(item.conversation.to_json())
    metadata = sent.get("metadata", {})
    source = metadata.get("attributes", {}).get("source")
    said = [f"{part['role']}: {part['body']}" for part in sent["parts"]]
    return [metadata.get("createdAt"), source, *said]


def mailed(given: str) -> Made:
    """Return the conversations in mails, and who speaks in them where the team is known."""
    team = MailReader(["@x.test", "form@z.test"])
    return [*exported(given.encode()), *map(spoken, team.items(io.BytesIO(given.encode())))]


def compared(given: tuple[str, str]) -> Made:
    """Return two pages compared: a line for each row, with its marks, and the hunks."""
    found = diff.compare(*given)

    def row(line: diff.Line) -> str:
        marks = [f"{each.kind}:{each.text}" for each in line.spans if each.kind != "same"]
        about = {
            each.name: plain(getattr(line, each.name))
            for each in dataclasses.fields(line)
            if each.name not in ("spans", "marks", "kind", "text") and getattr(line, each.name)
        }
        return " ".join([line.kind, repr(line.text), *marks, str(about)])

    counts = [found.added, found.removed, found.changed, found.quiet, list(found.changes)]
    folds = [found.sentence(each.start, each.stop) for each in found.hunks(0) if each.folded]
    return [*map(row, found), counts, *(repr(each) for each in found.hunks(0)), *folds]


def noted(given: tuple[str, str]) -> Made:
    """Return what is said of two texts of a page beside their differences, and their places.

    Of each row of the differences it is where its anchor leads, which lines of the text after it
    shows, and whether it is staged where rows 0 and 2 of that text are; of each line its rows.
    """
    found = page_text.page_text(*given)
    staged = dataclasses.replace(found, mine=frozenset({0, 2}))
    rows, lines = range(len(found.diff)), range(len(given[1].splitlines()) + 2)
    anchors = map(found.anchor, rows)
    return [
        plain(found.notes),
        [None if each is None else found.find(each) for each in anchors],
        [found.lines_after(at, at) for at in rows],
        [at for at in rows if staged.is_mine(at)],
        list(found.rows_of_lines(lines).items()),
        [found.row_of_source(line) for line in lines],
    ]


def document(given: str) -> Made:
    """Return Markdown as a document, as it is written out, and where its links lead."""
    made = documents.markdown_to_document(given)
    nodes = [each.to_json().decode() for each in made.nodes]
    own = documents.spelled(made.nodes)
    return [nodes, own, documents.document_to_markdown(made), document_parser.links_of(given)]


def changed_document(given: tuple[str, str, str]) -> Made:
    """Return Markdown again once a word of its document is another; blocks without it stay."""
    markdown, word, other = given

    def changed(value: Made) -> Made:
        if isinstance(value, list):
            return [changed(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.get("object") == "leaf":
            return {**value, "text": value["text"].replace(word, other)}
        return {name: changed(each) if name != "data" else each for name, each in value.items()}

    made = changed(documents.markdown_to_document(markdown).to_dict())
    return documents.document_to_markdown(Document.model_validate(made))


def checked(given: str) -> Made:
    """Return what is wrong on a page, where one address leads nowhere."""
    return [
        f"line {each.line} {each.check} {each.rule}: {each.text}"
        for each in page_checks.check_page("p", given, {"gone.md": "There is no such page."})
    ]


def three(given: tuple[str, str, str]) -> Made:
    """Return the hunks of three texts, as each is settled in an editor, and what choices make."""
    found = hunks.named(hunks.text_hunks(*given))
    sides: tuple[hunks.Side, ...] = ("before", "main", "request", "both", "turned")
    results = [
        hunks.result_of(found, {each.key: hunks.Choice(side) for each in found if each.conflicts})
        for side in sides
    ]
    told = [[plain(each), hunks.marked(each)] if each.conflicts else plain(each) for each in found]
    return [told, results if len({*results}) > 1 else results[0]]


def merged(given: tuple[str, str, str]) -> Made:
    """Return two changes of a page merged, and what clashes."""
    return plain(page_source.merge_pages(*given))


def page_texts(given: tuple[str, str]) -> Made:
    """Return what is told apart in two texts of a page with its settings, and made of them."""
    before, after = given
    source = page_source

    def tried(work: Callable[[], object]) -> Made:
        return refused(lambda _: work())("")

    return [
        tried(lambda: source.page_update(before, after)),
        tried(lambda: source.check_slug(after, before)),
        plain(source.parts_of_three(before, after, after)),
        plain(source.parts_of_three(None, before, after)),
        [source.slug_of(after), source.body_of(after), source.without_front(after)],
        [source.markdown_of(after), source.title_of(after), source.with_markdown(before, after)],
        tried(lambda: source.with_setting(after, "title", "A: b")),
        tried(lambda: source.page_source(source.read_page_source(before).settings, after)),
    ]


def patch(given: tuple[str | None, str | None]) -> Made:
    """Return the patch of a file that had the one text and has the other; none where it is gone."""
    was, now = (
        git_patch.Side(name, None if each is None else each.encode())
        for name, each in zip(("a.md", "b.md"), given, strict=True)
    )
    return b"".join(git_patch.file_patch(was, now)).decode()


ROWS: list[dict[str, Any]] = [
    {"words": "Fix auth samples", "who": "Jonas Weber", "state": "open", "changed": 3, "age": 7200},
    {"words": "Préface naïve", "who": "Ana", "state": "draft", "changed": 21, "age": 200_000},
    {"words": "OAuth: two words", "who": None, "state": "merged", "changed": 0, "age": 9_000_000},
]

FIELDS: Fields[dict[str, Any]] = Fields(
    words=lambda row: str(row["words"]),
    keys={"who": lambda row: row["who"], "state": lambda row: row["state"]},
    values={"state": ["open", "draft", "merged"]},
    numbers={
        "changed": Measure(lambda row: row["changed"]),
        "age": Measure(lambda row: row["age"], "time"),
    },
    offers=lambda key: ["Jonas Weber", "Ana"] if key == "who" else [],
    me={"who": lambda row: row["who"] == "Ana"},
)


def filtered(given: str) -> Made:
    """Return what is read in a filter, which rows it shows, and what typing may become."""
    query = Query.parse(given, FIELDS)
    shown = [FIELDS.words(row) for row in ROWS if query.matches(row)]
    said = [query.wrong, query.note, plain(FIELDS.following(given))]
    words = [FIELDS.words(row) for row in ROWS if having_words(given)(FIELDS.words(row))]
    return [plain(query.terms), plain(query.problems), shown, said, words]


def in_table(given: str) -> Made:
    """Return HTML as a table, as the row of one, cut into rows, and as prose."""
    return {
        "table": plain(html_table.read_table(given)),
        "row": html_table.row_text(given),
        "cells": plain(html_table.plain_cells(given)),
        "cut": html_table.cut_rows(given),
        "read": html_table.read_row(given),
        "head": html_table.read_row(given, head=True),
        "prose": html_table.link_text(given),
    }


def suggested(given: tuple[str, str]) -> Made:
    """Return the suggestions of a comment, and how they fit a text at the anchor of each line."""
    comment, page = given
    parts = [plain(each) for each in suggestion.parts_of(comment)]
    source = suggestion.SourceLines(page)
    other = suggestion.SourceLines(f"First of all.\n\n{page}")
    fits: list[Made] = []
    for each in suggestion.suggestions_in(comment):
        for line in range(len(source.lines)):
            if anchor := source.anchor(line, line):
                there = suggestion.judge(each, anchor[0], source, source)
                moved = suggestion.judge(each, anchor[0], source, other)
                alone = suggestion.judge(each, anchor[0], None, source)
                done = suggestion.apply(page, {"k": (there, each)})[0] if there.fits else None
                fits.append([line, *map(plain, (there, moved, alone)), there.where, done])
    new = [comment.partition("\n")[0], "last"]
    made = [suggestion.suggest(page, at, at + 1, new) for at in range(len(source.lines) - 1)]
    return [parts, suggestion.words_in(comment), fits, plain(made)]


def rich(given: str) -> Made:
    """Return the text that the document of a text is edited as."""
    made = rich_text.rich_text(documents.markdown_to_document(given))
    return [made.suffix, made.text]


def drawn(given: str) -> Made:
    """Return a text as it may be drawn, typed, exposed and shortened."""
    return [
        text.clean(given), text.clean(given, lines=True), text.clean(given, limit=9),
        text.clean_long(given), text.typed(given), text.typed(given, lines=True),
        text.exposed(given), text.unseen(given), text.without_numbers(given),
        text.shown_title(given, limit=9), text.capital(given),
        *(text.shorten(text.clean(given), cells) for cells in (0, 1, 5, 9)),
        *(text.shorten_middle(text.clean(given), cells) for cells in (1, 2, 6, 9)),
    ]  # fmt: skip


def moment(given: str) -> Made:
    """Return the moment that is written, in either order of its numbers."""
    found = [written_moment.read_moment(given, order) for order in (None, "dmy", "mdy")]
    return [*map(plain, found), written_moment.order_of(given), written_moment.is_open(given)]


def schema(given: Made) -> Made:
    """Return the attributes of a schema of visitors, and what is wrong with it."""
    wrong = [f"{each.where}: {each.said}" for each in visitor_schema.all_problems(given)]
    return [
        [plain(each) | {"is": each.expression} for each in visitor_schema.attributes(given)],
        wrong,
    ]


def run_through(given: Mapping[str, Any]) -> Made:
    """Return what each step makes of a run of merges: what it is at, and what changed."""
    items = [
        merge_run.RunItem("s", request, f"#{request}", f"Subject {request}", **each)
        for request, each in given["items"].items()
    ]
    run = merge_run.MergeRun("run", **given.get("run", {})).add(items)
    told: list[Made] = []
    before = plain(run)
    for name, *arguments in given["steps"]:
        read = [merge_run.Found(**each) if isinstance(each, dict) else each for each in arguments]
        if name in NEEDS_CURRENT and run.current is None:
            continue
        run = getattr(run, name)(*read)
        now = plain(run)
        other = {
            key: now.get(key) for key in sorted({*now, *before}) if now.get(key) != before.get(key)
        }
        other["items"] = [
            {
                key: new.get(key)
                for key in sorted({*new, *old})
                if key == "request" or new.get(key) != old.get(key)
            }
            for old, new in zip(before.get("items", []), now.get("items", []), strict=False)
            if old != new
        ]
        here, stands = run.current, run.stopped
        at = [
            here and here.name,
            stands and [stands.name, stands.to_settle, stands.settled, stands.at_news],
        ]
        told.append([name, run.far, run.begun, *at, dict(sorted(other.items()))])
        before = now
    return told


NEEDS_CURRENT = ("judge", "not_sent", "updated", "merged", "merged_with_conflicts", "fail", "wait")


def answered(given: tuple[checks.Format, Made]) -> Made:
    """Return what is read in what a command says of two pages; JSON unless it is a text."""
    reads, output = given
    text_of = output if isinstance(output, str) else json.dumps(output)
    pages = {
        "guide/a.md": checks.CheckedFile("p1", ["# Aé title", "", "Two 𐐀 words here.", "Last"]),
        "b.md": checks.CheckedFile("p2", ["Only line"]),
    }
    answer = checks.read_answer(checks.Check("prose", ("x",), reads), text_of, pages)
    lines = {each.page: each.lines for each in pages.values()}
    fixed = [each.fix and each.fix.lines(lines[each.page]) for each in answer.findings]
    return [[each.said for each in answer.findings], plain(answer), plain(fixed)]


PAGES = [
    PageNode("a", "Alpha", "alpha", "alpha", parent=None, position=0),
    PageNode("b", "Beta", "beta", "alpha/beta", parent="a", position=0, trail=("Alpha",)),
    PageNode("c", "Gamma", "gamma", "alpha/gamma", parent="a", position=1, trail=("Alpha",)),
    PageNode("d", "Delta", "delta", "delta", parent=None, position=1),
    PageNode("e", "Epsilon", "epsilon", "delta/epsilon", parent="d", trail=("Delta",)),
    PageNode("0", "Zeta", "zeta", "zeta", parent=None, position=2),
]


def edited(given: Mapping[str, Made]) -> Made:
    """Return what edits of pages send, how they are taken back, and how they stand to others'."""
    edits = {page: page_edits.PageEdit(**each) for page, each in given["edits"].items()}
    try:
        changes: Made = page_edits.content_changes(edits, PAGES)
        sent = [len(each) for each in page_edits.requests_of(changes)]
    except FileError as error:
        changes, sent = str(error), []
    ids = {"space_id": "s", "change_request_id": "r"}
    made_pages = [page for page in edits if page.startswith(page_edits.NEW)]
    back = page_edits.sent_reversal(
        ids, edits, PAGES, before="v1", after="v2", made=made_pages,
        batch=given.get("batch", ""), note=given.get("note", ""),
    )  # fmt: skip
    each = {
        page: [
            edit.idle, edit.of_text, edit.titled, edit.named,
            page_edits.settings_lines(edit, "Here"),
            page_edits.slug_taken(page, edit, PAGES, edits),
            page_edits.edit_of(edit.to_text()) == edit,
        ]
        for page, edit in edits.items()
    }  # fmt: skip
    made = [changes, sent, back.to_dict(), each]
    if (theirs := given.get("theirs")) is not None:
        for edit in edits.values():
            stands = page_edits.compared(edit, theirs, "v9")
            settled = [
                page_edits.settled(edit, theirs, "v9", side) for side in ("mine", "theirs", "both")
            ]
            lines = [page_edits.unsettled_line(each) for each in settled]
            made.append([plain(stands), stands.open, [each.text for each in settled], lines])
    return made


def expected(given: Mapping[str, Made]) -> Made:
    """Return what an answer has at paths that something else was expected at, and what is said."""
    read = reversal.Step("get_space", {"space_id": "s"})
    about = reversal.Expectation(read, given["fields"], **given.get("more", {}))
    found = [plain(reversal.value_at(given["answer"], path)) for path in given["fields"]]
    again = reversal.expectation_of(about.to_dict())
    return [
        found,
        plain(about.differences(given["answer"])),
        about.explain(given["answer"]),
        again == about,
    ]


def structured(given: Mapping[str, Any]) -> Made:
    """Return what a file does to a site, or what is wrong with it."""
    flags = given.get("with", ())
    text_of = with_edits(test_structure_target.FILE, given["edits"])
    return test_structure_target.said(
        text_of, remove="remove" in flags, recreate="recreate" in flags
    )


def structured_whole(given: Mapping[str, Any]) -> Made:
    """Return the same of a site with groups and links, by a service that sorts them or does not."""
    site = test_structure_whole.example()
    flags = given.get("with", ())
    begun = test_structure_whole.on(site)
    begun = begun if "sorts" in flags else dataclasses.replace(begun, sorts=False)
    text_of = with_edits(test_structure_whole.exported(site), given["edits"])
    try:
        file = structure_file.read_file(text_of)
        found = structure_target.wanted(
            file, begun, test_structure_whole.SPACES,
            remove="remove" in flags, recreate="recreate" in flags,
        )  # fmt: skip
    except FileError as error:
        return str(error).splitlines()
    return [call.line for call in found.calls()]


def structure_written(given: Mapping[str, Any]) -> Made:
    """Return the file of a structure, with groups and links, with sections only, or without."""
    layout = test_structure_target.layout(flat=given["of"] == "spaces")
    if given["of"] == "structure":
        layout = test_structure_whole.example().layout()
    return structure_file.write_file(
        "site 1", given["title"], layout, given["options"], whole=given["of"] == "structure"
    ).splitlines()


def with_edits(file: str, edits: list[tuple[int, list[str], list[str]]]) -> str:
    """Return a file in which from a line on, the last one first, lines stand in place of others."""
    lines = file.splitlines()
    for number, old, new in edits:
        assert lines[number - 1 : number - 1 + len(old)] == old
        lines[number - 1 : number - 1 + len(old)] = new
    return "\n".join(lines) + "\n"


KINDS: Mapping[str, Callable[[Any], Made]] = {
    "conversation": lambda given: [conversation.readable(given), conversation.html_text(given)],
    "exports": lambda given: exported(json.dumps(given).encode()),
    "exported_fields": lambda given: peeled(given, ticket, STAYING),
    "site_answers": lambda given: peeled(given, site_answer, ()),
    "space_answers": lambda given: peeled(given, space_answer, ("object",)),
    "files": lambda given: exported(given.encode()),
    "cramped_files": cramped,
    "tables": table,
    "table_columns": columns,
    "mails": mailed,
    "compared_pages": compared,
    "page_notes": noted,
    "written_documents": document,
    "changed_documents": changed_document,
    "page_checks": checked,
    "hunks": three,
    "merged_pages": merged,
    "patches": patch,
    "filters": filtered,
    "html_tables": in_table,
    "suggestions": suggested,
    "rich_text": rich,
    "drawn": drawn,
    "moments": moment,
    "schemas": schema,
    "structure_files": refused(structure_file.read_file),
    "review_files": refused(review_file.read_review),
    "page_sources": refused(page_source.read_page_source),
    "page_texts": page_texts,
    "yaml": refused(yaml_lines.read),
    "merge_runs": run_through,
    "check_answers": answered,
    "page_edits": edited,
    "expectations": expected,
    "structures": structured,
    "structures_written": structure_written,
    "whole_structures": structured_whole,
    "redirect_files": lambda given: plain(redirect_file.read_redirects_file(given)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_of_what_is_given_the_same_is_made(kind: str, update_golden: bool) -> None:
    remade(kind, KINDS[kind], update=update_golden)
