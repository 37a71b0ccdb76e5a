"""Context records of a site: tickets and documents from which is read what people struggle with."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import RecordType
from copydesk.contract.models.base import (
    Always,
    Batch,
    Body,
    Count,
    FewByName,
    Open,
    Real,
    Resource,
    Timestamp,
    Uri,
    Urls,
)

Connector: TypeAlias = Annotated[
    str,
    StringConstraints(
        pattern=(
            r"^(?:integration:[^:]+|builtin:(?:email|api|website|youtube|github-discussions"
            r"|github-issues|intercom|front|zendesk|zoho-desk|freshdesk|pylon|hubspot|linear|jira))$"
        )
    ),
]
"""What brings records: ``integration:NAME``, or one that is built in."""


class ContextRecord(Resource):
    """A ticket or a document. ``connector`` is the kind of its ``connection``, ``topics`` are ids.

    ``urls.source`` is where it comes from.
    """

    object: Open[Literal["context-record"]] = "context-record"
    id: str
    title: str = ""
    description: str | None = None
    type: Open[RecordType] = "ticket"
    created_at: Always[Timestamp] = None
    processed_at: Timestamp | None = None
    connection: str = ""
    connector: str = ""
    topics: list[str] | None = None
    urls: Urls = Field(default_factory=Urls)


class ContextRecordInput(Body):
    """A ticket or a document to hand in; ``id`` is the sender's own, so that it is not kept twice.

    ``body`` is all that it says.
    """

    id: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    type: RecordType
    title: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    description: Annotated[str, StringConstraints(max_length=512)] | None = None
    body: str
    url: Uri | None = None
    created_at: Timestamp | None = None
    metadata: FewByName[str | Count | Real] | None = None


class ContextRecordBatch(Batch[ContextRecordInput]):
    """Several tickets and documents to hand in at once: a JSON list."""
