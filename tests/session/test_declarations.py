"""What is known of screens without importing them, and what is wrong with names in the settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from copydesk.domain.keymap import PRESETS, WORDS, OwnKeys
from copydesk.domain.list_columns import ListColumns
from copydesk.domain.own_command import OwnCommand
from copydesk.session import glyphs
from copydesk.session.declarations import (
    actions,
    declared_keys,
    keymap,
    label,
    list_mistakes,
    own_command_mistakes,
)


@pytest.mark.parametrize(
    ("own", "keys", "wrong"),
    [
        ({}, {}, {}),
        ({"review.approve": ("f9",)}, {"review.approve": ("f9",)}, {}),
        ({"review.approve": ("f9", "f8")}, {"review.approve": ("f9", "f8")}, {}),
        ({"go.clusters": ("g o",)}, None, None),
        ({"approve": ("! m",)}, {}, {"approve": "! m: ! is for your own commands alone"}),
    ],
)
def test_keys_of_a_person_stand_in_place_of_those_that_are_declared(
    own: dict[str, tuple[str, ...]],
    keys: dict[str, tuple[str, ...]] | None,
    wrong: dict[str, str] | None,
) -> None:
    found, mistakes = keymap(OwnKeys(keys=own))
    if keys is None:  # another screen has that key
        assert mistakes.keys() == own.keys()
        assert "g o" in mistakes["go.clusters"]
    else:
        assert (found, mistakes) == (keys, wrong)


@pytest.mark.parametrize("preset", PRESETS)
def test_no_key_of_a_preset_begins_a_chord_beside_it(preset: str) -> None:
    changed, _ = keymap(OwnKeys(preset))
    for name, scopes in actions().scopes.items():
        here = [
            key for action, keys in {**declared_keys(), **changed}.items() for key in keys
            if action.rpartition(".")[0] in scopes
        ]  # fmt: skip
        assert not [
            (name, one, key)
            for one in here
            for key in here
            if len(one) > 1 and key.startswith(f"{one} ")
        ]


def test_a_letter_stays_text_in_a_field() -> None:
    found, mistakes = keymap(OwnKeys(keys={"down": ("ö",), "back": ("escape", "ä")}))
    assert not mistakes
    assert found["place.down"] == found["scrolling_sheet.down"] == ("ö",)
    assert found["sheet.back"] == ("escape", "ä")
    assert not {"choice_input.down", "composer.back"} & {*found}


def test_one_word_means_one_thing_on_a_screen() -> None:
    for name, scopes in actions().scopes.items():
        keys: dict[str, set[Sequence[str]]] = {}
        for each, given in declared_keys().items():
            scope, _, word = each.rpartition(".")
            if scope in (*scopes, "go"):
                keys.setdefault(word, set()).add(given)
        assert not [word for word, each in keys.items() if len(each) > 1], name


def test_words_of_before_are_others_than_those_of_now() -> None:
    words = {name.rpartition(".")[2] for name in declared_keys()}
    for new, _, before in (each.partition("=") for each in "".join(WORDS.split()).split("|")):
        assert new in words
        assert not {*before.split(",")} & {*words, *declared_keys()}


def test_a_preset_gives_many_actions_other_keys() -> None:
    _, mistakes = keymap(OwnKeys(keys={"activity.retry": ("X",)}))
    assert mistakes.keys() == {"activity.retry"}, "the same dialog has that key"
    found, mistakes = keymap(OwnKeys(preset="emacs"))
    assert found
    assert not mistakes
    in_browser, mistakes = keymap(OwnKeys(preset="emacs"), browser=True)
    assert not mistakes
    assert in_browser != found, "a browser keeps some of them"


def command(name: str, key: str = "", replaces: str = "") -> OwnCommand:
    return OwnCommand(name, ("x",), key=key, replaces=replaces)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (command("fine"), ""),
        (command("changes"), ":changes is a screen: choose another name"),
        (
            command("b", "x", "archiv"),
            "replaces is 'archiv', which is not an action of a screen: did you mean archive?",
        ),
        (
            command("m", "m", "merge_rules"),
            "replaces: merge_rules has no key any more: :rules, or a field of e "
            "(organization_structure.edit)",
        ),
        (
            command("p", "p", "activity.next_pane"),
            "replaces takes actions of screens, and activity.next_pane is not one of these: it "
            "is of a list, a dialog or a field",
        ),
        (
            command("b", "x", "q" * 99),
            f"replaces is '{'q' * 60}', which is not an action of a screen: copydesk keys lists "
            "them",
        ),
        (command("d", "y", "approve"), "approve has not the key y, but a"),
        (command("d", "y" * 99, "approve"), f"approve has not the key {'y' * 20}, but a"),
        (command("d", "y", "review.approve"), "review.approve has not the key y, but a"),
        (command("e", "a", "approve"), ""),
        (command("e", "a", "review.approve"), ""),
    ],
)
def test_an_own_command_has_a_name_and_a_key_of_its_own(own: OwnCommand, said: str) -> None:
    wrong = own_command_mistakes([own, command("other")], {})
    assert wrong == ({own.name: f"command {own.name}: {said}"} if said else {})


def test_the_key_that_an_action_has_in_the_settings_is_the_one_that_is_replaced() -> None:
    keys = {"review.approve": ("f9",)}
    assert own_command_mistakes([command("e", "f9", "review.approve")], keys) == {}
    assert own_command_mistakes([command("e", "a", "review.approve")], keys) == {
        "e": "command e: review.approve has not the key a, but f9"
    }
    two = own_command_mistakes(
        [command("e", "a", "review.approve")], {"review.approve": ("f8", "f9")}
    )
    assert two == {"e": "command e: review.approve has not the key a, but f8, f9"}


LONG = "z" * 99


def test_a_list_is_one_of_a_screen() -> None:
    lists = [ListColumns(name, ("age",)) for name in ("changes", "chnges", "zzz\x07zzz", LONG)]
    assert list_mistakes(lists) == {
        "chnges": "list chnges: there is no such screen: did you mean changes?",
        "zzz\x07zzz": "list zzzzzz: there is no such screen: docs/places.md names them",
        LONG: f"list {LONG[:60]}: there is no such screen: docs/places.md names them",
    }


def test_a_list_has_the_columns_that_it_has_in_one_of_its_views() -> None:
    assert not list_mistakes([ListColumns("merge-run", ("subject", "first"))])
    assert not list_mistakes([ListColumns("findings", ("topic", "views"))])
    assert list_mistakes([ListColumns("outbox", ("aeg", "state", "zzz"))]) == {
        "outbox": "lists.outbox has no column aeg. Did you mean age? "
        "lists.outbox has no column zzz. It has state, what, target, text, age"
    }


def test_an_action_is_called_as_it_is_declared() -> None:
    assert (label("changes", "merge"), label("review", "approve")) == ("merge", "approve")
    assert label("changes", "no_such") is label("none", "merge") is None


@pytest.fixture
def unicode_again() -> Iterator[None]:
    yield
    glyphs.use("unicode")


def test_signs_are_those_that_were_chosen(unicode_again: None) -> None:
    pairs = {name: (sign, plain) for name, sign, plain in glyphs.pairs()}
    assert all(plain.isascii() for _, plain in pairs.values())
    for at, style in enumerate(("unicode", "ascii")):
        glyphs.use(style)
        assert all(getattr(glyphs.glyphs(), name) == each[at] for name, each in pairs.items())
    with pytest.raises(ValueError, match=r"^glyphs: 'emoji' is not known"):
        glyphs.use("emoji")


def test_emoji_are_found_by_their_names_without_tones_of_skin() -> None:
    names = glyphs.emoji_names()
    assert ("thumbs_up", "\U0001f44d") in names
    assert ("thumbsup", "\U0001f44d") in names
    assert all(name == name.casefold().strip(":") for name, _ in names)
    assert not any(0x1F3FB <= ord(letter) <= 0x1F3FF for _, sign in names for letter in sign)
