"""The glossary that the translations of an organization go by: a tab of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from copydesk.client.errors import ApiError
from copydesk.contract.enumerations import GlossaryLanguage
from copydesk.domain.automation_inverses import term_added, term_changed, term_removed
from copydesk.domain.moments import ago
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.operations import ops
from copydesk.tui.automation.translations import TABS
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Facet, Resource, ServiceOrder, pages_of

if TYPE_CHECKING:
    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.glossary import GlossaryEntry
    from copydesk.domain.reversal import Reversal

Terms = Mapping[str, str]
"""What a term is called, by language."""

LANGUAGES = tuple(sorted(name for each in get_args(GlossaryLanguage) for name in get_args(each)))

LONGEST = 255
"""Characters of a term."""

FIRST = "en"
"""The language by which an entry is called where it has a term in it."""

LOOKED_AT = 100
"""So many of the newest entries are looked at for one that was just made."""

HELP = "One line for each language: en: refund, and below it de: Erstattung."


def entry_name(entry: GlossaryEntry) -> str:
    """Return what an entry is called: its English term, else its first one."""
    terms = entry.translations
    return terms.get(FIRST) or next(iter(terms.values()), "") or entry.id


def others(entry: GlossaryEntry) -> str:
    """Return the terms of an entry in other languages than the one that it is called by."""
    terms = entry.translations
    by = FIRST if terms.get(FIRST) else next(iter(terms), "")
    return ", ".join(f"{language}: {term}" for language, term in _in_order(terms) if language != by)


def entry_details(entry: GlossaryEntry, now: datetime) -> Sequence[tuple[str, str | Text]]:
    """Return the term in each language, and when that was written."""
    found: list[tuple[str, str | Text]] = list(_in_order(entry.translations))
    if when := ago(entry.created_at, now):
        found.append(("added", when))
    return found


def written(terms: Terms) -> str:
    """Return terms as they are typed: a line for each language."""
    return "\n".join(f"{language}: {term}" for language, term in _in_order(terms))


def read_terms(text: str) -> dict[str, str]:
    """Return the terms that lines say. Raises ``ValueError`` with a sentence."""
    terms: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        language, colon, term = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        language = language.lower()
        if not colon:
            raise ValueError(f"line {number}: a language and a colon come first, as in en: refund")
        if language not in LANGUAGES:
            raise ValueError(
                f"line {number}: {shorten(clean(language), 20)!r} is not one of the languages: "
                f"{listed(LANGUAGES)}"
            )
        if not term:
            raise ValueError(f"line {number}: there is no term after the colon")
        if len(term) > LONGEST:
            raise ValueError(f"line {number}: {len(term)} characters; at most {LONGEST}")
        if language in terms:
            raise ValueError(f"line {number}: {language} is there twice")
        terms[language] = term
    if not terms:
        raise ValueError("a term in one language at least")
    return terms


def wrong_terms(text: str) -> str | None:
    """Say what is wrong with the lines of an entry."""
    try:
        read_terms(text)
    except ValueError as error:
        return str(error)
    return None


def _in_order(terms: Terms) -> Iterable[tuple[str, str]]:
    return sorted(terms.items(), key=lambda term: (term[0] != FIRST, term[0]))


GLOSSARY: Resource[GlossaryEntry] = Resource(
    noun="term",
    title="Glossary",
    tabs=TABS,
    pages=pages_of("list_glossary_entries", "organization"),
    key=lambda entry: entry.id,
    label=entry_name,
    shown=(
        Facet("term", "TERM", lambda entry, now: entry_name(entry), flex=1, minimum=18,
              detail=False),
        Facet("others", "IN OTHER LANGUAGES", lambda entry, now: others(entry) or None, flex=2,
              minimum=18, detail=False),
        Facet("languages", "LANGUAGES", lambda entry, now: str(len(entry.translations)), 9,
              align="right", drop=2),
        Facet("changed", "CHANGED", lambda entry, now: ago(entry.updated_at, now), 10, drop=1),
    ),
    empty="There are no terms yet. ctrl+n adds one, with its name in each language.",
    get="get_glossary_entry",
    arguments=lambda target, entry: (target.organization or "", entry.id),
    orders=(
        ServiceOrder("newest", "newest first", {}),
        *(ServiceOrder(name, f"by the term in {name}", {"order_by": name}) for name in LANGUAGES),
    ),
    copies=lambda entry: [("terms", written(entry.translations))],
    more=entry_details,
    adding="create_content",
    readers_empty="This organization has no glossary.",
)  # fmt: skip
"""The entries of a glossary."""


@place("glossary", title="Glossary",
       uses=("list_glossary_entries", "get_organization"))  # fmt: skip
class GlossaryPlace(ResourcePlace["GlossaryEntry"], scope="glossary"):
    """The names of an organization's terms in each language."""

    RESOURCE = GLOSSARY

    @action("ctrl+n", "add term", word="new", unless=may_not_add, danger=1, show=28, group="Change",
            uses=("update_glossary_entries", "list_glossary_entries"), types=True)  # fmt: skip
    async def make(self) -> None:
        """Add a term, with its name in each language. u removes it again."""
        home, key = self.organization or "", self.draft_key("make")
        made: list[str] = []

        async def send(values: Mapping[str, str]) -> None:
            terms = read_terms(values["terms"])

            async def add(api: Api) -> GlossaryEntry | None:
                known = {each.id for each in await newest(api, home)}
                await change(api, home, {"type": "insert", "translations": terms})
                try:
                    return await find_added(api, home, terms, known)
                except ApiError:
                    return None  # it is there; only its id is not known

            def back(entry: GlossaryEntry | None) -> Reversal | None:
                return None if entry is None else term_added(home, entry.id, terms)

            entry = await self.writer.perform(
                "Add term",
                shorten(clean(next(term for _, term in _in_order(terms))), 40),
                add,
                reversal=back,
                draft=key,
                several=True,
            )
            if entry is not None:
                made.append(entry.id)

        form = Form(
            "Add a term",
            [Field("terms", "Terms", "", wrong_terms, lines=6, help=HELP, required=True)],
            draft_key=key,
            send=send,
            verb="add it",
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(made[-1] if made else "")

    @action("e", "edit", unless=(nothing_selected, may_not_add), danger=1, show=26,
            group="Change", uses="update_glossary_entries", types=True)  # fmt: skip
    async def edit(self) -> None:
        """Change the names of the term in each language. u puts the former terms back."""
        item, home = sure(self.item), self.organization or ""
        key, before = self.draft_key("edit", item.id), dict(item.translations)

        async def send(values: Mapping[str, str]) -> None:
            after = read_terms(values["terms"])

            async def look(api: Api) -> bool | None:
                found = await api.find(ops.get_glossary_entry, home, item.id)
                return True if found is not None and found.translations == after else None

            wanted = {"type": "update", "id": item.id, "translations": after}
            await self.writer.perform(
                "Change term",
                self.named(item),
                lambda api: change(api, home, wanted),
                reversal=term_changed(home, item.id, before, after),
                look=look,
                draft=key,
            )

        form = Form(
            f"Change {self.named(item)}",
            [Field("terms", "Terms", written(before), wrong_terms, lines=6, help=HELP)],
            draft_key=key,
            send=send,
        )
        if await self.desk.push_screen_wait(form):
            self.read_written(item.id)

    @action("D", "remove", word="remove", unless=(nothing_selected, may_not_add), danger=2, show=18,
            group="Change", uses="update_glossary_entries")  # fmt: skip
    async def delete(self) -> None:
        """Remove the term from the glossary, after asking. u adds it again."""
        item, home = sure(self.item), self.organization or ""
        terms = dict(item.translations)
        facts: list[Fact] = [
            f"In {plural(len(terms), 'language')}. Pages that are translated stay as they are.",
            hint("u adds it again, as a new entry.", ""),
        ]
        if not await self.desk.push_screen_wait(
            Confirm(f"Remove {self.named(item)}", facts, verb="remove it")
        ):
            return

        await self.writer.perform(
            "Remove term",
            self.named(item),
            lambda api: change(api, home, {"type": "delete", "id": item.id}),
            reversal=term_removed(home, item.id, terms),
            look=lambda api: api.gone(ops.get_glossary_entry, home, item.id),
        )
        self.read_written()


async def change(api: Api, home: str, *changes: Mapping[str, object]) -> bool:
    """Send changes of a glossary. Raises ``ApiError``."""
    from copydesk.contract.models.glossary import GlossaryUpdate

    body = GlossaryUpdate.model_validate({"operations": changes})
    await api(ops.update_glossary_entries, home, body)
    return True


async def newest(api: Api, home: str) -> Sequence[GlossaryEntry]:
    """Return the newest entries."""
    return (await api.page(ops.list_glossary_entries, home, limit=LOOKED_AT)).items


async def find_added(api: Api, home: str, terms: Terms, known: set[str]) -> GlossaryEntry | None:
    """Return the entry with these terms that is not ``known``; the answer to adding has no id."""
    for each in await newest(api, home):
        if each.id not in known and each.translations == terms:
            return each
    return None
