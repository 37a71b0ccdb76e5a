"""The settings of an object as a list of labels and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from rich.text import Text

from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList


class Setting(Protocol):
    """One row of such a list."""

    @property
    def id(self) -> str:
        """What tells it from the others."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def shown(self) -> Text | str:
        """What it is now."""


S = TypeVar("S", bound=Setting)


class SettingsList(VirtualList[S]):
    """Settings in their order; ``label`` draws what one is called."""

    def __init__(self, label: Callable[[S], Text | str] = lambda row: row.label) -> None:
        self._settings: ListSource[S] = ListSource(key=lambda row: row.id)
        super().__init__(
            self._settings,
            [
                Column("setting", "SETTING", label, 16),
                Column("now", "NOW", lambda row: row.shown, flex=1, minimum=20),
            ],
            title="Settings",
            empty="Reading the settings…",
            id="settings",
        )

    @property
    def settings(self) -> Sequence[S]:
        return list(self._settings.shown())

    def show(self, settings: Sequence[S]) -> None:
        """Show the settings as they are now; the cursor stays on its row."""
        first = not self.settings
        self._settings.merge(settings)
        self._settings.fold()
        self._settings.fresh.clear()
        if first:
            self.move_first()
        self.refresh_rows()
