"""What the documentation agent of an organization is told."""

from typing import Literal

from pydantic import Field

from copydesk.contract.models.base import Body, Open, Resource, Timestamp, Urls
from copydesk.contract.models.document import Document, WrittenDocument


class AgentInstructions(Resource):
    """The instructions, and the id of the user who wrote them."""

    object: Open[Literal["agent-instructions"]] = "agent-instructions"
    instructions: Document | None = None
    updated_at: Timestamp | None = None
    updated_by: str | None = None
    urls: Urls = Field(default_factory=Urls)


class AgentInstructionsUpdate(Body):
    """New instructions for the documentation agent."""

    instructions: WrittenDocument = Field(
        description="What the agent is to mind whenever it writes or answers for the organization."
    )
