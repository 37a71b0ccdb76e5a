"""The OpenAPI specifications of an organization, and how far the service is with reading them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from pydantic import AfterValidator, Field, model_validator
from rich.text import Text

from copydesk.contract.enumerations import OpenAPIVisibility
from copydesk.contract.models.base import Body, WebAddress
from copydesk.contract.models.openapi_spec import (
    OpenAPISource,
    OpenAPISourceText,
    OpenAPISourceURL,
    OpenAPISpecCreate,
    Slug,
)
from copydesk.domain.address import shown_at, web_address
from copydesk.domain.automation_inverses import (
    source_changed,
    spec_deleted,
    spec_made,
    visibility_changed,
)
from copydesk.domain.moments import ago, moment
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shorten, size_words
from copydesk.local.paths import expanded
from copydesk.present.facts import hint
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.session.writes.outbox import by_slug
from copydesk.tui.dialogs.body_form import body_form
from copydesk.tui.dialogs.dialog import Confirm, Fact, TypeToConfirm
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace, may_not_add, nothing_selected
from copydesk.tui.resource.resource import Facet, Resource, Work, pages_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.openapi_spec import OpenAPISpec, OpenAPISpecVersion


STATES = {"pending": "waits", "progress": "reading", "complete": "read"}
"""The words for processing states."""

FAILED = "failed"
"""The word for a specification that could not be read."""

CODES = {
    "FETCH_TIMEOUT": "it did not arrive in time",
    "FETCH_ERROR": "it could not be fetched",
    "PARSE_ERROR": "not an OpenAPI document",
}
"""The sentences for error codes."""

TONES = {"waits": "muted", "reading": "accent", FAILED: "bad"}


def spec_name(spec: OpenAPISpec) -> str:
    """Return the name of a specification; never empty."""
    return spec.slug.strip() or spec.id


def under_way(spec: OpenAPISpec) -> bool:
    """Whether the service is still reading it."""
    return spec.processing_state in ("pending", "progress")


def state_word(spec: OpenAPISpec) -> str:
    """Return its state in a word; not cleaned."""
    if spec.processing_state == "complete" and failed(spec):
        return FAILED
    return STATES.get(spec.processing_state, spec.processing_state)


def failed(spec: OpenAPISpec) -> bool:
    """Whether it could not be read the last time."""
    return bool(spec.last_process_error_code or spec.last_processed_errors)


def state_text(spec: OpenAPISpec) -> Text:
    """Return the word with its tone."""
    word = state_word(spec)
    return Text(clean(word), style=TONES.get(word, ""))


def source_text(spec: OpenAPISpec) -> str | Text:
    """Return its source."""
    return spec.source_url or Text("given as text", style="muted")


def visibility_of(spec: OpenAPISpec) -> str:
    """Return its visibility; the service leaves out that of a private one."""
    return spec.visibility or "private"


def why_failed(spec: OpenAPISpec) -> str:
    """Return in a few words why it could not be read; cleaned, empty where it could."""
    if not failed(spec):
        return ""
    code = spec.last_process_error_code or ""
    return CODES.get(code, clean(code, limit=60) or "it has errors")


def spec_details(spec: OpenAPISpec, now: datetime) -> Sequence[tuple[str, str | Text]]:
    """Return the details beyond the columns: every error in full, its times and addresses."""
    found: list[tuple[str, str | Text]] = []
    if failed(spec):
        found.append(("not read", Text(why_failed(spec), style="bad")))
    errors = spec.last_processed_errors or []
    for number, error in enumerate(errors, 1):
        code = f"{clean(error.code)}: " if error.code else ""
        said = clean(error.message, lines=True) or "(the service says nothing more)"
        label = f"error {number}" if len(errors) > 1 else "error"
        found.append((label, Text(f"{code}{said}", style="bad")))
    if when := ago(spec.last_processed_at, now):
        found.append(("last try" if failed(spec) else "read", when))
    if spec.last_version and failed(spec):
        found.append(("version", "the last one stays until another can be read"))
    if url := web_address(spec.urls.app):
        found.append(("app", Text(url, style="link")))
    if url := web_address(spec.urls.published):
        found.append(("published", Text(url, style="link")))
    return found


def reading_ended(spec: OpenAPISpec) -> tuple[str, str]:
    """Return the outcome of reading it, and its tone; cleaned."""
    title = clean(spec_name(spec), limit=60)
    if not failed(spec):
        return f"{title} has been read.", "good"
    many = len(spec.last_processed_errors or ())
    more = f" ({plural(many, 'error')}, see its details)" if many else ""
    return f"{title}: {why_failed(spec)}{more}.", "bad"


LABELS = {"source.url": "Address", "source.file": "File"}
"""The labels of the fields of a source."""


def address_of(version: OpenAPISpecVersion) -> str:
    """Return the address of the document of a version; "" for none."""
    return web_address(version.url)


def _read_at(version: OpenAPISpecVersion, now: datetime) -> str:
    return "not told" if version.created_at is None else moment(version.created_at, now)


VERSIONS: Resource[OpenAPISpecVersion] = Resource(
    noun="version",
    title="Versions",
    pages=pages_of("list_openapi_spec_versions", "organization", "item"),
    key=lambda version: version.id,
    label=lambda version: version.id,
    shown=(
        Facet("read", "READ", _read_at, flex=1, minimum=14),
        Facet("age", "AGE", lambda version, now: ago(version.created_at, now), 12, drop=2),
        Facet("size", "SIZE", lambda version, now: size_words(version.size), 8, align="right",
              drop=1),
        Facet("state", "STATE", lambda version, now: None, 9, detail=False, filters=False),
        Facet("address", "DOCUMENT", lambda version, now: address_of(version) or None),
    ),
    empty="No version of this specification could be read yet.",
    of="item",
    url=lambda version: address_of(version) or None,
)  # fmt: skip
"""Versions of a specification, the newest first as services list them."""

SIZES = replace(VERSIONS, label=lambda version: size_words(version.size), beside=0)
"""The same beside their specification: when each was read, and how long it is."""

SPECS: Resource[OpenAPISpec] = Resource(
    noun="OpenAPI specification",
    title="OpenAPI specifications",
    pages=pages_of("list_openapi_specs", "organization"),
    key=lambda spec: spec.id,
    label=spec_name,
    shown=(
        Facet("slug", "SLUG", lambda spec, now: spec_name(spec), flex=2, minimum=20,
              detail=False, sort=spec_name),
        Facet("state", "STATE", lambda spec, now: state_text(spec), 8,
              values=(*STATES.values(), FAILED), sort=state_word),
        Facet("visibility", "OPEN TO", lambda spec, now: visibility_of(spec), 8, drop=2,
              values=get_args(OpenAPIVisibility)),
        Facet("source", "SOURCE", lambda spec, now: source_text(spec), flex=3, minimum=14,
              drop=3),
        Facet("changed", "CHANGED", lambda spec, now: ago(spec.updated_at, now), 10, drop=1,
              sort=lambda spec: spec.updated_at),
        Facet("made", "MADE", lambda spec, now: ago(spec.created_at, now),
              sort=lambda spec: spec.created_at),
    ),
    empty="There are no OpenAPI specifications yet. ctrl+n adds one, from an address or a file.",
    get="get_openapi_spec",
    arguments=lambda target, spec: (target.organization or "", spec.slug),
    url=lambda spec: shown_at(spec.urls.app, spec.urls.published) or None,
    copies=lambda spec: [("source", spec.source_url)],
    more=spec_details,
    adding="create_open_api_spec",
    readers_empty="There are no OpenAPI specifications in this organization.",
    work=Work(under_way, reading_ended),
    contents=lambda: (SIZES,),
    inside=lambda spec: spec.slug,
)  # fmt: skip
"""OpenAPI specifications, as an organization lists them."""


def not_editable(here: OpenAPISpecsPlace) -> str | None:
    """Say why the specification under the cursor may not be changed."""
    item = here.item
    if item is None or item.permissions is None or item.permissions.edit:
        return None
    return "You may read this specification, not change it."


def no_address(here: OpenAPISpecsPlace) -> str | None:
    """Say why the document cannot be fetched again."""
    item = here.item
    if item is None or item.source_url:
        return None
    return "This is given as text: there is no address to read again. e gives it a new source."


def visibility_label(here: OpenAPISpecsPlace) -> str:
    """Return the label of the key that switches the visibility."""
    item = here.item
    shown = item is not None and visibility_of(item) == "public"
    return "make private" if shown else "make public"


LARGEST = 10 * 1024 * 1024
"""The longest request in bytes; a document goes into one."""

LARGEST_SAID = "10 MiB"


def _is_file(typed: str) -> str:
    """Return a path if a document can be read there. Raises ``ValueError`` with a sentence."""
    try:
        path = expanded(typed)
        if path.is_dir():
            raise ValueError("that is a folder")
        if not path.is_file():
            there = path.exists()
            raise ValueError("not a regular file" if there else "there is no such file")
        size = path.stat().st_size
    except OSError as error:
        raise ValueError("there is no such file") from error
    if size > LARGEST:
        raise ValueError(f"it has {size / 1024**2:.1f} MiB; at most {LARGEST_SAID} can be sent")
    if not size:
        raise ValueError("it is empty")
    return typed


class SourceAsked(Body):
    """The source of a document: an address, or a file on this machine."""

    url: WebAddress | None = Field(
        default=None, description=OpenAPISourceURL.model_fields["url"].description
    )
    file: Annotated[str, AfterValidator(_is_file)] | None = Field(
        default=None,
        description="Instead of an address: a file on this machine, JSON or YAML. Its text is sent "
        f"as it is now, {LARGEST_SAID} at most.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> SourceAsked:
        if bool(self.url) == bool(self.file):
            raise ValueError("say an address or a file, and only one of them")
        return self

    async def read(self) -> OpenAPISource:
        """Return the source for the request, reading the file. Raises `NotDoneError`."""
        if self.file is None:
            assert self.url is not None
            return OpenAPISourceURL(url=self.url)
        try:
            return await asyncio.to_thread(_read, self.file)
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            name = shorten(clean(Path(self.file).name), 40)
            # The path is right: once the file is mended, the same can be sent.
            raise NotDoneError(f"{name}: {clean(said or 'it cannot be read')}.") from error


class SpecAsked(Body):
    """A new specification, as a person fills it in."""

    slug: Slug = Field(description=OpenAPISpecCreate.model_fields["slug"].description)
    source: SourceAsked


class SpecSourceAsked(Body):
    """A new source of a specification, as a person fills it in."""

    source: SourceAsked


def _read(typed: str) -> OpenAPISourceText:
    data = expanded(typed).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start + 1:,})") from error
    _check(text)
    source = OpenAPISourceText(text=text)
    size = len(source.to_json()) + 1024
    if size > LARGEST:
        raise ValueError(
            f"as a call it has {size / 1024**2:.1f} MiB; at most {LARGEST_SAID} can be sent"
        )
    return source


def _check(text: str) -> None:
    """Raise ``ValueError`` for text that is neither JSON nor YAML; the service judges the rest."""
    if text.lstrip()[:1] == "{":
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: not JSON: {error.msg}") from error
        except RecursionError as error:
            raise ValueError("it is nested too deep") from error
        return
    import yaml

    begun = False
    try:
        for event in yaml.parse(text, Loader=yaml.CBaseLoader):
            if not begun and isinstance(event, yaml.MappingStartEvent):
                begun = True
            elif not begun and isinstance(event, yaml.NodeEvent):
                break
    except yaml.MarkedYAMLError as error:
        at = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{at}not YAML: {error.problem or 'it cannot be read'}") from error
    except yaml.YAMLError as error:
        raise ValueError("not YAML: something in it is not text") from error
    if not begun:
        raise ValueError("not an OpenAPI document: it has no names with values")


@place("openapi-specs", key="A", title="OpenAPI specifications",
       uses=("list_openapi_specs", "get_openapi_spec", "get_organization",
             "list_openapi_spec_versions"))  # fmt: skip
class OpenAPISpecsPlace(ResourcePlace["OpenAPISpec"], scope="openapi_specs"):
    """The OpenAPI specifications of an organization."""

    RESOURCE = SPECS

    def waits_by(self, item: OpenAPISpec) -> str:
        """Return its slug: requests name it so."""
        return by_slug(self.organization or "", item.slug)

    def open_item(self, item: OpenAPISpec) -> None:
        """Go to its versions."""
        target = Target(organization=self.organization, item=item.slug)
        self.desk.go_soon("openapi-versions", target)

    def show_item(self) -> None:
        """Show the specification, then its newest state."""
        super().show_item()
        item, home = self.item, self.organization
        if item is None or home is None:
            self.reads.cancel("details")
            return
        self.reads.load(
            "details", lambda api: api.find(ops.get_openapi_spec, home, item.slug),
            self._show_fresh,
            what="Reading the specification", after=REST_SECONDS, quiet=True,
        )  # fmt: skip

    def _show_fresh(self, fresh: OpenAPISpec | None) -> None:
        item = self.item
        if fresh is None or item is None or item.id != fresh.id:
            return
        about = self.waits_by(fresh)
        self.facts.show(self.facts_of(fresh), title=self.label(fresh), about=about)
        if fresh.processing_state != item.processing_state:
            self.watching.look_again()

    # Its source

    @action("ctrl+n", "add", word="new", unless=may_not_add, danger=1, show=28, group="Change",
            uses=("create_openapi_spec", "get_openapi_spec"), types=True)  # fmt: skip
    async def make(self) -> None:
        """Add a specification, from an address or from a file. u deletes it again."""
        home, key = self.organization or "", self.draft_key("make")
        made: list[str] = []

        async def send(body: SpecAsked) -> None:
            slug, source = body.slug, await body.source.read()
            url = body.source.url
            there: list[OpenAPISpec | None] = []

            async def add(api: Api) -> OpenAPISpec:
                there[:] = [await api.find(ops.get_openapi_spec, home, slug)]
                made = OpenAPISpecCreate(slug=slug, source=source)
                return await api(ops.create_openapi_spec, home, made)

            async def look(api: Api) -> OpenAPISpec | None:
                return await api.find(ops.get_openapi_spec, home, slug) if there == [None] else None

            spec = await self.writer.perform(
                "Add OpenAPI specification",
                shorten(slug, 40),
                add,
                reversal=lambda spec: spec_made(home, slug, spec.id, url),
                look=look,
                draft=key,
                done=f"Added “{shorten(slug, 40)}”. It is being read.",
            )
            made.append(spec.id)

        form = body_form(
            SpecAsked,
            title="Add an OpenAPI specification",
            draft_key=key,
            send=send,
            labels=LABELS,
            facts=["Private at first. Mistakes in it are told once it was read."],
            verb="add it",
        )
        if await self.desk.push_screen_wait(form):
            self.watching.read_begun(made[-1])

    @action("e", "new source", unless=(nothing_selected, not_editable), danger=1, show=26,
            word="edit", group="Change", uses="put_openapi_spec", types=True)  # fmt: skip
    async def replace(self) -> None:
        """Give the specification another source: an address, or a file. It is read again."""
        item = sure(self.item)
        key = self.draft_key("replace", item.id)
        facts: list[Fact] = ["What was read before stays until this one can be read."]
        if item.source_url:
            facts.append(hint("u has the former address read again, as it is by then.", ""))
        else:
            facts.append("This cannot be undone: the service keeps no text to give it again.")

        async def send(body: SpecSourceAsked) -> None:
            await self._put(item, await body.source.read(), "New source", draft=key)

        form = body_form(
            SpecSourceAsked,
            title=f"New source for {self.named(item)}",
            draft_key=key,
            send=send,
            current={"source": {"url": item.source_url} if item.source_url else {}},
            labels=LABELS,
            facts=facts,
            verb="read it",
        )
        if await self.desk.push_screen_wait(form):
            self.watching.read_begun(item.id)

    @action("U", "read again", unless=(nothing_selected, not_editable, no_address), danger=2,
            show=22, group="Change", uses="put_openapi_spec")  # fmt: skip
    async def fetch(self) -> None:
        """Have the document fetched from its address again."""
        item = sure(self.item)
        assert item.source_url is not None
        url = item.source_url
        facts = [
            f"Read from {shorten(clean(url), 60)}.",
            "What can be read there now holds from then on, for pages too.",
        ]
        sheet = Confirm(
            f"Read {self.named(item)} again",
            facts,
            verb="read it",
            warning="This cannot be undone: what was read before is gone.",
        )
        if await self.desk.push_screen_wait(sheet):
            await self._put(item, OpenAPISourceURL(url=url), "Read again")
            self.watching.read_begun(item.id)

    async def _put(
        self, item: OpenAPISpec, source: OpenAPISource, what: str, *, draft: str = ""
    ) -> None:
        from copydesk.contract.models.openapi_spec import OpenAPISpecPut

        home, slug, former = self.organization or "", item.slug, item.source_url
        url = source.url if isinstance(source, OpenAPISourceURL) else None

        async def look(api: Api) -> OpenAPISpec | None:
            found = await api.find(ops.get_openapi_spec, home, slug)
            if found is None or found.source_url != url or found.updated_at == item.updated_at:
                return None
            return found

        await self.writer.perform(
            f"{what} of OpenAPI specification" if draft else f"{what} OpenAPI specification",
            self.named(item),
            lambda api: api(ops.put_openapi_spec, home, slug, OpenAPISpecPut(source=source)),
            reversal=source_changed(home, slug, former, url) if former and former != url else None,
            look=look,
            draft=draft,
            done=f"“{self.named(item)}” is being read.",
        )

    # Who may read it, and whether it is there

    @action("x", "public/private", unless=(nothing_selected, not_editable), danger=2, show=24,
            group="Change", uses="update_openapi_spec", now=visibility_label)  # fmt: skip
    async def switch(self) -> None:
        """Make the specification public, after asking, or private again. u undoes it."""
        from copydesk.contract.models.openapi_spec import OpenAPISpecUpdate

        item, home = sure(self.item), self.organization or ""
        before = visibility_of(item)
        after: OpenAPIVisibility = "private" if before == "public" else "public"
        if after == "public":
            facts = ["Whoever has its link can read all of it, without an account."]
            sheet = Confirm(f"Make {self.named(item)} public", facts, verb="make it public")
            if not await self.desk.push_screen_wait(sheet):
                return
        body = OpenAPISpecUpdate(visibility=after)
        await self.writer.perform(
            f"Make {after}",
            self.named(item),
            lambda api: api(ops.update_openapi_spec, home, item.slug, body),
            reversal=visibility_changed(home, item.slug, before, after),
        )
        self.read_written(item.id)

    @action("D", "delete", unless=(nothing_selected, not_editable), danger=3, show=18,
            group="Change", uses="delete_openapi_spec")  # fmt: skip
    async def delete(self) -> None:
        """Delete the specification with every version of it. It asks for its slug."""
        item, home = sure(self.item), self.organization or ""
        facts: list[Fact] = [
            "Every version of it is deleted. Pages made from it have nothing to show any more."
        ]
        if item.source_url:
            facts.append(hint("u adds it again from its address; its versions stay deleted.", ""))
        else:
            facts.append(
                "This cannot be undone: it was given as text, which the service keeps to itself. "
                "To have it again, add it from the file."
            )
        sheet = TypeToConfirm(
            f"Delete {self.named(item)}",
            facts,
            expect=self.label(item),
            verb="delete",
            what="the slug",
        )
        if not await self.desk.push_screen_wait(sheet):
            return

        await self.writer.perform(
            "Delete OpenAPI specification",
            self.named(item),
            lambda api: api.done(ops.delete_openapi_spec, home, item.slug),
            reversal=spec_deleted(home, item.slug, item.source_url, item.visibility)
            if item.source_url
            else None,
            look=lambda api: api.gone(ops.get_openapi_spec, home, item.slug),
        )
        self.read_written()
