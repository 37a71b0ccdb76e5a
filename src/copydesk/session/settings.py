"""Settings as the screens change them, with the way back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal
    from copydesk.session.session import Session
    from copydesk.session.writes.undo import LocalStep


async def put_setting(session: Session, name: str, value: str | None) -> str:
    """Write a setting as it was typed, None for its default, and have it hold in this run.

    Returns when it holds, where that is not now. Raises ``ValueError`` with a sentence for what is
    no value of it, and ``OSError``.
    """
    if session.settings_file is None:
        raise ValueError("this run has no settings file")
    file = session.settings_file()
    if value is None:
        await asyncio.to_thread(file.reset, name)
    else:
        await asyncio.to_thread(file.change, name, value)
    return session.use_setting(name)


def settings_steps(session: Session) -> Mapping[str, LocalStep]:
    """Return the local steps of reversals with settings, by name."""

    async def put(name: str, value: str | None) -> None:
        await put_setting(session, name, value)

    async def tell(name: str) -> dict[str, Any]:
        if session.settings_file is None:
            return {"value": None}
        return {"value": await asyncio.to_thread(session.settings_file().typed, name)}

    return {"setting": put, "setting_now": tell}


def setting_reversal(name: str, before: str | None, after: str | None) -> Reversal:
    """Return the reversal of changing a setting; None is what is not in the file."""
    from copydesk.domain.reversal import put_here

    was, now = {"value": before}, {"value": after}
    return put_here("setting", "setting_now", was, now, "it was changed since", name=name)
