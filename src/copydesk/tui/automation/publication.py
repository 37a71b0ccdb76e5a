"""Publishing an integration from a manifest file: read, checked, shown, asked, sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.domain.automation_inverses import integration_made
from copydesk.domain.integration_manifest import MANIFESTS
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.yaml_lines import FileError
from copydesk.tui.automation import integration_cells as present
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.dialog import Confirm, Notice
from copydesk.tui.framework.actions import Commands, action, command

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.integration import Integration, IntegrationPublish
    from copydesk.tui.automation.integration_loader import Manifest
    from copydesk.tui.automation.integrations import IntegrationsPlace

OFFERED = 50
"""So many files are offered as manifests."""


def manifests_here(here: IntegrationsPlace) -> Sequence[str]:
    """Return the files in the folder where the program was started that may be manifests."""
    try:
        names = sorted(each.name for each in Path().iterdir() if each.suffix in MANIFESTS)
    except OSError:
        return ()
    return names[:OFFERED]


def no_file(typed: str) -> str | None:
    """Say why what is typed is no file that can be read."""
    try:
        path = Path(typed).expanduser()
        if path.is_file():
            return None
        return "that is a folder" if path.is_dir() else "there is no such file"
    except (OSError, ValueError, RuntimeError):
        return "there is no such file"


class PublishCommands(Commands, scope="integration_publishing"):
    """Publishing integrations from manifest files."""

    place: IntegrationsPlace

    @action(
        "ctrl+n",
        "publish",
        danger=2,
        show=28,
        group="Change",
        uses="publish_integration",
        types=True,
    )
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

    @command(
        "publish",
        "FILE",
        complete=manifests_here,
        uses=("publish_integration", "get_integration"),
    )
    async def publish_file(self, rest: str) -> None:
        """Publish an integration, or a new version, from a manifest file; asks before it does."""
        if rest:
            await self._publish(rest)
        else:
            await self.publish()

    async def _publish(self, typed: str) -> None:
        from copydesk.tui.automation.integration_loader import load_manifest
        from copydesk.tui.automation.integration_requests import Publication

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
            owner = clean(present.owner(found)) or "another organization"
            self.place.say(f"{name} belongs to {owner}: publishing it takes admin there.", "warn")
            return
        body = self._owned(manifest, found)
        if body is None:
            self.place.say(
                "Say in the manifest which organization owns it (organization: …).", "warn"
            )
            return
        if not await self._agreed(manifest, body, found):
            return
        published = Publication(name, body)
        version = await self.place.writer.perform(
            "Publish integration",
            name,
            published.send,
            reversal=integration_made(name) if found is None else None,
            look=published.look,
        )
        self.place.tell(f"Published {name}, version {version.version}.", "good")
        self.place.session.drafts.drop(self.place.draft_key("publish"))
        self.place.read_written(name)

    async def _there(self, api: Api, name: str) -> tuple[Integration | None]:
        from copydesk.tui.automation.integration_requests import find_integration

        return (await find_integration(api, name),)

    async def _owner(self, named: str) -> str:
        """Return what the organization is called that a manifest names, as a sentence has it."""
        from copydesk.session.reads.spaces import read_organizations

        if named == self.place.organization:
            return self.place.session.title_of(named)
        known = await read_organizations(await self.place.session.ready())
        for each in known:
            if named in (each.id, each.hostname):
                return shorten(clean(each.title), 40)
        return f"“{shorten(clean(named), 40)}”, which is no organization of yours" if named else ""

    def _owned(self, manifest: Manifest, found: Integration | None) -> IntegrationPublish | None:
        """Return the body with its owner: the organization at hand where nobody is said."""
        if found is not None or manifest.body.organization is not None:
            return manifest.body
        if self.place.organization is None:
            return None
        return manifest.body.model_copy(update={"organization": self.place.organization})

    async def _agreed(
        self, manifest: Manifest, body: IntegrationPublish, found: Integration | None
    ) -> bool:
        """Show what will be published; whether that is to be done."""
        from copydesk.tui.automation.plan_cells import plan

        home = await self._owner(body.organization or "")
        owner = found.owner if found is not None else None
        if owner is not None and body.organization in (owner.id, owner.hostname):
            home = ""
        facts = plan(manifest, json.loads(body.to_json()), found, home)
        if found is None:
            warning = "u deletes it again."
        else:
            warning = (
                "Where it is installed it is set up anew. There is no way back: to have the "
                "former version again, publish its manifest."
            )
        title = f"Publish {shorten(manifest.name, 50)}"
        sheet = Confirm(title, facts, verb="publish", warning=warning)
        agreed = await self.app.push_screen_wait(sheet)
        return agreed is True
