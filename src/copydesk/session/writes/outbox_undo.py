"""Taking a write out of the outbox, and putting it back, as a way that is kept and gone later."""

from __future__ import annotations

from copydesk.domain.reversal import Expectation, Reversal, Step

SENT_SINCE = "it was sent, or dropped, since"


def way_back_in(id: str) -> Reversal:
    """Return how a write that was dropped waits again."""
    ids = {"id": id}
    read = Step("local.queued", ids)
    return Reversal(
        (Step("local.queue_again", ids),),
        (Step("local.drop_queued", ids),),
        Expectation(read, gone=True, said="it waits again"),
        Expectation(read, {"waits": True}, said=SENT_SINCE),
    )


def way_out(id: str, *, sure: bool, text: bool) -> Reversal:
    """Return how a write that waits is dropped, and waits again.

    ``sure`` says that it did not arrive, ``text`` that it was typed, so that it is a draft again.
    """
    back = way_back_in(id)
    note = "It was not sent" if sure else "It waits no more, and may have arrived all the same"
    return Reversal(
        back.forth,
        back.back,
        back.before,
        back.still,
        note=f"{note}; its text is a draft again." if text else f"{note}.",
    )
