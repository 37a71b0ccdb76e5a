"""What an author does to pages, as values: so a change request is data, not a program.

Pages are named by their path of slugs. An edit that does not fit the text it meets raises
``ValueError`` or ``KeyError``: the sample is then wrong, and building it says where.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from copydesk.server import desk_writes
from copydesk.server.desk_writes import Editor


class Declared(BaseModel):
    """A part of the sample, as its data files declare it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Replace(Declared):
    """Replace words that the page has exactly once."""

    do: Literal["replace"] = "replace"
    page: str
    old: str
    new: str


class Append(Declared):
    """Add a paragraph, or more, to the end of a page."""

    do: Literal["append"] = "append"
    page: str
    text: str


class Write(Declared):
    """Replace the whole text of a page."""

    do: Literal["write"] = "write"
    page: str
    text: str


class Add(Declared):
    """Add a page below another one (None is the top), last by default."""

    do: Literal["add"] = "add"
    title: str
    below: str | None = None
    index: int | None = None
    text: str


class Remove(Declared):
    """Delete a page with everything below it."""

    do: Literal["remove"] = "remove"
    page: str


class Move(Declared):
    """Put a page below another one (None is the top), last by default."""

    do: Literal["move"] = "move"
    page: str
    below: str | None = None
    index: int | None = None


class Rename(Declared):
    """Give a page another title and, when it is given, another slug."""

    do: Literal["rename"] = "rename"
    page: str
    title: str
    slug: str | None = None


class Everywhere(Declared):
    """Replace words on every page that has them; at least one has to."""

    do: Literal["everywhere"] = "everywhere"
    old: str
    new: str


AnyEdit = Replace | Append | Write | Add | Remove | Move | Rename | Everywhere
Edit = Annotated[AnyEdit, Field(discriminator="do")]


def author_of(edits: Iterable[AnyEdit]) -> desk_writes.Edit:
    """Return the author who makes some edits one after the other."""

    def work(editor: Editor) -> None:
        for edit in edits:
            _make(editor, edit)

    return work


def _make(editor: Editor, edit: AnyEdit) -> None:
    match edit:
        case Add():
            below = None if edit.below is None else editor.find(edit.below)
            editor.page(edit.title, f"{edit.text.strip()}\n", parent=below, index=edit.index)
            return
        case Everywhere():
            _replace_everywhere(editor, edit)
            return
    page = editor.find(edit.page)
    match edit:
        case Replace():
            text = editor.read(page)
            if text.count(edit.old) != 1:
                raise ValueError(
                    f"{edit.page} has {text.count(edit.old)} times, not once: {edit.old!r}"
                )
            editor.write(page, text.replace(edit.old, edit.new))
        case Append():
            editor.write(page, f"{editor.read(page).rstrip()}\n\n{edit.text.strip()}\n")
        case Write():
            editor.write(page, f"{edit.text.strip()}\n")
        case Remove():
            editor.remove(page)
        case Move():
            below = None if edit.below is None else editor.find(edit.below)
            editor.move(page, below, edit.index)
        case Rename():
            editor.rename(page, edit.title, edit.slug)


def _replace_everywhere(editor: Editor, edit: Everywhere) -> None:
    pages = [page.id for page in editor.draft.pages.values() if page.type == "document"]
    found = [page for page in pages if edit.old in editor.read(page)]
    if not found:
        raise ValueError(f"no page has {edit.old!r}")
    for page in found:
        editor.write(page, editor.read(page).replace(edit.old, edit.new))
