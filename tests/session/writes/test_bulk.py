"""One action on many objects: each with its result, and the failed ones again."""

from __future__ import annotations

from copydesk.client.errors import Conflict, Unreachable
from copydesk.session.errors import write_sentence
from copydesk.session.writes.bulk import BulkItem, BulkRun, NothingToDoError
from copydesk.session.writes.log import QueuedError, WriteError


def _lost() -> Exception:
    return WriteError("It is not known.", unknown=True)


def _refused() -> Exception:
    error = WriteError("Refused.")
    error.__cause__ = Conflict("It moved.", status=409)
    return error


async def test_each_has_its_result_and_only_what_surely_failed_goes_again() -> None:
    trouble = {
        "none": NothingToDoError("It is archived."), "later": QueuedError("It waits."),
        "lost": _lost(), "refused": _refused(), "plain": WriteError("Not sent."),
        "away": Unreachable("No route."),
    }  # fmt: skip
    items = [BulkItem(each, each, "") for each in ("fine", *trouble)]
    items += [BulkItem("why", "why", "", why="It is merged."), BulkItem("far", "", "", hidden=True)]
    sent: list[str] = []
    seen: list[str] = []
    ended: list[str] = []

    async def send(item: BulkItem) -> None:
        assert item.state == "sending"
        sent.append(item.id)
        if item.id in trouble:
            raise trouble[item.id]

    run = BulkRun("Archive", items, send, lambda: ended.append(run.result))
    stop = run.watch(lambda: seen.append(" ".join(item.state for item in run.items)))
    assert [item.id for item in run.items][:2] == ["far", "fine"]
    assert run.plan == "Archive 8 of 9. 1 skipped."
    assert run.result == "Archive: 1 skipped."
    assert (run.begun, run.running, run.retryable) == (False, False, False)
    run.start()
    first = run.task
    run.start()
    assert run.task is first
    assert (run.begun, run.running) == (True, True)
    assert first is not None
    await first
    assert sent == ["far", "fine", *trouble]
    assert {item.id: (item.state, item.message or item.why, item.unknown) for item in items} == {
        "far": ("done", "", False), "fine": ("done", "", False),
        "none": ("skipped", "It is archived.", False), "later": ("queued", "It waits.", False),
        "lost": ("failed", "It is not known.", True),
        "refused": ("failed", write_sentence(Conflict("It moved.", status=409), again="r"), False),
        "plain": ("failed", "Not sent.", False),
        "away": ("failed", write_sentence(Unreachable("No route."), again="r"), False),
        "why": ("skipped", "It is merged.", False),
    }  # fmt: skip
    said = "Archive: 2 done, 1 in the outbox, 4 failed, 2 skipped."
    assert (run.result, ended) == (said, [said])
    assert seen[0].split()[:2] == ["sending", "waiting"]
    assert seen[1].split()[:2] == ["done", "waiting"]
    assert len(seen) == 17  # told once more when its task has ended
    assert (run.running, run.retryable) == (False, True)
    stop()
    stop()
    trouble.clear()
    sent.clear()
    run.retry()
    assert [item.message for item in items if item.state == "waiting"] == ["", "", ""]
    assert run.task is not None
    await run.task
    assert sent == ["refused", "plain", "away"]
    assert (len(seen), run.retryable) == (17, False)
    assert run.result == "Archive: 5 done, 1 in the outbox, 1 failed, 2 skipped."


def test_nothing_is_said_as_such() -> None:
    async def send(item: BulkItem) -> None:
        raise AssertionError(item)

    run = BulkRun("Archive", [], send)
    assert (run.plan, run.result) == ("Archive 0 of 0.", "Archive: nothing done.")
