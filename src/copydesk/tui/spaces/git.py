"""The git repository of a space: the state of its synchronization, import and export."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.timer import Timer

from copydesk.client.errors import NotFound, OperationMissing
from copydesk.domain.address import web_address
from copydesk.domain.moments import ago, moment
from copydesk.domain.secret_values import without_password
from copydesk.domain.text import clean, shorten, shown_title
from copydesk.present.facts import Fact, hint
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import form_key
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.dialog import TypeToConfirm
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import NotYet, command
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.resource.place import WATCH_SECONDS
from copydesk.tui.widgets.facts import Facts

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.git_sync import GitOperation, GitSyncState
    from copydesk.contract.models.space import Space

NOTHING = "This space is not synchronized with a git repository."
WAYS = (":git import takes a branch into the space.", ":git export commits the space to a branch.")
NO_SPACE = "No space is chosen: g s lists them, and g G on one shows its repository."
DIRECTIONS = ("import", "export")

_TONES = {"success": "good", "failure": "bad", "timeout": "bad", "running": "accent"}


def state_facts(state: GitSyncState, now: datetime) -> list[Fact]:
    """Return the facts of a repository and of its last import or export."""
    # The desk has no word of its own for a repository of its machine.
    provider = clean(state.installation_provider or "") if web_address(state.url) else ""
    found = [
        Fact("repository", clean(state.repo_name or "")),
        Fact("address", without_password(clean(state.url or ""))),
        Fact("provider", provider),
        Fact("connection", clean(state.installation_status or "")),
    ]
    last = state.operation
    if last is not None:
        said = Text(clean(f"{last.direction}: {last.state}"), style=_TONES.get(last.state, ""))
        found += [Fact("", ""), Fact("last", said), Fact("began", moment(last.started_at, now))]
        if last.ended_at is not None:
            found.append(Fact("ended", moment(last.ended_at, now)))
        if last.error:
            found.append(Fact("!", Text(clean(last.error, lines=True), style="warn")))
        if last.error_action is not None:
            mend = last.error_action
            found.append(Fact("mend", clean(f"{mend.label} {web_address(mend.url) or ''}").strip()))
    return [fact for fact in found if fact.text or not fact.label]


def consequences(direction: str, values: Mapping[str, str], title: str) -> Sequence[str | Text]:
    """Return what an import or an export does, before it is begun."""
    url = without_password(clean(values["url"]))
    where = f"{shorten(clean(values['ref']), 40)} of {shorten(url, 60)}"
    if direction == "export":
        said = [f"“{title}” is committed to {where}.", "Other files there stay."]
        forced = "Commits there that this space did not take are built upon: its files win."
        kept = "the commit stays in the repository."
    else:
        said = [f"{where} is taken into “{title}”: readers get it at once."]
        said.append("The first time, pages that are not there are gone from the space.")
        said.append("What both changed since the last time stops it, and nothing is changed.")
        forced = "What was changed in the space since the last time is replaced."
        kept = "the history of the space keeps what it was."
    if values["force"] == "yes":
        said.append(forced)
    return [
        *said,
        Text(f"This cannot be undone; {kept}", "warn"),
    ]


@place("git-sync", key="G", title="Git of a space", uses=("get_space", "get_space_git_info"))
class GitPlace(Place, scope="git_sync"):
    """The repository that a space is imported from and exported to."""

    OF_SPACE = True
    RAW = ("get_space_git_info",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.space: Space | None = None
        self.state: GitSyncState | None = None
        self._asked: dict[str, str] = {}
        """What was typed the last time, for the next one."""
        self._watch: Timer | None = None

    def panes(self) -> ComposeResult:
        self.facts = Facts(title="Git", empty="Reading…", id="git")
        yield Part("main", self.facts)

    def trail(self) -> Iterable[str]:
        if self.space is not None:
            yield self.title_of_space
        yield "Git"

    @property
    def title_of_space(self) -> str:
        """The title of the space, once it is known."""
        return "" if self.space is None else shown_title(self.space.title)

    def status_left(self) -> str:
        last = self.state.operation if self.state is not None else None
        if last is None:
            return ""
        when = ago(last.ended_at or last.started_at, self.session.now)
        return clean(f"{last.direction}: {last.state} {when}").strip()

    def raw(self) -> Raw | None:
        space = self.target.space
        if space is None or self.state is None:
            return None
        return Raw(f"git of {self.title_of_space}", self.RAW[0], (space,))

    def copies(self) -> Sequence[tuple[str, str]]:
        url = without_password(clean(self.state.url or "")) if self.state is not None else ""
        return [("address", url)] if url else []

    # Reading

    def reload(self) -> None:
        self.reads.load("git", self._read, self._arrived, what="Reading", failed=self._unread)

    def poll(self) -> None:
        self.reads.load("git", self._read, self._arrived, what="Reading again")

    async def _read(self, api: Api) -> tuple[Space, GitSyncState | None] | None:
        if self.target.space is None:
            return None
        space = await api(ops.get_space, self.target.space)
        try:
            return space, await api(ops.get_space_git_info, space.id)
        except OperationMissing:
            raise
        except NotFound:
            return space, None

    def _unread(self, said: str) -> None:
        if self.space is None:
            self._say(with_key(said))

    def _say(self, said: str) -> None:
        self.facts.empty = said
        self.facts.refresh_rows()

    def _arrived(self, found: tuple[Space, GitSyncState | None] | None) -> None:
        if found is None:
            self._say(NO_SPACE)
            return
        self.session.fresh()
        before, known = self.state, self.space is not None
        self.space, self.state = found
        last = self.state.operation if self.state is not None else None
        if known and last is not None and last != (before and before.operation):
            self._tell(last)
        if self.state is None:
            facts = [Fact("", NOTHING)]
        else:
            facts = state_facts(self.state, self.session.now)
        ways = () if self.refused() is not None else WAYS
        self.facts.show([*facts, *(Fact("", hint(way)) for way in ("", *ways))])
        self.refresh_frame()
        self._follow()

    def _tell(self, last: GitOperation) -> None:
        """Say what came of an import or an export that ended since the last look."""
        what = f"The {clean(last.direction)}"
        # A poll says nothing of its own; what somebody saw begin is waited for.
        if last.state == "success":
            self.call_later(self.say, f"{what} is done.", "good")
        elif last.state != "running":
            if self.state is not None and self.state.url:
                self._asked.pop("url", None)  # the next form begins with the one that works
            self.call_later(self.say, f"{what} failed.", "bad")  # the pane says why

    def _follow(self) -> None:
        """Read again soon while an import or an export is under way."""
        if self._watch is not None:
            self._watch.stop()
        last = self.state.operation if self.state is not None else None
        running = last is not None and last.state == "running"
        self._watch = self.set_timer(WATCH_SECONDS, self._look_again) if running else None

    def _look_again(self) -> None:
        if self.app.screen is self and self.reads.may_poll:
            self.poll()
        else:
            self._watch = self.set_timer(WATCH_SECONDS, self._look_again)

    # Import and export

    def refused(self) -> str | None:
        """Say why the reader may not import or export."""
        if self.space is None:
            return NotYet("The space has not been read yet.")
        may = self.space.permissions
        if may is not None and not may.trigger_git_sync:
            return "That takes the permission triggerGitSync on the space."
        last = self.state.operation if self.state is not None else None
        if last is not None and last.state == "running":
            return clean(f"An {last.direction} is under way. It is read again until it ends.")
        return None

    @command(
        "git",
        "import|export",
        complete=lambda here: DIRECTIONS,
        uses=("import_git_repository", "export_to_git_repository", "get_space_git_info"),
        takes="none",
    )
    async def git(self, rest: str) -> None:
        """Import a branch into the space, or export the space to one (:git import, :git export)."""
        direction = rest.strip()
        if direction not in DIRECTIONS:
            self.say(":git import takes a branch in, :git export commits to one.", "warn")
            return
        if (why := self.refused()) is not None or self.space is None:
            self.say(why or "", "warn")
            return

        async def check(values: Mapping[str, str]) -> None:
            """Send nothing yet: the name confirms it first."""

        key = form_key("git-sync", self.target, direction)
        form = Form(
            f"{direction.capitalize()} {shorten(self.title_of_space, 40)}",
            self._fields(direction),
            draft_key=key,
            send=check,
            verb="go on",
            new=True,
        )
        values = await self.desk.push_screen_wait(form)
        if not values:
            return
        self._asked = dict(values)
        title = self.title_of_space
        sheet = TypeToConfirm(
            f"{direction.capitalize()} {shorten(title, 40)}",
            consequences(direction, values, shorten(title, 40)),
            expect=title,
            verb=direction,
            what="the name of the space",
        )
        if await self.desk.push_screen_wait(sheet):
            await self._send(direction, values)

    def _fields(self, direction: str) -> list[Field]:
        known = {"url": (self.state.url if self.state is not None else "") or "", **self._asked}
        fields = [
            Field(
                "url",
                "Repository",
                clean(known["url"]),
                help="Its address; of an own desk a path of this machine, such as /srv/docs.git.",
                required=True,
            ),
            Field("ref", "Branch", known.get("ref", "main"), required=True),
            Field(
                "folder",
                "Folder",
                known.get("folder", ""),
                help="Where the documentation is in the repository, if not at its top.",
            ),
            Field(
                "force",
                "Force",
                known.get("force", "no"),
                options=[Option("no", "no"), Option("yes", "yes")],
                help="Let this side win where both were changed."
                if direction == "export"
                else "Let the repository win where both were changed.",
            ),
        ]
        if direction == "export":
            message = known.get("message") or f"Export {self.title_of_space}"
            fields.insert(2, Field("message", "Message", message, required=True))
        return fields

    async def _send(self, direction: str, values: Mapping[str, str]) -> None:
        from copydesk.contract.models.git_sync import GitExport, GitImport

        assert self.space is not None
        space = self.space.id
        asked = {"url": values["url"].strip(), "ref": values["ref"].strip()}
        if folder := values["folder"].strip():
            asked["repoProjectDirectory"] = folder
        force = {"force": True} if values["force"] == "yes" else {}

        async def send(api: Api) -> None:
            if direction == "import":
                body = GitImport.model_validate({**asked, **force})
                await api(ops.import_git_repository, space, body)
            else:
                message = {"commitMessage": values["message"]}
                await api(
                    ops.export_to_git_repository,
                    space,
                    GitExport.model_validate({**asked, **force, **message}),
                )

        what = f"Begin {direction} by git"
        await self.writer.perform(what, shorten(self.title_of_space, 40), send, now=True)
        self.read_again()
