"""What a person reads of an error: what is wrong, and what to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from copydesk.client import errors
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.keymap import with_keys
from copydesk.session.declarations import ways
from copydesk.session.errors import (
    IN_THE_LOG,
    LACKS,
    NotDoneError,
    failure_types,
    is_unknown,
    request_id_of,
    sentence,
    silence_types,
    waits_sentence,
    with_key,
    write_sentence,
)
from copydesk.session.writes.log import UnansweredError


def error(
    kind: type[errors.ApiError], said: str = "It said so.", **more: object
) -> errors.ApiError:
    made = kind(said)
    for name, value in more.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (NotDoneError("Not this."), "Not this."),
        (error(errors.Unauthorized), "Token refused. ctrl+g to fix it. It said so."),
        (error(errors.ReadOnly), "It said so."),
        (error(errors.Forbidden), "Not allowed: It said so."),
        (error(errors.NotFound), "Not found: deleted or moved. It said so."),
        (error(errors.NotFound, ""), "Not found: deleted or moved."),
        (
            error(errors.NotFound, lacking="findings"),
            "Not found, or this service has no findings. It said so.",
        ),
        (error(errors.Conflict), "Nothing was changed. It said so."),
        (error(errors.Conflict, ""), "Someone changed it first. Nothing was overwritten."),
        (error(errors.Blocked), "Refused by a rule: It said so."),
        (error(errors.RateLimited), "API limit reached. Nothing was lost. R tries again."),
        (error(errors.Invalid), "The service did not accept it: It said so."),
        (error(errors.Refused), "The service refused it: It said so."),
        (error(errors.Unreachable, "No route"), "Offline: No route. R tries again."),
        (error(errors.Unreachable, "Why?"), "Offline: Why? R tries again."),
        (error(errors.ServerFault), "The service failed: It said so. R tries again."),
        (OSError(28, "No space left on device"), "No space left on device."),
        (OSError(2, "No such file", "a"), "FileNotFoundError: [Errno 2] No such file: 'a'"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_an_error_is_a_sentence(found: BaseException, said: str) -> None:
    assert sentence(found) == said
    assert sentence(found, "ctrl+r") == said.replace("R tries", "ctrl+r tries")


@pytest.mark.parametrize(
    "found",
    [
        *(
            error(kind, "R is taken: R reads ctrl+n.")
            for kind in (
                errors.Forbidden, errors.NotFound, errors.Conflict, errors.Blocked, errors.Invalid,
                errors.Refused, errors.ServerFault, errors.ApiError, errors.Unauthorized,
            )
        ),
        error(errors.NotFound, "R is taken: R reads ctrl+n.", lacking="findings"),
        error(errors.ServerFault, "R is taken: R reads ctrl+n.", sent=True),
    ],
)  # fmt: skip
def test_the_words_of_a_service_name_no_key_of_ours(found: errors.ApiError) -> None:
    renamed = {"R": "f6", "ctrl+n": "alt+n", "ctrl+g": "f7"}
    for said in (sentence(found), write_sentence(found, again="R", kept=True)):
        told = with_keys(said, renamed)
        assert str(found) in told
        assert told.replace("f6", "R").replace("f7", "ctrl+g") == said
        assert ("f6" in told) is ("R " in said.replace(str(found), ""))


@pytest.mark.parametrize("kind", [errors.NotFound, errors.Unauthorized])
def test_a_service_that_says_nothing_hides_no_key_of_ours(kind: type[errors.ApiError]) -> None:
    said = with_keys(with_key(sentence(error(kind, ""))), {"R": "f6"})
    assert said.endswith(" f6 reads it again.")


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (timedelta(seconds=-9), "in 1 s"), (timedelta(seconds=30.5), "in 31 s"),
        (timedelta(hours=2), "at {:%H:%M}"), (timedelta(minutes=5), "at {:%H:%M:%S}"),
        (timedelta(days=2), "on {:%Y-%m-%d at %H:%M}"),
    ],
)  # fmt: skip
def test_when_the_service_may_be_asked_again_is_said(wait: timedelta, said: str) -> None:
    back = datetime.now(UTC) + wait
    limited = error(errors.RateLimited, retry_at=back)
    when = said.format(back.astimezone())
    assert sentence(limited) == f"API limit reached. Back {when}. Nothing was lost. R tries again."
    assert waits_sentence(limited) == (
        f"Waits in the outbox (g x): the API limit is reached, back {when}. Nothing was sent."
    )


def test_why_a_write_waits() -> None:
    lead = "Waits in the outbox (g x): "
    for kind, why in (
        (errors.Unauthorized, "the token was refused"),
        (errors.RateLimited, "the API limit is reached"),
        (errors.Unreachable, "the service cannot be reached"),
    ):
        assert waits_sentence(error(kind)) == f"{lead}{why}. Nothing was sent."


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (error(errors.Unreachable), "Offline: not sent. It said so. @ lists it, to be sent again."),
        (errors.ApiError("It said so."),
         "The service failed: It said so. @ lists it, to be sent again."),
        (error(errors.Forbidden), "Not allowed: It said so."),
        (error(errors.Refused), "The service refused it: It said so."),
        (error(errors.RateLimited),
         "API limit reached. Nothing was lost. @ lists it, to be sent again."),
        (UnansweredError("It said so."),
         "No answer: it may have been sent: look before sending it again. It said so."),
        (error(errors.ServerFault, sent=True),
         "No answer: it may have been sent: look before sending it again. It said so."),
    ],
)  # fmt: skip
def test_a_write_that_failed_says_whether_it_arrived(found: BaseException, said: str) -> None:
    assert write_sentence(found) == said
    draft = " What you wrote is kept (:drafts)."
    kept = write_sentence(found, kept=True)
    assert draft in kept
    assert kept.replace(draft, "") == said
    named = said.replace("been sent:", "been sent (Reply):")
    assert write_sentence(found, what="Reply") == named
    does: dict[type, str] = {errors.Unreachable: "sends it", errors.RateLimited: "tries again"}
    way = f"s {does.get(type(found), 'sends it again')}."
    assert write_sentence(found, again="s") == said.replace(IN_THE_LOG, way)


@pytest.mark.parametrize(
    "kind",
    [errors.Unreachable, errors.ApiError, errors.Forbidden, errors.Invalid, errors.ServerFault],
)
@pytest.mark.parametrize("sent", [True, False])
def test_what_follows_a_message_without_a_full_stop_is_a_sentence_of_its_own(
    kind: type[errors.ApiError], sent: bool
) -> None:
    found = kind("The door is shut")
    found.sent = sent
    kept = write_sentence(found, kept=True)
    assert "The door is shut. " in kept
    assert "What you wrote is kept (:drafts)." in kept
    plain = write_sentence(found)
    assert plain.endswith("The door is shut") or "The door is shut. " in plain


def test_which_errors_are_silence_and_which_may_have_arrived() -> None:
    assert isinstance(error(errors.Forbidden), failure_types())
    assert isinstance(NotDoneError(), failure_types())
    assert isinstance(OSError(), failure_types())
    assert not isinstance(KeyError(), failure_types())
    silent = [errors.Unreachable, errors.ServerFault, errors.Garbled, errors.RateLimited]
    assert set(silence_types()) == set(silent)
    assert not is_unknown(None)
    assert not is_unknown(error(errors.Forbidden))
    assert is_unknown(error(errors.ServerFault, sent=True))


def test_the_name_that_the_service_gave_a_call_is_known_where_it_gave_one() -> None:
    told = errors.NotFound("Gone.", status=404, request_id="r-1")
    assert [request_id_of(each) for each in (told, OSError("Full"))] == ["r-1", ""]


def test_the_key_that_reads_again_is_told_once() -> None:
    assert with_key("Gone.") == "Gone. R reads it again."
    assert with_key("Offline. R tries again.") == "Offline. R tries again."


def test_what_a_service_lacks_is_said_with_the_place_that_has_it_instead() -> None:
    route = CATALOGUE["list_issues_clusters"].route
    missing = errors.OperationMissing("There is none.", status=404)
    missing.lacking, missing.successor = "list of all", route
    way = next(each for each in ways() if each.key and each.reads == "list_issues_clusters")
    assert sentence(missing) == f"{LACKS}list of all. g {way.key}: {way.title.lower()}."
    assert with_key(sentence(missing)) == sentence(missing)
    for other in ("", "/nowhere"):
        missing.successor = other
        assert sentence(missing) == "There is none."
