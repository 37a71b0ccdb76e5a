"""Places that are tabs of one another: the ids of their views are the names of places.

Going to a tab puts its place where the one in front stood, so that Esc leaves all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable

from copydesk.tui.framework import navigation
from copydesk.tui.framework.inside_textual import give_way
from copydesk.tui.framework.place import Place


def turn(place: Place, hand_on: Callable[[Place], None] = lambda other: None) -> None:
    """Go to the place of the view that was chosen; ``hand_on`` prepares one that is made."""
    name, place.view = place.view, place.PLACE
    place.refresh_frame()
    if name != place.PLACE:
        place.desk.call_later(_turn_to, place, name, hand_on)


async def _turn_to(place: Place, name: str, hand_on: Callable[[Place], None]) -> None:
    """Put the place of another tab where this one stands, or go back to it if it is open."""
    desk = place.desk
    entry, target = navigation.find(name), place.target.but(view=None)
    if entry is None:
        place.say(f"There is no screen called {name!r}.", "warn")
        return
    for screen in desk.screen_stack:
        if type(screen) is entry.place and screen.target.but(view=None) == target:
            await desk.go(name, target)
            return
    if desk.screen is not place:
        return
    other = entry.place(target)
    hand_on(other)
    if (visit := place.visit()) is not None:
        desk.visits.leave(visit)
    await give_way(place, other)
