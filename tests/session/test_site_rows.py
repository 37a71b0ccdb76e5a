"""What rows of sites and of share links say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copydesk.contract.models.site import Site, TemplateCondition
from copydesk.session.site_rows import (
    ShareLinkRow,
    SiteRow,
    audience,
    no_address,
    no_effect,
    schema_rows,
    site_row,
)

ROW = replace(site_row(Site(id="s", title="Docs", type="basic")), visibility="share-link")
OPEN = replace(ROW, published=True)
LINK = ShareLinkRow("l", "Partners", "Partners", active=True, created=None)


@pytest.mark.parametrize(
    ("site", "link", "why"),
    [
        (replace(ROW, visibility="public"), LINK, "Links have no effect: the site is for everyone "
         "(public)."),
        (ROW, LINK, "Links open nothing yet: the site is not published."),
        (OPEN, replace(LINK, active=False), "Switched off, so no address works: x switches it on."),
        (None, replace(LINK, active=False), "Switched off, so no address works: x switches it on."),
        (OPEN, LINK, "The service gives no address for it."),
        (None, LINK, "The service gives no address for it."),
    ],
)  # fmt: skip
def test_why_a_link_has_no_address_is_said(
    site: SiteRow | None, link: ShareLinkRow, why: str
) -> None:
    assert no_address(link, site) == why
    if site is not None:
        assert no_effect(site) == (why if "Links" in why else "")


def test_who_reads_a_site_is_said_also_where_nobody_knows_that_word() -> None:
    assert audience(replace(ROW, visibility="odd")) == "odd"
    assert audience(replace(ROW, visibility="")) == "not known"


@pytest.mark.parametrize(
    ("told", "url"),
    [
        ({"hostname": "docs.acme.test", "basename": "a b"}, "https://docs.acme.test/a%20b"),
        ({"hostname": "docs.acme.test"}, "https://docs.acme.test"),
        ({"hostname": "x", "urls": {"published": "https://y.test/"}}, "https://y.test"),
        ({"urls": {"published": "javascript:x"}}, ""),
    ],
)
def test_where_a_site_is_is_what_the_service_says_or_its_host(
    told: dict[str, object], url: str
) -> None:
    site = Site.model_validate({"id": "s", "title": " \x07", "type": "basic", **told})
    row = site_row(site)
    assert (row.title, row.address, row.adaptive, row.published) == ("Untitled", url, False, False)


def test_what_an_attribute_holds_is_told_shortly() -> None:
    many = {"properties": {"plan": {"enum": ["x" * 99] * 9, "default": True}}}
    [row] = schema_rows(many, (), {})
    assert (len(row.holds), row.default, row.kind) == (200, "true", "attribute")
    ready = [TemplateCondition(condition="true")]
    for schema, heading in (({}, "Ready-made conditions"), (many, "Other ready-made conditions")):
        others = schema_rows(schema, ready, {})[-1]
        assert (others.id, others.kind, others.title) == ("others", "heading", heading)
        assert [each.title for each in others.children] == ["true"]
