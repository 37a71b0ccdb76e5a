"""Whose a token is: what the service says, before the token is kept and when one asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.cli.errors import FAILED, NOT_ALLOWED, UsageError, kept_state, status_for
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.cli.connection import Connection
    from copydesk.client.api import Api
    from copydesk.domain.profile import Profile
    from copydesk.local.accounts import Account, Accounts

SAID = 5
"""So many organizations are named."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a token. Texts are clean; ``id`` and ``name`` are "" where the service has no
    operation that tells (E1).
    """

    id: str
    name: str
    email: str
    organizations: tuple[str, ...]
    more: bool

    def __str__(self) -> str:
        who = self.name or self.email or self.id or "someone (the service does not say who)"
        return f"{who} ({self.email})" if self.email and who != self.email else who

    @property
    def places(self) -> str:
        """The organizations, as one line; empty for none."""
        named = ", ".join(self.organizations[:SAID])
        left = len(self.organizations) - SAID
        if left > 0:
            named += f" and {left}{' or more' if self.more else ''} others"
        return named


async def read_holder(api: Api) -> Holder:
    """Return whose the token of a client is.

    Raises ``ApiError``, and ``UsageError`` for an address where something else answers.
    """
    from copydesk.client.errors import Garbled, NotFound, OperationMissing

    user = None
    try:
        try:
            user = await api(ops.get_current_user)
        except OperationMissing:
            user = None
        page = await api(ops.list_organizations, limit=100)
    except (Garbled, NotFound) as error:
        raise UsageError(
            f"{api.base_url} answers, but not as this API does: look at the base URL, and whether "
            "your network wants a login",
            FAILED,
        ) from error
    return Holder(
        user.id if user else "",
        _short(user.display_name) if user else "",
        _short(user.email or "") if user else "",
        tuple(_short(each.title) or each.id for each in page.items),
        page.next is not None,
    )


def _short(text: str) -> str:
    return shorten(" ".join(clean(text).split()))


def kept_for(key: str) -> list[str]:
    """Return the counts of drafts, waiting writes and runs that are kept under a key."""
    from copydesk.domain.text import plural
    from copydesk.local.drafts import DeskDrafts
    from copydesk.local.journal import Journal
    from copydesk.local.runs import Arrangements, Runs, Settlings

    store = kept_state()
    counts = {
        "draft": len(DeskDrafts(store, key).texts()),
        "waiting write": len(Journal(store, key).waiting()),
        "merge run": len(Runs(store, key).all()),
        "rearrangement": len(Arrangements(store, key).all()),
        "settled conflict": len(Settlings(store, key).all()),
    }
    store.close()
    return [plural(count, noun) for noun, count in counts.items() if count]


def claim(profile: Profile, holder: Holder) -> Account | None:
    """Return the account to be noted under a profile's key; None where nobody can tell.

    Raises ``UsageError`` where somebody else's texts and writes are kept there: they would be sent
    in a wrong name.
    """
    from copydesk.domain.text import listed
    from copydesk.local.accounts import Account, Accounts
    from copydesk.local.paths import find_paths

    if not holder.id:
        return None
    owner = Accounts(find_paths().accounts).read(profile.key)
    if owner is not None and owner.user != holder.id and (kept := kept_for(profile.key)):
        raise UsageError(
            f"this is the token of {holder}, and profile {profile.name} has "
            f"{listed(kept)} of {clean(owner.name) or owner.user}. "
            "Give the profile another name: copydesk login NAME. Nothing was saved"
        )
    return Account(holder.id, holder.name or holder.email)


def note_owner(accounts: Accounts, key: str, account: Account) -> str:
    """Note whose things are kept under a key, once the service has said who its token is for.

    While things of somebody else are there, they stay theirs: it is said in a sentence then.
    Raises ``OSError``.
    """
    from copydesk.domain.text import listed

    owner = accounts.read(key)
    if owner is not None and owner.user != account.user and (kept := kept_for(key)):
        return (
            f"Saved here of {clean(owner.name) or owner.user}: {listed(kept)}. "
            "copydesk login NAME makes a profile of its own for this token."
        )
    if owner != account:
        accounts.write(key, account)
    return ""


def keep_apart(connection: Connection) -> None:
    """Keep what is kept for somebody from the holder of a token of the environment.

    Before anything of it is shown or written the service is asked whose the token is, where it is
    known whose things are kept, and not that this is the token of theirs. Somebody else gets none
    that was read; under a profile's name they are refused, for they would write under it. Raises
    ``UsageError`` then, also where the service does not tell.
    """
    from copydesk.cli.errors import say
    from copydesk.client.errors import ApiError, Unauthorized
    from copydesk.local.accounts import Accounts, mark_of
    from copydesk.local.paths import find_paths

    owner = Accounts(find_paths().accounts).read(connection.key)
    if owner is None or connection.token is None:
        return
    if owner.mark == mark_of(connection.token.read(), connection.key):
        return
    kept = f"what is saved for {connection.profile or connection.host} is {clean(owner.name)}'s"
    try:
        holder = _ask(connection)
    except ApiError as error:
        if not connection.profile:
            return  # it is told apart once the service answers
        if isinstance(error, Unauthorized):
            raise UsageError(
                f"{connection.host} refuses COPYDESK_TOKEN. Unset it, or set it to a valid token",
                NOT_ALLOWED,
            ) from error
        raise UsageError(
            f"{kept}, and the service does not say whose COPYDESK_TOKEN is. {error} "
            "Unset COPYDESK_TOKEN, or try again",
            status_for(error),
        ) from error
    if not is_another(owner, holder):
        return
    if connection.profile:
        raise UsageError(
            f"COPYDESK_TOKEN is the token of {holder}, and {kept}: unset COPYDESK_TOKEN, or name "
            f"the service by --base-url {connection.base_url}",
            NOT_ALLOWED,
        )
    forget_copies(connection.key)
    say(f"COPYDESK_TOKEN is the token of {holder}, and {kept}: what was read before is cleared.")


def is_another(owner: Account | None, holder: Holder) -> bool:
    """Whether the token of ``holder`` is known to belong to another account than ``owner``."""
    return owner is not None and bool(holder.id) and owner.user != holder.id


def _ask(connection: Connection) -> Holder:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    async def ask() -> Holder:
        async with await connection.connect() as api:
            return await read_holder(api)

    # In a thread: some commands choose their service while a loop is running already.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, ask()).result()


def forget_copies(key: str) -> None:
    """Drop the answers of a service that are kept on this machine. Raises ``OSError``."""
    from copydesk.local.answer_cache import Answers, answers_file
    from copydesk.local.paths import find_paths
    from copydesk.local.snapshot import Snapshots

    paths = find_paths()
    Snapshots(paths.snapshots, key).forget()
    answers = Answers(answers_file(paths.answers, key))
    answers.forget()
    answers.close()
