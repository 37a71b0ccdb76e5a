"""Publishing an integration from a manifest file: read, checked, shown, asked, sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.client.errors import NotFound
from copydesk.domain.automation_inverses import integration_made
from copydesk.domain.integration_manifest import MANIFESTS
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.domain.yaml_lines import FileError
from copydesk.local.paths import expanded
from copydesk.present.facts import hint
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_organizations
from copydesk.session.writes.log import WriteError
from copydesk.tui.automation.integration_manifest import load_manifest
from copydesk.tui.automation.integration_resources import owner_title
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.body_fields import words_of
from copydesk.tui.dialogs.dialog import Confirm, Fact, Notice, offer_checkout
from copydesk.tui.framework.actions import Commands, action, command

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.integration import (
        Integration,
        IntegrationPublish,
    )
    from copydesk.tui.automation.integration_manifest import Manifest
    from copydesk.tui.automation.integrations import IntegrationsPlace


WIDE = 56
"""Cells of the value of a field; the manifest has all of it."""

UNSHOWN = ("script", "icon", "previewImages", "secrets", "runtime", "organization")
"""Fields that the service does not return, or not under that name."""


def plan(
    manifest: Manifest, sent: Mapping[str, Any], found: Integration | None, home: str
) -> list[str | Text]:
    """Return the changes that a manifest publishes: new fields, other values, files.

    ``sent`` is the JSON of the body, ``found`` what is published under that name, ``home`` the
    title of the organization that it will belong to, where that is said.
    """
    lines: list[str | Text] = []
    if found is None:
        lines.append(f"New, and belongs to {home}.")
    else:
        lines.append(
            f"Version {found.version} is there; this becomes version {found.version + 1}. "
            "What the manifest leaves out stays."
        )
        if home:
            lines.append(Text(f"The integration will belong to {home}.", style="warn"))
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
        lines.append(Text(f"The integration asks to do more: {more}.", style="warn"))
    if sent.get("visibility") == "public" and before.get("visibility") != "public":
        lines.append(Text("Everyone will find it and can install it.", style="warn"))
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
    """Yield the fields that are shown by size or name only."""
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
    """Return the value of a field in a line: a list by the names of its items."""
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


async def publish(api: Api, name: str, body: IntegrationPublish) -> Integration:
    """Publish an integration, or a further version of it.

    Raises `NotDoneError` when there is no organization as the one that shall own it.
    """
    try:
        return await api(ops.publish_integration, name, body)
    except NotFound as error:  # of the organization: an integration is made where there is none
        raise NotDoneError(error.message) from error


class IntegrationPublication:
    """A version of an integration to be sent, and the check whether it arrived."""

    def __init__(self, name: str, body: IntegrationPublish) -> None:
        self.name = name
        self.body = body
        self.before = 0
        """The version that was there when it was sent."""

    async def send(self, api: Api) -> Integration:
        """Publish it. Raises `NotDoneError` as `publish` does."""
        found = await api.find(ops.get_integration, self.name)
        self.before = 0 if found is None else found.version
        return await publish(api, self.name, self.body)

    async def look(self, api: Api) -> Integration | None:
        """Return the integration if it is this version of it; None if there was none since.

        Raises `NotDoneError` where it may be somebody else's: then it is not known.
        """
        found = await api.find(ops.get_integration, self.name)
        if found is not None and found.version == self.before:
            return None
        if found is None and not self.before:
            return None
        sent = self.body.model_dump(mode="json", exclude_unset=True)
        there = {} if found is None else found.to_dict()
        same = all(
            (there.get(name) or None) == (value or None)
            for name, value in sent.items()
            if name not in UNSHOWN
        )
        if found is None or found.version != self.before + 1 or not same:
            raise NotDoneError("Someone changed it. R shows how.")
        return found


OFFERED = 50
"""Files offered as manifests."""


def manifests_here(here: IntegrationsPlace) -> Sequence[str]:
    """Return the files in the folder where the program was started that may be manifests."""
    try:
        names = sorted(each.name for each in Path().iterdir() if each.suffix in MANIFESTS)
    except OSError:
        return ()
    return names[:OFFERED]


def no_file(typed: str) -> str | None:
    """Say why a typed path is no readable file."""
    try:
        path = expanded(typed)
        if path.is_file():
            return None
        return "that is a folder" if path.is_dir() else "there is no such file"
    except (OSError, ValueError):
        return "there is no such file"


class PublishCommands(Commands, scope="integrations"):
    """Publishing integrations from manifest files."""

    place: IntegrationsPlace

    @action("W", "publish", danger=2, show=24, group="Change", uses="publish_integration",
            types=True)  # fmt: skip
    async def publish(self) -> None:
        """Publish an integration, or a new version, from a manifest file. It asks for its path."""
        sheet = Ask(
            "Publish an integration",
            "Path of its manifest (YAML or JSON). Nothing is sent yet.",
            draft_key=self.place.draft_key("publish"),
            check=no_file,
        )
        typed = await self.app.push_screen_wait(sheet)
        if typed:
            await self._publish(typed)

    @command("publish", "FILE", complete=manifests_here,
            uses=("publish_integration", "get_integration"))  # fmt: skip
    async def publish_file(self, rest: str) -> None:
        """Publish an integration, or a new version, from a manifest file; asks before it does."""
        if rest:
            await self._publish(rest)
        else:
            await self.publish()

    async def _publish(self, typed: str) -> None:
        file = shorten(clean(Path(typed).name), 40)
        try:
            manifest = await asyncio.to_thread(load_manifest, typed)
        except FileError as error:
            facts = [clean(str(problem)) for problem in error.problems]
            title = f"{file}: {plural(len(facts), 'mistake')}, nothing was sent"
            await self.app.push_screen_wait(Notice(title, facts))
            return
        name = manifest.name
        api = await self.place.session.ready()
        read = await self.place.reads.now(
            "plan", lambda: self._there(api, name), "Reading what is there"
        )
        if read is None:
            return
        found = read[0]
        if found is not None and found.permissions is not None and not found.permissions.admin:
            owner = clean(owner_title(found)) or "another organization"
            self.place.say(f"“{name}” belongs to {owner}: publishing it takes admin there.", "warn")
            return
        body = self._owned(manifest, found)
        if body is None:
            self.place.say(
                "Say in the manifest which organization owns it (organization: …).", "warn"
            )
            return
        if not await self._agreed(manifest, body, found):
            return
        published = IntegrationPublication(name, body)
        try:
            version = await self.place.writer.perform(
                "Publish integration",
                name,
                published.send,
                reversal=integration_made(name) if found is None else None,
                look=published.look,
            )
        except WriteError as error:
            if await offer_checkout(self.place, f"{shorten(name, 50)} is not published", error):
                return
            raise
        self.place.tell(f"Published “{name}”, version {version.version}.", "good")
        self.place.session.drafts.drop(self.place.draft_key("publish"))
        self.place.read_written(name)

    async def _there(self, api: Api, name: str) -> tuple[Integration | None]:

        return (await api.find(ops.get_integration, name),)

    async def _owner(self, named: str) -> str:
        """Return the title of the organization that a manifest names."""
        if named == self.place.organization:
            return self.place.session.title_of(named)
        known = await read_organizations(await self.place.session.ready())
        for each in known:
            if named in (each.id, each.hostname):
                return shorten(clean(each.title), 40)
        return f"“{shorten(clean(named), 40)}”, not an organization of yours" if named else ""

    def _owned(self, manifest: Manifest, found: Integration | None) -> IntegrationPublish | None:
        """Return the body with its owner: by default the organization of the place."""
        if found is not None or manifest.body.organization is not None:
            return manifest.body
        if self.place.organization is None:
            return None
        return manifest.body.model_copy(update={"organization": self.place.organization})

    async def _agreed(
        self, manifest: Manifest, body: IntegrationPublish, found: Integration | None
    ) -> bool:
        """Show the plan, and return whether to publish."""

        home = await self._owner(body.organization or "")
        owner = found.owner if found is not None else None
        if owner is not None and body.organization in (owner.id, owner.hostname):
            home = ""
        facts = plan(manifest, json.loads(body.to_json()), found, home)
        warning: Fact
        if found is None:
            warning = hint("u deletes it again.", "")
        else:
            warning = (
                "Where it is installed it is set up again. This cannot be undone: to have the "
                "former version again, publish its manifest."
            )
        title = f"Publish {shorten(manifest.name, 50)}"
        sheet = Confirm(title, facts, verb="publish", warning=warning)
        agreed = await self.app.push_screen_wait(sheet)
        return agreed is True
