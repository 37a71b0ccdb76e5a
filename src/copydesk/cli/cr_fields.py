"""``copydesk cr create`` and ``edit``: the subject, description and status of a change request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from copydesk.cli.clusters import FoundCluster, find_cluster
from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.cr_threads import text_of
from copydesk.cli.errors import CONFLICT, DONE, NOT_ALLOWED, UsageError, say
from copydesk.cli.lookup import Wanted, find_space
from copydesk.cli.output import put, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.domain.plain_documents import document_of, is_plain
from copydesk.domain.text import clean
from copydesk.session.change_rows import row_of
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_me
from copydesk.session.writes.requests import (
    RequestWords,
    about_text,
    begin_request,
    begun_as,
    changing,
    read_about,
    right_missing,
    subject_wrong,
    update_of,
    why_no_change,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ChangeRequestWritableStatus
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.space import Space
    from copydesk.contract.models.user import User


def create(
    *,
    subject: str,
    space: str,
    description: str | None = None,
    cluster: str | None = None,
    organization: str | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Begin a change request in a space: a draft, without changes. Raises ``UsageError``.

    It may answer a ``cluster`` of the organization of that space.
    """
    about = _subject(subject)
    said = None if description is None else text_of(description, "description")
    connection = service.connection(writes=True)

    async def run(api: Api) -> int:
        from copydesk.contract.models.change_request import ChangeRequestCreate

        there = await find_space(api, space, organization)
        whole, me = await asyncio.gather(api(ops.get_space, there.id), read_me(api))
        if why := right_missing(whole, lambda granted: granted.edit, "edit"):
            raise UsageError(f"nothing was sent: {why}", NOT_ALLOWED)
        body = ChangeRequestCreate(subject=about)
        if said is not None:
            body.description = document_of(said)
        answered: FoundCluster | None = None
        if cluster is not None:
            answered = await find_cluster(api, cluster, there.organization)
            body.conversations_issues_cluster = answered.row.id
        async with CommandWrites(connection, api) as writes:
            made = await begin_request(writes.send, there.id, body, me)
        if as_json:
            put_json(made.to_dict())
        else:
            begun = f"Began #{made.number} in {there.title} as {begun_as(made)}"
            put(f"{begun}: {clean(made.subject)}")
        if answered is not None:  # perhaps only some of its words were given
            say(f"Answers the cluster {answered.named}.")
        return DONE

    return connection.run(run)


def edit(
    *,
    wanted: Wanted,
    subject: str | None = None,
    description: str | None = None,
    status: ChangeRequestWritableStatus | None = None,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Change the subject, the description or the status of a change request.

    Raises ``UsageError``.
    """
    if subject is None and description is None and status is None:
        raise UsageError("say what to change: --subject, --description or --status")
    new_subject = None if subject is None else _subject(subject)
    new_description = None if description is None else text_of(description, "description")
    connection = service.connection(writes=True)

    async def change(api: Api, found: Found) -> int:
        from copydesk.contract.models.change_request import ChangeRequestUpdate

        given, there = found
        whole, me = await asyncio.gather(api(ops.get_space, there.id), read_me(api))
        _refuse(given, whole, me)
        was = read_about(about_text(given))
        about = RequestWords(
            was.subject if new_subject is None else new_subject,
            was.description if new_description is None else new_description,
        )
        body = update_of(given, about) or ChangeRequestUpdate()
        back = (update_of(given, about, back=True) or ChangeRequestUpdate()).model_dump(
            mode="json", exclude_unset=True
        )
        if "description" in back and not is_plain(given.description):
            say("Its description had lists or styles: it is plain text now.")
        if status is not None and status != given.status:
            body.status, back["status"] = status, given.status
        now = given
        if back:

            def is_so(now: ChangeRequest) -> bool:
                return update_of(now, about) is None and status in (None, now.status)

            write = changing(
                row_of(given), "Edit", body, back, is_so=is_so, done=f"Saved #{given.number}."
            )
            async with CommandWrites(connection, api) as writes:
                now = await writes.send(write)
        if as_json:
            put_json(now.to_dict())
        else:
            put(
                f"Saved #{given.number}."
                if back
                else f"#{given.number} has that already: nothing was sent."
            )
        return DONE

    return run_on(connection, wanted, change)


def _subject(given: str) -> str:
    """Return a subject as it is sent. Raises ``UsageError`` for one that a service refuses."""
    subject = given.strip()
    if "\n" in subject:
        raise UsageError("the subject is one line. Nothing was sent.")
    if why := subject_wrong(subject):
        raise UsageError(f"the subject: {why} Nothing was sent.")
    return subject


def _refuse(request: ChangeRequest, space: Space, me: User | None) -> None:
    """Raise ``UsageError`` where an edit would be refused."""
    if request.status == "merged":
        said = f"nothing was sent: #{request.number} is merged, and can no longer be edited."
        raise UsageError(said, CONFLICT)
    if why := why_no_change(request, space, me):
        raise UsageError(f"nothing was sent: {why}", NOT_ALLOWED)
