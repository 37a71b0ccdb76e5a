"""The outbox: what waits to be sent, why, and what to do with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.inverses import edited, put_in
from copydesk.domain.moments import age, moment
from copydesk.domain.reversal import reversal_of
from copydesk.domain.sure import sure
from copydesk.domain.text import capital, clean, plural
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import belonging, outbox_key
from copydesk.session.errors import UNKNOWN, WAITS
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.session.writes.outbox import body_of, ids_of
from copydesk.session.writes.undo import way_back_in
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import offered
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.system.drafts import readable
from copydesk.tui.widgets.list import Column, VirtualList, by_content
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Body
    from copydesk.local.journal import Entry
    from copydesk.session.writes.outbox import Outbox
    from copydesk.tui.framework.desk_app import DeskApp


STATES = {
    "": ("waiting", "muted"),
    "changed": ("held", "warn"),
    "untold": ("asks", "warn"),
    "refused": ("refused", "bad"),
    "other": ("held", "warn"),
    "lost": ("unknown", "warn"),
}
"""What is shown of why something waits, and its tone."""

BODY_LIMIT = 20_000
"""Characters of a body that are shown."""

PLACES = (
    ("change_request", "review"),
    ("site", "site-settings"),
    ("space", "pages"),
    ("organization", "organization"),
)
"""Where what a request is about is shown, by the id that it names; the first one holds."""


def state_of(entry: Entry) -> tuple[str, str]:
    """Return how a write in the outbox stands, in a word, and its tone."""
    if entry.state == "sending":
        return "sending", "warn"
    if entry.state == "unknown":
        return "unknown", "warn"
    return STATES[entry.held]


def state_cell(entry: Entry) -> Text:
    """Return how it stands, for the list."""
    word, tone = state_of(entry)
    return Text(word, style=tone)


def first_words(entry: Entry) -> str:
    """Return how its text begins, on one line; empty where it has none."""
    said = readable(belonging(entry.draft), entry.text) if entry.text else ""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "")
    return clean(line, limit=200)


def text_in_it(entry: Entry) -> str:
    """Return the text that it says, where that is what its draft was; else "".

    A draft may also be what was typed into the fields of a form.
    """
    text = entry.text.strip()
    body = body_of(entry)
    return text if text and _holds(body, text) else ""


def about(entry: Entry) -> str:
    """Return in words what it says: its text as it was typed, else the JSON that it sends."""
    if entry.text:
        return readable(belonging(entry.draft), entry.text)
    body = body_of(entry)
    if body is None:
        return "Nothing but the request itself is sent."
    shown = json.dumps(body, indent=2, ensure_ascii=False)
    return f"```\n{shown[:BODY_LIMIT]}\n```"


def goal(entry: Entry) -> tuple[str, Target] | None:
    """Return the place and target of a write's subject; None where it is not known."""
    belongs = belonging(entry.draft) if entry.draft else None
    if belongs is not None:
        return belongs.place, belongs.target
    ids = ids_of(entry)
    target = Target(
        organization=ids.get("organization"),
        space=ids.get("space"),
        change_request=ids.get("change_request"),
        site=ids.get("site"),
        thread=ids.get("comment"),
    )
    if target.space and target.thread and not target.change_request:
        return "space-comments", target
    name = next((place for id_of, place in PLACES if ids.get(id_of)), None)
    return None if name is None else (name, target)


def _holds(body: Any, text: str) -> bool:
    match body:
        case str():
            return body.strip() == text
        case dict():
            return any(_holds(each, text) for each in body.values())
        case list():
            return any(_holds(each, text) for each in body)
    return False


STAYS = "The write stays in the outbox (g x)."


async def send_waiting(app: DeskApp, entry_id: str) -> None:
    """Send what waits under an id, also if the thing was changed since, and say what came of it.

    It is looked for first: what is there already is not sent again. Where reading does not tell
    whether it arrived, it asks; that the thing was changed since is told before it is sent, then.
    """
    outbox = app.session.outbox
    said = await outbox.send(entry_id, anyway=True, tell=False)
    left = outbox.items.get(entry_id)
    if left is not None and left.state == "unknown" and not app.session.offline:
        if await _is_sure(app, left):
            said = await outbox.send(entry_id, sure=True, tell=False)
            left = outbox.items.get(entry_id)
        else:
            said = f"Not sent. {STAYS}"
    if app.here is not None:
        app.here.tell(said or STAYS, "good" if left is None else "warn")


async def _is_sure(app: DeskApp, entry: Entry) -> bool:
    return await confirm_resend(
        app,
        clean(entry.what),
        entry.target,
        f"{UNKNOWN}: the try at {entry.moment.astimezone():%H:%M} had no answer.",
        "Reading does not show it by now. Look first whether it is there.",
    )


async def confirm_resend(app: DeskApp, what: str, target: str, *said: Fact) -> bool:
    """Ask whether to send what may have arrived, which could then be there twice."""
    sheet = Confirm(
        f"Send again: {what}",
        [Text(clean(target), style="strong"), "", *said],
        verb="send again",
        warning="If it did arrive, it may then be there twice.",
    )
    agreed: bool | None = await app.push_screen_wait(sheet)
    return agreed is True


FIRST = {
    "": "Sent by itself with the next answer of the service.",
    "unknown": "No answer came. It is looked for before anything is sent again.",
}
"""The first message of a waiting write, by its state."""


def none_selected(here: OutboxPlace) -> str | None:
    """Say so when nothing is under the cursor."""
    return None if here.entry is not None else "Nothing waits here."


def nothing_waits(here: OutboxPlace) -> str | None:
    """Say so when there is nothing that could be sent."""
    return None if here.outbox.count else "Nothing waits to be sent."


def is_sending(here: OutboxPlace) -> str | None:
    """Say so while it is being gone through."""
    return "The outbox is being sent." if here.outbox.busy else None


def not_editable(here: OutboxPlace) -> str | None:
    """Return why the write under the cursor cannot be edited; None where it can."""
    entry = here.entry
    if entry is not None and entry.state == "unknown":
        return "The write may have arrived: s finds out first."
    if entry is not None and body_of(entry) is None:
        return "There is nothing in it to edit. D takes it out."
    return None


@place("outbox", key="x", title="Outbox")
class OutboxPlace(Place, scope="outbox"):
    """The writes that did not arrive, and those that may have."""

    OF_DESK = False

    _unwatch: Callable[[], None] = staticmethod(lambda: None)
    _shown: tuple[Entry, ...] = ()

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[Entry] = VirtualList(
            ListSource(key=lambda entry: entry.id),
            self._columns(()),
            title="Outbox",
            empty="Nothing waits to be sent. What you write without a connection waits here.",
            id="outbox",
        )
        self.text = TextView(title="About it", empty="Nothing is selected.", literal=True)
        yield Part("main", self.rows)
        yield Part("side", self.text)

    def _columns(self, entries: Sequence[Entry]) -> list[Column[Entry]]:
        """Return the columns; short ones leave their room to the subject."""
        longest = max((cell_len(first_words(each)) for each in entries), default=0)
        what: Column[Entry] = Column("what", "WHAT", lambda entry: clean(entry.what), width=8)
        return [
            Column("state", "STATE", state_cell, width=8),
            by_content(what, entries, most=16),
            Column("target", "TARGET", lambda entry: clean(entry.target), flex=1, minimum=20),
            Column("text", "TEXT", first_words, 14, drop=1, most=min(longest, 32)),
            Column("age", "AGE", self._age, width=6, align="right"),
        ]

    @property
    def outbox(self) -> Outbox:
        return self.session.outbox

    @property
    def entry(self) -> Entry | None:
        """What is under the cursor, as it stands now."""
        row = self.rows.selected
        return None if row is None else self.outbox.items.get(row.id)

    def opened(self) -> None:
        self._unfollow = self.session.watch(self._follow)

    def _follow(self) -> None:
        """Show what has changed; also called by threads that put drafts away."""
        if self._shown != tuple(self.outbox.items.values()):
            self.call_later(self.show)

    def on_unmount(self) -> None:
        self._unfollow()

    def _age(self, entry: Entry) -> Text:
        return Text(age(entry.moment, self.session.clock()), style="muted")

    def requeued(self) -> None:
        self.reload()

    def reload(self) -> None:
        """Read the journal, which other runs of copydesk write too."""
        self.reads.load("outbox", lambda api: self._read(), lambda _: self.show(), what="Reading",
                  local=True)  # fmt: skip

    async def _read(self) -> None:
        if not self.outbox.busy:
            await self.outbox.look()

    def poll(self) -> None:
        """Ask whether the service is there again: what waits goes with its answer."""
        self.reads.load("contact", self._ask, lambda _: None, what="Asking the service")

    async def _ask(self, api: Api) -> None:
        await api(ops.list_organizations, limit=1)
        self.session.fresh()

    def read_again(self, *, by_hand: bool = True) -> None:
        """Read what waits; by hand the service is asked too."""
        super().read_again(by_hand=by_hand)
        if by_hand:
            self.poll()

    def show(self) -> None:
        if not self.is_attached:
            return
        source = self.rows.source.listed
        self._shown = tuple(self.outbox.items.values())
        source.merge(list(self._shown))
        source.fold()  # all of it was done by this hand: nothing is news
        source.fresh.clear()
        self.rows.columns = tuple(self._columns(self._shown))
        self.rows.refresh_rows()
        self.show_details()
        self.frame_soon()

    def show_details(self) -> None:
        entry = self.entry
        self.text.set_text("" if entry is None else self._about(entry))

    def _about(self, entry: Entry) -> str:
        said = entry.sentence.removeprefix(f"{WAITS}: ")
        said = capital(said) or FIRST.get(entry.state, FIRST[""])
        written = moment(entry.moment, self.session.clock())
        lines = [
            f"**{clean(entry.what)}** {clean(entry.target)}",
            f"{offered(self.text, clean(said, lines=True))} Written {written}.",
            "---",
            about(entry),
        ]
        return "\n\n".join(lines)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        entry = self.entry
        where = None if entry is None else goal(entry)
        if where is None:
            self.say("There is no screen that shows what this is about.", "warn")
            return
        name, target = where
        home = target.organization or self.session.organization
        self.desk.go_soon(name, target.but(organization=home))

    def copies(self) -> list[tuple[str, str]]:
        """Offer the text, else the JSON that is sent."""
        entry = self.entry
        if entry is None:
            return []
        body = body_of(entry)
        return [("text", entry.text)] if entry.text else [("JSON", json.dumps(body, indent=2))]

    def raw(self) -> Raw | None:
        """Return the JSON that waits to be sent: it is on this machine."""
        entry = self.entry
        body = None if entry is None else body_of(entry)
        if entry is None or body is None:
            return None
        return Raw(f"{entry.what} {entry.target}", value=body, source="as it waits here")

    def status_left(self) -> str:
        """Say how much waits for a decision."""
        asks = self.outbox.asks
        return f"{plural(asks, 'write')} waiting until you decide" if asks else ""

    # What to do with it

    @action("s", "send this", unless=(none_selected, is_sending), show=20, danger=1, stages=True)
    async def send_this(self) -> None:
        """Send the write under the cursor now, even if its subject changed since.

        It is looked for first: what is there already is not sent again. Where reading does not tell
        whether it arrived, it asks.
        """
        entry = sure(self.entry)
        self.say("Sending.")
        await send_waiting(self.desk, entry.id)

    @action("ctrl+s", "send all", unless=(nothing_waits, is_sending), show=18, danger=1,
            word="send", stages=True)  # fmt: skip
    async def send_all(self) -> None:
        """Send the waiting writes in order; those that ask you stay until you decide."""
        self.say("Sending.")
        said = await self.outbox.send(tell=False)
        left = self.outbox.count
        self.tell(
            said or f"Nothing was sent: {plural(left, 'write')} waiting.",
            "warn" if left else "good",
        )

    @action("D", "discard", word="discard", unless=(none_selected, is_sending), show=14)
    async def drop(self) -> None:
        """Discard the write under the cursor; its text is a draft again. u puts it back."""
        entry = sure(self.entry)

        async def send(api: Api) -> None:
            await self.outbox.drop(entry.id)

        never_sent = entry.state != "unknown"
        await self.writer.perform(
            "Discard",
            f"{clean(entry.what)} {clean(entry.target)}",
            send,
            reversal=way_back_in(entry.id),
            done="Discarded. u puts it back."
            if never_sent
            else "Discarded: it may have arrived. u puts it back.",
        )
        self.show()

    @action("e", "edit", unless=(none_selected, is_sending, not_editable), danger=1, show=16,
            stages=True, types=True)  # fmt: skip
    async def edit(self) -> None:
        """Edit the write under the cursor: its text, else its fields."""
        entry = sure(self.entry)
        with self.outbox.editing(entry.id):
            if (text := text_in_it(entry)) != "":
                await self._edit_text(entry, text)
            else:
                await self._edit_fields(entry)
        await self.outbox.look()
        self.show()

    async def _edit_text(self, entry: Entry, text: str) -> None:
        from copydesk.tui.dialogs.composer import WriteSheet

        key = outbox_key(entry.id)
        title = f"{clean(entry.what)} {clean(entry.target, limit=50)}"
        sheet = WriteSheet(title, key, text=text, verb="keep")
        said = cast("str | None", await self.desk.push_screen_wait(sheet))
        if said is not None:
            await self._changed(entry, put_in(body_of(entry), text, said), said)
            self.session.drafts.drop(key)

    async def _edit_fields(self, entry: Entry) -> None:
        from copydesk.contract.operations import CATALOGUE
        from copydesk.tui.dialogs.body_form import body_form

        old = body_of(entry)
        operation = CATALOGUE.get(str((entry.request or {}).get("name")))
        if operation is None or operation.body is None or not isinstance(old, dict):
            self.say("There is no form for what this sends. D takes it out.", "warn")
            return

        kind = operation.body.annotation
        model = next(iter(get_args(kind)), kind)

        async def send(body: Body) -> None:
            # It may say something else by now than what it was written as.
            named = operation.name.replace("_", " ").capitalize()
            new = {**old, **json.loads(body.to_json())}
            await self._changed(entry, new, entry.text, what=named)

        await self.desk.push_screen_wait(
            body_form(
                model,
                title=f"{clean(entry.what)} {clean(entry.target, limit=50)}",
                draft_key=outbox_key(entry.id),
                send=send,
                current=old,
                only=() if any(isinstance(each, dict) for each in old.values()) else tuple(old),
                verb="keep",
            )
        )

    async def _changed(self, entry: Entry, body: Any, text: str, *, what: str = "") -> None:
        """Give a waiting write another body and another label."""
        assert entry.request is not None
        request = {**entry.request, "body": json.dumps(body, ensure_ascii=False)}
        changes: dict[str, Any] = {"request": request, "text": text, "what": what or entry.what}
        if entry.reversal is not None:
            way = reversal_of(entry.reversal)
            new = edited(way, body_of(entry), body)
            changes["reversal"] = None if new is None else new.to_dict()
            if new is None and way.before is not None and entry.expects is None:
                changes["expects"] = way.before.to_dict()
        trace = entry.trace or {}
        if beside := trace.get("beside"):
            changes["trace"] = {**trace, "beside": {**beside, "says": text.strip()}}
        elif (says := trace.get("says")) and trace["text"] != "status":
            said = text.strip() if says == entry.text.strip() else says
            changes["trace"] = {**trace, "says": said}
        await self.outbox.change(entry, **changes)
        self.show()
        self.tell("Kept: it waits with what you wrote.", "good")

    def resume_draft(self, part: str) -> None:
        self.rows.select(part)
        entry = self.entry
        if entry is None or entry.id != part:
            self.say("What this text is of waits no longer. Y copies it from the drafts.", "warn")
            return
        begin(self, self.edit, name="outbox.edit")
