"""Items of a service that could not be read are left out, and that is said."""

from __future__ import annotations

import json

import pytest

from copydesk.cli import main
from tests.cli.script_desk import ScriptDesk
from tests.server.web import Answer, serving

CREATED = "2026-03-01T08:30:00Z"


def test_a_list_is_printed_without_what_could_not_be_read(
    scripts: ScriptDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization = {"object": "organization", "id": "o", "title": "Acme", "createdAt": CREATED}
    sites = [
        {"object": "site", "id": "s", "title": "Manual", "icon": {"emoji": "1f600"}},
        {"object": "site", "title": "Nobody's"},
    ]
    answers = {
        "/v1/orgs?limit=250": [organization],
        "/v1/orgs/o/sites?limit=250": sites,
    }
    pages = {path: json.dumps({"items": items}).encode() for path, items in answers.items()}
    with serving({path: Answer(body) for path, body in pages.items()}) as web:
        monkeypatch.setenv("COPYDESK_TOKEN", "a-token-of-nobody")
        assert main(["sites", "--base-url", web.url()[:-1], "--json"]) == 0
        out, err = scripts.said()
    assert [site["id"] for site in json.loads(out)] == ["s"]
    assert "copydesk: 1 item could not be read. It was left out." in err
    assert "Nobody's" not in err
