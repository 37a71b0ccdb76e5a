"""The base of all places: the frame, the panes, the common keys, reading and writing.

A place is one Textual screen. It composes its panes, names its views, and declares its actions; the
frame, the movement keys, search, jumps, help and the command line come from here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

import copydesk
from copydesk.domain.request_context import Asker, Why
from copydesk.session.glyphs import glyphs
from copydesk.session.session import NONE_WAIT
from copydesk.session.target import Target, Visit
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.outbox import NOTHING
from copydesk.tui.framework.actions import Acts, Commands
from copydesk.tui.framework.commands import CommonCommands
from copydesk.tui.framework.desk_app import desk_of
from copydesk.tui.framework.frame import (
    SMALLEST,
    Foot,
    Head,
    Parts,
    Said,
    Status,
    Views,
    last_write,
    shape,
    spared_lines,
    waiting_rows,
)
from copydesk.tui.framework.frame import Part as Part
from copydesk.tui.framework.frame import View as View
from copydesk.tui.framework.inside_textual import SteadyScreen
from copydesk.tui.framework.keyboard import run
from copydesk.tui.framework.pane import HEIGHTS, Pane
from copydesk.tui.framework.reader import Reads, age_line

if TYPE_CHECKING:
    from rich.text import Text
    from textual.dom import DOMNode

    from copydesk.client.api import Api
    from copydesk.domain.own_command import Thing
    from copydesk.domain.reversal import Expectation, Reversal, Trace
    from copydesk.present.raw_json import Raw
    from copydesk.session.content import ContentOwner
    from copydesk.session.session import Session
    from copydesk.session.writes.sender import Write
    from copydesk.tui.framework.desk_app import DeskApp

T = TypeVar("T")
C = TypeVar("C", bound="Commands")

Tone = Literal["", "good", "warn", "bad"]


def styles_folder() -> Path:
    """Return where the style sheets are: beside the package in a wheel, above it in a checkout."""
    package = Path(copydesk.__file__).resolve().parent
    inside = package / "styles"
    return inside if inside.is_dir() else package.parent.parent / "styles"


def style_path(name: str) -> Path:
    """Return the style sheet of a place, for its ``CSS_PATH``."""
    return styles_folder() / f"{name}.tcss"


def later_styles() -> Sequence[Path]:
    """Return the style sheets that the first frame does not need, those of dialogs first."""
    first, sheets = style_path("base"), style_path("sheets")
    others = sorted(path for path in styles_folder().glob("*.tcss") if path not in (first, sheets))
    return [sheets, *others]


class PlaceTabs(Protocol):
    """Tabs in the place of views: each is a place of its own, about the same thing."""

    def open(self) -> None:
        """Show the tabs, with that of the place as the current one."""

    def turn(self) -> None:
        """Go to the place of the tab that was chosen."""

    def leave_if_gone(self) -> bool:
        """Leave what they are about if a write that was taken back had made it; whether it had."""


class NoTabs:
    """Views that are no places of their own."""

    def open(self) -> None:
        """Show nothing."""

    def turn(self) -> None:
        """Stay."""

    def leave_if_gone(self) -> bool:
        """Stay."""
        return False


WIDTHS = [(0, "-narrow"), (100, "-medium"), (132, "-wide")]
"""The shapes of a screen by the columns of the terminal."""

VAST = [*WIDTHS, (176, "-vast")]
"""Those of a screen that has one pane more where there is room for it."""

ROLES = ("left", "main", "side")
"""The parts that a place may have."""


class Place(Acts, SteadyScreen[None]):
    """One place of copydesk. Subclass it, register it with ``@place``, compose ``panes``."""

    OVERRIDES = True
    PLACE: ClassVar[str] = ""
    AGED: ClassVar[str] = ""
    """What the age in the header is that of, where there is room to say it."""
    OF_SITE: ClassVar[bool] = False
    """Whether it shows one site: asked for by its name, it shows the one at hand."""
    OF_SPACE: ClassVar[bool] = False
    """Whether it shows one space: asked for by its name, it shows the one at hand."""
    OF_DESK: ClassVar[bool] = True
    """Whether it shows what organizations have, and not only what this machine keeps."""
    IN_ORGANIZATION: ClassVar[bool] = True
    """Whether it has nothing to read where the reader is in no organization."""
    RAW: ClassVar[tuple[str, ...]] = ()
    """The operations that may read the JSON of the row under the cursor."""
    COLUMNS: ClassVar[Sequence[str]] = ()
    """Columns that its list has at times, or in some views; all, where `panes` needs an app."""
    AUTO_FOCUS = ".-main Pane"
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS

    COMMAND_CLASSES: ClassVar[Sequence[type[Commands]]] = ()
    """The classes of `commands` that this class adds to those of its bases."""

    place_tabs: PlaceTabs = NoTabs()
    """Its tabs, where these are places of their own; they register themselves here."""
    marking: Pane | None = None
    """The list of the place whose rows can be marked, if there is one."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.add_class("-in-main")
        self.target = target
        self.reads = Reads(self)
        self.writer = Writer(self)
        kinds = self.owner_classes()
        self._owners = tuple(kind(self) if issubclass(kind, Commands) else self for kind in kinds)
        self.commands = tuple(each for each in self._owners if isinstance(each, Commands))
        """Actions in objects of their own; the last are those of every place."""
        self.views: Sequence[View] = ()
        self._marks, self._merges = NOTHING, NONE_WAIT
        """What waited in the outbox when that was shown last."""
        self.view: str = target.view or ""
        self.resuming = ""
        """The part of a draft that opens once its subject has been read; "" for none."""
        self.begins_at = ""
        """The id that its cursor is put on once it is read; "" for what it begins with."""
        self.cached = False
        """Whether the screen shows data cached by the last run."""
        self._unwatch: Callable[[], None] = lambda: None
        self._lines: tuple[Head, Views, Status, Foot] | None = None
        self.mounted_panes: dict[Pane, None] = {}
        """The panes that are there; each tells when it comes and goes."""

    @classmethod
    def owner_classes(cls) -> tuple[type[Acts], ...]:
        """Return the classes whose actions one can do here, in the order they are asked in.

        What a class adds comes before what its bases have, and what every place has comes last.
        """
        added = [kind for base in cls.__mro__[1:] for kind in vars(base).get("COMMAND_CLASSES", ())]
        own = vars(cls).get("COMMAND_CLASSES", ())
        return tuple(dict.fromkeys((*own, cls, *added, CommonCommands)))

    @property
    def owners(self) -> Sequence[Acts]:
        return self._owners

    @property
    def common(self) -> CommonCommands:
        """The actions of every place."""
        return self.commands_of(CommonCommands)

    def commands_of(self, kind: type[C]) -> C:
        """Return those of its commands that are of a class in `COMMAND_CLASSES`."""
        return next(each for each in self.commands if isinstance(each, kind))

    def do_soon(self, method: str) -> None:
        """Do an action by its name, whether the place has it itself or one of its commands."""
        if (owner := self.who_does(method)) is not None:
            self.call_later(run, owner, owner.ACTIONS[method])

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """Yield the `Part` columns; there must be a ``main`` one."""
        raise NotImplementedError

    def breadcrumb(self) -> Iterable[str]:
        """Yield the breadcrumb: the organization, where it shows what one has, and `trail`."""
        if self.OF_DESK:
            yield self.session.home_title(self.organization)
        yield from self.trail()

    def trail(self) -> Iterable[str]:
        """Yield the steps below the organization, outermost first; clean text."""
        yield self.title or ""

    @property
    def organization(self) -> str | None:
        """The id of the organization that this is about: that of its target, else the reader's."""
        return self.target.organization or self.session.organization

    @property
    def nowhere(self) -> str:
        """That there is nothing to show, and how to begin; "" where that is not known to be so."""
        target, session = self.target, self.session
        known = target.organization or target.space or target.item or session.organization
        return "" if known or session.api is None or not self.OF_DESK else session.nowhere

    def space_at_hand(self) -> str | None:
        """Return the id of the space that is meant where a screen of one is asked for, or None."""
        return self.target.space

    def site_at_hand(self) -> str | None:
        """Return the id of the site that a place of a site would show, or None."""
        return self.target.site

    def copy_note(self) -> str:
        """Return what to say of an address that was copied; "" for nothing."""
        return ""

    def visit(self) -> Visit | None:
        """Return what it shows now, to come back to; None while it shows nothing, or only asks."""
        lacks = self.target.lacks(space=self.OF_SPACE, site=self.OF_SITE)
        if not (self.PLACE and self.is_mounted) or lacks:
            return None
        at = getattr(self.query_one_optional(".-main Pane"), "selected_id", None) or ""
        return Visit(self.PLACE, self.target.but(view=self.view or None), at)

    @property
    def shows_secret(self) -> bool:
        """Whether the screen must not be kept for the next start."""
        return any(each.shows_secret for each in self.commands)

    def start_at(self, id: str) -> None:
        """Put the cursor where it was when it was left, as soon as that is read."""
        if (pane := self.query_one_optional(".-main Pane", Pane)) is not None:
            pane.start_at(id)

    def url(self) -> str | None:
        """Return the URL of the selected object, for ``o`` and ``y``; None when it has none."""
        return None

    def withheld(self) -> str | None:
        """Return why `url` is neither shown nor copied now, only opened; None when it is both."""
        return None

    def content(self) -> ContentOwner | None:
        """Return whose content is in front, or None."""
        return None

    def raw(self) -> Raw | None:
        """Return the read of the selected object's JSON, if it has any."""
        return None

    def things(self) -> Sequence[Thing]:
        """Return what commands of one's own are for here: the chosen rows, or what is open."""
        return next(filter(None, (each.things() for each in self.commands)), ())

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return (name, text) choices for ``Y``."""
        return [("address", url)] if (url := self.url()) else []

    def status_left(self) -> str:
        """Return what to know while nothing happens: marks, what waits to be folded in."""
        return waiting_rows(getattr(self.pane, "source", None))

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs that this place draws and what they mean; the help lists them."""
        return [(glyphs().changed, "new or changed since you looked")]

    def status_right(self) -> str:
        """Return the right part of the status line: the last write and how to take it back."""
        return last_write(self.session, lambda said: self.desk.keyboard.said(said, self))

    def age(self, width: int) -> Said:
        """Return how old what it shows is, for a line so wide: its tone, the longest form first."""
        return age_line(self, width)

    def views_note(self) -> str:
        """Return the right part of the line of views."""
        return next(filter(None, (each.views_note() for each in self.commands)), "")

    @property
    def first_view(self) -> str:
        """Return the id of the view that the place opens with: its own, where views are places."""
        ids = [view.id for view in self.views]
        return self.PLACE if self.PLACE in ids else next(iter(ids), "")

    def view_changed(self) -> None:
        """Show the view ``self.view``; called after the user chose it."""
        self.place_tabs.turn()

    def resume_draft(self, part: str) -> None:
        """Open the field that a draft was typed in (`session.draft_keys`). None does here."""

    def turned(self, results: Sequence[Any]) -> None:
        """Show what taking back a write, or doing it again, gave; it reads the place again."""
        if not self.place_tabs.leave_if_gone():
            self.read_again()

    def requeued(self) -> None:
        """Show that the outbox changed, while the service is away; it tells most by itself."""
        self.refresh_frame()

    def others_typed(self) -> None:
        """Show what another window has kept, where drafts are listed."""

    def waits_changed(self) -> None:
        """Follow what came into the outbox or left it; panes mark it by themselves."""

    def opened(self) -> None:
        """Do what must be done once, after the first frame."""
        self.place_tabs.open()

    # The frame

    def on_resize(self, event: events.Resize) -> None:
        """Leave out of the frame what would take the last lines from the rows."""
        self.update_classes(spared_lines(event.size))

    def bring_forward(self, widget: Widget) -> None:
        """Have the part show that a widget is in, where one shows at a time."""
        for node in widget.ancestors_with_self:
            if isinstance(node, Part):
                self.update_classes({f"-in-{role}": node.role == role for role in ROLES})
                break

    def compose(self) -> ComposeResult:
        """Lay the frame around the panes."""
        # What its parts read by themselves, as lists do, is for this screen.
        self.reads.ask_for(Asker(self.PLACE, Why.VISIBLE))
        # The shape for a size, before the first frame; Textual takes it after that.
        size = self.app.size
        columns = shape(self.HORIZONTAL_BREAKPOINTS, size.width)
        lines = shape(self.VERTICAL_BREAKPOINTS, size.height)
        self.update_classes({**columns, **lines, **spared_lines(size)})
        head, views, status, foot = self._lines = (
            Head(self, id="head"),
            Views(self, id="views"),
            Status(self, id="status"),
            Foot(self, id="foot"),
        )
        yield head
        yield views
        with Parts(id="body"):
            yield from self.panes()
        yield status
        yield foot
        yield Static(f"Too small: {SMALLEST.width}x{SMALLEST.height} at least.", id="small")

    @property
    def desk(self) -> DeskApp:
        """The application."""
        return desk_of(self)

    @property
    def session(self) -> Session:
        """What the whole run shares."""
        return self.desk.session

    @property
    def pane(self) -> Pane | None:
        """The pane in focus."""
        focused = self.focused
        return focused if isinstance(focused, Pane) else None

    def on_mount(self) -> None:
        """Fill the frame, and read once the first frame is out."""
        if self._lines is not None:
            self._lines[1].set_class(not self.views, "-none")
        self._unwatch = self.session.watch(self._session_changed)
        if self.begins_at:
            self.start_at(self.begins_at)
        self.call_after_refresh(self._open)

    def _open(self) -> None:
        self.opened()
        self.read_again()

    def _session_changed(self) -> None:
        # Nobody sees a place under another one; it follows when it comes to the front.
        if self.desk.here is not self:
            return
        self._mark_what_waits()
        if self.session.rearranges and self.app.screen is not self:
            # Its dialog tells how far it is: u is looked up once, not with each of many requests.
            self.refresh_head()
        else:
            self.refresh_frame()

    def _mark_what_waits(self) -> None:
        """Show what waits by now where it is about something that is shown."""
        marks, merges = self.session.outbox.marks, self.session.merges_when_ready
        if marks is not self._marks or merges is not self._merges:
            self._marks, self._merges = marks, merges
            for pane in tuple(self.mounted_panes):
                pane.waits_changed()
            self.waits_changed()

    def on_unmount(self) -> None:
        """Stop listening and reading."""
        self._unwatch()
        self.reads.stop_all()

    def on_screen_resume(self) -> None:
        """Show what changed while another place was in front."""
        self.reads.shown_at = self.reads.shown_at or desk_of(self).keyboard.clock()
        self._mark_what_waits()
        self.refresh_frame()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Follow the focus: a hidden part shows while it has it, the footer is that of the pane."""
        self.bring_forward(event.widget)
        self.refresh_frame()

    def show_pane(self, pane: Pane) -> None:
        """Give a pane the focus, also one whose part is hidden for lack of room."""
        # What is hidden takes no focus: its part shows before that.
        self.bring_forward(pane)
        if self.has_class("-in-side"):
            self.remove_class("-no-side")
        # At once: the key that comes next is for this pane.
        self.set_focus(pane)

    def frame_soon(self) -> None:
        """Bring the frame up to date once keys pause: guards may cost more than a cursor move."""
        self.reads.pause.ask()

    def follow_cursor(self, rows: Pane) -> None:
        """Show the details of the row under a list's cursor, and read the missing parts."""
        self.show_details()

    def show_details(self) -> None:
        """Show what belongs to the row under the cursor, where there is one list of rows."""

    def refresh_frame(self) -> None:
        """Have the frame brought up to date: once for all that asks for it before it is drawn."""
        self.prepare_drawing()

    def before_drawing(self) -> None:
        """Bring the frame up to date, since somebody asked for it."""
        self.update_frame()

    def update_frame(self) -> None:
        """Bring the lines of the frame up to date at once; what shows beside them as well."""
        if not self.framed or self._lines is None:
            return
        self.reads.follow()
        head, views, status, foot = self._lines
        views.set_class(not self.views, "-none")
        for line in (views, head, status, foot):
            line.update()

    def refresh_head(self) -> None:
        """Bring the header up to date: ages grow by themselves."""
        if self.framed and self._lines is not None:
            self._lines[0].update()

    @property
    def framed(self) -> bool:
        """Whether the lines of the frame are there: not before, and not while it is taken down."""
        return self._lines is not None and all(line.is_attached for line in self._lines)

    @property
    def status(self) -> Status:
        """The line with messages, which is there where the place is `framed`."""
        assert self._lines is not None
        return self._lines[2]

    def say(self, text: str, tone: Tone | str = "") -> None:
        """Show a sentence, ``good``, ``warn``, ``bad`` or plain; what a poll brings shows none."""
        if self.framed and not self.reads.hushed:
            self.status.say(text, tone)

    @property
    def said(self) -> str:
        """The sentence in the status line; empty for none."""
        return self.status.message if self.framed else ""

    @property
    def shows_error(self) -> bool:
        """Whether the status line shows an error that there was no time to read."""
        return self.framed and self.status.shows_error

    def unsay(self, text: str) -> None:
        """Forget a message that is no longer so, if it is still the last."""
        if self.framed and (status := self.status).message == text:
            status.clear(young=True)

    def tell(self, text: str, tone: Tone | str = "") -> None:
        """Say something from a worker, on the place that is in front when it says it."""
        front = self.app.screen
        (front if isinstance(front, Place) else self).say(text, tone)

    def clear_message(self, *, young: bool = False) -> None:
        """Forget the last message; the next key does that, but for an error that is ``young``."""
        if self.framed:
            self.status.clear(young=young)

    def show_keys(self, text: str | Text) -> None:
        """Show what a begun chord or word may become."""
        if self.framed:
            self.status.keys = text
            self.status.update()

    def set_views(self, views: Sequence[View], current: str | None = None) -> None:
        """Name the views; ``current`` is the one shown (else the first stays or is taken)."""
        self.views = views
        ids = [view.id for view in views]
        if current is not None:
            self.view = current
        elif self.view not in ids and ids:
            self.view = ids[0]
        self.refresh_frame()

    def step_view(self, by: int) -> None:
        """Go that many views on, around the end."""
        ids = [view.id for view in self.views]
        at = ids.index(self.view) if self.view in ids else 0
        self.choose_view(ids[(at + by) % len(ids)])

    def step_within(self, *, closes: bool) -> bool:
        """Step back inside the screen; False leaves it. ``closes`` tells q, to leave, from Esc."""
        return any(each.step_within() for each in self.commands)

    async def open_search(self) -> None:
        """Open the field that filters the list, or searches the text, in focus."""
        await self.desk.open_search()

    def gone_to(self) -> None:
        """Show what the target names again: somebody went here while it was open already."""

    def choose_view(self, id: str) -> None:
        """Go to a view."""
        if id != self.view:
            self.view = id
            self.refresh_frame()
            self.view_changed()

    # Reading and writing

    def reload(self) -> None:
        """Read what the place shows: once it opens, and on ``R``."""

    @property
    def unread_yet(self) -> bool:
        """Whether something of it is being read: what lacks now may be there soon."""
        return self.reads.unread_yet

    def read_again(self, *, by_hand: bool = True) -> None:
        """Read what the place shows: `reload` by hand, else a quiet `poll`."""
        self.reads.again(by_hand=by_hand)

    def poll(self) -> None:
        """Read again what may have changed by now, because its time has come.

        Nothing may move, flash or be forgotten: new rows wait for ``.``. A place that shows more
        than lists overrides this, and one that wants none does nothing in it. Reads begun here say
        nothing when they are slow or fail.
        """
        self.reads.poll()

    def arrived_later(self) -> None:
        """Show a write of this place that arrived on a later try."""
        self.read_again()


def place_of(node: DOMNode) -> Place:
    """Return the place that a part of it is in, or that a dialog stands on."""
    stack = (node.screen, *reversed(node.app.screen_stack))
    return next(screen for screen in stack if isinstance(screen, Place))


class Writer:
    """The writes of a place."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def perform(
        self,
        what: str,
        target: str,
        send: Callable[[Api], Awaitable[T]],
        *,
        reversal: Reversal | Callable[[T], Reversal | None] | None = None,
        recall: bool = False,
        group: str = "",
        trace: Trace | None = None,
        done: str = "",
        look: Callable[[Api], Awaitable[T | None]] | None = None,
        then: Callable[[T], None] | None = None,
        draft: str = "",
        expects: Expectation | None = None,
        now: bool = False,
        several: bool = False,
        aged: bool = False,
    ) -> T:
        """Write something: logged under ``@``, never lost by leaving the place.

        ``reversal`` takes it back when the user presses ``u``, also in a later run. Says ``done``
        (or that it is) then. The others are those of `Writes.perform`; where a write from the same
        draft may have arrived, the user is asked first. Raises `WriteError` when it is not known to
        have happened; an action may let that pass: it is told.
        """
        from textual.worker import NoActiveWorker, get_current_worker

        self._place.desk.keyboard.ahead.sends()
        await self._ask_again(draft)
        try:
            owner: object = get_current_worker()
        except NoActiveWorker:
            owner = None
        api = await self._place.session.ready()
        tried = False

        def arrived(result: T) -> None:
            if then is not None:
                then(result)
            if tried and self._place.is_attached:
                self._place.arrived_later()

        sending = self._place.session.writes.perform(
            what,
            target,
            lambda: send(api),
            reversal=reversal,
            recall=recall,
            group=group,
            trace=trace,
            owner=owner,
            look=None if look is None else (lambda: look(api)),
            then=arrived,
            draft=draft,
            expects=expects,
            now=now,
            several=several,
            aged=aged,
        )
        try:
            result = await sending
        finally:
            tried = True
        self._place.tell(done or f"Done: {what.lower()} {target}", "good")
        return result

    async def send(
        self,
        write: Write[T],
        *,
        recall: bool = False,
        group: str = "",
        then: Callable[[T], None] | None = None,
        draft: str = "",
        aged: bool = False,
    ) -> T:
        """Perform a write that commands send too. Raises `WriteError`."""
        return await self.perform(
            write.what,
            write.target,
            write.send,
            reversal=write.reversal,
            recall=recall,
            group=group,
            trace=write.trace,
            done=write.done,
            look=write.look,
            then=then,
            draft=draft,
            expects=write.expects,
            aged=aged,
        )

    async def _ask_again(self, draft: str) -> None:
        """Ask first where this text may have arrived already. Raises `WriteError` on a no."""
        before = self._place.session.writes.unknown_of(draft)
        if before is not None and not await self._place.desk.confirm_again(before):
            raise WriteError("Not sent: what you wrote is kept (:drafts).")
