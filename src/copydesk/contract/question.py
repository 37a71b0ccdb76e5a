"""Operations on the questions that people ask of a site, and on their answers."""

from __future__ import annotations

from typing import Annotated, TypedDict, Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import (
    ChannelType,
    Helpfulness,
    Order,
    QuestionSort,
    QuestionType,
    Relevance,
    Resolution,
)
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import Wire, operation

_QUESTION = "/orgs/{organization_id}/sites/{site_id}/questions/{site_question_id}"
_ANSWER = "/orgs/{organization_id}/sites/{site_id}/answers/{site_question_answer_id}"


class WantedAnswers(TypedDict, total=False):
    """Which answers count: those of a time that are all that is said."""

    since: models.base.Since
    to: models.base.Timestamp | None
    relevance: list[Relevance] | None
    channel_type: list[ChannelType] | None
    answered: list[Resolution] | None


class PageOfAnswers(Paging, WantedAnswers, total=False):
    """Which answers count, and which page of a list is asked for."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/questions", extension="E14")
def list_site_questions(
    organization_id: str,
    site_id: str,
    *,
    kind: Annotated[QuestionType | None, Wire("type")] = None,
    topic: list[str] | None = None,
    order: Order = "desc",
    sort: QuestionSort = "askedAt",
    **wanted: Unpack[PageOfAnswers],
) -> Page[models.question.SiteQuestion]:
    """List the questions with at least one matching answer, and how many match."""


@operation("GET", _QUESTION, extension="E14")
def get_site_question(
    organization_id: str, site_id: str, site_question_id: str, **wanted: Unpack[WantedAnswers]
) -> models.question.SiteQuestion:
    """Get a question, with the numbers of the answers that fit."""


@operation("GET", _QUESTION + "/sources", extension="E14")
def list_site_question_sources(
    organization_id: str, site_id: str, site_question_id: str, **wanted: Unpack[PageOfAnswers]
) -> Page[models.question.AnswerSource]:
    """List what the answers to a question were made from."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/question-stats", extension="E14")
def get_site_question_stats(
    organization_id: str,
    site_id: str,
    *,
    topic: list[str] | None = None,
    **wanted: Unpack[WantedAnswers],
) -> models.question.QuestionStats:
    """Get the numbers of all questions of a site."""


@operation("GET", "/orgs/{organization_id}/sites/{site_id}/answers", extension="E14")
def list_site_question_answers(
    organization_id: str,
    site_id: str,
    *,
    question: str | None = None,
    language: str | None = None,
    helpfulness: Helpfulness | None = None,
    question_type: Annotated[QuestionType | None, Wire("question.type")] = None,
    topic: str | None = None,
    thread: str | None = None,
    **wanted: Unpack[PageOfAnswers],
) -> Page[models.question.SiteQuestionAnswer]:
    """List the answers that a site gave, the latest first."""


@operation("GET", _ANSWER, extension="E14")
def get_site_question_answer(
    organization_id: str, site_id: str, site_question_answer_id: str
) -> models.question.SiteQuestionAnswerWithResponse:
    """Get an answer with its words."""


@operation("GET", _ANSWER + "/sources", extension="E14")
def list_site_question_answer_sources(
    organization_id: str, site_id: str, site_question_answer_id: str, **paging: Unpack[Paging]
) -> Page[models.question.AnswerSource]:
    """List what an answer was made from."""


@operation("GET", _ANSWER + "/thread", extension="E14")
def get_site_question_answer_thread(
    organization_id: str, site_id: str, site_question_answer_id: str
) -> list[models.question.SiteQuestionAnswerWithResponse]:
    """Get the answers of the conversation that an answer is part of, the first one first."""
