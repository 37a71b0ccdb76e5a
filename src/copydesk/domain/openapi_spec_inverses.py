"""The way back of writes about OpenAPI specifications. As in `copydesk.domain.inverses`.

A document that was given as text is in none of them: it may be long, and the service does not give
it back. What is written by an address can be written again.
"""

from __future__ import annotations

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step

AGAIN = "its document was replaced since"


def spec_made(organization: str, slug: str, made: str, url: str | None) -> Reversal:
    """Return the way back of a new specification: it is deleted.

    ``made`` is its id, ``url`` None for a text.
    """
    ids = _spec(organization, slug)
    return Reversal(
        (Step("delete_openapi_spec", ids),),
        () if url is None else (Step("put_openapi_spec", ids, _from(url)),),
        Expectation(_read(ids), {"id": made, "sourceURL": url}, said=AGAIN),
        Expectation(_read(ids), gone=True, said="there is one with that slug again"),
        asks="It is deleted with what was read of it. Pages made from it have nothing to show.",
    )


def source_changed(organization: str, slug: str, before: str, after: str | None) -> Reversal:
    """Return the way back of another source: the address ``before`` is read again.

    ``after`` is None for a text, which is not sent a second time.
    """
    ids = _spec(organization, slug)
    return Reversal(
        (Step("put_openapi_spec", ids, _from(before)),),
        () if after is None else (Step("put_openapi_spec", ids, _from(after)),),
        Expectation(_read(ids), {"sourceURL": after}, said=AGAIN),
        Expectation(_read(ids), {"sourceURL": before}, said=AGAIN),
        note="It is fetched anew from there: what it says there now holds.",
    )


def visibility_changed(organization: str, slug: str, before: str, after: str) -> Reversal:
    """Return the way back of showing a specification to others than before."""
    ids = _spec(organization, slug)

    def turn(visibility: str) -> tuple[Step, ...]:
        return (Step("update_openapi_spec", ids, {"visibility": visibility}),)

    return Reversal(
        turn(before),
        turn(after),
        Expectation(_read(ids), {"visibility": after}),
        Expectation(_read(ids), {"visibility": before}),
    )


def spec_deleted(organization: str, slug: str, url: str, visibility: str | None) -> Reversal:
    """Return the way back of deleting one that has an address: it is added again from there."""
    ids = _spec(organization, slug)
    back = [Step("put_openapi_spec", ids, _from(url))]
    if visibility == "public":
        back.append(Step("update_openapi_spec", ids, {"visibility": visibility}))
    return Reversal(
        tuple(back),
        (Step("delete_openapi_spec", ids),),
        Expectation(_read(ids), gone=True, said="there is one with that slug again"),
        Expectation(_read(ids), {"sourceURL": url}, said=AGAIN),
        note="It is fetched anew: its former versions stay deleted.",
    )


def _from(url: str) -> dict[str, JSON]:
    return {"source": {"url": url}}


def _read(ids: dict[str, str]) -> Step:
    return Step("get_openapi_spec", ids)


def _spec(organization: str, slug: str) -> dict[str, str]:
    return {"organization_id": organization, "spec_slug": slug}
