"""Another token, another profile, and the first run, as somebody at the screens meets them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from copydesk import __version__
from copydesk.cli.connection import chosen
from copydesk.cli.open import HINTS, FirstRun
from copydesk.cli.profile_switch import Keeper, Switchboard
from copydesk.cli.token_owner import keep_apart
from copydesk.cli.tokens import Token
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.domain.profile import Profile
from copydesk.local.accounts import Account, Accounts, mark_of
from copydesk.local.credentials import Credentials
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.paths import Paths, find_paths
from copydesk.local.profiles import Profiles
from copydesk.local.state import State
from copydesk.server.app import mint_token
from copydesk.server.store import Tx
from copydesk.server.untouched import note_spaces
from copydesk.session.errors import NotDoneError
from copydesk.session.profiles import ServiceOffer
from tests.drive import drive, eventually
from tests.tui.opening import open_world
from tests.world import BASE_URL, World

WORK = Profile("work", BASE_URL, storage="file")
AWAY = Profile("away", "https://docs.example.com", storage="file", read_only=True)


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """The folders of somebody with two profiles, one of them read-only and without a token."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    for name in ("COPYDESK_TOKEN", "COPYDESK_BASE_URL", "COPYDESK_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    found = find_paths().make()
    for profile in (WORK, AWAY):
        Profiles(found.settings).save(profile)
    return found


def _mint(world: World, user: str) -> str:
    return world.write(lambda tx: mint_token(tx, user, "another"))


def _revoke(tx: Tx) -> None:
    tx.run("DELETE FROM token")


async def test_a_refused_token_is_replaced_over_what_is_being_typed(
    world: World, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"limits": "# Limits\n\nTen.\n"})
    request = world.change_request(space, {"limits": "# Limits\n\nNine.\n"}, subject="Nine")
    lee = world.user("lee", display_name="Lee Park")
    credentials = Credentials(paths.credentials)
    credentials.keep(WORK, world.token(world.ana))
    app = open_world(world, "changes")
    session = app.session
    session.profile, session.token = "work", Keeper(Token(WORK), WORK.key, paths)
    accounts = Accounts(paths.accounts)
    assert accounts.read(WORK.key) is None, "a profile that was written by hand"

    async with drive(app) as driver:
        assert accounts.read(WORK.key) == Account(world.ana, "Ana Silva"), "the service said so"
        await driver.press("ctrl+g")
        assert "accepts the token so far" in driver.screen
        await driver.press("escape", ":")
        await driver.type("whoami")
        await driver.press("enter")
        for said in (
            "Ana Silva",
            "work",
            "in a file that only you can read",
            f"{__version__} (tables",
        ):
            assert said in driver.screen, said
        assert world.token(world.ana) not in driver.screen
        await driver.press("escape", "e")
        await driver.type("a")
        world.write(_revoke)
        world.clock.now += timedelta(seconds=20)
        place = driver.place
        place.read_again()
        await driver.idle()
        refused = session.contact
        assert refused.refused
        assert "(ctrl+g)" in driver.line(" work")
        answered = session.contact.answers
        app.tick()
        await driver.idle()
        assert session.contact.answers == answered  # it is asked no more by itself

        await driver.press("ctrl+g", "ctrl+g")
        assert "refused the token" in driver.screen
        for typed, said in (
            ("", "The service refuses this token."),  # that is still where it is kept
            ("no token", "The token holds a space or a character that no token has"),
            ("nonsense", "The service refuses this token."),
            (_mint(world, lee), "This is the token of Lee Park"),
        ):
            await driver.press("ctrl+u")
            await driver.paste(typed)
            await driver.press("enter")
            assert said in driver.screen
            assert refused.refused
        right = _mint(world, world.ana)
        await driver.press("ctrl+u")
        await driver.paste(right)
        assert "••••" in driver.screen
        assert right not in driver.screen
        await driver.press("enter")
        await driver.idle()
        assert not session.contact.refused, "it is accepted"
        assert credentials.token(WORK) == right
        # What was being typed is there as it was, and is sent when its reader says so.
        assert "aNine" in driver.screen
        await driver.press("ctrl+s")
        await driver.idle()

    # Who comes with another token gets nothing of what is kept, and takes it over once there is
    # nothing. One of the environment is known again, and not asked about at each start.
    monkeypatch.setenv("COPYDESK_TOKEN", "given")
    keeper = Keeper(Token(WORK), WORK.key, paths)
    drafts = DeskDrafts(State(paths.store), WORK.key)
    drafts.save("changes/new", "Half a thought")
    assert keeper.note(lee, "Lee Park").startswith("Saved here of Ana Silva: 1 draft. ")
    assert keeper.owner == (world.ana, "Ana Silva")
    drafts.drop("changes/new")
    assert not keeper.note(lee, "Lee Park")
    assert accounts.read(WORK.key) == Account(lee, "Lee Park", mark_of("given", WORK.key))
    keep_apart(replace(chosen(None, BASE_URL), key=WORK.key))

    async with world.api() as api:
        api.use_token(right)
        assert (await api(ops.get_change_request, space, request)).subject == "aNine"


async def test_a_profile_is_chosen_prepared_and_gone_to_once_all_is_sent(
    world: World, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"limits": "# Limits\n\nTen.\n"})
    request = world.change_request(space, {"limits": "# Limits\n\nNine.\n"})
    monkeypatch.setenv("COPYDESK_TOKEN", "given-for-another-service")
    first = chosen(None, "https://begun.example.org")
    ways = Switchboard(paths, first, read_only=False)
    work = ServiceOffer(WORK.key, "work", "desk")
    assert list(ways.known()) == [
        ServiceOffer(f"desk:{paths.desk}", "desk", "the desk on this machine"),
        work,
        ServiceOffer(AWAY.key, "away", "docs.example.com", read_only=True),
        ServiceOffer(first.key, "", "begun.example.org", current=True),
    ]
    with pytest.raises(NotDoneError, match="No token is saved for profile work"):
        ways.prepare(work)
    Credentials(paths.credentials).keep(WORK, world.token(world.ana))
    ways.prepare(work)
    ways.go_on()
    # The token of the environment was given for another service.
    assert ways.connection.token is not None
    assert ways.connection.token.read() == world.token(world.ana)
    assert [each.name for each in ways.known() if each.current] == ["work"]
    assert ways.go_back()
    assert ways.connection is first
    assert not ways.go_back()

    app = open_world(world, "changes")
    app.account.offers, app.session.recall_seconds = ways, 60
    async with drive(app) as driver:
        await driver.press(":")
        await driver.type("profile wrok")
        await driver.press("enter")
        assert "There is no profile wrok. Nearest: :profile work." in driver.screen
        await driver.press(":")
        await driver.type("profile away")
        await driver.press("enter")
        assert "No token is saved for profile away" in driver.screen
        await driver.press(":")
        await driver.type("profile")
        await driver.press("enter")
        assert "docs.example.com, read-only" in driver.screen
        assert "begun.example.org" in driver.line("open now")
        await driver.press("escape")
        assert not app.account.bound_for
        archived = ChangeRequestUpdate(status="archived")
        written = asyncio.create_task(
            driver.place.writer.perform(
                "Archive", "#1",
                lambda api: api(ops.update_change_request, space, request, archived), recall=True,
            )
        )  # fmt: skip
        await driver.settle()
        assert app.session.writes.waits
        await app.change_profile("work")
        # What could still be recalled is sent first.
        await eventually(lambda: app._exit, lambda: asyncio.sleep(0))
        assert written.done()
    assert app.account.bound_for == WORK.key
    async with world.api() as api:
        assert (await api(ops.get_change_request, space, request)).status == "archived"


async def test_the_first_run_says_how_to_go_on_until_something_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    monkeypatch.delenv("COPYDESK_TOKEN", raising=False)
    paths = find_paths().make()
    world = World(paths.desk)
    first = FirstRun(paths, chosen(None, None))
    assert first.hints() == ()
    world.space("Guide", {"limits": "# Limits\n\nTen.\n"})
    world.write(note_spaces)
    assert first.hints() == HINTS
    assert FirstRun(paths, chosen(tmp_path / "other.db", None)).hints() == ()

    app = open_world(world)
    app.account.welcome = first
    async with drive(app) as driver:
        assert HINTS[1] in driver.screen
        await driver.press("?")
        await driver.type("copydesk desk import")
        assert "your files" in driver.screen
        await driver.press("escape", "escape")
        assert HINTS[1] not in driver.screen
        assert "1 space" in driver.screen.splitlines()[-2]
    assert first.hints() == ()  # also in later runs

    (paths.state / "welcome-hidden").unlink()
    assert first.hints() == HINTS
    world.space("Imported")
    assert first.hints() == ()
    world.write(lambda tx: tx.run("DELETE FROM space WHERE title = ?", "Imported"))
    assert first.hints() == HINTS
    Profiles(paths.settings).save(WORK)
    assert first.hints() == ()
    Profiles(paths.settings).remove("work")
    store = State(paths.store)
    Journal(store, f"desk:{paths.desk}").begin("Merge", "#1")
    assert first.hints() == ()
    store.write(lambda database: database.execute("UPDATE entry SET value = 'of a newer copydesk'"))
    assert first.hints() == (), "what was written is not read for that"
    assert Journal(store).is_empty() is False
    assert Journal(store, "another").is_empty()
    world.close()
