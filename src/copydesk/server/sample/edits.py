"""Words for what an author does to pages, so that a change request is declared, not programmed.

Pages are named by their path of slugs. An edit that does not fit the text that it meets raises
``ValueError`` or ``KeyError``: the sample is then wrong, and building it says where.
"""

from __future__ import annotations

from copydesk.server.desk_seed import Edit, Editor


def several(*edits: Edit) -> Edit:
    """Return the edit that makes some edits one after the other."""

    def edit(editor: Editor) -> None:
        for each in edits:
            each(editor)

    return edit


def replace(path: str, old: str, new: str) -> Edit:
    """Return the edit that puts a text in place of another one, which the page has exactly once."""

    def edit(editor: Editor) -> None:
        page = editor.find(path)
        text = editor.read(page)
        if text.count(old) != 1:
            raise ValueError(f"{path} has {text.count(old)} times, not once: {old!r}")
        editor.write(page, text.replace(old, new))

    return edit


def append(path: str, text: str) -> Edit:
    """Return the edit that adds a paragraph, or more, to the end of a page."""

    def edit(editor: Editor) -> None:
        page = editor.find(path)
        editor.write(page, f"{editor.read(page).rstrip()}\n\n{text.strip()}\n")

    return edit


def write(path: str, text: str) -> Edit:
    """Return the edit that replaces the whole text of a page."""
    return lambda editor: editor.write(editor.find(path), f"{text.strip()}\n")


def add(title: str, text: str, *, below: str | None = None, index: int | None = None) -> Edit:
    """Return the edit that adds a page below another one (None is the top), last by default."""

    def edit(editor: Editor) -> None:
        parent = None if below is None else editor.find(below)
        editor.page(title, f"{text.strip()}\n", parent=parent, index=index)

    return edit


def remove(path: str) -> Edit:
    """Return the edit that deletes a page with everything below it."""
    return lambda editor: editor.remove(editor.find(path))


def move(path: str, below: str | None, index: int | None = None) -> Edit:
    """Return the edit that puts a page below another one (None is the top)."""
    return lambda editor: editor.move(
        editor.find(path), None if below is None else editor.find(below), index
    )


def rename(path: str, title: str, slug: str | None = None) -> Edit:
    """Return the edit that gives a page another title and, when it is given, another slug."""
    return lambda editor: editor.rename(editor.find(path), title, slug)


def everywhere(old: str, new: str) -> Edit:
    """Return the edit that replaces a text on every page that has it; one has to."""

    def edit(editor: Editor) -> None:
        pages = [page for page in editor.draft.pages.values() if page.type == "document"]
        found = [page.id for page in pages if old in editor.read(page.id)]
        if not found:
            raise ValueError(f"no page has {old!r}")
        for page in found:
            editor.write(page, editor.read(page).replace(old, new))

    return edit
