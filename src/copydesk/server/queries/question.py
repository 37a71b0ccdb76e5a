"""Questions and answers as resources: what an organization's conversations ask.

The desk has no language model. Each issue is an answer, conversations whose issues have the same
title ask the same question, and what is told of an answer is read from the parts of its
conversation (``schema/20_findings.sql``). It is relevant if it fits a cluster, else unclear.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from copydesk.contract.enumerations import ChannelType, Helpfulness
from copydesk.contract.models.base import Page, Paging, Urls
from copydesk.contract.models.document import Document
from copydesk.contract.models.question import (
    AnswerMessage,
    AnswerSource,
    AnswerStep,
    QuestionStats,
    SiteQuestion,
    SiteQuestionAnswer,
    SiteQuestionAnswerWithResponse,
)
from copydesk.contract.question import WantedAnswers
from copydesk.server.implementation import Call
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.cluster import WEEKS, reading_organization
from copydesk.server.store import Row, columns, timestamp

_CHANNELS: tuple[ChannelType, ...] = (
    "api",
    "builtin:slack",
    "builtin:discord",
    "builtin:github",
    "builtin:linear",
)
_TYPES = ("exploring", "how-to", "troubleshooting", "reference", "unknown")

HELPFULNESS: dict[str, Helpfulness] = {"no": "low", "partially": "medium", "yes": "high"}
"""How helpful an answer was, by what it came to."""


def site_to_triage(call: Call, organization_id: str, site_id: str) -> Row:
    """Return a site of an organization whose conversations the caller may read.

    Raises a 404 when there is none that they may see, a 403 when they are a guest.
    """
    site = call.access.site(organization_id, site_id)
    reading_organization(call, organization_id)
    return site


def site_to_change(call: Call, organization_id: str, site_id: str) -> Row:
    """Return a site whose findings and topics the caller may read and change."""
    site = call.access.site(organization_id, site_id, "createContent")
    reading_organization(call, organization_id)
    return site


def asked(wanted: WantedAnswers, topics: Sequence[str] | None = None) -> Conditions:
    """Return the conditions for the answers that are asked for."""
    found = Conditions()
    found.also("i.created_at >= ?", wanted.get("since"))
    found.also("i.created_at <= ?", wanted.get("to"))
    if relevance := wanted.get("relevance"):
        states = {"relevant": "i.cluster_id IS NOT NULL", "unclear": "i.cluster_id IS NULL"}
        found.also(" OR ".join(states[each] for each in relevance if each in states) or "0")
    for condition, values in (
        ("i.channel IN (SELECT value FROM json_each(?))", wanted.get("channel_type")),
        ("i.answered IN (SELECT value FROM json_each(?))", wanted.get("answered")),
        ("i.cluster_id IN (SELECT value FROM json_each(?))", topics),
    ):
        if values:
            found.also(condition, json.dumps(values))
    return found


Group: TypeAlias = Literal["question", "topic", "site"]
"""What numbers are of."""

_GROUPS: dict[Group, str] = {
    "question": "i.question_id",
    "topic": "i.cluster_id",
    "site": "i.organization_id",
}
_SUMS = {
    "total": "count(DISTINCT i.question_id)",
    "answers": "count(*)",
    "relevant": "count(i.cluster_id)",
    **{f"answered {each}": f"sum(i.answered = '{each}')" for each in HELPFULNESS},
    **{f"channel {each}": f"sum(i.channel = '{each}')" for each in _CHANNELS},
    **{f"type {each}": f"sum(q.type = '{each}')" for each in _TYPES},
}
_ANSWERS = "FROM issue i JOIN question q ON q.id = i.question_id WHERE"


def statistics(
    call: Call, group: Group, ids: list[str], which: Conditions
) -> dict[str, QuestionStats]:
    """Return the numbers of the answers that fit, by what they are grouped by.

    ``ids`` are those of the questions, topics or organizations that are asked for.
    """
    starts = [timestamp(call.tx.moment - timedelta(weeks=WEEKS - week)) for week in range(WEEKS)]
    key = _GROUPS[group]
    sums = [
        f"{key} AS grouped",
        *(f'{how} AS "{name}"' for name, how in _SUMS.items()),
        # An answer dated later than now is of the latest week.
        *["sum(i.created_at > ?)"] * WEEKS,
    ]
    found = " ".join(
        ("SELECT", ", ".join(sums), _ANSWERS, key, "IN (SELECT value FROM json_each(?))")
    )
    statement = which.after(found, " GROUP BY grouped")
    rows = call.tx.all(statement, *starts, json.dumps(ids), *which.values)
    return {row["grouped"]: _stats(row) for row in rows}


NONE_ASKED = QuestionStats(weekly_pulse=[0] * WEEKS)
"""The numbers of what nobody asked."""


def _stats(row: Row) -> QuestionStats:
    later = [row[len(row) - WEEKS + week] for week in range(WEEKS)] + [0]
    answers = row["answers"]
    return QuestionStats.model_validate(
        {
            "total": row["total"],
            "answers": answers,
            "feedback": {"unrated": answers},
            "answered": {each: row[f"answered {each}"] for each in HELPFULNESS},
            "relevance": {"relevant": row["relevant"], "unclear": answers - row["relevant"]},
            "types": {each: row[f"type {each}"] for each in _TYPES},
            "channelTypes": {
                each: row[f"channel {each}"] for each in _CHANNELS if row[f"channel {each}"]
            },
            # Each sum counts from the start of its week to now.
            "weeklyPulse": [later[week] - later[week + 1] for week in range(WEEKS)],
        }
    )


def find_question(call: Call, site: Row, question_id: str) -> Row:
    """Return a question of the organization of a site, or raise a 404."""
    return call.find("question", "question", question_id, organization_id=site["organization_id"])


def question_model(call: Call, site: Row, row: Row, stats: QuestionStats) -> SiteQuestion:
    """Return the question of a row of ``question``."""
    return SiteQuestion.model_validate(
        {
            **columns(row, "id", "type", "created_at", "asked_at"),
            "question": row["title"],
            "stats": stats,
            "urls": Urls(location=site_url(call, site, "questions", row["id"])),
        }
    )


def question_page(
    call: Call,
    site: Row,
    questions: Conditions,
    answers: Conditions,
    key: str,
    *,
    descending: bool,
    paging: Paging,
) -> Page[SiteQuestion]:
    """Return a page of some questions, each with the numbers of its answers that fit."""
    stats: dict[str, QuestionStats] = {}

    def prepare(rows: Sequence[Row]) -> None:
        stats.update(statistics(call, "question", [row["id"] for row in rows], answers))

    return paginate(
        call.tx,
        lambda row: question_model(call, site, row, stats.get(row["id"], NONE_ASKED)),
        source="question",
        which=questions,
        keys=(key, "id"),
        descending=descending,
        prepare=prepare,
        paging=paging,
    )


def site_url(call: Call, site: Row, *rest: str) -> str:
    """Return the address of something of a site."""
    return call.url("orgs", site["organization_id"], "sites", site["id"], *rest)


def find_answer(call: Call, site: Row, answer_id: str) -> Row:
    """Return an answer (a row of ``issue``) of the organization of a site, or raise a 404."""
    return call.find("answer", "issue", answer_id, organization_id=site["organization_id"])


def answer_model(call: Call, site: Row, row: Row) -> SiteQuestionAnswer:
    """Return the answer of a row of ``issue``."""
    return SiteQuestionAnswer.model_validate(_answer(call, site, row, _parts(call, row)))


def answer_with_response(call: Call, site: Row, row: Row) -> SiteQuestionAnswerWithResponse:
    """Return the answer of a row of ``issue`` with its words."""
    parts = _parts(call, row)
    said = [part["body"] for part in parts if part["role"] != "user"]
    step = AnswerStep(content=paragraphs(said))
    return SiteQuestionAnswerWithResponse.model_validate(
        {
            **_answer(call, site, row, parts),
            "response": AnswerMessage(id=row["id"], role="assistant", steps=[step]),
        }
    )


def _answer(call: Call, site: Row, row: Row, parts: list[dict[str, str]]) -> dict[str, Any]:
    said = [part["body"] for part in parts if part["role"] == "user"]
    previous = call.tx.value(
        "SELECT id FROM issue WHERE organization_id = ? AND conversation_id = ? "
        "AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT 1",
        row["organization_id"],
        row["conversation_id"],
        row["created_at"],
        row["id"],
    )
    question = find_question(call, site, row["question_id"])
    return {
        **columns(row, "id", "language", "answered", "created_at"),
        "question": {"id": question["id"], "type": question["type"]},
        "topics": [] if row["cluster_id"] is None else [row["cluster_id"]],
        "input": {"text": row["title"], "raw": "\n\n".join(said) or row["title"]},
        # A thread has to name what came before.
        "thread": previous and {"id": row["conversation_id"], "previous": previous},
        "response_id": row["id"],
        "helpfulness": HELPFULNESS[row["answered"]],
        "relevance": "unclear" if row["cluster_id"] is None else "relevant",
        "channel": {"type": row["channel"]}
        | ({"id": None} if row["channel"].startswith("builtin:") else {}),
        "updated_at": row["ingested_at"],
        "urls": Urls(location=site_url(call, site, "answers", row["id"])),
    }


def _parts(call: Call, row: Row) -> list[dict[str, str]]:
    """Return what was said in the conversation of an answer; nothing where there is none."""
    conversation = call.tx.get(
        "conversation", organization_id=row["organization_id"], id=row["conversation_id"]
    )
    return [] if conversation is None else json.loads(conversation["parts"])


def source_model(call: Call, site: Row, row: Row) -> AnswerSource:
    """Return the record (a row of ``issue`` with its conversation) that an answer is read from."""
    return AnswerSource.model_validate(
        {
            "id": row["id"],
            "type": "record",
            "weight": 1,
            "title": row["subject"] or row["title"],
            "record": row["conversation_id"],
            "connector": row["connector"],
            "urls": Urls(location=site_url(call, site, "context-records", row["conversation_id"])),
        }
    )


def paragraphs(texts: Sequence[str]) -> Document:
    """Return a document with a paragraph for each text, as it is: nothing in it is Markdown."""
    leaf = {"object": "leaf", "marks": []}
    return Document.model_validate(
        {
            "object": "document",
            "data": {"schemaVersion": 2},
            "nodes": [
                {
                    "object": "block",
                    "type": "paragraph",
                    "nodes": [{"object": "text", "leaves": [leaf | {"text": text}]}],
                }
                for text in texts
            ],
        }
    )
