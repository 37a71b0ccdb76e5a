"""Keys of one's own: presets, single actions, and what cannot be."""

from __future__ import annotations

import pytest

from copydesk.domain.keymap import (
    KEPT_BY_BROWSERS,
    PRESETS,
    OwnKeys,
    keymap_of,
    keys_renamed,
    no_key,
    with_keys,
    with_second,
)

DECLARED = {
    "place.down": ("j", "down"),
    "place.help": ("?",),
    "place.palette": ("ctrl+p",),
    "list.fold": ("l",),
    "list.merge": ("M",),
    "form.send": ("ctrl+s",),
    "review.merge": ("M", "z m"),
    "go.changes": ("g c",),
    "go.clusters": ("g k",),
}
SCREENS = {"list": ("list", "place", "go"), "review": ("review", "place", "go")}


Given = dict[str, tuple[str, ...]]


def keys(own: Given | None = None, preset: str = "vim") -> tuple[dict[str, object], dict[str, str]]:
    """Return what is other than declared, and the mistakes."""
    found, wrong = keymap_of(DECLARED, SCREENS, OwnKeys(preset, own or {}))
    return dict(found), wrong


def test_without_keys_of_ones_own_all_stay() -> None:
    assert keys() == ({}, {})


def test_a_preset_replaces_keys_and_leaves_no_action_without_one() -> None:
    found, wrong = keys(preset="arrows")
    assert not wrong
    assert found == {
        "place.down": ("down",),
        "place.help": ("f1", "?"),
        "place.palette": ("f2", "ctrl+p"),
        "form.send": ("f9", "ctrl+s"),
        "go.changes": ("g c", "f7 c"),
        "go.clusters": ("g k", "f7 k"),
    }
    found, _ = keys(preset="emacs")
    assert found == {
        "place.down": ("j", "down", "ctrl+n"),
        "place.palette": ("alt+x",),
        "form.send": ("ctrl+x ctrl+s",),
    }


def test_an_action_that_has_no_key_any_more_says_what_does_it() -> None:
    for name in ("merge_rules", "organization_structure.merge_rules"):
        assert keys({name: ("f4",)}) == (
            {},
            {
                name: f"{name} has no key any more: "
                ":rules, or a field of e (organization_structure.edit)"
            },
        )
    assert keys({"down": ("n",), "end_invite": ("f4",)})[0] == {"place.down": ("n",)}


@pytest.mark.parametrize(
    ("name", "now"),
    [("move_down", "down"), ("place.move_down", "place.down"), ("begin", "confirm or new")],
)
def test_a_name_of_before_is_answered_with_that_of_now(name: str, now: str) -> None:
    assert keys({name: ("f4",)}) == ({}, {name: f"{name} has another name now: {now}"})


def test_a_word_means_the_action_on_every_screen_and_an_id_one() -> None:
    assert keys({"merge": ("f4",)}) == ({"list.merge": ("f4",), "review.merge": ("f4",)}, {})
    assert keys({"review.merge": ()}) == ({"review.merge": ()}, {})
    found, _ = keys({"down": ("n",)}, "arrows")
    assert found["place.down"] == ("n",)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"merg": ("m",)}, "merg is not an action: did you mean merge?"),
        ({"": ("m",)}, "'' is not an action"),
        ({"merge": ("control-m",)}, "'control-m' is not a key"),
        ({"merge": ("",)}, "'' is not a key"),
        ({"merge": ("?",)}, "? cannot be list.merge on list: it is place.help there"),
        (
            {"review.merge": ("g",)},
            "g cannot be review.merge on review: g c is go.changes there, and",
        ),
        ({"help": ("M x",)}, "M x cannot be place.help on list: M is list.merge there, and"),
    ],
)
def test_a_mistake_is_named_and_leaves_the_keys(own: Given, said: str) -> None:
    found, wrong = keys(own)
    assert found == {}
    (told,) = wrong.values()
    assert told.startswith(said)


def test_keys_may_be_exchanged_only_one_after_the_other() -> None:
    found, wrong = keys({"help": ("f1",), "merge": ("?",)})
    assert found == {"place.help": ("f1",), "list.merge": ("?",), "review.merge": ("?",)}
    assert not wrong


def test_presets_are_those_of_the_settings() -> None:
    assert list(PRESETS) == ["vim", "emacs", "arrows"]


@pytest.mark.parametrize("preset", PRESETS)
def test_new_and_preview_have_a_key_that_browsers_leave_to_pages(preset: str) -> None:
    declared = {"list.new": with_second(("ctrl+n",)), "composer.preview": with_second(("ctrl+t",))}
    screens = {"list": ("list",), "composer": ("composer",)}
    changed, _ = keymap_of(declared, screens, OwnKeys(preset))
    everywhere = {**declared, **changed}
    assert "alt+n" in everywhere["list.new"]
    assert "alt+t" in everywhere["composer.preview"]
    there, _ = keymap_of(declared, screens, OwnKeys(preset), browser=True)
    assert not KEPT_BY_BROWSERS & {key for given in there.values() for key in given}
    own = OwnKeys(preset, {"preview": ("ctrl+w",)})
    only, _ = keymap_of(declared, screens, own, browser=True)
    assert only["composer.preview"] == ("ctrl+w",)  # better than none


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ctrl+n makes one. See ctrl+t, ctrl+n.", "alt+n makes one. See ctrl+t, alt+n."),
        ("actrl+n and ctrl+nn stay", "actrl+n and ctrl+nn stay"),
        ("M goes on, and M stays", "f4 goes on, and M stays"),
        ("Saved “M shows ctrl+n”: M shows it", "Saved “M shows ctrl+n”: f4 shows it"),
        ("Look (M shows it); gk opens it", "Look (f4 shows it); go opens it"),
        ("J and K move it. Kept, then M shows it.", "f2 and f3 move it. Kept, then M shows it."),
        (
            "The service failed: M is taken. J lists it, to be sent again.",
            "The service failed: M is taken. f2 lists it, to be sent again.",
        ),
        ("ctrl+n does nothing here. M is “merge”. gk means nothing.",) * 2,
        ("M and more   M more", "M and more   f4 more"),
        ("= before/after   M more = m", "f6 before/after   f4 more = m"),
        (
            "No view has the name 'ctrl+n': M shows Kim's. The others' ctrl+n is Kim's.",
            "No view has the name 'ctrl+n': f4 shows Kim's. The others' alt+n is Kim's.",
        ),
        ("Annex (M) is read (M).", "Annex (M) is read (f4)."),
        (
            "Kept (gk). Offline, again in 4 s (M now): write(M)",
            "Kept (go). Offline, again in 4 s (f4 now): write(M)",
        ),
        (
            "The service refused it: M is taken; ctrl+n is. M sends it again.",
            "The service refused it: M is taken; ctrl+n is. f4 sends it again.",
        ),
        ("ctrl+s sends, ctrl+x ctrl+s too", "ctrl+x ctrl+s sends, ctrl+x ctrl+s too"),
    ],
)
def test_a_text_of_ours_names_the_keys_that_are_there(text: str, said: str) -> None:
    renamed = {"ctrl+n": "alt+n", "M": "f4", "gk": "go", "J": "f2", "K": "f3"}
    renamed |= {"ctrl+s": "ctrl+x ctrl+s", "=": "f6"}
    assert with_keys(text, renamed) == said
    assert with_keys(text, {}) == text


def test_a_key_is_another_one_where_all_actions_agree() -> None:
    now = [("M", ("f4",)), ("M", ("f4", "x")), ("a", ("b",)), ("a", ("a",)), ("d", ()), ("e", "e")]
    assert keys_renamed(now) == {"M": "f4"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("m", "f5", "ctrl+t", "alt+n", "g m"), ""),
        (("m", "! m"), "! m: ! is for your own commands alone"),
        (("!",), "!: ! is for your own commands alone"),
        (("g  m",), "'g  m' is not a key: write m, f5, ctrl+t, alt+n, or a chord such as g m"),
        ((), ""),
    ],
)
def test_what_cannot_be_a_key_is_said(given: tuple[str, ...], why: str) -> None:
    assert no_key(given) == why
