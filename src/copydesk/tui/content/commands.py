"""Commands on the content of a space or of a change request as a whole.

The raw revision, templates, PDFs, and the ways from a page to its files and to what leads to it.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import Forbidden, NotFound
from copydesk.domain.address import web_address
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten, shown_subject
from copydesk.local.paths import expanded
from copydesk.present.facts import hint
from copydesk.present.raw_json import Raw
from copydesk.session.content import NAME_CELLS, ContentOwner
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.session.writes.log import WriteError
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.keyboard import run_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ChangeRequestStatus
    from copydesk.contract.models.content import PageTree, TemplateApply
    from copydesk.session.options import Option
    from copydesk.tui.framework.place import Place

WHOLE, BELOW, ALONE = "all", "below", "only"
"""What a PDF can be of, by the id of the choice."""

SAVE, OPEN, COPY = "save", "open", "copy"
"""What can be done with the address of a PDF, by the id of the choice."""

REQUESTS = 100
"""Change requests that are offered."""


NO_PAGE = "No page is chosen. Open one from the pages: g p goes there."
"""What the places about a page say without one."""


def page_in_front(here: Place) -> Target:
    """Return the page that is shown, else that under the cursor, else only the space."""
    content = here.content()
    space = here.space_at_hand() if content is None else content.space
    page = (content.page if content is not None else "") or here.target.page
    return Target(space=space, page=page or None)


def no_content(here: Place) -> str | None:
    """Say so when no space is in front."""
    return None if here.content() is not None else "Put the cursor on a space first."


class ContentCommands(Commands, scope="content"):
    """Commands on the content of a space, or of a change request, as a whole."""

    place: Place

    def resume_draft(self, part: str) -> bool:
        """Open the form of a template again."""
        method, _, request = part.partition(" ")
        if method != "template":
            return False
        word = self.LINE_COMMANDS["template"]
        self.app.call_later(run_command, self, word, request)
        return True

    @command("revision", uses=("get_space_revision", "get_change_request_revision"))
    async def show_revision(self, rest: str) -> None:
        """Show the whole revision that is in front as JSON: pages, files, variables, Git."""
        from copydesk.tui.system.raw import RawPlace

        content = self.place.content()
        if content is None:
            self.place.say(no_content(self.place) or "", "warn")
            return
        if content.request is None:
            raw = Raw(f"revision of {content.name}", "get_space_revision", (content.space,))
        else:
            ids = (content.space, content.request)
            raw = Raw(f"revision of {content.name}", "get_change_request_revision", ids)
        await self.app.push_screen(RawPlace(self.place.target, raw))

    # PDFs

    @command("pdf", uses=("get_change_request_pdf", "get_space_pdf"))
    async def make_pdf(self, rest: str) -> None:
        """Make a PDF of a change request or a space, or of a page: to a file, or in the browser."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        content = self.place.content()
        if content is None:
            self.place.say(no_content(self.place) or "", "warn")
            return
        in_it = "" if content.request is None else " as it is in it"
        options = [Option(WHOLE, f"the whole space{in_it}")]
        if content.page:
            title = shorten(content.page_title, NAME_CELLS)
            options += [
                Option(BELOW, f"{title} and the pages below it"),
                Option(ALONE, f"{title} alone"),
            ]
        sheet = Choice(f"PDF of {content.name}: what?", options)
        chosen: str | None = await self.app.push_screen_wait(sheet)
        if chosen is None:
            return
        page = None if chosen == WHOLE else content.page
        api = await self.place.session.ready()

        async def read() -> str:
            only = True if chosen == ALONE else None
            if content.request is None:
                return (await api(ops.get_space_pdf, content.space, only=only, page=page)).url
            ids = (content.space, content.request)
            return (await api(ops.get_change_request_pdf, *ids, only=only, page=page)).url

        given = await self.place.reads.now("pdf", read, "Asking for the PDF")
        if given is None:
            return
        url = web_address(given)
        if not url:
            self.place.say("The service gave an address that is not a web address.", "bad")
            return
        options = [
            Option(SAVE, "save it to a file"),
            Option(OPEN, "open it in the browser"),
            Option(COPY, "copy its address", "good for an hour, without signing in"),
        ]
        way = await self.app.push_screen_wait(Choice(f"PDF of {content.name}", options))
        if way == OPEN:
            self.app.open_url(url)
            self.place.say("Opened in the browser. Its address is good for an hour.")
        elif way == COPY:
            self.place.desk.copy(url, "the address of the PDF")
        elif way == SAVE:
            await self._save_pdf(api, url, content)

    async def _save_pdf(self, api: Api, url: str, content: ContentOwner) -> None:
        from copydesk.client.download import fetch
        from copydesk.domain.slug import slugify
        from copydesk.session.draft_keys import form_key
        from copydesk.tui.dialogs.ask import Ask

        key = form_key("pages", _whose(self.place, content), "pdf", content.request or "")
        # An id or a name of the service may look like a path.
        which = slugify(content.numbered or content.request or content.name)
        name = f"change-request-{which}.pdf" if content.request else f"{which}.pdf"

        async def reserve(typed: str) -> None:
            # Making it may take minutes: whether it can be saved is found out before that.
            try:
                await asyncio.to_thread(_save_new, _path(typed), b"")
                await asyncio.to_thread(_path(typed).unlink)
            except OSError as error:
                raise NotDoneError(
                    f"{error.strerror or error}: no file can be made there"
                ) from None

        typed = await self.app.push_screen_wait(
            Ask(
                f"Save the PDF of {content.name}",
                "Path of the new file. A file that is there is never replaced.",
                draft_key=key,
                value=name,
                check=cannot_be_new,
                send=reserve,
            )
        )
        self.place.session.drafts.drop(key)
        if not typed:
            return
        data = await self.place.reads.now(
            "pdf", lambda: fetch(api, url), "Having the PDF made and reading it", long=True
        )
        if data is None:
            return
        path = _path(typed)
        if not data.startswith(b"%PDF"):
            self.place.say("The answer is not a PDF; nothing was saved.", "bad")
            return
        try:
            await asyncio.to_thread(_save_new, path, data)
        except OSError as error:
            self.place.say(f"{clean(str(path))}: {error.strerror or error}.", "bad")
            return
        self.place.tell(f"Saved {clean(str(path))}, {len(data):,} bytes.", "good")

    # Templates

    @command(
        "template",
        "[CHANGE REQUEST]",
        uses=(
            "apply_space_template",
            "list_organization_spaces",
            "list_organization_collections",
            "list_space_change_requests",
            "list_space_pages",
            "list_change_request_pages",
        ),
    )
    async def apply_template(self, rest: str) -> None:
        """Add a template's pages to a space or a change request. This cannot be undone: it asks."""
        from copydesk.contract.models.content import TemplateApply
        from copydesk.session.draft_keys import form_key
        from copydesk.tui.dialogs.body_form import body_form

        content = self.place.content()
        if content is None or content.refused:
            self.place.say((content.refused if content else no_content(self.place)) or "", "warn")
            return
        typed = rest.strip().lstrip("#")
        request = content.request or typed or None
        key = form_key("pages", _whose(self.place, content), "template", request or "")
        target = content.name if request == content.request else f"#{clean(typed)}"

        async def send(body: TemplateApply) -> None:
            await self._apply(content, body, key)

        fields = ["id", "params.contentRefs"]
        form = body_form(
            TemplateApply,
            title=f"Add a template's pages to {target}",
            draft_key=key,
            send=send,
            only=[*fields, "changeRequestId"] if request is None else fields,
            fixed={} if request is None else {"changeRequestId": request},
            labels={
                "id": "Template",
                "params.contentRefs": "Placeholders",
                "changeRequestId": "In the change request",
            },
            offers={
                "id": lambda: self._spaces_offered(content.space),
                "changeRequestId": lambda: self._requests_offered(content.space),
            },
            facts=["Any space can be a template. Its pages and files come after what is there."],
            verb="add them",
        )
        await self.app.push_screen_wait(form)

    async def _spaces_offered(self, but: str) -> Sequence[Option]:
        from copydesk.present.space_options import space_options

        organization = self.place.organization
        if organization is None:
            return ()
        desk = await read_desk(await self.place.session.ready(), organization)
        return space_options(desk.nodes, keep=lambda space: space.id != but)

    async def _requests_offered(self, space: str) -> Sequence[Option]:
        from copydesk.session.options import Option

        api = await self.place.session.ready()
        found = []
        statuses: tuple[ChangeRequestStatus, ...] = ("open", "draft")
        for status in statuses:
            page = await api.page(
                ops.list_space_change_requests, space, status=status, limit=REQUESTS
            )
            found += page.items
        return [
            Option(each.id, f"#{each.number} {shown_subject(each.subject)}", each.status)
            for each in found
        ]

    async def _apply(self, content: ContentOwner, body: TemplateApply, key: str) -> None:
        from copydesk.domain.page_tree import flatten
        from copydesk.tui.dialogs.dialog import Confirm
        from copydesk.tui.dialogs.form import FieldsWrongError

        api, space, request = (
            await self.place.session.ready(),
            content.space,
            body.change_request_id,
        )

        def tree(now: Api) -> Any:
            if request is None:
                return now(ops.list_space_pages, space, metadata=False, computed=False)
            return now(
                ops.list_change_request_pages, space, request, metadata=False, computed=False
            )

        try:
            source, about = await asyncio.gather(
                api(ops.list_space_pages, body.id, metadata=False, computed=False),
                api(ops.get_space, body.id),
            )
        except (Forbidden, NotFound):
            said = "there is no such space, or you may not read it; ctrl+o lists them"
            raise FieldsWrongError({"id": said}) from None
        try:
            before: PageTree = await tree(api)
        except (Forbidden, NotFound):
            said = "there is no such change request here; ctrl+o lists them"
            raise FieldsWrongError({"changeRequestId": said}) from None
        coming = flatten(source.pages)
        known = len(flatten(before.pages))
        into = f"the change request {clean(request)}" if request else content.name
        if request is not None and request == content.request:
            into = content.name
        of = f"“{shorten(clean(about.title) or 'Untitled', NAME_CELLS)}”"
        named = body.params is not None and bool(body.params.content_refs)
        facts = [
            f"From {of} {plural(len(coming), 'page')} and the files with them come last in {into}:",
            *(f"  {shorten(clean(page.title) or 'Untitled', 60)}" for page in coming[:6]),
            *([f"  and {len(coming) - 6} more"] if len(coming) > 6 else []),
            "Placeholders lead to what you named for them."
            if named
            else "You named nothing for placeholders: a template that has some will not be added.",
        ]
        live = "" if request else "The pages go live at once where the space is. "
        warning = hint(f"{live}This cannot be undone: u takes no pages out.", "")
        if not await self.app.push_screen_wait(
            Confirm(f"Add a template to {into}", facts, verb="add them", warning=warning)
        ):
            raise WriteError("Not sent: what you typed is kept.")

        async def send(now: Api) -> bool:
            await now(ops.apply_space_template, space, body)
            return True

        async def look(now: Api) -> bool | None:
            return True if len(flatten((await tree(now)).pages)) >= known + len(coming) else None

        await self.place.writer.perform(
            "Add template",
            into,
            send,
            look=look if coming else None,
            draft=key,
            done=f"{plural(len(coming), 'page')} added to {into}. This cannot be undone.",
        )
        self.place.read_again()


class PageCommands(Commands, scope="page_ways"):
    """From a page to its surroundings: the files that are beside it, and its history."""

    place: Place

    @action("g f", "files", word="files", unless=no_content, show=False, group="Go",
            uses=("list_space_files", "list_change_request_files"))  # fmt: skip
    async def show_files(self) -> None:
        """Go to the files: those of the space, or of the change request that is read."""
        content = sure(self.place.content())
        target = _whose(self.place, content).but(change_request=content.request)
        await self.app.go("files", target)

    @action("g R", "reusable content", word="reusable_content", unless=no_content, show=False,
            group="Go", uses=("get_space_revision", "get_change_request_revision"))  # fmt: skip
    async def show_reusable(self) -> None:
        """Go to the reusable content of the space, or of the change request that is read."""
        content = sure(self.place.content())
        target = _whose(self.place, content).but(change_request=content.request)
        await self.app.go("reusable", target)

    @action("g h", "history", word="history", unless=no_content, show=False, group="Go",
            uses=("get_revision", "get_revision_changes"))  # fmt: skip
    async def show_history(self) -> None:
        """Go to the revisions that changed this page; ] there goes on to those of the space."""
        content = sure(self.place.content())
        await self.app.go("history", _whose(self.place, content).but(page=content.page or None))


def _whose(place: Place, content: ContentOwner) -> Target:
    return Target(place.organization, content.space)


def cannot_be_new(typed: str) -> str | None:
    """Say why no new file can be made at a path, or None."""
    try:
        path = _path(typed)
        if not typed.strip():
            return "type a path"
        if path.is_dir():
            return "that is a folder: add a name"
        if os.path.lexists(path):
            return "there is a file of that name; it is not replaced"
        return None if path.parent.is_dir() else "there is no such folder"
    except (OSError, ValueError):
        return "no file can have this path"


def _path(typed: str) -> Path:
    return expanded(typed.strip())


def _save_new(path: Path, data: bytes) -> None:
    """Write a new file, whole or not at all. Raises ``OSError``, also where there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
