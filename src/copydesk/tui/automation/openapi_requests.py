"""The requests that change OpenAPI specifications, the files they come from, and what is asked."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field, model_validator

from copydesk.client.errors import NotFound
from copydesk.contract.models.base import Body
from copydesk.contract.models.openapi_spec import (
    OpenAPISource,
    OpenAPISourceText,
    OpenAPISourceURL,
    OpenAPISpecCreate,
    Slug,
)
from copydesk.contract.models.parts import WebAddress
from copydesk.domain.text import clean, shorten
from copydesk.session.errors import NotDoneError
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.openapi_spec import OpenAPISpec

LARGEST = 10 * 1024 * 1024
"""The longest request in bytes; a document goes into one."""

LARGEST_SAID = "10 MiB"


def _is_file(typed: str) -> str:
    """Return a path if a document can be read there. Raises ``ValueError`` with a sentence."""
    try:
        path = Path(typed).expanduser()
        if path.is_dir():
            raise ValueError("that is a folder")
        if not path.is_file():
            there = path.exists()
            raise ValueError("that is no ordinary file" if there else "there is no such file")
        size = path.stat().st_size
    except (OSError, RuntimeError) as error:
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
    data = Path(typed).expanduser().read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no UTF-8 text (byte {error.start + 1:,})") from error
    _check(text)
    source = OpenAPISourceText(text=text)
    size = len(source.to_json()) + 1024
    if size > LARGEST:
        raise ValueError(
            f"as a request it has {size / 1024**2:.1f} MiB; at most {LARGEST_SAID} can be sent"
        )
    return source


def _check(text: str) -> None:
    """Raise ``ValueError`` for what is neither JSON nor YAML; the service judges the rest."""
    if text.lstrip()[:1] == "{":
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: it is no JSON: {error.msg}") from error
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
        raise ValueError(f"{at}it is no YAML: {error.problem or 'it cannot be read'}") from error
    except yaml.YAMLError as error:
        raise ValueError("it is no YAML: it holds what is no text") from error
    if not begun:
        raise ValueError("it is no OpenAPI document: it has no names with values")


async def find(api: Api, home: str, slug: str) -> OpenAPISpec | None:
    """Return a specification, or None where there is none of that slug."""
    try:
        return await api(ops.get_openapi_spec, home, slug)
    except NotFound:
        return None


async def find_deleted(api: Api, home: str, slug: str) -> bool | None:
    """Return True if a specification is gone, else None."""
    return True if await find(api, home, slug) is None else None
