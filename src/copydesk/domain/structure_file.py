"""The structure of a site as a file that people edit: written, and read with every mistake in it.

The file says what the site shall be. It is YAML: the site's id, and in their order its sections,
with their settings and the spaces that they show, the groups of them, and the links among them
(or, for a site without sections, its spaces). Of a service without groups and links the file lists
sections only. Default values are left out. Reading only makes entries of it; `structure_target`
holds them against what the site is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from hashlib import sha256
from shlex import quote
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import GROUP, TOP, Layout
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.reversal import SAID_CELLS
from copydesk.domain.site_moves import ENTRIES, LIGHT
from copydesk.domain.site_tree import FIELDS
from copydesk.domain.text import clean, shorten
from copydesk.domain.yaml_lines import Fields, FileError, Items, Node, Problem, Word, read, word

Kind = Literal["section", "group", "link", "site-space"]

KINDS: tuple[Kind, ...] = ("section", "group", "link", "site-space")

SWITCHES = ("hidden", "draft", "default")
"""The switches of a thing; every other setting is a text."""

TEXTS: Mapping[Kind, tuple[str, ...]] = {
    kind: tuple(name for name in FIELDS[kind] if name not in SWITCHES) for kind in KINDS
}
"""The text settings of each kind, in the order of the file; the names are the API's."""

FLAGS: Mapping[Kind, tuple[str, ...]] = {
    kind: tuple(
        name
        for name in SWITCHES
        if name in FIELDS[kind] or (name == "default" and kind not in LIGHT)
    )
    for kind in KINDS
}
"""The switches of each kind."""

TOLD: Mapping[Kind, str] = {"section": "group", "site-space": "title"}
"""What the file only tells: no request changes it. The group only where sections alone are listed.
"""

INSIDE: Mapping[Kind, str] = {"section": "spaces", "group": "sections"}
"""The name of the list of children, by kind."""

NAMES: Mapping[Kind, str] = {
    "section": "section",
    "group": "group",
    "link": "link",
    "site-space": "space",
}
"""What people call a thing."""

LISTS = ("structure", "sections", "spaces")
"""What the list of a file may be called: with groups and links, without, or without sections."""

_YES = frozenset({"true", "yes", "on"})
_NO = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing as the file has it, from ``line`` on: the ``number``-th entry.

    ``id`` is empty for one to be added; a section or a site space shows ``space`` (an id or a
    title) then. ``values`` are the settings by the names of the API; ``told`` what the file only
    tells; ``lines`` where each name stands. ``inside`` is what is in a section or a group.
    """

    kind: Kind
    line: int
    number: int = 0
    id: str = ""
    space: str = ""
    values: Mapping[str, str | bool] = field(default_factory=dict)
    told: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    inside: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        title = self.told if self.kind == "site-space" else str(self.values.get("title", ""))
        return quoted(title or self.space or self.id)

    def line_of(self, name: str) -> int:
        """Return where a setting stands, or should."""
        return self.lines.get(name, self.line)


@dataclass(frozen=True, slots=True)
class StructureFile:
    """What a file says that a site shall be.

    ``line`` is where its list begins, ``exported`` the `fingerprint` of the structure it was made
    from. It is ``whole`` with the groups and links of the site; otherwise these stay as they are.
    """

    site: str
    entries: tuple[Entry, ...]
    line: int = 1
    sectioned: bool = True
    whole: bool = False
    exported: str = ""

    def every(self) -> Iterator[Entry]:
        """Yield all entries in order, each before its children."""
        waiting = [*reversed(self.entries)]
        while waiting:
            entry = waiting.pop()
            yield entry
            waiting += reversed(entry.inside)

    def beside(self) -> list[Entry]:
        """Return the sections in their order, groups opened up; without sections the spaces."""
        kind = "section" if self.sectioned else "site-space"
        return [entry for entry in self.every() if entry.kind == kind]

    def spaces_to_add(self) -> list[Entry]:
        """Return the entries that show one more space."""
        return [entry for entry in self.every() if not entry.id and entry.kind not in LIGHT]


def quoted(text: str) -> str:
    """Return somebody's words for a sentence."""
    return f"“{shorten(clean(text).strip(), SAID_CELLS)}”"


# Writing


def write_file(
    site: str, title: str, layout: Layout, options: str = "", *, whole: bool = False
) -> str:
    """Return the file of a site's structure, with a comment on what may be changed in it.

    ``options`` are the command-line options that reach the same service; ``whole`` says that this
    has groups and links.
    """
    body = _body(site, layout, whole=whole)
    body.insert(1, f"exported: {fingerprint(site, layout, whole=whole)}")
    comment = _comment(site, title, options, _listed(layout, whole=whole))
    return "\n".join([*(f"# {line}".rstrip() for line in comment), *body, ""])


def fingerprint(site: str, layout: Layout, *, whole: bool = False) -> str:
    """Return what tells this state of a site from all others."""
    text = "\n".join(_body(site, layout, whole=whole))
    return f"x{sha256(text.encode()).hexdigest()[:15]}"


def is_sectioned(layout: Layout) -> bool:
    """Whether a site has sections, or what stands among them."""
    return any(item.kind in ENTRIES for item in layout.items.values())


def _listed(layout: Layout, *, whole: bool) -> str:
    """Return the name of the list that a structure is written as."""
    if not is_sectioned(layout):
        return "spaces"
    return "structure" if whole else "sections"


def _comment(site: str, title: str, options: str, name: str) -> list[str]:
    command = f"copydesk structure apply {quote(clean(site))} FILE{clean(options)}"
    lines = [
        f"The structure of {quoted(title)}: what this file says is what the site shall be.",
        "",
        f"  {command} --plan   shows the calls",
        f"  {command}          sends it",
        "",
        "You may change the order, and these settings (what is not there is empty, or false):",
    ]
    kinds: dict[str, tuple[Kind, ...]] = {"structure": KINDS, "sections": ("section", "site-space")}
    lines += [
        f"  of a {NAMES[kind]}: {', '.join((*TEXTS[kind], *FLAGS[kind]))}"
        for kind in kinds.get(name, ("site-space",))
    ]
    first = "one section, and one space in each"
    if name == "spaces":
        first = "one of those side by side"
    lines.append(f"“default: true” is where readers land: {first}.")
    added = "without an id, and with “space: ID OR TITLE” of what they show"
    told = "Ids, titles of spaces, “exported” only tell what is what."
    if name == "structure":
        lines.append(
            "“sections:” in a group has what is in it: move sections in or out as you like."
        )
        added = "without an id; a section or space with “space: ID OR TITLE” of what it shows"
    elif name == "sections":
        told = told.replace("Ids,", "Ids, groups,").replace(".", "; groups and links stay.")
    return [
        *lines,
        f"You may add entries: {added}.",
        "You may take out entries: apply removes what is missing if it is told --remove.",
        told,
    ]


def _body(site: str, layout: Layout, *, whole: bool) -> list[str]:
    name = _listed(layout, whole=whole)
    rows = layout.sections() if name == "sections" else layout.levels.get(TOP, ())
    lines = [f"site: {word(site)}", f"{name}:" if rows else f"{name}: []"]
    for row in rows:
        lines += _entry_lines(layout, row, "  ", whole=whole)
    return lines


def _entry_lines(layout: Layout, row: str, indent: str, *, whole: bool) -> list[str]:
    kind = _kind(layout, row)
    values = {**layout.items[row].values, "id": row}
    names = ["id", *TEXTS[kind], *FLAGS[kind]]
    if kind == "site-space":
        names.insert(1, TOLD[kind])
    elif kind == "section" and not whole:
        names.append(TOLD[kind])
        values[TOLD[kind]] = layout.level_of(row).removeprefix(GROUP)
    lines: list[str] = []
    for name in names:
        value = values.get(name)
        if value or (name == "url" and kind == "link"):  # by which it is known for a link
            text = "true" if value is True else word(str(value or ""))
            lines.append(f"{indent}{'  ' if lines else '- '}{name}: {text}")
    if kind in INSIDE:
        inside = layout.levels[row]
        lines.append(f"{indent}  {INSIDE[kind]}:{'' if inside else ' []'}")
        for below in inside:
            lines += _entry_lines(layout, below, f"{indent}    ", whole=whole)
    return lines


def _kind(layout: Layout, row: str) -> Kind:
    return next(kind for kind in KINDS if kind == layout.items[row].kind)


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
        self._whole = False

    def file(self, node: Node) -> StructureFile:
        """Return the file. Raises `FileError`."""
        if not isinstance(node, Fields):
            raise FileError([Problem(node.line, _BEGINNING)])
        fields, lines = self._fields(node, ("site", "exported", *LISTS), "of a file")
        site = self._text(fields.get("site"), "site")
        if not site:
            self._say(
                lines.get("site", 0), "“site:” with the id of the site is missing: export writes it"
            )
        listed = [name for name in LISTS if name in fields]
        if len(listed) != 1:
            what = "neither “structure:” nor “spaces:”"
            if listed:
                what = f"both {listed[0]} and {listed[1]}"
            line = lines[listed[1]] if listed else 0
            self._say(line, f"the file has {what}: a site has sections, or spaces without")
            if not listed:
                raise FileError(self._problems)
        name = listed[0]
        sectioned, self._whole = name != "spaces", name == "structure"
        entries = self._entries(fields[name], "section" if sectioned else "site-space")
        exported = self._text(fields.get("exported"), "exported")
        if self._problems:
            raise FileError(self._problems)
        return StructureFile(site, entries, lines[name], sectioned, self._whole, exported)

    def _entries(self, node: Node, kind: Kind) -> tuple[Entry, ...]:
        if isinstance(node, Word) and node.empty:
            return ()
        if not isinstance(node, Items):
            self._say(node.line, f"here is a list of {NAMES[kind]}s: each begins with “- id:”")
            return ()
        return tuple(entry for each in node.items if (entry := self._entry(each, kind)))

    def _entry(self, node: Node, listed: Kind) -> Entry | None:
        if not isinstance(node, Fields):
            what = NAMES[listed]
            self._say(node.line, f"a {what} is missing here: write “- id:” and its settings")
            return None
        kind = self._kind(node) if listed == "section" else listed
        if kind in LIGHT and not self._whole:
            why = (
                "lists “structure:” in place of “sections:”, as copydesk structure export writes it"
            )
            self._say(node.line, f"a {NAMES[kind]} belongs in a file that {why}")
            return None
        told = "" if self._whole and kind != "site-space" else TOLD.get(kind, "")
        shows = () if kind in LIGHT else ("space",)
        texts, inside = TEXTS[kind], INSIDE.get(kind, "")
        known = tuple(filter(None, ("id", *shows, *texts, *FLAGS[kind], told, inside)))
        fields, lines = self._fields(node, known, f"of a {NAMES[kind]}")
        values: dict[str, str | bool] = {}
        for name in texts:
            if text := self._text(fields.get(name), name):
                values[name] = text
        for name in FLAGS[kind]:
            if self._flag(fields.get(name), name):
                values[name] = True
        key, space = (self._text(fields.get(name), name).strip() for name in ("id", "space"))
        below: tuple[Entry, ...] = ()
        if inside in fields:
            below = self._entries(fields[inside], "section" if kind == "group" else "site-space")
        if kind == "section" and not key and not space and below and not below[0].id:
            # A section is made with a space: with the first that it is to show.
            space, lines["space"] = below[0].space, below[0].line_of("space")
        if shows and bool(key) == bool(space):
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
        said = self._text(fields.get(told), told)
        if space and said:
            why = (
                "a file that lists “structure:” puts sections into groups"
                if kind == "section"
                else "it has the name of its space"
            )
            self._say(lines[told], f"a {NAMES[kind]} to add has no {told}: {why}")
        self._count += 1
        return Entry(kind, node.line, self._count, key, space, values, said, lines, below)

    def _kind(self, node: Fields) -> Kind:
        """Return what stands among sections: a group has “sections”, and a link a “url”."""
        names = {name.text for name, _ in node.pairs if isinstance(name, Word)}
        return "group" if "sections" in names else "link" if "url" in names else "section"

    def _fields(
        self, node: Fields, known: tuple[str, ...], where: str
    ) -> tuple[dict[str, Node], dict[str, int]]:
        """Return what stands for each name, and the line of the name."""
        found: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for name, value in node.pairs:
            if not isinstance(name, Word):
                self._say(name.line, "here is a name and its value, like “path: guides”")
            elif name.text not in known:
                meant = did_you_mean(name.text, known, f"there are {', '.join(known)}")
                self._say(name.line, f"{quoted(name.text)} is not a setting {where}: {meant}")
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
