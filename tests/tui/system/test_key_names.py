"""Keys are named as the settings take them."""

from __future__ import annotations

from copydesk.domain.keymap import no_key
from copydesk.session.declarations import declared_keys
from copydesk.tui.framework.actions import declared_name, textual_name
from copydesk.tui.system.key_names import KeyNames


async def test_each_key_is_named_until_esc_twice() -> None:
    app = KeyNames()
    async with app.run_test() as pilot:
        keys = ("ctrl+q", "M", "colon", "f5", "escape", "alt+down", "exclamation_mark")
        await pilot.press(*keys, "escape", "escape")
    assert app.names == ["ctrl+q", "M", ":", "f5", "escape", "alt+down", "!", "escape"]


def test_every_declared_key_has_a_name_that_the_settings_take() -> None:
    keys = {key for given in declared_keys().values() for each in given for key in each.split(" ")}
    assert {declared_name(textual_name(key)) for key in keys} == keys
    assert not no_key(sorted(keys))
