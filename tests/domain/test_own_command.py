"""The words of own commands: fields stay within their words, and none becomes an option."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.own_command import FIELDS, LONGEST, OwnCommand, ready, wrong_words


@pytest.mark.long
@given(st.text(max_size=40))
def test_a_field_is_one_argument_whatever_is_in_it(title: str) -> None:
    run = ready(["gh", "--title={title}", "--", "{title}"], {"title": title})
    assert run.words[:1] == ("gh",)
    assert len(run.words) == 4
    assert run.words[1] == f"--title={run.words[3]}"
    assert "\n" not in run.words[3]
    assert "\x1b" not in run.words[3]
    assert not run.variables


def test_what_a_shell_would_read_stays_text() -> None:
    title = '\'; rm -rf ~; $(id) `id` "x"\nsecond'
    run = ready(["echo", "{title}"], {"title": title})
    assert run.words == ("echo", '\'; rm -rf ~; $(id) `id` "x" second')
    assert ready(["echo", "{title}"], {"title": "x" * (LONGEST + 1)}).words[1] == "x" * LONGEST


@pytest.mark.parametrize("word", ["{title}", "{title}.md", "{id}{title}"])
def test_a_field_that_would_be_an_option_is_refused(word: str) -> None:
    values = {"title": "-rf", "id": ""}
    with pytest.raises(ValueError, match="begins with - here"):
        ready(["rm", word], values)
    assert ready(["rm", "--", word], values).words[2].startswith("-rf")
    assert ready(["rm", f"./{word}"], values).words[1].startswith("./-rf")


def test_a_field_that_is_not_known_here_is_named() -> None:
    with pytest.raises(ValueError, match=r"\{branch\} is not known here"):
        ready(["git", "switch", "{branch}"], {"title": "x"})


def test_braces_twice_are_braces_once() -> None:
    assert ready(["x", "{{title}} {} {0}"], {}).words == ("x", "{title} {} {0}")


def test_a_shell_gets_fields_as_variables_only() -> None:
    run = ready(['echo "$COPYDESK_TITLE"'], {"title": "$(id)"}, shell=True)
    assert run.words == ("sh", "-c", 'echo "$COPYDESK_TITLE"')
    assert run.variables["COPYDESK_TITLE"] == "$(id)"
    assert set(run.variables) == {f"COPYDESK_{name.upper()}" for name in FIELDS}


@pytest.mark.parametrize(
    ("word", "shell", "said"),
    [
        ("{tilte}", False, "{tilte} is not a field: did you mean {title}?"),
        ("{zzzz}", False, "the fields are id, number"),
        ("echo $COPYDESK_TITEL", True, "did you mean $COPYDESK_TITLE?"),
        ("echo {title}", True, "a shell gets {title} as $COPYDESK_TITLE only"),
    ],
)
def test_unknown_fields_are_found_before_anything_runs(word: str, shell: bool, said: str) -> None:
    words = [word] if shell else ["x", word]
    assert any(said in each for each in wrong_words(words, shell=shell))


def test_the_program_is_no_field() -> None:
    assert list(wrong_words(["{title}"], shell=False)) == ["the program itself cannot be a field"]


def test_a_command_is_shown_with_its_fields() -> None:
    own = OwnCommand("c", ("git", "switch", "{branch}", "{title}", "{branch}\x07"))
    assert own.line == "git switch {branch} {title} {branch}"
    assert list(own.fields) == ["branch", "title"]
    shell = OwnCommand("c", ("echo $COPYDESK_TITLE",), shell=True)
    assert list(shell.fields) == ["title"]
