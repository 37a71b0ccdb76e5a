"""The list of the views of a place, to go to one, or to forget one of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from copydesk.session.options import Option
from copydesk.tui.dialogs.choice import ChoiceInput, Chooser
from copydesk.tui.framework.actions import action


def not_ones_own(field: Any) -> str | None:
    """Say so when the view under the cursor is there for everybody."""
    sheet = cast("ViewChoice", field.screen)
    own = sheet.options.selected_id in sheet.own
    return None if own else "This view is there for everybody: only your own can be forgotten."


class ViewInput(ChoiceInput, scope="view_input"):
    """The field that narrows the list of views; letters narrow it, so forgetting has ctrl."""

    @action("ctrl+x", "forget it", unless=not_ones_own, show=False, also=("delete",))
    def forget(self) -> None:
        """Forget the view under the cursor, if it is one of your own. ``u`` brings it back."""
        cast("ViewChoice", self.screen).forget()


class ViewChoice(Chooser[str]):
    """Choose a view: the result is its id, or None. ``forgotten`` is the one to be forgotten."""

    FIELD = ViewInput

    def __init__(
        self, options: Sequence[Option], own: frozenset[str], *, current: str | None
    ) -> None:
        forgets = "   ctrl+x forgets one of yours" if own else ""
        super().__init__(f"View{forgets}", options, current=current)
        self.own = own
        """The ids of a person's own views."""
        self.forgotten: str | None = None

    def forget(self) -> None:
        """Close with the view under the cursor as the one to be forgotten."""
        self.forgotten = self.options.selected_id
        self.dismiss(None)
