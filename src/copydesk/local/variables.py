"""The variables of the environment that settings have."""

from __future__ import annotations

PREFIX = "COPYDESK_"
"""What the names of the variables of copydesk begin with."""

SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
"""How a variable says yes and no."""


def variable_of(setting: str) -> str:
    """Return the variable of a setting of one value: its name in capitals, "_" for a dot."""
    return PREFIX + setting.upper().replace(".", "_")


def switch_of(said: str | None) -> bool | None:
    """Return what a variable says; None where it says neither yes nor no."""
    return SWITCHES.get((said or "").strip().casefold())
