"""What a search returns, section by section, and what cannot be looked for."""

from __future__ import annotations

from typing import Any, cast

from copydesk.client.api import Api
from copydesk.contract.models.base import Next, Page
from copydesk.contract.models.search import (
    OrganizationSearchItem,
    SearchSection,
    SpaceSearchItem,
)
from copydesk.session.reads.search import (
    Hit,
    hits_of_items,
    nothing_found,
    read_hits,
    unfit,
)

LATE = SearchSection.model_validate(
    {"id": "x#y", "title": "Late", "urls": {"app": "https://app.test/late"}}
)
EARLY = SearchSection(id="early", path="costs#early#one")
COSTS = SpaceSearchItem.model_validate(
    {"id": "p", "title": "Costs\x07", "sections": [LATE, EARLY],
     "ancestors": [{"title": "Guide"}, {}], "urls": {"app": "https://app.test/costs"}}
)  # fmt: skip
MORE = Next(page="more")
PLAIN = SpaceSearchItem(id="q", title="Plain")
SPACE = OrganizationSearchItem(id="s", title="Space", pages=[COSTS, PLAIN])
RECORD = OrganizationSearchItem(type="record", id="r", title="Call", url="https://calls.test/1")


class Service:
    """What is asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def page(self, operation: Any, *args: Any, **asked: Any) -> Page[Any]:
        self.asked.append((operation.name, *args, asked))
        in_space = operation.name == "search_space"
        return Page[Any](items=[COSTS] if in_space else [SPACE, RECORD], next=MORE)


def test_each_section_is_a_result_and_a_page_without_any_is_one() -> None:
    first, second, plain, record = hits_of_items([SPACE, RECORD], "fee")
    assert first == Hit("s", "Space", COSTS, LATE, 0, "fee")
    assert (second.number, second.section, plain.section, record.section) == (1, EARLY, None, None)
    assert [each.id for each in (first, second, plain, record)] == [
        "s p 0",
        "s p 1",
        "s q 0",
        " r 0",
    ]
    assert [each.anchor for each in (first, second, plain)] == ["y", "early#one", ""]
    assert first.where == "Guide / Untitled / Costs"
    assert first.url == "https://app.test/late"
    assert second.url == "https://app.test/costs"
    assert plain.url is None
    assert (record.space, record.space_title, record.where, record.number, record.words) == (
        "", "", "Call", 0, "fee",
    )  # fmt: skip
    assert record.url == "https://calls.test/1"


def test_what_cannot_be_looked_for_and_what_was_not_found_are_told() -> None:
    assert unfit("fee") is unfit("x" * 512) is None
    assert unfit("  ") == "Type what to look for: e opens a line for that."
    assert unfit("- !_") == "There is no letter and no digit in it, so no page can be found by it."
    assert unfit("x" * 513) == "513 characters; a search takes at most 512."
    assert nothing_found("fee", "here") == "No page here has this word."
    assert nothing_found("late fees", "of it") == "No page of it has all of these words."
    whole = "No page here has this word. One or two letters are found as a whole word only."
    assert nothing_found("ab", "here") == whole
    assert nothing_found("搜索", "here") == "No page here has this word."


async def test_a_space_a_site_or_all_of_an_organization_is_searched() -> None:
    service = Service()
    api = cast("Api", service)
    found = await read_hits(api, "fee", "o", space="s", page="2")
    assert found.next == MORE
    assert found.items == [
        Hit("s", "", COSTS, each, at, "fee") for at, each in enumerate((LATE, EARLY))
    ]
    for site in ("", "docs"):
        found = await read_hits(api, "fee", "o", site=site, limit=5)
        assert (found.items, found.next) == ([*hits_of_items([SPACE, RECORD], "fee")], MORE)
    in_space, everywhere, (name, organization, site, sent, asked) = service.asked
    assert in_space == ("search_space", "s", {"query": "fee", "page": "2"})
    assert everywhere == ("search_organization", "o", {"query": "fee", "limit": 5})
    assert (name, organization, site, asked) == ("search_site_content", "o", "docs", {"limit": 5})
    assert sent.to_dict() == {"query": "fee", "mode": "all"}
