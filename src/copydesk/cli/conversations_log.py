"""What the journal of this machine says of a run that hands in conversations."""

from __future__ import annotations

from copydesk.cli.errors import kept_state
from copydesk.contract import operations as ops
from copydesk.local.journal import Entry, Journal, State

CUT_OFF = "cut off; a later run has read what had arrived"
_OPERATION = ops.ingest_conversation.name


class SendingLog:
    """One entry: noted before the first request, so that a run that is killed is there as well.

    ``what`` says what is to be handed in, for people; ``target`` is the organization.
    """

    def __init__(self, desk: str, target: str, what: str) -> None:
        self._target = target
        self._what = what
        self._journal = Journal(kept_state(), desk)
        self._entry: Entry | None = None

    def settle_earlier(self) -> None:
        """End the entries of runs that were cut off; nobody else may be sending there now."""
        for each in self._journal.entries():
            cut_off = each.state == "unknown" and each.ended is None
            if cut_off and (each.what, each.target) == (_OPERATION, self._target):
                self._journal.settle(each, "unknown", sentence=f"{each.sentence}: {CUT_OFF}")

    def begin(self) -> None:
        """Note that conversations are about to be sent. Raises ``OSError``; once is enough."""
        if self._entry is None:
            self._journal.opened()
            begun = self._journal.begin(_OPERATION, self._target)
            self._entry = self._journal.settle(
                begun, "sending", sentence=f"{self._what} to hand in"
            )

    def end(self, state: State, sentence: str) -> None:
        """Note what it came to, if anything was sent. Raises ``OSError``."""
        if self._entry is not None:
            self._journal.settle(self._entry, state, sentence=sentence)
            self._journal.closed()
