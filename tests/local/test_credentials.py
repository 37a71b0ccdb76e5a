"""Tokens on this machine: in the keyring, in a file, from a command; never for another address."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from copydesk.domain.profile import Profile
from copydesk.local import credentials
from copydesk.local.credentials import CredentialError, Credentials, run_command
from tests.rings import Ring, Stuck, Telltale, using

TOKEN = "cd_token_0123456789"
WORK = Profile("work", "https://docs.example", storage="keyring")
ELSEWHERE = replace(WORK, base_url="https://evil.example")


def test_a_keyring_keeps_a_token_for_its_address_alone(tmp_path: Path) -> None:
    ring = Ring()
    with using(ring):
        kept = Credentials(tmp_path / "credentials")
        assert kept.token(WORK) is None
        assert kept.keep(WORK, TOKEN) == "keyring"
        assert (kept.token(WORK), kept.token(ELSEWHERE)) == (TOKEN, None)
        assert not (tmp_path / "credentials").exists()
        assert kept.backend()
        kept.forget(ELSEWHERE)
        assert kept.token(WORK) == TOKEN
        kept.forget(WORK)
        kept.forget(WORK)
        assert not ring.kept


@pytest.mark.parametrize(
    ("ring", "why"),
    [
        (None, "no keyring that copydesk can use"),
        (Stuck(), "did not answer within 0.02 s"),
        (Telltale(), "the keyring failed (RuntimeError)"),
    ],
)
def test_what_no_keyring_takes_is_in_a_file_for_the_person(
    tmp_path: Path, ring: Ring | None, why: str
) -> None:
    folder = tmp_path / "credentials"
    before = set(threading.enumerate())  # one may wait there for good, in another test
    with using(ring):
        kept = Credentials(folder, seconds=0.02)
        assert kept.keep(WORK, TOKEN) == "file"
        assert why in kept.unusable
        assert TOKEN not in kept.unusable
        if not isinstance(ring, Telltale):
            with pytest.raises(CredentialError, match="profile work is in the keyring, and"):
                kept.token(WORK)
        if isinstance(ring, Stuck):
            with pytest.raises(CredentialError, match="may be still in the keyring"):
                kept.forget(replace(WORK, storage="file"))
            assert kept.keep(WORK, TOKEN) == "file"
    now = replace(WORK, storage="file")
    path = kept.path(now)
    assert (path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert kept.token(now) == TOKEN
    assert kept.token(replace(now, base_url=ELSEWHERE.base_url)) is None
    path.write_bytes(b"\xff{")
    with pytest.raises(CredentialError, match="run copydesk login work"):
        kept.token(now)
    if isinstance(ring, Stuck):
        with using(None):
            kept.forget(now)
        # It is unlocked when nobody waits any more: what it was given is taken back.
        assert ring.stored.wait(10)
        for thread in set(threading.enumerate()) - before:
            if thread.name == "keyring":
                thread.join(10)
        assert not ring.kept
    else:
        if ring is not None:
            ring.kept["copydesk", f"work {WORK.base_url}"] = "from before"
        with using(ring):
            assert kept.forget(now)
        assert ring is None or not ring.kept
    assert not path.exists()
    assert kept.token(now) is None


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("printf '\\n  tok-1\\nuser: me\\n'", "tok-1"),
        ("test -t 0 || cat; printf tok-2", "tok-2"),
        (f"echo {TOKEN} >&2; echo {TOKEN}; exit 3", "failed (exit status 3)"),
        ("true", "printed nothing"),
        ("while :; do printf 0123456789; done", "more than a token"),
        ("sleep 60 & sleep 60; echo tok-3", "was stopped after 0.3 s"),
        ("setsid sleep 2 & sleep 60", "was stopped after 0.3 s"),
        ("setsid sleep 2 & echo tok-4", "tok-4"),
    ],
)
def test_a_token_command_gives_its_first_line_or_a_sentence(
    monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    monkeypatch.setattr(credentials, "COMMAND_SECONDS", 0.3)
    monkeypatch.setattr(credentials, "LEFT_SECONDS", 0.1)
    profile = replace(WORK, storage="command", token_command=("sh", "-c", script))
    try:
        found = run_command(profile)
    except CredentialError as error:
        found = str(error)
        assert found.startswith("the token command of profile work (sh) ")
        assert TOKEN not in found
    assert said in found
    with pytest.raises(CredentialError, match="cannot be run: No such file"):
        run_command(replace(profile, token_command=("/no/such/program",)))
