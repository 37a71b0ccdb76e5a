"""The JSON of one thing, as the service has it: to be read, searched and copied."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.json_display import json_text
from copydesk.domain.personal_data import mask
from copydesk.domain.text import clean
from copydesk.present.raw_json import Raw
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api


def not_read(here: RawPlace) -> str | None:
    """Say so when the JSON is not there yet."""
    return None if here.text else "The JSON has not been read yet."


class RawPlace(Place, scope="raw"):
    """The JSON of one thing."""

    def __init__(self, target: Target, raw: Raw) -> None:
        super().__init__(target)
        self._raw = raw
        self.text = ""
        """The JSON, once it is there."""

    def panes(self) -> ComposeResult:
        self.shown = TextView(title="JSON", empty="Reading…", plain=True, id="json")
        yield Part("main", self.shown)

    def trail(self) -> Iterable[str]:
        yield clean(self._raw.title)
        yield "JSON"

    def status_left(self) -> str:
        said = self._raw.operation or self._raw.source
        return f"{said}   masked: V in the list shows all" if self._raw.masked else said

    def reload(self) -> None:
        self.reads.load(
            "json", self._read, self._arrived, what="Reading", failed=self._unread,
            local=not self._raw.operation,
        )  # fmt: skip

    def poll(self) -> None:
        """Read nothing: who reads a text wants it to stay. R reads it again."""

    async def _read(self, api: Api) -> str:
        raw = self._raw
        if raw.operation:
            answer = await api.answer(getattr(ops, raw.operation), *raw.arguments, **raw.query)
            value = json.loads(answer.content)
        else:
            value = raw.value if isinstance(raw.value, dict | list) else raw.value.to_dict()
        text = json_text(value)
        return await asyncio.to_thread(mask, text) if raw.masked else text

    def _arrived(self, text: str) -> None:
        self.session.fresh()
        self.text = text
        self.shown.set_text(text, top=False)
        self.refresh_frame()

    def _unread(self, said: str) -> None:
        if not self.text:
            self.shown.empty = with_key(said)
            self.shown.set_text("")

    def copies(self) -> Sequence[tuple[str, str]]:
        return [("JSON", self.text)] if self.text else []

    @action("y", "copy", unless=not_read, show=30, group="Share", override=True)
    def copy_url(self) -> None:
        """Copy the JSON."""
        self.desk.copy(self.text, "the JSON")
