"""What the documentation agent of an organization is told."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.agent_instructions import AgentInstructions, AgentInstructionsUpdate
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.organization_seed import put_agent_instructions
from copydesk.server.queries.agent_instructions import agent_instructions_model


@implements(ops.get_agent_instructions)
def get_agent_instructions(call: Call, organization_id: str) -> AgentInstructions:
    """Answer with the instructions: an empty document while nobody wrote any."""
    call.access.organization(organization_id, "view")
    return agent_instructions_model(call, organization_id)


@implements(ops.update_agent_instructions)
def update_agent_instructions(
    call: Call, organization_id: str, body: AgentInstructionsUpdate
) -> AgentInstructions:
    """Replace the instructions, kept as they came. Takes the permission admin."""
    call.access.organization(organization_id, "admin")
    if body.instructions.object != "document":
        raise invalid(
            f"body.instructions.object: {body.instructions.object[:100]!r} is not 'document'"
        )
    put_agent_instructions(call.tx, organization_id, body.instructions, call.user_id)
    return agent_instructions_model(call, organization_id)
