"""What the list and the review both write of a change request: its status, its reviewers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from copydesk.domain.inverses import reviewers_asked, still_discussed
from copydesk.domain.moments import time_or_date
from copydesk.domain.text import clean, listed
from copydesk.session.cached_reads import live_or_cached, read_cached
from copydesk.session.draft_keys import marks_key
from copydesk.session.errors import silence_types
from copydesk.session.marks import (
    LABELS,
    NOTE,
    STARRED,
    YES,
    Marks,
    labels_wrong,
    marks_reversal,
    note_wrong,
    read_labels,
)
from copydesk.session.names import asked_name, person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.suggested_reviewers import read_writers, reasons
from copydesk.session.writes.bulk import NothingToDoError
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.session.writes.requests import ask_for_content, changing
from copydesk.tui.dialogs.choice import Choices

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ChangeRequestWritableStatus
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.review import RequestedReviewer
    from copydesk.contract.models.user import User
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.page_changes import ReviewChange
    from copydesk.tui.framework.place import Place

PEOPLE = 1000
"""Members that the list offers."""

USES = (
    "list_requested_reviewers",
    "request_reviewers",
    "remove_requested_reviewer",
    "list_members",
)
"""The operations that asking uses."""


async def set_status(
    place: Place,
    row: ChangeRow,
    status: ChangeRequestWritableStatus,
    what: str,
    done: str,
    *,
    group: str = "",
    then: Callable[[ChangeRequest], None] | None = None,
) -> None:
    """Give a change request another status. Raises `WriteError`."""
    from copydesk.contract.models.change_request import ChangeRequestUpdate

    write = changing(
        row,
        what,
        ChangeRequestUpdate(status=status),
        {"status": row.status},
        is_so=lambda now: now.status == status,
        done=done,
    )
    await place.writer.send(write, group=group, then=then)


async def read_marks(place: Place) -> Marks:
    """Return the reader's marks as another window may have changed them. Raises `WriteError`."""
    try:
        await place.session.marks.read()
    except OSError as error:
        raise WriteError(f"The marks on this machine cannot be read: {error}") from error
    return place.session.marks


async def edit_marks(place: Place, space: str, request: str, name: str) -> bool:
    """Let the reader star, label and annotate a change request, for themselves.

    ``name`` is how it is called. Returns whether something was changed. Raises `WriteError`.
    """
    from copydesk.tui.dialogs.form import Form
    from copydesk.tui.dialogs.form_fields import Field

    marks, key = await read_marks(place), marks_key(space, request)
    before = {kind: marks.of(request).get(kind, "") for kind in (STARRED, LABELS, NOTE)}

    async def offered() -> list[Option]:
        return [Option(each, each) for each in marks.labels]

    async def send(values: Mapping[str, str]) -> None:
        after = {
            STARRED: values[STARRED],
            LABELS: read_labels(values[LABELS]),
            NOTE: values[NOTE].strip(),
        }
        changed = {kind: mark for kind, mark in after.items() if mark != before[kind]}
        if not changed:
            return
        await place.writer.perform(
            "Mark",
            name,
            lambda api: marks.put(request, changed),
            reversal=marks_reversal(request, {kind: before[kind] for kind in changed}, changed),
            draft=key,
        )

    stars = [Option("", "no star"), Option(YES, "starred")]
    form = Form(
        f"Marks of {name}",
        [
            Field(STARRED, "Star", before[STARRED], options=stars),
            Field(
                LABELS, "Labels", before[LABELS], labels_wrong, offers=offered, several=" ",
                help="Words with a blank between: label:urgent in a filter finds them.",
                nothing="No change request has a label yet.",
            ),
            Field(NOTE, "Note", before[NOTE], note_wrong, lines=4),
        ],
        draft_key=key,
        facts=["Saved on this machine only: no one else sees it."],
        send=send,
    )  # fmt: skip
    return await place.desk.push_screen_wait(form) is not None


async def ask_reviewers(
    place: Place,
    *,
    organization: str,
    space: str,
    request: str,
    label: str,
    author: str,
    before: Sequence[RequestedReviewer],
    sent: Callable[[], None],
    since: datetime | None = None,
    changed: Sequence[ReviewChange] = (),
    revision: str = "",
) -> None:
    """Let the reader tick who is asked to review, and send what differs.

    ``before`` are those who are asked now: teams stay asked, and are named. ``since`` is when the
    service said so, where that is kept. The author is not offered. Each request is a write of its
    own, all are taken back together. ``sent`` reads again who is asked: also when some of it
    failed, for the rest may have arrived. Who owns what is ``changed``, or wrote in it in the
    newest revisions up to ``revision``, comes first; nobody is ticked for it. Raises `WriteError`.
    """
    pages = {change.id: change.before.path for change in changed if change.before is not None}

    async def read() -> tuple[dict[str, User] | None, Mapping[str, Collection[str]]]:
        members, session = await _members(place, organization), place.session
        if not (pages and revision and session.may_spend and not session.held):
            return members, {}
        return members, await read_writers(await session.ready(), space, revision, pages.keys())

    found = await place.reads.now("people", read, "Reading who may be asked")
    if found is None:
        return
    members, writers = found
    now = {each.user.id: each.user for each in before if each.user is not None}
    teams = [asked_name(each) for each in before if each.user is None]
    people = {**(members or {}), **now}
    people.pop(author, None)
    session = place.session
    paths = [change.node.path for change in changed if not change.thing]
    why, strangers = reasons(people, paths, session.owners, writers)
    options = [
        Option(each.id, each.title, why[each.id].words or each.note) for each in _options(people)
    ]
    options.sort(
        key=lambda each: (each.id not in now, why[each.id].rank, each.title.casefold()),
    )
    about = []
    if since is not None:
        about.append(f"As asked {time_or_date(since, place.session.clock())}.")
    if members is None:
        about.append("Who else is here is not known.")
    if teams:
        about.append(f"Asked too: {listed(teams)}.")
    if strangers:
        about.append(f"Owner, but not a member: {clean(listed(strangers), limit=200)}.")
    sheet = Choices(f"Ask to review {label}", options, ticked=list(now), about=" ".join(about))
    chosen: frozenset[str] | None = await place.desk.push_screen_wait(sheet)
    if chosen is None or chosen == now.keys():
        return
    old = frozenset(now)
    asked, left = sorted(chosen - old), sorted(old - chosen)

    def names(users: Iterable[str]) -> str:
        return listed([person_name(people[user]) for user in users if user in people])

    steps = [(asked, "")] if asked else []
    steps += [([], user) for user in left]
    group = uuid4().hex if len(steps) > 1 else ""

    async def send() -> None:
        waits: QueuedError | None = None
        said: list[str] = []
        try:
            for at, (new, gone) in enumerate(steps):
                said.append(
                    f"Asked: {names(new)}." if new else f"Asked no longer: {names([gone])}."
                )
                try:
                    await place.writer.perform(
                        "Ask for a review" if new else "Ask no longer for a review",
                        label,
                        partial(_send, space=space, request=request, asked=new, left=gone),
                        reversal=reviewers_asked(
                            space, request, asked=new, left=[gone] if gone else []
                        ),
                        expects=still_discussed(space, request),
                        group=group,
                        recall=at == 0,
                        aged=since is not None,
                        done=" ".join(said),
                    )
                except QueuedError as error:
                    waits = error
        finally:
            # While nobody is there, reading would only say so, over what is told of the writes.
            if place.is_attached and not place.session.offline:
                sent()
        if waits is not None:
            raise waits

    await place.session.writes.whole(send())


def _options(people: Mapping[str, User]) -> list[Option]:
    """Return people to tick, by their names."""
    found = (
        Option(user.id, person_name(user), clean(user.email or "")) for user in people.values()
    )
    return sorted(found, key=lambda option: option.title.casefold())


async def choose_reviewers(place: Place, organization: str, title: str) -> dict[str, User]:
    """Let the reader tick people of an organization; none where nobody is ticked."""

    async def read() -> tuple[dict[str, User] | None]:
        return (await _members(place, organization),)

    found = await place.reads.now("people", read, "Reading the members")
    if found is None:
        return {}
    people = found[0]
    if people is None:
        place.tell("The members are not known, and the service cannot be asked now.", "warn")
        return {}
    chosen = await place.desk.push_screen_wait(Choices(title, _options(people)))
    return {user: people[user] for user in people if user in (chosen or ())}


async def takes_content(place: Place) -> bool:
    """Whether the service has a way to write content; where not, that is said."""
    session = place.session

    async def ask() -> tuple[str | None]:
        return (await ask_for_content(session),)

    unsure = not session.offline and (await session.ready()).routes.unsure(
        ops.update_change_request_content
    )
    found = await (
        place.reads.now("plan", ask, "Reading what the service has") if unsure else ask()
    )
    if found is not None and found[0] is not None:
        place.tell(found[0], "warn")
    return found == (None,)


async def ask_more(
    place: Place,
    space: str,
    request: str,
    label: str,
    author: str,
    people: Mapping[str, User],
    *,
    group: str,
) -> None:
    """Ask people for a review of one of several change requests, besides those who are asked.

    Its author is never asked. Raises `NothingToDoError` where nobody is left to ask, and
    `WriteError`.
    """
    api = await place.session.ready()
    pages = api.pages(ops.list_requested_reviewers, space, request)
    there = {each.user.id async for each in pages if each.user is not None}
    asked = sorted(people.keys() - there - {author})
    if not asked:
        by_author = people.keys() - there
        raise NothingToDoError("its author is not asked" if by_author else "asked already")
    await place.writer.perform(
        "Ask for a review",
        label,
        partial(_send, space=space, request=request, asked=asked, left=""),
        reversal=reviewers_asked(space, request, asked=asked),
        expects=still_discussed(space, request),
        group=group,
    )


async def _send(api: Api, *, space: str, request: str, asked: list[str], left: str) -> None:
    from copydesk.contract.models.review import ReviewersRequest

    if asked:
        await api(ops.request_reviewers, space, request, ReviewersRequest(users=asked))
    else:
        await api(ops.remove_requested_reviewer, space, request, left)


async def _members(place: Place, organization: str) -> dict[str, User] | None:
    """Return who may be asked, by id: of what is kept where the service cannot be asked now.

    None where nothing is kept: who is asked by now can be asked no longer even so. Raises
    ``ApiError``.
    """

    async def read(api: Api) -> dict[str, User]:
        found: dict[str, User] = {}
        # As they are read elsewhere, so that they are kept.
        async for member in api.pages(ops.list_members, organization):
            if not member.disabled:
                found[member.user.id] = member.user
            if len(found) == PEOPLE:
                break
        return found

    held = place.session.held
    if held:  # nobody waits for what is known not to answer
        api = await place.session.ready()
        found = await read_cached(lambda: read(api)) if api.caches else None
        return None if found is None else found.result
    try:
        return (await live_or_cached(place.session, read)).result
    except silence_types():
        if not place.session.held:
            raise
        return None
