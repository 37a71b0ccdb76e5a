"""The way back of writes about integrations. As in `copydesk.domain.inverses`.

No script and no secret is in any of them: the service gives back neither, and the journal shall
not hold them.
"""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step


def integration_made(name: str) -> Reversal:
    """Return the way back of a first version: the integration is deleted."""
    read = Step("get_integration", _of(name))
    return Reversal(
        (Step("delete_integration", _of(name)),),
        (),
        Expectation(read, {"version": 1}, said="it was published again since"),
        Expectation(read, gone=True),
        asks="It is deleted, also where it was installed meanwhile. It is not done again.",
    )


def integration_changed(
    name: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of other texts and settings: a further version with the former ones."""
    read = Step("get_integration", _of(name))
    return Reversal(
        (Step("publish_integration", _of(name), dict(before)),),
        (Step("publish_integration", _of(name), dict(after)),),
        Expectation(read, dict(after)),
        Expectation(read, dict(before)),
        note="That is a further version of it.",
    )


def _of(name: str) -> dict[str, str]:
    return {"integration_name": name}
