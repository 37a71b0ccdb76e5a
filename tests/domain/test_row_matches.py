"""What pieces of text read as: escapes that show nothing are no difference."""

from __future__ import annotations

from copydesk.domain.row_matches import RENDERED, RENDERED_AT_MOST, Rendering


def test_what_reads_the_same_is_the_same() -> None:
    rendering = Rendering()
    assert rendering.same(r"get\_user", "get_user")
    assert not rendering.same(r"\*all\*", "*all*")


def test_no_more_is_rendered_than_takes_a_moment() -> None:
    rendering = Rendering()
    long = "a" * RENDERED
    assert not rendering.same(long + "a", long + "a")
    most = RENDERED_AT_MOST // (2 * RENDERED)
    assert [rendering.same(long, long) for _ in range(most + 2)] == [True] * most + [False] * 2
