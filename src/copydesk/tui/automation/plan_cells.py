"""What publishing an integration will do, in sentences, before it is done.

Of secrets and scripts only names and sizes are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.tui.dialogs.body_fields import words_of

if TYPE_CHECKING:
    from copydesk.contract.models.integration import Integration
    from copydesk.tui.automation.integration_loader import Manifest

WIDE = 56
"""Cells of what is published in a field; the manifest has all of it."""

UNSHOWN = ("script", "icon", "previewImages", "secrets", "runtime", "organization")
"""Fields that no integration shows again, or not under that name."""


def plan(
    manifest: Manifest, sent: Mapping[str, Any], found: Integration | None, home: str
) -> list[str | Text]:
    """Return what a manifest will publish: what is new, what differs, what comes from files.

    ``sent`` is the JSON of the body, ``found`` what is published under that name, ``home`` the
    title of the organization that it will belong to, where that is said.
    """
    lines: list[str | Text] = []
    if found is None:
        lines.append(f"It is new, and belongs to {home}.")
    else:
        lines.append(
            f"Version {found.version} is there; this becomes version {found.version + 1}. "
            "What the manifest leaves out stays."
        )
        if home:
            lines.append(Text(f"It will belong to {home}.", style="warn"))
    before: Mapping[str, Any] = {} if found is None else found.to_dict()
    same = 0
    for name, value in sent.items():
        if name in UNSHOWN:
            continue
        if found is not None and (before.get(name) or None) == (value or None):
            same += 1
            continue
        lines.append(_line(words_of(name), _changed(before.get(name), value, found is None)))
    lines += [_line(name, said) for name, said in _unshown(manifest, sent)]
    if same:
        lines.append(f"{plural(same, 'field')} as before.")
    more = _more_scopes(before.get("scopes") or (), sent.get("scopes") or ())
    if more and found is not None:
        lines.append(Text(f"It asks to do more: {more}.", style="warn"))
    if sent.get("visibility") == "public" and before.get("visibility") != "public":
        lines.append(Text("Everybody will find it and can install it.", style="warn"))
    return lines


def _line(label: str, said: str) -> Text:
    return Text.assemble((f"{label}: ", "muted"), said)


def _changed(before: Any, value: Any, new: bool) -> str:
    said = in_a_line(value)
    if new or before in (None, "", [], {}):
        return said
    was = in_a_line(before)
    return f"{said}, changed" if was == said else f"{said} (was {was})"


def _unshown(manifest: Manifest, sent: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is told by its size or its name only."""
    if "runtime" in sent:
        yield "Runtime", clean(sent["runtime"])
    for name in ("script", "icon"):
        if name in sent:
            yield words_of(name), _source(manifest, name, sent[name])
    for at, image in enumerate(sent.get("previewImages", ())):
        yield f"Preview image {at + 1}", _source(manifest, f"previewImages[{at}]", image)
    if names := sent.get("secrets"):
        said = shorten(clean(listed(sorted(names))), WIDE)
        yield "Secrets", f"{said}; what they are is sent and not shown"


def _source(manifest: Manifest, place: str, text: str) -> str:
    if place in manifest.files:
        name, count = manifest.files[place]
        return f"{size(count)} of {shorten(clean(name), WIDE)}"
    return f"{plural(len(text), 'character')} in the manifest"


def _more_scopes(before: Sequence[str], after: Sequence[str]) -> str:
    return clean(listed([each for each in after if each not in before]))


def size(count: int) -> str:
    """Return a number of bytes as people read it."""
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"


def in_a_line(value: Any) -> str:
    """Return what is in a field in a line: a list by the names of what is in it."""
    if isinstance(value, str):
        return shorten(clean(value), WIDE) or "empty"
    if isinstance(value, Mapping):
        return shorten(clean(", ".join(map(str, value))), WIDE) or "nothing"
    if isinstance(value, Sequence):
        named = [
            each
            if isinstance(each, str)
            else each.get("id") or each.get("label") or each.get("url")
            for each in value
        ]
        said = ", ".join(str(each) for each in named if each)
        return shorten(clean(said), WIDE) or ("none" if not value else plural(len(value), "item"))
    return clean(str(value))
