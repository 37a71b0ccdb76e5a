"""The identity of the caller and the last organization, read once connected.

A start uses the cached identity, so that it needs no network. The service is asked in the
background, and cached data of another caller are dropped.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from copydesk.client.errors import ApiError, OperationMissing
from copydesk.domain.request_context import ASKER, Asker, Why, leave_cache, reads_cached
from copydesk.domain.text import clean
from copydesk.session.cached_reads import forget_copies, read_cached
from copydesk.session.names import Members, person_name
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.session import Session
    from copydesk.session.target import Target

REMEMBERED = "session"
"""The snapshot that holds the organization of the last run, with its title."""


def remembered(snapshot: Snapshots) -> tuple[str | None, str]:
    """Return the organization of the last run and its title; None where it is unknown."""
    row = next(iter(snapshot.read(REMEMBERED)), {})
    organization, title = row.get("organization"), row.get("title")
    if not (organization and isinstance(organization, str)):
        return None, ""
    return organization, clean(title) if isinstance(title, str) else ""


async def identify(session: Session, api: Api) -> None:
    """Fill in the caller and the organization of a session.

    The caller is an extension (E1): without it nobody is "me". The organization stays the one that
    the reader is in already, or was in the last run, unless the service no longer lists it: then it
    is the first. A cached answer does not tell that. Raises what the client raises.
    """
    try:
        session.me = await api(ops.get_current_user)
    except OperationMissing:
        session.me = None
    page = await api(ops.list_organizations, limit=100)
    titles = {each.id: clean(each.title) for each in page.items}
    session.organization_titles.update(titles)
    # Asked after the answer: the reader may have chosen another one meanwhile.
    here = session.organization or remembered(session.snapshot)[0]
    if here is not None and (here in titles or page.next is not None or reads_cached()):
        await choose(session, here, titles.get(here, session.organization_title))
    elif page.items:
        await choose(session, page.items[0].id, page.items[0].title)
    else:
        session.organization, session.organization_title = None, ""


async def identify_at(target: Target, session: Session, api: Api) -> None:
    """As `identify`, then switch to the organization of the opened target if it is known.

    The screen itself reports what cannot be read. Raises what the client raises.
    """
    await identify(session, api)
    await be_at(target, session, api)


async def be_at(target: Target, session: Session, api: Api) -> None:
    """Switch to the organization of the opened target if it is known.

    The screen itself reports what cannot be read.
    """
    meant = target.organization
    try:
        if target.space is not None and meant not in session.organization_titles:
            meant = (await api(ops.get_space, target.space)).organization or meant
        if meant is None or meant == session.organization:
            return
        title = session.organization_titles.get(meant)
        if title is None:
            title = (await api(ops.get_organization, meant)).title
    except ApiError:
        return
    await choose(session, meant, title)


async def choose(session: Session, organization: str, title: str) -> None:
    """Switch to an organization, also for the next start: the disk is written in a thread."""
    title = clean(title)
    session.organization, session.organization_title = organization, title
    if title:
        session.organization_titles[organization] = title
    session.touched()
    if remembered(session.snapshot) != (organization, title):
        row = {"organization": organization, "title": title}
        await asyncio.to_thread(session.snapshot.write, REMEMBERED, [row])


async def recall(session: Session, api: Api) -> bool:
    """Fill in the caller and the organization from cached answers; False if there are none."""
    leave_cache()  # a cached read may have started this task
    if not api.caches:
        return False
    return await read_cached(lambda: session.identify(session, api)) is not None


async def confirm(session: Session, api: Api) -> None:
    """Ask the service who the caller is, after a start from cached answers.

    Raises nothing: a failure is noted as for a read, and the question is repeated after the next
    answer.
    """
    leave_cache()
    before = session.me
    try:
        me = await api(ops.get_current_user)
    except OperationMissing:
        me = None
    except (ApiError, OSError) as error:
        session.learn(error, quiet=True)
        return
    session.confirmed = True
    if me is None or before is None or me.id == before.id:
        session.me = me
        session.fresh()
        await tell_owner(session)
        return
    # Another person's token: cached data that they may not see must not be shown.
    became = "is cleared, and read again"
    try:
        await forget_copies(session, api)
    except OSError as error:
        api.cache_in(None)
        became = f"is shown no more, but it could not be cleared: {error}"
    session.members, session.organization, session.organization_title = Members(), None, ""
    session.organization_titles.clear()
    try:
        await session.identify(session, api)
    except (ApiError, OSError) as error:
        session.learn(error, quiet=True)
    session.me = me
    session.fresh()
    session.others()
    was = person_name(before)
    said = f"This token is {person_name(me)}'s. What was saved here for {was} {became}."
    session.report(f"{said} {await note_owner(session)}".strip(), "warn")


async def tell_owner(session: Session) -> None:
    """Note the owner of this machine's state, and report state of others."""
    if said := await note_owner(session):
        session.report(said, "warn")


async def note_owner(session: Session) -> str:
    """Note the owner of this machine's state; return a sentence on state of others.

    So nobody who comes with another token gets it.
    """
    me, keeper = session.me, session.token
    if me is None or keeper is None:
        return ""
    try:
        return await asyncio.to_thread(keeper.note, me.id, person_name(me))
    except OSError:
        return ""  # where this cannot be noted, nothing of theirs is stored either


async def probe(session: Session) -> None:
    """Ask a service that could not be reached whether it is back, while no screen reads anything.

    Raises nothing.
    """
    leave_cache()
    ASKER.set(Asker(why=Why.POLLING))
    try:
        api = await session.ready()
    except (ApiError, OSError) as error:
        session.learn(error, quiet=True)
    else:
        await confirm(session, api)
