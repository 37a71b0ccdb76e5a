"""Questions that people ask of a site and how they were answered."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import Helpfulness, Order, QuestionSort, QuestionType
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.question import (
    AnswerSource,
    QuestionStats,
    SiteQuestion,
    SiteQuestionAnswer,
    SiteQuestionAnswerWithResponse,
)
from copydesk.contract.question import PageOfAnswers, WantedAnswers
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.question import (
    HELPFULNESS,
    NONE_ASKED,
    answer_model,
    answer_with_response,
    asked,
    find_answer,
    find_question,
    question_model,
    question_page,
    site_to_triage,
    source_model,
    statistics,
)
from copydesk.server.store import Row

_SORTS: dict[QuestionSort, str] = {
    "askedAt": "asked_at",
    "stats.answers": "answers",
    "stats.answered": "answered",
    "stats.feedback": "asked_at",  # nobody rates answers on this desk
}
"""The column of each order: of all answers, whichever are counted."""


@implements(ops.list_site_questions, takes="read")
def list_site_questions(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    kind: QuestionType | None = None,
    topic: list[str] | None = None,
    order: Order = "desc",
    sort: QuestionSort = "askedAt",
    **wanted: Unpack[PageOfAnswers],
) -> Page[SiteQuestion]:
    site = site_to_triage(call, organization_id, site_id)
    which = asked(wanted, topic)
    questions = Conditions("organization_id = ?", organization_id)
    if which.where:
        has_answer = which.after("id IN (SELECT i.question_id FROM issue i WHERE 1", ")")
        questions.also(has_answer, *which.values)
    questions.also("type = ?", kind)
    return question_page(
        call, site, questions, which, _SORTS[sort], descending=order == "desc", paging=wanted
    )


@implements(ops.get_site_question, takes="read")
def get_site_question(
    call: Call,
    organization_id: str,
    site_id: str,
    site_question_id: str,
    **wanted: Unpack[WantedAnswers],
) -> SiteQuestion:
    site = site_to_triage(call, organization_id, site_id)
    row = find_question(call, site, site_question_id)
    which = asked(wanted)
    stats = statistics(call, "question", [row["id"]], which)
    return question_model(call, site, row, stats.get(row["id"], NONE_ASKED))


@implements(ops.list_site_question_sources, takes="read")
def list_site_question_sources(
    call: Call,
    organization_id: str,
    site_id: str,
    site_question_id: str,
    **wanted: Unpack[PageOfAnswers],
) -> Page[AnswerSource]:
    """List the records of the conversations that asked a question."""
    site = site_to_triage(call, organization_id, site_id)
    row = find_question(call, site, site_question_id)
    which = asked(wanted)
    which.also("i.question_id = ?", row["id"])
    return _sources(call, site, which, wanted)


@implements(ops.get_site_question_stats, takes="read")
def get_site_question_stats(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    topic: list[str] | None = None,
    **wanted: Unpack[WantedAnswers],
) -> QuestionStats:
    site_to_triage(call, organization_id, site_id)
    which = asked(wanted, topic)
    found: QuestionStats = statistics(call, "site", [organization_id], which).get(
        organization_id, NONE_ASKED
    )
    return found


@implements(ops.list_site_question_answers, takes="read")
def list_site_question_answers(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    question: str | None = None,
    language: str | None = None,
    helpfulness: Helpfulness | None = None,
    question_type: QuestionType | None = None,
    topic: str | None = None,
    thread: str | None = None,
    **wanted: Unpack[PageOfAnswers],
) -> Page[SiteQuestionAnswer]:
    site = site_to_triage(call, organization_id, site_id)
    which = asked(wanted, None if topic is None else [topic])
    if helpfulness is not None:
        known = {helpful: came_to for came_to, helpful in HELPFULNESS.items()}
        which.also("i.answered = ?", known[helpfulness])
    which.also("i.language = ?", language)
    which.also("i.question_id IN (SELECT id FROM question WHERE type = ?)", question_type)
    # A plus sign keeps SQLite from walking all answers where those to one question are asked for.
    sign = "+" if thread is None and (question is not None or topic is not None) else ""
    which.also("i.question_id = ?", question)
    which.also("i.conversation_id = ?", thread)
    which.also(f"{sign}i.organization_id = ?", organization_id)
    return paginate(
        call.tx,
        lambda row: answer_model(call, site, row),
        source="issue i",
        which=which,
        paging=wanted,
    )


@implements(ops.get_site_question_answer, takes="read")
def get_site_question_answer(
    call: Call, organization_id: str, site_id: str, site_question_answer_id: str
) -> SiteQuestionAnswerWithResponse:
    site = site_to_triage(call, organization_id, site_id)
    return answer_with_response(call, site, find_answer(call, site, site_question_answer_id))


@implements(ops.list_site_question_answer_sources, takes="read")
def list_site_question_answer_sources(
    call: Call,
    organization_id: str,
    site_id: str,
    site_question_answer_id: str,
    **paging: Unpack[Paging],
) -> Page[AnswerSource]:
    """List the record that an answer is read from."""
    site = site_to_triage(call, organization_id, site_id)
    which = Conditions()
    which.also("i.id = ?", find_answer(call, site, site_question_answer_id)["id"])
    return _sources(call, site, which, paging)


@implements(ops.get_site_question_answer_thread, takes="read")
def get_site_question_answer_thread(
    call: Call, organization_id: str, site_id: str, site_question_answer_id: str
) -> list[SiteQuestionAnswerWithResponse]:
    site = site_to_triage(call, organization_id, site_id)
    row = find_answer(call, site, site_question_answer_id)
    rows = call.tx.all(
        "SELECT * FROM issue WHERE organization_id = ? AND conversation_id = ? "
        "ORDER BY created_at, id",
        organization_id,
        row["conversation_id"],
    )
    return [answer_with_response(call, site, each) for each in rows]


def _sources(call: Call, site: Row, which: Conditions, paging: Paging) -> Page[AnswerSource]:
    which.also("i.organization_id = ?", site["organization_id"])
    return paginate(
        call.tx,
        lambda row: source_model(call, site, row),
        source="(SELECT i.*, c.subject, c.connector FROM issue i JOIN conversation c "
        "ON c.organization_id = i.organization_id AND c.id = i.conversation_id) i",
        which=which,
        paging=paging,
    )
