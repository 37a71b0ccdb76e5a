"""The visitor attributes of a site, and what another schema makes of them, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.text import Text

from copydesk.domain.json_text import JsonText, place_of
from copydesk.domain.moments import age, moment
from copydesk.domain.text import clean, few, plural, shorten
from copydesk.domain.visitor_schema import Attribute, Changes, Problem
from copydesk.present.facts import Fact, hint
from copydesk.session.site_rows import SchemaRow, SiteRow, missing, title

NAME_CELLS = 40
"""A name longer than this is cut where it is told."""

TOLD = 6
"""So many things are named in one list of a sheet; of more it is said how many."""

SIGNED = "comes signed, from whoever signs visitors in"
UNSIGNED = "comes from the visitor's side: anybody can say so of themselves"


def short_name(attribute: Attribute) -> str:
    """Return what an attribute is called, an unsigned one with where it is."""
    name = shorten(title(attribute), NAME_CELLS)
    return f"unsigned.{name}" if attribute.unsigned else name


def name(row: SchemaRow) -> Text | str:
    """Return the title of a row."""
    if row.kind in ("attribute", "missing"):
        return Text(row.title, style="strong" if row.kind == "attribute" else "bad")
    return Text(row.title, style="code") if row.kind == "condition" else Text(row.title, "emphasis")


def signed(row: SchemaRow) -> Text | str:
    """Return whether an attribute comes signed."""
    if row.kind == "missing":
        return Text("missing", style="bad")
    if row.kind != "attribute":
        return ""
    return Text("unsigned", style="warn") if row.unsigned else "signed"


def used(row: SchemaRow) -> Text | str:
    """Return how many conditions of the site name an attribute."""
    if row.kind not in ("attribute", "missing"):
        return ""
    return str(len(row.places)) if row.places else Text("-", style="muted")


def about(row: SchemaRow) -> Text | str:
    """Return what a row is about."""
    if row.kind == "missing":
        return Text(row.about, style="bad")
    return row.about if row.kind == "attribute" else Text(row.about, style="muted")


def row_facts(row: SchemaRow) -> list[Fact]:
    """Return what to know about a row."""
    if row.kind == "condition":
        told = [Fact("condition", Text(row.text, style="code")), Fact("means", row.about)]
        return [*told, Fact("", hint("y copies it; e in Structure puts it on a row."))]
    if row.kind == "heading":
        return [Fact("", "They name several attributes, or none of this schema.")]
    where = few(row.places, TOLD) if row.places else Text("no condition", style="muted")
    if row.kind == "missing":
        said = "The schema does not have it: such a condition does not do what was meant."
        return [
            Fact("in conditions", Text(row.text, style="code")),
            Fact("named by", where),
            Fact("", Text(said, style="bad")),
        ]
    found = [
        Fact("about", row.about or Text("nothing is said of it", style="muted")),
        Fact("in conditions", Text(row.text, style="code")),
        Fact("claim", Text(UNSIGNED, style="warn") if row.unsigned else SIGNED),
    ]
    if row.holds:
        found.append(Fact("holds", row.holds))
    if row.default:
        found.append(Fact("default", row.default))
    found.append(Fact("named by", where))
    return found


def schema_note(updated: datetime | None, now: datetime) -> str:
    """Return when a schema was changed last, for a title."""
    since = age(updated, now)
    if not since:
        return ""
    return "changed just now" if since == "now" else f"changed {since} ago"


def warning(schema: object, used: Mapping[tuple[bool, str], tuple[str, ...]], site: SiteRow) -> str:
    """Return a warning about a schema and its site; empty for none."""
    if lost := len(missing(schema, used)):
        return f"{plural(lost, 'name')} in conditions {'is' if lost == 1 else 'are'} missing here"
    if not site.adaptive:
        return "adaptive content is off: nothing of it has an effect"
    return ""


# Editing


def problem_lines(problems: Sequence[Problem], text: JsonText) -> list[Text]:
    """Return the problems of a schema with line and column, from the top down."""
    lines = []
    for problem in sorted(problems, key=lambda each: text.where(each.path)):
        line, column = text.where(problem.path)
        where = clean(problem.where)
        said = Text(f"line {line}, column {column}  ", style="muted")
        if where:
            said.append(f"{where}: ", style="strong")
        lines.append(said.append(f"{clean(problem.said)}."))
    return lines


def twice_lines(text: JsonText) -> list[Text]:
    """Return which members are there twice, each with its line and column."""
    lines = []
    for path, offset in text.twice:
        line, column = place_of(text.text, offset)
        said = Text(f"line {line}, column {column}  ", style="muted")
        name = clean(".".join(map(str, path)))
        lines.append(said.append(name, style="strong").append(" is there twice."))
    return lines


def change_lines(
    changes: Changes, used: Mapping[tuple[bool, str], tuple[str, ...]]
) -> list[Text | str]:
    """Return what another schema makes of the attributes, and what that does to conditions."""
    lines: list[Text | str] = []
    for each in changes.removed:
        titles = used.get(each.key, ())
        if titles:
            names = few(titles, TOLD)
            which = "condition names" if len(titles) == 1 else "conditions name"
            said = f"{names}: the {which} {short_name(each)}, which is no longer known."
            lines.append(Text(said, style="bad"))
    for verb, found in (("added", changes.added), ("removed", changes.removed)):
        if found:
            text = Text(f"{verb:<9}", style="muted")
            lines.append(text.append(few([short_name(each) for each in found], TOLD), verb))
    for before, after in changes.changed[:TOLD]:
        text = Text("changed  ", style="muted").append(short_name(after), style="changed")
        lines.append(text.append(_difference(before, after), style="muted"))
    if len(changes.changed) > TOLD:
        lines.append(Text("changed  ", "muted").append(f"{len(changes.changed) - TOLD} more"))
    if changes.elsewhere:
        lines.append(Text("changed  ", "muted").append("what is said beside the attributes"))
    return lines


def _difference(before: Attribute, after: Attribute) -> str:
    """Return what became of an attribute in a few words."""
    if before.description != after.description:
        return f"  {shorten(clean(after.description), 44) or 'no description any more'}"
    if before.default != after.default:
        default = "none" if after.default is None else clean(str(after.default)).lower()
        return f"  default: {shorten(default, 20)}"
    return ""


def summary(changes: Changes) -> str:
    """Return the changes in a few signs, for the log."""
    counts = (("+", changes.added), ("-", changes.removed), ("~", changes.changed))
    said = " ".join(f"{sign}{len(found)}" for sign, found in counts if found)
    return said or "what is said beside the attributes"


def counted(rows: Sequence[SchemaRow]) -> str:
    """Return how many attributes there are, and how many come unsigned."""
    own = [row for row in rows if row.kind == "attribute"]
    unsigned = sum(row.unsigned for row in own)
    return plural(len(own), "attribute") + (f", {unsigned} unsigned" if unsigned else "")


def changed_at(updated: datetime | None, now: datetime) -> str:
    """Return when a schema was changed last, for a sentence."""
    return moment(updated, now) or "some time ago"
