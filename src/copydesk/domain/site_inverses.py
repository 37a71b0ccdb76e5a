"""The way back of writes on a site as a whole; its rows are in ``inverses``.

Every function returns a `Reversal`. Fields are wire names and values. No request is sent here.
"""

from __future__ import annotations

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step

SiteIds = tuple[str, str]
"""The ids of an organization and of a site in it."""

READ_AT: dict[str, str] = {"proxy": "proxy.target", "adaptiveContent": "adaptiveContent.enabled"}
"""Where an answer has the value of a setting, where that is not under its own name."""


def setting_changed(ids: SiteIds, name: str, before: JSON, after: JSON) -> Reversal:
    """Return the way back of another value for one setting of a site, as a request says it."""
    where = _site(ids)

    def turn(value: JSON) -> tuple[Step, ...]:
        return (Step("update_site", where, {name: value}),)

    def there(value: JSON) -> Expectation:
        return Expectation(
            Step("get_site", where), {READ_AT.get(name, name): setting_as_read(name, value)}
        )

    return Reversal(turn(before), turn(after), there(after), there(before))


def setting_as_read(name: str, value: JSON) -> JSON:
    """Return what an answer has for a setting that a request sets to a value."""
    match name, value:
        case "proxy", str():
            return f"https://{value}"
        case "adaptiveContent", {"enabled": enabled}:
            return enabled
    return value


def site_published(ids: SiteIds, *, published: bool) -> Reversal:
    """Return the way back of publishing a site, or (``published`` False) of taking it down."""
    where = _site(ids)

    def turn(to: bool) -> tuple[Step, ...]:
        return (Step("publish_site" if to else "unpublish_site", where),)

    def there(is_so: bool) -> Expectation:
        said = f"it was {'unpublished' if is_so else 'published'} since"
        return Expectation(Step("get_site", where), {"published": is_so}, said=said)

    return Reversal(turn(not published), turn(published), there(published), there(not published))


def site_made(ids: SiteIds, *, title: str) -> Reversal:
    """Return the way back of a new site: it is deleted while it is not published, nor renamed."""
    where = _site(ids)
    return Reversal(
        (Step("delete_site", where),),
        (),
        Expectation(
            Step("get_site", where),
            {"published": False, "title": title},
            said="it was published or renamed since",
        ),
        Expectation(Step("get_site", where), gone=True),
        asks="This deletes the site with its structure and share links. It is not done again.",
    )


def _site(ids: SiteIds) -> dict[str, str]:
    organization, site = ids
    return {"organization_id": organization, "site_id": site}
