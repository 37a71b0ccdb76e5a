"""Sites: making, changing, publishing, visitor attributes, and what their readers get."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.site import (
    AdaptiveSchema,
    AdaptiveSchemaUpdate,
    PublishedSite,
    SectionsStructure,
    Site,
    SiteCreate,
    SiteSpacesStructure,
    SiteUpdate,
    TemplateCondition,
    TemplateConditions,
)
from copydesk.domain.visitor_schema import EMPTY_SCHEMA, attributes, problems
from copydesk.server.errors import Refusal, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.site import (
    SiteView,
    check_basename,
    check_default,
    find_section,
    fresh,
    refuse_twice,
    site_to_read,
    site_view,
    space_to_show,
)
from copydesk.server.queries.space import trash_limit
from copydesk.server.site_structure import sections_of, set_default_site_space, site_spaces_of
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.server.store import Row, Value, to_json


@implements(ops.list_sites)
def list_sites(
    call: Call,
    organization_id: str,
    *,
    space: str | None = None,
    title: str | None = None,
    published: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[Site]:
    call.access.organization(organization_id)
    given = Conditions("organization_id = ?", organization_id)
    given.also(
        "id IN (SELECT site_id FROM site_space JOIN space ON space.id = space_id "
        "WHERE space_id = ? AND (deleted_at IS NULL OR deleted_at > ?))",
        space,
        trash_limit(call.tx),
    )
    given.also("instr(casefold(title), ?) > 0", title and title.casefold())
    given.also("published = ?", published)
    return paginate(
        call.tx, lambda row: SiteView(call, row).model(), source="site", which=given, paging=paging
    )


@implements(ops.create_site, takes="createContent")
def create_site(call: Call, organization_id: str, body: SiteCreate) -> Site:
    """Create a site that shows some spaces; nobody can read it until it is published."""
    call.access.organization(organization_id, "createContent")
    site_id = add_site(
        call.tx,
        organization_id,
        "Untitled site" if body.title is None else body.title,
        type=body.type or "basic",
        visibility=body.visibility or "public",
    )
    site = call.access.site(organization_id, site_id)
    for space_id in body.spaces or ():
        space = space_to_show(call, site, space_id)
        refuse_twice(call, site_spaces_of(site_id, None), space)
        add_site_space(call.tx, site_id, space_id)
    return site_view(call, organization_id, site_id).model()


@implements(ops.get_site)
def get_site(call: Call, organization_id: str, site_id: str) -> Site:
    return site_view(call, organization_id, site_id).model()


@implements(ops.update_site, takes="createContent")
def update_site(call: Call, organization_id: str, site_id: str, body: SiteUpdate) -> Site:
    view = site_view(call, organization_id, site_id, "createContent")
    changes: dict[str, Value] = {}
    if body.title is not None:
        changes["title"] = body.title
    if body.visibility is not None:
        changes["visibility"] = body.visibility
    if body.basename is not None:
        check_basename(body.basename)
        changes["basename"] = body.basename
    if body.adaptive_content is not None:
        changes["adaptive_content"] = body.adaptive_content.enabled
    if body.agents_context is not None:
        changes["agents_context"] = body.agents_context
    if "proxy" in body.model_fields_set:
        changes["proxy"] = body.proxy
    call.tx.update("site", site_id, **changes)
    if body.default_site_section is not None:
        section = find_section(call, view.site, body.default_site_section)
        call.tx.update("site", site_id, default_section_id=section["id"])
    if body.default_site_space is not None:
        _set_default(call, view, body.default_site_space, body.default_site_section)
    return fresh(view).model()


@implements(ops.delete_site, takes="admin")
def delete_site(call: Call, organization_id: str, site_id: str) -> None:
    """Delete a site; its content stays. One that is not there is answered alike.

    An organization that opened with it opens with nothing from then on.
    """
    if call.tx.get("site", id=site_id, organization_id=organization_id) is None:
        call.access.organization(organization_id, "admin")
        return
    call.access.site(organization_id, site_id, "admin")
    call.tx.run(
        "UPDATE organization SET default_content = NULL WHERE id = ? "
        "AND json_extract(default_content, '$.site') = ?",
        organization_id,
        site_id,
    )
    call.tx.run("DELETE FROM access_grant WHERE container_id = ?", site_id)
    call.tx.run("DELETE FROM site WHERE id = ?", site_id)


@implements(ops.publish_site, takes="admin")
def publish_site(call: Call, organization_id: str, site_id: str) -> Site:
    """Publish a site. One that is published stays so."""
    return _publish(call, organization_id, site_id, published=True)


@implements(ops.unpublish_site, takes="admin")
def unpublish_site(call: Call, organization_id: str, site_id: str) -> Site:
    """Take a site out of reach. One that is not published stays so."""
    return _publish(call, organization_id, site_id, published=False)


@implements(ops.get_adaptive_schema)
def get_adaptive_schema(call: Call, organization_id: str, site_id: str) -> AdaptiveSchema:
    return _schema_model(call.access.site(organization_id, site_id))


@implements(ops.update_adaptive_schema, takes="createContent")
def update_adaptive_schema(
    call: Call, organization_id: str, site_id: str, body: AdaptiveSchemaUpdate
) -> AdaptiveSchema:
    call.access.site(organization_id, site_id, "createContent")
    check_schema(body.json_schema)
    call.tx.update(
        "site",
        site_id,
        adaptive_schema=to_json(body.json_schema),
        adaptive_schema_updated_at=call.tx.now,
    )
    return _schema_model(call.access.site(organization_id, site_id))


@implements(ops.list_adaptive_template_conditions)
def list_adaptive_template_conditions(
    call: Call, organization_id: str, site_id: str
) -> TemplateConditions:
    """Return a condition for each visitor attribute that the site knows, and for its absence."""
    site = call.access.site(organization_id, site_id)
    return TemplateConditions(items=template_conditions(_schema(site)))


@implements(ops.get_published_site)
def get_published_site(
    call: Call, organization_id: str, site_id: str, *, share_key: str | None = None
) -> PublishedSite:
    """Return a published site with its structure, without spaces in the trash."""
    view = replace(site_to_read(call, organization_id, site_id, share_key), reading=True)
    if not view.site["published"]:
        raise Refusal(404, f"The site {view.site['title']!r} is not published.")
    structure: SectionsStructure | SiteSpacesStructure
    if view.site["default_section_id"] is None:
        shown = [view.site_space(row) for row in view.rows(None)]
        structure = SiteSpacesStructure(type="siteSpaces", structure=shown)
    else:
        rows = sections_of(site_id).rows(call.tx)
        view.prepare_sections(rows)
        sections = [view.section(row) for row in rows]
        structure = SectionsStructure(
            type="sections", structure=[section for section in sections if section.site_spaces]
        )
    return PublishedSite(site=view.model(), structure=structure)


def _publish(call: Call, organization_id: str, site_id: str, *, published: bool) -> Site:
    view = site_view(call, organization_id, site_id, "admin")
    call.tx.update("site", site_id, published=published)
    return fresh(view).model()


def _set_default(call: Call, view: SiteView, site_space_id: str, chosen: str | None) -> None:
    """Open a site with one of its site spaces, and so with its section; ``chosen`` must be that."""
    row = view.find_site_space(site_space_id)
    check_default(row)
    section: str | None = row["shown_section"]
    if chosen is not None and section != chosen:
        raise invalid("body.defaultSiteSpace: this site space is in another section")
    set_default_site_space(call.tx, view.site["id"], section, row["shown_id"])
    if section is not None:
        call.tx.update("site", view.site["id"], default_section_id=section)


def _schema(site: Row) -> dict[str, object]:
    stored = site["adaptive_schema"]
    schema: dict[str, object] = dict(EMPTY_SCHEMA) if stored is None else json.loads(stored)
    return schema


def _schema_model(site: Row) -> AdaptiveSchema:
    return AdaptiveSchema.model_validate(
        {
            "json_schema": _schema(site),
            "updated_at": site["adaptive_schema_updated_at"] or site["created_at"],
        }
    )


def check_schema(schema: dict[str, object]) -> None:
    """Raise a 400 that says what keeps a schema from being one of visitor attributes."""
    for problem in problems(schema):
        where = f"body.jsonSchema.{problem.where}".removesuffix(".")
        raise invalid(f"{where}: {problem.said}")


def template_conditions(schema: dict[str, object]) -> list[TemplateCondition]:
    """Return for each attribute the condition that it holds and the one that it does not."""
    found = []
    for each in attributes(schema):
        label = each.description or each.name
        holds = f"{each.expression} == true"
        found.append(TemplateCondition(description=f"{label}: yes", condition=holds))
        fails = f"{each.expression} != true"
        found.append(TemplateCondition(description=f"{label}: no", condition=fails))
    return found
