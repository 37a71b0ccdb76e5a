"""One Markdown file: its front matter, kept verbatim, and what it says about the page."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from copydesk.domain.blocks import BlockText
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.slug import named
from copydesk.server.sources.mapping import BadYamlError, read_mapping, read_toml
from copydesk.server.sources.model import Blob, Facts, SourcePage
from copydesk.server.sources.paths import folder_of, last_part, stem_of
from copydesk.server.sources.summary import tidy

MAX_PAGE = 8 * 1024 * 1024
"""Largest file that becomes a page, in bytes; a bigger one is kept as a file."""

MAX_COVER_Y = 100_000
"""Farthest that a cover can be moved, in pixels; a number beyond it is a slip."""

_FENCED = re.compile(
    r"\A\ufeff?(?P<fence>---|\+\+\+)[ \t]*\r?\n(?P<said>.*?)^(?P=fence)[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_APART = re.compile(r"[ \t]*(?:#|\r?\n?$)")
_LINK = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[([^\[\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"`([^`]*)`|</?[A-Za-z][^<>]*>|\s:id=\S+|\*\*")
"""What a heading has and a title has not: tags, `:id=`, the signs of code and of strong words."""

_SEARCHED = 400
"""How many lines, and characters of a line, a page's first heading is looked for in."""

_LONGEST = 4 * _SEARCHED
"""How many characters a first heading may have with its badges, which are taken out."""

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_PLACES = ("sidebar_position", "weight", "nav_order", "order")
"""What Docusaurus, Hugo, Jekyll and VuePress call the place of a page among those beside it."""

_LABELS = ("sidebar_label", "sidebarTitle")
"""What Docusaurus, and Mintlify and Nextra call the title that their sidebar has for a page.

Starlight has it, and the place, as ``label`` and ``order`` of ``sidebar``.
"""

_LAYOUT = ("title", "description", "tableOfContents", "outline", "pagination", "metadata", "tags")


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown file in two verbatim parts. ``refusal`` says why it cannot be a page.

    ``title`` and ``name`` are what its front matter calls it, for trees that no summary names;
    ``label`` is what is read there for a sidebar, ``position`` the place in one of the
    words of ``_PLACES``, which is ``placed_by``, ``draft`` what Hugo does not publish yet.

    ``complaint`` is a fault of the front matter of a page that can be used all the same, and
    ``line`` its line.
    """

    front_matter: str = ""
    markdown: str = ""
    facts: Facts = field(default_factory=Facts)
    title: str | None = None
    name: str | None = None
    label: str | None = None
    position: float | None = None
    placed_by: str = ""
    draft: bool = False
    refusal: str | None = None
    complaint: str | None = None
    line: int | None = None

    def heading(self) -> str | None:
        """Return the words of the first top heading, without the signs of Markdown and HTML."""
        lines = self.markdown[: _SEARCHED * _SEARCHED].split("\n", _SEARCHED)[:_SEARCHED]
        text = BlockText("\n".join(lines))
        for block in text.blocks:
            if block.kind == "heading" and block.level == 1:
                title = text.heading(block)[:_LONGEST]
                for _ in range(2):  # a badge is a picture in a link
                    title = _LINK.sub(r"\1", title)
                title = _MARKUP.sub(r"\1", named(title.strip())[0])[:_SEARCHED].strip()
                if title:
                    return _ESCAPE.sub(r"\1", title)
        return None


def read_document(blob: Blob) -> Document:
    """Read a Markdown file. Raises ``OSError`` when it cannot be read at all."""
    if blob.kind == "missing":
        return Document(refusal="is missing from this clone")
    if blob.kind != "file":
        return Document(refusal=f"is a {blob.kind}, which is not followed")
    data = blob.read()
    if len(data) > MAX_PAGE:
        return Document(refusal=f"is larger than {MAX_PAGE // 1024 // 1024} MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Document(refusal=f"is not UTF-8 (byte {error.start + 1})")
    found = _FENCED.match(text)
    if found is None:
        mark = text[:1] if text.startswith("\ufeff") else ""
        return Document(mark, text[len(mark) :])
    front, body = text[: found.end()], text[found.end() :]
    try:
        values = _values(found)
        facts = read_facts(values)
    except BadYamlError as error:
        line = None if error.line is None else error.line + 1
        return Document(front, body, complaint=f"has front matter that {error.reason}", line=line)
    title, name = values.get("title"), values.get("id")
    sidebar = values.get("sidebar")
    aside: dict[str, Any] = sidebar if isinstance(sidebar, dict) else {}
    labels = (*(values.get(key) for key in _LABELS), aside.get("label"))
    told = {name: values.get(name) for name in _PLACES} | {"sidebar.order": aside.get("order")}
    places = ((name, at) for name, value in told.items() if (at := number(value)) is not None)
    placed_by, position = next(places, ("", None))
    return Document(
        front,
        body,
        facts,
        title=title if isinstance(title, str) else None,
        name=name if isinstance(name, str) else None,
        label=next((label for label in labels if isinstance(label, str)), None),
        position=position,
        placed_by=placed_by,
        draft=values.get("draft") is True,
    )


def _values(found: re.Match[str]) -> dict[str, Any]:
    """Return what stands in front matter, in YAML or (between ``+++``) in TOML."""
    return (read_toml if found["fence"] == "+++" else read_mapping)(found["said"])


def number(value: object) -> float | None:
    """Return a finite number that YAML has, also one that it takes for a text (``08``)."""
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def read_facts(values: Mapping[str, Any]) -> Facts:
    """Return what front matter says; a value of the wrong kind says nothing."""

    def words(name: str) -> str | None:
        value = values.get(name)
        said = isinstance(value, str | int | float) and not isinstance(value, bool)
        return str(value).strip() or None if said else None

    layout: dict[str, bool | str] = {}
    shown = values.get("layout")
    if isinstance(shown, dict):
        if isinstance(shown.get("width"), str):
            layout["width"] = shown["width"]
        for name in ("cover", *_LAYOUT):
            part = shown.get(name)
            visible = part.get("visible") if isinstance(part, dict) else part
            if isinstance(visible, bool):
                layout[name] = visible
        cover = shown.get("cover")
        if isinstance(cover, dict) and isinstance(cover.get("size"), str):
            layout["coverSize"] = cover["size"]
    covered = words("cover")
    return Facts(
        description=words("description"),
        emoji=words("emoji"),
        icon=words("icon"),
        hidden=values.get("hidden") is True,
        no_index=values.get("noIndex") is True,
        no_robots_index=values.get("noRobotsIndex") is True,
        cover=covered,
        cover_y=None if covered is None else _offset(values.get("coverY")),
        layout=layout,
    )


def _offset(value: object) -> float | None:
    """Return the offset of a cover; None for anything but a finite number."""
    if isinstance(value, int | float) and abs(value) <= MAX_COVER_Y:
        return float(value)
    return None


def facts_of(page: SourcePage) -> Facts:
    """Return what a page's front matter would have to say."""
    return Facts(**page.facts_by_name())


def front_matter(
    page: SourcePage, base: SourcePage | None, own: Mapping[str, Any] | None = None
) -> str:
    """Return the front matter to write for a page.

    It stays verbatim while it says what the page does, or as much of that as it did in ``base``;
    else only the values that differ are set, and what else stands there stays. It stays verbatim
    too where that cannot be done: in YAML that cannot be read, and for a few values in TOML.
    Where no summary has the titles, ``own`` is what is to be said besides: it has the title then.
    """
    raw, wanted = page.front_matter, facts_of(page)
    found = _FENCED.match(raw)
    try:
        values = _values(found) if found else {}
    except BadYamlError:
        return raw
    said = read_facts(values)
    # What was taken for hidden because it is a draft says so by that, and is none when it is shown.
    draft = (base or page).hidden and values.get("draft") is True
    said = replace(said, hidden=said.hidden or draft)
    own = {} if own is None else _within(values, _title(page, base, values), own)
    same = base is not None and base.front_matter == raw and facts_of(base) == wanted
    told, spoken = _spoken(said), _spoken(wanted)
    names = () if same else (*told, *spoken)
    changes = {**own} | {
        name: _turned(values.get(name), told.get(name), spoken.get(name))
        for name in names
        if told.get(name) != spoken.get(name)
    }
    if draft and "hidden" in changes:
        changes["draft"] = None
    if not changes:
        return raw
    values = {name: value for name, value in (values | changes).items() if value is not None}
    mark = "\ufeff" if raw.startswith("\ufeff") else ""
    if not values:
        return mark
    newline = "\r\n" if "\r\n" in (raw or page.markdown) else "\n"
    if found is not None:
        toml, edited = found["fence"] == "+++", found["said"]
        for name, value in changes.items():
            edited = (_with_line if toml else _with_value)(edited, name, value, newline)
        if _reads_as_toml(edited, values) if toml else _reads_as(edited, wanted, own, draft):
            return raw[: found.start("said")] + edited + raw[found.end("said") :]
        if toml:
            return raw
    return mark + f"---{newline}{_dumped(values, newline)}---{newline}"


def _title(page: SourcePage, base: SourcePage | None, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what front matter must say for the title of a page; nothing where its file says it.

    A title of a table of contents is not of the file, and nothing there changes it.
    """
    title = _title_read(page)
    same = base is not None and base.title == page.title
    if same and base is not None and base.content() != page.content():
        same = base.source_path == page.source_path and _title_read(base) == title
    if same or title == page.title:
        return {}
    if base is not None:
        path = base.source_path or ""
        names = {stem_of(path), last_part(folder_of(path)), "Home"}
        if base.title not in ({read} if (read := _title_read(base)) else names):
            return {}
    sidebar = values.get("sidebar")
    if isinstance(sidebar, dict) and isinstance(sidebar.get("label"), str):
        return {"sidebar": {"label": page.title}}
    labels = (key for key in _LABELS if isinstance(values.get(key), str))
    return {next(labels, "title"): page.title}


def _within(values: Mapping[str, Any], *said: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that is to be said; a table has what ``values`` have in it besides."""
    found: dict[str, Any] = {}
    for name, value in (item for each in said for item in each.items()):
        there = found.get(name, values.get(name))
        if isinstance(there, dict) and isinstance(value, dict):
            value = there | value
        found[name] = value
    return found


def _turned(there: Any, told: Any, spoken: Any) -> Any:
    """Return the value that is ``there`` as it says ``spoken``, not ``told``; None for none.

    What else stands in a table stays.
    """
    if not isinstance(there, dict) or not isinstance(spoken, dict | None):
        return spoken
    told, spoken = told or {}, spoken or {}
    found = there | {
        name: _turned(there.get(name), told.get(name), spoken.get(name))
        for name in {**told, **spoken}
    }
    return {name: value for name, value in found.items() if value is not None} or None


def _title_read(page: SourcePage) -> str:
    """Return the title that the file of a page has for itself; "" for none."""
    document = read_document(Blob.of(page.content()))
    return tidy(document.label or document.title or document.heading() or "")


def _dumped(values: Mapping[str, Any], newline: str) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=1000)
    return text.replace("\n", newline)


def _with_value(text: str, name: str, value: Any, newline: str) -> str:
    """Return a YAML mapping with one value set, or gone for None; all else stays as it stands."""
    import yaml

    said = "" if value is None else _dumped({name: value}, newline)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError):
        return text
    block = isinstance(node, yaml.MappingNode) and not node.flow_style
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    indent = " " * pairs[0][0].start_mark.column if block and pairs else ""
    said = "".join(indent + line for line in _LINE.findall(said))
    for key, old in pairs:
        if key.value == name:
            # A table may end at the next key, after the indent of that.
            start, stop = key.start_mark.index, len(text[: old.end_mark.index].rstrip(" "))
            first = old.start_mark.index
            one = isinstance(old, yaml.ScalarNode) and old.value and "\n" not in text[first:stop]
            if one and (shown := _scalar(said, value, old.style)):
                # What stands behind a value stays.
                return text[:first] + shown + text[stop:]
            lines = _LINE.findall(text, start)
            # A value may end at the next key: blank lines and comments before that are not its own.
            whole = [
                line for line, at in zip(lines, _starts(lines, start), strict=True) if at < stop
            ]
            while len(whole) > 1 and _APART.match(whole[-1]):
                whole.pop()
            start, stop = start - len(indent), start + sum(map(len, whole))
            table = isinstance(old, yaml.MappingNode) and isinstance(value, dict)
            if table and _APART.match(whole[0].partition(":")[2]):
                inner = _with_table("".join(whole[1:]), value, newline)
                return text[: stop - sum(map(len, whole[1:]))] + inner + text[stop:]
            return text[:start] + said + text[stop:]
    return (text if not text or text.endswith(("\n", "\r")) else text + newline) + said


def _with_table(text: str, table: Mapping[str, Any], newline: str) -> str:
    """Return a YAML mapping that says what another one does; what is the same there stays."""
    try:
        there = read_mapping(text)
    except BadYamlError:
        return text
    for name in {**there, **table}:
        if there.get(name) != table.get(name):
            text = _with_value(text, name, table.get(name), newline)
    return text


def _scalar(said: str, value: Any, style: str | None) -> str | None:
    """Return a value as one line, with the quotes of ``style``; None for one of several lines."""
    import yaml

    shown = said.partition(":")[2].strip()
    if style and isinstance(value, str):
        node = yaml.ScalarNode("tag:yaml.org,2002:str", value, style=style)
        shown = yaml.serialize(node, allow_unicode=True, width=1_000_000).strip()
    return shown if shown and "\n" not in shown else None


def _with_line(text: str, name: str, value: Any, newline: str) -> str:
    """Return TOML with one value set in a line of its own, or gone for None.

    It may be something else then, where the value is not of one line: see ``_reads_as_toml``.
    """
    lines = _LINE.findall(text)
    said = [] if value is None else [f"{name} = {json.dumps(value, ensure_ascii=False)}{newline}"]
    tables = (at for at, line in enumerate(lines) if line.lstrip().startswith("["))
    top = next(tables, len(lines))
    old = next((at for at in range(top) if re.match(rf"\s*{name}\s*=", lines[at])), None)
    lines[slice(top, top) if old is None else slice(old, old + 1)] = said
    return "".join(lines)


def _reads_as_toml(text: str, values: Mapping[str, Any]) -> bool:
    try:
        return read_toml(text) == values
    except BadYamlError:
        return False


def _starts(lines: Sequence[str], first: int) -> Iterator[int]:
    for line in lines:
        yield first
        first += len(line)


def _reads_as(text: str, wanted: Facts, own: Mapping[str, Any], draft: bool) -> bool:
    try:
        values = read_mapping(text)
        said = read_facts(values)
        hidden = said.hidden or (draft and "draft" in values)
        named = all(values.get(name) == value for name, value in own.items())
        return named and replace(said, hidden=hidden) == wanted
    except BadYamlError:
        return False


def _spoken(facts: Facts) -> dict[str, Any]:
    """Return facts as front matter has them; ``read_facts`` is the way back."""
    values: dict[str, Any] = {
        "description": facts.description,
        "emoji": facts.emoji,
        "icon": facts.icon,
        "hidden": facts.hidden or None,
        "noIndex": facts.no_index or None,
        "noRobotsIndex": facts.no_robots_index or None,
        "cover": facts.cover,
        "coverY": facts.cover_y,
    }
    layout: dict[str, Any] = {}
    for name, value in facts.layout.items():
        if name == "width":
            layout["width"] = value
        elif name == "coverSize":
            layout.setdefault("cover", {})["size"] = value
        else:
            layout.setdefault(name, {})["visible"] = value
    values["layout"] = layout or None
    return {name: value for name, value in values.items() if value is not None}
