"""The way back of writes on sites: their settings, their rows, and who reads them.

As in `copydesk.domain.inverses`; nothing here holds the address of a share link, which is a secret.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from copydesk.domain.layout import GROUP, TOP
from copydesk.domain.order import Move
from copydesk.domain.reversal import (
    CAME_ALONG,
    JSON,
    Anew,
    Expectation,
    Reversal,
    Step,
    changed,
    looked_up,
    made,
    ordered,
    swapped,
)
from copydesk.domain.site_tree import SiteNode

if TYPE_CHECKING:
    from copydesk.domain.site_moves import Back, EntryMove, Place

SiteIds = tuple[str, str]
"""The ids of an organization and of a site in it."""

STRUCTURE = "get_site_structure"
"""What is read of groups and links: its rows, as `SiteStructure.rows` gives them."""

THINGS = {
    "section": "site_section",
    "group": "site_section_group",
    "link": "site_external_link",
    "site-space": "site_space",
}
"""The names of operations for each kind of row."""

_POINTERS = {kind: name.replace("_", "-") for kind, name in THINGS.items()}

LOCALIZED = "localizedTitle"
"""The wire name of the titles of a group in other languages, which only a change of it takes."""

READ_AT: dict[str, str] = {"proxy": "proxy.origin", "adaptiveContent": "adaptiveContent.enabled"}
"""Where an answer has the value of a setting, where that is not under its own name."""


def setting_changed(ids: SiteIds, name: str, before: JSON, after: JSON) -> Reversal:
    """Return the way back of another value for one setting of a site, as a request says it."""

    def shown(values: Mapping[str, JSON]) -> dict[str, JSON]:
        return {READ_AT.get(name, name): setting_as_read(name, values[name])}

    where = _site(ids)
    return changed("update_site", "get_site", where, {name: before}, {name: after}, shown=shown)


def setting_as_read(name: str, value: JSON) -> JSON:
    """Return what an answer has for a setting that a request sets to a value."""
    match name, value:
        case "proxy", str():
            return value.rstrip("/")
        case "adaptiveContent", {"enabled": enabled}:
            return enabled
    return value


def sign_in_changed(
    ids: SiteIds, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of another way to sign readers in. The key is in none of them."""
    return changed(
        "update_site_publishing_auth", "get_site_publishing_auth", _site(ids), before, after
    )


def site_published(ids: SiteIds, *, published: bool) -> Reversal:
    """Return the way back of publishing a site, or (``published`` False) of taking it down."""
    where = _site(ids)

    def turn(to: bool) -> tuple[Step, ...]:
        return (Step("publish_site" if to else "unpublish_site", where),)

    def there(is_so: bool) -> Expectation:
        said = f"it was {'unpublished' if is_so else 'published'} since"
        return Expectation(Step("get_site", where), {"published": is_so}, said=said)

    return swapped(turn, there, not published, published)


def site_made(ids: SiteIds, *, title: str) -> Reversal:
    """Return the way back of a new site: it is deleted while it is not published, nor renamed."""
    return made(
        "delete_site",
        "get_site",
        _site(ids),
        {"published": False, "title": title},
        said="it was published or renamed since",
        asks="This deletes the site, its structure and share links. Redo does not make it again.",
    )


# Sections and site spaces


def site_row_changed(
    ids: SiteIds, node: SiteNode, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of new values for a section or a site space.

    ``defaultSiteSpace`` of a section is seen in what it shows.
    """
    where = _site(ids)
    thing = THINGS[node.kind]
    update, step = f"update_{thing}", {**where, f"{thing}_id": node.id}
    listed = {"section": "list_site_sections", "site-space": "list_site_spaces"}
    read = Step(listed.get(node.kind, STRUCTURE), where)

    def there(values: Mapping[str, JSON]) -> Expectation:
        fields = {}
        for name, value in values.items():
            if name == "defaultSiteSpace":
                fields[f"items[id={node.id}].siteSpaces[id={value}].default"] = [True]
            else:
                fields[f"items[id={node.id}].{name}"] = [] if value in (None, "") else [value]
        names = ["default" if name == "defaultSiteSpace" else name for name in values]
        return Expectation(read, fields, said=f"its {' and '.join(names)} changed since")

    return swapped(lambda values: (Step(update, step, dict(values)),), there, before, after)


def default_changed(ids: SiteIds, node: SiteNode, before: SiteNode) -> Reversal:
    """Return the way back of another default: ``before`` was what readers landed on first."""
    where = _site(ids)

    def turn(row: SiteNode) -> tuple[Step, ...]:
        if row.kind == "section":
            return (Step("update_site", where, {"defaultSiteSection": row.id}),)
        if row.level == TOP:
            return (Step("update_site", where, {"defaultSiteSpace": row.id}),)
        section = {**where, "site_section_id": row.level}
        return (Step("update_site_section", section, {"defaultSiteSpace": row.id}),)

    def there(row: SiteNode) -> Expectation:
        sections = row.kind == "section"
        read = Step("list_site_sections" if sections else "list_site_spaces", where)
        path = f"items[id={row.id}].default"
        return Expectation(read, {path: [True]}, said="another is the default by now")

    return swapped(turn, there, before, node)


def space_shown(ids: SiteIds, site_space: str, beside: str = "") -> Reversal:
    """Return the way back of one more site space: the site shows it no longer.

    Where a section would show nothing without it, ``beside`` has to be there still.
    """
    where = _site(ids)
    read, path = Step("list_site_spaces", where), f"items[id={site_space}].id"
    there, said = {path: [site_space]}, "the site shows it no longer"
    if beside:
        there[f"items[id={beside}].id"] = [beside]
        said = "it took the place of what was removed"
    return Reversal(
        (Step("delete_site_space", {**where, "site_space_id": site_space}),),
        (),
        Expectation(read, there, said=said),
        Expectation(read, {path: []}),
    )


def section_added(ids: SiteIds, section: str, space: str) -> Reversal:
    """Return the way back of a section that was added with a space: it is deleted.

    That is open while it shows nothing else.
    """
    where = _site(ids)
    read, path = Step("list_site_sections", where), f"items[id={section}].siteSpaces[].space.id"
    return Reversal(
        (Step("delete_site_section", {**where, "site_section_id": section}),),
        (),
        Expectation(read, {path: [space]}, said="it shows something else by now"),
        Expectation(read, {path: []}),
    )


def row_moved(
    ids: SiteIds,
    node: SiteNode,
    move: Move,
    back: Move,
    before: Sequence[str],
    after: Sequence[str],
    without: Sequence[str] = (),
    *,
    near: bool = False,
    sorts: bool = False,
) -> Reversal:
    """Return the way back of a move: ``back``. The orders are those of its level, groups left out.
    ``sorts``: the service moves it by ``structure/sort``.

    Its way back is open while the order of the level is the one that it left, whether or not what
    is in ``without`` is still there; in a long one, while it has the neighbours that it got. With
    ``near`` the orders are these neighbours only.
    """
    where = _site(ids)
    section = node.kind == "section"

    def turn(to: Move) -> tuple[Step, ...]:
        if sorts:
            return (_beside(ids, node.kind, to.id, to.side, node.kind, to.anchor),)
        name = "siteSection" if section else "siteSpace"
        anchor = {"type": "site-section" if section else "site-space", name: to.anchor}
        thing = "site_section" if section else "site_space"
        arguments = {**where, f"{thing}_id": to.id}
        return (Step(f"move_{thing}", arguments, {"position": {to.side: anchor}}),)

    if section:
        group = "" if node.level == TOP else node.level.removeprefix(GROUP)
        read, path = Step("list_site_sections", where), f"items[sectionGroup={group}].id"
    elif node.level == TOP:
        read, path = Step("list_site_spaces", where), "items[].id"
    else:
        read = Step("list_site_sections", where)
        path = f"items[id={node.level}].siteSpaces[].id"
    if sorts:
        read = Step(STRUCTURE, where)

    def there(order: Sequence[str]) -> Expectation:
        said = "the order was changed since"
        return ordered(read, path, order, move.id, without, said=said, near=near)

    return Reversal(turn(back), turn(move), there(after), there(before))


# Sections, groups and links, where the service moves all of them


def entry_moved(
    ids: SiteIds,
    kind: str,
    move: EntryMove,
    kinds: Mapping[str, str],
    without: Collection[str] = (),
) -> Reversal:
    """Return the way back of the move of an entry; ``kinds`` are those of what it goes next to.

    It is open while the level where it went is in the order in which it was left then, whether or
    not what is in ``without`` is still there.
    """

    def turn(side: str, anchor: str, level: str) -> Step:
        if side == "along":
            return _came_along(ids, move.id, anchor)
        if side == "into":
            return _into(ids, kind, move.id, level)
        return _beside(ids, kind, move.id, side, kinds[anchor], anchor)

    def there(place: Place) -> Expectation:
        path = f"items[sectionGroup={place.level}].id"
        said = "the order was changed since"
        read = Step(STRUCTURE, _site(ids))
        return ordered(read, path, place.order, move.id, without, said=said, near=place.long)

    side, anchor = move.back or ("into", "")
    back = turn(side, anchor, move.before.level)
    without = frozenset(without) - {move.id}
    forth = turn(move.side, move.anchor, move.level)
    return Reversal((back,), (forth,), there(move.after), there(move.before))


def _beside(ids: SiteIds, kind: str, row: str, side: str, other: str, anchor: str) -> Step:
    item, position = {"type": _POINTERS[kind], "id": row}, {"type": _POINTERS[other], "id": anchor}
    return Step("sort_site_structure", _site(ids), {"item": item, "position": {side: position}})


def _into(ids: SiteIds, kind: str, row: str, level: str) -> Step:
    thing, name = THINGS[kind], "parentSectionGroupId" if kind == "group" else "parent"
    return Step(f"update_{thing}", {**_site(ids), f"{thing}_id": row}, {name: level or None})


def site_space_copied(ids: SiteIds, site_space: str, space: str, of: str) -> Reversal:
    """Return the way back of a copy that a site shows: it is taken off it, its space deleted.

    ``of`` is the space that was copied: it stays where a service shows that one a second time.
    """
    where = _site(ids)
    back = [Step("delete_site_space", {**where, "site_space_id": site_space})]
    asks = ""
    if space and space != of:
        asks = "The copy of the space is deleted with what was written in it since."
        back.append(Step("delete_space", {"space_id": space}))
    there = f"items[id={site_space}]"
    return Reversal(
        tuple(back),
        (),
        Expectation(
            Step("list_site_spaces", where),
            {f"{there}.id": [site_space]},
            said="the site does not show it any more",
        ),
        asks=asks,
    )


def group_made(
    ids: SiteIds,
    group: str,
    taken: Sequence[tuple[SiteNode, Back | None]],
    kinds: Mapping[str, str],
) -> Reversal:
    """Return the way back of a new group: its sections go back, each as said, and it is removed.

    It is open while the group holds nothing else, which might go with it; where it was cut off,
    some of its sections have gone back already.
    """
    outs = [
        _came_along(ids, node.id, back[1])
        if back[0] == "along"
        else _beside(ids, node.kind, node.id, back[0], kinds[back[1]], back[1])
        for node, back in reversed(taken)
        if back is not None
    ]
    gone = Step("delete_site_section_group", {**_site(ids), "site_section_group_id": group})
    fields: dict[str, JSON] = {
        f"items[id={group}].id": [group],
        f"items[sectionGroup={group}].id": [],
    }
    sections = tuple(node.id for node, _ in taken)
    said = "it holds something else by now"
    still = Expectation(Step(STRUCTURE, _site(ids)), fields, said=said, without=sections)
    return Reversal((*outs, gone), (), still, entry_shown(ids, group, there=False))


def group_removed(
    ids: SiteIds,
    group: str,
    values: Mapping[str, JSON],
    sections: Sequence[str],
    place: Place,
    back: Back,
    kind: str,
    without: Collection[str],
) -> Reversal:
    """Return the way back of the removal of an empty group: it is made again, under another id.

    ``values`` are its own, by wire name. It is made with those ``sections`` that cannot go into an
    empty one. ``back`` puts it to its ``place``, next to an entry of that ``kind``. ``without`` are
    entries that need not be where they are now.
    """
    where = {**_site(ids), "site_section_group_id": group}
    body = {name: values[name] for name in ("title", "icon", "draft") if values.get(name)}
    body |= {"parent": place.level} if place.level else {}
    body |= {"sections": list(sections)} if sections else {}
    steps = [Step("add_site_section_group", _site(ids), body)]
    if titles := values.get(LOCALIZED):
        steps.append(Step("update_site_section_group", where, {LOCALIZED: titles}))
    if back[0] != "into":
        steps.append(_beside(ids, "group", group, back[0], kind, back[1]))
    read, said = Step(STRUCTURE, _site(ids)), "it was changed or moved since"
    others = (*(each for each in without if each != group), *sections)
    path = f"items[sectionGroup={place.level}].id"
    before = ordered(read, path, place.order, group, others, said=said, near=place.long)
    if not before.beside:
        own: dict[str, JSON] = {f"items[sectionGroup={group}].id": []}
        own[f"items[id={group}].{LOCALIZED}"] = [titles] if titles else []
        before = replace(before, fields={**before.fields, **own})
    return Reversal(
        tuple(steps),
        (Step("delete_site_section_group", where),),
        entry_shown(ids, group, there=False),
        before,
        anew=Anew(group, {"object": "site-section-group", "title": body.get("title", "")}),
    )


def _came_along(ids: SiteIds, row: str, group: str) -> Step:
    return Step(CAME_ALONG, {**_site(ids), "row": row, "group": group})


def link_added(ids: SiteIds, link: str) -> Reversal:
    """Return the way back of a new link: it is removed."""
    gone = Step("delete_site_external_link", {**_site(ids), "site_external_link_id": link})
    still, before = (entry_shown(ids, link, there=there) for there in (True, False))
    return Reversal((gone,), (), still, before)


def entry_shown(ids: SiteIds, row: str, *, there: bool) -> Expectation:
    """Return that an entry is there, or is not."""
    fields: dict[str, JSON] = {f"items[id={row}].id": [row] if there else []}
    said = "it was removed since" if there else ""
    return Expectation(Step(STRUCTURE, _site(ids)), fields, said=said)


# Share links and visitor attributes


def link_changed(
    ids: SiteIds, link: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of another name of a share link, or of switching it on or off."""
    step = {**_site(ids), "share_link_id": link}

    def there(values: Mapping[str, JSON]) -> Expectation:
        fields = {
            f"items[id={link}].{name}": [] if value in (None, "") else [value]
            for name, value in values.items()
        }
        words = ("it was renamed" if "name" in values else "it was switched") + " since"
        return Expectation(Step("list_share_links", _site(ids)), fields, said=words)

    return swapped(
        lambda values: (Step("update_share_link", step, dict(values)),), there, before, after
    )


def link_made(ids: SiteIds, link: str, name: str) -> Reversal:
    """Return the way back of a new share link: it is deleted, and its address opens nothing."""
    read = Step("list_share_links", _site(ids))
    path = f"items[id={link}]"
    return Reversal(
        (Step("delete_share_link", {**_site(ids), "share_link_id": link}),),
        (),
        Expectation(
            read,
            {
                f"{path}.id": [link],
                f"{path}.name": [name] if name else [],
                f"{path}.active": [True],
            },
            said="it was renamed, switched off or deleted since",
        ),
        Expectation(read, {f"{path}.id": []}),
        asks="People who have its address can no longer open it. Redo does not make it again.",
    )


def schema_changed(ids: SiteIds, before: Mapping[str, JSON], after: Mapping[str, JSON]) -> Reversal:
    """Return the way back of another adaptive schema: the former one is put in its place."""
    return changed(
        "update_adaptive_schema",
        "get_adaptive_schema",
        _site(ids),
        {"jsonSchema": dict(before)},
        {"jsonSchema": dict(after)},
        said="the schema was changed since",
    )


# Redirects


def redirect_made(ids: SiteIds, redirect: str, body: Mapping[str, JSON]) -> Reversal:
    """Return the way back of a new redirect: it is removed."""
    step = Step("delete_site_redirect", _redirect_at(ids, redirect, body))
    gone = Expectation(_redirects(ids, body), {f"{_by_source(body)}.id": []})
    return Reversal((step,), (), _redirect_is(ids, body), gone)


def redirect_changed(
    ids: SiteIds, redirect: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of a change of a redirect; both are whole bodies."""

    def turn(now: Mapping[str, JSON], to: Mapping[str, JSON]) -> tuple[Step, ...]:
        return (Step("update_site_redirect", _redirect_at(ids, redirect, now), dict(to)),)

    return Reversal(
        turn(after, before),
        turn(before, after),
        _redirect_is(ids, after),
        _redirect_is(ids, before),
    )


def former_address_redirected(
    ids: SiteIds, redirect: str, source: str, destination: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of a redirect from an address that was changed: it is removed."""
    body: dict[str, JSON] = {"source": source, "draft": False}
    step = Step("delete_site_redirect", _redirect_at(ids, redirect, body))
    read, path = _redirects(ids, body), _by_source(body)
    fields: dict[str, JSON] = {
        f"{path}.destination.{name}": [value] for name, value in destination.items()
    }
    there = Expectation(read, fields, said="it was changed or removed since")
    return Reversal((step,), (), there, Expectation(read, {f"{path}.id": []}))


def redirect_removed(ids: SiteIds, body: Mapping[str, JSON]) -> Reversal:
    """Return the way back of the removal of a redirect: it is made again."""
    return Reversal((Step("create_site_redirect", _site(ids), dict(body)),))


def redirects_put(
    ids: SiteIds, made: Sequence[Mapping[str, JSON]], former: Sequence[Mapping[str, JSON]]
) -> Reversal | None:
    """Return the way back of many at once: ``made`` ones are removed, ``former`` ones put back.

    All are whole bodies. They go by their sources, as they were sent: an id may be another one by
    then.
    """
    steps = [_put(each, None) for each in made]
    for each in former:
        more = {name: each[name] for name in ("captureWildcard", "permanent") if name in each}
        steps.append({**_put(each, each["destination"]), **more})
    if not steps:
        return None
    return Reversal((Step("apply_site_redirects", _site(ids), {"redirects": steps}),))


def _put(body: Mapping[str, JSON], destination: JSON) -> dict[str, JSON]:
    intent = "draft" if body["draft"] else "live"
    return {"source": body["source"], "intent": intent, "destination": destination}


def _redirects(ids: SiteIds, body: Mapping[str, JSON]) -> Step:
    """Return the read that finds a redirect by its source, among active ones or drafts."""
    source = str(body["source"]).rstrip("*")
    asked = {"search": source, "draft": bool(body["draft"]), "limit": 1000}
    return Step("list_site_redirects", {**_site(ids), **asked})


def _by_source(body: Mapping[str, JSON]) -> str:
    """Return where the list of `_redirects` has a redirect: a path has one, and one draft."""
    return f"items[source={body['source']}]"


def _redirect_at(ids: SiteIds, redirect: str, body: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the arguments that name a redirect, also one that was made again since."""
    found = looked_up(_redirects(ids, body), f"{_by_source(body)}.id", redirect)
    return {**_site(ids), "site_redirect_id": found}


def _redirect_is(ids: SiteIds, body: Mapping[str, JSON]) -> Expectation:
    path = _by_source(body)
    plain = {name: value for name, value in body.items() if name != "destination"}
    fields: dict[str, JSON] = {f"{path}.{name}": [value] for name, value in plain.items()}
    destination = body["destination"]
    assert isinstance(destination, Mapping)
    fields |= {f"{path}.destination.{name}": [value] for name, value in destination.items()}
    return Expectation(_redirects(ids, body), fields, said="it was changed or removed since")


def _site(ids: SiteIds) -> dict[str, str]:
    organization, site = ids
    return {"organization_id": organization, "site_id": site}
