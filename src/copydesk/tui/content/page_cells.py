"""Pages of a space as rows of a tree, and their links as rows of a list."""

from __future__ import annotations

from rich.text import Text

from copydesk.present.emoji import before
from copydesk.session.glyphs import glyphs
from copydesk.session.page_rows import LinkRow, PageRow


def name(page: PageRow) -> Text | str:
    """Return the title; groups stand out, and what is particular about a page is said behind it."""
    shown = before(page.emoji, page.title)
    if page.type == "group":
        return Text(shown, style="strong")
    if page.type == "link":
        text = Text(f"{shown} {glyphs().right}", style="link")
        text.append(f" {page.target}", style="muted")
        return text
    about = {"hidden": page.hidden, "auto": page.type == "computed"}
    said = [word for word, true in about.items() if true]
    if not said:
        return shown
    text = Text(shown)
    text.append(f"  {' '.join(said)}", style="muted")
    return text


def no_text(page: PageRow) -> str:
    """Return, as Markdown, what to show of a page without a text of its own."""
    if page.type == "group":
        count = len(page.children)
        return f"*A group of {count} {'page' if count == 1 else 'pages'}, without text.*"
    where = page.target or "a place that the service does not name"
    return f"*A link. It leads to {where}*"


def link_text(link: LinkRow) -> Text | str:
    """Return where a link leads."""
    return Text(link.text, style="bad") if link.broken else link.text


def link_note(link: LinkRow) -> Text:
    """Return what kind of link it is, or that it is broken."""
    return Text("broken", style="bad") if link.broken else Text(link.kind, style="muted")
