"""Traffic of a site: what readers did there, counted by columns."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from copydesk.contract.models.base import Body, Shape, Timestamp

MOST_ROWS = 1000
"""How many rows an answer has at most."""

PlainColumn: TypeAlias = Literal[
    "dayOfWeek",
    "hourOfDay",
    "url",
    "urlPath",
    "eventType",
    "eventsCount",
    "sessionsCount",
    "visitorsCount",
    "siteSection",
    "siteSpace",
    "siteShareKey",
    "displayContext",
    "page",
    "visitorGeoCountry",
    "visitorDevice",
    "visitorBrowser",
    "visitorOS",
    "visitorBot",
    "visitorLanguage",
    "eventLinkTargetValue",
    "eventLinkTargetKind",
    "eventLinkTargetDomain",
    "eventLinkPosition",
    "eventAPIOperationPath",
    "eventAPIOperationMethod",
    "eventLLMSVariant",
    "eventPageNotFoundType",
    "eventMarkdownSource",
    "eventSearchQuery",
    "eventSearchResultRecordId",
    "eventPageFeedbackRating",
    "eventPageFeedbackComment",
    "eventAskResponseRating",
    "pageFeedbackRating",
    "askResponseRating",
    "referrer",
    "referrerDomain",
    "utmSource",
    "utmMedium",
    "utmCampaign",
    "utmTerm",
    "utmContent",
    "visitorAuthenticated",
    "visitorClaimProperty",
    "eventAdDomain",
    "eventAdPlacement",
    "eventTrademarkPlacement",
]
"""The columns that need nothing but their name."""

Interval: TypeAlias = Literal["hour", "day", "week", "month"]
"""How long one row of ``datetime`` is."""


class EventsColumn(Body):
    """A column by its name."""

    column: PlainColumn


class TimeColumn(Body):
    """When it was."""

    column: Literal["datetime"]
    interval: Interval | None = None


class PointColumn(Body):
    """Where readers were; the larger ``precision`` is, the more exactly."""

    column: Literal["visitorGeoPoint"]
    precision: Annotated[int, Field(ge=0, le=15)] | None = None


class ClaimColumn(Body):
    """What a visitor attribute was."""

    column: Literal["visitorClaim"]
    claim: str


AnyColumn: TypeAlias = Annotated[
    EventsColumn | TimeColumn | PointColumn | ClaimColumn, Field(discriminator="column")
]
"""A column of the events."""


class EventsFilter(Body):
    """The events whose column has one of some values, or none of them, or more, or less."""

    column: PlainColumn | Literal["datetime", "visitorGeoPoint", "visitorClaim"]
    values: list[Any]
    claim: str | None = None
    operator: (
        Literal["in", "notIn", "greaterThan", "greaterThanOrEqual", "lessThan", "lessThanOrEqual"]
        | None
    ) = None


class EventsOrder(Body):
    """The column that rows are sorted by."""

    by: AnyColumn
    direction: Literal["asc", "desc"]


class EventsSpan(Body):
    """From one moment to another, which is not within."""

    from_: Timestamp = Field(alias="from")
    to: Timestamp


Preset: TypeAlias = Literal["lastYear", "last3Months", "last30Days", "last7Days", "last24Hours"]
"""A span that ends now."""


class EventsAggregation(Body):
    """An aggregation of events: the measure, the events, and the grouping."""

    select: list[AnyColumn] | None = None
    where: list[EventsFilter] | None = None
    group_by: list[AnyColumn] | None = None
    order: EventsOrder | None = None
    range: Preset | EventsSpan
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] | None = None


class EventsValues(Shape):
    """One column of an answer: its value in each row."""

    column: str
    values: list[Any] = []
    claim: str | None = None


class EventsAggregate(Shape):
    """What was counted, column by column: the first value of each is the first row."""

    columns: list[EventsValues] = []
