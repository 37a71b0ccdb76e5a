"""Reading the pictures that a page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from copydesk.client.errors import ApiError, NotFound
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.picture import LARGEST, Shown, files_named, too_large
from copydesk.domain.staged_files import STAGED, file_name
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import File

NOT_HERE = "The picture is staged on this machine, and its file is not there any more."


@dataclass(frozen=True, slots=True)
class PictureRead:
    """The bytes of a picture, or as a sentence why there are none; ``host`` is another's."""

    data: bytes = b""
    wrong: str = ""
    host: str = ""


def _host(api: Api, address: str) -> str:
    """Return the host of an address that is not the service's; empty for a file of the service."""
    url = web_address(address)
    there = urlsplit(url)
    return (there.hostname or "") if url and there.netloc != urlsplit(api.base_url).netloc else ""


class PictureReader:
    """Reads pictures of one version of a space: of a change request, or of main where it is None.

    ``staged`` returns the folder of files that are not sent yet, and may raise ``OSError``.
    """

    def __init__(
        self, api: Api, space: str, request: str | None, staged: Callable[[], Path] | None = None
    ) -> None:
        self._api, self._space, self._request, self._staged = api, space, request, staged
        self._files: Mapping[str, File] | None = None
        """The files of that version by id, once they were asked for."""

    async def read(self, shown: Shown) -> PictureRead:
        """Read a picture of the text. What fails is said in the result.

        A file of the space is found by its id or its path; another address is read as it is, and
        the token goes only to the service.
        """
        address = shown.address
        if address.startswith(STAGED):
            return await asyncio.to_thread(self._read_staged, address.removeprefix(STAGED))
        host = _host(self._api, address)
        try:
            if not (url := web_address(address)):
                if "://" in address or address.startswith(("data:", "//")):
                    return PictureRead(
                        wrong="Its address is neither a web address nor a file here."
                    )
                file = await self._file(address)
                if isinstance(file, int):
                    count = "Several files" if file else "No file"
                    have = "have" if file else "has"
                    return PictureRead(wrong=f"{count} of this space {have} its address.")
                if file.size is not None and file.size > LARGEST:
                    return PictureRead(wrong=too_large(file.size))
                if not (url := web_address(file.download_url)):
                    return PictureRead(wrong="The service does not say where the file is.")
            from copydesk.client.download import fetch  # it needs an HTTP client

            data = await fetch(self._api, url, largest=LARGEST)
        except ApiError as error:
            status = f" ({error.status})" if error.status else ""
            return PictureRead(wrong=f"The picture cannot be read{status}.", host=host)
        return PictureRead(data, host=host)

    def _read_staged(self, name: str) -> PictureRead:
        """Read a picture that was inserted here, and not sent yet."""
        if self._staged is None or file_name(name) != name:
            return PictureRead(wrong=NOT_HERE)
        try:
            with (self._staged() / name).open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError:
            return PictureRead(wrong=NOT_HERE)
        return PictureRead(wrong=too_large(len(data))) if len(data) > LARGEST else PictureRead(data)

    async def _file(self, address: str) -> File | int:
        """Return the file that an address means: ``/files/ID``, or a path; else how many it may.

        Raises ``ApiError``.
        """
        path = urlsplit(address).path
        kind, _, key = path.lstrip("/").partition("/")
        if kind == "files" and key and "/" not in key:
            try:
                if self._request is None:
                    return await self._api(ops.get_space_file, self._space, key)
                of = self._space, self._request, key
                return await self._api(ops.get_change_request_file, *of)
            except NotFound:
                if path.startswith("/"):
                    raise
        if self._files is None:
            self._files = await self._list()
        paths = {
            key: file.git.path if file.git is not None and file.git.path else file.name
            for key, file in self._files.items()
        }
        found = files_named(path, paths)
        return self._files[found[0]] if len(found) == 1 else len(found)

    async def _list(self) -> Mapping[str, File]:
        if self._request is None:
            pages = self._api.pages(ops.list_space_files, self._space, metadata=True)
        else:
            of = self._space, self._request
            pages = self._api.pages(ops.list_change_request_files, *of, metadata=True)
        return {file.id: file async for file in pages}
