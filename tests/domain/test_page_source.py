"""A page as one text: nothing of it is lost, and what differs is sent and no more."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copydesk.domain.page_source import (
    FLAGS,
    OTHERS,
    TEXTS,
    body_of,
    check_slug,
    markdown_of,
    merge_pages,
    others_of,
    page_source,
    page_update,
    parts_of_three,
    read_page_source,
    slug_of,
    title_of,
    with_markdown,
    with_setting,
    with_settings,
    without_front,
)
from copydesk.domain.yaml_lines import FileError

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
SETTINGS = st.fixed_dictionaries(
    {"title": WORDS},
    optional={
        **{name: WORDS for name in TEXTS if name != "title"},
        **{name: st.just(True) for name in FLAGS},
    },
)
PARTS = ["a", "#", " ", "\n", "\r\n", "\r", "-", "---\n", "\ufeff", "\u2028", ":"]
MARKDOWN = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


@given(SETTINGS, MARKDOWN)
@example({"title": "404"}, "\ufeff# A\r\n\r\nb")
@example({"title": "null", "hidden": True}, "---\n")
def test_a_page_is_read_as_it_was_written(settings: dict[str, object], markdown: str) -> None:
    text = page_source(settings, markdown)
    if text == markdown:  # it has front matter of its own
        return
    source = read_page_source(text)
    assert source.markdown == markdown
    assert source.settings == settings
    assert page_update(text, text) == {}


@given(SETTINGS, SETTINGS, MARKDOWN, MARKDOWN)
def test_only_what_differs_is_sent(
    was: dict[str, object], now: dict[str, object], before: str, after: str
) -> None:
    old, new = page_source(was, before), page_source(now, after)
    if old == before or new == after:
        return
    update = page_update(old, new)
    assert update.pop("document", None) == ({"markdown": after} if before != after else None)
    names = {name for name in {*was, *now} if was.get(name) != now.get(name)}
    assert update.keys() == names - ({"slug"} - now.keys())
    assert {name: value for name, value in update.items() if value} == {
        name: now[name] for name in update if name in now
    }


def test_front_matter_of_the_service_goes_with_the_text() -> None:
    text = "---\ndescription: Old\nlayout:\n  width: wide\n---\n\n# A\n"
    assert page_source({"title": "A"}, text) == text
    new = text.replace("Old", "New")
    assert page_update(text, new) == {"document": {"markdown": new}}


def test_front_matter_that_was_taken_away_says_nothing() -> None:
    text = page_source({"title": "A", "description": "Of it"}, "Words.\n")
    assert page_update(text, "Words.\n") == {}
    assert page_update(text, text.replace("description: Of it\n", "")) == {"description": ""}


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("title: [", "line 3: this is not YAML"),
        ("title: A\ntitle: B", "line 3: title is there twice"),
        ("title: A\nhidden: maybe", "line 3: hidden is true or false"),
        ("title: A\nauthor: B", "line 3: the front matter of a page takes title, slug"),
        ("title:\n  - A", "line 3: title is one value"),
        ("title: A\n? [B]\n: C", "line 3: the front matter of a page takes title, slug"),
        ("- A", "line 2: the front matter is not a list of names with values"),
    ],
)
def test_a_mistake_is_named_with_its_line(front: str, said: str) -> None:
    with pytest.raises(FileError) as error:
        page_update(page_source({"title": "A"}, ""), f"---\n{front}\n---\n# A\n")
    assert str(error.value).startswith(said)


def test_a_slug_that_no_address_can_have_is_a_mistake_where_it_is_another() -> None:
    odd = page_source({"title": "A", "slug": "a b"}, "One.\n")
    check_slug(odd.replace("One", "Two"), odd)
    for before in ("", page_source({"title": "A", "slug": "a"}, "One.\n")):
        with pytest.raises(FileError, match="line 3: the slug is not a part of a path"):
            check_slug(odd, before)


def test_settings_below_other_text_are_a_mistake_and_no_words_of_the_page() -> None:
    before = page_source({"title": "Events", "slug": "events"}, "Text.\n")
    with pytest.raises(FileError, match="line 2: the settings of the page begin here, not at its"):
        page_update(before, f"Hello world\n{before}")
    example_of_it = f"See\n{before}"
    known = page_source({"title": "Events"}, example_of_it)
    assert page_update(known, example_of_it) == {}


def test_a_new_page_is_called_by_its_title_or_its_first_line() -> None:
    assert title_of("---\ntitle: Dead letters\n---\n# Other\n") == "Dead letters"
    assert title_of("\n\n# Dead letters\n\nWords.\n") == "Dead letters"
    assert title_of("---\ntitle: [\n---\n# A\n") == "---"
    assert title_of("") == ""


def test_settings_are_merged_one_by_one() -> None:
    base, words = {"title": "A", "icon": "x"}, "One.\n"
    mine = page_source(base | {"description": "Mine"}, "One.\nTwo.\n")
    theirs = page_source({"title": "B", "icon": "x"}, words)
    both = page_source({"title": "B", "icon": "x", "description": "Mine"}, "One.\nTwo.\n")
    assert merge_pages(page_source(base, words), mine, theirs) == (both, ())
    _, clashes = merge_pages(
        page_source(base, words), page_source({"title": "C", "icon": "x"}, words), theirs
    )
    assert [clash.theirs for clash in clashes] == [("title: B\n",)]
    moved = "---\nicon: x\ntitle: A\n---\nTwo.\n"  # only in another order
    assert merge_pages(page_source(base, words), moved, theirs)[1] == ()


def test_a_text_without_settings_is_its_markdown() -> None:
    assert with_markdown("# A\n", "\ufeff# B\n") == "\ufeff# B\n"


@given(SETTINGS, MARKDOWN, MARKDOWN)
@example({"title": "A"}, "\ufeff# A\n", "# B\n")
@example({"title": "A"}, "# A\n", "\ufeff# B\n")
@example({"title": "A"}, "", "\ufeff\ufeff")
@example({"title": "A"}, "\ufeff---\n---\n", "")
def test_a_text_is_its_settings_and_its_markdown(
    settings: dict[str, object], markdown: str, other: str
) -> None:
    text = page_source(settings, markdown)
    assert with_markdown(text, markdown_of(text)) == text
    assert without_front(text).count("\n") == text.count("\n")
    if text == markdown:  # it has front matter of its own
        assert markdown_of(text) == text
        assert with_markdown(text, other) == other
        assert with_setting(text, "title", "Other") == text
        return
    assert body_of(text) == markdown_of(text) == markdown
    assert without_front(text).endswith(markdown.removeprefix("\ufeff"))
    changed = with_markdown(text, other)
    assert read_page_source(changed).settings == settings
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    assert body_of(changed) == mark + other.removeprefix("\ufeff")
    assert slug_of(text) == settings.get("slug", "")
    titled = read_page_source(with_settings(text, {"title": "Other", "slug": None}))
    assert titled.markdown == markdown
    assert titled.settings == {**{k: v for k, v in settings.items() if k != "slug"},
                               "title": "Other"}  # fmt: skip


def test_what_cannot_be_read_as_settings_is_markdown_in_all_three() -> None:
    base, words = page_source({"title": "A"}, "One.\n"), "---\ntitle: [\n---\nOne.\n"
    assert body_of(words) == words
    assert slug_of(words) == ""
    for three in ((base, base, words), (base, words, base)):
        parts = parts_of_three(*three)
        assert [(each.settings, each.markdown, each.whole) for each in parts] == [
            ({}, text, True) for text in three
        ]
    was, one, other = parts_of_three(None, base, base.replace("One", "Two"))
    assert (was.settings, was.markdown) == ({}, "")
    assert (one.settings, one.markdown) == ({"title": "A"}, "One.\n")
    assert (other.settings, other.markdown) == ({"title": "A"}, "Two.\n")
    assert [each.markdown for each in parts_of_three(base, base, base)] == ["One.\n"] * 3


def test_what_no_text_says_of_a_page_is_kept_beside_it() -> None:
    page = {name: {"b": 1, "a": [name]} for name in OTHERS} | {"title": "T", "id": "p"}
    assert others_of(page) == {name: f'{{"a": ["{name}"], "b": 1}}' for name in OTHERS}
    assert others_of({**dict.fromkeys(OTHERS), "title": "T"}) == {}


def test_settings_that_a_service_gave_unreadable_are_replaced_as_a_text() -> None:
    before = "---\ntitle: [\n---\n\nText\n"
    for after in ("---\ntitle: A\n---\n\nText\n", "Text\n"):
        assert page_update(before, after) == {"document": {"markdown": after}}
