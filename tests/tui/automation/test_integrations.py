"""Integrations: published, changed, installed, developed and deleted on a real desk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Unreachable
from copydesk.contract.models.integration import IntegrationPublish
from copydesk.domain.yaml_lines import FileError
from copydesk.server import site_writes
from copydesk.server.installations import install, integration_row, publish
from copydesk.session.errors import NotDoneError
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.automation.integration_manifest import load_manifest
from copydesk.tui.automation.integration_resources import configured
from copydesk.tui.automation.integrations import IntegrationsPlace
from copydesk.tui.automation.publication import IntegrationPublication
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.tui.steps import fill
from tests.world import BASE_URL, World

HOSTILE = "Bank\x1b[2J\u202e [bold]film\n🦊"

SECRET = "s3cr3t-of-the-status-page"

MANIFEST = f"""\
name: acme-status
title: Acme status
description: Says which parts work.
script: src/index.js
icon: ./icon.png
previewImages:
  - icon.png
target: space
visibility: public
scopes: [space:content:read]
categories: [content]
secrets:
  STATUS_TOKEN: {SECRET}
configurations:
  account:
    properties:
      region: {{type: string, title: Region, default: eu, enum: [eu, us]}}
      api_key: {{type: string, title: Key}}
    required: [region]
"""

BAD = f"""\
name: acme status
title: 2026
titel: Acme
icon: ../icon.png
script: src/none.js
visibility: secret
previewImages: [no]
scopes: space:content:read
secrets: {{STATUS_TOKEN: [{SECRET}]}}
blocks:
  - title: Badge
summary:
"""


def seed(
    world: World,
    name: str,
    *,
    owner: str | None = None,
    into: str | None = None,
    configuration: dict[str, Any] | None = None,
    **fields: Any,
) -> None:
    """Publish an integration, and install it in an organization."""
    fields = {"owner": owner or world.home, "title": name.title(), **fields}

    def write(tx: Any) -> None:
        publish(tx, name, fields)
        if into is not None:
            install(tx, integration_row(tx, name), into, configuration or {}, external_ids=["T-1"])

    world.write(write)


def at(world: World, name: str = "", view: str | None = None) -> Target:
    return Target(organization=world.home, item=name or None, view=view)


def told(driver: Driver) -> str:
    """Return all that the run keeps of what it wrote and said, and what is on screen."""
    session = driver.app.session
    lines = [(n.what, n.target, n.message, n.entry) for n in (*session.log, *session.messages)]
    kept = [past.entry for past in session.history.known.values()]
    return repr((lines, kept, dict(session.drafts.texts()))) + driver.screen


async def send(driver: Driver, line: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(line))
    await driver.press("enter")


def test_what_looks_like_a_secret_is_told_nowhere_in_a_configuration() -> None:
    held: dict[str, Any] = {
        "region": "eu",
        "authors": ["ana"],
        "authenticated": True,
        "settings": {"apiToken": SECRET, "pwd": {"old": [SECRET]}, "mode": "fast"},
        "list": [{"webhook": f"https://x.test/{SECRET}"}, {"id": 7}],
        "headers": [f"Authorization: Bearer {SECRET}", "Accept: text/html"],
        "pairs": [{"name": "X-Session", "value": SECRET}],
        "said": f'{{"password": "{SECRET}"}}',
        "at": f"https://me:{SECRET}@x.test",
        "GITHUB_PAT": SECRET,
        "\x1b[2Jkeys": [1234],
    }
    nested: dict[str, Any] = {"note": SECRET}
    for _ in range(900):
        nested = {"in": nested}
    told = {name: str(said) for name, said in configured({**held, "deep": nested})}
    assert SECRET not in repr(told)
    assert "1234" not in repr(told)
    assert told["region"] == "eu"
    assert told["settings.mode"] == "fast"
    assert told["list[1].id"] == "7"
    assert told["headers[1]"] == "Accept: text/html"
    assert told["authors"] == '["ana"]'
    assert told["authenticated"] == "true"
    assert told["settings.apiToken"] == "hidden (g j has it)"
    assert "\x1b" not in "".join(told)
    many = list(configured({"rows": [{"n": at} for at in range(5_000)]}))
    assert len(many) < 300
    assert str(many[-1][1]) == "There is more: g j has it."


async def test_the_catalogue_is_limited_by_the_service_and_filtered_here(
    world: World, update_golden: bool
) -> None:
    other = world.organization("Lantern", hostname="lantern")
    seed(world, "acme-status", into=world.home, visibility="private", scopes=["space:content:read"],
         blocks=[{"id": "badge", "title": "Badge", "urlUnfurl": ["https://status.acme.test/*"]}],
         description="Says which parts work.", categories=["content"],
         configurations={"account": {"properties": {"region": {
             "type": "string", "title": "Region", "default": "eu", "enum": ["eu", "us"]}},
             "required": ["region"]}})  # fmt: skip
    seed(world, "lantern-chat", owner=other, visibility="public", target="organization",
         categories=["collaboration"], verified=True)  # fmt: skip
    seed(world, "odd", owner=other, visibility="public", title=HOSTILE, summary=HOSTILE,
         content_sources=[{"id": HOSTILE}], external_links=[{"url": "javascript:x"}])  # fmt: skip
    async with drive(open_world(world), "g I", size=(140, 40)) as driver:
        driver.golden("integrations", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("integrations", update=update_golden)
        for line, found in (
            ("category=collaboration", "Lantern-Chat"),
            ("search=status target=all", "Acme-Status"),
            ("blocks=true block_domain=acme.test", "Acme-Status"),
            ("content_sources=true", "Bank"),
            ("owner=lantern scope=none", ""),
        ):
            assert isinstance(driver.place, IntegrationsPlace)
            driver.place.limits.limit({})
            await driver.place.limits.where(line)
            await driver.idle()
            item = driver.place.item
            assert (item.title if item else "").startswith(found)
        assert "None with owner=lantern scope=none" in driver.screen
        await send(driver, "where blocks=maybe")
        assert "blocks is one of: true, false." in driver.screen
        await send(driver, "where")
        await driver.press("/")
        await driver.burst(*typed("verified:yes"))
        await driver.press("enter")
        assert driver.selected == "lantern-chat"
        await driver.press("e")
        assert (
            "The integration belongs to Lantern: that takes the permission admin there."
            in driver.screen
        )
        await driver.press("D")
        assert "Delete" not in driver.screen.partition("The integration belongs")[0]
        await driver.press("escape", "g g", "g j")
        assert '"name": "acme-status"' in driver.screen
        await driver.press("escape")
        await send(driver, "json")
        assert '"version": 1' in driver.screen


async def test_a_manifest_is_checked_shown_and_published(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    seed(world, "quiet")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/index.js").write_text("export default 1;\n")
    (tmp_path / "icon.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "good.yaml").write_text(MANIFEST)
    (tmp_path / "bad.yaml").write_text(BAD)
    (tmp_path / "twice.json").write_text('{"name": "x",\n "title": "a", "title": "b"}')
    monkeypatch.chdir(tmp_path)
    async with drive(open_world(world, "integrations", at(world)), size=(80, 24)) as driver:
        await driver.press("W")
        await driver.burst(*"bad")
        assert "there is no such file" in driver.screen
        await driver.burst(*".yaml")
        await driver.press("enter")
        driver.golden("integration-bad-manifest", update=update_golden)
        await driver.press("escape")
        await send(driver, "publish twice.json")
        assert "line 2: title: written twice: keep one" in driver.screen
        await driver.press("escape", "g d", "enter")
        assert driver.place.PLACE == "integrations"
        assert "what you typed before is back" in driver.screen
        await driver.burst(*["backspace"] * 8)
        await driver.burst(*"good.yaml")
        await driver.press("enter")
        driver.golden("integration-publish", update=update_golden)
        assert "18 bytes of src/index.js" in driver.screen
        await driver.press("y")
        assert driver.selected == "acme-status"
        row = world.row("integration", "acme-status")
        assert (row["version"], row["owner"], row["secrets"]) == (1, world.home, '["STATUS_TOKEN"]')
        assert row["script"] == "export default 1;\n"
        await send(driver, "publish good.yaml")
        assert "Version 1 is there; this becomes version 2." in driver.screen
        assert "This cannot be undone" in driver.screen
        await driver.press("escape", "u")
        assert "This deletes it, also where it was installed since." in driver.screen
        await driver.press("y")
        assert driver.selected == "quiet"
        (tmp_path / "lost.yaml").write_text("name: lost\ntitle: Lost\norganization: nobody\n")
        await send(driver, "publish lost.yaml")
        assert "belongs to “nobody”, not an organization" in driver.screen
        await driver.press("y")
        assert "There is no organization 'nobody' to own" in driver.screen
        assert "Not found" not in driver.screen
        for version in (1, 2):
            await send(driver, "publish good.yaml")
            await driver.press("y")
            assert f"Published “acme-status”, version {version}." in driver.screen
        await driver.press("u")
        assert "cannot be undone" in driver.screen
        assert SECRET not in told(driver)
        assert driver.app.session.drafts.texts() == {}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.yaml", b"name: [x", "line 2: this is not YAML"),
        ("m.yaml", b"- x", "a manifest begins with names"),
        ("m.yaml", b"name: x\nname: y", "line 2: name: written twice: keep one"),
        ("m.yaml", b"title: x", "name is missing"),
        ("m.yaml", b"name: x\ntitle: \xff", "line 2: this is not UTF-8 text"),
        ("m.yaml", b"name: ..", "line 1: name: it takes letters"),
        ("m.yaml", b"name: x\nicon: away/icon.png", "line 2: icon: the file has to be beside"),
        ("m.yaml", b"name: x\nscript: .", "line 2: script: this is a folder"),
        ("m.yaml", b'name: x\nscript: "a\\0b"', "line 2: script: no file can be called"),
        ("m.yaml", b"name: x\n\x1b[2J: 1", "this is not YAML"),
        (
            "m.json",
            b'{"name": "x", "configurations": {"account": 1}}',
            "configurations.account: it",
        ),
        ("m.json", b'{"name": "x" "title": 1}', "line 1: column 14: not JSON"),
        ("m.json", b"[" * 9000, "line 1"),
        ("m.json", b'["name"]', "a manifest is an object"),
    ],
)
def test_a_manifest_that_cannot_be_published_says_why(
    tmp_path: Path, name: str, text: bytes, said: str
) -> None:
    (tmp_path / "away").symlink_to(Path(__file__).parent)
    (tmp_path / name).write_bytes(text)
    with pytest.raises(FileError) as wrong:
        load_manifest(str(tmp_path / name))
    assert said in str(wrong.value)


def test_the_example_of_the_manual_is_read(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "integration-manifest.md"
    example = page.read_text().partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "dist").mkdir()
    for name, held in (("m.yaml", example), ("dist/index.js", "go()"), ("icon.png", "picture")):
        (tmp_path / name).write_text(held)
    read = load_manifest(str(tmp_path / "m.yaml"))
    assert read.name == "acme-status"
    assert read.body.script == "go()"
    assert read.body.scopes == ["space:content:read"]


def status_page(world: World, way: Lossy | None = None) -> CopydeskApp:
    """Return the program, opened on an integration that needs to be configured."""
    seed(world, "acme-status", visibility="private", description="Says which parts work.",
         blocks=[{"id": "badge"}], scopes=["space:content:read"],
         configurations={"account": {"properties": {"key": {}}, "required": ["key"]}})  # fmt: skip
    api = Api(BASE_URL, world.token(world.ana), transport=way or Lossy(world))
    return open_world(world, "integrations", at(world), api=api)


async def test_one_is_edited_and_taken_back(world: World, update_golden: bool) -> None:
    async with drive(status_page(world), size=(140, 40)) as driver:
        await driver.press("e")
        driver.golden("integration-edit", update=update_golden)
        await driver.press("escape")
        await driver.resize(80, 24)
        await driver.press("e")
        driver.golden("integration-edit", update=update_golden)
        await driver.press("tab")
        await fill(driver, "")
        await driver.press("ctrl+s")
        assert "That" not in driver.line("Done: edit integration")
        row = world.row("integration", "acme-status")
        assert (row["version"], row["description"]) == (2, "")
        await driver.press("u")
        row = world.row("integration", "acme-status")
        assert (row["version"], row["description"]) == (3, "Says which parts work.")
        await driver.press("ctrl+r")
        assert not world.row("integration", "acme-status")["description"]
        await driver.press("e", "shift+tab")
        field: Any = driver.app.screen.focused
        before = field.said
        await fill(driver, "{x")
        assert "this is not JSON" in driver.line("Configurations")
        await fill(driver, before)
        await driver.press("tab")


async def test_a_version_of_somebody_else_is_not_taken_for_one_whose_answer_is_lost(
    world: World,
) -> None:
    way = Lossy(world)
    app = status_page(world, way)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(app, "e", size=(80, 24)) as driver:
        await fill(driver, "Mine")
        seed(world, "acme-status", title="Theirs")
        way.swallowing = True
        await driver.press("ctrl+s")
        assert driver.app.session.log[-1].state == "failed"
        assert "Mine" in repr(driver.app.session.drafts.texts())
        await driver.press("escape")
        mine = IntegrationPublication("acme-status", IntegrationPublish(title="Acme-Status"))
        with pytest.raises(Unreachable):
            await mine.send(api)
        way.swallowing = False
        assert await mine.look(api) is None
        seed(world, "acme-status", title="Hers")
        with pytest.raises(NotDoneError):
            await mine.look(api)
        seed(world, "acme-status")
        with pytest.raises(NotDoneError):
            await mine.look(api)
        await mine.send(api)
        assert await mine.look(api) is not None


async def test_one_is_installed_once_though_the_answer_is_lost(world: World) -> None:
    way = Lossy(world)
    async with drive(status_page(world, way), size=(80, 24)) as driver:
        await driver.press("ctrl+n")
        assert "To be configured in the app: key." in driver.screen
        assert "There it may: space:content:read." in driver.screen
        way.losing = True
        await driver.press("y")
        way.losing = False
        assert "Installed in “Acme”." in driver.screen
        assert "in Acme" in driver.line("installed")
        await driver.press("ctrl+n")
        assert "Installed in Acme already" in driver.screen


async def test_one_is_developed_and_deleted(world: World, update_golden: bool) -> None:
    async with drive(status_page(world), "T", size=(140, 40)) as driver:
        driver.golden("integration-dev", update=update_golden)
        await driver.press("escape")
        await driver.resize(80, 24)
        await driver.press("T")
        await fill(driver, "mailto:docs@acme.test")
        assert "it has to look like" in driver.line("Address")
        await fill(driver, "https://dev.acme.test/t")
        driver.golden("integration-dev", update=update_golden)
        await driver.press("tab", "y", "ctrl+s")
        row = world.row("integration", "acme-status")
        assert (row["tunnel_url"], row["tunnel_all"]) == ("https://dev.acme.test/t", 1)
        await send(driver, "dev here")
        assert "An address is asked for" in driver.screen
        await send(driver, "dev https://dev.acme.test/u some")
        assert "Say :dev URL, or :dev URL all" in driver.screen
        await send(driver, "dev https://dev.acme.test/u")
        assert "gets its owner's events only" in driver.screen
        await driver.press("y")
        row = world.row("integration", "acme-status")
        assert (row["tunnel_url"], row["tunnel_all"]) == ("https://dev.acme.test/u", 0)

        await driver.press("D")
        await driver.burst(*"acme-status")
        await driver.press("ctrl+s")
        assert "There are no integrations. W publishes one." in driver.screen


async def test_what_refers_to_one_is_listed_with_the_trace_of_its_events(
    world: World, tmp_path: Path, update_golden: bool
) -> None:
    space = world.space("Fees", {"index": "Fees."})
    world.write(lambda tx: site_writes.add_site(tx, world.home, "Portal"))
    seed(world, "acme-status", into=world.home,
         configuration={"signing_key": SECRET, "note": HOSTILE},
         configurations={"account": {"properties": {}, "required": ["region"]}})  # fmt: skip
    slow = {
        "level": "warn",
        "message": "Slow\x1b[2J \u202eanswer",
        "timestamp": "2026-03-02T09:00:01Z",
    }
    world.write(
        lambda tx: tx.run(
            "UPDATE integration_event SET logs = json_insert(logs, '$[#]', json(?))",
            json.dumps(slow),
        )
    )
    async with drive(
        open_world(world, "integrations", at(world)), "enter", size=(140, 40)
    ) as driver:
        driver.golden("integration", update=update_golden)
        assert SECRET not in driver.screen
        await send(driver, "where external_id=T-1")
        assert "T-1" in driver.line("active")
        await driver.press("]")
        assert driver.selected == space
        await driver.press("Y")
        assert "installation" in driver.screen
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "pages"
        await driver.press("escape", "]")
        assert "Portal" in driver.screen
        await driver.press("]")
        driver.golden("integration-events", update=update_golden)
        assert "1 error, 1 warn" in driver.screen
        assert "Slow answer" in driver.screen
        assert "uninstall" not in driver.screen.splitlines()[-1]
        await driver.press("g j")
        assert '"trace"' in driver.screen
        await driver.press("escape")
        await send(driver, "json")
        assert '"level": "error"' in driver.screen
        await driver.press("escape")
        await driver.resize(80, 24)
        driver.golden("integration-events", update=update_golden)
    reader = world.user("rui", "read")
    seed(world, "zeta", visibility="public")
    app = open_world(world, "integration", at(world, "acme-status", "events"), user=reader)
    async with drive(app) as driver:
        assert "Not allowed" in driver.screen
        await driver.press("g I", "e")
        assert (
            "The integration belongs to Acme: that takes the permission admin there."
            in driver.screen
        )
        (tmp_path / "mine.yaml").write_text("name: acme-status\ntitle: Mine\n")
        await send(driver, f"publish {tmp_path}/mine.yaml")
        assert "“acme-status” belongs to Acme: publishing it takes admin there." in driver.screen
        await driver.press("j", "ctrl+n")
        assert "That takes the permission installIntegration in “Acme”." in driver.screen
        await driver.app.go("integration", at(world, "nobody"))
        await driver.idle()
        assert "Not found" in driver.screen
