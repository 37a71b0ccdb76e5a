"""Checking the pages of a change request: the built-in checks, then the commands of the settings.

A command gets the changed pages as files of a folder that is there for it alone, and gone
afterwards. Nothing is sent to anybody.
"""

from __future__ import annotations

import asyncio
import posixpath
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from copydesk.client.errors import Forbidden, NotFound, OperationMissing
from copydesk.domain.checks import (
    BUILT_IN,
    Check,
    CheckedFile,
    Finding,
    commands_with,
    read_answer,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_checks import LONGEST, check_page
from copydesk.domain.page_text import PageText
from copydesk.domain.request_folder import file_names
from copydesk.domain.suggestion import SourceLines
from copydesk.domain.text import clean, plural, shorten, shown_title
from copydesk.local import browser
from copydesk.local.check_settings import check_folder
from copydesk.local.child_processes import Ended, listen, through
from copydesk.session.operations import ops
from copydesk.session.reads import review as reading
from copydesk.session.reads.impact import LINKS

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Reversal
    from copydesk.session.page_changes import ReviewChange
    from copydesk.session.reads.review import OpenedRequest

USES = (
    "get_change_request_page",
    "list_change_request_page_links",
    "list_space_page_links",
)
"""The operations that checking sends, beside those of reading a review."""

AT_ONCE = 4
"""Pages that are read at once."""

MOST_BYTES = 5_000_000
"""Bytes of what a command writes that are read."""

_INDEX = re.compile(r"(?:^|(?<=/))(?:README|index)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A changed page as it is checked: its text, and what the request changed in it.

    ``new`` are the lines, from 1, that the request wrote. ``broken`` says of links why they lead
    nowhere; None where the service does not tell. ``before`` are the links that led nowhere before.
    """

    id: str
    title: str
    name: str
    source: str
    old: str
    new: frozenset[int]
    broken: Mapping[str, str] | None = None
    before: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What a check found: in what the request changed, and in text that was there before."""

    check: str
    findings: tuple[Finding, ...] = ()
    older: tuple[Finding, ...] = ()
    seconds: float = 0.0
    trouble: str = ""
    unread: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The outcome as a sentence."""
        if self.trouble and not (self.findings or self.older):
            return f"{self.check}: {self.trouble}."
        took = f", {self.seconds:.1f} s" if self.check != BUILT_IN else ""
        more = f", {len(self.older)} in older text" if self.older else ""
        said = f"{self.check}: {plural(len(self.findings), 'finding')}{more}{took}."
        if self.unread:
            said += f" {plural(len(self.unread), 'line')} of its output cannot be read."
        return f"{said} It stopped: {self.trouble}." if self.trouble else said


async def read_pages(api: Api, opened: OpenedRequest) -> list[CheckedPage]:
    """Read the changed pages of a request, as it has them, with their links.

    Raises ``ApiError``.
    """
    gate = asyncio.Semaphore(AT_ONCE)
    changes = [each for each in opened.changes if not each.thing and each.after is not None]
    names = file_names(each.node for each in changes)

    async def read(change: ReviewChange) -> CheckedPage | None:
        async with gate:
            text = await reading.read_page(api, opened, change)
            if not text.source:
                return None
            return await _checked(api, opened, change, names[change.id], text)

    found = await asyncio.gather(*map(read, changes))
    return [page for page in found if page is not None]


async def _checked(
    api: Api, opened: OpenedRequest, change: ReviewChange, name: str, text: PageText
) -> CheckedPage:
    new = await asyncio.to_thread(new_lines, text)
    broken = await _broken(api, opened, change)
    before: frozenset[str] = frozenset()
    if broken and change.before is not None:
        before = await _broken_before(api, opened.space.id, change.id)
    title = shown_title(change.node.title)
    return CheckedPage(change.id, title, name, text.source, text.before, new, broken, before)


def new_lines(text: PageText) -> frozenset[int]:
    """Return the lines, from 1, that are not in the text before as they are."""
    found: set[int] = set()
    for row in text.diff.new_rows:
        first, last = text.lines_of(row)
        found.update(range(first + 1, last + 2))
    return frozenset(found)


async def _broken(
    api: Api, opened: OpenedRequest, change: ReviewChange
) -> Mapping[str, str] | None:
    """Return the links of a page that lead nowhere, each with what is known of that."""
    space, request = opened.space.id, opened.request.id
    try:
        pages = api.pages(
            ops.list_change_request_page_links, space, request, change.id, limit=LINKS
        )
        links = [link async for link in pages if link.status == "broken"]
    except OperationMissing:
        return None
    except (Forbidden, NotFound):
        return {}
    found: dict[str, str] = {}
    for link in links:
        address = link.target.url if link.target is not None else None
        if address:
            found[address] = _why(opened, change, address)
    return found


def _why(opened: OpenedRequest, change: ReviewChange, address: str) -> str:
    """Say why a link leads nowhere: what it led to has moved, is deleted, or was never there.

    A page of its name somewhere else is named: it may have moved long ago.
    """
    shown = shorten(clean(address), 80)
    path = _path(change.node.path, address)
    if path is None:
        return f"The link {shown} leads nowhere."
    for each in opened.changes:
        if each.before is None or _plain(each.before.path) != path:
            continue
        title = clean(each.node.title)
        if each.after is None:
            return f"The link {shown} leads to {title}, which this change request deletes."
        if each.after.path != each.before.path:
            return _moved(shown, title, each.after.path)
    name = path.rpartition("/")[2]
    alike = [each for each in opened.pages if _plain(each.path).rpartition("/")[2] == name]
    if len(alike) == 1:
        there = f"{clean(alike[0].title)} is at /{clean(alike[0].path)}"
        return f"The link {shown} leads to no page and no file; {there}."
    return f"The link {shown} leads to no page and no file."


def _moved(link: str, title: str, path: str) -> str:
    return f"The link {link} leads to where {title} was: it moved to /{clean(path)}."


def _path(page: str, address: str) -> str | None:
    """Return the path of a page that a link on another means; None for one that means none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path:
        return None
    path = unquote(parts.path)
    joined = path if path.startswith("/") else posixpath.join(posixpath.dirname(page), path)
    return _plain(posixpath.normpath(joined.lstrip("/"))) or None


def _plain(path: str) -> str:
    return _INDEX.sub("", re.sub(r"\.(?:md|markdown|html)$", "", path, flags=re.IGNORECASE)).strip(
        "/"
    )


async def _broken_before(api: Api, space: str, page: str) -> frozenset[str]:
    try:
        pages = api.pages(ops.list_space_page_links, space, page, limit=LINKS, status="broken")
        links = [link async for link in pages if link.target is not None]
    except (Forbidden, NotFound, OperationMissing):
        return frozenset()
    return frozenset(link.target.url or "" for link in links if link.target is not None)


def hiding(keys: Sequence[str]) -> Reversal:
    """Return the reversal of hiding findings, by their keys."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(*, hidden: bool) -> Step:
        return Step("local.hide_findings", {"keys": list(keys), "hidden": hidden})

    def expect(*, hidden: bool) -> Expectation:
        told = Step("local.hidden_findings", {"keys": list(keys)})
        said = "it is shown again already" if hidden else "it is hidden again"
        return Expectation(told, {"hidden": hidden}, said=said)

    return Reversal(
        (step(hidden=False),), (step(hidden=True),), expect(hidden=True), expect(hidden=False),
        note="What the checks say there is shown again.",
    )  # fmt: skip


async def run_checks(
    checks: Sequence[Check], pages: Sequence[CheckedPage]
) -> AsyncIterator[CheckOutcome]:
    """Yield what each check finds: the built-in ones first, then the commands in their order."""
    yield await asyncio.to_thread(check_built_in, pages)
    for check in checks:
        if browser.window is None:
            yield await run_command(check, pages)
        else:
            yield CheckOutcome(
                check.name, trouble="commands of the settings do not run in a browser"
            )


def check_built_in(pages: Sequence[CheckedPage]) -> CheckOutcome:
    """Return what the built-in checks find. It takes a while."""
    began = time.perf_counter()
    found: list[Finding] = []
    older: list[Finding] = []
    long: list[str] = []
    for page in pages:
        if max(len(page.source), len(page.old)) > LONGEST:
            long.append(f"{page.title} is too long")
            continue
        broken = page.broken or {}
        known = Counter(
            (each.rule, each.text)
            for each in check_page(page.id, page.old, _only(broken, page.before))
        )
        for each in check_page(page.id, page.source, broken):
            said = each.rule, each.text
            was = known[said] > 0
            known[said] -= was
            (older if was else found).append(each)
    if any(page.broken is None for page in pages):
        long.append("the service does not tell which links are broken")
    took = time.perf_counter() - began
    return CheckOutcome(BUILT_IN, tuple(found), tuple(older), took, "; ".join(long))


def _only(broken: Mapping[str, str], addresses: frozenset[str]) -> Mapping[str, str]:
    return {address: why for address, why in broken.items() if address in addresses}


async def run_command(check: Check, pages: Sequence[CheckedPage]) -> CheckOutcome:
    """Return what a command finds in some pages. It goes with the task that waits for it."""
    began = time.perf_counter()
    files = {page.name: CheckedFile(page.id, SourceLines(page.source).lines) for page in pages}
    if not files:
        return CheckOutcome(check.name)
    program = shorten(clean(check.command[0]))
    try:
        with check_folder() as folder:
            await through(asyncio.to_thread(_write, folder, pages))
            command = list(commands_with(check.command, list(files)))
            ended = await listen(command, folder, seconds=check.seconds, most=MOST_BYTES)
    except FileNotFoundError:
        return CheckOutcome(check.name, trouble=f"{program} is not there")
    except OSError as error:
        return CheckOutcome(check.name, trouble=f"{program}: {error.strerror or error}")
    took = time.perf_counter() - began
    if ended.why == "time":
        said = f"stopped after {check.seconds} s"
        return CheckOutcome(check.name, seconds=took, trouble=said)
    output = ended.output.decode(errors="replace")
    answer = await asyncio.to_thread(read_answer, check, output, files)
    trouble = _trouble(ended, output, nothing=not answer.findings) or answer.trouble
    new = {page.id: page.new for page in pages}
    found = tuple(each for each in answer.findings if each.line in new[each.page])
    older = tuple(each for each in answer.findings if each.line not in new[each.page])
    return CheckOutcome(check.name, found, older, took, trouble, tuple(answer.unread))


def _write(folder: Path, pages: Sequence[CheckedPage]) -> None:
    """Write pages as files below a folder, which is for this user alone."""
    for page in pages:
        file = folder / page.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(page.source.encode(errors="replace"))


def _trouble(ended: Ended, output: str, *, nothing: bool) -> str:
    """Return why a command is not to be trusted; "" where it did what it is for.

    Many end with a status of their own where they found something.
    """
    if ended.why == "flood":
        return f"it wrote more than {MOST_BYTES // 1_000_000} MB"
    if not ended.status or not nothing:
        return ""
    told = clean(ended.errors.decode(errors="replace"), lines=True).strip()
    told = told or clean(output, lines=True).strip()
    said = shorten(told.splitlines()[0], 200) if told else "it said nothing"
    return f"it failed with status {ended.status}: {said}"
