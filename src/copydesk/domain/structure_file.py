"""The structure of a site as a file that people edit: written, and read with every mistake in it.

The file says what the site shall be. It is YAML: the site's id, and its sections in their order
with their settings and the spaces that they show (or, for a site without sections, its spaces).
Default values are left out. Reading only makes entries of it; `structure_target` holds them against
what the site is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from difflib import get_close_matches
from hashlib import sha256
from shlex import quote
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import GROUP, TOP, Layout
from copydesk.domain.reversal import SAID_CELLS
from copydesk.domain.site_rules import FIELDS
from copydesk.domain.text import clean, shorten
from copydesk.domain.yaml_lines import Fields, FileError, Items, Node, Problem, Word, read, word

Kind = Literal["section", "site-space"]

KINDS: tuple[Kind, ...] = ("section", "site-space")

SWITCHES = ("hidden", "default")
"""The switches of a thing; every other setting is a text."""

TEXTS: Mapping[Kind, tuple[str, ...]] = {
    kind: tuple(name for name in FIELDS[kind] if name not in SWITCHES) for kind in KINDS
}
"""The text settings of each kind, in the order of the file; the names are the API's."""

FLAGS: Mapping[Kind, tuple[str, ...]] = {
    kind: tuple(name for name in SWITCHES if name == "default" or name in FIELDS[kind])
    for kind in KINDS
}
"""The switches of each kind."""

TOLD: Mapping[Kind, str] = {"section": "group", "site-space": "title"}
"""What the file only tells: no request changes it."""

NAMES: Mapping[Kind, str] = {"section": "section", "site-space": "space"}
"""What people call a thing."""

_YES = frozenset({"true", "yes", "on"})
_NO = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A section or a site space as the file has it, from ``line`` on: the ``number``-th entry.

    ``id`` is empty for one to be added, which shows ``space`` (an id or a title) then. ``values``
    are the settings by the names of the API; ``told`` what the file only tells; ``lines`` where
    each name stands. ``spaces`` are those of a section.
    """

    kind: Kind
    line: int
    number: int = 0
    id: str = ""
    space: str = ""
    values: Mapping[str, str | bool] = field(default_factory=dict)
    told: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    spaces: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        title = str(self.values.get("title", "")) if self.kind == "section" else self.told
        return quoted(title or self.space or self.id)

    def line_of(self, name: str) -> int:
        """Return where a setting stands, or should."""
        return self.lines.get(name, self.line)


@dataclass(frozen=True, slots=True)
class StructureFile:
    """What a file says that a site shall be.

    ``line`` is where its list begins, ``exported`` the `fingerprint` of the structure it was made
    from.
    """

    site: str
    entries: tuple[Entry, ...]
    line: int = 1
    sectioned: bool = True
    exported: str = ""

    def every(self) -> Iterator[Entry]:
        """Go through all entries in their order, a section before its spaces."""
        for entry in self.entries:
            yield entry
            yield from entry.spaces

    def spaces_to_add(self) -> list[Entry]:
        """Return the entries that show one more space."""
        return [entry for entry in self.every() if not entry.id]


def quoted(text: str) -> str:
    """Return somebody's words for a sentence."""
    return f"“{shorten(clean(text).strip(), SAID_CELLS)}”"


# Writing


def write_file(site: str, title: str, layout: Layout, options: str = "") -> str:
    """Return the file of a site's structure, with a comment on what may be changed in it.

    ``options`` are the command-line options that reach the same service.
    """
    body = _body(site, layout)
    body.insert(1, f"exported: {fingerprint(site, layout)}")
    comment = _comment(site, title, options, sectioned=is_sectioned(layout))
    return "\n".join([*(f"# {line}".rstrip() for line in comment), *body, ""])


def fingerprint(site: str, layout: Layout) -> str:
    """Return what tells this state of a site from all others."""
    text = "\n".join(_body(site, layout))
    return f"x{sha256(text.encode()).hexdigest()[:15]}"


def is_sectioned(layout: Layout) -> bool:
    """Whether a site has sections."""
    return any(item.kind == "section" for item in layout.items.values())


def _comment(site: str, title: str, options: str, *, sectioned: bool) -> list[str]:
    command = f"copydesk structure apply {quote(clean(site))} FILE{clean(options)}"
    lines = [
        f"The structure of {quoted(title)}: what this file says is what the site shall be.",
        "",
        f"  {command} --plan   shows what that takes",
        f"  {command}          sends it",
        "",
        "You may change the order, and these settings (what is not there is empty, or false):",
    ]
    first = "one of those side by side"
    if sectioned:
        lines.append(f"  of a section: {', '.join((*TEXTS['section'], *FLAGS['section']))}")
        first = "one section, and one space in each"
    return [
        *lines,
        f"  of a space: {', '.join((*TEXTS['site-space'], *FLAGS['site-space']))}",
        f"“default: true” is where readers land: {first}.",
        "You may add entries: without an id, and with “space: ID OR TITLE” of what they show.",
        "You may take out entries: apply removes what is missing if it is told --remove.",
        "Ids, groups, titles of spaces, “exported” only tell what is what; groups and links stay.",
    ]


def _body(site: str, layout: Layout) -> list[str]:
    sectioned = is_sectioned(layout)
    name = "sections" if sectioned else "spaces"
    rows = layout.sections() if sectioned else layout.levels.get(TOP, ())
    lines = [f"site: {word(site)}", f"{name}:" if rows else f"{name}: []"]
    for row in rows:
        lines += _entry_lines(layout, row, "  ")
    return lines


def _entry_lines(layout: Layout, row: str, indent: str) -> list[str]:
    item = layout.items[row]
    values = {**item.values, "id": row}
    if item.kind == "section":
        names = ["id", *TEXTS["section"], *FLAGS["section"], TOLD["section"]]
        values[TOLD["section"]] = layout.level_of(row).removeprefix(GROUP)
    else:
        names = ["id", TOLD["site-space"], *TEXTS["site-space"], *FLAGS["site-space"]]
    lines: list[str] = []
    for name in names:
        if value := values.get(name):
            text = "true" if value is True else word(str(value))
            lines.append(f"{indent}{'  ' if lines else '- '}{name}: {text}")
    if item.kind == "section":
        inside = layout.levels[row]
        lines.append(f"{indent}  spaces:{'' if inside else ' []'}")
        for below in inside:
            lines += _entry_lines(layout, below, f"{indent}    ")
    return lines


# Reading


_BEGINNING = "it has to begin with “site:”, as copydesk structure export writes it"


def read_file(text: str) -> StructureFile:
    """Return what a file says. Raises `FileError` with everything that is wrong in it."""
    if not text.strip():
        raise FileError([Problem(0, f"the file is empty; {_BEGINNING}")])
    return _Reader().file(read(text))


class _Reader:
    """Reads one file and collects its problems."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._ids: dict[str, int] = {}
        self._count = 0

    def file(self, node: Node) -> StructureFile:
        """Return the file. Raises `FileError`."""
        if not isinstance(node, Fields):
            raise FileError([Problem(node.line, _BEGINNING)])
        fields, lines = self._fields(node, ("site", "exported", "sections", "spaces"), "of a file")
        site = self._text(fields.get("site"), "site")
        if not site:
            self._say(
                lines.get("site", 0), "“site:” with the id of the site is missing: export writes it"
            )
        listed = [name for name in ("sections", "spaces") if name in fields]
        if len(listed) != 1:
            what = "neither “sections:” nor “spaces:”" if not listed else "both sections and spaces"
            line = lines[listed[1]] if listed else 0
            self._say(line, f"the file has {what}: a site has sections, or spaces without")
        sectioned = listed[:1] != ["spaces"]
        line = 1
        entries: tuple[Entry, ...] = ()
        if listed:
            line = lines[listed[0]]
            entries = self._entries(fields[listed[0]], "section" if sectioned else "site-space")
        if self._problems:
            raise FileError(self._problems)
        exported = self._text(fields.get("exported"), "exported")
        return StructureFile(site, entries, line, sectioned, exported)

    def _entries(self, node: Node, kind: Kind) -> tuple[Entry, ...]:
        if isinstance(node, Word) and node.empty:
            return ()
        if not isinstance(node, Items):
            self._say(node.line, f"here is a list of {NAMES[kind]}s: each begins with “- id:”")
            return ()
        return tuple(entry for each in node.items if (entry := self._entry(each, kind)))

    def _entry(self, node: Node, kind: Kind) -> Entry | None:
        if not isinstance(node, Fields):
            self._say(node.line, f"a {NAMES[kind]} is missing here: write “- id:” and its settings")
            return None
        texts = TEXTS[kind]
        below = ("spaces",) if kind == "section" else ()
        known = ("id", "space", *texts, *FLAGS[kind], TOLD[kind], *below)
        fields, lines = self._fields(node, known, f"of a {NAMES[kind]}")
        values: dict[str, str | bool] = {}
        for name in texts:
            if text := self._text(fields.get(name), name):
                values[name] = text
        for name in FLAGS[kind]:
            if self._flag(fields.get(name), name):
                values[name] = True
        key, space = (self._text(fields.get(name), name).strip() for name in ("id", "space"))
        spaces = self._entries(fields["spaces"], "site-space") if "spaces" in fields else ()
        if not key and not space and spaces and spaces[0].space and not spaces[0].id:
            # A section is made with a space: with the first that it is to show.
            space, lines["space"] = spaces[0].space, spaces[0].line_of("space")
        if bool(key) == bool(space):
            what = "both an id and a space" if key else "neither an id nor a space"
            self._say(
                node.line,
                f"this {NAMES[kind]} has {what}: one that is there has its id, "
                "one to add has “space:” with the id or the title of the space to show",
            )
        if key and key in self._ids:
            self._say(lines["id"], f"the id {key} is in line {self._ids[key]} already")
        elif key:
            self._ids[key] = lines["id"]
        told = self._text(fields.get(TOLD[kind]), TOLD[kind])
        if space and told:
            why = (
                "no operation puts a section into a group"
                if kind == "section"
                else "it is called as its space is"
            )
            self._say(lines[TOLD[kind]], f"a {NAMES[kind]} to add has no {TOLD[kind]}: {why}")
        self._count += 1
        return Entry(kind, node.line, self._count, key, space, values, told, lines, spaces)

    def _fields(
        self, node: Fields, known: tuple[str, ...], where: str
    ) -> tuple[dict[str, Node], dict[str, int]]:
        """Return what stands for each name, and the line of the name."""
        found: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for name, value in node.pairs:
            if not isinstance(name, Word):
                self._say(name.line, "here is a name and what it stands for, like “path: guides”")
            elif name.text not in known:
                near = get_close_matches(name.text, known, 1)
                meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
                self._say(name.line, f"{quoted(name.text)} is no setting {where}: {meant}")
            elif name.text in found:
                first = lines[name.text]
                self._say(name.line, f"{name.text} is there twice: line {first} has it too")
            else:
                found[name.text], lines[name.text] = value, name.line
        return found, lines

    def _text(self, node: Node | None, name: str) -> str:
        if node is None:
            return ""
        if not isinstance(node, Word):
            self._say(node.line, f"{name} is a text, and here is a list or more settings")
            return ""
        return "" if node.empty else node.text

    def _flag(self, node: Node | None, name: str) -> bool:
        if node is None or (isinstance(node, Word) and node.empty):
            return False
        said = node.text.lower() if isinstance(node, Word) else ""
        if said not in _YES | _NO:
            shown = f", not {quoted(said)}" if said else ""
            self._say(node.line, f"{name} is true or false{shown}")
        return said in _YES

    def _say(self, line: int, sentence: str) -> None:
        self._problems.append(Problem(line, sentence))
