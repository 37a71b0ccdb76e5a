"""What the documentation agent of an organization is told."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.agent_instructions import AgentInstructions, AgentInstructionsUpdate
from copydesk.contract.models.base import Urls
from copydesk.contract.models.document import Document
from copydesk.domain.documents import markdown_to_document
from copydesk.server.desk_writes import put_agent_instructions
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.written import fitting_document


@implements(ops.get_agent_instructions)
def get_agent_instructions(call: Call, organization_id: str) -> AgentInstructions:
    """Answer with the instructions: an empty document while nobody wrote any."""
    call.access.organization(organization_id, "view")
    return agent_instructions_model(call, organization_id)


@implements(ops.update_agent_instructions, takes="admin")
def update_agent_instructions(
    call: Call, organization_id: str, body: AgentInstructionsUpdate
) -> AgentInstructions:
    """Replace the instructions, kept as they came."""
    call.access.organization(organization_id, "admin")
    if body.instructions.object != "document":
        raise invalid(
            f"body.instructions.object: {body.instructions.object[:100]!r} is not 'document'"
        )
    said = fitting_document(body.instructions, "body.instructions")
    put_agent_instructions(call.tx, organization_id, said, call.user_id)
    return agent_instructions_model(call, organization_id)


def agent_instructions_model(call: Call, organization_id: str) -> AgentInstructions:
    """Return what an organization's agent is told; nobody asks if the caller may read it."""
    row = call.tx.get("agent_instructions", organization_id=organization_id)
    return AgentInstructions(
        instructions=markdown_to_document("")
        if row is None
        else Document.model_validate_json(row["instructions"]),
        updated_at=None if row is None else row["updated_at"],
        updated_by=None if row is None else row["updated_by"],
        urls=Urls(location=call.url("orgs", organization_id, "agent-instructions")),
    )
