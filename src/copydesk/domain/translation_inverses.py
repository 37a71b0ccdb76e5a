"""The way back of writes about translations. As in `copydesk.domain.inverses`."""

from __future__ import annotations

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step


def translation_made(organization: str, translation: str) -> Reversal:
    """Return the way back of a new translation: it is deleted. What it wrote stays."""
    ids = _of(organization, translation)
    read = Step("get_translation", ids)
    return Reversal(
        (Step("delete_translation", ids),),
        (),
        Expectation(read, {"id": translation}),
        Expectation(read, gone=True),
        note="The space that it wrote stays, and is yours to delete.",
        asks="Its pages are no longer kept up with their source. It is not done again.",
    )


def instructions_changed(
    organization: str, translation: str, before: JSON, after: JSON
) -> Reversal:
    """Return the way back of other instructions: documents as JSON, or None for none."""
    ids = _of(organization, translation)
    read = Step("get_translation", ids)

    def turn(document: JSON) -> tuple[Step, ...]:
        body = {} if document is None else {"instructions": document}
        return (Step("update_translation", ids, body),)

    def there(document: JSON) -> Expectation:
        said = "its instructions were changed since"
        return Expectation(read, {"instructions": document}, said=said)

    return Reversal(turn(before), turn(after), there(after), there(before))


def _of(organization: str, translation: str) -> dict[str, str]:
    return {"organization_id": organization, "translation_id": translation}
