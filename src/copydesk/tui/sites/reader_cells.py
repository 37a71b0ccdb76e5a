"""What readers get of a site, as cells and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from rich.text import Text

from copydesk.domain.layout import TOP
from copydesk.domain.site_readers import ReaderNode, Standing, standings
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs

NO_EFFECT = "The condition has no effect: adaptive content is off for the site."


WORDS: Mapping[Standing, tuple[str, str]] = {
    "shown": ("shown", ""),
    "conditional": ("if", "accent"),
    "hidden": ("not in the navigation", "warn"),
    "trashed": ("no: in trash", "bad"),
    "empty": ("no: shows nothing", "bad"),
    "left-out": ("no: left out", "bad"),
    "unseen": ("shown, not to you", "warn"),
}
"""What the list says of a standing, and its tone."""

WHY: Mapping[Standing, str] = {
    "shown": "Readers get it.",
    "conditional": "Readers get it if its condition holds for them.",
    "hidden": "It is hidden from the navigation; whoever has its address reads it.",
    "trashed": "Its space is in the trash: readers do not get it.",
    "empty": "It shows nothing that readers could get, so they do not get it.",
    "left-out": "The service leaves it out of what readers get, and does not say why.",
    "unseen": "Readers get it, and you do not see it in the structure.",
}

COUNTED: tuple[tuple[Standing, str], ...] = (
    ("shown", "shown"),
    ("conditional", "on a condition"),
    ("hidden", "not in the navigation"),
    ("unseen", "not seen by you"),
)


def name(row: ReaderNode) -> Text | str:
    """Return the title of a row."""
    node = row.node
    if not row.reached:
        return Text(node.title, style="muted")
    if node.kind == "group":
        return Text(node.title, style="emphasis")
    return Text(node.title, style="strong") if node.kind == "section" else node.title


def sign(row: ReaderNode) -> str:
    """Return the sign of what readers do not get."""
    return "" if row.reached else glyphs().failed


def state(row: ReaderNode) -> Text | str:
    """Return whether readers get a row, or why not."""
    if row.node.kind == "group" and row.reached:
        return ""
    word, tone = WORDS[row.standing]
    if row.standing == "conditional":
        word = f"if {row.node.condition}"
    elif row.standing == "shown" and row.node.condition:
        word, tone = "shown, condition off", "warn"
    elif row.standing == "shown" and row.node.default and not row.alone:
        word, tone = "shown first", "good"
    said = Text(word, style=tone)
    if row.standing == "hidden" and row.node.condition:
        said.append(f", if {row.node.condition}", style="accent")
    return said


def address(row: ReaderNode, *, secret: str = "") -> Text | str:
    """Return where on the site readers find a row; where they do not, the path that it would add.

    ``secret`` is taken out of it.
    """
    node = row.node
    if node.kind == "group":
        return ""
    if row.reached and node.address:
        parts = urlsplit(node.address.replace(f"/{secret}", "", 1) if secret else node.address)
        query = f"?{parts.query}" if parts.query else ""
        # A style of the whole would underline the blanks behind it too.
        return Text().append(without(f"{parts.path or '/'}{query}", secret), style="link")
    return Text(f"/{node.path}" if node.path else "", style="muted")


def row_facts(row: ReaderNode, *, secret: str = "", by_link: bool = False) -> list[Fact]:
    """Return what to know about a row. ``secret`` is taken out of its address.

    ``by_link`` says that nobody gets it but who has a share link.
    """
    node = row.node
    tone = "" if row.standing == "shown" else "warn" if row.reached else "bad"
    why = WHY[row.standing]
    if by_link and row.standing == "shown":
        why = "Who has a share link gets it."
    found = [Fact("readers", Text(why, style=tone))]
    if node.condition and row.standing == "shown":
        found += [Fact("condition", node.condition), Fact("", Text(NO_EFFECT, style="warn"))]
    elif node.condition:
        found.append(Fact("shown if", node.condition))
    if row.reached and node.address:
        found.append(Fact("address", Text(without(node.address, secret), style="link")))
    elif node.path:
        found.append(Fact("path", f"/{node.path}"))
    if node.default and node.kind != "group":
        where = "the site" if node.level == TOP or node.kind == "section" else "its section"
        found.append(Fact("first", f"readers land on it first in {where}"))
    if node.description:
        found.append(Fact("about", node.description))
    if node.audience:
        found.append(Fact("audience", node.audience))
    if node.kind == "site-space":
        found.append(Fact("", Text("Enter opens its pages.", style="muted")))
    return found


def without(address: str, secret: str) -> str:
    """Return an address with the key of a link taken out of it."""
    return address.replace(secret, glyphs().more) if secret else address


def summary(tree: tuple[ReaderNode, ...]) -> str:
    """Return in a line how many rows readers get, and how many not."""
    found = standings(tree)
    if not found:
        return "Readers find an empty site."
    said = [f"{found[standing]} {words}" for standing, words in COUNTED if found[standing]]
    kept = sum(
        found[standing] for standing in found if standing in ("trashed", "empty", "left-out")
    )
    if kept:
        said.append(f"{kept} kept from readers")
    return ", ".join(said)
