"""A person's own views of the triage list: ``[[views]]`` in the settings, read and written.

Everything else in the file stays as it is, comments included.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.domain.saved_view import SavedView
from copydesk.local.settings_lines import Keys, lines_in_list, wrong_key

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

KEYS: Keys = {
    "name": ((str,), "text in quotes"),
    "status": ((list,), 'a list such as ["open", "draft"]'),
    "filter": ((str,), "text in quotes"),
    "sort": ((str,), "text in quotes"),
    "reverse": ((bool,), "true or false"),
    "columns": ((list,), 'a list such as ["subject", "by"]'),
}
"""The keys of a view, which are its fields; ``status`` has its statuses."""


def views_of(value: object, text: str) -> tuple[tuple[SavedView, ...], list[tuple[int, str]]]:
    """Return the views of the settings, and every mistake with its line.

    ``value`` is the content under ``views``, ``text`` the whole file.
    """
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return (), [
            (lines_in_list("views", 1, text)[0], "views are tables: each begins with [[views]]")
        ]
    views: list[SavedView] = []
    wrong: list[tuple[int, str]] = []
    for given, line in zip(value, lines_in_list("views", len(value), text), strict=True):
        mistakes = list(_mistakes(given, [view.name for view in views]))
        wrong += [(line, sentence) for sentence in mistakes]
        if not mistakes:
            fields: dict[str, Any] = {
                "statuses" if key == "status" else key: (
                    tuple(each) if isinstance(each, list) else each
                )
                for key, each in given.items()
            }
            views.append(SavedView(**fields, line=line))
    return tuple(views), wrong


def _mistakes(given: dict[str, Any], taken: Sequence[str]) -> list[str]:
    name = given.get("name")
    if not isinstance(name, str) or not name.strip():
        return ['a view needs a name: name = "…"']
    lead = f"view “{name}”"
    found = [f"{lead} is there twice"] if name in taken else []
    wrong = (wrong_key(key, value, KEYS, "view") for key, value in given.items())
    return [*found, *(f"{lead}: {sentence}" for sentence in wrong if sentence)]


class SavedViews:
    """The views in the settings file at ``path`` (None: in memory).

    Raises ``OSError`` when the disk refuses, and ``SettingsError`` (a ValueError) when the file is
    not as it should be: nothing is written then.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._memory = ""

    def read(self) -> Sequence[SavedView]:
        """Return the views in their order."""
        if self._path is None:
            return views_of(self._document().unwrap().get("views", []), self._memory)[0]
        from copydesk.local.settings import usable_settings

        return usable_settings(self._path)[0].views

    def save(self, view: SavedView) -> None:
        """Save a view, in place of one with its name."""
        document = self._document()
        apart = "\n" if document.as_string().strip() else ""
        views, fresh = self._tables(document), _table(view)
        for each in views:
            if each.get("name") == view.name:
                each.update(fresh)
                for key in KEYS.keys() - fresh.keys():
                    each.pop(key, None)
                break
        else:
            fresh.trivia.indent = apart
            views.append(fresh)
        self._write(document)

    def remove(self, name: str) -> None:
        """Delete a view."""
        document = self._document()
        views = self._tables(document)
        for at, each in enumerate(views):
            if each.get("name") == name:
                del views[at]
                break
        if not views:
            del document["views"]
        self._write(document)

    def _document(self) -> TOMLDocument:
        if self._path is None:
            import tomlkit

            return tomlkit.parse(self._memory)
        from copydesk.local.settings_document import read_document

        return read_document(self._path, "views")

    def _write(self, document: TOMLDocument) -> None:
        if self._path is None:
            self._memory = document.as_string()
            return
        from copydesk.local.settings_document import write_document

        write_document(self._path, document)

    def _tables(self, document: TOMLDocument) -> Any:
        import tomlkit

        if "views" not in document:
            document["views"] = tomlkit.aot()
        return document["views"]


def _table(view: SavedView) -> Any:
    import tomlkit

    table = tomlkit.table()
    table["name"] = view.name
    if view.statuses != SavedView("").statuses:
        table["status"] = list(view.statuses)
    if view.filter:
        table["filter"] = view.filter
    if view.sort:
        table["sort"] = view.sort
    if view.reverse:
        table["reverse"] = True
    if view.columns:
        table["columns"] = list(view.columns)
    return table
