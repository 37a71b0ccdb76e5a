"""Questions that people ask of a site, and the answers that each of them got."""

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from copydesk.contract.enumerations import (
    ChannelType,
    Helpfulness,
    QuestionType,
    Relevance,
    Resolution,
)
from copydesk.contract.models.base import (
    Always,
    Count,
    KeepsNull,
    Open,
    Real,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.document import Document


class FeedbackCounts(Shape):
    """How many answers were rated up, down, or not at all."""

    positive: Count = 0
    negative: Count = 0
    unrated: Count = 0


class ResolutionCounts(Shape):
    """How many questions were answered, in part, or not."""

    yes: Count = 0
    partially: Count = 0
    no: Count = 0


class RelevanceCounts(Shape):
    """How many questions are about what the site documents."""

    relevant: Count = 0
    spam: Count = 0
    off_topic: Count = Field(default=0, alias="off-topic")
    unclear: Count = 0


class QuestionTypeCounts(Shape):
    """How many questions there are of each type."""

    exploring: Count = 0
    how_to: Count = Field(default=0, alias="how-to")
    troubleshooting: Count = 0
    reference: Count = 0
    unknown: Count = 0


class QuestionStats(Shape):
    """What was asked: ``total`` questions with ``answers`` answers.

    ``weekly_pulse`` counts answers in each of the past 13 weeks, the latest last.
    """

    total: Count = 0
    answers: Count = 0
    feedback: FeedbackCounts = Field(default_factory=FeedbackCounts)
    answered: ResolutionCounts = Field(default_factory=ResolutionCounts)
    relevance: RelevanceCounts = Field(default_factory=RelevanceCounts)
    types: QuestionTypeCounts = Field(default_factory=QuestionTypeCounts)
    channel_types: dict[str, Count | Real] = {}
    channels: dict[str, Count | Real] = {}
    weekly_pulse: list[Count | Real] = []


class SiteQuestion(Resource):
    """A question, however often it was asked; ``asked_at`` is the last time."""

    object: Open[Literal["site-question"]] = "site-question"
    id: str
    question: str = ""
    type: Open[QuestionType] = "unknown"
    created_at: Always[Timestamp] = None
    asked_at: Always[Timestamp] = None
    stats: QuestionStats = Field(default_factory=QuestionStats)
    urls: Urls = Field(default_factory=Urls)


class AskedQuestion(Shape):
    """The question that an answer is to."""

    id: str
    type: Open[QuestionType] = "unknown"


class AnswerInput(Shape):
    """What somebody asked: the question alone, and all that they wrote."""

    text: str = ""
    raw: str = ""


class AnswerThread(Shape):
    """The conversation that an answer is part of, and the answer before it."""

    id: str
    previous: str | None = None


class AnswerSession(Shape):
    """Who asked: the ids of the visitor and of the visit."""

    visitor_id: str
    session_id: str


class AnswerFeedback(Shape):
    """What whoever asked thought of the answer: -1 or 1."""

    rating: Open[Literal["-1", "1"]] | Count


class AnswerChannel(KeepsNull):
    """Where a question was asked; what was connected to the site has an ``id``, None if unknown."""

    nullable: ClassVar[tuple[str, ...]] = ("id",)

    type: Open[ChannelType] = "api"
    id: str | None = None


class SiteQuestionAnswer(Resource):
    """A question that was asked once, and how it was answered; ``topics`` are ids."""

    object: Open[Literal["site-question-answer"]] = "site-question-answer"
    id: str
    question: AskedQuestion
    topics: list[str] = []
    input: AnswerInput = Field(default_factory=AnswerInput)
    thread: AnswerThread | None = None
    session: AnswerSession | None = None
    feedback: AnswerFeedback | None = None
    response_id: str = ""
    language: str = ""
    answered: Open[Resolution] = "no"
    helpfulness: Open[Helpfulness] = "low"
    relevance: Open[Relevance] = "unclear"
    channel: AnswerChannel = Field(default_factory=AnswerChannel)
    created_at: Always[Timestamp] = None
    updated_at: Timestamp | None = None
    urls: Urls = Field(default_factory=Urls)


class AnswerStep(Shape):
    """A part of an answer. Services say more of it."""

    content: Document | None = None


class AnswerMessage(Shape):
    """An answer, step by step. Services say more of it: that is kept as it is."""

    model_config = ConfigDict(extra="allow")

    id: Always[str] = None
    role: Open[Literal["assistant"]] = "assistant"
    steps: list[AnswerStep] = []

    @property
    def document(self) -> Document:
        """The words of all steps."""
        return Document(nodes=[n for s in self.steps if s.content for n in s.content.nodes])


class SiteQuestionAnswerWithResponse(SiteQuestionAnswer):
    """An answer with its words."""

    response: AnswerMessage = Field(default_factory=AnswerMessage)


class AnswerSource(Resource):
    """What an answer was made from: a page of a space, or a context record."""

    object: Open[Literal["site-question-answer-source"]] = "site-question-answer-source"
    id: str
    type: Open[Literal["page", "record"]] = "page"
    weight: Count | Real = 0
    title: str = ""
    space: str | None = None
    revision: str | None = None
    page: str | None = None
    record: str | None = None
    connector: str | None = None
    urls: Urls = Field(default_factory=Urls)
