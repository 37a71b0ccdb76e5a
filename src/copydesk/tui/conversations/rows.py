"""Rows of conversations, what lists of them, of issues and of clusters are filtered by, and
the ways from them to clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rich.cells import cell_len
from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.filter import UNKNOWN, Fields, Measure, Number, Query, Value, fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age_or_ahead, instant
from copydesk.domain.source_name import source_label
from copydesk.domain.span import span
from copydesk.domain.text import clean, shorten
from copydesk.present.conversation import NAME_LIMIT
from copydesk.session.cluster_rows import (
    ClusterRow,
    IssueRow,
    Words,
    shown,
    words_of,
)
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.reads.clusters import PAGE, read_page
from copydesk.session.target import Target
from copydesk.tui.resource.resource import Condition
from copydesk.tui.widgets.list import Column

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.conversation import Conversation, ConversationHit
    from copydesk.session.session import Session
    from copydesk.tui.framework.desk_app import DeskApp
    from copydesk.tui.framework.place import Place
    from copydesk.tui.resource.limits import LimitCommands


WORDS_KEY = "words said"
"""The key of words to look for in conversations, while they are typed."""

SUBJECT_LIMIT = 500
"""Characters of a subject that are read."""

NO_SUBJECT = "No subject"
"""Stands for a subject that is missing."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation of a list; texts are clean, nothing is masked yet."""

    id: str
    subject: str
    source: str
    created: datetime | None
    analysed: bool
    address: str
    hit: Words | None = None


def found_row(found: ConversationHit) -> ConversationRow:
    """Return the row of a conversation that a search found."""
    return replace(conversation_row(found.conversation), hit=words_of(found.hit))


class HasHit(Protocol):
    """A row of something in which words were looked for."""

    @property
    def hit(self) -> Words | None:
        """The words that were found."""


def hit_column(shown: Callable[[str], str]) -> Column[Any]:
    """Return the column of what was found; ``shown`` masks it."""
    return Column(
        "said", "SAID", lambda row: hit_cell(row, shown), flex=2, minimum=24,
        fitted=lambda row, cells: hit_cell(row, shown, cells),
    )  # fmt: skip


def hit_cell(row: HasHit, shown: Callable[[str], str], cells: int = 0) -> Text:
    """Return the words that were found with those around them, cut so that ``cells`` show them.

    Where masking changes what stands together, all of it shows masked, and nothing is lit.
    """
    if row.hit is None:
        return Text("")
    whole = "".join(row.hit)
    if shown(whole) != whole:
        return Text(shown(whole))
    before, words, after = row.hit
    room = max(cells // 4, cells - cell_len(words + after))
    if cells and cell_len(before) > room:
        before = shorten(before[::-1], room, glyphs().more)[::-1]
    return Text.assemble((before, "muted"), (words, "match"), (after, "muted"))


def conversation_row(conversation: Conversation) -> ConversationRow:
    """Return the row of a conversation."""
    return ConversationRow(
        conversation.id,
        clean(conversation.subject or "", limit=SUBJECT_LIMIT).strip(),
        clean(source_label(conversation.source or ""), limit=NAME_LIMIT).strip(),
        conversation.created_at,
        conversation.processed_at is not None,
        web_address(conversation.urls.source),
    )


def subject(row: ConversationRow, *, masked: bool) -> Text:
    """Return what a conversation is about."""
    if row.subject:
        return Text(shown(row.subject, masked=masked))
    return Text(NO_SUBJECT, "muted")


def state(row: ConversationRow) -> Text:
    """Return whether issues have been looked for in a conversation."""
    return Text("") if row.analysed else Text("analysing", "warn")


def since(row: ConversationRow, now: datetime) -> str:
    """Return how long ago a conversation began."""
    return age_or_ahead(row.created, now)


def cluster_cell(row: IssueRow, labels: Mapping[str, str], *, masked: bool) -> Text:
    """Return the cluster of an issue: its name where it is known."""
    if not row.cluster:
        return Text("none", "muted")
    label = labels.get(row.cluster)
    return Text(glyphs().more, "muted") if label is None else Text(shown(label, masked=masked))


class Sources:
    """The known sources of conversations: the API lists none.

    Each has a name that is clean, masked and its own; the service is asked by what it calls it.
    """

    def __init__(self) -> None:
        self._called: dict[str, str] = {}
        """What the service calls them, by name."""

    def learn(self, sources: Iterable[str | None]) -> None:
        """Take note of sources."""
        known = set(self._called.values())
        for source in sources:
            if source and source not in known:
                known.add(source)
                name = said = named(source, masked=True) or "no name"
                nth = 1
                while name in self._called:
                    nth += 1
                    name = f"{said} ({nth})"
                self._called[name] = source

    @property
    def names(self) -> Sequence[str]:
        """Their names in order."""
        return sorted(self._called, key=fold)

    def called(self, name: str) -> str | None:
        """Return what the service calls a source, by its name or that itself; None: not known."""
        if name in self._called:
            return self._called[name]
        folded = fold(name)
        return next(
            (
                source
                for known, source in self._called.items()
                if name == source or fold(known) == folded
            ),
            None,
        )

    def name_of_source(self, source: str) -> str:
        """Return the name of a known source."""
        return next(name for name, each in self._called.items() if each == source)


def named(source: str, *, masked: bool) -> str:
    """Return a source as it may be seen now."""
    return shown(clean(source_label(source), limit=NAME_LIMIT).strip(), masked=masked)


T = TypeVar("T")

OFFERED = 2_000
"""Rows that are looked through for values to offer after a key."""

TRENDS = ("growing", "falling", "steady", "new", "few")
"""Where a cluster goes; ``few`` are those with too few issues to tell."""


class MaskedTexts(Protocol):
    """What a filter needs to know: texts as they may be seen now."""

    @property
    def now(self) -> datetime:
        """The time of the service."""

    def shown(self, text: str) -> str:
        """Return text as it may be seen now."""

    def text_of(self, conversation: str) -> str:
        """Return the text of a conversation that has been read, folded; else nothing."""


def filtering(fields: Fields[T]) -> Callable[[str], Callable[[T], bool]]:
    """Return what makes a filter of a text. That raises ValueError with a sentence."""

    def make(text: str) -> Callable[[T], bool]:
        query = Query.parse(text, fields)
        if query.wrong is not None:
            raise ValueError(query.wrong)
        return query.matches

    return make


def conversation_fields(
    of: MaskedTexts, sources: Callable[[], Iterable[str]]
) -> Fields[ConversationRow]:
    """Return what conversations can be filtered by."""
    return Fields(
        words=lambda row: _folded(of, row.id, row.subject, row.source),
        keys={
            "source": lambda row: of.shown(row.source),
            "state": lambda row: "analysed" if row.analysed else "analysing",
        },
        values={"state": ("analysed", "analysing")},
        numbers={"age": _age(of, lambda row: row.created)},
        offers=lambda key: map(of.shown, sources()) if key == "source" else (),
        folded=True,
    )


def issue_fields(
    of: MaskedTexts,
    rows: Callable[[], Iterable[IssueRow]],
    labels: Callable[[], Mapping[str, str]] | None = None,
) -> Fields[IssueRow]:
    """Return what issues can be filtered by; by cluster where the ``labels`` of these are known."""
    keys: dict[str, Callable[[IssueRow], Value]] = {"source": lambda row: of.shown(row.source)}
    if labels is not None:
        keys["cluster"] = lambda row: (
            of.shown(labels().get(row.cluster, "")) or UNKNOWN if row.cluster else None
        )

    def offers(key: str) -> Iterable[str]:
        if key == "cluster" and labels is not None:
            return sorted(map(of.shown, labels().values()))
        return sorted({of.shown(row.source) for row in islice(rows(), OFFERED)})

    def label(row: IssueRow) -> str:
        return "" if labels is None else labels().get(row.cluster, "")

    return Fields(
        words=lambda row: _folded(
            of, row.conversation, row.title, row.summary, row.source, label(row)
        ),
        keys=keys,
        numbers={"age": _age(of, lambda row: row.created)},
        offers=offers,
        folded=True,
    )


def cluster_fields(
    of: MaskedTexts,
    rows: Callable[[], Iterable[ClusterRow]],
    conversations: Callable[[str], Iterable[str]],
    requests: Callable[[str], Number],
) -> Fields[ClusterRow]:
    """Return what clusters can be filtered by.

    ``conversations`` gives those of a cluster whose issues were read, and ``requests`` how many
    open change requests it has.
    """

    def words(row: ClusterRow) -> str:
        said = fold(of.shown(f"{row.label}\n{row.summary}"))
        return "\n".join([said, *map(of.text_of, conversations(row.id))])

    def offers(key: str) -> Iterable[str]:
        found = islice(rows(), OFFERED)
        return sorted({of.shown(name) for row in found for name, _ in row.sources})

    return Fields(
        words=words,
        keys={
            "source": lambda row: [of.shown(name) for name, _ in row.sources],
            "trend": lambda row: _trend(row),
        },
        values={"trend": TRENDS},
        numbers={
            "issues": Measure(lambda row: row.issues),
            "conversations": Measure(lambda row: row.conversations),
            "requests": Measure(lambda row: requests(row.id)),
            "age": _age(of, lambda row: row.created),
            "idle": _age(of, lambda row: row.updated),
        },
        offers=offers,
        folded=True,
    )


def _folded(of: MaskedTexts, conversation: str, *texts: str) -> str:
    return f"{fold(of.shown(chr(10).join(texts)))}\n{of.text_of(conversation)}"


def _age(of: MaskedTexts, began: Callable[[T], datetime | None]) -> Measure[T]:
    def age(row: T) -> Number:
        at = began(row)
        return None if at is None else (of.now - at).total_seconds()

    return Measure(age, "time")


def _trend(row: ClusterRow) -> str:
    move = row.rate.move
    return {"grows": "growing", "falls": "falling"}.get(move, move)


OF_CONVERSATION = Condition("conversation", "those found in this conversation, by its id")
"""Limits issues to those of one conversation."""


async def offered_clusters(api: Api, organization: str) -> Sequence[Option]:
    """Return clusters to choose from, those with the most issues. Raises ``ApiError``."""
    rows, _, _ = await read_page(api, organization, "issues", None, PAGE)
    return [Option(row.id, shown(row.label, masked=True), str(row.issues)) for row in rows]


OF_CLUSTER = Condition(
    "cluster", "those of this cluster, by its id", offers=offered_clusters,
    uses=("list_issues_clusters",),
)  # fmt: skip
"""Limits issues to those of one cluster."""


WORDS = "words"
"""The condition of what was said."""

LONGEST_QUERY = 512
"""Characters of words that a search takes."""


def _attribute(text: str) -> list[str]:
    """Return what an attribute must be. Raises ``ValueError`` with a sentence."""
    name, sign, value = text.partition("=")
    if not (name.strip() and sign and value.strip()):
        raise ValueError("write NAME=VALUE, such as plan=team")
    return [f"{name.strip()}={value.strip()}"]


def of_source(sources: Sources) -> Condition:
    """Return the condition of where a conversation is from, with the sources that are known."""

    async def offered(api: Api, organization: str) -> Sequence[Option]:
        return [Option(name, name) for name in sources.names]

    return Condition(
        "source", "those from this source", offers=offered, known=lambda: sources.names
    )


def said_conditions(
    session: Session, operation: str, attributes: Callable[[], Iterable[str]]
) -> Sequence[Condition]:
    """Return what is asked of conversations by an operation that searches them.

    ``attributes`` returns those that are known, as they are asked for.
    """

    def moment(text: str) -> datetime:
        found = instant(text)
        if found is not None:
            return found
        try:
            return session.now - span(text)
        except ValueError:
            raise ValueError("write a date, such as 2026-03-01, or a time, such as 2w") from None

    return (
        Condition(WORDS, "those in which this was said", uses=(operation,)),
        Condition("language", "those that state this language: en, de, es…"),
        Condition("since", "those since a date, or of the last 2w", read=moment),
        Condition("until", "those before a date, or more than 2w ago", read=moment),
        Condition("attribute", "those with NAME=VALUE", read=_attribute, known=attributes),
    )


def asked_of_search(conditions: Mapping[str, Any], sources: Sources) -> dict[str, Any]:
    """Return conditions as a search of conversations takes them."""
    asked = dict(conditions)
    if WORDS in asked:
        asked["query"] = asked.pop(WORDS)
    if (source := asked.get("source")) is not None:
        asked["source"] = sources.called(source) or source
    return asked


def with_words(limits: LimitCommands, words: str) -> None:
    """Have the service find conversations by words, besides the other conditions."""
    limits.limit({**limits.chosen, WORDS: words.strip()[:LONGEST_QUERY]})


LOOKED_FOR = ("list_sites", "list_site_findings", "list_site_finding_change_requests")
"""The operations that look for the finding of a change request that names none."""


async def go_to_finding(place: Place, request: str, called: str, known: Sequence[str]) -> None:
    """Go to the finding of a change request, or to all findings, saying so.

    ``known`` are the site and the finding that the request names. One that was begun for a broken
    link names none: that is looked for.
    """
    from copydesk.session.reads.findings import find_begun_for

    session, organization = place.session, place.organization or place.session.organization
    target = Target(organization=organization)
    found, whole = tuple(known) or session.left.get(("begun for", request)), True
    if not found and organization and session.without(["list_site_findings"]) is None:

        async def look() -> tuple[tuple[str, str] | None, bool]:
            return await find_begun_for(await session.ready(), organization, request)

        looked = await place.reads.now("finding", look, "Looking for its finding")
        found, whole = looked or (None, True)
        if found:
            session.left["begun for", request] = found
    if isinstance(found, tuple):
        site, finding = found
        await place.desk.go("finding", target.but(site=site, item=finding))
        return
    await place.desk.go("findings", target)
    if place.desk.here is not None:
        none = "no finding" if whole else "none of the findings that were looked through: not all"
        place.desk.here.say(f"{called} was begun for {none}. - goes back.")


async def go_to_cluster(desk: DeskApp, target: Target, why_all: str) -> None:
    """Go to a cluster; where ``target`` names none to all of them, saying why if that is known."""
    await desk.go("clusters", target)
    here = desk.here
    if target.cluster is None and why_all and here is not None and here.PLACE == "clusters":
        here.say(why_all)  # a service without clusters was told of instead
