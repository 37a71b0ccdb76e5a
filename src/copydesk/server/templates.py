"""Templates: a space whose pages another one starts from.

A template is named by its space's id and may be any space that the caller can view. Its pages and
files are added to the existing ones, each as one of its own. A link or picture in it that leads to
``ref:NAME`` is a placeholder: it leads to the content reference called NAME of the request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from copydesk.contract.models.base import FileReference, PageReference, WrittenReference
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.desk_writes import Edit, Editor
from copydesk.server.errors import Refusal, invalid
from copydesk.server.implementation import Call
from copydesk.server.queries.file import find_file
from copydesk.server.queries.page import find_page
from copydesk.server.store import Row

_PLACEHOLDER = re.compile(
    r"""(\]\(<?|^ {0,3}\[[^\]\n]+\]:[ ]?<?|\b(?:href|src)=["'])ref:([\w.-]+)(?=[\s)>"'])""",
    re.MULTILINE,
)


def template_edit(
    call: Call,
    space: Row,
    revision_id: str,
    template_id: str,
    references: Mapping[str, WrittenReference] | None,
    *,
    where: str,
) -> Edit:
    """Return the edit that adds a template's pages and files to a space.

    References are to what ``revision_id`` holds. ``where`` is the part of the body that names the
    template. Raises a 400 when the caller can view no such template, or when a placeholder has no
    reference, or one to a missing thing.
    """
    try:
        source = call.access.space(template_id)
    except Refusal:
        raise invalid(f"{where}.id: there is no template {template_id[:100]!r}") from None
    draft = content.open_draft(call.tx, content.load(call.tx, source["revision_id"]))
    texts = {
        page.id: content.text(call.tx, page.text)
        for page in draft.pages.values()
        if page.text is not None
    }
    given = references or {}
    wanted = {name for text in texts.values() for _, name in _PLACEHOLDER.findall(text)}
    if missing := sorted(wanted - given.keys()):
        raise invalid(
            f"{where}.params.contentRefs: the template needs {', '.join(missing)[:200]}; "
            "give a value for each"
        )
    addresses = {
        name: _address(
            call, space, revision_id, reference, f"{where}.params.contentRefs.{name[:100]}"
        )
        for name, reference in given.items()
    }
    filled = {
        page: _PLACEHOLDER.sub(lambda match: match[1] + addresses[match[2]], text)
        for page, text in texts.items()
    }
    return lambda editor: _add(editor, draft, filled)


def _address(
    call: Call, space: Row, revision_id: str, reference: WrittenReference, where: str
) -> str:
    """Return where a link to a reference leads: from the root of the space it is in."""
    if not isinstance(reference, FileReference | PageReference):
        slug: str | None = call.tx.value(
            "SELECT slug FROM openapi_spec WHERE organization_id = ?1 AND (id = ?2 OR slug = ?2)",
            space["organization_id"],
            reference.spec,
        )
        if slug is None:
            raise invalid(f"{where}: there is no OpenAPI spec {reference.spec[:100]!r}")
        return call.url("orgs", space["organization_id"], "openapi", slug)
    try:
        home = space
        if reference.space not in (None, space["id"]):
            home = call.access.space(reference.space)
            revision_id = home["revision_id"]
        if isinstance(reference, FileReference):
            path = find_file(call, revision_id, reference.file).path
            rest = ("files", reference.file)
        else:
            path = find_page(call, revision_id, reference.page).path
            rest = ("page", reference.page)
    except Refusal as refusal:
        raise invalid(f"{where}: {refusal.message}") from None
    if home["id"] != space["id"]:
        return call.url("spaces", home["id"], "content", *rest)
    # Spaces and brackets would end the link that this goes into.
    return "/" + re.sub(r"[\s()<>\"']", lambda match: f"%{ord(match[0]):02X}", path)


def _add(editor: Editor, template: Draft, texts: Mapping[str, str]) -> None:
    def add(parent: str | None, new_parent: str | None) -> None:
        for page_id in template.children.get(parent, ()):
            page = template.pages[page_id]
            slug = None if parent is None else page.slug  # to find a free one takes a look at all
            new = editor.page(
                page.title, texts.get(page_id), parent=new_parent, type=page.type, slug=slug
            )
            # At the top a slug may be taken; below, pages stand among their own.
            slug = editor.draft.pages[new].slug if parent is None else page.slug
            editor.draft.pages[new] = replace(
                page, id=new, slug=slug, text=editor.draft.pages[new].text, git_oid=None
            )
            add(page_id, new)

    add(None, None)
    for path, file in template.files.items():
        # What is there already may be linked to: it stays.
        if path not in editor.draft.files:
            editor.draft.files[path] = replace(file, id=editor.tx.new_id(), git_oid=None)
