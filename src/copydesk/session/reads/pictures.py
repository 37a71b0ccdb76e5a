"""Reading the pictures that a page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from copydesk.client.errors import ApiError, NotFound
from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.picture import LARGEST, Shown, file_named, too_large
from copydesk.domain.staged_files import STAGED
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import File


@dataclass(frozen=True, slots=True)
class PictureRead:
    """The bytes of a picture, or as a sentence why there are none; ``host`` is another's."""

    data: bytes = b""
    wrong: str = ""
    host: str = ""


async def read_picture(api: Api, space: str, request: str | None, shown: Shown) -> PictureRead:
    """Read a picture of the text of a change request, or of main where ``request`` is None.

    A file of the space is found by its id or its path; another address is read as it is, and the
    token goes only to the service. What fails is said in the result.
    """
    host = ""
    try:
        if shown.address.startswith(STAGED):
            return PictureRead(wrong="It is staged on this machine, and shown once it is sent.")
        if url := web_address(shown.address):
            there = urlsplit(url)
            if there.netloc != urlsplit(api.base_url).netloc:
                host = there.hostname or ""
        elif "://" in shown.address or shown.address.startswith(("data:", "//")):
            return PictureRead(wrong="Its address is neither one of the web nor of a file here.")
        else:
            file = await _file(api, space, request, shown.address)
            if file is None:
                return PictureRead(wrong="No file of this space has its address, or several do.")
            if file.size is not None and file.size > LARGEST:
                return PictureRead(wrong=too_large(file.size))
            if not (url := web_address(file.download_url)):
                return PictureRead(wrong="The service does not say where the file is.")
        from copydesk.client.download import fetch  # it needs an HTTP client

        data = await fetch(api, url, largest=LARGEST)
    except ApiError as error:
        status = f" ({error.status})" if error.status else ""
        return PictureRead(wrong=f"The picture cannot be read{status}.", host=host)
    return PictureRead(data, host=host)


async def _file(api: Api, space: str, request: str | None, address: str) -> File | None:
    """Return the file that an address means: ``/files/ID``, or a path. Raises ``ApiError``."""
    path = urlsplit(address).path
    kind, _, key = path.lstrip("/").partition("/")
    if kind == "files" and key and "/" not in key:
        try:
            if request is None:
                return await api(ops.get_space_file, space, key)
            return await api(ops.get_change_request_file, space, request, key)
        except NotFound:
            if path.startswith("/"):
                raise
    if request is None:
        pages = api.pages(ops.list_space_files, space, metadata=True)
    else:
        pages = api.pages(ops.list_change_request_files, space, request, metadata=True)
    files = {file.id: file async for file in pages}
    paths = {
        key: file.git.path if file.git is not None and file.git.path else file.name
        for key, file in files.items()
    }
    found = file_named(path, paths)
    return None if found is None else files[found]
