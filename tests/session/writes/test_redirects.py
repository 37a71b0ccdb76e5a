"""Writes on the redirects of a site: what is sent, how it is found, and how it is undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

from copydesk.client.api import Api
from copydesk.contract.models.redirect import RedirectResults, SiteRedirect
from copydesk.domain.site_inverses import redirect_made, redirect_removed, redirects_put
from copydesk.session.reads.redirects import RedirectRow, RedirectsRead
from copydesk.session.redirect_plan import PlannedRedirect
from copydesk.session.writes.redirects import (
    WrongRedirectError,
    importing,
    making,
    parts_of,
    redirect_body,
    refused_of,
    removing,
)
from tests.session.redirects import SITE, paths

GUIDES = {"kind": "site-section", "siteSectionId": "guides"}
AWAY = {"kind": "external", "url": "https://x.test/a"}
IDS = ("o", "site")
LONG = f"/{'x' * 60}"

BODY: dict[str, Any] = {
    "source": "/old", "draft": False, "captureWildcard": False, "permanent": True,
    "destination": GUIDES,
}  # fmt: skip
ROW = RedirectRow("r", "/old", "/guides", False, True, False, "/guides", body=BODY)


def at(source: str, url: str) -> dict[str, Any]:
    """Return the body of a redirect to an address."""
    return {**BODY, "source": source, "destination": {"kind": "external", "url": url}}


def leading(source: str, to: str, **more: Any) -> RedirectRow:
    """Return a redirect that the site has."""
    return RedirectRow(source, source, to, False, True, False, to, body={}, **more)


async def body(
    source: str,
    to: str,
    *rows: RedirectRow,
    keep: bool = False,
    draft: bool = False,
    row: RedirectRow | None = None,
) -> dict[str, Any]:
    """Return a redirect as a request, or where it is wrong."""
    read = RedirectsRead(SITE, rows, paths())
    try:
        return await redirect_body(
            read, source, to, keep=keep, permanent=True, draft=draft, row=row
        )
    except WrongRedirectError as error:
        return {error.part: str(error)}


async def test_a_redirect_is_what_was_typed_and_stays_what_was_not_touched() -> None:
    assert await body("/old", "/guides") == BODY
    assert await body("/a*", "/guides", keep=True, draft=True) == {
        **BODY, "source": "/a*", "draft": True, "captureWildcard": True,
    }  # fmt: skip
    assert await body("/a", "/guides", keep=True) == {"rest": "the path has no * at its end"}
    assert await body("/a", "/none") == {"to": "the site shows nothing at /none"}
    strange = replace(ROW, leads="/gone", body={**BODY, "source": "/old\x07", "destination": AWAY})
    assert await body("/old", "/gone", row=strange) == strange.body
    assert (await body("/new", "/gone", row=strange))["source"] == "/new"
    assert (await body("/old", "/gone", row=strange))["source"] == "/old\x07"
    assert (await body("/old", "/guides", row=strange))["destination"] == GUIDES
    lost = replace(strange, leads=None)
    assert (await body("/old", "", row=lost))["destination"] == AWAY


async def test_a_loop_is_named_before_it_is_made() -> None:
    back = "https://docs.test/a"
    loop = {"to": "loop: /a to /b to /a"}
    rows = (leading("/b", "/a"), leading("/c", "/d"))
    assert await body("/a", "https://docs.test/b", *rows) == loop
    assert await body("/a", back) == {"to": "loop: /a to /a"}
    assert await body("/a", back, draft=True) == {**at("/a", back), "draft": True}
    assert await body("/a", "https://x.test/b", *rows) == at("/a", "https://x.test/b")
    # The redirect that is changed is as it will be; another one stays as it is.
    row = replace(leading("/b", "/a"), body=at("/b", back))
    assert await body("/b", "https://docs.test/c", row, leading("/d", "/b"), row=row) == at(
        "/b", "https://docs.test/c"
    )
    assert await body("/a", "https://docs.test/b", row, row=ROW) == loop
    moved = await body("/a", "https://docs.test/b", row, row=row)
    assert moved == at("/a", "https://docs.test/b")
    # With the rest of a path it does not stay at what the site shows.
    kept, start = {"to": "loop: /a/* to /start/* to /a/*"}, "https://docs.test/start"
    below = replace(leading("/start/*", "/a"), capture=True)
    assert await body("/a/*", f"{start}/", below, keep=True) == kept
    assert "destination" in await body("/a/*", f"{start}/", below)


class Service:
    """What is sent, and the redirects that there are."""

    def __init__(self, *sources: str) -> None:
        self.sent: list[Any] = []
        self.there = [
            SiteRedirect.model_validate({"id": source, **BODY, "source": source})
            for source in sources
        ]

    async def __call__(self, operation: Any, *args: Any) -> Any:
        self.sent.append((operation.name, *args))
        return self.there[0] if self.there else RedirectResults()

    async def pages(self, operation: Any, *args: Any, **asked: Any) -> AsyncIterator[SiteRedirect]:
        self.sent.append((operation.name, *args, asked))
        for each in self.there:
            yield each


async def test_a_redirect_is_made_and_found_and_removed() -> None:
    service = Service("/old/x", "/old*")
    api = cast("Api", service)
    given = {**BODY, "source": "/old*"}
    write = making(IDS, given)
    assert (write.what, write.target) == ("Make redirect", "/old*")
    assert callable(write.reversal)
    made = await write.send(api)
    assert write.reversal(made) == redirect_made(IDS, made.id, given)
    assert write.look is not None
    assert await write.look(api) == service.there[1]
    (created, *ids, sent), looked = service.sent
    assert (created, ids, sent.to_dict()) == ("create_site_redirect", [*IDS], given)
    assert looked == ("list_site_redirects", *IDS, {"search": "/old", "draft": False})
    none = Service("/older")
    draft = making(IDS, {**BODY, "source": LONG, "draft": True})
    assert draft.target == LONG[:39] + "…"
    assert draft.look is not None
    assert await draft.look(cast("Api", none)) is None
    assert none.sent[0][-1]["draft"] is True

    gone = removing(IDS, ROW)
    assert (gone.what, gone.target) == ("Remove redirect", "/old")
    assert removing(IDS, replace(ROW, source=LONG)).target == LONG[:39] + "…"
    assert gone.reversal == redirect_removed(IDS, BODY)
    await gone.send(api)
    assert service.sent[-1] == ("delete_site_redirect", *IDS, "r")
    assert gone.look is not None
    assert await gone.look(cast("Api", none)) is True
    again = cast("Api", Service("/old"))
    assert await gone.look(again) is True, "another one is there now"
    mine = removing(IDS, replace(ROW, id="/old"))
    assert mine.look is not None
    assert await mine.look(again) is None


async def test_a_file_is_sent_in_parts_that_are_undone_by_what_became_of_each() -> None:
    def staged(line: int, source: str, before: RedirectRow | None, intent: str) -> PlannedRedirect:
        sent = {**BODY, "source": source, "intent": intent}
        del sent["draft"]
        return PlannedRedirect(line, sent, before, None)

    former = [replace(ROW, body={**BODY, "source": f"/{name}"}) for name in "bc"]
    part = [
        staged(1, "/a", None, "live"),
        staged(2, "/b", former[0], "live"),
        staged(3, "/c", former[1], "live"),
        staged(4, "/d", None, "draft"),
        staged(5, "/e", ROW, "live"),
        staged(6, "/f", None, "live"),
    ]
    states = ("created", "updated", "deleted", "created", "error", "updated")
    found = RedirectResults.model_validate(
        {"results": [
            {"status": status, "source": each.body["source"], "error": "Taken.\x07"}
            for status, each in zip(states, part, strict=True)
        ]}
    )  # fmt: skip
    write = importing(IDS, part)
    assert (write.what, write.target) == ("Import", "6 redirects")
    assert callable(write.reversal)
    # What nobody had before was made: "updated" is what it is when it is sent a second time.
    made = [{"source": f"/{name}", "draft": name == "d"} for name in "adf"]
    assert write.reversal(found) == redirects_put(IDS, made, [each.body for each in former])
    service = Service()
    await write.send(cast("Api", service))
    [(name, *ids, sent)] = service.sent
    assert (name, ids) == ("apply_site_redirects", [*IDS])
    assert sent.to_dict() == {"redirects": [each.body for each in part]}
    assert refused_of(part, found) == ["line 5: /e: Taken."]
    found.results[4].error = None
    found.results.append(found.results[4])
    assert refused_of(part[:5], found) == ["line 5: /e: it was refused"]
    found.results[4].error = "x" * 400
    assert refused_of(part, found)[0] == f"line 5: /e: {'x' * 300}"
    assert [len(each) for each in parts_of(part[:1] * 1001)] == [500, 500, 1]


async def test_a_redirect_that_was_not_removed_for_it_is_not_there_is_removed() -> None:
    names = ("/gone", "/stays", "/made")
    found = RedirectResults.model_validate(
        {"results": [{"status": "error", "source": name, "error": "No."} for name in names]}
    )

    class Refusing(Service):
        async def __call__(self, operation: Any, *args: Any) -> Any:
            return found

    sent = {name: value for name, value in BODY.items() if name != "draft"}
    part = [
        PlannedRedirect(line, {**sent, "source": name, "intent": "live"}, ROW, after)
        for line, (name, after) in enumerate(zip(names, (None, None, ROW), strict=True), 1)
    ]
    service = Refusing("/stays")
    answer = await importing(IDS, part).send(cast("Api", service))
    assert [each.status for each in answer.results] == ["deleted", "error", "error"]
    assert [asked["search"] for *_, asked in service.sent] == ["/gone", "/stays"]
