"""What the documentation agent of an organization is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.automation_inverses import agent_told
from copydesk.domain.moments import ago
from copydesk.domain.text import clean
from copydesk.present.facts import hint
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import form_key
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.resource.rich_text import edit_rich
from copydesk.tui.resource.rights import NO_HOME, HomeRights
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.agent_instructions import AgentInstructions
    from copydesk.contract.models.document import Document

NOTHING = "The documentation agent is told nothing yet. e writes what it has to mind."


def not_read(here: AgentInstructionsPlace) -> str | None:
    """Say so when the instructions are not there yet."""
    if not here.home:
        return NO_HOME
    return None if here.found is not None else "The instructions have not been read yet."


def may_not_tell(here: AgentInstructionsPlace) -> str | None:
    """Say why the reader may not change them."""
    return here.rights.lacks("admin")


def no_text(here: AgentInstructionsPlace) -> str | None:
    """Say so when there is nothing to copy."""
    return None if here.text else "There is nothing to copy: no one wrote any instructions."


@place("agent-instructions", key="B", title="Agent instructions",
       uses=("get_agent_instructions", "get_organization"))  # fmt: skip
class AgentInstructionsPlace(Place, scope="agent_instructions"):
    """The instructions for the documentation agent, as text."""

    RAW = ("get_agent_instructions",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.rights = HomeRights(self, self._rights_known)
        self.found: AgentInstructions | None = None
        self.text = ""
        """The instructions as Markdown; not cleaned."""

    @property
    def home(self) -> str:
        """The id of the organization; empty when none is chosen."""
        return self.organization or ""

    def panes(self) -> ComposeResult:
        self.shown = TextView(title="Agent instructions", empty="Reading…", id="instructions")
        yield Part("main", self.shown)

    def status_left(self) -> str:
        if self.found is None:
            return ""
        if self.session.drafts.own_text(self.draft_key) is not None:
            return "What you wrote is kept, not sent: e goes on with it."
        when = ago(self.found.updated_at, self.session.now)
        return f"changed {when}" if when else "no one has written any"

    def raw(self) -> Raw | None:
        return Raw("agent instructions", self.RAW[0], (self.home,)) if self.home else None

    def copies(self) -> Sequence[tuple[str, str]]:
        who = self.found.updated_by if self.found is not None else None
        return [("instructions", self.text), ("changed by", clean(who or ""))]

    # Reading

    def opened(self) -> None:
        self.rights.read()

    def reload(self) -> None:
        self.reads.load("text", self._read, self._arrived, what="Reading", failed=self._unread)

    def poll(self) -> None:
        self.reads.load("text", self._read, self._arrived, what="Reading again")

    async def _read(self, api: Api) -> tuple[AgentInstructions, str] | None:
        if not self.home:
            return None
        import asyncio

        from copydesk.domain.documents import document_to_markdown

        found = await api(ops.get_agent_instructions, self.home)
        if found.instructions is None:
            return found, ""
        return found, await asyncio.to_thread(document_to_markdown, found.instructions)

    def _arrived(self, read: tuple[AgentInstructions, str] | None) -> None:
        if read is None:
            self._unread(NO_HOME)
            return
        self.session.fresh()
        first = self.found is None
        self.found, text = read
        if text != self.text or first:
            self.text = text
            self.shown.empty = self._nothing()
            self.shown.set_text(text, top=first)
        self.refresh_frame()
        if self.resuming:
            self.resume_draft("edit")

    def _nothing(self) -> str:
        return NOTHING if may_not_tell(self) is None else NOTHING.partition(" e writes")[0]

    def _rights_known(self) -> None:
        """Offer to write them only to who may."""
        if self.found is not None and not self.text:
            self.shown.empty = self._nothing()
            self.shown.set_text("")

    def _unread(self, said: str) -> None:
        if self.found is None:
            self.shown.empty = with_key(said)
            self.shown.set_text("")

    def resume_draft(self, part: str) -> None:
        """Go on with the draft, once the instructions are there."""
        self.resuming = part if self.found is None else ""
        if not self.resuming:
            self.do_soon("edit")

    # Writing

    @property
    def draft_key(self) -> str:
        """The key of the draft."""
        return form_key(self.PLACE, Target(organization=self.home), "edit")

    @action("e", "edit", unless=(not_read, may_not_tell), danger=2, show=28, group="Change",
            uses=("get_agent_instructions", "update_agent_instructions"))  # fmt: skip
    async def edit(self) -> None:
        """Edit the instructions in $EDITOR; what changes is shown before it is sent."""
        home = self.home

        async def read(api: Api) -> Document | None:
            return (await api(ops.get_agent_instructions, home)).instructions

        sent = await edit_rich(
            self,
            "Tell the documentation agent so",
            key=self.draft_key,
            read=read,
            send=self._send,
            facts=[hint("The agent minds these from then on. u puts the former ones back.", "")],
        )
        if sent:
            self.read_again()
        else:
            self.refresh_frame()

    async def _send(self, before: Document | None, after: Document) -> None:
        from copydesk.contract.models.agent_instructions import AgentInstructionsUpdate
        from copydesk.contract.models.document import Document
        from copydesk.domain.rich_text import says_the_same

        home, body = self.home, AgentInstructionsUpdate(instructions=after)
        former = before or Document(data={"schemaVersion": 1}, nodes=[])

        async def look(api: Api) -> AgentInstructions | None:
            found = await api(ops.get_agent_instructions, home)
            return found if says_the_same(found.instructions, after) else None

        await self.writer.perform(
            "Change agent instructions",
            self.session.organization_title or "the organization",
            lambda api: api(ops.update_agent_instructions, home, body),
            reversal=agent_told(home, former.to_dict(), after.to_dict()),
            look=look,
            draft=self.draft_key,
        )

    @action("y", "copy", unless=no_text, show=20, group="Share", override=True)
    def copy_url(self) -> None:
        """Copy the instructions as Markdown."""
        self.desk.copy(self.text, "the instructions")
