"""A site as its readers get it: everybody, or who has a share link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.address import share_key
from copydesk.domain.layout import TOP
from copydesk.domain.site_readers import ReaderNode, Standing, standings
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.reads.site_readers import Audience, ReadersRead, nobody_special, read_as
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.commands import DetailsCommands, no_url, unserved_url
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import TreeSource
from copydesk.tui.sites.links import CHOSEN_LINK
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.system import command_line
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList, by_content
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

NO_EFFECT = "The condition has no effect: adaptive content is off for the site."


WORDS: Mapping[Standing, tuple[str, str]] = {
    "shown": ("shown", ""),
    "conditional": ("if", "accent"),
    "hidden": ("not in the navigation", "muted"),
    "trashed": ("no: in trash", "bad"),
    "empty": ("no: shows nothing", "bad"),
    "left-out": ("no: left out", "bad"),
    "unseen": ("shown, not to you", "warn"),
}
"""What the list says of a standing, and its tone."""

WHY: Mapping[Standing, str] = {
    "shown": "Readers get it.",
    "conditional": "Readers get it if its condition holds for them.",
    "hidden": "Hidden from the navigation; whoever has its address reads it.",
    "trashed": "Its space is in the trash: readers do not get it.",
    "empty": "Nothing in it is for readers, so they do not get it.",
    "left-out": "The service leaves it out of what readers get, and does not say why.",
    "unseen": "Readers get it, and you do not see it in the structure.",
}

COUNTED: tuple[tuple[Standing, str], ...] = (
    ("shown", "shown"),
    ("conditional", "on a condition"),
    ("hidden", "not in the navigation"),
    ("unseen", "hidden from you"),
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


EVERYBODY = "everyone"
TYPED = "typed"
"""The choice of an audience by a key that was typed."""

STATE_CELLS = 44
"""Cells that the reasons may take where there is room."""

UNFOLD_LIMIT = 60
"""With at most so many rows, everything opens unfolded."""


def not_read(here: SiteReadersPlace) -> str | None:
    """Say so while nothing has been read."""
    return None if here.read is not None else "The site has not been read yet."


def secret(here: SiteReadersPlace) -> str | None:
    """Say so where the address of the row holds the key of a link."""
    if here.read is None or not here.read.key:
        return None
    return "The address holds the key of the link, so it is copied among the share links only."


@place("site-readers", title="Site as readers get it")
class SiteReadersPlace(Place, scope="site_readers"):
    """The pages of a site as readers get them; hidden ones are marked with the reason."""

    OF_SITE = True
    COMMAND_CLASSES = (DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: ReadersRead | None = None
        self.audience = Audience()

    @property
    def shows_secret(self) -> bool:
        return bool(self.read is not None and self.read.key)

    def panes(self) -> ComposeResult:
        source: TreeSource[ReaderNode] = TreeSource(
            key=lambda row: row.id,
            children=lambda row: row.children,
        )
        self.rows: TreeList[ReaderNode] = TreeList(
            source,
            self._columns(()),
            title="What readers get",
            empty="Reading what readers get…",
            sign=sign,
            dim=lambda row: not row.reached,
            id="site-readers",
        )
        self.facts = Facts(title="Row", id="site-reader-row")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def _columns(self, rows: Sequence[ReaderNode]) -> list[Column[ReaderNode]]:
        standing: Column[ReaderNode] = Column("state", "READERS", state, 8)
        address: Column[ReaderNode] = Column("address", "ADDRESS", self._address, 8, drop=1)
        longest = by_content(standing, rows, most=STATE_CELLS).width
        return [
            Column("title", "SITE", name, flex=1, minimum=26),
            replace(standing, width=min(longest, 21), most=longest),
            replace(by_content(address, rows, most=18), most=60),
        ]

    def _address(self, row: ReaderNode) -> Text | str:
        return address(row, secret=self.read.key if self.read is not None else "")

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        if self.read is not None:
            yield self.read.who

    def status_left(self) -> str:
        if self.read is None:
            return ""
        if self.read.said:
            return offered(self, self.read.said)
        return super().status_left() or summary(self.read.tree)

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*super().signs(), (glyphs().failed, "kept from readers")]

    @property
    def row(self) -> ReaderNode | None:
        """The row under the cursor."""
        return self.rows.selected_item

    def url(self) -> str | None:
        """Return where readers find the row; not where that has a secret in it."""
        row = self.row
        if row is None or not row.reached or (self.read is not None and self.read.key):
            return None
        return row.node.address or None

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.row
        if row is None:
            return []
        node = row.node
        return [
            ("address", self.url() or ""),
            ("path", node.path),
            ("title", node.title),
            ("condition", node.condition),
            ("id", node.id),
        ]

    # Reading

    def reload(self) -> None:
        self._take_chosen()
        self.tabs.read("Reading the site", self._read, self._arrived)

    def poll(self) -> None:
        self.tabs.read("Reading again", self._read, self._polled)

    def on_screen_resume(self) -> None:
        if self._take_chosen() and self.reads.asked_at is not None:
            self.read_again()

    def _take_chosen(self) -> bool:
        link = self.session.left.pop((CHOSEN_LINK, self.target.site), None)
        if not isinstance(link, str):
            return False
        self.audience = Audience(link=link)
        return True

    async def _read(self, api: Api, site: Site) -> ReadersRead:
        return await read_as(api, self.tabs.ids[0], site, self.audience)

    def _polled(self, found: ReadersRead) -> None:
        if found != self.read:
            self._arrived(found)

    def _arrived(self, found: ReadersRead) -> None:
        first = self.read is None or self.read.who != found.who
        self.read, self.tabs.publication.published = found, found.site.published
        self.rows.empty = found.said or "Readers find an empty site: it shows nothing yet."
        source = self.rows.tree_source
        rows = _walk(found.tree)
        if first:
            few = sum(standings(found.tree).values()) <= UNFOLD_LIMIT
            source.unfolded |= {row.id for row in rows if few or row.node.kind == "group"}
        here = self.rows.selected_id
        source.set_roots(found.tree)
        self.rows.show_columns(self._columns(rows))
        if here is not None:
            self.rows.select(here)
        self.rows.title = f"Read {found.who}"
        self.rows.retitle()
        if found.links is not None:
            self.tabs.count(len(found.links))
        self.show_details()
        self.refresh_frame()

    def show_details(self) -> None:
        row = self.row
        if row is None or self.read is None:
            self.facts.show([], title="Row")
        else:
            by_link = self.read.site.visibility == "share-link" and not self.read.key
            facts = row_facts(row, secret=self.read.key, by_link=by_link)
            if self.read.said:
                facts.insert(0, Fact("", Text(offered(self, self.read.said), style="warn")))
            self.facts.show(facts, title=row.node.title)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.row
        if row is None:
            return
        if row.children:
            self.rows.toggle()
        elif row.node.space:
            target = Target(organization=self.target.organization, space=row.node.space)
            self.desk.go_soon("pages", target)
        else:
            self.say("There are no pages to read here.", "warn")

    @action("y", "copy url", unless=(secret, no_url), show=3, group="Share", override=True)
    def copy_url(self) -> None:
        """Copy where readers find the row."""
        self.common.copy_url()

    @action("o", "browser", unless=(secret, no_url, unserved_url), show=3, group="Share",
            word="browser", override=True)  # fmt: skip
    def browse(self) -> None:
        """Open what readers get in the browser."""
        self.common.browse()

    # Who reads

    @action("f", "who reads", word="audience",
            unless=not_read, show=26, group="Views", uses="get_published_site")  # fmt: skip
    async def choose_audience(self) -> None:
        """Choose who reads: everyone, or who has one of the share links."""
        assert self.read is not None
        options = [Option(EVERYBODY, nobody_special(self.read.site))]
        options += [
            Option(link.id, link.title, "" if link.active else "switched off")
            for link in self.read.links or ()
        ]
        if self.read.links is None:
            self.say("You may not see the share links. :key KEY reads with a key.", "warn")
            return
        current = self.audience.link or (EVERYBODY if self.audience.public else None)
        typed = ""

        def by_key(text: str) -> list[Option]:
            nonlocal typed
            typed = text
            return [Option(TYPED, "with this key, or the address that has it")]

        chosen = await self.desk.push_screen_wait(
            Choice(
                "Who reads", options, current=current, more=by_key,
                hint="type to narrow, or paste the key or the address of a link",
            )
        )  # fmt: skip
        if chosen == TYPED:
            self._read_as(_by_key(typed))
        elif chosen is not None:
            self._read_as(Audience() if chosen == EVERYBODY else Audience(link=chosen))

    @command("key", "KEY", uses="get_published_site")
    def read_with_key(self, rest: str) -> None:
        """Read the site with a share link's key, or its address; :key alone reads as everyone."""
        # A key is a secret: it is not offered again among what was entered.
        command_line.HISTORY[:] = [
            line for line in command_line.HISTORY if line.partition(" ")[0] != "key"
        ]
        self._read_as(_by_key(rest.strip()))

    def _read_as(self, audience: Audience) -> None:
        self.audience = audience
        self.read_again()


def _by_key(typed: str) -> Audience:
    """Return who has a key, or an address with one in it."""
    return Audience(key=share_key(typed) if "://" in typed else typed)


def _walk(tree: Iterable[ReaderNode]) -> list[ReaderNode]:
    rows = list(tree)
    for row in rows:
        rows += row.children
    return rows
