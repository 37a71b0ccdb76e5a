"""``copydesk redirects``: where the addresses lead that a site no longer has, or never had."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from copydesk.cli.connection import OWN, Connection, Service
from copydesk.cli.errors import (
    CONFLICT,
    DIFFERS,
    DONE,
    FAILED,
    LACKING,
    NOT_ALLOWED,
    USAGE,
    UsageError,
    ask_first,
    need_answer,
    say,
)
from copydesk.cli.given_file import is_piped, named
from copydesk.cli.lookup import FoundSite, find_site
from copydesk.cli.output import Column, put, put_bytes, put_json, put_table
from copydesk.cli.writes import CommandWrites
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.redirect_file import COLUMNS
from copydesk.domain.redirects import path_on, wrong_source
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.reads.redirects import (
    MISSING,
    RedirectRow,
    RedirectsRead,
    find_way,
    read_redirects,
)
from copydesk.session.reads.spaces import read_me
from copydesk.session.redirect_plan import RedirectPlan, plan_of, read_file, read_from
from copydesk.session.writes.redirects import (
    WrongRedirectError,
    importing,
    making,
    parts_of,
    redirect_body,
    refused_of,
    removing,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api


_OPTIONS = {"source": "FROM", "to": "TO", "rest": "--keep"}
"""What a part of a redirect is called on the command line."""


@dataclass(frozen=True, slots=True)
class There:
    """A site and its redirects, and who asks."""

    api: Api
    site: FoundSite
    read: RedirectsRead

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of its organization and of itself."""
        return self.site.organization, self.site.id

    def row(self, path: str, *, draft: bool) -> RedirectRow | None:
        """Return the redirect from a path, or the draft of one."""
        return next(
            (each for each in self.read.rows if (each.source, each.draft) == (path, draft)), None
        )


def _run(
    connection: Connection,
    site: str,
    organization: str | None,
    work: Callable[[There], Awaitable[int]],
    *,
    writes: bool = False,
) -> int:
    """Do something with the redirects of a site. Raises ``UsageError``."""

    async def run(api: Api) -> int:
        found = await find_site(api, site, organization)
        me = await read_me(api) if writes else None
        read = await read_redirects(
            api, (found.organization, found.id), None if me is None else me.id
        )
        if read.missing:
            raise UsageError(MISSING, LACKING)
        if writes and read.refused:
            raise UsageError(f"nothing was sent: {read.refused}", NOT_ALLOWED)
        return await work(There(api, found, read))

    return connection.run(run)


def list_redirects(
    *, site: str, organization: str | None = None, as_json: bool = False, service: Service = OWN
) -> int:
    """Print the redirects of a site by their paths, each with its fault."""

    async def work(there: There) -> int:
        rows = there.read.rows
        if as_json:
            put_json([_value(row) for row in rows])
        elif not rows:
            say(f"{there.site.title} has no redirects.")
        else:
            columns = [
                Column[RedirectRow]("FROM", lambda row: row.source, gives=True),
                Column("TO", lambda row: row.to, gives=True),
                Column("KIND", lambda row: row.kind),
                Column("REST", lambda row: row.rest),
                Column("STATE", lambda row: "draft" if row.draft else "live"),
                Column("NOTE", lambda row: row.trouble, gives=True),
            ]
            put_table(columns, rows)
        return DONE

    return _run(service.connection(), site, organization, work)


def _value(row: RedirectRow) -> dict[str, Any]:
    """Return a redirect as the service has it, with where it leads and its fault."""
    return {"id": row.id, **row.body, "to": row.leads or None, "trouble": row.trouble or None}


def export_redirects(*, site: str, organization: str | None = None, service: Service = OWN) -> int:
    """Print the redirects of a site as a file that ``redirects import`` reads."""

    async def work(there: There) -> int:
        out = io.StringIO()
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(COLUMNS)
        for row in there.read.rows:
            leads = row.leads or ""
            # The import would refuse others, or take "-" for a removal; a spreadsheet may run them.
            told = leads.startswith("/") or web_address(leads)
            if told and wrong_source(row.source) is None:
                rest, state = "keep" if row.capture else "discard", "draft" if row.draft else "live"
                lines.writerow([row.source, leads, row.kind, rest, state])
            else:
                say(f"Not in the file: {row.source}, it leads to {row.to}.")
        put_bytes(out.getvalue().encode())
        return DONE

    return _run(service.connection(), site, organization, work)


def try_path(
    *,
    site: str,
    path: str,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Say where a path leads, as the service finds it; 1 where a reader comes to nothing."""

    async def work(there: There) -> int:
        inside = path_on(path.strip(), there.read.site.address)
        if not inside:
            raise UsageError(
                f"{_short(path)} is not a path of {there.site.title}: write one, as /guides/start"
            )
        try:
            way = await find_way(there.api, there.ids, there.read.paths, inside)
        except ValueError as error:
            raise UsageError(str(error).removesuffix(".")) from error
        if as_json:
            put_json(
                {
                    "path": way.path,
                    "to": None if way.fails else way.at,
                    "title": way.title or None,
                    "through": list(way.sources),
                    "loop": way.loop,
                }
            )
        else:
            put(way.said)
        return FAILED if way.fails else DONE

    return _run(service.connection(), site, organization, work)


def add_redirect(
    *,
    site: str,
    source: str,
    to: str,
    keep: bool = False,
    temporary: bool = False,
    draft: bool = False,
    yes: bool = False,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Make a redirect from a path of a site to another one, or to an address elsewhere."""
    need_answer(said=yes)
    path = source.strip()
    if (why := wrong_source(path)) is not None:
        raise UsageError(f"FROM: {_short(source)}: {why}")
    connection = service.connection(writes=True)

    async def work(there: There) -> int:
        if (before := there.row(path, draft=draft)) is not None:
            raise UsageError(
                f"nothing was sent: {path} leads to {before.to} already; import changes that, "
                "delete removes it",
                CONFLICT,
            )
        try:
            body = await redirect_body(
                there.read, path, to.strip(), keep=keep, permanent=not temporary, draft=draft
            )
        except WrongRedirectError as error:
            said = f"{_short(to)}: {error}" if error.part == "to" else str(error)
            raise UsageError(f"{_OPTIONS[error.part]}: {said}") from error
        shown = await there.read.paths.title(path)
        shadow = f"the site shows {shown} at {path}." if shown else ""
        if shadow and not yes:
            say(f"It will never be used: {shadow}")
        new = RedirectRow("new", path, _short(to.strip()), draft, not temporary, keep)
        said = f"{path} to {new.to}, {new.said}"
        ask_first(f"Make redirect {said}?", said=yes)
        async with CommandWrites(connection, there.api) as writes:
            made = await writes.send(making(there.ids, body))
        if as_json:
            put_json(made.to_dict())
        else:
            put(f"Made redirect {said}.")
        if shadow and yes:
            say(f"Made, but it will never be used: {shadow}")
        return DONE

    return _run(connection, site, organization, work, writes=True)


def delete_redirect(
    *,
    site: str,
    source: str,
    draft: bool = False,
    yes: bool = False,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Remove the redirect from a path of a site, or the draft of one."""
    need_answer(said=yes)
    connection = service.connection(writes=True)

    async def work(there: There) -> int:
        row = there.row(source.strip(), draft=draft)
        if row is None:
            what = "draft of a redirect" if draft else "redirect"
            other = there.row(source.strip(), draft=not draft)
            also = "" if other is None else (
                ". Leave out --draft for the live one" if draft else ", only a draft: add --draft"
            )  # fmt: skip
            raise UsageError(
                f"{there.site.title} has no {what} from {_short(source)}{also}", FAILED
            )
        ask_first(f"Remove redirect {row.source} to {row.to}?", said=yes)
        async with CommandWrites(connection, there.api) as writes:
            await writes.send(removing(there.ids, row))
        if as_json:
            put_json(_value(row))
        else:
            put(f"Removed redirect {row.source} to {row.to}.")
        return DONE

    return _run(connection, site, organization, work, writes=True)


def import_redirects(
    *,
    site: str,
    file: Path,
    plan: bool = False,
    skip_bad: bool = False,
    yes: bool = False,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Make, change and remove redirects as a CSV file says, or print that as a plan."""
    piped = is_piped(file)
    name = file.name if not piped and file.is_file() else named(file)
    need_answer(said=plan or yes, plans=True, free=not piped)
    connection = service.connection(writes=not plan)
    try:
        wanted, bad = read_from(sys.stdin.buffer) if piped else read_file(file, pipes=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"{named(file)} cannot be read: {why or error}") from error

    async def work(there: There) -> int:
        found = await plan_of(wanted, bad, there.read)
        if not as_json:
            _tell(found)
        refused: list[str] = []
        status = DIFFERS if plan and found.staged else FAILED if found.bad else DONE
        if found.bad and not skip_bad:
            if as_json and plan:
                put_json(_plan_value(found, refused, sent=False))
                return USAGE
            left = f"{plural(len(found.bad), 'line')} of {name} cannot be sent"
            rest = ": --skip-bad sends the rest" if found.staged else ""
            raise UsageError(f"nothing {'would be' if plan else 'was'} sent: {left}{rest}")
        if found.staged and not plan:
            many = plural(len(found.staged), "redirect")
            ask_first(f"Send {many}?", said=yes)
            refused = await _send(connection, there, found)
            status = FAILED if refused or found.bad else DONE
        if as_json:
            put_json(_plan_value(found, refused, sent=not plan))
        elif not found.staged:
            put(f"There is nothing to send of {name}.")
        elif not plan:
            done = plural(len(found.staged) - len(refused), "redirect")
            put(f"{done} done, {len(refused)} refused.")
        return status

    return _run(connection, site, organization, work, writes=not plan)


async def _send(connection: Connection, there: There, plan: RedirectPlan) -> list[str]:
    """Send a plan, as one for who undoes it; return what was refused. Raises ``ApiError``."""
    refused, group = list[str](), uuid4().hex
    try:
        async with CommandWrites(connection, there.api) as writes:
            for part in parts_of(plan.staged):
                found = await writes.send(importing(there.ids, part), group=group)
                refused += refused_of(part, found)
    finally:
        for each in refused:
            say(f"Refused: {each}")
    return refused


def _tell(plan: RedirectPlan) -> None:
    for each in plan.staged:
        put(each.sentence)
    for already in plan.already:
        say(f"{already}.")
    for note in plan.notes:
        say(f"! {note}")
    for bad in plan.bad:
        say(f"Left out: line {bad.line}: {bad.why}")


def _plan_value(plan: RedirectPlan, refused: list[str], *, sent: bool) -> dict[str, Any]:
    return {
        "sent": sent,
        "redirects": [
            {
                "line": each.line,
                "change": each.verb,
                "source": clean(each.body["source"]),
                "to": None if each.after is None else each.after.to,
            }
            for each in plan.staged
        ],
        "same": plan.same,
        "gone": plan.gone,
        "notes": plan.notes,
        "leftOut": [{"line": each.line, "why": each.why} for each in plan.bad],
        "refused": refused,
    }


def _short(text: str) -> str:
    return shorten(clean(text))
