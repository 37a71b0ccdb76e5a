"""Suggesting other words for lines of a page, and applying what others suggest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from copydesk.domain.page_edits import PageEdit
from copydesk.domain.suggestion import (
    IDLE,
    Fit,
    SourceLines,
    outcome,
    suggest,
    suggestions_in,
    words_in,
)
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, shorten, typed
from copydesk.session.draft_keys import review_key, suggestion_key
from copydesk.session.suggestions import (
    OpenSuggestion,
    SuggestionTexts,
    apply_plan,
    plan_applying,
    read_texts,
)
from copydesk.session.writes.comments import PendingDraft
from copydesk.tui.dialogs.composer import Composer, WriteSheet
from copydesk.tui.framework.actions import action, away, refusal
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.keyboard import because, tell_failures
from copydesk.tui.review.guards import (
    ReviewCommands,
    does_not_fit,
    may_not_apply,
    may_not_comment,
    no_line,
    no_suggestion_here,
    none_suggested,
    not_suggested,
    while_any,
    while_suggested,
)
from copydesk.tui.review.pages import PageReader
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place

APPLIES = (
    "update_change_request_content",
    "get_change_request_revision",
    "get_change_request_page",
    "get_revision_page",
    "get_change_request_comment",
    "update_change_request_comment",
    "get_change_request",
    "update_change_request",
)


class SuggestionMarks(ReviewCommands, scope="suggestions"):
    """Marking the suggestions that are applied together, in a pane of threads."""

    leads = ThreadView.leads

    @action(
        "space",
        "mark",
        unless=(may_not_apply, no_suggestion_here, does_not_fit),
        show=14,
        group="Threads",
        now=while_any("mark"),
        stages=True,
        takes="none",
        override=True,
    )
    def mark(self) -> None:
        """Mark or unmark the suggestion under the cursor, to be applied with others."""
        suggestions = self.here.discussion.suggestions
        each = sure(suggestions.current())
        suggestions.tick(suggestions.ticked ^ {each.thread})

    @action(
        "*",
        "mark all that fit",
        unless=(may_not_apply, none_suggested),
        show=11,
        group="Threads",
        now=while_any("mark all that fit"),
        stages=True,
        takes="none",
    )
    def mark_all(self) -> None:
        """Mark every suggestion that fits."""
        suggestions = self.here.discussion.suggestions
        suggestions.tick({thread for thread, fit in suggestions.fits.items() if fit.fits})


class SuggestCommands(ReviewCommands, scope="review"):
    """Suggests other words for lines of the page in front, and applies what others suggest."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.marking = SuggestionMarks(place)
        self._resuming = ""
        """The draft that is opened once its page is read."""

    @action("s", "suggest", word="suggest", unless=(may_not_comment, no_line), danger=1,
            uses="create_change_request_comment", show=8, group="Threads", types=True)  # fmt: skip
    async def suggest_lines(self) -> None:
        """Write how the line under the cursor, or those of the range (v), should be.

        It goes with your review as a comment that its reader can apply. Where a check says how a
        line should be, the field begins with that.
        """
        change, page, text = self.model.change, self.here.diff.page, self.model.text
        assert change is not None
        assert page is not None
        assert text is not None
        rows = self.here.diff.chosen
        lines = page.lines_after(rows[0], rows[-1]) if rows else None
        fixed = None if self.here.diff.end_range() else self._fixed(text.source)
        if lines is None:
            self.place.say("These lines are gone from the page: c comments on them.", "warn")
            return
        if fixed is not None:
            await self._suggest(change.id, text.source, fixed[0], fixed[1], better=fixed[2])
            return
        await self._suggest(change.id, text.source, *lines)

    def _fixed(self, source: str) -> tuple[int, int, list[str]] | None:
        """Return the lines that a check would change under the cursor, and what they become."""
        found = self.here.diff.findings.here
        fix = next((each.fix for each in found if each.fix is not None), None)
        return None if fix is None else fix.lines(SourceLines(source).lines)

    async def _suggest(
        self, page: str, source: str, first: int, last: int, *, better: Sequence[str] | None = None
    ) -> None:
        """Let the user write other lines for some (from 0) of a page, and keep or send that.

        The field begins with ``better`` ones where something knows them.
        """
        known = SourceLines(source)
        old = known.lines[first : last + 1]
        found = known.anchor(first, last)
        if found is None:
            self.place.say("There are no words in these lines to find them by.", "warn")
            return
        node, at = found
        given = "\n".join(old)
        if typed(given, lines=True) != given:
            self.place.say("They have signs that no field here shows: e edits the page.", "warn")
            return
        change = self.model.find(page)
        title = "the page" if change is None else clean(change.node.title)
        where = Fit(first, last + 1).where
        key = review_key(*self.model.ids, f"{page}/{node}")
        drafts = self.place.session.drafts
        before = drafts.own_text(key) or ""
        said = suggestions_in(before)
        keys = (
            suggestion_key(*self.model.ids, "lines", at - first, last - at, page, node),
            suggestion_key(*self.model.ids, "words", at - first, last - at, page, node),
        )
        words = Composer(
            keys[1], lambda said: sheet.composer.send(), text=words_in(before),
            may_be_empty=True, id="words",
        )  # fmt: skip
        sheet = WriteSheet(
            f"Suggest {where} of {shorten(title, 40)}",
            keys[0],
            text="\n".join(said[0].lines if said else better or old),
            facts=("How it should read; an empty field deletes it.",),
            verb="done",
            instead="The suggestion goes with your review; ctrl+r sends it alone.",
            exact=True,
            beside=words,
        )
        left = await self.place.desk.push_screen_wait(sheet) is None
        if left and not sheet.moving:
            self.place.tell("Kept as a draft. On the same lines, s opens it again.")
            return
        written = sheet.composer.text
        new = written.split("\n") if written else []
        made = suggest(source, first, last, new)
        for each in keys:
            drafts.drop(each)
        if new == old or made is None:
            self.place.tell(IDLE)
            return
        text = "\n\n".join(filter(None, (words.text.strip(), made[1])))
        drafts.save(key, text)
        if sheet.moving:
            draft = PendingDraft(
                *self.model.ids, f"{page}/{node}", "comment", text, page=page, node=node
            )
            self.here.discussion.show_sent(await self.writing.deliver(draft))
            self.place.tell("Suggested: its reader can apply it. u undoes it.", "good")
            return
        await self.here.discussion.drafts_changed()
        self.place.tell("Kept with your drafts: it goes with your review, or by :send drafts.")

    # A draft of one

    def resume_draft(self, part: str) -> bool:
        """Open the lines again that were typed here."""
        if not part.startswith("suggest "):
            return False
        self._resuming = part
        self.go_on()
        return True

    def go_on(self) -> None:
        """Open the draft that waits, now that more is read."""
        if not self._resuming or self.model.opened is None:
            return
        _, above, below, where = self._resuming.split(" ", 3)
        page, _, node = where.partition("/")
        text = self.model.texts.get(page)
        if text is None and self.model.find(page) is not None:
            if self.model.page_id != page:
                self.place.commands_of(PageReader).show_page(page)
            return
        self._resuming = ""
        found = None if text is None else SourceLines(text.source).find(node)
        doing, why = SuggestCommands.ACTIONS["suggest_lines"], may_not_comment(self.here)
        if away(self.place.session, doing):
            why = refusal(self.place.session, doing.label)
        if why is not None or text is None or found is None:
            said = "The lines of this draft are not on the page any more."
            self.place.say(why or said, "warn")
            return
        first, last = found[0] - int(above), found[1] - 1 + int(below)

        async def write() -> None:
            await tell_failures(self.place, self._suggest(page, text.source, max(0, first), last))

        with because(self, doing.id):
            begin(self.place, write, name="resume draft")

    # Applying

    @action("S", "apply", unless=(may_not_apply, not_suggested), danger=1, uses=APPLIES, show=17,
            word="apply", group="Threads", now=while_suggested, takes="none")  # fmt: skip
    async def apply_suggestions(self) -> None:
        """Apply the marked suggestions, or the one under the cursor, with one call.

        What you staged of their pages goes along. Their threads are resolved, and the description
        names who suggested; u undoes all of it.
        """
        suggestions, staged = self.here.discussion.suggestions, sure(self.model.staged)
        if not await self.takes_content():
            return
        current = suggestions.current()
        chosen = [
            suggestions.found[each] for each in suggestions.found if each in suggestions.ticked
        ]
        if not chosen and current is not None:
            chosen = [current]
        texts = await self._read(chosen)
        if texts is None:
            return
        edits: Mapping[str, PageEdit] = dict(staged.edits)
        plan = await asyncio.to_thread(
            plan_applying, self.model.ids, self.model.numbered, chosen, texts, edits,
            self.place.session.now,
        )  # fmt: skip
        suggestions.misfit(plan.left)
        if not plan.run.taken:
            self.place.tell(outcome(0, list(plan.left.values())), "warn")
            return
        also = [clean(edits[page].named) for page in plan.run.edits if page in edits]
        try:
            left = await apply_plan(staged, plan)
        except OSError as error:
            self.place.tell(f"Not sent: {error.strerror or error}.", "bad")
            return
        suggestions.ticked.clear()
        said = outcome(len(plan.run.taken), list(plan.left.values()))
        with_it = f" With it went what you staged of {', '.join(also)}." if also else ""
        tone = "warn" if plan.left or left else "good"
        self.place.tell(f"{said}{with_it} {left or 'u undoes it.'}", tone)
        self.place.read_again()

    async def _read(self, chosen: Sequence[OpenSuggestion]) -> SuggestionTexts | None:
        """Read what suggestions are about; while the service is away it is what was read last."""
        session, suggestions = self.place.session, self.here.discussion.suggestions
        if session.offline and suggestions.texts is not None:
            return suggestions.texts
        api = await session.ready()
        return await self.place.reads.now(
            "plan",
            lambda: read_texts(api, *self.model.ids, chosen, suggestions.texts),
            "Reading what is suggested",
        )
