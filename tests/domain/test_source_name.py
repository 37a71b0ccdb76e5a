"""The identifiers of sources of conversations, and sizes as people read them."""

from __future__ import annotations

import pytest

from copydesk.domain.cached_answers import mebibytes
from copydesk.domain.secret_values import holds_private_key, names_secret, tells_secret
from copydesk.domain.source_name import LONGEST, id_of, is_source_id, source_id, source_label


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("E-mail, north", "e-mail-north"),
        ("  Café.Süd_2  ", "cafe.sud_2"),
        ("--x..", "x"),
        ("日本", ""),
        ("a" * 80, "a" * LONGEST),
        ("a" * (LONGEST - 1) + " b", "a" * (LONGEST - 1)),
    ],
)
def test_the_identifier_nearest_to_a_name(name: str, key: str) -> None:
    assert source_id(name) == key


@pytest.mark.parametrize(
    ("source", "label"),
    [
        ("integration:zendesk:4f2", "zendesk"), ("integration:", "integration:"),
        ("integration:zendesk", "zendesk"), ("file:mail:x", "file:mail:x"), ("mail", "mail"),
    ],
)  # fmt: skip
def test_an_identifier_is_called_by_its_program(source: str, label: str) -> None:
    assert source_label(source) == label


def test_a_name_that_is_filed_as_it_is() -> None:
    assert is_source_id(" E-Mail_2.x ")
    assert not is_source_id("e mail")
    assert not is_source_id("-x")


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (0, "0.0 KiB"), (1536, "1.5 KiB"), (2**20 // 10 - 1, "102.4 KiB"),
        (2**20 // 10, "0.1 MiB"), (3 * 2**19, "1.5 MiB"), (2**31, "2,048.0 MiB"),
    ],
)  # fmt: skip
def test_sizes_as_people_read_them(size: int, said: str) -> None:
    assert mebibytes(size) == said


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("apiToken", True), ("PASSWORD", True), ("keyword", False), ("private-key", True),
        ("author", False), ("authorization", True), ("gh_pat", True), ("path", False),
    ],
)  # fmt: skip
def test_secrets_by_their_name(name: str, secret: bool) -> None:
    assert names_secret(name) is secret


def test_secrets_by_themselves() -> None:
    assert tells_secret("Authorization: Bearer abc")
    assert tells_secret("https://me:word@a.example")
    assert not tells_secret("https://a.example/bearer")
    assert holds_private_key("-----BEGIN RSA PRIVATE KEY-----")
    assert not holds_private_key("-----BEGIN PUBLIC KEY-----")


def test_a_number_is_put_behind_where_it_is_from() -> None:
    assert id_of("Zendesk EU", "7") == "zendesk-eu-7"
    assert id_of(" 日本 ", "7") == "日本-7"
