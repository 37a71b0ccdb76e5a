"""The way back of writing what the documentation agent is told. As in `domain.inverses`."""

from __future__ import annotations

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step

CHANGED = "the instructions were changed since"


def agent_told(organization: str, before: JSON, after: JSON) -> Reversal:
    """Return the way back of other instructions; both are documents as JSON."""
    ids = {"organization_id": organization}
    read = Step("get_agent_instructions", ids)

    def turn(document: JSON) -> tuple[Step, ...]:
        return (Step("update_agent_instructions", ids, {"instructions": document}),)

    def there(document: JSON) -> Expectation:
        return Expectation(read, {"instructions": document}, said=CHANGED)

    return Reversal(turn(before), turn(after), there(after), there(before))
