"""The versions of an OpenAPI specification, and what changed from one to another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.widget import Widget

from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.sure import sure
from copydesk.domain.text import clean
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.automation.openapi import VERSIONS, address_of, why_failed
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Facet
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.openapi_spec import OpenAPISpec, OpenAPISpecVersion

SHOWN = 200_000
"""Characters of a document, or of what changed in it, that are shown."""


def one_version(here: OpenAPIVersionsPlace) -> str | None:
    """Say so where there is nothing to compare a version with."""
    return "There is one version only." if here.rows.source.base.count == 1 else None


@place(
    "openapi-versions",
    title="Versions of an OpenAPI specification",
    uses=("list_openapi_spec_versions", "get_openapi_spec"),
)
class OpenAPIVersionsPlace(ResourcePlace["OpenAPISpecVersion"], scope="openapi_versions"):
    """The versions of a specification, and beside them what one changed, or its document."""

    NO_ITEM = "No specification is chosen. Open one from a list: g A goes there."
    RESOURCE = VERSIONS

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._spec: OpenAPISpec | None = None
        """The specification, once it is read."""

    def beside(self) -> Iterable[Widget]:
        """What the version under the cursor changed, in the place of its few details."""
        self.text = TextView(title="What it changed", empty="Reading…", plain=True, id="text")
        yield self.text
        yield from super().beside()
        self.facts.display = False

    def within(self) -> Iterable[str]:
        yield clean(self.target.item or "specification")

    def text_of(self, shown: Facet[OpenAPISpecVersion], item: OpenAPISpecVersion) -> Any:
        """Return one text of a version; whether pages are made from it the specification says."""
        if shown.name != "state":
            return super().text_of(shown, item)
        if self._spec is None:
            return None
        return Text("in use", style="good") if item.id == self._spec.last_version else "former"

    def nothing(self) -> str:
        return self._wrong() or super().nothing()

    def status_left(self) -> str:
        return self._wrong() or super().status_left()

    def _wrong(self) -> str:
        """Say why the document could not be read the last time, where that is so."""
        why = "" if self._spec is None else why_failed(self._spec)
        if self._spec is None or not why:
            return ""
        errors = self._spec.last_processed_errors or []
        said = clean(errors[0].message).strip() if errors else ""
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        return f"Not read the last time: {why}{f': {said}' if said else ''}{more}"

    def reload(self) -> None:
        """Read the versions again, and the specification: which is in use, and what went wrong."""
        super().reload()
        ids = self.organization or "", self.target.item or ""

        def came(spec: OpenAPISpec) -> None:
            self._spec = spec
            self.texts.forget()
            self.rows.say_instead(self.missing() or self.nothing())
            self.rows.refresh_rows()
            self.refresh_frame()
            if wrong := self._wrong():
                self.say(wrong, "warn")

        if all(ids):
            self.reads.load(
                "spec", lambda api: api(ops.get_openapi_spec, *ids), came,
                what="Reading the specification", quiet=True,
            )  # fmt: skip

    def poll(self) -> None:
        """Read nothing: versions come with a new source. R reads them again."""

    def show_item(self) -> None:
        """Show what the version changed, once the cursor rests on it."""
        super().show_item()
        item = self.item
        self.text.set_text("")
        if item is None:
            self.text.empty = ""
            return
        shown = list(self.rows.source.base.shown())
        after = shown.index(item) + 1 if item in shown else len(shown)
        before = shown[after] if after < len(shown) else None
        self._compare(before, item, "What it changed" if before else "The first document")

    @action("=", "with the latest", unless=(nothing_selected, one_version), show=22, group="Look",
            uses="get_latest_openapi_spec_version")  # fmt: skip
    async def compare(self) -> None:
        """Show what changed from this version to the one that pages are made from now."""
        item, ids = sure(self.item), (self.organization or "", self.target.item or "")
        latest = await (await self.session.ready())(ops.get_latest_openapi_spec_version, *ids)
        if latest.id == item.id:
            self.say("This is the latest version.")
        else:
            self._compare(item, latest, "From it to the latest", rests=False)

    def open_item(self, item: OpenAPISpecVersion) -> None:
        """Go to the text."""
        self.show_pane(self.text)

    def _compare(
        self,
        before: OpenAPISpecVersion | None,
        after: OpenAPISpecVersion,
        title: str,
        *,
        rests: bool = True,
    ) -> None:
        """Read the documents of two versions and show their differences."""
        slug = self.target.item or ""

        async def read(api: Api) -> str:
            from copydesk.client.download import fetch

            addresses = [address_of(each) for each in (before, after) if each is not None]
            if not all(addresses):
                return "The service does not say where the document is."
            documents = [await fetch(api, address) for address in addresses]
            return await asyncio.to_thread(told, slug, documents)

        def came(said: str) -> None:
            self.text.title = title
            self.text.set_text(said)

        def failed(said: str) -> None:
            self.text.empty = with_key(said)
            self.text.set_text("")

        self.text.empty = "Reading…"
        self.reads.load(
            "text", read, came, what="Reading the documents", of=after.id, failed=failed,
            after=REST_SECONDS if rests else 0,
        )  # fmt: skip


def told(slug: str, documents: list[bytes]) -> str:
    """Return one document, or the differences of two; bounded."""
    if len(documents) == 1:
        text = documents[0].decode("utf-8", "replace")
    else:
        before, after = documents
        if before == after:
            return "Both documents are the same."
        sides = (Side(slug, document) for document in documents)
        patch = b"".join(file_patch(*sides)).decode("utf-8", "replace")
        # The names of the files say nothing here: both sides are one specification.
        text = patch.partition("\n@@")[2]
        text = f"@@{text}" if text else "The documents differ, and one of them is not text."
    if len(text) > SHOWN:
        return f"{text[:SHOWN]}\n… y copies where the whole document is."
    return text
