"""How the readers of a site sign in: changed, taken back, and its key, which nothing keeps."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.publishing_auth import SitePublishingAuth
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world, typed
from tests.tui.site_world import publish
from tests.world import World


async def read(world: World, site: str) -> SitePublishingAuth:
    async with world.api() as api:
        return await api(ops.get_site_publishing_auth, world.home, site)


async def test_sign_in_is_changed_and_taken_back_and_its_key_is_shown_only_when_asked_for(
    world: World, update_golden: bool
) -> None:
    docs = publish(world)
    key = (await read(world, docs.site)).private_key or ""
    target = Target(world.home, site=docs.site)
    app = open_world(world, "spaces", Target(world.home))
    async with drive(app, size=(80, 24)) as driver:
        await app.go("site-sign-in", target)
        await driver.idle()
        assert key not in driver.screen
        driver.golden("sign-in", update=update_golden)
        await driver.press("down", "e")
        assert "X makes a new one" in driver.screen
        await driver.press("enter")
        assert driver.place.shows_secret
        assert key in driver.screen.replace("\n", "")
        await driver.press("down")
        assert key[:20] not in driver.screen
        await driver.press("up", "enter", "g o")
        await driver.press("q")
        assert key[:20] not in driver.screen
        await driver.press("y")
        assert app.clipboard == key
        await driver.press("g j")
        assert "(hidden)" in driver.screen
        assert key[:20] not in driver.screen
        await driver.press("q", "down", "enter")
        await driver.burst(*typed("acme"))
        await driver.press("ctrl+s")
        assert "Write an address such as" in driver.screen
        await driver.press("ctrl+u")
        await driver.burst(*typed("https://acme.test/in"))
        await driver.press("ctrl+s")
        assert (await read(world, docs.site)).fallback_url == "https://acme.test/in"
        assert "https://acme.test/in" in driver.line("Without sign-in")
        await driver.press("u")
        assert (await read(world, docs.site)).fallback_url is None
        assert "nowhere" in driver.line("Without sign-in")

        # No integration that signs in is installed: the service refuses it, and says why.
        await driver.press("g g", "e", "down", "enter")
        assert "then  an integration on the site" in driver.screen
        await driver.press("y")
        assert "in is installed on the site" in driver.screen
        assert (await read(world, docs.site)).backend == "custom"

        await driver.resize(140, 40)
        await driver.press("X")
        driver.golden("sign-in-key", update=update_golden)
        await driver.burst(*typed("Acme docs"))
        await driver.press("ctrl+s")
        new = (await read(world, docs.site)).private_key or ""
        assert new != key
        assert "There is a new key." in driver.screen
        assert new[:20] not in driver.screen
        kept = [str(entry) for entry in app.session.journal.entries()]
        assert not any(secret in entry for entry in kept for secret in (key, new))
        driver.golden("sign-in", update=update_golden)


async def test_who_may_not_see_the_key_is_told_so(world: World) -> None:
    docs = publish(world)
    reader = world.user("lee", "create")
    target = Target(world.home, site=docs.site)
    app = open_world(world, "site-sign-in", target, user=reader)
    async with drive(app, size=(80, 24)) as driver:
        assert "admin" in driver.screen
        await driver.press("X")
        assert "has not been read yet" in driver.screen
