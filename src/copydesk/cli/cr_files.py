"""``copydesk cr checkout`` and ``push``: the pages of a change request as files, and back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.cr_diff import put_patch
from copydesk.cli.errors import (
    CONFLICT,
    DIFFERS,
    DONE,
    FAILED,
    NOT_ALLOWED,
    UsageError,
    ask_first,
    need_answer,
    said_of,
    say,
)
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_json
from copydesk.cli.writes import CommandWrites
from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_edits import PageEdit, content_changes
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.request_folder import (
    ENDING,
    KEPT,
    KeptPage,
    RequestFolder,
    digest,
    file_names,
    folder_of,
    is_text,
)
from copydesk.domain.text import clean, few, listed, plural, shorten
from copydesk.domain.yaml_lines import FileError
from copydesk.local.durable import write_file
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.session.errors import failure_types
from copydesk.session.operations import ops
from copydesk.session.page_edits import (
    EditCheck,
    SentEdits,
    StagedPages,
    check_edits,
    made_page,
    send_all,
    source_of,
)
from copydesk.session.writes.requests import right_missing

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.space import Space

AT_ONCE = 6
"""Pages read at the same time."""

NAMED = 6
"""So many files a sentence names."""

LARGEST = 16 * 1024 * 1024
"""Bytes of a file that is read."""


def checkout(
    *,
    wanted: Wanted,
    folder: Path,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Write the pages of a change request into an empty folder. Raises ``UsageError``."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is not a folder: name an empty folder, or a new one")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty. Nothing was written.")
    connection = service.connection()

    async def run(api: Api, found: Found) -> int:
        given, there = found
        revision, tree = await _tree(api, given)
        pages = [node for node in tree if node.type == "document"]
        sources = await _sources(api, given, [page.id for page in pages])
        now = await api(ops.get_change_request, there.id, given.id)
        if now.revision != revision:
            raise UsageError(
                f"#{given.number} was edited while it was read. Nothing was written: try again.",
                CONFLICT,
            )
        names = file_names(pages)
        kept = RequestFolder(
            connection.key, there.id, given.id, given.number, revision,
            {
                names[page.id]: KeptPage(page.id, digest(_bytes(sources[page.id])))
                for page in pages
            },
        )  # fmt: skip
        _fill(folder, {names[page.id]: _bytes(sources[page.id]) for page in pages}, kept)
        if as_json:
            put_json({"folder": str(folder), "revision": revision, "files": sorted(kept.pages)})
        else:
            put(f"{plural(len(pages), 'page')} of #{given.number} written to {folder}.")
            put(f"copydesk cr push {folder}{service.options} sends what you change there.")
        return DONE

    return run_on(connection, wanted, run)


def push(
    *,
    folder: Path,
    plan: bool = False,
    yes: bool = False,
    stage: bool = False,
    remove: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Send the changes made in a folder since its checkout as one write.

    ``plan`` only prints the patch (7 if there is one), ``stage`` leaves it staged for the screens,
    ``remove`` deletes the pages whose files are gone. What was changed on both sides is named, and
    nothing is sent then. Raises ``UsageError``.
    """
    kept = _kept(folder)
    connection = service.connection(writes=not plan)
    if kept.desk != connection.key:
        raise UsageError(f"{folder} was checked out of another service or desk than this one")
    need_answer(said=plan or yes or stage, plans=True)
    files = _files(folder, kept)

    async def run(api: Api) -> int:
        given = await api(ops.get_change_request, kept.space, kept.request)
        if not plan:
            _refuse(given, await api(ops.get_space, kept.space))
        changes = await _compared(api, folder, kept, given, files, remove=remove)
        patch = b"".join(changes.patches)
        if as_json:
            shown = {page: each.kind for page, each in changes.files.items()}
            put_json({"changes": shown, "patch": patch.decode("utf-8", "replace")})
        else:
            put_patch(patch)
        if not changes.edits:
            say(f"Nothing in {folder} differs from #{kept.number}: nothing was sent.")
            if not plan:
                _write_made(folder, changes)
                _keep(folder, changes.folder)
            return DONE
        if plan:
            return DIFFERS
        count = plural(len(changes.edits), "page")
        ask_first(f"Send {count} to #{kept.number}?", said=yes or stage)
        _write_made(folder, changes)
        async with CommandWrites(connection, api) as writes:
            return await _send(api, writes, folder, changes, given, stage=stage)

    return connection.run(run)


@dataclass(frozen=True)
class _Changes:
    """What differs: edits by page and by file, as patches, and the folder as it is now.

    ``data`` are all of its files by their paths, ``made`` the new ones whose pages an earlier push
    has made, as the service has them.
    """

    edits: Mapping[str, PageEdit]
    files: Mapping[str, PageEdit]
    patches: tuple[bytes, ...]
    folder: RequestFolder
    check: EditCheck
    data: Mapping[str, bytes]
    made: Mapping[str, bytes]


async def _compared(
    api: Api,
    folder: Path,
    kept: RequestFolder,
    given: ChangeRequest,
    files: Mapping[str, bytes],
    *,
    remove: bool,
) -> _Changes:
    """Hold the files against the change request as it is now. Raises ``UsageError``."""
    changed = {
        path: page
        for path, page in kept.pages.items()
        if path in files and digest(files[path]) != page.digest
    }
    gone = {path: page for path, page in kept.pages.items() if path not in files}
    if gone and not remove:
        say(f"Without a file, and left as they are: {_named(gone)}. --remove deletes their pages.")
        gone = {}
    revision, tree = await _tree(api, given)
    known = {node.id: node for node in tree}
    wanted = [page.id for page in (*changed.values(), *gone.values()) if page.id in known]
    sources = await _sources(api, given, wanted)
    edits: dict[str, tuple[str, PageEdit]] = {}
    clashing: list[str] = []
    pages = dict(kept.pages)
    for path, page in changed.items():
        theirs, mine = sources.get(page.id), _text(path, files[path])
        if theirs == mine:  # an earlier push has sent it
            pages[path] = KeptPage(page.id, digest(files[path]))
        elif theirs is None or digest(_bytes(theirs)) != page.digest:
            clashing.append(path)
        else:
            title = known[page.id].title
            edits[page.id] = path, PageEdit("update", revision, theirs, mine, title=title)
    for path, page in gone.items():
        theirs = sources.get(page.id)
        if theirs is None:
            del pages[path]
        elif digest(_bytes(theirs)) != page.digest:
            clashing.append(path)
        else:
            title = known[page.id].title
            edits[page.id] = path, PageEdit("delete", revision, theirs, title=title)
    if clashing:
        raise UsageError(
            f"changed both here and in #{kept.number} since the checkout: {_named(clashing)}. "
            "Nothing was sent. Check it out into another folder, and make your changes there.",
            CONFLICT,
        )
    edits |= _new(kept, files, known)
    alone = {key: edit for key, (_, edit) in edits.items()}
    check = await check_edits(api, kept.space, kept.request, alone)
    made: dict[str, bytes] = {}
    for key, standing in check.standings.items():
        if standing.how == "there" and alone[key].kind == "insert":  # an earlier push has made it
            path, edit = edits.pop(key)
            new = await made_page(api, (kept.space, kept.request), edit, tree)
            if new is not None:
                made[path] = _bytes((await _sources(api, given, [new]))[new])
                pages[path] = KeptPage(new, digest(made[path]))
    alone = {key: edit for key, (_, edit) in edits.items()}
    try:  # what only leaves out what every page has changes nothing of it
        alone = {key: edit for key, edit in alone.items() if content_changes({key: edit}, tree)}
    except FileError as error:
        raise _wrong(alone, edits) from error
    check = replace(check, standings={key: check.standings[key] for key in alone})
    named = {edits[key][0]: edit for key, edit in alone.items()}
    patches = tuple(
        part
        for path, edit in sorted(named.items())
        for part in file_patch(
            Side(path, None if edit.kind == "insert" else _bytes(edit.base_text)),
            Side(path, None if edit.kind == "delete" else _bytes(edit.text)),
        )
    )
    return _Changes(
        alone, named, patches, replace(kept, pages=pages, revision=revision), check, files, made
    )


def _new(
    kept: RequestFolder, files: Mapping[str, bytes], known: Mapping[str, PageNode]
) -> dict[str, tuple[str, PageEdit]]:
    """Return the pages to be made of files that no page has. Raises ``UsageError``."""
    from copydesk.domain.page_edits import NEW
    from copydesk.domain.page_source import page_source, read_page_source, title_of

    found: dict[str, tuple[str, PageEdit]] = {}
    ids = {f"{node.path}{ENDING}": node.id for node in known.values() if node.type == "group"}
    ids |= {path: page.id for path, page in kept.pages.items() if page.id in known}
    for path in sorted(set(files) - set(kept.pages)):
        above, _, slug = path.removesuffix(ENDING).rpartition("/")
        if above and f"{above}{ENDING}" not in ids:
            more = " yet: send that one first" if f"{above}{ENDING}" in files else " there"
            raise UsageError(
                f"{path}: above it {above}{ENDING} is not a page{more}. Nothing was sent."
            )
        text = _text(path, files[path])
        try:
            source = read_page_source(text)
        except FileError as error:
            raise UsageError(f"{path}, {error}. Nothing was sent.") from error
        title = title_of(text) or slug
        text = page_source({"title": title, "slug": slug, **source.settings}, source.markdown)
        into = ids[f"{above}{ENDING}"] if above else None
        found[f"{NEW}{path}"] = path, PageEdit("insert", kept.revision, text=text, into=into)
    return found


def _wrong(alone: Mapping[str, PageEdit], edits: Mapping[str, tuple[str, PageEdit]]) -> UsageError:
    """Return the complaint about the files whose front matter cannot be read."""
    said: list[str] = []
    for page, edit in alone.items():
        try:
            content_changes({page: edit}, ())
        except FileError as error:
            said += [f"{edits[page][0]}, {problem}." for problem in error.problems]
    return UsageError("\n".join([*said, "Nothing was sent."]))


async def _send(
    api: Api,
    writes: CommandWrites,
    folder: Path,
    changes: _Changes,
    given: ChangeRequest,
    *,
    stage: bool,
) -> int:
    kept = changes.folder
    staged = StagedPages(writes.session, kept.space, kept.request)
    await staged.read()
    own = {page for page, each in staged.edits.items() if kept.staged.get(page) == _mark(each)}
    others = [each.named for page, each in staged.edits.items() if page in changes.edits
              and page not in own and each != changes.edits[page]]  # fmt: skip
    if others:
        raise UsageError(
            f"other edits are staged of {listed(map(clean, others))}: send or discard "
            "those on the screens first. Nothing was sent.", CONFLICT,
        )  # fmt: skip
    try:
        await staged.stage(dict.fromkeys(own) | dict(changes.edits))
    except StagedElsewhereError as error:
        raise UsageError(
            f"{error or 'staged elsewhere meanwhile'}. Nothing was sent.", CONFLICT
        ) from error
    if stage:
        marks = {page: _mark(edit) for page, edit in changes.edits.items()}
        _keep(folder, replace(kept, staged=marks))
        say(f"Staged for #{kept.number}: its review on the screens shows and sends it.")
        return DONE
    target = f"#{given.number} {clean(given.subject)}".rstrip()
    arrived = False
    try:
        sent = await writes.told(send_all(staged, changes.check, target=target))
        arrived = True
    finally:
        if not arrived:  # the files have it
            await staged.stage(dict.fromkeys(changes.edits))
    _keep(folder, await _as_sent(api, folder, given, changes, sent))
    say(
        f"Sent to #{given.number}: {plural(len(changes.edits), 'page')}. "
        ":undo on the screens undoes it."
    )
    return DONE


def _mark(edit: PageEdit) -> str:
    return digest(edit.to_text().encode())


async def _as_sent(
    api: Api, folder: Path, given: ChangeRequest, changes: _Changes, sent: SentEdits
) -> RequestFolder:
    """Write the files as the service has them now, and return the folder in accord with it.

    A service takes the title of a page from a new heading, and gives a new page its settings. A
    file that was changed again meanwhile stays, and so do all where that cannot be read.
    """
    ids = {
        path: sent.made.get(page, "") if edit.kind == "insert" else page
        for page, (path, edit) in zip(changes.edits, changes.files.items(), strict=True)
        if edit.kind != "delete"
    }
    try:
        sources = await _sources(api, given, [page for page in ids.values() if page])
    except failure_types() as error:
        why = said_of(error)
        say(f"How #{given.number} has them cannot be read, the files stay as they were sent: {why}")
        sources = {}
    pages = dict(changes.folder.pages)
    for path, edit in changes.files.items():
        pages.pop(path, None)
        if edit.kind != "delete" and ids[path]:
            source, file = sources.get(ids[path]), folder / path
            now = changes.data[path] if source is None else _bytes(source)
            pages[path] = KeptPage(ids[path], digest(now))
            _write(file, now, changes.data[path], path, given.number)
    return replace(changes.folder, pages=pages, revision=sent.revision, staged={})


def _write_made(folder: Path, changes: _Changes) -> None:
    for path, now in changes.made.items():
        _write(folder / path, now, changes.data[path], path, changes.folder.number)


def _write(file: Path, now: bytes, sent: bytes, path: str, number: int) -> None:
    """Write a file as the service has it, unless it was changed since it was sent."""
    if now != sent == file.read_bytes():
        write_file(file, now)
        say(f"{clean(path)} is written as #{number} has it now.")


# Reading


async def _tree(api: Api, given: ChangeRequest) -> tuple[str, tuple[PageNode, ...]]:
    now = await api(
        ops.get_change_request_revision, given.space, given.id, metadata=False, computed=False
    )
    return now.id, tuple(flatten(now.pages))


async def _sources(api: Api, given: ChangeRequest, pages: list[str]) -> dict[str, str]:
    """Return pages with their settings as texts, by id. Raises ``ApiError``."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def read(page: str) -> str:
        async with gate:
            return source_of(
                await api(
                    ops.get_change_request_page, given.space, given.id, page, format="markdown"
                )
            )

    return dict(zip(pages, await asyncio.gather(*map(read, pages)), strict=True))


def _refuse(given: ChangeRequest, space: Space) -> None:
    """Raise ``UsageError`` where an edit would be refused."""
    if given.status not in ("open", "draft"):
        said = f"nothing was sent: #{given.number} is {clean(given.status)}."
        raise UsageError(said, CONFLICT)
    if why := right_missing(space, lambda granted: granted.edit, "edit"):
        raise UsageError(f"nothing was sent: {why}", NOT_ALLOWED)


# Files


def _kept(folder: Path) -> RequestFolder:
    path = folder / KEPT
    try:
        return folder_of(path.read_bytes()[:LARGEST].decode())
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(
            f"{folder} was not checked out: copydesk cr checkout NUMBER FOLDER makes such a folder"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be used: {clean(str(error), limit=200)}") from error


def _fill(folder: Path, files: Mapping[str, bytes], kept: RequestFolder) -> None:
    """Write files into an empty folder. Raises ``UsageError`` where one cannot be written.

    It is empty again then: half of them would be taken for a folder of somebody's own.
    """
    written: list[Path] = []
    try:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                written.append(path)
                file.write(data)
        _keep(folder, kept)
    except BaseException as error:
        for path in written:
            path.unlink(missing_ok=True)
        for above, below, _ in os.walk(folder, topdown=False):
            for name in below:
                with suppress(OSError):
                    (Path(above) / name).rmdir()
        if not isinstance(error, OSError):
            raise
        why = error.strerror or error
        raise UsageError(
            f"{folder} cannot be filled: {why}. There is nothing in it.", FAILED
        ) from error


def _keep(folder: Path, kept: RequestFolder) -> None:
    path = folder / KEPT
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, kept.to_text().encode())


def _files(folder: Path, kept: RequestFolder) -> dict[str, bytes]:
    """Return the Markdown files of a folder by their paths. Raises ``UsageError``."""
    found: dict[str, bytes] = {}
    wrong: list[str] = []
    for above, below, names in os.walk(folder):
        here = Path(above)
        below[:] = sorted(name for name in below if not name.startswith("."))
        wrong += [f"{here / name} is a link" for name in below if (here / name).is_symlink()]
        for name in sorted(names):
            path = here / name
            if name.startswith("."):
                continue
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file():
                wrong.append(f"{path} is not a file of its own")
            elif not is_text(relative):
                wrong.append(f"{os.fsencode(name)!r} is not a name in UTF-8")
            elif not name.endswith(ENDING):
                say(f"not sent: {clean(relative, limit=400)} is not a {ENDING} file")
            elif path.stat().st_size > LARGEST:
                wrong.append(f"{path} is larger than {LARGEST // 1024 // 1024} MB")
            else:
                found[relative] = path.read_bytes()
    folded: dict[str, str] = {}
    for each in found:
        other = folded.setdefault(each.casefold(), each)
        if other != each and not {each, other} <= kept.pages.keys():
            wrong.append(f"{other} and {each} differ in capitals only")
    if wrong:
        lines = [clean(each, limit=400) for each in wrong]
        raise UsageError("\n".join([*(f"{line}." for line in lines), "Nothing was sent."]))
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(path: str, data: bytes) -> str:
    if (at := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise UsageError(
            f"{clean(path)}, line {line}: no page takes the character U+0000. Nothing was sent."
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{clean(path)}, line {line}: this is not UTF-8 text. Nothing was sent."
        ) from error


def _named(paths: Mapping[str, KeptPage] | list[str]) -> str:
    return few(list(paths), NAMED, lambda path: shorten(clean(path), 80))
