"""Why nothing can be done with a thread or a message: sentences, or None when it can.

They hold wherever threads are shown (`copydesk.tui.threads.commands`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from copydesk.session.people import name_of
from copydesk.tui.framework.actions import NoRowYet

if TYPE_CHECKING:
    from copydesk.contract.models.comment import CommentPermissions
    from copydesk.tui.threads.commands import HasThreads


def may_not_comment(here: HasThreads) -> str | None:
    """Say so when I may not comment here."""
    return here.commenting_refused()


def no_thread(here: HasThreads) -> str | None:
    """Say so when there is no thread under the cursor."""
    return None if here.current_thread() is not None else _no_thread(here)


def no_message(here: HasThreads) -> str | None:
    """Say so when there is no message under the cursor."""
    return None if here.current_message() is not None else _no_thread(here)


def _no_thread(here: HasThreads) -> str:
    return here.no_thread_here if here.threads_known else NoRowYet(here.no_thread_here)


def may_not_reply(here: HasThreads) -> str | None:
    """Say so when the thread takes no reply of mine."""
    thread = here.current_thread()
    permissions = thread.comment.permissions if thread else None
    if permissions is not None and not permissions.reply:
        return "You may not reply in this thread."
    return None


def not_mine(here: HasThreads) -> str | None:
    """Say so when the message is not mine to edit."""
    return _only_others(here, lambda granted: granted.edit, "may edit this")


def not_to_delete(here: HasThreads) -> str | None:
    """Say so when the message is not mine to delete."""
    return _only_others(here, lambda granted: granted.delete, "or an administrator may delete this")


def _only_others(
    here: HasThreads, may: Callable[[CommentPermissions], bool], do: str
) -> str | None:
    message = here.current_message()
    if message is None:
        return _no_thread(here)
    if message.permissions is None or may(message.permissions):
        return None
    return f"Only {name_of(message.posted_by)} {do}."


def nobody(here: HasThreads) -> str | None:
    """Say so when the service does not tell who I am: then my reactions are not known."""
    return None if here.session.me is not None else "The service does not say who you are."
