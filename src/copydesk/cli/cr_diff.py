"""``copydesk cr diff``: what a change request changes, by word for people or as a patch for git."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.edge import DONE, FAILED, UsageError, say
from copydesk.cli.output import put, put_bytes, put_json
from copydesk.domain.line_matching import Gap, equal_runs, gaps
from copydesk.domain.text import plural

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.tui.present.changed import Changed
    from copydesk.tui.present.diff import PageText, Row
    from copydesk.tui.review_reading import Opened

CONTEXT = 3
"""Unchanged lines around a change of a patch, as in git."""

_TO_QUOTE = re.compile(r"[\x00-\x1f\x7f\"\\]")


def show_diff(
    *,
    request: str,
    space: str | None = None,
    organization: str | None = None,
    patch: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print what a change request changes: the words of each page, or a ``patch``.

    A patch is about files that hold the Markdown of the pages, at the paths of the pages or those
    in the repository that they come from; ``git apply`` takes it.
    """
    from copydesk.tui.present.changed import entries, in_order
    from copydesk.tui.review_reading import read_request

    async def show(api: Api, found: Found) -> int:
        given, there = found
        opened = await read_request(api, there.id, given.id)
        changes = in_order(entries(opened.pages, opened.changes))
        if not changes:
            say(f"#{given.number} changes nothing.")
        if not patch and not as_json:
            for nth, change in enumerate(changes):
                await _words(api, opened, change, first=not nth)
            return DONE
        if opened.merged:
            raise UsageError(
                f"#{given.number} is merged: what its pages said before cannot be read any more",
                FAILED,
            )
        if lost := [change for change in changes if opened.lost(change)]:
            raise UsageError(
                f"main has changed {plural(len(lost), 'page')} of #{given.number} too, and the "
                "service does not tell what they said before: update it from main first "
                "(U in its review)",
                FAILED,
            )
        patches = [await _patch_of(api, opened, change) for change in changes]
        if as_json:
            put_json([_value(*pair) for pair in zip(changes, patches, strict=True)])
        else:
            _put_patches("".join(patches))
            files = sum(change.file for change in changes)
            if files:
                say(f"{plural(files, 'changed file')} of other kinds: not in the patch.")
        return DONE

    return run_on(service.connection(), request, space, organization, show)


# By word


async def _words(api: Api, opened: Opened, change: Changed, *, first: bool) -> None:
    from copydesk.tui.present.changed import place_of, sign
    from copydesk.tui.present.diff import rows
    from copydesk.tui.review_reading import read_page

    page = await read_page(api, opened, change)
    if not first:
        put("")
    put(f"{sign(change)[0]} {place_of(change) or '(untitled)'}", "strong")
    for row in rows(page, all_lines=False):
        _put_row(page, row)


def _put_row(page: PageText, row: Row) -> None:
    from copydesk.tui.present.diff_rows import moved_from, moved_to

    if row.kind == "note":
        put(f"  -- {page.notes[row.at]}")
        return
    if row.kind == "fold":
        put(f"  … {page.diff.sentence(row.at, row.stop)}")
        return
    page.diff.find_words(row.at)
    line = page.diff[row.at]
    if line.move is not None and line.kind in ("from", "to"):
        put(f"  -- {moved_from(line.move) if line.kind == 'from' else moved_to(line.move)}")
        return
    mark, tone = {"added": ("+", "good"), "removed": ("-", "bad"), "moved": (">", "")}.get(
        line.kind, (" ", "")
    )
    around = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "same": ("", "")}
    said = (f"{around[kind][0]}{text}{around[kind][1]}" for text, kind in line.marks)
    put(f"{mark} {''.join(said) if line.marks else line.text}".rstrip(), tone)


# As a patch


class Side(NamedTuple):
    """A page as the file of it on one side: its path, and its text; None where it is not."""

    path: str
    text: str | None


async def _patch_of(api: Api, opened: Opened, change: Changed) -> str:
    """Return the patch of one page; empty where its Markdown and its path stay the same."""
    from copydesk.client.errors import NotFound
    from copydesk.contract import operations as ops

    if change.file:
        return ""
    was: ContentPage | None = None
    now: ContentPage | None = None
    space, request = opened.space.id, opened.request.id
    if change.before is not None and opened.base is not None:
        was = await api(ops.get_revision_page, space, opened.base, change.id, format="markdown")
    elif change.before is not None:
        try:
            was = await api(ops.get_space_page, space, change.id, format="markdown")
        except NotFound:
            was = None  # removed from main since
    if change.after is not None:
        now = await api(ops.get_change_request_page, space, request, change.id, format="markdown")
    return "".join(file_patch(_side(was, was), _side(now, was)))


def _side(page: ContentPage | None, before: ContentPage | None) -> Side:
    """Return a page as a file. A page that has not moved has the file that it had before."""
    if page is None or page.type != "document":
        return Side("", None)
    git = page.git.path if page.git is not None else None
    if before is not None and page.path == before.path and before.git is not None:
        git = before.git.path or git
    name = git or f"{page.path or page.slug or page.id}.md"
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return Side("/".join(parts) or f"{page.id}.md", page.markdown or "")


def file_patch(was: Side, now: Side) -> Iterator[str]:
    """Yield the patch of one file, as git writes it; nothing where both sides are the same."""
    if was == now or (was.text is None and now.text is None):
        return
    old, new = was.path or now.path, now.path or was.path
    yield f"diff --git {_quoted('a/' + old)} {_quoted('b/' + new)}\n"
    if was.text is None:
        yield "new file mode 100644\n"
    elif now.text is None:
        yield "deleted file mode 100644\n"
    elif old != new:
        yield f"rename from {_quoted(old)}\nrename to {_quoted(new)}\n"
    if (was.text or "") == (now.text or ""):
        return
    yield f"--- {'/dev/null' if was.text is None else _named('a/' + old)}\n"
    yield f"+++ {'/dev/null' if now.text is None else _named('b/' + new)}\n"
    yield from _hunks(_lines(was.text or ""), _lines(now.text or ""))


def _quoted(name: str) -> str:
    """Return a name as git writes it: in quotes where it has signs that would end it."""
    if _TO_QUOTE.search(name) is None:
        return name
    inside = _TO_QUOTE.sub(
        lambda sign: f"\\{sign[0]}" if sign[0] in '"\\' else f"\\{ord(sign[0]):03o}", name
    )
    return f'"{inside}"'


def _named(name: str) -> str:
    """Return a name as it stands in a header: a tab ends one that has blanks."""
    return f"{_quoted(name)}\t" if " " in name else _quoted(name)


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; the last may have none."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    groups: list[list[Gap]] = []
    for gap in gaps(equal_runs(old, new), len(old), len(new)):
        if groups and gap.a1 - groups[-1][-1].a2 <= 2 * CONTEXT:
            groups[-1].append(gap)
        else:
            groups.append([gap])
    for group in groups:
        first, last = group[0], group[-1]
        a1 = max(0, first.a1 - CONTEXT)
        b1 = first.b1 - (first.a1 - a1)
        a2 = min(len(old), last.a2 + CONTEXT)
        b2 = last.b2 + (a2 - last.a2)
        yield f"@@ -{_range(a1, a2)} +{_range(b1, b2)} @@\n"
        at = a1
        for gap in group:
            yield from _signed(" ", old[at : gap.a1])
            yield from _signed("-", old[gap.a1 : gap.a2])
            yield from _signed("+", new[gap.b1 : gap.b2])
            at = gap.a2
        yield from _signed(" ", old[at:a2])


def _range(start: int, stop: int) -> str:
    return f"{start + 1 if stop > start else start},{stop - start}"


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"


def _put_patches(text: str) -> None:
    """Print a patch: exactly for git, made safe on a terminal."""
    if not text:
        return
    if sys.stdout.isatty():
        for line in text.removesuffix("\n").split("\n"):
            put(line, {"+": "good", "-": "bad"}.get(line[:1], ""))
    else:
        put_bytes(text.encode("utf-8", "surrogatepass"))


def _value(change: Changed, patch: str) -> dict[str, Any]:
    from copydesk.tui.present.changed import FILE, page_notes

    return {
        "id": change.id.removeprefix(FILE),
        "object": "file" if change.file else "page",
        "title": change.node.title,
        "path": change.node.path,
        "kinds": list(change.kinds),
        "notes": page_notes(change),
        "patch": patch,
    }
