"""Which version of a text brought each of its blocks."""

from __future__ import annotations

from copydesk.domain.blame import Blame

VERSIONS = (
    "# Start\n\nOne.\n\nTwo.\n",
    "# Start\n\nOne.\n\nTwo, and more.\n",
    "# Start\n\n- new\n- list\n\nOne.\n\nTwo, and more.\n",
    "# Start\n\nTwo, and more.\n\nOne.\n\n- new\n- list, longer\n",
)


def blamed(versions: tuple[str, ...]) -> tuple[Blame[int], dict[str, int | None]]:
    *older, newest = versions
    blame: Blame[int] = Blame(newest)
    for number, text in reversed(list(enumerate(["", *older]))):
        blame.before(text, number)
    return blame, {blame.line(at): by for at, by in enumerate(blame.brought)}


def test_a_block_is_of_the_version_that_wrote_it_as_it_is() -> None:
    blame, found = blamed(VERSIONS[:3])
    assert found == {"# Start": 0, "- new": 2, "- list": 2, "One.": 0, "Two, and more.": 1}
    assert not blame.is_open()
    assert blame.source(0) == "# Start\n"
    assert Blame[int]("One  \ntwo\n").source(0) == "One  \ntwo\n"
    assert [blame.first_line(block) for block in range(5)] == [0, 2, 3, 5, 7]


def test_what_no_version_is_known_of_stays_open() -> None:
    blame: Blame[str] = Blame(VERSIONS[1])
    blame.before(VERSIONS[0], "second")
    assert blame.brought == [None, None, "second"]
    assert blame.is_open()


def test_a_block_that_was_moved_has_one_version_and_the_same_words_twice_have_two() -> None:
    _, found = blamed(VERSIONS)
    assert found["- list, longer"] == 3
    assert found["# Start"] == 0
    blame: Blame[str] = Blame("Same.\n\nSame.\n")
    blame.before("Same.\n", "later")
    blame.before("", "first")
    assert sorted(map(str, blame.brought)) == ["first", "later"]
    assert not Blame[str]("").is_open()


def test_it_is_known_what_stood_there_before_a_block() -> None:
    blame: Blame[str] = Blame("# Start\n\nOne!\n\nTwo!\n\nThree.\n\nFour.\n\nFive.\n")
    blame.before("# Start\n\nOne.\n\nTwo.\n\nThree.\n\nFive.\n", "third")
    assert blame.former == [None, 1, 2, None, 3, None]
    blame.before("Five.\n", "second")
    assert blame.former == [0, 1, 2, 0, 3, None]
    blame.before("", "first")
    assert blame.former == [0, 1, 2, 0, 3, None]
    assert blame.brought == ["second", "third", "third", "second", "third", "first"]
