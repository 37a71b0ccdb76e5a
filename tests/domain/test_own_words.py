"""What a person wrote in a message, and nothing else of it."""

import pytest

from copydesk.domain.own_words import own_words


@pytest.mark.parametrize("body", ["", " ", "\n", "\n \t\n"])
def test_a_message_without_words_has_none(body: str) -> None:
    assert own_words(body) == ""
