"""Making, copying and moving collections and spaces: staged here, like their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from copydesk.domain.call import NEW
from copydesk.domain.layout import TOP
from copydesk.domain.staged_moves import StagingError
from copydesk.domain.text import plural
from copydesk.domain.tree_arrangement import TreeArrangement
from copydesk.tui.arrange.cells import Row
from copydesk.tui.arrange.place import not_allowed, not_staged_order
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.spaces.cells import LANGUAGES
from copydesk.tui.spaces.editor import (
    ON_ROW,
    STAGED,
    emoji_named,
    emoji_options,
    in_trash,
    to_be_deleted,
)
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.tui.spaces.tree import OrganizationStructurePlace

NO_NEW_SPACE = "This service makes no space over its API: copy one instead, with “:duplicate”."

AT_TOP = "top:"
"""What stands for the top among collections to choose from."""


class CreationCommands(Commands, scope="space_making"):
    """What comes into the tree of an organization, and what goes elsewhere in it."""

    place: OrganizationStructurePlace

    # New

    @action("ctrl+n", "new", unless=(not_allowed, not_staged_order), show=20, group="Change",
            stages=True, takes="none")  # fmt: skip
    async def add(self) -> None:
        """Add a collection or a space where the cursor is, or a copy of a space. Staged here."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        going = in_trash(self.place) or to_be_deleted(self.place)
        row = self.place.row if going is None else None
        here = self._level_here(row)
        # In what is under the cursor first; then beside it; and always at the top.
        levels = [*dict.fromkeys((here, row.level if row is not None else TOP, TOP))]
        original = ""
        if row is not None and row.kind == "space" and not row.id.startswith(NEW):
            original = row.title
        options: list[Option] = []
        for level in levels:
            where = self._place_of(level)
            options += [
                Option(f"collection {level}", f"a collection {where}"),
                Option(
                    f"space {level}", f"a space {where}", "" if self._makes_spaces else "not here"
                ),
            ]
            if level == here and original:
                options.append(Option("copy", f"a copy of {original}", "with its pages and files"))
        chosen = await self.place.desk.push_screen_wait(Choice("New", options))
        what, _, level = (chosen or "").partition(" ")
        match what:
            case "collection":
                await self._new("collection", level, [self._title_field("collection")])
            case "space" if not self._makes_spaces:
                self.place.tell(NO_NEW_SPACE, "warn")
            case "space":
                beside = row is not None and row.kind == "space" and row.level == level
                await self._add_space(level, row.id if row is not None and beside else None)
            case "copy":
                self._copy(row)

    @property
    def _makes_spaces(self) -> bool:
        """Whether the service makes spaces (extension E3), as far as is known."""
        api = self.place.session.api
        listed = self.place.read is None or self.place.read.listed
        return listed and (api is None or api.has("E3"))

    def _level_here(self, row: Row | None) -> str:
        """Return the collection under the cursor, or the one that holds the row."""
        if row is None:
            return TOP
        return row.id if row.kind == "collection" else row.level

    def _title_of(self, level: str) -> str:
        return "the top" if level == TOP else self.place.arrangement.now.items[level].title

    def _place_of(self, level: str) -> str:
        return "at the top" if level == TOP else f"in {self._title_of(level)}"

    async def _add_space(self, level: str, below: str | None) -> None:
        fields = [
            self._title_field("space"),
            Field("emoji", "Emoji", offers=emoji_options, note="a sign, or a name as in :rocket:"),
            Field("language", "Language", check=_language, note="a code such as en, de, pt-br"),
            Field("editMode", "Editing", "live", _edit_mode, "live, or locked: only by requests"),
        ]
        await self._new("space", level, fields, after=below)

    def _title_field(self, kind: str) -> Field:
        def check(text: str) -> str | None:
            return "A title is at most 50 characters." if len(text) > 50 else None

        return Field("title", f"Title of the {kind}", "", check)

    async def _new(
        self, kind: Any, level: str, fields: Sequence[Field], *, after: str | None = None
    ) -> None:
        made = ""

        async def stage(values: Mapping[str, str]) -> None:
            nonlocal made
            given = {name: text for name, text in values.items() if text}
            given.setdefault("title", "Untitled")
            if "emoji" in given:
                given["emoji"] = await emoji_named(given["emoji"])

            def change() -> TreeArrangement:
                nonlocal made
                arrangement, made = self.place.staged_tree.add(level, kind, given, after=after)
                return arrangement

            self.place.stage_or_refuse(change)

        form = Form(
            f"New {kind} {self._place_of(level)}",
            fields,
            draft_key=f"tree new {self.place.organization} {kind}",
            facts=[STAGED],
            send=stage,
            verb="stage",
        )
        if await self.place.desk.push_screen_wait(form) and made:
            self._reveal(made)

    def _reveal(self, row: str) -> None:
        source = self.place.rows.tree_source
        if row in self.place.arrangement.now:
            source.unfolded.add(self.place.arrangement.now.level_of(row))
        self.place.show_arrangement(row)

    @command("duplicate", stages=True)
    def duplicate(self, rest: str) -> None:
        """Copy the space under the cursor, with its pages and files. Staged here."""
        why = next((said for guard in ON_ROW[:-1] if (said := guard(self.place)) is not None), None)
        if why is not None:
            self.place.say(why, "warn")
        else:
            self._copy(self.place.row)

    def _copy(self, row: Row | None) -> None:
        if row is None:
            return
        made = ""

        def change(it: Any) -> Any:
            nonlocal made
            arrangement, made = it.duplicate(row.id)
            return arrangement

        if self.place.stage(change):
            self._reveal(made)
            self.place.say(f"A copy of {row.title} is staged: e renames it, ctrl+s makes it.")

    # Into a collection

    @command("into", "COLLECTION", stages=True, takes="marked")
    async def into(self, rest: str) -> None:
        """Choose the collection that the row, or the picked ones, go into."""
        guards = (not_allowed, not_staged_order, *unless_marked(*ON_ROW))
        why = next((said for guard in guards if (said := guard(self.place)) is not None), None)
        if why is not None:
            self.place.say(why, "warn")
        else:
            await self.choose_collection(rest)

    async def choose_collection(self, words: str = "") -> None:
        """Choose the collection that the row, or the picked ones, go into."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        picked, now = self.place.picked(), self.place.arrangement.now
        try:
            titles = [self.place.arrangement.there(row).title for row in picked]
        except StagingError as gone:
            self.place.say(str(gone), "warn")
            return
        options = [Option(AT_TOP, "the top", "in no collection")]
        for row in now.walk():
            item = now.items[row]
            inside = any(row == each or now.inside(row, each) for each in picked)
            if item.kind == "collection" and not inside:
                options.append(Option(row, item.title, self._title_of(now.level_of(row))))
        wanted = words.casefold().split()
        fits = [o for o in options if wanted and all(w in o.title.casefold() for w in wanted)]
        chosen = fits[0].id if len(fits) == 1 else ""
        if not chosen:
            what = titles[0] if len(titles) == 1 else plural(len(titles), "row")
            chosen = await self.place.desk.push_screen_wait(Choice(f"Move {what} into", options))
        if not chosen:
            return
        level = TOP if chosen == AT_TOP else chosen
        if self.place.stage(lambda it: it.shift(picked, level)):
            self.place.rows.set_marks(())
            self._reveal(picked[0])


def _language(text: str) -> str | None:
    if not text or text in LANGUAGES:
        return None
    return "That is no language code; en, de, fr and pt-br are some."


def _edit_mode(text: str) -> str | None:
    return None if text in ("live", "locked", "") else "That is either live or locked."
