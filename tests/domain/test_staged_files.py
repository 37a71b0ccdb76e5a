"""Files that staged texts name: their names, their addresses, and where their blocks go."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.staged_files import (
    file_block,
    file_name,
    names_in,
    with_addresses,
    with_block,
)

TEXT = "---\ntitle: A\n---\n# A\n\nOne\ntwo.\n\n```\na\n\nb\n```\n\nEnd.\n"


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_name_and_words_make_an_address_that_is_found_again(name: str, words: str) -> None:
    kept = file_name(name)
    assert kept
    assert not kept.startswith((".", "-"))
    text = f"Before.\n\n{file_block(kept, words)}\n"
    assert names_in(text) == [kept]
    assert names_in(with_addresses(text, {kept: "/files/1"})) == []
    assert with_addresses(text, {"another.png": "/files/1"}) == text


def test_words_that_would_end_the_words_of_a_block_are_escaped() -> None:
    assert file_block("a.png", "A [b]\n c\\") == r"![A \[b\] c\\](staged:a.png)"
    assert file_block("a.pdf", "A [b]") == r"[A \[b\]](staged:a.pdf)"
    assert file_block("a.png", " ") == "![](staged:a.png)"
    assert file_block("a.pdf", " ") == "[a.pdf](staged:a.pdf)", "a link needs words"


def test_what_is_no_address_stays() -> None:
    text = "staged:a.png, ![x](staged:b.png) and <img src='staged:c.gif'>"
    assert names_in(text) == ["b.png", "c.gif"]
    put = with_addresses(text, {"a.png": "1", "b.png": "/files/2", "c.gif": "/files/3"})
    assert put == "staged:a.png, ![x](/files/2) and <img src='/files/3'>"


def test_what_looks_like_an_address_in_code_is_none() -> None:
    code = "`![a](staged:a.png)`"
    fence = "```md\n![b](staged:b.png)\n```\n\n    ![c](staged:c.png)\n"
    real = "![d](staged:d.png)"
    text = f"---\ntitle: A\n---\nSay {code} or ``x ` {code[1:-1]}`` \\` {real} ` {real}\n\n{fence}"
    assert names_in(text) == ["d.png"]
    put = with_addresses(text, dict.fromkeys(("a.png", "b.png", "c.png", "d.png"), "/files/1"))
    assert put == text.replace("staged:d.png", "/files/1")
    many = " ".join("`" * length for length in range(1, 300))
    assert names_in(f"{many} {real}") == ["d.png"]


def test_a_block_goes_below_the_block_of_its_line() -> None:
    assert with_block(TEXT, "![](x)", 3).count("One\ntwo.\n\n![](x)\n\n```") == 1
    assert with_block(TEXT, "![](x)", 8).count("b\n```\n\n![](x)\n\nEnd.") == 1
    assert with_block(TEXT, "![](x)", 0) == f"{TEXT}\n![](x)\n"
    windows = TEXT.replace("\n", "\r\n")
    assert with_block(windows, "![](x)", 4) == with_block(TEXT, "![](x)", 4).replace("\n", "\r\n")
    assert with_block(f"{TEXT}\n\n", "![](x)", 0) == f"{TEXT}\n![](x)\n"
    assert with_block("\n \n", "![](x)", 0) == "![](x)\n"
    assert with_block("One.\n\n\n\n\nTwo.\n", "![](x)", 3) == "One.\n\n![](x)\n\nTwo.\n"
    assert with_block("One.\n\nTwo.\n", "![](x)", 9) == "One.\n\nTwo.\n\n![](x)\n"
    assert with_block("", "![](x)", 0) == "![](x)\n"
    assert with_block("One", "![](x)", 1) == "One\n\n![](x)\n"
