"""``copydesk structure …``: the structure of a site as a file, and a site made what a file says."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import UsageError
from copydesk.cli.output import put_bytes
from copydesk.cli.site_lookup import FoundSite, find_site

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.layout import Layout
    from copydesk.domain.structure_file import StructureFile

T = TypeVar("T")


def export_structure(
    *,
    site: str,
    organization: str | None = None,
    service: Service = OWN,
) -> int:
    """Print the structure of a site as YAML that people edit."""
    from copydesk.domain.structure_file import write_file

    async def export() -> str:
        async with await service.connection().connect() as api:
            found = await find_site(api, site, organization)
            layout = await read_layout(api, found)
            return write_file(found.id, found.title, layout, service.options)

    text = asyncio.run(export())
    # As bytes: the file is UTF-8 wherever it is read, whatever this machine's encoding is.
    put_bytes(text.encode())
    return 0


def apply_structure(
    *,
    site: str,
    file: Path | None = None,
    plan: bool = False,
    remove: bool = False,
    recreate: bool = False,
    yes: bool = False,
    as_json: bool = False,
    resume: bool = False,
    roll_back: bool = False,
    keep: bool = False,
    organization: str | None = None,
    service: Service = OWN,
) -> int:
    """Make a site what a file says, or with ``plan`` print what would be sent (7 if something is).

    What stopped before is gone on with (``resume``), taken back (``roll_back``), or left as it is
    (``keep``). Raises ``UsageError`` for what a person can mend; nothing was sent then.
    """
    from copydesk.cli.structure_apply import Applying

    connection = service.connection(writes=not plan)
    wish = read_wish(file) if file is not None else None
    if wish is None and not (resume or roll_back or keep):
        raise UsageError("name the file that says what the site shall be")
    applying = Applying(
        connection, wish, plan=plan, remove=remove, recreate=recreate, yes=yes, as_json=as_json,
        options=service.options,
    )  # fmt: skip
    left = "resume" if resume else "roll back" if roll_back else "keep" if keep else ""
    return applying.run(site, organization, left)


@dataclass(frozen=True)
class Wish:
    """What a site shall be, and the file that says so."""

    path: Path
    says: StructureFile


def read_wish(path: Path) -> Wish:
    """Return what a file says. Raises ``UsageError`` with all that is wrong in it, and where."""
    from copydesk.domain.structure_file import read_file
    from copydesk.domain.yaml_lines import LONGEST, FileError

    try:
        with path.open("rb") as opened:
            held = opened.read(4 * LONGEST + 1)
        return Wish(path, read_file(held.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = held.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path}, line {line}: this is not UTF-8 text. Save it as UTF-8."
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except FileError as error:
        raise mistaken(path, error) from error


def mistaken(path: Path, error: Exception) -> UsageError:
    """Return the complaint about a file, one line for each problem."""
    from copydesk.domain.yaml_lines import FileError

    problems = error.problems if isinstance(error, FileError) else ()
    said = [f"{path}, {problem}" for problem in problems]
    lines = [line if line.endswith("?") else f"{line}." for line in said]
    return UsageError("\n".join([*lines, "Nothing was sent."]))


async def read_layout(api: Api, site: FoundSite) -> Layout:
    """Return how a site is arranged now. Raises ``ApiError``."""
    from copydesk.domain.site_arrangement import layout_of
    from copydesk.session.reads.sites import read_structure

    return layout_of(await read_structure(api, site.organization, site.id))
