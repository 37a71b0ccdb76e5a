"""Errors become sentences here and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil

from copydesk.client import errors
from copydesk.client.errors import ApiError, Garbled, RateLimited, ServerFault, Unreachable
from copydesk.session.declarations import ways


class NotDoneError(Exception):
    """The service answered without doing the request; the message says why."""


def failure_types() -> tuple[type[Exception], ...]:
    """Return the exceptions that a request may raise.

    A function, because importing the client before the first paint would delay it.
    """
    return (ApiError, OSError, NotDoneError)


def silence_types() -> tuple[type[Exception], ...]:
    """Return the exceptions for no answer, or an unusable one: then cached data are the best there
    is.
    """
    return (Unreachable, ServerFault, Garbled, RateLimited)


NOT_CACHED = "Not saved on this machine. "
"""Begins the sentence for data that are not cached while the service is away."""

OFFLINE = "Offline: "
CHANGED_FIRST = "Someone changed it first. Nothing was overwritten."
REFUSED = "Token refused. "
LIMITED = "API limit reached."
LOGIN_AGAIN = "copydesk login NAME saves another for that profile; COPYDESK_TOKEN goes before it."
STILL_READING = "Still reading."


LACKS = "This service has no "
"""Begins the sentence for what the service lacks: to ask again is of no use."""


SELDOM = "Nothing found in a long part of this list. Enter looks further."
"""Stands where so many pages in a row had nothing that nobody may want to read on."""


def sentence(error: BaseException, again: str = "R") -> str:
    """Return the sentence for ``error``: the problem, and what to do.

    ``again`` is the key that tries again, "" where no key does: in a shell.
    """
    retry = f" {_again(again, 'tries again')}" if again else ""
    said = str(error)
    match error:
        case NotDoneError():
            return said
        case errors.Unauthorized():
            return f"{REFUSED}{'ctrl+g to fix it.' if again else LOGIN_AGAIN} {said}".strip()
        case errors.ReadOnly() | errors.CheckoutNeeded():
            return said
        case errors.Forbidden():
            return f"Not allowed: {said}"
        case errors.OperationMissing(lacking=lacking, successor=successor):
            way = _way(successor)
            return f"{LACKS}{lacking}. {way}." if way else said
        case errors.NotFound(lacking=lacking) if lacking:
            return f"Not found, or this service has no {lacking}. {said}".strip()
        case errors.NotFound():
            return f"Not found: deleted or moved. {said}".strip()
        case errors.Conflict():
            return f"Nothing was changed. {said}" if said else CHANGED_FIRST
        case errors.Blocked():
            return f"Refused by a rule: {said}"
        case errors.RateLimited():
            when = _back(error)
            back = f" Back {when}." if when else ""
            return f"{LIMITED}{back} Nothing was lost.{retry}"
        case errors.Invalid():
            return f"The service did not accept it: {said}"
        case errors.Refused():
            return f"The service refused it: {said}"
        case errors.Unreachable():
            return f"{OFFLINE}{_ended(said)}{retry}"
        case errors.ApiError():
            return f"The service failed: {_ended(said)}{retry}"
        case OSError(strerror=str(why), filename=None):
            return _ended(why)
        case _:
            return f"{type(error).__name__}: {said}"


def _way(route: str) -> str:
    """Return the way to the place that shows what an operation answers, by its route."""
    from copydesk.contract.operations import CATALOGUE

    names = [each.name for each in CATALOGUE.values() if route and each.route == route]
    there = (way for way in ways() if way.key and way.reads in names)
    return next((f"g {way.key}: {way.title.lower()}" for way in there), "")


def with_key(text: str) -> str:
    """Return a `sentence` with the key that reads again, unless it is in it or of no use."""
    return text if text.startswith(LACKS) or "R " in text else f"{text} R reads it again."


IN_THE_LOG = "@ lists it, to be sent again."
"""Ends the sentence for a write that failed, where no key of the screen sends it again."""


def _again(key: str, does: str) -> str:
    return IN_THE_LOG if key == "@" else f"{key} {does}."


UNKNOWN = "No answer: it may have been sent"


def is_unknown(error: BaseException | None) -> bool:
    """Whether a write that ended with ``error`` may have taken effect."""
    return getattr(error, "sent", None) is True


def write_sentence(
    error: BaseException, *, what: str = "", kept: bool = False, again: str = "@"
) -> str:
    """Return the sentence for a write that ended with ``error``.

    ``what`` names the write where that is not plain, ``kept`` says that its text is a draft,
    ``again`` is the key that sends it again; that of the log leads to where one does.
    """
    said = str(error)
    draft = " What you wrote is kept (:drafts)." if kept else ""
    if is_unknown(error):
        which = f" ({what})" if what else ""
        text = f"{UNKNOWN}{which}: look before sending it again. {said}"
        return f"{_ended(text)}{draft}" if kept else text
    match error:
        case errors.Unreachable():
            return f"{OFFLINE}not sent. {_ended(said)}{draft} {_again(again, 'sends it')}"
        case errors.ApiError() if type(error) is errors.ApiError:
            return f"The service failed: {_ended(said)}{draft} {_again(again, 'sends it again')}"
        case _:
            text = sentence(error, again)
            return f"{_ended(text)}{draft}" if kept else text


WAITS = "Waits in the outbox (g x)"


def waits_sentence(error: BaseException) -> str:
    """Return the sentence for a write that waits in the outbox, with the reason."""
    match error:
        case errors.Unauthorized():
            why = "the token was refused"
        case errors.RateLimited():
            when = _back(error)
            why = f"the API limit is reached{f', back {when}' if when else ''}"
        case _:
            why = "the service cannot be reached"
    return f"{WAITS}: {why}. Nothing was sent."


def request_id_of(error: BaseException) -> str:
    """Return what the service calls the call that failed; "" where it has no name for it."""
    return str(getattr(error, "request_id", ""))


def _back(error: BaseException) -> str:
    """Return when the service may be asked again, as the end of a sentence; "" when unknown."""
    back = getattr(error, "retry_at", None)
    if not isinstance(back, datetime):
        return ""
    wait = (back - datetime.now(UTC)).total_seconds()
    if wait < 60:
        return f"in {max(1, ceil(wait))} s"
    there = back.astimezone()
    if wait < 3600:
        return f"at {there:%H:%M:%S}"
    return f"at {there:%H:%M}" if wait < 86_400 else f"on {there:%Y-%m-%d at %H:%M}"


def _ended(said: str) -> str:
    """Return a message of the service with a full stop: more text follows it."""
    return said if not said or said[-1] in ".!?…" else f"{said}."
