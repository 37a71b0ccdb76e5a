"""The keys that mean the same in every place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from copydesk.domain.address import is_unserved, web_address
from copydesk.domain.text import clean, ordinal, plural, same_name
from copydesk.local import browser
from copydesk.present.raw_json import Raw
from copydesk.session.cached_reads import about_cache, clear_cache
from copydesk.session.errors import STILL_READING
from copydesk.session.target import Target
from copydesk.tui.framework.actions import JUMPS, Commands, NoRowYet, action, command, declaring
from copydesk.tui.framework.frame import Part
from copydesk.tui.framework.keyboard import run
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.pane import Pane, went_on

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place


def _here(owner: Any) -> Place:
    return cast("Place", owner)


def no_pane(owner: Any) -> str | None:
    """Say so when nothing that scrolls has the focus."""
    return None if _here(owner).pane is not None else "No pane has the focus. Tab goes to one."


def no_rows_yet(owner: Any) -> str | None:
    """Say so while what the cursor moves over is still being read."""
    pane = _here(owner).pane
    return None if pane is None or not pane.not_yet else NoRowYet(STILL_READING)


TO_MOVE = (no_pane, no_rows_yet)


def one_view(owner: Any) -> str | None:
    """Say so when there are no other views."""
    return None if len(_here(owner).views) > 1 else "This screen has one view."


def no_search(owner: Any) -> str | None:
    """Say so when nothing is searched for."""
    pane = _here(owner).pane
    return None if pane is not None and pane.found else "No search yet. / starts one."


def no_url(owner: Any) -> str | None:
    """Say so when the selection has no address that a browser should be given."""
    here = _here(owner)
    url = here.url()
    if url:
        said = "Its address is not a web address: it is neither opened nor copied."
        return None if web_address(url) else said
    main = next(iter(here.query(".-main Pane").results(Pane)), None)
    if any(pane is not None and pane.on_nothing for pane in (here.pane, main)):
        return no_rows_yet(owner) or "Nothing is selected."
    return "This has no address on the web."


UNSERVED = "No browser reaches this desk. y copies the address for copydesk URL."


def unserved_url(owner: Any) -> str | None:
    """Say so when no browser can reach the address: it is of a desk that nobody serves."""
    return UNSERVED if is_unserved(web_address(_here(owner).url())) else None


def withheld_url(owner: Any) -> str | None:
    """Say so when the address may be opened, but is neither shown nor copied now."""
    return _here(owner).withheld()


def copied(here: Place) -> Sequence[tuple[str, str]]:
    """Return what a place offers to be copied, without what is empty."""
    return [(name, text) for name, text in here.copies() if text]


def nothing_to_copy(owner: Any) -> str | None:
    """Say so when the selection has nothing to copy."""
    here = _here(owner)
    some = copied(here) or any(each.passages() for each in here.commands)
    return None if some else "There is nothing to copy here."


def no_json(owner: Any) -> str | None:
    """Say so when there is nothing here that the service keeps as JSON."""
    here = _here(owner)
    shown = here.raw() is not None or here.reads.misread.items
    return None if shown else "There is nothing here to show as JSON."


def raw_operations() -> Sequence[str]:
    """Return the operations that some place reads JSON with."""
    # A place may declare no action itself, but in its commands.
    places = (owners for _, owners in tuple(JUMPS.values()))
    classes = {*declaring(), *(kind for owners in places for kind in owners)}
    return sorted({name for cls in classes for name in getattr(cls, "RAW", ())})


def _source(owner: Any) -> Any:
    """Return the source of the rows of the pane that has the focus; None where it has none."""
    return getattr(_here(owner).pane, "source", None)


def nothing_new(owner: Any) -> str | None:
    """Say so when nothing waits to be folded in."""
    source = _source(owner)
    return None if source is not None and source.waiting else "No new rows."


_LISTS = " :undo lists what earlier runs wrote."


def nothing_to_undo(owner: Any) -> str | None:
    """Say so when no write of this run can be recalled or taken back."""
    session = _here(owner).session
    if (
        session.writes.waits
        or session.reversals.unsettled()
        or session.reversals.undoable()
        or session.reversals.left_over()
    ):
        return None
    earlier = any(past.standing == "done" for past in session.history.known.values())
    final = session.reversals.final()
    if final is not None:
        instead = " :revert in its review reverts it." if final.what == "Merge" else ""
        return f"{final.what} {final.target} cannot be undone.{instead}{_LISTS if earlier else ''}"
    return f"Nothing to undo.{_LISTS if earlier else ''}"


def nothing_to_redo(owner: Any) -> str | None:
    """Say so when nothing was taken back that can be done again."""
    session = _here(owner).session
    if session.reversals.redoable():
        return None
    gone = session.reversals.unmade()
    if not gone:
        return "Nothing to redo."
    more, verb = (f" and {len(gone) - 1} more", "are") if len(gone) > 1 else ("", "is")
    return f"No redo: {clean(gone[0].entry.target)}{more} {verb} gone since u. Stage it again."


def no_last_place(owner: Any) -> str | None:
    """Say so when this is the first place of the run."""
    return None if _here(owner).desk.visits.back else "This is the first screen you opened."


def nowhere_ahead(owner: Any) -> str | None:
    """Say so when nothing was stepped back from."""
    if _here(owner).desk.visits.ahead:
        return None
    return "There is no later screen: - goes back, and _ comes forward again."


def no_token(owner: Any) -> str | None:
    """Say so where there is no token to be changed."""
    if _here(owner).session.token is None:
        return "This is the desk on this machine: it takes no token. :profile goes to a service."
    return None


class CommonCommands(Commands, scope="place"):
    """The actions of every place. A place, or its own commands, may override them."""

    OVERRIDES = False

    place: Place

    @action("j", "down", unless=TO_MOVE, show=False, group="Move", also=("down",))
    def down(self) -> None:
        """Go to the next row or line."""
        self._move("move", 1)

    @action("k", "up", unless=TO_MOVE, show=False, group="Move", also=("up",))
    def up(self) -> None:
        """Go to the previous row or line."""
        self._move("move", -1)

    @action("g g", "first", word="first", unless=TO_MOVE, show=False, group="Move", also=("home",))
    def move_first(self) -> None:
        """Go to the first row or line."""
        self._move("move_first")

    @action("G", "last", word="last", unless=TO_MOVE, show=False, group="Move", also=("end",))
    def move_last(self) -> None:
        """Go to the last row or line; a long list is read to its end, Esc stops that."""
        self._move("move_last")
        base = getattr(_source(self.place), "base", None)
        if isinstance(base, PagedSource) and not base.complete:
            left = None if base.count is None else base.count - base.loaded
            if left is None or left > base.limit:
                rows = "all other rows" if left is None else f"{left:,} more rows"
                self.place.say(
                    f"The service gives this list from its top only: reading {rows}. Esc stops."
                )

    @action("ctrl+d", "half page down", unless=TO_MOVE, show=False, group="Move")
    def half_down(self) -> None:
        """Go down half a page."""
        self._move("move_page", 0.5)

    @action("ctrl+u", "half page up", unless=TO_MOVE, show=False, group="Move")
    def half_up(self) -> None:
        """Go up half a page."""
        self._move("move_page", -0.5)

    @action("pagedown", "page down", unless=TO_MOVE, show=False, group="Move", also=("ctrl+f",))
    def page_down(self) -> None:
        """Go down a page."""
        self._move("move_page", 1.0)

    @action("pageup", "page up", unless=TO_MOVE, show=False, group="Move")
    def page_up(self) -> None:
        """Go up a page."""
        self._move("move_page", -1.0)

    def _move(self, how: str, *by: float) -> None:
        pane = self.place.pane
        if pane is not None:
            getattr(pane, how)(*by)

    @action("tab", "next pane", show=False, group="Move")
    def next_pane(self) -> None:
        """Go to the next pane."""
        self.place.desk.step_pane(1)

    @action("shift+tab", "previous pane", show=False, group="Move")
    def previous_pane(self) -> None:
        """Go to the previous pane."""
        self.place.desk.step_pane(-1)

    @action("]", "next view", unless=one_view, show=False, group="Views")
    def next_view(self) -> None:
        """Go to the next view, page or tab."""
        self.place.step_view(1)

    @action("[", "previous view", unless=one_view, show=False, group="Views")
    def previous_view(self) -> None:
        """Go to the previous view, page or tab."""
        self.place.step_view(-1)

    @action("1", "view by number", unless=one_view, show=False, group="Views",
            also=tuple("23456789"))  # fmt: skip
    def numbered_view(self) -> None:
        """Go to a view by its number."""
        place = self.place
        key = place.desk.keyboard.key
        number = int(key) if key in {*"123456789"} else 0
        if not number:  # from the palette, or by a key of the reader's own
            place.say("Press the number of a view, or type :view and its name.")
        elif number > len(place.views):
            place.say(f"There are {len(place.views)} views.", "warn")
        else:
            place.choose_view(place.views[number - 1].id)

    @command("view", "NAME", complete=lambda owner: [view.title for view in _here(owner).views])
    def go_view(self, rest: str) -> None:
        """Go to a view by name or number."""
        place, views = self.place, self.place.views
        if 0 < (number := ordinal(rest)) <= len(views):
            place.choose_view(views[number - 1].id)
            return
        for view in views:
            if any(same_name(name, rest) for name in (view.id, view.title, view.short) if name):
                place.choose_view(view.id)
                return
        there = ", ".join(view.title for view in views) or "none"
        place.say(f"No view has the name {rest!r}. There are: {there}.", "warn")

    @action("/", "filter", word="filter", unless=no_pane, show=5, group="Find", inline=True)
    async def search(self) -> None:
        """Filter a list or search a text as you type; Enter keeps it, Esc ends it."""
        await self.place.open_search()

    @action("n", "next match", unless=no_search, show=False, group="Find")
    def next_match(self) -> None:
        """Go to the next match, around the end; in a review over all changed pages."""
        self._step_match(1)

    @action("N", "previous match", unless=no_search, show=False, group="Find")
    def previous_match(self) -> None:
        """Go to the previous match, as n goes to the next."""
        self._step_match(-1)

    def _step_match(self, by: int) -> None:
        found = None if self.place.pane is None else self.place.pane.find_next(by)
        if found == "":
            self.place.say("No other match.", "warn")
        elif found == "around":
            self.place.say(went_on(by))

    @action(":", "go", show=4, group="Find", inline=True, uses=("get_content_by_url", "get_space"))
    async def command_line(self) -> None:
        """Open the command line: a screen, a command, or a name; Tab completes."""
        await self.place.desk.open_command_line()

    @action("ctrl+p", "palette", show=False, group="Find", uses="get_space")
    async def palette(self) -> None:
        """Open the palette: actions, screens and names, found by a few letters."""
        await self.place.desk.open_palette()

    @action("?", "help", show=100, group="Find")
    def help(self) -> None:
        """List every key of this screen, with the reason where one is off."""
        self.place.desk.open_help()

    @action("R", "refresh", show=2, group="Look")
    def refresh(self) -> None:
        """Read this screen again. Nothing moves under the cursor."""
        place = self.place
        # What it said before is what is asked again now.
        place.clear_message(young=True)
        place.read_again()

    @action(".", "show new", unless=nothing_new, show=False, group="Look")
    def show_new(self) -> None:
        """Bring in the rows that arrived since."""
        _source(self.place).fold()

    @action("p", "preview", show=False, group="Look")
    def preview(self) -> None:
        """Show or hide the pane with details."""
        self.place.toggle_class("-no-side")

    @action("P", "preview below", show=False, group="Look")
    def preview_side(self) -> None:
        """Put the pane with details at the side or at the bottom."""
        self.place.toggle_class("-below")

    @action("o", "browser", word="browser",
            unless=(no_url, unserved_url), show=3, group="Share", takes="one")  # fmt: skip
    def browse(self) -> None:
        """Open the selected object in the browser."""
        place = self.place
        url = web_address(place.url())
        place.desk.open_url(url)
        place.say("Opened in the browser." if place.withheld() else f"Opened “{url}”")

    @action("y", "copy url", unless=(no_url, withheld_url), show=3, group="Share", takes="one")
    def copy_url(self) -> None:
        """Copy the address of the selected object."""
        place = self.place
        place.desk.copy(web_address(place.url()))
        if note := place.copy_note():
            place.say(note, "warn")

    @action("Y", "copy…", unless=nothing_to_copy, show=False, group="Share", takes="one")
    async def copy_menu(self) -> None:
        """Choose what to copy: address, id, title, link; in a review a thread, a hunk, a table."""
        from copydesk.session.options import Option

        place = self.place
        passages = {each.name: each for owner in place.commands for each in owner.passages()}
        copies = dict(copied(place))
        options = [Option(each.name, each.name, each.note) for each in passages.values()]
        options += [Option(name, name, clean(text, limit=200)) for name, text in copies.items()]
        chosen = await place.desk.choose("Copy", options)
        if chosen in passages:
            text = await passages[chosen].text()
            place.desk.copy(text, f"{chosen}, {plural(len(text.splitlines()), 'line')}")
        elif chosen is not None:
            place.desk.copy(copies[chosen])

    @action("g j", "JSON", word="json",
            unless=no_json, show=False, group="Look", uses=raw_operations)  # fmt: skip
    async def show_raw(self) -> None:
        """Show the JSON of the row under the cursor, to search and copy.

        Where some of a list could not be read, it asks whether to show these instead.
        """
        from copydesk.session.options import Option

        place = self.place
        raw, items = place.raw(), list(place.reads.misread.items)
        shown = [] if raw is None else [raw]
        if items:
            title = f"{plural(len(items), 'item')} not understood"
            # Without a row nobody has chosen to see people's data in clear.
            shown.insert(0, Raw(title, value=items, masked=raw is None or raw.masked))
        chosen: str | None = "0"
        if len(shown) > 1:
            options = [Option(str(at), each.title) for at, each in enumerate(shown)]
            chosen = await place.desk.choose("JSON", options)
        if shown and chosen is not None:
            await place.desk.open_json(place.target, shown[int(chosen)])

    @command("json")
    async def show_raw_by_word(self, rest: str) -> None:
        """Show the JSON of the row under the cursor, as the service gives it."""
        await run(self, self.ACTIONS["show_raw"])

    @command("whoami", uses=("get_current_user", "get_api_information"))
    async def show_me(self, rest: str) -> None:
        """Show who is signed in, where, with which kind of token, and the service's version."""
        await self.place.desk.show_me()

    @command("search", "WORDS", uses="search_organization")
    async def search_for(self, rest: str) -> None:
        """Search all pages of the organization, or of a space there; a result opens its page."""
        place = self.place
        target = Target(place.session.organization, place.space_at_hand(), item=rest or None)
        await place.desk.go("search", target)

    @command("cache", "clear", complete=lambda here: ("clear",))
    async def show_cache(self, rest: str) -> None:
        """Show the size of the cache on this machine, or discard it: :cache clear."""
        place = self.place
        if rest not in ("", "clear"):
            place.say(f"There is no :cache {rest}. :cache clear clears it.", "warn")
            return
        place.say(await (clear_cache if rest else about_cache)(place.session))

    @command("requests")
    def show_requests(self, rest: str) -> None:
        """Show the calls of the last minutes with screen and reason, and the budget left."""
        self.place.desk.open_requests()

    @command("log")
    def show_log(self, rest: str) -> None:
        """Show every write of this run."""
        self.activity()

    @command("theme")
    async def choose_theme(self, rest: str) -> None:
        """Choose the colours: each theme is drawn while the cursor is on it."""
        desk = self.place.desk
        await desk.go("settings", Target())
        if desk.here is not None:
            desk.keyboard.ahead.resume(desk.here, "theme")

    @command("profile", "NAME", complete=lambda owner: _here(owner).desk.profile_names)
    async def change_profile(self, rest: str) -> None:
        """Work with another service, or the own desk: choose its profile, or name it."""
        await self.place.desk.change_profile(rest)

    @action("ctrl+g", "token…", word="token", unless=no_token, show=False, group="Look")
    def fix_token(self) -> None:
        """Type another token, where the service refuses this one. All that was typed stays."""
        self.place.desk.open_token()

    @action("u", "undo", unless=nothing_to_undo, show=False, group="Write")
    async def undo(self) -> None:
        """Recall a write that is not sent yet, else undo the last write that can be undone."""
        await self.place.desk.undo()

    @action("ctrl+r", "redo", unless=nothing_to_redo, show=False, group="Write", also=("Z",))
    async def redo(self) -> None:
        """Redo the write undone last."""
        await self.place.desk.redo()

    @action("@", "log", word="log", show=1, group="Look")
    def activity(self) -> None:
        """Show every write of this run, and send failed ones again."""
        self.place.desk.open_activity()

    @action("M", "merge run", word="merge_run", show=False, group="Go", inline=True)
    async def open_merge_run(self) -> None:
        """Go to the merge run: its plan, its progress, and where it stopped."""
        await self.place.desk.go("merge-run")

    @action("-", "last screen", unless=no_last_place, show=False, group="Go", inline=True)
    async def last_screen(self) -> None:
        """Go to the screen before this one, step by step, with its cursor; _ comes forward."""
        await self.place.desk.step_visit(forward=False)

    @action("_", "next screen", unless=nowhere_ahead, show=False, group="Go", inline=True)
    async def next_screen(self) -> None:
        """Go forward again to the screen that - went back from."""
        await self.place.desk.step_visit(forward=True)

    @action("escape", "back", word="back", show=False, group="Go", inline=True)
    async def step_back(self) -> None:
        """Step back: stop a slow read, end the search or filter, else leave the screen."""
        if not self.place.step_within(closes=False):
            await self.place.desk.step_back(quits=False)

    @action("q", "back", word="leave", show=1, group="Go", inline=True)
    async def close_place(self) -> None:
        """Step back as Esc does; on the first screen, quit."""
        if not self.place.step_within(closes=True):
            await self.place.desk.step_back(quits=True)

    @action("Q", "quit", show=False, group="Go", also=("ctrl+q",))
    def quit(self) -> None:
        """Quit. Typed text is kept."""
        self.place.desk.leave()

    @command("manual")
    async def open_manual(self, rest: str) -> None:
        """Read the manual, offline, in these screens; q there comes back to where you were."""
        await self.place.desk.change_profile("", manual=True)

    @command("quit")
    def quit_by_word(self, rest: str) -> None:
        """Quit, as Q does."""
        self.place.desk.leave()

    @action("ctrl+c", "quit (twice)", show=False, group="Go")
    def interrupt(self) -> None:
        """Press it twice to quit."""
        self.place.desk.interrupt()

    @action("ctrl+z", "suspend", show=False, group="Go")
    def suspend(self) -> None:
        """Go back to the shell; fg returns."""
        if browser.window is not None:
            self.place.say("A browser has no shell to go back to.", "warn")
        elif not os.isatty(0):  # lines on a pipe: no shell would say fg
            self.place.say("There is no shell here to go back to.", "warn")
        else:
            self.place.desk.action_suspend_process()

    @action("ctrl+l", "redraw", show=False, group="Look")
    def redraw(self) -> None:
        """Draw the whole screen again."""
        self.place.desk.redraw()


class DetailsCommands(Commands, scope="beside"):
    """Commands of a place with a list in its main part and details in the part at its side."""

    place: Place

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details of the row; Esc or Tab comes back."""
        place = self.place
        place.remove_class("-no-side")
        beside = [pane for pane in place.query(".part.-side Pane").results(Pane) if pane.display]
        if not beside or place.pane in beside:
            place.desk.step_pane(1)
        else:
            place.show_pane(beside[0])

    def step_within(self) -> bool:
        """Step back from the details to the list."""
        place = self.place
        pane = place.pane
        if pane is None or pane.found or place.status.slow:
            return False
        part = next((node for node in pane.ancestors if isinstance(node, Part)), None)
        if part is None or part.role != "side":
            return False
        place.query_one(".part.-main").query(Pane).first().focus()
        return True
