"""Writes on the redirects of a site: a new one, its removal, and many from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.contract.models.redirect import (
    BULK_LIMIT,
    SiteRedirectCreate,
    SiteRedirectsPut,
)
from copydesk.domain.site_inverses import redirect_made, redirect_removed, redirects_put
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.operations import ops
from copydesk.session.reads.redirects import RedirectRow, RedirectsRead, SiteIds, rules_of
from copydesk.session.writes.sender import Write

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.redirect import RedirectResults, SiteRedirect
    from copydesk.domain.reversal import Reversal
    from copydesk.session.redirect_plan import PlannedRedirect


class WrongRedirectError(ValueError):
    """A redirect that cannot be meant; ``part`` is what of it is wrong: source, to or rest."""

    def __init__(self, part: str, why: str) -> None:
        super().__init__(why)
        self.part = part


async def redirect_body(
    read: RedirectsRead,
    source: str,
    to: str,
    *,
    keep: bool,
    permanent: bool,
    draft: bool,
    row: RedirectRow | None = None,
) -> dict[str, Any]:
    """Return a redirect as a request; ``row`` is the one that is changed.

    With ``keep`` the rest of a path goes on behind the destination. Raises `WrongRedirectError`
    and ``ApiError``.
    """
    if keep and not source.endswith("*"):
        raise WrongRedirectError("rest", "the path has no * at its end")
    if row is not None and to == (row.leads or ""):
        destination = row.body["destination"]
    else:
        try:
            destination = await read.paths.destination(to)
        except ValueError as error:
            raise WrongRedirectError("to", str(error)) from error
    body = {
        "source": row.body["source"] if row is not None and source == row.source else source,
        "draft": draft,
        "captureWildcard": keep,
        "permanent": permanent,
        "destination": destination,
    }
    if loop := await _loop(read, body, row):
        raise WrongRedirectError("to", f"loop: {clean(' to '.join(loop))}")
    return body


async def _loop(
    read: RedirectsRead, body: Mapping[str, Any], row: RedirectRow | None
) -> tuple[str, ...]:
    """Return the loop that a redirect would be part of once it holds. Raises ``ApiError``."""
    if body["draft"]:
        return ()
    source, capture = body["source"], body["captureWildcard"]
    leads, title = await read.paths.leads(body["destination"])
    new = RedirectRow("new", source, title, False, False, capture, leads)
    others = [each for each in read.rows if row is None or each.id != row.id]
    return rules_of([*others, new], read.paths).loop(source)


async def make_redirect(api: Api, ids: SiteIds, body: Mapping[str, Any]) -> SiteRedirect:
    """Make a redirect. Raises ``ApiError``."""
    return await api(ops.create_site_redirect, *ids, SiteRedirectCreate.model_validate(dict(body)))


def making(ids: SiteIds, body: Mapping[str, Any]) -> Write[SiteRedirect]:
    """Return the write of a new redirect."""
    return Write(
        "Make redirect",
        shorten(str(body["source"]), 40),
        lambda api: make_redirect(api, ids, body),
        reversal=lambda found: redirect_made(ids, found.id, body),
        look=lambda api: _there(api, ids, body),
    )


async def _there(api: Api, ids: SiteIds, body: Mapping[str, Any]) -> SiteRedirect | None:
    """Return the redirect with the same source, among drafts where this is one."""
    source = body["source"]
    pages = api.pages(
        ops.list_site_redirects, *ids, search=source.rstrip("*"), draft=bool(body["draft"])
    )
    async for each in pages:
        if each.source == source:
            return each
    return None


def removing(ids: SiteIds, row: RedirectRow) -> Write[object]:
    """Return the write that removes a redirect."""

    async def gone(api: Api) -> object:
        found = await _there(api, ids, row.body)
        return True if found is None or found.id != row.id else None

    return Write(
        "Remove redirect",
        shorten(row.source, 40),
        lambda api: api(ops.delete_site_redirect, *ids, row.id),
        reversal=redirect_removed(ids, row.body),
        look=gone,
    )


def parts_of(staged: Sequence[PlannedRedirect]) -> Iterator[Sequence[PlannedRedirect]]:
    """Yield the redirects of a file in as few parts as a service takes them in."""
    for start in range(0, len(staged), BULK_LIMIT):
        yield staged[start : start + BULK_LIMIT]


def importing(ids: SiteIds, part: Sequence[PlannedRedirect]) -> Write[RedirectResults]:
    """Return the write of one of `parts_of` a file; several are one for who undoes them.

    Where an answer was lost they are sent once more, and the second answer tells of them as they
    were by then: one that was made is changed, and what is removed is missing. What they came to
    is what the plan says, except for those that were refused.
    """
    bodies = SiteRedirectsPut.model_validate({"redirects": [each.body for each in part]})

    async def send(api: Api) -> RedirectResults:
        found = await api(ops.apply_site_redirects, *ids, bodies)
        for each, result in zip(part, found.results, strict=False):
            if result.status == "error" and each.after is None:
                there = await _there(api, ids, _of(each))
                result.status = "deleted" if there is None else result.status
        return found

    def back(found: RedirectResults) -> Reversal | None:
        refused = {at for at, each in enumerate(found.results) if each.status == "error"}
        done = [each for at, each in enumerate(part) if at not in refused]
        made = [_of(each) for each in done if each.before is None]
        return redirects_put(ids, made, [each.before.body for each in done if each.before])

    return Write("Import", plural(len(part), "redirect"), send, reversal=back)


def _of(staged: PlannedRedirect) -> dict[str, Any]:
    return {"source": staged.body["source"], "draft": staged.body["intent"] == "draft"}


def refused_of(part: Sequence[PlannedRedirect], found: RedirectResults) -> list[str]:
    """Return which redirects of a part the service refused, by their lines, and why."""
    return [
        f"line {each.line}: {clean(result.source)}: "
        f"{clean(result.error or 'it was refused', limit=300)}"
        for each, result in zip(part, found.results, strict=False)
        if result.status == "error"
    ]
