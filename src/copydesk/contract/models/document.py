"""Rich text: a tree of nodes, kept whole even where it holds what this version does not know."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from copydesk.contract.models.base import Open, Shape


class _Whole(Shape):
    """A part of a document: unknown properties, null ones too, are written back as read.

    Its kind is always written, also in a request, where only what was set is.
    """

    model_config = ConfigDict(extra="allow")

    object: str

    @model_serializer(mode="wrap")
    def _keep_everything(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = {"object": self.object} | handler(self)
        for name, value in (self.model_extra or {}).items():
            if value is None:
                written.setdefault(name, None)
        return written


class Node(_Whole):
    """A node of a document: a block, an inline, or a text with its leaves.

    ``type`` is one of the blocks in docs/api-notes.md (Rich text); ``data`` belongs to the type.
    """

    object: Open[Literal["block", "inline", "text"]] = "block"
    type: str | None = None
    key: str | None = None
    is_void: bool | None = None
    data: dict[str, Any] | None = None
    nodes: "list[Node] | None" = None
    leaves: list[dict[str, Any]] | None = None


class Document(_Whole):
    """Rich text. ``data`` holds ``schemaVersion`` and more."""

    object: Open[Literal["document"]] = "document"
    data: dict[str, Any] = {}
    nodes: list[Node] = []
    meta: dict[str, Any] | None = None


def _is_one(document: Document) -> Document:
    if document.object != "document":
        raise ValueError('the object of a document is "document"')
    if "nodes" not in document.model_fields_set:
        raise ValueError("a document has nodes; an empty list of them is an empty text")
    return document


WrittenDocument: TypeAlias = Annotated[Document, AfterValidator(_is_one)]
"""Rich text in a request. What has no nodes is no text, and would silently replace one."""
