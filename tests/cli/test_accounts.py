"""Accounts on the command line: tried before they are kept, told apart, and never printed."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from copydesk.cli import main
from copydesk.cli.connection import chosen, exposes
from copydesk.cli.errors import UsageError
from copydesk.domain.cached_answers import Kept
from copydesk.domain.profile import Profile
from copydesk.local.answer_cache import Answers, answers_file
from copydesk.local.drafts import DeskDrafts
from copydesk.local.paths import find_paths
from copydesk.local.profiles import Profiles
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from tests import faulty
from tests.cli.script_desk import HOSTILE, Typed
from tests.faulty import Asked, Fault, FaultyServer, Line, Said, served
from tests.rings import Ring, using
from tests.world import World

VARIABLES = ("COPYDESK_TOKEN", "COPYDESK_BASE_URL", "COPYDESK_PROFILE")


@dataclass
class There:
    """A service on this machine, over a network, and what was printed."""

    world: World
    server: FaultyServer
    ring: Ring
    capsys: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    @property
    def url(self) -> str:
        """Its address."""
        return self.server.url

    def run(self, *arguments: str, given: str = "", status: int = 0) -> str:
        """Run a command with ``given`` piped to it, and return all that it printed."""
        self.capsys.readouterr()
        self.patch.setattr(sys, "stdin", Typed(given))
        found = main(list(arguments))
        out, err = self.capsys.readouterr()
        assert found == status, out + err
        return out + err

    def login(self, *arguments: str, user: str | None = None, status: int = 0) -> str:
        """Log in with a new token of somebody (ana)."""
        token = self.world.token(user or self.world.ana)
        said = self.run(
            "login", *arguments, "--base-url", self.url, "--token-stdin",
            given=f"\n {token}\n", status=status,
        )  # fmt: skip
        assert token not in said
        return said


@pytest.fixture
def there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[There]:
    """A service, a home without anything, and a keyring."""
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path / "home"))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    ring = Ring()
    with ExitStack() as stack:
        stack.enter_context(using(ring))
        world = World(tmp_path / "desk.db")
        stack.callback(world.close)
        server = stack.enter_context(served(world))
        yield There(world, server, ring, capsys, monkeypatch)


def nothing_stored(there: There) -> bool:
    """Whether neither a profile nor a token is kept."""
    paths = find_paths()
    return not (there.ring.kept or paths.settings.exists() or paths.credentials.exists())


def test_a_token_is_tried_before_it_is_kept(there: There) -> None:
    refused = there.run(
        "login", "--base-url", there.url, "--token-stdin", given="wrong-token-1", status=3
    )
    assert "refuses this token" in refused
    assert "wrong-token-1" not in refused
    assert "not a base URL" in there.run("login", "--base-url", "ftp://x", status=2)
    elsewhere = ("login", "--token-stdin", "--base-url", f"{there.url}/docs")
    assert "look at the base URL" in there.run(*elsewhere, given="tok-12345", status=1)
    assert "no token" in there.run("login", "--token-stdin", given=" \n", status=2)
    assert "--token-stdin" in there.run("login", "--base-url", there.url, status=2)
    assert "space" in there.run("login", "--token-stdin", given="Bearer tok-12345", status=2)
    two = ("login", "--token-stdin", "--base-url", there.url)
    assert "2 lines" in there.run(*two, given="tok-12345\nand more\n", status=2)
    far = ("login", "--token-stdin", "--base-url", "http://docs.example")
    assert "unencrypted to docs.example" in there.run(*far, given="tok-12345", status=2)
    assert "name has up to 40" in there.run("login", "x" * 41, "--token-stdin", status=2)
    assert "letters" in there.run("login", "../up", "--token-stdin", given="tok-12345", status=2)
    both = ("login", "--token-command", "pass x", "--token-stdin")
    assert "choose one" in there.run(*both, given="tok-12345", status=2)
    assert nothing_stored(there)

    said = there.login()
    assert "as Ana Silva (ana@example.org), profile default" in said
    assert "in the keyring" in said
    assert "copydesk opens it from now on" in said
    assert len(there.ring.kept) == 1
    assert find_paths().settings.stat().st_mode & 0o777 == 0o600
    assert json.loads(there.run("api", "GET", "/user"))["displayName"] == "Ana Silva"

    # It stays with its address, whatever the settings say by then.
    path = find_paths().settings
    path.write_text(path.read_text().replace(there.url, "http://127.0.0.1:9"))
    assert "no token is saved for profile default" in there.run("sites", status=2)


def test_a_typed_token_is_not_shown(there: There, tmp_path: Path) -> None:
    token = there.world.token(there.world.ana)
    child, line = pty.fork()
    if not child:
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        arguments = ["-m", "copydesk", "login", "work", "--base-url", there.url]
        os.execv(sys.executable, [sys.executable, *arguments])
    shown = b""
    while b"not shown" not in shown:
        shown += os.read(line, 4096)
    os.write(line, f"{token}\n".encode())
    try:
        while said := os.read(line, 4096):
            shown += said
    except OSError:  # the other end is closed
        pass
    os.close(line)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert b"profile work" in shown
    assert token.encode() not in shown
    kept = find_paths().credentials / "work.json"
    assert str(kept) in shown.decode()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert Profiles(find_paths().settings).get("work") == Profile("work", there.url, storage="file")


def test_logging_out_keeps_what_was_typed(there: There) -> None:
    there.login("work", "--store", "file")
    profile = Profiles(find_paths().settings).get("work")
    assert profile is not None
    paths = find_paths()
    DeskDrafts(State(paths.store), profile.key).save("#4", "a thought")
    Snapshots(paths.snapshots, profile.key).write("spaces", [{"id": "s"}])
    answers = Answers(answers_file(paths.answers, profile.key))
    answers.keep({"/v1/user": Kept(b"{}", 1.0)})
    assert answers.held().count == 1
    said = there.run("logout")
    assert "1 draft stay" in said or "1 draft stays" in said
    assert "is valid until it is revoked" in said
    assert Snapshots(paths.snapshots, profile.key).read("spaces") == []
    assert answers.held().count == 0
    assert not list(paths.credentials.iterdir())
    assert "no one was logged in" in there.run("logout")
    assert "run copydesk login work" in there.run("sites", status=2)
    assert "your own desk has no token" in there.run("logout", "desk", status=2)
    assert "--yes" in there.run("logout", "work", "--everything", status=2)
    assert "is removed" in there.run("logout", "--everything", "--yes")
    assert "no one is logged in" in there.run("logout", status=2)
    assert DeskDrafts(State(paths.store), profile.key).load("#4") == "a thought"

    # Somebody else who takes the name does not get what was typed under it.
    bo = there.world.user("Bo")
    refused = there.login("work", user=bo, status=2)
    assert "has 1 draft of Ana Silva" in refused
    assert "Nothing was saved" in refused
    assert not there.ring.kept
    DeskDrafts(State(paths.store), profile.key).drop("#4")
    assert "as Bo" in there.login("work", user=bo)


def test_a_token_goes_though_settings_are_broken_and_is_kept_where_it_was_asked_for(
    there: There,
) -> None:
    there.login("work")
    there.login("file", "--store", "file")
    settings = find_paths().settings
    whole = settings.read_text()
    for broken in (f"[profiles.bad]\n{whole}", "this is not a TOML"):
        settings.write_text(broken)
        there.ring.kept["copydesk", f"work {there.url}"] = "tok-12345"
        said = there.run("logout", "work")
        assert "line 1" in said
        assert "stays in the settings" in said
        assert "Logged out of profile work" in said
        assert not there.ring.kept
    assert "Say which profile" in there.run("logout", status=2)
    assert "Say which profile" in there.run("logout", "../../x", status=2)
    assert "No token is saved for profile nobody" in there.run("logout", "nobody", status=2)
    assert "Logged out" in there.run("logout", "file")
    assert not list(find_paths().credentials.iterdir())
    settings.write_text(whole)

    with using(None):
        refused = there.login("new", "--store", "keyring", status=2)
        assert "has no keyring" in refused
        assert "Nothing was saved: --store file" in refused
        assert not Profiles(settings).get("new")
    token = there.world.token(there.world.ana)
    said = there.run("login", "inline", "--base-url", there.url, "--token-command", f"echo {token}")
    assert "The token itself is in the command" in said
    assert "not kept" not in said
    assert token not in said
    there.login("file", "--store", "file")
    settings.write_text(settings.read_text().replace(there.url, "https://moved.example"))
    listed = [(each["name"], each["token"]) for each in json.loads(there.run("profiles", "--json"))]
    assert ("file", "none") in listed


def test_a_token_of_the_environment_goes_where_it_is_for_and_takes_nothing_over(
    there: There,
) -> None:
    there.login("work")
    key = chosen(None, None, "work").key
    drafts = DeskDrafts(State(find_paths().store), key)
    drafts.save("#4", "a thought")
    ana, bo = (there.world.token(user) for user in (there.world.ana, there.world.user("Bo")))
    there.patch.setenv("COPYDESK_TOKEN", f"{bo}\n")
    arrived = len(there.server.asked)
    with pytest.raises(UsageError, match="COPYDESK_TOKEN is a token for https://api"):
        chosen(None, None)
    there.patch.setenv("COPYDESK_BASE_URL", "https://docs.example")
    with pytest.raises(UsageError, match="COPYDESK_BASE_URL="):
        chosen(None, None, "work")
    there.patch.delenv("COPYDESK_BASE_URL")
    there.patch.setenv("COPYDESK_PROFILE", "work")
    with pytest.raises(UsageError, match="is not sent to https://docs"):
        chosen(None, "https://docs.example")
    assert len(there.server.asked) == arrived

    # Somebody else gets nothing of a profile; a new token of the same person everything.
    for options in ((), ("--profile", "work")):
        said = there.run("api", "GET", "/user", *options, status=3)
        assert "the token of Bo" in said
        assert "what is saved for work is Ana Silva's: unset COPYDESK_TOKEN" in said
    assert "What is saved here is Ana Silva's: unset COPYDESK_TOKEN." in there.run(
        "doctor", status=1
    )
    there.patch.setenv("COPYDESK_TOKEN", ana)
    assert json.loads(there.run("api", "GET", "/user"))["displayName"] == "Ana Silva"
    assert chosen(None, None).key == key
    assert drafts.load("#4") == "a thought"
    there.patch.delenv("COPYDESK_PROFILE")
    there.patch.setenv("COPYDESK_TOKEN", "tok-not-valid")
    refused = there.run("sites", "--profile", "work", status=3)
    assert f"{there.url.removeprefix('http://')} refuses COPYDESK_TOKEN. Unset it" in refused
    said = there.run("doctor", "--profile", "work", status=1)
    assert "Set another COPYDESK_TOKEN, or unset it." in said
    assert ".." not in said.replace("../", "")

    # Without a profile's name: what was read is dropped, and it is said.
    there.patch.delenv("COPYDESK_TOKEN")
    there.login()
    snapshots = Snapshots(find_paths().snapshots, f"service:{there.url}")
    snapshots.write("spaces", [{"id": "s"}])
    there.patch.setenv("COPYDESK_TOKEN", ana)
    assert "cleared" not in there.run("sites", "--base-url", there.url)
    assert snapshots.read("spaces")
    there.patch.setenv("COPYDESK_TOKEN", bo)
    assert "what was read before is cleared" in there.run("sites", "--base-url", there.url)
    assert not snapshots.read("spaces")


def test_profiles_are_told_apart_and_chosen(there: There) -> None:
    there.login("work")
    file = there.world.token(there.world.user("Robot"))
    note = find_paths().state / "robot"
    note.write_text(f"{file}\n")
    said = there.run(
        "login", "robot", "--base-url", there.url, "--token-command", f"cat '{note}'",
        "--read-only",
    )  # fmt: skip
    assert "asked of cat at each start" in said
    assert "copydesk profiles use robot" in said
    listed = json.loads(there.run("profiles", "--json"))
    assert [(each["name"], each["token"], each["readOnly"]) for each in listed] == [
        ("work", "keyring", False),
        ("robot", "command", True),
    ]
    assert str(note) not in there.run("profiles")

    def who(*options: str) -> Any:
        return json.loads(there.run("api", "GET", "/user", *options))["displayName"]

    assert (who(), who("--profile", "robot")) == ("Ana Silva", "Robot")
    there.run("profiles", "use", "robot")
    assert who() == "Robot"
    home = there.world.home
    arrived = len(there.server.arrived)
    for options in ((), ("--profile", "work", "--read-only")):
        path = ("api", "PATCH", f"orgs/{home}", "-f", "title=New", *options)
        assert "read-only" in there.run(*path, status=3)
    for command in (
        ("cr", "comment", "1", "Hello"),
        ("cr", "merge", "1", "--yes"),
        ("conversations", "send", str(note)),
        ("structure", "apply", "docs", str(note), "--yes"),
    ):
        said = there.run(*command, "--read-only", status=3)
        assert said == "copydesk: --read-only: nothing was sent\n"
    assert len(there.server.arrived) == arrived
    assert there.run("log") == "Nothing was sent from this machine yet.\n"
    there.patch.setenv("COPYDESK_PROFILE", "work")
    assert who() == "Ana Silva"
    there.patch.setenv("COPYDESK_TOKEN", file)
    assert "is the token of Robot" in there.run("api", "GET", "/user", status=3)
    there.patch.setenv("COPYDESK_PROFILE", "robot")
    assert who() == "Robot", "the environment's token goes first"
    there.patch.delenv("COPYDESK_TOKEN")
    there.patch.delenv("COPYDESK_PROFILE")
    assert "choose with --profile" not in there.run("sites", "--base-url", there.url)
    there.run("profiles", "use", "desk")
    assert "choose with --profile" in there.run("sites", "--base-url", there.url, status=2)

    keys = {chosen(None, None, name).key for name in ("work", "robot", "desk")}
    assert len(keys) == 3
    for given, words in (
        ((None, there.url, "work"), "--profile and --base-url"),
        ((Path("x"), None, "work"), "--profile and --desk"),
        ((None, there.url, "desk"), "choose one"),
        ((None, None, HOSTILE), "There are: work, robot, desk"),
        ((None, "http://127.0.0.1:9", None), "copydesk login --base-url http://127.0.0.1:9"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            chosen(*given)
        assert "\x1b" not in str(caught.value)
    assert "there is no profile" in there.run("profiles", "use", "nobody", status=2)
    assert "does not take --profile" in there.run("--profile", "work", "ops", status=2)


async def _no_such_path(line: Line, said: Said, asked: Asked) -> None:
    await line.answer(Said(404, {"content-length": "0"}, b""))


MISSING = Fault("no such path", _no_such_path, arrives=False)


def test_doctor_says_what_is_wrong_and_no_secret(
    there: There, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = there.world
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, {"a": "# B\n"})
    there.login("work", "--store", "file")
    said = there.run("doctor")
    assert "Ana Silva (ana@example.org)" in said
    assert "All is well." in said
    found = there.run("doctor", "--profile", "work", "--json")
    assert json.loads(found)["well"]

    def facts(*options: str) -> dict[str, str]:
        told = json.loads(there.run("doctor", "--json", *options))["findings"]
        return {name: each["said"] for each in told for name in each["name"].split(", ")}

    assert facts()["reviews"] == facts()["publishing"] == "yes"
    lacking = "/reviews", "/openapi.json"
    there.server.plan = faulty.only(
        lambda asked: any(each in asked.target for each in lacking), lambda _: MISSING
    )
    assert facts()["reviews"] == "not known: copydesk doctor --ask asks"
    asked = facts("--ask")
    assert asked["owner of a token"] == "yes"
    assert asked["reviews"] == "no"
    assert asked["publishing"] == "not known: it only writes, and nothing is written here"
    assert "143 of the document: " in asked["operations"]
    assert not there.server.arrived, "nothing is written"
    there.server.plan = faulty.healthy

    # A secret in every place where one can be.
    kept = json.loads((find_paths().credentials / "work.json").read_text())["token"]
    (find_paths().credentials / "work.json").chmod(0o644)
    secrets = {kept}

    def secret(name: str) -> str:
        secrets.add(f"planted-{name}-0123456789")
        return f"planted-{name}-0123456789"

    monkeypatch.setenv("COPYDESK_TOKEN", secret("token"))
    monkeypatch.setenv(
        "HTTPS_PROXY", f"http://{secret('user')}:{secret('password')}@proxy.example:3128"
    )
    Profiles(find_paths().settings).save(
        Profile("bot", "https://docs.invalid", ("false", secret("argument")), "command")
    )
    for name, value in (("COPYDESK_BASE_URL", f"ftp://{secret('url')}"), ("COPYDESK_BASE_URL", "")):
        monkeypatch.setenv(name, value)
        for options in ((), ("--json",)):
            said = there.run("doctor", *options, status=1)
            assert [each for each in secrets if each in said] == []
            assert "chmod go= " in said
            assert "proxy.example:3128" in said
            assert "COPYDESK_BASE_URL is not a base URL" in said or not value
    settings = find_paths().settings
    settings.write_text(
        f'glyphs = "{secret("glyphs")}"\n[profiles.x]\ntoken = "{secret("settings")}"\n'
        + settings.read_text().replace('profile = "work"', "")
    )
    monkeypatch.setenv("COPYDESK_PROFILE", secret("name"))
    said = there.run("doctor", status=1)
    assert "! line 1: glyphs is '…': use auto" in said
    assert "! line 3: profile x: a token does not belong in this file" in said
    assert re.search(f"address +{there.url}", said), "what is whole is looked at"
    assert "profile bot" in said
    assert [each for each in secrets if each in said] == []


def test_doctor_tells_clocks_apart_and_hostile_names(there: There) -> None:
    evil = there.world.user(HOSTILE)
    there.world.clock.now = datetime.now(UTC) + timedelta(minutes=30)
    space = there.world.space("Guide", {"intro": "One."})
    there.world.change_request(space, {"intro": "Two."})
    there.patch.setenv("COPYDESK_TOKEN", there.world.token(evil))
    with served(there.world, ahead=timedelta(hours=1)) as late:
        said = there.run("doctor", "--base-url", late.url, status=1)
        there.patch.setenv("COPYDESK_TOKEN", there.world.token(there.world.ana))
        shown = there.run("cr", "show", "1", "--base-url", late.url)
    # Ages go by the clock of who tells the times.
    assert re.search("(29|30) min ago", shown)
    assert re.search("(3,600|3,599) s ahead of this machine's. Set this machine's clock", said)
    assert "evil end" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_doctor_tells_of_a_folder_in_the_place_of_a_file(there: There) -> None:
    store = find_paths().make().store
    store.mkdir()
    said = " ".join(there.run("doctor", "--base-url", there.url, status=1).split())
    assert f"{store}: a folder is in the place of a file" in said
    assert "Move it away and start copydesk" in said
    assert f"chmod go= {store}" not in said


@pytest.mark.parametrize(
    ("url", "exposed"),
    [
        ("https://api.example.com", False),
        ("http://localhost:1", False),
        ("http://127.0.0.1:1", False),
        ("http://[::1]:1", False),
        ("http://192.168.1.5", True),
        ("http://desk", True),
    ],
)
def test_an_unencrypted_token_is_known(url: str, exposed: bool) -> None:
    assert exposes(url) is exposed


def test_no_token_travels_unencrypted_unless_somebody_said_so(there: There) -> None:
    far = "http://docs.example"
    there.patch.setenv("COPYDESK_TOKEN", "tok-12345-secret")
    refused = there.run("cr", "list", "--base-url", far, status=2)
    assert f"would travel unencrypted to {far}" in refused
    assert "COPYDESK_ALLOW_HTTP=1" in refused
    assert "tok-12345" not in refused
    there.patch.setenv("COPYDESK_BASE_URL", far)
    assert "nothing was sent" in there.run("sites", status=2)
    with there.patch.context() as patch:
        patch.setenv("COPYDESK_ALLOW_HTTP", "1")
        assert chosen(None, None).open().base_url == far
    for name in VARIABLES:
        there.patch.delenv(name, raising=False)
    script = find_paths().make().settings.with_name("token")
    script.write_text("#!/bin/sh\ntouch $0.asked; echo tok-12345\n")
    script.chmod(0o700)
    settings = find_paths().settings
    by_hand = f'[profiles.room]\nbase_url = "{far}"\ntoken_command = ["{script}"]\n'
    settings.write_text(by_hand)
    refused = there.run("cr", "list", "--profile", "room", status=2)
    assert "allow_http = true below [profiles.room]" in refused
    assert not script.with_name("token.asked").exists()  # not even read
    assert "unencrypted" in there.run("doctor", "--profile", "room", status=1)
    settings.write_text(f"{by_hand}allow_http = true\n")
    assert chosen(None, None, "room").open().base_url == far
    settings.write_text(f"{by_hand}allow_http = 1\n")
    assert "allow_http must be true or false" in there.run("cr", "list", status=2)


def test_a_login_that_agreed_to_it_is_kept_so(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    # This machine, as if it was another one.
    monkeypatch.setattr("copydesk.client.network.is_loopback", lambda host: False)
    there.login("room", "--insecure")
    assert "allow_http = true" in find_paths().settings.read_text()
    there.run("cr", "list", "--profile", "room")
    there.login("room")  # it was agreed to for this address


def test_the_command_for_a_token_gets_none(there: There, tmp_path: Path) -> None:
    there.patch.setenv("COPYDESK_TOKEN", "tok-12345-secret")
    told = tmp_path / "told"
    script = tmp_path / "token"
    script.write_text(f"#!/bin/sh\nenv > {told}\necho tok-67890\n")
    script.chmod(0o700)
    there.run("login", "--base-url", there.url, "--token-command", str(script), status=3)
    assert "HOME=" in told.read_text()
    assert "tok-12345-secret" not in told.read_text()
