"""The way back of writes about who reads a site: its share links and its visitor attributes.

As in `copydesk.domain.inverses`; nothing here holds the address of a link, which is a secret.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step


def link_changed(
    ids: tuple[str, str], link: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
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

    return Reversal(
        (Step("update_share_link", step, dict(before)),),
        (Step("update_share_link", step, dict(after)),),
        there(after),
        there(before),
    )


def link_made(ids: tuple[str, str], link: str, name: str) -> Reversal:
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
        asks="Whoever was given its address gets nothing any more. It is not done again.",
    )


def schema_changed(
    ids: tuple[str, str], before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of another adaptive schema: the former one is put in its place."""
    read = Step("get_adaptive_schema", _site(ids))

    def turn(schema: Mapping[str, JSON]) -> tuple[Step, ...]:
        return (Step("update_adaptive_schema", _site(ids), {"jsonSchema": dict(schema)}),)

    def there(schema: Mapping[str, JSON]) -> Expectation:
        said = "the schema was changed since"
        return Expectation(read, {"jsonSchema": dict(schema)}, said=said)

    return Reversal(turn(before), turn(after), there(after), there(before))


def _site(ids: tuple[str, str]) -> dict[str, str]:
    organization, site = ids
    return {"organization_id": organization, "site_id": site}
