"""A hunk that is settled, as lines: what it was, both sides, and what the page gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from copydesk.domain.changed_words import compare_words
from copydesk.domain.hunks import Choice, Hunk, chosen
from copydesk.domain.page_source import OTHERS, body_of
from copydesk.domain.settlement import ADDRESS, FILE, PAGE, PLACE, SETTINGS, PageSide, SettledPage
from copydesk.domain.text import clean
from copydesk.present.markdown import Line, wrap_exact
from copydesk.session.glyphs import glyphs

NAMES = {"before": "0  Before", "request": "1  This change request", "main": "2  Main"}
"""The names of the three texts, each with its key."""

_ASKED = ("request", "main", "before")
"""The order in which one reads them."""

TAKEN = {
    "before": "0 before",
    "request": "1 this change request",
    "main": "2 main",
    "both": "3 both, this change request first",
    "turned": "3 both, main first",
    "text": "written here",
}
"""The name of the result, by the choice."""

CONTEXT = 3
"""Lines of the page that are shown before and behind a hunk."""

MOST_LINES = 400
"""So many lines of one side are drawn."""

WIDE = 90
"""From how many cells on the three texts stand beside each other."""

GAP = 3


def hunk_lines(
    page: SettledPage,
    at: int,
    choices: Mapping[str, Choice],
    width: int,
    *,
    side: str = "request",
    name: Callable[[str], str] = lambda page: page,
) -> list[Line]:
    """Return the lines of a hunk of a page, by its place among them.

    ``side`` is the one that is shown where there is room for one; ``name`` names a page by its id.
    """
    hunk = page.hunks[at]
    result = [*_title(hunk, choices.get(hunk.key)), *_result(page, at, choices, width, name), []]
    texts = sides_said(page, hunk, name)
    if width >= WIDE:
        return [*_beside(texts, width), [], *result]
    if hunk.field:  # a text has room for one side, a value for all of them
        result[1:1] = _choices(hunk, width, name)
    shown = [side]
    if hunk.field == PAGE and side != "before" and getattr(page.sides, side) is None:
        shown.append("main" if side == "request" else "request")
    for each in shown:
        result += [[(NAMES[each], "strong")], *_drawn(texts, each, width)]
    return result


def sides_said(page: SettledPage, hunk: Hunk, name: Callable[[str], str]) -> Mapping[str, str]:
    """Return what a hunk of a page says before, here and in main, by the side."""
    return {each: _said(page, hunk, each, name) for each in NAMES}


def hunk_told(hunk: Hunk, choice: Choice | None, texts: Mapping[str, str]) -> list[str]:
    """Return a hunk in words: what is chosen, then what each side says."""
    taken = f"Result: {_taken(hunk, choice)}"
    if choice is not None and not hunk.field:
        taken = f"{taken}: {' '.join(_lines(chosen(hunk, choice) or ''))}"
    sides = ((NAMES[side], " ".join(_lines(texts.get(side, "")))) for side in _ASKED)
    return [taken, *(f"{called}: {said or 'nothing'}" for called, said in sides)]


def _choices(hunk: Hunk, width: int, name: Callable[[str], str]) -> Iterator[Line]:
    """Return a line for each choice: its key, and what each side made of what is no text."""
    said = {side: _field(hunk, str(getattr(hunk, side)), name) for side in NAMES}
    if hunk.field == PAGE:
        stays = {
            side: "delete" if getattr(hunk, side) == "deleted" else f"keep, {words}"
            for side, words in said.items()
        }
        said = {**stays, "before": said["before"]}
    for side, whose in (("request", "here"), ("main", "main"), ("before", "before")):
        key = NAMES[side][0]
        yield [(f"{key} ", "accent"), (clean(f"{whose}: {said[side]}", limit=width - 2), "")]


def file_lines(
    hunk: Hunk, said: Mapping[str, str], choice: Choice | None, width: int
) -> list[Line]:
    """Return the lines of a file that is taken from one side; ``said`` are words for each side."""
    shown = "<<< 1 | 2 >>>" if choice is None else said[choice.side]
    tone = "warn" if choice is None else ""
    result = [*_title(hunk, choice), [(f"  {clean(shown, limit=width - 2)}", tone)]]
    if width >= WIDE:
        return [*_beside(said, width), [], *result]
    sides = [[[(NAMES[side], "strong")], *_drawn(said, side, width)] for side in NAMES]
    return [*result, [], *(line for side in sides for line in side)]


def _title(hunk: Hunk, choice: Choice | None) -> list[Line]:
    tone = "warn" if choice is None else "good"
    tone = "muted" if not hunk.conflicts and choice is None else tone
    return [[("Result: ", "strong"), (_taken(hunk, choice), tone)]]


def _taken(hunk: Hunk, choice: Choice | None) -> str:
    if choice is not None:
        return TAKEN[choice.side]
    return "open" if hunk.conflicts else "merged by itself"


def _result(
    page: SettledPage,
    at: int,
    choices: Mapping[str, Choice],
    width: int,
    name: Callable[[str], str],
) -> Iterator[Line]:
    hunk = page.hunks[at]
    if hunk.field:
        text = chosen(hunk, choices.get(hunk.key))
        keys = "<<< 1 | 2 | 0 >>>"
        shown = keys if text is None else _field(hunk, text, name)
        yield [(f"  {clean(shown, limit=width - 2)}", "warn" if text is None else "")]
        return
    yield from _around(page, range(at - 1, -1, -1), choices, width, last=True)
    text = chosen(hunk, choices.get(hunk.key))
    if text is None:
        yield [("  <<< 1 | 2 | 3 | e >>>", "warn")]
    elif not text:
        yield [("  (nothing)", "muted")]
    else:
        for line in _lines(text):
            for part in wrap_exact([(line, "good")], max(8, width - 2)):
                yield [("  ", ""), *part]
    yield from _around(page, range(at + 1, len(page.hunks)), choices, width, last=False)


def _around(
    page: SettledPage, places: range, choices: Mapping[str, Choice], width: int, *, last: bool
) -> list[Line]:
    """Return the lines of the result that stand before or behind a hunk."""
    found: list[str] = []
    for at in places:
        hunk = page.hunks[at]
        if hunk.field or len(found) >= CONTEXT:
            break
        text = chosen(hunk, choices.get(hunk.key))
        lines = ["(another open hunk)"] if text is None else _lines(text)
        found = [*lines, *found] if last else [*found, *lines]
    shown = found[-CONTEXT:] if last else found[:CONTEXT]
    return [[(f"  {clean(line, limit=width - 2)}", "muted")] for line in shown]


def _said(page: SettledPage, hunk: Hunk, side: str, name: Callable[[str], str]) -> str:
    text = str(getattr(hunk, side))
    there: PageSide | None = getattr(page.sides, side)
    if hunk.field == PAGE and there is not None:  # one decides about all that it says
        return f"{_field(hunk, text, name)}\n\n{body_of(there.source)}"
    return _field(hunk, text, name) if hunk.field else text


def _field(hunk: Hunk, text: str, name: Callable[[str], str]) -> str:
    """Return what a hunk that is no text says."""
    if hunk.field == PAGE:
        return {"kept": "the page as it was", "deleted": "deleted"}.get(text, f"{text}")
    if hunk.field == PLACE:
        return f"below {name(text)}" if text else "at the top"
    if hunk.field == ADDRESS:
        return f"its address is /{text}" if text else "not there"
    if hunk.field == SETTINGS:
        return "as it was before" if text == "before" else f"those of {NAMES[text][3:].lower()}"
    return f"{hunk.field}: {_differing(hunk, text) or text or 'none'}"


def _differing(hunk: Hunk, text: str) -> str:
    """Return those parts of a setting of several in which the sides differ; "" for one value."""
    if hunk.field not in OTHERS or not isinstance(said := json.loads(text or "{}"), dict):
        return ""
    sides = [json.loads(side or "{}") for side in (hunk.before, hunk.main, hunk.request)]
    if not all(isinstance(side, dict) for side in sides):
        return ""
    parts = [
        f"{part} {value if isinstance(value, str) else json.dumps(value)}"
        for part, value in said.items()
        if any(side.get(part) != value for side in sides)
    ]
    return ", ".join(parts) or "none of these"


def hunk_name(hunk: Hunk) -> str:
    """Return what a hunk is about."""
    names = {
        "": "text",
        PAGE: "is it kept",
        PLACE: "where it is",
        ADDRESS: "who has the address",
        SETTINGS: "other settings",
        FILE: "whose file",
    }
    return names.get(hunk.field, hunk.field)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    shown = [clean(line, limit=2_000) for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return [*shown, f"({more} more lines)"] if more > 0 else shown


def _marked(before: str, after: str) -> list[Line]:
    """Return the lines of a side, marked where they differ from before."""
    old, new = _lines(before), _lines(after)
    if len(old) != len(new):
        return [[(line, "changed" if line not in old else "")] for line in new]
    return [
        [(span.text, "" if span.kind == "same" else "changed") for span in compare_words(a, b)[1]]
        for a, b in zip(old, new, strict=True)
    ]


def _drawn(texts: Mapping[str, str], side: str, width: int) -> list[Line]:
    if side == "before":
        lines: Sequence[Line] = [[(line, "")] for line in _lines(texts["before"])]
    else:
        lines = _marked(texts["before"], texts[side])
    if not lines:
        return [[("(nothing)", "muted")]]
    return [list(part) for line in lines for part in wrap_exact(line, max(8, width))]


def _beside(texts: Mapping[str, str], width: int) -> Iterator[Line]:
    column = (width - 2 * GAP) // 3
    columns = [[[(NAMES[side], "strong")], *_drawn(texts, side, column)] for side in NAMES]
    for at in range(max(map(len, columns))):
        line: Line = []
        for number, lines in enumerate(columns):
            spans = _within(lines[at], column) if at < len(lines) else []
            line += spans
            if number < 2:
                line.append((" " * max(0, column - _cells(spans)), ""))
                line.append((f" {glyphs().bar} ", "muted"))
        yield line


def _within(spans: Line, width: int) -> Line:
    """Return a wrapped line without the blank at its end where that has no room."""
    if not spans or _cells(spans) <= width:
        return spans
    *rest, (text, tone) = spans
    return [*rest, (text.rstrip(" "), tone)]


def _cells(spans: Line) -> int:
    from rich.cells import cell_len

    return sum(cell_len(text) for text, _ in spans)
