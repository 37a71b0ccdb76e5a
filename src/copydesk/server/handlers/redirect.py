"""Redirects of a site. What would lead round in a circle is refused; chains are taken."""

from __future__ import annotations

import json
from typing import Any, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import RedirectOrder
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.redirect import (
    FoundRedirect,
    RedirectPublish,
    RedirectResult,
    RedirectResults,
    RedirectUpsert,
    SiteRedirect,
    SiteRedirectCreate,
    SiteRedirectsPut,
    SiteRedirectUpdate,
)
from copydesk.domain.redirects import loop_of
from copydesk.server.errors import Refusal, conflict, invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.redirect import (
    Redirect,
    RedirectPaths,
    destination_columns,
    find_redirect,
    redirect_model,
)
from copydesk.server.queries.site import SiteView, site_to_read, site_view
from copydesk.server.store import Value

_ORDERS: dict[RedirectOrder, tuple[str, bool]] = {
    "createdAt": ("created_at", True),
    "updatedAt": ("coalesce(updated_at, created_at)", True),
    "source": ("source", False),
}
"""The column of each order, and whether the last comes first."""


@implements(ops.get_site_redirect)
def get_site_redirect(
    call: Call, organization_id: str, site_id: str, *, source: str, share_key: str | None = None
) -> FoundRedirect:
    """Get the redirect that holds for a path. 404 where none does, or its destination is gone."""
    view = site_to_read(call, organization_id, site_id, share_key)
    paths = RedirectPaths(call, view.site)
    row = None if paths.shows(source) else paths.holding(source)
    target = None if row is None else paths.landing(row, source)
    if row is None or target is None or _unseen(view, row):
        raise not_found("redirect from", source)
    if view.address is not None and target.startswith("/"):
        target = view.address + target
    return FoundRedirect(redirect=redirect_model(row), target=target)


@implements(ops.list_site_redirects)
def list_site_redirects(
    call: Call,
    organization_id: str,
    site_id: str,
    *,
    search: str | None = None,
    draft: bool = False,
    order_by: RedirectOrder = "createdAt",
    **paging: Unpack[Paging],
) -> Page[SiteRedirect]:
    """List the redirects that hold, or the drafts; those to spaces one may not see are left out."""
    view = site_view(call, organization_id, site_id)
    given = Conditions("site_id = ? AND draft = ?", site_id, draft)
    if view.unseen:
        given.also(
            "site_space_id IS NULL OR site_space_id NOT IN (SELECT id FROM site_space "
            "WHERE space_id IN (SELECT value FROM json_each(?)))",
            json.dumps(sorted(view.unseen)),
        )
    given.also("instr(lower(source || ' ' || coalesce(url, '')), lower(?))", search or None)
    column, descending = _ORDERS[order_by]
    return paginate(
        call.tx,
        redirect_model,
        source="site_redirect",
        which=given,
        keys=(column, "id"),
        descending=descending,
        paging=paging,
    )


@implements(ops.create_site_redirect, takes="createContent")
def create_site_redirect(
    call: Call, organization_id: str, site_id: str, body: SiteRedirectCreate
) -> SiteRedirect:
    """Add a redirect. A path has one that holds, and one draft: another is a 409."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = _make(
        view,
        RedirectPaths(call, view.site),
        source=body.source,
        draft=body.draft,
        capture_wildcard=body.capture_wildcard,
        permanent=body.permanent,
        **destination_columns(view, body.destination),
    )
    call.location = call.url("orgs", organization_id, "sites", site_id, "redirects", row["id"])
    return redirect_model(row)


@implements(ops.update_site_redirect, takes="createContent")
def update_site_redirect(
    call: Call, organization_id: str, site_id: str, site_redirect_id: str, body: SiteRedirectUpdate
) -> SiteRedirect:
    """Change a redirect. One that stops being a draft takes effect."""
    view = site_view(call, organization_id, site_id, "createContent")
    row = find_redirect(call, view.site, site_redirect_id)
    if _unseen(view, row):
        raise not_found("redirect", site_redirect_id)
    changes: dict[str, Value] = {
        name: getattr(body, name)
        for name in ("source", "capture_wildcard", "draft", "permanent")
        if getattr(body, name) is not None
    }
    if body.destination is not None:
        changes |= destination_columns(view, body.destination)
    return redirect_model(_change(view, RedirectPaths(call, view.site), row, changes))


@implements(ops.delete_site_redirect, takes="createContent")
def delete_site_redirect(
    call: Call, organization_id: str, site_id: str, site_redirect_id: str
) -> None:
    view = site_view(call, organization_id, site_id, "createContent")
    row = call.tx.get("site_redirect", id=site_redirect_id, site_id=site_id)
    if row is None or _unseen(view, dict(row)):
        call.was_missing()
    else:
        call.tx.run("DELETE FROM site_redirect WHERE id = ?", row["id"])


@implements(ops.apply_site_redirects, takes="createContent")
def apply_site_redirects(
    call: Call, organization_id: str, site_id: str, body: SiteRedirectsPut
) -> RedirectResults:
    """Make, change, remove and publish redirects, in order; one that is refused stops no other."""
    view = site_view(call, organization_id, site_id, "createContent")
    paths = RedirectPaths(call, view.site)
    return RedirectResults(results=[_put(view, paths, each) for each in body.redirects])


def _put(
    view: SiteView, paths: RedirectPaths, wanted: RedirectPublish | RedirectUpsert
) -> RedirectResult:
    draft = wanted.intent == "draft"
    said: dict[str, Any] = {"source": wanted.source, "draft": draft}
    try:
        if isinstance(wanted, RedirectPublish):
            key = _publish(view, paths, wanted.source)
            return RedirectResult(status="published", id=key, **said)
        row = _at(view, wanted.source, draft=draft)
        if wanted.destination is None:
            if row is None:
                raise not_found("draft from" if draft else "redirect from", wanted.source)
            view.call.tx.run("DELETE FROM site_redirect WHERE id = ?", row["id"])
            return RedirectResult(status="deleted", **said)
        columns = destination_columns(view, wanted.destination) | {
            "capture_wildcard": wanted.capture_wildcard
        }
        if wanted.permanent is not None or row is None:
            columns["permanent"] = bool(wanted.permanent)
        if row is not None:
            _change(view, paths, row, columns)
            return RedirectResult(status="updated", id=row["id"], **said)
        made = _make(view, paths, source=wanted.source, draft=draft, **columns)
        return RedirectResult(status="created", id=made["id"], **said)
    except Refusal as refusal:
        return RedirectResult(status="error", error=refusal.message, **said)


def _publish(view: SiteView, paths: RedirectPaths, source: str) -> str:
    """Let the draft of a path hold, in place of what held for it; return its id."""
    draft, live = _at(view, source, draft=True), _at(view, source, draft=False)
    if draft is None:
        raise not_found("draft from", source)
    _check_way(paths, {**draft, "draft": 0, "id": draft["id"] if live is None else live["id"]})
    if live is not None:
        view.call.tx.run("DELETE FROM site_redirect WHERE id = ?", live["id"])
    _change(view, paths, draft, {"draft": False})
    return str(draft["id"])


def _make(view: SiteView, paths: RedirectPaths, **values: Value) -> Redirect:
    tx = view.call.tx
    row = {"id": tx.new_id(), "site_id": view.site["id"], "created_at": tx.now, **values}
    _check_free(view, row)
    _check_way(paths, row)
    tx.insert("site_redirect", **row)
    return dict(tx.row("site_redirect", row["id"]))


def _change(
    view: SiteView, paths: RedirectPaths, row: Redirect, changes: dict[str, Value]
) -> Redirect:
    tx = view.call.tx
    after = {**row, **changes}
    if changes.keys() & {"source", "draft"}:
        _check_free(view, after)
    _check_way(paths, after)
    tx.update("site_redirect", row["id"], updated_at=tx.now, **changes)
    return dict(tx.row("site_redirect", row["id"]))


def _at(view: SiteView, source: str, *, draft: bool) -> Redirect | None:
    row = view.call.tx.get("site_redirect", site_id=view.site["id"], draft=draft, source=source)
    if row is None:
        return None
    found = dict(row)
    if _unseen(view, found):
        raise conflict(f"There is a redirect from {source!r} to a space that you may not see.")
    return found


def _check_free(view: SiteView, row: Redirect) -> None:
    """Raise a 409 where the path has a redirect, or a draft, already."""
    there = _at(view, row["source"], draft=bool(row["draft"]))
    if there is not None and there["id"] != row["id"]:
        kind = "draft" if row["draft"] else "redirect"
        raise conflict(f"There is a {kind} from {row['source']!r} already.")


def _check_way(paths: RedirectPaths, row: Redirect) -> None:
    """Raise a 400 where a redirect would lead back to itself once it holds.

    Not where it leads to others that go in a circle: those there are.
    """
    if row["draft"]:
        return
    if loop := loop_of(row["source"], lambda path: paths.follow(path, row)):
        raise invalid(f"body.destination: it redirects in a circle: {' to '.join(loop)}")


def _unseen(view: SiteView, row: Redirect) -> bool:
    """Say whether a redirect leads to a space that the caller may not see."""
    return (
        row["site_space_id"] is not None
        and bool(view.unseen)
        and bool(
            view.call.tx.value(
                "SELECT 1 FROM site_space WHERE id = ? "
                "AND space_id IN (SELECT value FROM json_each(?))",
                row["site_space_id"],
                json.dumps(sorted(view.unseen)),
            )
        )
    )
