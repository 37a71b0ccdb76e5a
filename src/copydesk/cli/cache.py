"""``copydesk cache``: show or drop the answers of services that are kept on this machine."""

from __future__ import annotations

from datetime import UTC, datetime

from copydesk.cli.errors import DONE, UsageError
from copydesk.cli.output import Column, put, put_json, put_table
from copydesk.domain.cached_answers import NOTHING, Held, mebibytes
from copydesk.domain.moments import age
from copydesk.domain.profile import service_of_key
from copydesk.local.answer_cache import LIMIT_BYTES, Answers, all_answers
from copydesk.local.paths import Paths, find_paths
from copydesk.local.profiles import Profiles
from copydesk.local.snapshot import forget_screens


def show_cache(*, as_json: bool = False) -> int:
    """Print how much is kept of each service, and how old it is."""
    paths = find_paths()
    held = [each for _, each in _kept(paths) if each.count]
    if as_json:
        put_json([_value(each) for each in held])
        return DONE
    if not held:
        put(NOTHING)
        return DONE
    now = datetime.now(UTC)
    put_table(
        [
            Column[Held]("Service", lambda each: service_of_key(each.desk), gives=True),
            Column[Held]("Answers", lambda each: f"{each.count:,}", right=True),
            Column[Held]("Size", lambda each: mebibytes(each.size), right=True),
            Column[Held]("Newest", lambda each: age(_moment(each.newest), now)),
            Column[Held]("Oldest", lambda each: age(_moment(each.oldest), now)),
        ],
        held,
    )
    put(f"At most {mebibytes(LIMIT_BYTES)} for each, in {paths.answers}")
    return DONE


def clear_cache(*, profile: str | None = None) -> int:
    """Drop the cached answers, with the last screens: of one profile, or of every service.

    Drafts, the journal and what waits to be sent are no part of it. Raises ``UsageError`` where
    the disk refuses.
    """
    paths = find_paths()
    dropped = Held("", 0, 0)
    desk = None if profile is None else _key_of(paths, profile)
    for answers, held in _kept(paths):
        if desk is not None and held.desk != desk:
            continue
        try:
            answers.forget()
        except OSError as error:
            raise UsageError(
                f"{error}. Close copydesk where it is open, or delete {paths.answers}"
            ) from error
        finally:
            answers.close()
        dropped = Held("", dropped.count + held.count, dropped.size + held.size)
    # Also those of a desk whose answers tell no more whose they are.
    screens = forget_screens(paths.snapshots, desk)
    if not dropped.count:
        put("Cleared the last screens." if screens else "There was nothing to clear.")
        return DONE
    answers_dropped = "1 answer" if dropped.count == 1 else f"{dropped.count:,} answers"
    put(f"Cleared {answers_dropped} ({mebibytes(dropped.size)}).")
    return DONE


def _kept(paths: Paths) -> list[tuple[Answers, Held]]:
    found = []
    for answers in all_answers(paths.answers):
        found.append((answers, answers.held()))
        answers.close()
    return found


def _key_of(paths: Paths, name: str) -> str:
    profile = Profiles(paths.settings).get(name)
    if profile is None:
        raise UsageError(f"there is no profile {name}: copydesk profiles lists them")
    return profile.key


def _value(held: Held) -> dict[str, object]:
    return {
        "service": service_of_key(held.desk),
        "answers": held.count,
        "bytes": held.size,
        "newest": held.newest,
        "oldest": held.oldest,
    }


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)
