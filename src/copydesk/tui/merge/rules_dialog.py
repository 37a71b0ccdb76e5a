"""The merge rules of a space or an organization: inherited, none, or its own, each with a tick."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_args

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label, Static

from copydesk.domain.mention import Named
from copydesk.domain.merge_rules import CHECKS, label
from copydesk.domain.reversal import JSON
from copydesk.domain.text import clean, listed
from copydesk.present.facts import hint
from copydesk.session.errors import failure_types, sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.tui.dialogs.choice import Choices
from copydesk.tui.dialogs.dialog import ScrollingSheet, fact_lines
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

INHERIT, NONE = "inherit", "none"

Rules = dict[str, list[str]]
"""The rules that are ticked, in their order, with the ids of people that they name."""


def rules_of(value: JSON) -> tuple[str, Rules]:
    """Return which of the three it is ("inherit", "none", "rules"), and the rules."""
    rules: Rules = {}
    given = value.get("rules") if isinstance(value, Mapping) else None
    for rule in given or ():
        rules[str(rule.get("rule") or "")] = [str(user) for user in rule.get("users") or ()]
    kind = value.get("type") if isinstance(value, Mapping) else INHERIT
    if kind == "rules" and rules:
        return "rules", rules
    return (INHERIT if kind == INHERIT else NONE), {}


def value_of(kind: str, rules: Rules) -> JSON:
    """Return merge rules as a request says them: without any is an empty list of them.

    Of the two ways to say "none" it is the one that the platform documents for a request.
    """
    if kind == INHERIT:
        return {"type": "inherit"}
    written: list[JSON] = [
        {"rule": rule, "users": list(users)} if users else {"rule": rule}
        for rule, users in (rules.items() if kind == "rules" else ())
    ]
    return {"type": "rules", "rules": written}


def not_written(here: RulesSheet) -> str | None:
    """Say so when a rule that names people names none, or one is kept that is not known here."""
    for rule, users in here.rules.items() if here.changed else ():
        if rule not in CHECKS:
            return f"“{label(rule)}” cannot be sent from here: space unticks it."
        if rule in here.naming and not users:
            return f"Choose the people of “{label(rule)}” first: Enter on it."
    return None


class RulesSheet(ScrollingSheet[JSON], scope="rules_sheet"):
    """Choose merge rules; the result is them as JSON, or None when it was left.

    ``inherited`` says what the rules of the organization are, None where nothing is inherited.
    ``people`` reads the members. ``verb`` is what ctrl+s does, in a word.
    """

    def __init__(
        self,
        title: str,
        value: JSON,
        *,
        inherited: str | None,
        people: Callable[[], Awaitable[Sequence[Named]]],
        names: Mapping[str, str],
        verb: str = "stage",
    ) -> None:
        from copydesk.contract.enumerations import MergeRuleKind
        from copydesk.contract.models.merge_rules import NAMES_REVIEWERS

        super().__init__(title)
        self.naming = frozenset(NAMES_REVIEWERS)
        self.kind, self.rules = rules_of(value)
        self._before = value
        self._inherited = inherited
        self._verb = verb
        self._people = people
        self._names = dict(names)
        kinds = [*get_args(MergeRuleKind)]
        kinds += [rule for rule in self.rules if rule not in kinds]
        rows = [
            *([Option(INHERIT, "as the organization", inherited)] if inherited is not None else ()),
            Option(NONE, "none: every change request may merge"),
            *(Option(kind, clean(label(kind))) for kind in kinds),
        ]
        self.options: VirtualList[Option] = VirtualList(
            ListSource(rows, key=lambda row: row.id),
            [
                Column("tick", "", self._tick_of, 3),
                Column("title", "", self._title_of, flex=1, minimum=30),
            ],
            header=False,
        )

    def body(self) -> ComposeResult:
        about = ["All that are ticked must hold before a change request merges."]
        if self._inherited is not None:
            about.append(f"The organization's: {self._inherited}.")
        yield Static(self.paint(fact_lines(about)), classes="facts")
        yield self.options
        keys = Text.assemble(
            ("space", "accent"), " tick   ", ("enter", "accent"), " choose people   ",
            ("ctrl+s", "accent"), f" {self._verb}   ", ("esc", "accent"), " cancel",
        )  # fmt: skip
        yield Label(self.paint(keys), classes="keys", id="rules-keys")

    def on_mount(self) -> None:
        """Begin on what holds now."""
        self.options.styles.height = 9
        self.options.focus()
        first = next(iter(self.rules), self.kind) if self.kind == "rules" else self.kind
        self.call_after_refresh(self.options.select, first)

    def _tick_of(self, option: Option) -> Text:
        if option.id in (INHERIT, NONE):
            chosen = option.id == self.kind
            return Text(f"({glyphs().dot if chosen else ' '})", style="accent" if chosen else "")
        ticked = option.id in self.rules
        return Text(f"[{'x' if ticked else ' '}]", style="accent" if ticked else "")

    def _title_of(self, option: Option) -> Text:
        line = Text(option.title)
        if option.id in self.naming:
            users = self.rules.get(option.id, [])
            last = "or" if option.id == "require_one_of_specific_reviewers" else "and"
            names = listed([self._names.get(user, user) for user in users], last)
            line.append(f": {names}" if users else ": Enter chooses them", style="muted")
        return line

    def _say(self, text: str) -> None:
        self.query_one("#rules-keys", Label).update(self.paint(hint(text, "warn")))

    @action("space", "tick", show=False)
    def tick(self) -> None:
        """Tick the rule, or take the tick away; of the first two choose one."""
        chosen = self.options.selected_id
        if chosen is None:
            return
        if chosen in (INHERIT, NONE):
            self.kind, self.rules = chosen, {}
        elif chosen in self.rules:
            del self.rules[chosen]
            self.kind = "rules" if self.rules else NONE
        else:
            self.kind = "rules"
            self.rules[chosen] = []
        self.options.refresh_rows()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Choose the people of a rule that names some; tick any other."""
        event.stop()
        if self.options.selected_id in self.naming:
            begin(self, self._choose_people, str(self.options.selected_id), group="people")
        else:
            self.tick()

    async def _choose_people(self, rule: str) -> None:
        self._say("Reading the members…")
        desk_of(self).keyboard.early.reads(self)
        try:
            members = await self._people()
        except failure_types() as error:
            self._say(sentence(error))
            return
        self._names.update((person.id, person.name) for person in members)
        chosen = self.rules.get(rule, [])
        known = {person.id for person in members}
        options = [Option(person.id, person.name, person.email) for person in members]
        options += [
            Option(user, self._names.get(user, clean(user)), "not a member")
            for user in chosen
            if user not in known
        ]
        picked: frozenset[str] | Any = await self.app.push_screen_wait(
            Choices(f"People of “{label(rule)}”", options, ticked=chosen)
        )
        self._say(f"space tick   enter choose people   ctrl+s {self._verb}   esc cancel")
        if picked is None:
            return
        if picked:
            self.kind = "rules"
            self.rules[rule] = [option.id for option in options if option.id in picked]
        elif rule in self.rules:
            self.rules[rule] = []
        self.options.refresh_rows()

    @action("ctrl+s", "stage", unless=not_written, danger=1)
    def send(self) -> None:
        """Take the rules as they are ticked."""
        self.dismiss(value_of(self.kind, self.rules) if self.changed else self._before)

    @property
    def changed(self) -> bool:
        """Whether the rules are others than they were."""
        return (self.kind, self.rules) != rules_of(self._before)


def names_of(people: Sequence[Named] | None) -> dict[str, str]:
    """Return what people are called, by their ids."""
    return {person.id: person.name for person in people or ()}
