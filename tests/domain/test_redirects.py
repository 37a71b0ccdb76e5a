"""Which redirect holds for a path, and what is wrong with one among the others."""

from __future__ import annotations

import pytest

from copydesk.contract.models.redirect import SOURCE_LIMIT
from copydesk.domain.redirects import (
    LONGEST,
    SOURCE_RULE,
    Rule,
    Rules,
    Trace,
    candidates,
    landing,
    path_on,
    probes,
    trace,
    wrong_source,
)


def test_the_most_exact_source_holds() -> None:
    assert list(candidates("/ab")) == ["/ab", "/ab/*", "/ab*", "/a*"]
    held = Rules({each: Rule(each, "/x") for each in ("/a*", "/ab*", "/ab/*", "/ab", "/b/*")}, {})
    for path, source in (
        ("/ab", "/ab"), ("/ab/c", "/ab/*"), ("/abc", "/ab*"), ("/ac", "/a*"), ("/a", "/a*"),
        ("/b", "/b/*"), ("/b/", "/b/*"), ("/b/c/d", "/b/*"), ("/bc", None), ("/", None),
    ):  # fmt: skip
        found = held.holding(path)
        assert (found and found.source) == source, path
        named = (held.rules[each] for each in candidates(path) if each in held.rules)
        assert next(named, None) is found, path


@pytest.mark.parametrize(
    ("source", "path", "to", "capture", "there"),
    [
        ("/a/*", "/a/b/c", "/z", True, "/z/b/c"),
        ("/a/*", "/a/b", "/z/", True, "/z/b"),
        ("/a/*", "/a", "/z", True, "/z"),
        ("/a/*", "/a", "/z/", True, "/z/"),
        ("/a*", "/ab/c", "/z", True, "/z/b/c"),
        ("/a*", "/a/b", "/z", True, "/z/b"),
        ("/a/*", "/a/b", "/z", False, "/z"),
        ("/a/b", "/a/b", "/z", True, "/z"),
    ],
)
def test_where_a_path_lands(source: str, path: str, to: str, capture: bool, there: str) -> None:
    assert landing(source, path, to, capture=capture) == there


def test_what_stands_for_all_that_a_source_holds_for() -> None:
    assert probes("/a") == ("/a",)
    assert probes("/a*") == ("/a", "/a~")
    assert probes("/a/*") == ("/a", "/a/~")


def test_a_way_ends_after_so_many_redirects() -> None:
    def step(path: str) -> tuple[str, str] | None:
        nth = int(path[1:])
        return (path, f"/{nth + 1}") if nth < last else None

    last = LONGEST
    followed = tuple(f"/{nth}" for nth in range(LONGEST))
    assert trace("/0", step) == Trace(followed, f"/{LONGEST}", "there")
    last = LONGEST + 1
    assert trace("/0", step) == Trace((*followed, f"/{LONGEST}"), f"/{LONGEST}", "loop")


def test_a_way_whose_destination_is_gone_leads_nowhere() -> None:
    leads = {"/a": "/b", "/b": None}
    found = trace("/a", lambda path: (path, leads[path]) if path in leads else None)
    assert found == Trace(("/a", "/b"), "", "nowhere")


@pytest.mark.parametrize(
    ("address", "site", "path"),
    [
        ("/a?b", None, "/a?b"),
        ("https://x.example/a", None, None),
        ("https://x.example", "https://x.example/", "/"),
        ("https://X.example/", "https://x.example", "/"),
        ("https://x.example/docs/A/b/?q=1#top", "https://x.EXAMPLE/Docs", "/A/b"),
        ("https://x.example/docs/a#top?q=1", "https://x.example/docs/", "/a"),
        ("https://x.example/docsy/a", "https://x.example/docs", None),
        ("https://y.example/a", "https://x.example", None),
    ],
)
def test_the_path_on_a_site(address: str, site: str | None, path: str | None) -> None:
    assert path_on(address, site) == path


def test_what_can_be_a_source() -> None:
    longest = "/" + "a" * (SOURCE_LIMIT - 1)
    for source in ("/a", "/a/b.c~d+e-f_g", "/%C3%a4", "/a*", "/a/*", longest):
        assert wrong_source(source) is None, source
    for source in ("", "/", "a", "/*", "a b", "https://x.example/a"):
        assert wrong_source(source) == f"write {SOURCE_RULE}", source
    for source, why in (
        ("/a/", "write /a"),
        ("//a//b/*", "write /a/b/*"),
        ("/a*b", f"* can only be at the end: write {SOURCE_RULE}"),
        ("/naïve/*", "ï cannot be in a path: write /na%C3%AFve/*"),
        ("/a b?c", "a blank cannot be in a path: write /a%20b"),
        ("/x?y=1", "? and what follows is not part of a path: write /x"),
        ("/?y", f"? and what follows is not part of a path: write {SOURCE_RULE}"),
        ("/%C", "% cannot be in a path: write /%25C"),
        ("/a%c3%aF b", "a blank cannot be in a path: write /a%c3%aF%20b"),
        ("/a%cg", "% cannot be in a path: write /a%25cg"),
        ("/a\n", "U+000A cannot be in a path: delete it"),
        ("/ä\u202eb\ud800", "U+202E cannot be in a path: delete it"),
    ):
        assert wrong_source(source) == why
        good = why.partition("write /")[2]
        assert not good or wrong_source(f"/{good}") is None
    assert wrong_source(longest + "a") == f"{SOURCE_LIMIT + 1} characters; at most {SOURCE_LIMIT}"


def test_what_is_wrong_with_a_redirect_is_named() -> None:
    rules = (
        Rule("/shown", "/x"), Rule("/gone", None), Rule("/to-gone", "/gone"),
        Rule("/once", "/guide"), Rule("/twice", "/once"), Rule("/away", "https://x.example/away"),
        Rule("/a", "/b"), Rule("/b", "/a"), Rule("/self/*", "/self", capture=True),
        Rule("/some/*", "/one", capture=True), Rule("/one/~", "/guide"), Rule("/untold", ""),
        Rule("/kept/*", "/guide"),
    )  # fmt: skip
    site = Rules({rule.source: rule for rule in rules}, {"/shown": "Guide", "/guide": "The guide"})
    assert {rule.source: said for rule in rules if (said := site.trouble(rule))} == {
        "/shown": "shadowed: the site shows Guide there",
        "/gone": "leads nowhere: what it led to is gone",
        "/to-gone": "chain: /to-gone to /gone to nowhere",
        "/twice": "chain: /twice to /once to /guide",
        "/a": "loop: /a to /b to /a",
        "/b": "loop: /b to /a to /b",
        "/self/*": "loop: /self/* to /self/*",
        "/some/*": "chain: /some/* to /one/~ to /guide",
    }
    assert site.loop("/a") == ("/a", "/b", "/a")
    assert site.loop("/self/*") == ("/self/*", "/self/*")
    assert site.loop("/twice") == site.loop("/untold") == ()
    assert site.follow("/away") == Trace(("/away",), "https://x.example/away", "there")
    assert site.follow("/untold") == Trace(("/untold",), "", "there")
    assert site.follow("/guide") == Trace((), "/guide", "there")
