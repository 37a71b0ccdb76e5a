"""Make the pictures of the README and the manual: the real program, keys pressed, screens saved.

    make pictures
    make looks              # every theme, in dist/looks: to look at, and not for the repository

Time stands still and chance repeats itself, so the same program makes the same pictures.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from string import ascii_letters, digits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.drive import Driver, drive, eventually

from copydesk.cli.embedded import connect_in_process
from copydesk.client.api import Api
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.theme import DARK, all_themes

FOLDER = Path(__file__).resolve().parent / "pictures"
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
WIDE, SMALL = (140, 34), (80, 24)


@dataclass(frozen=True)
class Picture:
    """A screen to save: the keys that lead there, one press each, and the size of the terminal."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = WIDE


WEBHOOKS = ("3", "j", "j", "j", "j", "j", "enter", "2", "}")
"""The way to an open thread of a change request that adds, edits and links pages."""

STAGED = ("g t", "j", "enter", "G", "K", "k", "k", "k", "x")
"""The way to a site with staged changes of its structure."""

PICTURES = (
    Picture("spaces", ("j", "j")),
    Picture("pages", ("j", "g p", "j")),
    Picture("change-requests", ("g n", "j", "space", "space", "j")),
    Picture("review", WEBHOOKS),
    Picture("review-80x24", WEBHOOKS, SMALL),
    Picture("review-sides", (*WEBHOOKS, "|")),
    Picture("structure", STAGED),
    Picture("structure-plan", (*STAGED, "ctrl+s")),
    Picture("collections", ("g a", "j", "j", "J", "j", "j", "x")),
    Picture("clusters", ("g k", "j", "j")),
    Picture("conversation-80x24", ("g k", "j", "j", "enter", "enter", "J"), SMALL),
    Picture("conversations", ("g v", "j", "j")),
    Picture("members", ("g w", "j", "j", "j")),
    Picture("form", ("g S", "ctrl+n", *"acme", "tab", "tab", *"ftp:")),
)


LOOKS = (
    *(each for each in PICTURES if each.size == WIDE and each.name not in ("pages", "members")),
    Picture("merge", ("3", "2", "j", "m")),
    Picture("help", ("3", "?")),
)
"""The screens that are looked at in each theme and size."""

SIZES = (SMALL, (140, 40), (200, 60))


@dataclass(frozen=True)
class Step:
    """A frame of the tour: the keys that lead to it, what they do, what the screen then shows."""

    keys: tuple[str, ...]
    says: str
    shows: str
    seconds: float = 2.5
    typed: str = ""


TOUR_TITLE = "Read, comment and merge a change request"

TOUR_SIZE = (100, 28)

TOUR = (
    Step((), "copydesk opens on the spaces", "Spaces"),
    Step(("g n",), "the change requests that need you", "[Needs me"),
    Step(("2",), "those that are ready to merge", "[Ready"),
    Step(("j",) * 5, "the one to read", "#9 A page"),
    Step(("enter",), "its overview: rules, reviews, description", "[Overview]"),
    Step(("2",), "what changed, word by word", "[Changes"),
    Step(("}",), "the next open thread", "Threads"),
    Step(("r",), "reply to it", "Reply", typed="Agreed: the example is clearer this way."),
    Step(("ctrl+s",), "sent", "Agreed"),
    Step(("x",), "the thread is resolved", "Threads"),
    Step(("a",), "approve it", "Approve"),
    Step(("ctrl+s",), "approved", "Approved"),
    Step(("m",), "what a merge would do, rule by rule", "Merge", seconds=4),
    Step(("y",), "merged, and live", "Merged. It is live now.", seconds=4),
)


async def main() -> None:
    """Save every picture."""
    FOLDER.mkdir(exist_ok=True)
    wanted = sys.argv[1:]
    if wanted[:1] == ["looks"]:
        await save_looks(wanted[1:] or [theme.name for theme in all_themes()])
        return
    for picture in PICTURES:
        if not wanted or picture.name in wanted:
            async with opened(picture.keys, picture.size) as driver:
                write(f"{picture.name}.svg", driver.app.export_screenshot(title="copydesk"))
    if not wanted or "tour" in wanted:
        await save_tour()


def write(name: str, text: str) -> None:
    """Write a file beside the pictures, and say so."""
    (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"docs/pictures/{name}")


async def save_looks(themes: list[str]) -> None:
    """Save all `LOOKS` in some themes, and a page for each theme that shows them."""
    for theme in themes:
        folder = FOLDER.parent.parent / "dist" / "looks" / theme
        folder.mkdir(parents=True, exist_ok=True)
        shown = []
        for picture in LOOKS:
            for width, height in SIZES:
                name = f"{picture.name}-{width}x{height}.svg"
                async with opened(picture.keys, (width, height), theme) as driver:
                    (folder / name).write_text(driver.app.export_screenshot(), encoding="utf-8")
                shown.append(f'<p>{name}<br><img src="{name}" alt="{name}"></p>')
        (folder / "index.html").write_text("\n".join(shown), encoding="utf-8")
        print(f"dist/looks/{theme}/index.html")


@asynccontextmanager
async def opened(
    keys: tuple[str, ...], size: tuple[int, int], theme: str = DARK.name
) -> AsyncIterator[Driver]:
    """Press keys on a fresh sample desk, and hand over what drives the program."""
    chance = Random(1)
    store = Store(
        clock=lambda: NOON, new_id=lambda: "".join(chance.choices(ascii_letters + digits, k=20))
    )
    build_sample(store)

    async def connect() -> Api:
        return connect_in_process(store)

    app = CopydeskApp(Session(connect, clock=lambda: NOON, host="own desk"), "spaces", theme=theme)
    async with drive(app, *keys, size=size) as driver:
        yield driver
    store.close()


async def save_tour() -> None:
    """Save the moving picture, and the same as text for those who do not see it."""
    frames: list[str] = []
    pages = [
        f"# {TOUR_TITLE}",
        "The moving picture [tour.svg](tour.svg) as text, screen by screen.",
    ]
    async with opened((), TOUR_SIZE) as driver:
        for step in TOUR:
            await driver.press(*step.keys)
            if step.typed:
                await driver.type(step.typed)
                await eventually(lambda: "saved" in driver.screen, driver.turn)
            if step.shows not in driver.screen:
                raise SystemExit(f"{step.says}: {step.shows!r} is not shown\n{driver.screen}")
            keys = " ".join(step.keys)
            frames.append(driver.app.export_screenshot(title=f"{keys}   {step.says}".strip()))
            said = f"`{keys}`: {step.says}" if keys else step.says[:1].upper() + step.says[1:]
            pages.append(f"{said}.\n\n```text\n{driver.screen.rstrip()}\n```")
    write("tour.svg", moving(frames, [step.seconds for step in TOUR]))
    write("tour.md", "\n\n".join(pages) + "\n")


def moving(frames: list[str], seconds: list[float]) -> str:
    """Return pictures of one size as one that shows them in turn, each for its seconds.

    Where nothing moves, or is not to, the first frame stays.
    """
    whole, begins = sum(seconds), 0.0
    rules, groups = [], []
    for number, (frame, shown) in enumerate(zip(frames, seconds, strict=True)):
        name, hidden = f"frame-{number}", "" if number == 0 else "visibility: hidden; "
        begin, end = (f"{at / whole:.3%} {{ visibility: " for at in (begins, begins + shown))
        rules.append(f".{name} {{ {hidden}animation: {name} {whole}s step-end infinite }}")
        times = f"0% {{ visibility: hidden }} {begin}visible }} {end}hidden }}"
        rules.append(f"@keyframes {name} {{ {times} }}")
        groups.append(f'<g class="{name}">{_FONTS.sub("", frame)}</g>')
        begins += shown
    rules.append("@media (prefers-reduced-motion: reduce) { g { animation: none !important } }")
    size = re.search(r'viewBox="[^"]+"', frames[0])
    assert size is not None
    return "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size[0]}>', f"<title>{TOUR_TITLE}</title>",
         "<style>", *rules, "</style>", *groups, "</svg>", ""]
    )  # fmt: skip


_FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""The fonts of a picture, which are elsewhere: a page shows no picture that reads from there."""


if __name__ == "__main__":
    asyncio.run(main())
