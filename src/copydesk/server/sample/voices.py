"""Words for writing down conversations."""

from __future__ import annotations

from copydesk.server.sample.story import Voice


def voice(
    title: str, summary: str, question: str, *turns: tuple[str, str], also: tuple[str, ...] = ()
) -> Voice:
    """Return a voice; what follows the question comes in its order."""
    return Voice(title=title, summary=summary, question=question, turns=turns, also=also)


def user(body: str) -> tuple[str, str]:
    """Return what somebody who asks for help says."""
    return "user", body


def bot(body: str) -> tuple[str, str]:
    """Return what the assistant says."""
    return "assistant", body


def team(body: str) -> tuple[str, str]:
    """Return what somebody of the team says."""
    return "team-member", body
