"""What a declaration gives, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from copydesk.contract.operations import CATALOGUE
from copydesk.session.glyphs import pairs
from copydesk.tui.framework.actions import (
    SCOPES,
    Acts,
    Commands,
    DeclarationError,
    action,
    actions_of,
    chord,
    command,
    declared,
    declared_name,
    shown,
    textual_name,
)
from copydesk.tui.framework.navigation import ENTRIES
from copydesk.tui.system import reference
from copydesk.tui.system.reference import load_everything
from tests.tui.desk_place import DeskPlace


def test_a_missing_docstring_is_refused() -> None:
    with pytest.raises(DeclarationError, match="has no docstring"):

        class _Silent(Acts, scope="silent"):
            @action("x", "x")
            def act(self) -> None:
                pass


def test_a_key_twice_is_refused_also_against_a_base() -> None:
    with pytest.raises(DeclarationError, match="both on 'x'"):

        class _Twice(Acts, scope="twice"):
            @action("x", "one")
            def one(self) -> None:
                """One."""

            @action("x", "two")
            def two(self) -> None:
                """Two."""

    class _Base(Acts, scope="base_of_keys"):
        @action("x", "one", also=("y",))
        def one(self) -> None:
            """One."""

    with pytest.raises(DeclarationError, match="both on 'x'"):

        class _Clash(_Base, scope="clash"):
            @action("x", "two")
            def two(self) -> None:
                """Two."""

    class _Override(_Base, scope="overriding"):
        @action("x", "two", override=True)
        def two(self) -> None:
            """Two."""

    assert _Override.ACTIONS["one"].keys == ("y",)
    assert _Override.ACTIONS["two"].id == "overriding.two"


def test_what_commands_override_their_place_does_not_do() -> None:
    class _Place(Acts, scope="place_of_commands"):
        @action("x", "one")
        def one(self) -> None:
            """One."""

        @action("y", "two")
        def two(self) -> None:
            """Two."""

        @action("z", "three")
        def three(self) -> None:
            """Three: its only key is taken."""

    class _Commands(Commands, scope="commands_of_place"):
        @action("z", "another one", override=True)
        def one(self) -> None:
            """Another one."""

    class _Pane(Acts, scope="pane_of_place"):
        @action("p", "one of a pane", override=True)
        def one(self) -> None:
            """One of a pane."""

    does = [(level, each.id) for level, each in actions_of((_Pane, _Commands, _Place))]
    assert does == [
        (0, "pane_of_place.one"),
        (1, "commands_of_place.one"),
        (2, "place_of_commands.two"),
    ]


def test_an_id_twice_is_refused() -> None:
    class _First(Acts, scope="taken"):
        @action("x", "one")
        def one(self) -> None:
            """One."""

    with pytest.raises(DeclarationError, match="belongs to"):

        class _Second(Acts, scope="taken"):
            pass

    with pytest.raises(DeclarationError, match=r"taken\.one of .*_Third belongs to"):

        class _Third(Commands, scope="taken"):
            @action("y", "one more")
            def one(self) -> None:
                """One more."""

    assert SCOPES["taken"] == (_First,)
    with pytest.raises(DeclarationError, match="has no scope"):

        class _Unnamed(Acts):
            @command("go")
            def go(self, rest: str) -> None:
                """Go."""


def test_a_place_and_its_commands_share_a_scope() -> None:
    class _Place(Acts, scope="shared"):
        @action("x", "one")
        def one(self) -> None:
            """One."""

    class _Commands(Commands, scope="shared"):
        @action("y", "two")
        def two(self) -> None:
            """Two."""

    assert SCOPES["shared"] == (_Place, _Commands)
    ids = [each.id for each in declared() if each.scope == "shared"]
    assert ids == ["shared.one", "shared.two"]


def test_the_commands_of_one_place_have_its_name() -> None:
    load_everything()
    names: dict[type[Acts], set[str]] = {}
    users: dict[type[Acts], set[type[Acts]]] = {}
    for name, entry in ENTRIES.items():
        names.setdefault(entry.place, set()).add(name.replace("-", "_"))
        for kind in entry.place.owner_classes():
            if issubclass(kind, Commands):
                users.setdefault(kind, set()).add(entry.place)
    every = set().union(*names.values())
    for kind, places in users.items():
        if len(places) == 1:
            assert kind.SCOPE in names[places.pop()], kind
        else:
            assert kind.SCOPE not in every, kind


def test_the_page_of_screens_is_up_to_date() -> None:
    page = (Path(__file__).parents[3] / "docs" / "places.md").read_text()
    assert reference.with_screens(page) == page, "make generate"
    assert "``" not in reference.screens_table()


def test_the_tables_of_screens_that_are_not_imported_are_up_to_date() -> None:
    for path, text in reference.tables().items():
        assert path.read_text() == text, f"{path.name}: make generate"


def test_going_somewhere_writes_nothing_so_that_a_session_that_reads_needs_no_import() -> None:
    load_everything()
    assert not [entry.name for entry in ENTRIES.values() if entry.action.writes]


def test_bindings_have_stable_ids_and_chords_have_none() -> None:
    made = (each.binding for _, each in actions_of(DeskPlace.owner_classes()))
    bindings = {binding.id: binding for binding in made if binding is not None}
    merge = bindings["desk.merge"]
    assert (merge.key, merge.action, merge.description) == ("m", "press('merge')", "merge")
    assert bindings["place.first"].key == "home"
    assert "desk.expand_all" not in bindings


@pytest.mark.parametrize("key", [*"abzAZ09?/:.-+*|#@[]{}<>=~!", "ctrl+\\", "shift+tab"])
def test_names_of_keys_go_there_and_back(key: str) -> None:
    assert declared_name(textual_name(key)) == key


def test_how_keys_are_shown() -> None:
    assert shown("g s") == "gs"
    assert shown("escape") == "esc"
    assert chord("z R") == ("z", "R")
    assert textual_name("?") == "question_mark"


def test_every_glyph_has_an_ascii_form_of_its_width() -> None:
    for name, sign, plain in pairs():
        assert plain.isascii(), name
        assert len(sign) == len(plain), name


def test_the_key_reference_lists_every_action_once() -> None:
    listed = reference.keys()
    ids = [each["id"] for each in listed]
    assert len(ids) == len(set(ids))
    assert "place.help" in ids
    assert "`place.help`" in reference.keys_page()
    assert reference.keys_table().count("place.help ") == 1
    assert re.search(
        r"place.help +gf f1 +List", reference.keys_table({"place.help": ("g f", "f1")})
    )
    assert {"id": "place.help", "keys": ["f1"]}.items() <= next(
        each for each in reference.keys({"place.help": ("f1",)}) if each["id"] == "place.help"
    ).items()


FOR_SCRIPTS = {
    # Parts of a revision, which screens read whole: a comparison shows its pages, files and
    # reusable content, and g j on it all that these say.
    "list_revision_pages", "list_revision_files", "get_revision_file",
    "get_revision_reusable_content",
    # Reviews are read as lists, and comments on a space tell who wrote them.
    "get_change_request_review", "list_space_commenters",
}  # fmt: skip
"""The operations that only `copydesk api` sends."""

FOR_UNDO = {"restore_issues_cluster"}
"""The operations that only undo sends."""


def test_every_operation_is_reached_by_some_action() -> None:
    reached = reference.reached_by()  # whether they are really sent: tests/reach.py
    assert CATALOGUE.keys() - reached.keys() == FOR_SCRIPTS | FOR_UNDO
    assert reached.keys() <= CATALOGUE.keys()
    ids = [each.id for each in reached["merge_change_request"]]
    assert "review.merge" in ids
