"""Writing from the list of change requests: a new one, the subject and description of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.sure import sure
from copydesk.domain.text import plural
from copydesk.present.space_options import space_options
from copydesk.session.cached_reads import live_or_cached
from copydesk.session.change_rows import ChangeRow, row_of
from copydesk.session.draft_keys import about_key, marked_labels_key, new_request_key
from copydesk.session.marks import labels_wrong, marks_reversal, read_labels, relabelled
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import Desk, read_desk
from copydesk.session.writes.bulk import REVERSIBLE, Bulk, NothingToDoError
from copydesk.session.writes.requests import begin_request, begun_as, changing, subject_wrong
from copydesk.tui.changes.commands import is_merged, may_not_change, nothing_selected
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import Commands, action, away, refusal
from copydesk.tui.framework.keyboard import tell_failures
from copydesk.tui.widgets.list import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.changes.screen import ChangesPlace


class RequestEditCommands(Commands, scope="changes"):
    """Starts change requests and edits what they say of themselves; opens drafts of both."""

    place: ChangesPlace

    @action(
        "e", "edit", unless=(nothing_selected, is_merged, may_not_change), danger=1, show=6,
        group="Write", uses=("get_change_request", "update_change_request"), types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Edit the subject and the description as one text: the first line is the subject."""
        row = self.place.rows.selected
        if row is not None:
            await self._edit(row)

    async def _edit(self, row: ChangeRow) -> None:
        from copydesk.domain.plain_documents import is_plain
        from copydesk.session.writes.outbox import GOES_ON
        from copydesk.session.writes.requests import about_text, read_about, update_of
        from copydesk.tui.dialogs.composer import WriteSheet

        key = about_key(row.space, row.id)
        # Asked before it is read: what arrives meanwhile is in what is read, or is known here.
        words = self.place.session.writes.unsent_text(key)
        sent = read_about(words) if words else None
        found = await self.place.reads.now(
            "plan",
            lambda: live_or_cached(
                self.place.session, lambda api: api(ops.get_change_request, row.space, row.id)
            ),
            f"Reading {row.label}",
        )
        if found is None:
            return
        request = found.result
        facts: list[Text | str] = ["The first line is the subject, the rest the description."]
        if age := found.note(self.place.session.clock()):
            facts.append(Text(age, style="warn"))
        if not is_plain(request.description):
            facts.append(
                Text(
                    "The description has lists or styles: they become plain text if you change it.",
                    style="warn",
                )
            )
        with self.place.session.outbox.resumed(key) as waits:
            if waits is not None:
                facts.append(Text(GOES_ON, style="warn"))
            sheet = WriteSheet(
                f"Edit {row.label}",
                key,
                text=waits.text if waits else about_text(request),
                facts=tuple(facts),
                verb="save",
                begins=0,
            )
            written = await self.place.desk.push_screen_wait(sheet)
            if not written:
                return
            about = read_about(written)
            if (wrong := subject_wrong(about.subject)) is not None:
                self.place.say(f"{wrong} What you wrote is kept: e brings it back.", "bad")
                return
            if waits is not None and read_about(waits.text) == about:
                self.place.session.drafts.drop(key)
                self.place.say("Nothing changed: it waits as it is.")
                return
            await self.place.session.outbox.drop_replaced(waits)
        body = update_of(request, about, sent=sent)
        if body is None:
            self.place.session.drafts.drop(key)
            self.place.say("Nothing changed." if waits is None else "Same text: nothing to send.")
            return
        back = sure(update_of(request, about, sent=sent, back=True))

        write = changing(
            row,
            "Edit",
            body,
            back.model_dump(mode="json", exclude_unset=True),
            is_so=lambda now: update_of(now, about) is None,
            done=f"Saved {row.label}.",
        )
        await self.place.writer.send(
            write, then=self.place.adopt, draft=key, aged=found.at is not None
        )
        self.place.after_write()

    @action(
        "ctrl+n", "new", word="new", show=7, danger=1, group="Write",
        uses=("create_change_request", "list_organization_spaces"), types=True, takes="none",
    )  # fmt: skip
    async def start(self) -> None:
        """Start a change request: choose the space if there are several, then say what it is about.

        It begins as a draft, and without changes.
        """
        from copydesk.contract.models.change_request import ChangeRequestCreate

        space = self.place.target.space or await self._choose_space()
        if space is None:
            return
        await self._know(space)
        title = self.place.known.spaces.title(space)
        key = new_request_key(space, self.place.target.cluster)
        made: list[ChangeRequest] = []

        async def send(subject: str) -> None:
            body = ChangeRequestCreate(subject=subject)
            if self.place.target.cluster is not None:
                body.conversations_issues_cluster = self.place.target.cluster
            me = self.place.session.me
            made.append(await begin_request(self.place.writer.send, space, body, me, draft=key))

        sheet = Ask(
            f"New change request in {title}",
            "What is it about?",
            draft_key=key,
            check=subject_wrong,
            send=send,
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return
        [request] = made
        self.place.after_write()
        view = "draft" if request.status == "draft" else "open"
        if self.place.view == view:
            self.place.row_reader.take_in()
        else:
            self.place.choose_view(view)
        self.place.tell(f"Started #{request.number} in “{title}” as {begun_as(request)}.", "good")

    @action(
        "T", "label", unless=unless_marked(nothing_selected), danger=1, show=False, group="Write",
        types=True, word="label", takes="marked",
    )  # fmt: skip
    async def mark(self) -> None:
        """Star it, label it or note something about it, on this machine only.

        ``is:starred`` and ``label:`` find such change requests; ``u`` undoes it. With marked rows:
        labels to add to all of these, or to remove.
        """
        row = self.place.rows.selected
        if self.place.rows.marks:
            await self._label_marked()
        elif row is not None:
            await self._mark(row)

    async def _label_marked(self) -> None:
        from copydesk.tui.merge.request_edits import read_marks

        place, key = self.place, marked_labels_key()
        words: str | None = await place.desk.push_screen_wait(
            Ask(
                f"Label {plural(len(place.rows.marks), 'marked change request')}",
                "Labels to add; a - before one removes it; * is the star:",
                draft_key=key,
                check=labels_wrong,
            )
        )
        if not words or not read_labels(words):
            return
        marks = await read_marks(place)

        async def send(row: ChangeRow, group: str) -> None:
            before = marks.of(row.id)
            changed = relabelled(before, words)
            if not changed:
                raise NothingToDoError("it is so already")
            await place.writer.perform(
                "Mark", row.named, lambda api: marks.put(row.id, changed), group=group,
                reversal=marks_reversal(row.id, {k: before.get(k, "") for k in changed}, changed),
            )  # fmt: skip

        def ended(failed: bool) -> None:
            if not failed:
                place.session.drafts.drop(key)
            if place.is_attached:
                place.triage.show_marks()

        await place.do_to_marked(Bulk("Label", (), send, REVERSIBLE, ended))

    async def _mark(self, row: ChangeRow) -> None:
        from copydesk.tui.merge.request_edits import edit_marks

        if await edit_marks(self.place, row.space, row.id, row.named) and self.place.is_attached:
            self.place.triage.show_marks()

    # Drafts

    def resume_draft(self, part: str) -> bool:
        """Open the field that a text was typed in: of a new change request, or of one there is."""
        match part:
            case "new":
                self.place.do_soon("start")
            case "verdict approved" | "verdict changes-requested":
                key, does = ("a", "approves") if part.endswith("approved") else ("A", "asks in")
                self.place.say(
                    f"Mark change requests with space: {key} {does} them with what you wrote."
                )
            case "labels":
                self.place.say("Mark change requests with space: T labels them as you wrote.")
            case "about" if away(self.place.session, edit := self.ACTIONS["edit"]):
                self.place.say(refusal(self.place.session, edit.label), "warn")
            case "about" | "marks":
                # What is typed until it is there is for it, as after the key of an edit.
                opens = self.ACTIONS["edit" if part == "about" else "mark"]
                opening = self._resume_about() if part == "about" else self._resume_marks()
                opening = self.place.desk.keyboard.ahead.follow(self.place, opens, opening)
                self.place.run_worker(tell_failures(self.place, opening), name="resume draft")
            case _:
                return False
        return True

    async def _resumed_row(self) -> ChangeRow:
        space, request = sure(self.place.target.space), sure(self.place.target.change_request)
        found = await live_or_cached(
            self.place.session, lambda api: api(ops.get_change_request, space, request)
        )
        return row_of(found.result)

    async def _resume_marks(self) -> None:
        await self._mark(await self._resumed_row())

    async def _resume_about(self) -> None:
        row = await self._resumed_row()
        if row.status == "merged":
            self.place.say(
                f"{row.label} is merged: that cannot change. The text stays a draft.", "warn"
            )
        else:
            await self._edit(row)

    async def _know(self, space: str) -> None:
        """Find out what a space is called. Raises ``ApiError``."""

        async def learn(api: Api) -> None:
            await self.place.known.spaces.learn(api, self.place.scope.organization, [space])

        await live_or_cached(self.place.session, learn)

    async def _choose_space(self) -> str | None:
        async def read(api: Api) -> Desk:
            return await read_desk(api, self.place.scope.organization)

        row = self.place.rows.selected
        found = await self.place.reads.now(
            "plan", lambda: live_or_cached(self.place.session, read), "Reading the spaces"
        )
        if found is None:
            return None
        options = space_options(found.result.nodes, None if row is None else row.space)
        if not options:
            self.place.say("There is no space that you may edit.", "warn")
            return None
        chosen: str | None = await self.place.desk.push_screen_wait(
            Choice("In which space?", options, before_text=True)
        )
        return chosen
