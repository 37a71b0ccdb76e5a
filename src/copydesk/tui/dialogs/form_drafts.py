"""The fields of a form, and what was typed in them: a draft until it has arrived.

A base of `Form`, apart from it for length.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.timer import Timer
from textual.widget import Widget

from copydesk.domain.secret_values import holds_private_key
from copydesk.session.draft_keys import form_text, form_words
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.dialogs.form_fields import Entry, Field
from copydesk.tui.framework.desk_app import desk_of

if TYPE_CHECKING:
    from copydesk.session.drafts import CountedDrafts

KEEP_SECONDS = 0.7
"""How long after a key what is typed is on disk: no more than that is lost with the program."""


class KeptFields(Sheet[Mapping[str, str]]):
    """Fields that are kept under ``draft_key`` as long as they differ and have not arrived."""

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        *,
        draft_key: str,
        beside: Mapping[str, Any] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(title)
        self.fields = fields
        self._draft_key = draft_key
        self._beside = beside or {}
        self._names: dict[str, str] = dict(names or {})
        """The titles of what was offered, by its ids."""
        self._called: dict[str, str] = {}
        """What stands in fields for ids, by these: no two are called alike."""
        self._inputs: dict[str, Entry] = {}
        self._arrived = False
        self._keeping: Timer | None = None
        self.tells: Callable[[str], None] = lambda said: None
        """Shows the message on the draft."""
        self._told = ""
        """The last message on the draft."""

    def _field_of(self, widget: Widget | None) -> Field | None:
        named = (field for field in self.fields if self._inputs.get(field.name) is widget)
        return None if widget is None else next(named, None)

    def values(self) -> dict[str, str]:
        """Return what is in the fields now, with the ids of what they name."""
        return {
            field.name: self.meant(field, self._inputs[field.name].said.strip())
            for field in self.fields
            if field.name in self._inputs
        }

    def shown(self, field: Field, text: str) -> str:
        """Return what a field shows for a text: what its ids are called, as far as that is known.

        A text that stands in it otherwise than its parts say stays as it is.
        """
        parts = field.parts(text)
        if not field.named or (len(parts) > 1 and field.joined(parts) != text):
            return text
        return field.joined([self._name_for(field, part) for part in parts]) if parts else text

    def meant(self, field: Field, text: str) -> str:
        """Return the text that a field stands for: the ids of what it names."""
        parts = field.parts(text)
        ids = {name: each for each, name in self._called.items()}
        if not field.named or not any(part in ids for part in parts):
            return text
        return field.joined([ids.get(part, part) for part in parts])

    def _name_for(self, field: Field, part: str) -> str:
        if part not in self._names:
            return part
        if part not in self._called:
            name = self._names[part]
            taken = name in self._called.values() or name in self._names
            name = f"{name} ({part})" if taken else name
            fits = field.takes(name) and field.parts(name) == [name]
            self._called[part] = name if fits else part
        return self._called[part]

    def changed(self) -> dict[str, str]:
        """Return the fields that differ from what they were at first."""
        now = self.values()
        return {
            field.name: now[field.name]
            for field in self.fields
            if field.name in now and now[field.name] != field.value.strip()
        }

    @property
    def _drafts(self) -> CountedDrafts:
        return desk_of(self).session.drafts

    def keep(self) -> None:
        """Keep the fields that differ as a draft; with none there is no draft.

        A private key is no such field: it is not written to the disk.
        """
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        changed = {
            name: text for name, text in self.changed().items() if not holds_private_key(text)
        }
        if changed:
            ids = {
                part for field in self.fields for part in field.parts(changed.get(field.name, ""))
            }
            text = form_text(
                {**changed, **self._beside},
                {field.name: field.label for field in self.fields if field.name in changed},
                {each: title for each, title in self._names.items() if each in ids},
            )
            desk_of(self).session.drafts.save(self._draft_key, text, self._tell_kept)
        else:
            self._drafts.drop(self._draft_key)

    def _tell_kept(self) -> None:
        """Say once where the draft is not on the disk, or another window typed one too."""
        if not self.is_attached or self._arrived:
            return
        drafts = desk_of(self).session.drafts
        why = drafts.refused(self._draft_key)
        said = f"Not on disk: {why}." if why else drafts.shared(self._draft_key)
        if said and said != self._told:
            self.tells(said)
        self._told = said

    def shared(self) -> str:
        """Say so where another window typed in the same fields; else empty."""
        return desk_of(self).session.drafts.shared(self._draft_key)

    def keep_typed(self) -> None:
        """Keep what differs, because everything may end now."""
        if not self._arrived:
            self.keep()

    def _keep_soon(self) -> None:
        # Not put off by the keys that follow: who types on and on is safe too.
        if self._keeping is None and self.changed():
            self._keeping = self.set_timer(KEEP_SECONDS, self._keep_due)

    def _keep_due(self) -> None:
        self._keeping = None
        if not self._arrived and self.is_attached:
            self.keep()

    def drop_draft(self) -> None:
        """Keep nothing any more."""
        self._drafts.drop(self._draft_key)

    def draft(self) -> Mapping[str, Any]:
        """Return what was typed before, with the titles of what was chosen; empty without any."""
        draft = _read(self._drafts.load(self._draft_key))
        self._names = form_words(draft, "names") | self._names
        return draft


def _read(draft: str | None) -> Mapping[str, str]:
    try:
        kept: Any = json.loads(draft) if draft else {}
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}
