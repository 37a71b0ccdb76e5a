"""Choosing what a field of a form holds, where the service or the form itself offers that.

A base of `Form`, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from textual.widget import Widget

from copydesk.domain.text import plural
from copydesk.tui.dialogs.form_drafts import KeptFields
from copydesk.tui.dialogs.form_fields import Entry
from copydesk.tui.framework.desk_app import desk_of

if TYPE_CHECKING:
    from copydesk.session.options import Option


class OffersChoices(KeptFields):
    """Fields that can be chosen from a list."""

    def _say(self, said: str, *, briefly: bool = False) -> None:
        """Say something above the keys; what is said briefly goes with the next change."""
        raise NotImplementedError

    def offers_of(self, widget: Widget) -> Callable[[], Awaitable[Sequence[Option]]] | None:
        """Return what reads the offers for a field, if there are any."""
        field = self._field_of(widget)
        return None if field is None else field.offers

    async def choose_for(self, widget: Entry) -> None:
        """Choose from a list what a field holds, one or several; leaving the list changes nothing.

        Of several what was typed and is not in the list stays.
        """
        from copydesk.tui.dialogs.choice import Choice, OrderedChoices

        field = self._field_of(widget)
        if field is None:
            return
        options = field.options or await self.read_offers(widget)
        if not options:
            return
        chosen: str | None
        if field.several:
            there = field.parts(self.meant(field, widget.said))
            ids = {option.id for option in options}
            sheet = OrderedChoices(
                field.label, options, ticked=[each for each in there if each in ids]
            )
            ticked = await self.app.push_screen_wait(sheet)
            kept = [each for each in there if each not in ids]
            chosen = None if ticked is None else field.joined([*kept, *ticked])
        else:
            current = self.meant(field, widget.said)
            one = Choice(field.label, options, current=current, wide=not field.options)
            chosen = await self.app.push_screen_wait(one)
        if chosen is not None and widget.is_attached:
            widget.put(self.shown(field, chosen))

    async def name_held(self) -> None:
        """Read what the ids are called that fields hold, where that is not known yet.

        What cannot be read stays as it is, and so does what was changed meanwhile.
        """
        from copydesk.session.errors import failure_types

        for field in self.fields:
            widget = self._inputs.get(field.name)
            if widget is None or field.offers is None or not field.named:
                continue
            before = widget.said
            if all(part in self._names for part in field.parts(self.meant(field, before))):
                continue
            try:
                options = await field.offers()
            except failure_types():
                continue
            self._names.update({each.id: each.title for each in options if field.takes(each.id)})
            if widget.is_attached and widget.said == before:
                said = self.shown(field, before.strip())
                if said != before:
                    widget.put(said)

    async def read_offers(self, widget: Widget) -> Sequence[Option]:
        """Return what is offered for a field; say why where that is nothing."""
        from copydesk.session.errors import failure_types, sentence

        read = self.offers_of(widget)
        if read is None:
            return ()
        self._say("Reading what there is to choose.")
        try:
            options = await read()
        except failure_types() as error:
            desk_of(self).session.learn(error, quiet=False)
            self._say(f"{sentence(error, 'ctrl+o')} It can be typed.")
            return ()
        field = self._field_of(widget)
        taken = [each for each in options if field is None or field.takes(each.id)]
        self._names.update({each.id: each.title for each in taken if each.title != each.id})
        if self.is_attached:
            # What would be sent for one of those is not what was chosen.
            left = plural(len(options) - len(taken), "offer") if len(taken) < len(options) else ""
            said = f"Left out: {left} whose id has signs that cannot be drawn." if left else ""
            self._say(said if options else "There is nothing to choose from: type it.")
        return taken
