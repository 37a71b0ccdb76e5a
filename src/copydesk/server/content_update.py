"""Writing the content of a change request through the API: pages and files, all or none.

Changes are made in their order on one draft. What is wrong with one of them is a 400 that names it,
and nothing is written.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence, Set
from dataclasses import field
from hashlib import sha256
from typing import Any
from urllib.parse import unquote

from copydesk.contract.models.comment import DocumentBody, WrittenBody
from copydesk.contract.models.content_update import (
    ContentChange,
    DeletePage,
    FileAtUrl,
    FileBytes,
    InsertFiles,
    InsertPage,
    PageUpdate,
    RevertPage,
    UpdatePage,
)
from copydesk.contract.models.document import Document, Node
from copydesk.domain.address import PATH_RULE, is_path_part
from copydesk.domain.documents import document_to_markdown, join, links_of, markdown_to_document
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.sequence_matches import equal_runs, gaps
from copydesk.domain.staged_files import ASSETS, PLAIN_ASSETS, file_name
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.desk_writes import Editor
from copydesk.server.errors import invalid
from copydesk.server.queries.link import (
    ID_STARTS,
    LinkPlaces,
    Target,
    target_by_id,
    with_targets,
)
from copydesk.server.source_content import source_of
from copydesk.server.sources.document import Document as Source
from copydesk.server.sources.document import read_document
from copydesk.server.sources.model import Blob
from copydesk.server.sources.paths import is_address
from copydesk.server.sources.summary import tidy
from copydesk.server.store import Tx

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "png", "image/png"),
    (b"GIF8", "gif", "image/gif"),
    (b"\xff\xd8\xff", "jpg", "image/jpeg"),
    (b"%PDF-", "pdf", "application/pdf"),
)
"""What a file begins with, the end of its name, and its type; all others are bytes."""

_NODE_SIZE = 100
"""A node of a document takes as long to write as so many characters of a text take to read."""

_LEADING = re.compile(r"\s*#[ \t]")
_SAID = ("title", "slug", "emoji", "icon", "description", "condition")
_FLAGS = ("hidden", "no_index", "no_robots_index")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a change; ``kind`` names it."""

    kind: str
    page: str
    ref: str | None = None


@dataclass(slots=True)
class ContentWriter:
    """Makes changes on a draft; ``base`` is the revision that pages are reverted to by default.

    Used as an edit (`copydesk.server.desk_writes.Edit`); ``outcomes`` and ``files`` (by id) say
    afterwards what came of it.
    """

    base: str
    changes: Sequence[ContentChange]
    outcomes: list[Outcome] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    _refs: dict[str, Target] = field(default_factory=dict)
    _written: set[str] = field(default_factory=set)

    def __call__(self, editor: Editor) -> None:
        """Make every change; raises a 400 for the first that cannot be made."""
        before = LinkPlaces(editor.tx, editor.space_id, editor.draft)
        for number, change in enumerate(self.changes):
            where = f"body.changes.{number}"
            match change:
                case InsertPage():
                    self._insert(editor, change, where)
                case UpdatePage():
                    self._update(editor, change, where)
                case DeletePage():
                    _known(editor.draft, change.page, f"{where}.page")
                    editor.remove(change.page)
                    self.outcomes.append(Outcome("deleted_page", change.page))
                case RevertPage():
                    self._revert(editor, change, where)
                case InsertFiles():
                    self._add_files(editor, change, where)
        self._link(editor, before)

    def _insert(self, editor: Editor, change: InsertPage, where: str) -> None:
        self._check_ref(change.ref, where)
        _holds_pages(editor.draft, change.into, f"{where}.into")
        source = _source(editor, change.document, where)
        told = _told(change, source)
        told.setdefault("title", _leading(source) or "Untitled")
        slug = told.pop("slug", None)
        if slug:
            _free(editor.draft, change.into, slug, None, f"{where}.slug")
        page = editor.page(
            told.pop("title"),
            source.markdown,
            parent=change.into,
            index=change.at,
            slug=slug,
            **told,
        )
        if change.ref is not None:
            self._refs[change.ref] = "page", page
        self._written.add(page)
        self.outcomes.append(Outcome("created_page", page, change.ref))

    def _check_ref(self, ref: str | None, where: str) -> None:
        if ref in self._refs:
            raise invalid(f"{where}.ref: {ref[:100]!r} names something else of this call")

    def _add_files(self, editor: Editor, change: InsertFiles, where: str) -> None:
        for number, given in enumerate(change.files):
            place = f"{where}.files.{number}"
            self._check_ref(given.ref, place)
            self.files.append(_add_file(editor, given, place))
            if given.ref is not None:
                self._refs[given.ref] = "file", self.files[-1]

    def _update(self, editor: Editor, change: UpdatePage, where: str) -> None:
        draft = editor.draft
        page = _known(draft, change.page, f"{where}.page")
        fields = draft.pages[page]
        source = None
        if change.document is not None:
            if fields.type != "document":
                raise invalid(f"{where}.document: a page of type {fields.type} has no text")
            source = _source(editor, change.document, where)
        told = _told(change, source)
        if source is not None and "title" not in told:
            heading, was = _leading(source), _leading(Source("", editor.read(page)))
            # A page that a table of contents gives another title than its heading keeps it.
            if heading and heading != was and (was is None or tidy(was) == fields.title):
                told["title"] = heading
        self._move(editor, change, where)
        if told.get("slug") == "":
            title = told.get("title", fields.title)
            told["slug"] = editor.free_slug(title, draft.parent_of(page), page)
        elif "slug" in told:
            _free(draft, draft.parent_of(page), told["slug"], page, f"{where}.slug")
        if source is not None:
            told["text"] = content.put_text(editor.tx, source.markdown)
            if told["text"] != fields.text:
                told["git_oid"] = None
            self._written.add(page)
        draft.edit(page, **told)
        self.outcomes.append(Outcome("updated_page", page))

    def _move(self, editor: Editor, change: UpdatePage, where: str) -> None:
        draft, page = editor.draft, change.page
        into = change.into if "into" in change.model_fields_set else draft.parent_of(page)
        if into == draft.parent_of(page) and change.at is None:
            return
        _holds_pages(draft, into, f"{where}.into")
        above = into
        while above is not None:
            if above == page:
                raise invalid(f"{where}.into: a page cannot go below itself")
            above = draft.parent_of(above)
        if into is not None and draft.pages[page].type == "group":
            raise invalid(f"{where}.into: a group stays at the top")
        if into != draft.parent_of(page):
            slug = change.slug or draft.pages[page].slug
            _free(draft, into, slug, page, f"{where}.into")
        editor.move(page, into, change.at)

    def _revert(self, editor: Editor, change: RevertPage, where: str) -> None:
        draft, tx = editor.draft, editor.tx
        revision = change.revision or self.base
        known = tx.one("SELECT space_id FROM revision WHERE id = ?", revision)
        if known is None or known["space_id"] != editor.space_id:
            raise invalid(f"{where}.revision: there is no revision {revision[:100]!r}")
        before = content.open_draft(tx, content.load(tx, revision))
        if change.page not in before.pages:
            raise invalid(f"{where}.page: the revision has no page {change.page[:100]!r}")
        was = before.pages[change.page]
        if change.block is not None:
            page = _known(draft, change.page, f"{where}.page")
            now, then, keys = editor.read(page), content.text(tx, was.text), tuple(change.block)
            text = tx.apart(
                ("blocks", now, then, keys),
                len(now) + len(then),
                lambda _: _blocks_of(now, then, keys, f"{where}.block"),
            )
            editor.write(page, text)
        elif change.page in draft.pages:
            slug = was.slug
            _free(draft, draft.parent_of(change.page), slug, change.page, f"{where}.page")
            draft.pages[change.page] = was
        else:
            parent = before.parent_of(change.page)
            parent = parent if parent in draft.pages else None
            _free(draft, parent, was.slug, None, f"{where}.page")
            draft.add(was, parent, before.children[before.parent_of(change.page)].index(was.id))
        self.outcomes.append(Outcome("updated_page", change.page))

    def _link(self, editor: Editor, before: LinkPlaces) -> None:
        """Let links lead to files, as those of imported pages do.

        Written texts name pages and files by their ids and pages by a ``ref``, with an anchor or
        not. Links elsewhere follow what the changes gave another file.
        """
        draft = editor.draft
        after = LinkPlaces(editor.tx, editor.space_id, draft)
        moved = {
            target
            for target in before.targets & after.targets
            if before.file_of(target) != after.file_of(target)
        }
        refs = {
            f"{start}{ref}{end}": target
            for ref, target in self._refs.items()
            for start in ("", "./")
            for end in ("", ".md")
        }
        texts: dict[str, str] = {}
        olds: dict[str, str] = {}
        for page, fields in draft.pages.items():
            if fields.text is None or not (moved or page in self._written):
                continue
            text = editor.read(page)
            if moved and ("page", page) in before.targets:
                texts[page] = text
            # Most texts name nothing so and are not parsed.
            if page in self._written and any(each in text for each in (*refs, *ID_STARTS)):
                texts[page] = text
                was = draft.opened.get(page)
                olds[page] = "" if was is None or moved else content.text(editor.tx, was[0].text)
        read = dict.fromkeys((*texts.values(), *olds.values()))
        paths = editor.tx.apart(
            ("paths", *read),
            sum(map(len, read)),
            lambda _: {text: _paths_of(text) for text in read},
        )
        for page, text in texts.items():
            targets: dict[str, str] = {}
            if moved and ("page", page) in before.targets:
                targets = _followed(page, paths[text], before, after, moved)
            if page in olds:
                targets |= _by_path(page, paths[text], paths[olds[page]], refs, after)
            linked = with_targets(text, targets)
            if linked == text:
                continue
            editor.write(page, linked)
            if page in draft.opened and draft.opened[page][0].text == draft.pages[page].text:
                draft.edit(page, git_oid=draft.opened[page][0].git_oid)


_TAG_TARGET = re.compile(r"""^[ \t]*\{%[^\n]*?\b(?:src|url|href)=["']([^"'\n]+)""", re.MULTILINE)


def _paths_of(text: str) -> set[str]:
    """Return where the links and tags of a text lead, as they stand there, without anchors."""
    urls = (*links_of(text), *_TAG_TARGET.findall(text))
    paths = {url.partition("#")[0] for url in urls if not url.startswith(("#", "//"))} - {""}
    # Links are read with what is not ASCII quoted.
    return {path for path in paths | {unquote(path) for path in paths} if path in text}


def _followed(
    page: str, paths: set[str], before: LinkPlaces, after: LinkPlaces, moved: set[Target]
) -> dict[str, str]:
    """Return the new paths of links from or to what has another file now, by the old ones."""
    found: dict[str, str] = {}
    for path in paths:
        if is_address(path):
            continue
        target = before.find(page, path)
        # A path from the top leads where it did, from wherever the page is now.
        own = ("page", page) in moved and not path.startswith("/")
        if target is not None and (target in moved or own):
            link = after.link_to(page, target)
            if link is not None:
                found[path] = link
    return found


def _by_path(
    page: str, paths: set[str], old: set[str], refs: dict[str, Target], places: LinkPlaces
) -> dict[str, str]:
    """Return the paths of what links name by ids or refs, as those of ``old`` were written."""
    wanted = {path: target for path in paths if (target := _named(path, refs, places))}
    if not wanted:
        return {}
    kept: dict[Target, str] = {}
    for path in sorted(old):
        found = None if is_address(path) else places.find(page, path)
        if found is not None and target_by_id(path) is None:
            kept.setdefault(found, path)
    links = {path: kept.get(to) or places.link_to(page, to) for path, to in wanted.items()}
    # A group has no file, and what is not there no place: those stay as they are.
    return {path: link for path, link in links.items() if link is not None}


def _named(path: str, refs: dict[str, Target], places: LinkPlaces) -> Target | None:
    """Return what a link names by a ref or by ``/pages/ID``."""
    target = refs.get(path) or target_by_id(path)
    return target if target in places.targets else None


def _source(editor: Editor, body: WrittenBody, where: str) -> Source:
    """Return a text with what its front matter says; raises a 400 for one that cannot be read."""
    if isinstance(body, DocumentBody):
        document, draft = body.document, editor.draft
        known = frozenset(("page", page) for page in draft.pages)
        known |= {("file", file.id) for file in draft.files.values()}

        def written(_: Tx) -> str:
            nodes = [_with_addresses(node, known) for node in document.nodes]
            return document_to_markdown(document.model_copy(update={"nodes": nodes}))

        size = _NODE_SIZE * _count(document.nodes)
        return Source("", editor.tx.apart((id(document), known), size, written))
    source = read_document(Blob.of(body.markdown.encode()))
    wrong = source.refusal or source.complaint
    if wrong is not None:
        line = "" if source.line is None else f" (line {source.line})"
        raise invalid(f"{where}.document.markdown: the text {wrong}{line}")
    return source


def _count(nodes: Sequence[Node]) -> int:
    return sum(1 + _count(node.nodes or ()) for node in nodes)


def _with_addresses(node: Node, known: Set[Target]) -> Node:
    """Return a node whose references to known pages and files are addresses, as in Markdown."""
    changes: dict[str, Any] = {}
    ref = (node.data or {}).get("ref")
    if isinstance(ref, dict):
        for kind, place in (("page", "pages"), ("file", "files")):
            plain = ref.keys() == {"kind", kind} and ref["kind"] == kind
            if plain and (kind, str(ref[kind])) in known:
                address = {"kind": "url", "url": f"/{place}/{ref[kind]}"}
                changes["data"] = (node.data or {}) | {"ref": address}
    if node.nodes:
        changes["nodes"] = [_with_addresses(each, known) for each in node.nodes]
    return node.model_copy(update=changes) if changes else node


def _told(change: PageUpdate, source: Source | None) -> dict[str, Any]:
    """Return the fields of a page that a change says, those of its front matter before others."""
    told: dict[str, Any] = {
        name: getattr(change, name) for name in (*_SAID, *_FLAGS) if name in change.model_fields_set
    }
    told = {name: value for name, value in told.items() if value != "" or name == "slug"} | {
        name: None for name, value in told.items() if value == "" and name not in ("slug", "title")
    }
    if source is not None and source.front_matter:
        facts = source.facts
        told["front_matter"] = source.front_matter
        told |= {
            name: value
            for name in ("description", "emoji", "icon", *_FLAGS)
            if (value := getattr(facts, name))
        }
        if facts.layout:
            told["layout"] = dict(facts.layout)
        if facts.cover is not None:
            told["cover"] = {"ref": {"kind": "url", "url": facts.cover}}
        if source.title:
            told["title"] = source.title
    return told


def _leading(source: Source) -> str | None:
    return source.heading() if _LEADING.match(source.markdown) else None


def _known(draft: Draft, page: str, where: str) -> str:
    if page not in draft.pages:
        raise invalid(f"{where}: the change request has no page {page[:100]!r}")
    return page


def _holds_pages(draft: Draft, page: str | None, where: str) -> None:
    if page is not None and draft.pages[_known(draft, page, where)].type == "link":
        raise invalid(f"{where}: a link has no pages below it")


def _free(draft: Draft, parent: str | None, slug: str, page: str | None, where: str) -> None:
    """Raise a 400 unless a page may have a slug below ``parent``."""
    if not is_path_part(slug):
        raise invalid(f"{where}: {slug[:100]!r} is not a part of a path: {PATH_RULE}")
    for other in draft.children.get(parent, ()):
        if other != page and draft.pages[other].slug == slug:
            title = draft.pages[other].title[:100]
            raise invalid(f"{where}: the page {title!r} beside it has the slug {slug!r}")


def _add_file(editor: Editor, given: FileAtUrl | FileBytes, place: str) -> str:
    """Add a file by its name; another one that has it stays, and the new one is called anew."""
    if isinstance(given, FileAtUrl):
        raise invalid(f"{place}.url: this desk fetches no files; send the bytes as base64")
    try:
        data = base64.b64decode(given.base64, validate=True)
    except (binascii.Error, ValueError):
        raise invalid(f"{place}.base64: this is not base64") from None
    end, kind = next(
        ((end, kind) for start, end, kind in _KINDS if data.startswith(start)),
        ("bin", "application/octet-stream"),
    )
    digest = sha256(data).hexdigest()
    name = file_name(given.name) if given.name else f"{digest[:20]}.{end}"
    folder = _assets(editor)
    there = editor.draft.files.get(folder + name)
    if there is not None and there.blob != digest:
        name = f"{digest[:20]}-{name}"
    return editor.file(folder + name, data, content_type=given.content_type or kind)


def _assets(editor: Editor) -> str:
    """Return where new files are put: in the folder that the space was imported from."""
    source = source_of(editor.tx.row("space", editor.space_id))
    assets = ASSETS if source.get("summary") or not source else PLAIN_ASSETS
    return f"{folder}/{assets}" if (folder := source.get("folder")) else assets


def _blocks_of(now: str, was: str, keys: Sequence[str], where: str) -> str:
    """Return a text with some of its blocks as they were in another one.

    A block in another is reverted with that. Blocks that stand in no clear relation to those that
    were there are reverted together with the ones beside them.
    """
    document, before = (markdown_to_document(text, None) for text in (now, was))
    wanted = {key.partition(".")[0] for key in keys}
    if missing := wanted - {node.key or "" for node in document.nodes}:
        raise invalid(f"{where}: the page has no block {min(missing)[:100]!r}")
    old, new = ([join([node]) for node in each.nodes] for each in (before, document))
    nodes: list[Node] = []
    at = 0
    for gap in gaps(equal_runs(old, new), len(old), len(new)):
        nodes += document.nodes[at : gap.b1]
        mine, theirs = document.nodes[gap.b1 : gap.b2], before.nodes[gap.a1 : gap.a2]
        if len(mine) == len(theirs):
            nodes += [a if b.key in wanted else b for a, b in zip(theirs, mine, strict=True)]
        elif any(node.key in wanted for node in mine):
            nodes += theirs
        else:
            nodes += mine
        at = gap.b2
    nodes += document.nodes[at:]
    text = document_to_markdown(Document(data=document.data, nodes=nodes))
    return f"{text}\n" if now.endswith("\n") and not text.endswith("\n") else text
