"""A page as one text that people edit: its settings as front matter, then its Markdown.

The Markdown keeps every character: line ends, the last one, a byte order mark. A service may put
front matter of its own before it: such a text stays as it is, and is sent whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from copydesk.domain.address import PATH_RULE, is_path_part
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import JSON
from copydesk.domain.text_merge import Clash, Settle, merge_text
from copydesk.domain.yaml_lines import Fields, FileError, Problem, Word, read, word

TEXTS = ("title", "slug", "description", "icon", "emoji", "condition")
FLAGS = ("hidden", "noIndex", "noRobotsIndex")
_NONE: Mapping[str, Sequence[str]] = {}
OTHERS = ("layout", "cover", "variables", "metaLinks", "tags", "target")
"""The settings that no request writes alone: only whole pages of a revision bring them."""

NEEDED = ("title", "slug")
"""What a page always has: where the front matter does not name it, it stays."""

_MARK = "\ufeff"
_FENCED = re.compile(
    r"\A---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)

_LOWER = re.compile(r"^---[ \t]*\r?\n(?=(?:[A-Za-z]+:.*\r?\n)*?title:)", re.MULTILINE)
"""Front matter that names a title, wherever it stands."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """The parts of a text: settings by their wire names, and the Markdown.

    ``whole`` says that the Markdown begins with the front matter, as the service gave it.
    """

    settings: Mapping[str, JSON] = field(default_factory=dict)
    markdown: str = ""
    whole: bool = False


def others_of(page: Mapping[str, JSON]) -> dict[str, str]:
    """Return the settings that are not in the text of a page, each as JSON."""
    return {name: json.dumps(page[name], sort_keys=True) for name in OTHERS if page.get(name)}


def page_source(
    settings: Mapping[str, JSON], markdown: str, lines_of: Mapping[str, Sequence[str]] = _NONE
) -> str:
    """Return the settings and the Markdown of a page as one text.

    Settings in ``lines_of`` stand there as these lines.
    """
    if _FENCED.match(markdown.removeprefix(_MARK)):
        return markdown
    newline = "\r\n" if "\r\n" in markdown else "\n"
    said = list[str]()
    for name in TEXTS:
        if name in lines_of:
            said += [line.rstrip("\r\n") for line in lines_of[name]]
        elif settings.get(name):
            said.append(f"{name}: {word(str(settings[name]))}")
    said += [f"{name}: true" for name in FLAGS if settings.get(name)]
    mark = _MARK if markdown.startswith(_MARK) else ""
    lines = newline.join(["---", *said, "---", ""])
    return f"{mark}{lines}{markdown[len(mark) :]}"


def read_page_source(text: str, *, whole: bool = False) -> PageSource:
    """Return the parts of a text. Raises `FileError` with the line of a mistake in the settings.

    Where the service itself gave the front matter, as the first text of the page had it, the text
    is Markdown as a ``whole``: the service reads what it says.
    """
    mark = _MARK if text.startswith(_MARK) else ""
    found = _FENCED.match(text[len(mark) :])
    if found is None:
        return PageSource({}, text, whole)
    settings = _settings(found["yaml"], strict=not whole)
    if whole:
        return PageSource({}, text, whole=True)
    return PageSource(settings, mark + text[len(mark) + found.end() :])


def _settings(yaml: str, *, strict: bool) -> dict[str, JSON]:
    """Return what front matter says; names of others count as a mistake if ``strict``."""
    try:
        node = read(yaml)
    except FileError as error:
        raise FileError([Problem(p.line + 1, p.sentence) for p in error.problems]) from error
    if isinstance(node, Word) and node.empty:
        return {}
    if not isinstance(node, Fields):
        raise FileError([Problem(2, "the front matter is not a list of names with values")])
    settings: dict[str, JSON] = {}
    problems: list[Problem] = []
    for name, value in node.pairs if strict else ():
        known = name.text if isinstance(name, Word) else ""
        if known not in (*TEXTS, *FLAGS):
            said = ", ".join((*TEXTS, *FLAGS))
            problems.append(Problem(name.line + 1, f"the front matter of a page takes {said}"))
        elif known in settings:
            problems.append(Problem(name.line + 1, f"{known} is there twice"))
        elif not isinstance(value, Word):
            problems.append(Problem(value.line + 1, f"{known} is one value"))
        elif known in TEXTS:
            settings[known] = "" if value.empty else value.text
        elif value.text.lower() in ("true", "false"):
            settings[known] = value.text.lower() == "true"
        else:
            problems.append(Problem(value.line + 1, f"{known} is true or false"))
    if problems:
        raise FileError(problems)
    return settings


def _both(before: str, after: str) -> tuple[PageSource, PageSource]:
    """Return the parts of two texts of one page. Raises `FileError` for the second."""
    try:
        was = read_page_source(before, whole=_is_whole(before))
    except FileError:  # a service may give what is not read here: then its text is what counts
        was = PageSource({}, before, whole=True)
    now = read_page_source(after, whole=was.whole)
    if not now.whole and not _FENCED.match(after.removeprefix(_MARK)):
        lower = list(_LOWER.finditer(after))
        if len(lower) > len(_LOWER.findall(was.markdown)):
            line = after.count("\n", 0, lower[0].start()) + 1
            raise FileError([Problem(line, "the settings of the page begin here, not at its top")])
        now = PageSource(was.settings, now.markdown)  # taken away: that says nothing of settings
    return was, now


def check_slug(text: str, before: str = "") -> None:
    """Raise `FileError` where a text gives its page another slug that no address can have.

    ``before`` is the text that it was made of; "" for a new page.
    """
    now = read_page_source(text) if not before else _both(before, text)[1]
    slug = str(now.settings.get("slug") or "")
    if slug and not is_path_part(slug) and (not before or slug != slug_of(before)):
        line = text[: text.find("\nslug:") + 1].count("\n") + 1
        raise FileError([Problem(line, f"the slug is not a part of a path: {PATH_RULE}")])


def slug_of(text: str) -> str:
    """Return the slug that the settings of a text say; "" where they say none."""
    try:
        return str(read_page_source(text).settings.get("slug") or "")
    except FileError:
        return ""


def page_update(before: str, after: str) -> dict[str, JSON]:
    """Return what turns one text of a page into another, as a request says it.

    Only what differs is in it; it is empty where nothing does. Raises `FileError`.
    """
    was, now = _both(before, after)
    update: dict[str, JSON] = {}
    if now.markdown != was.markdown:
        update["document"] = {"markdown": now.markdown}
    for name in (*TEXTS, *FLAGS):
        old, new = was.settings.get(name), now.settings.get(name)
        if (old or None) != (new or None) and (new or name not in NEEDED):
            update[name] = new or (False if name in FLAGS else "")
    return update


def parts_of_three(
    before: str | None, main: str, request: str
) -> tuple[PageSource, PageSource, PageSource]:
    """Return the parts of three texts of one page, None where it was not there before.

    What cannot be read as settings is Markdown in all of them.
    """
    try:
        if before is None:
            one, other = _both(main, request)
            return PageSource({}, "", one.whole), one, other
        was, one = _both(before, main)
        return was, one, _both(before, request)[1]
    except FileError:
        was, one, other = (PageSource({}, text or "", True) for text in (before, main, request))
        return was, one, other


def with_setting(text: str, name: str, value: JSON) -> str:
    """Return a text of a page with another value of a setting, as `with_settings` does."""
    return with_settings(text, {name: value})


def with_settings(text: str, settings: Mapping[str, JSON]) -> str:
    """Return a text of a page with other values of settings; that of a service as it is.

    Raises `FileError`.
    """
    if _is_whole(text):
        return text
    source = read_page_source(text)
    return page_source({**source.settings, **settings}, source.markdown)


def merge_pages(
    base: str, mine: str, theirs: str, *, settle: Settle = lambda clash: clash.ours
) -> tuple[str, tuple[Clash, ...]]:
    """Merge two changes of one page: its settings one by one, its Markdown by line.

    Returns the merged text and what clashes; a setting that clashes is a line of its own.
    ``settle`` says what stands where they clash.
    """
    try:
        was, now = _both(base, mine)
        there = _both(base, theirs)[1]
    except FileError:
        return merge_text(base, mine, theirs, settle=settle)
    markdown, clashes = merge_text(was.markdown, now.markdown, there.markdown, settle=settle)
    if was.whole:
        return markdown, clashes
    settings: dict[str, JSON] = {}
    marked: dict[str, tuple[str, ...]] = {}
    for name in (*TEXTS, *FLAGS):
        old, new, other = (each.settings.get(name) or None for each in (was, now, there))
        settings[name] = other if new == old else new
        if other not in (old, new) and new != old:
            was_there, ours, yours = (
                (f"{name}: {word(str(each)) if each else ''}\n",) for each in (old, new, other)
            )
            clash = Clash(was_there, ours, yours, 0, 0)
            clashes += (clash,)
            marked[name] = tuple(settle(clash))
            if marked[name] in (ours, yours):
                settings[name] = new if marked.pop(name) == ours else other
    return page_source(settings, markdown, marked), clashes


def _is_whole(text: str) -> bool:
    """Whether a text begins with front matter that the service wrote, and not `page_source`."""
    found = _FENCED.match(text.removeprefix(_MARK))
    if found is None:
        return True
    try:
        return "title" not in _settings(found["yaml"], strict=True)
    except FileError:
        return True


def body_of(text: str) -> str:
    """Return the Markdown of a text; all of it where its settings cannot be read."""
    try:
        return read_page_source(text).markdown
    except FileError:
        return text


def without_front(text: str) -> str:
    """Return a text with empty lines in the place of its front matter, whoever wrote that."""
    found = _FENCED.match(text.removeprefix(_MARK))
    if found is None:
        return text.removeprefix(_MARK)
    return "\n" * found[0].count("\n") + text.removeprefix(_MARK)[found.end() :]


def markdown_of(text: str) -> str:
    """Return the Markdown of a text as the service has it: whole, where that gave front matter."""
    front = _front(text)
    return f"{_MARK if front.startswith(_MARK) else ''}{text[len(front) :]}"


def with_markdown(text: str, markdown: str) -> str:
    """Return a text with other Markdown below its settings."""
    front = _front(text)
    return f"{front}{markdown.removeprefix(_MARK) if front else markdown}"


def _front(text: str) -> str:
    """Return the settings that a text begins with, with its byte order mark; "" for none."""
    mark = _MARK if text.startswith(_MARK) else ""
    found = None if _is_whole(text) else _FENCED.match(text[len(mark) :])
    return "" if found is None else mark + found[0]


def title_of(text: str) -> str:
    """Return what a text calls its page: its title, else its first line with words; may be ""."""
    try:
        source = read_page_source(text)
    except FileError:
        source = PageSource({}, text)
    if title := source.settings.get("title"):
        return str(title)
    lines = (line.strip().lstrip("#").strip() for line in source.markdown.split("\n"))
    return next((line for line in lines if line), "")
