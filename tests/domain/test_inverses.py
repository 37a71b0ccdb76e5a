"""The way back of every kind of write, step by step: what is sent, and what is read before.

And what must still hold before a write goes that had to wait.

All of them are in ``tests/domain/ways_back.json``, which ``--update-golden`` writes: look at the
difference.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from copydesk.domain import (
    access,
    automation_inverses,
    cluster_inverses,
    finding_inverses,
    inverses,
    organization_inverses,
    site_inverses,
    tree_inverses,
)
from copydesk.domain.layout import GROUP
from copydesk.domain.order import Move
from copydesk.domain.reversal import (
    JSON,
    Expectation,
    Reversal,
    Step,
    Trace,
    expectation_of,
    reversal_of,
    step_of,
    trace_of,
)
from copydesk.domain.site_moves import Back, EntryMove, Place
from copydesk.domain.site_tree import SiteNode

KEPT = Path(__file__).parent / "ways_back.json"
MODULES = (
    access,
    automation_inverses,
    cluster_inverses,
    finding_inverses,
    inverses,
    organization_inverses,
    site_inverses,
    tree_inverses,
)
SITE = ("org", "site")
SECTION = SiteNode("sec", "section", "Guides", "")
HIDDEN = SiteNode("shown", "site-space", "English", "sec", hidden=True)
LEVEL = tuple(f"space{number}" for number in range(50))


def ways() -> Iterator[tuple[str, Expectation | Reversal | Trace | Step | None]]:
    """Yield the way back of each write, with its name."""
    yield from _of_requests()
    yield from _of_organizations()
    yield from _of_access()
    yield from _of_sites()
    yield from _of_redirects()
    yield from _of_trees()
    yield from _of_automation()
    yield from _of_clusters()
    yield from _of_preconditions()


def _of_requests() -> Iterator[tuple[str, Reversal | Trace]]:
    ways = inverses
    yield "request_changed", ways.request_changed("s", "r", {"subject": "A"}, {"subject": " B"})
    told = {"nodes": [{"leaves": [{"text": "One"}]}]}
    was = {"description": {"document": told}, "status": "open"}
    yield "request_changed text", ways.request_changed("s", "r", was, {"status": "draft"})
    yield "request_begun", ways.request_begun("s", "r")
    yield "reviewers_asked", ways.reviewers_asked("s", "r", asked=["b", "a"], left=["c"])
    yield "reviewers_asked none", ways.reviewers_asked("s", "r", left=["d", "c"])
    yield "message_sent", ways.message_sent("s", "r", "c", text="Why?", draft="key")
    yield "message_sent reply", ways.message_sent("s", "", "c", "p", text="So.")
    yield "message_edited", ways.message_edited("s", "r", "c", before="A", after="B")
    yield "message_edited reply", ways.message_edited("s", "", "c", "p", before="A", after="B")
    yield "thread_resolved", ways.thread_resolved("s", "r", "c", resolved=True)
    yield "thread_resolved not", ways.thread_resolved("s", "", "c", resolved=False)
    yield "reacted", ways.reacted("s", "r", "c", emoji="1f44d", me="me", added=True)
    yield "reacted not", ways.reacted("s", "", "c", "p", emoji="1f44d", me="me", added=False)
    yield "message_trace", ways.message_trace("s", "r", me="me", page="p", node="n")
    yield "message_trace reply", ways.message_trace("s", "", "c", me="me")
    yield "message_trace space", ways.message_trace("s", "", me="me", page="p")
    yield "draft_dropped", ways.draft_dropped("key")


def _of_organizations() -> Iterator[tuple[str, Reversal | None]]:
    ways, team, provider = organization_inverses, ("org", "team"), ("org", "saml")
    yield "role_changed", ways.role_changed("org", "u", "admin", "read")
    yield "role_changed none", ways.role_changed("org", "u", None, "read")
    yield "role_changed to none", ways.role_changed("org", "u", "admin", None)
    yield "sso_member_added", ways.sso_member_added("org", "u", "read")
    yield "sso_member_added none", ways.sso_member_added("org", "u", None)
    yield "joined", ways.joined("org", "me")
    yield "organization_changed", ways.organization_changed("org", {"title": "A"}, {"title": "B"})
    yield "team_made", ways.team_made(team, "Docs", 2)
    yield "team_renamed", ways.team_renamed(team, "Docs", "Text")
    yield "people_added", ways.people_added(team, ["b", "a"])
    yield "people_removed", ways.people_removed(team, {"b": "owner", "a": "member"})
    yield "people_removed: one", ways.people_removed(team, {"b": "owner"})
    yield "roles_changed: of one", ways.roles_changed(team, {"b": "owner"}, "member")
    yield "roles_changed", ways.roles_changed(team, {"b": "owner", "a": "member"}, "owner")
    values = {"label": "Okta", "entityID": "e", "ssoURL": "https://a", "certificate": "c"}
    yield "provider_made", ways.provider_made(provider, values)
    after = {**values, "label": "Entra", "ssoURL": "https://b"}
    yield "provider_changed", ways.provider_changed(provider, values, after)
    yield "provider_changed not", ways.provider_changed(provider, values, values)
    unset = {**values, "certificate": None, "defaultTeam": "t"}
    yield "provider_changed unset", ways.provider_changed(provider, unset, values)
    teamless: dict[str, JSON] = {**values, "defaultTeam": None}
    yield "provider_changed teamless", ways.provider_changed(provider, teamless, unset)


def _of_access() -> Iterator[tuple[str, Reversal]]:
    ways = access
    yield "invited", ways.invited("org", ["b", "a"])
    yield "link_made invite", ways.link_made("org", "link", {"role": "read", "level": None})
    yield "link_changed invite", ways.link_changed("org", "link", "role", "read", "edit")
    yield "link_changed invite none", ways.link_changed("org", "link", "level", None, "edit")


def _of_sites() -> Iterator[tuple[str, Reversal]]:
    ways = site_inverses
    for name in ("title", "proxy", "adaptiveContent", "visibility"):
        yield f"setting_changed {name}", ways.setting_changed(SITE, name, "A", "B")
    yield (
        "setting_changed proxy of a path",
        ways.setting_changed(SITE, "proxy", "https://a.test/", "https://b.test/X/"),
    )
    on, off = {"enabled": True}, {"enabled": False}
    yield "setting_changed adaptive", ways.setting_changed(SITE, "adaptiveContent", off, on)
    yield "setting_changed to none", ways.setting_changed(SITE, "basename", "a", None)
    ways_in: tuple[dict[str, object], dict[str, object]] = (
        {"backend": "custom", "fallbackURL": None},
        {"backend": "custom", "fallbackURL": "https://a.test"},
    )
    yield "site_space_copied", ways.site_space_copied(SITE, "v", "s", of="original")
    yield "site_space_copied alone", ways.site_space_copied(SITE, "v", "s", of="s")
    yield "sign_in_changed", ways.sign_in_changed(SITE, *ways_in)
    yield "site_published", ways.site_published(SITE, published=True)
    yield "site_published not", ways.site_published(SITE, published=False)
    yield "site_made", ways.site_made(SITE, title="Docs")
    for node in (SECTION, HIDDEN, SiteNode(f"{GROUP}g", "group", "All", "")):
        before, after = {"title": "A", "path": None}, {"title": "B", "path": "b"}
        yield (
            f"site_row_changed {node.kind}",
            ways.site_row_changed(SITE, node, before, after),
        )
        move, back = Move(node.id, "before", "x"), Move(node.id, "after", "y")
        for near in (True, False):
            yield (
                f"row_moved {node.kind} {near}",
                ways.row_moved(
                    SITE, node, move, back, ["y", node.id, "x"], [node.id, "x", "y"], ["z"],
                    near=near,
                ),
            )  # fmt: skip
    yield "row_moved sorts", ways.row_moved(
        SITE, HIDDEN, Move("s", "after", "a"), Move("s", "before", "b"), ["s", "b"], ["b", "s"],
        sorts=True,
    )  # fmt: skip
    places = Place("", ("a", "s")), Place("g", ("s", "x"), long=True)
    kinds = {"a": "section", "x": "link"}
    entry = EntryMove("s", "g", "before", "x", *places, ("after", "a"))
    yield "entry_moved", ways.entry_moved(SITE, "section", entry, kinds, ["z"])
    entry = EntryMove("l", "g", "into", "", *places, ("into", ""))
    yield "entry_moved into", ways.entry_moved(SITE, "link", entry, {})
    yield "entry_moved group", ways.entry_moved(SITE, "group", entry, {})
    taken: list[tuple[SiteNode, Back | None]] = [(SECTION, ("after", "a")), (SECTION, None)]
    taken.append((HIDDEN, ("along", "g")))
    yield "group_made", ways.group_made(SITE, "new:1", taken, kinds)
    entry = EntryMove("s", "g", "before", "x", *places, ("along", "h"))
    yield "entry_moved along", ways.entry_moved(SITE, "section", entry, kinds)
    values: dict[str, JSON] = {"title": "G", "icon": "box", "localizedTitle": {"de": "H"}}
    yield (
        "group_removed",
        ways.group_removed(
            SITE, "g", values, ["s"], places[0], ("after", "a"), "section", ["g", "z"]
        ),
    )
    yield (
        "group_removed alone",
        ways.group_removed(
            SITE, "g", {"title": "G", "draft": True}, [], Place("h", ("g",)), ("into", "h"), "", []
        ),
    )
    yield (
        "group_removed untitled",
        ways.group_removed(SITE, "g", {}, [], Place("h", ("g",)), ("into", "h"), "", []),
    )
    yield (
        "group_removed long",
        ways.group_removed(SITE, "g", values, [], places[1], ("before", "x"), "link", []),
    )
    yield "link_added", ways.link_added(SITE, "new:1")
    yield "default_changed", ways.default_changed(SITE, HIDDEN, SECTION)
    other = SiteNode("other", "site-space", "French", "sec")
    yield "default_changed space", ways.default_changed(SITE, HIDDEN, other)
    yield "space_shown", ways.space_shown(SITE, "shown", "other")
    yield "space_shown alone", ways.space_shown(SITE, "shown")
    yield "section_added", ways.section_added(SITE, "sec", "space")
    yield "link_changed", ways.link_changed(SITE, "l", {"name": "A"}, {"name": "B"})
    yield "link_changed to none", ways.link_changed(SITE, "l", {"name": "A"}, {"name": ""})
    yield "link_changed off", ways.link_changed(SITE, "l", {"active": True}, {"active": False})
    yield "link_made", ways.link_made(SITE, "l", "For Bo")
    yield "link_made without a name", ways.link_made(SITE, "l", "")
    landed: dict[str, JSON] = {"defaultSiteSpace": "a", "path": "p"}
    changed: dict[str, JSON] = {"defaultSiteSpace": "b", "path": None}
    yield "site_row_changed lands", ways.site_row_changed(SITE, SECTION, landed, changed)
    yield "schema_changed", ways.schema_changed(SITE, {"jsonSchema": {}}, {"jsonSchema": {"a": 1}})


def _of_redirects() -> Iterator[tuple[str, Reversal | None]]:
    ways = site_inverses
    to: dict[str, JSON] = {"kind": "site-section", "siteSection": "sec"}
    body: dict[str, JSON] = {"source": "/guides/*", "destination": to, "draft": False}
    away = {**body, "destination": {"kind": "external", "url": "https://a"}, "draft": True}
    yield "redirect_made", ways.redirect_made(SITE, "r", body)
    yield "redirect_changed", ways.redirect_changed(SITE, "r", body, away)
    yield "redirect_removed", ways.redirect_removed(SITE, body)
    moved = ways.former_address_redirected(SITE, "", "/guides/*", to)
    yield "former_address_redirected", moved
    yield "redirects_put", ways.redirects_put(SITE, [body], [away])
    former: dict[str, JSON] = {**body, "captureWildcard": True, "permanent": False}
    yield "redirects_put back", ways.redirects_put(SITE, [], [former])
    yield "redirects_put none", ways.redirects_put(SITE, [], [])


def _of_trees() -> Iterator[tuple[str, Reversal | Step]]:
    ways = tree_inverses
    yield "settings_changed", ways.settings_changed("space", "s", {"title": "A"}, {"title": "B"})
    whole = ways.settings_changed("collection", "c", {"description": ""}, {"description": "B"})
    yield "settings_changed collection", whole
    yield "collection_made", ways.collection_made("org", "c", title="All")
    yield "space_made", ways.space_made("org", "s")
    yield "space_made alone", ways.space_made("org", "s", listed=False)
    yield "space_deleted", ways.space_deleted("s", home="c")
    yield "space_deleted not", ways.space_deleted("s", deleted=False)
    body = ways.move_body("c", "after", "a")
    few = ["a", "s", "b"]
    yield "space_moved", ways.space_moved("org", "s", body, ("", few), ("c", ["a", "s"]))
    again = (ways.line_up("s", "c", "a"),)
    yield (
        "space_moved far",
        ways.space_moved(
            "org", "space25", ways.move_body("c"), ("", LEVEL), ("", LEVEL[::-1]),
            without=["space1"], listed=False, again=again,
        ),
    )  # fmt: skip
    yield "put_again", ways.put_again("org", "space25", "c", LEVEL)
    yield "put_again first", ways.put_again("org", "a", "", few)
    yield "collection_entered", ways.collection_entered("org", "c", body, "d", ("", few))
    apart = ways.collection_entered("org", "c", body, "", ("d", few), anchored=False)
    yield "collection_entered loose", apart
    for number, step in enumerate(ways.order_again("org", "c", few)):
        yield f"order_again {number}", step
    up = ways.line_up("s", "", "a")
    yield "collections_lined_up", ways.collections_lined_up("org", up, "", few, few[::-1])
    cut = ways.collections_lined_up("org", up, "c", few, None, without=["b"])
    yield "collections_lined_up far", cut


def _of_automation() -> Iterator[tuple[str, Reversal]]:
    ways = automation_inverses
    yield "integration_made", ways.integration_made("lamp")
    before: dict[str, object] = {"title": "A", "description": None}
    yield "integration_changed", ways.integration_changed("lamp", before, {"title": "B"})
    yield "term_added", ways.term_added("org", "t", {"en": "fee"})
    yield (
        "term_changed",
        ways.term_changed("org", "t", {"en": "fee"}, {"en": "fee", "de": "Entgelt"}),
    )
    yield "term_removed", ways.term_removed("org", "t", {"en": "fee"})
    yield "installation_made", ways.installation_made("org", "lamp")
    selected, whole = {"space_selection": "selected"}, {"space_selection": "all"}
    yield "installation_changed", ways.installation_changed("org", "lamp", "i", whole, selected)
    yield "installation_removed", ways.installation_removed("org", "lamp")
    yield "spec_made", ways.spec_made("org", "api", "https://a", "https://a")
    yield "spec_made text", ways.spec_made("org", "api", "openapi: 3", None)
    yield "source_changed", ways.source_changed("org", "api", "https://a", "https://b")
    yield "source_changed text", ways.source_changed("org", "api", "https://a", None)
    yield "visibility_changed", ways.visibility_changed("org", "api", "private", "public")
    yield "spec_deleted", ways.spec_deleted("org", "api", "https://a", "private")
    yield "spec_deleted public", ways.spec_deleted("org", "api", "https://a", "public")
    yield "spec_deleted bare", ways.spec_deleted("org", "api", "https://a", None)
    yield "translation_made", ways.translation_made("org", "t")
    yield "instructions_changed", ways.instructions_changed("org", "t", "A", None)
    yield "agent_told", ways.agent_told("org", "A", "B")


def _of_clusters() -> Iterator[tuple[str, Reversal | None]]:
    ways, few = cluster_inverses, {"a": "c", "b": "", "d": "c"}
    yield "issues_moved", ways.issues_moved("org", few, "k")
    yield "issues_moved out", ways.issues_moved("org", {"a": "c"}, "")
    yield "issues_moved many", ways.issues_moved("org", {f"i{n}": "c" for n in range(7)}, "k")
    yield "cluster_made", ways.cluster_made("org", "k", "Domains", few)
    yield "cluster_made empty", ways.cluster_made("org", "k", "Domains", {})
    before: dict[str, JSON] = {"label": "A", "closed": False}
    yield (
        "cluster_changed",
        ways.cluster_changed("org", "k", before, {"label": "B", "closed": True}),
    )
    yield "cluster_deleted", ways.cluster_deleted("org", "k")
    yield "clusters_joined", ways.clusters_joined("org", "k", ["a", "b"])
    yield "clusters_joined many", ways.clusters_joined("org", "k", [f"c{n}" for n in range(7)])
    yield "request_linked", ways.request_linked("org", "s", "r", "", "k")
    yield "request_linked not", ways.request_linked("org", "s", "r", "k", "")
    yield "request_linked over", ways.request_linked("org", "s", "r", "a", "k")
    yield "finding_turned", finding_inverses.finding_turned(SITE, "f", "open", "dismissed")
    yield "topic_used", finding_inverses.topic_used(SITE, "t", True)
    yield "requests_begun", finding_inverses.requests_begun([("s", "r"), ("t", "q")])
    yield "requests_begun none", finding_inverses.requests_begun([])


def _of_preconditions() -> Iterator[tuple[str, Expectation | Reversal | Trace | None]]:
    ways = inverses
    sent = {"subject": "A"}
    waiting = ways.request_changed("s", "r", {"subject": ""}, sent)
    yield "edited", ways.edited(waiting, sent, {"subject": "B"})
    yield "edited to other fields", ways.edited(waiting, sent, {"description": "B"})
    yield "edited after all", ways.edited(waiting, {"subject": "C"}, {"subject": "B"})
    yield "still_says", ways.still_says("s", "r", "c", words="Why?")
    yield "still_says reply", ways.still_says("s", "", "c", "p", words=None, replies=2)
    yield "still_named", ways.still_named("s", "r", subject="A\x1b[2J", revision="v")
    yield "still_named unread", ways.still_named("s", "r", subject="A", revision="")
    for over in (False, True):
        for closed in (False, True):
            case = f"{over} {closed}"
            known = ways.still_discussed("s", "r", "t", over=over, closed=closed, words="A")
            yield f"still_discussed words {case}", known
            thread = ways.still_discussed("s", "r", "t", over=over, closed=closed)
            yield f"still_discussed thread {case}", thread
            request = ways.still_discussed("s", "r", over=over, closed=closed)
            yield f"still_discussed request {case}", request
    yield "still_discussed space thread", ways.still_discussed("s", "", "t")
    yield "still_discussed space", ways.still_discussed("s", "")
    yield "still_judged", ways.still_judged("s", "r", "v", subject="A\x1b[2J", status="open")
    yield "still_judged unread", ways.still_judged("s", "r", "")
    yield "verdict_trace", ways.verdict_trace("s", "r", "v", me="me", status="approved", words="Ok")
    yield "verdict_trace bare", ways.verdict_trace("s", "r", "", me="me", status="approved")
    yield "begun_trace", ways.begun_trace("s", me="me", subject="A")


def _told(way: Expectation | Reversal | Trace | Step | None) -> object:
    return None if way is None else way.to_dict()


def test_each_way_back_is_what_it_was(update_golden: bool) -> None:
    told = {name: _told(way) for name, way in ways()}
    lines = (f"{json.dumps(name)}: {json.dumps(way)}" for name, way in told.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if update_golden:
        KEPT.write_text(text, encoding="utf-8")
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert told.keys() == kept.keys()
    for name, way in json.loads(text).items():
        assert way == kept[name], name


def test_each_comes_out_of_the_journal_as_it_went_in() -> None:
    read: Mapping[type, Callable[[Any], object]] = {
        Reversal: reversal_of, Expectation: expectation_of, Trace: trace_of, Step: step_of,
    }  # fmt: skip
    for name, way in ways():
        if way is not None:
            assert read[type(way)](json.loads(json.dumps(way.to_dict()))) == way, name


def test_every_kind_of_way_back_is_among_them() -> None:
    named = {name.split()[0] for name, _ in ways()}
    missing = {
        name for module in MODULES for name, function in _functions(module) if _is_way(function)
    }
    assert missing - named == set()


def _functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__ and not name.startswith("_"):
            yield name, function


def _is_way(function: Callable[..., object]) -> bool:
    return "Reversal" in str(inspect.signature(function).return_annotation)
